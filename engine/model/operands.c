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

// Most modifiers are no types. Each is looked at several times for each instruction, which is why there is no table.
static char kind_of(const char *type)
{
    const char *width = type + 1;
    const bool short_one = type[0] && (is_word(width, "32") || is_word(width, "16") || is_word(width, "8"));
    switch (type[0]) {
    case 'u':
    case 's':
        return short_one ? 'i' : is_word(width, "64") ? 'l' : 0;
    case 'b':
        return short_one                                          ? 'i'
               : is_word(width, "64") || is_word(width, "128")    ? 'l'
               : is_word(width, "f16") || is_word(width, "f16x2") ? 'h'
                                                                  : 0;
    case 'f':
        return is_word(width, "32")                             ? 'f'
               : is_word(width, "64")                           ? 'd'
               : is_word(width, "16") || is_word(width, "16x2") ? 'h'
                                                                : 0;
    case 'p':
        return is_word(type, "pred") ? 'p' : 0;
    case 't':
        return is_word(type, "tf32") ? 'f' : 0;
    default:
        return 0;
    }
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
