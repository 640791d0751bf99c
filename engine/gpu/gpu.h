// The NVIDIA driver, opened at run time, and one GPU: memory, modules, launches, times.
// Needs no NVIDIA file to build. Every failure is a sentence; nothing here exits or prints.
#ifndef WARPBOOK_GPU_H
#define WARPBOOK_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/base.h"
#include "engine/base/lock.h"
#include "reference/lab.h"

// ---- driver.c: libcuda.so.1 by dlopen -----------------------------------------------------------

struct driver; // the table of the driver's functions
// Opens $WARPBOOK_LIBCUDA or libcuda.so.1 and calls cuInit. Without a driver or a GPU: false, and the
// error says what is missing and what to do.
bool driver_open(struct driver **out, struct error *error);
void driver_close(struct driver *driver);
const char *driver_path(const struct driver *driver);

// ---- driver.c: one GPU, its facts and its context -----------------------------------------------

struct gpu_facts {
    char name[128];
    char uuid[48]; // "GPU-xxxxxxxx-xxxx-…"
    int target;    // compute capability × 10
    int sm_count;
    int l2_bytes;
    int shared_block_bytes; // most that one block may ask for
    int max_block_threads;
    double clock_mhz, memory_clock_mhz; // as the driver states them; NAN unknown
    int memory_bus_bits;
    double memory_bytes;
    int driver_version;
    int alike; // GPUs of this kind here, it among them
};
struct gpu;
enum { GPU_ANY = -1 };
// Retains the primary context. `ordinal` counts as CUDA does. GPU_ANY: of several GPUs like the first one, that which the
// fewest processes have open.
bool gpu_open(const struct driver *driver, int ordinal, struct gpu **out, struct error *error);
void gpu_close(struct gpu *gpu);
const struct gpu_facts *gpu_facts(const struct gpu *gpu);
// The lock by which processes take turns, and know of each other. It is closed with the GPU.
struct lock *gpu_lock(const struct gpu *gpu);
double gpu_free_bytes(const struct gpu *gpu); // NAN unknown
// True after an error that leaves the context unusable. Every later call fails without reaching the driver;
// the process should end, by _exit: after a kernel that hangs, the driver's own exit handlers may wait.
bool gpu_lost(const struct gpu *gpu);

// ---- memory.c -----------------------------------------------------------------------------------

typedef uint64_t gpu_address;
bool gpu_alloc(struct gpu *gpu, size_t bytes, gpu_address *out, struct error *error);
void gpu_free(struct gpu *gpu, gpu_address address);
// Through page-locked staging memory; *ms is the time of the copy alone (may be NULL).
bool gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes, double *ms,
                struct error *error);
// Hands the buffer's content to `look` piece by piece as it arrives, copying the next piece meanwhile.
// `look` gets the offset in bytes, a multiple of 8 MiB. *ms is the time of the copies alone.
typedef void (*gpu_look)(void *context, const void *bytes, size_t offset, size_t length);
bool gpu_download_each(struct gpu *gpu, gpu_address from, size_t bytes, gpu_look look, void *context,
                       double *ms, struct error *error);
bool gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, size_t bytes, struct error *error); // queued
bool gpu_fill(struct gpu *gpu, gpu_address to, unsigned char byte, size_t bytes,
              struct error *error); // queued

// ---- texture.c: textures and surfaces over a buffer --------------------------------------------------

struct gpu_image { // of texels that lie in a buffer, row after row
    gpu_address at;
    uint64_t pitch;                        // bytes from row to row
    uint32_t width, height, depth, layers; // 0: it has no such dimension
    enum { GPU_TEXEL_UNSIGNED, GPU_TEXEL_SIGNED, GPU_TEXEL_FLOAT } kind;
    unsigned channels, bits;
    bool in_place; // linear memory, which tex1Dfetch reads where it is; else an array holds a copy
    bool surface, linear, normalised, unit; // of the filter, of coordinates, of results
    enum { GPU_EDGE_WRAP, GPU_EDGE_CLAMP, GPU_EDGE_MIRROR, GPU_EDGE_BORDER } edge; // what lies outside
};
struct gpu_texture;
// Free a texture before its buffer.
bool gpu_texture_make(struct gpu *gpu, const struct gpu_image *image, struct gpu_texture **out,
                      struct error *error);
void gpu_texture_free(struct gpu *gpu, struct gpu_texture *texture);
uint64_t gpu_texture_handle(const struct gpu_texture *texture); // as kernels take it
// Copies the buffer's texels to the array, or back; queued.
bool gpu_texture_copy(struct gpu *gpu, const struct gpu_texture *texture, bool back, struct error *error);

// ---- launch.c: modules, their kernels and what a launch asks for ---------------------------------

