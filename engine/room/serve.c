// Serving the class queue: a thread for each worker, and one that deals the requests out. The learner served least recently
// comes first, and of that learner the oldest request; so a learner who asks often waits for one who asks seldom. A request goes
// when its answer is on disk: serving that is killed in between serves it again. One that its learner takes back is not
// begun, or is stopped.
#include "engine/room/queue.h"

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STRANGERS_MOST = 4096 }; // requests in the queue; beyond it those of nobody in the class are removed
enum { FLOOD_TOLD_MS = 60000 };
enum { LOOK_MS = 100, SAY_MS = 500, BOARDS_MS = 5000, WORKERS_MOST = 64, EACH_LAST = 20 };

struct server; // a worker's thread
struct hall {  // what the threads share
    const struct room *room;
    const volatile sig_atomic_t *stop;
    const struct serve_terms *terms;
    struct notices notices; // of the main thread
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct server *servers;
    size_t server_count, done;
    bool ends;
    json_t *served;       // by token: a number that rises with each request that was begun
    json_int_t turn;      // the last of these
    double each_ms;       // a running mean of how long a request takes
    struct error trouble; // the last answer that could not be written; "" none
    json_t *machine;      // as a worker describes it; NULL: not known yet
    json_t *boards;       // as leaders_boards makes them
    double boards_at;     // when; 0: never
    struct batch *batch;  // jobs of Slurm in the place of the servers; NULL: there are none
    struct turns *turns;  // or learners' own workers; NULL likewise
    struct flood flood;   // the last, told for FLOOD_TOLD_MS
    double flood_at;
    char flooder[100], flooder_token[ROOM_TOKEN]; // "": none; the token of nobody in the class
};
struct server {
    struct hall *hall;
    pthread_t thread;
    struct service service;
    struct ticket ticket;
    char as[ROOM_NAME]; // whose ticket it is
    char stage[100];    // what the worker does with it
    json_t *entered;    // labs whose leaderboards this learner has entered
    bool busy, begun;
};

// ---- one request ---------------------------------------------------------------------------------------------

static json_t *error_answer(const struct error *error)
{
    return json_pack("{s:{s:i, s:s}}", "error", "code", (int)error->code, "text", error->text);
}

// Learners' code is compiled by the learners; nothing but PTX gets here. A library's row is a request without a source: the
// library is the one of this machine.
static bool may_run(struct request *request, const json_t *entered, struct error *error)
{
    bool counts = request->on == ON_SIM && request->lab &&
                  json_is_true(json_object_get(entered, request->lab)) && leaders_ask(request);
    if (request->on != ON_GPU && !counts)
        return error_set(error, EXIT_USAGE,
                         "The class queue is for runs on the GPU; others run where you are.");
    request->memory_bytes = 0;
    request->seed = 0;
    if (request->source && !request->ptx)
        return error_set(error, EXIT_USAGE,
                         "The class queue takes PTX and starts no compiler; the request has none.");
    if (request->limit_ms <= 0 || request->limit_ms > QUEUE_LIMIT_MS)
        request->limit_ms = QUEUE_LIMIT_MS;
    return true;
}

struct attention { // to one request while it runs
    const struct service *service;
    const struct ticket *ticket;
    bool ends; // it is not the learner who wants it stopped
};

// A client_progress.
static bool goes_on(void *context, const char *stage, double seconds)
{
    struct attention *attention = context;
    const struct service *service = attention->service;
    attention->ends = service->progress && !service->progress(service->context, stage, seconds);
    return !attention->ends && queue_wanted(service->room, attention->ticket);
}

// Runs of a lab whose leaderboard the learner has entered are repeated often enough to be told apart.
static bool run_for_learner(struct attention *attention, const char *as, const json_t *entered,
                            struct request *request, struct record *record, struct error *error)
{
    const struct room *room = attention->service->room;
    bool enters = request->lab && json_is_true(json_object_get(entered, request->lab));
    if (enters)
        leaders_ask(request); // where no run of this kind enters, it is run as it was asked for
    if (!client_run(attention->service->client, request, goes_on, attention, record, error))
        return attention->ends &&
               error_set(error, EXIT_MISSING,
                         "The class queue was ended while this ran. Run it again: it waits "
                         "until the instructor serves the queue again.");
    bool noted = !enters || !queue_wanted(room, attention->ticket) || !leaders_may_enter(request, record) ||
                 leaders_note(room, as, request, record, error);
    if (!noted)
        record_free(record);
    return noted;
}

