// terms: every word that the lessons and pages use. One types and sees what fits; the entry is beside the list.
#include "tui/text/text.h"
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>

enum {
    BESIDE = 70,
    LIST_MOST = 30,
    LIST_LEAST = 16,
    LINE_MOST = 88
}; // columns: list beside the entry, its width, a line to read
enum focus { IN_FIELD, IN_LIST, IN_ENTRY };

struct terms {
    struct field field;
    const struct term **found; // what fits, best first
    struct list list;
    const struct term *shown; // that the reader holds; NULL: none
    bool shown_links;
    struct reader reader;
    struct links links;
    enum focus focus;
    bool alone; // opened by its name: the entry has the page until one leaves it for the list
};

// ---- finding ------------------------------------------------------------------------------------------------

static const struct term *chosen(const struct terms *terms)
{
    return terms->list.count ? terms->found[terms->list.selected] : NULL;
}

static void take_found(struct terms *terms, size_t count)
{
    terms->list = (struct list){ .count = (int)count, .rows = terms->list.rows };
}

static size_t add_once(const struct term **found, size_t count, const struct term *term)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] == term)
            return count;
    found[count] = term;
    return count + 1;
}

// Looks up as `explain` does: words that are no name are searched for in all that can be read, and terms among the hits
// come first. `exact`: the words are a term's name.
static void find(struct page *page, bool *exact)
{
    struct terms *terms = page->state;
    struct app *app = page->app;
    const struct glossary *glossary = app_glossary(app);
    const char *words = text_string(&terms->field.text);
    size_t count = 0, room = glossary->count + 1;
    *exact = false;
    for (size_t i = 0; i < glossary->count && !*words; i++)
        terms->found[count++] = &glossary->list[i];
    if (!*words) {
        take_found(terms, count);
        return;
    }
    const struct term **meant = mem_new(room * sizeof(*meant));
    size_t near = terms_meant(glossary, words, meant, room, exact);
    if (words_ask(words) && !*exact) {
        enum { HITS_MOST = 200 };
        struct hit *hits = mem_new(HITS_MOST * sizeof *hits);
        size_t hit_count = search_find(app_search(app), words, hits, HITS_MOST);
        for (size_t i = 0; i < hit_count; i++)
            if (hits[i].place->term)
                count = add_once(terms->found, count, hits[i].place->term);
        free(hits);
    }
    for (size_t i = 0; i < near; i++)
        count = add_once(terms->found, count, meant[i]);
    free(meant);
    take_found(terms, count);
}

static void find_typed(struct page *page)
{
    bool exact;
    find(page, &exact);
}

// Words as they are, with one blank between them: what K finds may be a piece of source with its indentation.
static void add_words(struct text *out, const char *words)
{
    while (*(words += strspn(words, " \t\n"))) {
        size_t length = strcspn(words, " \t\n");
        text_add(out, out->length ? " " : "");
        text_add_n(out, words, length);
        words += length;
    }
}

static bool open_terms(struct page *page, const struct words *words, struct error *error)
{
    struct terms *terms = page->state;
    bool exact;
    terms->found = mem_new((app_glossary(page->app)->count + 1) * sizeof(*terms->found));
    terms->reader.selected = -1;
    for (size_t i = 1; i < words->count; i++)
        add_words(&terms->field.text, words->word[i]);
    terms->field.at = terms->field.text.length;
    find(page, &exact);
    if (!terms->field.text.length)
        return true;
    terms->focus = exact ? IN_ENTRY : terms->list.count ? IN_LIST : IN_FIELD;
    terms->alone = exact;
    if (!exact && terms->list.count)
        app_say(page->app, ROLE_NOTE, "No term is called '%s'; %s the nearest.", terms->field.text.data,
                terms->list.count == 1 ? "this is" : "these are");
    return true;
}

// ---- drawing ------------------------------------------------------------------------------------------------

