// Types of elements: C's scalars and CUDA's vectors of them. A structure is laid out in layout.c.
#include "kernels/variant.h"

#include <string.h>

struct scalar_row {
    const char *name;   // as C writes it
    const char *vector; // what CUDA's vectors of it start with; NULL: there are none
    size_t size;
    int digits; // of decimals; 0: a whole number
    int widest; // the most lanes of a vector
};

static const struct scalar_row rows[] = {
    [SCALAR_CHAR] = { "char", "char", 1, 0, 4 },
    [SCALAR_UCHAR] = { "unsigned char", "uchar", 1, 0, 4 },
    [SCALAR_SHORT] = { "short", "short", 2, 0, 4 },
    [SCALAR_USHORT] = { "unsigned short", "ushort", 2, 0, 4 },
    [SCALAR_INT] = { "int", "int", 4, 0, 4 },
    [SCALAR_UINT] = { "unsigned", "uint", 4, 0, 4 },
    [SCALAR_LLONG] = { "long long", "longlong", 8, 0, 4 },
    [SCALAR_ULLONG] = { "unsigned long long", "ulonglong", 8, 0, 4 },
    [SCALAR_FLOAT] = { "float", "float", 4, 9, 4 },
    [SCALAR_DOUBLE] = { "double", "double", 8, 17, 4 },
    [SCALAR_HALF] = { "__half", "__half", 2, 5, 2 },
    [SCALAR_BFLOAT16] = { "__nv_bfloat16", "__nv_bfloat16", 2, 4, 2 },
    [SCALAR_E4M3] = { "__nv_fp8_e4m3", NULL, 1, 3, 1 },
    [SCALAR_E5M2] = { "__nv_fp8_e5m2", NULL, 1, 3, 1 },
    [SCALAR_STRUCTURE] = { "", NULL, 1, 0, 0 }, // of so many lanes as it has bytes
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// Other names that C and CUDA have for some of them, on the systems where CUDA runs.
static const struct type_alias {
    const char *name;
    struct type type;
    bool another; // to C it is a type of its own
} aliases[] = {
    { "unsigned int", { SCALAR_UINT, 1 }, false },
    { "uint", { SCALAR_UINT, 1 }, false },
    { "uchar", { SCALAR_UCHAR, 1 }, false },
    { "ushort", { SCALAR_USHORT, 1 }, false },
    { "signed char", { SCALAR_CHAR, 1 }, true },
    { "bool", { SCALAR_UCHAR, 1 }, true },
    { "long", { SCALAR_LLONG, 1 }, true },
    { "unsigned long", { SCALAR_ULLONG, 1 }, true },
    { "size_t", { SCALAR_ULLONG, 1 }, true },
    { "int8_t", { SCALAR_CHAR, 1 }, true },
    { "uint8_t", { SCALAR_UCHAR, 1 }, false },
    { "int16_t", { SCALAR_SHORT, 1 }, false },
    { "uint16_t", { SCALAR_USHORT, 1 }, false },
    { "int32_t", { SCALAR_INT, 1 }, false },
    { "uint32_t", { SCALAR_UINT, 1 }, false },
    { "int64_t", { SCALAR_LLONG, 1 }, true },
    { "uint64_t", { SCALAR_ULLONG, 1 }, true },
    { "half", { SCALAR_HALF, 1 }, false },
    { "half2", { SCALAR_HALF, 2 }, false },
    { "nv_bfloat16", { SCALAR_BFLOAT16, 1 }, false },
    { "nv_bfloat162", { SCALAR_BFLOAT16, 2 }, false },
};

size_t scalar_size(enum scalar scalar)
{
    return rows[scalar].size;
}

size_t type_size(struct type type)
{
    return rows[type.scalar].size * (size_t)type.lanes;
}

void type_write(struct type type, struct text *out)
{
    if (type.lanes > 1)
        text_addf(out, "%s%d", rows[type.scalar].vector, type.lanes);
    else
        text_add(out, rows[type.scalar].name);
}

bool scalar_is_real(enum scalar scalar)
{
    return rows[scalar].digits > 0;
}

int scalar_digits(enum scalar real)
{
    return rows[real].digits;
}

// The bytes of `text` that spell `name`, with any number of blanks for each of its blanks; 0 if it does not.
static size_t spelled(const char *text, const char *name)
{
    const char *at = text;
    for (; *name; name++) {
        if (*name != ' ') {
            if (*at++ != *name)
                return 0;
            continue;
        }
        size_t blanks = strspn(at, " \t");
        if (!blanks)
            return 0;
        at += blanks;
    }
    return byte_in_word(*at) ? 0 : (size_t)(at - text);
}

static size_t spelled_vector(const char *text, const struct scalar_row *row, int *lanes)
{
    size_t length = row->vector ? strlen(row->vector) : 0;
    if (!length || strncmp(text, row->vector, length) != 0 || text[length] < '2' ||
        text[length] > '0' + row->widest || byte_in_word(text[length + 1]))
        return 0;
    *lanes = text[length] - '0';
    return length + 1;
}

// The longest name that is spelled there, so that "unsigned" is not read of "unsigned short".
static const struct type_alias *find_alias(const char *text, size_t *used)
{
    const struct type_alias *found = NULL;
    *used = 0;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        size_t length = spelled(text, aliases[i].name);
        if (length > *used) {
            *used = length;
            found = &aliases[i];
        }
    }
    return found;
}

size_t type_parse(const char *text, struct type *out)
{
    size_t best;
    const struct type_alias *alias = find_alias(text, &best);
    if (alias)
        *out = alias->type;
    for (size_t i = 0; i < ROWS; i++) {
        int lanes = 1;
        size_t used = spelled(text, rows[i].name);
        if (!used)
            used = spelled_vector(text, &rows[i], &lanes);
        if (used > best) {
            best = used;
            *out = (struct type){ (enum scalar)i, lanes };
        }
    }
    return best;
}

bool type_is_another(const char *text)
{
    struct type type;
    size_t used;
    const struct type_alias *alias = find_alias(text, &used);
    return alias && used == type_parse(text, &type) && alias->another;
}
