// The worker: reads one request a line, has it done, answers in lines, and ends after a minute without requests. PROTOCOL.md
// in this folder describes the lines.
//
// It looks into no kernel itself. Two executors do, each a process of its own that is started when it is first needed:
// one simulates, with nothing but pipes; the other measures, on the CPU and with the GPU's driver open. Neither may start
// a program, so the compilers that they need are started here, confined in their turn.
#include "engine/run/worker.h"
#include "engine/base/confine.h"
#include "engine/base/silence.h"
#include "engine/run/profiled.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IDLE_MS = 60000, WATCH_MS = 1000 };
enum { SIMULATOR, MEASURER, EXECUTORS };
static const char *const executor_names[EXECUTORS] = { EXECUTOR_SIMULATES, EXECUTOR_MEASURES };

struct dispatcher { // the worker, which only passes things on
    json_int_t id;
    struct child executors[EXECUTORS]; // pid 0: not started
    struct text received;              // the latest message
};

static void say(json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    if (text) {
        flockfile(stdout); // the watcher writes too
        puts(text);
        fflush(stdout);
        funlockfile(stdout);
    }
    free(text);
    json_decref(line);
}

static void say_error(const struct dispatcher *dispatcher, const struct error *error)
{
    say(message_error(dispatcher->id, error));
}

