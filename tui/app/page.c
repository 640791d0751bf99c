// The list of pages, opening and leaving them, and words that name their commands.
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>

const struct page_ops *const page_list[] = { &home_page,    &lesson_page,  &bench_page,  &source_page,
                                             &step_page,    &explore_page, &terms_page,  &workbook_page,
                                             &machine_page, &help_page,    &output_page, NULL };

const struct page_ops *page_find(const char *name)
{
    for (size_t i = 0; page_list[i]; i++)
        if (strcmp(page_list[i]->name, name) == 0)
            return page_list[i];
    return NULL;
}

void app_add_words(struct text *out, const char *text)
{
    static const char shell[] = "warpbook ";
    for (const char *at = text; *at;) {
        char name[24];
        size_t before = strlen(shell);
        bool starts = (at == text || strchr(" '(", at[-1])) && strncmp(at, shell, before) == 0;
        const char *word = starts ? at + before : "";
        format_into(name, sizeof name, "%.*s", (int)strcspn(word, " ';.,\n"), word);
        bool command = *name && command_find(name);
        text_add_n(out, command ? ":" : at, 1);
        at += command ? before : 1;
    }
}

// ---- the stack of pages -----------------------------------------------------------------------------------

enum { PAGES_MOST = 32 }; // that lie over each other; the oldest but home goes

static void page_free(struct page *page)
{
    if (page->ops->close)
        page->ops->close(page);
    free(page->state);
    free(page->opened_by);
    free(page);
}

static void forget_oldest(struct app *app)
{
    int depth = 0;
    for (struct page *page = app->page; page; page = page->below)
        if (++depth == PAGES_MOST && page->below && page->below->below) {
            struct page *old = page->below;
            page->below = old->below;
            page_free(old);
        }
}

static bool is_open(const struct app *app, const char *words)
{
    return app->page && strcmp(app->page->opened_by, words) == 0;
}

// A page has the flags that its operands name; where these hold "...", any word is text.
static bool has_flag(const struct page_ops *ops, const char *flag)
{
    size_t length = strlen(flag);
    const char *operands = ops->operands ? ops->operands : "", *at = strstr(operands, flag);
    return strstr(operands, "...") || (at && length > 2 && strchr(" ]", at[length]));
}

bool page_takes(const struct page_ops *ops, const struct words *words, struct error *error)
{
    int count = 0;
    const char *operands = ops->operands ? ops->operands : "";
    for (size_t i = 1; i < words->count; i++)
        if (string_starts(words->word[i], "--") && !has_flag(ops, words->word[i]))
            return error_set(error, EXIT_USAGE, "The page %s has no flag '%.60s'; it takes %s.", ops->name,
                             words->word[i], *operands ? operands : "no words");
    for (size_t i = 1; i < words->count; i++)
        if (!string_starts(words->word[i], "--") && ++count > ops->most)
            return error_set(error, EXIT_USAGE, "'%.60s' is one word too many: %s%s%s", words->word[i],
                             ops->name, *operands ? " " : "", operands);
    return true;
}

bool app_open(struct app *app, const char *line)
{
    struct words words;
    struct error error;
    if (is_open(app, line))
        return true;
    if (!words_split(line, &words, &error)) {
        app_say(app, ROLE_BAD, "%s", error.text);
        return false;
    }
    const struct page_ops *ops = page_find(words.count ? words.word[0] : "home");
    struct page *page = mem_new(sizeof *page);
    *page = (struct page){ .ops = ops, .app = app, .opened_by = mem_copy(line) };
    bool opened = ops != NULL;
    if (ops) {
        page->state = mem_new(ops->size ? ops->size : 1);
        opened = page_takes(ops, &words, &error) && ops->open(page, &words, &error);
    } else {
        error_set(&error, EXIT_USAGE, "There is no page '%s'.", words.word[0]);
    }
    words_free(&words);
    app->dirty = true;
    if (!opened) {
        app_say(app, ROLE_BAD, "%s", error.text);
        free(page->state);
        free(page->opened_by);
        free(page);
        return false;
    }
    page->below = app->page;
    app->page = page;
    app->laid_out = false;
    forget_oldest(app);
    return true;
}

void app_back(struct app *app)
{
    struct page *page = app->page;
    if (!page)
        return;
    app->page = page->below;
    app->laid_out = false;
    page_free(page);
    app->quit |= !app->page;
    app->dirty = true;
}
