// Instructions of the kernels that ship and of those that the tests hold, to be mixed into others. Read once, from the
// folder of the repository; a fuzzer that is started elsewhere does without.
#include "tests/fuzz/shared/fuzz.h"

#include <glob.h>
#include <string.h>

enum { LINES_MOST = 20000 };

static struct text all;
static struct donor_line {
    size_t at, length;
} lines[LINES_MOST];
static size_t count;

static void take_lines(const struct text *file)
{
    const char *at = text_string(file);
    while (*at && count < LINES_MOST) {
        size_t length = strcspn(at, "\n");
        bool instruction = *at == '\t' && length > 4 && at[length - 1] == ';' && at[1] != '.' && at[1] != '/';
        if (instruction || string_starts(at, "\t.param")) {
            lines[count++] = (struct donor_line){ all.length, length };
            text_add_n(&all, at, length);
        }
        at += length + (at[length] == '\n');
    }
}

static void read_files(const char *pattern)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i += 1 + found.gl_pathc / 200) {
        struct text file = { 0 };
        struct error error;
        if (file_read(found.gl_pathv[i], &file, &error))
            take_lines(&file);
        text_free(&file);
    }
    globfree(&found);
}

const char *donor_line(struct chance *chance, size_t *length)
{
    if (!all.length) {
        text_add(&all, "");
        read_files("assets/ptx/*/*.ptx");
        read_files("tests/data/truth/*.ptx");
        read_files("tests/data/findings/*.ptx");
        if (!count)
            lines[count++] = (struct donor_line){ 0, 0 };
    }
    const struct donor_line *line = &lines[chance_below(chance, (uint32_t)count)];
    *length = line->length;
    return all.data + line->at;
}
