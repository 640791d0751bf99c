// lesson: one scrolling text with its live blocks in place, and a line below that says where one is.
#include "tui/view/lesson.h"

#include <stdlib.h>
#include <string.h>

// ---- items ---------------------------------------------------------------------------------------------------------

// The words that an item opens or answers with; "": none.
static const char *opens_of(const struct lesson_page *state, int item)
{
    return item >= 0 && (size_t)item < state->text.links.count ? state->text.links.opens[item] : "";
}

static int item_of(const struct lesson_text *text, const char *words, int owner)
{
    for (size_t i = 0; i < text->links.count; i++)
        if (text->owner[i] == owner && strcmp(text->links.opens[i], words) == 0)
            return (int)i;
    return -1;
}

static bool in_sight(const struct reader *reader, int line)
{
    return line >= (int)reader->top && line < (int)reader->top + reader->rows;
}

// ---- answers -------------------------------------------------------------------------------------------------------

static struct question *find_question(const struct lesson_page *state, const char *id)
{
    for (size_t i = 0; i < state->question_count; i++)
        if (state->questions[i].live->id && strcmp(state->questions[i].live->id, id) == 0)
            return &state->questions[i];
    return NULL;
}

// The task whose copy is watched; NULL: none.
static struct question *watched(const struct lesson_page *state)
{
    for (size_t i = 0; i < state->question_count; i++)
        if (state->questions[i].watch.path)
            return &state->questions[i];
    return NULL;
}

// The whole block with its verdict comes into sight; once it is answered, what comes next is selected.
static void give(struct page *page, struct question *question, const char *answer)
{
    struct lesson_page *state = page->state;
    size_t index = (size_t)(question - state->questions);
    bool was_answered = question_is_answered(question);
    if (state->text.starts && state->text.ends[index] > state->text.starts[index]) // not folded
        state->follow = (int)index;
    if (live_ops_of(question->live)->answer)
        live_ops_of(question->live)->answer(page->app, question, answer);
    else
        app_say(page->app, ROLE_DIM, "This is not answered here.");
    state->answered = state->follow == (int)index && !was_answered;
}

// The item of the question's field; -1: it has none.
static int field_of(const struct lesson_page *state, const struct question *question)
{
    char words[80];
    if (!question || !question->live->id)
        return -1;
    format_into(words, sizeof words, "answer %s", question->live->id);
    return item_of(&state->text, words, (int)(question - state->questions));
}

static int answer(struct page *page, const struct words *words)
{
    struct lesson_page *state = page->state;
    struct question *question = words->count > 1 ? find_question(state, words->word[1]) : NULL;
    struct text text = { 0 };
    if (!question)
        return app_refuse(page->app, "answer takes the name of a question in this lesson, and the answer.");
    words_add(words, 2, &text);
    if (words->count > 2)
        give(page, question, text_string(&text));
    else if (field_of(state, question) >= 0)
        state->editing = (int)(question - state->questions);
    else
        app_say(page->app, ROLE_BAD, "answer takes the answer after the name.");
    text_free(&text);
    return DONE;
}

static bool starts_typing(const struct lesson_page *state, const struct event *event)
{
    bool number =
        event->kind == EVENT_KEY && event->key < 128 && strchr("0123456789.", event->key) && event->key;
    int selected = state->reader.selected;
    return selected >= 0 && field_of(state, owner_of(state, selected)) == selected &&
           (number || event->kind == EVENT_PASTE);
}

static bool type_lesson(struct page *page, const struct event *event)
{
    enum { CONTROL_C = 3, CONTROL_G = 7, FIELD_MOST = 60 };
    struct lesson_page *state = page->state;
    if (state->editing == NO_QUESTION && starts_typing(state, event)) {
        state->editing = (int)(owner_of(state, state->reader.selected) - state->questions);
        field_clear(&state->questions[state->editing].field); // Enter goes on with what is there
    }
    if (state->editing == NO_QUESTION)
        return false;
    struct question *question = &state->questions[state->editing];
    if (field_type(&question->field, event, FIELD_MOST))
        return true;
    state->editing = NO_QUESTION;
    if (event->kind != EVENT_KEY)
        return false;
    if (event->key == PRESS_ENTER)
        give(page, question, text_string(&question->field.text));
    return event->key == PRESS_ENTER || event->key == PRESS_ESCAPE || event->key == CONTROL_C ||
           event->key == CONTROL_G;
}

