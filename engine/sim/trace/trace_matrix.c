// Which lane holds what of the matrices of the next instruction, and in which register.
#include "engine/sim/machine/fragment.h"
#include "engine/sim/trace/trace.h"

#include <string.h>

// Registers that hold the same as others are left out.
static void name_registers(const struct ptx_function *function, const struct ptx_operand *operand,
                           const struct fragment *f, struct sim_matrix *out)
{
    const bool vector = operand->kind == OPERAND_VECTOR;
    out->register_count = f->distinct;
    for (unsigned r = 0; r < f->distinct && r < SIM_MATRIX_REGISTERS; r++) {
        const struct ptx_operand *part = vector ? &operand->parts[r] : operand;
        out->registers[r] = part->kind == OPERAND_REGISTER ? function->registers[part->reg].name : "";
    }
}

static void show(const struct ptx_function *function, const struct ptx_operand *operand,
                 const struct fragment *f, const char *name, struct sim_matrix *out)
{
    const bool packed = f->elements > 1, down = packed && fragment_place(f, 0, 0, 1).row > 0;
    *out = (struct sim_matrix){ .name = name,
                                .type = element_name(f->type),
                                .rows = f->rows,
                                .columns = f->columns,
                                .tall = down ? f->elements : 1,
                                .wide = packed && !down ? f->elements : 1 };
    out->cell_rows = f->rows / out->tall;
    out->cell_columns = f->columns / out->wide;
    name_registers(function, operand, f, out);
    for (unsigned r = 0; r < f->distinct; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            const struct fragment_place place = fragment_place(f, lane, r, 0);
            const unsigned cell = place.row / out->tall * out->cell_columns + place.column / out->wide;
            out->lane[cell % SIM_MATRIX_CELLS] = (uint8_t)lane;
            out->register_of[cell % SIM_MATRIX_CELLS] = (uint8_t)r;
        }
}

static size_t show_product(const struct ptx_function *function, const struct op *op, struct sim_matrix *out)
{
    const struct ptx_operand *operands = op->from->operands;
    show(function, &operands[0], &op->fragments->d, "D", &out[0]);
    show(function, &operands[1], &op->fragments->a, "A", &out[1]);
    show(function, &operands[2], &op->fragments->b, "B", &out[2]);
    show(function, &operands[3], &op->fragments->c, "C", &out[3]);
    return 4;
}

static size_t show_moved(const struct ptx_function *function, const struct ptx_instruction *in,
                         struct sim_matrix *out)
{
    const bool loads = ptx_has(in, "load");
    const enum matrix matrix = ptx_has(in, "a") ? MATRIX_A : ptx_has(in, "b") ? MATRIX_B : MATRIX_C;
    struct fragment f;
    if (!wmma_moved(in->modifiers, in->modifier_count, matrix, &f))
        return 0;
    show(function, &in->operands[loads ? 0 : 1], &f,
         matrix == MATRIX_A   ? "A"
         : matrix == MATRIX_B ? "B"
         : loads              ? "C"
                              : "D",
         out);
    return 1;
}

// A matrix of 8 rows of 8 elements of 16 bits. By columns, a lane holds two elements of a column.
static struct fragment eight_by_eight(bool by_column)
{
    return (struct fragment){ .matrix = by_column ? MATRIX_B : MATRIX_C,
                              .type = ELEMENT_F16,
                              .rows = 8,
                              .columns = 8,
                              .registers = 1,
                              .elements = 2,
                              .distinct = 1,
                              .tile_registers = 1 };
}

// A matrix in one register, the `at`-th of the instruction.
static void show_eight(const struct ptx_function *function, const struct ptx_operand *operand, bool by_column,
                       const char *name, unsigned at, struct sim_matrix *out)
{
    const struct fragment f = eight_by_eight(by_column);
    show(function, operand, &f, name, out);
    out->type = "b16";
    out->registers[at] = out->registers[0];
    for (unsigned r = 0; r < at; r++)
        out->registers[r] = NULL;
    out->register_count = at + 1;
    memset(out->register_of, (int)at, sizeof out->register_of);
}

