// Machine code laid beside the PTX that it was made of. The assembler notes which line of the PTX each machine
// instruction comes from; what has to be found out is how often each was executed, for it repeats the bodies of
// loops, executes short arms under a predicate and puts checks around all that.
//
// Both have regions of blocks that are executed equally often.
#include "engine/model/match.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MOST = 65536 };

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

// ---- to the PTX --------------------------------------------------------------------------------------------------

static void add_to(struct machine_code *made, const struct cubin_word *word, double executed)
{
    made->issues += (float)executed;
    made->stall += (float)executed * word->stall;
    if (word->looks_up)
        made->look_ups += (float)executed;
    if (word->pipe)
        made->on[word->pipe] += (float)executed * word->turns;
    for (int b = 0; b < REGISTER_BANKS; b++)
        made->reads[b] += (float)executed * word->reads[b];
    made->held += (float)executed * word->held;
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

static bool match_part(struct match *m)
{
    m->graph = (struct graph){ 0 };
    m->block = NULL;
    m->pieces = NULL;
    m->copies = NULL;
    m->by_block = NULL;
    m->copy_count = 0;
    bool ok = find_blocks(m) && match_set_executions(m);
    for (int i = m->from; ok && i < m->to; i++)
        add_made(m, i);
    if (ok)
        match_find_places(m);
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
    for (int b = 0; b < REGISTER_BANKS; b++) {
        to->reads[b] += from->reads[b] * part;
        from->reads[b] *= 1 - part;
    }
    to->held += from->held * part;
    from->held *= 1 - part;
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
        out->held = executed > 0 ? (float)(made->held / executed) : 0;
        for (int b = 0; b < REGISTER_BANKS; b++)
            out->reads[b] = executed > 0 ? (float)(made->reads[b] / executed) : 0;
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
