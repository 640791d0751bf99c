// Which registers an instruction reads and which it writes, whatever it does with them.
#include "engine/sim/ptx/ptx.h"

#include <string.h>

bool ptx_writes_first(const struct ptx_instruction *in)
{
    static const char *const none[] = { "st",        "st_async", "red",       "bra",     "brx",
                                        "call",      "ret",      "exit",      "trap",    "membar",
                                        "fence",     "cp",       "bar",       "barrier", "prefetch",
                                        "prefetchu", "discard",  "nanosleep", NULL };
    if (!in->base || !in->operand_count || in->operands[0].kind == OPERAND_MEMORY)
        return false;
    return !ptx_is_one_of(in->base, none) || (strncmp(in->base, "bar", 3) == 0 && ptx_has(in, "red"));
}

static void each(const struct ptx_operand *operand, ptx_visit visit, void *context)
{
    if ((operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_MEMORY) && operand->reg >= 0)
        visit(context, operand->reg);
    for (int i = 0; i < operand->part_count; i++)
        each(&operand->parts[i], visit, context);
}

void ptx_each_read(const struct ptx_instruction *in, ptx_visit visit, void *context)
{
    for (int i = ptx_writes_first(in) ? 1 : 0; i < in->operand_count; i++)
        each(&in->operands[i], visit, context);
    for (int i = 0; i < in->call_argument_count; i++)
        each(&in->call_arguments[i], visit, context);
    if (in->guard >= 0)
        visit(context, in->guard);
}

void ptx_each_written(const struct ptx_instruction *in, ptx_visit visit, void *context)
{
    if (ptx_writes_first(in))
        each(&in->operands[0], visit, context);
    for (int i = 0; i < in->call_return_count; i++)
        each(&in->call_returns[i], visit, context);
}
