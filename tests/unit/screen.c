// The screen in a real terminal, as far as libvterm is one: a small program opens it, shows a canvas and tells what
// came; the tests type, resize, stop and kill it, and look.
#include "tests/unit/terminal.h"

#include <locale.h>
#include <stdio.h>

#include "tests/child.h"
#include "tui/draw/draw.h"

// ---- the program -------------------------------------------------------------------------------------

struct screen_case {
    struct face face;
    struct canvas canvas;
    char said[400];
    bool cut, quit;
};

static void draw(struct screen_case *state)
{
    int rows, cols;
    state->face.size(state->face.context, &rows, &cols);
    canvas_resize(&state->canvas, rows, cols);
    struct area area = canvas_area(&state->canvas);
    area_put(area, 0, 0, ROLE_TEXT, rows == 1 ? "tiny" : "size %dx%d", rows, cols);
    area_put(area, 1, 0, ROLE_TEXT, "said: %s.", state->said);
    int col = area_put(area, 2, 0, ROLE_GOOD, "good ");
    area_put(area, 2, col, ROLE_BAD, "bad");
    area_put(area, 3, 0, ROLE_TEXT, "日本 e\u0301 \u00e9.");
    area_cursor(area, 1, 2);
    if (state->cut) { // halves that no area would leave
        struct cell *row = state->canvas.cells + 3 * cols;
        snprintf(row[0].text, sizeof row[0].text, "日");
        snprintf(row[1].text, sizeof row[1].text, "y");
        snprintf(row[2].text, sizeof row[2].text, "%s", "");
        snprintf(row[3].text, sizeof row[3].text, "z");
        snprintf(row[cols - 1].text, sizeof row[0].text, "本");
    }
    state->face.show(state->face.context, &state->canvas);
}

static void lend(struct screen_case *state, const char *program, const char *script)
{
    const char *const argv[] = { program, "-c", script, NULL };
    struct error error;
    int status = 0;
    if (!state->face.lend(state->face.context, argv, &status, &error))
        format_into(state->said, sizeof state->said, "%s", error.text);
    else
        format_into(state->said, sizeof state->said, "lent %d", WEXITSTATUS(status));
}

int get_escdelay(void); // of curses, whose header has a key_name of its own

// The clock of the program, which a key can put forward.
static double ahead_ms;
double __real_clock_ms(void);
double __wrap_clock_ms(void);
double __wrap_clock_ms(void)
{
    return __real_clock_ms() + ahead_ms;
}

static void pressed(struct screen_case *state, int key)
{
    volatile uintptr_t nowhere = 64;
    char name[32];
    key_name(key, name, sizeof name);
    format_into(state->said, sizeof state->said, "key %s", name);
    state->cut = key == 'w';
    state->quit = key == 'q';
    switch (key) {
    case 'c':
        *(volatile int *)nowhere = 1;
        break;
    case 'a':
        abort();
    case 'e':
        exit(3);
    case 'E':
        fputs("written to stderr\n", stderr);
        break;
    case 'l':
        lend(state, "sh", "echo to stderr >&2; read answer; exit 7");
        break;
    case 'f':
        ahead_ms += 60000;
        break;
    case 'd':
        format_into(state->said, sizeof state->said, "Escape takes %d ms", get_escdelay());
        break;
    case 's':
        lend(state, "sh", "kill -STOP $$; exit 8");
        break;
    case 'L':
        lend(state, "/nonexistent/editor", "");
        break;
    case 'm':
        state->face.mouse(state->face.context, true);
        break;
    case 'Z' - '@':
        state->face.suspend(state->face.context);
        break;
    default:
        break;
    }
}

static void came(struct screen_case *state, const struct event *event)
{
    for (char *at = event->text; at && *at; at++)
        if (*at == '\n')
            *at = '/';
    char *said = state->said;
    size_t size = sizeof state->said;
    if (event->kind == EVENT_KEY)
        pressed(state, event->key);
    else if (event->kind == EVENT_PASTE)
        format_into(said, size, "paste %s", event->text);
    else if (event->kind == EVENT_MOUSE)
        format_into(said, size, "mouse %d %d %d", event->row, event->col, event->wheel);
    else if (event->kind == EVENT_RESIZE)
        format_into(said, size, "resize %dx%d", event->rows, event->cols);
    else if (event->kind == EVENT_STOP)
        format_into(said, size, "stop");
    else
        state->quit = true;
    free(event->text);
}

