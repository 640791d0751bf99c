// The memory instructions once more, for processors with AVX2: the same files,
// compiled with names of their own.
#define LANES_V3
#include "engine/sim/lanes/lanes.h"

#define cost_global cost_global_v3
#define cost_shared cost_shared_v3
#define cost_cas_round cost_cas_round_v3
#define cost_local cost_local_v3
#define cost_count cost_count_v3
#define address_resolve address_resolve_v3
#define address_compute address_compute_v3
#define address_space address_space_v3
#define access_kernel_param_bytes access_kernel_param_bytes_v3
#define atomic_is_red atomic_is_red_v3
#define memory_decoders memory_decoders_v3
#define atomic_decoders atomic_decoders_v3

#include "engine/sim/access/access.c"       // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/atomic.c"       // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/cost.c"         // NOLINT(bugprone-suspicious-include)
#include "engine/sim/access/lane_address.c" // NOLINT(bugprone-suspicious-include)

LANES_END
