// Text within a block: runs of one kind, entities, and the plain words of it all.
#include "lessons/markdown.h"

#include <stdlib.h>
#include <string.h>

void pieces_add(struct pieces *pieces, enum inline_kind kind, const char *target, bool goes_on,
                const char *text, size_t length)
{
    char *clean = clean_copy(text, length);
    struct inline_piece *last = pieces->count ? &pieces->list[pieces->count - 1] : NULL;
    if (last && goes_on && last->kind == kind && kind != INLINE_BREAK) {
        struct text joined = { 0 };
        text_add(&joined, last->text);
        text_add(&joined, clean);
        free(last->text);
        free(clean);
        last->text = joined.data ? text_take(&joined) : mem_copy("");
        return;
    }
    pieces->list = array_room(pieces->list, pieces->count, sizeof *pieces->list);
    pieces->list[pieces->count++] =
        (struct inline_piece){ kind, clean, target ? clean_copy(target, strlen(target)) : NULL };
}

void pieces_free(struct inline_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(pieces[i].text);
        free(pieces[i].target);
    }
    free(pieces);
}

void pieces_text(const struct inline_piece *pieces, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++)
        text_add(out, pieces[i].kind == INLINE_BREAK ? "\n" : pieces[i].text);
}

struct inline_piece *pieces_read(const char *text, size_t *count)
{
    const struct source source = { "", text };
    struct blocks blocks = { 0 };
    struct error error;
    struct pieces out = { 0 };
    bool parsed = markdown_parse(&source, text, &blocks, &error);
    for (size_t b = 0; parsed && b < blocks.count; b++) {
        struct block *block = &blocks.list[b];
        if (out.count && block->piece_count)
            pieces_add(&out, INLINE_BREAK, NULL, false, "", 0);
        for (size_t i = 0; i < block->piece_count; i++) {
            out.list = array_room(out.list, out.count, sizeof *out.list);
            out.list[out.count++] = block->pieces[i];
        }
        free(block->pieces);
        block->pieces = NULL;
        block->piece_count = 0;
    }
    if (!out.count) // nothing that Markdown would show as text
        pieces_add(&out, INLINE_TEXT, NULL, false, text, strlen(text));
    blocks_free(blocks.list, blocks.count);
    *count = out.count;
    return out.list;
}

// ---- entities ---------------------------------------------------------------------------------------

static void add_utf8(struct text *out, unsigned long code)
{
    char bytes[5];
    utf8_write(code > UINT32_MAX ? 0 : (uint32_t)code, bytes);
    text_add(out, bytes);
}

void entity_add(struct text *out, const char *entity, size_t length)
{
    static const struct {
        const char *name;
        unsigned long code;
    } names[] = { { "&amp;", '&' },      { "&lt;", '<' },       { "&gt;", '>' },       { "&quot;", '"' },
                  { "&apos;", '\'' },    { "&nbsp;", 0xa0 },    { "&times;", 0xd7 },   { "&micro;", 0xb5 },
                  { "&ndash;", 0x2013 }, { "&mdash;", 0x2014 }, { "&hellip;", 0x2026 } };
    if (length > 3 && length < 12 && entity[1] == '#') {
        bool hex = entity[2] == 'x' || entity[2] == 'X';
        char digits[12] = { 0 };
        memcpy(digits, entity + 2 + hex, length - 3 - hex);
        add_utf8(out, strtoul(digits, NULL, hex ? 16 : 10));
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i].name) && memcmp(entity, names[i].name, length) == 0) {
            add_utf8(out, names[i].code);
            return;
        }
    text_add_n(out, entity, length);
}
