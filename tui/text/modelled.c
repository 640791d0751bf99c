// How long a run would take on a GPU that need not be there, in words: the time with its band, what limits it and by how
// much, what taking a cost away would save. A modelled time is never written as a measured one is: it has a sign, two
// digits, and the word.
#include "engine/run/modelled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/text/text.h"

enum { LABEL = 22, TIME = 12, BARS = 30 }; // columns

static const char *const terms[TERMS] = { [TERM_ISSUE] = "instructions",
                                          [TERM_PIPE] = "arithmetic",
                                          [TERM_SHARED] = "shared memory",
                                          [TERM_L1] = "L1",
                                          [TERM_CONSTANT] = "constants",
                                          [TERM_L2] = "L2",
                                          [TERM_DRAM] = "DRAM",
                                          [TERM_ATOMICS] = "atomics",
                                          [TERM_START] = "launching warps",
                                          [TERM_LATENCY] = "latency",
                                          [TERM_TAIL] = "idle SMs at the end" };

// ---- a time ---------------------------------------------------------------------------------------------------------

static const double widest = 0.4; // of the time: a wider band is the range alone

static int decimals_of(double ms)
{
    double rounded = ms / 0.995; // 0.996 is written as 1.0
    return rounded >= 10 ? 0 : rounded >= 1 ? 1 : (int)fmin(4, 1 - floor(log10(fmax(rounded, 1e-6))));
}

// Two digits: a model knows no more.
static void put_number(double ms, int decimals, char *out, size_t size)
{
    double step = ms >= 100 ? pow(10, floor(log10(ms)) - 1) : 1;
    format_into(out, size, "%.*f", decimals, decimals ? ms : round(ms / step) * step);
}

static void number_of_ms(double ms, char *out, size_t size)
{
    put_number(ms, decimals_of(ms), out, size);
}

bool modelled_is_wide(const struct modelled *one)
{
    return one->high_ms - one->ms > widest * one->ms || one->ms - one->low_ms > widest * one->ms;
}

// "0.24 to 0.30", with as many decimals as the time has.
static void band_words(const struct modelled *one, const char *between, char *out, size_t size)
{
    char low[24], high[24];
    put_number(one->low_ms, decimals_of(one->ms), low, sizeof low);
    put_number(one->high_ms, decimals_of(one->ms), high, sizeof high);
    format_into(out, size, "%s%s%s", low, between, high);
}

static void about_ms(double ms, bool utf8, char *out, size_t size)
{
    char number[24];
    number_of_ms(ms, number, sizeof number);
    format_into(out, size, "%s %s ms", glyph(utf8, GLYPH_ABOUT), number);
}

void modelled_time(const struct modelled *one, bool utf8, char *out, size_t size)
{
    *out = 0;
    if (one->why)
        return;
    if (!modelled_is_wide(one)) {
        about_ms(one->ms, utf8, out, size);
        return;
    }
    char low[24], high[24];
    int decimals = decimals_of(one->high_ms);
    put_number(one->low_ms, decimals, low, sizeof low);
    put_number(one->high_ms, decimals, high, sizeof high);
    format_into(out, size, "%s%s%s ms", low, drawn_flat ? " to " : "-", high);
}

const char *modelled_device(const struct modelled *one)
{
    static const char maker[] = "NVIDIA ";
    const char *name = one->name ? one->name : one->gpu ? one->gpu : "a GPU";
    return string_starts(name, maker) ? name + strlen(maker) : name;
}

// ---- what limits it -------------------------------------------------------------------------------------------------

// "0.20 of 0.27 ms", "all of 0.27 ms"
static void part_words(const struct modelled *one, double ms, char *out, size_t size)
{
    char part[24], all[24];
    int decimals = decimals_of(one->ms);
    put_number(ms, decimals, part, sizeof part);
    put_number(one->ms, decimals, all, sizeof all);
    format_into(out, size, "%s of %s ms", ms < one->ms ? part : "all", all);
}

static void count_words(double count, const char *one, const char *many, char *out, size_t size)
{
    char number[40];
    unit_count(count, number, sizeof number);
    format_into(out, size, "%s %s", number, count == 1 ? one : many);
}

