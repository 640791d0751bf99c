// Text set for the screen and for paper alike: lessons, terms, kernels with their counters, results, the
// workbook, and charts. Nothing here knows the application.
#ifndef WARPBOOK_TEXT_H
#define WARPBOOK_TEXT_H

#include <string.h>
#include <time.h>

#include "engine/cli/cli.h"
#include "engine/room/room.h"
#include "engine/run/host.h"
#include "lessons/answer.h"
#include "lessons/lessons.h"
#include "tui/draw/draw.h"

// ---- typeset.c: blocks of a lesson or a term → a sheet ----------------------------------------------------

// Targets that can be opened from a text, by item: the words that open it, or the address of a page elsewhere.
struct links {
    char **opens;
    size_t count;
    bool addresses; // on paper: those of pages elsewhere are written after the words
};
int links_add(struct links *links, const char *format, ...) __attribute__((format(printf, 2, 3))); // the item
// "term:warp", "lab:banks/3", "https://…". -1: it leads to none of those. Lessons are not trusted, and the words of a link are
// done as if they were typed.
int links_target(struct links *links, const char *target);
void links_free(struct links *links);
// Links become items after those that `links` holds already; NULL: none. Live blocks and notes are left out.
void typeset_blocks(struct sheet *sheet, const struct lesson_block *blocks, size_t count,
                    struct links *links);
// One block, with the empty lines that belong between it and the block before (NULL: none).
void typeset_block(struct sheet *sheet, const struct lesson_block *before, const struct lesson_block *block,
                   struct links *links);
void typeset_heading(struct sheet *sheet, int level, const char *words);
void typeset_code(struct sheet *sheet, int indent, const char *info, const char *text);
// Words that flow on, as sheet_flow does; the line is not ended. typeset_text reads `code`, *emphasis* and links.
void typeset_pieces(struct sheet *sheet, enum role role, const struct inline_piece *pieces, size_t count,
                    struct links *links);
void typeset_text(struct sheet *sheet, enum role role, const char *text, struct links *links);
// The text of a live block's `ask`, `say` or `because`, with the line ended; none: nothing.
void typeset_field(struct sheet *sheet, const struct live *live, const char *key, struct links *links);
// The lines of another sheet, each after `before`; its items stay what they are, or go.
void typeset_paste(struct sheet *to, const struct sheet *from, const char *before, bool items);

// ---- listing.c: a kernel's source with its counters and messages ------------------------------------------

struct listing {
    const char *text, *before;   // before: the step before, whose lines are not marked; NULL: no marks
    const char *signs;           // '+', '-' or ' ' for each line, in the place of `before`; NULL: none
    const struct record *record; // its messages are put under their lines; NULL: none
    bool numbers, margin;        // line numbers; the record's counters by line
    bool items;                  // every line is an item, counted from 0
    bool head_apart;             // the head of the margin is drawn with listing_head
    const char
        *fold; // the opening becomes one row where not all has room in `rows`: how to see it; NULL: never
    int rows;
    bool shut; // it becomes one also where all has room; `fold` is given
};
struct sheet listing_sheet(const struct listing *listing, int width, bool utf8);
bool listing_head(const struct listing *listing, struct area line); // of its margin; false: it has none
// The lines at its start that say what the kernel is before its code.
size_t listing_opening(const char *text);
// The line, from 0, that matters first: the one that costs most more than needed, else the first that is not in `before`,
// else the first of the code. `counted`: NULL: it was not simulated.
int listing_start(const struct listing *listing, const struct record *counted);
// The first word of that line, from 0, that the glossary explains.
const struct term *listing_term(const struct glossary *glossary, const char *text, size_t line);

// Calls `put` for the pieces of one line, in order. `comment`: whether the line starts within one; updated.
void highlight_line(const char *line, size_t length, bool *comment,
                    void (*put)(void *context, enum role role, const char *at, size_t bytes), void *context);
// ---- difference.c: which lines two texts share ------------------------------------------------------------

// Calls `emit` for every line of both texts in order: ' ' for both, '-' only before, '+' only after.
typedef void (*diff_line)(void *context, char sign, const char *line, size_t length);
void diff_lines(const char *before, const char *after, diff_line emit, void *context);

