// The state of the runtime, its settings, and what every function of the interface begins and ends with.
#include "engine/exec/exec.h"

#include <stdlib.h>
#include <string.h>

struct exec exec;
static _Thread_local const char *visited;
static _Thread_local cuda_error latest;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_settings(const char *words)
{
    struct exec_settings *s = &exec.settings;
    *s = (struct exec_settings){ .check = SIM_CHECK_ALL, .limit_ms = 24 * 3600 * 1000 };
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", words ? words : "");
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = 0;
        unsigned long long number = strtoull(value, NULL, 10);
        if (strcmp(word, "check") == 0)
            s->check = strcmp(value, "none") == 0       ? SIM_CHECK_NONE
                       : strcmp(value, "counters") == 0 ? SIM_CHECK_COUNTERS
                                                        : SIM_CHECK_ALL;
        else if (strcmp(word, "threads") == 0)
            s->threads = (int)number;
        else if (strcmp(word, "limit") == 0)
            s->limit_ms = (int)number * 1000;
        else if (strcmp(word, "seed") == 0)
            s->seed = number;
        else if (strcmp(word, "kernel") == 0)
            snprintf(s->kernel, sizeof s->kernel, "%s", value);
        else if (strcmp(word, "skip") == 0)
            s->skip = number;
        else if (strcmp(word, "launch") == 0)
            s->only = number;
        else if (strcmp(word, "most") == 0)
            s->most = number;
        else if (strcmp(word, "keep") == 0)
            s->keeps = number;
        else if (strcmp(word, "spoil") == 0)
            s->spoil = number;
        else if (strcmp(word, "lines") == 0)
            s->lines = number;
    }
}

static void begin(void)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&exec.lock, &recursive);
    read_settings(getenv("WARPBOOK_EXEC"));
    if (exec.settings.lines) // the fat binary is registered before main, and so before any output
        setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    report_open();
    time_open();
    exec.memory = sim_memory_new();
    if (!exec.memory)
        abort();
    sim_memory_host(exec.memory, memory_is_host);
    fault_watch();
    atexit(memory_end);
}

struct exec_visit exec_enter(const char *function)
{
    pthread_once(&once, begin);
    pthread_mutex_lock(&exec.lock);
    struct exec_visit visit = { function, visited };
    if (!visited) {
        visited = function;
        managed_open(true);
    }
    return visit;
}

void exec_leave(struct exec_visit *visit)
{
    visited = visit->outer;
    if (!visited)
        managed_open(false);
    pthread_mutex_unlock(&exec.lock);
}

const char *exec_function(void)
{
    return visited ? visited : "the program";
}

// ---- errors, as the program gets them ------------------------------------------------------------------------------

cuda_error exec_answer(cuda_error code)
{
    if (code)
        latest = code;
    return code;
}

cuda_error exec_ready(void)
{
    return exec_answer(exec.sticky);
}

static void show_printed(struct exec_text *text, FILE *stream)
{
    if (text->count)
        fwrite(text->bytes, 1, text->count, stream);
    text->count = 0;
}

cuda_error exec_wait(void)
{
    managed_waited();
    show_printed(&exec.printed, stdout);
    show_printed(&exec.asserted, stderr);
    if (exec.pending && !exec.sticky)
        exec.sticky = exec.pending;
    return exec_answer(exec.sticky);
}

// An error that stays is answered by each call after it, and forgotten here like another (an H200 with driver 580).
API(cudaGetLastError, void)
{
    ENTER();
    const cuda_error code = latest;
    latest = CUDA_OK;
    return code;
}

API(cudaPeekAtLastError, void)
{
    ENTER();
    return latest;
}
