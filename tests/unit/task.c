// Work in the background: in order in its lane, stopped when asked, `done` once for each, and nothing left behind.
#include "tui/view/view.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct log {
    char worked[64], done[64]; // a letter each
    size_t work_count, done_count;
    atomic_bool begun, let_go;
};
struct job {
    struct log *log;
    char letter;
    bool stopped;
};

static void rest(void)
{
    poll(NULL, 0, 1);
}

static void note_work(struct task *task)
{
    struct job *job = task->context;
    job->log->worked[job->log->work_count++] = job->letter;
}

// Works until it is stopped, or let go.
static void work_long(struct task *task)
{
    struct job *job = task->context;
    note_work(task);
    task_says(task, "job %c", job->letter);
    atomic_store(&job->log->begun, true);
    while (!task->stop && !atomic_load(&job->log->let_go))
        rest();
}

static void note_done(struct app *app, struct task *task)
{
    struct job *job = task->context;
    job->log->done[job->log->done_count++] = task->stop ? (char)(job->letter - 'a' + 'A') : job->letter;
    free(job);
}

static void add(struct tasks *tasks, enum lane lane, struct log *log, char letter,
                void (*work)(struct task *task))
{
    struct task *task = mem_new(sizeof *task);
    struct job *job = mem_new(sizeof *job);
    *job = (struct job){ log, letter, false };
    *task = (struct task){ .work = work, .done = note_done, .context = job };
    tasks_add(tasks, lane, task);
}

static void collect_all(struct tasks *tasks, int wake)
{
    while (tasks_waiting(tasks, LANE_RUNS) || tasks_waiting(tasks, LANE_HELP)) {
        struct pollfd fd = { wake, POLLIN, 0 };
        assert_int_equal(poll(&fd, 1, 180000), 1); // it wakes whoever waits
        tasks_collect(tasks, NULL);
    }
}

static void wait_begun(struct log *log)
{
    while (!atomic_load(&log->begun))
        rest();
}

static void one_after_the_other(void **state)
{
    struct log log = { 0 };
    int wake;
    struct tasks *tasks = tasks_new(&wake);
    for (int letter = 'a'; letter <= 'j'; letter++)
        add(tasks, LANE_RUNS, &log, (char)letter, note_work);
    assert_int_equal(log.done_count, 0); // only when collected
    collect_all(tasks, wake);
    assert_string_equal(log.worked, "abcdefghij");
    assert_string_equal(log.done, "abcdefghij");
    tasks_free(tasks, NULL);
    assert_string_equal(log.done, "abcdefghij"); // once for each
}

static void lanes_do_not_wait_for_each_other(void **state)
{
    struct log slow = { 0 }, quick = { 0 };
    int wake;
    struct tasks *tasks = tasks_new(&wake);
    add(tasks, LANE_RUNS, &slow, 'a', work_long);
    wait_begun(&slow);
    add(tasks, LANE_HELP, &quick, 'b', note_work);
    while (tasks_waiting(tasks, LANE_HELP)) {
        tasks_collect(tasks, NULL);
        rest();
    }
    assert_string_equal(quick.done, "b");
    assert_int_equal(tasks_waiting(tasks, LANE_RUNS), 1);
    atomic_store(&slow.let_go, true);
    collect_all(tasks, wake);
    assert_string_equal(slow.done, "a");
    tasks_free(tasks, NULL);
}

static void what_it_does_now(void **state)
{
    struct log log = { 0 };
    char stage[40];
    double seconds;
    int wake;
    struct tasks *tasks = tasks_new(&wake);
    assert_false(tasks_now(tasks, LANE_RUNS, stage, sizeof stage, &seconds));
    add(tasks, LANE_RUNS, &log, 'a', work_long);
    wait_begun(&log);
    assert_true(tasks_now(tasks, LANE_RUNS, stage, sizeof stage, &seconds));
    assert_string_equal(stage, "job a");
    assert_true(seconds >= 0 && seconds < 3600);
    assert_false(tasks_now(tasks, LANE_HELP, stage, sizeof stage, &seconds));
    tasks_free(tasks, NULL);
}

static void stopping_ends_all_of_a_lane(void **state)
{
    struct log log = { 0 };
    int wake;
    struct tasks *tasks = tasks_new(&wake);
    add(tasks, LANE_RUNS, &log, 'a', work_long);
    add(tasks, LANE_RUNS, &log, 'b', note_work);
    add(tasks, LANE_RUNS, &log, 'c', note_work);
    wait_begun(&log);
    tasks_stop(tasks, LANE_RUNS);
    collect_all(tasks, wake);
    assert_string_equal(log.worked, "a"); // those that waited were not begun
    assert_string_equal(log.done, "ABC");
    add(tasks, LANE_RUNS, &log, 'd', note_work); // the lane goes on
    collect_all(tasks, wake);
    assert_string_equal(log.done, "ABCd");
    tasks_free(tasks, NULL);
}

static void freeing_while_it_runs(void **state)
{
    struct log log = { 0 };
    int wake;
    struct tasks *tasks = tasks_new(&wake);
    add(tasks, LANE_RUNS, &log, 'a', work_long);
    add(tasks, LANE_RUNS, &log, 'b', work_long);
    add(tasks, LANE_HELP, &log, 'c', work_long);
    wait_begun(&log);
    tasks_free(tasks, NULL);
    assert_int_equal(log.done_count, 3);
    for (const char *letter = "ABC"; *letter; letter++)
        assert_non_null(strchr(log.done, *letter));
}

static void freeing_what_never_worked(void **state)
{
    int wake;
    tasks_free(tasks_new(&wake), NULL);
    tasks_free(NULL, NULL);
}

// ---- a stack that overflows ------------------------------------------------------------------------------------

enum { CAUGHT = 7, LOST = 8 };

static void caught(int number)
{
    _exit(CAUGHT);
}

// In small steps, so that it ends within the page that guards the stack, and not in what lies beyond it.
static int go_deeper(const volatile char *above)
{
    volatile char here[16];
    here[0] = above[0];
    return here[0] ? 1 : go_deeper(here) + here[0];
}

static void overflow(struct task *task)
{
    _exit(go_deeper("") + LOST);
}

static void a_lane_has_a_stack_for_the_handler_of_a_crash(void **state)
{
    pid_t child = fork();
    if (!child) {
        struct sigaction ours = { .sa_handler = caught, .sa_flags = SA_ONSTACK };
        struct log log = { 0 };
        int wake;
        sigaction(SIGSEGV, &ours, NULL);
        struct tasks *tasks = tasks_new(&wake);
        add(tasks, LANE_HELP, &log, 'a', overflow);
        collect_all(tasks, wake);
        _exit(LOST);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CAUGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(lanes_do_not_wait_for_each_other),
        cmocka_unit_test(what_it_does_now),
        cmocka_unit_test(stopping_ends_all_of_a_lane),
        cmocka_unit_test(freeing_while_it_runs),
        cmocka_unit_test(freeing_what_never_worked),
        cmocka_unit_test(a_lane_has_a_stack_for_the_handler_of_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
