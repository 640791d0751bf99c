// The sampled warps as an SM would run them: the instructions of a basic block in the order of the assembler, which moves
// loads up and their users down.
#include "engine/model/sm.h"

#include <stdlib.h>
#include <string.h>

// ---- registers of all functions, numbered through ---------------------------------------------------------

static int highest(const struct sim_instruction *in)
{
    int most = -1;
    for (int i = 0; i < in->read_count; i++)
        most = in->reads[i] > most ? in->reads[i] : most;
    for (int i = 0; i < in->write_count; i++)
        most = in->writes[i] > most ? in->writes[i] : most;
    return most;
}

static bool number_registers(const struct model_code *code, struct trace *out)
{
    out->base = calloc(code->count + 1, sizeof *out->base);
    if (!out->base)
        return false;
    int base = 0, most = -1;
    for (size_t i = 0; i < code->count; i++) {
        if (i && code->code[i].function != code->code[i - 1].function) {
            base += most + 1;
            most = -1;
        }
        out->base[i] = base;
        int here = highest(&code->code[i]);
        most = here > most ? here : most;
    }
    out->registers = base + most + 1;
    return true;
}

// ---- lines that several blocks touch --------------------------------------------------------------------------

// The set while it is made: the block that touched a line first.
struct toucher {
    uint64_t line; // + 1; 0: an empty slot
    uint32_t block;
    bool shared;
};

static size_t slot_of(uint64_t line, size_t slots)
{
    return (size_t)((line * 0x9e3779b97f4a7c15ull) >> 20) & (slots - 1);
}

static void note_toucher(struct toucher *set, size_t slots, uint64_t line, uint32_t block)
{
    size_t at = slot_of(line, slots);
    while (set[at].line && set[at].line != line + 1)
        at = (at + 1) & (slots - 1);
    if (!set[at].line)
        set[at] = (struct toucher){ .line = line + 1, .block = block };
    else
        set[at].shared |= set[at].block != block;
}

static size_t count_touches(const struct sim_sample *sample)
{
    size_t count = 0;
    for (size_t b = 0; b < sample->block_count; b++)
        for (size_t w = 0; w < sample->blocks[b].warp_count; w++)
            count += sample->blocks[b].warps[w].touch_count;
    return count;
}

static bool find_shared(const struct sim_sample *sample, struct trace *out)
{
    size_t slots = 16, touches = count_touches(sample);
    while (slots < 2 * touches)
        slots *= 2;
    struct toucher *set = calloc(slots, sizeof *set);
    out->shared = calloc(slots, sizeof *out->shared);
    out->shared_slots = slots;
    for (size_t b = 0; set && b < sample->block_count; b++)
        for (size_t w = 0; w < sample->blocks[b].warp_count; w++)
            for (size_t i = 0; i < sample->blocks[b].warps[w].touch_count; i++)
                note_toucher(set, slots, sample->blocks[b].warps[w].touches[i] >> 4, (uint32_t)b);
    for (size_t i = 0; set && out->shared && i < slots; i++)
        out->shared[i] = set[i].shared ? set[i].line : set[i].line ? UINT64_MAX : 0;
    bool made = set && out->shared;
    free(set);
    return made;
}

bool trace_is_shared(const struct trace *trace, uint64_t line)
{
    size_t at = slot_of(line, trace->shared_slots);
    while (trace->shared[at] && trace->shared[at] != line + 1)
        at = (at + 1) & (trace->shared_slots - 1);
    return trace->shared[at] != 0;
}

// ---- steps ----------------------------------------------------------------------------------------------------

// Counting up by a constant, which an assembler folds into what uses it.
static bool counts_up(const struct sim_instruction *in)
{
    return in->base && in->immediate >= 0 && (strcmp(in->base, "add") == 0 || strcmp(in->base, "sub") == 0);
}

