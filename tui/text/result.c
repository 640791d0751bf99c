// Results of runs, in words and columns: times side by side, the check, counters and findings.
// The pages show these sheets and the command line prints them.
#include "engine/sim/sim.h"
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 15, COLUMN = 19 }; // columns

struct result_column {
    const char *head;
    const struct record *record; // NULL: left out
    enum role role;
};

static bool has_time(const struct record *record)
{
    return record && record->median_ms > 0;
}

static bool is_right(const struct record *record)
{
    return record && record->status == STATUS_RIGHT;
}

// ---- one row of the table: a label, and a cell for each column --------------------------------------------

typedef void (*cell_words)(const struct record *record, const struct result *result, char *out, size_t size);

static void time_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (has_time(record))
        unit_ms(record->median_ms, out, size);
}

static void spread_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (isfinite(record->spread_pct) && record->reps > 0)
        format_into(out, size, "%.1f %%, %.0f runs", record->spread_pct, record->reps);
}

static void copies_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    char in[32], back[32];
    unit_ms(record->h2d_ms, in, sizeof in);
    unit_ms(record->d2h_ms, back, sizeof back);
    if (*in && *back)
        format_into(out, size, "%.1f + %.1f ms", record->h2d_ms, record->d2h_ms);
}

static void faster_words(double cpu_ms, double ms, char *out, size_t size)
{
    if (cpu_ms > 0 && ms > 0)
        format_into(out, size, "%.*f x", cpu_ms / ms < 9.95 ? 2 : 0, cpu_ms / ms);
}

// Times of two machines are not compared.
static void speedup_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (!result->recorded && has_time(result->cpu) && is_right(record))
        faster_words(result->cpu->median_ms, record->median_ms, out, size);
}

static void with_copies_words(const struct record *record, const struct result *result, char *out,
                              size_t size)
{
    if (!result->recorded && has_time(result->cpu) && is_right(record) &&
        isfinite(record->h2d_ms + record->d2h_ms))
        faster_words(result->cpu->median_ms, record->median_ms + record->h2d_ms + record->d2h_ms, out, size);
}

struct rate rate_of(const struct record *record)
{
    const struct lab *lab = record->lab ? lab_find(record->lab) : NULL;
    struct rate rate = { record->bandwidth_gbps, record->ceiling_gbps, "GB/s", false };
    if (lab && lab_is_arithmetic(lab)) {
        rate.value = record->operations / record->median_ms / 1e6; // NAN where it was not timed
        rate.ceiling = record->ceiling_gflops;
        rate.unit = "GFLOP/s";
        rate.arithmetic = true;
    }
    return rate;
}

static void rate_words(const struct record *record, bool arithmetic, char *out, size_t size)
{
    struct rate rate = rate_of(record);
    if (isfinite(rate.value) && rate.arithmetic == arithmetic)
        format_into(out, size, "%.*f %s", rate.value < 100, rate.value, rate.unit);
}

static void bandwidth_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    rate_words(record, false, out, size);
}

static void arithmetic_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    rate_words(record, true, out, size);
}

static void ceiling_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (isfinite(record->ceiling_pct))
        format_into(out, size, "%.*f %% of %.0f", record->ceiling_pct < 99.95, record->ceiling_pct,
                    rate_of(record).ceiling);
}

static void check_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    bool right = is_right(record);
    format_into(out, size, "%s %s", glyph(result->utf8, right ? GLYPH_DONE : GLYPH_WRONG),
                record_status_name(record->status));
    if (record->status == STATUS_UNCHECKED || record->status == STATUS_SKIPPED)
        format_into(out, size, "%s", record_status_name(record->status));
}

static void registers_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (isfinite(record->registers))
        format_into(out, size, "%.0f%s", record->registers, record->spill_bytes > 0 ? ", spills" : "");
}

static void shared_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (isfinite(record->shared_bytes) && isfinite(record->registers))
        format_bytes(record->shared_bytes, out, size);
}

static void occupancy_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (isfinite(record->occupancy_pct))
        format_into(out, size, "%.0f %%%s%s", record->occupancy_pct,
                    record->occupancy_pct < 99.5 ? ", by " : "",
                    record->occupancy_pct < 99.5 && record->occupancy_limit ? record->occupancy_limit : "");
}

static void kernel_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (record->kernel && record->launches > 1)
        format_into(out, size, "%s", record->kernel);
}

