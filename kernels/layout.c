// The numbers of which an element is made, as the compiler lays them out: of a structure, from its definition in the C text.
// What a definition says by macros, templates or bases is not read; the compiler compares the result with its own layout
// (variant_source).
#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAVES_MOST = 4096,
    DEEPEST = 8,         // structures and names of types within each other
    SEARCHES_MOST = 256, // of the C text for a name
    CONSTANTS_MOST = 64,
    ALIGN_MOST = 4096, // bytes
    WIDEST = 16,       // the most that a vector is aligned to
    POINTER = 8
};

void layout_free(struct layout *layout)
{
    for (size_t i = 0; i < layout->leaf_count; i++)
        free(layout->leaves[i].path);
    free(layout->leaves);
    free(layout->name);
    *layout = (struct layout){ 0 };
}

static void add_leaf(struct layout *out, const char *path, enum scalar scalar, size_t offset, bool pointer)
{
    out->leaves = array_room(out->leaves, out->leaf_count, sizeof *out->leaves);
    out->leaves[out->leaf_count++] = (struct leaf){ mem_copy(path), scalar, offset, pointer };
}

// A number, or a vector: those of two and four lanes lie at multiples of their size, up to 16 bytes.
static void lay_out_type(struct layout *out, struct type type)
{
    const size_t each = scalar_size(type.scalar);
    out->bytes = type_size(type);
    out->align = type.lanes == 3 ? each : out->bytes < WIDEST ? out->bytes : WIDEST;
    for (int lane = 0; lane < type.lanes; lane++) {
        const char path[3] = { '.', "xyzw"[lane], 0 };
        add_leaf(out, type.lanes > 1 ? path : "", type.scalar, (size_t)lane * each, false);
    }
}

// ---- definitions in the C text ------------------------------------------------------------------------------

static struct code_piece peek(const char *at)
{
    return piece_next_code(&at);
}

// What the C text names and a layout may need: types, and numbers for the lengths of arrays.
struct layout_reader {
    const struct source *source;
    struct error *error;
    int depth, searches;
    char *names[CONSTANTS_MOST];
    struct expr_binding constants[CONSTANTS_MOST];
    size_t constant_count;
    bool constants_read;
};

static bool wrong(struct layout_reader *r, const char *at, const char *why)
{
    return error_at(r->error, r->source, at, "%s", why);
}

// Moves past __align__(16), alignas(16) and the like; *align becomes what they ask for.
static void take_attributes(const char **at, size_t *align)
{
    for (;;) {
        const char *next = *at;
        struct code_piece piece = piece_next_code(&next);
        const bool aligns = piece_is(piece, "__align__") || piece_is(piece, "alignas");
        if ((!aligns && !piece_is(piece, "__attribute__")) || !piece_is(piece_next_code(&next), "("))
            return;
        struct code_piece number = peek(next);
        if (aligns && number.kind == PIECE_WORD) {
            size_t asked = strtoul(number.at, NULL, 0);
            *align = asked > *align && asked <= ALIGN_MOST && !(asked & (asked - 1)) ? asked : *align;
        }
        *at = piece_after_group(next, "(", ")");
    }
}

struct structure_text { // where a structure is defined
    const char *body;   // after its brace; NULL: there is none of this name
    size_t align;
    bool templated, based;
};

// Reads what may be a definition of `name` from just after the word struct on.
static bool read_definition(const char *at, struct code_piece name, bool typedefed,
                            struct structure_text *out)
{
    struct code_piece tag = { PIECE_END, at, 0 };
    take_attributes(&at, &out->align);
    if (peek(at).kind == PIECE_WORD)
        tag = piece_next_code(&at);
    take_attributes(&at, &out->align);
    struct code_piece piece = piece_next_code(&at);
    out->based = piece_is(piece, ":");
    while (out->based && !piece_is(piece, "{") && piece.kind != PIECE_END)
        piece = piece_next_code(&at);
    if (!piece_is(piece, "{"))
        return false;
    out->body = at;
    if (piece_same(tag, name))
        return true;
    at = piece_after_group(at, "{", "}");
    take_attributes(&at, &out->align);
    piece = piece_next_code(&at);
    return typedefed && piece_same(piece, name);
}

static struct structure_text find_definition(const char *text, struct code_piece name)
{
    bool templated = false, typedefed = false;
    for (const char *at = text;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            return (struct structure_text){ 0 };
        struct structure_text found = { .templated = templated };
        if (piece_is(piece, "struct") && read_definition(at, name, typedefed, &found))
            return found;
        typedefed = piece_is(piece, "typedef");
        templated = piece_is(piece, "template") ||
                    (templated && !piece_is(piece, ";") && !piece_is(piece, "{") && !piece_is(piece, "}"));
    }
}

