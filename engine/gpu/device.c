// One GPU: its facts, as the driver states them, and the primary context through which everything else goes.
#include "engine/gpu/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A fact that the driver does not report is `otherwise`; some drivers answer 0 for what they do not know.
static int attribute(const struct driver *driver, cu_device device, int number, int otherwise)
{
    int value = 0;
    return driver->cuDeviceGetAttribute(&value, number, device) == 0 && value > 0 ? value : otherwise;
}

static double megahertz(int khz)
{
    return khz > 0 ? khz / 1000.0 : NAN;
}

static void uuid_read(const struct driver *driver, cu_device device, char *out, size_t size)
{
    cu_uuid uuid = { { 0 } };
    int code = driver->cuDeviceGetUuid_v2 ? driver->cuDeviceGetUuid_v2(&uuid, device)
                                          : driver->cuDeviceGetUuid(&uuid, device);
    if (code != 0) {
        format_into(out, size, "GPU-unknown-%d", device);
        return;
    }
    size_t at = 0;
    format_into(out, size, "GPU-");
    for (size_t i = 0; i < sizeof uuid.bytes; i++) {
        at = strlen(out);
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        format_into(out + at, size - at, "%s%02x", dash ? "-" : "", (unsigned char)uuid.bytes[i]);
    }
}

static bool name_read(const struct driver *driver, cu_device device, struct gpu_facts *out,
                      struct error *error)
{
    char raw[sizeof out->name] = "";
    int code = driver->cuDeviceGetName(raw, (int)sizeof raw, device);
    if (code != 0)
        return driver_fault(driver, code, "cuDeviceGetName", "Asking for the GPU's name", error);
    struct text clean = { 0 };
    text_add_clean(&clean, raw, strnlen(raw, sizeof raw));
    format_into(out->name, sizeof out->name, "%s", text_string(&clean));
    text_free(&clean);
    return true;
}

static void attributes_read(const struct driver *driver, cu_device device, struct gpu_facts *out)
{
    int major = attribute(driver, device, DEVICE_MAJOR, 0),
        minor = attribute(driver, device, DEVICE_MINOR, 0);
    out->target = major * 10 + minor;
    out->sm_count = attribute(driver, device, DEVICE_SM_COUNT, 1);
    out->l2_bytes = attribute(driver, device, DEVICE_L2_BYTES, 0);
    out->shared_block_bytes = attribute(driver, device, DEVICE_SHARED_BLOCK_OPTIN, 48 << 10);
    out->max_block_threads = attribute(driver, device, DEVICE_MAX_BLOCK_THREADS, 1024);
    out->clock_mhz = megahertz(attribute(driver, device, DEVICE_CLOCK_KHZ, 0));
    out->memory_clock_mhz = megahertz(attribute(driver, device, DEVICE_MEMORY_CLOCK_KHZ, 0));
    out->memory_bus_bits = attribute(driver, device, DEVICE_MEMORY_BUS_BITS, 0);
}

bool gpu_facts_read(const struct driver *driver, int ordinal, struct gpu_facts *out, struct error *error)
{
    memset(out, 0, sizeof *out);
    char doing[64];
    format_into(doing, sizeof doing, "Looking at GPU %d", ordinal);
    cu_device device = 0;
    int code = driver->cuDeviceGet(&device, ordinal);
    if (code != 0)
        return driver_fault(driver, code, "cuDeviceGet", doing, error);
    if (!name_read(driver, device, out, error))
        return false;
    size_t bytes = 0;
    code = driver->cuDeviceTotalMem_v2(&bytes, device);
    if (code != 0)
        return driver_fault(driver, code, "cuDeviceTotalMem_v2", doing, error);
    out->memory_bytes = (double)bytes;
    out->driver_version = driver->version;
    uuid_read(driver, device, out->uuid, sizeof out->uuid);
    attributes_read(driver, device, out);
    if (out->target <= 0)
        return error_set(error, EXIT_MISSING, "%s failed: the driver does not report its compute capability.",
                         doing);
    return true;
}

static bool context_open(struct gpu *gpu, int ordinal, struct error *error)
{
    const struct driver *driver = gpu->driver;
    const char *doing = "Opening the GPU";
    int code = driver->cuDeviceGet(&gpu->device, ordinal);
    if (code != 0)
        return gpu_fault(gpu, code, "cuDeviceGet", doing, error);
    code = driver->cuDevicePrimaryCtxRetain(&gpu->context, gpu->device);
    if (code != 0) {
        gpu->context = NULL;
        return gpu_fault(gpu, code, "cuDevicePrimaryCtxRetain", doing, error);
    }
    code = driver->cuCtxSetCurrent(gpu->context);
    if (code != 0)
        return gpu_fault(gpu, code, "cuCtxSetCurrent", doing, error);
    code = driver->cuEventCreate(&gpu->begin, 0);
    if (code == 0)
        code = driver->cuEventCreate(&gpu->end, 0);
    return code == 0 || gpu_fault(gpu, code, "cuEventCreate", doing, error);
}

bool gpu_open(const struct driver *driver, int ordinal, struct gpu **out, struct error *error)
{
    *out = NULL;
    struct gpu *gpu = mem_new(sizeof *gpu);
    gpu->driver = driver;
    if (gpu_facts_read(driver, ordinal, &gpu->facts, error) && context_open(gpu, ordinal, error)) {
        *out = gpu;
        return true;
    }
    gpu_close(gpu);
    return false;
}

void gpu_close(struct gpu *gpu)
{
    if (!gpu)
        return;
    const struct driver *driver = gpu->driver;
    gpu_module_unload(gpu, gpu->helpers);
    if (gpu->context && !gpu->lost) {
        // Nothing can be done about a failure to give back; the process's end gives it back too.
        staging_free(gpu);
        gpu_free(gpu, gpu->flush);
        if (gpu->begin)
            (void)driver->cuEventDestroy_v2(gpu->begin);
        if (gpu->end)
            (void)driver->cuEventDestroy_v2(gpu->end);
        (void)driver->cuCtxSetCurrent(NULL);
        (void)driver->cuDevicePrimaryCtxRelease_v2(gpu->device);
    }
    free(gpu);
}

const struct gpu_facts *gpu_facts(const struct gpu *gpu)
{
    return &gpu->facts;
}

double gpu_free_bytes(const struct gpu *gpu)
{
    size_t free_bytes = 0, total = 0;
    if (gpu->lost || gpu->driver->cuMemGetInfo_v2(&free_bytes, &total) != 0)
        return NAN;
    return (double)free_bytes;
}

bool gpu_lost(const struct gpu *gpu)
{
    return gpu->lost;
}
