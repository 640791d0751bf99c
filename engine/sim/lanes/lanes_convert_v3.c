// The handlers of lanes_convert.c once more, for processors with AVX2 and FMA.
#define LANES_V3
#include "engine/sim/lanes/lanes.h"

#ifndef __clang_analyzer__                  // it looks at lanes_convert.c itself
#include "engine/sim/lanes/lanes_convert.c" // NOLINT(bugprone-suspicious-include)
#endif
LANES_END
