// What an element of a buffer is: C's scalar types and CUDA's vectors of them.
#include "kernels/variant.h"

#include <string.h>

struct scalar_row {
    const char *name;   // as C writes it
    const char *vector; // what CUDA's vectors of it start with
    size_t size;
};

static const struct scalar_row rows[] = {
    [SCALAR_CHAR] = { "char", "char", 1 },
    [SCALAR_UCHAR] = { "unsigned char", "uchar", 1 },
    [SCALAR_SHORT] = { "short", "short", 2 },
    [SCALAR_INT] = { "int", "int", 4 },
    [SCALAR_UINT] = { "unsigned", "uint", 4 },
    [SCALAR_LLONG] = { "long long", "longlong", 8 },
    [SCALAR_ULLONG] = { "unsigned long long", "ulonglong", 8 },
    [SCALAR_FLOAT] = { "float", "float", 4 },
    [SCALAR_DOUBLE] = { "double", "double", 8 },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

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
    return scalar == SCALAR_FLOAT || scalar == SCALAR_DOUBLE;
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

static size_t spelled_vector(const char *text, const char *vector, int *lanes)
{
    size_t length = strlen(vector);
    if (strncmp(text, vector, length) != 0 || text[length] < '2' || text[length] > '4' ||
        byte_in_word(text[length + 1]))
        return 0;
    *lanes = text[length] - '0';
    return length + 1;
}

size_t type_parse(const char *text, struct type *out)
{
    size_t best = spelled(text, "unsigned int");
    if (best)
        *out = (struct type){ SCALAR_UINT, 1 };
    for (size_t i = 0; i < ROWS; i++) {
        int lanes = 1;
        size_t used = spelled(text, rows[i].name);
        if (!used)
            used = spelled_vector(text, rows[i].vector, &lanes);
        if (used > best) {
            best = used;
            *out = (struct type){ (enum scalar)i, lanes };
        }
    }
    return best;
}
