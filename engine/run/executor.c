// An executor: the process in which kernels are read and run. It serves one kind of request after the other over its
// stdin and stdout, in messages, and gives up what it does not need before it looks at the first kernel. Everything that
// can crash, hang or eat memory happens here.
#include "engine/run/worker.h"

#include "engine/base/confine.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

// ---- an executor to its worker ------------------------------------------------------------------------

static void say(const struct worker *worker, enum message_kind kind, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    if (!text || !message_send(worker->answers, kind, text, strlen(text)))
        _exit(EXIT_MISSING); // the worker is gone
    free(text);
    json_decref(line);
}

void worker_stage(struct worker *worker, int limit_ms, const char *format, ...)
{
    struct text stage = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&stage, format, args);
    va_end(args);
    json_t *clean = json_string(text_string(&stage));
    say(worker, MESSAGE_STAGE,
        json_pack("{s:I, s:o, s:i}", "id", worker->id, "stage", clean ? clean : json_string("working"),
                  "limit_ms", limit_ms));
    text_free(&stage);
}

// The last message about a request. A GPU that is lost, or could not be opened, is left to the next executor.
static void worker_finish(const struct worker *worker, json_t *line)
{
    bool ends = worker->ends || (worker->gpu && gpu_lost(worker->gpu));
    say(worker, ends ? MESSAGE_FAREWELL : MESSAGE_RESULT, line);
    if (ends)
        _exit(EXIT_RIGHT); // the driver's own clean-up would wait for the kernel that hangs
}

static void worker_finish_with_error(const struct worker *worker, const struct error *error)
{
    worker_finish(worker, message_error(worker->id, error));
}

bool worker_compile(void *context, const struct compile_request *request, struct compiled *out,
                    struct error *error)
{
    const struct worker *worker = context;
    enum message_kind kind;
    struct text text = { 0 };
    compile_ask(request, &text);
    if (!message_send(worker->answers, MESSAGE_COMPILE, text.data, text.length) ||
        !message_receive(STDIN_FILENO, &kind, &text) || kind != MESSAGE_COMPILED)
        _exit(EXIT_MISSING);
    bool right = compile_answered(text_string(&text), text.length, out, error);
    text_free(&text);
    return right;
}

// ---- the process -------------------------------------------------------------------------------------

enum { DEFAULT_LIMIT_MS = 10000 };

// A kernel's printf ends in the stdout of this process, which would break the messages. So they get a descriptor of
// their own, and stdout becomes a file in memory.
static bool take_stdout(struct worker *worker)
{
    worker->answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    worker->printed = memfd_create("printed", MFD_CLOEXEC);
    if (worker->answers >= 0 && worker->printed >= 0 && dup2(worker->printed, STDOUT_FILENO) >= 0)
        return true;
    perror("warpbook worker: an executor cannot set up its streams");
    return false;
}

// Code that the driver assembles is cached beside what we compile, so that it needs no other folder.
static void keep_driver_cache(void)
{
    char *folder = path_cache("driver");
    if (folder)
        (void)setenv("CUDA_CACHE_PATH", folder, 0); // else it takes its usual folder until it is confined
    free(folder);
}

