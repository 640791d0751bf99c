// The line at the bottom: libedit edits, the screen's own loop brings the keys, and we draw. libedit gets a private
// pseudo-terminal, so that it never touches the real one; without a terminal of its own it would not edit at all.
#include "tui/app/app.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_MOST = 500, TAIL_MOST = 64 << 10 }; // lines in memory; bytes of the file that are read

// ---- the history ------------------------------------------------------------------------------------------

// A file of lines under libedit's history: the newest are read at the start, and each one given is appended.

History *history_new(void)
{
    HistEvent event;
    History *made = history_init();
    history(made, &event, H_SETSIZE, HISTORY_MOST);
    history(made, &event, H_SETUNIQUE, 1);
    return made;
}

// The end of the file, from the start of a line; NULL: there is none.
static char *read_tail(void)
{
    char *path = path_own("history");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    free(path);
    if (fd < 0)
        return NULL;
    off_t end = lseek(fd, 0, SEEK_END), from = end > TAIL_MOST ? end - TAIL_MOST : 0;
    char *tail = mem_new(TAIL_MOST + 1);
    ssize_t got = pread(fd, tail, TAIL_MOST, from);
    close(fd);
    tail[got > 0 ? got : 0] = 0;
    char *line = from ? strchr(tail, '\n') : NULL;
    if (from)
        memmove(tail, line ? line + 1 : "", strlen(line ? line + 1 : "") + 1);
    return tail;
}

