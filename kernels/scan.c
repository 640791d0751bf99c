// C text read without a compiler: its pieces, the parameters of its kernels, and what is compiled after it: instances of
// templates, checks of layouts, uses of symbols. Never fails: an unclosed comment reaches to the end of the text, an
// unclosed literal to the end of its line.
#include "kernels/variant.h"

#include <string.h>

// ---- pieces -----------------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool byte_in_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t blank_length(const char *at)
{
    return strspn(at, " \t\r\n\v\f");
}

// A ' between two digits or letters of a number separates them: 1'000'000.
static size_t word_length(const char *at)
{
    bool number = is_digit(*at);
    size_t length = 0;
    while (byte_in_word(at[length]) || (number && at[length] == '\'' && byte_in_word(at[length + 1])))
        length++;
    return length;
}

static size_t comment_length(const char *at)
{
    if (at[1] == '/')
        return strcspn(at, "\n");
    const char *end = strstr(at + 2, "*/");
    return end ? (size_t)(end + 2 - at) : strlen(at);
}

static size_t literal_length(const char *at)
{
    size_t length = 1;
    while (at[length] && at[length] != '\n' && at[length] != at[0])
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return at[length] == at[0] ? length + 1 : length;
}

struct code_piece piece_next(const char *at)
{
    if (!*at)
        return (struct code_piece){ PIECE_END, at, 0 };
    size_t blanks = blank_length(at);
    if (blanks)
        return (struct code_piece){ PIECE_BLANK, at, blanks };
    if (byte_in_word(*at))
        return (struct code_piece){ PIECE_WORD, at, word_length(at) };
    if (*at == '/' && (at[1] == '/' || at[1] == '*'))
        return (struct code_piece){ PIECE_COMMENT, at, comment_length(at) };
    if (*at == '"' || *at == '\'')
        return (struct code_piece){ PIECE_LITERAL, at, literal_length(at) };
    return (struct code_piece){ PIECE_SIGN, at, 1 };
}

struct code_piece piece_next_code(const char **at)
{
    for (;;) {
        struct code_piece piece = piece_next(*at);
        *at = piece.at + piece.length;
        if (piece.kind != PIECE_BLANK && piece.kind != PIECE_COMMENT)
            return piece;
    }
}

bool piece_is(struct code_piece piece, const char *word)
{
    return piece.length == strlen(word) && memcmp(piece.at, word, piece.length) == 0;
}

bool piece_same(struct code_piece a, struct code_piece b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

const char *piece_after_group(const char *at, const char *open, const char *close)
{
    for (int depth = 1; depth > 0;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            break;
        depth += piece_is(piece, open) ? 1 : piece_is(piece, close) ? -1 : 0;
    }
    return at;
}

void code_squeeze(const char *at, size_t length, struct text *out)
{
    const char *end = at + length;
    struct code_piece before = { PIECE_END, at, 0 };
    while (at < end) {
        struct code_piece piece = piece_next(at);
        at += piece.length;
        if (piece.kind == PIECE_END)
            break;
        if (piece.kind == PIECE_BLANK || piece.kind == PIECE_COMMENT)
            continue;
        if ((before.kind == PIECE_WORD && piece.kind == PIECE_WORD) || piece_is(before, ","))
            text_add(out, " ");
        text_add_n(out, piece.at, piece.length);
        before = piece;
    }
}

int text_line_of(const char *text, const char *at)
{
    int line = 1;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}

// ---- parameters of kernels --------------------------------------------------------------------------------

// +1 where a bracket opens, -1 where one closes.
static int nesting(struct code_piece piece)
{
    if (piece.kind != PIECE_SIGN)
        return 0;
    return strchr("([{<", *piece.at) ? 1 : strchr(")]}>", *piece.at) ? -1 : 0;
}

// __launch_bounds__(256, 2), __attribute__((…)) and the like come between __global__ and the kernel's name.
static bool is_attribute(struct code_piece word)
{
    return word.length > 4 && memcmp(word.at, "__", 2) == 0 &&
           memcmp(word.at + word.length - 2, "__", 2) == 0;
}

// Reads a declaration from *at, just after `__global__`, to just after the parenthesis that opens its parameters.
static bool read_name(const char **at, struct code_piece *name)
{
    struct code_piece before = { PIECE_END, *at, 0 };
    for (;;) {
        struct code_piece piece = piece_next_code(at);
        if (piece.kind == PIECE_END || piece_is(piece, ";") || piece_is(piece, "{"))
            return false;
        if (piece_is(piece, "(")) {
            *name = before;
            if (before.kind == PIECE_WORD && !is_attribute(before))
                return true;
            *at = piece_after_group(*at, "(", ")");
        }
        before = piece;
    }
}

bool kernel_next(const char **at, struct code_piece *name)
{
    for (;;) {
        struct code_piece piece = piece_next_code(at);
        if (piece.kind == PIECE_END)
            return false;
        if (piece_is(piece, "__global__") && read_name(at, name))
            return true;
    }
}

// Words of a type or of its qualifiers, which are no parameter's name.
static bool is_type_word(struct code_piece piece)
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

// A parameter, as far as its pieces have been read.
struct signature_scan {
    struct kernel_parameter parameter;
    bool qualified;  // a const since the last star: it is about what comes before the next one
    bool typed;      // the type is known, so that a further word is the name
    bool in_default; // after a '='
    bool any;        // something was read
};

static void read_piece(struct signature_scan *reading, struct code_piece piece)
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

// Reads from just after the parenthesis that opens the parameters to just after the one that closes them.
static int read_parameters(const char **at, struct kernel_parameter *out, int room)
{
    int count = 0, depth = 0;
    struct signature_scan reading = { 0 };
    for (;;) {
        struct code_piece piece = piece_next_code(at);
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
            reading = (struct signature_scan){ 0 };
            continue;
        }
        depth += nesting(piece);
        if (depth == 0 || (depth == 1 && piece_is(piece, "[")))
            read_piece(&reading, piece);
    }
}