// The type that `name` is another name of, by a typedef or using; NULL: of none.
static const char *find_alias(const char *text, struct code_piece name)
{
    for (const char *at = text;;) {
        struct code_piece piece = piece_next_code(&at), last = piece;
        if (piece.kind == PIECE_END)
            return NULL;
        const char *start = at, *next = at;
        if (piece_is(piece, "using")) {
            last = piece_next_code(&next);
            if (!piece_is(piece_next_code(&next), "="))
                continue;
            start = next;
        } else if (piece_is(piece, "typedef")) {
            while (piece = piece_next_code(&next), piece.kind == PIECE_WORD)
                last = piece;
            if (!piece_is(piece, ";"))
                continue;
        } else {
            continue;
        }
        if (piece_same(last, name))
            return start;
    }
}

// ---- lengths of arrays ----------------------------------------------------------------------------------------

static bool is_number(struct code_piece piece)
{
    return piece.kind == PIECE_WORD && *piece.at >= '0' && *piece.at <= '9';
}

// Whether nothing else belongs to the value: a #define ends with its line.
static bool is_whole(struct code_piece number, bool defined)
{
    const char *after = number.at + number.length;
    if (defined)
        return strchr("\r\n/", after[strspn(after, " \t")]) != NULL;
    struct code_piece next = peek(after);
    return piece_is(next, ";") || piece_is(next, ",") || piece_is(next, "}");
}

// Notes names that stand for a whole number: #define N 8, const int N = 8; enum { N = 8 };
static void read_constants(struct layout_reader *r)
{
    struct code_piece before = { PIECE_END, r->source->text, 0 }, last = before;
    r->constants_read = true;
    for (const char *at = r->source->text; r->constant_count < CONSTANTS_MOST;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            return;
        const bool defined = piece.kind == PIECE_WORD && piece_is(last, "define"),
                   assigned = piece_is(last, "=") && before.kind == PIECE_WORD;
        const char *next = at;
        struct code_piece number = defined ? piece_next_code(&next) : piece, name = defined ? piece : before;
        if ((defined || assigned) && is_number(number) && is_whole(number, defined)) {
            r->names[r->constant_count] = mem_copy_n(name.at, name.length);
            r->constants[r->constant_count] =
                (struct expr_binding){ r->names[r->constant_count], value_int(strtoll(number.at, NULL, 0)) };
            r->constant_count++;
        }
        before = last;
        last = piece;
    }
}

// Reads [8][N + 1] from *at on; false after an error.
static bool read_lengths(struct layout_reader *r, const char **at, int64_t lengths[4], int *count)
{
    *count = 0;
    while (piece_is(peek(*at), "[")) {
        piece_next_code(at);
        if (!r->constants_read)
            read_constants(r);
        const char *start = *at;
        const struct expr_scope scope = { r->constants, r->constant_count };
        struct expr *length = expr_parse(r->source, at, NULL, r->error);
        struct expr_value value;
        bool read = length && expr_eval(length, &scope, &value, r->error);
        expr_free(length);
        if (!read)
            return false;
        if (*count == 4 || value_as_int(value) < 1 || value_as_int(value) > LEAVES_MOST)
            return error_at(r->error, r->source, start, "a length should be 1 to %d, of at most 4 in a row",
                            LEAVES_MOST);
        lengths[(*count)++] = value_as_int(value);
        if (!piece_is(piece_next_code(at), "]"))
            return wrong(r, start, "expected a length that is a number, or a name of one, and then ']'");
    }
    return true;
}

// ---- members ---------------------------------------------------------------------------------------------------

static enum layout_found read_type(struct layout_reader *r, const char **at, struct type *type,
                                   struct layout *out);

