// The kernels of a PTX text: their names, and what parameters they take. Whoever launches one, here or on a GPU, has
// both from here.
#include "engine/sim/module/module.h"

#include <string.h>

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

bool kernels_list(const struct ptx_text *text, struct arena *arena, struct sim_kernels *out)
{
    struct sim_kernel *all = arena_take(arena, (text->function_count + 1) * sizeof *all);
    *out = (struct sim_kernels){ .all = all };
    for (size_t i = 0; all && i < text->function_count; i++)
        if (is_kernel(&text->functions[i]) &&
            !list_parameters(&text->functions[i], arena, &all[out->count++]))
            return false;
    return all != NULL;
}

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

const struct function *kernel_at(const struct sim_module *module, size_t index)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (is_kernel(module->functions[i].from) && index-- == 0)
            return &module->functions[i];
    return NULL;
}
