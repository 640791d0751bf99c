// Uninitialised values as arguments and results of functions that were not inlined: taints of parameters, by name
// inside a function, by number on the way from one to the other.
#include "engine/sim/sanitize/check.h"

#include <string.h>

static struct taint_param *find(struct taint_frame *frame, const char *name)
{
    for (unsigned i = 0; name && i < frame->param_count; i++)
        if (strcmp(frame->params[i].name, name) == 0)
            return &frame->params[i];
    return NULL;
}

static void keep(struct taint_frame *frame, const char *name, const struct taint *taint, uint32_t lanes)
{
    struct taint_param *param = find(frame, name);
    if (!name || (!param && (!(taint->lanes & lanes) || frame->param_count == TAINT_PARAMS)))
        return;
    if (!param) {
        param = &frame->params[frame->param_count++];
        *param = (struct taint_param){ .name = name };
    }
    uint32_t others = param->taint.lanes & ~lanes;
    if (taint->lanes & lanes)
        param->taint = *taint;
    param->taint.lanes = others | (taint->lanes & lanes);
}

void taint_param_store(const struct warp *warp, struct taint_frame *frame, const char *name,
                       const struct taint *taint)
{
    keep(frame, name, taint, warp->active);
}

struct taint taint_param_load(const struct warp *warp, struct taint_frame *frame, const char *name)
{
    const struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct ptx_instruction *call = frame->call ? frame->call->from : NULL;
    for (int k = 0; name && call && k < call->call_return_count && k < TAINT_PARAMS; k++)
        if (call->call_returns[k].name && strcmp(call->call_returns[k].name, name) == 0)
            return state->returned[k];
    const struct taint_param *param = find(frame, name);
    return param ? param->taint : (struct taint){ 0 };
}

void taint_call(struct warp *warp, const struct op *op, struct taint_frame *frame)
{
    struct warp_checks *state = &warp->checks->warps[warp->index];
    memset(state->passed, 0, sizeof state->passed);
    memset(state->returned, 0, sizeof state->returned);
    frame->call = op;
    for (int k = 0; k < op->from->call_argument_count && k < TAINT_PARAMS; k++) {
        const struct taint_param *param = find(frame, op->from->call_arguments[k].name);
        if (param)
            state->passed[k] = param->taint;
    }
}

void taint_enter(struct warp *warp, struct taint_frame *frame)
{
    const struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct ptx_function *function = warp->function->from;
    frame->call = NULL;
    for (size_t i = 0; i < frame->count; i++)
        frame->registers[i].lanes &= ~warp->mask;
    for (size_t k = 0; k < function->param_count && k < TAINT_PARAMS; k++)
        keep(frame, function->params[k].name, &state->passed[k], warp->mask);
}

void taint_return(struct warp *warp, struct taint_frame *frame)
{
    struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct ptx_function *function = warp->function->from;
    for (size_t k = 0; k < function->return_count && k < TAINT_PARAMS; k++) {
        const struct taint_param *param = find(frame, function->returns[k].name);
        if (!param || !(param->taint.lanes & warp->active))
            continue;
        uint32_t lanes = state->returned[k].lanes | (param->taint.lanes & warp->active);
        state->returned[k] = param->taint;
        state->returned[k].lanes = lanes;
    }
}
