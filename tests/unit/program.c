// The full-screen program in a pseudo-terminal, as a person meets it: how it starts and ends, what sizes, terminals and
// locales do to it, the prompt, pastes and the mouse. program_trouble.c has what goes wrong.
#include "tests/unit/program.h"

// ---- starting and ending -----------------------------------------------------------------------------

static void it_starts_at_home(void **state)
{
    struct terminal terminal;
    program_start(&terminal, 24, 80, NULL);
    terminal_expect(&terminal, " warpbook · home");
    terminal_expect(&terminal, " Next\n");
    assert_true(terminal.alternate);
    terminal_expect(&terminal, "GPU by program\n"); // which nobody has asked
    expect_selected(&terminal, "esson");
    typed(&terminal, "G", "This machine");
    terminal_type(&terminal, "q");
    ended(&terminal, 0);
}

static void it_opens_on_a_page(void **state)
{
    static const char *const pages[][3] = {
        { "bench", "histogram", "histogram, full" },
        { "source", "banks/padded", "source · banks" },
        { "explore", "banks", "explore" },
        { "terms", NULL, "terms" },
        { "workbook", NULL, "workbook" },
        { "machine", NULL, "There is no GPU in this test." },
        { "help", "bench", "On the page bench" },
        { "lesson", "7", "banks" },
        { "output", "help", "The labs" },
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct terminal terminal;
        opened(&terminal, pages[i][0], pages[i][1]);
        terminal_expect(&terminal, pages[i][2]);
        kill(terminal.program, SIGTERM);
        ended(&terminal, 0);
    }
}

// The same page goes from kernel to kernel, so that one `q` leaves it.
static void kernels_follow_each_other(void **state)
{
    static const char *const pages[] = { "source", "step" };
    struct terminal terminal;
    at_home(&terminal);
    for (int i = 0; i < 2; i++) {
        char words[60];
        struct seen home = settled(&terminal);
        format_into(words, sizeof words, ":%s histogram/5\r", pages[i]);
        typed(&terminal, words, "· histogram/5-contiguous");
        typed(&terminal, ">", "· histogram/6-warp-bins");
        typed(&terminal, ">", "· histogram/7-lane-columns");
        typed(&terminal, ">", "· histogram/8-spread-merge");
        typed(&terminal, ">", "This is the last kernel of the ladder.");
        typed(&terminal, "<", "· histogram/7-lane-columns");
        typed(&terminal, ":source histogram/1\r", "· histogram/1-global");
        typed(&terminal, "<", "This is the first kernel of the ladder.");
        typed(&terminal, "q", "· histogram/7-lane-columns");
        terminal_type(&terminal, "q");
        expect_settled(&terminal, home);
    }
    typed(&terminal, ":bench histogram\r", "histogram, full");
    expect_selected(&terminal, "1 v1:");
    typed(&terminal, "<", "There is no kernel before this row.");
    terminal_type(&terminal, ">");
    settle(&terminal);
    expect_selected(&terminal, "2 v2:");
    terminal_type(&terminal, "g>");
    settle(&terminal);
    expect_selected(&terminal, "1 v1:");
    typed(&terminal, "G>", "There is no kernel after this row.");
    terminal_type(&terminal, "Q");
    ended(&terminal, 0);
}

// One page over the other, and back again.
static void pages_lie_over_each_other(void **state)
{
    struct terminal terminal;
    at_home(&terminal);
    struct seen home = settled(&terminal);
    typed(&terminal, ":bench banks\r", "bench · banks, full");
    terminal_type(&terminal, "j");
    struct seen bench = settled(&terminal);
    typed(&terminal, "o", "source · banks");
    typed(&terminal, "?", "On the page source");
    typed(&terminal, ":help explore\r", "On the page explore");
    typed(&terminal, "q", "On the page source");
    typed(&terminal, "q", "source · banks");
    terminal_type(&terminal, "q");
    expect_settled(&terminal, bench);
    terminal_type(&terminal, "H");
    expect_settled(&terminal, home);
    quit(&terminal);
}

