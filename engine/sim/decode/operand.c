// Decodes operands into rows of a warp's frame. Each register, constant, special register and address that a function
// uses has a row of its own there, which its instructions name. Names of variables, parameters, functions and labels
// are resolved here, too.
#include "engine/sim/decode/decode.h"

#include <string.h>

enum {
    LOOK_BACK = 1000,
    MOST_REGISTERS = 1 << 20
}; // constants searched for an equal one; registers of a function

bool decode_fails(struct decoding *d, const char *trouble)
{
    d->trouble = trouble;
    return false;
}

// ---- names ------------------------------------------------------------------------------------------------

static bool same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

static uint64_t dynamic_start(const struct sim_module *module)
{
    return module->shared_bytes;
}

static bool function_variable(const struct decoding *d, const char *name, uint64_t *bits, bool *local)
{
    const struct ptx_function *from = d->function->from;
    for (size_t i = from->variable_count; i-- > 0;) {
        const struct ptx_variable *v = &from->variables[i];
        if (v->space == SPACE_PARAM || !same(v->name, name))
            continue;
        *bits = v->unsized ? dynamic_start(d->module) : d->function->variable_at[i];
        *local = v->space == SPACE_LOCAL;
        return true;
    }
    return false;
}

static bool module_variable(const struct sim_module *module, const char *name, uint64_t *bits)
{
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct module_variable *v = &module->variables[i];
        if (!same(v->from->name, name))
            continue;
        *bits = v->from->unsized && v->from->space == SPACE_SHARED ? dynamic_start(module) : v->address;
        return true;
    }
    return false;
}

// A function may be declared in one place of the file and defined in another one; the definition counts.
int decode_callee(const struct sim_module *module, const char *name)
{
    int declared = -1;
    for (size_t i = 0; i < module->function_count; i++) {
        if (!same(module->functions[i].from->name, name))
            continue;
        if (!module->functions[i].from->declared)
            return (int)i;
        declared = (int)i;
    }
    return declared;
}

// The address of what the function is given.
static bool own_parameter(const struct function *function, const char *name, uint64_t *bits)
{
    const struct ptx_function *from = function->from;
    size_t i = 0;
    while (i < from->param_count && !same(from->params[i].name, name))
        i++;
    if (i == from->param_count)
        return false;
    *bits = PARAM_WINDOW + function->param_at[i] + (from->entry ? 0 : PARAM_OF(function->index));
    return true;
}

bool decode_symbol(const struct decoding *d, const char *name, uint64_t *bits, bool *local)
{
    *local = false;
    if (d->function && function_variable(d, name, bits, local))
        return true;
    if (d->function && own_parameter(d->function, name, bits))
        return true;
    if (module_variable(d->module, name, bits))
        return true;
    int function = decode_callee(d->module, name);
    *bits = (uint64_t)(function + 1); // no function has number 0
    return function >= 0;
}

bool decode_parameter(const struct function *function, const char *name, size_t *offset, bool *formal)
{
    const struct ptx_function *from = function->from;
    // Compilers use one name (param0) for every call, each in a scope of its own; the parser has made the names
    // unique.
    for (size_t i = 0; i < from->variable_count; i++)
        if (from->variables[i].space == SPACE_PARAM && same(from->variables[i].name, name)) {
            *offset = function->variable_at[i];
            *formal = false;
            return true;
        }
    for (size_t i = 0; i < from->param_count; i++)
        if (same(from->params[i].name, name)) {
            *offset = function->param_at[i];
            *formal = from->entry;
            return true;
        }
    for (size_t i = 0; i < from->return_count; i++)
        if (same(from->returns[i].name, name)) {
            *offset = function->return_at[i];
            *formal = false;
            return true;
        }
    return false;
}

// ---- rows -------------------------------------------------------------------------------------------------

#ifndef SIM_ROW_GUARD
#define SIM_ROW_GUARD 0 // bytes after each row that nothing may write; tests/fuzz checks that they stay 0
#endif

