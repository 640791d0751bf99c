// A run's answers: every element compared, and who owns the first wrong one.
#include "engine/run/shot.h"

#include <math.h>
#include <string.h>

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

// As many parts as the owner line gives: "block 3", or "block (3, 1)".
static void add_place(struct text *out, const char *what, const struct dims *given, struct dim3 d)
{
    if (given->part[2])
        text_addf(out, "%s (%lld, %lld, %lld)", what, (long long)d.x, (long long)d.y, (long long)d.z);
    else if (given->part[1])
        text_addf(out, "%s (%lld, %lld)", what, (long long)d.x, (long long)d.y);
    else
        text_addf(out, "%s %lld", what, (long long)d.x);
}

// Which block and thread write the first wrong element, as the file's owner line says.
static void find_owner(const struct shot *shot, const struct check *check, struct text *out)
{
    for (size_t o = 0; o < shot->variant.owner_count && check->wrong; o++) {
        const struct owner *owner = &shot->variant.owners[o];
        struct binding bindings[24];
        size_t count = shot->scope.count;
        struct dim3 block, thread;
        struct error unused;
        if (strcmp(owner->buffer, check->buffer) != 0)
            continue;
        memcpy(bindings, shot->scope.bindings, count * sizeof *bindings);
        bindings[count] = (struct binding){ "i", value_int((int64_t)check->index) };
        struct scope scope = { bindings, count + 1 };
        if (owner_eval(owner, &scope, &block, &thread, &unused)) {
            add_place(out, "block", &owner->block, block);
            add_place(out, ", thread", &owner->thread, thread);
        }
    }
}

bool shot_check(struct shot *shot, struct record *out, struct error *error)
{
    struct check check = { 0 };
    struct text where = { 0 };
    if (!compare_all(shot, &check, out, error))
        return false;
    find_owner(shot, &check, &where);
    record_check(out, &check, &shot->worker->problem, text_string(&where));
    text_free(&where);
    return true;
}
