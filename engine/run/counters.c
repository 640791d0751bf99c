// The simulator's counters under their short names and under Nsight Compute's, in one table.
#include "engine/run/simulation.h"

enum { L = SIM_GLOBAL_LOAD, S = SIM_GLOBAL_STORE, R = SIM_GLOBAL_RED, A = SIM_GLOBAL_ATOM };
enum { SL = SIM_SHARED_LOAD, SS = SIM_SHARED_STORE, SA = SIM_SHARED_ATOM };

typedef uint64_t (*getter)(const struct sim_counters *c);

static uint64_t sum(const uint64_t *values, int first, int last)
{
    uint64_t total = 0;
    for (int i = first; i <= last; i++)
        total += values[i];
    return total;
}

#define GET(name, value)                                                                                     \
    static uint64_t name(const struct sim_counters *c)                                                       \
    {                                                                                                        \
        return value;                                                                                        \
    }
GET(gld_req, c->requests[L])
GET(gld_sec, c->passes[L])
GET(gst_req, c->requests[S])
GET(gst_sec, c->passes[S])
GET(red_req, c->requests[R])
GET(red_sec, c->passes[R])
GET(atom_req, c->requests[A])
GET(atom_sec, c->passes[A])
GET(sld_inst, c->requests[SL])
GET(sld_wave, c->passes[SL])
GET(sld_conf, c->conflicts[SL])
GET(sst_inst, c->requests[SS])
GET(sst_wave, c->passes[SS])
GET(sst_conf, c->conflicts[SS])
GET(satom_inst, c->requests[SA])
GET(satom_wave, c->passes[SA])
GET(satom_conf, c->conflicts[SA])
// Sectors by address alone: passes count a sector again when lanes of an atomic take turns at it.
GET(l2_sectors, sum(c->passes, L, A) - sum(c->conflicts, L, A))
GET(l2_sectors_ideal, sum(c->ideal, L, A))
GET(l1_wave_shared, sum(c->passes, SL, SA))
GET(l1_wave_shared_ideal, sum(c->ideal, SL, SA))
GET(inst, c->warp_inst)
GET(thread_inst, c->thread_inst)
GET(branches, c->branches)
GET(divergent, c->divergent)
GET(barriers, c->barriers)

#define LSU "l1tex__t_"
static const struct {
    const char *name, *ncu; // ncu NULL: it has no such metric, or counts SASS where we count PTX
    getter get;
} table[] = {
    { "gld_req", LSU "requests_pipe_lsu_mem_global_op_ld.sum", gld_req },
    { "gld_sec", LSU "sectors_pipe_lsu_mem_global_op_ld.sum", gld_sec },
    { "gst_req", LSU "requests_pipe_lsu_mem_global_op_st.sum", gst_req },
    { "gst_sec", LSU "sectors_pipe_lsu_mem_global_op_st.sum", gst_sec },
    { "red_req", LSU "requests_pipe_lsu_mem_global_op_red.sum", red_req },
    { "red_sec", LSU "sectors_pipe_lsu_mem_global_op_red.sum", red_sec },
    { "atom_req", LSU "requests_pipe_lsu_mem_global_op_atom.sum", atom_req },
    { "atom_sec", LSU "sectors_pipe_lsu_mem_global_op_atom.sum", atom_sec },
    { "sld_inst", "smsp__sass_inst_executed_op_shared_ld.sum", sld_inst },
    { "sld_wave", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", sld_wave },
    { "sld_conf", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", sld_conf },
    { "sst_inst", "smsp__sass_inst_executed_op_shared_st.sum", sst_inst },
    { "sst_wave", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", sst_wave },
    { "sst_conf", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", sst_conf },
    { "satom_inst", "smsp__inst_executed_op_shared_atom.sum", satom_inst },
    { "satom_wave", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", satom_wave },
    { "satom_conf", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", satom_conf },
    { "l2_sectors", "memory_l2_theoretical_sectors_global", l2_sectors },
    { "l2_sectors_ideal", "memory_l2_theoretical_sectors_global_ideal", l2_sectors_ideal },
    { "l1_wave_shared", "memory_l1_wavefronts_shared", l1_wave_shared },
    { "l1_wave_shared_ideal", "memory_l1_wavefronts_shared_ideal", l1_wave_shared_ideal },
    { "inst", NULL, inst },
    { "thread_inst", NULL, thread_inst },
    { "branches", NULL, branches },
    { "divergent", NULL, divergent },
    { "barriers", NULL, barriers },
};

json_t *counters_to_json(const struct sim_counters *counters, bool ncu)
{
    json_t *json = json_object();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *key = ncu ? table[i].ncu : table[i].name;
        if (key)
            json_object_set_new(json, key, json_integer((json_int_t)table[i].get(counters)));
    }
    if (!ncu && counters->warp_inst)
        json_object_set_new(json, "lanes_per_inst",
                            json_real((double)counters->thread_inst / (double)counters->warp_inst));
    if (!ncu && counters->even) {
        json_object_set_new(json, "inst_longest", json_integer((json_int_t)counters->longest));
        json_object_set_new(json, "inst_even", json_integer((json_int_t)counters->even));
        json_object_set_new(json, "busiest", json_real((double)counters->longest / (double)counters->even));
    }
    return json;
}
