// The whole program in a terminal of its own (terminal.h), with a folder and a worker of its own: what the tests of
// program*.c share. The worker is this test program again, started with the one word "serve": it answers at once, or
// when the test says so, and what it says can be hostile.
#ifndef WARPBOOK_TESTS_UNIT_PROGRAM_H
#define WARPBOOK_TESTS_UNIT_PROGRAM_H

#include "tests/child.h"
#include "tests/unit/terminal.h"

#include <ftw.h>
#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>

#include <jansson.h>

#define ESCAPE "\033"
enum { PROGRAM_NAME = 400 };

// ---- the folder of one test --------------------------------------------------------------------------

// $PROGRAM_FOLDER holds `own`, and what the worker and the test tell each other: `held`, a pipe that the worker waits
// for before it answers a run; `alive`, a pipe that it keeps open; `pid`; `record`, what it answers instead.
static inline const char *in_folder(const char *name)
{
    static char paths[4][PROGRAM_NAME];
    static int turn;
    char *path = paths[turn++ % 4];
    format_into(path, PROGRAM_NAME, "%s/%s", getenv("PROGRAM_FOLDER"), name);
    return path;
}

static inline int remove_one(const char *path, const struct stat *what, int kind, struct FTW *at)
{
    return remove(path);
}

static inline int folder_setup(void **state)
{
    const char *home = getenv("TMPDIR");
    char *name = path_join(home && *home ? home : "/tmp", "program-XXXXXX");
    if (!mkdtemp(name))
        return -1;
    setenv("PROGRAM_FOLDER", name, 1);
    setenv("WARPBOOK_HOME", in_folder("own"), 1);
    *state = name;
    return 0;
}

static inline int folder_teardown(void **state)
{
    nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return 0;
}

static inline void write_into(const char *name, const char *text)
{
    struct error error;
    char *path = mem_copy(in_folder(name));
    char *folder = mem_copy_n(path, (size_t)(strrchr(path, '/') - path));
    if (!folder_make(folder, &error) || !file_replace(path, text, strlen(text), &error))
        fail_msg("%s", error.text);
    free(folder);
    free(path);
}

// The caller frees; "" when it is not there.
static inline char *read_from(const char *name)
{
    struct text text = { 0 };
    struct error error;
    if (!file_exists(in_folder(name)) || !file_read(in_folder(name), &text, &error))
        text_add(&text, "");
    return text_take(&text);
}

// ---- the worker --------------------------------------------------------------------------------------

static inline void serve_answer(json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT);
    printf("%s\n", text);
    fflush(stdout);
    free(text);
    json_decref(answer);
}

static inline void serve_hold(json_t *id)
{
    char pid[30];
    format_into(pid, sizeof pid, "%d", (int)getpid());
    write_into("pid", pid);
    int alive = open(in_folder("alive"), O_WRONLY | O_CLOEXEC); // stays open as long as this process lives
    serve_answer(json_pack("{s:O, s:s, s:i}", "id", id, "stage", "held", "limit_ms", 60000));
    int go = open(in_folder("held"), O_RDONLY | O_CLOEXEC); // waits until the test opens it
    if (go >= 0)
        close(go);
    if (alive >= 0)
        close(alive);
}

static inline json_t *serve_record(const json_t *request)
{
    char *text = read_from("record");
    json_t *record = *text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    if (!record)
        record = json_pack("{s:s, s:f, s:f, s:f, s:i, s:s}", "status", "right", "median_ms", 12.5, "min_ms",
                           12.25, "spread_pct", 1.5, "reps", 5, "device", "Test machine");
    static const char *const copied[] = { "lab", "variant", "on" };
    for (size_t i = 0; i < 3; i++)
        if (json_object_get(request, copied[i]))
            json_object_set(record, i == 2 ? "backend" : copied[i], json_object_get(request, copied[i]));
    return record;
}

