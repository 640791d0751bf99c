// What the elements of a buffer, of a variable, or of an argument are at first: an expression for every number, or a list in
// braces for an element's parts, as C has it: {1, 2}, {.position = {0.5, i}, .weight[2] = 1}. Elements one by one are a list
// of numbers, or of [0] = {1, 2} and so on.
#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 1024, DEEPEST = 16 };

struct initial_reader {
    const struct source *source;
    const char *at, *end;
    const struct layout *layout;
    struct initial *out;
    struct error *error;
    int depth;
    bool array;
    int64_t element; // that is read; -1: every one
};

// Leaves that share the first letters of their paths: a structure, an array, a vector or a number.
struct leaf_group {
    size_t first, end;
    size_t prefix; // how many letters
};

void initial_free(struct initial *initial)
{
    for (size_t p = 0; p < initial->part_count; p++)
        expr_free(initial->parts[p].expr);
    free(initial->parts);
    *initial = (struct initial){ 0 };
}

static void skip_blanks(struct initial_reader *r)
{
    r->at += directive_blanks(r->at, r->end);
}

static bool accept(struct initial_reader *r, char sign)
{
    skip_blanks(r);
    bool there = r->at < r->end && *r->at == sign;
    r->at += there;
    return there;
}

// The letters of a path up to its next part: ".position", "[2]".
static size_t step_length(const char *path)
{
    return *path ? 1 + strcspn(path + 1, ".[") : 0;
}

// The part that begins with the group's leaf `first`.
static struct leaf_group part_at(const struct layout *layout, struct leaf_group group, size_t first)
{
    const char *path = layout->leaves[first].path;
    struct leaf_group part = { first, first + 1, group.prefix + step_length(path + group.prefix) };
    while (part.end < group.end && strncmp(layout->leaves[part.end].path, path, part.prefix) == 0 &&
           strchr(".[", layout->leaves[part.end].path[part.prefix]))
        part.end++;
    return part;
}

static bool find_part(const struct layout *layout, struct leaf_group group, const char *step, size_t length,
                      struct leaf_group *out)
{
    for (size_t first = group.first; first < group.end; first = out->end) {
        *out = part_at(layout, group, first);
        if (out->prefix - group.prefix == length &&
            strncmp(layout->leaves[first].path + group.prefix, step, length) == 0)
            return true;
    }
    return false;
}

// "position, weight" or "[0], [1]".
static bool no_part(struct initial_reader *r, struct leaf_group group, const char *at, size_t length)
{
    enum { SHOWN = 6 };
    struct text known = { 0 };
    size_t count = 0;
    for (size_t first = group.first; first < group.end; count++) {
        struct leaf_group part = part_at(r->layout, group, first);
        const char *step = r->layout->leaves[first].path + group.prefix;
        if (count < SHOWN)
            text_addf(&known, "%s%.*s", count ? ", " : "", (int)(part.prefix - group.prefix), step);
        first = part.end;
    }
    error_at(r->error, r->source, at, "there is no %.*s here; there %s %s%s",
             (int)(length < 60 ? length : 60), at, count == 1 ? "is" : "are", text_string(&known),
             count > SHOWN ? ", …" : "");
    text_free(&known);
    return false;
}

// Reads .position.x or [2] up to the = after it.
static bool read_designator(struct initial_reader *r, struct leaf_group group, struct leaf_group *out,
                            size_t *after)
{
    *out = group;
    for (bool first = true; r->at < r->end && (*r->at == '.' || *r->at == '['); first = false) {
        const char *at = r->at;
        size_t length = 1;
        while (byte_in_word(at[length]))
            length++;
        length += *at == '[' && at[length] == ']';
        struct leaf_group whole = *out;
        if (!find_part(r->layout, whole, at, length, out))
            return no_part(r, whole, at, length);
        *after = first ? out->end : *after;
        r->at += length;
        skip_blanks(r);
    }
    return accept(r, '=') || error_at(r->error, r->source, r->at, "expected '=' and the value of this part");
}

static bool read_value(struct initial_reader *r, struct leaf_group group);

static bool read_list(struct initial_reader *r, struct leaf_group group)
{
    size_t next = group.first; // the part that comes next
    if (r->depth == DEEPEST)
        return error_at(r->error, r->source, r->at, "braces lie too deep in each other");
    r->depth++;
    while (!accept(r, '}')) {
        struct leaf_group part = group;
        const bool designated = r->at < r->end && (*r->at == '.' || *r->at == '[');
        if (!designated && next == group.end)
            return error_at(r->error, r->source, r->at, "expected '}': there are no more parts than these");
        if (designated && !read_designator(r, group, &part, &next))
            return false;
        if (!designated) {
            part = part_at(r->layout, group, next);
            next = part.end;
        }
        if (!read_value(r, part))
            return false;
        if (accept(r, ','))
            continue;
        if (!accept(r, '}'))
            return error_at(r->error, r->source, r->at, "expected ',' and another part, or '}'");
        break;
    }
    r->depth--;
    return true;
}

