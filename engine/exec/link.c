// Links PTX: one text of those of several source files, which nvcc -rdc=true leaves unlinked beside the machine code.
// What belongs to one file alone (a static function, a string) gets another name where an earlier file has taken it, of
// functions and variables that are weak (templates, inline functions) the first one stays, and files of source lines are
// numbered on. Declarations stay: whoever reads the text joins them with their definitions.
#include "engine/exec/exec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- the file that lines are of -----------------------------------------------------------------------------------------

// A number after a directive, and the text after it; NULL: there is none.
static const char *number_after(const char *at, long *number)
{
    char *end;
    *number = strtol(at, &end, 10);
    return end == at ? NULL : end + strspn(end, " \t");
}

// The number in the first .loc from there on; 0: there is none.
static long first_loc(const char *at)
{
    long number = 0;
    do
        at = at ? strstr(at + 1, ".loc") : NULL;
    while (at && !number_after(at + strlen(".loc"), &number)); // .local begins like it
    return at ? number : 0;
}

// That of the first line of a kernel, or else of any line.
static long source_number(const char *ptx)
{
    const char *entry = strstr(ptx, ".entry");
    long number = entry ? first_loc(entry) : 0;
    return number ? number : first_loc(ptx);
}

char *ptx_source(const char *ptx)
{
    long wanted = source_number(ptx), number;
    for (const char *at = wanted ? strstr(ptx, ".file") : NULL; at; at = strstr(at, ".file")) {
        at += strlen(".file");
        const char *name = number_after(at, &number);
        if (name && number == wanted && *name == '"')
            return strndup(name + 1, strcspn(name + 1, "\"\n"));
    }
    return NULL;
}

// ---- tokens ----------------------------------------------------------------------------------------------------------

