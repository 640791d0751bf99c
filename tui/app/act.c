// Words → what is done: an action of the page, one that works everywhere, a page, or a command of the command line.
#include "tui/app/app.h"
#include "tui/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- actions that every page has --------------------------------------------------------------------------

static int to_home(struct app *app)
{
    while (app->page->below)
        app_back(app);
    return DONE;
}

// A question that something else answers than a term which it names.
static bool asks_for_more(struct app *app, const char *words)
{
    struct hit best;
    return words_ask(words) && !term_named(app_glossary(app), words) &&
           search_find(app_search(app), words, &best, 1) && (!best.place->term || best.how == HIT_WORDS);
}

static int find(struct app *app, const struct words *words)
{
    struct text what = { 0 };
    words_add(words, 1, &what);
    int done = what.length ? app_open_on(app, "find", what.data) : app_open(app, "find") ? DONE : DONE_FAILED;
    text_free(&what);
    return done;
}

// The words of a row after its signs and number: "Copies" of "○ 1.2 Copies".
static const char *after_signs(const char *row)
{
    for (;;) {
        const char *at = row + strspn(row, " "), *end = at + strcspn(at, " "), *rest = end + strspn(end, " ");
        bool named = false, digits = *at >= '0' && *at <= '9';
        for (const char *c = at; c < end; c++)
            named |= isalpha((unsigned char)*c) || *c == '_' || (digits && !strchr("0123456789.", *c));
        bool words = false;
        for (const char *c = rest; *c; c++)
            words |= isalnum((unsigned char)*c) != 0;
        if (named || !words)
            return at;
        row = rest;
    }
}

// What is selected on the page, to be looked up.
static void selected_word(struct app *app, struct text *out)
{
    struct text row = { 0 };
    app->page->ops->word(app->page, &row);
    if (row.length)
        text_add(out, after_signs(row.data));
    text_free(&row);
}

static int explain(struct app *app, const struct words *words)
{
    struct text word = { 0 };
    words_add(words, 1, &word);
    if (!word.length && app->page->ops->word)
        selected_word(app, &word);
    if (!word.length && app->page->ops->word) {
        app_say(app, ROLE_DIM, "Nothing selected here is a term. ':explain WORD' explains any word.");
        text_free(&word);
        return DONE_FAILED;
    }
    int done = word.length ? app_open_on(app, asks_for_more(app, word.data) ? "find" : "terms", word.data)
               : app_open(app, "terms") ? DONE
                                        : DONE_FAILED;
    text_free(&word);
    return done;
}

static int help(struct app *app, const struct words *words)
{
    char line[200];
    format_into(line, sizeof line, "help %s", words->count > 1 ? words->word[1] : app->page->ops->name);
    return app_open(app, line) ? DONE : DONE_FAILED;
}

// "save FILE" and "save FILE --force", in any order. NULL: it is neither.
static const char *save_path(const struct words *words, bool *force)
{
    const char *path = NULL;
    *force = false;
    for (size_t i = 1; i < words->count; i++) {
        bool flag = strcmp(words->word[i], "--force") == 0;
        if (flag ? *force : path != NULL)
            return NULL;
        if (flag)
            *force = true;
        else
            path = words->word[i];
    }
    return path;
}

static int save(struct app *app, const struct words *words)
{
    struct error error;
    struct text text = { 0 };
    bool force;
    const char *path = save_path(words, &force);
    if (!path)
        return app_refuse(app, "save takes the name of a file: save screen.txt");
    canvas_dump(&app->canvas, &text, NULL);
    bool written =
        file_may_replace(path, force, &error) && file_replace(path, text_string(&text), text.length, &error);
    text_free(&text);
    if (written)
        app_say(app, ROLE_GOOD, "Written to %s.", path);
    else
        app_say(app, ROLE_BAD, "%s", error.text);
    return written ? DONE : DONE_FAILED;
}

// ---- copying ----------------------------------------------------------------------------------------------

// Bytes: in base64 they are the 100,000 that most terminals take at a time.
enum { CLIP_MOST = 74994 };

