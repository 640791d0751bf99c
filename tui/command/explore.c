// warpbook explore: the picture of one explorer with its knobs set, or the list of explorers.
#include "tui/explore/explore.h"
#include "tui/tui.h"

static int print(struct sheet sheet)
{
    struct paper paper = paper_open(stdout);
    sheet_print(&paper, &sheet);
    sheet_free(&sheet);
    return EXIT_RIGHT;
}

int command_explore(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct error error;
    const struct explorer *explorer;
    if (!arguments->operand_count)
        return print(explore_list(paper.width, paper.utf8, "warpbook "));
    if (!explorer_of(arguments->operands[0], &explorer, &error))
        return fail(&error);
    struct settings settings = settings_new(explorer);
    for (size_t i = 1; i < arguments->operand_count; i++)
        if (!settings_read(&settings, arguments->operands[i], &error))
            return fail(&error);
    return print(explore_sheet(&settings, paper.width, paper.utf8, -1));
}
