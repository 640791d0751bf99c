// The process in which a host program runs: it opens the GPU, gives up what the program must not reach, and then loads
// the program and calls its main. The driver cannot be opened once that is given up, so the program cannot be started on
// its own.
#include "engine/run/host.h"

#include "engine/base/confine.h"
#include "engine/gpu/gpu.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_SECONDS = 120 };

static bool give_up(const struct driver *driver, const char *library, struct error *error)
{
    struct confine_plan plan = {
        .calls = CALLS_DRIVER, .files = true, .libraries = true, .own = true, .cpu_seconds = CPU_SECONDS
    };
    struct driver_files files;
    driver_files(driver, &files);
    for (size_t i = 0; i < files.read_count; i++)
        confine_read(&plan, files.read[i]);
    for (size_t i = 0; i < files.change_count; i++)
        confine_change(&plan, files.change[i]);
    confine_read(&plan, library);
    struct confinement *confinement = confinement_new(&plan);
    bool confined = confinement_apply(confinement);
    confinement_free(confinement);
    return confined ||
           error_set(error, EXIT_MISSING, "The process that runs the program cannot be confined: %s.",
                     strerror(errno));
}

static bool prepare(const char *library, struct error *error)
{
    struct driver *driver = NULL;
    struct gpu *gpu = NULL; // stays open as long as the program runs
    confine_descriptors();
    return driver_open(&driver, error) && gpu_open(driver, 0, &gpu, error) && give_up(driver, library, error);
}

int host_child_main(const char *library)
{
    struct error error;
    if (!prepare(library, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_MISSING;
    }
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *found = loaded ? dlsym(loaded, "main") : NULL;
    if (!found) {
        fprintf(stderr, "The program cannot be loaded: %s\n", dlerror());
        return EXIT_MISSING;
    }
    int (*program)(int, char **);
    memcpy(&program, &found, sizeof program);
    char name[] = "program", *words[] = { name, NULL };
    exit(program(1, words));
}
