// What Glibc's module lacks: the kernel's event, signal and timer descriptors.
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