// ldmatrix, stmatrix: the matrices as they lie in memory.
static size_t show_rows(const struct ptx_function *function, const struct ptx_instruction *in,
                        struct sim_matrix *out)
{
    static const char *const names[] = { "lanes 0-7", "lanes 8-15", "lanes 16-23", "lanes 24-31" };
    const struct ptx_operand *registers = &in->operands[in->base[0] == 'l' ? 0 : 1];
    const bool vector = registers->kind == OPERAND_VECTOR;
    const size_t count = vector ? (size_t)registers->part_count : 1;
    for (size_t k = 0; k < count && k < SIM_MATRICES; k++)
        show_eight(function, vector ? &registers->parts[k] : registers, ptx_has(in, "trans"), names[k],
                   (unsigned)k, &out[k]);
    return count < SIM_MATRICES ? count : SIM_MATRICES;
}

// ---- sparse products ------------------------------------------------------------------------------------------------

// The place of an element that a lane holds.
static void put_held(const struct sparsity *s, const uint32_t metadata[LANES], struct fragment_place held,
                     unsigned lane, unsigned reg, struct sim_sparsity *out)
{
    const unsigned places = out->columns / out->each;
    const struct sparse_place where = sparse_place(s, held.row, held.column);
    const unsigned bits = metadata[where.lane % LANES] >> where.bit & 3;
    const unsigned first = held.row * places, at = sparse_factor(s, held.column, bits) / out->each;
    uint8_t *of = &out->lane[(first + at) % SIM_SPARSE_PLACES];
    *of = *of == SIM_ZERO ? (uint8_t)lane : SIM_TWICE;
    out->register_of[(first + at) % SIM_SPARSE_PLACES] = (uint8_t)reg;
    for (unsigned k = 0; k < out->group; k++)
        out->by[(first + at / out->group * out->group + k) % SIM_SPARSE_PLACES] = (uint8_t)where.lane;
}

bool sim_trace_sparsity(const struct sim_trace *t, struct sim_sparsity *out)
{
    const struct op *op = t->warp ? &t->warp->function->ops[t->warp->pc] : NULL;
    if (!op || op->kind != OP_SYNCED || !op->from || strcmp(op->from->base, "mma") != 0 ||
        !op->fragments->sparsity.held)
        return false;
    const struct function *function = t->warp->function;
    const struct ptx_operand *operand = &op->from->operands[4];
    const struct sparsity *s = &op->fragments->sparsity;
    const struct fragment *a = &op->fragments->a;
    const bool named = operand->kind == OPERAND_REGISTER, alone = s->type == ELEMENT_TF32;
    uint32_t metadata[LANES];
    *out = (struct sim_sparsity){ .metadata = named ? function->from->registers[operand->reg].name : "",
                                  .rows = a->rows,
                                  .columns = 2 * s->held,
                                  .each = element_bits(s->type) == 4 ? 2 : 1,
                                  .group = alone ? 2 : 4,
                                  .kept = alone ? 1 : 2 };
    memset(out->lane, SIM_ZERO, sizeof out->lane);
    for (unsigned lane = 0; lane < LANES; lane++)
        metadata[lane] =
            named ? ROW32(t->warp, function->register_rows[operand->reg])[lane] : (uint32_t)operand->bits;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned r = 0; r < a->distinct; r++)
            for (unsigned at = 0; at < a->elements; at += out->each)
                put_held(s, metadata, fragment_place(a, lane, r, at), lane, r, out);
    return true;
}

size_t sim_trace_matrices(const struct sim_trace *t, struct sim_matrix out[SIM_MATRICES])
{
    if (!t->warp)
        return 0;
    const struct op *op = &t->warp->function->ops[t->warp->pc];
    const struct ptx_function *function = t->warp->function->from;
    const struct ptx_instruction *in = op->from;
    if (op->kind != OP_SYNCED || !in)
        return 0;
    if (strcmp(in->base, "mma") == 0 || (strcmp(in->base, "wmma") == 0 && ptx_has(in, "mma")))
        return show_product(function, op, out);
    if (strcmp(in->base, "wmma") == 0)
        return show_moved(function, in, out);
    if (strcmp(in->base, "ldmatrix") == 0 || strcmp(in->base, "stmatrix") == 0)
        return show_rows(function, in, out);
    if (strcmp(in->base, "movmatrix") != 0)
        return 0;
    show_eight(function, &in->operands[1], false, "before", 0, &out[0]);
    show_eight(function, &in->operands[0], true, "after", 1, &out[1]);
    return 2;
}