static int program(const char *how)
{
    setlocale(LC_CTYPE, "");
    struct screen_wish wish = { .ascii = strcmp(how, "ascii") == 0, .light = -1 };
    struct screen_case state = { 0 };
    for (int round = 0; round < (strcmp(how, "twice") == 0 ? 2 : 1); round++) {
        struct screen *screen;
        struct error error;
        if (!screen_open(&wish, &screen, &error)) {
            puts(error.text);
            return (int)error.code;
        }
        state.face = screen_face(screen);
        state.canvas.utf8 = screen_utf8(screen);
        for (state.quit = false; !state.quit;) {
            struct event event;
            draw(&state);
            state.face.next(state.face.context, -1, -1, &event);
            came(&state, &event);
        }
        screen_close(screen);
    }
    canvas_free(&state.canvas);
    puts("bye");
    return 0;
}

// ---- starting it -------------------------------------------------------------------------------------

static void start(struct terminal *terminal, const char *how)
{
    const char *const argv[] = { "/proc/self/exe", how, NULL };
    terminal_start(terminal, 24, 80, argv);
}

static void opened(struct terminal *terminal, const char *how)
{
    start(terminal, how);
    terminal_expect(terminal, "size 24x80");
    terminal_expect(terminal, ".\n");
    assert_true(terminal->alternate);
}

static void quit(struct terminal *terminal)
{
    terminal_type(terminal, "q");
    assert_int_equal(terminal_expect_end(terminal), 0);
    terminal_expect(terminal, "bye");
    terminal_expect_whole(terminal);
    terminal_end(terminal);
}

static void typed(struct terminal *terminal, const char *keys, const char *said)
{
    char line[450];
    terminal_type(terminal, keys);
    format_into(line, sizeof line, "said: %s.\n", said);
    terminal_expect(terminal, line);
}

static bool has_index(VTermColor colour, int index)
{
    return VTERM_COLOR_IS_INDEXED(&colour) && colour.indexed.idx == index;
}

// ---- showing -----------------------------------------------------------------------------------------

static void text_and_wide_characters(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    terminal_expect(&terminal, "日本 e\u0301 \u00e9.\n");
    assert_int_equal(terminal_cell(&terminal, 3, 0).width, 2);
    assert_int_equal(terminal_cell(&terminal, 3, 2).chars[0], 0x672c);
    assert_int_equal(terminal_cell(&terminal, 3, 5).chars[1], 0x301);
    assert_true(terminal.cursor.row == 1 && terminal.cursor.col == 2);
    quit(&terminal);
}

// The right half of a wide character whose left half went, a left half without its right one, and one that would stand
// over the edge are blanks.
static void cut_wide_characters(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    typed(&terminal, "w", "key w");
    terminal_expect(&terminal, "\n y z");
    assert_int_equal(terminal_cell(&terminal, 3, 79).chars[0] | ' ', ' ');
    typed(&terminal, "x", "key x");
    terminal_expect(&terminal, "\n日本 e\u0301 \u00e9.\n");
    quit(&terminal);
}

static void colours(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    terminal_expect(&terminal, "good bad\n");
    assert_true(has_index(terminal_cell(&terminal, 2, 0).fg, 114));
    assert_true(has_index(terminal_cell(&terminal, 2, 5).fg, 210));
    assert_true(terminal_cell(&terminal, 2, 5).attrs.bold);
    VTermColor own = terminal_cell(&terminal, 2, 5).bg;
    assert_true(VTERM_COLOR_IS_DEFAULT_BG(&own));
    quit(&terminal);
}