static void it_is_left_by_words(void **state)
{
    static const char *const ways[] = { ":quit\r", ":q\r", ":q!\r", ":wq\r", ":x\r", "ZZ", "ZQ" };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct terminal terminal;
        at_home(&terminal);
        terminal_type(&terminal, ways[i]);
        ended(&terminal, 0);
    }
}

// ---- sizes -------------------------------------------------------------------------------------------

static void sized(struct terminal *terminal, int rows, int cols, const char *shows)
{
    terminal_resize(terminal, rows, cols);
    terminal_expect(terminal, shows);
}

static void tiny_terminals_get_a_message(void **state)
{
    struct terminal terminal;
    at_home(&terminal);
    struct seen before = settled(&terminal);
    sized(&terminal, 24, 39, "warpbook needs 40 x 10, this is 39 x\n24. ");
    sized(&terminal, 9, 200, "warpbook needs 40 x 10, this is 200 x 9");
    sized(&terminal, 9, 39, "this is 39 x 9.\n'");
    sized(&terminal, 10, 40, "warpbook · home");
    sized(&terminal, 1, 8, "warpbook");
    terminal_resize(&terminal, 1, 1);
    terminal_resize(&terminal, 24, 80);
    expect_settled(&terminal, before);
    quit(&terminal);
    program_start(&terminal, 1, 1, NULL);
    terminal_expect(&terminal, "w\n");
    sized(&terminal, 24, 80, " Next\n");
    quit(&terminal);
}

static void a_scrolled_page_keeps_its_place(void **state)
{
    static const int sizes[][2] = { { 10, 40 }, { 40, 160 }, { 1, 1 }, { 30, 60 }, { 80, 250 }, { 12, 100 } };
    struct terminal terminal;
    opened(&terminal, "help", "bench");
    typed(&terminal, "\006\006", "On every page");
    struct seen before = settled(&terminal);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        terminal_resize(&terminal, sizes[i][0], sizes[i][1]);
        if (sizes[i][0] >= 10)
            terminal_expect(&terminal, "help · bench");
    }
    terminal_resize(&terminal, 24, 80);
    expect_settled(&terminal, before);
    quit(&terminal);
}

// Down until the row with this text is selected.
static void choose(struct terminal *terminal, const char *text)
{
    for (int i = 0; i < 100; i++) {
        settle(terminal);
        char *line = row_text(terminal, terminal->cursor.row);
        bool here = strstr(line, text) != NULL;
        free(line);
        if (here)
            return;
        terminal_type(terminal, "j");
    }
    terminal_give_up(terminal, text);
}

static void the_selection_stays(void **state)
{
    struct terminal terminal;
    at_home(&terminal);
    choose(&terminal, "  banks  ");
    expect_selected(&terminal, "  banks  ");
    sized(&terminal, 30, 130, "Labs");
    expect_selected(&terminal, "  banks  ");
    terminal_resize(&terminal, 10, 40);
    expect_selected(&terminal, "  banks  ");
    terminal_resize(&terminal, 24, 80);
    expect_selected(&terminal, "  banks  ");
    typed(&terminal, "\r", "bench · banks");
    terminal_type(&terminal, "jj");
    struct seen bench = settled(&terminal);
    sized(&terminal, 60, 240, "bench · banks");
    terminal_resize(&terminal, 2, 2);
    terminal_resize(&terminal, 24, 80);
    expect_settled(&terminal, bench);
    quit(&terminal);
}

