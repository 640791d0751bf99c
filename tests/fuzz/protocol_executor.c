// An executor's end of its pipes: requests of any bytes, and what comes after a line "--" as bytes that need be no
// message. Each request gets one last message, all that it says is JSON, and it ends when its input does. The runs
// themselves are left out; launch.c has them.
#include "tests/fuzz/shared/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/run/worker.h"

typedef bool run_on(struct worker *worker, const struct request *request, struct record *out,
                    struct error *error);
run_on __wrap_run_on_cpu, __wrap_run_on_gpu, __wrap_run_on_sim;
json_t *__wrap_worker_describe(struct worker *worker, bool measure);

// What every run does with a request before it does anything large.
bool __wrap_run_on_sim(struct worker *worker, const struct request *request, struct record *out,
                       struct error *error)
{
    json_t *json = request_to_json(request);
    must(json != NULL);
    json_decref(json);
    must(request_preset(request) && request->reps <= REPS_MOST && request->limit_ms <= LIMIT_MOST_MS);
    // A lab's library on the GPU has no source either.
    must(request->on == ON_CPU || request->source ||
         (request->on == ON_GPU && request->lab && request->variant));
    must(!request->memory_bytes ||
         (request->memory_bytes >= MEMORY_LEAST && request->memory_bytes <= MEMORY_MOST));
    worker_stage(worker, request->limit_ms, "running %s", request->file ? request->file : "nothing");
    out->title = mem_copy_if(request->variant);
    if (request->seed % 3 == 1)
        return error_set(error, EXIT_WRONG, "%s", request->source ? request->source : "wrong");
    if (request->seed % 3 == 2)
        return error_set(error, EXIT_MISSING, "%s", request->file ? request->file : "missing");
    out->status = STATUS_UNCHECKED;
    return true;
}

bool __wrap_run_on_cpu(struct worker *worker, const struct request *request, struct record *out,
                       struct error *error)
{
    return __wrap_run_on_sim(worker, request, out, error);
}

bool __wrap_run_on_gpu(struct worker *worker, const struct request *request, struct record *out,
                       struct error *error)
{
    return __wrap_run_on_sim(worker, request, out, error);
}

json_t *__wrap_worker_describe(struct worker *worker, bool measure)
{
    return json_pack("{s:b}", "measure", measure);
}

static int execute(void)
{
    return executor_main(EXECUTOR_MEASURES); // which is confined only when it opens the GPU
}

// Messages, of which as many are the last of an answer as there were requests.
static void check_answers(const struct text *said, size_t requests, bool more)
{
    enum message_kind kind;
    struct text message = { 0 };
    size_t ends = 0;
    int fd = bytes_file(text_string(said), said->length);
    while (message_receive(fd, &kind, &message)) {
        json_t *json = json_loadb(text_string(&message), message.length, 0, NULL);
        must(json_is_object(json) && (kind == MESSAGE_STAGE || kind == MESSAGE_RESULT));
        json_decref(json);
        ends += kind == MESSAGE_RESULT;
    }
    must(ends >= requests && (more || ends == requests));
    text_free(&message);
    close(fd);
}

static void add_message(struct text *out, const char *line, size_t length)
{
    const uint32_t head[] = { MESSAGE_REQUEST, (uint32_t)length };
    text_add_n(out, (const char *)head, sizeof head);
    text_add_n(out, line, length);
}

// The fuzzer's own descriptors stay open.
void __wrap_confine_descriptors(void);
void __wrap_confine_descriptors(void)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size, *line;
    struct text asked = { 0 }, said = { 0 };
    size_t requests = 0;
    fuzz_home();
    for (; (line = memchr(at, '\n', (size_t)(end - at))) && !(line - at == 2 && memcmp(at, "--", 2) == 0);
         at = line + 1, requests++)
        add_message(&asked, at, (size_t)(line - at));
    if (line)
        text_add_n(&asked, line + 1, (size_t)(end - line - 1));
    bytes_through(text_string(&asked), asked.length, execute, &said);
    check_answers(&said, requests, line != NULL);
    text_free(&asked);
    text_free(&said);
    return 0;
}
