// The numbers of two kernels beside each other: times, and what the simulator counted, with the change in numbers and per
// cent.
#include "tui/text/text.h"

#include <math.h>
#include <string.h>

enum { LABEL = 19, COLUMN = 14, PERCENT = 9 };

typedef double (*number_in)(const struct record *record);

static double of_time(const struct record *record)
{
    return record->median_ms > 0 ? record->median_ms : NAN;
}

static double of_share(const struct record *record)
{
    return record->ceiling_pct;
}

static double of_registers(const struct record *record)
{
    return record->registers;
}

static double of_shared(const struct record *record)
{
    return record->shared_bytes;
}

static double of_blocks(const struct record *record)
{
    return record->grid_blocks;
}

static double of_threads(const struct record *record)
{
    return record->block_threads;
}

static double of_instructions(const struct record *record)
{
    return record->warp_inst;
}

static double of_lanes(const struct record *record)
{
    return record->counters->lanes_per_inst;
}

static double of_divergent(const struct record *record)
{
    return record->counters->divergent;
}

static double of_barriers(const struct record *record)
{
    return record->counters->barriers;
}

static double of_requests(const struct record *record)
{
    const struct record_counters *c = record->counters;
    return c->gld_req + c->gst_req + c->red_req + c->atom_req;
}

static double of_sectors(const struct record *record)
{
    return record_global_sectors(record->counters);
}

static double of_sectors_each(const struct record *record)
{
    return record_sectors_per_request(record->counters);
}

static double of_accesses(const struct record *record)
{
    const struct record_counters *c = record->counters;
    return c->sld_inst + c->sst_inst + c->satom_inst;
}

static double of_wavefronts(const struct record *record)
{
    return record->counters->l1_wave_shared;
}

static double of_wavefronts_each(const struct record *record)
{
    return record_wavefronts_per_access(record->counters);
}

static double of_conflicts(const struct record *record)
{
    const struct record_counters *c = record->counters;
    return c->sld_conf + c->sst_conf + c->satom_conf;
}

// ---- rows -----------------------------------------------------------------------------------------------------

enum better { LESS, MORE, NEITHER };
struct number_row {
    const char *label;
    number_in number;
    enum better better;
    int digits;
    enum {
        COUNTED,
        TIMED, // those of two machines are not compared
        SHARE  // the same, and in per cent itself
    } kind;
};
static const struct number_row time_rows[] = {
    { "time, ms", of_time, LESS, 3, TIMED },
    { "% of the max", of_share, MORE, 1, SHARE },
};
static const struct number_row launch_rows[] = {
    { "blocks", of_blocks, NEITHER, 0, COUNTED },
    { "  threads in each", of_threads, NEITHER, 0, COUNTED },
    { "  registers", of_registers, NEITHER, 0, COUNTED },
    { "  shared bytes", of_shared, NEITHER, 0, COUNTED },
};
static const struct number_row counter_rows[] = {
    { "instructions", of_instructions, LESS, 0, COUNTED },
    { "  lanes of 32", of_lanes, MORE, 1, COUNTED },
    { "global requests", of_requests, LESS, 0, COUNTED },
    { "  sectors", of_sectors, LESS, 0, COUNTED },
    { "  a request", of_sectors_each, NEITHER, 2, COUNTED },
    { "shared accesses", of_accesses, NEITHER, 0, COUNTED },
    { "  wavefronts", of_wavefronts, LESS, 0, COUNTED },
    { "  an access", of_wavefronts_each, LESS, 2, COUNTED },
    { "  bank conflicts", of_conflicts, LESS, 0, COUNTED },
    { "divergent branches", of_divergent, LESS, 0, COUNTED },
    { "barriers", of_barriers, NEITHER, 0, COUNTED },
};

static void put_number(double number, int digits, bool sign, char *out, size_t size)
{
    *out = 0;
    if (!isfinite(number))
        return;
    if (digits) {
        format_into(out, size, "%s%.*f", sign && number > 0 ? "+" : "", digits, number);
        return;
    }
    char count[40];
    unit_count(fabs(number), count, sizeof count);
    format_into(out, size, "%s%s", number < 0 ? "-" : sign && number > 0 ? "+" : "", count);
}

static void put_cell(struct sheet *sheet, enum role role, int cells, const char *words)
{
    sheet_add(sheet, role, "%*s", cells, words);
}

// A hundred times as much, or more, is a factor.
static void put_percent(double base, double now, char *out, size_t size)
{
    *out = 0;
    double percent = 100 * (now - base) / base;
    if (!(base > 0) || !isfinite(percent))
        return;
    if (percent >= 9999.5)
        format_into(out, size, "%.0f x", now / base);
    else
        format_into(out, size, "%+.*f %%", fabs(percent) < 99.95, fabs(percent) < 0.05 ? 0.0 : percent);
}

