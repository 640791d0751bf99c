// The worker: reads one request a line, does it, answers in lines, and ends when nobody asks any more.
// PROTOCOL.md in this folder describes the lines. Everything that can crash, hang or eat memory happens
// here, so that it takes this process down and not the one that a person looks at.
#include "engine/run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { IDLE_MS = 60000, DEFAULT_LIMIT_MS = 10000 };

static void say(struct worker *worker, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    if (text) {
        fputs(text, worker->protocol);
        fputc('\n', worker->protocol);
        fflush(worker->protocol);
    }
    free(text);
    json_decref(line);
}

// A kernel's printf ends in the stdout of this process, which would break the lines of the protocol. So the
// protocol gets a descriptor of its own, and stdout becomes a file in memory.
static void take_stdout(struct worker *worker)
{
    int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    worker->protocol = kept >= 0 ? fdopen(kept, "w") : NULL;
    worker->printed = memfd_create("printed", MFD_CLOEXEC);
    if (!worker->protocol || worker->printed < 0 || dup2(worker->printed, STDOUT_FILENO) < 0) {
        perror("warpbook worker: cannot set up its streams");
        exit(EXIT_MISSING);
    }
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
    say(worker, json_pack("{s:I, s:o, s:i}", "id", worker->id, "stage",
                          clean ? clean : json_string("working"), "limit_ms", limit_ms));
    text_free(&stage);
}

static void say_error(struct worker *worker, const struct error *error)
{
    struct text clean = { 0 };
    text_add_clean(&clean, error->text, strlen(error->text));
    say(worker, json_pack("{s:I, s:{s:i, s:s}}", "id", worker->id, "error", "code", (int)error->code, "text",
                          text_string(&clean)));
    text_free(&clean);
}

// ---- run -------------------------------------------------------------------------------------------

// A kernel that is wrong leaves a record that says so; only what is missing or misused here is an error.
static void serve_run(struct worker *worker, json_t *json)
{
    struct error error = { 0 };
    struct request request;
    struct record record;
    double start = clock_ms();
    if (!request_from_json(&request, json, &error)) {
        say_error(worker, &error);
        return;
    }
    if (!request.limit_ms)
        request.limit_ms = DEFAULT_LIMIT_MS;
    record_init(&record);
    record.lab = request.lab ? mem_copy(request.lab) : NULL;
    record.variant = request.variant ? mem_copy(request.variant) : NULL;
    record.backend = mem_copy(backend_name(request.on));
    char date[32];
    clock_date(date, sizeof date);
    record.date = mem_copy(date);

    bool done = request.on == ON_GPU   ? run_on_gpu(worker, &request, &record, &error)
                : request.on == ON_SIM ? run_on_sim(worker, &request, &record, &error)
                                       : run_on_cpu(worker, &request, &record, &error);
    if (!done && error.code == EXIT_WRONG) {
        struct text clean = { 0 };
        text_add_clean(&clean, error.text, strlen(error.text));
        record.status = mem_copy("failed");
        record.message = text_take(&clean);
        done = true;
    }
    record.total_ms = clock_ms() - start;
    if (done)
        say(worker, json_pack("{s:I, s:o}", "id", worker->id, "result", record_to_json(&record)));
    else
        say_error(worker, &error);
    record_free(&record);
    request_free(&request);
}

// ---- the loop ----------------------------------------------------------------------------------------

