// Traces: the way forward and back, and what there is to see on it.
// Parts: wide baseline
#include "tests/unit/sim_kernel.h"

struct trace_stage {
    uint32_t words[WORDS];
    struct sim_module *module;
    struct sim_memory *memory;
    sim_address address;
    uint32_t number;
    struct sim_argument arguments[2];
    struct sim_launch launch;
    struct sim_trace *trace;
};
static struct trace_stage stage; // large

static void raise_curtain(const char *body, const char *before, uint32_t grid, uint32_t block, uint64_t seed)
{
    static char text[65536];
    struct sim_fault fault = { 0 };
    snprintf(text, sizeof text, "%s%s%s%s\n}\n", head, before, start, body);
    memset(&stage, 0, sizeof stage);
    stage.module = read_module(text);
    stage.memory = sim_memory_new();
    stage.address = sim_memory_add(stage.memory, "words", stage.words, sizeof stage.words, 4, SIM_INOUT);
    stage.arguments[0] = (struct sim_argument){ &stage.address, sizeof stage.address };
    stage.arguments[1] = (struct sim_argument){ &stage.number, sizeof stage.number };
    stage.launch = (struct sim_launch){
        .grid = { grid, 1, 1 }, .block = { block, 1, 1 }, .arguments = stage.arguments, .argument_count = 2
    };
    struct sim_options options = { .check = SIM_CHECK_ALL, .seed = seed };
    if (!sim_trace_open(stage.module, stage.memory, &stage.launch, &options, &stage.trace, &fault))
        fail_msg("%s", fault.text);
}

static void drop_curtain(void)
{
    sim_trace_close(stage.trace);
    sim_memory_free(stage.memory);
    sim_module_free(stage.module);
}

static struct sim_spot spot_now(void)
{
    struct sim_spot spot;
    sim_trace_where(stage.trace, &spot);
    return spot;
}

static void go_to_text(const char *text) // the next instruction that has it
{
    do
        assert_int_equal(sim_trace_forward(stage.trace, 1), SIM_THERE);
    while (!spot_now().text || !strstr(spot_now().text, text));
}

// ---- the way --------------------------------------------------------------------------------------------------

// Adds twice, with a barrier and a side that only some lanes take.
static const char busy[] = "setp.lt.u32 %p1, %r0, 5;\n@%p1 bra SOME;\natom.global.add.u32 %r4, [%rd1], 1;\n"
                           "SOME: bar.sync 0;\nld.global.u32 %r5, [%rd0+256];\nadd.u32 %r5, %r5, %r0;\n"
                           "st.global.u32 [%rd0+256], %r5;\nret;";

enum { SNAPSHOTS = 400 };
struct trace_view {
    struct sim_spot spot;
    uint32_t words[256];
    struct sim_touched touched;
    struct sim_register sum;
};

static void take(struct trace_view *out)
{
    memset(out, 0, sizeof *out);
    sim_trace_where(stage.trace, &out->spot);
    memcpy(out->words, stage.words, sizeof out->words);
    sim_trace_touched(stage.trace, &out->touched);
    sim_trace_register(stage.trace, "%r5", &out->sum);
}

static void expect_same(const struct trace_view *a, const struct trace_view *b)
{
    assert_int_equal(a->spot.step, b->spot.step);
    assert_int_equal(a->spot.ptx_line, b->spot.ptx_line);
    assert_int_equal(a->spot.block_number, b->spot.block_number);
    assert_int_equal(a->spot.warp, b->spot.warp);
    assert_int_equal(a->spot.mask, b->spot.mask);
    assert_int_equal(a->spot.active, b->spot.active);
    assert_memory_equal(a->words, b->words, sizeof a->words);
    assert_memory_equal(a->sum.value, b->sum.value, sizeof a->sum.value);
    assert_int_equal(a->touched.step, b->touched.step);
    assert_int_equal(a->touched.passes, b->touched.passes);
    assert_memory_equal(a->touched.lane, b->touched.lane, sizeof a->touched.lane);
}