// Moves past the [2] = before an element, or takes the one after the last.
static bool next_element(struct initial_reader *r)
{
    const char *at = r->at;
    if (!accept(r, '['))
        return ++r->element >= 0;
    struct code_piece number = piece_next(r->at);
    const int64_t most = (int64_t)1 << 44;
    char *end = NULL;
    r->element = strtoll(number.at, &end, 0);
    if (number.kind != PIECE_WORD || end != number.at + number.length || r->element > most)
        return error_at(r->error, r->source, at, "expected the number of an element, as in [2] = 1");
    r->at = end;
    if (!accept(r, ']') || !accept(r, '='))
        return error_at(r->error, r->source, r->at, "expected ']', '=' and the value of this element");
    return true;
}

static bool read_elements(struct initial_reader *r, struct leaf_group whole)
{
    while (!accept(r, '}')) {
        if (!next_element(r) || !read_value(r, whole))
            return false;
        if (accept(r, ','))
            continue;
        if (!accept(r, '}'))
            return error_at(r->error, r->source, r->at, "expected ',' and another element, or '}'");
        break;
    }
    r->element = -1;
    return true;
}

static bool read_value(struct initial_reader *r, struct leaf_group group)
{
    if (accept(r, '{')) {
        skip_blanks(r);
        const bool outermost = r->array && r->element < 0 && !r->depth,
                   numbers = r->layout->leaf_count == 1 && !r->layout->name;
        return outermost && (numbers || *r->at == '[') ? read_elements(r, group) : read_list(r, group);
    }
    if (r->out->part_count == PARTS_MOST)
        return error_at(r->error, r->source, r->at, "a value may have %d parts", PARTS_MOST);
    r->out->parts = array_room(r->out->parts, r->out->part_count, sizeof *r->out->parts);
    struct initial_part *part = &r->out->parts[r->out->part_count++];
    *part = (struct initial_part){
        .at = r->at, .first = group.first, .count = group.end - group.first, .element = r->element
    };
    part->expr = expr_parse(r->source, &r->at, r->end, r->error);
    part->end = r->at;
    return part->expr != NULL;
}

bool initial_read(const struct source *source, const char **at, const char *end, const struct layout *layout,
                  bool array, struct initial *out, struct error *error)
{
    struct initial_reader reader = { source, *at, end, layout, out, error, 0, array, -1 };
    out->given = true;
    bool read = read_value(&reader, (struct leaf_group){ 0, layout->leaf_count, 0 });
    *at = reader.at;
    return read;
}

static bool part_is(const struct initial_part *part, const char *name)
{
    size_t length = (size_t)(part->end - part->at), own = strlen(name);
    return length >= own && memcmp(part->at, name, own) == 0 &&
           strspn(part->at + own, " \t\r\n") >= length - own;
}

bool initial_names(const struct initial *initial, const char *name)
{
    for (size_t p = 0; p < initial->part_count; p++)
        if (part_is(&initial->parts[p], name))
            return true;
    return false;
}

static bool is_memory(const struct initial_part *part, const struct layout *layout,
                      const struct expr_scope *memory)
{
    bool is = false;
    for (size_t i = 0; memory && i < memory->count; i++)
        is |= part_is(part, memory->bindings[i].name);
    return is && part->count == 1 && layout->leaves[part->first].pointer;
}

bool initial_check(const struct initial *initial, const struct layout *layout, const struct expr_scope *scope,
                   const struct expr_scope *memory, struct error *error)
{
    for (size_t p = 0; p < initial->part_count; p++)
        if (!is_memory(&initial->parts[p], layout, memory) &&
            !expr_check(initial->parts[p].expr, scope, true, error))
            return false;
    return true;
}

bool initial_fill(const struct declared *declared, const struct expr_scope *scope, size_t count, void *out,
                  struct error *error)
{
    const struct layout *layout = &declared->layout;
    const struct initial *initial = &declared->initial;
    if (layout->name || initial->part_count != 1 ||
        initial->parts[0].element >= 0) // else every byte is written
        memset(out, 0, count * layout->bytes);
    for (size_t p = 0; p < initial->part_count; p++) {
        const struct initial_part *part = &initial->parts[p];
        const struct expr_places places = { &layout->leaves[part->first], part->count, layout->bytes };
        if (part->element >= 0 && (size_t)part->element >= count)
            return expr_error(part->expr, error, "this is element %lld of %s, which has %zu",
                              (long long)part->element, declared->name, count);
        const size_t first = part->element < 0 ? 0 : (size_t)part->element;
        if (!expr_fill(part->expr, scope, &places, first, part->element < 0 ? count : 1, out, error))
            return false;
    }
    return true;
}
