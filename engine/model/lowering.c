// What an assembler makes of each PTX instruction, where no machine code says it: by a table, and by what is known of
// how it computes addresses, reads parameters and special registers, and leaves out what nobody uses.
#include "engine/model/lowering.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what is known of the values ---------------------------------------------------------------------------------

static bool has_effect(const struct sim_instruction *in)
{
    static const char *const pure[] = {
        "add",  "sub",  "mul",  "mad", "fma",  "div",  "rem",   "rcp",  "sqrt", "rsqrt", "ex2",
        "lg2",  "sin",  "cos",  "min", "max",  "abs",  "neg",   "and",  "or",   "xor",   "not",
        "lop3", "shl",  "shr",  "shf", "prmt", "bfe",  "bfi",   "popc", "clz",  "brev",  "mov",
        "cvt",  "cvta", "setp", "set", "selp", "slct", "bfind", "cnot", "sad",  "tanh",  "copysign",
    };
    for (size_t i = 0; i < sizeof pure / sizeof *pure; i++)
        if (is(in, pure[i]))
            return false;
    return !(is(in, "ld") && !operands_modified(in, "volatile")) || !in->write_count;
}

static void count_uses(struct lower *l)
{
    memset(l->values, 0, (size_t)l->value_count * sizeof *l->values);
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        for (int r = 0; r < in->write_count; r++) {
            l->values[in->writes[r]].definitions++;
            l->values[in->writes[r]].definition = i;
        }
        for (int r = 0; r < in->read_count && !is_dead(l, i); r++)
            l->values[in->reads[r]].uses++;
    }
}

// An instruction whose results nobody uses costs nothing, nor do those that only it used.
static void find_dead(struct lower *l)
{
    count_uses(l);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = l->end; i-- > l->first;) {
            const struct sim_instruction *in = &l->code[i];
            bool used = !in->write_count || is_dead(l, i);
            for (int r = 0; r < in->write_count; r++)
                used = used || l->values[in->writes[r]].uses;
            if (used || has_effect(in))
                continue;
            l->dead[i - l->first] = changed = true;
            for (int r = 0; r < in->read_count; r++)
                l->values[in->reads[r]].uses--;
        }
    }
}

static bool names_special(const struct sim_instruction *in, const char *name)
{
    const char *at = strstr(in->text, name);
    return at && at[-1] != '_';
}

static bool varies_by_itself(const struct sim_instruction *in)
{
    if (is(in, "mov"))
        return strstr(in->text, "%tid") || strstr(in->text, "%lane") || strstr(in->text, "%warpid") ||
               strstr(in->text, "%clock");
    return (moves_memory(in) && in->write_count) || is(in, "call") || is(in, "shfl") || is(in, "match") ||
           is(in, "activemask");
}

// Whatever is computed from values that differ between threads differs too; so does what a loop or a condition that
// differs leaves behind, which is not looked at here.
static void find_uniform(struct lower *l)
{
    for (int v = 0; v < l->value_count; v++)
        l->values[v].uniform = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = l->first; i < l->end; i++) {
            const struct sim_instruction *in = &l->code[i];
            bool uniform = !varies_by_itself(in);
            for (int r = 0; r < in->read_count; r++)
                uniform = uniform && l->values[in->reads[r]].uniform;
            for (int r = 0; r < in->write_count && !uniform; r++)
                if (l->values[in->writes[r]].uniform) {
                    l->values[in->writes[r]].uniform = false;
                    changed = true;
                }
        }
    }
}

static bool passes_address(const struct sim_instruction *in)
{
    return is(in, "add") || is(in, "sub") || is(in, "mov") || is(in, "cvta") || is(in, "mad") ||
           is(in, "selp");
}

// Addresses in shared and local memory, backwards from where they are used.
static void find_narrow(struct lower *l)
{
    for (int i = l->first; i < l->end; i++)
        if (in_shared(&l->code[i]) && address_of(&l->code[i]) >= 0)
            l->values[address_of(&l->code[i])].narrow = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = l->end; i-- > l->first;) {
            const struct sim_instruction *in = &l->code[i];
            if (in->write_count != 1 || !l->values[in->writes[0]].narrow || !passes_address(in))
                continue;
            for (int r = 0; r < reads_of(in); r++)
                if (!l->values[in->reads[r]].narrow)
                    l->values[in->reads[r]].narrow = changed = true;
        }
    }
}

