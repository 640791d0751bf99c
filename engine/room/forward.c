// A worker for learners in a room with a class queue: it compiles here, by the learner's own account, and has what needs a
// GPU run by the instructor's `room serve`. Everything else it has done by a worker of its own, at once.
#include "engine/room/reach.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/compile/compile.h"
#include "engine/run/worker.h"

enum {
    LOOK_MS = 100,
    STAGE_EVERY_MS = 1000,
    STAGE_LIMIT_MS = 60000, // of one stage; it is said again each second
    CARRIED_MS = 15000,     // for a courier to reach another machine
    STILL_MS = 40000,       // a queue whose state is older than this is stuck
    HERE_MS = 60000,        // so often who waits says to be here
    HOLD_MS = 1000,         // a GPU that is not used for so long is another's, where one is wanted
    SIM_TARGET = 90         // what the simulator's PTX is made for
};

struct forwarder {
    struct member *member;
    struct client *client; // for what runs here
    struct client *gpu;    // for a GPU of this account's own, where the queue gives turns
    bool holds;            // it may have one
    json_int_t id;
    char ticket[QUEUE_NAME]; // what waits in the queue; "" nothing
    char last[QUEUE_NAME];   // the last turn, which is over
    struct notices notices;
    double shown; // when the class was told last that this learner is here
};

static volatile sig_atomic_t asked_to_end;

static void note_end(int number)
{
    (void)number;
    asked_to_end = 1;
}

// ---- lines of the protocol -------------------------------------------------------------------------------------

// Answers that nobody reads any more end this process, and what waits for them leaves the queue.
static void say(struct forwarder *forwarder, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    json_decref(line);
    bool said = text && puts(text) >= 0 && fflush(stdout) == 0;
    free(text);
    if (said)
        return;
    if (*forwarder->ticket)
        queue_withdraw(&forwarder->member->room, forwarder->ticket);
    _exit(EXIT_MISSING);
}

static void say_error(struct forwarder *forwarder, const struct error *error)
{
    say(forwarder, message_error(forwarder->id, error));
}

static void say_stage(struct forwarder *forwarder, const char *stage)
{
    say(forwarder,
        json_pack("{s:I, s:s, s:i}", "id", forwarder->id, "stage", stage, "limit_ms", STAGE_LIMIT_MS));
}

// A client_progress.
static bool pass_stage(void *context, const char *stage, double seconds)
{
    struct forwarder *forwarder = context;
    if (!asked_to_end)
        say_stage(forwarder, stage);
    return !asked_to_end;
}

static void say_record(struct forwarder *forwarder, struct record *record)
{
    say(forwarder, json_pack("{s:I, s:o}", "id", forwarder->id, "result", record_to_json(record)));
    record_free(record);
}

// ---- compiling -------------------------------------------------------------------------------------------------

// The queue's state. If the queue is on another machine, the courier brings it, which takes a moment at first.
static json_t *find_queue(struct forwarder *forwarder)
{
    json_t *state;
    double end = clock_ms() + (forwarder->member->errand ? CARRIED_MS : 0);
    if (forwarder->member->errand)
        say_stage(forwarder, "reaching the room's machine");
    while (!(state = queue_state(&forwarder->member->room)) && clock_ms() < end && !asked_to_end)
        (void)poll(NULL, 0, LOOK_MS);
    return state;
}

// The compute capability that what runs in the queue is compiled for, × 10; 0: nobody serves.
static int queue_target(struct forwarder *forwarder)
{
    json_t *state = find_queue(forwarder);
    const json_t *gpu = json_object_get(json_object_get(state, "machine"), "gpu");
    int target = (int)json_integer_value(json_object_get(gpu, "target"));
    json_decref(state);
    return target;
}

static bool compile_for_queue(const struct request *request, int target, struct compiled *out,
                              struct error *error)
{
    struct variant variant;
    if (!variant_parse(&variant, request->lab, request->file, request->source, error))
        return false;
    char *source = variant_source(&variant);
    struct compile_request wish = { .file = variant.path, .source = source, .target = target };
    bool compiled = compile(&wish, out, error);
    free(source);
    variant_free(&variant);
    return compiled;
}

