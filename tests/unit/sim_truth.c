// What an H100 says of 409 small kernels, and what the simulator says: every counter that a compiler's choice does not
// decide, and every byte that the kernels leave behind. tests/data/truth holds the kernels, their PTX, and both tables.
// Parts: wide baseline
#include "engine/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/truth/truth.h"

enum { COLUMNS = 32, ROWS = 512, NAME = 64 };
static const char *const tensor_folder = "tests/data/truth/tensor/";
static const char *const cluster_folder = "tests/data/truth/cluster/";
static const char *const blind_folder = "tests/data/truth/blind/";
static const char *const sparse_folder = "tests/data/truth/sparse/";
static const char *const exits_folder = "tests/data/truth/exits/";
static const char *folder = "tests/data/truth/";

// ---- files ------------------------------------------------------------------------------------------------------------

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

// ---- where the simulator must differ ---------------------------------------------------------------------------------

// differences.txt has a line "kernel; columns; why" for each kernel of which ptxas made something else than PTX says, or
// of which time decides; a column may also be a buffer. All that is not listed there must be equal, and what is listed there must not.
static char *differences;

static bool lists(const char *columns, const char *column)
{
    size_t length = strlen(column);
    while (*columns && *columns != ';') {
        columns += *columns == ' ';
        if (strncmp(columns, column, length) == 0 && (columns[length] == ' ' || columns[length] == ';'))
            return true;
        columns += strcspn(columns, " ;");
    }
    return false;
}

