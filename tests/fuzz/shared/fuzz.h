// What the fuzz targets share: reading decisions from the input, and making hostile kernels of good ones.
#ifndef WARPBOOK_FUZZ_H
#define WARPBOOK_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***words);

// Ends the process, which libFuzzer takes as a finding.
void must(bool holds);

// ---- bytes.c: an input as decisions -----------------------------------------------------------------------

struct bytes { // past its end everything is 0
    const uint8_t *at, *end;
};
struct bytes bytes_of(const uint8_t *data, size_t size);
bool bytes_left(const struct bytes *bytes);
uint8_t bytes_one(struct bytes *bytes);
uint32_t bytes_below(struct bytes *bytes, uint32_t count); // 0 to count - 1; count at least 1
uint64_t bytes_word(struct bytes *bytes, int size);        // `size` bytes, the low one first
char *bytes_line(struct bytes *bytes);                     // up to the next newline or 0; the caller frees
char *bytes_rest(struct bytes *bytes);                     // a string: a 0 ends it; the caller frees

// A program's main function with these bytes on its stdin; it has to end with 0. What it says on stdout is added.
void bytes_through(const char *bytes, size_t size, int (*program)(void), struct text *said);
int bytes_file(const void *bytes, size_t size); // a descriptor to read them from

// A folder of this process alone in $TMPDIR: its own files, settings and locks lie there. fuzz.sh takes it away, since
// libFuzzer ends without any functions of ours.
const char *fuzz_home(void);

// ---- setup.c: how a kernel is launched ----------------------------------------------------------------------

// The first line of a kernel may say how it is run: "//: CHECK THREADS SEED", each a digit. The mutator changes it.
struct setup {
    int check, threads, seed;
};
struct setup setup_read(const char *text);

// ---- words.c: a kernel as tokens, and what may take their place -----------------------------------------

struct chance { // a sequence of numbers that a seed decides
    uint64_t state;
};
uint32_t chance_below(struct chance *chance, uint32_t count); // count at least 1

enum token_kind {
    TOKEN_BLANK, // and comments
    TOKEN_DOT,   // ".global": a type, a width, a space, a directive, a modifier
    TOKEN_REGISTER,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_SIGN
};
struct token {
    enum token_kind kind;
    size_t at, length;
};
struct token token_next(const char *text, size_t length, size_t at); // length 0: the end
// Something that can take the place of this token.
void token_instead(struct chance *chance, const struct text *kernel, struct token token, struct text *out);
// A random token of this kind; length 0: the kernel has none.
struct token token_pick(struct chance *chance, const struct text *kernel, enum token_kind kind);
void number_some(struct chance *chance, struct text *out);
const char *type_some(struct chance *chance);

// ---- donors.c: lines of the kernels that ship -----------------------------------------------------------------

const char *donor_line(struct chance *chance, size_t *length); // an instruction; "" where there are no files

#endif
