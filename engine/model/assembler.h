// PTX and what an assembler makes of it: what the files share that count machine instructions.
//
//   graph.c      basic blocks: dominators, loops, and the regions that are executed equally often
//   operands.c   the operands of an instruction, read from its text
//   lowering.c   what an assembler makes of each instruction, by a table and by what it puts together (lowering.h)
//   order.c      the order in which it issues a block
//   cubin.c      machine code, read
//   match.c      machine code laid beside the PTX: how often each of its instructions was executed, and for which of PTX
//                (match.h)
#ifndef WARPBOOK_ASSEMBLER_H
#define WARPBOOK_ASSEMBLER_H

#include <string.h>

#include "engine/model/cubin.h"

// ---- graph.c -------------------------------------------------------------------------------------------------

enum { GRAPH_EDGES = 2, GRAPH_NONE = -1, GRAPH_END = -2 };
// Instructions [first, end) that follow each other, and the blocks that control goes on to; GRAPH_END: it leaves the
// function.
struct graph_block {
    int first, end;
    int next[GRAPH_EDGES];
};
// Blocks that are executed equally often by a warp whose paths meet again: the blocks of a function that no condition
// guards, or of one iteration of a loop, or of one arm of a condition. They form a tree, in which a parent comes
// before its children.
struct graph_region {
    int parent; // -1: of the whole function
    int entry;  // its first block
    bool loop;
    int iterated; // the region of the innermost loop that holds it, itself if it is one; -1: none
};
struct graph {
    struct graph_block *blocks;
    int count;
    int *order,
        *place; // blocks in reverse postorder, those that can be reached; the place of each there, or -1
    int ordered;
    int *dominator, *postdominator; // immediate; -1: none
    int *region;                    // of each block; -1: it cannot be reached
    struct graph_region *regions;
    int region_count;
};
// Takes the blocks, which the graph frees; block 0 is the entry. False: no memory.
bool graph_analyse(struct graph *graph);
void graph_free(struct graph *graph);
// The region is `within` or lies below it.
bool graph_region_below(const struct graph *graph, int region, int within);
int graph_depth(const struct graph *graph, int region); // how many loops are around it

// ---- words of PTX --------------------------------------------------------------------------------------------

// Most words that are compared differ in their first two letters; none is empty.
static inline bool is_word(const char *word, const char *other)
{
    return word[0] == other[0] && word[1] == other[1] && !strcmp(word, other);
}

static inline bool is(const struct sim_instruction *in, const char *base)
{
    return is_word(in->base, base);
}

// ---- operands.c ----------------------------------------------------------------------------------------------

enum { OPERANDS_MOST = 8 };
struct operands {
    struct {
        const char *at;
        int length;
    } item[OPERANDS_MOST];
    int count;
};
void operands_read(const struct sim_instruction *in, struct operands *out);
bool operands_modified(const struct sim_instruction *in, const char *modifier);
bool operands_constant(const struct operands *operands, int which, long long *out);
// 'i' a word of at most 32 bits, 'l' one of 64, 'f' and 'd' floating bits, 'h' half of them, 'p' a predicate; 0: it
// has no type. The last of the types that are written, or the one `before` it.
char operands_kind(const struct sim_instruction *in, int before);
bool operands_signed(const struct sim_instruction *in);

// ---- lowering.c ----------------------------------------------------------------------------------------------

struct lowering {
    const struct sim_instruction *code; // of the module
    size_t first, end;                  // the function
    const uint64_t *executions;         // NULL: not known
    const struct gpu_figures *gpu;      // NULL: not known
    struct graph graph;
    int *block; // of each instruction, counted from `first`
    struct machine_code *out;
    bool ordered; // the blocks are, as in the machine code
};
// The blocks of one function, and where they lead. False: no memory.
bool lowering_open(struct lowering *lowering);
void lowering_close(struct lowering *lowering);
bool lowering_count(struct lowering *lowering);

// ---- order.c -------------------------------------------------------------------------------------------------

// `keys`: where each instruction of the module stands in the machine code, -1: nowhere; NULL: there is none.
bool order_blocks(const struct lowering *lowering, const int *keys);

// ---- match.c -------------------------------------------------------------------------------------------------

// Corrects what the table says of the functions by the machine code that was made of them, and orders their blocks. False: it was made of
// other code, or there is no memory.
bool match_code(struct lowering *functions, size_t function_count, const struct cubin *cubin);

#endif
