// The user's end survives a worker that crashes, hangs, floods, talks nonsense or dies mid-line, says what
// happened, and the next run works. The workers here are lines of shell in $WARPBOOK_WORKER.
#include "engine/run/run.h"
#include "tests/child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

// Answers with the id of the request, whatever it asks.
#define ID GREETS "read -r line; id=${line##*\\\"id\\\":}; id=${id%%[,\\}]*}; "
#define GOOD "echo '{\"id\":'$id',\"result\":{\"backend\":\"cpu\",\"status\":\"right\",\"median_ms\":1.5}}'"

static struct request any_request(void)
{
    return (struct request){ .on = ON_CPU, .lab = (char *)"vecadd", .variant = (char *)"plain" };
}

static bool run_with(struct client *client, const char *worker, struct record *record, struct error *error)
{
    struct request request = any_request();
    setenv("WARPBOOK_WORKER", worker, 1);
    error->text[0] = 0;
    return client_run(client, &request, NULL, NULL, record, error);
}

static void expect_right(struct client *client)
{
    struct record record;
    struct error error;
    if (!run_with(client, ID GOOD "; read -r again", &record, &error))
        fail_msg("%s", error.text);
    assert_int_equal(record.status, STATUS_RIGHT);
    assert_true(record.median_ms == 1.5);
    record_free(&record);
}

static void expect_failure(const char *worker, const char *words)
{
    struct client *client = client_new();
    struct record record;
    struct error error;
    assert_false(run_with(client, worker, &record, &error));
    if (!strstr(error.text, words))
        fail_msg("expected '%s' in: %s", words, error.text);
    expect_right(client); // the next run starts a new worker
    client_free(client);
}

static void a_good_worker_answers(void **state)
{
    struct client *client = client_new();
    expect_right(client);
    client_free(client);
}

static void stages_are_passed_on(void **state)
{
    struct client *client = client_new();
    struct record record;
    struct error error;
    assert_true(run_with(client, ID "echo '{\"id\":'$id',\"stage\":\"compiling\",\"limit_ms\":9000}'; " GOOD,
                         &record, &error));
    record_free(&record);
    client_free(client);
}

static void a_worker_that_is_not_there(void **state)
{
    expect_failure("warpbook-is-not-installed-here worker", "status 127");
    expect_failure("warpbook-is-not-installed-here worker", "not found"); // its own last words
}

static void a_worker_that_crashes(void **state)
{
    expect_failure(ID "kill -SEGV $$", "was killed by signal 11");
    expect_failure(ID "echo '{\"id\":'$id',\"stage\":\"running\",\"limit_ms\":9000}'; kill -SEGV $$",
                   "while it was running");
}

static void a_worker_that_dies_in_mid_line(void **state)
{
    expect_failure(ID "printf '{\"id\":'$id',\"resu'; exit 4", "ended with status 4");
}

static void a_worker_that_hangs_is_stopped(void **state)
{
    // The stage allows nothing, so the deadline is the grace alone.
    struct client *client = client_new();
    struct record record;
    struct error error;
    double start = clock_ms();
    assert_false(run_with(client, ID "echo '{\"id\":'$id',\"stage\":\"running\",\"limit_ms\":0}'; sleep 1000",
                          &record, &error));
    assert_true(clock_ms() - start < 60000);
    assert_non_null(strstr(error.text, "did not answer in time while it was running"));
    expect_right(client);
    client_free(client);
}

static void a_worker_that_talks_nonsense(void **state)
{
    expect_failure(ID "echo hello; read -r again", "not a line of the protocol: hello");
    expect_failure(ID "printf 'esc \\033[31m\\n'; read -r again", "esc <U+001B>[31m");
    expect_failure(ID "echo '{\"id\":'$id',\"result\":{\"status\":1}}'; read -r again", "wrong type");
    expect_failure(ID "echo '{\"id\":'$id',\"error\":{}}'; read -r again", "without saying which");
}

static void a_worker_that_floods(void **state)
{
    expect_failure(ID "yes '{\"id\":'$id',\"stage\":\"s\",\"limit_ms\":9000}'", "more than 100000 lines");
    expect_failure(ID "tr '\\0' x </dev/zero", "a line of more than");
    struct client *client = client_new();
    struct record record;
    struct error error;
    // Megabytes of stderr do no harm.
    assert_true(run_with(client, ID "head -c 5000000 /dev/zero | tr '\\0' x >&2; " GOOD, &record, &error));
    record_free(&record);
    client_free(client);
}

static void an_error_keeps_its_code(void **state)
{
    struct client *client = client_new();
    struct record record;
    struct error error;
    assert_false(run_with(client, ID "echo '{\"id\":'$id',\"error\":{\"code\":2,\"text\":\"no such lab\"}}'",
                          &record, &error));
    assert_int_equal(error.code, EXIT_USAGE);
    assert_string_equal(error.text, "no such lab");
    client_free(client);
}

