// Choices by name that several pages offer: the size and the data of a lab's runs, a view; and the line of tabs that
// names the views.
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int choose_name(struct app *app, const char *what, const char *const *names, int count, const char *name)
{
    struct text all = { 0 };
    int found = -1;
    for (int i = 0; i < count; i++) {
        if (strcasecmp(names[i], name) == 0)
            found = i;
        text_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    if (found < 0)
        app_say(app, ROLE_BAD, "There is no %s '%s': %s.", what, name, text_string(&all));
    text_free(&all);
    return found;
}

void fold_words(const struct app *app, const char *page, char *out, size_t size)
{
    char key[24];
    keys_name(&app->keys, page, "unfold", key, sizeof key);
    format_into(out, size, "%s shows them", *key ? key : ":unfold");
}

int turn_opening(struct page *page, bool *unfolded, struct reader *reader, const char *text)
{
    bool folded = sheet_line_of_item(&reader->sheet, 0) < 0;
    if (!*unfolded && !folded) {
        app_say(page->app, ROLE_DIM,
                listing_opening(text) < 2 ? "The code begins at once." : "Everything fits.");
        return DONE_FAILED;
    }
    *unfolded = folded;
    if (folded)
        reader->top = 0;
    return DONE;
}

const struct variant *choose_beside(struct app *app, const struct target *target, int by)
{
    if (!target->lab) {
        app_refuse(app, "This file belongs to no lab, so there is no ladder.");
        return NULL;
    }
    long next = target->variant - target->ladder.variants + by;
    if (next >= 0 && next < (long)target->ladder.count)
        return &target->ladder.variants[next];
    app_say(app, ROLE_NOTE, "This is the %s kernel of the ladder.", by > 0 ? "last" : "first");
    return NULL;
}

void choose_variant(struct page *page, struct target *target, const struct variant *variant, char **what)
{
    struct text words = { 0 };
    target->variant = variant;
    text_addf(&words, "%s/%s", target->lab->name, variant->name);
    free(*what);
    *what = text_take(&words);
    text_addf(&words, "%s %s", page->ops->name, *what);
    free(page->opened_by);
    page->opened_by = text_take(&words);
}

int choose_baseline(struct app *app, const char *what)
{
    bool away = app->baseline && strcmp(app->baseline, what) == 0;
    free(app->baseline);
    app->baseline = away ? NULL : mem_copy(what);
    app_say(app, ROLE_TEXT,
            away ? "There is no baseline any more."
                 : "%s is the baseline now: 'compare' and the counters show the others beside it.",
            what);
    return DONE;
}

const struct variant *baseline_in(const struct app *app, const struct ladder *ladder)
{
    const char *slash = app->baseline ? strchr(app->baseline, '/') : NULL;
    for (size_t i = 0; slash && i < ladder->count; i++) {
        const struct variant *variant = &ladder->variants[i];
        size_t length = strlen(variant->lab);
        if (length == (size_t)(slash - app->baseline) && strncmp(app->baseline, variant->lab, length) == 0 &&
            strcmp(slash + 1, variant->name) == 0)
            return variant;
    }
    return NULL;
}

const struct variant *choose_base(const struct app *app, const struct ladder *ladder,
                                  const struct variant *variant)
{
    const struct variant *baseline = baseline_in(app, ladder);
    if (baseline || !ladder->count)
        return baseline;
    return variant > ladder->variants && variant < ladder->variants + ladder->count ? variant - 1 : NULL;
}

// The index of the name after `now`, or the first.
static size_t after(const char *const *names, size_t count, const char *now)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], now) == 0)
            return (i + 1) % count;
    return 0;
}

int choose_size(struct app *app, const struct lab *lab, const char **size, const struct words *words)
{
    const char *names[LAB_PRESETS] = { NULL };
    struct request wish = { 0 };
    struct error error;
    size_t count = 0;
    if (!lab)
        return app_refuse(app, "The file itself says how large its problem is.");
    for (; count < LAB_PRESETS && lab->presets[count].name; count++)
        names[count] = lab->presets[count].name;
    if (words->count > 1 && !request_set_size(&wish, lab, words->word[1], &error))
        return app_refuse(app, "%s", error.text);
    request_free(&wish);
    *size = words->count > 1 ? lab_preset_find(lab, words->word[1])->name : names[after(names, count, *size)];
    return DONE;
}