// What was typed, where the cursor is in it, and what could follow.
static void the_prompt_stays(void **state)
{
    struct terminal terminal;
    at_home(&terminal);
    typed(&terminal, ":open benx\002\t", "\n:open bench x");
    typed(&terminal, "\025s\t", "search-next");
    terminal_expect(&terminal, "step\n:s\n"); // the last that is drawn
    struct seen before = see(&terminal);
    sized(&terminal, 60, 200, "\n:s\n");
    terminal_expect(&terminal, "search-next");
    sized(&terminal, 10, 40, "\n:s\n");
    terminal_resize(&terminal, 1, 1);
    terminal_resize(&terminal, 3, 50);
    terminal_resize(&terminal, 24, 80);
    expect_seen(&terminal, before);
    typed(&terminal, "tep-xy", ":step-xy");
    terminal_type(&terminal, "\025help explore\r");
    terminal_expect(&terminal, "On the page explore");
    quit(&terminal);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// The page, opened and scrolled; then any size, often several before the program sees one.
static void any_size(const char *page, const char *what, const char *keys, const char *shows)
{
    struct terminal terminal;
    uint32_t seed = 12;
    opened(&terminal, page, what);
    terminal_expect(&terminal, shows);
    terminal_type(&terminal, keys);
    struct seen before = settled(&terminal);
    for (int i = 0; i < 60; i++) {
        int rows = 1 + (int)(next_random(&seed) % 80), cols = 1 + (int)(next_random(&seed) % 250);
        terminal_resize(&terminal, rows, cols);
        if (i % 5 == 4 && rows >= 10 && cols >= 40)
            settle(&terminal);
    }
    terminal_resize(&terminal, 24, 80);
    expect_settled(&terminal, before);
    kill(terminal.program, SIGTERM);
    ended(&terminal, 0);
}

static void any_size_on_any_page(void **state)
{
    any_size("home", NULL, "jjj", "Lessons");
    any_size("help", "source", "\004", "On the page source");
    any_size("bench", "histogram", "jjjjj", "Plain loop");
    any_size("source", "histogram/3-shared", "\004", "source");
    any_size("explore", "banks", "", "stride");
    any_size("terms", NULL, "", "bank");
    any_size("machine", NULL, "", "no GPU");
    any_size("workbook", NULL, "", "workbook");
    any_size("lesson", "7", "\004", "lesson");
}

// ---- the prompt and pastes ---------------------------------------------------------------------------

static void the_prompt_is_cancelled(void **state)
{
    static const char *const keys[] = { "\003", "\033", "\007" };
    struct terminal terminal;
    at_home(&terminal);
    for (size_t i = 0; i < 3; i++) {
        struct seen before = settled(&terminal);
        typed(&terminal, ":quit", "\n:quit\n");
        terminal_type(&terminal, keys[i]);
        expect_settled(&terminal, before);
    }
    struct seen before = settled(&terminal);
    typed(&terminal, ":quit", "\n:quit\n");
    kill(terminal.program, SIGINT);
    typed(&terminal, "x", "\n:quitx\n"); // from outside it is meant for a run
    terminal_type(&terminal, "\003");
    expect_settled(&terminal, before);
    quit(&terminal);
}

static void its_history_lasts(void **state)
{
    struct terminal terminal;
    for (int i = 0; i < 2; i++) {
        at_home(&terminal);
        typed(&terminal, i ? ":\033[A" : ":help source\r", i ? "\n:help source\n" : "On the page source");
        typed(&terminal, i ? "\r" : "H", i ? "On the page source" : "· home");
        quit(&terminal);
    }
    at_home(&terminal);
    typed(&terminal, ":\022sou", "help source");
    terminal_type(&terminal, "\r");
    terminal_expect(&terminal, "On the page source");
    quit(&terminal);
}

// Lines of a paste are no keys and no commands.
static void pastes_are_text(void **state)
{
    struct terminal terminal;
    at_home(&terminal);
    struct seen before = settled(&terminal);
    terminal_type(&terminal, "\033[200~Q\rG:quit\r\003\033[201~");
    typed(&terminal, ":x\177", "\n:\n");
    typed(&terminal, "\033[200~help\rsource\n\033[31mQ\tz\033[201~", "\n:help source [31mQ z\n");
    terminal_type(&terminal, "\003");
    expect_settled(&terminal, before);
    typed(&terminal, ":\033[200~help explore\033[201~\r", "On the page explore");
    quit(&terminal);
}

// ---- the mouse ---------------------------------------------------------------------------------------

static void the_mouse_does_what_keys_do(void **state)
{
    struct terminal terminal;
    at_home(&terminal);
    assert_false(terminal_mode(&terminal, "1000"));
    typed(&terminal, "M", "The mouse is on");
    assert_true(terminal_mode(&terminal, "1000"));
    struct seen top = settled(&terminal);
    terminal_type(&terminal, "jjj");
    struct seen below = settled(&terminal);
    terminal_type(&terminal, "g");
    settle(&terminal);
    terminal_type(&terminal, "\033[<65;10;5M"); // the wheel: three rows
    expect_settled(&terminal, below);
    terminal_type(&terminal, "\033[<64;10;5M");
    expect_settled(&terminal, top);
    sized(&terminal, 40, 80, "  coalescing  ");
    int row = 0;
    for (bool found = false; !found; row += !found) {
        assert_true(row < 39);
        char *line = row_text(&terminal, row);
        found = strstr(line, "  coalescing  ");
        free(line);
    }
    char press[40];
    format_into(press, sizeof press, "\033[<0;4;%dM\033[<0;4;%dm", row + 1, row + 1);
    terminal_type(&terminal, press);
    expect_selected(&terminal, "  coalescing  ");
    typed(&terminal, press, "bench · coalescing");
    typed(&terminal, "\033[<0;4;5M\033[<0;4;5m", "bench · coalescing");
    terminal_type(&terminal, "\033[<0;250;250M\033[<0;1;1M\033[<0;1;40M"); // outside, the title, the status
    typed(&terminal, "M", "The mouse is off");
    assert_false(terminal_mode(&terminal, "1000"));
    typed(&terminal, "M", "The mouse is on");
    quit(&terminal);
}

// ---- terminals and locales ---------------------------------------------------------------------------

// Every cell in the terminal's own colours.
static bool is_plain(const struct terminal *terminal)
{
    int rows, cols;
    bool plain = true;
    vterm_get_size(terminal->vt, &rows, &cols);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++) {
            VTermScreenCell cell = terminal_cell(terminal, row, col);
            plain &= VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) && VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
        }
    return plain;
}

