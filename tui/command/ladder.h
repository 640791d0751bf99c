// The ladder of a lab as a table that grows row by row while it runs.
#ifndef WARPBOOK_LADDER_H
#define WARPBOOK_LADDER_H

#include "tui/tui.h"

struct ladder_table {
    struct paper paper;
    // How wide the columns are that depend on the terminal; 0: left out.
    int name_cells, bar_cells, rate_cells, share_cells, spread_cells;
    // The fastest right answers so far, for the last line; NAN: none.
    double best_cpu_ms, best_gpu_ms, best_gpu_copies_ms;
    bool columns_shown;
    struct ladder_pictures *chart; // NULL: not asked for
};
void ladder_table_open(struct ladder_table *table);
void ladder_table_lab(struct ladder_table *table, const struct lab *lab, const struct record *record);
void ladder_table_section(struct ladder_table *table, const struct record *record, bool recorded);
void ladder_table_row(struct ladder_table *table, const char *step, const struct record *record,
                      bool recorded);
void ladder_table_close(struct ladder_table *table);

// The times of right answers, drawn.
struct ladder_pictures *ladder_chart_new(void);
void ladder_chart_print(const struct ladder_pictures *chart, const struct paper *paper,
                        const struct lab *lab);
void ladder_chart_free(struct ladder_pictures *chart);

void ladder_sim_row(struct ladder_table *table, const char *step, const struct record *record);

#endif
