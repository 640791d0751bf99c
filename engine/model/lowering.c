// What an assembler makes of each PTX instruction: a table, and what is known of how it puts several together. For compute capability 9.0, where the
// table was read off one-line kernels; others differ little.
#include "engine/model/assembler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- the table ---------------------------------------------------------------------------------------------------

struct row {
    const char *base, *with; // with: this modifier; NULL: any
    const char *kinds;       // of its type, as operands_kind says; NULL: any
    float issues;
    enum pipe pipe;
    float piped; // of them
    struct {
        unsigned char alu, special, dbl;
    } chain;
    enum pipe other;
    float other_piped;
};

// The latencies that its result waits for, one after the other: of additions, of the special unit, of floats of 64 bits; and a second pipe.
#define TWO(alu, special, dbl, pipe, piped) { alu, special, dbl }, pipe, piped
#define CHAIN(alu, special, dbl) TWO(alu, special, dbl, PIPE_NONE, 0)
#define ALU(alu) CHAIN(alu, 0, 0)
#define NO_RESULT ALU(0)
// clang-format off
static const struct row rows[] = {
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
    { "mul", "wide", NULL, 1, PIPE_MUL, 1, ALU(1) },
    { "mul", "hi", "l", 9, PIPE_MUL, 4, TWO(5, 0, 0, PIPE_INT, 5) },
    { "mul", NULL, "l", 4, PIPE_MUL, 3, TWO(2, 0, 0, PIPE_INT, 1) },
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
    { "bfi", NULL, NULL, 3, PIPE_INT, 3, ALU(3) },
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
    { "nanosleep", NULL, NULL, 1, PIPE_NONE, 0, NO_RESULT },
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

static const struct row *find_row(const struct sim_instruction *in)
{
    char kind = operands_kind(in, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(in->base, rows[i].base) && (!rows[i].with || operands_modified(in, rows[i].with)) &&
            (!rows[i].kinds || (kind && strchr(rows[i].kinds, kind))))
            return &rows[i];
    return NULL;
}

// ---- what is known of the values ---------------------------------------------------------------------------------

struct value { // one register of the function
    int definitions, uses;
    int definition; // the last of them
    bool narrow;    // an address in shared or local memory, which is computed in 32 bits
    bool uniform;   // the same in all threads of a block
    bool address;   // only loads and stores use it
    bool half;      // its upper 32 bits are known to be 0
};
struct lower {
    const struct lowering *of;
    const struct sim_instruction *code;
    struct machine_code *out;
    int first, end;
    struct value *values;
    int value_count;
    bool *dead;
};

static bool is_dead(const struct lower *l, int i)
{
    return l->dead[i - l->first];
}

static float figure(double figure, float usual)
{
    return figure > 0 ? (float)figure : usual;
}

static void spend(struct machine_code *out, float issues, enum pipe pipe)
{
    out->issues += issues;
    out->on[pipe] += issues;
}

static void nothing(struct machine_code *out)
{
    *out = (struct machine_code){ .known = true, .rank = out->rank, .unrolled = out->unrolled };
}

static bool is(const struct sim_instruction *in, const char *base)
{
    return !strcmp(in->base, base);
}

static bool moves_memory(const struct sim_instruction *in)
{
    return in->access != SIM_ACCESSES;
}

static bool in_shared(const struct sim_instruction *in)
{
    return in->access == SIM_SHARED_LOAD || in->access == SIM_SHARED_STORE || in->access == SIM_SHARED_ATOM ||
           in->access == SIM_LOCAL_LOAD || in->access == SIM_LOCAL_STORE;
}

// The register that holds its address, -1: none.
static int address_of(const struct sim_instruction *in)
{
    return moves_memory(in) && strchr(in->text, '%') && in->read_count > (in->guarded ? 1 : 0) ? in->reads[0]
                                                                                               : -1;
}

static int reads_of(const struct sim_instruction *in) // without the guard
{
    return in->read_count - (in->guarded ? 1 : 0);
}

static const struct sim_instruction *only_definition(const struct lower *l, int value)
{
    const struct value *v = &l->values[value];
    return v->definitions == 1 ? &l->code[v->definition] : NULL;
}

static bool has_effect(const struct sim_instruction *in)
{
    static const char *const pure[] = {
        "add",  "sub",  "mul",  "mad", "fma",  "div",  "rem",   "rcp",  "sqrt", "rsqrt", "ex2",
        "lg2",  "sin",  "cos",  "min", "max",  "abs",  "neg",   "and",  "or",   "xor",   "not",
        "lop3", "shl",  "shr",  "shf", "prmt", "bfe",  "bfi",   "popc", "clz",  "brev",  "mov",
        "cvt",  "cvta", "setp", "set", "selp", "slct", "bfind", "cnot", "sad",  "tanh",  "copysign",
    };
    for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
        if (is(in, pure[i]))
            return false;
    return !(is(in, "ld") && !operands_modified(in, "volatile")) || !in->write_count;
}

static void count_uses(struct lower *l)
{
    memset(l->values, 0, (size_t)l->value_count * sizeof *l->values);
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        for (int r = 0; r < in->write_count; r++) {
            l->values[in->writes[r]].definitions++;
            l->values[in->writes[r]].definition = i;
        }
        for (int r = 0; r < in->read_count && !is_dead(l, i); r++)
            l->values[in->reads[r]].uses++;
    }
}

