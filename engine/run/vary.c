// Other data at each repeat, for runs that are compared with those of others: a kernel that remembers what came out is wrong
// then. A few elements of each input are overwritten by others of it, at places that nobody can know, so the values stay
// those of the lab; the reference computes its answer anew. Where the answer does not follow (a lab that knows it by a
// formula) the data stay as they were.
#include "engine/run/worker.h"

#include <stdlib.h>
#include <string.h>

enum { EDITS = 16, ELEMENT_MOST = 64 };

struct edit {
    size_t buffer, at, from; // elements; with `swaps`, `from` gets what `at` had
    unsigned char was[ELEMENT_MOST];
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool put(struct worker *worker, size_t b, size_t element, struct error *error)
{
    const struct problem_buffer *buffer = &worker->problem.buffers[b];
    const struct device_buffer *device = &worker->device[b];
    size_t size = buffer->bytes / buffer->count, at = element * size;
    const char *from = (const char *)buffer->input + at;
    double ms;
    return (!device->address || gpu_upload(worker->gpu, device->address + at, from, size, &ms, error)) &&
           (!device->pristine || gpu_upload(worker->gpu, device->pristine + at, from, size, &ms, error));
}

// Copies, or exchanges where no two values may be alike.
static bool apply(struct worker *worker, struct edit *edit, bool swaps, struct error *error)
{
    const struct problem_buffer *buffer = &worker->problem.buffers[edit->buffer];
    size_t size = buffer->bytes / buffer->count;
    char *at = (char *)buffer->input + edit->at * size, *from = (char *)buffer->input + edit->from * size;
    memcpy(edit->was, at, size);
    memcpy(at, from, size);
    if (swaps)
        memcpy(from, edit->was, size);
    return put(worker, edit->buffer, edit->at, error) &&
           (!swaps || put(worker, edit->buffer, edit->from, error));
}

static bool undo(struct worker *worker, const struct edit *edit, bool swaps, struct error *error)
{
    const struct problem_buffer *buffer = &worker->problem.buffers[edit->buffer];
    size_t size = buffer->bytes / buffer->count;
    char *at = (char *)buffer->input + edit->at * size, *from = (char *)buffer->input + edit->from * size;
    if (swaps)
        memcpy(from, at, size);
    memcpy(at, edit->was, size);
    return put(worker, edit->buffer, edit->at, error) &&
           (!swaps || put(worker, edit->buffer, edit->from, error));
}

static uint64_t answer_hash(const struct problem *problem)
{
    uint64_t hash = 0;
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (problem->buffers[b].want)
            hash = hash_more(hash, problem->buffers[b].want, problem->buffers[b].bytes);
    return hash;
}

bool worker_vary(struct worker *worker, uint64_t *state, bool *varied, struct error *error)
{
    struct problem *problem = &worker->problem;
    struct edit edits[EDITS];
    size_t count = 0, inputs[LAB_BUFFERS], input_count = 0;
    bool swaps = problem->lab->any_order, fine = true;
    for (size_t b = 0; b < problem->buffer_count && input_count < LAB_BUFFERS; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        if (buffer->direction == BUFFER_IN && buffer->count && buffer->bytes / buffer->count <= ELEMENT_MOST)
            inputs[input_count++] = b;
    }
    uint64_t before = answer_hash(problem);
    for (size_t i = 0; input_count && fine && i < EDITS; i++) {
        struct edit *edit = &edits[count++];
        edit->buffer = inputs[i % input_count];
        edit->at = next(state) % problem->buffers[edit->buffer].count;
        edit->from = next(state) % problem->buffers[edit->buffer].count;
        fine = apply(worker, edit, swaps, error);
    }
    if (fine)
        problem->lab->solve(problem);
    *varied = fine && answer_hash(problem) != before;
    while (fine && !*varied && count)
        fine = undo(worker, &edits[--count], swaps, error);
    return fine;
}
