// The full-screen program without its pages. This header is its map: what keys and words do, the work that goes on
// in the background, what a page is, and the loop.
//
// A key's way: screen.c (draw/) → app.c (waits) → keys.c (key → words) → act.c (words → an action, a page, or a
// command of the command line) → the page's own act(). Everything that can be done is a line of words, so that a key,
// a click, the prompt and a test's script share one way.
#ifndef WARPBOOK_APP_H
#define WARPBOOK_APP_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/cli/cli.h"
#include "lessons/lessons.h"
#include "tui/draw/draw.h"

struct app;
struct page;
struct page_ops;

struct seat_ops;

// The pages and commands that the first word of a line may name, besides an action. The program hands them over:
// nothing here knows a page or a command, nor a room.
struct vocabulary {
    const struct page_ops *const *pages; // NULL after the last
    const struct command *commands;      // a row without a name after the last
    const struct seat_ops *seat;         // NULL: no room is looked for
};

// ---- keys.c: the table of actions -------------------------------------------------------------------------

enum act {
    ACT_UP,
    ACT_DOWN,
    ACT_LEFT,
    ACT_RIGHT,
    ACT_PAGE_UP,
    ACT_PAGE_DOWN,
    ACT_HALF_UP,
    ACT_HALF_DOWN,
    ACT_TOP,
    ACT_BOTTOM,
    ACT_NEXT, // the next item, or part of the page
    ACT_PREVIOUS,
    ACT_ENTER, // opens, chooses, answers
    ACT_BACK,
    ACT_HOME,
    ACT_QUIT,
    ACT_PROMPT,
    ACT_SEARCH,
    ACT_SEARCH_NEXT,
    ACT_SEARCH_PREVIOUS,
    // While a search is typed; no row of the table has them. DONE_NOT: the page does not search before Enter.
    ACT_SEARCH_BEGIN, // the page remembers its place
    ACT_SEARCH_UNDO,  // and goes back to it
    ACT_FIND,         // in all that can be read
    ACT_EXPLAIN,      // the word under the selection
    ACT_HELP,
    ACT_REDRAW,
    ACT_SUSPEND,
    ACT_STOP, // the run
    ACT_MOUSE,
    ACT_SAVE, // what the screen shows, into a file
    ACT_COPY, // what is at hand, to the clipboard
    // bench, source
    ACT_RUN,
    ACT_RUN_ALL,
    ACT_SIM, // runs it in the simulator
    ACT_SIZE,
    ACT_DATA,
    ACT_PANE, // what the lower part of the page shows
    ACT_EDIT,
    ACT_WATCH,
    ACT_RESET,
    ACT_EXPORT,
    ACT_GPU, // whose time is modelled
    ACT_WHAT_IF,
    ACT_WHY,
    ACT_SOURCE,
    ACT_STEP_PAGE,
    ACT_LAUNCH, // of a program's, the one to step through
    ACT_BENCH,
    ACT_PTX,
    ACT_SASS,
    ACT_BASELINE,     // these also of compare and step
    ACT_VARIANT_NEXT, // in the ladder
    ACT_VARIANT_PREVIOUS,
    // step
    ACT_STEP,
    ACT_STEP_BACK,
    ACT_LINE,
    ACT_LINE_BACK,
    ACT_BARRIER,
    ACT_MATRIX,
    ACT_CONFLICT,
    ACT_FINDING,
    ACT_RESTART,
    ACT_TO_END,
    ACT_WARP,
    ACT_REGISTER,
    ACT_FORMAT, // of the values
    ACT_DEBUG,  // the debug build, or back to the optimised code
    ACT_LANE,   // whose variables are shown
    // explorers
    ACT_MORE,
    ACT_LESS,
    ACT_SET, // a knob, to a value
    // lesson, workbook
    ACT_NOTE,
    ACT_PART_NEXT, // of the lesson, then the next lesson
    ACT_PART_PREVIOUS,
    ACT_QUESTION, // the next open one
    ACT_SECTION_NEXT,
    ACT_SECTION_PREVIOUS,
    ACT_UNFOLD,  // what waits for an answer; in kernels what has no room
    ACT_ANSWER,  // a question, in words
    ACT_MOVE_UP, // a line that is put in order
    ACT_MOVE_DOWN,
    // in a room
    ACT_GO_THERE, // where the instructor is
    ACT_FOLLOW,   // from now on
    ACT_VOTE,
    ACT_STUCK,
    ACT_DONE,
    ACT_HIDE, // what the instructor told
    // the room of a class, for its instructor
    ACT_POLL, // the next that a vote does: opens, closes, opens again
    ACT_SHOW_VOTE,
    ACT_FOLLOW_ME,
    ACT_NEXT_NEED, // the next learner who needs help
    ACT_SAY,
    ACT_PROJECTOR,
    ACTS
};
struct action {
    enum act act;
    const char *name;     // the word at the prompt and in the bindings: "run"
    const char *pages;    // where it can be done: "bench source"; NULL: everywhere
    const char *operands; // "[N]", "SIZE"; NULL: none
    const char *hint;     // a word or two for the bar at the bottom; NULL: not shown there
    const char *help;     // one sentence
};
extern const struct action actions[];
extern const size_t action_count;
const struct action *action_find(const char *name);
bool action_fits(const struct action *action, const char *page); // can it be done on this page?
bool vocabulary_among(const char *list, const char *word);       // "bench source step" holds "step"
// The action, page or command whose name is nearest to a misspelt word. NULL: none is near.
const char *vocabulary_nearest(const struct vocabulary *known, const char *word);

