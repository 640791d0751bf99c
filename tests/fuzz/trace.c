// A kernel stepped through: forward, back, to lines, barriers, findings and other warps, with everything looked at on the
// way. Going back must show what was there before.
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "engine/run/simulation.h"

enum { MEMORY = 24 << 20, STEPS_MOST = 30000, MOVES_MOST = 24 };

typedef bool open_trace(const struct sim_module *module, struct sim_memory *memory,
                        const struct sim_launch *launch, const struct sim_options *options,
                        struct sim_trace **out, struct sim_fault *fault);
open_trace __real_sim_trace_open, __wrap_sim_trace_open;
void __real_snapshots_step(struct sim_trace *trace, uint64_t ran);
void __wrap_snapshots_step(struct sim_trace *trace, uint64_t ran);

static uint64_t steps_run;
static atomic_bool stop;

// The linker puts these two before the functions of the same name. All moves together may take so many steps.
bool __wrap_sim_trace_open(const struct sim_module *module, struct sim_memory *memory,
                           const struct sim_launch *launch, const struct sim_options *options,
                           struct sim_trace **out, struct sim_fault *fault)
{
    if (!__real_sim_trace_open(module, memory, launch, options, out, fault))
        return false;
    sim_trace_stop_when(*out, &stop);
    return true;
}

void __wrap_snapshots_step(struct sim_trace *trace, uint64_t ran)
{
    stop = ++steps_run >= STEPS_MOST;
    __real_snapshots_step(trace, ran);
}

// ---- looking ----------------------------------------------------------------------------------------------

static uint64_t look_registers(const struct sim_trace *trace, uint64_t hash)
{
    struct sim_register registers[16], one;
    const char *name;
    size_t count = sim_trace_registers(trace, registers, 16);
    for (size_t i = 0; i < count && i < 16; i++)
        hash = hash_more(hash, registers[i].value, sizeof registers[i].value);
    for (size_t i = 0; i < 6 && (name = sim_trace_register_name(trace, i)); i++)
        if (sim_trace_register(trace, name, &one))
            hash = hash_more(hash, one.value, sizeof one.value);
    return hash;
}

// Whether a variable has a value depends on what was stored on the way, which going back takes back.
static uint64_t look_variables(const struct sim_trace *trace, uint64_t hash)
{
    static struct sim_variable all[24];
    struct sim_variable one;
    size_t count = sim_trace_variables(trace, all, 24);
    must(count == 0 || sim_trace_has_variables(trace));
    for (size_t i = 0; i < count && i < 24; i++) {
        must(all[i].known != SIM_HAS_VALUE || (all[i].bytes >= 1 && all[i].bytes <= 8));
        must(all[i].known == SIM_HAS_VALUE || !all[i].lanes);
        hash = hash_more(hash, &all[i].lanes, sizeof all[i].lanes);
        hash = hash_more(hash, all[i].value, sizeof all[i].value);
        sim_trace_variable(trace, all[i].name, &one);
    }
    return hash;
}

static void look_aside(const struct sim_trace *trace)
{
    static struct sim_touched touched;
    struct sim_finding *findings, latest;
    uint32_t index[3];
    sim_trace_touched(trace, &touched);
    sim_trace_thread(trace, 31, index);
    free(sim_trace_printed(trace));
    sim_trace_findings(trace, &findings);
    free(findings);
    sim_trace_latest(trace, &latest);
}

// What there is, as a number: the same place must look the same whichever way one came.
static uint64_t look(const struct sim_trace *trace)
{
    struct sim_spot spot;
    struct sim_path paths[8];
    struct sim_warp warps[32];
    uint32_t words[64];
    sim_trace_where(trace, &spot);
    uint64_t hash = hash_bytes(&spot.step, sizeof spot.step);
    if (!spot.ended) {
        const uint32_t masks[] = { spot.exists, spot.live, spot.mask,
                                   spot.active, spot.warp, (uint32_t)spot.ptx_line };
        hash = hash_more(hash, masks, sizeof masks);
    }
    hash = look_variables(trace, look_registers(trace, hash));
    size_t depth = sim_trace_stack(trace, paths, 8);
    for (size_t i = 0; i < depth && i < 8; i++)
        hash = hash_more(hash, &paths[i].mask, sizeof paths[i].mask);
    size_t shared = sim_trace_shared(trace, 0, 64, words);
    must(shared <= 64 && sim_trace_warps(trace, warps) <= 32);
    hash = hash_more(hash, words, shared * sizeof *words);
    look_aside(trace);
    return hash;
}

// ---- moving -----------------------------------------------------------------------------------------------

static uint64_t steps_of(const struct sim_trace *trace)
{
    struct sim_spot spot;
    sim_trace_where(trace, &spot);
    return spot.step;
}

// There and back again.
static void swing(struct sim_trace *trace, uint64_t steps)
{
    uint64_t from = steps_of(trace), before = look(trace);
    sim_trace_forward(trace, steps);
    uint64_t moved = steps_of(trace) - from;
    must(moved <= steps);
    if (moved && sim_trace_back(trace, moved) == SIM_THERE)
        must(look(trace) == before);
}

static void move(struct sim_trace *trace, uint8_t what)
{
    uint32_t count = what >> 4;
    switch (what & 15) {
    case 0:
    case 1:
        sim_trace_forward(trace, count + 1);
        break;
    case 2:
        sim_trace_forward(trace, 37 * count);
        break;
    case 3:
    case 4:
        sim_trace_back(trace, count + 1);
        break;
    case 5:
        sim_trace_back(trace, 41 * count);
        break;
    case 6:
        sim_trace_line(trace);
        break;
    case 7:
        sim_trace_line_back(trace);
        break;
    case 8:
        sim_trace_barrier(trace);
        break;
    case 9:
        sim_trace_conflict(trace);
        break;
    case 10:
        sim_trace_finding(trace);
        break;
    case 11:
        sim_trace_goto(trace, count & 3, count >> 2);
        break;
    case 12:
        sim_trace_end(trace);
        break;
    default:
        swing(trace, 1 + 11 * count);
    }
    look(trace);
}

// Where one goes is decided by the kernel's own bytes.
static void walk_through(struct stepper *walk, uint64_t moves)
{
    struct error error;
    struct chance chance = { moves };
    struct sim_finding *findings;
    steps_run = 0;
    stop = false;
    for (int i = 0; i < MOVES_MOST && !stop; i++)
        move(walk->trace, (uint8_t)chance_below(&chance, 256));
    sim_trace_end(walk->trace);
    stepper_findings(walk, &findings);
    free(findings);
    if (stepper_goes_on(walk) && stepper_launch(walk, walk->launch + 1, &error))
        move(walk->trace, 0x52);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size);
    struct error error;
    fuzz_home();
    char *text = bytes_rest(&bytes);
    struct setup setup = setup_read(text);
    struct request request = { .on = ON_SIM,
                               .file = (char *)"kernel.ptx",
                               .source = text,
                               .limit_ms = 1000,
                               .memory_bytes = MEMORY,
                               .check = (enum request_check)setup.check,
                               .threads = 1,
                               .seed = setup.seed };
    struct stepper walk = { 0 };
    if (stepper_open(&walk, &request, &error))
        walk_through(&walk, hash_bytes(text, strlen(text)));
    stepper_close(&walk);
    free(text);
    return 0;
}
