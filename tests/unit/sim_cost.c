// What a warp's addresses cost: sectors and wavefronts, case by case, and against a plain count on many patterns.
#include "engine/sim/access/access.h"
#include "engine/sim/lanes/lanes.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sim_kernel.h"

typedef uint64_t lanes[LANES];

static void spread_over(uint64_t *at, unsigned count, uint64_t from, uint64_t step)
{
    for (unsigned i = 0; i < count; i++)
        at[i] = from + i * step;
}

static void spread(lanes at, uint64_t from, uint64_t step)
{
    spread_over(at, LANES, from, step);
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

static void ideal_sectors_are_those_of_as_many_lanes_in_a_row(void **state)
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
        at[i] = 0x1000 + i % 16 * 256; // as an H100 says of repeated addresses: they count too
    assert_int_equal(sim_sectors_ideal(at, FULL_MASK, 8), 8);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = 0x1000 + i % 2 * 256; // but it is never more than there are
    assert_int_equal(sim_sectors_ideal(at, FULL_MASK, 8), 2);
}

static void lanes_of_a_reduction_take_turns_at_one_address(void **state)
{
    (void)state;
    lanes at;
    spread(at, 0x1000, 4);
    assert_int_equal(cost_global(at, FULL_MASK, 4, ATOMIC_TURNS).passes, 4);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = 0x1000 + i % 4 * 4; // 8 lanes per word, all in one sector
    struct access_cost four = cost_global(at, FULL_MASK, 4, ATOMIC_TURNS);
    assert_int_equal(four.passes, 8);
    assert_int_equal(four.passes - four.conflicts, 1);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = 0x1000 + i % 16 * 8; // 2 lanes per word, 4 sectors
    assert_int_equal(cost_global(at, FULL_MASK, 8, ATOMIC_TURNS).passes, 8);
    at[31] = at[0]; // the third at its address: one more pass of that sector alone
    assert_int_equal(cost_global(at, FULL_MASK, 8, ATOMIC_TURNS).passes, 9);
    spread(at, 0x1000, 32);
    at[1] = at[0]; // two lanes of 32 meet
    assert_int_equal(cost_global(at, FULL_MASK, 4, ATOMIC_TURNS).passes, 32);
}

static void a_lane_waits_for_the_same_word_of_another_line_of_its_unit(void **state)
{
    (void)state;
    lanes at = { 0x1000, 0x1000 + 5 * LINE_BYTES + 4, 0x1004 }; // lines 0 and 5 share a unit, 0 and 1 do not
    assert_int_equal(cost_global(at, 7, 4, ATOMIC_TURNS).passes, 3);
    at[1] = 0x1000 + 1 * LINE_BYTES + 4;
    assert_int_equal(cost_global(at, 7, 4, ATOMIC_TURNS).passes, 2);
    at[1] = 0x1000 + 5 * LINE_BYTES + 8;
    assert_int_equal(cost_global(at, 7, 4, ATOMIC_TURNS).passes, 2);
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
    assert_int_equal(cost_shared(at, FULL_MASK, 4, true, ATOMIC_MERGED).passes, 1);
    assert_int_equal(cost_shared(at, FULL_MASK, 4, true, ATOMIC_TURNS).passes, 16);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = i % 2 * 128;
    assert_int_equal(cost_shared(at, FULL_MASK, 4, true, ATOMIC_MERGED).passes, 2);
    spread(at, 0, 4);
    struct access_cost compare = cost_shared(at, FULL_MASK, 4, true, ATOMIC_COMPARE);
    assert_int_equal(compare.passes, 2);
    assert_int_equal(compare.conflicts, 0);
}

static void a_compare_takes_two_passes_of_which_the_second_is_no_conflict(void **state)
{
    (void)state;
    lanes at;
    for (unsigned i = 0; i < LANES; i++)
        at[i] = i / 2 * 4;
    struct access_cost word = cost_shared(at, FULL_MASK, 4, true, ATOMIC_COMPARE);
    assert_int_equal(word.passes, 4);
    assert_int_equal(word.conflicts, 1);
    for (unsigned i = 0; i < LANES; i++)
        at[i] = i / 2 * 8;
    struct access_cost two = cost_shared(at, FULL_MASK, 8, true, ATOMIC_COMPARE);
    assert_int_equal(two.passes, 8);
    assert_int_equal(two.conflicts, 2);
}

