// Parsed PTX: the parser's result, before anything is decided about execution.
#ifndef WARPBOOK_SIM_PTX_H
#define WARPBOOK_SIM_PTX_H

#include "engine/sim/sim.h"

enum ptx_space {
    SPACE_GENERIC,
    SPACE_REG,
    SPACE_PARAM,
    SPACE_GLOBAL,
    SPACE_CONST,
    SPACE_SHARED,
    SPACE_LOCAL
};
enum ptx_type { // the width in bytes is type_bytes(type)
    TYPE_NONE,
    TYPE_PRED,
    TYPE_B8,
    TYPE_B16,
    TYPE_B32,
    TYPE_B64,
    TYPE_B128,
    TYPE_U8,
    TYPE_U16,
    TYPE_U32,
    TYPE_U64,
    TYPE_S8,
    TYPE_S16,
    TYPE_S32,
    TYPE_S64,
    TYPE_F16,
    TYPE_F16X2,
    TYPE_BF16,
    TYPE_BF16X2,
    TYPE_F32,
    TYPE_F64,
    TYPE_COUNT
};
unsigned type_bytes(enum ptx_type type);
enum ptx_type type_from_name(const char *name); // "u32"; TYPE_NONE for an unknown name
static inline bool type_is_signed(enum ptx_type type)
{
    return type >= TYPE_S8 && type <= TYPE_S64;
}

enum ptx_operand_kind {
    OPERAND_NONE,
    OPERAND_REGISTER,  // reg, negated for !p
    OPERAND_IMMEDIATE, // bits; is_double for a literal of type double (0d…, 1.5), is_single for 0f…
    OPERAND_SYMBOL,    // a variable's address, a function, a label: symbol, with offset
    OPERAND_MEMORY,    // [reg + offset] or [symbol + offset] or [offset]
    OPERAND_VECTOR,    // {a, b, c, d}: parts
    OPERAND_PAIR,      // d|p: parts[0], parts[1]
    OPERAND_SPECIAL,   // %tid.x: `name`
    OPERAND_SINK       // _
};
struct ptx_operand {
    enum ptx_operand_kind kind;
    int reg; // index in the function's registers; -1: none
    bool negated;
    bool is_double, is_single;
    uint64_t bits;
    const char *name; // of a symbol or a special register; interned in the module
    int64_t offset;
    struct ptx_operand *parts; // of a vector or pair
    int part_count;
};

enum { PTX_MODIFIERS = 12, PTX_OPERANDS = 8 };
struct ptx_instruction {
    const char *text;                     // the whole line as written, for messages and views
    const char *base;                     // "ld"
    const char *modifiers[PTX_MODIFIERS]; // "global", "v4", "f32"; in the order written
    int modifier_count;
    enum ptx_type types[3]; // the modifiers that are types, in order: cvt has two
    int type_count;
    int guard; // a predicate register, -1: none
    bool guard_negated;
    struct ptx_operand operands[PTX_OPERANDS];
    int operand_count;
    // call (returns…), function, (arguments…); the function is operands[0].
    struct ptx_operand *call_returns, *call_arguments;
    int call_return_count, call_argument_count;
    int ptx_line, line, column; // line, column: by the last .loc
    bool nounroll;              // it begins a loop that the compiler must not unroll
    const char *broken; // the parser's error, NULL: none; a broken instruction traps when it is reached
};

struct ptx_register {
    const char *name;
    enum ptx_type type;
};
struct ptx_variable { // in .global, .const, .shared, .local or .param
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    size_t align, bytes; // bytes 0 with `unsized`: extern __shared__
    bool external, unsized;
    unsigned char *initial; // bytes long, NULL: none given
    // Addresses inside the initial value: *(u64 *)(initial + at) becomes the address of `symbol` + offset.
    struct ptx_relocation {
        size_t at;
        const char *symbol;
        int64_t offset;
    } * relocations;
    size_t relocation_count;
};
struct ptx_label {
    const char *name;
    size_t at; // index of the instruction that follows it
};
struct ptx_targets { // L: .branchtargets A, B, C;
    const char *name;
    const char **labels;
    size_t count;
};

