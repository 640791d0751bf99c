// Golden screens: the whole program over a face that reads a script instead of a terminal. Each tests/screen/NAME.script
// drives it through its own input; `screen` compares what it shows, text and roles, with tests/screen/NAME.WORD.txt.
//
//   size ROWS COLS      a resize; before anything else it is the size at the start
//   ascii               plain ASCII, no UTF-8 (only at the start)
//   machine gpu|none    what the stand-in for the worker has (only at the start; none)
//   file NAME TEXT      writes a file into the learner's folder; \n is a newline (only at the start)
//   do WORDS            as if a key were bound to them
//   keys KEYS           one after the other: characters, <Enter>, <Down>, ^D
//   paste TEXT
//   click ROW COL       wheel N
//   settle              waits until nothing runs
//   screen WORD         the golden screen
//
// `make screens` writes what is shown now into the files; the difference is for git diff to show.
#include "tui/view/view.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { EVENTS = 256, SETTLE_MS = 60000 };

struct script {
    const char *name; // of the file, without its end
    const char *at;   // the next line
    struct event queue[EVENTS];
    size_t first, count;
    struct app *app;
    int rows, cols;
    bool settling, started;
    struct text trouble; // screens that differ
    char does[400];      // words for app_do, once the loop is back
};

// ---- golden screens ---------------------------------------------------------------------------------------

static size_t line_count(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static const char *line_at(const char *text, size_t index, size_t *length)
{
    for (; index && *text; index--) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    *length = strcspn(text, "\n");
    return text;
}

static void differ(struct text *out, const char *want, const char *got)
{
    size_t lines = line_count(want) > line_count(got) ? line_count(want) : line_count(got);
    for (size_t i = 0; i < lines; i++) {
        size_t want_length, got_length;
        const char *wanted = line_at(want, i, &want_length), *shown = line_at(got, i, &got_length);
        if (want_length == got_length && memcmp(wanted, shown, got_length) == 0)
            continue;
        text_addf(out, "%4zu want |%.*s|\n%4zu got  |%.*s|\n", i + 1, (int)want_length, wanted, i + 1,
                  (int)got_length, shown);
    }
}

static void compare_screen(struct script *script, const char *word)
{
    struct text shown = { 0 }, roles = { 0 }, golden = { 0 };
    struct error error;
    char path[300];
    const struct canvas *canvas = &script->app->canvas;
    format_into(path, sizeof path, "tests/screen/%s.%s.txt", script->name, word);
    canvas_dump(canvas, &shown, &roles);
    text_addf(&shown, "---- cursor %d %d%s\n", canvas->cursor_row, canvas->cursor_col,
              canvas->cursor_shown ? "" : " hidden");
    text_add(&shown, text_string(&roles));
    if (getenv("UPDATE_SCREENS")) {
        if (!file_replace(path, shown.data, shown.length, &error))
            text_addf(&script->trouble, "%s\n", error.text);
    } else if (!file_read(path, &golden, &error)) {
        text_addf(&script->trouble, "%s ('make screens' makes it)\n", error.text);
    } else if (strcmp(text_string(&golden), shown.data) != 0) {
        text_addf(&script->trouble, "%s differs:\n", path);
        differ(&script->trouble, text_string(&golden), shown.data);
    }
    text_free(&shown);
    text_free(&roles);
    text_free(&golden);
}

// ---- the script ---------------------------------------------------------------------------------------------

static void push(struct script *script, struct event event)
{
    if (script->count == EVENTS)
        fail_msg("%s: more than %d keys at once", script->name, EVENTS);
    script->queue[(script->first + script->count++) % EVENTS] = event;
}

// The next key of "jj<Enter>^D"; a lone '<' or '^' before a blank stands for itself.
static int next_key(const char **at)
{
    const char *p = *at;
    size_t length = 1;
    if (*p == '<' && strchr(p, '>'))
        length = (size_t)(strchr(p, '>') - p) + 1;
    else if ((*p == '^' && p[1] > ' ') || (*p == 'M' && p[1] == '-'))
        length = *p == '^' ? 2 : 3;
    else
        while ((p[length] & 0xc0) == 0x80)
            length++;
    int key = key_of_name(p, length);
    *at = p + length;
    return key;
}

static void push_keys(struct script *script, const char *keys)
{
    while (*keys) {
        const char *from = keys;
        int key = *keys == ' ' ? (keys++, ' ') : next_key(&keys);
        if (!key)
            fail_msg("%s: no such key: %s", script->name, from);
        push(script, (struct event){ .kind = EVENT_KEY, .key = key });
    }
}

static const char *after(const char *line, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] && line[length] != ' '))
        return NULL;
    return line + length + (line[length] == ' ');
}