// LINK_DIRECTIVE: ".global".
enum link_token_kind { LINK_END, LINK_WORD, LINK_NUMBER, LINK_DIRECTIVE, LINK_OTHER };
struct link_token {
    enum link_token_kind kind;
    const char *at, *end;
};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static const char *skip_blank(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static const char *string_end(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return at + (*at == '"');
}

static struct link_token token_after(const char *at)
{
    struct link_token t = { LINK_OTHER, skip_blank(at), NULL };
    t.end = t.at + (*t.at != 0);
    if (!*t.at)
        t.kind = LINK_END;
    else if (*t.at == '"')
        t.end = string_end(t.at);
    else if (isdigit((unsigned char)*t.at))
        t.kind = LINK_NUMBER;
    else if (*t.at == '.')
        t.kind = LINK_DIRECTIVE;
    else if (*t.at == '%' || in_word(*t.at))
        t.kind = LINK_WORD;
    while (t.kind != LINK_OTHER && t.kind != LINK_END && in_word(*t.end))
        t.end++;
    return t;
}

static bool is(const struct link_token *t, const char *text)
{
    size_t length = (size_t)(t->end - t->at);
    return strlen(text) == length && memcmp(t->at, text, length) == 0;
}

// After the bracket that closes the one at the token.
static const char *brackets_end(struct link_token t, char open, char close)
{
    int depth = 0;
    do {
        depth += *t.at == open ? 1 : *t.at == close ? -1 : 0;
        t = token_after(t.end);
    } while (t.kind != LINK_END && depth > 0);
    return t.at;
}

// ---- definitions ------------------------------------------------------------------------------------------------------

enum linkage { LINKAGE_LOCAL, LINKAGE_WEAK, LINKAGE_VISIBLE, LINKAGE_EXTERN };
struct definition {
    enum linkage linkage;
    const char *name;
    size_t length;
    const char *begin, *end; // of all of it
    bool drop, rename;
};
struct unit { // the text of one file
    const char *text;
    struct definition *definitions;
    size_t count;
    bool renames; // one of them
};

static bool same_name(const struct definition *a, const struct definition *b)
{
    return a->length == b->length && memcmp(a->name, b->name, a->length) == 0;
}

// The end of a line that stands alone, without ";".
static const char *line_end(const char *at)
{
    return at + strcspn(at, "\n");
}

// The statement of the module that begins with the token. Without a name it is another one than a function or variable.
static struct definition statement_at(struct link_token t)
{
    struct definition d = { LINKAGE_LOCAL, NULL, 0, t.at, NULL, false, false };
    bool defines = false;
    if (is(&t, ".version") || is(&t, ".target") || is(&t, ".address_size") || is(&t, ".file")) {
        d.end = line_end(t.at);
        return d;
    }
    for (; t.kind != LINK_END; t = token_after(t.end)) {
        if (is(&t, ".visible") || is(&t, ".common"))
            d.linkage = LINKAGE_VISIBLE;
        else if (is(&t, ".weak"))
            d.linkage = LINKAGE_WEAK;
        else if (is(&t, ".extern"))
            d.linkage = LINKAGE_EXTERN;
        else if (is(&t, ".func") || is(&t, ".entry") || is(&t, ".global") || is(&t, ".const") ||
                 is(&t, ".shared"))
            defines = true;
        if (*t.at == '(' && !d.name) { // what a function returns, or an attribute
            t.end = brackets_end(t, '(', ')');
        } else if (t.kind == LINK_WORD && defines && !d.name) {
            d.name = t.at;
            d.length = (size_t)(t.end - t.at);
        } else if (*t.at == ';') {
            break;
        } else if (*t.at == '{') {
            // The body of a function or section, or initial values, after which there is a ";".
            t.end = brackets_end(t, '{', '}');
            if (*t.end != ';')
                break;
        }
    }
    d.end = t.end;
    return d;
}

static bool definitions_read(struct unit *unit)
{
    for (struct link_token t = token_after(unit->text); t.kind != LINK_END;) {
        struct definition d = statement_at(t);
        if (!(unit->count & (unit->count - 1))) {
            void *more = realloc(unit->definitions, (unit->count ? unit->count * 2 : 1) * sizeof d);
            if (!more)
                return false;
            unit->definitions = more;
        }
        unit->definitions[unit->count++] = d;
        t = token_after(d.end);
    }
    return true;
}

// Whether an earlier file defines something of this name.
static bool is_taken(const struct unit *units, size_t before, const struct definition *d)
{
    for (size_t u = 0; u < before; u++)
        for (size_t i = 0; i < units[u].count; i++)
            if (units[u].definitions[i].name && units[u].definitions[i].linkage != LINKAGE_EXTERN &&
                same_name(&units[u].definitions[i], d))
                return true;
    return false;
}

static void decide(struct unit *units, size_t unit)
{
    for (size_t i = 0; i < units[unit].count; i++) {
        struct definition *d = &units[unit].definitions[i];
        if (!d->name || d->linkage == LINKAGE_EXTERN || d->linkage == LINKAGE_VISIBLE)
            continue;
        bool taken = is_taken(units, unit, d);
        d->drop = taken && d->linkage == LINKAGE_WEAK;
        d->rename = taken && d->linkage == LINKAGE_LOCAL;
        units[unit].renames |= d->rename;
    }
}

// ---- the linked text --------------------------------------------------------------------------------------------------

struct link_output {
    FILE *out;
    size_t unit;
    long files, most; // numbers of files of the units before; the highest so far
    // The unit's number of a source that counts as its own, and the one that all of these get; 0: none.
    long source, own;
};

static bool is_renamed(const struct unit *unit, const struct link_token *t)
{
    const struct definition word = { .name = t->at, .length = (size_t)(t->end - t->at) };
    for (size_t i = 0; unit->renames && i < unit->count; i++)
        if (unit->definitions[i].rename && same_name(&unit->definitions[i], &word))
            return true;
    return false;
}

// Text from `at` on, up to `end`, with other names and numbers of files.
static void write_statement(struct link_output *to, const struct unit *unit, const char *at, const char *end)
{
    static const char info[] = "$L__info_string"; // of the debug information's labels, alike in each file
    bool file = false;
    for (struct link_token t = token_after(at); t.kind != LINK_END && t.at < end; t = token_after(t.end)) {
        fwrite(at, 1, (size_t)(t.at - at), to->out);
        if (file && t.kind == LINK_NUMBER) {
            long number = strtol(t.at, NULL, 10);
            number = to->source && number == to->source ? to->own : number + to->files;
            to->most = number > to->most ? number : to->most;
            fprintf(to->out, "%ld", number);
        } else {
            fwrite(t.at, 1, (size_t)(t.end - t.at), to->out);
        }
        if (t.kind == LINK_WORD && to->unit &&
            (is_renamed(unit, &t) || strncmp(t.at, info, sizeof info - 1) == 0))
            fprintf(to->out, "$unit%zu", to->unit); // "$1" could be one of nvcc's
        file = is(&t, ".file") || is(&t, ".loc") || is(&t, "inlined_at");
        at = t.end;
    }
    if (at < end)
        fwrite(at, 1, (size_t)(end - at), to->out);
    fputc('\n', to->out);
}

// Whether it says for all files what the first one has said.
static bool is_head(const struct definition *d)
{
    static const char *const heads[] = { ".version", ".target", ".address_size" };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(d->begin, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

// Whether it gives the shared number a name again.
static bool names_source(const struct link_output *to, const struct definition *d)
{
    long number;
    return to->source && strncmp(d->begin, ".file", 5) == 0 && number_after(d->begin + 5, &number) &&
           number == to->source && to->own != number + to->files;
}

static void write_unit(struct link_output *to, const struct unit *unit, bool has_lines)
{
    to->files = to->most;
    to->source = has_lines ? source_number(unit->text) : 0;
    if (!to->own && to->source)
        to->own = to->source + to->files;
    for (size_t i = 0; i < unit->count; i++) {
        const struct definition *d = &unit->definitions[i];
        if (!d->drop && (to->unit == 0 || !is_head(d)) && !names_source(to, d))
            write_statement(to, unit, d->begin, d->end);
    }
}

char *link_ptx(char *const *texts, size_t count, struct linked_source *sources)
{
    char *linked = NULL;
    size_t bytes = 0, counted = 0;
    int line = 1;
    struct unit *units = calloc(count, sizeof *units);
    struct link_output to = { .out = units ? open_memstream(&linked, &bytes) : NULL };
    bool good = to.out != NULL;
    for (size_t u = 0; good && u < count; u++) {
        units[u].text = texts[u];
        good = definitions_read(&units[u]);
        decide(units, u);
    }
    for (to.unit = 0; good && to.unit < count; to.unit++) {
        if (sources)
            sources[to.unit] = (struct linked_source){ ptx_source(texts[to.unit]), line };
        write_unit(&to, &units[to.unit], sources || to.unit == 0);
        good = fflush(to.out) == 0;
        for (; good && counted < bytes; counted++)
            line += linked[counted] == '\n';
    }
    if (to.out && (fclose(to.out) != 0 || !good)) {
        free(linked);
        linked = NULL;
    }
    for (size_t u = 0; units && u < count; u++)
        free(units[u].definitions);
    free(units);
    return linked;
}
