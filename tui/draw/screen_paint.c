// A canvas onto the screen: every cell is handed to curses, which sends those that changed. Roles become weights and
// pairs of colours when they are first met.
#include "tui/draw/draw.h"
#include "tui/draw/screen.h"

#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

// ---- palettes ---------------------------------------------------------------------------------------------

// Five palettes on dark and light grounds. Text keeps the terminal's own colours; a ground is only
// set together with its ink. Where there is no colour, weight tells roles apart as far as it can; what matters is said
// by a sign or a word as well.
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
    [ROLE_NOTE] = { { 0xffd75f, 11 }, { 0x665c00, 5 }, 0, BOLD },
    [ROLE_CPU] = { { 0x5fd7ff, 14 }, { 0x005f87, 4 }, 0, 0 },
    [ROLE_GPU] = { { 0xd7afff, 13 }, { 0x7b2fb0, 5 }, 0, BOLD },
    [ROLE_SIM] = { { 0xffaf5f, 3 }, { 0x963f00, 6 }, 0, LINE },
    [ROLE_LINK] = { { 0x87afff, 12 }, { 0x0b4fc0, 4 }, LINE, LINE },
    [ROLE_CODE] = { { 0xe4d5a8, -1 }, { 0x50507a, -1 }, 0, BOLD },
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
    [ROLE_DIRECTIVE] = { { 0x87afaf, 6 }, { 0x2f5f5f, 6 }, 0, LINE },
};

// ---- colours of a palette ---------------------------------------------------------------------------------

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

// ---- looks ------------------------------------------------------------------------------------------------

static struct look dressed(struct look look, int weight)
{
    look.bold = look.bold || (weight & BOLD);
    look.dim = look.dim || (weight & DIM);
    look.underline = look.underline || (weight & LINE);
    look.reverse = look.reverse != ((weight & TURN) != 0);
    return look;
}

// Sets ink and ground together, so that the ink can be read whatever the terminal's own colours are.
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
    if (marks & MARK_CHANGED) { // by weight: every colour has its meaning
        look.dim = false;
        look.underline = look.underline || (palette != PALETTE_MONO && look.bold);
        look.bold = palette != PALETTE_MONO || !look.bold;
    }
    if (marks & MARK_SELECTED)
        mark_selected(&look, palette, light);
    if (marks & MARK_FOUND)
        mark_found(&look, palette, light);
    return look;
}

// ---- pairs of colours, as curses counts them --------------------------------------------------------------

// Where the terminal has no default colours, black and white take the place of its own.
static int32_t own_colour(const struct screen *screen, int32_t colour, bool ink)
{
    if (colour >= 0 || screen->grounded)
        return colour;
    return ink == screen->light ? COLOR_BLACK : COLOR_WHITE;
}

// The pair for this ink and ground; 0, the terminal's own, when there are no more pairs.
static short pair_of(struct screen *screen, int32_t ink, int32_t ground)
{
    if (screen->palette == PALETTE_MONO || (ink < 0 && ground < 0))
        return 0;
    struct color_pair want = { own_colour(screen, ink, true), own_colour(screen, ground, false) };
    for (size_t i = 0; i < screen->pair_count; i++)
        if (screen->pairs[i].ink == want.ink && screen->pairs[i].ground == want.ground)
            return (short)(i + 1);
    int pair = (int)screen->pair_count + 1;
    if (pair >= COLOR_PAIRS || pair > 32000 || init_extended_pair(pair, want.ink, want.ground) == ERR)
        return 0;
    screen->pairs = array_room(screen->pairs, screen->pair_count, sizeof *screen->pairs);
    screen->pairs[screen->pair_count++] = want;
    return (short)pair;
}

static const struct style *style_of(struct screen *screen, uint8_t role, uint8_t marks)
{
    struct style *style = &screen->styles[role < ROLES ? role : ROLE_TEXT][marks % MARKS];
    if (style->known)
        return style;
    struct look look =
        theme_look(screen->palette, screen->light, role < ROLES ? role : ROLE_TEXT, marks % MARKS);
    style->known = true;
    style->pair = pair_of(screen, look.ink, look.ground);
    style->weight = (look.bold ? A_BOLD : 0) | (look.dim ? A_DIM : 0) | (look.underline ? A_UNDERLINE : 0) |
                    (look.reverse ? A_REVERSE : 0) | (look.italic ? A_ITALIC : 0);
    return style;
}