static void resize(struct script *script, const char *size)
{
    if (sscanf(size, "%d %d", &script->rows, &script->cols) != 2)
        fail_msg("%s: size takes rows and columns", script->name);
    if (script->started)
        push(script, (struct event){ .kind = EVENT_RESIZE, .rows = script->rows, .cols = script->cols });
}

static void mouse(struct script *script, const char *rest, bool wheel)
{
    struct event event = { .kind = EVENT_MOUSE };
    if (sscanf(rest, wheel ? "%d" : "%d %d", wheel ? &event.wheel : &event.row, &event.col) < 1)
        fail_msg("%s: click takes a row and a column, wheel a number", script->name);
    push(script, event);
}

// One line of the script; what it asks for is queued, compared or remembered.
static void script_line(struct script *script, const char *line)
{
    const char *rest;
    if (!*line || *line == '#')
        return;
    if ((rest = after(line, "size")))
        resize(script, rest);
    else if ((rest = after(line, "keys")))
        push_keys(script, rest);
    else if ((rest = after(line, "do")))
        format_into(script->does, sizeof script->does, "%s", rest);
    else if ((rest = after(line, "paste")))
        push(script, (struct event){ .kind = EVENT_PASTE, .text = mem_copy(rest) });
    else if ((rest = after(line, "click")))
        mouse(script, rest, false);
    else if ((rest = after(line, "wheel")))
        mouse(script, rest, true);
    else if ((rest = after(line, "screen")))
        compare_screen(script, rest);
    else if (after(line, "settle"))
        script->settling = true;
    else if (!after(line, "ascii") && !after(line, "machine") && !after(line, "file"))
        fail_msg("%s: what is '%s'?", script->name, line);
}

static bool idle(struct app *app)
{
    return !tasks_waiting(app->tasks, LANE_RUNS) && !tasks_waiting(app->tasks, LANE_HELP);
}

// ---- the face -------------------------------------------------------------------------------------------------

static void face_size(void *context, int *rows, int *cols)
{
    struct script *script = context;
    *rows = script->rows;
    *cols = script->cols;
}

static void face_show(void *context, const struct canvas *canvas)
{
}

static void wait_for_tasks(struct script *script, int wake, struct event *out)
{
    struct pollfd fd = { wake, POLLIN, 0 };
    if (idle(script->app)) {
        script->settling = false;
        out->kind = EVENT_WOKEN; // whatever is done is collected and drawn
        return;
    }
    if (poll(&fd, 1, SETTLE_MS) != 1)
        fail_msg("%s: nothing settled within %d s", script->name, SETTLE_MS / 1000);
    out->kind = EVENT_WOKEN;
}

static void face_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct script *script = context;
    script->started = true;
    for (;;) {
        if (script->settling) {
            wait_for_tasks(script, wake, out);
            return;
        }
        if (script->count) {
            *out = script->queue[script->first];
            script->first = (script->first + 1) % EVENTS;
            script->count--;
            return;
        }
        if (*script->does) { // the loop sees a key that nothing is bound to; do_words does the rest
            char words[sizeof script->does];
            format_into(words, sizeof words, "%s", script->does);
            *script->does = 0;
            app_do(script->app, words);
            out->kind = EVENT_WOKEN;
            return;
        }
        if (!*script->at) {
            out->kind = EVENT_END;
            return;
        }
        size_t length = strcspn(script->at, "\n");
        char *line = mem_copy_n(script->at, length);
        script->at += length + (script->at[length] == '\n');
        script_line(script, line);
        free(line);
    }
}

static bool face_lend(void *context, const char *const *argv, int *status, struct error *error)
{
    struct child_result result;
    if (!child_run(argv, NULL, 0, 10000, &result, error))
        return false;
    *status = result.status;
    child_result_free(&result);
    return true;
}

