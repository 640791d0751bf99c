// Machine code laid beside the PTX that it was made of. The assembler notes which line of the PTX each machine
// instruction comes from; what has to be found out is how often each was executed, for it repeats the bodies of
// loops, executes short arms under a predicate and puts checks around all that.
//
// Both have regions of blocks that are executed equally often. All executions of a PTX block are executions of one of
// its copies, so what is left after the copies whose number is known belongs to the others.
#include "engine/model/assembler.h"

#include <stdlib.h>
#include <string.h>

enum { REGIONS_MOST = 4096, BLOCKS_MOST = 65536 };

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

// ---- what is executed how often, where nobody knows ---------------------------------------------------------------

enum { USUAL_ITERATIONS = 16 };

static void estimate(const struct lowering *f, double *out)
{
    for (size_t i = f->first; i < f->end; i++) {
        int region = f->graph.region[f->block[i - f->first]];
        double times = region >= 0;
        for (; region >= 0; region = f->graph.regions[region].parent)
            times *= f->graph.regions[region].loop ? USUAL_ITERATIONS : 1;
        out[i] = times;
    }
}

static bool was_executed(const struct lowering *f)
{
    for (size_t i = f->first; i < f->end && f->executions; i++)
        if (f->executions[i])
            return true;
    return false;
}

static void find_executions(const struct match *m)
{
    for (size_t k = 0; k < m->function_count; k++) {
        const struct lowering *f = &m->functions[k];
        if (!f->executions)
            estimate(f, m->executions);
        for (size_t i = f->first; i < f->end && f->executions; i++)
            m->executions[i] = (double)f->executions[i];
    }
}

// ---- how much an instruction says about where it is ----------------------------------------------------------------

// Division of 64-bit integers is a routine, called wherever it stands. Other divisions call one only for what their quick
// way cannot do.
static bool is_called(const struct sim_instruction *in)
{
    return (is(in, "div") || is(in, "rem")) && operands_kind(in, 0) == 'l';
}

// The machine instructions that do what an instruction is for, whatever else prepares it or comes after it.
static struct purpose purpose_of(const struct sim_instruction *in)
{
    static const struct {
        const char *base;
        unsigned short from, to;
    } known[] = {
        { "bar", 0x11d, 0x11d },  { "barrier", 0x11d, 0x11d }, { "shfl", 0x189, 0x189 },
        { "vote", 0x006, 0x006 }, { "match", 0x1a1, 0x1a1 },   { "redux", 0x1c4, 0x1c4 },
        { "call", 0x144, 0x144 }, { "div", 0x108, 0x108 },     { "rem", 0x108, 0x108 },
        { "sqrt", 0x108, 0x108 }, { "rcp", 0x108, 0x108 },     { "mma", 0x037, 0x03f },
    };
    if (is_called(in))
        return (struct purpose){ .exact = true, .from = CUBIN_CALL, .to = CUBIN_CALL };
    if (in->access == SIM_SHARED_ATOM)
        return (struct purpose){ .exact = true, .from = 0x18c, .to = 0x18d };
    if (in->access != SIM_ACCESSES)
        return (struct purpose){ .exact = true, .memory = true, .to = UINT16_MAX };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is(in, known[i].base))
            return (struct purpose){ .exact = true, .from = known[i].from, .to = known[i].to };
    return (struct purpose){ .to = UINT16_MAX };
}

// Whether a word does what a PTX instruction is for.
static bool does_it(const struct match *m, int instruction, const struct cubin_word *word)
{
    const struct purpose *purpose = &m->purposes[instruction];
    return word->opcode >= purpose->from && word->opcode <= purpose->to &&
           (!purpose->memory || word->pipe == PIPE_MEMORY);
}

static float weight_of(const struct sim_instruction *in, const struct machine_code *out, bool exact)
{
    static const char *const loose[] = { "bra", "mov", "cvta", "setp", "ret", "selp" };
    if (exact)
        return 16;
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++)
        if (is(in, loose[i]))
            return 0;
    if (operands_modified(in, "param"))
        return 0;
    char kind = operands_kind(in, 0);
    return out->issues <= 0 ? 0 : kind == 'f' || kind == 'd' || kind == 'h' ? 4 : 1;
}

static int block_of(const struct lowering *f, int instruction)
{
    return f->block[(size_t)instruction - f->first];
}

static bool belongs(const struct lowering *f, int instruction)
{
    return instruction >= 0 && (size_t)instruction >= f->first && (size_t)instruction < f->end;
}

static int from_line(const struct match *m, int line)
{
    return line > 0 && line < m->lines ? m->at_line[line] : -1;
}

// ---- the parts of the code: a kernel, and what it calls ------------------------------------------------------------

// The function that more than half of the words between `from` and `to` come from, as far as their lines say; NULL:
// there are no lines.
static const struct lowering *function_of(const struct match *m, int from, int to)
{
    int function = -1, ahead = 0;
    for (int i = from; i < to; i++) {
        int in = from_line(m, m->code->words[i].line);
        if (in < 0)
            continue;
        if (!ahead)
            function = m->owner[in];
        ahead += m->owner[in] == function ? 1 : -1;
    }
    return function < 0 ? NULL : &m->functions[function];
}

