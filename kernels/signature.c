// What the C text says of a kernel's parameters: which are pointers, and which pointers the kernel only
// reads through. Reads tokens, not C: the compiler is the judge of whether the text is right.
#include "kernels/variant.h"

#include <string.h>

// The next piece that is code, from *at on; *at moves behind it.
static struct piece next_code(const char **at)
{
    for (;;) {
        struct piece piece = piece_next(*at);
        *at = piece.at + piece.length;
        if (piece.kind != PIECE_BLANK && piece.kind != PIECE_COMMENT)
            return piece;
    }
}

// +1 where a bracket opens, -1 where one closes.
static int nesting(struct piece piece)
{
    if (piece.kind != PIECE_SIGN)
        return 0;
    return strchr("([{<", *piece.at) ? 1 : strchr(")]}>", *piece.at) ? -1 : 0;
}

// Behind the parenthesis that closes the one before `at`.
static const char *skip_group(const char *at)
{
    for (int depth = 1; depth > 0;) {
        struct piece piece = next_code(&at);
        if (piece.kind == PIECE_END)
            break;
        if (piece_is(piece, "("))
            depth++;
        else if (piece_is(piece, ")"))
            depth--;
    }
    return at;
}

// __launch_bounds__(256, 2), __attribute__((…)) and the like stand between __global__ and the kernel's name.
static bool is_attribute(struct piece word)
{
    return word.length > 4 && memcmp(word.at, "__", 2) == 0 &&
           memcmp(word.at + word.length - 2, "__", 2) == 0;
}

// Reads a declaration on from *at, behind `__global__`, to behind the parenthesis that opens its parameters.
static bool read_name(const char **at, struct piece *name)
{
    struct piece before = { PIECE_END, *at, 0 };
    for (;;) {
        struct piece piece = next_code(at);
        if (piece.kind == PIECE_END || piece_is(piece, ";") || piece_is(piece, "{"))
            return false;
        if (piece_is(piece, "(")) {
            *name = before;
            if (before.kind == PIECE_WORD && !is_attribute(before))
                return true;
            *at = skip_group(*at);
        }
        before = piece;
    }
}

bool kernel_next(const char **at, struct piece *name)
{
    for (;;) {
        struct piece piece = next_code(at);
        if (piece.kind == PIECE_END)
            return false;
        if (piece_is(piece, "__global__") && read_name(at, name))
            return true;
    }
}

// Words of a type or of its qualifiers, which are no parameter's name.
static bool is_type_word(struct piece piece)
{
    static const char *const words[] = { "const",
                                         "volatile",
                                         "restrict",
                                         "__restrict",
                                         "__restrict__",
                                         "unsigned",
                                         "signed",
                                         "char",
                                         "short",
                                         "int",
                                         "long",
                                         "float",
                                         "double",
                                         "bool",
                                         "void",
                                         "struct",
                                         "union",
                                         "enum",
                                         "__grid_constant__" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (piece_is(piece, words[i]))
            return true;
    return false;
}

// What the pieces of one parameter have told so far.
struct reading {
    struct kernel_parameter parameter;
    bool qualified;  // a const since the last star: it is about what comes before the next one
    bool typed;      // the type is known, so that a further word is the name
    bool in_default; // behind a '='
    bool any;        // something was read
};

static void read_piece(struct reading *reading, struct piece piece)
{
    struct kernel_parameter *parameter = &reading->parameter;
    reading->any = reading->any || !piece_is(piece, "void");
    if (piece_is(piece, "="))
        reading->in_default = true;
    if (reading->in_default)
        return;
    if (piece_is(piece, "*") || piece_is(piece, "[")) {
        parameter->pointer = reading->typed = true;
        parameter->constant = reading->qualified;
        reading->qualified = false;
    } else if (piece_is(piece, "const")) {
        reading->qualified = true;
    } else if (piece.kind == PIECE_WORD && (*piece.at < '0' || *piece.at > '9')) {
        if (reading->typed && !is_type_word(piece))
            format_into(parameter->name, sizeof parameter->name, "%.*s", (int)piece.length, piece.at);
        bool qualifier = piece_is(piece, "volatile") || piece_is(piece, "struct");
        reading->typed = reading->typed || !qualifier;
    }
}

// From behind the parenthesis that opens the parameters to behind the one that closes them.
static int read_parameters(const char **at, struct kernel_parameter *out, int room)
{
    int count = 0, depth = 0;
    struct reading reading = { 0 };
    for (;;) {
        struct piece piece = next_code(at);
        if (piece.kind == PIECE_END)
            return -1;
        bool closes = depth == 0 && piece_is(piece, ")");
        if (closes && count == 0 && !reading.any)
            return 0;
        if (closes || (depth == 0 && piece_is(piece, ","))) {
            if (count < room)
                out[count] = reading.parameter;
            count++;
            if (closes)
                return count;
            reading = (struct reading){ 0 };
            continue;
        }
        depth += nesting(piece);
        if (depth == 0 || (depth == 1 && piece_is(piece, "[")))
            read_piece(&reading, piece);
    }
}

int signature_next(const char **at, const char *kernel, struct kernel_parameter *out, int room)
{
    struct piece name;
    do {
        if (!kernel_next(at, &name))
            return -1;
    } while (!piece_is(name, kernel));
    return read_parameters(at, out, room);
}

int signature_find(const char *source, const char *kernel, struct kernel_parameter *out, int room)
{
    const char *at = source;
    return signature_next(&at, kernel, out, room);
}