struct gpu_module;
// `cubin` may be NULL. One that is for another kind of GPU is passed over for the PTX, a terminated text, which the
// driver assembles itself. Unload a module before its GPU is closed.
bool gpu_module_load(struct gpu *gpu, const void *cubin, const char *ptx, struct gpu_module **out,
                     struct error *error);
void gpu_module_unload(struct gpu *gpu, struct gpu_module *module);

// A variable of the loaded code, by its name in PTX. *bytes: its size; 0: there is none of this name, which is no error.
bool gpu_module_variable(struct gpu *gpu, struct gpu_module *module, const char *name, gpu_address *out,
                         size_t *bytes, struct error *error);

struct gpu_function; // belongs to its module
bool gpu_function_find(struct gpu *gpu, struct gpu_module *module, const char *name,
                       struct gpu_function **out, struct error *error);
struct gpu_parameter {
    size_t offset, bytes; // among all that a launch gives
};
// Whether the loaded code takes exactly these parameters. A driver before CUDA 12.4 cannot tell; they count as right
// then.
bool gpu_function_takes(struct gpu *gpu, const struct gpu_function *function,
                        const struct gpu_parameter *parameters, size_t count, struct error *error);
// The registers per thread and the static shared bytes of the loaded code; -1 unknown.
int gpu_function_registers(struct gpu *gpu, struct gpu_function *function);
int gpu_function_shared(struct gpu *gpu, struct gpu_function *function);

struct gpu_launch {
    struct gpu_function *function;
    const char *name; // for messages
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;       // dynamic
    uint32_t cluster[3];         // blocks of a cluster; 0: as the kernel says, or none
    bool cooperative;            // all blocks are resident at once
    void **arguments;            // as cuLaunchKernel takes them
    struct gpu_library *library; // what is called in a kernel's place; NULL: it is a kernel
};

// ---- library.c: NVIDIA's own, for the problem of a lab ----------------------------------------------

struct gpu_library;
// Opens the library that lies at `path`. It is closed before its GPU is.
bool gpu_library_open(struct gpu *gpu, const struct lab_library *of, const char *path,
                      struct gpu_library **out, struct error *error);
void gpu_library_close(struct gpu_library *library);
const char *gpu_library_version(const struct gpu_library *library); // "cuBLAS 13.0.2"; "" unknown
// A call of it on these buffers, which are in the order of the problem's. The next one takes its place.
bool gpu_library_prepare(struct gpu_library *library, const struct problem *problem,
                         const gpu_address *buffers, struct gpu_launch *out, struct error *error);

// ---- launch.c: how long launches take -----------------------------------------------------------

// Queues the launches between two events after flushing the L2, waits, and gives the time between the events.
// A launch that cannot work here (too many threads, too much shared memory) fails before anything is queued.
// `limit_ms` bounds the wait: past it the call fails (code EXIT_WRONG) and the GPU counts as lost.
bool gpu_time(struct gpu *gpu, const struct gpu_launch *launches, size_t count, bool flush_l2, int limit_ms,
              double *ms, struct error *error);

// ---- launch.c: what this device can do at best --------------------------------------------------

// Types that tensor cores multiply, with sums of floats.
enum tensor_type { TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_TYPES };
extern const char *const tensor_names[TENSOR_TYPES]; // "f16"

struct ceilings {                // NAN: unknown
    double read_gbps, copy_gbps; // copy counts bytes read and bytes written
    // Multiplications and additions of tensor cores, by the instructions wmma and mma.sync, whose factors are in registers.
    double tensor_gflops[TENSOR_TYPES];
    double shared_gbps; // 128 bytes a clock and SM at the clock that the driver states
    double launch_us;   // an empty kernel between two events
    char date[32];
};
// Loads the compiled engine/gpu/ceiling.cu, as gpu_module_load does. Also gives the GPU its own kernels for
// flushing the L2 with clean lines and for keeping the GPU busy while launches are queued; without, a fill
// flushes the L2.
bool gpu_helpers_load(struct gpu *gpu, const void *cubin, const char *ptx, struct error *error);
// Takes some tenths of a second and up to 1 GiB, or a quarter of the free memory. Needs the helpers.
bool gpu_ceilings_measure(struct gpu *gpu, struct ceilings *out, struct error *error);

// Kept in the cache folder, one file per GPU; one of another driver counts as not there.
bool gpu_ceilings_kept(const struct gpu_facts *facts, struct ceilings *out);
bool gpu_ceilings_keep(const struct gpu_facts *facts, const struct ceilings *ceilings, struct error *error);

// ---- driver.c, with a driver open: the files that it goes on using ------------------------------

enum { DRIVER_FILES = 32 };
struct driver_files { // paths; those that it only reads, and devices and memory that it also writes
    const char *read[8], *change[DRIVER_FILES];
    size_t read_count, change_count;
    char paths[DRIVER_FILES][64], folder[512];
};
void driver_files(const struct driver *driver, struct driver_files *out);

#endif
