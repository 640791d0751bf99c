// What a kernel's name in PTX was in CUDA C.
#include "engine/compile/compile.h"

#include <string.h>

// C++ writes `saxpy` as _Z5saxpy…, inside namespaces as _ZN…5saxpyE….
bool entry_is(const char *entry, const char *name)
{
    char counted[256];
    format_into(counted, sizeof counted, "%zu%s", strlen(name), name);
    if (!*name)
        return false;
    if (strcmp(entry, name) == 0)
        return true;
    if (!string_starts(entry, "_Z") || strlen(name) > 200)
        return false;
    const char *at = entry[2] == 'N' ? strstr(entry, counted) : entry + 2;
    return at && string_starts(at, counted);
}