static row take_rows(struct function *function, size_t bytes)
{
    row at = (row)((function->frame_bytes + 63) & ~(size_t)63);
    function->frame_bytes = at + bytes + SIM_ROW_GUARD;
    return at;
}

static row constant(struct decoding *d, uint64_t bits, bool wide, bool local)
{
    struct function *f = d->function;
    for (size_t i = f->constant_count; i-- > 0 && f->constant_count - i < LOOK_BACK;)
        if (f->constants[i].bits == bits && f->constants[i].wide == wide && f->constants[i].local == local)
            return f->constants[i].at;
    struct constant_row *room = arena_grow(d->module->arena, f->constants, f->constant_count, sizeof *room);
    if (!room) {
        d->trouble = "there is no memory for its constants";
        return 0;
    }
    f->constants = room;
    row at = take_rows(f, wide ? 256 : 128);
    room[f->constant_count++] = (struct constant_row){ .at = at, .wide = wide, .local = local, .bits = bits };
    return at;
}

static const char *const special_names[SPECIAL_COUNT] = { "%tid.x",
                                                          "%tid.y",
                                                          "%tid.z",
                                                          "%ntid.x",
                                                          "%ntid.y",
                                                          "%ntid.z",
                                                          "%ctaid.x",
                                                          "%ctaid.y",
                                                          "%ctaid.z",
                                                          "%nctaid.x",
                                                          "%nctaid.y",
                                                          "%nctaid.z",
                                                          "%laneid",
                                                          "%warpid",
                                                          "%nwarpid",
                                                          "%smid",
                                                          "%nsmid",
                                                          "%gridid",
                                                          "%lanemask_eq",
                                                          "%lanemask_le",
                                                          "%lanemask_lt",
                                                          "%lanemask_ge",
                                                          "%lanemask_gt",
                                                          "%dynamic_smem_size",
                                                          "%total_smem_size",
                                                          "%clusterid.x",
                                                          "%clusterid.y",
                                                          "%clusterid.z",
                                                          "%nclusterid.x",
                                                          "%nclusterid.y",
                                                          "%nclusterid.z",
                                                          "%cluster_ctaid.x",
                                                          "%cluster_ctaid.y",
                                                          "%cluster_ctaid.z",
                                                          "%cluster_nctaid.x",
                                                          "%cluster_nctaid.y",
                                                          "%cluster_nctaid.z",
                                                          "%cluster_ctarank",
                                                          "%cluster_nctarank",
                                                          "%envreg1",
                                                          "%envreg2" };

static row special(struct decoding *d, const char *name)
{
    for (int i = 0; i < SPECIAL_COUNT; i++)
        if (strcmp(name + (name[0] == '%'), special_names[i] + 1) == 0) {
            if (!d->function->special[i])
                d->function->special[i] = take_rows(d->function, 256);
            return d->function->special[i];
        }
    d->trouble = "it reads a special register that the simulator does not have";
    return 0;
}

// ---- values and addresses ---------------------------------------------------------------------------------

static bool is_float(enum ptx_type type)
{
    return type == TYPE_F32 || type == TYPE_F64;
}

// A literal is a single, a double or an integer by its spelling; it is converted to what the instruction wants.
static uint64_t immediate_bits(const struct ptx_operand *operand, enum ptx_type type)
{
    unsigned bytes = type_bytes(type);
    uint64_t bits = operand->bits;
    if (operand->is_double && (type == TYPE_F32 || bytes == 4)) {
        bits = bits_of_f32((float)f64_of_bits(bits));
    } else if (operand->is_single && bytes == 8) {
        bits = bits_of_f64((double)f32_of_bits((uint32_t)bits));
    } else if (!operand->is_single && !operand->is_double && is_float(type)) {
        bits = bytes == 8 ? bits_of_f64((double)(int64_t)bits) : bits_of_f32((float)(int64_t)bits);
    }
    return bytes >= 8 || bytes == 0 ? bits : bits & (((uint64_t)1 << bytes * 8) - 1);
}

