// The runtime that whole programs get (engine/exec), opened by a test in its own process, and the file that it reports to.
#ifndef WARPBOOK_TEST_EXEC_START_H
#define WARPBOOK_TEST_EXEC_START_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/base.h"

static char report[64];

struct runtime_name {
    void *to; // a pointer to a function
    const char *name;
};

// Before the runtime is opened, which reads where to report.
static inline bool report_begin(void)
{
    format_into(report, sizeof report, "/tmp/warpbook-test-XXXXXX");
    int file = mkstemp(report);
    return file >= 0 && close(file) == 0 && setenv("WARPBOOK_EXEC_REPORT", report, 1) == 0;
}

// For cmocka, as the end of a group of tests.
static inline int report_end(void **state)
{
    (void)state;
    unlink(report);
    return 0;
}

static inline void expect_reported(const char *words)
{
    struct text text = { 0 };
    struct error error;
    assert_true(file_read(report, &text, &error));
    if (!strstr(text_string(&text), words))
        fail_msg("'%s' is not in the report:\n%s", words, text_string(&text));
    text_free(&text);
}

static inline void runtime_load(const char *version, const struct runtime_name *names, size_t count)
{
    const char *build = getenv("BUILD");
    char *path = text_format("%s/lib/libcudart.so.%s", build ? build : "build", version);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    free(path);
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, names[i].name);
        if (!found)
            fail_msg("%s is missing", names[i].name);
        memcpy(names[i].to, &found, sizeof found);
    }
}

#endif