static const char *pipe_words(enum pipe pipe)
{
    static const char *const words[PIPES] = {
        [PIPE_NONE] = "no unit",
        [PIPE_FMA] = "the units that multiply and add floats",
        [PIPE_INT] = "the units for integers",
        [PIPE_MUL] = "the units that multiply integers",
        [PIPE_DOUBLE] = "the units for doubles",
        [PIPE_SPECIAL] = "the units for square roots, sines and quotients",
        [PIPE_CONVERT] = "the units that convert between types",
        [PIPE_SHUFFLE] = "the units that shuffle",
        [PIPE_MEMORY] = "the units that take loads and stores",
        [PIPE_TENSOR] = "the tensor cores",
    };
    return words[pipe];
}

// Both are one unit: what it does for the other one is said where it matters.
static void unit_words(const struct modelled *one, enum model_term other, const char *name, struct text *out)
{
    char part[64];
    double ms = one->term_ms[other];
    if (ms < 0.05 * one->ms)
        return;
    part_words(one, ms, part, sizeof part);
    text_addf(out, " %s takes turns with it, for %s.", name, part);
}

static void shared_words(const struct record_counters *counters, const struct modelled *one, const char *part,
                         struct text *out)
{
    double waves = record_wavefronts_per_access(counters);
    if (isfinite(waves))
        text_addf(out, "shared memory: %.*f wavefront%s for each access keep%s it busy for %s.",
                  waves < 9.95 && fabs(waves - round(waves)) > 0.05, waves, waves > 1.005 ? "s" : "",
                  waves > 1.005 ? "" : "s", part);
    else
        text_addf(out, "shared memory is busy for %s.", part);
    unit_words(one, TERM_L1, "L1", out);
}

static void l1_words(const struct record_counters *counters, const struct modelled *one, const char *part,
                     struct text *out)
{
    double sectors = record_sectors_per_request(counters);
    if (isfinite(sectors))
        text_addf(out, "L1: %.1f sectors for each request keep it busy for %s.", sectors, part);
    else
        text_addf(out, "L1 is busy for %s.", part);
    unit_words(one, TERM_SHARED, "Shared memory", out);
}

static void constants_words(const struct record_counters *counters, const char *part, struct text *out)
{
    double turns = counters ? counters->const_turn / counters->const_req : NAN;
    char number[64];
    format_into(number, sizeof number, "%.*f", turns < 9.95 && turns != round(turns) ? 1 : 0, turns);
    if (turns > 1.05)
        text_addf(out,
                  "constants: %s addresses for each load, one after the other, take %s. Shared memory serves "
                  "different ones at once.",
                  number, part);
    else
        text_addf(out, "constants: their loads by an index, one after the other, take %s.", part);
}

// The rate stands there where the GPU's figures are at hand.
static void dram_words(const struct record *record, const struct modelled *one, const char *part,
                       struct text *out)
{
    struct gpu_figures figures;
    struct error unused;
    char bytes[32] = "";
    if (record->bytes > 0)
        format_bytes(record->bytes, bytes, sizeof bytes);
    text_addf(out, "DRAM: %s%smoving the bytes takes %s", *bytes ? bytes : "", *bytes ? " at least; " : "",
              part);
    if (one->gpu && figures_find(one->gpu, &figures, &unused))
        text_addf(out, ", where reading alone goes at %.*f TB/s", figures.dram_read < 1000 ? 2 : 1,
                  figures.dram_read / 1000);
    text_add(out, ".");
}

static void atomics_words(const struct record_counters *counters, const char *part, struct text *out)
{
    double passes = 0;
    char number[64];
    if (counters && counters->red_sec > 0)
        passes += counters->red_sec;
    if (counters && counters->atom_sec > 0)
        passes += counters->atom_sec;
    count_words(passes, "turn", "turns", number, sizeof number);
    text_addf(out, "atomics: %s in L2, one after the other where they meet in the same place, take %s.",
              passes > 0 ? number : "their turns", part);
}

static void start_words(const struct record *record, const char *part, struct text *out)
{
    double warps = record->grid_blocks * ceil(record->block_threads / 32);
    char number[64];
    count_words(warps, "warp", "warps", number, sizeof number);
    text_addf(out, "launching warps: starting %s takes %s, however little each of them does.",
              isfinite(warps) ? number : "them", part);
}