static void add_row(struct sheet *sheet, const struct number_row *row, const struct record *base,
                    const struct record *now, bool comparable)
{
    double was = base ? row->number(base) : NAN, is = now ? row->number(now) : NAN;
    bool nothing = (!isfinite(was) || was == 0) && (!isfinite(is) || is == 0);
    if (nothing)
        return;
    char words[48];
    sheet_add(sheet, ROLE_TEXT, " %-*s", LABEL, row->label);
    put_number(was, row->digits, false, words, sizeof words);
    put_cell(sheet, ROLE_TEXT, COLUMN, words);
    put_number(is, row->digits, false, words, sizeof words);
    if (isfinite(is))
        put_cell(sheet, ROLE_TITLE, COLUMN, words);
    bool compares = (comparable || row->kind == COUNTED) && isfinite(is - was);
    enum role role = row->better == NEITHER                ? ROLE_TEXT
                     : (is < was) == (row->better == LESS) ? ROLE_GOOD
                                                           : ROLE_BAD;
    if (compares && fabs(is - was) <= 0.0005 * fabs(was)) {
        put_cell(sheet, ROLE_DIM, COLUMN, "same");
    } else if (compares) {
        put_number(is - was, row->digits, true, words, sizeof words);
        put_cell(sheet, role, COLUMN, words);
        put_percent(was, is, words, sizeof words);
        if (row->kind != SHARE)
            put_cell(sheet, role, PERCENT, words);
    }
    sheet_end(sheet);
}

// ---- where the numbers come from --------------------------------------------------------------------------------

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool one_machine(const struct compared *base, const struct compared *now)
{
    return base->timed && now->timed && base->recorded == now->recorded &&
           same(base->timed->device, now->timed->device);
}

static void add_time_origin(struct sheet *sheet, const struct compared *base, const struct compared *now)
{
    const struct compared *one = base->timed ? base : now;
    char words[300];
    if (!one->timed)
        return;
    format_into(words, sizeof words, "times: %s %s%s%.10s", one->recorded ? "recorded on" : "measured on",
                one->timed->device ? one->timed->device : "this GPU", one->timed->date ? ", " : "",
                one->timed->date ? one->timed->date : "");
    if (base->timed && now->timed && !one_machine(base, now))
        format_into(words, sizeof words, "times: of two machines, which are not compared: %s and %s",
                    base->timed->device ? base->timed->device : "another",
                    now->timed->device ? now->timed->device : "another");
    sheet_paragraph(sheet, one->recorded ? ROLE_NOTE : ROLE_DIM, 1, words);
}

static const struct record *counted(const struct compared *which)
{
    return which->counted && which->counted->counters ? which->counted : NULL;
}

// Of both the measured launch or of both the simulated one, whose size may be another.
static void add_launches(struct sheet *sheet, const struct compared *base, const struct compared *now)
{
    bool timed = base->timed && now->timed;
    const struct record *was = timed ? base->timed : counted(base), *is = timed ? now->timed : counted(now);
    for (size_t i = 0; was && is && i < sizeof launch_rows / sizeof *launch_rows; i++)
        add_row(sheet, &launch_rows[i], was, is, true);
}

static void add_launch_origin(struct sheet *sheet, const struct compared *which)
{
    const struct record *of = which->timed ? which->timed : counted(which);
    char words[300];
    if (!of || !of->kernel || !(of->launches > 1))
        return;
    format_into(words, sizeof words,
                "blocks to shared bytes of %s: of %s, which weighs most of its %.0f launches", which->name,
                of->kernel, of->launches);
    sheet_paragraph(sheet, ROLE_DIM, 1, words);
}

static void add_count_origin(struct sheet *sheet, const struct compared *base, const struct compared *now)
{
    const struct record *was = counted(base), *is = counted(now);
    char words[300];
    if (was && is)
        format_into(words, sizeof words, "counters: simulated%s%s%s%s", is->preset ? ", " : "",
                    is->preset ? is->preset : "", is->data ? ", " : "", is->data ? is->data : "");
    else if (was || is)
        format_into(words, sizeof words, "%s was not simulated yet: s counts it.",
                    was ? now->name : base->name);
    else
        format_into(words, sizeof words, "Neither was simulated yet: s counts both.");
    sheet_paragraph(sheet, was && is ? ROLE_SIM : ROLE_NOTE, 1, words);
}

struct sheet comparison_sheet(const struct compared *base, const struct compared *now, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    char name[60];
    const char *names[] = { base->name, now->name };
    sheet_add(&sheet, ROLE_DIM, " %-*s", LABEL, "");
    for (int i = 0; i < 2; i++) {
        size_t fits = text_fit(names[i], COLUMN - 1);
        format_into(name, sizeof name, "%.*s", (int)fits, names[i]);
        put_cell(&sheet, i ? ROLE_TITLE : ROLE_DIM, COLUMN, name);
    }
    put_cell(&sheet, ROLE_DIM, COLUMN + PERCENT, "change       ");
    sheet_end(&sheet);
    for (size_t i = 0; i < sizeof time_rows / sizeof *time_rows; i++)
        add_row(&sheet, &time_rows[i], base->timed, now->timed, one_machine(base, now));
    for (size_t i = 0; i < sizeof counter_rows / sizeof *counter_rows; i++)
        add_row(&sheet, &counter_rows[i], counted(base), counted(now), true);
    add_launches(&sheet, base, now);
    sheet_gap(&sheet);
    add_time_origin(&sheet, base, now);
    add_count_origin(&sheet, base, now);
    add_launch_origin(&sheet, base);
    add_launch_origin(&sheet, now);
    return sheet;
}
