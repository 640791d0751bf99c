// Putting text where a person sees it: plain paper or a screen, colours as roles, glyphs by locale, widths, units.
// Nothing here knows a lesson or a kernel.
//
// A page of text is made as a sheet (sheet.c) and printed on paper, or scrolled in an area of a canvas (canvas.c),
// which screen_paint.c shows. A page with a layout of its own puts its text into areas.
#ifndef WARPBOOK_DRAW_H
#define WARPBOOK_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/base.h"

// ---- roles: what a piece of text is, never how it looks ---------------------------------------------------

// A colour has one meaning, here by its ink on a dark ground; the words of a kernel have colours of their own. Sixteen
// colours and fewer cannot keep all of them apart. Text begins at column 1; column 0 is for signs and frames.
enum role {
    ROLE_TEXT,
    ROLE_TITLE, // headings, names that matter: bold, the terminal's own ink
    ROLE_DIM,   // what can be skipped: grey
    ROLE_GOOD,  // right, done: green
    ROLE_BAD,   // wrong: red
    ROLE_NOTE,  // to be taken with care, as it was recorded elsewhere or not checked; a warning: yellow
    ROLE_CPU,   // cyan
    ROLE_GPU,   // purple
    ROLE_SIM,   // the simulator, and what is modelled from its counts: orange
    ROLE_LINK,  // what can be opened or chosen: blue
    ROLE_CODE,  // a word of code within text
    ROLE_FRAME,
    ROLE_BAR,   // the title and the status line
    ROLE_FIELD, // what one types into
    ROLE_ADDED,
    ROLE_REMOVED,
    ROLE_KEYWORD, // the words of CUDA C
    ROLE_TYPE,
    ROLE_BUILTIN, // threadIdx, __syncthreads, __global__, ...
    ROLE_NUMBER,
    ROLE_STRING,
    ROLE_COMMENT,
    ROLE_DIRECTIVE, // `//@` and `#` lines
    ROLES
};
// On top of a role, by weight and ground. None says what no sign or word says as well.
enum mark { MARK_NONE, MARK_SELECTED = 1, MARK_FOUND = 2, MARK_CHANGED = 4 };

// ---- paper.c: plain output, for terminals, pipes and files ------------------------------------------------