static inline int serve(void)
{
    char *line = NULL;
    size_t size = 0;
    serve_answer(json_loads(GREETING, 0, NULL));
    while (getline(&line, &size, stdin) > 0) {
        json_t *request = json_loads(line, 0, NULL), *id = json_object_get(request, "id");
        const char *verb = json_string_value(json_object_get(request, "do"));
        bool run = verb && strcmp(verb, "run") == 0;
        if (verb && strcmp(verb, "hello") == 0) {
            json_decref(request);
            continue;
        }
        if (run && file_exists(in_folder("held")))
            serve_hold(id);
        serve_answer(json_pack("{s:O, s:o}", "id", id, "result",
                               run ? serve_record(request)
                                   : json_pack("{s:s}", "gpu_missing", "There is no GPU in this test.")));
        json_decref(request);
    }
    free(line);
    return 0;
}

// From now on runs wait; the next `alive` descriptor tells when the worker that waits is gone.
static inline int hold_runs(void)
{
    assert_int_equal(mkfifo(in_folder("held"), 0600), 0);
    assert_int_equal(mkfifo(in_folder("alive"), 0600), 0);
    int alive = open(in_folder("alive"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(alive >= 0);
    return alive;
}

// The one that waits goes on, and later ones do not wait.
static inline void let_go(int alive)
{
    int held = open(in_folder("held"), O_RDWR | O_CLOEXEC);
    assert_true(held >= 0);
    struct pollfd gone = { alive, POLLIN, 0 };
    if (poll(&gone, 1, TERMINAL_PATIENCE_MS) != 1)
        fail_msg("the worker did not go on");
    unlink(in_folder("held"));
    unlink(in_folder("alive"));
    close(held);
    close(alive);
}

// The worker that waited is gone; later ones do not wait.
static inline void expect_no_worker(int alive)
{
    struct pollfd gone = { alive, POLLIN, 0 };
    if (poll(&gone, 1, TERMINAL_PATIENCE_MS) != 1)
        fail_msg("the worker still runs");
    assert_true(gone.revents & POLLHUP);
    unlink(in_folder("held"));
    unlink(in_folder("alive"));
    close(alive);
}

// ---- the program -------------------------------------------------------------------------------------

enum { WORDS_MOST = 8 };
// `words`: those after the program's name, NULL after the last.
static inline void program_start(struct terminal *terminal, int rows, int cols, const char *const *words)
{
    const char *argv[WORDS_MOST + 2] = { getenv("WARPBOOK") };
    for (int i = 0; words && words[i] && i < WORDS_MOST; i++)
        argv[i + 1] = words[i];
    terminal_start(terminal, rows, cols, argv);
}

// `warpbook open PAGE [WHAT]` at 24x80; it is shown when this returns, and what it says of the machine: its page alone asks.
static inline void opened(struct terminal *terminal, const char *page, const char *what)
{
    const char *const words[] = { "open", page, what, NULL };
    char title[80];
    program_start(terminal, 24, 80, words);
    format_into(title, sizeof title, " warpbook · %s", page);
    terminal_expect(terminal, title);
    terminal_expect(terminal, strcmp(page, "machine") == 0 ? "no GPU: simulator" : "GPU by program");
}

static inline void at_home(struct terminal *terminal)
{
    opened(terminal, "home", NULL);
}

static inline void typed(struct terminal *terminal, const char *keys, const char *shows)
{
    terminal_type(terminal, keys);
    terminal_expect(terminal, shows);
}

// Ended by itself with this exit status, and left the terminal as it was.
static inline void ended(struct terminal *terminal, int status)
{
    int ends = terminal_expect_end(terminal);
    if (!WIFEXITED(ends) || WEXITSTATUS(ends) != status) {
        fprintf(stderr, "%s\n", text_string(&terminal->output));
        fail_msg("it ended with the wait status %#x; all that it wrote is above", (unsigned)ends);
    }
    terminal_expect_whole(terminal);
    terminal_end(terminal);
}

static inline void quit(struct terminal *terminal)
{
    terminal_type(terminal, "Q");
    ended(terminal, 0);
}

// ---- looking -----------------------------------------------------------------------------------------

// Waits until the screen no longer shows it.
static inline void expect_gone(struct terminal *terminal, const char *text)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    while (terminal_shows(terminal, text))
        if (!terminal_wait(terminal, 100) && (terminal->ended || clock_ms() > end))
            fail_msg("'%s' did not go", text);
}

// Waits until the program has the screen again.
static inline void expect_screen(struct terminal *terminal)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    while (!terminal->alternate)
        if (!terminal_wait(terminal, 100) && (terminal->ended || clock_ms() > end))
            terminal_give_up(terminal, "the screen");
}

