// Findings in one voice: who, does what, to which element, what is wrong with it, and what helps.
#include "engine/sim/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names ----------------------------------------------------------------------------------------------------------

static const char *space_name(enum ptx_space space)
{
    return space == SPACE_SHARED ? "shared" : space == SPACE_LOCAL ? "local" : "global";
}

static bool all_digits(const char *at)
{
    return *at && strspn(at, "0123456789") == strlen(at);
}

// The source's name in a mangled one, which ends with the name's length and the name: _ZZ6kernelPfE4tile → tile.
static void plain_name(const char *name, char *out, size_t size)
{
    const char *split = strstr(name, "_$"); // a part of an array, as in s_$_0
    size_t length = split ? (size_t)(split - name) : strlen(name);
    const char *last = strrchr(name, '_');
    if (!split && strncmp(name, "_Z", 2) == 0 && last > name + 1 && all_digits(last + 1))
        length = (size_t)(last - name); // the second of that name in its function
    for (size_t at = 2; strncmp(name, "_Z", 2) == 0 && at < length; at++) {
        if (name[at] < '1' || name[at] > '9' || (name[at - 1] >= '0' && name[at - 1] <= '9'))
            continue;
        char *rest;
        unsigned long want = strtoul(name + at, &rest, 10);
        if ((size_t)(rest - name) <= length && want == length - (size_t)(rest - name)) {
            snprintf(out, size, "%.*s", (int)want, rest);
            return;
        }
    }
    snprintf(out, size, "%.*s", (int)length, name);
}

// Arrays of anything are written as bytes; their alignment says what they are arrays of.
static size_t element_of(const struct ptx_variable *variable)
{
    size_t bytes = type_bytes(variable->type);
    if (bytes <= 1 && variable->align > 1)
        bytes = variable->align < 16 ? variable->align : 16;
    return bytes ? bytes : 1;
}

static void measure(struct named *out, uint64_t offset, uint64_t start, uint64_t bytes)
{
    int64_t at = (int64_t)(offset - start), size = (int64_t)out->element_bytes;
    out->elements = bytes / out->element_bytes;
    out->element = at >= 0 ? at / size : -((-at + size - 1) / size);
    out->past = at < 0 ? at : offset >= start + bytes ? (int64_t)(offset - start - bytes) : 0;
    if (at >= 0 && offset >= start + bytes && out->past == 0)
        out->past = 0;
}

struct shared_search {
    uint64_t offset, distance;
    const struct ptx_variable *best;
    uint64_t start, bytes;
};

static void consider(struct shared_search *search, const struct ptx_variable *variable, uint64_t start,
                     uint64_t bytes)
{
    uint64_t end = start + bytes, offset = search->offset, distance = 0;
    if (variable->space != SPACE_SHARED || bytes == 0)
        return;
    if (offset < start)
        distance =
            2 * (start - offset) + 1; // past the end of one is likelier than before the start of another
    else if (offset >= end)
        distance = 2 * (offset - end) + 1;
    if (search->best && distance >= search->distance)
        return;
    *search = (struct shared_search){ offset, distance, variable, start, bytes };
}

static void search_function(struct shared_search *search, const struct function *function,
                            const struct block *block)
{
    for (size_t i = 0; function->from && i < function->from->variable_count; i++) {
        const struct ptx_variable *variable = &function->from->variables[i];
        uint64_t start = function->variable_at[i];
        uint64_t rest = start < block->shared_bytes ? block->shared_bytes - start : 0;
        consider(search, variable, start, variable->unsized ? rest : variable->bytes);
    }
}

static void name_shared(const struct warp *warp, uint64_t offset, struct named *out)
{
    const struct block *block = warp->block;
    const struct sim_module *module = block->machine->module;
    struct shared_search search = { .offset = offset };
    search_function(&search, block->machine->kernel, block);
    for (size_t f = 0; f < module->function_count; f++)
        if (module->functions[f].from && !module->functions[f].from->entry)
            search_function(&search, &module->functions[f], block);
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *variable = &module->variables[i];
        uint64_t rest = variable->address < block->shared_bytes ? block->shared_bytes - variable->address : 0;
        consider(&search, variable->from, variable->address,
                 variable->from->unsized ? rest : variable->from->bytes);
    }
    if (!search.best)
        return;
    plain_name(search.best->name, out->buffer, sizeof out->buffer);
    out->element_bytes = element_of(search.best);
    measure(out, offset, search.start, search.bytes);
}

