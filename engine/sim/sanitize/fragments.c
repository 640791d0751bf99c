// Fragments mixed up: an operand of a product in registers that were filled for something else. Which registers these are
// is known before a launch: a register is traced back to what writes it, through copies; where it may be one of several
// writers, only what all have in common counts. Registers hold no layout, so that more cannot be told: ldmatrix fills those of A and of B
// alike, and a sum that was converted may be an operand.
#include "engine/sim/sanitize/fragments.h"

#include "engine/sim/sanitize/checks.h"

#include <string.h>

// ---- what writes a register -------------------------------------------------------------------------------------

static bool holds(const struct ptx_operand *operand, int reg)
{
    if (operand->kind == OPERAND_REGISTER)
        return operand->reg == reg;
    for (int i = 0; operand->kind == OPERAND_VECTOR && i < operand->part_count; i++)
        if (operand->parts[i].kind == OPERAND_REGISTER && operand->parts[i].reg == reg)
            return true;
    return false;
}

static bool fills(const struct ptx_instruction *in, int reg)
{
    return in->operand_count > 0 && !(strcmp(in->base, "wmma") == 0 && ptx_has(in, "store")) &&
           strcmp(in->base, "st") != 0 && holds(&in->operands[0], reg);
}

// The register that a move copies; -1: it is none, or makes one of several.
static int copied(const struct ptx_instruction *in)
{
    bool plain = strcmp(in->base, "mov") == 0 && in->operand_count == 2 && in->guard < 0;
    return plain && in->operands[0].kind == OPERAND_REGISTER && in->operands[1].kind == OPERAND_REGISTER
               ? in->operands[1].reg
               : -1;
}

// ---- whether it suits the operand -------------------------------------------------------------------------------------

static bool is_wmma(const struct ptx_instruction *in, const char *what)
{
    return strcmp(in->base, "wmma") == 0 && ptx_has(in, what);
}

// "row" or "col": the at-th of an instruction; NULL: it names none.
static const char *order_of(const struct ptx_instruction *in, int at)
{
    for (int i = 0; i < in->modifier_count; i++)
        if ((strcmp(in->modifiers[i], "row") == 0 || strcmp(in->modifiers[i], "col") == 0) && at-- == 0)
            return in->modifiers[i];
    return NULL;
}

static enum element result_type(const struct ptx_instruction *in)
{
    enum element type = ELEMENT_NONE;
    for (int i = 0; i < in->modifier_count && type == ELEMENT_NONE; i++)
        type = element_of_name(in->modifiers[i]);
    return type;
}

// What `writer` leaves in a register is not what the product takes for `operand`, one of A and B.
static enum mix mix_of(const struct ptx_instruction *writer, const struct ptx_instruction *product,
                       const struct fragment *operand)
{
    const bool first = operand->matrix == MATRIX_A;
    if (is_wmma(writer, "load")) {
        const char *loaded = order_of(writer, 0), *taken = order_of(product, first ? 0 : 1);
        if (!ptx_has(writer, first ? "a" : "b"))
            return ptx_has(writer, "c") ? MIX_ADDEND : MIX_OTHER_SIDE;
        return is_wmma(product, "mma") && loaded && taken && strcmp(loaded, taken) != 0 ? MIX_ORDER
                                                                                        : MIX_NONE;
    }
    if (strcmp(writer->base, "mma") == 0 || is_wmma(writer, "mma"))
        return element_bits(result_type(writer)) != element_bits(operand->type) ? MIX_RESULT : MIX_NONE;
    return MIX_NONE;
}

// ---- the operands of a product ----------------------------------------------------------------------------------------

enum { MOST_COPIES = 8 };

struct tracing {
    const struct ptx_function *function;
    const struct ptx_instruction *product;
    const struct fragment *operand;
};

// Compilers also put labels where no branch leads, for debuggers.
static bool is_target(const struct ptx_function *function, const struct ptx_label *label)
{
    bool found = function->target_count > 0;
    for (size_t i = 0; i < function->instruction_count && !found; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        for (int k = 0; k < in->operand_count && strcmp(in->base, "bra") == 0; k++)
            found |= in->operands[k].name && strcmp(in->operands[k].name, label->name) == 0;
    }
    return found;
}

