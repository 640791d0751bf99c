// What the stand-in driver is told to be and to do: facts and faults from $WARPBOOK_FAKE_CUDA, and the state
// that all of its functions share. Included by cuda.c alone.
#ifndef WARPBOOK_TESTS_STATE_H
#define WARPBOOK_TESTS_STATE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/gpu/driver.h"
#include "engine/sim/sim.h"

// Only what is declared here can be seen from outside: the simulator in here is not the program's own.
#pragma GCC visibility push(default)
#define DECLARE(name, parameters) cu_result name parameters;
DRIVER_FUNCTIONS(DECLARE)
DRIVER_OPTIONAL(DECLARE)
// What the tests ask beyond the driver's functions: how many things are allocated and not freed.
int fake_cuda_live(void);
#pragma GCC visibility pop

#define INDEX(name, parameters) AT_##name,
enum fake_function { DRIVER_FUNCTIONS(INDEX) DRIVER_OPTIONAL(INDEX) FUNCTION_COUNT };
#define NAME(name, parameters) #name,
static const char *const function_names[] = { DRIVER_FUNCTIONS(NAME) DRIVER_OPTIONAL(NAME) };

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    ASSERTION_FAILED = 710,
    ILLEGAL_INSTRUCTION = 715,
    MISALIGNED_ADDRESS = 716,
    LAUNCH_FAILED = 719,
    HANG = -1
};

struct fake_block { // of device memory, or page-locked
    struct fake_block *next;
    unsigned char *bytes;
    size_t size;
    cu_address address; // for kernels; 0: page-locked
};
struct CUctx_st {
    int unused;
};
struct CUarray_st {
    struct CUarray_st *next;
    struct driver_array as;
    struct fake_block *block; // its texels, row after row
    size_t texel;             // bytes
};
struct CUevent_st {
    struct CUevent_st *next;
    double at_ms;
    bool recorded;
};
struct CUfunc_st {
    struct CUfunc_st *next;
    struct CUmod_st *module;
    const char *name;
    int kernel; // its number in the module
    int dynamic_shared;
};
enum { FAKE_VARIABLES = 64 };
struct CUmod_st {
    struct CUmod_st *next;
    struct sim_module *code;
    struct CUfunc_st *functions;
};

// A driver is the state of its process, so this file has some where others have none.
static struct {
    struct {
        int code, from, calls;
    } rules[FUNCTION_COUNT];
    int count, memory_mib, l2_mib, target, sms, driver, helpers;
    int visible[8]; // the GPUs that $CUDA_VISIBLE_DEVICES leaves, `count` of them
    int other;      // the first GPU of another model; 0: none
    int threads;    // 1: a launch takes ten nanoseconds a thread longer
    int wider;      // the parameter, counted from 1, that the driver says is larger than it is; 0: none
    int sticky;     // what every call answers after a kernel has crashed
    int pending;    // what the next wait for the GPU will find
    bool hung;
    double clock_ms;
    struct fake_block *blocks;
    struct CUevent_st *events; // as the driver does, it knows all that it gave out
    struct CUarray_st *arrays;
    struct CUmod_st *modules;
    struct sim_memory *memory; // what kernels can touch, for the life of the context
    struct sim_module_variable variables[FAKE_VARIABLES]; // whose addresses it gave out
    int variable_count;
    char *printed; // by kernels, not yet shown
    size_t printed_length;
    size_t used;
    int live, retained;
    int launches; // a file; not above 0: none
    struct CUctx_st context;
} fake;

// ---- what the environment asks for ----------------------------------------------------------------

static void fact_set(const char *name, size_t length, int value)
{
    const struct {
        const char *name;
        int *fact;
    } facts[] = { { "count", &fake.count },     { "memory", &fake.memory_mib }, { "l2", &fake.l2_mib },
                  { "target", &fake.target },   { "sms", &fake.sms },           { "driver", &fake.driver },
                  { "helpers", &fake.helpers }, { "wider", &fake.wider },       { "other", &fake.other },
                  { "threads", &fake.threads } };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (strlen(facts[i].name) == length && strncmp(facts[i].name, name, length) == 0) {
            *facts[i].fact = value;
            return;
        }
    fprintf(stderr, "fake cuda: nothing is called %.*s\n", (int)length, name);
    abort();
}

static void word_read(const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    if (equals == NULL)
        return;
    size_t name_length = (size_t)(equals - word);
    char *end = NULL;
    int code = strncmp(equals + 1, "hang", 4) == 0 ? HANG : (int)strtol(equals + 1, &end, 10);
    int from = end != NULL && *end == '@' ? (int)strtol(end + 1, NULL, 10) : 1;
    if (code == HANG && equals[5] == '@')
        from = (int)strtol(equals + 6, NULL, 10);
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strlen(function_names[i]) == name_length && strncmp(function_names[i], word, name_length) == 0) {
            fake.rules[i].code = code;
            fake.rules[i].from = from;
            return;
        }
    fact_set(word, name_length, code);
}

// As the driver does, up to the first that is no GPU.
static void visible_read(void)
{
    const char *at = getenv("CUDA_VISIBLE_DEVICES");
    int all = fake.count, room = (int)(sizeof fake.visible / sizeof *fake.visible);
    for (int i = 0; i < room; i++)
        fake.visible[i] = i;
    if (at == NULL)
        return;
    for (fake.count = 0; fake.count < room && *at != '\0'; fake.count++) {
        char *end;
        long number = strtol(at, &end, 10);
        if (end == at || number < 0 || number >= all)
            return;
        fake.visible[fake.count] = (int)number;
        at = end + (*end == ',');
    }
}

