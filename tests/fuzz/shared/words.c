// A kernel as tokens: where each ends, and what else may take its place.
#include "tests/fuzz/shared/fuzz.h"

#include <ctype.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const types[] = { ".b8",  ".b16", ".b32",  ".b64",   ".b128", ".u8",    ".u16",
                                     ".u32", ".u64", ".s8",   ".s16",   ".s32",  ".s64",   ".f16",
                                     ".f32", ".f64", ".pred", ".f16x2", ".bf16", ".bf16x2" };
static const char *const widths[] = { ".v2", ".v4", ".v8", ".v1", ".x2", ".v3" };
static const char *const spaces[] = {
    ".global", ".shared", ".local", ".param", ".const", ".generic", ".reg"
};
static const char *const heads[] = { ".entry",         ".func",          ".visible", ".extern",
                                     ".weak",          ".align",         ".ptr",     ".maxntid",
                                     ".reqntid",       ".minnctapersm",  ".pragma",  ".noreturn",
                                     ".common",        ".file",          ".loc",     ".section",
                                     ".branchtargets", ".callprototype", ".alias",   ".target",
                                     ".version",       ".address_size" };
static const char *const modifiers[] = {
    ".lt",         ".le",       ".gt",      ".ge",      ".eq",        ".ne",
    ".lo",         ".hi",       ".ltu",     ".nan",     ".num",       ".wide",
    ".sat",        ".ftz",      ".rn",      ".rz",      ".rm",        ".rp",
    ".rni",        ".rzi",      ".approx",  ".full",    ".cc",        ".uni",
    ".sync",       ".warp",     ".aligned", ".idx",     ".up",        ".down",
    ".bfly",       ".any",      ".all",     ".ballot",  ".popc",      ".red",
    ".and",        ".or",       ".xor",     ".add",     ".min",       ".max",
    ".inc",        ".dec",      ".exch",    ".cas",     ".cta",       ".gl",
    ".sys",        ".gpu",      ".relaxed", ".acquire", ".release",   ".acq_rel",
    ".volatile",   ".nc",       ".ca",      ".cg",      ".cs",        ".lu",
    ".cv",         ".wb",       ".wt",      ".to",      ".async",     ".commit_group",
    ".wait_group", ".wait_all", ".arrive",  ".cluster", ".match_any", ".mode",
    ".clamp",      ".wrap",     ".b4e",     ".ecl",     ".rc8",       ".L1::no_allocate",
    ".L2::128B"
};
static const char *const opcodes[] = {
    "abs",     "add",  "addc",     "activemask", "and",          "atom",      "bar",
    "barrier", "bfe",  "bfi",      "bfind",      "bmsk",         "bra",       "brev",
    "brx",     "call", "clz",      "cnot",       "copysign",     "cos",       "cp",
    "cvt",     "cvta", "discard",  "div",        "dp2a",         "dp4a",      "elect",
    "ex2",     "exit", "fence",    "fma",        "fns",          "isspacep",  "ld",
    "ldu",     "lg2",  "lop3",     "mad",        "mad24",        "match",     "max",
    "membar",  "min",  "mov",      "mul",        "mul24",        "nanosleep", "neg",
    "not",     "or",   "popc",     "prefetch",   "prmt",         "rcp",       "red",
    "redux",   "rem",  "ret",      "rsqrt",      "sad",          "selp",      "set",
    "setp",    "shf",  "shfl",     "shl",        "shr",          "sin",       "slct",
    "sqrt",    "st",   "sub",      "subc",       "tanh",         "testp",     "trap",
    "vote",    "xor",  "alloca",   "stacksave",  "stackrestore", "szext",     "griddepcontrol",
    "mma",     "wmma", "ldmatrix", "stmatrix",   "movmatrix",    "mbarrier",  "vmin4",
    "vmax4"
};
static const char *const specials[] = { "%tid.x",           "%tid.y",   "%tid.z",    "%ntid.x",
                                        "%ctaid.x",         "%ctaid.y", "%nctaid.x", "%laneid",
                                        "%warpid",          "%nwarpid", "%smid",     "%lanemask_lt",
                                        "%lanemask_eq",     "%clock",   "%clock64",  "%dynamic_smem_size",
                                        "%total_smem_size", "%tid",     "%ctaid",    "%gridid" };
static const char *const numbers[] = { "0",
                                       "1",
                                       "2",
                                       "3",
                                       "4",
                                       "5",
                                       "7",
                                       "8",
                                       "12",
                                       "15",
                                       "16",
                                       "17",
                                       "24",
                                       "25",
                                       "31",
                                       "32",
                                       "33",
                                       "40",
                                       "63",
                                       "64",
                                       "127",
                                       "128",
                                       "255",
                                       "256",
                                       "512",
                                       "1000",
                                       "1023",
                                       "1024",
                                       "1025",
                                       "4096",
                                       "32767",
                                       "32768",
                                       "65535",
                                       "65536",
                                       "262144",
                                       "1048576",
                                       "16777216",
                                       "2147483647",
                                       "2147483648",
                                       "4294967295",
                                       "4294967296",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "0x7fffffffffffffff",
                                       "0xffffffff",
                                       "0x100",
                                       "0xfffffffffffffffc",
                                       "0f00000000",
                                       "0f3F800000",
                                       "0f7FC00000",
                                       "0d3FF0000000000000",
                                       "0dFFF8000000000000",
                                       "-1",
                                       "-4",
                                       "-8",
                                       "-64",
                                       "-2147483648",
                                       "-9223372036854775808",
                                       "0b1010",
                                       "017",
                                       "1U",
                                       "1.5" };

