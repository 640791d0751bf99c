// A launch: validated, set up, its blocks distributed among host threads, its counters summed.
#include "engine/sim/access/pattern.h"
#include "engine/sim/machine/fragment.h"
#include "engine/sim/module/module.h"
#include "engine/sim/sanitize/checks.h"
#include "engine/sim/schedule/schedule.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_HOST_THREADS = 256,
    MOST_SHARED = 227 << 10,
    MOST_STATIC = 48 << 10,
    CHUNK_MOST = 16,
    MOST_PARAMETERS = 32764
};
static const uint64_t default_limit = 20000000000u;
static const char no_room[] = "There is not enough memory to simulate this launch.";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double launch_clock_coarse(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void launch_stop(struct machine *m)
{
    m->stop = true;
}

// ---- memory of a launch ---------------------------------------------------------------------------------

// The memory that a launch needs before its first instruction, computed beforehand, so that a launch which does not fit is
// refused with its size. What grows during the launch (calls, shadow memory, text) is taken from the same budget.

// A host thread runs one block at a time, or those that are resident together.
static void count_thread(const struct machine *m, size_t of[TAKERS])
{
    size_t warps = machine_warps(m);
    size_t frames = (m->module->function_count + 1) * sizeof(struct frame *);
    of[FOR_REGISTERS] +=
        sizeof(struct thread_state) + warps * (budget_piece(frame_size(m->kernel)) + budget_piece(frames) +
                                               budget_piece(PATHS_FIRST * sizeof(struct simt_path)));
    of[FOR_SHARED] += budget_piece(block_shared_bytes(m) + 128);
    if (m->kernel->local_bytes)
        of[FOR_LOCAL] += warps * budget_piece(LANES * frame_local_room(0, m->kernel->local_bytes));
    if (m->options.check != SIM_CHECK_NONE)
        of[FOR_COUNTERS] += budget_piece((m->module->tally_count + 1) * sizeof(struct tally));
    for (int i = 0; i < TAKERS; i++)
        of[i] *= m->resident;
    if (m->options.check == SIM_CHECK_ALL)
        of[FOR_CHECKS] += checks_bytes(m);
}

static void count_launch(const struct machine *m, size_t of[TAKERS])
{
    of[FOR_REGISTERS] += budget_piece(access_kernel_param_bytes(m->kernel) + 64);
    of[FOR_VARIABLES] += memory_missing_variables(m->memory, m->module) + heap_missing(m->memory, m->module);
    if (m->options.check != SIM_CHECK_NONE)
        of[FOR_COUNTERS] += m->module->tally_count * sizeof(struct sim_line);
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
    return fault_set(
        fault,
        "This launch needs %s of memory to be simulated, and %s are free for it here; %s of it are for "
        "%s. %s, "
        "or allow more memory.",
        budget_say_bytes(sum(of), all), budget_say_bytes(budget_left(&m->memory->budget), left),
        budget_say_bytes(of[taker], most), budget_purpose(taker).words, budget_purpose(taker).advice);
}

// Only as many host threads as fit into the budget, with some room to grow.
static bool launch_fit(struct machine *m, struct sim_fault *fault)
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

// ---- the launch as it was asked for ----

static bool look_at_shape(const struct sim_launch *launch, struct sim_fault *fault)
{
    const uint32_t *g = launch->grid, *b = launch->block;
    if (!g[0] || !g[1] || !g[2] || !b[0] || !b[1] || !b[2])
        return fault_set(fault, "The grid and the block need at least 1 in each dimension.");
    if (g[0] > 0x7fffffff || g[1] > 65535 || g[2] > 65535)
        return fault_set(fault, "The grid is too large: at most 2147483647 x 65535 x 65535 blocks.");
    if (b[0] > 1024 || b[1] > 1024 || b[2] > 64 || (uint64_t)b[0] * b[1] * b[2] > 1024)
        return fault_set(fault, "The block is too large: at most 1024 threads, and 64 in z.");
    return true;
}

// ptxas refuses a kernel with more static shared memory or more local memory than this.
static bool look_at_memory(const struct machine *m, struct sim_fault *fault)
{
    const struct function *kernel = m->kernel;
    size_t fixed = kernel->shared_bytes, shared = fixed + m->launch->shared_bytes;
    if (kernel->local_bytes > MOST_LOCAL)
        return fault_set(
            fault,
            "Each thread of the kernel wants %zu bytes of local memory; a GPU gives it at most %d "
            "(512 KiB). Make its arrays smaller, or keep them in global memory.",
            kernel->local_bytes, MOST_LOCAL);
    if (fixed > MOST_STATIC)
        return fault_set(
            fault,
            "The kernel has %zu bytes of static shared memory; at most %d (48 KiB) are allowed. Use an "
            "extern __shared__ array for more, and give its bytes as the third value in <<<…>>>.",
            fixed, MOST_STATIC);
    if (shared > MOST_SHARED)
        return fault_set(fault,
                         "The kernel asks for %zu bytes of shared memory per block; an H100 has at most %d.",
                         shared, MOST_SHARED);
    return true;
}

// Every argument has the size of its parameter. A GPU accepts up to 32,764 bytes in all.
static bool look_at_arguments(const struct machine *m, struct sim_fault *fault)
{
    const struct sim_launch *launch = m->launch;
    const struct sim_kernel *kernel = &m->module->kernels.all[launch->kernel];
    size_t most = MOST_PARAMETERS;
    if (launch->argument_count != kernel->parameter_count)
        return fault_set(fault, "The kernel takes %zu argument%s, and the launch gives %zu.",
                         kernel->parameter_count, kernel->parameter_count == 1 ? "" : "s",
                         launch->argument_count);
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct sim_parameter *parameter = &kernel->parameters[i];
        const struct sim_argument *argument = &launch->arguments[i];
        if (argument->bytes != parameter->bytes || !argument->at)
            return fault_set(fault, "Parameter %zu of the kernel has %zu bytes, and the launch gives %zu.",
                             i + 1, parameter->bytes, argument->at ? argument->bytes : 0);
        if (parameter->offset > most || parameter->bytes > most - parameter->offset)
            return fault_set(
                fault,
                "The kernel's parameters have more than %zu bytes together; a GPU takes no more. Pass "
                "large data in a buffer.",
                most);
    }
    return true;
}

