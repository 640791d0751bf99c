// A sheet that is scrolled, searched and chosen from. The place is kept when the sheet is made anew for another width.
#include "tui/view/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- where things are --------------------------------------------------------------------------------------

static size_t top_most(const struct reader *reader)
{
    size_t rows = reader->rows > 0 ? (size_t)reader->rows : 1, lines = reader->sheet.line_count;
    return lines > rows ? lines - rows : 0;
}

static bool in_sight(const struct reader *reader, size_t line)
{
    return line >= reader->top && line < reader->top + (size_t)(reader->rows > 0 ? reader->rows : 0);
}

static bool item_in_sight(const struct reader *reader, int item)
{
    int line = item >= 0 ? sheet_line_of_item(&reader->sheet, item) : -1;
    return line >= 0 && in_sight(reader, (size_t)line);
}

static void go(struct reader *reader, long top)
{
    size_t most = top_most(reader);
    reader->top = top < 0 ? 0 : (size_t)top < most ? (size_t)top : most;
}

// Scrolls as little as it takes; a place that is far away comes to the upper third.
static void bring(struct reader *reader, size_t line)
{
    long rows = reader->rows > 0 ? reader->rows : 1, at = (long)line, top = (long)reader->top;
    if (in_sight(reader, line))
        return;
    if (at == top - 1)
        go(reader, at);
    else if (at == top + rows)
        go(reader, at - rows + 1);
    else
        go(reader, at - rows / 3);
}

// The first item in sight, or the last one; -1: none. `all`: also one that scrolling passes over.
static int shown_item(const struct reader *reader, bool last, bool all)
{
    int best = -1, best_line = 0;
    const struct sheet *sheet = &reader->sheet;
    size_t end = reader->top + (size_t)(reader->rows > 0 ? reader->rows : 0);
    for (size_t i = reader->top; i < end && i < sheet->line_count; i++)
        for (size_t j = 0; j < sheet->lines[i].count; j++) {
            int item = sheet->spans[sheet->lines[i].first + j].item;
            int line = item >= 0 && item < reader->items ? sheet_line_of_item(sheet, item) : -1;
            if (line < (int)reader->top) // its start is what one sees selected
                continue;
            if (!all && reader->passed && reader->passed[item])
                continue;
            if (best < 0 || (last ? line >= best_line && item > best : item < best && line <= best_line)) {
                best = item;
                best_line = line;
            }
        }
    return best;
}

static void select_shown(struct reader *reader, bool last)
{
    if (reader->items <= 0 || item_in_sight(reader, reader->selected))
        return;
    if (reader->rests && in_sight(reader, reader->rests - 1))
        reader->selected = -1;
    else
        reader->selected = shown_item(reader, last, false);
}

void reader_rest(struct reader *reader, size_t line)
{
    reader->selected = -1;
    reader->rests = line;
}

// ---- showing ---------------------------------------------------------------------------------------------------

// Letters and digits of a line: their number is the same however the lines are broken.
static size_t letters_of(const struct sheet *sheet, size_t line)
{
    size_t count = 0;
    for (size_t j = 0; j < sheet->lines[line].count; j++) {
        const struct span *span = &sheet->spans[sheet->lines[line].first + j];
        for (size_t k = 0; k < span->length; k++)
            count += isalnum((unsigned char)sheet->text.data[span->at + k]) != 0;
    }
    return count;
}

static size_t letters_before(const struct sheet *sheet, size_t line)
{
    size_t count = 0;
    for (size_t i = 0; i < line && i < sheet->line_count; i++)
        count += letters_of(sheet, i);
    return count;
}

// The line that holds the letter with this number.
static size_t line_of_letter(const struct sheet *sheet, size_t letter)
{
    size_t count = 0, line = 0;
    while (line < sheet->line_count && (count += letters_of(sheet, line)) <= letter)
        line++;
    return line;
}

// The place is the line that was the first one when somebody scrolled last: what sizes do to it is not for good.
static void anchor_hold(struct reader *reader)
{
    if (reader->top == reader->anchor_top)
        return;
    reader->anchor = letters_before(&reader->sheet, reader->top);
    reader->anchor_line = reader->top;
    reader->anchor_width = reader->sheet.width;
}

static void anchor_find(struct reader *reader)
{
    if (reader->sheet.width == reader->anchor_width)
        reader->top = reader->anchor_line;
    else
        reader->top = reader->anchor ? line_of_letter(&reader->sheet, reader->anchor) : 0;
}

