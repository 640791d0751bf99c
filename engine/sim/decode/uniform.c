// Uniformity analysis: which registers have the same value in all lanes of a warp because of the way they are
// computed. A compiler that knows that an atomic's address is uniform has one lane do it for the whole warp, which
// the hardware's counters show.
//
// A register is uniform when every instruction that writes it is a pure function of uniform operands and no divergent
// branch decides which of several such instructions ran last. The analysis starts with all registers uniform and
// drops those that are not, until nothing changes.
#include "engine/sim/decode/decode.h"

#include <string.h>

// Rounds until the fixed point, and branches times registers: in a function that needs more, no register is uniform.
enum { ROUNDS = 32, LARGEST = 1 << 20 };

struct register_uniformity {
    bool uniform;
    uint32_t writers;
    size_t first, last; // the instructions that write it
};
struct uniformity {
    const struct ptx_function *of;
    struct register_uniformity *registers;
};

// Parameters are the same for all lanes in a kernel, but not in a function that it calls.
static bool is_pure_load(const struct ptx_function *of, const struct ptx_instruction *in)
{
    bool load = strcmp(in->base, "ld") == 0 || strcmp(in->base, "ldu") == 0;
    enum ptx_space space = ptx_space_of(in);
    return load && !ptx_has(in, "volatile") && space != SPACE_LOCAL && (space != SPACE_PARAM || of->entry);
}

static bool is_pure(const struct ptx_instruction *in)
{
    static const char *const names[] = { "mov",   "add",   "sub", "mul", "mad",  "shl", "shr", "and",  "or",
                                         "xor",   "not",   "cvt", "neg", "cvta", "min", "max", "selp", "setp",
                                         "mul24", "mad24", "bfe", "bfi", "div",  "rem", NULL };
    return ptx_is_one_of(in->base, names);
}

static bool is_uniform(const struct uniformity *u, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return u->registers[operand->reg].uniform;
    case OPERAND_MEMORY:
        return operand->reg < 0 || u->registers[operand->reg].uniform;
    case OPERAND_VECTOR:
    case OPERAND_PAIR:
        for (int i = 0; i < operand->part_count; i++)
            if (!is_uniform(u, &operand->parts[i]))
                return false;
        return true;
    case OPERAND_SPECIAL:
        return strncmp(operand->name, "%ctaid", 6) == 0 || strncmp(operand->name, "%ntid", 5) == 0 ||
               strncmp(operand->name, "%nctaid", 7) == 0;
    default:
        return true;
    }
}

static bool has_uniform_result(const struct uniformity *u, const struct ptx_instruction *in)
{
    if ((!is_pure(in) && !is_pure_load(u->of, in)) || (in->guard >= 0 && !u->registers[in->guard].uniform))
        return false;
    for (int i = 1; i < in->operand_count; i++)
        if (!is_uniform(u, &in->operands[i]))
            return false;
    return true;
}

// ---- writers of registers --------------------------------------------------------------------------------------

struct writer_visit { // the instruction `at` that writes
    struct uniformity *u;
    size_t at;
};

static void note_write(void *context, int reg)
{
    struct writer_visit *visit = context;
    struct register_uniformity *known = &visit->u->registers[reg];
    if (!known->writers++)
        known->first = visit->at;
    known->last = visit->at;
}

static bool drop(struct uniformity *u, const struct ptx_operand *operand)
{
    bool changed = false;
    if (operand->kind == OPERAND_VECTOR || operand->kind == OPERAND_PAIR)
        for (int i = 0; i < operand->part_count; i++)
            changed |= drop(u, &operand->parts[i]);
    if (operand->kind == OPERAND_REGISTER) {
        changed = u->registers[operand->reg].uniform;
        u->registers[operand->reg].uniform = false;
    }
    return changed;
}

// ---- divergent branches ----------------------------------------------------------------------------

static size_t label_at(const struct ptx_function *function, const char *name)
{
    for (size_t i = 0; name && i < function->label_count; i++)
        if (strcmp(function->labels[i].name, name) == 0)
            return function->labels[i].at;
    return SIZE_MAX;
}

// A divergent branch from `at` to `target` makes divergent: each register that is written both inside and outside of
// the range that it skips, and if it is a back edge each one that is written inside, since lanes leave the loop in
// different rounds.
static bool drop_divergent(struct uniformity *u, size_t at, size_t target)
{
    size_t low = at < target ? at : target, high = at < target ? target : at;
    bool changed = false;
    for (size_t i = 0; i < u->of->register_count; i++) {
        struct register_uniformity *known = &u->registers[i];
        bool apart = known->last < low || known->first >= high;
        bool within = known->first > low && known->last < high;
        if (known->uniform && known->writers > 1 && !apart && !(within && target > at)) {
            known->uniform = false;
            changed = true;
        }
    }
    return changed;
}

static bool drop_round(struct uniformity *u, const size_t *targets)
{
    bool changed = false;
    for (size_t i = 0; i < u->of->instruction_count; i++) {
        const struct ptx_instruction *in = &u->of->instructions[i];
        if (targets[i] != SIZE_MAX && in->guard >= 0 && !u->registers[in->guard].uniform)
            changed |= drop_divergent(u, i, targets[i]);
        if (ptx_writes_first(in) && !has_uniform_result(u, in))
            changed |= drop(u, &in->operands[0]);
        for (int k = 0; k < in->call_return_count; k++)
            changed |= drop(u, &in->call_returns[k]);
    }
    return changed;
}

static bool find_uniform(struct uniformity *u, struct arena *arena)
{
    const struct ptx_function *function = u->of;
    size_t *targets = arena_take(arena, (function->instruction_count + 1) * sizeof *targets);
    u->registers = arena_take(arena, (function->register_count + 1) * sizeof *u->registers);
    if (!targets || !u->registers)
        return false;
    for (size_t i = 0; i < function->register_count; i++)
        u->registers[i].uniform = true;
    size_t branches = 0;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        bool branch = strcmp(in->base, "bra") == 0 && in->operand_count;
        branches += branch;
        targets[i] = branch && branches * function->label_count <= LARGEST
                         ? label_at(function, in->operands[0].name)
                         : SIZE_MAX;
        ptx_each_written(in, note_write, &(struct writer_visit){ u, i });
    }
    bool small = branches * (function->register_count + function->label_count) <= LARGEST;
    for (int round = 0; small && round < ROUNDS; round++)
        if (!drop_round(u, targets))
            return true;
    for (size_t i = 0; i < function->register_count; i++)
        u->registers[i].uniform = false;
    return true;
}

bool uniform_operand(struct decoding *d, const struct ptx_operand *operand)
{
    if (!d->function->uniformity) {
        struct uniformity *u = arena_take(d->module->arena, sizeof *u);
        if (!u)
            return false;
        u->of = d->function->from;
        if (!find_uniform(u, d->module->arena))
            return false;
        d->function->uniformity = u;
    }
    return is_uniform(d->function->uniformity, operand);
}