// ---- blocks that are resident together ----

// An H100's: what the simulator knows of it is what any launch may rely on. Registers may allow fewer blocks.
enum {
    MOST_IN_CLUSTER = 16,
    SM_COUNT = 132,
    SM_THREADS = 2048,
    SM_BLOCKS = 32,
    SM_SHARED = 228 << 10,
    OWN_SHARED = 1 << 10
};

static uint64_t most_resident(const struct machine *m)
{
    uint32_t warps = (uint32_t)machine_warps(m);
    uint32_t by_threads = SM_THREADS / LANES / (warps ? warps : 1);
    uint32_t by_shared = (uint32_t)(SM_SHARED / (block_shared_bytes(m) + OWN_SHARED));
    uint32_t each = by_threads < by_shared ? by_threads : by_shared;
    return (uint64_t)SM_COUNT * (each < SM_BLOCKS ? each : SM_BLOCKS);
}

static bool look_at_cluster(struct machine *m, struct sim_fault *fault)
{
    const uint32_t *own = m->kernel->from->cluster, *asked = m->launch->cluster, *grid = m->launch->grid;
    const uint32_t *cluster = own[0] ? own : asked;
    uint64_t size = 1;
    for (int i = 0; i < 3; i++) {
        m->cluster[i] = cluster[0] ? cluster[i] : 1;
        if (own[0] && asked[0] && own[i] != asked[i])
            return fault_set(fault,
                             "The kernel was compiled for clusters of %u x %u x %u blocks "
                             "(__cluster_dims__), and the launch asks for %u x %u x %u "
                             "(CUDA_ERROR_INVALID_CLUSTER_SIZE).",
                             own[0], own[1], own[2], asked[0], asked[1], asked[2]);
        if (!m->cluster[i] || grid[i] % m->cluster[i])
            return fault_set(fault,
                             "The grid of %u x %u x %u blocks is no multiple of the cluster of %u x %u x %u "
                             "(CUDA_ERROR_INVALID_CLUSTER_SIZE).",
                             grid[0], grid[1], grid[2], cluster[0], cluster[1], cluster[2]);
        size = size > MOST_IN_CLUSTER ? size : size * m->cluster[i];
    }
    m->cluster_size = (uint32_t)size;
    return size <= MOST_IN_CLUSTER ||
           fault_set(fault,
                     "The cluster has more than %d blocks; every GPU with clusters takes 8, an H100 %d.",
                     MOST_IN_CLUSTER, MOST_IN_CLUSTER);
}