// ---- what is folded ------------------------------------------------------------------------------------------------

// What was answered since folds nothing any more; false: nothing is folded.
static bool fold_anew(struct lesson_page *state)
{
    const struct question *question = state->questions;
    for (size_t i = 0; i < state->lesson->block_count; i++)
        if (state->lesson->blocks[i].kind == BLOCK_LIVE && question_is_answered(question++))
            state->folds[i] &= (unsigned char)~FOLD_WAITS;
    return folds_spread(state->lesson, state->folds);
}

// Reads on past a question or into a section, and says so in the workbook.
static void read_on(struct app *app, struct lesson_page *state, size_t block)
{
    char *name = fold_name(&state->lesson->blocks[block]);
    state->folds[block] ^= state->folds[block] & FOLD_WAITS ? FOLD_WAITS : FOLD_AHEAD;
    app_keep(app, "unfold",
             json_pack("{s:s, s:s, s:s}", "lesson", state->lesson->name, "id", name, "text", "read on"));
    free(name);
}

static void unfold_all(struct app *app, struct lesson_page *state)
{
    for (size_t i = 0; i < state->lesson->block_count; i++)
        state->folds[i] &= (unsigned char)~FOLD_WAITS;
    app_keep(app, "unfold",
             json_pack("{s:s, s:s, s:s}", "lesson", state->lesson->name, "id", FOLD_ALL, "text", "read on"));
}

// A question that folds what follows it, or a section that is folded: whether it can be unfolded.
static bool is_fold(const struct lesson_page *state, size_t block)
{
    bool section = lesson_starts_section(&state->lesson->blocks[block]);
    return state->folds[block] & FOLD_WAITS || (section && state->folds[block] & FOLD_HIDES);
}

static int unfold_named(struct page *page, const char *name)
{
    struct lesson_page *state = page->state;
    for (size_t i = 0; i < state->lesson->block_count; i++) {
        char *called = is_fold(state, i) ? fold_name(&state->lesson->blocks[i]) : NULL;
        bool found = called && strcmp(called, name) == 0;
        free(called);
        if (!found)
            continue;
        read_on(page->app, state, i);
        return DONE;
    }
    return app_refuse(page->app, "Nothing in this lesson is folded by that name.");
}

// The open question that is nearest before the end of what is shown; the first one of the lesson, where none is above.
static int unfold_here(struct page *page)
{
    struct lesson_page *state = page->state;
    size_t end = state->reader.top + (size_t)state->reader.rows, live = 0, at = SIZE_MAX;
    struct question *selected = owner_of(state, state->reader.selected);
    for (size_t i = 0; i < state->lesson->block_count; i++) {
        const struct lesson_block *block = &state->lesson->blocks[i];
        if (block->kind != BLOCK_LIVE)
            continue;
        bool waits = (state->folds[i] & (FOLD_WAITS | FOLD_HIDES)) == FOLD_WAITS;
        if (waits && (at == SIZE_MAX || state->text.starts[live] < end))
            at = i;
        if (waits && selected == &state->questions[live])
            break;
        live++;
    }
    if (at == SIZE_MAX) {
        app_say(page->app, ROLE_DIM, "Nothing is folded here.");
        return DONE_FAILED;
    }
    read_on(page->app, state, at);
    return DONE;
}

static int unfold(struct page *page, const struct words *words)
{
    struct lesson_page *state = page->state;
    struct text name = { 0 };
    int done = DONE;
    if (!state->lesson || !state->reader.rows)
        return app_refuse(page->app, "This is the list of lessons; nothing in it is folded.");
    words_add(words, 1, &name);
    if (words->count < 2)
        done = unfold_here(page);
    else if (strcmp(name.data, FOLD_ALL) == 0)
        unfold_all(page->app, state);
    else
        done = unfold_named(page, name.data);
    text_free(&name);
    return done;
}

// ---- opening ----------------------------------------------------------------------------------------------------------

static void leave(struct lesson_page *state)
{
    for (size_t i = 0; i < state->question_count; i++)
        question_close(&state->questions[i]);
    free(state->questions);
    free(state->folds);
    free(state->section);
    state->text.sheet = (struct sheet){ 0 };
    lesson_text_free(&state->text);
    reader_free(&state->reader);
    reader_free(&state->outline);
    *state = (struct lesson_page){ .editing = NO_QUESTION, .follow = NO_QUESTION, .sought = NO_QUESTION };
    state->reader.selected = -1;
}

