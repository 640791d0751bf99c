// An error for a person on stderr.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

// On a terminal a line that is too long is broken between words; what is quoted, which starts with a blank, stays.
static void print(const struct paper *paper, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        char *line = mem_copy_n(text, length);
        if (paper->terminal && *line != ' ' && text_cells(line) > paper->width)
            paper_wrap(paper, ROLE_TEXT, 0, line);
        else
            fprintf(paper->file, "%s\n", line);
        free(line);
    }
}

int fail(const struct error *error)
{
    struct paper paper = paper_open(stderr);
    struct text clean = { 0 }; // it may quote a file, a name or a compiler
    text_add(&clean, "warpbook: ");
    text_add_clean(&clean, error->text, strlen(error->text));
    print(&paper, text_string(&clean));
    text_free(&clean);
    return (int)error->code;
}