static void latency_words(const struct record *record, const struct modelled *one, const char *part,
                          struct text *out)
{
    const struct record_counters *counters = record->counters;
    struct gpu_figures figures;
    struct error unused;
    char number[64], blocks[64];
    text_addf(out, "latency: for %s warps wait for results, and there are too few others to fill the time.",
              part);
    count_words(record->grid_blocks, "block", "blocks", blocks, sizeof blocks);
    if (record->grid_blocks > 0 && one->gpu && figures_find(one->gpu, &figures, &unused) &&
        record->grid_blocks < figures.sms)
        text_addf(out, " %s leave %.0f of %.0f SMs without work.", blocks, figures.sms - record->grid_blocks,
                  figures.sms);
    else if (counters && counters->barriers > 0) {
        count_words(counters->barriers, "time", "times", number, sizeof number);
        text_addf(out, " Its warps reach barriers %s, and wait there for the last of their block.", number);
    } else
        text_add(out, " More warps on an SM, or several loads at once in a thread, would fill it.");
}

void modelled_limiter(const struct record *record, const struct modelled *one, struct text *out)
{
    const struct record_counters *counters = record->counters;
    char part[64], number[64];
    double ms = one->term_ms[one->limiter];
    part_words(one, ms, part, sizeof part);
    switch (one->limiter) {
    case TERM_ISSUE:
        count_words(record->warp_inst, "warp instruction", "warp instructions", number, sizeof number);
        text_addf(out, "instructions: issuing %s takes %s.", record->warp_inst > 0 ? number : "them", part);
        break;
    case TERM_PIPE:
        text_addf(out, "arithmetic: %s are busy for %s.", pipe_words(one->pipe), part);
        break;
    case TERM_SHARED:
        shared_words(counters, one, part, out);
        break;
    case TERM_L1:
        l1_words(counters, one, part, out);
        break;
    case TERM_CONSTANT:
        constants_words(counters, part, out);
        break;
    case TERM_L2:
        count_words(record_global_sectors(counters), "sector", "sectors", number, sizeof number);
        if (counters && isfinite(record_sectors_per_request(counters)))
            text_addf(out, "L2: %s, %.1f for each request, keep it busy for %s.", number,
                      record_sectors_per_request(counters), part);
        else
            text_addf(out, "L2 is busy for %s.", part);
        break;
    case TERM_DRAM:
        dram_words(record, one, part, out);
        break;
    case TERM_ATOMICS:
        atomics_words(counters, part, out);
        break;
    case TERM_START:
        start_words(record, part, out);
        break;
    default:
        latency_words(record, one, part, out);
    }
}

// ---- the terms ------------------------------------------------------------------------------------------------------

// No columns: they have no room, or are to be heard.
static bool in_words(const struct sheet *sheet)
{
    return drawn_flat || sheet->width < LABEL + TIME + 12;
}

