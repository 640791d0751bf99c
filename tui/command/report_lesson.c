// A lesson in the report: a row for each live block, and its notes. A prediction is shown beside what came, an answer as it
// was given first, a kernel with its tries.
#include "tui/command/report.h"
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// NULL: no such event. Answers of a review are counted apart.
struct live_history {
    const json_t *predicted, *outcome; // the first of each; outcome: what came of the prediction
    const json_t *first, *solved;      // the first answer, the first right one
    const json_t *shown;               // the answer was looked at
    const json_t *read_on;             // past it, before the first answer
    const json_t *asked;               // the solution was asked for before it was solved
    const json_t **later;              // answers after the first
    size_t later_count;
    size_t tries; // answers up to the first right one, without those that only looked
    size_t reviews, reviews_right;
    int hints, edits;
};
// ---- one lesson -------------------------------------------------------------------------------------------

// The first event with this id, or where it would be.
static size_t first_of(const struct lesson_history *story, const char *id)
{
    size_t from = 0, to = story->id_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(story->by_id[middle].id, id) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// ---- one live block ---------------------------------------------------------------------------------------

static bool says(const json_t *event, const char *key)
{
    return json_is_true(json_object_get(event, key));
}

static void take_answer(struct live_history *told, const json_t *event)
{
    bool right = says(event, "right");
    if (says(event, "shown")) {
        told->shown = told->shown ? told->shown : event;
        return;
    }
    told->tries += !told->solved;
    if (says(event, "asked_solution") && !told->asked && !told->solved)
        told->asked = event;
    if (right && !told->solved)
        told->solved = event;
    if (!told->first) {
        told->first = event;
        return;
    }
    told->later = array_room(told->later, told->later_count, sizeof *told->later);
    told->later[told->later_count++] = event;
}

static void take_hint(struct live_history *told, const json_t *event)
{
    int hints = (int)json_integer_value(json_object_get(event, "hint"));
    told->hints = hints > told->hints ? hints : told->hints;
    if (says(event, "asked_solution") && !told->asked && !told->solved)
        told->asked = event;
}

static void take_event(struct live_history *told, const json_t *event)
{
    const char *kind = event_kind(event);
    if (says(event, "review")) {
        told->reviews++;
        told->reviews_right += says(event, "right");
    } else if (strcmp(kind, "predict") == 0) {
        told->predicted = told->predicted ? told->predicted : event;
    } else if (strcmp(kind, "outcome") == 0) {
        told->outcome = told->outcome ? told->outcome : event;
    } else if (strcmp(kind, "answer") == 0) {
        take_answer(told, event);
    } else if (strcmp(kind, "hint") == 0) {
        take_hint(told, event);
    } else if (strcmp(kind, "edit") == 0) {
        told->edits++;
    } else if (strcmp(kind, "unfold") == 0 && !told->predicted && !told->first) {
        told->read_on = event;
    }
}

static void live_history_read(struct live_history *out, const struct lesson_history *story,
                              const struct live *live)
{
    *out = (struct live_history){ 0 };
    if (!live->id)
        return;
    for (size_t i = first_of(story, live->id);
         i < story->id_count && strcmp(story->by_id[i].id, live->id) == 0; i++)
        take_event(out, story->by_id[i].event);
}

static void live_history_free(struct live_history *told)
{
    free(told->later);
    *told = (struct live_history){ 0 };
}

// ---- counts for the summary -------------------------------------------------------------------------------

static void count_block(size_t *count, const struct live *live, const struct live_history *told)
{
    bool came = told->predicted && told->outcome, task = live->kind == LIVE_EXERCISE;
    switch (live->kind) {
    case LIVE_PREDICT:
        count[TALLY_OUTCOMES] += came;
        count[TALLY_RIGHT] += came && says(told->outcome, "right");
        break;
    case LIVE_QUIZ:
    case LIVE_ORDER:
        count[TALLY_ANSWERED] += told->first || told->shown;
        count[TALLY_FIRST] += told->first && told->first == told->solved;
        break;
    case LIVE_EXERCISE:
    case LIVE_BUGHUNT: // challenges are counted nowhere: they have a board
        count[task ? TALLY_EXERCISES : TALLY_HUNTS]++;
        count[task ? TALLY_SOLVED : TALLY_FOUND] += told->solved != NULL;
        break;
    default:
        break;
    }
    count[TALLY_HINTS] += (size_t)told->hints;
    count[TALLY_SOLUTIONS] += told->asked != NULL;
}

struct lesson_tally lesson_tally_of(const struct workbook *workbook, const struct lesson_history *story)
{
    struct progress progress = progress_of(workbook, story->lesson, 0);
    struct lesson_tally tally = {
        { [TALLY_DONE] = (size_t)progress.done, [TALLY_ASKED] = (size_t)progress.asked }
    };
    for (size_t i = 0; i < story->lesson->block_count; i++) {
        const struct lesson_block *block = &story->lesson->blocks[i];
        struct live_history told;
        if (block->kind != BLOCK_LIVE)
            continue;
        live_history_read(&told, story, &block->live);
        count_block(tally.count, &block->live, &told);
        live_history_free(&told);
    }
    return tally;
}

// ---- small things of events -------------------------------------------------------------------------------

void report_day(const json_t *event, char *out, size_t size)
{
    struct tm at;
    *out = 0;
    if (event_time(event, &at))
        strftime(out, size, "%Y-%m-%d", &at);
}

// ---- answers as given -------------------------------------------------------------------------------------

static void add_unit(struct report_page *report, const struct live *live)
{
    const char *unit = live_field(live, "unit");
    if (unit)
        report_add(report, ROLE_TEXT, " %s", unit);
}

// Adds choices by their words, where the lesson has them.
static void add_choices(struct report_page *report, const struct live *live, const json_t *numbers)
{
    const json_t *number;
    size_t i;
    json_array_foreach(numbers, i, number)
    {
        json_int_t nth = json_integer_value(number);
        const char *words = nth > 0 ? live_nth(live, "choice", (size_t)nth - 1) : NULL;
        report_add(report, ROLE_TEXT, "%s", i ? "; " : "");
        if (words)
            report_marked(report, words);
        else
            report_add(report, ROLE_TEXT, "%lld", (long long)nth);
    }
}

// Lines as they were put in order, cut to what tells one from another.
static void add_lines(struct report_page *report, const struct live *live, const json_t *numbers)
{
    enum { CELLS = 32 };
    const json_t *number;
    size_t i;
    json_array_foreach(numbers, i, number)
    {
        json_int_t nth = json_integer_value(number);
        const char *line = nth > 0 && nth <= ORDER_MOST ? order_line(live, (int)nth - 1) : NULL;
        report_add(report, ROLE_TEXT, "%s%zu. ", i ? "; " : "", i + 1);
        if (!line) {
            report_add(report, ROLE_TEXT, "a line that the lesson no longer has");
            continue;
        }
        line += strspn(line, " \t");
        size_t length = text_fit(line, CELLS);
        report_add(report, ROLE_CODE, "%.*s", (int)length, line);
        report_add(report, ROLE_TEXT, "%s", line[length] ? "…" : "");
    }
}

static void add_given(struct report_page *report, const struct live *live, const json_t *event)
{
    const json_t *typed = json_object_get(event, "typed"), *order = json_object_get(event, "order");
    if (json_is_string(typed)) {
        report_add(report, ROLE_TEXT, "\"%s\"", json_string_value(typed));
        add_unit(report, live);
    } else if (json_is_array(order)) {
        add_lines(report, live, order);
    } else {
        add_choices(report, live, json_object_get(event, "chosen"));
    }
}

static void add_verdict(struct report_page *report, bool good)
{
    report_add(report, good ? ROLE_GOOD : ROLE_BAD, "%s", good ? "right" : "not right");
}

static void cell_ask(struct report_page *report, const struct live *live)
{
    report_cell(report, ROLE_TEXT, "%s", "");
    report_marked(report, live_field(live, "ask"));
}

static void add_reviews(struct report_page *report, const struct live_history *told, bool first)
{
    if (told->reviews)
        report_add(report, ROLE_TEXT, "%sasked again %zu time%s, %zu right", first ? "" : "; ", told->reviews,
                   told->reviews == 1 ? "" : "s", told->reviews_right);
}

// ---- predictions ------------------------------------------------------------------------------------------

static void cell_predicted(struct report_page *report, const struct live *live, const json_t *event)
{
    const json_t *number = json_object_get(event, "number");
    char words[40] = "";
    report_cell(report, ROLE_TEXT, "%s", "");
    if (json_is_number(number)) {
        outcome_number(json_number_value(number), "", words, sizeof words);
        report_add(report, ROLE_TEXT, "%s", words);
    } else {
        report_marked(report, event_text(event, "text"));
    }
    if (json_is_number(number) || live_count(live, "run") == 1)
        add_unit(report, live);
}

static void add_values(struct report_page *report, const struct live *live, const struct outcome *outcome)
{
    const char *value = live_field(live, "value");
    for (size_t i = 0; i < outcome->count; i++) {
        char number[40];
        outcome_number(outcome->values[i], value ? value : "", number, sizeof number);
        report_add(report, ROLE_TEXT, "%s%s", i ? "; " : "", number);
    }
}

// The outcome's numbers, where the lesson no longer has the runs that they are of.
static void add_numbers_came(struct report_page *report, const json_t *event)
{
    const json_t *number;
    size_t i;
    json_array_foreach(json_object_get(event, "came"), i, number)
        report_add(report, ROLE_TEXT, "%s%.6g", i ? "; " : "", json_number_value(number));
}

// One number, or, where several runs are compared, the best of them and the number of each.
static void cell_came(struct report_page *report, const struct live *live, const json_t *event)
{
    struct outcome outcome;
    report_cell(report, ROLE_TEXT, "%s", "");
    if (!event) {
        report_add(report, ROLE_DIM, "not run yet");
        return;
    }
    if (!outcome_known(live, event, &outcome)) {
        add_numbers_came(report, event);
        return;
    }
    const char *best = outcome.right ? live_nth(live, "choice", (size_t)outcome.right - 1) : NULL;
    bool told = live_field(live, "right") != NULL, several = outcome.count > 1,
         words = best && (several || told);
    if (words)
        report_marked(report, best);
    if (words && told)
        return;
    report_add(report, ROLE_TEXT, "%s", several ? " (" : "");
    add_values(report, live, &outcome);
    if (several)
        report_add(report, ROLE_TEXT, ")");
    else
        add_unit(report, live);
}

// The cell uses the words of the lesson's page.
static void cell_score(struct report_page *report, const struct live *live, const struct live_history *told)
{
    const json_t *ratio = json_object_get(told->outcome, "ratio");
    double off = json_is_number(ratio) ? json_number_value(ratio) : NAN;
    bool choices = live_count(live, "choice") > 0;
    report_cell(report, ROLE_TEXT, "%s", "");
    if (!told->outcome)
        report_add(report, ROLE_DIM, "none yet");
    else if (says(told->outcome, "right") && (choices || isnan(off) || off < 1.005))
        report_add(report, ROLE_GOOD, "right");
    else if (says(told->outcome, "right"))
        report_add(report, ROLE_GOOD, "nearly: off by %.1f %%", 100 * (off - 1));
    else if (isnan(off))
        report_add(report, ROLE_BAD, "not so");
    else if (off < 1.5)
        report_add(report, ROLE_NOTE, "close: off by %.0f %%", 100 * (off - 1));
    else
        report_add(report, ROLE_BAD, "off by a factor of %.3g", off);
    add_reviews(report, told, false);
}

static void add_how(struct report_page *report, const char *how)
{
    report_add(report, outcome_role(how), "%s", how);
}

// Says how the numbers came about, one by one where that differs between them.
static void cell_how(struct report_page *report, const json_t *outcome)
{
    const json_t *each = json_object_get(outcome, "by_value"), *one;
    const char *how = event_text(outcome, "how");
    size_t i;
    report_cell(report, ROLE_TEXT, "%s", "");
    json_array_foreach(each, i, one)
    {
        report_add(report, ROLE_TEXT, "%s", i ? "; " : "");
        add_how(report, json_is_string(one) ? json_string_value(one) : "");
    }
    if (!json_array_size(each))
        add_how(report, *how || !outcome ? how : "told by the lesson");
}

static void add_after(struct report_page *report, const struct live_history *told)
{
    if (told->read_on)
        report_add(report, ROLE_NOTE, " after reading on");
}

static void prediction_row(struct report_page *report, const struct live *live,
                           const struct live_history *told)
{
    cell_ask(report, live);
    cell_predicted(report, live, told->predicted);
    add_after(report, told);
    cell_came(report, live, told->outcome);
    cell_how(report, told->outcome);
    cell_score(report, live, told);
}

// ---- questions --------------------------------------------------------------------------------------------

static void cell_later(struct report_page *report, const struct live *live, const struct live_history *told)
{
    report_cell(report, ROLE_TEXT, "%s", "");
    for (size_t i = 0; i < told->later_count; i++) {
        report_add(report, ROLE_TEXT, "%s", i ? "; then " : "then ");
        add_given(report, live, told->later[i]);
        report_add(report, ROLE_TEXT, ": ");
        add_verdict(report, says(told->later[i], "right"));
    }
    if (told->shown)
        report_add(report, ROLE_NOTE, "%slooked at the answer", told->later_count ? "; then " : "then ");
    add_reviews(report, told, !told->later_count && !told->shown);
}

static void question_row(struct report_page *report, const struct live *live, const struct live_history *told)
{
    cell_ask(report, live);
    report_cell(report, ROLE_TEXT, "%s", "");
    add_given(report, live, told->first);
    report_cell(report, ROLE_TEXT, "%s", "");
    if (told->first)
        add_verdict(report, says(told->first, "right"));
    add_after(report, told);
    cell_later(report, live, told);
}

// ---- exercises and bug hunts ------------------------------------------------------------------------------

static void cell_solved(struct report_page *report, const struct live_history *told)
{
    char day[20];
    report_day(told->solved, day, sizeof day);
    report_cell(report, ROLE_TEXT, "%s", "");
    if (told->solved)
        report_add(report, ROLE_GOOD, "yes, on try %zu%s%s", told->tries, *day ? ", " : "", day);
    else
        report_add(report, told->tries ? ROLE_BAD : ROLE_DIM, "%s", told->tries ? "not yet" : "not tried");
}

static void cell_solution(struct report_page *report, const struct live_history *told)
{
    char day[20];
    report_day(told->asked, day, sizeof day);
    report_cell(report, ROLE_TEXT, "%s", "");
    if (!told->asked)
        report_add(report, ROLE_TEXT, "no");
    else
        report_add(report, ROLE_NOTE, "yes, before it was solved%s%s", *day ? ", " : "", day);
}

static void task_row(struct report_page *report, const struct live *live, const struct live_history *told)
{
    size_t hints = live_count(live, "hint");
    cell_ask(report, live);
    report_cell(report, ROLE_TEXT, "%s", live->kind == LIVE_BUGHUNT ? "bug hunt" : "exercise");
    report_cell(report, ROLE_TEXT, "%zu", told->tries);
    cell_solved(report, told);
    report_cell(report, ROLE_TEXT, "%s", "");
    if (hints)
        report_add(report, ROLE_TEXT, "%d of %zu", told->hints, hints);
    cell_solution(report, told);
    report_cell(report, ROLE_TEXT, "%d", told->edits);
}

// Why a try was rejected.
static void rejected_item(struct report_page *report, const struct live *live, const json_t *event,
                          size_t nth)
{
    char day[20];
    const char *why = event_text(event, "text");
    report_day(event, day, sizeof day);
    if (says(event, "right"))
        return;
    report_item(report, ROLE_CODE, "%s", live->id);
    report_add(report, ROLE_TEXT, ", try %zu%s%s: %s", nth, *day ? ", " : "", day, *why ? why : "rejected");
}

static void rejected_tries(struct report_page *report, const struct live *live,
                           const struct live_history *told)
{
    if (told->first)
        rejected_item(report, live, told->first, 1);
    for (size_t i = 0; i + 1 < told->tries && i < told->later_count; i++)
        rejected_item(report, live, told->later[i], i + 2);
}

// ---- parts ------------------------------------------------------------------------------------------------

struct report_part {
    const char *title;
    const char *head[8];
    size_t cols;
    unsigned flush;
    unsigned kinds; // of live blocks, 1 << kind
    bool (*holds)(const struct live_history *told);
    void (*row)(struct report_page *report, const struct live *live, const struct live_history *told);
    void (*after)(struct report_page *report, const struct live *live, const struct live_history *told);
};

static bool is_predicted(const struct live_history *told)
{
    return told->predicted;
}

static bool is_answered(const struct live_history *told)
{
    return told->first || told->shown;
}

static bool is_begun(const struct live_history *told)
{
    return told->first || told->hints || told->asked || told->edits;
}

static const struct report_part parts[] = {
    { .title = "Predictions",
      .head = { "question", "predicted", "what came out", "from", "score" },
      .cols = 5,
      .kinds = 1 << LIVE_PREDICT,
      .holds = is_predicted,
      .row = prediction_row },
    { .title = "Questions",
      .head = { "question", "first answer", "it was", "later" },
      .cols = 4,
      .kinds = 1 << LIVE_QUIZ | 1 << LIVE_ORDER,
      .holds = is_answered,
      .row = question_row },
    { .title = "Exercises and bug hunts",
      .head = { "task", "kind", "tries", "solved", "hints", "solution looked at", "edits" },
      .cols = 7,
      .flush = 0x44,
      .kinds = 1 << LIVE_EXERCISE | 1 << LIVE_BUGHUNT,
      .holds = is_begun,
      .row = task_row,
      .after = rejected_tries },
};

// Calls `put` for each live block of the part; returns how many there are.
static size_t
each(struct report_page *report, const struct lesson_history *story, const struct report_part *part,
     void (*put)(struct report_page *report, const struct live *live, const struct live_history *told))
{
    size_t count = 0;
    for (size_t i = 0; i < story->lesson->block_count; i++) {
        const struct lesson_block *block = &story->lesson->blocks[i];
        struct live_history told;
        if (block->kind != BLOCK_LIVE || !(part->kinds >> block->live.kind & 1))
            continue;
        live_history_read(&told, story, &block->live);
        bool held = part->holds(&told);
        if (held && put)
            put(report, &block->live, &told);
        count += held;
        live_history_free(&told);
    }
    return count;
}

static void add_part(struct report_page *report, const struct lesson_history *story,
                     const struct report_part *part)
{
    if (!each(report, story, part, NULL))
        return;
    report_heading(report, 3, "%s", part->title);
    report_table(report, part->head, part->cols, part->flush);
    each(report, story, part, part->row);
    if (part->after)
        each(report, story, part, part->after);
}

// ---- challenges -------------------------------------------------------------------------------------------

static void board_rows(struct report_page *report, const struct attempt_board *board)
{
    for (size_t i = 0; i < board->count; i++) {
        struct board_cells cells;
        bool best = i == board->best && board->rows[i].accepted;
        board_cells(board, i, &cells);
        report_cell(report, ROLE_CODE, "%s", board->id);
        report_cell(report, ROLE_TEXT, "%s", cells.date);
        report_cell(report, best ? ROLE_GOOD : ROLE_TEXT, "%s", cells.result);
        report_cell(report, ROLE_TEXT, "%s", cells.time);
        report_cell(report, ROLE_TEXT, "%s", cells.ceiling);
        report_cell(report, ROLE_TEXT, "%s", cells.count);
        report_cell(report, ROLE_TEXT, "%s", board->rows[i].limit.what);
    }
}

// A row for each attempt that is on the board of a challenge.
static void add_challenges(struct report_page *report, const struct workbook *workbook,
                           const struct lesson *lesson)
{
    static const char *const head[] = { "challenge", "date", "result", "time", "share of the ceiling",
                                        "count",     "of" };
    size_t count = 0;
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind != BLOCK_LIVE || block->live.kind != LIVE_CHALLENGE)
            continue;
        struct attempt_board board = board_read(workbook, lesson->name, block->live.id);
        if (board.count && !count++) {
            report_heading(report, 3, "Challenges");
            report_table(report, head, COUNT(head), 0x38);
        }
        board_rows(report, &board);
        board_free(&board);
    }
}

