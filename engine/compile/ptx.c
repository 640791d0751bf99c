// What PTX says of its kernels: which entries there are, and what parameters they take. A scan for the few
// words that matter, not a parser; it trusts nothing to be complete.
#include "engine/compile/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static bool in_comment(const char *start, const char *at)
{
    while (at > start && at[-1] != '\n')
        if (*--at == '/')
            return true;
    return false;
}

// The name behind the next ".entry", or NULL. `ptx` is where the text begins.
static const char *entry_next(const char *ptx, const char *at)
{
    while ((at = strstr(at, ".entry"))) {
        const char *word = at;
        at += strlen(".entry");
        if (isspace((unsigned char)*at) && !in_comment(ptx, word))
            return skip_blanks(at);
    }
    return NULL;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_name(at[length]))
        length++;
    return length;
}

// C++ writes the name of a function f(int) as _Z1fi and that of a template f<int> as _Z1fIi….
bool kernel_is(const char *entry, size_t length, const char *name)
{
    size_t wanted = strlen(name);
    if (!wanted)
        return false;
    if (length == wanted && !memcmp(entry, name, wanted))
        return true;
    char prefix[32];
    format_into(prefix, sizeof prefix, "_Z%zu", wanted);
    size_t before = strlen(prefix);
    return length > before + wanted && !memcmp(entry, prefix, before) &&
           !memcmp(entry + before, name, wanted);
}

bool ptx_entry_find(const char *ptx, const char *name, char *out, size_t size)
{
    for (const char *at = entry_next(ptx, ptx); at; at = entry_next(ptx, at)) {
        size_t length = name_length(at);
        if (kernel_is(at, length, name) && length < size) {
            memcpy(out, at, length);
            out[length] = 0;
            return true;
        }
    }
    return false;
}

// Reads a positive number; 0 when there is none or it is absurd.
static size_t number_read(const char *at)
{
    char *end;
    if (!isdigit((unsigned char)*at))
        return 0;
    unsigned long value = strtoul(at, &end, 10);
    return value <= 1 << 20 ? value : 0;
}

// The size in bytes of a type such as ".u64" or ".b8"; 0 for a word that is no type.
static size_t type_bytes(const char *word, size_t length)
{
    if (length < 3 || !strchr("usbf", word[1]))
        return 0;
    switch (number_read(word + 2)) {
    case 8:
        return 1;
    case 16:
        return 2;
    case 32:
        return 4;
    case 64:
        return 8;
    default:
        return 0;
    }
}

// One parameter, as ".param .align 16 .b8 NAME[16]" or ".param .u64 .ptr .global .align 4 NAME".
static struct ptx_parameter parameter_read(const char *at, const char *end)
{
    struct ptx_parameter parameter = { 0 };
    size_t align = 0;
    bool pointer = false;
    while (at < end) {
        size_t length = name_length(at);
        size_t bytes = type_bytes(at, *at == '.' ? length : 0);
        if (bytes && !parameter.size) {
            parameter.size = bytes;
            parameter.real = at[1] == 'f';
        } else if (length == 4 && !memcmp(at, ".ptr", 4)) {
            pointer = true; // the alignment that follows is that of what it points to
        } else if (length == 6 && !memcmp(at, ".align", 6) && !pointer) {
            align = number_read(skip_blanks(at + length));
        } else if (*at == '[') {
            parameter.size *= number_read(skip_blanks(at + 1));
        }
        at += length ? length : 1;
    }
    parameter.align = align ? align : parameter.size;
    return parameter;
}

int ptx_parameters(const char *ptx, const char *entry, struct ptx_parameter *out, int room)
{
    size_t wanted = strlen(entry);
    const char *at = entry_next(ptx, ptx);
    while (at && (name_length(at) != wanted || memcmp(at, entry, wanted)))
        at = entry_next(ptx, at);
    if (!at)
        return -1;
    at = skip_blanks(at + wanted);
    if (*at != '(')
        return 0;
    const char *close = strchr(at, ')');
    int count = 0;
    while (close && at < close && count <= room) {
        const char *end = memchr(at + 1, ',', (size_t)(close - at - 1));
        if (!end)
            end = close;
        struct ptx_parameter parameter = parameter_read(at + 1, end);
        if (parameter.size && count < room)
            out[count] = parameter;
        count += parameter.size != 0;
        at = end;
    }
    return count;
}
