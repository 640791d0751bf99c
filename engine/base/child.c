// Another program with a deadline: what it prints is collected, and it cannot outlive its time. One that must not be
// killed, since it holds something elsewhere, is ended kindly by a keeper, even when we are killed ourselves.
#include "engine/base/base.h"
#include "engine/base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TEXT_MOST = 64 << 20, // a child that prints more is cut off
    STOP_MS = 50,         // how soon a wish to stop is noticed
    KILL_MS = 500,        // what a child that is killed takes at most to be gone
    NOT_STARTED = 127,    // as a shell's, for a program that cannot be started
    ASK_AFTER_MS = 500,   // a kept child whose stdin has ended has so long before it gets SIGTERM
    LOOK_MS = 20          // how often it is then looked whether its group is gone
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

// ---- the keeper of a child that must not be killed -------------------------------------------------------

// A process of ours, the parent of the kept child. It passes on what we write to the child's stdin. When we close our
// end, or are gone, however we went, it ends the child and takes the time that needs. It ends as the child did. Forked
// from a process with threads, it makes system calls only.
enum { FROM_US, TO_CHILD, SIGNALS, ITS_OUT, ITS_ERR, KEPT_FDS };
struct keeper {
    struct pollfd fds[KEPT_FDS];
    pid_t child;
    int status;
    bool ended;        // the child; others of its group may be left
    bool ends, asked;  // its stdin was closed; it got SIGTERM
    double next;       // when it will be asked, and then when it will be killed
    char piece[65536]; // on its way to the child
    size_t at, length;
};

static void shut(struct pollfd *fd)
{
    if (fd->fd >= 0)
        close(fd->fd);
    fd->fd = -1;
}

