// Strings that grow, and the small questions one asks of strings.
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

const char *string_nearest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t third = strlen(word) / 3, best = (third ? third : 1) + 1; // a third may be wrong, and always one
    for (size_t i = 0; i < count; i++) {
        size_t distance = *word && string_starts(names[i], word) ? 1 : edit_distance(word, names[i]);
        if (distance < best) {
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
