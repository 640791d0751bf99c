// Traces that go back and forth: what is there then is what a trace that went straight there has, whatever it came by.
#include "tests/unit/sim_kernel.h"

struct way { // a launch with memory of its own, and its trace
    uint32_t words[WORDS];
    struct sim_memory *memory;
    sim_address address;
    uint32_t number;
    struct sim_argument arguments[2];
    struct sim_launch launch;
    struct sim_trace *trace;
};
struct play {
    const char *body, *before;
    uint32_t grid, block, cluster;
    bool cooperative, placed; // placed: the buffer's address was chosen by the caller
    uint64_t seed;
    uint64_t least; // steps that it has
    enum sim_check check;
    int places; // to go to; 0: many
};

static void set_out(struct way *way, const struct play *play, const struct sim_module *module)
{
    struct sim_fault fault = { 0 };
    memset(way, 0, sizeof *way);
    way->memory = sim_memory_new();
    way->address = 512 * SIM_BUFFER_LIMIT;
    if (!play->placed)
        way->address = sim_memory_add(way->memory, "words", way->words, sizeof way->words, 4, SIM_OUT);
    else if (!sim_memory_add_at(way->memory, way->address, "words", way->words, sizeof way->words, 4,
                                SIM_OUT))
        fail_msg("there is no place");
    way->arguments[0] = (struct sim_argument){ &way->address, sizeof way->address };
    way->arguments[1] = (struct sim_argument){ &way->number, sizeof way->number };
    way->launch = (struct sim_launch){ .grid = { play->grid, 1, 1 },
                                       .block = { play->block, 1, 1 },
                                       .cluster = { play->cluster, play->cluster != 0, play->cluster != 0 },
                                       .cooperative = play->cooperative,
                                       .arguments = way->arguments,
                                       .argument_count = 2 };
    struct sim_options options = { .check = play->check, .seed = play->seed };
    if (!sim_trace_open(module, way->memory, &way->launch, &options, &way->trace, &fault))
        fail_msg("%s", fault.text);
}

static void come_home(struct way *way)
{
    sim_trace_close(way->trace);
    sim_memory_free(way->memory);
}

static void go_to(struct way *way, uint64_t step)
{
    struct sim_spot spot;
    sim_trace_where(way->trace, &spot);
    if (step > spot.step)
        (void)sim_trace_forward(way->trace, step - spot.step);
    else
        (void)sim_trace_back(way->trace, spot.step - step);
    sim_trace_where(way->trace, &spot);
    assert_int_equal(spot.step, step);
}

// ---- what there is to see -------------------------------------------------------------------------------------

static void same_registers(const struct sim_trace *a, const struct sim_trace *b)
{
    const char *name;
    for (size_t i = 0; (name = sim_trace_register_name(a, i)) != NULL; i++) {
        struct sim_register one, other;
        assert_true(sim_trace_register(a, name, &one));
        assert_true(sim_trace_register(b, name, &other));
        assert_memory_equal(one.value, other.value, sizeof one.value);
    }
}

static void same_shared(const struct sim_trace *a, const struct sim_trace *b)
{
    static uint32_t one[WORDS], other[WORDS];
    size_t count = sim_trace_shared(a, 0, WORDS, one);
    assert_int_equal(count, sim_trace_shared(b, 0, WORDS, other));
    if (count)
        assert_memory_equal(one, other, count * sizeof *one);
}

static void same_warps(const struct sim_trace *a, const struct sim_trace *b)
{
    struct sim_warp one[32], other[32];
    struct sim_path path[64], other_path[64];
    size_t warps = sim_trace_warps(a, one), paths = sim_trace_stack(a, path, 64);
    assert_int_equal(warps, sim_trace_warps(b, other));
    assert_int_equal(paths, sim_trace_stack(b, other_path, 64));
    for (size_t i = 0; i < warps; i++) {
        assert_int_equal(one[i].state, other[i].state);
        assert_int_equal(one[i].ptx_line, other[i].ptx_line);
        assert_int_equal(one[i].live, other[i].live);
    }
    for (size_t i = 0; i < paths && i < 64; i++) {
        assert_int_equal(path[i].mask, other_path[i].mask);
        assert_int_equal(path[i].ptx_line, other_path[i].ptx_line);
        assert_int_equal(path[i].waits, other_path[i].waits);
    }
}

static void same_findings(const struct sim_trace *a, const struct sim_trace *b)
{
    struct sim_finding *one, *other;
    size_t count = sim_trace_findings(a, &one);
    assert_int_equal(count, sim_trace_findings(b, &other));
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(one[i].sentence, other[i].sentence);
        assert_int_equal(one[i].count, other[i].count);
    }
    free(one);
    free(other);
}

