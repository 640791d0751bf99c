// connect: one connection to a machine with a GPU, opened where a password can be typed and kept for the day. Workers
// that WARPBOOK_WORKER starts by ssh go through it (engine/run/ssh.c).
#include "tui/tui.h"

#include "engine/base/site.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ssh with the terminal that we have; its exit status, or -1.
static int run_ssh(const struct ssh_route *route, const char *flags, const char *command, struct error *error)
{
    char *line = text_format("exec ssh %s -o ControlPath=\"$SOCKET\" %s%s %s", flags, route->options,
                             route->host, command);
    const char *argv[] = { "sh", "-c", line, NULL };
    pid_t pid;
    int status = -1;
    (void)setenv("SOCKET", route->socket, 1);
    int failed = posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ);
    if (failed)
        error_set(error, EXIT_MISSING, "Cannot start ssh: %s.", strerror(failed));
    while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    free(line);
    return failed ? -1 : status;
}

// The host's own route, or the one of WARPBOOK_WORKER, which may have a port or a name for it.
static bool find_route(const struct arguments *arguments, struct ssh_route *out, struct error *error)
{
    const char *host = arguments->operand_count ? arguments->operands[0] : NULL;
    if (ssh_route_read(site_worker(), out) && (!host || strcmp(out->host, host) == 0))
        return out->socket || error_set(error, EXIT_MISSING,
                                        "There is no folder for the connection's socket: "
                                        "neither XDG_RUNTIME_DIR nor /tmp has one of yours.");
    ssh_route_free(out);
    if (!host)
        return error_set(error, EXIT_USAGE,
                         "Name the machine: WARPBOOK_WORKER does not begin with ssh and a machine.");
    char *line = text_format("ssh %s", host);
    bool plain = *host != '-' && ssh_route_read(line, out);
    free(line);
    if (!plain)
        return error_set(error, EXIT_USAGE, "'%s' is not the name of a machine.", host);
    return out->socket || error_set(error, EXIT_MISSING,
                                    "There is no folder for the connection's socket: "
                                    "neither XDG_RUNTIME_DIR nor /tmp has one of yours.");
}

static int end(const struct ssh_route *route, struct error *error)
{
    if (!ssh_route_is_open(route))
        return error_set(error, EXIT_MISSING, "There is no connection to %s.", route->host) ? 0 : fail(error);
    if (run_ssh(route, "-O exit", "", error) == 0) {
        printf("The connection to %s is closed.\n", route->host);
        return EXIT_RIGHT;
    }
    error_set(error, EXIT_MISSING, "The connection to %s could not be closed.", route->host);
    return fail(error);
}

static int open_route(const struct ssh_route *route, struct error *error)
{
    if (ssh_route_is_open(route)) {
        printf("There is a connection to %s.\n", route->host);
        return EXIT_RIGHT;
    }
    unlink(route->socket); // of one that was cut
    *error = (struct error){ .code = EXIT_MISSING };
    format_into(error->text, sizeof error->text, "There is no connection to %s; ssh said why.", route->host);
    run_ssh(route, "-M -o ControlPersist=8h -o ServerAliveInterval=15", "true", error);
    if (!ssh_route_is_open(route))
        return fail(error);
    printf(
        "Connected to %s for 8 hours: workers by ssh ask no more. 'warpbook connect --end %s' closes it.\n",
        route->host, route->host);
    return EXIT_RIGHT;
}

int command_connect(const struct arguments *arguments)
{
    struct error error;
    struct ssh_route route;
    int status = !find_route(arguments, &route, &error) ? fail(&error)
                 : arguments_has(arguments, "--end")    ? end(&route, &error)
                                                        : open_route(&route, &error);
    ssh_route_free(&route);
    return status;
}
