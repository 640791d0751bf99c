// A stand-in for libcuda.so.1, chosen by $WARPBOOK_LIBCUDA: one GPU whose memory is the host's, whose clock
// only moves when something is launched or copied, and whose every function can be told to fail.
//
// $WARPBOOK_FAKE_CUDA is read by cuInit: words with commas between them.
//   cuMemAlloc_v2=2           the function answers 2 from its first call on
//   cuLaunchKernel=719@3      … from its third call on
//   cuEventQuery=hang         nothing queued from this call on is ever done
//   count=0  memory=64  l2=4  target=75  sms=8  driver=12040      facts; memory and L2 in MiB
// Kernels are not executed: twins.h holds C functions for some, every other launch does nothing.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gpu/driver.h"

// What the tests ask beyond the driver's functions: how many things are allocated and not freed.
int fake_cuda_live(void);
#define DECLARE(name, parameters) cu_result name parameters;
DRIVER_FUNCTIONS(DECLARE)
DRIVER_OPTIONAL(DECLARE)

#define INDEX(name, parameters) AT_##name,
enum function { DRIVER_FUNCTIONS(INDEX) DRIVER_OPTIONAL(INDEX) FUNCTION_COUNT };
#define NAME(name, parameters) #name,
static const char *const function_names[] = { DRIVER_FUNCTIONS(NAME) DRIVER_OPTIONAL(NAME) };

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_DEVICE = 101,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    HANG = -1
};

struct block { // of device memory, or page-locked
    struct block *next;
    unsigned char *bytes;
    size_t size;
    bool on_device;
};
struct CUctx_st {
    int unused;
};
struct CUevent_st {
    struct CUevent_st *next;
    double at_ms;
    bool recorded;
};
struct CUfunc_st {
    struct CUfunc_st *next;
    char *name;
    int dynamic_shared;
};
struct CUmod_st {
    struct CUmod_st *next;
    struct CUfunc_st *functions;
};

// A driver is the state of its process, so this file has some where others have none.
static struct {
    struct {
        int code, from, calls;
    } rules[FUNCTION_COUNT];
    int count, memory_mib, l2_mib, target, sms, driver;
    int sticky;  // what every call answers after a kernel has crashed
    int pending; // what the next wait for the GPU will find
    bool hung;
    double clock_ms;
    struct block *blocks;
    struct CUevent_st *events; // as the driver does, it knows all that it gave out
    struct CUmod_st *modules;
    size_t used;
    int live, retained;
    struct CUctx_st context;
} fake;

int fake_cuda_live(void)
{
    return fake.live;
}

// ---- what the environment asks for ----------------------------------------------------------------

static void fact_set(const char *name, size_t length, int value)
{
    const struct {
        const char *name;
        int *fact;
    } facts[] = { { "count", &fake.count },   { "memory", &fake.memory_mib }, { "l2", &fake.l2_mib },
                  { "target", &fake.target }, { "sms", &fake.sms },           { "driver", &fake.driver } };
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

static void environment_read(void)
{
    memset(fake.rules, 0, sizeof fake.rules);
    fake.count = 1, fake.memory_mib = 1024, fake.l2_mib = 1, fake.target = 90, fake.sms = 4,
    fake.driver = 13000;
    fake.sticky = fake.pending = 0;
    fake.hung = false;
    fake.clock_ms = 0;
    const char *words = getenv("WARPBOOK_FAKE_CUDA");
    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, ",");
        word_read(words, length);
        words += length + (words[length] == ',');
    }
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
static int enter(enum function function)
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

static int block_remove(const void *bytes);
static int event_remove(struct CUevent_st *event);
static int module_remove(struct CUmod_st *module);

// ---- driver and device ----------------------------------------------------------------------------

// A process that starts anew: what an earlier one left behind is gone.
int cuInit(unsigned flags)
{
    while (fake.blocks != NULL)
        block_remove(fake.blocks->bytes);
    while (fake.events != NULL)
        event_remove(fake.events);
    while (fake.modules != NULL)
        module_remove(fake.modules);
    fake.live = fake.retained = 0;
    environment_read();
    ENTER(cuInit);
    return 0;
}

int cuDriverGetVersion(int *version)
{
    ENTER(cuDriverGetVersion);
    *version = fake.driver;
    return 0;
}

int cuDeviceGetCount(int *count)
{
    ENTER(cuDeviceGetCount);
    *count = fake.count;
    return 0;
}

