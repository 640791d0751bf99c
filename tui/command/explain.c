// warpbook explain: a term as the terms page shows it, or what is near the words when none is called so.
#include "tui/text/terms.h"
#include "tui/tui.h"

#include <stdlib.h>

enum { NEAR_MOST = 8 };

static int width_of(const struct paper *paper)
{
    enum { LINE_MOST = 88 };
    return paper->width < LINE_MOST ? paper->width : LINE_MOST;
}

static int print_all(const struct paper *paper, const struct glossary *glossary)
{
    struct sheet sheet = sheet_new(width_of(paper), paper->utf8);
    const struct term **all = mem_new((glossary->count + 1) * sizeof *all);
    entry_rows(&sheet, all, glossary_search(glossary, "", all, glossary->count));
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
    free(all);
    return EXIT_RIGHT;
}

static void print_entry(const struct paper *paper, const struct glossary *glossary, const struct term *term)
{
    struct links links = { .addresses = true };
    struct sheet sheet = entry_sheet(glossary, term, width_of(paper), paper->utf8, &links);
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
    links_free(&links);
}

static void print_near(const struct paper *paper, const char *words, const struct term *const *near,
                       size_t count)
{
    struct sheet sheet = sheet_new(width_of(paper), paper->utf8);
    sheet_flow(&sheet, ROLE_TEXT, "No term is called '%s'. Near it:", words);
    sheet_end(&sheet);
    entry_rows(&sheet, near, count);
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
}

static int explain(const struct paper *paper, const struct glossary *glossary, const char *words)
{
    const struct term *named = term_named(glossary, words), *found[NEAR_MOST];
    struct error error;
    bool exact;
    if (named) {
        print_entry(paper, glossary, named);
        return EXIT_RIGHT;
    }
    size_t count = terms_meant(glossary, words, found, NEAR_MOST, &exact);
    if (count) {
        print_near(paper, words, found, count);
        return EXIT_RIGHT;
    }
    error_set(&error, EXIT_WRONG, "No term is near '%s'. 'warpbook explain' lists them all.", words);
    return fail(&error);
}

int command_explain(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct glossary glossary;
    struct error error;
    struct text words = { 0 };
    if (!glossary_read(NULL, &glossary, &error))
        return fail(&error);
    for (size_t i = 0; i < arguments->operand_count; i++)
        text_addf(&words, "%s%s", i ? " " : "", arguments->operands[i]);
    int status = words.length ? explain(&paper, &glossary, words.data) : print_all(&paper, &glossary);
    text_free(&words);
    glossary_free(&glossary);
    return status;
}
