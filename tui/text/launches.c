// What a whole program launched in the simulator, and what it did wrong: for the paper of `warpbook exec` and for its page.
#include "engine/run/exec.h"
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// ---- the table of launches ------------------------------------------------------------------------------------------------

static void dimensions(const uint32_t of[3], char *out, size_t size)
{
    if (of[2] > 1)
        format_into(out, size, "%ux%ux%u", of[0], of[1], of[2]);
    else if (of[1] > 1)
        format_into(out, size, "%ux%u", of[0], of[1]);
    else
        format_into(out, size, "%u", of[0]);
}

static uint64_t sum(const uint64_t counts[SIM_ACCESSES], enum sim_access from, enum sim_access to)
{
    uint64_t total = 0;
    for (int i = from; i <= (int)to; i++)
        total += counts[i];
    return total;
}

static void short_count(double count, char *out, size_t size)
{
    static const char units[] = " kMGTP";
    size_t unit = 0;
    for (; count >= 9999.5 && unit + 2 < sizeof units; unit++)
        count /= 1000;
    format_into(out, size, unit ? "%.1f%c" : "%.0f", count, units[unit]);
}

enum {
    TIME_CELLS = 15,
    FINDING_CELLS = 9,
    FINDINGS_FROM = 90, // on narrower paper only the list below has them
    LEAST_NAME = 10,
    MOST_NAME = 40
};
static const struct {
    const char *name;
    int cells;
} heads[] = { { "times", 6 },
              { "grid", 11 },
              { "block", 8 },
              { "sectors", 8 },
              { "of best", 8 },
              { "conflicts", 10 },
              { "modelled", TIME_CELLS },
              { "findings", FINDING_CELLS } };
enum { COLUMNS = sizeof heads / sizeof *heads };

// So many columns have room beside the least of a name.
static size_t columns_on(int width)
{
    size_t most = COLUMNS - (width < FINDINGS_FROM), count = 0;
    for (int used = LEAST_NAME; count < most && (used += heads[count].cells) <= width;)
        count++;
    return count;
}

// To the right in column `i`, which ends where the columns up to it do.
static void put_right(struct sheet *sheet, int name_cells, size_t i, enum role role, const char *text)
{
    int end = name_cells;
    for (size_t k = 0; k <= i; k++)
        end += heads[k].cells;
    sheet_to(sheet, end - (int)text_cells(text));
    sheet_add(sheet, role, "%s", text);
}

static void add_row(struct sheet *sheet, const struct exec_row *row, int name_cells)
{
    char cells[COLUMNS][40];
    enum role roles[COLUMNS];
    const struct sim_counters *c = &row->counters;
    uint64_t sectors = sum(c->passes, SIM_GLOBAL_LOAD, SIM_GLOBAL_ATOM),
             ideal = sum(c->ideal, SIM_GLOBAL_LOAD, SIM_GLOBAL_ATOM),
             conflicts = sum(c->conflicts, SIM_SHARED_LOAD, SIM_SHARED_ATOM);
    bool timed = row->modelled.name && !row->modelled.why;
    for (size_t i = 0; i < COLUMNS; i++) {
        roles[i] = i >= 3 && i < 6 && !row->counted ? ROLE_DIM : ROLE_TEXT;
        format_into(cells[i], sizeof cells[i], "-");
    }
    short_count((double)row->launches, cells[0], sizeof cells[0]);
    dimensions(row->grid, cells[1], sizeof cells[1]);
    dimensions(row->block, cells[2], sizeof cells[2]);
    if (row->counted) {
        short_count((double)sectors, cells[3], sizeof cells[3]);
        short_count((double)conflicts, cells[5], sizeof cells[5]);
        roles[5] = conflicts ? ROLE_NOTE : ROLE_TEXT;
    }
    if (row->counted && ideal) {
        format_into(cells[4], sizeof cells[4], "%.2fx", (double)sectors / (double)ideal);
        roles[4] = sectors > ideal + ideal / 2 ? ROLE_NOTE : ROLE_TEXT;
    }
    roles[6] = timed ? ROLE_TEXT : ROLE_DIM;
    if (timed)
        modelled_time(&row->modelled, sheet->utf8, cells[6], sizeof cells[6]);
    *cells[7] = 0;
    if (row->findings)
        short_count((double)row->findings, cells[7], sizeof cells[7]);
    roles[7] = ROLE_BAD;
    sheet_add_n(sheet, ROLE_TITLE, row->kernel, text_fit_n(row->kernel, strlen(row->kernel), name_cells));
    for (size_t i = 0; i < columns_on(sheet->width); i++)
        if (*cells[i])
            put_right(sheet, name_cells, i, roles[i], cells[i]);
    sheet_end(sheet);
}

