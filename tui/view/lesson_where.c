// Where one is in a lesson: the line below the text, the outline, and the ways from section to section and to a part.
#include "tui/view/lesson.h"

#include <string.h>

// The section that is read: the one of what is selected, or else the last one that starts in the upper third.
static size_t section_now(const struct lesson_page *state)
{
    const struct lesson_text *text = &state->text;
    const struct reader *reader = &state->reader;
    size_t now = 0, end = reader->top + (size_t)reader->rows;
    if (state->went.held && state->went.section < text->section_count && state->went.top == reader->top &&
        state->went.selected == reader->selected)
        return state->went.section;
    size_t from = reader->top + (size_t)reader->rows / 3;
    bool bottom = reader->top > 0 && end >= reader->sheet.line_count;
    int selected = reader->selected < 0 ? -1 : sheet_line_of_item(&reader->sheet, reader->selected);
    if (selected >= (int)reader->top && selected < (int)end)
        from = (size_t)selected;
    else if (bottom)
        from = end;
    else if (!reader->top)
        from = 0;
    size_t third =
        reader->top + (size_t)reader->rows / 3; // a part that opens above it is the one that is read
    for (size_t i = 0; i < text->section_count; i++) {
        const struct section *section = &text->sections[i];
        bool opens = reader->top && section->opens && section->line >= reader->top && section->line <= third;
        if (!section->folded && (section->line <= from || opens))
            now = i;
    }
    return now;
}

static size_t part_now(const struct lesson_page *state)
{
    return state->text.section_count ? state->text.sections[section_now(state)].part : 0;
}

// What is asked in a part, or in all of it where there are none; and its lines.
struct part_now {
    int asked, done;
    size_t from, end;
};

static struct part_now part_of(const struct lesson_page *state, size_t part)
{
    struct part_now now = { .end = state->reader.sheet.line_count };
    bool within = false;
    for (size_t i = 0; i < state->text.section_count; i++) {
        const struct section *section = &state->text.sections[i];
        if (within && section->part != part)
            now.end = section->line < now.end ? section->line : now.end;
        if (section->part != part)
            continue;
        now.from = within ? now.from : section->line;
        now.asked += section->asked;
        now.done += section->done;
        within = true;
    }
    return now;
}

// "part 2 of 3 "; without parts "4 of 16 ", which are sections.
static void place_words(const struct lesson_page *state, size_t now, struct text *out)
{
    size_t part = state->text.sections[now].part;
    if (part)
        text_addf(out, " part %zu of %zu  ", part, state->lesson->part_count);
    else
        text_addf(out, " %zu of %zu ", now + 1, state->text.section_count);
}

static void draw_bar(const struct lesson_page *state, struct area line)
{
    const struct reader *reader = &state->reader;
    char right[80];
    struct text place = { 0 };
    size_t now = section_now(state), seen = reader->top + (size_t)reader->rows;
    struct part_now part = part_of(state, state->text.sections[now].part);
    size_t lines = part.end - part.from, past = seen > part.from ? seen - part.from : 0;
    int percent = past >= lines ? 100 : (int)(100 * past / lines);
    if (part.asked) // a share of the lines beside it would read as one of the answers
        format_into(right, sizeof right, "%d of %d answered", part.done, part.asked);
    else
        format_into(right, sizeof right, "%3d %%", percent);
    int cells = text_cells(right), room = line.cols - cells - 3;
    place_words(state, now, &place);
    area_line(line, 0, ROLE_FRAME);
    int after = area_put(area_part(line, 0, 0, 1, room), 0, 1, ROLE_DIM, "%s", place.data);
    const char *words = state->text.sections[now].words;
    int title = text_cells(words) + 1;
    if (after < room)
        area_cell(line, 0, after, ROLE_TITLE, title < room - after ? title : room - after, "%s", words);
    area_put(line, 0, line.cols - cells - 1, ROLE_DIM, " %s", right);
    text_free(&place);
}

