// Where one is in a lesson: the line below the text, the outline, and the ways from section to section.
#include "tui/view/lesson.h"

// The section that is read: the last one that starts in the upper third.
static size_t section_now(const struct lesson_page *state)
{
    const struct lesson_text *text = &state->text;
    const struct reader *reader = &state->reader;
    size_t now = 0, end = reader->sheet.line_count;
    size_t from = reader->top + (size_t)reader->rows / 3;
    bool bottom = reader->top > 0 && reader->top + (size_t)reader->rows >= end;
    for (size_t i = 0; i < text->section_count && !text->sections[i].folded; i++)
        if (bottom || (reader->top > 0 && text->sections[i].line <= from))
            now = i;
    return now;
}

static void draw_bar(const struct lesson_page *state, struct area line)
{
    const struct lesson_text *text = &state->text;
    const struct reader *reader = &state->reader;
    char right[80];
    int asked = 0, done = 0;
    size_t now = section_now(state), lines = reader->sheet.line_count,
           seen = reader->top + (size_t)reader->rows;
    for (size_t i = 0; i < text->section_count; i++) {
        asked += text->sections[i].asked;
        done += text->sections[i].done;
    }
    int percent = seen >= lines ? 100 : (int)(100 * seen / lines);
    bool folded = text->sections[text->section_count - 1].folded;
    if (asked && folded) // of what is shown it would be no share of the lesson
        format_into(right, sizeof right, "%d of %d answered", done, asked);
    else if (asked)
        format_into(right, sizeof right, "%d of %d answered  %3d %%", done, asked, percent);
    else
        format_into(right, sizeof right, "%3d %%", percent);
    int cells = text_cells(right), room = line.cols - cells - 3;
    area_line(line, 0, ROLE_FRAME);
    int after = area_put(area_part(line, 0, 0, 1, room), 0, 1, ROLE_DIM, " %zu of %zu ", now + 1,
                         text->section_count);
    int title = text_cells(text->sections[now].words) + 1;
    if (after < room)
        area_cell(line, 0, after, ROLE_TITLE, title < room - after ? title : room - after, "%s",
                  text->sections[now].words);
    area_put(line, 0, line.cols - cells - 1, ROLE_DIM, " %s", right);
}

static void outline_row(struct sheet *sheet, const struct section *section, bool here)
{
    bool done = section->asked && section->done == section->asked;
    const char *sign = done             ? glyph(sheet->utf8, GLYPH_DONE)
                       : section->asked ? glyph(sheet->utf8, GLYPH_OPEN)
                                        : " ";
    sheet_add(sheet, ROLE_TITLE, "%s ", here ? glyph(sheet->utf8, GLYPH_RIGHT) : " ");
    sheet_add(sheet, done ? ROLE_GOOD : ROLE_DIM, "%s ", sign);
    sheet_hang(sheet, 4);
    sheet_flow(sheet, here ? ROLE_TITLE : ROLE_DIM, "%s", section->words);
    sheet_end(sheet);
}

// A row for each section, which is an item.
static struct sheet outline(const struct lesson_page *state, struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    for (size_t i = 0; i < state->text.section_count; i++) {
        sheet.item = (int)i;
        outline_row(&sheet, &state->text.sections[i], i == section_now(state));
    }
    sheet.item = -1;
    return sheet;
}

// The outline in the place of the text, where a section is chosen.
static void draw_outline(struct lesson_page *state, struct area area)
{
    reader_show(&state->outline, outline(state, area), (int)state->text.section_count);
    reader_draw(&state->outline, area);
}

// The outline beside the text.
static void draw_aside(const struct lesson_page *state, struct area area)
{
    struct sheet sheet = outline(state, area);
    int line = sheet_line_of_item(&sheet, (int)section_now(state));
    int row = area.canvas->cursor_row, col = area.canvas->cursor_col;
    sheet_draw(&sheet, area, line + 2 > area.rows ? (size_t)(line + 2 - area.rows) : 0, -1, NULL);
    area.canvas->cursor_row = row; // it stays with what is selected
    area.canvas->cursor_col = col;
    sheet_free(&sheet);
}

// The block that stood at the top when it was left last; 0: the first.
static size_t left(const struct workbook *workbook, const struct lesson *lesson)
{
    const json_t *event = workbook ? workbook_find(workbook, "left", lesson->name, NULL) : NULL;
    json_int_t block = json_integer_value(json_object_get(event, "block"));
    return block > 0 && (size_t)block < lesson->block_count ? (size_t)block : 0;
}

