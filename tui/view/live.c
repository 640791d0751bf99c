// Live blocks: the frame around them, and what all kinds share.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

bool live_asks(enum live_kind kind)
{
    return kind != LIVE_LAB && kind != LIVE_WIDGET;
}

static bool says(const struct question *question, const char *key)
{
    return question && json_is_true(json_object_get(question->answered, key));
}

bool live_solved(const struct question *question)
{
    if (question && question->live->kind == LIVE_PREDICT)
        return question->predicted != NULL;
    return says(question, "right");
}

bool live_shown(const struct question *question)
{
    return says(question, "shown");
}

// ---- what is known about a question -----------------------------------------------------------------------------

static json_t *newest(struct app *app, const struct question *question, const char *kind)
{
    const json_t *event = app->workbook && question->live->id
                              ? workbook_find(app->workbook, kind, question->lesson->name, question->live->id)
                              : NULL;
    return event ? json_deep_copy(event) : NULL;
}

void question_open(struct question *question, struct app *app, const struct lesson *lesson,
                   const struct live *live)
{
    *question = (struct question){ .lesson = lesson, .live = live };
    question->predicted = newest(app, question, "predict");
    question->answered = newest(app, question, "answer");
    if (live->kind == LIVE_ORDER)
        order_open(question);
    if (live->kind == LIVE_EXERCISE || live->kind == LIVE_BUGHUNT)
        task_open(app, question);
}

void question_close(struct question *question)
{
    judging_close(question);
    json_decref(question->predicted);
    json_decref(question->answered);
    for (size_t i = 0; i < question->trial_count; i++)
        lesson_run_free(&question->trials[i]);
    free(question->trials);
    free(question->trouble);
    free(question->unkept);
    *question = (struct question){ 0 };
}

static void say_unkept(struct question *question, const char *why)
{
    free(question->unkept);
    question->unkept = why ? mem_copy(why) : NULL;
}

bool question_write(struct app *app, struct question *question, const char *kind, json_t *event)
{
    struct error error;
    json_object_set_new(event, "lesson", json_string(question->lesson->name));
    json_object_set_new(event, "id", json_string(question->live->id));
    if (!app->workbook) {
        json_decref(event);
        say_unkept(question, "There is no workbook to write into: this is known until you leave.");
        return true;
    }
    bool written = workbook_add(app->workbook, kind, event, &error);
    say_unkept(question, NULL);
    if (written)
        return true;
    struct text why = { 0 };
    text_addf(&why, "Not kept, so it does not count; try again. %s", error.text);
    say_unkept(question, why.data);
    text_free(&why);
    app_say(app, ROLE_BAD, "%s", error.text);
    return false;
}

bool question_keep(struct app *app, struct question *question, bool predicts, json_t *event)
{
    json_t **kept = predicts ? &question->predicted : &question->answered;
    if (!event) {
        app_say(app, ROLE_BAD, "An answer must be UTF-8.");
        return false;
    }
    json_t *copy = json_deep_copy(event);
    if (!question_write(app, question, predicts ? "predict" : "answer", event)) {
        json_decref(copy);
        return false;
    }
    json_decref(*kept);
    *kept = copy;
    return true;
}

// ---- runs ---------------------------------------------------------------------------------------------------------

static bool seek(struct question *question, const char *run, bool own)
{
    struct error error;
    struct lesson_run trial;
    if (!lesson_run_read(&trial, run, own, &error)) {
        free(question->trouble);
        question->trouble = mem_copy_n(error.text, strcspn(error.text, "\n"));
        return false;
    }
    question->trials = array_room(question->trials, question->trial_count, sizeof *question->trials);
    question->trials[question->trial_count++] = trial;
    return true;
}

static void seek_ladder(struct question *question, const char *name)
{
    struct ladder ladder;
    struct error error;
    const struct lab *lab;
    if (!target_lab(name, &lab, &error) || !ladder_read(name, &ladder, &error)) {
        question->trouble = mem_copy_n(error.text, strcspn(error.text, "\n"));
        return;
    }
    for (size_t i = 0; i < ladder.count; i++) {
        char place[160];
        format_into(place, sizeof place, "%s/%s", name, ladder.variants[i].name);
        seek(question, place, true);
    }
    ladder_free(&ladder);
}

