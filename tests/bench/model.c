// What the model of time costs: each step of the ladders at the small size, simulated without a sample, then with one and
// modelled for an H100; with counters alone, and with every check, as `warpbook sim` runs it where nothing else is asked
// for. Nothing is compiled in these times, and no result is compared.
#include "engine/run/modelled.h"
#include "engine/run/simulation.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS_MOST = 200, TURNS_LEAST = 5, STEPS_MOST = 256 };
static const double enough_ms = 300; // of turns of one step
static const double goal = 1.25;

struct bench_step {
    struct request request;
    struct stepper stepper;
    struct sim_launch launches[LAUNCHES];
    struct packed_launch packed[LAUNCHES];
    size_t launch_count;
    unsigned char **first; // the bytes of each buffer before any launch
};
struct step_cost {
    double without_ms, sampled_ms,
        model_ms; // sampled: launches with a sample; model: what follows the last one
    double modelled_us;
};
struct ratios { // of the steps, at one level of checks
    double of[STEPS_MOST];
    size_t count;
};

// Milliseconds of this process's processor time, so that what else runs on the machine counts little.
static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// ---- one step -------------------------------------------------------------------------------------------------

static void keep_launch(struct bench_step *step)
{
    const struct sim_kernels *kernels = sim_module_kernels(step->stepper.setup.module);
    struct packed_launch *packed = &step->packed[step->launch_count];
    struct sim_launch *launch = &step->launches[step->launch_count++];
    *packed = step->stepper.packed;
    for (size_t i = 0; i < packed->kernel->parameter_count; i++)
        packed->arguments[i].at = &packed->slots[i];
    *launch = (struct sim_launch){ .kernel = (int)(packed->kernel - kernels->all),
                                   .shared_bytes = packed->launch.shared_bytes,
                                   .arguments = packed->arguments,
                                   .argument_count = packed->kernel->parameter_count };
    memcpy(launch->grid, packed->launch.grid, sizeof launch->grid);
    memcpy(launch->block, packed->launch.block, sizeof launch->block);
}

static bool open_step(struct bench_step *step, struct error *error)
{
    struct stepper *stepper = &step->stepper;
    if (!stepper_open(stepper, &step->request, error))
        return false;
    for (size_t i = 0; i < stepper->setup.variant.launch_count; i++) {
        if (!stepper_launch(stepper, i, error))
            return false;
        keep_launch(step);
    }
    sim_trace_close(stepper->trace);
    stepper->trace = NULL;
    step->first = mem_new((stepper->problem.buffer_count + 1) * sizeof *step->first);
    for (size_t i = 0; i < stepper->problem.buffer_count; i++) {
        size_t bytes = stepper->problem.buffers[i].bytes;
        step->first[i] = mem_new(bytes + 1);
        memcpy(step->first[i], stepper->setup.places[i].bytes, bytes);
    }
    return true;
}

static void close_step(struct bench_step *step)
{
    for (size_t i = 0; step->first && i < step->stepper.problem.buffer_count; i++)
        free(step->first[i]);
    free(step->first);
    stepper_close(&step->stepper);
}

static void restore_buffers(const struct bench_step *step)
{
    for (size_t i = 0; i < step->stepper.problem.buffer_count; i++)
        memcpy(step->stepper.setup.places[i].bytes, step->first[i], step->stepper.problem.buffers[i].bytes);
}

