// An arena: memory that is allocated in pieces and freed as a whole. Small pieces are cut from chunks; a big piece is
// a chunk of its own, so that realloc can move a growing array instead of copying it. The total has a limit, so that
// a hostile text cannot exhaust the machine's memory.
#include "engine/sim/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, CHUNK = 64 * 1024, BIG = 16 * 1024, FEWEST = 4 };

struct chunk {
    struct chunk *next, *previous;
    size_t bytes; // after this header
    size_t unused;
};
struct arena {
    struct chunk *chunks; // all of them
    unsigned char *free;  // the rest of the chunk from which small pieces are cut
    size_t left;
    size_t used, limit;
};
_Static_assert(sizeof(struct chunk) % ALIGNMENT == 0, "the bytes after a chunk's header are aligned");

struct arena *arena_new(void)
{
    struct arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->limit = SIZE_MAX / 2;
    return arena;
}

void arena_limit(struct arena *arena, size_t bytes)
{
    arena->limit = bytes;
}

size_t arena_used(const struct arena *arena)
{
    return arena->used;
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

static size_t round_up(size_t bytes)
{
    return bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

static bool is_within(const struct arena *arena, size_t bytes)
{
    return bytes <= arena->limit && arena->used <= arena->limit - bytes;
}

static void *chunk_new(struct arena *arena, size_t bytes)
{
    if (!is_within(arena, bytes))
        return NULL;
    struct chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (!chunk)
        return NULL;
    chunk->bytes = bytes;
    chunk->next = arena->chunks;
    if (arena->chunks)
        arena->chunks->previous = chunk;
    arena->chunks = chunk;
    arena->used += bytes;
    return chunk + 1;
}

void *arena_take(struct arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    bytes = round_up(bytes);
    if (bytes >= BIG)
        return chunk_new(arena, bytes);
    if (bytes > arena->left) {
        unsigned char *fresh = chunk_new(arena, CHUNK);
        if (!fresh)
            return NULL;
        arena->free = fresh;
        arena->left = CHUNK;
    }
    void *taken = arena->free;
    arena->free += bytes;
    arena->left -= bytes;
    return taken;
}

char *arena_copy(struct arena *arena, const char *bytes, size_t length)
{
    char *copy = arena_take(arena, length + 1);
    if (copy && length)
        memcpy(copy, bytes, length);
    return copy;
}

// Resizes a chunk that holds a single array; the new bytes are not zeroed.
static void *chunk_resize(struct arena *arena, void *items, size_t bytes)
{
    struct chunk *chunk = (struct chunk *)items - 1;
    size_t before = chunk->bytes;
    if (bytes > before && !is_within(arena, bytes - before))
        return NULL;
    struct chunk *moved = realloc(chunk, sizeof *chunk + bytes);
    if (!moved)
        return NULL;
    moved->bytes = bytes;
    *(moved->previous ? &moved->previous->next : &arena->chunks) = moved;
    if (moved->next)
        moved->next->previous = moved;
    arena->used = arena->used - before + bytes;
    return moved + 1;
}

// An array has room for the next power of two from its count, at least for FEWEST.
static void *array_move(struct arena *arena, void *items, size_t count, size_t item_bytes)
{
    size_t room = count ? count * 2 : FEWEST;
    if (item_bytes == 0 || room > SIZE_MAX / 4 / item_bytes)
        return NULL;
    if (count && round_up(count * item_bytes) >= BIG)
        return chunk_resize(arena, items, round_up(room * item_bytes));
    void *fresh = arena_take(arena, room * item_bytes);
    if (fresh && count)
        memcpy(fresh, items, count * item_bytes);
    return fresh;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t item_bytes)
{
    if (count == 0 || (count >= FEWEST && (count & (count - 1)) == 0))
        items = array_move(arena, items, count, item_bytes);
    if (items)
        memset((unsigned char *)items + count * item_bytes, 0, item_bytes);
    return items;
}
