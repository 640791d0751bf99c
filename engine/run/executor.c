// An executor: the process in which kernels are read and run. It serves one kind of request after the other over its
// stdin and stdout, in messages, and gives up what it does not need before it looks at the first kernel. Everything that
// can crash, hang or eat memory happens here.
#include "engine/run/message.h"
#include "engine/run/worker.h"

#include "engine/base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEFAULT_LIMIT_MS = 10000 };

static void say(const struct worker *worker, enum message_kind kind, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    if (!text || !message_send(worker->answers, kind, text, strlen(text)))
        _exit(EXIT_MISSING); // nobody can hear it any more
    free(text);
    json_decref(line);
}

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

char *worker_printed(struct worker *worker)
{
    enum { MOST = 65536 };
    char *raw = mem_new(MOST);
    struct text clean = { 0 };
    fflush(stdout);
    ssize_t length = pread(worker->printed, raw, MOST, 0);
    if (length > 0)
        text_add_clean(&clean, raw, (size_t)length);
    free(raw);
    if (ftruncate(worker->printed, 0) != 0 || lseek(STDOUT_FILENO, 0, SEEK_SET) < 0)
        text_add(&clean, "\n(the output of later runs follows it)");
    return clean.length ? text_take(&clean) : NULL;
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

// The last words about a request. A GPU that is lost, or could not be had, is for the next executor to open.
static void finish(const struct worker *worker, json_t *line)
{
    bool ends = worker->ends || (worker->gpu && gpu_lost(worker->gpu));
    say(worker, ends ? MESSAGE_FAREWELL : MESSAGE_RESULT, line);
    if (ends)
        _exit(EXIT_RIGHT); // the driver's own clean-up would wait for the kernel that hangs
}

static void finish_with_error(const struct worker *worker, const struct error *error)
{
    struct text clean = { 0 };
    text_add_clean(&clean, error->text, strlen(error->text));
    json_t *line = json_pack("{s:I, s:{s:i, s:s}}", "id", worker->id, "error", "code", (int)error->code,
                             "text", text_string(&clean));
    text_free(&clean);
    finish(worker, line);
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

// ---- what it gives up -----------------------------------------------------------------------------------

static void *end_thread(void *unused)
{
    pthread_exit(unused);
}

// The C library opens its unwinder when the first thread ends by pthread_exit, as OpenMP's do; later it could not.
static void load_unwinder(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static bool confine(struct worker *worker, const struct confine_plan *plan, struct error *error)
{
    struct confinement *confinement = confinement_new(plan);
    load_unwinder();
    worker->confined = confinement_apply(confinement);
    confinement_free(confinement);
    return worker->confined ||
           error_set(error, EXIT_MISSING, "The process that runs kernels cannot be confined: %s.",
                     strerror(errno));
}

// What the driver assembles is kept with what we compile, so that it needs no other folder.
static void keep_driver_cache(void)
{
    char *folder = path_cache("driver");
    if (folder)
        (void)setenv("CUDA_CACHE_PATH", folder, 0); // else it takes its usual folder until it is confined
    free(folder);
}

static bool confine_to_computing(struct worker *worker, struct error *error)
{
    return confine(worker, &(struct confine_plan){ .calls = CALLS_COMPUTE, .files = true, .own = true },
                   error);
}

// With the GPU open: the driver's own files, and the cache, where it keeps what it assembles.
static bool confine_to_driver(struct worker *worker, struct error *error)
{
    struct confine_plan plan = { .calls = CALLS_DRIVER, .files = true, .libraries = true, .own = true };
    struct driver_files files;
    struct error ignored;
    char *cache = path_cache(""), *lock = gpu_lock_file(gpu_facts(worker->gpu)->uuid);
    driver_files(worker->driver, &files);
    for (size_t i = 0; i < files.read_count; i++)
        confine_read(&plan, files.read[i]);
    for (size_t i = 0; i < files.change_count; i++)
        confine_change(&plan, files.change[i]);
    if (cache && folder_make(cache, &ignored)) // else nothing is kept, which is no error
        confine_change(&plan, cache);
    confine_change(&plan, lock);
    bool confined = confine(worker, &plan, error);
    free(cache);
    free(lock);
    return confined;
}

// Where there is no GPU the kernel file is still read for what is wrong with it, by a process that does nothing after.
bool worker_meet_kernel(struct worker *worker, struct error *no_gpu)
{
    struct error error;
    bool opened = worker_gpu(worker, false, no_gpu);
    bool confined = worker->confined ||
                    (opened ? confine_to_driver(worker, &error) : confine_to_computing(worker, &error));
    if (!opened)
        worker->ends = true;
    if (!confined)
        *no_gpu = error;
    return opened && confined;
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
        finish_with_error(worker, &error);
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
        struct text clean = { 0 };
        text_add_clean(&clean, error.text, strlen(error.text));
        record.status = STATUS_FAILED;
        record.message = text_take(&clean);
        done = true;
    }
    record.total_ms = clock_ms() - start;
    if (done)
        finish(worker, json_pack("{s:I, s:o}", "id", worker->id, "result", record_to_json(&record)));
    else
        finish_with_error(worker, &error);
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
        finish(worker, json_pack("{s:I, s:o}", "id", worker->id, "result", worker_describe(worker, measure)));
    } else {
        error_set(&error, EXIT_USAGE, "An executor was asked for what it does not know.");
        finish_with_error(worker, &error);
    }
    json_decref(json);
}

int executor_main(const char *name)
{
    struct worker *worker = mem_new(sizeof *worker);
    struct text line = { 0 };
    struct error error;
    enum message_kind kind;
    bool simulates = strcmp(name, EXECUTOR_SIMULATES) == 0;
    confine_descriptors();
    if (!simulates)
        keep_driver_cache();
    if (!take_stdout(worker))
        return EXIT_MISSING;
    worker->gauge = memory_gauge_open(""); // while files can be opened
    if (simulates && !confine_to_computing(worker, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_MISSING;
    }
    while (message_receive(STDIN_FILENO, &kind, &line) && kind == MESSAGE_REQUEST)
        serve(worker, &line);
    text_free(&line);
    worker_gpu_close(worker);
    close(worker->answers);
    close(worker->printed);
    memory_gauge_close(worker->gauge);
    free(worker);
    return EXIT_RIGHT;
}
