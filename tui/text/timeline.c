// The time line of a host program: a row for each kind of work in each stream, one for the CPU, and a scale in ms.
#include "tui/text/text.h"

#include <math.h>
#include <string.h>

enum { LABEL = 21, BAR_LEAST = 12, BAR_MOST = 120, ROWS = 64 };

struct time_row {
    int stream;
    const char *what; // "": the CPU
};

static bool same_row(const struct time_row *row, const struct time_span *span)
{
    return strcmp(row->what, span->what) == 0 && (!*span->what || row->stream == span->stream);
}

// Streams by their numbers, the default one last; in each the kinds as they come first; then the CPU.
static size_t find_rows(const struct timeline *timeline, struct time_row out[ROWS])
{
    size_t count = 0;
    for (int turn = 0; turn < TIMELINE_STREAMS + 2; turn++)
        for (size_t i = 0; i < timeline->count; i++) {
            const struct time_span *span = &timeline->spans[i];
            bool cpu = !*span->what;
            int place = cpu ? TIMELINE_STREAMS + 1 : span->stream < 0 ? TIMELINE_STREAMS : span->stream;
            size_t r = 0;
            while (r < count && !same_row(&out[r], span))
                r++;
            if (place == turn && r == count && count < ROWS)
                out[count++] = (struct time_row){ span->stream, span->what };
        }
    return count;
}

enum { SIGN_NONE, SIGN_WAIT, SIGN_ONE, SIGN_OTHER, SIGNS };

// Until when the copy before it in the same direction, of whatever stream, was not done; 0: never.
static double waits_until(const struct timeline *timeline, size_t span)
{
    const char *what = timeline->spans[span].what;
    double until = 0;
    for (size_t i = 0; i < span && string_starts(what, "copy"); i++)
        if (strcmp(timeline->spans[i].what, what) == 0)
            until = fmax(until, timeline->spans[i].to);
    return until;
}

// Spans that follow one another take turns with two signs, so that they can be told apart.
static void add_bar(struct sheet *sheet, const struct timeline *timeline, const struct time_row *row,
                    double scale_ms, int cells)
{
    static const char *const signs[2][SIGNS] = { { " ", ".", "#", "=" }, { " ", "·", "█", "▓" } };
    unsigned char sign[BAR_MOST] = { 0 };
    unsigned turn = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct time_span *span = &timeline->spans[i];
        if (!same_row(row, span))
            continue;
        int from = (int)(span->from / scale_ms * cells + 0.5), to = (int)(span->to / scale_ms * cells + 0.5);
        int waits = (int)(fmin(waits_until(timeline, i), span->to) / scale_ms * cells + 0.5);
        to = to > from ? to : from + 1; // what is shorter than a cell is still seen
        waits = waits < to ? waits : to - 1;
        for (int c = from; c < to && c < cells; c++)
            sign[c] = (unsigned char)(c < waits ? SIGN_WAIT : SIGN_ONE + turn % 2);
        turn++;
    }
    enum role role = !*row->what ? ROLE_CPU : strcmp(row->what, "kernel") == 0 ? ROLE_GPU : ROLE_TEXT;
    int last = cells;
    while (last > 0 && !sign[last - 1])
        last--;
    for (int c = 0; c < last; c++)
        sheet_add(sheet, role, "%s", signs[sheet->utf8][sign[c]]);
}