static void enter(struct page *page, const struct lesson *lesson, bool notes)
{
    struct lesson_page *state = page->state;
    lesson_where.keep(page);
    leave(state);
    state->lesson = lesson;
    state->notes = notes;
    state->folds = folds_read(page->app->workbook, lesson);
    for (size_t i = 0; i < lesson->block_count; i++) {
        if (lesson->blocks[i].kind != BLOCK_LIVE)
            continue;
        state->questions = array_room(state->questions, state->question_count, sizeof *state->questions);
        question_open(&state->questions[state->question_count++], page->app, lesson, &lesson->blocks[i].live);
    }
    state->resume = lesson_where.left(page->app->workbook, lesson);
}

// A lesson is begun when it is opened by its name, or when something is done in one that < or > led to.
static void begin(struct page *page)
{
    struct lesson_page *state = page->state;
    const struct lesson *lesson = state->lesson;
    state->looks = false;
    app_keep(page->app, "lesson", json_pack("{s:s, s:s}", "lesson", lesson->name, "title", lesson->title));
}

// The words that open it again.
static void open_by(struct page *page, const struct lesson *lesson, bool notes)
{
    struct text words = { 0 };
    lesson_opens_by(app_lessons(page->app), lesson, &words);
    text_add(&words, notes ? " --notes" : "");
    free(page->opened_by);
    page->opened_by = text_take(&words);
}

// The section is opened ahead when it is folded.
static void seek(struct app *app, struct lesson_page *state, const struct question *question)
{
    size_t section = 0, block = 0;
    fold_anew(state);
    for (size_t i = 0; i < state->lesson->block_count && &state->lesson->blocks[i].live != question->live;
         i++) {
        block = i + 1;
        section = lesson_starts_section(&state->lesson->blocks[i]) ? i : section;
    }
    if (state->folds[block] & FOLD_HIDES && state->folds[section] & FOLD_HIDES)
        read_on(app, state, section);
    state->sought = (int)(question - state->questions);
}

static char *heading_words(const struct lesson_block *block)
{
    char *name = fold_name(block), *words = mem_copy(name + strlen("## "));
    free(name);
    return words;
}

// The heading that these words are, or the first that begins with them; the caller frees. NULL: the error.
static char *section_named(const struct lesson *lesson, const char *words, struct error *error)
{
    char *found = NULL;
    for (size_t i = 0; i < lesson->block_count; i++) {
        char *heading = lesson_starts_section(&lesson->blocks[i]) ? heading_words(&lesson->blocks[i]) : NULL;
        bool begins = heading && strncasecmp(heading, words, strlen(words)) == 0;
        if (begins && (!found || strcasecmp(heading, words) == 0)) {
            free(found);
            found = heading;
        } else {
            free(heading);
        }
    }
    if (!found)
        error_set(error, EXIT_USAGE, "Lesson %s has no question or section '%.60s'.", lesson->name, words);
    return found;
}

static bool has_question(const struct lesson *lesson, const char *id)
{
    bool has = false;
    for (size_t i = 0; i < lesson->block_count; i++)
        has |= lesson->blocks[i].live.id && strcmp(lesson->blocks[i].live.id, id) == 0;
    return has;
}

static bool open_lesson(struct page *page, const struct words *words, struct error *error)
{
    struct lesson_page *state = page->state;
    const struct lesson *lesson;
    const char *name = NULL, *place = NULL;
    char *heading = NULL;
    bool notes = false;
    leave(state);
    for (size_t i = 1; i < words->count; i++) {
        bool flag = strcmp(words->word[i], "--notes") == 0;
        notes |= flag;
        if (!flag && name)
            place = words->word[i];
        else if (!flag)
            name = words->word[i];
    }
    if (!name)
        return !notes || error_set(error, EXIT_USAGE, "--notes comes after a lesson: lesson 6 --notes");
    if (!lessons_open(app_lessons(page->app), name, &lesson, error))
        return false;
    if (place && !has_question(lesson, place) && !(heading = section_named(lesson, place, error)))
        return false;
    if (lesson_is_own(lesson)) // from any folder, and for the notes that are written here
        open_by(page, lesson, notes);
    enter(page, lesson, notes);
    begin(page);
    state->section = heading;
    if (place && !heading)
        seek(page->app, state, find_question(state, place));
    return true;
}