// Draws as much of the typed text as fits before the cursor, and the rest after it.
static void draw_field(const struct terms *terms, struct area field, size_t all)
{
    char count[60];
    const char *from = text_string(&terms->field.text), *cursor = from + terms->field.at;
    bool focus = terms->focus == IN_FIELD;
    format_into(count, sizeof count, "%d of %zu%s", terms->list.count, all,
                field.cols < 50 ? ""
                : focus         ? "  Esc: keys again"
                                : "  / to type");
    int taken = text_cells(count) + 2, label = field.cols > 30 ? 9 : 1;
    if (field.cols < taken + label + 10)
        taken = 0;
    area_fill(field, ROLE_FIELD);
    if (label > 1)
        area_put(field, 0, 1, ROLE_FIELD, "Search:");
    while (from < cursor && text_cells_n(from, (size_t)(cursor - from)) > field.cols - label - taken - 1)
        do
            from++;
        while ((*from & 0xc0) == 0x80);
    size_t shown = text_fit(from, field.cols - label - taken);
    area_put_n(field, 0, label, ROLE_FIELD, 0, from, shown);
    int col = label + text_cells_n(from, (size_t)(cursor - from));
    if (taken)
        area_put(field, 0, field.cols - taken + 1, ROLE_FIELD, "%s", count);
    if (focus)
        area_cursor(field, 0, col);
}

static void draw_list(struct terms *terms, struct area area)
{
    list_fit(&terms->list, terms->list.count, area.rows);
    for (int row = 0; row < area.rows && terms->list.top + row < terms->list.count; row++) {
        int at = terms->list.top + row;
        bool here = at == terms->list.selected;
        area_put(area, row, 0, ROLE_TITLE, "%s", here ? glyph(area.canvas->utf8, GLYPH_RIGHT) : " ");
        const char *name = terms->found[at]->name;
        int cells =
            text_cells(name) < area.cols - 2 ? text_cells(name) : area.cols - 2; // no line under blanks
        area_cell(area, row, 2, here ? ROLE_TITLE : ROLE_LINK, cells, "%s", name);
        if (here && terms->focus == IN_LIST) {
            area_mark(area, row, 0, area.cols, MARK_SELECTED);
            area_cursor(area, row, 0);
        }
    }
}

static void show_entry(struct page *page, const struct term *term, int width, bool utf8)
{
    struct terms *terms = page->state;
    struct reader *reader = &terms->reader;
    bool links = terms->focus == IN_ENTRY;
    if (reader->sheet.width == width && reader->sheet.utf8 == utf8 && terms->shown == term &&
        terms->shown_links == links)
        return;
    if (terms->shown != term) {
        reader->top = reader->hit = 0;
        reader->selected = -1;
        reader->items = 0;
    }
    links_free(&terms->links);
    terms->links = (struct links){ 0 };
    struct sheet sheet = entry_sheet(app_glossary(page->app), term, width, utf8, &terms->links);
    reader_show(reader, sheet, links ? (int)terms->links.count : 0);
    terms->shown = term;
    terms->shown_links = links;
}

static void draw_entry(struct page *page, struct area area)
{
    struct terms *terms = page->state;
    const struct term *term = chosen(terms);
    if (term) {
        show_entry(page, term, area.cols < LINE_MOST ? area.cols : LINE_MOST, area.canvas->utf8);
        reader_draw(&terms->reader, area);
        return;
    }
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    sheet_paragraph(&sheet, ROLE_TEXT, 0,
                    app_glossary(page->app)->count ? "No term is called that, and none has it in its text. "
                                                     "Part of a word is enough; the fewer letters, the more "
                                                     "is found."
                                                   : "There are no terms to search in.");
    sheet_draw(&sheet, area, 0, -1, NULL);
    sheet_free(&sheet);
}

static int list_cols(const struct glossary *glossary)
{
    int cols = 0;
    for (size_t i = 0; i < glossary->count; i++) {
        int cells = text_cells(glossary->list[i].name) + 3;
        cols = cells > cols ? cells : cols;
    }
    return cols < LIST_MOST ? cols : LIST_MOST;
}

struct places {
    struct rect field, list, entry;
    bool beside;
};

// Columns that the entry's pictures take: their lines must not be broken.
static int picture_cols(const struct term *term)
{
    int cols = 0;
    for (size_t i = 0; term && i < term->block_count; i++) {
        const char *text = term->blocks[i].kind == BLOCK_CODE ? term->blocks[i].text : "";
        for (size_t length; *text; text += length + (text[length] == '\n')) {
            length = strcspn(text, "\n");
            int cells = text_cells_n(text, length) + 2; // as far in as typeset_block sets it
            cols = cells > cols ? cells : cols;
        }
    }
    return cols;
}

