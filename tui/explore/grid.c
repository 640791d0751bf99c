// A grid of blocks of threads, and one thread of it: its place in the block, its warp and lane, and the element
// that it works on. Threads past the last element have nothing to do.
#include "tui/explore/explore.h"

#include <string.h>

enum { GRID_X, GRID_Y, GRID_Z, BLOCK_X, BLOCK_Y, BLOCK_Z, THREAD, ELEMENTS, BLOCK_MOST = 1024 };

static void take_apart(long number, const long size[3], long out[3])
{
    out[0] = number % size[0];
    out[1] = number / size[0] % size[1];
    out[2] = number / size[0] / size[1];
}

// The element of the thread with this number in this block.
static long grid_element(const struct grid_view *view, long block, long thread)
{
    long b[3], t[3], at[3];
    take_apart(block, view->grid, b);
    take_apart(thread, view->block, t);
    for (int d = 0; d < 3; d++)
        at[d] = b[d] * view->block[d] + t[d];
    return (at[2] * view->grid[1] * view->block[1] + at[1]) * view->grid[0] * view->block[0] + at[0];
}

struct grid_view grid_compute(const struct settings *settings)
{
    struct grid_view view = { .n = settings->number[ELEMENTS], .blocks = 1, .threads = 1 };
    for (int d = 0; d < 3; d++) {
        view.grid[d] = settings->number[GRID_X + d];
        view.block[d] = settings->number[BLOCK_X + d];
        view.blocks *= view.grid[d];
        view.threads *= view.block[d];
    }
    view.too_many = view.threads > BLOCK_MOST;
    view.total = view.blocks * view.threads;
    view.thread = settings->number[THREAD] < view.total ? settings->number[THREAD] : view.total - 1;
    view.clamped = view.thread != settings->number[THREAD];
    view.at_block = view.thread / view.threads;
    view.at_thread = view.thread % view.threads;
    take_apart(view.at_block, view.grid, view.block_index);
    take_apart(view.at_thread, view.block, view.thread_index);
    for (int d = 0; d < 3; d++)
        view.global[d] = view.block_index[d] * view.block[d] + view.thread_index[d];
    view.element = grid_element(&view, view.at_block, view.at_thread);
    view.warps = (view.threads + WARP_LANES - 1) / WARP_LANES;
    view.warp = view.at_thread / WARP_LANES;
    view.lane = view.at_thread % WARP_LANES;
    view.idle = view.total > view.n ? view.total - view.n : 0;
    return view;
}

// ---- the picture ------------------------------------------------------------------------------------------

// The first of `shown` of `count` things, so that number `at` is in the middle where it can be.
static long window(long at, long count, long shown)
{
    long from = at - shown / 2;
    from = from > count - shown ? count - shown : from;
    return from > 0 ? from : 0;
}

static enum glyph block_sign(const struct grid_view *view, long block)
{
    long busy = 0;
    for (long thread = 0; thread < view->threads; thread++)
        busy += grid_element(view, block, thread) < view->n;
    return busy == view->threads ? GLYPH_FULL : busy ? GLYPH_PART : GLYPH_EMPTY;
}

static void draw_blocks(const struct grid_view *view, struct sheet *sheet)
{
    long room = (draw_width(sheet) - 14) / 3, shown = room < 1 ? 1 : room;
    long from = window(view->at_block, view->blocks, shown);
    sheet_add(sheet, ROLE_TEXT, " blocks    %s", from ? glyph(sheet->utf8, GLYPH_ELLIPSIS) : " ");
    for (long block = from; block < from + shown && block < view->blocks; block++) {
        bool here = block == view->at_block;
        sheet_add(sheet, ROLE_TITLE, here ? "[" : " ");
        enum glyph sign = block_sign(view, block);
        sheet_add(sheet,
                  sign == GLYPH_EMPTY ? ROLE_DIM
                  : here              ? ROLE_TITLE
                                      : ROLE_GPU,
                  "%s", glyph(sheet->utf8, sign));
        sheet_add(sheet, ROLE_TITLE, here ? "]" : " ");
    }
    if (from + shown < view->blocks)
        sheet_add(sheet, ROLE_TEXT, "%s", glyph(sheet->utf8, GLYPH_ELLIPSIS));
    sheet_end(sheet);
}

static void add_warp(struct sheet *sheet, const struct grid_view *view, long warp)
{
    long at[3];
    sheet_add(sheet, ROLE_TEXT, " warp %-4ld ", warp);
    for (long thread = warp * WARP_LANES; thread < (warp + 1) * WARP_LANES; thread++) {
        bool works = thread < view->threads && grid_element(view, view->at_block, thread) < view->n;
        if (thread >= view->threads)
            sheet_add(sheet, ROLE_DIM, " ");
        else if (thread == view->at_thread)
            sheet_add(sheet, ROLE_TITLE, "%s", sheet->utf8 ? "◆" : "@");
        else
            sheet_add(sheet, works ? ROLE_GPU : ROLE_DIM, "%s",
                      glyph(sheet->utf8, works ? GLYPH_FULL : GLYPH_EMPTY));
    }
    take_apart(warp * WARP_LANES, view->block, at);
    if (view->block[1] > 1 || view->block[2] > 1)
        sheet_add(sheet, ROLE_DIM, "  from (%ld, %ld, %ld)", at[0], at[1], at[2]);
    else
        sheet_add(sheet, ROLE_DIM, "  from %ld", at[0]);
    sheet_end(sheet);
}

