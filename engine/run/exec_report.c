// The lines that a program's runtime has written (engine/exec/report.c), added up: launches by kernel and size, findings by
// cause. They come from the user's program, so all text is cleaned.
#include "engine/run/exec_report.h"

#include "engine/compile/compile.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *clean_of(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));
    return text_clean(value ? value : "");
}

static uint64_t number_of(const json_t *json, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(json, key));
    return value > 0 ? (uint64_t)value : 0;
}

static void three_of(const json_t *json, const char *key, uint32_t out[3])
{
    const json_t *three = json_object_get(json, key);
    for (size_t i = 0; i < 3; i++)
        out[i] = (uint32_t)json_integer_value(json_array_get(three, i));
}

static void counts_of(const json_t *json, const char *key, uint64_t out[SIM_ACCESSES])
{
    const json_t *counts = json_object_get(json, key);
    for (size_t i = 0; i < SIM_ACCESSES; i++)
        out[i] = (uint64_t)json_integer_value(json_array_get(counts, i));
}

static char *kernel_name(const json_t *json)
{
    struct text name = { 0 };
    struct mangled mangled;
    char *entry = clean_of(json, "kernel");
    mangled_read(entry, &mangled);
    text_addf(&name, "%s%s", mangled.name ? mangled.name : entry,
              mangled.name && mangled.arguments ? mangled.arguments : "");
    mangled_free(&mangled);
    free(entry);
    return text_take(&name);
}

// ---- findings ---------------------------------------------------------------------------------------------------------------

static void free_finding(struct exec_finding *f)
{
    free(f->severity);
    free(f->kind);
    free(f->sentence);
    free(f->kernel);
    free(f->file);
    free(f->missing);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_cause(const struct exec_finding *a, const struct exec_finding *b)
{
    return a->line == b->line && same_text(a->kind, b->kind) && same_text(a->kernel, b->kernel) &&
           same_text(a->file, b->file) && same_text(a->missing, b->missing) &&
           (a->line || same_text(a->sentence, b->sentence));
}

// Takes what it holds.
static void add_finding(struct exec_outcome *out, struct exec_finding *new)
{
    for (size_t i = 0; i < out->finding_count; i++)
        if (same_cause(&out->findings[i], new)) {
            out->findings[i].count += new->count;
            free_finding(new);
            return;
        }
    out->findings = array_room(out->findings, out->finding_count, sizeof *out->findings);
    out->findings[out->finding_count++] = *new;
}

static void read_finding(struct exec_outcome *out, const json_t *json, const char *kernel, uint64_t launch)
{
    struct exec_finding new = { .severity = clean_of(json, "severity"),
                                .kind = clean_of(json, "kind"),
                                .sentence = clean_of(json, "sentence"),
                                .kernel = mem_copy(kernel),
                                .file = clean_of(json, "file"),
                                .line = (int)number_of(json, "line"),
                                .count = number_of(json, "count"),
                                .launch = launch };
    add_finding(out, &new);
}

static void read_host(struct exec_outcome *out, const json_t *json)
{
    struct exec_finding new = { .severity = clean_of(json, "host"),
                                .kind = clean_of(json, "kind"),
                                .sentence = clean_of(json, "sentence"),
                                .file = clean_of(json, "file"),
                                .line = (int)number_of(json, "line"),
                                .count = 1,
                                .launch = number_of(json, "launches") };
    add_finding(out, &new);
}

static void read_missing(struct exec_outcome *out, const json_t *json)
{
    char *what = clean_of(json, "missing"), *advice = clean_of(json, "advice");
    struct exec_finding new = { .severity = mem_copy("error"),
                                .kind = mem_copy("not there"),
                                .sentence = text_format("%s: %s", what, advice),
                                .file = clean_of(json, "file"),
                                .missing = what,
                                .line = (int)number_of(json, "line"),
                                .count = 1,
                                .launch = number_of(json, "launches") };
    free(advice);
    add_finding(out, &new);
}

// ---- launches ---------------------------------------------------------------------------------------------------------------

static struct exec_row *row_of(struct exec_outcome *out, const char *kernel, const uint32_t grid[3],
                               const uint32_t block[3])
{
    for (size_t i = out->row_count; i-- > 0;) {
        struct exec_row *row = &out->rows[i];
        if (memcmp(row->grid, grid, sizeof row->grid) == 0 &&
            memcmp(row->block, block, sizeof row->block) == 0 && strcmp(row->kernel, kernel) == 0)
            return row;
    }
    out->rows = array_room(out->rows, out->row_count, sizeof *out->rows);
    struct exec_row *row = &out->rows[out->row_count++];
    *row = (struct exec_row){ .kernel = mem_copy(kernel) };
    memcpy(row->grid, grid, sizeof row->grid);
    memcpy(row->block, block, sizeof row->block);
    return row;
}

static void read_launch(struct exec_outcome *out, const json_t *json)
{
    char *kernel = kernel_name(json);
    uint32_t grid[3], block[3];
    const json_t *findings = json_object_get(json, "findings"), *finding;
    size_t i;
    three_of(json, "grid", grid);
    three_of(json, "block", block);
    struct exec_row *row = row_of(out, kernel, grid, block);
    out->launches = number_of(json, "launch");
    row->launches++;
    row->ms += json_number_value(json_object_get(json, "ms"));
    row->incomplete += !json_is_true(json_object_get(json, "complete"));
    row->findings += json_array_size(findings);
    if (json_is_true(json_object_get(json, "counted"))) {
        struct sim_counters one = { .warp_inst = number_of(json, "warp_inst"),
                                    .thread_inst = number_of(json, "thread_inst"),
                                    .branches = number_of(json, "branches"),
                                    .divergent = number_of(json, "divergent") };
        counts_of(json, "requests", one.requests);
        counts_of(json, "passes", one.passes);
        counts_of(json, "ideal", one.ideal);
        counts_of(json, "conflicts", one.conflicts);
        sim_counters_add(&row->counters, &one);
        row->counted++;
    }
    json_array_foreach(findings, i, finding) read_finding(out, finding, kernel, out->launches);
    free(out->last);
    out->last = kernel;
}

bool exec_report_read(const char *path, struct exec_outcome *out, struct error *error)
{
    struct text lines = { 0 };
    if (!file_exists(path))
        return true;
    if (!file_read(path, &lines, error))
        return false;
    for (const char *at = text_string(&lines); *at;) {
        size_t length = strcspn(at, "\n");
        json_t *json = json_loadb(at, length, 0, NULL);
        if (json_object_get(json, "launch"))
            read_launch(out, json);
        else if (json_object_get(json, "host"))
            read_host(out, json);
        else if (json_object_get(json, "missing"))
            read_missing(out, json);
        json_decref(json);
        at += length + (at[length] == '\n');
    }
    text_free(&lines);
    return true;
}

void exec_outcome_free(struct exec_outcome *outcome)
{
    for (size_t i = 0; i < outcome->row_count; i++)
        free(outcome->rows[i].kernel);
    for (size_t i = 0; i < outcome->finding_count; i++)
        free_finding(&outcome->findings[i]);
    free(outcome->rows);
    free(outcome->findings);
    free(outcome->last);
    free(outcome->note);
    *outcome = (struct exec_outcome){ 0 };
}

bool exec_fails_on(const struct exec_outcome *outcome, const char *kind)
{
    for (size_t i = 0; i < outcome->finding_count; i++) {
        const struct exec_finding *f = &outcome->findings[i];
        if (strstr(f->kind, kind) || strcmp(f->severity, kind) == 0)
            return true;
    }
    return strcmp(kind, "any") == 0 && outcome->finding_count > 0;
}
