// Finds an instruction's handler and the rows of its operands in the tables of the lanes_*.c.
#include "engine/sim/lanes/lanes.h"

#include <stdlib.h>

atomic_int lanes_widest = BUILD_V4;

// What the Makefile's flags allow the compiler to use; the operating system saves its registers.
static enum build of_processor(void)
{
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return BUILD_ANY;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
               ? BUILD_V4
               : BUILD_V3;
#else
    return BUILD_ANY;
#endif
}

enum build lanes_build(void)
{
    const char *narrow = getenv("WARPBOOK_SIM_BASELINE");
    const enum build asked = !narrow ? BUILD_V4 : strcmp(narrow, "avx2") ? BUILD_ANY : BUILD_V3;
    const enum build allowed = (enum build)lanes_widest < asked ? (enum build)lanes_widest : asked;
    const enum build there = of_processor();
    return there < allowed ? there : allowed;
}

static bool listed(const char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (!strcmp(*list, word))
            return true;
    return false;
}

// If `word` is the first dotted part of `name`, returns the rest after the dot, else NULL.
static const char *past(const char *name, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(name, word, length) || (name[length] && name[length] != '.'))
        return NULL;
    return name + length + (name[length] == '.');
}

static bool named(const struct ptx_instruction *in, const char *name, const char *const *skip)
{
    name = past(name, in->base);
    for (int i = 0; name && i < in->modifier_count; i++)
        if (!listed(skip, in->modifiers[i]))
            name = *name ? past(name, in->modifiers[i]) : NULL;
    return name && !*name;
}

static const struct lanes_row *find_row(const struct ptx_instruction *in, const struct lanes_row *rows,
                                        const char *const *skip)
{
    for (; rows->name; rows++)
        if (named(in, rows->name, skip))
            return rows;
    return NULL;
}

const struct lanes_row *lanes_find(const struct ptx_instruction *in, const struct lanes_row *rows)
{
    return find_row(in, rows, NULL);
}

static enum ptx_type doubled(enum ptx_type type)
{
    switch (type) {
    case TYPE_U16:
        return TYPE_U32;
    case TYPE_S16:
        return TYPE_S32;
    case TYPE_U32:
        return TYPE_U64;
    case TYPE_S32:
        return TYPE_S64;
    default:
        return TYPE_NONE;
    }
}

// Row 0 belongs to no register, but is valid for a missing operand; so the result says whether it succeeded.
static bool operand_row(struct decoding *d, const struct ptx_operand *operand, char letter, bool first,
                        row *at)
{
    const struct ptx_instruction *in = d->in;
    enum ptx_type type = in->type_count > 0 ? in->types[0] : TYPE_B32;
    if (letter == 'p' && first && operand->negated)
        return decode_fails(d, "this predicate cannot be negated");
    if (letter == 'p')
        *at = decode_predicate(d, operand);
    else {
        type = letter == 'w' ? doubled(type) : letter == 'u' ? TYPE_U32 : letter == 's' ? in->types[1] : type;
        *at = first ? decode_destination(d, operand, type) : decode_value(d, operand, type);
    }
    return *at || !d->trouble;
}

bool lanes_operands(struct decoding *d, struct op *out, const char *shape)
{
    row *const rows[] = { &out->d, &out->a, &out->b, &out->c, &out->e };
    if (d->in->operand_count != (int)strlen(shape))
        return decode_fails(d, "it has the wrong number of operands");
    for (int i = 0; shape[i]; i++)
        if (!operand_row(d, &d->in->operands[i], shape[i], !i, rows[i]))
            return false;
    return true;
}

bool lanes_take(struct decoding *d, struct op *out, const struct lanes_row *rows, const char *const *skip)
{
    const struct lanes_row *found = find_row(d->in, rows, skip);
    if (!found)
        return decode_fails(d, "this form of it is not known");
    out->run = found->run;
    return lanes_operands(d, out, found->shape);
}

int lanes_rounding(const struct ptx_instruction *in)
{
    static const struct {
        const char *name;
        int mode;
    } modes[] = { { "rz", FE_TOWARDZERO }, { "rm", FE_DOWNWARD }, { "rp", FE_UPWARD } };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (ptx_has(in, modes[i].name))
            return modes[i].mode;
    return FE_TONEAREST;
}