// An instruction whose results nobody uses costs nothing, nor do those that only it used.
static void find_dead(struct lower *l)
{
    count_uses(l);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = l->end; i-- > l->first;) {
            const struct sim_instruction *in = &l->code[i];
            bool used = has_effect(in) || !in->write_count;
            for (int r = 0; r < in->write_count; r++)
                used = used || l->values[in->writes[r]].uses;
            if (used || is_dead(l, i))
                continue;
            l->dead[i - l->first] = changed = true;
            for (int r = 0; r < in->read_count; r++)
                l->values[in->reads[r]].uses--;
        }
    }
}

static bool names_special(const struct sim_instruction *in, const char *name)
{
    const char *at = is(in, "mov") ? strstr(in->text, name) : NULL;
    return at && at[-1] != '_';
}

static bool varies_by_itself(const struct sim_instruction *in)
{
    if (is(in, "mov"))
        return strstr(in->text, "%tid") || strstr(in->text, "%lane") || strstr(in->text, "%warpid") ||
               strstr(in->text, "%clock");
    return (moves_memory(in) && in->write_count) || is(in, "call") || is(in, "shfl") || is(in, "match") ||
           is(in, "activemask");
}

// Whatever is computed from values that differ between threads differs too; so does what a loop or a condition that differs leaves behind, which is not
// looked at here.
static void find_uniform(struct lower *l)
{
    for (int v = 0; v < l->value_count; v++)
        l->values[v].uniform = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = l->first; i < l->end; i++) {
            const struct sim_instruction *in = &l->code[i];
            bool uniform = !varies_by_itself(in);
            for (int r = 0; r < in->read_count; r++)
                uniform = uniform && l->values[in->reads[r]].uniform;
            for (int r = 0; r < in->write_count && !uniform; r++)
                if (l->values[in->writes[r]].uniform) {
                    l->values[in->writes[r]].uniform = false;
                    changed = true;
                }
        }
    }
}

static bool passes_address(const struct sim_instruction *in)
{
    return is(in, "add") || is(in, "sub") || is(in, "mov") || is(in, "cvta") || is(in, "mad") ||
           is(in, "selp");
}

// Addresses in shared and local memory, backwards from where they are used.
static void find_narrow(struct lower *l)
{
    for (int i = l->first; i < l->end; i++)
        if (in_shared(&l->code[i]) && address_of(&l->code[i]) >= 0)
            l->values[address_of(&l->code[i])].narrow = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = l->end; i-- > l->first;) {
            const struct sim_instruction *in = &l->code[i];
            if (in->write_count != 1 || !l->values[in->writes[0]].narrow || !passes_address(in))
                continue;
            for (int r = 0; r < reads_of(in); r++)
                if (!l->values[in->reads[r]].narrow)
                    l->values[in->reads[r]].narrow = changed = true;
        }
    }
}

static void find_addresses(struct lower *l)
{
    for (int v = 0; v < l->value_count; v++)
        l->values[v].address = true;
    for (int i = l->first; i < l->end; i++)
        for (int r = 0; r < l->code[i].read_count; r++)
            if (!is_dead(l, i) && !(r == 0 && address_of(&l->code[i]) >= 0))
                l->values[l->code[i].reads[r]].address = false;
}

