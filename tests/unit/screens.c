// Golden screens: the whole program over a face that reads a script instead of a terminal. Each tests/screen/NAME.script
// drives it through its own input; `screen` compares what it shows, text and roles, with tests/screen/NAME.WORD.txt.
//
//   size ROWS COLS      a resize; before anything else it is the size at the start
//   ascii               plain ASCII, no UTF-8 (only at the start)
//   flat                as --flat (only at the start); each screen is then looked through for frames, bars, and a cursor that
//                       is not on the chosen row
//   machine gpu|none|unasked  what the stand-in for the worker has (only at the start; none); it is asked at once, or
//                       only when somebody needs it
//   lessons FOLDER      these lessons in the place of those that ship (only at the start)
//   file NAME TEXT      writes a file into the learner's folder; \n is a newline (only at the start)
//   compiler PTX DEBUG  the compiler is one that makes the first of these files, below the repository, of every kernel, and
//                       the second one of every debug build (only at the start)
//   shell COMMAND       runs it in the learner's folder, as another program beside this one would
//   tick                the time is up that a page waits until it looks at something again
//   editor COMMAND      what $VISUAL is from here on; the path of the file follows it
//   do WORDS            as if a key were bound to them
//   keys KEYS           one after the other: characters, <Enter>, <Down>, ^D
//   paste TEXT
//   click ROW COL       wheel N
//   settle              waits until nothing runs
//   hold, release       between them the stand-in for the worker keeps its answers
//   until WORDS         waits until they are on the screen
//   screen WORD         the golden screen
//
// `make screens` writes what is shown now (SCREEN=WORD: of the scripts whose name holds it); `git diff` shows what that
// changed. Where a screen differs, the test tells which rows, and how in text and in roles. The stand-in answers for
// the simulator with tests/data/screen/LAB.jsonl: what `warpbook sim LAB/STEP --json` prints, without times and ncu. A
// line with "answer": WORD is for a kernel that holds the string "answer WORD".
#include "tests/child.h"
#include "tests/unit/stand_in.h"
#include "tui/tui.h"
#include "tui/view/view.h"

#include <ctype.h>
#include <dirent.h>
#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, &banner };

enum { EVENTS = 256, SETTLE_MS = 180000, GOLDENS = 1024 };

// What all scripts share.
struct screens {
    char root[300];       // of the repository: scripts run in a folder of their own,
                          // where paths are short
    char *asked[GOLDENS]; // golden screens that some script has; any other file
                          // is left over
    size_t count;
};
struct named {
    char *path; // below the root
    struct screens *screens;
};
struct script {
    const char *name; // of the file, without its end
    const char *at;   // the next line
    struct screens *screens;
    struct event queue[EVENTS];
    size_t first, count;
    struct app *app;
    int rows, cols;
    bool settling, started;
    int held;            // the lock that holds the stand-in's answers; -1: none
    char awaited[200];   // must be on the screen before it goes on
    char does[400];      // words for app_do, once the loop is back
    struct text trouble; // screens that differ
};

// ---- golden screens
// ---------------------------------------------------------------------------------------

// The line at *text, which moves on; "" after the last.
static const char *take_line(const char **text, size_t *length)
{
    const char *line = *text;
    *length = strcspn(line, "\n");
    *text += *length + (line[*length] == '\n');
    return line;
}

// Row by row what is and what should be: first the text, then below the cursor
// the roles.
static void differ(struct text *out, const char *want, const char *got)
{
    bool roles = false;
    for (int row = 0; *want || *got; row++) {
        size_t want_length, got_length;
        const char *wanted = take_line(&want, &want_length), *shown = take_line(&got, &got_length);
        bool same = want_length == got_length && memcmp(wanted, shown, got_length) == 0;
        bool cursor = strncmp(wanted, "----", 4) == 0;
        if (!same)
            text_addf(out, "  %s %3d  want |%.*s|\n             got  |%.*s|\n",
                      cursor  ? "cursor  "
                      : roles ? "roles of"
                              : "text of ",
                      cursor ? 0 : row, (int)want_length, wanted, (int)got_length, shown);
        if (cursor) {
            roles = true;
            row = -1;
        }
    }
}

