// The learner's own copies: of a kernel, lying in the own folder in the place of what ships until it is reset, and of
// an exercise's file. Each is made when it is first edited, and put aside under another name when one begins anew. And a
// program with a kernel, which is the learner's from the start.
#include "engine/run/export.h"
#include "tui/app/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

// ---- any file of one's own --------------------------------------------------------------------------------

bool own_make(const char *path, const char *text, struct error *error)
{
    if (!path)
        return error_set(error, EXIT_MISSING, "There is no folder for your own copies: set WARPBOOK_HOME.");
    if (file_exists(path))
        return true;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? mem_copy_n(path, (size_t)(slash - path)) : mem_copy(".");
    bool made = folder_make(folder, error) && file_replace(path, text, strlen(text), error);
    free(folder);
    return made;
}

char *own_aside(const char *path, bool last)
{
    char *there = NULL, *next = text_format("%s.old-%d", path, 1);
    for (int n = 2; file_exists(next); n++) {
        free(there);
        there = next;
        next = text_format("%s.old-%d", path, n);
    }
    free(last ? next : there);
    return last ? there : next;
}

char *own_put_aside(const char *path, struct error *error)
{
    char *aside = own_aside(path, false), *name = NULL;
    const char *slash = strrchr(aside, '/');
    if (rename(path, aside) == 0)
        name = mem_copy(slash ? slash + 1 : aside);
    else
        error_set(error, EXIT_MISSING, "Cannot rename %s: %s.", path, strerror(errno));
    free(aside);
    return name;
}

// Editors that begin at a line when `+LINE` precedes the file, known by the name of the program: "vim" of
// "/usr/bin/vim.tiny -R".
static bool takes_line(const char *command)
{
    static const char *const editors[] = { "vi",   "vim",   "nvim",        "gvim", "view", "elvis", "nano",
                                           "pico", "emacs", "emacsclient", "mg",   "jed",  "joe",   "kak" };
    const char *name = command + strspn(command, " \t");
    const char *end = name + strcspn(name, " \t");
    for (const char *at = name; at < end; at++)
        name = *at == '/' ? at + 1 : name;
    size_t length = strcspn(name, ". \t");
    for (size_t i = 0; i < sizeof editors / sizeof *editors; i++)
        if (strlen(editors[i]) == length && memcmp(editors[i], name, length) == 0)
            return true;
    return false;
}

// $VISUAL and $EDITOR may hold flags; the shell splits them, the path is an argument of its own.
static bool edit(struct app *app, const char *path, int line, struct error *error)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    const char *command = visual && *visual ? visual : editor && *editor ? editor : "vi";
    struct text script = { 0 };
    char at[32], *file = path_argument(path);
    int status;
    format_into(at, sizeof at, "+%d", line);
    text_addf(&script, "exec %s \"$@\"", command);
    bool jumps = line > 1 && takes_line(command);
    const char *const plain[] = { "sh", "-c", script.data, "sh", file, NULL };
    const char *const jumping[] = { "sh", "-c", script.data, "sh", at, file, NULL };
    bool lent = app_lend(app, jumps ? jumping : plain, &status, error);
    text_free(&script);
    free(file);
    if (!lent)
        return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_set(error, EXIT_MISSING, "There is no editor '%s'. Set EDITOR to one that is installed.",
                         command);
    char how[120];
    child_describe(status, how, sizeof how);
    return error_set(error, EXIT_MISSING, "The editor %s %s.", command, how);
}

// A number that changes whenever the file is saved; 0: the file is not there.
static uint64_t stamp_of(const char *path)
{
    struct stat at;
    if (stat(path, &at) != 0)
        return 0;
    uint64_t parts[3] = { (uint64_t)at.st_mtim.tv_sec, (uint64_t)at.st_mtim.tv_nsec, (uint64_t)at.st_size };
    return hash_bytes(parts, sizeof parts) ^ (uint64_t)at.st_ino;
}

int own_edit(struct app *app, const char *path, int line)
{
    struct error error;
    uint64_t before = stamp_of(path);
    if (!edit(app, path, line, &error))
        return app_refuse(app, "%s", error.text);
    if (stamp_of(path) != before)
        return DONE;
    app_say(app, ROLE_DIM, "Nothing was changed.");
    return DONE_NOT;
}

// ---- the copy of a step -----------------------------------------------------------------------------------

static char *path_of(const struct variant *variant)
{
    char below[200];
    format_into(below, sizeof below, "kernels/%s/%s.cu", variant->lab, variant->name);
    return path_own(below);
}

