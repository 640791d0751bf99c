// The CUDA runtime over the simulator: a libcudart of our own for programs that nvcc built with `-cudart shared`, and for
// those that clang compiled without a Toolkit. It is loaded into the program in the place of NVIDIA's, runs every kernel
// at its launch, and writes what happened, a line of JSON each, into the file that `warpbook exec` reads afterwards. It
// is the user's program with the user's rights; kernels still reach no memory but what the program gave them.
//
//   fatbin.c     the PTX in a fat binary: plain, LZ4, Zstandard
//   module.c     what the program registers before main: modules, kernels, variables
//   memory.c     device, managed and page-locked memory; symbols
//   pool.c       pools of memory
//   advice.c     what programs say about managed memory
//   managed.c    managed memory that the host touches too early
//   array.c      CUDA arrays, and copies of them
//   texture.c    texture and surface objects
//   copy.c       copies and fills, in one, two and three dimensions
//   launch.c     launches, and what becomes of their findings
//   keep.c       a launch that is kept to be stepped through
//   time.c       how long they would take on a GPU
//   stream.c     streams and events: all work is done when it is asked for
//   graph_memory.c  memory that belongs to graphs
//   graph.c      but for what a graph notes down and does at its launches: with graph_capture.c, graph_nodes.c,
//                graph_edges.c (dependencies) and graph_user.c (objects that it keeps alive)
//   device.c     the one device: properties, limits, occupancy
//   error.c      error codes, their names and texts
//   fault.c      a device pointer that the host follows
//   place.c      an address of the program as a file and a line
//   report.c     the lines of JSON
//   absent.c     functions that are not there, named when they are called
#ifndef WARPBOOK_EXEC_H
#define WARPBOOK_EXEC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/exec/cuda.h"
#include "engine/sim/sim.h"
#include "engine/sim/texels.h"

// Declares and defines a function of the runtime's interface.
#define API_OF(type, name, ...)                                                                              \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                           \
    type name(__VA_ARGS__)
#define API(name, ...) API_OF(cuda_error, name, __VA_ARGS__)
// The same function under the name that programs use which were compiled with a default stream for each thread.
#define API_ALSO(also, name) extern __typeof__(name) also __attribute__((alias(#name), visibility("default")))

// ---- the device: the figures of an H100 ----------------------------------------------------------------------------

enum {
    CACHE_CONFIGS = 4, // more of L1, of shared memory, of both alike, or none preferred
    THREADS_BLOCK = 1024,
    THREADS_BLOCK_Z = 64,
    BLOCKS_GRID_YZ = 65535,
    THREADS_SM = 2048,
    BLOCKS_SM = 32,
    SHARED_BLOCK = 48 << 10,  // bytes
    SHARED_OPTIN = 227 << 10, // of a block whose kernel asked for them by cudaFuncSetAttribute
    SHARED_SM = 228 << 10,
    SHARED_RESERVED = 1 << 10, // of them, by each block
    STREAM_PRIORITY_MOST = -5  // others are between it and 0
};
#define DEVICE_BYTES ((size_t)80 << 30)

// ---- device.c -------------------------------------------------------------------------------------------------------

extern const int exec_major; // the version of the interface that the program was built for: 11, 12 or 13

// ---- the state -----------------------------------------------------------------------------------------------------

struct exec_settings { // from $WARPBOOK_EXEC, words with commas between them
    enum sim_check check;
    int threads, limit_ms;
    uint64_t seed;
    char kernel[128]; // only launches of a kernel whose name contains it are checked and counted; "": all
    // Launches that are not; the only one that is, from 1; how many of each kernel are. 0: no limit.
    uint64_t skip, only, most;
    // The last byte of each copy to the host is spoilt, which a program's own check has to notice.
    bool spoil;
    bool lines; // the program's stdout passes each line on at once, though it is no terminal
    bool keeps; // the first launch that would be counted is kept, and the program ends
};
struct exec_text {
    char *bytes;
    size_t count;
};
struct exec {
    pthread_mutex_t lock; // held by whoever is in a function of the interface; recursive
    struct exec_settings settings;
    struct sim_memory *memory;
    cuda_error pending, sticky; // of the device: not yet told, told; a program that has one gets nothing else
    uint64_t launches, copies;  // so far; copies between host and device
    // By kernels, and of their failed assertions, until the program waits for them.
    struct exec_text printed, asserted;
};
extern struct exec exec;

