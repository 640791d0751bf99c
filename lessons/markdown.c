// CommonMark → blocks. md4c reads the text and calls us for everything that begins or ends; this file keeps what is
// open and turns it into a flat list. md4c gives no lines: they are counted up to where its texts lie in the source.
#include "lessons/markdown.h"

#include <md4c.h>
#include <stdlib.h>
#include <string.h>

// ---- text within a block ---------------------------------------------------------------------------

static void pieces_add(struct pieces *pieces, enum inline_kind kind, const char *target, bool goes_on,
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
    bool parsed = markdown_parse(&source, text, NULL, NULL, &blocks, &error);
    for (size_t b = 0; parsed && b < blocks.count; b++) {
        struct lesson_block *block = &blocks.list[b];
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

static void entity_add(struct text *out, const char *entity, size_t length)
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

// ---- blocks as a whole -----------------------------------------------------------------------------

// The count of a table's cells that exist: a parse that failed leaves rows without cells, never the other way round.
static void table_free(struct lesson_block *block)
{
    for (size_t i = 0; i < block->rows * block->cols; i++)
        pieces_free(block->cells[i].pieces, block->cells[i].count);
    free(block->cells);
}

static void block_free(struct lesson_block *block)
{
    pieces_free(block->pieces, block->piece_count);
    free(block->index);
    free(block->info);
    free(block->text);
    table_free(block);
    live_free(&block->live);
}

void blocks_free(struct lesson_block *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        block_free(&blocks[i]);
    free(blocks);
}

static void block_text(const struct lesson_block *block, struct text *out)
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

void blocks_text(const struct lesson_block *blocks, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        block_text(&blocks[i], out);
        text_add(out, "\n");
    }
}

// ---- code, live blocks and comments ----------------------------------------------------------------

// A kind that is misspelt: as plain code the block would show its answer.
static bool is_misspelt(const char *info, const char **near)
{
    size_t length = strcspn(info, " \t");
    char *word = mem_copy_n(info, length);
    *near = string_nearest(word, live_names, LIVES);
    free(word);
    bool named = string_starts(info + length + strspn(info + length, " \t"), "id=");
    return named || (*near && length >= strlen("lab"));
}

static bool code_take(const struct source *source, struct lesson_block *block, const char *info,
                      struct text *lines, struct error *error)
{
    if (lines->length && lines->data[lines->length - 1] == '\n')
        lines->data[--lines->length] = 0;
    enum live_kind kind;
    if (live_kind_of(info, &kind)) {
        block->kind = BLOCK_LIVE;
        return live_parse(source, block->line, info, lines->length ? lines->data : "", &block->live, error);
    }
    const char *near;
    if (is_misspelt(info, &near))
        return line_error(source, block->line, info, error, "this is not a kind of live block; %s%s%s",
                          near ? "did you mean '" : "FORMAT.md lists them", near ? near : "",
                          near ? "'?" : "");
    block->info = clean_copy(info, strcspn(info, " \t"));
    block->text = clean_copy(text_string(lines), lines->length);
    return true;
}

// The line of the file that holds the last one of the comment.
static int last_line(const struct lesson_block *block, const char *text)
{
    int line = block->line;
    for (; *text; text++)
        line += *text == '\n' && text[1];
    return line;
}

// A misspelt mark is an error: the notes would not be shown, or the numbers not be checked.
static bool mark_sound(const struct source *source, const struct lesson_block *block, const char *text,
                       struct error *error)
{
    static const char *const marks[] = { "instructor", "numbers", "index" };
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    if (length < 3 || text[length] != ':')
        return true;
    char *word = mem_copy_n(text, length);
    const char *near = string_nearest(word, marks, sizeof marks / sizeof *marks);
    bool sound = !near || strcmp(near, word) == 0 ||
                 line_error(source, block->line, word, error, "did you mean '%s:'?", near);
    free(word);
    return sound;
}

// `index:` belongs to the heading right before it; NULL: there is none.
static bool index_take(const struct source *source, struct lesson_block *block, struct lesson_block *heading,
                       struct error *error)
{
    if (!heading || heading->kind != BLOCK_HEADING)
        return line_error(source, block->line, "index:", error, "'index:' follows a heading");
    if (heading->index)
        return line_error(source, block->line, "index:", error, "this heading has its 'index:' already");
    heading->index = block->text;
    block->text = NULL;
    return true;
}

// `before`: the block before the comment; NULL: none.
static bool comment_take(const struct source *source, struct lesson_block *block, struct lesson_block *before,
                         const struct text *html, bool *kept, struct error *error)
{
    static const char note[] = "instructor:", index[] = "index:";
    const char *text = html->length ? html->data : "";
    text += strspn(text, " \t\n");
    if (!string_starts(text, "<!--"))
        return line_error(source, block->line, NULL, error,
                          "HTML is not shown in a terminal; only comments <!-- ... --> are allowed here");
    const char *end = strstr(text, "-->");
    if (!end)
        return line_error(source, block->line, NULL, error, "this comment has no end -->");
    const char *after = end + 3 + strspn(end + 3, " \t\n");
    if (*after)
        return line_error(source, last_line(block, text), NULL, error,
                          "text after a comment on its line is not shown; put it on a line of its own");
    text += 4 + strspn(text + 4, " \t\n");
    *kept = string_starts(text, note);
    const char *mark = *kept ? note : index;
    if (!string_starts(text, mark))
        return mark_sound(source, block, text, error);
    text += strlen(mark) + strspn(text + strlen(mark), " \t\n");
    while (end > text && strchr(" \t\n", end[-1]))
        end--;
    block->text = clean_copy(text, end > text ? (size_t)(end - text) : 0);
    return *kept || index_take(source, block, before, error);
}

// ---- what md4c calls -------------------------------------------------------------------------------

enum { LISTS_MOST = 64 }; // lists in lists whose numbers are kept

struct builder {
    const struct source *source;
    struct error *error;
    bool failed;     // the error is set
    error_said said; // NULL: the first error ends the reading
    void *said_to;
    size_t said_block; // blocks up to the one whose error was reported last
    struct blocks *out;

    const char *seen; // a place in the source, and its line
    int line;
    const char *end; // of the source

    int quotes, lists;
    int numbers[LISTS_MOST]; // the next item's, by list; 0: bullets
    bool open;               // the last block takes text
    bool fresh_item;         // … and is an item that has none yet
    struct pieces pieces;    // of the block or the cell that is open

    int strong, emphasis, code_span, images;
    char *link;   // its target, while within one
    bool goes_on; // the next piece may join the last one
    bool comment; // within one, in a paragraph

    struct text verbatim; // of code and HTML
    char *info;
    bool in_cell;
    size_t cells; // of the table that is open
};

static bool fail_at(struct builder *builder, int line, const char *sentence)
{
    builder->failed = true;
    return line_error(builder->source, line, NULL, builder->error, "%s", sentence);
}

// md4c's line ends and its blanks are its own.
static bool in_source(const struct builder *builder, const char *at)
{
    return (uintptr_t)at >= (uintptr_t)builder->source->text && (uintptr_t)at <= (uintptr_t)builder->end;
}

// Counts lines up to `at`, if it lies in the source at all.
static void see(struct builder *builder, const char *at)
{
    if (!in_source(builder, at))
        return;
    for (; (uintptr_t)builder->seen < (uintptr_t)at; builder->seen++)
        builder->line += *builder->seen == '\n';
}

static int level_of(int depth)
{
    return depth < LEVEL_MOST ? depth : LEVEL_MOST;
}

static struct lesson_block *last(struct builder *builder)
{
    return &builder->out->list[builder->out->count - 1];
}

// Hands the pieces that were read to the block that is open.
static void close_block(struct builder *builder)
{
    if (builder->open) {
        last(builder)->pieces = builder->pieces.list;
        last(builder)->piece_count = builder->pieces.count;
        builder->pieces = (struct pieces){ 0 };
    }
    builder->open = builder->fresh_item = false;
}

static struct lesson_block *add_block(struct builder *builder, enum block_kind kind, int level)
{
    close_block(builder);
    struct blocks *out = builder->out;
    if (out->count >= BLOCKS_MOST && !builder->failed)
        fail_at(builder, builder->line, "this is too long; make two of it");
    out->list = array_room(out->list, out->count, sizeof *out->list);
    struct lesson_block *block = &out->list[out->count++];
    *block = (struct lesson_block){ .kind = kind, .line = builder->line, .level = level_of(level) };
    return block;
}

static void open_block(struct builder *builder, enum block_kind kind, int level)
{
    add_block(builder, kind, level);
    builder->open = true;
    builder->goes_on = false;
}

static void open_paragraph(struct builder *builder)
{
    bool taken = builder->open && builder->fresh_item;
    builder->fresh_item = false;
    if (taken)
        return;
    if (builder->quotes)
        open_block(builder, BLOCK_QUOTE, builder->quotes - 1);
    else
        open_block(builder, BLOCK_PARAGRAPH, builder->lists);
}

static void open_item(struct builder *builder)
{
    open_block(builder, BLOCK_ITEM, builder->lists - 1);
    builder->fresh_item = true;
    int *number = builder->lists <= LISTS_MOST ? &builder->numbers[builder->lists - 1] : NULL;
    if (number && *number)
        last(builder)->number = (*number)++;
}

static void open_list(struct builder *builder, int first)
{
    close_block(builder);
    if (builder->lists++ < LISTS_MOST)
        builder->numbers[builder->lists - 1] = first;
}

// ---- code, live blocks, comments ----------------------------------------------------------------------

static char *attribute_text(const MD_ATTRIBUTE *attribute)
{
    struct text out = { 0 };
    for (int i = 0; attribute->text && attribute->substr_offsets[i] < attribute->size; i++) {
        const char *at = attribute->text + attribute->substr_offsets[i];
        size_t length = attribute->substr_offsets[i + 1] - attribute->substr_offsets[i];
        if (attribute->substr_types[i] == MD_TEXT_ENTITY)
            entity_add(&out, at, length);
        else
            text_add_n(&out, at, length);
    }
    return out.data ? text_take(&out) : mem_copy("");
}

static void open_code(struct builder *builder, const MD_BLOCK_CODE_DETAIL *detail)
{
    if (detail->info.text && detail->info.size)
        see(builder, detail->info.text);
    add_block(builder, BLOCK_CODE, builder->lists);
    free(builder->info);
    builder->info = attribute_text(&detail->info);
    builder->verbatim.length = 0;
}

// Reports the error of the last block, where reading goes on after one; a block has at most one.
static void report(struct builder *builder)
{
    builder->failed = !builder->said;
    if (builder->said && builder->said_block != builder->out->count)
        builder->said(builder->said_to, builder->error);
    builder->said_block = builder->out->count;
}

static void drop_block(struct builder *builder)
{
    if (builder->failed)
        return;
    block_free(last(builder));
    builder->out->count--;
    builder->said_block = 0; // the next block takes its place
}

static void close_code(struct builder *builder)
{
    if (code_take(builder->source, last(builder), builder->info, &builder->verbatim, builder->error))
        return;
    report(builder);
    drop_block(builder);
}

static void close_html(struct builder *builder)
{
    bool kept = true;
    struct lesson_block *before = builder->out->count > 1 ? last(builder) - 1 : NULL;
    if (!comment_take(builder->source, last(builder), before, &builder->verbatim, &kept, builder->error)) {
        report(builder);
        kept = false;
    }
    if (!kept)
        drop_block(builder);
}

// ---- tables -------------------------------------------------------------------------------------------

static void open_cell(struct builder *builder)
{
    struct lesson_block *table = last(builder);
    if (builder->cells >= CELLS_MOST) {
        if (!builder->failed)
            fail_at(builder, table->line, "this table is too large");
        return;
    }
    table->cells = array_room(table->cells, builder->cells, sizeof *table->cells);
    table->cells[builder->cells++] = (struct table_cell){ 0 };
    builder->in_cell = true;
    builder->goes_on = false;
}

static void close_cell(struct builder *builder)
{
    struct table_cell *cell = &last(builder)->cells[builder->cells - 1];
    cell->pieces = builder->pieces.list;
    cell->count = builder->pieces.count;
    builder->pieces = (struct pieces){ 0 };
    builder->in_cell = false;
}

// Cells are counted as rows times columns: of a table that was left within a row, none are kept.
static void drop_table(struct builder *builder)
{
    struct lesson_block *table = builder->out->count ? last(builder) : NULL;
    if (!table || table->kind != BLOCK_TABLE || table->cols)
        return;
    for (size_t i = 0; i < builder->cells; i++)
        pieces_free(table->cells[i].pieces, table->cells[i].count);
    free(table->cells);
    table->cells = NULL;
}

// ---- what md4c calls ------------------------------------------------------------------------------------
// Returning true ends the reading, but not everywhere: after a row of a table md4c goes on. So nothing is taken once
// something has failed, and the table that was left stays the last block.

static int enter_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    struct builder *builder = context;
    if (builder->failed)
        return true;
    switch (type) {
    case MD_BLOCK_QUOTE:
        close_block(builder);
        builder->quotes++;
        break;
    case MD_BLOCK_UL:
        open_list(builder, 0);
        break;
    case MD_BLOCK_OL:
        open_list(builder, (int)((MD_BLOCK_OL_DETAIL *)detail)->start);
        break;
    case MD_BLOCK_LI:
        open_item(builder);
        break;
    case MD_BLOCK_HR:
        add_block(builder, BLOCK_RULE, builder->lists);
        break;
    case MD_BLOCK_H:
        open_block(builder, BLOCK_HEADING, (int)((MD_BLOCK_H_DETAIL *)detail)->level);
        break;
    case MD_BLOCK_P:
        open_paragraph(builder);
        break;
    case MD_BLOCK_CODE:
        open_code(builder, detail);
        break;
    case MD_BLOCK_HTML:
        add_block(builder, BLOCK_NOTE, builder->lists);
        builder->verbatim.length = 0;
        break;
    case MD_BLOCK_TABLE:
        add_block(builder, BLOCK_TABLE, builder->lists);
        builder->cells = 0;
        break;
    case MD_BLOCK_TR:
        last(builder)->rows++;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        open_cell(builder);
        break;
    default:
        break;
    }
    return builder->failed;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    struct builder *builder = context;
    if (builder->failed)
        return true;
    switch (type) {
    case MD_BLOCK_QUOTE:
        close_block(builder);
        builder->quotes--;
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        close_block(builder);
        builder->lists--;
        break;
    case MD_BLOCK_CODE:
        close_code(builder);
        break;
    case MD_BLOCK_HTML:
        close_html(builder);
        break;
    case MD_BLOCK_TABLE:
        last(builder)->cols = last(builder)->rows ? builder->cells / last(builder)->rows : 0;
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        close_cell(builder);
        break;
    case MD_BLOCK_P:
    case MD_BLOCK_H:
    case MD_BLOCK_LI:
        close_block(builder);
        break;
    default:
        break;
    }
    return builder->failed;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *context)
{
    struct builder *builder = context;
    builder->strong += type == MD_SPAN_STRONG;
    builder->emphasis += type == MD_SPAN_EM;
    builder->code_span += type == MD_SPAN_CODE;
    builder->images += type == MD_SPAN_IMG;
    builder->goes_on = builder->goes_on && builder->link;
    if (type == MD_SPAN_A) {
        builder->goes_on = false;
        free(builder->link);
        builder->link = attribute_text(&((MD_SPAN_A_DETAIL *)detail)->href);
    }
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *context)
{
    struct builder *builder = context;
    builder->strong -= type == MD_SPAN_STRONG;
    builder->emphasis -= type == MD_SPAN_EM;
    builder->code_span -= type == MD_SPAN_CODE;
    builder->images -= type == MD_SPAN_IMG;
    builder->goes_on = builder->link && type != MD_SPAN_A;
    if (type == MD_SPAN_A) {
        free(builder->link);
        builder->link = NULL;
    }
    return 0;
}

