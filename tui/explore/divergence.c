// One `if` in a warp. The lanes of a warp share one instruction at a time, so both sides that have lanes are issued,
// one after the other, and lanes that are not on a side wait.
#include "tui/explore/explore.h"

#include <string.h>

#include "kernels/variant.h"

enum { CONDITION, BLOCK, THEN, ELSE };

static bool lane_takes(const struct expr *expr, int thread, int threads, bool *takes, struct error *error)
{
    const struct expr_binding bindings[] = {
        { "i", { .i = thread } },
        { "tid", { .i = thread } },
        { "lane", { .i = thread % WARP_LANES } },
        { "warp", { .i = thread / WARP_LANES } },
        { "blockDim", { .i = threads } },
    };
    struct expr_scope scope = { bindings, sizeof bindings / sizeof *bindings };
    struct expr_value value;
    if (!expr_eval(expr, &scope, &value, error))
        return false;
    *takes = value.real ? value.r != 0 : value.i != 0;
    return true;
}

// Times are counted in instructions. Returns the lanes' instructions that do work.
static long judge(struct divergence_warp *warp, long then_time, long else_time, long *time)
{
    uint32_t other = warp->exists & ~warp->then;
    long now = (warp->then ? then_time : 0) + (other ? else_time : 0);
    long work = __builtin_popcount(warp->then) * then_time + __builtin_popcount(other) * else_time;
    warp->passes = (warp->then && then_time) + (other && else_time);
    warp->share = now ? (double)work / (double)(WARP_LANES * now) : 0;
    *time += now;
    return work;
}

static bool fill(const struct expr *expr, struct divergence_view *out, struct error *error)
{
    for (int thread = 0; thread < out->threads; thread++) {
        bool takes;
        if (!lane_takes(expr, thread, out->threads, &takes, error))
            return false;
        out->warp[thread / WARP_LANES].exists |= 1u << thread % WARP_LANES;
        out->warp[thread / WARP_LANES].then |= (uint32_t)takes << thread % WARP_LANES;
    }
    return true;
}

bool divergence_compute(const struct settings *settings, struct divergence_view *out, struct error *error)
{
    const struct source source = { "if", settings->text[CONDITION] };
    const char *at = source.text;
    *out = (struct divergence_view){ .threads = (int)settings->number[BLOCK] };
    out->warps = (out->threads + WARP_LANES - 1) / WARP_LANES;
    struct expr *expr = expr_parse(&source, &at, NULL, error);
    bool right = expr && (*(at + strspn(at, " \t")) == 0 ||
                          error_at(error, &source, at, "The condition should end here."));
    right = right && fill(expr, out, error);
    expr_free(expr);
    long work = 0;
    for (int w = 0; right && w < out->warps; w++) {
        work += judge(&out->warp[w], settings->number[THEN], settings->number[ELSE], &out->time);
        out->split += out->warp[w].passes == 2;
    }
    out->best = (work + WARP_LANES - 1) / WARP_LANES;
    out->share = out->time ? (double)work / (double)(WARP_LANES * out->time) : 0;
    return right;
}

// ---- the picture ------------------------------------------------------------------------------------------

enum { SIDE_AT = 13 }; // the column after the warps

static int lane_cells(const struct sheet *sheet)
{
    return sheet->width >= 104 ? 2 : 1;
}

static void add_side(struct sheet *sheet, const char *label, const char *side, uint32_t mask, uint32_t exists,
                     enum role role)
{
    sheet_add(sheet, ROLE_TEXT, " %-12s", label);
    sheet_add(sheet, ROLE_TEXT, "%-5s", side);
    int cells = lane_cells(sheet);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        bool on = mask >> lane & 1, there = exists >> lane & 1;
        sheet_add(sheet, on ? role : ROLE_DIM, "%s%*s",
                  there ? glyph(sheet->utf8, on ? GLYPH_FULL : GLYPH_EMPTY) : " ", cells - 1, "");
    }
    sheet_add(sheet, ROLE_TEXT, "  %2d %s", __builtin_popcount(mask),
              __builtin_popcount(mask) == 1 ? "lane" : "lanes");
}