// The list gives way to a picture: first some of its columns, then its place beside the entry.
static struct places places_in(struct page *page, const struct area *area)
{
    enum { BETWEEN = 3 };
    const struct terms *terms = page->state;
    int list = list_cols(app_glossary(page->app)), room = area->cols - BETWEEN - picture_cols(chosen(terms));
    bool beside = !drawn_flat && area->cols >= BESIDE && (room >= LIST_LEAST || room >= list);
    struct places places = { .entry = { 0, 0, area->rows, area->cols }, .beside = beside };
    places.field = rect_top(&places.entry, 1, area->rows > 12);
    if (terms->alone) {
        places.beside = false;
        rect_left(&places.entry, 1, 0);
    } else if (places.beside) {
        places.list = rect_left(&places.entry, room < list ? room : list, BETWEEN);
    } else {
        int rows = places.entry.rows / 4 > 0 ? places.entry.rows / 4 : 1;
        places.list = rect_top(&places.entry, terms->list.count < rows ? terms->list.count : rows, 1);
    }
    return places;
}

static void draw_frame(struct area area, const struct places *places)
{
    const char *line = glyph(area.canvas->utf8, GLYPH_VERTICAL);
    if (!places->beside && places->list.rows)
        area_line(area, places->list.row + places->list.rows, ROLE_FRAME);
    for (int row = 0; places->beside && row < places->entry.rows; row++)
        area_put(area, places->entry.row + row, places->list.cols + 1, ROLE_FRAME, "%s", line);
}

// Each part parks the cursor when it has the focus; the entry does so always and is drawn first.
static void draw_terms(struct page *page, struct area area)
{
    struct terms *terms = page->state;
    terms->alone = terms->alone && terms->focus == IN_ENTRY;
    struct places places = places_in(page, &area);
    draw_frame(area, &places);
    draw_entry(page, area_rect(area, places.entry));
    draw_list(terms, area_rect(area, places.list));
    draw_field(terms, area_rect(area, places.field), app_glossary(page->app)->count);
}

// ---- typing -------------------------------------------------------------------------------------------------

static bool type_key(struct page *page, const struct event *event)
{
    enum { CONTROL_U = 'U' - '@', CONTROL_W = 'W' - '@' };
    struct terms *terms = page->state;
    int key = event->key;
    // These lead out of the field; no term has them in its name.
    if (key == ':' || key == '?' || key == '/')
        return false;
    if (key == PRESS_ENTER || key == PRESS_DOWN || key == PRESS_ESCAPE) {
        terms->focus = IN_LIST;
        if (key == PRESS_DOWN)
            list_act(&terms->list, ACT_DOWN);
        return true;
    }
    if (key == PRESS_LEFT || key == PRESS_RIGHT || key == PRESS_UP)
        return field_type(&terms->field, event, SIZE_MAX) || key == PRESS_UP;
    // Other keys scroll the entry while one types.
    if (key < ' ' ? key != CONTROL_U && key != CONTROL_W : key >= PRESS_UP && key != PRESS_BACKSPACE)
        return false;
    field_type(&terms->field, event, SIZE_MAX);
    find_typed(page);
    return true;
}

static bool type_terms(struct page *page, const struct event *event)
{
    struct terms *terms = page->state;
    if (terms->focus != IN_FIELD)
        return false;
    if (event->kind == EVENT_KEY)
        return type_key(page, event);
    char *line = mem_copy(event->text);
    for (char *c = line; *c; c++)
        *c = strchr("\r\n\t", *c) ? ' ' : *c;
    field_add(&terms->field, line, SIZE_MAX);
    free(line);
    find_typed(page);
    return true;
}

// ---- acting -------------------------------------------------------------------------------------------------

static int search_terms(struct page *page, const struct words *words)
{
    struct terms *terms = page->state;
    field_clear(&terms->field);
    for (size_t i = 1; i < words->count; i++)
        add_words(&terms->field.text, words->word[i]);
    terms->field.at = terms->field.text.length;
    terms->focus = words->count > 1 ? IN_LIST : IN_FIELD;
    find_typed(page);
    return DONE;
}

static int open_link(struct page *page)
{
    struct terms *terms = page->state;
    int at = terms->reader.selected;
    if (at < 0 || (size_t)at >= terms->links.count)
        return DONE;
    char *words = mem_copy(terms->links.opens[at]); // the page may go
    int done = DONE;
    if (string_starts(words, "http"))
        app_say(page->app, ROLE_LINK, "%s", words);
    else
        done = app_do(page->app, words);
    free(words);
    return done;
}

static int act_in_list(struct terms *terms, enum act act)
{
    if (act == ACT_UP && terms->list.selected == 0) {
        terms->focus = IN_FIELD;
        return DONE;
    }
    if (act == ACT_ENTER || act == ACT_RIGHT || act == ACT_NEXT) {
        terms->focus = terms->list.count ? IN_ENTRY : IN_LIST;
        return DONE;
    }
    if (act == ACT_PREVIOUS) {
        terms->focus = IN_FIELD;
        return DONE;
    }
    return list_act(&terms->list, act);
}

