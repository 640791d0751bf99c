// Loads and stores of matrices by a whole warp: ldmatrix, stmatrix, wmma.load, wmma.store.
//
// Each is a sequence of steps. In a step every lane accesses a few bytes: of a matrix of 8 rows of 16 bytes, four lanes
// share a row, so that the step touches what the hardware touches and has the conflicts that the hardware has. Where the
// elements of a register do not follow each other in memory, the lanes then exchange halves, as movmatrix does.
#include "engine/sim/access/access.h"
#include "engine/sim/machine/fragment.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

enum { GROUP = 4, MOST_STEPS = 32 };
struct matrix_access {                 // what op->matrix points to
    const row *registers;              // of the fragment
    unsigned register_count, distinct; // those after `distinct` hold the same again
    bool wide;                         // they have 64 bits
    row stride_row;                    // wmma: the elements from one row or column in memory to the next
    unsigned element_bits;
    bool by_lanes;    // lanes 8 i to 8 i + 7 have the addresses of the rows of matrix i
    bool counts_once; // in shared memory
    unsigned step_count;
    const struct matrix_step *steps;
};
struct matrix_step {
    struct matrix_part part;
    struct {
        uint8_t row, column; // in memory
    } first[LANES];          // of each lane's elements
};

// ---- moving -----------------------------------------------------------------------------------------------------------

static void matrix_transpose(uint32_t lane[LANES])
{
    uint32_t turned[LANES];
    for (unsigned i = 0; i < LANES; i++)
        turned[i] = matrix_transposed(lane, i);
    memcpy(lane, turned, sizeof turned);
}

static void step_addresses(const struct warp *warp, const struct op *op, const struct matrix_access *m,
                           const struct matrix_step *step, unsigned number, uint64_t at[LANES])
{
    uint64_t given[LANES];
    address_compute(warp, op, given);
    for (unsigned i = 0; i < LANES; i++) {
        if (m->by_lanes) {
            at[i] = given[(8 * number + i / GROUP) % LANES] + i % GROUP * 4;
            continue;
        }
        const uint64_t stride = ROW32(warp, m->stride_row)[i];
        at[i] = given[i] + (step->first[i].row * stride + step->first[i].column) * m->element_bits / 8;
    }
}

// The addresses of rows are multiples of 16.
static bool rows_are_aligned(struct warp *warp, const struct op *op, const struct matrix_access *m)
{
    uint64_t given[LANES];
    uint32_t crooked = 0;
    if (!m->by_lanes)
        return true;
    address_compute(warp, op, given);
    for (unsigned i = 0; i < 8 * m->step_count; i++)
        crooked |= (uint32_t)((given[i] & 15) != 0) << i & warp->active;
    if (crooked)
        finding_misaligned(warp, op, op->space == SPACE_GENERIC ? SPACE_SHARED : (enum ptx_space)op->space,
                           given, crooked, 16, op->access == SIM_SHARED_STORE);
    return !crooked;
}

static void take(const struct warp *warp, const struct op *op, const struct matrix_access *m,
                 const struct matrix_part *part, const struct lane_addresses *reach)
{
    uint32_t whole[LANES] = { 0 };
    for (uint32_t left = reach->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const unsigned char *from = address_host(reach, i);
        const unsigned width = op->bytes / part->count;
        for (unsigned k = 0; k < part->count; k++) {
            if (m->wide) {
                memcpy(&ROW64(warp, m->registers[part->first + k])[i], from + k * width, 8);
                continue;
            }
            uint32_t value = 0;
            memcpy(&value, from + k * width, width);
            uint32_t *to = &ROW32(warp, m->registers[part->first + k])[i];
            *to = part->shift ? *to | value << part->shift : value;
            whole[i] = *to;
        }
    }
    if (!part->transposed)
        return;
    matrix_transpose(whole);
    for (uint32_t left = warp->active; left; left &= left - 1)
        ROW32(warp, m->registers[part->first])[__builtin_ctz(left)] = whole[__builtin_ctz(left)];
}

