// What goes wrong around the full-screen program, and what is left then: workers that are killed, runs that are stopped,
// signals, terminals that vanish, folders that cannot be written, files that are broken, text that wants to steer the
// terminal.
#include "tests/unit/program.h"

#include <sys/syscall.h>

#define SHOWN_RIGHT "✓ right"

// At the bench with a run on its way that waits.
static int running(struct terminal *terminal)
{
    int alive = hold_runs();
    opened(terminal, "bench", "histogram");
    typed(terminal, "gr", "plain: held");
    terminal_expect(terminal, "… runs");
    return alive;
}

static void next_run_works(struct terminal *terminal)
{
    settle(terminal);
    typed(terminal, "r", SHOWN_RIGHT);
    quit(terminal);
}

// ---- runs --------------------------------------------------------------------------------------------

static void a_run_comes_back(void **state)
{
    struct terminal terminal;
    int alive = running(&terminal);
    typed(&terminal, "e", "kernels can be changed."); // whole, over what tells of the run
    typed(&terminal, "j", "… runs");                  // the page stays usable
    expect_selected(&terminal, "OpenMP, an atomic");
    typed(&terminal, "?", "On the page bench");
    terminal_type(&terminal, "?");
    terminal_expect(&terminal, "… runs");
    let_go(alive);
    terminal_expect(&terminal, SHOWN_RIGHT);
    expect_gone(&terminal, "held");
    quit(&terminal);
}

static void sizes_while_it_runs(void **state)
{
    struct terminal terminal;
    int alive = running(&terminal);
    terminal_type(&terminal, "jj");
    for (int i = 0; i < 20; i++)
        terminal_resize(&terminal, 1 + i * 4, 230 - i * 12);
    terminal_resize(&terminal, 1, 1);
    terminal_resize(&terminal, 24, 80);
    settle(&terminal);
    expect_selected(&terminal, "OpenMP, private");
    terminal_expect(&terminal, "… runs");
    terminal_resize(&terminal, 40, 130);
    let_go(alive);
    terminal_expect(&terminal, SHOWN_RIGHT);
    expect_selected(&terminal, "OpenMP, private");
    quit(&terminal);
}

static void a_stop_while_it_runs(void **state)
{
    struct terminal terminal;
    int alive = running(&terminal);
    terminal_type(&terminal, "\032");
    terminal_expect_stop(&terminal);
    terminal_expect_whole(&terminal);
    let_go(alive); // it ends meanwhile
    terminal_continue(&terminal);
    terminal_expect(&terminal, SHOWN_RIGHT);
    quit(&terminal);
}

// ^C, the word, and SIGINT from outside stop the run and not the program.
static void a_run_is_stopped(void **state)
{
    for (int how = 0; how < 4; how++) {
        struct terminal terminal;
        int alive = running(&terminal);
        if (how == 0)
            terminal_type(&terminal, "\003");
        else if (how == 1)
            terminal_type(&terminal, ":stop\r");
        else
            kill(terminal.program, SIGINT);
        terminal_expect(&terminal, "Stopped.");
        expect_gone(&terminal, "… runs");
        expect_no_worker(alive);
        next_run_works(&terminal);
        if (how < 3)
            continue;
        unlink(in_folder("own/workbook"));
    }
}

// A command that runs on the screen ends by ^C too, and that is what it says.
static void a_command_is_stopped(void **state)
{
    struct terminal terminal;
    int alive = hold_runs();
    at_home(&terminal);
    typed(&terminal, ":run histogram/plain\r", "It runs.");
    terminal_expect(&terminal, "^C stops");
    terminal_type(&terminal, "\003");
    terminal_expect(&terminal, "It was stopped.");
    assert_false(terminal_shows(&terminal, "signal"));
    close(alive);
    quit(&terminal);
}