static bool look_at_residents(struct machine *m, struct sim_fault *fault)
{
    const uint32_t *grid = m->launch->grid;
    uint64_t most = most_resident(m);
    m->blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (!look_at_cluster(m, fault)) {
        fault->code = SIM_INVALID_CLUSTER;
        return false;
    }
    if (m->launch->cooperative && m->blocks > most) {
        fault_set(
            fault,
            "Too many blocks in cooperative launch (CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE): all %llu have "
            "to be resident at once, and an H100 holds %llu of this size, %llu on each of its %d SMs. "
            "Launch no more, and let each do more: sm_count says how many SMs there are.",
            (unsigned long long)m->blocks, (unsigned long long)most, (unsigned long long)most / SM_COUNT,
            SM_COUNT);
        fault->code = SIM_COOPERATIVE_TOO_LARGE;
        return false;
    }
    m->resident = m->launch->cooperative ? (uint32_t)m->blocks : m->cluster_size;
    m->units = m->blocks / (m->resident ? m->resident : 1);
    return true;
}

static bool look_at(struct machine *m, struct sim_fault *fault)
{
    const struct function *kernel = m->kernel;
    const uint32_t *b = m->launch->block;
    if (!kernel)
        return fault_set(fault, "The PTX has no kernel with this number.");
    if (!look_at_arguments(m, fault) || !look_at_shape(m->launch, fault))
        return false;
    if (kernel->from->max_threads && b[0] * b[1] * b[2] > (uint32_t)kernel->from->max_threads)
        return fault_set(
            fault,
            "The block has %u threads, but the kernel was compiled for at most %d (__launch_bounds__).",
            b[0] * b[1] * b[2], kernel->from->max_threads);
    return look_at_memory(m, fault) && look_at_residents(m, fault);
}

// ---- options and arguments ----

// Concurrent blocks may execute global atomics in any order. That does not matter to integer reductions; a returned value, or
// a floating-point sum, would differ from run to run.
static bool depends_on_order(const struct op *op)
{
    static const char *const any_order[] = { "add", "min", "max", "and", "or", "xor" };
    const struct ptx_instruction *in = op->from;
    bool atomic = in && in->base && (strcmp(in->base, "atom") == 0 || strcmp(in->base, "red") == 0);
    if (!atomic || op->kind != OP_LANES || op->space == SPACE_SHARED)
        return false;
    for (size_t i = 0; i < sizeof any_order / sizeof *any_order; i++)
        if (ptx_has(in, any_order[i]))
            return !atomic_is_red(op) || in->types[0] >= TYPE_F16;
    return true;
}

static bool needs_order(const struct machine *m)
{
    if (m->module->allocates) // which piece a thread gets
        return true;
    for (size_t f = 0; f < m->module->function_count; f++) {
        const struct function *function = &m->module->functions[f];
        bool reached = function == m->kernel || !function->from->entry;
        for (size_t i = 0; reached && function->ops && i < function->op_count; i++)
            if (depends_on_order(&function->ops[i]))
                return true;
    }
    return false;
}

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
    if ((uint64_t)m->options.threads > m->units)
        m->options.threads = (int)m->units;
    // Findings and results must not depend on which block runs first.
    if ((m->options.check == SIM_CHECK_ALL && !(m->guesses & GUESS_ORDER)) ||
        (m->options.threads > 1 && needs_order(m)))
        m->options.threads = 1;
}

// look_at_arguments has checked that the sizes agree.
static bool copy_arguments(struct machine *m)
{
    const struct sim_kernel *kernel = &m->module->kernels.all[m->launch->kernel];
    m->kernel_params =
        budget_take(&m->memory->budget, FOR_REGISTERS, access_kernel_param_bytes(m->kernel) + 64);
    for (size_t i = 0; m->kernel_params && i < kernel->parameter_count; i++)
        memcpy(m->kernel_params + kernel->parameters[i].offset, m->launch->arguments[i].at,
               kernel->parameters[i].bytes);
    return m->kernel_params != NULL;
}

// ---- host threads ----

