// What judge.c and judge_flags.c share.
#ifndef WARPBOOK_JUDGE_H
#define WARPBOOK_JUDGE_H

#include "lessons/lessons.h"

enum { JUDGE_LIMIT_MS = 20000 };

#endif