// ---- cells ------------------------------------------------------------------------------------------------

// Curses takes a character and those that combine with it for one cell.
enum { PIECES = CCHARW_MAX };
static int decode(const struct screen *screen, const char *text, wchar_t out[PIECES + 1])
{
    int count = 0;
    size_t left = strnlen(text, sizeof((struct cell *)NULL)->text);
    mbstate_t state = { 0 };
    while (left && count < PIECES) {
        size_t used = mbrtowc(&out[count], text, left, &state);
        bool known = used && used <= left && (screen->speaks_utf8 || !(*text & 0x80));
        int cells = known ? wcwidth(out[count]) : -1;
        if (count ? cells != 0 : cells <= 0)
            break;
        count++;
        text += used;
        left -= used;
    }
    if (!count)
        out[count++] = L'?';
    out[count] = 0;
    return wcwidth(out[0]);
}

static int cells_of(const struct screen *screen, const struct cell *cell)
{
    wchar_t text[PIECES + 1];
    unsigned char first = (unsigned char)cell->text[0];
    return first < 0x80 ? first != 0 : decode(screen, cell->text, text);
}

// The cell as it can be shown: both halves of a wide character or none, and nothing outside of the canvas.
static struct cell resolve(const struct screen *screen, const struct canvas *canvas, int row, int col)
{
    static const struct cell outside = { " ", ROLE_TEXT, 0 };
    if (row >= canvas->rows || col >= canvas->cols)
        return outside;
    const struct cell *at = &canvas->cells[(size_t)row * (size_t)canvas->cols + (size_t)col];
    struct cell cell = *at;
    if (!at->text[0]) {
        if (col == 0 || cells_of(screen, at - 1) != 2 || col >= screen->cols)
            memcpy(cell.text, " ", 2);
    } else if (cells_of(screen, at) == 2) {
        int end = screen->cols < canvas->cols ? screen->cols : canvas->cols;
        if (col + 1 >= end || at[1].text[0])
            memcpy(cell.text, " ", 2);
    }
    return cell;
}

// One row as curses takes it; a right half comes with its left one. Returns how many characters.
static int fill_row(struct screen *screen, const struct canvas *canvas, int row, cchar_t *out)
{
    int count = 0;
    struct cell before = { .role = ROLES }; // like no cell
    for (int col = 0; col < screen->cols; col++) {
        struct cell now = resolve(screen, canvas, row, col);
        if (!now.text[0])
            continue;
        if (memcmp(&now, &before, sizeof now) !=
            0) { // most cells are like their neighbour, and setcchar is slow
            wchar_t text[PIECES + 1];
            const struct style *style = style_of(screen, now.role, now.marks);
            decode(screen, now.text, text);
            setcchar(&out[count], text, style->weight, style->pair, NULL);
        } else {
            out[count] = out[count - 1];
        }
        before = now;
        count++;
    }
    return count;
}

// ---- showing a canvas -------------------------------------------------------------------------------------

static void show_cursor(struct screen *screen, const struct canvas *canvas)
{
    int shown = canvas->cursor_shown, row = canvas->cursor_row, col = canvas->cursor_col;
    if (screen->cursor != shown)
        curs_set(shown);
    screen->cursor = shown;
    row = row < 0 ? 0 : row >= screen->rows ? screen->rows - 1 : row;
    col = col < 0 ? 0 : col >= screen->cols ? screen->cols - 1 : col;
    wmove(stdscr, row, col);
}

void screen_show(void *context, const struct canvas *canvas)
{
    struct screen *screen = context;
    if (!screen->up)
        return; // it ends while another program has the terminal
    cchar_t *cells = mem_new((size_t)screen->cols * sizeof *cells);
    for (int row = 0; row < screen->rows; row++)
        mvwadd_wchnstr(stdscr, row, 0, cells, fill_row(screen, canvas, row, cells));
    free(cells);
    show_cursor(screen, canvas);
    wnoutrefresh(stdscr);
    doupdate();
}
