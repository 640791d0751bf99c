// The table of commands, which the command line and the prompt take.
#ifndef WARPBOOK_TUI_H
#define WARPBOOK_TUI_H

#include "engine/cli/cli.h"
#include "tui/text/text.h"

// ---- commands.c: the table of commands ---------------------------------------------------------------------

extern const struct command commands[];

// ---- command/: one file per command -----------------------------------------------------------------------

// open.c: the full-screen program, or the overview where there is no terminal
int command_alone(const struct command *table);
int command_open(const struct arguments *arguments);
int command_overview(const struct command *table);
int command_lesson(const struct arguments *arguments);
int command_list(const struct arguments *arguments);
int command_show(const struct arguments *arguments);
int command_run(const struct arguments *arguments);
int command_sim(const struct arguments *arguments);
int command_explore(const struct arguments *arguments);
int step_through(const struct request *request); // sim --step: command/step.c
int command_explain(const struct arguments *arguments);
int command_check(const struct arguments *arguments);
int command_new(const struct arguments *arguments);
int command_workbook(const struct arguments *arguments);
int command_review(const struct arguments *arguments);
int command_report(const struct arguments *arguments);
int command_note(const struct arguments *arguments); // workbook.c
int command_shell(const struct arguments *arguments);
int command_doctor(const struct arguments *arguments);
int command_worker(const struct arguments *arguments);
int command_help_page(const struct arguments *arguments);
void command_help(const struct paper *paper, const struct command *command); // help.c: what it does and takes

#endif
