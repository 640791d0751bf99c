// The reports of exec: for people, and for the systems that run tests.
#ifndef WARPBOOK_COMMAND_EXEC_H
#define WARPBOOK_COMMAND_EXEC_H

#include <stdio.h>

#include "engine/run/exec.h"

struct exec_job {
    const char *program; // as it was asked for
    const char *fail_on; // the kinds of findings that fail it, with commas; NULL: none
};
typedef void exec_report_writer(FILE *file, const struct exec_outcome *outcome, const struct exec_job *job);

// ---- exec_formats.c ------------------------------------------------------------------------------------------------

exec_report_writer exec_json;  // a line, for programs
exec_report_writer exec_sarif; // SARIF 2.1.0: findings at their lines, as code hosts show them
exec_report_writer
    exec_junit; // JUnit's XML: each kernel, the host's code and the end of the program are a test

#endif