struct difference {
    const char *before, *after;
    const char *before_keys, *after_keys; // compared in their place, line by line; NULL: they themselves
    bool numbers, beside;                 // beside: in two columns
    const char
        *fold; // long stretches that are alike, and what only people read, fold where not all has room in
               // `rows`: how to see them; NULL: never
    int rows;
    bool shut; // what only people read folds also where all has room; `fold` is given
};
// Each change is an item, from 0.
struct sheet difference_sheet(const struct difference *what, int width, bool utf8);

// ---- comparison.c: the numbers of two kernels --------------------------------------------------------------

struct compared {
    const char *name;
    const struct record *timed, *counted; // NULL: there is none
    bool recorded;                        // the time is from another machine
};
struct sheet comparison_sheet(const struct compared *base, const struct compared *now, int width, bool utf8);

// ---- result.c: what came out, in words and columns --------------------------------------------------------

// How fast a run was, and its ceiling, in what limits its lab: "GB/s" or "GFLOP/s". NAN where they are not known.
struct rate {
    double value, ceiling;
    const char *unit;
    bool arithmetic;
};
struct rate rate_of(const struct record *record);

struct result {
    const struct record *chosen, *cpu,
        *before;                    // cpu: the fastest right one; before: the step before. NULL: not known
    const char *baseline;           // the name of `before` where that was chosen; NULL: it is the step before
    const char *error;              // why there is no record, or none from the last try
    const struct command *commands; // those that the prompt takes; NULL: there is no prompt
    bool recorded, utf8;
};
struct sheet result_sheet(const struct result *result, int width, bool utf8);
// Lines that fit stay as they are, so that a caret keeps pointing; longer ones wrap. Commands of the shell
// become those of the prompt.
void message_add(struct sheet *sheet, enum role role, const char *message, const struct command *commands);
// "'warpbook list'" becomes "':list'", as the prompt takes it; `commands`: its table, or NULL, which leaves it.
void prompt_words(struct text *out, const char *text, const struct command *commands);
// The simulator's counters; without a record it says how to get one.
struct sheet counters_sheet(const struct record *record, int width, bool utf8);

// ---- launches.c: whole programs in the simulator -----------------------------------------------------------------

struct exec_outcome;
struct exec_shown {
    const char *program; // as it was named
    const struct exec_outcome *outcome;
    bool items;          // rows of launches are items, and findings after them
    int open;            // with `items`: what is shown more of; -1: nothing
    const char *excerpt; // of the source of an open finding; NULL: there is none
};
struct sheet exec_sheet(const struct exec_shown *shown, int width, bool utf8);

// ---- modelled.c: how long a run would take on a GPU that need not be there ------------------------------------

struct modelled;
// "≈ 0.27 ms", or "0.10-0.60 ms" where the band is too wide for a number; "" where there is none.
void modelled_time(const struct modelled *one, bool utf8, char *out, size_t size);
bool modelled_is_wide(const struct modelled *one);
const char *modelled_device(const struct modelled *one);                 // "H100 80GB HBM3"
void modelled_bar(struct text *out, bool utf8, double share, int cells); // unlike that of a measured time
// "shared memory: 32 wavefronts for each access keep it busy for 0.20 of 0.27 ms."
void modelled_limiter(const struct record *record, const struct modelled *one, struct text *out);
// The record's modelled time with its band, its limiter and its terms; of several GPUs a table.
struct sheet modelled_sheet(const struct record *record, int width, bool utf8);
// Its parts, where there is a time: the first line; all below it.
void modelled_head(struct sheet *sheet, const struct modelled *one);
// How long each of the `most` largest would take alone.
void modelled_terms(struct sheet *sheet, const struct modelled *one, int most);
void modelled_rest(struct sheet *sheet, const struct record *record, const struct modelled *one);
// Where the request asked what if: what each cost costs, as a table; and as sentences, with what hides what.
void modelled_what_if(struct sheet *sheet, const struct modelled *one);
void modelled_why(struct sheet *sheet, const struct modelled *one);
void modelled_beside(struct sheet *sheet, const struct modelled *one, const struct record *timed,
                     bool recorded);

// ---- beside.c: an answer beside what it is compared with ---------------------------------------------------

// One row or more; the last line is not ended.
void beside_add(struct sheet *sheet, const struct beside_row *rows, size_t count, int column);

// ---- live_words.c: what is said about it ------------------------------------------------------------------

