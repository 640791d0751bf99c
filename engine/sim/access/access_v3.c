// The memory instructions once more, for processors with AVX2: the same files,
// compiled with names of their own.
#define LANES_V3
#include "engine/sim/lanes/lanes.h"

#define pattern_global pattern_global_v3
#define pattern_shared pattern_shared_v3
#define pattern_round pattern_round_v3
#define pattern_local pattern_local_v3
#define reach_find reach_find_v3
#define reach_addresses reach_addresses_v3
#define reach_space reach_space_v3
#define access_launch_bytes access_launch_bytes_v3
#define access_decode_copy access_decode_copy_v3
#define atomic_is_red atomic_is_red_v3
#define loop_count loop_count_v3
#define reach_cost reach_cost_v3
#define memory_decoders memory_decoders_v3
#define atomic_decoders atomic_decoders_v3

#include "engine/sim/access/access.c"        // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/access_async.c"  // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/access_atomic.c" // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/access_loop.c"   // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/pattern.c"       // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/reach.c"         // NOLINT(bugprone-suspicious-include)

LANES_END