// What fits in 32 bits takes the instructions of 32 bits.
static void find_halves(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        struct operands operands;
        long long value;
        if (in->write_count != 1 || l->values[in->writes[0]].definitions != 1 ||
            operands_kind(in, is(in, "cvt")) != 'l')
            continue;
        bool half = is(in, "cvt") && operands_kind(in, 0) == 'i' && !operands_signed(in);
        operands_read(in, &operands);
        for (int k = 1; is(in, "and") && k < operands.count; k++)
            half = half || (operands_constant(&operands, k, &value) && value >= 0 && value <= UINT32_MAX);
        for (int r = 0; is(in, "and") && r < reads_of(in); r++)
            half = half || l->values[in->reads[r]].half;
        half = half || ((is(in, "shr") || is(in, "mov")) && reads_of(in) && l->values[in->reads[0]].half);
        l->values[in->writes[0]].half = half;
    }
}

// ---- each for itself ---------------------------------------------------------------------------------------------

static void by_table(struct lower *l, int i)
{
    const struct row *row = find_row(&l->code[i]);
    const struct gpu_figures *gpu = l->of->gpu;
    struct machine_code *out = &l->out[i];
    *out = (struct machine_code){ .known = row != NULL };
    if (!row)
        return;
    out->issues = row->issues;
    out->on[row->pipe] = row->piped;
    out->on[row->other] += row->other_piped;
    out->latency = (float)row->chain.alu * figure(gpu ? gpu->alu_latency : 0, 4.5f) +
                   (float)row->chain.special * figure(gpu ? gpu->special_latency : 0, 18) +
                   (float)row->chain.dbl * figure(gpu ? gpu->double_latency : 0, 8);
    if (row->pipe == PIPE_SHUFFLE)
        out->latency += figure(gpu ? gpu->shuffle_latency : 0, 24);
}

// Conversions between words of 32 and 64 bits only cut or extend; those from words to floats of 32 bits need no special unit.
static void conversion(struct lower *l, int i)
{
    const struct sim_instruction *in = &l->code[i];
    struct machine_code *out = &l->out[i];
    char to = operands_kind(in, 1), from = operands_kind(in, 0);
    float alu = figure(l->of->gpu ? l->of->gpu->alu_latency : 0, 4.5f);
    if ((to == 'l' || to == 'i') && (from == 'l' || from == 'i')) {
        nothing(out);
        bool extends = to == 'l' && from == 'i' && operands_signed(in);
        bool cuts =
            (operands_modified(in, "u8") || operands_modified(in, "s8") || operands_modified(in, "s16")) &&
            to == 'i';
        if (extends || cuts)
            spend(out, 1, PIPE_INT);
        out->latency = out->issues * alu;
    } else if (to == 'f' && from == 'i') {
        *out = (struct machine_code){ .known = true, .issues = 1, .on[PIPE_INT] = 1, .latency = alu };
    } else if (from == 'h' || to == 'h' || (to == 'f' && from == 'f' && operands_modified(in, "sat"))) {
        *out = (struct machine_code){ .known = true, .issues = 1, .on[PIPE_FMA] = 1, .latency = alu };
    }
}

static void scale(struct machine_code *out, float by)
{
    out->issues *= by;
    for (int p = 0; p < PIPES; p++)
        out->on[p] *= by;
}

static bool stores_constant(const struct sim_instruction *in)
{
    struct operands operands;
    long long value;
    operands_read(in, &operands);
    return operands_constant(&operands, operands.count - 1, &value) && value;
}

static void each_alone(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        by_table(l, i);
        if (is_dead(l, i))
            nothing(&l->out[i]);
        else if (is(in, "cvt"))
            conversion(l, i);
        else if (is(in, "selp") && (operands_kind(in, 0) == 'f' || operands_kind(in, 0) == 'd'))
            l->out[i].on[PIPE_INT] = l->out[i].issues;
        else if ((is(in, "st") && moves_memory(in)) || (is(in, "red") || is(in, "atom")))
            spend(&l->out[i], stores_constant(in) && in->access != SIM_SHARED_ATOM ? 1 : 0, PIPE_INT);
        else if (in->write_count == 1 && l->values[in->writes[0]].half && l->out[i].issues > 1)
            scale(&l->out[i], 0.5f);
        else if (operands_kind(in, 0) == 'p' && !is(in, "setp") && l->out[i].issues > 0)
            nothing(&l->out[i]); // a comparison takes a second predicate along
    }
}

// ---- constants, parameters, and what is read once ----------------------------------------------------------------

static int block_of(const struct lower *l, int i)
{
    return l->of->block[i - l->first];
}

