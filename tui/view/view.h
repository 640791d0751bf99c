// The pages, a file or a few for each, and what they share: sheets that scroll, sources with what stands beside them,
// results in words, charts.
#ifndef WARPBOOK_VIEW_H
#define WARPBOOK_VIEW_H

#include "tui/app/app.h"

// ---- home.c, lesson.c, bench.c, ...: the pages, listed in app/page.c ------------------------------------------

extern const struct page_ops home_page, lesson_page, bench_page, source_page, step_page, explore_page,
    terms_page, workbook_page, machine_page, help_page, output_page;

// ---- reader.c: a sheet that is scrolled, searched and chosen from ------------------------------------------------

struct reader {
    struct sheet sheet;
    size_t top;                // the first line shown
    int selected;              // item; -1: none
    int items;                 // 0 to items - 1 can be chosen
    char *found;               // what is searched for; owned
    size_t hit;                // the line where it was found last
    int rows;                  // of the area it was drawn in
    size_t anchor, anchor_top; // the letter that `top` is kept at, as long as that is anchor_top
    size_t anchor_line;        // where that stands at anchor_width
    int anchor_width;
};
// Takes the new sheet over and keeps place and selection, also when the lines are broken elsewhere.
void reader_show(struct reader *reader, struct sheet sheet, int items);
void reader_draw(struct reader *reader, struct area area);
// Moving and searching; DONE_NOT for any other action. With items, up and down go from item to item where the next one
// is on the screen, and scroll where it is not; what is selected is always in sight. ACT_SEARCH wants its words.
int reader_act(struct reader *reader, struct app *app, enum act act, const struct words *words);
bool reader_holds(const struct reader *reader, const char *what); // somewhere in its lines
void reader_choose(struct reader *reader, int item);              // and brings it into sight
bool reader_click(struct reader *reader, int row, int col);       // selects the item there
void reader_word(struct reader *reader, struct text *out);
size_t reader_more(const struct reader *reader); // lines below what is shown
void reader_free(struct reader *reader);

// ---- list.c: rows with a selection that stays in sight ------------------------------------------------------------

// For pages that draw their rows themselves.
struct list {
    int count, selected, top, rows;
};
void list_fit(struct list *list, int count, int rows); // clamps; call before drawing
int list_act(struct list *list, enum act act);         // up, down, page, top, bottom

// ---- choice.c: what is chosen by its name ----------------------------------------------------------------------

// words[1], or without it the one behind `now`, of the lab (NULL: the page is about a file); NULL: why not is said.
const char *choose_size(struct app *app, const struct lab *lab, const char *now, const struct words *words);
// The same where several backends run: *preset NULL is each one's own size, which turning comes back to.
bool choose_preset(struct app *app, const struct lab *lab, const char **preset, const struct words *words);
// now NULL: the lab's first.
const char *choose_data(struct app *app, const struct lab *lab, const char *now, const struct words *words);
// The index of `name`, large or small; -1: none of them, and it is said which there are. `what`: "view".
int choose_name(struct app *app, const char *what, const char *const *names, int count, const char *name);

// ---- tabs.c: the names of a page's views ----------------------------------------------------------------------------

enum { TABS = 8 };
struct tabs {
    struct area line;        // where they were drawn
    int at[TABS], end[TABS]; // columns in it; -1: no room
    int cells;               // that they take
};
// Of names[first] to names[last]; the shown one is always among those that have room.
struct tabs tabs_draw(struct area line, const char *const *names, int first, int last, int shown);
int tabs_at(const struct tabs *tabs, int row, int col); // of the canvas; the index of the name there, or -1
// "12 more" at the right end of a line, unless it is full up to `from`.
void tabs_more(struct area line, int from, size_t more);

// ---- typeset.c, table.c: blocks of a lesson or a term → a sheet ----------------------------------------------------

// What can be opened from a text, by item: the words that open it, or the address of a page elsewhere.
struct links {
    char **opens;
    size_t count;
    bool addresses; // on paper: those of pages elsewhere are written behind the words
};
int links_add(struct links *links, const char *format, ...) __attribute__((format(printf, 2, 3))); // the item
int links_target(struct links *links, const char *target); // "term:warp", "lab:banks/3", "https://…"
void links_free(struct links *links);
// Links become items behind those that `links` holds already; NULL: none. Live blocks and notes are left out.
void typeset_blocks(struct sheet *sheet, const struct block *blocks, size_t count, struct links *links);
// One of them, with the empty lines that belong between it and the block before (NULL: none).
void typeset_block(struct sheet *sheet, const struct block *before, const struct block *block,
                   struct links *links);