// clang's OpenMP runtime registers itself in shared memory when it starts, and aborts where it may not, as in a confined
// process. What it registered is removed at once, since a process that is confined or killed leaves it.
static void start_openmp(void)
{
#ifdef _OPENMP
    char path[64]; // what shm_unlink would remove; it asks for librt before glibc 2.34
    (void)omp_get_max_threads();
    format_into(path, sizeof path, "/dev/shm/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
    (void)unlink(path); // gcc's runtime registers nothing
#endif
}

// Each machine has its own lock for CPU runs, since several may share the folder of the locks.
static struct lock *open_cpu_lock(void)
{
    char host[65] = "", name[80];
    (void)gethostname(host, sizeof host - 1);
    format_into(name, sizeof name, "cpu-%s", host);
    return lock_open(name, "CPU");
}

// ---- requests -------------------------------------------------------------------------------------------

// A kernel that is wrong leaves a record that says so; only what is missing or misused here is an error.
static void serve_run(struct worker *worker, json_t *json)
{
    struct error error = { 0 };
    struct request request;
    struct record record;
    double start = clock_ms();
    if (!request_from_json(&request, json, &error)) {
        worker_finish_with_error(worker, &error);
        return;
    }
    if (!request.limit_ms)
        request.limit_ms = DEFAULT_LIMIT_MS;
    record_init(&record);
    record.lab = request.lab ? mem_copy(request.lab) : NULL;
    record.variant = request.variant ? mem_copy(request.variant) : NULL;
    record.backend = request.on;
    char date[32];
    clock_date(date, sizeof date);
    record.date = mem_copy(date);

    bool done = request.on == ON_GPU   ? run_on_gpu(worker, &request, &record, &error)
                : request.on == ON_SIM ? run_on_sim(worker, &request, &record, &error)
                                       : run_on_cpu(worker, &request, &record, &error);
    if (!done && error.code == EXIT_WRONG) {
        record.status = STATUS_FAILED;
        record.message = text_clean(error.text);
        done = true;
    }
    record.total_ms = clock_ms() - start;
    if (done)
        worker_finish(worker, json_pack("{s:I, s:o}", "id", worker->id, "result", record_to_json(&record)));
    else
        worker_finish_with_error(worker, &error);
    record_free(&record);
    request_free(&request);
}

static void serve(struct worker *worker, const struct text *line)
{
    struct error error;
    json_t *json = json_loadb(text_string(line), line->length, JSON_REJECT_DUPLICATES, NULL);
    const char *verb = json_string_value(json_object_get(json, "do"));
    worker->id = json_integer_value(json_object_get(json, "id"));
    if (verb && strcmp(verb, "run") == 0) {
        serve_run(worker, json);
    } else if (verb && strcmp(verb, "describe") == 0) {
        bool measure = json_is_true(json_object_get(json, "measure"));
        worker_finish(worker,
                      json_pack("{s:I, s:o}", "id", worker->id, "result", worker_describe(worker, measure)));
    } else {
        error_set(&error, EXIT_USAGE, "An executor got a request that it does not know.");
        worker_finish_with_error(worker, &error);
    }
    json_decref(json);
}

// A lab's data stay on the GPU for the next run. While none comes, they are given back as soon as another process has
// this GPU open, so that a class of learners who read does not fill it.
static bool receive(struct worker *worker, enum message_kind *kind, struct text *line)
{
    enum { REST_MS = 2000 };
    struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
    int patience = worker->gpu ? REST_MS : -1;
    while (poll(&in, 1, patience) == 0) {
        if (lock_others(gpu_lock(worker->gpu)).open == 0)
            continue;
        worker_give_back(worker);
        patience = -1;
    }
    return message_receive(STDIN_FILENO, kind, line);
}

int executor_main(const char *name)
{
    struct worker *worker = mem_new(sizeof *worker);
    struct text line = { 0 };
    struct error error;
    enum message_kind kind;
    bool simulates = strcmp(name, EXECUTOR_SIMULATES) == 0;
    confine_descriptors();
    if (!simulates) {
        keep_driver_cache();
        worker->cpu_lock = open_cpu_lock();
    }
    if (!take_stdout(worker))
        return EXIT_MISSING;
    start_openmp();
    worker->gauge = memory_gauge_open(""); // while files can be opened
    if (simulates && !worker_confine(worker, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_MISSING;
    }
    while (receive(worker, &kind, &line) && kind == MESSAGE_REQUEST)
        serve(worker, &line);
    text_free(&line);
    worker_gpu_close(worker);
    lock_close(worker->cpu_lock);
    close(worker->answers);
    close(worker->printed);
    memory_gauge_close(worker->gauge);
    free(worker);
    return EXIT_RIGHT;
}