// A kernel that is wrong leaves a record that says so, as with any worker.
static void answer_failed(struct forwarder *forwarder, const struct request *request,
                          const struct compiled *compiled, const struct error *error)
{
    struct record record;
    char date[32];
    if (error->code != EXIT_WRONG) {
        say_error(forwarder, error);
        return;
    }
    record_init(&record);
    clock_date(date, sizeof date);
    record.lab = mem_copy_if(request->lab);
    record.variant = mem_copy_if(request->variant);
    record.backend = request->on;
    record.date = mem_copy(date);
    record.status = STATUS_FAILED;
    record.message = text_clean(error->text);
    record_compiled(&record, compiled);
    say_record(forwarder, &record);
}

// ---- waiting ---------------------------------------------------------------------------------------------------

// Where the ticket's hash is in this list of the state; SIZE_MAX: nowhere.
static size_t place_in(const json_t *list, const char *ticket)
{
    char hash[17];
    room_hash(ticket, hash);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        if (one && strcmp(one, hash) == 0)
            return i;
    }
    return SIZE_MAX;
}

// "waiting in the class queue: 4 before you, about 3 s"; how many seconds a state has not changed is for the caller to say.
static void describe_place(const struct forwarder *forwarder, const json_t *state, char *out, size_t size)
{
    size_t runs = place_in(json_object_get(state, "running"), forwarder->ticket),
           before = place_in(json_object_get(state, "waiting"), forwarder->ticket);
    double workers = (double)json_integer_value(json_object_get(state, "workers")),
           each = json_number_value(json_object_get(state, "each_ms"));
    const char *stage = json_string_value(json_array_get(json_object_get(state, "stages"), runs));
    char clean[100], trouble[140];
    clean_line(stage ? stage : "", clean, sizeof clean);
    line_text(state, "trouble", trouble, sizeof trouble);
    if (runs != SIZE_MAX && json_is_true(json_object_get(state, "batch")))
        format_into(out, size, "waiting in the class queue: in a job of the scheduler, which waits or runs");
    else if (runs != SIZE_MAX && string_starts(clean, "waiting"))
        format_into(out, size, "waiting in the class queue: first in line, %s", clean);
    else if (runs != SIZE_MAX)
        format_into(out, size, "in the class queue: %s", *clean ? clean : "running");
    else if (*trouble)
        format_into(out, size, "waiting in the class queue for the scheduler: %s", trouble);
    else if (before == SIZE_MAX)
        format_into(out, size, "waiting in the class queue");
    else if (!before)
        format_into(out, size, "waiting in the class queue: you are next");
    else if (each > 0 && workers >= 1)
        format_into(out, size, "waiting in the class queue: %zu before you, about %.0f s", before,
                    ((double)before + 1) * each / workers / 1e3 + 0.5);
    else
        format_into(out, size, "waiting in the class queue: %zu before you", before);
}

struct patience { // since when the queue has said the same
    char at[40];
    double since, told;
};

// Once a second; false: it is not time yet.
static bool tell_place(struct forwarder *forwarder, struct patience *patience)
{
    char stage[200];
    if (clock_ms() - patience->told < STAGE_EVERY_MS)
        return false;
    patience->told = clock_ms();
    json_t *state = queue_state(&forwarder->member->room);
    char at[sizeof patience->at];
    line_text(state, "at", at, sizeof at);
    if (strcmp(at, patience->at) != 0) {
        memcpy(patience->at, at, sizeof at);
        patience->since = clock_ms();
    }
    double still = clock_ms() - patience->since;
    bool ended = json_is_true(json_object_get(state, "ended"));
    if (ended || still > STILL_MS)
        format_into(
            stage, sizeof stage,
            "waiting in the class queue, which nobody serves now: the instructor starts 'room serve'");
    else
        describe_place(forwarder, state, stage, sizeof stage);
    json_decref(state);
    say_stage(forwarder, stage);
    return true;
}

// A room that is over answers nothing any more.
static json_t *answer_of_ended(struct forwarder *forwarder)
{
    struct member *member = forwarder->member;
    bool over = member_ended(member, &forwarder->notices);
    char *words = text_format("The room %s has ended, and its queue with it.", member->word);
    json_t *answer =
        over ? json_pack("{s:{s:i, s:s}}", "error", "code", (int)EXIT_MISSING, "text", words) : NULL;
    free(words);
    return answer;
}

