// Blocks on SMs: how many fit on one (occupancy), and how those of a grid go over all of them (waves). Threads,
// blocks, registers and shared memory are handed out to whole blocks, and the scarcest decides; each is also asked
// alone, by lifting the other limits.
#include "tui/explore/explore.h"

#include <limits.h>

enum { GPU, BLOCK, REGISTERS, SHARED };

// The first GPU of an architecture is also found by the architecture's name.
static const char *const gpus[] = { "t4",   "a100", "rtx3090", "orin", "sm_88",   "rtx4090", "l4",
                                    "h100", "b200", "b300",    "thor", "rtx5090", "gb10",    NULL };
static const char *const names[] = { "sm_75", "sm_80",  "sm_86",  "sm_87",  "",       "sm_89", "",
                                     "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121" };
static const int targets[] = { 75, 80, 86, 87, 88, 89, 89, 90, 100, 103, 110, 120, 121 };

struct occupancy_view occupancy_compute(const struct settings *settings)
{
    const long *number = settings->number;
    struct occupancy_view view = { .arch = occupancy_arch(targets[number[GPU]]),
                                   .block = (int)number[BLOCK],
                                   .registers = (int)number[REGISTERS],
                                   .shared = (int)number[SHARED] };
    enum { PLENTY = 1 << 24 };
    struct arch one = *view.arch;
    view.warps_full = one.max_threads / WARP_LANES;
    view.now = occupancy_of(view.arch, view.block, view.registers, view.shared);
    one.max_blocks = PLENTY;
    view.by[LIMIT_THREADS] = occupancy_of(&one, view.block, -1, 0).blocks;
    view.by[LIMIT_BLOCKS] = view.arch->max_blocks;
    one.max_threads = PLENTY;
    view.by[LIMIT_REGISTERS] = occupancy_of(&one, view.block, view.registers, 0).blocks;
    view.by[LIMIT_SHARED] = occupancy_of(&one, view.block, -1, view.shared).blocks;
    return view;
}

// ---- the picture ------------------------------------------------------------------------------------------

static void repeat(struct sheet *sheet, enum role role, enum glyph which, int times)
{
    struct text text = { 0 };
    for (int i = 0; i < times; i++)
        text_add(&text, glyph(sheet->utf8, which));
    sheet_add_n(sheet, role, text_string(&text), text.length);
    text_free(&text);
}

// Draws the places for warps on an SM; a taken place has the letter of its block.
static void draw_room(const struct occupancy_view *view, struct sheet *sheet)
{
    int per_block = (view->block + WARP_LANES - 1) / WARP_LANES;
    if (drawn_flat) // the sentences say it
        return;
    sheet_add(sheet, ROLE_TEXT, " SM ");
    for (int warp = 0; warp < view->warps_full; warp++) {
        if (sheet->used >= sheet->width && sheet->width > 8) {
            sheet_end(sheet);
            sheet_add(sheet, ROLE_TEXT, "    ");
        }
        int block = warp / per_block;
        if (warp < view->now.warps)
            sheet_add(sheet, block % 2 ? ROLE_SIM : ROLE_GPU, "%c", 'A' + block % 26);
        else
            sheet_add(sheet, ROLE_DIM, "%s", glyph(sheet->utf8, GLYPH_EMPTY));
    }
    sheet_end(sheet);
}

static void draw_limits(const struct occupancy_view *view, struct sheet *sheet)
{
    static const enum limiter order[] = { LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED };
    sheet_hang(sheet, 1);
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet_flow(sheet, ROLE_TEXT, "Blocks that fit:");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        int blocks = view->by[order[i]];
        bool decides = view->now.limiter == order[i];
        if (blocks < 1 << 20)
            sheet_flow(sheet, decides ? ROLE_BAD : ROLE_TEXT, " %d by %s%s", blocks,
                       occupancy_limiter_name(order[i]), decides ? " (decides)" : "");
        else
            sheet_flow(sheet, ROLE_DIM, " any by %s", occupancy_limiter_name(order[i]));
        sheet_flow(sheet, ROLE_TEXT, "%s", i < 3 ? "," : ".");
    }
    sheet_end(sheet);
}

