// Questions about parsed PTX: types, modifiers, spaces, and which registers an instruction reads and writes.
#include "engine/sim/ptx/ptx.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned bytes;
} types[TYPE_COUNT] = {
    [TYPE_NONE] = { "", 0 },         [TYPE_PRED] = { "pred", 1 },   [TYPE_B8] = { "b8", 1 },
    [TYPE_B16] = { "b16", 2 },       [TYPE_B32] = { "b32", 4 },     [TYPE_B64] = { "b64", 8 },
    [TYPE_B128] = { "b128", 16 },    [TYPE_U8] = { "u8", 1 },       [TYPE_U16] = { "u16", 2 },
    [TYPE_U32] = { "u32", 4 },       [TYPE_U64] = { "u64", 8 },     [TYPE_S8] = { "s8", 1 },
    [TYPE_S16] = { "s16", 2 },       [TYPE_S32] = { "s32", 4 },     [TYPE_S64] = { "s64", 8 },
    [TYPE_F16] = { "f16", 2 },       [TYPE_F16X2] = { "f16x2", 4 }, [TYPE_BF16] = { "bf16", 2 },
    [TYPE_BF16X2] = { "bf16x2", 4 }, [TYPE_F32] = { "f32", 4 },     [TYPE_F64] = { "f64", 8 },
};

unsigned type_bytes(enum ptx_type type)
{
    return (unsigned)type < TYPE_COUNT ? types[type].bytes : 0;
}

enum ptx_type type_from_name(const char *name)
{
    for (int type = TYPE_NONE + 1; type < TYPE_COUNT; type++)
        if (strcmp(types[type].name, name) == 0)
            return (enum ptx_type)type;
    return TYPE_NONE;
}

bool ptx_has(const struct ptx_instruction *instruction, const char *modifier)
{
    for (int i = 0; i < instruction->modifier_count; i++)
        if (strcmp(instruction->modifiers[i], modifier) == 0)
            return true;
    return false;
}

bool ptx_is_one_of(const char *base, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(base, *names) == 0)
            return true;
    return false;
}

static bool starts(const char *text, const char *with)
{
    size_t length = strlen(with);
    return strncmp(text, with, length) == 0 && (text[length] == 0 || text[length] == ':');
}

enum ptx_space ptx_space_of(const struct ptx_instruction *in)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = { { "param", SPACE_PARAM },
                   { "global", SPACE_GLOBAL },
                   { "const", SPACE_CONST },
                   { "shared", SPACE_SHARED },
                   { "local", SPACE_LOCAL } };
    for (int i = 0; i < in->modifier_count; i++)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
            if (starts(in->modifiers[i], spaces[k].name))
                return spaces[k].space;
    return SPACE_GENERIC;
}

unsigned ptx_parts_of(const struct ptx_instruction *in)
{
    return ptx_has(in, "v2") ? 2 : ptx_has(in, "v4") ? 4 : ptx_has(in, "v8") ? 8 : 1;
}

// ---- registers that are read and written -------------------------------------------------------

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
