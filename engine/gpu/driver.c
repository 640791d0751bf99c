// The NVIDIA driver, found when the program runs: libcuda.so.1 comes with the driver and nothing else does, so a machine
// without one still starts warpbook, which says in a sentence what is missing. Its error codes in words, and one GPU: its
// facts, as the driver states them, and the primary context through which everything else goes.
#include "engine/gpu/driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- error codes -------------------------------------------------------------------------------------

// The meaning of each code to the author of a first kernel, what to do next, and whether the GPU can still be used in this
// process afterwards.

struct fault {
    int code;
    const char *name;
    enum exit_code exit;
    bool lost; // the context answers every later call with the same code
    const char *meaning, *advice;
};

static const char own_kernel[] =
    "Check every index that the kernel forms against the buffer's size, first of all "
    "in the last block.";
static const char reinstall[] = "Restart the machine, or install the driver again.";
static const char hardware[] =
    "Look at `nvidia-smi -q` and the kernel log (dmesg), and restart the machine if the error stays.";

static const struct fault faults[] = {
    { 1, "CUDA_ERROR_INVALID_VALUE", EXIT_WRONG, false,
      "the driver was given a value that it does not accept", "Check the sizes and the launch line." },
    { 2, "CUDA_ERROR_OUT_OF_MEMORY", EXIT_MISSING, false, "the GPU has too little free memory",
      "Choose a smaller size, or end other programs that use this GPU (nvidia-smi lists them)." },
    { 3, "CUDA_ERROR_NOT_INITIALIZED", EXIT_MISSING, false, "the driver is not ready", reinstall },
    { 4, "CUDA_ERROR_DEINITIALIZED", EXIT_MISSING, true, "the driver is shutting down", "Run it again." },
    { 34, "CUDA_ERROR_STUB_LIBRARY", EXIT_MISSING, false,
      "the libcuda.so.1 that was found is a stub: it is made for linking and runs nothing",
      "Take the CUDA Toolkit's stubs folder out of LD_LIBRARY_PATH, and install the NVIDIA driver." },
    { 35, "CUDA_ERROR_INSUFFICIENT_DRIVER", EXIT_MISSING, false, "the NVIDIA driver is too old",
      "Install a newer driver." },
    { 36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", EXIT_MISSING, false, "the NVIDIA driver is too old",
      "Install a newer driver." },
    { 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", EXIT_MISSING, false,
      "the GPU is in use by another program, or is set to serve none",
      "Wait until that program ends; nvidia-smi shows it, and the compute mode." },
    { 100, "CUDA_ERROR_NO_DEVICE", EXIT_MISSING, false, "the driver is there, but it sees no GPU",
      "Check that nvidia-smi lists one and that CUDA_VISIBLE_DEVICES does not hide it." },
    { 101, "CUDA_ERROR_INVALID_DEVICE", EXIT_MISSING, false, "there is no GPU with this number",
      "GPUs count from 0; nvidia-smi -L lists them." },
    { 102, "CUDA_ERROR_DEVICE_NOT_LICENSED", EXIT_MISSING, false, "this virtual GPU has no licence",
      "Ask this machine's administrator." },
    { 200, "CUDA_ERROR_INVALID_IMAGE", EXIT_MISSING, false,
      "the compiled code is not something this driver can read",
      "Compile it again; a damaged cache entry does this." },
    { 201, "CUDA_ERROR_INVALID_CONTEXT", EXIT_MISSING, true, "the connection to the GPU is gone",
      "Run it again." },
    { 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", EXIT_MISSING, false,
      "the code was compiled for another kind of GPU",
      "Compile it for this one; a GPU that is newer than the compiler needs a newer compiler." },
    { 214, "CUDA_ERROR_ECC_UNCORRECTABLE", EXIT_MISSING, true,
      "the GPU found a memory error that it could not correct", hardware },
    { 218, "CUDA_ERROR_INVALID_PTX", EXIT_MISSING, false, "the driver's assembler does not accept the PTX",
      "Check inline assembly, if the kernel has any; else use another compiler." },
    { 220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", EXIT_MISSING, true, "the link between GPUs failed", hardware },
    { 221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", EXIT_MISSING, false,
      "the driver's PTX assembler (libnvidia-ptxjitcompiler.so.1) is missing",
      "Install it with the driver, or compile with NVRTC, which makes machine code itself." },
    { 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", EXIT_MISSING, false,
      "the PTX is newer than this driver understands: the compiler is newer than the driver",
      "Install a newer driver, or use an older compiler." },
    { 223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", EXIT_MISSING, false,
      "the driver is set not to assemble PTX", "Unset CUDA_DISABLE_PTX_JIT." },
    { 226, "CUDA_ERROR_CONTAINED", EXIT_MISSING, true,
      "the GPU contained a hardware error and stopped this program", hardware },
    { 304, "CUDA_ERROR_OPERATING_SYSTEM", EXIT_MISSING, false,
      "the operating system refused the driver something",
      "Check that /dev/nvidia* may be opened, and the limits on memory (ulimit -a)." },
    { 500, "CUDA_ERROR_NOT_FOUND", EXIT_WRONG, false, "the compiled code has nothing of this name",
      "Check the kernel's name on the launch line, and that the kernel is extern \"C\" __global__." },
    { 700, "CUDA_ERROR_ILLEGAL_ADDRESS", EXIT_WRONG, true,
      "the kernel read or wrote memory that belongs to no buffer", own_kernel },
    { 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", EXIT_WRONG, false,
      "a block of this kernel needs more registers or shared memory than an SM has",
      "Use fewer threads in a block, or __launch_bounds__ to limit the registers." },
    { 702, "CUDA_ERROR_LAUNCH_TIMEOUT", EXIT_WRONG, true,
      "the kernel was stopped because it ran too long on a GPU that also drives a display",
      "Use a smaller size, or a GPU without a display." },
    { 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", EXIT_MISSING, true, "the connection to the GPU is gone",
      "Run it again." },
    { 710, "CUDA_ERROR_ASSERT", EXIT_WRONG, true, "an assert() in the kernel failed",
      "Look at the condition; the driver prints its line." },
    { 714, "CUDA_ERROR_HARDWARE_STACK_ERROR", EXIT_WRONG, true,
      "the kernel's call stack was damaged or overflowed",
      "Look for deep recursion and for large arrays inside functions." },
    { 715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", EXIT_WRONG, true,
      "the kernel ran into something that is not an instruction",
      "Look for __trap(), for function pointers, and for writes past an array of its own." },
    { 716, "CUDA_ERROR_MISALIGNED_ADDRESS", EXIT_WRONG, true,
      "the kernel used an address that is not a multiple of the access's size",
      "A 16-byte load (int4, float4) needs an address that is a multiple of 16: check offsets and casts." },
    { 717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", EXIT_WRONG, true,
      "the kernel used an address in the wrong kind of memory",
      "A pointer to shared memory was used where one to global memory is needed, or the other way round." },
    { 718, "CUDA_ERROR_INVALID_PC", EXIT_WRONG, true, "the kernel jumped to a place that holds no code",
      "Look for function pointers, and for writes past an array of its own." },
    { 719, "CUDA_ERROR_LAUNCH_FAILED", EXIT_WRONG, true, "the kernel crashed",
      "Most often this is shared or local memory used past its end: check the indices of the kernel's own "
      "arrays." },
    { 720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", EXIT_WRONG, false,
      "the grid is larger than the GPU can run at once", "Use fewer blocks." },
    { 801, "CUDA_ERROR_NOT_SUPPORTED", EXIT_MISSING, false, "this GPU or driver cannot do this",
      "Try a newer driver." },
    { 802, "CUDA_ERROR_SYSTEM_NOT_READY", EXIT_MISSING, false,
      "the machine's GPU services are not running yet",
      "On a machine with NVSwitch, nvidia-fabricmanager must run; wait, or ask this machine's "
      "administrator." },
    { 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", EXIT_MISSING, false,
      "the driver's library and its kernel module are of different versions",
      "After a driver update the machine must be restarted; in a container, the image must not bring its own "
      "libcuda." },
    { 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", EXIT_MISSING, false,
      "a forward-compatibility libcuda was found, and this GPU does not allow it",
      "Take the cuda-compat folder out of LD_LIBRARY_PATH." },
    { 805, "CUDA_ERROR_MPS_CONNECTION_FAILED", EXIT_MISSING, false, "the MPS server cannot be reached",
      "Start nvidia-cuda-mps-control again, or unset CUDA_MPS_PIPE_DIRECTORY." },
    { 912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", EXIT_WRONG, false, "this GPU takes no clusters of this size",
      "The grid has to be a multiple of the cluster in each dimension, a cluster has at most 8 blocks (16 on "
      "an H100), and a kernel with __cluster_dims__ takes no other." },
    { 999, "CUDA_ERROR_UNKNOWN", EXIT_MISSING, true, "the driver does not say what went wrong",
      "Run it again; if the error stays, restart the machine (after suspend, reload the nvidia_uvm "
      "module)." },
};

static const struct fault *fault_find(int code)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (faults[i].code == code)
            return &faults[i];
    return NULL;
}

