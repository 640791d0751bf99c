// What launches do on the stand-in: a C twin for each kernel that tests run, nothing for any other.
// launch_run is the one place through which every launch goes.
#ifndef WARPBOOK_TESTS_TWINS_H
#define WARPBOOK_TESTS_TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct twin_launch {
    const char *kernel;
    unsigned grid[3], block[3];
    void **arguments; // as cuLaunchKernel takes them
};
// The host's pointer for a device address; NULL when these bytes are not all in one block.
typedef void *(*twin_memory)(unsigned long long address, size_t bytes);

// The vecadd ladder: (const double *a, const double *b, double *c, int n). `each`: a thread does one
// element, so that a grid that is too small leaves elements undone, as on a GPU.
static bool vecadd_run(const struct twin_launch *launch, twin_memory memory, bool each)
{
    unsigned long long address[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        memcpy(&address[i], launch->arguments[i], sizeof address[i]);
    memcpy(&n, launch->arguments[3], sizeof n);
    size_t count = n > 0 ? (size_t)n : 0, threads = (size_t)launch->grid[0] * launch->block[0];
    if (each && threads < count)
        count = threads;
    const double *a = memory(address[0], count * sizeof *a), *b = memory(address[1], count * sizeof *b);
    double *c = memory(address[2], count * sizeof *c);
    if (a == NULL || b == NULL || c == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        c[i] = a[i] + b[i];
    return true;
}

// False when the kernel touches memory that belongs to no buffer.
static bool launch_run(const struct twin_launch *launch, twin_memory memory)
{
    static const char *const loops[] = { "vecadd_one_thread", "vecadd_one_block", "vecadd_grid_stride",
                                         "vecadd_16_byte_loads" };
    if (strcmp(launch->kernel, "vecadd_thread_per_element") == 0)
        return vecadd_run(launch, memory, true);
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (strcmp(launch->kernel, loops[i]) == 0)
            return vecadd_run(launch, memory, false);
    return true;
}

#endif
