// What one chooses on the source page: what stands beside the source, the size and the data of its runs.
#include "tui/view/source.h"

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

const char *const source_pane_names[SOURCE_PANES] = { "source", "ptx", "sass", "both" };

// The source alone, PTX beside it, SASS beside it, both where there is room.
int source_set_pane(struct page *page, const struct words *words)
{
    int count = page->area.cols >= SOURCE_WIDEST ? SOURCE_PANES : SOURCE_PANES - 1;
    int next = (sides_of(page->state) + 1) % count;
    if (words->count > 1)
        next = choose_name(page->app, "view", source_pane_names, count, words->word[1]);
    return next < 0 ? DONE_FAILED : show_sides(page, next);
}

int source_set_size(struct page *page, const struct words *words)
{
    struct source_page *source = page->state;
    return choose_preset(page->app, source->target.lab, &source->preset, words) ? DONE : DONE_FAILED;
}

int source_set_data(struct page *page, const struct words *words)
{
    struct source_page *source = page->state;
    const char *data = choose_data(page->app, source->target.lab, source->data, words);
    if (!data)
        return DONE_FAILED;
    source->data = data;
    return DONE;
}
