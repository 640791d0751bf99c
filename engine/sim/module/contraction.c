// FMA contraction: PTX lets a compiler fuse a `mul` and an `add` or `sub` that name no rounding into one `fma`, and
// ptxas does, so that the product is not rounded. The rules here are those of the code that ptxas 13.0 generates for
// sm_90.
//
// A product is fused into all sums that read it or into none. They have to be in its basic block, of its type, and
// flush subnormals like it. Of two products in one sum the one with fewer readers is fused, or the first if they have
// equally many.
#include "engine/sim/module/module.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, LEFT = 1, RIGHT = 2 }; // LEFT, RIGHT: the operands of a sum

// ---- registers, products and their readers ------------------------------------------------

struct contracted_register {
    uint32_t writers;
    int32_t written; // the last instruction before `at` that wrote it; NONE
    int32_t product; // the `mul` whose result it holds; NONE
    bool negative;   // it holds the negated product
};
struct product_reader { // a sum that reads a product
    int32_t sum, side;
    int32_t next; // reader of the same product; NONE
};
struct fma_product {     // by instruction
    int32_t first, last; // readers
    uint32_t readers;
    bool alone; // it is not fused
};
struct fma_contraction {
    struct sim_module *module;
    struct function *function;
    struct contracted_register *values;
    struct fma_product *products;
    struct product_reader *readers; // two for each instruction, LEFT and RIGHT
    int32_t *block;                 // the number of each instruction's basic block
    int32_t at;                     // the current instruction
};

static bool is_one_of_types(enum ptx_type type)
{
    return type >= TYPE_F16 && type <= TYPE_F64;
}

// Whether the instruction names no rounding and has a type that is rounded.
static bool is_free(const struct ptx_instruction *in)
{
    static const char *const roundings[] = { "rn", "rz", "rm", "rp" };
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (ptx_has(in, roundings[i]))
            return false;
    return in->type_count == 1 && is_one_of_types(in->types[0]) && in->operand_count == 3;
}

static bool is_product(const struct op *op)
{
    const struct ptx_instruction *in = op->from;
    return op->kind == OP_LANES && !op->guarded && strcmp(in->base, "mul") == 0 && is_free(in) &&
           !ptx_has(in, "sat");
}

static bool is_sum(const struct op *op)
{
    const struct ptx_instruction *in = op->from;
    return op->kind == OP_LANES && (strcmp(in->base, "add") == 0 || strcmp(in->base, "sub") == 0) &&
           is_free(in);
}

// Whether the instruction copies a register, as it is or negated.
static bool is_copy(const struct op *op)
{
    const struct ptx_instruction *in = op->from;
    if (op->kind != OP_LANES || op->guarded || in->operand_count != 2 ||
        in->operands[1].kind != OPERAND_REGISTER)
        return false;
    bool negates = strcmp(in->base, "neg") == 0 && in->type_count == 1 && is_one_of_types(in->types[0]);
    return (negates && !ptx_has(in, "ftz")) || strcmp(in->base, "mov") == 0;
}

static struct contracted_register *value_of(const struct fma_contraction *c,
                                            const struct ptx_operand *operand)
{
    bool known = operand->kind == OPERAND_REGISTER && operand->reg >= 0 &&
                 (size_t)operand->reg < c->function->from->register_count;
    return known ? &c->values[operand->reg] : NULL;
}

static int32_t product_in(const struct fma_contraction *c, const struct ptx_operand *operand)
{
    const struct contracted_register *value = value_of(c, operand);
    return value ? value->product : NONE;
}

// ---- basic blocks ---------------------------------------------------------------------------------------------------------

static bool ends_block(const struct op *op)
{
    return op->kind == OP_BRANCH || op->kind == OP_INDEXED || op->kind == OP_CALL || op->kind == OP_RETURN ||
           op->kind == OP_EXIT || op->kind == OP_TRAP || op->kind == OP_UNKNOWN;
}

static void find_blocks(const struct fma_contraction *c)
{
    const struct function *f = c->function;
    int32_t number = 0;
    for (size_t i = 0; i < f->op_count; i++) {
        const struct op *op = &f->ops[i];
        if (op->kind == OP_BRANCH && op->target >= 0 && (size_t)op->target < f->op_count)
            c->block[op->target] = 1;
        for (int32_t k = 0; op->kind == OP_INDEXED && k < op->target_count; k++)
            if (op->targets[k] >= 0 && (size_t)op->targets[k] < f->op_count)
                c->block[op->targets[k]] = 1;
    }
    for (size_t i = 0; i < f->op_count; i++) {
        number += c->block[i] || (i && ends_block(&f->ops[i - 1]));
        c->block[i] = number;
    }
}

// ---- products and their readers --------------------------------------------------------------------------

