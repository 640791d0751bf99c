// What an assembler puts together: a product and a sum, an address and its offset, two logical operations, a result
// and the question whether it is 0.
#include "engine/model/lowering.h"

#include <stdlib.h>

static bool adds(const struct sim_instruction *in, char kind)
{
    return (is(in, "add") || is(in, "sub")) && operands_kind(in, 0) == kind;
}

static bool is_wide(const struct sim_instruction *in)
{
    return is(in, "mul") && operands_modified(in, "wide");
}

// A shift to the left by a constant, which the addition of an address does by the way.
static bool is_scale(const struct sim_instruction *in)
{
    return is(in, "shl") && in->immediate == 2;
}

static bool scales(const struct lower *l, int value)
{
    const struct sim_instruction *in = only_definition(l, value);
    return in && (is_wide(in) || (is_scale(in) && operands_kind(in, 0) == 'l'));
}

static bool is_for_all(const struct lower *l, int i)
{
    int region = l->of->graph.region[block_of(l, i)];
    return region >= 0 && l->of->graph.regions[region].parent < 0;
}

// The address of a variable, which a load or store adds by itself where all threads have put it together.
static bool starts_at_variable(const struct lower *l, const struct sim_instruction *in)
{
    for (int r = 0; r < reads_of(in); r++) {
        const struct sim_instruction *from = only_definition(l, in->reads[r]);
        if (from && is(from, "mov") && !from->read_count && is_for_all(l, l->values[in->reads[r]].definition))
            return l->values[result_of(l, in)].address && l->values[result_of(l, in)].definitions == 1;
    }
    return false;
}

// address + constant: part of the loads and stores that use it.
static void offsets(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!adds(in, 'l'))
            continue;
        if (in->immediate >= 0 && in->write_count == 1 && l->values[in->writes[0]].address &&
            l->values[in->writes[0]].definitions == 1)
            nothing(&l->out[i]);
        else if (l->values[result_of(l, in)].narrow && l->out[i].issues > 1) {
            nothing(&l->out[i]);
            if (!starts_at_variable(l, in))
                spend(&l->out[i], 1, PIPE_INT);
        }
    }
}

// index * size + base: one instruction, for each base.
static void scaled_addresses(struct lower *l)
{
    float alu = figure(l->of->gpu ? l->of->gpu->alu_latency : 0, 4.5f);
    for (int v = 0; v < l->value_count; v++) // from here on: all uses of a product are additions
        if (l->values[v].uses && scales(l, v))
            l->values[v].address = true;
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        bool added = is(in, "add") && in->immediate < 0 && adds(in, 'l');
        for (int r = 0; r < in->read_count && !added && !is_dead(l, i); r++)
            if (scales(l, in->reads[r]))
                l->values[in->reads[r]].address = false;
    }
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!adds(in, 'l') || is(in, "sub") || reads_of(in) != 2 || !l->out[i].known)
            continue;
        for (int r = 0; r < 2; r++) {
            const struct sim_instruction *scaled = only_definition(l, in->reads[r]);
            if (!scaled || !is_wide(scaled) || !l->values[in->reads[r]].address)
                continue;
            nothing(&l->out[i]);
            spend(&l->out[i], 1, l->values[result_of(l, in)].narrow ? PIPE_INT : PIPE_MUL);
            l->out[i].latency = alu;
            break;
        }
    }
    for (int v = 0; v < l->value_count; v++) {
        if (l->values[v].address && l->values[v].uses && scales(l, v))
            nothing(&l->out[l->values[v].definition]);
    }
}

// The only use of `value` is instruction `by` of the same block.
static bool only_used(const struct lower *l, int value, int by)
{
    const struct value *v = &l->values[value];
    return v->definitions == 1 && v->uses == 1 && block_of(l, v->definition) == block_of(l, by);
}

static bool is_logic(const struct sim_instruction *in)
{
    return (is(in, "and") || is(in, "or") || is(in, "xor") || is(in, "not")) && operands_kind(in, 0) != 'p';
}

