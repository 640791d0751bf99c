// The ladder of a lab in the simulator: no times, but what the accesses of each step cost.
#include "tui/command/ladder.h"

#include <string.h>

enum { CELLS = 11 };

// Passes for each request of several kinds of access; an empty cell where there is none.
static void ratio_cell(const struct paper *paper, const json_t *counters, const char *const requests[4],
                       const char *const passes[4])
{
    double asked = 0, taken = 0;
    char text[32] = "";
    for (int i = 0; i < 4 && requests[i]; i++) {
        asked += number_of(counters, requests[i]);
        taken += number_of(counters, passes[i]);
    }
    if (asked > 0)
        format_into(text, sizeof text, "%.2f", taken / asked);
    paper_cell(paper, ROLE_TEXT, -CELLS, "%s", text);
}

void ladder_sim_columns(struct ladder_table *table)
{
    static const char *const names[] = { "sectors/req", "waves/req", "lanes/inst" };
    const struct paper *paper = &table->paper;
    paper_put(paper, ROLE_TEXT, "\n  ");
    paper_cell(paper, ROLE_DIM, table->name_cells, "step");
    for (int i = 0; i < 3; i++)
        paper_cell(paper, ROLE_DIM, -CELLS, "%s", names[i]);
    paper_put(paper, ROLE_DIM, "check\nSIM  counted, not timed; 'warpbook sim LAB/STEP' tells more\n");
    table->columns_shown = true;
}

void ladder_sim_row(struct ladder_table *table, const char *step, const struct record *record)
{
    static const char *const global_requests[] = { "gld_req", "gst_req", "red_req", "atom_req" };
    static const char *const global_passes[] = { "gld_sec", "gst_sec", "red_sec", "atom_sec" };
    static const char *const shared_requests[] = { "sld_inst", "sst_inst", "satom_inst", NULL };
    static const char *const shared_passes[] = { "sld_wave", "sst_wave", "satom_wave", NULL };
    const struct paper *paper = &table->paper;
    const json_t *counters = record->counters;
    size_t findings = json_array_size(record->findings);
    if (!table->columns_shown)
        ladder_sim_columns(table);
    paper_put(paper, ROLE_TEXT, "  ");
    paper_cell(paper, ROLE_TEXT, table->name_cells, "%s%s%s", step, *step ? " " : "",
               record->title ? record->title : "");
    ratio_cell(paper, counters, global_requests, global_passes);
    ratio_cell(paper, counters, shared_requests, shared_passes);
    if (counters)
        paper_cell(paper, ROLE_TEXT, -CELLS, "%.1f", number_of(counters, "lanes_per_inst"));
    else
        paper_cell(paper, ROLE_TEXT, -CELLS, " ");
    paper_put(paper, strcmp(record->status, "right") == 0 ? ROLE_GOOD : ROLE_BAD, "%s", record->status);
    if (findings)
        paper_put(paper, ROLE_BAD, ", %zu finding%s", findings, findings == 1 ? "" : "s");
    paper_put(paper, ROLE_TEXT, "\n");
    ladder_table_details(table, record);
    fflush(paper->file);
}