static void add_line(struct sheet *sheet, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_line(struct sheet *sheet, enum role role, const char *format, ...)
{
    struct text words = { 0 };
    va_list values;
    va_start(values, format);
    text_addv(&words, format, values);
    va_end(values);
    sheet_paragraph(sheet, role, 1, text_string(&words));
    text_free(&words);
}

// Another sign than that of a measured time's bar.
void modelled_bar(struct text *out, bool utf8, double share, int cells)
{
    int whole = (int)(share * cells + 0.5);
    whole = whole > cells ? cells : whole < 1 && share > 0 ? 1 : whole;
    for (int i = 0; i < whole && !drawn_flat; i++)
        text_add(out, utf8 ? "▒" : ":");
}

static void add_term(struct sheet *sheet, const struct modelled *one, const char *name, double ms,
                     enum role role)
{
    char time[32];
    double share = ms / one->ms;
    int bars = sheet->width - LABEL - TIME - 7;
    put_number(ms, decimals_of(one->ms), time, sizeof time);
    if (in_words(sheet)) {
        add_line(sheet, role, "%s, %s ms, %.0f %% of the time", name, time, 100 * share);
        return;
    }
    sheet_add(sheet, role, " %s", name);
    sheet_to(sheet, LABEL);
    sheet_add(sheet, ROLE_TEXT, "%*s ms %4.0f %% ", TIME - 4, time, 100 * share);
    if (bars > 4) {
        struct text bar = { 0 };
        modelled_bar(&bar, sheet->utf8, share, bars < BARS ? bars : BARS);
        sheet_add(sheet, ROLE_SIM, "%s", text_string(&bar));
        text_free(&bar);
    }
    sheet_end(sheet);
}

// The largest that was not shown yet; the tail is no term that overlaps with the others.
static int next_term(const struct modelled *one, bool shown[static TERMS])
{
    int next = -1;
    for (int t = 0; t < TERM_TAIL; t++)
        if (!shown[t] && (next < 0 || one->term_ms[t] > one->term_ms[next]))
            next = t;
    shown[next] = true;
    return next;
}

void modelled_terms(struct sheet *sheet, const struct modelled *one, int most)
{
    bool shown[TERMS] = { false };
    sheet_gap(sheet);
    add_line(sheet, ROLE_DIM, "Each alone would take, of the modelled time:");
    double least = fmax(0.01 * one->ms, 0.5 * pow(10, -decimals_of(one->ms))); // else 0.00
    for (int i = 0; i < TERM_TAIL && i < most; i++) {
        int next = next_term(one, shown);
        if (one->term_ms[next] >= least)
            add_term(sheet, one, terms[next], one->term_ms[next],
                     next == (int)one->limiter ? ROLE_TITLE : ROLE_TEXT);
    }
    if (one->term_ms[TERM_TAIL] >= least)
        add_term(sheet, one, terms[TERM_TAIL], one->term_ms[TERM_TAIL], ROLE_DIM);
    if (one->fixed_ms >= 0.01 * one->ms)
        add_term(sheet, one, "starting the kernel", one->fixed_ms, ROLE_DIM);
    sheet_paragraph(sheet, ROLE_DIM, 1, "They overlap, so they do not add up.");
}

// ---- one GPU --------------------------------------------------------------------------------------------------------

static const char *figures_words(const struct modelled *one)
{
    return one->measured ? "measured figures" : "published figures";
}

static void add_no_time(struct sheet *sheet, const struct modelled *one)
{
    add_line(sheet, ROLE_NOTE, "No modelled time for %s: %s", modelled_device(one), one->why);
}

void modelled_head(struct sheet *sheet, const struct modelled *one)
{
    char time[48], band[48];
    modelled_time(one, sheet->utf8, time, sizeof time);
    band_words(one, " to ", band, sizeof band);
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet_hang(sheet, 1);
    sheet_flow(sheet, ROLE_SIM, "%s modelled", time);
    sheet_flow(sheet, ROLE_TEXT, " for %s", modelled_device(one));
    if (!modelled_is_wide(one))
        sheet_flow(sheet, ROLE_TEXT, ", %s", band);
    sheet_end(sheet);
}

// What it was modelled from: never a measurement.
static void add_origin(struct sheet *sheet, const struct record *record, const struct modelled *one)
{
    add_line(sheet, ROLE_DIM, "%s%s%s%sComputed from the simulator's counts and the GPU's %s; no GPU ran it.",
             record->preset ? record->preset : "", record->preset && record->data ? ", " : "",
             record->data ? record->data : "",
             record->data     ? " data. "
             : record->preset ? ". "
                              : "",
             figures_words(one));
}

static void add_limiter(struct sheet *sheet, const struct record *record, const struct modelled *one)
{
    struct text words = { 0 };
    bool fixed = one->fixed_ms > one->ms / 2;
    if (fixed) {
        char part[64];
        part_words(one, one->fixed_ms, part, sizeof part);
        text_addf(&words,
                  "Starting the kernel takes %s, which no kernel avoids: a larger size says more. "
                  "Of the rest, most is ",
                  part);
    } else {
        text_add(&words, "Limited by ");
    }
    modelled_limiter(record, one, &words);
    sheet_paragraph(sheet, ROLE_TEXT, 1, words.data);
    text_free(&words);
}

void modelled_rest(struct sheet *sheet, const struct record *record, const struct modelled *one)
{
    add_origin(sheet, record, one);
    sheet_gap(sheet);
    add_limiter(sheet, record, one);
    modelled_terms(sheet, one, TERMS);
}

static void add_one(struct sheet *sheet, const struct record *record, const struct modelled *one)
{
    if (one->why) {
        add_no_time(sheet, one);
        return;
    }
    modelled_head(sheet, one);
    modelled_rest(sheet, record, one);
}

// ---- several GPUs ---------------------------------------------------------------------------------------------------

enum { BAND = 36, LIMITED = 55 }; // columns

static void add_row(struct sheet *sheet, const struct modelled *one)
{
    char time[48], band[48];
    modelled_time(one, sheet->utf8, time, sizeof time);
    band_words(one, " to ", band, sizeof band);
    const char *from = one->measured ? "" : " *";
    if (in_words(sheet)) {
        add_line(sheet, ROLE_TEXT, "%s, %s modelled, %s ms, limited by %s, %s.", modelled_device(one), time,
                 band, terms[one->limiter], figures_words(one));
        return;
    }
    sheet_add(sheet, ROLE_TEXT, " %s%s", modelled_device(one), from);
    sheet_to(sheet,
             BAND - 1 - text_cells(time) > sheet->used ? BAND - 1 - text_cells(time) : sheet->used + 1);
    sheet_add(sheet, ROLE_SIM, "%s", time);
    sheet_to(sheet, BAND);
    sheet_add(sheet, ROLE_TEXT, "%s", modelled_is_wide(one) ? "" : band);
    if (sheet->width >= LIMITED + LABEL) {
        sheet_to(sheet, LIMITED);
        sheet_add(sheet, ROLE_TEXT, "%s", terms[one->limiter]);
    }
    sheet_end(sheet);
}

static void add_table(struct sheet *sheet, const struct modelled *all, size_t count)
{
    bool published = false;
    if (!in_words(sheet)) {
        sheet_add(sheet, ROLE_DIM, " GPU");
        sheet_to(sheet, BAND - 1 - (int)strlen("modelled"));
        sheet_add(sheet, ROLE_DIM, "modelled between, ms");
        if (sheet->width >= LIMITED + LABEL) {
            sheet_to(sheet, LIMITED);
            sheet_add(sheet, ROLE_DIM, "limited by");
        }
        sheet_end(sheet);
    }
    for (size_t i = 0; i < count; i++) {
        published |= !all[i].why && !all[i].measured;
        if (all[i].why)
            add_no_time(sheet, &all[i]);
        else
            add_row(sheet, &all[i]);
    }
    if (published && !in_words(sheet))
        sheet_paragraph(sheet, ROLE_DIM, 1, "* Computed from published figures; the others' were measured.");
}

// ---- what if --------------------------------------------------------------------------------------------------------

static const char *cost_words(unsigned without)
{
    switch (without) {
    case WITHOUT_CONFLICTS:
        return "bank conflicts";
    case WITHOUT_SECTORS:
        return "scattered accesses";
    case WITHOUT_COLLISIONS:
        return "colliding atomics";
    case WITHOUT_DIVERGENCE:
        return "diverged warps";
    case WITHOUT_LIMITS:
        return "limits of occupancy";
    case WITHOUT_BARRIERS:
        return "barriers";
    case WITHOUT_ADDRESSES:
        return "constant addresses";
    default:
        return "all of these";
    }
}

static bool is_single(unsigned without)
{
    return (without & (without - 1)) == 0;
}

static unsigned all_costs(const struct modelled *one)
{
    unsigned all = 0;
    for (size_t i = 0; i < one->gain_count; i++)
        all |= one->gains[i].without;
    return all;
}

static const double least_pct = 0.5; // of a gain: less is written as 0

static double gained_pct(const struct modelled *one, double ms)
{
    return fmax(0, 100 * (1 - ms / one->ms));
}

static void add_gain(struct sheet *sheet, const struct modelled *one, const struct gain *gain)
{
    char time[48];
    double percent = gained_pct(one, gain->ms);
    about_ms(gain->ms, sheet->utf8, time, sizeof time);
    if (in_words(sheet)) {
        add_line(sheet, ROLE_TEXT, "%s, %s, saves %.0f %%", cost_words(gain->without), time, percent);
    } else {
        sheet_add(sheet, percent >= least_pct ? ROLE_TEXT : ROLE_DIM, " %s", cost_words(gain->without));
        sheet_to(sheet, LABEL + TIME - text_cells(time));
        sheet_add(sheet, ROLE_SIM, "%s", time);
        sheet_add(sheet, ROLE_TEXT, " %7.0f %%", percent);
        sheet_end(sheet);
    }
}

// ---- what if, term by term ------------------------------------------------------------------------------------------

static const char *cost_head(unsigned without)
{
    switch (without) {
    case WITHOUT_CONFLICTS:
        return "banks";
    case WITHOUT_SECTORS:
        return "sectors";
    case WITHOUT_COLLISIONS:
        return "atomics";
    case WITHOUT_DIVERGENCE:
        return "diverged";
    case WITHOUT_LIMITS:
        return "limits";
    case WITHOUT_BARRIERS:
        return "barriers";
    case WITHOUT_ADDRESSES:
        return "constants";
    default:
        return "all";
    }
}

enum { CHANGES = 9, APART = 2 }; // most columns; blanks between them
struct changes {                 // a column for the time as it is, and one for each cost taken away
    const char *head[CHANGES];
    double ms[CHANGES];
    const double *term_ms[CHANGES];
    int width[CHANGES];
    size_t count;
    double fixed_ms; // which stays
    bool us;         // the unit: ms have too many digits
    int decimals;
};

static void add_change(struct changes *changes, const char *head, double ms, const double *term_ms)
{
    if (changes->count == CHANGES)
        return;
    changes->head[changes->count] = head;
    changes->ms[changes->count] = ms;
    changes->term_ms[changes->count++] = term_ms;
}

static void put_change(const struct changes *changes, double ms, char *out, size_t size)
{
    put_number(changes->us ? 1000 * ms : ms, changes->decimals, out, size);
}

static struct changes changes_of(const struct modelled *one, const struct gain *together)
{
    struct changes all = { .fixed_ms = one->fixed_ms, .us = one->ms < 0.1 };
    double least = one->ms;
    add_change(&all, "now", one->ms, one->term_ms);
    for (size_t i = 0; i < one->gain_count; i++)
        if (is_single(one->gains[i].without))
            add_change(&all, cost_head(one->gains[i].without), one->gains[i].ms, one->gains[i].term_ms);
    if (together)
        add_change(&all, cost_head(together->without), together->ms, together->term_ms);
    for (size_t i = 0; i < all.count; i++)
        least = fmin(least, all.ms[i]);
    all.decimals = decimals_of(all.us ? 1000 * one->ms : one->ms) + (least < one->ms / 10);
    for (size_t i = 0; i < all.count; i++) {
        char number[24];
        int head = (int)strlen(all.head[i]);
        put_change(&all, fmax(all.ms[i], one->ms), number, sizeof number);
        int cells = (int)strlen(number);
        all.width[i] = APART + (head > cells ? head : cells);
    }
    return all;
}

static bool changes_are_known(const struct changes *changes)
{
    for (size_t i = 1; i < changes->count; i++) {
        double sum = 0;
        for (int t = 0; t < TERMS; t++)
            sum += changes->term_ms[i][t];
        if (sum <= 0)
            return false;
    }
    return changes->count > 1;
}

static bool matters(const struct changes *changes, int term)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->term_ms[i][term] >= 0.01 * changes->ms[0])
            return true;
    return false;
}