// What was written just now has no time of its own: "today HH:MM", and yesterday's across midnight, are the same each day.
static void hide_now(char *text)
{
    static const char hidden[] = "DATE       TIME ";
    for (int ago = 0; ago < 2; ago++) {
        time_t at = time(NULL) - ago * 86400;
        char day[20];
        struct tm local;
        assert_non_null(localtime_r(&at, &local));
        size_t length = strftime(day, sizeof day, "%Y-%m-%d ", &local);
        for (char *found = text; (found = strstr(found, day)); found += length) {
            char *clock = found + length;
            if (strspn(clock, "0123456789:") == 5)
                memcpy(found, hidden, sizeof hidden - 1);
        }
    }
}

static void dump(const struct canvas *canvas, struct text *out)
{
    struct text roles = { 0 };
    canvas_dump(canvas, out, &roles);
    hide_now(out->data);
    text_addf(out, "---- cursor %d %d%s\n", canvas->cursor_row, canvas->cursor_col,
              canvas->cursor_shown ? "" : " hidden");
    text_add(out, text_string(&roles));
    text_free(&roles);
}

// ---- what whoever listens must not meet ----------------------------------------------------------------------

// Frames, blocks, arrows, braille patterns that are no braille, and signs that no word is beside.
static bool is_decoration(const struct cell *cell)
{
    static const char signs[] = "…·•›‹✓✗◆";
    const unsigned char *byte = (const unsigned char *)cell->text;
    bool drawn = byte[0] == 0xe2 && byte[1] >= 0x94 && byte[1] <= 0x97; // U+2500 to U+25FF
    bool braille = byte[0] == 0xe2 && byte[1] >= 0xa0 && byte[1] <= 0xa3;
    bool line = cell->role == ROLE_FRAME && strcmp(cell->text, " ") != 0;
    return drawn || braille || line || (byte[0] >= 0x80 && strstr(signs, cell->text));
}

// Whether the colour or a sign alone says something from this cell on, to the end of its role.
static bool says_by_colour(const struct cell *cell, int cells)
{
    static const enum role telling[] = { ROLE_GOOD, ROLE_BAD, ROLE_NOTE, ROLE_CPU, ROLE_GPU, ROLE_SIM };
    bool tells = false, words = false, seen = false;
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        tells |= cell->role == telling[i];
    for (int i = 0; i < cells && cell[i].role == cell->role; i++) {
        unsigned char byte = (unsigned char)cell[i].text[0];
        words |= byte >= 0x80 || isalnum(byte);
        seen |= byte > ' ';
    }
    return tells && seen && !words;
}

static void check_flat(struct script *script, const char *word)
{
    const struct canvas *canvas = &script->app->canvas;
    bool selected = false, here = false;
    for (int row = 0; row < canvas->rows; row++)
        for (int col = 0; col < canvas->cols; col++) {
            const struct cell *cell = &canvas->cells[row * canvas->cols + col];
            bool begins = !col || cell[-1].role != cell->role;
            if (is_decoration(cell) || (begins && says_by_colour(cell, canvas->cols - col)))
                text_addf(&script->trouble, "%s.%s: row %d, column %d: '%s' is no word\n", script->name, word,
                          row, col, cell->text);
            selected |= cell->marks & MARK_SELECTED;
            here |= cell->marks & MARK_SELECTED && row == canvas->cursor_row;
        }
    if (selected && !here)
        text_addf(&script->trouble, "%s.%s: the cursor is not on the chosen row\n", script->name, word);
    if (!canvas->cursor_shown)
        text_addf(&script->trouble, "%s.%s: the cursor is hidden\n", script->name, word);
}

// ---- golden screens, compared ------------------------------------------------------------------------------------

static void compare_screen(struct script *script, const char *word)
{
    if (drawn_flat)
        check_flat(script, word);
    struct text shown = { 0 }, golden = { 0 };
    struct error error;
    char name[200], path[600];
    format_into(name, sizeof name, "%s.%s.txt", script->name, word);
    format_into(path, sizeof path, "%s/tests/screen/%s", script->screens->root, name);
    if (script->screens->count < GOLDENS)
        script->screens->asked[script->screens->count++] = mem_copy(name);
    dump(&script->app->canvas, &shown);
    bool there = file_read(path, &golden, &error);
    bool same = there && strcmp(text_string(&golden), shown.data) == 0;
    if (getenv("UPDATE_SCREENS")) {
        if (!same)
            print_message("%s %s\n", there ? "changed" : "new", name);
        if (!same && !file_replace(path, shown.data, shown.length, &error))
            text_addf(&script->trouble, "%s\n", error.text);
    } else if (!there) {
        text_addf(&script->trouble, "%s\n'make screens' makes it.\n", error.text);
    } else if (!same) {
        text_addf(&script->trouble, "%s differs:\n", name);
        differ(&script->trouble, text_string(&golden), shown.data);
    }
    text_free(&shown);
    text_free(&golden);
}

