// A foreign worker, such as ssh or srun, holds something elsewhere. However it is left, it is ended in a way that lets it
// return that, and nobody waits for it. The workers here are lines of shell, which write what happens to them into $LOG;
// its end is their end.
#include "engine/run/run.h"
#include "tests/child.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LOG "exec 9>\"$LOG\"; "
#define ANSWER                                                                                               \
    GREETS "read -r line; id=${line##*\\\"id\\\":}; id=${id%%[,\\}]*}; "                                     \
           "echo '{\"id\":'$id',\"result\":{\"backend\":\"cpu\",\"status\":\"right\"}}'; "
#define FOR_EVER "while :; do sleep 1000 & wait $!; done"

double __real_clock_ms(void);
double __wrap_clock_ms(void);

static int log_fd;
static char go_path[200];        // $GO: what a worker waits for
static _Atomic double passed_ms; // that the clock is ahead

double __wrap_clock_ms(void)
{
    return __real_clock_ms() + passed_ms;
}

static int begin(void **state)
{
    char path[200];
    format_into(path, sizeof path, "%s/log", getenv("TMPDIR"));
    setenv("LOG", path, 1);
    unlink(path);
    if (mkfifo(path, 0600) != 0)
        return 1;
    log_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return log_fd >= 0 && fcntl(log_fd, F_SETFL, 0) == 0 ? 0 : 1;
}

static int end(void **state)
{
    close(log_fd);
    return 0;
}

// All that was logged, until the last process of the worker is gone.
static void read_log(struct text *log)
{
    char piece[200];
    ssize_t got;
    while ((got = read(log_fd, piece, sizeof piece)) > 0)
        text_add_n(log, piece, (size_t)got);
    assert_int_equal(got, 0);
}

static void expect_log(const char *want)
{
    struct text log = { 0 };
    read_log(&log);
    assert_string_equal(text_string(&log), want);
    text_free(&log);
}

static bool run(struct client *client, const char *worker, client_progress progress, void *context,
                struct error *error)
{
    struct request request = { .on = ON_CPU, .lab = (char *)"vecadd", .variant = (char *)"plain" };
    struct record record;
    setenv("WARPBOOK_WORKER", worker, 1);
    error->text[0] = 0;
    bool came = client_run(client, &request, progress, context, &record, error);
    if (came)
        record_free(&record);
    return came;
}

static void run_and_leave(const char *worker)
{
    struct client *client = client_new();
    struct error error;
    if (!run(client, worker, NULL, NULL, &error))
        fail_msg("%s", error.text);
    client_free(client);
}

static void the_end_of_its_input_is_enough(void **state)
{
    run_and_leave(LOG "trap 'echo asked >&9; exit' TERM; " ANSWER "read -r more || echo its input ended >&9");
    expect_log("its input ended\n");
}

static void who_does_not_end_by_that_is_asked(void **state)
{
    run_and_leave(LOG "trap 'echo asked >&9; exit' TERM; " ANSWER FOR_EVER);
    expect_log("asked\n");
}

// The shell is gone at once, and what it started takes its time; nobody has waited for it.
static void make_go(void)
{
    format_into(go_path, sizeof go_path, "%s/go", getenv("TMPDIR"));
    setenv("GO", go_path, 1);
    unlink(go_path);
    assert_int_equal(mkfifo(go_path, 0600), 0);
}

static void what_a_shell_started_has_its_time(void **state)
{
    make_go();
    run_and_leave(LOG
                  "(trap 'read -r go <\"$GO\"; echo returned $go >&9; exit' TERM; echo ready >&9; " FOR_EVER
                  ") & " ANSWER "wait");
    int go = open(go_path, O_RDWR | O_CLOEXEC);
    assert_int_equal(write(go, "it\n", 3), 3);
    expect_log("ready\nreturned it\n");
    close(go);
}

// Until the worker has logged something.
static bool has_logged(void)
{
    struct pollfd fd = { log_fd, POLLIN, 0 };
    return poll(&fd, 1, 0) > 0 && fd.revents & POLLIN;
}

static bool stop_then(void *context, const char *stage, double seconds)
{
    return !has_logged();
}