// Fewer units at a time towards the end, so that all host threads finish together.
static uint64_t take_units(struct machine *m, uint64_t *from)
{
    uint64_t taken = __atomic_load_n(&m->next_unit, __ATOMIC_RELAXED);
    uint64_t left = taken < m->units ? m->units - taken : 0;
    uint64_t chunk = left / (8 * (uint64_t)m->options.threads) + 1;
    chunk = chunk < CHUNK_MOST ? chunk : CHUNK_MOST;
    *from = __atomic_fetch_add(&m->next_unit, chunk, __ATOMIC_RELAXED);
    return *from >= m->units ? 0 : m->units - *from < chunk ? m->units - *from : chunk;
}

static void *work(void *data)
{
    struct thread_state *thread = data;
    struct machine *m = thread->machine;
    uint64_t from, count;
    while (!m->stop && (count = take_units(m, &from)) != 0)
        for (uint64_t i = from; i < from + count && !m->stop; i++)
            block_run(thread, i);
    return NULL;
}

static bool prepare(struct machine *m, struct thread_state *threads)
{
    for (int i = 0; i < machine_seats(m); i++) {
        int first = i - i % (int)m->resident;
        threads[i].machine = m;
        threads[i].tallies = threads[first].tallies;
        threads[i].patterns = threads[first].patterns;
        if (m->options.check != SIM_CHECK_NONE && i == first)
            threads[i].tallies = budget_take(&m->memory->budget, FOR_COUNTERS,
                                             (m->module->tally_count + 1) * sizeof *threads[i].tallies);
        if (i == first)
            threads[i].patterns = budget_spare(&m->memory->budget, FOR_COUNTERS,
                                               (m->module->pattern_count + 1) * sizeof *threads[i].patterns);
        if ((m->options.check != SIM_CHECK_NONE && !threads[i].tallies) ||
            !block_prepare(&threads[i].block, &threads[i]))
            return false;
    }
    return true;
}

// Linux may leave a new thread on its creator's core until it balances the load, which takes longer than most launches, and
// which core is idle only the system knows. So threads are created for any core but that one, and may go where they like as
// soon as they run.
struct cores {
    cpu_set_t all, others;
    bool some; // `others` has any; else threads begin anywhere
};
static void find_cores(struct cores *cores)
{
    const int here = sched_getcpu();
    cores->some = false;
    if (here < 0 || here >= CPU_SETSIZE ||
        pthread_getaffinity_np(pthread_self(), sizeof cores->all, &cores->all) != 0)
        return;
    cores->others = cores->all;
    CPU_CLR(here, &cores->others);
    cores->some = CPU_COUNT(&cores->others) > 0;
}

struct host_thread {
    pthread_t id;
    bool started;
    const struct cores *cores;
    struct thread_state *state;
};
static void *work_anywhere(void *data)
{
    const struct host_thread *thread = data;
    if (thread->cores->some)
        (void)pthread_setaffinity_np(pthread_self(), sizeof thread->cores->all, &thread->cores->all);
    return work(thread->state);
}

static bool start_thread(struct host_thread *thread)
{
    const struct cores *cores = thread->cores;
    pthread_attr_t attributes;
    if (cores->some && pthread_attr_init(&attributes) == 0) {
        bool elsewhere =
            pthread_attr_setaffinity_np(&attributes, sizeof cores->others, &cores->others) == 0 &&
            pthread_create(&thread->id, &attributes, work_anywhere, thread) == 0;
        pthread_attr_destroy(&attributes);
        if (elsewhere)
            return true;
    }
    return pthread_create(&thread->id, NULL, work_anywhere, thread) == 0;
}

// The launch goes on without a host thread that cannot be created.
static void run_threads(struct machine *m, struct thread_state *threads)
{
    struct host_thread host[MOST_HOST_THREADS];
    struct cores cores = { .some = false };
    if (m->options.threads > 1)
        find_cores(&cores);
    for (int i = 1; i < m->options.threads; i++) {
        host[i] = (struct host_thread){ .cores = &cores, .state = &threads[i * (int)m->resident] };
        host[i].started = start_thread(&host[i]);
    }
    work(&threads[0]);
    for (int i = 1; i < m->options.threads; i++)
        if (host[i].started)
            pthread_join(host[i].id, NULL);
}

// ---- results: counters -----------------------------------------------------------------------------------------------

// An `atom` whose result is never read becomes a reduction, except in a kernel with a fence, and except where its address is
// sometimes in shared and sometimes in global memory.
static bool is_red(const struct op *op, const struct tally *tally, bool fenced)
{
    bool both = tally->cost[COST_SHARED].requests && tally->cost[COST_GLOBAL].requests;
    return atomic_is_red(op) && !both && !(fenced && strcmp(op->from->base, "atom") == 0);
}

