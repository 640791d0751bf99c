// A term's entry as a sheet: what it is, what to try, what it leads to and what leads to it. The terms page shows it,
// `warpbook explain` prints it.
#include "tui/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, LINKS_MOST = 200, NAME_MOST = 24 };

// ---- one entry --------------------------------------------------------------------------------------------

static void add_title(struct sheet *sheet, const char *words)
{
    sheet_gap(sheet);
    sheet_add(sheet, ROLE_TITLE, "%s", words);
    sheet_end(sheet);
}

// Other names, which are for finding the term more than for reading it.
static void add_also(struct sheet *sheet, const struct term *term)
{
    if (!term->also_count)
        return;
    add_title(sheet, "Also called");
    sheet_to(sheet, INDENT);
    sheet_hang(sheet, INDENT);
    for (size_t i = 0; i < term->also_count; i++)
        sheet_flow(sheet, ROLE_DIM, "%s%s%s", i ? " " : "", term->also[i],
                   i + 1 < term->also_count ? "," : "");
    sheet_end(sheet);
}

// "bank, warp": each an item. No comma begins a line.
static void add_terms(struct sheet *sheet, const char *title, const struct term *const *terms, size_t count,
                      struct links *links)
{
    if (!count)
        return;
    add_title(sheet, title);
    sheet_to(sheet, INDENT);
    sheet_hang(sheet, INDENT);
    for (size_t i = 0; i < count; i++) {
        int comma = i + 1 < count; // has room beside the name
        sheet->width -= comma;
        sheet->item = links_add(links, "terms \"%s\"", terms[i]->name);
        sheet_flow(sheet, ROLE_LINK, "%s", terms[i]->name);
        sheet->item = -1;
        sheet->width += comma;
        if (comma)
            sheet_flow(sheet, ROLE_TEXT, ", ");
    }
    sheet_end(sheet);
}

static void add_try(struct sheet *sheet, const char *command, struct links *links)
{
    const char *words = string_starts(command, "warpbook ") ? command + strlen("warpbook ") : command;
    add_title(sheet, "Try");
    sheet_to(sheet, INDENT);
    sheet->item = links_add(links, "%s", words);
    sheet_add(sheet, ROLE_LINK, "%s%s", links->addresses ? "warpbook " : ":", words);
    sheet->item = -1;
    sheet_end(sheet);
}

struct sheet entry_sheet(const struct glossary *glossary, const struct term *term, int width, bool utf8,
                         struct links *links)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct term *to[LINKS_MOST];
    size_t count = 0;
    sheet_add(&sheet, ROLE_TITLE, "%s", term->name);
    sheet_end(&sheet);
    sheet_gap(&sheet);
    typeset_blocks(&sheet, term->blocks, term->block_count, links);
    if (term->try)
        add_try(&sheet, term->try, links);
    for (size_t i = 0; i < term->see_count && count < LINKS_MOST; i++) {
        const struct term *see = glossary_find(glossary, term->see[i]);
        if (see)
            to[count++] = see;
    }
    add_terms(&sheet, "See also", to, count, links);
    add_terms(&sheet, "What leads here", to, glossary_links(glossary, term, to, LINKS_MOST), links);
    add_also(&sheet, term);
    return sheet;
}

// ---- rows -------------------------------------------------------------------------------------------------

void entry_rows(struct sheet *sheet, const struct term *const *terms, size_t count)
{
    int longest = 0;
    for (size_t i = 0; i < count; i++) {
        int cells = text_cells(terms[i]->name);
        longest = cells > longest && cells <= NAME_MOST ? cells : longest;
    }
    for (size_t i = 0; i < count; i++) {
        sheet_to(sheet, INDENT);
        sheet_add(sheet, ROLE_TITLE, "%s", terms[i]->name);
        sheet_to(sheet, INDENT + longest + 2);
        sheet_hang(sheet, INDENT + longest + 2);
        sheet_flow(sheet, ROLE_TEXT, "%s", terms[i]->sentence);
        sheet_end(sheet);
    }
}