// Control can arrive between the two, after the first.
static bool meets_others(const struct ptx_function *function, size_t first, size_t second)
{
    for (size_t l = 0; l < function->label_count; l++)
        if (function->labels[l].at > first && function->labels[l].at <= second &&
            is_target(function, &function->labels[l]))
            return true;
    return first >= second;
}

// The writer before it where control comes straight from there, else what all writers have in common.
static enum mix trace_back(const struct tracing *t, int reg, const struct ptx_instruction *from, int copies,
                           const struct ptx_instruction **writer)
{
    const struct ptx_instruction *all = t->function->instructions;
    const size_t count = t->function->instruction_count, start = (size_t)(from - all);
    enum mix common = MIX_NONE;
    bool any = false;
    for (size_t i = 1; i <= count; i++) {
        const struct ptx_instruction *in = &all[(start + count - i) % count];
        if (!fills(in, reg))
            continue;
        const bool alone = !any && in->guard < 0 && !meets_others(t->function, (size_t)(in - all), start);
        const int source = copied(in);
        const struct ptx_instruction *by = in;
        const enum mix mix = source >= 0 && copies < MOST_COPIES ? trace_back(t, source, in, copies + 1, &by)
                                                                 : mix_of(in, t->product, t->operand);
        if (mix == MIX_NONE || (any && mix != common))
            return MIX_NONE;
        *writer = any ? *writer : by;
        common = mix;
        any = true;
        if (alone)
            break;
    }
    return common;
}

bool fragments_mixed(const struct ptx_function *function, const struct ptx_instruction *product,
                     const struct fragment *const operands[2], struct fragment_mix *out)
{
    for (int side = 0; side < 2; side++) {
        const struct ptx_operand *given = &product->operands[1 + side];
        const struct ptx_operand *one = given->kind == OPERAND_VECTOR ? &given->parts[0] : given;
        const struct tracing tracing = { function, product, operands[side] };
        *out = (struct fragment_mix){ .operand = *operands[side] };
        if (one->kind == OPERAND_REGISTER)
            out->mix = trace_back(&tracing, one->reg, product, 0, &out->writer);
        if (out->mix != MIX_NONE)
            return true;
    }
    return false;
}

// ---- the finding ----------------------------------------------------------------------------------------------------------

static const struct op *op_of(const struct function *function, const struct ptx_instruction *in)
{
    for (size_t i = 0; i < function->op_count; i++)
        if (function->ops[i].from == in)
            return &function->ops[i];
    return NULL;
}

void fragments_report(struct warp *warp, const struct op *op, const struct fragment_mix *mix)
{
    const struct op *writer = op_of(warp->function, mix->writer);
    const bool first = mix->operand.matrix == MATRIX_A;
    const char *name = first ? "A" : "B", *type = element_name(mix->operand.type);
    char who[80], line[40];
    struct finding_report report = { .kind = SIM_FRAGMENT,
                                     .severity = SIM_ERROR,
                                     .op = op,
                                     .other = writer,
                                     .lane = warp->active ? __builtin_ctz(warp->active) : 0,
                                     .space = "",
                                     .buffer = "" };
    if (!warp->checks || !writer || finding_repeats(warp, &report))
        return;
    finding_name_lane(warp, report.lane, who);
    finding_say_line(writer, line);
    if (mix->mix == MIX_OTHER_SIDE || mix->mix == MIX_ADDEND)
        finding_add(warp, &report,
                    "%s multiplies with a fragment as %s that %s loads as %s: its elements lie in other "
                    "lanes than a product takes those of %s from. Load it as matrix_%c.",
                    who, name, line,
                    mix->mix == MIX_ADDEND ? "an accumulator"
                    : first                ? "B"
                                           : "A",
                    name, first ? 'a' : 'b');
    else if (mix->mix == MIX_ORDER)
        finding_add(warp, &report,
                    "%s multiplies with %s by %s, and %s loads it by %s. Name the same order in both.", who,
                    name, order_of(op->from, first ? 0 : 1), line, order_of(mix->writer, 0));
    else
        finding_add(warp, &report,
                    "%s multiplies with the result of %s as %s: a register of it holds one %s, "
                    "and is read "
                    "as %u of %s. Convert the numbers, and pack neighbours into a register, first.",
                    who, line, name, element_name(result_type(mix->writer)), mix->operand.elements, type);
}
