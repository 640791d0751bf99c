// A canvas onto the screen: every cell is handed to curses, which sends those that changed. Roles become weights and
// pairs of colours when they are first met.
#include "tui/draw/screen.h"

#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

// ---- colours -----------------------------------------------------------------------------------------

// A colour that the terminal cannot give by default stands in for its own.
static int32_t own_colour(const struct screen *screen, int32_t colour, bool ink)
{
    if (colour >= 0 || screen->grounded)
        return colour;
    return ink == screen->light ? COLOR_BLACK : COLOR_WHITE;
}

// The pair for both; 0, the terminal's own, when there are no more.
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

// ---- cells -------------------------------------------------------------------------------------------

// What curses takes for one place: a character, and those that combine with it.
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

// ---- the whole ---------------------------------------------------------------------------------------

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

void screen_show(struct screen *screen, const struct canvas *canvas)
{
    if (!screen->up)
        return; // it ends while somebody else has the terminal
    cchar_t *cells = mem_new((size_t)screen->cols * sizeof *cells);
    for (int row = 0; row < screen->rows; row++)
        mvwadd_wchnstr(stdscr, row, 0, cells, fill_row(screen, canvas, row, cells));
    free(cells);
    show_cursor(screen, canvas);
    wnoutrefresh(stdscr);
    doupdate();
}