static void add_warps(struct sheet *sheet, const struct divergence_warp *warp, int from, int to)
{
    char label[32];
    uint32_t other = warp->exists & ~warp->then;
    if (to > from)
        format_into(label, sizeof label, "warps %d-%d", from, to);
    else
        format_into(label, sizeof label, "warp %d", from);
    if (warp->then)
        add_side(sheet, label, "then", warp->then, warp->exists, ROLE_GPU);
    if (warp->then && other) {
        sheet_end(sheet);
        label[0] = 0;
    }
    if (other)
        add_side(sheet, label, "else", other, warp->exists, ROLE_SIM);
    format_into(label, sizeof label, "  %d %s", warp->passes, warp->passes == 1 ? "pass" : "passes");
    if (sheet->used + text_cells(label) > sheet->width) {
        sheet_end(sheet);
        sheet_to(sheet, SIDE_AT - 2);
    }
    sheet_add(sheet, ROLE_DIM, "%s", label);
    sheet_end(sheet);
}

static bool same(const struct divergence_warp *a, const struct divergence_warp *b)
{
    return a->exists == b->exists && a->then == b->then;
}

// Warps that do the same share a row.
static void draw_warps(const struct divergence_view *view, struct sheet *sheet)
{
    int shown = 0, w = 0;
    draw_ruler(sheet, 18, lane_cells(sheet));
    while (w < view->warps && shown < 4) {
        int end = w + 1;
        while (end < view->warps && same(&view->warp[w], &view->warp[end]))
            end++;
        add_warps(sheet, &view->warp[w], w, end - 1);
        w = end;
        shown++;
    }
    draw_more(sheet, view->warps - w, "warp", "warps");
}

static void draw_result(const struct settings *settings, const struct divergence_view *view,
                        struct sheet *sheet)
{
    draw_warps(view, sheet);
    sheet_gap(sheet);
    draw_words(sheet, ROLE_TITLE, "Warps that split: %d of %d; %.0f%% of the lanes' time is work.",
               view->split, view->warps, 100 * view->share);
    draw_words(sheet, ROLE_TEXT, "The warps issue %ld instructions; with every lane at work it would be %ld.",
               view->time, view->best);
    if (view->split)
        draw_words(sheet, ROLE_BAD,
                   "A warp with lanes on both sides runs both, one after the other, and the lanes on the "
                   "other side wait. Nothing promises which side comes first.");
    else if (view->share < 0.999)
        draw_words(sheet, ROLE_NOTE,
                   "No warp takes both sides. What is lost is lanes that have nothing to do: they wait, or "
                   "do not exist.");
    else
        draw_words(sheet, ROLE_GOOD,
                   "In each warp all lanes agree, so each runs only one side, and no lane waits.");
}

static void draw(const struct settings *settings, struct sheet *sheet)
{
    struct divergence_view view;
    struct error error;
    if (divergence_compute(settings, &view, &error)) {
        draw_result(settings, &view, sheet);
        return;
    }
    sheet_lines(sheet, ROLE_BAD, 1, error.text);
    sheet_gap(sheet);
    draw_words(sheet, ROLE_DIM,
               "Names: i or tid (the thread in its block), lane, warp, blockDim. Signs as in C: i %% 2 == 0");
}

static const char *const conditions[] = {
    "i % 2 == 0", "i / 32 % 2 == 0",  "i < 13",    "lane < 16", "i % 32 == 0",
    "i >= 32",    "hash(i) % 4 == 0", "warp == 0", "1",         NULL,
};

static bool check(const struct settings *settings, struct error *error)
{
    struct divergence_view view;
    struct error why;
    return divergence_compute(settings, &view, &why) ||
           error_set(error, EXIT_USAGE,
                     "%s\n'if' takes a condition over i or tid, lane, warp and blockDim, such as '%s'.",
                     why.text, conditions[0]);
}

const struct explorer explore_divergence = {
    .name = "divergence",
    .title = "if (condition) then ... else ...: which lanes of a warp take which side",
    .help = "Which lanes take which side of an if, and what it costs when a warp does not agree.",
    .knobs = { { .name = "if", .help = "the condition, over i, lane and warp", .texts = conditions },
               { .name = "block",
                 .help = "threads of the block",
                 .least = 1,
                 .most = 1024,
                 .start = 64,
                 .step = 32 },
               { .name = "then", .help = "instructions on the side of then", .most = 1000, .start = 10 },
               { .name = "else",
                 .help = "instructions on the side of else; 0: there is none",
                 .most = 1000,
                 .start = 10 } },
    .draw = draw,
    .check = check,
};