// ---- which terms a question means -------------------------------------------------------------------------

enum { PARTS_MOST = 40, RUN_MOST = 3 };
struct parts { // of the words: where each starts and ends
    size_t from[PARTS_MOST], to[PARTS_MOST], count;
};

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static struct parts parts_of(const char *words)
{
    struct parts parts = { 0 };
    for (size_t at = 0; words[at] && parts.count < PARTS_MOST;) {
        size_t from = at;
        while (in_name(words[at]))
            at++;
        if (at > from) {
            parts.from[parts.count] = from;
            parts.to[parts.count++] = at;
        } else {
            at++;
        }
    }
    return parts;
}

static size_t add_once(const struct term **out, size_t count, size_t room, const struct term *term)
{
    for (size_t i = 0; i < count; i++)
        if (out[i] == term)
            return count;
    if (term && count < room)
        out[count++] = term;
    return count;
}

// Finds names within the words, the longest ones first.
static size_t named_within(const struct glossary *glossary, const char *words, const struct term **out,
                           size_t count, size_t room)
{
    struct parts parts = parts_of(words);
    for (size_t run = RUN_MOST; run > 0; run--)
        for (size_t i = 0; i + run <= parts.count; i++) {
            size_t from = parts.from[i], to = parts.to[i + run - 1];
            char *name = mem_copy_n(words + from, to - from);
            count = add_once(out, count, room, glossary_find(glossary, name));
            free(name);
        }
    return count;
}

// Words and nothing else: no piece of a program.
bool words_ask(const char *words)
{
    bool blank = false;
    for (const char *c = words; *c; c++) {
        blank = blank || (*c == ' ' && c[1]);
        if (!in_name(*c) && !strchr(" -?!,.'/+", *c))
            return false;
    }
    return blank;
}

// Each word by itself: the last resort.
static size_t near_each(const struct glossary *glossary, const char *words, const struct term **out,
                        size_t room)
{
    enum { LETTERS_LEAST = 4 };
    struct parts parts = parts_of(words);
    size_t count = 0;
    for (size_t i = 0; i < parts.count; i++)
        if (parts.to[i] - parts.from[i] >= LETTERS_LEAST) {
            char *word = mem_copy_n(words + parts.from[i], parts.to[i] - parts.from[i]);
            const struct term *near = glossary_near(glossary, word);
            count = add_once(out, count, room, near);
            free(word);
        }
    return count;
}

// `cudaMemcpy();` is what `cudaMemcpy` is.
static const struct term *find_bare(const struct glossary *glossary, const char *words)
{
    static const char *const around = " \t\n`'\";:,.?!()";
    const char *from = words + strspn(words, around);
    size_t length = strlen(from);
    while (length && strchr(around, from[length - 1]))
        length--;
    char *bare = mem_copy_n(from, length);
    const struct term *found = glossary_find(glossary, bare);
    free(bare);
    return found;
}

const struct term *term_named(const struct glossary *glossary, const char *words)
{
    const struct term *term = glossary_find(glossary, words);
    if (!term)
        term = find_bare(glossary, words);
    if (!term)
        term = glossary_message(glossary, words);
    if (!term)
        term = glossary_number(glossary, words);
    return term ? term : glossary_metric(glossary, words);
}

size_t terms_meant(const struct glossary *glossary, const char *words, const struct term **out, size_t room,
                   bool *exact)
{
    const struct term *term = term_named(glossary, words);
    *exact = term != NULL;
    size_t count = add_once(out, 0, room, term);
    if (!term && words_ask(words))
        count = add_once(out, count, room, glossary_near(glossary, words));
    if (!term)
        count = named_within(glossary, words, out, count, room);
    const struct term **near = mem_new((glossary->count + 1) * sizeof *near);
    size_t found = glossary_search(glossary, words, near, glossary->count);
    for (size_t i = 0; i < found; i++)
        count = add_once(out, count, room, near[i]);
    free(near);
    return count ? count : near_each(glossary, words, out, room);
}
