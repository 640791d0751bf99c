// What judge.c and its parts share.
#ifndef WARPBOOK_JUDGE_H
#define WARPBOOK_JUDGE_H

#include "lessons/lessons.h"

enum { JUDGE_LIMIT_MS = 20000 };

// ---- judge_keep.c ---------------------------------------------------------------------------------

// False: something is not as in the shipped text that has to be, as `keep` and `may` say; `out` says what.
bool judge_kept(const struct live *live, const char *shipped, const char *answer, struct text *out);
// The text has a kernel of this name.
bool judge_has_kernel(const char *text, const char *kernel);

// ---- judge_budget.c -------------------------------------------------------------------------------

// False: a budget does not hold for this run, and `out` says which.
bool judge_budgets(const struct live *live, const struct record *record, struct text *out);

#endif
