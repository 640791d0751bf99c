// machine: what was found here, and for everything missing what to do. `warpbook doctor` prints the same sheet.
#include "tui/view/view.h"

#include "engine/base/site.h"
#include "engine/compile/compile.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

enum { WORDS_AT = 22 };

static void head(struct sheet *sheet, bool good, const char *what)
{
    sheet_add(sheet, good ? ROLE_GOOD : ROLE_NOTE, "%-8s", good ? "found" : "missing");
    sheet_add(sheet, ROLE_TITLE, " %s", what);
    sheet_to(sheet, WORDS_AT);
    sheet_hang(sheet, WORDS_AT);
}

// Text that may be as long as a path: on the screen it wraps, on paper it stays whole.
static void row(struct sheet *sheet, bool good, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void row(struct sheet *sheet, bool good, const char *what, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    head(sheet, good, what);
    sheet_flow_n(sheet, ROLE_TEXT, text_string(&text), text.length);
    sheet_end(sheet);
    text_free(&text);
}

// Sentences that say what to do; they are read best at this width.
static void missing(struct sheet *sheet, const char *what, const char *advice)
{
    enum { SENTENCE = 80 };
    int width = sheet->width;
    head(sheet, false, what);
    sheet->width = width < SENTENCE ? width : SENTENCE;
    sheet_flow(sheet, ROLE_TEXT, "%s", advice);
    sheet_end(sheet);
    sheet->width = width;
}

static void show_compilers(struct sheet *sheet, const json_t *compilers)
{
    size_t i;
    json_t *compiler;
    bool found = false;
    json_array_foreach(compilers, i, compiler)
    {
        bool here = json_is_true(json_object_get(compiler, "found"));
        if (here)
            row(sheet, true, text_of(compiler, "name"), "%s  %s", text_of(compiler, "version"),
                text_of(compiler, "path"));
        else if (!found) // one compiler is enough: what comes after it is only a stand-in
            missing(sheet, text_of(compiler, "name"), text_of(compiler, "advice"));
        found |= here;
    }
}

static void show_gpu(struct sheet *sheet, const json_t *report)
{
    const json_t *gpu = json_object_get(report, "gpu"), *ceilings = json_object_get(report, "ceilings");
    char l2[32], memory[32], others[64] = "";
    if (!gpu) {
        missing(sheet, "gpu", text_of(report, "gpu_missing"));
        return;
    }
    format_bytes(number_of(gpu, "l2_bytes"), l2, sizeof l2);
    format_bytes(number_of(gpu, "memory_bytes"), memory, sizeof memory);
    if (number_of(gpu, "alike") > 1)
        format_into(others, sizeof others, ", one of %.0f: a run takes the least used",
                    number_of(gpu, "alike"));
    row(sheet, true, "gpu", "%s, sm_%.0f, %.0f SMs, %s, L2 %s%s", text_of(gpu, "name"),
        number_of(gpu, "target"), number_of(gpu, "sm_count"), memory, l2, others);
    int driver = (int)number_of(gpu, "driver_version");
    row(sheet, true, "driver", "for CUDA %d.%d  %s", driver / 1000, driver % 1000 / 10,
        text_of(report, "driver_path"));
    if (!ceilings) {
        missing(sheet, "ceilings", text_of(report, "ceilings_missing"));
        return;
    }
    head(sheet, true, "ceilings");
    sheet_flow(sheet, ROLE_TEXT, "read %.0f GB/s, copy %.0f GB/s, empty launch %.1f us",
               number_of(ceilings, "read_gbps"), number_of(ceilings, "copy_gbps"),
               number_of(ceilings, "launch_us"));
    const json_t *tensor = json_object_get(ceilings, "tensor_gflops");
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)tensor, key, value) if (json_number_value(value) > 0)
        sheet_flow(sheet, ROLE_TEXT, ", tensor cores %s %.0f TFLOP/s", key, json_number_value(value) / 1e3);
    sheet_flow(sheet, ROLE_DIM, "  measured %.10s", text_of(ceilings, "date"));
    sheet_end(sheet);
}

