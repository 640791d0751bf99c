// Inside the worker: its executors, what one of them keeps from one request to the next, and the parts that serve a
// request.
#ifndef WARPBOOK_WORKER_H
#define WARPBOOK_WORKER_H

#include <stdio.h>

#include "engine/base/lock.h"
#include "engine/compile/compile.h"
#include "engine/gpu/gpu.h"
#include "engine/run/run.h"
#include "engine/sim/sim.h"

// A buffer of the problem on the GPU. Address 0: not there yet.
struct device_buffer {
    gpu_address address;
    gpu_address pristine; // a second copy, for buffers that kernels change and that must be restored
    double upload_ms;
};

struct kept_module {
    uint64_t key; // hash of the source, which all have the one GPU's target; 0: free
    struct compiled compiled;
    struct sim_kernels kernels;
    struct gpu_module *module;
};

enum { KEPT_MODULES = 16 };

struct worker {    // of one executor
    json_int_t id; // of the request that is served
    int answers;   // where messages go; stdout itself belongs to the kernels
    int printed;   // a file in memory that catches what kernels print
    bool confined; // it has given up what kernels must not reach
    bool ends;     // after this answer
    // The problem of the last request, on the host and on the GPU, since the next is mostly the same.
    char *problem_key;
    struct problem problem;
    bool filled; // it has its data
    struct memory_gauge *gauge;
    struct device_buffer *device; // one per buffer of the problem
    struct driver *driver;
    struct gpu *gpu;
    struct lock *cpu_lock; // one for the whole machine
    bool helpers;          // the helper kernels are loaded
    struct ceilings ceilings;
    bool ceilings_known;
    struct kept_module modules[KEPT_MODULES];
    size_t next_module;
    char library_paths[2][512];  // of cuBLAS and of CUB; "": not here
    struct gpu_library *library; // that of the lab that asked last
    const struct lab_library *library_of;
};

// ---- executor.c -----------------------------------------------------------------------------------

// The purpose of an executor, as the word on its command line.
#define EXECUTOR_SIMULATES "simulate"
#define EXECUTOR_MEASURES "measure"
enum { EXECUTOR_END_MS = 2000 }; // how long an executor may take to end

// ---- message.c --------------------------------------------------------------------------------------

// Messages travel between the worker and its executors, over pipes: a kind, a length, and so many bytes. The worker
// trusts no more of them than of anything else that comes from a process which has met a kernel.
enum message_kind {
    MESSAGE_REQUEST,  // to an executor: a line of the protocol
    MESSAGE_STAGE,    // from it: a line of the protocol, and more will follow
    MESSAGE_RESULT,   // the last line of an answer; the executor waits for the next request
    MESSAGE_FAREWELL, // the same, and the executor ends
    MESSAGE_COMPILE,  // it wants something compiled: what compile_ask packs
    MESSAGE_COMPILED, // to it: what compile_answer packs
    MESSAGE_KINDS
};
enum { MESSAGE_MOST = 256 << 20 }; // bytes

// Both calls block, even on a non-blocking descriptor. False: the other end is gone, or broke the protocol.
bool message_send(int fd, enum message_kind kind, const void *bytes, size_t length);
bool message_receive(int fd, enum message_kind *kind, struct text *out); // replaces what `out` held
// The line of the protocol that ends a request without a result.
json_t *worker_greeting(void); // worker.c: the first line that a client reads
json_t *message_error(json_int_t id, const struct error *error);

// ---- executor.c: what an executor tells its worker --------------------------------------------------

