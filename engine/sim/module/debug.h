// The variables of the source, from the debugging information that a compiler puts into PTX: dwarf.c reads what they are
// and where the compiler says they are, known.c decides where that holds.
#ifndef WARPBOOK_SIM_DEBUG_H
#define WARPBOOK_SIM_DEBUG_H

#include "engine/sim/machine/machine.h"

enum debug_kind { DEBUG_NUMBER, DEBUG_POINTER, DEBUG_ARRAY, DEBUG_STRUCT, DEBUG_SAME, DEBUG_OTHER };
enum { DEBUG_DIMENSIONS = 4, DEBUG_DEPTH = 16 };
struct debug_type {
    enum debug_kind kind;
    const char *name; // "float"; "": it has none
    // For DEBUG_SAME "const", "volatile", or "" for a typedef; for DEBUG_POINTER " *", " &".
    const char *qualifier;
    enum sim_number is;
    uint64_t bytes;
    const struct debug_type
        *to; // what it points to, its elements, what it is the same as; NULL: nothing known
    uint64_t counts[DEBUG_DIMENSIONS];
    int dimensions;
    struct debug_member {
        const char *name;
        uint64_t at;
        const struct debug_type *type;
        size_t type_at;
        struct debug_member *next;
    } * members;
    size_t at, to_at; // where it and `to` are described; to_at 0: nowhere
};

// Where a variable is. DEBUG_IN_MEMORY: it never moves. DEBUG_IN_REGISTER: in one register. DEBUG_MOVES: by claims.
enum debug_place {
    DEBUG_NOWHERE,
    DEBUG_CONSTANT,
    DEBUG_IN_REGISTER,
    DEBUG_MOVES,
    DEBUG_IN_LOCAL,
    DEBUG_IN_SHARED
};
struct debug_claim { // from one op to before another, it is in this register; -1: it is somewhere else
    size_t from, to;
    int reg;
};
struct debug_variable {
    const char *name;
    const struct debug_type *type;
    size_t type_at;
    size_t from, to; // ops of its scope: [from, to)
    bool parameter;
    enum debug_place place;
    uint64_t at; // DEBUG_IN_LOCAL: in the frame; DEBUG_IN_SHARED: in the block's; DEBUG_CONSTANT: the value
    uint64_t stack; // DEBUG_IN_LOCAL: where what %SP points to begins
    int reg;
    struct debug_claim *claims;
    size_t claim_count;
};
struct
    debug_function { // by function->index; in the order in which they are described, an outer scope before an inner one
    struct debug_variable *variables;
    size_t count;
};
struct debug_info {
    struct debug_function *functions;
    struct arena *arena;
};

// NULL: the text has none, or there is no memory. What cannot be understood is left out. Its arena holds all of it.
struct debug_info *debug_read(const struct sim_module *module);

// The type without names and qualifiers; NULL: not known.
static inline const struct debug_type *debug_plain(const struct debug_type *type)
{
    for (int depth = 0; type && type->kind == DEBUG_SAME; depth++)
        type = depth < DEBUG_DEPTH ? type->to : NULL;
    return type;
}

// 0: not known
static inline uint64_t debug_bytes(const struct debug_type *type)
{
    uint64_t times = 1;
    type = debug_plain(type);
    for (int depth = 0; type && type->kind == DEBUG_ARRAY && depth < DEBUG_DEPTH; depth++) {
        for (int i = 0; i < type->dimensions; i++) {
            if (type->counts[i] && times > UINT32_MAX / type->counts[i])
                return 0;
            times *= type->counts[i];
        }
        type = debug_plain(type->to);
    }
    bool known = type && type->kind != DEBUG_ARRAY && type->bytes && times <= UINT32_MAX / type->bytes;
    return known ? times * type->bytes : 0;
}

// ---- known.c --------------------------------------------------------------------------------------------

// What is known of a part of a variable before the op at pc, whichever way led there.
enum debug_known {
    KNOWN_NOTHING,
    KNOWN_NO_VALUE,    // none was assigned since its scope began
    KNOWN_IN_REGISTER, // *reg
    KNOWN_IN_MEMORY,
    KNOWN_IF_WRITTEN // in memory, in the lanes in which its bytes are written
};
enum debug_known debug_known_at(const struct function *function, const struct debug_variable *variable,
                                uint64_t part, uint64_t bytes, size_t pc, int *reg);

#endif
