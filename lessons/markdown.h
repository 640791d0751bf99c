// What the readers of lessons and terms share: `key: value` lines, pieces of text, blocks.
#ifndef WARPBOOK_MARKDOWN_H
#define WARPBOOK_MARKDOWN_H

#include "kernels/variant.h"
#include "lessons/lessons.h"

enum {
    TEXT_MOST = 128 << 10, // bytes of one file
    CELLS_MOST = 4096,     // of one table
    BLOCKS_MOST = 20000,
    LEVEL_MOST = 6, // deeper lists and quotes are shown as deep as this
};

// ---- lesson.c -------------------------------------------------------------------------------------

struct fields {
    struct live_field *list;
    size_t count;
};
// `text` is lines `key: value`, the first of which is line `line` of the source.
bool fields_parse(const struct source *source, const char *text, int line, struct fields *out,
                  struct error *error);
void fields_free(struct live_field *fields, size_t count);
// The lines between two lines `---` at the start of a file; *body is what follows them.
bool front_parse(const struct source *source, struct fields *out, const char **body, struct error *error);
// An error about `word` in a line of the source; NULL: about the line.
bool line_error(const struct source *source, int line, const char *word, struct error *error,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
// A file of at most TEXT_MOST bytes without a byte 0.
bool page_read(const char *path, struct text *out, struct error *error);
char *clean_copy(const char *bytes, size_t length); // text_add_clean's, in memory of its own

// ---- markdown.c -----------------------------------------------------------------------------------

struct pieces {
    struct inline_piece *list;
    size_t count;
};
void pieces_text(const struct inline_piece *pieces, size_t count, struct text *out);
struct blocks {
    struct lesson_block *list;
    size_t count;
};
// `body` points into the source's text. HTML is an error, but within a line of a text without a file's name: that of a
// single value. `said` (NULL: none; the first error ends the reading) gets the first error of each block, and a block that
// cannot be read is left out.
bool markdown_parse(const struct source *source, const char *body, error_said said, void *context,
                    struct blocks *out, struct error *error);
void blocks_free(struct lesson_block *blocks, size_t count);

// ---- live.c ---------------------------------------------------------------------------------------

bool live_kind_of(const char *info, enum live_kind *kind); // by the info string's first word
bool live_parse(const struct source *source, int line, const char *info, const char *text, struct live *out,
                struct error *error);
void live_free(struct live *live);

#endif
