// The words of stepping, for the command and for the page.
#include "tui/text/stepping.h"

#include "engine/run/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- where ------------------------------------------------------------------------------------------------

const char *walk_arrival(enum sim_arrival arrival, const struct sim_spot *spot)
{
    switch (arrival) {
    case SIM_AT_START:
        return "This is the start.";
    case SIM_AT_END:
        return spot->ended ? "The launch ends before that."
                           : "There is none up to the end of the launch; this is where you were.";
    case SIM_TOO_FAR:
        return "A trace goes no further than 5000000 steps; the launch has not ended. Choose a smaller size, "
               "or go back.";
    case SIM_NO_SUCH_WARP:
        return "The launch has no such block and warp.";
    case SIM_NO_MEMORY:
        return "There is not enough memory to start over.";
    case SIM_STOPPED:
        return "Stopped on the way.";
    default:
        return NULL;
    }
}
_Static_assert(SIM_TRACE_MOST == 5000000, "the sentence above names it");

// Goes on; where there is none before the launch ends it goes back to where it was: SIM_AT_END without being there.
static enum sim_arrival seek(struct sim_trace *trace, enum sim_arrival (*go)(struct sim_trace *trace))
{
    struct sim_spot before, after;
    sim_trace_where(trace, &before);
    enum sim_arrival arrival = go(trace);
    sim_trace_where(trace, &after);
    if (arrival != SIM_AT_END || before.ended || after.step <= before.step)
        return arrival;
    enum sim_arrival back = sim_trace_back(trace, after.step - before.step);
    return back == SIM_THERE || back == SIM_AT_START ? SIM_AT_END : back;
}

static size_t findings_of(const struct sim_trace *trace)
{
    struct sim_finding *findings;
    size_t count = sim_trace_findings(trace, &findings);
    free(findings);
    return count;
}

// What is found when a launch ends is there, too.
static enum sim_arrival to_finding(struct sim_trace *trace)
{
    size_t before = findings_of(trace);
    enum sim_arrival arrival = sim_trace_finding(trace);
    return arrival == SIM_AT_END && findings_of(trace) > before ? SIM_THERE : arrival;
}

bool walk_number(const char *word, uint64_t otherwise, uint64_t *out)
{
    char *end;
    *out = otherwise;
    if (!word)
        return true;
    errno = 0;
    *out = strtoull(word, &end, 0);
    return *word >= '0' && *word <= '9' && !*end && !errno;
}

enum sim_arrival walk_move(struct sim_trace *trace, const struct move *move)
{
    enum sim_arrival arrival;
    switch (move->go) {
    case GO_FORWARD:
        return sim_trace_forward(trace, move->steps);
    case GO_BACK:
        return sim_trace_back(trace, move->steps);
    case GO_LINE:
        return sim_trace_line(trace);
    case GO_LINE_BACK:
        return sim_trace_line_back(trace);
    case GO_BARRIER:
        return seek(trace, sim_trace_barrier);
    case GO_MATRIX:
        return seek(trace, sim_trace_matrix);
    case GO_CONFLICT:
        return seek(trace, sim_trace_conflict);
    case GO_FINDING:
        return seek(trace, to_finding);
    case GO_WARP:
        return sim_trace_goto(trace, move->block, move->warp);
    case GO_END:
        arrival = sim_trace_end(trace);
        return arrival == SIM_AT_END ? SIM_THERE : arrival;
    default:
        arrival = sim_trace_back(trace, UINT64_MAX);
        return arrival == SIM_AT_START ? SIM_THERE : arrival;
    }
}

const char *walk_end(const struct sim_spot *spot)
{
    return spot->stopped ? "the launch was stopped here" : "the end of the launch";
}

const char *walk_trimmed(const char *ptx)
{
    return ptx ? ptx + strspn(ptx, " \t") : "?";
}

void walk_add_who(struct text *out, const struct sim_spot *spot)
{
    text_addf(out, "block %llu (%u,%u,%u) of %llu, ", (unsigned long long)spot->block_number, spot->block[0],
              spot->block[1], spot->block[2], (unsigned long long)spot->blocks);
    if (spot->cluster > 1)
        text_addf(out, "rank %u of %u, ", spot->rank, spot->cluster);
    text_addf(out, "warp %u of %u", spot->warp, spot->warps);
}

void walk_add_active(struct text *out, const struct sim_spot *spot)
{
    text_addf(out, "active %d of %d lanes", __builtin_popcount(spot->active),
              __builtin_popcount(spot->exists));
}

