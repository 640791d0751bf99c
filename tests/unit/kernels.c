// Every kernel of every lab, and those that a GPU is measured with: all compilers take them without a word, for
// all targets; they keep to their registers; and what a launch line gives is what its kernel takes.
//
// That is some 300 compiles. They run ahead of the tests, on all cores; the tests find the results in the cache,
// and only what failed is compiled again, to be told.
#include "engine/compile/compile.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/run/worker.h"
#include "tests/child.h"

enum { LABS = 32, CORES = 8, CLANGS = 70 /* the target of its PTX, for every GPU */ };
static const int targets[] = { 75, 80, 90, 100, 120 };

struct everything {
    char *folder;
    struct ladder ladders[LABS];
    char *helpers_path;
    struct text helpers; // engine/gpu/ceiling.cu
    struct compiler_state compilers[3];
};

// ---- compiling ahead ------------------------------------------------------------------------------

static bool compile_text(const char *path, const char *text, int target, struct compiled *out,
                         struct error *error)
{
    enum {
        BUSY_MS = 300000
    }; // however many others want the machine; the whole test has its limit of CPU time
    struct compile_request request = {
        .file = path, .source = text, .target = target, .cubin = true, .limit_ms = BUSY_MS
    };
    return compile(&request, out, error);
}

static bool knows(const struct everything *all, int target)
{
    const struct compiler_state *nvrtc = &all->compilers[0];
    for (int i = 0; i < nvrtc->target_count; i++)
        if (nvrtc->targets[i] == target)
            return true;
    return false;
}

// One core's share of all kernels for this target.
static void compile_share(const struct everything *all, int target, size_t core, size_t cores)
{
    struct compiled unused;
    struct error told_later;
    size_t job = 0;
    for (size_t l = 0; l < lab_count; l++)
        for (size_t v = 0; v < all->ladders[l].count; v++) {
            const struct variant *variant = &all->ladders[l].variants[v];
            if (job++ % cores != core)
                continue;
            compile_text(variant->path, variant->text, target, &unused, &told_later);
            compiled_free(&unused);
        }
    if (job % cores == core) {
        compile_text(all->helpers_path, text_string(&all->helpers), target, &unused, &told_later);
        compiled_free(&unused);
    }
}

static void only_clang(void)
{
    setenv("WARPBOOK_NVRTC", "none", 1);
}

static void compile_all(const struct everything *all)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t cores = online < 1 ? 1 : online > CORES ? CORES : (size_t)online;
    pid_t children[CORES];
    for (size_t core = 0; core < cores; core++) {
        children[core] = fork();
        if (children[core] != 0)
            continue;
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            if (knows(all, targets[t]))
                compile_share(all, targets[t], core, cores);
        only_clang();
        if (all->compilers[1].found)
            compile_share(all, CLANGS, core, cores);
        _exit(0);
    }
    for (size_t core = 0; core < cores; core++)
        if (children[core] > 0)
            waitpid(children[core], NULL, 0);
}

// ---- everything, in a folder of its own -------------------------------------------------------------

static int set_up(void **state)
{
    struct everything *all = mem_new(sizeof *all);
    struct error error;
    const char *folder = getenv("TMPDIR");
    struct text own = { 0 };
    text_addf(&own, "%s/warpbook-kernels-XXXXXX", folder ? folder : "/tmp");
    all->folder = mkdtemp(text_take(&own));
    setenv("WARPBOOK_CACHE", all->folder, 1);
    setenv("WARPBOOK_HOME", all->folder, 1); // no learner's copies
    compile_probe(all->compilers);
    bool right = lab_count <= LABS;
    for (size_t l = 0; right && l < lab_count; l++)
        right = ladder_read(lab_list[l]->name, &all->ladders[l], &error);
    all->helpers_path = path_shipped("engine/gpu/ceiling.cu");
    right = right && file_read(all->helpers_path, &all->helpers, &error);
    if (!right)
        print_error("%s\n", error.text);
    else
        compile_all(all);
    *state = all;
    return right ? 0 : -1;
}

static int tear_down(void **state)
{
    struct everything *all = *state;
    const char *argv[] = { "rm", "-rf", all->folder, NULL };
    struct child_result result;
    struct error error;
    bool gone = child_run(argv, NULL, 0, 10000, &result, &error) && result.status == 0;
    child_result_free(&result);
    for (size_t l = 0; l < lab_count; l++)
        ladder_free(&all->ladders[l]);
    text_free(&all->helpers);
    free(all->helpers_path);
    free(all->folder);
    free(all);
    return gone ? 0 : -1;
}

// ---- one launch -------------------------------------------------------------------------------------