static void in_a_round_the_first_lane_of_each_bank_gets_through(void **state)
{
    (void)state;
    lanes at;
    spread(at, 0, 4);
    at[5] = at[4];       // the same word
    at[7] = at[6] + 128; // another word of the bank
    uint32_t left = FULL_MASK;
    struct access_cost first = cost_cas_round(at, &left, 4);
    assert_int_equal(left, 1u << 5 | 1u << 7);
    assert_int_equal(first.passes, 2);
    assert_int_equal(first.conflicts, 0);
    assert_int_equal(cost_cas_round(at, &left, 4).passes, 2);
    assert_int_equal(left, 0);
    spread(at, 0, 0); // of 8 bytes: half a warp after the other, and the second one finds the word changed
    left = FULL_MASK;
    assert_int_equal(cost_cas_round(at, &left, 8).passes, 4);
    assert_int_equal(left, 0xfffffffe);
}

// ---- as an H100 counted --------------------------------------------------------------------------------------------------

enum { CELLS = 8 };
struct measured { // a row of tests/data/truth/*_atomics.csv and accesses.csv
    char operation[16];
    unsigned bytes, count[CELLS];
    lanes at;
    uint32_t mask;
};

static bool measured_read(FILE *file, int counts, struct measured *out)
{
    char line[512];
    do {
        if (!fgets(line, sizeof line, file))
            return false;
    } while (line[0] == '#' || strncmp(line, "operation", 9) == 0);
    char *rest = line;
    snprintf(out->operation, sizeof out->operation, "%s", strsep(&rest, ","));
    out->bytes = (unsigned)atoi(strsep(&rest, ","));
    for (int i = 0; i < counts; i++)
        out->count[i] = (unsigned)atoi(strsep(&rest, ","));
    out->mask = 0;
    const char *word;
    for (unsigned i = 0; i < LANES && (word = strsep(&rest, " \n")) && *word; i++) {
        out->at[i] = 0x10000 + strtoull(word, NULL, 10) * out->bytes;
        out->mask |= (uint32_t)(*word != '.') << i;
    }
    return out->mask != 0;
}

static void loads_and_stores_cost_what_was_measured(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/truth/accesses.csv", "r");
    assert_non_null(file);
    struct measured launch;
    unsigned launches = 0;
    while (measured_read(file, 2, &launch)) {
        bool shared = strncmp(launch.operation, "shared-", 7) == 0;
        bool store = strstr(launch.operation, "store");
        struct access_cost got = shared
                                     ? cost_shared(launch.at, launch.mask, launch.bytes, store, ATOMIC_NONE)
                                     : cost_global(launch.at, launch.mask, launch.bytes, ATOMIC_NONE);
        assert_int_equal(got.passes, launch.count[0]);
        assert_int_equal(got.conflicts, launch.count[1]);
        launches++;
    }
    fclose(file);
    assert_int_equal(launches, 300);
}

static void global_atomics_cost_what_was_measured(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/truth/global_atomics.csv", "r");
    assert_non_null(file);
    struct measured launch;
    unsigned launches = 0;
    while (measured_read(file, 1, &launch)) {
        enum atomic_cost cost = strcmp(launch.operation, "cas") == 0 ? ATOMIC_COMPARE : ATOMIC_TURNS;
        assert_int_equal(cost_global(launch.at, launch.mask, launch.bytes, cost).passes, launch.count[0]);
        launches++;
    }
    fclose(file);
    assert_int_equal(launches, 256);
}

// Reads a number for each lane, apart by spaces and ended by a comma.
static bool read_lanes(FILE *file, uint64_t value[LANES])
{
    for (unsigned i = 0; i < LANES; i++)
        if (fscanf(file, "%" SCNu64, &value[i]) != 1)
            return false;
    return fgetc(file) == ',';
}

