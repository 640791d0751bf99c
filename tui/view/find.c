// find: one look-up for all that can be read. One types a question or a few words, and terms, sections of lessons, labs,
// steps and explorers come, the nearest first.
#include "tui/text/text.h"
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>

enum { HITS_MOST = 40, LINE_MOST = 88 };

struct find {
    struct field field;
    struct hit hits[HITS_MOST];
    size_t count;
    struct reader reader;
    struct links links;
    int width; // that the list was made for; 0: it is to be made anew
    bool utf8;
    bool typing;
};

// ---- finding ------------------------------------------------------------------------------------------------

static void look(struct page *page)
{
    struct find *find = page->state;
    find->count = search_find(app_search(page->app), text_string(&find->field.text), find->hits, HITS_MOST);
    for (size_t i = 0; i < find->count; i++) {
        const struct search_place *place = find->hits[i].place;
        find->hits[i].folded =
            place->kind == PLACE_STEP && asked_about(page, place->within + strlen("step "));
    }
    find->width = 0;
    find->reader.top = 0;
    find->reader.selected = find->count ? 0 : -1;
}

static void take_words(struct page *page, const struct words *words)
{
    struct find *find = page->state;
    field_clear(&find->field);
    words_add(words, 1, &find->field.text);
    find->field.at = find->field.text.length;
    find->typing = words->count < 2;
    look(page);
}

static bool open_find(struct page *page, const struct words *words, struct error *error)
{
    take_words(page, words);
    return true;
}

// ---- drawing ------------------------------------------------------------------------------------------------

static void make_list(struct page *page, int width, bool utf8)
{
    struct find *find = page->state;
    struct sheet sheet = sheet_new(width < LINE_MOST ? width : LINE_MOST, utf8);
    links_free(&find->links);
    find->links = (struct links){ 0 };
    if (find->count)
        places_add(&sheet, find->hits, find->count, &find->links);
    else if (find->field.text.length)
        sheet_paragraph(&sheet, ROLE_TEXT, 1, "Nothing that can be read here has these words.");
    else
        sheet_paragraph(
            &sheet, ROLE_DIM, 1,
            "Type a question or a few words: why is my kernel slow, L1 cache size, atomicAdd. Terms, "
            "sections of lessons, labs, steps and explorers are found.");
    reader_show(&find->reader, sheet, (int)find->links.count);
    find->width = width;
    find->utf8 = utf8;
}

static void draw_field(const struct find *find, struct area line)
{
    enum { LABEL = 7 };
    const char *from = text_string(&find->field.text), *cursor = from + find->field.at;
    area_fill(line, ROLE_FIELD);
    area_put(line, 0, 1, ROLE_FIELD, "Find:");
    while (from < cursor && text_cells_n(from, (size_t)(cursor - from)) > line.cols - LABEL - 1)
        do
            from++;
        while ((*from & 0xc0) == 0x80);
    area_put_n(line, 0, LABEL, ROLE_FIELD, 0, from, text_fit(from, line.cols - LABEL));
    if (find->typing)
        area_cursor(line, 0, LABEL + text_cells_n(from, (size_t)(cursor - from)));
}

static void draw_find(struct page *page, struct area area)
{
    struct find *find = page->state;
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area line = area_rect(area, rect_top(&rest, 1, area.rows > 12));
    if (find->width != area.cols || find->utf8 != area.canvas->utf8)
        make_list(page, area.cols, area.canvas->utf8);
    reader_draw(&find->reader, area_rect(area, rest));
    draw_field(find, line);
}

// ---- typing and acting -----------------------------------------------------------------------------------------

static int open_chosen(struct page *page)
{
    struct find *find = page->state;
    int at = find->reader.selected;
    if (at < 0 || (size_t)at >= find->links.count)
        return DONE;
    char *words = mem_copy(find->links.opens[at]); // the page may go
    find->typing = false;                          // when one comes back, keys are keys
    int done = app_do(page->app, words);
    free(words);
    return done;
}

static bool type_find(struct page *page, const struct event *event)
{
    enum { WORDS_MOST = 200 };
    struct find *find = page->state;
    bool key = event->kind == EVENT_KEY;
    if (!find->typing)
        return false;
    if (key && event->key == PRESS_ENTER) {
        open_chosen(page);
        return true;
    }
    if (key && event->key == PRESS_ESCAPE) {
        find->typing = false;
        return true;
    }
    if (!field_type(&find->field, event, WORDS_MOST))
        return false;
    look(page);
    return true;
}

static int act_find(struct page *page, enum act act, const struct words *words)
{
    struct find *find = page->state;
    if (act == ACT_ENTER)
        return open_chosen(page);
    if (act == ACT_SEARCH) {
        take_words(page, words);
        return DONE;
    }
    if (act == ACT_UP || act == ACT_DOWN) // from hit to hit, also where the next one is out of sight
        act = act == ACT_UP ? ACT_PREVIOUS : ACT_NEXT;
    return reader_act(&find->reader, page->app, act, words);
}

static bool click_find(struct page *page, int row, int col)
{
    struct find *find = page->state;
    int before = find->reader.selected, top = page->area.rows > 12 ? 2 : 1;
    find->typing = row < top;
    if (!find->typing && reader_click(&find->reader, row - top, col) && find->reader.selected == before)
        open_chosen(page);
    return true;
}

static void title_find(struct page *page, struct text *out)
{
    text_add(out, text_string(&((struct find *)page->state)->field.text));
}

static void word_find(struct page *page, struct text *out)
{
    const struct find *find = page->state;
    int at = find->reader.selected;
    if (at >= 0 && (size_t)at < find->count && find->hits[at].place->term)
        text_add(out, find->hits[at].place->name);
}

static const char *typing_find(const struct page *page)
{
    return ((const struct find *)page->state)->typing ? "<Enter> open  <Up> <Down> choose  <Esc> keys again"
                                                      : NULL;
}

static void copy_find(struct page *page, int lines, struct text *out)
{
    reader_copy(&((struct find *)page->state)->reader, lines, out);
}

static void close_find(struct page *page)
{
    struct find *find = page->state;
    field_clear(&find->field);
    links_free(&find->links);
    reader_free(&find->reader);
}

static const char *hints(const struct page *page)
{
    return "down choose, enter open, search type";
}

const struct page_ops find_page = {
    .name = "find",
    .operands = "[WORD ...]",
    .help = "Searches all lessons, terms, labs and kernels for a question or a few words.",
    .most = 31,
    .size = sizeof(struct find),
    .open = open_find,
    .title = title_find,
    .draw = draw_find,
    .act = act_find,
    .type = type_find,
    .click = click_find,
    .word = word_find,
    .hints = hints,
    .copy = copy_find,
    .typing = typing_find,
    .close = close_find
};
