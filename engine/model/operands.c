// The operands of an instruction, read from its text: what the list of its registers does not say.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/assembler.h"

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *past_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

static const char *past_word(const char *at)
{
    while (*at && !is_blank(*at) && *at != ';')
        at++;
    return past_blanks(at);
}

void operands_read(const struct sim_instruction *in, struct operands *out)
{
    const char *at = past_blanks(in->text);
    *out = (struct operands){ 0 };
    if (*at == '@')
        at = past_word(at);
    at = past_word(at);
    int depth = 0;
    while (*at && *at != ';' && out->count < OPERANDS_MOST) {
        const char *from = past_blanks(at);
        for (at = from; *at && *at != ';' && (depth || *at != ','); at++)
            depth += (*at == '[' || *at == '{' || *at == '(') - (*at == ']' || *at == '}' || *at == ')');
        const char *to = at;
        while (to > from && is_blank(to[-1]))
            to--;
        if (to > from) {
            out->item[out->count].at = from;
            out->item[out->count++].length = (int)(to - from);
        }
        at += *at == ',';
    }
}

bool operands_modified(const struct sim_instruction *in, const char *modifier)
{
    for (int i = 0; i < in->modifier_count; i++)
        if (is_word(in->modifiers[i], modifier))
            return true;
    return false;
}

bool operands_constant(const struct operands *operands, int which, long long *out)
{
    if (which < 0 || which >= operands->count)
        return false;
    const char *at = operands->item[which].at;
    if (!isdigit((unsigned char)*at) && *at != '-')
        return false;
    if (at[0] == '0' && at[1] && strchr("fFdD", at[1])) {
        *out = (long long)strtoull(at + 2, NULL, 16);
        return true;
    }
    *out = *at == '-' ? strtoll(at, NULL, 0) : (long long)strtoull(at, NULL, 0);
    return true;
}

static char kind_of(const char *type)
{
    static const struct {
        const char *type;
        char kind;
    } kinds[] = {
        { "u32", 'i' },    { "s32", 'i' }, { "b32", 'i' },  { "f32", 'f' },  { "u64", 'l' },
        { "s64", 'l' },    { "b64", 'l' }, { "pred", 'p' }, { "f64", 'd' },  { "f16", 'h' },
        { "f16x2", 'h' },  { "u16", 'i' }, { "s16", 'i' },  { "b16", 'i' },  { "u8", 'i' },
        { "s8", 'i' },     { "b8", 'i' },  { "b128", 'l' }, { "tf32", 'f' }, { "bf16", 'h' },
        { "bf16x2", 'h' },
    };
    if (!strchr("usbfpt", type[0])) // most modifiers are no types
        return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_word(type, kinds[i].type))
            return kinds[i].kind;
    return 0;
}

char operands_kind(const struct sim_instruction *in, int before)
{
    for (int i = in->modifier_count; i-- > 0;) {
        char kind = kind_of(in->modifiers[i]);
        if (kind && before-- == 0)
            return kind;
    }
    return 0;
}

bool operands_signed(const struct sim_instruction *in)
{
    for (int i = in->modifier_count; i-- > 0;)
        if (kind_of(in->modifiers[i]))
            return in->modifiers[i][0] == 's';
    return false;
}
