// Two clocks: one to measure with, one to write dates with.
#include "engine/base/base.h"

#include <time.h>

double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void clock_date(char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    if (!strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc) && size)
        *out = 0;
}
