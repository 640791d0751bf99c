// Terms: what their files say, and how they are found.
#include "lessons/lessons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct glossary shipped(void)
{
    struct glossary glossary;
    struct error error;
    if (!glossary_read("lessons/glossary", &glossary, &error))
        fail_msg("%s", error.text);
    return glossary;
}

static const char *first(const struct glossary *glossary, const char *words)
{
    const struct term *found[1];
    return glossary_search(glossary, words, found, 1) ? found[0]->name : "nothing";
}

// A folder with one term of this text; the caller removes it with drop_folder.
static char *folder_with(const char *text)
{
    char *folder = mem_copy("/tmp/warpbook-glossary-XXXXXX");
    assert_non_null(mkdtemp(folder));
    char *path = path_join(folder, "a-term.md");
    struct error error;
    assert_true(file_replace(path, text, strlen(text), &error));
    free(path);
    return folder;
}

static void drop_folder(char *folder)
{
    char *path = path_join(folder, "a-term.md");
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
}

static void a_file_becomes_a_term(void **state)
{
    char *folder =
        folder_with("---\nname: A term\nalso: one, two words ,\n  three\nsee: x, y\ntry: warpbook list\n---\n"
                    "It *is* this.\n\nMore of it.\n");
    struct glossary glossary;
    struct error error;
    assert_true(glossary_read(folder, &glossary, &error));
    assert_int_equal(glossary.count, 1);
    const struct term *term = glossary.list;
    assert_string_equal(term->name, "A term");
    assert_string_equal(term->file, "a-term");
    assert_int_equal(term->also_count, 3);
    assert_string_equal(term->also[1], "two words");
    assert_string_equal(term->also[2], "three");
    assert_int_equal(term->see_count, 2);
    assert_string_equal(term->try, "warpbook list");
    assert_string_equal(term->sentence, "It is this.");
    assert_int_equal(term->block_count, 2);
    assert_false(glossary_check(&glossary, &error));
    assert_string_equal(error.text, "glossary/a-term.md: 'see' leads to 'x', which is no term.");
    glossary_free(&glossary);
    drop_folder(folder);
}

