// Text in cells of a terminal: how many it takes, signs that every screen can show, bars, numbers as people read them.
#include "tui/draw/draw.h"

#include <math.h>
#include <string.h>
#include <wchar.h>

// The bytes of what the locale cannot read, which is shown as one '?': a whole character of UTF-8, or a byte.
static size_t unreadable(const char *text, size_t length)
{
    unsigned char lead = (unsigned char)*text;
    size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    for (size_t i = 1; i < bytes; i++)
        if (i >= length || (text[i] & 0xc0) != 0x80)
            return 1;
    return bytes;
}

size_t text_next(const char *text, size_t length, int *cells, char instead[HIDDEN_SIZE])
{
    if (length && *text >= ' ' && *text <= '~') { // the same in every locale, and most of all text
        *instead = 0;
        *cells = 1;
        return 1;
    }
    mbstate_t state = { 0 };
    wchar_t wide;
    size_t used = text_hidden(text, length, instead);
    if (used) {
        *cells = *instead ? (int)strlen(instead) : -1;
        return used;
    }
    *instead = 0;
    used = mbrtowc(&wide, text, length, &state);
    if (used == (size_t)-1 || used == (size_t)-2) {
        memcpy(instead, "?", 2);
        *cells = 1;
        return unreadable(text, length);
    }
    *cells = wcwidth(wide);
    return used ? used : 1;
}

int text_cells_n(const char *text, size_t length)
{
    char instead[HIDDEN_SIZE];
    int total = 0, cells;
    while (length) {
        size_t used = text_next(text, length, &cells, instead);
        total += cells > 0 ? cells : 0;
        text += used;
        length -= used;
    }
    return total;
}

int text_cells(const char *text)
{
    return text_cells_n(text, strlen(text));
}

size_t text_fit_n(const char *text, size_t length, int cells)
{
    char instead[HIDDEN_SIZE];
    size_t at = 0;
    int width;
    while (at < length) {
        size_t used = text_next(text + at, length - at, &width, instead);
        if (width > cells)
            break;
        cells -= width > 0 ? width : 0;
        at += used;
    }
    return at;
}

size_t text_fit(const char *text, int cells)
{
    return text_fit_n(text, strlen(text), cells);
}

// ---- signs ------------------------------------------------------------------------------------------------

bool drawn_flat;

// Each in plain ASCII, in UTF-8 and flat, one cell wide. Flat there is only what the words beside it do not say.
static const char *const glyphs[GLYPHS][3] = {
    [GLYPH_HORIZONTAL] = { "-", "─", " " }, [GLYPH_VERTICAL] = { "|", "│", " " },
    [GLYPH_CROSS] = { "+", "┼", " " },      [GLYPH_ELLIPSIS] = { "~", "…", "." },
    [GLYPH_BULLET] = { "*", "•", "-" },     [GLYPH_RIGHT] = { ">", "›", " " },
    [GLYPH_DONE] = { "+", "✓", " " },       [GLYPH_OPEN] = { "o", "○", " " },
    [GLYPH_HALF] = { "-", "◐", " " },       [GLYPH_WRONG] = { "!", "✗", " " },
    [GLYPH_PART] = { "-", "◐", "h" },       [GLYPH_FULL] = { "#", "█", "1" },
    [GLYPH_EMPTY] = { ".", "·", "0" },      [GLYPH_POINT] = { "*", "●", "x" },
    [GLYPH_AWAY] = { "o", "◌", " " },       [GLYPH_DOT] = { "-", "·", "-" },
    [GLYPH_MORE_UP] = { "^", "▲", " " },    [GLYPH_MORE_DOWN] = { "v", "▼", " " },
    [GLYPH_ABOUT] = { "~", "≈", "about" },
};

const char *glyph(bool utf8, enum glyph which)
{
    return glyphs[which][drawn_flat ? 2 : utf8];
}

// Eighths of a cell where they can be shown; otherwise whole '#'. A share above 0 is never drawn as nothing.
void bar_text(struct text *out, bool utf8, double share, int cells)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    share = share > 0 && !drawn_flat ? share < 1 ? share : 1 : 0;
    int parts = (int)(share * cells * 8 + 0.5);
    int whole = utf8 ? parts / 8 : (parts + 4) / 8;
    if (parts == 0 && share > 0)
        parts = 1;
    for (int i = 0; i < whole; i++)
        text_add(out, utf8 ? "█" : "#");
    if (utf8 && parts % 8)
        text_add(out, eighths[parts % 8]);
    if (!utf8 && whole == 0 && parts)
        text_add(out, ".");
}

// ---- numbers as people read them --------------------------------------------------------------------------

// An unknown number (NAN) is an empty text, never 0.

// Always milliseconds, so that a column compares at a glance; about four digits.
void unit_ms(double ms, char *out, size_t size)
{
    int decimals = ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0;
    *out = 0;
    if (ms > 0 && ms < 0.00005)
        format_into(out, size, "<.0001 ms"); // a time above 0 is never shown as 0
    else if (ms > 0 && ms < 0.01)
        format_into(out, size, "%.4f ms", ms);
    else if (isfinite(ms))
        format_into(out, size, "%.*f ms", decimals, ms);
}

void unit_count(double count, char *out, size_t size)
{
    char digits[40];
    *out = 0;
    if (!isfinite(count))
        return;
    format_into(digits, sizeof digits, "%.0f", count);
    size_t length = strlen(digits), used = 0;
    for (size_t i = 0; i < length && used + 2 < size; i++) {
        if (i && digits[i - 1] != '-' && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
}

void unit_of_slowest(double ms, double slowest, char *out, size_t size)
{
    double percent = 100 * ms / slowest;
    *out = 0;
    if (ms > 0 && slowest > 0 && isfinite(percent))
        format_into(out, size, ms < slowest ? "%.*f %% of the slowest" : "the slowest", percent < 10,
                    percent);
}

double unit_share(double ms)
{
    const double least_ms = 0.01, most_ms = 10000;
    if (!(ms > 0))
        return 0;
    return log(ms / least_ms) / log(most_ms / least_ms);
}