static int name_cells_on(int width, const struct exec_outcome *outcome)
{
    int cells = LEAST_NAME, beside = 0;
    for (size_t i = 0; i < columns_on(width); i++)
        beside += heads[i].cells;
    for (size_t i = 0; i < outcome->row_count; i++) {
        int own = (int)text_cells(outcome->rows[i].kernel);
        cells = own > cells ? own : cells;
    }
    cells = cells > MOST_NAME ? MOST_NAME : cells;
    if (cells > width - beside)
        cells = width - beside > LEAST_NAME ? width - beside : LEAST_NAME;
    return cells;
}

// The counters of all launches of a row that were counted, and its whole name, which the table may have cut.
static void add_counters(struct sheet *sheet, const struct exec_row *row)
{
    struct record record;
    struct record_counters counters;
    record_init(&record);
    record_count(&counters, &row->counters);
    record.counters = &counters;
    record.warp_inst = (double)row->counters.warp_inst;
    record.thread_inst = (double)row->counters.thread_inst;
    char number[40], first[40];
    unit_count((double)row->launches, number, sizeof number);
    unit_count((double)row->numbers[0], first, sizeof first);
    sheet_paragraph(sheet, ROLE_TITLE, 2, row->kernel);
    sheet_to(sheet, 2);
    sheet_add(sheet, ROLE_DIM,
              row->launches > 1 ? "%s launches, the first of them launch %s of the program"
                                : "%slaunch %s of the program",
              row->launches > 1 ? number : "", first);
    sheet_end(sheet);
    if (row->counted) {
        struct sheet counted = counters_sheet(&record, sheet->width - 4, sheet->utf8);
        typeset_paste(sheet, &counted, "  ", false);
        sheet_free(&counted);
    }
    record.counters = NULL;
    record_free(&record);
}

static void add_rows(struct sheet *sheet, const struct exec_shown *shown)
{
    const struct exec_outcome *outcome = shown->outcome;
    int cells = name_cells_on(sheet->width, outcome);
    sheet_add(sheet, ROLE_DIM, "kernel");
    for (size_t i = 0; i < columns_on(sheet->width); i++)
        put_right(sheet, cells, i, ROLE_DIM, heads[i].name);
    sheet_end(sheet);
    for (size_t i = 0; i < outcome->row_count; i++) {
        sheet->item = shown->items ? (int)i : -1;
        add_row(sheet, &outcome->rows[i], cells);
        sheet->item = -1;
        if (shown->items && shown->open == (int)i)
            add_counters(sheet, &outcome->rows[i]);
    }
}

// ---- findings ---------------------------------------------------------------------------------------------------------------

static void add_finding(struct sheet *sheet, const struct exec_finding *f)
{
    const char *slash = strrchr(f->file, '/');
    bool error = strcmp(f->severity, "error") == 0;
    sheet_add(sheet, error ? ROLE_BAD : ROLE_NOTE, "%s: %s", f->severity, f->kind);
    sheet_hang(sheet, 2);
    if (f->line)
        sheet_flow(sheet, ROLE_TEXT, ", %s:%d", *f->file ? slash ? slash + 1 : f->file : "line", f->line);
    if (f->kernel)
        sheet_flow(sheet, ROLE_TEXT, ", %s in launch %llu", f->kernel, (unsigned long long)f->launch);
    else if (f->launch)
        sheet_flow(sheet, ROLE_TEXT, ", after launch %llu", (unsigned long long)f->launch);
    if (f->count > 1)
        sheet_flow(sheet, ROLE_TEXT, ", %llu times", (unsigned long long)f->count);
    sheet_end(sheet);
    sheet_paragraph(sheet, ROLE_TEXT, 2, f->sentence);
}

