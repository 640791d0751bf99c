// Pools of memory: what streams take in their order is counted for the pool that it is of.
#include "engine/exec/exec.h"

#include <stdlib.h>
#include <string.h>

enum pool_attribute {
    POOL_REUSE_FIRST = 1,
    POOL_REUSE_LAST = 3,
    POOL_THRESHOLD,
    POOL_RESERVED,
    POOL_RESERVED_HIGH,
    POOL_USED,
    POOL_USED_HIGH
};
struct exec_pool {
    int reuse[POOL_REUSE_LAST + 1];
    // Bytes. `kept` is what is not given back to the system when it is not used; `most`: 0: no limit.
    uint64_t kept, most, used, used_high, reserved, reserved_high;
};
struct cuda_pool {
    int type, handles;
    struct cuda_location where;
    void *security;
    size_t most;
    // What follows has no meaning here.
};
enum { READ_WRITE = 3 }; // as cudaMemAccessFlagsProtReadWrite
struct cuda_access {
    struct cuda_location where;
    int flags;
};
static struct exec_pool first = { .reuse = { [POOL_REUSE_FIRST] = 1, 1, 1 } }, *current = &first;

static struct exec_pool *pool_or_current(struct exec_pool *pool)
{
    return pool ? pool : current;
}

// A pool takes memory from the system in portions of 32 MiB (an H200 with driver 580).
static uint64_t in_portions(uint64_t bytes)
{
    const uint64_t portion = 32 << 20;
    return (bytes + portion - 1) / portion * portion;
}

bool pool_takes(struct exec_pool **pool, size_t bytes)
{
    struct exec_pool *from = *pool = pool_or_current(*pool);
    if (from->most && bytes > from->most - from->used)
        return false;
    from->used += bytes;
    if (from->used > from->used_high)
        from->used_high = from->used;
    if (from->used > from->reserved)
        from->reserved = in_portions(from->used);
    if (from->reserved > from->reserved_high)
        from->reserved_high = from->reserved;
    return true;
}

static void trim(struct exec_pool *pool, uint64_t kept)
{
    if (pool->reserved > kept)
        pool->reserved = in_portions(pool->used > kept ? pool->used : kept);
}

void pool_gets(struct exec_pool *pool, size_t bytes)
{
    pool->used -= bytes;
    trim(pool, pool->kept);
}

API(cudaDeviceGetDefaultMemPool, struct exec_pool **out, int device)
{
    ENTER();
    if (!out || device)
        return exec_answer(device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    *out = &first;
    return CUDA_OK;
}

API(cudaDeviceGetMemPool, struct exec_pool **out, int device)
{
    ENTER();
    if (!out || device)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = current;
    return CUDA_OK;
}

API(cudaDeviceSetMemPool, int device, struct exec_pool *pool)
{
    ENTER();
    if (!pool || device)
        return exec_answer(CUDA_INVALID_VALUE);
    current = pool;
    return exec_ready();
}

API(cudaMemPoolCreate, struct exec_pool **out, const struct cuda_pool *how)
{
    ENTER();
    enum { PINNED = 1 };
    const bool fits = out && how && how->type == PINNED && how->where.id == 0;
    struct exec_pool *pool = fits ? malloc(sizeof *pool) : NULL;
    if (!pool)
        return exec_answer(fits ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE);
    *pool = (struct exec_pool){ .reuse = { [POOL_REUSE_FIRST] = 1, 1, 1 }, .most = how->most };
    *out = pool;
    return exec_ready();
}

// What was taken from a pool outlives it, and is counted there still.
API(cudaMemPoolDestroy, struct exec_pool *pool)
{
    ENTER();
    if (!pool || pool == &first)
        return exec_answer(CUDA_INVALID_VALUE);
    if (current == pool)
        current = &first;
    if (!pool->used)
        free(pool);
    return exec_ready();
}

static uint64_t *bytes_of(struct exec_pool *pool, int attribute)
{
    switch (attribute) {
    case POOL_THRESHOLD:
        return &pool->kept;
    case POOL_RESERVED:
        return &pool->reserved;
    case POOL_RESERVED_HIGH:
        return &pool->reserved_high;
    case POOL_USED:
        return &pool->used;
    case POOL_USED_HIGH:
        return &pool->used_high;
    default:
        return NULL;
    }
}

API(cudaMemPoolGetAttribute, struct exec_pool *pool, int attribute, void *value)
{
    ENTER();
    const bool reuse = attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST;
    const uint64_t *bytes = pool ? bytes_of(pool, attribute) : NULL;
    if (!pool || !value || (!reuse && !bytes))
        return exec_answer(CUDA_INVALID_VALUE);
    if (reuse)
        *(int *)value = pool->reuse[attribute];
    else
        *(uint64_t *)value = *bytes;
    return CUDA_OK;
}

API(cudaMemPoolSetAttribute, struct exec_pool *pool, int attribute, const void *value)
{
    ENTER();
    if (!pool || !value)
        return exec_answer(CUDA_INVALID_VALUE);
    if (attribute >= POOL_REUSE_FIRST && attribute <= POOL_REUSE_LAST)
        pool->reuse[attribute] = *(const int *)value;
    else if (attribute == POOL_THRESHOLD)
        pool->kept = *(const uint64_t *)value;
    else if (attribute == POOL_RESERVED_HIGH && !*(const uint64_t *)value)
        pool->reserved_high = pool->reserved;
    else if (attribute == POOL_USED_HIGH && !*(const uint64_t *)value)
        pool->used_high = pool->used;
    else
        return exec_answer(CUDA_INVALID_VALUE);
    return CUDA_OK;
}

API(cudaMemPoolTrimTo, struct exec_pool *pool, size_t bytes)
{
    ENTER();
    if (!pool)
        return exec_answer(CUDA_INVALID_VALUE);
    trim(pool, bytes);
    return exec_ready();
}

// The device itself reads and writes what is of a pool, and there is no other one to be given access.
API(cudaMemPoolSetAccess, const struct exec_pool *pool, const struct cuda_access *access, size_t count)
{
    ENTER();
    if (!pool || (!access && count))
        return exec_answer(CUDA_INVALID_VALUE);
    for (size_t i = 0; i < count; i++)
        if (access[i].where.id || access[i].flags != READ_WRITE)
            return exec_answer(CUDA_INVALID_DEVICE);
    return exec_ready();
}

API(cudaMemPoolGetAccess, int *out, const struct exec_pool *pool, const struct cuda_location *where)
{
    ENTER();
    if (!out || !pool || !where || where->id)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = READ_WRITE;
    return CUDA_OK;
}
