// warpbook shell on a terminal: editing, history, completion, ^C, ^Z, ^D, resizes, and terminals that can do little.
#include "tests/unit/terminal.h"

static const char *program(void)
{
    const char *path = getenv("WARPBOOK");
    assert_non_null(path);
    return path;
}

// libedit takes the terminal's line editing away only after the prompt; before that ^D would be the terminal's.
static bool reads_keys(struct terminal *terminal)
{
    struct termios now;
    return tcgetattr(terminal->fd, &now) == 0 && !(now.c_lflag & ICANON) && !terminal_wait(terminal, 0);
}

// Waits for the prompt on the cursor's line with nothing after it: only then are keys the shell's.
static void expect_prompt(struct terminal *terminal)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    for (;;) {
        char line[2048] = "";
        VTermRect row = { terminal->cursor.row, terminal->cursor.row + 1, 0, 20 };
        size_t length = vterm_screen_get_text(terminal->screen, line, sizeof line - 1, row);
        line[length] = 0;
        if (string_starts(line, "warpbook>") && terminal->cursor.col == 10 && reads_keys(terminal))
            return;
        if (!terminal_wait(terminal, 5) && (terminal->ended || clock_ms() > end))
            terminal_give_up(terminal, "the prompt");
    }
}

static void give(struct terminal *terminal, const char *keys, const char *expected)
{
    terminal_type(terminal, keys);
    terminal_expect(terminal, expected);
    expect_prompt(terminal);
}

static void start(struct terminal *terminal, const char *term, int cols)
{
    const char *argv[] = { program(), "shell", NULL };
    setenv("TERM", term, 1);
    terminal_start(terminal, 24, cols, argv);
    expect_prompt(terminal);
}

static void forget_history(void)
{
    char *path = path_own("history");
    unlink(path);
    free(path);
}

static void expect_right_end(struct terminal *terminal)
{
    int status = terminal_expect_end(terminal);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    terminal_expect_whole(terminal);
    terminal_end(terminal);
}

static void commands_run_and_quit_leaves(void **state)
{
    struct terminal terminal;
    forget_history();
    start(&terminal, "xterm-256color", 80);
    give(&terminal, "explain lane\r", "What leads here");
    give(&terminal, "nosuch\r", "There is no command 'nosuch'");
    terminal_type(&terminal, "quit\r");
    expect_right_end(&terminal); // who types has seen what failed
}

static void control_d_leaves(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "\004");
    expect_right_end(&terminal);
}

static void control_c_takes_the_line_back(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "nonsense");
    terminal_expect(&terminal, "> nonsense");
    terminal_type(&terminal, "\003");
    expect_prompt(&terminal);
    give(&terminal, "list\r", "'warpbook list LAB'");
    assert_false(terminal_shows(&terminal, "There is no"));
    terminal_type(&terminal, "\004");
    expect_right_end(&terminal);
}

static void control_c_stops_what_runs(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "step histogram/1\r"); // waits for what one types
    terminal_expect(&terminal, "here: sim histogram/1 --step");
    terminal_expect(&terminal, "block 0");
    terminal_type(&terminal, "\003");
    expect_prompt(&terminal);
    give(&terminal, "explain lane\r", "What leads here");
    terminal_type(&terminal, "\004");
    expect_right_end(&terminal);
}

static void lines_are_kept_from_one_start_to_the_next(void **state)
{
    struct terminal terminal;
    forget_history();
    start(&terminal, "xterm-256color", 80);
    give(&terminal, "explain warp\r", "What leads here");
    terminal_type(&terminal, "quit\r");
    expect_right_end(&terminal);
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "\033[A\033[A");
    terminal_expect(&terminal, "> explain warp");
    give(&terminal, "\r", "What leads here");
    terminal_type(&terminal, "\022expl");
    terminal_expect(&terminal, "bck:expl");
    terminal_type(&terminal, "\r"); // leaves the search and gives the line
    terminal_expect(&terminal, "What leads here");
    expect_prompt(&terminal);
    terminal_type(&terminal, "quit\r");
    expect_right_end(&terminal);
}

static void tab_completes_and_lists(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "expla\tban\t");
    terminal_expect(&terminal, "> explain ban");
    terminal_type(&terminal, "\t");
    terminal_expect(&terminal, "bank-conflict");
    give(&terminal, "k-\t\r", "See also");
    terminal_type(&terminal, "\004");
    expect_right_end(&terminal);
}