// ---- keys.c: keys → words ---------------------------------------------------------------------------------

// Lines `PAGE KEY WORDS`, `all` for every page, `#` starts a comment; `PAGE KEY -` takes a key away. What ships is
// assets/keys; the user's file `keys` in the own folder is read after it and wins.
struct key_binding {
    char *page; // NULL: every page
    int key;
    char *words;
};
struct keys {
    struct key_binding *bindings;
    size_t count;
};
// Reads both files; a wrong line is an error with its place.
bool keys_read(struct keys *keys, const struct vocabulary *known, struct error *error);
bool keys_parse(struct keys *keys, const struct vocabulary *known, const char *path, const char *text,
                struct error *error);
void keys_free(struct keys *keys);
const char *keys_words(const struct keys *keys, const char *page, int key); // NULL: nothing
// The first key that does exactly these words on this page; "" if none.
void keys_name(const struct keys *keys, const char *page, const char *words, char *out, size_t size);

// ---- task.c: work in the background -----------------------------------------------------------------------

// A lane is a thread that does one task after the other. `work` runs there and touches nothing of the screen; `done`
// runs later on the screen's own thread, also for a task that was stopped; one that was stopped while it waited had no
// `work`. LANE_RUNS: what goes through the worker. LANE_HELP: compiling for a page, stepping, commands.
// LANE_ROOM: reading and writing the room of a class; what goes on there is not told.
enum lane { LANE_RUNS, LANE_HELP, LANE_ROOM, LANES };
struct task {
    void (*work)(struct task *task);
    void (*done)(struct app *app, struct task *task); // frees what `context` holds; the task goes after it
    void *context;
    atomic_bool stop; // the user wants it to end; set and read by any thread, without the lock
    char stage[120];  // what it does now, for the progress line; set with task_says
    double started;   // clock_ms; 0: it waits
    struct tasks *tasks;
    struct task *next;
};
struct tasks;
struct tasks *tasks_new(int *wake); // *wake: a descriptor that can be read when a task has something to say
void tasks_free(struct tasks *tasks,
                struct app *app); // stops everything and waits for it; `done` is called for each
