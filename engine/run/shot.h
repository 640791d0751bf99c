// One run on the GPU, in the making: what its parts share.
#ifndef WARPBOOK_SHOT_H
#define WARPBOOK_SHOT_H

#include "engine/run/worker.h"

// Everything of one run that the next one does not share.
struct shot {
    struct worker *worker;
    const struct request *request;
    struct variant variant;
    struct kept_module *module;
    struct expr_binding bindings[SCOPE_BINDINGS];
    struct expr_scope scope; // the problem's parameters and sm_count
    gpu_address *scratch;    // one per scratch line
    struct packed_launch launches[LAUNCHES];
    struct gpu_launch plain[LAUNCHES]; // the same, as gpu_time takes them
};

// ---- shot_data.c: its buffers on the GPU ------------------------------------------------------------

bool shot_names(const struct shot *shot, const char *buffer); // a launch line gives it to a kernel
bool shot_count(struct shot *shot, struct error *error); // whether there is memory for it, here and there
bool shot_place(struct shot *shot, struct error *error); // buffers and scratch, inputs copied
bool shot_placed(void *shot, const char *name, struct placed *out); // a placed_of
bool shot_reset(struct shot *shot,
                struct error *error); // restores what kernels change, poisons what they write
void shot_free(struct shot *shot);

// ---- shot_check.c: its answers -----------------------------------------------------------------------

// Compares every element as it arrives from the GPU; the record gets the outcome and the time of the copies.
bool shot_check(struct shot *shot, struct record *out, struct error *error);

// ---- shot_record.c: what is known of it besides times ------------------------------------------------

void shot_record_device(const struct shot *shot, struct record *out);
void shot_record_resources(const struct shot *shot, struct record *out);
void shot_record_uploads(const struct shot *shot, struct record *out);

#endif
