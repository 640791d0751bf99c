// The cost of an access by its addresses: sectors of 32 bytes in global memory, wavefronts in shared memory. The rules follow
// the counters of an H100 (COUNTS.md).
#include "engine/sim/access/access.h"

#include <string.h>

#ifndef __clang__
#pragma GCC optimize("O3") // loops over lanes become vectors
#endif
#define EACH_BIT(lane, mask)                                                                                 \
    for (unsigned lane = 0; lane < LANES; lane++)                                                            \
        if ((mask) >> lane & 1)

// ---- counting distinct values -----------------------------------------------------------------------------

// The width of host vectors. All lanes are compared with all others: a lookup table, filled lane after lane, would make each
// lane wait for the store of the one before it.
#if LANES_BUILD
#define VECTOR __attribute__((vector_size(32)))
#else
#define VECTOR __attribute__((vector_size(16)))
#endif
typedef uint16_t places VECTOR;
enum { PLACES = sizeof(places) / sizeof(uint16_t), NOWHERE = 0xffff, PLACE_BITS = 15 };

// The addresses >> shift of the lanes of `mask`, with NOWHERE for the others, in the upper half; the lower half is NOWHERE.
// False: they are too far apart for 16 bits, or those of other lanes are.
static bool find_places(const uint64_t address[LANES], uint32_t mask, unsigned shift,
                        uint16_t place[restrict 2 * LANES])
{
    uint64_t beyond = 0, from = (address[__builtin_ctz(mask)] >> shift) - (1 << (PLACE_BITS - 1));
    memset(place, 0xff, LANES * sizeof *place);
    for (int i = 0; i < LANES; i++) {
        const uint64_t at = (address[i] >> shift) - from;
        beyond |= at;
        place[LANES + i] = (uint16_t)at;
    }
    for (int i = 0; mask != FULL_MASK && i < LANES; i++)
        place[LANES + i] |= mask >> i & 1 ? 0 : NOWHERE;
    return !(beyond >> PLACE_BITS);
}

// Sets all bits of each of the lanes from `first` on for which a lower lane has the same place. Lanes without one count as
// that.
INLINE places repeats_of(const uint16_t place[2 * LANES], int first)
{
    places mine, other, same = { 0 };
    memcpy(&mine, place + LANES + first, sizeof mine);
    UNROLLED
    for (int i = first + PLACES; i > 0; i--) {
        memcpy(&other, place + LANES + first - i, sizeof other);
        same |= (places)(mine == other);
    }
    return same;
}

enum { SECTOR_SHIFT = 5 };
enum { SLOTS = 128 }; // twice as many as a warp with straddling accesses can need
struct set {
    uint64_t slot[SLOTS]; // value + 1; 0: empty
    unsigned count;
};

static void set_clear(struct set *set)
{
    memset(set, 0, sizeof *set);
}

static void set_put(struct set *set, uint64_t value)
{
    unsigned at = (unsigned)((value * 0x9e3779b97f4a7c15ull) >> 57);
    while (set->slot[at] && set->slot[at] != value + 1)
        at = (at + 1) % SLOTS;
    set->count += !set->slot[at];
    set->slot[at] = value + 1;
}

// Counts distinct values that never decrease; false when they do.
static bool count_rising(const uint64_t address[LANES], uint32_t mask, unsigned shift, unsigned *count)
{
    uint64_t before = 0;
    unsigned steps = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t value = address[__builtin_ctz(left)] >> shift;
        if (value < before)
            return false;
        steps += !steps || value != before;
        before = value;
    }
    *count = steps;
    return true;
}

// How many places the lanes have; those without one count as one each.
static unsigned count_places(const uint16_t place[2 * LANES])
{
    places repeats = { 0 }; // true is -1
    unsigned count = LANES;
    for (int first = 0; first < LANES; first += PLACES)
        repeats += repeats_of(place, first);
    for (int i = 0; i < PLACES; i++)
        count += (unsigned)(int16_t)repeats[i];
    return count;
}