// ---- the lesson -------------------------------------------------------------------------------------------

static void add_opened(struct report_page *report, const struct workbook *workbook,
                       const struct lesson_history *story)
{
    struct progress progress = progress_of(workbook, story->lesson, 0);
    char first[20] = "", last[20] = "";
    size_t opened = 0;
    for (size_t i = 0; i < story->count; i++) {
        opened += event_is(story->events[i], "lesson");
        if (!*first)
            report_day(story->events[i], first, sizeof first);
        char day[20];
        report_day(story->events[i], day, sizeof day);
        if (*day)
            format_into(last, sizeof last, "%s", day);
    }
    report_words(report, ROLE_TEXT, "%d of %d done.", progress.done, progress.asked);
    if (opened)
        report_add(report, ROLE_TEXT, " Opened %zu time%s.", opened, opened == 1 ? "" : "s");
    if (*first)
        report_add(report, ROLE_TEXT, strcmp(first, last) == 0 ? " On %s." : " From %s to %s.", first, last);
}

// How far each part has been done.
static void add_progress(struct report_page *report, const struct workbook *workbook,
                         const struct lesson *lesson)
{
    static const char *const head[] = { "part", "minutes", "done" };
    if (!lesson->part_count)
        return;
    report_table(report, head, COUNT(head), 1u << 1 | 1u << 2);
    for (size_t i = 1; i <= lesson->part_count; i++) {
        struct progress progress = progress_of(workbook, lesson, i);
        report_cell(report, ROLE_TEXT, "%d.%zu %s", lesson->number, i, lesson->parts[i - 1].title);
        report_cell(report, ROLE_TEXT, "%d", lesson->parts[i - 1].minutes);
        report_cell(report, ROLE_TEXT, "%d of %d", progress.done, progress.asked);
    }
    report_table_end(report);
}