static void find_addresses(struct lower *l)
{
    for (int v = 0; v < l->value_count; v++)
        l->values[v].address = true;
    for (int i = l->first; i < l->end; i++)
        for (int r = 0; r < l->code[i].read_count; r++)
            if (!is_dead(l, i) && !(r == 0 && address_of(&l->code[i]) >= 0))
                l->values[l->code[i].reads[r]].address = false;
}

// What fits in 32 bits takes the instructions of 32 bits.
static void find_halves(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        struct operands operands;
        long long value;
        if (in->write_count != 1 || l->values[in->writes[0]].definitions != 1 ||
            operands_kind(in, is(in, "cvt")) != 'l')
            continue;
        bool half = is(in, "cvt") && operands_kind(in, 0) == 'i' && !operands_signed(in);
        operands_read(in, &operands);
        for (int k = 1; is(in, "and") && k < operands.count; k++)
            half = half || (operands_constant(&operands, k, &value) && value >= 0 && value <= UINT32_MAX);
        for (int r = 0; is(in, "and") && r < reads_of(in); r++)
            half = half || l->values[in->reads[r]].half;
        half = half || ((is(in, "shr") || is(in, "mov")) && reads_of(in) && l->values[in->reads[0]].half);
        l->values[in->writes[0]].half = half;
    }
}

// ---- each for itself ---------------------------------------------------------------------------------------------

static void by_table(struct lower *l, int i)
{
    const struct lowering_row *row = lowering_row(l->rows, &l->code[i]);
    const struct gpu_figures *gpu = l->of->gpu;
    struct machine_code *out = &l->out[i];
    *out = (struct machine_code){ .known = row != NULL };
    if (!row)
        return;
    out->issues = row->issues;
    out->on[row->pipe] = row->piped;
    out->on[row->other] += row->other_piped;
    out->latency = (float)row->chain.alu * figure(gpu ? gpu->alu_latency : 0, 4.5f) +
                   (float)row->chain.special * figure(gpu ? gpu->special_latency : 0, 18) +
                   (float)row->chain.dbl * figure(gpu ? gpu->double_latency : 0, 8);
    if (row->pipe == PIPE_SHUFFLE)
        out->latency += figure(gpu ? gpu->shuffle_latency : 0, 24);
}

// Conversions between words of 32 and 64 bits only cut or extend; those from words to floats of 32 bits need no
// special unit.
static void conversion(struct lower *l, int i)
{
    const struct sim_instruction *in = &l->code[i];
    struct machine_code *out = &l->out[i];
    char to = operands_kind(in, 1), from = operands_kind(in, 0);
    float alu = figure(l->of->gpu ? l->of->gpu->alu_latency : 0, 4.5f);
    if ((to == 'l' || to == 'i') && (from == 'l' || from == 'i')) {
        nothing(out);
        bool extends = to == 'l' && from == 'i' && operands_signed(in);
        bool cuts =
            (operands_modified(in, "u8") || operands_modified(in, "s8") || operands_modified(in, "s16")) &&
            to == 'i';
        if (extends || cuts)
            spend(out, 1, PIPE_INT);
        out->latency = out->issues * alu;
    } else if (to == 'f' && from == 'i') {
        *out = (struct machine_code){ .known = true, .issues = 1, .on[PIPE_INT] = 1, .latency = alu };
    } else if (from == 'h' || to == 'h' || (to == 'f' && from == 'f' && operands_modified(in, "sat"))) {
        *out = (struct machine_code){ .known = true, .issues = 1, .on[PIPE_FMA] = 1, .latency = alu };
    }
}

// A vector is stored from registers that follow each other: one that is needed twice is copied.
static int copied(const struct sim_instruction *in)
{
    int count = 0;
    for (int r = 2; r < reads_of(in); r++)
        for (int before = 1; before < r; before++)
            if (in->reads[r] == in->reads[before]) {
                count++;
                break;
            }
    return count;
}

static bool stores_constant(const struct sim_instruction *in)
{
    struct operands operands;
    long long value;
    operands_read(in, &operands);
    return operands_constant(&operands, operands.count - 1, &value) && value;
}

static bool is_answered(const struct lower *l, const struct sim_instruction *in)
{
    return !is(in, "red") && l->values[result_of(l, in)].uses;
}