void reader_show(struct reader *reader, struct sheet sheet, int items)
{
    bool selected_shown = item_in_sight(reader, reader->selected);
    bool broken_anew = reader->sheet.width && reader->sheet.width != sheet.width;
    if (broken_anew) {
        anchor_hold(reader);
        reader->hit = line_of_letter(&sheet, letters_before(&reader->sheet, reader->hit));
    }
    bool had_items = reader->items > 0;
    sheet_free(&reader->sheet);
    reader->sheet = sheet;
    reader->items = items;
    if (items <= 0)
        reader->selected = -1;
    else if (reader->selected >= items)
        reader->selected = items - 1;
    else if (reader->selected < 0 && !had_items)
        reader->selected = 0;
    if (broken_anew)
        anchor_find(reader);
    go(reader, (long)reader->top);
    int line = selected_shown ? sheet_line_of_item(&reader->sheet, reader->selected) : -1;
    if (line >= 0)
        bring(reader, (size_t)line);
    if (broken_anew)
        reader->anchor_top = reader->top;
}

void reader_grow(struct reader *reader, struct sheet sheet)
{
    bool follows = reader->top && !reader_more(reader);
    reader_show(reader, sheet, 0);
    if (follows)
        go(reader, (long)reader->sheet.line_count);
}

// The area's height is another one.
static void resize(struct reader *reader, int rows)
{
    bool selected_shown = item_in_sight(reader, reader->selected);
    bool hit_shown = reader->found && in_sight(reader, reader->hit);
    anchor_hold(reader);
    anchor_find(reader);
    reader->rows = rows;
    go(reader, (long)reader->top);
    if (selected_shown)
        bring(reader, (size_t)sheet_line_of_item(&reader->sheet, reader->selected));
    else if (hit_shown)
        bring(reader, reader->hit);
    reader->anchor_top = reader->top;
}

void reader_draw(struct reader *reader, struct area area)
{
    if (reader->rows != area.rows)
        resize(reader, area.rows);
    go(reader, (long)reader->top);
    select_shown(reader, false);
    sheet_draw(&reader->sheet, area, reader->top, reader->selected, reader->found);
    if (reader->selected < 0 && reader->found && in_sight(reader, reader->hit))
        area_cursor(area, (int)(reader->hit - reader->top), 0);
}

// ---- moving ------------------------------------------------------------------------------------------------------

static int scroll(struct reader *reader, long lines)
{
    go(reader, (long)reader->top + lines);
    select_shown(reader, lines < 0);
    return DONE;
}

static int items_above(const struct reader *reader)
{
    int item = 0;
    size_t from = reader->rests ? reader->rests : reader->top;
    while (item < reader->items && sheet_line_of_item(&reader->sheet, item) < (int)from)
        item++;
    return item;
}

// Goes one item on where that is in sight, else one line on, and to the item that comes into sight by that.
static int move(struct reader *reader, int by)
{
    int next = reader->selected + by;
    if (!item_in_sight(reader, reader->selected))
        next = reader->rests ? items_above(reader) - (by < 0) : shown_item(reader, by < 0, true);
    bool there = next >= 0 && next < reader->items;
    if (!there || !item_in_sight(reader, next))
        scroll(reader, by);
    if (there && item_in_sight(reader, next))
        reader->selected = next;
    return DONE;
}

static void say_around(struct app *app, int by)
{
    app_say(app, ROLE_DIM, by > 0 ? "Went on from the top." : "Went on from the bottom.");
}

// Goes to the next item wherever it is, and from the last one to the first.
static int jump(struct reader *reader, struct app *app, int by)
{
    if (reader->items <= 0)
        return DONE_NOT;
    int next = reader->selected + by;
    if (reader->selected < 0) // nothing is in sight: the next one in that direction
        next = items_above(reader) - (by < 0);
    reader->selected = (next + reader->items) % reader->items;
    if (reader->selected != next && reader->sheet.line_count > (size_t)reader->rows)
        say_around(app, by);
    int line = sheet_line_of_item(&reader->sheet, reader->selected);
    if (line >= 0)
        bring(reader, (size_t)line);
    return DONE;
}

static int to_end(struct reader *reader, bool bottom)
{
    go(reader, bottom ? (long)reader->sheet.line_count : 0);
    if (reader->items > 0)
        reader->selected = shown_item(reader, bottom, false);
    return DONE;
}

// ---- searching -----------------------------------------------------------------------------------------------------

bool reader_holds(const struct reader *reader, const char *what)
{
    struct text text = { 0 };
    bool found = false;
    for (size_t line = 0; line < reader->sheet.line_count && !found; line++)
        found = strcasestr(sheet_line_text(&reader->sheet, line, &text), what) != NULL;
    text_free(&text);
    return found;
}

// The item that a line goes on with from those above; -1: none.
static int item_over(const struct reader *reader, size_t line)
{
    const struct sheet_line *at = &reader->sheet.lines[line];
    int item = at->count ? reader->sheet.spans[at->first].item : -1;
    return item < reader->items ? item : -1;
}

