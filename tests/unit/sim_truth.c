// What an H100 says of 196 small kernels, and what the simulator says: every counter that a compiler's choice does not
// decide, and every byte that the kernels leave behind. tests/data/truth holds the kernels, their PTX, and both tables.
#include "engine/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/variant.h"

enum { COLUMNS = 32, NAME = 64, BUFFERS = 8 };
#define FOLDER "tests/data/truth/"

// ---- where the simulator must differ ---------------------------------------------------------------------------------

// ptxas changed what PTX says. Everything that is not listed here must be equal.
static const struct excuse {
    const char *kernel, *columns, *why;
} excuses[] = {
    { "matmul16", "sld_inst sld_wave l1_wave_shared l1_wave_shared_ideal",
      "the 16 loads of a row of A, one word each, became 4 of 16 bytes" },
    { "div_function_pointer", "gst_req gst_sec l2_sectors l2_sectors_ideal",
      "what follows the call was put behind each of the three functions: lanes do not meet before it" },
    { "div_recursion", "gld_req gld_sec gst_req gst_sec l2_sectors l2_sectors_ideal",
      "lanes that come back from different depths do not meet again" },
    { "div_short_circuit", "gst_req gst_sec l2_sectors l2_sectors_ideal",
      "one of the conditions meets later" },
    { "div_switch_fall", "gld_req gld_sec l2_sectors l2_sectors_ideal",
      "a case that is fallen into is there twice" },
    { "rec_goto", "gld_req gld_sec l2_sectors l2_sectors_ideal", "code behind a label is there twice" },
    { "rec_switch_loop", "gld_req gld_sec l2_sectors l2_sectors_ideal",
      "lanes that leave the switch by continue and by break meet later" },
    { "gatom_half2_add", "satom_wave", "through a generic pointer it looks into shared memory too" },
    { "satom_f32_add_mod8", "sld_inst sld_wave satom_inst satom_wave l1_wave_shared l1_wave_shared_ideal",
      "four warps swap the same words: how often one is in another's way is a matter of time" },
    { "satom_u64_pair", "l1_wave_shared_ideal", "the ideal of a loop" },
};

static bool is_excused(const char *kernel, const char *column)
{
    for (size_t i = 0; i < sizeof excuses / sizeof *excuses; i++) {
        if (strcmp(excuses[i].kernel, kernel) != 0)
            continue;
        const char *at = strstr(excuses[i].columns, column);
        size_t length = strlen(column);
        if (at && (at[length] == ' ' || at[length] == 0))
            return true;
    }
    return false;
}

// ---- the columns ---------------------------------------------------------------------------------------------------------

static uint64_t global_sum(const struct sim_counters *c, const uint64_t *of)
{
    uint64_t sum = 0;
    for (int i = SIM_GLOBAL_LOAD; i <= SIM_GLOBAL_ATOM; i++)
        sum += of[i] - (of == c->passes ? c->conflicts[i] : 0);
    return sum;
}

static uint64_t shared_sum(const uint64_t *of)
{
    return of[SIM_SHARED_LOAD] + of[SIM_SHARED_STORE] + of[SIM_SHARED_ATOM];
}

// Those that are about SASS or about the whole chip are not the simulator's: false.
static bool column_value(const struct sim_counters *c, const char *column, uint64_t *out)
{
    static const struct {
        const char *prefix;
        enum sim_access access;
    } kinds[] = { { "gld_", SIM_GLOBAL_LOAD },  { "gst_", SIM_GLOBAL_STORE }, { "red_", SIM_GLOBAL_RED },
                  { "atom_", SIM_GLOBAL_ATOM }, { "sld_", SIM_SHARED_LOAD },  { "sst_", SIM_SHARED_STORE },
                  { "satom_", SIM_SHARED_ATOM } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].prefix);
        if (strncmp(column, kinds[i].prefix, length) != 0)
            continue;
        const char *what = column + length;
        const uint64_t *of = strcmp(what, "req") == 0 || strcmp(what, "inst") == 0   ? c->requests
                             : strcmp(what, "sec") == 0 || strcmp(what, "wave") == 0 ? c->passes
                                                                                     : c->conflicts;
        *out = of[kinds[i].access];
        return true;
    }
    bool known = true;
    if (strcmp(column, "l2_sectors") == 0)
        *out = global_sum(c, c->passes);
    else if (strcmp(column, "l2_sectors_ideal") == 0)
        *out = global_sum(c, c->ideal);
    else if (strcmp(column, "l1_wave_shared") == 0)
        *out = shared_sum(c->passes);
    else if (strcmp(column, "l1_wave_shared_ideal") == 0)
        *out = shared_sum(c->ideal);
    else
        known = false;
    return known;
}