static void launch_words(const struct record *record, const struct result *result, char *out, size_t size)
{
    if (isfinite(record->grid_blocks) && isfinite(record->block_threads))
        format_into(out, size, "<<<%.0f, %.0f>>>", record->grid_blocks, record->block_threads);
    else if (isfinite(record->threads) && record->backend == ON_CPU)
        format_into(out, size, "%.0f thread%s", record->threads, record->threads == 1 ? "" : "s");
}

static void table_row(struct sheet *sheet, const struct result *result, const struct result_column *columns,
                      int count, const char *label, cell_words words)
{
    char cell[64];
    bool any = false;
    for (int i = 0; i < count && !any; i++) {
        *cell = 0;
        words(columns[i].record, result, cell, sizeof cell);
        any = *cell != 0;
    }
    if (!any)
        return;
    sheet_add(sheet, ROLE_DIM, " %s", label);
    for (int i = 0; i < count; i++) {
        *cell = 0;
        words(columns[i].record, result, cell, sizeof cell);
        sheet_to(sheet, LABEL + i * COLUMN);
        enum role role = words != check_words          ? words == time_words ? columns[i].role : ROLE_TEXT
                         : is_right(columns[i].record) ? ROLE_GOOD
                                                       : ROLE_BAD;
        sheet_add_n(sheet, role, cell, text_fit(cell, COLUMN - 1));
    }
    sheet_end(sheet);
}

static void table(struct sheet *sheet, const struct result *result, const struct result_column *columns,
                  int count)
{
    static const struct {
        const char *label;
        cell_words words;
    } rows[] = { { "time", time_words },
                 { "spread", spread_words },
                 { "copies", copies_words },
                 { "against CPU", speedup_words },
                 { "with copies", with_copies_words },
                 { "bandwidth", bandwidth_words },
                 { "arithmetic", arithmetic_words },
                 { "of the max", ceiling_words },
                 { "check", check_words },
                 { "kernel", kernel_words },
                 { "launch", launch_words },
                 { "registers", registers_words },
                 { "shared", shared_words },
                 { "occupancy", occupancy_words } };
    for (int i = 0; i < count; i++) {
        sheet_to(sheet, LABEL + i * COLUMN);
        sheet_add_n(sheet, columns[i].role, columns[i].head, text_fit(columns[i].head, COLUMN - 1));
    }
    sheet_end(sheet);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        table_row(sheet, result, columns, count, rows[i].label, rows[i].words);
}

// ---- messages and notes below the table -------------------------------------------------------------------

void prompt_words(struct text *out, const char *text, const struct command *commands)
{
    static const char shell[] = "warpbook ";
    for (const char *at = text; *at;) {
        char name[24];
        size_t before = strlen(shell);
        bool starts = (at == text || strchr(" '(", at[-1])) && strncmp(at, shell, before) == 0;
        const char *word = starts ? at + before : "";
        format_into(name, sizeof name, "%.*s", (int)strcspn(word, " ';.,\n"), word);
        bool command = *name && commands && command_find(commands, name);
        text_add_n(out, command ? ":" : at, 1);
        at += command ? before : 1;
    }
}

void message_add(struct sheet *sheet, enum role role, const char *message, const struct command *commands)
{
    struct text words = { 0 };
    prompt_words(&words, message, commands);
    for (const char *text = text_string(&words); *text;) {
        size_t length = strcspn(text, "\n");
        char *line = mem_copy_n(text, length);
        if (text_cells(line) < sheet->width)
            sheet_lines(sheet, role, 1, line);
        else
            sheet_paragraph(sheet, role, 1, line);
        free(line);
        text += length + (text[length] == '\n');
    }
    text_free(&words);
}

// The first lines; a flood would make every frame slow.
static void add_printed(struct sheet *sheet, const char *printed)
{
    enum { LINES = 500 };
    size_t left = 0;
    const char *end = printed;
    for (int i = 0; i < LINES && *end; i++)
        end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
    for (const char *at = end; *at; left++)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    char *shown = mem_copy_n(printed, (size_t)(end - printed));
    sheet_lines(sheet, ROLE_TEXT, 3, shown);
    free(shown);
    if (!left)
        return;
    sheet_add(sheet, ROLE_DIM, "   and %zu lines more; ':run LAB/STEP' prints them all", left);
    sheet_end(sheet);
}

