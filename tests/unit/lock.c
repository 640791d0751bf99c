// The lock that lets one process measure at a time: a waiting process is told what it waits for and served in order, a crash frees it, and
// a folder that does not allow a lock stops nobody.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/lock.h"

static const char name[] = "test";
static char folder[64], path[128], gate[128], seat[128];

static int folder_open(void **state)
{
    strcpy(folder, "/tmp/warpbook-test-XXXXXX");
    if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/warpbook-%s.lock", folder, name);
    snprintf(gate, sizeof gate, "%s/warpbook-%s.gate", folder, name);
    snprintf(seat, sizeof seat, "%s/warpbook-%s.seat", folder, name);
    return setenv("WARPBOOK_LOCKS", folder, 1);
}

static int folder_close(void **state)
{
    unlink(path);
    unlink(gate);
    unlink(seat);
    return rmdir(folder);
}

// ---- what /proc/locks says ------------------------------------------------------------------------------

struct in_sight {
    long holder;
    int waiting;
};
static struct in_sight look(const char *file)
{
    struct in_sight seen = { 0 };
    struct stat status;
    char line[256];
    FILE *locks = fopen("/proc/locks", "r");
    if (locks != NULL)
        setvbuf(locks, NULL, _IOFBF, 65536); // in as few pieces as can be
    while (locks != NULL && stat(file, &status) == 0 && fgets(line, sizeof line, locks) != NULL) {
        char number[32];
        long pid = 0;
        snprintf(number, sizeof number, ":%lu ", (unsigned long)status.st_ino);
        const char *write = strstr(line, "WRITE ");
        if (strstr(line, "FLOCK") == NULL || strstr(line, number) == NULL || write == NULL)
            continue;
        sscanf(write, "WRITE %ld", &pid);
        if (strstr(line, "->") != NULL)
            seen.waiting++;
        else
            seen.holder = pid;
    }
    if (locks != NULL)
        fclose(locks);
    return seen;
}

static int sleepers(void)
{
    return look(gate).waiting + look(path).waiting;
}

// Linux writes /proc/locks in pieces: while other locks come and go, a line may be missed. So what was read is asked for
// again until it is what it must become.
enum { LOOKS = 10000 };

// ---- other processes -----------------------------------------------------------------------------------

