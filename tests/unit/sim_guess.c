// What a launch guesses with every check (engine/sim/sanitize/guess.c) costs no launch its time: small ones do no work in
// proportion to the memory beside them, and one that runs again has its whole limit once more. The allocator and the clock
// are this file's: bytes are counted, and a millisecond passes whenever somebody looks.
#include <time.h>

#include "tests/unit/sim_kernel.h"

enum { MIB = 1 << 20, KERNELS = 2 };

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

static size_t taken; // bytes
void *__wrap_calloc(size_t count, size_t size)
{
    taken += count * size;
    return __real_calloc(count, size);
}

static long looks;
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    looks++;
    *out = (struct timespec){ .tv_sec = looks / 1000, .tv_nsec = looks % 1000 * 1000000 };
    return 0;
}

struct guess_bench {
    struct sim_module *module;
    struct sim_memory *memory;
    unsigned char *bytes;
    sim_address address;
};

// Kernels of a(.param .u64), with %r0 and %rd0 as in `start`: each body ends with ret.
static void bench_open(struct guess_bench *b, const char *const bodies[KERNELS], size_t bytes)
{
    static char text[8192];
    int length = snprintf(text, sizeof text, "%s", head);
    for (int i = 0; i < KERNELS; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t)length,
                     ".visible .entry k%d(.param .u64 a)\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<16>;\n"
                     ".reg .b64 %%rd<16>;\nld.param.u64 %%rd1, [a];\nmov.u32 %%r0, %%tid.x;\n"
                     "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%ntid.x;\nmad.lo.u32 %%r3, %%r1, %%r2, %%r0;\n"
                     "mul.wide.u32 %%rd2, %%r3, 4;\nadd.u64 %%rd0, %%rd1, %%rd2;\n%s\nret;\n}\n",
                     i, bodies[i]);
    *b = (struct guess_bench){ .module = read_module(text),
                               .memory = sim_memory_new(),
                               .bytes = calloc(1, bytes) };
    b->address = sim_memory_add(b->memory, "a", b->bytes, bytes, 4, SIM_INOUT);
}

static void bench_close(struct guess_bench *b)
{
    sim_memory_free(b->memory);
    sim_module_free(b->module);
    free(b->bytes);
}

static struct sim_result launch(struct guess_bench *b, int kernel, uint32_t blocks, uint32_t threads,
                                int limit_ms)
{
    const struct sim_argument argument = { &b->address, sizeof b->address };
    const struct sim_launch launch = { .kernel = kernel,
                                       .grid = { blocks, 1, 1 },
                                       .block = { threads, 1, 1 },
                                       .arguments = &argument,
                                       .argument_count = 1 };
    const struct sim_options options = { .check = SIM_CHECK_ALL, .threads = 1, .limit_ms = limit_ms };
    struct sim_result result;
    struct sim_fault fault = { 0 };
    if (!sim_run(b->module, b->memory, &launch, &options, &result, &fault))
        fail_msg("%s", fault.text);
    return result;
}

// ---- many small launches -----------------------------------------------------------------------------------------

// One stores, the other reads what it has stored.
static const char *const small_bodies[KERNELS] = {
    "st.global.u32 [%rd0], %r0;",
    "ld.global.u32 %r4, [%rd0];\nadd.u32 %r4, %r4, 1;",
};

// Bytes that all `launches` of each kernel but the first `but` take beside a buffer of `bytes`.
static size_t taken_beside(size_t bytes, int launches, int but)
{
    struct guess_bench b;
    bench_open(&b, small_bodies, bytes);
    for (int i = 0; i < launches * KERNELS; i++) {
        taken = i == but * KERNELS ? 0 : taken;
        struct sim_result result = launch(&b, i % KERNELS, 4, 32, 0);
        assert_true(result.complete);
        assert_int_equal(result.finding_count, 0);
        sim_result_free(&result);
    }
    bench_close(&b);
    return taken;
}

static void small_launches_do_not_guess(void **state)
{
    size_t little = taken_beside(2 * MIB, 50, 1);
    assert_true(little > 0);
    assert_int_equal(taken_beside(64 * MIB, 50, 1), little);
}

// A kernel that reads all of a buffer, 16 bytes a thread, and writes nothing: guessing needs no copy of it, however often it
// is launched. Where nothing is guessed the shadow of what is read takes a twelfth of it.
static const char *const reading_bodies[KERNELS] = {
    "mul.wide.u32 %rd3, %r3, 16;\nadd.u64 %rd3, %rd1, %rd3;\n"
    "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];",
    "",
};

