// warpbook doctor: what was found here, and for everything missing what to do.
#include "tui/tui.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void head(const struct paper *paper, bool good, const char *what)
{
    paper_put(paper, good ? ROLE_GOOD : ROLE_NOTE, "%-9s", good ? "found" : "missing");
    paper_cell(paper, ROLE_TITLE, 12, "%s", what);
}

// The advice under a line that says "missing", aligned with what stands beside the names.
static void advice(const struct paper *paper, const char *text)
{
    paper_put(paper, ROLE_TEXT, "\n");
    paper_wrap(paper, ROLE_TEXT, 22, text);
}

static void show_compilers(const struct paper *paper, const json_t *compilers)
{
    size_t i;
    json_t *compiler;
    bool found = false;
    json_array_foreach(compilers, i, compiler)
    {
        bool here = json_is_true(json_object_get(compiler, "found"));
        if (!here && found)
            continue; // one compiler is enough: what comes after it is only a stand-in
        found |= here;
        head(paper, here, text_of(compiler, "name"));
        if (here)
            paper_put(paper, ROLE_TEXT, "%s  %s\n", text_of(compiler, "version"), text_of(compiler, "path"));
        else
            advice(paper, text_of(compiler, "advice"));
    }
}

static void show_gpu(const struct paper *paper, const json_t *report)
{
    const json_t *gpu = json_object_get(report, "gpu"), *ceilings = json_object_get(report, "ceilings");
    char l2[32], memory[32];
    head(paper, gpu != NULL, "gpu");
    if (!gpu) {
        advice(paper, text_of(report, "gpu_missing"));
        return;
    }
    format_bytes(number_of(gpu, "l2_bytes"), l2, sizeof l2);
    format_bytes(number_of(gpu, "memory_bytes"), memory, sizeof memory);
    paper_put(paper, ROLE_TEXT, "%s, sm_%.0f, %.0f SMs, %s, L2 %s\n", text_of(gpu, "name"),
              number_of(gpu, "target"), number_of(gpu, "sm_count"), memory, l2);
    int driver = (int)number_of(gpu, "driver_version");
    head(paper, true, "driver");
    paper_put(paper, ROLE_TEXT, "for CUDA %d.%d  %s\n", driver / 1000, driver % 1000 / 10,
              text_of(report, "driver_path"));
    head(paper, ceilings != NULL, "ceilings");
    if (!ceilings) {
        advice(paper, text_of(report, "ceilings_missing"));
        return;
    }
    paper_put(paper, ROLE_TEXT, "read %.0f GB/s, copy %.0f GB/s, empty launch %.1f us",
              number_of(ceilings, "read_gbps"), number_of(ceilings, "copy_gbps"),
              number_of(ceilings, "launch_us"));
    paper_put(paper, ROLE_DIM, "  measured %.10s\n", text_of(ceilings, "date"));
}

static void show_terminal(const struct paper *paper, const json_t *terminal)
{
    bool utf8 = strcmp(text_of(terminal, "codeset"), "UTF-8") == 0;
    head(paper, *text_of(terminal, "term"), "terminal");
    paper_put(paper, ROLE_TEXT, "TERM=%s, %.0f x %.0f%s\n", text_of(terminal, "term"),
              number_of(terminal, "columns"), number_of(terminal, "rows"),
              json_is_true(json_object_get(terminal, "output_is_terminal")) ? "" : ", output goes elsewhere");
    head(paper, utf8, "locale");
    paper_put(paper, ROLE_TEXT, "%s, %s%s\n", text_of(terminal, "locale"), text_of(terminal, "codeset"),
              utf8 ? "" : ": bars are drawn in ASCII; LC_ALL=C.UTF-8 draws them finer");
}

static void show_cache(const struct paper *paper, const json_t *cache)
{
    char bytes[32], limit[32];
    format_bytes(number_of(cache, "bytes"), bytes, sizeof bytes);
    format_bytes(number_of(cache, "limit_bytes"), limit, sizeof limit);
    head(paper, *text_of(cache, "path"), "cache");
    paper_put(paper, ROLE_TEXT, "%s  %.0f kernels, %s of %s\n", text_of(cache, "path"),
              number_of(cache, "entries"), bytes, limit);
}

static json_t *describe_terminal(const struct paper *paper)
{
    const char *term = getenv("TERM"), *locale = setlocale(LC_CTYPE, NULL);
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return json_pack("{s:s, s:i, s:i, s:b, s:s, s:s}", "term", term ? term : "", "columns", paper->width,
                     "rows", known ? size.ws_row : 24, "output_is_terminal", paper->terminal, "locale",
                     locale ? locale : "C", "codeset", nl_langinfo(CODESET));
}

static json_t *describe_cache(void)
{
    struct cache_state state;
    cache_describe(&state);
    json_t *cache = json_pack("{s:s, s:I, s:I, s:I}", "path", state.path ? state.path : "", "entries",
                              (json_int_t)state.entries, "bytes", (json_int_t)state.bytes, "limit_bytes",
                              (json_int_t)state.limit_bytes);
    cache_state_free(&state);
    return cache;
}

// The whole report, with the worker's part of it; the worker may be on another machine.
static json_t *describe(const struct arguments *arguments, const struct paper *paper, struct error *error)
{
    struct client *client = client_new();
    json_t *report = NULL;
    const char *worker = getenv("WARPBOOK_WORKER");
    char *data = path_shipped("kernels");
    struct utsname system;
    if (client_describe(client, arguments_has(arguments, "--measure"), &report, error)) {
        json_object_set_new(report, "warpbook", json_string(WARPBOOK_VERSION));
        json_object_set_new(report, "terminal", describe_terminal(paper));
        json_object_set_new(report, "cache", describe_cache());
        json_object_set_new(report, "kernels", json_string(data));
        json_object_set_new(report, "worker", json_string(worker && *worker ? worker : "this machine"));
        if (uname(&system) == 0)
            json_object_set_new(report, "system",
                                json_sprintf("%s %s %s", system.sysname, system.release, system.machine));
    }
    free(data);
    client_free(client);
    return report;
}

int command_doctor(const struct arguments *arguments)
{
    struct error error = { 0 };
    struct paper paper = paper_open(stdout);
    json_t *report = describe(arguments, &paper, &error);
    if (!report)
        return fail(&error);
    if (arguments_has(arguments, "--json")) {
        char *text = json_dumps(report, JSON_INDENT(2) | JSON_ENSURE_ASCII);
        printf("%s\n", text);
        free(text);
    } else {
        show_compilers(&paper, json_object_get(report, "compilers"));
        show_gpu(&paper, report);
        show_terminal(&paper, json_object_get(report, "terminal"));
        show_cache(&paper, json_object_get(report, "cache"));
        head(&paper, access(text_of(report, "kernels"), R_OK) == 0, "kernels");
        paper_put(&paper, ROLE_TEXT, "%s\n", text_of(report, "kernels"));
        if (getenv("WARPBOOK_WORKER"))
            paper_put(&paper, ROLE_NOTE, "runs go to: %s (on %s)\n", text_of(report, "worker"),
                      text_of(report, "host"));
    }
    json_decref(report);
    return EXIT_RIGHT;
}
