// The simulator as a backend: what it says, in the form of the record.
#ifndef WARPBOOK_SIMULATION_H
#define WARPBOOK_SIMULATION_H

#include "engine/run/worker.h"
#include "engine/sim/sim.h"

// ---- scene.c: a kernel file laid out in the simulator ---------------------------------------------------

struct scene_place { // a buffer or scratch in the simulated memory
    const char *name;
    struct type type;
    unsigned char *bytes;
    sim_address address;
};
struct scene { // zero-initialise; scene_free frees what there is, also after a failure
    const struct request *request;
    const atomic_bool *stop; // of its compile; NULL: nobody stops it
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
    size_t memory_limit;        // bytes for the simulator, apart from the data
    struct scene_place *places; // the problem's buffers, then the scratch
    size_t place_count;
};
// In this order: the kernel file, what launch lines can name, whether its data fits into so many bytes, its code, its
// data.
bool scene_parse(struct scene *s, const struct request *request, struct error *error);
void scene_bind(struct scene *s, const struct problem *problem);
bool scene_count(struct scene *s, const struct problem *problem, double free, struct error *error);
bool scene_compile(struct scene *s, struct error *error);
bool scene_place(struct scene *s, const struct problem *problem, struct error *error);
// One launch line, ready to run; `packed` holds its arguments.
bool scene_pack(struct scene *s, const struct launch *launch, struct packed_launch *packed,
                struct sim_launch *out, struct error *error);
struct sim_options scene_options(const struct scene *s);
void scene_free(struct scene *s);

// ---- walk.c: a kernel file in the simulator, one instruction after the other ------------------------------

struct walk { // zero-initialise; walk_close frees what there is, also after a failure
    struct scene scene;
    struct problem problem;
    size_t launch; // that is traced
    struct packed_launch packed;
    struct sim_trace *trace;
};
// At the start of its first launch. The request must stay until the walk closes.
bool walk_open(struct walk *walk, const struct request *request, struct error *error);
bool walk_launch(struct walk *walk, size_t launch, struct error *error); // closes the trace before it
bool walk_ended(const struct walk *walk);                                // the launch that is traced
bool walk_goes_on(const struct walk *walk); // it was not stopped, but ended, and there is a launch behind it
// The findings so far, also those that only the end of the last launch can show; the caller frees.
size_t walk_findings(const struct walk *walk, struct sim_finding **out);
void walk_close(struct walk *walk);

// ---- what each PTX instruction did ------------------------------------------------------------------------

struct instruction {
    int ptx_line, line; // of the PTX, of the source; 0: unknown
    char *text;
    struct sim_counters counters; // of all launches; requests etc. only where it touches memory
};
struct instructions {
    struct instruction *items; // those that were executed, in the order of the PTX
    size_t count;
};
// Launches of one module put together; the caller frees. (on_sim.c)
void instructions_of(struct instructions *out, const struct sim_result *result);
json_t *instructions_to_json(const struct instructions *instructions);
// Of a record's array, or of NULL, which has none. Nothing is left to free after a failure.
bool instructions_from_json(struct instructions *out, const json_t *json, struct error *error);
void instructions_free(struct instructions *instructions);

#endif