static enum glyph sign_of(int asked, int done)
{
    return asked && done == asked ? GLYPH_DONE : done ? GLYPH_HALF : GLYPH_OPEN;
}

static void outline_row(struct sheet *sheet, const struct section *section, int indent, bool here)
{
    enum glyph sign = sign_of(section->asked, section->done);
    const char *shown = section->asked ? glyph(sheet->utf8, sign == GLYPH_HALF ? GLYPH_OPEN : sign) : " ";
    sheet_add(sheet, ROLE_TITLE, "%s ", here ? glyph(sheet->utf8, GLYPH_RIGHT) : " ");
    sheet_add(sheet, sign == GLYPH_DONE ? ROLE_GOOD : ROLE_DIM, "%*s%s ", indent, "", shown);
    sheet_hang(sheet, 4 + indent);
    sheet_flow(sheet, here ? ROLE_TITLE : ROLE_DIM, "%s", section->words);
    if (drawn_flat)
        sheet_flow(sheet, ROLE_TEXT, "%s%s", here ? ", here" : "",
                   !section->asked      ? ""
                   : sign == GLYPH_DONE ? ", done"
                                        : ", open");
    sheet_end(sheet);
}

// Above its sections: "2 Turning strides round 23 min".
static void part_row(const struct lesson_page *state, struct sheet *sheet, size_t part, bool here)
{
    enum { MINUTES = 7 };
    struct part_now all = part_of(state, part);
    enum glyph sign = sign_of(all.asked, all.done);
    sheet_add(sheet, ROLE_TITLE, "%s ", here ? glyph(sheet->utf8, GLYPH_RIGHT) : " ");
    sheet_add(sheet, sign == GLYPH_DONE ? ROLE_GOOD : ROLE_DIM, "%s ", glyph(sheet->utf8, sign));
    sheet_hang(sheet, 4);
    sheet_flow(sheet, ROLE_TITLE, "%zu  %s", part, state->lesson->parts[part - 1].title);
    if (sheet->used + MINUTES > sheet->width) {
        sheet_end(sheet);
        sheet_to(sheet, 3);
    }
    sheet_add(sheet, ROLE_DIM, " %2d min", state->lesson->parts[part - 1].minutes);
    sheet_end(sheet);
}

// A row for each section and part, which is an item.
static struct sheet outline(const struct lesson_page *state, struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    size_t now = section_now(state);
    int indent = 0; // below a part
    for (size_t i = 0; i < state->text.section_count; i++) {
        const struct section *section = &state->text.sections[i];
        indent = section->opens ? 2 : indent;
        sheet.item = (int)i;
        if (section->opens)
            part_row(state, &sheet, section->part, i == now);
        else
            outline_row(&sheet, section, indent, i == now);
    }
    sheet.item = -1;
    return sheet;
}

// The outline in the place of the text, where a section is chosen.
static void draw_outline(struct lesson_page *state, struct area area)
{
    struct reader *reader = &state->outline;
    reader_show(reader, outline(state, area), (int)state->text.section_count);
    int line = sheet_line_of_item(&reader->sheet, reader->selected);
    if (line < (int)reader->top || line >= (int)reader->top + area.rows) // it was just opened
        reader->top = line > area.rows / 3 ? (size_t)(line - area.rows / 3) : 0;
    reader_draw(&state->outline, area);
}

// ---- what is beside the text ------------------------------------------------------------------------------------

enum { PICTURE_COLS = 46, OUTLINE_LEAST = 6 };