// A stub library answers these calls too, and leaves the pointer unchanged.
static const char *ask(cu_result (*function)(cu_result, const char **), int code, const char *otherwise)
{
    const char *answer = NULL;
    return function(code, &answer) == 0 && answer ? answer : otherwise;
}

// Like gpu_fault, while no GPU is open.
static bool driver_fault(const struct driver *driver, int code, const char *call, const char *doing,
                         struct error *error)
{
    const struct fault *fault = fault_find(code);
    if (fault)
        return error_set(error, fault->exit, "%s failed: %s.\n%s (%s, %d, from %s)", doing, fault->meaning,
                         fault->advice, fault->name, code, call);
    return error_set(error, EXIT_MISSING, "%s failed: the NVIDIA driver says \"%s\" (%s, %d, from %s).",
                     doing, ask(driver->cuGetErrorString, code, "no description"),
                     ask(driver->cuGetErrorName, code, "no name"), code, call);
}

bool gpu_fault(struct gpu *gpu, int code, const char *call, const char *doing, struct error *error)
{
    const struct fault *fault = fault_find(code);
    if (fault && fault->lost)
        gpu->lost = true;
    return driver_fault(gpu->driver, code, call, doing, error);
}

bool gpu_usable(const struct gpu *gpu, struct error *error)
{
    if (!gpu->lost)
        return true;
    return error_set(error, EXIT_MISSING,
                     "The GPU was given up in this process after an earlier error. Run it again.");
}

