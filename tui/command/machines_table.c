// The machines of `run --on`, side by side: a row for each step, a column for each machine, and after them one for each GPU
// that is modelled.
#include "tui/command/machines.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELL_CELLS = 17, // "0.737 ms  23.1%" and the blank before it
    TIME_CELLS = 10,
    MODELLED_CELLS = 16, // "0.0051-0.0071 ms"
    NAME_LEAST = 14,
    NAME_MOST = 34
};

static bool same_params(const struct record *one, const struct record *other)
{
    size_t count = one->params ? one->params->count : 0;
    if (count != (other->params ? other->params->count : 0))
        return false;
    for (size_t i = 0; i < count; i++)
        if (value_as_real(one->params->bindings[i].value) != value_as_real(other->params->bindings[i].value))
            return false;
    return true;
}

// A worker of another version may know another kernel or another size by the same name; such times are not compared.
static const char *not_comparable(const struct machine_table *all, size_t row, const struct record *record)
{
    char code[20];
    format_into(code, sizeof code, "%016llx", (unsigned long long)variant_code(all->rows[row]));
    if (record->code && strcmp(record->code, code) != 0)
        return "other code";
    for (size_t i = 0; i < all->machine_count; i++) {
        const struct machine_cell *first = &all->machines[i].cells[row];
        if (!first->done)
            continue;
        bool same_data = !record->data == !first->record.data &&
                         (!record->data || strcmp(record->data, first->record.data) == 0);
        return same_data && same_params(record, &first->record) ? NULL : "other data";
    }
    return NULL;
}

static const char *now(const struct table_machine *machine)
{
    if (machine->over)
        return "-";
    if (string_starts(machine->stage, "starting") || !*machine->stage)
        return strstr(machine->stage, "queued") ? "queued" : "starting";
    return string_starts(machine->stage, "waiting for ") ? "waits" : "runs";
}

struct table_column {
    const struct table_machine *machine;
    size_t gpu; // of those that are modelled, where the machine models
};

static size_t columns_of(const struct machine_table *all)
{
    return all->machine_count + all->gpu_count - (all->gpu_count > 0);
}

static struct table_column column_at(const struct machine_table *all, size_t column)
{
    size_t measured = all->machine_count - (all->gpu_count > 0);
    bool modelled = column >= measured;
    return (struct table_column){ &all->machines[modelled ? measured : column],
                                  modelled ? column - measured : 0 };
}

static int column_cells(struct table_column column)
{
    return column.machine->models ? MODELLED_CELLS : CELL_CELLS;
}

static void put_modelled(const struct paper *paper, struct table_column column, size_t row)
{
    const struct modelled *modelled = machines_modelled(column.machine->all, row, column.gpu);
    char time[32] = "unknown";
    if (modelled && !modelled->why)
        modelled_time(modelled, paper->utf8, time, sizeof time);
    paper_cell(paper, modelled && !modelled->why ? ROLE_SIM : ROLE_DIM, -MODELLED_CELLS, "%s", time);
}

static void put_cell(const struct paper *paper, struct table_column column, size_t row)
{
    const struct table_machine *machine = column.machine;
    const struct machine_cell *cell = &machine->cells[row];
    const struct record *record = &cell->record;
    bool next = !cell->done && (row == 0 || machine->cells[row - 1].done);
    const char *words = cell->done ? not_comparable(machine->all, row, record) : next ? now(machine) : "";
    bool right = record->status == STATUS_RIGHT || record->status == STATUS_UNCHECKED;
    char time[32] = "", share[16] = "";
    const struct modelled *modelled =
        machine->models ? machines_modelled(machine->all, row, column.gpu) : NULL;
    bool cut_short = modelled && modelled->why; // so its result says nothing
    if (cell->done && !words && !right && !cut_short)
        words = record_status_name(record->status);
    if (words) {
        paper_cell(paper, cell->done ? ROLE_BAD : ROLE_DIM, -column_cells(column), "%s", words);
        return;
    }
    if (machine->models) {
        put_modelled(paper, column, row);
        return;
    }
    unit_ms(record->median_ms, time, sizeof time);
    if (record->ceiling_pct > 0)
        format_into(share, sizeof share, "%.*f%%", record->ceiling_pct < 99.95, record->ceiling_pct);
    paper_cell(paper, ROLE_TITLE, -TIME_CELLS, "%s", time);
    paper_cell(paper, ROLE_TEXT, -(CELL_CELLS - TIME_CELLS - 1), "%s", share);
}

static const char *device_of(const struct table_machine *machine)
{
    for (size_t row = 0; row < machine->all->row_count; row++)
        if (machine->cells[row].done && machine->cells[row].record.device)
            return machine->cells[row].record.device;
    return "";
}

enum { HEAD_LINES = 2 };

