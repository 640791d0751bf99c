// The terminal in other hands: lent to a program such as an editor, or left to the shell by ^Z.
#include "tui/draw/screen.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127 }; // as a shell's, for a program that cannot be started

static bool exists(const char *program)
{
    char path[4096];
    return strchr(program, '/') ? access(program, X_OK) == 0 : program_find(program, path, sizeof path);
}

// With every signal as a program expects it that a shell starts. By fork: a ^Z that stops the child before it is the
// program would hold whoever waits in vfork or posix_spawn, and our shell would never see us stop.
static pid_t start(const char *const *argv)
{
    static const int reset[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTERM, SIGHUP, SIGPIPE, SIGCONT, SIGWINCH };
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        struct sigaction plain = { .sa_handler = SIG_DFL };
        for (size_t i = 0; i < sizeof reset / sizeof reset[0]; i++)
            sigaction(reset[i], &plain, NULL);
        sigemptyset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        execvp(argv[0], (char *const *)argv);
        _exit(NOT_STARTED);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

// The child is in our process group, so ^Z and fg mostly reach both of us. One that stopped only itself takes us along:
// the shell has to see that its job stands still.
static bool wait_for(pid_t pid, int *status)
{
    for (;;) {
        siginfo_t info = { 0 };
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) != 0) {
            if (errno != EINTR)
                return false;
            continue;
        }
        if (info.si_code != CLD_STOPPED)
            return waitpid(pid, status, 0) == pid;
        info = (siginfo_t){ 0 }; // after ^Z it goes on again by now
        if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) {
            waitpid(pid, status, WUNTRACED);
            raise(SIGSTOP);
            kill(pid, SIGCONT);
        }
    }
}

bool screen_lend(struct screen *screen, const char *const *argv, int *status, struct error *error)
{
    if (!exists(argv[0]))
        return error_set(error, EXIT_MISSING, "The program '%.200s' was not found.", argv[0]);
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit, stop;
    screen_leave(screen);
    sigaction(SIGINT, &ignore, &interrupt); // ^C is for the child
    sigaction(SIGQUIT, &ignore, &quit);
    signals_as_before(screen, SIGTSTP, &stop);
    pid_t pid = start(argv);
    int why = errno;
    bool ended = pid > 0 && wait_for(pid, status);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    sigaction(SIGTSTP, &stop, NULL);
    signals_took(screen, SIGCONT);
    screen_enter(screen);
    if (pid < 0)
        return error_set(error, EXIT_MISSING, "Cannot start '%.200s': %s.", argv[0], strerror(why));
    return ended || error_set(error, EXIT_MISSING, "'%.200s' was lost: %s.", argv[0], strerror(errno));
}

void screen_stop(struct screen *screen, bool group)
{
    struct sigaction ours;
    screen_leave(screen);
    if (group)
        kill(0, SIGTSTP); // the others of our job; we only note it
    signals_as_before(screen, SIGTSTP, &ours);
    raise(SIGTSTP); // here the program stands still until fg
    sigaction(SIGTSTP, &ours, NULL);
    signals_took(screen, SIGTSTP);
    signals_took(screen, SIGCONT);
    screen_enter(screen);
}
