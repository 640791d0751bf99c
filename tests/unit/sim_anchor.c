// The three kernels of the speed figures: their counts are known to the last unit.
#include "tests/unit/sim_kernel.h"

// ---- the anchors: their counts are known to the last unit ----------------------------------------------------------

enum { N = 1 << 20 };
struct anchor {
    const char *name;
    uint32_t grid;
    uint64_t warp_inst, thread_inst, branches, barriers, requests[SIM_ACCESSES], passes[SIM_ACCESSES];
    uint64_t atom_conflicts;
};
static const struct anchor anchors[] = {
    { "vadd",
      4096,
      720896,
      23068672,
      32768,
      0,
      { [SIM_GLOBAL_LOAD] = 65536, [SIM_GLOBAL_STORE] = 32768 },
      { [SIM_GLOBAL_LOAD] = 262144, [SIM_GLOBAL_STORE] = 131072 },
      0 },
    { "hist256",
      64,
      307712,
      9846784,
      33280,
      1024,
      { [SIM_GLOBAL_LOAD] = 32768,
        [SIM_GLOBAL_RED] = 512,
        [SIM_SHARED_LOAD] = 512,
        [SIM_SHARED_STORE] = 512,
        [SIM_SHARED_ATOM] = 32768 },
      { [SIM_GLOBAL_LOAD] = 32768,
        [SIM_GLOBAL_RED] = 2048,
        [SIM_SHARED_LOAD] = 512,
        [SIM_SHARED_STORE] = 512,
        [SIM_SHARED_ATOM] = 103230 },
      70462 },
    { "reduce256",
      4096,
      2662400,
      81772544,
      589824,
      294912,
      { [SIM_GLOBAL_LOAD] = 32768,
        [SIM_GLOBAL_RED] = 4096,
        [SIM_SHARED_LOAD] = 102400,
        [SIM_SHARED_STORE] = 81920 },
      { [SIM_GLOBAL_LOAD] = 131072,
        [SIM_GLOBAL_RED] = 4096,
        [SIM_SHARED_LOAD] = 102400,
        [SIM_SHARED_STORE] = 81920 },
      0 },
};

struct data {
    float *a, *b, *c;
    int32_t *numbers;
    unsigned char *bytes;
    int32_t out[256], histogram[256], sum;
};

static void make_data(struct data *data)
{
    *data = (struct data){ .a = malloc(4 * N),
                           .b = malloc(4 * N),
                           .c = malloc(4 * N),
                           .numbers = malloc(4 * N),
                           .bytes = malloc(N) };
    assert_true(data->a && data->b && data->c && data->numbers && data->bytes);
    uint32_t x = 12345;
    for (uint32_t i = 0; i < N; i++) {
        x = x * 1664525u + 1013904223u;
        data->a[i] = (float)i * 0.5f;
        data->b[i] = (float)(x >> 20);
        data->bytes[i] = (unsigned char)(x >> 24);
        data->numbers[i] = (int32_t)(x >> 22) - 512;
        data->sum += data->numbers[i];
        data->histogram[data->bytes[i]]++;
    }
}

static void free_data(struct data *data)
{
    free(data->a);
    free(data->b);
    free(data->c);
    free(data->numbers);
    free(data->bytes);
}

static void run_anchor(const struct sim_module *module, int which, struct data *data, int threads,
                       struct sim_result *result)
{
    struct sim_memory *memory = sim_memory_new();
    struct sim_fault fault = { 0 };
    uint32_t n = N;
    memset(data->out, 0, sizeof data->out);
    sim_address in = which == 0   ? sim_memory_add(memory, "a", data->a, 4 * N, 4, SIM_IN)
                     : which == 1 ? sim_memory_add(memory, "in", data->bytes, N, 1, SIM_IN)
                                  : sim_memory_add(memory, "in", data->numbers, 4 * N, 4, SIM_IN);
    sim_address b = sim_memory_add(memory, "b", data->b, 4 * N, 4, SIM_IN);
    sim_address c = sim_memory_add(memory, "c", data->c, 4 * N, 4, SIM_OUT);
    sim_address out = sim_memory_add(memory, "out", data->out, sizeof data->out, 4, SIM_INOUT);
    const struct sim_argument three[] = { { &in, 8 }, { &b, 8 }, { &c, 8 }, { &n, 4 } };
    const struct sim_argument two[] = { { &in, 8 }, { &out, 8 }, { &n, 4 } };
    struct sim_launch launch = { .kernel = sim_kernel_find(module, anchors[which].name),
                                 .grid = { anchors[which].grid, 1, 1 },
                                 .block = { 256, 1, 1 },
                                 .arguments = which == 0 ? three : two,
                                 .argument_count = which == 0 ? 4 : 3 };
    struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = threads };
    if (!sim_run(module, memory, &launch, &options, result, &fault))
        fail_msg("%s", fault.text);
    sim_memory_free(memory);
}

static void expect_anchor(const struct anchor *anchor, const struct sim_result *result)
{
    const struct sim_counters *c = &result->counters;
    assert_true(result->complete);
    assert_int_equal(result->finding_count, 0);
    assert_int_equal(c->warp_inst, anchor->warp_inst);
    assert_int_equal(c->thread_inst, anchor->thread_inst);
    assert_int_equal(c->branches, anchor->branches);
    assert_int_equal(c->barriers, anchor->barriers);
    for (int i = 0; i < SIM_ACCESSES; i++) {
        assert_int_equal(c->requests[i], anchor->requests[i]);
        assert_int_equal(c->passes[i], anchor->passes[i]);
    }
    assert_int_equal(c->conflicts[SIM_SHARED_ATOM], anchor->atom_conflicts);
}

static void anchors_have_their_exact_counts(void **state)
{
    static char text[1 << 16];
    FILE *file = fopen("tests/data/parse/anchors.ptx", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    struct sim_module *module = read_module(text);
    struct data data;
    make_data(&data);
    for (int which = 0; which < 3; which++)
        for (int threads = 1; threads <= 3; threads++) {
            struct sim_result result;
            run_anchor(module, which, &data, threads, &result);
            expect_anchor(&anchors[which], &result);
            sim_result_free(&result);
            for (int i = 0; which == 0 && i < N; i++)
                assert_true(data.c[i] == data.a[i] + data.b[i]);
            if (which == 1)
                assert_memory_equal(data.out, data.histogram, sizeof data.out);
            if (which == 2)
                assert_int_equal(data.out[0], data.sum);
        }
    free_data(&data);
    sim_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_have_their_exact_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
