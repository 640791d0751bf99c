// The memory that kernels can address: the caller's buffers, each an allocation with a number, which is the upper part of its
// addresses; and the variables of modules.
#include "engine/sim/decode/decode.h"
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- variables of modules -----------------------------------------------------------------------------------

// The .global and .const variables of a module. They are made by the first launch of one of its kernels in this memory, and
// keep their content from launch to launch; between launches no address refers to them.

struct loaded_variables {
    struct loaded_variables *next;
    const struct sim_module *module; // for comparison only: the module may have been freed
    unsigned char *bytes;
    size_t size;
};

static struct loaded_variables *find(const struct sim_memory *memory, const struct sim_module *module)
{
    struct loaded_variables *at = memory->loaded;
    while (at && at->module != module)
        at = at->next;
    return at;
}

// The distance to the next variable; no access reaches the gap between them.
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
            !decode_symbol(&d, v->relocations[i].symbol, &address, &local))
            continue;
        address += (uint64_t)v->relocations[i].offset;
        memcpy(bytes + v->relocations[i].at, &address, sizeof address);
    }
}

// The initial values in the PTX text.
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

size_t memory_missing_variables(const struct sim_memory *memory, const struct sim_module *module)
{
    return find(memory, module)
               ? 0
               : budget_piece(sizeof(struct loaded_variables)) + budget_piece(size_of(module) + 64);
}

static struct loaded_variables *load(struct sim_memory *memory, const struct sim_module *module)
{
    struct loaded_variables *loaded = budget_take(&memory->budget, FOR_VARIABLES, sizeof *loaded);
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

bool memory_enter_module(struct sim_memory *memory, const struct sim_module *module, unsigned char *workspace)
{
    struct loaded_variables *loaded = find(memory, module);
    if (!loaded && !(loaded = load(memory, module)))
        return false;
    unsigned char *at = loaded->bytes;
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (v->from->space == SPACE_SHARED)
            continue;
        struct allocation *a = &memory->allocations[v->address >> OFFSET_BITS];
        *a = (struct allocation){ .bytes = v->from->bytes,
                                  .element_bytes = finding_element_bytes(v->from),
                                  .role = SIM_INOUT,
                                  .constant = v->from->space == SPACE_CONST,
                                  .host = at };
        snprintf(a->name, sizeof a->name, "%s", v->from->name);
        at += stride(v);
    }
    if (workspace)
        memory->allocations[WORKSPACE] = (struct allocation){ .name = "the grid's barrier",
                                                              .host = workspace,
                                                              .bytes = WORKSPACE_BYTES,
                                                              .element_bytes = 4,
                                                              .role = SIM_INOUT };
    return true;
}

void memory_leave_module(struct sim_memory *memory, const struct sim_module *module)
{
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (v->from->space != SPACE_SHARED)
            memory->allocations[v->address >> OFFSET_BITS] = (struct allocation){ 0 };
    }
    memory->allocations[WORKSPACE] = (struct allocation){ 0 };
}

bool memory_copy_variables(struct sim_memory *memory, const struct sim_module *module, unsigned char **out)
{
    const struct loaded_variables *loaded = find(memory, module);
    if (!loaded && !(loaded = load(memory, module)))
        return false;
    *out = budget_take(&memory->budget, FOR_TRACE, loaded->size + 1);
    if (*out)
        memcpy(*out, loaded->bytes, loaded->size);
    return *out != NULL;
}

void memory_restore_variables(struct sim_memory *memory, const struct sim_module *module,
                              const unsigned char *bytes)
{
    struct loaded_variables *loaded = find(memory, module);
    if (loaded && bytes)
        memcpy(loaded->bytes, bytes, loaded->size);
}

bool sim_memory_variable(struct sim_memory *memory, const struct sim_module *module, const char *name,
                         struct sim_module_variable *out)
{
    struct loaded_variables *loaded = find(memory, module);
    if (!loaded && !(loaded = load(memory, module)))
        return false;
    unsigned char *at = loaded->bytes;
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (v->from->space == SPACE_SHARED)
            continue;
        if (strcmp(v->from->name, name) == 0) {
            *out = (struct sim_module_variable){ .at = at, .bytes = v->from->bytes, .address = v->address };
            return true;
        }
        at += stride(v);
    }
    return false;
}

