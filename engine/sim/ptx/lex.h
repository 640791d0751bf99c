// The lexer: PTX as tokens, one at a time, without a copy of the text.
#ifndef WARPBOOK_SIM_LEX_H
#define WARPBOOK_SIM_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
