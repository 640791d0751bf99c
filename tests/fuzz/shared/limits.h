#ifndef WARPBOOK_FUZZ_LIMITS_H
#define WARPBOOK_FUZZ_LIMITS_H

#include "engine/sim/steer.h"

bool module_is_small(
    const struct sim_module *module); // registers, parameters and local memory of each function

#endif
