// The reports of exec: for people, and for the systems that run tests.
#ifndef WARPBOOK_COMMAND_EXEC_H
#define WARPBOOK_COMMAND_EXEC_H

#include <stdio.h>

#include "engine/run/exec.h"

struct exec_job {
    const char *program; // as it was asked for
    const char *fail_on; // the kinds of findings that fail it, with commas; NULL: none
};

// ---- exec_formats.c: what other programs read ----------------------------------------------------------------------

enum exec_format {
    EXEC_JSON,  // a line
    EXEC_SARIF, // SARIF 2.1.0: findings at their lines, as code hosts show them
    EXEC_JUNIT  // JUnit's XML: each kernel, the host's code and the end of the program are a test
};
void exec_report(FILE *file, enum exec_format format, const struct exec_outcome *outcome,
                 const struct exec_job *job);

// ---- sim.c: a launch is walked through, told by lines on stdin ------------------------------------------------------

// `variant`: what it is a launch of, where the request's file is a launch that a program kept.
int sim_step_through(const struct request *request, const struct variant *variant, bool debug);

#endif
