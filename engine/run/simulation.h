// The simulator as a backend: what it says, in the form of the record.
#ifndef WARPBOOK_SIMULATION_H
#define WARPBOOK_SIMULATION_H

#include "engine/run/worker.h"
#include "engine/sim/sim.h"

// ---- on_sim.c: a kernel file laid out in the simulator --------------------------------------------------

struct sim_setup_buffer { // a buffer or scratch in the simulated memory
    const char *name;
    struct type type;
    const struct layout *layout; // of that type; NULL: unknown
    unsigned char *bytes;
    unsigned char *padding; // of an element, as the simulator takes it; NULL: it has none
    size_t size;            // of the bytes
    sim_address address;
};
struct sim_setup { // part of a stepper
    const struct request *request;
    bool debug;              // a debug build, which names the source's variables
    const atomic_bool *stop; // of its compile; NULL: it is never stopped
    // Compiles, with `context`; NULL: compile() does.
    bool (*compile)(void *context, const struct compile_request *request, struct compiled *out,
                    struct error *error);
    void *context;
    struct variant variant;
    struct compiled compiled;
    struct expr_binding bindings[SCOPE_BINDINGS];
    struct expr_scope scope;
    struct sim_module *module;
    struct sim_memory *memory;
    size_t memory_limit;             // bytes for the simulator, apart from the data
    struct sim_setup_buffer *places; // the problem's buffers, then the scratch
    size_t place_count;
    uint64_t *handles; // of the file's textures and surfaces
    struct given given;
};

// All that comes before the first launch, in this process; the right answers too, where they are asked for.
bool setup_open(struct sim_setup *setup, const struct request *request, struct problem *problem,
                bool with_answers, struct error *error);
bool setup_pack(struct sim_setup *setup, const struct launch *launch, struct packed_launch *packed,
                struct sim_launch *out, struct error *error);
struct sim_options setup_options(const struct sim_setup *setup);
// Keeps what the model needs of a launch, with the registers and the shared memory that the assembler gave the kernel.
struct modelled_launches;
void setup_keep_for_model(const struct sim_setup *setup, struct modelled_launches *launches,
                          const struct packed_launch *packed, const struct sim_launch *what,
                          struct sim_result *one);
void setup_free(struct sim_setup *setup);

// FNV-1a's offset basis as the tables of digests were made with; it lacks the last digit of the usual one.
#define DIGEST_BASIS 1469598103934665603ull

// ---- texture.c: a texture or surface line as an image of the simulator -----------------------------------------

// `buffer` holds its texels. An error points at the line.
bool texture_image(const struct variant *variant, const struct texture *texture,
                   const struct sim_setup_buffer *buffer, const struct expr_scope *scope,
                   struct sim_image *out, struct error *error);

// ---- stepper.c: the same file, one instruction after the other ------------------------------------------------------

struct kept_state; // of a launch that a program kept: engine/run/kept.c
struct stepper {   // zero-initialise; stepper_close frees what there is, also after a failure
    struct sim_setup setup;
    struct problem problem;
    size_t launch; // the one that is traced
    struct packed_launch packed;
    struct sim_trace *trace;
    struct kept_state *kept; // NULL: the launches are those of a kernel file
};
// Opens a stepper at the start of its first launch. A request whose file is a kept launch (kept_is) has that launch alone.
// The request must stay until the stepper closes.
bool stepper_open(struct stepper *stepper, const struct request *request, struct error *error);
bool stepper_launch(struct stepper *stepper, size_t launch,
                    struct error *error);          // closes the trace before it
bool stepper_ended(const struct stepper *stepper); // the launch that is traced
bool stepper_goes_on(
    const struct stepper *stepper); // it was not stopped, but ended, and there is a launch after it
// The findings so far, also those that only the end of the last launch can show; the caller frees.
size_t stepper_findings(const struct stepper *stepper, struct sim_finding **out);
void stepper_close(struct stepper *stepper);

// ---- kept.c: a launch of a whole program, which `warpbook exec --step` left in a file -----------------------------

bool kept_is(const char *path); // such a file
// What is launched, as a file with no launch line: its source, else its PTX. The caller frees it, also after a failure.
bool kept_variant(const char *path, struct variant *out, struct error *error);
bool kept_open(struct stepper *stepper, const struct request *request,
               struct error *error); // for stepper_open
void kept_free(struct kept_state *kept);

// ---- turnable.c: the same file, simulated once for the model, which then turns its launches ----------------------------

struct turnable { // zero-initialise
    struct sim_setup setup;
    struct problem problem;
    struct modelled_launches *launches;
    size_t main;       // the launch with the most instructions
    unsigned block[3]; // of it
    bool complete;     // they ran to their end
    // What is wrong with what they did or left, a sentence; "": nothing is, or they were stopped.
    char wrong[400];
    bool found;    // a check says so, whatever they left
    bool answers;  // it is known what they should leave
    uint64_t left; // where it is not: a digest of what they left
};
// Simulates all launches and looks at what they left. The request must stay as long as it is open. `code`: what is compiled in
// place of its source, which differs from it by launch lines only, and of which `main` is known; NULL: the source.
bool turnable_open(struct turnable *turnable, const struct request *request, const char *code, size_t main,
                   struct error *error);
void turnable_close(struct turnable *turnable); // whether it could be opened or not

// ---- finding_names.c ----------------------------------------------------------------------------------------

// An element of a shared array gets as many indices as its declaration has, and where the kernel calls a buffer otherwise
// than the launch line does, the sentence says how.
void findings_in_source(const struct variant *variant, struct sim_finding *findings, size_t count);
// The same of one sentence about the shared array of this name; the caller frees it.
char *sentence_in_source(const char *source, const char *shared, const char *sentence);

// ---- counters of each PTX instruction ---------------------------------------------------------------------

struct instruction {
    int ptx_line, line; // of the PTX, of the source; 0: unknown
    char *text;
    struct sim_counters counters; // of all launches; requests etc. only where it touches memory
};
struct instructions {
    struct instruction *items; // those that were executed, in the order of the PTX
    size_t count;
};
// Puts the launches of one module together; the caller frees.
void record_instructions_of(struct instructions *out, const struct sim_result *result);
json_t *record_instructions_to_json(const struct instructions *instructions);
// From a record's array, or NULL for none. Nothing is left to free after a failure.
bool record_instructions_from_json(struct instructions *out, const json_t *json, struct error *error);
void record_instructions_free(struct instructions *instructions);

#endif