static void copy_row(const struct app *app, struct text *out)
{
    const struct canvas *canvas = &app->canvas;
    const struct cell *row = &canvas->cells[canvas->cursor_row * canvas->cols];
    struct text all = { 0 };
    for (int col = 0; col < canvas->cols; col++)
        text_add(&all, row[col].text);
    const char *from = text_string(&all) + strspn(text_string(&all), " ");
    text_add(out, from);
    text_free(&all);
}

// Clean, and without blanks and newlines at its end.
static void copy_of_page(struct app *app, int lines, struct text *out)
{
    struct text found = { 0 };
    if (app->page->ops->copy)
        app->page->ops->copy(app->page, lines, &found);
    else
        copy_row(app, &found);
    text_add_clean(out, text_string(&found), found.length);
    while (out->length && strchr(" \n", out->data[out->length - 1]))
        out->data[--out->length] = 0;
    text_free(&found);
}

// "12 lines, from 'xxx' on", or the line.
static void copied_words(const struct text *copied, struct text *out)
{
    enum { MOST = 40 };
    size_t lines = 1, first = strcspn(copied->data, "\n"), fits = text_fit_n(copied->data, first, MOST);
    for (const char *c = copied->data; *c; c++)
        lines += *c == '\n';
    if (lines > 1)
        text_addf(out, "%zu lines, from ", lines);
    text_addf(out, "\"%.*s%s\"%s", (int)fits, copied->data, fits < first ? "..." : "",
              lines > 1 ? " on" : "");
}

// Where the clipboard cannot be had, the text can be taken from a file.
static int copy_into_file(struct app *app, const struct text *copied, const char *why)
{
    struct error error;
    char *folder = path_own(""), *path = path_own("copied.txt");
    bool written =
        path && folder_make(folder, &error) && file_replace(path, copied->data, copied->length, &error);
    if (written)
        app_say(app, ROLE_NOTE, "%s It is in %s instead.", why, path);
    else
        app_say(app, ROLE_BAD, "%s %s", why, path ? error.text : "There is no folder to write it into.");
    free(folder);
    free(path);
    return written ? DONE : DONE_FAILED;
}

static int copy(struct app *app, const struct words *words)
{
    struct text copied = { 0 }, said = { 0 };
    char *end = NULL;
    long lines = words->count > 1 ? strtol(words->word[1], &end, 10) : 0;
    if (end && (*end || lines < 1 || lines > 1000000))
        return app_refuse(app, "copy takes how many lines to copy, not '%.40s'.", words->word[1]);
    int done = DONE;
    copy_of_page(app, (int)lines, &copied);
    if (!copied.length) {
        done = app_refuse(app, "There is nothing here to copy.");
    } else if (copied.length > CLIP_MOST) {
        done = copy_into_file(app, &copied, "That is more than terminals take for the clipboard.");
    } else if (!app->face.copy || !app->face.copy(app->face.context, copied.data, copied.length)) {
        done = copy_into_file(
            app, &copied,
            "This terminal's entry in terminfo has no Ms, so it takes no text for the clipboard.");
    } else {
        copied_words(&copied, &said);
        app_say(app, ROLE_GOOD, "Copied %s.", said.data);
    }
    text_free(&copied);
    text_free(&said);
    return done;
}

// ---- more actions that every page has ---------------------------------------------------------------------

static int note(struct app *app, const struct words *words)
{
    struct error error;
    struct text text = { 0 };
    words_add(words, 1, &text);
    if (!text_string(&text)[strspn(text_string(&text), " \t")]) {
        text_free(&text);
        return app_refuse(app, "note takes the words to write down: note banks count from 0");
    }
    if (!app->workbook) {
        app_say(app, ROLE_BAD, "There is no workbook to write into.");
        text_free(&text);
        return DONE_FAILED;
    }
    json_t *event = json_pack("{s:s, s:s}", "page", app->page->opened_by, "text", text.data);
    text_free(&text);
    bool kept = event && workbook_add(app->workbook, "note", event, &error);
    if (kept)
        app_say(app, ROLE_GOOD, "Written into your workbook.");
    else
        app_say(app, ROLE_BAD, "%s", event ? error.text : "A note must be UTF-8.");
    return kept ? DONE : DONE_FAILED;
}