static unsigned count_sectors(const uint64_t address[LANES], uint32_t mask)
{
    unsigned count;
    if (count_rising(address, mask, SECTOR_SHIFT, &count))
        return count;
    uint16_t place[2 * LANES];
    if (find_places(address, mask, SECTOR_SHIFT, place))
        return count_places(place);
    struct set set;
    set_clear(&set);
    EACH_BIT(i, mask) set_put(&set, address[i] >> SECTOR_SHIFT);
    return set.count;
}

static bool all_aligned(const uint64_t address[LANES], uint32_t mask, unsigned bytes)
{
    uint64_t low = 0;
    for (int i = 0; i < LANES; i++)
        low |= address[i] & (0ull - (mask >> i & 1));
    return bytes <= SECTOR_BYTES && (low & (bytes - 1)) == 0;
}

// ---- global memory ----------------------------------------------------------------------------------------

static unsigned sectors(const uint64_t address[LANES], uint32_t mask, unsigned bytes)
{
    if (all_aligned(address, mask, bytes)) // then no access straddles two sectors
        return count_sectors(address, mask);
    struct set set;
    set_clear(&set);
    EACH_BIT(i, mask)
    {
        set_put(&set, address[i] / SECTOR_BYTES);
        set_put(&set, (address[i] + bytes - 1) / SECTOR_BYTES);
    }
    return set.count;
}

