// How many cells a text takes on a terminal.
#include "tui/draw/draw.h"

#include <string.h>
#include <wchar.h>

size_t text_unread(const char *text, size_t length)
{
    unsigned char lead = (unsigned char)*text;
    size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    for (size_t i = 1; i < bytes; i++)
        if (i >= length || (text[i] & 0xc0) != 0x80)
            return 1;
    return bytes;
}

// The next character: its bytes, and its cells as canvas and paper put it. What cannot be read counts one cell.
static size_t next(const char *text, size_t length, int *cells)
{
    char shown[HIDDEN_SIZE];
    size_t hidden = text_hidden(text, length, shown);
    if (hidden) {
        *cells = (int)strlen(shown);
        return hidden;
    }
    mbstate_t state = { 0 };
    wchar_t wide;
    size_t used = mbrtowc(&wide, text, length, &state);
    if (used == (size_t)-1 || used == (size_t)-2) {
        *cells = 1;
        return text_unread(text, length);
    }
    int width = wcwidth(wide);
    *cells = width > 0 ? width : 0;
    return used ? used : 1;
}

int text_cells_n(const char *text, size_t length)
{
    int total = 0, cells;
    while (length) {
        size_t used = next(text, length, &cells);
        total += cells;
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
    size_t at = 0;
    int width;
    while (at < length) {
        size_t used = next(text + at, length - at, &width);
        if (width > cells)
            break;
        cells -= width;
        at += used;
    }
    return at;
}

size_t text_fit(const char *text, int cells)
{
    return text_fit_n(text, strlen(text), cells);
}