// A function of the interface begins with it: takes the lock until the function returns.
struct exec_visit {
    const char *function, *outer;
};
#define ENTER()                                                                                              \
    __attribute__((cleanup(exec_leave))) struct exec_visit visit_ = exec_enter(__func__);                    \
    (void)visit_
struct exec_visit exec_enter(const char *function);
void exec_leave(struct exec_visit *visit);
const char *exec_function(void); // the one that the program has called

cuda_error exec_answer(cuda_error code); // notes it for cudaGetLastError
cuda_error exec_ready(void);             // 0, or the error that the device is in
cuda_error exec_wait(void);              // what kernels printed is shown, and what went wrong is told

// ---- fatbin.c ------------------------------------------------------------------------------------------------------

// The PTX of an image for a GPU of compute capability most / 10: the newest that is not above it, else the oldest. The
// caller frees it. NULL: there is none, and `why` says what to do.
enum { FATBIN_WHY = 240 };
char *fatbin_ptx(const void *image, unsigned most, char why[FATBIN_WHY]);

// ---- link.c ------------------------------------------------------------------------------------------------------

// Which source lines of a text, from `line` of it on, are of.
struct linked_source {
    char *file; // NULL: not known
    int line;
};
// One PTX of those of several files; the caller frees it. NULL: there is not enough memory. `sources`: `count` of them are
// filled in. NULL: only what is of the first text has lines of a source, as a reader wants it who knows one file.
char *link_ptx(char *const *texts, size_t count, struct linked_source *sources);
// The file that lines of its kernels are of; the caller frees it. NULL: not known.
char *ptx_source(const char *ptx);

// ---- module.c ------------------------------------------------------------------------------------------------------

struct exec_module {
    struct exec_module *next;
    const void *image;
    const void *const *linked; // images whose PTX is linked, up to a NULL; NULL: it is that of `image`
    struct sim_module *code;   // NULL: not read yet, or it could not be read
    bool tried;
    int target;                    // compute capability times 10 that the PTX is for
    bool with_host;                // its kernels may work with the host while they run
    struct linked_source *sources; // as the PTX says, by the line where they begin in it
    size_t source_count;
    char why[FATBIN_WHY]; // it could not be read
};
enum { SIZES_TIMED = 8 };
struct exec_function {
    struct exec_function *next;
    const void *host; // by which the program names it
    struct exec_module *module;
    char *name;
    int kernel;          // -1: not looked for yet
    size_t shared_most;  // dynamic, as the program has set it
    bool large_clusters; // it has set that, too
    uint64_t counted;    // launches that were counted and checked
    struct exec_size {
        uint32_t grid[3], block[3], shared_bytes;
    } sizes[SIZES_TIMED]; // of launches whose time was modelled
    int size_count;
};
struct exec_symbol {
    struct exec_symbol *next;
    const void *host;
    struct exec_module *module;
    char *name;
    bool managed;
    size_t shared; // bytes that the host has under `host` as well, where clang compiled the program; 0: none
};
// What the host and kernels have twice of managed variables is taken from the host before a launch, and given to it after.
void module_share(bool with_host);
// Where kernels find the managed variable that the host has at `pointer`; another word is given back as it is.
bool module_has_managed(void);
uint64_t module_address_of_managed(uint64_t pointer);
size_t module_managed_left(const void *pointer); // bytes from there to its end; 0: the host has none there
// A name as the compiler mangles it where nothing is linked.
const char *module_name_without_file(const char *mangled);
// A name as in the source, "scale<float>", as far as the program's C++ library can tell.
enum { KERNEL_NAME = 160 };
void module_name_as_written(const char *mangled, char *out, size_t size);
void module_function_name(const struct exec_function *function, char *out, size_t size);
// For a reader of one kernel, to whose file all source lines belong. NULL: there is none.
char *module_ptx(const struct exec_module *module, const char *kernel, char why[FATBIN_WHY]);
const char *module_source(const struct exec_module *module, int ptx_line); // NULL: not known
bool module_ready(struct exec_module *module); // reads its code; false: it says why
struct exec_function *module_function(const void *host);
// A variable's bytes on the host and its address for kernels; false: unknown.
bool module_symbol(const void *host, struct sim_module_variable *out);
void *module_symbol_pointer(const void *host); // for both sides, where it is managed; NULL: unknown
// The variables of a module that the program knows.
void module_each_variable(const struct exec_module *module,
                          void (*visit)(const char *name, const struct sim_module_variable *, void *),
                          void *context);
