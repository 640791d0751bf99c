// How roles look, in five palettes on dark and light grounds. Text keeps the terminal's own colours; a ground is only
// set together with its ink. Where there is no colour, weight tells roles apart as far as it can; what matters is said
// by a sign or a word as well.
#include "tui/draw/draw.h"

enum { BOLD = 1, DIM = 2, LINE = 4, TURN = 8 }; // TURN: ink and ground change places

struct tone {
    int32_t rgb;
    int16_t ansi; // of 16
};
struct dress {
    struct tone dark, light; // the ink on a dark and on a light ground; -1: the terminal's own
    uint8_t weight, mono;    // with colours, and without
};
#define OWN                                                                                                  \
    {                                                                                                        \
        -1, -1                                                                                               \
    }
static const struct dress dresses[ROLES] = {
    [ROLE_TEXT] = { OWN, OWN, 0, 0 },
    [ROLE_TITLE] = { OWN, OWN, BOLD, BOLD },
    [ROLE_DIM] = { { 0x9e9e9e, -1 }, { 0x626262, -1 }, 0, DIM },
    [ROLE_GOOD] = { { 0x87d787, 10 }, { 0x1b702b, 2 }, 0, LINE },
    [ROLE_BAD] = { { 0xff8787, 9 }, { 0xb3261e, 1 }, BOLD, BOLD | LINE },
    [ROLE_NOTE] = { { 0xffd75f, 11 }, { 0x805300, 5 }, 0, BOLD },
    [ROLE_CPU] = { { 0x5fd7ff, 14 }, { 0x005f87, 4 }, 0, 0 },
    [ROLE_GPU] = { { 0xd7afff, 13 }, { 0x7b2fb0, 5 }, 0, BOLD },
    [ROLE_SIM] = { { 0xffaf5f, 11 }, { 0x963f00, 6 }, 0, LINE },
    [ROLE_LINK] = { { 0x87afff, 12 }, { 0x0b4fc0, 4 }, LINE, LINE },
    [ROLE_CODE] = { { 0xe4d5a8, -1 }, { 0x644a12, -1 }, 0, BOLD },
    [ROLE_FRAME] = { { 0x808080, -1 }, { 0x808080, -1 }, 0, DIM },
    [ROLE_BAR] = { { 0xeeeeee, -1 }, { 0x121212, -1 }, 0, TURN },
    [ROLE_FIELD] = { { 0xeeeeee, -1 }, { 0x121212, -1 }, 0, LINE },
    [ROLE_ADDED] = { { 0x87d787, 10 }, { 0x1b702b, 2 }, 0, BOLD },
    [ROLE_REMOVED] = { { 0xff8787, 9 }, { 0xb3261e, 1 }, 0, DIM },
    [ROLE_KEYWORD] = { { 0x87afff, 12 }, { 0x0033b3, 4 }, BOLD, BOLD },
    [ROLE_TYPE] = { { 0x5fd7d7, 14 }, { 0x00605f, 6 }, 0, 0 },
    [ROLE_BUILTIN] = { { 0xd7afff, 13 }, { 0x7b2fb0, 5 }, 0, BOLD },
    [ROLE_NUMBER] = { { 0xffaf87, 11 }, { 0x963f00, 1 }, 0, 0 },
    [ROLE_STRING] = { { 0xafd787, 10 }, { 0x3a6000, 2 }, 0, 0 },
    [ROLE_COMMENT] = { { 0x9e9e9e, -1 }, { 0x626262, -1 }, 0, DIM },
    [ROLE_DIRECTIVE] = { { 0xffd75f, 11 }, { 0x805300, 5 }, 0, LINE },
};

// ---- colours of a palette ----------------------------------------------------------------------------

static int part(int32_t rgb, int which)
{
    return (rgb >> (16 - 8 * which)) & 0xff;
}

static int distance(int32_t rgb, const int other[3])
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (part(rgb, i) - other[i]) * (part(rgb, i) - other[i]);
    return sum;
}