bool queue_serve(struct service *service, const struct ticket *ticket, const char *as, const json_t *entered,
                 struct error *error)
{
    const struct room *room = service->room;
    struct attention attention = { service, ticket, false };
    struct error why;
    struct request request = { 0 };
    struct record record;
    json_t *json = NULL, *answer;
    bool read = queue_read(room, ticket, &json, &why) && request_from_json(&request, json, &why);
    bool may = read && may_run(&request, entered, &why);
    if (may) {
        request.fresh = *service->last && strcmp(service->last, ticket->token) != 0;
        format_into(service->last, ROOM_TOKEN, "%s", ticket->token);
    }
    if (may && run_for_learner(&attention, as, entered, &request, &record, &why)) {
        answer = json_pack("{s:o}", "result", record_to_json(&record));
        record_free(&record);
    } else {
        answer = error_answer(&why);
    }
    if (read)
        request_free(&request);
    json_decref(json);
    service->answered = answer && queue_wanted(room, ticket);
    bool replied = !service->answered || queue_reply(room, ticket, answer, error);
    json_decref(answer);
    return replied;
}

static bool server_goes_on(void *context, const char *stage, double seconds)
{
    struct server *server = context;
    struct hall *hall = server->hall;
    pthread_mutex_lock(&hall->mutex);
    bool ends = hall->ends || *hall->stop;
    format_into(server->stage, sizeof server->stage, "%s", stage);
    pthread_mutex_unlock(&hall->mutex);
    return !ends;
}

static void *server_main(void *context)
{
    struct server *server = context;
    struct hall *hall = server->hall;
    pthread_mutex_lock(&hall->mutex);
    for (;;) {
        while (!server->busy && !hall->ends)
            pthread_cond_wait(&hall->changed, &hall->mutex);
        if (!server->busy)
            break;
        struct ticket ticket = server->ticket;
        pthread_mutex_unlock(&hall->mutex);
        double begun = clock_ms();
        struct error error = { 0 };
        bool replied = queue_serve(&server->service, &ticket, server->as, server->entered, &error);
        pthread_mutex_lock(&hall->mutex);
        double took = clock_ms() - begun;
        if (server->service.answered) {
            hall->each_ms +=
                (took - hall->each_ms) / (double)(hall->done < EACH_LAST ? hall->done + 1 : EACH_LAST);
            hall->done += replied;
        }
        if (!replied)
            hall->trouble = error;
        server->busy = false;
        *server->stage = 0;
        pthread_cond_broadcast(&hall->changed);
    }
    pthread_mutex_unlock(&hall->mutex);
    return NULL;
}

// ---- dealing out -----------------------------------------------------------------------------------------------

struct wish { // a ticket with its place in the order
    struct ticket ticket;
    bool later;    // nobody waits for it
    size_t before; // requests of the same learner that are older
    json_int_t served;
};

static int by_age(const void *a, const void *b)
{
    const struct wish *left = a, *right = b;
    return strcmp(left->ticket.name, right->ticket.name);
}

static int by_turn(const void *a, const void *b)
{
    const struct wish *left = a, *right = b;
    if (left->later != right->later)
        return left->later ? 1 : -1;
    if (left->before != right->before)
        return left->before < right->before ? -1 : 1;
    if (left->served != right->served)
        return left->served < right->served ? -1 : 1;
    return strcmp(left->ticket.name + ROOM_TOKEN, right->ticket.name + ROOM_TOKEN); // the older one
}

static bool is_served(const struct hall *hall, const char *name)
{
    if (hall->batch)
        return batch_holds(hall->batch, name);
    if (hall->turns)
        return turns_hold(hall->turns, name);
    for (size_t i = 0; i < hall->server_count; i++)
        if (hall->servers[i].busy && strcmp(hall->servers[i].ticket.name, name) == 0)
            return true;
    return false;
}

static void refuse_ticket(const struct hall *hall, const struct ticket *ticket)
{
    struct error error, unwritten;
    error_set(&error, EXIT_USAGE, "You have %d requests in the class queue; this one is too many.",
              QUEUE_EACH);
    json_t *answer = error_answer(&error);
    (void)queue_reply(hall->room, ticket, answer, &unwritten); // tried again at the next look
    json_decref(answer);
}

static const struct room_person *person_of(const struct room_class *class, uid_t uid)
{
    for (size_t i = 0; i < class->count; i++)
        if (class->people[i].uid == uid)
            return &class->people[i];
    return NULL;
}

