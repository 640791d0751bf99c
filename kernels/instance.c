// The instances of templates that launch lines name. A compiler makes only those that something asks for, and a kernel
// file has nothing that does; so the text that is compiled asks for them.
#include "kernels/variant.h"

#include <string.h>

static struct piece next_code(const char **at)
{
    for (;;) {
        struct piece piece = piece_next(*at);
        *at = piece.at + piece.length;
        if (piece.kind != PIECE_BLANK && piece.kind != PIECE_COMMENT)
            return piece;
    }
}

// Whether the declaration that begins at `at`, behind the word `template`, is of the launch's instance. One that names
// no arguments may be.
static bool is_of(const char *at, const struct launch *launch)
{
    const char *wanted = launch->spelled + strcspn(launch->spelled, "<");
    struct piece piece = next_code(&at);
    while (piece.kind != PIECE_END && !piece_is(piece, ";") && !piece_is(piece, launch->kernel))
        piece = next_code(&at);
    if (!piece_is(piece, launch->kernel))
        return false;
    const char *start = at;
    if (!piece_is(next_code(&at), "<"))
        return true;
    struct text own = { 0 };
    code_squeeze(start, strcspn(start, "(;"), &own);
    bool same = strcmp(text_string(&own), wanted) == 0;
    text_free(&own);
    return same;
}

// The text makes the instance itself: template __global__ void k<int>(int *);
static bool makes(const char *text, const struct launch *launch)
{
    for (const char *at = text;;) {
        struct piece piece = next_code(&at);
        if (piece.kind == PIECE_END)
            return false;
        const char *behind = at;
        if (piece_is(piece, "template") && !piece_is(next_code(&behind), "<") && is_of(at, launch))
            return true;
    }
}

static bool is_repeated(const struct variant *variant, size_t launch)
{
    for (size_t l = 0; l < launch; l++)
        if (strcmp(variant->launches[l].spelled, variant->launches[launch].spelled) == 0)
            return true;
    return false;
}

static int line_of(const struct variant *variant, const char *at)
{
    int line = 1;
    for (const char *c = variant->text; c < at; c++)
        line += *c == '\n';
    return line;
}

// What is added comes last and says that it is the launch's line, so that no message moves.
char *variant_source(const struct variant *variant)
{
    struct text source = { 0 };
    text_add(&source, variant->text);
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        if (!strchr(launch->spelled, '<') || is_repeated(variant, l) || makes(variant->text, launch))
            continue;
        text_addf(&source, "\n#line %d\ntemplate __global__ decltype(%s) %s;\n", line_of(variant, launch->at),
                  launch->spelled, launch->spelled);
    }
    return text_take(&source);
}
