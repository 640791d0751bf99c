// What a warp's addresses cost: sectors and wavefronts, case by case, and against a plain count on many patterns.
#include "engine/sim/access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef uint64_t lanes[LANES];

static void spread(lanes at, uint64_t start, uint64_t step)
{
    for (unsigned i = 0; i < LANES; i++)
        at[i] = start + i * step;
}

// ---- global memory ---------------------------------------------------------------------------------------------------

static void sectors_are_the_32_byte_pieces_touched(void **state)
{
    (void)state;
    lanes at;
    spread(at, 0x1000, 4);
    assert_int_equal(sim_sectors(at, FULL_MASK, 4), 4);
    spread(at, 0x1004, 4);
    assert_int_equal(sim_sectors(at, FULL_MASK, 4), 5);
    spread(at, 0x1000, 32);
    assert_int_equal(sim_sectors(at, FULL_MASK, 4), 32);
    spread(at, 0x1000, 0);
    assert_int_equal(sim_sectors(at, FULL_MASK, 16), 1);
    spread(at, 0x1000 + 31 * 4, (uint64_t)-4);
    assert_int_equal(sim_sectors(at, FULL_MASK, 4), 4);
    spread(at, 0x1000, 16);
    assert_int_equal(sim_sectors(at, 0x0000ffff, 16), 8);
    assert_int_equal(sim_sectors(at, 0, 16), 0);
    spread(at, 0x101e, 32); // lanes that straddle two sectors each
    assert_int_equal(sim_sectors(at, FULL_MASK, 4), 33);
}

static void ideal_sectors_are_those_of_as_many_addresses_in_a_row(void **state)
{
    (void)state;
    lanes at;
    spread(at, 0x1000, 128);
    assert_int_equal(sim_sectors_ideal(at, FULL_MASK, 4), 4);
    assert_int_equal(sim_sectors_ideal(at, 0xaaaaaaaa, 4), 2);
    assert_int_equal(sim_sectors_ideal(at, 1, 4), 1);
    spread(at, 0x1000, 0);
    assert_int_equal(sim_sectors_ideal(at, FULL_MASK, 4), 1);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = 0x1000 + i % 16 * 256;
    assert_int_equal(sim_sectors_ideal(at, FULL_MASK, 8), 4);
}

static void lanes_of_a_reduction_take_turns_at_one_address(void **state)
{
    (void)state;
    lanes at;
    spread(at, 0x1000, 4);
    assert_int_equal(pattern_global(at, FULL_MASK, 4, ATOMIC_TURNS).passes, 4);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = 0x1000 + i % 4 * 4; // 8 lanes per word, all in one sector
    struct pattern four = pattern_global(at, FULL_MASK, 4, ATOMIC_TURNS);
    assert_int_equal(four.passes, 8);
    assert_int_equal(four.passes - four.conflicts, 1);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = 0x1000 + i % 16 * 8; // 2 lanes per word, 4 sectors
    assert_int_equal(pattern_global(at, FULL_MASK, 8, ATOMIC_TURNS).passes, 8);
    at[31] = at[0]; // the third at its address: one more pass of that sector alone
    assert_int_equal(pattern_global(at, FULL_MASK, 8, ATOMIC_TURNS).passes, 9);
}

// ---- shared memory -----------------------------------------------------------------------------------------------------

struct waves {
    uint64_t step;
    unsigned bytes, passes, ideal;
};

static void wavefronts_by_stride(void **state)
{
    (void)state;
    static const struct waves all[] = {
        { 4, 4, 1, 1 },     { 8, 4, 2, 1 },   { 12, 4, 1, 1 },  { 32, 4, 8, 1 },   { 128, 4, 32, 1 },
        { 132, 4, 1, 1 },   { 0, 4, 1, 1 },   { 1, 1, 1, 1 },   { 4, 1, 1, 1 },    { 2, 2, 1, 1 },
        { 8, 8, 2, 2 },     { 16, 8, 4, 2 },  { 32, 8, 8, 2 },  { 136, 8, 2, 2 },  { 0, 8, 1, 1 },
        { 16, 16, 4, 4 },   { 32, 16, 8, 4 }, { 80, 16, 4, 4 }, { 144, 16, 4, 4 }, { 0, 16, 2, 2 },
        { 128, 16, 32, 4 },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        lanes at;
        spread(at, 0, all[i].step);
        assert_int_equal(sim_wavefronts(at, FULL_MASK, all[i].bytes, false), all[i].passes);
        assert_int_equal(sim_wavefronts_ideal(at, FULL_MASK, all[i].bytes, false), all[i].ideal);
    }
}

static void stores_do_not_merge(void **state)
{
    (void)state;
    lanes at;
    spread(at, 0, 0);
    assert_int_equal(sim_wavefronts(at, FULL_MASK, 4, true), 1);
    assert_int_equal(sim_wavefronts(at, FULL_MASK, 8, true), 2);
    assert_int_equal(sim_wavefronts(at, FULL_MASK, 16, true), 4);
}