// An atomic on one address for all threads is done once for a warp, by the thread that is elected, with the sum of
// all.
static float elected(const struct lower *l, const struct sim_instruction *in)
{
    static const char *const joined[] = { "add", "min", "max", "and", "or", "xor" };
    int address = address_of(in);
    if (in->access > SIM_GLOBAL_ATOM || operands_kind(in, 0) != 'i' ||
        (address >= 0 && !l->values[address].uniform))
        return 0;
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (operands_modified(in, joined[i]))
            return (stores_constant(in) ? 4 : 7) + (is_answered(l, in) ? 4 : 0);
    return 0;
}

// Products that the tensor cores add, in products of halves: those of narrower types are quicker. Doubles have a pipe of
// their own.
static void tensor_product(struct lower *l, int i)
{
    static const struct {
        const char *type;
        float halves;
    } types[] = { { "tf32", 2 },    { "s8", 0.5f },  { "u8", 0.5f },  { "e4m3", 0.5f },
                  { "e5m2", 0.5f }, { "s4", 0.25f }, { "u4", 0.25f }, { "b1", 0.0625f } };
    const struct sim_instruction *in = &l->code[i];
    struct machine_code *out = &l->out[i];
    const struct gpu_figures *gpu = l->of->gpu;
    unsigned m = 16, n = 8, k = 16;
    for (int at = 0; at < in->modifier_count; at++)
        if (sscanf(in->modifiers[at], "m%un%uk%u", &m, &n, &k) == 3)
            break;
    float lanes = (float)(m * n * k) / 32;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (operands_modified(in, types[t].type)) {
            lanes *= types[t].halves;
            break;
        }
    bool doubles = operands_modified(in, "f64");
    out->on[PIPE_TENSOR] = doubles ? 0 : lanes;
    out->on[PIPE_DOUBLE] = doubles ? lanes : 0;
    out->latency = figure(gpu ? gpu->tensor_latency : 0, 27);
}

static void each_alone(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        by_table(l, i);
        if (is_dead(l, i)) {
            nothing(&l->out[i]);
            continue;
        }
        if (is(in, "cvt"))
            conversion(l, i);
        else if (l->out[i].on[PIPE_TENSOR] > 0)
            tensor_product(l, i);
        else if (is(in, "selp") && (operands_kind(in, 0) == 'f' || operands_kind(in, 0) == 'd'))
            l->out[i].on[PIPE_INT] = l->out[i].issues;
        else if (is(in, "st") && moves_memory(in))
            spend(&l->out[i], (float)(copied(in) + stores_constant(in)), PIPE_INT);
        else if (is(in, "red") || is(in, "atom")) {
            spend(&l->out[i], elected(l, in) + (float)(stores_constant(in) && in->access != SIM_SHARED_ATOM),
                  PIPE_INT);
            l->out[i].answered = is_answered(l, in);
        } else if (is(in, "ld") && moves_memory(in) && in->write_count == 4 && in->bytes == 4)
            spend(&l->out[i], 3, PIPE_INT); // bytes, taken apart
        else if (in->write_count == 1 && l->values[in->writes[0]].half && l->out[i].issues > 1)
            scale(&l->out[i], 0.5f);
        else if (operands_kind(in, 0) == 'p' && !is(in, "setp") && l->out[i].issues > 0)
            nothing(&l->out[i]); // a comparison takes a second predicate along
    }
}

// ---- constants, parameters, and what is read once ----------------------------------------------------------------

// A register that is read from a constant bank or a special register is read once, wherever the PTX reads it again.
static void special_registers(struct lower *l)
{
    static const struct {
        const char *name;
        enum pipe pipe;
    } known[] = {
        { "%tid.x", PIPE_MEMORY },     { "%tid.y", PIPE_MEMORY },  { "%tid.z", PIPE_MEMORY },
        { "%ctaid.x", PIPE_NONE },     { "%ctaid.y", PIPE_NONE },  { "%ctaid.z", PIPE_NONE },
        { "%ntid.x", PIPE_NONE },      { "%ntid.y", PIPE_NONE },   { "%ntid.z", PIPE_NONE },
        { "%nctaid.x", PIPE_NONE },    { "%nctaid.y", PIPE_NONE }, { "%nctaid.z", PIPE_NONE },
        { "%laneid", PIPE_NONE },      { "%lanemask", PIPE_NONE }, { "%clock", PIPE_NONE },
        { "%globaltimer", PIPE_NONE }, { "%smid", PIPE_NONE },     { "%warpid", PIPE_NONE },
        { "%nwarpid", PIPE_NONE },     { "%gridid", PIPE_NONE },
    };
    bool read[sizeof known / sizeof *known] = { false };
    for (int i = l->first; i < l->end; i++)
        for (size_t k = 0; k < sizeof known / sizeof *known && is(&l->code[i], "mov") && !is_dead(l, i); k++)
            if (names_special(&l->code[i], known[k].name)) {
                bool again = read[k] && k < 12;
                spend(&l->out[i], again ? 0 : 1, known[k].pipe);
                l->out[i].latency = again ? 0 : 20;
                read[k] = true;
            }
}