static void one_that_waits_for_its_turn_is_asked_too(void **state)
{
    struct client *client = client_new();
    struct error error;
    assert_false(run(client, LOG "trap 'echo asked >&9; exit' TERM; echo queued >&9; " FOR_EVER, stop_then,
                     NULL, &error));
    assert_non_null(strstr(error.text, "Stopped while it was starting"));
    expect_log("queued\nasked\n"); // while the client is kept
    assert_true(run(client, ANSWER, NULL, NULL, &error));
    client_free(client);
}

#define QUEUES "echo 'srun: job 83 queued and waiting for resources' >&2; "

// A day passes in the queue; then it is its turn.
static bool hear_queue(void *context, const char *stage, double seconds)
{
    bool *heard = context;
    if (!*heard && strcmp(stage, "starting: srun: job 83 queued and waiting for resources") == 0) {
        int go = open(go_path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
        passed_ms = passed_ms + 86400e3;
        *heard = write(go, "on\n", 3) == 3;
    } // left open, or what was written would be lost
    return true;
}

static void a_queue_may_take_as_long_as_it_takes(void **state)
{
    struct client *client = client_new();
    struct error error;
    bool heard = false;
    make_go();
    if (!run(client, QUEUES "read -r on <\"$GO\"; " ANSWER, hear_queue, &heard, &error))
        fail_msg("%s", error.text);
    assert_true(heard);
    client_free(client);
}

static bool let_time_pass(void *context, const char *stage, double seconds)
{
    passed_ms = passed_ms + 1000;
    return true;
}

static void unless_a_limit_was_asked_for(void **state)
{
    struct client *client = client_new();
    struct error error;
    client_wait(client, 60);
    assert_false(run(client, QUEUES FOR_EVER, let_time_pass, NULL, &error));
    assert_non_null(strstr(error.text, "did not answer in time while it was starting"));
    assert_non_null(strstr(error.text, "--wait"));
    assert_non_null(strstr(error.text, "job 83 queued"));
    client_free(client);
}

static void expect_words(const char *worker, const char *words)
{
    struct client *client = client_new();
    struct error error;
    client_wait(client, 100);
    assert_false(run(client, worker, NULL, NULL, &error));
    if (!strstr(error.text, words))
        fail_msg("expected '%s' in: %s", words, error.text);
    client_free(client);
}

static void what_a_login_shell_says_is_skipped(void **state)
{
    run_and_leave("echo '*** Welcome to Cluster X'; echo '{}'; echo '[1, 2'; printf 'no newline: '; " ANSWER);
    run_and_leave("head -c 60000 /dev/zero | tr '\\0' x; echo; " ANSWER);
    expect_words("echo '*** Welcome'; exit 3", "It wrote:\n*** Welcome");
    expect_words("head -c 66000 /dev/zero | tr '\\0' x; " ANSWER, "without a greeting");
    expect_words("yes; " ANSWER, "without a greeting");
    expect_words("true", "It did not greet");
}

static void another_version_is_named_in_both_numbers(void **state)
{
    expect_words("echo '{\"warpbook\":7,\"hello\":{\"host\":\"gpu\342\200\256box\"}}'; " FOR_EVER,
                 "The worker on gpu<U+202E>box speaks version 7 of the protocol and this program version 1.");
    expect_words("echo '{\"hello\":{}}'; " FOR_EVER, "speaks version 0");
    // As workers answer that were made before there was a greeting.
    expect_words("read -r line; echo '{\"id\":0,\"error\":{\"code\":2,\"text\":\"unknown\"}}'; " FOR_EVER,
                 "an older warpbook, which does not greet");
}

// What is no worker, such as a shell, gets no kernel to read.
static void nothing_is_sent_before_the_greeting(void **state)
{
    struct client *client = client_new();
    struct error error;
    assert_false(run(client, LOG "while read -r line; do echo \"$line\" >&9; done", stop_then, NULL, &error));
    client_free(client);
    expect_log("{\"warpbook\":1,\"id\":0,\"do\":\"hello\"}\n");
}

static bool die_then(void *context, const char *stage, double seconds)
{
    if (has_logged())
        raise(SIGKILL);
    return true;
}

static void it_is_ended_although_we_are_killed(void **state)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct client *client = client_new();
        struct error error;
        run(client, LOG "trap 'echo asked >&9; exit' TERM; " GREETS "read -r line; echo runs >&9; " FOR_EVER,
            die_then, NULL, &error);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    expect_log("runs\nasked\n");
}