// Two logical operations are one, so are two additions, a shift to the left and an addition, and a product and a sum.
static void pairs(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        for (int r = 0; r < reads_of(in) && l->out[i].issues; r++) {
            const struct sim_instruction *from = only_definition(l, in->reads[r]);
            if (!from || !only_used(l, in->reads[r], i) || l->values[in->reads[r]].joined)
                continue;
            char kind = operands_kind(in, 0);
            bool same = kind == operands_kind(from, 0);
            bool sum = kind == 'i' && adds(in, 'i') && same &&
                       (adds(from, 'i') || is_scale(from) || is(from, "neg") ||
                        (is(from, "shr") && from->immediate == 2));
            bool logic = is_logic(in) && is_logic(from) && same && (in->immediate < 0 || from->immediate < 0);
            if ((!sum && !logic) || !l->out[from - l->code].issues)
                continue;
            nothing(&l->out[from - l->code]);
            l->values[result_of(l, in)].joined = true; // it has three operands now
            break;
        }
    }
}

// A negation, an absolute value: part of the instruction that uses it.
static void signs(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        bool sign = is(in, "neg") || is(in, "abs"), turns = is(in, "not");
        char kind = sign || turns ? operands_kind(in, 0) : 0;
        if ((sign && (kind == 'f' || kind == 'd')) || (turns && kind == 'p'))
            nothing(&l->out[i]);
    }
}

// A logical operation also says whether its result is 0.
static void zero_tests(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!is(in, "setp") || reads_of(in) != 1 || in->immediate != 2 || operands_kind(in, 0) != 'i' ||
            !(operands_modified(in, "eq") || operands_modified(in, "ne")))
            continue;
        const struct sim_instruction *from = only_definition(l, in->reads[0]);
        struct operands operands;
        long long value;
        operands_read(in, &operands);
        if (from && is_logic(from) && block_of(l, (int)(from - l->code)) == block_of(l, i) &&
            operands_constant(&operands, 2, &value) && value == 0)
            nothing(&l->out[i]);
    }
}

enum { LOOKED_BACK = 1000 };

// Whether the innermost loop around an instruction leaves a value as it is.
static bool loop_keeps(const struct lower *l, int i, int value)
{
    const struct graph *graph = &l->of->graph;
    int region = graph->region[block_of(l, i)], loop = region < 0 ? -1 : graph->regions[region].iterated;
    bool keeps = loop >= 0;
    for (int k = l->first; k < l->end && keeps; k++)
        for (int w = 0; w < l->code[k].write_count && keeps; w++)
            keeps = l->code[k].writes[w] != value ||
                    !graph_region_below(graph, graph->region[block_of(l, k)], loop);
    return keeps;
}

static bool divides_by_register(const struct sim_instruction *in)
{
    return (is(in, "div") || is(in, "rem")) && operands_kind(in, 0) == 'i' && reads_of(in) >= 2;
}

// An earlier division by the same number, whose reciprocal is there; -1: there is none.
static int divided_before(const struct lower *l, int i)
{
    for (int k = i - LOOKED_BACK > l->first ? i - LOOKED_BACK : l->first; k < i; k++)
        if (divides_by_register(&l->code[k]) && l->code[k].reads[1] == l->code[i].reads[1] && !is_dead(l, k))
            return k;
    return -1;
}

// Divisions by the same number share its reciprocal, which is made before a loop that leaves the number as it is.
static void divisions(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        int before = divides_by_register(in) ? divided_before(l, i) : -1;
        if (!divides_by_register(in) || (before < 0 && !loop_keeps(l, i, in->reads[1])))
            continue;
        const struct sim_instruction *other = before < 0 ? in : &l->code[before];
        bool same = before >= 0 && reads_of(in) == reads_of(other) && other->reads[0] == in->reads[0];
        float less = same ? l->out[i].issues - 3 : 11;
        l->out[i].issues -= less;
        l->out[i].on[PIPE_INT] -= less * 0.6f;
        l->out[i].on[PIPE_MUL] -= less * 0.2f;
        l->out[i].latency *= 0.5f;
    }
}

// A sign that an addition needs is taken from the word itself.
static void extensions(struct lower *l)
{
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (is(in, "cvt") && operands_kind(in, 1) == 'l' && in->write_count == 1 &&
            only_definition(l, in->writes[0]))
            l->values[in->writes[0]].address = true; // from here on: only additions use it
    }
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        bool added = is(in, "add") && adds(in, 'l');
        for (int r = 0; r < in->read_count && !added; r++) {
            const struct sim_instruction *from = only_definition(l, in->reads[r]);
            if (from && is(from, "cvt") && !is_dead(l, i))
                l->values[in->reads[r]].address = false;
        }
    }
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (is(in, "cvt") && operands_kind(in, 1) == 'l' && operands_kind(in, 0) == 'i' &&
            in->write_count == 1 && only_definition(l, in->writes[0]) && l->values[in->writes[0]].address)
            nothing(&l->out[i]);
    }
}

