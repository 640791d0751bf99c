// lesson: one scrolling text with its live blocks in place, and a line below that says where one is.
#include "tui/view/lesson.h"

#include <stdlib.h>

static bool in_sight(const struct reader *reader, int line)
{
    return line >= (int)reader->top && line < (int)reader->top + reader->rows;
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
    *state = (struct lesson_page){
        .editing = NO_QUESTION, .follow = NO_QUESTION, .headed = NO_QUESTION, .sought = NO_QUESTION
    };
    state->copied.block = SIZE_MAX;
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
    state->resume = progress_left(page->app->workbook, lesson);
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
    lesson_opens_by(app_lessons(page->app), lesson, 0, &words);
    text_add(&words, notes ? " --notes" : "");
    free(page->opened_by);
    page->opened_by = text_take(&words);
}

// The heading that these words are, or the first that begins with them; the caller frees. NULL: the error.
static char *section_named(const struct lesson *lesson, const char *words, struct error *error)
{
    char *found = NULL;
    for (size_t i = 0; i < lesson->block_count; i++) {
        char *heading =
            lesson_starts_section(&lesson->blocks[i]) ? lesson_fold.heading(&lesson->blocks[i]) : NULL;
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

// A lesson opens where it was left: says which part before that has something open.
static void say_earlier(struct page *page)
{
    const struct lesson_page *state = page->state;
    const struct lesson *lesson = state->lesson;
    struct text opens = { 0 };
    size_t part = 1;
    int open = 0;
    while (part <= lesson->part_count && lesson->parts[part - 1].end <= state->resume &&
           !(open = progress_of(page->app->workbook, lesson, part).open))
        part++;
    if (!open)
        return;
    lesson_opens_by(app_lessons(page->app), lesson, part, &opens);
    app_say(page->app, ROLE_NOTE, "Here you left the lesson. Part %zu has %d still open; :%s goes there.",
            part, open, opens.data);
    text_free(&opens);
}

static bool open_lesson(struct page *page, const struct words *words, struct error *error)
{
    struct lesson_page *state = page->state;
    const struct lesson *lesson;
    const char *name = NULL, *place = NULL;
    char *heading = NULL;
    size_t part;
    bool notes = false, unfolds = false;
    leave(state);
    for (size_t i = 1; i < words->count; i++) {
        bool noted = strcmp(words->word[i], "--notes") == 0, unfold = strcmp(words->word[i], "--unfold") == 0,
             flag = noted || unfold;
        notes |= noted;
        unfolds |= unfold;
        if (!flag && name)
            place = words->word[i];
        else if (!flag)
            name = words->word[i];
    }
    if (!name)
        return !notes || error_set(error, EXIT_USAGE, "--notes comes after a lesson: lesson 6 --notes");
    if (!lessons_open(app_lessons(page->app), name, &lesson, &part, error))
        return false;
    if (place && !has_question(lesson, place) && !(heading = section_named(lesson, place, error)))
        return false;
    // Notes that are written here name the lesson by these words from any folder, and the same place can be reopened.
    if (lesson_is_own(lesson) || part || place)
        open_by(page, lesson, notes);
    enter(page, lesson, notes);
    begin(page);
    state->section = heading;
    if (heading && unfolds)
        lesson_fold.open(page->app, state, heading);
    if (part == 1) // with what precedes it
        state->resume = 0;
    else if (!place)
        state->part = part;
    if (!part && !place)
        say_earlier(page);
    if (place && !heading)
        lesson_where.seek(page->app, state, lesson_blocks.named(state, place));
    return true;
}

// The next part, or after the last one the next lesson, where that was left; and back.
static int turn(struct page *page, int by)
{
    struct lesson_page *state = page->state;
    if (!state->lesson)
        return app_refuse(page->app, "This is the list of lessons; Enter opens one.");
    size_t part = lesson_where.part(state), count = state->lesson->part_count;
    if (part && (by > 0 ? part < count : part > 1)) {
        state->part = by > 0 ? part + 1 : part - 1;
        return DONE;
    }
    const struct lesson *lesson = lesson_beside(app_lessons(page->app), state->lesson, by);
    if (!lesson) {
        app_say(page->app, ROLE_DIM, by > 0 ? "This is the last lesson." : "This is the first lesson.");
        return DONE_FAILED;
    }
    open_by(page, lesson, state->notes);
    enter(page, lesson, state->notes);
    state->looks = true;
    return DONE;
}

static void title_lesson(struct page *page, struct text *out)
{
    const struct lesson_page *state = page->state;
    if (state->lesson)
        text_addf(out, "%d %s%s", state->lesson->number, state->lesson->title,
                  lesson_blocks.watched(state) ? ", watching" : "");
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
        if (in_sight(&state->reader, line) && !fresh->passed[i])
            near = (int)i;
        if (line >= (int)fresh->ends[owner])
            break;
    }
    return near;
}

// What is above may have grown, or unfolded: the block at the top stays there. What is folded shares the line of the words
// that say so, and the first such block follows where they were.
static void keep_place(struct lesson_page *state, const struct lesson_text *fresh)
{
    const size_t *old = state->text.lines;
    size_t at = 0, top = state->reader.top;
    for (size_t i = 0; old && i < state->lesson->block_count && old[i] <= top; i++)
        at = old[i] > old[at] ? i : at;
    if (old)
        state->reader.top = top - old[at] + fresh->lines[at];
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
    else if (start < state->reader.top &&
             (end <= state->reader.top || end - start <= rows || state->follow == state->headed))
        state->reader.top = start;
}

// A verdict is read from the head of its block on, where that is on the screen: not where one reads something else.
static void follow_verdict(struct lesson_page *state)
{
    const struct reader *reader = &state->reader;
    for (size_t i = 0; i < state->question_count; i++) {
        bool shown =
            state->text.ends[i] > reader->top && state->text.starts[i] < reader->top + (size_t)reader->rows;
        if (state->questions[i].judged && shown)
            state->follow = state->headed = (int)i;
        state->questions[i].judged = false;
    }
}

// The text begins with the question that the page was opened at.
static void go_to_sought(struct lesson_page *state)
{
    for (size_t i = 0; state->reader.selected < 0 && i < state->text.links.count; i++)
        if (state->text.owner[i] == state->sought && !state->text.passed[i])
            state->reader.selected = (int)i;
    state->reader.top = state->text.starts[state->sought];
    state->sought = NO_QUESTION;
}

// Goes to the section that the lesson was opened at: once, before the reader has moved.
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
                "This section is folded until the question above is answered; Enter opens it anyway.");
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
    if (item < 0 || line >= (int)start + reader->rows) {
        reader_rest(reader, end);
        return;
    }
    reader->selected = item;
    if (line >= (int)reader->top + reader->rows)
        reader->top = (size_t)(line - reader->rows + 1);
}