static bool ends_block(const struct cubin_word *word)
{
    return word->opcode == CUBIN_BRA || word->opcode == CUBIN_EXIT || word->opcode == CUBIN_RET ||
           (word->opcode >= 0x149 && word->opcode <= 0x14c) ||
           (word->opcode >= 0x157 && word->opcode <= 0x15a);
}

static void edges_of(struct match *m, int b)
{
    struct graph_block *block = &m->graph.blocks[b];
    const struct cubin_word *last = &m->code->words[m->from + block->end - 1];
    int after = b + 1 < m->graph.count ? b + 1 : GRAPH_END;
    block->next[0] = ends_block(last) && !last->guarded ? GRAPH_NONE : after;
    block->next[1] = GRAPH_NONE;
    if (last->opcode == CUBIN_BRA && last->target >= m->from && last->target < m->to)
        block->next[1] = m->block[last->target - m->from];
    else if (ends_block(last))
        block->next[1] = GRAPH_END;
}

static bool find_blocks(struct match *m)
{
    int count = m->to - m->from;
    bool *leads = calloc((size_t)count + 1, 1);
    m->block = malloc(((size_t)count + 1) * sizeof *m->block);
    m->graph.blocks = malloc(((size_t)count + 1) * sizeof *m->graph.blocks);
    bool ok = leads && m->block && m->graph.blocks;
    for (int i = 0; ok && i < count; i++) {
        const struct cubin_word *word = &m->code->words[m->from + i];
        if (word->opcode == CUBIN_BRA && word->target >= m->from && word->target < m->to)
            leads[word->target - m->from] = true;
        if (ends_block(word))
            leads[i + 1] = true;
    }
    for (int i = 0; ok && i < count; i++) {
        if (!i || leads[i])
            m->graph.blocks[m->graph.count++] = (struct graph_block){ .first = i };
        m->block[i] = m->graph.count - 1;
        m->graph.blocks[m->graph.count - 1].end = i + 1;
    }
    free(leads);
    for (int b = 0; ok && b < m->graph.count; b++)
        edges_of(m, b);
    return ok && m->graph.count <= BLOCKS_MOST && graph_analyse(&m->graph);
}

static int piece_of(const struct match *m, int word)
{
    return m->graph.region[m->block[word - m->from]];
}

// ---- copies ------------------------------------------------------------------------------------------------------

enum { PRESENT_HALF = 2, COUNTED_MOST = 64 };

// The copies of PTX blocks in a region: those of which at least half, by weight, is there and not only under a
// predicate.
struct mention {
    int instruction, region;
    bool guarded;
};

static int key_of(const struct mention *mention, bool by_region)
{
    return by_region ? mention->region : mention->instruction;
}

// Into another place by their keys, `keys` different ones from `first` on; those with the same key stay in order. `next`: room
// for one more than there are keys.
static void put_in_order(const struct mention *from, int count, bool by_region, int first, int keys,
                         int *next, struct mention *to)
{
    memset(next, 0, ((size_t)keys + 1) * sizeof *next);
    for (int i = 0; i < count; i++)
        next[key_of(&from[i], by_region) - first + 1]++;
    for (int k = 0; k < keys; k++)
        next[k + 1] += next[k];
    for (int i = 0; i < count; i++)
        to[next[key_of(&from[i], by_region) - first]++] = from[i];
}

// By region, those of a region by instruction. False: no memory.
static bool order_tallies(const struct match *m, struct mention *tallies, int count)
{
    int first = (int)m->f->first, instructions = (int)m->f->end - first, regions = m->graph.region_count;
    struct mention *other = calloc((size_t)count + 1, sizeof *other);
    int *next = malloc(((size_t)(instructions > regions ? instructions : regions) + 1) * sizeof *next);
    if (other && next) {
        put_in_order(tallies, count, false, first, instructions, next, other);
        put_in_order(other, count, true, 0, regions, next, tallies);
    }
    bool made = other && next;
    free(other);
    free(next);
    return made;
}

static int count_tallies(const struct match *m, struct mention *out)
{
    int count = 0;
    for (int i = m->from; i < m->to; i++) {
        int in = from_line(m, m->code->words[i].line), region = piece_of(m, i);
        if (region < 0 || !belongs(m->f, in) || m->weights[in] <= 0 || !does_it(m, in, &m->code->words[i]))
            continue;
        out[count++] = (struct mention){ in, region, m->code->words[i].guarded };
    }
    return count;
}

// One PTX instruction's words in one region.
struct mentions {
    int instruction, words, guarded;
};

