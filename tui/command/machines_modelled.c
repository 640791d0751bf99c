// Modelled columns of `run --on h100,l4`: which GPUs they are of, their times, and what the ladder says of each: the fastest
// step, and steps that pay on one GPU and not on another. Times are set beside others of the same GPU alone, and never
// beside a measured one.
#include "engine/sim/sim.h"
#include "tui/command/machines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- which GPUs ---------------------------------------------------------------------------------------------

bool machines_take_gpu(struct machine_table *all, const char *name, struct error *error)
{
    static const char prefix[] = "model:";
    const char *key = string_starts(name, prefix) ? name + sizeof prefix - 1 : name;
    struct gpu_figures figures;
    if (!figures_find(key, &figures, error))
        return false;
    for (size_t i = 0; i < all->gpu_count; i++)
        if (strcmp(all->gpus[i], key) == 0)
            return error_set(error, EXIT_USAGE, "--on names %s twice.", name);
    if (all->gpu_count == MODELLED_GPUS || strlen(key) >= sizeof all->gpus[0])
        return error_set(error, EXIT_USAGE,
                         "--on takes at most %d GPUs to model, with names of at most %zu bytes.",
                         MODELLED_GPUS, sizeof all->gpus[0] - 1);
    format_into(all->gpus[all->gpu_count++], sizeof all->gpus[0], "%s", key);
    return true;
}

// ---- times --------------------------------------------------------------------------------------------------

const struct modelled *machines_modelled(const struct machine_table *all, size_t row, size_t gpu)
{
    const struct machine_cell *cell = &all->machines[all->machine_count - 1].cells[row];
    return cell->done && gpu < cell->record.modelled_count ? &cell->record.modelled[gpu] : NULL;
}

// NAN: there is none, or the step computes something else.
static double ms_of(const struct machine_table *all, size_t row, size_t gpu)
{
    const struct machine_cell *cell = &all->machines[all->machine_count - 1].cells[row];
    const struct modelled *modelled = machines_modelled(all, row, gpu);
    bool right = cell->record.status == STATUS_RIGHT || cell->record.status == STATUS_UNCHECKED;
    return modelled && right && !modelled->why ? modelled->ms : NAN;
}

// ---- steps beside the step before ---------------------------------------------------------------------------

enum speed { SPEED_UNKNOWN, SPEED_FASTER, SPEED_ALIKE, SPEED_SLOWER, SPEEDS };

// The model tells two times of one GPU apart when they differ by a twentieth, and by a microsecond.
static enum speed speed_of(const struct machine_table *all, size_t row, size_t gpu)
{
    static const double share = 0.05, least_ms = 0.001;
    double before = row ? ms_of(all, row - 1, gpu) : NAN, now = ms_of(all, row, gpu);
    double apart = fabs(now - before);
    if (!isfinite(apart))
        return SPEED_UNKNOWN;
    if (apart <= least_ms || apart <= share * fmax(now, before))
        return SPEED_ALIKE;
    return now < before ? SPEED_FASTER : SPEED_SLOWER;
}

static void add_step(struct text *out, const struct machine_table *all, size_t row)
{
    const struct variant *variant = all->rows[row];
    if (variant->step)
        text_addf(out, "%d", variant->step);
    else
        text_add(out, variant->name);
}

// "faster than the step before: 2, 3, 6; slower: 5"
static void add_speeds(struct text *out, const struct machine_table *all, size_t gpu)
{
    static const char *const names[SPEEDS] = { NULL, "faster", "about as fast", "slower" };
    bool any = false;
    for (enum speed speed = SPEED_FASTER; speed < SPEEDS; speed++) {
        bool first = true;
        for (size_t row = 1; row < all->row_count; row++) {
            if (speed_of(all, row, gpu) != speed)
                continue;
            if (first)
                text_addf(out, "%s%s%s: ", any ? "; " : " Beside the step before, ", names[speed],
                          speed == SPEED_ALIKE ? " (too near to tell)" : "");
            else
                text_add(out, ", ");
            add_step(out, all, row);
            first = false;
            any = true;
        }
    }
    if (any)
        text_add(out, ".");
}

static size_t fastest_on(const struct machine_table *all, size_t gpu)
{
    size_t best = all->row_count;
    for (size_t row = 0; row < all->row_count; row++)
        if (isfinite(ms_of(all, row, gpu)) &&
            (best == all->row_count || ms_of(all, row, gpu) < ms_of(all, best, gpu)))
            best = row;
    return best;
}

