// Text from outside, and the UTF-8 it is made of: what would steer a terminal, turn the direction of writing or stand
// there unseen is shown as what it is.
#include "engine/base/base.h"

#include <string.h>

// ---- UTF-8 ----------------------------------------------------------------------------------------

// The character at the front and its bytes, 0 when it is broken, overlong, a surrogate or too large.
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

// ---- what is not put as it is -----------------------------------------------------------------------

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