static void a_worker_is_killed(void **state)
{
    struct terminal terminal;
    int alive = running(&terminal);
    char *pid = read_from("pid");
    assert_int_equal(kill(atoi(pid), SIGKILL), 0);
    free(pid);
    terminal_expect(&terminal, "was killed by signal 9");
    terminal_expect(&terminal, "no result");
    expect_no_worker(alive);
    next_run_works(&terminal);
}

static void no_worker_can_be_started(void **state)
{
    struct terminal terminal;
    char *before = mem_copy(getenv("WARPBOOK_WORKER"));
    setenv("WARPBOOK_WORKER", "echo '\033]0;x\a' >&2; exit 7", 1);
    program_start(&terminal, 24, 80, (const char *const[]){ "open", "bench", "histogram", NULL });
    setenv("WARPBOOK_WORKER", before, 1);
    free(before);
    typed(&terminal, "gr", "ended with status 7");
    typed(&terminal, "j", "› OpenMP");
    expect_clean(&terminal);
    quit(&terminal);
}

// ---- ends --------------------------------------------------------------------------------------------

static void the_end_takes_the_worker_along(void **state)
{
    static const int signals[] = { SIGTERM, SIGHUP, 0 };
    for (size_t i = 0; i < 3; i++) {
        struct terminal terminal;
        int alive = running(&terminal);
        if (signals[i])
            kill(terminal.program, signals[i]);
        else
            terminal_type(&terminal, "Q");
        ended(&terminal, 0);
        expect_no_worker(alive);
    }
}

// Waits until the process is stopped. SIGCONT has taken effect when kill returns, so what is seen then is a later stop.
static void expect_stopped(pid_t pid)
{
    char path[48], line[512];
    format_into(path, sizeof path, "/proc/%ld/stat", (long)pid);
    for (bool stopped = false; !stopped;) {
        FILE *file = fopen(path, "re");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        fclose(file);
        const char *after = strrchr(line, ')');
        stopped = after && string_starts(after, ") T");
    }
}

// SIGTERM and SIGHUP as a shell sends them to a job that is stopped: with SIGCONT, while the shell has the terminal.
// `bg` alone stops it again.
static void the_end_comes_while_it_stands_still(void **state)
{
    static const int signals[] = { SIGTERM, SIGHUP };
    for (size_t i = 0; i < 2; i++) {
        struct terminal terminal;
        int alive = running(&terminal);
        terminal_type(&terminal, "\032");
        terminal_expect_stop(&terminal);
        struct pollfd end = { (int)syscall(SYS_pidfd_open, terminal.program, 0), POLLIN, 0 };
        assert_true(end.fd >= 0);
        assert_int_equal(kill(-terminal.program, SIGCONT), 0);
        expect_stopped(terminal.program);
        assert_int_equal(kill(terminal.program, signals[i]), 0);
        assert_int_equal(kill(-terminal.program, SIGCONT), 0);
        if (poll(&end, 1, TERMINAL_PATIENCE_MS) != 1)
            fail_msg("it outlives signal %d", signals[i]);
        close(end.fd);
        terminal_continue(&terminal); // the shell waits for it again
        ended(&terminal, 0);
        expect_no_worker(alive);
    }
}

static void the_end_comes_at_the_prompt(void **state)
{
    static const int signals[] = { SIGTERM, SIGHUP };
    for (size_t i = 0; i < 2; i++) {
        struct terminal terminal;
        opened(&terminal, "home", NULL);
        typed(&terminal, ":se\t", "search");
        kill(terminal.program, signals[i]);
        ended(&terminal, 0);
    }
}

static void the_terminal_vanishes(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct terminal terminal;
        int alive = running(&terminal);
        if (i)
            typed(&terminal, ":se", "\n:se\n");
        close(terminal.fd);
        terminal.fd = -1;
        assert_true(WIFEXITED(terminal_expect_end(&terminal)));
        expect_no_worker(alive);
        terminal_end(&terminal);
    }
}