static void name_global(const struct warp *warp, uint64_t address, struct named *out)
{
    const struct sim_memory *memory = warp->block->machine->memory;
    uint64_t owner = address >> OFFSET_BITS, offset = address & ((1ull << OFFSET_BITS) - 1);
    bool before = offset >> (OFFSET_BITS - 1); // the number below was borrowed from
    if (before && owner + 1 < memory->count && memory->allocations[owner + 1].bytes) {
        owner++;
        offset -= 1ull << OFFSET_BITS;
    }
    if (owner >= memory->count || memory->allocations[owner].bytes == 0)
        return;
    const struct allocation *allocation = &memory->allocations[owner];
    plain_name(allocation->name, out->buffer, sizeof out->buffer);
    out->element_bytes = allocation->element_bytes ? allocation->element_bytes : 1;
    measure(out, offset, 0, allocation->bytes);
}

void name_address(const struct warp *warp, enum ptx_space space, uint64_t address, struct named *out)
{
    *out = (struct named){ .space = space_name(space), .element_bytes = 1 };
    if (space == SPACE_SHARED)
        name_shared(warp, address, out);
    else if (space != SPACE_LOCAL)
        name_global(warp, address, out);
}

const char *name_lane(const struct warp *warp, int lane, char out[80])
{
    uint32_t thread[3];
    thread_of_lane(warp, lane, thread);
    const uint32_t *block = warp->block->id;
    snprintf(out, 80, "Thread (%u,%u,%u) of block (%u,%u,%u)", thread[0], thread[1], thread[2], block[0],
             block[1], block[2]);
    return out;
}

// ---- out of bounds, misaligned ----------------------------------------------------------------------------------------

static void fill(struct report *report, const struct op *op, int lane, const struct named *named,
                 uint64_t address, uint32_t lanes)
{
    report->severity = SIM_ERROR;
    report->op = op;
    report->lane = lane;
    report->space = named->space;
    report->buffer = named->buffer;
    report->address = address;
    report->element = named->element;
    report->count = (uint64_t)__builtin_popcount(lanes);
}

static void say_distance(const struct named *named, unsigned bytes, char *out, size_t size)
{
    if (named->past < 0)
        snprintf(out, size, "%lld bytes before its start", (long long)-named->past);
    else if (named->element >= (int64_t)named->elements)
        snprintf(out, size, "%lld bytes past its end", (long long)named->past);
    else
        snprintf(out, size, "but %u bytes from there on reach past its end", bytes);
}

void report_bounds(struct warp *warp, const struct op *op, enum ptx_space space, const uint64_t *address,
                   uint32_t lanes, unsigned bytes, bool write)
{
    int lane = __builtin_ctz(lanes);
    struct named n;
    char who[80], distance[80];
    name_address(warp, space, address[lane], &n);
    struct report report = { .kind = SIM_OUT_OF_BOUNDS };
    fill(&report, op, lane, &n, address[lane], lanes);
    const char *verb = write ? "writes" : "reads";
    name_lane(warp, lane, who);
    if (space == SPACE_LOCAL)
        finding_add(warp, &report,
                    "%s %s %u bytes outside its local memory: an index into an array of its own is "
                    "too large or negative.",
                    who, verb, bytes);
    else if (n.buffer[0] == '\0' && space == SPACE_SHARED)
        finding_add(warp, &report,
                    "%s %s %u bytes at %llu in shared memory, of which the block has %zu bytes.", who, verb,
                    bytes, (unsigned long long)address[lane], warp->block->shared_bytes);
    else if (n.buffer[0] == '\0')
        finding_add(warp, &report,
                    "%s %s %u bytes at 0x%llx, which is in no buffer: is the pointer the one that "
                    "you meant?",
                    who, verb, bytes, (unsigned long long)address[lane]);
    else {
        say_distance(&n, bytes, distance, sizeof distance);
        finding_add(warp, &report, "%s %s %s[%lld], %s: %s has %llu element%s.", who, verb, n.buffer,
                    (long long)n.element, distance, n.buffer, (unsigned long long)n.elements,
                    n.elements == 1 ? "" : "s");
    }
}

void report_misaligned(struct warp *warp, const struct op *op, enum ptx_space space, const uint64_t *address,
                       uint32_t lanes, unsigned bytes, bool write)
{
    int lane = __builtin_ctz(lanes);
    struct named n;
    char who[80], where[128];
    name_address(warp, space, address[lane], &n);
    struct report report = { .kind = SIM_MISALIGNED };
    fill(&report, op, lane, &n, address[lane], lanes);
    if (n.buffer[0])
        snprintf(where, sizeof where, "at %s[%lld]", n.buffer, (long long)n.element);
    else
        snprintf(where, sizeof where, "in %s memory", n.space);
    finding_add(warp, &report,
                "%s %s %u bytes at once %s, whose address is %llu more than a multiple of %u: such an "
                "access must start at a multiple of its size.",
                name_lane(warp, lane, who), write ? "writes" : "reads", bytes, where,
                (unsigned long long)(address[lane] % bytes), bytes);
}
