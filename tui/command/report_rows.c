// A row of the report for a live block: a prediction beside what came, an answer as it was given first, a kernel with its
// tries.
#include "tui/command/report.h"
#include "tui/text/text.h"
#include "tui/text/workbook.h"

#include <math.h>
#include <string.h>

// ---- what was given ------------------------------------------------------------------------------------------------

static bool right(const json_t *event)
{
    return json_is_true(json_object_get(event, "right"));
}

static void add_unit(struct report *report, const struct live *live)
{
    const char *unit = live_field(live, "unit");
    if (unit)
        report_add(report, ROLE_TEXT, " %s", unit);
}

// In words, where the lesson has them.
static void add_choices(struct report *report, const struct live *live, const json_t *numbers)
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
static void add_lines(struct report *report, const struct live *live, const json_t *numbers)
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

static void add_given(struct report *report, const struct live *live, const json_t *event)
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

static void add_verdict(struct report *report, bool good)
{
    report_add(report, good ? ROLE_GOOD : ROLE_BAD, "%s", good ? "right" : "not right");
}

static void cell_ask(struct report *report, const struct live *live)
{
    report_cell(report, "%s", "");
    report_marked(report, live_field(live, "ask"));
}

static void add_reviews(struct report *report, const struct told *told, bool first)
{
    if (told->reviews)
        report_add(report, ROLE_TEXT, "%sasked again %zu time%s, %zu right", first ? "" : "; ", told->reviews,
                   told->reviews == 1 ? "" : "s", told->reviews_right);
}

// ---- predictions ------------------------------------------------------------------------------------------------------

static void cell_predicted(struct report *report, const struct live *live, const json_t *event)
{
    const json_t *number = json_object_get(event, "number");
    char words[40] = "";
    report_cell(report, "%s", "");
    if (json_is_number(number)) {
        outcome_number(json_number_value(number), "", words, sizeof words);
        report_add(report, ROLE_TEXT, "%s", words);
    } else {
        report_marked(report, event_text(event, "text"));
    }
    if (json_is_number(number) || live_count(live, "run") == 1)
        add_unit(report, live);
}

static void add_values(struct report *report, const struct live *live, const struct outcome *outcome)
{
    const char *value = live_field(live, "value");
    for (size_t i = 0; i < outcome->count; i++) {
        char number[40];
        outcome_number(outcome->values[i], value ? value : "", number, sizeof number);
        report_add(report, ROLE_TEXT, "%s%s", i ? "; " : "", number);
    }
}

// What came, as the workbook alone remembers it.
static void add_numbers_came(struct report *report, const json_t *event)
{
    const json_t *number;
    size_t i;
    json_array_foreach(json_object_get(event, "came"), i, number)
        report_add(report, ROLE_TEXT, "%s%.6g", i ? "; " : "", json_number_value(number));
}