// Writes down where one was, when that is another place than the last time.
static void keep(struct page *page)
{
    struct lesson_page *state = page->state;
    const struct lesson *lesson = state->lesson;
    size_t at = 0;
    if (!lesson || !state->text.lines || state->looks)
        return;
    for (size_t i = 0; i < lesson->block_count && state->text.lines[i] <= state->reader.top; i++)
        at = i;
    if (page->app->workbook && state->reader.rows && at != left(page->app->workbook, lesson))
        app_keep(page->app, "left", json_pack("{s:s, s:I}", "lesson", lesson->name, "block", (json_int_t)at));
}

// The next thing to answer: what is folded is left out, and after the last one comes the first.
static int next_open(struct page *page)
{
    struct lesson_page *state = page->state;
    const struct question *here = owner_of(state, state->reader.selected);
    size_t from = 0, count = state->question_count;
    while (from < count &&
           (here ? &state->questions[from] <= here : state->text.ends[from] <= state->reader.top))
        from++;
    for (size_t i = 0; state->questions && i < count; i++) {
        size_t at = (from + i) % count;
        struct question *question = &state->questions[at];
        if (!live_asks(question->live->kind) || question_is_answered(question) ||
            state->text.ends[at] == state->text.starts[at])
            continue;
        int item = item_below(state, state->text.starts[at]);
        if (item >= 0 && state->text.owner[item] == (int)at)
            state->reader.selected = item;
        state->follow = (int)at;
        return DONE;
    }
    app_say(page->app, ROLE_DIM, "No question is open here.");
    return DONE_FAILED;
}

static void go_to(struct lesson_page *state, size_t section)
{
    state->reader.top = state->text.sections[section].line;
    state->reader.selected = -1;
    state->follow = NO_QUESTION;
}

// The nearest section that begins after the first line shown, or before it; where the end of the text is in sight there is
// none after it.
static int go_section(struct page *page, int by)
{
    struct lesson_page *state = page->state;
    const struct lesson_text *text = &state->text;
    size_t top = state->reader.top, to = SIZE_MAX;
    bool end = top + (size_t)state->reader.rows >= state->reader.sheet.line_count;
    for (size_t i = 0; i < text->section_count && !text->sections[i].folded; i++) {
        size_t line = text->sections[i].line;
        if (by < 0 ? line < top : line > top && to == SIZE_MAX && !end)
            to = i;
    }
    if (to == SIZE_MAX) {
        app_say(page->app, ROLE_DIM,
                by > 0 ? "No section comes after this one." : "This is the first section.");
        return DONE_FAILED;
    }
    go_to(state, to);
    return DONE;
}

static int pick_section(struct page *page)
{
    struct lesson_page *state = page->state;
    size_t at = state->outline.selected >= 0 ? (size_t)state->outline.selected : 0;
    state->outlines = false;
    if (at < state->text.section_count)
        go_to(state, at);
    return DONE;
}

static int act_outline(struct page *page, enum act act, const struct words *words)
{
    struct lesson_page *state = page->state;
    if (act == ACT_ENTER)
        return pick_section(page);
    int done = reader_act(&state->outline, page->app, act, words);
    state->outlines = done == DONE; // any other key closes it
    state->still = done == DONE;
    return done;
}

static int show_outline(struct page *page)
{
    struct lesson_page *state = page->state;
    if (!state->lesson)
        return app_refuse(page->app, "This is the list of lessons; it has no outline.");
    state->outlines = !state->outlines;
    state->outline.selected = (int)section_now(state);
    return DONE;
}

static int act_where(struct page *page, enum act act, const struct words *words)
{
    struct lesson_page *state = page->state;
    if (state->outlines && act != ACT_PANE) {
        int done = act_outline(page, act, words);
        if (done != DONE_NOT)
            return done;
    }
    switch (act) {
    case ACT_QUESTION:
        return next_open(page);
    case ACT_SECTION_NEXT:
        return go_section(page, 1);
    case ACT_SECTION_PREVIOUS:
        return go_section(page, -1);
    case ACT_PANE:
        return show_outline(page);
    default:
        return DONE_NOT;
    }
}

const struct lesson_where lesson_where = { .bar = draw_bar,
                                           .aside = draw_aside,
                                           .outline = draw_outline,
                                           .act = act_where,
                                           .left = left,
                                           .keep = keep };