// The words that a terminal's owner types are for ssh only where it was started by hand.
static void it_has_no_terminal(void **state)
{
    run_and_leave(LOG ANSWER
                  "cut -d' ' -f6 /proc/$$/stat >&9; (: </dev/tty) 2>/dev/null && echo a terminal >&9");
    char *session = text_format("%d\n", (int)getsid(0));
    struct text log = { 0 };
    read_log(&log);
    assert_string_not_equal(text_string(&log), session);
    assert_null(strstr(text_string(&log), "a terminal"));
    text_free(&log);
    free(session);
}

static void who_hears_nothing_is_killed_last(void **state)
{
    const char *argv[] = { "sh", "-c", LOG "trap '' TERM; echo deaf >&9; while :; do sleep 1; done", NULL };
    struct child child;
    struct error error;
    int status;
    assert_true(child_start_on(argv, &(struct child_terms){ .kept_ms = 1 }, &child, &error));
    while (!has_logged() && !child_ended(child.pid, &status))
        usleep(1000);
    close(child.in);
    expect_log("deaf\n");
    while (!child_ended(child.pid, &status))
        usleep(1000);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(child.out);
    close(child.err);
}

// More than a pipe holds, to a child that reads it late; then its status is ours.
static void what_is_written_arrives_whole(void **state)
{
    enum { SIZE = 1 << 20 };
    const char *argv[] = { "sh", "-c", LOG "head -c 1048576 | wc -c >&9; exit 7", NULL };
    struct child child;
    struct error error;
    int status;
    char *bytes = mem_new(SIZE);
    memset(bytes, 'x', SIZE);
    assert_true(child_start_on(argv, &(struct child_terms){ .kept_ms = 1000 }, &child, &error));
    for (size_t put = 0; put < SIZE;) {
        struct pollfd ready = { child.in, POLLOUT, 0 };
        assert_int_equal(poll(&ready, 1, -1), 1);
        ssize_t more = write(child.in, bytes + put, SIZE - put);
        assert_true(more > 0);
        put += (size_t)more;
    }
    free(bytes);
    while (!child_ended(child.pid, &status))
        usleep(1000);
    expect_log("1048576\n");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    close(child.in);
    close(child.out);
    close(child.err);
}

// For tests/cli/foreign.sh: a process that answers at a socket, and its number.
static int listen_at(const char *path)
{
    enum { MOST_S = 600 }; // nobody ended it
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    format_into(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 100) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(MOST_S);
        for (int i = 0; i < 3; i++)
            close(i);
        for (;;)
            pause();
    }
    printf("%d\n", (int)pid);
    return pid < 0;
}

int main(int count, char **words)
{
    if (count > 2 && strcmp(words[1], "--listen") == 0)
        return listen_at(words[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_end_of_its_input_is_enough, begin, end),
        cmocka_unit_test_setup_teardown(who_does_not_end_by_that_is_asked, begin, end),
        cmocka_unit_test_setup_teardown(what_a_shell_started_has_its_time, begin, end),
        cmocka_unit_test_setup_teardown(one_that_waits_for_its_turn_is_asked_too, begin, end),
        cmocka_unit_test_setup_teardown(a_queue_may_take_as_long_as_it_takes, begin, end),
        cmocka_unit_test_setup_teardown(unless_a_limit_was_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(what_a_login_shell_says_is_skipped, begin, end),
        cmocka_unit_test_setup_teardown(another_version_is_named_in_both_numbers, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_sent_before_the_greeting, begin, end),
        cmocka_unit_test_setup_teardown(it_is_ended_although_we_are_killed, begin, end),
        cmocka_unit_test_setup_teardown(it_has_no_terminal, begin, end),
        cmocka_unit_test_setup_teardown(who_hears_nothing_is_killed_last, begin, end),
        cmocka_unit_test_setup_teardown(what_is_written_arrives_whole, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