static int set_mouse(struct app *app, const struct words *words)
{
    if (words->count > 1 && strcmp(words->word[1], "on") != 0 && strcmp(words->word[1], "off") != 0)
        return app_refuse(app, "mouse takes on or off, not '%s'.", words->word[1]);
    app->mouse = words->count > 1 ? strcmp(words->word[1], "on") == 0 : !app->mouse;
    if (app->face.mouse)
        app->face.mouse(app->face.context, app->mouse);
    app_say(app, ROLE_TEXT,
            app->mouse ? "The mouse is on: hold Shift to select text as usual." : "The mouse is off.");
    return DONE;
}

static int search_undo(struct app *app)
{
    static const struct words none = { 0 };
    return app->page->ops->act(app->page, ACT_SEARCH_UNDO, &none);
}

static int search_for(struct app *app, char *text)
{
    struct words line = { { (char *)"search", text }, 2 };
    return app->page->ops->act(app->page, ACT_SEARCH, &line);
}

// Searches from where the search began, whatever was typed before.
static void search_typed(struct app *app, const char *text)
{
    char *line = mem_copy(text);
    app_lay_out(app);
    search_undo(app);
    if (*line)
        search_for(app, line);
    app->laid_out = false;
    free(line);
}

static int search(struct app *app, const struct words *words)
{
    static const struct words none = { 0 };
    if (words->count > 1)
        return DONE_NOT; // the page did not take it
    bool follows = app->page->ops->act(app->page, ACT_SEARCH_BEGIN, &none) == DONE;
    char *text = prompt_ask(app->prompt, app, "/", follows ? search_typed : NULL);
    bool given = text && *text;
    if (follows)
        search_undo(app);
    if (!given)
        *app->message = 0;
    int done = given ? search_for(app, text) : DONE;
    free(text);
    return done;
}

static int ask(struct app *app)
{
    char *line = prompt_ask(app->prompt, app, ":", NULL);
    int done = line && *line ? app_do(app, line) : DONE;
    free(line);
    return done;
}

static int everywhere(struct app *app, enum act act, const struct words *words)
{
    switch (act) {
    case ACT_QUIT:
        app->quit = true;
        return DONE;
    case ACT_BACK:
        app_back(app);
        return DONE;
    case ACT_HOME:
        return to_home(app);
    case ACT_PROMPT:
        return ask(app);
    case ACT_SEARCH:
        return search(app, words);
    case ACT_EXPLAIN:
        return explain(app, words);
    case ACT_FIND:
        return find(app, words);
    case ACT_HELP:
        return help(app, words);
    case ACT_NOTE:
        return note(app, words);
    case ACT_SAVE:
        return save(app, words);
    case ACT_COPY:
        return copy(app, words);
    case ACT_MOUSE:
        return set_mouse(app, words);
    case ACT_REDRAW:
        if (app->face.repaint)
            app->face.repaint(app->face.context);
        return DONE;
    case ACT_SUSPEND:
        if (app->face.suspend)
            app->face.suspend(app->face.context);
        app_measure(app);
        return DONE;
    case ACT_GO_THERE:
    case ACT_FOLLOW:
    case ACT_VOTE:
    case ACT_STUCK:
    case ACT_DONE:
    case ACT_HIDE:
        return app->seat ? app->known.seat->act(app, act, words)
                         : app_refuse(app, "You are not in a room. ':join WORD' joins one.");
    case ACT_STOP:
        tasks_stop(app->tasks, LANE_HELP);
        runs_stop(app);
        return DONE;
    default:
        return DONE_NOT;
    }
}

// ---- from words to what they name -------------------------------------------------------------------------