// ---- values -----------------------------------------------------------------------------------------------

const char *const walk_formats[WALK_FORMATS] = { "as used", "unsigned", "signed", "float", "hex" };

static void add_float(struct text *out, unsigned bytes, uint64_t bits)
{
    float single;
    double real;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&real, &bits, sizeof real);
    text_addf(out, "%.9g", bytes == 8 ? real : (double)single);
}

static void add_signed(struct text *out, unsigned bytes, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    text_addf(out, "%lld",
              bytes == 8   ? (long long)bits
              : bytes == 2 ? (long long)(int16_t)low
              : bytes == 1 ? (long long)(int8_t)low
                           : (long long)(int32_t)low);
}

static void add_as_used(struct text *out, enum sim_number is, unsigned bytes, uint64_t bits)
{
    if (is == SIM_BOOL)
        text_add(out, bits ? "true" : "false");
    else if (is == SIM_FLOAT)
        add_float(out, bytes, bits);
    else if (bytes == 8 && bits >> 36 && bits < (uint64_t)-1 << 36)
        text_addf(out, "0x%llx", (unsigned long long)bits); // an address
    else if (is == SIM_SIGNED)
        add_signed(out, bytes, bits);
    else
        text_addf(out, "%llu", (unsigned long long)bits);
}

void walk_add_value(struct text *out, enum walk_format format, enum sim_number is, unsigned bytes,
                    uint64_t bits)
{
    if (format == WALK_AS_USED || is == SIM_BOOL)
        add_as_used(out, is, bytes, bits);
    else if (format == WALK_HEX)
        text_addf(out, "%0*llx", (int)bytes * 2, (unsigned long long)bits);
    else if (format == WALK_FLOAT)
        add_float(out, bytes, bits);
    else if (format == WALK_SIGNED)
        add_signed(out, bytes, bits);
    else
        text_addf(out, "%llu", (unsigned long long)bits);
}

bool walk_uniform(const struct sim_register *reg)
{
    for (int i = 1; i < WALK_LANES; i++)
        if (reg->value[i] != reg->value[0])
            return false;
    return true;
}

// ---- variables --------------------------------------------------------------------------------------------

static void add_pointer(struct text *out, const struct sim_variable *v, int lane)
{
    if (!v->value[lane])
        text_add(out, "null");
    else if (!(v->inside >> lane & 1))
        text_addf(out, "0x%llx", (unsigned long long)v->value[lane]);
    else if (v->alone)
        text_addf(out, "&%s", v->buffer);
    else
        text_addf(out, "&%s[%lld]", v->buffer, (long long)v->element[lane]);
}

bool walk_add_variable(struct text *out, enum walk_format format, const struct sim_variable *v, int lane)
{
    bool there = v->known == SIM_HAS_VALUE && v->lanes >> lane & 1;
    if (there && v->is == SIM_POINTER && format == WALK_AS_USED)
        add_pointer(out, v, lane);
    else if (there && v->is == SIM_UNSIGNED && format == WALK_AS_USED)
        text_addf(out, "%llu", (unsigned long long)v->value[lane]); // however large, it is no address
    else if (there && v->is == SIM_SIGNED && v->bytes == 8 && format == WALK_AS_USED)
        text_addf(out, "%lld", (long long)v->value[lane]);
    else if (there)
        walk_add_value(out, format, v->is, v->bytes, v->value[lane]);
    return there;
}

const char *walk_no_value(const struct sim_variable *v)
{
    return v->known == SIM_NOT_KNOWN   ? "not known here"
           : v->known != SIM_HAS_PARTS ? "no value yet"
           : v->shared                 ? "in shared memory"
                                       : "in local memory";
}

bool walk_same(const struct sim_variable *v)
{
    int first = v->lanes ? __builtin_ctz(v->lanes) : 0;
    for (int i = first; i < WALK_LANES; i++)
        if (v->lanes >> i & 1 && v->value[i] != v->value[first])
            return false;
    return true;
}

// ---- memory -----------------------------------------------------------------------------------------------

static const char *access_name(enum sim_access access)
{
    static const char *const names[] = { "global load",   "global store", "global reduction",
                                         "global atomic", "shared load",  "shared store",
                                         "shared atomic", "local load",   "local store" };
    return access < SIM_ACCESSES ? names[access] : "access";
}

// An atomic finds the old value; when no instruction reads that, the operand is shown.
static const char *value_word(const struct sim_touched *t)
{
    bool atomic = t->access == SIM_GLOBAL_RED || t->access == SIM_GLOBAL_ATOM || t->access == SIM_SHARED_ATOM;
    return atomic ? (t->brings ? "found" : "given") : t->brings ? "read" : "wrote";
}