static void note_product(const struct fma_contraction *c, int32_t at)
{
    const struct op *op = &c->function->ops[at];
    struct contracted_register *to = is_product(op) ? value_of(c, &op->from->operands[0]) : NULL;
    if (to && to->writers == 1)
        to->product = at;
    c->products[at].first = NONE;
}

static void count_writer(void *context, int reg)
{
    struct fma_contraction *c = context;
    if ((size_t)reg < c->function->from->register_count)
        c->values[reg].writers++;
}

static void note_writer(void *context, int reg)
{
    struct fma_contraction *c = context;
    if ((size_t)reg < c->function->from->register_count)
        c->values[reg].written = c->at;
}

static bool is_intact(const struct fma_contraction *c, const struct ptx_operand *operand, int32_t since)
{
    const struct contracted_register *value = value_of(c, operand);
    return operand->kind != OPERAND_REGISTER || (value && value->written < since);
}

// Whether the current instruction comes after the product in its block; one before it reads the value of an earlier
// iteration of a loop.
static bool follows(const struct fma_contraction *c, int32_t product)
{
    return product < c->at && c->block[product] == c->block[c->at];
}

// Whether the current sum and the product could be fused, other readers apart.
static bool fits(const struct fma_contraction *c, int32_t product)
{
    const struct ptx_instruction *mul = c->function->ops[product].from, *in = c->function->ops[c->at].from;
    return follows(c, product) && in->types[0] == mul->types[0] &&
           ptx_has(in, "ftz") == ptx_has(mul, "ftz") && is_intact(c, &mul->operands[1], product) &&
           is_intact(c, &mul->operands[2], product);
}

static void add_reader(struct fma_contraction *c, int32_t product, int side)
{
    struct fma_product *p = &c->products[product];
    int32_t number = 2 * c->at + side - LEFT;
    c->readers[number] = (struct product_reader){ c->at, side, NONE };
    if (p->readers++)
        c->readers[p->last].next = number;
    else
        p->first = number;
    p->last = number;
}

static void keep_alone(void *context, int reg)
{
    struct fma_contraction *c = context;
    if ((size_t)reg < c->function->from->register_count && c->values[reg].product != NONE)
        c->products[c->values[reg].product].alone = true;
}

static void note_sum(struct fma_contraction *c, int32_t product, int32_t other, int side)
{
    if (product != NONE && product != other && fits(c, product))
        add_reader(c, product, side);
    else if (product != NONE)
        c->products[product].alone = true;
}

static void note_reads(struct fma_contraction *c, const struct ptx_instruction *in)
{
    if (!is_sum(&c->function->ops[c->at])) {
        ptx_each_read(in, keep_alone, c);
        return;
    }
    int32_t left = product_in(c, &in->operands[LEFT]), right = product_in(c, &in->operands[RIGHT]);
    note_sum(c, left, right, LEFT);
    note_sum(c, right, left, RIGHT);
}

// True: the instruction only copies a product.
static bool copies_product(struct fma_contraction *c, const struct ptx_instruction *in)
{
    struct contracted_register *to = value_of(c, &in->operands[0]);
    int32_t product = is_copy(&c->function->ops[c->at]) ? product_in(c, &in->operands[1]) : NONE;
    if (product == NONE || !to || to->writers != 1 || !follows(c, product))
        return false;
    to->product = product;
    to->negative = value_of(c, &in->operands[1])->negative != (in->base[0] == 'n');
    return true;
}

static void visit(struct fma_contraction *c)
{
    const struct ptx_instruction *in = c->function->ops[c->at].from;
    if (!copies_product(c, in))
        note_reads(c, in);
    ptx_each_written(in, note_writer, c);
}

// ---- fusing -----------------------------------------------------------------------------------------------------------

struct fused { // an op that negates operands first
    lanes_fn run;
    row from[2], to[2]; // the operands' rows and the negated ones; 0: none
    uint64_t sign;
    bool wide;
};

static void run_fused(struct warp *warp, const struct op *op)
{
    const struct fused *fused = op->fused;
    for (int k = 0; k < 2 && fused->from[k]; k++)
        for (int i = 0; i < LANES; i++)
            if (fused->wide)
                ROW64(warp, fused->to[k])[i] = ROW64(warp, fused->from[k])[i] ^ fused->sign;
            else
                ROW32(warp, fused->to[k])[i] = ROW32(warp, fused->from[k])[i] ^ (uint32_t)fused->sign;
    fused->run(warp, op);
}

static uint64_t sign_of(enum ptx_type type)
{
    return type == TYPE_F64                            ? 1ull << 63
           : type == TYPE_F32                          ? 1u << 31
           : type == TYPE_F16X2 || type == TYPE_BF16X2 ? 0x80008000u
                                                       : 0x8000u;
}

