// What a launch takes before its first instruction: counted before any of it is taken, so that one that cannot be had
// is refused with its size. What grows while it runs (calls, shadows, text) is taken from the same budget as it grows.
#include "engine/sim/sanitize/check.h"
#include "engine/sim/schedule/schedule.h"

static size_t param_bytes(const struct function *kernel)
{
    size_t bytes = 0;
    for (size_t i = 0; i < kernel->from->param_count; i++)
        if (kernel->param_at[i] + kernel->from->params[i].bytes > bytes)
            bytes = kernel->param_at[i] + kernel->from->params[i].bytes;
    return bytes;
}

// One block at a time runs on a host thread.
static void count_thread(const struct machine *m, size_t of[TAKERS])
{
    const uint32_t *size = m->launch->block;
    size_t warps = ((size_t)size[0] * size[1] * size[2] + LANES - 1) / LANES;
    size_t frames = (m->module->function_count + 1) * sizeof(struct frame *);
    of[FOR_REGISTERS] +=
        sizeof(struct thread_state) +
        warps * (budget_piece(frame_size(m->kernel)) + budget_piece(frames) +
                 budget_piece(LANES * sizeof(uint64_t)) + budget_piece(PATHS_FIRST * sizeof(struct path)));
    of[FOR_SHARED] += budget_piece(block_shared_bytes(m) + 128);
    if (m->kernel->local_bytes)
        of[FOR_LOCAL] += warps * budget_piece(LANES * local_room(0, m->kernel->local_bytes));
    if (m->options.check != SIM_CHECK_NONE)
        of[FOR_COUNTERS] += budget_piece((m->module->tally_count + 1) * sizeof(struct tally));
}

static void count_launch(const struct machine *m, size_t of[TAKERS])
{
    of[FOR_REGISTERS] += budget_piece(param_bytes(m->kernel) + 64);
    of[FOR_VARIABLES] += loaded_missing(m->memory, m->module);
    if (m->options.check != SIM_CHECK_NONE)
        of[FOR_COUNTERS] += m->module->tally_count * sizeof(struct sim_line);
    if (m->options.check == SIM_CHECK_ALL)
        of[FOR_CHECKS] += checks_bytes(m);
}

static size_t sum(const size_t of[TAKERS])
{
    size_t bytes = 0;
    for (int i = 0; i < TAKERS; i++)
        bytes += of[i];
    return bytes;
}

static bool refuse(const struct machine *m, const size_t of[TAKERS], struct sim_fault *fault)
{
    char all[BYTES_ROOM], left[BYTES_ROOM], most[BYTES_ROOM];
    enum taker taker = budget_most(of);
    fault->line = 0;
    snprintf(fault->text, sizeof fault->text,
             "This launch needs %s of memory to be simulated, and %s are free for it here; %s of it are for "
             "%s. %s, "
             "or allow more memory.",
             say_bytes(sum(of), all), say_bytes(budget_left(&m->memory->budget), left),
             say_bytes(of[taker], most), taker_words(taker), taker_advice(taker));
    return false;
}

// Host threads beyond the first are only as many as fit, with some room to grow.
bool needs_fit(struct machine *m, struct sim_fault *fault)
{
    size_t launch[TAKERS] = { 0 }, thread[TAKERS] = { 0 };
    count_launch(m, launch);
    count_thread(m, thread);
    size_t left = budget_left(&m->memory->budget), fixed = sum(launch), each = sum(thread);
    if (fixed > left || each > left - fixed) {
        for (int i = 0; i < TAKERS; i++)
            launch[i] += thread[i];
        return refuse(m, launch, fault);
    }
    size_t roomy = left - left / 4, most = roomy > fixed ? (roomy - fixed) / each : 0;
    if ((size_t)m->options.threads > most)
        m->options.threads = most ? (int)most : 1;
    return true;
}

// `sentence` has room for what goes on after "Thread (3,0,0) of block (1,0,0)".
void needs_describe(const struct budget *budget, char *sentence, size_t size)
{
    char all[BYTES_ROOM], most[BYTES_ROOM];
    size_t of[TAKERS];
    for (int i = 0; i < TAKERS; i++)
        of[i] = budget->of[i];
    enum taker taker = budget_most(of);
    snprintf(sentence, size, "%s; %s of it are for %s. %s, or allow more memory.",
             say_bytes(budget->used, all), say_bytes(of[taker], most), taker_words(taker),
             taker_advice(taker));
}
