// One load of a warp from global memory: which lines of 128 bytes and which sectors of 32 bytes it touches. Memory
// gives whole sectors, so what counts is how much of them the lanes use.
#include "tui/explore/explore.h"

#include <stdlib.h>
#include <string.h>

#include "engine/sim/sim.h"
#include "kernels/variant.h"

enum { LINE = 128, SECTOR = 32, SECTORS = LINE / SECTOR, RECORDS = 1024 };
enum { PATTERN, STRIDE, FIELDS, OFFSET, BYTES };
enum { BY_STRIDE, OF_STRUCTURES, OF_ARRAYS, REVERSED, AT_RANDOM, ALL_SAME };

static long element(const struct settings *settings, int lane)
{
    switch (settings->number[PATTERN]) {
    case OF_STRUCTURES:
        return lane * settings->number[FIELDS];
    case OF_ARRAYS:
        return lane;
    case REVERSED:
        return WARP_LANES - 1 - lane;
    case AT_RANDOM:
        return expr_hash((uint32_t)lane) % RECORDS;
    case ALL_SAME:
        return 0;
    default:
        return lane * settings->number[STRIDE];
    }
}

static struct coalescing_line *line_of(struct coalescing_view *view, uint64_t at)
{
    for (size_t i = 0; i < view->line_count; i++)
        if (view->line[i].at == at)
            return &view->line[i];
    struct coalescing_line *line = &view->line[view->line_count++];
    *line = (struct coalescing_line){ .at = at };
    return line;
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const struct coalescing_line *)a)->at, y = ((const struct coalescing_line *)b)->at;
    return (x > y) - (x < y);
}

static void touch(struct coalescing_view *view, int lane)
{
    for (unsigned b = 0; b < view->bytes; b++) {
        uint64_t at = view->address[lane] + b;
        unsigned in = (unsigned)(at % LINE);
        struct coalescing_line *line = line_of(view, at - in);
        line->used[in / 64] |= 1ull << in % 64;
        line->sectors |= 1u << in / SECTOR;
        line->lanes |= 1u << lane;
    }
}

struct coalescing_view coalescing_compute(const struct settings *settings)
{
    struct coalescing_view view = { .bytes = (unsigned)settings->number[BYTES] };
    for (int lane = 0; lane < WARP_LANES; lane++) {
        view.address[lane] = (uint64_t)(element(settings, lane) + settings->number[OFFSET]) * view.bytes;
        touch(&view, lane);
    }
    qsort(view.line, view.line_count, sizeof *view.line, by_address);
    for (size_t i = 0; i < view.line_count; i++)
        view.used += (unsigned)(__builtin_popcountll(view.line[i].used[0]) +
                                __builtin_popcountll(view.line[i].used[1]));
    view.sectors = sim_sectors(view.address, ALL_LANES, view.bytes);
    view.ideal = sim_sectors_ideal(view.address, ALL_LANES, view.bytes);
    view.fetched = view.sectors * SECTOR;
    return view;
}

// ---- the picture ------------------------------------------------------------------------------------------

static unsigned used_bytes(const struct coalescing_line *line, unsigned from, unsigned count)
{
    unsigned used = 0;
    for (unsigned b = from; b < from + count; b++)
        used += line->used[b / 64] >> b % 64 & 1;
    return used;
}

// `step` bytes a cell: used, used in part, fetched in vain, not fetched.
static void add_line(struct sheet *sheet, const struct coalescing_line *line, unsigned step)
{
    struct text lanes = { 0 };
    const char *edge = glyph(sheet->utf8, GLYPH_VERTICAL);
    sheet_add(sheet, ROLE_TEXT, "%6llu ", (unsigned long long)line->at);
    for (unsigned sector = 0; sector < SECTORS; sector++) {
        bool fetched = line->sectors >> sector & 1;
        sheet_add(sheet, ROLE_FRAME, "%s", edge);
        for (unsigned b = sector * SECTOR; b < (sector + 1) * SECTOR; b += step) {
            unsigned used = used_bytes(line, b, step);
            enum glyph sign = used == step ? GLYPH_FULL : used ? GLYPH_PART : GLYPH_EMPTY;
            if (fetched)
                sheet_add(sheet, used ? ROLE_GOOD : ROLE_BAD, "%s", glyph(sheet->utf8, sign));
            else
                sheet_add(sheet, ROLE_DIM, " ");
        }
    }
    sheet_add(sheet, ROLE_FRAME, "%s", edge);
    draw_lanes(&lanes, line->lanes);
    if (sheet->width - sheet->used > 12) {
        size_t fits = text_fit(text_string(&lanes), sheet->width - sheet->used - 2);
        sheet_add(sheet, ROLE_TEXT, " ");
        sheet_add_n(sheet, ROLE_TEXT, text_string(&lanes), fits);
        sheet_add(sheet, ROLE_DIM, "%s", fits < lanes.length ? glyph(sheet->utf8, GLYPH_ELLIPSIS) : "");
    }
    text_free(&lanes);
    sheet_end(sheet);
}

static unsigned bytes_per_cell(int width)
{
    unsigned step = 2;
    while (step < 16 && (int)(LINE / step) + 12 + (step == 2 ? 20 : 0) > width)
        step *= 2;
    return step;
}