static void light_colours(void **unused)
{
    struct terminal terminal;
    setenv("COLORFGBG", "0;15", 1);
    opened(&terminal, "plain");
    unsetenv("COLORFGBG");
    terminal_expect(&terminal, "good bad\n");
    assert_false(has_index(terminal_cell(&terminal, 2, 0).fg, 114));
    quit(&terminal);
}

static const char question[] = "\033]11;?\033\\";

static bool is_light(const struct terminal *terminal)
{
    return !has_index(terminal_cell(terminal, 2, 0).fg, 114);
}

// The answer comes when it comes, whole or in pieces, and all is painted anew.
static void a_terminal_says_that_its_ground_is_light(void **unused)
{
    static const char *const answers[][2] = { { "\033]11;rgb:ffff/ffff/ffff\033\\", "" },
                                              { "\033]11;rgb:fa/f0/e6\a", "" },
                                              { "\033]11;rgba:ffff/ff", "ff/ffff/ffff\033\\" } };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct terminal terminal;
        opened(&terminal, "plain");
        terminal_expect(&terminal, "good bad\n");
        assert_non_null(strstr(text_string(&terminal.output), question));
        assert_false(is_light(&terminal));
        terminal_type(&terminal, answers[i][0]);
        terminal_type(&terminal, answers[i][1]);
        terminal_expect(&terminal, "said: resize 24x80.");
        typed(&terminal, "x", "key x");
        assert_true(is_light(&terminal));
        quit(&terminal);
    }
}

// A terminal that never answers costs Escape its patience for a while, though keys come all the time.
static void an_answer_that_never_comes_is_given_up(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    terminal_expect(&terminal, "good bad\n");
    assert_non_null(strstr(text_string(&terminal.output), question));
    typed(&terminal, "f", "key f"); // a minute later
    typed(&terminal, "d", "Escape takes 25 ms");
    quit(&terminal);
}

// A dark ground, an answer that nobody understands, one that never ends before a key: never typed keys.
static void other_answers_change_nothing(void **unused)
{
    static const char *const answers[] = { "\033]11;rgb:1c1c/1c1c/1c1c\033\\", "\033]11;rgb:qqqq\033\\",
                                           "\033]11;rgb:ffff/ffff\a", "\033]11;rgb:fffff/0/0\a" };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct terminal terminal;
        opened(&terminal, "plain");
        terminal_type(&terminal, answers[i]);
        typed(&terminal, "x", "key x");
        assert_false(is_light(&terminal));
        typed(&terminal, "\033]", "key M-]");
        typed(&terminal, "y", "key y");
        quit(&terminal);
    }
}

static void who_would_not_understand_is_not_asked(void **unused)
{
    static const char *const terms[] = { "vt220", "linux", "screen" };
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        struct terminal terminal;
        setenv("TERM", terms[i], 1);
        start(&terminal, "plain");
        setenv("TERM", "xterm-256color", 1);
        terminal_expect(&terminal, "good bad\n");
        typed(&terminal, "x", "key x");
        assert_null(strstr(text_string(&terminal.output), "]11"));
        quit(&terminal);
    }
}

static void eight_colours(void **unused)
{
    struct terminal terminal;
    setenv("TERM", "xterm", 1);
    opened(&terminal, "plain");
    setenv("TERM", "xterm-256color", 1);
    terminal_expect(&terminal, "good bad\n");
    assert_true(has_index(terminal_cell(&terminal, 2, 0).fg, 2));
    quit(&terminal);
}

static void no_colours(void **unused)
{
    struct terminal terminal;
    setenv("NO_COLOR", "1", 1);
    opened(&terminal, "plain");
    unsetenv("NO_COLOR");
    terminal_expect(&terminal, "good bad\n");
    VTermScreenCell bad = terminal_cell(&terminal, 2, 5);
    assert_true(VTERM_COLOR_IS_DEFAULT_FG(&bad.fg));
    assert_true(bad.attrs.bold && bad.attrs.underline);
    quit(&terminal);
}

// Only what changed is sent.
static void small_changes_are_small(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    typed(&terminal, "x", "key x");
    size_t before = terminal.output.length;
    typed(&terminal, "y", "key y");
    assert_true(terminal.output.length - before < 40);
    quit(&terminal);
}