static unsigned row_class(unsigned bytes)
{
    return bytes <= 4 ? 4 : bytes;
}

static row symbol_row(struct decoding *d, const struct ptx_operand *operand, bool wide)
{
    uint64_t bits;
    bool local;
    if (!decode_symbol(d, operand->name, &bits, &local)) {
        d->trouble = "it names something that is not in this file";
        return 0;
    }
    bits += (uint64_t)operand->offset;
    return constant(d, wide ? bits : bits & 0xffffffffu, wide, local);
}

// Rows of values have at least 128 bytes, a predicate's row has 4; only decode_predicate asks for the latter.
static row register_row(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type)
{
    const struct ptx_function *from = d->function->from;
    if (operand->reg < 0 || (size_t)operand->reg >= from->register_count) {
        d->trouble = "it uses a register that was not declared";
        return 0;
    }
    enum ptx_type own = from->registers[operand->reg].type;
    if ((own == TYPE_PRED) != (type == TYPE_PRED) ||
        row_class(type_bytes(own)) != row_class(type_bytes(type))) {
        d->trouble = "one of its registers has the wrong width";
        return 0;
    }
    return d->register_rows[operand->reg];
}

static row reject_predicate(struct decoding *d)
{
    d->trouble = "a predicate cannot be one of its operands";
    return 0;
}

row decode_value(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type)
{
    bool wide = type_bytes(type) == 8;
    if (type == TYPE_PRED)
        return reject_predicate(d);
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return register_row(d, operand, type);
    case OPERAND_IMMEDIATE:
        return constant(d, immediate_bits(operand, type), wide, false);
    case OPERAND_SPECIAL:
        return special(d, operand->name);
    case OPERAND_SYMBOL:
        return symbol_row(d, operand, wide);
    default:
        d->trouble = "one of its operands is not a value";
        return 0;
    }
}

static row destination_row(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type)
{
    if (operand->kind == OPERAND_REGISTER)
        return register_row(d, operand, type);
    if (operand->kind == OPERAND_SINK)
        return d->function->sink;
    d->trouble = "its destination is not a register";
    return 0;
}

row decode_destination(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type)
{
    return type == TYPE_PRED ? reject_predicate(d) : destination_row(d, operand, type);
}

row decode_predicate(struct decoding *d, const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_IMMEDIATE ? constant(d, operand->bits ? FULL_MASK : 0, false, false)
                                              : destination_row(d, operand, TYPE_PRED);
}

unsigned decode_width(const struct decoding *d, const struct ptx_operand *operand)
{
    const struct ptx_function *from = d->function->from;
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0 || (size_t)operand->reg >= from->register_count)
        return 0;
    enum ptx_type type = from->registers[operand->reg].type;
    return type == TYPE_PRED ? 1 : row_class(type_bytes(type));
}

bool decode_address(struct decoding *d, const struct ptx_operand *operand, struct op *out)
{
    if (operand->kind != OPERAND_MEMORY)
        return decode_fails(d, "one of its operands should be an address");
    out->imm = (uint64_t)operand->offset;
    out->wide = true;
    if (operand->reg >= 0) {
        struct ptx_operand base = { .kind = OPERAND_REGISTER, .reg = operand->reg };
        out->wide = decode_width(d, &base) == 8;
        out->a = register_row(d, &base, out->wide ? TYPE_B64 : TYPE_B32);
        return out->a != 0;
    }
    size_t offset;
    bool formal;
    if (operand->name && out->space == SPACE_PARAM &&
        decode_parameter(d->function, operand->name, &offset, &formal)) {
        out->a = 0;
        out->imm += offset;
        out->sub = formal ? 0 : 1;
        return true;
    }
    struct ptx_operand base = { .kind = operand->name ? OPERAND_SYMBOL : OPERAND_IMMEDIATE,
                                .name = operand->name };
    out->a = decode_value(d, &base, TYPE_B64);
    out->fixed = true;
    return out->a != 0;
}

// ---- registers of a function ----------------------------------------------------------------------------