int signature_next(const char **at, const char *kernel, struct kernel_parameter *out, int room)
{
    struct code_piece name;
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

// ---- instances of templates -------------------------------------------------------------------------------

// Whether the declaration that begins at `at`, just after the word `template`, is of the launch's instance. One that
// names no arguments may be.
static bool is_of(const char *at, const struct launch *launch)
{
    const char *wanted = launch->spelled + strcspn(launch->spelled, "<");
    struct code_piece piece = piece_next_code(&at);
    while (piece.kind != PIECE_END && !piece_is(piece, ";") && !piece_is(piece, launch->kernel))
        piece = piece_next_code(&at);
    if (!piece_is(piece, launch->kernel))
        return false;
    const char *start = at;
    if (!piece_is(piece_next_code(&at), "<"))
        return true;
    struct text own = { 0 };
    code_squeeze(start, strcspn(start, "(;"), &own);
    bool same = strcmp(text_string(&own), wanted) == 0;
    text_free(&own);
    return same;
}

// The text makes the instance itself: template __global__ void k<int>(int *);
static bool makes(const char *text, const struct launch *launch)
{
    for (const char *at = text;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            return false;
        const char *next = at;
        if (piece_is(piece, "template") && !piece_is(piece_next_code(&next), "<") && is_of(at, launch))
            return true;
    }
}

static bool is_repeated(const struct variant *variant, size_t launch)
{
    for (size_t l = 0; l < launch; l++)
        if (strcmp(variant->launches[l].spelled, variant->launches[launch].spelled) == 0)
            return true;
    return false;
}

static bool is_first(const char *path) // of the arrays that it is in
{
    while ((path = strchr(path, '[')))
        if (!string_starts(path++, "[0]"))
            return false;
    return true;
}

// What the compiler refuses if a structure lies in memory in another way than its layout says. Not every compiler of kernels
// has offsetof; the sizes of the numbers in their order, and of the whole, leave no other place for them.
static void add_layout_check(struct text *source, const struct variant *variant,
                             const struct declared *declared)
{
    const struct layout *layout = &declared->layout;
    if (!layout->name)
        return;
    text_addf(source, "\n#line %d\nstatic_assert(sizeof(%s) == %zu && alignof(%s) == %zu",
              text_line_of(variant->text, declared->at), layout->name, layout->bytes, layout->name,
              layout->align);
    for (size_t l = 0; l < layout->leaf_count; l++)
        if (is_first(layout->leaves[l].path))
            text_addf(source, " && sizeof(((%s *)0)->%s) == %zu", layout->name, layout->leaves[l].path + 1,
                      scalar_size(layout->leaves[l].scalar));
    text_addf(source, ", \"%s is laid out in another way than its members say\");\n", layout->name);
}

static void add_layout_checks(struct text *source, const struct variant *variant,
                              const struct declared *declared, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_layout_check(source, variant, &declared[i]);
}

// The host may write a variable that no kernel writes. clang would compute with the initial content of one that only this
// file knows, unless its address is known elsewhere.
static void add_symbol_uses(struct text *source, const struct variant *variant)
{
    text_add(source, variant->symbol_count ? "\n#ifdef __clang__" : "");
    for (size_t s = 0; s < variant->symbol_count; s++)
        text_addf(source,
                  "\n#line %d\n__attribute__((used)) static __device__ const void *const "
                  "warpbook_symbol_%zu = &::%s;",
                  text_line_of(variant->text, variant->symbols[s].at), s, variant->symbols[s].name);
    text_add(source, variant->symbol_count ? "\n#endif\n" : "");
}

// Instances are added last, with a #line that names the launch, so that no message moves.
char *variant_source(const struct variant *variant)
{
    struct text source = { 0 };
    text_add(&source, variant->text);
    add_layout_checks(&source, variant, variant->buffers, variant->buffer_count);
    add_layout_checks(&source, variant, variant->scratch, variant->scratch_count);
    add_layout_checks(&source, variant, variant->symbols, variant->symbol_count);
    add_layout_checks(&source, variant, variant->values, variant->value_count);
    add_symbol_uses(&source, variant);
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        if (!strchr(launch->spelled, '<') || is_repeated(variant, l) || makes(variant->text, launch))
            continue;
        text_addf(&source, "\n#line %d\ntemplate __global__ decltype(%s) %s;\n",
                  text_line_of(variant->text, launch->at), launch->spelled, launch->spelled);
    }
    return text_take(&source);
}