static void sizes(void **unused)
{
    static const int all[][2] = { { 1, 1 }, { 2, 3 }, { 60, 200 }, { 1, 80 }, { 30, 1 }, { 24, 80 } };
    struct terminal terminal;
    opened(&terminal, "plain");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char size[40];
        int rows = all[i][0], cols = all[i][1];
        terminal_resize(&terminal, rows, cols);
        format_into(size, sizeof size, rows == 1 ? "tiny" : "size %dx%d", rows, cols);
        if (cols < (int)sizeof size)
            size[cols] = 0;
        terminal_expect(&terminal, size);
    }
    terminal_expect(&terminal, "said: resize 24x80.\n");
    terminal_expect(&terminal, "日本 e\u0301 \u00e9.\n");
    quit(&terminal);
}

// ---- what comes --------------------------------------------------------------------------------------

static void keys(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    typed(&terminal, "j", "key j");
    typed(&terminal, "\033OA", "key <Up>");
    typed(&terminal, "\033[B", "key <Down>");
    typed(&terminal, "\033OP", "key <F1>");
    typed(&terminal, "\033[6~", "key <PageDown>");
    typed(&terminal, "\033[Z", "key <BackTab>");
    typed(&terminal, "\r", "key <Enter>");
    typed(&terminal, "\t", "key <Tab>");
    typed(&terminal, "\177", "key <Backspace>");
    typed(&terminal, "\003", "key ^C");
    typed(&terminal, "\034", "key ^\\");
    typed(&terminal, "\033", "key <Escape>");
    typed(&terminal, "\033x", "key M-x");
    typed(&terminal, "\u00e9", "key \u00e9");
    typed(&terminal, "\033\u65e5", "key M-\u65e5");
    typed(&terminal, "\033[97;5;99~k", "key k"); // an unknown sequence is no key
    typed(&terminal, "\033[?1;2cl\n", "lent 7"); // nor is an answer of the terminal
    quit(&terminal);
}

// A character whose bytes come one by one. After each resize, what was typed before it has been read.
static void split_character(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    terminal_type(&terminal, "\xe6\x97");
    terminal_resize(&terminal, 20, 70);
    terminal_expect(&terminal, "said: resize 20x70.\n");
    terminal_resize(&terminal, 24, 80);
    terminal_expect(&terminal, "said: resize 24x80.\n");
    typed(&terminal, "\xa5", "key \u65e5");
    typed(&terminal, "\xe6\xff\xc3j", "key j");
    quit(&terminal);
}

static void pastes(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    typed(&terminal, "\033[200~one\rtwo \u00e9\033[Aq\001\033[201~", "paste one/two \u00e9q");
    typed(&terminal, "\033[200~\033[201~", "paste ");
    typed(&terminal, "x", "key x");
    quit(&terminal);
}

static void mouse(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    assert_false(terminal_mode(&terminal, "1000"));
    typed(&terminal, "m", "key m");
    assert_true(terminal_mode(&terminal, "1000"));
    typed(&terminal, "\033[<0;5;3M\033[<0;5;3m", "mouse 2 4 0");
    typed(&terminal, "\033[<65;79;24M", "mouse 23 78 3");
    typed(&terminal, "\033[<64;1;1M", "mouse 0 0 -3");
    quit(&terminal);
}

static void plain_locale(void **unused)
{
    struct terminal terminal;
    setenv("LC_ALL", "C", 1);
    opened(&terminal, "plain");
    setenv("LC_ALL", "C.UTF-8", 1);
    typed(&terminal, "j", "key j");
    typed(&terminal, "\u00e9k", "key k");
    for (const char *at = text_string(&terminal.output); *at; at++)
        assert_false(*at & 0x80);
    quit(&terminal);
}

// ---- stopping ----------------------------------------------------------------------------------------