int cuDeviceGet(cu_device *device, int ordinal)
{
    ENTER(cuDeviceGet);
    if (ordinal < 0 || ordinal >= fake.count)
        return INVALID_DEVICE;
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size, cu_device device)
{
    ENTER(cuDeviceGetName);
    snprintf(name, (size_t)size, "Stand-in GPU");
    return 0;
}

static void uuid_fill(cu_uuid *uuid, cu_device device)
{
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)(0xa0 + i);
    uuid->bytes[15] = (char)device;
}

int cuDeviceGetUuid(cu_uuid *uuid, cu_device device)
{
    ENTER(cuDeviceGetUuid);
    uuid_fill(uuid, device);
    return 0;
}

int cuDeviceGetUuid_v2(cu_uuid *uuid, cu_device device)
{
    ENTER(cuDeviceGetUuid_v2);
    uuid_fill(uuid, device);
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, cu_device device)
{
    ENTER(cuDeviceGetAttribute);
    const struct {
        int attribute, value;
    } answers[] = { { DEVICE_MAX_BLOCK_THREADS, 1024 },      { DEVICE_CLOCK_KHZ, 1500000 },
                    { DEVICE_SM_COUNT, fake.sms },           { DEVICE_MEMORY_CLOCK_KHZ, 2000000 },
                    { DEVICE_MEMORY_BUS_BITS, 256 },         { DEVICE_L2_BYTES, fake.l2_mib << 20 },
                    { DEVICE_MAJOR, fake.target / 10 },      { DEVICE_MINOR, fake.target % 10 },
                    { DEVICE_SHARED_BLOCK_OPTIN, 227 << 10 } };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (answers[i].attribute == attribute) {
            *value = answers[i].value;
            return 0;
        }
    return INVALID_VALUE;
}

int cuDeviceTotalMem_v2(size_t *bytes, cu_device device)
{
    ENTER(cuDeviceTotalMem_v2);
    *bytes = (size_t)fake.memory_mib << 20;
    return 0;
}

int cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
    ENTER(cuDevicePrimaryCtxRetain);
    fake.retained++;
    fake.live++;
    *context = &fake.context;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(cu_device device)
{
    ENTER(cuDevicePrimaryCtxRelease_v2);
    if (fake.retained == 0)
        return INVALID_HANDLE;
    fake.retained--;
    fake.live--;
    return 0;
}

int cuCtxSetCurrent(cu_context context)
{
    ENTER(cuCtxSetCurrent);
    return context == NULL || context == &fake.context ? 0 : INVALID_HANDLE;
}

// ---- memory ---------------------------------------------------------------------------------------

static int block_add(size_t size, bool on_device, unsigned char **out)
{
    struct block *block = malloc(sizeof *block);
    unsigned char *bytes = malloc(size);
    if (block == NULL || bytes == NULL) {
        free(block);
        free(bytes);
        return OUT_OF_MEMORY;
    }
    *block = (struct block){ fake.blocks, bytes, size, on_device };
    fake.blocks = block;
    fake.used += on_device ? size : 0;
    fake.live++;
    *out = bytes;
    return 0;
}

static int block_remove(const void *bytes)
{
    for (struct block **at = &fake.blocks; *at != NULL; at = &(*at)->next) {
        struct block *block = *at;
        if (block->bytes != bytes)
            continue;
        *at = block->next;
        fake.used -= block->on_device ? block->size : 0;
        fake.live--;
        free(block->bytes);
        free(block);
        return 0;
    }
    return INVALID_VALUE;
}

// The host's pointer for a device address, or NULL when these bytes are not all in one block.
static void *device_bytes(cu_address address, size_t size)
{
    for (struct block *block = fake.blocks; block != NULL; block = block->next) {
        cu_address start = (cu_address)(uintptr_t)block->bytes;
        if (block->on_device && address >= start && address - start <= block->size &&
            size <= block->size - (address - start))
            return block->bytes + (address - start);
    }
    return NULL;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    ENTER(cuMemGetInfo_v2);
    *total_bytes = (size_t)fake.memory_mib << 20;
    *free_bytes = *total_bytes - fake.used;
    return 0;
}

int cuMemAlloc_v2(cu_address *address, size_t bytes)
{
    ENTER(cuMemAlloc_v2);
    unsigned char *memory = NULL;
    if (bytes == 0)
        return INVALID_VALUE;
    if (bytes > ((size_t)fake.memory_mib << 20) - fake.used)
        return OUT_OF_MEMORY;
    int code = block_add(bytes, true, &memory);
    *address = (cu_address)(uintptr_t)memory;
    return code;
}

