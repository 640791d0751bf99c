// A module: its text parsed, its variables laid out, its functions decoded and analysed; its kernels and their
// parameters.
#include "engine/sim/module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(struct sim_fault *fault)
{
    return fault_set(fault, "There is not enough memory to read this PTX.");
}

static bool too_long(const struct ptx_function *function, struct sim_fault *fault)
{
    snprintf(
        fault->text, sizeof fault->text,
        "Reading this PTX takes longer than %d s, with %zu instructions and %zu labels in %.80s. Make it "
        "smaller, or divide it among several kernels.",
        READ_SECONDS, function->instruction_count, function->label_count, function->name);
    fault->line = 0;
    return false;
}

static size_t align_up(size_t at, size_t to)
{
    return to > 1 ? (at + to - 1) / to * to : at;
}

enum {
    MOST_BYTES = 1 << 28,  // of one variable that is not in global memory
    DECODED_MOST = 1 << 30 // bytes of a module's instructions, apart from its text
};

// Gives a variable the next free place after `*used` bytes.
static size_t variable_place(size_t *used, const struct ptx_variable *v)
{
    size_t at = align_up(*used, v->align ? v->align : type_bytes(v->type));
    *used = at + v->bytes;
    return at;
}

// ---- variables --------------------------------------------------------------------------------------------

static bool lay_module_variables(struct sim_module *module, size_t *shared, struct sim_fault *fault)
{
    const struct ptx_text *text = module->text;
    module->variable_count = text->variable_count;
    module->variables = arena_take(module->arena, (text->variable_count + 1) * sizeof *module->variables);
    if (!module->variables)
        return no_memory(fault);
    uint64_t number = 1;
    for (size_t i = 0; i < text->variable_count; i++)
        if (text->variables[i].space == SPACE_SHARED && text->variables[i].bytes > MOST_BYTES)
            return fault_set(fault, "This PTX asks for more shared memory than any GPU has.");
    for (size_t i = 0; i < text->variable_count; i++) {
        struct module_variable *v = &module->variables[i];
        v->from = &text->variables[i];
        if (v->from->space == SPACE_SHARED) {
            v->address = v->from->unsized ? 0 : variable_place(shared, v->from);
            continue;
        }
        if (number == FIRST_BUFFER || v->from->bytes >> OFFSET_BITS)
            return fault_set(fault,
                             "This PTX has more or larger global variables than the simulator can hold.");
        v->address = number++ << OFFSET_BITS;
    }
    return true;
}

// The size of local memory is checked when the kernel is launched.
static bool is_huge(const struct ptx_variable *variables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (variables[i].space != SPACE_LOCAL && variables[i].bytes > MOST_BYTES)
            return true;
    return false;
}

static bool lay_function(struct sim_module *module, struct function *f, size_t *shared,
                         struct sim_fault *fault)
{
    const struct ptx_function *from = f->from;
    f->param_at = arena_take(module->arena, (from->param_count + 1) * sizeof *f->param_at);
    f->return_at = arena_take(module->arena, (from->return_count + 1) * sizeof *f->return_at);
    f->variable_at = arena_take(module->arena, (from->variable_count + 1) * sizeof *f->variable_at);
    if (!f->param_at || !f->return_at || !f->variable_at)
        return no_memory(fault);
    if (is_huge(from->params, from->param_count) || is_huge(from->returns, from->return_count) ||
        is_huge(from->variables, from->variable_count))
        return fault_set(fault,
                         "This PTX asks for more shared memory or larger parameters than any GPU has.");
    size_t formals = 0;
    for (size_t i = 0; i < from->param_count; i++)
        f->param_at[i] = variable_place(&formals, &from->params[i]);
    f->param_bytes = from->entry ? 0 : formals;
    for (size_t i = 0; i < from->return_count; i++)
        f->return_at[i] = variable_place(&f->param_bytes, &from->returns[i]);
    for (size_t i = 0; i < from->variable_count; i++) {
        const struct ptx_variable *v = &from->variables[i];
        size_t *used = v->space == SPACE_PARAM   ? &f->param_bytes
                       : v->space == SPACE_LOCAL ? &f->local_bytes
                                                 : shared;
        f->variable_at[i] = v->unsized ? 0 : variable_place(used, v);
    }
    f->param_bytes = align_up(f->param_bytes, 16);
    f->local_bytes = align_up(f->local_bytes, 16);
    return true;
}

// Shared memory holds the module's variables, then those of device functions, then those of the kernel that runs: the
// kernels' own variables overlap, since only one kernel runs at a time.
static bool lay_functions(struct sim_module *module, size_t shared, struct sim_fault *fault)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (!module->functions[i].from->entry && !lay_function(module, &module->functions[i], &shared, fault))
            return false;
    module->shared_bytes = shared;
    for (size_t i = 0; i < module->function_count; i++) {
        struct function *f = &module->functions[i];
        size_t own = shared;
        if (f->from->entry && !lay_function(module, f, &own, fault))
            return false;
        f->shared_bytes = own;
        if (own > module->shared_bytes)
            module->shared_bytes = own;
    }
    module->shared_bytes = align_up(module->shared_bytes, 128);
    if (module->shared_bytes > (size_t)16 << 20)
        return fault_set(fault, "This PTX asks for more shared memory than any GPU has.");
    return true;
}

