// What exec found, for other programs: JSON, and the two formats in which systems that run tests take results.
#include "tui/command/exec.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- JSON -----------------------------------------------------------------------------------------------------------

static json_t *named(const uint64_t *of, const char *const *names, size_t count)
{
    json_t *all = json_object();
    for (size_t i = 0; i < count; i++)
        if (of[i])
            json_object_set_new(all, names[i], json_integer((json_int_t)of[i]));
    return all;
}

static json_t *counts(const uint64_t of[SIM_ACCESSES])
{
    static const char *const names[SIM_ACCESSES] = { "global_load",   "global_store", "global_red",
                                                     "global_atom",   "shared_load",  "shared_store",
                                                     "shared_atomic", "local_load",   "local_store" };
    return named(of, names, SIM_ACCESSES);
}

// Of the shared memory of other blocks of the cluster; only where there are any.
static void add_remote(json_t *json, const char *key, const uint64_t of[SIM_REMOTES])
{
    static const char *const names[SIM_REMOTES] = { "load", "store", "atomic" };
    json_t *all = named(of, names, SIM_REMOTES);
    if (json_object_size(all))
        json_object_set(json, key, all);
    json_decref(all);
}

static json_t *json_time(const struct modelled *one)
{
    return one->why ? json_pack("{s:s, s:s}", "name", one->name, "why", one->why)
                    : json_pack("{s:s, s:f, s:f, s:f}", "name", one->name, "ms", one->ms, "low_ms",
                                one->low_ms, "high_ms", one->high_ms);
}

static json_t *json_row(const struct exec_row *row)
{
    const struct sim_counters *c = &row->counters;
    json_t *json = json_pack(
        "{s:s, s:[iii], s:[iii], s:I, s:I, s:I, s:I, s:f}", "kernel", row->kernel, "grid", (int)row->grid[0],
        (int)row->grid[1], (int)row->grid[2], "block", (int)row->block[0], (int)row->block[1],
        (int)row->block[2], "launches", (json_int_t)row->launches, "counted", (json_int_t)row->counted,
        "incomplete", (json_int_t)row->incomplete, "findings", (json_int_t)row->findings, "exec_ms", row->ms);
    if (!row->counted)
        return json;
    if (row->modelled.name)
        json_object_set_new(json, "modelled", json_time(&row->modelled));
    if (row->reads_clock)
        json_object_set_new(json, "reads_clock", json_true());
    json_object_set_new(json, "warp_instructions", json_integer((json_int_t)c->warp_inst));
    json_object_set_new(json, "thread_instructions", json_integer((json_int_t)c->thread_inst));
    json_object_set_new(json, "requests", counts(c->requests));
    json_object_set_new(json, "passes", counts(c->passes));
    json_object_set_new(json, "ideal", counts(c->ideal));
    json_object_set_new(json, "conflicts", counts(c->conflicts));
    add_remote(json, "remote_requests", c->remote_requests);
    add_remote(json, "remote_sectors", c->remote_sectors);
    add_remote(json, "remote_wavefronts", c->remote_wavefronts);
    if (c->constant_requests) {
        json_object_set_new(json, "constant_requests", json_integer((json_int_t)c->constant_requests));
        json_object_set_new(json, "constant_turns", json_integer((json_int_t)c->constant_turns));
    }
    return json;
}

static json_t *json_finding(const struct exec_finding *f)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:I, s:I}", "severity", f->severity, "kind", f->kind, "sentence",
                  f->sentence, "count", (json_int_t)f->count, "launch", (json_int_t)f->launch);
    if (*f->file)
        json_object_set_new(json, "file", json_string(f->file));
    if (f->line)
        json_object_set_new(json, "line", json_integer(f->line));
    if (f->kernel)
        json_object_set_new(json, "kernel", json_string(f->kernel));
    if (f->missing)
        json_object_set_new(json, "missing", json_string(f->missing));
    return json;
}

static void print_json(FILE *file, json_t *json)
{
    char *text = json_dumps(json, JSON_ENSURE_ASCII);
    fprintf(file, "%s\n", text ? text : "");
    free(text);
    json_decref(json);
}

static void put_json(FILE *file, const struct exec_outcome *outcome, const struct exec_job *job)
{
    json_t *launches = json_array(), *findings = json_array();
    for (size_t i = 0; i < outcome->row_count; i++)
        json_array_append_new(launches, json_row(&outcome->rows[i]));
    for (size_t i = 0; i < outcome->finding_count; i++)
        json_array_append_new(findings, json_finding(&outcome->findings[i]));
    json_t *json = json_pack("{s:s, s:I, s:o, s:o}", "program", job->program, "launches",
                             (json_int_t)outcome->launches, "kernels", launches, "findings", findings);
    if (WIFEXITED(outcome->status))
        json_object_set_new(json, "status", json_integer(WEXITSTATUS(outcome->status)));
    else
        json_object_set_new(json, "signal", json_integer(WTERMSIG(outcome->status)));
    print_json(file, json);
}

