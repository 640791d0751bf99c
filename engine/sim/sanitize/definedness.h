// Definedness bit by bit, as Valgrind's memcheck follows it: which bits of an instruction's result are undefined when
// some bits of its operands are.
#ifndef WARPBOOK_SIM_SANITIZE_DEFINEDNESS_H
#define WARPBOOK_SIM_SANITIZE_DEFINEDNESS_H

#include "engine/sim/machine/machine.h"

// A value of which some bits may be anything. `value` is 0 in the bits that are set in `undefined`.
struct partial_value {
    uint64_t value, undefined;
};
enum { DEFINEDNESS_SOURCES = 5 };
struct definedness;
typedef uint64_t (*definedness_rule)(const struct definedness *how, const struct partial_value *source);
// How one instruction hands undefined bits on, lane by lane.
struct definedness {
    const struct op *op;
    const struct ptx_instruction *in;
    definedness_rule rule;
    int count;          // of its sources: the operands after the first
    unsigned width;     // bits of the instruction's first type
    bool is_signed;     // that type is
    bool second_output; // the result asked for is that behind the bar in d|p
};

// The rule of an instruction whose result in a lane depends on the operands in that lane alone. An instruction without a
// rule of its own makes its whole result undefined when any bit of an operand is. `values_known`: the sources' values are
// those that it will read; without them most rules cannot say more than that.
struct definedness definedness_of(const struct op *op, bool values_known);
// The undefined bits of the result in one lane.
uint64_t definedness_result(const struct definedness *how, const struct partial_value *source);
// So many low bits set.
static inline uint64_t bits_below(unsigned count)
{
    return count >= 64 ? ~0ull : (1ull << count) - 1;
}
// The low `width` bits, extended by the highest of them or by zeros.
uint64_t bits_extended(uint64_t bits, unsigned width, bool is_signed);

#endif
