// Live blocks in a lesson: questions that are answered in place, runs that are predicted, labs and pictures to open.
// lesson.c is the page around them; the same blocks are printed on paper, where nothing is asked.
#ifndef WARPBOOK_LIVE_H
#define WARPBOOK_LIVE_H

#include "tui/view/view.h"

// ---- what the page keeps of a live block -----------------------------------------------------------------------

struct question {
    const struct lesson *lesson;
    const struct live *live;
    json_t *predicted, *answered; // the newest events about it; NULL: none
    char *unkept;                 // why the last thing was not written down, to be shown; NULL: it was
    unsigned chosen;              // where several are right: bits of what is chosen so far
    struct field field;
    struct lesson_run *trials; // made when they are first needed
    size_t trial_count;
    bool sought;
    char *trouble; // why there are none
    int order[ORDER_MOST];
    bool left_out[ORDER_MOST]; // by place
    int order_count;
    int wrong_from; // the line that the last Check found wrong first, from 1; 0: none, or lines were moved since
    struct judging *judging; // a kernel of it that is or was judged; NULL: none
    bool judged;             // a verdict came since the text was made last
    struct watch watch;      // of the copy of which a save is judged
    int hints;               // how many were asked for
    const char *asked;       // "show", "solution" or "anew", which the next time does; NULL: none of them
    bool told, showing;      // a solution was asked for before it was solved; it is shown now
    bool waits;              // it folds what follows: neither answered nor read past
    bool noticed; // somebody who read on was stopped at it, or went to it, and it is in sight since
};
// The place that a live block is set in. On paper `app` and `question` are NULL, and nothing can be answered.
struct live_view {
    struct sheet *sheet;
    struct links *links;
    struct app *app;
    const struct lesson *lesson;
    const struct live *live;
    struct question *question;
    struct question *all; // of the lesson, from which a lab knows what is still to be predicted
    size_t all_count;
    bool aside; // beside the text, where nothing is chosen
};

// ---- live.c: the frame, and what the kinds share ---------------------------------------------------------------

void live_add(const struct live_view *view);
const char *live_title(enum live_kind kind); // "Question"
char *
live_plain_ask(const struct live *live); // the words of its `ask` in a line, without marks; the caller frees
bool live_solved(const struct question *question);
bool question_is_answered(const struct question *question); // solved, predicted, or the answer was shown
bool question_is_unchecked(
    const struct question *question);             // boxes are ticked of which its last answer knows nothing
bool live_shown(const struct question *question); // the learner wanted to see the answer
// What those of them that are predictions, and wait, ask about a place: "histogram/3-shared", or "histogram" for any of
// its steps. ASKED_TIME and so on; 0: nothing.
unsigned questions_ask(const struct question *questions, size_t count, const char *place);
void question_open(struct question *question, struct app *app, const struct lesson *lesson,
                   const struct live *live);
void question_close(struct question *question);
// Takes an event about the question over and writes it into the workbook. False: it could not be written, which counts
// as not done; that is said, and stays there until something is written. Without a workbook things last until one
// leaves.
bool question_write(struct app *app, struct question *question, const char *kind, json_t *event);
// Writes an answer or a prediction in this way; it is the newest from then on. An answer that was given before is not
// written again.
bool question_keep(struct app *app, struct question *question, bool predicts, json_t *event);
// What gives something away is done when it is asked for twice in a row: whether it is now. `says`: what it will do.
bool question_asked_twice(struct app *app, struct question *question, const char *what, const char *says);
bool question_asks(const struct question *question, const char *what); // it was asked for once
// Makes question->trials of `run` or `show`.
void question_seek(struct question *question);
void live_head(const struct live_view *view, const char *name, enum role role, enum glyph sign,
               const char *words);
void live_ask(const struct live_view *view,
              const char *key); // the text of `ask`, `say`, `because`; none: nothing