// The index of a lesson in the list; where it would be when it is not listed.
static long place_of(const struct lessons *lessons, const struct lesson *lesson)
{
    for (size_t i = 0; i < lessons->count; i++)
        if (strcmp(lessons->list[i].name, lesson->name) == 0)
            return (long)i;
    return (long)lessons->count;
}

static int turn(struct page *page, int by)
{
    struct lesson_page *state = page->state;
    const struct lessons *lessons = app_lessons(page->app);
    long at = state->lesson ? place_of(lessons, state->lesson) + by : by > 0 ? 0 : -1;
    if (at < 0 || at >= (long)lessons->count) {
        app_say(page->app, ROLE_DIM, by > 0 ? "This is the last lesson." : "This is the first lesson.");
        return DONE_FAILED;
    }
    open_by(page, &lessons->list[at], state->notes);
    enter(page, &lessons->list[at], state->notes);
    state->looks = true;
    return DONE;
}

static void title_lesson(struct page *page, struct text *out)
{
    const struct lesson_page *state = page->state;
    if (state->lesson)
        text_addf(out, "%d %s%s", state->lesson->number, state->lesson->title,
                  watched(state) ? ", watching" : "");
}

static void close_lesson(struct page *page)
{
    lesson_where.keep(page);
    leave(page->state);
}

// ---- the text ------------------------------------------------------------------------------------------------------------

// The item of the new text to select: the one that was selected, or else the one after its live block or the last one
// before that, whichever is in sight.
static int selected_in(const struct lesson_page *state, const struct lesson_text *fresh)
{
    const struct question *question = owner_of(state, state->reader.selected);
    int owner = question ? (int)(question - state->questions) : -1;
    if (state->reader.selected < 0 || !fresh->owner)
        return -1;
    if (owner < 0 && fresh->links.count == state->text.links.count)
        return state->reader.selected; // of two links to the same place, this one
    int same = item_of(fresh, opens_of(state, state->reader.selected), owner);
    int near = -1;
    if (same >= 0 || owner < 0)
        return same;
    for (size_t i = 0; i < fresh->links.count; i++) {
        int line = sheet_line_of_item(&fresh->sheet, (int)i);
        if (in_sight(&state->reader, line))
            near = (int)i;
        if (line >= (int)fresh->ends[owner])
            break;
    }
    return near;
}

// Live blocks above what is shown may have grown: the text that is read stays where it is.
static void keep_place(struct lesson_page *state, const struct lesson_text *fresh)
{
    const struct lesson_text *old = &state->text;
    long grown = 0;
    for (size_t i = 0; old->ends && i < state->question_count && old->ends[i] <= state->reader.top; i++)
        grown = (long)fresh->ends[i] - (long)old->ends[i];
    state->reader.top = (size_t)((long)state->reader.top + grown);
}

// Keeps the question that was answered last in sight: all of it, or from its start on what has room.
static void follow(struct lesson_page *state)
{
    if (state->follow == NO_QUESTION || !state->reader.rows)
        return;
    size_t start = state->text.starts[state->follow], end = state->text.ends[state->follow];
    size_t rows = (size_t)state->reader.rows;
    if (end > state->reader.top + rows)
        state->reader.top = end - rows < start ? end - rows : start;
    else if (start < state->reader.top && (end <= state->reader.top || end - start <= rows))
        state->reader.top = start;
}

// The text begins with the question that the page was opened at.
static void go_to_sought(struct lesson_page *state)
{
    for (size_t i = 0; state->reader.selected < 0 && i < state->text.links.count; i++)
        if (state->text.owner[i] == state->sought)
            state->reader.selected = (int)i;
    state->reader.top = state->text.starts[state->sought];
    state->sought = NO_QUESTION;
}

// Where it was opened at: once, before anybody has moved.
static void go_to_section(struct page *page)
{
    struct lesson_page *state = page->state;
    size_t at = 0;
    while (at < state->text.section_count && strcmp(state->text.sections[at].words, state->section) != 0)
        at++;
    free(state->section);
    state->section = NULL;
    if (at == state->text.section_count)
        return;
    size_t line = state->text.sections[at].line;
    state->reader.top = line;
    for (size_t i = 0; i < state->text.links.count && state->text.sections[at].folded; i++)
        if (sheet_line_of_item(&state->reader.sheet, (int)i) == (int)line)
            state->reader.selected = (int)i;
    if (state->text.sections[at].folded)
        app_say(page->app, ROLE_NOTE,
                "This section is folded until the question above is answered; Enter reads it all the same.");
}

