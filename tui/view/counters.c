// What a run cost in the simulator, in words and columns: counters beside what is ideal, and findings. The pages show
// these sheets and the command line prints them.
#include "tui/view/view.h"

#include <string.h>

enum { NUMBERS = 41 }; // columns of what counters cost

static const struct access_row {
    const char *what, *requests, *passes, *conflicts, *unit;
    double ideal; // passes of a request of 32 lanes with 4 bytes each
} access_rows[] = {
    { "global loads", "gld_req", "gld_sec", NULL, "sectors", 4 },
    { "global stores", "gst_req", "gst_sec", NULL, "sectors", 4 },
    { "global red.", "red_req", "red_sec", NULL, "sectors", 4 },
    { "global atomics", "atom_req", "atom_sec", NULL, "sectors", 4 },
    { "shared loads", "sld_inst", "sld_wave", "sld_conf", "wavefronts", 1 },
    { "shared stores", "sst_inst", "sst_wave", "sst_conf", "wavefronts", 1 },
    { "shared atomics", "satom_inst", "satom_wave", "satom_conf", "wavefronts", 1 },
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

static void add_access(struct sheet *sheet, const json_t *counters, const struct access_row *row)
{
    char requests[40], passes[40], conflicts[40], words[60];
    double asked = number_of(counters, row->requests), took = number_of(counters, row->passes);
    if (!(asked > 0))
        return;
    unit_count(asked, requests, sizeof requests);
    unit_count(took, passes, sizeof passes);
    sheet_add(sheet, ROLE_TEXT, " %-15s%12s%12s ", row->what, requests, passes);
    sheet_add(sheet, ROLE_TITLE, "%7.2f %s", took / asked, row->unit);
    if (row->conflicts && number_of(counters, row->conflicts) > 0) {
        unit_count(number_of(counters, row->conflicts), conflicts, sizeof conflicts);
        format_into(words, sizeof words, "! %s conflicts", conflicts);
        add_note(sheet, 60, words);
    }
    sheet_end(sheet);
}

// "sectors    16,384   8,192   2.00 x ! too many"
static void add_ideal(struct sheet *sheet, const json_t *counters, const char *what, const char *key,
                      const char *ideal_key, const char *bad_words)
{
    double count = number_of(counters, key), ideal = number_of(counters, ideal_key);
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
    const json_t *counters = record->counters;
    char instructions[40];
    double lanes = number_of(counters, "lanes_per_inst");
    double branches = number_of(counters, "branches"), divergent = number_of(counters, "divergent");
    unit_count(record->warp_inst, instructions, sizeof instructions);
    sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "instructions", instructions);
    sheet_to(sheet, 41);
    sheet_add(sheet, lanes < 30 ? ROLE_NOTE : ROLE_TEXT, "%7.1f lanes of 32%s", lanes,
              lanes < 30 ? " !" : "");
    sheet_end(sheet);
    if (branches > 0) {
        char count[40];
        unit_count(branches, count, sizeof count);
        sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "branches", count);
        sheet_to(sheet, 41);
        sheet_add(sheet, divergent > 0 ? ROLE_NOTE : ROLE_TEXT, "%7.1f %% diverge",
                  100 * divergent / branches);
        sheet_end(sheet);
    }
    if (number_of(counters, "barriers") > 0) {
        char count[40];
        unit_count(number_of(counters, "barriers"), count, sizeof count);
        sheet_add(sheet, ROLE_TEXT, " %-15s%12s", "barriers", count);
        sheet_end(sheet);
    }
}

// Lanes that add to one word take turns; a sector is one of the passes in each turn, but is touched once.
static void add_turns(struct sheet *sheet, const json_t *counters)
{
    double passes = number_of(counters, "gld_sec") + number_of(counters, "gst_sec") +
                    number_of(counters, "red_sec") + number_of(counters, "atom_sec");
    if (passes > number_of(counters, "l2_sectors"))
        sheet_paragraph(sheet, ROLE_DIM, 1,
                        "More passes than sectors: lanes that add to one word take turns.");
}

struct sheet counters_sheet(const struct record *record, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const json_t *counters = record ? record->counters : NULL;
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
    add_ideal(&sheet, counters, "sectors", "l2_sectors", "l2_sectors_ideal", "! too many");
    add_turns(&sheet, counters);
    add_ideal(&sheet, counters, "wavefronts", "l1_wave_shared", "l1_wave_shared_ideal", "! banks take turns");
    add_plain_counters(&sheet, record);
    findings_add(&sheet, record);
    return sheet;
}

void findings_add(struct sheet *sheet, const struct record *record)
{
    size_t i;
    json_t *finding;
    if (!record || !record->findings)
        return;
    if (!json_array_size(record->findings)) {
        sheet_add(sheet, ROLE_GOOD, " %s No findings.", glyph(sheet->utf8, GLYPH_DONE));
        sheet_end(sheet);
    }
    json_array_foreach(record->findings, i, finding)
    {
        const char *severity = json_string_value(json_object_get(finding, "severity"));
        const char *kind = json_string_value(json_object_get(finding, "kind"));
        const char *sentence = json_string_value(json_object_get(finding, "sentence"));
        bool error = severity && strcmp(severity, "error") == 0;
        sheet_gap(sheet);
        sheet_add(sheet, error ? ROLE_BAD : ROLE_NOTE, " %s %s: %s", glyph(sheet->utf8, GLYPH_WRONG),
                  severity ? severity : "", kind ? kind : "");
        if (json_object_get(finding, "line"))
            sheet_add(sheet, ROLE_TEXT, ", line %.0f", number_of(finding, "line"));
        else if (json_object_get(finding, "ptx_line"))
            sheet_add(sheet, ROLE_TEXT, ", line %.0f of the PTX", number_of(finding, "ptx_line"));
        if (number_of(finding, "count") > 1)
            sheet_add(sheet, ROLE_TEXT, ", %.0f times", number_of(finding, "count"));
        sheet_end(sheet);
        sheet_paragraph(sheet, ROLE_TEXT, 3, sentence ? sentence : "");
    }
}
