// The heap of malloc, free, new and delete in kernels: one allocation, which begins with a table of what it gave away. The table
// has a byte for each granule of 16 bytes: how many of its bytes belong to a piece. One granule before each piece belongs to
// none, so that an access past the end of a piece meets it. Whatever keeps the bytes of allocations keeps the table too.
#include "engine/sim/machine/machine.h"

#include <string.h>

enum { GRANULE = 16, BYTES = 31, FREED = 32, BEGINS = 64 }; // of an entry: its bytes, and flags
struct heap_table {
    uint64_t count; // granules
    uint64_t next;  // the search for a free run starts here
    unsigned char granule[];
};

static struct heap_table *table_of(const struct allocation *heap)
{
    return (struct heap_table *)(void *)heap->host;
}

static uint64_t table_bytes(uint64_t count)
{
    return (sizeof(struct heap_table) + count + 255) / 256 * 256;
}

uint64_t heap_start(const struct allocation *heap)
{
    return table_bytes(table_of(heap)->count);
}

uint64_t heap_room(uint64_t bytes)
{
    return table_bytes(bytes / GRANULE) + bytes / GRANULE * GRANULE;
}

void heap_make(struct allocation *heap, uint64_t bytes)
{
    heap->heap = true;
    table_of(heap)->count = bytes / GRANULE;
}

static bool is_held(unsigned char entry)
{
    return (entry & BYTES) && !(entry & FREED);
}

// The first granule of a run of `wanted` that nobody holds; `count`: there is none.
static uint64_t find_run(const struct heap_table *table, uint64_t wanted)
{
    uint64_t run = 0, at = table->next;
    for (uint64_t looked = 0; looked < table->count + wanted; looked++, at++) {
        if (at >= table->count)
            at = run = 0; // a run does not go round
        run = is_held(table->granule[at]) ? 0 : run + 1;
        if (run == wanted)
            return at + 1 - wanted;
    }
    return table->count;
}

uint64_t heap_give(struct allocation *heap, uint64_t bytes, bool *again)
{
    struct heap_table *table = table_of(heap);
    *again = false;
    if (!bytes || bytes > table->count * GRANULE)
        return 0;
    uint64_t granules = (bytes + GRANULE - 1) / GRANULE, gap = find_run(table, granules + 1);
    if (gap == table->count)
        return 0;
    unsigned char *at = table->granule + gap;
    for (uint64_t i = 0; i <= granules; i++)
        *again |= at[i] & FREED;
    at[0] = 0;
    memset(at + 1, GRANULE, granules);
    at[1] |= BEGINS;
    at[granules] = (unsigned char)((at[granules] & BEGINS) + bytes - (granules - 1) * GRANULE);
    table->next = gap + granules + 1;
    return heap_start(heap) + (gap + 1) * GRANULE;
}

// The entry of the granule at this offset; NULL: it is in the table, or outside of the heap.
static unsigned char *entry_at(const struct allocation *heap, uint64_t offset)
{
    struct heap_table *table = table_of(heap);
    uint64_t start = heap_start(heap), granule = (offset - start) / GRANULE;
    return offset < start || granule >= table->count ? NULL : &table->granule[granule];
}

static uint64_t measure(const struct allocation *heap, const unsigned char *entry)
{
    const unsigned char *end = table_of(heap)->granule + table_of(heap)->count;
    uint64_t bytes = *entry & BYTES;
    while (++entry < end && (*entry & BYTES) && !(*entry & BEGINS))
        bytes += *entry & BYTES;
    return bytes;
}

enum heap_freed heap_free(struct allocation *heap, uint64_t offset)
{
    unsigned char *entry = entry_at(heap, offset);
    if (!entry || offset % GRANULE || !(*entry & BEGINS))
        return HEAP_NEVER_GAVE;
    if (*entry & FREED)
        return HEAP_FREED_BEFORE;
    for (uint64_t left = (measure(heap, entry) + GRANULE - 1) / GRANULE; left; left--)
        *entry++ |= FREED;
    return HEAP_FREED;
}

bool heap_holds(const struct allocation *heap, uint64_t offset, uint64_t bytes)
{
    uint64_t end = offset + bytes;
    for (; offset < end; offset += GRANULE - offset % GRANULE) {
        const unsigned char *entry = entry_at(heap, offset);
        uint64_t within = end - offset / GRANULE * GRANULE;
        if (!entry || (*entry & FREED) || (*entry & BYTES) < (within < GRANULE ? within : GRANULE))
            return false;
    }
    return true;
}

bool heap_piece(const struct allocation *heap, uint64_t offset, struct heap_piece *out)
{
    const unsigned char *entry = entry_at(heap, offset), *first = table_of(heap)->granule;
    while (entry && entry > first && !(*entry & BEGINS))
        entry--;
    if (!entry || !(*entry & BEGINS))
        return false;
    *out = (struct heap_piece){ .at = heap_start(heap) + (uint64_t)(entry - first) * GRANULE,
                                .bytes = measure(heap, entry),
                                .freed = *entry & FREED };
    return true;
}
