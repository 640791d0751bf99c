// Hostile kernels made of good ones: what libFuzzer asks for a new input. A change is one of tokens (a type, a width, a
// register, a number), of a vector, of a parameter, of a line (also one of another kernel), of a whole function; now and
// then of plain bytes.
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t most, unsigned seed);

struct kernel_part { // of a kernel
    size_t at, length;
};

static void replace(struct text *kernel, struct kernel_part piece, const char *by, size_t length)
{
    struct text made = { 0 };
    text_add_n(&made, kernel->data, piece.at);
    text_add_n(&made, by, length);
    text_add(&made, "");
    text_add_n(&made, kernel->data + piece.at + piece.length, kernel->length - piece.at - piece.length);
    text_free(kernel);
    *kernel = made;
}

static void replace_text(struct text *kernel, struct kernel_part piece, struct text *by)
{
    replace(kernel, piece, text_string(by), by->length);
    text_free(by);
}

// ---- lines ------------------------------------------------------------------------------------------------------

// The line around a place, with its newline.
static struct kernel_part line_at(const struct text *kernel, size_t at)
{
    size_t start = at, end = at;
    while (start && kernel->data[start - 1] != '\n')
        start--;
    while (end < kernel->length && kernel->data[end] != '\n')
        end++;
    end += end < kernel->length;
    return (struct kernel_part){ start, end - start };
}

static struct kernel_part some_line(struct chance *chance, const struct text *kernel)
{
    return line_at(kernel, chance_below(chance, (uint32_t)kernel->length));
}

// A random line that holds `word`, and of it the line alone; length 0: none does.
static struct kernel_part line_with(struct chance *chance, const struct text *kernel, const char *word)
{
    struct kernel_part found = { 0 };
    uint32_t seen = 0;
    const char *at = kernel->data;
    while ((at = memmem(at, kernel->length - (size_t)(at - kernel->data), word, strlen(word)))) {
        if (!chance_below(chance, ++seen))
            found = line_at(kernel, (size_t)(at - kernel->data));
        at += strlen(word);
    }
    return found;
}

static void change_line(struct chance *chance, struct text *kernel)
{
    struct kernel_part one = some_line(chance, kernel), other = some_line(chance, kernel);
    struct text words = { 0 };
    switch (chance_below(chance, 4)) {
    case 0:
        replace(kernel, one, "", 0);
        return;
    case 1: // once more, elsewhere
        text_add_n(&words, kernel->data + one.at, one.length);
        replace_text(kernel, (struct kernel_part){ other.at, 0 }, &words);
        return;
    case 2:
        if (one.at > other.at) {
            struct kernel_part kept = one;
            one = other;
            other = kept;
        }
        if (one.at == other.at)
            return;
        text_add_n(&words, kernel->data + other.at, other.length); // swapped
        text_add_n(&words, kernel->data + one.at + one.length, other.at - one.at - one.length);
        text_add_n(&words, kernel->data + one.at, one.length);
        replace_text(kernel, (struct kernel_part){ one.at, other.at + other.length - one.at }, &words);
        return;
    default: // a part of the kernel becomes a comment
        if (other.at < one.at)
            return;
        text_add(&words, "/*");
        text_add_n(&words, kernel->data + one.at, other.at - one.at);
        text_add(&words, "*/");
        replace_text(kernel, (struct kernel_part){ one.at, other.at - one.at }, &words);
    }
}

// Registers, symbols and labels that this kernel has, in a line of another one.
static void add_adapted(struct chance *chance, const struct text *kernel, const char *line, size_t length,
                        struct text *out)
{
    for (struct token t = token_next(line, length, 0); t.length;
         t = token_next(line, length, t.at + t.length)) {
        struct token own = { 0 };
        if (t.kind == TOKEN_REGISTER && !memchr(line + t.at, '.', t.length) && chance_below(chance, 8))
            own = token_pick(chance, kernel, TOKEN_REGISTER);
        if (own.length)
            text_add_n(out, kernel->data + own.at, own.length);
        else
            text_add_n(out, line + t.at, t.length);
    }
    text_add(out, "\n");
}

