// What the simulator's checks find: one kernel for every kind of mistake, and its twin without it, which is clean.
// Parts: wide baseline
#include "tests/unit/sim_mistakes.h"

static void every_mistake_is_found(void **state)
{
    expect_mistakes(NULL);
}

static void every_twin_is_clean(void **state)
{
    expect_clean_twins(NULL);
}

// clang 19 reads local memory by generic addresses.
static void a_twin_is_clean_in_clang_19(void **state)
{
    int wrong = 0;
    expect_clean(NULL, HERE "uninit-local-structure-fixed.cu", "tests/data/clang-19/local-structure.ptx",
                 &wrong);
    assert_int_equal(wrong, 0);
}

static void every_lab_is_clean(void **state)
{
    glob_t files;
    int wrong = 0;
    assert_int_equal(glob("kernels/*/*.cu", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char lab[64], path[256], ptx[256];
        const char *name = files.gl_pathv[i] + strlen("kernels/");
        format_into(lab, sizeof lab, "%.*s", (int)strcspn(name, "/"), name);
        format_into(path, sizeof path, "assets/ptx/%s", name);
        assert_true(ptx_of(NULL, path, ptx, sizeof ptx));
        expect_clean(lab, files.gl_pathv[i], ptx, &wrong);
    }
    globfree(&files);
    if (wrong)
        fail_msg("%d kernels of the labs are not clean", wrong);
}

// Lanes of a warp read their own warp's values in step, so that what they find unwritten is not the race's doing.
static void a_warning_hides_no_error(void **state)
{
    struct sim_file file;
    const struct sim_finding *found[64];
    run_file(&file, "uninit-beside-race", NULL, &every_check);
    size_t count = all_findings(&file, found);
    bool right = count == 2 && found[0]->kind == SIM_UNINITIALISED && found[0]->severity == SIM_ERROR &&
                 found[0]->here.line == 10 && found[1]->kind == SIM_RACE_SHARED &&
                 found[1]->severity == SIM_WARNING;
    if (tell_unless(right, "uninit-beside-race", found, count, ""))
        fail_msg("an uninitialised value and a race of a warp are two findings");
    sim_file_free(&file);
}

// The order in which warps and blocks run must not decide what is found.
static void any_order_finds_it(void **state)
{
    static const char *const names[] = { "race-raw",     "race-war",     "race-blocks",   "race-blocks-read",
                                         "race-global",  "double-write", "cluster-early", "cluster-late",
                                         "cluster-race", "grid-race",    "grid-stuck" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct sim_options options = { .check = SIM_CHECK_ALL, .seed = seed };
            struct sim_file file;
            const struct sim_finding *found[64];
            run_file(&file, names[i], NULL, &options);
            size_t count = all_findings(&file, found);
            if (count == 0 || found[0]->severity != SIM_ERROR)
                fail_msg("%s with seed %d: %zu findings", names[i], (int)seed, count);
            sim_file_free(&file);
        }
}

static void expect_alike(const char *path, const struct sim_file *one, const struct sim_file *other)
{
    const struct sim_finding *a[64], *b[64];
    size_t count = all_findings(one, a);
    if (count != all_findings(other, b) || one->launch_count != other->launch_count)
        fail_msg("%s: another number of findings or launches", path);
    for (size_t i = 0; i < count; i++)
        if (strcmp(a[i]->sentence, b[i]->sentence) != 0 || a[i]->count != b[i]->count ||
            a[i]->kind != b[i]->kind || a[i]->here.line != b[i]->here.line)
            fail_msg("%s: '%s' %d times, and '%s' %d times", path, a[i]->sentence, (int)a[i]->count,
                     b[i]->sentence, (int)b[i]->count);
    for (size_t l = 0; l < one->launch_count; l++)
        if (memcmp(&one->results[l].counters, &other->results[l].counters, sizeof one->results[l].counters) !=
            0)
            fail_msg("%s: other counters", path);
    for (size_t i = 0; i < one->problem.buffer_count; i++)
        if (memcmp(one->hosts[i], other->hosts[i], one->problem.buffers[i].bytes) != 0)
            fail_msg("%s: other bytes in %s", path, one->names[i]);
}

// Findings, counters and bytes of one file; those of one thread are in *one. Three share most grids unevenly.
static void expect_threads_alike(const char *path, struct sim_file *one)
{
    struct sim_options options = { .check = SIM_CHECK_ALL, .threads = 1 };
    struct sim_file other;
    char ptx[256];
    assert_true(ptx_of(NULL, path, ptx, sizeof ptx));
    sim_file_run(one, NULL, path, ptx, &options);
    options.threads = 3;
    sim_file_run(&other, NULL, path, ptx, &options);
    expect_alike(path, one, &other);
    sim_file_free(&other);
}

static void host_threads_change_no_mistake(void **state)
{
    glob_t files;
    assert_int_equal(glob(HERE "*.cu", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct sim_file one;
        expect_threads_alike(files.gl_pathv[i], &one);
        sim_file_free(&one);
    }
    globfree(&files);
}

// The kernels that a GPU ran well.
static void every_truth_is_clean_on_any_threads(void **state)
{
    glob_t files;
    int wrong = 0;
    assert_int_equal(glob("tests/data/truth/*.cu", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        if (strstr(files.gl_pathv[i], "/anchors.cu")) // it has no launch lines
            continue;
        struct sim_file one;
        expect_threads_alike(files.gl_pathv[i], &one);
        expect_run_clean(files.gl_pathv[i], &one, &wrong);
        sim_file_free(&one);
    }
    globfree(&files);
    if (wrong)
        fail_msg("%d kernels that a GPU ran well are not clean", wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_found),
        cmocka_unit_test(every_twin_is_clean),
        cmocka_unit_test(a_twin_is_clean_in_clang_19),
        cmocka_unit_test(every_lab_is_clean),
        cmocka_unit_test(a_warning_hides_no_error),
        cmocka_unit_test(any_order_finds_it),
        cmocka_unit_test(host_threads_change_no_mistake),
        cmocka_unit_test(every_truth_is_clean_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
