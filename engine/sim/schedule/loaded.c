// A module's .global and .const variables in a memory. They are made when the module's first kernel is launched
// there and keep what kernels write from launch to launch; between launches nothing can address them.
#include "engine/sim/decode/decode.h"
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>
#include <string.h>

struct loaded {
    struct loaded *next;
    const struct sim_module *module; // only compared: it may be gone
    unsigned char *bytes;
    size_t size;
};

static struct loaded *find(const struct sim_memory *memory, const struct sim_module *module)
{
    struct loaded *at = memory->loaded;
    while (at && at->module != module)
        at = at->next;
    return at;
}

// How far the next variable lies behind this one; nothing can touch what lies between them.
static size_t stride(const struct module_variable *v)
{
    return (v->from->bytes + 127) / 64 * 64;
}

static void relocate(const struct sim_module *module, const struct ptx_variable *v, unsigned char *bytes)
{
    const struct decoding d = { .module = (struct sim_module *)module };
    for (size_t i = 0; i < v->relocation_count; i++) {
        uint64_t address;
        bool local;
        if (v->bytes < 8 || v->relocations[i].at > v->bytes - 8 ||
            !symbol_find(&d, v->relocations[i].symbol, &address, &local))
            continue;
        address += (uint64_t)v->relocations[i].offset;
        memcpy(bytes + v->relocations[i].at, &address, sizeof address);
    }
}

// As they are written in the file.
static void fill(const struct sim_module *module, unsigned char *at)
{
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (v->from->space == SPACE_SHARED)
            continue;
        if (v->from->initial)
            memcpy(at, v->from->initial, v->from->bytes);
        relocate(module, v->from, at);
        at += stride(v);
    }
}

static size_t size_of(const struct sim_module *module)
{
    size_t size = 0;
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].from->space != SPACE_SHARED)
            size += stride(&module->variables[i]);
    return size;
}

size_t loaded_missing(const struct sim_memory *memory, const struct sim_module *module)
{
    return find(memory, module) ? 0
                                : budget_piece(sizeof(struct loaded)) + budget_piece(size_of(module) + 64);
}

static struct loaded *load(struct sim_memory *memory, const struct sim_module *module)
{
    struct loaded *loaded = budget_take(&memory->budget, FOR_VARIABLES, sizeof *loaded);
    if (!loaded)
        return NULL;
    loaded->module = module;
    loaded->size = size_of(module);
    loaded->bytes = budget_take(&memory->budget, FOR_VARIABLES, loaded->size + 64);
    if (!loaded->bytes) {
        budget_give(&memory->budget, loaded);
        return NULL;
    }
    fill(module, loaded->bytes);
    loaded->next = memory->loaded;
    memory->loaded = loaded;
    return loaded;
}

bool loaded_enter(struct sim_memory *memory, const struct sim_module *module)
{
    struct loaded *loaded = find(memory, module);
    if (!loaded && !(loaded = load(memory, module)))
        return false;
    unsigned char *at = loaded->bytes;
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (v->from->space == SPACE_SHARED)
            continue;
        struct allocation *a = &memory->allocations[v->address >> OFFSET_BITS];
        *a = (struct allocation){ .bytes = v->from->bytes,
                                  .element_bytes = variable_element(v->from),
                                  .role = SIM_INOUT,
                                  .constant = v->from->space == SPACE_CONST,
                                  .host = at };
        snprintf(a->name, sizeof a->name, "%s", v->from->name);
        at += stride(v);
    }
    return true;
}

void loaded_leave(struct sim_memory *memory, const struct sim_module *module)
{
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (v->from->space != SPACE_SHARED)
            memory->allocations[v->address >> OFFSET_BITS] = (struct allocation){ 0 };
    }
}

bool loaded_copy(struct sim_memory *memory, const struct sim_module *module, unsigned char **out)
{
    const struct loaded *loaded = find(memory, module);
    if (!loaded && !(loaded = load(memory, module)))
        return false;
    *out = budget_take(&memory->budget, FOR_TRACE, loaded->size + 1);
    if (*out)
        memcpy(*out, loaded->bytes, loaded->size);
    return *out != NULL;
}

void loaded_restore(struct sim_memory *memory, const struct sim_module *module, const unsigned char *bytes)
{
    struct loaded *loaded = find(memory, module);
    if (loaded && bytes)
        memcpy(loaded->bytes, bytes, loaded->size);
}

static void drop(struct sim_memory *memory, struct loaded *loaded)
{
    budget_give(&memory->budget, loaded->bytes);
    budget_give(&memory->budget, loaded);
}

void sim_memory_unload(struct sim_memory *memory, const struct sim_module *module)
{
    struct loaded **at = &memory->loaded;
    while (*at && (*at)->module != module)
        at = &(*at)->next;
    struct loaded *gone = *at;
    if (!gone)
        return;
    *at = gone->next;
    drop(memory, gone);
}

void loaded_free(struct sim_memory *memory)
{
    while (memory->loaded) {
        struct loaded *gone = memory->loaded;
        memory->loaded = gone->next;
        drop(memory, gone);
    }
}