static void a_crash_leaves_all_whole(void **state)
{
    struct terminal terminal;
    opened(&terminal, "bench", "histogram");
    typed(&terminal, "gr", SHOWN_RIGHT);
    typed(&terminal, ":note before the end\r", "Written into your workbook.");
    typed(&terminal, "M:se", "\n:se\n");
    kill(terminal.program, SIGSEGV);
    int status = terminal_expect_end(&terminal);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0); // a sanitizer makes it an exit
    assert_non_null(strstr(text_string(&terminal.output), "It ended by SIGSEGV"));
    terminal_expect_whole(&terminal);
    terminal_end(&terminal);
    char *workbook = read_from("own/workbook.jsonl");
    assert_non_null(strstr(workbook, "\"plain\""));
    assert_non_null(strstr(workbook, "before the end"));
    free(workbook);
    opened(&terminal, "workbook", NULL);
    terminal_expect(&terminal, "before the end");
    kill(terminal.program, SIGTERM);
    ended(&terminal, 0);
}

// ---- the learner's folder ----------------------------------------------------------------------------

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

static void two_at_once(void **state)
{
    struct terminal one, other;
    opened(&one, "bench", "histogram");
    opened(&other, "bench", "histogram");
    terminal_type(&one, "g");
    terminal_type(&other, "g");
    for (int i = 0; i < 5; i++) {
        char note[60], says[60];
        format_into(note, sizeof note, ":note number %d\r", i);
        terminal_type(&one, note);
        terminal_type(&other, note);
        format_into(says, sizeof says, "jr");
        terminal_type(&one, says);
        terminal_type(&other, says);
    }
    settle(&one);
    settle(&other);
    expect_gone(&one, "… ");
    expect_gone(&other, "… ");
    quit(&other); // its shell holds the ends of the other one's pipes
    quit(&one);
    char *workbook = read_from("own/workbook.jsonl");
    assert_int_equal(count_of(workbook, "\"number "), 10);
    assert_int_equal(count_of(workbook, "\"status\":\"right\""), 10);
    for (char *line = strtok(workbook, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *event = json_loads(line, 0, NULL);
        assert_non_null(event);
        json_decref(event);
    }
    free(workbook);
}

// A file in its place, and a folder in which nobody can write (root can write everywhere but there).
static void the_own_folder_cannot_be_had(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct terminal terminal;
        write_into("own-file", "not a folder\n");
        char *folder = mem_copy(getenv("WARPBOOK_HOME"));
        setenv("WARPBOOK_HOME", i ? "/proc/sys/warpbook" : in_folder("own-file"), 1);
        program_start(&terminal, 24, 80, NULL);
        terminal_expect(&terminal, i ? "/proc/sys/warpbook" : "own-file");
        terminal_expect(&terminal, "GPU by program");
        typed(&terminal, ":note x\r", "no workbook");
        typed(&terminal, ":bench histogram\r", "bench · histogram");
        typed(&terminal, "gr", SHOWN_RIGHT);
        typed(&terminal, "jjjje", i ? "/proc/sys/warpbook" : "own-file");
        setenv("WARPBOOK_HOME", folder, 1);
        free(folder);
        quit(&terminal);
    }
}

static void a_broken_workbook(void **state)
{
    struct terminal terminal;
    write_into("own/workbook.jsonl", "{\"time\":\nnot JSON\n\033]0;x\a\n");
    opened(&terminal, "bench", "histogram");
    typed(&terminal, "gr", SHOWN_RIGHT);
    typed(&terminal, ":workbook\r", "histogram");
    expect_clean(&terminal);
    kill(terminal.program, SIGTERM);
    ended(&terminal, 0);
    char *workbook = read_from("own/workbook.jsonl");
    assert_non_null(strstr(workbook, "\"plain\""));
    free(workbook);
}

static void broken_keys(void **state)
{
    struct terminal terminal;
    write_into("own/keys", "all x quit\nhome j fly\nbench x -\n");
    program_start(&terminal, 24, 200, NULL);
    terminal_expect(&terminal, "own/keys:2:8: error: there is no action 'fly'");
    typed(&terminal, ":bench\r", "bench · ");
    typed(&terminal, "x", "x does nothing here");
    typed(&terminal, "H", "· home");
    terminal_type(&terminal, "x"); // the other lines count
    ended(&terminal, 0);
}

