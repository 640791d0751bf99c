// A kernel file opened for stepping: compiled, its data made, and one launch after the other traced.
#include "engine/run/simulation.h"

#include <stdlib.h>
#include <string.h>

static bool suits(const struct walk *walk, struct error *error)
{
    struct record record;
    bool suited;
    record_init(&record);
    bool good = variant_suits(&walk->scene.variant, &walk->scene.scope, &suited, &record, error);
    if (good && !suited)
        good = error_set(error, EXIT_USAGE, "This size does not suit the kernel: it %s.",
                         record.message ? record.message : "needs another one");
    record_free(&record);
    return good;
}

bool walk_open(struct walk *walk, const struct request *request, struct error *error)
{
    struct scene *scene = &walk->scene;
    if (!scene_parse(scene, request, error) || !request_plan(request, &scene->variant, &walk->problem, error))
        return false;
    scene_bind(scene, &walk->problem);
    struct memory_gauge *gauge = memory_gauge_open("");
    double free = memory_gauge_free(gauge);
    memory_gauge_close(gauge);
    if (!suits(walk, error) || !scene_count(scene, &walk->problem, free, error) ||
        !scene_compile(scene, error) || !problem_generate(&walk->problem, &scene->variant, error) ||
        !scene_place(scene, &walk->problem, error))
        return false;
    if (!scene->variant.launch_count)
        return error_set(error, EXIT_USAGE, "%s has no launch line.", request->file);
    return walk_launch(walk, 0, error);
}

bool walk_launch(struct walk *walk, size_t launch, struct error *error)
{
    const struct launch *line = &walk->scene.variant.launches[launch];
    struct sim_launch what;
    struct sim_options options = scene_options(&walk->scene);
    struct sim_fault fault;
    sim_trace_close(walk->trace);
    walk->trace = NULL;
    walk->launch = launch;
    if (!scene_pack(&walk->scene, line, &walk->packed, &what, error))
        return false;
    if (!sim_trace_open(walk->scene.module, walk->scene.memory, &what, &options, &walk->trace, &fault))
        return error_at(error, &walk->scene.variant.source, line->at, "%s", fault.text);
    return true;
}

bool walk_ended(const struct walk *walk)
{
    struct sim_spot spot;
    sim_trace_where(walk->trace, &spot);
    return spot.ended;
}

static bool is_complete(const struct walk *walk)
{
    struct sim_spot spot;
    sim_trace_where(walk->trace, &spot);
    return spot.ended && !spot.stopped;
}

static bool is_last(const struct walk *walk)
{
    return walk->launch + 1 >= walk->scene.variant.launch_count;
}

bool walk_goes_on(const struct walk *walk)
{
    return is_complete(walk) && !is_last(walk);
}

size_t walk_findings(const struct walk *walk, struct sim_finding **out)
{
    struct sim_finding *late = NULL;
    size_t count = sim_trace_findings(walk->trace, out), more = 0;
    if (is_last(walk) && walk->scene.request->check == REQUEST_CHECK_ALL && is_complete(walk))
        more = sim_memory_never_written(walk->scene.memory, &late);
    struct sim_finding *all = more ? realloc(*out, (count + more) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + count, late, more * sizeof *all);
        *out = all;
        count += more;
    }
    free(late);
    return count;
}

void walk_close(struct walk *walk)
{
    sim_trace_close(walk->trace);
    scene_free(&walk->scene);
    problem_free(&walk->problem);
    *walk = (struct walk){ 0 };
}