static void drop(struct sim_memory *memory, struct loaded_variables *loaded)
{
    budget_give(&memory->budget, loaded->bytes);
    budget_give(&memory->budget, loaded);
}

void sim_memory_unload(struct sim_memory *memory, const struct sim_module *module)
{
    struct loaded_variables **at = &memory->loaded;
    while (*at && (*at)->module != module)
        at = &(*at)->next;
    struct loaded_variables *gone = *at;
    if (!gone)
        return;
    *at = gone->next;
    drop(memory, gone);
}

static void memory_free_variables(struct sim_memory *memory)
{
    while (memory->loaded) {
        struct loaded_variables *gone = memory->loaded;
        memory->loaded = gone->next;
        drop(memory, gone);
    }
}

// ---- buffers ------------------------------------------------------------------------------------------------

struct sim_memory *sim_memory_new(void)
{
    struct sim_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->room = FIRST_BUFFER + 16;
    memory->count = FIRST_BUFFER;
    memory->allocations = calloc(memory->room, sizeof *memory->allocations);
    if (!memory->allocations) {
        free(memory);
        return NULL;
    }
    return memory;
}

void sim_memory_free(struct sim_memory *memory)
{
    if (!memory)
        return;
    checks_memory_free(memory);
    memory_free_variables(memory);
    budget_give(&memory->budget, memory->heap_host);
    free(memory->images);
    free(memory->allocations);
    free(memory);
}

static bool grow(struct sim_memory *memory)
{
    size_t room = memory->room + memory->room / 2;
    struct allocation *larger = realloc(memory->allocations, room * sizeof *larger);
    if (!larger)
        return false;
    memset(larger + memory->room, 0, (room - memory->room) * sizeof *larger);
    memory->allocations = larger;
    memory->room = room;
    return true;
}

static void allocate(struct allocation *a, const char *name, void *host, size_t bytes, size_t element_bytes,
                     enum sim_role role)
{
    *a = (struct allocation){
        .host = host, .bytes = bytes, .element_bytes = element_bytes ? element_bytes : 1, .role = role
    };
    size_t length = strnlen(name, sizeof a->name - 1);
    memcpy(a->name, name, length);
    a->name[length] = 0;
}

void sim_memory_host(struct sim_memory *memory, bool (*is_host)(sim_address))
{
    memory->is_host = is_host;
}

sim_address sim_memory_add(struct sim_memory *memory, const char *name, void *host, size_t bytes,
                           size_t element_bytes, enum sim_role role)
{
    if (bytes >= SIM_BUFFER_LIMIT || (memory->count == memory->room && !grow(memory)))
        return 0;
    allocate(&memory->allocations[memory->count], name, host, bytes, element_bytes, role);
    return (sim_address)memory->count++ << OFFSET_BITS;
}

bool sim_memory_add_at(struct sim_memory *memory, sim_address address, const char *name, void *host,
                       size_t bytes, size_t element_bytes, enum sim_role role)
{
    uint64_t number = address >> OFFSET_BITS;
    if (bytes >= SIM_BUFFER_LIMIT || address % SIM_BUFFER_LIMIT || number == 0 || number >= FIRST_VARIABLE ||
        memory->allocations[number].host)
        return false;
    allocate(&memory->allocations[number], name, host, bytes, element_bytes, role);
    return true;
}

void sim_memory_padding(struct sim_memory *memory, sim_address address, const unsigned char *padding)
{
    memory->allocations[address >> OFFSET_BITS].padding = padding;
}

void sim_memory_remove(struct sim_memory *memory, sim_address address)
{
    size_t number = address >> OFFSET_BITS;
    if (number >= memory->count || (number >= FIRST_VARIABLE && number < FIRST_BUFFER))
        return;
    checks_memory_drop(memory, &memory->allocations[number]);
    memory->allocations[number] = (struct allocation){ 0 };
}
