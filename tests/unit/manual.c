// The manual page holds what the program's tables hold. The parts of assets/manual/warpbook.1 between the lines
// `.\" BEGIN NAME` and `.\" END` are made here from the tables of commands, pages, actions, keys and explorers and
// compared with the file; `make manual` (UPDATE_MANUAL=1) writes them into it. So the page is in the repository, and
// `make install` needs to run nothing, in a cross build either.
#include "tui/explore/explore.h"
#include "tui/tui.h"
#include "tui/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, NULL };
static const char page_path[] = "assets/manual/warpbook.1";

// ---- roff ------------------------------------------------------------------------------------------------------

// Text as roff takes it: no line starts with a control character, and a hyphen of a flag stays one that can be copied.
static void add_escaped(struct text *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        text_addf(out, "\\&");
    for (; *text; text++)
        switch (*text) {
        case '\\':
            text_addf(out, "\\e");
            break;
        case '-':
            text_addf(out, "\\-");
            break;
        case '^':
            text_addf(out, "\\(ha");
            break;
        case '~':
            text_addf(out, "\\(ti");
            break;
        case '`':
            text_addf(out, "\\(ga");
            break;
        default:
            text_add_n(out, text, 1);
        }
}

// A sentence of a table: each sentence on a line of its own, as roff wants it, and within the width of the file.
static void add_sentence(struct text *out, const char *text)
{
    enum { WIDTH = 78 };
    size_t used = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        char *word = mem_copy_n(text, length);
        bool ends = length > 1 && strchr(".?!", word[length - 1]) && text[length];
        if (used)
            text_addf(out, "%s", used + length > WIDTH ? "\n" : " ");
        used = used + length > WIDTH ? length : used + length + 1;
        add_escaped(out, word);
        if (ends && !string_ends(word, "...")) {
            text_addf(out, "\n");
            used = 0;
        }
        free(word);
        text += length + strspn(text + length, " ");
    }
    text_addf(out, "\n");
}

static void add_font(struct text *out, char font, const char *text)
{
    text_addf(out, "\\f%c", font);
    add_escaped(out, text);
    text_addf(out, "\\fR");
}

// ---- the parts -------------------------------------------------------------------------------------------------

static void make_commands(struct text *out)
{
    for (const struct command *command = commands; command->name; command++) {
        text_addf(out, ".SS \"%s%s", command->name, *command->operands ? " " : "");
        add_escaped(out, command->operands);
        text_addf(out, "\"\n");
        add_sentence(out, command->help);
        for (size_t f = 0; f < FLAGS && command->flags[f].name; f++) {
            text_addf(out, ".TP\n");
            add_font(out, 'B', command->flags[f].name);
            if (command->flags[f].value) {
                text_addf(out, " ");
                add_font(out, 'I', command->flags[f].value);
            }
            text_addf(out, "\n");
            add_sentence(out, command->flags[f].help);
        }
    }
}

static void make_pages(struct text *out)
{
    for (size_t i = 0; page_list[i]; i++) {
        text_addf(out, ".TP\n");
        add_font(out, 'B', page_list[i]->name);
        if (page_list[i]->operands && *page_list[i]->operands) {
            text_addf(out, " ");
            add_font(out, 'I', page_list[i]->operands);
        }
        text_addf(out, "\n");
        add_sentence(out, page_list[i]->help);
    }
}

// The keys that do these words on a page (NULL: on every page), the later lines of the file first.
static void add_keys(struct text *out, const struct keys *keys, const char *page, const char *words)
{
    bool first = true;
    for (size_t i = 0; i < keys->count; i++) {
        const struct key_binding *one = &keys->bindings[i];
        char name[24];
        bool same_page = page ? one->page && strcmp(one->page, page) == 0 : !one->page;
        if (!same_page || strcmp(one->words, words) != 0)
            continue;
        key_name(one->key, name, sizeof name);
        text_addf(out, "%s", first ? " (" : ", ");
        add_font(out, 'B', name);
        first = false;
    }
    text_addf(out, "%s", first ? "" : ")");
}

static void add_action(struct text *out, const struct keys *keys, const char *page,
                       const struct action *action)
{
    text_addf(out, ".TP\n");
    add_font(out, 'B', action->name);
    if (action->operands) {
        text_addf(out, " ");
        add_font(out, 'I', action->operands);
    }
    add_keys(out, keys, page, action->name);
    text_addf(out, "\n");
    add_sentence(out, action->help);
}