// A path as a code host knows it: below the working directory, which is the repository there, a relative one. The caller
// frees it.
static char *path_from_here(const char *path)
{
    char folder[PATH_MAX] = "", *real = realpath(path, NULL);
    size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    char *whole = real ? real : mem_copy(path);
    bool below = length > 1 && strncmp(whole, folder, length) == 0 && whole[length] == '/';
    char *relative = mem_copy(below ? whole + length + 1 : whole);
    free(whole);
    return relative;
}

// ---- SARIF ----------------------------------------------------------------------------------------------------------

static char *uri_of(const char *path)
{
    struct text uri = { 0 };
    if (*path == '/')
        text_add(&uri, "file://");
    for (const unsigned char *at = (const unsigned char *)path; *at; at++)
        if (strchr("/-._~", *at) || (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') ||
            (*at >= 'a' && *at <= 'z'))
            text_addf(&uri, "%c", *at);
        else
            text_addf(&uri, "%%%02X", *at);
    return text_take(&uri);
}

// The kind in lower case with hyphens: "out-of-bounds".
static char *rule_of(const struct exec_finding *f)
{
    char *rule = mem_copy(f->kind);
    for (char *at = rule; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at == ' ' ? '-' : *at);
    return rule;
}

// Without a line the finding is in the program as a whole.
static json_t *sarif_place(const struct exec_finding *f, const char *program)
{
    char *path = path_from_here(*f->file ? f->file : program), *uri = uri_of(path);
    json_t *place = json_pack("{s:{s:s}}", "artifactLocation", "uri", uri);
    if (f->line)
        json_object_set_new(place, "region", json_pack("{s:i}", "startLine", f->line));
    json_t *location = json_pack("{s:o}", "physicalLocation", place);
    if (f->kernel)
        json_object_set_new(location, "logicalLocations",
                            json_pack("[{s:s, s:s}]", "fullyQualifiedName", f->kernel, "kind", "function"));
    free(path);
    free(uri);
    return location;
}

static json_t *sarif_result(const struct exec_finding *f, const char *rule, const char *program)
{
    return json_pack("{s:s, s:s, s:{s:s}, s:[o], s:I}", "ruleId", rule, "level", f->severity, "message",
                     "text", f->sentence, "locations", sarif_place(f, program), "occurrenceCount",
                     (json_int_t)f->count);
}

static void put_sarif(FILE *file, const struct exec_outcome *outcome, const struct exec_job *job)
{
    json_t *rules = json_array(), *results = json_array(), *known = json_object();
    for (size_t i = 0; i < outcome->finding_count; i++) {
        const struct exec_finding *f = &outcome->findings[i];
        char *rule = rule_of(f);
        if (!json_object_get(known, rule)) {
            json_object_set_new(known, rule, json_true());
            json_array_append_new(
                rules, json_pack("{s:s, s:{s:s}}", "id", rule, "shortDescription", "text", f->kind));
        }
        json_array_append_new(results, sarif_result(f, rule, job->program));
        free(rule);
    }
    json_decref(known);
    json_t *end = json_pack("{s:b}", "executionSuccessful", WIFEXITED(outcome->status));
    if (WIFEXITED(outcome->status))
        json_object_set_new(end, "exitCode", json_integer(WEXITSTATUS(outcome->status)));
    else
        json_object_set_new(end, "exitSignalNumber", json_integer(WTERMSIG(outcome->status)));
    print_json(file, json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:[o], s:o}]}", "$schema",
                               "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                               "tool", "driver", "name", "warpbook", "version", WARPBOOK_VERSION, "rules",
                               rules, "invocations", end, "results", results));
}

// ---- JUnit ----------------------------------------------------------------------------------------------------------

// XML 1.0 has no control characters, however they are escaped, and sentences quote what a program is called.
static void put_xml(FILE *file, const char *words)
{
    struct text xml = { 0 };
    char *printable = mem_copy(words);
    for (char *at = printable; *at; at++)
        *at = (unsigned char)*at < ' ' || *at == 127 ? ' ' : *at;
    text_add_xml(&xml, printable);
    fputs(text_string(&xml), file);
    text_free(&xml);
    free(printable);
}

static bool of_kernel(const struct exec_finding *f, const char *kernel) // NULL: the host's code
{
    return kernel ? f->kernel && strcmp(f->kernel, kernel) == 0 : !f->kernel;
}