static void add_cells(struct sheet *sheet, const struct changes *changes, enum role role, const char *name,
                      int term)
{
    char number[24];
    sheet_add(sheet, role, " %s", name);
    sheet_to(sheet, LABEL - 1);
    for (size_t i = 0; i < changes->count; i++) {
        double ms = term < TERMS ? changes->term_ms[i][term] : changes->ms[i];
        put_change(changes, ms, number, sizeof number);
        bool same = i && fabs(ms - (term < TERMS ? changes->term_ms[0][term] : changes->ms[0])) <
                             0.005 * changes->ms[0];
        sheet_add(sheet, same ? ROLE_DIM : ROLE_SIM, "%*s", changes->width[i], number);
    }
    sheet_end(sheet);
}

static void add_change_table(struct sheet *sheet, const struct modelled *one, const struct changes *changes)
{
    bool shown[TERMS] = { false };
    sheet_add(sheet, ROLE_DIM, " Term by term, %s", changes->us ? "us" : "ms");
    sheet_to(sheet, LABEL - 1);
    for (size_t i = 0; i < changes->count; i++)
        sheet_add(sheet, ROLE_DIM, "%*s", changes->width[i], changes->head[i]);
    sheet_end(sheet);
    add_cells(sheet, changes, ROLE_TEXT, "time", TERMS);
    for (int i = 0; i < TERM_TAIL; i++) {
        int term = next_term(one, shown);
        if (matters(changes, term))
            add_cells(sheet, changes, ROLE_TEXT, terms[term], term);
    }
    if (matters(changes, TERM_TAIL))
        add_cells(sheet, changes, ROLE_DIM, terms[TERM_TAIL], TERM_TAIL);
}

