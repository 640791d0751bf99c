// Operands of products in registers that were filled for something else.
#ifndef WARPBOOK_SIM_FRAGMENTS_H
#define WARPBOOK_SIM_FRAGMENTS_H

#include "engine/sim/machine/fragment.h"
#include "engine/sim/machine/machine.h"

enum mix {
    MIX_NONE,
    MIX_OTHER_SIDE, // loaded as B and taken as A, or the other way round
    MIX_ADDEND,     // loaded as C and taken as A or B
    MIX_ORDER,      // loaded by rows and taken by columns, or the other way round
    MIX_RESULT      // the result of a product, whose elements have another size
};
struct fragment_mix {
    enum mix mix;
    struct fragment operand;
    const struct ptx_instruction *writer;
};
// Before a launch. `operands`: A and B. False: nothing is known to be wrong.
bool fragments_mixed(const struct ptx_function *function, const struct ptx_instruction *product,
                     const struct fragment *const operands[2], struct fragment_mix *out);
// When the product runs.
void fragments_report(struct warp *warp, const struct op *op, const struct fragment_mix *mix);

#endif
