// The layouts of fragments, as tables of shapes and one rule for each matrix.
#include "engine/sim/machine/fragment.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bits;
} elements[ELEMENTS] = {
    [ELEMENT_NONE] = { "", 0 },      [ELEMENT_F16] = { "f16", 16 },  [ELEMENT_BF16] = { "bf16", 16 },
    [ELEMENT_TF32] = { "tf32", 32 }, [ELEMENT_F32] = { "f32", 32 },  [ELEMENT_F64] = { "f64", 64 },
    [ELEMENT_E4M3] = { "e4m3", 8 },  [ELEMENT_E5M2] = { "e5m2", 8 }, [ELEMENT_S8] = { "s8", 8 },
    [ELEMENT_U8] = { "u8", 8 },      [ELEMENT_S4] = { "s4", 4 },     [ELEMENT_U4] = { "u4", 4 },
    [ELEMENT_B1] = { "b1", 1 },      [ELEMENT_S32] = { "s32", 32 },
};

unsigned element_bits(enum element type)
{
    return elements[type].bits;
}

const char *element_name(enum element type)
{
    return elements[type].name;
}

enum element element_of_name(const char *name)
{
    for (int i = ELEMENT_NONE + 1; i < ELEMENTS; i++)
        if (strcmp(elements[i].name, name) == 0)
            return (enum element)i;
    return ELEMENT_NONE;
}

// ---- places -----------------------------------------------------------------------------------------------------------

// A warp's lanes form eight groups of four. In A, a group has one row of each eight rows, and its lanes follow each other
// along it. B is A with rows and columns exchanged. In C, a lane has pairs of neighbours.
enum { GROUP = 4, GROUPS = 8, TILE = 16 };

static struct fragment_place place_in_c(const struct fragment *f, unsigned tile, unsigned lane,
                                        unsigned element)
{
    const unsigned rows = f->transposed ? f->columns : f->rows;
    unsigned row = lane / GROUP + element / 2 * GROUPS, column = lane % GROUP * 2 + element % 2;
    if (rows > TILE)
        row += tile * TILE;
    else
        column += tile * GROUPS;
    return f->transposed ? (struct fragment_place){ column, row } : (struct fragment_place){ row, column };
}

// Lanes 0 to 3 and 16 to 19 have the first of four products; of each, the upper half of the warp has the rows of A, or the
// columns of B, from 4 on. Floats of a result are dealt out two by two.
static struct fragment_place place_in_quads(const struct fragment *f, unsigned lane, unsigned element)
{
    const unsigned quad = lane / GROUP % GROUP, upper = lane / TILE * GROUP, own = lane % GROUP + upper;
    if (f->matrix == MATRIX_C && f->type == ELEMENT_F32)
        return (struct fragment_place){ quad * QUAD_SIZE + (lane & 1) + (element & 2) + upper,
                                        (element & 4) + (lane & 2) + (element & 1) };
    if (f->matrix == MATRIX_C)
        return (struct fragment_place){ quad * QUAD_SIZE + own, element };
    const unsigned across = f->crosswise ? element + upper : own,
                   along = f->crosswise ? lane % GROUP : element;
    return f->matrix == MATRIX_A ? (struct fragment_place){ quad * QUAD_SIZE + across, along }
                                 : (struct fragment_place){ along, quad * QUAD_SIZE + across };
}

struct fragment_place fragment_place(const struct fragment *f, unsigned lane, unsigned index, unsigned at)
{
    if (f->quads)
        return place_in_quads(f, lane, index * f->elements + at);
    index %= f->distinct;
    const unsigned tile = index / f->tile_registers;
    index %= f->tile_registers;
    if (f->matrix == MATRIX_C)
        return place_in_c(f, tile, lane, index * f->elements + at);
    // Tiles have 16 rows of A, or 8 columns of B; in a transposed product it is the other way round.
    const unsigned size = f->matrix == MATRIX_A ? f->rows : f->columns;
    const bool tall = (f->matrix == MATRIX_A) != f->transposed && size >= TILE;
    const unsigned across = lane / GROUP + (tall ? index % 2 * GROUPS + tile * TILE : tile * GROUPS);
    const unsigned along = ((tall ? index / 2 : index) * GROUP + lane % GROUP) * f->elements + at;
    return f->matrix == MATRIX_A ? (struct fragment_place){ across, along }
                                 : (struct fragment_place){ along, across };
}

// ---- sparse matrices ----------------------------------------------------------------------------------------------------