void *module_variable_at(sim_address address, size_t *left); // bytes up to its end; NULL: in no variable

// ---- place.c -------------------------------------------------------------------------------------------------------

struct exec_place {
    char file[160]; // "": not known
    int line;
    char function[80]; // "": not known
    const void *start; // of the function; NULL: not known
    const void *call;  // of a caller: where it calls; NULL: not known
};
// Who called the function of the interface that runs now, outside of CUDA's headers.
void place_of_caller(struct exec_place *out);
void place_of_address(const void *address, struct exec_place *out);
void place_write(const struct exec_place *place, char *out, size_t size); // "main.cu:12", "the function main"
// Line `line` of a source file without what it is indented by; false: it cannot be read.
bool place_source(const struct exec_place *place, char *out, size_t size);
// element.c: bytes of an element, by the line that calls for the block and the block's name. Where the source does not tell,
// 4, or 1 where these do not divide it.
size_t element_of(const struct exec_place *place, const char *call, const char *name, size_t bytes);

// ---- memory.c ------------------------------------------------------------------------------------------------------

enum exec_kind { MEMORY_DEVICE = 2, MEMORY_MANAGED = 3, MEMORY_HOST = 1, MEMORY_REGISTERED = 4 };
struct exec_block {
    enum exec_kind kind;
    unsigned char *host;
    sim_address address;
    size_t bytes, mapped, element;
    unsigned flags; // of page-locked memory, as the program gave them
    bool freed;
    bool kept_by_error;                  // the program frees it after an error that lets nothing be freed
    bool of_graph;                       // it is there until the end
    bool taken;                          // that of a graph: a launch has taken it, and nothing given it back
    struct exec_pool *pool;              // it is counted for; NULL: none
    struct exec_place place;             // of the call that made it
    char name[64], made[200], gone[200]; // the calls of cudaMalloc and of cudaFree with their places
    struct exec_block *next;             // of the registered ones
};
// The block that an address is in or, if `near`, was in or lies beyond; NULL: it belongs to none.
struct exec_block *memory_block(const void *pointer, bool near);
// Whether the process has memory there that no block has.
bool memory_is_host(sim_address address);
// The host's bytes of a pointer of either side. NULL: [pointer, pointer + bytes) is not whole in one block, and that was
// reported, with `does`: "copies from".
void *memory_bytes(const void *pointer, size_t bytes, const char *does);
void memory_wrote(const void *pointer, size_t bytes); // the host, into the device's memory
// Where kernels find what the host has at `pointer`; another word is given back as it is.
bool memory_has_registered(void);
uint64_t memory_of_registered(uint64_t pointer);
cuda_error memory_take_for_graph(void **out, size_t bytes);
size_t memory_of_graphs(void);                                                     // bytes
void memory_each(void (*visit)(const struct exec_block *, void *), void *context); // that is not freed
void memory_wrote_unseen(void); // a launch without checks, which may have written anywhere
void memory_end(void);          // reports what was not freed
cuda_error cudaMalloc(void **out, size_t bytes);
cuda_error cudaFree(void *pointer);

// ---- pool.c ---------------------------------------------------------------------------------------------------------

