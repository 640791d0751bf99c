// Expressions as numbers: binds names to values and executes the steps for one value or for a whole buffer,
// a block of elements at a time. A single value is a block of one.
#include "kernels/expr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 16 };     // elements; fewer are not worth several threads
enum { FILL_SECONDS = 60 }; // for a buffer

// ---- binding ------------------------------------------------------------------------------------

static bool unknown_name(const struct expr *expr, const struct step *step, const struct expr_scope *scope,
                         bool indexed, struct error *error)
{
    char word[64];
    format_into(word, sizeof word, "%.*s", (int)(step->length < 63 ? step->length : 63), step->at);
    const char **names = mem_new((scope->count + 1) * sizeof *names);
    size_t count = 0;
    for (; count < scope->count; count++)
        names[count] = scope->bindings[count].name;
    if (indexed)
        names[count++] = "i";
    const char *near = string_nearest(word, names, count);
    error_at(error, &expr->source, step->at, "nothing is called %.40s here%s%s%s", word,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(names);
    return false;
}

// Turns a name into its value, or into the index. Later bindings hide earlier ones.
static bool bind_name(const struct expr *expr, struct step *step, const struct expr_scope *scope,
                      bool indexed, struct error *error)
{
    if (indexed && step->length == 1 && *step->at == 'i') {
        step->op = OP_INDEX;
        return true;
    }
    for (size_t b = scope->count; b-- > 0;) {
        const char *name = scope->bindings[b].name;
        if (strlen(name) == step->length && memcmp(name, step->at, step->length) == 0) {
            step->op = OP_VALUE;
            step->value = scope->bindings[b].value;
            return true;
        }
    }
    return unknown_name(expr, step, scope, indexed, error);
}

static bool is_whole_only(enum op op)
{
    return op == OP_FLIP || op == OP_HASH || (op >= OP_MODULO && op <= OP_BIT_OR);
}

static bool is_infix(enum op op)
{
    return op >= OP_ADD && op <= OP_MAX;
}

// Decides whether a step works on decimals; `real` tells it of each slot and is brought up to date.
static bool bind_kind(const struct expr *expr, struct step *step, bool *real, struct error *error)
{
    int low = step->op == OP_SELECT ? step->slot + 2 : step->slot, high = low + 1;
    bool two = is_infix(step->op) || step->op == OP_SELECT;
    step->real = real[low] || (two && real[high]);
    if (step->real && is_whole_only(step->op))
        return error_at(error, &expr->source, step->at, "%.*s needs whole numbers, and here is a decimal",
                        (int)step->length, step->at);
    step->widen_low = two && step->real && !real[low];
    step->widen_high = two && step->real && !real[high];
    bool compares = step->op >= OP_LESS && step->op <= OP_NOT_EQUAL;
    bool truth = step->op == OP_NOT || step->op == OP_TRUTH || step->op == OP_AND || step->op == OP_OR;
    real[step->slot] = step->real && !compares && !truth;
    return true;
}

// The steps with every name resolved and every kind known; the caller frees. `real`: what the result is.
static struct step *bind_steps(const struct expr *expr, const struct expr_scope *scope, bool indexed,
                               bool *result_real, struct error *error)
{
    static const struct expr_scope none = { 0 };
    bool real[SLOTS + 4] = { false };
    struct step *steps = mem_new(expr->count * sizeof *steps);
    memcpy(steps, expr->steps, expr->count * sizeof *steps);
    for (size_t s = 0; s < expr->count; s++) {
        struct step *step = &steps[s];
        bool bound = true;
        if (step->op == OP_NAME)
            bound = bind_name(expr, step, scope ? scope : &none, indexed, error);
        if (step->op == OP_VALUE || step->op == OP_INDEX)
            real[step->slot] = step->op == OP_VALUE && step->value.real;
        else if (bound && step->op != OP_MASK_IF && step->op != OP_MASK_UNLESS)
            bound = bind_kind(expr, step, real, error);
        if (!bound) {
            free(steps);
            return NULL;
        }
    }
    *result_real = real[0];
    return steps;
}

bool expr_check(const struct expr *expr, const struct expr_scope *scope, bool indexed, struct error *error)
{
    bool real;
    struct step *steps = bind_steps(expr, scope, indexed, &real, error);
    free(steps);
    return steps != NULL;
}

// ---- one value ----------------------------------------------------------------------------------

// `indexed`: the fault came up at one element of many.
static bool fault_error(const struct expr *expr, const struct fault *fault, bool indexed, struct error *error)
{
    char where[64] = "";
    if (indexed)
        format_into(where, sizeof where, " where i is %" PRId64, fault->index);
    const char *at = fault->step->at;
    if (fault->overflow)
        return error_at(error, &expr->source, at,
                        "overflow: the result of this %.*s does not fit in 64 bits%s",
                        (int)fault->step->length, at, where);
    if (fault->step->op == OP_DIVIDE || fault->step->op == OP_MODULO)
        return error_at(error, &expr->source, at, "%s by zero%s",
                        fault->step->op == OP_DIVIDE ? "division" : "modulo", where);
    return error_at(error, &expr->source, at, "a shift by %" PRId64 "%s: it can be 0 to 63", fault->operand,
                    where);
}

static union block *new_slots(const struct expr *expr)
{
    return mem_new(((size_t)expr->slots + 1) * sizeof(union block)); // one more: high operands of signs
}

bool expr_eval(const struct expr *expr, const struct expr_scope *scope, struct value *out,
               struct error *error)
{
    bool real;
    struct step *steps = bind_steps(expr, scope, false, &real, error);
    if (!steps)
        return false;
    union block *slots = new_slots(expr);
    struct fault fault = { 0 };
    bool done = steps_execute(steps, expr->count, slots, 0, 1, &fault);
    if (done)
        *out = real ? value_real(slots[0].r[0]) : value_int(slots[0].i[0]);
    else
        fault_error(expr, &fault, false, error);
    free(slots);
    free(steps);
    return done;
}

// ---- filling ------------------------------------------------------------------------------------

static uint64_t real_to_bits(double r)
{
    if (r > -0x1p63 && r < 0x1p63)
        return (uint64_t)(int64_t)r;
    if (r >= 0x1p63 && r < 0x1p64)
        return (uint64_t)r; // an unsigned long long reaches further than a signed one
    return (uint64_t)value_as_int(value_real(r));
}

// Converts a block to `scalar`, as C does; a decimal that does not fit takes the nearest 64-bit integer's bits.
static void narrow(union block *block, bool real, enum scalar scalar, int count, void *out)
{
    if (real && !scalar_is_real(scalar))
        for (int k = 0; k < count; k++)
            block->u[k] = real_to_bits(block->r[k]);
    if (!real && scalar_is_real(scalar))
        block_widen(block, count);
    unsigned char *c = out;
    uint16_t *s = out;
    uint32_t *w = out;
    float *f = out;
    switch (scalar) {
    case SCALAR_CHAR:
    case SCALAR_UCHAR:
        for (int k = 0; k < count; k++)
            c[k] = (unsigned char)block->u[k];
        break;
    case SCALAR_SHORT:
        for (int k = 0; k < count; k++)
            s[k] = (uint16_t)block->u[k];
        break;
    case SCALAR_INT:
    case SCALAR_UINT:
        for (int k = 0; k < count; k++)
            w[k] = (uint32_t)block->u[k];
        break;
    case SCALAR_FLOAT:
        for (int k = 0; k < count; k++)
            f[k] = (float)block->r[k];
        break;
    case SCALAR_LLONG:
    case SCALAR_ULLONG:
    case SCALAR_DOUBLE:
        memcpy(out, block, (size_t)count * sizeof block->u[0]);
        break;
    }
}

// Each of `count` scalars `lanes` times.
static void spread(const union block *from, size_t size, int lanes, int count, unsigned char *out)
{
    const unsigned char *scalars = (const unsigned char *)from;
    for (int k = 0; k < count; k++) {
        for (int lane = 0; lane < lanes; lane++) {
            memcpy(out, scalars + (size_t)k * size, size);
            out += size;
        }
    }
}

static void store(union block *result, bool real, struct type type, int count, unsigned char *out)
{
    if (type.lanes == 1) {
        narrow(result, real, type.scalar, count, out);
        return;
    }
    union block scalars;
    narrow(result, real, type.scalar, count, &scalars);
    spread(&scalars, scalar_size(type.scalar), type.lanes, count, out);
}

bool expr_fill(const struct expr *expr, const struct expr_scope *scope, struct type type, size_t count,
               void *out, struct error *error)
{
    bool real;
    struct step *steps = bind_steps(expr, scope, true, &real, error);
    if (!steps)
        return false;
    struct fault first = { .index = INT64_MAX };
    int64_t all = (int64_t)count;
    double end = clock_ms() + FILL_SECONDS * 1e3;
    atomic_bool late = false;
#pragma omp parallel if (count > FEW)
    {
        union block *slots = new_slots(expr);
#pragma omp for schedule(static)
        for (int64_t base = 0; base < all; base += BLOCK) {
            int here = all - base < BLOCK ? (int)(all - base) : BLOCK;
            struct fault fault = { 0 };
            if (clock_ms() > end)
                atomic_store(&late, true);
            if (atomic_load(&late))
                continue;
            if (steps_execute(steps, expr->count, slots, base, here, &fault)) {
                store(slots, real, type, here, (unsigned char *)out + (size_t)base * type_size(type));
                continue;
            }
#pragma omp critical(expr_fault)
            if (fault.index < first.index)
                first = fault;
        }
        free(slots);
    }
    bool done = !first.step && !atomic_load(&late);
    if (first.step)
        fault_error(expr, &first, true, error);
    else if (atomic_load(&late))
        error_at(error, &expr->source, expr->steps[0].at,
                 "this takes longer than %d s for %zu elements; take fewer, or a simpler value", FILL_SECONDS,
                 count);
    free(steps);
    return done;
}