// After an answer: selects something of the block while it is open, and then what comes next, as far as that has room
// beside it.
static void go_on(struct lesson_page *state)
{
    struct reader *reader = &state->reader;
    if (!state->answered || !reader->rows || state->follow == NO_QUESTION)
        return;
    state->answered = false;
    size_t start = state->text.starts[state->follow], end = state->text.ends[state->follow];
    bool open = !question_is_answered(&state->questions[state->follow]);
    if (open && owner_of(state, reader->selected) == &state->questions[state->follow])
        return;
    int item = item_below(state, open ? start : end), line = sheet_line_of_item(&reader->sheet, item);
    if (item < 0 || line >= (int)start + reader->rows)
        return;
    reader->selected = item;
    if (line >= (int)reader->top + reader->rows)
        reader->top = (size_t)(line - reader->rows + 1);
}

static void make_text(struct page *page, int width, bool utf8)
{
    struct lesson_page *state = page->state;
    struct app *app = page->app;
    struct lesson_text fresh;
    if (state->lesson) {
        bool folded = fold_anew(state);
        struct lesson_setting setting = { .app = app,
                                          .questions = state->questions,
                                          .question_count = state->question_count,
                                          .folds = folded ? state->folds : NULL,
                                          .width = width,
                                          .utf8 = utf8,
                                          .notes = state->notes };
        fresh = lesson_text_new(state->lesson, &setting);
    } else {
        fresh = lesson_text_list(app_lessons(app), app->workbook, width, utf8);
    }
    if (state->lesson && state->width == width)
        keep_place(state, &fresh);
    if (state->lesson)
        state->reader.selected = selected_in(state, &fresh);
    state->text.sheet = (struct sheet){ 0 }; // the reader frees it
    lesson_text_free(&state->text);
    state->text = fresh;
    state->width = width;
    reader_show(&state->reader, fresh.sheet, (int)fresh.links.count);
    if (state->section)
        go_to_section(page);
    else if (state->resume && state->sought == NO_QUESTION)
        state->reader.top = state->text.lines[state->resume];
    state->resume = 0;
    follow(state);
    go_on(state);
    if (state->sought != NO_QUESTION)
        go_to_sought(state);
}

// ---- drawing ---------------------------------------------------------------------------------------------------------------

// In the field, where the next character goes.
static void park_in_field(const struct lesson_page *state, struct area area)
{
    const struct reader *reader = &state->reader;
    const struct field *field = &state->questions[state->editing].field;
    int line = sheet_line_of_item(&reader->sheet, reader->selected), col = 0;
    if (!in_sight(reader, line))
        return;
    const struct sheet_line *at = &reader->sheet.lines[line];
    for (size_t i = 0; i < at->count; i++) {
        const struct span *span = &reader->sheet.spans[at->first + i];
        if (span->item == reader->selected)
            break;
        col += text_cells_n(reader->sheet.text.data + span->at, span->length);
    }
    area_cursor(area, line - (int)reader->top, col + text_cells_n(text_string(&field->text), field->at));
}

enum { OUTLINE_FROM = 112 };

static void draw_lesson(struct page *page, struct area area)
{
    struct lesson_page *state = page->state;
    bool wide = area.cols >= OUTLINE_FROM && state->lesson;
    int width = area.cols - 2 < CODE_MOST ? area.cols - 2 : CODE_MOST;
    int left = wide || area.cols < TEXT_MOST + 2 ? 1 : (area.cols - TEXT_MOST) / 2;
    int cells = area.cols - left < CODE_MOST ? area.cols - left : CODE_MOST;
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct rect bar = state->lesson ? rect_bottom(&rest, 1, 0) : (struct rect){ 0 };
    struct area text = area_part(area_rect(area, rest), 0, left, rest.rows, cells);
    if (!state->still || state->width != width)
        make_text(page, width, area.canvas->utf8);
    state->still = false;
    state->text_col = left;
    if (state->outlines)
        lesson_where.outline(state, text);
    else
        reader_draw(&state->reader, text);
    if (wide) {
        int col = left + CODE_MOST + 1;
        lesson_where.aside(state, area_part(area, 0, col, rest.rows, area.cols - col));
    }
    if (state->editing != NO_QUESTION)
        park_in_field(state, text);
    if (state->lesson)
        lesson_where.bar(state, area_rect(area, bar));
}

