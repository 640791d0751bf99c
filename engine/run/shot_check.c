// A run's answers: every element compared, and who owns the first wrong one.
#include "engine/run/shot.h"

#include <math.h>

struct looking {
    struct check *check;
    const struct problem_buffer *buffer;
};

static void look_at_piece(void *context, const void *bytes, size_t offset, size_t length)
{
    struct looking *looking = context;
    check_piece(looking->check, looking->buffer, bytes, offset, length);
}

static bool compare_all(struct shot *shot, struct check *check, struct record *out, struct error *error)
{
    struct worker *worker = shot->worker;
    worker_stage(worker, 120000, "checking");
    for (size_t b = 0; b < worker->problem.buffer_count; b++) {
        const struct problem_buffer *buffer = &worker->problem.buffers[b];
        struct looking looking = { check, buffer };
        double ms = 0;
        if (!buffer->want || !worker->device[b].address || !shot_names(shot, buffer->name))
            continue;
        if (!gpu_download_each(worker->gpu, worker->device[b].address, buffer->bytes, look_at_piece, &looking,
                               &ms, error))
            return false;
        out->d2h_ms = (isnan(out->d2h_ms) ? 0 : out->d2h_ms) + ms;
        out->d2h_bytes = (isnan(out->d2h_bytes) ? 0 : out->d2h_bytes) + (double)buffer->bytes;
    }
    return true;
}

bool shot_check(struct shot *shot, struct record *out, struct error *error)
{
    struct check check = { 0 };
    struct text where = { 0 };
    if (!compare_all(shot, &check, out, error))
        return false;
    check_owner(&check, &shot->variant, &shot->scope, &where);
    record_check(out, &check, &shot->worker->problem, text_string(&where));
    text_free(&where);
    return true;
}
