// Strings that grow, the small questions one asks of strings, and text from outside: what would steer a terminal, turn
// the direction of writing or stay unseen is shown as what it is.
#include "engine/base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(struct text *text, size_t more)
{
    if (text->length + more + 1 <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < text->length + more + 1)
        capacity *= 2;
    char *data = mem_new(capacity);
    if (text->length)
        memcpy(data, text->data, text->length);
    free(text->data);
    text->data = data;
    text->capacity = capacity;
}

void text_add_n(struct text *text, const char *bytes, size_t length)
{
    make_room(text, length);
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = 0;
}

void text_add(struct text *text, const char *string)
{
    text_add_n(text, string, strlen(string));
}

void text_add_xml(struct text *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&#39;"
                                             : NULL;
        text_add_n(out, entity ? entity : text, entity ? strlen(entity) : 1);
    }
}

void text_addv(struct text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return;
    make_room(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    text->length += (size_t)length;
}

void text_addf(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_addv(text, format, args);
    va_end(args);
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){ 0 };
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

char *text_take(struct text *text)
{
    char *data = text->data ? text->data : mem_copy("");
    *text = (struct text){ 0 };
    return data;
}

char *text_format(const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    return text_take(&text);
}

void format_into(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out, size, format, args);
    va_end(args);
}

void format_bytes(double bytes, char *out, size_t size)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
    size_t unit = 0;
    *out = 0;
    if (!isfinite(bytes))
        return;
    while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    bool whole = fabs(bytes - floor(bytes + 0.5)) < 0.005;
    format_into(out, size, whole ? "%.0f %s" : "%.2f %s", bytes, units[unit]);
}

bool string_starts(const char *string, const char *prefix)
{
    return strncmp(string, prefix, strlen(prefix)) == 0;
}

bool string_ends(const char *string, const char *suffix)
{
    size_t length = strlen(string), tail = strlen(suffix);
    return length >= tail && strcmp(string + length - tail, suffix) == 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Edits (insert, delete, replace, swap two neighbours) from a to b; words over 63 bytes are never near.
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][65], columns = strlen(b), length = strlen(a);
    if (length > 63 || columns > 63)
        return 64;
    for (size_t j = 0; j <= columns; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[length % 3][columns];
}

static bool is_ascii(const char *word)
{
    while (*word && (unsigned char)*word < 0x80)
        word++;
    return !*word;
}

const char *string_nearest(const char *word, const char *const *names, size_t count)
{
    // Characters of several bytes are not misspelt byte by byte: two words in Chinese have many bytes in common.
    bool letters = is_ascii(word);
    const char *nearest = NULL;
    size_t third = strlen(word) / 3,
           best = (third ? third : 1) + 1; // a third may be wrong, but always one letter
    for (size_t i = 0; i < count; i++) {
        bool start = *word && string_starts(names[i], word);
        size_t distance = start ? 1 : letters ? edit_distance(word, names[i]) : best;
        // A letter that is missing is likelier than one too many: of two as near, the longer name.
        if (distance < best ||
            (letters && distance == best && nearest && strlen(names[i]) > strlen(nearest))) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

uint64_t hash_more(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *s = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ s[i]) * 0x100000001b3u;
    return hash;
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
    return hash_more(0xcbf29ce484222325u, bytes, length);
}

// ---- UTF-8 ----------------------------------------------------------------------------------------

// Reads the character at the front and returns its length, 0 when it is broken, overlong, a surrogate or too large.
static size_t utf8_read_one(const unsigned char *s, size_t length, uint32_t *out)
{
    static const struct {
        unsigned char mask, lead;
        size_t bytes;
        uint32_t least;
    } forms[] = { { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 }, { 0xf8, 0xf0, 4, 0x10000 } };
    for (size_t f = 0; f < 3; f++) {
        if ((s[0] & forms[f].mask) != forms[f].lead || length < forms[f].bytes)
            continue;
        uint32_t code = s[0] & (unsigned char)~forms[f].mask;
        for (size_t i = 1; i < forms[f].bytes; i++) {
            if ((s[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (s[i] & 0x3f);
        }
        bool fine = code >= forms[f].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        *out = code;
        return fine ? forms[f].bytes : 0;
    }
    return 0;
}

size_t utf8_write(uint32_t code, char out[5])
{
    static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    if (!code || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        code = '?';
    size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    out[bytes] = 0;
    for (size_t i = bytes; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(leads[bytes] | code);
    return bytes;
}

// ---- text from outside ------------------------------------------------------------------------------

// C1 controls, and what Unicode says to draw nothing for: joiners, marks and overrides of direction, fillers, tags.
// The two selectors of how an emoji looks stay.
static bool unseen(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = { { 0x80, 0x9f },       { 0xad, 0xad },       { 0x34f, 0x34f },    { 0x61c, 0x61c },
                   { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },  { 0x200b, 0x200f },
                   { 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },  { 0xfe00, 0xfe0d },
                   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },  { 0xfffe, 0xffff },
                   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff } };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && code >= ranges[i].first; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

static bool plain(unsigned char c)
{
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
}

size_t text_hidden(const char *text, size_t length, char out[HIDDEN_SIZE])
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t code = length ? s[0] : ' ';
    *out = 0;
    if (code < 0x80) {
        if (plain((unsigned char)code))
            return 0;
        if (code != '\r' || (length > 1 && s[1] != '\n'))
            format_into(out, HIDDEN_SIZE, "<U+%04X>", (unsigned)code);
        return 1;
    }
    size_t bytes = utf8_read_one(s, length, &code);
    if (!bytes || !unseen(code))
        return 0;
    format_into(out, HIDDEN_SIZE, "<U+%04X>", (unsigned)code);
    return bytes;
}

void text_add_clean(struct text *out, const char *untrusted, size_t length)
{
    char shown[HIDDEN_SIZE];
    uint32_t code;
    for (size_t i = 0, used; i < length; i += used) {
        for (used = 0; i + used < length && plain((unsigned char)untrusted[i + used]);)
            used++;
        if (used) {
            text_add_n(out, untrusted + i, used);
            continue;
        }
        used = text_hidden(untrusted + i, length - i, shown);
        if (used) {
            text_add(out, shown);
            continue;
        }
        used = utf8_read_one((const unsigned char *)untrusted + i, length - i, &code);
        text_add_n(out, used ? untrusted + i : "?", used ? used : 1);
        used = used ? used : 1;
    }
}

char *text_clean(const char *untrusted)
{
    struct text clean = { 0 };
    text_add_clean(&clean, untrusted, strlen(untrusted));
    return text_take(&clean);
}

void format_clean(char *out, size_t size, const char *untrusted, size_t length)
{
    struct text clean = { 0 };
    text_add_clean(&clean, untrusted, length);
    format_into(out, size, "%s", text_string(&clean));
    text_free(&clean);
}

void text_add_typed(struct text *out, const char *typed, size_t length)
{
    char shown[HIDDEN_SIZE];
    size_t from = 0, used;
    for (size_t i = 0; i < length; i += used ? used : 1) {
        used = text_hidden(typed + i, length - i, shown);
        if (used) {
            text_add_clean(out, typed + from, i - from);
            from = i + used;
        }
    }
    text_add_clean(out, typed + from, length - from);
}