// ---- acting --------------------------------------------------------------------------------------------------------------------

// `selected`: one that was selected, and does not only happen to be in sight.
static bool can_run(const struct question *question, bool selected)
{
    bool waits = question->live->kind == LIVE_PREDICT && !question->predicted;
    return live_ops_of(question->live)->run && (selected || !waits);
}

static bool can_edit(const struct question *question, bool selected)
{
    return question->live->kind == LIVE_EXERCISE || question->live->kind == LIVE_BUGHUNT;
}

// The selected live block, or the first one that begins in sight (`partly`: or ends there); NULL: none that can.
static struct question *block_at_hand(struct lesson_page *state, bool partly,
                                      bool (*can)(const struct question *question, bool selected))
{
    struct question *question = owner_of(state, state->reader.selected);
    size_t top = state->reader.top, end = top + (size_t)state->reader.rows;
    if (question && can(question, true))
        return question;
    for (size_t i = 0; state->questions && i < state->question_count; i++) {
        if (state->text.ends[i] == state->text.starts[i])
            continue; // folded
        bool after = partly ? state->text.ends[i] > top : state->text.starts[i] >= top;
        if (after && state->text.starts[i] < end && can(&state->questions[i], false))
            return &state->questions[i];
    }
    return NULL;
}

static int run(struct page *page)
{
    struct lesson_page *state = page->state;
    struct question *question = block_at_hand(state, false, can_run);
    if (!question) {
        app_say(page->app, ROLE_DIM, "Nothing in sight runs here: labs, predictions and exercises do.");
        return DONE_FAILED;
    }
    live_ops_of(question->live)->run(page->app, question);
    state->follow = (int)(question - state->questions);
    return DONE;
}

static int edit(struct page *page)
{
    struct lesson_page *state = page->state;
    struct question *question = block_at_hand(state, true, can_edit);
    if (!question) {
        app_say(page->app, ROLE_DIM, "There is no exercise in sight.");
        return DONE_FAILED;
    }
    live_ops_of(question->live)->answer(page->app, question, "edit");
    state->follow = (int)(question - state->questions);
    return DONE;
}

// A save of the task's copy is judged, until it is watched no more.
static int watch(struct page *page)
{
    struct lesson_page *state = page->state;
    struct question *question = watched(state);
    question = question ? question : block_at_hand(state, true, can_edit);
    if (question)
        live_ops_of(question->live)->answer(page->app, question, "watch");
    else
        app_say(page->app, ROLE_DIM, "There is no exercise in sight.");
    return question ? DONE : DONE_FAILED;
}

static int tick_ms_lesson(const struct page *page)
{
    const struct question *question = watched(page->state);
    return question ? watch_tick_ms(&question->watch) : -1;
}

static void tick_lesson(struct page *page)
{
    struct lesson_page *state = page->state;
    struct question *question = watched(state);
    if (question && watch_saw(&question->watch)) {
        *page->app->message = 0; // of a save before
        live_ops_of(question->live)->run(page->app, question);
        state->follow = (int)(question - state->questions);
        page->app->dirty = true;
    } else if (question && watch_lost(&question->watch, page->app)) {
        page->app->dirty = true;
    }
}

static int move_line(struct page *page, int by)
{
    struct lesson_page *state = page->state;
    struct question *question = owner_of(state, state->reader.selected);
    const char *words = opens_of(state, state->reader.selected), *out = strstr(words, " out ");
    if (!question || question->live->kind != LIVE_ORDER || !out) {
        app_say(page->app, ROLE_DIM, "Select a line of an ordering task first.");
        return DONE_FAILED;
    }
    int place = (int)strtol(out + 5, NULL, 10) - 1, to = live_order_move(question, place, by);
    char fresh[100];
    format_into(fresh, sizeof fresh, "answer %s out %d", question->live->id, to + 1);
    int item = item_of(&state->text, fresh, (int)(question - state->questions));
    if (item >= 0)
        state->reader.selected = item;
    return DONE;
}