static void give(const struct warp *warp, const struct op *op, const struct matrix_access *m,
                 const struct matrix_part *part, const struct lane_addresses *reach)
{
    uint32_t whole[LANES];
    if (part->transposed) {
        memcpy(whole, ROW32(warp, m->registers[part->first]), sizeof whole);
        matrix_transpose(whole);
    }
    for (uint32_t left = reach->mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        unsigned char *to = address_host(reach, i);
        const unsigned width = op->bytes / part->count;
        for (unsigned k = 0; k < part->count; k++) {
            if (m->wide) {
                memcpy(to + k * width, &ROW64(warp, m->registers[part->first + k])[i], 8);
                continue;
            }
            const uint32_t value =
                part->transposed ? whole[i] : ROW32(warp, m->registers[part->first + k])[i] >> part->shift;
            memcpy(to + k * width, &value, width);
        }
    }
}

static void clear(const struct warp *warp, const struct matrix_access *m, const struct matrix_part *part)
{
    for (uint32_t left = warp->active; left; left &= left - 1)
        for (unsigned k = 0; k < part->count; k++)
            if (m->wide)
                ROW64(warp, m->registers[part->first + k])[__builtin_ctz(left)] = 0;
            else if (!part->shift)
                ROW32(warp, m->registers[part->first + k])[__builtin_ctz(left)] = 0;
}

// An instruction of the hardware for several steps counts as one request.
static void count_once(struct warp *warp, const struct op *op, const struct matrix_access *m)
{
    if (!warp->tallies || !m->counts_once)
        return;
    struct cost *cost = &warp->tallies[op->tally].cost[COST_SHARED];
    if (cost->requests >= m->step_count)
        cost->requests -= m->step_count - 1;
}

static void access_matrix(struct warp *warp, const struct op *op)
{
    const struct matrix_access *m = op->matrix;
    const bool loads = op->access == SIM_SHARED_LOAD || op->access == SIM_GLOBAL_LOAD;
    if (!rows_are_aligned(warp, op, m))
        return;
    for (unsigned k = 0; k < m->step_count; k++) {
        const struct matrix_part *part = &m->steps[k].part;
        const struct access_request ask = { .read = loads, .write = !loads, .part = part };
        struct lane_addresses reach;
        step_addresses(warp, op, m, &m->steps[k], k, reach.at);
        if (loads)
            clear(warp, m, part);
        if (!address_resolve_given(warp, op, &ask, &reach))
            continue;
        (loads ? take : give)(warp, op, m, part, &reach);
    }
    count_once(warp, op, m);
}

// ---- decoding ---------------------------------------------------------------------------------------------------------

static const row *registers_of(struct decoding *d, const struct ptx_operand *operand, unsigned count,
                               enum ptx_type type, bool written)
{
    const bool vector = operand->kind == OPERAND_VECTOR;
    if ((vector ? (unsigned)operand->part_count : 1) != count) {
        d->trouble = "it has another number of registers than its matrices need";
        return NULL;
    }
    row *rows = arena_take(d->module->arena, count * sizeof *rows);
    for (unsigned k = 0; rows && k < count; k++) {
        const struct ptx_operand *part = vector ? &operand->parts[k] : operand;
        rows[k] = written ? decode_destination(d, part, type) : decode_value(d, part, type);
        if (!rows[k])
            return NULL;
    }
    return rows;
}

