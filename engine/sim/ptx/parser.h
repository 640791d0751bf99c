// The parser's state and what its files share: errors, memory, the steps of recursive descent, the symbol table.
#ifndef WARPBOOK_SIM_PARSER_H
#define WARPBOOK_SIM_PARSER_H

#include "engine/sim/ptx/ptx.h"

// ---- lex.c: PTX as tokens, one at a time, without a copy of the text ----------------------------------------

enum ptx_token_kind {
    TOKEN_END,
    TOKEN_NAME,    // add %r1 $L__BB0_1 _
    TOKEN_DOT,     // .u32 .shared::cta; the dot belongs to it
    TOKEN_INTEGER, // 12 0x1fU 017 0b101
    TOKEN_SINGLE,  // 0f3F800000
    TOKEN_DOUBLE,  // 0d3FF0000000000000 1.5
    TOKEN_STRING,  // with its quotes
    TOKEN_MARK,    // one of ; , : { } ( ) [ ] < > @ ! | + - = …
    TOKEN_BAD      // `why` says what is wrong with it
};
struct ptx_token {
    enum ptx_token_kind kind;
    char mark; // of TOKEN_MARK, otherwise 0
    const char *start;
    size_t length;
    int line;
    uint64_t bits; // of a number
    const char *why;
};
struct lexer {
    const char *at, *end;
    int line;               // of `at`
    const char *token_end;  // of the previous token
    struct ptx_token token; // the current one
};

void lex_start(struct lexer *lexer, const char *text, size_t length);
void lex_next(struct lexer *lexer);
// Extends the current name by the dotted words that follow it directly: "ld" becomes "ld.global.v4.f32".
void lex_dotted(struct lexer *lexer);
// Whether this character follows the current token, blanks and comments apart.
bool lex_is_before(const struct lexer *lexer, char mark);
// Error recovery: goes back to `start` and skips one statement, through its ';', or up to the end of a line that does
// not ask for a continuation, or up to a '}' that it did not open.
void lex_skip_statement(struct lexer *lexer, const struct lexer *start);
// Skips a block whose '{' is the current token, through its '}'; false when the text ends before that.
bool lex_skip_block(struct lexer *lexer);

// ---- symbol table ----------------------------------------------------------------------------------------

// The meaning of a name in the current scope. A numbered family `.reg .b32 %r<10>` belongs to the name "%r".
struct name_meaning {
    int reg;                  // 1 + the index of the register; 0: none
    int family, family_count; // 1 + the index of its first register; 0: none
    const char *variable; // the name under which the variable is known, unique in the function; NULL: none
};
struct ptx_opcode { // "ld.global.v4.f32" split at its dots
    const char *base;
    const char *modifiers[PTX_MODIFIERS];
    int modifier_count;
    enum ptx_type types[3];
    int type_count;
    bool too_long; // it has more than PTX_MODIFIERS
};
struct ptx_symbol { // an interned name: equal names are one pointer
    uint32_t hash;
    uint32_t length;
    struct name_meaning meaning;
    struct ptx_opcode *opcode; // of a name that was used as an opcode: split once and kept
    size_t function, variable; // 1 + its index in the module; 0: none
    unsigned variable_in;      // the function in which a variable was last declared with exactly this name
    unsigned label_in;         // the scope in which it was last a label
    const char *label;         // that label's unique name while its scope is being closed
    bool unique;               // made by symbol_unique
    char name[];
};
struct symbol_table {
    struct ptx_symbol **slots; // open addressing; room is a power of two
    size_t room, count;
    struct shadowed_meaning *spare; // of closed scopes, to be used again
};
struct shadowed_meaning { // restored when the scope that shadows it closes
    struct ptx_symbol *symbol;
    struct name_meaning before;
    struct shadowed_meaning *next;
};
struct name_scope {
    struct shadowed_meaning *shadowed;
    unsigned serial;
    size_t first_instruction, first_label, first_targets;
};

enum { PARSE_DEPTH = 32 }; // nested { } of a function

// ---- the parser's state ----------------------------------------------------------------------------------------

struct loc_directive {
    int file, line, column;
    int outer_file, outer_line, outer_column; // inlined_at
    int parent;                               // 1 + the index of the .loc that inlined_at refers to; 0: none
};

struct ptx_parser {
    struct lexer lexer;
    struct arena *arena;
    struct ptx_text *text;
    struct sim_fault *fault;
    struct symbol_table symbols;
    char error[256]; // of the current statement; "": none so far
    int error_line;
    struct deadline deadline;
    bool failed; // the fault is set and parsing ends

    bool nounroll; // the pragma stands before the next instruction

    struct ptx_function function; // the current one
    unsigned function_number;     // from 1
    int function_line;
    unsigned unique_count, scope_count;
    struct name_scope scopes[PARSE_DEPTH];
    int depth; // open scopes; 1: the formal parameters, 2: the function's body

    struct loc_directive *locations;
    size_t location_count;
    size_t first_location; // of the current function
    int location;          // 1 + the index of the last .loc; 0: none in this function
    int own_file;          // the file of the first kernel; 0 until known
};

// Each of these returns false. parse_fail sets the fault, with which parsing ends. parse_reject sets the current
// statement's error: inside a function the statement becomes an instruction that traps, and parsing goes on.
bool parse_fail(struct ptx_parser *p, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool parse_reject(struct ptx_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool parse_expected(struct ptx_parser *p, const char *what); // rejects: WHAT is expected, but there is TOKEN

void *parse_no_memory(struct ptx_parser *p); // parse_fail for want of memory; NULL
// From the arena; NULL after parse_fail when there is no memory.
void *parse_alloc(struct ptx_parser *p, size_t bytes);
void *parse_grow(struct ptx_parser *p, void *items, size_t count, size_t item_bytes); // arena_grow

// ---- steps of recursive descent ----------------------------------------------------------------------------------

static inline bool parse_at(const struct ptx_parser *p, char mark)
{
    return p->lexer.token.mark == mark;
}
bool parse_at_word(const struct ptx_parser *p, const char *text);
bool parse_accept(struct ptx_parser *p, char mark); // consumes the mark if it is the current token
bool parse_expect(struct ptx_parser *p, char mark); // consumes the mark or rejects
bool parse_count(struct ptx_parser *p, uint64_t most, uint64_t *out); // an unsigned number, or rejects

// ---- symbols: NULL after a failure ---------------------------------------------------------------------

struct ptx_symbol *symbol_intern(struct ptx_parser *p, const char *start, size_t length);
struct ptx_symbol *symbol_here(struct ptx_parser *p); // the current token's
struct ptx_symbol *symbol_of_name(const char *interned);
struct ptx_symbol *symbol_unique(struct ptx_parser *p, const struct ptx_symbol *symbol); // a new name: NAME@7
// The index of the register that has this name in the current scope, -1: none. *symbol: the name's, if it is
// interned.
int symbol_register(struct ptx_parser *p, const char *start, size_t length, struct ptx_symbol **symbol);

// ---- parse_statement.c ---------------------------------------------------------------------------------

bool parse_registers(struct ptx_parser *p); // after ".reg", through ';'
bool parse_variables(struct ptx_parser *p, enum ptx_space space,
                     bool external); // after ".global", through ';'
bool parse_formals(struct ptx_parser *p, struct ptx_variable **out, size_t *count); // ( … )
bool parse_instruction(struct ptx_parser *p, struct ptx_instruction *out);          // through ';'

// ---- section.c ------------------------------------------------------------------------------------------

bool parse_section(struct ptx_parser *p); // after ".section", through '}'

#endif
