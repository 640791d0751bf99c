// Blocks over the SMs of a GPU. As many run at a time as there are slots; the next one starts when a slot is free. If
// all take equally long, they go in waves, and the last wave leaves slots empty.
#include "tui/explore/explore.h"

enum { GPU, BLOCKS, PER_SM };

// The first is made up, so that each of its slots can be seen.
static const char *const gpus[] = { "tiny",    "t4",   "l4",   "v100",    "a100",
                                    "rtx4090", "h100", "b200", "rtx5090", NULL };
static const char *const names[] = {
    "", "sm_75", "", "sm_70", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"
};
static const long sms[] = { 4, 40, 58, 80, 108, 128, 132, 148, 170 };

struct waves_view waves_compute(const struct settings *settings)
{
    struct waves_view view = { .gpu = gpus[settings->number[GPU]],
                               .sms = sms[settings->number[GPU]],
                               .blocks = settings->number[BLOCKS] };
    view.slots = view.sms * settings->number[PER_SM];
    view.waves = (view.blocks + view.slots - 1) / view.slots;
    view.tail = view.blocks - (view.waves - 1) * view.slots;
    view.busy = (double)view.blocks / (double)(view.waves * view.slots);
    return view;
}

// ---- the picture ----------------------------------------------------------------------------------------------

// Few slots are drawn one by one, many as a bar.
static void add_slots(struct sheet *sheet, long busy, long slots, int cells)
{
    struct text bar = { 0 };
    if (slots <= cells) {
        draw_repeat(sheet, ROLE_GPU, GLYPH_FULL, (int)busy);
        draw_repeat(sheet, ROLE_BAD, GLYPH_EMPTY, (int)(slots - busy));
        return;
    }
    bar_text(&bar, sheet->utf8, (double)busy / (double)slots, cells);
    sheet_add_n(sheet, ROLE_GPU, text_string(&bar), bar.length);
    draw_repeat(sheet, ROLE_BAD, GLYPH_EMPTY, cells - text_cells(text_string(&bar)));
    text_free(&bar);
}

static void add_wave(struct sheet *sheet, const struct waves_view *view, long wave)
{
    long busy = wave + 1 < view->waves ? view->slots : view->tail;
    int cells = draw_width(sheet) - 11 - 20;
    char label[32];
    format_into(label, sizeof label, "wave %ld", wave + 1);
    sheet_add(sheet, ROLE_TEXT, " %-10s", label);
    if (cells >= 8)
        add_slots(sheet, busy, view->slots, cells);
    sheet_add(sheet, ROLE_TEXT, "  %ld of %ld", busy, view->slots);
    sheet_end(sheet);
}

static void draw_waves(const struct waves_view *view, struct sheet *sheet)
{
    long shown = view->waves > 9 ? 7 : view->waves;
    for (long wave = 0; wave < shown - 1; wave++)
        add_wave(sheet, view, wave);
    draw_more(sheet, view->waves - shown, "full wave", "full waves");
    add_wave(sheet, view, view->waves - 1);
    int cells = draw_width(sheet) - 31;
    sheet_add(sheet, ROLE_DIM, "           %s a block runs  %s an empty slot%s",
              glyph(sheet->utf8, GLYPH_FULL), glyph(sheet->utf8, GLYPH_EMPTY),
              view->slots <= cells ? "" : ", scaled");
    sheet_end(sheet);
}

// ---- the words ------------------------------------------------------------------------------------------------

static void add_why(const struct waves_view *view, struct sheet *sheet)
{
    long full = view->waves * view->slots;
    if (view->tail == view->slots)
        draw_words(sheet, ROLE_GOOD, "The last wave is full as well: every slot works until the end.");
    else if (view->waves == 1)
        draw_words(
            sheet, ROLE_BAD,
            "There are fewer blocks than slots: %ld slots have nothing to do. Smaller blocks, and more of "
            "them, would fill the GPU.",
            view->slots - view->tail);
    else
        draw_words(sheet, view->busy < 0.9 ? ROLE_BAD : ROLE_NOTE,
                   "The last wave has %ld %s and takes as long as a full one. Up to %ld blocks would take no "
                   "longer; "
                   "with many waves the tail weighs less.",
                   view->tail, view->tail == 1 ? "block" : "blocks", full);
}

static void draw(const struct settings *settings, struct sheet *sheet)
{
    struct waves_view view = waves_compute(settings);
    draw_waves(&view, sheet);
    sheet_gap(sheet);
    draw_words(sheet, ROLE_TITLE, "%ld %s; the slots are busy %.0f%% of the time.", view.waves,
               view.waves == 1 ? "wave" : "waves", 100 * view.busy);
    draw_words(
        sheet, ROLE_TEXT,
        "%ld SMs with %ld %s each are %ld slots. Here every block takes equally long; real ones differ, "
        "and the edges blur.",
        view.sms, settings->number[PER_SM], settings->number[PER_SM] == 1 ? "block" : "blocks", view.slots);
    add_why(&view, sheet);
}

extern const struct explorer explore_waves;
const struct explorer explore_waves = {
    .name = "waves",
    .title = "Blocks over the SMs of a GPU: each row is as long as one block takes",
    .help = "How many waves the blocks of a grid take over the SMs, and what the last one wastes.",
    .knobs = { { .name = "gpu",
                 .help = "whose SMs; tiny is made up, with 4 of them",
                 .words = gpus,
                 .also = names },
               { .name = "blocks", .help = "blocks of the grid", .least = 1, .most = 1000000, .start = 18 },
               { .name = "per-sm",
                 .help = "blocks that an SM runs at a time, as explore occupancy says",
                 .least = 1,
                 .most = 32,
                 .start = 2 } },
    .draw = draw,
};
