// malloc and free as kernels call them; new and delete are made of them. Each lane asks by itself, in ascending order, and
// gets memory that is its own until it is freed, by whatever thread.
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/schedule/schedule.h"

static uint64_t heap_bytes(const struct sim_memory *memory)
{
    return memory->heap_bytes ? memory->heap_bytes : HEAP_BYTES;
}

size_t heap_missing(const struct sim_memory *memory, const struct sim_module *module)
{
    return module->allocates && !memory->heap ? budget_piece(heap_room(heap_bytes(memory))) : 0;
}

bool heap_ready(struct sim_memory *memory, const struct sim_module *module)
{
    if (!module->allocates || memory->heap)
        return true;
    size_t room = heap_room(heap_bytes(memory));
    memory->heap_host = budget_take(&memory->budget, FOR_VARIABLES, room);
    sim_address address =
        memory->heap_host ? sim_memory_add(memory, "heap", memory->heap_host, room, 1, SIM_SCRATCH) : 0;
    if (!address) {
        budget_give(&memory->budget, memory->heap_host);
        memory->heap_host = NULL;
        return false;
    }
    memory->heap = address >> OFFSET_BITS;
    heap_make(&memory->allocations[memory->heap], heap_bytes(memory));
    return true;
}

bool sim_memory_heap(struct sim_memory *memory, size_t bytes)
{
    if (memory->heap || bytes >= SIM_BUFFER_LIMIT / 2)
        return false;
    memory->heap_bytes = bytes;
    return true;
}

// A piece is uninitialised. Nothing orders those who held it before and those who hold it now, but that it was freed.
static void forget(const struct warp *warp, struct sim_memory *memory, uint64_t offset, uint64_t bytes,
                   bool again)
{
    struct allocation *heap = &memory->allocations[memory->heap];
    struct shadow *shadow = heap->shadow;
    if (!warp->checks)
        sim_memory_written(memory, (memory->heap << OFFSET_BITS) + (shadow ? offset : 0),
                           shadow ? bytes : heap->bytes);
    else if (shadow && (again || shadow->written))
        shadow_forget(shadow, offset, bytes);
}

static uint64_t take(struct warp *warp, uint64_t bytes)
{
    struct sim_memory *memory = warp->block->machine->memory;
    bool again;
    uint64_t offset = heap_give(&memory->allocations[memory->heap], bytes, &again);
    if (!offset)
        return 0;
    forget(warp, memory, offset, bytes, again);
    return (memory->heap << OFFSET_BITS) + offset;
}

static void give_back(struct warp *warp, const struct op *op, int lane, uint64_t address)
{
    struct sim_memory *memory = warp->block->machine->memory;
    enum heap_freed freed = address >> OFFSET_BITS != memory->heap
                                ? HEAP_NEVER_GAVE
                                : heap_free(&memory->allocations[memory->heap], address & OFFSETS);
    if (address && freed != HEAP_FREED)
        finding_free(warp, op, address, lane, freed == HEAP_FREED_BEFORE);
}

void heap_call(struct warp *warp, const struct op *op)
{
    for (uint32_t left = warp->active; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t value = call_argument(warp, op, 0, lane, 8);
        if (op->call->builtin == BUILTIN_MALLOC)
            call_result(warp, op, lane, take(warp, value), 8);
        else
            give_back(warp, op, lane, value);
    }
}
