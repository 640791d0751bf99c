// What Nsight Compute counted of a run, on the hardware itself: `profiled` of a record.
#ifndef WARPBOOK_PROFILED_H
#define WARPBOOK_PROFILED_H

#include <jansson.h>

#include "engine/run/record.h"
#include "engine/run/run.h"

// Why there are no counters.
enum profile_refusal {
    PROFILE_DONE,        // there are
    PROFILE_NO_TOOL,     // ncu is not installed
    PROFILE_NO_GPU,      // no GPU, or none that can be used
    PROFILE_PERMISSION,  // the driver lets only administrators read them
    PROFILE_UNSUPPORTED, // this ncu does not know this GPU
    PROFILE_BUSY,        // another program has the counters
    PROFILE_FAILED       // anything else
};
// Numbers that ncu did not give are NAN. Those of a run with several launches are sums; hit rates are their averages,
// registers and occupancy the first launch's.
struct profiled {
    enum profile_refusal refused;
    char *why; // a sentence; NULL: not refused
    double launches, ms, registers, occupancy_pct, inst, dram_read_bytes, dram_write_bytes, l1_hit_pct,
        l2_hit_pct;
    struct record_counters counters; // those that Nsight Compute has too
};
json_t *profiled_to_json(const struct profiled *profiled);
bool profiled_from_json(struct profiled **out, const json_t *json);
struct profiled *profiled_refused(enum profile_refusal refusal, const char *why);
void profiled_free(struct profiled *profiled); // and itself; NULL: nothing

// Asks for a profile of the launches of this file; the request's run is on the GPU.
bool request_profile(struct request *request, const struct variant *variant, struct error *error);

// For the worker: runs a request that asks for a profile by a worker of its own below ncu. `request` is the object of the
// protocol. The record, with `profiled`; NULL: the run could not be done, and `error` says why.
json_t *profile_run(const json_t *request, struct error *error);
enum { PROFILE_LIMIT_MS = 300000 }; // ncu runs a kernel once for each few counters, and starts slowly

#endif
