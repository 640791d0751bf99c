// Between variant.c, which finds the `//@` lines of a file, directive.c, which reads one of them, and check.c,
// which looks whether they fit the code and each other.
#ifndef WARPBOOK_DIRECTIVE_H
#define WARPBOOK_DIRECTIVE_H

#include "kernels/variant.h"

// Reads the directive whose word starts at or behind `at` into the variant. After an error, what was read of it
// is in the variant too, for variant_free.
bool directive_parse(struct variant *variant, const char *at, struct error *error);

bool variant_check(const struct variant *variant, struct error *error);

#endif