// The file itself where it is one's own already; a copy that was removed meanwhile is made anew of what is shown. The
// caller frees; NULL: the error.
static char *make(const struct variant *variant, struct error *error)
{
    bool there = file_exists(variant->path);
    if (!variant->lab && !there) {
        error_set(error, EXIT_MISSING, "%s is gone.", variant->path);
        return NULL;
    }
    if (there && (variant->own || !variant->lab))
        return mem_copy(variant->path);
    char *path = path_of(variant);
    if (own_make(path, variant->text, error))
        return path;
    free(path);
    return NULL;
}

static bool holds(const char *path, const char *text)
{
    struct text now = { 0 };
    struct error unused;
    bool same = file_read(path, &now, &unused) && strcmp(text_string(&now), text) == 0;
    text_free(&now);
    return same;
}

int own_change(struct app *app, const struct variant *variant, int line)
{
    struct error error;
    char *path = make(variant, &error);
    if (!path)
        return app_refuse(app, "%s", error.text);
    int changed = own_edit(app, path, line);
    if (changed == DONE)
        app_keep(app, "edit",
                 json_pack("{s:s*, s:s, s:s}", "lab", variant->lab, "variant", variant->name, "file", path));
    else if (!variant->own && variant->lab && holds(path, variant->text))
        remove(path); // it says what ships
    free(path);
    return changed;
}

bool own_restore(struct app *app, const struct variant *variant)
{
    struct error error;
    char *path = variant->lab ? path_of(variant) : NULL, *kept = NULL;
    if (!variant->lab)
        error_set(&error, EXIT_USAGE, "%s is a file of yours; nothing ships in its place.", variant->path);
    else if (!path || !file_exists(path))
        error_set(&error, EXIT_USAGE, "%s is already the shipped kernel; you have no copy of it.",
                  variant->name);
    else
        kept = own_put_aside(path, &error);
    free(path);
    if (!kept)
        return app_refuse(app, "%s", error.text) == DONE;
    app_say(app, ROLE_GOOD, "The shipped kernel is back. Your copy is kept beside it as %s.", kept);
    free(kept);
    return true;
}

// ---- watching it ------------------------------------------------------------------------------------------

void watch_toggle(struct watch *watch, struct app *app, char *path, const char *done)
{
    if (watch->path) {
        watch_end(watch);
        app_say(app, ROLE_TEXT, "Watching has ended.");
        return;
    }
    watch->path = path;
    watch->stamp = stamp_of(path);
    app_say(app, ROLE_TEXT, "It %s whenever you save %s.", done, path);
}

bool watch_variant(struct watch *watch, struct app *app, const struct variant *variant)
{
    struct error error;
    char *path = watch->path ? NULL : make(variant, &error);
    if (!watch->path && !path)
        return app_refuse(app, "%s", error.text) == DONE;
    watch_toggle(watch, app, path, "runs");
    return true;
}

void watch_end(struct watch *watch)
{
    free(watch->path);
    *watch = (struct watch){ 0 };
}

int watch_tick_ms(const struct watch *watch)
{
    return watch->path ? 500 : -1;
}

bool watch_lost(struct watch *watch, struct app *app)
{
    enum { MOMENTS = 3 }; // editors take a file away for one, and put another in its place
    if (watch->missed < MOMENTS)
        return false;
    app_say(app, ROLE_NOTE, "%s is gone, so nothing is watched any more.", watch->path);
    watch_end(watch);
    return true;
}

bool watch_saw(struct watch *watch)
{
    uint64_t stamp = watch->path ? stamp_of(watch->path) : 0;
    bool saved = stamp && stamp != watch->stamp;
    watch->missed = watch->path && !stamp ? watch->missed + 1 : 0;
    if (saved)
        watch->stamp = stamp;
    return saved;
}

// ---- a program of one's own -------------------------------------------------------------------------------

int own_export(struct app *app, const struct variant *variant, const char *preset, const char *data)
{
    struct request request = request_new(ON_GPU, variant->lab, variant, NULL, preset, data);
    struct text program = { 0 };
    struct error error;
    char *path = export_name(variant);
    bool there = file_exists(path);
    bool done = !there && export_program(variant, &request, path, &program, &error) &&
                file_may_replace(path, false, &error) &&
                file_replace(path, text_string(&program), program.length, &error);
    if (there)
        app_say(app, ROLE_BAD, "%s already exists. ':export %s%s%s --to FILE' writes another.", path,
                variant->lab ? variant->lab : variant->path, variant->lab ? "/" : "",
                variant->lab ? variant->name : "");
    else if (done)
        app_say(app, ROLE_GOOD, "Written to %s: a program for nvcc. Its first lines say how.", path);
    else
        app_say(app, ROLE_BAD, "%s", error.text);
    free(path);
    text_free(&program);
    request_free(&request);
    return done ? DONE : DONE_FAILED;
}