// The check of one record in words, its message, and what its kernels printed.
static void add_words(struct sheet *sheet, const struct record *record, const struct command *commands)
{
    struct text words = { 0 };
    bool wrong = record->status == STATUS_WRONG;
    if (wrong || is_right(record))
        record_check_words(record, &words);
    if (is_right(record) && record->tolerance) {
        char count[40];
        unit_count(record->compared, count, sizeof count);
        text_addf(&words, ": %s elements compared, %s", count, record->tolerance);
    }
    if (words.length)
        sheet_paragraph(sheet, wrong ? ROLE_BAD : ROLE_GOOD, 1, words.data);
    if (record->message)
        message_add(sheet, wrong || is_right(record) ? ROLE_NOTE : ROLE_BAD, record->message, commands);
    if (record->printed) {
        sheet_add(sheet, ROLE_DIM, " the kernel printed:");
        sheet_end(sheet);
        add_printed(sheet, record->printed);
    }
    text_free(&words);
}

static void add_where(struct sheet *sheet, const struct result *result)
{
    const struct record *record = result->chosen;
    struct text line = { 0 };
    const char *how = result->recorded            ? "recorded on "
                      : record->backend == ON_SIM ? "simulated"
                      : record->device            ? "measured on "
                                                  : "measured";
    text_addf(&line, "%s%s", how, record->backend != ON_SIM && record->device ? record->device : "");
    if (record->preset)
        text_addf(&line, ", %s", record->preset);
    if (record->data)
        text_addf(&line, ", %s data", record->data);
    if (record->compiler)
        text_addf(&line, ", %s", record->compiler);
    if (record->date)
        text_addf(&line, ", %.10s", record->date);
    sheet_paragraph(sheet, result->recorded ? ROLE_NOTE : ROLE_DIM, 1, line.data);
    text_free(&line);
}

static void add_described(struct sheet *sheet, const struct record *record)
{
    char words[300];
    if (!record->kernel || !(record->launches > 1))
        return;
    format_into(words, sizeof words,
                "Of %.0f launches the table shows that of %s, which %s; times and checks are of all.",
                record->launches, record->kernel,
                record->backend == ON_SIM ? "executes the most instructions" : "takes the longest");
    sheet_paragraph(sheet, ROLE_DIM, 1, words);
}

// The ceiling is one that a helper kernel reached, so a kernel that moves its bytes otherwise may pass it.
static void add_ceiling(struct sheet *sheet, const struct record *record)
{
    const struct lab *lab = record->lab ? lab_find(record->lab) : NULL;
    char words[300];
    if (!lab || !(record->ceiling_pct >= 100.5))
        return;
    format_into(words, sizeof words, "More than the max: %.0f %s is what %s.", rate_of(record).ceiling,
                rate_of(record).unit,
                lab->ceiling == CEILING_COPY
                    ? "a plain copy reaches; a kernel that reads more than it writes can pass it, "
                      "and so can one that makes several passes in one"
                : lab->ceiling == CEILING_READ ? "reading alone reached when this GPU was measured"
                : lab->ceiling == CEILING_FP32 ? "its lanes do at the clock that the driver states"
                : lab->ceiling == CEILING_TENSOR
                    ? "tensor cores did when this GPU was measured, by instructions that all have"
                    : "shared memory gave when this GPU was measured");
    sheet_paragraph(sheet, ROLE_DIM, 1, words);
}

struct sheet result_sheet(const struct result *result, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    struct result_column columns[3];
    int count = 0, room = (width - LABEL) / COLUMN;
    const struct record *chosen = result->chosen;
    bool timed = has_time(chosen);
    if (!chosen) {
        message_add(&sheet, ROLE_DIM, result->error ? result->error : "Not run yet.", result->commands);
        return sheet;
    }
    if (result->cpu && result->cpu != chosen && room > 1)
        columns[count++] = (struct result_column){ "fastest CPU", result->cpu, ROLE_CPU };
    if (result->before && room > count + 1)
        columns[count++] = (struct result_column){ result->baseline ? result->baseline : "step before",
                                                   result->before, ROLE_TEXT };
    columns[count++] = (struct result_column){ result->recorded            ? "this (recorded)"
                                               : chosen->backend == ON_SIM ? "this (simulated)"
                                                                           : "this",
                                               chosen,
                                               result->recorded            ? ROLE_NOTE
                                               : chosen->backend == ON_CPU ? ROLE_CPU
                                               : chosen->backend == ON_SIM ? ROLE_SIM
                                                                           : ROLE_GPU };
    if (timed || chosen->status)
        table(&sheet, result, columns, count);
    add_described(&sheet, chosen);
    add_ceiling(&sheet, chosen);
    add_words(&sheet, chosen, result->commands);
    add_where(&sheet, result);
    if (result->error)
        message_add(&sheet, ROLE_BAD, result->error, result->commands);
    return sheet;
}

