// What exec.c is made of.
#ifndef WARPBOOK_EXEC_PARTS_H
#define WARPBOOK_EXEC_PARTS_H

#include "engine/run/exec.h"

// Into a program in the folder, which the caller removes and frees, also after a failure. `libraries`: where our runtime is.
bool exec_compile(const struct exec_wish *wish, const char *folder, const char *libraries, char **program,
                  struct error *error);

#endif