// What hands know from vi and less. Nothing has to be saved: everything is when it is done.
static const struct {
    const char *word, *does;
} habits[] = { { "q", "quit" },    { "q!", "quit" }, { "qa", "quit" }, { "qa!", "quit" }, { "wq", "quit" },
               { "wq!", "quit" },  { "x", "quit" },  { "x!", "quit" }, { "wqa", "quit" }, { "xa", "quit" },
               { "exit", "quit" }, { "h", "help" },  { "bd", "back" }, { "e", "edit" } };

static const char *habit_of(const char *word)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcmp(habits[i].word, word) == 0)
            return habits[i].does;
    return NULL;
}

static int unknown(struct app *app, const struct words *words)
{
    const char *word = words->word[0];
    const char *near = vocabulary_nearest(&app->known, word);
    if (words->count > 2)
        return app_refuse(app, "There is no '%.60s'. ':find' takes a question or words to look up.", word);
    struct lab_entry lab;
    if (strcmp(word, "w") == 0 || strcmp(word, "w!") == 0) {
        app_say(app, ROLE_NOTE, "Nothing has to be saved: all is kept as it is done. ':q' leaves.");
        return DONE;
    }
    if (lab_entry_find(word, &lab))
        return app_refuse(app, "'%s' is a lab: ':bench %s' shows its %s, ':run %s' runs %s.", word, word,
                          lab.kind == LAB_PROGRAMS ? "programs" : "ladder", word,
                          lab.kind == LAB_PROGRAMS ? "them" : "it");
    return app_refuse(app, "There is no '%.60s'. %s%s%s", word, near ? "Did you mean " : "",
                      near ? near : ": and Tab list what there is", near ? "?" : ".");
}

static int do_action(struct app *app, const struct action *action, const struct words *words)
{
    int done = app->page->ops->act ? app->page->ops->act(app->page, action->act, words) : DONE_NOT;
    if (done == DONE_NOT && !app->quit)
        done = everywhere(app, action->act, words);
    // Moving about where nothing moves is no mistake.
    if (done == DONE_NOT && action->act > ACT_PREVIOUS)
        app_say(app, ROLE_DIM, "'%s' does nothing on this page.", action->name);
    return done;
}

// A page named alone opens on the kernel that is looked at, which the nearest page below says.
static int do_page(struct app *app, const struct page_ops *ops, const char *line, const struct words *words)
{
    struct text what = { 0 };
    for (struct page *page = app->page; page && words->count == 1 && ops->about && !what.length;
         page = page->below) {
        if (page == app->page && page->ops == ops)
            return DONE;
        if (page->ops->about)
            page->ops->about(page, &what);
    }
    int done = what.length           ? app_open_on(app, ops->name, what.data)
               : app_open(app, line) ? DONE
                                     : DONE_FAILED;
    text_free(&what);
    return done;
}

static int do_open(struct app *app, const char *line, const struct words *words)
{
    if (words->count == 1)
        return to_home(app);
    line += strlen("open");
    line += strspn(line, " \t");
    const struct page_ops *ops = page_find(app->known.pages, words->word[1]);
    struct words rest = { .count = words->count - 1 };
    memcpy(rest.word, words->word + 1, rest.count * sizeof *rest.word);
    if (ops)
        return do_page(app, ops, line, &rest);
    return app_refuse(app, "There is no page '%s'. 'warpbook help' lists them.", words->word[1]);
}

// A command that asks reads from the terminal itself. What it said last stays there until Enter.
static int do_asking(struct app *app, const struct words *words)
{
    static const char script[] = "\"$@\"; printf '\\nEnter goes back to the screen. '; read -r line";
    const char *argv[40] = { "sh", "-c", script, "sh" };
    struct error error;
    size_t count = 4;
    int status;
    char *self = path_self();
    argv[count++] = self ? self : "warpbook";
    for (size_t i = 0; i < words->count; i++)
        argv[count++] = words->word[i];
    bool lent = app_lend(app, argv, &status, &error);
    free(self);
    if (!lent)
        app_say(app, ROLE_BAD, "%s", error.text);
    if (app->workbook)
        workbook_refresh(app->workbook);
    return lent ? DONE : DONE_FAILED;
}