// The last picture or lab of which the text no longer shows half, or else the next one of this section. What is folded has
// no lines.
static struct question *beside(const struct lesson_page *state, int cols)
{
    const struct lesson_text *text = &state->text;
    size_t now = section_now(state), top = state->reader.top, end = top + (size_t)state->reader.rows;
    size_t to = now + 1 < text->section_count ? text->sections[now + 1].line : SIZE_MAX;
    struct question *best = NULL;
    for (size_t i = 0; cols >= PICTURE_COLS && i < state->question_count; i++) {
        size_t first = text->starts[i], last = text->ends[i];
        size_t from = first > top ? first : top, until = last < end ? last : end;
        bool shown = until > from && 2 * (until - from) >= last - first, below = first >= end;
        if (live_asks(state->questions[i].live->kind) || first == last || shown)
            continue;
        if (below && (best || first >= to))
            break;
        best = &state->questions[i];
    }
    return best;
}

// Its lines as in the text, made for this width.
static struct sheet beside_sheet(const struct page *page, struct question *question, int width, bool utf8)
{
    const struct lesson_page *state = page->state;
    struct sheet sheet = sheet_new(width < TEXT_MOST ? width : TEXT_MOST, utf8);
    struct links links = { 0 };
    struct live_view view = { .sheet = &sheet,
                              .links = &links,
                              .app = page->app,
                              .lesson = state->lesson,
                              .live = question->live,
                              .question = question,
                              .all = state->questions,
                              .all_count = state->question_count,
                              .aside = true };
    live_add(&view);
    links_free(&links);
    return sheet;
}

// Whether no line has to be cut: a picture of 32 lanes that is says something wrong.
static bool fits(const struct sheet *sheet, int cols)
{
    struct text line = { 0 };
    bool fits = true;
    for (size_t i = 0; i < sheet->line_count && fits; i++)
        fits = text_cells(sheet_line_text(sheet, i, &line)) <= cols;
    text_free(&line);
    return fits;
}

// Draws the picture or the lab below an outline of so many rows; returns the outline's area.
static struct area draw_beside(const struct page *page, struct area area, int rows)
{
    struct question *question = beside(page->state, area.cols);
    if (!question)
        return area;
    struct sheet sheet = beside_sheet(page, question, area.cols - 1, area.canvas->utf8);
    if (!fits(&sheet, area.cols)) {
        sheet_free(&sheet);
        return area;
    }
    int needs = (int)sheet.line_count, most = area.rows - needs - 1;
    int above = rows < most ? rows : most > OUTLINE_LEAST ? most : OUTLINE_LEAST;
    sheet_draw(&sheet, area_part(area, above + 1, 0, area.rows - above - 1, area.cols), 0, -1, NULL);
    sheet_free(&sheet);
    return area_part(area, 0, 0, above, area.cols);
}

static void draw_aside(const struct page *page, struct area area)
{
    const struct lesson_page *state = page->state;
    struct sheet sheet = outline(state, area);
    int line = sheet_line_of_item(&sheet, (int)section_now(state));
    int row = area.canvas->cursor_row, col = area.canvas->cursor_col;
    area = draw_beside(page, area, (int)sheet.line_count);
    sheet_draw(&sheet, area, line + 2 > area.rows ? (size_t)(line + 2 - area.rows) : 0, -1, NULL);
    area.canvas->cursor_row = row; // it stays with what is selected
    area.canvas->cursor_col = col;
    sheet_free(&sheet);
}

// ---- the place that was left ------------------------------------------------------------------------------------------

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
    if (page->app->workbook && state->reader.rows && at != progress_left(page->app->workbook, lesson))
        app_keep(page->app, "left", json_pack("{s:s, s:I}", "lesson", lesson->name, "block", (json_int_t)at));
}

// What begins the question, or the task, by which nothing is answered yet. -1: it has no item.
static int place_of(const struct lesson_page *state, size_t question)
{
    int item = item_below(state, state->text.starts[question]);
    return item >= 0 && state->text.owner[item] == (int)question ? item : -1;
}

static bool is_open(const struct lesson_page *state, size_t question)
{
    return live_asks(state->questions[question].live->kind) &&
           !question_is_answered(&state->questions[question]) &&
           state->text.ends[question] > state->text.starts[question];
}

