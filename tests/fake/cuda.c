// A stand-in for libcuda.so.1, chosen by $WARPBOOK_LIBCUDA: a GPU whose memory is the host's, whose kernels
// run in the simulator, whose clock only moves when something is launched or copied, and whose every function
// can be told to fail. It reads PTX only. There can be several, of which a process opens one.
//
// $WARPBOOK_FAKE_CUDA is read by cuInit: words with commas between them.
//   cuMemAlloc_v2=2           the function answers 2 from its first call on
//   cuLaunchKernel=719@3      … from its third call on
//   cuEventQuery=hang         nothing queued from this call on is ever done
//   count=0  memory=64  l2=4  target=75  sms=8  driver=12040      facts; memory and L2 in MiB
//   count=4  other=2                           four GPUs, at most eight; from the third on another model
//   helpers=1                                  warpbook's own measuring kernels are executed too, not only timed
//   threads=1                                  a launch takes ten nanoseconds a thread longer than 0.25 ms
// In the file $WARPBOOK_FAKE_LAUNCHES, where there is one, each launch appends a line with the user who makes it.
#include "tests/fake/image.h"
#include "tests/fake/launch.h"
#include "tests/fake/state.h"

int fake_cuda_live(void)
{
    return fake.live;
}

// ---- driver and device ----------------------------------------------------------------------------

// A process that starts anew: what an earlier one left behind is gone.
int cuInit(unsigned flags)
{
    while (fake.arrays != NULL)
        array_remove(fake.arrays);
    while (fake.blocks != NULL)
        block_remove(&fake.blocks);
    while (fake.events != NULL)
        event_remove(fake.events);
    while (fake.modules != NULL)
        module_remove(fake.modules);
    printed_drop();
    memory_close();
    fake.live = fake.retained = 0;
    environment_read();
    launches_open();
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
    *device = fake.visible[ordinal];
    return 0;
}

int cuDeviceGetName(char *name, int size, cu_device device)
{
    ENTER(cuDeviceGetName);
    snprintf(name, (size_t)size, fake.other != 0 && device >= fake.other ? "Other GPU" : "Stand-in GPU");
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
    if (fake.memory == NULL)
        fake.memory = sim_memory_new();
    if (fake.memory == NULL)
        return OUT_OF_MEMORY;
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
    if (fake.retained == 0)
        memory_close();
    return 0;
}

int cuCtxSetCurrent(cu_context context)
{
    ENTER(cuCtxSetCurrent);
    return context == NULL || context == &fake.context ? 0 : INVALID_HANDLE;
}

// ---- memory ---------------------------------------------------------------------------------------

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
    struct fake_block *block;
    if (bytes == 0)
        return INVALID_VALUE;
    if (bytes > ((size_t)fake.memory_mib << 20) - fake.used)
        return OUT_OF_MEMORY;
    int code = block_add(bytes, true, &block);
    if (code == 0)
        *address = block->address;
    return code;
}

int cuMemFree_v2(cu_address address)
{
    ENTER(cuMemFree_v2);
    return block_remove(block_at(address, NULL));
}

int cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    ENTER(cuMemAllocHost_v2);
    struct fake_block *block;
    int code = block_add(bytes, false, &block);
    if (code == 0)
        *pointer = block->bytes;
    return code;
}

