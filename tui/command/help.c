// warpbook help, and warpbook alone: what there is, from the tables.
#include "tui/tui.h"
#include "tui/view/view.h"

#include <string.h>

// Each sentence beside its command where the terminal is wide enough for all of them, else below it.
static void list_commands(const struct paper *paper, const struct command *table)
{
    enum { USE_CELLS = 30 };
    bool beside = true;
    for (const struct command *command = table; command->name; command++)
        beside = beside && text_cells(command->help) <= paper->width - USE_CELLS - 3;
    for (const struct command *command = table; command->name; command++) {
        char use[64];
        format_into(use, sizeof use, "%s%s%s", command->name, *command->operands ? " " : "",
                    command->operands);
        paper_put(paper, ROLE_TEXT, "  ");
        if (beside) {
            paper_cell(paper, ROLE_TITLE, USE_CELLS, "%s", use);
            paper_put(paper, ROLE_TEXT, "%s\n", command->help);
        } else {
            paper_put(paper, ROLE_TITLE, "%s\n", use);
            paper_wrap(paper, ROLE_TEXT, 6, command->help);
        }
    }
}

int command_overview(const struct command *table)
{
    struct paper paper = paper_open(stdout);
    paper_put(&paper, ROLE_TITLE, "warpbook");
    paper_put(&paper, ROLE_TEXT, " - a lab workbook for CUDA in the terminal\n\n");
    paper_wrap(&paper, ROLE_TEXT, 0,
               "Twelve lessons ask you before they show you, and check what you try. Each lab is one problem "
               "with a ladder of kernels, from the first idea to the limit of the hardware. Run a ladder and "
               "see CPU and GPU times side by side, every result checked. Where there is no GPU, a simulator "
               "runs the kernels.");
    paper_put(&paper, ROLE_TEXT, "\nLabs\n");
    for (size_t i = 0; i < lab_count; i++) {
        paper_put(&paper, ROLE_TEXT, "  ");
        paper_cell(&paper, ROLE_TITLE, 12, "%s", lab_list[i]->name);
        paper_put(&paper, ROLE_TEXT, " %s\n", lab_list[i]->title);
    }
    paper_put(&paper, ROLE_TEXT, "\nCommands\n");
    list_commands(&paper, table);
    paper_put(&paper, ROLE_TEXT, "\nStart with\n");
    paper_put(&paper, ROLE_NOTE,
              "  warpbook lesson 1\n  warpbook run histogram\n  warpbook explain warp\n  warpbook doctor\n");
    return EXIT_RIGHT;
}

void command_help(const struct paper *paper, const struct command *command)
{
    paper_put(paper, ROLE_TITLE, "warpbook %s%s%s\n", command->name, *command->operands ? " " : "",
              command->operands);
    paper_put(paper, ROLE_TEXT, "%s\n", command->help);
    for (int f = 0; f < FLAGS && command->flags[f].name; f++) {
        const struct flag *flag = &command->flags[f];
        paper_put(paper, ROLE_TEXT, "%s  %s %-*s  %s\n", f ? "" : "\n", flag->name,
                  (int)(21 - strlen(flag->name)), flag->value ? flag->value : "", flag->help);
    }
}

int command_help_page(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    if (!arguments->operand_count) {
        list_commands(&paper, arguments->commands);
        paper_put(&paper, ROLE_TEXT, "\n");
        paper_wrap(
            &paper, ROLE_TEXT, 0,
            "Exit status: 0 all right, 1 a result was wrong, 2 wrong use, 3 something is missing here.");
        return EXIT_RIGHT;
    }
    struct error error;
    const struct command *command = command_named(arguments->commands, arguments->operands[0], &error);
    if (!command)
        return fail(&error);
    command_help(&paper, command);
    return EXIT_RIGHT;
}
