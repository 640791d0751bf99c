// Groups of threads within a block. Each kernel leaves in its row of
// `seen` what every thread was told, mixed into one number; `show`
// prints the rows. tests/cli/groups.sh has what it prints with the
// header of a CUDA Toolkit.
//@ buffer seen unsigned[7 * 96] = 0
//@ buffer given float[96] = hash(i) % 1000 * 0.37 - 100
//@ launch blocks<<<1, dim3(8, 4, 3)>>>(seen, given, 0)
//@ launch tiles<<<1, 72>>>(seen, given, 1)
//@ launch lanes<<<1, 96>>>(seen, given, 2)
//@ launch parts<<<1, 96>>>(seen, given, 3)
//@ launch computed<<<1, 84>>>(seen, given, 4)
//@ launch combined<<<1, 96>>>(seen, given, 5)
//@ launch copies<<<1, 96>>>(seen, given, 6)
//@ launch show<<<1, 7>>>(seen)
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <stdio.h>
namespace cg = cooperative_groups;

struct sum {
    unsigned of = 2166136261u;
    __device__ sum &operator<<(unsigned value)
    {
        of = (of ^ value) * 16777619u;
        return *this;
    }
    __device__ sum &operator<<(int value)
    {
        return *this << (unsigned)value;
    }
    __device__ sum &operator<<(float value)
    {
        return *this << __float_as_uint(value);
    }
    __device__ sum &operator<<(unsigned long long value)
    {
        return *this << (unsigned)value << (unsigned)(value >> 32);
    }
    __device__ sum &operator<<(double value)
    {
        return *this << (unsigned long long)__double_as_longlong(value);
    }
    __device__ sum &operator<<(dim3 value)
    {
        return *this << value.x << value.y << value.z;
    }
};
struct three {
    float x, y;
    short z;
};

__device__ unsigned long long told(cg::thread_group g)
{
    g.sync();
    return g.size() * 1000 + g.thread_rank();
}
extern "C" __global__ void blocks(unsigned *seen, const float *given,
                                  int row)
{
    __shared__ unsigned ranks[96];
    cg::thread_block block = cg::this_thread_block();
    sum s;
    s << told(block) << told(cg::coalesced_threads())
      << told(cg::tiled_partition<8>(block));
    cg::grid_group grid = cg::this_grid();
    s << grid.size() << grid.thread_rank() << grid.num_blocks()
      << grid.block_rank() << grid.group_dim() << grid.is_valid()
      << grid.dim_threads() << grid.thread_index();
    s << block.size() << block.num_threads() << block.group_index()
      << block.thread_index() << block.group_dim()
      << block.dim_threads();
    ranks[block.thread_rank()] = block.thread_rank() * 3;
    block.sync();
    s << ranks[95 - block.thread_rank()];
    cg::sync(block);
    ranks[cg::thread_rank(block)] = cg::group_size(block);
    auto token = block.barrier_arrive();
    block.barrier_wait(static_cast<decltype(token) &&>(token));
    s << ranks[(block.thread_rank() + 7) % 96];
    auto warp = cg::tiled_partition<32>(block);
    block.sync();
    cg::invoke_one(warp, [&] { ranks[block.thread_rank()] = 7; });
    s << cg::invoke_one_broadcast(warp, [&] { return given[3]; });
    warp.sync();
    s << ranks[block.thread_rank() & ~31];
    seen[row * 96 + block.thread_rank()] = s.of;
}

// A tile or a group of lanes; `with` is a rank of it.
template <class GROUP>
__device__ void ask(sum &s, const GROUP &g, float value, unsigned with)
{
    int same;
    s << (unsigned)g.num_threads() << (unsigned)g.size()
      << (unsigned)g.thread_rank() << (unsigned)g.meta_group_rank()
      << (unsigned)g.meta_group_size();
    s << g.shfl(value, with) << g.shfl((double)value, with)
      << g.shfl_up(value, 1) << g.shfl_down(value, 1)
      << g.shfl_up((int)value, 3) << g.shfl_down((unsigned)value, 2);
    const three t = { value, value + 1, (short)value };
    s << g.shfl(t, with).x << (int)g.shfl(t, with).z;
    s << (g.any(value > 100) != 0) << (g.all(value > -90) != 0)
      << g.ballot(value > 0) << g.match_any((int)value % 3);
    s << g.match_all((int)(value / 1000), same) << (same != 0);
    s << g.match_all((long long)value, same) << (same != 0);
    g.sync();
}
template <unsigned SIZE> __device__ void tile(sum &s, float value)
{
    auto g = cg::tiled_partition<SIZE>(cg::this_thread_block());
    ask(s, g, value, SIZE / 3);
    s << g.shfl_xor(value, SIZE / 2)
      << g.shfl_xor((int)value, SIZE - 1);
    cg::thread_block_tile<SIZE> any_parent = g;
    s << any_parent.meta_group_rank() << any_parent.thread_rank();
}
extern "C" __global__ void tiles(unsigned *seen, const float *given,
                                 int row)
{
    sum s;
    const float value = given[threadIdx.x];
    tile<1>(s, value);
    tile<4>(s, value);
    if (threadIdx.x < 64) {
        tile<32>(s, value);
        auto warp = cg::tiled_partition<32>(cg::this_thread_block());
        auto eight = cg::tiled_partition<8>(warp);
        auto two = cg::tiled_partition<2>(eight);
        ask(s, eight, value, 5);
        ask(s, two, value, 1);
        s << cg::this_thread().size();
    }
    seen[row * 96 + threadIdx.x] = s.of;
}