static bool reads_parameter(const struct sim_instruction *in)
{
    return is(in, "ld") && operands_modified(in, "param");
}

static int region_of(const struct lower *l, int i)
{
    return l->of->graph.region[block_of(l, i)];
}

enum { LOOKED_AHEAD = 4000 };

// The instruction that a parameter is read for: the first that uses it, unless a loop would read it again and again.
static int read_for(const struct lower *l, int i)
{
    const struct graph *graph = &l->of->graph;
    int value = l->code[i].write_count == 1 ? l->code[i].writes[0] : -1, at = i;
    for (int k = i + 1; k < l->end && k < i + LOOKED_AHEAD && value >= 0; k++) {
        const struct sim_instruction *in = &l->code[k];
        bool uses = false;
        for (int r = 0; r < in->read_count; r++)
            uses = uses || in->reads[r] == value;
        if (!uses || is_dead(l, k))
            continue;
        at = k;
        if (!(is(in, "cvta") || is(in, "mov")) || in->write_count != 1)
            break;
        value = in->writes[0];
    }
    int from = region_of(l, i), to = region_of(l, at);
    return from >= 0 && to >= 0 && graph->regions[from].iterated == graph->regions[to].iterated ? at : i;
}

static void parameters(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (is_dead(l, i))
            continue;
        if (reads_parameter(in)) {
            bool of_call = strstr(in->text, "retval") != NULL;
            nothing(&l->out[i]);
            if (of_call)
                spend(&l->out[i], 0.5f, PIPE_INT);
        } else if (is(in, "st") && !moves_memory(in)) { // an argument, a result
            nothing(&l->out[i]);
            spend(&l->out[i], 0.5f, PIPE_INT);
        } else if (is(in, "ld") && !moves_memory(in)) { // a constant
            nothing(&l->out[i]);
            spend(&l->out[i], 1, PIPE_NONE);
        }
    }
}

// The name of a variable in an operand; its length, 0: there is none.
static int symbol_in(const struct sim_instruction *in, const char **out)
{
    struct operands operands;
    if (!(is(in, "mov") || in_shared(in)))
        return 0;
    operands_read(in, &operands);
    for (int k = 0; k < operands.count; k++) {
        const char *at = operands.item[k].at + (operands.item[k].at[0] == '[');
        if (!isalpha((unsigned char)*at) && *at != '_')
            continue;
        int length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '$')
            length++;
        *out = at;
        return length;
    }
    return 0;
}

// Since compute capability 9.0 the address of a variable in shared memory begins with the block's place in its
// cluster, which is put together wherever it is needed, once for all variables.
static void shared_variables(struct lower *l)
{
    const char *seen[16];
    int lengths[16], count = 0, block = -1;
    bool windowed = !l->of->gpu || l->of->gpu->target >= 90 || !l->of->gpu->target;
    for (int i = l->first; i < l->end && windowed; i++) {
        const struct sim_instruction *in = &l->code[i];
        const char *name;
        int length = is_dead(l, i) ? 0 : symbol_in(in, &name), k = 0;
        if (!length || (is(in, "mov") && !(in->write_count == 1 && l->values[in->writes[0]].narrow)))
            continue;
        count = block_of(l, i) == block ? count : 0;
        block = block_of(l, i);
        while (k < count && (lengths[k] != length || memcmp(seen[k], name, (size_t)length) != 0))
            k++;
        if (k < count || count == 16)
            continue;
        seen[count] = name;
        lengths[count++] = length;
        spend(&l->out[i], count == 1 ? 3 : 2, PIPE_NONE);
    }
}

