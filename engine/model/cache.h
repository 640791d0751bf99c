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
    uint64_t lines[CACHE_WAYS];
    double ready[CACHE_WAYS]; // when the last of its sectors arrives
    unsigned char sectors[CACHE_WAYS];
};
struct cache_ways {                 // of a set
    unsigned char tags[CACHE_WAYS]; // of their lines: a part of the hash
    unsigned char full;             // a bit for each that has a line
    unsigned char latest;           // the one that was looked up last
};
struct cache {
    struct cache_set *sets;
    struct cache_ways *ways; // by set
    uint64_t set_count;
    uint64_t clock;
    uint64_t last; // the set that was looked at
};

static inline void cache_free(struct cache *cache)
{
    free(cache->sets);
    free(cache->ways);
}

// False: no memory.
static inline bool cache_make(struct cache *cache, double bytes)
{
    double fit = bytes / (CACHE_WAYS * SIM_LINE_BYTES);
    size_t count = fit < 1 ? 1 : fit > CACHE_SETS_MOST ? CACHE_SETS_MOST : (size_t)fit;
    *cache = (struct cache){ .sets = malloc(count * sizeof *cache->sets),
                             .ways = calloc(count, sizeof *cache->ways),
                             .set_count = count };
    return cache->sets && cache->ways;
}

// The way with the line, -1: none. All tags are compared at once, which finds some ways too many.
static inline int cache_way_with(const struct cache_set *set, const struct cache_ways *ways, uint64_t hash,
                                 uint64_t line)
{
    static const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    uint64_t differ;
    memcpy(&differ, ways->tags, sizeof differ);
    differ ^= (hash & 0xff) * ones;
    for (uint64_t same = (differ - ones) & ~differ & tops; same; same &= same - 1) {
        int way = __builtin_ctzll(same) / 8;
        if (ways->full >> way & 1 && set->lines[way] == line)
            return way;
    }
    return -1;
}

// An empty way takes a line, else the one that chance names, but for the one used last in the whole cache.
static inline unsigned cache_way_that_goes(const struct cache *cache, uint64_t number, uint64_t hash)
{
    struct cache_ways ways = cache->ways[number];
    unsigned goes = (unsigned)(hash ^ cache->clock * 0x9e3779b9u) % CACHE_WAYS;
    if (ways.full >> goes & 1 && ways.full != CACHE_FULL)
        goes = (unsigned)__builtin_ctz(~(unsigned)ways.full);
    bool used_last = cache->clock && number == cache->last && goes == ways.latest;
    return used_last ? (goes + 1) % CACHE_WAYS : goes;
}

// A line that is not the one of its set that was looked up last.
static void __attribute__((noinline))
cache_change(struct cache *cache, uint64_t number, uint64_t hash, uint64_t line)
{
    struct cache_set *set = &cache->sets[number];
    struct cache_ways *ways = &cache->ways[number];
    int with = cache_way_with(set, ways, hash, line);
    unsigned way = with >= 0 ? (unsigned)with : cache_way_that_goes(cache, number, hash);
    if (with < 0) {
        set->lines[way] = line;
        set->ready[way] = 0;
        set->sectors[way] = 0;
        ways->tags[way] = (unsigned char)hash;
        ways->full |= (unsigned char)(1u << way);
    }
    ways->latest = (unsigned char)way;
}

// The sectors of a line that are there, and *ready: when the last of them arrives. All of `sectors` are there afterwards.
static inline __attribute__((always_inline)) unsigned cache_look(struct cache *cache, uint64_t line,
                                                                 unsigned sectors, double *ready)
{
    uint64_t hash = (line * 0x9e3779b97f4a7c15ull) >> 32;
    uint64_t number = hash * cache->set_count >> 32;
    struct cache_set *set = &cache->sets[number];
    const struct cache_ways *ways = &cache->ways[number];
    if (!(ways->full >> ways->latest & 1) || set->lines[ways->latest] != line)
        cache_change(cache, number, hash, line);
    unsigned way = ways->latest, there = set->sectors[way];
    set->sectors[way] = (unsigned char)(there | sectors);
    *ready = set->ready[way];
    cache->clock++;
    cache->last = number;
    return there & sectors;
}

// The missing sectors of the line that was looked at last.
static inline void cache_expect(struct cache *cache, double arrives)
{
    double *ready = &cache->sets[cache->last].ready[cache->ways[cache->last].latest];
    *ready = arrives > *ready ? arrives : *ready;
}

#endif
