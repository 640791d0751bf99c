// The record that a run leaves, in memory.
#include "engine/run/record.h"

#include "engine/run/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *record_backend_name(enum backend backend)
{
    static const char *const names[] = { "", "cpu", "gpu", "sim" };
    return names[backend - ON_NOTHING];
}

const char *record_status_name(enum record_status status)
{
    static const char *const names[] = { "", "right", "wrong", "unchecked", "skipped", "failed" };
    return names[status];
}

bool record_same_params(const struct record *a, const struct record *b)
{
    if (!a->params || !b->params)
        return a->params == b->params; // both or neither are known
    bool same = a->params->count == b->params->count;
    for (size_t i = 0; same && i < a->params->count; i++) {
        const struct expr_binding *one = &a->params->bindings[i], *other = b->params->bindings;
        const struct expr_binding *end = other + b->params->count;
        while (other < end && strcmp(one->name, other->name) != 0)
            other++;
        same = other < end && one->value.real == other->value.real &&
               value_as_real(one->value) == value_as_real(other->value);
    }
    return same;
}

// ---- counters -----------------------------------------------------------------------------------------

static double sum(const uint64_t *values, int first, int last)
{
    uint64_t total = 0;
    for (int i = first; i <= last; i++)
        total += values[i];
    return (double)total;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

// Of what most kernels have nothing.
static double some(uint64_t count)
{
    return count ? (double)count : NAN;
}

void record_count(struct record_counters *out, const struct sim_counters *c)
{
    enum { L = SIM_GLOBAL_LOAD, S = SIM_GLOBAL_STORE, R = SIM_GLOBAL_RED, A = SIM_GLOBAL_ATOM };
    enum { SL = SIM_SHARED_LOAD, SS = SIM_SHARED_STORE, SA = SIM_SHARED_ATOM };
    *out = (struct record_counters){
        .gld_req = (double)c->requests[L],
        .gld_sec = (double)c->passes[L],
        .gst_req = (double)c->requests[S],
        .gst_sec = (double)c->passes[S],
        .red_req = (double)c->requests[R],
        .red_sec = (double)c->passes[R],
        .atom_req = (double)c->requests[A],
        .atom_sec = (double)c->passes[A],
        .sld_inst = (double)c->requests[SL],
        .sld_wave = (double)c->passes[SL],
        .sld_conf = (double)c->conflicts[SL],
        .sst_inst = (double)c->requests[SS],
        .sst_wave = (double)c->passes[SS],
        .sst_conf = (double)c->conflicts[SS],
        .satom_inst = (double)c->requests[SA],
        .satom_wave = (double)c->passes[SA],
        .satom_conf = (double)c->conflicts[SA],
        .dld_req = some(c->remote_requests[SIM_REMOTE_LOAD]),
        .dld_sec = some(c->remote_sectors[SIM_REMOTE_LOAD]),
        .dld_wave = some(c->remote_wavefronts[SIM_REMOTE_LOAD]),
        .dst_req = some(c->remote_requests[SIM_REMOTE_STORE]),
        .dst_sec = some(c->remote_sectors[SIM_REMOTE_STORE]),
        .dst_wave = some(c->remote_wavefronts[SIM_REMOTE_STORE]),
        .datom_req = some(c->remote_requests[SIM_REMOTE_ATOM]),
        .datom_sec = some(c->remote_sectors[SIM_REMOTE_ATOM]),
        .datom_wave = some(c->remote_wavefronts[SIM_REMOTE_ATOM]),
        .const_req = some(c->constant_requests),
        .const_turn = some(c->constant_turns),
        // Sectors by address alone: passes count a sector again when lanes of an atomic take turns at it.
        .l2_sectors = sum(c->passes, L, A) - sum(c->conflicts, L, A),
        .l2_sectors_ideal = sum(c->ideal, L, A),
        .l1_wave_shared = sum(c->passes, SL, SA),
        .l1_wave_shared_ideal = sum(c->ideal, SL, SA),
        .inst = (double)c->warp_inst,
        .thread_inst = (double)c->thread_inst,
        .branches = (double)c->branches,
        .divergent = (double)c->divergent,
        .barriers = (double)c->barriers,
        .tensor = some(c->tensor),
        .lanes_per_inst = share(c->thread_inst, c->warp_inst),
        .inst_longest = c->even ? (double)c->longest : NAN,
        .inst_even = c->even ? (double)c->even : NAN,
        .busiest = share(c->longest, c->even),
    };
}

// Counters that are not known add nothing.
static double total(const double *counts, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += isnan(counts[i]) ? 0 : counts[i];
    return all;
}

double record_global_sectors(const struct record_counters *c)
{
    const double sectors[] = { c->gld_sec, c->gst_sec, c->red_sec, c->atom_sec };
    return total(sectors, 4);
}

double record_sectors_per_request(const struct record_counters *c)
{
    if (!c)
        return NAN;
    const double requests[] = { c->gld_req, c->gst_req, c->red_req, c->atom_req };
    double all = total(requests, 4);
    return all > 0 ? record_global_sectors(c) / all : NAN;
}

double record_wavefronts_per_access(const struct record_counters *c)
{
    if (!c)
        return NAN;
    const double accesses[] = { c->sld_inst, c->sst_inst, c->satom_inst };
    const double wavefronts[] = { c->sld_wave, c->sst_wave, c->satom_wave };
    double all = total(accesses, 3);
    return all > 0 ? total(wavefronts, 3) / all : NAN;
}

const struct record_counters *record_line_counters(const struct record *record, size_t line)
{
    for (size_t i = 0; i < record->line_count; i++)
        if (record->lines[i].line == (int)line)
            return &record->lines[i].counters;
    return NULL;
}

// ---- findings and checks ------------------------------------------------------------------------------

bool record_has_error(const struct record *record)
{
    for (size_t i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity == SIM_ERROR)
            return true;
    return false;
}

void record_finding_words(const struct sim_finding *finding, const char *file, struct text *out)
{
    text_add(out, sim_kind_name(finding->kind));
    if (finding->here.line && file)
        text_addf(out, ", %s:%d", file, finding->here.line);
    else if (finding->here.line)
        text_addf(out, ", line %d", finding->here.line);
    else if (finding->here.ptx_line)
        text_addf(out, ", line %d of the PTX", finding->here.ptx_line);
    if (finding->count > 1)
        text_addf(out, ", %llu times", (unsigned long long)finding->count);
}

void record_check_words(const struct record *record, struct text *out)
{
    if (record->status != STATUS_WRONG) {
        text_add(out, record_status_name(record->status));
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
