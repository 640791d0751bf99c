// Random accesses in loops: by all lanes or by some of them, which change from turn to turn, in the same pattern or in another.
// Lanes that are off have any address at all. What the simulator keeps of an instruction's last access (struct lane_pattern)
// must not be seen: each kernel is compared with a run that has no room for it.
#ifndef WARPBOOK_TESTS_SIM_REPEATS_H
#define WARPBOOK_TESTS_SIM_REPEATS_H

#include "engine/sim/access/pattern.h"
#include "tests/unit/sim_random.h"

// ---- a kernel -----------------------------------------------------------------------------------------------

enum {
    REPEAT_WARPS = 3, // of a block, at most
    REPEAT_BLOCKS = 4,
    REPEAT_GIVEN = 4096, // words that are only read
    REPEAT_OWN = 1024,   // words of global memory for each warp
    REPEAT_TILE = 1024,  // bytes of shared memory for each warp
    REPEAT_TABLE = 512,  // constants
    REPEAT_SUMS = 256
};

struct repeats {
    struct text ptx;
    uint32_t block[2], cluster;
    bool cooperative;
    bool ordered; // the order of warps may be seen
    bool alone;   // so may that of blocks: they may leave what is theirs
};

// Where an access goes: its element 0 is at `base`, a narrow one in a register of 32 bits.
static const struct repeat_place {
    const char *name, *base;
    uint32_t bytes;
    bool narrow, stores, copies, meets; // meets: other warps come there as well
} repeat_places[] = {
    { ".global", "%given", REPEAT_GIVEN * 4, false, false, false, false },
    { ".global", "%own", REPEAT_OWN * 4, false, true, false, false },
    { "", "%given", REPEAT_GIVEN * 4, false, false, false, false },
    { "", "%own", REPEAT_OWN * 4, false, true, false, false },
    { ".const", "%table", REPEAT_TABLE * 4, false, false, false, false },
    { ".shared", "%tile", REPEAT_TILE, true, true, true, false },
    { ".shared", "%tile", REPEAT_TILE, true, true, true, false },
    { ".shared", "%widetile", REPEAT_TILE, false, true, true, false },
    { "", "%farTile", REPEAT_TILE, false, true, false, false },
    { ".shared", "%all", REPEAT_WARPS *REPEAT_TILE, true, true, true, true },
};
static const struct repeat_type {
    const char *name, *registers;
    uint32_t bytes;
} repeat_types[] = {
    { "u8", "%v0", 1 },
    { "s8", "%v0", 1 },
    { "u16", "%v0", 2 },
    { "s16", "%v0", 2 },
    { "u32", "%v0", 4 },
    { "u32", "%v0", 4 },
    { "f32", "%v0", 4 },
    { "b32", "%v0", 4 },
    { "u64", "%w0", 8 },
    { "s32", "%w0", 4 },
    { "v2.u32", "{%v0, %v1}", 8 },
    { "v4.u32", "{%v0, %v1, %v2, %v3}", 16 },
    { "v2.u64", "{%w0, %w1}", 16 },
    { "v4.u8", "{%v0, %v1, %v2, %v3}", 4 },
    { "v2.u16", "{%v0, %v1}", 4 },
};

#define REPEAT_ONE_OF(choices, list) (list)[choose(choices, sizeof(list) / sizeof *(list))]

static inline uint32_t repeat_bits(struct choices *choices)
{
    return choose(choices, 256) << 24 | choose(choices, 256) << 16 | choose(choices, 256) << 8 |
           choose(choices, 256);
}

