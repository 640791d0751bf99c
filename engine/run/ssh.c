// A WARPBOOK_WORKER that begins with ssh: where it leads, and the connection that `warpbook connect` keeps to there. A
// worker is started anew after each idle minute; through an open connection it asks for no password, and sshd sees one
// client instead of hundreds.
#include "engine/run/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// A word in which a shell would see more than a word is not understood.
static size_t plain_word(const char *from)
{
    size_t length = strcspn(from, " \t\n");
    return strcspn(from, "\"'\\$`;&|<>()*?[]{}~#!") < length ? 0 : length;
}

// The length of the options at `from`, with the blank after each; `from[result]` begins the host. -1: not understood.
static long options_length(const char *from)
{
    static const char with_value[] = "BbcDEeFIiJLlmOopQRSWw";
    const char *at = from;
    for (bool value = false; value || *at == '-';) {
        size_t length = plain_word(at);
        if (!length)
            return -1;
        value = !value && length == 2 && strchr(with_value, at[1]);
        at += length;
        at += strspn(at, " \t");
    }
    return at - from;
}

// ssh makes the socket under this name with 17 characters more, and a socket's name has at most 107.
static bool has_room(const char *folder)
{
    enum { NAME = 1 + 4 + 16, SSH_ADDS = 17 };
    return strlen(folder) + NAME + SSH_ADDS < sizeof((struct sockaddr_un *)NULL)->sun_path;
}

static bool is_private(const char *folder)
{
    struct stat state;
    return (mkdir(folder, 0700) == 0 || access(folder, F_OK) == 0) && lstat(folder, &state) == 0 &&
           S_ISDIR(state.st_mode) && state.st_uid == geteuid() && (state.st_mode & 077) == 0;
}

// A folder of this machine, not of a home that may be on NFS, where a socket cannot be.
static char *socket_folder(void)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *folder = NULL;
    if (runtime && *runtime == '/')
        folder = text_format("%s/warpbook", runtime);
    if (!folder || !has_room(folder) || !is_private(folder)) {
        free(folder);
        folder = text_format("/tmp/warpbook-%u", (unsigned)geteuid());
    }
    if (!is_private(folder)) {
        free(folder);
        folder = NULL;
    }
    return folder;
}

bool ssh_route_read(const char *command, struct ssh_route *out)
{
    *out = (struct ssh_route){ .host = NULL };
    if (!command || !string_starts(command, "ssh "))
        return false;
    const char *options = command + 4 + strspn(command + 4, " \t");
    long length = options_length(options);
    size_t host = length >= 0 ? plain_word(options + length) : 0;
    char *folder = host ? socket_folder() : NULL;
    if (!host)
        return false;
    out->options = mem_copy_n(options, (size_t)length);
    out->host = mem_copy_n(options + length, host);
    out->rest = mem_copy(options + length + host);
    if (folder)
        out->socket = text_format("%s/ssh-%016llx", folder,
                                  (unsigned long long)hash_bytes(options, (size_t)length + host));
    free(folder);
    return true;
}

void ssh_route_free(struct ssh_route *route)
{
    free(route->options);
    free(route->host);
    free(route->rest);
    free(route->socket);
    *route = (struct ssh_route){ .host = NULL };
}

bool ssh_route_is_open(const struct ssh_route *route)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (!route->socket || strlen(route->socket) >= sizeof address.sun_path)
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    format_into(address.sun_path, sizeof address.sun_path, "%s", route->socket);
    bool open = fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return open;
}

bool ssh_wants(const char *said, const char *host, char *out, size_t size)
{
    bool unknown = said && strstr(said, "Host key verification failed");
    bool password =
        said && (strstr(said, "Permission denied") || strstr(said, "passphrase") || strstr(said, "assword"));
    *out = 0;
    if (unknown || password)
        format_into(out, size, "%s %s. Type: warpbook connect %s", host,
                    unknown ? "is not known to ssh yet" : "wants a password", host);
    return unknown || password;
}

bool ssh_was_refused(const char *said)
{
    return strstr(said, "kex_exchange_identification") || strstr(said, "Connection reset by") ||
           strstr(said, "Connection closed by remote host");
}