// ---- occupancy over block sizes ---------------------------------------------------------------------------

enum { ROWS = 5, SIZES = 1024 / WARP_LANES };

static double percent_at(const struct occupancy_view *view, int column)
{
    return occupancy_of(view->arch, (column + 1) * WARP_LANES, view->registers, view->shared).percent;
}

static void add_level(struct sheet *sheet, const struct occupancy_view *view, int row, int cells)
{
    double from = 100.0 * (ROWS - 1 - row) / ROWS;
    sheet_add(sheet, ROLE_DIM, "%4.0f%% ", 100.0 * (ROWS - row) / ROWS);
    for (int column = 0; column < SIZES; column++) {
        bool now = column == (view->block - 1) / WARP_LANES;
        double percent = percent_at(view, column);
        bool full = percent > from + 100.0 / ROWS / 2;
        if (full)
            repeat(sheet, now ? ROLE_TITLE : ROLE_GPU, GLYPH_FULL, cells - (cells > 1));
        else
            sheet_add(sheet, ROLE_DIM, "%*s", cells - (cells > 1), "");
        sheet_add(sheet, ROLE_TEXT, "%*s", cells > 1, "");
    }
    sheet_end(sheet);
}

static void say_sizes(const struct occupancy_view *view, struct sheet *sheet)
{
    enum { EVERY = 4 };
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet_hang(sheet, 1);
    sheet_flow(sheet, ROLE_TEXT, "Occupancy by the size of the block:");
    for (int column = EVERY - 1; column < SIZES; column += EVERY)
        sheet_flow(sheet, ROLE_TEXT, " %d: %.0f%%%s", (column + 1) * WARP_LANES, percent_at(view, column),
                   column + EVERY < SIZES ? "," : ".");
    sheet_end(sheet);
}

static void draw_sizes(const struct occupancy_view *view, struct sheet *sheet)
{
    if (drawn_flat) {
        say_sizes(view, sheet);
        return;
    }
    int cells = (sheet->width - 8) / SIZES;
    cells = cells < 1 ? 1 : cells > 4 ? 4 : cells;
    for (int row = 0; row < ROWS; row++)
        add_level(sheet, view, row, cells);
    sheet_add(sheet, ROLE_DIM, "block");
    for (int column = 3; column < SIZES; column += 4) {
        if (cells == 1 && column % 8 != 7)
            continue;
        sheet_to(sheet, 6 + column * cells);
        sheet_add(sheet, ROLE_DIM, "%d", (column + 1) * WARP_LANES);
    }
    sheet_end(sheet);
    int column = 6 + (view->block - 1) / WARP_LANES * cells;
    if (view->block > 512)
        sheet_to(sheet, column - 4 - (view->block > 999));
    else
        sheet_to(sheet, column);
    const char *arrow = glyph(sheet->utf8, GLYPH_MORE_UP);
    if (view->block > 512)
        sheet_add(sheet, ROLE_TITLE, "%d %s", view->block, arrow);
    else
        sheet_add(sheet, ROLE_TITLE, "%s %d", arrow, view->block);
    sheet_end(sheet);
}

// ---- the sentences below the picture ----------------------------------------------------------------------

static void add_why(const struct occupancy_view *view, struct sheet *sheet)
{
    if (!view->now.blocks)
        draw_words(sheet, ROLE_BAD, "This kernel cannot start: one block alone wants more %s than an SM has.",
                   occupancy_limiter_name(view->now.limiter));
    else if (view->now.limiter == LIMIT_NONE)
        draw_words(sheet, ROLE_GOOD, "The SM is full: no more warps could wait for their turn.");
    else
        draw_words(sheet, ROLE_NOTE,
                   "%s lets no more blocks in. More warps would give the SM more to do while some wait; only "
                   "a measurement says whether that is faster.",
                   view->now.limiter == LIMIT_SHARED      ? "Shared memory"
                   : view->now.limiter == LIMIT_REGISTERS ? "The number of registers"
                   : view->now.limiter == LIMIT_BLOCKS    ? "The room for blocks"
                                                          : "The room for threads");
}