static void add_foreign_line(struct chance *chance, struct text *kernel)
{
    struct text words = { 0 };
    size_t length;
    const char *line = donor_line(chance, &length);
    add_adapted(chance, kernel, line, length, &words);
    replace_text(kernel, (struct kernel_part){ some_line(chance, kernel).at, 0 }, &words);
}

// ---- tokens -----------------------------------------------------------------------------------------------------

static void change_token(struct chance *chance, struct text *kernel)
{
    static const enum token_kind kinds[] = { TOKEN_DOT,    TOKEN_DOT,    TOKEN_REGISTER, TOKEN_REGISTER,
                                             TOKEN_NUMBER, TOKEN_NUMBER, TOKEN_NAME,     TOKEN_SIGN };
    struct token token = token_pick(chance, kernel, kinds[chance_below(chance, 8)]);
    struct kernel_part piece = { token.at, token.length };
    struct text words = { 0 };
    if (!token.length)
        return;
    switch (chance_below(chance, 8)) {
    case 0:
        replace(kernel, piece, "", 0);
        return;
    case 1: // one more before it
        token_instead(chance, kernel, token, &words);
        text_add_n(&words, kernel->data + token.at, token.length);
        break;
    default:
        token_instead(chance, kernel, token, &words);
    }
    replace_text(kernel, piece, &words);
}

// One that was declared by a number, and mostly no predicate: "%r7" and neither "%r" nor "%tid.x".
static struct token some_register(struct chance *chance, const struct text *kernel)
{
    struct token token = { 0 };
    for (int tries = 0; tries < 5; tries++) {
        token = token_pick(chance, kernel, TOKEN_REGISTER);
        const char *at = kernel->data + token.at;
        if (token.length && strchr("0123456789", at[token.length - 1]) &&
            (at[1] != 'p' || !chance_below(chance, 8)))
            break;
    }
    return token;
}

// Two registers, which may differ in width, sinks, and now and then something else in braces.
static void add_vector(struct chance *chance, const struct text *kernel, uint32_t parts, struct text *out)
{
    const struct token two[] = { some_register(chance, kernel), some_register(chance, kernel) };
    text_add(out, "{");
    for (uint32_t i = 0; i < parts; i++) {
        struct token reg = two[chance_below(chance, 2)];
        text_add(out, i ? ", " : "");
        if (!chance_below(chance, 4))
            text_add(out, "_");
        else if (reg.length && chance_below(chance, 40))
            text_add_n(out, kernel->data + reg.at, reg.length);
        else
            number_some(chance, out);
    }
    text_add(out, "}");
}

// A load, a store or a move becomes one of a vector, or its vector another one.
static void change_vector(struct chance *chance, struct text *kernel)
{
    static const char *const words[] = { "ld.", "st.", "mov.b", "{%", "{_", "atom.", "ld.global" };
    struct kernel_part line = line_with(chance, kernel, words[chance_below(chance, 7)]);
    struct text made = { 0 };
    static const uint32_t counts[] = { 2, 2, 2, 4, 4, 4, 8, 3 };
    uint32_t parts = counts[chance_below(chance, 8)];
    if (!line.length)
        return;
    bool wide = false, put = false;
    for (struct token t = token_next(kernel->data, line.at + line.length, line.at); t.length;
         t = token_next(kernel->data, line.at + line.length, t.at + t.length)) {
        const char *at = kernel->data + t.at;
        bool width = t.kind == TOKEN_DOT && at[1] == 'v' && t.length == 3;
        bool type =
            t.kind == TOKEN_DOT && strchr("usbf", at[1]) && t.length > 2 && at[2] >= '0' && at[2] <= '9';
        if (width || (type && !wide)) {
            text_addf(&made, ".v%u", parts);
            wide = true;
        }
        if (width)
            continue;
        const char *brace = *at == '{' ? memchr(at, '}', line.at + line.length - t.at) : NULL;
        bool target = !put && wide && (brace || t.kind == TOKEN_REGISTER) &&
                      (chance_below(chance, 4) || made.data[made.length - 1] != '[');
        if (target) {
            add_vector(chance, kernel, parts, &made);
            put = true;
            t.length = brace ? (size_t)(brace - at) + 1 : t.length;
        } else if (type && !chance_below(chance, 6)) {
            text_add(&made, type_some(chance));
        } else {
            text_add_n(&made, at, t.length);
        }
    }
    replace_text(kernel, line, &made);
}

