// Questions about parsed PTX: types, modifiers, spaces, and which registers an instruction reads and writes.
#include "engine/sim/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    unsigned bytes;
} types[TYPE_COUNT] = {
    [TYPE_NONE] = { "", 0 },         [TYPE_PRED] = { "pred", 1 },   [TYPE_B8] = { "b8", 1 },
    [TYPE_B16] = { "b16", 2 },       [TYPE_B32] = { "b32", 4 },     [TYPE_B64] = { "b64", 8 },
    [TYPE_B128] = { "b128", 16 },    [TYPE_U8] = { "u8", 1 },       [TYPE_U16] = { "u16", 2 },
    [TYPE_U32] = { "u32", 4 },       [TYPE_U64] = { "u64", 8 },     [TYPE_S8] = { "s8", 1 },
    [TYPE_S16] = { "s16", 2 },       [TYPE_S32] = { "s32", 4 },     [TYPE_S64] = { "s64", 8 },
    [TYPE_F16] = { "f16", 2 },       [TYPE_F16X2] = { "f16x2", 4 }, [TYPE_BF16] = { "bf16", 2 },
    [TYPE_BF16X2] = { "bf16x2", 4 }, [TYPE_F32] = { "f32", 4 },     [TYPE_F64] = { "f64", 8 },
};

unsigned type_bytes(enum ptx_type type)
{
    return (unsigned)type < TYPE_COUNT ? types[type].bytes : 0;
}

enum ptx_type type_from_name(const char *name)
{
    for (int type = TYPE_NONE + 1; type < TYPE_COUNT; type++)
        if (strcmp(types[type].name, name) == 0)
            return (enum ptx_type)type;
    return TYPE_NONE;
}

bool ptx_has(const struct ptx_instruction *instruction, const char *modifier)
{
    for (int i = 0; i < instruction->modifier_count; i++)
        if (strcmp(instruction->modifiers[i], modifier) == 0)
            return true;
    return false;
}

bool ptx_is_one_of(const char *base, const char *const *names)
{
    for (; *names; names++)
        if (*base == **names && strcmp(base, *names) == 0)
            return true;
    return false;
}

static bool starts(const char *text, const char *with)
{
    size_t length = strlen(with);
    return strncmp(text, with, length) == 0 && (text[length] == 0 || text[length] == ':');
}

enum ptx_space ptx_space_of(const struct ptx_instruction *in)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = { { "param", SPACE_PARAM },
                   { "global", SPACE_GLOBAL },
                   { "const", SPACE_CONST },
                   { "shared", SPACE_SHARED },
                   { "local", SPACE_LOCAL } };
    for (int i = 0; i < in->modifier_count; i++)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
            if (starts(in->modifiers[i], spaces[k].name))
                return spaces[k].space;
    return SPACE_GENERIC;
}

unsigned ptx_parts_of(const struct ptx_instruction *in)
{
    return ptx_has(in, "v2") ? 2 : ptx_has(in, "v4") ? 4 : ptx_has(in, "v8") ? 8 : 1;
}

// ---- registers that are read and written -------------------------------------------------------

bool ptx_writes_first(const struct ptx_instruction *in)
{
    static const char *const none[] = { "st",        "st_async", "red",       "bra",      "brx",
                                        "call",      "ret",      "exit",      "trap",     "membar",
                                        "fence",     "cp",       "bar",       "barrier",  "prefetch",
                                        "prefetchu", "discard",  "nanosleep", "stmatrix", NULL };
    if (!in->base || !in->operand_count || in->operands[0].kind == OPERAND_MEMORY)
        return false;
    return !ptx_is_one_of(in->base, none) || (strncmp(in->base, "bar", 3) == 0 && ptx_has(in, "red"));
}

static void each(const struct ptx_operand *operand, ptx_visit visit, void *context)
{
    if ((operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_MEMORY) && operand->reg >= 0)
        visit(context, operand->reg);
    for (int i = 0; i < operand->part_count; i++)
        each(&operand->parts[i], visit, context);
}

void ptx_each_read(const struct ptx_instruction *in, ptx_visit visit, void *context)
{
    for (int i = ptx_writes_first(in) ? 1 : 0; i < in->operand_count; i++)
        each(&in->operands[i], visit, context);
    for (int i = 0; i < in->call_argument_count; i++)
        each(&in->call_arguments[i], visit, context);
    if (in->guard >= 0)
        visit(context, in->guard);
}

void ptx_each_written(const struct ptx_instruction *in, ptx_visit visit, void *context)
{
    if (ptx_writes_first(in))
        each(&in->operands[0], visit, context);
    for (int i = 0; i < in->call_return_count; i++)
        each(&in->call_returns[i], visit, context);
}

struct register_search {
    int reg;
    bool found;
};

static void meet(void *context, int reg)
{
    struct register_search *search = context;
    search->found |= reg == search->reg;
}

bool ptx_meets(ptx_each visits, const struct ptx_instruction *in, int reg)
{
    struct register_search search = { .reg = reg };
    visits(in, meet, &search);
    return search.found;
}

// ---- arena -----------------------------------------------------------------------------------------------

// An arena: memory that is allocated in pieces and freed as a whole. Small pieces are cut from chunks; a big piece is
// a chunk of its own, so that realloc can move a growing array instead of copying it. The total has a limit, so that
// a hostile text cannot exhaust the machine's memory.

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

// ---- deadline --------------------------------------------------------------------------------------------

// The time that reading a text may take. Loops whose time grows faster than the text (label lookup, data flow on a
// large graph) ask now and then whether the deadline has passed, so that no text can hold the reader up.

enum { CALLS_PER_LOOK = 64 }; // from one look at the clock to the next

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

void deadline_start(struct deadline *deadline)
{
    *deadline = (struct deadline){ .end = now() + READ_SECONDS };
}

bool deadline_passed(struct deadline *deadline)
{
    if (!deadline->passed && ++deadline->calls % CALLS_PER_LOOK == 0)
        deadline->passed = now() > deadline->end;
    return deadline->passed;
}
