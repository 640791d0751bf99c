// Runs small kernels that a test writes in PTX, on a buffer of words.
#ifndef WARPBOOK_TESTS_SIM_KERNEL_H
#define WARPBOOK_TESTS_SIM_KERNEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sim/sim.h"

// ---- one kernel `k` with a buffer of words and their number ----------------------------------------------------

enum { WORDS = 4096 };
struct setting {
    const char *body;   // of kernel k; %r0 holds tid.x, %rd0 the address of word tid.x + ntid.x * ctaid.x
    const char *before; // functions and variables
    uint32_t grid[3], block[3], shared, number;
    uint32_t cluster; // blocks in x; 0: none asked for
    struct sim_options options;
};
struct kernel_outcome {
    uint32_t words[WORDS];
    struct sim_result result;
};

static const char head[] = ".version 8.0\n.target sm_75\n.address_size 64\n";
static const char start[] =
    ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{\n"
    ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n"
    "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;\nmul.wide.u32 %rd2, %r3, 4;\n"
    "add.u64 %rd0, %rd1, %rd2;\nld.param.u32 %r31, [k_param_1];\n";
enum { START_COUNT = 8 };

static inline struct sim_module *read_module(const char *text)
{
    struct sim_module *module;
    struct sim_fault fault = { 0 };
    if (!sim_module_read(text, strlen(text), &module, &fault))
        fail_msg("line %d: %s", fault.line, fault.text);
    return module;
}

static inline void run(const struct setting *setting, struct kernel_outcome *out)
{
    static char text[65536];
    snprintf(text, sizeof text, "%s%s%s%s\n}\n", head, setting->before ? setting->before : "", start,
             setting->body);
    struct sim_module *module = read_module(text);
    struct sim_memory *memory = sim_memory_new();
    struct sim_fault fault = { 0 };
    memset(out, 0, sizeof *out);
    sim_address words = sim_memory_add(memory, "words", out->words, sizeof out->words, 4, SIM_INOUT);
    const struct sim_argument arguments[] = { { &words, sizeof words },
                                              { &setting->number, sizeof setting->number } };
    struct sim_launch launch = { .shared_bytes = setting->shared,
                                 .arguments = arguments,
                                 .argument_count = 2 };
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = setting->grid[i] ? setting->grid[i] : 1;
        launch.block[i] = setting->block[i] ? setting->block[i] : 1;
    }
    if (setting->cluster)
        memcpy(launch.cluster, (uint32_t[3]){ setting->cluster, 1, 1 }, sizeof launch.cluster);
    struct sim_options options = setting->options;
    if (options.check == SIM_CHECK_NONE)
        options.check = SIM_CHECK_COUNTERS;
    if (!options.threads)
        options.threads = 1;
    if (!sim_run(module, memory, &launch, &options, &out->result, &fault))
        fail_msg("%s", fault.text);
    sim_memory_free(memory);
    sim_module_free(module);
}

static inline void expect_clean(const struct kernel_outcome *o)
{
    if (o->result.finding_count)
        fail_msg("%s", o->result.findings[0].sentence);
    assert_true(o->result.complete);
}

static inline const struct sim_finding *expect_finding(const struct kernel_outcome *o, enum sim_kind kind,
                                                       enum sim_severity severity)
{
    for (size_t i = 0; i < o->result.finding_count; i++)
        if (o->result.findings[i].kind == kind && o->result.findings[i].severity == severity)
            return &o->result.findings[i];
    fail_msg("no finding '%s' among %zu (first: %s)", sim_kind_name(kind), o->result.finding_count,
             o->result.finding_count ? o->result.findings[0].sentence : "-");
    abort();
}

static inline void drop(struct kernel_outcome *o)
{
    sim_result_free(&o->result);
}

#endif
