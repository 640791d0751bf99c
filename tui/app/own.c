// The learner's own copy of a kernel: made when it is first edited, lying in the own folder, in the place of what ships
// until it is reset. Resetting keeps it beside under another name.
#include "tui/app/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char *path_of(const struct variant *variant)
{
    char below[200];
    format_into(below, sizeof below, "kernels/%s/%s.cu", variant->lab, variant->name);
    return path_own(below);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? mem_copy_n(path, (size_t)(slash - path)) : mem_copy(".");
}

static bool make(const struct variant *variant, char **path, struct error *error)
{
    if (variant->own || !variant->lab) {
        *path = mem_copy(variant->path);
        return true;
    }
    *path = path_of(variant);
    if (!*path)
        return error_set(error, EXIT_MISSING, "There is no folder for your own copies: set WARPBOOK_HOME.");
    char *folder = folder_of(*path);
    bool made = folder_make(folder, error) &&
                (file_exists(*path) || file_replace(*path, variant->text, strlen(variant->text), error));
    free(folder);
    if (!made) {
        free(*path);
        *path = NULL;
    }
    return made;
}

static bool reset(const struct variant *variant, char **kept, struct error *error)
{
    char *path = path_of(variant);
    struct text name = { 0 };
    if (!path || !file_exists(path)) {
        free(path);
        return error_set(error, EXIT_USAGE, "%s is what ships already; there is no copy of yours.",
                         variant->name);
    }
    for (int n = 1; !name.length || file_exists(name.data); n++) {
        name.length = 0;
        text_addf(&name, "%s.old-%d", path, n);
    }
    bool moved = rename(path, name.data) == 0;
    if (!moved)
        error_set(error, EXIT_MISSING, "Cannot rename %s: %s.", path, strerror(errno));
    free(path);
    *kept = moved ? text_take(&name) : NULL;
    text_free(&name);
    return moved;
}

// $VISUAL and $EDITOR may hold flags; the shell splits them, the path is an argument of its own.
bool own_edit(struct app *app, const char *path, int line, struct error *error)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    const char *command = visual && *visual ? visual : editor && *editor ? editor : "vi";
    struct text script = { 0 };
    char at[32];
    int status;
    format_into(at, sizeof at, "+%d", line);
    text_addf(&script, "exec %s \"$@\"", command);
    bool jumps = line > 1 && (strstr(command, "vi") || strstr(command, "nano") || strstr(command, "emacs"));
    const char *const plain[] = { "sh", "-c", script.data, "sh", path, NULL };
    const char *const jumping[] = { "sh", "-c", script.data, "sh", at, path, NULL };
    bool lent = app_lend(app, jumps ? jumping : plain, &status, error);
    text_free(&script);
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

uint64_t own_stamp(const char *path)
{
    struct stat at;
    if (stat(path, &at) != 0)
        return 0;
    uint64_t parts[3] = { (uint64_t)at.st_mtim.tv_sec, (uint64_t)at.st_mtim.tv_nsec, (uint64_t)at.st_size };
    return hash_bytes(parts, sizeof parts) ^ (uint64_t)at.st_ino;
}

// ---- what the pages do with it ---------------------------------------------------------------------------------

static void write_down(struct app *app, const struct variant *variant, const char *path)
{
    struct error error;
    if (!app->workbook)
        return;
    json_t *event =
        json_pack("{s:s*, s:s, s:s}", "lab", variant->lab, "variant", variant->name, "file", path);
    if (event && !workbook_add(app->workbook, "edit", event, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
}

static int failed(struct app *app, const struct error *error)
{
    app_say(app, ROLE_BAD, "%s", error->text);
    return DONE_FAILED;
}

int own_change(struct app *app, const struct variant *variant, int line)
{
    struct error error;
    char *path = NULL;
    if (!make(variant, &path, &error))
        return failed(app, &error);
    uint64_t before = own_stamp(path);
    bool edited = own_edit(app, path, line, &error);
    bool changed = own_stamp(path) != before;
    if (edited && changed)
        write_down(app, variant, path);
    free(path);
    if (!edited)
        return failed(app, &error);
    if (!changed)
        app_say(app, ROLE_DIM, "Nothing was changed.");
    return changed ? DONE : DONE_NOT;
}

bool own_restore(struct app *app, const struct variant *variant)
{
    struct error error;
    char *kept = NULL;
    if (!variant->lab)
        error_set(&error, EXIT_USAGE, "%s is a file of yours; nothing ships in its place.", variant->path);
    if (!variant->lab || !reset(variant, &kept, &error) || !kept)
        return failed(app, &error) == DONE;
    const char *slash = strrchr(kept, '/');
    app_say(app, ROLE_GOOD, "What ships is back. Your copy is kept beside it as %s.",
            slash ? slash + 1 : kept);
    free(kept);
    return true;
}

// ---- watching it --------------------------------------------------------------------------------------------------

bool watch_toggle(struct watch *watch, struct app *app, const struct variant *variant)
{
    struct error error;
    if (watch->path) {
        watch_end(watch);
        app_say(app, ROLE_TEXT, "Watching has ended.");
        return true;
    }
    if (!make(variant, &watch->path, &error)) {
        failed(app, &error);
        return false;
    }
    watch->stamp = own_stamp(watch->path);
    app_say(app, ROLE_TEXT, "Watching: it runs whenever you save %s.", watch->path);
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

bool watch_saw(struct watch *watch)
{
    uint64_t stamp = watch->path ? own_stamp(watch->path) : 0;
    bool saved = stamp && stamp != watch->stamp;
    if (saved)
        watch->stamp = stamp;
    return saved;
}
