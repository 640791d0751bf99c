// What a GPU can do at best, measured with kernels that do nothing else: the 100 % of every bandwidth that
// is shown.
#include "engine/gpu/driver.h"

#include <math.h>
#include <stdlib.h>

enum {
    LIMIT_MS = 5000, // a helper kernel takes a few milliseconds at the very most
    EACH_SHAPE = 3,
    BEST_SHAPE = 11,
    EMPTY_LAUNCHES = 50,
    MOST_REPEATS = 50
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, size_t count)
{
    qsort(times, count, sizeof times[0], compare);
    return times[count / 2];
}

// The median of `repeats` times of one launch.
static bool median_of(struct gpu *gpu, const struct gpu_launch *launch, bool flush, int repeats, double *ms,
                      struct error *error)
{
    double times[MOST_REPEATS];
    for (int i = 0; i < repeats; i++)
        if (!gpu_time(gpu, launch, 1, flush, LIMIT_MS, &times[i], error))
            return false;
    *ms = median(times, (size_t)repeats);
    return true;
}

// Ways to spread the tiles over the GPU: blocks that stay and take one tile after the other, or a block for
// each tile. Which is best differs between GPUs.
struct shape {
    uint32_t block;
    bool stay;
};
static const struct shape shapes[] = { { 1024, true }, { 512, true },  { 256, true },
                                       { 512, false }, { 256, false }, { 128, false } };
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

static uint32_t grid_of(struct gpu *gpu, struct gpu_function *function, struct shape shape, uint32_t tiles)
{
    int blocks = 0;
    if (!shape.stay)
        return tiles;
    if (gpu->driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function->handle, (int)shape.block,
                                                                 0) != 0 ||
        blocks < 1)
        blocks = 1;
    uint32_t resident = (uint32_t)blocks * (uint32_t)gpu->facts.sm_count;
    return resident < tiles ? resident : tiles;
}

static bool shape_time(struct gpu *gpu, struct gpu_function *function, struct shape shape, gpu_address from,
                       gpu_address to, size_t bytes, int repeats, double *ms, struct error *error)
{
    uint32_t tiles = (uint32_t)(bytes / HELPER_TILE(shape.block));
    void *arguments[] = { &from, &tiles, &to };
    struct gpu_launch launch =
        helper_launch(function, grid_of(gpu, function, shape, tiles), shape.block, arguments);
    return median_of(gpu, &launch, true, repeats, ms, error);
}

// The best shape by a few repeats each, and then its median over more.
static bool best_time(struct gpu *gpu, struct gpu_function *function, gpu_address from, gpu_address to,
                      size_t bytes, double *ms, struct error *error)
{
    size_t best = 0;
    double best_ms = INFINITY;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        double shape_ms = 0;
        if (!shape_time(gpu, function, shapes[i], from, to, bytes, EACH_SHAPE, &shape_ms, error))
            return false;
        if (shape_ms < best_ms) {
            best_ms = shape_ms;
            best = i;
        }
    }
    return shape_time(gpu, function, shapes[best], from, to, bytes, BEST_SHAPE, ms, error);
}

// The driver's own copy between two buffers, timed like a launch.
static bool copy_by_driver(struct gpu *gpu, gpu_address from, gpu_address to, size_t bytes, double *ms,
                           struct error *error)
{
    const char *doing = "Measuring the driver's copy";
    double times[BEST_SHAPE];
    for (int i = 0; i < BEST_SHAPE; i++)
        if (!gpu_hold(gpu, 20, error) || !l2_empty(gpu, error) || !timing_begin(gpu, doing, error) ||
            !gpu_copy(gpu, to, from, bytes, error) || !timing_end(gpu, LIMIT_MS, doing, &times[i], error))
            return false;
    *ms = median(times, BEST_SHAPE);
    return true;
}

// A GPU that was idle needs some milliseconds of work until its clocks are up.
static bool warm_up(struct gpu *gpu, gpu_address data, size_t bytes, struct error *error)
{
    for (double spent = 0, ms = 0, rounds = 0; spent < 30 && rounds < 500; spent += ms, rounds++)
        if (!shape_time(gpu, gpu->read, shapes[0], data, data, bytes, 1, &ms, error))
            return false;
    return true;
}

static double gbps(double bytes, double ms)
{
    return ms > 0 ? bytes / ms / 1e6 : NAN;
}

static bool measure(struct gpu *gpu, gpu_address data, size_t bytes, struct ceilings *out,
                    struct error *error)
{
    size_t half = bytes / 2;
    double read_ms = 0, copy_ms = 0, driver_ms = 0, empty_ms = 0;
    struct gpu_launch empty = helper_launch(gpu->empty, 1, 32, NULL);
    if (!noise_fill(gpu, data, bytes, error) || !warm_up(gpu, data, bytes, error) ||
        !best_time(gpu, gpu->read, data, data, bytes, &read_ms, error) ||
        !best_time(gpu, gpu->copy, data, data + half, half, &copy_ms, error) ||
        !copy_by_driver(gpu, data, data + half, half, &driver_ms, error) ||
        !median_of(gpu, &empty, false, EMPTY_LAUNCHES, &empty_ms, error))
        return false;
    out->read_gbps = gbps((double)bytes, read_ms);
    out->copy_gbps = gbps((double)(2 * half), fmin(copy_ms, driver_ms));
    out->shared_gbps = 128.0 * gpu->facts.sm_count * gpu->facts.clock_mhz / 1000;
    out->launch_us = empty_ms * 1000;
    clock_date(out->date, sizeof out->date);
    return true;
}

bool gpu_ceilings_measure(struct gpu *gpu, struct ceilings *out, struct error *error)
{
    *out = (struct ceilings){ NAN, NAN, NAN, NAN, "" };
    if (!gpu_usable(gpu, error))
        return false;
    if (!gpu->helpers)
        return error_set(error, EXIT_MISSING,
                         "The GPU's ceilings cannot be measured: the kernels of "
                         "engine/gpu/ceiling.cu are not loaded.");
    if (!flush_alloc(gpu, error))
        return false;
    double room = fmin((double)(1 << 30), gpu_free_bytes(gpu) / 4);
    size_t least = 2 * gpu->flush_bytes, step = (size_t)2 * HELPER_STEP;
    size_t bytes = room > 0 ? (size_t)room / step * step : 0;
    if (bytes < least)
        return error_set(
            error, EXIT_MISSING,
            "The GPU's ceilings cannot be measured: that takes %zu MiB of free memory, and %.0f MiB "
            "are free. End other programs that use this GPU.",
            4 * least >> 20, gpu_free_bytes(gpu) / (1 << 20));
    gpu_address data = 0;
    if (!gpu_alloc(gpu, bytes, &data, error))
        return false;
    bool right = measure(gpu, data, bytes, out, error);
    gpu_free(gpu, data);
    return right;
}
