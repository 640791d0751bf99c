// What this worker's machine has, for doctor: compilers, driver, GPU, ceilings. Each part that is missing
// says what to do.
#include "engine/base/confine.h"
#include "engine/run/worker.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const compiler_names[] = { "none", "nvrtc", "clang", "shipped" };

static json_t *describe_compilers(void)
{
    struct compiler_state states[3];
    int count = compiler_probe(states);
    json_t *all = json_array();
    for (int i = 0; i < count; i++) {
        const struct compiler_state *state = &states[i];
        json_t *one = json_pack("{s:s, s:b}", "name", compiler_names[state->kind], "found", state->found);
        if (state->found) {
            json_object_set_new(one, "version", json_string(state->version));
            json_object_set_new(one, "path", json_string(state->path));
            json_t *targets = json_array();
            for (int t = 0; t < state->target_count; t++)
                json_array_append_new(targets, json_integer(state->targets[t]));
            json_object_set_new(one, "targets", targets);
        } else {
            json_object_set_new(one, "advice", json_string(state->advice));
        }
        json_array_append_new(all, one);
    }
    return all;
}

static void set_number(json_t *object, const char *key, double number)
{
    if (isfinite(number))
        json_object_set_new(object, key, json_real(number));
}

static json_t *describe_facts(const struct gpu_facts *facts)
{
    json_t *gpu =
        json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i}", "name", facts->name, "uuid", facts->uuid,
                  "target", facts->target, "sm_count", facts->sm_count, "l2_bytes", facts->l2_bytes,
                  "shared_block_bytes", facts->shared_block_bytes, "driver_version", facts->driver_version,
                  "memory_bus_bits", facts->memory_bus_bits);
    set_number(gpu, "memory_bytes", facts->memory_bytes);
    set_number(gpu, "clock_mhz", facts->clock_mhz);
    set_number(gpu, "memory_clock_mhz", facts->memory_clock_mhz);
    return gpu;
}

static json_t *describe_ceilings(const struct ceilings *c)
{
    json_t *ceilings = json_pack("{s:s}", "date", c->date);
    set_number(ceilings, "read_gbps", c->read_gbps);
    set_number(ceilings, "copy_gbps", c->copy_gbps);
    set_number(ceilings, "shared_gbps", c->shared_gbps);
    set_number(ceilings, "launch_us", c->launch_us);
    return ceilings;
}

void describe_host(json_t *out)
{
    struct confine_state state = confine_state();
    json_object_set_new(out, "compilers", describe_compilers());
    json_object_set_new(out, "confinement",
                        json_pack("{s:i, s:b, s:b, s:b}", "landlock", state.landlock, "seccomp",
                                  state.seccomp, "sanitizer", state.sanitizer, "profiler", state.profiler));
}

json_t *worker_describe(struct worker *worker, bool measure)
{
    struct error error = { 0 };
    char host[256] = "unknown";
    gethostname(host, sizeof host - 1);
    json_t *result = json_pack("{s:s}", "host", host);
    if (!worker_gpu(worker, measure, &error) && !worker->gpu) {
        json_object_set_new(result, "gpu_missing", json_string(error.text));
        return result;
    }
    json_object_set_new(result, "gpu", describe_facts(gpu_facts(worker->gpu)));
    json_object_set_new(result, "driver_path", json_string(driver_path(worker->driver)));
    if (worker->ceilings_known)
        json_object_set_new(result, "ceilings", describe_ceilings(&worker->ceilings));
    else
        json_object_set_new(
            result, "ceilings_missing",
            json_string(*error.text ? error.text : "The helper kernels could not be compiled."));
    return result;
}