struct own_lines { // from `first` on, in `file`; they are called 1 to `count`; 0: none
    const char *file;
    int first, count;
};
int own_line(const struct own_lines *own, int line); // its own number; 0: it is none of them
// Sentences, which wrap, and lines of a kernel, which begin with two blanks, with their carets below them. "line 12" and
// "mine.cu:12:5" become "line 3 of yours", and other lines are those "of mine.cu"; own NULL: all stay.
void live_words(struct sheet *sheet, int indent, int hang, const char *words, const struct own_lines *own);

extern const char after_prediction[]; // in the place of a number that an open one asks for
// A prediction beside what came of it.
void predict_came(struct sheet *sheet, const struct live *live, const json_t *predicted,
                  const struct outcome *outcome); // and how near that is
enum role outcome_role(const char *how);
void outcome_number(double value, const char *key, char *out, size_t size); // key: what the lesson calls it

// ---- chart.c: pictures in characters ----------------------------------------------------------------------

struct chart_row {
    const char *name;
    double value; // NAN: none
    enum role role;
    bool chosen;
    const char *instead; // said where there is no value; NULL: nothing
    const char *about;   // of a modelled value, as it is written; NULL: it was measured
};
// A row each: the name, a bar on a log scale with decades marked below, the value. For times in ms.
// Returns how many rows there was no room for, below those that are shown.
size_t chart_ladder(struct area area, const struct chart_row *rows, size_t count);
struct chart_point {
    char sign; // the letter or digit that is its sign
    double x, y;
    enum role role;
    bool chosen;
};
// Operations per byte against operations per second, both logarithmic, under the roof of the device.
void chart_roofline(struct area area, const struct chart_point *points, size_t count, double bytes_per_s,
                    double operations_per_s, const char *operation_name);

// ---- entry.c: terms as the terms page and `warpbook explain` show them ------------------------------------

// A term: what it is, what to try, what it leads to, what leads to it. Each target becomes an item of `links`.
struct sheet entry_sheet(const struct glossary *glossary, const struct term *term, int width, bool utf8,
                         struct links *links);
// A row for each: its name and its sentence.
void entry_rows(struct sheet *sheet, const struct term *const *terms, size_t count);
// The term of that name, or of the message, the error's number or the metric in the words; NULL: none.
const struct term *term_named(const struct glossary *glossary, const char *words);
// The terms that a question in these words means, best first: the term of that name, else terms that are named within
// the words, else the nearest. Returns how many of at most `room`; `exact`: the words are a term's name.
size_t terms_meant(const struct glossary *glossary, const char *words, const struct term **out, size_t room,
                   bool *exact);

// Whether the words are a question or a phrase: several words, and no piece of a program.
bool words_ask(const char *words);

// ---- places.c: what a search found ------------------------------------------------------------------------

// Each by its name, with where it is and its first words. The names become items of `links`; on paper a line says what
// opens it.
void places_add(struct sheet *sheet, const struct hit *hits, size_t count, struct links *links);

// ---- workbook.c: as the workbook page shows it and `warpbook workbook` prints it --------------------------

struct book_kind {
    const char *name, *kind; // "runs", "run"; kind NULL: all
};
extern const struct book_kind book_kinds[]; // after the last the name is NULL
struct book_view {
    const struct book_kind *kind;
    const char *
        about; // "LAB[/STEP]": only its runs, over time; "LESSON/QUESTION": only the answers to it, with a chart
               // of its limits; NULL: whatever is of that kind
    size_t most; // rows; 0: all
    bool last;   // nothing but the newest `most` answers, predictions and runs, each after its day
};
// The view that these words ask for, as words of `workbook` and of its page; `about` may be NULL.
bool book_view_of(const char *kind, const char *about, struct book_view *out, struct error *error);
// The first time that a change saved something: "06-coalescing columns, ...". False: there was none.
bool book_first_saving(const struct workbook *workbook, struct text *out);
// Newest first. Each row is an item; what it opens may be "".
struct sheet book_sheet(const struct workbook *workbook, const struct book_view *view, int width, bool utf8,
                        struct links *links);

const char *event_text(const json_t *event, const char *key); // "" when it is not there
const char *event_kind(const json_t *event); // its own, but "outcome" for what a prediction came to
bool event_is(const json_t *event, const char *kind);
// Equal there, or absent from both.
static inline bool event_same(const json_t *one, const json_t *other, const char *key)
{
    return strcmp(event_text(one, key), event_text(other, key)) == 0;
}
void event_name(const json_t *run, struct text *out); // "histogram/4-shared"
bool event_time(const json_t *event, struct tm *out); // local; false: no date

