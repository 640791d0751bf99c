// What each PTX instruction of a run in the simulator did: from the launches' results, and to and from the record.
#include "engine/run/simulation.h"

#include <stdlib.h>
#include <string.h>

// In the order of enum sim_access.
static const char *const access_names[] = { "global load", "global store", "global red",
                                            "global atom", "shared load",  "shared store",
                                            "shared atom", "local load",   "local store" };
_Static_assert(sizeof access_names / sizeof *access_names == SIM_ACCESSES, "a name for every kind of access");

// ---- of a result ------------------------------------------------------------------------------------------

static int by_index(const void *left, const void *right)
{
    const struct sim_line *const *x = left, *const *y = right;
    return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

static void append(struct instructions *out, const struct sim_line *line)
{
    struct instruction *item = &out->items[out->count++];
    struct text clean = { 0 }; // it may be a user's PTX
    text_add_clean(&clean, line->text, strlen(line->text));
    *item = (struct instruction){
        .ptx_line = line->ptx_line, .line = line->line, .text = text_take(&clean), .counters = line->counters
    };
}

void instructions_of(struct instructions *out, const struct sim_result *result)
{
    const size_t count = result->instruction_count;
    const struct sim_line **order = mem_new((count + 1) * sizeof *order);
    *out = (struct instructions){ .items = mem_new((count + 1) * sizeof *out->items) };
    for (size_t i = 0; i < count; i++)
        order[i] = &result->instructions[i];
    qsort(order, count, sizeof *order, by_index);
    for (size_t i = 0; i < count; i++) {
        if (i && order[i]->index == order[i - 1]->index) // of another launch
            sim_counters_add(&out->items[out->count - 1].counters, &order[i]->counters);
        else
            append(out, order[i]);
    }
    free(order);
}

void instructions_free(struct instructions *instructions)
{
    for (size_t i = 0; i < instructions->count; i++)
        free(instructions->items[i].text);
    free(instructions->items);
    *instructions = (struct instructions){ 0 };
}

// ---- to JSON ------------------------------------------------------------------------------------------------

static void put(json_t *object, const char *key, uint64_t count)
{
    json_object_set_new(object, key, json_integer((json_int_t)count));
}

static json_t *costs_to_json(const struct sim_counters *counters)
{
    json_t *costs = json_object();
    for (int i = 0; i < SIM_ACCESSES; i++) {
        if (!counters->requests[i])
            continue;
        json_t *cost = json_object();
        put(cost, "requests", counters->requests[i]);
        put(cost, "passes", counters->passes[i]);
        put(cost, "ideal", counters->ideal[i]);
        put(cost, "conflicts", counters->conflicts[i]);
        json_object_set_new(costs, access_names[i], cost);
    }
    return costs;
}

static json_t *instruction_to_json(const struct instruction *item)
{
    json_t *json = json_pack("{s:i}", "ptx_line", item->ptx_line);
    if (item->line > 0)
        put(json, "line", (uint64_t)item->line);
    json_object_set_new(json, "text", json_string(item->text));
    put(json, "executions", item->counters.warp_inst);
    put(json, "lanes", item->counters.thread_inst);
    if (item->counters.branches) {
        put(json, "branches", item->counters.branches);
        put(json, "divergent", item->counters.divergent);
    }
    if (item->counters.barriers)
        put(json, "barriers", item->counters.barriers);
    json_t *costs = costs_to_json(&item->counters);
    if (json_object_size(costs))
        json_object_set(json, "costs", costs);
    json_decref(costs);
    return json;
}

json_t *instructions_to_json(const struct instructions *instructions)
{
    json_t *all = json_array();
    for (size_t i = 0; i < instructions->count; i++)
        json_array_append_new(all, instruction_to_json(&instructions->items[i]));
    return all;
}

// ---- from JSON ----------------------------------------------------------------------------------------------

// A count that is not there is 0.
static bool take(const json_t *object, const char *key, uint64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = (uint64_t)json_integer_value(value);
    return !value || (json_is_integer(value) && json_integer_value(value) >= 0);
}

static bool take_line(const json_t *object, const char *key, int *out)
{
    uint64_t line;
    if (!take(object, key, &line) || line > INT32_MAX)
        return false;
    *out = (int)line;
    return true;
}

static bool take_costs(struct sim_counters *out, const json_t *costs)
{
    if (costs && !json_is_object(costs))
        return false;
    for (int i = 0; i < SIM_ACCESSES; i++) {
        const json_t *cost = json_object_get(costs, access_names[i]);
        if ((cost && !json_is_object(cost)) || !take(cost, "requests", &out->requests[i]) ||
            !take(cost, "passes", &out->passes[i]) || !take(cost, "ideal", &out->ideal[i]) ||
            !take(cost, "conflicts", &out->conflicts[i]))
            return false;
    }
    return true;
}

static bool instruction_from_json(struct instruction *out, const json_t *json)
{
    const char *text = json_string_value(json_object_get(json, "text"));
    struct sim_counters *counters = &out->counters;
    if (!text || !take_line(json, "ptx_line", &out->ptx_line) || !take_line(json, "line", &out->line) ||
        !take(json, "executions", &counters->warp_inst) || !take(json, "lanes", &counters->thread_inst) ||
        !take(json, "branches", &counters->branches) || !take(json, "divergent", &counters->divergent) ||
        !take(json, "barriers", &counters->barriers) || !take_costs(counters, json_object_get(json, "costs")))
        return false;
    out->text = mem_copy(text);
    return true;
}

bool instructions_from_json(struct instructions *out, const json_t *json, struct error *error)
{
    size_t i;
    json_t *item;
    *out = (struct instructions){ .items = mem_new((json_array_size(json) + 1) * sizeof *out->items) };
    json_array_foreach(json, i, item)
    {
        if (!instruction_from_json(&out->items[i], item)) {
            instructions_free(out);
            return error_set(error, EXIT_MISSING,
                             "The record's instruction %zu is not one: a text and counts are expected.", i);
        }
        out->count++;
    }
    return true;
}
