// A launch: looked at, set up, its blocks shared among host threads, its counters put together.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/sim/steer.h"

enum { MOST_HOST_THREADS = 256, MOST_SHARED = 227 << 10, CHUNK = 8 };
static const uint64_t default_limit = 20000000000u;
static const char no_room[] = "There is not enough memory to simulate this launch.";

static bool fails(struct sim_fault *fault, const char *text)
{
    fault->line = 0;
    snprintf(fault->text, sizeof fault->text, "%s", text);
    return false;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void stop_machine(struct machine *machine)
{
    machine->stop = true;
}

// ---- the launch as it was asked for ----

static bool look_at_shape(const struct sim_launch *launch, struct sim_fault *fault)
{
    const uint32_t *g = launch->grid, *b = launch->block;
    if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2])
        return fails(fault, "The grid and the block need at least 1 in each dimension.");
    if (g[0] > 0x7fffffff || g[1] > 65535 || g[2] > 65535)
        return fails(fault, "The grid is too large: at most 2147483647 x 65535 x 65535 blocks.");
    if (b[0] > 1024 || b[1] > 1024 || b[2] > 64 || (uint64_t)b[0] * b[1] * b[2] > 1024)
        return fails(fault, "The block is too large: at most 1024 threads, and 64 in z.");
    return true;
}

static bool look_at(const struct machine *m, struct sim_fault *fault)
{
    const struct function *kernel = m->kernel;
    const uint32_t *b = m->launch->block;
    if (!kernel)
        return fails(fault, "The PTX has no kernel with this number.");
    if (kernel->from->param_count && !m->launch->arguments)
        return fails(fault, "The kernel has parameters, but the launch has no arguments.");
    if (!look_at_shape(m->launch, fault))
        return false;
    if (kernel->from->max_threads && b[0] * b[1] * b[2] > (uint32_t)kernel->from->max_threads) {
        snprintf(fault->text, sizeof fault->text,
                 "The block has %u threads, but the kernel was compiled for at most %d (__launch_bounds__).",
                 b[0] * b[1] * b[2], kernel->from->max_threads);
        fault->line = 0;
        return false;
    }
    size_t shared = kernel->shared_bytes + m->launch->shared_bytes;
    if (shared > MOST_SHARED) {
        snprintf(fault->text, sizeof fault->text,
                 "The kernel asks for %zu bytes of shared memory per block; an H100 has at most %d.", shared,
                 MOST_SHARED);
        fault->line = 0;
        return false;
    }
    return true;
}

// ---- what it runs on ----

static void settle_options(struct machine *m, const struct sim_options *options)
{
    m->options = *options;
    if (!m->options.instruction_limit)
        m->options.instruction_limit = default_limit;
    if (m->options.limit_ms <= 0)
        m->options.limit_ms = 60000;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (m->options.threads <= 0)
        m->options.threads = cores > 0 ? (int)cores : 1;
    if (m->options.threads > MOST_HOST_THREADS)
        m->options.threads = MOST_HOST_THREADS;
    m->blocks = (uint64_t)m->launch->grid[0] * m->launch->grid[1] * m->launch->grid[2];
    if ((uint64_t)m->options.threads > m->blocks)
        m->options.threads = (int)m->blocks;
    if (m->options.check == SIM_CHECK_ALL) // what is found must not depend on who came first
        m->options.threads = 1;
}

static bool copy_arguments(struct machine *m)
{
    const struct ptx_function *from = m->kernel->from;
    size_t bytes = 0;
    for (size_t i = 0; i < from->param_count; i++)
        if (m->kernel->param_at[i] + from->params[i].bytes > bytes)
            bytes = m->kernel->param_at[i] + from->params[i].bytes;
    m->kernel_params = calloc(1, bytes + 64);
    for (size_t i = 0; m->kernel_params && i < from->param_count; i++)
        memcpy(m->kernel_params + m->kernel->param_at[i], m->launch->arguments[i], from->params[i].bytes);
    return m->kernel_params != NULL;
}

static void relocate(const struct sim_module *module, const struct ptx_variable *v, unsigned char *bytes)
{
    const struct decoding d = { .module = (struct sim_module *)module };
    for (size_t i = 0; i < v->relocation_count; i++) {
        uint64_t address;
        bool local;
        if (v->bytes < 8 || v->relocations[i].at > v->bytes - 8 ||
            !symbol_find(&d, v->relocations[i].symbol, &address, &local))
            continue;
        address += (uint64_t)v->relocations[i].offset;
        memcpy(bytes + v->relocations[i].at, &address, sizeof address);
    }
}

// The module's variables, as they are written in the file.
static bool lay_out(struct machine *m)
{
    for (size_t i = 0; i < m->module->variable_count; i++) {
        const struct module_variable *v = &m->module->variables[i];
        if (v->from->space == SPACE_SHARED)
            continue;
        struct allocation *a = &m->memory->allocations[v->address >> OFFSET_BITS];
        *a = (struct allocation){ .bytes = v->from->bytes,
                                  .element_bytes = type_bytes(v->from->type),
                                  .role = SIM_INOUT,
                                  .constant = v->from->space == SPACE_CONST,
                                  .host = calloc(1, v->from->bytes + 64) };
        if (!a->host)
            return false;
        snprintf(a->name, sizeof a->name, "%s", v->from->name);
        if (v->from->initial)
            memcpy(a->host, v->from->initial, v->from->bytes);
        relocate(m->module, v->from, a->host);
    }
    return true;
}

