// Labs: problems with data, CPU implementations and a check. One file per lab; this header is what a
// lab is made of, and what the rest may ask of it.
#ifndef WARPBOOK_LAB_H
#define WARPBOOK_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/base.h"
#include "kernels/variant.h"

enum { LAB_PARAMS = 4, LAB_PRESETS = 4, LAB_DATA = 4, LAB_BUFFERS = 6 };

enum direction {
    BUFFER_IN,     // given; what a kernel does to it is undone before the next repeat
    BUFFER_OUT,    // every element must be written; poisoned before each run
    BUFFER_INOUT,  // starts from given content and is part of the answer, such as bins that start at 0
    BUFFER_SCRATCH // device memory of a variant's own; uninitialised
};

// How far an answer may be from the reference. Exact: both 0. A bound without a reason is a defect.
struct tolerance {
    double absolute, relative; // |got - want| <= absolute + relative * |want|
    const char *reason;
};

// Which ceiling of the device is the 100 % of a lab: of its bytes, or of its operations, which are then additions and
// multiplications of floats, or of halves by tensor cores.
enum ceiling { CEILING_READ, CEILING_COPY, CEILING_SHARED, CEILING_FP32, CEILING_TENSOR };

struct lab_buffer {
    const char *name;
    struct type type;
    const char *count; // an expression over the parameters
    enum direction direction;
    struct tolerance tolerance;
};

struct lab_preset {
    const char *name; // "small", "full", …
    int64_t value[LAB_PARAMS];
};

struct problem;
struct cpu_variant {
    const char *name;  // "openmp-private"
    const char *title; // "OpenMP, private bins"
    const char *why;   // one sentence: the idea that this step adds
    bool parallel;     // uses OpenMP; otherwise one thread
    // Computes the answer from work[b] into work[b], b counting the lab's buffers. IN buffers are read only.
    void (*run)(const struct problem *problem, void *const *work);
    const char *needs; // an expression: sizes that do not take minutes; NULL: all
};

// What NVIDIA's library does with the problem, as a measure of the last step.
enum library {
    LIBRARY_SGEMM,
    LIBRARY_HGEMM,
    LIBRARY_CUB
}; // two functions of cuBLAS; one of CUB for each lab
struct lab_library {
    enum library from;
    const char *name;  // "cublas"
    const char *title; // "cuBLAS, SGEMM"
    const char *why;   // one sentence: what it is a measure of
    const char *call;  // how a program in C calls it
};

// Rows of an input whose answers are the same rows of an output: two of the same block may change places, and their answers
// with them.
struct lab_rows {
    const char *input, *output; // buffers; NULL: none
    const char *rows, *block;   // how many there are, and of how many a block is: expressions
};

struct lab {
    const char *name, *title;
    const char *about;              // two or three sentences
    const char *params[LAB_PARAMS]; // names, NULL after the last
    const char *params_help[LAB_PARAMS];
    struct lab_preset presets[LAB_PRESETS]; // "small" and "full" first; name NULL after the last
    const char *data[LAB_DATA]; // distributions of the input, the default first; NULL after the last
    struct lab_buffer buffers[LAB_BUFFERS]; // name NULL after the last
    // The answer that is right in any order: of an input's ints, from 0 on, those below a limit. A kernel file promises the
    // order in which `want` has them by an `order` line. NULL: none.
    const char *any_order;
    struct lab_rows moves;      // where `solve` knows the answer by a formula, and follows no other input
    const char *bytes;          // least bytes that the problem must move, an expression
    const char *operations;     // least operations, an expression
    const char *operation_name; // "additions"
    enum ceiling ceiling;
    // True when the parameters make sense; otherwise a sentence that says what they must be.
    bool (*accept)(const int64_t *params, struct error *error);
    // Fills the IN and INOUT buffers' `input` for problem->data; same data on every machine.
    void (*generate)(struct problem *problem);
    // The reference that answers are checked against: simple, and apart from the CPU ladder.
    // Fills `want` of the OUT and INOUT buffers.
    void (*solve)(struct problem *problem);
    const struct cpu_variant *cpu;
    size_t cpu_count;
    const char *no_cpu;                // with cpu_count 0: the sentence that says why
    const struct lab_library *library; // NULL: none
};

// ---- lab.c: all labs ----------------------------------------------------------------------------

// Most labs are ladders of kernels, with data and a check. Others consist of host programs, which bring both along
// (engine/run/host.h).
enum lab_kind { LAB_LADDER, LAB_PROGRAMS };
struct lab_entry {
    const char *name, *title;
    enum lab_kind kind;
    const struct lab *lab; // of a ladder; else NULL
};
size_t lab_entry_count(void);
struct lab_entry lab_entry(size_t index); // in the order of lists: the ladders first
bool lab_entry_find(const char *name, struct lab_entry *out);

// The ladders.
extern const struct lab *const lab_list[]; // `labs` is a function of the C library
extern const size_t lab_count;
const struct lab *lab_find(const char *name); // NULL if none
// The preset by name, or NULL.
const struct lab_preset *lab_preset_find(const struct lab *lab, const char *name);
bool lab_is_arithmetic(const struct lab *lab);                // its 100 % are operations, not bytes
int lab_param_index(const struct lab *lab, const char *name); // -1 if none

// ---- problem.c: one problem, made of a lab or of a standalone file --------------------------

struct problem_values {
    size_t below;   // they are from 0 up to below this
    uint64_t *left; // a bit for each
    int *again;     // those that come once more, each as often; -1: it has come
    size_t again_count;
};
struct problem_buffer {
    char name[32];
    struct type type;
    enum direction direction;
    struct tolerance tolerance;
    bool any_order; // it is the lab's any_order
    size_t count, bytes;
    void *input; // IN, INOUT: the content at the start; NULL: starts uninitialised
    void *want;  // OUT, INOUT: the right answer; NULL when nothing is known (a standalone file)
    struct problem_values *values; // any_order: what is still to come, while answers are compared
};
struct problem {
    const struct lab *lab; // NULL: from a standalone file
    struct expr_params params;
    const char *data;
    struct problem_buffer *buffers;
    size_t buffer_count;
    double bytes, operations; // NAN when nothing is known
};
struct expr_scope problem_scope(const struct problem *problem);
int64_t problem_param(const struct problem *problem, const char *name);
struct problem_buffer *problem_buffer_find(const struct problem *problem, const char *name);

// Sizes only, no data yet: for the size check up front. Nothing is left to free after a failure; after success
// problem_free frees it.
bool problem_plan(struct problem *out, const struct lab *lab, const int64_t *params, const char *data,
                  struct error *error);
// As problem_plan, of a standalone file; `given` replaces its param lines by name, and may be NULL.
bool problem_plan_file(struct problem *out, const struct variant *variant, const struct expr_scope *given,
                       struct error *error);
// Allocates and fills the inputs of a planned problem; `file` is the one it was planned from, NULL for a lab.
// After a failure too, problem_free frees what there is.
bool problem_generate(struct problem *problem, const struct variant *file, struct error *error);
// The inputs, and the answers that a lab knows.
bool problem_fill(struct problem *problem, const struct variant *file, struct error *error);
void problem_free(struct problem *problem);

#endif