void tasks_add(struct tasks *tasks, enum lane lane, struct task *task); // of mem_new; the lane frees it
void task_says(struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
void task_news(struct task *task); // the page has something to show before the next tick
void tasks_collect(struct tasks *tasks, struct app *app);  // calls `done` of those that ended
void tasks_stop(struct tasks *tasks, enum lane lane);      // the one that runs and those that wait
size_t tasks_waiting(struct tasks *tasks, enum lane lane); // whose `done` was not called yet
// False: the lane does nothing. `out`: the stage of its task; `seconds`: since that started.
bool tasks_now(struct tasks *tasks, enum lane lane, char *out, size_t size, double *seconds);
// A thread that gets no signals but those of its own faults; false: there is none left.
bool thread_begin(pthread_t *thread, void *(*body)(void *context), void *context);

// ---- runs.c: runs of variants and what came out -----------------------------------------------------------

struct run_result { // the newest for its lab, variant, backend, checks, size and data
    struct record record;
    char *error;     // no record came; the sentence says why
    bool recorded;   // ships with warpbook, from another machine
    uint64_t code;   // variant_code of what ran; 0: a CPU implementation
    unsigned serial; // of the run it came from, rising from 1; 0: recorded
};
enum run_state { RUN_NONE, RUN_WAITS, RUN_RUNS };
void runs_open(
    struct app *app); // makes app->runs, and asks this machine what it has, but not a foreign worker
void runs_ask(struct app *app); // asks the worker's machine, if it has not answered yet; a run asks it too
// What leads to a foreign worker's machine as long as that has not answered: "GPU by srun"; "": known, or no foreign one.
// True: it was asked.
bool runs_where(struct app *app, char *out, size_t size);
void runs_close(struct app *app);            // after tasks_free
struct client *runs_client(struct app *app); // for work in LANE_RUNS alone
// Queues it; the request is taken over (and freed). The result is kept, written into the workbook, and every page is
// drawn anew.
void runs_start(struct app *app, struct request *request);
// The newest result for this request, of this very text; NULL: none. For a GPU without one, what was recorded
// elsewhere.
const struct run_result *runs_find(struct app *app, const struct request *request,
                                   const struct variant *variant);
enum run_state runs_state(struct app *app, const struct request *request);
void runs_stop(struct app *app);
// The worker's machine, as client_describe gives it; NULL until it is known.
const json_t *runs_machine(struct app *app);
bool runs_gpu(struct app *app); // a GPU is known to be there
// Simulations are modelled on this GPU from here on; NULL: on the one of the worker's machine, else the H100.
bool runs_model_on(struct app *app, const char *key, struct error *error);
bool runs_model_next(struct app *app, struct error *error); // the next key; after the last one NULL
const char *runs_model_name(struct app *app);               // "NVIDIA L4"; NULL: not known yet
bool runs_model_chosen(struct app *app);                    // by runs_model_on
// It counts for a modelled time alone: no run of the learner's, so the workbook does not have it.
bool runs_only_models(const struct request *request);

// ---- app.c: pages -----------------------------------------------------------------------------------------

enum { DONE_NOT, DONE, DONE_FAILED }; // an action: not mine; done; could not, and app_say has said why
struct page_ops {
    const char *name;     // the word that opens it: "bench"; also the file's name
    const char *operands; // "[LAB[/STEP]]"
    const char *help;     // one sentence
    int most;             // words after its name, without flags; more are refused
    size_t size;          // of its state, zeroed before open
    bool (*open)(struct page *page, const struct words *words, struct error *error);
    // The page that these words open in its place; NULL: none. May be NULL.
    const struct page_ops *(*instead)(const struct words *words);
    void (*title)(struct page *page, struct text *out); // after the page's name in the title line
    void (*draw)(struct page *page, struct area area);
    int (*act)(struct page *page, enum act act, const struct words *words); // words[0] is the action's name
    // A key that is text here and no action (typing an answer, a search); true: taken. May be NULL.
    bool (*type)(struct page *page, const struct event *event);
    bool (*click)(struct page *page, int row, int col); // in the area's rows and columns; may be NULL
    void (*word)(struct page *page, struct text *out);  // what ACT_EXPLAIN explains; may be NULL
    // What ACT_COPY copies; `lines`: how many were asked for, 0: none. NULL: the row that the cursor is on.
    void (*copy)(struct page *page, int lines, struct text *out);
    // The kernel that it is about, as bench, source and step take it: "histogram/3", "FILE.cu". May be NULL, or add
    // nothing.
    void (*about)(struct page *page, struct text *out);
    // The lesson that it shows, by its folder, and where in it one is: a question by its name, else the heading. May be
    // NULL, or add nothing.
    void (*place)(const struct page *page, struct text *lesson, struct text *item);
    const char *const
        *panes; // the names of its views, NULL after the last; NULL: none, or `names` gives them
    // For completion: the words that only the page knows to follow an action. `page` is NULL where none is open, for
    // ACT_PANE alone. May be NULL.
    void (*names)(struct page *page, enum act act, void (*add)(void *context, const char *name),
                  void *context);
    // For the bar at the bottom. Whether an action that fits the page does something now; NULL: each does.
    bool (*offers)(const struct page *page, enum act act);
    // What matters most there to a newcomer, in order: "page-down read on, enter answer", an action and what it does
    // here. NULL: what the table of actions has.
    const char *(*hints)(const struct page *page);
    // The words of that bar while keys are text; NULL, or returning NULL: the keys of the actions.
    const char *(*typing)(const struct page *page);
    // Why no field takes the number that was typed, as the start of a sentence. NULL, or returning NULL: there is none.
    const char *(*no_field)(const struct page *page);
    // For pages that look at something from time to time: tick is called after tick_ms; -1: not now. Both may be
    // NULL.
    int (*tick_ms)(const struct page *page);
    void (*tick)(struct page *page);
    void (*close)(struct page *page);
};
const struct page_ops *page_find(const struct page_ops *const *pages,
                                 const char *name); // NULL: there is none
// Whether the page takes so many words, and these flags.
bool page_takes(const struct page_ops *ops, const struct words *words, struct error *error);
bool app_open(struct app *app, const char *words);                    // "bench histogram"; false: said why
int app_open_on(struct app *app, const char *page, const char *what); // what it is about, as one word
void app_back(struct app *app);

struct page {
    const struct page_ops *ops;
    struct app *app;
    void *state;
    struct area area; // where it was drawn last
    char *opened_by;  // the words that open it again
    struct page *below;
};

// ---- app.c: the room that the learner is in ---------------------------------------------------------------

// What the screen shows of it, app->seat; view/banner.c has it. The functions but `tend` want a seat.
struct seat_ops {
    // Between events, when the page is drawn: a room that was joined or left, what came, what is to be told. Returns the
    // milliseconds until there is something to do again; -1: when something comes.
    int (*tend)(struct app *app);
    void (*close)(struct app *app);
    int (*rows)(const struct app *app);              // of the banner
    bool (*draw)(struct app *app, struct area line); // false: there is nothing to say
    // "maple-otter as otter-12", or the learner alone, for the title.
    void (*title)(const struct app *app, bool whole, struct text *out);
    int (*act)(struct app *app, enum act act, const struct words *words);
};

// ---- app.c: the program -----------------------------------------------------------------------------------

struct prompt;
struct app {
    struct vocabulary known;
    struct face face;
    struct canvas canvas, unseen; // unseen: where a page is laid out that is not shown
    struct page *page;            // the one that is shown; below it those it was opened from
    struct keys keys;
    struct tasks *tasks;
    int wake;
    struct runs *runs;
    struct lessons *lessons;     // read when first asked for: app_lessons
    struct glossary *glossary;   // app_glossary
    struct search_index *search; // app_search
    struct workbook *workbook;
    struct starters starters; // for work in LANE_RUNS alone
    struct seat *seat;        // NULL: in no room
    uint64_t seat_stamp;      // changes when one is joined or left
    struct prompt *prompt;    // NULL where there is none
    char *baseline;           // "LAB/STEP" or a file, which other kernels are compared with; NULL: none
    char message[400];        // at the bottom until the next key
    enum role message_role;
    bool dirty;    // something changed: draw before waiting
    bool laid_out; // the page was drawn as it is now, seen or unseen
    bool quit, mouse;
    int status;    // the program's exit status
    bool asking;   // the prompt is open: the last line is its
    int count;     // digits that were typed before a key: how often it acts; 0: none
    bool leaving;  // one Z was typed; a second one ends the program
    bool timeless; // tests: no seconds pass
};
// The program over a face; `words` opens the first page ("" is home).
int app_main(struct app *app, const char *words);
void app_init(struct app *app, const struct vocabulary *known, struct face face, bool utf8);
void app_end(struct app *app);
// Draws what is dirty, waits, and deals with resizes, tasks, ticks, ^C and the end of the terminal by itself. False:
// one of those; true: `out` is a key, a paste or a click for the caller.
bool app_wait(struct app *app, struct event *out);
void app_event(struct app *app, const struct event *event); // a key, a paste or a click, for the page
int app_do(struct app *app, const char *words);             // act.c: an action, a page, a command
void app_say(struct app *app, enum role role, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The result of an action that could not be done, and why.
int app_refuse(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Takes an event over and writes it into the workbook, where there is one; that it could not be written is said.
void app_keep(struct app *app, const char *kind, json_t *event);
void app_draw(struct app *app);
void app_lay_out(struct app *app); // what drawing makes of the page, for its actions; nothing is shown
struct lessons *app_lessons(struct app *app);
const struct glossary *app_glossary(struct app *app);
const struct search_index *app_search(struct app *app); // of all that can be read
void app_measure(struct app *app);                      // asks for the size anew
// Lends the terminal to a program, such as the editor.
bool app_lend(struct app *app, const char *const *argv, int *status, struct error *error);

// ---- own.c: the learner's copies --------------------------------------------------------------------------

// The file `path` of the own folder (NULL: there is none) with this text, unless it is there already.
bool own_make(const char *path, const char *text, struct error *error);
// The name that a file is put aside under next, or the last one that was; NULL: none was. The caller frees.
char *own_aside(const char *path, bool last);
// Gives it another name in the same folder, which the caller frees; NULL: the error.
char *own_put_aside(const char *path, struct error *error);
// Opens it in $VISUAL, $EDITOR or vi, at that line. DONE: it was changed; DONE_NOT and DONE_FAILED: it was not, and
// that is said.
int own_edit(struct app *app, const char *path, int line);
// own_edit for the copy of a step, which is made first, and written down in the workbook. The caller reads the ladder
// anew.
int own_change(struct app *app, const struct variant *variant, int line);
bool own_restore(struct app *app, const struct variant *variant); // what ships comes back, the copy is kept
// Writes a program with the kernel, of this size and data (NULL: the usual ones), beside nothing that is there.
int own_export(struct app *app, const struct variant *variant, const char *preset, const char *data);
struct watch {  // by polling, so that network file systems work
    char *path; // NULL: nothing is watched
    uint64_t stamp;
    int missed; // how often it was looked for in vain
};
// Takes `path` over and begins to watch it, or ends that; what is `done` at a save, "runs" or "is judged", is said.
void watch_toggle(struct watch *watch, struct app *app, char *path, const char *done);
// Watches the learner's copy of a step, which is made first; false: could not begin.
bool watch_variant(struct watch *watch, struct app *app, const struct variant *variant);
void watch_end(struct watch *watch);
int watch_tick_ms(const struct watch *watch);          // as page_ops.tick_ms
bool watch_saw(struct watch *watch);                   // the file was saved since
bool watch_lost(struct watch *watch, struct app *app); // it has gone: said, and no longer watched

// ---- prompt.c: the line at the bottom, by libedit ---------------------------------------------------------

// Must be made before curses starts. NULL where no private terminal can be had; then `:` says so.
struct prompt *prompt_new(void);
void prompt_free(struct prompt *prompt); // keeps the history
// Asks for a line after `sign` (":" or "/"), which the screen's own loop goes on under; NULL: cancelled. The caller
// frees. History and completion belong to ":" alone. `typed`, unless NULL, gets the line whenever it has changed.
char *prompt_ask(struct prompt *prompt, struct app *app, const char *sign,
                 void (*typed)(struct app *app, const char *line));
// Draws the line, its cursor and the candidates above it; called by app_draw while it is open.
void prompt_draw(struct prompt *prompt, struct area line, struct area above);

// The lines that were given at the prompt, kept from one start to the next; the full-screen prompt and the shell share
// them. One line a command, appended when it is given, so that two warpbooks at once lose nothing of each other. Both
// structures are libedit's.
struct history;
struct editline;
struct history *history_new(void);          // empty
void history_load(struct history *history); // what was kept
void history_keep(struct history *history, const char *line);
// Takes away the keys of libedit's own commands, which end the program where none is typed.
void history_bind(struct editline *line);

// ---- complete.c: what could come next at the prompt -------------------------------------------------------

// The words that can follow `line` up to `at`, sorted; the word being typed starts at *from. Commands, pages, actions
// of `page` (NULL: none), labs, variants, flags and their values, terms, files. `app` may be NULL. The caller frees
// each and the array.
char **complete_words(const struct vocabulary *known, struct app *app, const char *page, const char *line,
                      size_t at, size_t *from, size_t *count);
size_t complete_common(char *const *words, size_t count); // bytes that all of them start with

#endif