// A worker that does not say what it has is older than this, or a stand-in.
static void show_confinement(struct sheet *sheet, const json_t *confinement)
{
    int landlock = (int)number_of(confinement, "landlock");
    bool filters = json_is_true(json_object_get(confinement, "seccomp"));
    if (!confinement)
        return;
    if (json_is_true(json_object_get(confinement, "sanitizer")))
        missing(sheet, "confined",
                "This build has a sanitizer, so what compiles and runs kernels keeps all rights. It is for "
                "developers; make builds the other one.");
    else if (json_is_true(json_object_get(confinement, "profiler")))
        missing(sheet, "confined",
                "A profiler or compute-sanitizer looks into this program, and could not if what compiles and "
                "runs kernels had given up its rights. Profile only kernels that you trust.");
    else if (landlock && filters)
        row(sheet, true, "confined",
            "kernels have no files, no network and no programs (Landlock %d, seccomp)", landlock);
    else if (filters)
        missing(sheet, "confined",
                "This Linux has seccomp but no Landlock (5.13 or newer, and switched on): kernels have no "
                "network and no programs, but one that breaks out of its compiler could read your files.");
    else
        missing(sheet, "confined",
                "This Linux has no seccomp: a kernel that breaks out of its compiler or of the simulator "
                "could do what you can.");
}

static void show_locks(struct sheet *sheet, const json_t *locks)
{
    static const char otherwise[] =
        "Runs that others start at the same time may disturb each other's times. Set "
        "WARPBOOK_LOCKS, or `locks` in the site's file, to a local folder that all who "
        "measure on this machine see and may write to.";
    char *advice = NULL;
    const char *folder = text_of(locks, "folder");
    if (!locks)
        return;
    if (!json_is_true(json_object_get(locks, "usable")))
        advice = text_format("%s cannot be written to, so runs do not take turns. %s", folder, otherwise);
    else if (json_is_true(json_object_get(locks, "private")))
        advice = text_format(
            "%s belongs to this job or container alone, so its runs take turns with no others. %s", folder,
            otherwise);
    else if (json_is_true(json_object_get(locks, "distant")))
        advice = text_format("%s is on another machine's file system, where locks may not hold. %s", folder,
                             otherwise);
    if (advice)
        missing(sheet, "locks", advice);
    else
        row(sheet, true, "locks", "%s  one run measures at a time", folder);
    free(advice);
}

static void show_terminal(struct sheet *sheet, const json_t *terminal)
{
    bool utf8 = strcmp(text_of(terminal, "codeset"), "UTF-8") == 0;
    row(sheet, *text_of(terminal, "term"), "terminal", "TERM=%s, %.0f x %.0f%s", text_of(terminal, "term"),
        number_of(terminal, "columns"), number_of(terminal, "rows"),
        json_is_true(json_object_get(terminal, "output_is_terminal")) ? "" : ", output goes elsewhere");
    row(sheet, utf8, "locale", "%s, %s%s", text_of(terminal, "locale"), text_of(terminal, "codeset"),
        utf8 ? "" : ": bars are drawn in ASCII; LC_ALL=C.UTF-8 draws them finer");
}

static void show_cache(struct sheet *sheet, const json_t *cache)
{
    char bytes[32], limit[32];
    format_bytes(number_of(cache, "bytes"), bytes, sizeof bytes);
    format_bytes(number_of(cache, "limit_bytes"), limit, sizeof limit);
    const char *path = text_of(cache, "path"), *trouble = text_of(cache, "trouble");
    if (*trouble)
        row(sheet, false, "cache", "%s  %s", path, trouble);
    else
        row(sheet, true, "cache", "%s  %.0f kernels, %s of %s", path, number_of(cache, "entries"), bytes,
            limit);
}

// The folder, and its keys where something is wrong with them; those that nobody changed need no line.
static void show_own(struct sheet *sheet, const json_t *own)
{
    const char *trouble = text_of(own, "trouble"), *keys = text_of(own, "keys");
    row(sheet, !*trouble, "own", "%s  %s", text_of(own, "path"),
        *trouble ? trouble : "your workbook, keys and copies of kernels");
    if (!*keys)
        return;
    char *first = mem_copy_n(keys, strcspn(keys, "\n"));
    missing(sheet, "keys", first);
    free(first);
}