// Sectors of as many consecutive elements as there are lanes, or the actual number if that is smaller.
static unsigned sectors_ideal(unsigned sectors, uint32_t mask, unsigned bytes)
{
    unsigned in_a_row = ((unsigned)__builtin_popcount(mask) * bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    return sectors < in_a_row ? sectors : in_a_row;
}

static struct access_cost cost_global_rows(const struct lane_rows *rows, unsigned bytes)
{
    uint64_t start[ROWS_MOST],
        next = 0; // in the order of addresses; the first sector that was not counted yet
    unsigned count = 0;
    for (unsigned i = 0; i < rows->count; i++) {
        unsigned at = i;
        for (; at && start[at - 1] > rows->start[i]; at--)
            start[at] = start[at - 1];
        start[at] = rows->start[i];
    }
    for (unsigned i = 0; i < rows->count; i++) {
        uint64_t low = start[i] / SECTOR_BYTES, end = (start[i] + rows->bytes - 1) / SECTOR_BYTES + 1;
        low = low > next ? low : next;
        count += end > low ? (unsigned)(end - low) : 0;
        next = end > next ? end : next;
    }
    return (struct access_cost){ .passes = count, .ideal = sectors_ideal(count, FULL_MASK, bytes) };
}

// Each line is processed by one of four units, chosen by a hash of bits 0 to 4 of its number, as far as was measured.
static unsigned unit_of(uint64_t address)
{
    uint64_t line = address / LINE_BYTES, twos = line ^ line >> 2;
    return (unsigned)((twos ^ line >> 4) & 1) | (unsigned)((twos ^ twos >> 1) & 1) << 1;
}

struct unit_cost {
    unsigned sectors, turns;
};
// What one unit processes: sectors, summed over its turns. In a turn it processes one piece of a line: that of the lowest
// waiting lane. All lanes in that piece are done, except a lane that has a lower waiting lane at the same word offset, in
// this or in another line: it waits for a later turn.
static struct unit_cost cost_of_unit(const uint64_t address[LANES], uint32_t waiting, unsigned piece)
{
    const unsigned shift = (unsigned)__builtin_ctz(piece);
    struct unit_cost out = { 0 };
    while (waiting) {
        uint64_t lead = address[__builtin_ctz(waiting)], unlike = 0;
        uint32_t words = 0, parts = 0, gone = 0;
        for (uint32_t left = waiting; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            uint32_t word = 1u << address[i] % LINE_BYTES / 4;
            if (!((address[i] ^ lead) >> shift) && !(words & word)) {
                parts |= 1u << address[i] % LINE_BYTES / SECTOR_BYTES;
                gone |= 1u << i;
            }
            words |= word;
            unlike |= address[i] ^ lead;
        }
        if (!unlike) { // a single address: one turn for each lane
            const unsigned lanes = (unsigned)__builtin_popcount(waiting);
            return (struct unit_cost){ out.sectors + lanes, out.turns + lanes };
        }
        out.sectors += (unsigned)__builtin_popcount(parts);
        out.turns++;
        waiting &= ~gone;
    }
    return out;
}

// Bytes of a line that a turn processes: compare-and-swap sends two values per lane.
static unsigned piece_of(enum atomic_cost atomic)
{
    return atomic == ATOMIC_COMPARE ? LINE_BYTES / 2 : LINE_BYTES;
}

static unsigned sectors_in_turns(const uint64_t address[LANES], uint32_t mask, unsigned piece)
{
    uint32_t lanes[4] = { 0 };
    EACH_BIT(i, mask) lanes[unit_of(address[i])] |= 1u << i;
    unsigned count = 0;
    for (int unit = 0; unit < 4; unit++)
        count += cost_of_unit(address, lanes[unit], piece).sectors;
    return count;
}

// Where addresses increase with the lane, a unit finishes each line before the next.
static bool all_rise(const uint64_t address[LANES], uint32_t mask)
{
    unsigned count;
    return count_rising(address, mask, 0, &count) && count == (unsigned)__builtin_popcount(mask);
}

struct access_cost cost_global(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                               enum atomic_cost atomic)
{
    struct access_cost out = { .passes = sectors(address, mask, bytes) };
    out.ideal = sectors_ideal(out.passes, mask, bytes);
    // A sector of which one lane accesses something is processed once, in whichever turn.
    if (atomic == ATOMIC_NONE || out.passes == (unsigned)__builtin_popcount(mask) ||
        (bytes >= 4 && all_rise(address, mask)))
        return out;
    unsigned turns = sectors_in_turns(address, mask, piece_of(atomic));
    out.conflicts = turns > out.passes ? turns - out.passes : 0;
    out.passes += out.conflicts;
    return out;
}

// Sectors of lanes at these offsets, each in one sector; 0: they are too far apart to be counted this way.
static unsigned sectors_near(const uint32_t offset[LANES])
{
    uint16_t place[2 * LANES];
    const uint32_t from = (offset[0] >> SECTOR_SHIFT) - (1 << (PLACE_BITS - 1));
    uint32_t beyond = 0;
    memset(place, 0xff, sizeof place);
    for (int i = 0; i < LANES; i++) {
        const uint32_t at = (offset[i] >> SECTOR_SHIFT) - from;
        beyond |= at;
        place[LANES + i] = (uint16_t)at;
    }
    return beyond >> PLACE_BITS ? 0 : count_places(place);
}

unsigned cost_constant(const uint64_t address[LANES], uint32_t mask, unsigned without)
{
    unsigned count = 0;
    for (uint32_t left = mask; left; count++) {
        const uint64_t first = address[__builtin_ctz(left)] >> without;
        uint32_t same = 0;
        for (int i = 0; i < LANES; i++)
            same |= (uint32_t)(address[i] >> without == first) << i;
        left &= ~same;
    }
    return count;
}

struct access_cost cost_local(const uint64_t address[LANES], uint32_t mask, unsigned bytes)
{
    struct access_cost out = { 0 };
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    out.ideal = words * (((unsigned)__builtin_popcount(mask) * 4 + SECTOR_BYTES - 1) / SECTOR_BYTES);
    uint64_t line[LANES];
    EACH_BIT(i, mask) line[i] = address[i] / 4 * LINE_BYTES + 4 * i;
    out.passes = words * sectors(line, mask, 4);
    return out;
}

// ---- shared memory ----------------------------------------------------------------------------------------

// Lanes are served in groups. Accesses of up to 4 bytes conflict by bank, those of 8 bytes by pair of banks, those of 16 by
// four banks: the number of wavefronts is the number of accesses to the busiest such unit.

// Each lane has the number of its unit. One that does not count has a number of its own.
typedef uint8_t lane_bytes __attribute__((vector_size(LANES)));
enum { NO_UNIT = 0x80, NO_LANE = 0xff };

INLINE unsigned most_of(const lane_bytes *of_lane)
{
    uint8_t count[LANES], most = 0;
    memcpy(count, of_lane, sizeof count);
    for (int i = 0; i < LANES; i++)
        most = count[i] > most ? count[i] : most;
    return most;
}

// How often the most frequent unit occurs: a lane counts the lanes below that have its unit. Those are in the upper half.
static unsigned most_named(uint8_t unit[2 * LANES])
{
    lane_bytes mine, other, below = { 0 };
    memset(unit, NO_LANE, LANES);
    memcpy(&mine, unit + LANES, sizeof mine);
    UNROLLED
    for (int i = 1; i < LANES; i++) {
        memcpy(&other, unit + LANES - i, sizeof other);
        below -= (lane_bytes)(mine == other); // true is -1
    }
    return most_of(&below) + 1u;
}

// Counts each distinct word of a unit once, for addresses too far apart to compare in 16 bits.
static unsigned fullest_far(const uint64_t address[LANES], uint32_t mask, unsigned shift)
{
    // linked lists of the lanes of each unit, latest first; values are lane + 1
    uint8_t head[BANKS] = { 0 }, next[LANES], count[BANKS] = { 0 };
    unsigned most = 0, units = BANKS * BANK_BYTES >> shift;
    EACH_BIT(i, mask)
    {
        uint64_t place = address[i] >> shift;
        unsigned at = place % units, other = head[at];
        while (other && address[other - 1] >> shift != place)
            other = next[other - 1];
        if (other)
            continue;
        next[i] = head[at];
        head[at] = (uint8_t)(i + 1);
        most = ++count[at] > most ? count[at] : most;
    }
    return most;
}

// Whether each lane's unit lies above that of the lane before it, so that no two are the same.
static bool rises(const uint64_t address[LANES], unsigned shift)
{
    uint64_t falls = 0;
    for (int i = 1; i < LANES; i++)
        falls |= (address[i] >> shift) - (address[i - 1] >> shift) - 1;
    return !(falls >> 63);
}

// Lanes where `again` has all bits set lose their unit.
INLINE void drop_units(const uint8_t again[LANES], uint8_t unit[LANES])
{
    for (unsigned i = 0; i < LANES; i++)
        unit[i] = (uint8_t)((unit[i] & ~again[i]) | ((NO_UNIT + i) & again[i]));
}

// Of lanes at one place the lowest keeps its unit.
INLINE void leave_first(const uint16_t place[2 * LANES], uint8_t unit[LANES])
{
    uint16_t repeated[LANES];
    uint8_t again[LANES];
    UNROLLED
    for (int first = 0; first < LANES; first += PLACES) {
        const places repeats = repeats_of(place, first);
        memcpy(repeated + first, &repeats, sizeof repeats);
    }
    for (int i = 0; i < LANES; i++)
        again[i] = (uint8_t)repeated[i];
    drop_units(again, unit);
}

// Accesses to the busiest unit of `bytes` bytes. Counts every lane, or each distinct word once.
static unsigned fullest(const uint64_t address[LANES], uint32_t mask, unsigned bytes, bool equal_are_one)
{
    uint32_t used = 0;
    uint8_t unit[2 * LANES] __attribute__((aligned(2 * LANES)));
    uint16_t place[2 * LANES];
    const unsigned shift = (unsigned)__builtin_ctz(bytes), last = (BANKS * BANK_BYTES >> shift) - 1;
    for (int i = 0; i < LANES; i++)
        used |= 1u << ((uint32_t)(address[i] >> shift) & last) & (0u - (mask >> i & 1));
    if (__builtin_popcount(used) == __builtin_popcount(mask))
        return 1;
    for (int i = 0; i < LANES; i++) {
        const uint32_t of_lane = (uint32_t)(address[i] >> shift) & last;
        unit[LANES + i] = (uint8_t)(mask >> i & 1 ? of_lane : (uint32_t)(NO_UNIT + i));
    }
    if (!equal_are_one || (mask == FULL_MASK && rises(address, shift)))
        return most_named(unit);
    if (!find_places(address, mask, shift, place))
        return fullest_far(address, mask, shift);
    leave_first(place, unit + LANES);
    return most_named(unit);
}

// Words are near each other where eight bits number them: those of the bank, and above them three of a row of banks.
enum { NEAR_BYTES = (UINT8_MAX + 1) * BANK_BYTES };

// Of each of these words, a byte for each bank: that of its own bank has the bit of its row.
#define MARK(word)                                                                                           \
    {                                                                                                        \
        [(word) % BANKS] = 1 << (word) / BANKS                                                               \
    }
#define MARKS_4(word) MARK(word), MARK((word) + 1), MARK((word) + 2), MARK((word) + 3)
#define MARKS_16(word) MARKS_4(word), MARKS_4((word) + 4), MARKS_4((word) + 8), MARKS_4((word) + 12)
#define MARKS_64(word) MARKS_16(word), MARKS_16((word) + 16), MARKS_16((word) + 32), MARKS_16((word) + 48)
static const uint8_t mark_of_word[UINT8_MAX + 1][BANKS]
    __attribute__((aligned(BANKS))) = { MARKS_64(0), MARKS_64(64), MARKS_64(128), MARKS_64(192) };

INLINE void count_bits(lane_bytes *bits)
{
    typedef uint64_t lane_words __attribute__((vector_size(LANES)));
    const lane_words all = (lane_words)*bits, pairs = all - (all >> 1 & 0x5555555555555555);
    const lane_words fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333);
    *bits = (lane_bytes)((fours + (fours >> 4)) & 0x0f0f0f0f0f0f0f0f);
}