static int act_in_entry(struct page *page, enum act act, const struct words *words)
{
    struct terms *terms = page->state;
    if (act == ACT_ENTER)
        return open_link(page);
    if (act == ACT_LEFT || (act == ACT_PREVIOUS && terms->reader.selected <= 0)) {
        terms->focus = IN_LIST;
        return DONE;
    }
    return reader_act(&terms->reader, page->app, act, words);
}

static int act_terms(struct page *page, enum act act, const struct words *words)
{
    struct terms *terms = page->state;
    if (act == ACT_SEARCH)
        return search_terms(page, words);
    if (act == ACT_SEARCH_NEXT || act == ACT_SEARCH_PREVIOUS)
        return list_act(&terms->list, act == ACT_SEARCH_NEXT ? ACT_DOWN : ACT_UP);
    if (terms->focus == IN_ENTRY)
        return act_in_entry(page, act, words);
    if (terms->focus == IN_LIST)
        return act_in_list(terms, act);
    if (act == ACT_NEXT) {
        terms->focus = IN_LIST;
        return DONE;
    }
    return reader_act(&terms->reader, page->app, act, words); // the entry scrolls while one types
}

static bool within(struct rect rect, int row, int col)
{
    return row >= rect.row && row < rect.row + rect.rows && col >= rect.col && col < rect.col + rect.cols;
}

static void click_entry(struct page *page, int row, int col)
{
    struct terms *terms = page->state;
    int before = terms->focus == IN_ENTRY ? terms->reader.selected : -1;
    terms->focus = IN_ENTRY;
    show_entry(page, chosen(terms), terms->reader.sheet.width, terms->reader.sheet.utf8);
    if (reader_click(&terms->reader, row, col) && terms->reader.selected == before)
        open_link(page);
}

static bool click_terms(struct page *page, int row, int col)
{
    struct terms *terms = page->state;
    struct places places = places_in(page, &page->area);
    if (within(places.field, row, col)) {
        terms->focus = IN_FIELD;
    } else if (within(places.list, row, col)) {
        int at = terms->list.top + row - places.list.row;
        terms->focus = IN_LIST;
        terms->list.selected = at < terms->list.count ? at : terms->list.selected;
    } else if (within(places.entry, row, col) && chosen(terms)) {
        click_entry(page, row - places.entry.row, col - places.entry.col);
    }
    return true;
}

static void title_terms(struct page *page, struct text *out)
{
    const struct terms *terms = page->state;
    text_add(out, chosen(terms) ? chosen(terms)->name : text_string(&terms->field.text));
}

static void word_terms(struct page *page, struct text *out)
{
    struct terms *terms = page->state;
    if (terms->focus == IN_ENTRY)
        reader_word(&terms->reader, out);
    else if (chosen(terms))
        text_add(out, chosen(terms)->name);
}

// A row of the list is copied as its entry.
static void copy_terms(struct page *page, int lines, struct text *out)
{
    const struct terms *terms = page->state;
    struct reader entry = terms->reader;
    if (!chosen(terms))
        return;
    entry.selected = -1;
    reader_copy(&entry, lines, out);
}

static const char *typing_terms(const struct page *page)
{
    return ((const struct terms *)page->state)->focus == IN_FIELD
               ? "<Enter> to the list  <Esc> keys again  : command  ? help"
               : NULL;
}

static void close_terms(struct page *page)
{
    struct terms *terms = page->state;
    field_clear(&terms->field);
    free(terms->found);
    links_free(&terms->links);
    reader_free(&terms->reader);
}

static const char *hints(const struct page *page)
{
    return ((const struct terms *)page->state)->focus == IN_ENTRY
               ? "next next, enter open, left list, search type"
               : "down choose, enter read, search type, find find";
}

const struct page_ops terms_page = { .name = "terms",
                                     .operands = "[WORD ...]",
                                     .help =
                                         "Every word in a few sentences: what it means, what to try, what "
                                         "it leads to.",
                                     .most = 31,
                                     .size = sizeof(struct terms),
                                     .open = open_terms,
                                     .title = title_terms,
                                     .draw = draw_terms,
                                     .act = act_terms,
                                     .type = type_terms,
                                     .click = click_terms,
                                     .word = word_terms,
                                     .hints = hints,
                                     .copy = copy_terms,
                                     .typing = typing_terms,
                                     .close = close_terms };