// Bytes that the second launch takes beside a buffer of `bytes`.
static size_t taken_again(size_t bytes)
{
    struct guess_bench b;
    bench_open(&b, reading_bodies, bytes);
    for (int i = 0; i < 2; i++) {
        taken = 0;
        struct sim_result result = launch(&b, 0, (uint32_t)(bytes / 16 / 1024), 1024, 0);
        assert_true(result.complete);
        assert_int_equal(result.finding_count, 0);
        sim_result_free(&result);
    }
    bench_close(&b);
    return taken;
}

static void what_is_only_read_does_not_forbid_to_guess(void **state)
{
    assert_true(taken_again(4 * MIB) < taken_again(2 * MIB) + MIB / 32);
}

// Stores that reach each word once take a bit of it, and the copy; those that come twice, by one thread, are no mistake.
static const char *const storing_bodies[KERNELS] = {
    "xor.b32 %r4, %r3, 16;\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd1, %rd3;\n"
    "st.global.u32 [%rd3], %r0;",
    "xor.b32 %r4, %r3, 16;\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd1, %rd3;\n"
    "st.global.u32 [%rd3], %r0;\nst.global.u32 [%rd3], %r3;",
};

static size_t taken_by_stores(int kernel, size_t bytes)
{
    struct guess_bench b;
    bench_open(&b, storing_bodies, bytes);
    taken = 0;
    struct sim_result result = launch(&b, kernel, (uint32_t)(bytes / 4 / 1024), 1024, 0);
    assert_true(result.complete);
    assert_int_equal(result.finding_count, 0);
    sim_result_free(&result);
    bench_close(&b);
    return taken;
}

static void stores_that_come_once_take_a_bit(void **state)
{
    assert_true(taken_by_stores(0, MIB) < taken_by_stores(0, MIB / 2) + MIB / 4 * 3);
    assert_true(taken_by_stores(1, MIB) > taken_by_stores(1, MIB / 2) + MIB);
}

// A first launch beside little memory guesses, and the bytes counted above are more by the copy of what it writes.
static void a_guess_is_counted(void **state)
{
    assert_true(taken_beside(MIB, 1, 0) > taken_beside(MIB / 2, 1, 0) + MIB / 2);
}

// ---- the limit of time -------------------------------------------------------------------------------------------

// Each block loops for long over a word of the buffer, and the last one then writes another word: the guess about the
// buffer is wrong at the very end.
static const char *const late_bodies[KERNELS] = {
    "mov.u32 %r4, 0;\nL: ld.global.u32 %r5, [%rd1];\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 200000;\n"
    "@%p1 bra L;\nmov.u32 %r6, %nctaid.x;\nsub.u32 %r6, %r6, 1;\nsetp.eq.u32 %p2, %r1, %r6;\n"
    "@%p2 st.global.u32 [%rd1+65536], %r0;",
    "L: add.u32 %r4, %r4, 1;\nbra L;",
};

static long looks_of(int kernel, int limit_ms, bool *complete)
{
    struct guess_bench b;
    bench_open(&b, late_bodies, MIB);
    looks = 0;
    struct sim_result result = launch(&b, kernel, 8, 1, limit_ms);
    *complete = result.complete;
    sim_result_free(&result);
    bench_close(&b);
    return looks;
}

// The launch runs twice, each time for nearly half of all looks. It ends if either alone keeps within the limit.
static void a_second_run_has_the_limit_again(void **state)
{
    bool complete;
    long both = looks_of(0, 1000000, &complete);
    assert_true(complete);
    looks_of(0, (int)(both * 6 / 10), &complete);
    assert_true(complete);
    looks_of(0, (int)(both * 4 / 10), &complete);
    assert_false(complete);
}

// What does not end is stopped once, at the limit.
static void an_endless_guess_is_stopped_once(void **state)
{
    bool complete;
    long all = looks_of(1, 1000, &complete);
    assert_false(complete);
    assert_in_range(all, 1000, 1100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_launches_do_not_guess),
        cmocka_unit_test(a_guess_is_counted),
        cmocka_unit_test(what_is_only_read_does_not_forbid_to_guess),
        cmocka_unit_test(stores_that_come_once_take_a_bit),
        cmocka_unit_test(a_second_run_has_the_limit_again),
        cmocka_unit_test(an_endless_guess_is_stopped_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
