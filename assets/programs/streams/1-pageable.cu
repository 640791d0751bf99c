// 256 MiB go to the GPU, a kernel changes them, and they come back. The memory is what malloc gives.
//@ title   Pageable memory, one stream
//@ why     malloc gives memory that may move, so the driver copies it a second time; the CPU waits in the call.
#include "streams.h"

int main()
{
    const int64_t count = 1 << 26, bytes = count * sizeof(uint32_t);
    uint32_t *host, *device;
    cudaStream_t stream;
    host = (uint32_t *)malloc(bytes);
    if (!host)
        return 1;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaStreamCreate(&stream));

    for (int run = 0; run < 2; run++) { // the first one warms up
        make_input(host, count);
        timeline::begin();
        TIMED("copy in", 0, stream, cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
        TIMED("kernel", 0, stream, mix<<<count / 256, 256, 0, stream>>>(device, count, FACTOR, ADDEND));
        TIMED("copy out", 0, stream, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
        timeline::end();
    }
    timeline::print();
    bool right = is_right(host, count);

    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    free(host);
    return right ? 0 : 1;
}