static bool is_excused(const char *kernel, const char *column)
{
    size_t length = strlen(kernel);
    for (const char *line = differences; *line; line += *line == '\n') {
        if (strncmp(line, kernel, length) == 0 && line[length] == ';' && lists(line + length + 1, column))
            return true;
        line += strcspn(line, "\n");
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
    static const char *const remote[SIM_REMOTES] = { "dld_", "dst_", "datom_" };
    for (int i = 0; i < SIM_REMOTES; i++) {
        const size_t length = strlen(remote[i]);
        if (strncmp(column, remote[i], length) != 0)
            continue;
        const char *what = column + length;
        *out = strcmp(what, "req") == 0   ? c->remote_requests[i]
               : strcmp(what, "sec") == 0 ? c->remote_sectors[i]
                                          : c->remote_wavefronts[i];
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
    else if (strcmp(column, "tensor") == 0)
        *out = c->tensor;
    else
        known = false;
    return known;
}

// ---- tables --------------------------------------------------------------------------------------------------------------------

struct table {
    char *text, *columns[COLUMNS], *rows[ROWS];
    int column_count, row_count;
};

static void table_read(struct table *table, const char *path)
{
    memset(table, 0, sizeof *table);
    table->text = file_text(path);
    char *rest = table->text, *cells = strsep(&rest, "\n"), *cell;
    while (cells && *cells == '#')
        cells = strsep(&rest, "\n");
    while ((cell = strsep(&cells, ",")) && table->column_count < COLUMNS)
        table->columns[table->column_count++] = cell;
    while (table->row_count < ROWS && (cells = strsep(&rest, "\n")) && *cells)
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

// All kernels here declare the same buffers, so that they are made once and restored for each.
static void buffers_make(struct truth_buffers *buffers, const struct variant *variant)
{
    struct error error = { 0 };
    for (size_t i = 0; i < variant->buffer_count; i++) {
        const struct declared *declared = &variant->buffers[i];
        struct truth_buffer *buffer = &buffers->all[i];
        if (i < buffers->count && strcmp(buffer->name, declared->name) == 0) {
            memcpy(buffer->now, buffer->initial, buffer->bytes);
            continue;
        }
        assert_true(i == buffers->count && i < TRUTH_BUFFERS);
        assert_true(truth_buffer_make(buffer, declared, &error));
        buffers->count++;
    }
}

// ---- a launch -----------------------------------------------------------------------------------------------------------------------

static void launch_run(const struct variant *variant, struct truth_buffers *buffers,
                       const struct sim_options *options, struct sim_result *result)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s.ptx", folder, variant->name);
    char *ptx = file_text(path);
    struct sim_fault fault = { 0 };
    struct sim_module *module;
    if (!sim_module_read(ptx, strlen(ptx), &module, &fault))
        fail_msg("%s:%d: %s", path, fault.line, fault.text);
    free(ptx);
    struct sim_memory *memory = sim_memory_new();
    for (size_t i = 0; i < buffers->count; i++) {
        struct truth_buffer *buffer = &buffers->all[i];
        buffer->address = sim_memory_add(memory, buffer->name, buffer->now, buffer->bytes,
                                         type_size(buffer->type), SIM_INOUT);
    }
    const struct launch *from = &variant->launches[0];
    struct truth_arguments given;
    struct sim_argument arguments[TRUTH_ARGUMENTS];
    struct error error = { 0 };
    assert_true(truth_arguments(from, buffers, &given, &error));
    for (size_t i = 0; i < given.count; i++)
        arguments[i] = (struct sim_argument){ given.all[i].value, given.all[i].size };
    struct sim_launch launch = { .kernel = sim_kernel_find(module, from->kernel),
                                 .arguments = arguments,
                                 .argument_count = given.count };
    assert_true(truth_dims(&from->grid, launch.grid, &error));
    assert_true(truth_dims(&from->block, launch.block, &error));
    if (from->cluster.part[0])
        assert_true(truth_dims(&from->cluster, launch.cluster, &error));
    launch.cooperative = from->cooperative;
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

static int compare_digests(const struct table *table, const char *kernel, struct truth_buffers *buffers)
{
    int wrong = 0;
    for (int r = 0; r < table->row_count; r++) {
        char name[NAME], wanted[NAME];
        table_cell(table->rows[r], 0, name);
        if (strcmp(name, kernel) != 0)
            continue;
        for (int i = 1; i < table->column_count; i++) {
            table_cell(table->rows[r], i, wanted);
            const struct truth_buffer *buffer = truth_buffer_find(buffers, table->columns[i]);
            assert_non_null(buffer);
            uint64_t got = memcmp(buffer->now, buffer->initial, buffer->bytes) == 0
                               ? buffer->initial_digest
                               : truth_digest(buffer->now, buffer->bytes);
            bool equal = got == strtoull(wanted, NULL, 16);
            if (equal == is_excused(kernel, buffer->name)) {
                print_error("%s: buffer %s %s an H100's\n", kernel, buffer->name,
                            equal ? "needs no excuse: it is" : "differs from");
                wrong++;
            }
        }
        return wrong;
    }
    print_error("%s has no digests\n", kernel);
    return 1;
}

static int compare_kernel(const struct table *counters, const struct table *digests, const char *row,
                          struct truth_buffers *buffers, const struct sim_options *options)
{
    char kernel[NAME], path[128];
    table_cell(row, 0, kernel);
    snprintf(path, sizeof path, "%s%s.cu", folder, kernel);
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
    struct truth_buffers buffers = { 0 };
    char path[128];
    snprintf(path, sizeof path, "%scounters.csv", folder);
    table_read(&counters, path);
    snprintf(path, sizeof path, "%sdigests.csv", folder);
    table_read(&digests, path);
    assert_int_equal(counters.row_count, folder == tensor_folder    ? 86
                                         : folder == cluster_folder ? 18
                                         : folder == blind_folder   ? 48
                                         : folder == sparse_folder  ? 7
                                         : folder == exits_folder   ? 32
                                                                    : 409);
    int wrong = 0;
    for (int r = 0; r < counters.row_count; r++)
        wrong += compare_kernel(&counters, &digests, counters.rows[r], &buffers, options);
    assert_int_equal(wrong, 0);
    truth_buffers_free(&buffers);
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

// From here on the kernels and differences of another folder count. Returns the differences for leave.
static char *enter(const char *other)
{
    char path[128], *usual = differences;
    snprintf(path, sizeof path, "%sdifferences.txt", other);
    folder = other;
    differences = file_text(path);
    return usual;
}

static void leave(char *usual)
{
    free(differences);
    differences = usual;
    folder = "tests/data/truth/";
}

// tests/data/truth/tensor: tensor instructions, matrices that a warp loads and stores, asynchronous copies and their barriers.
static void tensor_kernels_are_the_hardware_s(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_ALL };
    char *usual = enter(tensor_folder);
    compare_all(&options);
    leave(usual);
}

// tests/data/truth/blind: instructions of the same kinds, in kernels by somebody who did not know how they would be counted.
static void kernels_of_a_stranger_are_the_hardware_s(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_ALL };
    char *usual = enter(blind_folder);
    compare_all(&options);
    leave(usual);
}

// tests/data/truth/sparse: every shape, type and selector of mma.sp.
static void sparse_kernels_are_the_hardware_s(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_ALL };
    char *usual = enter(sparse_folder);
    compare_all(&options);
    leave(usual);
}

// tests/data/truth/exits: loops that lanes leave in several ways and in different turns.
static void ways_out_of_loops_are_the_hardware_s(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_COUNTERS };
    char *usual = enter(exits_folder);
    compare_all(&options);
    leave(usual);
}