// A line that can be chosen, and what it does; on paper it is left out.
void live_button(const struct live_view *view, const char *words, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A line that begins at column 2 and goes on at column `hang`.
void live_put(const struct live_view *view, enum role role, int hang, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Puts the words in column 4, or after the sign where there is one, and wraps them there.
void live_inner(const struct live_view *view, enum role role, const char *sign, const char *words);
void live_beside(const struct live_view *view, const struct beside_row *rows, size_t count);
char *live_file(const struct lesson *lesson, const char *name);                   // of the lesson's folder
void live_after(const struct live_view *view, enum role role, const char *words); // at the line's end, apart

// Runs that live blocks name. `simulate`: in the simulator, whatever the block says.
void live_run_start(struct app *app, const struct lesson_run *run, bool simulate);
const struct run_result *live_run_result(struct app *app, const struct lesson_run *run, bool simulate);
enum run_state live_run_state(struct app *app, const struct lesson_run *run, bool simulate);

// ---- the kinds: what each does; NULL: nothing ------------------------------------------------------------------

struct live_ops {
    void (*add)(const struct live_view *view);
    void (*open)(struct app *app, struct question *question);
    // "2", "done", "show", "run", "check", "out 3", "edit", "judge", "hint", ...: what a choice or a button means,
    // or what was typed.
    void (*answer)(struct app *app, struct question *question, const char *answer);
    void (*run)(struct app *app, struct question *question);
    int (*move)(struct question *question, int place, int by); // a line of an order; where it is now
};
extern const struct live_ops live_quiz, live_predict, live_order, // live_question.c
    live_task, live_lab, live_widget;                             // live_task.c, live_show.c
const struct live_ops *live_ops_of(const struct live *live);

// ---- judging.c: a kernel that is judged in the background ---------------------------------------------------------

enum judged {
    JUDGED,
    JUDGED_UNTIMED,
    JUDGED_TIMED
}; // without a GPU; before it is timed there; and after that

struct judging {
    struct question *question; // NULL: closed
    struct client *client;
    struct starters *starters; // the app's
    bool gpu;                  // there is one
    const struct live *live;   // of the app's lessons, which outlive its tasks
    char *text;
    struct own_lines own; // the file, and its lines that are called by their numbers in the block
    struct task *task;    // NULL: it is over
    void (*over)(struct app *app, struct question *question, const struct judge_verdict *verdict,
                 enum judged when);
    bool came;   // the verdict
    bool timing; // the verdict is told, and `task` fills in `timed`, which takes its place
    struct judge_verdict verdict, timed;
    struct error error;
};

// Judges `text` as the block's file. `own`: its lines that are called by their numbers in the block. `over` is called
// with a verdict that came while the question is open; NULL: nothing.
void judging_start(struct app *app, struct question *question, const char *text, struct own_lines own,
                   void (*over)(struct app *app, struct question *question,
                                const struct judge_verdict *verdict, enum judged when));
void judging_add(const struct live_view *view, const char *accepted); // the verdict; accepted: in these words
void judging_close(struct question *question);

// ---- lesson_text.c: a lesson, and the list of them, as sheets --------------------------------------------------------

struct section { // from one heading to the next
    size_t line;
    const char *words; // owned
    int asked, done;
    size_t part; // of the lesson, from 1; 0: it has none
    bool opens;  // that part: its heading
    bool folded;
};
enum { TEXT_MOST = 78, CODE_MOST = 82 }; // cells of a line to read, of a line of code in a frame
struct lesson_text {
    struct sheet sheet;
    struct links links;
    int *owner;            // by item: the live block it belongs to; -1: none
    unsigned char *passed; // by item: 1 of one that paging and answers pass over, as struct reader has it
    size_t *starts,
        *ends;     // by live block: its first line, and the line after it; one that is folded has no lines
    size_t *lines; // by block of the lesson: its first line
    struct section *sections;
    size_t section_count;
};
struct lesson_setting {
    struct app *app;                 // NULL: on paper
    const struct workbook *workbook; // how far each part is; NULL: not known
    struct question *questions;      // one for each live block, in order; NULL: on paper
    size_t question_count;
    const unsigned char *folds; // by block, as folds_spread leaves them; NULL: nothing is folded
    size_t part;                // on paper: this one alone, from 1; 0: all of it
    int width;
    bool utf8, notes; // notes: those for an instructor too
};
struct lesson_text lesson_text_new(const struct lesson *lesson, const struct lesson_setting *setting);
void lesson_text_free(struct lesson_text *text);
struct lesson_text lesson_text_list(const struct lessons *lessons, const struct workbook *workbook, int width,
                                    bool utf8);

#endif
