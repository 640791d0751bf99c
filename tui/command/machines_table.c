// The machines of `run --on`, side by side: a row for each step, a column for each machine.
#include "tui/command/machines.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELL_CELLS = 17, // "0.737 ms  23.1%" and the blank before it
    TIME_CELLS = 10,
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

static void put_cell(const struct paper *paper, const struct table_machine *machine, size_t row)
{
    const struct machine_cell *cell = &machine->cells[row];
    const struct record *record = &cell->record;
    bool next = !cell->done && (row == 0 || machine->cells[row - 1].done);
    const char *words = cell->done ? not_comparable(machine->all, row, record) : next ? now(machine) : "";
    bool right = record->status == STATUS_RIGHT || record->status == STATUS_UNCHECKED;
    char time[32] = "", share[16] = "";
    if (cell->done && !words && !right)
        words = record_status_name(record->status);
    if (words) {
        paper_cell(paper, cell->done ? ROLE_BAD : ROLE_DIM, -CELL_CELLS, "%s", words);
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

// `count` machines from `first` on, beside each other; returns its lines.
static int put_block(const struct paper *paper, const struct machine_table *all, size_t first, size_t count)
{
    int rest = paper->width - 3 - (int)count * (CELL_CELLS + 1);
    int cells = rest > NAME_MOST ? NAME_MOST : rest < NAME_LEAST ? NAME_LEAST : rest;
    int lines = 2;
    for (int line = 0; line < 2; line++) {
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_DIM, cells, "%s", line ? "" : "step");
        for (size_t i = first; i < first + count; i++)
            paper_cell(paper, line ? ROLE_DIM : ROLE_GPU, -CELL_CELLS, "%s",
                       line ? device_of(&all->machines[i]) : all->machines[i].name);
        paper_put(paper, ROLE_TEXT, "\n");
    }
    for (size_t row = 0; row < all->row_count; row++, lines++) {
        const struct variant *variant = all->rows[row];
        char step[16] = "";
        if (variant->step)
            format_into(step, sizeof step, "%d ", variant->step);
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_TEXT, cells, "%s%s", step, variant->title ? variant->title : variant->name);
        for (size_t i = first; i < first + count; i++)
            put_cell(paper, &all->machines[i], row);
        paper_put(paper, ROLE_TEXT, "\n");
    }
    return lines;
}

static int put_tables(const struct paper *paper, const struct machine_table *all)
{
    int fit = (paper->width - 3 - NAME_LEAST) / (CELL_CELLS + 1), lines = 0;
    size_t most = fit < 1 ? 1 : (size_t)fit;
    for (size_t first = 0; first < all->machine_count; first += most) {
        size_t left = all->machine_count - first;
        lines += put_block(paper, all, first, left < most ? left : most);
    }
    return lines;
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
    if (end)
        say_errors(all);
}

void machines_json(const struct table_machine *machine, const struct record *record)
{
    json_t *json = record_to_json(record);
    json_object_set_new(json, "machine", json_string(machine->name));
    char *line = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
    printf("%s\n", line);
    fflush(stdout);
    free(line);
    json_decref(json);
}