// The worst of them is told until nobody has flooded the queue for a while.
static void note_flood(struct hall *hall, const struct room_class *class, const struct flood *flood)
{
    bool same = flood->uid == hall->flood.uid, over = clock_ms() - hall->flood_at > FLOOD_TOLD_MS;
    if (over) {
        hall->flood.files = 0;
        *hall->flooder = *hall->flooder_token = 0;
    }
    if (!flood->files || (!same && flood->files <= hall->flood.files))
        return;
    const struct room_person *person = person_of(class, flood->uid);
    const struct passwd *user = getpwuid(flood->uid);
    char account[ROOM_NAME];
    clean_line(user ? user->pw_name : "without a name", account, sizeof account);
    format_into(hall->flooder, sizeof hall->flooder,
                person ? "%s (account %s)" : "%saccount %s, not in the class,", person ? person->as : "",
                account);
    format_into(hall->flooder_token, sizeof hall->flooder_token, "%s", person ? person->token : "");
    if (flood->files > hall->flood.files)
        hall->flood = *flood;
    hall->flood_at = clock_ms();
}

// What waits, in the order in which it will be served; the caller frees. The mutex is held.
static struct wish *line_up(struct hall *hall, const struct room_class *class, size_t *count)
{
    size_t listed;
    struct flood flood;
    struct ticket *tickets = queue_list(hall->room, &listed, &flood);
    struct wish *wishes = mem_new((listed + 1) * sizeof *wishes);
    struct error later;
    *count = 0;
    note_flood(hall, class, &flood);
    if (hall->turns)
        turns_look(hall->turns, tickets, listed);
    for (size_t i = 0; i < listed; i++) {
        const struct room_person *person = room_class_person(class, tickets[i].token);
        if (!person || person->uid != tickets[i].uid) { // nobody of this class, or another's token
            if (listed > STRANGERS_MOST)
                queue_withdraw(hall->room, tickets[i].name);
            continue;
        }
        if (is_served(hall, tickets[i].name))
            continue;
        if (queue_answered(hall->room, &tickets[i])) {
            if (hall->turns && turns_give(hall->turns, tickets[i].name, &later))
                continue; // it had its turn from an earlier serve
            queue_withdraw(hall->room, tickets[i].name);
            continue;
        }
        json_int_t served = json_integer_value(json_object_get(hall->served, tickets[i].token));
        wishes[(*count)++] = (struct wish){ tickets[i], queue_is_later(tickets[i].name), 0, served };
    }
    free(tickets);
    qsort(wishes, *count, sizeof *wishes, by_age);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        bool same = kept && strcmp(wishes[i].ticket.token, wishes[kept - 1].ticket.token) == 0;
        wishes[i].before = same ? wishes[kept - 1].before + 1 : 0;
        if (wishes[i].before >= QUEUE_EACH)
            refuse_ticket(hall, &wishes[i].ticket);
        else
            wishes[kept++] = wishes[i];
    }
    *count = kept;
    qsort(wishes, *count, sizeof *wishes, by_turn);
    return wishes;
}

static size_t deal_out(struct hall *hall, const struct room_class *class, const struct wish *wishes,
                       size_t count)
{
    size_t dealt = 0;
    for (size_t i = 0; i < hall->server_count && dealt < count; i++) {
        struct server *server = &hall->servers[i];
        if (server->busy)
            continue;
        server->ticket = wishes[dealt++].ticket;
        const struct room_person *person = room_class_person(class, server->ticket.token);
        format_into(server->as, sizeof server->as, "%s", person ? person->as : "");
        json_decref(server->entered);
        server->entered = person ? json_deep_copy(person->entered) : NULL;
        server->busy = true;
        json_object_set_new(hall->served, server->ticket.token, json_integer(++hall->turn));
    }
    if (dealt)
        pthread_cond_broadcast(&hall->changed);
    return dealt;
}

static size_t give_turns(struct hall *hall, const struct wish *wishes, size_t count, struct error *error)
{
    size_t given = 0;
    for (size_t most = turns_free_now(hall->turns); given < count && given < most; given++) {
        if (!turns_give(hall->turns, wishes[given].ticket.name, error))
            break;
        json_object_set_new(hall->served, wishes[given].ticket.token, json_integer(++hall->turn));
    }
    return given;
}

