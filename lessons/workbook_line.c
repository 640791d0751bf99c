// A line of the workbook that is plain enough is known for an event, and where its words stand, without making JSON of
// it: a workbook of years is opened in the time that it takes to look at each byte once.
#include "lessons/workbook.h"

#include <string.h>

enum {
    DEPTH = 6,
    MEMBERS = 64,     // of one object: each key is compared with those before it
    DIGITS = 18,      // of a whole number: it fits 64 bits
    REAL_DIGITS = 25, // behind the point
    POWER_DIGITS = 2, // far from what a double holds
};

struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r'))
        scan->at++;
}

static bool take(struct scan *scan, char c)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

static bool take_word(struct scan *scan, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

// Of printable ASCII alone, and without an escape.
static bool take_string(struct scan *scan, struct span *out)
{
    if (!take(scan, '"'))
        return false;
    out->at = scan->at;
    while (scan->at < scan->end && *scan->at >= ' ' && *scan->at <= '~' && *scan->at != '\\' &&
           *scan->at != '"')
        scan->at++;
    out->length = (size_t)(scan->at - out->at);
    return scan->at < scan->end && *scan->at++ == '"';
}

static size_t take_digits(struct scan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return (size_t)(scan->at - start);
}

static bool take_number(struct scan *scan)
{
    take_word(scan, "-");
    bool zero = scan->at < scan->end && *scan->at == '0';
    size_t digits = take_digits(scan);
    if (!digits || digits > DIGITS || (zero && digits > 1))
        return false;
    if (take_word(scan, ".")) {
        digits = take_digits(scan);
        if (!digits || digits > REAL_DIGITS)
            return false;
    }
    if (take_word(scan, "e") || take_word(scan, "E")) {
        if (!take_word(scan, "-"))
            take_word(scan, "+");
        digits = take_digits(scan);
        if (!digits || digits > POWER_DIGITS)
            return false;
    }
    return true;
}

// What a member of the outermost object may be known for.
struct known {
    struct span string; // its text
    bool is_true;
};

static bool take_value(struct scan *scan, int depth, struct known *known);

static bool take_array(struct scan *scan, int depth)
{
    struct known unused;
    if (take(scan, ']'))
        return true;
    do {
        if (!take_value(scan, depth, &unused))
            return false;
    } while (take(scan, ','));
    return take(scan, ']');
}

unsigned mark_of(const char *key, size_t length)
{
    static const struct {
        const char *key;
        unsigned mark;
    } marks[] = { { "right", EVENT_RIGHT }, { "review", EVENT_REVIEW }, { "asked_solution", EVENT_TOLD } };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strlen(marks[i].key) == length && memcmp(marks[i].key, key, length) == 0)
            return marks[i].mark;
    return 0;
}

static bool same(const struct span *span, const char *word)
{
    return span->length == strlen(word) && memcmp(span->at, word, span->length) == 0;
}

static void take_known(struct entry *out, const struct span *key, const struct known *known)
{
    if (same(key, "kind"))
        out->kind = known->string;
    else if (same(key, "lesson"))
        out->lesson = known->string;
    else if (same(key, "id"))
        out->id = known->string;
    else
        out->marks |= known->is_true ? mark_of(key->at, key->length) : 0;
}

// `out` NULL: an object within another.
static bool take_object(struct scan *scan, int depth, struct entry *out)
{
    struct span keys[MEMBERS];
    size_t count = 0;
    if (take(scan, '}'))
        return true;
    do {
        struct known known;
        struct span *key = &keys[count];
        if (count == MEMBERS || !take_string(scan, key))
            return false;
        for (size_t i = 0; i < count; i++)
            if (keys[i].length == key->length && memcmp(keys[i].at, key->at, key->length) == 0)
                return false;
        if (!take(scan, ':') || !take_value(scan, depth, &known))
            return false;
        if (out)
            take_known(out, key, &known);
        count++;
    } while (take(scan, ','));
    return take(scan, '}');
}

static bool take_value(struct scan *scan, int depth, struct known *known)
{
    *known = (struct known){ { NULL, 0 }, false };
    skip_blanks(scan);
    if (scan->at == scan->end || depth == DEPTH)
        return false;
    switch (*scan->at) {
    case '"':
        return take_string(scan, &known->string);
    case '{':
        scan->at++;
        return take_object(scan, depth + 1, NULL);
    case '[':
        scan->at++;
        return take_array(scan, depth + 1);
    case 't':
        return known->is_true = take_word(scan, "true");
    case 'f':
        return take_word(scan, "false");
    case 'n':
        return take_word(scan, "null");
    default:
        return take_number(scan);
    }
}

bool line_plain(const char *line, size_t length, struct entry *out)
{
    struct scan scan = { line, line + length };
    *out = (struct entry){ 0 };
    if (!take(&scan, '{') || !take_object(&scan, 0, out))
        return false;
    skip_blanks(&scan);
    return scan.at == scan.end;
}