struct exec_pool;
// Counts bytes for a pool, or for that of the device where it is NULL, which is filled in; false: the pool has no more.
bool pool_takes(struct exec_pool **pool, size_t bytes);
void pool_gets(struct exec_pool *pool, size_t bytes);

// ---- managed.c ------------------------------------------------------------------------------------------------------

void managed_watch(void); // a checked launch begins
void managed_launched(const struct exec_function *function);
void managed_waited(void);
void managed_open(bool open); // what kernels have written, to the host: inside of functions of the interface
// The host, or a kernel, was not allowed to touch an address, and is now; false: it has another reason.
bool managed_touched(const void *address, const void *code);

// ---- texture.c ------------------------------------------------------------------------------------------------------

// Of textures and surfaces, in the order of their handles; also those that were destroyed.
void texture_each(void (*visit)(const struct sim_image *, bool destroyed, void *), void *context);

// ---- array.c --------------------------------------------------------------------------------------------------------

struct exec_array {
    struct exec_array *next;
    struct cuda_channel format;
    struct cuda_extent extent; // texels
    unsigned flags, texel;     // bytes of a texel
    struct cuda_pitched texels;
    bool of_mipmap; // a level of one
};
struct exec_mipmap {
    struct exec_mipmap *next;
    unsigned count;
    struct exec_array levels[]; // the first one's memory has all of them
};
struct exec_array *array_of(const void *handle);         // NULL: it is none, or was freed, which is reported
struct exec_mipmap *array_mipmap(const void *handle);    // the same for mipmapped arrays
unsigned array_texel(const struct cuda_channel *format); // bytes of a texel; 0: no texel has this format
unsigned array_channels(const struct cuda_channel *format);
// A copy from and to arrays as one of the memory that they are in, in bytes. False: they do not fit, which is reported.
bool array_as_memory(struct cuda_copy_3d *what);

// ---- copy.c ---------------------------------------------------------------------------------------------------------

struct exec_stream;
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_POINTERS }; // as cudaMemcpyKind
// Whether a copy of that kind can go into memory that is known to be the device's, or out of it, or from there to there.
bool copy_kind_fits(int kind, bool into, bool out);
struct cuda_copy_3d copy_line(void *to, const void *from, size_t bytes, int kind);
bool copy_box_fits(const struct cuda_copy_3d *what); // both ends are memory; false: which is reported
cuda_error copy_box(const struct cuda_copy_3d *what);
cuda_error copy_now(const struct cuda_copy_3d *what); // where the program waits for it
cuda_error copy_in_order(const struct exec_stream *stream, const struct cuda_copy_3d *what);
cuda_error copy_fill(const struct cuda_fill *what);
bool copy_fill_fits(const struct cuda_fill *what); // false: which is reported
// Whether each end is on the same side, host or device, in both.
bool copy_is_alike(const struct cuda_copy_3d *one, const struct cuda_copy_3d *other);
// Copies to and from a part of a variable, whole in it; else that is reported.
cuda_error copy_to_symbol(struct cuda_copy_3d *out, const void *symbol, size_t offset, const void *from,
                          size_t bytes);
cuda_error copy_from_symbol(struct cuda_copy_3d *out, void *to, const void *symbol, size_t offset,
                            size_t bytes);

// ---- launch.c -------------------------------------------------------------------------------------------------------

// The error where the program's kernel is not known: a runtime of CUDA 13 takes it for a wrong handle.
cuda_error launch_unknown(const void *function);
// 0, or the error with which a launch of this size does not start, which is reported.
cuda_error launch_fits(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block,
                       size_t shared_bytes);
cuda_error launch_kernel(const void *function, const struct cuda_launch_config *config, void **arguments);
// NULL and a count that is not 0: there is no such kernel.
const struct sim_parameter *launch_parameters(const void *function, size_t *count);

// ---- keep.c ---------------------------------------------------------------------------------------------------------

void keep_launch(const struct exec_function *function,
                 const struct sim_launch *launch) __attribute__((noreturn)); // into $WARPBOOK_EXEC_KEEP