// All lanes of the warp take part.
static bool decode_rest(struct decoding *d, struct op *out, struct matrix_access *m, bool loads, int address)
{
    static const struct ptx_operand all = { .kind = OPERAND_IMMEDIATE, .bits = FULL_MASK };
    if (!decode_address(d, &d->in->operands[address], out))
        return false;
    out->matrix = m;
    out->kind = OP_SYNCED;
    out->members = decode_value(d, &all, TYPE_B32);
    out->access = out->space == SPACE_SHARED ? (loads ? SIM_SHARED_LOAD : SIM_SHARED_STORE)
                                             : (loads ? SIM_GLOBAL_LOAD : SIM_GLOBAL_STORE);
    out->parts = m->steps[0].part.count;
    out->run = access_matrix;
    return out->members != 0;
}

// ldmatrix, stmatrix: one, two or four matrices of 8 rows of 16 bytes; a step for each.
static bool decode_rows(struct decoding *d, struct op *out, bool loads)
{
    const struct ptx_instruction *in = d->in;
    const unsigned count = ptx_has(in, "x4") ? 4 : ptx_has(in, "x2") ? 2 : ptx_has(in, "x1") ? 1 : 0;
    if (in->operand_count != 2 || !count || !ptx_has(in, "m8n8") || !ptx_has(in, "b16"))
        return decode_fails(d, "this form of it is not known");
    struct matrix_access *m = arena_take(d->module->arena, sizeof *m);
    struct matrix_step *steps = arena_take(d->module->arena, count * sizeof *steps);
    if (!m || !steps)
        return decode_fails(d, "there is no memory left");
    for (unsigned k = 0; k < count; k++)
        steps[k].part =
            (struct matrix_part){ .first = (uint8_t)k, .count = 1, .transposed = ptx_has(in, "trans") };
    m->registers = registers_of(d, &in->operands[loads ? 0 : 1], count, TYPE_B32, loads);
    m->steps = steps;
    m->step_count = count;
    m->by_lanes = m->counts_once = true;
    out->space = (uint8_t)ptx_space_of(in);
    out->bytes = 4;
    return m->registers && decode_rest(d, out, m, loads, loads ? 1 : 0);
}

static bool decode_ldmatrix(struct decoding *d, struct op *out)
{
    return decode_rows(d, out, true);
}

static bool decode_stmatrix(struct decoding *d, struct op *out)
{
    return decode_rows(d, out, false);
}

// ---- wmma.load, wmma.store ----------------------------------------------------------------------------------------------

struct memory_place {
    unsigned row, column;
};

// Where an element lies in memory: rows of it follow each other there, or columns.
static struct memory_place place_in_memory(const struct fragment *f, bool by_column, unsigned lane,
                                           unsigned index, unsigned at)
{
    const struct fragment_place place = fragment_place(f, lane, index, at);
    return by_column ? (struct memory_place){ place.column, place.row }
                     : (struct memory_place){ place.row, place.column };
}

// Whether the next element of a lane is the next one in memory.
static bool are_neighbours(const struct fragment *f, bool by_column)
{
    const bool pairs = f->elements > 1;
    const struct memory_place one = place_in_memory(f, by_column, 0, 0, 0),
                              next = place_in_memory(f, by_column, 0, !pairs, pairs);
    return one.row == next.row && one.column + 1 == next.column;
}

static void place_step(const struct fragment *f, bool by_column, unsigned element, struct matrix_step *step)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct memory_place at = place_in_memory(f, by_column, lane, step->part.first, element);
        if (step->part.transposed) { // four lanes read a row of memory, and exchange what they read
            at = place_in_memory(f, by_column, 0, step->part.first, 0);
            at.row += lane / GROUP;
            at.column += lane % GROUP * 2;
        }
        step->first[lane].row = (uint8_t)at.row;
        step->first[lane].column = (uint8_t)at.column;
    }
}