// ---- tables --------------------------------------------------------------------------------------------------------------------

struct table {
    char *text, *columns[COLUMNS], *rows[256];
    int column_count, row_count;
};

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be read", path);
    char *text = NULL;
    size_t length = 0, got;
    do {
        text = realloc(text, length + 65537);
        assert_non_null(text);
        got = fread(text + length, 1, 65536, file);
        length += got;
    } while (got);
    fclose(file);
    text[length] = 0;
    return text;
}

static void table_read(struct table *table, const char *path)
{
    memset(table, 0, sizeof *table);
    table->text = file_text(path);
    char *rest = table->text, *cells = strsep(&rest, "\n"), *cell;
    while ((cell = strsep(&cells, ",")) && table->column_count < COLUMNS)
        table->columns[table->column_count++] = cell;
    while (table->row_count < 256 && (cells = strsep(&rest, "\n")) && *cells)
        table->rows[table->row_count++] = cells;
}

// Cell `column` of a row, whose first cell is the kernel's name.
static void table_cell(const char *row, int column, char out[NAME])
{
    for (; column > 0; column--)
        row += strcspn(row, ",") + 1;
    snprintf(out, NAME, "%.*s", (int)strcspn(row, ","), row);
}

// ---- buffers ----------------------------------------------------------------------------------------------------------------------

struct buffer {
    char name[NAME];
    struct type type;
    size_t count, bytes;
    unsigned char *initial, *now;
    uint64_t initial_digest;
    sim_address address;
};
struct buffers {
    struct buffer all[BUFFERS];
    size_t count;
};

// FNV-1a of 64 bits, but from the offset basis that the table was made with, which lacks the usual one's last digit.
static uint64_t digest(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 1469598103934665603ull;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}

// All kernels here declare the same buffers, so that they are made once and restored for each.
static void buffers_make(struct buffers *buffers, const struct variant *variant)
{
    struct error error = { 0 };
    const struct scope scope = { 0 };
    for (size_t i = 0; i < variant->buffer_count; i++) {
        const struct declared *declared = &variant->buffers[i];
        struct value count;
        assert_true(expr_eval(declared->count, &scope, &count, &error));
        struct buffer *buffer = &buffers->all[i];
        if (i < buffers->count && strcmp(buffer->name, declared->name) == 0) {
            memcpy(buffer->now, buffer->initial, buffer->bytes);
            continue;
        }
        assert_true(i == buffers->count && i < BUFFERS);
        snprintf(buffer->name, sizeof buffer->name, "%s", declared->name);
        buffer->type = declared->type;
        buffer->count = (size_t)value_as_int(count);
        buffer->bytes = buffer->count * type_size(buffer->type);
        buffer->initial = malloc(buffer->bytes);
        buffer->now = aligned_alloc(256, (buffer->bytes + 255) / 256 * 256);
        assert_non_null(buffer->initial);
        assert_non_null(buffer->now);
        assert_true(
            expr_fill(declared->initial, &scope, buffer->type, buffer->count, buffer->initial, &error));
        memcpy(buffer->now, buffer->initial, buffer->bytes);
        buffer->initial_digest = digest(buffer->initial, buffer->bytes);
        buffers->count++;
    }
}