static bool needs(const struct sim_instruction *in, const struct sim_instruction *earlier)
{
    if (counts_up(earlier))
        return false;
    for (int w = 0; w < earlier->write_count; w++)
        for (int r = 0; r < in->read_count; r++)
            if (earlier->writes[w] == in->reads[r])
                return true;
    return false;
}

// The steps of one run through a basic block, or of several, by the assembler's order; none goes before one that it needs.
static void order_run(const struct model_code *code, struct trace_step *steps, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct trace_step step = steps[i];
        int rank = code->machine[step.index].rank;
        size_t at = i;
        for (; at && code->machine[steps[at - 1].index].rank > rank &&
               !needs(&code->code[step.index], &code->code[steps[at - 1].index]);
             at--)
            steps[at] = steps[at - 1];
        steps[at] = step;
    }
}

// Iterations of an unrolled loop follow each other without a branch, and are ordered together.
static void order_steps(const struct model_code *code, struct trace_step *steps, size_t count)
{
    size_t from = 0;
    int iterations = 1;
    for (size_t i = 1; i <= count; i++) {
        bool ends = i == count || steps[i].index != steps[i - 1].index + 1 ||
                    code->code[steps[i].index].leads || steps[i].lanes > steps[i - 1].lanes;
        if (!ends)
            continue;
        bool again = i < count && steps[i].index == steps[from].index && steps[i].lanes == steps[from].lanes;
        if (again && iterations++ < code->machine[steps[from].index].unrolled)
            continue;
        order_run(code, steps + from, i - from);
        from = i;
        iterations = 1;
    }
}

static bool make_warp(const struct sim_sampled_warp *from, const struct model_code *code,
                      struct trace_warp *out)
{
    uint32_t touch = 0;
    out->steps = malloc((from->step_count + 1) * sizeof *out->steps);
    if (!out->steps)
        return false;
    out->touches = from->touches;
    out->count = from->step_count;
    out->more = from->ran > from->step_count ? (double)(from->ran - from->step_count) : 0;
    for (size_t i = 0; i < from->step_count; i++) {
        const struct sim_step *step = &from->steps[i];
        out->steps[i] = (struct trace_step){ .index = step->index < code->count ? step->index : 0,
                                             .touch = touch,
                                             .passes = step->passes,
                                             .waves = step->waves,
                                             .lanes = step->lanes,
                                             .touches = step->touches };
        touch += step->touches;
    }
    order_steps(code, out->steps, out->count);
    return true;
}

static bool make_block(const struct sim_sampled_block *from, const struct model_code *code,
                       struct trace_block *out)
{
    out->warps = calloc(from->warp_count + 1, sizeof *out->warps);
    for (size_t i = 0; out->warps && i < from->warp_count; i++) {
        if (!make_warp(&from->warps[i], code, &out->warps[i]))
            return false;
        out->warp_count++;
    }
    return out->warps != NULL;
}

bool trace_make(const struct sim_sample *sample, const struct model_code *code, struct trace *out)
{
    *out = (struct trace){ 0 };
    out->blocks = calloc(sample->block_count + 1, sizeof *out->blocks);
    bool made = out->blocks && number_registers(code, out) && find_shared(sample, out);
    for (size_t i = 0; made && i < sample->block_count; i++) {
        out->block_count++;
        made = make_block(&sample->blocks[i], code, &out->blocks[i]);
        for (size_t w = 0; w < out->blocks[i].warp_count; w++)
            out->steps += out->blocks[i].warps[w].count;
    }
    if (!made)
        trace_free(out);
    return made;
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; trace->blocks && i < trace->block_count; i++) {
        for (size_t w = 0; trace->blocks[i].warps && w < trace->blocks[i].warp_count; w++)
            free(trace->blocks[i].warps[w].steps);
        free(trace->blocks[i].warps);
    }
    free(trace->blocks);
    free(trace->base);
    free(trace->shared);
    *trace = (struct trace){ 0 };
}