static void draw(const struct settings *settings, struct sheet *sheet)
{
    struct occupancy_view view = occupancy_compute(settings);
    draw_room(&view, sheet);
    draw_limits(&view, sheet);
    sheet_gap(sheet);
    draw_sizes(&view, sheet);
    sheet_gap(sheet);
    draw_words(sheet, ROLE_TITLE, "%d %s per SM: %d of %d warps, an occupancy of %.0f%%.", view.now.blocks,
               view.now.blocks == 1 ? "block" : "blocks", view.now.warps, view.warps_full, view.now.percent);
    add_why(&view, sheet);
}

static json_t *occupancy_values(const struct settings *settings)
{
    struct occupancy_view view = occupancy_compute(settings);
    return json_pack("{s:i,s:i,s:f,s:i,s:i,s:i,s:i}", "blocks", view.now.blocks, "warps", view.now.warps,
                     "percent", view.now.percent, "sm_threads", view.arch->max_threads, "sm_blocks",
                     view.arch->max_blocks, "sm_registers", view.arch->registers, "sm_shared",
                     view.arch->shared_sm);
}

const struct explorer explore_occupancy = {
    .name = "occupancy",
    .title = "What one SM holds at a time: a letter is a warp of that block",
    .help = "How many blocks fit on an SM, and what keeps more of them out.",
    .knobs = { { .name = "gpu",
                 .help = "whose SM; sm_80, sm_90 and so on are taken too",
                 .words = gpus,
                 .also = names,
                 .start = 7 },
               { .name = "block",
                 .help = "threads of a block",
                 .least = 1,
                 .most = 1024,
                 .start = 256,
                 .step = 32 },
               { .name = "registers", .help = "of a thread", .least = 1, .most = 255, .start = 40 },
               { .name = "shared",
                 .help = "bytes of shared memory of a block",
                 .most = 262144,
                 .step = 1024 } },
    .draw = draw,
    .values = occupancy_values,
};

// ---- waves: blocks over the SMs of a GPU ------------------------------------------------------------------

// As many blocks run at a time as there are slots; the next one starts when a slot is free. If all take equally long,
// they go in waves, and the last wave leaves slots empty.

enum { WAVES_GPU, BLOCKS, PER_SM };

// The first GPU is made up: it has so few slots that each can be drawn.
static const char *const waves_gpus[] = { "tiny",    "t4",   "l4",   "v100",    "a100",
                                          "rtx4090", "h100", "b200", "rtx5090", NULL };
static const char *const waves_names[] = { "",      "sm_75", "",       "sm_70", "sm_80",
                                           "sm_89", "sm_90", "sm_100", "sm_120" };
static const long waves_sms[] = { 4, 40, 58, 80, 108, 128, 132, 148, 170 };

struct waves_view waves_compute(const struct settings *settings)
{
    struct waves_view view = { .gpu = waves_gpus[settings->number[WAVES_GPU]],
                               .sms = waves_sms[settings->number[WAVES_GPU]],
                               .blocks = settings->number[BLOCKS] };
    view.slots = view.sms * settings->number[PER_SM];
    view.waves = (view.blocks + view.slots - 1) / view.slots;
    view.tail = view.blocks - (view.waves - 1) * view.slots;
    view.busy = (double)view.blocks / (double)(view.waves * view.slots);
    return view;
}

// ---- waves: the picture -----------------------------------------------------------------------------------