// A register that is read from a constant bank or a special register is read once, wherever the PTX reads it again.
static void special_registers(struct lower *l)
{
    static const struct {
        const char *name;
        enum pipe pipe;
    } known[] = {
        { "%tid.x", PIPE_NONE },       { "%tid.y", PIPE_NONE },    { "%tid.z", PIPE_NONE },
        { "%ctaid.x", PIPE_NONE },     { "%ctaid.y", PIPE_NONE },  { "%ctaid.z", PIPE_NONE },
        { "%ntid.x", PIPE_NONE },      { "%ntid.y", PIPE_NONE },   { "%ntid.z", PIPE_NONE },
        { "%nctaid.x", PIPE_NONE },    { "%nctaid.y", PIPE_NONE }, { "%nctaid.z", PIPE_NONE },
        { "%laneid", PIPE_NONE },      { "%lanemask", PIPE_NONE }, { "%clock", PIPE_NONE },
        { "%globaltimer", PIPE_NONE }, { "%smid", PIPE_NONE },     { "%warpid", PIPE_NONE },
        { "%nwarpid", PIPE_NONE },     { "%gridid", PIPE_NONE },
    };
    bool read[sizeof known / sizeof *known] = { false };
    for (int i = l->first; i < l->end; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!is_dead(l, i) && names_special(&l->code[i], known[k].name)) {
                bool again = read[k] && k < 12;
                spend(&l->out[i], again ? 0 : 1, known[k].pipe);
                l->out[i].latency = again ? 0 : 20;
                read[k] = true;
            }
}

static bool reads_parameter(const struct sim_instruction *in)
{
    return is(in, "ld") && operands_modified(in, "param");
}

static int region_of(const struct lower *l, int i)
{
    return l->of->graph.region[block_of(l, i)];
}

// The instruction that a parameter is read for: the first that uses it, unless a loop would read it again and again.
static int read_for(const struct lower *l, int i)
{
    const struct graph *graph = &l->of->graph;
    int value = l->code[i].write_count == 1 ? l->code[i].writes[0] : -1, at = i;
    for (int k = i + 1; k < l->end && value >= 0; k++) {
        const struct sim_instruction *in = &l->code[k];
        bool uses = false;
        for (int r = 0; r < in->read_count; r++)
            uses = uses || in->reads[r] == value;
        if (!uses || is_dead(l, k))
            continue;
        at = k;
        if (!(is(in, "cvta") || is(in, "mov")) || in->write_count != 1)
            break;
        value = in->writes[0];
    }
    int from = region_of(l, i), to = region_of(l, at);
    return from >= 0 && to >= 0 && graph->regions[from].iterated == graph->regions[to].iterated ? at : i;
}

static void parameters(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (is_dead(l, i))
            continue;
        if (reads_parameter(in)) {
            bool of_call = strstr(in->text, "retval") != NULL;
            nothing(&l->out[i]);
            if (of_call)
                spend(&l->out[i], 0.5f, PIPE_INT);
        } else if (is(in, "st") && !moves_memory(in)) { // an argument, a result
            nothing(&l->out[i]);
            spend(&l->out[i], 0.5f, PIPE_INT);
        } else if (is(in, "ld") && !moves_memory(in)) { // a constant
            nothing(&l->out[i]);
            spend(&l->out[i], 1, PIPE_NONE);
        }
    }
}

// The name of a variable in an operand; its length, 0: there is none.
static int symbol_in(const struct sim_instruction *in, const char **out)
{
    struct operands operands;
    if (!(is(in, "mov") || in_shared(in)))
        return 0;
    operands_read(in, &operands);
    for (int k = 0; k < operands.count; k++) {
        const char *at = operands.item[k].at + (operands.item[k].at[0] == '[');
        if (!isalpha((unsigned char)*at) && *at != '_')
            continue;
        int length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$')
            length++;
        *out = at;
        return length;
    }
    return 0;
}

// Since compute capability 9.0 the address of a variable in shared memory begins with the block's place in its cluster.
static void shared_variables(struct lower *l)
{
    const char *seen[16];
    int lengths[16], count = 0;
    bool windowed = !l->of->gpu || l->of->gpu->target >= 90 || !l->of->gpu->target;
    for (int i = l->first; i < l->end && windowed; i++) {
        const struct sim_instruction *in = &l->code[i];
        const char *name;
        int length = is_dead(l, i) ? 0 : symbol_in(in, &name), k = 0;
        if (!length || (is(in, "mov") && !(in->write_count == 1 && l->values[in->writes[0]].narrow)))
            continue;
        while (k < count && (lengths[k] != length || memcmp(seen[k], name, (size_t)length) != 0))
            k++;
        if (k < count || count == 16)
            continue;
        seen[count] = name;
        lengths[count++] = length;
        spend(&l->out[i], count == 1 ? 3 : 2, PIPE_NONE);
    }
}