// The terms that change by a hundredth of the time or more, as "latency 2.1 to 0.8 ms".
static void change_terms(const struct changes *changes, size_t column, struct text *out)
{
    size_t from = out->length;
    for (int t = 0; t < TERMS; t++) {
        char before[24], after[24];
        if (fabs(changes->term_ms[column][t] - changes->term_ms[0][t]) < 0.01 * changes->ms[0])
            continue;
        put_change(changes, changes->term_ms[0][t], before, sizeof before);
        put_change(changes, changes->term_ms[column][t], after, sizeof after);
        text_addf(out, "%s%s %s to %s %s", out->length > from ? ", " : "", terms[t], before, after,
                  changes->us ? "us" : "ms");
    }
    if (out->length == from)
        text_add(out, "no term changes");
}

static void add_changes(struct sheet *sheet, const struct modelled *one, const struct gain *together)
{
    struct changes changes = changes_of(one, together);
    int width = LABEL - 1;
    if (!changes_are_known(&changes))
        return;
    for (size_t i = 0; i < changes.count; i++)
        width += changes.width[i];
    sheet_gap(sheet);
    if (!in_words(sheet) && width <= sheet->width) {
        add_change_table(sheet, one, &changes);
        return;
    }
    add_line(sheet, ROLE_DIM, "Term by term:");
    for (size_t i = 1; i < changes.count; i++) {
        struct text words = { 0 };
        text_addf(&words, "%s: ", i == changes.count - 1 && together ? "all of these" : changes.head[i]);
        change_terms(&changes, i, &words);
        sheet_paragraph(sheet, ROLE_TEXT, 1, words.data);
        text_free(&words);
    }
}

