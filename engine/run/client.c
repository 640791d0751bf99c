// The user's end of a worker: starts it, sends it a line, reads the answers, and survives whatever comes back. A worker
// that crashes, hangs, floods or breaks the protocol costs one run; the next run gets a new worker.
//
// The worker is ours, or a foreign command (site_worker), such as ssh or srun. That may hold a GPU elsewhere, which it
// returns only when it ends in its own way, so it is never killed: it has a keeper, which takes its time to end it.
//
// A worker greets before it is asked anything, and is sent no kernel until it has: what ssh reached may be a shell, which
// would run what it reads.
#include "engine/run/run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/silence.h"
#include "engine/base/site.h"

enum {
    LINES_MOST = 100000, // answers to one request
    NOISE_MOST = 16384,  // bytes of stderr that are kept, the last ones
    EARLY_MOST = 65536,  // bytes that may come before the greeting
    PIECE = 65536,       // bytes that are read at once
    FIRST_LIMIT_MS = 30000,
    GRACE_MS = 5000,
    KEPT_MS = 8000,  // from SIGTERM to SIGKILL: time for srun to return what it was given
    LEAVING = 8,     // foreign workers that end while we go on
    STILL_ENDS = -1, // is no wait status
    LOOK_MS = 100,   // how often it is asked whether to go on
    WORDS_MS = 400   // to read what a worker that has ended wrote to its stderr
};

struct client {
    struct child child;     // pid 0: no worker
    bool foreign;           // it is what WARPBOOK_WORKER says
    pid_t leaving[LEAVING]; // 0: free
    const char *command;    // NULL: the site's choice; "": this machine's own
    json_int_t id;
    double wait_ms;       // for a foreign worker to start; INFINITY: as long as it takes
    json_t *hello;        // what the worker said of itself; NULL: it has not greeted
    size_t early;         // bytes that came before that
    struct text received; // whole and part lines that were not looked at yet
    struct text noise;    // the end of the worker's stderr
};

struct client *client_new(void)
{
    struct client *client = mem_new(sizeof *client);
    client->child = (struct child){ 0, -1, -1, -1 };
    client->wait_ms = INFINITY;
    return client;
}

void client_wait(struct client *client, int seconds)
{
    client->wait_ms = seconds * 1e3;
}

void client_command(struct client *client, const char *line)
{
    client->command = line;
}

// ---- the process -----------------------------------------------------------------------------------

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

struct talk { // one request and what came back so far
    struct client *client;
    const struct text *request;
    const char *unsent;
    size_t unsent_length;
    bool reused; // the worker has served before, and may end before it reads this request
    client_progress progress;
    void *context;
    char stage[200];
    double stage_start, deadline;
    struct silence heard; // since anything came from the worker
    double beaten;        // when it was told last that we are here
    size_t lines;
    json_t *result;
    struct error *error;
    bool answered; // a result or an error came
    bool failed;   // `error` says how
};

// The last whole line that is not blank; false: there is none.
static bool last_line(const struct text *text, char *out, size_t size)
{
    const char *bytes = text_string(text);
    size_t end = text->length;
    while (end && bytes[end - 1] != '\n')
        end--;
    while (end && strchr(" \t\r\n", bytes[end - 1]))
        end--;
    size_t start = end;
    while (start && bytes[start - 1] != '\n')
        start--;
    format_clean(out, size, bytes + start, end - start);
    return *out != 0;
}

// False: the caller wants the request stopped. What a scheduler says of its queue is shown until the worker starts.
static bool goes_on(const struct talk *talk)
{
    double seconds = (clock_ms() - talk->stage_start) / 1e3;
    char words[140], shown[200];
    bool says =
        !talk->client->hello && talk->client->foreign && last_line(&talk->client->noise, words, sizeof words);
    format_into(shown, sizeof shown, "%s%s%s", talk->stage, says ? ": " : "", says ? words : "");
    return !talk->progress || talk->progress(talk->context, shown, seconds);
}