// ---- counters beside what is ideal, and findings ----------------------------------------------------------

enum { NUMBERS = 41 }; // columns of what counters cost

#define AT(name) offsetof(struct record_counters, name)
static const struct access_row {
    const char *what;
    size_t requests, passes;      // where in struct record_counters
    size_t conflicts, wavefronts; // as well; 0: not counted
    const char *unit;
} access_rows[] = {
    { "global loads", AT(gld_req), AT(gld_sec), 0, 0, "sectors" },
    { "global stores", AT(gst_req), AT(gst_sec), 0, 0, "sectors" },
    { "global red.", AT(red_req), AT(red_sec), 0, 0, "passes" }, // a sector is passed once in each turn
    { "global atomics", AT(atom_req), AT(atom_sec), 0, 0, "passes" },
    { "shared loads", AT(sld_inst), AT(sld_wave), AT(sld_conf), 0, "wavefronts" },
    { "shared stores", AT(sst_inst), AT(sst_wave), AT(sst_conf), 0, "wavefronts" },
    { "shared atomics", AT(satom_inst), AT(satom_wave), AT(satom_conf), 0, "wavefronts" },
    // Of another block's shared memory.
    { "remote loads", AT(dld_req), AT(dld_sec), 0, AT(dld_wave), "sectors" },
    { "remote stores", AT(dst_req), AT(dst_sec), 0, AT(dst_wave), "sectors" },
    { "remote atomics", AT(datom_req), AT(datom_sec), 0, AT(datom_wave), "passes" },
    { "constants", AT(const_req), AT(const_turn), 0, 0, "turns" }, // by an index
};

// After the numbers, from `column` on; below them where the line has no room for it.
static void add_note(struct sheet *sheet, int column, enum role role, const char *words)
{
    if (column + text_cells(words) > sheet->width) {
        sheet_end(sheet);
        column = NUMBERS;
    }
    sheet_to(sheet, column);
    sheet_add(sheet, role, "%s", words);
}

static double count_at(const struct record_counters *counters, size_t at)
{
    return *(const double *)(const void *)((const char *)counters + at);
}

static void add_access(struct sheet *sheet, const struct record_counters *counters,
                       const struct access_row *row)
{
    char requests[40], passes[40], conflicts[40], wavefronts[40], words[60];
    double asked = count_at(counters, row->requests), took = count_at(counters, row->passes);
    if (!(asked > 0))
        return;
    unit_count(asked, requests, sizeof requests);
    unit_count(took, passes, sizeof passes);
    sheet_add(sheet, ROLE_TEXT, " %-15s%12s%12s ", row->what, requests, passes);
    sheet_add(sheet, ROLE_TITLE, "%7.2f %s", took / asked, row->unit);
    if (row->conflicts && count_at(counters, row->conflicts) > 0) {
        unit_count(count_at(counters, row->conflicts), conflicts, sizeof conflicts);
        format_into(words, sizeof words, "! %s conflicts", conflicts);
        add_note(sheet, 60, ROLE_BAD, words);
    }
    if (row->wavefronts && count_at(counters, row->wavefronts) > 0) {
        unit_count(count_at(counters, row->wavefronts), wavefronts, sizeof wavefronts);
        format_into(words, sizeof words, "%s wavefront%s", wavefronts,
                    count_at(counters, row->wavefronts) > 1 ? "s" : "");
        add_note(sheet, 60, ROLE_TEXT, words);
    }
    sheet_end(sheet);
}

// "sectors    16,384   8,192   2.00 x ! too many"
static void add_ideal(struct sheet *sheet, const char *what, double count, double ideal,
                      const char *bad_words)
{
    char counted[40], least[40];
    if (!(count > 0) || !(ideal > 0))
        return;
    unit_count(count, counted, sizeof counted);
    unit_count(ideal, least, sizeof least);
    bool bad = count > 1.05 * ideal;
    sheet_add(sheet, ROLE_TEXT, " %-15s%12s%12s ", what, counted, least);
    sheet_add(sheet, bad ? ROLE_BAD : ROLE_GOOD, "%7.2f x", count / ideal);
    if (bad)
        add_note(sheet, sheet->used + 1, ROLE_BAD, bad_words);
    sheet_end(sheet);
}