// Tells the worker what goes on now, and how long that may take before it may think us hung.
void worker_stage(struct worker *worker, int limit_ms, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// As compile(), by the worker, since an executor may not start a compiler; `context` is the struct worker.
bool worker_compile(void *context, const struct compile_request *request, struct compiled *out,
                    struct error *error);

// ---- plan.c: the problem that a request is about, and the memory it takes ------------------------------

// Its sizes; one that is at hand already keeps its data. `file` is the parsed kernel file, or NULL for a CPU run.
bool worker_plan(struct worker *worker, const struct request *request, const struct variant *file,
                 struct error *error);
// Makes the data of what was planned. Whether there is memory for it is asked before (budget_fits_…).
bool worker_fill(struct worker *worker, const struct variant *file, struct error *error);
void worker_problem_drop(struct worker *worker);
// vary.c: changes the data of a lab that is filled, here and on the GPU, and the answer with them. *follows: whether an
// earlier call has found that the answer follows the data, then whether it does. Where it does not, the data stay.
bool worker_vary(struct worker *worker, uint64_t *state, bool *follows, struct error *error);
// As worker_plan, without a worker. Nothing is left to free after a failure.
bool request_plan(const struct request *request, const struct variant *file, struct problem *out,
                  struct error *error);
void record_problem(struct record *record, const struct worker *worker, const struct request *request);

struct budget_need {
    double bytes, most; // most: of the largest part, which is called
    char name[32];
};
// Adds what a problem's data takes, or a file's scratch lines.
void budget_add_problem(struct budget_need *need, const struct problem *problem, const struct variant *file,
                        bool simulated);
bool budget_add_scratch(struct budget_need *need, const struct variant *variant,
                        const struct expr_scope *scope, struct error *error);
double worker_free_bytes(const struct worker *worker);
// `free` bytes are available; NAN: unknown. A simulation has a budget too, of which *left remains for the simulator; so
// has a host program.
double budget_default(double free);
bool budget_fits_host(const struct budget_need *need, const struct request *request, double free,
                      struct error *error);
bool budget_fits_simulation(const struct budget_need *need, const struct request *request, double free,
                            size_t *left, struct error *error);

// ---- device.c: the GPU of this worker ---------------------------------------------------------------

// The compiled and loaded module of a source, or of its PTX where that is there already (NULL: not). The pointer holds
// until KEPT_MODULES more were asked for.
bool worker_module(struct worker *worker, const struct variant *variant, const char *source, const char *ptx,
                   struct kept_module **out, struct error *error);
// The lab's library, opened; the pointer holds until another lab asks.
bool worker_library(struct worker *worker, const struct lab *lab, struct gpu_library **out,
                    struct error *error);
void worker_gpu_close(struct worker *worker);
// Frees the data on the GPU; the next run copies it there again.
void worker_give_back(struct worker *worker);
// Gives up everything but computing and pipes.
bool worker_confine(struct worker *worker, struct error *error);
// Before the first kernel for the GPU is read: opens the GPU, then gives up everything that it does not need. False:
// there is no GPU, and `error` says why; the kernel may be read all the same.
bool worker_meet_kernel(struct worker *worker, struct error *error);
// For doctor: the GPU, by the executor that holds it.
json_t *worker_describe(struct worker *worker, bool measure);
bool worker_wait(void *context, const struct lock_queue *queue); // a lock_wait that says in a stage for whom

// ---- on_cpu.c, on_gpu.c, on_sim.c ---------------------------------------------------------------------------

bool run_on_cpu(struct worker *worker, const struct request *request, struct record *out,
                struct error *error);
bool run_on_gpu(struct worker *worker, const struct request *request, struct record *out,
                struct error *error);
bool run_on_sim(struct worker *worker, const struct request *request, struct record *out,
                struct error *error);

// ---- outcome.c: what came of it, in the record ----------------------------------------------------------

void record_times(struct record *record, const double *times, size_t count);
// Fills in the outcome of a check; `where` names the block and thread of the first wrong element, or is NULL.
void record_check(struct record *record, const struct compare_result *check, const struct problem *problem,
                  const char *where);
// The launch of `launches` that the record describes, instead of the one that it described before. Numbers of its kernel
// that are not known are negative; `shared` is without what the launch adds.
struct launched {
    const char *kernel;
    size_t launches;
    const uint32_t *grid, *block;
    uint32_t shared_more;
    int registers, shared, spills;
};
void record_launched(struct record *record, const struct launched *launched);
void record_compiled(struct record *record, const struct compiled *compiled); // the compiler and its messages
// Whether the size suits the kernel's `needs` lines; when not, the record says what it needs.
bool outcome_suits(const struct variant *variant, const struct expr_scope *scope, bool *suits,
                   struct record *record, struct error *error);

// ---- launch.c: a launch line and its numbers, ready for the driver ------------------------------------

enum { SIM_SM_COUNT = 132 }; // the H100's SMs, for grids that ask where there is no GPU
enum { LAUNCHES = VARIANT_RUNS, ARGUMENTS = 64, SCOPE_BINDINGS = 20 };
// The names that launch lines can use besides buffers: the problem's parameters and sm_count.
struct expr_scope launch_scope(const struct problem *problem, int sm_count,
                               struct expr_binding bindings[SCOPE_BINDINGS]);
struct packed_launch {
    const struct sim_kernel *kernel;
    struct gpu_launch launch;
    uint64_t slots[ARGUMENTS];
    void *pointers[ARGUMENTS];                // for a GPU, which takes the sizes from the kernel
    struct sim_argument arguments[ARGUMENTS]; // for the simulator, with their sizes
};
// The bytes that a scratch, symbol or value line asks for; an error points at it.
bool launch_declared_bytes(const struct variant *variant, const struct declared *declared,
                           const struct expr_scope *scope, size_t *bytes, struct error *error);
// Looks up a buffer, scratch, a texture, a surface or a structure by name; false if there is none of this name.
struct placed {
    gpu_address address;         // or the handle of a texture or surface
    struct type type;            // not of those
    const struct layout *layout; // of that type; NULL: unknown
    bool handle;
    const void *value; // the structure itself, which has no address; NULL: it has one
};
typedef bool (*placed_of)(void *context, const char *name, struct placed *out);
// The kernel that a launch line means: by its template arguments, else by the types of what it passes.
bool launch_kernel(const struct variant *variant, const struct launch *launch,
                   const struct sim_kernels *kernels, const struct expr_scope *scope, placed_of placed,
                   void *context, const struct sim_kernel **out, struct error *error);
// `kernels` are those of the compiled file, and have to stay as long as what is packed.
bool launch_pack(struct packed_launch *out, const struct variant *variant, const struct launch *launch,
                 const struct sim_kernels *kernels, const struct expr_scope *scope, placed_of placed,
                 void *context, struct error *error);

// ---- given.c: what symbol and value lines give --------------------------------------------------------

struct given_bytes {
    void *bytes;
    size_t size;
};
struct given { // zero-initialise
    const struct variant *variant;
    struct given_bytes *symbols, *values; // one for each line
};
// With all memory placed, whose addresses they may hold. given_free frees what there is, also after a failure.
bool given_make(struct given *out, const struct variant *variant, const struct expr_scope *scope,
                placed_of placed, void *context, struct error *error);
void given_free(struct given *given);
bool given_value(const struct given *given, const char *name, struct placed *out); // of a value line
// Writes a variable if it has so many bytes. *there: how many it has; 0: the code has none of this name.
struct symbol_writer {
    const char *ptx; // of the code
    bool (*write)(void *context, const char *name, const void *bytes, size_t size, size_t *there,
                  struct error *error);
    void *context;
};
bool given_write(const struct given *given, const struct symbol_writer *to, struct error *error);

// ---- launch.c ---------------------------------------------------------------------------------------------

// PTX of this file that cannot be read; returns false.
bool launch_ptx_error(const struct variant *variant, const struct sim_fault *fault, struct error *error);

#endif