static void refuse(const struct dispatcher *dispatcher, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void refuse(const struct dispatcher *dispatcher, enum exit_code code, const char *format, ...)
{
    struct error error = { .code = code };
    va_list args;
    va_start(args, format);
    vsnprintf(error.text, sizeof error.text, format, args);
    va_end(args);
    say_error(dispatcher, &error);
}

// ---- nobody there any more ------------------------------------------------------------------------------

struct watcher {
    pthread_t thread;
    int end; // an eventfd
    bool begun;
    atomic_bool beats; // a request is being served whose client promised to say now and then that it is there
    atomic_uint requests; // begun
};

// False: the client has been silent for too long, such as a laptop that has left its network.
static bool is_heard(struct hearing *hearing, const struct watcher *watcher)
{
    int pending = 0;
    double now = clock_ms();
    if (!watcher->beats || ioctl(STDIN_FILENO, FIONREAD, &pending) != 0)
        silence_ends(&hearing->silence, now);
    return hearing_look(hearing, watcher->requests, pending, now) < BEATS_SILENT_MS;
}

// Says that the work goes on, unless that would have to wait.
static void beat(void)
{
    struct pollfd fd = { STDOUT_FILENO, POLLOUT, 0 };
    if (poll(&fd, 1, 0) <= 0 || !(fd.revents & POLLOUT) || ftrylockfile(stdout) != 0)
        return;
    puts("{\"id\":0,\"beat\":true}");
    fflush(stdout);
    funlockfile(stdout);
}

// Waits until the answers have no reader, because the client was killed or has gone. The work is useless then, and it
// may hold a GPU. A closed stdin says less: it also ends after the last request of a script. Executors and
// compilers are killed with this process.
static void *watch(void *context)
{
    struct watcher *watcher = context;
    struct pollfd fds[] = { { STDOUT_FILENO, 0, 0 }, { watcher->end, POLLIN, 0 } };
    struct hearing hearing = { .silence = { clock_ms(), 0 } };
    double said = clock_ms();
    while (poll(fds, 2, WATCH_MS) >= 0 || errno == EINTR) {
        bool beats = watcher->beats;
        if (fds[1].revents)
            return NULL;
        if (fds[0].revents & (POLLERR | POLLHUP) || !is_heard(&hearing, watcher))
            _exit(EXIT_MISSING);
        if (beats && clock_ms() - said > BEAT_MS) {
            beat();
            said = clock_ms();
        }
        fds[0].revents = fds[1].revents = 0;
    }
    return NULL;
}

static void watch_begin(struct watcher *watcher)
{
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

// ---- executors ---------------------------------------------------------------------------------------

static bool start(struct child *child, int which, struct error *error)
{
    char *self = path_self();
    const char *const argv[] = { self ? self : "warpbook", "worker", "--executor", executor_names[which],
                                 NULL };
    const char **few = which == SIMULATOR ? confine_environment((const char *const[]){ NULL })
                                          : NULL; // a driver may need variables that are not known here
    struct child_terms terms = { .bound = true, .errors_here = true, .environment = few };
    bool started = child_start_on(argv, &terms, child, error);
    free(few);
    free(self);
    return started;
}

// Closes an executor's input, which ends it, and returns its wait status. One that does not end is killed.
static int end(struct child *child)
{
    double patience = clock_ms() + EXECUTOR_END_MS;
    int status = 0;
    if (!child->pid)
        return 0;
    close(child->in);
    close(child->out);
    while (!child_ended(child->pid, &status)) {
        if (clock_ms() > patience) {
            (void)child_kill(child->pid, &status); // one that can't be killed is not waited for
            break;
        }
        usleep(1000);
    }
    *child = (struct child){ 0, -1, -1, -1 };
    return status;
}

// When an executor dies, the worker ends in the same way, so that the client sees what happened. What the executor
// wrote about it has gone to our stderr.
__attribute__((noreturn)) static void follow(int status)
{
    fflush(stdout);
    if (WIFSIGNALED(status)) {
        struct sigaction plain = { .sa_handler = SIG_DFL };
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        sigaction(WTERMSIG(status), &plain, NULL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_MISSING);
}

static void compile_for(struct child *child, const struct text *asked)
{
    struct text answer = { 0 };
    compile_answer(text_string(asked), asked->length, &answer);
    (void)message_send(child->in, MESSAGE_COMPILED, answer.data,
                       answer.length); // its end is noticed at its output
    text_free(&answer);
}

// A line that is empty, or too long for the client to read, is not passed on.
static void pass_on(const struct dispatcher *dispatcher, const struct text *line)
{
    if (line->length && line->length < PROTOCOL_LINE_MOST && !memchr(line->data, '\n', line->length)) {
        flockfile(stdout);
        fwrite(line->data, 1, line->length, stdout);
        putchar('\n');
        fflush(stdout);
        funlockfile(stdout);
        return;
    }
    refuse(
        dispatcher, EXIT_MISSING,
        "The result takes %zu bytes, and a line of the protocol has at most %d MiB. Ask for less: a smaller "
        "size, or no counters by instruction.",
        line->length, PROTOCOL_LINE_MOST >> 20);
}

// Has an executor do the request; the last line of its answer is left in dispatcher->received.
static bool have_done(struct dispatcher *dispatcher, int which, const char *line, struct error *error)
{
    struct child *child = &dispatcher->executors[which];
    enum message_kind kind;
    if (!child->pid && !start(child, which, error))
        return false;
    (void)message_send(child->in, MESSAGE_REQUEST, line, strlen(line)); // its end is noticed at its output
    while (message_receive(child->out, &kind, &dispatcher->received)) {
        if (kind == MESSAGE_STAGE) {
            pass_on(dispatcher, &dispatcher->received);
        } else if (kind == MESSAGE_COMPILE) {
            compile_for(child, &dispatcher->received);
        } else if (kind == MESSAGE_RESULT || kind == MESSAGE_FAREWELL) {
            if (kind == MESSAGE_FAREWELL)
                end(child);
            return true;
        } else {
            break;
        }
    }
    follow(end(child));
}

// ---- requests ----------------------------------------------------------------------------------------

// By a worker of its own below a profiler, which could not look into executors that have given up their rights.
static void profile(const struct dispatcher *dispatcher, const json_t *json)
{
    struct error error;
    say(json_pack("{s:I, s:s, s:i}", "id", dispatcher->id, "stage", "profiling", "limit_ms", STAGE_MOST_MS));
    json_t *record = profile_run(json, &error);
    if (record)
        say(json_pack("{s:I, s:o}", "id", dispatcher->id, "result", record));
    else
        say_error(dispatcher, &error);
}

static void run(struct dispatcher *dispatcher, const json_t *json, const char *line)
{
    const char *on = json_string_value(json_object_get(json, "on"));
    struct error error;
    bool simulates = on && strcmp(on, record_backend_name(ON_SIM)) == 0;
    if (json_object_get(json, "profile")) {
        profile(dispatcher, json);
        return;
    }
    // Device memory is not cleared when it is freed, so what a context held ends with the process that held it.
    if (!simulates && json_is_true(json_object_get(json, "fresh")))
        (void)end(&dispatcher->executors[MEASURER]);
    if (have_done(dispatcher, simulates ? SIMULATOR : MEASURER, line, &error))
        pass_on(dispatcher, &dispatcher->received);
    else
        say_error(dispatcher, &error);
}

// ---- for doctor -----------------------------------------------------------------------------------------

static const char *const compiler_names[] = { "none", "nvrtc", "clang", "shipped" };

static json_t *describe_compilers(void)
{
    struct compiler_state states[3];
    int count = compile_probe(states);
    json_t *all = json_array();
    for (int i = 0; i < count; i++) {
        const struct compiler_state *state = &states[i];
        json_t *one = json_pack("{s:s, s:b}", "name", compiler_names[state->kind], "found", state->found);
        if (state->found) {
            json_object_set_new(one, "version", json_string(state->version));
            json_object_set_new(one, "path", json_string(state->path));
            json_t *targets = json_array();
            for (int t = 0; t < state->target_count; t++)
                json_array_append_new(targets, json_integer(state->targets[t]));
            json_object_set_new(one, "targets", targets);
        } else {
            json_object_set_new(one, "advice", json_string(state->advice));
        }
        json_array_append_new(all, one);
    }
    return all;
}

static void describe_host(json_t *out)
{
    struct confine_state state = confine_state();
    struct lock_place locks = lock_place("/proc");
    json_object_set_new(out, "locks",
                        json_pack("{s:s, s:b, s:b, s:b}", "folder", locks.folder, "usable", locks.usable,
                                  "private", locks.own, "distant", locks.distant));
    json_object_set_new(out, "compilers", describe_compilers());
    json_object_set_new(out, "confinement",
                        json_pack("{s:i, s:b, s:b, s:b}", "landlock", state.landlock, "seccomp",
                                  state.seccomp, "sanitizer", state.sanitizer, "profiler", state.profiler));
}

// The GPU as the executor knows it, with the compilers and the confinement, which only this process can find out.
static void describe(struct dispatcher *dispatcher, const char *line)
{
    struct error error;
    if (!have_done(dispatcher, MEASURER, line, &error)) {
        say_error(dispatcher, &error);
        return;
    }
    json_t *answer = json_loadb(text_string(&dispatcher->received), dispatcher->received.length, 0, NULL);
    json_t *result = json_object_get(answer, "result");
    if (result)
        describe_host(result);
    if (answer) {
        say(answer);
        return;
    }
    refuse(dispatcher, EXIT_MISSING, "The process that looks for a GPU sent an answer that cannot be read.");
}

// ---- the greeting --------------------------------------------------------------------------------------

// A hash of the texts of the lessons that are installed here, in any order.
static uint64_t hash_lessons(void)
{
    char *root = path_shipped("lessons");
    DIR *folder = root ? opendir(root) : NULL;
    const struct dirent *entry;
    uint64_t hash = 0;
    while (folder && (entry = readdir(folder))) {
        char *path = text_format("%s/%s/lesson.md", root, entry->d_name);
        struct text text = { 0 };
        struct error unused;
        if (file_exists(path) && file_read(path, &text, &unused))
            hash += hash_more(hash_bytes(entry->d_name, strlen(entry->d_name)), text.data, text.length);
        text_free(&text);
        free(path);
    }
    if (folder)
        closedir(folder);
    free(root);
    return hash;
}

static void add_variable(json_t *object, const char *key, const char *variable)
{
    const char *value = getenv(variable);
    json_t *string = value && *value ? json_string(value) : NULL;
    if (string)
        json_object_set_new(object, key, string);
}

// The first line, before anything is asked: by it the client knows that it talks to a worker and not to a shell.
json_t *worker_greeting(void)
{
    char host[256] = "", hash[20];
    gethostname(host, sizeof host - 1);
    format_into(hash, sizeof hash, "%016llx", (unsigned long long)hash_lessons());
    json_t *hello = json_pack("{s:s, s:s}", "version", WARPBOOK_VERSION, "lessons", hash);
    json_t *name = json_string(host);
    if (name)
        json_object_set_new(hello, "host", name);
    add_variable(hello, "job", "SLURM_JOB_ID");
    add_variable(hello, "gres", "SLURM_JOB_GPUS");
    add_variable(hello, "gres", "SLURM_STEP_GPUS");
    return json_pack("{s:i, s:o}", "warpbook", PROTOCOL_VERSION, "hello", hello);
}

static void greet(void)
{
    json_t *greeting = worker_greeting();
    json_object_set_new(json_object_get(greeting, "hello"), "beats", json_true());
    say(greeting);
}

static void serve(struct dispatcher *dispatcher, struct watcher *watcher, const char *line)
{
    json_error_t why;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &why);
    const char *verb = NULL;
    int version = 0, measure = 0;
    dispatcher->id = 0;
    if (!json) {
        refuse(dispatcher, EXIT_USAGE, "The request is not JSON: %s (column %d).", why.text, why.column);
        return;
    }
    if (json_unpack_ex(json, &why, 0, "{s:i, s:I, s:s, s?b}", "warpbook", &version, "id", &dispatcher->id,
                       "do", &verb, "measure", &measure) != 0) {
        refuse(dispatcher, EXIT_USAGE, "The request is not complete: %s.", why.text);
    } else if (version != PROTOCOL_VERSION) {
        refuse(dispatcher, EXIT_USAGE,
               "The request speaks version %d of the protocol and this worker version %d. "
               "Install the same warpbook on both machines.",
               version, PROTOCOL_VERSION);
    } else if (strcmp(verb, "hello") == 0) {
        greet();
    } else if (strcmp(verb, "run") == 0 || strcmp(verb, "describe") == 0) {
        watcher->requests++;
        watcher->beats = json_is_true(json_object_get(json, "beats"));
        if (*verb == 'r')
            run(dispatcher, json, line);
        else
            describe(dispatcher, line);
        watcher->beats = false;
    } else if (strcmp(verb, "beat") != 0) { // which says only that the client is there

        refuse(dispatcher, EXIT_USAGE, "This worker does not know how to '%.40s'; it knows run and describe.",
               verb);
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

// ---- the worker --------------------------------------------------------------------------------------

static void refuse_long_line(struct dispatcher *dispatcher)
{
    dispatcher->id = 0; // it was not read far enough to be known
    refuse(dispatcher, EXIT_USAGE, "The request is a line of more than %d MiB.", PROTOCOL_LINE_MOST >> 20);
}

int worker_main(void)
{
    struct dispatcher dispatcher = { .executors = { { 0, -1, -1, -1 }, { 0, -1, -1, -1 } } };
    struct watcher watcher = { 0 };
    struct text input = { 0 };
    signal(SIGPIPE, SIG_IGN); // an executor that ends is noticed at its output
    watch_begin(&watcher);
    greet();
    while (read_more(&input)) {
        char *line = input.data, *end_of_line;
        if (!line)
            continue; // a signal came before any input
        while ((end_of_line = memchr(line, '\n', input.length - (size_t)(line - input.data)))) {
            *end_of_line = 0;
            serve(&dispatcher, &watcher, line);
            line = end_of_line + 1;
        }
        size_t rest = input.length - (size_t)(line - input.data);
        if (rest > PROTOCOL_LINE_MOST) {
            refuse_long_line(&dispatcher);
            break;
        }
        memmove(input.data, line, rest + 1);
        input.length = rest;
    }
    text_free(&input);
    for (int i = 0; i < EXECUTORS; i++)
        end(&dispatcher.executors[i]);
    text_free(&dispatcher.received);
    watch_end(&watcher);
    return EXIT_RIGHT;
}
