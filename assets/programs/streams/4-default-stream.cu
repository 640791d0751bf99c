// One argument less: the kernel is launched without its stream, so it goes into the default stream.
//@ title   The kernel in the default stream
//@ why     A launch without a stream waits for all streams, and all wait for it: kernels and copies take turns.
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
            TIMED("kernel", -1, 0, mix<<<part / 256, 256>>>(to, part, FACTOR, ADDEND));
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
