// One process measures at a time: a lock file for each GPU, shared by all users of the machine, held by
// flock, so that the holder's end, however it comes, frees it. The file says who holds it.
//
// Where no lock can be had (no /tmp, nothing may be written there, a file system without flock) the run goes
// on without: its times may then be disturbed by another's, its results may not.
#include "engine/gpu/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

struct gpu_lock {
    int fd; // -1: running without a lock
};

static char *lock_path(const char *uuid)
{
    const char *chosen = getenv("WARPBOOK_LOCKS");
    char name[96];
    format_into(name, sizeof name, "warpbook-gpu-%s.lock", uuid);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '-';
    return path_join(chosen && *chosen ? chosen : "/tmp", name);
}

// Opening what exists comes first and without O_CREAT: in a folder like /tmp, Linux refuses O_CREAT on the
// file of another user (fs.protected_regular). No links are followed, and nothing waits for a FIFO's other end.
static int lock_open(const char *path)
{
    const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    for (int tries = 0; tries < 3; tries++) {
        int fd = open(path, O_RDWR | flags);
        if (fd < 0 && errno == EACCES)
            fd = open(path, O_RDONLY | flags); // enough to lock; only the name cannot be written
        if (fd >= 0 || errno != ENOENT)
            return fd;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0666);
        if (fd >= 0) {
            (void)fchmod(fd, 0666); // against the umask; if refused, others lock it read-only or go without
            return fd;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

// Whether the open file is still the one at `path`, not cleaned away since.
static bool still_there(int fd, const char *path)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

static bool is_plain(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1; // no second name
}

static void name_user(uid_t user, long pid, char *out, size_t size)
{
    struct passwd entry, *found = NULL;
    char strings[4096];
    if (getpwuid_r(user, &entry, strings, sizeof strings, &found) == 0 && found)
        format_into(out, size, "%.64s (pid %ld)", entry.pw_name, pid);
    else
        format_into(out, size, "user %ld (pid %ld)", (long)user, pid);
}

static void name_process(long pid, char *out, size_t size)
{
    char folder[32];
    struct stat status;
    format_into(folder, sizeof folder, "/proc/%ld", pid);
    if (stat(folder, &status) == 0)
        name_user(status.st_uid, pid, out, size);
    else
        format_into(out, size, "process %ld", pid);
}

// The process that holds the lock according to /proc/locks, for holders that have not written their name; 0: unknown.
static long holder_pid(int fd)
{
    struct stat status;
    FILE *locks = fstat(fd, &status) == 0 ? fopen("/proc/locks", "re") : NULL;
    char line[256];
    long holder = 0, pid;
    unsigned major_number, minor_number;
    unsigned long long inode;
    while (locks && !holder && fgets(line, sizeof line, locks))
        if (sscanf(line, "%*u: FLOCK %*s %*s %ld %x:%x:%llu", &pid, &major_number, &minor_number, &inode) ==
                4 &&
            inode == status.st_ino && makedev(major_number, minor_number) == status.st_dev && pid > 0)
            holder = pid;
    if (locks)
        fclose(locks);
    return holder;
}

// Anyone may have written the file, so its text is cleaned and cut before it is shown.
static void holder_read(int fd, char *out, size_t size)
{
    char raw[80];
    ssize_t length = pread(fd, raw, sizeof raw, 0);
    format_clean(out, size, raw, length > 0 ? (size_t)length : 0);
    out[strcspn(out, "\n")] = 0;
    long pid = *out ? 0 : holder_pid(fd);
    if (pid)
        name_process(pid, out, size);
    else if (!*out)
        format_into(out, size, "another process");
}

static void holder_write(int fd)
{
    char name[128], line[160];
    name_user(geteuid(), (long)getpid(), name, sizeof name);
    format_into(line, sizeof line, "%s\n", name);
    // A name that could not be written makes the waiting less friendly and nothing worse.
    if (ftruncate(fd, 0) != 0 || pwrite(fd, line, strlen(line), 0) < 0)
        return;
}

enum lock_outcome { TAKEN, BUSY, MOVED, NO_LOCKS };
static enum lock_outcome lock_try(int fd, const char *path)
{
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return BUSY;
        if (errno != EINTR)
            return NO_LOCKS;
    }
    return still_there(fd, path) ? TAKEN : MOVED;
}

// The first waits are short because most runs are; later it asks five times a second.
static void pause_briefly(int round)
{
    long ms = round < 5 ? 10L << round : 200;
    struct timespec nap = { 0, ms * 1000000 };
    (void)nanosleep(&nap, NULL);
}

// TAKEN or NO_LOCKS with *fd set; BUSY when `wait` ended the waiting.
static enum lock_outcome lock_wait(const char *path, gpu_wait wait, void *context, int *fd, char *holder,
                                   size_t size)
{
    double start = clock_ms();
    *fd = lock_open(path);
    for (int round = 0; *fd >= 0 && is_plain(*fd);) {
        enum lock_outcome outcome = lock_try(*fd, path);
        if (outcome == TAKEN || outcome == NO_LOCKS)
            return outcome;
        if (outcome == MOVED) {
            close(*fd);
            *fd = lock_open(path);
            continue;
        }
        holder_read(*fd, holder, size);
        if (wait && !wait(context, holder, clock_ms() - start))
            return BUSY;
        pause_briefly(round++);
        if (!still_there(*fd, path)) {
            close(*fd);
            *fd = lock_open(path);
        }
    }
    return NO_LOCKS;
}

bool gpu_lock_take(const char *uuid, gpu_wait wait, void *context, struct gpu_lock **out, struct error *error)
{
    *out = NULL;
    char *path = lock_path(uuid), holder[128] = "";
    int fd = -1;
    enum lock_outcome outcome = lock_wait(path, wait, context, &fd, holder, sizeof holder);
    if (outcome != TAKEN && fd >= 0) {
        close(fd);
        fd = -1;
    }
    if (outcome == BUSY)
        error_set(error, EXIT_MISSING,
                  "The GPU is measuring for %s. Try again when that run is over; if there is no such run, "
                  "another program holds the lock file %s: 'fuser -v %s' shows which.",
                  holder, path, path);
    free(path);
    if (outcome == BUSY)
        return false;
    if (outcome == TAKEN)
        holder_write(fd);
    *out = mem_new(sizeof **out);
    (*out)->fd = fd;
    return true;
}

bool gpu_lock_held(const struct gpu_lock *lock)
{
    return lock->fd >= 0;
}

void gpu_lock_release(struct gpu_lock *lock)
{
    if (!lock)
        return;
    if (lock->fd >= 0) {
        // The file stays: waiting processes have it open. Its content goes, so that no old holder is named.
        if (ftruncate(lock->fd, 0) != 0)
            errno = 0; // opened for reading only: the old name stays
        close(lock->fd);
    }
    free(lock);
}

char *gpu_lock_file(const char *uuid)
{
    char *path = lock_path(uuid);
    int fd = lock_open(path);
    if (fd >= 0)
        close(fd);
    return path;
}
