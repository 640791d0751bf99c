// A cache of an SM: lines of 128 bytes with four sectors, in sets of eight. Which line goes is left to chance, but for the one
// used last: hardware does not keep to the least recently used one, which would lose everything in a loop over a little more
// than the cache holds. A replay looks up millions of lines: so all of it is inline.
#ifndef WARPBOOK_MODEL_CACHE_H
#define WARPBOOK_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sim/sim.h"

enum { CACHE_WAYS = 8, CACHE_SETS_MOST = 1 << 16, CACHE_FULL = (1 << CACHE_WAYS) - 1 };

struct cache_set {
    uint64_t lines[CACHE_WAYS];     // + 1; 0: an empty way, as which only the first one is marked
    double ready[CACHE_WAYS];       // when the last of its sectors arrives
    unsigned char tags[CACHE_WAYS]; // of their lines: a part of the hash
    unsigned char sectors[CACHE_WAYS];
    unsigned char full;   // a bit for each way that has a line
    unsigned char latest; // the one that was looked up last
};
struct cache {
    struct cache_set *sets;
    struct cache_set *last; // the one that was looked at
    uint64_t set_count;
    uint64_t clock;
};

static inline void cache_free(struct cache *cache)
{
    free(cache->sets);
}

// False: no memory.
static inline bool cache_make(struct cache *cache, double bytes)
{
    double fit = bytes / (CACHE_WAYS * SIM_LINE_BYTES);
    size_t count = fit < 1 ? 1 : fit > CACHE_SETS_MOST ? CACHE_SETS_MOST : (size_t)fit;
    *cache = (struct cache){ .sets = malloc(count * sizeof *cache->sets), .set_count = count };
    for (size_t i = 0; cache->sets && i < count; i++) {
        struct cache_set *set = &cache->sets[i];
        set->lines[0] = 0;
        set->full = set->latest = 0;
        memset(set->tags, 0, sizeof set->tags);
    }
    return cache->sets != NULL;
}

// The way with the line, -1: none. All tags are compared at once, which finds some ways too many.
static inline int cache_way_with(const struct cache_set *set, uint64_t hash, uint64_t line)
{
    static const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t differ;
    memcpy(&differ, set->tags, sizeof differ);
    differ ^= (hash & 0xff) * ones;
    for (uint64_t same = (differ - ones) & ~differ & tops; same; same &= same - 1) {
        int way = __builtin_ctzll(same) / 8;
        if (set->full >> way & 1 && set->lines[way] == line + 1)
            return way;
    }
    return -1;
}

// An empty way takes a line, else the one that chance names, but for the one used last in the whole cache.
static inline unsigned cache_way_that_goes(const struct cache_set *set, const struct cache_set *last,
                                           uint64_t clock, uint64_t hash)
{
    unsigned goes = (unsigned)(hash ^ clock * 0x9e3779b9u) % CACHE_WAYS;
    if (set->full >> goes & 1 && set->full != CACHE_FULL)
        goes = (unsigned)__builtin_ctz(~(unsigned)set->full);
    bool used_last = set == last && goes == set->latest;
    return used_last ? (goes + 1) % CACHE_WAYS : goes;
}

// A line that is not the one of its set that was looked up last. `last` and `clock` are those of the cache, which stay in
// registers where many lines are looked up.
static void __attribute__((noinline)) cache_change(struct cache_set *set, const struct cache_set *last,
                                                   uint64_t clock, uint64_t hash, uint64_t line)
{
    int with = cache_way_with(set, hash, line);
    unsigned way = with >= 0 ? (unsigned)with : cache_way_that_goes(set, last, clock, hash);
    if (with < 0) {
        set->lines[way] = line + 1;
        set->ready[way] = 0;
        set->sectors[way] = 0;
        set->tags[way] = (unsigned char)hash;
        set->full |= (unsigned char)(1u << way);
    }
    set->latest = (unsigned char)way;
}

// The sectors of a line that are there, and *ready: when the last of them arrives. All of `sectors` are there afterwards.
static inline __attribute__((always_inline)) unsigned cache_look(struct cache *cache, uint64_t line,
                                                                 unsigned sectors, double *ready)
{
    uint64_t hash = (line * 0x9e3779b97f4a7c15ull) >> 32;
    struct cache_set *set = &cache->sets[hash * cache->set_count >> 32];
    if (set->lines[set->latest] != line + 1)
        cache_change(set, cache->last, cache->clock, hash, line);
    unsigned way = set->latest, there = set->sectors[way];
    set->sectors[way] = (unsigned char)(there | sectors);
    *ready = set->ready[way];
    cache->clock++;
    cache->last = set;
    return there & sectors;
}

// The missing sectors of the line of the set that was looked at last.
static inline void cache_expect(struct cache_set *set, double arrives)
{
    double *ready = &set->ready[set->latest];
    *ready = arrives > *ready ? arrives : *ready;
}

#endif
