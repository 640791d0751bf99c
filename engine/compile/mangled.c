// Demangles a kernel's name in PTX: the part of the C++ ABI's mangling that kernels need. Namespaces, templates
// with types and whole numbers, builtin types, pointers, arrays, functions, substitutions. What lambdas, members,
// packs and expressions add to that is not read, and then nothing is said but the name, if that could be read.
#include "engine/compile/compile.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSTITUTIONS = 64, ARGUMENTS = 32, DEEPEST = 40, LONGEST = 1000, PIECES = 2000 };

struct spelled { // a type around a declared name: int (*NAME)[4]
    const char *left, *right;
};
struct mangled_list {
    struct spelled items[ARGUMENTS];
    size_t count;
};
struct mangled_reader {
    const char *at;
    bool bad;
    int depth;
    struct spelled substitutions[SUBSTITUTIONS];
    size_t substitution_count;
    struct mangled_list arguments; // of the kernel's template
    char *pieces[PIECES];          // every text that was put together
    size_t piece_count;
};

static struct spelled read_type(struct mangled_reader *r);

// ---- texts -----------------------------------------------------------------------------------------

static const char *fail(struct mangled_reader *r)
{
    r->bad = true;
    return "";
}

static const char *put(struct mangled_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *put(struct mangled_reader *r, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    if (r->piece_count == PIECES || text.length > LONGEST) {
        text_free(&text);
        return fail(r);
    }
    char *piece = mem_copy(text_string(&text));
    text_free(&text);
    return r->pieces[r->piece_count++] = piece;
}

static struct spelled plain(const char *name)
{
    return (struct spelled){ name, "" };
}

static struct spelled bad_type(struct mangled_reader *r)
{
    return plain(fail(r));
}

// Adds a substitution, which S_, S0_, S1_, … name again.
static struct spelled note(struct mangled_reader *r, struct spelled type)
{
    if (r->substitution_count == SUBSTITUTIONS)
        return bad_type(r);
    return r->substitutions[r->substitution_count++] = type;
}

static bool take(struct mangled_reader *r, char letter)
{
    bool there = *r->at == letter;
    r->at += there;
    return there;
}

// ---- names ---------------------------------------------------------------------------------------------

static const char *read_word(struct mangled_reader *r)
{
    size_t length = 0;
    (void)take(r, 'L'); // of a static function
    for (; isdigit((unsigned char)*r->at) && length < LONGEST; r->at++)
        length = 10 * length + (size_t)(*r->at - '0');
    if (!length || length > LONGEST || strnlen(r->at, length) < length)
        return fail(r);
    const char *word = put(r, "%.*s", (int)length, r->at);
    r->at += length;
    return string_starts(word, "_GLOBAL__N_") ? "(anonymous namespace)" : word;
}

// Reads the number of a substitution: _ is 0, 0_ is 1, …, in base 36.
static size_t read_index(struct mangled_reader *r, unsigned base)
{
    size_t index = 0;
    if (take(r, '_'))
        return 0;
    for (; isdigit((unsigned char)*r->at) || (base == 36 && isupper((unsigned char)*r->at)); r->at++) {
        index = base * index + (size_t)(*r->at <= '9' ? *r->at - '0' : *r->at - 'A' + 10);
        if (index > SUBSTITUTIONS)
            break;
    }
    if (!take(r, '_'))
        fail(r);
    return index + 1;
}

static struct spelled read_substitution(struct mangled_reader *r)
{
    size_t index = read_index(r, 36);
    return index < r->substitution_count ? r->substitutions[index] : bad_type(r);
}

static struct spelled read_parameter(struct mangled_reader *r)
{
    size_t index = read_index(r, 10);
    return index < r->arguments.count ? note(r, r->arguments.items[index]) : bad_type(r);
}

// Reads an argument that is a number, such as Li4E, from its type on.
static struct spelled read_literal(struct mangled_reader *r)
{
    static const struct {
        char type;
        const char *suffix;
    } suffixes[] = { { 'i', "" }, { 'j', "u" }, { 'l', "l" }, { 'm', "ul" }, { 'x', "ll" }, { 'y', "ull" } };
    char type = *r->at;
    const char *suffix = NULL, *cast = "";
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (suffixes[i].type == type)
            suffix = suffixes[i].suffix;
    struct spelled of = read_type(r);
    const char *sign = take(r, 'n') ? "-" : "";
    int length = (int)strspn(r->at, "0123456789");
    const char *digits = r->at;
    r->at += length;
    if (!length || !take(r, 'E'))
        return bad_type(r);
    if (type == 'b')
        return plain(*digits == '0' ? "false" : "true");
    if (!suffix)
        cast = put(r, "(%s%s)", of.left, of.right);
    return plain(put(r, "%s%s%.*s%s", cast, sign, length, digits, suffix ? suffix : ""));
}

// Reads the arguments of a template, from their I on; returns "<int, 4>".
static const char *read_arguments(struct mangled_reader *r, struct mangled_list *list)
{
    const char *all = "";
    list->count = 0;
    if (!take(r, 'I'))
        return fail(r);
    while (!r->bad && !take(r, 'E')) {
        struct spelled item = take(r, 'L') ? read_literal(r) : read_type(r);
        if (list->count == ARGUMENTS)
            return fail(r);
        list->items[list->count++] = item;
        all = put(r, "%s%s%s%s", all, *all ? ", " : "", item.left, item.right);
    }
    return put(r, "<%s>", all);
}

static struct spelled with_arguments(struct mangled_reader *r, struct spelled name)
{
    struct mangled_list list;
    return *r->at == 'I' ? note(r, plain(put(r, "%s%s", name.left, read_arguments(r, &list)))) : name;
}

// Reads a nested name, after its N. Every part but a function's last one may be named again. `arguments` gets those of
// the function's template; NULL: the name is a type's.
static const char *read_nested(struct mangled_reader *r, const char **arguments)
{
    const char *name = "";
    while (!r->bad && !take(r, 'E')) {
        struct mangled_list list = { 0 };
        bool is_new = true;
        if (*r->at == 'S' && r->at[1] == 't') {
            r->at += 2;
            name = "std";
            is_new = false;
        } else if (take(r, 'S')) {
            name = read_substitution(r).left;
            is_new = false;
        } else if (take(r, 'T')) {
            name = read_parameter(r).left;
            is_new = false;
        } else if (*r->at == 'I') {
            const char *own = read_arguments(r, &list);
            if (r->bad)
                return name; // which is whole
            if (arguments && *r->at == 'E') {
                *arguments = own;
                r->arguments = list;
                continue;
            }
            name = put(r, "%s%s", name, own);
        } else {
            name = put(r, "%s%s%s", name, *name ? "::" : "", read_word(r));
        }
        if (is_new && !(arguments && *r->at == 'E'))
            note(r, plain(name));
    }
    return r->bad ? "" : name;
}

// ---- types -----------------------------------------------------------------------------------------------

static const char *builtin(char letter)
{
    static const char *const names[26] = {
        ['v' - 'a'] = "void",
        ['b' - 'a'] = "bool",
        ['c' - 'a'] = "char",
        ['a' - 'a'] = "signed char",
        ['h' - 'a'] = "unsigned char",
        ['s' - 'a'] = "short",
        ['t' - 'a'] = "unsigned short",
        ['i' - 'a'] = "int",
        ['j' - 'a'] = "unsigned int",
        ['l' - 'a'] = "long",
        ['m' - 'a'] = "unsigned long",
        ['x' - 'a'] = "long long",
        ['y' - 'a'] = "unsigned long long",
        ['f' - 'a'] = "float",
        ['d' - 'a'] = "double",
        ['w' - 'a'] = "wchar_t",
        ['n' - 'a'] = "__int128",
        ['o' - 'a'] = "unsigned __int128",
    };
    return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

static struct spelled point(struct mangled_reader *r, struct spelled to, const char *sign)
{
    if (*to.right == '[' || *to.right == '(')
        return (struct spelled){ put(r, "%s (%s", to.left, sign), put(r, ")%s", to.right) };
    return (struct spelled){ put(r, "%s%s", to.left, sign), to.right };
}

// Reads a type with its qualifiers K (const), V (volatile) or both.
static struct spelled read_qualified(struct mangled_reader *r)
{
    bool is_volatile = take(r, 'V'), is_const = take(r, 'K');
    struct spelled of = read_type(r);
    const char *words = is_const && is_volatile ? "const volatile" : is_const ? "const" : "volatile";
    size_t length = strlen(of.left);
    bool after = length && strchr("*&", of.left[length - 1]);
    of.left = after ? put(r, "%s %s", of.left, words) : put(r, "%s %s", words, of.left);
    return note(r, of);
}

// Reads an array type, after its A: 4_i.
static struct spelled read_array(struct mangled_reader *r)
{
    int length = (int)strspn(r->at, "0123456789");
    const char *count = put(r, "[%.*s]", length, r->at);
    r->at += length;
    if (!take(r, '_'))
        return bad_type(r);
    struct spelled of = read_type(r);
    of.right = put(r, "%s%s", count, of.right);
    return note(r, of);
}

// Reads a function type, after its F: the result, then the parameters, up to an E.
static struct spelled read_function(struct mangled_reader *r)
{
    struct spelled result = read_type(r);
    const char *all = "";
    while (!r->bad && !take(r, 'E')) {
        struct spelled one = read_type(r);
        bool none = strcmp(one.left, "void") == 0 && !*all;
        all = none ? "" : put(r, "%s%s%s%s", all, *all ? ", " : "", one.left, one.right);
    }
    return note(r, (struct spelled){ result.left, put(r, "(%s)%s", all, result.right) });
}

static struct spelled read_compound(struct mangled_reader *r)
{
    if (take(r, 'P'))
        return note(r, point(r, read_type(r), "*"));
    if (take(r, 'R'))
        return note(r, point(r, read_type(r), "&"));
    if (take(r, 'A'))
        return read_array(r);
    if (take(r, 'F'))
        return read_function(r);
    if (take(r, 'N'))
        return plain(read_nested(r, NULL));
    if (take(r, 'T'))
        return with_arguments(r, read_parameter(r));
    if (string_starts(r->at, "St")) {
        r->at += 2;
        return with_arguments(r, note(r, plain(put(r, "std::%s", read_word(r)))));
    }
    if (take(r, 'S'))
        return with_arguments(r, read_substitution(r));
    return with_arguments(r, note(r, plain(read_word(r))));
}

static struct spelled read_type(struct mangled_reader *r)
{
    const char *name = builtin(*r->at);
    struct spelled type;
    if (r->bad || ++r->depth > DEEPEST)
        return bad_type(r);
    if (name)
        r->at++;
    type = name ? plain(name) : *r->at == 'K' || *r->at == 'V' ? read_qualified(r) : read_compound(r);
    r->depth--;
    return type;
}

// ---- kernels -----------------------------------------------------------------------------------------------

static void read_parameters(struct mangled_reader *r, struct mangled *out)
{
    if (strcmp(r->at, "v") == 0)
        r->at++;
    while (!r->bad && *r->at) {
        struct spelled type = read_type(r);
        out->parameters = array_room(out->parameters, out->parameter_count, sizeof *out->parameters);
        struct text text = { 0 };
        text_addf(&text, "%s%s", type.left, type.right);
        out->parameters[out->parameter_count++] = text_take(&text);
    }
}

// Reads the name and the parameters of a function, after the _Z.
static void read_encoding(struct mangled_reader *r, struct mangled *out)
{
    const char *arguments = "", *name;
    if (take(r, 'N')) {
        name = read_nested(r, &arguments);
    } else {
        name = read_word(r);
        if (*r->at == 'I' && !r->bad) {
            note(r, plain(name));
            out->name = mem_copy(name);
            arguments = read_arguments(r, &r->arguments);
        }
    }
    if (!out->name && *name)
        out->name = mem_copy(name);
    if (*arguments)
        read_type(r); // a template's name has its result
    read_parameters(r, out);
    out->arguments = mem_copy(arguments);
    out->known = !r->bad && *name;
}

void mangled_read(const char *entry, struct mangled *out)
{
    *out = (struct mangled){ 0 };
    if (!string_starts(entry, "_Z")) {
        out->name = mem_copy(entry);
        out->arguments = mem_copy("");
        return;
    }
    struct mangled_reader *r = mem_new(sizeof *r);
    r->at = entry + 2;
    read_encoding(r, out);
    for (size_t i = 0; i < r->piece_count; i++)
        free(r->pieces[i]);
    free(r);
}

void mangled_free(struct mangled *mangled)
{
    for (size_t i = 0; i < mangled->parameter_count; i++)
        free(mangled->parameters[i]);
    free(mangled->parameters);
    free(mangled->name);
    free(mangled->arguments);
    *mangled = (struct mangled){ 0 };
}

void mangled_write(const char *entry, struct text *out)
{
    struct mangled m;
    mangled_read(entry, &m);
    if (m.known) {
        text_addf(out, "%s%s(", m.name, m.arguments);
        for (size_t i = 0; i < m.parameter_count; i++)
            text_addf(out, "%s%s", i ? ", " : "", m.parameters[i]);
        text_add(out, ")");
    } else {
        text_add(out, entry);
    }
    mangled_free(&m);
}
