// The variables of the source, by the debugging information of clang and of NVRTC: names, types and values at marked lines
// of tests/data/variables/names.cu, and hostile bytes in their place.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/base.h"
#include "engine/sim/sim.h"

enum { LAST = 6, LANES = 32, MOST = 128 }; // LAST: the kernel's n
static struct text source;

static void read_text(const char *path, struct text *out)
{
    struct error error;
    if (!file_read(path, out, &error))
        fail_msg("%s", error.text);
}

// The line of names.cu with this mark.
static int line_of(const char *mark)
{
    const char *at = strstr(text_string(&source), mark);
    int line = 1;
    assert_non_null(at);
    for (const char *c = text_string(&source); c < at; c++)
        line += *c == '\n';
    return line;
}

// ---- a launch --------------------------------------------------------------------------------------------

struct named_stage {
    float in[LANES], out[LANES];
    int n;
    struct sim_module *module;
    struct sim_memory *memory;
    sim_address addresses[2];
    struct sim_argument arguments[3];
    struct sim_launch launch;
    struct sim_trace *trace;
};
static struct named_stage stage;

static bool stage_open(const char *ptx, size_t length, enum sim_check check)
{
    struct sim_fault fault;
    struct sim_options options = { .check = check };
    stage = (struct named_stage){ .n = LAST };
    if (!sim_module_read(ptx, length, &stage.module, &fault))
        return false;
    stage.memory = sim_memory_new();
    for (int i = 0; i < LANES; i++)
        stage.in[i] = (float)i;
    stage.addresses[0] = sim_memory_add(stage.memory, "in", stage.in, sizeof stage.in, 4, SIM_IN);
    stage.addresses[1] = sim_memory_add(stage.memory, "out", stage.out, sizeof stage.out, 4, SIM_OUT);
    stage.arguments[0] = (struct sim_argument){ &stage.addresses[0], 8 };
    stage.arguments[1] = (struct sim_argument){ &stage.addresses[1], 8 };
    stage.arguments[2] = (struct sim_argument){ &stage.n, 4 };
    stage.launch = (struct sim_launch){
        .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 }, .arguments = stage.arguments, .argument_count = 3
    };
    return sim_trace_open(stage.module, stage.memory, &stage.launch, &options, &stage.trace, &fault);
}

static void stage_close(void)
{
    sim_trace_close(stage.trace);
    if (stage.memory)
        sim_memory_free(stage.memory);
    sim_module_free(stage.module);
    stage = (struct named_stage){ 0 };
}

static struct sim_spot spot_now(void)
{
    struct sim_spot spot;
    sim_trace_where(stage.trace, &spot);
    return spot;
}

// To the next instruction of another line that is at this one.
static bool go_to(const char *mark)
{
    int line = line_of(mark);
    enum sim_arrival arrival = sim_trace_line(stage.trace);
    while (arrival == SIM_THERE && spot_now().line != line)
        arrival = sim_trace_line(stage.trace);
    return arrival == SIM_THERE;
}

static struct sim_variable named(const char *name)
{
    struct sim_variable v;
    if (!sim_trace_variable(stage.trace, name, &v))
        fail_msg("%s is not in scope in line %d", name, spot_now().line);
    return v;
}

// ---- what it must hold -----------------------------------------------------------------------------------

static void holds(const char *name, uint32_t lanes, int64_t (*of_lane)(int lane))
{
    struct sim_variable v = named(name);
    lanes &= spot_now().mask;
    assert_int_equal(v.known, SIM_HAS_VALUE);
    assert_int_equal(v.lanes, lanes);
    for (int i = 0; i < LANES; i++)
        if (lanes >> i & 1 && v.value[i] != ((uint64_t)of_lane(i) & (~0ull >> (64 - 8 * v.bytes))))
            fail_msg("%s is %llx in lane %d, not %llx", name, (unsigned long long)v.value[i], i,
                     (unsigned long long)of_lane(i));
}