int cuMemFree_v2(cu_address address)
{
    ENTER(cuMemFree_v2);
    return block_remove((void *)(uintptr_t)address);
}

int cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    ENTER(cuMemAllocHost_v2);
    unsigned char *memory = NULL;
    int code = block_add(bytes, false, &memory);
    *pointer = memory;
    return code;
}

int cuMemFreeHost(void *pointer)
{
    ENTER(cuMemFreeHost);
    return block_remove(pointer);
}

static void clock_move(size_t bytes, double ms_each_mib)
{
    fake.clock_ms += (double)bytes / (1 << 20) * ms_each_mib;
}

static int copy(void *to, const void *from, size_t bytes)
{
    if (to == NULL || from == NULL)
        return INVALID_VALUE;
    memcpy(to, from, bytes);
    clock_move(bytes, 0.05);
    return 0;
}

int cuMemcpyHtoD_v2(cu_address to, const void *from, size_t bytes)
{
    ENTER(cuMemcpyHtoD_v2);
    return copy(device_bytes(to, bytes), from, bytes);
}

int cuMemcpyDtoH_v2(void *to, cu_address from, size_t bytes)
{
    ENTER(cuMemcpyDtoH_v2);
    return copy(to, device_bytes(from, bytes), bytes);
}

int cuMemcpyHtoDAsync_v2(cu_address to, const void *from, size_t bytes, cu_stream stream)
{
    ENTER(cuMemcpyHtoDAsync_v2);
    return copy(device_bytes(to, bytes), from, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, cu_address from, size_t bytes, cu_stream stream)
{
    ENTER(cuMemcpyDtoHAsync_v2);
    return copy(to, device_bytes(from, bytes), bytes);
}

int cuMemcpyDtoDAsync_v2(cu_address to, cu_address from, size_t bytes, cu_stream stream)
{
    ENTER(cuMemcpyDtoDAsync_v2);
    return copy(device_bytes(to, bytes), device_bytes(from, bytes), bytes);
}

int cuMemsetD8Async(cu_address to, unsigned char byte, size_t bytes, cu_stream stream)
{
    ENTER(cuMemsetD8Async);
    void *memory = device_bytes(to, bytes);
    if (memory == NULL)
        return INVALID_VALUE;
    memset(memory, byte, bytes);
    clock_move(bytes, 0.01);
    return 0;
}

// ---- modules: the names of their kernels ----------------------------------------------------------

static void function_add(struct CUmod_st *module, const char *name, size_t length)
{
    struct CUfunc_st *function = calloc(1, sizeof *function);
    char *copied = strndup(name, length);
    if (function == NULL || copied == NULL)
        abort();
    function->name = copied;
    function->next = module->functions;
    module->functions = function;
}

static void ptx_read(struct CUmod_st *module, const char *text)
{
    while ((text = strstr(text, ".entry")) != NULL) {
        text += strlen(".entry");
        text += strspn(text, " \t\n");
        function_add(module, text, strcspn(text, "( \t\n"));
    }
}

static uint64_t number_at(const unsigned char *bytes, size_t offset, size_t size)
{
    uint64_t number = 0;
    memcpy(&number, bytes + offset, size);
    return number;
}

// A CUBIN is a 64-bit ELF file with a section .text.NAME for every kernel. Its size is not told, so its own
// numbers are believed, as the driver does.
static void elf_read(struct CUmod_st *module, const unsigned char *image)
{
    const unsigned char *sections = image + number_at(image, 0x28, 8);
    uint64_t each = number_at(image, 0x3a, 2), count = number_at(image, 0x3c, 2),
             names = number_at(image, 0x3e, 2);
    const char *strings = (const char *)image + number_at(sections, names * each + 0x18, 8);
    for (uint64_t i = 0; i < count; i++) {
        const char *name = strings + number_at(sections, i * each, 4);
        if (strncmp(name, ".text.", 6) == 0)
            function_add(module, name + 6, strlen(name + 6));
    }
}

static void complain(unsigned count, const int *options, void **values)
{
    for (unsigned i = 0; i < count; i++)
        if (options[i] == JIT_ERROR_LOG)
            strcpy(values[i], "line 1: no .version in this PTX\n");
}

int cuModuleLoadDataEx(cu_module *module, const void *image, unsigned option_count, int *options,
                       void **values)
{
    ENTER(cuModuleLoadDataEx);
    bool elf = memcmp(image, "\177ELF", 4) == 0;
    if (!elf && strstr(image, ".version") == NULL) {
        complain(option_count, options, values);
        return INVALID_PTX;
    }
    struct CUmod_st *made = calloc(1, sizeof *made);
    if (made == NULL)
        return OUT_OF_MEMORY;
    if (elf)
        elf_read(made, image);
    else
        ptx_read(made, image);
    made->next = fake.modules;
    fake.modules = made;
    fake.live++;
    *module = made;
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
    for (struct CUfunc_st *function = module->functions, *next; function != NULL; function = next) {
        next = function->next;
        free(function->name);
        free(function);
    }
    free(module);
    fake.live--;
    return 0;
}

int cuModuleUnload(cu_module module)
{
    ENTER(cuModuleUnload);
    return module_remove(module);
}

int cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
    ENTER(cuModuleGetFunction);
    for (struct CUfunc_st *at = module->functions; at != NULL; at = at->next)
        if (strcmp(at->name, name) == 0) {
            *function = at;
            return 0;
        }
    return NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, cu_function function)
{
    ENTER(cuFuncGetAttribute);
    *value = attribute == FUNCTION_MAX_THREADS ? 1024 : attribute == FUNCTION_REGISTERS ? 32 : 0;
    return 0;
}