uint32_t chance_below(struct chance *chance, uint32_t count)
{
    chance->state += 0x9e3779b97f4a7c15u; // splitmix64
    uint64_t z = chance->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % count);
}

static const char *one_of(struct chance *chance, const char *const *list, size_t count)
{
    return list[chance_below(chance, (uint32_t)count)];
}

const char *type_some(struct chance *chance)
{
    return one_of(chance, types, COUNT(types));
}

void number_some(struct chance *chance, struct text *out)
{
    if (chance_below(chance, 4))
        text_add(out, one_of(chance, numbers, COUNT(numbers)));
    else
        text_addf(out, "%u", chance_below(chance, 1u << chance_below(chance, 20)));
}

// ---- tokens ---------------------------------------------------------------------------------------------------

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static size_t blank_length(const char *at, size_t left)
{
    size_t i = 0;
    while (i < left && isspace((unsigned char)at[i]))
        i++;
    if (i || left < 2 || at[0] != '/')
        return i;
    if (at[1] == '/' && !(left > 2 && (at[2] == '@' || at[2] == ':'))) { // those lines are words for us
        while (i < left && at[i] != '\n')
            i++;
    } else if (at[1] == '*') {
        const char *end = memmem(at + 2, left - 2, "*/", 2);
        i = end ? (size_t)(end - at) + 2 : left;
    }
    return i;
}

static enum token_kind kind_of(const char *at, size_t left)
{
    char next = left > 1 ? at[1] : 0;
    if (*at == '.' && (isalpha((unsigned char)next) || next == '_'))
        return TOKEN_DOT;
    if (*at == '%' && in_name(next))
        return TOKEN_REGISTER;
    if (isdigit((unsigned char)*at))
        return TOKEN_NUMBER;
    return in_name(*at) ? TOKEN_NAME : TOKEN_SIGN;
}

struct token token_next(const char *text, size_t length, size_t at)
{
    if (at >= length)
        return (struct token){ .at = at };
    size_t left = length - at, used = blank_length(text + at, left);
    if (used)
        return (struct token){ TOKEN_BLANK, at, used };
    enum token_kind kind = kind_of(text + at, left);
    used = 1;
    while (kind != TOKEN_SIGN && used < left &&
           (in_name(text[at + used]) || (kind == TOKEN_REGISTER && text[at + used] == '.')))
        used++;
    return (struct token){ kind, at, used };
}

struct token token_pick(struct chance *chance, const struct text *kernel, enum token_kind kind)
{
    struct token picked = { 0 };
    uint32_t seen = 0;
    for (struct token t = token_next(kernel->data, kernel->length, 0); t.length;
         t = token_next(kernel->data, kernel->length, t.at + t.length))
        if (t.kind == kind && !chance_below(chance, ++seen))
            picked = t;
    return picked;
}

// ---- instead ---------------------------------------------------------------------------------------------------

static bool is_in(const struct text *kernel, struct token token, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == token.length && !memcmp(list[i], kernel->data + token.at, token.length))
            return true;
    return false;
}

static const char *dot_instead(struct chance *chance, const struct text *kernel, struct token token)
{
    static const struct {
        const char *const *list;
        size_t count;
    } classes[] = { { types, COUNT(types) },
                    { widths, COUNT(widths) },
                    { spaces, COUNT(spaces) },
                    { heads, COUNT(heads) },
                    { modifiers, COUNT(modifiers) } };
    size_t found = chance_below(chance, COUNT(classes));
    for (size_t i = 0; i < COUNT(classes) && chance_below(chance, 16); i++)
        if (is_in(kernel, token, classes[i].list, classes[i].count))
            found = i;
    return one_of(chance, classes[found].list, classes[found].count);
}

static void same_kind(struct chance *chance, const struct text *kernel, enum token_kind kind,
                      struct text *out)
{
    struct token other = token_pick(chance, kernel, kind);
    text_add_n(out, kernel->data + other.at, other.length);
}

static void number_instead(struct chance *chance, const struct text *kernel, struct token token,
                           struct text *out)
{
    unsigned long long value = 0;
    char digits[24];
    format_into(digits, sizeof digits, "%.*s", (int)token.length, kernel->data + token.at);
    for (const char *c = digits; isdigit((unsigned char)*c); c++)
        value = value * 10 + (unsigned)(*c - '0');
    switch (chance_below(chance, 6)) {
    case 0:
        text_addf(out, "%llu", value + 1);
        break;
    case 1:
        text_addf(out, "%llu", value - (value > 0));
        break;
    case 2:
        text_addf(out, "%llu", value * 2);
        break;
    default:
        number_some(chance, out);
    }
}

void token_instead(struct chance *chance, const struct text *kernel, struct token token, struct text *out)
{
    switch (token.kind) {
    case TOKEN_DOT:
        text_add(out, dot_instead(chance, kernel, token));
        break;
    case TOKEN_REGISTER:
        if (!chance_below(chance, 8))
            text_add(out, "_");
        else if (!chance_below(chance, 8))
            text_add(out, one_of(chance, specials, COUNT(specials)));
        else
            same_kind(chance, kernel, TOKEN_REGISTER, out);
        break;
    case TOKEN_NUMBER:
        number_instead(chance, kernel, token, out);
        break;
    case TOKEN_NAME:
        if (is_in(kernel, token, opcodes, COUNT(opcodes)) && chance_below(chance, 8))
            text_add(out, one_of(chance, opcodes, COUNT(opcodes)));
        else
            same_kind(chance, kernel, TOKEN_NAME, out);
        break;
    default:
        same_kind(chance, kernel, TOKEN_SIGN, out);
    }
}