// ---- the library -------------------------------------------------------------------------------------

struct driver_symbol {
    const char *name;
    size_t offset; // of its pointer in struct driver
    bool optional;
};

#define NEEDED(name, parameters) { #name, offsetof(struct driver, name), false },
#define OPTIONAL(name, parameters) { #name, offsetof(struct driver, name), true },
static const struct driver_symbol symbols[] = { DRIVER_FUNCTIONS(NEEDED) DRIVER_OPTIONAL(OPTIONAL) };

static bool symbols_load(struct driver *driver, void *library, struct error *error)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && !symbols[i].optional)
            return error_set(error, EXIT_MISSING,
                             "%s has no %s, so the NVIDIA driver is too old (or is not one).\n"
                             "Install driver 450 or newer; what runs on the CPU works without.",
                             driver->path, symbols[i].name);
        memcpy((char *)driver + symbols[i].offset, &address, sizeof address);
    }
    return true;
}

static void path_note(struct driver *driver, void *library, const char *asked)
{
    Dl_info info;
    void *address = dlsym(library, "cuInit");
    bool known = address && dladdr(address, &info) != 0 && info.dli_fname;
    format_into(driver->path, sizeof driver->path, "%s", known ? info.dli_fname : asked);
}

static void *library_open(struct driver *driver, struct error *error)
{
    const char *chosen = getenv("WARPBOOK_LIBCUDA");
    bool given = chosen && *chosen;
    const char *name = given ? chosen : "libcuda.so.1";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        path_note(driver, library, name);
        return library;
    }
    const char *reason = dlerror();
    if (given)
        error_set(error, EXIT_MISSING,
                  "The driver that $WARPBOOK_LIBCUDA names cannot be opened: %s.\n"
                  "Correct the variable, or unset it to use the system's driver.",
                  reason ? reason : name);
    else
        error_set(error, EXIT_MISSING,
                  "There is no NVIDIA driver here (%s).\n"
                  "With an NVIDIA GPU in this machine, install its driver; in a container, pass the GPU "
                  "through (--gpus all). What runs on the CPU works without.",
                  reason ? reason : name);
    return NULL;
}