// ---- the stand-in for the worker ----------------------------------------------------------------------------------

// Answers with records that are on file, so that every machine shows the same: a GPU's from assets/recorded, the
// simulator's from tests/data/screen, the CPU's made up by the place of the implementation on its ladder.
static json_t *record_on_file(const char *path, const char *variant, const char *preset, const char *data)
{
    struct text text = { 0 };
    struct error error;
    json_t *found = NULL;
    if (!file_read(path, &text, &error))
        return NULL;
    for (char *line = strtok(text.data, "\n"); line && !found; line = strtok(NULL, "\n")) {
        json_t *record = json_loads(line, 0, NULL);
        const char *size = json_string_value(json_object_get(record, "preset"));
        const char *made = json_string_value(json_object_get(record, "data"));
        bool fits = strcmp(json_string_value(json_object_get(record, "variant")), variant) == 0 && size &&
                    strcmp(size, preset) == 0 && (!data || !made || strcmp(made, data) == 0);
        if (fits)
            found = json_incref(record);
        json_decref(record);
    }
    text_free(&text);
    return found;
}

static json_t *cpu_record(const char *lab, const char *variant)
{
    const struct lab *one = lab_find(lab);
    for (size_t i = 0; one && i < one->cpu_count; i++)
        if (strcmp(one->cpu[i].name, variant) == 0)
            return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:i, s:i, s:f, s:i, s:i}", "lab",
                             lab, "variant", variant, "title", one->cpu[i].title, "backend", "cpu", "status",
                             "right", "device", "Test CPU", "median_ms", 400.0 / (double)(i + 1), "min_ms",
                             390.0 / (double)(i + 1), "spread_pct", 1.5, "reps", 5, "threads", 8,
                             "bandwidth_gbps", 1.3 * (double)(i + 1), "compared", 256, "wrong", 0);
    return NULL;
}

static json_t *answer_run(const json_t *request)
{
    const char *lab = json_string_value(json_object_get(request, "lab"));
    const char *variant = json_string_value(json_object_get(request, "variant"));
    const char *on = json_string_value(json_object_get(request, "on"));
    const char *preset = json_string_value(json_object_get(request, "preset"));
    const char *data = json_string_value(json_object_get(request, "data"));
    char path[200];
    if (strcmp(on, "cpu") == 0)
        return cpu_record(lab ? lab : "", variant);
    if (strcmp(on, "gpu") == 0 && strcmp(getenv("SCREEN_MACHINE"), "gpu") != 0)
        return NULL;
    format_into(path, sizeof path,
                strcmp(on, "gpu") == 0 ? "assets/recorded/%s.jsonl" : "tests/data/screen/%s.jsonl",
                lab ? lab : "alone");
    return record_on_file(path, variant, preset ? preset : strcmp(on, "gpu") == 0 ? "full" : "small", data);
}

static json_t *answer_describe(void)
{
    bool gpu = strcmp(getenv("SCREEN_MACHINE"), "gpu") == 0;
    json_t *machine = json_pack("{s:[{s:s, s:b, s:s, s:s}]}", "compilers", "name", "NVRTC", "found", 1,
                                "version", "13.0", "path", "/usr/lib/libnvrtc.so");
    if (gpu)
        json_object_set_new(machine, "gpu",
                            json_pack("{s:s, s:i, s:i, s:f, s:f, s:i}", "name", "NVIDIA H100 80GB HBM3",
                                      "target", 90, "sm_count", 132, "memory_bytes", 85e9, "l2_bytes",
                                      52428800.0, "driver_version", 13000));
    else
        json_object_set_new(
            machine, "gpu_missing",
            json_string("There is no NVIDIA driver here. The simulator and the recorded results stand in."));
    return machine;
}