// A review with other flags only prints, and so it does where nothing is left to ask.
static bool asks(struct app *app, const struct command *command, const struct words *words)
{
    if (command->asks && strcmp(command->name, "review") != 0)
        return true;
    bool all = words->count == 2 && strcmp(words->word[1], "--all") == 0;
    if (!command->asks || (words->count != 1 && !all) || !app->workbook)
        return false;
    struct review review;
    review_read(app->workbook, app_lessons(app), &review);
    size_t count = all ? review_left(&review) : review_due(&review, review_day(time(NULL)));
    review_free(&review);
    return count > 0;
}

// The kernel, where a flag asks for what a page does on the screen; NULL: none does.
static const char *kernel_of_page(const struct command *command, const struct words *words)
{
    const char *kernel = NULL;
    bool asked = false;
    for (size_t i = 1; i < words->count && command->page; i++) {
        bool flag = string_starts(words->word[i], "-");
        asked |= strcmp(words->word[i], command->page_flag) == 0;
        kernel = flag || kernel ? kernel : words->word[i];
    }
    return asked ? kernel : NULL;
}

static int do_on_page(struct app *app, const char *page, const char *kernel, const struct words *words)
{
    if (words->count == 3)
        return app_open_on(app, page, kernel);
    return app_refuse(app, "On the screen, ':%s %.80s' does that; size and data are chosen there.", page,
                      kernel);
}

static int do_command(struct app *app, const char *line, const struct words *words)
{
    struct text opens = { 0 };
    const struct command *command = command_find(app->known.commands, words->word[0]);
    const char *kernel = command ? kernel_of_page(command, words) : NULL;
    if (kernel)
        return do_on_page(app, command->page, kernel, words);
    if (command && asks(app, command, words))
        return do_asking(app, words);
    text_addf(&opens, "output %s", line);
    bool opened = app_open(app, opens.data);
    text_free(&opens);
    return opened ? DONE : DONE_FAILED;
}

// "'sim' works on the pages bench and source."
static int say_elsewhere(struct app *app, const struct action *action)
{
    struct text pages = { 0 };
    for (const char *at = action->pages; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t length = strcspn(at, " ");
        text_add(&pages, at == action->pages ? "" : at[length] ? ", " : " and ");
        text_add_n(&pages, at, length);
    }
    app_say(app, ROLE_BAD, "'%s' works on the page%s %s.", action->name,
            strchr(action->pages, ' ') ? "s" : "", pages.data);
    text_free(&pages);
    return DONE_FAILED;
}

static int do_words(struct app *app, const char *line, const struct words *words)
{
    const char *word = words->word[0];
    const struct action *action = action_find(word);
    const struct page_ops *page = page_find(app->known.pages, word);
    bool fits = action && action_fits(action, app->page->ops->name);
    struct error unfit;
    if (fits && (action->operands || words->count == 1))
        return do_action(app, action, words);
    // A page that takes no words leaves them to the command of its name.
    bool for_command = page && !page->most && words->count > 1 && !page_takes(page, words, &unfit) &&
                       command_find(app->known.commands, word);
    if (page && !for_command)
        return do_page(app, page, line, words);
    if (strcmp(word, "open") == 0) // the screen is there already; the flags were for its start
        return do_open(app, line, words);
    if (command_find(app->known.commands, word))
        return do_command(app, line, words);
    if (!action && words->count == 1 && habit_of(word))
        return app_do(app, habit_of(word));
    if (!action)
        return unknown(app, words);
    if (fits)
        return app_refuse(app, "'%s' takes no words after it.", word);
    return say_elsewhere(app, action);
}

int app_do(struct app *app, const char *line)
{
    struct words words;
    struct error error;
    line += strspn(line, " \t:");
    if (!words_split(line, &words, &error))
        return app_refuse(app, "%s", error.text);
    app_lay_out(app);
    app->dirty = true;
    int done = words.count ? do_words(app, line, &words) : DONE;
    app->laid_out = false;
    words_free(&words);
    return done;
}