// What was unfolded before its question was answered.
static void add_read_on(struct report_page *report, const struct lesson_history *story)
{
    size_t count = 0;
    for (size_t i = 0; i < story->count; i++) {
        const json_t *event = story->events[i];
        const char *id = event_text(event, "id");
        bool whole = !*id || strcmp(id, FOLD_ALL) == 0;
        char day[20];
        if (!event_is(event, "unfold"))
            continue;
        report_day(event, day, sizeof day);
        if (!count++)
            report_words(report, ROLE_TEXT, "Read on without an answer:");
        else
            report_add(report, ROLE_TEXT, ",");
        size_t marks = strspn(id, "#"); // of a heading
        report_add(report, ROLE_TEXT, whole ? " " : marks ? " to " : " past ");
        report_add(report, whole ? ROLE_TEXT : ROLE_CODE, "%s",
                   whole                       ? "the whole lesson"
                   : marks && id[marks] == ' ' ? id + marks + 1
                                               : id);
        report_add(report, ROLE_DIM, "%s%s", *day ? " " : "", day);
    }
    if (count)
        report_add(report, ROLE_TEXT, ".");
}

void report_note(struct report_page *report, const json_t *note)
{
    char day[20];
    report_day(note, day, sizeof day);
    report_item(report, ROLE_DIM, "%s%s", day, *day ? ": " : "");
    report_add(report, ROLE_TEXT, "%s", event_text(note, "text"));
}

static void add_notes(struct report_page *report, const struct lesson_history *story)
{
    size_t count = 0;
    for (size_t i = 0; i < story->count; i++) {
        if (!event_is(story->events[i], "note"))
            continue;
        if (!count++)
            report_heading(report, 3, "Notes");
        report_note(report, story->events[i]);
    }
}

void report_lesson(struct report_page *report, const struct workbook *workbook,
                   const struct lesson_history *story)
{
    report_heading(report, 2, "Lesson %d: %s", story->lesson->number, story->lesson->title);
    add_opened(report, workbook, story);
    add_read_on(report, story);
    add_progress(report, workbook, story->lesson);
    for (size_t i = 0; i < COUNT(parts); i++)
        add_part(report, story, &parts[i]);
    add_challenges(report, workbook, story->lesson);
    add_notes(report, story);
}