__attribute__((noreturn)) static void keeper_exit(int status)
{
    if (WIFSIGNALED(status)) {
        struct sigaction plain = { .sa_handler = SIG_DFL };
        sigset_t none;
        sigemptyset(&none);
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        sigaction(WTERMSIG(status), &plain, NULL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : NOT_STARTED);
}

static void keeper_begin_end(struct keeper *keeper)
{
    if (!keeper->ends)
        keeper->next = clock_ms() + ASK_AFTER_MS;
    keeper->ends = true;
    keeper->length = 0;
    shut(&keeper->fds[FROM_US]);
    shut(&keeper->fds[TO_CHILD]);
}

static void keeper_pass_on(struct keeper *keeper)
{
    struct pollfd *from = &keeper->fds[FROM_US], *to = &keeper->fds[TO_CHILD];
    bool gone = to->revents & POLLERR; // it reads no more; what comes is dropped
    if (to->revents && keeper->length && !gone) {
        ssize_t put = write(to->fd, keeper->piece + keeper->at, keeper->length);
        keeper->at += put > 0 ? (size_t)put : 0;
        keeper->length -= put > 0 ? (size_t)put : 0;
        gone = put < 0 && errno != EAGAIN && errno != EINTR;
    } else if (from->revents & POLLIN) {
        ssize_t got = read(from->fd, keeper->piece, sizeof keeper->piece);
        keeper->at = 0;
        keeper->length = got > 0 && to->fd >= 0 ? (size_t)got : 0;
    } else if (from->revents) { // what is on its way then is of no use to anybody
        keeper_begin_end(keeper);
    }
    if (gone) {
        shut(to);
        keeper->length = 0;
    }
}

// A child that ends must not meet a pipe that nobody reads.
static void keeper_drain(struct keeper *keeper, struct pollfd *fd)
{
    if (fd->revents && read(fd->fd, keeper->piece, sizeof keeper->piece) == 0)
        shut(fd);
}

static void keeper_send(const struct keeper *keeper, int sign)
{
    kill(-keeper->child, sign);
    if (!keeper->ended && getpgid(keeper->child) != keeper->child) // it may be in another group by now
        kill(keeper->child, sign);
}

// Whether all is over. A child that ends by itself is; of one that was asked, the whole group, since a shell may be gone
// before what it started.
static bool keeper_is_over(struct keeper *keeper, int kill_after_ms)
{
    keeper->ended = keeper->ended || waitpid(keeper->child, &keeper->status, WNOHANG) == keeper->child;
    if (keeper->ended && (!keeper->asked || kill(-keeper->child, 0) != 0))
        return true;
    if (!keeper->ends || clock_ms() < keeper->next)
        return false;
    keeper_send(keeper, keeper->asked ? SIGKILL : SIGTERM);
    if (keeper->asked && !keeper->ended)
        waitpid(keeper->child, &keeper->status, 0);
    keeper->next = clock_ms() + kill_after_ms;
    bool over = keeper->asked;
    keeper->asked = true;
    return over;
}

// Closes all descriptors but the keeper's own, the terminal's among them.
static void keeper_close_others(const struct keeper *keeper)
{
    enum { MOST = 1024 };
    for (int fd = 0; fd < MOST; fd++) {
        bool own = false;
        for (int i = 0; i < KEPT_FDS; i++)
            own |= keeper->fds[i].fd == fd;
        if (!own)
            close(fd);
    }
}

// What comes is polled for only while it can be taken.
static void keeper_wait(struct keeper *keeper)
{
    double rest = keeper->next - clock_ms();
    bool says = keeper->ends; // until then we read what it says
    keeper->fds[FROM_US].events = keeper->length ? 0 : POLLIN;
    keeper->fds[TO_CHILD].events = keeper->length ? POLLOUT : 0;
    keeper->fds[SIGNALS].events = POLLIN;
    for (int i = 0; i < KEPT_FDS; i++)
        keeper->fds[i].revents = 0;
    keeper->fds[ITS_OUT].events = keeper->fds[ITS_ERR].events = POLLIN;
    int timeout = !keeper->ends                     ? -1
                  : keeper->asked && rest > LOOK_MS ? LOOK_MS
                  : rest > 0                        ? (int)rest + 1
                                                    : 0;
    (void)poll(keeper->fds, says ? KEPT_FDS : ITS_OUT, timeout);
}

__attribute__((noreturn)) static void keeper_main(struct exec_plan *plan, const int fds[KEPT_FDS])
{
    struct keeper keeper = { .status = NOT_STARTED << 8 };
    struct sigaction plain = { .sa_handler = SIG_DFL };
    struct signalfd_siginfo signal;
    sigset_t all;
    sigfillset(&all); // blocked: the keeper's own end is not up to them
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGCHLD, &plain, NULL); // ignored, it would hide how the child ended
    (void)prctl(PR_SET_NAME, "warpbook-keeper");
    (void)setsid();
    for (int i = 0; i < KEPT_FDS; i++)
        keeper.fds[i].fd = fds[i];
    sigemptyset(&all);
    sigaddset(&all, SIGCHLD);
    sigaddset(&all, SIGTERM);
    keeper.fds[SIGNALS].fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    keeper.child = fork_and_exec(plan);
    if (plan->failed)
        _exit(NOT_STARTED);
    keeper_close_others(&keeper);
    (void)fcntl(keeper.fds[TO_CHILD].fd, F_SETFL, O_NONBLOCK);
    (void)chdir("/");
    while (!keeper_is_over(&keeper, plan->terms->kept_ms)) {
        keeper_wait(&keeper);
        if (!keeper.ends)
            keeper_pass_on(&keeper);
        keeper_drain(&keeper, &keeper.fds[ITS_OUT]);
        keeper_drain(&keeper, &keeper.fds[ITS_ERR]);
        while (keeper.fds[SIGNALS].revents && read(keeper.fds[SIGNALS].fd, &signal, sizeof signal) > 0)
            if (signal.ssi_signo == SIGTERM)
                keeper_begin_end(&keeper);
    }
    keeper_exit(keeper.status);
}

static pid_t fork_keeper(struct exec_plan *plan, const int fds[KEPT_FDS])
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        keeper_main(plan, fds);
    if (pid < 0)
        plan->failed = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

// ---- starting ------------------------------------------------------------------------------------------