static void tell_here(struct forwarder *forwarder)
{
    struct error later;
    if (clock_ms() - forwarder->shown < HERE_MS)
        return;
    forwarder->shown = clock_ms();
    (void)member_tell(forwarder->member, "here", json_pack("{s:s}", "in", "queue"), &later);
}

static void give_back(struct forwarder *forwarder)
{
    client_free(forwarder->gpu);
    forwarder->gpu = client_new();
    forwarder->holds = false;
}

// Whether others wait for a turn, or have one and may wait for a GPU.
static bool gpu_is_wanted(const struct forwarder *forwarder, const char *own_ticket)
{
    json_t *state = queue_state(&forwarder->member->room);
    const json_t *waiting = json_object_get(state, "waiting"), *running = json_object_get(state, "running");
    bool wanted =
        json_array_size(waiting) || json_array_size(running) > (place_in(running, own_ticket) != SIZE_MAX);
    json_decref(state);
    return wanted;
}

// NULL: the learner does not want it any more.
static json_t *wait_for_answer(struct forwarder *forwarder)
{
    struct patience patience = { .since = clock_ms() };
    double begun = clock_ms();
    json_t *answer = NULL;
    while (!asked_to_end && !(answer = queue_answer(&forwarder->member->room, forwarder->ticket))) {
        struct pollfd reader = { STDOUT_FILENO, 0, 0 };
        bool told = tell_place(forwarder, &patience);
        if (told && (answer = answer_of_ended(forwarder)))
            break;
        tell_here(forwarder);
        if (forwarder->holds && clock_ms() - begun > HOLD_MS)
            give_back(forwarder); // who waits for a turn would keep those who have one waiting
        if (poll(&reader, 1, LOOK_MS) > 0 && reader.revents & (POLLERR | POLLHUP))
            asked_to_end = 1;
    }
    if (!answer)
        queue_withdraw(&forwarder->member->room, forwarder->ticket);
    *forwarder->ticket = 0;
    return answer;
}

// What came back is read as a record before it is passed on, for another account wrote it.
static void pass_answer(struct forwarder *forwarder, const json_t *answer, const struct compiled *compiled)
{
    struct record record;
    struct error error = { .code = EXIT_MISSING };
    const json_t *result = json_object_get(answer, "result"), *failed = json_object_get(answer, "error");
    if (result && record_from_json(&record, result, &error)) {
        if (*compiled->compiler) {
            free(record.compiler);
            record.compiler = mem_copy(compiled->compiler);
            record.compile_ms = compiled->ms;
        }
        say_record(forwarder, &record);
        return;
    }
    if (!result) {
        line_text(failed, "text", error.text, sizeof error.text);
        json_int_t code = json_integer_value(json_object_get(failed, "code"));
        error.code = code == EXIT_WRONG || code == EXIT_USAGE ? (enum exit_code)code : EXIT_MISSING;
    }
    say_error(forwarder, &error);
}

static bool ask(struct forwarder *forwarder, struct request *request, struct compiled *compiled,
                struct error *error)
{
    int target = queue_target(forwarder);
    json_t *over = target ? NULL : answer_of_ended(forwarder);
    if (over) {
        line_text(json_object_get(over, "error"), "text", error->text, sizeof error->text);
        error->code = EXIT_MISSING;
        json_decref(over);
        return false;
    }
    if (!target)
        return error_set(
            error, EXIT_MISSING,
            "Nobody serves the queue of the room %s, or it has no GPU. The instructor starts it with "
            "'warpbook room serve'.",
            forwarder->member->word);
    if (request->source) { // a library's row has none: the room's machine has the library
        say_stage(forwarder, "compiling");
        if (!compile_for_queue(request, target, compiled, error))
            return false;
        request->ptx = mem_copy(compiled->ptx);
    }
    json_t *json = request_to_json(request);
    bool asked =
        json ? queue_ask(&forwarder->member->room, forwarder->member->token, json, forwarder->ticket, error)
             : error_set(error, EXIT_USAGE, "The kernel's text is not UTF-8.");
    json_decref(json);
    return asked;
}

