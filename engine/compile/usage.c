// What the assembler says of every kernel when it is asked to be verbose: registers, shared memory, spills.
#include "engine/compile/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The number before `phrase` in a line, or `otherwise`.
static int number_before(const char *line, const char *phrase, int otherwise)
{
    const char *at = strstr(line, phrase), *start = at;
    while (start && start > line && isdigit((unsigned char)start[-1]))
        start--;
    if (!at || start == at || at - start > 9)
        return otherwise;
    return (int)strtol(start, NULL, 10);
}

// True when the line says `phrase` followed by a name, which is copied without its quotes.
static bool name_behind(const char *line, const char *phrase, char *out, size_t size)
{
    const char *at = strstr(line, phrase);
    if (!at)
        return false;
    at += strlen(phrase);
    at += *at == '\'';
    format_into(out, size, "%.*s", (int)strcspn(at, "' \t\r"), at);
    return true;
}

static struct resources *kernel_add(struct compiled *out, const char *name)
{
    struct text clean = { 0 };
    text_add_clean(&clean, name, strlen(name));
    struct resources r = { .kernel = mem_copy(text_string(&clean)), -1, -1, -1, -1, -1 };
    text_free(&clean);
    out->resources = array_room(out->resources, out->resource_count, sizeof r);
    out->resources[out->resource_count] = r;
    return &out->resources[out->resource_count++];
}

// The lines of one kernel stand together, but a function that it calls may stand between them:
//     Compiling entry function 'NAME' for 'sm_90'
//     Function properties for NAME
//         0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//     Used 10 registers, used 1 barriers, 1024 bytes smem
void log_read_resources(const char *log, struct compiled *out)
{
    struct resources *kernel = NULL;
    bool properties = false; // the next properties are the kernel's own
    while (*log) {
        size_t length = strcspn(log, "\n");
        char *line = mem_copy_n(log, length), name[1024];
        log += length + (log[length] == '\n');
        if (name_behind(line, "Compiling entry function ", name, sizeof name)) {
            kernel = kernel_add(out, name);
        } else if (kernel && name_behind(line, "Function properties for ", name, sizeof name)) {
            properties = !strcmp(name, kernel->kernel);
        } else if (kernel && properties && strstr(line, " bytes stack frame")) {
            kernel->stack_bytes = number_before(line, " bytes stack frame", -1);
            kernel->spill_bytes = number_before(line, " bytes spill stores", -1);
            properties = false;
        } else if (kernel && strstr(line, "Used ") && strstr(line, " registers")) {
            kernel->registers = number_before(line, " registers", -1);
            kernel->shared_bytes = number_before(line, " bytes smem", 0);
            kernel->barriers = number_before(line, " barriers", -1);
        }
        free(line);
    }
}
