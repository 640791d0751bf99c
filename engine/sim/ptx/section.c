// Sections of debugging information: `.section .debug_info { .b8 1 … }`. Compilers write DWARF into PTX as bytes, with
// names where an address or the place in another section belongs, since only a linker knows those. Here a section becomes
// its bytes and the list of these names; module/dwarf.c reads what the bytes mean.
#include "engine/sim/ptx/parser.h"

#include <string.h>

static unsigned item_bytes(const struct ptx_parser *p)
{
    static const char *const names[] = { ".b8", ".b16", ".b32", ".b64" };
    for (int i = 0; i < 4; i++)
        if (parse_at_word(p, names[i]))
            return 1u << i;
    return 0;
}

static bool add_bytes(struct ptx_parser *p, struct ptx_section *section, uint64_t bits, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        section->bytes = parse_grow(p, section->bytes, section->count, 1);
        if (!section->bytes)
            return false;
        section->bytes[section->count++] = (unsigned char)(i < 8 ? bits >> 8 * i : 0);
    }
    return true;
}

static const char *name_here(struct ptx_parser *p)
{
    struct ptx_symbol *symbol = symbol_here(p);
    if (symbol)
        lex_next(&p->lexer);
    return symbol ? symbol->name : NULL;
}

// $L__tmp3, __local_depot0, .debug_loc+133, Ltmp1-Lfunc_begin0: the bytes are 0, and a link says what they stand for.
static bool take_link(struct ptx_parser *p, struct ptx_section *section)
{
    section->links = parse_grow(p, section->links, section->link_count, sizeof *section->links);
    if (!section->links)
        return false;
    struct ptx_link *link = &section->links[section->link_count];
    link->at = section->count;
    link->name = name_here(p);
    if (!link->name)
        return false;
    bool less = parse_at(p, '-');
    if (less || parse_at(p, '+')) {
        lex_next(&p->lexer);
        if (p->lexer.token.kind == TOKEN_INTEGER) {
            link->offset = less ? 0 - p->lexer.token.bits : p->lexer.token.bits;
            lex_next(&p->lexer);
        } else if (p->lexer.token.kind != TOKEN_NAME || !name_here(p)) {
            return parse_expected(
                p, "an offset"); // of a difference only the first name matters: the others are bases
        }
    }
    section->link_count++;
    return true;
}

static bool take_item(struct ptx_parser *p, struct ptx_section *section, unsigned bytes)
{
    uint64_t bits = 0;
    bool negative = parse_accept(p, '-');
    if (p->lexer.token.kind == TOKEN_INTEGER) {
        bits = negative ? 0 - p->lexer.token.bits : p->lexer.token.bits;
        lex_next(&p->lexer);
    } else if (p->lexer.token.kind != TOKEN_NAME && p->lexer.token.kind != TOKEN_DOT) {
        return parse_expected(p, "a number");
    } else if (!take_link(p, section)) {
        return false;
    }
    return add_bytes(p, section, bits, bytes);
}

static bool take_label(struct ptx_parser *p, struct ptx_section *section)
{
    section->labels = parse_grow(p, section->labels, section->label_count, sizeof *section->labels);
    if (!section->labels)
        return false;
    struct ptx_label *label = &section->labels[section->label_count];
    *label = (struct ptx_label){ .name = name_here(p), .at = section->count };
    section->label_count += label->name != NULL;
    return label->name && parse_expect(p, ':');
}

// Up to the '}'.
static bool take_content(struct ptx_parser *p, struct ptx_section *section)
{
    while (!parse_at(p, '}')) {
        unsigned bytes = item_bytes(p);
        if (deadline_passed(&p->deadline))
            return parse_expected(p, "the end of the section");
        if (!bytes && p->lexer.token.kind == TOKEN_NAME) {
            if (!take_label(p, section))
                return false;
            continue;
        }
        if (!bytes)
            return parse_expected(p, "data");
        do {
            lex_next(&p->lexer);
            if (!take_item(p, section, bytes))
                return false;
        } while (parse_at(p, ','));
    }
    lex_next(&p->lexer);
    return true;
}

static bool is_read(const struct ptx_parser *p)
{
    static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_loc", ".debug_str" };
    for (int i = 0; i < 4; i++)
        if (parse_at_word(p, names[i]))
            return true;
    return false;
}

// Nothing but the names of variables is lost with a section that cannot be understood: it is skipped.
bool parse_section(struct ptx_parser *p)
{
    int line = p->lexer.token.line;
    struct ptx_section section = { 0 };
    bool wanted = is_read(p);
    if (wanted) {
        struct ptx_symbol *symbol = symbol_here(p);
        if (!symbol)
            return false;
        section.name = symbol->name;
    }
    while (!parse_at(p, '{') && p->lexer.token.kind != TOKEN_END)
        lex_next(&p->lexer);
    if (wanted && parse_at(p, '{')) {
        struct lexer start = p->lexer;
        struct ptx_text *text = p->text;
        lex_next(&p->lexer);
        if (take_content(p, &section)) {
            text->sections = parse_grow(p, text->sections, text->section_count, sizeof *text->sections);
            if (text->sections)
                text->sections[text->section_count++] = section;
            return text->sections != NULL;
        }
        if (p->failed)
            return false;
        p->lexer = start;
        p->error[0] = '\0';
    }
    return lex_skip_block(&p->lexer) ||
           parse_fail(p, line, "the section that begins here has no end: a '}' is missing");
}
