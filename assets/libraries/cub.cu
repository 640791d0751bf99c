// CUB consists of headers, so that nothing of it can be opened at run time before it is compiled: `make cub` does it where
// nvcc is, for the GPU that is here. engine/gpu/library.c calls what it becomes.
#include <cstring>
#include <cub/cub.cuh>

struct below {
    int limit;
    __host__ __device__ bool operator()(int value) const { return value < limit; }
};

// The lab's buffers, in the order of reference/LAB.c, in the GPU's memory. Without `temporary` it only says how much
// it needs.
extern "C" int warpbook_cub(const char *lab, void *temporary, size_t *bytes, void *const *buffers, long long n)
{
    const int *in = static_cast<const int *>(buffers[0]);
    int *out = static_cast<int *>(buffers[1]), count = static_cast<int>(n);
    if (!std::strcmp(lab, "scan"))
        return cub::DeviceScan::InclusiveSum(temporary, *bytes, in, out, count);
    if (!std::strcmp(lab, "compact"))
        return cub::DeviceSelect::If(temporary, *bytes, in, out, static_cast<int *>(buffers[2]), count,
                                     below{ count / 2 });
    if (!std::strcmp(lab, "reduction"))
        return cub::DeviceReduce::Sum(temporary, *bytes, in, out, count);
    if (!std::strcmp(lab, "histogram"))
        return cub::DeviceHistogram::HistogramEven(temporary, *bytes, static_cast<const unsigned char *>(buffers[0]),
                                                   static_cast<unsigned *>(buffers[1]), 257, 0, 256, count);
    return cudaErrorInvalidValue;
}

extern "C" int warpbook_cub_version() { return CUB_VERSION; }