// What a loop starts from is written into its register; elsewhere a constant is part of the instruction that uses it.
static void constants(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (is(in, "mov") && in->immediate == 1 && in->write_count == 1 && !is_dead(l, i) &&
            l->values[in->writes[0]].definitions > 1 && operands_kind(in, 0) != 'p')
            spend(&l->out[i], operands_kind(in, 0) == 'l' || operands_kind(in, 0) == 'd' ? 2 : 1, PIPE_INT);
    }
}

// ---- what is put together ----------------------------------------------------------------------------------------

static bool adds(const struct sim_instruction *in, char kind)
{
    return (is(in, "add") || is(in, "sub")) && operands_kind(in, 0) == kind;
}

static bool is_wide(const struct sim_instruction *in)
{
    return is(in, "mul") && operands_modified(in, "wide");
}

// A shift to the left by a constant, which the addition of an address does by the way.
static bool is_scale(const struct sim_instruction *in)
{
    return is(in, "shl") && in->immediate == 2;
}

// The address of a variable, which a load or store adds by itself.
static bool starts_at_variable(const struct lower *l, const struct sim_instruction *in)
{
    for (int r = 0; r < reads_of(in); r++) {
        const struct sim_instruction *from = only_definition(l, in->reads[r]);
        if (from && is(from, "mov") && !from->read_count)
            return l->values[in->writes[0]].address && l->values[in->writes[0]].definitions == 1;
    }
    return false;
}

// address + constant: part of the loads and stores that use it.
static void offsets(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (adds(in, 'l') && in->immediate >= 0 && in->write_count == 1 && l->values[in->writes[0]].address &&
            l->values[in->writes[0]].definitions == 1)
            nothing(&l->out[i]);
        else if (adds(in, 'l') && l->values[in->writes[0]].narrow && l->out[i].issues > 1) {
            nothing(&l->out[i]);
            if (!starts_at_variable(l, in))
                spend(&l->out[i], 1, PIPE_INT);
        }
    }
}

// index * size + base: one instruction, for each base.
static void scaled_addresses(struct lower *l)
{
    float alu = figure(l->of->gpu ? l->of->gpu->alu_latency : 0, 4.5f);
    for (int v = 0; v < l->value_count; v++) {
        const struct sim_instruction *in = only_definition(l, v);
        if (!in || !(is_wide(in) || (is_scale(in) && operands_kind(in, 0) == 'l')) || !l->values[v].uses)
            continue;
        l->values[v].address = true; // from here on: all uses are additions
        for (int i = l->first; i < l->end; i++)
            for (int r = 0; r < l->code[i].read_count; r++)
                if (l->code[i].reads[r] == v && !is_dead(l, i) &&
                    !(adds(&l->code[i], 'l') && is(&l->code[i], "add") && l->code[i].immediate < 0))
                    l->values[v].address = false;
    }
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!adds(in, 'l') || is(in, "sub") || reads_of(in) != 2 || !l->out[i].known)
            continue;
        for (int r = 0; r < 2; r++) {
            const struct sim_instruction *scaled = only_definition(l, in->reads[r]);
            if (!scaled || !is_wide(scaled) || !l->values[in->reads[r]].address)
                continue;
            nothing(&l->out[i]);
            spend(&l->out[i], 1, l->values[in->writes[0]].narrow ? PIPE_INT : PIPE_MUL);
            l->out[i].latency = alu;
            break;
        }
    }
    for (int v = 0; v < l->value_count; v++) {
        const struct sim_instruction *in = only_definition(l, v);
        if (in && l->values[v].address && l->values[v].uses &&
            (is_wide(in) || (is_scale(in) && operands_kind(in, 0) == 'l')))
            nothing(&l->out[in - l->code]);
    }
}

// The only use of `value` is instruction `by` of the same block.
static bool only_used(const struct lower *l, int value, int by)
{
    const struct value *v = &l->values[value];
    return v->definitions == 1 && v->uses == 1 && block_of(l, v->definition) == block_of(l, by);
}

static bool is_logic(const struct sim_instruction *in)
{
    return (is(in, "and") || is(in, "or") || is(in, "xor") || is(in, "not")) && operands_kind(in, 0) != 'p';
}

