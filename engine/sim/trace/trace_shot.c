// Shots of a trace: its state after some of its steps, so that the way back begins at the nearest. They lie far apart
// on the way forward; a move back leaves more of them behind, the nearer to where it goes the denser, since the next
// move is likely to go a little further back. Old ones are thinned out, so that their memory has a limit.
#include "engine/sim/trace/trace.h"

#include <stdlib.h>
#include <string.h>

// Steps from one to the next: on the way forward, where a large one is worth more of them, and at least. A step is
// worth some bytes of a copy.
enum { SPACING = 1 << 15, NEAREST = 1 << 10, WORTH = 16 };
enum { VARIABLES_MOST = 1 << 20 }; // bytes of the module's variables: every shot has them

// ---- what can be gone back to ---------------------------------------------------------------------------------

// cp.async has two addresses of which a trace sees neither, and others have none either.
static bool is_seen(const struct op *op)
{
    bool elsewhere = op->space == SPACE_SHARED || op->space == SPACE_LOCAL;
    if (op->from && op->from->base && strcmp(op->from->base, "cp") == 0)
        return false;
    return op->access == SIM_ACCESSES || elsewhere || (op->kind == OP_LANES && op->bytes);
}

static bool can_shoot(const struct sim_trace *t)
{
    const struct checks *c = t->machine.checks;
    size_t bytes = 0;
    for (size_t f = 0; f < t->module->function_count; f++)
        for (size_t i = 0; i < t->module->functions[f].op_count; i++)
            if (!is_seen(&t->module->functions[f].ops[i]))
                return false;
    for (size_t i = 0; i < t->module->variable_count; i++)
        bytes += t->module->variables[i].from->bytes;
    return t->warp && bytes <= VARIABLES_MOST && !(c && c->partial);
}

// ---- taking them ----------------------------------------------------------------------------------------------

static void drop(struct sim_trace *t, size_t index)
{
    struct shots *shots = &t->shots;
    struct shot *shot = &shots->shot[index];
    units_drop(t, shot);
    shots->bytes -= shot->image.room;
    budget_give(&t->memory->budget, shot->image.bytes);
    findings_free(shot->findings);
    shots->count--;
    memmove(shot, shot + 1, (shots->count - index) * sizeof *shot);
}

// The one that is missed least: its neighbours are near each other, for how far away it is.
static size_t dispensable(const struct sim_trace *t)
{
    const struct shots *shots = &t->shots;
    size_t least = 1;
    double worth = 0;
    for (size_t i = 1; i < shots->count; i++) {
        uint64_t behind = i + 1 < shots->count ? shots->shot[i + 1].step : t->steps + NEAREST;
        double gap = (double)(behind - shots->shot[i - 1].step);
        double here = gap / (double)(t->steps - shots->shot[i].step + NEAREST);
        if (i == 1 || here < worth) {
            worth = here;
            least = i;
        }
    }
    return least;
}

static void thin_out(struct sim_trace *t)
{
    struct shots *shots = &t->shots;
    while (shots->count > 1 && (shots->count > SHOTS || shots->bytes > SHOT_BYTES))
        drop(t, dispensable(t));
    if (shots->bytes > SHOT_BYTES)
        shots_end(t);
}

static struct findings *copy_findings(const struct findings *from)
{
    struct findings *copy = findings_new();
    struct group *groups = malloc((from->room + 1) * sizeof *groups);
    if (!copy || !groups) {
        findings_free(copy);
        free(groups);
        return NULL;
    }
    if (from->count)
        memcpy(groups, from->groups, from->count * sizeof *groups);
    memcpy(copy->slots, from->slots, sizeof copy->slots);
    copy->groups = groups;
    copy->count = from->count;
    copy->room = from->room;
    return copy;
}

static bool save(struct sim_trace *t, struct shot *shot)
{
    if (!units_save(t, shot))
        return false;
    shot->image.budget = &t->memory->budget;
    size_t like = t->shots.count > 1 ? (shot - 1)->image.at : 0; // most are as large as the one before
    image_reserve(&shot->image, like + like / 16);
    image_pass_trace(&shot->image, t);
    unsigned char *fit = shot->image.failed ? NULL
                                            : budget_spare_more(shot->image.budget, FOR_TRACE,
                                                                shot->image.bytes, shot->image.at);
    if (fit) {
        shot->image.bytes = fit;
        shot->image.room = shot->image.at;
    }
    t->shots.bytes += shot->image.room;
    shot->findings = copy_findings(t->machine.findings);
    return !shot->image.failed && shot->findings;
}

static uint64_t steps_to_next(const struct shots *shots, uint64_t now, size_t bytes)
{
    uint64_t steps = shots->aim > now ? (shots->aim - now) / 2 : SPACING + bytes / WORTH;
    return steps > NEAREST ? steps : NEAREST;
}

static void take(struct sim_trace *t)
{
    struct shots *shots = &t->shots;
    if (t->machine.threads[0].printed_count) // what was printed cannot be copied
        return;
    struct shot *shot = &shots->shot[shots->count++];
    *shot = (struct shot){ .step = t->steps };
    bool good = save(t, shot);
    shots->next = t->steps + steps_to_next(shots, t->steps, shot->image.at);
    if (good)
        thin_out(t);
    else
        drop(t, shots->count - 1);
}

void shots_step(struct sim_trace *t, uint64_t ran)
{
    if (!t->shots.on)
        return;
    if (ran > 1 && !units_touch_all(t))
        shots_end(t);
    else if (t->warp && t->steps >= t->shots.next)
        take(t);
}

void shots_start(struct sim_trace *t)
{
    t->shots = (struct shots){ 0 };
    t->shots.on = can_shoot(t) && units_start(t);
    if (t->shots.on)
        take(t);
    if (!t->shots.count)
        shots_end(t);
}

void shots_end(struct sim_trace *t)
{
    while (t->shots.count)
        drop(t, t->shots.count - 1);
    units_end(t);
    t->shots.on = false;
}

// ---- going back -----------------------------------------------------------------------------------------------

// The later ones go: they know frames that are free from now on.
bool shots_load(struct sim_trace *t, uint64_t to)
{
    struct shots *shots = &t->shots;
    while (shots->count > 1 && shots->shot[shots->count - 1].step > to)
        drop(t, shots->count - 1);
    if (!shots->count)
        return false;
    struct shot *shot = &shots->shot[shots->count - 1];
    struct image image = {
        .budget = &t->memory->budget, .bytes = shot->image.bytes, .room = shot->image.room, .loads = true
    };
    struct findings *findings = copy_findings(shot->findings);
    if (!findings)
        return false;
    findings_free(t->machine.findings);
    t->machine.findings = findings;
    print_clear(&t->machine.threads[0]);
    image_pass_trace(&image, t);
    shots->aim = to;
    shots->next = shot->step + steps_to_next(shots, shot->step, shot->image.at);
    return units_load(t, shot) && !image.failed;
}
