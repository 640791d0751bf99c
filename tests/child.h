// Another program as tests and benches start it, with what it printed; and what stands in for a worker says first.
#ifndef WARPBOOK_TESTS_CHILD_H
#define WARPBOOK_TESTS_CHILD_H

#include "engine/base/base.h"

// What a worker says first; a line of shell that says it when it was asked to, and leaves the first request to be read.
#define GREETING "{\"warpbook\":1,\"hello\":{}}"
#define GREETS "read -r hello; echo '" GREETING "'; "

// Runs argv with `input` on its stdin and waits, as child_run_on does: bound to the thread that waits, never stopped.
static inline bool child_run(const char *const *argv, const char *input, size_t input_length, int limit_ms,
                             struct child_result *result, struct error *error)
{
    return child_run_on(argv, &(struct child_terms){ .bound = true }, input, input_length, limit_ms, NULL,
                        result, error);
}

#endif