static bool is_failure(const struct exec_finding *f, const struct exec_job *job)
{
    return strcmp(f->severity, "error") == 0 || exec_finding_is(f, job->fail_on);
}

static void begin_test(FILE *file, const struct exec_job *job, const char *what, const char *name)
{
    fputs("    <testcase classname=\"", file);
    put_xml(file, job->program);
    fprintf(file, "\" name=\"%s", what);
    put_xml(file, name);
    fputs("\"", file);
}

static void put_finding(FILE *file, const struct exec_finding *f)
{
    put_xml(file, f->severity);
    fputs(": ", file);
    put_xml(file, f->kind);
    if (f->line) {
        char *path = path_from_here(*f->file ? f->file : "line");
        fputs(", ", file);
        put_xml(file, path);
        fprintf(file, ":%d", f->line);
        free(path);
    }
    if (f->count > 1)
        fprintf(file, ", %" PRIu64 " times", f->count);
    fputs(": ", file);
    put_xml(file, f->sentence);
    putc('\n', file);
}

// The findings of one kernel: those that fail it in one element, for readers show only the first of several.
static void put_test(FILE *file, const struct exec_outcome *outcome, const struct exec_job *job,
                     const char *kernel)
{
    const struct exec_finding *first[2] = { NULL, NULL }; // that is told, that fails
    for (size_t i = outcome->finding_count; i-- > 0;)
        if (of_kernel(&outcome->findings[i], kernel))
            first[is_failure(&outcome->findings[i], job)] = &outcome->findings[i];
    begin_test(file, job, kernel ? "kernel " : "host code", kernel ? kernel : "");
    fputs(first[0] || first[1] ? ">\n" : "/>\n", file);
    for (int fails = 1; fails >= 0; fails--) {
        if (!first[fails])
            continue;
        if (fails) {
            fputs("      <failure type=\"", file);
            put_xml(file, first[fails]->kind);
            fputs("\" message=\"", file);
            put_xml(file, first[fails]->sentence);
            fputs("\">", file);
        } else {
            fputs("      <system-out>", file);
        }
        for (size_t i = 0; i < outcome->finding_count; i++)
            if (of_kernel(&outcome->findings[i], kernel) && is_failure(&outcome->findings[i], job) == fails)
                put_finding(file, &outcome->findings[i]);
        fputs(fails ? "</failure>\n" : "</system-out>\n", file);
    }
    if (first[0] || first[1])
        fputs("    </testcase>\n", file);
}

// Whether an earlier row is of the same kernel: rows differ by their grids.
static bool seen_before(const struct exec_outcome *outcome, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(outcome->rows[i].kernel, outcome->rows[row].kernel) == 0)
            return true;
    return false;
}

static bool fails(const struct exec_outcome *outcome, const struct exec_job *job, const char *kernel)
{
    for (size_t i = 0; i < outcome->finding_count; i++)
        if (of_kernel(&outcome->findings[i], kernel) && is_failure(&outcome->findings[i], job))
            return true;
    return false;
}

static void put_junit(FILE *file, const struct exec_outcome *outcome, const struct exec_job *job)
{
    bool ended = WIFEXITED(outcome->status) && WEXITSTATUS(outcome->status) == 0;
    int tests = 2, failures = fails(outcome, job, NULL);
    char how[120];
    for (size_t i = 0; i < outcome->row_count; i++)
        if (!seen_before(outcome, i)) {
            tests++;
            failures += fails(outcome, job, outcome->rows[i].kernel);
        }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"warpbook exec\"",
          file);
    fprintf(file, " tests=\"%d\" failures=\"%d\" errors=\"%d\">\n", tests, failures, !ended);
    for (size_t i = 0; i < outcome->row_count; i++)
        if (!seen_before(outcome, i))
            put_test(file, outcome, job, outcome->rows[i].kernel);
    put_test(file, outcome, job, NULL);
    begin_test(file, job, "end of the program", "");
    child_describe(outcome->status, how, sizeof how);
    if (ended) {
        fputs("/>\n", file);
    } else {
        fputs(">\n      <error message=\"", file);
        put_xml(file, how);
        fputs("\"/>\n    </testcase>\n", file);
    }
    fputs("  </testsuite>\n</testsuites>\n", file);
}

void exec_report(FILE *file, enum exec_format format, const struct exec_outcome *outcome,
                 const struct exec_job *job)
{
    static void (*const put[])(FILE *, const struct exec_outcome *, const struct exec_job *) = {
        [EXEC_JSON] = put_json, [EXEC_SARIF] = put_sarif, [EXEC_JUNIT] = put_junit
    };
    put[format](file, outcome, job);
}
