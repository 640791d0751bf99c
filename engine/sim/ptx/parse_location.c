// .file and .loc: which line of the CUDA source an instruction belongs to. Code that was inlined from another
// file (a header) belongs to the outermost place in the kernel's own file that it was inlined at; what has no
// line there stays with the line before it.
#include "engine/sim/ptx/parse.h"

#include <limits.h>
#include <string.h>

enum { LOOK_BACK = 256 }; // how many .loc an inlined_at may be behind the .loc that it means

bool parse_file(struct parser *p)
{
    uint64_t number;
    int line = p->lexer.token.line;
    if (!expect_count(p, UINT64_MAX, &number))
        return false;
    if (number > PARSE_FILES)
        return parse_fail(p, line, ".file %llu: numbers up to %d can be used", (unsigned long long)number,
                          PARSE_FILES);
    struct token token = p->lexer.token;
    if (token.kind != TOKEN_STRING)
        return parse_expected(p, "the file's name in quotes");
    struct ptx_text *text = p->text;
    while (text->file_count <= number) {
        text->files = parse_room(p, text->files, text->file_count, sizeof *text->files);
        if (!text->files)
            return false;
        text->file_count++;
    }
    char *name = parse_take(p, token.length);
    if (!name)
        return false;
    memcpy(name, token.start + 1, token.length - 2);
    text->files[number] = name;
    // A time stamp and a size may follow.
    for (lex_next(&p->lexer); take_mark(p, ',');)
        if (!expect_count(p, UINT64_MAX, &number))
            return false;
    return true;
}

static bool take_int(struct parser *p, int *out)
{
    uint64_t value;
    if (!expect_count(p, INT_MAX, &value))
        return false;
    *out = (int)value;
    return true;
}

static bool take_place(struct parser *p, int *file, int *line, int *column)
{
    return take_int(p, file) && take_int(p, line) && take_int(p, column);
}

// The last .loc of this function for the place that code was inlined at, or 0.
static int parent_of(const struct parser *p, const struct location *loc)
{
    size_t least = p->first_location;
    if (p->location_count - least > LOOK_BACK)
        least = p->location_count - LOOK_BACK;
    for (size_t i = p->location_count; i > least; i--) {
        const struct location *other = &p->locations[i - 1];
        if (other->file == loc->outer_file && other->line == loc->outer_line &&
            other->column == loc->outer_column)
            return (int)i;
    }
    return 0;
}

// , function_name NAME[+offset] , inlined_at file line column
static bool take_inlined(struct parser *p, struct location *loc)
{
    while (take_mark(p, ',')) {
        uint64_t offset;
        bool place = token_is(p, "inlined_at");
        if (!place && !token_is(p, "function_name"))
            return parse_expected(p, "function_name or inlined_at");
        lex_next(&p->lexer);
        if (place) {
            if (!take_place(p, &loc->outer_file, &loc->outer_line, &loc->outer_column))
                return false;
            continue;
        }
        lex_next(&p->lexer);
        if (take_mark(p, '+') && !expect_count(p, UINT64_MAX, &offset))
            return false;
    }
    return true;
}

bool parse_loc(struct parser *p)
{
    struct location loc = { 0 };
    if (!take_place(p, &loc.file, &loc.line, &loc.column) || !take_inlined(p, &loc))
        return false;
    if (p->location_count == INT_MAX)
        return parse_fail(p, p->lexer.token.line, "too many .loc");
    if (loc.outer_file)
        loc.parent = parent_of(p, &loc);
    p->locations = parse_room(p, p->locations, p->location_count, sizeof *p->locations);
    if (!p->locations)
        return false;
    p->locations[p->location_count++] = loc;
    p->location = (int)p->location_count;
    if (p->function.entry && p->own_file == 0)
        p->own_file = loc.file;
    return true;
}

// ---- at the end ---------------------------------------------------------------------------------------

struct place {
    int line, column;
};

// Where the .loc's outermost place in the own file is; a parent has a lower number, so it is known before.
static struct place outermost(const struct location *loc, const struct place *known, int own)
{
    struct place place = { 0, 0 };
    if (loc->parent)
        place = known[loc->parent - 1];
    else if (loc->outer_file == own)
        place = (struct place){ loc->outer_line, loc->outer_column };
    if (!place.line && loc->file == own)
        place = (struct place){ loc->line, loc->column };
    return place;
}

static void settle(struct ptx_function *function, const struct location *locations, const struct place *outer,
                   int own)
{
    struct place last = { 0, 0 };
    for (size_t i = 0; i < function->instruction_count; i++) {
        struct ptx_instruction *in = &function->instructions[i];
        if (in->line) {
            const struct location *loc = &locations[in->line - 1];
            struct place place = outer[in->line - 1];
            if (loc->file == own)
                place = (struct place){ loc->line, loc->column };
            if (place.line)
                last = place;
        }
        in->line = last.line;
        in->column = last.column;
    }
}

// Until here an instruction's line is 1 + the index of its .loc.
bool locations_settle(struct parser *p)
{
    int own = p->own_file ? p->own_file : 1;
    struct place *outer = parse_take(p, p->location_count * sizeof *outer);
    if (!outer)
        return false;
    for (size_t i = 0; i < p->location_count; i++)
        outer[i] = outermost(&p->locations[i], outer, own);
    for (size_t i = 0; i < p->text->function_count; i++)
        settle(&p->text->functions[i], p->locations, outer, own);
    return true;
}
