// What one chooses on the source page: what stands beside the source, the size and the data of its runs.
#include "tui/view/source.h"

#include <string.h>
#include <strings.h>

// Bits of the sides that are shown.
static int sides_of(const struct source_page *source)
{
    return (source->beside[SIDE_PTX] != NULL) | (source->beside[SIDE_SASS] != NULL) << 1;
}

static int show_sides(struct page *page, int sides)
{
    struct source_page *source = page->state;
    for (int side = 0; side < SIDES; side++) {
        bool wanted = sides >> side & 1;
        if (wanted && !source->beside[side])
            beside_show(page, (enum side)side);
        else if (!wanted)
            beside_drop(source, (enum side)side);
    }
    return DONE;
}

// The same again: away. Where there is room for one only, SASS hides the PTX; what is hidden is brought back.
int source_toggle_side(struct page *page, enum side side)
{
    int now = sides_of(page->state), bit = 1 << side;
    bool both = page->area.cols >= SOURCE_WIDEST;
    if (!both && now == (1 << SIDE_PTX | 1 << SIDE_SASS))
        now = 1 << SIDE_SASS;
    return show_sides(page, now & bit ? now & ~bit : both ? now | bit : bit);
}

// The source alone, PTX beside it, SASS beside it, both.
int source_set_pane(struct page *page, const struct words *words)
{
    static const char *const names[] = { "source", "ptx", "sass", "both" };
    int count = page->area.cols >= SOURCE_WIDEST ? 4 : 3, next = -1;
    if (words->count < 2)
        return show_sides(page, (sides_of(page->state) + 1) % count);
    for (int i = 0; i < count; i++)
        if (strcasecmp(names[i], words->word[1]) == 0)
            next = i;
    if (next >= 0)
        return show_sides(page, next);
    app_say(page->app, ROLE_BAD, "There is no view '%s': source, ptx, sass%s.", words->word[1],
            count == 4 ? ", both" : "");
    return DONE_FAILED;
}

int source_set_size(struct page *page, const struct words *words)
{
    struct source_page *source = page->state;
    const char *now = source->preset ? source->preset : "full";
    const char *next = words->count > 1 ? words->word[1] : strcmp(now, "full") == 0 ? "small" : "full";
    bool small = strcmp(next, "small") == 0;
    if (!source->target.lab || (!small && strcmp(next, "full") != 0)) {
        app_say(page->app, ROLE_BAD,
                source->target.lab ? "There is no size '%s': small, full." : "This file has one size only.",
                next);
        return DONE_FAILED;
    }
    source->preset = small ? "small" : "full";
    return DONE;
}

int source_set_data(struct page *page, const struct words *words)
{
    struct source_page *source = page->state;
    const char *const *all = source->target.lab ? source->target.lab->data : NULL;
    size_t count = 0, at = 0;
    while (all && count < LAB_DATA && all[count])
        count++;
    const char *asked = words->count > 1 ? words->word[1] : NULL, *now = source->data;
    while (at < count && strcmp(all[at], asked ? asked : now ? now : all[0]) != 0)
        at++;
    if (count < 2 || at == count) {
        app_say(page->app, ROLE_BAD,
                count < 2 ? "There is one kind of data only." : "There is no data '%s' for this lab.", asked);
        return DONE_FAILED;
    }
    source->data = all[asked ? at : (at + 1) % count];
    return DONE;
}
