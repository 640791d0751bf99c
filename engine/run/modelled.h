// A simulated run's time on GPUs that need not be there: what a request asks of the model, and what the record says.
#ifndef WARPBOOK_MODELLED_H
#define WARPBOOK_MODELLED_H

#include <jansson.h>

#include "engine/model/model.h"
#include "engine/run/run.h"

struct compiled;
struct gain {         // what a run would take without some of its costs
    unsigned without; // bits of enum model_without
    double ms;
    double term_ms[TERMS]; // all 0: an earlier version wrote none
};
struct modelled {     // a run on one GPU
    char *gpu, *name; // "h100", "NVIDIA H100 80GB HBM3"
    bool measured;    // the GPU's figures were, not only published
    char *why;        // there is no time, and this is the reason; NULL: there is one
    double ms, low_ms, high_ms;
    double fixed_ms; // of them: starting the launches, which no kernel avoids
    enum model_term limiter;
    enum pipe pipe;        // the busiest of those that TERM_PIPE means; PIPE_NONE: none is used
    double term_ms[TERMS]; // how long each would take alone
    // When the request asked what if: each cost that the run has alone, the best one with each other one, all together;
    // the fastest first.
    struct gain *gains;
    size_t gain_count;
};

enum {
    MODELLED_GPUS = 16, // that one request may name
    MODELLED_GAINS = 16
};
// The gain of taking away exactly these costs; NULL: it was not computed.
const struct gain *modelled_gain(const struct modelled *one, unsigned without);

// "h100,l4": adds the figures of these GPUs to a request for the simulator. They travel with it, so that a worker on another
// machine computes with those of the asking one. NULL: of the GPU in this machine, else the H100.
bool request_model(struct request *request, const char *gpus, struct error *error);
// The GPU in this machine, if there are figures for it, else "h100".
char *modelled_usual_gpu(void); // the caller frees

// Records of a request with figures have as many of these as GPUs, in their order.
struct modelled_launches; // what on_sim.c keeps of the launches of a run
struct modelled_launches *modelled_start(void);
// Copies the counters of a launch, and takes its sample over.
void modelled_keep(struct modelled_launches *launches, struct sim_result *result, uint64_t blocks,
                   int block_threads, int registers, int shared_bytes);
void modelled_fill(struct modelled_launches *launches, const struct sim_module *module,
                   const struct compiled *compiled, const struct request *request, struct record *out);
// The time as if the kernels took so many registers a thread, 0 for what they take, and so many bytes of shared memory more.
// *launch: that of this number, as turned; without a result where it was not launched.
void modelled_turn(const struct modelled_launches *launches, const struct sim_module *module,
                   const struct compiled *compiled, const struct gpu_figures *gpu, int registers,
                   int shared_bytes, struct modelled *out, size_t which, struct model_launch *launch);
void modelled_free(struct modelled_launches *launches);

json_t *modelled_to_json(const struct modelled *all,
                         size_t count); // one GPU: an object, else an array; NULL: none
bool modelled_from_json(struct modelled **out, size_t *count, const json_t *json);
void modelled_free_all(struct modelled *all, size_t count);

#endif
