// What a run cost in the simulator, in words and columns: counters beside what is ideal, and findings. The pages show
// these sheets and the command line prints them.
#include "tui/text/text.h"

#include "engine/sim/sim.h"

#include <string.h>

enum { NUMBERS = 41 }; // columns of what counters cost

#define AT(name) offsetof(struct record_counters, name)
static const struct access_row {
    const char *what;
    size_t requests, passes, conflicts; // where in struct record_counters; conflicts 0: not counted
    const char *unit;
} access_rows[] = {
    { "global loads", AT(gld_req), AT(gld_sec), 0, "sectors" },
    { "global stores", AT(gst_req), AT(gst_sec), 0, "sectors" },
    { "global red.", AT(red_req), AT(red_sec), 0, "sectors" },
    { "global atomics", AT(atom_req), AT(atom_sec), 0, "sectors" },
    { "shared loads", AT(sld_inst), AT(sld_wave), AT(sld_conf), "wavefronts" },
    { "shared stores", AT(sst_inst), AT(sst_wave), AT(sst_conf), "wavefronts" },
    { "shared atomics", AT(satom_inst), AT(satom_wave), AT(satom_conf), "wavefronts" },
};

// Behind the numbers, from `column` on; below them where the line has no room for it.
static void add_note(struct sheet *sheet, int column, const char *words)
{
    if (column + text_cells(words) > sheet->width) {
        sheet_end(sheet);
        column = NUMBERS;
    }
    sheet_to(sheet, column);
    sheet_add(sheet, ROLE_BAD, "%s", words);
}

static double count_at(const struct record_counters *counters, size_t at)
{
    return *(const double *)(const void *)((const char *)counters + at);
}

static void add_access(struct sheet *sheet, const struct record_counters *counters,
                       const struct access_row *row)
{
    char requests[40], passes[40], conflicts[40], words[60];
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
        add_note(sheet, 60, words);
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
        add_note(sheet, sheet->used + 1, bad_words);
    sheet_end(sheet);
}

static void add_plain_counters(struct sheet *sheet, const struct record *record)
{
    const struct record_counters *counters = record->counters;
    char instructions[40];
    double lanes = counters->lanes_per_inst;
    unit_count(record->warp_inst, instructions, sizeof instructions);
    sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "instructions", instructions);
    sheet_to(sheet, 41);
    sheet_add(sheet, lanes < 30 ? ROLE_NOTE : ROLE_TEXT, "%7.1f lanes of 32%s", lanes,
              lanes < 30 ? " !" : "");
    sheet_end(sheet);
    if (counters->branches > 0) {
        char count[40];
        unit_count(counters->branches, count, sizeof count);
        sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "branches", count);
        sheet_to(sheet, 41);
        sheet_add(sheet, counters->divergent > 0 ? ROLE_NOTE : ROLE_TEXT, "%7.1f %% diverge",
                  100 * counters->divergent / counters->branches);
        sheet_end(sheet);
    }
    if (counters->barriers > 0) {
        char count[40];
        unit_count(counters->barriers, count, sizeof count);
        sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "barriers", count);
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

void findings_add(struct sheet *sheet, const struct record *record)
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