static void neighbours_that_read_the_same_merge_groups(void **state)
{
    (void)state;
    lanes at;
    for (unsigned i = 0; i < LANES; i++)
        at[i] = i / 16 * 64; // two rows of a matrix, as lanes 0-15 and 16-31 read them
    assert_int_equal(sim_wavefronts(at, FULL_MASK, 16, false), 2);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = i / 2 * 8;
    assert_int_equal(sim_wavefronts(at, FULL_MASK, 8, false), 1);
    at[5] += 8;
    assert_int_equal(sim_wavefronts(at, FULL_MASK, 8, false), 2);
    assert_int_equal(sim_wavefronts(at, FULL_MASK & ~(1u << 5), 8, false), 1);
}

static void half_a_warp_is_one_group_of_8_bytes(void **state)
{
    (void)state;
    lanes at;
    spread(at, 0, 16);
    assert_int_equal(sim_wavefronts(at, 0x0000ffff, 8, false), 2);
    assert_int_equal(sim_wavefronts_ideal(at, 0x0000ffff, 8, false), 1);
}

static void shared_atomics(void **state)
{
    (void)state;
    lanes at;
    for (unsigned i = 0; i < LANES; i++)
        at[i] = i % 2 * 4;
    assert_int_equal(pattern_shared(at, FULL_MASK, 4, true, ATOMIC_MERGED).passes, 1);
    assert_int_equal(pattern_shared(at, FULL_MASK, 4, true, ATOMIC_TURNS).passes, 16);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = i % 2 * 128;
    assert_int_equal(pattern_shared(at, FULL_MASK, 4, true, ATOMIC_MERGED).passes, 2);
    spread(at, 0, 4);
    struct pattern compare = pattern_shared(at, FULL_MASK, 4, true, ATOMIC_COMPARE);
    assert_int_equal(compare.passes, 2);
    assert_int_equal(compare.conflicts, 0);
}

// ---- against a plain count -------------------------------------------------------------------------------------------------

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static unsigned plain_sectors(const lanes at, uint32_t mask, unsigned bytes)
{
    uint64_t seen[2 * LANES];
    unsigned count = 0;
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned end = 0; end < 2 && mask >> i & 1; end++) {
            uint64_t sector = (at[i] + end * (bytes - 1)) / 32;
            unsigned k = 0;
            while (k < count && seen[k] != sector)
                k++;
            if (k == count)
                seen[count++] = sector;
        }
    return count;
}

// The most that one bank is asked for: different words, or lanes.
static unsigned plain_passes(const lanes at, uint32_t mask, bool words)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        unsigned count = 0;
        for (unsigned i = 0; i < LANES; i++) {
            bool counts = mask >> i & 1 && at[i] / 4 % 32 == bank;
            for (unsigned k = 0; k < i && words; k++)
                counts &= !(mask >> k & 1 && at[k] / 4 == at[i] / 4);
            count += counts;
        }
        most = count > most ? count : most;
    }
    return most;
}

static void any_pattern_is_counted_right(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 4000; round++) {
        lanes at;
        uint32_t range = 1u << (2 + round % 18), mask = next(&seed) << 16 ^ next(&seed);
        unsigned bytes = 1u << next(&seed) % 5;
        mask |= round % 3 == 0 ? FULL_MASK : 0;
        for (unsigned i = 0; i < LANES; i++)
            at[i] = next(&seed) % range * (round % 2 ? bytes : 1);
        for (unsigned i = 1; i < LANES && round % 5 == 0; i++) // rising
            at[i] += at[i - 1];
        assert_int_equal(sim_sectors(at, mask, bytes), plain_sectors(at, mask, bytes));
        for (unsigned i = 0; i < LANES; i++)
            at[i] &= ~(uint64_t)3;
        assert_int_equal(sim_wavefronts(at, mask, 4, true), plain_passes(at, mask, true));
        assert_int_equal(pattern_shared(at, mask, 4, true, ATOMIC_TURNS).passes,
                         plain_passes(at, mask, false));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_are_the_32_byte_pieces_touched),
        cmocka_unit_test(ideal_sectors_are_those_of_as_many_addresses_in_a_row),
        cmocka_unit_test(lanes_of_a_reduction_take_turns_at_one_address),
        cmocka_unit_test(wavefronts_by_stride),
        cmocka_unit_test(stores_do_not_merge),
        cmocka_unit_test(neighbours_that_read_the_same_merge_groups),
        cmocka_unit_test(half_a_warp_is_one_group_of_8_bytes),
        cmocka_unit_test(shared_atomics),
        cmocka_unit_test(any_pattern_is_counted_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
