// The worker's end of the protocol: requests of any bytes on its stdin. Each line gets an answer that is a line of JSON,
// and the worker ends when its input does. The runs themselves are left out; launch.c has them.
#include "tests/fuzz/shared/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    must(request->on == ON_CPU || request->source);
    worker_stage(worker, request->limit_ms, "running %s", request->file ? request->file : "nothing");
    out->title = mem_copy_if(request->variant);
    if (request->seed % 3 == 1)
        return error_set(error, EXIT_WRONG, "%s", request->source ? request->source : "wrong");
    if (request->seed % 3 == 2)
        return error_set(error, EXIT_MISSING, "%s", request->file ? request->file : "missing");
    out->status = mem_copy("unchecked");
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

static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static size_t count_lines(const void *bytes, size_t size)
{
    size_t count = 0;
    for (const char *at = bytes, *end = at + size; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        count++;
    return count;
}

// Every answer is a line of JSON; the last ones of all lines are results or errors.
static void check_answers(int fd, size_t requests)
{
    struct text said = { 0 };
    char piece[65536];
    ssize_t got;
    size_t answers = 0;
    lseek(fd, 0, SEEK_SET);
    while ((got = read(fd, piece, sizeof piece)) > 0)
        text_add_n(&said, piece, (size_t)got);
    for (char *line = said.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        json_t *answer = json_loads(line, 0, NULL);
        must(json_is_object(answer));
        answers += json_object_get(answer, "result") || json_object_get(answer, "error");
        json_decref(answer);
    }
    must(answers == requests);
    text_free(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_home();
    int in = file_of(data, size), out = file_of("", 0), before[2];
    for (int i = 0; i < 2; i++)
        before[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
    fflush(stdout);
    must(dup2(in, STDIN_FILENO) == STDIN_FILENO && dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
    must(worker_main() == EXIT_RIGHT);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        dup2(before[i], i);
        close(before[i]);
    }
    check_answers(out, count_lines(data, size));
    close(in);
    close(out);
    return 0;
}