static bool is_in_sight(const struct lesson_page *state, size_t question)
{
    size_t top = state->reader.top;
    return state->text.ends[question] > top &&
           state->text.starts[question] < top + (size_t)state->reader.rows;
}

// Selects the question and brings it into view.
static void notice(struct lesson_page *state, size_t question)
{
    int item = place_of(state, question);
    if (item >= 0)
        state->reader.selected = item;
    state->questions[question].noticed = true;
    state->follow = (int)question;
}

// The section is opened ahead when it is folded.
static void seek(struct app *app, struct lesson_page *state, const struct question *question)
{
    size_t section = 0, block = 0;
    lesson_fold.anew(state);
    for (size_t i = 0; i < state->lesson->block_count && &state->lesson->blocks[i].live != question->live;
         i++) {
        block = i + 1;
        section = lesson_starts_section(&state->lesson->blocks[i]) ? i : section;
    }
    if (state->folds[block] & FOLD_HIDES && state->folds[section] & FOLD_HIDES)
        lesson_fold.read_on(app, state, section);
    state->sought = (int)(question - state->questions);
}

static int question(struct page *page, const char *id)
{
    struct lesson_page *state = page->state;
    const struct question *named = state->lesson ? lesson_blocks.named(state, id) : NULL;
    if (!named)
        return app_refuse(page->app, "There is no question '%.60s' here.", id);
    state->reader.selected = -1;
    seek(page->app, state, named);
    return DONE;
}

static const char *key_of(const struct page *page, const char *action, char *out, size_t size)
{
    keys_name(&page->app->keys, "lesson", action, out, size);
    if (!*out)
        format_into(out, size, ":%s", action);
    return out;
}

static bool is_open_here(const struct lesson_page *state)
{
    const struct question *here = owner_of(state, state->reader.selected);
    return here && is_open(state, (size_t)(here - state->questions));
}

// The next thing to answer from where one is; what is folded is left out, and after the last one comes the first, which is
// said.
static int next_open(struct page *page)
{
    struct lesson_page *state = page->state;
    const struct question *here = owner_of(state, state->reader.selected);
    size_t from = 0, count = state->question_count;
    char key[24];
    while (from < count &&
           (here ? &state->questions[from] < here || (&state->questions[from] == here && here->noticed)
                 : state->text.ends[from] <= state->reader.top))
        from++;
    for (size_t i = 0; state->questions && i < count; i++) {
        size_t at = (from + i) % count;
        if (!is_open(state, at))
            continue;
        bool there = &state->questions[at] == here && state->reader.selected == place_of(state, at);
        const struct question *last = from + i >= count && is_open_here(state) ? here : NULL;
        bool stays = last && !there && state->stays != last;
        state->stays = last;
        if (there)
            app_say(page->app, ROLE_NOTE, "This is open%s.", i ? ", and it alone" : "");
        else if (stays)
            app_say(page->app, ROLE_NOTE,
                    "This is open, and the last one that is shown; %s goes to the first.",
                    key_of(page, "question", key, sizeof key));
        else if (from + i >= count)
            app_say(page->app, ROLE_NOTE, "No open question is shown further on; this is the first one.");
        notice(state, stays ? (size_t)(here - state->questions) : at);
        return DONE;
    }
    app_say(page->app, ROLE_DIM, "No question is open here.");
    return DONE_FAILED;
}

// ---- reading on -----------------------------------------------------------------------------------------------------

// Whether something of its own lines is chosen or typed to answer it.
static bool awaits_choice(const struct lesson_page *state, size_t question)
{
    return is_open(state, question) && !review_is_task(state->questions[question].live);
}

static int stop_at(struct page *page, size_t question)
{
    struct lesson_page *state = page->state;
    struct reader *reader = &state->reader;
    char key[24];
    size_t start = state->text.starts[question], end = state->text.ends[question],
           rows = (size_t)reader->rows;
    if (end > reader->top + rows) // no further than its end needs, since what it asks about is above it
        reader->top = end - start < rows ? end - rows : start;
    notice(state, question);
    app_say(page->app, ROLE_NOTE, "%s, or %s reads on anyway.",
            question_is_unchecked(&state->questions[question])
                ? "Your ticks are not checked yet: Check does it"
                : "This is open: answer it",
            key_of(page, "unfold", key, sizeof key));
    return DONE;
}

