// Copies that threads do not wait for, and cooperative groups (groups.txt).
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void p(float *o, const float *x, int n)
{
    __shared__ float s[2][128];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], x + t, sizeof(float));
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            __pipeline_memcpy_async(&s[(i + 1) & 1][t], x + (i + 1) * 128 + t, sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i & 1][127 - t];
        __syncthreads();
    }
    o[t] = sum;
}
__global__ void g(int *o, const int *x)
{
    __shared__ int s[128];
    auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    auto h = cg::tiled_partition<8>(w);
    auto dyn = cg::tiled_partition(b, 16);
    cg::memcpy_async(b, s, x, sizeof s);
    cg::wait(b);
    int v = s[b.thread_rank()], r = 0;
    r += cg::reduce(w, v, cg::plus<int>());
    r += cg::reduce(h, v, cg::greater<int>());
    r += cg::inclusive_scan(w, v);
    r += cg::exclusive_scan(h, v, cg::plus<int>());
    auto l = cg::labeled_partition(w, v % 3);
    r += l.size() * 100 + l.thread_rank();
    r += cg::reduce(l, v, cg::plus<int>());
    auto bp = cg::binary_partition(w, v & 1);
    r += bp.size();
    auto c = cg::coalesced_threads();
    r += c.size() + c.num_threads();
    r += w.shfl_down(v, 1) + w.shfl(v, 0) + w.shfl_xor(v, 1) + w.any(v > 5) + w.all(v > 0) + w.ballot(v & 1) +
         w.match_any(v % 2);
    r += w.meta_group_rank() * 7 + w.meta_group_size() + h.meta_group_rank();
    r += dyn.size() + dyn.thread_rank();
    r += b.group_index().x + b.thread_index().x + b.dim_threads().x + b.group_dim().x + b.size();
    b.sync();
    w.sync();
    cg::sync(b);
    if (cg::this_grid().is_valid())
        r += cg::this_grid().thread_rank();
    cg::invoke_one(b, [&] { s[0] = 5; });
    b.sync();
    r += s[0];
    o[b.thread_rank()] = r;
}
int main()
{
    float *o, *x;
    int *q, *y;
    cudaMallocManaged(&o, 4096);
    cudaMallocManaged(&x, 8192);
    cudaMallocManaged(&q, 4096);
    cudaMallocManaged(&y, 4096);
    for (int i = 0; i < 1024; i++)
        x[i] = i, y[i] = i * 7 % 31;
    p<<<1, 128>>>(o, x, 8);
    g<<<1, 128>>>(q, y);
    printf("%d\n", cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++)
        printf("%g %d\n", o[i], q[i]);
    cudaDeviceReset();
}