// ---- parameters and functions -------------------------------------------------------------------------------------

static void add_parameter(struct chance *chance, const char *name, struct text *out)
{
    text_add(out, "\t.param ");
    if (!chance_below(chance, 3))
        text_addf(out, ".align %u ", 1u << chance_below(chance, 8));
    if (!chance_below(chance, 8))
        text_addf(out, ".v%u ", 2u << chance_below(chance, 2));
    text_addf(out, "%s ", type_some(chance));
    text_add(out, name);
    if (!chance_below(chance, 2)) {
        text_add(out, "[");
        number_some(chance, out);
        text_add(out, "]");
    }
}

// A parameter gets another type or size, or one more comes before it.
static void change_parameter(struct chance *chance, struct text *kernel)
{
    struct kernel_part line = line_with(chance, kernel, ".param");
    struct text made = { 0 };
    char name[64] = "p";
    if (!line.length)
        return;
    for (struct token t = token_next(kernel->data, line.at + line.length, line.at); t.length;
         t = token_next(kernel->data, line.at + line.length, t.at + t.length))
        if (t.kind == TOKEN_NAME)
            format_into(name, sizeof name, "%.*s", (int)t.length, kernel->data + t.at);
    if (!chance_below(chance, 3)) {
        add_parameter(chance, "more", &made);
        text_add(&made, ",\n");
        line.length = 0;
    } else {
        bool last = !memchr(kernel->data + line.at, ',', line.length);
        add_parameter(chance, name, &made);
        text_add(&made, last ? "\n" : ",\n");
    }
    replace_text(kernel, line, &made);
}

// From ".visible .entry" or ".func" to the brace that closes it.
static struct kernel_part some_function(struct chance *chance, const struct text *kernel)
{
    struct kernel_part line = line_with(chance, kernel, chance_below(chance, 4) ? ".entry" : ".func");
    if (!line.length)
        return line;
    int depth = 0;
    for (size_t i = line.at; i < kernel->length; i++) {
        depth += (kernel->data[i] == '{') - (kernel->data[i] == '}');
        if (kernel->data[i] == '}' && depth <= 0)
            return (struct kernel_part){ line.at, i + 1 - line.at };
    }
    return (struct kernel_part){ line.at, kernel->length - line.at };
}

// The same function once more, with parameters or a name of its own: as C++ would call it, or just another.
static void add_function(struct chance *chance, struct text *kernel)
{
    struct kernel_part function = some_function(chance, kernel);
    if (!function.length)
        return;
    struct text copy = { 0 }, name = { 0 };
    text_add_n(&copy, kernel->data + function.at, function.length);
    char *word = strstr(copy.data, ".entry");
    if (word) {
        word += strlen(".entry");
        word += strspn(word, " \t\n");
        size_t length = strcspn(word, " \t\n(");
        static const char *const ends[] = { "Pf", "ix", "IiEvT_", "v", "PfPf" };
        if (chance_below(chance, 2))
            text_addf(&name, "_Z%zu%.*s%s", length, (int)length, word, ends[chance_below(chance, 5)]);
        else
            text_addf(&name, "%.*s%s", (int)length, word, chance_below(chance, 2) ? "" : "_2");
        replace_text(&copy, (struct kernel_part){ (size_t)(word - copy.data), length }, &name);
    }
    for (uint32_t i = chance_below(chance, 3); i; i--)
        change_parameter(chance, &copy);
    text_add(&copy, "\n");
    if (chance_below(chance, 2))
        function.at += function.length;
    function.length = 0;
    replace_text(kernel, function, &copy);
}