// What a loop starts from is written into its register; elsewhere a constant is part of the instruction that uses it.
static void constants(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (is(in, "mov") && in->immediate == 1 && in->write_count == 1 && !is_dead(l, i) &&
            l->values[in->writes[0]].definitions > 1 && operands_kind(in, 0) != 'p')
            spend(&l->out[i], operands_kind(in, 0) == 'l' || operands_kind(in, 0) == 'd' ? 2 : 1, PIPE_INT);
    }
}

// ---- the function ------------------------------------------------------------------------------------------------

// Late, for what became of the instructions that parameters are read for is known by now.
static void read_parameters(struct lower *l)
{
    for (int i = l->first; i < l->end; i++)
        if (!is_dead(l, i) && reads_parameter(&l->code[i]) && !strstr(l->code[i].text, "retval"))
            spend(&l->out[read_for(l, i)], 1, PIPE_NONE);
}

// A kernel begins by reading where its stack is, and before its first access to memory the word that describes it.
static void beginning(struct lower *l)
{
    bool global = false;
    for (int i = l->first; i < l->end; i++)
        global = global || (moves_memory(&l->code[i]) && !in_shared(&l->code[i]));
    spend(&l->out[l->first], global ? 2 : 1, PIPE_NONE);
}

bool lowering_count(struct lowering *lowering)
{
    struct lowering_rows rows = { 0 };
    struct lower l = { .of = lowering,
                       .rows = &rows,
                       .code = lowering->code,
                       .out = lowering->out,
                       .first = (int)lowering->first,
                       .end = (int)lowering->end };
    for (int i = l.first; i < l.end; i++) {
        for (int r = 0; r < l.code[i].read_count; r++)
            if (l.code[i].reads[r] >= l.value_count)
                l.value_count = l.code[i].reads[r] + 1;
        for (int r = 0; r < l.code[i].write_count; r++)
            if (l.code[i].writes[r] >= l.value_count)
                l.value_count = l.code[i].writes[r] + 1;
    }
    l.values = calloc((size_t)l.value_count + 1, sizeof *l.values);
    l.dead = calloc((size_t)(l.end - l.first) + 1, 1);
    if (!l.values || !l.dead) {
        free(l.values);
        free(l.dead);
        return false;
    }
    find_dead(&l);
    find_uniform(&l);
    find_narrow(&l);
    find_addresses(&l);
    find_halves(&l);
    each_alone(&l);
    special_registers(&l);
    parameters(&l);
    shared_variables(&l);
    constants(&l);
    lower_fuse(&l);
    lower_control(&l);
    read_parameters(&l);
    beginning(&l);
    free(l.values);
    free(l.dead);
    return true;
}

// ---- its blocks --------------------------------------------------------------------------------------------------

static void edges_of(struct lowering *w, int b)
{
    struct graph_block *block = &w->graph.blocks[b];
    const struct sim_instruction *last = &w->code[w->first + (size_t)block->end - 1];
    int after = b + 1 < w->graph.count ? b + 1 : GRAPH_END;
    block->next[0] = block->next[1] = GRAPH_NONE;
    if (is(last, "bra") && last->target >= (int)w->first && last->target < (int)w->end) {
        block->next[0] = w->block[last->target - (int)w->first];
        block->next[1] = last->guarded ? after : GRAPH_NONE;
    } else if (is(last, "ret") || is(last, "exit") || is(last, "trap")) {
        block->next[0] = GRAPH_END;
        block->next[1] = last->guarded ? after : GRAPH_NONE;
    } else {
        block->next[0] = after;
    }
}

bool lowering_open(struct lowering *w)
{
    size_t count = w->end - w->first;
    w->graph = (struct graph){ 0 };
    w->block = malloc((count + 1) * sizeof *w->block);
    w->graph.blocks = malloc((count + 1) * sizeof *w->graph.blocks);
    if (!w->block || !w->graph.blocks)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (w->code[w->first + i].leads || !i)
            w->graph.blocks[w->graph.count++] = (struct graph_block){ .first = (int)i };
        w->block[i] = w->graph.count - 1;
        w->graph.blocks[w->graph.count - 1].end = (int)i + 1;
    }
    for (int b = 0; b < w->graph.count; b++)
        edges_of(w, b);
    return graph_analyse(&w->graph);
}

void lowering_close(struct lowering *w)
{
    graph_free(&w->graph);
    free(w->block);
    w->block = NULL;
}
