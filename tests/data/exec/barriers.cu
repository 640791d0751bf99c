// cuda::barrier and cuda::pipeline (barriers.txt).
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
__global__ void k(int *o, const int *x, int n)
{
    __shared__ int s[128], r[2][128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&bar, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, s, x, sizeof s, bar);
    auto token = bar.arrive();
    bar.wait(std::move(token));
    sum = s[127 - t];
    bar.arrive_and_wait();
    s[t] = sum;
    bar.arrive_and_wait();
    sum += s[(t + 5) % 128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&r[0][t], x + t, sizeof(int), pipe);
    pipe.producer_commit();
    for (int i = 0; i < n; i++) {
        pipe.producer_acquire();
        if (i + 1 < n)
            cuda::memcpy_async(&r[(i + 1) % 2][t], x + (i + 1) * 128 + t,
                               cuda::aligned_size_t<4>(sizeof(int)), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        block.sync();
        sum += r[i % 2][127 - t] * (i + 1);
        block.sync();
        pipe.consumer_release();
    }
    o[t] = sum;
}
int main()
{
    int *o, *x;
    cudaMallocManaged(&o, 512);
    cudaMallocManaged(&x, 4096);
    for (int i = 0; i < 1024; i++)
        x[i] = i * 7 % 31;
    k<<<1, 128>>>(o, x, 8);
    printf("%d\n", cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++)
        printf("%d\n", o[i]);
    cudaDeviceReset();
}