static void add_end(struct sheet *sheet, const struct exec_shown *shown)
{
    const struct exec_outcome *outcome = shown->outcome;
    char how[120], launches[40];
    unit_count((double)outcome->launches, launches, sizeof launches);
    bool fine = !outcome->stopped && WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) == 0;
    if (fine)
        format_into(how, sizeof how, "ended");
    else if (outcome->stopped)
        format_into(how, sizeof how, "was stopped");
    else
        child_describe(outcome->status, how, sizeof how);
    sheet_add(sheet, ROLE_TITLE, "%s", shown->program);
    sheet_add(sheet, fine ? ROLE_TEXT : ROLE_BAD, " %s", how);
    sheet_add(sheet, ROLE_TEXT, "; %s launch%s in the simulator", launches,
              outcome->launches == 1 ? "" : "es");
    if (!fine && outcome->last)
        sheet_add(sheet, ROLE_TEXT, ", the last of %s", outcome->last);
    sheet_end(sheet);
    if (outcome->note)
        sheet_paragraph(sheet, ROLE_NOTE, 0, outcome->note);
}

// What the times are, and why there is none.
static void add_times(struct sheet *sheet, const struct exec_outcome *outcome)
{
    bool timed = false;
    for (size_t i = 0; i < outcome->row_count; i++) {
        const struct modelled *one = &outcome->rows[i].modelled;
        timed |= one->name && !one->why;
        if (!one->name || !one->why)
            continue;
        sheet_flow(sheet, ROLE_DIM, "No time of %s: %s", outcome->rows[i].kernel, one->why);
        sheet_end(sheet);
    }
    const struct modelled gpu = { .name = outcome->gpu };
    if (!timed)
        return;
    sheet_flow(sheet, ROLE_DIM, "Modelled for %s: one launch, by its counts. No GPU ran it.",
               modelled_device(&gpu));
    sheet_end(sheet);
}

// Times that the program takes itself look like those of a GPU, and are not.
static void add_own_times(struct sheet *sheet, const struct exec_outcome *outcome)
{
    const char *last = "";
    for (size_t i = 0; i < outcome->row_count; i++) {
        const struct exec_row *row = &outcome->rows[i];
        if (!row->reads_clock || strcmp(row->kernel, last) == 0)
            continue;
        sheet_flow(sheet, ROLE_NOTE, "%s reads a clock, which counts a warp's instructions here, not cycles.",
                   row->kernel);
        sheet_end(sheet);
        last = row->kernel;
    }
    if (!outcome->timed && !outcome->timed_copies)
        return;
    sheet_flow(sheet, ROLE_NOTE,
               "The times that the program takes by events are the simulator's, not a GPU's.");
    sheet_end(sheet);
}

// Launches that --kernel, --launch, --skip, --first or --check left out.
static void add_uncounted(struct sheet *sheet, const struct exec_outcome *outcome)
{
    uint64_t launches = 0, counted = 0;
    char number[40], all[40];
    for (size_t i = 0; i < outcome->row_count; i++) {
        launches += outcome->rows[i].launches;
        counted += outcome->rows[i].counted;
    }
    unit_count((double)counted, number, sizeof number);
    unit_count((double)launches, all, sizeof all);
    if (counted == launches)
        return;
    sheet_flow(sheet, ROLE_NOTE, "%s of %s launches were counted and checked as asked; the rest only ran.",
               counted ? number : "None", all);
    sheet_end(sheet);
}

struct sheet exec_sheet(const struct exec_shown *shown, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct exec_outcome *outcome = shown->outcome;
    add_end(&sheet, shown);
    if (outcome->row_count)
        add_rows(&sheet, shown);
    add_times(&sheet, outcome);
    add_own_times(&sheet, outcome);
    add_uncounted(&sheet, outcome);
    for (size_t i = 0; i < outcome->finding_count; i++) {
        int item = (int)(outcome->row_count + i);
        if (i == 0)
            sheet_gap(&sheet);
        sheet.item = shown->items ? item : -1;
        add_finding(&sheet, &outcome->findings[i]);
        sheet.item = -1;
        if (shown->items && shown->open == item && shown->excerpt)
            sheet_lines(&sheet, ROLE_DIM, 4, shown->excerpt);
    }
    if (!outcome->finding_count) {
        sheet_add(&sheet, ROLE_GOOD, outcome->stopped ? "No findings until then." : "No findings.");
        sheet_end(&sheet);
    }
    return sheet;
}
