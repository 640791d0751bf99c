// Running things and saying what came out: requests, the worker that serves them, measuring, comparing with the
// reference, and the record that every run leaves. Knows no screen.
//
// A run's way: request.c (what is asked) → client.c (to a worker process) → worker.c (passes it on) → executor.c (a
// confined process) → on_cpu.c, on_gpu.c or on_sim.c (does it, with outcome.c) → record_json.c (what came out) and back.
// PROTOCOL.md in this folder describes the lines that travel.
#ifndef WARPBOOK_RUN_H
#define WARPBOOK_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/base.h"
#include "engine/run/record.h"
#include "kernels/variant.h"
#include "reference/lab.h"

// ---- request.c: one run that is asked for -------------------------------------------------------

enum request_check { REQUEST_CHECK_NONE, REQUEST_CHECK_COUNTERS, REQUEST_CHECK_ALL }; // as enum sim_check
struct request {
    enum backend on;
    char *lab;     // NULL: a file that stands alone
    char *variant; // the name of a kernel file or of a CPU implementation, or of the lab's library
    char *file;    // ON_GPU, ON_SIM: for messages
    char *
        source; // ON_GPU, ON_SIM: the text that is compiled; it travels, so that what one sees is what runs. NULL on a
    // GPU: the lab's library
    char *
        ptx; // ON_GPU: what the source was compiled to already; then it is run, and no compiler is. NULL: not yet
    char *preset;              // "full", or NULL when every parameter is given
    char *data;                // NULL: the lab's first
    struct expr_params params; // given one by one
    int reps;                  // 0: until the spread is small
    int limit_ms;              // a kernel that runs longer is stopped; 0: the worker's own limit
    // ON_SIM only: what is counted and looked for, on how many host threads (0: all), in which order.
    enum request_check check;
    int threads, seed; // seed, ON_GPU: of other data at each repeat (vary.c); 0: the lab's own
    int64_t
        memory_bytes; // that it may take with its data; 0: 5 GiB, or three quarters of what is free if that is less
    bool instructions; // the record tells what each PTX instruction did
    json_t *gpus;      // figures of GPUs on which the run's time is to be modelled (modelled.h); NULL: none
    json_t *profile;   // ON_GPU: names of the kernels that Nsight Compute looks at (profiled.h); NULL: none
    bool what_if;      // and what it would be without each of its costs
    bool fresh;        // ON_GPU: in a process of its own, in whose memory nothing is left of runs before it
};
enum { // of what a request may ask for
    REPS_MOST = 100,
    LIMIT_MOST_MS = 3600000,
    THREADS_MOST = 256
};
#define MEMORY_LEAST (1 << 20) // bytes
#define MEMORY_MOST ((int64_t)1 << 46)
// For one row of a lab's ladder, or a file: `variant` a kernel, or `cpu` an implementation; everything else NULL or 0.
struct request request_new(enum backend on, const char *lab, const struct variant *variant,
                           const struct cpu_variant *cpu, const char *preset, const char *data);
void request_free(struct request *request);
const char *request_preset(const struct request *request); // the one named, or the backend's own
json_t *request_to_json(const struct request *request);    // record_json.c
bool request_from_json(struct request *out, const json_t *json, struct error *error);

// The flags --set, --size and --data.
// `lab` NULL: a file that stands alone. An error names what there is. "n=1<<20": the value is an expression; `file` is
// the one that stands alone, or NULL as long as it is not known.
bool request_set_param(struct request *request, const struct lab *lab, const struct variant *file,
                       const char *setting, struct error *error);
bool request_set_size(struct request *request, const struct lab *lab, const char *name, struct error *error);
// "512M", "8G", "1.5GiB", in powers of 1024
bool request_set_memory(struct request *request, const char *size, struct error *error);
bool request_set_data(struct request *request, const struct lab *lab, const char *name, struct error *error);

// ---- outcome.c: repeats ----------------------------------------------------------------------------

struct statistics { // of times; spread is the distance between the quartiles, in percent of the median
    double median, minimum, spread_pct;
    double low, high; // the median of all such repeats lies between, in 95 of 100 cases; NAN: of fewer than 6
    size_t count;
};
struct statistics outcome_statistics(const double *times, size_t count);
// The rule by which repeating ends: enough repeats with a small spread, or the budget spent.
bool outcome_measured(const double *times, size_t count, double spent_ms, int asked_reps);

// ---- every element against the reference ----

