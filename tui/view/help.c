// help: every action of a page with its keys, the page's own ones first, then the other pages and the commands. Made
// from the tables, so that it cannot be out of date.
#include "tui/view/view.h"

#include <string.h>

struct help {
    struct reader reader;          // first, as a reader page wants it
    const struct page_ops *about;  // one of both
    const struct command *command; // of the command line
};

static bool open_help(struct page *page, const struct words *words, struct error *error)
{
    struct help *help = page->state;
    const char *name = words->count > 1 ? words->word[1] : "help";
    help->about = page_find(page->app->known.pages, name);
    help->command = help->about ? NULL : command_find(page->app->known.commands, name);
    help->reader.selected = -1;
    return help->about || help->command ||
           error_set(error, EXIT_USAGE, "There is no page or command '%s'. 'warpbook help' lists both.",
                     name);
}

enum { WORDS_AT = 17, HELP_AT = 38 };

// "r, <F5>": all keys that do exactly this here.
static void keys_of(const struct keys *keys, const char *page, const char *words, struct text *out)
{
    for (size_t i = keys->count; i-- > 0;) {
        const struct key_binding *one = &keys->bindings[i];
        const char *does = keys_words(keys, page, one->key);
        char name[24];
        key_name(one->key, name, sizeof name);
        if (does && does == one->words && strcmp(does, words) == 0)
            text_addf(out, "%s%s", out->length ? ", " : "", name);
    }
}

static void row(struct sheet *sheet, const char *first, const char *second, const char *help)
{
    sheet_add(sheet, ROLE_TITLE, " %s", first);
    sheet_to(sheet, WORDS_AT);
    sheet_add(sheet, ROLE_TEXT, "%s", second);
    int hang = sheet->width >= 70 ? HELP_AT : 4;
    if (hang == 4 || sheet->used >= HELP_AT)
        sheet_end(sheet);
    sheet_to(sheet, hang);
    sheet_hang(sheet, hang);
    sheet_flow(sheet, ROLE_DIM, "%s", help);
    sheet_end(sheet);
}

static void action_rows(struct sheet *sheet, const struct keys *keys, const char *page, bool own)
{
    for (size_t i = 0; i < action_count; i++) {
        struct text pressed = { 0 };
        char words[60];
        if ((actions[i].pages != NULL) != own || !action_fits(&actions[i], page))
            continue;
        keys_of(keys, page, actions[i].name, &pressed);
        format_into(words, sizeof words, "%s%s%s", actions[i].name, actions[i].operands ? " " : "",
                    actions[i].operands ? actions[i].operands : "");
        row(sheet, text_string(&pressed), words, actions[i].help);
        text_free(&pressed);
    }
}

static void head(struct sheet *sheet, const char *format, const char *word)
{
    sheet_gap(sheet);
    sheet_add(sheet, ROLE_TITLE, format, word);
    sheet_end(sheet);
}

static struct sheet command_sheet(const struct command *command, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    sheet_add(&sheet, ROLE_TITLE, "%s %s", command->name, command->operands ? command->operands : "");
    sheet_end(&sheet);
    sheet_paragraph(&sheet, ROLE_TEXT, 0, command->help);
    sheet_gap(&sheet);
    for (size_t i = 0; i < FLAGS && command->flags[i].name; i++)
        row(&sheet, command->flags[i].name, command->flags[i].value ? command->flags[i].value : "",
            command->flags[i].help);
    return sheet;
}

static bool has_own_actions(const char *page)
{
    for (size_t i = 0; i < action_count; i++)
        if (actions[i].pages && action_fits(&actions[i], page))
            return true;
    return false;
}

static struct sheet help_sheet(const struct app *app, const struct page_ops *about, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct keys *keys = &app->keys;
    const struct vocabulary *known = &app->known;
    sheet_paragraph(&sheet, ROLE_TEXT, 0, about->help);
    if (has_own_actions(about->name))
        head(&sheet, "On the page %s", about->name);
    action_rows(&sheet, keys, about->name, true);
    head(&sheet, "On every page%s", "");
    action_rows(&sheet, keys, about->name, false);
    row(&sheet, "5j, 10G", "",
        "A number before a key: that many times, or to that row. In a lesson, digits answer the question "
        "that is open.");
    row(&sheet, "ZZ", ":q", "Ends warpbook, as in vi; everything is saved already.");
    head(&sheet, "Pages%s", "");
    for (size_t i = 0; known->pages[i]; i++) {
        const struct page_ops *page = known->pages[i];
        row(&sheet, page->name, page->operands ? page->operands : "", page->help);
    }
    head(&sheet, "Commands; 'help COMMAND' says more%s", "");
    for (const struct command *command = known->commands; command->name; command++) {
        row(&sheet, command->name, command->operands, command->help);
    }
    return sheet;
}

static void draw_help(struct page *page, struct area area)
{
    struct help *help = page->state;
    bool utf8 = area.canvas->utf8;
    area = area_part(area, 0, 1, area.rows, area.cols - 1);
    if (help->reader.sheet.width != area.cols || help->reader.sheet.utf8 != utf8)
        reader_show(&help->reader,
                    help->command ? command_sheet(help->command, area.cols, utf8)
                                  : help_sheet(page->app, help->about, area.cols, utf8),
                    0);
    reader_draw(&help->reader, area);
}

static void title_help(struct page *page, struct text *out)
{
    struct help *help = page->state;
    text_add(out, help->about ? help->about->name : help->command->name);
}

static int act_help(struct page *page, enum act act, const struct words *words)
{
    struct help *help = page->state;
    if (act == ACT_HELP && words->count == 1) // ? again leaves it
        return app_back(page->app), DONE;
    return reader_act(&help->reader, page->app, act, words);
}

static const char *hints(const struct page *page)
{
    return "page-down page, search, find find";
}

const struct page_ops help_page = { .name = "help",
                                    .operands = "[PAGE | COMMAND]",
                                    .help = "The keys and actions of a page, the pages and the commands.",
                                    .most = 1,
                                    .size = sizeof(struct help),
                                    .open = open_help,
                                    .title = title_help,
                                    .draw = draw_help,
                                    .act = act_help,
                                    .word = reader_page_word,
                                    .hints = hints,
                                    .copy = reader_page_copy,
                                    .offers = reader_page_offers,
                                    .close = reader_page_close };
