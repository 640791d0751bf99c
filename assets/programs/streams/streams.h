// What the programs of the lab streams share: the kernel, the check of its result, and the time line, which says when
// each copy and each kernel began and ended.
#include <chrono>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

// Every call of CUDA says whether it failed; a failure ends the program with its place and reason.
#define CHECK(...)                                                                                           \
    do {                                                                                                     \
        cudaError_t error_ = (__VA_ARGS__);                                                                  \
        if (error_ != cudaSuccess) {                                                                         \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #__VA_ARGS__,                             \
                    cudaGetErrorString(error_));                                                             \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

// ---- the work ----------------------------------------------------------------------------------------------

// Many rounds of x = x * FACTOR + ADDEND, modulo 2^32, so that the kernel takes about as long as a copy. They are
// parameters of the kernel: of numbers that it knows, the compiler would make fewer rounds.
const int ROUNDS = 1200;
const uint32_t FACTOR = 1664525u, ADDEND = 1013904223u;

__global__ void mix(uint32_t *data, int64_t count, uint32_t factor, uint32_t addend)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint32_t x = data[i];
    for (int round = 0; round < ROUNDS; round++)
        x = x * factor + addend;
    data[i] = x;
}

static void make_input(uint32_t *data, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        data[i] = (uint32_t)i;
}

// All rounds together are one multiplication and one addition, so every element is checked in no time.
static bool is_right(const uint32_t *data, int64_t count)
{
    uint32_t factor = 1, addend = 0;
    for (int round = 0; round < ROUNDS; round++) {
        factor *= FACTOR;
        addend = addend * FACTOR + ADDEND;
    }
    for (int64_t i = 0; i < count; i++) {
        if (data[i] == (uint32_t)i * factor + addend)
            continue;
        printf("timeline: wrong: data[%lld] is %u, and should be %u\n", (long long)i, data[i],
               (uint32_t)i * factor + addend);
        return false;
    }
    printf("timeline: right\n");
    return true;
}

// ---- the time line -----------------------------------------------------------------------------------------

// TIMED("copy in", 0, stream, cudaMemcpyAsync(..., stream)) makes the call with an event before and one after it in the
// stream, and notes how long the CPU was in it. Its number names the stream in the time line; -1 is the default stream.
#define TIMED(what, number, stream, ...)                                                                     \
    do {                                                                                                     \
        timeline::span &span_ = timeline::next(what, number);                                                \
        CHECK(cudaEventRecord(span_.before, stream));                                                        \
        span_.called = timeline::host_ms();                                                                  \
        __VA_ARGS__;                                                                                         \
        span_.returned = timeline::host_ms();                                                                \
        CHECK(cudaGetLastError());                                                                           \
        CHECK(cudaEventRecord(span_.after, stream));                                                         \
    } while (0)

namespace timeline
{

struct span {
    const char *what;
    int stream;
    cudaEvent_t before, after;
    double called, returned; // by the CPU's clock, in ms
};
static const size_t most = 512;
static std::vector<span> spans(most);
static size_t count;
static cudaEvent_t zero;
static std::chrono::steady_clock::time_point host_zero;
static double total;

static double host_ms()
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - host_zero).count();
}

static span &next(const char *what, int stream)
{
    if (count == most) {
        fprintf(stderr, "A time line has at most %zu copies and kernels.\n", most);
        exit(1);
    }
    spans[count].what = what;
    spans[count].stream = stream;
    return spans[count++];
}

// From here on: what was timed before is forgotten. The GPU has nothing to do at this moment.
static void begin()
{
    if (!zero) {
        CHECK(cudaEventCreate(&zero));
        for (span &one : spans) {
            CHECK(cudaEventCreate(&one.before));
            CHECK(cudaEventCreate(&one.after));
        }
    }
    count = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(zero));
    CHECK(cudaEventSynchronize(zero));
    host_zero = std::chrono::steady_clock::now();
}

// Waits for all that was queued.
static void end()
{
    CHECK(cudaDeviceSynchronize());
    total = host_ms();
}

static void print()
{
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    printf("timeline: %.3f ms on %s\n", total, properties.name);
    for (size_t i = 0; i < count; i++) {
        float from = 0, to = 0;
        CHECK(cudaEventElapsedTime(&from, zero, spans[i].before));
        CHECK(cudaEventElapsedTime(&to, zero, spans[i].after));
        printf("timeline: stream %d, %s, %.3f to %.3f ms\n", spans[i].stream, spans[i].what, from, to);
        printf("timeline: CPU in the call, %.3f to %.3f ms\n", spans[i].called, spans[i].returned);
    }
}

} // namespace timeline