// The first item that starts on this line or below, but for one that the line is still part of; -1: none.
static int item_from(const struct reader *reader, size_t line)
{
    int best = -1, best_line = 0, over = item_over(reader, line);
    for (int item = 0; item < reader->items; item++) {
        int at = sheet_line_of_item(&reader->sheet, item);
        if (at >= (int)line && (best < 0 || at < best_line)) {
            best = item;
            best_line = at;
        }
    }
    return over >= 0 && best_line != (int)line ? over : best;
}

// Brings the line into sight and selects what is at it or next below it, so that keys act on what was found and not on
// something above it.
static void choose_from(struct reader *reader, size_t line)
{
    int item = item_from(reader, line);
    long rows = reader->rows > 0 ? reader->rows : 1;
    bring(reader, line);
    if (reader->items <= 0)
        return;
    if (item >= 0 && sheet_line_of_item(&reader->sheet, item) - (long)line < rows) {
        bring(reader, (size_t)sheet_line_of_item(&reader->sheet, item));
        if (!in_sight(reader, line))
            go(reader, (long)line);
        reader->selected = item;
        return;
    }
    if (reader->selected < 0 || sheet_line_of_item(&reader->sheet, reader->selected) < (int)line)
        go(reader, (long)line);
    select_shown(reader, true);
}

// Searches from `line` on, forward or back, and around the ends.
static int search_from(struct reader *reader, struct app *app, long line, int by)
{
    long count = (long)reader->sheet.line_count;
    struct text text = { 0 };
    bool found = false, around = false;
    for (long i = 0; i < count && !found; i++, line += by) {
        around |= line < 0 || line >= count;
        line = (line + count) % count;
        found = strcasestr(sheet_line_text(&reader->sheet, (size_t)line, &text), reader->found) != NULL;
        if (found)
            break;
    }
    text_free(&text);
    if (!found) {
        app_say(app, ROLE_NOTE, "'%s' is not on this page.", reader->found);
        return DONE_FAILED;
    }
    if (around)
        say_around(app, by);
    reader->hit = (size_t)line;
    choose_from(reader, reader->hit);
    return DONE;
}

static int search(struct reader *reader, struct app *app, const struct words *words)
{
    struct text text = { 0 };
    if (!words || words->count < 2)
        return DONE_NOT;
    words_add(words, 1, &text);
    free(reader->found);
    reader->found = text_take(&text);
    return search_from(reader, app, (long)reader->top, 1);
}

static int search_again(struct reader *reader, struct app *app, int by)
{
    if (!reader->found || !*reader->found) {
        app_say(app, ROLE_NOTE, "Nothing was searched for yet; / searches.");
        return DONE_FAILED;
    }
    // When the last hit is no longer in sight, the search goes on from what is in sight.
    long from = (long)reader->hit + by;
    if (!in_sight(reader, reader->hit))
        from = (long)reader->top + (by > 0 ? 0 : reader->rows - 1);
    return search_from(reader, app, from, by);
}

static int search_begin(struct reader *reader)
{
    free(reader->began.found);
    reader->began =
        (struct reader_place){ reader->top, reader->hit, reader->selected, mem_copy_if(reader->found) };
    return DONE;
}

static int search_undo(struct reader *reader)
{
    reader->top = reader->began.top;
    reader->hit = reader->began.hit;
    reader->selected = reader->began.selected < reader->items ? reader->began.selected : reader->items - 1;
    free(reader->found);
    reader->found = mem_copy_if(reader->began.found);
    return DONE;
}

// How far an action moves in so many rows; 0: it does not.
static int rows_by(enum act act, int rows)
{
    int page = rows > 1 ? rows - 1 : 1, half = rows > 1 ? rows / 2 : 1;
    return act == ACT_UP          ? -1
           : act == ACT_DOWN      ? 1
           : act == ACT_PAGE_UP   ? -page
           : act == ACT_PAGE_DOWN ? page
           : act == ACT_HALF_UP   ? -half
           : act == ACT_HALF_DOWN ? half
                                  : 0;
}