static void buffers_free(struct buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++) {
        free(buffers->all[i].initial);
        free(buffers->all[i].now);
    }
}

static struct buffer *buffer_find(struct buffers *buffers, const char *name)
{
    for (size_t i = 0; name && i < buffers->count; i++)
        if (strcmp(buffers->all[i].name, name) == 0)
            return &buffers->all[i];
    return NULL;
}

// ---- a launch -----------------------------------------------------------------------------------------------------------------------

static void dims_read(const struct dims *dims, uint32_t out[3])
{
    struct error error = { 0 };
    const struct scope scope = { 0 };
    struct dim3 got;
    assert_true(dims_eval(dims, &scope, &got, &error));
    out[0] = (uint32_t)got.x;
    out[1] = (uint32_t)got.y;
    out[2] = (uint32_t)got.z;
}

static void launch_run(const struct variant *variant, struct buffers *buffers,
                       const struct sim_options *options, struct sim_result *result)
{
    char path[128];
    snprintf(path, sizeof path, FOLDER "%s.ptx", variant->name);
    char *ptx = file_text(path);
    struct sim_fault fault = { 0 };
    struct sim_module *module;
    if (!sim_module_read(ptx, strlen(ptx), &module, &fault))
        fail_msg("%s:%d: %s", path, fault.line, fault.text);
    free(ptx);
    struct sim_memory *memory = sim_memory_new();
    for (size_t i = 0; i < buffers->count; i++) {
        struct buffer *buffer = &buffers->all[i];
        buffer->address = sim_memory_add(memory, buffer->name, buffer->now, buffer->bytes,
                                         type_size(buffer->type), SIM_INOUT);
    }
    const struct launch *from = &variant->launches[0];
    const void *arguments[16];
    int numbers[16];
    for (size_t i = 0; i < from->argument_count && i < 16; i++) {
        const struct buffer *buffer = buffer_find(buffers, from->arguments[i].name);
        struct value value = value_int(0);
        struct error error = { 0 };
        const struct scope scope = { 0 };
        if (!buffer)
            assert_true(expr_eval(from->arguments[i].expr, &scope, &value, &error));
        numbers[i] = (int)value_as_int(value);
        arguments[i] = buffer ? (const void *)&buffer->address : &numbers[i];
    }
    struct sim_launch launch = { .kernel = sim_kernel_find(module, from->kernel), .arguments = arguments };
    dims_read(&from->grid, launch.grid);
    dims_read(&from->block, launch.block);
    if (!sim_run(module, memory, &launch, options, result, &fault))
        fail_msg("%s: %s", variant->name, fault.text);
    sim_memory_free(memory);
    sim_module_free(module);
}

// ---- the tests --------------------------------------------------------------------------------------------------------------------------

static int compare_counters(const struct table *table, const char *row, const char *kernel,
                            const struct sim_counters *counters)
{
    int wrong = 0;
    for (int i = 1; i < table->column_count; i++) {
        char wanted[NAME];
        uint64_t got;
        table_cell(row, i, wanted);
        if (!column_value(counters, table->columns[i], &got))
            continue;
        bool equal = got == strtoull(wanted, NULL, 10), excused = is_excused(kernel, table->columns[i]);
        if (equal == excused) {
            print_error("%s: %s is %llu here and %s on an H100%s\n", kernel, table->columns[i],
                        (unsigned long long)got, wanted, equal ? ", so it needs no excuse" : "");
            wrong++;
        }
    }
    return wrong;
}

static int compare_digests(const struct table *table, const char *kernel, struct buffers *buffers)
{
    int wrong = 0;
    for (int r = 0; r < table->row_count; r++) {
        char name[NAME], wanted[NAME];
        table_cell(table->rows[r], 0, name);
        if (strcmp(name, kernel) != 0)
            continue;
        for (int i = 1; i < table->column_count; i++) {
            table_cell(table->rows[r], i, wanted);
            const struct buffer *buffer = buffer_find(buffers, table->columns[i]);
            assert_non_null(buffer);
            uint64_t got = memcmp(buffer->now, buffer->initial, buffer->bytes) == 0
                               ? buffer->initial_digest
                               : digest(buffer->now, buffer->bytes);
            if (got != strtoull(wanted, NULL, 16)) {
                print_error("%s: buffer %s differs from an H100's\n", kernel, buffer->name);
                wrong++;
            }
        }
        return wrong;
    }
    print_error("%s has no digests\n", kernel);
    return 1;
}