static void add_plain_counters(struct sheet *sheet, const struct record *record)
{
    const struct record_counters *counters = record->counters;
    char count[40];
    double lanes = counters->lanes_per_inst;
    unit_count(record->warp_inst, count, sizeof count);
    sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "instructions", count);
    sheet_to(sheet, 41);
    sheet_add(sheet, lanes < 30 ? ROLE_NOTE : ROLE_TEXT, "%7.1f lanes of 32%s", lanes,
              lanes < 30 ? " !" : "");
    sheet_end(sheet);
    if (counters->branches > 0) {
        unit_count(counters->branches, count, sizeof count);
        sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "branches", count);
        sheet_to(sheet, 41);
        sheet_add(sheet, counters->divergent > 0 ? ROLE_NOTE : ROLE_TEXT, "%7.1f %% diverge",
                  100 * counters->divergent / counters->branches);
        sheet_end(sheet);
    }
    if (counters->barriers > 0) {
        unit_count(counters->barriers, count, sizeof count);
        sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "barriers", count);
        sheet_end(sheet);
    }
    if (counters->tensor > 0) {
        unit_count(counters->tensor, count, sizeof count);
        sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "tensor", count);
        sheet_to(sheet, 41);
        sheet_add(sheet, ROLE_TEXT, "%7.1f %% of the instructions", 100 * counters->tensor / counters->inst);
        sheet_end(sheet);
    }
}

// Lanes that add to one word take turns; a sector is one of the passes in each turn, but is touched once.
static void add_turns(struct sheet *sheet, const struct record_counters *counters)
{
    if (record_global_sectors(counters) > counters->l2_sectors)
        sheet_paragraph(sheet, ROLE_DIM, 1,
                        "More passes than sectors: lanes that add to one word take turns.");
}

static void findings_add(struct sheet *sheet, const struct record *record)
{
    static const char *const severities[] = { "note", "warning", "error" };
    if (!record || !record->findings)
        return;
    if (!record->finding_count) {
        sheet_add(sheet, ROLE_GOOD, " %s No findings.", glyph(sheet->utf8, GLYPH_DONE));
        sheet_end(sheet);
    }
    for (size_t i = 0; i < record->finding_count; i++) {
        const struct sim_finding *finding = &record->findings[i];
        struct text words = { 0 };
        record_finding_words(finding, NULL, &words);
        int kind = (int)strcspn(words.data, ",");
        sheet_gap(sheet);
        sheet_add(sheet, finding->severity == SIM_ERROR ? ROLE_BAD : ROLE_NOTE, " %s %s: %.*s",
                  glyph(sheet->utf8, GLYPH_WRONG), severities[finding->severity], kind, words.data);
        sheet_add(sheet, ROLE_TEXT, "%s", words.data + kind);
        sheet_end(sheet);
        sheet_paragraph(sheet, ROLE_TEXT, 3, finding->sentence);
        text_free(&words);
    }
}

struct sheet counters_sheet(const struct record *record, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct record_counters *counters = record ? record->counters : NULL;
    if (!counters) {
        sheet_paragraph(&sheet, ROLE_DIM, 1,
                        record ? "It was not counted: the run did not get that far."
                               : "Nothing was counted yet. The simulator counts: press s.");
        return sheet;
    }
    sheet_add(&sheet, ROLE_SIM, " simulated");
    sheet_add(&sheet, ROLE_DIM, "%s%s%s%s", record->preset ? ", " : "", record->preset ? record->preset : "",
              record->data ? ", " : "", record->data ? record->data : "");
    sheet_end(&sheet);
    sheet_add(&sheet, ROLE_DIM, "%28s%12s    per request", "requests", "passes");
    sheet_end(&sheet);
    for (size_t i = 0; i < sizeof access_rows / sizeof *access_rows; i++)
        add_access(&sheet, counters, &access_rows[i]);
    sheet_add(&sheet, ROLE_DIM, "%28s%12s    of the ideal", "seen", "ideal");
    sheet_end(&sheet);
    add_ideal(&sheet, "sectors", counters->l2_sectors, counters->l2_sectors_ideal, "! too many");
    add_turns(&sheet, counters);
    add_ideal(&sheet, "wavefronts", counters->l1_wave_shared, counters->l1_wave_shared_ideal,
              "! banks take turns");
    add_plain_counters(&sheet, record);
    findings_add(&sheet, record);
    return sheet;
}
