// Copies from global to shared memory that a thread does not wait for, as C functions.
#pragma clang system_header
#ifndef WARPBOOK_CUDA_PIPELINE_H
#define WARPBOOK_CUDA_PIPELINE_H

#define WB_PIPELINE static inline __attribute__((always_inline, nodebug, device))

WB_PIPELINE void wb_copy_async(unsigned to, const void *from, unsigned bytes, unsigned taken)
{
    auto global = (__attribute__((address_space(1))) const void *)from;
    switch (bytes) {
    case 4:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(taken)
                     : "memory");
        break;
    case 8:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(global), "r"(taken)
                     : "memory");
        break;
    case 16:
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(taken)
                     : "memory");
        break;
    default:
        __assertfail("a copy of 4, 8 or 16 bytes", "cuda_pipeline.h", 0, "__pipeline_memcpy_async", 1);
    }
}
// The last `zeros` bytes are not read, but 0.
WB_PIPELINE void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes, size_t zeros = 0)
{
    const unsigned to = (unsigned)(unsigned long long)(__attribute__((address_space(3))) void *)shared;
    wb_copy_async(to, global, (unsigned)bytes, (unsigned)(bytes - zeros));
}
WB_PIPELINE void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// All but the last `count` groups have arrived.
WB_PIPELINE void __pipeline_wait_prior(size_t count)
{
#define WB_WAIT(N)                                                                                           \
    case N:                                                                                                  \
        asm volatile("cp.async.wait_group " #N ";" ::: "memory");                                            \
        break;
    switch (count) {
        WB_WAIT(1)
        WB_WAIT(2)
        WB_WAIT(3)
        WB_WAIT(4)
        WB_WAIT(5)
        WB_WAIT(6)
        WB_WAIT(7)
    default: // no group too few is waited for
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
#undef WB_WAIT
}

#undef WB_PIPELINE
#endif