// %i: the element that each lane goes to, before the turn moves it.
static inline void repeat_add_lanes(struct choices *choices, struct text *out)
{
    static const int steps[] = { 2, 3, 4, 5, 8, 16, 17, 32, 33, 64, -1, -2, -3, -17 };
    const uint32_t pitch = 1 + choose(choices, 40);
    switch (choose(choices, 11)) {
    case 0:
        text_addf(out, " mov.u32 %%i, %u;\n", pitch);
        break;
    case 1:
        text_add(out, " mov.u32 %i, %lane;\n");
        break;
    case 2:
        text_add(out, " mov.u32 %i, %x;\n");
        break;
    case 3:
        text_addf(out,
                  " and.b32 %%i, %%lane, 15;\n shr.u32 %%n, %%lane, 4;\n mad.lo.u32 %%i, %%n, %u, %%i;\n",
                  pitch);
        break;
    case 4:
        text_addf(out, " and.b32 %%i, %%lane, 7;\n shr.u32 %%n, %%lane, 3;\n mad.lo.u32 %%i, %%n, %u, %%i;\n",
                  pitch);
        break;
    case 5:
        text_addf(out, " shr.u32 %%n, %%lane, %u;\n mul.lo.u32 %%i, %%n, %u;\n", 3 + choose(choices, 2),
                  pitch);
        break;
    case 6:
    case 7:
        text_addf(out, " mul.lo.u32 %%i, %%lane, %d;\n", REPEAT_ONE_OF(choices, steps));
        break;
    case 8:
        text_addf(out, " xor.b32 %%i, %%lane, %u;\n", choose(choices, 32));
        break;
    case 9:
        text_addf(out, " mul.lo.u32 %%i, %%lane, %u;\n shr.u32 %%i, %%i, %u;\n and.b32 %%i, %%i, %u;\n",
                  repeat_bits(choices) | 1, choose(choices, 20), (2u << choose(choices, 9)) - 1);
        break;
    default: // as data say
        text_add(out, " mul.wide.u32 %a, %x, 4;\n add.u64 %a, %a, %given;\n ld.global.u32 %i, [%a];\n");
        text_addf(out, " and.b32 %%i, %%i, %u;\n", (2u << choose(choices, 9)) - 1);
    }
}

static inline void repeat_add_turn(struct choices *choices, struct text *out)
{
    static const int moves[] = { 1, 2, 4, 8, 16, 32, 100, -1, -2, -32 };
    switch (choose(choices, 6)) {
    case 0:
        break;
    case 1:
        text_addf(out, " shr.u32 %%n, %%t, %u;\n mad.lo.s32 %%i, %%n, %d, %%i;\n", 1 + choose(choices, 3),
                  REPEAT_ONE_OF(choices, moves));
        break;
    case 2:
        text_add(out, " xor.b32 %i, %i, %t;\n");
        break;
    case 3: // another pattern each time
        text_addf(out, " add.u32 %%n, %%t, %u;\n mul.lo.u32 %%i, %%i, %%n;\n", choose(choices, 5));
        break;
    default:
        text_addf(out, " mad.lo.s32 %%i, %%t, %d, %%i;\n", REPEAT_ONE_OF(choices, moves));
    }
}

// %on: the lanes that are on in this turn.
static inline void repeat_add_mask(struct choices *choices, struct text *out)
{
    static const uint32_t some[] = { 1,          0x80000000u, 0xfffffffeu, 0x7fffffffu, 0xfffffffcu,
                                     0x55555555, 0xaaaaaaaau, 0xffff,      0xffff0000u, 0x0000ff00 };
    const uint32_t bits = choose(choices, 2) ? REPEAT_ONE_OF(choices, some) : repeat_bits(choices);
    switch (choose(choices, 6)) {
    case 0:
    case 1:
        text_add(out, " setp.eq.u32 %on, %lane, %lane;\n");
        return;
    case 2: // those below a limit
        text_addf(out,
                  " mad.lo.u32 %%n, %%t, %u, %%warp;\n rem.u32 %%n, %%n, 34;\n setp.%s.u32 %%on, %%lane, "
                  "%%n;\n",
                  choose(choices, 5), choose(choices, 2) ? "lo" : "hs");
        return;
    case 3:
        text_addf(out, " mov.u32 %%n, %u;\n", bits);
        break;
    case 4: // they wander
        text_addf(out,
                  " mad.lo.u32 %%n, %%warp, %u, %%t;\n mov.u32 %%bits, %u;\n"
                  " shf.l.wrap.b32 %%n, %%bits, %%bits, %%n;\n",
                  choose(choices, 32), bits);
        break;
    default: // others each time
        text_addf(out,
                  " mad.lo.u32 %%n, %%t, %u, %%warp;\n mul.lo.u32 %%n, %%n, %u;\n shf.l.wrap.b32 %%n, "
                  "%%n, %%n, %%t;\n",
                  repeat_bits(choices) | 1, repeat_bits(choices) | 1);
    }
    text_add(out, " shr.u32 %n, %n, %lane;\n and.b32 %n, %n, 1;\n setp.ne.u32 %on, %n, 0;\n");
}