void history_load(History *to)
{
    HistEvent event;
    char *tail = read_tail(), *rest = tail;
    for (char *line = tail ? strtok_r(tail, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        history(to, &event, H_ENTER, line);
    free(tail);
}

// A history that cannot be kept is no reason to disturb.
void history_keep(History *to, const char *line)
{
    struct error error;
    HistEvent event;
    history(to, &event, H_ENTER, line);
    char *folder = path_own("."), *path = path_own("history");
    bool there = folder && path && folder_make(folder, &error);
    int fd = there ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    free(folder);
    free(path);
    if (fd < 0)
        return;
    struct text text = { 0 };
    text_addf(&text, "%s\n", line);
    ssize_t put = write(fd, text.data, text.length);
    (void)put;
    close(fd);
    text_free(&text);
}

void history_bind(EditLine *line)
{
    static const char *const keys[] = { "\\033x", "\\033X" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        el_set(line, EL_BIND, keys[i], "ed-unassigned", NULL);
}

struct prompt {
    EditLine *line;
    History *commands, *searches;
    FILE *sink;
    int master, slave;
    struct app *app;  // while it is open
    const char *sign; // ":" or "/"
    wchar_t *given;   // characters that come before the next key: a paste, the rest of a special key
    size_t given_at;
    char **candidates;
    size_t candidate_count;
    bool over; // the program ends while it is open
    void (*typed)(struct app *app, const char *line);
    char *seen; // the line that `typed` got last
};

// ---- keys -------------------------------------------------------------------------------------------------

static const struct {
    int press;
    const wchar_t *keys; // what libedit's emacs keys call it
} special[] = { { PRESS_UP, L"\020" },        { PRESS_DOWN, L"\016" },      { PRESS_LEFT, L"\002" },
                { PRESS_RIGHT, L"\006" },     { PRESS_HOME, L"\001" },      { PRESS_END, L"\005" },
                { PRESS_BACKSPACE, L"\177" }, { PRESS_DELETE, L"\033[3~" }, { PRESS_ENTER, L"\n" },
                { PRESS_TAB, L"\t" } };

static void give(struct prompt *prompt, const wchar_t *keys)
{
    free(prompt->given);
    prompt->given = mem_new((wcslen(keys) + 1) * sizeof *keys);
    wcscpy(prompt->given, keys);
    prompt->given_at = 0;
}

static void give_paste(struct prompt *prompt, const char *text)
{
    size_t size = strlen(text) + 1;
    wchar_t *wide = mem_new(size * sizeof *wide);
    if (mbstowcs(wide, text, size) == (size_t)-1)
        *wide = 0;
    for (wchar_t *c = wide; *c; c++)
        if (*c < ' ') // a line break would send the line off
            *c = ' ';
    give(prompt, wide);
    free(wide);
}

static void drop_candidates(struct prompt *prompt)
{
    for (size_t i = 0; i < prompt->candidate_count; i++)
        free(prompt->candidates[i]);
    free(prompt->candidates);
    prompt->candidates = NULL;
    prompt->candidate_count = 0;
}

// Hands a key to libedit by its own name; false: the key cancels.
static bool take_key(struct prompt *prompt, int key)
{
    wchar_t one[3] = { (wchar_t)key, 0, 0 };
    if (key == 3 || key == 7 || key == PRESS_ESCAPE) // ^C, ^G
        return false;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].press == key) {
            give(prompt, special[i].keys);
            return true;
        }
    if (key & PRESS_ALT) {
        one[0] = 27;
        one[1] = (wchar_t)(key & ~PRESS_ALT);
    } else if (key == 12 && prompt->app->face.repaint) { // ^L
        prompt->app->face.repaint(prompt->app->face.context);
        return true;
    } else if (key >= PRESS_UP || key == 26) { // no other special key, and no ^Z
        return true;
    }
    give(prompt, one);
    return true;
}

// The line, up to what ^R adds to it.
static void tell_typed(struct prompt *prompt)
{
    const LineInfo *now = prompt->typed ? el_line(prompt->line) : NULL;
    if (!now)
        return;
    char *line = mem_copy_n(now->buffer, (size_t)(now->lastchar - now->buffer));
    line[strcspn(line, "\r\n")] = 0;
    bool same = strcmp(line, prompt->seen ? prompt->seen : "") == 0;
    char *old = same ? line : prompt->seen;
    prompt->seen = same ? prompt->seen : line;
    free(old);
    if (!same)
        prompt->typed(prompt->app, prompt->seen);
}

// libedit's source of characters: the screen's loop, which goes on working under the prompt.
static int next_character(EditLine *line, wchar_t *out)
{
    struct prompt *prompt;
    el_get(line, EL_CLIENTDATA, (void *)&prompt);
    for (;;) {
        struct event event;
        if (prompt->given && prompt->given[prompt->given_at]) {
            *out = prompt->given[prompt->given_at++];
            return 1;
        }
        tell_typed(prompt);
        prompt->app->dirty = true;
        if (prompt->app->quit) {
            prompt->over = true;
            return 0;
        }
        if (!app_wait(prompt->app, &event))
            continue;
        if (event.kind == EVENT_PASTE)
            give_paste(prompt, event.text);
        free(event.text);
        if (event.kind != EVENT_KEY)
            continue;
        if (event.key != '\t' && event.key != PRESS_TAB)
            drop_candidates(prompt);
        if (!take_key(prompt, event.key)) {
            errno = EINTR;
            return -1;
        }
    }
}

// ---- completion -------------------------------------------------------------------------------------------

static void insert(EditLine *line, const char *text, size_t length)
{
    char *copy = mem_copy_n(text, length);
    el_insertstr(line, copy);
    free(copy);
}

static unsigned char complete(EditLine *line, int key)
{
    struct prompt *prompt;
    size_t from, count;
    el_get(line, EL_CLIENTDATA, (void *)&prompt);
    if (strcmp(prompt->sign, ":") != 0)
        return CC_ERROR;
    const LineInfo *now = el_line(line);
    size_t at = (size_t)(now->cursor - now->buffer);
    char *text = mem_copy_n(now->buffer, (size_t)(now->lastchar - now->buffer));
    drop_candidates(prompt);
    char **words = complete_words(&prompt->app->known, prompt->app, prompt->app->page->ops->name, text, at,
                                  &from, &count);
    size_t typed = at - from, common = complete_common(words, count);
    if (common > typed)
        insert(line, words[0] + typed, common - typed);
    if (count == 1 && !string_ends(words[0], "/") && !string_ends(words[0], "="))
        insert(line, " ", 1);
    prompt->candidates = words;
    prompt->candidate_count = count;
    if (count < 2 || common > typed)
        drop_candidates(prompt);
    free(text);
    return CC_REFRESH;
}

// ---- opening, asking, closing -----------------------------------------------------------------------------

static char *no_prompt(EditLine *line)
{
    return (char *)"";
}

static bool open_terminal(struct prompt *prompt)
{
    prompt->slave = -1;
    prompt->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (prompt->master < 0 || grantpt(prompt->master) != 0 || unlockpt(prompt->master) != 0)
        return false;
    const char *name = ptsname(prompt->master);
    prompt->slave = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    prompt->sink = fopen("/dev/null", "we");
    return prompt->slave >= 0 && prompt->sink;
}

struct prompt *prompt_new(void)
{
    struct prompt *prompt = mem_new(sizeof *prompt);
    if (open_terminal(prompt))
        prompt->line = el_init_fd("warpbook", stdin, prompt->sink, prompt->sink, prompt->slave, prompt->slave,
                                  prompt->slave);
    if (!prompt->line) {
        prompt_free(prompt);
        return NULL;
    }
    prompt->commands = history_new();
    prompt->searches = history_new();
    history_load(prompt->commands);
    el_set(prompt->line, EL_EDITOR, "emacs");
    el_set(prompt->line, EL_SIGNAL, 0);
    el_set(prompt->line, EL_PROMPT, no_prompt);
    el_set(prompt->line, EL_CLIENTDATA, prompt);
    el_set(prompt->line, EL_GETCFN, next_character);
    el_wset(prompt->line, EL_ADDFN, L"warpbook-complete", L"completes the word",
            complete); // el_set would leak both
    el_set(prompt->line, EL_BIND, "^I", "warpbook-complete", NULL);
    el_set(prompt->line, EL_BIND, "\\033[3~", "ed-delete-next-char", NULL);
    el_set(prompt->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(prompt->line, EL_BIND, "^W", "ed-delete-prev-word", NULL);
    history_bind(prompt->line);
    return prompt;
}

void prompt_free(struct prompt *prompt)
{
    if (!prompt)
        return;
    drop_candidates(prompt);
    if (prompt->line)
        el_end(prompt->line);
    if (prompt->commands)
        history_end(prompt->commands);
    if (prompt->searches)
        history_end(prompt->searches);
    if (prompt->sink)
        fclose(prompt->sink);
    if (prompt->slave >= 0)
        close(prompt->slave);
    if (prompt->master >= 0)
        close(prompt->master);
    free(prompt->given);
    free(prompt);
}

char *prompt_ask(struct prompt *prompt, struct app *app, const char *sign,
                 void (*typed)(struct app *app, const char *line))
{
    int length = 0;
    char *out = NULL;
    HistEvent event;
    if (!prompt || app->asking) {
        if (!prompt)
            app_say(app, ROLE_BAD, "There is no line to type into: no pseudo-terminal is available here.");
        return NULL;
    }
    bool command = strcmp(sign, ":") == 0;
    prompt->app = app;
    prompt->sign = sign;
    prompt->typed = typed;
    prompt->over = false;
    app->asking = true;
    el_set(prompt->line, EL_HIST, history, command ? prompt->commands : prompt->searches);
    const char *line = el_gets(prompt->line, &length);
    if (line && length > 0 && !prompt->over)
        out = mem_copy_n(line, strcspn(line, "\r\n"));
    app->asking = false;
    app->dirty = true;
    free(prompt->seen);
    prompt->seen = NULL;
    drop_candidates(prompt);
    if (out && *out && command)
        history_keep(prompt->commands, out);
    else if (out && *out)
        history(prompt->searches, &event, H_ENTER, out);
    return out;
}

// ---- drawing ----------------------------------------------------------------------------------------------

static int cells_of(wchar_t c)
{
    int width = wcwidth(c);
    return width < 0 ? 1 : width;
}

static int put_character(struct area area, int col, wchar_t c)
{
    char bytes[MB_LEN_MAX + 1] = " ";
    mbstate_t state = { 0 };
    if (wcwidth(c) >= 0) {
        size_t used = wcrtomb(bytes, c, &state);
        if (used == (size_t)-1)
            used = 0;
        bytes[used] = 0;
    }
    return area_put(area, 0, col, ROLE_FIELD, "%s", bytes);
}

static void draw_candidates(const struct prompt *prompt, struct area above)
{
    int widest = 1;
    for (size_t i = 0; i < prompt->candidate_count; i++) {
        int cells = text_cells(prompt->candidates[i]);
        widest = cells > widest ? cells : widest;
    }
    int columns = above.cols / (widest + 2) > 0 ? above.cols / (widest + 2) : 1;
    int rows = ((int)prompt->candidate_count + columns - 1) / columns;
    int shown = rows < above.rows ? rows : above.rows;
    struct area box = area_part(above, above.rows - shown, 0, shown, above.cols);
    area_fill(box, ROLE_BAR);
    for (int i = 0; i < (int)prompt->candidate_count; i++)
        area_cell(box, i % rows, 1 + i / rows * (widest + 2), ROLE_BAR, widest, "%s", prompt->candidates[i]);
    if (shown < rows)
        area_put(box, shown - 1, above.cols - 4, ROLE_BAR, "%s", glyph(above.canvas->utf8, GLYPH_MORE_DOWN));
}

// While ^R searches, libedit's line is what was found, a line break, and "bck:" with what is searched for; '?' takes
// the place of ':' when nothing was found. Returns the column after it.
static int draw_searched(struct area line, int col, const wchar_t *from, const wchar_t *end)
{
    enum { SIGN = 4 }; // the place of ':' or '?'
    bool found = end - from <= SIGN || from[SIGN] != L'?';
    bool back = end - from <= 1 || from[1] != L'f';
    col = area_put(line, 0, col, ROLE_NOTE, "  %s%s: ", back ? "back" : "on", found ? "" : ", not found");
    for (const wchar_t *c = from + SIGN + 1; c < end && col < line.cols; c++)
        col = put_character(line, col, *c);
    return col;
}

void prompt_draw(struct prompt *prompt, struct area line, struct area above)
{
    const LineInfoW *now = el_wline(prompt->line);
    const wchar_t *from = now->buffer, *end = from;
    int before = 0, col;
    while (end < now->lastchar && *end != L'\n')
        end++;
    for (const wchar_t *c = from; c < now->cursor && c < end; c++)
        before += cells_of(*c);
    while (before > line.cols - 2 && from < now->cursor) // scrolls sideways
        before -= cells_of(*from++);
    area_fill(line, ROLE_FIELD);
    col = area_put(line, 0, 0, ROLE_FIELD, "%s", prompt->sign);
    for (const wchar_t *c = from; c < end && col < line.cols; c++)
        col = put_character(line, col, *c);
    if (prompt->candidate_count)
        draw_candidates(prompt, above);
    if (end < now->lastchar)
        area_cursor(line, 0, draw_searched(line, col, end, now->lastchar));
    else
        area_cursor(line, 0, 1 + before);
}