static void draw_warps(const struct grid_view *view, struct sheet *sheet)
{
    enum { SHOWN = 4 };
    long from = window(view->warp, view->warps, SHOWN);
    draw_ruler(sheet, 11, 1);
    for (long warp = from; warp < from + SHOWN && warp < view->warps; warp++)
        add_warp(sheet, view, warp);
    sheet_add(sheet, ROLE_DIM, " %ld %s a block   %s your thread  %s works  %s nothing to do", view->warps,
              view->warps == 1 ? "warp" : "warps", sheet->utf8 ? "◆" : "@", glyph(sheet->utf8, GLYPH_FULL),
              glyph(sheet->utf8, GLYPH_EMPTY));
    sheet_end(sheet);
}

// ---- the sentences below the picture ----------------------------------------------------------------------

static void add_place(const struct grid_view *view, struct sheet *sheet)
{
    if (view->clamped)
        draw_words(sheet, ROLE_NOTE, "There are %ld threads, so this is the last one.", view->total);
    sheet_hang(sheet, 1);
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet_flow(sheet, ROLE_TITLE, "blockIdx (%ld, %ld, %ld)  threadIdx (%ld, %ld, %ld)", view->block_index[0],
               view->block_index[1], view->block_index[2], view->thread_index[0], view->thread_index[1],
               view->thread_index[2]);
    sheet_end(sheet);
    draw_words(sheet, ROLE_TEXT, "Thread %ld of its block: warp %ld / 32 = %ld, lane %ld %% 32 = %ld.",
               view->at_thread, view->at_thread, view->warp, view->at_thread, view->lane);
}

static void add_index(const struct grid_view *view, struct sheet *sheet)
{
    static const char *const axis[] = { "x", "y", "z" };
    long width = view->grid[0] * view->block[0], height = view->grid[1] * view->block[1];
    int dimensions = view->grid[2] * view->block[2] > 1 ? 3 : height > 1 ? 2 : 1;
    for (int d = 0; d < dimensions; d++)
        draw_words(sheet, ROLE_CODE, "%s = blockIdx.%s * blockDim.%s + threadIdx.%s = %ld * %ld + %ld = %ld",
                   dimensions == 1 ? "i" : axis[d], axis[d], axis[d], axis[d], view->block_index[d],
                   view->block[d], view->thread_index[d], view->global[d]);
    if (dimensions == 2)
        draw_words(sheet, ROLE_CODE, "i = y * %ld + x = %ld", width, view->element);
    if (dimensions == 3)
        draw_words(sheet, ROLE_CODE, "i = (z * %ld + y) * %ld + x = %ld", height, width, view->element);
}

static void add_check(const struct grid_view *view, struct sheet *sheet)
{
    bool works = view->element < view->n;
    draw_words(sheet, works ? ROLE_GOOD : ROLE_BAD,
               works ? "if (i < n): %ld < %ld holds, so this thread works."
                     : "if (i < n): %ld < %ld does not hold, so this thread must not touch element i.",
               view->element, view->n);
    if (view->total < view->n)
        draw_words(sheet, ROLE_BAD,
                   "%ld threads are fewer than n = %ld elements: the last %ld get no thread.", view->total,
                   view->n, view->n - view->total);
    else if (view->idle)
        draw_words(sheet, ROLE_NOTE, "%ld threads for n = %ld elements: %ld %s nothing to do.", view->total,
                   view->n, view->idle, view->idle == 1 ? "has" : "have");
    else
        draw_words(sheet, ROLE_GOOD, "%ld threads for n = %ld elements: every thread has one.", view->total,
                   view->n);
}

static void draw(const struct settings *settings, struct sheet *sheet)
{
    struct grid_view view = grid_compute(settings);
    if (view.too_many) {
        draw_words(sheet, ROLE_BAD,
                   "A block has at most %d threads; this one would have %ld * %ld * %ld = %ld.", BLOCK_MOST,
                   view.block[0], view.block[1], view.block[2], view.threads);
        return;
    }
    draw_blocks(&view, sheet);
    draw_warps(&view, sheet);
    sheet_gap(sheet);
    add_place(&view, sheet);
    add_index(&view, sheet);
    add_check(&view, sheet);
}

enum { GRID_MOST = 65535 };
static json_t *values(const struct settings *settings)
{
    struct grid_view view = grid_compute(settings);
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "blocks", (json_int_t)view.blocks, "threads",
                     (json_int_t)view.total, "idle", (json_int_t)view.idle, "warps", (json_int_t)view.warps,
                     "warp", (json_int_t)view.warp, "lane", (json_int_t)view.lane, "element",
                     (json_int_t)view.element);
}

const struct explorer explore_grid = {
    .name = "grid",
    .title = "One thread in a grid of blocks: where it stands, and which element is its own",
    .help = "From blockIdx and threadIdx to warp, lane and global index, with the check against n.",
    .knobs = { { .name = "grid.x", .help = "blocks along x", .least = 1, .most = GRID_MOST, .start = 4 },
               { .name = "grid.y", .help = "blocks along y", .least = 1, .most = GRID_MOST, .start = 1 },
               { .name = "grid.z", .help = "blocks along z", .least = 1, .most = GRID_MOST, .start = 1 },
               { .name = "block.x",
                 .help = "threads of a block along x",
                 .least = 1,
                 .most = 1024,
                 .start = 64 },
               { .name = "block.y",
                 .help = "threads of a block along y",
                 .least = 1,
                 .most = 1024,
                 .start = 1 },
               { .name = "block.z",
                 .help = "threads of a block along z",
                 .least = 1,
                 .most = 64,
                 .start = 1 },
               { .name = "thread",
                 .help = "the thread that is looked at, counted through all blocks",
                 .most = 1000000000,
                 .start = 101 },
               { .name = "n", .help = "elements to work on", .least = 1, .most = 1000000000, .start = 200 } },
    .draw = draw,
    .values = values,
};
