// The stack of pages: opening and leaving them.
#include "tui/app/app.h"

#include <stdlib.h>
#include <string.h>

const struct page_ops *page_find(const struct page_ops *const *pages, const char *name)
{
    for (; *pages; pages++)
        if (strcmp((*pages)->name, name) == 0)
            return *pages;
    return NULL;
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
    const struct page_ops *ops = page_find(app->known.pages, words.count ? words.word[0] : "home");
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

int app_open_on(struct app *app, const char *page, const char *what)
{
    struct text line = { 0 };
    bool quoted = what[strcspn(what, " \t\n\"'\\")];
    text_addf(&line, "%s %s", page, quoted ? "\"" : "");
    for (const char *c = what; *c; c++)
        text_addf(&line, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    text_add(&line, quoted ? "\"" : "");
    bool opened = app_open(app, line.data);
    text_free(&line);
    return opened ? DONE : DONE_FAILED;
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
