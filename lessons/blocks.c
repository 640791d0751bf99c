// Blocks as a whole: what frees them, and the plain words in them.
#include "lessons/markdown.h"

#include <stdlib.h>

// The count of a table's cells that exist: a parse that failed leaves rows without cells, never the other way round.
static void table_free(struct block *block)
{
    for (size_t i = 0; i < block->rows * block->cols; i++)
        pieces_free(block->cells[i].pieces, block->cells[i].count);
    free(block->cells);
}

void block_free(struct block *block)
{
    pieces_free(block->pieces, block->piece_count);
    free(block->info);
    free(block->text);
    table_free(block);
    live_free(&block->live);
}

void blocks_free(struct block *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        block_free(&blocks[i]);
    free(blocks);
}

static void block_text(const struct block *block, struct text *out)
{
    pieces_text(block->pieces, block->piece_count, out);
    if (block->text)
        text_add(out, block->text);
    for (size_t i = 0; i < block->rows * block->cols; i++) {
        pieces_text(block->cells[i].pieces, block->cells[i].count, out);
        text_add(out, (i + 1) % block->cols ? " " : "\n");
    }
    for (size_t i = 0; i < block->live.field_count; i++)
        text_addf(out, "%s\n", block->live.fields[i].value);
}

void blocks_text(const struct block *blocks, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        block_text(&blocks[i], out);
        text_add(out, "\n");
    }
}