// What waits goes into the jobs of an array, when it is time for one.
static void submit_all(struct hall *hall, const struct wish *wishes, size_t *count)
{
    struct ticket *tickets = mem_new((*count + 1) * sizeof *tickets);
    for (size_t i = 0; i < *count; i++)
        tickets[i] = wishes[i].ticket;
    size_t taken = *count;
    batch_look(hall->batch, tickets, &taken);
    for (size_t i = 0; i < taken; i++)
        json_object_set_new(hall->served, tickets[i].token, json_integer(++hall->turn));
    free(tickets);
    *count = taken;
}

// ---- what learners are told ------------------------------------------------------------------------------------

static json_t *state_of(const struct hall *hall, const struct wish *waiting, size_t count)
{
    char now[32], hash[17];
    json_t *wait = json_array(), *run = json_array(), *stages = json_array();
    clock_date(now, sizeof now);
    for (size_t i = 0; i < count; i++) {
        room_hash(waiting[i].ticket.name, hash);
        json_array_append_new(wait, json_string(hash));
    }
    for (size_t i = 0; i < hall->server_count; i++) {
        if (!hall->servers[i].busy)
            continue;
        room_hash(hall->servers[i].ticket.name, hash);
        json_array_append_new(run, json_string(hash));
        json_array_append_new(stages, json_string(hall->servers[i].stage));
    }
    if (hall->batch)
        batch_running(hall->batch, run);
    if (hall->turns)
        turns_running(hall->turns, run);
    json_t *state = json_pack("{s:s, s:o, s:o, s:o, s:I, s:f, s:I}", "at", now, "waiting", wait, "running",
                              run, "stages", stages, "done", (json_int_t)hall->done, "each_ms", hall->each_ms,
                              "workers", (json_int_t)hall->server_count);
    if (hall->ends)
        json_object_set_new(state, "ended", json_true());
    if (hall->turns)
        json_object_set_new(state, "own", json_true());
    if (hall->batch)
        json_object_set_new(state, "batch", json_true());
    if (hall->batch && *batch_now(hall->batch).trouble)
        json_object_set_new(state, "trouble", json_string(batch_now(hall->batch).trouble));
    if (*hall->flooder_token) { // a hash, since learners read the state as well
        room_hash(hall->flooder_token, hash);
        json_object_set_new(state, "flood",
                            json_pack("{s:s, s:I}", "by", hash, "files", (json_int_t)hall->flood.files));
    }
    if (hall->machine)
        json_object_set(state, "machine", hall->machine);
    if (hall->boards)
        json_object_set(state, "boards", hall->boards);
    return state;
}

// ---- the loop --------------------------------------------------------------------------------------------------

static size_t busy(const struct hall *hall)
{
    size_t done, count = hall->batch   ? batch_now(hall->batch).running
                         : hall->turns ? turns_count(hall->turns, &done)
                                       : 0;
    for (size_t i = 0; i < hall->server_count; i++)
        count += hall->servers[i].busy;
    return count;
}

static void tell(struct hall *hall, const struct serving_now *now)
{
    if (hall->terms->tell)
        hall->terms->tell(hall->terms->context, now);
}

static bool look(struct hall *hall, const struct room_class *class, double *said, struct error *error)
{
    size_t count, dealt;
    pthread_mutex_lock(&hall->mutex);
    struct wish *wishes = line_up(hall, class, &count);
    dealt = hall->batch   ? count
            : hall->turns ? give_turns(hall, wishes, count, error)
                          : deal_out(hall, class, wishes, count);
    bool fine = true;
    if (hall->batch) {
        submit_all(hall, wishes, &dealt);
        hall->done = batch_now(hall->batch).done;
    }
    if (hall->turns)
        turns_count(hall->turns, &hall->done);
    if (!hall->boards || clock_ms() - hall->boards_at > BOARDS_MS) {
        json_decref(hall->boards);
        hall->boards = leaders_boards(hall->room, class);
        hall->boards_at = clock_ms();
    }
    if (fine && clock_ms() - *said > SAY_MS) {
        json_t *state = state_of(hall, wishes + dealt, count - dealt);
        fine = queue_say(hall->room, "queue.json", state, error);
        json_decref(state);
        *said = clock_ms();
        struct serving_now serving = { .running = busy(hall), .done = hall->done };
        if (hall->batch)
            serving = batch_now(hall->batch);
        serving.waiting = count - dealt;
        serving.each_ms = hall->each_ms;
        serving.flooder = hall->flooder;
        serving.flood_files = hall->flood.files;
        tell(hall, &serving);
    }
    if (*hall->trouble.text) {
        *error = hall->trouble;
        fine = false;
    }
    free(wishes);
    pthread_mutex_unlock(&hall->mutex);
    return fine;
}

