// warpbook open, and warpbook alone on a terminal: the full-screen program.
#include "tui/app/app.h"
#include "tui/tui.h"
#include "tui/view/view.h"

#include <string.h>
#include <unistd.h>

static int open_screen(const struct screen_wish *wish, const struct command *table, const char *words)
{
    const struct vocabulary known = { page_list, table };
    struct app app = { 0 };
    struct screen *screen;
    struct error error;
    app.prompt = prompt_new(); // before curses: both would free the other's terminal
    if (!screen_open(wish, &screen, &error)) {
        prompt_free(app.prompt);
        return fail(&error);
    }
    app_init(&app, &known, screen_face(screen), screen_utf8(screen));
    int status = app_main(&app, words);
    app_end(&app);
    screen_close(screen);
    prompt_free(app.prompt);
    return status;
}

// As the prompt would take it: bare where it can be.
static void quote_word(struct text *line, const char *word)
{
    bool bare = *word && !word[strcspn(word, " \t\n\"'\\")];
    text_addf(line, "%s%s", line->length ? " " : "", bare ? "" : "\"");
    for (const char *c = word; *c; c++)
        text_addf(line, "%s%c", !bare && (*c == '"' || *c == '\\') ? "\\" : "", *c);
    text_add(line, bare ? "" : "\"");
}

int command_open(const struct arguments *arguments)
{
    struct screen_wish wish = { .ascii = arguments_has(arguments, "--ascii"),
                                .mono = arguments_has(arguments, "--mono"),
                                .light = arguments_has(arguments, "--light")  ? 1
                                         : arguments_has(arguments, "--dark") ? 0
                                                                              : -1 };
    struct text words = { 0 };
    struct error error;
    if (arguments->operand_count && !page_find(page_list, arguments->operands[0])) {
        error_set(&error, EXIT_USAGE, "There is no page '%s'. 'warpbook help open' lists them.",
                  arguments->operands[0]);
        return fail(&error);
    }
    for (size_t i = 0; i < arguments->operand_count; i++)
        quote_word(&words, arguments->operands[i]);
    struct words split;
    bool fits = !arguments->operand_count || words_split(words.data, &split, &error);
    if (fits && arguments->operand_count) {
        fits = page_takes(page_find(page_list, split.word[0]), &split, &error);
        words_free(&split);
    }
    int status = fits
                     ? open_screen(&wish, arguments->commands, arguments->operand_count ? words.data : "home")
                     : fail(&error);
    text_free(&words);
    return status;
}

int command_alone(const struct command *table)
{
    const struct screen_wish wish = { .light = -1 };
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return command_overview(table);
    return open_screen(&wish, table, "home");
}