// The files of the site that count or are ignored; where there is none, nothing need be said.
static void show_site(struct sheet *sheet)
{
    const struct site *site = site_read();
    for (size_t i = 0; i < site->file_count; i++) {
        const struct site_file *file = &site->files[i];
        if (file->there && file->trouble.length)
            row(sheet, false, "site", "%s  %s", file->path, file->trouble.data);
        else if (file->there)
            row(sheet, true, "site", "%s  %s", file->path,
                file->used ? "settings of the site: 'warpbook site' shows them" : "nothing in it counts");
    }
}

// Shows the connection to the machine that runs go to by ssh.
static void show_connection(struct sheet *sheet)
{
    struct ssh_route route;
    if (ssh_route_read(site_worker(), &route)) {
        if (ssh_route_is_open(&route))
            row(sheet, true, "connection", "to %s, kept by 'warpbook connect'", route.host);
        else
            row(sheet, false, "connection",
                "'warpbook connect %s' keeps one, so that not every worker logs in", route.host);
    }
    ssh_route_free(&route);
}

struct sheet machine_sheet(const json_t *report, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    show_compilers(&sheet, json_object_get(report, "compilers"));
    show_gpu(&sheet, report);
    show_confinement(&sheet, json_object_get(report, "confinement"));
    show_locks(&sheet, json_object_get(report, "locks"));
    show_terminal(&sheet, json_object_get(report, "terminal"));
    show_cache(&sheet, json_object_get(report, "cache"));
    show_own(&sheet, json_object_get(report, "own"));
    row(&sheet, access(text_of(report, "kernels"), R_OK) == 0, "kernels", "%s", text_of(report, "kernels"));
    show_site(&sheet);
    show_connection(&sheet);
    if (site_worker()) {
        sheet_flow(&sheet, ROLE_NOTE, "runs go to: %s%s%s%s", text_of(report, "worker"),
                   *text_of(report, "host") ? " (on " : "", text_of(report, "host"),
                   *text_of(report, "host") ? ")" : "");
        sheet_end(&sheet);
    }
    return sheet;
}

// ---- what this end knows ----------------------------------------------------------------------------------------

static json_t *describe_terminal(int columns, bool terminal)
{
    const char *term = getenv("TERM"), *locale = setlocale(LC_CTYPE, NULL);
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return json_pack("{s:s, s:i, s:i, s:b, s:s, s:s}", "term", term ? term : "", "columns", columns, "rows",
                     known ? size.ws_row : 24, "output_is_terminal", terminal, "locale",
                     locale ? locale : "C", "codeset", nl_langinfo(CODESET));
}

// Whether a folder that is not there can be made: in the nearest one above it that is.
static bool can_be_made(const char *path)
{
    char *above = mem_copy(path);
    const char *nearest = above;
    while (nearest == above && access(above, F_OK) != 0) {
        char *slash = strrchr(above, '/');
        if (slash && slash > above)
            *slash = 0;
        else
            nearest = slash ? "/" : ".";
    }
    bool can = access(nearest, W_OK | X_OK) == 0;
    free(above);
    return can;
}

// Why nothing can be kept in a folder, which is made when it is first needed; "": it can. `variable` names another one.
static void folder_trouble(const char *path, const char *variable, struct text *out)
{
    struct stat state;
    const char *trouble = NULL;
    text_add(out, "");
    if (!path) {
        text_addf(out, "no folder of your own is known: set %s", variable);
        return;
    }
    if (stat(path, &state) != 0)
        trouble = errno != ENOENT      ? "cannot be read"
                  : !can_be_made(path) ? "does not exist and cannot be made"
                                       : NULL;
    else if (!S_ISDIR(state.st_mode) || access(path, W_OK | X_OK) != 0)
        trouble = "cannot be written into, so nothing is kept";
    if (trouble)
        text_addf(out, "%s: set %s to another folder", trouble, variable);
}