static void take_away(struct machine *m)
{
    for (size_t i = 0; i < m->module->variable_count; i++) {
        const struct module_variable *v = &m->module->variables[i];
        struct allocation *a = &m->memory->allocations[v->address >> OFFSET_BITS];
        if (v->from->space == SPACE_SHARED)
            continue;
        free(a->host);
        a->host = NULL;
        a->bytes = 0;
    }
}

// ---- host threads ----

static void *work(void *data)
{
    struct thread_state *thread = data;
    struct machine *m = thread->machine;
    while (!m->stop) {
        uint64_t chunk = m->blocks / (uint64_t)m->options.threads >= CHUNK * 4 ? CHUNK : 1;
        uint64_t from = __atomic_fetch_add(&m->next_position, chunk, __ATOMIC_RELAXED);
        if (from >= m->blocks)
            break;
        for (uint64_t i = from; i < from + chunk && i < m->blocks && !m->stop; i++)
            block_run(thread, i, order_at(m->options.seed, i, m->blocks));
    }
    return NULL;
}

static bool prepare(struct machine *m, struct thread_state *threads)
{
    for (int i = 0; i < m->options.threads; i++) {
        threads[i].machine = m;
        if (m->options.check != SIM_CHECK_NONE)
            threads[i].tallies = calloc(m->module->tally_count + 1, sizeof *threads[i].tallies);
        if ((m->options.check != SIM_CHECK_NONE && !threads[i].tallies) ||
            !block_prepare(&threads[i].block, &threads[i]))
            return false;
    }
    return true;
}

// A host thread that cannot be had is done without.
static void run_threads(struct machine *m, struct thread_state *threads)
{
    pthread_t ids[MOST_HOST_THREADS];
    bool started[MOST_HOST_THREADS] = { false };
    for (int i = 1; i < m->options.threads; i++)
        started[i] = pthread_create(&ids[i], NULL, work, &threads[i]) == 0;
    work(&threads[0]);
    for (int i = 1; i < m->options.threads; i++)
        if (started[i])
            pthread_join(ids[i], NULL);
}

// ---- results ----

static void add_tally(struct tally *to, const struct tally *from)
{
    to->warps += from->warps;
    to->lanes += from->lanes;
    to->divergent += from->divergent;
    for (int i = 0; i < COST_SPACES; i++) {
        to->cost[i].requests += from->cost[i].requests;
        to->cost[i].passes += from->cost[i].passes;
        to->cost[i].ideal += from->cost[i].ideal;
        to->cost[i].conflicts += from->cost[i].conflicts;
    }
}

static bool gather(struct machine *m, struct thread_state *threads, struct sim_result *out)
{
    for (int i = 1; i < m->options.threads && threads[0].tallies; i++)
        for (size_t t = 0; t < m->module->tally_count; t++)
            add_tally(&threads[0].tallies[t], &threads[i].tallies[t]);
    out->complete = !m->stop;
    out->threads = m->options.threads;
    return (!threads[0].tallies || result_fill(m, threads[0].tallies, out)) &&
           print_collect(threads, m->options.threads, &out->printed) &&
           findings_take(m->findings, &out->findings, &out->finding_count);
}

static bool set_up(struct machine *m)
{
    m->threads = aligned_alloc(64, (size_t)m->options.threads * sizeof *m->threads);
    if (!m->threads)
        return false;
    memset(m->threads, 0, (size_t)m->options.threads * sizeof *m->threads);
    m->findings = findings_new();
    if (!m->findings || !copy_arguments(m) || !lay_out(m) || !prepare(m, m->threads) ||
        (m->options.check == SIM_CHECK_ALL && !check_start(m)))
        return false;
    m->started = seconds();
    return true;
}

bool machine_open(struct machine *m, const struct sim_module *module, struct sim_memory *memory,
                  const struct sim_launch *asked, const struct sim_options *options, struct sim_fault *fault)
{
    *m = (struct machine){ .module = module, .memory = memory, .launch = asked };
    m->kernel = asked->kernel < 0 ? NULL : kernel_at(module, (size_t)asked->kernel);
    if (!look_at(m, fault))
        return false;
    settle_options(m, options);
    if (set_up(m))
        return true;
    machine_close(m);
    return fails(fault, no_room);
}

void machine_close(struct machine *m)
{
    check_end(m);
    for (int i = 0; m->threads && i < m->options.threads; i++) {
        block_clear(&m->threads[i].block);
        print_clear(&m->threads[i]);
        free(m->threads[i].tallies);
    }
    take_away(m);
    findings_free(m->findings);
    free(m->kernel_params);
    free(m->threads);
}

static bool launch(struct machine *m, struct sim_result *out)
{
    struct thread_state *threads = m->threads;
    run_threads(m, threads);
    check_end(m);
    out->exec_ms = (seconds() - m->started) * 1e3;
    return gather(m, threads, out);
}

bool sim_run(const struct sim_module *module, struct sim_memory *memory, const struct sim_launch *asked,
             const struct sim_options *options, struct sim_result *out, struct sim_fault *fault)
{
    struct machine m;
    memset(out, 0, sizeof *out);
    if (!machine_open(&m, module, memory, asked, options, fault))
        return false;
    bool good = launch(&m, out);
    machine_close(&m);
    if (good)
        return true;
    sim_result_free(out);
    return fails(fault, no_room);
}