// 1, 2 or 5 times a power of ten: at most six of them on the scale.
static double tick_of(double scale_ms)
{
    double power = pow(10, floor(log10(scale_ms / 6)));
    double share = scale_ms / 6 / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

static void add_scale(struct sheet *sheet, double scale_ms, int cells)
{
    double tick = tick_of(scale_ms);
    sheet_add(sheet, ROLE_DIM, " ms");
    for (int i = 0; i * tick < scale_ms * (1 + 1e-9); i++) {
        char label[24];
        double at = i * tick;
        format_into(label, sizeof label, "%g", at);
        int column = LABEL + (int)(at / scale_ms * cells + 0.5);
        if (column + text_cells(label) > sheet->width)
            break;
        sheet_to(sheet, column);
        sheet_add(sheet, ROLE_DIM, "%s", label);
    }
    sheet_end(sheet);
}

static void add_label(struct sheet *sheet, const struct time_row *row, const struct time_row *before)
{
    bool cpu = !*row->what, again = before && *before->what && before->stream == row->stream;
    if (cpu)
        sheet_add(sheet, ROLE_CPU, " CPU in calls");
    else if (row->stream < 0)
        sheet_add(sheet, ROLE_TEXT, " default");
    else if (!again)
        sheet_add(sheet, ROLE_TEXT, " stream %d", row->stream);
    if (!cpu) {
        sheet_to(sheet, LABEL - 10);
        sheet_add(sheet, ROLE_TEXT, "%.9s", row->what);
    }
    sheet_to(sheet, LABEL);
}

// "stream 0, copy in: 0.01 to 0.38 ms; 1.35 to 1.78 ms, waits to 1.52", for those who listen.
static void say_row(struct sheet *sheet, const struct timeline *timeline, const struct time_row *row)
{
    if (!*row->what)
        sheet_flow(sheet, ROLE_CPU, " CPU in calls: ");
    else if (row->stream < 0)
        sheet_flow(sheet, ROLE_TEXT, " default stream, %s: ", row->what);
    else
        sheet_flow(sheet, ROLE_TEXT, " stream %d, %s: ", row->stream, row->what);
    sheet_hang(sheet, 3);
    const char *sign = "";
    for (size_t i = 0; i < timeline->count; i++) {
        const struct time_span *span = &timeline->spans[i];
        if (!same_row(row, span))
            continue;
        double waits = waits_until(timeline, i);
        sheet_flow(sheet, ROLE_TEXT, "%s%.2f to %.2f ms", sign, span->from, span->to);
        if (waits > span->from)
            sheet_flow(sheet, ROLE_TEXT, ", waits to %.2f", fmin(waits, span->to));
        sign = "; ";
    }
    sheet_end(sheet);
}

static void add_rows(struct sheet *sheet, const struct timeline *timeline, double scale_ms)
{
    struct time_row rows[ROWS];
    size_t count = find_rows(timeline, rows);
    for (size_t r = 0; drawn_flat && r < count; r++)
        say_row(sheet, timeline, &rows[r]);
    if (drawn_flat)
        return;
    int cells = sheet->width - LABEL - 1;
    cells = cells > BAR_MOST ? BAR_MOST : cells;
    if (!count || !(scale_ms > 0) || !isfinite(scale_ms))
        return;
    if (cells < BAR_LEAST) {
        sheet_flow(sheet, ROLE_DIM, "A time line needs %d columns.", LABEL + 1 + BAR_LEAST);
        sheet_end(sheet);
        return;
    }
    for (size_t r = 0; r < count; r++) {
        add_label(sheet, &rows[r], r ? &rows[r - 1] : NULL);
        add_bar(sheet, timeline, &rows[r], scale_ms, cells);
        sheet_end(sheet);
    }
    add_scale(sheet, scale_ms, cells);
}

static void add_summary(struct sheet *sheet, const struct timeline *timeline)
{
    char total[40];
    unit_ms(timeline->total_ms, total, sizeof total);
    sheet_add(sheet, ROLE_TITLE, " %s", *total ? total : "no time");
    if (*timeline->date)
        sheet_flow(sheet, ROLE_NOTE, " recorded on %s, %s;", timeline->gpu, timeline->date);
    else
        sheet_flow(sheet, ROLE_GPU, " on %s;", timeline->gpu);
    if (timeline->right)
        sheet_flow(sheet, ROLE_GOOD, " right");
    else if (*timeline->wrong)
        sheet_flow(sheet, ROLE_BAD, " %s", timeline->wrong);
    else
        sheet_flow(sheet, ROLE_NOTE, " unchecked");
    sheet_end(sheet);
}

void timeline_add(struct sheet *sheet, const struct timeline *timeline)
{
    double end = timeline->total_ms > 0 ? timeline->total_ms : 0;
    for (size_t i = 0; i < timeline->count; i++)
        end = fmax(end, timeline->spans[i].to);
    add_rows(sheet, timeline, end);
    if (isfinite(timeline->total_ms))
        add_summary(sheet, timeline);
}

void timeline_legend(bool utf8, char *out, size_t size)
{
    format_into(
        out, size,
        "A bar begins when its stream gets there, and ends when the work is done; %s: the copy before it in "
        "the same direction is not done yet.",
        utf8 ? "·" : ".");
}
