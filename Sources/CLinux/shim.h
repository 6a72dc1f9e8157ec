// What Glibc's module lacks: the kernel's event, signal and timer descriptors, and its clock.
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
