// The record of one run: the same in memory, in the protocol, in --json and on disk.
#ifndef WARPBOOK_RECORD_H
#define WARPBOOK_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/base.h"
#include "kernels/variant.h"

struct sim_counters;
struct sim_finding;
struct instructions;
struct modelled;
struct profiled;

enum backend { ON_NOTHING = -1, ON_CPU, ON_GPU, ON_SIM };
const char *record_backend_name(enum backend backend); // "cpu", "gpu", "sim"; "" of ON_NOTHING

enum record_status {
    STATUS_NONE, // not known yet
    STATUS_RIGHT,
    STATUS_WRONG,
    STATUS_UNCHECKED, // there is no reference: a file that stands alone
    STATUS_SKIPPED,   // its `needs` do not hold
    STATUS_FAILED
};
const char *record_status_name(enum record_status status); // "right"; "" of STATUS_NONE

// The counters of a simulation, in the whole run or at one line of the source; NAN: not known. Accesses are counted by
// what does them: global loads (gld), stores (gst), reductions without a result (red) and atomics (atom), shared loads
// (sld), stores (sst) and atomics (satom).
struct record_counters {
    double gld_req, gld_sec, gst_req, gst_sec; // requests; sectors of 32 bytes
    double red_req, red_sec, atom_req, atom_sec;
    double sld_inst, sld_wave, sld_conf; // instructions, wavefronts, bank conflicts
    double sst_inst, sst_wave, sst_conf;
    double satom_inst, satom_wave, satom_conf;
    // Requests, sectors and wavefronts of the shared memory of other blocks of the cluster; not numbers where there are none.
    double dld_req, dld_sec, dld_wave, dst_req, dst_sec, dst_wave, datom_req, datom_sec, datom_wave;
    // Requests and turns of constants by an index; not numbers where there are none.
    double const_req, const_turn;
    double l2_sectors, l2_sectors_ideal; // of global memory, each once in an instruction; the fewest possible
    double l1_wave_shared, l1_wave_shared_ideal;
    double inst, thread_inst, branches, divergent, barriers;
    double tensor; // instructions of tensor cores; not a number where there are none
    double lanes_per_inst;
    double inst_longest, inst_even,
        busiest; // of a whole run: by the warp that ran the most; were all equal; ratio
};
struct record_line {
    int line; // of the source
    struct record_counters counters;
};
struct record_digest { // 64-bit FNV-1a of a buffer afterwards
    char *buffer;
    uint64_t hash;
};

// Numbers that are not known are NAN, and texts, parts and arrays that are not known NULL; all of these are absent from
// the JSON. An array that is known and empty is not NULL. Units stand in the names.
struct record {
    char *lab, *variant, *title;
    enum backend backend;
    enum record_status status;
    char *message; // why it was skipped or has failed
    char *preset, *data;
    struct expr_params *params;
    char *device, *driver, *compiler, *date; // compiler: or the library that was called
    char *code;                              // variant_code() of the file that ran, on a GPU
    double median_ms, min_ms, low_ms, high_ms, spread_pct, reps; // low to high: the interval of the median
    double h2d_ms, h2d_bytes, d2h_ms, d2h_bytes;
    double bytes, operations; // the least that the problem needs
    double bandwidth_gbps, ceiling_gbps, ceiling_gflops, ceiling_pct;
    double threads;                                                                    // cpu, sim
    double target, registers, shared_bytes, spill_bytes, blocks_per_sm, occupancy_pct; // gpu
    // Of several launches these, and registers to occupancy_limit, are of the one that weighs most: on a GPU it takes the
    // longest, in the simulator its warps execute the most instructions.
    char *kernel; // its kernel's name; NULL in older records, whose launch is the first
    double launches, grid_blocks, block_threads;
    char *occupancy_limit;
    double compile_ms, total_ms; // wall time of the compile, of the whole request
    double compared, wrong, wrong_index;
    char *wrong_buffer, *wrong_got, *wrong_want, *wrong_where; // where: "block 3, thread 17"
    double worst_error;
    char *tolerance; // the bound and its reason
    // sim
    double warp_inst, thread_inst, exec_ms;
    struct record_counters *counters;
    struct sim_finding *findings; // worst first
    size_t finding_count;
    struct record_line *lines;
    size_t line_count;
    struct instructions *instructions; // when the request asks for them
    struct record_digest *digests;
    size_t digest_count;
    struct modelled *modelled; // its time on the GPUs that the request names
    size_t modelled_count;
    struct profiled *profiled;      // what hardware counted, when the request asks
    char *printed;                  // what the kernels printed in the first run
    struct diagnostic *diagnostics; // of the compiler
    size_t diagnostic_count;
};
// Code can have so many lines that the record would not fit a line of the protocol. An array of more rows than this is
// left out as a whole, and is refused where it is read.
enum { RECORD_ROWS = 16384 };

// ---- record.c ---------------------------------------------------------------------------------------

bool record_same_params(const struct record *a, const struct record *b);

void record_count(struct record_counters *out, const struct sim_counters *counters);
// The average cost of an access by these counters, loads, stores and atomics together; NAN: there was none. NULL: no counters.
double record_sectors_per_request(const struct record_counters *counters);   // of global memory
double record_wavefronts_per_access(const struct record_counters *counters); // to shared memory
double record_global_sectors(const struct record_counters *counters);        // all that requests took
const struct record_counters *record_line_counters(const struct record *record, size_t line); // NULL: none
bool record_has_error(const struct record *record); // a finding of severity error
// The check in words: "right", "3 of 1024 wrong, first c[5] = 0 where 7 should be (block 0, thread 5)".
void record_check_words(const struct record *record, struct text *out);
// "out of bounds, line 7", or "…, line 12 of the PTX" where no line of the source is known; `file`: "…, FILE:7".
void record_finding_words(const struct sim_finding *finding, const char *file, struct text *out);

// ---- record_json.c ----------------------------------------------------------------------------------

void record_init(struct record *record); // nothing is known
void record_free(struct record *record);
json_t *record_to_json(const struct record *record);
bool record_from_json(struct record *out, const json_t *json, struct error *error);
json_t *record_counters_to_json(const struct record_counters *counters,
                                bool ncu);                   // ncu: under Nsight Compute's names
void record_counters_init(struct record_counters *counters); // all are not known
bool record_counters_from_json(struct record_counters *out, const json_t *json); // under the short names
enum { RECORD_COUNTERS = sizeof(struct record_counters) / sizeof(double) };
struct record_counter_name {
    const char *key, *ncu; // ncu: Nsight Compute's name; NULL: it has none
    size_t offset;         // in struct record_counters
};
struct record_counter_name record_counter(size_t index); // below RECORD_COUNTERS
double number_of(const json_t *object, const char *key); // of a workbook's event; 0 when it is not there

#endif