static void add_actions(struct text *out, const struct keys *keys, const char *page)
{
    bool headed = false;
    for (size_t i = 0; i < action_count; i++) {
        if (page ? !actions[i].pages || !action_fits(&actions[i], page) : actions[i].pages != NULL)
            continue;
        if (!headed)
            text_addf(out, ".PP\n.B On %s%s:\n", page ? "the page " : "every page", page ? page : "");
        headed = true;
        add_action(out, keys, page, &actions[i]);
    }
}

// Keys of one page that do what can be done on every page.
static void add_other_keys(struct text *out, const struct keys *keys, const char *page)
{
    for (size_t i = 0; i < keys->count; i++) {
        const struct key_binding *one = &keys->bindings[i];
        const struct action *action = action_find(one->words);
        char name[24];
        if (!one->page || strcmp(one->page, page) != 0 || (action && action->pages))
            continue;
        key_name(one->key, name, sizeof name);
        text_addf(out, ".PP\nOn the page %s, ", page);
        add_font(out, 'B', name);
        text_addf(out, " does %s", *one->words ? "" : "nothing");
        if (*one->words)
            add_font(out, 'B', one->words);
        text_addf(out, ".\n");
    }
}

static void make_keys(struct text *out)
{
    struct keys keys = { 0 };
    struct error error;
    assert_true(keys_read(&keys, &known, &error));
    add_actions(out, &keys, NULL);
    for (size_t i = 0; page_list[i]; i++)
        add_actions(out, &keys, page_list[i]->name);
    for (size_t i = 0; page_list[i]; i++)
        add_other_keys(out, &keys, page_list[i]->name);
    keys_free(&keys);
}

static void make_explorers(struct text *out)
{
    for (size_t i = 0; explorers[i]; i++) {
        text_addf(out, ".TP\n");
        add_font(out, 'B', explorers[i]->name);
        text_addf(out, "\n");
        add_sentence(out, explorers[i]->help);
        text_addf(out, "Knobs:\n");
        for (size_t k = 0; k < knob_count(explorers[i]); k++) {
            const struct knob *knob = &explorers[i]->knobs[k];
            char range[200];
            knob_range(knob, range, sizeof range);
            text_addf(out, "%s", k ? ";\n" : "");
            add_font(out, 'B', knob->name);
            text_addf(out, ", ");
            add_escaped(out, knob->help);
            text_addf(out, " (");
            add_escaped(out, range);
            text_addf(out, ")");
        }
        text_addf(out, ".\n");
    }
}

static const struct {
    const char *name;
    void (*make)(struct text *out);
} parts[] = { { "commands", make_commands },
              { "pages", make_pages },
              { "keys", make_keys },
              { "explorers", make_explorers } };

// ---- the file --------------------------------------------------------------------------------------------------

// The file with each part made anew; `made` counts the parts that it holds.
static void fill(const char *text, struct text *out, size_t *made)
{
    static const char end[] = ".\\\" END\n";
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        char begin[60];
        format_into(begin, sizeof begin, ".\\\" BEGIN %s\n", parts[p].name);
        const char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;
        if (!to)
            continue;
        text_add_n(out, text, (size_t)(from + strlen(begin) - text));
        parts[p].make(out);
        text = to;
        ++*made;
    }
    text_addf(out, "%s", text);
}

static void the_manual_page_is_made_from_the_tables(void **state)
{
    struct text is = { 0 }, should = { 0 };
    struct error error;
    size_t made = 0;
    assert_true(file_read(page_path, &is, &error));
    fill(is.data, &should, &made);
    assert_int_equal(made, sizeof parts / sizeof *parts);
    bool same = strcmp(is.data, should.data) == 0;
    if (!same && getenv("UPDATE_MANUAL")) {
        FILE *file = fopen(page_path, "w");
        assert_non_null(file);
        assert_int_equal(fwrite(should.data, 1, should.length, file), should.length);
        assert_int_equal(fclose(file), 0);
    } else if (!same) {
        fail_msg("%s is not what the tables say; `make manual` writes it anew", page_path);
    }
    text_free(&is);
    text_free(&should);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_page_is_made_from_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
