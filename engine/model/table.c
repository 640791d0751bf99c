// How many machine instructions a PTX instruction becomes when nothing is put together, on which pipes, and how long
// its result takes. Read off kernels of one line for compute capability 9.0; others differ little.
#include <string.h>

#include "engine/model/lowering.h"

// The latencies that its result waits for, one after the other: of additions, of the special unit, of floats of 64
// bits; and a second pipe.
#define TWO(alu, special, dbl, pipe, piped) { alu, special, dbl }, pipe, piped
#define CHAIN(alu, special, dbl) TWO(alu, special, dbl, PIPE_NONE, 0)
#define ALU(alu) CHAIN(alu, 0, 0)
#define NO_RESULT ALU(0)
// clang-format off
static const struct lowering_row rows[] = {
    { "add", NULL, "i", 1, PIPE_INT, 1, ALU(1) },
    { "add", NULL, "l", 2, PIPE_INT, 2, ALU(2) },
    { "add", NULL, "fh", 1, PIPE_FMA, 1, ALU(1) },
    { "add", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "sub", NULL, "i", 1, PIPE_INT, 1, ALU(1) },
    { "sub", NULL, "l", 2, PIPE_INT, 2, ALU(2) },
    { "sub", NULL, "fh", 1, PIPE_FMA, 1, ALU(1) },
    { "sub", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "addc", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "subc", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "mul", "wide", NULL, 1, PIPE_MUL, 2, ALU(1) },
    { "mul", "hi", "l", 9, PIPE_MUL, 4, TWO(5, 0, 0, PIPE_INT, 5) },
    { "mul", NULL, "l", 4, PIPE_MUL, 3, TWO(2, 0, 0, PIPE_INT, 1) },
    { "mul", "hi", "i", 1, PIPE_MUL, 2, ALU(1) },
    { "mul", NULL, "i", 1, PIPE_MUL, 1, ALU(1) },
    { "mul", NULL, "fh", 1, PIPE_FMA, 1, ALU(1) },
    { "mul", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "mul24", NULL, NULL, 3, PIPE_MUL, 1, TWO(2, 0, 0, PIPE_INT, 2) },
    { "mad", NULL, "l", 4, PIPE_MUL, 3, TWO(3, 0, 0, PIPE_INT, 1) },
    { "mad", NULL, "i", 1, PIPE_MUL, 1, ALU(1) },
    { "mad", NULL, "f", 1, PIPE_FMA, 1, ALU(1) },
    { "mad", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "mad24", NULL, NULL, 3, PIPE_MUL, 1, TWO(2, 0, 0, PIPE_INT, 2) },
    { "madc", NULL, NULL, 1, PIPE_MUL, 1, ALU(1) },
    { "fma", NULL, "fh", 1, PIPE_FMA, 1, ALU(1) },
    { "fma", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "dp4a", NULL, NULL, 1, PIPE_MUL, 1, ALU(1) },
    { "dp2a", NULL, NULL, 1, PIPE_MUL, 1, ALU(1) },
    { "sad", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    // Divisions of integers go through a reciprocal; those of 64 bits call a function.
    { "div", NULL, "l", 75, PIPE_MUL, 20, TWO(40, 2, 0, PIPE_INT, 45) },
    { "rem", NULL, "l", 75, PIPE_MUL, 20, TWO(40, 2, 0, PIPE_INT, 45) },
    { "div", "s32", NULL, 23, PIPE_MUL, 6, TWO(16, 3, 0, PIPE_INT, 14) },
    { "rem", "s32", NULL, 22, PIPE_MUL, 5, TWO(16, 3, 0, PIPE_INT, 14) },
    { "div", NULL, "i", 18, PIPE_MUL, 5, TWO(14, 3, 0, PIPE_INT, 10) },
    { "rem", NULL, "i", 17, PIPE_MUL, 5, TWO(14, 3, 0, PIPE_INT, 9) },
    // Those of floats try the quick way and look whether it was good enough.
    { "div", "approx", "f", 5, PIPE_FMA, 3, TWO(3, 1, 0, PIPE_SPECIAL, 1) },
    { "div", "full", "f", 8, PIPE_FMA, 5, TWO(3, 1, 0, PIPE_SPECIAL, 1) },
    { "div", NULL, "f", 10, PIPE_FMA, 5, TWO(6, 1, 0, PIPE_SPECIAL, 2) },
    { "div", NULL, "d", 17, PIPE_DOUBLE, 8, TWO(2, 1, 8, PIPE_SPECIAL, 1) },
    { "rcp", "ftz", "d", 2, PIPE_SPECIAL, 1, CHAIN(1, 1, 0) },
    { "rcp", NULL, "d", 10, PIPE_DOUBLE, 5, TWO(1, 1, 5, PIPE_SPECIAL, 1) },
    { "rcp", "ftz", NULL, 1, PIPE_SPECIAL, 1, CHAIN(0, 1, 0) },
    { "rcp", "approx", NULL, 8, PIPE_FMA, 2, TWO(4, 1, 0, PIPE_SPECIAL, 1) },
    { "rcp", NULL, NULL, 9, PIPE_FMA, 3, TWO(4, 1, 0, PIPE_SPECIAL, 1) },
    { "sqrt", NULL, "d", 15, PIPE_DOUBLE, 8, TWO(2, 1, 7, PIPE_SPECIAL, 1) },
    { "sqrt", "ftz", NULL, 1, PIPE_SPECIAL, 1, CHAIN(0, 1, 0) },
    { "sqrt", "approx", NULL, 4, PIPE_FMA, 2, TWO(3, 1, 0, PIPE_SPECIAL, 1) },
    { "sqrt", NULL, NULL, 10, PIPE_FMA, 4, TWO(5, 1, 0, PIPE_SPECIAL, 1) },
    { "rsqrt", "ftz", "d", 2, PIPE_SPECIAL, 1, CHAIN(1, 1, 0) },
    { "rsqrt", NULL, "d", 12, PIPE_DOUBLE, 5, TWO(2, 1, 5, PIPE_SPECIAL, 1) },
    { "rsqrt", "ftz", NULL, 1, PIPE_SPECIAL, 1, CHAIN(0, 1, 0) },
    { "rsqrt", NULL, NULL, 4, PIPE_FMA, 2, TWO(3, 1, 0, PIPE_SPECIAL, 1) },
    { "ex2", NULL, "h", 3, PIPE_SPECIAL, 2, CHAIN(1, 1, 0) },
    { "ex2", "ftz", NULL, 1, PIPE_SPECIAL, 1, CHAIN(0, 1, 0) },
    { "ex2", NULL, NULL, 4, PIPE_FMA, 2, TWO(3, 1, 0, PIPE_SPECIAL, 1) },
    { "lg2", "ftz", NULL, 1, PIPE_SPECIAL, 1, CHAIN(0, 1, 0) },
    { "lg2", NULL, NULL, 4, PIPE_FMA, 2, TWO(3, 1, 0, PIPE_SPECIAL, 1) },
    { "sin", NULL, NULL, 2, PIPE_FMA, 1, TWO(1, 1, 0, PIPE_SPECIAL, 1) },
    { "cos", NULL, NULL, 2, PIPE_FMA, 1, TWO(1, 1, 0, PIPE_SPECIAL, 1) },
    { "tanh", NULL, NULL, 1, PIPE_SPECIAL, 1, CHAIN(0, 1, 0) },
    { "min", NULL, "l", 4, PIPE_INT, 4, ALU(3) },
    { "max", NULL, "l", 4, PIPE_INT, 4, ALU(3) },
    { "min", NULL, "d", 6, PIPE_DOUBLE, 1, TWO(2, 0, 1, PIPE_INT, 5) },
    { "max", NULL, "d", 6, PIPE_DOUBLE, 1, TWO(2, 0, 1, PIPE_INT, 5) },
    { "min", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "max", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "abs", NULL, "l", 5, PIPE_INT, 5, ALU(3) },
    { "abs", NULL, "i", 1, PIPE_INT, 1, ALU(1) },
    { "abs", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "abs", NULL, NULL, 1, PIPE_FMA, 1, ALU(1) },
    { "neg", NULL, "l", 2, PIPE_INT, 2, ALU(2) },
    { "neg", NULL, "i", 1, PIPE_INT, 1, ALU(1) },
    { "neg", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "neg", NULL, NULL, 1, PIPE_FMA, 1, ALU(1) },
    { "copysign", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "testp", NULL, NULL, 2, PIPE_INT, 2, ALU(2) },
    { "and", NULL, "l", 2, PIPE_INT, 2, ALU(1) },
    { "or", NULL, "l", 2, PIPE_INT, 2, ALU(1) },
    { "xor", NULL, "l", 2, PIPE_INT, 2, ALU(1) },
    { "not", NULL, "l", 2, PIPE_INT, 2, ALU(1) },
    { "and", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "or", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "xor", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "not", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "cnot", NULL, NULL, 2, PIPE_INT, 2, ALU(2) },
    { "lop3", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "shl", NULL, "l", 2, PIPE_INT, 2, ALU(1) },
    { "shr", NULL, "l", 2, PIPE_INT, 2, ALU(1) },
    { "shl", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "shr", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "shf", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "prmt", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "bfe", NULL, NULL, 3, PIPE_INT, 3, ALU(3) },
    { "bfi", NULL, NULL, 2, PIPE_INT, 2, ALU(2) },
    { "bmsk", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "szext", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "fns", NULL, NULL, 32, PIPE_INT, 24, TWO(20, 3, 0, PIPE_CONVERT, 5) },
    { "popc", NULL, "l", 3, PIPE_CONVERT, 2, TWO(1, 1, 0, PIPE_INT, 1) },
    { "popc", NULL, NULL, 1, PIPE_CONVERT, 1, CHAIN(0, 1, 0) },
    { "clz", NULL, "l", 5, PIPE_CONVERT, 1, TWO(3, 1, 0, PIPE_INT, 4) },
    { "clz", NULL, NULL, 2, PIPE_CONVERT, 1, TWO(1, 1, 0, PIPE_INT, 1) },
    { "brev", NULL, "l", 2, PIPE_CONVERT, 2, CHAIN(0, 1, 0) },
    { "brev", NULL, NULL, 1, PIPE_CONVERT, 1, CHAIN(0, 1, 0) },
    { "bfind", NULL, "l", 4, PIPE_CONVERT, 1, TWO(3, 1, 0, PIPE_INT, 3) },
    { "bfind", NULL, NULL, 1, PIPE_CONVERT, 1, CHAIN(0, 1, 0) },
    { "setp", NULL, "l", 2, PIPE_INT, 2, ALU(2) },
    { "setp", NULL, "d", 1, PIPE_DOUBLE, 1, CHAIN(0, 0, 1) },
    { "setp", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "set", NULL, "l", 3, PIPE_INT, 3, ALU(3) },
    { "set", NULL, NULL, 2, PIPE_INT, 2, ALU(2) },
    { "selp", NULL, "ld", 2, PIPE_INT, 2, ALU(1) },
    { "selp", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "slct", NULL, NULL, 2, PIPE_INT, 2, ALU(2) },
    { "vabsdiff", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "vabsdiff4", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "vadd4", NULL, NULL, 8, PIPE_INT, 8, ALU(6) },
    { "isspacep", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "mov", NULL, NULL, 0, PIPE_NONE, 0, NO_RESULT },
    { "cvta", NULL, NULL, 0, PIPE_NONE, 0, NO_RESULT },
    { "cvt", NULL, NULL, 1, PIPE_CONVERT, 1, CHAIN(0, 1, 0) },
    { "ld", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "ldu", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "st", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "atom", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "red", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "prefetch", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "prefetchu", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "discard", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "cp", "commit_group", NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "cp", "wait_group", NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "cp", "wait_all", NULL, 2, PIPE_NONE, 0, NO_RESULT },
    { "cp", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "ldmatrix", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "stmatrix", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "mbarrier", NULL, NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "movmatrix", NULL, NULL, 1, PIPE_INT, 1, ALU(2) },
    { "wmma", "load", NULL, 4, PIPE_MEMORY, 4, NO_RESULT },
    { "wmma", "store", NULL, 4, PIPE_MEMORY, 4, NO_RESULT },
    { "wmma", "mma", NULL, 2, PIPE_TENSOR, 1, NO_RESULT }, // lowering.c counts its products
    { "mma", NULL, NULL, 1, PIPE_TENSOR, 1, NO_RESULT },
    { "shfl", NULL, NULL, 1, PIPE_SHUFFLE, 1, NO_RESULT },
    { "vote", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "activemask", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "match", NULL, NULL, 1, PIPE_SHUFFLE, 1, NO_RESULT },
    { "redux", NULL, NULL, 2, PIPE_SHUFFLE, 1, ALU(1) },
    { "elect", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "bar", "warp", NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "bar", "red", NULL, 2, PIPE_NONE, 0, NO_RESULT },
    { "barrier", "red", NULL, 2, PIPE_NONE, 0, NO_RESULT },
    { "bar", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "barrier", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "membar", "cta", NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "fence", "cta", NULL, 1, PIPE_MEMORY, 1, NO_RESULT },
    { "membar", NULL, NULL, 4, PIPE_MEMORY, 2, NO_RESULT },
    { "fence", NULL, NULL, 4, PIPE_MEMORY, 2, NO_RESULT },
    { "bra", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "brx", NULL, NULL, 4, PIPE_INT, 2, NO_RESULT },
    { "call", NULL, NULL, 2, PIPE_NONE, 0, NO_RESULT },
    { "ret", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "exit", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "trap", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "brkpt", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "pmevent", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "setmaxnreg", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "mapa", NULL, NULL, 1, PIPE_INT, 1, ALU(1) },
    { "stacksave", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "stackrestore", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
    { "alloca", NULL, NULL, 2, PIPE_INT, 2, ALU(2) },
};
// clang-format on

enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS == (int)LOWERING_ROWS, "there is a place for each row");

static unsigned letter_of(const char *word)
{
    return (unsigned char)word[0] % LOWERING_LETTERS;
}

static void sort_rows(struct lowering_rows *out)
{
    unsigned char *last[LOWERING_LETTERS];
    for (int i = 0; i < LOWERING_LETTERS; i++)
        last[i] = &out->first[i];
    for (int i = 0; i < ROWS; i++) {
        unsigned char **place = &last[letter_of(rows[i].base)];
        **place = (unsigned char)i;
        *place = &out->next[i];
    }
    for (int i = 0; i < LOWERING_LETTERS; i++)
        *last[i] = ROWS;
    out->made = true;
}

const struct lowering_row *lowering_row(struct lowering_rows *by, const struct sim_instruction *in)
{
    if (!by->made)
        sort_rows(by);
    char kind = operands_kind(in, 0);
    for (int i = by->first[letter_of(in->base)]; i < ROWS; i = by->next[i])
        if (is(in, rows[i].base) && (!rows[i].with || operands_modified(in, rows[i].with)) &&
            (!rows[i].kinds || (kind && strchr(rows[i].kinds, kind))))
            return &rows[i];
    return NULL;
}