static void keep_result(const struct bench_step *step, size_t at, struct sim_result *result,
                        struct modelled_launches *launches)
{
    const struct sim_launch *launch = &step->launches[at];
    const struct resources *resources =
        compiled_resources(&step->stepper.setup.compiled, step->packed[at].kernel->name);
    modelled_keep(
        launches, result, (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
        (int)(launch->block[0] * launch->block[1] * launch->block[2]), resources ? resources->registers : -1,
        (resources && resources->shared_bytes > 0 ? resources->shared_bytes : 0) + (int)launch->shared_bytes);
}

static bool run_step(const struct bench_step *step, enum sim_check check, struct modelled_launches *launches,
                     struct error *error)
{
    const struct sim_setup *setup = &step->stepper.setup;
    struct sim_options options = { .sample = launches != NULL,
                                   .check = check,
                                   .threads = 1,
                                   .limit_ms = step->request.limit_ms,
                                   .memory_limit = setup->memory_limit };
    for (size_t i = 0; i < step->launch_count; i++) {
        struct sim_result result = { 0 };
        struct sim_fault fault;
        if (!sim_run(setup->module, setup->memory, &step->launches[i], &options, &result, &fault))
            return error_set(error, EXIT_MISSING, "%s", fault.text);
        if (launches)
            keep_result(step, i, &result, launches);
        sim_result_free(&result);
    }
    return true;
}

static bool time_without(const struct bench_step *step, enum sim_check check, struct step_cost *out,
                         struct error *error)
{
    restore_buffers(step);
    double start = processor_ms();
    bool ran = run_step(step, check, NULL, error);
    out->without_ms = fmin(out->without_ms, processor_ms() - start);
    return ran;
}

static bool time_with(const struct bench_step *step, enum sim_check check, struct step_cost *out,
                      struct error *error)
{
    const struct sim_setup *setup = &step->stepper.setup;
    struct record record;
    restore_buffers(step);
    record_init(&record);
    double start = processor_ms();
    struct modelled_launches *launches = modelled_start();
    bool ran = run_step(step, check, launches, error);
    double sampled = processor_ms();
    if (ran)
        modelled_fill(launches, setup->module, &setup->compiled, &step->request, &record);
    modelled_free(launches);
    double end = processor_ms();
    if (end - start < out->sampled_ms + out->model_ms) {
        out->sampled_ms = sampled - start;
        out->model_ms = end - sampled;
    }
    out->modelled_us = record.modelled_count ? record.modelled[0].ms * 1e3 : NAN;
    record_free(&record);
    return ran;
}

// The best of each, in turns, so that a slow moment of the machine slows both.
static bool measure_turns(const struct bench_step *step, enum sim_check check, struct step_cost *out,
                          struct error *error)
{
    *out = (struct step_cost){ INFINITY, INFINITY, INFINITY, NAN };
    double end = processor_ms() + enough_ms;
    for (int turn = 0; turn < TURNS_MOST && (turn < TURNS_LEAST || processor_ms() < end); turn++)
        if (!time_without(step, check, out, error) || !time_with(step, check, out, error))
            return false;
    return true;
}

static bool measure_step(const struct variant *variant, struct step_cost *counted, struct step_cost *checked,
                         struct error *error)
{
    struct bench_step step = { .request = { .on = ON_SIM,
                                            .lab = variant->lab,
                                            .variant = variant->name,
                                            .file = variant->path,
                                            .source = variant->text,
                                            .preset = (char *)"small",
                                            .check = REQUEST_CHECK_COUNTERS,
                                            .limit_ms = 60000 } };
    bool good = request_model(&step.request, "h100", error) && open_step(&step, error) &&
                measure_turns(&step, SIM_CHECK_COUNTERS, counted, error) &&
                measure_turns(&step, SIM_CHECK_ALL, checked, error);
    close_step(&step);
    json_decref(step.request.gpus);
    return good;
}

// ---- all of them ----------------------------------------------------------------------------------------------

static double keep_ratio(struct ratios *ratios, const struct step_cost *cost)
{
    return ratios->of[ratios->count++] = (cost->sampled_ms + cost->model_ms) / cost->without_ms;
}

static void measure_ladder(const char *lab, const char *only, struct ratios *counted, struct ratios *checked)
{
    struct ladder ladder;
    struct error error;
    if (!ladder_read_shipped(lab, &ladder, &error)) {
        printf("  %s: %s\n", lab, error.text);
        return;
    }
    for (size_t i = 0; i < ladder.count && counted->count < STEPS_MOST; i++) {
        struct step_cost with_counters, with_checks;
        char name[80];
        snprintf(name, sizeof name, "%s/%s", lab, ladder.variants[i].name);
        if (!strstr(name, only))
            continue;
        if (!measure_step(&ladder.variants[i], &with_counters, &with_checks, &error)) {
            printf("  %s: %s\n", name, error.text);
            continue;
        }
        printf("  %-36s %9.3f %9.3f %9.3f %7.2f %9.3f %7.2f %10.3f\n", name, with_counters.without_ms,
               with_counters.sampled_ms, with_counters.model_ms, keep_ratio(counted, &with_counters),
               with_checks.without_ms, keep_ratio(checked, &with_checks), with_counters.modelled_us);
        fflush(stdout);
    }
    ladder_free(&ladder);
}

static void print_ratios(const char *level, struct ratios *ratios)
{
    double most = 0;
    size_t above = 0;
    for (size_t i = 0; i < ratios->count; i++) {
        above += ratios->of[i] > goal;
        most = fmax(most, ratios->of[i]);
    }
    if (ratios->count)
        printf("  %s, %zu steps: median %.2f, %zu above %.2f, most %.2f\n", level, ratios->count,
               outcome_statistics(ratios->of, ratios->count).median, above, goal, most);
}

void measure_modelling(const char *only)
{
    struct ratios counted = { .count = 0 }, checked = { .count = 0 };
    printf("the small steps on one thread, best of %d or more, processor ms:\n"
           "  %-36s %37s %17s\n  %-36s %9s %9s %9s %7s %9s %7s %10s\n",
           TURNS_LEAST, "", "with counters", "with every check", "", "without", "sampled", "modelling",
           "ratio", "without", "ratio", "result, us");
    for (size_t i = 0; i < lab_count; i++)
        measure_ladder(lab_list[i]->name, only, &counted, &checked);
    print_ratios("with counters", &counted);
    print_ratios("with every check", &checked);
}
