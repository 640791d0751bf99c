// What the files of the screen share: screen.c opens it, screen_paint.c puts a canvas on it, screen_input.c waits for
// what comes next, screen_signal.c keeps the terminal whole, screen_lend.c gives it away for a while, screen_errors.c
// holds back what is written to stderr meanwhile, screen_ground.c asks whether the ground is light. Only these know curses.
#ifndef WARPBOOK_SCREEN_H
#define WARPBOOK_SCREEN_H

// curses has names like ours: a struct, and a function that it never calls itself.
#define screen curses_screen
#define key_name curses_key_name
#define NCURSES_NOMACROS 1
#include <curses.h>
#undef screen
#undef key_name

#include <signal.h>
#include <string.h>
#include <termios.h>

#include "tui/draw/draw.h"

// How a role with its marks is drawn, made when it is first needed.
struct style {
    bool known;
    attr_t weight;
    short pair;
};
struct color_pair {
    int32_t ink, ground;
};
enum { MARKS = 8, SIGNALS = 13, WORDS_LAST = 256, SIGNAL_STACK = 65536 };

struct screen {
    SCREEN *curses;
    FILE *input;  // what curses reads; NULL: stdin
    WINDOW *keys; // a pad of one cell: reading keys from it never draws
    bool speaks_utf8, utf8, light, grounded;
    enum palette palette;
    bool mouse;
    pid_t owner; // children that were forked must not touch the terminal

    // screen_paint.c
    int rows, cols;
    struct style styles[ROLES][MARKS];
    struct color_pair *pairs; // pairs[i] is curses' pair i + 1
    size_t pair_count;
    int cursor; // as curs_set takes it; -1: not set yet

    // screen_input.c
    char partial[4]; // the bytes of a character that came so far
    size_t partial_length;
    bool alt, pasting, ended;
    struct text paste;

    // screen_ground.c
    enum { GROUND_KNOWN, GROUND_ASKED, GROUND_ANSWERS } ground;
    double asked;    // when, in clock_ms
    char answer[40]; // what came of it so far
    size_t answer_length;

    // screen_signal.c
    volatile sig_atomic_t up; // the terminal is ours
    volatile sig_atomic_t came[NSIG];
    int pipe[2]; // a handler writes, poll wakes up
    struct sigaction before[SIGNALS];
    struct termios modes;   // as they were before us
    char words[WORDS_LAST]; // what puts the terminal in order
    size_t word_count;
    void *stack; // of this thread's handlers

    // screen_errors.c
    int real_errors, held_errors; // descriptors; -1: stderr is no terminal, or is not held
};

// ---- screen.c
void screen_leave(struct screen *screen); // the terminal as it was before us; also stderr
void screen_enter(struct screen *screen); // and back again, all repainted
// Stands still until the terminal is given back to us. False: SIGTERM or SIGHUP came, and it has to end as it is.
bool screen_regain(struct screen *screen);
void screen_measure(struct screen *screen);

// ---- screen_paint.c
void screen_show(struct screen *screen, const struct canvas *canvas);

// ---- screen_input.c
void screen_keys(struct screen *screen); // once, when curses runs
void screen_next(struct screen *screen, int wake, int timeout_ms, struct event *out);

// ---- screen_ground.c
enum { CODE_GROUND = 1999 }; // an answer begins, where curses hands out keys
void ground_ask(struct screen *screen, const char *term);
void ground_begins(struct screen *screen);
bool ground_byte(struct screen *screen, int c); // true: all must be painted anew
void ground_lapses(struct screen *screen);      // nothing came for a while
void ground_leave(struct screen *screen);       // before others get the terminal

// ---- screen_signal.c
bool signals_open(struct screen *screen,
                  struct error *error);    // before curses, which takes what is left at default
void signals_words(struct screen *screen); // when curses runs
void signals_close(struct screen *screen);
bool signals_took(struct screen *screen, int signal); // came since it was last asked
void signals_as_before(struct screen *screen, int signal, struct sigaction *ours);

// ---- screen_lend.c
bool screen_lend(struct screen *screen, const char *const *argv, int *status, struct error *error);
void screen_stop(struct screen *screen, bool group); // until SIGCONT; `group`: all of its process group

// ---- screen_errors.c
void errors_open(struct screen *screen);
void errors_hold(struct screen *screen);
void errors_release(struct screen *screen);   // async-signal-safe
void errors_print(struct screen *screen);     // what was held, to the real stderr
void errors_print_raw(struct screen *screen); // the same, async-signal-safe
void errors_close(struct screen *screen);

// ---- key.c
int key_of_character(int character); // 0: none
enum { UTF8_BROKEN = 8 };
// The first character: its bytes; 0: more are needed; UTF8_BROKEN.
size_t utf8_read(const char *text, size_t length, int *code);

#endif
