// A hash of what runs, so that results which were recorded for other code are never shown for this one.
#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_pieces(uint64_t hash, const char *text);

// Directives are comments to C, but these decide what is launched on what.
static uint64_t hash_comment(uint64_t hash, struct piece comment)
{
    static const char *const deciding[] = { "launch", "scratch", "param", "buffer" };
    if (!string_starts(comment.at, "//@"))
        return hash;
    char *line = mem_copy_n(comment.at + 3, comment.length - 3);
    const char *word = line + strspn(line, " \t");
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        if (string_starts(word, deciding[i]))
            hash = hash_pieces(hash, word);
    free(line);
    return hash;
}

static uint64_t hash_pieces(uint64_t hash, const char *text)
{
    for (struct piece piece = piece_next(text); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length)) {
        if (piece.kind == PIECE_COMMENT)
            hash = hash_comment(hash, piece);
        else if (piece.kind != PIECE_BLANK)
            hash = hash_more(hash_more(hash, piece.at, piece.length), " ", 1);
    }
    return hash;
}

uint64_t variant_code(const struct variant *variant)
{
    return hash_pieces(hash_bytes("", 0), variant->text);
}