static bool shows(const struct canvas *canvas, const char *words)
{
    struct text text = { 0 };
    canvas_dump(canvas, &text, NULL);
    bool found = strstr(text_string(&text), words) != NULL;
    text_free(&text);
    return found;
}

// ---- the script
// ---------------------------------------------------------------------------------------------

static void push(struct script *script, struct event event)
{
    if (script->count == EVENTS)
        fail_msg("%s: more than %d keys at once", script->name, EVENTS);
    script->queue[(script->first + script->count++) % EVENTS] = event;
}

// The next key of "jj<Enter>^D"; a lone '<' or '^' before a blank stands for
// itself.
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

static void run_shell(const struct script *script, const char *command)
{
    char *folder = path_own(""), *here = getcwd(NULL, 0);
    if (!folder || !here || chdir(folder) != 0 || system(command) != 0 || chdir(here) != 0)
        fail_msg("%s: this failed: %s", script->name, command);
    free(here);
    free(folder);
}

static void hold_answers(struct script *script)
{
    script->held = open(setting("SCREEN_HOLD"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (script->held < 0 || flock(script->held, LOCK_EX) != 0)
        fail_msg("%s: cannot lock %s", script->name, getenv("SCREEN_HOLD"));
}

static void release_answers(struct script *script)
{
    if (script->held >= 0)
        close(script->held);
    script->held = -1;
}

static bool only_at_start(const char *line)
{
    return after(line, "ascii") || after(line, "flat") || after(line, "machine") || after(line, "file") ||
           after(line, "lessons") || after(line, "compiler");
}

// One line of the script; what it asks for is queued, compared or remembered.
static void script_line(struct script *script, const char *line)
{
    const char *rest;
    if (!*line || *line == '#' || only_at_start(line))
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
    else if ((rest = after(line, "shell")))
        run_shell(script, rest);
    else if (after(line, "tick"))
        push(script, (struct event){ .kind = EVENT_TICK });
    else if ((rest = after(line, "editor")))
        setenv("VISUAL", rest, 1);
    else if ((rest = after(line, "until")))
        format_into(script->awaited, sizeof script->awaited, "%s", rest);
    else if (after(line, "hold"))
        hold_answers(script);
    else if (after(line, "release"))
        release_answers(script);
    else if (after(line, "settle"))
        script->settling = true;
    else
        fail_msg("%s: what is '%s'?", script->name, line);
}

// ---- the face
// -------------------------------------------------------------------------------------------------

static void face_size(void *context, int *rows, int *cols)
{
    struct script *script = context;
    *rows = script->rows;
    *cols = script->cols;
}

static void face_show(void *context, const struct canvas *canvas)
{
}

static bool idle(struct app *app)
{
    return !tasks_waiting(app->tasks, LANE_RUNS) && !tasks_waiting(app->tasks, LANE_HELP);
}

// True: `out` is what came, and the program draws it before the script goes on.
static bool waits(struct script *script, int wake, struct event *out)
{
    struct pollfd fd = { wake, POLLIN, 0 };
    out->kind = EVENT_WOKEN; // whatever is done is collected and drawn
    if (*script->awaited && shows(&script->app->canvas, script->awaited))
        *script->awaited = 0;
    if (script->settling && idle(script->app)) {
        script->settling = false;
        return true;
    }
    if (!script->settling && !*script->awaited)
        return false;
    if (poll(&fd, 1, SETTLE_MS) != 1)
        fail_msg("%s: %s%s within %d s", script->name, *script->awaited ? "not shown: " : "nothing settled",
                 script->awaited, SETTLE_MS / 1000);
    return true;
}

static void face_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct script *script = context;
    script->started = true;
    for (;;) {
        if (waits(script, wake, out))
            return;
        if (script->count) {
            *out = script->queue[script->first];
            script->first = (script->first + 1) % EVENTS;
            script->count--;
            return;
        }
        if (*script->does) { // the words may change what is shown: the loop draws
                             // before the next line
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
        size_t length;
        const char *from = take_line(&script->at, &length);
        char *line = mem_copy_n(from, length);
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

// ---- one script
// ----------------------------------------------------------------------------------------------------

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

// What ships, but with other lessons: a folder of links.
static void other_lessons(const struct script *script, const char *folder)
{
    const char *const names[][2] = { { "kernels", "kernels" },
                                     { "assets", "assets" },
                                     { folder, "lessons" } };
    char data[300];
    struct error error;
    format_into(data, sizeof data, "data-%s", script->name);
    if (!folder_make(data, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *to = path_join(script->screens->root, names[i][0]), *link = path_join(data, names[i][1]);
        if (symlink(to, link) != 0)
            fail_msg("cannot link %s", link);
        free(to);
        free(link);
    }
    setenv("WARPBOOK_DATA", data, 1);
}

// A script in the place of clang. It holds what it prints: a compiler can read nothing of the tests.
static void other_compiler(const struct script *script, const char *rest)
{
    char names[2][200];
    struct text texts[2] = { 0 }, clang = { 0 };
    struct error error;
    if (sscanf(rest, "%199s %199s", names[0], names[1]) != 2)
        fail_msg("compiler takes two files");
    for (int i = 0; i < 2; i++) {
        char *path = path_join(script->screens->root, names[i]);
        if (!file_read(path, &texts[i], &error))
            fail_msg("%s", error.text);
        free(path);
    }
    text_addf(
        &clang,
        "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Test clang version 1.2.3'; exit 0; }\ncat >/dev/null\n"
        "case \" $* \" in *' -O0 '*) cat <<'END'\n%s\nEND\n;; *) cat <<'END'\n%s\nEND\n;; esac\n",
        texts[1].data, texts[0].data);
    char *path = path_join(setting("HOME"), "clang");
    if (!file_replace(path, clang.data, clang.length, &error) || chmod(path, 0700) != 0)
        fail_msg("the compiler cannot be written");
    setenv("WARPBOOK_CLANG", path, 1);
    free(path);
    for (int i = 0; i < 2; i++)
        text_free(&texts[i]);
    text_free(&clang);
}

static void prepare(struct script *script, bool *utf8)
{
    const char *rest;
    setenv("SCREEN_MACHINE", "none", 1);
    setenv("VISUAL", "true", 1);
    setenv("WARPBOOK_DATA", "shipped", 1);
    setenv("WARPBOOK_NVRTC", "none", 1); // the PTX is what ships, whatever is installed
    setenv("WARPBOOK_CLANG", "none", 1);
    drawn_flat = false;
    for (const char *at = script->at; *at;) {
        size_t length;
        const char *from = take_line(&at, &length);
        char *line = mem_copy_n(from, length);
        if (after(line, "ascii"))
            *utf8 = false;
        else if (after(line, "flat"))
            drawn_flat = true;
        else if ((rest = after(line, "machine")))
            setenv("SCREEN_MACHINE", rest, 1);
        else if ((rest = after(line, "file")))
            write_file(rest);
        else if ((rest = after(line, "lessons")))
            other_lessons(script, rest);
        else if ((rest = after(line, "compiler")))
            other_compiler(script, rest);
        free(line);
    }
    sscanf(script->at, "size %d %d", &script->rows, &script->cols);
}

// cmocka cuts a message that is long.
static void print_lines(const char *text)
{
    while (*text) {
        size_t length;
        const char *line = take_line(&text, &length);
        print_message("%.*s\n", (int)length, line);
    }
}

static void run_script(void **state)
{
    const struct named *named = *state;
    char name[200], path[600];
    struct text text = { 0 };
    struct error error;
    struct app app = { .timeless = true };
    bool utf8 = true;
    const char *file = strrchr(named->path, '/') + 1;
    format_into(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(".script")), file);
    setenv("WARPBOOK_HOME", name,
           1); // every script starts with a workbook of its own, below $HOME
    format_into(path, sizeof path, "%s/%s", named->screens->root, named->path);
    if (!file_read(path, &text, &error))
        fail_msg("%s", error.text);
    assert_int_equal(system("rm -rf cache"), 0); // no script finds what another has compiled
    struct script script = { .name = name,
                             .at = text_string(&text),
                             .screens = named->screens,
                             .app = &app,
                             .rows = 24,
                             .cols = 80,
                             .held = -1 };
    prepare(&script, &utf8);
    struct face face = {
        .context = &script, .size = face_size, .show = face_show, .next = face_next, .lend = face_lend
    };
    app.prompt = prompt_new();
    app_init(&app, &known, face, utf8);
    if (strcmp(setting("SCREEN_MACHINE"), "unasked") != 0)
        runs_ask(&app); // nobody asks a foreign worker, as the stand-in is one, before it is needed
    app_main(&app, "");
    release_answers(&script);
    app_end(&app);
    prompt_free(app.prompt);
    text_free(&text);
    if (script.trouble.length) {
        print_lines(script.trouble.data);
        text_free(&script.trouble);
        fail_msg("%s: the screens differ", name);
    }
}

// ---- all of them
// -----------------------------------------------------------------------------------------------------

static bool is_asked_for(const struct screens *screens, const char *name)
{
    for (size_t i = 0; i < screens->count; i++)
        if (strcmp(screens->asked[i], name) == 0)
            return true;
    return false;
}

// After all scripts: a golden screen that none of them has is left over from
// one that changed.
static void nothing_is_left_over(void **state)
{
    struct screens *screens = *state;
    char path[600];
    int left = 0;
    format_into(path, sizeof path, "%s/tests/screen", screens->root);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (string_ends(entry->d_name, ".txt") && !is_asked_for(screens, entry->d_name)) {
            left++;
            print_message("no script has a screen %s\n", entry->d_name);
        }
    if (folder)
        closedir(folder);
    assert_int_equal(left, 0);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

static size_t find_scripts(struct screens *screens, const char *only, struct CMUnitTest *tests, size_t room)
{
    size_t found = 0;
    DIR *folder = opendir("tests/screen");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!string_ends(entry->d_name, ".script") || found == room || (only && !strstr(entry->d_name, only)))
            continue;
        struct named *named = mem_new(sizeof *named);
        *named = (struct named){ path_join("tests/screen", entry->d_name), screens };
        tests[found++] =
            (struct CMUnitTest){ .name = named->path, .test_func = run_script, .initial_state = named };
    }
    if (folder)
        closedir(folder);
    qsort(tests, found, sizeof *tests, by_name);
    return found;
}

// All paths that a screen may show are relative to a folder of the tests' own.
static bool prepare_environment(struct screens *screens)
{
    char *self = path_self();
    bool made = self && getcwd(screens->root, sizeof screens->root) && chdir(setting("HOME")) == 0 &&
                symlink(screens->root, "shipped") == 0 && symlink(self, "worker") == 0;
    setenv("WARPBOOK_DATA", "shipped", 1);
    setenv("WARPBOOK_CACHE", "cache", 1);
    setenv("WARPBOOK_WORKER", "./worker --serve", 1);
    setenv("SCREEN_ROOT", screens->root, 1);
    setenv("SCREEN_HOLD", "hold", 1);
    setenv("TZ", "UTC", 1); // the workbook shows local times
    free(self);
    return made;
}

int main(int count, char **words)
{
    enum { MOST = 256 };
    struct CMUnitTest tests[MOST + 1];
    struct screens screens = { .count = 0 };
    const char *only = getenv("SCREEN");
    setlocale(LC_CTYPE, "C.UTF-8");
    if (count > 1 && strcmp(words[1], "--serve") == 0)
        return serve();
    if (count > 1) { // the program looks for itself to run a command or a compile
        execv(setting("WARPBOOK"), words);
        return 127;
    }
    size_t found = find_scripts(&screens, only && *only ? only : NULL, tests, MOST), scripts = found;
    if (!prepare_environment(&screens))
        return 1;
    if (!only || !*only)
        tests[found++] = (struct CMUnitTest){ .name = "nothing is left over",
                                              .test_func = nothing_is_left_over,
                                              .initial_state = &screens };
    int failed = _cmocka_run_group_tests("screens", tests, found, NULL, NULL);
    for (size_t i = 0; i < scripts; i++) {
        free(((struct named *)tests[i].initial_state)->path);
        free(tests[i].initial_state);
    }
    for (size_t i = 0; i < screens.count; i++)
        free(screens.asked[i]);
    return failed;
}