static int open_item(struct page *page)
{
    struct lesson_page *state = page->state;
    const char *opens = opens_of(state, state->reader.selected);
    struct words words;
    struct error error;
    if (!*opens)
        return DONE;
    if (strcmp(opens, "run") == 0)
        return run(page);
    if (string_starts(opens, "unfold "))
        return unfold_named(page, opens + strlen("unfold "));
    if (string_starts(opens, "http:") || string_starts(opens, "https:")) {
        app_say(page->app, ROLE_TEXT, "Elsewhere: %s", opens);
        return DONE;
    }
    char *copy = mem_copy(opens); // the text may be made anew
    int done = DONE_FAILED;
    if (!string_starts(copy, "answer ")) {
        done = app_open(page->app, copy) ? DONE : DONE_FAILED;
    } else if (words_split(copy, &words, &error)) {
        done = answer(page, &words);
        words_free(&words);
    }
    free(copy);
    return done;
}

static int do_act(struct page *page, enum act act, const struct words *words)
{
    struct lesson_page *state = page->state;
    state->editing = NO_QUESTION;
    int moved = lesson_where.act(page, act, words);
    if (moved != DONE_NOT)
        return moved;
    switch (act) {
    case ACT_ENTER:
        return open_item(page);
    case ACT_ANSWER:
        return answer(page, words);
    case ACT_RUN:
        return run(page);
    case ACT_EDIT:
        return edit(page);
    case ACT_WATCH:
        return watch(page);
    case ACT_UNFOLD:
        return unfold(page, words);
    case ACT_MOVE_UP:
        return move_line(page, -1);
    case ACT_MOVE_DOWN:
        return move_line(page, 1);
    case ACT_LESSON_NEXT:
        return turn(page, 1);
    case ACT_LESSON_PREVIOUS:
        return turn(page, -1);
    default: {
        int done = reader_act(&state->reader, page->app, act, words);
        state->still = done == DONE;
        state->follow = done == DONE ? NO_QUESTION : state->follow;
        return done;
    }
    }
}

static int act_lesson(struct page *page, enum act act, const struct words *words)
{
    const struct lesson_page *state = page->state;
    bool turns = act == ACT_LESSON_NEXT || act == ACT_LESSON_PREVIOUS;
    int done = do_act(page, act, words);
    if (done == DONE && state->looks && state->lesson && !turns)
        begin(page);
    return done;
}

static bool click_lesson(struct page *page, int row, int col)
{
    struct lesson_page *state = page->state;
    int before = state->reader.selected;
    if (!reader_click(&state->reader, row, col - state->text_col))
        return false;
    state->editing = NO_QUESTION;
    if (state->reader.selected == before)
        open_item(page);
    return true;
}

// A link to a term is about that term, whatever its words are.
static void word_lesson(struct page *page, struct text *out)
{
    struct lesson_page *state = page->state;
    struct words words;
    struct error error;
    const char *opens = opens_of(state, state->reader.selected);
    if (string_starts(opens, "terms ") && words_split(opens, &words, &error)) {
        text_add(out, words.count > 1 ? words.word[1] : "");
        words_free(&words);
        return;
    }
    reader_word(&state->reader, out);
}

static const char *typing_lesson(const struct page *page)
{
    bool typing = ((const struct lesson_page *)page->state)->editing != NO_QUESTION;
    return typing ? "<Enter> answers  <Esc> leaves the field" : NULL;
}

// In the list of all lessons nothing is answered or run.
static bool offers_lesson(const struct page *page, enum act act)
{
    bool within = act == ACT_QUESTION || act == ACT_PANE || act == ACT_SECTION_NEXT ||
                  act == ACT_SECTION_PREVIOUS || act == ACT_RUN || act == ACT_EDIT || act == ACT_WATCH;
    return !within || ((const struct lesson_page *)page->state)->lesson;
}

const struct page_ops lesson_page = { .name = "lesson",
                                      .operands = "[LESSON [PLACE] [--notes]]",
                                      .help =
                                          "A lesson by its number or name, at a heading or a question, "
                                          "or the list of them; --notes shows the notes for an instructor "
                                          "as well.",
                                      .most = 2,
                                      .size = sizeof(struct lesson_page),
                                      .open = open_lesson,
                                      .title = title_lesson,
                                      .draw = draw_lesson,
                                      .act = act_lesson,
                                      .type = type_lesson,
                                      .click = click_lesson,
                                      .word = word_lesson,
                                      .typing = typing_lesson,
                                      .offers = offers_lesson,
                                      .tick_ms = tick_ms_lesson,
                                      .tick = tick_lesson,
                                      .close = close_lesson };