// The counter to which an instruction's cost in one space belongs.
static enum sim_access access_in(const struct op *op, const struct tally *tally, enum cost_space space,
                                 bool fenced)
{
    bool loads =
        op->access == SIM_GLOBAL_LOAD || op->access == SIM_SHARED_LOAD || op->access == SIM_LOCAL_LOAD;
    bool fences = op->access == SIM_ACCESSES; // an instruction that costs something but accesses no memory
    bool stores = op->access == SIM_GLOBAL_STORE || op->access == SIM_SHARED_STORE ||
                  op->access == SIM_LOCAL_STORE || fences;
    if (space == COST_CAS_LOOP)
        return SIM_SHARED_LOAD;
    if (space == COST_CAS_FETCH)
        return SIM_GLOBAL_LOAD;
    if (space == COST_LOCAL)
        return loads ? SIM_LOCAL_LOAD : SIM_LOCAL_STORE;
    if (space == COST_SHARED) // cp.async loads from global memory and stores to shared memory
        return stores || strcmp(op->from->base, "cp") == 0 ? SIM_SHARED_STORE
               : loads                                     ? SIM_SHARED_LOAD
                                                           : SIM_SHARED_ATOM;
    return loads                       ? SIM_GLOBAL_LOAD
           : stores                    ? SIM_GLOBAL_STORE
           : is_red(op, tally, fenced) ? SIM_GLOBAL_RED
                                       : SIM_GLOBAL_ATOM;
}

static enum sim_remote remote_in(const struct op *op)
{
    return op->access == SIM_GLOBAL_LOAD || op->access == SIM_SHARED_LOAD     ? SIM_REMOTE_LOAD
           : op->access == SIM_GLOBAL_STORE || op->access == SIM_SHARED_STORE ? SIM_REMOTE_STORE
                                                                              : SIM_REMOTE_ATOM;
}

static bool multiplies(const struct op *op)
{
    const char *base = op->kind == OP_SYNCED && op->from ? op->from->base : "";
    return strcmp(base, "mma") == 0 || (strcmp(base, "wmma") == 0 && ptx_has(op->from, "mma"));
}

static void count_add(struct sim_counters *to, const struct op *op, const struct tally *tally, bool fenced)
{
    to->warp_inst += tally->warps;
    to->thread_inst += tally->lanes;
    if (op->kind == OP_BRANCH || op->kind == OP_INDEXED) {
        to->branches += tally->warps;
        to->divergent += tally->divergent;
    }
    if (op->kind == OP_BARRIER && op->sub != BARRIER_CLUSTER_ARRIVE && op->sub != BARRIER_CLUSTER_WAIT)
        to->barriers += tally->warps;
    if (multiplies(op))
        to->tensor += tally->warps * op->fragments->instructions;
    for (int space = 0; space < COST_SPACES; space++) {
        const struct cost *cost = &tally->cost[space];
        if (!cost->requests)
            continue;
        if (op->space == SPACE_CONST) {
            to->constant_requests += cost->requests;
            to->constant_turns += cost->passes;
            continue;
        }
        if (space == COST_REMOTE) {
            enum sim_remote kind = remote_in(op);
            to->remote_requests[kind] += cost->requests;
            to->remote_sectors[kind] += cost->passes;
            to->remote_wavefronts[kind] += cost->conflicts;
            continue;
        }
        enum sim_access access = access_in(op, tally, (enum cost_space)space, fenced);
        to->requests[access] += cost->requests;
        to->passes[access] += cost->passes;
        to->ideal[access] += cost->ideal;
        to->conflicts[access] += cost->conflicts;
    }
}

void sim_counters_add(struct sim_counters *to, const struct sim_counters *from)
{
    to->warp_inst += from->warp_inst;
    to->thread_inst += from->thread_inst;
    to->branches += from->branches;
    to->divergent += from->divergent;
    to->barriers += from->barriers;
    to->tensor += from->tensor;
    to->longest += from->longest;
    to->even += from->even;
    for (int i = 0; i < SIM_ACCESSES; i++) {
        to->requests[i] += from->requests[i];
        to->passes[i] += from->passes[i];
        to->ideal[i] += from->ideal[i];
        to->conflicts[i] += from->conflicts[i];
    }
    for (int i = 0; i < SIM_REMOTES; i++) {
        to->remote_requests[i] += from->remote_requests[i];
        to->remote_sectors[i] += from->remote_sectors[i];
        to->remote_wavefronts[i] += from->remote_wavefronts[i];
    }
    to->constant_requests += from->constant_requests;
    to->constant_turns += from->constant_turns;
}

