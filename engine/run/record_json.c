// A record as JSON, in both directions. One table for each kind of object names every field once, so that writing and
// reading cannot drift apart. What is read comes from another process or from a file: it is checked, and bounded.
#include "engine/run/record.h"

#include "engine/run/modelled.h"
#include "engine/run/profiled.h"
#include "engine/run/run.h"
#include "engine/run/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum field_kind {
    FIELD_TEXT,     // char *; NULL: absent
    FIELD_CHARS,    // an array of `size` chars; "": absent
    FIELD_NUMBER,   // double; NAN: absent; whole numbers are written as such: 1024, not 1024.0
    FIELD_RATIO,    // double; NAN: absent
    FIELD_INT,      // int
    FIELD_LINE,     // int; absent unless positive
    FIELD_COUNT,    // uint64_t
    FIELD_INTEGER,  // int64_t
    FIELD_ADDRESS,  // uint64_t as text, in hexadecimal digits; 0: absent
    FIELD_POINT,    // uint32_t[3]; its guard is set when it is read
    FIELD_BACKEND,  // enum backend; ON_NOTHING: absent
    FIELD_STATUS,   // enum record_status; STATUS_NONE: absent
    FIELD_SEVERITY, // enum severity, or enum sim_severity, which has the same order
    FIELD_KIND,     // enum sim_kind
    FIELD_CHECK,    // enum request_check
    FIELD_BOOL,     // bool
    FIELD_PARAMS,   // struct expr_params *; from here on: a part of the record
    FIELD_COUNTERS,
    FIELD_NCU, // the counters again, under the names of Nsight Compute; not read
    FIELD_FINDINGS,
    FIELD_LINES,
    FIELD_INSTRUCTIONS,
    FIELD_DIGESTS,
    FIELD_MODELLED,
    FIELD_PROFILED,
    FIELD_DIAGNOSTICS
};
struct record_field {
    const char *key;
    enum field_kind kind;
    size_t at, size;
    const char *ncu; // of a counter; NULL: ncu has no such metric, or counts SASS where we count PTX
    size_t guard;    // the field is absent while the byte there is 0; 0: it has none
};
struct field_list {
    const struct record_field *all;
    size_t count;
};
#define FIELD_LIST(fields)                                                                                   \
    (struct field_list)                                                                                      \
    {                                                                                                        \
        fields, sizeof(fields) / sizeof *(fields)                                                            \
    }
#define FIELD_AT(kind, type, key, member)                                                                    \
    {                                                                                                        \
        key, kind, offsetof(type, member), sizeof(((type *)0)->member), NULL, 0                              \
    }
#define FIELD_GUARDED(kind, type, key, member, guard)                                                        \
    {                                                                                                        \
        key, kind, offsetof(type, member), sizeof(((type *)0)->member), NULL, offsetof(type, guard)          \
    }

// ---- the tables ---------------------------------------------------------------------------------------

// clang-format off
#define TEXT(name) FIELD_AT(FIELD_TEXT, struct record, #name, name)
#define NUMBER(name) FIELD_AT(FIELD_NUMBER, struct record, #name, name)
#define PART(kind, name) FIELD_AT(kind, struct record, #name, name)
static const struct record_field record_fields[] = {
    TEXT(lab), TEXT(variant), TEXT(title),
    PART(FIELD_BACKEND, backend), PART(FIELD_STATUS, status), TEXT(message),
    TEXT(preset), TEXT(data), PART(FIELD_PARAMS, params),
    TEXT(device), TEXT(driver), TEXT(compiler), TEXT(date), TEXT(code),
    NUMBER(median_ms), NUMBER(min_ms), NUMBER(low_ms), NUMBER(high_ms), NUMBER(spread_pct), NUMBER(reps),
    NUMBER(h2d_ms), NUMBER(h2d_bytes), NUMBER(d2h_ms), NUMBER(d2h_bytes),
    NUMBER(bytes), NUMBER(operations),
    NUMBER(bandwidth_gbps), NUMBER(ceiling_gbps), NUMBER(ceiling_gflops), NUMBER(ceiling_pct),
    NUMBER(threads), NUMBER(target), NUMBER(registers), NUMBER(shared_bytes), NUMBER(spill_bytes),
    NUMBER(blocks_per_sm), NUMBER(occupancy_pct), TEXT(kernel), NUMBER(launches), NUMBER(grid_blocks),
    NUMBER(block_threads), TEXT(occupancy_limit),
    NUMBER(compile_ms), NUMBER(total_ms),
    NUMBER(compared), NUMBER(wrong), NUMBER(wrong_index),
    TEXT(wrong_buffer), TEXT(wrong_got), TEXT(wrong_want), TEXT(wrong_where),
    NUMBER(worst_error), TEXT(tolerance),
    NUMBER(warp_inst), NUMBER(thread_inst), NUMBER(exec_ms),
    PART(FIELD_COUNTERS, counters), FIELD_AT(FIELD_NCU, struct record, "ncu", counters),
    PART(FIELD_FINDINGS, findings), PART(FIELD_LINES, lines), PART(FIELD_INSTRUCTIONS, instructions),
    PART(FIELD_DIGESTS, digests), PART(FIELD_MODELLED, modelled),
    PART(FIELD_PROFILED, profiled), TEXT(printed), PART(FIELD_DIAGNOSTICS, diagnostics),
};