// The nearest of xterm's 256: a cube of 6 steps a side, or one of 24 greys.
static int of_256(int32_t rgb)
{
    int side[3], cube[3];
    for (int i = 0; i < 3; i++) {
        int value = part(rgb, i);
        side[i] = value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
        cube[i] = side[i] ? 55 + 40 * side[i] : 0;
    }
    int mean = (part(rgb, 0) + part(rgb, 1) + part(rgb, 2)) / 3;
    int step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
    const int grey[3] = { 8 + 10 * step, 8 + 10 * step, 8 + 10 * step };
    bool greyer = distance(rgb, grey) < distance(rgb, cube);
    return greyer ? 232 + step : 16 + 36 * side[0] + 6 * side[1] + side[2];
}

static int32_t colour(enum palette palette, bool light, struct tone tone)
{
    switch (palette) {
    case PALETTE_TRUE:
        return tone.rgb;
    case PALETTE_256:
        return tone.rgb < 0 ? -1 : of_256(tone.rgb);
    case PALETTE_16:
        return tone.ansi;
    case PALETTE_8: // dark blue on black cannot be read
        return tone.ansi < 0 ? -1 : tone.ansi % 8 == 4 && !light ? 6 : tone.ansi % 8;
    default:
        return -1;
    }
}

// ---- looks -------------------------------------------------------------------------------------------

static struct look dressed(struct look look, int weight)
{
    look.bold = look.bold || (weight & BOLD);
    look.dim = look.dim || (weight & DIM);
    look.underline = look.underline || (weight & LINE);
    look.reverse = look.reverse != ((weight & TURN) != 0);
    return look;
}

// Both in tones, so that the ink can be read on the ground whatever the terminal's own colours are.
static void paint(struct look *look, enum palette palette, struct tone ink, struct tone ground)
{
    look->ink = colour(palette, true, ink);
    look->ground = colour(palette, true, ground);
}

static const struct tone black = { 0x121212, 0 }, white = { 0xeeeeee, 7 };

static void mark_selected(struct look *look, enum palette palette, bool light)
{
    static const struct tone night = { 0x1f4a6f, 0 }, day = { 0xcfe3ff, 7 };
    if (palette < PALETTE_256) { // uniform, whatever the roles in the line are
        look->ink = look->ground = -1;
        look->dim = false;
        *look = dressed(*look, TURN);
        return;
    }
    if (look->ink < 0)
        look->ink = colour(palette, light, light ? black : white);
    look->ground = palette == PALETTE_TRUE ? (light ? day.rgb : night.rgb) : light ? 153 : 18;
    look->bold = true;
}

static void mark_found(struct look *look, enum palette palette, bool light)
{
    static const struct tone dark_yellow = { 0x5f5f00, 3 }, yellow = { 0xffff87, 3 };
    look->underline = true;
    if (palette == PALETTE_MONO)
        *look = dressed(*look, TURN);
    else if (palette < PALETTE_256) {
        look->reverse = false;
        paint(look, palette, black, yellow);
    } else {
        paint(look, palette, light ? black : white, light ? yellow : dark_yellow);
    }
}

static struct look plain(enum palette palette, bool light, enum role role)
{
    static const struct tone bar[2] = { { 0x303030, 0 }, { 0xdadada, 7 } };
    static const struct tone field[2] = { { 0x3a3a3a, 0 }, { 0xe4e4e4, 7 } };
    const struct dress *dress = &dresses[role];
    struct look look = { -1, -1, false, false, false, false, false };
    look.ink = colour(palette, light, light ? dress->light : dress->dark);
    // The first 16 colours are the user's own and have no reliable greys: weight again, where there is no ink.
    bool few = palette < PALETTE_256 && look.ink < 0;
    if (palette >= PALETTE_256 && (role == ROLE_BAR || role == ROLE_FIELD))
        look.ground = colour(palette, light, role == ROLE_BAR ? bar[light] : field[light]);
    return dressed(look, few ? dress->mono : dress->weight);
}

struct look theme_look(enum palette palette, bool light, enum role role, unsigned marks)
{
    struct look look = plain(palette, light, role);
    if (marks & MARK_CHANGED) {
        if (palette != PALETTE_MONO)
            look.ink = colour(palette, light, light ? dresses[ROLE_NOTE].light : dresses[ROLE_NOTE].dark);
        look.dim = false;
        look.bold = palette != PALETTE_MONO || !look.bold;
    }
    if (marks & MARK_SELECTED)
        mark_selected(&look, palette, light);
    if (marks & MARK_FOUND)
        mark_found(&look, palette, light);
    return look;
}