static void same_text(const struct sim_trace *a, const struct sim_trace *b)
{
    char *one = sim_trace_printed(a), *other = sim_trace_printed(b);
    assert_int_equal(!one, !other);
    if (one)
        assert_string_equal(one, other);
    free(one);
    free(other);
}

static void same_place(const struct way *a, const struct way *b)
{
    static struct sim_touched one, other;
    struct sim_spot spot, other_spot;
    sim_trace_where(a->trace, &spot);
    sim_trace_where(b->trace, &other_spot);
    assert_int_equal(spot.step, other_spot.step);
    assert_int_equal(spot.ended, other_spot.ended);
    assert_int_equal(spot.block_number, other_spot.block_number);
    assert_int_equal(spot.warp, other_spot.warp);
    assert_int_equal(spot.ptx_line, other_spot.ptx_line);
    assert_int_equal(spot.mask, other_spot.mask);
    assert_int_equal(spot.active, other_spot.active);
    assert_memory_equal(a->words, b->words, sizeof a->words);
    assert_int_equal(sim_trace_touched(a->trace, &one), sim_trace_touched(b->trace, &other));
    assert_int_equal(one.step, other.step);
    assert_int_equal(one.passes, other.passes);
    assert_memory_equal(one.lane, other.lane, sizeof one.lane);
    same_registers(a->trace, b->trace);
    same_shared(a->trace, b->trace);
    same_warps(a->trace, b->trace);
    same_findings(a->trace, b->trace);
    same_text(a->trace, b->trace);
}

// ---- back and forth -------------------------------------------------------------------------------------------

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (*state >> 33) % below;
}

// Far jumps, and some steps back from where they ended, as somebody who looks would go.
static uint64_t next_place(uint64_t *chance, uint64_t now, uint64_t end)
{
    uint64_t back = draw(chance, 3) ? draw(chance, 1500) : 1;
    return draw(chance, 3) == 0 ? draw(chance, end + 1) : now > back ? now - back : now;
}

static void wander(const struct play *play)
{
    const int places = play->places ? play->places : 24;
    static struct way way, straight;
    static char text[65536];
    snprintf(text, sizeof text, "%s%s%s%s\n}\n", head, play->before, start, play->body);
    struct sim_module *module = read_module(text);
    struct sim_spot spot;
    set_out(&way, play, module);
    assert_int_equal(sim_trace_end(way.trace), SIM_THERE);
    sim_trace_where(way.trace, &spot);
    uint64_t end = spot.step, now = end, chance = 7 + play->seed;
    assert_true(end >= play->least);
    for (int i = 0; i < places; i++) {
        now = i + 1 < places ? next_place(&chance, now, end) : end;
        go_to(&way, now);
        set_out(&straight, play, module);
        go_to(&straight, now);
        same_place(&way, &straight);
        if (i % 6 == 5) { // and from there on it goes as it went
            (void)sim_trace_forward(way.trace, 300);
            (void)sim_trace_forward(straight.trace, 300);
            same_place(&way, &straight);
            sim_trace_where(way.trace, &spot);
            now = spot.step;
        }
        come_home(&straight);
    }
    come_home(&way);
    sim_module_free(module);
}

// ---- launches -------------------------------------------------------------------------------------------------

#define TIMES(count, what)                                                                                   \
    "mov.u32 %r10, 0;\nAGAIN:\n" what "\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p7, %r10, " count              \
    ";\n@%p7 bra AGAIN;\n"
static const char tile[] = ".shared .align 4 .b8 tile[512];\n";

static void blocks_with_barriers_atomics_and_splits(void **state)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct play play = {
            .before = tile, .grid = 12, .block = 80, .seed = seed, .least = 33000, .check = SIM_CHECK_ALL
        };
        play.body =
            "mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5;\n"
            "st.shared.u32 [%r4], %r0;\n" TIMES(
                "90", "bar.sync 0;\nld.shared.u32 %r6, [%r4];\nadd.u32 %r6, %r6, %r10;\n"
                      "st.shared.u32 [%r4], %r6;\nand.b32 %r7, %r6, 3;\nsetp.eq.u32 %p1, %r7, 1;\n"
                      "@%p1 bra ODD;\natom.global.add.u32 %r8, [%rd1+16000], %r6;\nbra.uni MET;\n"
                      "ODD: atom.shared.add.u32 %r8, [tile+400], 1;\nMET:\nbar.sync 0;") "st.global.u32 "
                                                                                         "[%rd0], %r6;\nret;";
        wander(&play);
    }
}