// ---- time.c ---------------------------------------------------------------------------------------------------------

struct model_time;
void time_open(void);
// Whether the launch is the first of its size; it is sampled then, and has a time.
bool time_wanted(struct exec_function *function, const struct sim_launch *launch);
bool time_of(const struct exec_function *function, const struct sim_launch *launch,
             const struct sim_result *result, struct model_time *out); // false: no memory

// ---- stream.c -------------------------------------------------------------------------------------------------------

struct exec_event;
struct exec_nodes { // of a graph, each of them once
    struct exec_node **all;
    size_t count;
};
struct exec_point {          // where a capture has got to
    uint64_t number;         // of the capture; 0: none
    struct exec_nodes after; // what comes next depends on these
};
#define STREAM_OF_THREAD ((struct exec_stream *)2)
// Of the capture that a stream takes part in, or took; NULL: the default stream, which none can capture.
struct exec_point *stream_capture(const struct exec_stream *stream);
bool stream_is_there(
    const struct exec_stream *stream); // false: which is reported. Default streams are always there
// 0: it may be given work. Else the error: it is not there, or is the default stream, which a capture forbids; reported.
cuda_error stream_takes(const struct exec_stream *stream);
bool stream_blocks(const struct exec_stream *stream); // it waits for the default stream, and that for it
cuda_error stream_record(struct exec_event *event);
void streams_end(void); // all streams and events are destroyed

// ---- graph.c --------------------------------------------------------------------------------------------------------

struct exec_graph;
struct exec_node;
void graph_drop(struct exec_graph *graph);
bool graph_captures(uint64_t number);               // the capture goes on
bool graph_takes(const struct exec_stream *stream); // what is asked of it is noted, by these, and not done
cuda_error graph_kernel(const struct cuda_launch_config *config, const void *function, void **arguments);
cuda_error graph_copy(const struct exec_stream *stream, const struct cuda_copy_3d *what);
cuda_error graph_fill(const struct exec_stream *stream, const struct cuda_fill *what);
cuda_error graph_host(const struct exec_stream *stream, void (*function)(void *), void *data);
enum graph_memory { GRAPH_TAKES = 10, GRAPH_GIVES = 11 }; // as cudaGraphNodeType
cuda_error graph_memory(const struct exec_stream *stream, enum graph_memory does, void *pointer,
                        size_t bytes);
cuda_error graph_event(const struct exec_stream *stream, struct exec_event *event, bool records); // or waits
void graph_capture_ends(const struct exec_stream *origin); // nobody gets its graph
// Where its capture has got to; an error: it is void.
cuda_error graph_point(const struct exec_stream *stream, struct exec_point *out);
// The stream waits for an event: at a place of a capture, or `recorded` outside of any. Errors are reported.
cuda_error graph_joins(const struct exec_stream *stream, const struct exec_point *at, bool recorded);
cuda_error graph_is_place(const struct exec_point *at); // an error, reported, where somebody waits for one
void nodes_drop(struct exec_nodes *nodes);
// An error, reported: a capture forbids what may wait for other work, as taking memory does.
cuda_error graph_unsafe(void);
// An error where a capture forbids to wait for a stream, or to give the default stream work; it is reported.
cuda_error graph_forbids(const struct exec_stream *stream, bool waits);

// ---- report.c ------------------------------------------------------------------------------------------------------

void report_open(void);
// `time`: NULL: none was modelled.
void report_launch(const struct exec_function *function, const struct sim_launch *launch,
                   const struct sim_result *result, bool counted, const struct model_time *time);
void report_missing(const char *what, const char *advice);
// A time between two events, and what was asked for between them.
void report_elapsed(uint64_t launches, uint64_t copies);
void report_spoilt(void);
// A mistake of the host's; it is at the place of the caller, or at `place`.
enum report_severity { REPORT_NOTE, REPORT_WARNING, REPORT_ERROR };
void report_host(enum report_severity severity, const char *kind, const struct exec_place *place,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

void fault_watch(void);      // fault.c
bool fault_is_watched(void); // the program has no handler of its own

#endif