// Different words of the busiest bank, of lanes whose words are near each other. Their marks are read, not made: a byte that is
// stored for each lane would be waited for by the vector that gathers them.
static unsigned rows_near(const uint32_t offset[LANES])
{
    enum { MARK_BYTES = sizeof *mark_of_word / BANK_BYTES }; // for each byte of a word
    const unsigned char *marks = mark_of_word[0];
    uint32_t near[LANES];
    lane_bytes rows = { 0 }, others = { 0 };
    for (int i = 0; i < LANES; i++)
        near[i] = offset[i] & (NEAR_BYTES - BANK_BYTES);
    UNROLLED
    for (int i = 0; i < LANES; i += 2) {
        rows |= *(const lane_bytes *)(marks + (size_t)MARK_BYTES * near[i]);
        others |= *(const lane_bytes *)(marks + (size_t)MARK_BYTES * near[i + 1]);
    }
    rows |= others;
    count_bits(&rows);
    return most_of(&rows);
}

// Whether all words are in one piece of so many bytes, which begins at a multiple of them.
static bool words_are_near(const uint32_t offset[LANES])
{
    uint32_t apart = 0;
    for (int i = 0; i < LANES; i++)
        apart |= offset[i] ^ offset[0];
    return apart < NEAR_BYTES;
}