// Few slots are drawn one by one, many as a bar.
static void add_slots(struct sheet *sheet, long busy, long slots, int cells)
{
    struct text bar = { 0 };
    if (slots <= cells) {
        repeat(sheet, ROLE_GPU, GLYPH_FULL, (int)busy);
        repeat(sheet, ROLE_BAD, GLYPH_EMPTY, (int)(slots - busy));
        return;
    }
    bar_text(&bar, sheet->utf8, (double)busy / (double)slots, cells);
    sheet_add_n(sheet, ROLE_GPU, text_string(&bar), bar.length);
    repeat(sheet, ROLE_BAD, GLYPH_EMPTY, cells - text_cells(text_string(&bar)));
    text_free(&bar);
}

static void add_wave(struct sheet *sheet, const struct waves_view *view, long wave)
{
    long busy = wave + 1 < view->waves ? view->slots : view->tail;
    int cells = draw_width(sheet) - 11 - 20;
    char label[32];
    format_into(label, sizeof label, "wave %ld", wave + 1);
    sheet_add(sheet, ROLE_TEXT, " %-10s", label);
    if (cells >= 8 && !drawn_flat)
        add_slots(sheet, busy, view->slots, cells);
    sheet_add(sheet, ROLE_TEXT, "  %ld of %ld", busy, view->slots);
    sheet_end(sheet);
}

static void add_waves(const struct waves_view *view, struct sheet *sheet)
{
    long shown = view->waves > 9 ? 7 : view->waves;
    for (long wave = 0; wave < shown - 1; wave++)
        add_wave(sheet, view, wave);
    draw_more(sheet, view->waves - shown, "full wave", "full waves");
    add_wave(sheet, view, view->waves - 1);
    int cells = draw_width(sheet) - 31;
    if (drawn_flat)
        return;
    sheet_add(sheet, ROLE_DIM, "           %s a block runs  %s an empty slot%s",
              glyph(sheet->utf8, GLYPH_FULL), glyph(sheet->utf8, GLYPH_EMPTY),
              view->slots <= cells ? "" : ", scaled");
    sheet_end(sheet);
}

// ---- waves: the words -------------------------------------------------------------------------------------

static void add_waves_why(const struct waves_view *view, struct sheet *sheet)
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

static void draw_waves(const struct settings *settings, struct sheet *sheet)
{
    struct waves_view view = waves_compute(settings);
    add_waves(&view, sheet);
    sheet_gap(sheet);
    draw_words(sheet, ROLE_TITLE, "%ld %s; the slots are busy %.0f%% of the time.", view.waves,
               view.waves == 1 ? "wave" : "waves", 100 * view.busy);
    draw_words(
        sheet, ROLE_TEXT,
        "%ld SMs with %ld %s each are %ld slots. Here every block takes equally long; real ones differ, "
        "and the edges blur.",
        view.sms, settings->number[PER_SM], settings->number[PER_SM] == 1 ? "block" : "blocks", view.slots);
    add_waves_why(&view, sheet);
}

static json_t *waves_values(const struct settings *settings)
{
    struct waves_view view = waves_compute(settings);
    return json_pack("{s:I,s:I,s:I,s:I,s:f}", "sms", (json_int_t)view.sms, "slots", (json_int_t)view.slots,
                     "waves", (json_int_t)view.waves, "tail", (json_int_t)view.tail, "busy", view.busy);
}

const struct explorer explore_waves = {
    .name = "waves",
    .title = "Blocks over the SMs of a GPU: each row is as long as one block takes",
    .help = "How many waves the blocks of a grid take over the SMs, and what the last one wastes.",
    .knobs = { { .name = "gpu",
                 .help = "whose SMs; tiny is made up, with 4 of them",
                 .words = waves_gpus,
                 .also = waves_names },
               { .name = "blocks", .help = "blocks of the grid", .least = 1, .most = 1000000, .start = 18 },
               { .name = "per-sm",
                 .help = "blocks that an SM runs at a time, as explore occupancy says",
                 .least = 1,
                 .most = 32,
                 .start = 2 } },
    .draw = draw_waves,
    .values = waves_values,
};
