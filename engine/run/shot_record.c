// What is known of a run besides its times: device, resources, copies in.
#include "engine/run/shot.h"

#include <math.h>

void shot_record_resources(const struct shot *shot, struct record *out)
{
    const struct gpu_launch *launch = &shot->plain[0];
    struct gpu *gpu = shot->worker->gpu;
    const struct resources *r = compiled_resources(&shot->module->compiled, shot->launches[0].kernel->name);
    int registers = gpu_function_registers(gpu, launch->function);
    int shared = gpu_function_shared(gpu, launch->function);
    int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    const struct arch *arch = arch_find(gpu_facts(gpu)->target);
    out->target = gpu_facts(gpu)->target;
    out->grid_blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    out->block_threads = threads;
    out->registers = registers >= 0 ? registers : NAN;
    out->shared_bytes = shared >= 0 ? (double)shared + launch->shared_bytes : NAN;
    out->spill_bytes = r && r->spill_bytes >= 0 ? r->spill_bytes : NAN;
    if (!arch)
        return;
    struct occupancy occupancy =
        occupancy_of(arch, threads, registers, (shared > 0 ? shared : 0) + (int)launch->shared_bytes);
    out->blocks_per_sm = occupancy.blocks;
    out->occupancy_pct = occupancy.percent;
    out->occupancy_limit = mem_copy(limiter_name(occupancy.limiter));
}

void shot_record_device(const struct shot *shot, struct record *out)
{
    const struct worker *worker = shot->worker;
    const struct gpu_facts *facts = gpu_facts(worker->gpu);
    struct text driver = { 0 };
    out->device = mem_copy(facts->name);
    text_addf(&driver, "CUDA %d.%d", facts->driver_version / 1000, facts->driver_version % 1000 / 10);
    out->driver = text_take(&driver);
    if (!worker->problem.lab || !worker->ceilings_known)
        return;
    const struct ceilings *c = &worker->ceilings;
    enum ceiling which = worker->problem.lab->ceiling;
    out->ceiling_gbps = which == CEILING_READ   ? c->read_gbps
                        : which == CEILING_COPY ? c->copy_gbps
                                                : c->shared_gbps;
}

void shot_record_uploads(const struct shot *shot, struct record *out)
{
    const struct problem *problem = &shot->worker->problem;
    out->h2d_ms = out->h2d_bytes = 0;
    for (size_t b = 0; b < problem->buffer_count; b++) {
        if (!problem->buffers[b].input || !shot_names(shot, problem->buffers[b].name))
            continue;
        out->h2d_ms += shot->worker->device[b].upload_ms;
        out->h2d_bytes += (double)problem->buffers[b].bytes;
    }
}