// A child that does not outlive a test that failed.
static pid_t child_new(void)
{
    pid_t made = fork();
    assert_true(made >= 0);
    if (made == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return made;
}

// Takes the lock in a child, which keeps it until it is killed; `user` 0: as this process.
static pid_t another(uid_t user)
{
    int ready[2];
    char byte = 0;
    struct error error;
    assert_int_equal(pipe(ready), 0);
    pid_t child = child_new();
    if (child == 0) {
        struct lock *lock = lock_open(name, "GPU");
        if (user != 0 && setuid(user) != 0)
            _exit(1);
        if (lock_take(lock, NULL, NULL, &error) && write(ready[1], "x", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

// A child that waits for the lock, as the system confirms.
static pid_t another_waits(int expected)
{
    struct error error;
    pid_t child = child_new();
    if (child == 0) {
        if (lock_take(lock_open(name, "GPU"), NULL, NULL, &error))
            for (;;)
                pause();
        _exit(1);
    }
    while (sleepers() != expected)
        sched_yield();
    return child;
}

static void gone(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

// Whether /proc/locks tells of other processes' locks.
static bool system_tells(void)
{
    pid_t child = another(0);
    bool tells = look(path).holder == child;
    gone(child);
    return tells;
}

// ---- a process that waits -------------------------------------------------------------------------------------

struct lock_waiter {
    int calls;
    struct lock_queue queue; // of the first call
    pid_t kill;              // at the first call
    bool cleanup;            // the files are removed at the first call
    bool patient;
};
static bool waiting_call(void *context, const struct lock_queue *queue)
{
    struct lock_waiter *waiting = context;
    if (waiting->calls++ == 0)
        waiting->queue = *queue;
    assert_true(queue->waited_ms >= 0 && queue->held_ms >= 0);
    if (waiting->kill)
        gone(waiting->kill);
    waiting->kill = 0;
    if (waiting->cleanup) {
        unlink(path);
        unlink(gate);
        unlink(seat);
    }
    waiting->cleanup = false;
    return waiting->patient;
}

static struct lock *take(struct lock_waiter *waiting)
{
    struct lock *lock = lock_open(name, "GPU");
    struct error error = { 0 };
    if (!lock_take(lock, waiting != NULL ? waiting_call : NULL, waiting, &error))
        fail_msg("%s", error.text);
    return lock;
}

static void refused(struct lock_waiter *waiting, struct error *error)
{
    struct lock *lock = lock_open(name, "GPU");
    assert_false(lock_take(lock, waiting_call, waiting, error));
    assert_false(lock_held(lock));
    lock_close(lock);
}

static void free_again(void)
{
    struct lock_waiter impatient = { 0 };
    struct lock *lock = take(&impatient);
    assert_true(lock_held(lock));
    assert_int_equal(impatient.calls, 0);
    lock_close(lock);
}

static void one_holds_it_at_a_time(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct error error = { 0 };
    struct lock *lock = take(NULL);
    assert_true(lock_held(lock));
    refused(&waiting, &error);
    assert_int_equal(waiting.calls, 1);
    lock_release(lock);
    assert_false(lock_held(lock));
    free_again();
    assert_true(lock_take(lock, NULL, NULL, &error)); // the same one again
    refused(&waiting, &error);
    lock_close(lock);
    lock_close(NULL);
    free_again();
}

static void who_waits_gets_it_next(void **state)
{
    struct lock_waiter waiting = { .kill = another(0), .patient = true };
    struct lock *lock = take(&waiting);
    assert_int_equal(waiting.calls, 1);
    assert_true(lock_held(lock));
    lock_close(lock);
}

static void a_killed_holder_frees_it(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct error error;
    pid_t child = another(0);
    refused(&waiting, &error);
    gone(child);
    free_again();
}

static void who_gives_up_leaves_no_trace(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct error error;
    struct lock *first = take(NULL), *second = lock_open(name, "GPU");
    assert_false(lock_take(second, waiting_call, &waiting, &error)); // it stays open
    lock_close(first);
    free_again();
    lock_close(second);
}

static void who_is_wanted_can_know(void **state)
{
    if (!system_tells())
        skip();
    struct lock *lock = take(NULL);
    assert_false(lock_others(lock).waits);
    pid_t waits = another_waits(1);
    assert_true(lock_others(lock).waits);
    gone(waits);
    assert_false(lock_others(lock).waits);
    lock_close(lock);
    free_again(); // one that was killed while it waited has left its place
}

// ---- what it is told -----------------------------------------------------------------------------------

static void the_holder_is_who_the_system_says(void **state)
{
    char expected[64];
    struct lock_waiter waiting = { 0 };
    struct error error;
    if (!system_tells())
        skip();
    const uid_t user = geteuid() == 0 ? 65534 : 0; // nobody, where this process may become it
    pid_t child = another(user);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("\033[2Jmallory (pid 1)\a\n", file);
    fclose(file);
    struct passwd *entry = getpwuid(user != 0 ? user : geteuid());
    if (entry != NULL)
        snprintf(expected, sizeof expected, "%s (pid %ld)", entry->pw_name, (long)child);
    else
        snprintf(expected, sizeof expected, "user %ld (pid %ld)", (long)(user != 0 ? user : geteuid()),
                 (long)child);
    for (int looks = 0; looks < LOOKS && strcmp(waiting.queue.holder, expected) != 0; looks++) {
        waiting = (struct lock_waiter){ 0 };
        refused(&waiting, &error);
    }
    assert_string_equal(waiting.queue.holder, expected);
    assert_int_equal(waiting.queue.before, 1);
    assert_non_null(strstr(error.text, expected));
    assert_non_null(strstr(error.text, path)); // and what to look at
    gone(child);
}

static void who_comes_late_is_told_how_many_are_before(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct error error;
    if (!system_tells())
        skip();
    pid_t holds = another(0), first = another_waits(1), second = another_waits(2);
    for (int looks = 0; looks < LOOKS && waiting.queue.before != 3; looks++) {
        waiting = (struct lock_waiter){ 0 };
        refused(&waiting, &error);
    }
    assert_int_equal(waiting.queue.before, 3);
    gone(first);
    gone(second);
    gone(holds);
    free_again();
}

// A process that has the gate alone keeps all others out, and is named.
static void who_blocks_the_gate_is_named(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct error error;
    char expected[32];
    if (!system_tells())
        skip();
    lock_close(take(NULL)); // makes the files
    pid_t child = child_new();
    if (child == 0) {
        int held = open(gate, O_RDWR);
        (void)flock(held, LOCK_EX);
        for (;;)
            pause();
    }
    while (look(gate).holder != child)
        sched_yield();
    snprintf(expected, sizeof expected, "(pid %ld)", (long)child);
    for (int looks = 0; looks < LOOKS && strstr(waiting.queue.holder, expected) == NULL; looks++) {
        waiting = (struct lock_waiter){ 0 };
        refused(&waiting, &error);
    }
    assert_non_null(strstr(waiting.queue.holder, expected));
    assert_int_equal(waiting.queue.before, 1);
    gone(child);
}

// The system hands out its list of locks in pieces, and it changes between them as other programs lock and release: one look
// may miss a line or see it twice.
static void expect_open(const struct lock *lock, int expected)
{
    int open = -1;
    for (int looks = 0; looks < LOOKS && open != expected; looks++) {
        open = lock_others(lock).open;
        sched_yield();
    }
    assert_int_equal(open, expected);
}

static void who_has_it_open_is_counted(void **state)
{
    if (!system_tells())
        skip();
    struct lock *lock = lock_open(name, "GPU");
    expect_open(lock, 0);
    pid_t holds = another(0), waits = another_waits(1);
    expect_open(lock, 2);
    gone(waits);
    gone(holds);
    expect_open(lock, 0);
    lock_close(lock);
}

// ---- in order ------------------------------------------------------------------------------------------

enum { PROCESSES = 30, TURNS = 3 };
struct all_turns { // shared by all processes
    atomic_int served, working, failed, inside;
    struct {
        int served, earlier; // earlier: how many had been served when it asked
    } turns[PROCESSES * TURNS];
};

// Nobody leaves before all others that have turns left sleep: so all are asked for under the same conditions, and it does
// not matter how busy the machine is.
static void one_of_many(struct all_turns *all, int process)
{
    struct lock *lock = lock_open(name, "GPU");
    struct error error;
    for (int i = 0; i < TURNS; i++) {
        int turn = process * TURNS + i;
        all->turns[turn].earlier = all->served;
        if (!lock_take(lock, NULL, NULL, &error) || !lock_held(lock) || all->inside++ != 0)
            all->failed++;
        all->turns[turn].served = all->served++;
        while (sleepers() != all->working - 1)
            sched_yield();
        if (i == TURNS - 1)
            all->working--;
        all->inside--;
        lock_release(lock);
    }
    lock_close(lock);
}

static int by_size(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static void many_are_served_in_order(void **state)
{
    struct all_turns *all =
        mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int waits[PROCESSES * TURNS], worst = 0;
    if (!system_tells())
        skip();
    assert_true(all != MAP_FAILED);
    all->working = PROCESSES;
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = child_new();
        if (child == 0) {
            one_of_many(all, i);
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++)
        assert_true(wait(NULL) > 0);
    assert_int_equal(all->failed, 0);
    assert_int_equal(all->served, PROCESSES * TURNS);
    for (int i = 0; i < PROCESSES * TURNS; i++) {
        int overtaken = 0;
        for (int k = 0; k < PROCESSES * TURNS; k++)
            overtaken +=
                all->turns[k].earlier > all->turns[i].earlier && all->turns[k].served < all->turns[i].served;
        worst = overtaken > worst ? overtaken : worst;
        waits[i] = all->turns[i].served - all->turns[i].earlier;
    }
    qsort(waits, PROCESSES * TURNS, sizeof *waits, by_size);
    int median = waits[PROCESSES * TURNS / 2], most = waits[PROCESSES * TURNS - 1];
    print_message("overtaken by %d at most; wait: median %d turns, longest %d\n", worst, median, most);
    assert_true(worst < PROCESSES);
    assert_true(most < 2 * median);
    munmap(all, sizeof *all);
}

// ---- its files -----------------------------------------------------------------------------------------

static void all_users_may_lock_it(void **state)
{
    struct stat status;
    mode_t kept = umask(077);
    lock_close(take(NULL));
    umask(kept);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666);
    assert_int_equal(stat(gate, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666);
}

static void files_that_were_cleaned_away(void **state)
{
    struct lock *first = take(NULL);
    struct lock_waiter waiting = { .cleanup = true, .patient = true };
    struct lock *second = take(&waiting); // of the new files
    assert_true(lock_held(second));
    struct lock_waiter impatient = { 0 };
    struct error error;
    refused(&impatient, &error);
    lock_release(first);
    refused(&impatient, &error);
    assert_false(lock_take(first, waiting_call, &impatient, &error)); // it looks for the new ones too
    lock_close(second);
    lock_close(first);
    free_again();
}

static void without_a_place_it_goes_on(void **state)
{
    setenv("WARPBOOK_LOCKS", "/nonexistent", 1);
    struct lock *lock = take(NULL);
    assert_false(lock_held(lock));
    assert_false(lock_others(lock).waits);
    lock_close(lock);
    setenv("WARPBOOK_LOCKS", folder, 1);
}

// Without a gate, as in a folder that only has an older version's lock, there is still one holder at a time.
static void without_a_gate_it_still_locks(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct error error;
    assert_int_equal(mkdir(gate, 0700), 0);
    struct lock *lock = take(NULL);
    assert_true(lock_held(lock));
    refused(&waiting, &error);
    lock_close(lock);
    free_again();
    assert_int_equal(rmdir(gate), 0);
}

static void links_and_folders_are_not_followed(void **state)
{
    char target[160];
    struct stat status;
    snprintf(target, sizeof target, "%s/precious", folder);
    FILE *file = fopen(target, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
    for (int hard = 0; hard < 2; hard++) {
        unlink(path);
        assert_int_equal(hard ? link(target, path) : symlink(target, path), 0);
        struct lock *lock = take(NULL);
        assert_false(lock_held(lock));
        lock_close(lock);
        assert_int_equal(stat(target, &status), 0);
        assert_int_equal(status.st_size, 8);
    }
    unlink(target);
    unlink(path);
    assert_int_equal(mkfifo(path, 0666), 0);
    struct lock *lock = take(NULL); // does not wait for a reader
    assert_false(lock_held(lock));
    lock_close(lock);
}

// ---- their folder --------------------------------------------------------------------------------------

static void put(const char *below, const char *content)
{
    char file[160];
    snprintf(file, sizeof file, "%s/%s", folder, below);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(content, out);
    fclose(out);
}

// A made-up /proc: the mounts of this process, those of init (NULL: they may not be read), and whether both see the same
// processes. What locks in /tmp are then.
static void place_is(const char *ours, const char *inits, bool contained, bool own, bool distant)
{
    char file[160];
    static const char *const folders[] = { "self/ns", "self", "1" };
    snprintf(file, sizeof file, "%s/self", folder);
    assert_int_equal(mkdir(file, 0700), 0);
    snprintf(file, sizeof file, "%s/1", folder);
    assert_int_equal(mkdir(file, 0700), 0);
    snprintf(file, sizeof file, "%s/self/ns", folder);
    assert_int_equal(mkdir(file, 0700), 0);
    snprintf(file, sizeof file, "%s/self/ns/pid", folder);
    assert_int_equal(symlink(contained ? "pid:[4026532200]" : "pid:[4026531836]", file), 0);
    put("self/mountinfo", ours);
    if (inits != NULL)
        put("1/mountinfo", inits);
    unsetenv("WARPBOOK_LOCKS");
    struct lock_place place = lock_place(folder);
    assert_string_equal(place.folder, "/tmp");
    if (place.own != own || place.distant != distant)
        fail_msg("private %d, distant %d, of\n%s", place.own, place.distant, ours);
    setenv("WARPBOOK_LOCKS", "/tmp", 1);
    assert_false(lock_place(folder).own); // who chose it knows
    setenv("WARPBOOK_LOCKS", folder, 1);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        static const char *const files[] = { "mountinfo", "pid" };
        for (size_t k = 0; k < 2; k++) {
            snprintf(file, sizeof file, "%s/%s/%s", folder, folders[i], files[k]);
            unlink(file);
        }
        snprintf(file, sizeof file, "%s/%s", folder, folders[i]);
        assert_int_equal(rmdir(file), 0);
    }
}

static void a_folder_of_the_job_alone_is_known(void **state)
{
#define DISK "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
#define MEMORY "40 27 0:31 / /tmp rw shared:20 - tmpfs tmpfs rw\n"
    place_is(DISK, NULL, false, false, false);
    place_is(DISK, DISK, false, false, false);
    place_is(DISK MEMORY, NULL, false, false, false);
    place_is(DISK MEMORY, DISK MEMORY, false, false, false);
    place_is(DISK "50 27 254:0 /var/jobs/77/tmp /tmp rw - ext4 /dev/vda rw\n", NULL, false, true,
             false); // Slurm
    place_is(DISK MEMORY "51 40 0:31 /systemd-private-1-a.service-b/tmp /tmp rw - tmpfs tmpfs rw\n", NULL,
             false, true, false);
    place_is(DISK "52 27 0:60 / /tmp rw - tmpfs tmpfs rw\n", DISK MEMORY, false, true,
             false); // unshare, seen by root
    place_is("27 1 0:25 /@ / rw - btrfs /dev/vda rw\n41 27 0:25 /@tmp /tmp rw - btrfs /dev/vda rw\n", NULL,
             false, false, false);
    place_is("27 1 0:99 / / rw - overlay overlay rw\n", NULL, true, true, false); // a container's own
    place_is("27 1 0:99 / / rw - overlay overlay rw\n60 27 254:0 /tmp /tmp rw - ext4 /dev/vda rw\n", NULL,
             true, false,
             false); // the host's
    place_is(DISK "171 27 0:41 /tmp /tmp rw - tmpfs tmpfs rw\n", NULL, false, true,
             false); // apptainer --contain
    place_is(DISK "53 27 0:44 / /tmp rw - nfs4 server:/scratch rw\n", NULL, false, false, true);
    place_is("", NULL, false, false, false);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, folder_open, folder_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_holds_it_at_a_time),
        TEST(who_waits_gets_it_next),
        TEST(a_killed_holder_frees_it),
        TEST(who_gives_up_leaves_no_trace),
        TEST(who_is_wanted_can_know),
        TEST(the_holder_is_who_the_system_says),
        TEST(who_comes_late_is_told_how_many_are_before),
        TEST(who_blocks_the_gate_is_named),
        TEST(who_has_it_open_is_counted),
        TEST(many_are_served_in_order),
        TEST(all_users_may_lock_it),
        TEST(files_that_were_cleaned_away),
        TEST(without_a_place_it_goes_on),
        TEST(without_a_gate_it_still_locks),
        TEST(links_and_folders_are_not_followed),
        TEST(a_folder_of_the_job_alone_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