// The same for words, or parts of words, wherever they are.
static unsigned rows_far(const uint32_t offset[LANES], uint32_t mask, bool equal_are_one)
{
    uint32_t used = 0;
    uint8_t unit[2 * LANES] __attribute__((aligned(2 * LANES)));
    uint16_t place[2 * LANES];
    for (int i = 0; i < LANES; i++)
        used |= 1u << (offset[i] / BANK_BYTES % BANKS);
    if (__builtin_popcount(used) == __builtin_popcount(mask))
        return 1;
    for (int i = 0; i < LANES; i++)
        unit[LANES + i] = (uint8_t)(offset[i] / BANK_BYTES % BANKS);
    if (!equal_are_one) {
        for (int i = 0; mask != FULL_MASK && i < LANES; i++)
            unit[LANES + i] = mask >> i & 1 ? unit[LANES + i] : (uint8_t)(NO_UNIT + i);
        return most_named(unit);
    }
    memset(place, 0xff, sizeof place);
    for (int i = 0; i < LANES; i++)
        place[LANES + i] = (uint16_t)(offset[i] / BANK_BYTES);
    leave_first(place, unit + LANES);
    return most_named(unit);
}

unsigned cost_words(const uint32_t offset[LANES], uint32_t mask, size_t room, bool equal_are_one)
{
    return equal_are_one && (room <= NEAR_BYTES || words_are_near(offset))
               ? rows_near(offset)
               : rows_far(offset, mask, equal_are_one);
}

