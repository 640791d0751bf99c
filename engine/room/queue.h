// The class queue: requests as files in a room, and the one process that reads them and keeps a worker for each GPU.
#ifndef WARPBOOK_ROOM_QUEUE_H
#define WARPBOOK_ROOM_QUEUE_H

#include <signal.h>

#include "engine/room/room.h"
#include "engine/run/run.h"

enum {
    QUEUE_NAME = 64,              // bytes of a ticket's name, with the terminating 0
    QUEUE_REQUEST_MOST = 1 << 19, // bytes of a request: a kernel's text and its PTX
    QUEUE_ANSWER_MOST = 1 << 22,
    QUEUE_STATE_MOST = 1 << 18,
    QUEUE_EACH = 8, // requests of one learner that wait; more are refused
    QUEUE_LIMIT_MS = 10000,
    QUEUE_FILES = 64 // of one account in the queue's folder, where accounts are not shared; more are removed
};

// ---- queue.c: its files -----------------------------------------------------------------------------------

// A request is q/NAME, its answer out/NAME. NAME is the token, a dash, 16 hexadecimal digits that rise with time, .json.
// The first digit of one that nobody waits for is 8 or more: it is served when no other waits.
struct ticket {
    char name[QUEUE_NAME], token[ROOM_TOKEN];
    uid_t uid; // of the file's owner
};
// Writes a learner's request, which serve sees whole or not at all.
bool queue_ask(const struct room *room, const char *token, const json_t *request, char name[QUEUE_NAME],
               struct error *error);
// The same for what nobody waits for.
bool queue_ask_later(const struct room *room, const char *token, const json_t *request, struct error *error);
static inline bool queue_is_later(const char *name)
{
    return name[ROOM_TOKEN] >= '8';
}
// Likewise under a name that it has already; nothing where it is in the queue, or answered.
bool queue_put(const struct room *room, const char *name, const json_t *request, struct error *error);
bool queue_ticket(const char *name,
                  struct ticket *out); // false: this is no ticket's name; the owner is not set
void queue_withdraw(const struct room *room, const char *name);
bool queue_wanted(const struct room *room, const struct ticket *ticket); // false: withdrawn, or answered
// The answer: an object with `result` or `error`. NULL: there is none yet.
json_t *queue_answer(const struct room *room, const char *name);
// The state that serve writes: `machine` as a worker describes it, `waiting` and `running` as hashes of tickets' names in
// the order in which they are served, `stages` of those that run, `each_ms`, `at`, `ended`. NULL: nobody ever served.
json_t *queue_state(const struct room *room);

struct flood { // the account that has put more files there than it may, the most where there are several
    uid_t uid;
    size_t files; // 0: nobody has
};
// Lists all requests for serve, in no order; the caller frees. NULL for `flood`: the caller does not want to know.
struct ticket *queue_list(const struct room *room, size_t *count, struct flood *flood);
// A request's text; false: it is none that may be read, and the error says why to the learner.
bool queue_read(const struct room *room, const struct ticket *ticket, json_t **out, struct error *error);
bool queue_answered(const struct room *room, const struct ticket *ticket);
// The answer is on disk before the request goes.
bool queue_reply(const struct room *room, const struct ticket *ticket, const json_t *answer,
                 struct error *error);
// Writes what learners and helpers read in `out` under this name: "queue.json" is the state.
bool queue_say(const struct room *room, const char *name, const json_t *what, struct error *error);

// ---- serve.c ------------------------------------------------------------------------------------------------

struct serving_now {
    size_t waiting, running, done;
    double each_ms;
    const char *starting; // what the first worker does before it is there; NULL: it is
    bool ends;            // what runs is being stopped
    const char *trouble;  // why Slurm has no job for what waits; NULL or "": it has
    double again_s;       // until it is tried again
    const char *flooder;  // who has just put more files into the queue than anybody may; "": nobody
    size_t flood_files;   // how many they were at one look
};
struct serve_terms {
    int workers; // one for each GPU
    bool batch;  // none is held: requests go into arrays of jobs, `workers` of which run at a time
    bool own;    // nothing runs here: `workers` learners at a time take a GPU of their own account
    // Called about twice a second, and when it ends; NULL: nobody wants to know.
    void (*tell)(void *context, const struct serving_now *now);
    void *context;
};
// Serves until *stop, or until the room ends. What runs then is stopped, and its learner told; what waits, waits on.
bool serve(const struct room *room, const struct serve_terms *terms, const volatile sig_atomic_t *stop,
           struct error *error);