// Whether an open question folds the rest, and is in sight to its end: a page on would show no more.
static bool is_end(const struct lesson_page *state, size_t question)
{
    size_t to = state->text.ends[question], last = state->lesson->block_count - 1;
    if (!(state->folds[last] & FOLD_HIDES) || !state->questions[question].waits ||
        !is_open(state, question) || !is_in_sight(state, question) ||
        to > state->reader.top + (size_t)state->reader.rows)
        return false;
    for (size_t i = 0; i < state->text.section_count; i++) // one may be opened ahead
        if (state->text.sections[i].line >= to && !state->text.sections[i].folded)
            return false;
    return true;
}

static bool is_stopped(const struct lesson_page *state)
{
    for (size_t i = 0; state->text.ends && i < state->question_count; i++)
        if (is_end(state, i))
            return true;
    return false;
}

// A page on, but once no further than to an open question that folds what follows, of which the first line would go out of
// sight, or at which the text ends. One that was read past stops nobody.
static int page_on(struct page *page)
{
    struct lesson_page *state = page->state;
    const struct reader *reader = &state->reader;
    size_t rows = reader->rows > 1 ? (size_t)reader->rows : 1, lines = reader->sheet.line_count;
    size_t to = reader->top + (rows > 1 ? rows - 1 : 1), most = lines > rows ? lines - rows : 0;
    to = to < most ? to : most;
    for (size_t i = 0; i < state->question_count; i++) {
        size_t start = state->text.starts[i];
        bool passes = (start < to || to <= reader->top) && !state->questions[i].noticed;
        if (start >= reader->top && is_in_sight(state, i) && state->questions[i].waits &&
            awaits_choice(state, i) && (passes || is_end(state, i)))
            return stop_at(page, i);
    }
    bool folded = state->lesson->block_count && state->folds[state->lesson->block_count - 1] & FOLD_HIDES;
    if (to > reader->top || !folded)
        return DONE_NOT;
    char key[24];
    app_say(page->app, ROLE_NOTE, "The rest is folded until the question is answered; %s reads on anyway.",
            key_of(page, "unfold", key, sizeof key));
    return DONE;
}

// No question is answered unread: brings the first line of the question that is selected into sight, where both have room. False:
// it is there.
static bool shows_question(struct page *page)
{
    struct lesson_page *state = page->state;
    struct reader *reader = &state->reader;
    const struct question *question = owner_of(state, reader->selected);
    size_t at = question ? (size_t)(question - state->questions) : 0;
    if (!question || !awaits_choice(state, at) ||
        !string_starts(opens_of(state, reader->selected), "answer "))
        return false;
    size_t start = state->text.starts[at];
    if (start >= reader->top ||
        sheet_line_of_item(&reader->sheet, reader->selected) >= (int)start + reader->rows)
        return false;
    reader->top = start;
    state->follow = NO_QUESTION;
    app_say(page->app, ROLE_NOTE, "This is the question; Enter again answers it.");
    return true;
}

// What keys moved to, or clicked, is noticed; what went out of sight is not any more.
static void look(struct lesson_page *state, bool moved)
{
    const struct question *here = moved ? owner_of(state, state->reader.selected) : NULL;
    for (size_t i = 0; state->questions && state->text.starts && i < state->question_count; i++)
        if (&state->questions[i] == here)
            state->questions[i].noticed = true;
        else if (!is_in_sight(state, i))
            state->questions[i].noticed = false;
}

// ---- from section to section ----------------------------------------------------------------------------------------

