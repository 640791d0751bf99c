// A query over a table stored by columns: the revenue that discounts of 5 to 7 per cent
// cost on small orders of one year. Columns have one, two and four bytes; a bit says
// where the price is missing. A thread looks at four rows, and the block's sum is made
// with cooperative groups.
//@ param   rows = 6000000
//@ buffer  day short4[rows / 4] = hash(i) % 2500
//@ buffer  discount uchar4[rows / 4] = {hash(4 * i) % 11, hash(4 * i + 1) % 11,
//@             hash(4 * i + 2) % 11, hash(4 * i + 3) % 11}
//@ buffer  quantity uchar4[rows / 4] = {1 + hash(i) % 50, 1 + hash(i + 1) % 50,
//@             1 + hash(i + 2) % 50, 1 + hash(i + 3) % 50}
//@ buffer  cents int4[rows / 4] = hash(i + 5) % 1000000
//@ buffer  present unsigned char[rows / 8] = hash(i) | 119
//@ buffer  revenue unsigned long long[1] = 0
//@ launch  sum_of_year<<<(rows / 4 + 255) / 256, 256>>>(
//@             day, discount, quantity, cents, present, revenue, 730, rows / 4)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ long long row(int day, int discount, int quantity, int cents, int first_day)
{
    bool wanted = day >= first_day && day < first_day + 365 && discount >= 5 &&
                  discount <= 7 && quantity < 24;
    return wanted ? (long long)cents * discount : 0;
}

__global__ void sum_of_year(const short4 *day, const uchar4 *discount,
                            const uchar4 *quantity, const int4 *cents,
                            const unsigned char *present, unsigned long long *revenue,
                            int first_day, int quads)
{
    __shared__ long long of_warp[8];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long sum = 0;
    if (i < quads) {
        short4 d = day[i];
        uchar4 off = discount[i], many = quantity[i];
        int4 price = cents[i];
        int there = present[i / 2] >> 4 * (i & 1);
        if (there & 1)
            sum += row(d.x, off.x, many.x, price.x, first_day);
        if (there & 2)
            sum += row(d.y, off.y, many.y, price.y, first_day);
        if (there & 4)
            sum += row(d.z, off.z, many.z, price.z, first_day);
        if (there & 8)
            sum += row(d.w, off.w, many.w, price.w, first_day);
    }

    sum = cg::reduce(warp, sum, cg::plus<long long>());
    if (warp.thread_rank() == 0)
        of_warp[warp.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) {
        long long total = 0;
        for (int w = 0; w < 8; w++)
            total += of_warp[w];
        atomicAdd(revenue, (unsigned long long)total);
    }
}
