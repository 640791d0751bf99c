// Lessons, terms and the workbook: the text that people come for, and what they made of it.
#ifndef WARPBOOK_LESSONS_H
#define WARPBOOK_LESSONS_H

#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "engine/base/base.h"
#include "engine/run/run.h"

// ---- lesson.c, markdown.c: NN-name/lesson.md → blocks ------------------------------------------

// FORMAT.md says how authors write. CommonMark with tables, by md4c. A lesson starts with lines `key: value` between
// two lines `---`: title, after (what one will be able to do; may be repeated), minutes. Notes for an
// instructor are <!-- instructor: … --> comments.
//
// All text in here has lost its control characters, and broken UTF-8 has become '?'.
enum inline_kind { INLINE_TEXT, INLINE_STRONG, INLINE_EMPHASIS, INLINE_CODE, INLINE_LINK, INLINE_BREAK };
struct inline_piece {
    enum inline_kind kind;
    char *text;
    char *target; // INLINE_LINK: "term:warp", "lab:histogram", "lesson:7", "https://…"
};
enum block_kind {
    BLOCK_HEADING,
    BLOCK_PARAGRAPH,
    BLOCK_ITEM, // of a list
    BLOCK_CODE,
    BLOCK_TABLE,
    BLOCK_QUOTE,
    BLOCK_RULE,
    BLOCK_NOTE, // for an instructor
    BLOCK_LIVE  // a fenced block whose info string starts with a live kind
};
enum live_kind {
    LIVE_LAB,
    LIVE_WIDGET,
    LIVE_PREDICT,
    LIVE_QUIZ,
    LIVE_ORDER,
    LIVE_EXERCISE,
    LIVE_BUGHUNT,
    LIVE_CHALLENGE,
    LIVES
};
extern const char *const live_names[LIVES];       // "lab", "widget", "predict", …
static inline bool live_asks(enum live_kind kind) // is something to be answered? A challenge need not be
{
    return kind != LIVE_LAB && kind != LIVE_WIDGET && kind != LIVE_CHALLENGE;
}
// A line `key: value`. The value may go on over lines that are indented, which '\n' joins.
struct live_field {
    char *key, *value;
    int line;
};
struct live { // ```predict id=sectors-of-stride-2
    enum live_kind kind;
    char *id;     // unique in the lesson; NULL: none, of a lab or a widget
    char *folder; // of the lesson, where its files lie
    int line;     // of the fence
    struct live_field *fields;
    size_t field_count;
};
struct table_cell {
    struct inline_piece *pieces;
    size_t count;
};
struct lesson_block {
    enum block_kind kind;
    int line;                    // of the file, from 1
    int level;                   // of a heading; depth of an item or a quote, from 0; else: in how many lists
    int number;                  // of an ordered list's item; 0: a bullet
    struct inline_piece *pieces; // heading, paragraph, item, quote
    size_t piece_count;
    char *index;       // BLOCK_HEADING: "slow kernel, L1 size", what it is looked up by; NULL: its words
    char *info, *text; // BLOCK_CODE: "cuda" or ""; its lines. BLOCK_NOTE: its text
    struct table_cell *cells; // BLOCK_TABLE: rows * cols, the first row is the head
    size_t rows, cols;
    struct live live; // BLOCK_LIVE
};
// What is read at one sitting, from its heading # on; what precedes the first one belongs to that.
struct lesson_part {
    char *title;
    size_t heading;   // its block
    size_t from, end; // blocks
    int minutes;
};
enum { PART_MOST = 35 }; // minutes of a part, and of a lesson without parts
struct lesson {
    int number;
    char *name;        // the folder: "06-coalescing"; of one's own: catalogue.c
    char *path, *text; // the whole file, for lesson_error
    char *title;
    int minutes;  // what the file states, or else those of its parts together
    char **after; // what one will be able to do
    size_t after_count;
    struct lesson_block *blocks;
    size_t block_count;
    struct lesson_part *parts; // in order; they cover all blocks
    size_t part_count;         // 0: it is read at once
};
// Errors point: file, line, the line, a caret.
bool lesson_parse(struct lesson *out, const char *path, const char *text, struct error *error);
bool lesson_read(struct lesson *out, const char *path, struct error *error); // the file NN-name/lesson.md
typedef void (*error_said)(void *context, const struct error *error);
// Reads on after an error: `said` gets the first one of the start and of each block, and *out is the rest. False: nothing
// can be read, and `said` has got why.
bool lesson_read_around(struct lesson *out, const char *path, error_said said, void *context);
void lesson_free(struct lesson *lesson);
// How long some of its blocks take one reader, from words, questions and tasks; FORMAT.md has the numbers.
double lesson_minutes(const struct lesson *lesson, size_t from, size_t end);
// The part that a block belongs to, from 1; 0: the lesson has no parts.
size_t lesson_part_of(const struct lesson *lesson, size_t block);
// An error about a line of the lesson, or about `word` in it (NULL: the line), as lesson_parse gives them.
bool lesson_error(const struct lesson *lesson, int line, const char *word, struct error *error,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
// The text of a live block's value: `code`, *emphasis* and links. The caller frees with pieces_free.
struct inline_piece *pieces_read(const char *text, size_t *count);
void pieces_free(struct inline_piece *pieces, size_t count);
// The words of blocks without their marks, a line for each block; those of live blocks are their values.
void blocks_text(const struct lesson_block *blocks, size_t count, struct text *out);

// ---- live.c: live blocks ------------------------------------------------------------------------------------

const char *live_field(const struct live *live, const char *key);           // the first; NULL: none
const char *live_nth(const struct live *live, const char *key, size_t nth); // from 0; NULL: no more
size_t live_count(const struct live *live, const char *key);
// Why a choice, counted from 0, is wrong; NULL: the lesson does not say.
const char *live_why_not(const struct live *live, size_t choice);
int live_line(const struct live *live, const char *key, size_t nth); // for lesson_error
// The kernel of an order with these lines (from 0; those from live_count(live, "line") on are the extra ones) where
// the line `//@order` is; false: there is no such line.
bool judge_order_text(const struct live *live, const char *text, const int *order, int count,
                      struct text *out);
// `value: counters.gld_sec / counters.gld_req` of a run's record as JSON. False: a number is not there.
bool live_value(const char *value, const json_t *record, double *out);

// ---- limit.c: what an answer may cost, in words ------------------------------------------------------------

enum { LIMITS_MOST = 18 };
struct limit {          // a `budget` or a `guard`, and what runs had of it; NAN: not known
    const char *budget; // as the lesson has it; NULL: it comes from the workbook
    char what[100];     // "sectors a load"
    char of[24];        // what is counted, for a share of it: "traffic"; "": a share says nothing
    double bound;
    double got, had; // the answer's, the shipped file's
    double amount;   // that the answer's run counted in all
    double share;    // of that in what the shipped file's counted
    bool most;       // at most `bound`, or at least
    bool met;
    bool quiet; // a guard: named only where it is missed
};
// The budgets of the block, then its guards, in a simulated run (NULL: none), or its goal in a run on a GPU. `missed` (NULL:
// not asked) gets why the run does not keep to the first that it misses: "12.0 sectors a load; at most 4.1."
size_t limits_of(const struct live *live, const struct record *run, struct limit out[LIMITS_MOST],
                 struct text *missed);
struct pace { // a bound on a modelled time: "h100 <= 0.30 --set n=1<<20"
    char gpu[32];
    double bound;      // milliseconds
    const char *flags; // of the run; points into the text
};
bool pace_read(const char *text, struct pace *out);
// Of a run that takes so long; `with` says which: "n = 1048576".
struct limit limit_pace(const char *text, const char *with, double ms);
void limit_missed_words(const struct limit *limit,
                        struct text *out); // "0.4 milliseconds on an H100 ...; at most 0.3."
// "sectors a load: 16.0, yours 4.0, at most 4.1; a quarter of the traffic"
void limit_words(const struct limit *limit, struct text *out);
// `limits` of an event in the workbook, without guards that hold; and back.
json_t *limits_event(const struct limit *limits, size_t count);
size_t limits_read(const json_t *event, struct limit out[LIMITS_MOST]);
// `beside` of an event.
struct beside_row;
size_t beside_read(const json_t *event, struct beside_row *out, size_t most);
// Times on a GPU; NAN: not known. "time on the GPU with n = 65536: 0.381 ms, yours 0.096 ms; 4.0 times as fast". Nothing
// where `got` is not known.
void limit_time_words(const char *with, double had, double got, struct text *out);

struct workbook;

// ---- fold.c: what of a lesson waits for an answer ------------------------------------------------------------

// A quiz, a prediction or an order that is open folds what follows it: the rest of its section, and the sections after
// it, of which the headings remain. One may read on without an answer, past a question, into one section or into a part,
// which is then read as if nothing preceded it; that is an event "unfold", whose id is fold_name of the block, or
// FOLD_ALL.
#define FOLD_ALL "--all"
enum {
    FOLD_WAITS = 1, // an open question that was not read past
    FOLD_AHEAD = 2, // a heading whose section or part was opened before its turn
    FOLD_HIDES = 4  // a block that is not shown
};
// By block, the first two as the workbook (NULL: nothing is answered) says; the caller frees.
unsigned char *folds_read(const struct workbook *workbook, const struct lesson *lesson);
// Sets FOLD_HIDES by the other two; false: everything is shown.
bool folds_spread(const struct lesson *lesson, unsigned char *folds);
char *fold_name(const struct lesson_block *block); // of a question or a heading; the caller frees
bool lesson_starts_section(const struct lesson_block *block);

// ---- judge.c: is an answer right? ----------------------------------------------------

enum verdict_kind {
    VERDICT_ACCEPTED,
    VERDICT_COMPILE,
    VERDICT_CHANGED, // something that has to stay as it was shipped did not; it was not run
    VERDICT_RESULT,
    VERDICT_FINDING,
    VERDICT_BUDGET
};
// One of those that are compared: one that the block names in `beside`, or the answer.
enum { BESIDE_MOST = 4, ORIGIN_MOST = 160 };
struct beside_row {
    char what[80]; // "one thread of the GPU"; of the answer: "yours"
    double ms;     // NAN: not known
    char how
        [ORIGIN_MOST]; // where that is from, as run_origin says it, or "modelled for X"; "": it is not known
    double in_a_row;   // instructions that its busiest warp runs in the simulator; NAN: not known
    char with[80];     // what ran: "n = 65536"; "": not known
    char why[200];     // why a run gave nothing; "": each did
};
struct judge_verdict {
    enum verdict_kind kind; // what speaks against it most
    unsigned reasons;       // 1 << kind of everything that does
    const char *head;       // what that means for a program; NULL: as the kind says
    char *words;            // why: a sentence or a few lines; NULL: accepted
    int line;               // of the answer, that `words` are about; 0: none
    char *findings;         // what the simulator found: "never written, race in shared memory"; NULL: nothing
    size_t runs;
    struct record record; // of the run that `words` are about, or of the first
    char *with;           // that run: "n = 1000, data skewed"; "": as the file has it; NULL: nothing was run
    char *stopped;        // the run that its limit stopped, as `with`; NULL: none
    struct limit limits[LIMITS_MOST]; // in that run
    size_t limit_count;
    size_t told;        // which `check` that run is
    char *timed;        // the run on the GPU, as `with`; NULL: none
    char *device;       // that GPU
    double ms, had_ms;  // there, of this one and of the shipped file; NAN: not known
    double ceiling_pct; // what this one reached there; NAN: not known
    // Why the shipped file has no numbers: "its result is wrong"; NULL: it has, or nothing asks for them.
    const char *starter_why;
    const char *note; // what the limits do not say of a half that is right; NULL: nothing
    struct beside_row beside[BESIDE_MOST]; // the named ones in order, then the answer
    size_t beside_count;
};
// What the shipped files had that were run last, and what answers are compared with: each is run once.
struct starters {
    bool patient; // nobody waits for the verdict, and the machine may be busy
    struct starter {
        uint64_t of; // the text and its run
        const char *why;
        double had[LIMITS_MOST], amount[LIMITS_MOST], ms, pace_ms;
        bool timed, paced; // or tried to be
    } known[8];
    size_t count; // that were run so far
    struct beside_known {
        uint64_t of; // the name and its run
        struct beside_row row;
    } besides[8];
    size_t beside_count;
};
// Judges one text of an exercise, a bug hunt or an order, in the simulator, as the block's `lab`, `check` and `budget`
// say; what is right then is simulated once more where there is a `pace`, with the figures of the GPU that ship, so that
// every machine judges alike. An answer that changed what `keep` and `may` want to stay as it was shipped is not run. Where there are budgets
// the shipped file is run as well, once, and for 2 s at most; not where `starters` is NULL. False: it could not be
// judged (no compiler, no worker, stopped, no shipped file, or a wrong check line); the error says why.
bool judge(struct client *client, const struct live *live, const char *file, const char *text,
           struct starters *starters, client_progress progress, void *context, struct judge_verdict *out,
           struct error *error);
// Where there is a GPU, times what came out right there, as `time` says, or else as the `check` that is told, and then what
// it started from, and adds the goal to the limits. False: nothing came of it, and the verdict is as it was.
bool judge_times(struct client *client, const struct live *live, const char *file, const char *text,
                 struct starters *starters, client_progress progress, void *context,
                 struct judge_verdict *verdict);
// Puts what the block names in `beside` and what came out right beside each other, in the same run. With a GPU (`gpu`)
// kernels have their times there, the answer the one of judge_times; without one their recorded times, the answer a
// modelled one, and what the simulator counts.
void judge_beside(struct client *client, const struct live *live, const char *file, const char *text,
                  bool gpu, struct starters *starters, client_progress progress, void *context,
                  struct judge_verdict *verdict);
void verdict_free(struct judge_verdict *verdict);
// The run that a `check` line asks for; "": as the lab or the file has it. `variant`: a standalone file.
bool judge_flags(const char *flags, const char *lab, const struct variant *variant, struct request *out,
                 struct error *error);
// ---- program.c: tasks that are whole programs --------------------------------------------------------------

// Judges the text as `judge` does, without the worker: it is compiled and run on this machine. The verdict is set up.
bool judge_program(const struct live *live, const char *file, const char *shipped, const char *text,
                   client_progress progress, void *context, struct judge_verdict *out, struct error *error);

// ---- kept.c: what an answer must leave as it was shipped -----------------------------------------------------

// False: something is not as in the shipped text that has to be, as `keep` and `may` say; `out` says what, and *line
// where; 0: nowhere.
bool judge_kept(const struct live *live, const char *shipped, const char *answer, struct text *out,
                int *line);
// The text has a kernel of this name.
bool judge_has_kernel(const char *text, const char *kernel);

// ---- catalogue.c: all lessons, those that ship and one's own -----------------------------------------------

// A lesson of one's own lies in the folder lessons/ of the own folder, or anywhere else. It is called by a name that no
// folder has, "own/13-mine" or "/home/me/13-mine": the workbook knows it by that, and it clashes with no other.
struct lessons { // what ships by number, then one's own
    struct lesson *list;
    size_t count;
    struct broken_lesson { // a learner's own lesson, and what is wrong with it
        char *name, *words;
    } * broken;
    size_t broken_count;
    struct taken_lesson *taken; // opened by their folders since; they stay as long as all of this
};
// Every folder NN-name of `folder` with a lesson.md; NULL: of what ships, and of the own folder.
bool lessons_read(const char *folder, struct lessons *out, struct error *error);
// Adds those of other folders that were opened once, as the workbook (NULL: none) says, and are still there. What was
// found before this has moved.
void lessons_recall(struct lessons *lessons, const struct workbook *workbook);
void lessons_free(struct lessons *lessons);
enum { LESSON_MOST = 99 };
int lesson_number(const char *folder); // 6 of "06-coalescing"; 0: it is not the name of a lesson's folder
// For scandir: whether the name looks like a lesson's folder.
int lesson_is_folder(const struct dirent *entry);
const struct lesson *lessons_find(const struct lessons *lessons,
                                  const char *word); // "6", "06-coalescing", "coalescing"
// Finds a lesson like lessons_find, or in the folder that `word` names, or a part of either: "6.2", "coalescing.2". The
// learner's own is read again when its file has changed. *part: from 1; 0: the whole lesson is meant.
bool lessons_open(struct lessons *lessons, const char *word, const struct lesson **out, size_t *part,
                  struct error *error);
// The words that open it, or a part of it (from 1; 0: all): "lesson 6", "lesson 6.2", `lesson "own/13-mine.2"`.
void lesson_opens_by(const struct lessons *lessons, const struct lesson *lesson, size_t part,
                     struct text *out);
// The one after (by 1) or before (by -1) it in the list; NULL: there is none.
const struct lesson *lesson_beside(const struct lessons *lessons, const struct lesson *lesson, int by);
bool lesson_is_own(const struct lesson *lesson);
const char *lesson_folder(const struct lesson *lesson); // the last part of its name: "13-mine"
// Where the learner's copy of one of its files lies; the caller frees. NULL: there is no folder for it.
char *lesson_copy(const struct lesson *lesson, const char *file);

// ---- glossary.c: glossary/TERM.md → terms ----------------------------------------------------------------------

// A term's file: lines `key: value` between two lines `---` (name, also: ALIAS, …; see: TERM, …; try: COMMAND), then
// text: the first paragraph is the one sentence that defines it.
struct term {
    char *name; // "shared memory"
    char *file; // "shared-memory"
    char **also, **see;
    size_t also_count, see_count;
    char *try; // a command that shows it live; NULL: none
    char *sentence;
    struct lesson_block *blocks; // the text with the sentence first
    size_t block_count;
};
struct glossary { // by name
    struct term *list;
    size_t count;
    struct term_key { // each name as a search sees it, in order
        char *key;
        size_t term;
        bool alias;
    } * keys;
    size_t key_count;
};
// Every TERM.md of `folder`; NULL: what ships.
bool glossary_read(const char *folder, struct glossary *out, struct error *error);
// The same, but a term that cannot be read is said and left out.
bool glossary_read_around(const char *folder, error_said said, void *context, struct glossary *out,
                          struct error *error);
void glossary_free(struct glossary *glossary);
// Best first: names, aliases, then misspellings, then words in the text; case, blanks, '-', '_' and "()" do not matter.
// Returns how many of at most `room`.
size_t glossary_search(const struct glossary *glossary, const char *words, const struct term **out,
                       size_t room);
// Exactly a name or an alias. An instruction or a counter is also found by what precedes a dot, and a register
// or a label by what precedes its number: "ld.global.u32" is "ld", "%r12" is "%r".
const struct term *glossary_find(const struct glossary *glossary, const char *name);
// The name that is nearest to all of the words together, misspelt or not written to its end; NULL: none is near.
const struct term *glossary_near(const struct glossary *glossary, const char *words);
// The longest message that occurs in the words; its "..." is any text. NULL: none.
const struct term *glossary_message(const struct glossary *glossary, const char *words);
// The error of this number: "700", "CUDA error 719"; NULL: the words say more than that, or no term has it.
const struct term *glossary_number(const struct glossary *glossary, const char *words);
// What a metric of Nsight Compute counts, by the longest name within its own:
// "smsp__warp_issue_stalled_long_scoreboard.avg" is "stall long scoreboard". NULL: it is no metric.
const struct term *glossary_metric(const struct glossary *glossary, const char *name);
// Terms whose `see` or text leads to `to`.
size_t glossary_links(const struct glossary *glossary, const struct term *to, const struct term **out,
                      size_t room);

// ---- search.c: everything, by the words that people type ---------------------------------------------------------------

// One ranked search over terms, sections of lessons, labs, their steps, and what is added to them.
enum place_kind { PLACE_TERM, PLACE_SECTION, PLACE_LAB, PLACE_STEP, PLACE_EXPLORER };
struct search_place {
    enum place_kind kind;
    char *name;              // "bank conflict", "Cure one: padding"
    char *within;            // "lesson 7, Shared memory and its banks", "step banks/9-padded"; "" of a term
    char *opens;             // the words that open it on the screen
    char *says;              // its first words; of a section none that a question comes before
    const struct term *term; // NULL: it is no term
};
enum hit_how {
    HIT_NAMED, // the question is a name of it, but for words like "what is a"
    HIT_HOLDS, // the question has a whole name of it in it
    HIT_WORDS
};
struct hit {
    const struct search_place *place;
    double score; // search.c says what it is made of
    enum hit_how how;
    bool
        folded; // set by who shows it: an open prediction asks about the step, so its title and reason are not told
};
// Both must outlive it.
struct search_index *search_new(const struct glossary *glossary, const struct lessons *lessons);
void search_add(struct search_index *search, enum place_kind kind, const char *name, const char *within,
                const char *opens, const char *text);
// Best first; returns how many of at most `room`.
size_t search_find(const struct search_index *search, const char *words, struct hit *out, size_t room);
void search_free(struct search_index *search);

// ---- workbook.c: what one learner did --------------------------------------------------------------------------

// An append-only file of JSON lines, workbook.jsonl in the own folder. Each event is one write and on disk when
// workbook_add returns true. Several programs may add to one file. Events stay valid until the next add or refresh.
// One that cannot be written is opened to be read: workbook_add then tries to open it for writing each time, and fails until that works.
struct workbook;
struct workbook *workbook_open(const char *path, struct error *error); // NULL path: the own folder's
void workbook_close(struct workbook *workbook);
// `kind`: "run", "predict", "answer", "edit", "hint", "note", "lesson", "left", "unfold"; takes `event` over and adds date and kind.
// False: it is not in the workbook; the error says why. SIGXFSZ must be ignored, so that a limit on the size of files
// is such an error.
bool workbook_add(struct workbook *workbook, const char *kind, json_t *event, struct error *error);
// Reads what others added since, or all of a file that took the place of the old one; true: something changed.
bool workbook_refresh(struct workbook *workbook);
bool workbook_add_run(struct workbook *workbook, const struct record *record, struct error *error);
size_t workbook_count(const struct workbook *workbook);
size_t workbook_version(const struct workbook *workbook); // another one whenever events came or went
const json_t *workbook_event(const struct workbook *workbook, size_t index); // the oldest is 0
// What is known without parsing the event again: its kind, its lesson and id (NULL: any), and which of "right",
// "review" and "asked_solution" are true.
enum { EVENT_RIGHT = 1, EVENT_REVIEW = 2, EVENT_TOLD = 4 };
bool workbook_is(const struct workbook *workbook, size_t index, const char *kind);
bool workbook_about(const struct workbook *workbook, size_t index, const char *lesson, const char *id);
unsigned workbook_marks(const struct workbook *workbook, size_t index);
// Whether it can only be read, and a sentence that says why.
bool workbook_unwritable(const struct workbook *workbook, struct error *why);
// Lines that could not be read, such as one torn by a crash; 0: none.
size_t workbook_torn(const struct workbook *workbook);
// The newest event of this kind about `lesson` and `id` (NULL: any); NULL: none. Events of a review (`review: true`) are
// left out. It takes as long in a workbook of years as in a new one.
const json_t *workbook_find(const struct workbook *workbook, const char *kind, const char *lesson,
                            const char *id);
// Names of the lessons that were opened, in the order of their letters; the caller frees each and the array.
char **workbook_lessons(const struct workbook *workbook, size_t *count);

// ---- review.c: what is asked again, and when -----------------------------------------------------------------------

// Days count from 1970-01-01, as the calendar here has them.
enum { REVIEW_STEPS = 4 };
// A question that was answered, or a task, exercise or bug hunt, that was rejected or given up.
struct review_item {
    const struct lesson *lesson;
    const struct live *live;
    size_t answers;        // of any kind
    size_t wrong;          // answers, and a solution that was asked for; 0: it was right at once
    bool told;             // one was
    int step;              // which wait comes next, of 1, 3, 7, 21 days; REVIEW_STEPS: learned
    long due;              // the day; LONG_MAX: no more
    const json_t *outcome; // of a predict: the newest answer that holds the results of its runs; NULL: none
};
struct review { // the first due first; points into the lessons and the workbook
    struct review_item *list;
    size_t count;
};
// Without predictions that the lesson cannot judge and for whose runs the workbook no longer has results.
void review_read(const struct workbook *workbook, const struct lessons *lessons, struct review *out);
size_t review_due(const struct review *review, long today); // how many of the first are due
size_t review_left(const struct review *review);            // how many of the first are not learned
// The questions to ask of the first `count` items, `most` of them at most: those that were wrong, mixed over the lessons,
// then the others, mixed too; then the tasks. `out` has room for `count`; returns how many are questions.
size_t review_sitting(const struct review *review, size_t count, size_t most, const struct live **out);
enum { REVIEW_SITTING = 20 }; // questions that are asked at once, about a quarter of an hour
const struct review_item *review_find(const struct review *review, const struct live *live); // NULL: none
// Whether this is to be done again today, or since earlier.
bool review_waits(const struct workbook *workbook, const struct lessons *lessons, const struct live *live);
void review_free(struct review *review);
// Questions are asked again; tasks are named, and count when they are accepted in their lesson.
struct review_count {
    size_t questions, tasks;
};
struct review_count review_count(const struct review *review, size_t from, size_t to); // of these items
void review_count_words(struct review_count count, struct text *out); // "2 questions and 1 task"
// As far as one sitting asks: "20 of 116 questions and 1 task".
void review_sitting_words(struct review_count due, struct text *out);
bool review_is_task(const struct live *live);
long review_day(time_t at);
void review_date(long day, char *out, size_t size); // "2026-11-21"

#endif
