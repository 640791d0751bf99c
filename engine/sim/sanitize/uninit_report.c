// Reports of uninitialised values: which thread read what no thread had written, and what came of it.
#include "engine/sim/sanitize/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "line 12", or the line of the PTX when the source's is not known.
const char *say_line(const struct op *op, char out[40])
{
    const struct ptx_instruction *in = op ? op->from : NULL;
    if (!in)
        snprintf(out, 40, "another line");
    else if (in->line)
        snprintf(out, 40, "line %d", in->line);
    else
        snprintf(out, 40, "line %d of the PTX", in->ptx_line);
    return out;
}

bool same_line(const struct op *a, const struct op *b)
{
    if (a == b || !a || !b || !a->from || !b->from)
        return a == b;
    return a->from->line ? a->from->line == b->from->line : a->from->ptx_line == b->from->ptx_line;
}

// ---- uninitialised ----------------------------------------------------------------------------------------------------

// Who uses the value, where it is not who read it: "and stores", "and thread (3,0,0) stores".
static void say_user(const struct warp *warp, int lane, const struct uninit_source *source, char out[64])
{
    uint32_t id[3];
    thread_of_lane(warp, lane, id);
    snprintf(out, 64, "and");
    if (warp->index * LANES + (uint32_t)lane != source->thread)
        snprintf(out, 64, "and thread (%u,%u,%u)", id[0], id[1], id[2]);
}

// What was read, and what is missing.
static void say_read(const struct uninit_source *source, const struct address_name *n, char out[192])
{
    static const char doubtful[] = "holds no value, or one made from memory that no thread has written";
    char line[40];
    if (source->space == SPACE_LOCAL)
        snprintf(out, 192, "local memory that %s, in %s",
                 source->vague ? doubtful : "this thread had never written", say_line(source->op, line));
    else
        snprintf(out, 192, "%s[%lld], which %s", n->buffer[0] ? n->buffer : n->space, (long long)n->element,
                 source->vague ? doubtful : "no thread has written");
}

static const char *say_advice(const struct uninit_source *source, const struct address_name *n)
{
    return source->space == SPACE_LOCAL ? "every element of its array" : n->buffer[0] ? n->buffer : "it";
}

// Many uses of one read are one finding, that of the first.
static const struct op *first_use(struct checks *c, const struct uninit_source *source, const struct op *op)
{
    size_t tally = (size_t)source->op->tally;
    if (tally >= c->tallies)
        return op;
    if (!c->first_use[tally])
        c->first_use[tally] = op;
    return c->first_use[tally];
}

void uninit_report(struct warp *warp, const struct op *op, const struct undefined *value, uint32_t lanes,
                   const char *use)
{
    const struct uninit_source *source = uninit_source_in(warp, value, lanes);
    struct warp *reader = &warp->block->warps[source->thread / LANES];
    int user = __builtin_ctz(lanes), lane = (int)(source->thread % LANES);
    struct address_name n = { .space = "" };
    struct finding_report report = { .kind = SIM_SYNC_MASK, .severity = SIM_ERROR, .lane = lane };
    char who[80], line[40], what[192], and_who[64], where[48] = "";
    op = first_use(warp->checks, source, op);
    if (!source->missing) {
        name_address(warp, source->space, source->address, &n);
        report.kind = SIM_UNINITIALISED;
        report.address = source->address;
    }
    report.op = source->op;
    report.other = op == source->op ? NULL : op;
    report.space = n.space;
    report.buffer = n.buffer;
    report.element = n.element;
    report.count = (uint64_t)__builtin_popcount(lanes);
    memcpy(report.other_block, warp->block->id, sizeof report.other_block);
    thread_of_lane(warp, user, report.other_thread);
    report.other_known = report.other != NULL;
    if (!same_line(op, source->op))
        snprintf(where, sizeof where, " in %s", say_line(op, line));
    name_lane(reader, lane, who);
    say_user(warp, user, source, and_who);
    if (source->missing) {
        finding_add(reader, &report,
                    "%s takes what a shuffle brings from lane %d of its warp, %s, %s %s%s. Such a value is "
                    "undefined: use it only where the lane that it comes from takes part.",
                    who, (int)source->address, source->missing, and_who, use, where);
        return;
    }
    say_read(source, &n, what);
    finding_add(reader, &report, "%s reads %s, %s %s%s. Give %s a value first.", who, what, and_who, use,
                where, say_advice(source, &n));
}

// ---- outputs that no thread wrote --------------------------------------------------------------------------

struct unwritten_elements {
    uint64_t first, count; // elements with a byte that no thread wrote
};

// Of 64 bytes in elements of a power of two bytes: a bit for each that is not written whole, at its first byte.
static uint64_t missing_in(uint64_t written, size_t size)
{
    uint64_t firsts = size == 64 ? 1 : ~0ull / ((1ull << size) - 1);
    for (size_t step = 1; step < size; step *= 2)
        written &= written >> step;
    return firsts & ~written;
}

static struct unwritten_elements find_gap(const struct allocation *allocation)
{
    const struct shadow *range = allocation->shadow;
    struct unwritten_elements gap = { 0 };
    size_t size = allocation->element_bytes ? allocation->element_bytes : 1;
    if (!range) { // no launch touched it
        gap.count = allocation->bytes / size;
        return gap;
    }
    for (uint64_t at = 0; range->written && at + size <= allocation->bytes;) {
        bool word = at % 64 == 0 && 64 % size == 0 && allocation->bytes - at >= 64;
        uint64_t missing =
            word ? missing_in(range->written[at / 64], size) : !span_written(range->written, at, size);
        if (missing && gap.count == 0)
            gap.first = (at + (uint64_t)__builtin_ctzll(missing)) / size;
        gap.count += (uint64_t)__builtin_popcountll(missing);
        at += word ? 64 : size;
    }
    return gap;
}

static void describe(const struct allocation *a, size_t number, const struct unwritten_elements *gap,
                     struct sim_finding *out)
{
    size_t size = a->element_bytes ? a->element_bytes : 1;
    unsigned long long count = gap->count, elements = a->bytes / size;
    *out = (struct sim_finding){ .kind = SIM_NEVER_WRITTEN, .severity = SIM_ERROR, .count = gap->count };
    snprintf(out->space, sizeof out->space, "global");
    snprintf(out->buffer, sizeof out->buffer, "%s", a->name);
    out->element = (int64_t)gap->first;
    out->address = ((uint64_t)number << OFFSET_BITS) + gap->first * size;
    if (count == elements)
        snprintf(out->sentence, sizeof out->sentence, "No thread writes %s at all: it has %llu element%s.",
                 a->name, elements, elements == 1 ? "" : "s");
    else
        snprintf(out->sentence, sizeof out->sentence,
                 "No thread writes %s[%llu]%s: %llu of its %llu elements have no value at the end.", a->name,
                 (unsigned long long)gap->first, count > 1 ? " and others" : "", count, elements);
}

size_t sim_memory_never_written(const struct sim_memory *memory, struct sim_finding **out)
{
    size_t found = 0, room = 0;
    *out = NULL;
    for (size_t i = FIRST_BUFFER; i < memory->count; i++) {
        const struct allocation *allocation = &memory->allocations[i];
        if (allocation->role != SIM_OUT || allocation->bytes == 0)
            continue;
        struct unwritten_elements gap = find_gap(allocation);
        if (gap.count == 0)
            continue;
        if (found == room) {
            struct sim_finding *grown = realloc(*out, (room += 8) * sizeof *grown);
            if (!grown)
                return found;
            *out = grown;
        }
        describe(allocation, i, &gap, &(*out)[found++]);
    }
    return found;
}