static void put_head(const struct paper *paper, const struct machine_table *all, struct table_column column,
                     int line)
{
    if (column.machine->models)
        paper_cell(paper, line ? ROLE_NOTE : ROLE_SIM, -MODELLED_CELLS, "%s",
                   line ? "modelled" : all->gpus[column.gpu]);
    else
        paper_cell(paper, line ? ROLE_DIM : ROLE_GPU, -CELL_CELLS, "%s",
                   line ? device_of(column.machine) : column.machine->name);
}

// The columns from `first` to before `end`, beside each other.
static void put_block(const struct paper *paper, const struct machine_table *all, size_t first, size_t end)
{
    int rest = paper->width - 3;
    for (size_t i = first; i < end; i++)
        rest -= column_cells(column_at(all, i)) + 1;
    int cells = rest > NAME_MOST ? NAME_MOST : rest < NAME_LEAST ? NAME_LEAST : rest;
    for (int line = 0; line < HEAD_LINES; line++) {
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_DIM, cells, "%s", line ? "" : "step");
        for (size_t i = first; i < end; i++)
            put_head(paper, all, column_at(all, i), line);
        paper_put(paper, ROLE_TEXT, "\n");
    }
    for (size_t row = 0; row < all->row_count; row++) {
        const struct variant *variant = all->rows[row];
        char step[16] = "";
        if (variant->step)
            format_into(step, sizeof step, "%d ", variant->step);
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_TEXT, cells, "%s%s", step, variant->title ? variant->title : variant->name);
        for (size_t i = first; i < end; i++)
            put_cell(paper, column_at(all, i), row);
        paper_put(paper, ROLE_TEXT, "\n");
    }
}

// The end of the block that begins with column `first`: as many as fit, at least one.
static size_t block_end(const struct paper *paper, const struct machine_table *all, size_t first)
{
    int rest = paper->width - 3 - NAME_LEAST;
    size_t end = first, count = columns_of(all);
    while (end < count && (end == first || rest > column_cells(column_at(all, end))))
        rest -= column_cells(column_at(all, end++)) + 1;
    return end;
}

int machines_lines(const struct paper *paper, const struct machine_table *all)
{
    int lines = 0;
    for (size_t first = 0; first < columns_of(all); first = block_end(paper, all, first))
        lines += HEAD_LINES + (int)all->row_count;
    return lines;
}

static int put_tables(const struct paper *paper, const struct machine_table *all)
{
    for (size_t first = 0, end; first < columns_of(all); first = end) {
        end = block_end(paper, all, first);
        put_block(paper, all, first, end);
    }
    return machines_lines(paper, all);
}

// What machines without all their rows do now, a line each.
static int put_stages(const struct paper *paper, const struct machine_table *all)
{
    int lines = 0;
    for (size_t i = 0; i < all->machine_count; i++) {
        const struct table_machine *machine = &all->machines[i];
        struct text line = { 0 };
        if (machine->over)
            continue;
        text_addf(&line, "%s: %s %.0f s", machine->name, *machine->stage ? machine->stage : "starting",
                  machine->seconds);
        paper_put(paper, ROLE_DIM, "%.*s\n", (int)text_fit(text_string(&line), paper->width - 1), line.data);
        text_free(&line);
        lines++;
    }
    return lines;
}

int machines_status(const struct machine_table *all)
{
    int status = EXIT_RIGHT;
    for (size_t i = 0; i < all->machine_count; i++) {
        const struct table_machine *machine = &all->machines[i];
        if (*machine->error.text && status == EXIT_RIGHT)
            status = (int)machine->error.code;
        for (size_t row = 0; row < all->row_count; row++) {
            enum record_status found = machine->cells[row].record.status;
            if (machine->cells[row].done && (found == STATUS_WRONG || found == STATUS_FAILED))
                status = EXIT_WRONG;
        }
    }
    return status;
}

static void say_errors(const struct machine_table *all)
{
    fflush(stdout);
    for (size_t i = 0; i < all->machine_count; i++) {
        const struct table_machine *machine = &all->machines[i];
        struct error named;
        if (!*machine->error.text)
            continue;
        error_set(&named, machine->error.code, "%s: %s", machine->name, machine->error.text);
        fail(&named);
    }
}

void machines_paint(const struct paper *paper, struct machine_table *all, bool end)
{
    if (all->painted)
        fprintf(paper->file, "\033[%dA\r\033[J", all->painted);
    if (!all->json)
        all->painted = put_tables(paper, all) + put_stages(paper, all);
    fflush(paper->file);
    if (end && !all->json && all->gpu_count)
        machines_modelled_words(paper, all);
    if (end)
        say_errors(all);
}

void machines_json(const struct table_machine *machine, const struct record *record)
{
    json_t *json = record_to_json(record);
    if (!machine->models)
        json_object_set_new(json, "machine", json_string(machine->name));
    char *line = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
    printf("%s\n", line);
    fflush(stdout);
    free(line);
    json_decref(json);
}
