// A command that waits for a worker: the line that says for what, and ^C, which ends the run and not the program, so
// that the worker is stopped and what came before is kept.
#ifndef WARPBOOK_COMMAND_WAITING_H
#define WARPBOOK_COMMAND_WAITING_H

#include <signal.h>

#include "tui/tui.h"

struct waiting {
    const char *what;        // runs now: "shared"
    struct paper paper;      // stderr; no terminal where a line could not be wiped out again
    struct sigaction before; // what ^C did
    char told[200];          // the last stage that was said where there is no terminal
};
void waiting_begin(struct waiting *waiting); // from here on ^C is noted
int waiting_end(struct waiting *waiting);    // 0, or the exit status of a command that ^C stopped

bool waiting_stopped(void); // by ^C
// Both are a client_progress, and stop the run after ^C. waiting_show wants a struct waiting.
bool waiting_show(void *context, const char *stage, double seconds);
bool waiting_quietly(void *unused, const char *stage, double seconds);
void waiting_wipe(const struct waiting *waiting); // the line

#endif