#define LSU "l1tex__t_"
#define WAVES "l1tex__data_pipe_lsu_wavefronts_mem_shared_"
#define BANKS "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_"
#define COUNTER(name, ncu) { #name, FIELD_NUMBER, offsetof(struct record_counters, name), sizeof(double), ncu, 0 }
#define REMOTE(kind, op)                                                                                     \
    COUNTER(kind##_req, LSU "requests_pipe_lsu_mem_dshared_op_" op ".sum"),                                  \
        COUNTER(kind##_sec, LSU "sectors_pipe_lsu_mem_dshared_op_" op ".sum"),                               \
        COUNTER(kind##_wave, LSU "output_wavefronts_pipe_lsu_mem_dshared_op_" op ".sum")
#define RATIO(name) { #name, FIELD_RATIO, offsetof(struct record_counters, name), sizeof(double), NULL, 0 }
static const struct record_field counter_fields[] = {
    COUNTER(gld_req, LSU "requests_pipe_lsu_mem_global_op_ld.sum"),
    COUNTER(gld_sec, LSU "sectors_pipe_lsu_mem_global_op_ld.sum"),
    COUNTER(gst_req, LSU "requests_pipe_lsu_mem_global_op_st.sum"),
    COUNTER(gst_sec, LSU "sectors_pipe_lsu_mem_global_op_st.sum"),
    COUNTER(red_req, LSU "requests_pipe_lsu_mem_global_op_red.sum"),
    COUNTER(red_sec, LSU "sectors_pipe_lsu_mem_global_op_red.sum"),
    COUNTER(atom_req, LSU "requests_pipe_lsu_mem_global_op_atom.sum"),
    COUNTER(atom_sec, LSU "sectors_pipe_lsu_mem_global_op_atom.sum"),
    COUNTER(sld_inst, "smsp__sass_inst_executed_op_shared_ld.sum"),
    COUNTER(sld_wave, WAVES "op_ld.sum"), COUNTER(sld_conf, BANKS "op_ld.sum"),
    COUNTER(sst_inst, "smsp__sass_inst_executed_op_shared_st.sum"),
    COUNTER(sst_wave, WAVES "op_st.sum"), COUNTER(sst_conf, BANKS "op_st.sum"),
    COUNTER(satom_inst, "smsp__inst_executed_op_shared_atom.sum"),
    COUNTER(satom_wave, WAVES "op_atom.sum"), COUNTER(satom_conf, BANKS "op_atom.sum"),
    REMOTE(dld, "ld"), REMOTE(dst, "st"), REMOTE(datom, "atom"),
    COUNTER(const_req, NULL), COUNTER(const_turn, NULL),
    COUNTER(l2_sectors, "memory_l2_theoretical_sectors_global"),
    COUNTER(l2_sectors_ideal, "memory_l2_theoretical_sectors_global_ideal"),
    COUNTER(l1_wave_shared, "memory_l1_wavefronts_shared"),
    COUNTER(l1_wave_shared_ideal, "memory_l1_wavefronts_shared_ideal"),
    COUNTER(inst, NULL), COUNTER(thread_inst, NULL),
    COUNTER(branches, NULL), COUNTER(divergent, NULL), COUNTER(barriers, NULL),
    COUNTER(tensor, NULL),
    RATIO(lanes_per_inst), COUNTER(inst_longest, NULL), COUNTER(inst_even, NULL), RATIO(busiest),
};

#define FINDING(kind, key, member) FIELD_AT(kind, struct sim_finding, key, member)
#define PLACE(key, member, known) FIELD_GUARDED(FIELD_POINT, struct sim_finding, key, member, known)
static const struct record_field finding_fields[] = {
    FINDING(FIELD_KIND, "kind", kind), FINDING(FIELD_SEVERITY, "severity", severity),
    FINDING(FIELD_COUNT, "count", count), FINDING(FIELD_CHARS, "sentence", sentence),
    FINDING(FIELD_LINE, "line", here.line), FINDING(FIELD_LINE, "ptx_line", here.ptx_line),
    PLACE("block", here.block, here.known), PLACE("thread", here.thread, here.known),
    FINDING(FIELD_LINE, "other_line", there.line), FINDING(FIELD_LINE, "other_ptx_line", there.ptx_line),
    PLACE("other_block", there.block, there.known), PLACE("other_thread", there.thread, there.known),
    FINDING(FIELD_CHARS, "space", space), FINDING(FIELD_CHARS, "buffer", buffer),
    FIELD_GUARDED(FIELD_INTEGER, struct sim_finding, "element", element, buffer),
    FINDING(FIELD_ADDRESS, "address", address),
};

#define DIAGNOSTIC(kind, name) FIELD_AT(kind, struct diagnostic, #name, name)
static const struct record_field diagnostic_fields[] = {
    DIAGNOSTIC(FIELD_SEVERITY, severity), DIAGNOSTIC(FIELD_INT, line), DIAGNOSTIC(FIELD_INT, column),
    DIAGNOSTIC(FIELD_TEXT, message),
};

#define INSTRUCTION(kind, key, member) FIELD_AT(kind, struct instruction, key, member)
static const struct record_field instruction_fields[] = {
    INSTRUCTION(FIELD_INT, "ptx_line", ptx_line), INSTRUCTION(FIELD_LINE, "line", line),
    INSTRUCTION(FIELD_TEXT, "text", text),
    INSTRUCTION(FIELD_COUNT, "executions", counters.warp_inst),
    INSTRUCTION(FIELD_COUNT, "lanes", counters.thread_inst),
};
static const struct record_field branch_fields[] = { // of a branch only
    INSTRUCTION(FIELD_COUNT, "branches", counters.branches),
    INSTRUCTION(FIELD_COUNT, "divergent", counters.divergent),
};
static const struct record_field barrier_fields[] = { // of a barrier only
    INSTRUCTION(FIELD_COUNT, "barriers", counters.barriers),
};
// clang-format on

// The names follow the order of enum sim_access.
static const char *const access_names[] = { "global load", "global store", "global red",
                                            "global atom", "shared load",  "shared store",
                                            "shared atom", "local load",   "local store" };
_Static_assert(sizeof access_names / sizeof *access_names == SIM_ACCESSES, "a name for every kind of access");
static const char *const remote_names[] = { "remote load", "remote store", "remote atom" };
_Static_assert(sizeof remote_names / sizeof *remote_names == SIM_REMOTES,
               "a name for every kind of remote access");
static const char constant_name[] = "constant load";
static const char *const severity_names[] = { "note", "warning", "error" };
static const char *const check_names[] = { "none", "counters", "all" };

// ---- to JSON ------------------------------------------------------------------------------------------

static json_t *number_to_json(double number)
{
    if (!isfinite(number))
        return NULL;
    if (number == floor(number) && fabs(number) < 9e15)
        return json_integer((json_int_t)number);
    return json_real(number);
}

static json_t *text_to_json(const char *text)
{
    return text && *text ? json_string(text) : NULL;
}

static json_t *point_to_json(const uint32_t *point)
{
    return json_pack("[i, i, i]", (int)point[0], (int)point[1], (int)point[2]);
}

// NULL: it is not known, and is left out.
static json_t *field_to_json(const void *object, const struct record_field *field)
{
    const void *at = (const char *)object + field->at;
    if (field->guard && !((const char *)object)[field->guard])
        return NULL;
    switch (field->kind) {
    case FIELD_TEXT:
        return *(char *const *)at ? json_string(*(char *const *)at) : NULL;
    case FIELD_CHARS:
        return text_to_json(at);
    case FIELD_NUMBER:
        return number_to_json(*(const double *)at);
    case FIELD_RATIO:
        return isfinite(*(const double *)at) ? json_real(*(const double *)at) : NULL;
    case FIELD_INT:
        return json_integer(*(const int *)at);
    case FIELD_LINE:
        return *(const int *)at > 0 ? json_integer(*(const int *)at) : NULL;
    case FIELD_COUNT:
    case FIELD_INTEGER:
        return json_integer(*(const json_int_t *)at);
    case FIELD_ADDRESS:
        return *(const uint64_t *)at ? json_sprintf("0x%llx", *(const unsigned long long *)at) : NULL;
    case FIELD_POINT:
        return point_to_json(at);
    case FIELD_SEVERITY:
        return json_string(severity_names[*(const enum severity *)at]);
    case FIELD_KIND:
        return json_string(sim_kind_name(*(const enum sim_kind *)at));
    case FIELD_CHECK:
        return json_string(check_names[*(const enum request_check *)at]);
    case FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case FIELD_BACKEND:
        return text_to_json(record_backend_name(*(const enum backend *)at));
    case FIELD_STATUS:
        return text_to_json(record_status_name(*(const enum record_status *)at));
    default:
        return NULL; // a part, which part_to_json writes
    }
}

static void add_fields(json_t *json, const void *object, struct field_list list)
{
    for (size_t f = 0; f < list.count; f++) {
        json_t *value = field_to_json(object, &list.all[f]);
        if (value)
            json_object_set_new(json, list.all[f].key, value);
    }
}

// NULL: the array is not known.
static json_t *array_to_json(const void *items, size_t count, size_t size, struct field_list list)
{
    json_t *all = items ? json_array() : NULL;
    for (size_t i = 0; all && i < count; i++) {
        json_t *one = json_object();
        add_fields(one, (const char *)items + i * size, list);
        json_array_append_new(all, one);
    }
    return all;
}

json_t *record_counters_to_json(const struct record_counters *counters, bool ncu)
{
    json_t *json = counters ? json_object() : NULL;
    for (size_t f = 0; json && f < sizeof counter_fields / sizeof *counter_fields; f++) {
        const char *key = ncu ? counter_fields[f].ncu : counter_fields[f].key;
        json_t *value = key ? field_to_json(counters, &counter_fields[f]) : NULL;
        if (value)
            json_object_set_new(json, key, value);
    }
    return json;
}

static json_t *lines_to_json(const struct record *record)
{
    json_t *all = record->lines ? json_array() : NULL;
    for (size_t i = 0; all && i < record->line_count; i++) {
        json_t *line = record_counters_to_json(&record->lines[i].counters, false);
        json_object_set_new(line, "line", json_integer(record->lines[i].line));
        json_array_append_new(all, line);
    }
    return all;
}

static json_t *params_to_json(const struct expr_params *params)
{
    json_t *all = params ? json_object() : NULL;
    for (size_t i = 0; all && i < params->count; i++) {
        const struct expr_value *value = &params->bindings[i].value;
        json_object_set_new(all, params->bindings[i].name,
                            value->real ? json_real(value->r) : json_integer(value->i));
    }
    return all;
}

static json_t *digests_to_json(const struct record *record)
{
    json_t *all = record->digests ? json_object() : NULL;
    for (size_t i = 0; all && i < record->digest_count; i++)
        json_object_set_new(all, record->digests[i].buffer,
                            json_sprintf("%016llx", (unsigned long long)record->digests[i].hash));
    return all;
}

static void add_costs(json_t *instruction, const struct sim_counters *counters)
{
    json_t *costs = json_object();
    for (int i = 0; i < SIM_ACCESSES; i++) {
        if (!counters->requests[i])
            continue;
        json_t *cost =
            json_pack("{s:I, s:I, s:I, s:I}", "requests", (json_int_t)counters->requests[i], "passes",
                      (json_int_t)counters->passes[i], "ideal", (json_int_t)counters->ideal[i], "conflicts",
                      (json_int_t)counters->conflicts[i]);
        json_object_set_new(costs, access_names[i], cost);
    }
    for (int i = 0; i < SIM_REMOTES; i++)
        if (counters->remote_requests[i])
            json_object_set_new(costs, remote_names[i],
                                json_pack("{s:I, s:I, s:I}", "requests",
                                          (json_int_t)counters->remote_requests[i], "sectors",
                                          (json_int_t)counters->remote_sectors[i], "wavefronts",
                                          (json_int_t)counters->remote_wavefronts[i]));
    if (counters->constant_requests)
        json_object_set_new(costs, constant_name,
                            json_pack("{s:I, s:I}", "requests", (json_int_t)counters->constant_requests,
                                      "turns", (json_int_t)counters->constant_turns));
    if (json_object_size(costs))
        json_object_set(instruction, "costs", costs);
    json_decref(costs);
}

json_t *record_instructions_to_json(const struct instructions *instructions)
{
    json_t *all = json_array();
    for (size_t i = 0; i < instructions->count; i++) {
        const struct instruction *item = &instructions->items[i];
        json_t *json = json_object();
        add_fields(json, item, FIELD_LIST(instruction_fields));
        if (item->counters.branches)
            add_fields(json, item, FIELD_LIST(branch_fields));
        if (item->counters.barriers)
            add_fields(json, item, FIELD_LIST(barrier_fields));
        add_costs(json, &item->counters);
        json_array_append_new(all, json);
    }
    return all;
}

static json_t *part_to_json(const struct record *record, enum field_kind kind)
{
    switch (kind) {
    case FIELD_PARAMS:
        return params_to_json(record->params);
    case FIELD_COUNTERS:
        return record_counters_to_json(record->counters, false);
    case FIELD_NCU:
        return record_counters_to_json(record->counters, true);
    case FIELD_FINDINGS:
        return array_to_json(record->findings, record->finding_count, sizeof *record->findings,
                             FIELD_LIST(finding_fields));
    case FIELD_LINES:
        return lines_to_json(record);
    case FIELD_INSTRUCTIONS:
        return record->instructions ? record_instructions_to_json(record->instructions) : NULL;
    case FIELD_DIGESTS:
        return digests_to_json(record);
    case FIELD_MODELLED:
        return modelled_to_json(record->modelled, record->modelled_count);
    case FIELD_PROFILED:
        return profiled_to_json(record->profiled);
    case FIELD_DIAGNOSTICS:
        return array_to_json(record->diagnostics, record->diagnostic_count, sizeof *record->diagnostics,
                             FIELD_LIST(diagnostic_fields));
    default:
        return NULL;
    }
}

json_t *record_to_json(const struct record *record)
{
    json_t *json = json_object();
    for (size_t f = 0; f < sizeof record_fields / sizeof *record_fields; f++) {
        const struct record_field *field = &record_fields[f];
        json_t *value =
            field->kind < FIELD_PARAMS ? field_to_json(record, field) : part_to_json(record, field->kind);
        if (value)
            json_object_set_new(json, field->key, value);
    }
    return json;
}

// ---- from JSON ----------------------------------------------------------------------------------------

static bool is_count(const json_t *value, json_int_t most)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= most;
}

static bool take_int(int *out, const json_t *value)
{
    *out = (int)json_integer_value(value);
    return is_count(value, INT32_MAX);
}

// A text that does not fit is cut off, between two characters.
static bool take_chars(char *out, size_t size, const json_t *value)
{
    const char *text = json_string_value(value);
    size_t length = text ? strlen(text) : 0;
    if (text && length >= size)
        for (length = size - 1; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    format_into(out, size, "%.*s", (int)length, text ? text : "");
    return text;
}

static bool take_point(uint32_t *out, const json_t *value)
{
    bool fits = json_array_size(value) == 3;
    for (size_t i = 0; fits && i < 3; i++) {
        fits = is_count(json_array_get(value, i), UINT32_MAX);
        out[i] = (uint32_t)json_integer_value(json_array_get(value, i));
    }
    return fits;
}

// The position of the text among the names; -1: it is none of them.
static int name_index(const char *const *names, int count, const json_t *value)
{
    const char *text = json_string_value(value);
    for (int i = 0; text && i < count; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return -1;
}

static bool take_severity(enum severity *out, const json_t *value)
{
    int index = name_index(severity_names, 3, value);
    *out = index < 0 ? SEVERITY_NOTE : (enum severity)index;
    return index >= 0;
}

static bool take_check(enum request_check *out, const json_t *value)
{
    int index = name_index(check_names, 3, value);
    *out = index < 0 ? REQUEST_CHECK_ALL : (enum request_check)index;
    return index >= 0;
}

// A kind that a later version may have found is SIM_OTHER here.
static bool take_kind(enum sim_kind *out, const json_t *value)
{
    const char *text = json_string_value(value);
    for (*out = SIM_OUT_OF_BOUNDS; text && *out < SIM_OTHER; (*out)++)
        if (strcmp(sim_kind_name(*out), text) == 0)
            break;
    return text;
}

static bool take_backend(enum backend *out, const json_t *value)
{
    const char *text = json_string_value(value);
    for (*out = ON_SIM; text && *out > ON_NOTHING; (*out)--)
        if (strcmp(record_backend_name(*out), text) == 0)
            return true;
    return false;
}

static bool take_status(enum record_status *out, const json_t *value)
{
    const char *text = json_string_value(value);
    for (*out = STATUS_FAILED; text && *out > STATUS_NONE; (*out)--)
        if (strcmp(record_status_name(*out), text) == 0)
            return true;
    return false;
}

// False: it is of another type, or out of its range.
static bool take_field(void *object, const struct record_field *field, const json_t *value)
{
    void *at = (char *)object + field->at;
    switch (field->kind) {
    case FIELD_TEXT:
        *(char **)at = mem_copy_if(json_string_value(value));
        return *(char **)at;
    case FIELD_CHARS:
        return take_chars(at, field->size, value);
    case FIELD_NUMBER:
    case FIELD_RATIO:
        *(double *)at = json_number_value(value);
        return json_is_number(value);
    case FIELD_INT:
    case FIELD_LINE:
        return take_int(at, value);
    case FIELD_COUNT:
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
        return is_count(value, INT64_MAX);
    case FIELD_INTEGER:
        *(int64_t *)at = json_integer_value(value);
        return json_is_integer(value);
    case FIELD_ADDRESS:
        *(uint64_t *)at = json_is_string(value) ? strtoull(json_string_value(value), NULL, 16) : 0;
        return json_is_string(value);
    case FIELD_POINT:
        ((char *)object)[field->guard] = 1;
        return take_point(at, value);
    case FIELD_SEVERITY:
        return take_severity(at, value);
    case FIELD_KIND:
        return take_kind(at, value);
    case FIELD_CHECK:
        return take_check(at, value);
    case FIELD_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    case FIELD_BACKEND:
        return take_backend(at, value);
    case FIELD_STATUS:
        return take_status(at, value);
    default:
        return false;
    }
}

static bool take_fields(void *object, struct field_list list, const json_t *json)
{
    bool fits = json_is_object(json);
    for (size_t f = 0; fits && f < list.count; f++) {
        const json_t *value = json_object_get(json, list.all[f].key);
        fits = !value || json_is_null(value) || take_field(object, &list.all[f], value);
    }
    return fits;
}

// Zeroed room for the rows of an array, one for each; NULL: it is no array, or has too many.
static void *rows_for(const json_t *json, size_t size)
{
    size_t count = json_array_size(json);
    return json_is_array(json) && count <= RECORD_ROWS ? mem_new((count + 1) * size) : NULL;
}

static bool take_findings(struct record *out, const json_t *json)
{
    bool fits = (out->findings = rows_for(json, sizeof *out->findings));
    while (fits && out->finding_count < json_array_size(json)) {
        size_t i = out->finding_count++;
        fits = take_fields(&out->findings[i], FIELD_LIST(finding_fields), json_array_get(json, i));
    }
    return fits;
}

static bool take_diagnostics(struct record *out, const json_t *json)
{
    bool fits = (out->diagnostics = rows_for(json, sizeof *out->diagnostics));
    while (fits && out->diagnostic_count < json_array_size(json)) {
        size_t i = out->diagnostic_count++;
        struct diagnostic *diagnostic = &out->diagnostics[i];
        fits = take_fields(diagnostic, FIELD_LIST(diagnostic_fields), json_array_get(json, i));
        if (!diagnostic->message)
            diagnostic->message = mem_copy("");
    }
    return fits;
}

void record_counters_init(struct record_counters *counters)
{
    double *all = (double *)counters;
    for (size_t i = 0; i < sizeof *counters / sizeof *all; i++)
        all[i] = NAN;
}

static bool take_lines(struct record *out, const json_t *json)
{
    bool fits = (out->lines = rows_for(json, sizeof *out->lines));
    while (fits && out->line_count < json_array_size(json)) {
        size_t i = out->line_count++;
        const json_t *one = json_array_get(json, i);
        record_counters_init(&out->lines[i].counters);
        fits = take_fields(&out->lines[i].counters, FIELD_LIST(counter_fields), one) &&
               take_int(&out->lines[i].line, json_object_get(one, "line"));
    }
    return fits;
}

_Static_assert(sizeof counter_fields / sizeof *counter_fields == RECORD_COUNTERS, "a name for every counter");

struct record_counter_name record_counter(size_t index)
{
    const struct record_field *field = &counter_fields[index];
    return (struct record_counter_name){ field->key, field->ncu, field->at };
}

bool record_counters_from_json(struct record_counters *out, const json_t *json)
{
    record_counters_init(out);
    return take_fields(out, FIELD_LIST(counter_fields), json);
}

static bool take_counters(struct record *out, const json_t *json)
{
    out->counters = mem_new(sizeof *out->counters);
    return record_counters_from_json(out->counters, json);
}

// The name of the first that is no number, or that has no room, is left in *bad.
static bool take_params(struct expr_params *out, json_t *json, const char **bad)
{
    json_t *value;
    json_object_foreach(json, *bad, value)
    {
        struct expr_value number = json_is_integer(value) ? value_int(json_integer_value(value))
                                                          : value_real(json_real_value(value));
        if (!json_is_number(value) || !expr_params_add(out, *bad, number))
            return false;
    }
    return json_is_object(json);
}

static bool take_digests(struct record *out, json_t *json)
{
    const char *name;
    json_t *value;
    if (!json_is_object(json) || json_object_size(json) > RECORD_ROWS)
        return false;
    out->digests = mem_new((json_object_size(json) + 1) * sizeof *out->digests);
    json_object_foreach(json, name, value)
    {
        if (!json_is_string(value))
            return false;
        out->digests[out->digest_count++] =
            (struct record_digest){ mem_copy(name), strtoull(json_string_value(value), NULL, 16) };
    }
    return true;
}

static bool take_cost(uint64_t *out, const json_t *cost, const char *key)
{
    const json_t *value = json_object_get(cost, key);
    *out = (uint64_t)json_integer_value(value);
    return !value || is_count(value, INT64_MAX);
}

static bool take_costs(struct sim_counters *out, const json_t *costs)
{
    bool fits = !costs || json_is_object(costs);
    for (int i = 0; fits && i < SIM_ACCESSES; i++) {
        const json_t *cost = json_object_get(costs, access_names[i]);
        fits = (!cost || json_is_object(cost)) && take_cost(&out->requests[i], cost, "requests") &&
               take_cost(&out->passes[i], cost, "passes") && take_cost(&out->ideal[i], cost, "ideal") &&
               take_cost(&out->conflicts[i], cost, "conflicts");
    }
    for (int i = 0; fits && i < SIM_REMOTES; i++) {
        const json_t *cost = json_object_get(costs, remote_names[i]);
        fits = (!cost || json_is_object(cost)) && take_cost(&out->remote_requests[i], cost, "requests") &&
               take_cost(&out->remote_sectors[i], cost, "sectors") &&
               take_cost(&out->remote_wavefronts[i], cost, "wavefronts");
    }
    const json_t *constant = json_object_get(costs, constant_name);
    return fits && (!constant || json_is_object(constant)) &&
           take_cost(&out->constant_requests, constant, "requests") &&
           take_cost(&out->constant_turns, constant, "turns");
}

static bool take_instruction(struct instruction *out, const json_t *json)
{
    return take_fields(out, FIELD_LIST(instruction_fields), json) && out->text &&
           take_fields(out, FIELD_LIST(branch_fields), json) &&
           take_fields(out, FIELD_LIST(barrier_fields), json) &&
           take_costs(&out->counters, json_object_get(json, "costs"));
}

void record_instructions_free(struct instructions *instructions)
{
    for (size_t i = 0; i < instructions->count; i++)
        free(instructions->items[i].text);
    free(instructions->items);
    *instructions = (struct instructions){ 0 };
}

bool record_instructions_from_json(struct instructions *out, const json_t *json, struct error *error)
{
    *out = (struct instructions){ 0 };
    out->items = json ? rows_for(json, sizeof *out->items) : mem_new(sizeof *out->items);
    if (!out->items)
        return error_set(error, EXIT_MISSING, "The record's instructions are not an array of at most %d.",
                         RECORD_ROWS);
    while (out->count < json_array_size(json)) {
        size_t i = out->count++;
        if (!take_instruction(&out->items[i], json_array_get(json, i))) {
            record_instructions_free(out);
            return error_set(error, EXIT_MISSING,
                             "The record's instruction %zu is not one: a text and counts are expected.", i);
        }
    }
    return true;
}

static bool take_instructions(struct record *out, const json_t *json)
{
    struct error unused;
    out->instructions = mem_new(sizeof *out->instructions);
    return json && record_instructions_from_json(out->instructions, json, &unused);
}

static bool take_part(struct record *out, enum field_kind kind, json_t *json)
{
    const char *bad;
    switch (kind) {
    case FIELD_PARAMS:
        out->params = mem_new(sizeof *out->params);
        return take_params(out->params, json, &bad);
    case FIELD_COUNTERS:
        return take_counters(out, json);
    case FIELD_NCU:
        return json_is_object(json);
    case FIELD_FINDINGS:
        return take_findings(out, json);
    case FIELD_LINES:
        return take_lines(out, json);
    case FIELD_INSTRUCTIONS:
        return take_instructions(out, json);
    case FIELD_DIGESTS:
        return take_digests(out, json);
    case FIELD_MODELLED:
        return modelled_from_json(&out->modelled, &out->modelled_count, json);
    case FIELD_PROFILED:
        return profiled_from_json(&out->profiled, json);
    case FIELD_DIAGNOSTICS:
        return take_diagnostics(out, json);
    default:
        return false;
    }
}

bool record_from_json(struct record *out, const json_t *json, struct error *error)
{
    record_init(out);
    for (size_t f = 0; f < sizeof record_fields / sizeof *record_fields; f++) {
        const struct record_field *field = &record_fields[f];
        json_t *value = json_object_get(json, field->key);
        if (!value || json_is_null(value) ||
            (field->kind < FIELD_PARAMS ? take_field(out, field, value) : take_part(out, field->kind, value)))
            continue;
        record_free(out);
        return error_set(error, EXIT_MISSING, "The record's field %s has the wrong type.", field->key);
    }
    if (out->status == STATUS_NONE || out->backend == ON_NOTHING) {
        bool told = out->status != STATUS_NONE;
        record_free(out);
        return error_set(error, EXIT_MISSING, "The record does not say its %s.", told ? "backend" : "status");
    }
    return true;
}

// ---- a request ----------------------------------------------------------------------------------------

// clang-format off
#define REQUEST(kind, name) FIELD_AT(kind, struct request, #name, name)
static const struct record_field request_fields[] = {
    REQUEST(FIELD_BACKEND, on),
    REQUEST(FIELD_TEXT, lab), REQUEST(FIELD_TEXT, variant), REQUEST(FIELD_TEXT, file), REQUEST(FIELD_TEXT, source),
    REQUEST(FIELD_TEXT, ptx), REQUEST(FIELD_TEXT, preset), REQUEST(FIELD_TEXT, data),
    REQUEST(FIELD_INT, reps), REQUEST(FIELD_INT, limit_ms), REQUEST(FIELD_CHECK, check),
    REQUEST(FIELD_INT, threads), REQUEST(FIELD_INT, seed), REQUEST(FIELD_INTEGER, memory_bytes),
    REQUEST(FIELD_BOOL, instructions), REQUEST(FIELD_BOOL, what_if), REQUEST(FIELD_BOOL, fresh),
};
// clang-format on

json_t *request_to_json(const struct request *request)
{
    json_t *json = json_object();
    add_fields(json, request, FIELD_LIST(request_fields));
    json_object_set_new(json, "params", params_to_json(&request->params));
    if (request->gpus)
        json_object_set(json, "gpus", request->gpus);
    if (request->profile)
        json_object_set(json, "profile", request->profile);
    return json;
}

// The whole numbers of a request; 0 says that it leaves the choice to the worker.
static bool check_ranges(const json_t *json, struct error *error)
{
    static const struct {
        const char *key;
        json_int_t least, most;
    } ranges[] = { { "reps", 0, REPS_MOST },
                   { "limit_ms", 0, LIMIT_MOST_MS },
                   { "threads", 0, THREADS_MOST },
                   { "seed", 0, INT32_MAX },
                   { "memory_bytes", MEMORY_LEAST, MEMORY_MOST } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        json_int_t number = json_integer_value(json_object_get(json, ranges[i].key));
        if (number && (number < ranges[i].least || number > ranges[i].most))
            return error_set(error, EXIT_USAGE, "The request's %s is %lld; it may be 0 to %lld%s.",
                             ranges[i].key, (long long)number, (long long)ranges[i].most,
                             ranges[i].least ? ", and not less than a MiB" : "");
    }
    return true;
}

static bool check_parts(const struct request *request, struct error *error)
{
    if (request->on == ON_NOTHING)
        return error_set(error, EXIT_USAGE, "The request does not say where it runs: on cpu, gpu or sim.");
    bool library = request->on == ON_GPU && request->lab && request->variant;
    if (request->on != ON_CPU && !request->source && !library)
        return error_set(error, EXIT_USAGE, "The request asks for a kernel's run without its source.");
    if (request->on == ON_CPU && (!request->lab || !request->variant))
        return error_set(error, EXIT_USAGE,
                         "The request asks for a CPU run without a lab and an implementation.");
    return true;
}

// `profile` is not read: it is for a worker alone, and what a room passes on is never run unconfined, below a profiler.
static bool take_request(struct request *out, const json_t *json, struct error *error)
{
    json_t *params = json_object_get(json, "params");
    const char *on = json_string_value(json_object_get(json, "on")), *bad = NULL;
    if (!check_ranges(json, error))
        return false;
    for (size_t f = 0; f < sizeof request_fields / sizeof *request_fields; f++) {
        const struct record_field *field = &request_fields[f];
        const json_t *value = json_object_get(json, field->key);
        if (!value || take_field(out, field, value))
            continue;
        if (field->kind == FIELD_BACKEND && on)
            return error_set(error, EXIT_USAGE,
                             "The request asks for the backend '%s'; there are cpu, gpu and sim.", on);
        return error_set(error, EXIT_USAGE, "The request's %s has an impossible value.", field->key);
    }
    if (params && !take_params(&out->params, params, &bad))
        return error_set(error, EXIT_USAGE,
                         bad ? "The request's parameter %s is not a number, or is one too many."
                             : "The request's params are not an object of numbers.",
                         bad);
    json_t *gpus = json_object_get(json, "gpus");
    if (gpus && (!json_is_array(gpus) || json_array_size(gpus) > MODELLED_GPUS))
        return error_set(error, EXIT_USAGE, "The request's gpus are not an array of at most %d.",
                         MODELLED_GPUS);
    out->gpus = json_incref(gpus);
    return check_parts(out, error);
}

bool request_from_json(struct request *out, const json_t *json, struct error *error)
{
    *out = (struct request){ .on = ON_NOTHING, .check = REQUEST_CHECK_ALL };
    if (!take_request(out, json, error)) {
        request_free(out);
        return false;
    }
    if (!out->file)
        out->file = mem_copy("kernel.cu");
    return true;
}

double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

// ---- an empty record ----------------------------------------------------------------------------------

// The table knows which fields are numbers, and which texts.
void record_init(struct record *record)
{
    *record = (struct record){ .backend = ON_NOTHING };
    for (size_t f = 0; f < sizeof record_fields / sizeof *record_fields; f++)
        if (record_fields[f].kind == FIELD_NUMBER)
            *(double *)(void *)((char *)record + record_fields[f].at) = NAN;
}

void record_free(struct record *record)
{
    for (size_t f = 0; f < sizeof record_fields / sizeof *record_fields; f++)
        if (record_fields[f].kind == FIELD_TEXT)
            free(*(char **)(void *)((char *)record + record_fields[f].at));
    if (record->params)
        expr_params_free(record->params);
    for (size_t i = 0; i < record->digest_count; i++)
        free(record->digests[i].buffer);
    for (size_t i = 0; i < record->diagnostic_count; i++)
        free(record->diagnostics[i].message);
    if (record->instructions)
        record_instructions_free(record->instructions);
    free(record->params);
    free(record->counters);
    free(record->findings);
    free(record->lines);
    free(record->instructions);
    free(record->digests);
    modelled_free_all(record->modelled, record->modelled_count);
    profiled_free(record->profiled);
    free(record->diagnostics);
    record_init(record);
}