// ---- board.c: attempts at a challenge ---------------------------------------------------------------------

struct board_row {
    const json_t *event;
    bool accepted;
    double ms, ceiling_pct; // on a GPU; NAN: it was not timed
    struct limit limit;     // the first, which ranks where nothing is timed
};
struct attempt_board { // the oldest first; points into the workbook
    const char *lesson, *id;
    struct board_row *rows;
    size_t count, best;
};
struct board_cells { // in words; "": not known
    char date[20], result[20], time[40], ceiling[20], count[20];
};
// Attempts that came out right; `workbook` NULL: none.
struct attempt_board board_read(const struct workbook *workbook, const char *lesson, const char *id);
void board_free(struct attempt_board *board);
void board_cells(const struct attempt_board *board, size_t row, struct board_cells *out);
// The best, and the last `most`; nothing where there are none.
void board_add(struct sheet *sheet, const struct attempt_board *board, size_t most);
// Every board, the one with the newest attempt first, its name an item; false: there is none.
bool boards_add(struct sheet *sheet, const struct workbook *workbook, struct links *links);

// ---- timeline.c: what a host program's copies and kernels did, and when --------------------------------------

void timeline_add(struct sheet *sheet, const struct timeline *timeline); // with its total and its check
void timeline_legend(bool utf8, char *out, size_t size);                 // what its signs mean

// ---- fail.c: errors and runs of the command line ----------------------------------------------------------

int fail(const struct error *error); // writes it to stderr and returns its code

struct keeping { // zero-initialise
    struct workbook *workbook;
    bool failed; // and was said
};
void keep_run(struct keeping *keeping, const struct record *record);       // into the workbook
void keep_event(struct keeping *keeping, const char *kind, json_t *event); // takes it over
void keep_end(struct keeping *keeping);
// Says on stderr where nothing can be added to what is shown.
void keep_warn(const struct workbook *workbook);

// ---- room.c: a class as its instructor sees it ----------------------------------------------------------------

// What one look at a room found. It is made where the room is read, and nothing in it changes.
struct room_picture {
    char word[ROOM_WORD], title[ROOM_TEXT], ends[ROOM_NAME]; // ends: "17:00"; "" not planned
    double now;
    bool claimed, ended;
    bool untold;                // a helper's, before anything of the instructor's has told who is there
    struct room_person *people; // without what only reading them needs
    size_t count, here;
    size_t *needs, need_count; // as room_class_needs has them
    struct poll poll;          // the newest; number 0: there was none
    struct poll_count votes;
    size_t files, strange; // in the folder where learners put theirs
    struct {
        bool known; // somebody serves, or did
        char gpu[80];
        size_t waiting, running;
        double each_ms, silent_s;          // silent_s: since it was heard of
        char trouble[ROOM_TEXT];           // why the scheduler has no job for what waits; "" it has
        const struct room_person *flooder; // who has put too many files into it; NULL: nobody
        size_t flood_files;
    } queue;
};
struct room_picture *room_picture_make(const struct desk *desk, double now);
void room_picture_free(struct room_picture *picture); // NULL: does nothing

struct room_shown { // what a sheet made of it has
    const struct room_picture *picture;
    const struct lessons *lessons;
    const struct workbook *workbook; // the instructor's; NULL: none
    size_t *items;                   // by item of the sheet: which of the people; the caller frees
    size_t item_count;
    bool vote_alone; // nothing but the newest vote
};
struct sheet room_sheet(struct room_shown *shown, int width, bool utf8);
// Sums and no names, for everybody's eyes: what learners are not shown yet is left out.
struct sheet room_projected(const struct room_shown *shown, int width, bool utf8);
struct sheet room_person_sheet(const struct room_shown *shown, const struct room_person *person, int width,
                               bool utf8);

// ---- vote.c: a vote of a room in words ---------------------------------------------------------------------

size_t vote_choices(const struct lessons *lessons, const struct poll *poll); // 0: they are not known here
// What is asked, and a choice from 0, as one line without marks; both are clean.
void vote_add_ask(const struct lessons *lessons, const struct poll *poll, struct text *out);
void vote_add_choice(const struct lessons *lessons, const struct poll *poll, size_t choice, struct text *out);

#endif