static void back_is_where_it_was(void **state)
{
    static struct trace_view seen[SNAPSHOTS], now;
    for (uint64_t seed = 0; seed < 3; seed++) {
        size_t count = 0;
        raise_curtain(busy, "", 3, 64, seed);
        do
            take(&seen[count++]);
        while (count < SNAPSHOTS && sim_trace_forward(stage.trace, 1) == SIM_THERE);
        assert_true(count > 50 && count < SNAPSHOTS);
        count--; // the last one was taken twice: there is nothing beyond the end
        assert_true(seen[count].spot.ended);
        for (size_t i = count; i-- > 0;) {
            assert_int_equal(sim_trace_back(stage.trace, 1), SIM_THERE);
            take(&now);
            expect_same(&seen[i], &now);
        }
        assert_int_equal(sim_trace_back(stage.trace, 1), SIM_AT_START);
        assert_int_equal(sim_trace_forward(stage.trace, 37), SIM_THERE);
        take(&now);
        expect_same(&seen[37], &now);
        drop_curtain();
    }
}

static void the_end_is_that_of_a_run(void **state)
{
    static uint32_t traced[WORDS];
    static struct kernel_outcome outcome;
    struct setting s = {
        .body = busy, .grid = { 3 }, .block = { 64 }, .options = { .check = SIM_CHECK_ALL, .seed = 7 }
    };
    raise_curtain(busy, "", 3, 64, 7);
    assert_int_equal(sim_trace_end(stage.trace), SIM_THERE);
    assert_true(spot_now().ended);
    uint64_t steps = spot_now().step;
    memcpy(traced, stage.words, sizeof traced);
    drop_curtain();
    run(&s, &outcome);
    assert_memory_equal(traced, outcome.words, sizeof traced);
    assert_int_equal(steps, outcome.result.counters.warp_inst);
    drop(&outcome);
}

static void a_chosen_warp_is_found_ahead_and_behind(void **state)
{
    raise_curtain(busy, "", 3, 64, 0);
    assert_int_equal(sim_trace_goto(stage.trace, 2, 1), SIM_THERE);
    assert_int_equal(spot_now().block_number, 2);
    assert_int_equal(spot_now().warp, 1);
    assert_int_equal(sim_trace_goto(stage.trace, 0, 1), SIM_THERE);
    assert_int_equal(spot_now().block_number, 0);
    assert_int_equal(spot_now().warp, 1);
    assert_int_equal(sim_trace_goto(stage.trace, 3, 0), SIM_NO_SUCH_WARP);
    assert_int_equal(sim_trace_goto(stage.trace, 0, 2), SIM_NO_SUCH_WARP);
    drop_curtain();
}

static void a_trace_has_a_last_step(void **state)
{
    raise_curtain("mov.u32 %r4, 0;\nLOOP: add.u32 %r4, %r4, 1;\nbra.uni LOOP;", "", 1, 32, 0);
    assert_int_equal(sim_trace_end(stage.trace), SIM_TOO_FAR);
    assert_int_equal(spot_now().step, SIM_TRACE_MOST);
    assert_int_equal(sim_trace_forward(stage.trace, 1), SIM_TOO_FAR);
    drop_curtain();
}

// ---- what there is to see -------------------------------------------------------------------------------------

static void a_split_shows_its_masks(void **state)
{
    struct sim_path paths[8];
    raise_curtain(busy, "", 1, 64, 0);
    go_to_text("atom");
    assert_int_equal(spot_now().mask, 0xffffffe0);
    assert_int_equal(spot_now().live, 0xffffffff);
    size_t depth = sim_trace_stack(stage.trace, paths, 8);
    assert_true(depth >= 2);
    assert_int_equal(paths[0].mask, 0xffffffe0);
    assert_int_equal(paths[depth - 1].mask, 0xffffffff);
    assert_non_null(strstr(paths[depth - 1].text, "bar.sync"));
    assert_int_equal(paths[0].meets_ptx_line, paths[depth - 1].ptx_line);
    drop_curtain();
}

static void a_guard_shows_its_lanes(void **state)
{
    raise_curtain("setp.eq.u32 %p1, %r0, 3;\n@%p1 st.global.u32 [%rd0], 9;\nret;", "", 1, 32, 0);
    go_to_text("st.global");
    assert_int_equal(spot_now().mask, 0xffffffff);
    assert_int_equal(spot_now().active, 8);
    drop_curtain();
}

