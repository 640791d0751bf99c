// The pages, a file or a few for each, and what they share: sheets that scroll, choices, tabs.
#ifndef WARPBOOK_VIEW_H
#define WARPBOOK_VIEW_H

#include "tui/app/app.h"
#include "tui/text/text.h"

// ---- home.c, lesson.c, bench.c, ...: the pages, listed in tui/pages.c ------------------------------------------

extern const struct page_ops home_page, lesson_page, bench_page, source_page, compare_page, step_page,
    explore_page, terms_page, find_page, workbook_page, machine_page, help_page, output_page, exec_page,
    ballot_page, room_page;
extern const struct page_ops programs_page; // what `bench` opens for a lab of host programs

// ---- banner.c: the room that the learner is in --------------------------------------------------------------------

extern const struct seat_ops banner;

// ---- reader.c: a sheet that is scrolled, searched and chosen from ------------------------------------------------

struct reader_place {
    size_t top, hit;
    int selected;
    char *found;
};
struct reader {
    struct sheet sheet;
    size_t top;   // the first line shown
    int selected; // item; -1: none
    int items;    // 0 to items - 1 can be chosen
    const unsigned char
        *passed; // by item: 1 of one that is selected by going to it, never by scrolling; NULL: none is
    char *found; // what is searched for; owned
    size_t hit;  // the line where it was found last
    int rows;    // of the area it was drawn in
    size_t
        rests; // nothing is selected until one moves, as long as the line before this one is in sight; 0: it is not so
    size_t anchor, anchor_top; // the letter that `top` is kept at, as long as that is anchor_top
    size_t anchor_line;        // where that letter is at anchor_width
    int anchor_width;
    struct reader_place began; // where a search began that is being typed
};
// Takes the new sheet over and keeps place and selection, also when the lines are broken elsewhere.
void reader_show(struct reader *reader, struct sheet sheet, int items);
// The same for one that grows at its end: who went to the end of it stays there.
void reader_grow(struct reader *reader, struct sheet sheet);
void reader_draw(struct reader *reader, struct area area);
// Moving and searching; DONE_NOT for any other action. With items, up and down go from item to item where the next one
// is on the screen, and scroll where it is not; what is selected is always in sight. ACT_SEARCH wants its words.
int reader_act(struct reader *reader, struct app *app, enum act act, const struct words *words);
bool reader_holds(const struct reader *reader, const char *what); // somewhere in its lines
void reader_choose(struct reader *reader, int item);              // and brings it into sight
void reader_rest(struct reader *reader, size_t line);       // selects nothing; moving goes on from there
bool reader_click(struct reader *reader, int row, int col); // selects the item there
void reader_word(struct reader *reader, struct text *out);
// The lines of the selected item, or else as many from the first one in sight on; 0: all that there are.
void reader_copy(const struct reader *reader, int lines, struct text *out);
// For pages that a reader shows as a whole, without anything to choose: their state begins with it.
int reader_page_act(struct page *page, enum act act, const struct words *words);
void reader_page_word(struct page *page, struct text *out);
void reader_page_copy(struct page *page, int lines, struct text *out);
bool reader_page_offers(const struct page *page, enum act act); // all but Enter
void reader_page_close(struct page *page);
size_t reader_more(const struct reader *reader); // lines below what is shown
void reader_free(struct reader *reader);
int list_act(struct list *list,
             enum act act); // up, down, page, top, bottom, for pages that draw their rows themselves

// ---- field.c: a line that one types into --------------------------------------------------------------------------

struct field {
    struct text text;
    size_t at; // bytes before the cursor
};
// The keys that shells have taught everybody, characters and pastes, up to `most` bytes. False: not a key for it.
bool field_type(struct field *field, const struct event *event, size_t most);
void field_add(struct field *field, const char *text, size_t most); // at the cursor, up to a line's end
void field_clear(struct field *field);

// ---- asked.c: what an open prediction of a lesson asks about a lab ------------------------------------------------

