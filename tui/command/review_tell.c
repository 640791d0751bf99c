// What a review says to an answer that is in the workbook: whether it is right, what is, why, and when it comes again.
#include "tui/command/review.h"

static void begin_right(struct sheet *sheet)
{
    sheet_add(sheet, ROLE_TEXT, "  right: ");
    sheet_hang(sheet, sheet->used);
}

static void add_right_choices(struct sheet *sheet, const struct given *given)
{
    const struct live *live = given->question.live;
    for (size_t i = 0; i < live_count(live, "choice"); i++) {
        bool right =
            live->kind == LIVE_PREDICT ? given->outcome.right == (int)i + 1 : quiz_choice_right(live, i);
        if (!right)
            continue;
        begin_right(sheet);
        sheet_add(sheet, ROLE_TITLE, "%zu  ", i + 1);
        sheet_hang(sheet, sheet->used);
        typeset_text(sheet, ROLE_TEXT, live_nth(live, "choice", i), NULL);
        sheet_end(sheet);
    }
}

static void add_right_number(struct sheet *sheet, const struct given *given)
{
    const struct live *live = given->question.live;
    const char *value = live_field(live, "value"), *unit = live_field(live, "unit");
    char number[40];
    outcome_number(given->outcome.values[0], value ? value : "", number, sizeof number);
    begin_right(sheet);
    sheet_flow(sheet, ROLE_TITLE, "%s", number);
    if (unit)
        sheet_flow(sheet, ROLE_TEXT, " %s", unit);
    sheet_end(sheet);
}

// Its lines with the numbers that they were asked by.
static void add_right_order(struct sheet *sheet, const struct live *live)
{
    int order[ORDER_MOST], count = order_start(live, order);
    sheet_add(sheet, ROLE_TEXT, "  right:");
    sheet_end(sheet);
    for (int line = 0; line < (int)live_count(live, "line"); line++)
        for (int i = 0; i < count; i++)
            if (order[i] == line) {
                sheet_add(sheet, ROLE_TITLE, " %2d  ", i + 1);
                sheet_add(sheet, ROLE_CODE, "%s", order_line(live, line));
                sheet_end(sheet);
            }
}

// Where the learner's answer does not stand beside it already.
static void add_right(struct sheet *sheet, const struct given *given)
{
    const struct live *live = given->question.live;
    if (given->right)
        return;
    if (live->kind == LIVE_ORDER) {
        add_right_order(sheet, live);
    } else if (live_count(live, "choice")) {
        add_right_choices(sheet, given);
    } else if (live->kind == LIVE_QUIZ) {
        begin_right(sheet);
        sheet_flow(sheet, ROLE_TITLE, "%s", live_field(live, "right"));
        sheet_end(sheet);
    } else if (given->shown) {
        add_right_number(sheet, given);
    }
}

static void add_verdict(struct sheet *sheet, const struct given *given)
{
    if (given->shown)
        return;
    if (given->question.live->kind == LIVE_PREDICT) {
        predict_came(sheet, given->question.live, given->question.predicted, &given->outcome);
        return;
    }
    sheet_add(sheet, given->right ? ROLE_GOOD : ROLE_BAD, "  %s %s",
              glyph(sheet->utf8, given->right ? GLYPH_DONE : GLYPH_WRONG),
              given->right ? "right" : "not right");
    sheet_end(sheet);
}

static void add_when(struct sheet *sheet, const struct reviewing *reviewing, const struct given *given)
{
    const struct review_item *item = review_find(&reviewing->review, given->question.live);
    struct text words = { 0 };
    if (!item)
        return;
    if (item->step == REVIEW_STEPS) {
        text_add(&words, "You have learned this; it does not come again.");
    } else {
        bool early = given->right && given->due > reviewing->today;
        text_add(&words,
                 early ? "That was before its day and does not count: it comes again " : "It comes again ");
        review_when(reviewing, item->due, &words);
        text_add(&words, ".");
    }
    sheet_paragraph(sheet, ROLE_DIM, 0, words.data);
    text_free(&words);
}

void review_tell(const struct reviewing *reviewing, struct given *given)
{
    struct sheet sheet = sheet_new(reviewing->paper.width, reviewing->paper.utf8);
    add_verdict(&sheet, given);
    add_right(&sheet, given);
    typeset_field(&sheet, given->question.live, "because", NULL);
    add_when(&sheet, reviewing, given);
    sheet_print(&reviewing->paper, &sheet);
    sheet_free(&sheet);
}