static void findings_of_every_kind_of_memory(void **state)
{
    struct play play = { .before = tile, .grid = 8, .block = 64, .least = 12000, .check = SIM_CHECK_ALL };
    play.body =
        "mov.u32 %r4, tile; shl.b32 %r5, %r0, 1; and.b32 %r5, %r5, 252; add.u32 %r4, %r4, %r5;\n" TIMES(
            "90", "ld.shared.u32 %r6, [%r4];\nadd.u32 %r6, %r6, %r0;\nst.shared.u32 [%r4], %r6;\n"
                  "ld.global.u32 %r7, [%rd0+4];\nadd.u32 %r7, %r7, %r6;\nst.global.u32 [%rd1+64], %r7;\n"
                  "rem.u32 %r8, %r10, 40;\nsetp.eq.u32 %p1, %r8, 39;\n@%p1 st.global.u32 [%rd0+16384], %r7;\n"
                  "@%p1 st.global.u8 [%rd0+8001], %r7;\n") "ret;";
    wander(&play);
    play.placed = true;
    wander(&play);
}

static void one_long_block(void **state)
{
    struct play play = {
        .before = "", .grid = 1, .block = 32, .least = 200000, .check = SIM_CHECK_ALL, .places = 8
    };
    play.body = TIMES("25000", "and.b32 %r4, %r10, 31;\nmul.wide.u32 %rd4, %r4, 128;\n"
                               "add.u64 %rd4, %rd0, %rd4;\nld.global.u32 %r5, [%rd4];\n"
                               "add.u32 %r5, %r5, %r0;\nst.global.u32 [%rd4], %r5;") "ret;";
    wander(&play);
    play.check = SIM_CHECK_COUNTERS;
    wander(&play);
}

static void calls_and_local_memory(void **state)
{
    struct play play = { .grid = 6, .block = 64, .least = 20000, .seed = 3, .check = SIM_CHECK_ALL };
    play.before = ".global .align 4 .u32 sum;\n"
                  ".func (.param .b32 out) down(.param .b32 in)\n{\n.local .align 4 .b8 mine[16];\n"
                  ".reg .pred %q;\n.reg .b32 %x<6>;\n"
                  "ld.param.u32 %x1, [in];\nmov.u32 %x5, mine;\nst.local.u32 [%x5], %x1;\n"
                  "setp.eq.u32 %q, %x1, 0;\n@%q bra DONE;\nsub.u32 %x2, %x1, 1;\n"
                  "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %x2;\ncall.uni (r), down, (a);\n"
                  "ld.param.b32 %x3, [r]; }\nld.local.u32 %x4, [%x5];\nadd.u32 %x1, %x3, %x4;\n"
                  "DONE: st.param.b32 [out], %x1;\nret;\n}\n";
    play.body = TIMES("20", "and.b32 %r4, %r0, 7;\n{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r4;\n"
                            "call.uni (r), down, (a);\nld.param.b32 %r5, [r]; }\n"
                            "red.global.add.u32 [sum], %r5;\n") "st.global.u32 [%rd0], %r5;\nret;";
    wander(&play);
}

static void kernels_that_print(void **state)
{
    struct play play = { .grid = 4, .block = 64, .least = 3000, .check = SIM_CHECK_ALL };
    play.before = ".extern .func (.param .b32 f) vprintf(.param .b64 a, .param .b64 b);\n"
                  ".global .align 1 .b8 hello[4] = {104, 105, 10, 0};\n";
    play.body = TIMES("90", "rem.u32 %r4, %r10, 30;\nsetp.eq.u32 %p1, %r4, 29;\n@!%p1 bra QUIET;\n"
                            "mov.u64 %rd4, hello;\ncvta.global.u64 %rd5, %rd4;\nmov.u64 %rd6, 0;\n"
                            "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd5;\n"
                            "st.param.b64 [b], %rd6;\ncall.uni (r), vprintf, (a, b); }\nQUIET:\n") "ret;";
    wander(&play);
}

static void pieces_of_the_heap(void **state)
{
    struct play play = { .grid = 4, .block = 64, .least = 5000, .check = SIM_CHECK_ALL };
    play.before =
        ".extern .func (.param .b64 f) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n";
    play.body =
        TIMES("90", "mul.wide.u32 %rd4, %r0, 16;\nadd.u64 %rd4, %rd4, 4;\n"
                    "{ .param .b64 a; .param .b64 r; st.param.b64 [a], %rd4;\ncall.uni (r), malloc, (a);\n"
                    "ld.param.b64 %rd5, [r]; }\nst.u32 [%rd5], %r10;\nand.b32 %r4, %r0, 3;\n"
                    "setp.ne.u32 %p1, %r4, 0;\n"
                    "{ .param .b64 a; st.param.b64 [a], %rd5;\n@%p1 call free, (a); }\n"
                    "ld.u32 %r5, [%rd5];\nst.global.u32 [%rd0], %r5;\n") "ret;";
    wander(&play);
}

