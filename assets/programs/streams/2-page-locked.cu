// The same with memory that stays where it is: the GPU reads and writes it without help.
//@ title   Page-locked memory, one stream
//@ why     The GPU fetches it by itself: the copies are faster, and the call returns at once.
#include "streams.h"

int main()
{
    const int64_t count = 1 << 26, bytes = count * sizeof(uint32_t);
    uint32_t *host, *device;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&host, bytes));
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
    CHECK(cudaFreeHost(host));
    return right ? 0 : 1;
}
