// Files, folders, and where things live.
#include "engine/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_MOST = 64 << 20, // nothing that we read as a whole is near this
    PRIVATE = 0600
};

static bool read_all(int fd, const char *path, struct text *out, struct error *error)
{
    for (;;) {
        char piece[16384];
        ssize_t got = read(fd, piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, EXIT_USAGE, "Cannot read %s: %s.", path, strerror(errno));
        if (got == 0)
            return true;
        text_add_n(out, piece, (size_t)got);
        if (out->length > FILE_MOST)
            return error_set(error, EXIT_USAGE, "%s is larger than %d MiB.", path, FILE_MOST >> 20);
    }
}

bool file_read(const char *path, struct text *out, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, EXIT_USAGE, "Cannot open %s: %s.", path, strerror(errno));
    bool read = read_all(fd, path, out, error);
    close(fd);
    return read;
}

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

// The path with its symbolic links followed; the last of them may lead to nothing yet.
static char *follow_links(const char *path)
{
    enum { LINKS = 40 }; // as many as the system follows
    char target[4096], *at = mem_copy(path);
    for (int i = 0; i < LINKS; i++) {
        ssize_t length = readlink(at, target, sizeof target - 1);
        if (length <= 0 || (size_t)length == sizeof target - 1)
            break;
        target[length] = 0;
        char *slash = strrchr(at, '/');
        struct text next = { 0 };
        if (slash && target[0] != '/')
            text_add_n(&next, at, (size_t)(slash - at) + 1);
        text_add(&next, target);
        free(at);
        at = text_take(&next);
    }
    return at;
}