// Two logical operations are one, so are two additions, a shift to the left and an addition, and a product and a sum.
static void pairs(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        bool taken = false;
        for (int r = 0; r < reads_of(in) && !taken && l->out[i].issues; r++) {
            const struct sim_instruction *from = only_definition(l, in->reads[r]);
            if (!from || !only_used(l, in->reads[r], i))
                continue;
            struct machine_code *inner = &l->out[from - l->code];
            bool small = operands_kind(in, 0) == 'i' && operands_kind(from, 0) == 'i';
            bool sum = adds(in, 'i') && (adds(from, 'i') || (is_scale(from) && small) || is(from, "neg"));
            bool logic = is_logic(in) && is_logic(from) && operands_kind(in, 0) == operands_kind(from, 0) &&
                         from->immediate != -2 && !(in->immediate >= 0 && from->immediate >= 0);
            if ((!sum && !logic) || !inner->issues || inner->latency < 0)
                continue;
            taken = true;
            float latency = l->out[i].latency;
            nothing(inner);
            l->out[i].latency = latency;
            inner->latency = 0;
            l->values[in->reads[r]].definition = from - l->code; // it stays, and is not taken twice
            l->values[in->writes[0]].uses += in->write_count && adds(in, 'i') && adds(from, 'i') ? 0 : 0;
        }
    }
}

// A negation, an absolute value: part of the instruction that uses it.
static void signs(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        char kind = operands_kind(in, 0);
        if (((is(in, "neg") || is(in, "abs")) && (kind == 'f' || kind == 'd')) ||
            (is(in, "not") && kind == 'p'))
            nothing(&l->out[i]);
    }
}

// A logical operation also says whether its result is 0.
static void zero_tests(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!is(in, "setp") || reads_of(in) != 1 || in->immediate != 2 || operands_kind(in, 0) != 'i' ||
            !(operands_modified(in, "eq") || operands_modified(in, "ne")))
            continue;
        const struct sim_instruction *from = only_definition(l, in->reads[0]);
        struct operands operands;
        long long value;
        operands_read(in, &operands);
        if (from && is_logic(from) && block_of(l, (int)(from - l->code)) == block_of(l, i) &&
            operands_constant(&operands, 2, &value) && value == 0)
            nothing(&l->out[i]);
    }
}

// Divisions by the same number share its reciprocal.
static void divisions(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!(is(in, "div") || is(in, "rem")) || operands_kind(in, 0) != 'i' || reads_of(in) < 2)
            continue;
        for (int k = l->first; k < i; k++) {
            const struct sim_instruction *other = &l->code[k];
            if (!(is(other, "div") || is(other, "rem")) || operands_kind(other, 0) != 'i' ||
                reads_of(other) < 2 || other->reads[1] != in->reads[1] || is_dead(l, k))
                continue;
            bool same = reads_of(in) == reads_of(other) && other->reads[0] == in->reads[0];
            float less = same ? l->out[i].issues - 3 : 11;
            l->out[i].issues -= less;
            l->out[i].on[PIPE_INT] -= less * 0.6f;
            l->out[i].on[PIPE_MUL] -= less * 0.2f;
            l->out[i].latency *= 0.5f;
            break;
        }
    }
}

// ---- control -----------------------------------------------------------------------------------------------------

static double executed(const struct lower *l, int i)
{
    return l->of->executions ? (double)l->of->executions[i] : 0;
}

static bool leaves(const struct lower *l, int i)
{
    while (i < l->end && is(&l->code[i], "bra") && !l->code[i].guarded && l->code[i].target > i)
        i = l->code[i].target;
    return i < l->end && (is(&l->code[i], "ret") || is(&l->code[i], "exit"));
}

static bool can_be_guarded(const struct sim_instruction *in)
{
    return !is(in, "bar") && !is(in, "barrier") && !is(in, "call") && !is(in, "bra") && !is(in, "ret") &&
           !is(in, "exit") && !is(in, "brx") && !is(in, "div") && !is(in, "rem") && !is(in, "trap") &&
           !is(in, "vote") && !is(in, "shfl") && !is(in, "membar") && !is(in, "fence");
}

// The machine instructions of an arm that is short enough to be executed under a predicate instead of being jumped over; 0: it is not.
static float guarded_arm(const struct lower *l, int branch)
{
    int to = l->code[branch].target;
    float issues = 0;
    if (to <= branch + 1 || l->of->block[to - l->first] != block_of(l, branch) + 2)
        return 0;
    for (int i = branch + 1; i < to; i++) {
        if (!can_be_guarded(&l->code[i]))
            return 0;
        issues += l->out[i].issues;
    }
    return issues <= 7 ? issues : 0;
}