static bool stop_at_once(void *context, const char *stage, double seconds)
{
    return false;
}

static void a_run_can_be_stopped(void **state)
{
    struct client *client = client_new();
    struct request request = any_request();
    struct record record;
    struct error error;
    setenv("WARPBOOK_WORKER", "sleep 1000", 1);
    assert_false(client_run(client, &request, stop_at_once, NULL, &record, &error));
    assert_non_null(strstr(error.text, "Stopped"));
    expect_right(client);
    client_free(client);
}

// A worker in the group of its child, where a signal to its own group does not find it.
static int leave_the_group(void)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        return 1;
    pid_t other = fork();
    if (other == 0) {
        bool bound =
            prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && setpgid(0, 0) == 0 && write(ready[1], "r", 1) == 1;
        while (bound)
            pause();
        _exit(1);
    }
    if (other < 0 || read(ready[0], &byte, 1) != 1 || setpgid(0, other) != 0)
        return 1;
    puts(GREETING "\nnonsense");
    fflush(stdout);
    for (;;)
        pause();
}

static void a_worker_that_left_its_group_is_stopped(void **state)
{
    char worker[400], *self = path_self();
    format_into(worker, sizeof worker, "exec '%s' --leave-the-group", self);
    expect_failure(worker, "not a line of the protocol: nonsense");
    free(self);
}

static void a_child_that_left_its_group_is_killed_at_its_deadline(void **state)
{
    char *self = path_self();
    const char *argv[] = { self, "--leave-the-group", NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run(argv, NULL, 0, 300, &result, &error));
    assert_true(result.timed_out);
    child_result_free(&result);
    free(self);
}

static bool stop_when_it_is_over(void *context, const char *stage, double seconds)
{
    return ++*(int *)context < 2;
}

// It says no more, lives on, and would be given five seconds to end. A busy machine may take as long without that; it
// does not do so every time.
static void nobody_has_to_wait_for_a_worker_that_does_not_end(void **state)
{
    enum { GRACE_MS = 5000, TRIES = 20 };
    struct client *client = client_new();
    struct request request = any_request();
    struct record record;
    struct error error;
    double least = GRACE_MS;
    setenv("WARPBOOK_WORKER", "exec >&- 2>&-; exec sleep 1000", 1);
    for (int i = 0; i < TRIES && least >= GRACE_MS; i++) {
        int calls = 0;
        double start = clock_ms();
        assert_false(client_run(client, &request, stop_when_it_is_over, &calls, &record, &error));
        start = clock_ms() - start;
        least = start < least ? start : least;
    }
    assert_true(least < GRACE_MS);
    client_free(client);
}

static void a_request_that_nobody_would_read_is_not_sent(void **state)
{
    enum { TOO_LONG = 17 << 20 };
    struct client *client = client_new();
    struct request request = any_request();
    struct record record;
    struct error error;
    request.source = mem_new(TOO_LONG + 1);
    memset(request.source, 'x', TOO_LONG);
    setenv("WARPBOOK_WORKER", "exit 3", 1);
    assert_false(client_run(client, &request, NULL, NULL, &record, &error));
    assert_non_null(strstr(error.text, "the kernel file is too large"));
    assert_int_equal(error.code, EXIT_USAGE);
    free(request.source);
    client_free(client);
}

static void an_end_that_nobody_learns_is_an_end(void **state)
{
    struct client *client = client_new();
    struct record record;
    struct error error;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN); // as some who start us leave it
    assert_false(run_with(client, ID "exit 4", &record, &error));
    client_free(client);
    signal(SIGCHLD, before);
    assert_non_null(strstr(error.text, "The worker ended"));
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "--leave-the-group") == 0)
        return leave_the_group();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_worker_answers),
        cmocka_unit_test(stages_are_passed_on),
        cmocka_unit_test(a_worker_that_is_not_there),
        cmocka_unit_test(a_worker_that_crashes),
        cmocka_unit_test(a_worker_that_dies_in_mid_line),
        cmocka_unit_test(a_worker_that_hangs_is_stopped),
        cmocka_unit_test(a_worker_that_talks_nonsense),
        cmocka_unit_test(a_worker_that_floods),
        cmocka_unit_test(an_error_keeps_its_code),
        cmocka_unit_test(a_run_can_be_stopped),
        cmocka_unit_test(a_worker_that_left_its_group_is_stopped),
        cmocka_unit_test(a_child_that_left_its_group_is_killed_at_its_deadline),
        cmocka_unit_test(nobody_has_to_wait_for_a_worker_that_does_not_end),
        cmocka_unit_test(a_request_that_nobody_would_read_is_not_sent),
        cmocka_unit_test(an_end_that_nobody_learns_is_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