static int serve(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        json_t *request = json_loads(line, 0, NULL);
        bool run = strcmp(json_string_value(json_object_get(request, "do")), "run") == 0;
        json_t *result = run ? answer_run(request) : answer_describe();
        json_t *answer = json_pack("{s:O}", "id", json_object_get(request, "id"));
        if (result)
            json_object_set_new(answer, "result", result);
        else
            json_object_set_new(answer, "error",
                                json_pack("{s:i, s:s}", "code", 3, "text", "There is no GPU here."));
        char *text = json_dumps(answer, JSON_COMPACT);
        printf("%s\n", text);
        fflush(stdout);
        free(text);
        json_decref(answer);
        json_decref(request);
    }
    free(line);
    return 0;
}

// ---- one script ----------------------------------------------------------------------------------------------------

static void write_file(const char *rest)
{
    char name[100];
    struct text text = { 0 };
    struct error error;
    int used = 0;
    if (sscanf(rest, "%99s %n", name, &used) != 1)
        fail_msg("file takes a name and a text");
    for (const char *c = rest + used; *c; c++) {
        bool newline = *c == '\\' && c[1] == 'n';
        text_add_n(&text, newline ? "\n" : c, 1);
        c += newline;
    }
    char *path = path_own(name);
    char *folder = mem_copy_n(path, (size_t)(strrchr(path, '/') - path));
    if (!folder_make(folder, &error) || !file_replace(path, text.data, text.length, &error))
        fail_msg("%s", error.text);
    free(folder);
    free(path);
    text_free(&text);
}

static void prepare(struct script *script, const char *text, bool *utf8)
{
    const char *rest;
    setenv("SCREEN_MACHINE", "none", 1);
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        char *line = mem_copy_n(at, length);
        if ((rest = after(line, "ascii")))
            *utf8 = false;
        else if ((rest = after(line, "machine")))
            setenv("SCREEN_MACHINE", rest, 1);
        else if ((rest = after(line, "file")))
            write_file(rest);
        free(line);
        at += length + (at[length] == '\n');
    }
}

static void run_script(void **state)
{
    const char *path = *state;
    char name[200], own[300];
    struct text text = { 0 };
    struct error error;
    struct app app = { .fixed_now = 1 };
    bool utf8 = true;
    format_into(name, sizeof name, "%.*s", (int)(strlen(path) - strlen("tests/screen/.script")),
                path + strlen("tests/screen/"));
    format_into(own, sizeof own, "%s/own-%s", getenv("HOME"), name);
    setenv("WARPBOOK_HOME", own, 1); // every script starts with a workbook of its own
    if (!file_read(path, &text, &error))
        fail_msg("%s", error.text);
    struct script script = { .name = name, .at = text_string(&text), .app = &app, .rows = 24, .cols = 80 };
    prepare(&script, script.at, &utf8);
    sscanf(script.at, "size %d %d", &script.rows, &script.cols);
    struct face face = {
        .context = &script, .size = face_size, .show = face_show, .next = face_next, .lend = face_lend
    };
    app.prompt = prompt_new();
    app_init(&app, face, utf8);
    app_main(&app, "");
    app_end(&app);
    prompt_free(app.prompt);
    text_free(&text);
    if (script.trouble.length) {
        print_message("%s", script.trouble.data);
        text_free(&script.trouble);
        fail_msg("%s: the screens differ", name);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    if (count > 1 && strcmp(words[1], "--serve") == 0)
        return serve();
    if (count > 1) { // the program looks for itself to run a command or a compile
        execv(getenv("WARPBOOK"), words);
        return 127;
    }
    struct CMUnitTest tests[256];
    size_t found = 0;
    const char *only = getenv("SCREEN");
    DIR *folder = opendir("tests/screen");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (string_ends(entry->d_name, ".script") && found < 256 && (!only || strstr(entry->d_name, only))) {
            char *path = path_join("tests/screen", entry->d_name);
            tests[found++] =
                (struct CMUnitTest){ .name = path, .test_func = run_script, .initial_state = path };
        }
    if (folder)
        closedir(folder);
    qsort(tests, found, sizeof *tests, by_name);
    char *self = path_self();
    char worker[400];
    format_into(worker, sizeof worker, "%s --serve", self);
    setenv("WARPBOOK_WORKER", worker, 1);
    setenv("VISUAL", "true", 1);
    int failed = _cmocka_run_group_tests("screens", tests, found, NULL, NULL);
    for (size_t i = 0; i < found; i++)
        free((char *)tests[i].name);
    free(self);
    return failed;
}
