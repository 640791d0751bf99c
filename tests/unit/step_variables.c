// The debug builds of kernels that ship, by the compilers that are here: their variables hold what the threads' numbers make
// them, and where both compilers make one, the two agree after every access to memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/cli/cli.h"
#include "engine/compile/compile.h"
#include "engine/run/simulation.h"

enum { LANES = 32, MOST = 96, ACCESSES = 150 };

struct walked { // one build of a kernel
    struct target target;
    struct request request;
    struct stepper stepper;
};

static void only(enum compiler compiler)
{
    setenv(compiler == COMPILER_NVRTC ? "WARPBOOK_CLANG" : "WARPBOOK_NVRTC", "none", 1);
    unsetenv(compiler == COMPILER_NVRTC ? "WARPBOOK_NVRTC" : "WARPBOOK_CLANG");
}

// False: this compiler is not here.
static bool walk_open(struct walked *w, const char *what, enum compiler compiler)
{
    struct error error;
    memset(w, 0, sizeof *w);
    only(compiler);
    if (!target_read(what, &w->target, &error))
        fail_msg("%s: %s", what, error.text);
    w->request = request_new(ON_SIM, w->target.lab->name, w->target.variant, NULL, "small", NULL);
    w->stepper.setup.debug = true;
    bool open = stepper_open(&w->stepper, &w->request, &error);
    if (!open && error.code != EXIT_MISSING)
        fail_msg("%s: %s", what, error.text);
    if (!open)
        print_message("skipped: %s is not here\n", compiler == COMPILER_NVRTC ? "NVRTC" : "clang");
    else
        assert_int_equal(w->stepper.setup.compiled.by, compiler);
    return open;
}

static void walk_close(struct walked *w)
{
    stepper_close(&w->stepper);
    request_free(&w->request);
    target_free(&w->target);
}

// ---- what the threads' numbers make them -------------------------------------------------------------------------

static int line_of(const struct walked *w, const char *text)
{
    const char *source = w->target.variant->text, *at = strstr(source, text);
    int line = 1;
    if (!at)
        fail_msg("%s has no '%s'", w->target.variant->path, text);
    for (const char *c = source; c < at; c++)
        line += *c == '\n';
    return line;
}

// What a variable is in every lane of a block that is not the first, where the warp comes to a line.
static void holds_at(const struct walked *w, const char *text, const char *name,
                     uint32_t (*of)(const uint32_t block[3], const uint32_t thread[3]))
{
    const struct sim_trace *trace = w->stepper.trace;
    struct sim_variable v;
    struct sim_spot spot;
    int line = line_of(w, text);
    for (sim_trace_where(trace, &spot); spot.line != line; sim_trace_where(trace, &spot))
        if (sim_trace_line(w->stepper.trace) != SIM_THERE)
            fail_msg("it never comes to '%s'", text);
    if (!sim_trace_variable(trace, name, &v))
        fail_msg("%s is not in scope at '%s'", name, text);
    assert_int_equal(v.known, SIM_HAS_VALUE);
    assert_int_equal(v.lanes, spot.mask);
    assert_string_equal(v.type, "int");
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t thread[3];
        sim_trace_thread(trace, lane, thread);
        if (v.lanes >> lane & 1)
            assert_int_equal(v.value[lane], of(spot.block, thread));
    }
}

static uint32_t col_of(const uint32_t block[3], const uint32_t thread[3])
{
    return block[0] * 32 + thread[0];
}
static uint32_t row_of(const uint32_t block[3], const uint32_t thread[3])
{
    return block[1] * 32 + thread[1];
}

static void row_and_column_are_those_of_the_thread(enum compiler compiler)
{
    struct walked w;
    if (!walk_open(&w, "transpose/tile", compiler)) {
        walk_close(&w);
        skip();
    }
    assert_int_equal(sim_trace_goto(w.stepper.trace, 9, 5), SIM_THERE);
    holds_at(&w, "tile[threadIdx.y][threadIdx.x] =", "col", col_of);
    holds_at(&w, "tile[threadIdx.y][threadIdx.x] =", "row", row_of);
    walk_close(&w);
}