static void a_broken_copy(void **state)
{
    struct terminal terminal;
    write_into("own/kernels/histogram/3-shared.cu", "//@ title Mine\n//@ launch nothing<<<1, 2\n");
    setenv("VISUAL", "true", 1);
    program_start(&terminal, 24, 80, (const char *const[]){ "open", "bench", "histogram/3-shared", NULL });
    unsetenv("VISUAL");
    terminal_expect(&terminal, "3-shared.cu:2:");
    expect_selected(&terminal, "3 ");
    terminal_expect(&terminal, "Until that is fixed");
    typed(&terminal, "e", "3-shared.cu:2:");
    typed(&terminal, "o", "3-shared.cu:2:");
    typed(&terminal, "gr", SHOWN_RIGHT); // the others run
    typed(&terminal, "jjjjjjU", "The shipped kernel is back");
    expect_gone(&terminal, "Until that is fixed");
    quit(&terminal);
}

// What is typed while the program hands the terminal to an editor, soon after its start, is not taken for the terminal's
// answer to the question for its background.
static void typed_ahead_of_an_editor(void **state)
{
    static const char left[] = "\033[?2004l"; // the first thing written on leaving: pastes are not marked
    struct terminal terminal;
    setenv("VISUAL", "true", 1);
    program_start(&terminal, 24, 80, (const char *const[]){ "open", "bench", "histogram/3-shared", NULL });
    unsetenv("VISUAL");
    expect_selected(&terminal, "3 ");
    size_t before = terminal.output.length;
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    terminal_type(&terminal, "e");
    while (!strstr(terminal.output.data + before, left))
        if (!terminal_wait(&terminal, 100) && (terminal.ended || clock_ms() > end))
            terminal_give_up(&terminal, "the editor");
    typed(&terminal, "?", "On the page bench");
    quit(&terminal);
}

// ---- text from outside -------------------------------------------------------------------------------

static void huge_output(void **state)
{
    struct terminal terminal;
    struct text text = { 0 }, command = { 0 };
    text_add(&text, "//@ launch k<<<1, 32>>>()\nextern \"C\" __global__ void k()\n{\n");
    for (int i = 0; i < 40000; i++)
        text_addf(&text, "    // line %d of many \033[31m\n", i);
    text_add(&text, "} // the end\n");
    write_into("huge.cu", text.data);
    text_free(&text);
    at_home(&terminal);
    text_addf(&command, ":show %s\r", in_folder("huge.cu"));
    typed(&terminal, command.data, "line 3 of many");
    text_free(&command);
    typed(&terminal, "G", "the end");
    typed(&terminal, "/line 20000\r", "line 20000 of many");
    for (int i = 0; i < 10; i++)
        terminal_resize(&terminal, 30 - i, 60 + 7 * i);
    terminal_resize(&terminal, 24, 80);
    settle(&terminal);
    terminal_expect(&terminal, "line 20000 of many");
    quit(&terminal);
}

static const char hostile_record[] =
    "{\"status\":\"right\",\"median_ms\":1.5,\"device\":\"d\\u001b]0;x\\u0007\\u009b8;1;1t\",\"printed\":"
    "\"p\\u001b]0;x\\u0007\\u001b[8;1;1t\\n\\u001bP\",\"message\":\"m\\u001b]52;c;aGk=\\u0007\","
    "\"compiler\":\"c\\u001b_x\",\"findings\":[{\"kind\":\"race\",\"severity\":\"error\",\"line\":3,"
    "\"sentence\":"
    "\"EVIL\\u001b]0;x\\u0007\"}],\"diagnostics\":[{\"severity\":\"warning\",\"line\":3,\"column\":1,"
    "\"message\":\"WORSE\\u001b]0;x\\u0007\"}],\"title\":\"t\\u001b]0;x\\u0007\"}";