// Whether all pairs of active lanes at this distance read the same address.
static bool pairs_equal(const uint64_t address[LANES], uint32_t mask, unsigned distance)
{
    EACH_BIT(i, mask)
    if ((mask >> (i ^ distance) & 1) && address[i] != address[i ^ distance])
        return false;
    return true;
}

// Bytes that one lane occupies, rounded up to a size that instructions have.
static unsigned unit_bytes(unsigned bytes)
{
    return bytes <= 4 ? 4 : bytes <= 8 ? 8 : bytes <= 16 ? 16 : 32;
}

static unsigned lanes_per_group(const uint64_t address[LANES], uint32_t mask, unsigned bytes, bool store)
{
    unsigned unit = unit_bytes(bytes);
    unsigned lanes = BANKS * BANK_BYTES / unit;
    if (lanes < LANES && !store && (pairs_equal(address, mask, 1) || pairs_equal(address, mask, 2)))
        lanes *= 2;
    return lanes;
}

// Wavefronts of as many consecutive elements as there are lanes, or the number of groups if that is smaller.
static unsigned wavefronts_ideal(unsigned groups, uint32_t mask, unsigned unit)
{
    unsigned line = BANKS * BANK_BYTES;
    unsigned in_a_row = ((unsigned)__builtin_popcount(mask) * unit + line - 1) / line;
    return groups < in_a_row ? groups : in_a_row;
}

struct access_cost cost_shared(const uint64_t address[LANES], uint32_t mask, unsigned bytes, bool store,
                               enum atomic_cost atomic)
{
    unsigned unit = unit_bytes(bytes);
    unsigned lanes = lanes_per_group(address, mask, bytes, store || atomic != ATOMIC_NONE);
    uint32_t group = lanes >= LANES ? FULL_MASK : (1u << lanes) - 1;
    bool equal_are_one = atomic == ATOMIC_NONE || atomic == ATOMIC_MERGED;
    struct access_cost out = { 0 };
    unsigned groups = 0;
    for (unsigned first = 0; first < LANES; first += lanes) {
        uint32_t members = mask & group << first;
        if (members) {
            out.passes += fullest(address, members, unit, equal_are_one);
            groups++;
        }
    }
    out.conflicts = out.passes - groups;
    out.ideal = wavefronts_ideal(groups, mask, unit);
    if (atomic == ATOMIC_COMPARE) { // the second pass of a turn is no conflict
        out.passes *= 2;
        out.ideal *= 2;
    }
    return out;
}

