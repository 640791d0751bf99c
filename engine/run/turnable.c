// A kernel file that is simulated once, checked, and kept for the model to turn its launches.
#include "engine/run/modelled.h"
#include "engine/run/simulation.h"

#include <stdlib.h>
#include <string.h>

void turnable_close(struct turnable *turnable)
{
    modelled_free(turnable->launches);
    setup_free(&turnable->setup);
    problem_free(&turnable->problem);
    *turnable = (struct turnable){ 0 };
}

// After an access out of bounds, or a race, a result is right by chance. One that was stopped has none.
static void note_error(struct turnable *turnable, const struct sim_result *result)
{
    for (size_t i = 0; i < result->finding_count && !turnable->found; i++)
        if (result->findings[i].severity == SIM_ERROR && result->findings[i].kind != SIM_OTHER) {
            format_into(turnable->wrong, sizeof turnable->wrong, "%s", result->findings[i].sentence);
            turnable->found = true;
        }
}

static void compare_turnable(struct turnable *turnable)
{
    struct sim_setup *setup = &turnable->setup;
    struct compare_result check = { 0 };
    turnable->left = DIGEST_BASIS;
    for (size_t b = 0; b < turnable->problem.buffer_count; b++) {
        struct problem_buffer as = compare_as(&turnable->problem.buffers[b], &setup->variant);
        if (as.want)
            compare_piece(&check, &as, setup->places[b].bytes, 0, as.bytes);
        turnable->answers |= as.want != NULL;
        turnable->left = hash_more(turnable->left, setup->places[b].bytes, as.bytes);
    }
    if (check.wrong && check.never_written)
        format_into(turnable->wrong, sizeof turnable->wrong, "%s[%zu] is never written.", check.buffer,
                    check.index);
    else if (check.wrong)
        format_into(turnable->wrong, sizeof turnable->wrong, "%s[%zu] is %s, and should be %s.", check.buffer,
                    check.index, check.got, check.want);
}

// Several turnables of one size may be open, and the model wants their code and counters only.
static void drop_data(struct turnable *turnable)
{
    struct sim_setup *setup = &turnable->setup;
    for (size_t i = 0; i < setup->place_count; i++)
        free(setup->places[i].bytes);
    setup->place_count = 0;
    sim_memory_free(setup->memory);
    setup->memory = NULL;
    problem_free(&turnable->problem);
    turnable->problem = (struct problem){ 0 };
}

static bool turn_launch(struct turnable *turnable, size_t which, size_t main, uint64_t *most,
                        struct error *error)
{
    struct sim_setup *setup = &turnable->setup;
    const struct launch *launch = &setup->variant.launches[which];
    struct sim_options options = setup_options(setup);
    struct packed_launch packed;
    struct sim_launch what;
    struct sim_fault fault;
    struct sim_result one = { 0 };
    options.sample = true;
    if (!setup_pack(setup, launch, &packed, &what, error))
        return false;
    if (!sim_run(setup->module, setup->memory, &what, &options, &one, &fault))
        return error_at(error, &setup->variant.source, launch->at, "%s", fault.text);
    if (main == which || (main == SIZE_MAX && one.counters.warp_inst >= *most)) {
        *most = one.counters.warp_inst;
        turnable->main = which;
        memcpy(turnable->block, what.block, sizeof turnable->block);
    }
    note_error(turnable, &one);
    turnable->complete = one.complete;
    setup_keep_for_model(setup, turnable->launches, &packed, &what, &one);
    sim_result_free(&one);
    return true;
}

// So that the compiler is asked once for all launch lines of the same kernels.
static bool compile_instead(void *code, const struct compile_request *request, struct compiled *out,
                            struct error *error)
{
    struct compile_request instead = *request;
    instead.source = code;
    return compile(&instead, out, error);
}

bool turnable_open(struct turnable *turnable, const struct request *request, const char *code, size_t main,
                   struct error *error)
{
    struct sim_setup *setup = &turnable->setup;
    uint64_t most = 0;
    if (code) {
        setup->compile = compile_instead;
        setup->context = (void *)code;
    }
    if (!setup_open(setup, request, &turnable->problem, true, error))
        return false;
    turnable->launches = modelled_start();
    turnable->complete = true;
    for (size_t l = 0; l < setup->variant.launch_count && turnable->complete; l++)
        if (!turn_launch(turnable, l, code ? main : SIZE_MAX, &most, error))
            return false;
    if (turnable->complete && !*turnable->wrong)
        compare_turnable(turnable);
    drop_data(turnable);
    return true;
}