static json_t *describe_cache(void)
{
    struct cache_state state;
    struct text trouble = { 0 };
    cache_describe(&state);
    folder_trouble(state.path, "WARPBOOK_CACHE", &trouble);
    json_t *cache = json_pack("{s:s, s:I, s:I, s:I, s:s}", "path", state.path ? state.path : "", "entries",
                              (json_int_t)state.entries, "bytes", (json_int_t)state.bytes, "limit_bytes",
                              (json_int_t)state.limit_bytes, "trouble", text_string(&trouble));
    text_free(&trouble);
    cache_state_free(&state);
    return cache;
}

static json_t *describe_own(const struct vocabulary *known)
{
    char *path = path_own("");
    struct text trouble = { 0 };
    folder_trouble(path, "WARPBOOK_HOME", &trouble);
    size_t length = path ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/')
        path[--length] = 0;
    json_t *own = json_pack("{s:s, s:s}", "path", path ? path : "", "trouble", text_string(&trouble));
    text_free(&trouble);
    struct keys keys = { 0 };
    struct error error;
    if (own && !keys_read(&keys, known, &error))
        json_object_set_new(own, "keys", json_string(error.text));
    keys_free(&keys);
    free(path);
    return own;
}

void machine_add_here(json_t *report, const struct vocabulary *known, int columns, bool terminal)
{
    const char *worker = site_worker();
    char *data = path_shipped("kernels");
    struct utsname system;
    json_object_set_new(report, "warpbook", json_string(WARPBOOK_VERSION));
    json_object_set_new(report, "terminal", describe_terminal(columns, terminal));
    json_object_set_new(report, "cache", describe_cache());
    json_object_set_new(report, "own", describe_own(known));
    json_object_set_new(report, "kernels", json_string(data));
    json_object_set_new(report, "worker", json_string(worker ? worker : "this machine"));
    if (uname(&system) == 0)
        json_object_set_new(report, "system",
                            json_sprintf("%s %s %s", system.sysname, system.release, system.machine));
    free(data);
}

// ---- the page -----------------------------------------------------------------------------------------------------

struct machine_page {
    struct reader reader;
    json_t *report; // made for the next two; counting what the cache holds takes too long for every frame
    json_t *machine;
    int rows, cols;
};

static bool open_machine(struct page *page, const struct words *words, struct error *error)
{
    ((struct machine_page *)page->state)->reader.selected = -1;
    runs_ask(page->app);
    return true;
}

static void describe(struct machine_page *state, const struct vocabulary *known, json_t *machine,
                     const struct canvas *canvas)
{
    if (state->report && state->machine == machine && state->rows == canvas->rows &&
        state->cols == canvas->cols)
        return;
    json_decref(state->report);
    json_decref(state->machine);
    state->report = json_copy(machine);
    state->machine = json_incref(machine);
    state->rows = canvas->rows;
    state->cols = canvas->cols;
    machine_add_here(state->report, known, canvas->cols, true);
}

static void draw_machine(struct page *page, struct area area)
{
    struct machine_page *state = page->state;
    json_t *machine = (json_t *)runs_machine(page->app);
    struct sheet sheet;
    area = area_part(area, 0, 1, area.rows, area.cols - 1);
    if (machine) {
        describe(state, &page->app->known, machine, area.canvas);
        sheet = machine_sheet(state->report, area.cols, area.canvas->utf8);
    } else {
        sheet = sheet_new(area.cols, area.canvas->utf8);
        sheet_paragraph(&sheet, ROLE_DIM, 0, "The worker is being asked what its machine has.");
    }
    reader_show(&state->reader, sheet, 0);
    reader_draw(&state->reader, area);
}

static void close_machine(struct page *page)
{
    struct machine_page *state = page->state;
    json_decref(state->report);
    json_decref(state->machine);
    reader_free(&state->reader);
}

static const char *hints(const struct page *page)
{
    return "page-down page, search, copy copy";
}

const struct page_ops machine_page = {
    .name = "machine",
    .help = "What was found on this machine, and what to do about what is missing.",
    .size = sizeof(struct machine_page),
    .open = open_machine,
    .draw = draw_machine,
    .act = reader_page_act,
    .word = reader_page_word,
    .hints = hints,
    .copy = reader_page_copy,
    .offers = reader_page_offers,
    .close = close_machine
};
