// The second half of a rehearsal: the made-up learners run a ladder at the same moment, each by a program of its own, through
// the room's queue, which is served here with the workers that the class will have.
#include "tui/command/rehearse.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/room/queue.h"

enum { DESCRIBED_MS = 600000, LOOK_MS = 50 };

struct serving { // on a thread
    const struct room *room;
    struct serve_terms terms;
    volatile sig_atomic_t stop;
    volatile bool over, failed;
    struct error error;
};

static void *serve_them(void *context)
{
    struct serving *serving = context;
    serving->failed = !serve(serving->room, &serving->terms, &serving->stop, &serving->error);
    serving->over = true;
    return NULL;
}

// Until the queue has described its GPU, which a scheduler may have to hand out first. False: there is none.
static bool is_served(struct serving *serving)
{
    json_t *state = NULL;
    double end = clock_ms() + DESCRIBED_MS;
    while (!serving->over && clock_ms() < end && !(state = queue_state(serving->room)))
        usleep(LOOK_MS * 1000);
    bool served = json_object_get(json_object_get(state, "machine"), "gpu");
    if (state && !served)
        error_set(&serving->error, EXIT_MISSING, "The workers have no GPU; 'warpbook doctor' says why.");
    json_decref(state);
    return served;
}

// The environment with these variables in the place of its own; the caller frees the array.
static char **changed(char *const variables[], size_t count)
{
    size_t kept = 0, all = 0;
    while (environ[all])
        all++;
    char **out = mem_new((all + count + 1) * sizeof *out);
    for (size_t i = 0; i < all; i++) {
        bool replaced = false;
        for (size_t j = 0; j < count; j++)
            replaced = replaced || strncmp(environ[i], variables[j], strcspn(variables[j], "=") + 1) == 0;
        if (!replaced)
            out[kept++] = environ[i];
    }
    for (size_t j = 0; j < count; j++)
        out[kept++] = variables[j];
    return out;
}

static char *said_in(const char *home)
{
    return path_join(home, "said");
}

// The end of what a run said that was not right.
static void tell_why(const char *home)
{
    enum { LINES = 8 };
    struct text said = { 0 };
    struct error unread;
    char *path = said_in(home);
    if (file_read(path, &said, &unread)) {
        const char *all = text_string(&said), *at = all + said.length;
        for (int lines = 0; at > all; at--)
            if (at[-1] == '\n' && lines++ == LINES)
                break;
        struct text clean = { 0 };
        text_add_clean(&clean, at, strlen(at));
        printf("One that was not right ended with:\n%s", text_string(&clean));
        text_free(&clean);
    }
    text_free(&said);
    free(path);
}

static pid_t start_run(const char *self, const char *home)
{
    char *said = said_in(home);
    const char *const argv[] = { self, "run", "divergence", "--on", "gpu", "--size", "small", NULL };
    char *variables[] = { text_format("WARPBOOK_HOME=%s", home),
                          text_format("WARPBOOK_WORKER='%s' worker --room", self),
                          text_format("WARPBOOK_LEVEL=0") };
    char **environment = changed(variables, 3);
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    if (posix_spawn(&pid, self, &actions, NULL, (char *const *)argv, environment) != 0)
        pid = 0;
    posix_spawn_file_actions_destroy(&actions);
    for (size_t i = 0; i < 3; i++)
        free(variables[i]);
    free(environment);
    free(said);
    return pid;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// Runs of all of them at once; *took: how long each had to wait for the last result; *wrong: one that was not right, or -1.
// Returns how many were right.
static long run_all(const char *self, const char *home, long count, double *took, long *wrong)
{
    pid_t *pids = mem_new((size_t)count * sizeof *pids);
    double start = clock_ms();
    long right = 0, left = 0, ended = 0;
    *wrong = -1;
    for (long i = 0; i < count; i++) {
        char *own = text_format("%s/%ld", home, i);
        pids[i] = start_run(self, own);
        left += pids[i] > 0;
        free(own);
    }
    while (left > 0) {
        for (long i = 0; i < count; i++) {
            int status;
            if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) != pids[i])
                continue;
            pids[i] = 0;
            left--;
            bool well = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RIGHT;
            right += well;
            *wrong = well || *wrong >= 0 ? *wrong : i;
            took[ended++] = (clock_ms() - start) / 1e3;
        }
        usleep(LOOK_MS * 1000);
    }
    free(pids);
    return right;
}

bool rehearse_runs(const struct room *room, const char *home, long count, const struct serve_terms *terms,
                   bool *right, struct error *error)
{
    struct serving serving = { .room = room, .terms = *terms };
    pthread_t thread;
    char *self = path_self();
    double *took = mem_new((size_t)count * sizeof *took);
    if (!self || pthread_create(&thread, NULL, serve_them, &serving) != 0) {
        free(self);
        free(took);
        return error_set(error, EXIT_MISSING, "There is no thread left to serve the queue with.");
    }
    bool served = is_served(&serving);
    long wrong = -1, all_right = served ? run_all(self, home, count, took, &wrong) : 0;
    serving.stop = 1;
    pthread_join(thread, NULL);
    if (served) {
        qsort(took, (size_t)count, sizeof *took, by_size);
        double half = took[count / 2], last = took[count - 1];
        printf(
            "%ld of %ld learners had all runs of a ladder right, with %d %s%s:\nhalf of them after %.1f s, "
            "the "
            "last after %.1f s, %.1f times as long.\n",
            all_right, count, terms->workers, terms->batch ? "jobs at a time" : "worker",
            terms->batch || terms->workers == 1 ? "" : "s", half, last, last / half);
        *right = *right && all_right == count;
        if (wrong >= 0) {
            char *own = text_format("%s/%ld", home, wrong);
            tell_why(own);
            free(own);
        }
    } else {
        *error = serving.error;
    }
    free(took);
    free(self);
    return served;
}
