// Other data at each repeat, for runs that are compared with those of others: a kernel that remembers what came out is wrong
// then. A few elements of each input are overwritten by others of it, at places that nobody can know, so the values stay
// those of the lab; the reference computes its answer anew. Where the answer are some of the input's values, one that is
// among them and one that is not change places instead, so that they stay as many. Where the reference knows its answer by a
// formula, rows change places, and their answers with them. A lab without any of this keeps its data.
#include "engine/run/worker.h"

#include <stdlib.h>
#include <string.h>

enum { EDITS = 16, ELEMENT_MOST = 64 };

struct vary { // how this lab's data are changed
    struct worker *worker;
    size_t inputs[LAB_BUFFERS], input_count;
    size_t kept; // values below this are kept in the answer, which has no others; 0: there is no such
    struct problem_buffer *answer; // whose rows move with those of the input; NULL: none do
    int64_t rows, block;           // of these
};
struct edit {
    size_t buffer, at, from; // elements or rows
    bool swaps;
    unsigned char was[ELEMENT_MOST];
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// The bytes of what one edit moves.
static size_t size_of(const struct vary *vary, const struct problem_buffer *buffer)
{
    return buffer->bytes / (vary->answer ? (size_t)vary->rows : buffer->count);
}

static bool put(const struct vary *vary, size_t b, size_t place, struct error *error)
{
    struct worker *worker = vary->worker;
    const struct problem_buffer *buffer = &worker->problem.buffers[b];
    const struct device_buffer *device = &worker->device[b];
    size_t size = size_of(vary, buffer), at = place * size;
    const char *from = (const char *)buffer->input + at;
    double ms;
    return (!device->address || gpu_upload(worker->gpu, device->address + at, from, size, &ms, error)) &&
           (!device->pristine || gpu_upload(worker->gpu, device->pristine + at, from, size, &ms, error));
}

static void exchange(void *bytes, size_t size, const struct edit *edit)
{
    char *at = (char *)bytes + edit->at * size, *from = (char *)bytes + edit->from * size;
    for (size_t i = 0; i < size; i++) {
        char was = at[i];
        at[i] = from[i];
        from[i] = was;
    }
}

// Makes the edit, or takes it back. Two that have changed places do so again.
static bool apply(const struct vary *vary, struct edit *edit, bool back, struct error *error)
{
    const struct problem_buffer *buffer = &vary->worker->problem.buffers[edit->buffer];
    size_t size = size_of(vary, buffer);
    char *at = (char *)buffer->input + edit->at * size;
    if (edit->swaps) {
        exchange(buffer->input, size, edit);
        if (vary->answer)
            exchange(vary->answer->want, size_of(vary, vary->answer), edit);
        return put(vary, edit->buffer, edit->at, error) && put(vary, edit->buffer, edit->from, error);
    }
    if (!back)
        memcpy(edit->was, at, size);
    memcpy(at, back ? (const char *)edit->was : (const char *)buffer->input + edit->from * size, size);
    return put(vary, edit->buffer, edit->at, error);
}

static uint64_t answer_hash(const struct problem *problem)
{
    const size_t part = 1 << 20;
    uint64_t hash = 0;
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        const char *want = buffer->want;
#pragma omp parallel for reduction(+ : hash)
        for (size_t at = 0; at < (want ? buffer->bytes : 0); at += part)
            hash += hash_more(b + at, want + at, buffer->bytes - at < part ? buffer->bytes - at : part);
    }
    return hash;
}

// What moves in this lab: its rows, or elements of its inputs.
static bool plan(struct vary *vary, struct error *error)
{
    struct problem *problem = &vary->worker->problem;
    const struct lab_rows *moves = &problem->lab->moves;
    struct expr_scope scope = problem_scope(problem);
    struct expr_value rows, block;
    for (size_t b = 0; b < problem->buffer_count && vary->input_count < LAB_BUFFERS; b++) {
        const struct problem_buffer *buffer = &problem->buffers[b];
        vary->kept = buffer->any_order ? buffer->values->below : vary->kept;
        bool moves_here = moves->input ? strcmp(moves->input, buffer->name) == 0
                                       : buffer->count && buffer->bytes / buffer->count <= ELEMENT_MOST;
        if (buffer->direction == BUFFER_IN && moves_here)
            vary->inputs[vary->input_count++] = b;
    }
    if (!moves->input)
        return true;
    vary->answer = problem_buffer_find(problem, moves->output);
    if (!expr_eval_text(moves->rows, &scope, &rows, error) ||
        !expr_eval_text(moves->block, &scope, &block, error))
        return false;
    vary->rows = value_as_int(rows);
    vary->block = value_as_int(block);
    return true;
}

static bool is_kept(const struct vary *vary, const struct problem_buffer *buffer, size_t at)
{
    return (size_t)((const int *)buffer->input)[at] < vary->kept;
}

static struct edit draw(const struct vary *vary, size_t index, uint64_t *state)
{
    struct edit edit = { .buffer = vary->inputs[index % vary->input_count] };
    const struct problem_buffer *buffer = &vary->worker->problem.buffers[edit.buffer];
    if (vary->answer) {
        size_t block = (size_t)vary->block;
        edit.at = next(state) % (size_t)vary->rows;
        edit.from = edit.at - edit.at % block + next(state) % block;
        edit.swaps = true;
    } else {
        edit.at = next(state) % buffer->count;
        edit.from = next(state) % buffer->count;
        edit.swaps = vary->kept && is_kept(vary, buffer, edit.at) != is_kept(vary, buffer, edit.from);
    }
    return edit;
}

bool worker_vary(struct worker *worker, uint64_t *state, bool *follows, struct error *error)
{
    struct problem *problem = &worker->problem;
    struct vary vary = { .worker = worker };
    struct edit edits[EDITS];
    size_t count = 0;
    bool fine = plan(&vary, error);
    uint64_t before = *follows ? 0 : answer_hash(problem);
    while (vary.input_count && fine && count < EDITS) {
        edits[count] = draw(&vary, count, state);
        fine = apply(&vary, &edits[count++], false, error);
    }
    if (fine && !vary.answer)
        problem->lab->solve(problem);
    *follows = *follows || (fine && answer_hash(problem) != before);
    while (fine && !*follows && count)
        fine = apply(&vary, &edits[--count], true, error);
    return fine;
}