static void draw_lines(const struct coalescing_view *view, struct sheet *sheet)
{
    unsigned step = bytes_per_cell(sheet->width);
    size_t shown = view->line_count > 8 ? 7 : view->line_count;
    sheet_add(sheet, ROLE_DIM, "  byte  ");
    for (unsigned sector = 0; sector < SECTORS; sector++)
        sheet_add(sheet, ROLE_DIM, "%-*s", (int)(SECTOR / step + 1), step > 4 ? "" : "sector");
    sheet_end(sheet);
    for (size_t i = 0; i < shown; i++)
        add_line(sheet, &view->line[i], step);
    draw_more(sheet, (long)(view->line_count - shown), "line of 128 bytes", "lines of 128 bytes");
    draw_words(sheet, ROLE_DIM, "%s used, %s fetched, not used, %s in part; %u bytes a sign",
               glyph(sheet->utf8, GLYPH_FULL), glyph(sheet->utf8, GLYPH_EMPTY),
               glyph(sheet->utf8, GLYPH_PART), step);
}

// ---- the sentences below the picture ----------------------------------------------------------------------

static void add_index(const struct settings *settings, struct text *out)
{
    const long *number = settings->number;
    switch (number[PATTERN]) {
    case OF_STRUCTURES:
        text_addf(out, "field %ld of record lane; a record has %ld fields", number[OFFSET] % number[FIELDS],
                  number[FIELDS]);
        break;
    case OF_ARRAYS:
        text_add(out, "x[");
        draw_affine(out, 1, number[OFFSET]);
        text_add(out, "]: each field has an array of its own");
        break;
    case REVERSED:
        text_addf(out, "x[31 - lane + %ld]", number[OFFSET]);
        break;
    case AT_RANDOM:
        text_addf(out, "an element of %d, at random", RECORDS);
        break;
    case ALL_SAME:
        text_addf(out, "x[%ld]", number[OFFSET]);
        break;
    default:
        text_add(out, "x[");
        draw_affine(out, number[STRIDE], number[OFFSET]);
        text_add(out, "]");
    }
}

static void add_why(const struct coalescing_view *view, struct sheet *sheet)
{
    if (view->sectors <= view->ideal)
        draw_words(sheet, ROLE_GOOD,
                   "As few sectors as these lanes can need: neighbours share them, and none is wasted.");
    else if (view->sectors == view->ideal + 1)
        draw_words(sheet, ROLE_NOTE,
                   "The bytes lie together but start within a sector, so they reach into one sector more.");
    else if (view->sectors >= WARP_LANES)
        draw_words(
            sheet, ROLE_BAD,
            "Every lane has a sector of its own: memory brings 32 bytes for each, and %u of them are used.",
            view->bytes);
    else
        draw_words(
            sheet, ROLE_BAD,
            "The lanes lie apart: between the bytes that they use, their sectors hold bytes that nobody "
            "asked for, and memory brings whole sectors.");
}

static void draw(const struct settings *settings, struct sheet *sheet)
{
    struct coalescing_view view = coalescing_compute(settings);
    struct text index = { 0 };
    draw_lines(&view, sheet);
    sheet_gap(sheet);
    add_index(settings, &index);
    draw_words(sheet, ROLE_TITLE, "1 request, %u %s, %u would be ideal; %u of %u bytes are used: %.3g%%.",
               view.sectors, view.sectors == 1 ? "sector" : "sectors", view.ideal, view.used, view.fetched,
               100.0 * view.used / view.fetched);
    draw_words(sheet, ROLE_TEXT, "Each lane reads %u %s, %s.", view.bytes, view.bytes == 1 ? "byte" : "bytes",
               text_string(&index));
    add_why(&view, sheet);
    text_free(&index);
}

static const long sizes[] = { 1, 2, 4, 8, 16, 0 };
static const char *const patterns[] = {
    "stride", "structures", "arrays", "reversed", "random", "same", NULL
};
static json_t *values(const struct settings *settings)
{
    struct coalescing_view view = coalescing_compute(settings);
    return json_pack("{s:i,s:i,s:i,s:i}", "sectors", (int)view.sectors, "ideal", (int)view.ideal, "used",
                     (int)view.used, "fetched", (int)view.fetched);
}

const struct explorer explore_coalescing = {
    .name = "coalescing",
    .title = "A warp's load from global memory: lines of 128 bytes, in sectors of 32",
    .help = "Which sectors of global memory a warp's load fetches, and how much of them it uses.",
    .knobs = { { .name = "pattern",
                 .help = "how lanes go over memory; structures: one field of each record",
                 .words = patterns },
               { .name = "stride",
                 .help = "elements from one lane to the next, for pattern stride",
                 .only = 1u << BY_STRIDE,
                 .most = 64,
                 .start = 2 },
               { .name = "fields",
                 .help = "elements in a record, for pattern structures",
                 .only = 1u << OF_STRUCTURES,
                 .least = 1,
                 .most = 32,
                 .start = 4 },
               { .name = "offset", .help = "elements before the first one", .most = 64 },
               { .name = "bytes", .help = "size of an element", .start = 4, .list = sizes } },
    .draw = draw,
    .values = values,
};