// Lanes that are off, or some of them, point to somewhere else.
static inline void repeat_add_elsewhere(struct choices *choices, struct text *out, bool narrow)
{
    static const char *const near[] = { "mov.u32 %n, 0",           "mov.u32 %n, -1",
                                        "mov.u32 %n, 2147483648",  "add.u32 %n, %s, 1",
                                        "sub.u32 %n, %s, 1000000", "xor.b32 %n, %s, 2147483648",
                                        "mul.lo.u32 %n, %s, 5",    "mov.u32 %n, 2147483644" };
    static const char *const far[] = { "mov.u64 %w, 0",
                                       "mov.u64 %w, -1",
                                       "add.u64 %w, %a, 1",
                                       "add.u64 %w, %a, 4294967296",
                                       "sub.u64 %w, %a, 8589934592",
                                       "xor.b64 %w, %a, -9223372036854775808",
                                       "mov.u64 %w, 9151314442816847872",
                                       "mov.u64 %w, 9079256848778919936",
                                       "mov.u64 %w, %farTile",
                                       "sub.u64 %w, %given, 4",
                                       "add.u64 %w, %given, 68719476736",
                                       "mul.lo.u64 %w, %a, 7",
                                       "mov.u64 %w, 256" };
    uint32_t times = choose(choices, 3);
    for (; times; times--) {
        text_addf(out,
                  " and.b32 %%n, %%lane, %u;\n setp.eq.u32 %%some, %%n, 0;\n and.pred %%some, %%some, "
                  "%%off;\n",
                  choose(choices, 4));
        if (narrow)
            text_addf(out, " %s;\n @%%some mov.u32 %%s, %%n;\n", REPEAT_ONE_OF(choices, near));
        else
            text_addf(out, " %s;\n @%%some mov.u64 %%a, %%w;\n", REPEAT_ONE_OF(choices, far));
    }
}

