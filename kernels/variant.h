// Kernel files and what stands in their `//@` lines.
//
// A variant is a plain CUDA C file. Its directives say what is launched on which data:
//
//     //@ title   Bins in shared memory
//     //@ why     The atomics leave DRAM's side of the chip.
//     //@ needs   n % 1024 == 0
//     //@ scratch partial int[n / 256]
//     //@ launch  histogram<<<n / 1024, 256>>>(data, bins, n)
//     //@ owner   bins <<<i / 256, i % 256>>>
//
// and, in a file that stands alone, without a lab:
//
//     //@ param   n = 1 << 20
//     //@ buffer  x float[n] = i & 1023
#ifndef WARPBOOK_VARIANT_H
#define WARPBOOK_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/base.h"

// ---- type.c: what an element of a buffer is -----------------------------------------------------

enum scalar {
    SCALAR_CHAR,
    SCALAR_UCHAR,
    SCALAR_SHORT,
    SCALAR_INT,
    SCALAR_UINT,
    SCALAR_LLONG,
    SCALAR_ULLONG,
    SCALAR_FLOAT,
    SCALAR_DOUBLE
};
struct type { // `lanes` 1 to 4: int4 is {SCALAR_INT, 4}
    enum scalar scalar;
    int lanes;
};
size_t type_size(struct type type);
size_t scalar_size(enum scalar scalar);
bool scalar_is_real(enum scalar scalar);
// Reads "unsigned char", "float2", … at the start of `text`; returns the bytes used, 0 if none fits.
size_t type_parse(const char *text, struct type *out);
void type_name(struct type type, char *out, size_t size);

// ---- expr.c: expressions over whole numbers and decimals ----------------------------------------

// C's integer operators with C's precedence on 64-bit integers; decimals make it double; hash(x).
struct value {
    bool real;
    int64_t i;
    double r;
};
struct binding {
    const char *name;
    struct value value;
};
struct scope {
    const struct binding *bindings;
    size_t count;
};
struct value value_int(int64_t i);
struct value value_real(double r);
double value_as_real(struct value value);
int64_t value_as_int(struct value value);
uint32_t hash_u32(uint32_t x); // the hash(x) of expressions, for reference/ to share

// A place in a file, for errors that point. `text` is the whole file; `at` points into it.
struct source {
    const char *file;
    const char *text;
};
bool error_at(struct error *error, const struct source *source, const char *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

struct expr;
// Parses from *at on, leaving *at behind the expression; `source` must outlive the expression.
struct expr *expr_parse(const struct source *source, const char **at, struct error *error);
// An expression in a C string that is known to be right, such as those in reference/.
bool expr_eval_text(const char *text, const struct scope *scope, struct value *out, struct error *error);
bool expr_eval(const struct expr *expr, const struct scope *scope, struct value *out, struct error *error);
// Every element of a buffer from an expression in which `i` is the index.
bool expr_fill(const struct expr *expr, const struct scope *scope, struct type type, size_t count, void *out,
               struct error *error);
void expr_free(struct expr *expr);

// ---- variant.c, directive.c: one kernel file ----------------------------------------------------

struct dims { // an expression, or dim3(x, y, z); absent parts are 1
    struct expr *part[3];
};
struct dim3 {
    int64_t x, y, z;
};
bool dims_eval(const struct dims *dims, const struct scope *scope, struct dim3 *out, struct error *error);

struct argument { // a buffer's name, or an expression
    char *buffer; // NULL for an expression
    struct expr *expr;
    int column;
};
struct launch {
    char *kernel;
    struct dims grid, block;
    struct expr *shared; // dynamic shared bytes; NULL: none
    struct argument *arguments;
    size_t argument_count;
    int line;
};
struct declared { // a scratch or a buffer line
    char *name;
    struct type type;
    struct expr *count, *initial; // initial may be NULL
    int line;
};
struct parameter { // a param line
    char *name;
    struct expr *value;
};
struct condition { // a needs line, with its text for messages
    char *text;
    struct expr *expr;
};
struct owner { // which block and thread write element i of an output
    char *buffer;
    struct dims block, thread;
};

struct variant {
    char *lab;  // NULL: the file stands alone
    char *name; // "4-interleaved"; of a file that stands alone, its name without the ending
    int step;   // 4; 0 for a file that stands alone
    bool own;   // the learner's copy shadows the shipped file
    char *path, *text;
    struct source source; // over path and text
    char *title, *why;
    struct condition *needs;
    struct launch *launches;
    struct declared *scratch, *buffers;
    struct parameter *params;
    struct owner *owners;
    size_t need_count, launch_count, scratch_count, buffer_count, param_count, owner_count;
};
// Reads a file's text and its directives. `lab` and `path` are copied; lab may be NULL.
bool variant_parse(struct variant *out, const char *lab, const char *path, const char *text, struct error *error);
bool variant_read(struct variant *out, const char *path, struct error *error);
void variant_free(struct variant *variant);

// ---- signature.c: what the C text says of a kernel's parameters ---------------------------------

struct kernel_parameter {
    bool pointer, constant; // constant: a pointer to const, so the kernel leaves that buffer as it was
    char name[64];
};
// The parameters of `__global__ … KERNEL(…)`; returns how many, or -1 when the kernel is not found.
int signature_find(const char *source, const char *kernel, struct kernel_parameter *out, int room);

// ---- catalogue.c: the ladders on disk -----------------------------------------------------------

struct ladder {
    struct variant *variants; // in the order of their steps
    size_t count;
};
bool ladder_read(const char *lab, struct ladder *out, struct error *error);
void ladder_free(struct ladder *ladder);
// A variant by its name ("4-interleaved"), its step ("4") or its word ("interleaved"); NULL if none.
const struct variant *ladder_find(const struct ladder *ladder, const char *name);

#endif
