// The state that the files of the screen share: screen.c opens it, keeps the terminal whole and lends it, screen_paint.c
// puts a canvas on it, screen_input.c waits for what comes next. Only these know curses.
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
    char *clip;  // the word of its terminfo that takes text to the clipboard; NULL: it has none
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

    // screen_input.c: the ground
    enum { GROUND_KNOWN, GROUND_ASKED, GROUND_ANSWERS } ground;
    double asked;    // when, in clock_ms
    char answer[40]; // what came of it so far
    size_t answer_length;

    // screen.c: signals
    volatile sig_atomic_t up; // the terminal is ours
    volatile sig_atomic_t came[NSIG];
    int pipe[2]; // a handler writes, poll wakes up
    struct sigaction before[SIGNALS];
    struct termios modes;   // as they were before us
    char words[WORDS_LAST]; // what puts the terminal in order
    size_t word_count;
    void *stack; // of this thread's handlers

    // screen.c: stderr
    int real_errors, held_errors; // descriptors; -1: stderr is no terminal, or is not held
};

// ---- screen.c
bool screen_signalled(struct screen *screen, struct event *out); // an event that a signal asks for

// ---- screen_paint.c
void screen_show(void *screen, const struct canvas *canvas); // as face.show

// ---- screen_input.c
void input_open(struct screen *screen); // once, when curses runs
// Asks whether the terminal's ground is light, when the screen is up.
void input_ask_ground(struct screen *screen, const char *term);
void input_leave(struct screen *screen);                                     // before others get the terminal
void screen_next(void *screen, int wake, int timeout_ms, struct event *out); // as face.next

#endif