static int by_line(const void *left, const void *right)
{
    const struct sim_line *x = left, *y = right;
    return (x->line > y->line) - (x->line < y->line);
}

size_t sim_result_lines(const struct sim_result *result, struct sim_line **out)
{
    *out = NULL;
    if (!result->instruction_count)
        return 0;
    struct sim_line *lines = malloc(result->instruction_count * sizeof *lines);
    if (!lines)
        return 0;
    memcpy(lines, result->instructions, result->instruction_count * sizeof *lines);
    qsort(lines, result->instruction_count, sizeof *lines, by_line);
    size_t count = 0;
    for (size_t i = 0; i < result->instruction_count; i++) {
        if (count && lines[count - 1].line == lines[i].line) {
            struct sim_line *line = &lines[count - 1];
            sim_counters_add(&line->counters, &lines[i].counters);
            if (lines[i].ptx_line < line->ptx_line)
                line->ptx_line = lines[i].ptx_line;
        } else {
            lines[count++] = lines[i];
        }
    }
    *out = lines;
    return count;
}

// ---- results: instructions that ran --------------------------------------------------------------------------------------

static size_t executed(const struct sim_module *module, const struct tally *tallies)
{
    size_t count = 0;
    for (size_t i = 0; i < module->tally_count; i++)
        count += tallies[i].warps != 0;
    return count;
}

static bool is_fence(const struct op *op)
{
    static const char *const bases[] = { "membar", "fence", NULL };
    const struct ptx_instruction *in = op->from;
    bool orders = strcmp(in->base, "atom") == 0 &&
                  (ptx_has(in, "acq_rel") || ptx_has(in, "acquire") || ptx_has(in, "release"));
    return orders || (ptx_is_one_of(in->base, bases) && !ptx_has(in, "proxy"));
}

// Whether a function that ran contains a fence, even one that was not reached.
static bool has_fence(const struct sim_module *module, const struct tally *tallies)
{
    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        bool ran = false, fenced = false;
        for (size_t i = 0; function->ops && i < function->op_count; i++) {
            ran |= tallies[function->ops[i].tally].warps != 0;
            fenced |= function->ops[i].kind != OP_UNKNOWN && is_fence(&function->ops[i]);
        }
        if (ran && fenced)
            return true;
    }
    return false;
}

static bool result_fill(const struct machine *machine, const struct tally *tallies, struct sim_result *out)
{
    const struct sim_module *module = machine->module;
    bool fenced = has_fence(module, tallies);
    out->instructions = malloc((executed(module, tallies) + 1) * sizeof *out->instructions);
    if (!out->instructions)
        return false;
    for (size_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        for (size_t i = 0; function->ops && i <= function->op_count; i++) {
            const struct op *op = &function->ops[i];
            if (!tallies[op->tally].warps)
                continue;
            struct sim_line *line = &out->instructions[out->instruction_count++];
            line->index = op->tally;
            line->text = i < function->op_count ? op->from->text : "}"; // the implicit ret at the end
            line->ptx_line = op->from->ptx_line;
            line->line = op->from->line;
            memset(&line->counters, 0, sizeof line->counters);
            count_add(&line->counters, op, &tallies[op->tally], fenced);
            sim_counters_add(&out->counters, &line->counters);
        }
    }
    return true;
}

void sim_result_free(struct sim_result *result)
{
    free(result->instructions);
    free(result->findings);
    free(result->printed);
    free(result->printed_lines);
    free(result->asserted);
    sim_sample_free(result->sample);
    memset(result, 0, sizeof *result);
}

// ---- results: all host threads ----

static void spread_stretches(const struct sim_module *module, struct tally *tallies)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i < module->functions[f].op_count; i++) {
            const struct op *op = &module->functions[f].ops[i];
            struct tally *first = &tallies[op->tally], *after = first + op->stretch;
            const struct tally_runs here = first->stretches;
            first->stretches = (struct tally_runs){ 0 };
            first->runs.warps += here.warps;
            first->runs.lanes += here.lanes;
            after->runs.warps -= here.warps;
            after->runs.lanes -= here.lanes;
        }
}

