// warpbook sim --instructions: a table of the PTX instructions that ran, under the lines of the source that they
// were made of.
#include "tui/command/sim.h"

#include "engine/run/simulation.h"

#include <stdlib.h>
#include <string.h>

static int by_source(const void *left, const void *right)
{
    const struct instruction *const *x = left, *const *y = right;
    if ((*x)->line != (*y)->line)
        return (*x)->line < (*y)->line ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

// Line `line` of the source without what it is indented by.
static void show_source(const struct paper *paper, const char *source, int line)
{
    const char *at = source;
    for (int i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at || line < 1) {
        paper_put(paper, ROLE_TITLE, "\nof no line of the source\n");
        return;
    }
    at += strspn(at, " \t");
    paper_put(paper, ROLE_TITLE, "\nline %d: %.*s\n", line, (int)strcspn(at, "\r\n"), at);
}

// Passes of one request on average; nothing where there are none.
static void pass_cell(const struct paper *paper, const struct sim_counters *counters, bool shared, int cells)
{
    uint64_t requests = 0, passes = 0;
    for (int i = 0; i < SIM_ACCESSES; i++) {
        if ((i == SIM_SHARED_LOAD || i == SIM_SHARED_STORE || i == SIM_SHARED_ATOM) != shared)
            continue;
        requests += counters->requests[i];
        passes += counters->passes[i];
    }
    if (requests)
        paper_cell(paper, ROLE_TITLE, -cells, "%.2f", (double)passes / (double)requests);
    else
        paper_cell(paper, ROLE_TEXT, -cells, "%s", "");
}

static void show_instruction(const struct paper *paper, const struct instruction *item)
{
    const struct sim_counters *counters = &item->counters;
    char executions[40];
    unit_count((double)counters->warp_inst, executions, sizeof executions);
    paper_cell(paper, ROLE_TEXT, -10, "%s", executions);
    paper_cell(paper, ROLE_TEXT, -5, "%.1f",
               counters->warp_inst ? (double)counters->thread_inst / (double)counters->warp_inst : 0);
    pass_cell(paper, counters, false, 7);
    pass_cell(paper, counters, true, 10);
    paper_cell(paper, ROLE_DIM, -5, "%d", item->ptx_line);
    paper_put(paper, ROLE_TEXT, "%s", item->text);
    if (counters->divergent) {
        char divergent[40];
        unit_count((double)counters->divergent, divergent, sizeof divergent);
        paper_put(paper, ROLE_NOTE, "  splits %s", divergent);
    }
    paper_put(paper, ROLE_TEXT, "\n");
}

void sim_show_instructions(const struct paper *paper, const struct record *record, const char *source)
{
    const struct instructions *all = record->instructions;
    const struct instruction **order = mem_new((all->count + 1) * sizeof *order);
    for (size_t i = 0; i < all->count; i++)
        order[i] = &all->items[i];
    qsort(order, all->count, sizeof *order, by_source);
    paper_put(paper, ROLE_DIM,
              "\nPTX instructions by warps; lanes, sectors and wavefronts of one on average\n");
    paper_put(paper, ROLE_DIM, "%10s %5s %7s %10s %5s\n", "executions", "lanes", "sectors", "wavefronts",
              "ptx");
    for (size_t i = 0; i < all->count; i++) {
        if (source && (!i || order[i]->line != order[i - 1]->line))
            show_source(paper, source, order[i]->line);
        show_instruction(paper, order[i]);
    }
    free(order);
}