struct kernels_place { // what a launch line can name
    const struct variant *variant;
    const struct problem *problem;
};

static bool placed_any(void *context, const char *name, struct placed *out)
{
    const struct kernels_place *place = context;
    *out = (struct placed){ .address = 256 };
    for (size_t s = 0; s < place->variant->scratch_count; s++)
        if (strcmp(place->variant->scratch[s].name, name) == 0)
            return true;
    return problem_buffer_find(place->problem, name) != NULL;
}

// At least one block must fit on an SM; PTX for every GPU counts for the oldest target. Without an assembler
// nothing is known of registers and shared memory.
static void launch_fits(const struct variant *variant, const struct packed_launch *packed,
                        const struct compiled *compiled)
{
    const struct gpu_launch *launch = &packed->launch;
    const struct resources *used = compiled_resources(compiled, packed->kernel->name);
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    int shared = (int)launch->shared_bytes + (used ? used->shared_bytes : 0);
    if (!used && compiled->cubin)
        fail_msg("%s: nothing is known of what %s takes", variant->path, launch->name);
    int target = compiled->target < targets[0] ? targets[0] : compiled->target;
    if (target < 80 && strstr(variant->text, "cp.async."))
        target = 80; // tiles are as large as GPUs hold that copy asynchronously
    struct occupancy occupancy =
        occupancy_of(occupancy_arch(target), (int)threads, used ? used->registers : -1, shared);
    if (occupancy.blocks < 1)
        fail_msg("%s: a block of %s with %u threads does not fit on an SM of sm_%d (%s)", variant->path,
                 launch->name, threads, target, occupancy_limiter_name(occupancy.limiter));
}

static void read_kernels(const char *path, const struct compiled *compiled, struct sim_kernels *out)
{
    struct sim_fault fault;
    if (!sim_kernels_read(compiled->ptx, strlen(compiled->ptx), out, &fault))
        fail_msg("%s: line %d of its PTX: %s", path, fault.line, fault.text);
}

// A step may be too small for a preset beyond the usual two: it is skipped there, with its need as the reason.
static void launches_fit(const struct variant *variant, const struct compiled *compiled,
                         const struct problem *problem, bool usual)
{
    struct expr_binding bindings[EXPR_PARAMS + 1];
    size_t count = 0;
    for (; count < problem->params.count; count++)
        bindings[count] = problem->params.bindings[count];
    bindings[count++] = (struct expr_binding){ "sm_count", value_int(132) };
    struct expr_scope scope = { bindings, count };
    struct kernels_place place = { variant, problem };
    struct error error = { 0 };
    for (size_t n = 0; n < variant->need_count; n++) {
        struct expr_value value;
        if (!expr_eval(variant->needs[n].expr, &scope, &value, &error))
            fail_msg("%s", error.text);
        if (!value_as_int(value) && !usual)
            return;
        if (!value_as_int(value))
            fail_msg("%s: a preset does not meet its need %s", variant->path, variant->needs[n].text);
    }
    struct sim_kernels kernels;
    read_kernels(variant->path, compiled, &kernels);
    for (size_t l = 0; l < variant->launch_count; l++) {
        struct packed_launch packed;
        if (!launch_pack(&packed, variant, &variant->launches[l], &kernels, &scope, placed_any, &place,
                         &error))
            fail_msg("%s", error.text);
        launch_fits(variant, &packed, compiled);
    }
    sim_kernels_free(&kernels);
}

// ---- one kernel file --------------------------------------------------------------------------------

static void compile_well(const char *path, const char *text, int target, struct compiled *out)
{
    struct error error;
    if (!compile_text(path, text, target, out, &error))
        fail_msg("for sm_%d: %s", target, error.text);
    if (out->diagnostic_count)
        fail_msg("%s:%d: a warning for sm_%d: %s", path, out->diagnostics[0].line, target,
                 out->diagnostics[0].message);
    for (size_t r = 0; r < out->resource_count; r++)
        if (out->resources[r].spill_bytes || out->resources[r].stack_bytes)
            fail_msg("%s: %s spills %d bytes and takes %d bytes of stack on sm_%d", path,
                     out->resources[r].kernel, out->resources[r].spill_bytes, out->resources[r].stack_bytes,
                     target);
}