static int by_count(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// An assembler makes no loops: what it moved into one, such as the start of a counter, is no copy of the block that is
// executed less often.
static bool is_deeper(const struct match *m, int region, int block)
{
    return graph_depth(&m->graph, region) > graph_depth(&m->f->graph, m->f->graph.region[block]);
}

static void add_copy(struct match *m, int region, int block, const struct mentions *seen, int count)
{
    float present = 0, under = 0, heaviest = 0, counts[COUNTED_MOST];
    int counted = 0;
    for (int i = 0; i < count; i++) {
        float weight = seen[i].guarded < seen[i].words ? m->weights[seen[i].instruction] : 0;
        present += weight;
        under += weight > 0 ? 0 : m->weights[seen[i].instruction];
        heaviest = weight > heaviest ? weight : heaviest;
    }
    m->guarded[block] = m->guarded[block] || (under * PRESENT_HALF >= m->sums[block] && under > 0);
    if (present * PRESENT_HALF < m->sums[block] || present <= 0 || is_deeper(m, region, block))
        return;
    for (int i = 0; i < count && counted < COUNTED_MOST; i++) {
        float each = m->purposes[seen[i].instruction].exact ? 1 : m->f->out[seen[i].instruction].issues;
        if (seen[i].guarded < seen[i].words && m->weights[seen[i].instruction] == heaviest)
            counts[counted++] = (float)(seen[i].words - seen[i].guarded) / (each > 1 ? each : 1);
    }
    qsort(counts, (size_t)counted, sizeof *counts, by_count);
    float copies = counts[counted / 2];
    struct match_region *piece = &m->pieces[region];
    if (!piece->copy_count++)
        piece->first = m->copy_count;
    m->copies[m->copy_count++] = (struct block_copy){ region, block, present, copies < 1 ? 1 : copies };
}

// A parent's number is less than its children's.
static int region_around(const struct match *m, int a, int b)
{
    while (a != b && a >= 0 && b >= 0)
        if (a > b)
            a = m->graph.regions[a].parent;
        else
            b = m->graph.regions[b].parent;
    return a < b ? a : b;
}

// Where each instruction of a block has a quick and a slow way, most of the block is in arms of its own: a copy of it
// is in the region around them. `around`: room for a region of each block.
static void add_spread_copies(struct match *m, const struct mention *tallies, int count, int *around)
{
    enum { NOWHERE = -2, COPIED = -3 };
    for (int b = 0; b < m->f->graph.count; b++)
        around[b] = NOWHERE;
    for (int c = 0; c < m->copy_count; c++)
        around[m->copies[c].block] = COPIED;
    for (int i = 0; i < count; i++) {
        int block = block_of(m->f, tallies[i].instruction);
        if (around[block] == NOWHERE)
            around[block] = tallies[i].region;
        else if (around[block] >= 0 && !tallies[i].guarded)
            around[block] = region_around(m, around[block], tallies[i].region);
    }
    for (int b = 0; b < m->f->graph.count; b++) {
        int region = around[b];
        if (region < 0 || m->guarded[b] || m->pieces[region].copy_count || is_deeper(m, region, b))
            continue;
        m->pieces[region].first = m->copy_count;
        m->pieces[region].copy_count = 1;
        m->copies[m->copy_count++] = (struct block_copy){ region, b, m->sums[b], 1 };
    }
}

static void index_copies(struct match *m)
{
    int blocks = m->f->graph.count;
    for (int b = 0; b <= blocks; b++)
        m->block_first[b] = 0;
    for (int c = 0; c < m->copy_count; c++)
        m->block_first[m->copies[c].block + 1]++;
    for (int b = 0; b < blocks; b++)
        m->block_first[b + 1] += m->block_first[b];
    for (int c = m->copy_count; c-- > 0;) // from behind, so that each block's are in order
        m->by_block[--m->block_first[m->copies[c].block + 1]] = c;
    for (int b = 0; b < blocks; b++)
        m->block_first[b] = m->block_first[b + 1];
    m->block_first[blocks] = m->copy_count;
}

static bool find_copies(struct match *m)
{
    int count = m->to - m->from;
    struct mention *tallies = calloc((size_t)count + 1, sizeof *tallies);
    struct mentions *seen = malloc(((size_t)count + 1) * sizeof *seen);
    m->copies = malloc(((size_t)count + 1) * sizeof *m->copies);
    m->by_block = malloc(((size_t)count + 1) * sizeof *m->by_block);
    int *around = malloc(((size_t)m->f->graph.count + 1) * sizeof *around);
    bool made = tallies && seen && m->copies && m->by_block && around;
    count = made ? count_tallies(m, tallies) : 0;
    if (!made || !order_tallies(m, tallies, count)) {
        free(tallies);
        free(seen);
        free(around);
        return false;
    }
    for (int i = 0; i < count;) { // instructions of one block follow each other in PTX, and so here
        int region = tallies[i].region, block = block_of(m->f, tallies[i].instruction), different = 0;
        for (; i < count && tallies[i].region == region && block_of(m->f, tallies[i].instruction) == block;
             i++) {
            if (!different || seen[different - 1].instruction != tallies[i].instruction)
                seen[different++] = (struct mentions){ .instruction = tallies[i].instruction };
            seen[different - 1].words++;
            seen[different - 1].guarded += tallies[i].guarded;
        }
        add_copy(m, region, block, seen, different);
    }
    add_spread_copies(m, tallies, count, around);
    free(tallies);
    free(seen);
    free(around);
    index_copies(m);
    return true;
}

// ---- how often each region was executed ----------------------------------------------------------------------------

static double executions_of(const struct match *m, int block)
{
    return m->executions[m->f->first + (size_t)m->f->graph.blocks[block].first];
}

// The copies of a block: numbers from block_first on. NULL: that was the last one.
static const struct block_copy *copy_of(const struct match *m, int block, int number)
{
    int at = m->block_first[block] + number;
    return at < m->block_first[block + 1] ? &m->copies[m->by_block[at]] : NULL;
}

static const struct block_copy *copy_in(const struct match *m, int region, int block)
{
    const struct match_region *piece = &m->pieces[region];
    for (int c = 0; c < piece->copy_count; c++)
        if (m->copies[piece->first + c].block == block)
            return &m->copies[piece->first + c];
    return NULL;
}

static void set_piece(struct match *m, int region, double executed)
{
    struct match_region *piece = &m->pieces[region];
    piece->set = true;
    piece->executed = executed > 0 ? executed : 0;
    for (int c = 0; c < piece->copy_count; c++) {
        const struct block_copy *copy = &m->copies[piece->first + c];
        double *left = &m->left[copy->block];
        *left -= piece->executed * (double)copy->count;
        *left = *left > 0 ? *left : 0;
    }
}

static double entries_of(const struct match *m, int region)
{
    int at = m->pieces[region].parent;
    while (at >= 0 && !m->pieces[at].set)
        at = m->pieces[at].parent;
    return at >= 0 ? m->pieces[at].executed : m->entries;
}

static int others_with(const struct match *m, int block, bool *loops)
{
    const struct block_copy *copy;
    int count = 0;
    *loops = false;
    for (int k = 0; (copy = copy_of(m, block, k)) != NULL; k++)
        if (!m->pieces[copy->region].set) {
            count++;
            *loops = *loops || m->pieces[copy->region].loop;
        }
    return count;
}

// Iterations in loops of several copies each, then the rest in fewer: a loop of 4, 2 more, one more. `mean`: per
// entry, of the unrolled loop. Where it is no whole number, entries differ, and a loop's last pass is missed by half
// of its copies on average.
static double passes(double mean, double copies, bool loop)
{
    double whole = (double)(long long)(mean + 0.005);
    bool equal = mean - whole < 0.01 && whole - mean < 0.01;
    double most =
        equal ? (double)(long long)(whole / copies + 1e-6) : mean / copies - (copies - 1) / (2 * copies);
    if (most < 0)
        most = 0;
    return loop || most < 1 ? most : 1;
}

// Shares out what is left of a PTX block among the regions that hold copies of it, one of which is a loop.
static void share_loop(struct match *m, int block)
{
    for (;;) {
        const struct block_copy *best = NULL, *copy;
        bool more = m->guarded[block]; // the last copy is executed under a predicate
        for (int k = 0; (copy = copy_of(m, block, k)) != NULL; k++) {
            if (m->pieces[copy->region].set)
                continue;
            more = more || best;
            if (!best || copy->count > best->count)
                best = copy;
        }
        if (!best)
            return;
        double entries = entries_of(m, best->region), left = m->left[block],
               executed = left / (double)best->count;
        if (more && entries > 0)
            executed = entries * passes(left / entries, (double)best->count, m->pieces[best->region].loop);
        set_piece(m, best->region, executed);
    }
}

// A region's own PTX block: the one that lies in the fewest other regions, and of these the one that says most.
static int own_block(const struct match *m, int region, int *others, bool *loops)
{
    const struct match_region *piece = &m->pieces[region];
    const struct block_copy *best = NULL;
    for (int c = 0; c < piece->copy_count; c++) {
        const struct block_copy *copy = &m->copies[piece->first + c];
        bool loop;
        int count = others_with(m, copy->block, &loop);
        if (best && (count > *others || (count == *others && copy->weight <= best->weight)))
            continue;
        best = copy;
        *others = count;
        *loops = loop;
    }
    return best ? best->block : -1;
}

static void set_by_copies(struct match *m)
{
    for (int r = 0; r < m->graph.region_count; r++) {
        struct match_region *piece = &m->pieces[r];
        int others = 0;
        bool loops = false;
        if (piece->set)
            continue;
        if (piece->parent < 0) {
            set_piece(m, r, m->entries);
            continue;
        }
        int block = own_block(m, r, &others, &loops);
        if (block < 0)
            continue;
        if (others > 1 && loops) {
            share_loop(m, block);
        } else {
            double copies = 0;
            const struct block_copy *copy;
            for (int k = 0; (copy = copy_of(m, block, k)) != NULL; k++)
                copies += m->pieces[copy->region].set ? 0 : (double)copy->count;
            double executed = m->left[block] / copies, most = entries_of(m, r);
            set_piece(m, r, !piece->loop && executed > most ? most : executed);
        }
    }
}

// What holds no copy: checks around loops, which are executed when what they guard is, quick and slow ways of one
// instruction.
static void set_the_rest(struct match *m)
{
    for (int r = m->graph.region_count; r-- > 0;) { // what lies within
        struct match_region *piece = &m->pieces[r];
        if (piece->parent < 0 || m->pieces[piece->parent].set)
            continue;
        double within = piece->executed;
        struct match_region *around = &m->pieces[piece->parent];
        around->executed = within > around->executed ? within : around->executed;
        around->holds = true;
    }
    for (int r = 0; r < m->graph.region_count; r++) {
        struct match_region *piece = &m->pieces[r];
        if (piece->set)
            continue;
        double most = piece->parent < 0 ? m->entries : m->pieces[piece->parent].executed;
        if (!piece->holds)
            piece->executed = piece->calls ? 0 : most;
        else if (piece->executed > most && !piece->loop)
            piece->executed = most;
        piece->set = true;
    }
}

static void add_sum(struct match *m, int word)
{
    int in = from_line(m, m->code->words[word].line);
    if (!belongs(m->f, in) || m->found[in] || !does_it(m, in, &m->code->words[word]))
        return;
    m->found[in] = true;
    m->sums[block_of(m->f, in)] += m->weights[in];
}

static bool set_executions(struct match *m)
{
    m->pieces = calloc((size_t)m->graph.region_count + 1, sizeof *m->pieces);
    if (!m->pieces || m->graph.region_count > REGIONS_MOST)
        return false;
    for (int r = 0; r < m->graph.region_count; r++) {
        m->pieces[r].parent = m->graph.regions[r].parent;
        m->pieces[r].loop = m->graph.regions[r].loop;
    }
    for (int i = m->from; i < m->to; i++)
        if (m->code->words[i].opcode == CUBIN_CALL && piece_of(m, i) >= 0)
            m->pieces[piece_of(m, i)].calls = true;
    for (int b = 0; b < m->f->graph.count; b++) {
        m->sums[b] = 0;
        m->guarded[b] = false;
        m->left[b] = executions_of(m, b);
    }
    for (int i = m->from; i < m->to;
         i++) // what was merged with a neighbour or computed otherwise is not missed
        add_sum(m, i);
    for (size_t i = m->f->first; i < m->f->end; i++)
        m->found[i] = false;
    if (!find_copies(m))
        return false;
    set_by_copies(m);
    set_the_rest(m);
    return true;
}

// ---- to the PTX --------------------------------------------------------------------------------------------------

static void add_to(struct machine_code *made, const struct cubin_word *word, double executed)
{
    made->issues += (float)executed;
    made->stall += (float)executed * word->stall;
    if (word->looks_up)
        made->look_ups += (float)executed;
    if (word->pipe)
        made->on[word->pipe] += (float)executed * word->turns;
    made->known = true;
    made->rank++; // words
}

// The words of a routine belong to the instructions that call it.
static bool add_to_callers(struct match *m, const struct cubin_word *word, double executed)
{
    bool called = false;
    for (int c = 0; c < m->call_count; c++) {
        const struct match_call *call = &m->calls[c];
        if (call->to != m->from || m->called[m->from] <= 0)
            continue;
        add_to(&m->made[call->by], word, executed * call->executed / m->called[m->from]);
        called = true;
    }
    return called;
}

static void add_made(struct match *m, int word)
{
    const struct cubin_word *w = &m->code->words[word];
    int region = piece_of(m, word), in = from_line(m, w->line);
    if (region < 0)
        return;
    double executed = m->pieces[region].executed;
    if (m->from && add_to_callers(m, w, executed))
        return;
    if (!belongs(m->f, in))
        in = (int)m->f->first;
    if (w->target >= 0 && w->opcode == CUBIN_CALL) {
        m->called[w->target] += executed;
        m->calls[m->call_count++] = (struct match_call){ in, w->target, executed };
    }
    add_to(&m->made[in], w, executed);
}

// ---- the order ---------------------------------------------------------------------------------------------------

static void find_homes(struct match *m)
{
    for (int b = 0; b < m->f->graph.count; b++) {
        const struct block_copy *copy;
        double most = -1;
        m->home[b] = -1;
        for (int k = 0; (copy = copy_of(m, b, k)) != NULL; k++) {
            double executed = m->pieces[copy->region].executed * (double)copy->count;
            if (executed > most) {
                most = executed;
                m->home[b] = copy->region;
            }
        }
    }
    for (int i = m->from; i < m->to; i++) { // under a predicate: where the first of it is
        int in = from_line(m, m->code->words[i].line);
        if (belongs(m->f, in) && m->home[block_of(m->f, in)] < 0)
            m->home[block_of(m->f, in)] = piece_of(m, i);
    }
}

// Where the first copy of each instruction is: the word that does it, else the first one that was made of it.
static void find_keys(struct match *m)
{
    find_homes(m);
    for (int pass = 0; pass < 2; pass++)
        for (int i = m->to; i-- > m->from;) {
            int in = from_line(m, m->code->words[i].line);
            if (belongs(m->f, in) && m->home[block_of(m->f, in)] == piece_of(m, i) &&
                (!pass || does_it(m, in, &m->code->words[i])))
                m->keys[in] = i;
        }
}

static void index_words(const struct match *m)
{
    for (size_t i = m->f->first; i < m->f->end; i++)
        m->first_word[i] = -1;
    for (int i = m->to; i-- > m->from;) {
        int in = from_line(m, m->code->words[i].line);
        if (!belongs(m->f, in))
            continue;
        m->next_word[i] = m->first_word[in];
        m->first_word[in] = i;
    }
}

// The words that an instruction's iterations are laid beside: those in the region, and of these what it is for, if any word does
// that. The first one from `word` on, -1: there is none.
static int word_of_iterations(const struct match *m, int instruction, int word, int region)
{
    while (word >= 0 && (piece_of(m, word) != region ||
                         (m->purposes[instruction].exact && !does_it(m, instruction, &m->code->words[word]))))
        word = m->next_word[word];
    return word;
}

static int first_of_iterations(const struct match *m, int instruction, int region)
{
    return word_of_iterations(m, instruction, m->first_word[instruction], region);
}

static int next_of_iterations(const struct match *m, int instruction, int word, int region)
{
    return word_of_iterations(m, instruction, m->next_word[word], region);
}

// Counting and going round by the loop's branch, which an assembler does once for all iterations. Other comparisons are the
// iterations' own.
static bool goes_on(const struct sim_instruction *in, const struct sim_instruction *round)
{
    if (is(in, "setp")) // a guard is the last of what a branch reads
        return round->guarded && round->read_count && in->write_count &&
               in->writes[0] == round->reads[round->read_count - 1];
    return in == round || (in->immediate >= 0 && (is(in, "add") || is(in, "sub")));
}

enum { ANY = -1 };

// The opcode of which there are as many words as iterations, where others have the instruction's line too, as what moves one of
// its values; ANY: there is none.
static int opcode_of_iterations(const struct match *m, int instruction, int region, int iterations)
{
    short words[CUBIN_DIVIDED + 1] = { 0 }; // of each opcode
    int first = first_of_iterations(m, instruction, region);
    for (int i = first; i >= 0; i = next_of_iterations(m, instruction, i, region))
        if (words[m->code->words[i].opcode] < INT16_MAX)
            words[m->code->words[i].opcode]++;
    for (int i = first; i >= 0; i = next_of_iterations(m, instruction, i, region))
        if (words[m->code->words[i].opcode] == iterations)
            return m->code->words[i].opcode;
    return ANY;
}

// An instruction's words are those of the first iteration, of the second, and so on; those of one opcode, where these are as
// many as iterations. Where all are fewer, it is not known whose they are; what goes on to the next iterations is where its last
// word is.
static void find_places(const struct match *m, int instruction, int round, int region, int iterations)
{
    struct machine_code *out = &m->f->out[instruction];
    bool once = goes_on(&m->f->code[instruction], &m->f->code[round]);
    int count = 0, seen = 0, last = -1, opcode = ANY, first = first_of_iterations(m, instruction, region);
    for (int k = 0; k < iterations; k++)
        out->place[k] = -1;
    for (int i = first; i >= 0; i = next_of_iterations(m, instruction, i, region))
        count++;
    if (count > iterations)
        opcode = opcode_of_iterations(m, instruction, region, iterations);
    count = opcode == ANY ? count : iterations;
    for (int i = first; i >= 0; i = next_of_iterations(m, instruction, i, region)) {
        if (opcode != ANY && m->code->words[i].opcode != opcode)
            continue;
        short *place = &out->place[seen++ * iterations / count];
        last = i - m->from < INT16_MAX ? i - m->from : INT16_MAX;
        if (count >= iterations && *place < 0)
            *place = (short)last;
    }
    for (int k = 0; k < iterations && count < iterations && once; k++)
        out->place[k] = (short)last;
}

// Each load of a matrix and each product of matrices is several words, which look like those of several iterations.
static bool multiplies_matrices(const struct match *m, int from, int to)
{
    for (int i = from; i < to; i++)
        if (is(&m->f->code[i], "wmma"))
            return true;
    return false;
}

static void find_unrolled(struct match *m)
{
    bool indexed = false;
    for (int b = 0; b < m->f->graph.count; b++) {
        const struct graph_block *block = &m->f->graph.blocks[b];
        int from = (int)m->f->first + block->first, to = (int)m->f->first + block->end;
        const struct block_copy *copy = m->home[b] < 0 ? NULL : copy_in(m, m->home[b], b);
        int copies = copy ? (int)(copy->count + 0.5f) : 0;
        m->f->out[from].unrolled = 0;
        if (copies <= 1 || copies > UNROLLED_PLACES || (block->next[0] != b && block->next[1] != b) ||
            multiplies_matrices(m, from, to))
            continue;
        if (!indexed)
            index_words(m);
        indexed = true;
        m->f->out[from].unrolled = copies;
        m->f->out[from].placed = true;
        for (int i = from; i < to; i++)
            find_places(m, i, to - 1, m->home[b], copies);
    }
}

// Of a PTX block's accesses, where the first or the last is in the machine code; -1: it has none there.
static int place_of_access(const struct match *m, int block, bool last)
{
    const struct graph_block *b = &m->f->graph.blocks[block];
    int place = -1;
    for (int k = (int)m->f->first + b->first; k < (int)m->f->first + b->end; k++)
        if (m->f->code[k].access != SIM_ACCESSES && m->keys[k] >= m->from && m->keys[k] < m->to &&
            (place < 0 || (m->keys[k] > place) == last))
            place = m->keys[k];
    return place;
}

static int loop_of(const struct lowering *f, int block)
{
    int region = f->graph.region[block];
    return region < 0 ? -1 : f->graph.regions[region].iterated;
}

// An arm whose accesses are in the machine block of those before it is executed under a predicate. A block without
// accesses is in neither's way.
static void find_joined(struct match *m)
{
    const struct lowering *f = m->f;
    int latest = place_of_access(m, 0, true);
    for (int b = 1; b < f->graph.count; b++) {
        struct machine_code *first = &f->out[f->first + (size_t)f->graph.blocks[b].first];
        int begin = place_of_access(m, b, false), end = place_of_access(m, b, true);
        bool together = begin < 0 || (latest >= 0 && m->home[b] >= 0 &&
                                      m->block[begin - m->from] <= m->block[latest - m->from]);
        first->joined = together && loop_of(f, b) == loop_of(f, b - 1);
        latest = begin < 0 && first->joined ? latest : end;
    }
    for (int b = 0; b < f->graph.count; b++) // a loop is entered from its end, too
        for (int e = 0; e < GRAPH_EDGES; e++) {
            int to = f->graph.blocks[b].next[e];
            if (to >= 0 && to <= b)
                f->out[f->first + (size_t)f->graph.blocks[to].first].joined = false;
        }
}

static bool match_part(struct match *m)
{
    m->graph = (struct graph){ 0 };
    m->block = NULL;
    m->pieces = NULL;
    m->copies = NULL;
    m->by_block = NULL;
    m->copy_count = 0;
    bool ok = find_blocks(m) && set_executions(m);
    for (int i = m->from; ok && i < m->to; i++)
        add_made(m, i);
    if (ok) {
        find_keys(m);
        find_unrolled(m);
        find_joined(m);
    }
    free(m->pieces);
    free(m->copies);
    free(m->by_block);
    free(m->block);
    graph_free(&m->graph);
    return ok;
}

static bool match_kernel(struct match *m)
{
    int count = m->code->count;
    m->called = calloc((size_t)count + 1, sizeof *m->called);
    m->calls = calloc((size_t)count + 1, sizeof *m->calls);
    m->call_count = 0;
    m->next_word = malloc(((size_t)count + 1) * sizeof *m->next_word);
    bool *begins = calloc((size_t)count + 1, 1);
    bool ok = m->called && m->calls && m->next_word && begins;
    for (int i = 0; ok && i < count; i++)
        if (m->code->words[i].opcode == CUBIN_CALL && m->code->words[i].target > 0)
            begins[m->code->words[i].target] = true;
    for (int from = 0; ok && from < count; from = m->to) {
        m->from = from;
        for (m->to = from + 1; m->to < count && !begins[m->to]; m->to++)
            ;
        m->f = function_of(m, m->from, m->to);
        if (!m->f)
            continue;
        m->entries = from ? m->called[from] : m->executions[m->f->first];
        ok = match_part(m);
    }
    free(m->called);
    free(m->calls);
    free(m->next_word);
    free(begins);
    return ok;
}

// The PTX instruction that `in` is executed because of: the branch before its block, or the last one of the block
// that dominates it.
static int cause_of(const struct lowering *f, int in)
{
    int dominator = f->graph.dominator[block_of(f, in)];
    return dominator < 0 ? -1 : (int)f->first + f->graph.blocks[dominator].end - 1;
}

// `excess` of its machine instructions, first those that no pipe has to do with.
static void move_made(struct machine_code *from, struct machine_code *to, double excess)
{
    double piped = 0;
    for (int p = 0; p < PIPES; p++)
        piped += from->on[p];
    double idle = from->issues - piped, rest = excess > idle ? excess - idle : 0;
    float part = piped > 0 && rest > 0 ? (float)(rest / piped) : 0;
    float stall = from->stall * (float)excess / from->issues;
    to->issues += (float)excess;
    from->issues -= (float)excess;
    to->stall += stall;
    from->stall -= stall;
    for (int p = 0; p < PIPES; p++) {
        to->on[p] += from->on[p] * part;
        from->on[p] *= 1 - part;
    }
    to->known = true;
    to->rank += from->rank;
}

// An instruction becomes at most as many machine instructions as were written for it; those that were executed more
// often, under a predicate that was false, belong to the condition.
static void settle(struct match *m, const struct lowering *f)
{
    for (size_t i = f->end; i-- > f->first;) {
        struct machine_code *made = &m->made[i];
        double most = m->executions[i] * (made->rank > 0 ? made->rank : 1);
        int cause = cause_of(f, (int)i);
        if (made->issues > most * 1.001 && cause >= 0 && cause < (int)i)
            move_made(made, &m->made[cause], (double)made->issues - most);
    }
    for (size_t i = f->first; i < f->end; i++) {
        struct machine_code *out = &f->out[i];
        const struct machine_code *made = &m->made[i];
        double executed = m->executions[i];
        bool tensor = out->on[PIPE_TENSOR] > 0; // whose products the PTX tells
        out->known = out->known || made->known;
        out->issues = executed > 0 ? (float)(made->issues / executed) : 0;
        out->stall = executed > 0 ? (float)(made->stall / executed) : 0;
        out->look_ups = executed > 0 ? (float)(made->look_ups / executed) : 0;
        for (int p = 0; p < (tensor ? PIPE_TENSOR : PIPES); p++)
            out->on[p] = executed > 0 && made->on[p] != 0 ? (float)(made->on[p] / executed) : 0;
    }
}

enum { MERGED_WITHIN = 64 };

// A load that was merged with a neighbour, four words to one instruction of 128 bits, is where that one is.
static void find_merged(const struct match *m, const struct lowering *f)
{
    for (size_t i = f->first; i < f->end; i++) {
        const struct sim_instruction *in = &f->code[i];
        if (in->access == SIM_ACCESSES || m->keys[i] >= 0 || !in->read_count)
            continue;
        for (size_t k = i;
             k-- > f->first && i - k < MERGED_WITHIN && block_of(f, (int)k) == block_of(f, (int)i);)
            if (f->code[k].access == in->access && m->keys[k] >= 0 && f->code[k].read_count &&
                f->code[k].reads[0] == in->reads[0]) {
                m->keys[i] = m->keys[k];
                break;
            }
    }
}

// ---- the module --------------------------------------------------------------------------------------------------

// The text of the PTX stands in the machine code: it has to be the same.
static bool is_same_ptx(const struct match *m, const struct cubin *cubin, const struct sim_instruction *code)
{
    int line = 1, same = 0, other = 0;
    for (size_t at = 0; at < cubin->ptx_bytes; line++) {
        const char *text = cubin->ptx + at;
        size_t length = strnlen(text, cubin->ptx_bytes - at);
        int in = from_line(m, line);
        if (in >= 0) {
            size_t word = strcspn(code[in].text, " \t");
            size_t blanks = 0;
            while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
                blanks++;
            bool begins = blanks + word <= length && memcmp(text + blanks, code[in].text, word) == 0;
            bool found =
                word && length >= word && (begins || memmem(text, length, code[in].text, word) != NULL);
            same += found;
            other += !found;
        }
        at += length + 1;
    }
    return same && same >= 20 * other;
}

static bool find_lines(struct match *m, int **at_line, int **owner)
{
    const struct sim_instruction *code = m->functions[0].code;
    size_t end = m->functions[m->function_count - 1].end;
    for (size_t i = 0; i < end; i++)
        m->lines = code[i].ptx_line >= m->lines ? code[i].ptx_line + 1 : m->lines;
    *at_line = malloc(((size_t)m->lines + 1) * sizeof **at_line);
    *owner = malloc((end + 1) * sizeof **owner);
    m->at_line = *at_line;
    m->owner = *owner;
    for (size_t k = 0; *owner && k < m->function_count; k++)
        for (size_t i = m->functions[k].first; i < m->functions[k].end; i++)
            (*owner)[i] = (int)k;
    for (int l = 0; *at_line && l < m->lines; l++)
        (*at_line)[l] = -1;
    for (size_t i = end; *at_line && i-- > 0;)
        if (code[i].ptx_line > 0 && code[i].text[0] != '}')
            (*at_line)[code[i].ptx_line] = (int)i;
    return *at_line && *owner;
}

bool match_code(struct lowering *functions, size_t function_count, const struct cubin *cubin)
{
    struct match m = { .functions = functions, .function_count = function_count };
    size_t count = function_count ? functions[function_count - 1].end : 0, blocks = 0;
    int *at_line = NULL, *owner = NULL;
    bool matched = false;
    for (size_t k = 0; k < function_count; k++)
        blocks = (size_t)functions[k].graph.count > blocks ? (size_t)functions[k].graph.count : blocks;
    m.purposes = calloc(count + 1, sizeof *m.purposes);
    m.weights = calloc(count + 1, sizeof *m.weights);
    m.executions = calloc(count + 1, sizeof *m.executions);
    m.made = calloc(count + 1, sizeof *m.made);
    m.sums = calloc(blocks + 1, sizeof *m.sums);
    m.found = calloc(count + 1, sizeof *m.found);
    m.guarded = calloc(blocks + 1, sizeof *m.guarded);
    m.left = calloc(blocks + 1, sizeof *m.left);
    m.home = calloc(blocks + 1, sizeof *m.home);
    m.block_first = calloc(blocks + 2, sizeof *m.block_first);
    m.keys = calloc(count + 1, sizeof *m.keys);
    m.first_word = malloc((count + 1) * sizeof *m.first_word);
    bool ok = count && m.purposes && m.weights && m.executions && m.made && m.sums && m.found && m.guarded &&
              m.left && m.home && m.block_first && m.keys && m.first_word &&
              find_lines(&m, &at_line, &owner) && is_same_ptx(&m, cubin, functions[0].code);
    if (ok)
        find_executions(&m);
    for (size_t i = 0; ok && i < count; i++) {
        m.purposes[i] = purpose_of(&functions[0].code[i]);
        m.weights[i] = weight_of(&functions[0].code[i], &functions[0].out[i], m.purposes[i].exact);
        m.keys[i] = -1;
    }
    for (int c = 0; c < cubin->count && ok; c++) {
        m.code = &cubin->codes[c];
        ok = match_kernel(&m);
    }
    for (size_t k = 0; k < function_count && ok; k++) {
        double made = 0;
        for (size_t i = functions[k].first; i < functions[k].end; i++)
            made += m.made[i].rank;
        if (made > 0 && (was_executed(&functions[k]) || !functions[k].executions)) {
            matched = true;
            settle(&m, &functions[k]);
            find_merged(&m, &functions[k]);
            ok = functions[k].ordered = order_blocks(&functions[k], m.keys);
        }
    }
    free(at_line);
    free(owner);
    free(m.purposes);
    free(m.weights);
    free(m.executions);
    free(m.made);
    free(m.sums);
    free(m.found);
    free(m.guarded);
    free(m.left);
    free(m.home);
    free(m.block_first);
    free(m.keys);
    free(m.first_word);
    return ok && matched;
}