struct paper {
    FILE *file;
    bool terminal, colour, utf8;
    int width; // cells in a line; 80 where that is not known
};
// Colour only on a terminal, and never under NO_COLOR or TERM=dumb. The locale must be set before. Whatever is
// put loses its control characters, but newlines and tabs.
struct paper paper_open(FILE *file);
void paper_put(const struct paper *paper, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A column of exactly `cells`: text is cut or padded; negative: flush right. Then a blank.
void paper_cell(const struct paper *paper, enum role role, int cells, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A bar for a share of 0 to 1, `cells` wide.
void paper_bar(const struct paper *paper, enum role role, double share, int cells);
// Words on as many lines as they need, each after `indent` blanks.
void paper_wrap(const struct paper *paper, enum role role, int indent, const char *text);
// Lines as they are, each after `indent` blanks.
void paper_lines(const struct paper *paper, enum role role, int indent, const char *text);

// ---- cells.c: text in cells of a terminal, signs, numbers -------------------------------------------------

int text_cells(const char *text);             // control characters count nothing
size_t text_fit(const char *text, int cells); // bytes of the longest front that fits
int text_cells_n(const char *text, size_t length);
size_t text_fit_n(const char *text, size_t length, int cells);
// The next character: its bytes, and its cells; 0: it combines with the one before; -1: it shows nothing, as a
// newline. `instead`: what is shown in its place, if its bytes cannot be read or would not be seen; else "".
size_t text_next(const char *text, size_t length, int *cells, char instead[HIDDEN_SIZE]);

void unit_ms(double ms, char *out, size_t size); // "0.181 ms", "138.1 ms", "2765 ms"; "" when unknown
// How long a bar for this time is: six decades, from 10 us to 10 s, hold every ladder. Longer is slower.
double unit_share(double ms);
void unit_count(double count, char *out, size_t size); // "67,108,864"

// For those who listen to the screen or read it in braille, set once at the start: frames and signs whose words stand
// beside them become blanks, what a sign alone says becomes words, and bars become shares in words. Everything is in one
// column of at most FLAT_COLS cells, and what changes by itself is said in the last line alone.
extern bool drawn_flat;
enum { FLAT_COLS = 80 };
// "48 % of the slowest", "the slowest"; "" where either is not known.
void unit_of_slowest(double ms, double slowest, char *out, size_t size);

enum glyph { // signs, in UTF-8, plain ASCII, or as drawn_flat wants them
    GLYPH_HORIZONTAL,
    GLYPH_VERTICAL,
    GLYPH_CROSS, // where two lines meet
    GLYPH_ELLIPSIS,
    GLYPH_BULLET,
    GLYPH_RIGHT, // a small arrow: "here", "opens"
    GLYPH_DONE,
    GLYPH_OPEN, // not done yet
    GLYPH_HALF, // begun
    GLYPH_WRONG,
    GLYPH_PART,  // between full and empty
    GLYPH_FULL,  // a lane that is active, a bank that is asked
    GLYPH_EMPTY, // one that is not
    GLYPH_POINT, // a point of a chart; what is told gets there
    GLYPH_AWAY,  // it does not, for now
    GLYPH_DOT,   // between two words in a title
    GLYPH_MORE_UP,
    GLYPH_MORE_DOWN,
    GLYPH_ABOUT, // before a time that was modelled
    GLYPHS
};
const char *glyph(bool utf8, enum glyph which);
// A bar for a share of 0 to 1 in `cells`, as text: eighths of a cell, or whole '#'; nothing when flat.
void bar_text(struct text *out, bool utf8, double share, int cells);

// ---- canvas.c: what a screen shows, as cells in memory ----------------------------------------------------

struct cell {
    char text[12]; // one character with its combining marks; "" is the right half of a wide one
    uint8_t role, marks;
};
struct canvas {
    int rows, cols;
    struct cell *cells;
    bool utf8;
    int cursor_row, cursor_col; // where the terminal's cursor is parked
    bool cursor_shown;
};
void canvas_resize(struct canvas *canvas, int rows, int cols); // and cleared; 0 by 0 is allowed
void canvas_clear(struct canvas *canvas);
void canvas_free(struct canvas *canvas);
// Lines of text as on the screen, without blanks at their ends; `roles` beside it: a letter per cell, a blank for
// plain text. For tests and for :save.
void canvas_dump(const struct canvas *canvas, struct text *text, struct text *roles);

void canvas_print(const struct paper *paper, const struct canvas *canvas);

// A part of a canvas. Whatever is put is clipped to it; an area may be empty. Rows and columns count from 0.
struct area {
    struct canvas *canvas;
    int row, col, rows, cols;
};
struct area canvas_area(struct canvas *canvas);
struct area area_part(struct area area, int row, int col, int rows, int cols); // clipped to `area`
// Returns the column after what was put, also when that was clipped. Control characters are dropped.
int area_put(struct area area, int row, int col, enum role role, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
int area_put_n(struct area area, int row, int col, enum role role, unsigned marks, const char *text,
               size_t length);
// Fills exactly `cells`: text is cut with an ellipsis or padded; negative: flush right.
int area_cell(struct area area, int row, int col, enum role role, int cells, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void area_mark(struct area area, int row, int col, int cells, unsigned marks); // adds the marks
void area_fill(struct area area, enum role role);          // every cell a blank of that role
void area_line(struct area area, int row, enum role role); // a horizontal line over its width
void area_cursor(struct area area, int row, int col);      // parks the cursor there

// From a size to rectangles, without a screen.

struct rect {
    int row, col, rows, cols;
};
// Cuts `cells` off one side (clamped to what is there) and returns it; *rest keeps the other part. `gap` cells
// between them belong to neither.
struct rect rect_top(struct rect *rest, int rows, int gap);
struct rect rect_bottom(struct rect *rest, int rows, int gap);
struct rect rect_left(struct rect *rest, int cols, int gap);
struct rect rect_right(struct rect *rest, int cols, int gap);
struct area area_rect(struct area area, struct rect rect);

// Rows with a selection that stays in sight.
struct list {
    int count, selected, top, rows;
};
void list_fit(struct list *list, int count, int rows); // clamps; call before drawing

// ---- sheet.c: lines of text with roles and items, made for a width ----------------------------------------

// A page of text is a sheet: the screen scrolls it, the command line prints it. An item is something that can be
// chosen: a link, an answer, a row.
struct span {
    size_t at, length; // bytes of sheet->text
    uint8_t role;
    int item; // -1: none
};
struct sheet_line {
    size_t first, count; // of its spans
};
struct sheet {
    int width;
    bool utf8;
    struct text text;
    struct span *spans;
    size_t span_count;
    struct sheet_line *lines;
    size_t line_count; // of finished lines
    int item;          // what is added belongs to it; -1: none
    int used;          // cells of the line that is being made
    // A paragraph that flows: words are carried over to the next line, after `hang` blanks.
    int hang;
    bool glue; // no blank before the next word
    int room;  // cells that a line of code may take, where that is more than the width
};
enum { SHEET_UNLIMITED = 1 << 20 }; // a width at which nothing wraps
struct sheet sheet_new(int width, bool utf8);
void sheet_free(struct sheet *sheet);
void sheet_add(struct sheet *sheet, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sheet_add_n(struct sheet *sheet, enum role role, const char *text, size_t length);
// The front of the words that has room, with a sign where something is missing.
void sheet_add_cut(struct sheet *sheet, enum role role, const char *words);
void sheet_to(struct sheet *sheet, int column); // blanks up to that column; at least one when past it
void sheet_end(struct sheet *sheet);            // the line is complete
void sheet_gap(struct sheet *sheet); // an empty line, unless the last one is empty or there is none
// Words that wrap: blanks in `text` are places to break. Continues the current line; lines that follow start
// after `hang` blanks. End the paragraph with sheet_end.
void sheet_hang(struct sheet *sheet, int hang);
void sheet_flow(struct sheet *sheet, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sheet_flow_n(struct sheet *sheet, enum role role, const char *text, size_t length);
void sheet_paragraph(struct sheet *sheet, enum role role, int indent, const char *text); // all in one
void sheet_lines(struct sheet *sheet, enum role role, int indent, const char *text);     // as they are
void sheet_rule(struct sheet *sheet);
int sheet_line_of_item(const struct sheet *sheet, int item);                           // -1: none
const char *sheet_line_text(const struct sheet *sheet, size_t line, struct text *out); // without roles
// Lines up to `to` for somewhere else: without blanks at their ends, and without those that all of them begin with.
void sheet_plain(const struct sheet *sheet, size_t from, size_t to, struct text *out);
void sheet_print(const struct paper *paper, const struct sheet *sheet);
// Lines from `top` on; the spans of `selected` are marked, and every occurrence of `found` (NULL: nothing).
void sheet_draw(const struct sheet *sheet, struct area area, size_t top, int selected, const char *found);

// ---- screen_input.c: what was pressed ---------------------------------------------------------------------

// A character's code point, a control character, or one of these; PRESS_ALT is added to a character.
enum press {
    PRESS_UP = 0x200000,
    PRESS_DOWN,
    PRESS_LEFT,
    PRESS_RIGHT,
    PRESS_HOME,
    PRESS_END,
    PRESS_PAGE_UP,
    PRESS_PAGE_DOWN,
    PRESS_INSERT,
    PRESS_DELETE,
    PRESS_BACKSPACE,
    PRESS_ENTER,
    PRESS_TAB,
    PRESS_BACK_TAB,
    PRESS_ESCAPE,
    PRESS_F1, // to PRESS_F1 + 11
    PRESS_ALT = 0x400000
};
// "j", "^D", "<Up>", "<Space>", "<F5>", "M-x": names as in the bindings; 0: no such key.
int key_of_name(const char *name, size_t length);
void key_name(int key, char *out, size_t size);

// ---- screen_paint.c: roles → colours and weights ----------------------------------------------------------

enum palette { PALETTE_MONO, PALETTE_8, PALETTE_16, PALETTE_256, PALETTE_TRUE };
struct look {
    int32_t ink, ground; // -1: the terminal's own; an index, or 0xRRGGBB with PALETTE_TRUE
    bool bold, dim, underline, reverse, italic;
};
struct look theme_look(enum palette palette, bool light, enum role role, unsigned marks);

// ---- screen.c: a terminal through curses ------------------------------------------------------------------

enum event_kind {
    EVENT_KEY,
    EVENT_PASTE, // `text`: what was pasted, the receiver frees
    EVENT_MOUSE,
    EVENT_RESIZE,
    EVENT_WOKEN, // the wake descriptor has something
    EVENT_TICK,  // the time is up
    EVENT_STOP,  // ^C from outside (SIGINT)
    EVENT_END    // the terminal went away, or SIGTERM, SIGHUP
};
struct event {
    enum event_kind kind;
    int key;
    char *text;
    int row, col, wheel; // EVENT_MOUSE: a click, or the wheel's lines (negative: up)
    int rows, cols;      // EVENT_RESIZE
};
// The program's input and output: a terminal, or a script in a test.
struct face {
    void *context;
    void (*size)(void *context, int *rows, int *cols);
    void (*show)(void *context, const struct canvas *canvas);
    // Waits for what comes next; `wake` is a descriptor to watch, timeout_ms -1 waits for ever.
    void (*next)(void *context, int wake, int timeout_ms, struct event *out);
    // Gives the terminal to `argv` until it ends; its wait status, or false with the error.
    bool (*lend)(void *context, const char *const *argv, int *status, struct error *error);
    void (*suspend)(void *context); // ^Z: stops the program, and restores the screen after fg
    void (*mouse)(void *context, bool on);
    void (*repaint)(void *context); // everything anew: ^L
    // Hands text without control characters to the terminal's clipboard; false: it has none for programs.
    bool (*copy)(void *context, const char *text, size_t length);
};
struct screen;
struct screen_wish {
    bool ascii; // plain ASCII, whatever the locale says
    bool mono;  // no colour
    int light;  // 1: light background, 0: dark, -1: find out
};
// False with a sentence that names a way out when there is no terminal that can do it.
bool screen_open(const struct screen_wish *wish, struct screen **out, struct error *error);
void screen_close(struct screen *screen); // leaves the terminal as it was
struct face screen_face(struct screen *screen);
bool screen_utf8(const struct screen *screen);
// A crash may be a stack overflow, so handlers need a stack of their own in each thread. This makes one for the calling
// thread, which gives it back at its end; NULL: the thread has one already, or cannot have one.
void *signal_stack_open(void);
void signal_stack_close(void *stack); // NULL: does nothing

#endif
