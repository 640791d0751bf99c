// Regions of machine code are copies of blocks of PTX: of which ones, and how often each was executed. All executions of a
// PTX block are executions of one of its copies, so what is left after the copies whose number is known belongs to the
// others.
#include "engine/model/match.h"

#include <stdlib.h>
#include <string.h>

enum { REGIONS_MOST = 4096 };

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

// In how many loops more than the block the region lies; less than 0: in fewer. An assembler makes no loops: what it moved into one, such
// as the start of a counter, is no copy of a block that is executed less often. And what it moved out of one, such as the first
// addition of a sum, is executed less often than the block.
static int loops_beyond(const struct match *m, int region, int block)
{
    return graph_depth(&m->graph, region) - graph_depth(&m->f->graph, m->f->graph.region[block]);
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
    if (present * PRESENT_HALF < m->sums[block] || present <= 0 || loops_beyond(m, region, block) > 0)
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

enum { NOWHERE = -2, COPIED = -3 };

// The region around all words of each block, of those that were moved out of a loop or of the others.
static void find_around(const struct match *m, const struct mention *tallies, int count, bool moved_out,
                        int *around)
{
    for (int b = 0; b < m->f->graph.count; b++)
        around[b] = NOWHERE;
    for (int c = 0; c < m->copy_count; c++)
        around[m->copies[c].block] = COPIED;
    for (int i = 0; i < count; i++) {
        int block = block_of(m->f, tallies[i].instruction);
        if ((loops_beyond(m, tallies[i].region, block) < 0) != moved_out)
            continue;
        if (around[block] == NOWHERE)
            around[block] = tallies[i].region;
        else if (around[block] >= 0 && !tallies[i].guarded)
            around[block] = region_around(m, around[block], tallies[i].region);
    }
}

// Where each instruction of a block has a quick and a slow way, most of the block is in arms of its own: a copy of it
// is in the region around them. `around`: room for two regions of each block.
static void add_spread_copies(struct match *m, const struct mention *tallies, int count, int *around)
{
    int *late = around + m->f->graph.count;
    find_around(m, tallies, count, false, around);
    find_around(m, tallies, count, true, late);
    for (int b = 0; b < m->f->graph.count; b++) {
        int region = around[b] == NOWHERE ? late[b] : around[b];
        if (region < 0 || m->guarded[b] || m->pieces[region].copy_count || loops_beyond(m, region, b) > 0)
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
    m->copies = calloc((size_t)count + 1, sizeof *m->copies);
    m->by_block = malloc(((size_t)count + 1) * sizeof *m->by_block);
    int *around = malloc((2 * (size_t)m->f->graph.count + 1) * sizeof *around);
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

// Whether it is within a loop of which is not known yet how often it goes round.
static bool is_in_open_loop(const struct match *m, int region)
{
    int at = m->pieces[region].parent;
    while (at >= 0 && !m->pieces[at].set && !m->pieces[at].loop)
        at = m->pieces[at].parent;
    return at >= 0 && !m->pieces[at].set;
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
            bool repeats = piece->loop || is_in_open_loop(m, r);
            set_piece(m, r, !repeats && executed > most ? most : executed);
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

bool match_set_executions(struct match *m)
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