static bool is_ascii(const struct terminal *terminal)
{
    const char *at = text_string(&terminal->output);
    while (*at && !(*at & 0x80))
        at++;
    if (*at)
        fprintf(stderr, "not ASCII: %.60s\n", at);
    return !*at;
}

static void colours_are_a_wish(void **state)
{
    const char *const mono[] = { "open", "--mono", "bench", NULL }, *const bench[] = { "open", "bench",
                                                                                       NULL };
    struct terminal terminal;
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            setenv("NO_COLOR", "1", 1);
        program_start(&terminal, 24, 80, i == 2 ? mono : bench);
        unsetenv("NO_COLOR");
        terminal_expect(&terminal, "Plain loop");
        terminal_expect(&terminal, "GPU by program");
        assert_true(is_plain(&terminal) == (i > 0));
        quit(&terminal);
    }
}

static void ascii_is_a_wish(void **state)
{
    const char *const ascii[] = { "open", "--ascii", "bench", NULL }, *const bench[] = { "open", "bench",
                                                                                         NULL };
    struct terminal terminal;
    for (int i = 0; i < 2; i++) {
        if (i)
            setenv("LC_ALL", "C", 1);
        program_start(&terminal, 24, 80, i ? bench : ascii);
        setenv("LC_ALL", "C.UTF-8", 1);
        terminal_expect(&terminal, "Plain loop");
        typed(&terminal, i ? "\005\303\251" : "\005", "^E does nothing here");
        typed(&terminal, ":b\t\t", "bench");
        assert_true(is_ascii(&terminal));
        typed(&terminal, "\003?", "On the page bench");
        typed(&terminal, ":lesson 6\r", "lesson");
        terminal_expect(&terminal, "Coalescing");
        assert_true(is_ascii(&terminal));
        quit(&terminal);
    }
}