static unsigned check_copies(const char *path, enum copy_form form)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned rows = 0, bytes;
    char first, past[3], rest[256];
    while ((first = (char)fgetc(file)) == '#' || first == 'b')
        assert_non_null(fgets(rest, sizeof rest, file));
    ungetc(first, file);
    uint32_t mask;
    while (fscanf(file, "%u,%2[cag],%" SCNx32 ",", &bytes, past, &mask) == 3) {
        lanes to = { 0 }, from = { 0 }, sizes = { 0 };
        unsigned wavefronts, conflicts, sectors;
        assert_true(read_lanes(file, to) && read_lanes(file, from) && (!form || read_lanes(file, sizes)));
        assert_int_equal(fscanf(file, "%u,%u,%u", &wavefronts, &conflicts, &sectors), 3);
        uint32_t empty = 0;
        for (unsigned i = 0; i < LANES; i++) {
            to[i] *= bytes;
            from[i] *= bytes;
            empty |= (uint32_t)(form && !sizes[i]) << i;
        }
        const struct warp_copy copy = { .from = from,
                                        .to = to,
                                        .mask = mask,
                                        .empty = mask & empty,
                                        .bytes = bytes,
                                        .form = form,
                                        .past_l1 = strcmp(past, "cg") == 0 };
        const struct copy_cost cost = cost_copy(&copy);
        assert_int_equal(copy.past_l1 ? cost.sectors : sim_sectors(from, mask & ~empty, bytes), sectors);
        assert_int_equal(cost.shared.passes, wavefronts);
        assert_int_equal(cost.shared.conflicts, conflicts);
        rows++;
    }
    assert_true(feof(file));
    fclose(file);
    return rows;
}

static void asynchronous_copies_cost_what_was_measured(void **state)
{
    (void)state;
    assert_int_equal(check_copies("tests/data/truth/copies.csv", COPY_WHOLE), 2085);
    assert_int_equal(check_copies("tests/data/truth/copies_sized.csv", COPY_SIZED), 440);
    assert_int_equal(check_copies("tests/data/truth/copies_ignored.csv", COPY_IGNORED), 100);
}

// ptxas passes a predicate for a size that is all or nothing by it, and nothing for a size that is enough.
static void a_copy_costs_what_ptxas_makes_of_its_size(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        unsigned wavefronts;
    } copies[] = { { "selp.b32 %r5, 16, 0, %p1;", 4 },
                   { "selp.b32 %r5, 0, 16, %p1;", 4 },
                   { "selp.b32 %r5, 12, 0, %p1;", 8 },
                   { "and.b32 %r5, %r0, 16;", 8 } };
    char body[512];
    struct kernel_outcome out;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        snprintf(body, sizeof body,
                 ".shared .align 16 .b8 s[512];\nsetp.lt.u32 %%p1, %%r0, 20;\n%s\nmov.u32 %%r6, s;\n"
                 "shl.b32 %%r7, %%r0, 4;\nadd.s32 %%r6, %%r6, %%r7;\nmad.wide.u32 %%rd3, %%r0, 16, %%rd1;\n"
                 "cp.async.cg.shared.global [%%r6], [%%rd3], 16, %%r5;\ncp.async.wait_all;\nret;",
                 copies[i].size);
        run(&(struct setting){ .body = body, .block = { LANES } }, &out);
        assert_int_equal(out.result.counters.passes[SIM_SHARED_STORE], copies[i].wavefronts);
        sim_result_free(&out.result);
    }
}

// A row says which blocks of a cluster of eight the lanes reach; each block is one launch.
static void remote_accesses_cost_what_was_measured(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/truth/cluster/remote.csv", "r");
    assert_non_null(file);
    char line[512];
    unsigned bytes, per, stride, count, sectors, wavefronts, rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*[a-z],%u,%u,%u,%u,%u,%u", &bytes, &per, &stride, &count, &sectors, &wavefronts) !=
            6)
            continue;
        for (unsigned own = 0; own < 8; own++) {
            lanes at;
            uint32_t rank[LANES];
            for (unsigned i = 0; i < LANES; i++) {
                at[i] = (uint64_t)i * stride * 4;
                rank[i] = (own + 1 + i / per % 7) % 8;
            }
            const struct remote_cost got =
                cost_remote(at, rank, (uint32_t)((1ull << count) - 1), bytes, ATOMIC_NONE);
            sectors -= got.sectors;
            wavefronts -= got.wavefronts;
        }
        assert_int_equal(sectors, 0);
        assert_int_equal(wavefronts, 0);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 122);
}