void question_seek(struct question *question)
{
    bool shows = question->live->kind == LIVE_LAB;
    const char *run;
    if (question->sought)
        return;
    question->sought = true;
    for (size_t i = 0; (run = live_nth(question->live, shows ? "show" : "run", i)) && !question->trouble; i++)
        if (shows && !strchr(run, '/'))
            seek_ladder(question, run);
        else
            seek(question, run, shows);
}

// ---- parts --------------------------------------------------------------------------------------------------------

void live_head(const struct live_view *view, const char *name, enum role role, enum glyph sign,
               const char *words)
{
    struct sheet *sheet = view->sheet;
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_TITLE, "%s", name);
    if (*words) {
        struct text behind = { 0 };
        text_addf(&behind, "%s %s", glyph(sheet->utf8, sign), words);
        live_behind(view, role, behind.data);
        text_free(&behind);
    }
    sheet_end(sheet);
}

void live_ask(const struct live_view *view, const char *key)
{
    typeset_field(view->sheet, view->live, key, view->links);
}

void live_button(const struct live_view *view, const char *words, const char *format, ...)
{
    struct text opens = { 0 };
    struct sheet *sheet = view->sheet;
    va_list args;
    if (!view->app)
        return;
    va_start(args, format);
    text_addv(&opens, format, args);
    va_end(args);
    sheet_to(sheet, 2);
    sheet->item = links_add(view->links, "%s", text_string(&opens));
    sheet_hang(sheet, 4);
    sheet_flow(sheet, ROLE_LINK, "%s %s", glyph(sheet->utf8, GLYPH_RIGHT), words);
    sheet->item = -1;
    sheet_end(sheet);
    text_free(&opens);
}

void live_behind(const struct live_view *view, enum role role, const char *words)
{
    struct sheet *sheet = view->sheet;
    if (sheet->used + 2 + text_cells(words) <= sheet->width)
        sheet_add(sheet, role, "  %s", words);
    else
        sheet_flow(sheet, role, " %s", words);
}

void live_field_line(const struct live_view *view)
{
    enum { LEAST = 12 };
    struct sheet *sheet = view->sheet;
    const char *unit = live_field(view->live, "unit"),
               *text = view->question ? view->question->field.text : "";
    int cells = text_cells(text) + 1 > LEAST ? text_cells(text) + 1 : LEAST;
    sheet_to(sheet, 2);
    sheet_add(sheet, ROLE_DIM, "[");
    if (view->question)
        sheet->item = links_add(view->links, "answer %s", view->live->id);
    sheet_add(sheet, ROLE_FIELD, "%s%*s", text, cells - text_cells(text), "");
    sheet->item = -1;
    sheet_add(sheet, ROLE_DIM, "]");
    sheet->hang = 2;
    sheet->glue = false;
    if (unit)
        sheet_flow(sheet, ROLE_TEXT, " %s", unit);
    if (view->question)
        live_behind(view, ROLE_DIM, "Enter to type");
    sheet_end(sheet);
}

// ---- the frame ------------------------------------------------------------------------------------------------------

static void add_kind(const struct live_view *view)
{
    switch (view->live->kind) {
    case LIVE_LAB:
        lab_add(view);
        break;
    case LIVE_WIDGET:
        widget_add(view);
        break;
    case LIVE_PREDICT:
        predict_add(view);
        break;
    case LIVE_QUIZ:
        quiz_add(view);
        break;
    case LIVE_ORDER:
        order_add(view);
        break;
    default:
        task_add(view);
    }
}

static void add_unkept(const struct live_view *view)
{
    struct sheet *sheet = view->sheet;
    if (!view->question || !view->question->unkept)
        return;
    sheet_to(sheet, 2);
    sheet_hang(sheet, 4);
    sheet_flow(sheet, ROLE_BAD, "%s %s", glyph(sheet->utf8, GLYPH_WRONG), view->question->unkept);
    sheet_end(sheet);
}

void live_add(const struct live_view *view)
{
    struct live_view inside = *view;
    char before[8];
    struct sheet sheet = sheet_new(view->sheet->width - 2, view->sheet->utf8);
    sheet.room = view->sheet->room - 2;
    inside.sheet = &sheet;
    add_kind(&inside);
    add_unkept(&inside);
    format_into(before, sizeof before, "%s ", glyph(sheet.utf8, GLYPH_VERTICAL));
    sheet_gap(view->sheet);
    typeset_paste(view->sheet, &sheet, before, true);
    sheet_free(&sheet);
}
