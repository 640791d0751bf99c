// A kernel file whose launches are traced, one after the other.
#include "engine/run/simulation.h"

#include <stdlib.h>
#include <string.h>

bool stepper_open(struct stepper *stepper, const struct request *request, struct error *error)
{
    if (kept_is(request->file))
        return kept_open(stepper, request, error);
    return setup_open(&stepper->setup, request, &stepper->problem, false, error) &&
           stepper_launch(stepper, 0, error);
}

bool stepper_launch(struct stepper *stepper, size_t launch, struct error *error)
{
    const struct launch *line = &stepper->setup.variant.launches[launch];
    struct sim_launch what;
    struct sim_options options = setup_options(&stepper->setup);
    struct sim_fault fault;
    sim_trace_close(stepper->trace);
    stepper->trace = NULL;
    stepper->launch = launch;
    if (!setup_pack(&stepper->setup, line, &stepper->packed, &what, error))
        return false;
    if (!sim_trace_open(stepper->setup.module, stepper->setup.memory, &what, &options, &stepper->trace,
                        &fault))
        return error_at(error, &stepper->setup.variant.source, line->at, "%s", fault.text);
    return true;
}

bool stepper_ended(const struct stepper *stepper)
{
    struct sim_spot spot;
    sim_trace_where(stepper->trace, &spot);
    return spot.ended;
}

static bool is_complete(const struct stepper *stepper)
{
    struct sim_spot spot;
    sim_trace_where(stepper->trace, &spot);
    return spot.ended && !spot.stopped;
}

static bool is_last(const struct stepper *stepper)
{
    return stepper->launch + 1 >= stepper->setup.variant.launch_count;
}

bool stepper_goes_on(const struct stepper *stepper)
{
    return is_complete(stepper) && !is_last(stepper);
}

size_t stepper_findings(const struct stepper *stepper, struct sim_finding **out)
{
    struct sim_finding *late = NULL;
    size_t count = sim_trace_findings(stepper->trace, out), more = 0;
    if (is_last(stepper) && stepper->setup.request->check == REQUEST_CHECK_ALL && is_complete(stepper))
        more = sim_memory_never_written(stepper->setup.memory, &late);
    struct sim_finding *all = more ? realloc(*out, (count + more) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + count, late, more * sizeof *all);
        *out = all;
        count += more;
    }
    free(late);
    findings_in_source(&stepper->setup.variant, *out, count);
    return count;
}

void stepper_close(struct stepper *stepper)
{
    sim_trace_close(stepper->trace);
    setup_free(&stepper->setup);
    kept_free(stepper->kept);
    problem_free(&stepper->problem);
    *stepper = (struct stepper){ 0 };
}