static void wide_characters_and_resizes_are_kept_up_with(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "note \xe6\x97\xa5\xe6\x9c\xac b\033[D\033[Da");
    terminal_expect(&terminal, "note \xe6\x97\xa5\xe6\x9c\xac"
                               "a b");
    terminal_resize(&terminal, 10, 40);
    give(&terminal, "\r", "Written into your workbook.");
    give(&terminal, "workbook notes\r", "1 note."); // the note itself is on the screen already
    terminal_expect(&terminal, "note       \xe6\x97\xa5\xe6\x9c\xac"
                               "a b");
    terminal_type(&terminal, "\004");
    expect_right_end(&terminal);
}

static void the_screen_opens_within_it(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "open help\r");
    terminal_expect(&terminal, "On every page");
    assert_true(terminal.alternate);
    terminal_type(&terminal, "Q");
    expect_prompt(&terminal);
    assert_false(terminal.alternate);
    terminal_type(&terminal, "\004");
    expect_right_end(&terminal);
}

static void it_stops_and_comes_back(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "step histogram/1\r");
    terminal_expect(&terminal, "block 0");
    terminal_type(&terminal, "\032"); // stops both, as a shell's job
    terminal_expect_stop(&terminal);
    terminal_continue(&terminal);
    terminal_type(&terminal, "quit\r"); // the stepper's
    expect_prompt(&terminal);
    terminal_type(&terminal, "\004");
    expect_right_end(&terminal);
}

static void a_dumb_terminal_will_do(void **state)
{
    static const char *const terms[] = { "dumb", "vt100", "no-such-terminal" };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct terminal terminal;
        start(&terminal, terms[i], 80);
        give(&terminal, "explain lane\r", "What leads here");
        terminal_type(&terminal, "quit\r");
        expect_right_end(&terminal);
    }
}

static void it_ends_with_its_terminal(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    close(terminal.fd);
    terminal.fd = -1;
    terminal_expect_end(&terminal);
    terminal_end(&terminal);
}

// M-x asks for one of libedit's own commands, and libedit reads past an empty one.
static void libedits_own_commands_are_gone(void **state)
{
    struct terminal terminal;
    start(&terminal, "xterm-256color", 80);
    terminal_type(&terminal, "\033x\r");
    give(&terminal, "\033X\rlist\r", "Vector addition");
    terminal_type(&terminal, "quit\r");
    expect_right_end(&terminal);
}

// Half a line is there, and no more of it yet: whoever does not block has to wait.
static void a_stdin_that_does_not_block_is_waited_for(void **state)
{
    int in[2], out[2], unread = 1, status;
    struct text said = { 0 };
    char piece[4096];
    assert_int_equal(pipe2(in, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t shell = fork();
    if (shell == 0) {
        if (dup2(in[0], STDIN_FILENO) == STDIN_FILENO && dup2(out[1], STDOUT_FILENO) == STDOUT_FILENO)
            execl(program(), "warpbook", "shell", NULL);
        _exit(99);
    }
    close(out[1]);
    assert_int_equal(write(in[1], "li", 2), 2);
    while (unread && waitpid(shell, &status, WNOHANG) == 0)
        assert_int_equal(ioctl(in[0], FIONREAD, &unread), 0);
    assert_int_equal(write(in[1], "st\nquit\n", 8), 8);
    close(in[0]);
    close(in[1]);
    for (ssize_t got; (got = read(out[0], piece, sizeof piece)) > 0;)
        text_add_n(&said, piece, (size_t)got);
    close(out[0]);
    assert_int_equal(waitpid(shell, &status, 0), shell);
    assert_int_equal(status, 0);
    assert_non_null(strstr(text_string(&said), "Vector addition"));
    text_free(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_run_and_quit_leaves),
        cmocka_unit_test(control_d_leaves),
        cmocka_unit_test(control_c_takes_the_line_back),
        cmocka_unit_test(control_c_stops_what_runs),
        cmocka_unit_test(lines_are_kept_from_one_start_to_the_next),
        cmocka_unit_test(tab_completes_and_lists),
        cmocka_unit_test(wide_characters_and_resizes_are_kept_up_with),
        cmocka_unit_test(the_screen_opens_within_it),
        cmocka_unit_test(it_stops_and_comes_back),
        cmocka_unit_test(a_dumb_terminal_will_do),
        cmocka_unit_test(it_ends_with_its_terminal),
        cmocka_unit_test(libedits_own_commands_are_gone),
        cmocka_unit_test(a_stdin_that_does_not_block_is_waited_for),
    };
    return cmocka_run_group_tests_name("shell", tests, NULL, NULL);
}