bool cost_offsets(const uint32_t offset[LANES], uint32_t mask, unsigned bytes, enum atomic_cost atomic,
                  struct access_cost *out)
{
    const unsigned count = sectors_near(offset);
    *out = (struct access_cost){ .passes = count, .ideal = sectors_ideal(count, mask, bytes) };
    return count && (atomic == ATOMIC_NONE || count == (unsigned)__builtin_popcount(mask));
}

static uint32_t banks_from(uint64_t word, uint64_t count)
{
    uint32_t banks = count >= BANKS ? FULL_MASK : (1u << count) - 1;
    unsigned first = (unsigned)(word % BANKS);
    return first ? banks << first | banks >> (BANKS - first) : banks;
}

// Rows of the same words are served together, others in turn where they meet in a bank.
static bool cost_shared_rows(const struct lane_rows *rows, unsigned bytes, struct access_cost *out)
{
    uint32_t met[ROWS_MOST] = { 0 }; // banks that so many rows use, and one more
    if (bytes > BANK_BYTES)
        return false;
    for (unsigned i = 0; i < rows->count; i++) {
        uint64_t low = rows->start[i] / BANK_BYTES, end = (rows->start[i] + rows->bytes - 1) / BANK_BYTES + 1;
        bool again = false;
        for (unsigned k = 0; k < i && !again; k++) {
            uint64_t other = rows->start[k] / BANK_BYTES,
                     other_end = (rows->start[k] + rows->bytes - 1) / BANK_BYTES + 1;
            again = low == other && end == other_end;
            if (!again && low < other_end && other < end)
                return false;
        }
        uint32_t banks = again ? 0 : banks_from(low, end - low);
        for (unsigned k = 0; k < rows->count; k++) {
            uint32_t both = met[k] & banks;
            met[k] |= banks;
            banks = both;
        }
    }
    unsigned most = 1;
    while (most < rows->count && met[most])
        most++;
    *out = (struct access_cost){ .passes = most, .ideal = 1, .conflicts = most - 1 };
    return true;
}

bool cost_rows(const struct lane_rows *rows, unsigned bytes, bool shared, struct access_cost *out)
{
    if (shared)
        return cost_shared_rows(rows, bytes, out);
    *out = cost_global_rows(rows, bytes);
    return true;
}

// The lowest lane of each unit in a group swaps; the others retry. A lane also retries when an earlier group of this
// round has changed its word, since the value that it has loaded is stale.
static uint32_t round_winners(const uint64_t address[LANES], uint32_t group, uint32_t swapped, unsigned unit)
{
    uint32_t units = 0, winners = 0;
    EACH_BIT(i, group)
    {
        unsigned shift = (unsigned)__builtin_ctz(unit);
        uint32_t at = 1u << (address[i] >> shift) % (BANKS * BANK_BYTES / unit);
        bool changed = units & at;
        units |= at;
        EACH_BIT(k, swapped) changed |= address[k] / unit == address[i] / unit;
        winners |= (uint32_t)!changed << i;
    }
    return winners;
}

struct access_cost cost_cas_round(const uint64_t address[LANES], uint32_t *left, unsigned bytes)
{
    unsigned unit = unit_bytes(bytes), lanes = BANKS * BANK_BYTES / unit;
    uint32_t group = lanes >= LANES ? FULL_MASK : (1u << lanes) - 1, swapped = 0;
    struct access_cost out = { 0 };
    for (unsigned first = 0; first < LANES; first += lanes) {
        uint32_t members = *left & group << first;
        swapped |= round_winners(address, members, swapped, unit);
        out.passes += members ? 2 : 0;
    }
    out.ideal = out.passes;
    *left &= ~swapped;
    return out;
}

// ---- sim.h: costs for explorers ------------------------------------------------------------------------------------------------

#if !LANES_BUILD
unsigned sim_sectors(const uint64_t address[32], uint32_t mask, unsigned bytes)
{
    return sectors(address, mask, bytes);
}

unsigned sim_sectors_ideal(const uint64_t address[32], uint32_t mask, unsigned bytes)
{
    return sectors_ideal(sectors(address, mask, bytes), mask, bytes);
}