struct ptx_function {
    const char *name;
    bool entry;                            // a kernel
    bool declared;                         // only declared here: vprintf, __assertfail
    struct ptx_variable *params, *returns; // formal parameters
    size_t param_count, return_count;
    struct ptx_register *registers;
    size_t register_count;
    struct ptx_variable *variables; // .shared, .local, .param inside the body
    size_t variable_count;
    struct ptx_instruction *instructions;
    size_t instruction_count;
    struct ptx_label *labels;
    size_t label_count;
    struct ptx_targets *targets;
    size_t target_count;
    int max_threads;     // .maxntid, or 0
    uint32_t cluster[3]; // .reqnctapercluster, or 0
};

// A section of debugging information: its bytes, in which the links stand for something that only a linker knows.
struct ptx_section {
    const char *name; // ".debug_info"
    unsigned char *bytes;
    size_t count;
    struct
        ptx_link { // these bytes are the address of a label or a variable, or a place in a section, plus `offset`
        size_t at;
        const char *name; // interned
        uint64_t offset;
    } * links; // by `at`
    size_t link_count;
    struct ptx_label *labels; // places inside it
    size_t label_count;
};

struct ptx_text {
    int version_major, version_minor, target; // 9, 0, 75
    struct ptx_variable *variables;           // of the module
    size_t variable_count;
    struct ptx_function *functions;
    size_t function_count;
    const char **files; // by their .file number; NULL where none
    size_t file_count;
    struct ptx_section *sections; // those that name variables
    size_t section_count;
    struct arena *arena; // owns all of the above
};

// ---- an arena: memory that is freed as a whole ---------------------------------------------------------

struct arena;
struct arena *arena_new(void);
// The most that all pieces together may have from now on; an allocation beyond it gives NULL.
void arena_limit(struct arena *arena, size_t bytes);
void arena_free(struct arena *arena);
size_t arena_used(const struct arena *arena);
void *arena_take(struct arena *arena, size_t bytes); // zeroed, aligned to 16; NULL when there is no memory
char *arena_copy(struct arena *arena, const char *bytes, size_t length);
// Grows an array: returns room for count + 1 items, the first `count` kept, the new one zeroed. `items` is NULL or
// came from arena_grow and has `count` items; it is invalid afterwards.
void *arena_grow(struct arena *arena, void *items, size_t count, size_t item_bytes);

// ---- the time that reading a text may take ---------------------------------------------------

enum { READ_SECONDS = 10 }; // for parsing, and as many for decoding
struct deadline {
    double end; // monotonic seconds
    unsigned calls;
    bool passed;
};
void deadline_start(struct deadline *deadline);
bool deadline_passed(struct deadline *deadline);

// ---- parse.c ---------------------------------------------------------------------------------------------

// memory_limit: bytes that the parsed text may take; 0: as many as the parser allows itself.
bool ptx_parse(const char *text, size_t length, size_t memory_limit, struct ptx_text **out,
               struct sim_fault *fault);
void ptx_free(struct ptx_text *text);

// ---- ptx.c -------------------------------------------------------------------------------------------------

bool ptx_has(const struct ptx_instruction *instruction, const char *modifier);
enum ptx_space ptx_space_of(const struct ptx_instruction *in);  // among the modifiers; SPACE_GENERIC: none
unsigned ptx_parts_of(const struct ptx_instruction *in);        // 2, 4, 8 for .v2, .v4, .v8, else 1
bool ptx_is_one_of(const char *base, const char *const *names); // `names` ends with NULL
// Stores, reductions, branches and barriers have no destination; all others write to their first operand.
bool ptx_writes_first(const struct ptx_instruction *instruction);
// Visits the declared registers that an instruction reads (its guard too) or writes, each as often as it is named.
typedef void (*ptx_visit)(void *context, int reg);
void ptx_each_read(const struct ptx_instruction *instruction, ptx_visit visit, void *context);
void ptx_each_written(const struct ptx_instruction *instruction, ptx_visit visit, void *context);
// Whether this register is among those that ptx_each_read or ptx_each_written visits.
typedef void (*ptx_each)(const struct ptx_instruction *instruction, ptx_visit visit, void *context);
bool ptx_meets(ptx_each each, const struct ptx_instruction *instruction, int reg);

#endif