// Each four elements of a row have two that are held, with an index of two bits each. Of four bits, pairs have one; of tf32,
// each two elements have one, whose index counts halves of it: its upper bit decides.
static unsigned index_bits(const struct sparsity *s, unsigned count)
{
    return s->type == ELEMENT_TF32 ? 4 * count : element_bits(s->type) == 4 ? count / 2 * 2 : 2 * count;
}

// A row of 8 or 4 bits has whole registers: that of a lane, and for more than 16 indices that of the lane after next. Of wider
// types a lane has 16 bits of each of the two rows of its group, and as many neighbours as a row needs have the others.
struct sparse_place sparse_place(const struct sparsity *s, unsigned row, unsigned element)
{
    const unsigned at = index_bits(s, element), group = row % GROUPS * GROUP, second = row / GROUPS;
    if (element_bits(s->type) <= 8)
        return (struct sparse_place){ group + (s->selector + at / 32) * 2 + second, at % 32 };
    const unsigned lanes = index_bits(s, s->held) / 16;
    return (struct sparse_place){ group + s->selector * lanes + at / 16, second * 16 + at % 16 };
}

// ---- shapes -----------------------------------------------------------------------------------------------------------

struct known_shape {
    struct matrix_shape shape;
    const char *types; // of A, each between spaces
};
static const struct known_shape mma_shapes[] = {
    { { "m16n8k4", 16, 8, 4 }, " tf32 f64 " },
    { { "m16n8k8", 16, 8, 8 }, " f16 bf16 tf32 f64 " },
    { { "m16n8k16", 16, 8, 16 }, " f16 bf16 f64 s8 u8 " },
    { { "m16n8k32", 16, 8, 32 }, " s8 u8 e4m3 e5m2 s4 u4 " },
    { { "m16n8k64", 16, 8, 64 }, " s4 u4 " },
    { { "m16n8k128", 16, 8, 128 }, " b1 " },
    { { "m16n8k256", 16, 8, 256 }, " b1 " },
    { { "m8n8k4", 8, 8, 4 }, " f64 f16 " },
    { { "m8n8k16", 8, 8, 16 }, " s8 u8 " },
    { { "m8n8k32", 8, 8, 32 }, " s4 u4 " },
    { { "m8n8k128", 8, 8, 128 }, " b1 " },
    { { NULL, 0, 0, 0 }, NULL },
};
static const struct known_shape sparse_shapes[] = {
    { { "m16n8k8", 16, 8, 8 }, " tf32 " },
    { { "m16n8k16", 16, 8, 16 }, " f16 bf16 tf32 " },
    { { "m16n8k32", 16, 8, 32 }, " f16 bf16 s8 u8 " },
    { { "m16n8k64", 16, 8, 64 }, " s8 u8 e4m3 e5m2 s4 u4 " },
    { { "m16n8k128", 16, 8, 128 }, " s4 u4 " },
    { { NULL, 0, 0, 0 }, NULL },
};
static const struct known_shape wmma_shapes[] = {
    { { "m16n16k16", 16, 16, 16 }, " f16 bf16 s8 u8 " },
    { { "m32n8k16", 32, 8, 16 }, " f16 bf16 s8 u8 " },
    { { "m8n32k16", 8, 32, 16 }, " f16 bf16 s8 u8 " },
    { { "m16n16k8", 16, 16, 8 }, " tf32 " },
    { { "m8n8k4", 8, 8, 4 }, " f64 " },
    { { "m8n8k32", 8, 8, 32 }, " s4 u4 " },
    { { "m8n8k128", 8, 8, 128 }, " b1 " },
    { { NULL, 0, 0, 0 }, NULL },
};

// Types that may meet in one product, and what it may be added to.
static bool go_together(enum element a, enum element b, enum element c)
{
    switch (a) {
    case ELEMENT_F16:
        return b == a && (c == ELEMENT_F16 || c == ELEMENT_F32);
    case ELEMENT_BF16:
    case ELEMENT_TF32:
        return b == a && c == ELEMENT_F32;
    case ELEMENT_E4M3:
    case ELEMENT_E5M2:
        return (b == ELEMENT_E4M3 || b == ELEMENT_E5M2) && (c == ELEMENT_F16 || c == ELEMENT_F32);
    case ELEMENT_F64:
        return b == a && c == a;
    case ELEMENT_S8:
    case ELEMENT_U8:
        return (b == ELEMENT_S8 || b == ELEMENT_U8) && c == ELEMENT_S32;
    case ELEMENT_S4:
    case ELEMENT_U4:
        return (b == ELEMENT_S4 || b == ELEMENT_U4) && c == ELEMENT_S32;
    case ELEMENT_B1:
        return b == a && c == ELEMENT_S32;
    default:
        return false;
    }
}