// ---- kernels and their parameters -------------------------------------------------------------------------

static bool is_kernel(const struct ptx_function *function)
{
    return function->entry && !function->declared;
}

static bool list_parameters(const struct ptx_function *from, struct arena *arena, struct sim_kernel *out)
{
    struct sim_parameter *parameters = arena_take(arena, (from->param_count + 1) * sizeof *parameters);
    size_t used = 0;
    for (size_t i = 0; parameters && i < from->param_count; i++) {
        const struct ptx_variable *v = &from->params[i];
        parameters[i].offset = variable_place(&used, v);
        parameters[i].bytes = v->bytes;
        parameters[i].structure = v->bytes != type_bytes(v->type);
        parameters[i].real = (v->type == TYPE_F32 || v->type == TYPE_F64) && v->bytes == type_bytes(v->type);
    }
    *out = (struct sim_kernel){ .name = from->name, parameters, from->param_count };
    return parameters != NULL;
}

// The kernels and what they take, in this arena; names stay in the text. False: no memory.
static bool kernels_list(const struct ptx_text *text, struct arena *arena, struct sim_kernels *out)
{
    struct sim_kernel *all = arena_take(arena, (text->function_count + 1) * sizeof *all);
    *out = (struct sim_kernels){ .all = all };
    for (size_t i = 0; all && i < text->function_count; i++)
        if (is_kernel(&text->functions[i]) &&
            !list_parameters(&text->functions[i], arena, &all[out->count++]))
            return false;
    return all != NULL;
}

// ---- reading ----------------------------------------------------------------------------------------------

static bool read_function(struct sim_module *module, struct function *f)
{
    if (!decode_function(module, f) || !contraction_mark(module, f))
        return false;
    f->frame_bytes = (f->frame_bytes + 63) & ~(size_t)63;
    return flow_mark_reconvergence(module, f) && liveness_mark(module, f) && flow_mark_order(module, f) &&
           provenance_mark(module, f);
}

static bool read_functions(struct sim_module *module, struct sim_fault *fault)
{
    const struct ptx_text *text = module->text;
    module->function_count = text->function_count;
    module->functions = arena_take(module->arena, (text->function_count + 1) * sizeof *module->functions);
    if (!module->functions)
        return no_memory(fault);
    for (size_t i = 0; i < text->function_count; i++) {
        module->functions[i].from = &text->functions[i];
        module->functions[i].index = i;
    }
    deadline_start(&module->deadline);
    size_t shared = 0;
    if (!kernels_list(text, module->arena, &module->kernels))
        return no_memory(fault);
    if (!lay_module_variables(module, &shared, fault) || !lay_functions(module, shared, fault))
        return false;
    for (size_t i = 0; i < text->function_count; i++)
        if (!text->functions[i].declared && !read_function(module, &module->functions[i]))
            return module->deadline.passed ? too_long(&text->functions[i], fault) : no_memory(fault);
    return true;
}

bool sim_module_read(const char *ptx, size_t length, struct sim_module **out, struct sim_fault *fault)
{
    *out = NULL;
    struct sim_module *module = calloc(1, sizeof *module);
    if (!module)
        return no_memory(fault);
    module->arena = arena_new();
    if (!module->arena) {
        free(module);
        return no_memory(fault);
    }
    arena_limit(module->arena, DECODED_MOST);
    if (!ptx_parse(ptx, length, &module->text, fault) || !read_functions(module, fault)) {
        sim_module_free(module);
        return false;
    }
    *out = module;
    return true;
}

void sim_module_free(struct sim_module *module)
{
    if (!module)
        return;
    if (module->text)
        ptx_free(module->text);
    arena_free(module->arena);
    free(module);
}

size_t sim_module_bytes(const struct sim_module *module)
{
    return arena_used(module->text->arena) + arena_used(module->arena);
}

// ---- queries ----------------------------------------------------------------------------------------------

bool sim_kernels_read(const char *ptx, size_t length, struct sim_kernels *out, struct sim_fault *fault)
{
    struct ptx_text *text;
    *out = (struct sim_kernels){ 0 };
    if (!ptx_parse(ptx, length, &text, fault))
        return false;
    if (kernels_list(text, text->arena, out)) {
        out->owner = text;
        return true;
    }
    ptx_free(text);
    return fault_set(fault, "There is not enough memory to read this PTX.");
}

void sim_kernels_free(struct sim_kernels *kernels)
{
    if (kernels->owner)
        ptx_free(kernels->owner);
    *kernels = (struct sim_kernels){ 0 };
}

const struct sim_kernels *sim_module_kernels(const struct sim_module *module)
{
    return &module->kernels;
}

int sim_kernel_find(const struct sim_module *module, const char *name)
{
    for (size_t i = 0; i < module->kernels.count; i++)
        if (strcmp(module->kernels.all[i].name, name) == 0)
            return (int)i;
    return -1;
}

const struct function *module_kernel(const struct sim_module *module, size_t index)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (is_kernel(module->functions[i].from) && index-- == 0)
            return &module->functions[i];
    return NULL;
}
