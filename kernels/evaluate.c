// Expressions as numbers: binds names to values and computes the steps, for one value or for each element of a buffer.
#include "kernels/expr.h"

#include "assets/host/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 16 };     // elements; fewer are not worth several threads
enum { STRIDE = 256 };      // elements between two looks at the clock
enum { FILL_SECONDS = 60 }; // for a buffer

uint32_t expr_hash(uint32_t x)
{
    return hash(x);
}

// ---- binding ------------------------------------------------------------------------------------

struct expr_names { // what an expression is bound to
    const struct expr *expr;
    const struct expr_scope *scope;
    bool indexed; // `i` is known too
    struct expr_step *steps;
    struct error *error;
};

static bool unknown_name(const struct expr_names *names, const struct expr_step *step)
{
    const struct expr_scope *scope = names->scope;
    char word[64];
    format_into(word, sizeof word, "%.*s", (int)(step->length < 63 ? step->length : 63), step->at);
    const char **known = mem_new((scope->count + 1) * sizeof *known);
    size_t count = 0;
    for (; count < scope->count; count++)
        known[count] = scope->bindings[count].name;
    if (names->indexed)
        known[count++] = "i";
    const char *near = string_nearest(word, known, count);
    error_at(names->error, &names->expr->source, step->at, "nothing is called %.40s here%s%s%s", word,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(known);
    return false;
}

static void bind_value(struct expr_step *step, struct expr_value value)
{
    step->op = OP_VALUE;
    step->real = value.real;
    if (value.real)
        step->number.r = value.r;
    else
        step->number.i = value.i;
}

// The first step of a chain. Later bindings hide earlier ones.
static bool bind_first(const struct expr_names *names, struct expr_step *step)
{
    const struct expr_scope *scope = names->scope;
    if (step->op == OP_VALUE) {
        bind_value(step, step->value);
        return true;
    }
    if (names->indexed && step->length == 1 && *step->at == 'i') {
        step->op = OP_INDEX;
        return true;
    }
    for (size_t b = scope->count; b-- > 0;) {
        const char *name = scope->bindings[b].name;
        if (strlen(name) == step->length && memcmp(name, step->at, step->length) == 0) {
            bind_value(step, scope->bindings[b].value);
            return true;
        }
    }
    return unknown_name(names, step);
}

static bool is_whole_only(enum expr_op op)
{
    return op == OP_FLIP || op == OP_HASH || (op >= OP_MODULO && op <= OP_BIT_OR);
}

static bool is_compare(enum expr_op op)
{
    return op >= OP_LESS && op <= OP_NOT_EQUAL;
}

static bool bind_chain(const struct expr_names *names, size_t first, bool *real);

// Decides whether a step works on decimals; `real` says it of the value before the step, and then of its result.
static bool bind_step(const struct expr_names *names, struct expr_step *step, bool *real)
{
    bool right = false, other = false;
    if (step->right && !bind_chain(names, step->right, &right))
        return false;
    if (step->other && !bind_chain(names, step->other, &other))
        return false;
    step->real = *real;
    step->right_real = right;
    if (step->op == OP_AND || step->op == OP_OR) {
        *real = false;
        return true;
    }
    if (step->op == OP_SELECT) {
        *real = right || other;
        step->widen_right = *real && !right;
        step->widen_other = *real && !other;
        return true;
    }
    step->real |= right;
    step->widen_left = step->real && !*real;
    step->widen_right = step->real && !right;
    *real = step->real && !is_compare(step->op) && step->op != OP_NOT;
    return !step->real || !is_whole_only(step->op) ||
           error_at(names->error, &names->expr->source, step->at,
                    "%.*s needs whole numbers, and here is a decimal", (int)step->length, step->at);
}

static bool bind_chain(const struct expr_names *names, size_t first, bool *real)
{
    struct expr_step *step = &names->steps[first];
    if (!bind_first(names, step))
        return false;
    *real = step->real;
    while (step->next) {
        step = &names->steps[step->next];
        if (!bind_step(names, step, real))
            return false;
    }
    return true;
}

// The steps with every name resolved and every kind known; the caller frees. `real`: what the result is.
static struct expr_step *bind_steps(const struct expr *expr, const struct expr_scope *scope, bool indexed,
                                    bool *real, struct error *error)
{
    static const struct expr_scope none = { 0 };
    struct expr_names names = { expr, scope ? scope : &none, indexed,
                                mem_new(expr->count * sizeof *names.steps), error };
    memcpy(names.steps, expr->steps, expr->count * sizeof *names.steps);
    if (bind_chain(&names, 0, real))
        return names.steps;
    free(names.steps);
    return NULL;
}

bool expr_check(const struct expr *expr, const struct expr_scope *scope, bool indexed, struct error *error)
{
    bool real;
    struct expr_step *steps = bind_steps(expr, scope, indexed, &real, error);
    free(steps);
    return steps != NULL;
}

// ---- one value ----------------------------------------------------------------------------------

// The first step without a result, while one element is computed. What follows it goes on with any number.
struct expr_run {
    const struct expr_step *steps;
    int64_t index;
    const struct expr_step *fault; // NULL: none yet
    int64_t operand;               // the right one at the fault
    bool overflow;
};

static int64_t fault(struct expr_run *run, const struct expr_step *step, int64_t operand, bool overflow)
{
    if (!run->fault) {
        run->fault = step;
        run->operand = operand;
        run->overflow = overflow;
    }
    return 0;
}

static int64_t shift(struct expr_run *run, const struct expr_step *step, int64_t a, int64_t b)
{
    if (b < 0 || b > 63)
        return fault(run, step, b, false);
    if (step->op == OP_SHIFT_RIGHT) // copies of the sign come in from the left
        return a >> b;
    uint64_t shifted = (uint64_t)a << b; // 1 << 63 is a bit: it fits without a sign
    if ((int64_t)shifted >> b != a && shifted >> b != (uint64_t)a)
        return fault(run, step, b, true);
    return (int64_t)shifted;
}

static int64_t divide(struct expr_run *run, const struct expr_step *step, int64_t a, int64_t b)
{
    if (b == 0)
        return fault(run, step, b, false);
    if (b == -1) // the one divisor whose quotient may not fit
        return step->op == OP_MODULO ? 0 : a == INT64_MIN ? fault(run, step, b, true) : -a;
    return step->op == OP_MODULO ? a % b : a / b;
}

// Numbers that are neither less, equal nor greater (NAN) differ.
static bool compare(enum expr_op op, bool less, bool equal, bool greater)
{
    switch (op) {
    case OP_LESS:
        return less;
    case OP_LESS_EQUAL:
        return less || equal;
    case OP_GREATER:
        return greater;
    case OP_GREATER_EQUAL:
        return greater || equal;
    case OP_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

static int64_t whole_step(struct expr_run *run, const struct expr_step *step, int64_t a, int64_t b)
{
    int64_t out;
    switch (step->op) {
    case OP_NEGATE:
        return a == INT64_MIN ? fault(run, step, b, true) : -a;
    case OP_FLIP:
        return ~a;
    case OP_HASH:
        return expr_hash((uint32_t)a);
    case OP_NOT:
        return a == 0;
    case OP_ADD:
        return __builtin_add_overflow(a, b, &out) ? fault(run, step, b, true) : out;
    case OP_SUBTRACT:
        return __builtin_sub_overflow(a, b, &out) ? fault(run, step, b, true) : out;
    case OP_MULTIPLY:
        return __builtin_mul_overflow(a, b, &out) ? fault(run, step, b, true) : out;
    case OP_DIVIDE:
    case OP_MODULO:
        return divide(run, step, a, b);
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
        return shift(run, step, a, b);
    case OP_BIT_AND:
        return a & b;
    case OP_BIT_XOR:
        return a ^ b;
    case OP_BIT_OR:
        return a | b;
    case OP_MIN:
        return b < a ? b : a;
    case OP_MAX:
        return b > a ? b : a;
    default:
        return compare(step->op, a<b, a == b, a> b);
    }
}

static double real_step(struct expr_run *run, const struct expr_step *step, double a, double b)
{
    switch (step->op) {
    case OP_NEGATE:
        return -a;
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return b == 0 ? (double)fault(run, step, 0, false) : a / b;
    case OP_MIN:
        return b < a ? b : a;
    case OP_MAX:
        return b > a ? b : a;
    default:
        return 0;
    }
}

static bool is_true(union expr_number number, bool real)
{
    return real ? number.r != 0 : number.i != 0;
}

static union expr_number chain_value(struct expr_run *run, size_t first);

static union expr_number operand(struct expr_run *run, size_t first, bool widen)
{
    union expr_number number = chain_value(run, first);
    return widen ? (union expr_number){ .r = (double)number.i } : number;
}

static union expr_number step_value(struct expr_run *run, const struct expr_step *step,
                                    union expr_number left)
{
    union expr_number right = { 0 };
    switch (step->op) {
    case OP_AND:
    case OP_OR:
        if (is_true(left, step->real) == (step->op == OP_OR))
            return (union expr_number){ .i = step->op == OP_OR };
        return (union expr_number){ .i = is_true(chain_value(run, step->right), step->right_real) };
    case OP_SELECT:
        return is_true(left, step->real) ? operand(run, step->right, step->widen_right)
                                         : operand(run, step->other, step->widen_other);
    default:
        break;
    }
    if (step->right)
        right = operand(run, step->right, step->widen_right);
    if (!step->real)
        return (union expr_number){ .i = whole_step(run, step, left.i, right.i) };
    double a = step->widen_left ? (double)left.i : left.r, b = right.r;
    if (step->op == OP_NOT)
        return (union expr_number){ .i = a == 0 };
    if (is_compare(step->op))
        return (union expr_number){ .i = compare(step->op, a<b, a == b, a> b) };
    return (union expr_number){ .r = real_step(run, step, a, b) };
}

static union expr_number chain_value(struct expr_run *run, size_t first)
{
    const struct expr_step *step = &run->steps[first];
    union expr_number number = step->op == OP_INDEX ? (union expr_number){ .i = run->index } : step->number;
    while (step->next) {
        step = &run->steps[step->next];
        number = step_value(run, step, number);
    }
    return number;
}

// `indexed`: the fault came up at one element of many.
static bool fault_error(const struct expr *expr, const struct expr_run *run, bool indexed,
                        struct error *error)
{
    char where[64] = "";
    if (indexed)
        format_into(where, sizeof where, " where i is %" PRId64, run->index);
    const struct expr_step *step = run->fault;
    if (run->overflow)
        return error_at(error, &expr->source, step->at,
                        "overflow: the result of this %.*s does not fit in 64 bits%s", (int)step->length,
                        step->at, where);
    if (step->op == OP_DIVIDE || step->op == OP_MODULO)
        return error_at(error, &expr->source, step->at, "%s by zero%s",
                        step->op == OP_DIVIDE ? "division" : "modulo", where);
    return error_at(error, &expr->source, step->at, "a shift by %" PRId64 "%s: it can be 0 to 63",
                    run->operand, where);
}

bool expr_eval(const struct expr *expr, const struct expr_scope *scope, struct expr_value *out,
               struct error *error)
{
    bool real;
    struct expr_step *steps = bind_steps(expr, scope, false, &real, error);
    if (!steps)
        return false;
    struct expr_run run = { .steps = steps };
    union expr_number number = chain_value(&run, 0);
    bool done = !run.fault || fault_error(expr, &run, false, error);
    if (done)
        *out = real ? value_real(number.r) : value_int(number.i);
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

// Writes one element, converted as C does; a decimal that does not fit takes the nearest 64-bit integer's bits.
static void store(union expr_number number, bool real, enum scalar scalar, unsigned char *out)
{
    double wide = real ? number.r : (double)number.i;
    uint64_t bits = real ? real_to_bits(number.r) : number.u;
    switch (scalar) {
    case SCALAR_CHAR:
    case SCALAR_UCHAR:
        *out = (unsigned char)bits;
        break;
    case SCALAR_STRUCTURE: // a byte of one has no value of its own
        break;
    case SCALAR_SHORT:
    case SCALAR_USHORT:
        memcpy(out, &(uint16_t){ (uint16_t)bits }, sizeof(uint16_t));
        break;
    case SCALAR_INT:
    case SCALAR_UINT:
        memcpy(out, &(uint32_t){ (uint32_t)bits }, sizeof(uint32_t));
        break;
    case SCALAR_FLOAT:
        memcpy(out, &(float){ (float)wide }, sizeof(float));
        break;
    case SCALAR_LLONG:
    case SCALAR_ULLONG:
        memcpy(out, &bits, sizeof bits);
        break;
    case SCALAR_DOUBLE:
        memcpy(out, &wide, sizeof wide);
        break;
    case SCALAR_HALF:
    case SCALAR_BFLOAT16:
    case SCALAR_E4M3:
    case SCALAR_E5M2:
        narrow_round(scalar, wide, out);
        break;
    }
}

struct expr_fill {
    const struct expr_places *places;
    bool real; // the expression gives decimals
    unsigned char *out;
};

// The elements from `first` to before `end`; stops at one with a fault, which `run` then is at. Pointers are filled one by
// one: with others they stay as they are.
static void fill_elements(const struct expr_fill *fill, struct expr_run *run, int64_t first, int64_t end)
{
    const struct expr_places *places = fill->places;
    unsigned char *out = fill->out + (size_t)first * places->stride;
    for (run->index = first; run->index < end; run->index++, out += places->stride) {
        union expr_number number = chain_value(run, 0);
        if (run->fault)
            return;
        for (size_t l = 0; l < places->count; l++) {
            const struct leaf *leaf = &places->leaves[l];
            if (!leaf->pointer || places->count == 1)
                store(number, fill->real, leaf->scalar, out + leaf->offset);
        }
    }
}

bool expr_fill(const struct expr *expr, const struct expr_scope *scope, const struct expr_places *places,
               size_t begin, size_t count, void *out, struct error *error)
{
    struct expr_fill fill = { places, false, out };
    struct expr_step *steps = bind_steps(expr, scope, true, &fill.real, error);
    if (!steps)
        return false;
    struct expr_run first = { .index = INT64_MAX }; // the fault at the lowest index
    int64_t all = (int64_t)(begin + count);
    double deadline = clock_ms() + FILL_SECONDS * 1e3;
    atomic_bool late = false;
#pragma omp parallel for schedule(static) if (count > FEW)
    for (int64_t base = (int64_t)begin; base < all; base += STRIDE) {
        struct expr_run run = { .steps = steps };
        if (clock_ms() > deadline)
            atomic_store(&late, true);
        if (atomic_load(&late))
            continue;
        fill_elements(&fill, &run, base, all - base < STRIDE ? all : base + STRIDE);
        if (!run.fault)
            continue;
#pragma omp critical(expr_fault)
        if (run.index < first.index)
            first = run;
    }
    bool done = !first.fault && !atomic_load(&late);
    if (first.fault)
        fault_error(expr, &first, true, error);
    else if (atomic_load(&late))
        error_at(error, &expr->source, expr->steps[0].at,
                 "this takes longer than %d s for %zu elements; use fewer, or a simpler value", FILL_SECONDS,
                 count);
    free(steps);
    return done;
}