static void add_piece(struct builder *builder, const char *text, size_t length)
{
    enum inline_kind kind = builder->link        ? INLINE_LINK
                            : builder->code_span ? INLINE_CODE
                            : builder->strong    ? INLINE_STRONG
                            : builder->emphasis  ? INLINE_EMPHASIS
                                                 : INLINE_TEXT;
    pieces_add(&builder->pieces, kind, builder->link, builder->goes_on, text, length);
    builder->goes_on = true;
}

// md4c gives a comment line by line, with line ends that lie nowhere in the source.
static bool in_comment(struct builder *builder, const char *text, size_t length)
{
    if (!builder->comment && !(length > 3 && memcmp(text, "<!--", 4) == 0))
        return false;
    builder->comment = !(length > 2 && memcmp(text + length - 3, "-->", 3) == 0);
    return true;
}

// HTML within a line: a comment is dropped; other HTML is text in a single value and an error in a file.
static void add_html(struct builder *builder, const char *text, size_t length)
{
    static const char words[] = "HTML is not shown in a terminal; write `code` or *emphasis*";
    if (in_comment(builder, text, length))
        return;
    if (!*builder->source->file) {
        add_piece(builder, text, length);
        return;
    }
    if (in_source(builder, text))
        error_at(builder->error, builder->source, text, "%s", words);
    else
        line_error(builder->source, builder->line, NULL, builder->error, "%s", words);
    report(builder);
}

