// CUDA C -> PTX and CUBIN, by the first compiler that is there: NVRTC (opened at run time), clang, or the
// PTX that ships under assets/. Knows nothing of labs, screens or GPUs at hand.
#ifndef WARPBOOK_COMPILE_H
#define WARPBOOK_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/base.h"

// ---- compile.c: the one entry -------------------------------------------------------------------

enum compiler { COMPILER_NONE, COMPILER_NVRTC, COMPILER_CLANG, COMPILER_SHIPPED };

// A compiler has this much processor time, and so many times as long where others keep the machine busy.
enum { COMPILER_MS = 60000, COMPILER_WAITS = 4, COMPILER_MOST_MS = COMPILER_WAITS * COMPILER_MS };
struct compile_request {
    const char *file;   // for messages: "kernels/histogram/3-shared.cu"
    const char *source; // the text that is compiled
    int target;         // compute capability × 10: 90
    bool cubin;         // machine code and resources too, not only PTX
    // Not optimised, statement by statement, with the source's variables in the PTX's debugging information: for stepping
    // in the simulator, not for measuring. Excludes `cubin`.
    bool debug;
    int limit_ms;            // of processor time; 0: COMPILER_MS
    const atomic_bool *stop; // true: it ends soon, without a result; NULL: it is never stopped
};

// The resources of an SM that a kernel takes, as the assembler says. -1: unknown.
struct resources {
    char *kernel;     // the entry's name in the PTX
    int registers;    // per thread
    int shared_bytes; // static, per block
    int spill_bytes;  // stored to local memory per thread because registers ran out
    int stack_bytes;  // local memory per thread
    int barriers;
};

struct compiled {
    char *ptx;   // NULL after errors
    void *cubin; // NULL when the compiler makes none: the driver then assembles the PTX
    size_t cubin_bytes;
    struct diagnostic *diagnostics; // warnings too, in the order of their lines
    size_t diagnostic_count;
    struct resources *resources;
    size_t resource_count;
    enum compiler by;
    char compiler[96]; // "NVRTC 13.0", "clang 14.0.6 (sm_70)", "shipped PTX"
    int target;        // what it was compiled for: 90, or less for PTX of a fallback
    bool cached;
    double ms; // wall time of this call
};
// False with the diagnostics in `out` when the source has errors (the error then holds them, formatted with
// their carets; EXIT_WRONG), and false with none when the compiler failed on it (EXIT_WRONG) or nothing can
// compile here (EXIT_MISSING). The source stands alone: it cannot include files that lie beside it.
bool compile(const struct compile_request *request, struct compiled *out, struct error *error);
void compiled_free(struct compiled *compiled);
// The resources of one kernel by its name in the PTX, or NULL.
const struct resources *compiled_resources(const struct compiled *compiled, const char *entry);

// A process that may not start compilers sends the bytes of compile_ask to one that may, which answers with the bytes of
// compile_answer; compile_answered reads them as compile() would have returned them. (cache.c)
void compile_ask(const struct compile_request *request, struct text *out);
void compile_answer(const char *asked, size_t length, struct text *out);
bool compile_answered(const char *answer, size_t length, struct compiled *out, struct error *error);

// The compilers that are installed, for doctor.
struct compiler_state {
    enum compiler kind;
    bool found;
    char version[64];
    char path[512];   // where it was found
    char advice[512]; // when not found: what was tried and what to do
    int targets[32];  // those that it can compile for
    int target_count;
};
// Fills one state per kind, in the order of preference; returns how many. Asks the compilers themselves, each
// in a child: takes some 50 ms.
int compile_probe(struct compiler_state out[3]);

// ---- nvrtc.c: the compiling child ---------------------------------------------------------------

// Compilers crash, hang and eat memory, so each compile runs in a child: this program again, as
// `warpbook worker --compile`, which reads one request on stdin and writes one answer. Returns its exit status,
// for _exit: NVRTC leaves threads, which the end of the process must not meet (LeakSanitizer crashes on them).
int compile_child_main(void);

// ---- clang.c: PTX that ships with the program ---------------------------------------------------

// `warpbook worker --ptx FILE.cu`, for `make ptx`: prints what belongs in assets/ptx/LAB/NAME.ptx.
int compile_ptx_main(const char *file);

// ---- cache.c: results on disk, by the hash of source, compiler and target -----------------------

struct cache_state {
    char *path;
    size_t entries, bytes, limit_bytes;
};
void cache_describe(struct cache_state *out);
void cache_state_free(struct cache_state *state);

// ---- mangled.c: what a kernel's name in PTX was in CUDA C ------------------------------------------

struct mangled {
    char *name;      // "ns::fill"; NULL: it could not be read
    char *arguments; // "<int, 4>"; "" of no template
    char **parameters;
    size_t parameter_count;
    bool known; // false: only the name is, as of an extern "C" function
};
void mangled_read(const char *entry, struct mangled *out);
void mangled_free(struct mangled *mangled);
// Adds "ns::fill<int>(int*)", or the entry as it is where that cannot be read.
void mangled_write(const char *entry, struct text *out);

// ---- occupancy.c: how much of an SM a launch can fill -------------------------------------------

struct arch { // one row per compute capability
    int target;
    int max_threads, max_blocks;                               // per SM
    int shared_sm, shared_block, shared_reserved, shared_step; // bytes
    int registers;                                             // per SM
};
const struct arch *occupancy_arch(int target); // the row of this target, or of the nearest older one; NULL
enum limiter { LIMIT_NONE, LIMIT_THREADS, LIMIT_BLOCKS, LIMIT_REGISTERS, LIMIT_SHARED };
struct occupancy {
    int blocks; // per SM
    int warps;
    double percent;
    enum limiter limiter;
};
// Registers per thread, or -1 when unknown (then they do not limit); shared bytes static + dynamic. The limiter is
// what keeps the SM from being full; a launch that cannot run at all has 0 blocks.
struct occupancy occupancy_of(const struct arch *arch, int block_threads, int registers, int shared_bytes);
const char *occupancy_limiter_name(enum limiter limiter); // "registers"

// ---- tools.c: what is installed of NVIDIA's Toolkit -----------------------------------------------

// The path of a library under the first of these names, in a Toolkit or where the loader looks. The variable `given` names
// another; "none", or nothing, in it: there is none.
bool toolkit_library(const char *given, const char *const *names, size_t count, char *out, size_t size);
// The same of one that lies at `path`, which is NULL where there is none.
bool library_at(const char *given, const char *path, char *out, size_t size);

bool disassemble(const struct compiled *compiled, struct text *out, struct error *error);

#endif
