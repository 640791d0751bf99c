// What a confinement takes away and what it leaves, seen from inside by children that have one.
#include "engine/base/confine.h"

#include "engine/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], inside[96], outside[96];

static int folder_open(void **state)
{
    struct error error;
    strcpy(folder, "/tmp/warpbook-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    format_into(inside, sizeof inside, "%s/in/file", folder);
    format_into(outside, sizeof outside, "%s/file", folder);
    char *below = path_join(folder, "in");
    bool made = folder_make(below, &error) && file_replace(inside, "in\n", 3, &error) &&
                file_replace(outside, "out\n", 4, &error);
    free(below);
    return made ? 0 : -1;
}

static int folder_close(void **state)
{
    char made[128];
    format_into(made, sizeof made, "%s/in/made", folder);
    unlink(made);
    unlink(inside);
    unlink(outside);
    format_into(made, sizeof made, "%s/in", folder);
    rmdir(made);
    return rmdir(folder);
}

// Skips where this program, or this Linux, has not what the test is about.
static void needs(bool files)
{
    struct confine_state here = confine_state();
    const char *why = here.sanitizer            ? "a sanitizer's build is not confined"
                      : !here.seccomp           ? "no seccomp here"
                      : files && !here.landlock ? "no Landlock here"
                                                : NULL;
    if (!why)
        return;
    print_message("skipped: %s\n", why);
    skip();
}

// ---- this program, confined -------------------------------------------------------------------------

// Counts what the child says does not hold; each is told by its line.
#define HOLDS(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno));            \
            broken++;                                                                                        \
        }                                                                                                    \
    } while (0)

static void inside_child(const struct confine_plan *plan, int (*look)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct confinement *confinement = confinement_new(plan);
        bool applied = confinement_apply(confinement);
        _exit(applied ? look() : 99);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static bool refused(long result)
{
    return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static bool cannot_open(const char *path, int flags)
{
    int fd = open(path, flags, 0600);
    bool refusal = refused(fd);
    if (fd >= 0)
        close(fd);
    return refusal;
}

static void *count(void *number)
{
    ++*(int *)number;
    return NULL;
}

static bool threads_work(void)
{
    pthread_t thread;
    int number = 1;
    return pthread_create(&thread, NULL, count, &number) == 0 && pthread_join(thread, NULL) == 0 &&
           number == 2;
}

static int no_way_out(void)
{
    char name[] = "true", *const nothing[] = { name, NULL };
    int broken = 0;
    HOLDS(refused(socket(AF_INET, SOCK_STREAM, 0)));
    HOLDS(refused(socket(AF_UNIX, SOCK_STREAM, 0)));
    HOLDS(refused(socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){ 0, 0 })));
    HOLDS(refused(fork()));
    HOLDS(refused(execv("/bin/true", nothing)));
    HOLDS(refused(kill(getppid(), 0)));
    HOLDS(refused(prlimit(getppid(), RLIMIT_CPU, NULL, &(struct rlimit){ 0, 0 })));
    HOLDS(refused(fcntl(STDERR_FILENO, F_SETOWN, getppid())));
    HOLDS(refused(chmod(inside, 0600)));
    HOLDS(refused(syscall(9999)));
    HOLDS(refused(setpgid(0, 0)));
    return broken;
}

