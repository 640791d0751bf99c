// A cache of an SM: lines of 128 bytes with four sectors, in sets of eight. Which line goes is left to chance, but for the one
// used last: hardware does not keep to the least recently used one, which would lose everything in a loop over a little more
// than the cache holds.
#include "engine/model/sm.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 8, SETS_MOST = 1 << 16 };

struct cache_way {
    uint64_t line; // + 1; 0: empty
    double ready;  // when the last of its sectors arrives
    unsigned sectors;
};
struct cache {
    struct cache_way *ways;
    bool *used; // by set; the ways of one that is not are not cleared yet
    uint64_t sets;
    uint64_t clock;
    struct cache_way *last;
};

struct cache *cache_new(double bytes)
{
    struct cache *cache = calloc(1, sizeof *cache);
    double fit = bytes / (WAYS * SIM_LINE_BYTES);
    size_t sets = fit < 1 ? 1 : fit > SETS_MOST ? SETS_MOST : (size_t)fit;
    struct cache_way *ways = malloc(sets * WAYS * sizeof *ways);
    bool *used = calloc(sets, sizeof *used);
    if (!cache || !ways || !used) {
        free(cache);
        free(ways);
        free(used);
        return NULL;
    }
    cache->ways = ways;
    cache->used = used;
    cache->sets = sets;
    return cache;
}

void cache_free(struct cache *cache)
{
    if (cache) {
        free(cache->ways);
        free(cache->used);
    }
    free(cache);
}

unsigned cache_look(struct cache *cache, uint64_t line, unsigned sectors, double *ready)
{
    uint64_t hash = (line * 0x9e3779b97f4a7c15ull) >> 32;
    uint64_t number = hash * cache->sets >> 32;
    struct cache_way *set = cache->ways + number * WAYS;
    struct cache_way *goes = set + (hash ^ cache->clock * 0x9e3779b9u) % WAYS;
    cache->clock++;
    if (!cache->used[number]) {
        memset(set, 0, WAYS * sizeof *set);
        cache->used[number] = true;
    }
    *ready = 0;
    for (int i = 0; i < WAYS; i++) {
        struct cache_way *way = &set[i];
        if (way->line == line + 1) {
            unsigned there = way->sectors & sectors;
            *ready = way->ready;
            way->sectors |= sectors;
            cache->last = way;
            return there;
        }
        goes = !way->line && goes->line ? way : goes;
    }
    if (goes == cache->last)
        goes = set + (goes - set + 1) % WAYS;
    *goes = (struct cache_way){ .line = line + 1, .sectors = sectors };
    cache->last = goes;
    return 0;
}

void cache_expect(struct cache *cache, double arrives)
{
    if (cache->last && arrives > cache->last->ready)
        cache->last->ready = arrives;
}
