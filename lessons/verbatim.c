// Blocks that keep their lines as they are: code, live blocks, comments.
#include "lessons/markdown.h"

#include <stdlib.h>
#include <string.h>

// A kind that is misspelt: as plain code the block would show its answer.
static bool is_misspelt(const char *info, const char **near)
{
    size_t length = strcspn(info, " \t");
    char *word = mem_copy_n(info, length);
    *near = string_nearest(word, live_names, LIVES);
    free(word);
    bool named = string_starts(info + length + strspn(info + length, " \t"), "id=");
    return named || (*near && length >= strlen("lab"));
}

bool code_take(const struct source *source, struct block *block, const char *info, struct text *lines,
               struct error *error)
{
    if (lines->length && lines->data[lines->length - 1] == '\n')
        lines->data[--lines->length] = 0;
    enum live_kind kind;
    if (live_kind_of(info, &kind)) {
        block->kind = BLOCK_LIVE;
        return live_parse(source, block->line, info, lines->length ? lines->data : "", &block->live, error);
    }
    const char *near;
    if (is_misspelt(info, &near))
        return line_error(source, block->line, info, error, "this is no kind of live block; %s%s%s",
                          near ? "did you mean '" : "FORMAT.md lists them", near ? near : "",
                          near ? "'?" : "");
    block->info = clean_copy(info, strcspn(info, " \t"));
    block->text = clean_copy(text_string(lines), lines->length);
    return true;
}

// The line of the file that holds the last one of the comment.
static int last_line(const struct block *block, const char *text)
{
    int line = block->line;
    for (; *text; text++)
        line += *text == '\n' && text[1];
    return line;
}

// A mark that is misspelt: nobody would be shown the notes, and nobody would check the numbers.
static bool mark_sound(const struct source *source, const struct block *block, const char *text,
                       struct error *error)
{
    static const char *const marks[] = { "instructor", "numbers" };
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    if (length < 3 || text[length] != ':')
        return true;
    char *word = mem_copy_n(text, length);
    const char *near = string_nearest(word, marks, sizeof marks / sizeof *marks);
    bool sound = !near || strcmp(near, word) == 0 ||
                 line_error(source, block->line, word, error, "did you mean '%s:'?", near);
    free(word);
    return sound;
}

bool comment_take(const struct source *source, struct block *block, const struct text *html, bool *kept,
                  struct error *error)
{
    static const char mark[] = "instructor:";
    const char *text = html->length ? html->data : "";
    text += strspn(text, " \t\n");
    if (!string_starts(text, "<!--"))
        return line_error(source, block->line, NULL, error,
                          "HTML is not shown in a terminal; only comments <!-- ... --> may stand here");
    const char *end = strstr(text, "-->");
    if (!end)
        return line_error(source, block->line, NULL, error, "this comment has no end -->");
    const char *behind = end + 3 + strspn(end + 3, " \t\n");
    if (*behind)
        return line_error(source, last_line(block, text), NULL, error,
                          "text behind a comment on its line is not shown; put it on a line of its own");
    text += 4 + strspn(text + 4, " \t\n");
    *kept = string_starts(text, mark);
    if (!*kept)
        return mark_sound(source, block, text, error);
    text += strlen(mark) + strspn(text + strlen(mark), " \t\n");
    while (end > text && strchr(" \t\n", end[-1]))
        end--;
    block->text = clean_copy(text, end > text ? (size_t)(end - text) : 0);
    return true;
}
