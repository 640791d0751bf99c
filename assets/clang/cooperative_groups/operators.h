// What reductions and scans combine values by.
#pragma clang system_header
#ifndef WARPBOOK_COOPERATIVE_GROUPS_OPERATORS_H
#define WARPBOOK_COOPERATIVE_GROUPS_OPERATORS_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define WB_GROUP_OPERATOR(NAME, EXPRESSION)                                                                  \
    template <typename T> struct NAME {                                                                      \
        WB_GROUP T operator()(T a, T b) const                                                                \
        {                                                                                                    \
            return EXPRESSION;                                                                               \
        }                                                                                                    \
    };
WB_GROUP_OPERATOR(plus, a + b)
WB_GROUP_OPERATOR(less, b < a ? b : a)    // the least
WB_GROUP_OPERATOR(greater, a < b ? b : a) // the greatest
WB_GROUP_OPERATOR(bit_and, a &b)
WB_GROUP_OPERATOR(bit_or, a | b)
WB_GROUP_OPERATOR(bit_xor, a ^ b)
#undef WB_GROUP_OPERATOR

} // namespace cooperative_groups

#endif