static int look_while_computing(void)
{
    int broken = no_way_out(), fds[2];
    char *memory = malloc(1 << 22);
    HOLDS(memory && memset(memory, 1, 1 << 22));
    free(memory);
    HOLDS(threads_work());
    HOLDS(clock_ms() > 0);
    HOLDS(write(STDERR_FILENO, "", 0) == 0);
    HOLDS(refused(pipe(fds)));
    HOLDS(cannot_open("/dev/null", O_RDONLY));
    HOLDS(cannot_open(inside, O_RDONLY));
    HOLDS(cannot_open(inside, O_RDWR | O_CREAT));
    HOLDS(refused(unlink(inside)));
    HOLDS(refused(access(inside, R_OK)));
    HOLDS(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    return broken;
}

static void computing_has_memory_threads_and_clocks(void **state)
{
    needs(false);
    inside_child(&(struct confine_plan){ .calls = CALLS_COMPUTE, .files = true, .own = true },
                 look_while_computing);
}

static int abort_while_computing(void)
{
    abort();
}

static void computing_can_abort(void **state)
{
    needs(false);
    pid_t pid = fork();
    if (pid == 0) {
        struct confine_plan plan = { .calls = CALLS_COMPUTE, .own = true };
        _exit(confinement_apply(confinement_new(&plan)) ? abort_while_computing() : 99);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_false(WCOREDUMP(status));
}

static int look_with_driver(void)
{
    char made[128];
    int broken = no_way_out(), fd = open(inside, O_RDWR);
    HOLDS(fd >= 0);
    format_into(made, sizeof made, "%s/in/made", folder);
    HOLDS(close(open(made, O_WRONLY | O_CREAT | O_TRUNC, 0600)) == 0);
    HOLDS(rename(made, inside) == 0);
    HOLDS(cannot_open(outside, O_RDONLY));
    HOLDS(cannot_open(outside, O_WRONLY));
    HOLDS(cannot_open("/etc/passwd", O_RDONLY));
    HOLDS(refused(rename(inside, outside)) || errno == EXDEV);
    HOLDS(threads_work());
    return broken;
}

static void *open_socket(void *go)
{
    while (!atomic_load((atomic_int *)go)) {
    }
    atomic_store((atomic_int *)go, refused(socket(AF_INET, SOCK_STREAM, 0)) ? 2 : 3);
    return NULL;
}

// As a driver's, which were there before.
static void threads_that_run_already_are_filtered(void **state)
{
    needs(false);
    pid_t pid = fork();
    if (pid == 0) {
        atomic_int go = 0;
        pthread_t thread;
        struct confine_plan plan = { .calls = CALLS_DRIVER, .own = true };
        bool begun = pthread_create(&thread, NULL, open_socket, &go) == 0;
        bool applied = confinement_apply(confinement_new(&plan));
        atomic_store(&go, 1);
        _exit(begun && applied && pthread_join(thread, NULL) == 0 && atomic_load(&go) == 2 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void the_driver_changes_what_is_named(void **state)
{
    char below[96];
    needs(true);
    format_into(below, sizeof below, "%s/in", folder);
    struct confine_plan plan = { .calls = CALLS_DRIVER, .files = true, .libraries = true, .own = true };
    confine_change(&plan, below);
    confine_change(&plan, "/nonexistent/folder"); // is left out
    inside_child(&plan, look_with_driver);
}

// ---- another program, confined ----------------------------------------------------------------------

// What a shell prints that runs `script` in a confinement, which may read the folder in/ only.
static void shell(enum confine_calls calls, const char *script, struct child_result *out)
{
    char below[96];
    struct error error;
    format_into(below, sizeof below, "%s/in", folder);
    struct confine_plan plan = {
        .calls = calls, .files = true, .libraries = true, .program = "/bin/sh", .cpu_seconds = 20
    };
    confine_read(&plan, below);
    confine_change(&plan, "/dev/null");
    if (calls == CALLS_SCRIPT) {
        confine_read(&plan, "/bin");
        confine_read(&plan, "/usr/bin");
    }
    struct confinement *confinement = confinement_new(&plan);
    const char *argv[] = { "sh", "-c", script, NULL };
    struct child_terms terms = { .bound = true, .folder = folder, .confinement = confinement };
    assert_true(child_run_on(argv, &terms, NULL, 0, 20000, NULL, out, &error));
    confinement_free(confinement);
}

static void shell_says(enum confine_calls calls, const char *script, const char *expected)
{
    struct child_result result;
    shell(calls, script, &result);
    if (strcmp(text_string(&result.out), expected) != 0)
        fail_msg("%s: '%s' and '%s', not '%s'", script, text_string(&result.out), text_string(&result.err),
                 expected);
    child_result_free(&result);
}

// Programs that a test starts are none of a sanitizer's, so these hold in every build.
static void needs_linux(bool files)
{
    struct confine_state here = confine_state();
    if (here.seccomp && (here.landlock || !files))
        return;
    print_message("skipped: no %s here\n", here.seccomp ? "Landlock" : "seccomp");
    skip();
}

static void a_tool_starts_nothing(void **state)
{
    needs_linux(true);
    shell_says(CALLS_TOOL, "echo here", "here\n");
    shell_says(CALLS_TOOL, "(echo below) 2>/dev/null; echo $?", "");
    shell_says(CALLS_TOOL, "exec /bin/echo another 2>/dev/null", "");
    shell_says(CALLS_TOOL, "kill -0 $PPID 2>/dev/null; echo $?", "1\n");
    shell_says(CALLS_TOOL, "ulimit -c; ulimit -t", "0\n20\n");
}

static void a_tool_changes_no_file(void **state)
{
    needs_linux(false);
    shell_says(CALLS_TOOL, "echo x >in/file", "");
    shell_says(CALLS_TOOL, "echo x >>new", "");
    shell_says(CALLS_SCRIPT,
               "rm -f in/file; mkdir made; chmod 0 in/file; touch in/file; mv in/file in/made; cd in; cat *",
               "in\n");
    struct text now = { 0 };
    struct error error;
    assert_true(file_read(inside, &now, &error));
    assert_string_equal(text_string(&now), "in\n");
    text_free(&now);
}

// As where there is no Landlock.
static void filters_alone_keep_files_as_they_are(void **state)
{
    needs_linux(false);
    struct confine_plan plan = { .calls = CALLS_TOOL, .program = "/bin/sh" };
    struct confinement *confinement = confinement_new(&plan);
    struct child_terms terms = { .bound = true, .folder = folder, .confinement = confinement };
    const char *argv[] = { "sh", "-c", "cat() { read line <$1; echo $line; }; cat in/file; echo x >in/file",
                           NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run_on(argv, &terms, NULL, 0, 20000, NULL, &result, &error));
    assert_string_equal(text_string(&result.out), "in\n");
    assert_non_null(strstr(text_string(&result.err), "Permission denied"));
    child_result_free(&result);
    confinement_free(confinement);
}

static void a_tool_reads_what_is_named(void **state)
{
    needs_linux(true);
    shell_says(CALLS_TOOL, "read line <in/file; echo $line", "in\n");
    shell_says(CALLS_TOOL, "read line 2>/dev/null <file || echo shut", "shut\n");
    shell_says(CALLS_TOOL, "read line 2>/dev/null <in/../file || echo shut", "shut\n");
    shell_says(CALLS_TOOL, "read line 2>/dev/null </etc/passwd || echo shut", "shut\n");
}

static void a_script_starts_others_as_confined(void **state)
{
    needs_linux(true);
    shell_says(CALLS_SCRIPT, "cat in/file", "in\n");
    shell_says(CALLS_SCRIPT, "cat file 2>/dev/null || echo shut", "shut\n");
    shell_says(CALLS_SCRIPT, "sleep 100 & kill $! && echo gone", "gone\n");
}

static void memory_is_limited(void **state)
{
    needs(false);
    struct confine_plan plan = { .calls = CALLS_TOOL, .memory_bytes = 1 << 26, .program = "/bin/sh" };
    struct confinement *confinement = confinement_new(&plan);
    const char *argv[] = { "sh", "-c", "ulimit -v", NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run_on(argv, &(struct child_terms){ .bound = true, .confinement = confinement }, NULL,
                             0, 20000, NULL, &result, &error));
    assert_string_equal(text_string(&result.out), "65536\n");
    child_result_free(&result);
    confinement_free(confinement);
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
    struct confine_plan plan = { .calls = CALLS_TOOL, .files = true, .program = "/nonexistent/program" };
    struct confinement *confinement = confinement_new(&plan);
    struct child_result result;
    struct error error;
    const char *argv[] = { "program", NULL };
    assert_false(child_run_on(argv, &(struct child_terms){ .bound = true, .confinement = confinement }, NULL,
                              0, 20000, NULL, &result, &error));
    assert_non_null(strstr(error.text, "Cannot start program"));
    confinement_free(confinement);
}

// ---- the environment --------------------------------------------------------------------------------

static bool holds(const char *const *environment, const char *entry)
{
    for (; *environment; environment++)
        if (strcmp(*environment, entry) == 0)
            return true;
    return false;
}

static void secrets_stay_out_of_the_environment(void **state)
{
    setenv("API_TOKEN", "secret", 1);
    setenv("SSH_AUTH_SOCK", "/tmp/socket", 1);
    setenv("OMP_NUM_THREADS", "3", 1);
    const char **few = confine_environment((const char *const[]){ "MORE=1", NULL });
    assert_false(holds(few, "API_TOKEN=secret"));
    assert_false(holds(few, "SSH_AUTH_SOCK=/tmp/socket"));
    assert_true(holds(few, "OMP_NUM_THREADS=3"));
    assert_true(holds(few, "MORE=1"));
    free(few);
    unsetenv("API_TOKEN");
    unsetenv("SSH_AUTH_SOCK");
    unsetenv("OMP_NUM_THREADS");
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_open, folder_close)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(computing_has_memory_threads_and_clocks),
        WITH_FOLDER(computing_can_abort),
        WITH_FOLDER(threads_that_run_already_are_filtered),
        WITH_FOLDER(the_driver_changes_what_is_named),
        WITH_FOLDER(a_tool_starts_nothing),
        WITH_FOLDER(a_tool_changes_no_file),
        WITH_FOLDER(filters_alone_keep_files_as_they_are),
        WITH_FOLDER(a_tool_reads_what_is_named),
        WITH_FOLDER(a_script_starts_others_as_confined),
        WITH_FOLDER(memory_is_limited),
        WITH_FOLDER(a_program_that_is_not_there_is_an_error),
        WITH_FOLDER(secrets_stay_out_of_the_environment),
    };
    return cmocka_run_group_tests_name("confine", tests, NULL, NULL);
}
