// A simulated run's time on GPUs that need not be there. The figures of the GPUs travel with the request; the launches of the
// run are kept with their samples, and the model computes when all have ended.
#include "engine/run/modelled.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compile/compile.h"

// ---- what is asked ----------------------------------------------------------------------------------------------

static const char usual[] = "h100";

// The driver lists the GPUs of a machine as files, which say "Model: NVIDIA H100 80GB HBM3".
char *modelled_usual_gpu(void)
{
    glob_t found;
    char *key = NULL;
    if (glob("/proc/driver/nvidia/gpus/*/information", 0, NULL, &found) == 0) {
        struct text text = { 0 };
        struct error unused;
        const char *model = file_read(found.gl_pathv[0], &text, &unused) ? strstr(text.data, "Model:") : NULL;
        if (model) {
            char name[64];
            model += strlen("Model:");
            model += strspn(model, " \t");
            format_into(name, sizeof name, "%.*s", (int)strcspn(model, "\n"), model);
            key = figures_key_of(name);
        }
        text_free(&text);
        globfree(&found);
    }
    return key ? key : mem_copy(usual);
}

static bool add_gpu(struct request *request, const char *key, struct error *error)
{
    if (json_array_size(request->gpus) == MODELLED_GPUS)
        return error_set(error, EXIT_USAGE, "A run is modelled on at most %d GPUs.", MODELLED_GPUS);
    json_t *file = figures_file(key, error);
    json_object_del(file, "measurements"); // which the model does not read
    return file && (json_array_append_new(request->gpus, file) == 0 ||
                    error_set(error, EXIT_MISSING, "There is no memory for the figures of %s.", key));
}

bool request_model(struct request *request, const char *gpus, struct error *error)
{
    char *copy = gpus ? mem_copy(gpus) : modelled_usual_gpu(), *rest = copy;
    bool good = true;
    json_decref(request->gpus);
    request->gpus = json_array();
    for (char *key; good && (key = strsep(&rest, ","));)
        good = add_gpu(request, key, error);
    free(copy);
    return good;
}

// ---- the launches of a run --------------------------------------------------------------------------------------

struct modelled_launches {
    struct model_launch *all;
    struct sim_result *results;
    size_t count;
};

struct modelled_launches *modelled_start(void)
{
    return mem_new(sizeof(struct modelled_launches));
}

void modelled_keep(struct modelled_launches *launches, struct sim_result *result, uint64_t blocks,
                   int block_threads, int registers, int shared_bytes)
{
    size_t count = launches->count;
    launches->all = array_room(launches->all, count, sizeof *launches->all);
    launches->results = array_room(launches->results, count, sizeof *launches->results);
    struct sim_result *kept = &launches->results[count];
    *kept = (struct sim_result){ .counters = result->counters,
                                 .instruction_count = result->instruction_count,
                                 .sample = result->sample,
                                 .complete = result->complete };
    kept->instructions = mem_new((result->instruction_count + 1) * sizeof *kept->instructions);
    memcpy(kept->instructions, result->instructions, result->instruction_count * sizeof *kept->instructions);
    result->sample = NULL;
    launches->all[launches->count++] = (struct model_launch){
        .blocks = blocks, .block_threads = block_threads, .registers = registers, .shared_bytes = shared_bytes
    };
}

void modelled_free(struct modelled_launches *launches)
{
    if (!launches)
        return;
    for (size_t i = 0; i < launches->count; i++)
        sim_result_free(&launches->results[i]);
    free(launches->all);
    free(launches->results);
    free(launches);
}

// Of blocks that run together the simulator takes no sample.
static bool runs_together(const struct modelled_launches *launches)
{
    for (size_t i = 0; i < launches->count; i++)
        if (launches->results[i].complete && !launches->results[i].sample)
            return true;
    return false;
}

// ---- what if ----------------------------------------------------------------------------------------------------