void modelled_what_if(struct sheet *sheet, const struct modelled *one)
{
    unsigned all = all_costs(one);
    const struct gain *together = is_single(all) ? NULL : modelled_gain(one, all);
    if (one->why || !one->gains)
        return;
    sheet_gap(sheet);
    if (!one->gain_count) {
        sheet_paragraph(sheet, ROLE_DIM, 1, "What if: it has none of the costs that could be taken away.");
        return;
    }
    if (in_words(sheet)) {
        add_line(sheet, ROLE_DIM, "What it would take without one of its costs:");
    } else {
        sheet_add(sheet, ROLE_DIM, " Without its %s", glyph(sheet->utf8, GLYPH_ELLIPSIS));
        sheet_to(sheet, LABEL + TIME - (int)strlen("modelled"));
        sheet_add(sheet, ROLE_DIM, "modelled    saves");
        sheet_end(sheet);
    }
    for (size_t i = 0; i < one->gain_count; i++)
        if (is_single(one->gains[i].without))
            add_gain(sheet, one, &one->gains[i]);
    if (together)
        add_gain(sheet, one, together);
    add_changes(sheet, one, together);
}

static void change_words(const struct modelled *one, double ms, struct text *out)
{
    char before[24], after[24];
    number_of_ms(one->ms, before, sizeof before);
    number_of_ms(ms, after, sizeof after);
    text_addf(out, "%s to %s ms (%.0f %%)", before, after, gained_pct(one, ms));
}

// The term that falls most, where it was told.
static void fall_words(const struct modelled *one, const struct gain *gain, struct text *out)
{
    int most = -1;
    double fall = 0.005 * one->ms, told = 0;
    for (int t = 0; t < TERMS; t++) {
        told += gain->term_ms[t];
        if (one->term_ms[t] - gain->term_ms[t] > fall) {
            most = t;
            fall = one->term_ms[t] - gain->term_ms[t];
        }
    }
    if (told <= 0 || most < 0)
        return;
    char before[24], after[24];
    number_of_ms(one->term_ms[most], before, sizeof before);
    number_of_ms(gain->term_ms[most], after, sizeof after);
    text_addf(out, ", %s from %s to %s ms", terms[most], before, after);
}

static const struct gain *best_alone(const struct modelled *one)
{
    for (size_t i = 0; i < one->gain_count; i++)
        if (is_single(one->gains[i].without))
            return &one->gains[i];
    return NULL;
}

// What it gains alone, and whether the best one hides it: it gains more once that is gone.
static void add_why(struct sheet *sheet, const struct modelled *one, const struct gain *gain,
                    const struct gain *best)
{
    static const double hidden_pct = 5;
    struct text words = { 0 };
    const struct gain *both = gain == best ? NULL : modelled_gain(one, best->without | gain->without);
    double alone = gained_pct(one, gain->ms), after = both ? 100 * (best->ms - both->ms) / best->ms : 0;
    if (alone >= least_pct) {
        text_addf(&words, "Removing the %s alone: ", cost_words(gain->without));
        change_words(one, gain->ms, &words);
        fall_words(one, gain, &words);
    } else {
        text_addf(&words, "Removing the %s alone gains nothing", cost_words(gain->without));
    }
    if (both && after > alone + hidden_pct)
        text_addf(&words, ": the %s hide that; without those it gains %.0f %%", cost_words(best->without),
                  after);
    text_add(&words, ".");
    sheet_paragraph(sheet, alone >= least_pct || after > alone + hidden_pct ? ROLE_TEXT : ROLE_DIM, 1,
                    words.data);
    text_free(&words);
}