// Whether the worker ends by itself within GRACE_MS; `talk` (may be NULL) can cut the wait short.
static bool ends_itself(pid_t pid, const struct talk *talk, int *status)
{
    double end = clock_ms() + GRACE_MS, look = clock_ms() + LOOK_MS;
    bool ended;
    while (!(ended = child_ended(pid, status)) && clock_ms() < end) {
        if (talk && clock_ms() > look && !goes_on(talk))
            break;
        look = clock_ms() > look ? clock_ms() + LOOK_MS : look;
        usleep(1000);
    }
    return ended;
}

// Collects the foreign workers that have ended meanwhile. One more than there is room for is left to the system.
static void leave(struct client *client, pid_t pid)
{
    int unused;
    for (int i = 0; i < LEAVING; i++) {
        if (client->leaving[i] && child_ended(client->leaving[i], &unused))
            client->leaving[i] = 0;
        if (!client->leaving[i]) {
            client->leaving[i] = pid;
            pid = 0;
        }
    }
}

// Ends the worker, after a moment of grace unless `at_once`, and gives its wait status or STILL_ENDS: nobody
// waits for a foreign one.
static int stop(struct client *client, bool at_once, const struct talk *talk)
{
    struct child *child = &client->child;
    int status = STILL_ENDS;
    if (!client->foreign)
        close_end(&child->in);
    bool ended = !child->pid || (!at_once && ends_itself(child->pid, talk, &status));
    if (!ended && client->foreign)
        leave(client, child->pid);
    else if (!ended)
        child_kill(child->pid, &status);
    close_end(&child->in);
    close_end(&child->out);
    close_end(&child->err);
    child->pid = 0;
    client->received.length = 0;
    client->early = 0;
    json_decref(client->hello);
    client->hello = NULL;
    return status;
}

void client_free(struct client *client)
{
    if (!client)
        return;
    stop(client, true, NULL);
    text_free(&client->received);
    text_free(&client->noise);
    free(client);
}

static double starts_until(const struct client *client)
{
    return clock_ms() + (client->foreign ? client->wait_ms : FIRST_LIMIT_MS);
}

static const char *command_of(const struct client *client)
{
    return client->command ? client->command : site_worker();
}

// The command, through the connection that is kept if there is one. ssh would take its own settings in silence.
static char *through_connection(const char *command)
{
    struct ssh_route route;
    bool kept = ssh_route_read(command, &route) && ssh_route_is_open(&route);
    char *line = kept ? text_format("ssh -o ControlPath='%s' %s%s%s", route.socket, route.options, route.host,
                                    route.rest)
                      : mem_copy_if(command);
    ssh_route_free(&route);
    return line;
}

// How many warpbooks have started one another up to this one: a command that is no worker but runs kernels itself would
// start itself for ever.
enum { LEVELS_MOST = 5 };
static const char level_name[] = "WARPBOOK_LEVEL=";

static long own_level(void)
{
    const char *level = getenv("WARPBOOK_LEVEL");
    return level ? strtol(level, NULL, 10) : 0;
}

// The environment with the level of what is started; the caller frees the array.
static const char **deeper(char *level, size_t size)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    const char **all = mem_new((count + 2) * sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (!string_starts(environ[i], level_name))
            all[kept++] = environ[i];
    format_into(level, size, "%s%ld", level_name, own_level() + 1);
    all[kept] = level;
    return all;
}

static bool start(struct client *client, struct error *error)
{
    if (own_level() >= LEVELS_MOST)
        return error_set(
            error, EXIT_USAGE,
            "The command that starts workers starts warpbook, which starts it again. It should end in "
            "'warpbook worker'; see WARPBOOK_WORKER and 'warpbook site'.");
    char level[48];
    const char **environment = deeper(level, sizeof level);
    const char *command = command_of(client);
    char *self = path_self();
    const char *const here[] = { self ? self : "warpbook", "worker", NULL };
    char *line = through_connection(command);
    const char *const there[] = { "sh", "-c", line, NULL };
    client->foreign = command && *command;
    client->noise.length = 0;
    struct child_terms terms = { .kept_ms = client->foreign ? KEPT_MS : 0, .environment = environment };
    bool started = child_start_on(client->foreign ? there : here, &terms, &client->child, error);
    free(environment);
    free(line);
    free(self);
    return started;
}