// The hash by which tests/data/truth/cluster/programs/remote_random.cu chooses blocks and words.
static uint32_t random_of(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void random_remote_accesses_cost_what_was_measured(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/truth/cluster/remote_random.csv", "r");
    assert_non_null(file);
    char line[512], operation[16];
    unsigned seed, ranks, words, step, count, sectors, wavefronts, rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15[a-z],%u,%u,%u,%u,%u,%u,%u", operation, &seed, &ranks, &words, &step, &count,
                   &sectors, &wavefronts) != 8)
            continue;
        const bool plain = strcmp(operation, "load") == 0 || strcmp(operation, "store") == 0;
        const enum atomic_cost atomic = plain                           ? ATOMIC_NONE
                                        : strcmp(operation, "cas") == 0 ? ATOMIC_COMPARE
                                                                        : ATOMIC_TURNS;
        const unsigned bytes = strcmp(operation, "long") == 0 ? 8 : 4;
        for (unsigned own = 0; own < 8; own++) {
            lanes at;
            uint32_t rank[LANES];
            for (unsigned i = 0; i < LANES; i++) {
                rank[i] = (own + 1 + random_of(seed * 64 + i) % ranks) % 8;
                at[i] = (uint64_t)(random_of(seed * 64 + 32 + i) % words * step % 8192) * 4 / bytes * bytes;
            }
            const struct remote_cost got =
                cost_remote(at, rank, (uint32_t)((1ull << count) - 1), bytes, atomic);
            sectors -= got.sectors;
            wavefronts -= got.wavefronts;
        }
        assert_int_equal(sectors, 0);
        assert_int_equal(wavefronts, 0);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 176);
}

static void loop_cost(const struct measured *launch, unsigned got[6])
{
    for (uint32_t left = launch->mask; left; got[0]++, got[3]++) {
        struct access_cost load = cost_shared(launch->at, left, launch->bytes, false, ATOMIC_NONE);
        struct access_cost swap = cost_cas_round(launch->at, &left, launch->bytes);
        got[1] += load.passes;
        got[2] += load.conflicts;
        got[4] += swap.passes;
        got[5] += swap.conflicts;
    }
}

static void shared_atomics_cost_what_was_measured(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/truth/shared_atomics.csv", "r");
    assert_non_null(file);
    struct measured launch;
    unsigned launches = 0;
    while (measured_read(file, 6, &launch)) {
        unsigned got[6] = { 0 };
        if (strcmp(launch.operation, "loop") == 0) {
            loop_cost(&launch, got);
        } else {
            struct access_cost one = cost_shared(launch.at, launch.mask, launch.bytes, true,
                                                 strcmp(launch.operation, "count") == 0     ? ATOMIC_MERGED
                                                 : strcmp(launch.operation, "compare") == 0 ? ATOMIC_COMPARE
                                                                                            : ATOMIC_TURNS);
            got[3] = 1;
            got[4] = one.passes;
            got[5] = one.conflicts;
        }
        assert_memory_equal(got, launch.count, sizeof got);
        launches++;
    }
    fclose(file);
    assert_int_equal(launches, 55);
}

