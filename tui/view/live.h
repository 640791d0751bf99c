// Live blocks in a lesson: questions that are answered in place, runs that are predicted, labs and pictures to open.
// lesson.c is the page around them; the same blocks are printed on paper, where nothing is asked.
#ifndef WARPBOOK_LIVE_H
#define WARPBOOK_LIVE_H

#include "tui/view/view.h"

// ---- field.c: a line that one types into ------------------------------------------------------------------

enum { FIELD_MOST = 60 };
struct field {
    char text[FIELD_MOST + 4];
    size_t at; // bytes before the cursor
};
bool field_type(struct field *field, const struct event *event); // false: not a key for it
void field_add(struct field *field, const char *text);           // at the cursor, up to a line's end

// ---- what the page keeps of a live block -----------------------------------------------------------------------

struct question {
    const struct lesson *lesson;
    const struct live *live;
    json_t *predicted, *answered; // the newest events about it; NULL: none
    char *unkept;                 // why the last thing was not written down, to stand there; NULL: it was
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
    int hints;               // how many were asked for
    bool told, showing;      // a solution was asked for before it was solved; it stands there now
};
// Where a live block is put. On paper `app` and `question` are NULL, and nothing can be answered.
struct live_view {
    struct sheet *sheet;
    struct links *links;
    struct app *app;
    const struct lesson *lesson;
    const struct live *live;
    struct question *question;
};

// ---- live.c: the frame, and what the kinds share ---------------------------------------------------------------

void live_add(const struct live_view *view);
bool live_asks(enum live_kind kind); // is something to be answered?
bool live_solved(const struct question *question);
bool live_shown(const struct question *question); // the learner wanted to see the answer
void question_open(struct question *question, struct app *app, const struct lesson *lesson,
                   const struct live *live);
void question_close(struct question *question);
// Takes an event about the question over and writes it into the workbook. False: it could not be written, which counts
// as not done; that is said, and stands there until something is written. Without a workbook things last until one
// leaves.
bool question_write(struct app *app, struct question *question, const char *kind, json_t *event);
// The same for an answer or a prediction, which is the newest from then on.
bool question_keep(struct app *app, struct question *question, bool predicts, json_t *event);
// Makes question->trials of `run` or `show`.
void question_seek(struct question *question);
void live_head(const struct live_view *view, const char *name, enum role role, enum glyph sign,
               const char *words);
void live_ask(const struct live_view *view,
              const char *key); // the text of `ask`, `say`, `because`; none: nothing
// A line that can be chosen, and what it does; on paper it is left out.
void live_button(const struct live_view *view, const char *words, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void live_field_line(const struct live_view *view); // the field, and the unit behind it
void live_behind(const struct live_view *view, enum role role, const char *words); // at the line's end, apart

// Runs that live blocks name. `simulate`: in the simulator, whatever the block says.
void live_run_start(struct app *app, const struct lesson_run *run, bool simulate);
const struct run_result *live_run_result(struct app *app, const struct lesson_run *run, bool simulate);
enum run_state live_run_state(struct app *app, const struct lesson_run *run, bool simulate);

void lab_run(struct app *app, struct question *question);

// ---- live_question.c: quizzes, predictions, orders ----------------------------------------------------------------------

void quiz_add(const struct live_view *view);
// "2": chosen, or chosen no more where several are right; "done": these are all; "show": the answer; else typed.
void quiz_answer(struct app *app, struct question *question, const char *answer);

void predict_add(const struct live_view *view);
void predict_answer(struct app *app, struct question *question, const char *answer);
void predict_run(struct app *app, struct question *question);
// Writes what came out into the workbook when it is first known; what could not be written, only when asked `again`.
void predict_note(struct app *app, struct question *question, bool again);

void order_add(const struct live_view *view);
void order_open(struct question *question);
void order_answer(struct app *app, struct question *question, const char *answer); // "check", "show", "out 3"
int order_move(struct question *question, int place, int by);                      // where it is now

// ---- live_task.c: exercises and bug hunts, and a kernel that is judged behind the screen -------------------------------

void task_add(const struct live_view *view);
void task_open(struct app *app, struct question *question);
// "edit", "judge", "hint", "solution", "anew".
void task_answer(struct app *app, struct question *question, const char *answer);
void task_edit(struct app *app, struct question *question);
void task_judge(struct app *app, struct question *question);

// `over` is called with a verdict that came while the question is open.
void judging_start(struct app *app, struct question *question, const char *file, const char *text,
                   void (*over)(struct app *app, struct question *question,
                                const struct judge_verdict *verdict));
// The lines of the text that is judged that are called by their numbers in the block: those of an order.
void judging_own(struct question *question, int first, int count);
void judging_add(const struct live_view *view,
                 const char *accepted); // what came out; accepted: in these words
void judging_close(struct question *question);

// ---- lesson_text.c: a lesson, and the list of them, as sheets --------------------------------------------------------

struct section { // from one heading to the next
    size_t line;
    const char *words; // owned
    int asked, done;
};
enum { TEXT_MOST = 78, CODE_MOST = 82 }; // cells of a line to read, of a line of code in a frame
struct lesson_text {
    struct sheet sheet;
    struct links links;
    int *owner;            // by item: the live block it belongs to; -1: none
    size_t *starts, *ends; // by live block: its first line, and the line behind it
    struct section *sections;
    size_t section_count;
};
// `questions`: one for each live block, in order; NULL: on paper. `notes`: those for an instructor too.
struct lesson_text lesson_text_new(struct app *app, const struct lesson *lesson, struct question *questions,
                                   int width, bool utf8, bool notes);
void lesson_text_free(struct lesson_text *text);
struct lesson_text lesson_text_list(const struct lessons *lessons, const struct workbook *workbook, int width,
                                    bool utf8);

#endif
