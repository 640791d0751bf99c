// How large an element of a block is, as the program's source has it: by the sizeof in the call that takes the block, or else
// by the declaration of the pointer that gets it.
#include "engine/exec/exec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Words of C from `at` up to `end`, without blanks around them. 0: not a type of the language or of CUDA.
static size_t size_of_type(const char *at, const char *end)
{
    static const struct {
        size_t bytes;
        const char *names[18]; // up to a NULL
    } sizes[] = {
        { 1, { "char", "unsigned char", "signed char", "uchar", "uint8_t", "int8_t", "bool" } },
        { 2,
          { "short", "unsigned short", "ushort", "uint16_t", "int16_t", "half", "__half", "__nv_bfloat16" } },
        { 4,
          { "float", "int", "unsigned", "unsigned int", "uint", "uint32_t", "int32_t", "uchar4", "char4",
            "half2", "__half2" } },
        { 8,
          { "double", "long", "unsigned long", "long long", "unsigned long long", "long long int", "size_t",
            "uint64_t", "int64_t", "float2", "int2", "uint2", "cuComplex", "cufftComplex" } },
        { 12, { "float3", "int3", "uint3" } },
        { 16, { "float4", "int4", "uint4", "double2" } },
    };
    static const char *const before[] = { "const ", "static ", "extern ", "__device__ " };
    while (at < end && isspace((unsigned char)*at))
        at++;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(at, before[i], strlen(before[i])) == 0)
            return size_of_type(at + strlen(before[i]), end);
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (const char *const *name = sizes[i].names; *name; name++)
            if (strlen(*name) == (size_t)(end - at) && memcmp(*name, at, (size_t)(end - at)) == 0)
                return sizes[i].bytes;
    return 0;
}

static size_t size_in_call(const char *line)
{
    size_t found = 0;
    for (const char *at = line; !found && (at = strstr(at, "sizeof")) != NULL;) {
        at += strlen("sizeof");
        at += strspn(at, " (");
        found = size_of_type(at, at + strcspn(at, ")*"));
    }
    return found;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Of `double *a, *b` and of `float *a, double *b`, where `star` is the last one. 0: it is something else.
static size_t size_before(const char *line, const char *star)
{
    const char *statement = star, *own = star;
    while (statement > line && !strchr(";{(", statement[-1]))
        statement--;
    while (own > statement && own[-1] != ',')
        own--;
    if (own + strspn(own, " \t") == star) // the type stands before the first star
        return size_of_type(statement, statement + strcspn(statement, "*"));
    return size_of_type(own, star);
}

// Where the line declares a pointer of this name.
static size_t size_in_declaration(const char *line, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)) != NULL; at += length) {
        const char *star = at;
        while (star > line && isspace((unsigned char)star[-1]))
            star--;
        if (is_word(at[length]) || star == line || star[-1] != '*')
            continue;
        size_t bytes = size_before(line, star - 1);
        if (bytes)
            return bytes;
    }
    return 0;
}

// The nearest one at or above the place.
static size_t size_declared(const struct exec_place *place, const char *name)
{
    char line[1024];
    size_t found = 0;
    FILE *file = place->line && *name ? fopen(place->file, "re") : NULL;
    for (int i = 1; file && i <= place->line && fgets(line, sizeof line, file);) {
        size_t bytes = size_in_declaration(line, name);
        found = bytes ? bytes : found;
        i += strchr(line, '\n') != NULL;
    }
    if (file)
        fclose(file);
    return found;
}

size_t element_of(const struct exec_place *place, const char *call, const char *name, size_t bytes)
{
    const char *member = strrchr(name, '.'), *arrow = strrchr(name, '>');
    name = arrow && (!member || arrow > member) ? arrow + 1 : member ? member + 1 : name;
    size_t size = size_in_call(call);
    if (!size)
        size = size_declared(place, name);
    if (size && bytes % size == 0)
        return size;
    return bytes % 4 ? 1 : 4;
}
