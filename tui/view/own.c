// The learner's own copy of a kernel: made when it is first edited, lying in the own folder, in the place of what ships
// until it is reset. Resetting keeps it beside under another name.
#include "tui/view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

char *own_path(const struct variant *variant)
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

bool own_make(const struct variant *variant, char **path, struct error *error)
{
    if (variant->own || !variant->lab) {
        *path = mem_copy(variant->path);
        return true;
    }
    *path = own_path(variant);
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

bool own_reset(const struct variant *variant, char **kept, struct error *error)
{
    char *path = own_path(variant);
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

void own_note(struct app *app, const struct variant *variant, const char *path)
{
    struct error error;
    json_t *event =
        json_pack("{s:s*, s:s, s:s}", "lab", variant->lab, "variant", variant->name, "file", path);
    if (app->workbook && event && !workbook_add(app->workbook, "edit", event, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
}