// What is folded of a step on pages that were opened from the lesson; its title and its reason are folded with each.
enum {
    ASKED_TIME = 1,
    ASKED_RESULT = 2, // what else a run says of its time, such as its share of the ceiling
    ASKED_COUNTERS = 4
};
// What open predictions ask about a step, "histogram/3-shared", or any step of a lab, "histogram"; 0: nothing, or no lesson
// is below the page.
unsigned asked_about(const struct page *page, const char *place);
// Reads past the predictions that ask about it, and says so; DONE_NOT: none does.
int asked_show(struct page *page, const char *place);
// A line that says that something is folded, and the key; `of`: " for the chosen row". Returns the rest of the area.
struct area asked_line(const struct page *page, struct area area, const char *of);
struct sheet asked_sheet(int width, bool utf8); // in the place of what is folded

// ---- choice.c: what is chosen by its name ----------------------------------------------------------------------

// Each sets what words[1] names, or without it the one after the present one, and returns what an action returns; why it
// could not is said. lab NULL: the page is about a file.
int choose_size(struct app *app, const struct lab *lab, const char **size, const struct words *words);
// Turns the size on a page where several backends run: *preset NULL is each one's own size, which turning comes back to.
int choose_preset(struct app *app, const struct lab *lab, const char **preset, const struct words *words);
// *data NULL: the lab's first.
int choose_data(struct app *app, const struct lab *lab, const char **data, const struct words *words);
// How to see the opening of a kernel: "f shows them".
void fold_words(const struct app *app, const char *page, char *out, size_t size);
// Shows it, or folds it where room is short; that there is room for all is said.
int turn_opening(struct page *page, bool *unfolded, struct reader *reader, const char *text);
// Makes it the program's baseline, or no longer.
int choose_baseline(struct app *app, const char *what);
const struct variant *baseline_in(const struct app *app,
                                  const struct ladder *ladder); // NULL: it is none of these
// What a kernel of the ladder is compared with: the baseline, which may be itself, else the step before. NULL: neither.
const struct variant *choose_base(const struct app *app, const struct ladder *ladder,
                                  const struct variant *variant);
// The kernel after (by 1) or before (by -1) the target's, in its ladder; NULL: there is none, which is said.
const struct variant *choose_beside(struct app *app, const struct target *target, int by);
// Makes it the target's kernel, and `what` the words that name it, for the page as well.
void choose_variant(struct page *page, struct target *target, const struct variant *variant, char **what);
// The index of `name`, large or small; -1: none of them, and it is said which there are. `what`: "view".
int choose_name(struct app *app, const char *what, const char *const *names, int count, const char *name);

// The names of a page's views in a line.
enum { TABS = 12 };
struct tabs {
    struct area line;        // where they were drawn
    int at[TABS], end[TABS]; // columns in it; -1: no room
    int cells;               // that they take
};
// Draws names[first] to names[last]; the shown one is always among those that have room.
struct tabs tabs_draw(struct area line, const char *const *names, int first, int last, int shown);
int tabs_at(const struct tabs *tabs, int row, int col); // of the canvas; the index of the name there, or -1
// "12 more" at the right end of a line, unless it is full up to `from`.
void tabs_more(struct area line, int from, size_t more);

// ---- assembly.c: PTX or SASS, made in the background ------------------------------------------------------------

struct assembly { // lives until both its owner and the task have done with it
    bool sass, made, dropped;
    struct task *task; // until it is made
    char *file, *source;
    int target;
    struct text text;
    struct error error; // text "" when it was made
};
struct assembly *assembly_make(struct app *app, const struct variant *variant, bool sass);
void assembly_drop(struct assembly *assembly); // NULL: does nothing
// Says, where there is no text, that it is being made, or why it could not be.
void assembly_why_not(const struct assembly *assembly, const struct command *commands, struct area area);
bool assembly_is_noise(const char *line, size_t length); // it only says where other lines come from
bool assembly_ends(const char *line);                    // the part for debuggers begins, after the functions

// ---- machine.c ------------------------------------------------------------------------------------------------------

struct sheet machine_sheet(const json_t *report, int width,
                           bool utf8); // of client_describe and machine_add_here
void machine_add_here(json_t *report, const struct vocabulary *known, int columns,
                      bool terminal); // what the user's end knows

// ---- pages.c: the table of pages -------------------------------------------------------------------------------

extern const struct page_ops *const page_list[]; // NULL after the last
// The command of that name in `table`. NULL: the error has the nearest name, or says what else is called so.
const struct command *command_named(const struct command *table, const char *name, struct error *error);

#endif