static void serve(struct worker *worker, const char *line)
{
    json_error_t why;
    struct error error;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &why);
    const char *verb = NULL;
    int version = 0, measure = 0;
    worker->id = 0;
    if (!json) {
        error_set(&error, EXIT_USAGE, "The request is not JSON: %s (column %d).", why.text, why.column);
        say_error(worker, &error);
        return;
    }
    if (json_unpack_ex(json, &why, 0, "{s:i, s:I, s:s, s?b}", "warpbook", &version, "id", &worker->id, "do",
                       &verb, "measure", &measure) != 0) {
        error_set(&error, EXIT_USAGE, "The request is not complete: %s.", why.text);
        say_error(worker, &error);
    } else if (version != PROTOCOL_VERSION) {
        error_set(&error, EXIT_USAGE,
                  "The request speaks version %d of the protocol and this worker version %d. "
                  "Install the same warpbook on both machines.",
                  version, PROTOCOL_VERSION);
        say_error(worker, &error);
    } else if (strcmp(verb, "run") == 0) {
        serve_run(worker, json);
    } else if (strcmp(verb, "describe") == 0) {
        say(worker,
            json_pack("{s:I, s:o}", "id", worker->id, "result", worker_describe(worker, measure != 0)));
    } else {
        error_set(&error, EXIT_USAGE, "This worker does not know how to '%.40s'; it knows run and describe.",
                  verb);
        say_error(worker, &error);
    }
    json_decref(json);
}

// Appends what arrives; false at the end of the input or after a minute without any.
static bool read_more(struct text *input)
{
    char piece[65536];
    struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
    int ready;
    do
        ready = poll(&fd, 1, IDLE_MS);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return false;
    ssize_t got = read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    text_add_n(input, piece, (size_t)got);
    return true;
}

// ---- nobody there ------------------------------------------------------------------------------------

struct watcher {
    pthread_t thread;
    int answers, end; // end: an eventfd
    bool begun;
};

// Waits until nobody can read the answers, because whoever asked was killed or has gone. Then the work is for nobody,
// and it may hold a GPU. A closed stdin says less: it also ends after the last request of a script.
static void *watch(void *context)
{
    const struct watcher *watcher = context;
    struct pollfd fds[] = { { watcher->answers, 0, 0 }, { watcher->end, POLLIN, 0 } };
    while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
        if (fds[1].revents)
            return NULL;
        if (fds[0].revents & (POLLERR | POLLHUP))
            _exit(EXIT_MISSING);
    }
    return NULL;
}

static void watch_begin(struct watcher *watcher, const struct worker *worker)
{
    watcher->answers = fileno(worker->protocol);
    watcher->end = eventfd(0, EFD_CLOEXEC);
    watcher->begun = watcher->end >= 0 && pthread_create(&watcher->thread, NULL, watch, watcher) == 0;
}

static void watch_end(struct watcher *watcher)
{
    const uint64_t one = 1;
    if (watcher->begun && write(watcher->end, &one, sizeof one) == sizeof one)
        pthread_join(watcher->thread, NULL);
    if (watcher->end >= 0)
        close(watcher->end);
}

// ---- the worker --------------------------------------------------------------------------------------

static void refuse_long_line(struct worker *worker)
{
    struct error error;
    worker->id = 0; // nobody read far enough to know it
    error_set(&error, EXIT_USAGE, "The request is a line of more than %d MiB.", PROTOCOL_LINE_MOST >> 20);
    say_error(worker, &error);
}

int worker_main(void)
{
    struct worker *worker = mem_new(sizeof *worker);
    struct watcher watcher;
    struct text input = { 0 };
    bool lost = false;
    take_stdout(worker);
    watch_begin(&watcher, worker);
    while (!lost && read_more(&input)) {
        char *line = input.data, *end;
        if (!line)
            continue; // a signal came before any input
        while (!lost && (end = memchr(line, '\n', input.length - (size_t)(line - input.data)))) {
            *end = 0;
            serve(worker, line);
            line = end + 1;
            lost = worker->gpu && gpu_lost(worker->gpu); // whoever asks next starts a new worker
        }
        if (input.length - (size_t)(line - input.data) > PROTOCOL_LINE_MOST) {
            refuse_long_line(worker);
            break;
        }
        size_t rest = input.length - (size_t)(line - input.data);
        memmove(input.data, line, rest + 1);
        input.length = rest;
    }
    text_free(&input);
    if (lost)
        _exit(EXIT_RIGHT); // the driver's own clean-up would wait for the kernel that hangs
    watch_end(&watcher);
    worker_gpu_close(worker);
    fclose(worker->protocol);
    close(worker->printed);
    free(worker);
    return EXIT_RIGHT;
}
