// Small allocations that never fail, and the one way an array grows.
#include "engine/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (!memory) {
        fputs("warpbook: There is no memory left here. Free some, or raise the limit (ulimit -v).\n", stderr);
        exit(EXIT_MISSING);
    }
    return memory;
}

void *mem_new(size_t size)
{
    return must(calloc(1, size ? size : 1));
}

char *mem_copy(const char *string)
{
    return must(strdup(string));
}

char *mem_copy_n(const char *bytes, size_t length)
{
    char *copy = mem_new(length + 1);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

char *mem_copy_if(const char *string)
{
    return string ? mem_copy(string) : NULL;
}

// Room is always a power of two, at least 4, so the count alone tells when it is full.
void *array_room(void *items, size_t count, size_t item_size)
{
    bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    if (!full)
        return items;
    size_t room = count < 4 ? 4 : 2 * count;
    return must(realloc(items, room * item_size));
}
