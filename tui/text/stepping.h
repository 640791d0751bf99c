// Stepping in words: what `warpbook sim --step` prints and the step page shows, said once.
#ifndef WARPBOOK_WALK_H
#define WARPBOOK_WALK_H

#include "engine/base/base.h"
#include "engine/sim/sim.h"
#include "tui/draw/draw.h"

enum { WALK_LANES = 32 };
// Why a move did not get there, now that it is at `spot`; NULL: it did.
const char *walk_arrival(enum sim_arrival arrival, const struct sim_spot *spot);
enum go {
    GO_OPEN, // the step page's own: the first launch is begun
    GO_FORWARD,
    GO_BACK,
    GO_LINE,
    GO_LINE_BACK,
    GO_BARRIER,
    GO_MATRIX,
    GO_CONFLICT,
    GO_FINDING,
    GO_START, // of the launch
    GO_END,
    GO_WARP
};
struct move {
    enum go go;
    uint64_t steps, block;
    uint32_t warp;
};
// The word of a move as a number; NULL: `otherwise`. False: it is none.
bool walk_number(const char *word, uint64_t otherwise, uint64_t *out);
// Within the launch. The start and the end are where GO_START and GO_END arrive.
enum sim_arrival walk_move(struct sim_trace *trace, const struct move *move);
const char *walk_end(const struct sim_spot *spot); // how the launch ended: "the end of the launch"
const char *walk_trimmed(const char *ptx);         // without what it is indented by; "?" for NULL
// "block 3 (3,0,0) of 64, warp 1 of 8"
void walk_add_who(struct text *out, const struct sim_spot *spot);
// "active 31 of 32 lanes"
void walk_add_active(struct text *out, const struct sim_spot *spot);

enum walk_format { WALK_AS_USED, WALK_UNSIGNED, WALK_SIGNED, WALK_FLOAT, WALK_HEX, WALK_FORMATS };
extern const char *const walk_formats[WALK_FORMATS];
// `bytes` of the value; `is` matters as it is used only.
void walk_add_value(struct text *out, enum walk_format format, enum sim_number is, unsigned bytes,
                    uint64_t bits);
bool walk_uniform(const struct sim_register *reg); // the same in all lanes

// What a variable holds in a lane: "3", "&a[12]", "null". False: it has no value there, and nothing is added.
bool walk_add_variable(struct text *out, enum walk_format format, const struct sim_variable *variable,
                       int lane);
// Why it has none: "no value yet".
const char *walk_no_value(const struct sim_variable *variable);
bool walk_same(const struct sim_variable *variable); // in all lanes that have a value

bool walk_is_shared(const struct sim_touched *touched);
// "shared store of 4 bytes per lane by 32 lanes"
void walk_add_touched(struct text *out, const struct sim_touched *touched);
// "2 wavefronts, 1 would do, 1 conflict"
void walk_add_cost(struct text *out, const struct sim_touched *touched);
// "lane  3: shared tile[24] at 0x60, bank 24, wrote 0x3"
void walk_add_touched_lane(struct text *out, const struct sim_touched *touched, int lane);

// "goes on at ptx 31 (line 12), meets its sisters at ptx 40"
void walk_add_path(struct text *out, const struct sim_path *path);
// "warp  1: waits at barrier 0, ptx 31, line 12"
void walk_add_warp(struct text *out, size_t index, const struct sim_warp *warp);
// "error: race in shared memory, FILE:12, 3 times"; the sentence follows on the next line.
void walk_add_finding(struct text *out, const struct sim_finding *finding, const char *file);

// ---- matrices.c ----

// Tables of what sim_trace_matrices gave, with the cells of one lane marked; `other` says how one chooses another lane.
// `sparsity`: of a sparse product, else NULL.
struct sheet walk_matrices(const struct sim_matrix *matrices, size_t count,
                           const struct sim_sparsity *sparsity, int lane, const char *other, int width,
                           bool utf8);

#endif
