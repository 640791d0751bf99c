// What the runtime of whole programs has written down, read back.
#ifndef WARPBOOK_RUN_EXEC_REPORT_H
#define WARPBOOK_RUN_EXEC_REPORT_H

#include "engine/run/exec.h"

// A file that is not there has nothing in it: the program used no function of CUDA. A line that was cut off is left out.
bool exec_report_read(const char *path, struct exec_outcome *out, struct error *error);

#endif
