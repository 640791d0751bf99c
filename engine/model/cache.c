// A cache of an SM: lines of 128 bytes with four sectors, in sets of eight, the least recently used go first.
#include "engine/model/parts.h"

#include <stdlib.h>

enum { WAYS = 8, SETS_MOST = 1 << 16 };

struct way {
    uint64_t line; // + 1; 0: empty
    uint64_t used;
    double ready; // when the last of its sectors arrives
    unsigned sectors;
};
struct cache {
    struct way *ways;
    uint64_t sets;
    uint64_t clock;
    struct way *last;
};

struct cache *cache_new(double bytes)
{
    struct cache *cache = calloc(1, sizeof *cache);
    double fit = bytes / (WAYS * SIM_LINE_BYTES);
    size_t sets = fit < 1 ? 1 : fit > SETS_MOST ? SETS_MOST : (size_t)fit;
    struct way *ways = calloc(sets * WAYS, sizeof *ways);
    if (!cache || !ways) {
        free(cache);
        free(ways);
        return NULL;
    }
    cache->ways = ways;
    cache->sets = sets;
    return cache;
}

void cache_free(struct cache *cache)
{
    if (cache)
        free(cache->ways);
    free(cache);
}

unsigned cache_look(struct cache *cache, uint64_t line, unsigned sectors, double *ready)
{
    uint64_t hash = (line * 0x9e3779b97f4a7c15ull) >> 32;
    struct way *set = cache->ways + (hash * cache->sets >> 32) * WAYS;
    struct way *oldest = set;
    cache->clock++;
    *ready = 0;
    for (int i = 0; i < WAYS; i++) {
        struct way *way = &set[i];
        if (way->line == line + 1) {
            unsigned there = way->sectors & sectors;
            *ready = way->ready;
            way->sectors |= sectors;
            way->used = cache->clock;
            cache->last = way;
            return there;
        }
        oldest = way->used < oldest->used ? way : oldest;
    }
    *oldest = (struct way){ .line = line + 1, .used = cache->clock, .sectors = sectors };
    cache->last = oldest;
    return 0;
}

void cache_expect(struct cache *cache, double arrives)
{
    if (cache->last && arrives > cache->last->ready)
        cache->last->ready = arrives;
}