static int act_on(struct reader *reader, struct app *app, enum act act, const struct words *words)
{
    switch (act) {
    case ACT_UP:
    case ACT_DOWN:
        return move(reader, rows_by(act, reader->rows));
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
    case ACT_HALF_UP:
    case ACT_HALF_DOWN:
        return scroll(reader, rows_by(act, reader->rows));
    case ACT_TOP:
        return to_end(reader, false);
    case ACT_BOTTOM:
        return to_end(reader, true);
    case ACT_NEXT:
        return jump(reader, app, 1);
    case ACT_PREVIOUS:
        return jump(reader, app, -1);
    case ACT_SEARCH:
        return search(reader, app, words);
    case ACT_SEARCH_NEXT:
        return search_again(reader, app, 1);
    case ACT_SEARCH_PREVIOUS:
        return search_again(reader, app, -1);
    case ACT_SEARCH_BEGIN:
        return search_begin(reader);
    case ACT_SEARCH_UNDO:
        return search_undo(reader);
    default:
        return DONE_NOT;
    }
}

int reader_act(struct reader *reader, struct app *app, enum act act, const struct words *words)
{
    int done = act_on(reader, app, act, words);
    if (done == DONE && reader->selected >= 0)
        reader->rests = 0;
    return done;
}

void reader_choose(struct reader *reader, int item)
{
    int line = item < reader->items ? sheet_line_of_item(&reader->sheet, item) : -1;
    if (line < 0)
        return;
    reader->selected = item;
    bring(reader, (size_t)line + 3); // with the lines under it
    bring(reader, (size_t)line);
}

// ---- pointing --------------------------------------------------------------------------------------------------------

bool reader_click(struct reader *reader, int row, int col)
{
    const struct sheet *sheet = &reader->sheet;
    size_t line = reader->top + (size_t)(row > 0 ? row : 0);
    int used = 0, before = -1, item = -1;
    if (row < 0 || line >= sheet->line_count)
        return false;
    for (size_t j = 0; j < sheet->lines[line].count; j++) {
        const struct span *span = &sheet->spans[sheet->lines[line].first + j];
        int next = used + text_cells_n(sheet->text.data + span->at, span->length);
        if (span->item >= 0 && col >= used && col < next)
            item = span->item;
        if (span->item >= 0 && span->item == before && col < next && item < 0) // between two parts of a row
            item = span->item;
        if (span->item >= 0 && used <= col)
            before = span->item;
        used = next;
    }
    if (item < 0 || item >= reader->items)
        return false;
    reader->selected = item;
    return true;
}

void reader_word(struct reader *reader, struct text *out)
{
    const struct sheet *sheet = &reader->sheet;
    for (size_t i = 0; i < sheet->span_count && reader->selected >= 0; i++)
        if (sheet->spans[i].item == reader->selected)
            text_add_n(out, sheet->text.data + sheet->spans[i].at, sheet->spans[i].length);
    if (!out->length && reader->found)
        text_add(out, reader->found);
}

static bool line_holds(const struct sheet *sheet, size_t line, int item)
{
    for (size_t i = 0; i < sheet->lines[line].count; i++)
        if (sheet->spans[sheet->lines[line].first + i].item == item)
            return true;
    return false;
}

void reader_copy(const struct reader *reader, int lines, struct text *out)
{
    const struct sheet *sheet = &reader->sheet;
    int first = reader->selected >= 0 ? sheet_line_of_item(sheet, reader->selected) : -1;
    size_t from = first >= 0 ? (size_t)first : lines ? reader->top : 0, to = sheet->line_count;
    if (lines)
        to = from + (size_t)lines;
    else if (first >= 0)
        for (to = from + 1; to < sheet->line_count && line_holds(sheet, to, reader->selected);)
            to++;
    sheet_plain(sheet, from, to, out);
}

void reader_page_copy(struct page *page, int lines, struct text *out)
{
    reader_copy(page->state, lines, out);
}

size_t reader_more(const struct reader *reader)
{
    size_t shown = reader->top + (size_t)(reader->rows > 0 ? reader->rows : 0);
    return reader->sheet.line_count > shown ? reader->sheet.line_count - shown : 0;
}

int reader_page_act(struct page *page, enum act act, const struct words *words)
{
    return reader_act(page->state, page->app, act, words);
}

void reader_page_word(struct page *page, struct text *out)
{
    reader_word(page->state, out);
}

bool reader_page_offers(const struct page *page, enum act act)
{
    return act != ACT_ENTER;
}

void reader_free(struct reader *reader)
{
    sheet_free(&reader->sheet);
    free(reader->found);
    free(reader->began.found);
    *reader = (struct reader){ 0 };
}

void reader_page_close(struct page *page)
{
    reader_free(page->state);
}

// ---- rows that a page draws itself -----------------------------------------------------------------------------

int list_act(struct list *list, enum act act)
{
    int by = rows_by(act, list->rows), to = list->selected + by;
    if (act == ACT_TOP || act == ACT_BOTTOM)
        to = act == ACT_TOP ? 0 : list->count - 1;
    else if (!by)
        return DONE_NOT;
    list->selected = to;
    list_fit(list, list->count, list->rows);
    return DONE;
}
