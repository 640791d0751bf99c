// connect: one connection to a machine with a GPU, opened where a password can be typed and kept for the day. Workers
// that WARPBOOK_WORKER starts by ssh go through it (engine/run/ssh.c).
#include "tui/tui.h"

#include "engine/base/site.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    AGAIN_MOST_MS = 60000,
    AGAIN_TOLD_MS = 5000,
    PAUSE_LEAST_MS = 100,
    PAUSE_MORE_MS = 900,
    SAID_MOST = 4096
};

// Passes on what ssh says, which asks for passwords on the terminal itself, and keeps it; but not that it was refused.
static void listen_to(int from, struct text *said)
{
    FILE *stream = fdopen(from, "r");
    char *line = NULL;
    size_t room = 0;
    while (stream && getline(&line, &room, stream) > 0) {
        if (!ssh_was_refused(line))
            fputs(line, stderr);
        if (said->length < SAID_MOST)
            text_add(said, line);
    }
    free(line);
    if (stream)
        fclose(stream);
}

// ssh with the terminal that we have; its exit status, or -1. What it says is left in `said`.
static int run_ssh(const struct ssh_route *route, const char *flags, const char *command, struct text *said,
                   struct error *error)
{
    char *line = text_format("exec ssh %s -o ControlPath=\"$SOCKET\" %s%s %s", flags, route->options,
                             route->host, command);
    const char *argv[] = { "sh", "-c", line, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1, failed = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    pid_t pid;
    (void)setenv("SOCKET", route->socket, 1);
    posix_spawn_file_actions_init(&actions);
    if (!failed) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        failed = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
        close(ends[1]);
        listen_to(ends[0], said);
    }
    if (failed)
        error_set(error, EXIT_MISSING, "Cannot start ssh: %s.", strerror(failed));
    while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    posix_spawn_file_actions_destroy(&actions);
    free(line);
    return failed ? -1 : status;
}

// A connection that stays. An sshd to which a whole class comes in the same second turns some away, who come again.
static bool keep_connection(const struct ssh_route *route, struct error *error)
{
    double begun = clock_ms();
    bool refused = true, told = false;
    unsigned seed = (unsigned)getpid();
    unlink(route->socket); // of one that was cut
    while (refused && !ssh_route_is_open(route)) {
        struct text said = { 0 };
        run_ssh(route, "-M -o ControlPersist=8h -o ServerAliveInterval=15", "true", &said, error);
        refused = ssh_was_refused(text_string(&said)) && clock_ms() < begun + AGAIN_MOST_MS;
        text_free(&said);
        if (refused && !told && clock_ms() > begun + AGAIN_TOLD_MS) {
            fprintf(stderr,
                    "%s turns connections away, perhaps since many come at once. It is tried again.\n",
                    route->host);
            told = true;
        }
        if (refused)
            usleep((useconds_t)(1000 * (PAUSE_LEAST_MS + rand_r(&seed) % PAUSE_MORE_MS)));
    }
    return ssh_route_is_open(route);
}

bool connect_for(const char *host)
{
    struct error unused;
    struct ssh_route route;
    char *line = text_format("ssh %s", host);
    bool open = *host != '-' && ssh_route_read(line, &route);
    if (open) {
        open = route.socket && (ssh_route_is_open(&route) || keep_connection(&route, &unused));
        ssh_route_free(&route);
    }
    free(line);
    return open;
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
    struct text said = { 0 };
    int status = run_ssh(route, "-O exit", "", &said, error);
    text_free(&said);
    if (status == 0) {
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
    *error = (struct error){ .code = EXIT_MISSING };
    format_into(error->text, sizeof error->text, "There is no connection to %s; ssh said why.", route->host);
    if (!keep_connection(route, error))
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