static int compare_kernel(const struct table *counters, const struct table *digests, const char *row,
                          struct buffers *buffers, const struct sim_options *options)
{
    char kernel[NAME], path[128];
    table_cell(row, 0, kernel);
    snprintf(path, sizeof path, FOLDER "%s.cu", kernel);
    struct variant variant;
    struct error error = { 0 };
    if (!variant_read(&variant, path, &error))
        fail_msg("%s", error.text);
    buffers_make(buffers, &variant);
    struct sim_result result;
    launch_run(&variant, buffers, options, &result);
    int wrong =
        compare_counters(counters, row, kernel, &result.counters) + compare_digests(digests, kernel, buffers);
    for (size_t i = 0; i < result.finding_count; i++) {
        print_error("%s, line %d: %s\n", kernel, result.findings[i].here.line, result.findings[i].sentence);
        wrong++;
    }
    wrong += !result.complete;
    sim_result_free(&result);
    variant_free(&variant);
    return wrong;
}

static void compare_all(const struct sim_options *options)
{
    struct table counters, digests;
    struct buffers buffers = { 0 };
    table_read(&counters, FOLDER "counters.csv");
    table_read(&digests, FOLDER "digests.csv");
    assert_int_equal(counters.row_count, 196);
    int wrong = 0;
    for (int r = 0; r < counters.row_count; r++)
        wrong += compare_kernel(&counters, &digests, counters.rows[r], &buffers, options);
    assert_int_equal(wrong, 0);
    buffers_free(&buffers);
    free(counters.text);
    free(digests.text);
}

static void counts_and_results_are_the_hardware_s(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = 1 };
    compare_all(&options);
}

static void two_host_threads_give_the_same(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = 2, .seed = 7 };
    compare_all(&options);
}

static void checks_change_nothing_and_find_nothing(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_ALL };
    compare_all(&options);
}

// ---- three kernels of a million elements ----------------------------------------------------------------------------

