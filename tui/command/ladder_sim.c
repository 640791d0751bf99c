// The ladder of a lab in the simulator: no times, but what the accesses of each step cost.
#include "tui/command/ladder.h"

#include <math.h>
#include <string.h>

enum { CELLS = 11 };

// Empty where there was no such access.
static void ratio_cell(const struct paper *paper, double ratio)
{
    char text[32] = "";
    if (isfinite(ratio))
        format_into(text, sizeof text, "%.2f", ratio);
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
    const struct paper *paper = &table->paper;
    const struct record_counters *counters = record->counters;
    size_t findings = record->finding_count;
    if (!table->columns_shown)
        ladder_sim_columns(table);
    paper_put(paper, ROLE_TEXT, "  ");
    paper_cell(paper, ROLE_TEXT, table->name_cells, "%s%s%s", step, *step ? " " : "",
               record->title ? record->title : "");
    ratio_cell(paper, record_sectors_per_request(counters));
    ratio_cell(paper, record_wavefronts_per_access(counters));
    if (counters)
        paper_cell(paper, ROLE_TEXT, -CELLS, "%.1f", counters->lanes_per_inst);
    else
        paper_cell(paper, ROLE_TEXT, -CELLS, " ");
    paper_put(paper, record->status == STATUS_RIGHT ? ROLE_GOOD : ROLE_BAD, "%s",
              record_status_name(record->status));
    if (findings)
        paper_put(paper, ROLE_BAD, ", %zu finding%s", findings, findings == 1 ? "" : "s");
    paper_put(paper, ROLE_TEXT, "\n");
    ladder_table_details(table, record);
    fflush(paper->file);
}