static void a_hostile_worker(void **state)
{
    struct terminal terminal;
    write_into("record", hostile_record);
    opened(&terminal, "bench", "histogram");
    typed(&terminal, ":machine\r", "no GPU: simulator"); // so that runs are simulated
    typed(&terminal, "q", "bench · histogram");
    typed(&terminal, "jr", "not get that far");
    for (int i = 0; i < 6; i++) {
        terminal_type(&terminal, "p");
        settle(&terminal);
    }
    typed(&terminal, "s", "sim");
    typed(&terminal, "o", "EVIL");
    typed(&terminal, ":workbook\r", "histogram");
    terminal_resize(&terminal, 60, 200);
    typed(&terminal, ":run histogram/2 --on gpu\r", "output · run");
    settle(&terminal);
    expect_clean(&terminal);
    kill(terminal.program, SIGTERM);
    ended(&terminal, 0);
}

// A kernel that prints escapes, run by the real simulator; and a file whose name holds some.
static const char printing[] =
    "//@ launch k<<<1, 2>>>()\n"
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 form[16] = {69, 118, 105, 108, 27, 93, 48, 59, 120, 7, 27, 91, 56, 59, 10, 0};\n"
    ".visible .entry k()\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n"
    "mov.u64 %rd1, form;\ncvta.global.u64 %rd1, %rd1;\nmov.u64 %rd2, 0;\n"
    "{\n.param .b64 param0;\nst.param.b64 [param0], %rd1;\n.param .b64 param1;\nst.param.b64 [param1], "
    "%rd2;\n"
    ".param .b32 retval0;\ncall.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r1, "
    "[retval0];\n}\nret;\n}\n";

static void hostile_files(void **state)
{
    struct terminal terminal;
    struct text command = { 0 };
    char *worker = mem_copy(getenv("WARPBOOK_WORKER"));
    write_into("e\033]0;x\a.ptx", printing);
    write_into("f\033[8;1;1t.cu", "//@ launch k<<<1, 1>>>()\n__global__ void k() { } // \033]0;x\a Evil\n");
    unsetenv("WARPBOOK_WORKER");
    program_start(&terminal, 24, 80, NULL);
    setenv("WARPBOOK_WORKER", worker, 1);
    free(worker);
    terminal_expect(&terminal, "· home");
    text_addf(&command, ":sim %s/e\t", in_folder("."));
    typed(&terminal, command.data, "]0;x .ptx");
    typed(&terminal, "\r", "Evil");
    command.length = 0;
    text_addf(&command, ":show %s/f\t", in_folder("."));
    typed(&terminal, command.data, "[8;1;1t.cu");
    typed(&terminal, "\r", "Evil");
    typed(&terminal, ":\020\t\t", ":show");
    text_free(&command);
    terminal_type(&terminal, "\003");
    settle(&terminal);
    expect_clean(&terminal);
    quit(&terminal);
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "serve") == 0)
        return serve();
    program_environment();
    const struct CMUnitTest tests[] = {
        program_test(a_run_comes_back),
        program_test(sizes_while_it_runs),
        program_test(a_stop_while_it_runs),
        program_test(a_run_is_stopped),
        program_test(a_command_is_stopped),
        program_test(a_worker_is_killed),
        program_test(no_worker_can_be_started),
        program_test(the_end_takes_the_worker_along),
        program_test(the_end_comes_while_it_stands_still),
        program_test(the_end_comes_at_the_prompt),
        program_test(the_terminal_vanishes),
        program_test(a_crash_leaves_all_whole),
        program_test(two_at_once),
        program_test(the_own_folder_cannot_be_had),
        program_test(a_broken_workbook),
        program_test(broken_keys),
        program_test(a_broken_copy),
        program_test(typed_ahead_of_an_editor),
        program_test(huge_output),
        program_test(a_hostile_worker),
        program_test(hostile_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