// Adds the numbers of a member, an array of `lengths`, at the place that comes next.
static bool add_member(struct layout_reader *r, struct layout *out, struct code_piece name,
                       const struct layout *each, const int64_t *lengths, int dims)
{
    int64_t elements = 1;
    for (int d = 0; d < dims; d++)
        elements *= lengths[d];
    if (elements > LEAVES_MOST || out->leaf_count + (size_t)elements * each->leaf_count > LEAVES_MOST)
        return error_at(r->error, r->source, name.at,
                        "a structure may have %d numbers, and this one has more", LEAVES_MOST);
    const size_t start = (out->bytes + each->align - 1) / each->align * each->align;
    for (int64_t e = 0; e < elements; e++) {
        struct text path = { 0 };
        text_addf(&path, ".%.*s", (int)name.length, name.at);
        int64_t rest = e, below = elements;
        for (int d = 0; d < dims; d++) {
            below /= lengths[d];
            text_addf(&path, "[%lld]", (long long)(rest / below));
            rest %= below;
        }
        const size_t length = path.length;
        for (size_t i = 0; i < each->leaf_count; i++) {
            const struct leaf *leaf = &each->leaves[i];
            text_add(&path, leaf->path);
            add_leaf(out, path.data, leaf->scalar, start + (size_t)e * each->bytes + leaf->offset,
                     leaf->pointer);
            path.data[path.length = length] = 0;
        }
        text_free(&path);
    }
    out->bytes = start + (size_t)elements * each->bytes;
    out->align = each->align > out->align ? each->align : out->align;
    return true;
}

// Moves past a declaration that takes no room: a function with its body, a static, a using.
static const char *skip_declaration(const char *at)
{
    for (;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END || piece_is(piece, ";"))
            return at;
        if (piece_is(piece, "("))
            at = piece_after_group(at, "(", ")");
        if (!piece_is(piece, "{"))
            continue;
        at = piece_after_group(at, "{", "}");
        if (!piece_is(peek(at), ";"))
            return at;
    }
}

// Whether the declaration is of a function: a parenthesis comes before it ends or gets a value.
static bool is_function(const char *at)
{
    for (size_t align = 0;;) {
        take_attributes(&at, &align);
        struct code_piece piece = piece_next_code(&at);
        if (piece_is(piece, "("))
            return true;
        if (piece.kind == PIECE_END || piece_is(piece, ";") || piece_is(piece, "=") || piece_is(piece, "{") ||
            piece_is(piece, "["))
            return false;
    }
}

// Reads NAME, *NAME, NAME[8] = {…} up to the comma or semicolon after it.
static bool read_declarator(struct layout_reader *r, const char **at, const struct layout *type, size_t align,
                            struct layout *out)
{
    struct layout each = *type, pointer = { .bytes = POINTER, .align = POINTER };
    bool is_pointer = false;
    while (piece_is(peek(*at), "*") || piece_is(peek(*at), "const") || piece_is(peek(*at), "__restrict__"))
        is_pointer |= piece_is(piece_next_code(at), "*");
    if (is_pointer) {
        add_leaf(&pointer, "", SCALAR_ULLONG, 0, true);
        each = pointer;
    }
    each.align = align > each.align ? align : each.align;
    int64_t lengths[4];
    int dims = 0;
    struct code_piece name = piece_next_code(at);
    if (!each.leaf_count) // after a pointer to what is not known
        return wrong(r, name.at, "a member of this type is not known to the //@ lines");
    bool good = name.kind == PIECE_WORD ||
                wrong(r, name.at, "expected a member's name; what stands here is not known to the //@ lines");
    good = good && read_lengths(r, at, lengths, &dims) &&
           (!piece_is(peek(*at), ":") || wrong(r, name.at, "bit-fields are not known to the //@ lines")) &&
           add_member(r, out, name, &each, lengths, dims);
    layout_free(&pointer);
    while (good && peek(*at).kind != PIECE_END && !piece_is(peek(*at), ",") && !piece_is(peek(*at), ";")) {
        struct code_piece piece = piece_next_code(at); // an initial value
        if (piece_is(piece, "{") || piece_is(piece, "("))
            *at = piece_after_group(*at, piece_is(piece, "{") ? "{" : "(", piece_is(piece, "{") ? "}" : ")");
    }
    return good;
}

// Moves past words that change no layout, and attributes; *align becomes what those ask for.
static void take_qualifiers(const char **at, size_t *align)
{
    static const char *const words[] = { "const", "volatile", "mutable", "struct", "typename" };
    for (bool more = true; more;) {
        const char *before = *at;
        take_attributes(at, align);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (piece_is(peek(*at), words[i]))
                piece_next_code(at);
        more = *at != before;
    }
}

// The star after the type of a pointer that is not one to numbers; NULL: it is another type.
static const char *pointed_at(const char *at)
{
    struct type type;
    if (type_parse(at, &type))
        return NULL;
    for (;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece_is(piece, "*"))
            return piece.at;
        if (piece_is(piece, "<"))
            at = piece_after_group(at, "<", ">");
        else if (piece.kind != PIECE_WORD && !piece_is(piece, ":"))
            return NULL;
    }
}

