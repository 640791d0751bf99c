// The budget of a simulation's memory: allocations are counted by purpose and limited in sum.
#include "engine/sim/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };
struct allocation_head { // precedes every allocation
    void *start;
    size_t bytes;
    enum taker taker;
};
_Static_assert(sizeof(struct allocation_head) <= ALIGNMENT, "a head fits in front of an aligned piece");

size_t budget_piece(size_t bytes)
{
    return bytes > SIZE_MAX / 2 ? bytes : bytes + 2 * (size_t)ALIGNMENT;
}

void budget_start(struct budget *budget, size_t limit)
{
    budget->limit = limit;
    budget->refused = budget->told = false;
}

static struct allocation_head *head_of(void *taken)
{
    return (struct allocation_head *)(void *)((unsigned char *)taken - sizeof(struct allocation_head));
}

// ---- taking -----------------------------------------------------------------------------------------------------

size_t budget_left(const struct budget *budget)
{
    size_t used = budget->used;
    return !budget->limit ? SIZE_MAX / 2 : used < budget->limit ? budget->limit - used : 0;
}

static bool charge(struct budget *budget, enum taker taker, size_t bytes)
{
    size_t used = atomic_fetch_add_explicit(&budget->used, bytes, memory_order_relaxed);
    if (budget->limit && (used > budget->limit || bytes > budget->limit - used)) {
        atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
        return false;
    }
    atomic_fetch_add_explicit(&budget->of[taker], bytes, memory_order_relaxed);
    return true;
}

static void discharge(struct budget *budget, enum taker taker, size_t bytes)
{
    atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(&budget->of[taker], bytes, memory_order_relaxed);
}

static void *take(struct budget *budget, enum taker taker, size_t bytes)
{
    size_t whole = budget_piece(bytes);
    if (whole > SIZE_MAX / 4 || !charge(budget, taker, whole))
        return NULL;
    unsigned char *start = calloc(1, whole);
    if (!start) {
        discharge(budget, taker, whole);
        return NULL;
    }
    unsigned char *taken = start + ALIGNMENT + (ALIGNMENT - (uintptr_t)start % ALIGNMENT) % ALIGNMENT;
    *head_of(taken) = (struct allocation_head){ start, bytes, taker };
    return taken;
}

void *budget_take(struct budget *budget, enum taker taker, size_t bytes)
{
    void *taken = take(budget, taker, bytes);
    if (!taken)
        budget->refused = true;
    return taken;
}

void *budget_spare(struct budget *budget, enum taker taker, size_t bytes)
{
    return budget_piece(bytes) <= budget_left(budget) / 2 ? take(budget, taker, bytes) : NULL;
}

void budget_give(struct budget *budget, void *taken)
{
    if (!taken)
        return;
    const struct allocation_head head = *head_of(taken);
    discharge(budget, head.taker, budget_piece(head.bytes));
    free(head.start);
}

static void *move_over(struct budget *budget, void *taken, void *larger, size_t bytes)
{
    if (larger && taken) {
        size_t before = head_of(taken)->bytes;
        memcpy(larger, taken, before < bytes ? before : bytes);
        budget_give(budget, taken);
    }
    return larger;
}

void *budget_more(struct budget *budget, enum taker taker, void *taken, size_t bytes)
{
    return move_over(budget, taken, budget_take(budget, taker, bytes), bytes);
}

void *budget_spare_more(struct budget *budget, enum taker taker, void *taken, size_t bytes)
{
    return move_over(budget, taken, budget_spare(budget, taker, bytes), bytes);
}

// ---- in words ---------------------------------------------------------------------------------------------------

const char *budget_say_bytes(size_t bytes, char out[BYTES_ROOM])
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    snprintf(out, BYTES_ROOM, value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return out;
}

enum taker budget_most(const size_t of[TAKERS])
{
    enum taker most = FOR_REGISTERS;
    for (enum taker taker = FOR_REGISTERS; taker < TAKERS; taker++)
        if (of[taker] > of[most])
            most = taker;
    return most;
}

struct budget_purpose budget_purpose(enum taker taker)
{
    static const struct budget_purpose purposes[TAKERS] = {
        [FOR_REGISTERS] = { "registers and parameters",
                            "Use smaller blocks, fewer registers or parameters, or end recursion earlier" },
        [FOR_LOCAL] = { "local memory", "Use smaller blocks or smaller local arrays" },
        [FOR_SHARED] = { "shared memory", "Use less shared memory" },
        [FOR_COUNTERS] = { "counters of every instruction",
                           "Simulate without counters, or a smaller kernel" },
        [FOR_CHECKS] = { "what the checks note down",
                         "Simulate without the checks, or choose a smaller size" },
        [FOR_TEXT] = { "what the kernel prints", "Print less" },
        [FOR_VARIABLES] = { "global variables", "Make the __device__ variables smaller" },
        [FOR_TRACE] = { "the way back of the trace", "Choose a smaller size" },
    };
    return purposes[taker];
}
