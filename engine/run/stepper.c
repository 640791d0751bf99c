// A kernel file opened for stepping: compiled, its data made, and one launch after the other traced.
#include "engine/run/simulation.h"

#include <stdlib.h>
#include <string.h>

static bool suits(const struct stepper *stepper, struct error *error)
{
    struct record record;
    bool suited;
    record_init(&record);
    bool good = outcome_suits(&stepper->setup.variant, &stepper->setup.scope, &suited, &record, error);
    if (good && !suited)
        good = error_set(error, EXIT_USAGE, "This size does not suit the kernel: it %s.",
                         record.message ? record.message : "needs another one");
    record_free(&record);
    return good;
}

bool stepper_open(struct stepper *stepper, const struct request *request, struct error *error)
{
    struct sim_setup *setup = &stepper->setup;
    if (!sim_setup_parse(setup, request, error) ||
        !request_plan(request, &setup->variant, &stepper->problem, error))
        return false;
    sim_setup_bind(setup, &stepper->problem);
    struct memory_gauge *gauge = memory_gauge_open("");
    double free = memory_gauge_free(gauge);
    memory_gauge_close(gauge);
    if (!suits(stepper, error) || !sim_setup_count(setup, &stepper->problem, free, error) ||
        !sim_setup_compile(setup, error) || !problem_generate(&stepper->problem, &setup->variant, error) ||
        !sim_setup_place(setup, &stepper->problem, error))
        return false;
    if (!setup->variant.launch_count)
        return error_set(error, EXIT_USAGE, "%s has no launch line.", request->file);
    return stepper_launch(stepper, 0, error);
}

bool stepper_launch(struct stepper *stepper, size_t launch, struct error *error)
{
    const struct launch *line = &stepper->setup.variant.launches[launch];
    struct sim_launch what;
    struct sim_options options = sim_setup_options(&stepper->setup);
    struct sim_fault fault;
    sim_trace_close(stepper->trace);
    stepper->trace = NULL;
    stepper->launch = launch;
    if (!sim_setup_pack(&stepper->setup, line, &stepper->packed, &what, error))
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
    return count;
}

void stepper_close(struct stepper *stepper)
{
    sim_trace_close(stepper->trace);
    sim_setup_free(&stepper->setup);
    problem_free(&stepper->problem);
    *stepper = (struct stepper){ 0 };
}