// One number, or, where several runs are compared, the best of them and the number of each.
static void cell_came(struct report *report, const struct live *live, const json_t *event)
{
    struct outcome outcome;
    report_cell(report, "%s", "");
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

// In the words of the lesson's page.
static void cell_score(struct report *report, const struct live *live, const struct told *told)
{
    const json_t *ratio = json_object_get(told->outcome, "ratio");
    double off = json_is_number(ratio) ? json_number_value(ratio) : NAN;
    bool choices = live_count(live, "choice") > 0;
    report_cell(report, "%s", "");
    if (!told->outcome)
        report_add(report, ROLE_DIM, "none yet");
    else if (right(told->outcome) && (choices || isnan(off) || off < 1.005))
        report_add(report, ROLE_GOOD, "right");
    else if (right(told->outcome))
        report_add(report, ROLE_GOOD, "nearly: off by %.1f %%", 100 * (off - 1));
    else if (isnan(off))
        report_add(report, ROLE_BAD, "not so");
    else if (off < 1.5)
        report_add(report, ROLE_NOTE, "close: off by %.0f %%", 100 * (off - 1));
    else
        report_add(report, ROLE_BAD, "off by a factor of %.3g", off);
    add_reviews(report, told, false);
}

static void add_how(struct report *report, const char *how)
{
    report_add(report, outcome_role(how), "%s", how);
}

// In the order of the numbers, where they do not come from the same place.
static void cell_how(struct report *report, const json_t *outcome)
{
    const json_t *each = json_object_get(outcome, "by_value"), *one;
    const char *how = event_text(outcome, "how");
    size_t i;
    report_cell(report, "%s", "");
    json_array_foreach(each, i, one)
    {
        report_add(report, ROLE_TEXT, "%s", i ? "; " : "");
        add_how(report, json_is_string(one) ? json_string_value(one) : "");
    }
    if (!json_array_size(each))
        add_how(report, *how || !outcome ? how : "told by the lesson");
}

void prediction_row(struct report *report, const struct live *live, const struct told *told)
{
    cell_ask(report, live);
    cell_predicted(report, live, told->predicted);
    cell_came(report, live, told->outcome);
    cell_how(report, told->outcome);
    cell_score(report, live, told);
}

// ---- questions ----------------------------------------------------------------------------------------------------------

static void cell_later(struct report *report, const struct live *live, const struct told *told)
{
    report_cell(report, "%s", "");
    for (size_t i = 0; i < told->later_count; i++) {
        report_add(report, ROLE_TEXT, "%s", i ? "; then " : "then ");
        add_given(report, live, told->later[i]);
        report_add(report, ROLE_TEXT, ": ");
        add_verdict(report, right(told->later[i]));
    }
    if (told->shown)
        report_add(report, ROLE_NOTE, "%slooked at the answer", told->later_count ? "; then " : "then ");
    add_reviews(report, told, !told->later_count && !told->shown);
}

void question_row(struct report *report, const struct live *live, const struct told *told)
{
    cell_ask(report, live);
    report_cell(report, "%s", "");
    add_given(report, live, told->first);
    report_cell(report, "%s", "");
    if (told->first)
        add_verdict(report, right(told->first));
    cell_later(report, live, told);
}

// ---- exercises and bug hunts -------------------------------------------------------------------------------------------

static void cell_solved(struct report *report, const struct told *told)
{
    char day[20];
    report_day(told->solved, day, sizeof day);
    report_cell(report, "%s", "");
    if (told->solved)
        report_add(report, ROLE_GOOD, "yes, with try %zu%s%s", told->tries, *day ? ", " : "", day);
    else
        report_add(report, told->tries ? ROLE_BAD : ROLE_DIM, "%s", told->tries ? "not yet" : "not tried");
}

static void cell_solution(struct report *report, const struct told *told)
{
    char day[20];
    report_day(told->asked, day, sizeof day);
    report_cell(report, "%s", "");
    if (!told->asked)
        report_add(report, ROLE_TEXT, "no");
    else
        report_add(report, ROLE_NOTE, "yes, before it was solved%s%s", *day ? ", " : "", day);
}

void task_row(struct report *report, const struct live *live, const struct told *told)
{
    size_t hints = live_count(live, "hint");
    cell_ask(report, live);
    report_cell(report, "%s", live->kind == LIVE_BUGHUNT ? "bug hunt" : "exercise");
    report_cell(report, "%zu", told->tries);
    cell_solved(report, told);
    report_cell(report, "%s", "");
    if (hints)
        report_add(report, ROLE_TEXT, "%d of %zu", told->hints, hints);
    cell_solution(report, told);
    report_cell(report, "%d", told->edits);
}

// Why a try was rejected.
static void rejected_item(struct report *report, const struct live *live, const json_t *event, size_t nth)
{
    char day[20];
    const char *why = event_text(event, "text");
    report_day(event, day, sizeof day);
    if (right(event))
        return;
    report_item(report, "%s", "");
    report_add(report, ROLE_CODE, "%s", live->id);
    report_add(report, ROLE_TEXT, ", try %zu%s%s: %s", nth, *day ? ", " : "", day, *why ? why : "rejected");
}

void rejected_tries(struct report *report, const struct live *live, const struct told *told)
{
    if (told->first)
        rejected_item(report, live, told->first, 1);
    for (size_t i = 0; i + 1 < told->tries && i < told->later_count; i++)
        rejected_item(report, live, told->later[i], i + 2);
}
