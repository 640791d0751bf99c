// Signs that every screen can show: each in UTF-8 and in plain ASCII, one cell wide.
#include "tui/draw/draw.h"

static const char *const glyphs[GLYPHS][2] = {
    [GLYPH_HORIZONTAL] = { "-", "─" }, [GLYPH_VERTICAL] = { "|", "│" }, [GLYPH_CROSS] = { "+", "┼" },
    [GLYPH_ELLIPSIS] = { "~", "…" },   [GLYPH_BULLET] = { "*", "•" },   [GLYPH_RIGHT] = { ">", "›" },
    [GLYPH_DONE] = { "+", "✓" },       [GLYPH_OPEN] = { "o", "○" },     [GLYPH_HALF] = { "-", "◐" },
    [GLYPH_WRONG] = { "!", "✗" },      [GLYPH_FULL] = { "#", "█" },     [GLYPH_EMPTY] = { ".", "·" },
    [GLYPH_POINT] = { "*", "●" },      [GLYPH_DOT] = { "-", "·" },      [GLYPH_MORE_UP] = { "^", "▲" },
    [GLYPH_MORE_DOWN] = { "v", "▼" },
};

const char *glyph(bool utf8, enum glyph which)
{
    return glyphs[which][utf8];
}

// Eighths of a cell where they can be shown; otherwise whole '#'. Something is never drawn as nothing.
void bar_text(struct text *out, bool utf8, double share, int cells)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    share = share > 0 ? share < 1 ? share : 1 : 0;
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
