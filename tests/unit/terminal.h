// A terminal for tests: a pseudo-terminal that libvterm reads, and a small shell as its session leader, which runs one
// program as a job, tells when that stopped or ended, and continues it. Nothing sleeps: the test waits for what it
// expects to see, up to a deadline.
#ifndef WARPBOOK_TESTS_UNIT_TERMINAL_H
#define WARPBOOK_TESTS_UNIT_TERMINAL_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>
#include <vterm.h>

#include "engine/base/base.h"

enum { TERMINAL_PATIENCE_MS = 180000 }; // also on a machine that has much else to do
struct report { // from the shell; kind: 'p' the program's pid, 's' it stopped, 'e' it ended with `value`
    char kind;
    int value;
};
struct terminal {
    int fd, reports, orders;
    pid_t shell, program;
    VTerm *vt;
    VTermScreen *screen;
    VTermPos cursor;
    bool alternate, visible;
    struct termios before;
    struct text output; // all that came, as it came
    bool stopped, ended;
    int status;
};

// ---- the shell ---------------------------------------------------------------------------------------

static inline void terminal_report(int to, char kind, int value)
{
    struct report report;
    memset(&report, 0, sizeof report);
    report.kind = kind;
    report.value = value;
    if (write(to, &report, sizeof report) != (ssize_t)sizeof report)
        _exit(99);
}

static inline void terminal_shell(const char *const *argv, int reports, int orders)
{
    int status;
    char order;
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (read(orders, &order, 1) != 1) // the test has noted the terminal's modes
        _exit(95);
    pid_t program = fork();
    if (program == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        if (argv[0])
            execv(argv[0], (char *const *)argv);
        _exit(98);
    }
    terminal_report(reports, 'p', program);
    while (waitpid(program, &status, WUNTRACED) == program && WIFSTOPPED(status)) {
        tcsetpgrp(STDIN_FILENO, getpid());
        terminal_report(reports, 's', 0);
        if (read(orders, &order, 1) != 1)
            _exit(97);
        tcsetpgrp(STDIN_FILENO, program);
        kill(-program, SIGCONT);
    }
    terminal_report(reports, 'e', status);
    char rest; // stays until the test has seen all: a session's end hangs up its terminal
    if (read(orders, &rest, 1) < 0)
        _exit(96);
    _exit(0);
}

// ---- starting and ending -----------------------------------------------------------------------------

static inline int terminal_property(VTermProp property, VTermValue *value, void *user)
{
    struct terminal *terminal = user;
    if (property == VTERM_PROP_ALTSCREEN)
        terminal->alternate = value->boolean;
    else if (property == VTERM_PROP_CURSORVISIBLE)
        terminal->visible = value->boolean;
    return 1;
}

static inline int terminal_cursor(VTermPos now, VTermPos before, int visible, void *user)
{
    ((struct terminal *)user)->cursor = now;
    return 1;
}

static inline void terminal_emulator(struct terminal *terminal, int rows, int cols)
{
    static const VTermScreenCallbacks callbacks = { .settermprop = terminal_property,
                                                    .movecursor = terminal_cursor };
    terminal->visible = true;
    terminal->vt = vterm_new(rows, cols);
    vterm_set_utf8(terminal->vt, 1);
    terminal->screen = vterm_obtain_screen(terminal->vt);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
}

// `argv` runs in it; its environment is that of the test.
static inline void terminal_start(struct terminal *terminal, int rows, int cols, const char *const *argv)
{
    struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols };
    int reports[2], orders[2];
    struct report program;
    *terminal = (struct terminal){ .fd = -1 };
    assert_int_equal(pipe2(reports, O_CLOEXEC), 0);
    assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
    terminal_emulator(terminal, rows, cols);
    terminal->shell = forkpty(&terminal->fd, NULL, NULL, &size);
    assert_true(terminal->shell >= 0);
    if (terminal->shell == 0) {
        close(reports[0]);
        close(orders[1]);
        terminal_shell(argv, reports[1], orders[0]);
    }
    close(reports[1]);
    close(orders[0]);
    terminal->reports = reports[0];
    terminal->orders = orders[1];
    fcntl(terminal->fd, F_SETFD, FD_CLOEXEC);
    assert_int_equal(tcgetattr(terminal->fd, &terminal->before), 0);
    assert_int_equal(write(orders[1], "s", 1), 1);
    assert_int_equal(read(reports[0], &program, sizeof program), sizeof program);
    assert_true(program.kind == 'p' && program.value > 0);
    terminal->program = program.value;
}

static inline void terminal_end(struct terminal *terminal)
{
    if (!terminal->ended && terminal->program > 0)
        kill(terminal->program, SIGKILL);
    close(terminal->orders);
    if (terminal->fd >= 0)
        close(terminal->fd);
    waitpid(terminal->shell, NULL, 0);
    close(terminal->reports);
    vterm_free(terminal->vt);
    text_free(&terminal->output);
}

// ---- seeing ------------------------------------------------------------------------------------------

// All rows, each ended by a newline, without blanks at their ends. The caller frees.
static inline char *terminal_text(const struct terminal *terminal)
{
    struct text text = { 0 };
    int rows, cols;
    vterm_get_size(terminal->vt, &rows, &cols);
    for (int row = 0; row < rows; row++) {
        char line[8192];
        size_t length =
            vterm_screen_get_text(terminal->screen, line, sizeof line, (VTermRect){ row, row + 1, 0, cols });
        while (length && (line[length - 1] == ' ' || !line[length - 1]))
            length--;
        text_add_n(&text, line, length);
        text_add(&text, "\n");
    }
    return text_take(&text);
}