// Text of a paragraph; in a tight list md4c does not say that one begins.
static void add_text(struct builder *builder, MD_TEXTTYPE type, const char *text, size_t length)
{
    if (!builder->in_cell && (!builder->open || builder->fresh_item)) {
        see(builder, text);
        open_paragraph(builder);
    }
    if (!builder->in_cell && builder->pieces.count == 0 && type != MD_TEXT_SOFTBR)
        last(builder)->line = builder->line;
    struct text entity = { 0 };
    if (type == MD_TEXT_SOFTBR)
        add_piece(builder, " ", 1);
    else if (type == MD_TEXT_BR) {
        pieces_add(&builder->pieces, INLINE_BREAK, NULL, false, "", 0);
        builder->goes_on = false;
    } else if (type == MD_TEXT_ENTITY) {
        entity_add(&entity, text, length);
        add_piece(builder, text_string(&entity), entity.length);
    } else if (type == MD_TEXT_NULLCHAR)
        add_piece(builder, "?", 1);
    else if (type != MD_TEXT_HTML)
        add_piece(builder, text, length);
    else
        add_html(builder, text, length);
    text_free(&entity);
}

static int text_comes(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *context)
{
    struct builder *builder = context;
    if (builder->failed)
        return true;
    struct lesson_block *block = builder->out->count ? last(builder) : NULL;
    bool verbatim = block && !builder->open && (block->kind == BLOCK_CODE || block->kind == BLOCK_NOTE) &&
                    (type == MD_TEXT_CODE || type == MD_TEXT_HTML) && !builder->code_span;
    if (type != MD_TEXT_SOFTBR && type != MD_TEXT_BR)
        see(builder, text);
    if (!verbatim)
        add_text(builder, type, text, size);
    else {
        if (!builder->verbatim.length && !(builder->info && *builder->info && block->kind == BLOCK_CODE))
            block->line = builder->line;
        text_add_n(&builder->verbatim, text, size);
    }
    return builder->failed;
}

bool markdown_parse(const struct source *source, const char *body, error_said said, void *context,
                    struct blocks *out, struct error *error)
{
    struct builder builder = { .source = source,
                               .error = error,
                               .said = said,
                               .said_to = context,
                               .out = out,
                               .seen = source->text,
                               .line = 1,
                               .end = source->text + strlen(source->text) };
    see(&builder, body);
    size_t length = strlen(body);
    if (length > TEXT_MOST)
        return error_set(error, EXIT_USAGE, "%s is larger than %d KiB; make two of it.", source->file,
                         TEXT_MOST >> 10);
    const MD_PARSER parser = { 0,          MD_FLAG_TABLES, enter_block, leave_block, enter_span,
                               leave_span, text_comes,     NULL,        NULL };
    bool parsed = md_parse(body, (MD_SIZE)length, &parser, &builder) == 0;
    if (!parsed && !builder.failed) // md4c refuses no text
        mem_exhausted();
    drop_table(&builder);
    pieces_free(builder.pieces.list, builder.pieces.count);
    text_free(&builder.verbatim);
    free(builder.link);
    free(builder.info);
    return parsed;
}
