// The lock that lets one process measure at a time: who waits is told for whom, a crash frees it, and a
// folder that does not allow a lock stops nobody.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/gpu/gpu.h"
#include "engine/run/worker.h"

static const char uuid[] = "GPU-test";
static char folder[64], path[128];

static int folder_open(void **state)
{
    strcpy(folder, "/tmp/warpbook-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/warpbook-gpu-%s.lock", folder, uuid);
    return setenv("WARPBOOK_LOCKS", folder, 1);
}

static int folder_close(void **state)
{
    unlink(path);
    return rmdir(folder);
}

struct lock_waiter {
    int calls;
    char holder[160];
    struct gpu_lock *release; // let go at the first call
    bool cleanup;             // the file is removed at the first call
    bool patient;
};
static bool waiting_call(void *context, const char *holder, double waited_ms)
{
    struct lock_waiter *waiting = context;
    waiting->calls++;
    snprintf(waiting->holder, sizeof waiting->holder, "%s", holder);
    assert_true(waited_ms >= 0);
    gpu_lock_release(waiting->release);
    waiting->release = NULL;
    if (waiting->cleanup)
        unlink(path);
    return waiting->patient;
}

static struct gpu_lock *take(struct lock_waiter *waiting)
{
    struct gpu_lock *lock = NULL;
    struct error error = { 0 };
    if (!gpu_lock_take(uuid, waiting != NULL ? waiting_call : NULL, waiting, &lock, &error))
        fail_msg("%s", error.text);
    return lock;
}

static void write_holder(const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void one_holds_it_and_says_who(void **state)
{
    char expected[32];
    struct lock_waiter waiting = { 0 };
    struct gpu_lock *first = take(NULL), *second = NULL;
    struct error error = { 0 };
    assert_true(gpu_lock_held(first));
    assert_false(gpu_lock_take(uuid, waiting_call, &waiting, &second, &error));
    assert_null(second);
    assert_int_equal(waiting.calls, 1);
    snprintf(expected, sizeof expected, "(pid %ld)", (long)getpid());
    assert_non_null(strstr(waiting.holder, expected));
    assert_null(strchr(waiting.holder, '\n'));
    assert_non_null(strstr(error.text, expected));
    gpu_lock_release(first);
    second = take(NULL);
    assert_true(gpu_lock_held(second));
    gpu_lock_release(second);
    gpu_lock_release(NULL);
}

static void who_waits_gets_it_next(void **state)
{
    struct lock_waiter waiting = { .release = take(NULL), .patient = true };
    struct gpu_lock *lock = take(&waiting);
    assert_int_equal(waiting.calls, 1);
    assert_true(gpu_lock_held(lock));
    gpu_lock_release(lock);
}

static void a_killed_holder_frees_it(void **state)
{
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct gpu_lock *lock = NULL;
        struct error error;
        if (gpu_lock_take(uuid, NULL, NULL, &lock, &error) && write(ready[1], "x", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    struct lock_waiter waiting = { 0 };
    struct gpu_lock *lock = NULL;
    struct error error;
    assert_false(gpu_lock_take(uuid, waiting_call, &waiting, &lock, &error));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    lock = take(NULL);
    assert_true(gpu_lock_held(lock));
    gpu_lock_release(lock);
    close(ready[0]);
    close(ready[1]);
}

static void all_users_may_lock_it(void **state)
{
    struct stat status;
    mode_t kept = umask(077);
    gpu_lock_release(take(NULL));
    umask(kept);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666);
    assert_int_equal(status.st_size, 0); // nobody is named when nobody holds it
}

static void the_holders_text_is_not_trusted(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct gpu_lock *first = take(NULL), *second = NULL;
    struct error error;
    write_holder("\033[2Jmallory\a\nsecond line");
    assert_false(gpu_lock_take(uuid, waiting_call, &waiting, &second, &error));
    assert_non_null(strstr(waiting.holder, "mallory"));
    assert_null(strpbrk(waiting.holder, "\033\a\n"));
    gpu_lock_release(first);
}

// Whether /proc/locks tells of this process's lock.
static bool system_tells(void)
{
    FILE *locks = fopen("/proc/locks", "r");
    char line[256], own[32];
    bool tells = false;
    snprintf(own, sizeof own, " %ld ", (long)getpid());
    while (locks && fgets(line, sizeof line, locks))
        tells |= strstr(line, "FLOCK") && strstr(line, own);
    if (locks)
        fclose(locks);
    return tells;
}

static void a_holder_without_a_name_is_asked_of_the_system(void **state)
{
    char expected[32] = "another process";
    struct lock_waiter waiting = { 0 };
    struct gpu_lock *first = take(NULL), *second = NULL;
    struct error error;
    write_holder("");
    if (system_tells())
        snprintf(expected, sizeof expected, "(pid %ld)", (long)getpid());
    assert_false(gpu_lock_take(uuid, waiting_call, &waiting, &second, &error));
    assert_non_null(strstr(waiting.holder, expected));
    gpu_lock_release(first);
}

static void nobody_waits_for_ever(void **state)
{
    struct lock_waiter waiting = { 0 };
    struct gpu_lock *first = take(NULL), *second = NULL;
    struct error error;
    assert_false(worker_wait(NULL, "ada (pid 12)", LOCK_WAIT_MS + 1.0));
    assert_false(gpu_lock_take(uuid, waiting_call, &waiting, &second, &error));
    assert_non_null(strstr(error.text, path)); // and the one who waited learns what to look at
    gpu_lock_release(first);
}

static void a_file_that_was_cleaned_away(void **state)
{
    struct gpu_lock *first = take(NULL);
    struct lock_waiter waiting = { .cleanup = true, .patient = true };
    struct gpu_lock *second = take(&waiting); // of the new file
    assert_true(gpu_lock_held(second));
    waiting = (struct lock_waiter){ 0 };
    struct gpu_lock *third = NULL;
    struct error error;
    assert_false(gpu_lock_take(uuid, waiting_call, &waiting, &third, &error));
    gpu_lock_release(first);
    gpu_lock_release(second);
}

static void without_a_place_it_goes_on(void **state)
{
    setenv("WARPBOOK_LOCKS", "/nonexistent", 1);
    struct gpu_lock *lock = take(NULL);
    assert_false(gpu_lock_held(lock));
    gpu_lock_release(lock);
    setenv("WARPBOOK_LOCKS", folder, 1);
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
        struct gpu_lock *lock = take(NULL);
        assert_false(gpu_lock_held(lock));
        gpu_lock_release(lock);
        assert_int_equal(stat(target, &status), 0);
        assert_int_equal(status.st_size, 8);
    }
    unlink(target);
    unlink(path);
    assert_int_equal(mkfifo(path, 0666), 0);
    struct gpu_lock *lock = take(NULL); // does not wait for a reader
    assert_false(gpu_lock_held(lock));
    gpu_lock_release(lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_holds_it_and_says_who, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(who_waits_gets_it_next, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(a_killed_holder_frees_it, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(all_users_may_lock_it, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(the_holders_text_is_not_trusted, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(a_holder_without_a_name_is_asked_of_the_system, folder_open,
                                        folder_close),
        cmocka_unit_test_setup_teardown(nobody_waits_for_ever, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(a_file_that_was_cleaned_away, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(without_a_place_it_goes_on, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(links_and_folders_are_not_followed, folder_open, folder_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
