// What Glibc's module lacks: the kernel's event, inotify, signal and timer descriptors, its clock, a copying process, and the
// width of characters.
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The ioctl(2) that asks which terminal a descriptor belongs to; a macro that Swift can't import.
static const unsigned long blekeep_terminal_device = TIOCGDEV;

/// How many columns a terminal uses for a character in the thread's locale; -1 for one that it doesn't know.
int wcwidth(__WCHAR_TYPE__ character);

/// Starts a process that copies everything it reads from `from` to `to`, in this order, and returns its process ID or
/// -1. It ends with the errno of a failed write, with 0 at the end of the input, and with the calling thread.
///
/// It is forked and not spawned, so that it needs no program in the file system. It only makes system calls, because
/// a lock of another thread would stay locked in it for ever.
static inline pid_t blekeep_start_copier(int from, int to) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    // Without a controlling terminal, the terminal's job control can't stop it.
    setsid();
    signal(SIGPIPE, SIG_IGN);
    int input = dup2(from, 0), output = dup2(to, 1);
    if (input < 0 || output < 0) _exit(EBADF);
    // The parent's locks and sockets mustn't outlive it here.
    syscall(SYS_close_range, 2, ~0u, 0);
    char buffer[16384];
    for (;;) {
        const ssize_t length = read(input, buffer, sizeof buffer);
        if (length == 0) _exit(0);
        if (length < 0) {
            if (errno == EINTR) continue;
            _exit(errno);
        }
        for (ssize_t done = 0; done < length;) {
            const ssize_t count = write(output, buffer + done, (size_t)(length - done));
            if (count > 0) {
                done += count;
            } else if (errno == EAGAIN) {
                struct pollfd room = {output, POLLOUT, 0};
                poll(&room, 1, -1);
            } else if (errno != EINTR) {
                _exit(errno);
            }
        }
    }
}