// ---- sentences ----------------------------------------------------------------------------------------------

static void add_time(struct text *out, const struct modelled *modelled, bool utf8)
{
    char time[64];
    modelled_time(modelled, utf8, time, sizeof time);
    text_addf(out, "%s, limited by %s", time, model_term_name(modelled->limiter));
}

static void say_gpu(const struct paper *paper, const struct machine_table *all, size_t gpu)
{
    size_t best = fastest_on(all, gpu);
    const struct modelled *modelled = best < all->row_count ? machines_modelled(all, best, gpu) : NULL;
    struct text words = { 0 };
    if (!modelled)
        return;
    text_addf(&words, "%s (%s%s): ", all->gpus[gpu], modelled_device(modelled),
              modelled->measured ? "" : ", by published figures");
    if (all->row_count > 1) {
        text_add(&words, "step ");
        add_step(&words, all, best);
        text_add(&words, " is the fastest, ");
    }
    add_time(&words, modelled, paper->utf8);
    text_add(&words, ".");
    add_speeds(&words, all, gpu);
    paper_wrap(paper, ROLE_TEXT, 0, text_string(&words));
    text_free(&words);
}

static void add_gpus(struct text *out, const struct machine_table *all, size_t row, enum speed speed,
                     bool equal)
{
    const char *before = " ";
    for (size_t gpu = 0; gpu < all->gpu_count; gpu++) {
        enum speed found = speed_of(all, row, gpu);
        if (found == SPEED_UNKNOWN || (found == speed) != equal)
            continue;
        text_addf(out, "%s%s", before, all->gpus[gpu]);
        before = ", ";
    }
}

// A step that is faster on one GPU than the step before, and not on another.
static void say_step(const struct paper *paper, const struct machine_table *all, size_t row)
{
    bool pays = false, fails = false;
    struct text words = { 0 };
    for (size_t gpu = 0; gpu < all->gpu_count; gpu++) {
        enum speed speed = speed_of(all, row, gpu);
        pays |= speed == SPEED_FASTER;
        fails |= speed == SPEED_ALIKE || speed == SPEED_SLOWER;
    }
    if (!pays || !fails)
        return;
    text_add(&words, "Step ");
    add_step(&words, all, row);
    text_add(&words, " pays on");
    add_gpus(&words, all, row, SPEED_FASTER, true);
    text_add(&words, ", not on");
    add_gpus(&words, all, row, SPEED_FASTER, false);
    text_add(&words, ".");
    paper_wrap(paper, ROLE_TITLE, 0, text_string(&words));
    text_free(&words);
}

// Why a step has no time; NULL: it has one. That a simulation was stopped is told better by its finding.
static const char *why_unknown(const struct machine_table *all, size_t row)
{
    const struct machine_cell *cell = &all->machines[all->machine_count - 1].cells[row];
    const struct record *record = &cell->record;
    const char *why = cell->done ? record->message : NULL;
    for (size_t gpu = 0; gpu < all->gpu_count && !why; gpu++)
        why = machines_modelled(all, row, gpu) ? machines_modelled(all, row, gpu)->why : NULL;
    for (size_t i = 0; why && i < record->finding_count; i++)
        if (record->findings[i].kind == SIM_OTHER)
            return record->findings[i].sentence;
    return why;
}

// The reasons, each once where steps that follow one another share it.
static void say_unknown(const struct paper *paper, const struct machine_table *all)
{
    const char *last = NULL;
    for (size_t row = 0; row < all->row_count; row++) {
        const char *why = why_unknown(all, row);
        struct text words = { 0 };
        if (!why || (last && strcmp(last, why) == 0))
            continue;
        text_add(&words, "Step ");
        add_step(&words, all, row);
        text_addf(&words, ": %s", why);
        paper_wrap(paper, ROLE_NOTE, 0, text_string(&words));
        text_free(&words);
        last = why;
    }
}

void machines_modelled_words(const struct paper *paper, const struct machine_table *all)
{
    paper_put(paper, ROLE_TEXT, "\n");
    for (size_t gpu = 0; gpu < all->gpu_count; gpu++)
        say_gpu(paper, all, gpu);
    for (size_t row = 1; row < all->row_count; row++)
        say_step(paper, all, row);
    say_unknown(paper, all);
}
