// A kernel file as a whole host program: `main`, the lab's input and right answer, the launches, times, a check.
// It needs the CUDA Toolkit and nothing of warpbook.
#ifndef WARPBOOK_EXPORT_H
#define WARPBOOK_EXPORT_H

#include "engine/run/run.h"
#include "kernels/variant.h"

// The request gives lab, size and data, as of a run on the GPU; the variant is its kernel. `name` is what the program
// calls itself in its opening comment: "shared.cu".
bool export_program(const struct variant *variant, const struct request *request, const char *name,
                    struct text *out, struct error *error);
// "shared.cu" of histogram/3-shared; the caller frees.
char *export_name(const struct variant *variant);

#endif