// As sred_f32 and sred_f64 did there with 4 lanes a word: 4 rounds each.
static void a_sum_of_floats_in_shared_memory_is_a_loop(void **state)
{
    (void)state;
    static struct kernel_outcome out;
    const struct setting setting = { .body =
                                         "shr.u32 %r5, %r0, 2;\nshl.b32 %r6, %r5, 2;\nshl.b32 %r7, %r5, 3;\n"
                                         "mov.u32 %r8, few;\nadd.u32 %r8, %r8, %r6;\n"
                                         "mov.u32 %r9, wide;\nadd.u32 %r9, %r9, %r7;\n"
                                         "red.shared.add.f32 [%r8], 0f3F800000;\n"
                                         "red.shared.add.f64 [%r9], 0d3FF0000000000000;\nret;\n",
                                     .before =
                                         ".shared .align 8 .b8 few[64];\n.shared .align 8 .b8 wide[64];\n",
                                     .block = { 32 } };
    run(&setting, &out);
    const struct sim_counters *c = &out.result.counters;
    assert_int_equal(c->requests[SIM_SHARED_LOAD], 4 + 4);
    assert_int_equal(c->passes[SIM_SHARED_LOAD], 4 + 4);
    assert_int_equal(c->conflicts[SIM_SHARED_LOAD], 0);
    assert_int_equal(c->requests[SIM_SHARED_ATOM], 4 + 4);
    assert_int_equal(c->passes[SIM_SHARED_ATOM], 8 + 16);
    assert_int_equal(c->conflicts[SIM_SHARED_ATOM], 0);
    sim_result_free(&out.result);
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

// The builds for wide vectors count what the other one does.
BUILT(struct access_cost, cost_global, const lanes address, uint32_t mask, unsigned bytes,
      enum atomic_cost atomic);
BUILT(struct access_cost, cost_shared, const lanes address, uint32_t mask, unsigned bytes, bool store,
      enum atomic_cost atomic);

static void equal_on_wide_vectors(const lanes at, uint32_t mask, unsigned bytes)
{
#define GLOBAL(level) cost_global##level
#define SHARED(level) cost_shared##level
    static struct access_cost (*const global[])(const lanes, uint32_t, unsigned, enum atomic_cost) =
        EACH_BUILD(GLOBAL);
    static struct access_cost (*const shared[])(const lanes, uint32_t, unsigned, bool, enum atomic_cost) =
        EACH_BUILD(SHARED);
    for (enum build build = BUILD_V3; mask && build <= lanes_build(); build++)
        for (enum atomic_cost atomic = ATOMIC_NONE; atomic <= ATOMIC_COMPARE; atomic++) {
            struct access_cost one = cost_global(at, mask, bytes, atomic);
            struct access_cost wide = global[build](at, mask, bytes, atomic);
            assert_memory_equal(&one, &wide, sizeof one);
            one = cost_shared(at, mask, bytes, false, atomic);
            wide = shared[build](at, mask, bytes, false, atomic);
            assert_memory_equal(&one, &wide, sizeof one);
        }
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
        equal_on_wide_vectors(at, mask, bytes);
        for (unsigned i = 0; i < LANES; i++)
            at[i] &= ~(uint64_t)3;
        assert_int_equal(sim_wavefronts(at, mask, 4, true), plain_passes(at, mask, true));
        assert_int_equal(cost_shared(at, mask, 4, true, ATOMIC_TURNS).passes, plain_passes(at, mask, false));
    }
}

// Two and four rows, of one address each or of consecutive elements, near each other, overlapping and far apart.
static void rows_cost_what_their_lanes_do(void **state)
{
    (void)state;
    uint32_t random = 1, known = 0;
    for (int i = 0; i < 200000; i++) {
        struct lane_rows rows = { 0 };
        lanes at;
        random = random * 1664525 + 1013904223;
        unsigned bytes = 1u << (random >> 28) % 5, width = random >> 27 & 1 ? 16 : 8;
        bool same = random >> 26 & 1;
        unsigned span = 1u << (random >> 20) % 12;
        rows.count = LANES / width;
        rows.bytes = same ? bytes : width * bytes;
        for (unsigned r = 0; r < rows.count; r++) {
            random = random * 1664525 + 1013904223;
            rows.start[r] = 0x10000 + (uint64_t)((random >> 8) % span) * bytes;
            spread_over(at + r * width, width, rows.start[r], same ? 0 : bytes);
        }
        struct access_cost all = cost_global(at, FULL_MASK, bytes, ATOMIC_NONE), quick;
        assert_true(cost_rows(&rows, bytes, false, &quick));
        assert_memory_equal(&all, &quick, sizeof all);
        for (int store = 0; store < 2; store++)
            if (cost_rows(&rows, bytes, true, &quick)) {
                all = cost_shared(at, FULL_MASK, bytes, store, ATOMIC_NONE);
                assert_memory_equal(&all, &quick, sizeof all);
                known++;
            }
    }
    assert_true(known > 50000);
}