static void compile_variant(const struct lab *lab, const struct variant *variant, int target,
                            enum compiler by)
{
    struct compiled out;
    compile_well(variant->path, variant->text, target, &out);
    assert_int_equal(out.by, by);
    assert_int_equal(out.target, target);
    assert_int_equal(out.cubin != NULL, by == COMPILER_NVRTC);
    for (size_t p = 0; p < LAB_PRESETS && lab->presets[p].name; p++) {
        struct problem problem;
        struct error error;
        if (!problem_plan(&problem, lab, lab->presets[p].value, NULL, &error))
            fail_msg("%s", error.text);
        const char *name = lab->presets[p].name;
        launches_fit(variant, &out, &problem, strcmp(name, "small") == 0 || strcmp(name, "full") == 0);
        problem_free(&problem);
    }
    compiled_free(&out);
}

// What engine/gpu launches with arguments of its own.
static void compile_helpers(const struct everything *all, int target)
{
    static const struct {
        const char *kernel;
        int sizes[4]; // of its parameters, in bytes
        bool newer;   // only for sm_80 and above
    } expected[] = { { "warpbook_read", { 8, 4, 8 }, false },    { "warpbook_copy", { 8, 4, 8 }, false },
                     { "warpbook_noise", { 8, 8 }, false },      { "warpbook_empty", { 0 }, false },
                     { "warpbook_hold", { 8 }, false },          { "warpbook_tensor_f16", { 4, 8 }, false },
                     { "warpbook_tensor_bf16", { 4, 8 }, true }, { "warpbook_tensor_tf32", { 4, 8 }, true } };
    enum { EXPECTED = sizeof expected / sizeof *expected };
    size_t wanted = 0;
    struct compiled out;
    struct sim_kernels kernels;
    compile_well(all->helpers_path, text_string(&all->helpers), target, &out);
    read_kernels(all->helpers_path, &out, &kernels);
    for (size_t e = 0; e < EXPECTED; e++)
        wanted += target >= 80 || !expected[e].newer;
    assert_int_equal(kernels.count, wanted);
    for (size_t k = 0; k < kernels.count; k++) {
        const struct sim_kernel *kernel = &kernels.all[k];
        size_t e = 0;
        while (e < EXPECTED && strcmp(expected[e].kernel, kernel->name) != 0)
            e++;
        if (e == EXPECTED)
            fail_msg("%s has %s, which nobody launches", all->helpers_path, kernel->name);
        for (size_t p = 0; p < 4; p++)
            assert_int_equal(p < kernel->parameter_count ? kernel->parameters[p].bytes : 0,
                             expected[e].sizes[p]);
    }
    sim_kernels_free(&kernels);
    compiled_free(&out);
}

static void compile_each(const struct everything *all, int target, enum compiler by)
{
    for (size_t l = 0; l < lab_count; l++)
        for (size_t v = 0; v < all->ladders[l].count; v++)
            compile_variant(lab_list[l], &all->ladders[l].variants[v], target, by);
    compile_helpers(all, target);
}

// ---- tests ------------------------------------------------------------------------------------------

static void through_nvrtc(const struct everything *all, int target)
{
    const struct compiler_state *nvrtc = &all->compilers[0];
    if (!nvrtc->found)
        print_message("skipped: no NVRTC here\n");
    else if (!knows(all, target))
        print_message("skipped: NVRTC %s does not compile for sm_%d\n", nvrtc->version, target);
    if (!knows(all, target))
        skip();
    compile_each(all, target, COMPILER_NVRTC);
}

static void for_sm_75(void **state)
{
    through_nvrtc(*state, 75);
}

static void for_sm_80(void **state)
{
    through_nvrtc(*state, 80);
}

static void for_sm_90(void **state)
{
    through_nvrtc(*state, 90);
}

static void for_sm_100(void **state)
{
    through_nvrtc(*state, 100);
}

static void for_sm_120(void **state)
{
    through_nvrtc(*state, 120);
}

static void through_clang(void **state)
{
    const struct everything *all = *state;
    if (!all->compilers[1].found) {
        print_message("skipped: no clang here\n");
        skip();
    }
    only_clang();
    compile_each(all, CLANGS, COMPILER_CLANG);
}

static void every_file_is_on_a_ladder(void **state)
{
    const struct everything *all = *state;
    char *pattern = path_shipped("kernels/*/*.cu");
    glob_t files;
    size_t count = 0;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t l = 0; l < lab_count; l++)
        count += all->ladders[l].count;
    assert_int_equal(files.gl_pathc, count);
    globfree(&files);
    free(pattern);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "worker") && !strcmp(argv[2], "--compile"))
        _exit(compile_child_main());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_on_a_ladder),
        cmocka_unit_test(for_sm_75),
        cmocka_unit_test(for_sm_80),
        cmocka_unit_test(for_sm_90),
        cmocka_unit_test(for_sm_100),
        cmocka_unit_test(for_sm_120),
        cmocka_unit_test(through_clang), // last, for it leaves no NVRTC
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