int cuFuncSetAttribute(cu_function function, int attribute, int value)
{
    ENTER(cuFuncSetAttribute);
    if (attribute != FUNCTION_MAX_DYNAMIC_SHARED || value > 227 << 10)
        return INVALID_VALUE;
    function->dynamic_shared = value;
    return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cu_function function, int block_threads,
                                                size_t bytes)
{
    ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    *blocks = 2048 / block_threads;
    return 0;
}

// ---- launches and events --------------------------------------------------------------------------

#include "tests/fake/twins.h"

int cuLaunchKernel(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, cu_stream stream,
                   void **arguments, void **extra)
{
    ENTER(cuLaunchKernel);
    struct twin_launch launch = {
        function->name, { grid_x, grid_y, grid_z }, { block_x, block_y, block_z }, arguments
    };
    uint64_t threads = (uint64_t)block_x * block_y * block_z;
    unsigned shared_most =
        function->dynamic_shared > 48 << 10 ? (unsigned)function->dynamic_shared : 48u << 10;
    if (threads == 0 || threads > 1024 || grid_x == 0 || grid_y == 0 || grid_z == 0 ||
        shared_bytes > shared_most)
        return INVALID_VALUE;
    fake.clock_ms += 0.25;
    if (!fake.hung && !launch_run(&launch, device_bytes))
        fake.pending = ILLEGAL_ADDRESS; // found, as on a GPU, by whoever waits
    return 0;
}

int cuEventCreate(cu_event *event, unsigned flags)
{
    ENTER(cuEventCreate);
    struct CUevent_st *made = calloc(1, sizeof *made);
    if (made == NULL)
        return OUT_OF_MEMORY;
    made->next = fake.events;
    fake.events = made;
    *event = made;
    fake.live++;
    return 0;
}

int cuEventRecord(cu_event event, cu_stream stream)
{
    ENTER(cuEventRecord);
    event->at_ms = fake.clock_ms;
    event->recorded = true;
    return 0;
}

int cuEventQuery(cu_event event)
{
    ENTER(cuEventQuery);
    if (fake.pending != 0)
        fake.sticky = fake.pending;
    return fake.sticky != 0 ? fake.sticky : fake.hung ? NOT_READY : 0;
}

int cuEventElapsedTime(float *ms, cu_event begin, cu_event end)
{
    ENTER(cuEventElapsedTime);
    if (!begin->recorded || !end->recorded)
        return INVALID_HANDLE;
    *ms = (float)(end->at_ms - begin->at_ms);
    return 0;
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

int cuEventDestroy_v2(cu_event event)
{
    ENTER(cuEventDestroy_v2);
    return event_remove(event);
}

int cuGetErrorName(int code, const char **name)
{
    ENTER(cuGetErrorName);
    *name = "CUDA_ERROR_STAND_IN";
    return 0;
}

int cuGetErrorString(int code, const char **string)
{
    ENTER(cuGetErrorString);
    *string = "told to fail";
    return 0;
}
