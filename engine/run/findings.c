// Findings and counters by line, in the form of the record.
#include "engine/run/simulation.h"

#include <stdlib.h>

static const char *const severities[] = { "note", "warning", "error" };

static json_t *dim3_to_json(const uint32_t d[3])
{
    return json_pack("[i, i, i]", (int)d[0], (int)d[1], (int)d[2]);
}

static json_t *finding_to_json(const struct sim_finding *f)
{
    json_t *json = json_pack("{s:s, s:s, s:I, s:s}", "kind", sim_kind_name(f->kind), "severity",
                             severities[f->severity], "count", (json_int_t)f->count, "sentence", f->sentence);
    if (f->here.line > 0)
        json_object_set_new(json, "line", json_integer(f->here.line));
    if (f->here.ptx_line > 0)
        json_object_set_new(json, "ptx_line", json_integer(f->here.ptx_line));
    if (f->here.known) {
        json_object_set_new(json, "block", dim3_to_json(f->here.block));
        json_object_set_new(json, "thread", dim3_to_json(f->here.thread));
    }
    if (f->there.line > 0)
        json_object_set_new(json, "other_line", json_integer(f->there.line));
    if (f->there.ptx_line > 0)
        json_object_set_new(json, "other_ptx_line", json_integer(f->there.ptx_line));
    if (f->there.known) {
        json_object_set_new(json, "other_block", dim3_to_json(f->there.block));
        json_object_set_new(json, "other_thread", dim3_to_json(f->there.thread));
    }
    if (*f->space)
        json_object_set_new(json, "space", json_string(f->space));
    if (*f->buffer) {
        json_object_set_new(json, "buffer", json_string(f->buffer));
        json_object_set_new(json, "element", json_integer((json_int_t)f->element));
    }
    if (f->address)
        json_object_set_new(json, "address", json_sprintf("0x%llx", (unsigned long long)f->address));
    return json;
}

json_t *findings_to_json(const struct sim_result *result)
{
    json_t *all = json_array();
    for (size_t i = 0; i < result->finding_count; i++)
        json_array_append_new(all, finding_to_json(&result->findings[i]));
    return all;
}

json_t *lines_to_json(const struct sim_result *result)
{
    json_t *all = json_array();
    struct sim_line *lines;
    size_t count = sim_result_lines(result, &lines);
    if (count > RECORD_ROWS) {
        free(lines);
        json_decref(all);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        json_t *line = counters_to_json(&lines[i].counters, false);
        json_object_set_new(line, "line", json_integer(lines[i].line));
        json_array_append_new(all, line);
    }
    free(lines);
    return all;
}