// ---- listening ---------------------------------------------------------------------------------------

// The last of the worker's own complaints, for a message; "" when it was silent.
static void add_noise(struct client *client, char *out, size_t size)
{
    struct text clean = { 0 };
    text_add_clean(&clean, text_string(&client->noise), client->noise.length);
    while (clean.length && clean.data[clean.length - 1] == '\n')
        clean.data[--clean.length] = 0;
    const char *tail = text_string(&clean);
    if (clean.length > 600)
        tail += clean.length - 600;
    format_into(out, size, "%s%s", *tail ? "\nIt wrote:\n" : "", tail);
    text_free(&clean);
}

// What to do about an ssh that could ask nobody, by its words; "": it was not that.
static void add_advice(const struct client *client, char *out, size_t size)
{
    struct ssh_route route;
    char wants[300];
    *out = 0;
    if (!client->foreign || client->hello || !ssh_route_read(command_of(client), &route))
        return;
    if (ssh_wants(text_string(&client->noise), route.host, wants, sizeof wants))
        format_into(out, size, "%s\n", wants);
    ssh_route_free(&route);
}

static void fail(struct talk *talk, bool at_once, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fail(struct talk *talk, bool at_once, const char *format, ...)
{
    char what[512], noise[900], advice[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    add_advice(talk->client, advice, sizeof advice);
    stop(talk->client, at_once, talk);
    add_noise(talk->client, noise, sizeof noise);
    error_set(talk->error, EXIT_MISSING, "%s%s%s", advice, what, noise);
    talk->failed = true;
}

static void take_error(struct talk *talk, json_t *answer)
{
    const char *text = NULL;
    int code = EXIT_MISSING;
    if (json_unpack(answer, "{s:i, s:s}", "code", &code, "text", &text) != 0) {
        fail(talk, true, "The worker reported an error without saying which.");
        return;
    }
    enum exit_code known = code == EXIT_WRONG || code == EXIT_USAGE ? (enum exit_code)code : EXIT_MISSING;
    talk->error->code = known;
    format_clean(talk->error->text, sizeof talk->error->text, text, strlen(text));
    talk->answered = talk->failed = true;
}

static void take_stage(struct talk *talk, json_t *line, const char *stage)
{
    json_int_t limit_ms = json_integer_value(json_object_get(line, "limit_ms"));
    char clean[sizeof talk->stage];
    format_clean(clean, sizeof clean, stage, strlen(stage));
    if (strcmp(clean, talk->stage) != 0) {
        memcpy(talk->stage, clean, sizeof clean);
        talk->stage_start = clock_ms();
    }
    if (limit_ms < 0 || limit_ms > STAGE_MOST_MS)
        limit_ms = FIRST_LIMIT_MS;
    talk->deadline = clock_ms() + (double)limit_ms + GRACE_MS;
}

static void keep_noise(struct client *client, const char *bytes, size_t length)
{
    struct text *noise = &client->noise;
    text_add_n(noise, bytes, length);
    if (noise->length > 2 * NOISE_MOST) {
        memmove(noise->data, noise->data + noise->length - NOISE_MOST, NOISE_MOST);
        noise->length = NOISE_MOST;
        noise->data[noise->length] = 0;
    }
}

// The name of the worker's machine, for a sentence: " on gpubox", or "".
static void add_host(const json_t *hello, char *out, size_t size)
{
    const char *host = json_string_value(json_object_get(hello, "host"));
    char clean[100];
    format_clean(clean, sizeof clean, host ? host : "", host ? strlen(host) : 0);
    format_into(out, size, "%s%s", *clean ? " on " : "", clean);
}

static void take_greeting(struct talk *talk, const json_t *json, json_t *hello)
{
    json_int_t version = json_integer_value(json_object_get(json, "warpbook"));
    char host[110];
    add_host(hello, host, sizeof host);
    if (version != PROTOCOL_VERSION) {
        fail(talk, true,
             "The worker%s speaks version %lld of the protocol and this program version %d. Install the same "
             "warpbook on both machines.",
             host, (long long)version, PROTOCOL_VERSION);
        return;
    }
    talk->client->hello = json_incref(hello);
    talk->unsent = talk->request->data;
    talk->unsent_length = talk->request->length;
    talk->deadline = clock_ms() + FIRST_LIMIT_MS;
}

// What a shell says to everybody who logs in comes before the greeting, with or without the end of its last line.
static void take_early(struct talk *talk, const char *line)
{
    const char *from = strstr(line, "{\"");
    json_t *json = from ? json_loads(from, 0, NULL) : NULL, *hello = json_object_get(json, "hello");
    size_t length = strlen(line);
    if (json_is_object(hello)) {
        take_greeting(talk, json, hello);
    } else if (json_object_get(json, "id")) {
        fail(talk, true,
             "The worker is of an older warpbook, which does not greet. Install the same warpbook on both "
             "machines.");
    } else {
        talk->client->early += length + 1;
        keep_noise(talk->client, line, length);
        keep_noise(talk->client, "\n", 1);
    }
    json_decref(json);
}

static void take_line(struct talk *talk, const char *line)
{
    json_error_t why;
    json_t *json = json_loads(line, 0, &why);
    json_t *answer;
    if (!json_is_object(json)) {
        char clean[400];
        format_clean(clean, sizeof clean, line, strnlen(line, 120));
        fail(talk, true, "The worker said something that is not a line of the protocol: %s", clean);
    } else if (json_integer_value(json_object_get(json, "id")) != talk->client->id) {
        // The answer to an earlier request, which was given up.
    } else if ((answer = json_object_get(json, "result"))) {
        talk->result = json_incref(answer);
        talk->answered = true;
    } else if ((answer = json_object_get(json, "error"))) {
        take_error(talk, answer);
    } else if (json_is_string(answer = json_object_get(json, "stage"))) {
        take_stage(talk, json, json_string_value(answer));
    }
    json_decref(json);
}

static void too_early(struct talk *talk)
{
    fail(talk, true, "What answers is not a worker: it sent %d KiB without a greeting.", EARLY_MOST >> 10);
}

static void take_lines(struct talk *talk)
{
    struct text *received = &talk->client->received;
    size_t used = 0;
    char *end;
    while (!talk->answered && !talk->failed && received->length &&
           (end = memchr(received->data + used, '\n', received->length - used))) {
        *end = 0;
        const char *line = received->data + used;
        used = (size_t)(end - received->data) + 1;
        if (++talk->lines > LINES_MOST)
            fail(talk, true, "The worker sent more than %d lines without an answer.", LINES_MOST);
        else if (talk->client->hello)
            take_line(talk, line);
        else if (talk->client->early + strlen(line) > EARLY_MOST) // however the bytes came
            too_early(talk);
        else
            take_early(talk, line);
    }
    if (talk->failed && !talk->client->child.pid) // the worker is gone, and what it sent with it
        return;
    if (used)
        memmove(received->data, received->data + used, received->length - used);
    received->length -= used;
    if (!talk->client->hello && talk->client->early + received->length > EARLY_MOST)
        too_early(talk);
    else if (!protocol_fits(received->length))
        fail(talk, true, "The worker sent a line of more than %d MiB.", PROTOCOL_LINE_MOST >> 20);
}

// Reads what is there into `piece`; false at the end of the stream.
static bool read_piece(int fd, char piece[PIECE], size_t *length)
{
    ssize_t got = read(fd, piece, PIECE);
    *length = got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

// Whether the two ends tell each other now and then that they are there: the connection between them can be cut.
static bool both_beat(const struct talk *talk)
{
    return talk->client->foreign && json_is_true(json_object_get(talk->client->hello, "beats"));
}

static void beat(struct talk *talk)
{
    static const char line[] = "{\"warpbook\":1,\"id\":0,\"do\":\"beat\"}\n";
    if (!both_beat(talk) || talk->unsent_length || clock_ms() - talk->beaten < BEAT_MS)
        return;
    talk->beaten = clock_ms();
    talk->unsent = line;
    talk->unsent_length = sizeof line - 1;
}

static void listen_noise(struct client *client)
{
    char piece[PIECE];
    size_t length;
    if (!read_piece(client->child.err, piece, &length))
        close_end(&client->child.err);
    keep_noise(client, piece, length);
}

static void send_more(struct talk *talk)
{
    ssize_t put = write(talk->client->child.in, talk->unsent, talk->unsent_length);
    if (put > 0) {
        talk->unsent += put;
        talk->unsent_length -= (size_t)put;
    } else if (put < 0 && errno != EAGAIN && errno != EINTR) {
        talk->unsent_length = 0; // it is gone; the end of its stdout says so
    }
}

// Starts a worker and asks it to greet, which one that is too old refuses.
static void begin(struct talk *talk)
{
    static const char ask_greeting[] = "{\"warpbook\":1,\"id\":0,\"do\":\"hello\"}\n";
    talk->unsent = ask_greeting;
    talk->unsent_length = sizeof ask_greeting - 1;
    talk->failed = !start(talk->client, talk->error);
    talk->deadline = starts_until(talk->client);
}

// A worker ends by itself when its GPU is lost or after a minute without requests; a request that crossed its end goes
// to the next one.
static void send_again(struct talk *talk)
{
    begin(talk);
}

static void hear_end(struct talk *talk)
{
    struct client *client = talk->client;
    char how[200];
    bool greeted = client->hello != NULL;
    pid_t pid = client->child.pid;
    double end = clock_ms() + WORDS_MS;
    while (client->child.err >= 0 && pid && clock_ms() < end) { // what it said before it went
        struct pollfd fd = { client->child.err, POLLIN, 0 };
        if (poll(&fd, 1, 200) <= 0)
            break;
        listen_noise(client);
    }
    int status = stop(client, false, talk);
    if (talk->reused && !talk->lines) {
        talk->reused = false;
        send_again(talk);
        return;
    }
    if (status == STILL_ENDS)
        format_into(how, sizeof how, "closed its output");
    else
        child_describe(status, how, sizeof how);
    fail(talk, false, "The worker %s while it was %s.%s", how, talk->stage,
         status == 0 && !greeted ? " It did not greet as 'warpbook worker' does." : "");
}

static void show_progress(struct talk *talk)
{
    if (!goes_on(talk))
        fail(talk, true, "Stopped while it was %s.", talk->stage);
}

// One wait for anything to happen; at most a tenth of a second, so that seconds can be shown.
static void listen_once(struct talk *talk)
{
    struct client *client = talk->client;
    struct pollfd fds[3] = { { client->child.out, POLLIN, 0 },
                             { client->child.err, POLLIN, 0 },
                             { talk->unsent_length ? client->child.in : -1, POLLOUT, 0 } };
    if (poll(fds, 3, 100) < 0 && errno != EINTR) {
        fail(talk, true, "Cannot listen to the worker: %s.", strerror(errno));
        return;
    }
    if (fds[2].revents)
        send_more(talk);
    if (fds[1].revents)
        listen_noise(client);
    if (fds[0].revents) {
        char piece[PIECE];
        size_t length;
        bool open = read_piece(client->child.out, piece, &length);
        text_add_n(&client->received, piece, length);
        take_lines(talk);
        if (!open && !talk->answered && !talk->failed)
            hear_end(talk);
    }
    if (fds[0].revents || !both_beat(talk))
        silence_ends(&talk->heard, clock_ms());
    if (!talk->answered && !talk->failed && silence_look(&talk->heard, clock_ms()) > BEATS_SILENT_MS)
        fail(talk, true,
             "Nothing has been heard of the worker for %d s while it was %s: the connection to it is gone.",
             BEATS_SILENT_MS / 1000, talk->stage);
    if (!talk->answered && !talk->failed && clock_ms() > talk->deadline)
        fail(talk, true, "The worker did not answer in time while it was %s, and was stopped.%s", talk->stage,
             !client->hello && client->foreign ? " --wait SECONDS waits longer." : "");
    if (!talk->answered && !talk->failed)
        show_progress(talk);
    if (!talk->answered && !talk->failed)
        beat(talk);
}

// A worker that ended by itself in the meantime (after a minute of idleness) is replaced without a message.
static void drop_ended(struct client *client)
{
    int status;
    if (client->child.pid && child_ended(client->child.pid, &status)) {
        client->child.pid = 0;
        stop(client, true, NULL);
    }
}

// The request as a line, with the protocol's head; false: it cannot be one. The message is freed.
static bool write_request(struct client *client, const char *verb, json_t *message, struct text *line,
                          struct error *error)
{
    json_object_set_new(message, "warpbook", json_integer(PROTOCOL_VERSION));
    json_object_set_new(message, "id", json_integer(++client->id));
    json_object_set_new(message, "do", json_string(verb));
    if (command_of(client) && *command_of(client)) // what is there may be beyond a connection
        json_object_set_new(message, "beats", json_true());
    char *dumped = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!dumped)
        return error_set(error, EXIT_USAGE,
                         "The request holds text that is not UTF-8; save the kernel file as UTF-8.");
    bool fits = protocol_fits(strlen(dumped));
    text_addf(line, "%s\n", fits ? dumped : "");
    free(dumped);
    return fits || error_set(error, EXIT_USAGE,
                             "The request would be a line of more than %d MiB; the kernel file is too large.",
                             PROTOCOL_LINE_MOST >> 20);
}

// Sends `message` with the protocol's head and waits for the result; NULL on failure.
static json_t *ask(struct client *client, const char *verb, json_t *message, client_progress progress,
                   void *context, struct error *error)
{
    struct text line = { 0 };
    drop_ended(client);
    if (!write_request(client, verb, message, &line, error)) {
        text_free(&line);
        return NULL;
    }
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGPIPE, &ignore, &before);
    struct talk talk = { .client = client,
                         .request = &line,
                         .reused = client->child.pid != 0,
                         .unsent = line.data,
                         .unsent_length = line.length,
                         .progress = progress,
                         .context = context,
                         .stage = "starting",
                         .error = error };
    talk.stage_start = talk.beaten = clock_ms();
    silence_ends(&talk.heard, talk.beaten);
    talk.deadline = talk.stage_start + FIRST_LIMIT_MS;
    if (!client->child.pid)
        begin(&talk);
    while (!talk.answered && !talk.failed)
        listen_once(&talk);
    sigaction(SIGPIPE, &before, NULL);
    text_free(&line);
    return talk.failed ? NULL : talk.result;
}

bool client_run(struct client *client, const struct request *request, client_progress progress, void *context,
                struct record *out, struct error *error)
{
    json_t *message = request_to_json(request);
    if (!message)
        return error_set(error, EXIT_USAGE,
                         "The request holds text that is not UTF-8; save the kernel file as UTF-8.");
    json_t *result = ask(client, "run", message, progress, context, error);
    bool fine = result && record_from_json(out, result, error);
    if (result && !fine)
        stop(client, true, NULL); // a worker whose record is invalid is not asked again
    json_decref(result);
    return fine;
}

bool client_describe(struct client *client, bool measure, client_progress progress, void *context,
                     json_t **out, struct error *error)
{
    *out = ask(client, "describe", json_pack("{s:b}", "measure", measure), progress, context, error);
    return *out != NULL;
}
