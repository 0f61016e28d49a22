/* A folder that answers late, as on a network file system: everything below LATE_FOLDER is opened, made, renamed and linked
   after a pause of up to LATE_MS milliseconds; files below LATE_SUITE are opened after LATE_SUITE_MS. If LOSES names a
   file, a rename or a link below the folder is done, but every other time the file is written and an error is reported, as
   if the answer of the server had been lost: EIO, or for a link also the EEXIST of the second request. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int is_below(const char *path, const char *variable) {
    const char *folder = getenv(variable);
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static void pause_ms(long most, int random) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = random ? now.tv_nsec / 1000 % (most + 1) : most;
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static void wait_for(const char *path) {
    int saved = errno;
    if (is_below(path, "LATE_SUITE"))
        pause_ms(atol(getenv("LATE_SUITE_MS")), 0);
    else if (is_below(path, "LATE_FOLDER"))
        pause_ms(atol(getenv("LATE_MS")), 1);
    errno = saved;
}

/* Returns the error to report for something that was done: 0 for none. */
static int lost(const char *path, int second) {
    static atomic_int times;
    const char *told = getenv("LOSES");
    if (!told || !is_below(path, "LATE_FOLDER"))
        return 0;
    int time = atomic_fetch_add(&times, 1);
    if (time % 2)
        return 0;
    close(open(told, O_CREAT | O_WRONLY, 0600));
    return second && time % 4 ? EEXIST : EIO;
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

static int open_late(const char *name, const char *path, int flags, mode_t mode) {
    wait_for(path);
    return REAL(name, int (*)(const char *, int, ...))(path, flags, mode);
}

#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;                                      \
        va_end(more);                                                                                                  \
        return open_late(#name, path, flags, mode);                                                                    \
    }

OPENS(open)
OPENS(open64)

DIR *opendir(const char *path) {
    wait_for(path);
    return REAL("opendir", DIR * (*)(const char *))(path);
}

int mkdir(const char *path, mode_t mode) {
    wait_for(path);
    return REAL("mkdir", int (*)(const char *, mode_t))(path, mode);
}

static int report(int result, int error) {
    if (result == 0 && error) {
        errno = error;
        return -1;
    }
    return result;
}

int rename(const char *from, const char *to) {
    wait_for(to);
    int result = REAL("rename", int (*)(const char *, const char *))(from, to);
    return result ? result : report(result, lost(to, 0));
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    wait_for(to);
    int result = REAL("linkat", int (*)(int, const char *, int, const char *, int))(from_folder, from, to_folder, to, flags);
    return result ? result : report(result, lost(to, 1));
}
