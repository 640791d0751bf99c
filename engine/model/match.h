// Between the files that lay machine code beside PTX.
//
//   match.c          the parts of the code, the whole
//   match_copies.c   which blocks of PTX each region of machine code is a copy of, and how often it was executed
//   match_places.c   where each instruction stands in the machine code, in each iteration of an unrolled loop
#ifndef WARPBOOK_MATCH_H
#define WARPBOOK_MATCH_H

#include "engine/model/assembler.h"

struct block_copy { // of a PTX block in a region of machine code
    int region, block;
    float weight; // of those of its instructions that are there
    float count;  // how many copies
};
struct match_region { // a region of machine code
    int parent;
    bool loop, calls, set;
    double executed;
    bool holds;            // something whose executions are known, deeper down
    int first, copy_count; // its copies
};
struct match_call {
    int by, to; // PTX instruction, word
    double executed;
};
struct purpose { // the machine instructions that do what a PTX instruction is for: opcodes
    unsigned short from, to;
    bool memory; // of them, those of memory's pipe
    bool exact;  // there is one for each time
};
struct match {
    const struct lowering *f; // the PTX function that the part was made of
    const struct lowering *functions;
    size_t function_count;
    const struct cubin_code *code;
    const int *owner;   // the number of each PTX instruction's function
    const int *at_line; // the PTX instruction of each line, -1: none
    int lines;
    int from, to;                // words of the part
    double entries;              // how often it was entered
    struct graph graph;          // of the part
    int *block;                  // of each word of the part
    struct match_region *pieces; // one for each region
    struct block_copy *copies;   // by region
    int *by_block;               // numbers of copies, by block
    int *
        block_first; // of each PTX block of the function, the first of its own there; one more than there are blocks
    int copy_count;
    struct purpose *purposes; // of the PTX instructions of the module
    float *weights;           // of the same
    float *sums;              // of each PTX block of the function
    bool *guarded;            // PTX blocks of the function that are somewhere, as a whole, under a predicate
    bool *found;              // PTX instructions of the module that are in the part
    double *executions;       // of the PTX instructions of the module
    double *left;             // executions of each PTX block of the function that no copy has taken yet
    struct machine_code
        *made;      // for each PTX instruction of the module: machine instructions, all executions together
    double *called; // of each word of the code: how often calls lead there
    struct match_call *calls;
    int call_count;
    int *keys; // of each PTX instruction of the module: where it stands in the machine code, or -1
    // Of each PTX instruction of the module, the first word of the part that was made of it, and of each word the next one of
    // the same instruction; -1: none.
    int *first_word, *next_word;
    int *home; // of each PTX block of the function: the region that executes it most, or -1
};

// Whether a word does what a PTX instruction is for.
static inline bool does_it(const struct match *m, int instruction, const struct cubin_word *word)
{
    const struct purpose *purpose = &m->purposes[instruction];
    return word->opcode >= purpose->from && word->opcode <= purpose->to &&
           (!purpose->memory || word->pipe == PIPE_MEMORY);
}

static inline int block_of(const struct lowering *f, int instruction)
{
    return f->block[(size_t)instruction - f->first];
}

static inline bool belongs(const struct lowering *f, int instruction)
{
    return instruction >= 0 && (size_t)instruction >= f->first && (size_t)instruction < f->end;
}

static inline int from_line(const struct match *m, int line)
{
    return line > 0 && line < m->lines ? m->at_line[line] : -1;
}

static inline int piece_of(const struct match *m, int word)
{
    return m->graph.region[m->block[word - m->from]];
}

// The copies of a block: numbers from block_first on. NULL: that was the last one.
static inline const struct block_copy *copy_of(const struct match *m, int block, int number)
{
    int at = m->block_first[block] + number;
    return at < m->block_first[block + 1] ? &m->copies[m->by_block[at]] : NULL;
}

// ---- match_copies.c -------------------------------------------------------------------------------------------

// How often each region of the part was executed. False: no memory, or it is too large.
bool match_set_executions(struct match *m);

// ---- match_places.c -------------------------------------------------------------------------------------------

// Where each PTX instruction is in the part: `keys`, the places of unrolled iterations, and which blocks are joined.
void match_find_places(struct match *m);

#endif
