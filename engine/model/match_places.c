// Where each instruction of PTX stands in the machine code, so that its order can be taken: once, or in each of the iterations
// of a loop that the assembler unrolled.
#include "engine/model/match.h"

#include <string.h>

// ---- homes and keys ----------------------------------------------------------------------------------------------

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
    for (int pass = 0; pass < 2; pass++)
        for (int i = m->to; i-- > m->from;) {
            int in = from_line(m, m->code->words[i].line);
            if (belongs(m->f, in) && m->home[block_of(m->f, in)] == piece_of(m, i) &&
                (!pass || does_it(m, in, &m->code->words[i])))
                m->keys[in] = i;
        }
}

// ---- iterations that are issued as one ---------------------------------------------------------------------------

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

static const struct block_copy *copy_in(const struct match *m, int region, int block)
{
    const struct match_region *piece = &m->pieces[region];
    for (int c = 0; c < piece->copy_count; c++)
        if (m->copies[piece->first + c].block == block)
            return &m->copies[piece->first + c];
    return NULL;
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

// ---- arms under a predicate --------------------------------------------------------------------------------------

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

void match_find_places(struct match *m)
{
    find_homes(m);
    find_keys(m);
    find_unrolled(m);
    find_joined(m);
}