// What is done at %s or %a, and what %acc makes of it.
static inline void repeat_add_action(struct choices *choices, struct text *out,
                                     const struct repeat_place *place, const struct repeat_type *type,
                                     int64_t more, bool jumps, int label)
{
    static const char *const sums[] = {
        "red%s.add.u32 [%s%+lld], %%acc",        "red%s.max.s32 [%s%+lld], %%acc",
        "atom%s.add.u32 %%v0, [%s%+lld], %%acc", "atom%s.exch.b32 %%v0, [%s%+lld], %%acc",
        "atom%s.min.u32 %%v0, [%s%+lld], %%acc", "atom%s.cas.b32 %%v0, [%s%+lld], %%v0, %%acc",
        "red%s.add.f32 [%s%+lld], %%acc"
    };
    const char *at = place->narrow ? "%s" : "%a";
    const uint32_t what = choose(choices, 8);
    if (jumps)
        text_addf(out, " @%%off bra L%d;\n ", label);
    else
        text_add(out, " @%on ");
    if (!place->stores || what < 4)
        text_addf(out, "ld%s.%s %s, [%s%+lld]", place->name, type->name, type->registers, at,
                  (long long)more);
    else if (what == 4 && type->bytes == 4)
        text_addf(out, REPEAT_ONE_OF(choices, sums), place->name, at, (long long)more);
    else if (what == 5 && place->copies && type->bytes >= 4)
        text_addf(out, "cp.async.ca.shared.global [%s%+lld], [%%from], %u;\n cp.async.wait_all", at,
                  (long long)more, type->bytes);
    else
        text_addf(out, "st%s.%s [%s%+lld], %s", place->name, type->name, at, (long long)more,
                  type->registers);
    text_addf(out,
              ";\nL%d:\n mad.lo.u32 %%acc, %%acc, 33, %%v0;\n xor.b32 %%acc, %%acc, %%v3;\n"
              " add.u64 %%w, %%w0, %%w1;\n mov.b64 {%%n, %%bits}, %%w;\n add.u32 %%acc, %%acc, %%n;\n"
              " xor.b32 %%acc, %%acc, %%bits;\n add.u32 %%acc, %%acc, %%v1;\n add.u32 %%v2, %%v2, "
              "%%lane;\n",
              label);
}

// An access, which each turn of the loop makes.
static inline void repeat_add_access(struct choices *choices, struct repeats *repeats, int label)
{
    static const int beside[] = { 0, 0, 0, 1, 3, 4, -8, 16, 124, 1024, -2048, 8192 };
    static const int fewer[] = { 0, 0, 1, 2, 5, 33 };
    struct text *out = &repeats->ptx;
    const struct repeat_place *place = &REPEAT_ONE_OF(choices, repeat_places);
    const struct repeat_type *type = &REPEAT_ONE_OF(choices, repeat_types);
    const uint32_t elements = place->bytes / type->bytes;
    const int more = REPEAT_ONE_OF(choices, beside);
    repeats->ordered |= place->meets;
    repeat_add_lanes(choices, out);
    repeat_add_turn(choices, out);
    repeat_add_mask(choices, out);
    const uint32_t limit = choose(choices, 24);
    if (limit < 12) { // an element in any case, though not always in the order of lanes
        text_addf(out, " rem.u32 %%i, %%i, %u;\n", elements);
    } else {
        text_addf(out, " sub.s32 %%i, %%i, %d;\n", REPEAT_ONE_OF(choices, fewer));
        if (limit < 23)
            text_addf(out, " setp.lo.u32 %%some, %%i, %u;\n and.pred %%on, %%on, %%some;\n", elements);
        else
            repeats->alone = true;
    }
    text_add(out, " not.pred %off, %on;\n");
    if (place->narrow)
        text_addf(out, " mad.lo.s32 %%s, %%i, %u, %s;\n sub.u32 %%s, %%s, %d;\n", type->bytes, place->base,
                  more);
    else
        text_addf(out, " mul.wide.s32 %%a, %%i, %u;\n add.u64 %%a, %%a, %s;\n sub.u64 %%a, %%a, %d;\n",
                  type->bytes, place->base, more);
    repeat_add_elsewhere(choices, out, place->narrow);
    repeat_add_action(choices, out, place, type, more, choose(choices, 2), label);
}