static bool is_listed(const char *types, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = types; (at = strstr(at, name)); at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static const struct matrix_shape *shape_of(const struct known_shape *known, const char *name, enum element a,
                                           enum element b, enum element c)
{
    if (a == ELEMENT_NONE || !go_together(a, b, c))
        return NULL;
    for (; known->types; known++)
        if (strcmp(known->shape.name, name) == 0 && is_listed(known->types, elements[a].name))
            return &known->shape;
    return NULL;
}

const struct matrix_shape *mma_shape_of(const char *name, bool sparse, enum element a, enum element b,
                                        enum element c)
{
    return shape_of(sparse ? sparse_shapes : mma_shapes, name, a, b, c);
}

const struct matrix_shape *wmma_shape_of(const char *name, enum element a, enum element b, enum element c)
{
    return a == b ? shape_of(wmma_shapes, name, a, b, c) : NULL;
}

enum { LANES_OF_WARP = 32, REGISTER_BITS = 32 };

struct fragment mma_fragment(const struct matrix_shape *shape, enum matrix matrix, enum element type)
{
    struct fragment out = { .matrix = matrix,
                            .type = type,
                            .rows = matrix == MATRIX_B ? shape->k : shape->m,
                            .columns = matrix == MATRIX_A ? shape->k : shape->n };
    out.quads = shape->m == QUAD_SIZE && shape->k == 4 && type != ELEMENT_F64;
    *(matrix == MATRIX_B ? &out.columns : &out.rows) *= out.quads ? GROUP : 1;
    const unsigned bits = element_bits(type);
    out.elements = bits < REGISTER_BITS ? REGISTER_BITS / bits : 1;
    out.registers = out.distinct = out.tile_registers = out.rows * out.columns / LANES_OF_WARP / out.elements;
    return out;
}

// A product of m8n32 is one of m32n8 with both sides exchanged. A and B of f16 have their registers twice, as on the first
// GPUs that had tensor cores.
struct fragment wmma_fragment(const struct matrix_shape *shape, enum matrix matrix, enum element type)
{
    struct fragment out = mma_fragment(shape, matrix, type);
    out.transposed = shape->n > TILE;
    const unsigned m = out.transposed ? shape->n : shape->m, n = out.transposed ? shape->m : shape->n;
    const bool first = (matrix == MATRIX_A) != out.transposed;
    const unsigned tiles = matrix == MATRIX_C ? (m > TILE ? m / TILE : n / GROUPS)
                           : first            ? (m > TILE ? m / TILE : 1)
                                              : n / GROUPS;
    out.tile_registers = out.registers / tiles;
    if (type == ELEMENT_F16 && matrix != MATRIX_C)
        out.registers = 8;
    return out;
}

// A type goes with all shapes that it has in some product.
static const struct matrix_shape *shape_with(const char *name, enum matrix matrix, enum element type)
{
    static const enum element factors[] = { ELEMENT_F16, ELEMENT_BF16, ELEMENT_TF32, ELEMENT_F64, ELEMENT_S8,
                                            ELEMENT_U8,  ELEMENT_S4,   ELEMENT_U4,   ELEMENT_B1 };
    const struct matrix_shape *shape = NULL;
    for (size_t k = 0; k < sizeof factors / sizeof *factors && !shape; k++) {
        const enum element a = matrix == MATRIX_C ? factors[k] : type;
        const enum element c = matrix == MATRIX_C ? type
                               : a == ELEMENT_F64 ? ELEMENT_F64
                               : a >= ELEMENT_S8  ? ELEMENT_S32
                                                  : ELEMENT_F32;
        shape = wmma_shape_of(name, a, a, c);
    }
    return shape;
}

bool wmma_moved(const char *const *modifiers, int count, enum matrix matrix, struct fragment *out)
{
    enum element type = ELEMENT_NONE;
    const struct matrix_shape *shape = NULL;
    for (int i = 0; i < count && type == ELEMENT_NONE; i++)
        type = element_of_name(modifiers[i]);
    for (int i = 0; i < count && !shape; i++)
        shape = shape_with(modifiers[i], matrix, type);
    if (shape)
        *out = wmma_fragment(shape, matrix, type);
    return shape != NULL;
}
