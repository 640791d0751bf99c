// Where atomics meet: the turns of each unit of L2, and compares and swaps of each word.
#include "engine/sim/machine/sample.h"

#include <stdlib.h>

enum {
    SECTOR = SAMPLE_SECTOR,
    WORD = 4,
    TURNS_MOST = 1 << 18 // of an allocation: parts of the launch are noted apart while they are no more
};

// Atomics are served by units of L2, and each 1024 bytes by two of them, 256 bytes in turn: on an H100, 256 bins are served
// twice as fast where they lie in 2 KB, unless the bit of 256 bytes is the same for all of them.
enum { PAIR_BYTES = 1024, TURN_BYTES = 256 };

static size_t units_of(const struct sample *sample, size_t number)
{
    return 2 * (sample->machine->memory->allocations[number].bytes / PAIR_BYTES + 1);
}

static size_t unit_of(uint64_t offset)
{
    return 2 * (offset / PAIR_BYTES) + (offset / TURN_BYTES & 1);
}

size_t atomic_turns_parts(const struct sample *sample, size_t number)
{
    const size_t units = units_of(sample, number);
    size_t parts = SIM_LAUNCH_PARTS;
    while (parts > 1 && parts * units > TURNS_MOST)
        parts /= 2;
    return parts;
}

// Counters of an allocation, made when the first of them is needed. Host threads may make them at the same time; one wins.
static void *made_once(struct sample *sample, void **place, size_t bytes)
{
    void *counters = __atomic_load_n(place, __ATOMIC_ACQUIRE), *none = NULL;
    if (counters)
        return counters;
    void *fresh = calloc(bytes, 1);
    if (!fresh) {
        sample->failed = true;
        return NULL;
    }
    if (__atomic_compare_exchange_n(place, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    free(fresh);
    return none;
}

// The turns of an allocation's units.
static uint64_t *turns_of(struct sample *sample, uint64_t number)
{
    struct noted *noted = noted_as(sample, number);
    if (!noted)
        return NULL;
    return made_once(sample, &noted->turns, units_of(sample, number) * noted->parts * sizeof(uint64_t));
}

static size_t words_of(const struct sample *sample, uint64_t number)
{
    return sample->machine->memory->allocations[number].bytes / WORD + 1;
}

void sample_swaps(struct warp *warp, const uint64_t at[LANES], uint32_t mask, uint32_t through)
{
    struct sample *sample = warp->sample;
    uint32_t global = 0; // lanes of a generic address may be elsewhere, and have an offset
    for (int i = 0; i < LANES; i++)
        global |= (uint32_t)(at[i] >> OFFSET_BITS != 0) << i;
    mask &= global;
    __atomic_fetch_add(&sample->swap_tries, (unsigned)__builtin_popcount(mask), __ATOMIC_RELAXED);
    for (through &= mask; through; through &= through - 1) {
        uint64_t address = at[__builtin_ctz(through)], number = address >> OFFSET_BITS;
        struct noted *noted = noted_as(sample, number);
        if (!noted)
            continue;
        uint32_t *swaps = made_once(sample, &noted->swaps, words_of(sample, number) * sizeof *swaps);
        if (swaps)
            __atomic_fetch_add(&swaps[(address & OFFSETS) / WORD], 1, __ATOMIC_RELAXED);
    }
}

// Host threads may add at the same time, which takes several times as long as one that is alone.
INLINE void add_turns(uint64_t *turns, uint64_t more, bool alone)
{
    if (alone)
        *turns += more;
    else
        __atomic_fetch_add(turns, more, __ATOMIC_RELAXED);
}

// The lanes that a request sends a sector for: the first in each sector, and those with a word that more lanes before them
// have than any other word of the sector.
static uint32_t lanes_that_send(const uint64_t at[LANES], uint32_t mask)
{
    enum { SLOTS = 2 * LANES, SECTOR_WORDS = SECTOR / WORD, COUNT_BITS = 64 / SECTOR_WORDS };
    uint64_t sectors[SLOTS], lanes[SLOTS], filled = 0; // lanes: a count for each word
    unsigned most[SLOTS];
    uint32_t out = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t sector = at[lane] / SECTOR, word = at[lane] / WORD % SECTOR_WORDS;
        size_t slot = (size_t)(sector * 0x9e3779b97f4a7c15u >> 32) % SLOTS;
        while (filled >> slot & 1 && sectors[slot] != sector)
            slot = (slot + 1) % SLOTS;
        if (!(filled >> slot & 1)) {
            filled |= 1ull << slot;
            sectors[slot] = sector;
            lanes[slot] = most[slot] = 0;
        }
        lanes[slot] += 1ull << word * COUNT_BITS;
        unsigned same = (unsigned)(lanes[slot] >> word * COUNT_BITS) & ((1u << COUNT_BITS) - 1);
        out |= (uint32_t)(same > most[slot]) << lane;
        most[slot] = same > most[slot] ? same : most[slot];
    }
    return out;
}

// How many lanes of a full warp, all in the bytes of two units, send a sector to each of them.
static void count_senders(const uint64_t at[LANES], uint64_t senders[2])
{
    enum { WORDS = PAIR_BYTES / WORD, SECTORS = PAIR_BYTES / SECTOR };
    unsigned char lanes[WORDS] = { 0 }, most[SECTORS] = { 0 }; // of a word, and of a sector's words
    for (int i = 0; i < LANES; i++) {
        size_t word = at[i] / WORD % WORDS, sector = word / (SECTOR / WORD);
        bool more = ++lanes[word] > most[sector];
        most[sector] += more;
        senders[sector / (TURN_BYTES / SECTOR) % 2] += more;
    }
}

// Adds the shares of the lanes that send a sector where all lanes are in the bytes of two units. False: they are not.
static bool add_to_pair(struct sample *sample, const uint64_t at[LANES], unsigned launch_part,
                        unsigned passes)
{
    uint64_t differ = 0;
    for (int i = 0; i < LANES; i++)
        differ |= at[i] ^ at[0];
    uint64_t *turns = differ >= PAIR_BYTES ? NULL : turns_of(sample, at[0] >> OFFSET_BITS);
    if (!turns)
        return false;
    const size_t parts = noted_as(sample, at[0] >> OFFSET_BITS)->parts;
    uint64_t senders[2] = { 0 };
    if (passes == 1)
        senders[at[0] / TURN_BYTES % 2] = 1;
    else
        count_senders(at, senders);
    const uint64_t share = (uint64_t)passes * LANES / (senders[0] + senders[1]);
    turns += 2 * ((at[0] & OFFSETS) / PAIR_BYTES) * parts + launch_part * parts / SIM_LAUNCH_PARTS;
    add_turns(turns, senders[0] * share, sample->alone);
    add_turns(turns + parts, senders[1] * share, sample->alone);
    return true;
}

// Each lane that sends a sector has an equal share of the request's sectors.
void sample_atomic(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned passes)
{
    struct sample *sample = warp->sample;
    bool alone = sample->alone;
    add_turns(&sample->atomics, passes, alone);
    sample_passes(warp, passes);
    if (mask == FULL_MASK && add_to_pair(sample, at, warp->block->launch_part, passes))
        return;
    uint32_t senders = passes == 1 ? mask & -mask : lanes_that_send(at, mask);
    unsigned count = (unsigned)__builtin_popcount(senders);
    uint64_t share = (uint64_t)passes * LANES / (count ? count : 1);
    uint64_t number = UINT64_MAX, *turns = NULL;
    size_t parts = 1, part = 0;
    for (uint32_t left = senders; left; left &= left - 1) {
        uint64_t address = at[__builtin_ctz(left)];
        if (address >> OFFSET_BITS != number) {
            number = address >> OFFSET_BITS;
            turns = turns_of(sample, number);
            parts = turns ? noted_as(sample, number)->parts : 1;
            part = warp->block->launch_part * parts / SIM_LAUNCH_PARTS;
        }
        if (turns)
            add_turns(&turns[unit_of(address & OFFSETS) * parts + part], share, alone);
    }
}

static void count_swaps(const uint32_t *swaps, size_t words, struct sim_sample *out)
{
    for (size_t i = 0; i < words; i++) {
        out->swaps += swaps[i];
        out->swap_squares += (uint64_t)swaps[i] * swaps[i];
    }
}

// The most turns of one unit in each window of 1, 2, 4 ... parts; a part that was not noted apart has its share.
static void count_turns(const uint64_t *turns, size_t units, size_t parts,
                        uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS])
{
    for (size_t i = 0; i < units; i++)
        for (size_t window = 1, w = 0; w < SIM_WINDOWS; window *= 2, w++)
            for (size_t at = 0; at < SIM_LAUNCH_PARTS / window; at++) {
                size_t from = at * window * parts / SIM_LAUNCH_PARTS,
                       to = (at + 1) * window * parts / SIM_LAUNCH_PARTS;
                uint64_t sum = to > from ? 0 : turns[i * parts + from] * window * parts / SIM_LAUNCH_PARTS;
                for (; from < to; from++)
                    sum += turns[i * parts + from];
                most[w][at] = sum > most[w][at] ? sum : most[w][at];
            }
}

void atomic_turns_count(const struct sample *sample, size_t number,
                        uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS], struct sim_sample *out)
{
    const struct noted *noted = noted_as(sample, number);
    if (noted->swaps)
        count_swaps(noted->swaps, words_of(sample, number), out);
    if (noted->turns)
        count_turns(noted->turns, units_of(sample, number), noted->parts, most);
}

void atomic_turns_sum(uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS], struct sim_sample *out)
{
    for (int w = 0; w < SIM_WINDOWS; w++) {
        uint64_t sum = 0;
        for (int at = 0; at < SIM_LAUNCH_PARTS >> w; at++)
            sum += most[w][at];
        out->hottest[w] = sum / LANES;
    }
}
