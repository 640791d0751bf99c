// The flags of `warpbook exec` that its page on the screen takes as well.
#include "engine/cli/cli.h"

#include <limits.h>
#include <string.h>

bool exec_settings(const struct arguments *arguments, struct text *out, struct error *error)
{
    static const char *const checks[] = { "all", "counters", "none" };
    const char *check = arguments_value(arguments, "--check"),
               *kernel = arguments_value(arguments, "--kernel");
    long threads = 0, seed = 0, skip = 0, launch = 0, limit = 0, first = 0;
    bool known = !check;
    for (int i = 0; check && i < 3; i++)
        known |= strcmp(check, checks[i]) == 0;
    if (!known)
        return error_set(error, EXIT_USAGE, "--check takes none, counters or all, not '%s'.", check);
    if (kernel && strchr(kernel, ','))
        return error_set(error, EXIT_USAGE, "--kernel takes one name, or a part of it.");
    if (!arguments_number(arguments, "--threads", 1, 256, &threads, error) ||
        !arguments_number(arguments, "--seed", 0, INT_MAX, &seed, error) ||
        !arguments_number(arguments, "--skip", 0, INT_MAX, &skip, error) ||
        !arguments_number(arguments, "--launch", 1, INT_MAX, &launch, error) ||
        !arguments_number(arguments, "--first", 1, INT_MAX, &first, error) ||
        !arguments_number(arguments, "--limit", 1, 86400, &limit, error))
        return false;
    text_addf(out, "check=%s,threads=%ld,seed=%ld,skip=%ld,launch=%ld,most=%ld", check ? check : "all",
              threads, seed, skip, launch, first);
    if (limit)
        text_addf(out, ",limit=%ld", limit);
    if (kernel)
        text_addf(out, ",kernel=%s", kernel);
    return true;
}
