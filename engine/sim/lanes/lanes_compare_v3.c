// The handlers of lanes_compare.c once more, for processors with AVX2 and FMA.
#define LANES_V3
#include "engine/sim/lanes/lanes.h"

#ifndef __clang_analyzer__                  // it looks at lanes_compare.c itself
#include "engine/sim/lanes/lanes_compare.c" // NOLINT(bugprone-suspicious-include)
#endif
LANES_END