static void environment_read(void)
{
    memset(fake.rules, 0, sizeof fake.rules);
    fake.count = 1, fake.memory_mib = 1024, fake.l2_mib = 1, fake.target = 90, fake.sms = 4,
    fake.driver = 13000, fake.helpers = fake.wider = fake.other = fake.threads = 0;
    fake.sticky = fake.pending = 0;
    fake.hung = false;
    fake.clock_ms = 0;
    const char *words = getenv("WARPBOOK_FAKE_CUDA");
    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, ",");
        word_read(words, length);
        words += length + (words[length] == ',');
    }
    visible_read();
}

// Before files are given up.
static void launches_open(void)
{
    const char *path = getenv("WARPBOOK_FAKE_LAUNCHES");
    if (fake.launches > 0)
        close(fake.launches);
    fake.launches = path != NULL ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
}

static bool is_sticky(int code)
{
    static const int codes[] = { 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999 };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i] == code)
            return true;
    return false;
}

// Every function starts here: what it has to answer whatever it is asked, or 0.
static int enter(enum fake_function function)
{
    int calls = ++fake.rules[function].calls, code = fake.rules[function].code;
    if (fake.sticky != 0)
        return fake.sticky;
    if (code == 0 || calls < fake.rules[function].from)
        return 0;
    if (code == HANG) {
        fake.hung = true;
        return 0;
    }
    if (is_sticky(code))
        fake.sticky = code;
    return code;
}

#define ENTER(name)                                                                                          \
    do {                                                                                                     \
        int code_ = enter(AT_##name);                                                                        \
        if (code_ != 0)                                                                                      \
            return code_;                                                                                    \
    } while (0)

// ---- what it gave out -----------------------------------------------------------------------------

static struct fake_block *block_new(size_t size)
{
    struct fake_block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    block->bytes = malloc(size);
    block->size = size;
    if (block->bytes != NULL)
        return block;
    free(block);
    return NULL;
}

static int block_add(size_t size, bool on_device, struct fake_block **out)
{
    if (on_device && fake.memory == NULL)
        return INVALID_CONTEXT;
    struct fake_block *block = block_new(size);
    if (block == NULL)
        return OUT_OF_MEMORY;
    if (on_device)
        block->address = sim_memory_add(fake.memory, "", block->bytes, size, 1, SIM_INOUT);
    if (on_device && block->address == 0) {
        free(block->bytes);
        free(block);
        return OUT_OF_MEMORY;
    }
    block->next = fake.blocks;
    fake.blocks = block;
    fake.used += on_device ? size : 0;
    fake.live++;
    *out = block;
    return 0;
}

// Of a device address or of a page-locked pointer; NULL when it gave out no such block.
static struct fake_block **block_at(cu_address address, const void *bytes)
{
    for (struct fake_block **at = &fake.blocks; *at != NULL; at = &(*at)->next)
        if ((*at)->address != 0 ? (*at)->address == address : bytes != NULL && (*at)->bytes == bytes)
            return at;
    return NULL;
}

static int block_remove(struct fake_block **at)
{
    if (at == NULL)
        return INVALID_VALUE;
    struct fake_block *block = *at;
    *at = block->next;
    if (block->address != 0) {
        fake.used -= block->size;
        if (fake.memory != NULL)
            sim_memory_remove(fake.memory, block->address);
    }
    fake.live--;
    free(block->bytes);
    free(block);
    return 0;
}

// The host's pointer for a device address, or NULL when these bytes are not all in one block or variable.
static void *device_bytes(cu_address address, size_t size)
{
    for (struct fake_block *block = fake.blocks; block != NULL; block = block->next)
        if (block->address != 0 && address >= block->address && address - block->address <= block->size &&
            size <= block->size - (address - block->address))
            return block->bytes + (address - block->address);
    for (int v = 0; v < fake.variable_count; v++)
        if (fake.variables[v].address == address && size <= fake.variables[v].bytes)
            return fake.variables[v].at;
    return NULL;
}

static void memory_close(void)
{
    sim_memory_free(fake.memory);
    fake.memory = NULL;
}

static int event_remove(struct CUevent_st *event)
{
    struct CUevent_st **at = &fake.events;
    while (*at != NULL && *at != event)
        at = &(*at)->next;
    if (*at == NULL)
        return INVALID_HANDLE;
    *at = event->next;
    free(event);
    fake.live--;
    return 0;
}

static struct CUarray_st **array_at(const struct CUarray_st *array)
{
    struct CUarray_st **at = &fake.arrays;
    while (*at != NULL && *at != array)
        at = &(*at)->next;
    return *at != NULL ? at : NULL;
}

static int array_remove(struct CUarray_st *array)
{
    struct CUarray_st **at = array_at(array);
    if (at == NULL)
        return INVALID_HANDLE;
    *at = array->next;
    block_remove(block_at(array->block->address, NULL));
    free(array);
    return 0;
}

static int module_remove(struct CUmod_st *module)
{
    struct CUmod_st **at = &fake.modules;
    while (*at != NULL && *at != module)
        at = &(*at)->next;
    if (*at == NULL)
        return INVALID_HANDLE;
    *at = module->next;
    fake.variable_count = 0;
    for (struct CUfunc_st *function = module->functions, *next; function != NULL; function = next) {
        next = function->next;
        free(function);
    }
    if (fake.memory != NULL)
        sim_memory_unload(fake.memory, module->code);
    sim_module_free(module->code);
    free(module);
    fake.live--;
    return 0;
}

#endif