bool child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                    struct error *error)
{
    int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 }, kept[2] = { -1, -1 };
    bool piped = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
                 (terms->errors_here || pipe2(err, O_CLOEXEC) == 0) &&
                 (!terms->kept_ms || pipe2(kept, O_CLOEXEC) == 0);
    const int keeps[KEPT_FDS] = { kept[0], in[1], -1, out[0], err[0] };
    struct exec_plan plan = { .argv = argv,
                              .streams = { in[0], out[1], terms->errors_here ? STDERR_FILENO : err[1] },
                              .terms = terms,
                              .parent = getpid(),
                              .failed = piped ? 0 : errno };
    if (piped)
        child->pid = terms->kept_ms ? fork_keeper(&plan, keeps) : fork_and_exec(&plan);
    if (plan.failed) {
        close_pair(in);
        close_pair(out);
        close_pair(err);
        close_pair(kept);
        *child = (struct child){ 0, -1, -1, -1 };
        return error_set(error, EXIT_MISSING, "Cannot start %s: %s.", argv[0], strerror(plan.failed));
    }
    close(in[0]);
    close(out[1]);
    if (err[1] >= 0)
        close(err[1]);
    child->in = in[1];
    if (terms->kept_ms) { // between us and its stdin is the keeper
        close(in[1]);
        close(kept[0]);
        child->in = kept[1];
    }
    child->out = out[0];
    child->err = err[0];
    const int ours[] = { child->in, child->out, child->err };
    for (int i = 0; i < 3; i++)
        if (ours[i] >= 0)
            fcntl(ours[i], F_SETFL, O_NONBLOCK);
    return true;
}

// ---- with a deadline ----------------------------------------------------------------------------------

// Reads what is there; closes the descriptor at the end of the stream.
static void drain(struct pollfd *from, struct text *into, const struct child_terms *terms)
{
    char piece[65536];
    ssize_t got = read(from->fd, piece, sizeof piece);
    if (got > 0 && terms->hears)
        terms->hears(piece, (size_t)got, terms->context);
    else if (got > 0 && into->length < TEXT_MOST)
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

// What ends a child that does not end by itself.
struct run_end {
    double deadline;
    const atomic_bool *stop; // NULL: nothing
    const struct child_terms *terms;
    pid_t child;
    double asked; // when may_go_on was asked last
};

static bool is_asked(const struct run_end *end)
{
    return end->stop || end->terms->may_go_on;
}

static bool is_over(struct run_end *end)
{
    double now = clock_ms();
    if (now >= end->deadline || (end->stop && *end->stop))
        return true;
    if (!end->terms->may_go_on || now - end->asked < LOOK_MS)
        return false;
    end->asked = now;
    return !end->terms->may_go_on(end->child, end->terms->context);
}

// Serves all three streams until the child has closed its ends (true) or the deadline has passed (false).
static bool carry(struct pollfd fds[3], const char *input, size_t left, struct run_end *end,
                  struct child_result *result)
{
    if (!left) {
        close(fds[0].fd);
        fds[0].fd = -1;
    }
    while (fds[1].fd >= 0 || fds[2].fd >= 0) {
        double rest = end->deadline - clock_ms();
        if (is_over(end))
            return false;
        int ready = poll(fds, 3, is_asked(end) && rest > STOP_MS ? STOP_MS : (int)rest + 1);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0)
            continue;
        if (fds[0].fd >= 0 && fds[0].revents)
            feed(&fds[0], &input, &left);
        if (fds[1].fd >= 0 && fds[1].revents)
            drain(&fds[1], &result->out, end->terms);
        if (fds[2].fd >= 0 && fds[2].revents)
            drain(&fds[2], &result->err, end->terms);
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
static void reap(struct run_end *end, struct child_result *result)
{
    int pause_us = 50;
    while (!result->timed_out && !child_ended(end->child, &result->status)) {
        result->timed_out = is_over(end);
        usleep((useconds_t)pause_us);
        pause_us = pause_us < 2000 ? pause_us * 2 : 2000;
    }
    if (result->timed_out)
        child_kill(end->child, &result->status);
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
    struct run_end end = {
        .deadline = clock_ms() + limit_ms, .stop = stop, .terms = terms, .child = child.pid
    };
    result->timed_out = !carry(fds, input, input_length, &end, result);
    for (int i = 0; i < 3; i++)
        if (fds[i].fd >= 0)
            close(fds[i].fd);
    reap(&end, result);
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
