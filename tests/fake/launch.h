// Modules and launches of the stand-in driver: PTX is read and executed by the simulator, and what it finds
// wrong becomes the code that a GPU would answer with. Included by cuda.c alone.
#ifndef WARPBOOK_TESTS_LAUNCH_H
#define WARPBOOK_TESTS_LAUNCH_H

#include "tests/fake/state.h"

// ---- modules ----------------------------------------------------------------------------------------------

static bool functions_add(struct CUmod_st *module)
{
    const struct sim_kernels *kernels = sim_module_kernels(module->code);
    for (size_t i = 0; i < kernels->count; i++) {
        struct CUfunc_st *function = calloc(1, sizeof *function);
        if (function == NULL)
            return false;
        *function = (struct CUfunc_st){
            .next = module->functions, .module = module, .name = kernels->all[i].name, .kernel = (int)i
        };
        module->functions = function;
    }
    return true;
}

// Machine code is for a GPU, and this is none: it has to be given the PTX.
static int module_add(const void *image, struct CUmod_st **out, struct sim_fault *fault)
{
    if (memcmp(image, "\177ELF", 4) == 0)
        return NO_BINARY_FOR_GPU;
    struct CUmod_st *module = calloc(1, sizeof *module);
    if (module == NULL)
        return OUT_OF_MEMORY;
    if (!sim_module_read(image, strlen(image), &module->code, fault)) {
        free(module);
        return INVALID_PTX;
    }
    module->next = fake.modules;
    fake.modules = module;
    fake.live++;
    if (!functions_add(module)) {
        module_remove(module);
        return OUT_OF_MEMORY;
    }
    *out = module;
    return 0;
}

enum { PARAMETERS = 64 }; // the most of a kernel

// ---- launches ---------------------------------------------------------------------------------------------

// What a GPU would answer; 0 when it would not notice. A kernel that is stuck in lockstep hangs here, also
// where a GPU would get on with it.
static int code_of(const struct sim_finding *finding)
{
    switch (finding->kind) {
    case SIM_OUT_OF_BOUNDS:
        return strcmp(finding->space, "global") == 0 ? ILLEGAL_ADDRESS : LAUNCH_FAILED;
    case SIM_MISALIGNED:
        return MISALIGNED_ADDRESS;
    case SIM_ASSERT:
        return ASSERTION_FAILED;
    case SIM_UNKNOWN:
        return ILLEGAL_INSTRUCTION;
    case SIM_TRAP:
    case SIM_OTHER:
        if (strstr(finding->sentence, "the launch was stopped after")) // a GPU has no such limit
            return HANG;
        return finding->severity == SIM_ERROR ? LAUNCH_FAILED : 0;
    case SIM_ENDLESS:
    case SIM_DEADLOCK:
        return HANG;
    default:
        return 0;
    }
}

// Whoever waits for the GPU finds it, as on a real one. A crash ends what else would hang.
static void outcome_keep(const struct sim_result *result)
{
    for (size_t i = 0; i < result->finding_count && fake.pending == 0; i++) {
        int code = code_of(&result->findings[i]);
        if (code == HANG)
            fake.hung = true;
        else
            fake.pending = code;
    }
    if (fake.pending != 0)
        fake.hung = false;
}

// Text of kernels waits in the driver until somebody waits for the GPU.
static void printed_keep(const char *text)
{
    size_t length = strlen(text);
    char *longer = realloc(fake.printed, fake.printed_length + length + 1);
    if (longer == NULL)
        return;
    memcpy(longer + fake.printed_length, text, length + 1);
    fake.printed = longer;
    fake.printed_length += length;
}

static void printed_drop(void)
{
    free(fake.printed);
    fake.printed = NULL;
    fake.printed_length = 0;
}

static void printed_show(void)
{
    if (fake.printed != NULL)
        fputs(fake.printed, stdout);
    printed_drop();
}

// The kernels of ceiling.cu spend a GPU's time, and the clock here does not run by what is executed.
static bool only_takes_time(const struct CUfunc_st *function)
{
    return !fake.helpers && strncmp(function->name, "warpbook_", 9) == 0;
}

static const struct sim_kernel *kernel_of(const struct CUfunc_st *function)
{
    return &sim_module_kernels(function->module->code)->all[function->kernel];
}

// As the driver does, it believes that there are as many arguments as the kernel has parameters, in their sizes.
static int launch_run(const struct CUfunc_st *function, void **arguments, const struct sim_launch *asked)
{
    struct sim_launch launch = *asked;
    const struct sim_kernel *kernel = kernel_of(function);
    struct sim_argument given[PARAMETERS];
    struct sim_options options = { .check = SIM_CHECK_NONE, .threads = 1, .instruction_limit = 1u << 30 };
    struct sim_result result;
    struct sim_fault fault;
    if (fake.hung || fake.pending != 0 || only_takes_time(function))
        return 0;
    if (kernel->parameter_count > PARAMETERS || (kernel->parameter_count > 0 && arguments == NULL))
        return INVALID_VALUE;
    for (size_t i = 0; i < kernel->parameter_count; i++)
        given[i] = (struct sim_argument){ arguments[i], kernel->parameters[i].bytes };
    launch.kernel = function->kernel;
    launch.arguments = given;
    launch.argument_count = kernel->parameter_count;
    if (!sim_run(function->module->code, fake.memory, &launch, &options, &result, &fault))
        return INVALID_VALUE;
    outcome_keep(&result);
    if (result.printed != NULL)
        printed_keep(result.printed);
    sim_result_free(&result);
    return 0;
}

#endif