extern "C" __global__ void lanes(unsigned *seen, const float *given,
                                 int row)
{
    sum s;
    const float value = given[threadIdx.x];
    ask(s, cg::coalesced_threads(), value, 9);
    if (threadIdx.x % 3) {
        cg::coalesced_group g = cg::coalesced_threads();
        ask(s, g, value, 4);
        __syncwarp(__activemask());
        if (g.thread_rank() > 2)
            ask(s, cg::coalesced_threads(), value, 3);
    }
    seen[row * 96 + threadIdx.x] = s.of;
}

extern "C" __global__ void parts(unsigned *seen, const float *given,
                                 int row)
{
    sum s;
    const float value = given[threadIdx.x];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    ask(s, cg::labeled_partition(warp, (int)(value + 200) % 5), value,
        0);
    ask(s, cg::binary_partition(warp, value > 0), value, 0);
    if (threadIdx.x & 5) {
        auto g = cg::coalesced_threads();
        ask(s, cg::labeled_partition(g, threadIdx.x % 3), value, 0);
        ask(s, cg::binary_partition(g, value < 10), value, 0);
    }
    seen[row * 96 + threadIdx.x] = s.of;
}

extern "C" __global__ void computed(unsigned *seen, const float *given,
                                    int row)
{
    sum s;
    const float value = given[threadIdx.x];
    cg::thread_block block = cg::this_thread_block();
    for (unsigned size = 1; size <= 32; size *= 2) {
        cg::thread_group g = cg::tiled_partition(block, size);
        s << g.size() << g.thread_rank();
        cg::sync(g);
        if (size < 8)
            continue;
        cg::thread_group half = cg::tiled_partition(g, size / 2);
        s << half.size() << half.thread_rank();
        half.sync();
    }
    if (threadIdx.x % 5) {
        cg::coalesced_group g = cg::coalesced_threads();
        ask(s, cg::tiled_partition(g, 4), value, 0);
        ask(s, cg::tiled_partition(g, 16), value, 0);
    }
    seen[row * 96 + threadIdx.x] = s.of;
}

struct farther { // from 0; of equals, the first
    __device__ float operator()(float a, float b) const
    {
        return a * a < b * b ? b : a;
    }
};
template <class GROUP>
__device__ void combine(sum &s, const GROUP &g, float value)
{
    const int whole = (int)value;
    s << cg::reduce(g, value, cg::plus<float>())
      << cg::reduce(g, value, cg::less<float>())
      << cg::reduce(g, value, cg::greater<float>())
      << cg::reduce(g, whole, cg::plus<int>())
      << cg::reduce(g, whole, cg::less<int>())
      << cg::reduce(g, whole, cg::greater<int>())
      << cg::reduce(g, (unsigned)whole, cg::bit_and<unsigned>())
      << cg::reduce(g, whole, cg::bit_or<int>())
      << cg::reduce(g, whole, cg::bit_xor<int>())
      << cg::reduce(g, value * 1e3, cg::plus<double>())
      << cg::reduce(g, value, farther());
}
template <class GROUP>
__device__ void run_up(sum &s, const GROUP &g, float value)
{
    s << cg::inclusive_scan(g, value) << cg::exclusive_scan(g, value)
      << cg::inclusive_scan(g, value, cg::less<float>())
      << cg::exclusive_scan(g, value, cg::greater<float>())
      << cg::inclusive_scan(g, (int)value, cg::plus<int>())
      << cg::exclusive_scan(g, (int)value, cg::bit_xor<int>())
      << cg::inclusive_scan(g, value, farther());
}
template <class GROUP>
__device__ void both(sum &s, const GROUP &g, float value)
{
    combine(s, g, value);
    run_up(s, g, value);
}
extern "C" __global__ void combined(unsigned *seen, const float *given,
                                    int row)
{
    sum s;
    const float value = given[threadIdx.x];
    cg::thread_block block = cg::this_thread_block();
    both(s, cg::tiled_partition<32>(block), value);
    both(s, cg::tiled_partition<4>(block), value);
    if (threadIdx.x % 3 && threadIdx.x != 40)
        both(s, cg::coalesced_threads(), value);
    seen[row * 96 + threadIdx.x] = s.of;
}

extern "C" __global__ void copies(unsigned *seen, const float *given,
                                  int row)
{
    __shared__ __align__(16) float there[2][96];
    __shared__ short odd[31];
    sum s;
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, there[0], given, sizeof there[0]);
    cg::memcpy_async(block, there[1], 96, given + 1, 95);
    cg::wait_prior<1>(block);
    s << there[0][95 - threadIdx.x];
    cg::wait(block);
    s << there[1][94 - threadIdx.x % 95];
    cg::memcpy_async(block, odd, (const short *)given + 1, sizeof odd);
    cg::wait(block);
    s << (int)odd[threadIdx.x % 31];
    auto warp = cg::tiled_partition<32>(block);
    const unsigned from = warp.meta_group_rank() * 32;
    cg::memcpy_async(warp, there[0] + from, given + 64 - from, 32 * 4);
    cg::wait(warp);
    s << there[0][threadIdx.x ^ 31];
    seen[row * 96 + threadIdx.x] = s.of;
}

extern "C" __global__ void show(const unsigned *seen)
{
    sum s;
    for (int i = 0; i < 96; i++)
        s << seen[threadIdx.x * 96 + i];
    printf("row %d: %08x\n", threadIdx.x, s.of);
}