static void terminals_that_work(void **state)
{
    static const char *const terms[] = { "vt100",          "linux",  "xterm",
                                         "xterm-256color", "screen", "tmux-256color" };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct terminal terminal;
        setenv("TERM", terms[i], 1);
        at_home(&terminal);
        setenv("TERM", "xterm-256color", 1);
        typed(&terminal, ":bench\r", "Plain loop");
        assert_true(is_plain(&terminal) == (i == 0));
        typed(&terminal, "\033[B\033[B\033[A?", "On the page bench");
        quit(&terminal);
    }
}

static void terminals_that_cannot(void **state)
{
    static const char *const terms[][2] = { { "no-such-terminal", "is not known here" },
                                            { "dumb", "cannot place its cursor" },
                                            { "", "TERM is not set" },
                                            { NULL, "TERM is not set" } };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct terminal terminal;
        if (terms[i][0])
            setenv("TERM", terms[i][0], 1);
        else
            unsetenv("TERM");
        program_start(&terminal, 24, 80, NULL);
        setenv("TERM", "xterm-256color", 1);
        terminal_expect_end(&terminal);
        assert_non_null(strstr(text_string(&terminal.output), terms[i][1]));
        assert_non_null(strstr(text_string(&terminal.output), "'warpbook shell' works without a screen"));
        ended(&terminal, EXIT_USAGE);
    }
}

// An entry of terminfo that has Ms, made here, for what machines have differs; false: there is no tic.
static bool make_entry(void)
{
    write_into(
        "entry",
        "warpbook-256color|a terminal with a clipboard,\n\tMs=\\E]52;%p1%s;%p2%s^G, use=xterm-256color,\n"
        "warpbook-direct|the same for curses,\n\tMs@, use=xterm-256color,\n"
        "warpbook-odd|one with a word that nobody knows,\n\tMs=\\E]52;%p1%d^G, use=xterm-256color,\n");
    char *command = text_format("tic -x -o '%s' '%s' 2>/dev/null", in_folder("terminfo"), in_folder("entry"));
    int made = system(command);
    free(command);
    setenv("TERMINFO", in_folder("terminfo"), 1);
    return made == 0;
}

static void copied_with(const char *term, const char *says, bool sent)
{
    static const char word[] =
        "\033]52;c;d2FycGJvb2sgZXhwbG9yZSBiYW5rcyBwYXR0ZXJuPX"; // "warpbook explore banks pattern="
    struct terminal terminal;
    setenv("TERM", term, 1);
    opened(&terminal, "explore", "banks");
    terminal_expect(&terminal, "passes");
    typed(&terminal, "y", says);
    const char *at = strstr(text_string(&terminal.output), word);
    assert_true((at != NULL) == sent);
    assert_true(!at || at[strcspn(at + 1, "\a\033") + 1] == '\a'); // and ends as it should
    quit(&terminal);
    setenv("TERM", "xterm-256color", 1);
}

static void the_terminal_gets_what_is_copied(void **state)
{
    if (!make_entry()) {
        unsetenv("TERMINFO");
        skip();
    }
    copied_with("warpbook-256color", "Copied \"warpbook explore banks", true);
    setenv("COLORTERM", "truecolor", 1); // curses takes another entry then
    copied_with("warpbook-256color", "Copied \"warpbook explore banks", true);
    unsetenv("COLORTERM");
    copied_with("warpbook-odd", "copied.txt instead", false);
    copied_with("vt100", "copied.txt instead", false);
    char *kept = read_from("own/copied.txt");
    assert_true(string_starts(kept, "warpbook explore banks pattern="));
    free(kept);
    unsetenv("TERMINFO");
}

