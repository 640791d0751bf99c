// Fragments: which element of a matrix each lane of a warp holds, in which register and at which place in it. Tensor
// instructions spread their matrices over the registers of a whole warp; the layouts are those of the PTX ISA, chapter
// "Matrix fragments", except for `wmma`, which leaves them open: there they are those of an H100.
#ifndef WARPBOOK_SIM_FRAGMENT_H
#define WARPBOOK_SIM_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

enum element { // the types that a matrix can have
    ELEMENT_NONE,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32,
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_E4M3,
    ELEMENT_E5M2,
    ELEMENT_S8,
    ELEMENT_U8,
    ELEMENT_S4,
    ELEMENT_U4,
    ELEMENT_B1,
    ELEMENT_S32,
    ELEMENTS
};
unsigned element_bits(enum element type);
enum element element_of_name(const char *name); // "bf16"; ELEMENT_NONE: no matrix has it

enum matrix { MATRIX_A, MATRIX_B, MATRIX_C }; // C: an addend or a result
struct fragment {
    enum matrix matrix;
    enum element type;
    unsigned rows, columns;
    unsigned registers; // of each lane
    unsigned elements;  // in a register
    unsigned distinct;  // registers after these hold the same again
    // A matrix larger than what one instruction of the hardware multiplies is a row or a column of tiles.
    unsigned tile_registers;
    bool transposed;
    // The product of sm_70: four of them at once, each by the eight lanes of a pair of quads. Their matrices A, addends and
    // results stand one above the other here, their matrices B side by side.
    bool quads;
    bool crosswise; // of quads: a lane holds a column of A, or a row of B
};
enum { QUAD_SIZE = 8 }; // rows and columns of each result
struct fragment_place {
    unsigned row, column;
};
// Of a sparse product: A has half of the elements of a row, and where these belong is in a register of some lanes.
struct sparsity {
    enum element type;
    unsigned held;     // elements of a row of A; 0: the product is not sparse
    unsigned selector; // which lanes
};
// What a product multiplies and adds, as its operands hold it.
struct fragments {
    struct fragment a, b, c, d; // c and d have different types in products of sm_70 alone
    unsigned instructions;      // of the tensor cores of an H100
    struct sparsity sparsity;   // of a
};
// Where element `at` of register `index` of this lane lies in the matrix.
struct fragment_place fragment_place(const struct fragment *fragment, unsigned lane, unsigned index,
                                     unsigned at);

// The column of B that takes part in an element of the result.
static inline unsigned fragment_factor(const struct fragment *result, struct fragment_place place)
{
    return result->quads ? place.row / QUAD_SIZE * QUAD_SIZE + place.column : place.column;
}

// The two bits that say where an element of a row of A belongs: `bit` is the lower one.
struct sparse_place {
    unsigned lane, bit; // past the row's group of lanes: there is no such selector
};
struct sparse_place sparse_place(const struct sparsity *sparsity, unsigned row, unsigned element);
// The row of B that the element is multiplied with, given these bits.
static inline unsigned sparse_factor(const struct sparsity *sparsity, unsigned element, unsigned bits)
{
    if (sparsity->type == ELEMENT_TF32)
        return 2 * element + bits / 2;
    if (element_bits(sparsity->type) == 4)
        return element / 4 * 8 + 2 * bits + element % 2;
    return element / 2 * 4 + bits;
}

// A shape that `mma` or `wmma` has for these types of A, B and the result.
struct matrix_shape {
    const char *name; // "m16n8k16"
    unsigned m, n, k;
};
// NULL: there is none.
const struct matrix_shape *mma_shape_of(const char *name, bool sparse, enum element a, enum element b,
                                        enum element c);
const struct matrix_shape *wmma_shape_of(const char *name, enum element a, enum element b, enum element c);
struct fragment mma_fragment(const struct matrix_shape *shape, enum matrix matrix, enum element type);
struct fragment wmma_fragment(const struct matrix_shape *shape, enum matrix matrix, enum element type);
// What wmma.load or wmma.store with these modifiers moves. False: no product has such a matrix.
bool wmma_moved(const char *const *modifiers, int count, enum matrix matrix, struct fragment *out);
const char *element_name(enum element type);

#endif