bool decode_registers(struct decoding *d)
{
    struct function *f = d->function;
    if (f->from->register_count > MOST_REGISTERS)
        return false;
    f->frame_bytes = 64; // row 0 is never a register
    f->sink = take_rows(f, 256);
    d->register_rows = arena_take(d->module->arena, (f->from->register_count + 1) * sizeof *d->register_rows);
    f->register_rows = d->register_rows;
    if (!d->register_rows)
        return false;
    for (size_t i = 0; i < f->from->register_count; i++) {
        enum ptx_type type = f->from->registers[i].type;
        unsigned bytes = type_bytes(type);
        if (type == TYPE_PRED) {
            d->register_rows[i] = (row)f->frame_bytes;
            f->frame_bytes += 4;
        } else {
            d->register_rows[i] = take_rows(f, (size_t)LANES * row_class(bytes));
        }
    }
    return true;
}

row decode_scratch(struct function *function, bool is_wide)
{
    return take_rows(function, is_wide ? 256 : 128);
}

// ---- uniformity ------------------------------------------------------------------------------------------

// Uniformity analysis: which registers have the same value in all lanes of a warp because of the way they are
// computed. A compiler that knows that an atomic's address is uniform has one lane do it for the whole warp, which
// the hardware's counters show.
//
// A register is uniform when every instruction that writes it is a pure function of uniform operands and no divergent
// branch decides which of several such instructions ran last. The analysis starts with all registers uniform and
// drops those that are not, until nothing changes.

// Rounds until the fixed point, and branches times registers: in a function that needs more, no register is uniform.
enum { ROUNDS = 32, LARGEST = 1 << 20 };

struct register_uniformity {
    bool uniform;
    uint32_t writers;
    size_t first, last; // the instructions that write it
};
struct uniformity {
    const struct ptx_function *of;
    struct register_uniformity *registers;
};

// Parameters are the same for all lanes in a kernel, but not in a function that it calls.
static bool is_pure_load(const struct ptx_function *of, const struct ptx_instruction *in)
{
    bool load = strcmp(in->base, "ld") == 0 || strcmp(in->base, "ldu") == 0;
    enum ptx_space space = ptx_space_of(in);
    return load && !ptx_has(in, "volatile") && space != SPACE_LOCAL && (space != SPACE_PARAM || of->entry);
}

static bool is_pure(const struct ptx_instruction *in)
{
    static const char *const names[] = { "mov",   "add",   "sub", "mul", "mad",  "shl", "shr", "and",  "or",
                                         "xor",   "not",   "cvt", "neg", "cvta", "min", "max", "selp", "setp",
                                         "mul24", "mad24", "bfe", "bfi", "div",  "rem", NULL };
    return ptx_is_one_of(in->base, names);
}

static bool is_uniform(const struct uniformity *u, const struct ptx_operand *operand)
{
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return u->registers[operand->reg].uniform;
    case OPERAND_MEMORY:
        return operand->reg < 0 || u->registers[operand->reg].uniform;
    case OPERAND_VECTOR:
    case OPERAND_PAIR:
        for (int i = 0; i < operand->part_count; i++)
            if (!is_uniform(u, &operand->parts[i]))
                return false;
        return true;
    case OPERAND_SPECIAL:
        return strncmp(operand->name, "%ctaid", 6) == 0 || strncmp(operand->name, "%ntid", 5) == 0 ||
               strncmp(operand->name, "%nctaid", 7) == 0;
    default:
        return true;
    }
}

static bool has_uniform_result(const struct uniformity *u, const struct ptx_instruction *in)
{
    if ((!is_pure(in) && !is_pure_load(u->of, in)) || (in->guard >= 0 && !u->registers[in->guard].uniform))
        return false;
    for (int i = 1; i < in->operand_count; i++)
        if (!is_uniform(u, &in->operands[i]))
            return false;
    return true;
}

// ---- uniformity: writers of registers -------------------------------------------------------------------

struct writer_visit { // the instruction `at` that writes
    struct uniformity *u;
    size_t at;
};