// The overview for the program's name alone, a sentence for `open`.
static void no_terminal(void **state)
{
    static const struct {
        const char *line, *says;
        int status;
    } all[] = {
        { "exec \"$WARPBOOK\" </dev/null", "vecadd", 0 },
        { "\"$WARPBOOK\" | cat", "vecadd", 0 },
        { "exec \"$WARPBOOK\" open bench </dev/null", "needs a terminal", EXIT_USAGE },
        { "exec \"$WARPBOOK\" open 2>&1 >/dev/null", "needs a terminal", EXIT_USAGE },
        { "exec \"$WARPBOOK\" open nowhere", "There is no page 'nowhere'", EXIT_USAGE },
        { "exec \"$WARPBOOK\" open bench nowhere", "There is no lab 'nowhere'", 0 },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *const argv[] = { "/bin/sh", "-c", all[i].line, NULL };
        struct terminal terminal;
        terminal_start(&terminal, 60, 80, argv);
        if (i == 5) { // there is a page to go on with
            typed(&terminal, "", all[i].says);
            terminal_type(&terminal, "q");
        } else {
            terminal_expect_end(&terminal);
            assert_non_null(strstr(text_string(&terminal.output), all[i].says));
        }
        ended(&terminal, all[i].status);
    }
}

// ---- the shell ---------------------------------------------------------------------------------------

static void stop_and_go_on(void **state)
{
    struct terminal terminal;
    opened(&terminal, "bench", "banks");
    terminal_type(&terminal, "jj");
    for (int i = 0; i < 3; i++) {
        struct seen before = settled(&terminal);
        if (i == 0)
            terminal_type(&terminal, "\032");
        else if (i == 1)
            typed(&terminal, ":suspend\r", ""); // the same from the prompt
        else
            kill(terminal.program, SIGTSTP);
        terminal_expect_stop(&terminal);
        terminal_expect_whole(&terminal);
        terminal_continue(&terminal);
        expect_screen(&terminal);
        expect_settled(&terminal, before);
    }
    quit(&terminal);
}

// Waits until the program has read all that was typed.
static void expect_read(struct terminal *terminal)
{
    int unread = 1, keyboard = open(ptsname(terminal->fd), O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    while (ioctl(keyboard, FIONREAD, &unread) == 0 && unread)
        if (!terminal_wait(terminal, 1) && clock_ms() > end)
            terminal_give_up(terminal, "a look at the keys");
    close(keyboard);
}

// A report that breaks off; what comes next is heard all the same.
static void a_mouse_report_that_breaks_off_deafens_nobody(void **state)
{
    static const char *const broken[] = { "\033[<", "\033[<1;2", "\033[M" };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct terminal terminal;
        const char *argv[] = { getenv("WARPBOOK"), NULL };
        terminal_start(&terminal, 24, 80, argv);
        terminal_expect(&terminal, "Lessons");
        terminal_type(&terminal, ":mouse on\r");
        terminal_expect(&terminal, "The mouse is on");
        terminal_type(&terminal, broken[i]);
        expect_read(&terminal);
        kill(terminal.program, SIGTERM);
        assert_int_equal(terminal_expect_end(&terminal), 0);
        terminal_expect_whole(&terminal);
        terminal_end(&terminal);
    }
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "serve") == 0)
        return serve();
    program_environment();
    const struct CMUnitTest tests[] = {
        program_test(it_starts_at_home),
        program_test(it_opens_on_a_page),
        program_test(pages_lie_over_each_other),
        program_test(kernels_follow_each_other),
        program_test(it_is_left_by_words),
        program_test(tiny_terminals_get_a_message),
        program_test(a_scrolled_page_keeps_its_place),
        program_test(the_selection_stays),
        program_test(the_prompt_stays),
        program_test(any_size_on_any_page),
        program_test(the_prompt_is_cancelled),
        program_test(its_history_lasts),
        program_test(pastes_are_text),
        program_test(the_mouse_does_what_keys_do),
        program_test(colours_are_a_wish),
        program_test(ascii_is_a_wish),
        program_test(terminals_that_work),
        program_test(terminals_that_cannot),
        program_test(the_terminal_gets_what_is_copied),
        program_test(no_terminal),
        program_test(stop_and_go_on),
        program_test(a_mouse_report_that_breaks_off_deafens_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
