// Conjugate gradients in one cooperative launch, in step by grid.sync. solver.txt is what nvcc makes of it.
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;
__device__ double dot_result;
__device__ void dot(const double *a, const double *b, int n, cg::grid_group grid)
{
    if (grid.thread_rank() == 0)
        dot_result = 0;
    grid.sync();
    double s = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        s += a[i] * b[i];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    s = cg::reduce(tile, s, cg::plus<double>());
    if (tile.thread_rank() == 0)
        atomicAdd(&dot_result, s);
    grid.sync();
}
__device__ double at(const double *x, int i, int n)
{
    return i < 0 || i >= n ? 0 : x[i];
}
extern "C" __global__ void cg_solve(double *x, double *r, double *p, double *Ap, int n, int most,
                                    int *iterations)
{
    cg::grid_group grid = cg::this_grid();
    dot(r, r, n, grid);
    double rr = dot_result;
    int it = 0;
    for (; it < most && rr > 1e-20; it++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            Ap[i] = 2.5 * p[i] - at(p, i - 1, n) - at(p, i + 1, n);
        grid.sync();
        dot(p, Ap, n, grid);
        double alpha = rr / dot_result;
        grid.sync();
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            x[i] += alpha * p[i];
            r[i] -= alpha * Ap[i];
        }
        grid.sync();
        dot(r, r, n, grid);
        double next = dot_result, beta = next / rr;
        rr = next;
        grid.sync();
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            p[i] = r[i] + beta * p[i];
        grid.sync();
    }
    if (grid.thread_rank() == 0)
        *iterations = it;
}
int main()
{
    int n = 1000, most = 200, *iterations, blocks, sms, coop;
    cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, 0);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (!coop) {
        puts("waived");
        return 0;
    }
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, cg_solve, 128, 0);
    double *x, *r, *p, *Ap;
    for (double **q : { &x, &r, &p, &Ap })
        cudaMalloc(q, n * sizeof(double));
    cudaMallocManaged(&iterations, sizeof(int));
    std::vector<double> b(n, 1.0), got(n);
    cudaMemset(x, 0, n * sizeof(double));
    cudaMemcpy(r, b.data(), n * sizeof(double), cudaMemcpyDefault);
    cudaMemcpy(p, r, n * sizeof(double), cudaMemcpyDefault);
    void *args[] = { &x, &r, &p, &Ap, &n, &most, &iterations };
    int grid = blocks * sms < 8 ? blocks * sms : 8;
    cudaError_t e = cudaLaunchCooperativeKernel((void *)cg_solve, dim3(grid), dim3(128), args, 0, nullptr);
    if (e != cudaSuccess || (e = cudaDeviceSynchronize()) != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(got.data(), x, n * sizeof(double), cudaMemcpyDefault);
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(2.5 * got[i] - (i ? got[i - 1] : 0) - (i < n - 1 ? got[i + 1] : 0) - 1));
    printf("%d iterations, %s\n", *iterations, worst < 1e-8 ? "solved" : "not solved");
    for (double *q : { x, r, p, Ap })
        cudaFree(q);
    cudaFree(iterations);
}