int choose_preset(struct app *app, const struct lab *lab, const char **preset, const struct words *words)
{
    const char *own = lab ? lab->presets[1].name : NULL, *size = *preset ? *preset : own; // a GPU's
    if (choose_size(app, lab, &size, words) != DONE)
        return DONE_FAILED;
    bool turned = words->count < 2, is_own = own && size && strcmp(size, own) == 0;
    if (!turned && is_own)
        app_say(app, ROLE_TEXT, "Now the simulator uses this size as well, which may take minutes.");
    *preset = turned && is_own ? NULL : size;
    return DONE;
}

int choose_data(struct app *app, const struct lab *lab, const char **data, const struct words *words)
{
    struct request wish = { 0 };
    struct error error;
    size_t count = 0, at = 0;
    while (lab && count < LAB_DATA && lab->data[count])
        count++;
    if (count < 2)
        return app_refuse(app, "There is only one kind of data.");
    if (words->count > 1 && !request_set_data(&wish, lab, words->word[1], &error))
        return app_refuse(app, "%s", error.text);
    request_free(&wish);
    if (words->count < 2)
        at = after(lab->data, count, *data ? *data : lab->data[0]);
    while (words->count > 1 && strcmp(lab->data[at], words->word[1]) != 0)
        at++;
    *data = lab->data[at];
    return DONE;
}

// ---- tabs ----------------------------------------------------------------------------------------------------

static int cells_of(const char *const *names, int from, int to, int gap)
{
    int cells = 0;
    for (int i = from; i <= to; i++)
        cells += gap + text_cells(names[i]) + 2;
    return cells;
}

// The names that fit around the shown one: those before it go first.
static void find_room(const char *const *names, int shown, int room, int *from, int *to)
{
    int last = *to, first = *from;
    *to = shown;
    while (*from < shown && cells_of(names, *from, shown, 0) + (*from > first) + (shown < last) > room)
        ++*from;
    while (*to < last && cells_of(names, *from, *to + 1, 0) + (*from > first) + (*to + 1 < last) <= room)
        ++*to;
}

struct tabs tabs_draw(struct area line, const char *const *names, int first, int last, int shown)
{
    struct tabs tabs = { .line = line };
    int gap = cells_of(names, first, last, 1) <= line.cols, from = first, to = last, col = 0;
    const char *more = glyph(line.canvas->utf8, GLYPH_ELLIPSIS);
    for (int i = 0; i < TABS; i++)
        tabs.at[i] = -1;
    if (!gap)
        find_room(names, shown, line.cols, &from, &to);
    if (from > first)
        col = area_put(line, 0, 0, ROLE_DIM, "%s", more);
    for (int i = from; i <= to && i < TABS; i++) {
        tabs.at[i] = col + gap;
        col = area_put(line, 0, col + gap, i == shown ? ROLE_TITLE : ROLE_DIM, i == shown ? "[%s]" : " %s ",
                       names[i]);
        tabs.end[i] = col;
    }
    if (to < last)
        col = area_put(line, 0, col, ROLE_DIM, "%s", more);
    tabs.cells = col;
    return tabs;
}

int tabs_at(const struct tabs *tabs, int row, int col)
{
    if (tabs->line.rows <= 0 || row != tabs->line.row)
        return -1;
    for (int i = 0; i < TABS; i++)
        if (tabs->at[i] >= 0 && col - tabs->line.col >= tabs->at[i] && col - tabs->line.col < tabs->end[i])
            return i;
    return -1;
}

void tabs_more(struct area line, int from, size_t more)
{
    char words[40];
    if (!more)
        return;
    const char *down = glyph(line.canvas->utf8, GLYPH_MORE_DOWN);
    format_into(words, sizeof words, " %zu more %s ", more, down);
    if (line.cols - text_cells(words) - 1 <= from) // there is no room for the number
        format_into(words, sizeof words, " %s ", down);
    int col = line.cols - text_cells(words) - 1;
    if (col > from)
        area_put(line, 0, col, ROLE_DIM, "%s", words);
}