static void note_write(void *context, int reg)
{
    struct writer_visit *visit = context;
    struct register_uniformity *known = &visit->u->registers[reg];
    if (!known->writers++)
        known->first = visit->at;
    known->last = visit->at;
}

static bool drop(struct uniformity *u, const struct ptx_operand *operand)
{
    bool changed = false;
    if (operand->kind == OPERAND_VECTOR || operand->kind == OPERAND_PAIR)
        for (int i = 0; i < operand->part_count; i++)
            changed |= drop(u, &operand->parts[i]);
    if (operand->kind == OPERAND_REGISTER) {
        changed = u->registers[operand->reg].uniform;
        u->registers[operand->reg].uniform = false;
    }
    return changed;
}

// ---- uniformity: divergent branches ---------------------------------------------------------------------

static size_t label_at(const struct ptx_function *function, const char *name)
{
    for (size_t i = 0; name && i < function->label_count; i++)
        if (strcmp(function->labels[i].name, name) == 0)
            return function->labels[i].at;
    return SIZE_MAX;
}

// A divergent branch from `at` to `target` makes divergent: each register that is written both inside and outside of
// the range that it skips, and if it is a back edge each one that is written inside, since lanes leave the loop in
// different rounds.
static bool drop_divergent(struct uniformity *u, size_t at, size_t target)
{
    size_t low = at < target ? at : target, high = at < target ? target : at;
    bool changed = false;
    for (size_t i = 0; i < u->of->register_count; i++) {
        struct register_uniformity *known = &u->registers[i];
        bool apart = known->last < low || known->first >= high;
        bool within = known->first > low && known->last < high;
        if (known->uniform && known->writers > 1 && !apart && !(within && target > at)) {
            known->uniform = false;
            changed = true;
        }
    }
    return changed;
}

static bool drop_round(struct uniformity *u, const size_t *targets)
{
    bool changed = false;
    for (size_t i = 0; i < u->of->instruction_count; i++) {
        const struct ptx_instruction *in = &u->of->instructions[i];
        if (targets[i] != SIZE_MAX && in->guard >= 0 && !u->registers[in->guard].uniform)
            changed |= drop_divergent(u, i, targets[i]);
        if (ptx_writes_first(in) && !has_uniform_result(u, in))
            changed |= drop(u, &in->operands[0]);
        for (int k = 0; k < in->call_return_count; k++)
            changed |= drop(u, &in->call_returns[k]);
    }
    return changed;
}

static bool find_uniform(struct uniformity *u, struct arena *arena)
{
    const struct ptx_function *function = u->of;
    size_t *targets = arena_take(arena, (function->instruction_count + 1) * sizeof *targets);
    u->registers = arena_take(arena, (function->register_count + 1) * sizeof *u->registers);
    if (!targets || !u->registers)
        return false;
    for (size_t i = 0; i < function->register_count; i++)
        u->registers[i].uniform = true;
    size_t branches = 0;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        bool branch = strcmp(in->base, "bra") == 0 && in->operand_count;
        branches += branch;
        targets[i] = branch && branches * function->label_count <= LARGEST
                         ? label_at(function, in->operands[0].name)
                         : SIZE_MAX;
        ptx_each_written(in, note_write, &(struct writer_visit){ u, i });
    }
    bool small = branches * (function->register_count + function->label_count) <= LARGEST;
    for (int round = 0; small && round < ROUNDS; round++)
        if (!drop_round(u, targets))
            return true;
    for (size_t i = 0; i < function->register_count; i++)
        u->registers[i].uniform = false;
    return true;
}

bool decode_is_uniform(struct decoding *d, const struct ptx_operand *operand)
{
    if (!d->function->uniformity) {
        struct uniformity *u = arena_take(d->module->arena, sizeof *u);
        if (!u)
            return false;
        u->of = d->function->from;
        if (!find_uniform(u, d->module->arena))
            return false;
        d->function->uniformity = u;
    }
    return is_uniform(d->function->uniformity, operand);
}
