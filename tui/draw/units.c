// Numbers as people read them. An unknown number (NAN) is an empty text, never 0.
#include "tui/draw/draw.h"

#include <math.h>
#include <string.h>

// Always milliseconds, so that a column compares at a glance; about four digits.
void unit_ms(double ms, char *out, size_t size)
{
    int decimals = ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0;
    *out = 0;
    if (ms > 0 && ms < 0.00005)
        format_into(out, size, "<.0001 ms"); // something is never shown as nothing
    else if (ms > 0 && ms < 0.01)
        format_into(out, size, "%.4f ms", ms);
    else if (isfinite(ms))
        format_into(out, size, "%.*f ms", decimals, ms);
}

void unit_count(double count, char *out, size_t size)
{
    char digits[40];
    *out = 0;
    if (!isfinite(count))
        return;
    format_into(digits, sizeof digits, "%.0f", count);
    size_t length = strlen(digits), used = 0;
    for (size_t i = 0; i < length && used + 2 < size; i++) {
        if (i && digits[i - 1] != '-' && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
}

double unit_share(double ms)
{
    const double least_ms = 0.01, most_ms = 10000;
    if (!(ms > 0))
        return 0;
    return log(ms / least_ms) / log(most_ms / least_ms);
}
