// A chart as a picture within an HTML page: a bar for each time on a log scale. The bars' colours are seen on white and on
// black; words and lines take the colour of the text around them. What the bars say stands in the description too.
#include "tui/command/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 760,
    ROW = 26, // from bar to bar
    BAR = 16,
    TOP = 6,
    FOOT = 46,      // the axis, its numbers and its name
    LETTER = 8,     // of a label, at most, on average
    NAME_MOST = 34, // letters
    VALUE = 84,     // behind the longest bar
    DECADES_MOST = 12,
};

struct picture {
    const struct element *chart;
    struct decades decades;
    int left, right; // the ends of the axis
    int bottom;
    struct text *out;
};

static const char *colour(enum role role)
{
    return role == ROLE_CPU ? "#b4690e" : role == ROLE_GPU ? "#3f8f3f" : "#7a6fb0";
}

static double place(const struct picture *picture, double share)
{
    return picture->left + share * (picture->right - picture->left);
}

// What does not fit ends with an ellipsis.
static void add_label(struct text *out, const char *label)
{
    size_t fits = text_fit(label, NAME_MOST);
    char *cut = mem_copy_n(label, label[fits] ? text_fit(label, NAME_MOST - 1) : fits);
    html_escape(out, cut);
    text_add(out, label[fits] ? "…" : "");
    free(cut);
}

static void add_row(const struct picture *picture, size_t index)
{
    const struct report_bar *bar = &picture->chart->bars[index];
    double end = place(picture, report_share(picture->decades, bar->ms));
    int top = TOP + (int)index * ROW, middle = top + ROW / 2;
    char value[40];
    unit_ms(bar->ms, value, sizeof value);
    text_addf(picture->out, "<text x=\"%d\" y=\"%d\" dy=\".35em\" text-anchor=\"end\">", picture->left - 8,
              middle);
    add_label(picture->out, bar->label);
    text_addf(picture->out, "</text>\n<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
              picture->left, middle - BAR / 2, fmax(end - picture->left, 1), BAR, colour(bar->role));
    text_addf(picture->out, "<text x=\"%.1f\" y=\"%d\" dy=\".35em\">", fmax(end, picture->left + 1) + 6,
              middle);
    html_escape(picture->out, value); // it may be "<0.001 ms"
    text_add(picture->out, "</text>\n");
}

static void add_axis(const struct picture *picture)
{
    int step = 1 + (picture->decades.high - picture->decades.low) / DECADES_MOST;
    for (int decade = picture->decades.low; decade <= picture->decades.high; decade += step) {
        double x = place(picture, report_share(picture->decades, pow(10, decade)));
        text_addf(picture->out,
                  "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"currentColor\" "
                  "stroke-opacity=\".25\"/>\n",
                  x, TOP, x, picture->bottom + 4);
        text_addf(picture->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.10g</text>\n", x,
                  picture->bottom + 18, pow(10, decade));
    }
    text_addf(
        picture->out,
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"currentColor\" stroke-opacity=\".6\"/>\n",
        picture->left, picture->bottom, picture->right, picture->bottom);
    text_addf(picture->out,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">median time in ms, log scale: shorter is "
              "faster</text>\n",
              (picture->left + picture->right) / 2, picture->bottom + 36);
}

static void add_words(const struct picture *picture, size_t number)
{
    const struct element *chart = picture->chart;
    text_addf(picture->out, "<title id=\"title-%zu\">", number);
    for (size_t i = 0; i < chart->texts[0].count; i++)
        html_escape(picture->out, chart->texts[0].list[i].text);
    text_addf(picture->out, "</title>\n<desc id=\"desc-%zu\">Bars on a log scale. ", number);
    for (size_t i = 0; i < chart->bar_count; i++) {
        char value[40];
        unit_ms(chart->bars[i].ms, value, sizeof value);
        html_escape(picture->out, chart->bars[i].label);
        text_add(picture->out, ": ");
        html_escape(picture->out, value);
        text_add(picture->out, i + 1 < chart->bar_count ? "; " : ".");
    }
    text_add(picture->out, "</desc>\n");
}

static int longest_label(const struct element *chart)
{
    int longest = 0;
    for (size_t i = 0; i < chart->bar_count; i++) {
        int cells = text_cells(chart->bars[i].label);
        longest = cells > longest ? cells : longest;
    }
    return longest < NAME_MOST ? longest : NAME_MOST;
}

void report_svg(const struct element *chart, size_t number, struct text *out)
{
    int left = longest_label(chart) * LETTER + 12, bottom = TOP + (int)chart->bar_count * ROW;
    struct picture picture = { .chart = chart,
                               .decades = report_decades(chart),
                               .left = left,
                               .right = WIDTH - VALUE,
                               .bottom = bottom,
                               .out = out };
    text_addf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title-%zu desc-%zu\" "
              "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-size=\"13\" fill=\"currentColor\">\n",
              number, number, WIDTH, bottom + FOOT, WIDTH, bottom + FOOT);
    add_words(&picture, number);
    add_axis(&picture);
    for (size_t i = 0; i < chart->bar_count; i++)
        add_row(&picture, i);
    text_add(out, "</svg>\n");
}