void typeset_heading(struct sheet *sheet, int level, const char *words);
void typeset_table(struct sheet *sheet, const struct block *block, struct links *links);
void typeset_code(struct sheet *sheet, int indent, const char *info, const char *text);
// Words that flow on, as sheet_flow does; the line is not ended. typeset_text reads `code`, *emphasis* and links.
void typeset_pieces(struct sheet *sheet, enum role role, const struct inline_piece *pieces, size_t count,
                    struct links *links);
void typeset_text(struct sheet *sheet, enum role role, const char *text, struct links *links);
void typeset_break(struct sheet *sheet); // on to the next line of the same paragraph
// The lines of another sheet, each behind `before`; its items stay what they are, or go.
void typeset_paste(struct sheet *to, const struct sheet *from, const char *before, bool items);
void typeset_line(struct sheet *to, const struct sheet *from, size_t line, bool items);

// ---- highlight.c: CUDA C in roles ---------------------------------------------------------------------------------

// Calls `put` for the pieces of one line, in order. `comment`: whether the line starts within one; updated.
void highlight_line(const char *line, size_t length, bool *comment,
                    void (*put)(void *context, enum role role, const char *at, size_t bytes), void *context);

// ---- listing.c: a kernel's source with what stands beside it -----------------------------------------------------

struct listing {
    const char *text, *before;   // before: the step before, whose lines are not marked; NULL: no marks
    const struct record *record; // its messages stand under their lines; NULL: none
    bool numbers, margin;        // line numbers; the record's counters by line
    bool items;                  // every line is an item, counted from 0
    bool head_apart;             // the head of the margin is drawn with listing_head
};
struct sheet listing_sheet(const struct listing *listing, int width, bool utf8);
bool listing_has_margin(const struct listing *listing);
void listing_head(const struct listing *listing, struct area line);
// The first word of that line, from 0, that the glossary explains.
const struct term *listing_term(const struct glossary *glossary, const char *text, size_t line);

// ---- result.c, counters.c: what came out, in words and columns ------------------------------------------------------

struct result {
    const struct record *chosen, *cpu,
        *before;       // cpu: the fastest right one; before: the step before. NULL: not known
    const char *error; // why there is no record, or none from the last try
    bool recorded, utf8;
};
struct sheet result_sheet(const struct result *result, int width, bool utf8);
// Lines that fit stay as they are, so that a caret keeps pointing; longer ones wrap. Commands stand there as the
// prompt takes them.
void message_add(struct sheet *sheet, enum role role, const char *message);
// Of the simulator; without a record it says how to get one.
struct sheet counters_sheet(const struct record *record, int width, bool utf8);
void findings_add(struct sheet *sheet, const struct record *record);

// ---- progress.c: how far one is in a lesson -----------------------------------------------------------------------

struct progress {
    int asked, done; // questions, predictions, exercises
    bool opened;
};
struct progress progress_of(const struct workbook *workbook,
                            const struct lesson *lesson); // workbook may be NULL
// The first lesson that is begun and not done, or else the first that is not begun; NULL: none.
const struct lesson *progress_next(const struct lessons *lessons, const struct workbook *workbook);

// ---- machine.c ------------------------------------------------------------------------------------------------------

struct sheet machine_sheet(const json_t *report, int width,
                           bool utf8);                             // of client_describe and machine_add_here
void machine_add_here(json_t *report, int columns, bool terminal); // what the user's end knows

// ---- chart.c, roofline.c: pictures in characters ----------------------------------------------------------------------------------

struct chart_row {
    const char *name;
    double value; // NAN: none
    enum role role;
    bool chosen;
};
// A row each: the name, a bar on a log scale with decades marked below, the value. For times in ms.
// Returns how many rows there was no room for, below those that are shown.
size_t chart_ladder(struct area area, const struct chart_row *rows, size_t count);
struct chart_point {
    char sign; // the letter or digit that stands for it
    double x, y;
    enum role role;
    bool chosen;
};
// Operations per byte against operations per second, both logarithmic, under the roof of the device.
void chart_roofline(struct area area, const struct chart_point *points, size_t count, double bytes_per_s,
                    double operations_per_s, const char *operation_name);

#endif