static bool has_cost(const struct modelled_launches *launches, unsigned without)
{
    struct sim_counters all = { 0 };
    for (size_t i = 0; i < launches->count; i++)
        sim_counters_add(&all, &launches->results[i].counters);
    switch (without) {
    case WITHOUT_CONFLICTS:
        return all.conflicts[SIM_SHARED_LOAD] || all.conflicts[SIM_SHARED_STORE] ||
               all.conflicts[SIM_SHARED_ATOM];
    case WITHOUT_SECTORS:
        return all.passes[SIM_GLOBAL_LOAD] > all.ideal[SIM_GLOBAL_LOAD] ||
               all.passes[SIM_GLOBAL_STORE] > all.ideal[SIM_GLOBAL_STORE];
    case WITHOUT_COLLISIONS:
        return all.requests[SIM_GLOBAL_RED] || all.requests[SIM_GLOBAL_ATOM];
    case WITHOUT_DIVERGENCE:
        return all.divergent != 0;
    case WITHOUT_BARRIERS:
        return all.barriers != 0;
    case WITHOUT_ADDRESSES:
        return all.constant_turns > all.constant_requests;
    default:
        return true;
    }
}

static int by_time(const void *left, const void *right)
{
    const struct gain *x = left, *y = right;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

struct gains { // what the model needs for each of them
    const struct gpu_figures *gpu;
    const struct model_code *code;
    const struct modelled_launches *launches;
    struct modelled *out;
};

const struct gain *modelled_gain(const struct modelled *one, unsigned without)
{
    for (size_t i = 0; i < one->gain_count; i++)
        if (one->gains[i].without == without)
            return &one->gains[i];
    return NULL;
}

static void find_gain(const struct gains *of, unsigned without)
{
    struct model_time time;
    struct modelled *out = of->out;
    if (out->gain_count < MODELLED_GAINS && !modelled_gain(out, without) &&
        model_time(of->gpu, of->code, of->launches->all, of->launches->count, without, &time) && time.known) {
        struct gain *gain = &out->gains[out->gain_count++];
        *gain = (struct gain){ .without = without, .ms = time.ms };
        memcpy(gain->term_ms, time.term_ms, sizeof gain->term_ms);
    }
}

// Causes hide one another: what gains nothing alone may gain a lot once the best one is gone.
static void find_gains(const struct gains *of)
{
    unsigned all = 0;
    struct modelled *out = of->out;
    out->gains = mem_new(sizeof *out->gains * MODELLED_GAINS);
    for (unsigned without = 1; without <= WITHOUT_LAST; without *= 2)
        if (has_cost(of->launches, without)) {
            find_gain(of, without);
            all |= without;
        }
    if (!out->gain_count)
        return;
    qsort(out->gains, out->gain_count, sizeof *out->gains, by_time);
    unsigned best = out->gains[0].without;
    for (unsigned without = 1; without <= WITHOUT_LAST; without *= 2)
        if (all & without)
            find_gain(of, best | without);
    find_gain(of, all);
    qsort(out->gains, out->gain_count, sizeof *out->gains, by_time);
}

// ---- the times --------------------------------------------------------------------------------------------------

// How often warps executed each instruction, in all launches; the caller frees.
static uint64_t *executions_of(const struct modelled_launches *launches, size_t count)
{
    uint64_t *out = mem_new((count + 1) * sizeof *out);
    for (size_t i = 0; i < launches->count; i++)
        for (size_t k = 0; k < launches->results[i].instruction_count; k++) {
            const struct sim_line *line = &launches->results[i].instructions[k];
            if ((size_t)line->index < count)
                out[line->index] += line->counters.warp_inst;
        }
    return out;
}

// About how often the few warps executed each instruction that run far longer than all others, by the parts of them that were
// recorded: a loop of theirs goes round more often than it does on average. What is in no part comes once, before or after
// a long loop. NULL: no warps do. The caller frees.
static uint64_t *executions_of_long(const struct modelled_launches *launches, const uint64_t *executions,
                                    size_t count)
{
    uint64_t *out = NULL;
    for (size_t i = 0; i < launches->count; i++) {
        if (!launches->results[i].sample)
            continue;
        const struct sim_long *longest = &launches->results[i].sample->longest;
        if (longest->window_count && !out)
            out = mem_new((count + 1) * sizeof *out);
        for (size_t w = 0; w < longest->window_count; w++) {
            const struct sim_sampled_warp *part = &longest->windows[w];
            for (size_t k = 0; k < part->step_count; k++)
                if (part->steps[k].index < count)
                    out[part->steps[k].index] += part->ran / part->step_count;
        }
    }
    for (size_t i = 0; out && i < count; i++)
        out[i] = executions[i] && !out[i] ? 1 : out[i];
    return out;
}

// The unit that is busy longest when only the instructions of all launches count.
static enum pipe busiest_pipe(const struct gpu_figures *gpu, const struct machine_code *machine,
                              const struct modelled_launches *launches)
{
    double cycles[PIPES] = { 0 };
    enum pipe busiest = PIPE_NONE;
    for (size_t i = 0; i < launches->count; i++)
        for (size_t j = 0; j < launches->results[i].instruction_count; j++) {
            const struct sim_line *line = &launches->results[i].instructions[j];
            for (int p = PIPE_NONE + 1; p < PIPES; p++)
                if (machine[line->index].on[p] > 0)
                    cycles[p] += (double)line->counters.warp_inst * machine[line->index].on[p] /
                                 model_pipe_rate(gpu, (enum pipe)p);
        }
    for (int p = PIPE_NONE + 1; p < PIPES; p++)
        if (cycles[p] > cycles[busiest])
            busiest = (enum pipe)p;
    return busiest;
}

static void model_one(const struct gpu_figures *gpu, const struct sim_instruction *code, size_t count,
                      const uint64_t *executions, const struct modelled_launches *launches,
                      const struct compiled *compiled, bool what_if, struct modelled *out)
{
    struct machine_code *machine = mem_new((count + 1) * sizeof *machine), *of_long = NULL;
    struct model_code all = { .code = code, .machine = machine, .count = count };
    struct model_time time;
    out->gpu = mem_copy(gpu->key);
    out->name = mem_copy(gpu->name);
    out->measured = gpu->measured;
    enum machine_source source =
        machine_code_of(code, count, executions, compiled->cubin, compiled->cubin_bytes, gpu, machine);
    uint64_t *executions_long = executions_of_long(launches, executions, count);
    if (executions_long && source == MACHINE_CUBIN) {
        all.machine_of_long = of_long = mem_new((count + 1) * sizeof *of_long);
        source = machine_code_of(code, count, executions_long, compiled->cubin, compiled->cubin_bytes, gpu,
                                 of_long);
    }
    free(executions_long);
    if (source == MACHINE_NO_MEMORY || !model_time(gpu, &all, launches->all, launches->count, 0, &time)) {
        out->why = mem_copy("There is not enough memory for the model.");
    } else if (!time.known) {
        out->why =
            runs_together(launches)
                ? mem_copy("The model does not know blocks that wait for each other: those of clusters and "
                           "of cooperative launches.")
                : text_clean(time.why);
    } else {
        out->ms = time.ms;
        out->low_ms = time.low_ms;
        out->high_ms = time.high_ms;
        out->fixed_ms = time.fixed_ms;
        out->limiter = time.limiter;
        memcpy(out->term_ms, time.term_ms, sizeof out->term_ms);
        out->pipe = busiest_pipe(gpu, machine, launches);
        if (what_if)
            find_gains(&(struct gains){ gpu, &all, launches, out });
    }
    free(of_long);
    free(machine);
}

void modelled_fill(struct modelled_launches *launches, const struct sim_module *module,
                   const struct compiled *compiled, const struct request *request, struct record *out)
{
    struct sim_instruction *code;
    size_t count = sim_module_instructions(module, &code), gpus = json_array_size(request->gpus);
    uint64_t *executions = executions_of(launches, count);
    for (size_t i = 0; i < launches->count; i++)
        launches->all[i].result = &launches->results[i];
    out->modelled = mem_new((gpus + 1) * sizeof *out->modelled);
    for (size_t i = 0; i < gpus; i++) {
        struct gpu_figures gpu;
        struct error error;
        struct modelled *one = &out->modelled[out->modelled_count++];
        if (figures_from_json(json_array_get(request->gpus, i), "the request", &gpu, &error))
            model_one(&gpu, code, count, executions, launches, compiled, request->what_if, one);
        else
            one->why = mem_copy(error.text);
    }
    free(executions);
    free(code);
}

void modelled_turn(const struct modelled_launches *launches, const struct sim_module *module,
                   const struct compiled *compiled, const struct gpu_figures *gpu, int registers,
                   int shared_bytes, struct modelled *out, size_t which, struct model_launch *launch)
{
    struct sim_instruction *code;
    size_t count = sim_module_instructions(module, &code);
    uint64_t *executions = executions_of(launches, count);
    struct modelled_launches turned = *launches;
    turned.all = mem_new((launches->count + 1) * sizeof *turned.all);
    for (size_t i = 0; i < launches->count; i++) {
        struct model_launch *one = &turned.all[i];
        *one = launches->all[i];
        one->result = &launches->results[i];
        one->registers = registers ? registers : one->registers;
        one->shared_bytes += shared_bytes;
    }
    *launch = which < launches->count ? turned.all[which] : (struct model_launch){ 0 };
    *out = (struct modelled){ 0 };
    model_one(gpu, code, count, executions, &turned, compiled, false, out);
    free(turned.all);
    free(executions);
    free(code);
}

// ---- in the record ----------------------------------------------------------------------------------------------

static const char *const term_keys[TERMS] = {
    [TERM_ISSUE] = "issue",     [TERM_PIPE] = "arithmetic",    [TERM_SHARED] = "shared",
    [TERM_L1] = "l1",           [TERM_CONSTANT] = "constants", [TERM_L2] = "l2",
    [TERM_DRAM] = "dram",       [TERM_ATOMICS] = "atomics",    [TERM_START] = "launching",
    [TERM_LATENCY] = "latency", [TERM_TAIL] = "tail"
};

static const char *const pipe_keys[PIPES] = {
    [PIPE_NONE] = "none",       [PIPE_FMA] = "fma",         [PIPE_INT] = "integer",
    [PIPE_MUL] = "multiply",    [PIPE_DOUBLE] = "double",   [PIPE_SPECIAL] = "special",
    [PIPE_CONVERT] = "convert", [PIPE_SHUFFLE] = "shuffle", [PIPE_MEMORY] = "memory",
    [PIPE_TENSOR] = "tensor"
};
// The bits of enum model_without.
static const char *const cost_keys[] = { "conflicts", "sectors",  "collisions", "divergence",
                                         "limits",    "barriers", "addresses" };
enum { COSTS = sizeof cost_keys / sizeof *cost_keys };
_Static_assert(1 << (COSTS - 1) == WITHOUT_LAST, "each cost has a key");

static json_t *costs_to_json(unsigned without)
{
    json_t *keys = json_array();
    for (int i = 0; i < COSTS; i++)
        if (without >> i & 1)
            json_array_append_new(keys, json_string(cost_keys[i]));
    return keys;
}

static unsigned costs_from_json(const json_t *keys)
{
    unsigned without = 0;
    const json_t *key;
    size_t i;
    json_array_foreach(keys, i, key) for (int c = 0; c < COSTS;
                                          c++) if (json_is_string(key) &&
                                                   strcmp(json_string_value(key), cost_keys[c]) == 0)
        without |= 1u << c;
    return without;
}

static json_t *terms_to_json(const double *term_ms)
{
    json_t *terms = json_object();
    for (int t = 0; t < TERMS; t++)
        json_object_set_new(terms, term_keys[t], json_real(term_ms[t]));
    return terms;
}

static json_t *gains_to_json(const struct modelled *one)
{
    json_t *all = json_array();
    for (size_t i = 0; i < one->gain_count; i++) {
        const struct gain *gain = &one->gains[i];
        json_array_append_new(all, json_pack("{s:o, s:f, s:o}", "costs", costs_to_json(gain->without), "ms",
                                             gain->ms, "terms", terms_to_json(gain->term_ms)));
    }
    return all;
}

static json_t *one_to_json(const struct modelled *one)
{
    json_t *json = json_object();
    if (one->gpu)
        json_object_set_new(json, "gpu", json_string(one->gpu));
    if (one->name)
        json_object_set_new(json, "name", json_string(one->name));
    json_object_set_new(json, "measured", json_boolean(one->measured));
    if (one->why) {
        json_object_set_new(json, "why", json_string(one->why));
        return json;
    }
    json_object_set_new(json, "ms", json_real(one->ms));
    json_object_set_new(json, "low_ms", json_real(one->low_ms));
    json_object_set_new(json, "high_ms", json_real(one->high_ms));
    json_object_set_new(json, "fixed_ms", json_real(one->fixed_ms));
    json_object_set_new(json, "limiter", json_string(term_keys[one->limiter]));
    json_object_set_new(json, "pipe", json_string(pipe_keys[one->pipe]));
    json_object_set_new(json, "terms", terms_to_json(one->term_ms));
    if (one->gains)
        json_object_set_new(json, "without", gains_to_json(one));
    return json;
}

json_t *modelled_to_json(const struct modelled *all, size_t count)
{
    if (!all || count <= 1)
        return all && count ? one_to_json(all) : NULL;
    json_t *json = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(json, one_to_json(&all[i]));
    return json;
}

static bool take_ms(double *out, const json_t *json, const char *key)
{
    *out = json_number_value(json_object_get(json, key));
    return json_is_number(json_object_get(json, key)) && isfinite(*out) && *out >= 0;
}

// A term that is not there takes no time: an earlier version did not know it.
static bool take_terms(double *term_ms, const json_t *json)
{
    bool fits = json_is_object(json);
    for (int t = 0; t < TERMS; t++)
        fits = fits && (!json_object_get(json, term_keys[t]) || take_ms(&term_ms[t], json, term_keys[t]));
    return fits;
}

static bool take_gains(struct modelled *out, const json_t *json)
{
    const json_t *one;
    size_t i;
    if (!json)
        return true;
    if (!json_is_array(json) || json_array_size(json) > MODELLED_GAINS)
        return false;
    out->gains = mem_new((json_array_size(json) + 1) * sizeof *out->gains);
    json_array_foreach(json, i, one)
    {
        struct gain *gain = &out->gains[out->gain_count++];
        gain->without = costs_from_json(json_object_get(one, "costs"));
        const json_t *terms = json_object_get(one, "terms");
        if (!take_ms(&gain->ms, one, "ms") || !gain->without || (terms && !take_terms(gain->term_ms, terms)))
            return false;
    }
    return true;
}

static bool take_one(struct modelled *out, const json_t *json)
{
    const char *limiter = json_string_value(json_object_get(json, "limiter"));
    const char *pipe = json_string_value(json_object_get(json, "pipe"));
    bool known = false, fits = json_is_object(json);
    out->gpu = mem_copy_if(json_string_value(json_object_get(json, "gpu")));
    out->name = mem_copy_if(json_string_value(json_object_get(json, "name")));
    out->why = mem_copy_if(json_string_value(json_object_get(json, "why")));
    out->measured = json_is_true(json_object_get(json, "measured"));
    if (!fits || out->why)
        return fits;
    fits = take_terms(out->term_ms, json_object_get(json, "terms"));
    for (int t = 0; t < TERM_TAIL; t++)
        if (limiter && strcmp(limiter, term_keys[t]) == 0) {
            out->limiter = (enum model_term)t;
            known = true;
        }
    for (int p = 0; pipe && p < PIPES; p++)
        if (strcmp(pipe, pipe_keys[p]) == 0)
            out->pipe = (enum pipe)p;
    return fits && known && take_ms(&out->ms, json, "ms") && take_ms(&out->low_ms, json, "low_ms") &&
           take_ms(&out->high_ms, json, "high_ms") && take_ms(&out->fixed_ms, json, "fixed_ms") &&
           take_gains(out, json_object_get(json, "without"));
}

bool modelled_from_json(struct modelled **out, size_t *count, const json_t *json)
{
    size_t gpus = json_is_array(json) ? json_array_size(json) : 1;
    if (gpus > MODELLED_GPUS)
        return false;
    *out = mem_new((gpus + 1) * sizeof **out);
    *count = gpus;
    for (size_t i = 0; i < gpus; i++)
        if (!take_one(&(*out)[i], json_is_array(json) ? json_array_get(json, i) : json))
            return false;
    return true;
}

void modelled_free_all(struct modelled *all, size_t count)
{
    for (size_t i = 0; all && i < count; i++) {
        free(all[i].gpu);
        free(all[i].name);
        free(all[i].why);
        free(all[i].gains);
    }
    free(all);
}
