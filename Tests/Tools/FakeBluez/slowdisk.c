/* LD_PRELOAD: a disk that is slow or fails, for files whose path has "history" in it. The file named by SLOWDISK says how:
   "SECONDS ERRNO": how long a sync takes, and what each write fails with; 0 for none. With a third word, all is well again
   after one slow sync. Each slow sync is a line in SLOWDISK.log: its begin and end in seconds of CLOCK_MONOTONIC. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Returns whether that is for one sync. */
static int want(double *seconds, int *error) {
    char word[8];
    *seconds = 0, *error = 0;
    FILE *file = fopen(getenv("SLOWDISK"), "re");
    if (!file) return 0;
    int words = fscanf(file, "%lf %d %7s", seconds, error, word);
    if (words < 2) *seconds = 0, *error = 0;
    fclose(file);
    return words == 3;
}

static void be_well(void) {
    FILE *file = fopen(getenv("SLOWDISK"), "we");
    if (file) fprintf(file, "0 0\n"), fclose(file);
}

static int is_history(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "history") != NULL;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int slow_sync(int fd, const char *name) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    double seconds;
    int error;
    int is_once = want(&seconds, &error);
    if (!is_history(fd)) return real(fd);
    if (seconds > 0) {
        double begin = now();
        while (now() < begin + seconds) usleep(10000);
        /* Before it returns: the next sync may follow at once. */
        if (is_once) be_well();
        char path[4096];
        snprintf(path, sizeof path, "%s.log", getenv("SLOWDISK"));
        FILE *log = fopen(path, "ae");
        if (log) fprintf(log, "%.3f %.3f\n", begin, now()), fclose(log);
    }
    if (error) return errno = error, -1;
    return real(fd);
}

int fdatasync(int fd) { return slow_sync(fd, "fdatasync"); }
int fsync(int fd) { return slow_sync(fd, "fsync"); }

static ssize_t failing_write(int fd, const void *bytes, size_t count, off64_t offset, const char *name) {
    ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, name);
    double seconds;
    int error;
    want(&seconds, &error);
    if (error && is_history(fd)) return errno = error, -1;
    return real(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    return failing_write(fd, bytes, count, offset, "pwrite64");
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    return failing_write(fd, bytes, count, offset, "pwrite");
}
