// A lock is held by flock of two files. A process that wants it takes the gate, then the lock, then gives the gate to the
// next. So a process that has just released the lock and wants it again passes the gate after those that wait there: Linux serves
// them in the order in which they came, and could not keep that order for one file, which a newcomer may find free.
//
// Where no lock can be had (no such folder, nothing may be written there, a file system without flock) the run goes on
// without: its times may then be disturbed by another's, its results may not. Without a gate the lock holds, in no order.
//
// In a third file all that have the lock open share a seat, so that they can be counted.
#include "engine/base/lock.h"

#include "engine/base/site.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { GATE, LOCK, SEAT }; // its files
enum { TELL_MS = 1000 };

struct lock {
    const char *what;
    char *paths[LOCK_FILES];
    int fds[LOCK_FILES]; // -1: not there
    bool held;
    bool released_to_others; // when it was held last
};

// ---- its files -----------------------------------------------------------------------------------------

// The site's choice or $WARPBOOK_LOCKS, else /tmp. All that measure on this machine must see the same folder.
static const char *lock_folder(void)
{
    const char *chosen = site_value(SITE_LOCKS);
    return chosen && *chosen ? chosen : "/tmp";
}

// Opening what exists comes first and without O_CREAT: in a folder like /tmp, Linux refuses O_CREAT on the
// file of another user (fs.protected_regular). No links are followed, and nothing waits for a FIFO's other end.
static int file_open(const char *path)
{
    const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    for (int tries = 0; tries < 3; tries++) {
        int fd = open(path, O_RDWR | flags);
        if (fd < 0 && errno == EACCES)
            fd = open(path, O_RDONLY | flags); // enough to lock
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

static bool is_plain(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1; // no second name
}

static void files_close(struct lock *lock)
{
    for (int i = 0; i < LOCK_FILES; i++) {
        if (lock->fds[i] >= 0)
            close(lock->fds[i]);
        lock->fds[i] = -1;
    }
}

static void files_open(struct lock *lock)
{
    files_close(lock);
    for (int i = 0; i < LOCK_FILES; i++) {
        int fd = file_open(lock->paths[i]);
        if (fd >= 0 && !is_plain(fd)) {
            close(fd);
            fd = -1;
        }
        lock->fds[i] = fd;
    }
    if (lock->fds[SEAT] >= 0)
        (void)flock(lock->fds[SEAT], LOCK_SH | LOCK_NB);
}

// Whether what is open is still what has the names, not cleaned away since.
static bool still_there(const struct lock *lock)
{
    struct stat held, named;
    for (int i = 0; i < LOCK_FILES; i++)
        if (lock->fds[i] >= 0 && (fstat(lock->fds[i], &held) != 0 || lstat(lock->paths[i], &named) != 0 ||
                                  held.st_dev != named.st_dev || held.st_ino != named.st_ino))
            return false;
    return true;
}

struct lock *lock_open(const char *name, const char *what)
{
    static const char *const ends[] = { [GATE] = "gate", [LOCK] = "lock", [SEAT] = "seat" };
    struct lock *lock = mem_new(sizeof *lock);
    lock->what = what;
    for (int i = 0; i < LOCK_FILES; i++) {
        char *file = text_format("warpbook-%s.%s", name, ends[i]);
        for (char *c = file; *c; c++)
            if (*c == '/')
                *c = '-';
        lock->paths[i] = path_join(lock_folder(), file);
        lock->fds[i] = -1;
        free(file);
    }
    files_open(lock);
    return lock;
}

void lock_close(struct lock *lock)
{
    if (!lock)
        return;
    files_close(lock);
    for (int i = 0; i < LOCK_FILES; i++)
        free(lock->paths[i]);
    free(lock);
}

const char *lock_file(const struct lock *lock, size_t which)
{
    return lock->paths[which];
}

// ---- what the system says of it ------------------------------------------------------------------------

// Everybody may write to a lock's files, so nothing written in them says which process holds the lock.

struct in_queue {
    long holder; // a process; 0: none, or one that cannot be seen from here
    int others;  // that hold it, without `me`
    int before;  // waiting in front of `me`, or all that wait where `me` is not among them
};
struct lock_line { // of /proc/locks
    bool waits;
    long pid;
    unsigned major_number, minor_number;
    unsigned long long inode;
};

// "12: FLOCK  ADVISORY  WRITE 345 08:01:67 0 EOF"; a waiting process has "->" before it, and follows the one it waits for.
static bool line_read(const char *text, struct lock_line *out)
{
    const char *at = strchr(text, ':');
    if (!at)
        return false;
    at += 1 + strspn(at + 1, " ");
    out->waits = string_starts(at, "->");
    return sscanf(at + (out->waits ? 2 : 0), " FLOCK %*s %*s %ld %x:%x:%llu", &out->pid, &out->major_number,
                  &out->minor_number, &out->inode) == 4;
}

static struct in_queue look(int fd, long me)
{
    struct in_queue seen = { 0 };
    struct lock_line line;
    struct stat file;
    char text[256];
    bool reached = false;
    FILE *locks = fstat(fd, &file) == 0 ? fopen("/proc/locks", "re") : NULL;
    if (locks) // Linux writes it in pieces, between which locks come and go
        (void)setvbuf(locks, NULL, _IOFBF, 1 << 16);
    while (locks && fgets(text, sizeof text, locks)) {
        if (!line_read(text, &line) || line.inode != file.st_ino ||
            makedev(line.major_number, line.minor_number) != file.st_dev)
            continue;
        if (!line.waits && line.pid > 0)
            seen.holder = line.pid;
        seen.others += !line.waits && line.pid != me;
        reached = reached || (line.waits && line.pid == me);
        seen.before += line.waits && !reached;
    }
    if (locks)
        fclose(locks);
    return seen;
}

// The user whose rights the process has. Of one that may not be looked into, the folder itself belongs to root.
static bool user_of(long pid, uid_t *out)
{
    char path[48], line[256];
    unsigned long user;
    bool found = false;
    format_into(path, sizeof path, "/proc/%ld/status", pid);
    FILE *status = fopen(path, "re");
    while (status && !found && fgets(line, sizeof line, status))
        found = sscanf(line, "Uid: %*u %lu", &user) == 1;
    if (status)
        fclose(status);
    if (found)
        *out = (uid_t)user;
    return found;
}

static void name_process(long pid, char *out, size_t size)
{
    char strings[4096];
    struct passwd entry, *found = NULL;
    uid_t user;
    if (pid <= 0)
        format_into(out, size, "another process");
    else if (!user_of(pid, &user))
        format_into(out, size, "process %ld", pid);
    else if (getpwuid_r(user, &entry, strings, sizeof strings, &found) == 0 && found)
        format_into(out, size, "%.64s (pid %ld)", entry.pw_name, pid);
    else
        format_into(out, size, "user %lu (pid %ld)", (unsigned long)user, pid);
}

// ---- taking it -----------------------------------------------------------------------------------------

// 0, or why not: EWOULDBLOCK for one that another process holds.
static int hold(int fd, int how)
{
    while (flock(fd, LOCK_EX | how) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

static void let_go(int fd)
{
    if (fd >= 0)
        (void)flock(fd, LOCK_UN);
}

// One that is woken finds the gate free, and so would another that asks in that moment; Linux then mixes up the whole
// queue. So a process that asks again after releasing lets the others wake up first.
static void let_them_wake(void)
{
    const struct timespec nap = { .tv_nsec = 5000000 };
    (void)nanosleep(&nap, NULL);
}

// Through the gate to the lock. A gate that cannot be had is left out.
static int pass(const struct lock *lock, int how)
{
    int gate = lock->fds[GATE] >= 0 ? hold(lock->fds[GATE], how) : 0;
    int failed = gate == EWOULDBLOCK ? gate : hold(lock->fds[LOCK], how);
    if (failed != EWOULDBLOCK) // else it keeps its place at the gate
        let_go(lock->fds[GATE]);
    return failed;
}

// A thread waits in flock, so that the other one can say what for.
struct flock_turn {
    const struct lock *lock;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t came;
    bool over;
    int failed;
};

// It may be cancelled anywhere in `pass`; the canceller lets go of both files.
static void *turn_wait(void *context)
{
    struct flock_turn *turn = context;
    int before;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    int failed = pass(turn->lock, 0);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&turn->mutex);
    turn->over = true;
    turn->failed = failed;
    pthread_cond_signal(&turn->came);
    pthread_mutex_unlock(&turn->mutex);
    return NULL;
}

static bool turn_begin(struct flock_turn *turn, const struct lock *lock)
{
    pthread_condattr_t monotonic;
    *turn = (struct flock_turn){ .lock = lock };
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&turn->came, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&turn->mutex, NULL);
    return pthread_create(&turn->thread, NULL, turn_wait, turn) == 0;
}

// True when it came within a second.
static bool turn_came(struct flock_turn *turn)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += TELL_MS / 1000;
    pthread_mutex_lock(&turn->mutex);
    for (int waited = 0; !turn->over && waited == 0;)
        waited = pthread_cond_timedwait(&turn->came, &turn->mutex, &end);
    bool over = turn->over;
    pthread_mutex_unlock(&turn->mutex);
    return over;
}

static void turn_end(struct flock_turn *turn, bool begun)
{
    if (begun) {
        pthread_cancel(turn->thread);
        pthread_join(turn->thread, NULL);
    }
    pthread_mutex_destroy(&turn->mutex);
    pthread_cond_destroy(&turn->came);
}

enum taking { TAKEN, GIVEN_UP, MOVED, NO_LOCK };

struct asking {
    lock_wait wait;
    void *context;
    double start;
    long holder; // a process, and since when it is the holder
    double since;
    struct lock_queue queue;
};

static bool tell(struct asking *waiting, const struct lock *lock)
{
    long me = (long)getpid();
    struct in_queue gate = look(lock->fds[GATE], me), at_lock = look(lock->fds[LOCK], me);
    // Nobody holds the lock: then it is the one at the gate that keeps the others out.
    long holder = at_lock.holder ? at_lock.holder : gate.holder != me ? gate.holder : 0;
    double now = clock_ms();
    if (holder != waiting->holder) {
        waiting->holder = holder;
        waiting->since = now;
    }
    name_process(holder, waiting->queue.holder, sizeof waiting->queue.holder);
    waiting->queue.held_ms = now - waiting->since;
    waiting->queue.waited_ms = now - waiting->start;
    bool at_gate = gate.holder && gate.holder != me;
    waiting->queue.before = (at_lock.holder != 0) + (at_gate ? 1 + gate.before : at_lock.before);
    return !waiting->wait || waiting->wait(waiting->context, &waiting->queue);
}

static enum taking wait_for_turn(struct lock *lock, struct asking *waiting)
{
    struct flock_turn turn;
    enum taking outcome = TAKEN;
    bool begun = turn_begin(&turn, lock);
    while (begun && outcome == TAKEN && !turn_came(&turn)) {
        if (!still_there(lock))
            outcome = MOVED;
        else if (!tell(waiting, lock))
            outcome = GIVEN_UP;
    }
    turn_end(&turn, begun);
    if (outcome == TAKEN && (!begun || turn.failed))
        outcome = NO_LOCK;
    return outcome;
}

static enum taking take(struct lock *lock, struct asking *waiting)
{
    enum taking outcome = NO_LOCK;
    int failed = lock->fds[LOCK] >= 0 ? pass(lock, LOCK_NB) : EBADF;
    if (failed == EWOULDBLOCK)
        outcome = tell(waiting, lock) ? wait_for_turn(lock, waiting) : GIVEN_UP;
    else if (!failed)
        outcome = TAKEN;
    if (outcome == TAKEN && !still_there(lock))
        outcome = MOVED;
    if (outcome != TAKEN) {
        let_go(lock->fds[GATE]);
        let_go(lock->fds[LOCK]);
    }
    return outcome;
}

bool lock_take(struct lock *lock, lock_wait wait, void *context, struct error *error)
{
    struct asking waiting = {
        .wait = wait, .context = context, .start = clock_ms(), .queue = { .what = lock->what }
    };
    enum taking outcome;
    if (lock->released_to_others)
        let_them_wake();
    if (!still_there(lock) || lock->fds[LOCK] < 0)
        files_open(lock);
    while ((outcome = take(lock, &waiting)) == MOVED)
        files_open(lock);
    lock->held = outcome == TAKEN;
    if (outcome != GIVEN_UP)
        return true;
    const char *path = lock->paths[LOCK];
    return error_set(error, EXIT_MISSING,
                     "%s has been measuring on the %s for %.0f s. Try again when that run is over; if there "
                     "is no such run, another "
                     "program holds the lock %s: 'fuser -v %s' shows which.",
                     waiting.queue.holder, lock->what, waiting.queue.held_ms / 1000, path, path);
}

bool lock_held(const struct lock *lock)
{
    return lock->held;
}

struct lock_others lock_others(const struct lock *lock)
{
    struct lock_others others = { 0 };
    if (lock->fds[SEAT] >= 0)
        others.open = look(lock->fds[SEAT], (long)getpid()).others;
    if (lock->held && lock->fds[GATE] >= 0) { // who waits for the lock holds the gate
        int failed = hold(lock->fds[GATE], LOCK_NB);
        if (!failed)
            let_go(lock->fds[GATE]);
        others.waits = failed == EWOULDBLOCK;
    }
    return others;
}

void lock_release(struct lock *lock)
{
    lock->released_to_others = lock->held && look(lock->fds[LOCK], 0).before > 0;
    if (lock->held)
        let_go(lock->fds[LOCK]);
    lock->held = false;
}

// ---- where its files lie ---------------------------------------------------------------------------------------

// Whether all that measure on this machine can see the same folder of locks: a job of a cluster or a container often has
// a /tmp of its own; its runs would take turns with nobody.

// What is mounted where a folder is: a line of /proc/PID/mountinfo.
struct mount {
    char root[512];  // the folder of the file system that is seen there
    char point[512]; // where
    char device[32], type[64];
};

static bool mount_read(const char *line, struct mount *out)
{
    const char *rest = strstr(line, " - ");
    return sscanf(line, "%*s %*s %31s %511s %511s", out->device, out->root, out->point) == 3 && rest &&
           sscanf(rest + 3, "%63s", out->type) == 1;
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// The mount that holds `path`, as the process sees it; of several in one place the last covers the others.
static bool mount_find(const char *proc, const char *process, const char *path, struct mount *out)
{
    char *name = text_format("%s/%s/mountinfo", proc, process), line[2048];
    FILE *file = fopen(name, "re");
    struct mount mount;
    bool found = false;
    while (file && fgets(line, sizeof line, file))
        if (mount_read(line, &mount) && is_below(path, mount.point) &&
            (!found || strlen(mount.point) >= strlen(out->point))) {
            *out = mount;
            found = true;
        }
    if (file)
        fclose(file);
    free(name);
    return found;
}

// The first processes of a machine share one namespace, whose number Linux never changes.
static bool in_container(const char *proc)
{
    char *name = text_format("%s/self/ns/pid", proc), space[64] = "";
    ssize_t length = readlink(name, space, sizeof space - 1);
    free(name);
    return length > 0 && strcmp(space, "pid:[4026531836]") != 0;
}

// Where init's own view may be read, that decides. Else a /tmp that is another folder of its file system was put there
// for a job, as Slurm's job_container and systemd's PrivateTmp do; a btrfs shows subvolumes in the same way, and
// a container that has the host's folder shows it under its own name, unless that is a part of memory, as with
// Apptainer's --contain. A container's other folders are its own.
static bool is_private(const char *proc, const char *path, const struct mount *ours)
{
    struct mount all;
    bool contained = in_container(proc);
    if (!contained && mount_find(proc, "1", path, &all))
        return strcmp(all.device, ours->device) != 0 || strcmp(all.root, ours->root) != 0;
    bool whole = strcmp(ours->root, "/") == 0, memory = strcmp(ours->type, "tmpfs") == 0;
    if (!whole && strcmp(ours->type, "btrfs") != 0)
        return memory || strcmp(ours->root, ours->point) != 0;
    return contained && whole && (strcmp(ours->type, "overlay") == 0 || memory);
}

struct lock_place lock_place(const char *proc)
{
    static const char *const distant[] = { "nfs", "cifs", "smb", "fuse.sshfs", "9p" };
    struct lock_place place = { .folder = lock_folder() };
    struct mount mount;
    char *real = realpath(place.folder, NULL);
    place.usable = real && access(real, W_OK | X_OK) == 0;
    if (real && mount_find(proc, "self", real, &mount)) {
        const char *chosen = site_value(SITE_LOCKS); // who chose it knows who sees it
        place.own = !(chosen && *chosen) && is_private(proc, real, &mount);
        for (size_t i = 0; i < sizeof distant / sizeof *distant; i++)
            place.distant = place.distant || string_starts(mount.type, distant[i]);
    }
    free(real);
    return place;
}