// Threads that part meet again at a place that is told before: two instructions, for each place.
static bool meets_first(const struct lower *l, int branch)
{
    const struct graph *graph = &l->of->graph;
    int block = block_of(l, branch), join = graph->postdominator[block];
    if (join < 0)
        return false;
    for (int b = graph->dominator[block]; b >= 0; b = graph->dominator[b]) {
        const struct graph_block *other = &graph->blocks[b];
        const struct sim_instruction *last = &l->code[l->first + other->end - 1];
        if (graph->postdominator[b] == join && is(last, "bra") && last->guarded)
            return false;
    }
    return true;
}

// Those that left by a branch do not arrive at the end that it leads to.
static void ends(struct lower *l)
{
    for (int i = l->first + 1; i < l->end && l->of->executions; i++) {
        const struct sim_instruction *in = &l->code[i], *before = &l->code[i - 1];
        if (!(is(in, "ret") || is(in, "exit")) || !in->leads || executed(l, i) <= executed(l, i - 1))
            continue;
        bool falls = !(is(before, "bra") && !before->guarded) && !is(before, "ret") && !is(before, "exit");
        if (falls)
            scale(&l->out[i], (float)(executed(l, i - 1) / executed(l, i)));
    }
}

static void branches(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!is(in, "bra"))
            continue;
        int condition = in->guarded ? in->reads[in->read_count - 1] : -1;
        bool differs = condition >= 0 && !l->values[condition].uniform;
        bool forward = in->target > i;
        float arm = in->guarded && forward ? guarded_arm(l, i) : 0;
        nothing(&l->out[i]);
        if (!in->guarded) {
            if (in->target != i + 1)
                spend(&l->out[i], leaves(l, in->target) ? 0 : 1, PIPE_NONE);
        } else if (forward && leaves(l, in->target)) {
            spend(&l->out[i], 1, PIPE_NONE);
        } else if (arm > 0) {
            double all = executed(l, i), taken = executed(l, i + 1);
            if (all > taken)
                spend(&l->out[i], arm * (float)((all - taken) / all), PIPE_NONE);
        } else {
            spend(&l->out[i], forward && differs && meets_first(l, i) ? 3 : 1, PIPE_NONE);
        }
    }
}

// ---- loops -------------------------------------------------------------------------------------------------------

enum { UNROLLED = 4, UNROLLED_MOST = 72 };

static bool stops_unrolling(const struct sim_instruction *in)
{
    return is(in, "bar") || is(in, "barrier") || is(in, "call") || is(in, "vote") || is(in, "shfl") ||
           is(in, "match") || is(in, "atom") || is(in, "membar") || is(in, "fence") || is(in, "brx");
}

// i = i + constant, and nothing else writes it.
static bool steps(const struct lower *l, int i)
{
    const struct sim_instruction *in = &l->code[i];
    return is(in, "add") && in->immediate >= 0 && in->write_count == 1 && reads_of(in) == 1 &&
           in->writes[0] == in->reads[0] && !is_dead(l, i);
}

static bool defined_in(const struct lower *l, int value, const struct graph_block *block)
{
    for (int i = l->first + block->first; i < l->first + block->end; i++)
        for (int r = 0; r < l->code[i].write_count; r++)
            if (l->code[i].writes[r] == value)
                return true;
    return false;
}

// A loop of one block whose counter goes on by a constant is repeated, so that what it costs to go round is shared.
static bool unrolls(const struct lower *l, const struct graph_block *block, int *counter)
{
    int last = l->first + block->end - 1;
    const struct sim_instruction *branch = &l->code[last];
    if (!is(branch, "bra") || !branch->guarded || branch->target != l->first + block->first)
        return false;
    float issues = 0;
    for (int i = l->first + block->first; i < last; i++) {
        if (stops_unrolling(&l->code[i]))
            return false;
        issues += l->out[i].issues;
    }
    const struct sim_instruction *test = only_definition(l, branch->reads[branch->read_count - 1]);
    if (!test || !is(test, "setp") || issues > UNROLLED_MOST || issues < 3)
        return false;
    for (int r = 0; r < reads_of(test); r++)
        for (int i = l->first + block->first; i < last; i++)
            if (steps(l, i) && l->code[i].writes[0] == test->reads[r]) {
                *counter = i;
                for (int other = 0; other < reads_of(test); other++)
                    if (other != r && defined_in(l, test->reads[other], block))
                        return false;
                return true;
            }
    return false;
}