// A new file beside `path`. -1: see errno.
static int open_beside(const char *path, mode_t mode, struct text *name)
{
    int fd = -1;
    for (int i = 0; i < 1000; i++) { // the others are being written, or were left by a crash
        text_free(name);
        text_addf(name, "%s.%ld-%d", path, (long)getpid(), i);
        fd = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

static bool keep_mode(int fd, const char *path)
{
    struct stat there;
    return stat(path, &there) != 0 || fchmod(fd, there.st_mode & 0777) == 0;
}

static bool replace(const char *path, mode_t mode, const void *bytes, size_t length, struct error *error)
{
    struct text name = { 0 };
    char *target = mode == PRIVATE ? mem_copy(path) : follow_links(path);
    int fd = open_beside(target, mode, &name);
    bool done = fd >= 0 && (mode == PRIVATE || keep_mode(fd, target)) && write_all(fd, bytes, length);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && done) {
        done = false;
        why = errno;
    }
    if (done && rename(name.data, target) != 0) {
        done = false;
        why = errno;
    }
    if (!done) {
        if (fd >= 0)
            unlink(name.data);
        error_set(error, EXIT_MISSING, "Cannot write %s: %s.", path, strerror(why));
    }
    text_free(&name);
    free(target);
    return done;
}

bool file_replace(const char *path, const void *bytes, size_t length, struct error *error)
{
    return replace(path, 0666, bytes, length, error);
}

bool file_may_replace(const char *path, bool force, struct error *error)
{
    struct stat there;
    if (!*path)
        return error_set(error, EXIT_USAGE, "The file's name is empty; give one.");
    if (stat(path, &there) != 0)
        return true;
    if (!S_ISREG(there.st_mode))
        return error_set(error, EXIT_USAGE,
                         "%s is not an ordinary file, so nothing was written. Give the name of a file.",
                         path);
    return force ||
           error_set(error, EXIT_USAGE,
                     "%s already exists; nothing was changed. Use another name, or replace it with --force.",
                     path);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool make_folders(const char *path, mode_t mode, struct error *error)
{
    char *copy = mem_copy(path);
    bool made = true;
    for (char *slash = copy + 1; made; slash++) {
        if (*slash != '/' && *slash)
            continue;
        char kept = *slash;
        *slash = 0;
        made = mkdir(copy, mode) == 0 || errno == EEXIST;
        *slash = kept;
        if (!kept)
            break;
    }
    if (!made)
        error_set(error, EXIT_MISSING, "Cannot make the folder %s: %s.", path, strerror(errno));
    free(copy);
    return made;
}

bool folder_make(const char *path, struct error *error)
{
    return make_folders(path, 0777, error);
}

// ---- private files --------------------------------------------------------------------------------

static bool is_ours(const struct stat *state, mode_t kind)
{
    return (state->st_mode & S_IFMT) == kind && state->st_uid == geteuid() &&
           !(state->st_mode & (S_IWGRP | S_IWOTH));
}

// The folder of `path`, with the slash at its end.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? mem_copy_n(path, (size_t)(slash - path) + 1) : mem_copy("./");
}

// A user who can write in the folder of a file can put another file in its place.
static bool folder_is_ours(const char *path)
{
    struct stat state;
    char *folder = folder_of(path);
    bool ours = stat(folder, &state) == 0 && is_ours(&state, S_IFDIR);
    free(folder);
    return ours;
}

bool private_read(const char *path, struct text *out, struct error *error)
{
    struct stat state;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return error_set(error, EXIT_USAGE, "Cannot open %s: %s.", path, strerror(errno));
    bool ours = fstat(fd, &state) == 0 && is_ours(&state, S_IFREG) && folder_is_ours(path);
    if (!ours)
        error_set(error, EXIT_USAGE, "%s is not trusted: others can write there.", path);
    bool read = ours && read_all(fd, path, out, error);
    close(fd);
    return read;
}

bool private_replace(const char *path, const void *bytes, size_t length, struct error *error)
{
    struct stat state;
    char *folder = folder_of(path);
    bool made = make_folders(folder, 0700, error);
    if (made && stat(folder, &state) == 0 && state.st_uid == geteuid() && !is_ours(&state, S_IFDIR))
        chmod(folder, state.st_mode & 0700); // it was made under a umask that let others in
    if (made && !folder_is_ours(path))
        made = error_set(error, EXIT_MISSING, "Nothing is kept in %s: others can write there.", folder);
    free(folder);
    return made && replace(path, PRIVATE, bytes, length, error);
}

char *folder_temporary(struct error *error)
{
    const char *given = getenv("TMPDIR");
    char *folder = text_format("%s/warpbook-XXXXXX", given && *given == '/' ? given : "/tmp");
    if (mkdtemp(folder))
        return folder;
    error_set(error, EXIT_MISSING, "Cannot make the folder %s: %s.", folder, strerror(errno));
    free(folder);
    return NULL;
}

char *path_join(const char *folder, const char *name)
{
    struct text path = { 0 };
    text_add(&path, folder);
    if (path.length && path.data[path.length - 1] != '/' && *name)
        text_add(&path, "/");
    text_add(&path, name);
    return text_take(&path);
}

char *path_argument(const char *path)
{
    bool sure = string_starts(path, "/") || string_starts(path, "./") || string_starts(path, "../");
    return sure ? mem_copy(path) : path_join(".", path);
}

bool program_find(const char *name, char *out, size_t size)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        format_into(out, size, "%.*s/%s", (int)length, path, name);
        struct stat state;
        if (length && access(out, X_OK) == 0 && stat(out, &state) == 0 && S_ISREG(state.st_mode))
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

// When the running program was replaced (built or installed anew), its path is that of the replacement.
char *path_self(void)
{
    char path[4096];
    static const char gone[] = " (deleted)";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    if (string_ends(path, gone))
        path[(size_t)length - strlen(gone)] = 0;
    return mem_copy(path);
}

char *path_library(const char *name)
{
    static const char *const places[] = { "lib", "../lib/warpbook" }; // as built, as installed
    char *self = path_self(), *path = NULL;
    for (size_t i = 0; self && !path && i < sizeof places / sizeof *places; i++) {
        path = text_format("%.*s/%s/%s", (int)(strrchr(self, '/') - self), self, places[i], name);
        if (!file_exists(path)) {
            free(path);
            path = NULL;
        }
    }
    free(self);
    return path;
}

// The folder that holds kernels/ above the running program: build/warpbook lies one below it,
// build/asan/warpbook and build/test/NAME two. NULL for an installed program.
static char *source_tree(void)
{
    char *path = path_self();
    for (int up = 0; path && up < 4; up++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            break;
        *slash = 0;
        char *kernels = path_join(path, "kernels/variant.h");
        bool found = file_exists(kernels);
        free(kernels);
        if (found)
            return path;
    }
    free(path);
    return NULL;
}

// share/warpbook beside the bin/ that holds the program, also where an installation was moved as a whole. NULL
// when it is not there.
static char *installed_tree(void)
{
    char *path = path_self(), *slash = path ? strrchr(path, '/') : NULL;
    struct text tree = { 0 };
    if (slash)
        *slash = 0;
    if (slash && string_ends(path, "/bin"))
        text_addf(&tree, "%.*s/share/warpbook", (int)(strlen(path) - strlen("/bin")), path);
    free(path);
    if (tree.length && file_exists(tree.data))
        return text_take(&tree);
    text_free(&tree);
    return NULL;
}

char *path_shipped(const char *below)
{
    // For a program that was moved away from the files that were installed with it.
    static const char *const usual[] = { "/usr/local/share/warpbook", "/usr/share/warpbook" };
    const char *given = getenv("WARPBOOK_DATA");
    if (given && *given)
        return path_join(given, below);
    char *tree = installed_tree(); // first, since it may lie within a source tree
    if (!tree)
        tree = source_tree();
    bool away = !tree && !file_exists(usual[0]) && file_exists(usual[1]);
    char *path = path_join(tree ? tree : usual[away], below);
    free(tree);
    return path;
}

// $VARIABLE itself, or $XDG/warpbook, or $HOME/FALLBACK/warpbook.
static char *own_folder(const char *variable, const char *xdg, const char *fallback, const char *below)
{
    const char *given = getenv(variable);
    if (given && *given)
        return path_join(given, below);
    const char *base = getenv(xdg), *home = getenv("HOME");
    struct text folder = { 0 };
    if (base && *base == '/')
        text_addf(&folder, "%s/warpbook", base);
    else if (home && *home)
        text_addf(&folder, "%s/%s/warpbook", home, fallback);
    else
        return NULL;
    char *path = path_join(folder.data, below);
    text_free(&folder);
    return path;
}

char *path_own(const char *below)
{
    return own_folder("WARPBOOK_HOME", "XDG_DATA_HOME", ".local/share", below);
}

char *path_cache(const char *below)
{
    return own_folder("WARPBOOK_CACHE", "XDG_CACHE_HOME", ".cache", below);
}