static inline bool terminal_shows(const struct terminal *terminal, const char *text)
{
    char *all = terminal_text(terminal);
    bool shows = strstr(all, text) != NULL;
    free(all);
    return shows;
}

static inline VTermScreenCell terminal_cell(const struct terminal *terminal, int row, int col)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(terminal->screen, (VTermPos){ row, col }, &cell);
    return cell;
}

static inline void terminal_read(struct terminal *terminal)
{
    char bytes[65536];
    ssize_t got = read(terminal->fd, bytes, sizeof bytes);
    if (got <= 0)
        return;
    text_add_n(&terminal->output, bytes, (size_t)got);
    vterm_input_write(terminal->vt, bytes, (size_t)got);
}

static inline void terminal_hear(struct terminal *terminal)
{
    struct report report;
    if (read(terminal->reports, &report, sizeof report) != (ssize_t)sizeof report) {
        terminal->ended = true;
        return;
    }
    terminal->stopped = report.kind == 's';
    terminal->ended = report.kind == 'e';
    if (terminal->ended)
        terminal->status = report.value;
}

// Takes what comes, for at most `ms`. False: nothing came.
static inline bool terminal_wait(struct terminal *terminal, int ms)
{
    struct pollfd fds[2] = { { terminal->fd, POLLIN, 0 }, { terminal->reports, POLLIN, 0 } };
    if (terminal->ended)
        fds[1].fd = -1;
    if (poll(fds, 2, ms) <= 0)
        return false;
    if (fds[0].revents && !(fds[0].revents & POLLIN) &&
        !fds[1].revents) { // nobody has it open: only a report can come
        fds[0].fd = -1;
        if (poll(fds, 2, ms) <= 0)
            return false;
        fds[0].revents = 0;
    }
    if (fds[0].revents & POLLIN)
        terminal_read(terminal);
    else if (fds[1].revents) // only after all that was written before
        terminal_hear(terminal);
    return ((fds[0].revents & POLLIN) | fds[1].revents) != 0;
}

static inline void terminal_give_up(const struct terminal *terminal, const char *what)
{
    char *all = terminal_text(terminal);
    fprintf(stderr, "%s", all); // cmocka would cut it
    fail_msg("%s did not come; the screen is above", what);
}

// Waits until this is somewhere on the screen.
static inline void terminal_expect(struct terminal *terminal, const char *text)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    while (!terminal_shows(terminal, text))
        if (!terminal_wait(terminal, 100) && (terminal->ended || clock_ms() > end))
            terminal_give_up(terminal, text);
}

static inline void terminal_expect_stop(struct terminal *terminal)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    while (!terminal->stopped)
        if (!terminal_wait(terminal, 100) && (terminal->ended || clock_ms() > end))
            terminal_give_up(terminal, "the program's stop");
}

// Its wait status.
static inline int terminal_expect_end(struct terminal *terminal)
{
    double end = clock_ms() + TERMINAL_PATIENCE_MS;
    while (!terminal->ended)
        if (!terminal_wait(terminal, 100) && clock_ms() > end)
            terminal_give_up(terminal, "the program's end");
    while (terminal->fd >= 0 && terminal_wait(terminal, 0))
        continue;
    return terminal->status;
}

// ---- doing -------------------------------------------------------------------------------------------

static inline void terminal_type(struct terminal *terminal, const char *keys)
{
    assert_int_equal(write(terminal->fd, keys, strlen(keys)), strlen(keys));
}

static inline void terminal_resize(struct terminal *terminal, int rows, int cols)
{
    struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols };
    while (terminal_wait(terminal, 0))
        continue;
    // libvterm writes past its screen when a wide character meets a single column, and what was on its way for the old
    // size may hold one.
    vterm_set_size(terminal->vt, rows, cols > 1 ? cols : 2);
    assert_int_equal(ioctl(terminal->fd, TIOCSWINSZ, &size), 0);
}

static inline void terminal_continue(struct terminal *terminal)
{
    terminal->stopped = false;
    assert_int_equal(write(terminal->orders, "c", 1), 1);
}

// Whether a mode such as "2004" was last switched on: those that libvterm knows nothing of.
static inline bool terminal_mode(const struct terminal *terminal, const char *number)
{
    bool on = false;
    size_t length = strlen(number);
    for (const char *at = text_string(&terminal->output); (at = strstr(at, number)); at += length)
        if (at[length] == 'h' || at[length] == 'l')
            on = at[length] == 'h';
    return on;
}

// As it was before the program: modes, the first screen, a cursor, no mouse, no marked pastes.
static inline void terminal_expect_whole(const struct terminal *terminal)
{
    struct termios now;
    assert_int_equal(tcgetattr(terminal->fd, &now), 0);
    assert_int_equal(now.c_iflag, terminal->before.c_iflag);
    assert_int_equal(now.c_oflag, terminal->before.c_oflag);
    assert_int_equal(now.c_cflag, terminal->before.c_cflag);
    assert_int_equal(now.c_lflag, terminal->before.c_lflag);
    assert_memory_equal(now.c_cc, terminal->before.c_cc, sizeof now.c_cc);
    assert_false(terminal->alternate);
    assert_true(terminal->visible);
    assert_false(terminal_mode(terminal, "1000"));
    assert_false(terminal_mode(terminal, "2004"));
}

#endif