unsigned sim_wavefronts(const uint64_t address[32], uint32_t mask, unsigned bytes, bool store)
{
    return cost_shared(address, mask, bytes, store, ATOMIC_NONE).passes;
}

unsigned sim_wavefronts_ideal(const uint64_t address[32], uint32_t mask, unsigned bytes, bool store)
{
    return cost_shared(address, mask, bytes, store, ATOMIC_NONE).ideal;
}
#endif

// ---- shared memory of other blocks -------------------------------------------------------------------------------------

// Which of four units a line goes through: by a hash of its number, in which a block's first kilobyte is the system's, and of
// the rank, whose every bit counts, but the second for the lower bit alone. Of the line's lowest five bits it is that of
// unit_of.
static unsigned remote_unit(uint64_t address, uint32_t rank)
{
    enum { RESERVED = 1024 };
    const uint64_t line = (address + RESERVED) / LINE_BYTES;
    const int low = __builtin_parityll(line & 0xb5) ^ __builtin_parity(rank & 7);
    const int high = __builtin_parityll(line & 0x16f) ^ __builtin_parity(rank & 5);
    return (unsigned)(low | high << 1);
}

// A wavefront serves one line of each unit.
static unsigned remote_wavefronts(const uint64_t address[LANES], const uint32_t rank[LANES], uint32_t mask)
{
    unsigned lines[4] = { 0 }, most = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        bool served = false;
        for (uint32_t before = mask & ~left; before && !served; before &= before - 1) {
            const int k = __builtin_ctz(before);
            served = rank[k] == rank[i] && address[k] / LINE_BYTES == address[i] / LINE_BYTES;
        }
        unsigned *of_unit = &lines[remote_unit(address[i], rank[i])];
        *of_unit += !served;
        most = *of_unit > most ? *of_unit : most;
    }
    return most;
}

static unsigned remote_sectors(const uint64_t address[LANES], const uint32_t rank[LANES], uint32_t mask,
                               unsigned bytes)
{
    unsigned count = 0;
    uint64_t seen[2 * LANES]; // an access is aligned, and has at most 32 bytes
    for (uint32_t left = mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint64_t of_block = (uint64_t)rank[i] << 32, last = (address[i] + bytes - 1) / SECTOR_BYTES;
        for (uint64_t at = address[i] / SECTOR_BYTES; at <= last; at++) {
            unsigned k = 0;
            while (k < count && seen[k] != (of_block | at))
                k++;
            if (k == count && count < 2 * LANES)
                seen[count++] = of_block | at;
        }
    }
    return count;
}

// A unit has the turns that it has for global memory; a line of each block is another one.
static struct remote_cost cost_remote_turns(const uint64_t address[LANES], const uint32_t rank[LANES],
                                            uint32_t mask, unsigned piece)
{
    struct remote_cost out = { 0 };
    uint64_t at[LANES];
    uint32_t lanes[4] = { 0 };
    EACH_BIT(i, mask)
    {
        at[i] = (uint64_t)rank[i] << 32 | address[i];
        lanes[remote_unit(address[i], rank[i])] |= 1u << i;
    }
    for (int unit = 0; unit < 4; unit++) {
        const struct unit_cost here = cost_of_unit(at, lanes[unit], piece);
        out.sectors += here.sectors;
        out.wavefronts = here.turns > out.wavefronts ? here.turns : out.wavefronts;
    }
    return out;
}

struct remote_cost cost_remote(const uint64_t address[LANES], const uint32_t rank[LANES], uint32_t mask,
                               unsigned bytes, enum atomic_cost atomic)
{
    if (atomic != ATOMIC_NONE)
        return cost_remote_turns(address, rank, mask, piece_of(atomic));
    return (struct remote_cost){ remote_sectors(address, rank, mask, bytes),
                                 remote_wavefronts(address, rank, mask) };
}