static bool read_members(struct layout_reader *r, const char *body, struct layout *out)
{
    static const char *const without_room[] = { "static", "typedef", "using", "enum", "friend", "template" };
    for (const char *at = body;;) {
        struct code_piece first = peek(at);
        bool skipped = false;
        for (size_t i = 0; i < sizeof without_room / sizeof *without_room; i++)
            skipped |= piece_is(first, without_room[i]);
        if (piece_is(first, "}"))
            return true;
        if (first.kind == PIECE_END)
            return wrong(r, body, "this structure has no end");
        const char *next = at;
        piece_next_code(&next);
        if (piece_is(first, ";") || (piece_is(peek(next), ":") && !skipped)) { // public:
            at = piece_is(first, ";") ? next : (piece_next_code(&next), next);
            continue;
        }
        if (skipped || is_function(at)) {
            at = skip_declaration(at);
            continue;
        }
        struct layout each = { .align = 1 };
        struct type type;
        size_t align = 0;
        take_qualifiers(&at, &align);
        at = peek(at).at;
        const char *star = pointed_at(at);
        enum layout_found found = star ? LAYOUT_FOUND : read_type(r, &at, &type, &each);
        at = star ? star : at;
        bool good =
            found == LAYOUT_FOUND ||
            (found == LAYOUT_NONE && wrong(r, first.at,
                                           "a member of this type is not known to the //@ lines, which know "
                                           "numbers, vectors, structures of them, arrays and pointers"));
        do
            good = good && read_declarator(r, &at, &each, align, out);
        while (good && piece_is(piece_next_code(&at), ","));
        layout_free(&each);
        if (!good)
            return false;
    }
}

// ---- types ------------------------------------------------------------------------------------------------------

static bool read_structure(struct layout_reader *r, const char *name, const struct structure_text *definition,
                           struct layout *out)
{
    if (definition->templated)
        return wrong(r, name, "this structure is a template, whose layout is not known to the //@ lines");
    if (definition->based)
        return wrong(r, name, "this structure has a base, and its layout is not known to the //@ lines");
    out->align = definition->align ? definition->align : 1;
    if (!read_members(r, definition->body, out))
        return false;
    out->bytes = (out->bytes + out->align - 1) / out->align * out->align;
    return out->leaf_count || wrong(r, name, "this structure has no members");
}

// Reads a type from *at on into an empty layout.
static enum layout_found read_type(struct layout_reader *r, const char **at, struct type *type,
                                   struct layout *out)
{
    size_t used = type_parse(*at, type);
    const char *next = *at;
    struct code_piece name = piece_next_code(&next);
    if (used) {
        *at += used;
        lay_out_type(out, *type);
        return LAYOUT_FOUND;
    }
    if (name.kind != PIECE_WORD || is_number(name))
        return LAYOUT_NONE;
    while (string_starts(next, "::")) {
        next += 2;
        name = piece_next_code(&next);
    }
    if (r->depth == DEEPEST || r->searches++ == SEARCHES_MOST) {
        wrong(r, name.at, "this type is made of too many others");
        return LAYOUT_WRONG;
    }
    enum layout_found found = LAYOUT_NONE;
    struct structure_text definition = find_definition(r->source->text, name);
    const char *alias = definition.body ? NULL : find_alias(r->source->text, name);
    size_t align = 0;
    r->depth++;
    if (definition.body) {
        found = read_structure(r, name.at, &definition, out) ? LAYOUT_FOUND : LAYOUT_WRONG;
        *type = (struct type){ SCALAR_STRUCTURE, (int)out->bytes };
    } else if (alias) {
        take_qualifiers(&alias, &align);
        alias = peek(alias).at;
        found = read_type(r, &alias, type, out);
    }
    r->depth--;
    if (found == LAYOUT_FOUND)
        *at = next;
    return found;
}

enum layout_found layout_read(const struct source *source, const char **at, struct type *type,
                              struct layout *out, struct error *error)
{
    struct layout_reader reader = { .source = source, .error = error };
    const char *start = *at;
    enum layout_found found = read_type(&reader, at, type, out);
    for (size_t i = 0; i < reader.constant_count; i++)
        free(reader.names[i]);
    if (found == LAYOUT_FOUND && type->scalar == SCALAR_STRUCTURE)
        out->name = mem_copy_n(start, (size_t)(*at - start));
    if (found != LAYOUT_FOUND)
        layout_free(out);
    return found;
}
