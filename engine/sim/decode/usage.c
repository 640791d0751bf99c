// Which registers hold the same in all lanes by the way they are computed. A compiler that knows that an
// atomic's address is such a register lets one lane do it for the whole warp, and the hardware's counters
// show that.
//
// A register is uniform when every instruction that writes it is a plain function of uniform operands, and no
// branch that splits warps decides which of several such instructions ran last.
#include "engine/sim/decode/decode.h"

#include <string.h>

// Rounds of the fixed point, and branches times registers: a function that needs more has no uniform
// registers here.
enum { ROUNDS = 32, LARGEST = 1 << 20 };

struct usage { // of one register
    bool uniform;
    uint32_t writers;
    size_t first, last; // the instructions that write it
};
struct uses {
    const struct ptx_function *of;
    struct usage *registers;
};

// Parameters are the same for all lanes in a kernel, but not in a function that it calls.
static bool is_plain_load(const struct ptx_function *of, const struct ptx_instruction *in)
{
    bool load = strcmp(in->base, "ld") == 0 || strcmp(in->base, "ldu") == 0;
    enum ptx_space space = ptx_space_of(in);
    return load && !ptx_has(in, "volatile") && space != SPACE_LOCAL && (space != SPACE_PARAM || of->entry);
}

static bool is_plain_function(const struct ptx_instruction *in)
{
    static const char *const names[] = { "mov",   "add",   "sub", "mul", "mad",  "shl", "shr", "and",  "or",
                                         "xor",   "not",   "cvt", "neg", "cvta", "min", "max", "selp", "setp",
                                         "mul24", "mad24", "bfe", "bfi", "div",  "rem", NULL };
    return ptx_is_one_of(in->base, names);
}

static bool is_uniform(const struct uses *uses, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return uses->registers[operand->reg].uniform;
    case OPERAND_MEMORY:
        return operand->reg < 0 || uses->registers[operand->reg].uniform;
    case OPERAND_VECTOR:
    case OPERAND_PAIR:
        for (int i = 0; i < operand->part_count; i++)
            if (!is_uniform(uses, &operand->parts[i]))
                return false;
        return true;
    case OPERAND_SPECIAL:
        return strncmp(operand->name, "%ctaid", 6) == 0 || strncmp(operand->name, "%ntid", 5) == 0 ||
               strncmp(operand->name, "%nctaid", 7) == 0;
    default:
        return true;
    }
}

static bool gives_uniform(const struct uses *uses, const struct ptx_instruction *in)
{
    if ((!is_plain_function(in) && !is_plain_load(uses->of, in)) ||
        (in->guard >= 0 && !uses->registers[in->guard].uniform))
        return false;
    for (int i = 1; i < in->operand_count; i++)
        if (!is_uniform(uses, &in->operands[i]))
            return false;
    return true;
}

// ---- who writes what --------------------------------------------------------------------------------------

struct writes { // of the instruction at `at`
    struct uses *uses;
    size_t at;
};

static void note_write(void *context, int reg)
{
    struct writes *writes = context;
    struct usage *usage = &writes->uses->registers[reg];
    if (!usage->writers++)
        usage->first = writes->at;
    usage->last = writes->at;
}

static bool drop(struct uses *uses, const struct ptx_operand *operand)
{
    bool changed = false;
    if (operand->kind == OPERAND_VECTOR || operand->kind == OPERAND_PAIR)
        for (int i = 0; i < operand->part_count; i++)
            changed |= drop(uses, &operand->parts[i]);
    if (operand->kind == OPERAND_REGISTER) {
        changed = uses->registers[operand->reg].uniform;
        uses->registers[operand->reg].uniform = false;
    }
    return changed;
}

// ---- branches that split warps ----------------------------------------------------------------------------

static size_t label_at(const struct ptx_function *function, const char *name)
{
    for (size_t i = 0; name && i < function->label_count; i++)
        if (strcmp(function->labels[i].name, name) == 0)
            return function->labels[i].at;
    return SIZE_MAX;
}

// A split between `at` and `target` makes a register differ whose writers lie on both sides of its ends, and
// every register written inside when it leads back, since lanes then leave the loop at different rounds.
static bool drop_split(struct uses *uses, size_t at, size_t target)
{
    size_t low = at < target ? at : target, high = at < target ? target : at;
    bool changed = false;
    for (size_t i = 0; i < uses->of->register_count; i++) {
        struct usage *usage = &uses->registers[i];
        bool apart = usage->last < low || usage->first >= high;
        bool within = usage->first > low && usage->last < high;
        if (usage->uniform && usage->writers > 1 && !apart && !(within && target > at)) {
            usage->uniform = false;
            changed = true;
        }
    }
    return changed;
}

static bool round_over(struct uses *uses, const size_t *targets)
{
    bool changed = false;
    for (size_t i = 0; i < uses->of->instruction_count; i++) {
        const struct ptx_instruction *in = &uses->of->instructions[i];
        if (targets[i] != SIZE_MAX && in->guard >= 0 && !uses->registers[in->guard].uniform)
            changed |= drop_split(uses, i, targets[i]);
        if (ptx_writes_first(in) && !gives_uniform(uses, in))
            changed |= drop(uses, &in->operands[0]);
        for (int k = 0; k < in->call_return_count; k++)
            changed |= drop(uses, &in->call_returns[k]);
    }
    return changed;
}

static bool find_uniform(struct uses *uses, struct arena *arena)
{
    const struct ptx_function *function = uses->of;
    size_t *targets = arena_take(arena, (function->instruction_count + 1) * sizeof *targets);
    uses->registers = arena_take(arena, (function->register_count + 1) * sizeof *uses->registers);
    if (!targets || !uses->registers)
        return false;
    for (size_t i = 0; i < function->register_count; i++)
        uses->registers[i].uniform = true;
    size_t branches = 0;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        bool branch = strcmp(in->base, "bra") == 0 && in->operand_count;
        branches += branch;
        targets[i] = branch && branches * function->label_count <= LARGEST
                         ? label_at(function, in->operands[0].name)
                         : SIZE_MAX;
        ptx_each_written(in, note_write, &(struct writes){ uses, i });
    }
    bool small = branches * (function->register_count + function->label_count) <= LARGEST;
    for (int round = 0; small && round < ROUNDS; round++)
        if (!round_over(uses, targets))
            return true;
    for (size_t i = 0; i < function->register_count; i++)
        uses->registers[i].uniform = false;
    return true;
}

bool usage_is_uniform(struct decoding *d, const struct ptx_operand *operand)
{
    if (!d->function->uses) {
        struct uses *uses = arena_take(d->module->arena, sizeof *uses);
        if (!uses)
            return false;
        uses->of = d->function->from;
        if (!find_uniform(uses, d->module->arena))
            return false;
        d->function->uses = uses;
    }
    return is_uniform(d->function->uses, operand);
}