static void stop_and_go_on(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    for (int outside = 0; outside < 2; outside++) {
        if (outside)
            kill(terminal.program, SIGTSTP);
        else
            terminal_type(&terminal, "\032");
        terminal_expect_stop(&terminal);
        terminal_expect_whole(&terminal);
        assert_false(terminal_shows(&terminal, "size 24x80"));
        terminal_continue(&terminal);
        terminal_expect(&terminal, outside ? "said: resize 24x80.\n" : "said: key ^Z.\n");
        terminal_expect(&terminal, "日本 e\u0301 \u00e9.\n");
        assert_true(terminal.alternate);
    }
    typed(&terminal, "x", "key x");
    quit(&terminal);
}

// Stopped by what cannot be caught, and resized meanwhile.
static void hard_stop(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    kill(terminal.program, SIGSTOP);
    terminal_expect_stop(&terminal);
    terminal_resize(&terminal, 20, 70);
    terminal_continue(&terminal);
    terminal_expect(&terminal, "size 20x70\nsaid: resize 20x70.\n");
    typed(&terminal, "x", "key x");
    quit(&terminal);
}

static void interrupt_from_outside(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    kill(terminal.program, SIGINT);
    terminal_expect(&terminal, "said: stop.\n");
    quit(&terminal);
}

static void end_from_outside(void **unused)
{
    static const int signals[] = { SIGTERM, SIGHUP };
    for (size_t i = 0; i < 2; i++) {
        struct terminal terminal;
        opened(&terminal, "plain");
        kill(terminal.program, signals[i]);
        assert_int_equal(terminal_expect_end(&terminal), 0);
        terminal_expect(&terminal, "bye");
        terminal_expect_whole(&terminal);
        terminal_end(&terminal);
    }
}

static void terminal_vanishes(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    close(terminal.fd);
    terminal.fd = -1;
    assert_true(WIFEXITED(terminal_expect_end(&terminal)));
    terminal_end(&terminal);
}

// ---- crashes -----------------------------------------------------------------------------------------

static void crashed(struct terminal *terminal, const char *message)
{
    int status = terminal_expect_end(terminal);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0); // a sanitizer makes it an exit
    if (!strstr(text_string(&terminal->output), message))
        terminal_give_up(terminal, message);
    terminal_expect_whole(terminal);
    terminal_end(terminal);
}

static void crashes(void **unused)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT };
    static const char *const names[] = { "SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL", "SIGQUIT" };
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct terminal terminal;
        opened(&terminal, "plain");
        typed(&terminal, "m", "key m");
        kill(terminal.program, signals[i]);
        crashed(&terminal, names[i]);
    }
    static const char *const own[] = { "c", "a" };
    for (size_t i = 0; i < 2; i++) {
        struct terminal terminal;
        opened(&terminal, "plain");
        terminal_type(&terminal, own[i]);
        crashed(&terminal, i ? "SIGABRT" : "SIGSEGV");
    }
}

static void exit_without_closing(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    typed(&terminal, "E", "key E");
    assert_false(terminal_shows(&terminal, "written"));
    terminal_type(&terminal, "e");
    assert_int_equal(WEXITSTATUS(terminal_expect_end(&terminal)), 3);
    terminal_expect(&terminal, "written to stderr\n");
    terminal_expect_whole(&terminal);
    terminal_end(&terminal);
}

static void errors_are_held_back(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    typed(&terminal, "E", "key E");
    assert_false(terminal_shows(&terminal, "written"));
    quit(&terminal);
    opened(&terminal, "plain");
    typed(&terminal, "E", "key E");
    terminal_type(&terminal, "q");
    assert_int_equal(terminal_expect_end(&terminal), 0);
    terminal_expect(&terminal, "written to stderr\n");
    terminal_end(&terminal);
}

// ---- lending -----------------------------------------------------------------------------------------

static void lending(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    terminal_type(&terminal, "l");
    terminal_expect(&terminal, "to stderr\n");
    terminal_expect_whole(&terminal);
    terminal_type(&terminal, "answer\n");
    terminal_expect(&terminal, "said: lent 7.\n");
    terminal_expect(&terminal, "日本 e\u0301 \u00e9.\n");
    assert_true(terminal.alternate);
    quit(&terminal);
}

