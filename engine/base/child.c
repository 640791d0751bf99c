// Another program with a deadline: what it prints is collected, and it cannot outlive its time.
#include "engine/base/base.h"
#include "engine/base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TEXT_MOST = 64 << 20, // a child that prints more is cut off
    STOP_MS = 50,         // how soon a wish to stop is noticed
    KILL_MS = 500,        // what a child that is killed takes at most to be gone
    NOT_STARTED = 127     // as a shell's, for a program that cannot be started
};

static void close_pair(const int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

// ---- from here to the other program -----------------------------------------------------------------

struct exec_plan {
    const char *const *argv;
    const struct child_terms *terms;
    int streams[3]; // stdin, stdout, stderr
    pid_t parent;
    volatile int failed; // errno
};

// Signals that have a handler get their default action, so that no handler of ours runs in the child. So do SIGPIPE and
// SIGCHLD where they are ignored: programs expect to end by the first and to wait for their children by the second. A ^Z
// that reached the child in our group would stop it here, and with it our thread, which waits for the exec; ignoring a
// signal discards it.
static void reset_signals(void)
{
    static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
        sigaction(stops[i], &ignore, &before);
        sigaction(stops[i], &before, NULL);
    }
    for (int sign = 1; sign < NSIG; sign++) {
        struct sigaction plain = { .sa_handler = SIG_DFL }, now;
        bool known = sigaction(sign, NULL, &now) == 0;
        bool ignored = known && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
        if (known && (!ignored || sign == SIGPIPE || sign == SIGCHLD))
            sigaction(sign, &plain, NULL);
    }
    sigset_t none; // a child inherits the signals that its thread blocks
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Runs in the child, which shares our memory until the program takes over, so it makes system calls only.
__attribute__((noreturn)) static void exec_in_child(struct exec_plan *plan)
{
    const struct child_terms *terms = plan->terms;
    bool set = setpgid(0, 0) == 0 && (!terms->bound || prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (terms->bound && getppid() != plan->parent) // the parent ended before the prctl
        _exit(NOT_STARTED);
    for (int i = 0; i < 3; i++)
        set = set && dup2(plan->streams[i], i) == i;
    set = set && (!terms->folder || chdir(terms->folder) == 0);
    if (set) {
        char *const *environment = terms->environment ? (char *const *)terms->environment : environ;
        reset_signals();
        if (!terms->confinement)
            execvpe(plan->argv[0], (char *const *)plan->argv, environment);
        else if (confinement_apply(terms->confinement))
            execve(confinement_program(terms->confinement), (char *const *)plan->argv, environment);
    }
    plan->failed = errno;
    _exit(NOT_STARTED);
}

// posix_spawn cannot bind a child to its parent. A fork could, but it unshares the pages that the GPU's driver has
// locked, and copies the page tables of gigabytes.
static pid_t fork_and_exec(struct exec_plan *plan)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (pid == 0)
        exec_in_child(plan); // NOLINT(clang-analyzer-unix.Vfork)
    if (pid < 0)
        plan->failed = errno;
    else if (plan->failed)
        waitpid(pid, NULL, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

bool child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                    struct error *error)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
    bool piped = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
                 (terms->errors_here || pipe2(err, O_CLOEXEC) == 0);
    struct exec_plan plan = { .argv = argv,
                              .streams = { in[0], out[1], terms->errors_here ? STDERR_FILENO : err[1] },
                              .terms = terms,
                              .parent = getpid(),
                              .failed = piped ? 0 : errno };
    if (piped)
        child->pid = fork_and_exec(&plan);
    if (plan.failed) {
        close_pair(in);
        close_pair(out);
        close_pair(err);
        *child = (struct child){ 0, -1, -1, -1 };
        return error_set(error, EXIT_MISSING, "Cannot start %s: %s.", argv[0], strerror(plan.failed));
    }
    close(in[0]);
    close(out[1]);
    if (err[1] >= 0)
        close(err[1]);
    child->in = in[1];
    child->out = out[0];
    child->err = err[0];
    const int ours[] = { child->in, child->out, child->err };
    for (int i = 0; i < 3; i++)
        if (ours[i] >= 0)
            fcntl(ours[i], F_SETFL, O_NONBLOCK);
    return true;
}

bool child_start(const char *const *argv, struct child *child, struct error *error)
{
    return child_start_on(argv, &(struct child_terms){ 0 }, child, error);
}

// ---- with a deadline ----------------------------------------------------------------------------------

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

static bool is_over(double deadline, const atomic_bool *stop)
{
    return clock_ms() >= deadline || (stop && *stop);
}

// Serves all three streams until the child has closed its ends (true) or the deadline has passed (false).
static bool carry(struct pollfd fds[3], const char *input, size_t left, double deadline,
                  const atomic_bool *stop, struct child_result *result)
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

bool child_ended(pid_t pid, int *status)
{
    pid_t ended = waitpid(pid, status, WNOHANG);
    bool lost = ended < 0 && errno != EINTR; // another part of the program took its status
    if (lost)
        *status = STATUS_UNKNOWN;
    return ended == pid || lost;
}

bool child_kill(pid_t pid, int *status)
{
    double deadline = clock_ms() + KILL_MS;
    do {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL); // it may be in another group by now
        if (child_ended(pid, status))
            return true;
        usleep(1000);
    } while (clock_ms() < deadline);
    *status = STATUS_UNKNOWN;
    return false;
}

// Waits for the child's end, which is near once its streams are closed; at the deadline the child is killed.
static void reap(pid_t pid, double deadline, const atomic_bool *stop, struct child_result *result)
{
    int pause_us = 50;
    while (!result->timed_out && !child_ended(pid, &result->status)) {
        result->timed_out = is_over(deadline, stop);
        usleep((useconds_t)pause_us);
        pause_us = pause_us < 2000 ? pause_us * 2 : 2000;
    }
    if (result->timed_out)
        child_kill(pid, &result->status);
}

bool child_run_on(const char *const *argv, const struct child_terms *terms, const char *input,
                  size_t input_length, int limit_ms, const atomic_bool *stop, struct child_result *result,
                  struct error *error)
{
    struct child child = { 0, -1, -1, -1 };
    *result = (struct child_result){ 0 };
    if (!child_start_on(argv, terms, &child, error))
        return false;
    struct pollfd fds[3] = { { child.in, POLLOUT, 0 }, { child.out, POLLIN, 0 }, { child.err, POLLIN, 0 } };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGPIPE, &ignore, &before);
    double deadline = clock_ms() + limit_ms;
    result->timed_out = !carry(fds, input, input_length, deadline, stop, result);
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
