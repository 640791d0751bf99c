// Reads a lesson around its errors, so that one check says all of them: what is wrong is blanked in a copy, line for
// line, and the copy is read again. The rest is then checked as usual.
#include "tui/command/check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_MOST = 200 };

struct reading {
    struct checking *check;
    const char *path;
    char *text;        // of the file, with blanks where something was wrong
    size_t block;      // where the block starts in which something was blanked last; 0: nowhere
    bool front_broken; // a line at the start was blanked
    bool front_made;   // all of the start was replaced
};

// ---- lines ------------------------------------------------------------------------------------------------------

static char *line_next(char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static char *line_at(char *text, int line)
{
    for (int i = 1; i < line && *text; i++)
        text = line_next(text);
    return text;
}

// False: there was nothing but blanks.
static bool blank(char *from, const char *to)
{
    bool changed = false;
    for (; from < to && *from; from++) {
        changed |= !isspace((unsigned char)*from);
        *from = *from == '\n' ? '\n' : ' ';
    }
    return changed;
}

// A line `key: value` with those that go on with it.
static bool blank_field(char *at, const char *end)
{
    char *to = line_next(at);
    while (to < end && (*to == ' ' || *to == '\t'))
        to = line_next(to);
    return blank(at, to);
}

// ---- the start of the file ----------------------------------------------------------------------------------------

static char *front_end(char *text) // its second line ---; NULL: it has none
{
    char *end = string_starts(text, "---") ? line_next(text) : NULL;
    while (end && *end && !string_starts(end, "---"))
        end = line_next(end);
    return end && *end ? end : NULL;
}

// A start that can be read, in as many lines, so that what follows keeps its place.
static bool front_make(struct reading *reading)
{
    static const char made[] = "---\ntitle: x\nminutes: 1\nafter: x\n";
    char *end = front_end(reading->text);
    struct text text = { 0 };
    int lines = 0;
    if (!end || reading->front_made)
        return false;
    for (char *at = reading->text; at < end; at = line_next(at))
        lines++;
    if (lines < 4)
        return false;
    text_add(&text, made);
    for (int i = 4; i < lines; i++)
        text_add(&text, "\n");
    text_add(&text, end);
    free(reading->text);
    reading->text = text_take(&text);
    return reading->front_made = true;
}

// ---- blocks -------------------------------------------------------------------------------------------------------

// The fenced block in which a place lies, from its fence to behind the other one; false: in none.
static bool block_of(char *text, const char *place, char **from, char **to)
{
    char *open = NULL;
    for (char *at = text; *at; at = line_next(at)) {
        if (!string_starts(at, "```"))
            continue;
        *from = open;
        *to = line_next(at);
        if (open && place >= open && place < *to)
            return true;
        open = open ? NULL : at;
    }
    *from = open;
    *to = open ? open + strlen(open) : NULL;
    return open && place >= open;
}

// HTML: a tag, the comment that ends in this line, or what else is there.
static bool blank_text(char *text, char *at, char *place)
{
    char *end = line_next(at), *from = at;
    size_t length = (size_t)(end - at);
    bool comment = memmem(at, length, "<!--", 4) || memmem(at, length, "-->", 3);
    char *tag = *place == '<' && !comment ? memchr(place, '>', (size_t)(end - place)) : NULL;
    if (tag)
        return blank(place, tag + 1);
    if (comment && !memmem(at, length, "<!--", 4))
        for (char *open = text; (open = strstr(open, "<!--")) && open < at; open++)
            from = open;
    return blank(from, end);
}

// ---- one error ------------------------------------------------------------------------------------------------------

// Of "PATH:LINE:COLUMN: …"; 0: the error has no line.
static int line_of(const struct reading *reading, const struct error *error, int *column)
{
    size_t length = strlen(reading->path);
    char *end;
    *column = 0;
    if (!string_starts(error->text, reading->path) || error->text[length] != ':')
        return 0;
    long line = strtol(error->text + length + 1, &end, 10);
    *column = *end == ':' ? (int)strtol(end + 1, NULL, 10) : 0;
    return (int)line;
}

// The character that an error points at; the line's end if it has no such column.
static char *place_of(char *line, int column)
{
    size_t length = strcspn(line, "\n");
    return line + (column < 1 ? 0 : (size_t)column <= length ? (size_t)column - 1 : length);
}

// Says the error and takes out what it is about; false: nothing more can be read.
static bool take_out(struct reading *reading, const struct error *error)
{
    int column, line = line_of(reading, error, &column);
    char *at = line_at(reading->text, line), *front = front_end(reading->text), *from, *to;
    if (line == 1 || !line) {
        if (!reading->front_broken) // or else what was blanked is what is missing
            check_said(reading->check, error);
        return line == 1 && front_make(reading);
    }
    if (front && at < front) {
        check_said(reading->check, error);
        reading->front_broken = true;
        return blank_field(at, front);
    }
    if (!block_of(reading->text, at, &from, &to)) {
        char *place = place_of(at, column);
        if (!string_starts(place, "</")) // the tag that it closes was said
            check_said(reading->check, error);
        return blank_text(reading->text, at, place);
    }
    size_t block = (size_t)(from - reading->text);
    if (at != from || reading->block != block) // what a block lacks may be what was blanked in it
        check_said(reading->check, error);
    reading->block = block;
    return at == from ? blank(from, to) : blank_field(at, to);
}

bool check_read(struct checking *check, const char *path, struct lesson *out)
{
    struct text text = { 0 };
    struct error error;
    int column;
    bool read = lesson_read(out, path, &error);
    if (read)
        return true;
    struct reading reading = { .check = check, .path = path };
    if (line_of(&reading, &error, &column) && file_read(path, &text, &(struct error){ 0 }))
        reading.text = mem_copy(text_string(&text));
    else
        check_said(check, &error);
    for (int errors = 0; reading.text && !read && errors < ERRORS_MOST; errors++) {
        if (!take_out(&reading, &error))
            break;
        read = lesson_parse(out, path, reading.text, &error);
    }
    if (read) { // places are those of the file
        free(out->text);
        out->text = text_take(&text);
        out->minutes = reading.front_made ? 0 : out->minutes;
    }
    text_free(&text);
    free(reading.text);
    return read;
}
