// What the flags wish of a run: its size, its data, its repeats and its limit.
#include "tui/tui.h"

#include <string.h>

static bool take_flag(const struct target *target, const char *flag, const char *value, struct request *out,
                      struct error *error)
{
    if (strcmp(flag, "--set") == 0)
        return request_set_param(out, target->lab, target->variant, value, error);
    if (strcmp(flag, "--size") == 0)
        return request_set_size(out, target->lab, value, error);
    if (strcmp(flag, "--memory") == 0)
        return request_set_memory(out, value, error);
    return strcmp(flag, "--data") != 0 || request_set_data(out, target->lab, value, error);
}

bool wish_read(const struct arguments *arguments, const struct target *target, int limit_s,
               struct request *out, struct error *error)
{
    long reps = 0, limit = limit_s;
    if (!arguments_number(arguments, "--reps", 1, REPS_MOST, &reps, error) ||
        !arguments_number(arguments, "--limit", 1, LIMIT_MOST_MS / 1000, &limit, error))
        return false;
    for (size_t i = 0; i < arguments->given_count; i++)
        if (!take_flag(target, arguments->given[i].flag, arguments->given[i].value, out, error))
            return false;
    out->lab = mem_copy_if(target->lab ? target->lab->name : NULL);
    out->reps = (int)reps;
    out->limit_ms = (int)limit * 1000;
    return true;
}
