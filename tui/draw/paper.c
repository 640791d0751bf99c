// Plain output: the same words as the full-screen pages, without a screen.
#include "tui/draw/draw.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Attributes only from the first eight colours and weights, which every scheme keeps legible; "" is plain.
static const char *const role_codes[ROLES] = {
    [ROLE_TITLE] = "\033[1m",      [ROLE_DIM] = "\033[2m",     [ROLE_GOOD] = "\033[32m",
    [ROLE_BAD] = "\033[1;31m",     [ROLE_NOTE] = "\033[33m",   [ROLE_CPU] = "\033[36m",
    [ROLE_GPU] = "\033[35m",       [ROLE_SIM] = "\033[33m",    [ROLE_LINK] = "\033[4m",
    [ROLE_CODE] = "\033[1m",       [ROLE_FRAME] = "\033[2m",   [ROLE_ADDED] = "\033[32m",
    [ROLE_REMOVED] = "\033[31m",   [ROLE_KEYWORD] = "\033[1m", [ROLE_TYPE] = "\033[36m",
    [ROLE_BUILTIN] = "\033[35m",   [ROLE_STRING] = "\033[32m", [ROLE_COMMENT] = "\033[2m",
    [ROLE_DIRECTIVE] = "\033[33m",
};

static int terminal_width(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

struct paper paper_open(FILE *file)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    struct paper paper = { .file = file, .terminal = isatty(fileno(file)) };
    paper.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && !drawn_flat;
    paper.colour = paper.terminal && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    paper.width = paper.terminal ? terminal_width(fileno(file)) : 80;
    return paper;
}

// Everything passes here, so that what a kernel, a path or a compiler brings along cannot steer the terminal.
static void put(const struct paper *paper, enum role role, const char *bytes, size_t length)
{
    bool dressed = paper->colour && role_codes[role] && length;
    struct text clean = { 0 };
    text_add_clean(&clean, bytes, length);
    if (dressed)
        fputs(role_codes[role], paper->file);
    fwrite(text_string(&clean), 1, clean.length, paper->file);
    if (dressed)
        fputs("\033[0m", paper->file);
    text_free(&clean);
}

void paper_put(const struct paper *paper, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    put(paper, role, text_string(&text), text.length);
    text_free(&text);
}

void paper_cell(const struct paper *paper, enum role role, int cells, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    bool right = cells < 0;
    int width = right ? -cells : cells;
    size_t length = text_fit(text_string(&text), width);
    if (text.data)
        text.data[length] = 0;
    int rest = width - text_cells(text_string(&text));
    fprintf(paper->file, "%*s", right ? rest : 0, "");
    put(paper, role, text_string(&text), length);
    fprintf(paper->file, "%*s", right ? 1 : rest + 1, "");
    text_free(&text);
}

void paper_bar(const struct paper *paper, enum role role, double share, int cells)
{
    struct text bar = { 0 };
    bar_text(&bar, paper->utf8, share, cells);
    paper_cell(paper, role, cells, "%s", text_string(&bar));
    text_free(&bar);
}

// The front of `text` that fits into `cells`, cut after a blank where there is one.
static size_t line_length(const char *text, int cells)
{
    size_t fits = text_fit(text, cells), line = strcspn(text, "\n");
    if (line <= fits)
        return line;
    size_t cut = fits;
    while (cut && text[cut] != ' ')
        cut--;
    return cut ? cut : fits ? fits : 1;
}

void paper_wrap(const struct paper *paper, enum role role, int indent, const char *text)
{
    int cells = (paper->width < 100 ? paper->width : 100) - indent;
    if (cells < 10)
        cells = 10;
    while (*text) {
        size_t length = line_length(text, cells);
        fprintf(paper->file, "%*s", length ? indent : 0, "");
        put(paper, role, text, length);
        fputc('\n', paper->file);
        text += length;
        if (*text == '\n')
            text++;
        else
            text += strspn(text, " ");
    }
}

void paper_lines(const struct paper *paper, enum role role, int indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(paper->file, "%*s", length ? indent : 0, "");
        put(paper, role, text, length);
        fputc('\n', paper->file);
        text += length + (text[length] == '\n');
    }
}
