// warpbook list: the labs, or one lab with its sizes, its data and both of its ladders.
#include "tui/tui.h"

#include <math.h>

static int list_labs(const struct paper *paper)
{
    for (size_t i = 0; i < lab_count; i++) {
        const struct lab *lab = lab_list[i];
        struct ladder ladder;
        struct error error;
        if (!ladder_read(lab->name, &ladder, &error))
            return fail(&error);
        paper_cell(paper, ROLE_TITLE, 12, "%s", lab->name);
        paper_cell(paper, ROLE_TEXT, 36, "%s", lab->title);
        paper_put(paper, ROLE_DIM, "%2zu on the CPU, %2zu on the GPU\n", lab->cpu_count, ladder.count);
        ladder_free(&ladder);
    }
    paper_put(paper, ROLE_DIM, "\n'warpbook list LAB' shows a ladder, 'warpbook run LAB' runs it.\n");
    return EXIT_RIGHT;
}

static void list_sizes(const struct paper *paper, const struct lab *lab)
{
    for (int p = 0; p < LAB_PRESETS && lab->presets[p].name; p++) {
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_TITLE, 10, "%s", lab->presets[p].name);
        for (int i = 0; i < LAB_PARAMS && lab->params[i]; i++) {
            char count[40];
            unit_count((double)lab->presets[p].value[i], count, sizeof count);
            paper_put(paper, ROLE_TEXT, "%s = %s  ", lab->params[i], count);
        }
        paper_put(paper, ROLE_TEXT, "\n");
    }
}

static void list_data(const struct paper *paper, const struct lab *lab)
{
    if (!lab->data[0] || !lab->data[1])
        return;
    paper_put(paper, ROLE_TEXT, "\nData:");
    for (int d = 0; d < LAB_DATA && lab->data[d]; d++)
        paper_put(paper, ROLE_TEXT, "%s %s", d ? "," : "", lab->data[d]);
    paper_put(paper, ROLE_TEXT, "\n");
}

static void list_step(const struct paper *paper, enum role role, const char *name, const char *title,
                      const char *why)
{
    paper_put(paper, ROLE_TEXT, "  ");
    paper_cell(paper, role, 26, "%s", name);
    paper_put(paper, ROLE_TITLE, "%s\n", title);
    if (why)
        paper_wrap(paper, ROLE_TEXT, 29, why);
}

static int list_lab(const struct paper *paper, const char *name)
{
    struct error error;
    const struct lab *lab;
    struct ladder ladder;
    if (!target_lab(name, &lab, &error) || !ladder_read(lab->name, &ladder, &error))
        return fail(&error);
    paper_put(paper, ROLE_TITLE, "%s", lab->name);
    paper_put(paper, ROLE_TEXT, " - %s\n\n", lab->title);
    paper_wrap(paper, ROLE_TEXT, 0, lab->about);
    paper_put(paper, ROLE_TEXT, "\nSizes\n");
    list_sizes(paper, lab);
    list_data(paper, lab);
    paper_put(paper, ROLE_TEXT, "\nOn the CPU\n");
    for (size_t i = 0; i < lab->cpu_count; i++)
        list_step(paper, ROLE_CPU, lab->cpu[i].name, lab->cpu[i].title, lab->cpu[i].why);
    if (!lab->cpu_count)
        paper_wrap(paper, ROLE_TEXT, 2, lab->no_cpu);
    paper_put(paper, ROLE_TEXT, "\nOn the GPU\n");
    for (size_t i = 0; i < ladder.count; i++) {
        list_step(paper, ROLE_GPU, ladder.variants[i].name, ladder.variants[i].title, ladder.variants[i].why);
        if (ladder.variants[i].own)
            paper_put(paper, ROLE_NOTE, "%29syour copy: %s\n", "", ladder.variants[i].path);
    }
    ladder_free(&ladder);
    return EXIT_RIGHT;
}

int command_list(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    return arguments->operand_count ? list_lab(&paper, arguments->operands[0]) : list_labs(&paper);
}