// A program that stops only itself takes the lab along, so that the shell comes forward.
static void lending_to_one_that_stops(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    terminal_type(&terminal, "s");
    terminal_expect_stop(&terminal);
    terminal_expect_whole(&terminal);
    terminal_continue(&terminal);
    terminal_expect(&terminal, "said: lent 8.\n");
    quit(&terminal);
}

static void lending_to_nobody(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "plain");
    typed(&terminal, "L", "The program '/nonexistent/editor' was not found.");
    quit(&terminal);
}

// ---- opening -----------------------------------------------------------------------------------------

static void terminals_that_cannot(void **unused)
{
    static const struct {
        const char *term, *sentence;
    } all[] = {
        { "no-such-terminal",
          "The terminal 'no-such-terminal' is not known here; TERM=xterm-256color fits most." },
        { "dumb", "The terminal 'dumb' cannot place its cursor" },
        { "", "TERM is not set" },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct terminal terminal;
        setenv("TERM", all[i].term, 1);
        start(&terminal, "plain");
        setenv("TERM", "xterm-256color", 1);
        assert_int_equal(WEXITSTATUS(terminal_expect_end(&terminal)), EXIT_USAGE);
        assert_true(strstr(text_string(&terminal.output), all[i].sentence) != NULL);
        assert_true(strstr(text_string(&terminal.output), "'warpbook shell' works without a screen") != NULL);
        terminal_expect_whole(&terminal);
        terminal_end(&terminal);
    }
}

static void no_terminal(void **unused)
{
    const char *const argv[] = { "/proc/self/exe", "plain", NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run(argv, "", 0, TERMINAL_PATIENCE_MS, &result, &error));
    assert_int_equal(WEXITSTATUS(result.status), EXIT_USAGE);
    assert_true(strstr(text_string(&result.out), "needs a terminal") != NULL);
    child_result_free(&result);
}

static void twice(void **unused)
{
    struct terminal terminal;
    opened(&terminal, "twice");
    typed(&terminal, "x", "key x");
    terminal_type(&terminal, "q");
    terminal_expect(&terminal, "said: key q.\n");
    typed(&terminal, "y", "key y");
    quit(&terminal);
}

int main(int count, char **words)
{
    if (count > 1)
        return program(words[1]);
    static const char *const others[] = { "COLORTERM", "COLORFGBG", "NO_COLOR", "LINES", "COLUMNS" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        unsetenv(others[i]);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "xterm-256color", 1);
    setlocale(LC_CTYPE, "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_wide_characters),
        cmocka_unit_test(cut_wide_characters),
        cmocka_unit_test(colours),
        cmocka_unit_test(light_colours),
        cmocka_unit_test(a_terminal_says_that_its_ground_is_light),
        cmocka_unit_test(an_answer_that_never_comes_is_given_up),
        cmocka_unit_test(other_answers_change_nothing),
        cmocka_unit_test(who_would_not_understand_is_not_asked),
        cmocka_unit_test(eight_colours),
        cmocka_unit_test(no_colours),
        cmocka_unit_test(small_changes_are_small),
        cmocka_unit_test(sizes),
        cmocka_unit_test(keys),
        cmocka_unit_test(split_character),
        cmocka_unit_test(pastes),
        cmocka_unit_test(mouse),
        cmocka_unit_test(plain_locale),
        cmocka_unit_test(stop_and_go_on),
        cmocka_unit_test(hard_stop),
        cmocka_unit_test(interrupt_from_outside),
        cmocka_unit_test(end_from_outside),
        cmocka_unit_test(terminal_vanishes),
        cmocka_unit_test(crashes),
        cmocka_unit_test(exit_without_closing),
        cmocka_unit_test(errors_are_held_back),
        cmocka_unit_test(lending),
        cmocka_unit_test(lending_to_one_that_stops),
        cmocka_unit_test(lending_to_nobody),
        cmocka_unit_test(terminals_that_cannot),
        cmocka_unit_test(no_terminal),
        cmocka_unit_test(twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
