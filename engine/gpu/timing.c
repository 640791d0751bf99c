// The time of launches, taken by the GPU itself: an event before, an event after. Everything is queued
// while the GPU is still busy with emptying its L2, so the host's own slowness is not in the time.
#include "engine/gpu/driver.h"

#include <time.h>

// A sleep is an eighth of the time waited so far: the answer comes at most that much late, a short kernel is
// answered at once, and a long one costs a thousand questions a second.
static void pause_briefly(double waited_ms)
{
    double ms = waited_ms / 8;
    if (ms < 0.02)
        ms = 0.02;
    if (ms > 1)
        ms = 1;
    struct timespec nap = { 0, (long)(ms * 1e6) };
    (void)nanosleep(&nap, NULL); // a shorter sleep only asks earlier
}

bool gpu_await(struct gpu *gpu, cu_event event, int limit_ms, const char *doing, struct error *error)
{
    double start = clock_ms();
    for (;;) {
        int code = gpu->driver->cuEventQuery(event);
        if (code == 0)
            return true;
        if (code != CU_NOT_READY)
            return gpu_fault(gpu, code, "cuEventQuery", doing, error);
        double waited = clock_ms() - start;
        if (waited > limit_ms)
            break;
        if (waited > 0.02) // the first asks come without a pause
            pause_briefly(waited);
    }
    gpu->lost = true;
    return error_set(error, EXIT_WRONG,
                     "%s was given up: it took longer than its limit of %g s.\n"
                     "Look for a loop that never ends, or threads that wait for others that never come; "
                     "else allow it more time.",
                     doing, limit_ms / 1000.0);
}

bool timing_begin(struct gpu *gpu, const char *doing, struct error *error)
{
    int code = gpu->driver->cuEventRecord(gpu->begin, NULL);
    return code == 0 || gpu_fault(gpu, code, "cuEventRecord", doing, error);
}

bool timing_end(struct gpu *gpu, int limit_ms, const char *doing, double *ms, struct error *error)
{
    int code = gpu->driver->cuEventRecord(gpu->end, NULL);
    if (code != 0)
        return gpu_fault(gpu, code, "cuEventRecord", doing, error);
    if (!gpu_await(gpu, gpu->end, limit_ms, doing, error))
        return false;
    float elapsed = 0;
    code = gpu->driver->cuEventElapsedTime(&elapsed, gpu->begin, gpu->end);
    if (code != 0)
        return gpu_fault(gpu, code, "cuEventElapsedTime", doing, error);
    *ms = (double)elapsed;
    return true;
}

static bool queue_all(struct gpu *gpu, const struct gpu_launch *launches, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!launch_queue(gpu, &launches[i], error))
            return false;
    return true;
}

static void running_words(const struct gpu_launch *launches, size_t count, char *out, size_t size)
{
    if (count == 1)
        format_into(out, size, "Running %s", launches[0].name);
    else
        format_into(out, size, "Running %s and %zu more", count > 0 ? launches[0].name : "nothing",
                    count > 0 ? count - 1 : 0);
}

// Everything is done already; but only a synchronising call makes the driver write out what kernels printed.
static bool finish(struct gpu *gpu, const char *doing, struct error *error)
{
    int code = gpu->driver->cuCtxSynchronize();
    return code == 0 || gpu_fault(gpu, code, "cuCtxSynchronize", doing, error);
}

bool gpu_time(struct gpu *gpu, const struct gpu_launch *launches, size_t count, bool flush_l2, int limit_ms,
              double *ms, struct error *error)
{
    if (!gpu_usable(gpu, error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!launch_check(gpu, &launches[i], error))
            return false;
    char doing[200];
    running_words(launches, count, doing, sizeof doing);
    // The host needs some 5 µs to queue a launch; emptying the L2 alone covers one or two.
    return gpu_hold(gpu, 10.0 + 6.0 * (double)count, error) && (!flush_l2 || l2_empty(gpu, error)) &&
           timing_begin(gpu, doing, error) && queue_all(gpu, launches, count, error) &&
           timing_end(gpu, limit_ms, doing, ms, error) && finish(gpu, doing, error);
}
