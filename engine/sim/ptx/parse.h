// What the files of the parser share: where it stands, what names mean there, how trouble is told.
#ifndef WARPBOOK_SIM_PARSE_H
#define WARPBOOK_SIM_PARSE_H

#include "engine/sim/ptx/lex.h"
#include "engine/sim/ptx/ptx.h"

enum {
    PARSE_DEPTH = 32,          // of nested { } in a function
    PARSE_REGISTERS = 1 << 20, // of a function
    PARSE_FILES = 1 << 16,     // the highest number of a .file
    PARSE_TEXT = 64 << 20      // bytes of PTX
};

// ---- parse_name.c: names, and what they mean in the scope at hand ----------------------------------------

// What a name stands for. A numbered family `.reg .b32 %r<10>` belongs to the name "%r".
struct meaning {
    int reg;                  // 1 + the index of the register; 0: none
    int family, family_count; // 1 + the index of its first register; 0: none
    const char *variable; // the name under which the variable is known, unique in the function; NULL: none
};
struct opcode { // an instruction's dotted word, taken apart once
    const char *base;
    const char *modifiers[PTX_MODIFIERS];
    int modifier_count;
    enum ptx_type types[3];
    int type_count;
    bool too_long; // more modifiers than there is room for
};
struct symbol { // an interned name
    uint32_t hash;
    uint32_t length;
    struct meaning meaning;
    struct opcode *opcode;
    size_t function, variable; // 1 + its index in the module; 0: none
    unsigned taken_in;         // the function in which a variable last had this very name
    unsigned label_in;         // the scope in which it was last a label
    const char *label;         // the unique name of that label while its scope is being closed
    bool renamed;              // made by names_unique
    char name[];
};
struct binding { // what a name meant outside of the scope
    struct symbol *symbol;
    struct meaning before;
    struct binding *next;
};
struct scope {
    struct binding *bindings;
    unsigned serial;
    size_t first_instruction, first_label, first_targets;
};
struct names {
    struct symbol **slots; // open addressing; room is a power of two
    size_t room, count;
    struct binding *spare;
};

// ---- parse_location.c: .loc and .file ----------------------------------------------------------------------

struct location { // one .loc
    int file, line, column;
    int outer_file, outer_line, outer_column; // inlined_at
    int parent;                               // 1 + the index of the .loc that inlined_at means; 0: none
};

// ---- the parser ----------------------------------------------------------------------------------------------

struct parser {
    struct lexer lexer;
    struct arena *arena;
    struct ptx_text *text;
    struct sim_fault *fault;
    struct names names;
    char trouble[256]; // of the statement at hand
    int trouble_line;
    struct patience patience;
    bool failed; // the fault is told; nothing goes on

    struct ptx_function function; // the one that is being read
    unsigned function_number;     // from 1
    int function_line;
    unsigned renamed, scope_count;
    struct scope scopes[PARSE_DEPTH];
    int depth; // scopes that are open; 1: the formal parameters, 2: the function's body

    struct location *locations;
    size_t location_count;
    size_t first_location; // of the function at hand
    int location;          // 1 + the index of the last .loc; 0: none in this function
    int own_file;          // the file of the first kernel; 0 until known
};

// Both return false. After `fail` the reading ends with this sentence; `trouble` is about one statement, and
// where a statement can be broken the reading goes on.
bool parse_fail(struct parser *p, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool parse_trouble(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool parse_expected(struct parser *p, const char *what); // trouble: WHAT is expected here, found is …

void *parse_take(struct parser *p, size_t bytes); // NULL after the failure is told
void *parse_room(struct parser *p, void *items, size_t count, size_t item_bytes);

// ---- tokens: steps that every part takes ----------------------------------------------------------------------

static inline bool at_mark(const struct parser *p, char mark)
{
    return p->lexer.token.mark == mark;
}
bool take_mark(struct parser *p, char mark);   // steps over it if it is at hand
bool expect_mark(struct parser *p, char mark); // or trouble
bool token_is(const struct parser *p, const char *text);
bool expect_count(struct parser *p, uint64_t most, uint64_t *out); // a number without sign

struct symbol *name_intern(struct parser *p, const char *start, size_t length); // NULL after a failure
struct symbol *name_here(struct parser *p);                                     // of the token at hand
struct symbol *name_symbol(const char *interned);
// A name that nobody else has: NAME@7.
struct symbol *name_unique(struct parser *p, const struct symbol *symbol);
// The register that this name means; -1: none.
int name_register(struct parser *p, const char *start, size_t length, struct symbol **symbol);
bool scope_open(struct parser *p);
void scope_close(struct parser *p);
struct meaning *scope_declare(struct parser *p, struct symbol *symbol); // to be changed; NULL after a failure

// ---- the parts ------------------------------------------------------------------------------------------------

// parse_variable.c
bool parse_variables(struct parser *p, enum ptx_space space, bool external); // after ".global", through ';'
bool parse_formals(struct parser *p, struct ptx_variable **out, size_t *count); // ( … )
// parse_initial.c
// item_bytes[d]: of one item of dimension d; the last dimension holds the elements.
bool parse_initial(struct parser *p, struct ptx_variable *variable, const size_t *item_bytes, int dimensions);
// parse_register.c
bool parse_registers(struct parser *p); // after ".reg", through ';'
// parse_label.c
bool parse_label(struct parser *p);   // NAME : at hand
bool labels_settle(struct parser *p); // before a block closes
// parse_operand.c
bool parse_operand(struct parser *p, struct ptx_operand *out);
bool parse_offset(struct parser *p, int64_t *offset); // + 4, +-4; nothing is nothing
// parse_instruction.c
bool parse_instruction(struct parser *p, struct ptx_instruction *out);
// parse_function.c
bool parse_function(struct parser *p, bool entry); // after .entry or .func
// parse_location.c
bool parse_loc(struct parser *p);
bool parse_file(struct parser *p);
bool locations_settle(struct parser *p); // at the end: instructions get their lines

#endif