bool walk_is_shared(const struct sim_touched *t)
{
    return t->lanes && strcmp(t->lane[__builtin_ctz(t->lanes)].space, "shared") == 0;
}

void walk_add_touched(struct text *out, const struct sim_touched *t)
{
    int lanes = __builtin_popcount(t->lanes);
    text_addf(out, "%s of %u byte%s per lane by %d lane%s", access_name(t->access), t->bytes,
              t->bytes == 1 ? "" : "s", lanes, lanes == 1 ? "" : "s");
}

// In the block's own shared memory, or in another space.
static void add_own_cost(struct text *out, const struct sim_touched *t)
{
    // Lanes that add to one word take turns, and a sector is passed once in each.
    bool turns = t->access == SIM_GLOBAL_RED || t->access == SIM_GLOBAL_ATOM;
    text_addf(out, "%llu %s%s, %llu would do", (unsigned long long)t->passes,
              turns               ? "pass"
              : walk_is_shared(t) ? "wavefront"
                                  : "sector",
              t->passes == 1 ? ""
              : turns        ? "es"
                             : "s",
              (unsigned long long)t->ideal);
    if (t->conflicts)
        text_addf(out, ", %llu conflict%s", (unsigned long long)t->conflicts, t->conflicts == 1 ? "" : "s");
}

void walk_add_cost(struct text *out, const struct sim_touched *t)
{
    if (t->requests || !t->remote)
        add_own_cost(out, t);
    if (t->remote)
        text_addf(out, "%s%llu sector%s and %llu wavefront%s in other blocks", t->requests ? "; " : "",
                  (unsigned long long)t->remote_sectors, t->remote_sectors == 1 ? "" : "s",
                  (unsigned long long)t->remote_wavefronts, t->remote_wavefronts == 1 ? "" : "s");
}

void walk_add_touched_lane(struct text *out, const struct sim_touched *t, int i)
{
    text_addf(out, "lane %2d: %s %s", i, t->lane[i].space,
              *t->lane[i].buffer ? t->lane[i].buffer : "outside of everything");
    if (*t->lane[i].buffer)
        text_addf(out, "[%lld]", (long long)t->lane[i].element);
    if (t->remote >> i & 1)
        text_addf(out, " of rank %u", t->rank[i]);
    text_addf(out, " at 0x%llx", (unsigned long long)t->lane[i].address);
    if (strcmp(t->lane[i].space, "shared") == 0)
        text_addf(out, ", bank %u", t->lane[i].bank);
    else
        text_addf(out, ", sector %llu", (unsigned long long)t->lane[i].sector);
    if (t->parts)
        text_addf(out, ", %s", value_word(t));
    for (unsigned k = 0; k < t->parts; k++)
        text_addf(out, " 0x%llx", (unsigned long long)t->lane[i].value[k]);
}

// ---- paths, warps, findings -------------------------------------------------------------------------------

void walk_add_path(struct text *out, const struct sim_path *path)
{
    if (path->ptx_line)
        text_addf(out, "goes on at ptx %d", path->ptx_line);
    else
        text_add(out, "is at the end");
    if (path->line)
        text_addf(out, " (line %d)", path->line);
    if (path->meets_ptx_line)
        text_addf(out, ", joins the others at ptx %d", path->meets_ptx_line);
    text_addf(out, "%s%s%s", path->called ? ", called: " : "", path->called ? path->function : "",
              path->waits ? ", waits for lanes" : "");
}

void walk_add_warp(struct text *out, size_t index, const struct sim_warp *warp)
{
    static const char *const names[] = { "runs", "can run", "waits at ", "has ended" };
    text_addf(out, "warp %2zu: %s", index, names[warp->state]);
    if (warp->state == SIM_WAITS && warp->barrier == SIM_BARRIER_OF_CLUSTER)
        text_add(out, "the cluster's barrier");
    else if (warp->state == SIM_WAITS)
        text_addf(out, "barrier %d", warp->barrier);
    if (warp->ptx_line)
        text_addf(out, ", ptx %d", warp->ptx_line);
    if (warp->line)
        text_addf(out, ", line %d", warp->line);
}

void walk_add_finding(struct text *out, const struct sim_finding *finding, const char *file)
{
    static const char *const severities[] = { "note", "warning", "error" };
    text_addf(out, "%s: ", severities[finding->severity]);
    record_finding_words(finding, file, out);
}