static void errors_point(void **state)
{
    static const struct {
        const char *text, *want;
    } wrong[] = {
        { "no front", ":1:1: error: the file starts with" },
        { "---\nalso: x\n---\nText.\n", ":1:1: error: a term starts with 'name'" },
        { "---\nname: x\nnmae: y\n---\nText.\n", ":3:1: error: a term starts with name and try" },
        { "---\nname: x\n---\n# Heading\n", ": error: a term's text starts with the sentence" },
        { "---\nname: x\n---\nText.\n\n```lab\nshow: a\n```\n",
          ":6:1: error: live blocks stand in lessons only" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *folder = folder_with(wrong[i].text);
        struct glossary glossary;
        struct error error;
        assert_false(glossary_read(folder, &glossary, &error));
        if (!strstr(error.text, wrong[i].want))
            fail_msg("%s", error.text);
        drop_folder(folder);
    }
}

static void names_are_found_however_they_are_written(void **state)
{
    struct glossary glossary = shipped();
    static const char *const names[] = { "shared memory", "shared-memory", "Shared_Memory", "SHAREDMEMORY",
                                         "smem",          "__shared__",    "shared" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct term *term = glossary_find(&glossary, names[i]);
        assert_non_null(term);
        assert_string_equal(term->name, "shared memory");
    }
    assert_string_equal(glossary_find(&glossary, "__syncthreads()")->name, "barrier");
    assert_string_equal(glossary_find(&glossary, "<<<>>>")->name, "grid");
    assert_null(glossary_find(&glossary, "sharedmemor"));
    assert_null(glossary_find(&glossary, ""));
    glossary_free(&glossary);
}

static void a_search_finds_the_nearest_first(void **state)
{
    struct glossary glossary = shipped();
    static const struct {
        const char *words, *want;
    } searches[] = {
        { "warp", "warp" },
        { "bank", "bank" },
        { "bank c", "bank conflict" }, // names, starts of names
        { "atomicAdd", "atomic" },
        { "gld_sec", "sector" },
        { "smem", "shared memory" }, // aliases
        { "wrap", "warp" },
        { "coalesing", "coalescing" },
        { "ocupancy", "occupancy" }, // misspellings
        { "syncthread", "barrier" },
        { "divergance", "divergence" },
        { "bandwith", "bandwidth" },
        { "reads a word, changes", "atomic" }, // words in the text
        { "quartiles", "spread" },
        { "xyzzyxyzzy", "nothing" },
    };
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        assert_string_equal(first(&glossary, searches[i].words), searches[i].want);
    glossary_free(&glossary);
}

static void an_empty_search_gives_everything_by_name(void **state)
{
    struct glossary glossary = shipped();
    const struct term *found[200];
    assert_int_equal(glossary_search(&glossary, " ", found, 200), glossary.count);
    for (size_t i = 1; i < glossary.count; i++)
        assert_true(strcasecmp(found[i - 1]->name, found[i]->name) < 0);
    assert_int_equal(glossary_search(&glossary, "a", found, 3), 3);
    glossary_free(&glossary);
}

static void a_search_takes_any_text(void **state)
{
    struct glossary glossary = shipped();
    const struct term *found[5];
    struct text text = { 0 };
    for (int i = 0; i < 5000; i++)
        text_add(&text, i % 7 ? "\xff()" : " -");
    glossary_search(&glossary, text.data, found, 5);
    glossary_search(&glossary, "()", found, 5);
    glossary_search(&glossary, "__", found, 5);
    text_free(&text);
    glossary_free(&glossary);
}

static void links_lead_back(void **state)
{
    struct glossary glossary = shipped();
    const struct term *from[50];
    size_t count = glossary_links(&glossary, glossary_find(&glossary, "bank"), from, 50);
    bool conflict = false;
    for (size_t i = 0; i < count; i++) {
        conflict = conflict || strcmp(from[i]->name, "bank conflict") == 0;
        assert_string_not_equal(from[i]->name, "bank");
    }
    assert_true(conflict);
    glossary_free(&glossary);
}

static size_t lines_of(const char *path)
{
    struct text text = { 0 };
    struct error error;
    size_t count = 0;
    assert_true(file_read(path, &text, &error));
    const char *body = strstr(text.data + 3, "\n---\n");
    assert_non_null(body);
    for (body += 5; *body; body++)
        count += *body == '\n';
    text_free(&text);
    return count;
}

static void what_ships_is_short_and_leads_somewhere(void **state)
{
    static const char *const needed[] = {
        "warp",          "lane",      "sector",        "request",       "coalescing", "bank",
        "bank conflict", "wavefront", "shared memory", "global memory", "L1",         "L2",
        "occupancy",     "register",  "block",         "grid",          "thread",     "kernel",
        "barrier",       "atomic",    "divergence",    "bandwidth",     "roofline",   "spread",
    };
    struct glossary glossary = shipped();
    struct error error;
    if (!glossary_check(&glossary, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_non_null(glossary_find(&glossary, needed[i]));
    for (size_t i = 0; i < glossary.count; i++) {
        const struct term *term = &glossary.list[i];
        char path[200];
        format_into(path, sizeof path, "lessons/glossary/%s.md", term->file);
        if (lines_of(path) > 20)
            fail_msg("%s has more than 20 lines", path);
        assert_true(strlen(term->sentence) <= 200);
        assert_true(!term->try || string_starts(term->try, "warpbook "));
    }
    glossary_free(&glossary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_a_term),
        cmocka_unit_test(errors_point),
        cmocka_unit_test(names_are_found_however_they_are_written),
        cmocka_unit_test(a_search_finds_the_nearest_first),
        cmocka_unit_test(an_empty_search_gives_everything_by_name),
        cmocka_unit_test(a_search_takes_any_text),
        cmocka_unit_test(links_lead_back),
        cmocka_unit_test(what_ships_is_short_and_leads_somewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
