// How a program is written: its parts, and what they share.
#ifndef WARPBOOK_EXPORT_PARTS_H
#define WARPBOOK_EXPORT_PARTS_H

#include "kernels/variant.h"
#include "reference/lab.h"

#include <stdlib.h>
#include <string.h>

struct exporter {
    const struct variant *variant;
    const struct problem *problem; // planned, without data
    const char *name;              // of the program's file: letters, digits, '.', '_' and '-' alone
    struct text lab;               // assets/host/LAB.h; nothing for a file that stands alone
    struct text *out;
    struct error *error;
};

// A //@ line from a place in it on, as one line of words; the caller frees.
static inline char *export_words(const struct exporter *to, const char *at)
{
    const char *line = at;
    while (line > to->variant->text && line[-1] != '\n')
        line--;
    return directive_text(at, directive_end(line + strspn(line, " \t")));
}

static inline bool export_uses(const char *text, const char *word)
{
    for (struct code_piece piece = piece_next(text); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length))
        if (piece_is(piece, word))
            return true;
    return false;
}

// Whether the buffer is compared with what is right.
static inline bool export_is_answer(const struct exporter *to, size_t b)
{
    return to->problem->lab && to->problem->buffers[b].direction != BUFFER_IN;
}

// ---- export_main.c: the function main ---------------------------------------------------------------

void export_main(struct exporter *to);
// An expression of a //@ line in C++.
void export_expression(struct exporter *to, const char *at, size_t length);
// What is between the brackets of a line that declares something.
void export_count(struct exporter *to, const struct declared *declared);
const struct type *export_type_of(const struct exporter *to, const char *name); // NULL: no buffer or scratch

// ---- export_given.c: the parts of main for what elements, variables and structures are at first ----------------

void export_type(struct exporter *to, const struct declared *declared);     // of its elements
void export_elements(struct exporter *to, const struct declared *declared); // of the vector h_NAME
void export_given(struct exporter *to);
void export_symbol_copies(struct exporter *to); // before the launches

// ---- export_texture.c: the parts of main for textures and surfaces ---------------------------------------

void export_texture_helpers(struct exporter *to); // functions before main
void export_textures(struct exporter *to);
// From the buffers to what the launch takes, or from its surfaces back.
void export_texture_copies(struct exporter *to, const struct launch *launch, bool back);
void export_texture_end(struct exporter *to);

#endif
