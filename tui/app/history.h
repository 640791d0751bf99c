// The lines that were given at the prompt, kept from one start to the next; the full-screen prompt and the shell share
// them. One line a command, appended when it is given, so that two warpbooks at once lose nothing of each other.
#ifndef WARPBOOK_HISTORY_H
#define WARPBOOK_HISTORY_H

#include <histedit.h>

History *history_new(void);          // empty
void history_load(History *history); // what was kept
void history_keep(History *history, const char *line);
// Takes away what a line of ours cannot use: libedit's own commands, which end the program where none is typed.
void history_bind(EditLine *line);

#endif