// What stands before the first part belongs to it: an open question there, which folds it, comes first.
static bool waits_before(struct app *app, struct lesson_page *state)
{
    char key[24];
    size_t at = 0;
    while (at < state->question_count && !state->questions[at].waits)
        at++;
    if (state->part > 1 || at == state->question_count)
        return false;
    state->part = 0;
    lesson_where.notice(state, at);
    keys_name(&app->keys, "lesson", "unfold", key, sizeof key);
    app_say(app, ROLE_NOTE, "This comes first; %s reads on anyway.", *key ? key : ":unfold");
    return true;
}

// Before the text is made.
static void open_part(struct app *app, struct lesson_page *state)
{
    size_t heading = state->lesson->parts[state->part - 1].heading;
    lesson_fold.anew(state);
    if (state->folds[heading] & FOLD_HIDES && !waits_before(app, state))
        lesson_fold.read_on(app, state, heading);
}

static void go_to_part(struct lesson_page *state)
{
    for (size_t i = 0; i < state->text.section_count; i++)
        if (state->text.sections[i].opens && state->text.sections[i].part == state->part)
            lesson_where.go_to(state, i);
    state->part = 0;
}

static void make_text(struct page *page, int width, bool utf8)
{
    struct lesson_page *state = page->state;
    struct app *app = page->app;
    struct lesson_text fresh;
    if (state->lesson && state->part)
        open_part(app, state);
    if (state->lesson) {
        bool folded = lesson_fold.anew(state);
        struct lesson_setting setting = { .app = app,
                                          .workbook = app->workbook,
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
    state->reader.passed = fresh.passed;
    reader_show(&state->reader, fresh.sheet, (int)fresh.links.count);
    if (state->section)
        go_to_section(page);
    else if (state->part)
        go_to_part(state);
    else if (state->resume && state->sought == NO_QUESTION)
        state->reader.top = state->text.lines[state->resume];
    state->resume = 0;
    follow_verdict(state);
    follow(state);
    go_on(state);
    if (state->sought != NO_QUESTION)
        go_to_sought(state);
}

// ---- drawing ---------------------------------------------------------------------------------------------------------------

// Parks the cursor in the field, where the next character goes.
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
    state->aside_cols = 0;
    if (state->outlines)
        lesson_where.outline(state, text);
    else
        reader_draw(&state->reader, text);
    lesson_where.arrive(state);
    lesson_where.look(state, false);
    if (wide) {
        int col = left + CODE_MOST + 1;
        state->aside_cols = area.cols - col;
        lesson_where.aside(page, area_part(area, 0, col, rest.rows, area.cols - col));
    }
    if (state->editing != NO_QUESTION)
        park_in_field(state, text);
    if (state->lesson)
        lesson_where.bar(state, area_rect(area, bar));
}

// ---- acting --------------------------------------------------------------------------------------------------------------------

// The head of a question is selected.
static int ask_to_choose(struct page *page)
{
    char key[24];
    const struct question *question =
        owner_of(page->state, ((struct lesson_page *)page->state)->reader.selected);
    keys_name(&page->app->keys, "lesson", "down", key, sizeof key);
    app_say(page->app, ROLE_NOTE,
            question->live->kind == LIVE_ORDER ? "%s goes to its lines."
                                               : "%s, or a digit, goes to a choice; Enter then answers.",
            *key ? key : ":down");
    return DONE;
}

// Enter on the way on: the next part, or the next lesson on a page of its own, from which q leads back here.
static int go_further(struct page *page)
{
    struct lesson_page *state = page->state;
    const struct lesson *next = lesson_beside(app_lessons(page->app), state->lesson, 1);
    if (lesson_where.part(state) < state->lesson->part_count || !next) {
        int turned = turn(page, 1);
        if (turned == DONE)
            begin(page);
        return turned;
    }
    struct text words = { 0 };
    lesson_opens_by(app_lessons(page->app), next, 0, &words);
    text_add(&words, state->notes ? " --notes" : "");
    bool opened = app_open(page->app, words.data);
    text_free(&words);
    return opened ? DONE : DONE_FAILED;
}

static int open_item(struct page *page)
{
    struct lesson_page *state = page->state;
    const char *opens = opens_of(state, state->reader.selected);
    struct words words;
    struct error error;
    if (!*opens || lesson_where.shows(page))
        return DONE;
    if (strcmp(opens, "run") == 0)
        return lesson_blocks.act(page, ACT_RUN, NULL);
    if (string_starts(opens, "unfold "))
        return lesson_fold.named(page, opens + strlen("unfold "));
    if (string_starts(opens, "part ")) {
        state->part = strtoul(opens + strlen("part "), NULL, 10);
        return DONE;
    }
    if (string_starts(opens, "question ") && owner_of(state, state->reader.selected))
        return ask_to_choose(page);
    if (string_starts(opens, "question "))
        return lesson_where.question(page, opens + strlen("question "));
    if (strcmp(opens, "part-next") == 0)
        return go_further(page);
    if (string_starts(opens, "http:") || string_starts(opens, "https:")) {
        app_say(page->app, ROLE_TEXT, "Elsewhere: %s", opens);
        return DONE;
    }
    char *copy = mem_copy(opens); // the text may be made anew
    int done = DONE_FAILED;
    if (!string_starts(copy, "answer ")) {
        done = app_open(page->app, copy) ? DONE : DONE_FAILED;
    } else if (words_split(copy, &words, &error)) {
        done = lesson_blocks.act(page, ACT_ANSWER, &words);
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
    if (moved == DONE_NOT)
        moved = lesson_blocks.act(page, act, words);
    if (moved != DONE_NOT)
        return moved;
    switch (act) {
    case ACT_ENTER:
        return open_item(page);
    case ACT_UNFOLD:
        return lesson_fold.unfold(page, words);
    case ACT_PART_NEXT:
        return turn(page, 1);
    case ACT_PART_PREVIOUS:
        return turn(page, -1);
    default: {
        int done = reader_act(&state->reader, page->app, act, words);
        bool seeks = act == ACT_SEARCH || act == ACT_SEARCH_NEXT || act == ACT_SEARCH_PREVIOUS;
        if (seeks && done == DONE_FAILED && state->lesson && state->reader.found &&
            state->folds[state->lesson->block_count - 1] & FOLD_HIDES)
            app_say(page->app, ROLE_NOTE, "'%s' is not on this page; what is folded was not searched.",
                    state->reader.found);
        state->still = done == DONE;
        state->follow = done == DONE ? NO_QUESTION : state->follow;
        bool goes = act == ACT_UP || act == ACT_DOWN || act == ACT_NEXT || act == ACT_PREVIOUS;
        if (goes && state->lesson)
            lesson_where.look(state, true);
        return done;
    }
    }
}

static int act_lesson(struct page *page, enum act act, const struct words *words)
{
    const struct lesson_page *state = page->state;
    bool turns = act == ACT_PART_NEXT || act == ACT_PART_PREVIOUS;
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
    lesson_where.look(state, true);
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

static void copy_lesson(struct page *page, int lines, struct text *out)
{
    lesson_where.copy(page, lines, out);
}

static bool type_lesson(struct page *page, const struct event *event)
{
    return lesson_blocks.type(page, event);
}

static int tick_ms_lesson(const struct page *page)
{
    const struct question *question = lesson_blocks.watched(page->state);
    return question ? watch_tick_ms(&question->watch) : -1;
}

static void tick_lesson(struct page *page)
{
    lesson_blocks.tick(page);
}

static void place_lesson(const struct page *page, struct text *lesson, struct text *item)
{
    lesson_where.place(page->state, lesson, item);
}

static const char *typing_lesson(const struct page *page)
{
    bool typing = ((const struct lesson_page *)page->state)->editing != NO_QUESTION;
    return typing ? "<Enter> answers  <Esc> leaves the field" : NULL;
}

static const char *no_field(const struct page *page)
{
    return lesson_blocks.answered_here(page->state) ? "The question here is answered already" : NULL;
}

// In the list of all lessons nothing is answered or run.
static bool offers_lesson(const struct page *page, enum act act)
{
    bool within = act == ACT_QUESTION || act == ACT_PART_NEXT || act == ACT_PART_PREVIOUS ||
                  act == ACT_PANE || act == ACT_SECTION_NEXT || act == ACT_SECTION_PREVIOUS ||
                  act == ACT_RUN || act == ACT_RUN_ALL || act == ACT_EDIT || act == ACT_WATCH;
    return !within || ((const struct lesson_page *)page->state)->lesson;
}

// Whether Enter ticks the selected choice, which answers nothing yet.
static bool is_ticked(const struct question *question, const char *opens)
{
    const char *last = strrchr(opens, ' ');
    return question && question->live->kind == LIVE_QUIZ && quiz_several(question->live) && last &&
           last[1] >= '1' && last[1] <= '9';
}

static bool other_task_in_sight(const struct lesson_page *state, const struct question *task)
{
    size_t top = state->reader.top, end = top + (size_t)state->reader.rows;
    bool other = false;
    for (size_t i = 0; i < state->question_count; i++)
        other |= &state->questions[i] != task && review_is_task(state->questions[i].live) &&
                 state->text.starts[i] < end && state->text.ends[i] > top;
    return other;
}

// What Enter, or another key, does with what is selected.
static void selected_hint(const struct lesson_page *state, char *out, size_t size)
{
    const char *opens = opens_of(state, state->reader.selected), *does = "enter choose";
    const struct question *question = owner_of(state, state->reader.selected);
    if (question && string_starts(opens, "question ")) // its head
        does = "down choose";
    else if (question && (string_ends(opens, " run") || string_ends(opens, " keep")))
        does = "enter do it";
    else if (string_starts(opens, "terms "))
        does = "enter explain";
    else if (!question)
        does = "enter open";
    else if (question && string_ends(opens, " done"))
        does = "enter check";
    else if (question && string_starts(opens, "answer ") && !review_is_task(question->live) &&
             question->live->kind != LIVE_ORDER)
        does = "enter answer";
    bool edits = question && review_is_task(question->live) && string_ends(opens, " edit");
    format_into(out, size, "%s", does);
    if (edits)
        format_into(out, size, "enter edit%s%s", other_task_in_sight(state, question) ? " " : "",
                    other_task_in_sight(state, question) ? live_field(question->live, "file") : "");
}

// In the list of all lessons nothing is read or answered.
static const char *hints(const struct page *page)
{
    struct lesson_page *state = page->state;
    const char *opens = opens_of(state, state->reader.selected),
               *on = state->lesson && lesson_where.stopped(state) ? "unfold read on" : "page-down read on";
    const struct question *question = owner_of(state, state->reader.selected);
    char does[80];
    if (!state->lesson)
        return "down choose, enter open, find find";
    if (question && question->live->kind == LIVE_ORDER && strstr(opens, " out "))
        return live_count(question->live, "extra")
                   ? "move-up line up, move-down line down, enter in or out, next next"
                   : "move-up line up, move-down line down, next next";
    selected_hint(state, does, sizeof does);
    if (is_ticked(question, opens))
        format_into(state->hinted, sizeof state->hinted, "=<Space> tick, next next, %sfind find",
                    lesson_where.stopped(state) ? "unfold read on, " : "");
    else if (question &&
             lesson_blocks.field(state, question) == state->reader.selected) // letters are keys there too
        format_into(state->hinted, sizeof state->hinted, "=0-9 type, %s, next next, find find", on);
    else if (state->reader.selected < 0)
        format_into(state->hinted, sizeof state->hinted, "%s, next next, find find", on);
    else
        format_into(state->hinted, sizeof state->hinted, "%s, next next, %s, find find", on, does);
    return state->hinted;
}

const struct page_ops lesson_page = {
    .name = "lesson",
    .operands = "[LESSON [PLACE] [--notes] [--unfold]]",
    .help = "A lesson by its number or name, or a part of it, as 6.2, at a heading or "
            "a question, or the list of them; --notes shows the notes for an instructor "
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
    .hints = hints,
    .copy = copy_lesson,
    .place = place_lesson,
    .typing = typing_lesson,
    .no_field = no_field,
    .offers = offers_lesson,
    .tick_ms = tick_ms_lesson,
    .tick = tick_lesson,
    .close = close_lesson
};
