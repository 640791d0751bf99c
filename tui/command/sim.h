// What `warpbook sim` shows beside its own page: sim.c asks, sim_instructions.c writes.
#ifndef WARPBOOK_COMMAND_SIM_H
#define WARPBOOK_COMMAND_SIM_H

#include "tui/tui.h"

// source: NULL for a file that is PTX. False, with nothing written, when the record's instructions are none.
void sim_show_instructions(const struct paper *paper, const struct record *record, const char *source);

#endif