static void copies_on_their_way(void **state)
{
    struct play play = { .before = tile, .grid = 6, .block = 64, .least = 5000, .check = SIM_CHECK_ALL };
    play.body = "mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5;\n" TIMES(
        "60", "cp.async.ca.shared.global [%r4], [%rd0], 4;\ncp.async.wait_all;\nbar.sync 0;\n"
              "ld.shared.u32 %r6, [%r4];\nst.global.u32 [%rd0], %r6;\nbar.sync 0;\n") "ret;";
    wander(&play);
}

// With races, so that what blocks know of each other is part of what is found.
static void blocks_that_run_together(void **state)
{
    struct play play = { .before = tile,
                         .grid = 8,
                         .block = 64,
                         .cluster = 4,
                         .least = 10000,
                         .seed = 2,
                         .check = SIM_CHECK_ALL };
    play.body =
        "mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; and.b32 %r5, %r5, 255; add.u32 %r4, %r4, %r5;\n"
        "mov.u32 %r6, %cluster_ctarank; xor.b32 %r6, %r6, 1; mapa.shared::cluster.u32 %r7, %r4, %r6;\n"
        "st.shared.u32 [%r4], %r0;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n" TIMES(
            "50", "ld.shared::cluster.u32 %r8, [%r7];\nadd.u32 %r8, %r8, %r10;\n"
                  "barrier.cluster.arrive; barrier.cluster.wait;\nrem.u32 %r9, %r10, 20;\n"
                  "setp.ne.u32 %p1, %r9, 11;\nst.shared.u32 [%r4], %r8;\n"
                  "@!%p1 bra MISSED;\nbarrier.cluster.arrive; barrier.cluster.wait;\nMISSED:\n"
                  "atom.global.add.u32 %r8, [%rd1+16000], %r8;") "st.global.u32 [%rd0], %r8;\nret;";
    wander(&play);
    play.cooperative = true;
    wander(&play);
}

// Where a line began, far from where anything was kept, is found as from the start.
static void a_line_far_back(void **state)
{
    static struct way way;
    static char text[65536];
    const struct play play = { .grid = 3, .block = 64, .seed = 5, .check = SIM_CHECK_ALL };
    snprintf(text, sizeof text, "%s.file 1 \"k.cu\"\n%s%s\n}\n", head, start,
             ".loc 1 10 1\n" TIMES(
                 "3000", "add.u32 %r4, %r10, %r4;") ".loc 1 11 1\nadd.u32 %r5, %r4, 1;\n"
                                                    ".loc 1 12 1\nst.global.u32 [%rd0], %r5;\nret;");
    struct sim_module *module = read_module(text);
    struct sim_spot spot;
    set_out(&way, &play, module);
    for (uint64_t block = 0; block < 3; block++) {
        uint64_t ten = 0, eleven = 0, end = 0;
        assert_int_equal(sim_trace_goto(way.trace, block, 1), SIM_THERE);
        sim_trace_where(way.trace, &spot);
        for (int line = spot.line; spot.line < 12; sim_trace_forward(way.trace, 1), line = spot.line) {
            sim_trace_where(way.trace, &spot);
            if (spot.line != line && spot.line == 10)
                ten = spot.step;
            if (spot.line != line && spot.line == 11)
                eleven = spot.step;
        }
        sim_trace_where(way.trace, &spot);
        end = spot.step;
        assert_true(ten && eleven > ten + 5000 && end > eleven);
        go_to(&way, eleven);
        assert_int_equal(sim_trace_line_back(way.trace), SIM_THERE);
        sim_trace_where(way.trace, &spot);
        assert_int_equal(spot.step, ten);
        go_to(&way, eleven - 7);
        assert_int_equal(sim_trace_line_back(way.trace), SIM_THERE);
        sim_trace_where(way.trace, &spot);
        assert_int_equal(spot.step, ten);
    }
    come_home(&way);
    sim_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_with_barriers_atomics_and_splits),
        cmocka_unit_test(findings_of_every_kind_of_memory),
        cmocka_unit_test(one_long_block),
        cmocka_unit_test(calls_and_local_memory),
        cmocka_unit_test(kernels_that_print),
        cmocka_unit_test(pieces_of_the_heap),
        cmocka_unit_test(copies_on_their_way),
        cmocka_unit_test(blocks_that_run_together),
        cmocka_unit_test(a_line_far_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
