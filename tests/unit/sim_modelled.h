// The modelled time, on an H100, of small kernels that a test writes in PTX.
#ifndef WARPBOOK_TESTS_SIM_MODELLED_H
#define WARPBOOK_TESTS_SIM_MODELLED_H

#include "engine/model/model.h"
#include "tests/unit/sim_kernel.h"

// Makes other machine code of what it is given.
typedef void code_change(const struct sim_instruction *code, struct machine_code *machine, size_t count);

// Without some costs, or why it is not known. `of_all` changes the machine code; NULL: it is that of the table. `of_long` changes
// that of warps that run far longer than all others; NULL: nothing is known of those apart.
static inline struct model_time modelled_or_why(const struct setting *setting, unsigned without,
                                                code_change *of_all, code_change *of_long)
{
    static struct kernel_outcome outcome;
    static char text[65536];
    struct error error;
    struct gpu_figures gpu;
    struct model_time time;
    run(setting, &outcome);
    snprintf(text, sizeof text, "%s%s%s%s\n}\n", head, setting->before ? setting->before : "", start,
             setting->body);
    struct sim_module *module = read_module(text);
    struct sim_instruction *instructions;
    size_t count = sim_module_instructions(module, &instructions);
    struct machine_code *machine = calloc(2 * count, sizeof *machine);
    assert_true(machine && figures_find("h100", &gpu, &error));
    machine_code_of(instructions, count, NULL, NULL, 0, &gpu, machine);
    if (of_all)
        of_all(instructions, machine, count);
    memcpy(machine + count, machine, count * sizeof *machine);
    if (of_long)
        of_long(instructions, machine + count, count);
    struct model_code code = { instructions, machine, count, of_long ? machine + count : NULL };
    struct model_launch launch = { .result = &outcome.result,
                                   .blocks = setting->grid[0],
                                   .block_threads = (int)setting->block[0],
                                   .registers = 32 };
    assert_true(model_time(&gpu, &code, &launch, 1, without, &time));
    free(machine);
    free(instructions);
    sim_module_free(module);
    drop(&outcome);
    return time;
}

static inline struct model_time modelled_as(const struct setting *setting, unsigned without,
                                            code_change *of_all, code_change *of_long)
{
    struct model_time time = modelled_or_why(setting, without, of_all, of_long);
    if (!time.known)
        fail_msg("%s", time.why);
    return time;
}

// Without what starting the launch takes.
static inline double modelled_changed_us(const struct setting *setting, unsigned without, code_change *of_all,
                                         code_change *of_long)
{
    struct model_time time = modelled_as(setting, without, of_all, of_long);
    return (time.ms - time.fixed_ms) * 1000;
}

static inline double modelled_apart_us(const struct setting *setting, unsigned without, code_change *of_long)
{
    return modelled_changed_us(setting, without, NULL, of_long);
}

static inline double modelled_without_us(const struct setting *setting, unsigned without)
{
    return modelled_apart_us(setting, without, NULL);
}

static inline double modelled_us(const struct setting *setting)
{
    return modelled_without_us(setting, 0);
}

static inline void expect_near(double us, double wanted, double part)
{
    if (!(us >= wanted * (1 - part) && us <= wanted * (1 + part)))
        fail_msg("%.3f us, and not about %.3f", us, wanted);
}

#endif
