// What a name means inside a function: a variable's address, a function's number, a label's place.
#include "engine/sim/decode/decode.h"

#include <string.h>

static bool same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

static uint64_t dynamic_start(const struct sim_module *module)
{
    return module->shared_bytes;
}

static bool own_variable(const struct decoding *d, const char *name, uint64_t *bits, bool *local)
{
    const struct ptx_function *from = d->function->from;
    for (size_t i = from->variable_count; i-- > 0;) {
        const struct ptx_variable *v = &from->variables[i];
        if (v->space == SPACE_PARAM || !same(v->name, name))
            continue;
        *bits = v->unsized ? dynamic_start(d->module) : d->function->variable_at[i];
        *local = v->space == SPACE_LOCAL;
        return true;
    }
    return false;
}

static bool module_variable(const struct sim_module *module, const char *name, uint64_t *bits)
{
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (!same(v->from->name, name))
            continue;
        *bits = v->from->unsized && v->from->space == SPACE_SHARED ? dynamic_start(module) : v->address;
        return true;
    }
    return false;
}

// In one place of the file a function may be declared and in another one defined: the definition counts.
int function_find(const struct sim_module *module, const char *name)
{
    int declared = -1;
    for (size_t i = 0; i < module->function_count; i++) {
        if (!same(module->functions[i].from->name, name))
            continue;
        if (!module->functions[i].from->declared)
            return (int)i;
        declared = (int)i;
    }
    return declared;
}

bool symbol_find(const struct decoding *d, const char *name, uint64_t *bits, bool *local)
{
    *local = false;
    if (d->function && own_variable(d, name, bits, local))
        return true;
    size_t offset;
    bool formal;
    if (d->function && param_find(d->function, name, &offset, &formal) && formal) {
        *bits = PARAM_WINDOW + offset;
        return true;
    }
    if (module_variable(d->module, name, bits))
        return true;
    int function = function_find(d->module, name);
    *bits = (uint64_t)(function + 1); // no function has number 0
    return function >= 0;
}

bool param_find(const struct function *function, const char *name, size_t *offset, bool *formal)
{
    const struct ptx_function *from = function->from;
    // Compilers use one name (param0) for each call again, in a scope of its own: the parser says which by name.
    for (size_t i = 0; i < from->variable_count; i++)
        if (from->variables[i].space == SPACE_PARAM && same(from->variables[i].name, name)) {
            *offset = function->variable_at[i];
            *formal = false;
            return true;
        }
    for (size_t i = 0; i < from->param_count; i++)
        if (same(from->params[i].name, name)) {
            *offset = function->param_at[i];
            *formal = from->entry;
            return true;
        }
    for (size_t i = 0; i < from->return_count; i++)
        if (same(from->returns[i].name, name)) {
            *offset = function->return_at[i];
            *formal = false;
            return true;
        }
    return false;
}

int32_t label_find(const struct ptx_function *function, const char *name)
{
    for (size_t i = 0; i < function->label_count; i++)
        if (same(function->labels[i].name, name))
            return (int32_t)function->labels[i].at;
    return -1;
}