static void registers_are_named_and_typed(void **state)
{
    struct sim_register r, next[8];
    raise_curtain("sub.s32 %r4, %r0, 8;\nst.global.u32 [%rd0], %r4;\nret;", "", 1, 32, 0);
    go_to_text("st.global");
    assert_true(sim_trace_register(stage.trace, "r4", &r));
    assert_string_equal(r.name, "%r4");
    assert_int_equal(r.is, SIM_SIGNED);
    for (int i = 0; i < 32; i++)
        assert_int_equal((int32_t)r.value[i], i - 8);
    assert_true(r.read && !r.written);
    assert_false(sim_trace_register(stage.trace, "%r99", &r));
    assert_int_equal(sim_trace_registers(stage.trace, next, 8), 2); // the value and the address
    drop_curtain();
}

static void an_access_shows_sectors(void **state)
{
    struct sim_touched t;
    raise_curtain(
        "mul.wide.u32 %rd4, %r0, 32;\nadd.u64 %rd4, %rd1, %rd4;\nst.global.u32 [%rd4+4], %r0;\nret;", "", 1,
        32, 0);
    assert_false(sim_trace_touched(stage.trace, &t));
    go_to_text("st.global");
    assert_int_equal(sim_trace_forward(stage.trace, 1), SIM_THERE);
    assert_true(sim_trace_touched(stage.trace, &t));
    assert_int_equal(t.access, SIM_GLOBAL_STORE);
    assert_int_equal(t.passes, 32);
    assert_int_equal(t.ideal, 4);
    for (unsigned i = 0; i < 32; i++) {
        assert_string_equal(t.lane[i].space, "global");
        assert_string_equal(t.lane[i].buffer, "words");
        assert_int_equal(t.lane[i].element, 8 * i + 1);
        assert_int_equal(t.lane[i].address, stage.address + 32 * i + 4);
        assert_int_equal(t.lane[i].sector, i);
        assert_int_equal(t.lane[i].value[0], i);
    }
    drop_curtain();
}

static void an_access_shows_banks(void **state)
{
    struct sim_touched t;
    uint32_t words[64];
    raise_curtain("mov.u32 %r4, tile; shl.b32 %r5, %r0, 3; add.u32 %r4, %r4, %r5; add.u32 %r6, %r0, 100;\n"
                  "st.shared.u32 [%r4], %r6;\nbar.sync 0;\nld.shared.u32 %r7, [%r4];\nret;",
                  ".shared .align 4 .b8 tile[256];\n", 1, 32, 0);
    assert_int_equal(sim_trace_barrier(stage.trace), SIM_THERE);
    assert_non_null(strstr(spot_now().text, "bar.sync"));
    assert_true(sim_trace_touched(stage.trace, &t));
    assert_int_equal(t.access, SIM_SHARED_STORE);
    assert_int_equal(t.passes, 2);
    assert_int_equal(t.conflicts, 1);
    for (unsigned i = 0; i < 32; i++) {
        assert_string_equal(t.lane[i].buffer, "tile");
        assert_int_equal(t.lane[i].bank, 2 * i % 32);
        assert_int_equal(t.lane[i].value[0], 100 + i);
    }
    assert_int_equal(sim_trace_shared(stage.trace, 0, 64, words), 64);
    assert_int_equal(words[62], 131);
    assert_int_equal(words[63], 0);
    assert_int_equal(sim_trace_shared(stage.trace, 60, 64, words), 4);
    assert_int_equal(sim_trace_shared(stage.trace, SIZE_MAX, 64, words), 0);
    drop_curtain();
}

static void others_wait_at_their_barrier(void **state)
{
    struct sim_warp warps[32];
    raise_curtain(busy, "", 1, 96, 0);
    assert_int_equal(sim_trace_goto(stage.trace, 0, 1), SIM_THERE);
    assert_int_equal(sim_trace_warps(stage.trace, warps), 3);
    assert_int_equal(warps[0].state, SIM_WAITS);
    assert_int_equal(warps[0].barrier, 0);
    assert_int_equal(warps[1].state, SIM_RUNS);
    assert_int_equal(warps[2].state, SIM_READY);
    drop_curtain();
}