// Something of the section, or of the part that it opens, is selected where there is anything: one at the end is not always
// the first on the screen.
static void go_to(struct lesson_page *state, size_t section)
{
    const struct lesson_text *text = &state->text;
    size_t line = text->sections[section].line, next = section + 1;
    while (next < text->section_count && text->sections[section].opens && !text->sections[next].opens)
        next++;
    size_t end = next < text->section_count ? text->sections[next].line : SIZE_MAX;
    int item = item_below(state, line);
    bool within = item >= 0 && (size_t)sheet_line_of_item(&state->reader.sheet, item) < end;
    state->reader.top = line;
    state->reader.selected = within ? item : -1;
    state->went.section = section;
    state->went.pending = true;
    state->follow = NO_QUESTION;
}

// Notes where the jump ended, as it was drawn.
static void arrive(struct lesson_page *state)
{
    const struct reader *reader = &state->reader;
    state->went.held = state->went.pending || (state->went.held && state->went.top == reader->top &&
                                               state->went.selected == reader->selected);
    state->went.pending = false;
    state->went.top = reader->top;
    state->went.selected = reader->selected;
}

// The nearest section that begins after the first line shown, or before it; where the end of the text is in sight there is
// none after it.
static int go_section(struct page *page, int by)
{
    struct lesson_page *state = page->state;
    const struct lesson_text *text = &state->text;
    size_t top = state->reader.top, to = SIZE_MAX;
    bool end = top + (size_t)state->reader.rows >= state->reader.sheet.line_count;
    for (size_t i = 0; i < text->section_count; i++) {
        size_t line = text->sections[i].line;
        if (text->sections[i].folded)
            continue;
        if (by < 0 ? line < top : line > top && to == SIZE_MAX && !end)
            to = i;
    }
    if (to == SIZE_MAX) {
        bool folded = text->section_count && text->sections[text->section_count - 1].folded;
        app_say(page->app, ROLE_DIM,
                by < 0   ? "This is the first section."
                : folded ? "The sections after this one are folded."
                         : "No section comes after this one.");
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
    if (at >= state->text.section_count)
        return DONE;
    if (state->text.sections[at].opens)
        state->part = state->text.sections[at].part;
    else
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
        return words && words->count > 1 ? question(page, words->word[1]) : next_open(page);
    case ACT_PAGE_DOWN:
        return state->text.starts && state->lesson ? page_on(page) : DONE_NOT;
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

// ---- the block at hand, for somewhere else ------------------------------------------------------------------

static size_t block_end(const struct lesson_page *state, size_t block)
{
    for (size_t i = 0; i < state->question_count; i++)
        if (state->questions[i].live == &state->lesson->blocks[block].live)
            return state->text.ends[i]; // what says that more is folded comes after it
    return block + 1 < state->lesson->block_count ? state->text.lines[block + 1]
                                                  : state->text.sheet.line_count;
}

// Code, a table or a live block, of which something is in sight; `plain`: any other instead.
static bool copies(const struct lesson_page *state, size_t block, bool plain)
{
    enum block_kind kind = state->lesson->blocks[block].kind;
    size_t top = state->reader.top, start = state->text.lines[block], end = block_end(state, block);
    bool text = kind != BLOCK_CODE && kind != BLOCK_TABLE && kind != BLOCK_LIVE;
    return text == plain && start < end && end > top && start < top + (size_t)state->reader.rows;
}

// The live block of the selection, or else the first in sight; the one after that which was copied here last.
static size_t block_to_copy(const struct lesson_page *state, bool plain)
{
    const struct lesson *lesson = state->lesson;
    const struct question *selected = owner_of(state, state->reader.selected);
    size_t last = state->copied.block, first = SIZE_MAX, next = SIZE_MAX;
    bool again = last != SIZE_MAX && state->copied.top == state->reader.top &&
                 state->copied.selected == state->reader.selected;
    for (size_t i = 0; i < lesson->block_count; i++) {
        if (!copies(state, i, plain))
            continue;
        if (!again && selected && selected->live == &lesson->blocks[i].live)
            return i;
        first = first == SIZE_MAX ? i : first;
        next = next == SIZE_MAX && again && i > last ? i : next;
    }
    return next != SIZE_MAX ? next : first;
}

// A live block is copied as the commands that do the same; one that has none as its text.
static void copy_live(const struct live *live, struct text *out)
{
    const char *key = live->kind == LIVE_LAB ? "show" : "run", *run;
    for (size_t i = 0; (run = live_nth(live, key, i)); i++)
        text_addf(out, "warpbook run %s\n", run);
    if (live->kind == LIVE_WIDGET)
        text_addf(out, "warpbook explore %s", live_field(live, "explore"));
}

static void copy_block(const struct lesson_page *state, size_t block, struct text *out)
{
    const struct lesson_block *what = &state->lesson->blocks[block];
    const struct sheet *sheet = &state->text.sheet;
    if (what->kind == BLOCK_LIVE)
        copy_live(&what->live, out);
    if (what->kind == BLOCK_CODE)
        text_add(out, what->text);
    if (out->length)
        return;
    struct text lines = { 0 };
    sheet_plain(sheet, state->text.lines[block], block_end(state, block), &lines);
    const char *bar = glyph(sheet->utf8, GLYPH_VERTICAL);
    for (const char *at = text_string(&lines); *at; at += *at == '\n') {
        size_t frame = what->kind == BLOCK_LIVE && string_starts(at, bar) ? strlen(bar) : 0;
        frame += frame && at[frame] == ' ';
        size_t length = strcspn(at + frame, "\n");
        text_addf(out, "%.*s\n", (int)length, at + frame);
        at += frame + length;
    }
    text_free(&lines);
}

// The question that one is at: typed into, selected, answered last and still in sight, or else the first that begins in
// sight. NULL: only text is.
static const struct question *question_here(const struct lesson_page *state)
{
    const struct question *selected = owner_of(state, state->reader.selected);
    size_t top = state->reader.top, end = top + (size_t)state->reader.rows;
    if (state->editing != NO_QUESTION)
        return &state->questions[state->editing];
    if (selected || state->follow != NO_QUESTION)
        return selected ? selected : &state->questions[state->follow];
    for (size_t i = 0; state->text.starts && i < state->question_count; i++)
        if (state->text.starts[i] >= top && state->text.starts[i] < end)
            return &state->questions[i];
    return NULL;
}

static void name_place(const struct lesson_page *state, struct text *lesson, struct text *item)
{
    if (!state->lesson)
        return;
    const struct question *question = question_here(state);
    text_add(lesson, state->lesson->name);
    if (question && question->live->id)
        text_add(item, question->live->id);
    else if (state->text.section_count)
        text_add(item, state->text.sections[section_now(state)].words);
}

static void copy_lesson(struct page *page, int lines, struct text *out)
{
    struct lesson_page *state = page->state;
    size_t block = state->lesson && !lines ? block_to_copy(state, false) : SIZE_MAX;
    if (block == SIZE_MAX && state->lesson && !lines)
        block = block_to_copy(state, true);
    if (block == SIZE_MAX) {
        reader_copy(&state->reader, lines ? lines : 1, out);
        return;
    }
    copy_block(state, block, out);
    state->copied.block = block;
    state->copied.top = state->reader.top;
    state->copied.selected = state->reader.selected;
}

const struct lesson_where lesson_where = { .bar = draw_bar,
                                           .aside = draw_aside,
                                           .beside = beside,
                                           .outline = draw_outline,
                                           .go_to = go_to,
                                           .arrive = arrive,
                                           .part = part_now,
                                           .notice = notice,
                                           .question = question,
                                           .seek = seek,
                                           .shows = shows_question,
                                           .stopped = is_stopped,
                                           .look = look,
                                           .act = act_where,
                                           .keep = keep,
                                           .place = name_place,
                                           .copy = copy_lesson };