// Registers whose elements are neighbours move as a whole, in C two at a time where each has one element. Those whose
// halves are not are exchanged between lanes (MOVM in machine code); all others move element by element.
static unsigned lay_steps(const struct fragment *f, bool by_column, struct matrix_step *steps)
{
    const unsigned bits = element_bits(f->type);
    const bool neighbours = are_neighbours(f, by_column), single = f->elements == 1;
    const unsigned together = single && f->matrix == MATRIX_C && neighbours ? 2 : 1;
    const bool exchanged = !single && !neighbours && bits == 16;
    const unsigned pieces = single || neighbours || exchanged ? 1 : f->elements;
    unsigned count = 0;
    for (unsigned r = 0; r < f->distinct; r += together)
        for (unsigned piece = 0; piece < pieces; piece++) {
            struct matrix_step *step = &steps[count++];
            step->part = (struct matrix_part){ .first = (uint8_t)r,
                                               .count = (uint8_t)together,
                                               .shift = (uint8_t)(piece * bits),
                                               .transposed = exchanged };
            place_step(f, by_column, piece, step);
        }
    return count;
}

static unsigned step_bytes(const struct fragment *f, const struct matrix_step *steps, unsigned count)
{
    const unsigned bytes = element_bits(f->type) / 8;
    if (f->elements == 1)
        return steps->part.count * bytes;
    return count > f->distinct ? bytes : 4;
}

// The distance of rows or columns in memory; without one they adjoin.
static row stride_of(struct decoding *d, int at, unsigned adjoining)
{
    const struct ptx_operand none = { .kind = OPERAND_IMMEDIATE, .bits = adjoining };
    return decode_value(d, d->in->operand_count > at ? &d->in->operands[at] : &none, TYPE_B32);
}

// Registers that hold the same as others.
static void load_twice(struct warp *warp, const struct op *op)
{
    const struct matrix_access *m = op->matrix;
    access_matrix(warp, op);
    for (unsigned r = m->distinct; r < m->register_count; r++)
        EACH_LANE(warp, ROW32(warp, m->registers[r]), ROW32(warp, m->registers[r % m->distinct])[i]);
}

static bool decode_wmma(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    const bool loads = ptx_has(in, "load"), by_column = ptx_has(in, "col");
    const enum matrix matrix = ptx_has(in, "a") ? MATRIX_A : ptx_has(in, "b") ? MATRIX_B : MATRIX_C;
    struct fragment f;
    if ((!loads && !ptx_has(in, "store")) || in->operand_count < 2)
        return decode_fails(d, "this form of it is not known");
    if (!wmma_moved(in->modifiers, in->modifier_count, matrix, &f))
        return decode_fails(d, "this shape of it is not known with this type");
    struct matrix_access *m = arena_take(d->module->arena, sizeof *m);
    struct matrix_step *steps = arena_take(d->module->arena, MOST_STEPS * sizeof *steps);
    if (!m || !steps)
        return decode_fails(d, "there is no memory left");
    m->steps = steps;
    m->step_count = lay_steps(&f, by_column, steps);
    if (element_bits(f.type) < 8 && m->step_count > f.distinct)
        return decode_fails(d, "elements of less than a byte lie by rows in A and by columns in B");
    m->wide = f.type == ELEMENT_F64;
    m->element_bits = element_bits(f.type);
    m->registers =
        registers_of(d, &in->operands[loads ? 0 : 1], f.registers, m->wide ? TYPE_F64 : TYPE_B32, loads);
    m->register_count = f.registers;
    m->distinct = f.distinct;
    m->counts_once = matrix != MATRIX_C && m->element_bits < 32;
    m->stride_row = stride_of(d, 2, by_column ? f.rows : f.columns);
    out->space = (uint8_t)ptx_space_of(in);
    out->bytes = (uint8_t)step_bytes(&f, steps, m->step_count);
    if (!m->registers || !m->stride_row || !decode_rest(d, out, m, loads, loads ? 1 : 0))
        return false;
    if (f.registers > f.distinct)
        out->run = load_twice;
    return true;
}

const struct decoder matrix_decoders[] = {
    { "ldmatrix", decode_ldmatrix }, { "stmatrix", decode_stmatrix }, { "wmma", decode_wmma }, { NULL, NULL }
};