// ---- loads that are merged ---------------------------------------------------------------------------------------

enum { VECTOR_BYTES = 16, WORD_BYTES = 4 };

static int power_of(long long value)
{
    int power = 1;
    while (power < VECTOR_BYTES && !(value & power))
        power *= 2;
    return power;
}

static int multiple_of(const struct lower *l, const struct sim_instruction *in)
{
    struct operands operands = { 0 };
    long long constant = 0;
    if (in->immediate >= 0)
        operands_read(in, &operands);
    bool has = operands_constant(&operands, in->immediate, &constant);
    int of_register = reads_of(in) ? l->values[in->reads[0]].multiple : VECTOR_BYTES;
    for (int r = 1; r < reads_of(in); r++)
        of_register =
            l->values[in->reads[r]].multiple < of_register ? l->values[in->reads[r]].multiple : of_register;
    if (is(in, "mov") || is(in, "cvta") || is(in, "cvt"))
        return has ? power_of(constant) : reads_of(in) || in->immediate < 0 ? of_register : 1;
    if (is(in, "add") || is(in, "or"))
        return has && power_of(constant) < of_register ? power_of(constant) : of_register;
    if ((is(in, "mul") || is(in, "and")) && has)
        return power_of(constant) > of_register ? power_of(constant) : of_register;
    if (is(in, "shl") && has)
        return constant >= 0 && constant < 4 ? power_of((long long)of_register << constant) : VECTOR_BYTES;
    return 1;
}

static void find_multiples(struct lower *l)
{
    for (int v = 0; v < l->value_count; v++)
        l->values[v].multiple = 1;
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        bool special = is(in, "mov") && strchr(in->text, '%') != strrchr(in->text, '%') && !reads_of(in);
        if (in->write_count == 1 && only_definition(l, in->writes[0]) && !special)
            l->values[in->writes[0]].multiple = multiple_of(l, in);
    }
}

static long long offset_of(const struct sim_instruction *in)
{
    const char *plus = strchr(in->text, '+');
    return plus ? strtoll(plus + 1, NULL, 0) : 0;
}

static bool is_word_load(const struct lower *l, int i)
{
    const struct sim_instruction *in = &l->code[i];
    return in->access == SIM_SHARED_LOAD && in->write_count == 1 && in->bytes == WORD_BYTES && !in->guarded &&
           address_of(in) >= 0 && l->values[address_of(in)].multiple >= VECTOR_BYTES && !is_dead(l, i) &&
           !operands_modified(in, "volatile");
}

static bool parts_loads(const struct sim_instruction *in)
{
    return in->access == SIM_SHARED_STORE || in->access == SIM_SHARED_ATOM || is(in, "bar") ||
           is(in, "barrier");
}

// Words of shared memory that follow each other from a multiple of their bytes on are loaded by one instruction.
static void vectors(struct lower *l)
{
    find_multiples(l);
    for (int i = l->first; i < l->end; i++) {
        const struct sim_instruction *in = &l->code[i];
        if (!is_word_load(l, i) || !l->out[i].issues || offset_of(in) % VECTOR_BYTES)
            continue;
        int words[VECTOR_BYTES / WORD_BYTES] = { i, -1, -1, -1 };
        for (int k = i - LOOKED_BACK / 10 > l->first ? i - LOOKED_BACK / 10 : l->first;
             k < l->end && k < i + LOOKED_BACK / 10; k++) {
            if (k > i && (block_of(l, k) != block_of(l, i) || parts_loads(&l->code[k])))
                break;
            if (block_of(l, k) != block_of(l, i) || !is_word_load(l, k) ||
                l->code[k].reads[0] != in->reads[0])
                continue;
            const long long from = offset_of(&l->code[k]) - offset_of(in);
            if (from > 0 && from < VECTOR_BYTES && from % WORD_BYTES == 0)
                words[from / WORD_BYTES] = k;
        }
        int count = words[1] < 0 ? 1 : words[2] >= 0 && words[3] >= 0 ? 4 : 2;
        for (int w = 1; w < count; w++)
            l->out[words[w]].issues = l->out[words[w]].on[PIPE_MEMORY] = 0;
    }
}

void lower_fuse(struct lower *l)
{
    offsets(l);
    scaled_addresses(l);
    pairs(l);
    signs(l);
    zero_tests(l);
    divisions(l);
    extensions(l);
    vectors(l);
}