// Adds up the runs of plain instructions. They end where they began: in a function.
static void settle(const struct sim_module *module, struct tally *tallies)
{
    struct tally_runs sum = { 0 };
    spread_stretches(module, tallies);
    for (size_t i = 0; i < module->tally_count; i++) {
        sum.warps += tallies[i].runs.warps;
        sum.lanes += tallies[i].runs.lanes;
        tallies[i].warps += sum.warps;
        tallies[i].lanes += sum.lanes;
        tallies[i].runs = (struct tally_runs){ 0 };
    }
}

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

// How evenly the work was shared among warps, on all host threads.
static void measure_balance(const struct machine *m, struct sim_counters *out)
{
    uint64_t executed = 0, warps = m->blocks * m->threads[0].block.warp_count;
    for (int i = 0; i < machine_seats(m); i++) {
        executed += m->threads[i].executed;
        if (m->threads[i].longest > out->longest)
            out->longest = m->threads[i].longest;
    }
    out->even = (executed + warps - 1) / warps;
}

static bool gather(struct machine *m, struct thread_state *threads, struct sim_result *out)
{
    for (int i = 0; i < m->options.threads && threads[0].tallies; i++)
        settle(m->module, threads[i * (int)m->resident].tallies);
    for (int i = 1; i < m->options.threads && threads[0].tallies; i++)
        for (size_t t = 0; t < m->module->tally_count; t++)
            add_tally(&threads[0].tallies[t], &threads[i * (int)m->resident].tallies[t]);
    out->complete = !m->stop;
    out->threads = m->options.threads;
    out->shared_bytes = block_shared_bytes(m);
    measure_balance(m, &out->counters);
    return (!threads[0].tallies || result_fill(m, threads[0].tallies, out)) &&
           (!m->sample || sample_take(m, &out->sample)) &&
           print_collect(threads, machine_seats(m), &out->printed, &out->asserted) &&
           print_lines(threads, machine_seats(m), &out->printed_lines) &&
           findings_take(m->findings, &out->findings, &out->finding_count);
}

static bool start_checks(struct machine *m)
{
    if (m->options.threads == 1)
        m->guesses &= ~(unsigned)GUESS_ORDER;
    for (int i = 0; i < machine_seats(m); i++)
        if (!checks_start(&m->threads[i]))
            return false;
    return true;
}

static bool set_up(struct machine *m)
{
    m->threads =
        budget_take(&m->memory->budget, FOR_REGISTERS, (size_t)machine_seats(m) * sizeof *m->threads);
    if (!m->threads)
        return false;
    m->findings = findings_new();
    if (!m->findings || !copy_arguments(m) ||
        !memory_enter_module(m->memory, m->module, m->launch->cooperative ? m->workspace : NULL) ||
        !heap_ready(m->memory, m->module) || !prepare(m, m->threads) ||
        (m->options.check == SIM_CHECK_ALL && !start_checks(m)))
        return false;
    bool samples = m->options.sample && m->options.check != SIM_CHECK_NONE && m->resident == 1;
    if (samples && !(m->sample = sample_new(m)))
        return false;
    m->started = seconds();
    return true;
}

static bool open_guessing(struct machine *m, unsigned guesses, const struct sim_module *module,
                          struct sim_memory *memory, const struct sim_launch *asked,
                          const struct sim_options *options, struct sim_fault *fault)
{
    *m = (struct machine){ .module = module, .memory = memory, .launch = asked, .guesses = guesses };
    budget_start(&memory->budget, options->memory_limit);
    m->kernel = asked->kernel < 0 ? NULL : module_kernel(module, (size_t)asked->kernel);
    if (!look_at(m, fault))
        return false;
    if (m->resident > 1)
        m->guesses = 0;
    settle_options(m, options);
    m->deadline = seconds() + m->options.limit_ms * 1e-3;
    if (!launch_fit(m, fault))
        return false;
    if (set_up(m))
        return true;
    launch_close(m);
    fault_set(fault, "%s", no_room);
    return false;
}

bool launch_open(struct machine *m, const struct sim_module *module, struct sim_memory *memory,
                 const struct sim_launch *asked, const struct sim_options *options, struct sim_fault *fault)
{
    return open_guessing(m, 0, module, memory, asked, options, fault);
}