// Has requests done, each for the learner who asks.
struct service {
    const struct room *room;
    struct client *client;
    client_progress
        progress; // false stops the run; NULL: nothing but its learner does, who withdraws the request
    void *context;
    char last
        [ROOM_TOKEN]; // whose request was done before, "" nobody's: the next finds nothing of it on the GPU
    bool answered;    // the last request; false: it was withdrawn, and counts nowhere
};
// The labs whose leaderboards are `entered` are noted under `as`. False: the answer could not be written.
bool queue_serve(struct service *service, const struct ticket *ticket, const char *as, const json_t *entered,
                 struct error *error);

// ---- batch.c: arrays of jobs, where nobody may hold a GPU ------------------------------------------------------------

struct batch;
// The worker's line has to be one of srun. What an earlier serve has submitted goes on. NULL: an error.
// *stop ends a wait for Slurm.
struct batch *batch_open(const struct room *room, int at_once, const volatile sig_atomic_t *stop,
                         struct error *error);
void batch_close(struct batch *batch); // cancels what has not run; NULL: nothing
// Submits the tickets when it is time for an array; *count: how many waited, then how many of them went.
void batch_look(struct batch *batch, const struct ticket *tickets, size_t *count);
bool batch_holds(const struct batch *batch, const char *name); // it is in an array that has not ended
void batch_running(const struct batch *batch, json_t *hashes); // of the tokens of what it holds
// What it holds as `running`, what was answered as `done`, and trouble, cleaned.
struct serving_now batch_now(const struct batch *batch);
// `warpbook room task LIST`: what a job of an array does.
int task_main(const char *list);

// ---- turns.c: how many learners take GPUs of their own at a time -----------------------------------------------------

struct turns;
struct turns *turns_new(const struct room *room, int at_once);
void turns_free(struct turns *turns); // who has a turn keeps it; NULL: nothing
// Ends the turns of those whose tickets are no longer among all these.
void turns_look(struct turns *turns, const struct ticket *tickets, size_t count);
size_t turns_free_now(const struct turns *turns);
bool turns_give(struct turns *turns, const char *name, struct error *error);
bool turns_hold(const struct turns *turns, const char *name);
void turns_running(const struct turns *turns, json_t *hashes);
size_t turns_count(const struct turns *turns, size_t *done);

// ---- leaders.c: leaderboards of what serve measured ----------------------------------------------------------------

// Times of runs at full size on a GPU, and counts of runs at small size in the simulator, which need none: sectors of
// global memory, then wavefronts of shared memory, then instructions of warps, all exact.
enum { LEADERS_REPS = 20, LEADERS_COUNTS = 3 }; // repeats of a run that enters
struct
    leader { // a learner's best on one model of GPU, or in the simulator, with one distribution of the data
    char as[ROOM_NAME], device[80], data[32]; // device "": the simulator, which has no times
    double counts[LEADERS_COUNTS];            // its; 0 on a GPU
    double median_ms, low_ms, high_ms, ceiling_pct;
    bool
        aside; // faster than the GPU's memory allows, or wrong when measured again: for the instructor's eyes
    bool again; // measured again
    int place;  // in its table; those that cannot be told apart share one
};
// Makes the request one that enters, on data that no kernel has seen before; false: no run of this kind does, and no
// library's row.
bool leaders_ask(struct request *request);
bool leaders_may_enter(const struct request *request, const struct record *record);
bool leaders_note(const struct room *room, const char *as, const struct request *request,
                  const struct record *record, struct error *error);
// The leaders among learners who have entered this lab and not withdrawn, by device, data and place; the caller frees.
size_t leaders_of(const struct room *room, const struct room_class *class, const char *lab,
                  struct leader **out);
enum { BOARD_LEAST = 5, BOARD_NAMED = 5, BOARD_MOST = 100 };
// The tables that learners may see, of which serve makes a part of its state: an array of {lab, device, data, rows}. A
// table with fewer than BOARD_LEAST learners is not among them. A row has place, median_ms, low_ms, high_ms and pct, or
// place and counts; `as`
// in the first BOARD_NAMED alone, and `hash`, as room_hash has it, by which learners know their own.
json_t *leaders_boards(const struct room *room, const struct room_class *class);

enum { AGAIN_PLACES = 3 };
// Measures those on the first places of the lab's tables for the client's GPU again, in turns; that counts in the place of
// what they had. *count: how many they were.
bool leaders_again(const struct room *room, const struct room_class *class, const char *lab,
                   struct client *client, client_progress progress, void *context, size_t *count,
                   struct error *error);

// ---- forward.c: a worker for learners, which passes runs on the GPU to the queue ---------------------------------

// `warpbook worker --room`: speaks the worker's protocol on stdin and stdout. What needs no GPU runs here, and kernels are
// compiled here, by the learner's own account.
int forward_main(void);

#endif