// Any lanes at elements near each other or far apart; the others have the offset of the first one.
static void offsets_cost_what_their_addresses_do(void **state)
{
    (void)state;
    static const enum atomic_cost kinds[] = { ATOMIC_NONE, ATOMIC_TURNS, ATOMIC_MERGED, ATOMIC_COMPARE };
    uint32_t random = 1, known = 0;
    for (int i = 0; i < 100000; i++) {
        uint32_t offset[LANES];
        lanes at;
        random = random * 1664525 + 1013904223;
        const enum atomic_cost kind = kinds[random >> 30];
        const unsigned bytes = 1u << (random >> 24) % (kind == ATOMIC_NONE ? 5 : 3);
        const unsigned span = 1u << (random >> 18) % 20;
        const uint32_t mask = i % 3 ? (random * 40503u) | 1u << random % LANES : FULL_MASK;
        for (unsigned lane = 0; lane < LANES; lane++) {
            random = random * 1664525 + 1013904223;
            offset[lane] = (random >> 8) % span * bytes;
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            offset[lane] = offset[mask >> lane & 1 ? lane : (unsigned)__builtin_ctz(mask)];
            at[lane] = 0x1000000000 + offset[lane];
        }
        struct access_cost all = cost_global(at, mask, bytes, kind), quick;
        if (cost_offsets(offset, mask, bytes, kind, &quick)) {
            assert_memory_equal(&all, &quick, sizeof all);
            known++;
        }
    }
    assert_true(known > 30000);
}

// The same for words, or parts of words, of shared memory, which may be in one piece that the marks reach over, or around its end.
static void words_take_the_wavefronts_of_their_addresses(void **state)
{
    (void)state;
    static const enum atomic_cost kinds[] = { ATOMIC_NONE, ATOMIC_TURNS, ATOMIC_MERGED };
    uint32_t random = 1;
    for (int i = 0; i < 100000; i++) {
        uint32_t offset[LANES];
        lanes at;
        random = random * 1664525 + 1013904223;
        const enum atomic_cost kind = kinds[(random >> 16) % 3];
        const unsigned bytes = 1u << (random >> 24) % 3, span = 1u << (random >> 18) % 14;
        const uint32_t mask = i % 3 ? (random * 40503u) | 1u << random % LANES : FULL_MASK;
        const uint32_t from = i % 2 ? 0 : (random >> 8) % 0x1000 * BANK_BYTES;
        for (unsigned lane = 0; lane < LANES; lane++) {
            random = random * 1664525 + 1013904223;
            offset[lane] = from + (random >> 8) % span * bytes;
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            offset[lane] = offset[mask >> lane & 1 ? lane : (unsigned)__builtin_ctz(mask)];
            at[lane] = offset[lane];
        }
        assert_int_equal(cost_words(offset, mask, from + span * bytes, kind != ATOMIC_TURNS),
                         cost_shared(at, mask, bytes, false, kind).passes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_are_the_32_byte_pieces_touched),
        cmocka_unit_test(ideal_sectors_are_those_of_as_many_lanes_in_a_row),
        cmocka_unit_test(lanes_of_a_reduction_take_turns_at_one_address),
        cmocka_unit_test(a_lane_waits_for_the_same_word_of_another_line_of_its_unit),
        cmocka_unit_test(wavefronts_by_stride),
        cmocka_unit_test(stores_do_not_merge),
        cmocka_unit_test(neighbours_that_read_the_same_merge_groups),
        cmocka_unit_test(half_a_warp_is_one_group_of_8_bytes),
        cmocka_unit_test(shared_atomics),
        cmocka_unit_test(a_compare_takes_two_passes_of_which_the_second_is_no_conflict),
        cmocka_unit_test(in_a_round_the_first_lane_of_each_bank_gets_through),
        cmocka_unit_test(loads_and_stores_cost_what_was_measured),
        cmocka_unit_test(global_atomics_cost_what_was_measured),
        cmocka_unit_test(asynchronous_copies_cost_what_was_measured),
        cmocka_unit_test(a_copy_costs_what_ptxas_makes_of_its_size),
        cmocka_unit_test(remote_accesses_cost_what_was_measured),
        cmocka_unit_test(random_remote_accesses_cost_what_was_measured),
        cmocka_unit_test(shared_atomics_cost_what_was_measured),
        cmocka_unit_test(a_sum_of_floats_in_shared_memory_is_a_loop),
        cmocka_unit_test(any_pattern_is_counted_right),
        cmocka_unit_test(rows_cost_what_their_lanes_do),
        cmocka_unit_test(offsets_cost_what_their_addresses_do),
        cmocka_unit_test(words_take_the_wavefronts_of_their_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