void modelled_why(struct sheet *sheet, const struct modelled *one)
{
    const struct gain *best = best_alone(one);
    unsigned all = all_costs(one);
    const struct gain *together = is_single(all) ? NULL : modelled_gain(one, all);
    struct text words = { 0 };
    if (one->why || !one->gains)
        return;
    sheet_gap(sheet);
    if (!best) {
        sheet_paragraph(sheet, ROLE_DIM, 1, "Why: it has none of the costs that could be taken away.");
        return;
    }
    add_line(sheet, ROLE_DIM, "Why it takes so long: what removing a cause would gain, as modelled");
    for (size_t i = 0; i < one->gain_count; i++)
        if (is_single(one->gains[i].without))
            add_why(sheet, one, &one->gains[i], best);
    if (together) {
        text_add(&words, "Removing all of these: ");
        change_words(one, together->ms, &words);
        fall_words(one, together, &words);
        text_add(&words, ".");
        sheet_paragraph(sheet, ROLE_TEXT, 1, words.data);
        text_free(&words);
    }
}

// ---- beside a measured time -----------------------------------------------------------------------------------------

// Counted or estimated by the model rather than known.
static const struct {
    enum model_term term;
    const char *words;
} uncertain[] = {
    { TERM_LATENCY, "the latency: how far the loads of a warp overlap is estimated" },
    { TERM_ISSUE, "the instructions: an assembler makes more or fewer of them than the model takes" },
    { TERM_PIPE, "the arithmetic: what the assembler makes of an operation is estimated" },
    { TERM_L2, "the caches: what L1 spares L2 is found from a sample of the blocks" },
    { TERM_DRAM, "the caches: what L2 spares DRAM is found from a sample of the blocks" },
};

static const char *suspect_words(const struct modelled *one)
{
    size_t worst = 0;
    for (size_t i = 1; i < sizeof uncertain / sizeof *uncertain; i++)
        if (one->term_ms[uncertain[i].term] > one->term_ms[uncertain[worst].term])
            worst = i;
    return uncertain[worst].words;
}

static void add_judgement(struct sheet *sheet, const struct modelled *one, double ms, const char *how)
{
    struct text words = { 0 };
    double off = 100 * (one->ms / ms - 1);
    bool inside = ms >= one->low_ms && ms <= one->high_ms;
    if (fabs(off) < 0.5)
        text_addf(&words, "The modelled time is the %s one", how);
    else if (off < 100)
        text_addf(&words, "The modelled time is %.0f %% %s than the %s one", fabs(off),
                  off > 0 ? "longer" : "shorter", how);
    else
        text_addf(&words, "The modelled time is %.1f times the %s one", one->ms / ms, how);
    text_addf(&words, "%s",
              inside ? "; that one lies within the band." : ", and that one lies outside the band. Suspect ");
    if (!inside)
        text_addf(&words, "%s.", suspect_words(one));
    sheet_paragraph(sheet, inside ? ROLE_TEXT : ROLE_NOTE, 1, words.data);
    text_free(&words);
}

void modelled_beside(struct sheet *sheet, const struct modelled *one, const struct record *timed,
                     bool recorded)
{
    const char *how = recorded ? "recorded" : "measured";
    char time[48], measured[32], band[48];
    bool same = one->name && timed->device && strcmp(one->name, timed->device) == 0;
    if (one->why || !(timed->median_ms > 0))
        return;
    sheet_gap(sheet);
    modelled_time(one, sheet->utf8, time, sizeof time);
    unit_ms(timed->median_ms, measured, sizeof measured);
    band_words(one, " to ", band, sizeof band);
    add_line(sheet, ROLE_DIM, "Modelled beside %s", how);
    add_line(sheet, recorded ? ROLE_NOTE : ROLE_GPU, "%s, %s on %s", measured, how,
             timed->device ? timed->device : "the GPU here");
    add_line(sheet, ROLE_SIM, "%s, modelled for %s, %s ms", time, modelled_device(one), band);
    if (same)
        add_judgement(sheet, one, timed->median_ms, how);
    else
        sheet_paragraph(sheet, ROLE_DIM, 1, "Two GPUs: these times are not compared.");
}

struct sheet modelled_sheet(const struct record *record, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    if (record->modelled_count > 1)
        add_table(&sheet, record->modelled, record->modelled_count);
    for (size_t i = 0; record->modelled_count == 1 && i < 1; i++)
        add_one(&sheet, record, &record->modelled[i]);
    return sheet;
}