void launch_close(struct machine *m)
{
    struct budget *budget = &m->memory->budget;
    for (int i = machine_seats(m) - 1; m->threads && i >= 0; i--)
        checks_end(&m->threads[i]);
    sample_free(m->sample);
    for (int i = 0; m->threads && i < machine_seats(m); i++) {
        block_clear(&m->threads[i].block);
        print_clear(&m->threads[i]);
        if (i % (int)m->resident == 0) {
            budget_give(budget, m->threads[i].tallies);
            budget_give(budget, m->threads[i].patterns);
        }
    }
    memory_leave_module(m->memory, m->module);
    findings_free(m->findings);
    budget_give(budget, m->kernel_params);
    budget_give(budget, m->threads);
    *m = (struct machine){ 0 };
}

static bool launch(struct machine *m, double started, struct sim_result *out)
{
    struct thread_state *threads = m->threads;
    if (!guess_start(m)) {
        m->wrong = m->guesses;
        return true;
    }
    run_threads(m, threads);
    guess_end(m, seconds() >= m->deadline);
    for (int i = machine_seats(m) - 1; i >= 0; i--)
        checks_end(&threads[i]);
    out->exec_ms = (seconds() - started) * 1e3;
    return m->wrong || gather(m, threads, out);
}

static struct checked_kernel *checked_place(struct sim_memory *memory, const struct sim_module *module,
                                            int kernel)
{
    enum { PLACES = sizeof memory->checked / sizeof *memory->checked };
    struct checked_kernel *place =
        &memory->checked[(unsigned)kernel % PLACES]; // it may be no kernel of the module
    if (place->module != module || place->kernel != kernel)
        *place = (struct checked_kernel){ .kernel = kernel };
    return place;
}

static double threads_of(const struct sim_launch *asked)
{
    return (double)asked->grid[0] * asked->grid[1] * asked->grid[2] * asked->block[0] * asked->block[1] *
           asked->block[2];
}

// Guessing copies the buffers that are written, and what is known of all that are touched: more work than it saves where
// little is executed beside much memory, as in programs with many small launches. A launch before says how much both are.
static unsigned worth_guessing(const struct sim_memory *memory, const struct checked_kernel *before,
                               const struct sim_launch *asked)
{
    enum { FEW_BYTES = 1 << 20, BYTES_A_THREAD = 1 << 10, INST_A_BYTE = 2 };
    double bytes = 0, threads = threads_of(asked);
    for (size_t i = 0; i < memory->count; i++)
        bytes += (double)memory->allocations[i].bytes;
    bool worth = before->module ? before->thread_inst * threads >= INST_A_BYTE * before->bytes
                                : bytes <= FEW_BYTES || bytes <= BYTES_A_THREAD * threads;
    return worth ? GUESSES & ~before->wrong : 0;
}

// Each attempt has the whole limit of time: a launch that would end within it is not stopped for a wrong guess. Nothing is
// guessed once half of the limit has gone, so that all attempts together take less than SIM_LIMITS of it.
bool sim_run(const struct sim_module *module, struct sim_memory *memory, const struct sim_launch *asked,
             const struct sim_options *options, struct sim_result *out, struct sim_fault *fault)
{
    struct machine m;
    struct checked_kernel *checked = checked_place(memory, module, asked->kernel);
    unsigned guesses = 0, wrong;
    if (options->check == SIM_CHECK_ALL && !phases_wanted(module) && !module->allocates)
        guesses = worth_guessing(memory, checked, asked);
    double started = 0; // of the first attempt
    bool good;
    memset(out, 0, sizeof *out);
    do {
        if (!open_guessing(&m, guesses, module, memory, asked, options, fault))
            return false;
        started = started > 0 ? started : m.started;
        good = launch(&m, started, out);
        guesses &= ~(wrong = m.wrong);
        checked->wrong |= wrong;
        if (seconds() - started > m.options.limit_ms * 1e-3 / 2)
            guesses = 0;
        launch_close(&m);
    } while (wrong);
    if (options->check == SIM_CHECK_ALL) {
        checked->module = module;
        checked->thread_inst = (double)out->counters.thread_inst / threads_of(asked);
        checked->bytes = guess_bytes(memory);
    }
    memory->launches++;
    if (good)
        return true;
    sim_result_free(out);
    return fault_set(fault, "%s", no_room);
}