static bool driver_start(struct driver *driver, struct error *error)
{
    const char *doing = "Starting the NVIDIA driver";
    int devices = 0;
    int code = driver->cuInit(0);
    if (code != 0)
        return driver_fault(driver, code, "cuInit", doing, error);
    if (driver->cuDriverGetVersion(&driver->version) != 0)
        driver->version = 0; // unknown; it is shown, and nothing is decided by it
    code = driver->cuDeviceGetCount(&devices);
    if (code != 0)
        return driver_fault(driver, code, "cuDeviceGetCount", doing, error);
    if (devices < 1)
        return driver_fault(driver, CU_NO_DEVICE, "cuDeviceGetCount", doing, error);
    return true;
}

bool driver_open(struct driver **out, struct error *error)
{
    *out = NULL;
    struct driver *driver = mem_new(sizeof *driver);
    void *library = library_open(driver, error);
    if (library && symbols_load(driver, library, error) && driver_start(driver, error)) {
        *out = driver;
        return true;
    }
    free(driver);
    return false;
}

void driver_close(struct driver *driver)
{
    // The library stays loaded: the driver starts threads of its own, which would lose their code.
    free(driver);
}

const char *driver_path(const struct driver *driver)
{
    return driver->path;
}

static void add_device(struct driver_files *out, const char *format, int number)
{
    char *path = out->paths[out->change_count];
    if (out->change_count == DRIVER_FILES)
        return;
    format_into(path, sizeof out->paths[0], format, number);
    if (access(path, F_OK) == 0)
        out->change[out->change_count++] = path;
}

void driver_files(const struct driver *driver, struct driver_files *out)
{
    static const char *const devices[] = { "/dev/nvidiactl",      "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
                                           "/dev/nvidia-caps",    "/dev/null",       "/dev/zero",
                                           "/dev/nvidia-modeset", "/dev/shm" };
    *out = (struct driver_files){ .read = { "/proc", "/sys", "/dev/urandom" }, .read_count = 3 };
    char *real = realpath(driver->path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    format_into(out->folder, sizeof out->folder, "%.*s", slash ? (int)(slash - real) : 0, real ? real : "");
    out->read[out->read_count++] = out->folder;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        add_device(out, devices[i], 0);
    for (int i = 0; i < DRIVER_FILES; i++)
        add_device(out, "/dev/nvidia%d", i);
    free(real);
}

// ---- one GPU -----------------------------------------------------------------------------------------

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
    format_clean(out->name, sizeof out->name, raw, strnlen(raw, sizeof raw));
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

static bool gpu_facts_read(const struct driver *driver, int ordinal, struct gpu_facts *out,
                           struct error *error)
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
    out->alike = 1;
    uuid_read(driver, device, out->uuid, sizeof out->uuid);
    attributes_read(driver, device, out);
    if (out->target <= 0)
        return error_set(error, EXIT_MISSING, "%s failed: the driver does not report its compute capability.",
                         doing);
    return true;
}

