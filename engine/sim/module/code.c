// The instructions of a module as a caller sees them: what each reads and writes, and where control can arrive.
#include "engine/sim/module/module.h"

#include <stdlib.h>

struct registers_list { // the registers of all instructions lie after these, in the same allocation
    struct sim_instruction *out;
    int *registers;
    size_t used, room; // more were used than there is room for: they are only counted
};

static void list_register(void *context, int reg)
{
    struct registers_list *listing = context;
    if (listing->used < listing->room)
        listing->registers[listing->used] = reg;
    listing->used++;
}

static int constant_operand(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == OPERAND_IMMEDIATE)
            return i;
    return -1;
}

static bool is_outside(const struct op *op)
{
    static const char *const images[] = { "tex", "tld4", "suld", "sust", NULL };
    return op->kind == OP_CALL ? op->call->builtin != BUILTIN_NONE
                               : op->from->base && ptx_is_one_of(op->from->base, images);
}

static void list_one(struct registers_list *listing, const struct function *function, size_t at)
{
    static const char end[] = "ret";
    const struct op *op = &function->ops[at];
    const struct ptx_instruction *in = op->from;
    bool implicit = at == function->op_count;
    size_t from = listing->used;
    if (!implicit)
        ptx_each_read(in, list_register, listing);
    size_t reads = listing->used - from;
    if (!implicit)
        ptx_each_written(in, list_register, listing);
    bool fits = listing->used <= listing->room;
    int32_t target = op->kind == OP_BRANCH ? op->target : -1;
    listing->out[op->tally] =
        (struct sim_instruction){ .text = implicit ? "}" : in->text,
                                  .base = implicit ? end : in->base,
                                  .modifiers = in->modifiers,
                                  .modifier_count = implicit ? 0 : in->modifier_count,
                                  .function = (int)function->index,
                                  .ptx_line = in->ptx_line,
                                  .line = in->line,
                                  .access = (enum sim_access)op->access,
                                  .bytes = op->bytes,
                                  .target = target < 0 ? -1 : function->ops[target].tally,
                                  .reads = fits ? listing->registers + from : NULL,
                                  .writes = fits ? listing->registers + from + reads : NULL,
                                  .read_count = (int)reads,
                                  .write_count = (int)(listing->used - from - reads),
                                  .immediate = implicit ? -1 : constant_operand(in),
                                  .guarded = op->guarded,
                                  .outside = is_outside(op) };
}

static void list_all(struct registers_list *listing, const struct sim_module *module)
{
    listing->used = 0;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i <= module->functions[f].op_count; i++)
            list_one(listing, &module->functions[f], i);
}

static void mark_leaders(struct sim_instruction *out, const struct function *function)
{
    out[function->ops[0].tally].leads = true;
    for (size_t i = 0; i < function->op_count; i++) {
        const struct op *op = &function->ops[i];
        if (op->kind == OP_BRANCH)
            out[function->ops[op->target].tally].leads = true;
        for (int32_t k = 0; op->kind == OP_INDEXED && k < op->target_count; k++)
            out[function->ops[op->targets[k]].tally].leads = true;
        if (op->kind == OP_BRANCH || op->kind == OP_INDEXED || flow_exits(op))
            out[function->ops[i + 1].tally].leads = true;
    }
}

size_t sim_module_instructions(const struct sim_module *module, struct sim_instruction **out)
{
    // Of an instruction, on average at most: where they are more, all are listed again.
    enum { REGISTERS = 4 };
    size_t bytes = module->tally_count * sizeof **out;
    struct registers_list listing = { .used = REGISTERS * module->tally_count };
    do {
        free(listing.out);
        listing.room = listing.used;
        char *all = calloc(1, bytes + (listing.room + 1) * sizeof(int));
        *out = listing.out = (struct sim_instruction *)(void *)all;
        if (!all)
            return 0;
        listing.registers = (int *)(void *)(all + bytes);
        list_all(&listing, module);
    } while (listing.used > listing.room);
    for (size_t f = 0; f < module->function_count; f++)
        if (module->functions[f].ops)
            mark_leaders(listing.out, &module->functions[f]);
    return module->tally_count;
}