int cuMemFreeHost(void *pointer)
{
    ENTER(cuMemFreeHost);
    return block_remove(block_at(0, pointer));
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

// ---- textures and surfaces -------------------------------------------------------------------------

int cuArray3DCreate_v2(cu_array *array, const struct driver_array *description)
{
    ENTER(cuArray3DCreate_v2);
    return array_add(array, description);
}

int cuArrayDestroy(cu_array array)
{
    ENTER(cuArrayDestroy);
    return array_remove(array);
}

int cuMemcpy3DAsync_v2(const struct driver_copy *copy, cu_stream stream)
{
    ENTER(cuMemcpy3DAsync_v2);
    return image_copy(copy);
}

int cuTexObjectCreate(cu_texture *texture, const struct driver_resource *resource,
                      const struct driver_texture *description, const void *view)
{
    ENTER(cuTexObjectCreate);
    return texture_add(resource, description, texture);
}

int cuTexObjectDestroy(cu_texture texture)
{
    ENTER(cuTexObjectDestroy);
    return image_remove(texture);
}

int cuSurfObjectCreate(cu_texture *surface, const struct driver_resource *resource)
{
    ENTER(cuSurfObjectCreate);
    return surface_add(resource, surface);
}

int cuSurfObjectDestroy(cu_texture surface)
{
    ENTER(cuSurfObjectDestroy);
    return image_remove(surface);
}

// ---- modules ---------------------------------------------------------------------------------------

static void complain(const struct sim_fault *fault, unsigned count, const int *options, void **values)
{
    size_t room = 0;
    for (unsigned i = 0; i < count; i++)
        if (options[i] == JIT_ERROR_LOG_BYTES)
            room = (uintptr_t)values[i];
    for (unsigned i = 0; i < count; i++)
        if (options[i] == JIT_ERROR_LOG)
            snprintf(values[i], room, "line %d: %s\n", fault->line, fault->text);
}

int cuModuleLoadDataEx(cu_module *module, const void *image, unsigned option_count, int *options,
                       void **values)
{
    ENTER(cuModuleLoadDataEx);
    struct sim_fault fault;
    int code = module_add(image, module, &fault);
    if (code == INVALID_PTX)
        complain(&fault, option_count, options, values);
    return code;
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

int cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, cu_module module, const char *name)
{
    ENTER(cuModuleGetGlobal_v2);
    struct sim_module_variable *variable = &fake.variables[fake.variable_count % FAKE_VARIABLES];
    if (!sim_memory_variable(fake.memory, module->code, name, variable))
        return NOT_FOUND;
    fake.variable_count = fake.variable_count % FAKE_VARIABLES + 1;
    *address = variable->address;
    *bytes = variable->bytes;
    return 0;
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

int cuFuncGetParamInfo(cu_function function, size_t index, size_t *offset, size_t *bytes)
{
    ENTER(cuFuncGetParamInfo);
    const struct sim_kernel *kernel = kernel_of(function);
    if (index >= kernel->parameter_count)
        return INVALID_VALUE;
    *offset = kernel->parameters[index].offset;
    *bytes = kernel->parameters[index].bytes + (index + 1 == (size_t)fake.wider ? 8 : 0);
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

int cuLaunchKernel(cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, cu_stream stream,
                   void **arguments, void **extra)
{
    ENTER(cuLaunchKernel);
    struct sim_launch launch = { .grid = { grid_x, grid_y, grid_z },
                                 .block = { block_x, block_y, block_z },
                                 .shared_bytes = shared_bytes };
    unsigned shared_most =
        function->dynamic_shared > 48 << 10 ? (unsigned)function->dynamic_shared : 48u << 10;
    if (shared_bytes > shared_most)
        return INVALID_VALUE;
    fake.clock_ms += 0.25;
    if (fake.threads > 0)
        fake.clock_ms += 1e-5 * grid_x * grid_y * grid_z * block_x * block_y * block_z;
    if (fake.launches > 0)
        dprintf(fake.launches, "%ld\n", (long)getuid());
    return launch_run(function, arguments, &launch);
}

int cuLaunchKernelEx(const struct driver_launch_config *config, cu_function function, void **arguments,
                     void **extra)
{
    ENTER(cuLaunchKernelEx);
    struct sim_launch launch = { .shared_bytes = config->shared_bytes };
    memcpy(launch.grid, config->grid, sizeof launch.grid);
    memcpy(launch.block, config->block, sizeof launch.block);
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct driver_launch_attribute *attribute = &config->attributes[i];
        if (attribute->id == LAUNCH_COOPERATIVE)
            launch.cooperative = attribute->value.cooperative;
        else if (attribute->id == LAUNCH_CLUSTER)
            memcpy(launch.cluster, attribute->value.cluster, sizeof launch.cluster);
    }
    fake.clock_ms += 0.25;
    return launch_run(function, arguments, &launch);
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

// A crash is told to whoever waits, and from then on to everyone.
static int wait_end(void)
{
    if (fake.pending != 0) {
        fake.sticky = fake.pending;
        printed_show();
    }
    return fake.pending;
}

int cuCtxSynchronize(void)
{
    ENTER(cuCtxSynchronize);
    printed_show();
    return wait_end();
}

int cuEventQuery(cu_event event)
{
    ENTER(cuEventQuery);
    return fake.hung ? NOT_READY : wait_end();
}

int cuEventElapsedTime(float *ms, cu_event begin, cu_event end)
{
    ENTER(cuEventElapsedTime);
    if (!begin->recorded || !end->recorded)
        return INVALID_HANDLE;
    *ms = (float)(end->at_ms - begin->at_ms);
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