struct compare_result {
    size_t compared, wrong;
    double worst; // largest |got - want| where both are numbers
    // The first wrong element; `buffer` is empty when none is.
    char buffer[32];
    size_t index;
    char got[80], want[80];
    bool never_written; // it still holds the poison
};
// The buffer as an answer of the file is compared with it: in any order only where the file promises none.
struct problem_buffer compare_as(const struct problem_buffer *buffer, const struct variant *variant);
// A piece of a buffer, `offset` bytes from its start; pieces come in order.
void compare_piece(struct compare_result *check, const struct problem_buffer *buffer, const void *got,
                   size_t offset, size_t bytes);
// Which block and thread write the first wrong element, as the file's owner line says; nothing where no element is wrong
// or the file has no owner line. The scope is that of the launch lines.
void compare_owner(const struct compare_result *check, const struct variant *variant,
                   const struct expr_scope *scope, struct text *out);
// The byte that fills outputs before a run: NaN for decimals, a conspicuous number for integers.
unsigned char compare_poison(struct type type);

// ---- limits of both ends of the protocol ------------------------------------------------------------

enum {
    PROTOCOL_VERSION = 1,
    PROTOCOL_LINE_MOST = 16 << 20, // bytes of a line
    STAGE_ROOM_MS = 60000, // a stage may take so much longer than the longest kernel, simulated three times
    STAGE_MOST_MS = 3 * LIMIT_MOST_MS + STAGE_ROOM_MS, // a longer limit of a stage is not believed
    BEAT_MS = 4000, // so often the ends of a connection say that they are there, while a request is served
    BEATS_SILENT_MS = 12000 // an end that was not heard for so long is gone
};

// Whether a line of so many bytes, without its newline, may be written, and so whether it is read.
static inline bool protocol_fits(size_t length)
{
    return length <= PROTOCOL_LINE_MOST;
}

// ---- worker.c: serves requests on stdin and stdout ------------------------------------------------

// Ends after its input has, after a minute without a request, and at once when its answers have no reader.
int worker_main(void);
// executor.c: one of the processes that do the work, which the worker starts with this word.
int executor_main(const char *name);

// ---- client.c: the other end ----------------------------------------------------------------------

struct client; // a worker, started when first needed and again after it died
struct client *client_new(void);
void client_free(struct client *client);
// The worker is started by this line instead of the site's; "": it is this machine's own. The line must live on.
void client_command(struct client *client, const char *line);
// How long a foreign worker may take to start, as one that queues for a GPU may: without this as long as it takes.
void client_wait(struct client *client, int seconds);

// Called about ten times a second with what the worker does now: "compiling", "running", and before that "starting" with
// the last line that a foreign one wrote to its stderr; false stops the run.
typedef bool (*client_progress)(void *context, const char *stage, double seconds);
// Sends the request and waits for its record. False when no record came: the worker could not be started,
// died, hung or broke the protocol; the error says which, and the next run starts a new one.
bool client_run(struct client *client, const struct request *request, client_progress progress, void *context,
                struct record *out, struct error *error);
// The worker's machine: GPU, ceilings, driver, compilers. For doctor.
bool client_describe(struct client *client, bool measure, client_progress progress, void *context,
                     json_t **out, struct error *error);

// ---- ssh.c: a worker behind ssh -------------------------------------------------------------------

struct ssh_route { // "ssh OPTIONS HOST REST"
    char *options, *host, *rest;
    char *socket; // of the connection that `warpbook connect` keeps; NULL: there is no place for it
};
// False: the command is not ssh, or not one that is understood. The caller frees it, also then.
bool ssh_route_read(const char *command, struct ssh_route *out);
void ssh_route_free(struct ssh_route *route);
bool ssh_route_is_open(const struct ssh_route *route); // there is a connection
// What to do about an ssh that could ask nobody, by the words that it ended with; false: it was not that.
bool ssh_wants(const char *said, const char *host, char *out, size_t size);
// Whether sshd turned the connection away before it asked who it is, as it does when a class comes at once (MaxStartups).
bool ssh_was_refused(const char *said);

// ---- recorded.c: results that ship, from a real GPU --------------------------------------------

// The result in assets/recorded/LAB.jsonl for the same code, size and data as the request; false if none. `variant` NULL:
// of the lab's library.
bool recorded_find(const struct request *request, const struct variant *variant, struct record *out);

// ---- launch.c -------------------------------------------------------------------------------------------

// Whether this entry of the PTX has the name that the launch line gives.
bool launch_may_mean(const struct launch *launch, const char *entry);

#endif