// An argument of a launch more or less, or a line for it.
static void change_launch(struct chance *chance, struct text *kernel)
{
    static const char *const more[] = { ", 1", ", n", ", 7", ", out", ", 1.5", ", a" };
    struct kernel_part line = line_with(chance, kernel, "//@ launch");
    if (!line.length)
        return;
    char *close = memrchr(kernel->data + line.at, ')', line.length);
    char *comma = memrchr(kernel->data + line.at, ',', line.length);
    if (close && chance_below(chance, 2)) {
        const char *words = more[chance_below(chance, 6)];
        replace(kernel, (struct kernel_part){ (size_t)(close - kernel->data), 0 }, words, strlen(words));
    } else if (close && comma && comma < close) {
        replace(kernel, (struct kernel_part){ (size_t)(comma - kernel->data), (size_t)(close - comma) }, "",
                0);
    }
}

// How it is run: setup.c.
static void change_setup(struct chance *chance, struct text *kernel)
{
    struct text made = { 0 };
    struct kernel_part line = { 0 };
    if (string_starts(kernel->data, "//:"))
        line = line_at(kernel, 0);
    text_addf(&made, "//: %u %u %u\n", chance_below(chance, 3), chance_below(chance, 2),
              chance_below(chance, 3));
    replace_text(kernel, line, &made);
}

// ---- what libFuzzer calls -------------------------------------------------------------------------------------------

static void change(struct chance *chance, struct text *kernel)
{
    static void (*const changes[])(struct chance *, struct text *) = {
        change_token,     change_token,     change_token,  change_token,  change_token,  change_line,
        change_line,      add_foreign_line, change_vector, change_vector, change_vector, change_parameter,
        change_parameter, add_function,     change_launch, change_setup
    };
    if (kernel->length)
        changes[chance_below(chance, sizeof changes / sizeof *changes)](chance, kernel);
}

// A change may take everything away; libFuzzer wants at least a byte.
static size_t give(struct text *kernel, uint8_t *out, size_t most)
{
    size_t length = kernel->length < most ? kernel->length : most;
    if (length)
        memcpy(out, kernel->data, length);
    else
        out[length++] = '\n';
    text_free(kernel);
    return length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct chance chance = { seed };
    struct text kernel = { 0 };
    if (!size || !chance_below(&chance, 10))
        return LLVMFuzzerMutate(data, size, most);
    text_add_n(&kernel, (const char *)data, size);
    for (uint32_t i = 1 + chance_below(&chance, 1 + chance_below(&chance, 5)); i; i--)
        change(&chance, &kernel);
    return give(&kernel, data, most);
}

// Some lines of the other kernel into the one.
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
    struct chance chance = { seed };
    struct text kernel = { 0 }, from = { 0 }, lines = { 0 };
    text_add_n(&kernel, (const char *)one, one_size);
    text_add_n(&from, (const char *)other, other_size);
    if (one_size && other_size) {
        struct kernel_part line = some_line(&chance, &from);
        if (!chance_below(&chance, 4))
            line = some_function(&chance, &from);
        for (uint32_t i = chance_below(&chance, 6); i && line.at + line.length < from.length; i--)
            line.length += line_at(&from, line.at + line.length).length;
        line.length = line.length < from.length - line.at ? line.length : from.length - line.at;
        text_add_n(&lines, from.data + line.at, line.length);
        replace_text(&kernel, (struct kernel_part){ some_line(&chance, &kernel).at, 0 }, &lines);
    }
    text_free(&from);
    return give(&kernel, out, most);
}
