// In parts, each in one of four streams. Order is kept within a stream only, so copies and kernels overlap.
//@ title   Sixteen parts in four streams
//@ why     While one part is computed, the next comes in and the one before goes out.
#include "streams.h"

int main()
{
    const int64_t count = 1 << 26, bytes = count * sizeof(uint32_t);
    const int streams = 4, chunks = 16;
    const int64_t part = count / chunks, part_bytes = bytes / chunks;
    uint32_t *host, *device;
    cudaStream_t stream[streams];
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamCreate(&stream[s]));

    for (int run = 0; run < 2; run++) { // the first one warms up
        make_input(host, count);
        timeline::begin();
        for (int c = 0; c < chunks; c++) {
            int s = c % streams;
            uint32_t *from = host + c * part, *to = device + c * part;
            TIMED("copy in", s, stream[s],
                  cudaMemcpyAsync(to, from, part_bytes, cudaMemcpyHostToDevice, stream[s]));
            TIMED("kernel", s, stream[s], mix<<<part / 256, 256, 0, stream[s]>>>(to, part, FACTOR, ADDEND));
            TIMED("copy out", s, stream[s],
                  cudaMemcpyAsync(from, to, part_bytes, cudaMemcpyDeviceToHost, stream[s]));
        }
        timeline::end();
    }
    timeline::print();
    bool right = is_right(host, count);

    for (int s = 0; s < streams; s++)
        CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return right ? 0 : 1;
}
