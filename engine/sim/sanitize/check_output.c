// Outputs that a sequence of launches left unwritten.
#include "engine/sim/sanitize/check.h"

#include <stdio.h>
#include <stdlib.h>

struct gap {
    uint64_t first, count; // elements with a byte that nobody wrote
};

// Of 64 bytes in elements of a power of two bytes: a bit for each that is not written whole, at its first byte.
static uint64_t missing_in(uint64_t written, size_t size)
{
    uint64_t firsts = size == 64 ? 1 : ~0ull / ((1ull << size) - 1);
    for (size_t step = 1; step < size; step *= 2)
        written &= written >> step;
    return firsts & ~written;
}

static struct gap find_gap(const struct allocation *allocation)
{
    const struct range *range = allocation->shadow;
    struct gap gap = { 0 };
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

static void describe(const struct allocation *a, size_t number, const struct gap *gap,
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
        struct gap gap = find_gap(allocation);
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