// Waits for a turn and takes a GPU of this account's own then, by the line that the site's file has.
static void run_own(struct forwarder *forwarder, const struct request *request)
{
    struct error error;
    struct record record;
    char name[QUEUE_NAME];
    json_t *wish = json_pack("{s:b}", "own", 1), *go = NULL;
    bool asked = queue_ask(&forwarder->member->room, forwarder->member->token, wish, name, &error);
    json_decref(wish);
    memcpy(forwarder->ticket, name, sizeof name);
    if (asked && !(go = wait_for_answer(forwarder)))
        return;
    json_decref(go);
    memcpy(forwarder->ticket, name, sizeof name); // the turn lasts until it is taken back
    forwarder->holds = true;
    if (asked && client_run(forwarder->gpu, request, pass_stage, forwarder, &record, &error))
        say_record(forwarder, &record);
    else
        say_error(forwarder, &error);
    queue_withdraw(&forwarder->member->room, name);
    *forwarder->ticket = 0;
    memcpy(forwarder->last, name, sizeof name);
}

static bool turns_are_given(struct forwarder *forwarder)
{
    json_t *state = find_queue(forwarder);
    bool own = json_is_true(json_object_get(state, "own"));
    json_decref(state);
    return own;
}

static void run_in_queue(struct forwarder *forwarder, struct request *request)
{
    struct compiled compiled = { 0 };
    struct error error;
    if (ask(forwarder, request, &compiled, &error)) {
        json_t *answer = wait_for_answer(forwarder);
        if (answer)
            pass_answer(forwarder, answer, &compiled);
        json_decref(answer);
    } else {
        *forwarder->ticket = 0;
        answer_failed(forwarder, request, &compiled, &error);
    }
    compiled_free(&compiled);
}

// ---- requests --------------------------------------------------------------------------------------------------

struct entry { // the newest wish about a lab's leaderboard
    const char *lab;
    bool entered;
};

static void take_wish(void *context, const json_t *line)
{
    struct entry *entry = context;
    char kind[16], lab[64];
    line_text(line, "kind", kind, sizeof kind);
    line_text(line, "lab", lab, sizeof lab);
    if (strcmp(lab, entry->lab) == 0)
        entry->entered = strcmp(kind, "enter") == 0;
}

// A simulation that counts in a leaderboard, which the room repeats itself; where nobody serves, none does.
static bool is_entry(struct forwarder *forwarder, const struct request *request)
{
    struct error unused;
    struct entry entry = { .lab = request->lab };
    struct request same = *request;
    if (request->on != ON_SIM || !leaders_ask(&same))
        return false;
    struct journal kept = { .path = mem_copy(forwarder->member->kept.path), .owner = geteuid() };
    journal_look(&kept, SIZE_MAX, take_wish, &entry);
    journal_free(&kept);
    json_t *state = entry.entered && member_reach(forwarder->member, &unused)
                        ? queue_state(&forwarder->member->room)
                        : NULL;
    bool runs =
        state && !json_object_get(state, "own"); // where only turns are given nothing runs in the room
    json_decref(state);
    return runs;
}

// The room counts for itself what counts there, when no other request waits; its learner has the result already.
static void enter(struct forwarder *forwarder, struct request *request)
{
    struct compiled compiled = { 0 };
    struct error unused;
    if (leaders_ask(request) && compile_for_queue(request, SIM_TARGET, &compiled, &unused)) {
        request->ptx = mem_copy(compiled.ptx);
        json_t *json = request_to_json(request);
        if (json)
            (void)queue_ask_later(&forwarder->member->room, forwarder->member->token, json, &unused);
        json_decref(json);
    }
    compiled_free(&compiled);
}

static void run_here(struct forwarder *forwarder, struct request *request)
{
    struct record record;
    struct error error;
    if (!client_run(forwarder->client, request, pass_stage, forwarder, &record, &error)) {
        say_error(forwarder, &error);
        return;
    }
    if (record.status == STATUS_RIGHT && is_entry(forwarder, request))
        enter(forwarder, request);
    say_record(forwarder, &record);
}

static void run(struct forwarder *forwarder, const json_t *json)
{
    struct request request = { 0 };
    struct error error;
    if (!request_from_json(&request, json, &error)) {
        say_error(forwarder, &error);
        return;
    }
    if (request.on != ON_GPU)
        run_here(forwarder, &request);
    else if (!member_reach(forwarder->member, &error))
        say_error(forwarder, &error);
    else if (turns_are_given(forwarder))
        run_own(forwarder, &request);
    else
        run_in_queue(forwarder, &request);
    request_free(&request);
}

