// Terms as the terms page and `warpbook explain` show them.
#ifndef WARPBOOK_TERMS_H
#define WARPBOOK_TERMS_H

#include "tui/text/text.h"

// ---- entry.c: one term, and many --------------------------------------------------------------------------

// What it is, what to try, what it leads to, what leads to it. Whatever it opens becomes an item of `links`.
struct sheet entry_sheet(const struct glossary *glossary, const struct term *term, int width, bool utf8,
                         struct links *links);
// A row for each: its name and its sentence.
void entry_rows(struct sheet *sheet, const struct term *const *terms, size_t count);
// The term of that name, or of the message, the error's number or the metric in the words; NULL: none.
const struct term *term_named(const struct glossary *glossary, const char *words);
// What somebody means who asks for these words, best first: the term of that name, else terms that are named within
// the words, else the nearest. Returns how many of at most `room`; `exact`: the words are a term's name.
size_t terms_meant(const struct glossary *glossary, const char *words, const struct term **out, size_t room,
                   bool *exact);

#endif