static bool context_open(struct gpu *gpu, int ordinal, struct error *error)
{
    const char *doing = "Opening the GPU";
    if (!GPU_CALL(gpu, cuDeviceGet, (&gpu->device, ordinal), doing, error))
        return false;
    if (!GPU_CALL(gpu, cuDevicePrimaryCtxRetain, (&gpu->context, gpu->device), doing, error)) {
        gpu->context = NULL;
        return false;
    }
    return GPU_CALL(gpu, cuCtxSetCurrent, (gpu->context), doing, error) &&
           GPU_CALL(gpu, cuEventCreate, (&gpu->begin, 0), doing, error) &&
           GPU_CALL(gpu, cuEventCreate, (&gpu->end, 0), doing, error);
}

// Choosing takes no time; a process that holds its lock for longer was stopped.
static bool choice_is_near(void *context, const struct lock_queue *queue)
{
    return queue->waited_ms < 2000;
}

static struct lock *open_lock(const struct gpu_facts *facts)
{
    char name[64];
    format_into(name, sizeof name, "gpu-%s", facts->uuid);
    return lock_open(name, "GPU");
}

// The number of the one to take. GPUs of another kind are left out: their times belong to another table.
static int least_used(const struct driver *driver, int *alike)
{
    struct gpu_facts first, facts;
    struct error ignored;
    int devices = 0, best = 0, fewest = INT_MAX;
    *alike = 0;
    if (driver->cuDeviceGetCount(&devices) != 0 || !gpu_facts_read(driver, 0, &first, &ignored))
        devices = 0;
    for (int i = 0; i < devices; i++) {
        if (!gpu_facts_read(driver, i, &facts, &ignored) || strcmp(facts.name, first.name) != 0 ||
            facts.sm_count != first.sm_count || facts.memory_bytes != first.memory_bytes)
            continue;
        struct lock *lock = open_lock(&facts);
        int users = lock_others(lock).open;
        lock_close(lock);
        *alike += 1;
        if (users < fewest) {
            fewest = users;
            best = i;
        }
    }
    return best;
}

static bool open_one(const struct driver *driver, int ordinal, struct gpu **out, struct error *error)
{
    struct gpu *gpu = mem_new(sizeof *gpu);
    gpu->driver = driver;
    if (gpu_facts_read(driver, ordinal, &gpu->facts, error) && context_open(gpu, ordinal, error)) {
        gpu->lock = open_lock(&gpu->facts);
        *out = gpu;
        return true;
    }
    gpu_close(gpu);
    return false;
}

bool gpu_open(const struct driver *driver, int ordinal, struct gpu **out, struct error *error)
{
    int alike;
    struct error unused; // two that choose at the same time may take the same one, which is no harm
    *out = NULL;
    if (ordinal != GPU_ANY)
        return open_one(driver, ordinal, out, error);
    struct lock *choice = lock_open("gpus", "choice of a GPU");
    (void)lock_take(choice, choice_is_near, NULL, &unused);
    bool opened = open_one(driver, least_used(driver, &alike), out, error);
    if (opened)
        (*out)->facts.alike = alike;
    lock_close(choice);
    return opened;
}

void gpu_close(struct gpu *gpu)
{
    if (!gpu)
        return;
    const struct driver *driver = gpu->driver;
    gpu_module_unload(gpu, gpu->helpers);
    if (gpu->context && !gpu->lost) {
        // A failure to release the context is ignored: the process's end releases it as well.
        staging_free(gpu);
        gpu_free(gpu, gpu->flush);
        if (gpu->begin)
            (void)driver->cuEventDestroy_v2(gpu->begin);
        if (gpu->end)
            (void)driver->cuEventDestroy_v2(gpu->end);
        (void)driver->cuCtxSetCurrent(NULL);
        (void)driver->cuDevicePrimaryCtxRelease_v2(gpu->device);
    }
    lock_close(gpu->lock);
    free(gpu);
}

struct lock *gpu_lock(const struct gpu *gpu)
{
    return gpu->lock;
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