static void negate(struct fma_contraction *c, struct fused *fused, row *operand)
{
    int k = fused->from[0] ? 1 : 0;
    fused->from[k] = *operand;
    fused->to[k] = *operand = decode_scratch(c->function, fused->wide);
}

// Negates the product, the other operand or both before the op runs. False: no memory.
static bool negate_operands(struct fma_contraction *c, struct op *op, bool product, bool other)
{
    enum ptx_type type = op->from->types[0];
    struct fused *fused = arena_take(c->module->arena, sizeof *fused);
    if (!fused)
        return false;
    *fused = (struct fused){ .run = op->run, .sign = sign_of(type), .wide = type == TYPE_F64 };
    if (product)
        negate(c, fused, &op->a);
    if (other)
        negate(c, fused, &op->c);
    op->fused = fused;
    op->run = run_fused;
    return true;
}

// Replaces the sum by an fma of the product's factors and the other operand.
static bool fuse(struct fma_contraction *c, int32_t product, const struct product_reader *reader)
{
    struct op *op = &c->function->ops[reader->sum];
    const struct ptx_instruction *sum = op->from, *mul = c->function->ops[product].from;
    struct ptx_instruction both = *sum;
    if (sum->modifier_count == PTX_MODIFIERS)
        return true; // it stays as it was
    both.base = "fma";
    both.modifiers[both.modifier_count++] = "rn";
    both.operands[1] = mul->operands[1];
    both.operands[2] = mul->operands[2];
    both.operands[3] = sum->operands[reader->side == LEFT ? RIGHT : LEFT];
    both.operand_count = 4;
    if (!decode_replacement(c->module, c->function, &both, op))
        return true;
    bool subtracts = sum->base[0] == 's', held = value_of(c, &sum->operands[reader->side])->negative;
    bool minus_product = held != (subtracts && reader->side == RIGHT);
    bool minus_other = subtracts && reader->side == LEFT;
    return (!minus_product && !minus_other) || negate_operands(c, op, minus_product, minus_other);
}

static bool may_fuse(const struct fma_contraction *c, int32_t product)
{
    return product != NONE && !c->products[product].alone;
}

static bool fuse_all(struct fma_contraction *c, int32_t product)
{
    for (int32_t r = c->products[product].first; r != NONE; r = c->readers[r].next) {
        const struct ptx_instruction *in = c->function->ops[c->readers[r].sum].from;
        int32_t other = product_in(c, &in->operands[c->readers[r].side == LEFT ? RIGHT : LEFT]);
        if (other != NONE)
            c->products[other].alone = true;
        if (!fuse(c, product, &c->readers[r]))
            return false;
    }
    c->products[product].alone = true; // so that it is fused only once
    return true;
}

static bool fuse_sum(struct fma_contraction *c, const struct op *op)
{
    int32_t left = product_in(c, &op->from->operands[LEFT]),
            right = product_in(c, &op->from->operands[RIGHT]);
    if (!may_fuse(c, left))
        left = NONE;
    if (!may_fuse(c, right))
        right = NONE;
    if (left != NONE && right != NONE && c->products[right].readers < c->products[left].readers)
        left = NONE;
    int32_t chosen = left != NONE ? left : right;
    return chosen == NONE || fuse_all(c, chosen);
}

static bool contract(struct fma_contraction *c)
{
    const struct function *f = c->function;
    for (size_t i = 0; i < f->from->register_count; i++)
        c->values[i] = (struct contracted_register){ .written = NONE, .product = NONE };
    find_blocks(c);
    for (size_t i = 0; i < f->op_count; i++)
        ptx_each_written(f->ops[i].from, count_writer, c);
    for (size_t i = 0; i < f->op_count; i++)
        note_product(c, (int32_t)i);
    for (c->at = 0; (size_t)c->at < f->op_count; c->at++)
        visit(c);
    for (size_t i = 0; i < f->op_count; i++)
        if (deadline_passed(&c->module->deadline) || (is_sum(&f->ops[i]) && !fuse_sum(c, &f->ops[i])))
            return false;
    return true;
}

static bool has_products(const struct function *f)
{
    for (size_t i = 0; i < f->op_count; i++)
        if (is_product(&f->ops[i]))
            return true;
    return false;
}

bool contraction_mark(struct sim_module *module, struct function *f)
{
    if (!has_products(f))
        return true;
    struct fma_contraction c = { .module = module, .function = f };
    c.values = malloc((f->from->register_count + 1) * sizeof *c.values);
    c.products = calloc(f->op_count, sizeof *c.products);
    c.readers = malloc(2 * f->op_count * sizeof *c.readers);
    c.block = calloc(f->op_count, sizeof *c.block);
    bool good = c.values && c.products && c.readers && c.block && contract(&c);
    free(c.values);
    free(c.products);
    free(c.readers);
    free(c.block);
    return good;
}