static void loops(struct lower *l)
{
    for (int b = 0; b < l->of->graph.count; b++) {
        const struct graph_block *block = &l->of->graph.blocks[b];
        int counter, last = l->first + block->end - 1;
        if (!unrolls(l, block, &counter))
            continue;
        const struct sim_instruction *test =
            only_definition(l, l->code[last].reads[l->code[last].read_count - 1]);
        for (int i = l->first + block->first; i <= last; i++)
            if (i == last || steps(l, i) || &l->code[i] == test)
                scale(&l->out[i], 1.0f / UNROLLED);
        l->out[l->first + block->first].unrolled = UNROLLED;
    }
}

// ---- the function ------------------------------------------------------------------------------------------------

// Late, for what became of the instructions that parameters are read for is known by now.
static void read_parameters(struct lower *l)
{
    for (int i = l->first; i < l->end; i++)
        if (!is_dead(l, i) && reads_parameter(&l->code[i]) && !strstr(l->code[i].text, "retval"))
            spend(&l->out[read_for(l, i)], 1, PIPE_NONE);
}

// A kernel begins by reading where its stack is, and before its first access to memory the word that describes it.
static void beginning(struct lower *l)
{
    bool global = false;
    for (int i = l->first; i < l->end; i++)
        global = global || (moves_memory(&l->code[i]) && !in_shared(&l->code[i]));
    spend(&l->out[l->first], global ? 2 : 1, PIPE_NONE);
}

bool lowering_count(struct lowering *lowering)
{
    struct lower l = { .of = lowering,
                       .code = lowering->code,
                       .out = lowering->out,
                       .first = (int)lowering->first,
                       .end = (int)lowering->end };
    for (int i = l.first; i < l.end; i++) {
        for (int r = 0; r < l.code[i].read_count; r++)
            if (l.code[i].reads[r] >= l.value_count)
                l.value_count = l.code[i].reads[r] + 1;
        for (int r = 0; r < l.code[i].write_count; r++)
            if (l.code[i].writes[r] >= l.value_count)
                l.value_count = l.code[i].writes[r] + 1;
    }
    l.values = calloc((size_t)l.value_count + 1, sizeof *l.values);
    l.dead = calloc((size_t)(l.end - l.first) + 1, 1);
    if (!l.values || !l.dead) {
        free(l.values);
        free(l.dead);
        return false;
    }
    find_dead(&l);
    find_uniform(&l);
    find_narrow(&l);
    find_addresses(&l);
    find_halves(&l);
    each_alone(&l);
    special_registers(&l);
    parameters(&l);
    shared_variables(&l);
    constants(&l);
    offsets(&l);
    scaled_addresses(&l);
    pairs(&l);
    signs(&l);
    zero_tests(&l);
    divisions(&l);
    branches(&l);
    ends(&l);
    loops(&l);
    read_parameters(&l);
    beginning(&l);
    free(l.values);
    free(l.dead);
    return true;
}

// ---- its blocks --------------------------------------------------------------------------------------------------

static void edges_of(struct lowering *w, int b)
{
    struct graph_block *block = &w->graph.blocks[b];
    const struct sim_instruction *last = &w->code[w->first + (size_t)block->end - 1];
    int after = b + 1 < w->graph.count ? b + 1 : GRAPH_END;
    block->next[0] = block->next[1] = GRAPH_NONE;
    if (!strcmp(last->base, "bra") && last->target >= (int)w->first && last->target < (int)w->end) {
        block->next[0] = w->block[last->target - (int)w->first];
        block->next[1] = last->guarded ? after : GRAPH_NONE;
    } else if (!strcmp(last->base, "ret") || !strcmp(last->base, "exit") || !strcmp(last->base, "trap")) {
        block->next[0] = GRAPH_END;
        block->next[1] = last->guarded ? after : GRAPH_NONE;
    } else {
        block->next[0] = after;
    }
}

bool lowering_open(struct lowering *w)
{
    size_t count = w->end - w->first;
    w->graph = (struct graph){ 0 };
    w->block = malloc((count + 1) * sizeof *w->block);
    w->graph.blocks = malloc((count + 1) * sizeof *w->graph.blocks);
    if (!w->block || !w->graph.blocks)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (w->code[w->first + i].leads || !i)
            w->graph.blocks[w->graph.count++] = (struct graph_block){ .first = (int)i };
        w->block[i] = w->graph.count - 1;
        w->graph.blocks[w->graph.count - 1].end = (int)i + 1;
    }
    for (int b = 0; b < w->graph.count; b++)
        edges_of(w, b);
    return graph_analyse(&w->graph);
}

void lowering_close(struct lowering *w)
{
    graph_free(&w->graph);
    free(w->block);
    w->block = NULL;
}