static void a_finding_stops_behind_what_it_is_about(void **state)
{
    struct sim_finding finding, *all;
    raise_curtain(
        "st.global.u32 [%rd0], 1;\nst.global.u32 [%rd0+16384], 1;\nst.global.u32 [%rd0+4], 1;\nret;", "", 1,
        32, 0);
    assert_int_equal(sim_trace_finding(stage.trace), SIM_THERE);
    assert_true(sim_trace_latest(stage.trace, &finding));
    assert_int_equal(finding.kind, SIM_OUT_OF_BOUNDS);
    assert_non_null(strstr(spot_now().text, "[%rd0+4]"));
    assert_int_equal(sim_trace_findings(stage.trace, &all), 1);
    free(all);
    assert_int_equal(sim_trace_back(stage.trace, 1), SIM_THERE);
    assert_int_equal(sim_trace_findings(stage.trace, &all), 0);
    drop_curtain();
}

// ---- lines, conflicts, stopping -------------------------------------------------------------------------------

static const char lined[] = ".loc 1 10 1\nadd.u32 %r4, %r0, 1;\nadd.u32 %r4, %r4, 1;\n.loc 1 11 1\n"
                            "add.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd0], %r4;\nret;";

static void a_line_back_is_where_the_line_began(void **state)
{
    raise_curtain(lined, ".file 1 \"k.cu\"\n", 1, 32, 0);
    go_to_text("add.u32");
    uint64_t ten = spot_now().step;
    assert_int_equal(spot_now().line, 10);
    assert_int_equal(sim_trace_line(stage.trace), SIM_THERE);
    assert_int_equal(spot_now().line, 11);
    uint64_t eleven = spot_now().step;
    assert_int_equal(eleven, ten + 2);
    sim_trace_forward(stage.trace, 2);
    assert_int_equal(sim_trace_line_back(stage.trace), SIM_THERE);
    assert_int_equal(spot_now().step, eleven);
    assert_int_equal(sim_trace_line_back(stage.trace), SIM_THERE);
    assert_int_equal(spot_now().step, ten);
    sim_trace_end(stage.trace);
    uint64_t end = spot_now().step;
    assert_int_equal(sim_trace_line_back(stage.trace), SIM_THERE);
    assert_int_equal(spot_now().step, end - 1);
    sim_trace_back(stage.trace, end);
    assert_int_equal(sim_trace_line_back(stage.trace), SIM_AT_START);
    drop_curtain();
}

static void a_conflict_stops_behind_its_access(void **state)
{
    struct sim_touched touched;
    raise_curtain(
        "mov.u32 %r4, tile;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r4, %r5;\nst.shared.u32 [%r5], %r0;\n"
        "shl.b32 %r5, %r0, 3;\nadd.u32 %r5, %r4, %r5;\nst.shared.u32 [%r5], %r0;\nret;",
        ".shared .align 4 .b8 tile[512];\n", 1, 32, 0);
    assert_int_equal(sim_trace_conflict(stage.trace), SIM_THERE);
    assert_true(sim_trace_touched(stage.trace, &touched));
    assert_int_equal(touched.step + 1, spot_now().step);
    assert_int_equal(touched.passes, 2);
    assert_int_equal(touched.ideal, 1);
    assert_int_equal(sim_trace_conflict(stage.trace), SIM_AT_END);
    drop_curtain();
}

static void a_move_can_be_stopped(void **state)
{
    atomic_bool stop = true;
    raise_curtain("AGAIN: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 100000;\n@%p1 bra AGAIN;\nret;", "", 1,
                  32, 0);
    sim_trace_forward(stage.trace, 100);
    sim_trace_stop_when(stage.trace, &stop);
    assert_int_equal(sim_trace_end(stage.trace), SIM_STOPPED);
    assert_int_equal(spot_now().step, 100);
    assert_int_equal(sim_trace_back(stage.trace, 10), SIM_STOPPED);
    assert_in_range(spot_now().step, 0, 89);
    sim_trace_stop_when(stage.trace, NULL);
    assert_int_equal(sim_trace_forward(stage.trace, 5), SIM_THERE);
    drop_curtain();
}

