// What kernels can touch: the caller's buffers, each under a number of its own, so that an address says whose it
// is by its upper bits.
#include "engine/sim/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

struct sim_memory *sim_memory_new(void)
{
    struct sim_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->room = FIRST_BUFFER + 16;
    memory->count = FIRST_BUFFER;
    memory->allocations = calloc(memory->room, sizeof *memory->allocations);
    if (!memory->allocations) {
        free(memory);
        return NULL;
    }
    return memory;
}

void sim_memory_free(struct sim_memory *memory)
{
    if (!memory)
        return;
    check_memory_free(memory);
    loaded_free(memory);
    free(memory->allocations);
    free(memory);
}

static bool grow(struct sim_memory *memory)
{
    size_t room = memory->room + memory->room / 2;
    struct allocation *larger = realloc(memory->allocations, room * sizeof *larger);
    if (!larger)
        return false;
    memset(larger + memory->room, 0, (room - memory->room) * sizeof *larger);
    memory->allocations = larger;
    memory->room = room;
    return true;
}

sim_address sim_memory_add(struct sim_memory *memory, const char *name, void *host, size_t bytes,
                           size_t element_bytes, enum sim_role role)
{
    if (bytes >= SIM_BUFFER_LIMIT || (memory->count == memory->room && !grow(memory)))
        return 0;
    struct allocation *a = &memory->allocations[memory->count];
    *a = (struct allocation){
        .host = host, .bytes = bytes, .element_bytes = element_bytes ? element_bytes : 1, .role = role
    };
    size_t length = strnlen(name, sizeof a->name - 1);
    memcpy(a->name, name, length);
    a->name[length] = 0;
    return (sim_address)memory->count++ << OFFSET_BITS;
}

void sim_memory_remove(struct sim_memory *memory, sim_address address)
{
    size_t number = address >> OFFSET_BITS;
    if (number < FIRST_BUFFER || number >= memory->count)
        return;
    check_memory_drop(memory, &memory->allocations[number]);
    memory->allocations[number] = (struct allocation){ 0 };
}
