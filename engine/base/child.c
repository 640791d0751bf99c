// Another program with a deadline: what it prints is collected, and it cannot outlive its time.
#include "engine/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    TEXT_MOST = 64 << 20, // a child that prints more is cut off
    STOP_MS = 50          // how soon a wish to stop is noticed
};

static void close_pair(const int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static int spawn(const char *const *argv, const int in[2], const int out[2], const int err[2], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults, none; // a thread that blocks signals must not make its child deaf
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    int failed = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

bool child_start(const char *const *argv, struct child *child, struct error *error)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
    bool piped = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
    int failed = piped ? spawn(argv, in, out, err, &child->pid) : errno;
    if (failed) {
        close_pair(in);
        close_pair(out);
        close_pair(err);
        *child = (struct child){ 0, -1, -1, -1 };
        return error_set(error, EXIT_MISSING, "Cannot start %s: %s.", argv[0], strerror(failed));
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    child->in = in[1];
    child->out = out[0];
    child->err = err[0];
    const int ours[] = { child->in, child->out, child->err };
    for (int i = 0; i < 3; i++)
        fcntl(ours[i], F_SETFL, O_NONBLOCK);
    return true;
}

// Reads what is there; closes the descriptor at the end of the stream.
static void drain(struct pollfd *from, struct text *into)
{
    char piece[65536];
    ssize_t got = read(from->fd, piece, sizeof piece);
    if (got > 0 && into->length < TEXT_MOST)
        text_add_n(into, piece, (size_t)got);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
        close(from->fd);
        from->fd = -1;
    }
}

static void feed(struct pollfd *to, const char **input, size_t *left)
{
    ssize_t put = *left ? write(to->fd, *input, *left) : 0;
    if (put > 0) {
        *input += put;
        *left -= (size_t)put;
    }
    if (!*left || (put < 0 && errno != EINTR && errno != EAGAIN)) {
        close(to->fd);
        to->fd = -1;
    }
}

static bool is_over(double deadline, const volatile bool *stop)
{
    return clock_ms() >= deadline || (stop && *stop);
}

// Carries all three streams until the child closed its ends or its time was over. True: in time.
static bool carry(struct pollfd fds[3], const char *input, size_t left, double deadline,
                  const volatile bool *stop, struct child_result *result)
{
    if (!left) {
        close(fds[0].fd);
        fds[0].fd = -1;
    }
    while (fds[1].fd >= 0 || fds[2].fd >= 0) {
        double rest = deadline - clock_ms();
        if (is_over(deadline, stop))
            return false;
        int ready = poll(fds, 3, stop && rest > STOP_MS ? STOP_MS : (int)rest + 1);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0)
            continue;
        if (fds[0].fd >= 0 && fds[0].revents)
            feed(&fds[0], &input, &left);
        if (fds[1].fd >= 0 && fds[1].revents)
            drain(&fds[1], &result->out);
        if (fds[2].fd >= 0 && fds[2].revents)
            drain(&fds[2], &result->err);
    }
    return true;
}

// Waits for the end, which after closed streams is near; a child that lives on is killed at the deadline.
static void reap(pid_t pid, double deadline, const volatile bool *stop, struct child_result *result)
{
    int pause_us = 50;
    for (;;) {
        pid_t ended = waitpid(pid, &result->status, result->timed_out ? 0 : WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return;
        if (is_over(deadline, stop) && !result->timed_out) {
            result->timed_out = true;
            kill(-pid, SIGKILL);
        }
        usleep((useconds_t)pause_us);
        pause_us = pause_us < 2000 ? pause_us * 2 : 2000;
    }
}

bool child_run(const char *const *argv, const char *input, size_t input_length, int limit_ms,
               struct child_result *result, struct error *error)
{
    return child_run_until(argv, input, input_length, limit_ms, NULL, result, error);
}

bool child_run_until(const char *const *argv, const char *input, size_t input_length, int limit_ms,
                     const volatile bool *stop, struct child_result *result, struct error *error)
{
    struct child child = { 0, -1, -1, -1 };
    *result = (struct child_result){ 0 };
    if (!child_start(argv, &child, error))
        return false;
    struct pollfd fds[3] = { { child.in, POLLOUT, 0 }, { child.out, POLLIN, 0 }, { child.err, POLLIN, 0 } };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGPIPE, &ignore, &before);
    double deadline = clock_ms() + limit_ms;
    if (!carry(fds, input, input_length, deadline, stop, result)) {
        result->timed_out = true;
        kill(-child.pid, SIGKILL);
    }
    for (int i = 0; i < 3; i++)
        if (fds[i].fd >= 0)
            close(fds[i].fd);
    reap(child.pid, deadline, stop, result);
    sigaction(SIGPIPE, &before, NULL);
    return true;
}

void child_result_free(struct child_result *result)
{
    text_free(&result->out);
    text_free(&result->err);
}

void child_describe(int status, char *out, size_t size)
{
    if (WIFSIGNALED(status))
        format_into(out, size, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        format_into(out, size, "ended with status %d", WEXITSTATUS(status));
}