// ---- matrices -------------------------------------------------------------------------------------------------

// The elements that a cell's register holds after ldmatrix are those of its place in memory, where each is its number.
static void expect_places(const struct sim_matrix *matrix, unsigned number)
{
    assert_int_equal(matrix->cell_rows * matrix->tall, 8);
    assert_int_equal(matrix->cell_columns * matrix->wide, 8);
    for (unsigned cell = 0; cell < matrix->cell_rows * matrix->cell_columns; cell++) {
        struct sim_register held;
        unsigned row = cell / matrix->cell_columns * matrix->tall,
                 column = cell % matrix->cell_columns * matrix->wide;
        assert_true(sim_trace_register(stage.trace, matrix->registers[matrix->register_of[cell]], &held));
        for (unsigned at = 0; at < 2; at++)
            assert_int_equal(held.value[matrix->lane[cell]] >> 16 * at & 0xffff,
                             64 * number + (row + (matrix->tall > 1) * at) * 8 + column +
                                 (matrix->wide > 1) * at);
    }
}

static void matrices_are_where_the_trace_says(void **state)
{
    static const char shared[] = ".shared .align 16 .b8 tile[256];\n";
    static const char *const kinds[] = { "", ".trans" };
    for (int k = 0; k < 2; k++) {
        static char body[2048];
        struct sim_matrix matrices[SIM_MATRICES];
        // Lane i writes its row's half: elements 4 i to 4 i + 3, of two matrices one after the other.
        snprintf(
            body, sizeof body,
            "mov.u32 %%r1, tile;\nshl.b32 %%r2, %%r0, 3;\nadd.u32 %%r2, %%r1, %%r2;\n"
            "mul.lo.u32 %%r3, %%r0, 0x40004;\nadd.u32 %%r4, %%r3, 0x10000;\nadd.u32 %%r5, %%r3, 0x30002;\n"
            "st.shared.v2.u32 [%%r2], {%%r4, %%r5};\nbar.warp.sync 0xffffffff;\n"
            "and.b32 %%r3, %%r0, 15;\nshl.b32 %%r3, %%r3, 4;\nadd.u32 %%r3, %%r1, %%r3;\n"
            "ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%%r6, %%r7}, [%%r3];\nret;",
            kinds[k]);
        raise_curtain(body, shared, 1, 32, 0);
        assert_int_equal(sim_trace_matrices(stage.trace, matrices), 0);
        assert_int_equal(sim_trace_matrix(stage.trace), SIM_THERE);
        assert_int_equal(sim_trace_matrices(stage.trace, matrices), 2);
        assert_string_equal(matrices[0].name, "lanes 0-7");
        assert_int_equal(matrices[k].tall, k == 0 ? 1 : 2);
        assert_int_equal(sim_trace_forward(stage.trace, 1), SIM_THERE);
        expect_places(&matrices[0], 0);
        expect_places(&matrices[1], 1);
        assert_int_equal(sim_trace_matrix(stage.trace), SIM_AT_END);
        drop_curtain();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_is_where_it_was),
        cmocka_unit_test(the_end_is_that_of_a_run),
        cmocka_unit_test(a_chosen_warp_is_found_ahead_and_behind),
        cmocka_unit_test(a_trace_has_a_last_step),
        cmocka_unit_test(a_split_shows_its_masks),
        cmocka_unit_test(a_guard_shows_its_lanes),
        cmocka_unit_test(registers_are_named_and_typed),
        cmocka_unit_test(an_access_shows_sectors),
        cmocka_unit_test(an_access_shows_banks),
        cmocka_unit_test(others_wait_at_their_barrier),
        cmocka_unit_test(a_line_back_is_where_the_line_began),
        cmocka_unit_test(a_conflict_stops_behind_its_access),
        cmocka_unit_test(a_move_can_be_stopped),
        cmocka_unit_test(a_finding_stops_behind_what_it_is_about),
        cmocka_unit_test(matrices_are_where_the_trace_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
