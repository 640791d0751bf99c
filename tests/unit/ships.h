// Whether PTX ships for a kernel, without a compiler being asked: what the tests of compiling and of assets/ptx share.
#ifndef WARPBOOK_TESTS_UNIT_SHIPS_H
#define WARPBOOK_TESTS_UNIT_SHIPS_H

#include "engine/compile/parts.h"

static inline bool ships(const char *file, const char *source)
{
    struct compile_request request = { .file = file, .source = source, .target = 90 };
    struct compiled out;
    struct error error;
    bool made = shipped_compile(&request, &out, &error) == OUTCOME_MADE;
    compiled_free(&out);
    return made;
}

#endif