static void clang_names_row_and_column(void **state)
{
    row_and_column_are_those_of_the_thread(COMPILER_CLANG);
}

static void nvrtc_names_row_and_column(void **state)
{
    row_and_column_are_those_of_the_thread(COMPILER_NVRTC);
}

// ---- two compilers, one kernel -----------------------------------------------------------------------------------

// On to where this warp has accessed global or shared memory once more.
static bool next_access(struct sim_trace *trace, struct sim_touched *out)
{
    struct sim_spot spot;
    for (;;) {
        if (sim_trace_forward(trace, 1) != SIM_THERE)
            return false;
        sim_trace_where(trace, &spot);
        bool fresh = sim_trace_touched(trace, out) && out->step + 1 == spot.step && out->lanes;
        if (fresh && strcmp(out->lane[__builtin_ctz(out->lanes)].space, "local") != 0)
            return !spot.ended;
    }
}

static size_t compare_variables(const struct sim_trace *a, const struct sim_trace *b, const char *what)
{
    static struct sim_variable all[MOST];
    struct sim_variable other;
    size_t compared = 0, count = sim_trace_variables(a, all, MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        const struct sim_variable *v = &all[i];
        if (!sim_trace_variable(b, v->name, &other))
            continue;
        for (int lane = 0; lane < LANES; lane++) {
            if (!(v->lanes & other.lanes & 1u << lane))
                continue;
            compared++;
            bool same = v->is == SIM_POINTER
                            ? strcmp(v->buffer, other.buffer) == 0 && v->element[lane] == other.element[lane]
                            : v->value[lane] == other.value[lane];
            if (!same)
                fail_msg("%s: %s is %llx in lane %d by clang and %llx by NVRTC", what, v->name,
                         (unsigned long long)v->value[lane], lane, (unsigned long long)other.value[lane]);
        }
    }
    return compared;
}

static void both_compilers_agree(void **state)
{
    static const char *const steps[] = { "transpose/padded", "reduction/interleaved",  "histogram/shared",
                                         "matvec/warps",     "divergence/odd-even-if", "banks/xor" };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct walked clang, nvrtc;
        bool clang_is = walk_open(&clang, steps[i], COMPILER_CLANG);
        bool both = clang_is && walk_open(&nvrtc, steps[i], COMPILER_NVRTC);
        struct sim_touched one, other;
        size_t compared = 0;
        for (int n = 0; both && n < ACCESSES && next_access(clang.stepper.trace, &one); n++) {
            if (!next_access(nvrtc.stepper.trace, &other) || one.line != other.line ||
                one.lanes != other.lanes || one.bytes != other.bytes || one.warp != other.warp)
                break; // they do not make the same accesses of a statement
            compared += compare_variables(clang.stepper.trace, nvrtc.stepper.trace, steps[i]);
        }
        if (both && !compared)
            fail_msg("%s: nothing was compared", steps[i]);
        walk_close(&clang);
        if (clang_is)
            walk_close(&nvrtc);
        if (!both)
            skip();
    }
}

static void without_a_compiler_there_is_no_debug_build(void **state)
{
    struct target target;
    struct error error;
    struct stepper stepper = { .setup = { .debug = true } };
    setenv("WARPBOOK_CLANG", "none", 1);
    setenv("WARPBOOK_NVRTC", "none", 1);
    assert_true(target_read("transpose/tile", &target, &error));
    struct request request = request_new(ON_SIM, "transpose", target.variant, NULL, "small", NULL);
    assert_false(stepper_open(&stepper, &request, &error));
    assert_non_null(strstr(error.text, "names no variables"));
    assert_non_null(strstr(error.text, "Install clang"));
    stepper_close(&stepper);
    request_free(&request);
    target_free(&target);
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "worker") == 0) // NVRTC runs in a child
        _exit(compile_child_main());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clang_names_row_and_column),
        cmocka_unit_test(nvrtc_names_row_and_column),
        cmocka_unit_test(both_compilers_agree),
        cmocka_unit_test(without_a_compiler_there_is_no_debug_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
