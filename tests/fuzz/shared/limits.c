// Which kernels a fuzzer leaves out, because they would take much memory or time and show nothing new.
#include "tests/fuzz/shared/limits.h"

bool module_is_small(const struct sim_module *module)
{
    enum { FRAME_MOST = 1 << 18, LOCAL_MOST = 1 << 14, SHARED_MOST = 1 << 17 };
    if (module->shared_bytes > SHARED_MOST)
        return false;
    for (size_t i = 0; i < module->function_count; i++) {
        const struct function *function = &module->functions[i];
        if (function->frame_bytes + function->param_bytes * LANES > FRAME_MOST ||
            function->local_bytes > LOCAL_MOST)
            return false;
    }
    return true;
}
