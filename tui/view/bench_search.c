// Searching on the bench: first among the rows of the ladder, then in the texts that are in sight.
#include "tui/view/bench.h"

#include <stdlib.h>
#include <string.h>

struct reader *bench_reader(struct bench *bench)
{
    return bench->pane == PANE_SOURCE ? &bench->source : &bench->panel;
}

static bool row_holds(const struct bench *bench, int index)
{
    struct row row = bench_row(bench, index);
    const char *title = row.cpu ? row.cpu->title : row.variant->title;
    const char *name = row.cpu ? row.cpu->name : row.variant->name;
    return (title && strcasestr(title, bench->found)) || strcasestr(name, bench->found);
}

// The nearest row behind (by 1) or before (by -1) `from` that holds it, up to the end; -1: none.
static int row_from(const struct bench *bench, int from, int by)
{
    for (int index = from + by; index >= 0 && index < bench_count(bench); index += by)
        if (row_holds(bench, index))
            return index;
    return -1;
}

static int to_row(struct bench *bench, int index)
{
    if (index != bench->chosen)
        bench->source.top = bench->panel.top = 0;
    bench->chosen = index;
    bench->found_in = NULL;
    return DONE;
}

// The first text in sight that holds it; the one that scrolls comes first. NULL: none.
static struct reader *text_with(struct page *page)
{
    struct bench *bench = page->state;
    struct reader *readers[] = { bench_reader(bench), &bench->source, &bench->panel, &bench->other };
    bool picture = bench->pane >= PANE_CHART;
    for (int i = picture; i < 4; i++)
        if (readers[i]->rows > 0 && reader_holds(readers[i], bench->found))
            return readers[i];
    return NULL;
}

static int to_text(struct page *page, struct reader *reader)
{
    struct bench *bench = page->state;
    struct words words = { { (char *)"search", bench->found }, 2 };
    bench->found_in = reader;
    return reader_act(reader, page->app, ACT_SEARCH, &words);
}

static int search(struct page *page, const struct words *words)
{
    struct bench *bench = page->state;
    struct text text = { 0 };
    if (!words || words->count < 2)
        return DONE_NOT;
    words_add(words, 1, &text);
    free(bench->found);
    bench->found = text_take(&text);
    int row = row_from(bench, bench->chosen, 1);
    if (row < 0)
        row = row_from(bench, -1, 1);
    struct reader *reader = row < 0 ? text_with(page) : NULL;
    if (row >= 0)
        return to_row(bench, row);
    if (reader)
        return to_text(page, reader);
    app_say(page->app, ROLE_NOTE, "'%s' is not on this page.", bench->found);
    return DONE_FAILED;
}

// Behind the last row come the texts; from their end a search goes around within them.
static int again(struct page *page, enum act act)
{
    struct bench *bench = page->state;
    int by = act == ACT_SEARCH_NEXT ? 1 : -1;
    if (!bench->found)
        return reader_act(bench_reader(bench), page->app, act, NULL);
    if (bench->found_in)
        return reader_act(bench->found_in, page->app, act, NULL);
    int row = row_from(bench, bench->chosen, by);
    struct reader *reader = row < 0 ? text_with(page) : NULL;
    if (reader)
        return to_text(page, reader);
    if (row < 0)
        row = row_from(bench, by > 0 ? -1 : bench_count(bench), by);
    return row < 0 ? DONE_FAILED : to_row(bench, row);
}

int bench_search(struct page *page, enum act act, const struct words *words)
{
    return act == ACT_SEARCH ? search(page, words) : again(page, act);
}
