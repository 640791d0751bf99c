// The record that a run leaves, and its JSON form. One table names every field once, so that writing and
// reading cannot drift apart.
#include "engine/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, NUMBER, JSON };
struct field {
    const char *key;
    enum kind kind;
    size_t at;
};
#define FIELD(kind, name)                                                                                    \
    {                                                                                                        \
#name, kind, offsetof(struct record, name)                                                           \
    }

static const struct field fields[] = {
    FIELD(TEXT, lab),
    FIELD(TEXT, variant),
    FIELD(TEXT, title),
    FIELD(TEXT, backend),
    FIELD(TEXT, status),
    FIELD(TEXT, message),
    FIELD(TEXT, preset),
    FIELD(TEXT, data),
    FIELD(JSON, params),
    FIELD(TEXT, device),
    FIELD(TEXT, driver),
    FIELD(TEXT, compiler),
    FIELD(TEXT, date),
    FIELD(TEXT, code),
    FIELD(NUMBER, median_ms),
    FIELD(NUMBER, min_ms),
    FIELD(NUMBER, spread_pct),
    FIELD(NUMBER, reps),
    FIELD(NUMBER, h2d_ms),
    FIELD(NUMBER, h2d_bytes),
    FIELD(NUMBER, d2h_ms),
    FIELD(NUMBER, d2h_bytes),
    FIELD(NUMBER, bytes),
    FIELD(NUMBER, operations),
    FIELD(NUMBER, bandwidth_gbps),
    FIELD(NUMBER, ceiling_gbps),
    FIELD(NUMBER, ceiling_pct),
    FIELD(NUMBER, threads),
    FIELD(NUMBER, target),
    FIELD(NUMBER, registers),
    FIELD(NUMBER, shared_bytes),
    FIELD(NUMBER, spill_bytes),
    FIELD(NUMBER, blocks_per_sm),
    FIELD(NUMBER, occupancy_pct),
    FIELD(NUMBER, grid_blocks),
    FIELD(NUMBER, block_threads),
    FIELD(TEXT, occupancy_limit),
    FIELD(NUMBER, compile_ms),
    FIELD(NUMBER, total_ms),
    FIELD(NUMBER, compared),
    FIELD(NUMBER, wrong),
    FIELD(NUMBER, wrong_index),
    FIELD(TEXT, wrong_buffer),
    FIELD(TEXT, wrong_got),
    FIELD(TEXT, wrong_want),
    FIELD(TEXT, wrong_where),
    FIELD(NUMBER, worst_error),
    FIELD(TEXT, tolerance),
    FIELD(NUMBER, warp_inst),
    FIELD(NUMBER, thread_inst),
    FIELD(NUMBER, exec_ms),
    FIELD(JSON, counters),
    FIELD(JSON, ncu),
    FIELD(JSON, findings),
    FIELD(JSON, lines),
    FIELD(JSON, instructions),
    FIELD(JSON, digests),
    FIELD(TEXT, printed),
    FIELD(JSON, diagnostics),
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static void *place(const struct record *record, const struct field *field)
{
    return (char *)record + field->at;
}

void record_init(struct record *record)
{
    *record = (struct record){ 0 };
    for (size_t f = 0; f < FIELD_COUNT; f++)
        if (fields[f].kind == NUMBER)
            *(double *)place(record, &fields[f]) = NAN;
}

void record_free(struct record *record)
{
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        if (fields[f].kind == TEXT)
            free(*(char **)place(record, &fields[f]));
        else if (fields[f].kind == JSON)
            json_decref(*(json_t **)place(record, &fields[f]));
    }
    record_init(record);
}

// Whole numbers are written as such: 1024, not 1024.0.
static json_t *number_to_json(double number)
{
    if (number == floor(number) && fabs(number) < 9e15)
        return json_integer((json_int_t)number);
    return json_real(number);
}

json_t *record_to_json(const struct record *record)
{
    json_t *json = json_object();
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        void *from = place(record, &fields[f]);
        json_t *value = NULL;
        if (fields[f].kind == TEXT && *(char **)from)
            value = json_string(*(char **)from);
        else if (fields[f].kind == NUMBER && isfinite(*(double *)from))
            value = number_to_json(*(double *)from);
        else if (fields[f].kind == JSON && *(json_t **)from)
            value = json_incref(*(json_t **)from);
        if (value)
            json_object_set_new(json, fields[f].key, value);
    }
    return json;
}

static bool take_field(struct record *out, const struct field *field, json_t *value)
{
    void *to = place(out, field);
    if (field->kind == TEXT && json_is_string(value))
        *(char **)to = mem_copy(json_string_value(value));
    else if (field->kind == NUMBER && json_is_number(value))
        *(double *)to = json_number_value(value);
    else if (field->kind == JSON && (json_is_object(value) || json_is_array(value)))
        *(json_t **)to = json_incref(value);
    else
        return json_is_null(value);
    return true;
}

bool record_from_json(struct record *out, const json_t *json, struct error *error)
{
    record_init(out);
    for (size_t f = 0; f < FIELD_COUNT; f++) {
        json_t *value = json_object_get(json, fields[f].key);
        if (value && !take_field(out, &fields[f], value)) {
            record_free(out);
            return error_set(error, EXIT_MISSING, "The record's field %s has the wrong type.", fields[f].key);
        }
    }
    if (!out->status || !out->backend) {
        record_free(out);
        return error_set(error, EXIT_MISSING, "The record does not say its %s.",
                         out->status ? "backend" : "status");
    }
    return true;
}

void record_check_words(const struct record *record, struct text *out)
{
    if (!record->status)
        return;
    if (strcmp(record->status, "wrong") != 0) {
        text_add(out, record->status);
        return;
    }
    text_addf(out, "%.0f of %.0f wrong", record->wrong, record->compared);
    if (!record->wrong_buffer || !record->wrong_got || !record->wrong_want)
        return;
    text_addf(out, ", first %s[%.0f]: %s, should be %s", record->wrong_buffer, record->wrong_index,
              record->wrong_got, record->wrong_want);
    if (record->wrong_where)
        text_addf(out, " (%s)", record->wrong_where);
}

bool record_has_error(const struct record *record)
{
    size_t i;
    json_t *finding;
    json_array_foreach(record->findings, i, finding)
    {
        const char *severity = json_string_value(json_object_get(finding, "severity"));
        if (severity && strcmp(severity, "error") == 0)
            return true;
    }
    return false;
}

double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

double sectors_per_request(const json_t *counters)
{
    double requests = number_of(counters, "gld_req") + number_of(counters, "gst_req") +
                      number_of(counters, "red_req") + number_of(counters, "atom_req");
    double sectors = number_of(counters, "gld_sec") + number_of(counters, "gst_sec") +
                     number_of(counters, "red_sec") + number_of(counters, "atom_sec");
    return requests > 0 ? sectors / requests : NAN;
}

double wavefronts_per_access(const json_t *counters)
{
    double accesses =
        number_of(counters, "sld_inst") + number_of(counters, "sst_inst") + number_of(counters, "satom_inst");
    double wavefronts =
        number_of(counters, "sld_wave") + number_of(counters, "sst_wave") + number_of(counters, "satom_wave");
    return accesses > 0 ? wavefronts / accesses : NAN;
}
