// Runs a kernel file's launch lines on the simulator, with the PTX that lies beside it or in assets/ptx.
#ifndef WARPBOOK_TESTS_SIM_FILE_H
#define WARPBOOK_TESTS_SIM_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run/worker.h"
#include "engine/sim/sim.h"
#include "reference/lab.h"

enum { FILE_BUFFERS = 16, FILE_LAUNCHES = 8 };
struct sim_file {
    struct variant variant;
    struct problem problem;
    struct sim_module *module;
    struct sim_memory *memory;
    const char *names[FILE_BUFFERS];
    void *hosts[FILE_BUFFERS];
    sim_address addresses[FILE_BUFFERS];
    size_t buffer_count;
    struct sim_result results[FILE_LAUNCHES];
    size_t launch_count;
    struct sim_finding *never;
    size_t never_count;
};

static inline bool sim_file_placed(void *context, const char *name, struct placed *out)
{
    const struct sim_file *file = context;
    for (size_t b = 0; b < file->buffer_count; b++)
        if (strcmp(file->names[b], name) == 0) {
            *out = (struct placed){ .address = file->addresses[b] };
            return true;
        }
    return false;
}

// A buffer without content is an output, unless it is called tmp.
static inline enum sim_role sim_file_role(const struct sim_file *file, const struct problem_buffer *buffer)
{
    if (!file->problem.lab)
        return buffer->input ? SIM_INOUT : strcmp(buffer->name, "tmp") == 0 ? SIM_SCRATCH : SIM_OUT;
    switch (buffer->direction) {
    case BUFFER_IN:
        return SIM_IN;
    case BUFFER_OUT:
        return SIM_OUT;
    case BUFFER_INOUT:
        return SIM_INOUT;
    default:
        return SIM_SCRATCH;
    }
}

static inline void sim_file_add(struct sim_file *file, const char *name, const void *content, size_t bytes,
                                size_t element, enum sim_role role)
{
    size_t b = file->buffer_count++;
    assert_true(b < FILE_BUFFERS);
    file->names[b] = name;
    file->hosts[b] = malloc(bytes);
    assert_non_null(file->hosts[b]);
    if (content)
        memcpy(file->hosts[b], content, bytes);
    else
        memset(file->hosts[b], 0xab, bytes);
    file->addresses[b] = sim_memory_add(file->memory, name, file->hosts[b], bytes, element, role);
    assert_true(file->addresses[b] != 0);
}

static inline void sim_file_launch(struct sim_file *file, const struct launch *launch,
                                   const struct sim_options *options)
{
    struct expr_binding bindings[SCOPE_BINDINGS];
    struct expr_scope scope = launch_scope(&file->problem, 132, bindings);
    struct packed_launch packed;
    struct error error;
    struct sim_fault fault;
    const struct sim_kernels *kernels = sim_module_kernels(file->module);
    if (!launch_pack(&packed, &file->variant, launch, kernels, &scope, sim_file_placed, file, &error))
        fail_msg("%s", error.text);
    struct sim_launch run = { .kernel = (int)(packed.kernel - kernels->all),
                              .shared_bytes = packed.launch.shared_bytes,
                              .arguments = packed.arguments,
                              .argument_count = packed.kernel->parameter_count };
    memcpy(run.grid, packed.launch.grid, sizeof run.grid);
    memcpy(run.cluster, packed.launch.cluster, sizeof run.cluster);
    run.cooperative = packed.launch.cooperative;
    memcpy(run.block, packed.launch.block, sizeof run.block);
    assert_true(file->launch_count < FILE_LAUNCHES);
    struct sim_result *result = &file->results[file->launch_count++];
    if (!sim_run(file->module, file->memory, &run, options, result, &fault))
        fail_msg("%s: %s", file->variant.path, fault.text);
}

static inline void sim_file_run(struct sim_file *file, const char *lab, const char *path,
                                const char *ptx_path, const struct sim_options *options)
{
    *file = (struct sim_file){ 0 };
    struct error error = { 0 };
    struct text ptx = { 0 };
    struct sim_fault fault;
    bool read = lab ? variant_read_lab(&file->variant, lab, path, &error)
                    : variant_read(&file->variant, path, &error);
    const struct lab *of = lab ? lab_find(lab) : NULL;
    if (!read || !file_read(ptx_path, &ptx, &error) ||
        !(of ? problem_plan(&file->problem, of, lab_preset_find(of, "small")->value, of->data[0], &error)
             : problem_plan_file(&file->problem, &file->variant, NULL, &error)) ||
        !problem_fill(&file->problem, &file->variant, &error))
        fail_msg("%s: %s", path, error.text);
    const char *text = text_string(&ptx);
    if (!sim_module_read(text, strlen(text), &file->module, &fault))
        fail_msg("%s:%d: %s", ptx_path, fault.line, fault.text);
    file->memory = sim_memory_new();
    for (size_t b = 0; b < file->problem.buffer_count; b++) {
        const struct problem_buffer *buffer = &file->problem.buffers[b];
        sim_file_add(file, buffer->name, buffer->input, buffer->bytes, type_size(buffer->type),
                     sim_file_role(file, buffer));
    }
    struct expr_scope scope = problem_scope(&file->problem);
    for (size_t s = 0; s < file->variant.scratch_count; s++) {
        const struct declared *scratch = &file->variant.scratch[s];
        struct expr_value count;
        assert_true(expr_eval(scratch->count, &scope, &count, &error));
        size_t size = type_size(scratch->type);
        sim_file_add(file, scratch->name, NULL, size * (size_t)value_as_int(count), size, SIM_SCRATCH);
    }
    for (size_t l = 0; l < file->variant.launch_count; l++)
        sim_file_launch(file, &file->variant.launches[l], options);
    file->never_count = sim_memory_never_written(file->memory, &file->never);
    text_free(&ptx);
}

static inline void sim_file_free(struct sim_file *file)
{
    for (size_t l = 0; l < file->launch_count; l++)
        sim_result_free(&file->results[l]);
    free(file->never);
    sim_memory_free(file->memory);
    sim_module_free(file->module);
    for (size_t b = 0; b < file->buffer_count; b++)
        free(file->hosts[b]);
    problem_free(&file->problem);
    variant_free(&file->variant);
}

#endif