static int64_t the_lane(int lane)
{
    return lane;
}
static int64_t is_odd(int lane)
{
    return lane & 1;
}
static int64_t small_of(int lane)
{
    return (250 + lane) & 255;
}
static int64_t big_of(int lane)
{
    return lane * 10000000000ll;
}
static int64_t quarter(int lane)
{
    return 0x3e800000;
}
static int64_t half_of(int lane)
{
    double value = 0.5 * lane;
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static int64_t two_and_a_half(int lane)
{
    return 0x40200000;
}
static int64_t three(int lane)
{
    return 3;
}
static int64_t six(int lane)
{
    return LAST;
}
static int64_t seven_times(int lane)
{
    return 7 * lane;
}
static int64_t sum_of(int lane) // s after the loop
{
    int s = 0;
    for (int i = 0; i < LAST && s <= 8; i++)
        s += i == lane ? 0 : 2 * i;
    return s;
}
static int64_t y_after(int lane)
{
    return lane + sum_of(lane);
}
static int64_t inner_x(int lane)
{
    return y_after(lane) + 1;
}

static void has(const char *name, const char *type, enum sim_number is)
{
    struct sim_variable v = named(name);
    assert_string_equal(v.type, type);
    assert_int_equal(v.is, is);
}

static void check_straight(bool clang)
{
    holds("x", ~0u, the_lane);
    holds("y", ~0u, the_lane);
    holds("odd", ~0u, is_odd);
    holds("small", ~0u, small_of);
    holds("big", ~0u, big_of);
    holds("quarter", ~0u, quarter);
    holds("half", ~0u, half_of);
    holds("both.a", ~0u, the_lane);
    holds("both.b", ~0u, two_and_a_half);
    holds("four[0]", ~0u, the_lane);
    holds("four[3]", ~0u, three);
    holds("n", ~0u, six);
    has("x", "int", SIM_SIGNED);
    has("odd", "bool", SIM_BOOL);
    has("small", "unsigned char", SIM_UNSIGNED);
    has("half", "double", SIM_FLOAT);
    has("at", "const float *", SIM_POINTER);
    has("four", "int [4]", SIM_UNSIGNED);
    assert_int_equal(named("s").known, SIM_NO_VALUE);
    assert_int_equal(named("four").known, SIM_HAS_PARTS);
    struct sim_variable at = named("at"), one;
    assert_int_equal(at.inside, ~0u);
    assert_string_equal(at.buffer, "in");
    for (int i = 0; i < LANES; i++)
        assert_int_equal(at.element[i], i);
    assert_true(named("n").parameter && !named("x").parameter);
    assert_false(sim_trace_variable(stage.trace, "four[4]", &one));
    assert_false(sim_trace_variable(stage.trace, "both.c", &one));
    assert_false(sim_trace_variable(stage.trace, "total", &one)); // of the function
    // Only the odd lanes have given it a value. NVRTC leaves a register for it that the others never write.
    if (clang)
        holds("maybe", 0xaaaaaaaa, seven_times);
    else
        assert_int_equal(named("maybe").known, SIM_NOT_KNOWN);
    if (!clang) // NVRTC does not describe variables in shared memory
        return;
    has("tile", "int [2][32]", SIM_UNSIGNED);
    assert_int_equal(named("tile[1][5]").value[9], 10);
    assert_int_equal(named("tile[0][5]").known, SIM_NO_VALUE);
}

// In the second round w still holds, in memory or in its register, what it was in the first one.
static void check_loop(void)
{
    int rounds = 0;
    while (go_to("BEFORE w")) {
        struct sim_variable i = named("i"), w = named("w");
        uint32_t mask = spot_now().mask;
        assert_int_not_equal(w.known, SIM_HAS_VALUE);
        assert_int_equal(i.known, SIM_HAS_VALUE);
        assert_int_equal(i.lanes, mask);
        assert_true(go_to("// LOOP"));
        mask = spot_now().mask;
        i = named("i");
        w = named("w");
        struct sim_variable s = named("s");
        assert_true(i.lanes == mask && w.lanes == mask && s.lanes == mask);
        for (int lane = 0; lane < LANES; lane++) {
            int before = 0;
            for (int k = 0; k < (int)i.value[lane]; k++)
                before += k == lane ? 0 : 2 * k;
            if (!(mask >> lane & 1))
                continue;
            assert_int_not_equal(i.value[lane], lane); // those went on with the next round
            assert_int_equal(w.value[lane], 2 * i.value[lane]);
            assert_int_equal(s.value[lane], before);
        }
        rounds++;
    }
    assert_true(rounds >= 4);
}

static void check_call(void)
{
    struct sim_variable one;
    holds("last", ~0u, three);
    struct sim_variable k = named("k"), total = named("total");
    assert_int_equal(total.value[7], k.value[7] * (k.value[7] - 1) / 2);
    assert_false(sim_trace_variable(stage.trace, "y", &one)); // the kernel's
}

static void walk_through(const char *path, bool clang)
{
    struct text ptx = { 0 };
    read_text("tests/data/variables/names.cu", &source);
    read_text(path, &ptx);
    assert_true(stage_open(ptx.data, ptx.length, SIM_CHECK_ALL));
    assert_true(sim_trace_has_variables(stage.trace));
    assert_int_equal(named("n").known, SIM_NO_VALUE); // before its first instruction
    assert_true(go_to("BEFORE y"));
    holds("x", ~0u, the_lane);
    assert_int_equal(named("y").known, SIM_NO_VALUE);
    assert_true(go_to("STRAIGHT"));
    check_straight(clang);
    check_loop();
    assert_int_equal(sim_trace_back(stage.trace, UINT64_MAX), SIM_AT_START);
    assert_true(go_to("AFTER LOOP"));
    if (spot_now().mask == ~0u)
        holds("s", ~0u, sum_of);
    while (spot_now().mask != ~0u)
        assert_int_equal(sim_trace_forward(stage.trace, 1), SIM_THERE);
    assert_true(spot_now().line == line_of("INNER") || go_to("INNER"));
    holds("y", ~0u, y_after);
    holds("x", ~0u, inner_x); // which hides the other
    if (clang)
        holds("four[2]", ~0u, inner_x);
    assert_true(go_to("IN CALL"));
    check_call();
    assert_true(go_to("IN CALL"));
    check_call();
    assert_true(go_to("END"));
    holds("n", ~0u, three);
    holds("x", ~0u, the_lane);
    struct sim_variable there = named("there");
    assert_string_equal(there.buffer, "four");
    assert_int_equal(there.element[4], 1);
    assert_int_equal(named("four[1]").value[4], 7);
    stage_close();
    text_free(&ptx);
    text_free(&source);
}

static void clang_keeps_all_variables(void **state)
{
    walk_through("tests/data/variables/names.clang.ptx", true);
}

static void nvrtc_moves_them_from_register_to_register(void **state)
{
    walk_through("tests/data/variables/names.nvrtc.ptx", false);
}

// A variable in memory has a value once it was stored, which the text alone says for those that are stored by name.
static void without_the_sanitizer_less_is_known(void **state)
{
    struct text ptx = { 0 };
    read_text("tests/data/variables/names.cu", &source);
    read_text("tests/data/variables/names.clang.ptx", &ptx);
    assert_true(stage_open(ptx.data, ptx.length, SIM_CHECK_COUNTERS));
    assert_true(go_to("STRAIGHT"));
    holds("x", ~0u, the_lane);
    holds("half", ~0u, half_of);
    assert_int_equal(named("maybe").known, SIM_NOT_KNOWN);
    assert_int_equal(named("tile[1][5]").known, SIM_NOT_KNOWN);
    stage_close();
    text_free(&ptx);
    text_free(&source);
}

static void listed_parts_come_before_parameters(void **state)
{
    static struct sim_variable all[MOST];
    struct text ptx = { 0 };
    read_text("tests/data/variables/names.cu", &source);
    read_text("tests/data/variables/names.clang.ptx", &ptx);
    assert_true(stage_open(ptx.data, ptx.length, SIM_CHECK_ALL));
    assert_true(go_to("STRAIGHT"));
    size_t count = sim_trace_variables(stage.trace, all, MOST), elements = 0;
    assert_true(count > 12 && count <= MOST);
    for (size_t i = 0; i < count; i++) {
        elements += strncmp(all[i].name, "four[", 5) == 0;
        assert_int_equal(all[i].parameter, i >= count - 3);
        assert_true(strcmp(all[i].name, "tile") != 0 || all[i].known == SIM_HAS_PARTS); // 64 are too many
    }
    assert_int_equal(elements, 4);
    assert_int_equal(sim_trace_variables(stage.trace, all, 2), count);
    stage_close();
    text_free(&ptx);
    text_free(&source);
}

// ---- hostile debugging information ------------------------------------------------------------------------

// Opens, steps and looks; whatever it finds is fine.
static void look_at(const char *ptx, size_t length)
{
    static struct sim_variable all[MOST];
    if (stage_open(ptx, length, SIM_CHECK_ALL))
        for (int i = 0; i < 6; i++) {
            size_t count = sim_trace_variables(stage.trace, all, MOST);
            for (size_t k = 0; k < count && k < MOST; k++)
                sim_trace_variable(stage.trace, all[k].name, &all[k]);
            sim_trace_forward(stage.trace, 23);
        }
    stage_close();
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 33;
}

// The code stays, so that there is something to look at; numbers of the sections become others.
static void changed_bytes_do_no_harm(void **state)
{
    static const char *const paths[] = { "tests/data/variables/names.clang.ptx",
                                         "tests/data/variables/names.nvrtc.ptx" };
    uint64_t seed = 7;
    for (int p = 0; p < 2; p++) {
        struct text ptx = { 0 };
        read_text(paths[p], &ptx);
        size_t sections = (size_t)(strstr(ptx.data, ".debug_") - ptx.data);
        char *copy = malloc(ptx.length + 1);
        assert_non_null(copy);
        for (int round = 0; round < 300; round++) {
            memcpy(copy, ptx.data, ptx.length + 1);
            for (uint64_t change = 0; change <= next_random(&seed) % 4; change++) {
                size_t at = sections + next_random(&seed) % (ptx.length - sections);
                while (at < ptx.length && (copy[at] < '0' || copy[at] > '9'))
                    at++;
                if (at < ptx.length)
                    copy[at] = (char)('0' + next_random(&seed) % 10);
            }
            look_at(copy, ptx.length);
        }
        free(copy);
        text_free(&ptx);
    }
}

static void cut_sections_do_no_harm(void **state)
{
    struct text ptx = { 0 };
    read_text("tests/data/variables/names.nvrtc.ptx", &ptx);
    size_t sections = (size_t)(strstr(ptx.data, ".section") - ptx.data);
    for (size_t at = sections; at < ptx.length; at += 131) {
        size_t end = at;
        while (end > sections && ptx.data[end] != '\n')
            end--;
        struct text cut = { 0 };
        text_add_n(&cut, ptx.data, end);
        text_add(&cut, "\n}\n");
        look_at(cut.data, cut.length);
        text_free(&cut);
    }
    text_free(&ptx);
}

#define CODE                                                                                                 \
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry names(.param .u64 a, .param .u64 b, "    \
    ".param .u32 n)\n{\n.reg .b32 %r<4>;\nL0:\nmov.u32 %r1, 5;\nL1:\nadd.u32 %r2, %r1, 1;\nret;\nL2:\n}\n"
#define ABBREVIATIONS                                                                                        \
    ".section .debug_abbrev\n{\n.b8 1, 17, 1, 0, 0, 2, 46, 1, 17, 1, 18, 1, 0, 0, 3, 52, 0, 3, 8, 73, 19, "  \
    "2, "                                                                                                    \
    "10, 0, 0\n.b8 4, 36, 0, 3, 8, 62, 11, 11, 11, 0, 0, 5, 22, 0, 3, 8, 73, 19, 0, 0\n.b8 6, 1, 1, 73, "    \
    "19, 0, "                                                                                                \
    "0, 7, 33, 0, 55, 15, 0, 0, 8, 19, 1, 3, 8, 11, 11, 0, 0, 9, 13, 0, 3, 8, 73, 19, 56, 11, 0, 0\n.b8 "    \
    "0\n}\n"
#define UNIT                                                                                                 \
    ".section .debug_info\n{\n.b32 400\n.b8 4, 0\n.b32 .debug_abbrev\n.b8 8, 1, 2\n.b64 L0\n.b64 L2\n"
#define ROW "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"
#define REST                                                                                                 \
    ".b8 " ROW "\n.b8 " ROW "\n.b8 " ROW "\n.b8 " ROW "\n.b8 " ROW "\n.b8 " ROW "\n.b8 " ROW "\n.b8 " ROW    \
    "\n.b8 " ROW "\n.b8 " ROW "\n.b8 " ROW "\n.b8 " ROW "\n}\n"

// Offsets: the function's entry is at 12, what follows begins at 29.
static void made_up_entries_do_no_harm(void **state)
{
    static const char *const bodies[] = {
        ".b8 3, 118, 0\n.b32 29\n.b8 1, 144\n",                         // a variable is its own type
        ".b8 3, 118, 0\n.b32 39\n.b8 1, 144\n.b8 5, 116, 0\n.b32 39\n", // a name for itself
        ".b8 3, 118, 0\n.b32 38\n.b8 0\n.b8 6\n.b32 38\n.b8 7, 255, 255, 255, 255, 15\n.b8 0\n", // of itself
        ".b8 3, 118, 0\n.b32 38\n.b8 0\n.b8 8, 115, 0, 8, 9, 109, 0\n.b32 38\n.b8 0, 0\n", // a part of itself
        ".b8 3, 118, 0\n.b32 4294967295\n.b8 255, 144\n",
        ".b8 3, 118, 0\n.b32 29\n.b8 12, 144, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 127\n",
        ".b8 2\n.b64 L2\n.b64 L0\n.b8 3, 118, 0\n.b32 29\n.b8 1, 3\n", // a function inside it, which ends before it begins
        ".b8 2\n.b64 nowhere\n.b64 .debug_info\n",
        ".b8 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 3\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char *text = text_format("%s%s%s%s%s", CODE, ABBREVIATIONS, UNIT, bodies[i], REST);
        look_at(text, strlen(text));
        free(text);
    }
    struct text deep = { 0 }; // functions in functions
    text_addf(&deep, "%s%s%s", CODE, ABBREVIATIONS, UNIT);
    for (int i = 0; i < 500; i++)
        text_add(&deep, ".b8 2\n.b64 L0\n.b64 L2\n");
    text_add(&deep, "}\n");
    look_at(deep.data, deep.length);
    text_free(&deep);
}

// The same bytes with a right entry: what the others were changed from is understood.
static void a_made_up_entry_is_read(void **state)
{
    char *text =
        text_format("%s%s%s%s%s", CODE, ABBREVIATIONS, UNIT,
                    ".b8 3, 118, 0\n.b32 42\n.b8 5, 144, 177, 228, 149, 1\n.b8 4, 105, 0, 5, 4\n", REST);
    assert_true(stage_open(text, strlen(text), SIM_CHECK_ALL));
    assert_int_equal(named("v").known, SIM_NO_VALUE);
    sim_trace_forward(stage.trace, 1);
    assert_int_equal(named("v").known, SIM_HAS_VALUE);
    assert_int_equal(named("v").value[3], 5);
    assert_string_equal(named("v").type, "i");
    stage_close();
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clang_keeps_all_variables),
        cmocka_unit_test(nvrtc_moves_them_from_register_to_register),
        cmocka_unit_test(without_the_sanitizer_less_is_known),
        cmocka_unit_test(listed_parts_come_before_parameters),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(cut_sections_do_no_harm),
        cmocka_unit_test(made_up_entries_do_no_harm),
        cmocka_unit_test(a_made_up_entry_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
