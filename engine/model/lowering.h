// A function while an assembler's work on it is imitated: what is known of its values, and the machine instructions
// so far.
//
//   table.c      what each instruction becomes alone
//   lowering.c   the values, constants, parameters; the whole
//   fuse.c       what is put together
//   control.c    branches and loops
#ifndef WARPBOOK_LOWERING_H
#define WARPBOOK_LOWERING_H

#include "engine/model/assembler.h"

struct value { // one register of the function
    int definitions, uses;
    int definition; // the last of them
    bool narrow;    // an address in shared or local memory, which is computed in 32 bits
    bool uniform;   // the same in all threads of a block
    bool address;   // only loads and stores use it
    int multiple;   // an address is one of this power of 2, up to 16
    bool joined;    // its instruction does the work of another one too
    bool half;      // its upper 32 bits are known to be 0
};
struct lower {
    const struct lowering *of;
    const struct sim_instruction *code;
    struct machine_code *out;
    int first, end;
    struct value *values;
    int value_count;
    bool *dead;
    struct lowering_rows *rows;
};

// ---- table.c -------------------------------------------------------------------------------------------------

struct lowering_row {
    const char *base, *with; // with: this modifier; NULL: any
    const char *kinds;       // of its type, as operands_kind says; NULL: any
    float issues;
    enum pipe pipe;
    float piped; // of them
    struct {
        unsigned char alu, special, dbl;
    } chain;
    enum pipe other;
    float other_piped;
};
// The table's rows by the first letter of their words, each letter's in the table's order: which is the first, and which
// comes after each; LOWERING_ROWS: none. All 0: to be made.
enum { LOWERING_ROWS = 168, LOWERING_LETTERS = 32 };
struct lowering_rows {
    bool made;
    unsigned char first[LOWERING_LETTERS], next[LOWERING_ROWS];
};
// NULL: there is none.
const struct lowering_row *lowering_row(struct lowering_rows *by, const struct sim_instruction *in);

// ---- fuse.c --------------------------------------------------------------------------------------------------

void lower_fuse(struct lower *l);

// ---- control.c -----------------------------------------------------------------------------------------------

void lower_control(struct lower *l);

// ---- what all ask --------------------------------------------------------------------------------------------

static inline bool is_dead(const struct lower *l, int i)
{
    return l->dead[i - l->first];
}

static inline float figure(double figure, float usual)
{
    return figure > 0 ? (float)figure : usual;
}

static inline void spend(struct machine_code *out, float issues, enum pipe pipe)
{
    out->issues += issues;
    if (pipe)
        out->on[pipe] += issues;
}

static inline void nothing(struct machine_code *out)
{
    *out = (struct machine_code){
        .known = true, .rank = out->rank, .joined = out->joined, .unrolled = out->unrolled
    };
}

static inline void scale(struct machine_code *out, float by)
{
    out->issues *= by;
    for (int p = 0; p < PIPES; p++)
        out->on[p] *= by;
}

static inline bool moves_memory(const struct sim_instruction *in)
{
    return in->access != SIM_ACCESSES;
}

static inline bool in_shared(const struct sim_instruction *in)
{
    return in->access == SIM_SHARED_LOAD || in->access == SIM_SHARED_STORE || in->access == SIM_SHARED_ATOM ||
           in->access == SIM_LOCAL_LOAD || in->access == SIM_LOCAL_STORE;
}

// The register that holds its address, -1: none.
static inline int address_of(const struct sim_instruction *in)
{
    return moves_memory(in) && strchr(in->text, '%') && in->read_count > (in->guarded ? 1 : 0) ? in->reads[0]
                                                                                               : -1;
}

// The numbers of its first result and of its guard; where it has none, that of a value which nothing defines or uses.
static inline int result_of(const struct lower *l, const struct sim_instruction *in)
{
    return in->write_count ? in->writes[0] : l->value_count;
}

static inline int guard_of(const struct lower *l, const struct sim_instruction *in)
{
    return in->guarded && in->read_count ? in->reads[in->read_count - 1] : l->value_count;
}

static inline int reads_of(const struct sim_instruction *in) // without the guard
{
    return in->read_count - (in->guarded && in->read_count ? 1 : 0);
}

static inline const struct sim_instruction *only_definition(const struct lower *l, int value)
{
    const struct value *v = &l->values[value];
    return v->definitions == 1 ? &l->code[v->definition] : NULL;
}

static inline int block_of(const struct lower *l, int i)
{
    return l->of->block[i - l->first];
}

#endif