static bool start_servers(struct hall *hall, struct error *error)
{
    for (size_t i = 0; i < hall->server_count; i++) {
        struct server *server = &hall->servers[i];
        *server = (struct server){ .hall = hall,
                                   .service = { hall->room, .client = client_new(),
                                                .progress = server_goes_on, .context = server } };
        server->begun = pthread_create(&server->thread, NULL, server_main, server) == 0;
        if (!server->begun)
            return error_set(error, EXIT_MISSING, "A thread for a worker could not be started.");
    }
    return true;
}

// What waits stays in the queue; learners are told that nobody serves it now, unless the room is over.
static void end_servers(struct hall *hall, const struct room_class *class, bool room_ended)
{
    size_t count;
    struct error unused;
    pthread_mutex_lock(&hall->mutex);
    hall->ends = true;
    pthread_cond_broadcast(&hall->changed);
    tell(hall, &(struct serving_now){ .running = busy(hall), .done = hall->done, .ends = true });
    pthread_mutex_unlock(&hall->mutex);
    for (size_t i = 0; i < hall->server_count; i++) {
        if (hall->servers[i].begun)
            pthread_join(hall->servers[i].thread, NULL);
        client_free(hall->servers[i].service.client);
        json_decref(hall->servers[i].entered);
    }
    if (room_ended || !hall->machine) // before it knew its machine, what an earlier serve said stands
        return;
    struct wish *wishes = line_up(hall, class, &count);
    json_t *state = state_of(hall, wishes, count);
    (void)queue_say(hall->room, "queue.json", state, &unused);
    json_decref(state);
    free(wishes);
}

// A room that is forgotten when it ends leaves nobody the notice of it.
static bool has_ended(struct hall *hall)
{
    notices_look(&hall->notices);
    return hall->notices.ended || (access(hall->room->folder, F_OK) != 0 && errno == ENOENT);
}

// A client_progress of the worker that describes its machine, which a scheduler may let wait.
static bool starts_on(void *context, const char *stage, double seconds)
{
    struct hall *hall = context;
    tell(hall, &(struct serving_now){ .starting = stage });
    return !*hall->stop && !has_ended(hall);
}

// By a worker that is there for no longer than that takes.
static bool describe_once(struct hall *hall, struct error *error)
{
    struct client *client = client_new();
    bool described = client_describe(client, false, starts_on, hall, &hall->machine, error);
    client_free(client);
    return described;
}

bool serve(const struct room *room, const struct serve_terms *terms, const volatile sig_atomic_t *stop,
           struct error *error)
{
    struct server servers[WORKERS_MOST] = { 0 };
    struct hall hall = { .room = room,
                         .stop = stop,
                         .terms = terms,
                         .notices = { .journal = { .path = room_path(room, "notices.jsonl"),
                                                   .owner = room->owner } },
                         .mutex = PTHREAD_MUTEX_INITIALIZER,
                         .changed = PTHREAD_COND_INITIALIZER,
                         .servers = servers,
                         .server_count = terms->batch || terms->own      ? 0
                                         : terms->workers < WORKERS_MOST ? (size_t)terms->workers
                                                                         : WORKERS_MOST,
                         .served = json_object() };
    struct room_class class = { .room = room };
    double said = 0;
    // Learners need to know for which GPU they compile, so a worker describes its machine before the first request. It is
    // the first server's, which has nothing to do yet.
    if (terms->own)
        hall.turns = turns_new(room, terms->workers);
    bool fine =
        terms->own ? describe_once(&hall, error)
        : terms->batch
            ? describe_once(&hall, error) && (hall.batch = batch_open(room, terms->workers, stop, error))
            : start_servers(&hall, error) &&
                  client_describe(servers[0].service.client, false, starts_on, &hall, &hall.machine, error);
    while (fine && !*stop && !has_ended(&hall)) {
        struct timespec nap = { 0, LOOK_MS * 1000000L };
        fine = room_class_look(&class, (double)time(NULL), error) && look(&hall, &class, &said, error);
        if (fine)
            nanosleep(&nap, NULL);
    }
    bool over = has_ended(&hall); // then its folders are gone
    fine = fine || over || *stop;
    end_servers(&hall, &class, over);
    batch_close(hall.batch);
    turns_free(hall.turns);
    notices_free(&hall.notices);
    room_class_free(&class);
    json_decref(hall.served);
    json_decref(hall.machine);
    json_decref(hall.boards);
    return fine;
}
