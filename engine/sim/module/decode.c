// Decodes instructions to ops: a handler and the rows that it works on. The tables say which decoder knows an opcode.
#include "engine/sim/access/access.h"
#include "engine/sim/lanes/lanes.h"
#include "engine/sim/module/module.h"

#include <string.h>

// ---- instructions ----

static const struct decoder *const baseline[] = {
    control_decoders,    lanes_integer_decoders, lanes_bit_decoders,      lanes_float_decoders,
    lanes_half_decoders, lanes_convert_decoders, lanes_compare_decoders,  lanes_move_decoders,
    memory_decoders,     atomic_decoders,        lanes_exchange_decoders, NULL
};
static const struct decoder *const wide[] = {
    control_decoders,       lanes_integer_decoders_v3, lanes_bit_decoders_v3,     lanes_float_decoders_v3,
    lanes_half_decoders_v3, lanes_convert_decoders_v3, lanes_compare_decoders_v3, lanes_move_decoders_v3,
    memory_decoders_v3,     atomic_decoders_v3,        lanes_exchange_decoders,   NULL
};

static bool decode_by_tables(struct decoding *d, struct op *out)
{
    const struct op empty = *out;
    const char *base = d->in->base;
    for (const struct decoder *const *table = lanes_wide() ? wide : baseline; *table; table++)
        for (const struct decoder *known = *table; known->base; known++) {
            if (known->base[0] != base[0] || strcmp(known->base, base) != 0)
                continue;
            d->trouble = NULL;
            *out = empty;
            if (known->decode(d, out) && !d->trouble)
                return true;
        }
    if (!d->trouble)
        d->trouble = "the simulator does not know it";
    *out = empty;
    return false;
}

static void decode_guard(struct decoding *d, struct op *out)
{
    if (d->in->guard < 0)
        return;
    struct ptx_operand guard = { .kind = OPERAND_REGISTER, .reg = d->in->guard };
    row at = decode_predicate(d, &guard);
    if (!at) {
        out->kind = OP_UNKNOWN;
        out->trouble = "its guard is not a predicate";
        return;
    }
    out->guarded = true;
    out->guard_negated = d->in->guard_negated;
    out->guard = at;
}

static void decode_one(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    struct op start = { .kind = OP_LANES,
                        .access = SIM_ACCESSES,
                        .parts = 1,
                        .reconverge = NO_PC,
                        .high = UINT32_MAX,
                        .from = in,
                        .tally = (int32_t)d->module->tally_count++ };
    *out = start;
    d->trouble = in->broken;
    if (in->broken || !in->base || !decode_by_tables(d, out)) {
        *out = start;
        out->kind = OP_UNKNOWN;
        out->trouble = d->trouble ? d->trouble : "it is broken";
    }
    out->releases = ptx_has(in, "release") || ptx_has(in, "acq_rel");
    decode_guard(d, out);
}

bool decode_replacement(struct sim_module *module, struct function *function,
                        const struct ptx_instruction *in, struct op *op)
{
    struct decoding d = {
        .module = module, .function = function, .in = in, .register_rows = function->register_rows
    };
    struct op other = *op;
    other.sub = 0;
    other.imm = 0;
    if (!decode_by_tables(&d, &other))
        return false;
    *op = other;
    return true;
}

// A return follows the last instruction, so that no function runs off its end.
bool decode_function(struct sim_module *module, struct function *f)
{
    struct decoding d = { .module = module, .function = f };
    f->op_count = f->from->instruction_count;
    f->ops = arena_take(module->arena, (f->op_count + 1) * sizeof *f->ops);
    if (!f->ops || !decode_registers(&d))
        return false;
    for (size_t i = 0; i < f->op_count; i++) {
        if (deadline_passed(&module->deadline))
            return false;
        d.in = &f->from->instructions[i];
        decode_one(&d, &f->ops[i]);
    }
    if (module->deadline.passed)
        return false;
    static const struct ptx_instruction end = { .text = "ret", .base = "ret", .guard = -1 };
    f->ops[f->op_count] = (struct op){ .kind = f->from->entry ? OP_EXIT : OP_RETURN,
                                       .access = SIM_ACCESSES,
                                       .reconverge = NO_PC,
                                       .from = f->op_count ? &f->from->instructions[f->op_count - 1] : &end,
                                       .tally = (int32_t)module->tally_count++ };
    return true;
}