// tests/data/truth/cluster: clusters, and cooperative launches, of which a profiler counts nothing that time does not decide.
static void cluster_kernels_are_the_hardware_s(void **state)
{
    (void)state;
    char *usual = enter(cluster_folder);
    for (enum sim_check check = SIM_CHECK_COUNTERS; check <= SIM_CHECK_ALL; check++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            const struct sim_options options = { .check = check, .threads = 2, .seed = seed };
            compare_all(&options);
        }
    static const char *const cooperative[] = { "gr_cluster", "gr_one", "gr_reverse", "gr_rounds" };
    struct table digests, remote, none = { 0 };
    struct truth_buffers buffers = { 0 };
    const struct sim_options options = { .check = SIM_CHECK_ALL };
    table_read(&digests, "tests/data/truth/cluster/digests.csv");
    table_read(&remote, "tests/data/truth/cluster/dshared.csv");
    for (int r = 0; r < remote.row_count; r++)
        assert_int_equal(compare_kernel(&remote, &digests, remote.rows[r], &buffers, &options), 0);
    free(remote.text);
    for (size_t i = 0; i < sizeof cooperative / sizeof *cooperative; i++)
        assert_int_equal(compare_kernel(&none, &digests, cooperative[i], &buffers, &options), 0);
    truth_buffers_free(&buffers);
    free(digests.text);
    leave(usual);
}

static void checks_change_nothing_and_find_nothing(void **state)
{
    (void)state;
    const struct sim_options options = { .check = SIM_CHECK_ALL };
    compare_all(&options);
}

static int read_differences(void **state)
{
    (void)state;
    differences = file_text("tests/data/truth/differences.txt");
    return 0;
}

static int free_differences(void **state)
{
    (void)state;
    free(differences);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_results_are_the_hardware_s),
        cmocka_unit_test(two_host_threads_give_the_same),
        cmocka_unit_test(checks_change_nothing_and_find_nothing),
        cmocka_unit_test(tensor_kernels_are_the_hardware_s),
        cmocka_unit_test(kernels_of_a_stranger_are_the_hardware_s),
        cmocka_unit_test(sparse_kernels_are_the_hardware_s),
        cmocka_unit_test(ways_out_of_loops_are_the_hardware_s),
        cmocka_unit_test(cluster_kernels_are_the_hardware_s),
    };
    return cmocka_run_group_tests(tests, read_differences, free_differences);
}