enum { ANCHOR_ELEMENTS = 1 << 20 };
struct anchor {
    const char *kernel;
    uint32_t grid;
    uint64_t warp_inst, thread_inst, loads[2], stores[2], reds[2], shared[2], atoms[2], atom_conflicts;
};
static const struct anchor anchors[] = {
    // requests and passes
    { "vadd", 4096, 720896, 23068672, { 65536, 262144 }, { 32768, 131072 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, 0 },
    { "hist256",
      64,
      307712,
      9846784,
      { 32768, 32768 },
      { 0, 0 },
      { 512, 2048 },
      { 1024, 1024 },
      { 32768, 103230 },
      70462 },
    { "reduce256",
      4096,
      2662400,
      81772544,
      { 32768, 131072 },
      { 0, 0 },
      { 4096, 4096 },
      { 184320, 184320 },
      { 0, 0 },
      0 },
};

struct anchor_data {
    float *a, *b, *c;
    int *numbers, *sums;
    unsigned char *bytes;
};

static void anchor_fill(struct anchor_data *data)
{
    uint32_t x = 12345;
    data->a = malloc(ANCHOR_ELEMENTS * sizeof *data->a);
    data->b = malloc(ANCHOR_ELEMENTS * sizeof *data->b);
    data->c = malloc(ANCHOR_ELEMENTS * sizeof *data->c);
    data->numbers = malloc(ANCHOR_ELEMENTS * sizeof *data->numbers);
    data->bytes = malloc(ANCHOR_ELEMENTS);
    data->sums = calloc(256, sizeof *data->sums);
    assert_true(data->a && data->b && data->c && data->numbers && data->bytes && data->sums);
    for (int i = 0; i < ANCHOR_ELEMENTS; i++) {
        x = x * 1664525u + 1013904223u;
        data->a[i] = (float)i * 0.5f;
        data->b[i] = (float)(x >> 20);
        data->bytes[i] = (unsigned char)(x >> 24);
        data->numbers[i] = (int)(x >> 22) - 512;
    }
}

static void anchor_free(struct anchor_data *data)
{
    free(data->a);
    free(data->b);
    free(data->c);
    free(data->numbers);
    free(data->bytes);
    free(data->sums);
}

static void anchor_compare(const struct anchor *anchor, const struct sim_counters *c)
{
    assert_int_equal(c->warp_inst, anchor->warp_inst);
    assert_int_equal(c->thread_inst, anchor->thread_inst);
    const struct {
        enum sim_access access;
        const uint64_t *wanted;
    } all[] = { { SIM_GLOBAL_LOAD, anchor->loads },
                { SIM_GLOBAL_STORE, anchor->stores },
                { SIM_GLOBAL_RED, anchor->reds },
                { SIM_SHARED_ATOM, anchor->atoms } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(c->requests[all[i].access], all[i].wanted[0]);
        assert_int_equal(c->passes[all[i].access], all[i].wanted[1]);
    }
    assert_int_equal(c->requests[SIM_SHARED_LOAD] + c->requests[SIM_SHARED_STORE], anchor->shared[0]);
    assert_int_equal(c->passes[SIM_SHARED_LOAD] + c->passes[SIM_SHARED_STORE], anchor->shared[1]);
    assert_int_equal(c->conflicts[SIM_SHARED_ATOM], anchor->atom_conflicts);
}

static void anchors_hold(void **state)
{
    (void)state;
    char *ptx = file_text(FOLDER "anchors.ptx");
    struct sim_fault fault = { 0 };
    struct sim_module *module;
    assert_true(sim_module_read(ptx, strlen(ptx), &module, &fault));
    free(ptx);
    struct anchor_data data;
    anchor_fill(&data);
    const unsigned n = ANCHOR_ELEMENTS;
    struct sim_memory *memory = sim_memory_new();
    const sim_address a = sim_memory_add(memory, "a", data.a, n * 4, 4, SIM_IN);
    const sim_address b = sim_memory_add(memory, "b", data.b, n * 4, 4, SIM_IN);
    const sim_address c = sim_memory_add(memory, "c", data.c, n * 4, 4, SIM_OUT);
    const sim_address numbers = sim_memory_add(memory, "in", data.numbers, n * 4, 4, SIM_IN);
    const sim_address bytes = sim_memory_add(memory, "in", data.bytes, n, 1, SIM_IN);
    const sim_address sums = sim_memory_add(memory, "out", data.sums, 1024, 4, SIM_INOUT);
    const void *const arguments[][4] = { { &a, &b, &c, &n }, { &bytes, &sums, &n }, { &numbers, &sums, &n } };
    for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++) {
        const struct sim_launch launch = { .kernel = sim_kernel_find(module, anchors[i].kernel),
                                           .grid = { anchors[i].grid, 1, 1 },
                                           .block = { 256, 1, 1 },
                                           .arguments = arguments[i] };
        const struct sim_options options = { .check = SIM_CHECK_COUNTERS };
        struct sim_result result;
        assert_true(sim_run(module, memory, &launch, &options, &result, &fault));
        assert_int_equal(result.finding_count, 0);
        anchor_compare(&anchors[i], &result.counters);
        sim_result_free(&result);
    }
    for (unsigned i = 0; i < n; i++)
        assert_true(data.c[i] == data.a[i] + data.b[i]);
    sim_memory_free(memory);
    sim_module_free(module);
    anchor_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_results_are_the_hardware_s),
        cmocka_unit_test(two_host_threads_give_the_same),
        cmocka_unit_test(checks_change_nothing_and_find_nothing),
        cmocka_unit_test(anchors_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