static inline char *row_text(const struct terminal *terminal, int row)
{
    char *all = terminal_text(terminal), *at = all;
    for (; row > 0 && *at; row--)
        at += strcspn(at, "\n") + 1;
    char *line = mem_copy_n(at, strcspn(at, "\n"));
    free(all);
    return line;
}

// Waits until the cursor, which is parked on what is selected, stands in a line that holds `text`.
static inline void expect_selected(struct terminal *terminal, const char *text)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    for (bool here = false; !here;) {
        char *line = row_text(terminal, terminal->cursor.row);
        here = strstr(line, text) != NULL;
        free(line);
        if (!here && !terminal_wait(terminal, 100) && (terminal->ended || clock_ms() > end))
            terminal_give_up(terminal, text);
    }
}

// Two keys that are bound to nothing: the answer to the second comes in a small frame of its own, so that all before it
// was done and is drawn.
static inline void settle(struct terminal *terminal)
{
    int rows, cols;
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    typed(terminal, "\033[23~", "<F11> does nothing");
    typed(terminal, "\033[24~", "<F12> does nothing");
    vterm_get_size(terminal->vt, &rows, &cols);
    while (terminal->cursor.row == rows - 1 && clock_ms() < end)
        terminal_wait(terminal, 100);
}

// What the screen shows when all that was typed is done.
struct seen {
    char *text;
    VTermPos cursor;
};
static inline struct seen see(const struct terminal *terminal)
{
    return (struct seen){ terminal_text(terminal), terminal->cursor };
}

static inline struct seen settled(struct terminal *terminal)
{
    settle(terminal);
    return see(terminal);
}

// Waits until it does again; frees it.
static inline void expect_seen(struct terminal *terminal, struct seen seen)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    for (bool same = false; !same;) {
        char *now = terminal_text(terminal);
        same = strcmp(now, seen.text) == 0 && terminal->cursor.row == seen.cursor.row &&
               terminal->cursor.col == seen.cursor.col;
        if (!same && !terminal_wait(terminal, 100) && (terminal->ended || clock_ms() > end)) {
            fprintf(stderr, "was, cursor %d %d:\n%sis, cursor %d %d:\n%s", seen.cursor.row, seen.cursor.col,
                    seen.text, terminal->cursor.row, terminal->cursor.col, now);
            fail_msg("the screen is not as it was");
        }
        free(now);
    }
    free(seen.text);
}

static inline void expect_settled(struct terminal *terminal, struct seen seen)
{
    settle(terminal);
    expect_seen(terminal, seen);
}

// Nothing but what curses and the screen send: no other escapes, no C1 characters, no bell. The screen asks once for the
// ground's colour.
static inline void expect_clean(const struct terminal *terminal)
{
    static const char question[] = ESCAPE "]11;?" ESCAPE "\\";
    static const char *const bad[] = { ESCAPE "P",       ESCAPE "^", ESCAPE "_", ESCAPE "]",
                                       ESCAPE "[8;1;1t", "\a",       "\xc2\x9b", "\xc2\x9d" };
    const char *sent = text_string(&terminal->output), *asked = strstr(sent, question);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *found = strstr(sent, bad[i]);
        if (found && found == asked)
            found = strstr(found + 1, bad[i]);
        if (found)
            fail_msg("raw control characters reached the terminal (number %zu)", i);
    }
}

// ---- main --------------------------------------------------------------------------------------------

static inline void program_environment(void)
{
    static const char *const others[] = { "COLORTERM", "COLORFGBG", "NO_COLOR", "LINES",
                                          "COLUMNS",   "VISUAL",    "EDITOR" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        unsetenv(others[i]);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("WARPBOOK_NVRTC", "none", 1);
    setenv("WARPBOOK_CLANG", "none", 1);
    setlocale(LC_CTYPE, "");
    char *self = path_self(), worker[PROGRAM_NAME];
    format_into(worker, sizeof worker, "exec '%s' serve", self);
    setenv("WARPBOOK_WORKER", worker, 1);
    free(self);
    if (!getenv("WARPBOOK"))
        setenv("WARPBOOK", "build/warpbook", 1);
}

#define program_test(function) cmocka_unit_test_setup_teardown(function, folder_setup, folder_teardown)

#endif