// Describes this machine, but the queue's GPU.
static void describe(struct forwarder *forwarder)
{
    struct error error;
    json_t *result = NULL, *state = NULL;
    if (member_reach(forwarder->member, &error))
        state = find_queue(forwarder);
    const json_t *machine = json_object_get(state, "machine");
    if (!client_describe(forwarder->client, false, pass_stage, forwarder, &result, &error)) {
        say_error(forwarder, &error);
        json_decref(state);
        return;
    }
    static const char *const theirs[] = { "gpu",         "gpu_missing", "ceilings", "ceilings_missing",
                                          "driver_path", "host" };
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        json_object_del(result, theirs[i]);
        if (json_object_get(machine, theirs[i]))
            json_object_set(result, theirs[i], json_object_get(machine, theirs[i]));
    }
    if (!machine)
        json_object_set_new(result, "gpu_missing", json_string("Nobody serves the queue of the room."));
    say(forwarder, json_pack("{s:I, s:o}", "id", forwarder->id, "result", result));
    json_decref(state);
}

static void serve_line(struct forwarder *forwarder, const char *line)
{
    struct error error;
    json_error_t why;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &why);
    const char *verb = json_string_value(json_object_get(json, "do"));
    forwarder->id = json_integer_value(json_object_get(json, "id"));
    if (json_integer_value(json_object_get(json, "warpbook")) != PROTOCOL_VERSION || !verb) {
        error_set(&error, EXIT_USAGE, "The request is not of version %d of the protocol.", PROTOCOL_VERSION);
        say_error(forwarder, &error);
    } else if (strcmp(verb, "hello") == 0) {
        say(forwarder, worker_greeting());
    } else if (strcmp(verb, "run") == 0) {
        run(forwarder, json);
    } else if (strcmp(verb, "describe") == 0) {
        describe(forwarder);
    } else {
        error_set(&error, EXIT_USAGE, "This worker does not know how to '%.40s'; it knows run and describe.",
                  verb);
        say_error(forwarder, &error);
    }
    json_decref(json);
}

// Appends what arrives; false at the end. Meanwhile a GPU of this account's own goes to others who want it.
static bool read_more(struct forwarder *forwarder, struct text *input)
{
    char piece[65536];
    struct pollfd reader = { STDIN_FILENO, POLLIN, 0 };
    int ready;
    while (!asked_to_end && (ready = poll(&reader, 1, forwarder->holds ? HOLD_MS : -1)) <= 0)
        if (ready == 0 && gpu_is_wanted(forwarder, forwarder->last))
            give_back(forwarder);
    ssize_t got = asked_to_end ? 0 : read(STDIN_FILENO, piece, sizeof piece);
    if (got > 0)
        text_add_n(input, piece, (size_t)got);
    return got > 0;
}

int forward_main(void)
{
    struct error error;
    struct forwarder forwarder = { .member = member_open(&error), .shown = clock_ms() };
    if (!forwarder.member) {
        fprintf(stderr, "warpbook: %s\n",
                error.code == EXIT_RIGHT ? "You are not in a room. 'warpbook join WORD' joins one."
                                         : error.text);
        return EXIT_MISSING;
    }
    unsetenv("WARPBOOK_WORKER"); // it names this process; what runs here runs on this machine
    forwarder.client = client_new();
    forwarder.gpu = client_new();
    client_command(forwarder.client, ""); // nor does the site's line: that may take a GPU
    struct sigaction end = { .sa_handler = note_end }, ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    struct text input = { 0 };
    while (read_more(&forwarder, &input)) {
        char *line = input.data, *newline;
        while (!asked_to_end && (newline = memchr(line, '\n', input.length - (size_t)(line - input.data)))) {
            *newline = 0;
            serve_line(&forwarder, line);
            line = newline + 1;
        }
        input.length -= (size_t)(line - input.data);
        memmove(input.data, line, input.length);
    }
    text_free(&input);
    client_free(forwarder.client);
    client_free(forwarder.gpu);
    notices_free(&forwarder.notices);
    member_close(forwarder.member);
    return EXIT_RIGHT;
}