static inline void repeat_kernel(struct choices *choices, struct repeats *repeats)
{
    static const uint32_t blocks[][2] = { { 32, 1 }, { 64, 1 }, { 96, 1 }, { 16, 4 }, { 8, 8 },
                                          { 32, 3 }, { 33, 1 }, { 70, 1 }, { 8, 4 },  { 5, 5 } };
    struct text *out = &repeats->ptx;
    memcpy(repeats->block, REPEAT_ONE_OF(choices, blocks), sizeof repeats->block);
    repeats->cluster = choose(choices, 8) ? 0 : 2;
    repeats->cooperative = !repeats->cluster && !choose(choices, 6);
    text_addf(out, ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 16 .b32 table[%d] = {",
              REPEAT_TABLE);
    for (uint32_t i = 0; i < REPEAT_TABLE; i++)
        text_addf(out, "%s%u", i ? ", " : "", i * 2654435761u);
    text_addf(
        out,
        "};\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n"
        " .reg .pred %%on, %%off, %%some, %%p;\n"
        " .reg .b32 %%x, %%lane, %%warp, %%gid, %%t, %%i, %%n, %%bits, %%s, %%acc, %%v<4>, %%tile, %%all;\n"
        " .reg .b64 %%a, %%w, %%w<2>, %%given, %%own, %%ends, %%table, %%widetile, %%farTile, %%from;\n"
        " .shared .align 16 .b8 ahead[256];\n .shared .align 16 .b8 tile[%d];\n"
        " .shared .align 16 .b8 after[256];\n"
        " ld.param.u64 %%given, [p0];\n ld.param.u64 %%own, [p1];\n ld.param.u64 %%ends, [p2];\n"
        " mov.u32 %%x, %%tid.y;\n mov.u32 %%n, %%ntid.x;\n mov.u32 %%i, %%tid.x;\n"
        " mad.lo.u32 %%x, %%x, %%n, %%i;\n and.b32 %%lane, %%x, 31;\n shr.u32 %%warp, %%x, 5;\n"
        " mov.u32 %%n, %%ctaid.x;\n mad.lo.u32 %%gid, %%n, %d, %%x;\n mad.lo.u32 %%n, %%n, %d, %%warp;\n"
        " mul.wide.u32 %%a, %%n, %d;\n add.u64 %%own, %%own, %%a;\n"
        " mul.wide.u32 %%a, %%gid, 4;\n add.u64 %%ends, %%ends, %%a;\n mov.u64 %%table, table;\n"
        " mov.u32 %%all, tile;\n mad.lo.u32 %%tile, %%warp, %d, %%all;\n cvt.u64.u32 %%widetile, %%tile;\n"
        " cvta.shared.u64 %%farTile, %%widetile;\n mul.wide.u32 %%from, %%x, 16;\n"
        " add.u64 %%from, %%from, %%given;\n"
        " mov.u32 %%acc, %%gid;\n mov.u64 %%w0, 3;\n mov.u64 %%w1, 5;\n",
        REPEAT_WARPS * REPEAT_TILE, REPEAT_WARPS * 32, REPEAT_WARPS, REPEAT_OWN * 4, REPEAT_TILE);
    for (int i = 0; i < 4; i++)
        text_addf(out, " mad.lo.u32 %%v%d, %%x, %d, %d;\n", i, 7 + i, i);
    // A block's first lanes fill what has no thread of its own.
    text_addf(
        out,
        " mov.u32 %%i, %%x;\nFILL:\n mad.lo.u32 %%s, %%i, 4, %%all;\n mul.lo.u32 %%n, %%i, 2246822519;\n"
        " st.shared.u32 [%%s], %%n;\n mov.u32 %%n, %%ntid.x;\n mov.u32 %%bits, %%ntid.y;\n"
        " mad.lo.u32 %%i, %%n, %%bits, %%i;\n setp.lo.u32 %%p, %%i, %d;\n @%%p bra FILL;\n"
        " bar.sync 0;\n mov.u32 %%t, 0;\nTURN:\n",
        REPEAT_WARPS * REPEAT_TILE / 4);
    const uint32_t accesses = 1 + choose(choices, 4);
    for (uint32_t i = 0; i < accesses; i++)
        repeat_add_access(choices, repeats, (int)i);
    if (choose(choices, 2))
        text_add(out, " bar.sync 0;\n");
    text_addf(out,
              " add.u32 %%t, %%t, 1;\n setp.lo.u32 %%p, %%t, %u;\n @%%p bra TURN;\n"
              " st.global.u32 [%%ends], %%acc;\n ret;\n}\n",
              2 + choose(choices, 30));
}

// ---- running it ------------------------------------------------------------------------------------------------

struct repeat_run {
    uint32_t given[REPEAT_GIVEN], own[REPEAT_BLOCKS * REPEAT_WARPS * REPEAT_OWN];
    uint32_t ends[REPEAT_BLOCKS * REPEAT_WARPS * 32];
    struct sim_result result;
};
struct repeat_way {
    enum sim_check check;
    int threads;
    uint64_t seed;
    enum build build;
    bool sample;
    int like; // the way that has no patterns, with which it is compared
};
enum { REPEAT_REFERENCES = 3 };
static const struct repeat_way repeat_ways[] = {
    { SIM_CHECK_COUNTERS, 1, 0, BUILD_ANY, false, 0 }, { SIM_CHECK_ALL, 1, 0, BUILD_ANY, false, 1 },
    { SIM_CHECK_COUNTERS, 1, 0, BUILD_ANY, true, 2 },  { SIM_CHECK_COUNTERS, 1, 0, BUILD_V4, false, 0 },
    { SIM_CHECK_COUNTERS, 1, 0, BUILD_ANY, false, 0 }, { SIM_CHECK_NONE, 1, 0, BUILD_V4, false, 0 },
    { SIM_CHECK_NONE, 1, 0, BUILD_ANY, false, 0 },     { SIM_CHECK_ALL, 1, 0, BUILD_V4, false, 1 },
    { SIM_CHECK_ALL, 1, 0, BUILD_ANY, false, 1 },      { SIM_CHECK_COUNTERS, 1, 0, BUILD_V4, true, 2 },
    { SIM_CHECK_COUNTERS, 1, 0, BUILD_ANY, true, 2 },  { SIM_CHECK_COUNTERS, 2, 0, BUILD_V3, false, 0 },
    { SIM_CHECK_COUNTERS, 4, 0, BUILD_V4, false, 0 },  { SIM_CHECK_ALL, 2, 0, BUILD_V3, false, 1 },
    { SIM_CHECK_ALL, 4, 0, BUILD_ANY, false, 1 },      { SIM_CHECK_NONE, 4, 0, BUILD_V3, false, 0 },
    { SIM_CHECK_COUNTERS, 1, 7, BUILD_V4, false, 0 },  { SIM_CHECK_NONE, 2, 3, BUILD_ANY, false, 0 },
    { SIM_CHECK_ALL, 1, 5, BUILD_V4, false, 1 },       { SIM_CHECK_ALL, 1, 0, BUILD_V3, false, 1 },
};
enum { REPEAT_WAYS = sizeof repeat_ways / sizeof *repeat_ways };

// Whether the kernel is the same that way at all.
static inline bool repeat_may(const struct repeats *repeats, const struct repeat_way *way)
{
    return (!way->seed || !(repeats->ordered || repeats->alone)) && (way->threads == 1 || !repeats->alone);
}

// False: the launch could not start, and `fault` says why.
static inline bool repeat_run(const struct repeats *repeats, const struct random_modules *modules, int which,
                              struct repeat_run *run, struct sim_fault *fault)
{
    const struct repeat_way *way = &repeat_ways[which];
    struct sim_module *module = modules->by_build[way->build];
    const size_t patterns = module->pattern_count;
    struct sim_memory *memory = sim_memory_new();
    memset(run, 0, sizeof *run);
    for (uint32_t i = 0; i < REPEAT_GIVEN; i++)
        run->given[i] = i * 2654435761u >> 7;
    for (uint32_t i = 0; i < sizeof run->own / sizeof *run->own; i++)
        run->own[i] = i * 40503u;
    const sim_address given = sim_memory_add(memory, "given", run->given, sizeof run->given, 4, SIM_IN);
    const sim_address own = sim_memory_add(memory, "own", run->own, sizeof run->own, 4, SIM_INOUT);
    const sim_address ends = sim_memory_add(memory, "ends", run->ends, sizeof run->ends, 4, SIM_INOUT);
    const struct sim_argument arguments[] = { { &given, sizeof given },
                                              { &own, sizeof own },
                                              { &ends, sizeof ends } };
    const struct sim_launch launch = { .grid = { REPEAT_BLOCKS, 1, 1 },
                                       .block = { repeats->block[0], repeats->block[1], 1 },
                                       .cluster = { repeats->cluster, repeats->cluster ? 1 : 0,
                                                    repeats->cluster ? 1 : 0 },
                                       .cooperative = repeats->cooperative,
                                       .arguments = arguments,
                                       .argument_count = sizeof arguments / sizeof *arguments };
    const struct sim_options options = { .check = way->check,
                                         .threads = way->threads,
                                         .seed = way->seed,
                                         .sample = way->sample,
                                         .instruction_limit = 1000000 };
    if (which < REPEAT_REFERENCES) // there is no memory for so many
        module->pattern_count = SIZE_MAX / 2 / sizeof(struct lane_pattern);
    const bool ran = sim_run(module, memory, &launch, &options, &run->result, fault);
    module->pattern_count = patterns;
    sim_memory_free(memory);
    return ran;
}

static inline bool repeat_samples_differ(const struct sim_sample *one, const struct sim_sample *other)
{
    if (!one || !other)
        return one != other;
    if (one->lines != other->lines || one->loaded != other->loaded || one->stored != other->stored ||
        one->loaded_pairs != other->loaded_pairs || one->stored_pairs != other->stored_pairs ||
        one->atomics != other->atomics || one->visits != other->visits || one->swaps != other->swaps ||
        memcmp(one->hottest, other->hottest, sizeof one->hottest) != 0 ||
        memcmp(one->apart, other->apart, sizeof one->apart) != 0 || one->block_count != other->block_count)
        return true;
    for (size_t b = 0; b < one->block_count; b++)
        for (size_t w = 0; w < one->blocks[b].warp_count; w++) {
            const struct sim_sampled_warp *x = &one->blocks[b].warps[w], *y = &other->blocks[b].warps[w];
            if (x->step_count != y->step_count || x->touch_count != y->touch_count ||
                memcmp(x->touches, y->touches, x->touch_count * sizeof *x->touches) != 0)
                return true;
            for (size_t i = 0; i < x->step_count; i++)
                if (x->steps[i].index != y->steps[i].index || x->steps[i].passes != y->steps[i].passes ||
                    x->steps[i].waves != y->steps[i].waves || x->steps[i].touches != y->steps[i].touches)
                    return true;
        }
    return false;
}

// What differs between a run without patterns and another one; NULL: nothing.
static inline const char *repeat_difference(const struct repeat_run *one, const struct repeat_run *other,
                                            int which)
{
    const struct repeat_way *way = &repeat_ways[which];
    const struct sim_result *a = &one->result, *b = &other->result;
    if (a->complete != b->complete)
        return "whether it came to its end";
    if (memcmp(one->own, other->own, sizeof one->own) != 0)
        return "what the warps wrote";
    if (memcmp(one->ends, other->ends, sizeof one->ends) != 0)
        return "what the threads read";
    if (way->sample && repeat_samples_differ(a->sample, b->sample))
        return "the sample";
    if (way->threads == 1 || way->check == SIM_CHECK_ALL) {
        if (a->finding_count != b->finding_count)
            return "how much was found";
        for (size_t i = 0; !way->seed && i < a->finding_count; i++)
            if (a->findings[i].count != b->findings[i].count ||
                strcmp(a->findings[i].sentence, b->findings[i].sentence) != 0)
                return "what was found";
    }
    return way->check == SIM_CHECK_NONE ? NULL : random_counted(a, b);
}

#endif
