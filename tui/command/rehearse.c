// A rehearsal of a class: as many learners as will come, made up here, join a room of their own in the folder where rooms
// are, and tell what learners tell, while the instructor's end reads it as the room's page does. What is reported is how
// long a line takes to get there, whether any is lost or counted twice, and what the instructor's screen costs. With
// workers they run a ladder each, too.
#include "tui/command/rehearse.h"
#include "tui/tui.h"

#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LEARNERS_MOST = 200, LINES_MOST = 1000, LOOK_MS = 500, PATIENCE_MS = 10000, CHOICES = 4 };

struct pupil {
    struct member *member;
    double *told, *seen; // by the number of the line: clock_ms; 0: not yet
    json_int_t lines;    // that were told
};
struct rehearsal {
    struct desk desk;
    struct pupil *learners;
    long count, lines, pause;
    char *home;
    pthread_t reader;
    atomic_bool told_all, failed;
    double spent;               // seconds of a processor that reading and drawing took
    double look_ms, drawing_ms; // the longest of one
    struct error error;
};

// ---- the instructor's end, on a thread ----------------------------------------------------------------------------

static struct pupil *pupil_of(struct rehearsal *rehearsal, const char *token)
{
    for (long i = 0; i < rehearsal->count; i++)
        if (strcmp(rehearsal->learners[i].member->token, token) == 0)
            return &rehearsal->learners[i];
    return NULL;
}

// Whether each line that was told has been seen.
static bool see(struct rehearsal *rehearsal, double now)
{
    const struct room_class *class = &rehearsal->desk.class;
    bool all = class->count == (size_t)rehearsal->count;
    for (size_t i = 0; i < class->count; i++) {
        struct pupil *learner = pupil_of(rehearsal, class->people[i].token);
        for (json_int_t n = learner ? class->people[i].n : 0; n > 0 && learner->seen[n] == 0; n--)
            learner->seen[n] = now;
        all = all && learner && class->people[i].n == rehearsal->lines + 1;
    }
    return all;
}

// As the room's page draws what it has read, which is what its keys wait for.
static void draw(struct rehearsal *rehearsal)
{
    enum { COLUMNS = 80 };
    struct room_picture *picture = room_picture_make(&rehearsal->desk, (double)time(NULL));
    struct room_shown shown = { .picture = picture };
    double began = clock_ms();
    struct sheet sheet = room_sheet(&shown, COLUMNS, true);
    rehearsal->drawing_ms = fmax(rehearsal->drawing_ms, clock_ms() - began);
    sheet_free(&sheet);
    free(shown.items);
    room_picture_free(picture);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *read_room(void *context)
{
    struct rehearsal *rehearsal = context;
    double deadline = 0, began = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    bool all = false;
    while (!all && !rehearsal->failed && (!deadline || clock_ms() < deadline)) {
        double looked = clock_ms();
        if (!desk_look(&rehearsal->desk, (double)time(NULL), &rehearsal->error)) {
            rehearsal->failed = true;
            break;
        }
        rehearsal->look_ms = fmax(rehearsal->look_ms, clock_ms() - looked);
        all = see(rehearsal, clock_ms());
        draw(rehearsal);
        if (!deadline && rehearsal->told_all)
            deadline = clock_ms() + PATIENCE_MS;
        if (!all)
            usleep(LOOK_MS * 1000);
    }
    rehearsal->spent = seconds_of(CLOCK_THREAD_CPUTIME_ID) - began;
    return NULL;
}

// ---- the learners ---------------------------------------------------------------------------------------------------

// Each has a folder of its own, as learners have.
static bool join_all(struct rehearsal *rehearsal, struct error *error)
{
    char *before = mem_copy_if(getenv("WARPBOOK_HOME"));
    bool fine = true;
    for (long i = 0; fine && i < rehearsal->count; i++) {
        struct pupil *learner = &rehearsal->learners[i];
        char *home = text_format("%s/%ld", rehearsal->home, i);
        setenv("WARPBOOK_HOME", home, 1);
        free(home);
        learner->told = mem_new(((size_t)rehearsal->lines + 2) * sizeof *learner->told);
        learner->seen = mem_new(((size_t)rehearsal->lines + 2) * sizeof *learner->seen);
        fine = member_join(rehearsal->desk.room.folder, NULL, WARPBOOK_VERSION, &learner->member, error);
    }
    if (before)
        setenv("WARPBOOK_HOME", before, 1);
    else
        unsetenv("WARPBOOK_HOME");
    free(before);
    return fine;
}

// What a learner tells next: moves on, tries, asks for help, votes.
static json_t *next_line(long learner, long line, const char **kind)
{
    static const char *const kinds[] = { "at", "answer", "light", "vote", "try" };
    char item[24];
    *kind = kinds[line % 5];
    format_into(item, sizeof item, "item-%ld", line / 5);
    switch (line % 5) {
    case 0:
        return json_pack("{s:s, s:s, s:s}", "page", "lesson", "lesson", "rehearsal", "item", item);
    case 2:
        return json_pack("{s:s}", "is", learner % 7 == 0 ? "red" : line % 2 ? "green" : "none");
    case 3:
        return json_pack("{s:i, s:i, s:i}", "poll", 1, "round", 1, "choice", (int)(learner % CHOICES));
    default:
        return json_pack("{s:s, s:b}", "id", item, "right", learner % 2 == 0);
    }
}

static bool tell_all(struct rehearsal *rehearsal, struct error *error)
{
    double start = clock_ms();
    for (long line = 0; line < rehearsal->lines; line++)
        for (long i = 0; i < rehearsal->count && !rehearsal->failed; i++) {
            struct pupil *learner = &rehearsal->learners[i];
            const char *kind;
            double due =
                start + (double)rehearsal->pause * ((double)line + (double)i / (double)rehearsal->count);
            double wait = due - clock_ms();
            if (wait > 0)
                usleep((useconds_t)(wait * 1000));
            learner->told[line + 2] = clock_ms(); // the first is that of joining
            json_t *fields = next_line(i, line, &kind);
            if (!member_keep(learner->member, kind, fields, error) || !member_deliver(learner->member, error))
                return false;
            learner->lines = learner->member->told;
        }
    return true;
}

// ---- what came of it ------------------------------------------------------------------------------------------------

struct recount {
    json_int_t last;
    size_t lines, twice;
};

static void take_counted(void *context, const json_t *line)
{
    struct recount *recount = context;
    json_int_t n = json_integer_value(json_object_get(line, "n"));
    recount->lines++;
    recount->twice += n <= recount->last;
    recount->last = n > recount->last ? n : recount->last;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static bool report(struct rehearsal *rehearsal, double seconds)
{
    struct desk *desk = &rehearsal->desk;
    double *delays =
        mem_new(((size_t)rehearsal->count * ((size_t)rehearsal->lines + 1) + 1) * sizeof *delays);
    size_t seen = 0, timed = 0, told = 0, lost = 0, twice = 0, voters = 0;
    for (long i = 0; i < rehearsal->count; i++) {
        const struct pupil *learner = &rehearsal->learners[i];
        struct journal file = { .path = mem_copy(learner->member->there.path), .owner = geteuid() };
        struct recount recount = { 0 };
        journal_look(&file, SIZE_MAX, take_counted, &recount);
        journal_free(&file);
        told += (size_t)learner->lines;
        twice += recount.twice;
        lost += (size_t)learner->lines - (recount.lines - recount.twice);
        voters += rehearsal->lines > 3;
        for (json_int_t n = 1; n <= learner->lines; n++)
            if (learner->seen[n] > 0) {
                seen++;
                if (n > 1) // they joined before anybody read
                    delays[timed++] = (learner->seen[n] - learner->told[n]) / 1e3;
            }
    }
    qsort(delays, timed, sizeof *delays, by_size);
    struct poll_count votes;
    poll_counts(&desk->room, &desk->class, &desk->notices.polls[0], &votes);
    printf("%ld learners told %zu lines in %.1f s.\n", rehearsal->count, told, seconds);
    if (timed)
        printf("Until your end had read a line: median %.2f s, 99 %% %.2f s, at most %.2f s.\n",
               delays[timed / 2], delays[timed - 1 - timed / 100], delays[timed - 1]);
    printf("Lost: %zu. Counted twice: %zu. Not seen: %zu. Votes: %u of %zu.\n", lost, twice, told - seen,
           votes.voted[0], voters);
    printf("Your screen took %.1f %% of a processor; reading took at most %.0f ms. Keys wait at most %.0f "
           "ms, for "
           "drawing.\n",
           seconds > 0 ? 100 * rehearsal->spent / seconds : 0, rehearsal->look_ms, rehearsal->drawing_ms);
    free(delays);
    return !lost && !twice && told == seen && votes.voted[0] == voters;
}

// Of this process and of those that it started and that have ended.
static void report_cost(double seconds)
{
    struct rusage own, started;
    if (getrusage(RUSAGE_SELF, &own) != 0 || getrusage(RUSAGE_CHILDREN, &started) != 0)
        return;
    double spent = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + started.ru_utime.tv_sec +
                            started.ru_stime.tv_sec) +
                   (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + started.ru_utime.tv_usec +
                            started.ru_stime.tv_usec) /
                       1e6;
    printf("The rehearsal took %.1f s, and %.1f s of a processor; this program had %.0f MiB at most.\n",
           seconds, spent, (double)own.ru_maxrss / 1024);
}

// ---- from the first to the last -------------------------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    return remove(path);
}

static bool rehearse(struct rehearsal *rehearsal, bool *right, struct error *error)
{
    struct desk *desk = &rehearsal->desk;
    struct poll poll = { .ask = "A rehearsal", .choices = { "a", "b", "c", "d" }, .choice_count = CHOICES };
    if (!poll_begin(&desk->room, &desk->class, &desk->notices, &poll, error) || !join_all(rehearsal, error))
        return false;
    if (pthread_create(&rehearsal->reader, NULL, read_room, rehearsal) != 0)
        return error_set(error, EXIT_MISSING, "There is no thread left to read the room with.");
    double start = clock_ms();
    printf("%ld learners tell %ld lines each, one after %.1f s: this takes about %.0f s.\n", rehearsal->count,
           rehearsal->lines, (double)rehearsal->pause / 1e3,
           (double)(rehearsal->lines * rehearsal->pause) / 1e3);
    fflush(stdout);
    bool told = tell_all(rehearsal, error);
    rehearsal->told_all = true;
    if (!told)
        rehearsal->failed = true;
    pthread_join(rehearsal->reader, NULL);
    if (told && rehearsal->failed)
        *error = rehearsal->error;
    if (!rehearsal->failed)
        *right = report(rehearsal, (clock_ms() - start) / 1e3);
    return !rehearsal->failed;
}

static bool open_rehearsal(struct rehearsal *rehearsal, struct error *error)
{
    struct room room;
    const char *folder = getenv("TMPDIR");
    struct room_terms terms = { .title = "A rehearsal", .claimed = true };
    rehearsal->home = path_join(folder && *folder ? folder : "/tmp", "warpbook-rehearsal-XXXXXX");
    if (!mkdtemp(rehearsal->home))
        return error_set(error, EXIT_MISSING, "%s could not be made; set TMPDIR to another folder.",
                         rehearsal->home);
    if (!room_make(&terms, &room, error))
        return false;
    bool opened = desk_open(room.folder, &rehearsal->desk, error);
    room_free(&room);
    return opened;
}

static void close_rehearsal(struct rehearsal *rehearsal)
{
    struct error unused;
    size_t left;
    for (long i = 0; i < rehearsal->count; i++) {
        member_close(rehearsal->learners[i].member);
        free(rehearsal->learners[i].told);
        free(rehearsal->learners[i].seen);
    }
    free(rehearsal->learners);
    if (rehearsal->desk.room.folder)
        (void)room_end(&rehearsal->desk.room, true, &left, &unused);
    desk_close(&rehearsal->desk);
    nftw(rehearsal->home, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(rehearsal->home);
}

// Where --workers says so, a queue is rehearsed as well.
static bool read_workers(const struct arguments *arguments, struct serve_terms *out, struct error *error)
{
    long workers = 0;
    const char *command = arguments_value(arguments, "--worker");
    if (!arguments_number(arguments, "--workers", 1, 64, &workers, error))
        return false;
    if (command)
        setenv("WARPBOOK_WORKER", command, 1);
    *out = (struct serve_terms){ .workers = workers ? (int)workers : 1,
                                 .batch = arguments_has(arguments, "--batch") };
    return true;
}

static bool rehearses_runs(const struct arguments *arguments)
{
    return arguments_has(arguments, "--workers") || arguments_has(arguments, "--worker") ||
           arguments_has(arguments, "--batch");
}

int command_rehearse(const struct arguments *arguments)
{
    struct error error;
    struct serve_terms terms;
    struct rehearsal rehearsal = { .lines = 15, .pause = 2000 };
    char *end = NULL;
    bool right = false;
    double start = clock_ms();
    rehearsal.count = arguments->operand_count == 2 ? strtol(arguments->operands[1], &end, 10) : 0;
    if (!end || *end || rehearsal.count < 1 || rehearsal.count > LEARNERS_MOST) {
        error_set(&error, EXIT_USAGE, "room rehearse takes how many learners will come, 1 to %d.",
                  LEARNERS_MOST);
        return fail(&error);
    }
    if (!arguments_number(arguments, "--lines", 1, LINES_MOST, &rehearsal.lines, &error) ||
        !arguments_number(arguments, "--pause", 0, 60000, &rehearsal.pause, &error) ||
        !read_workers(arguments, &terms, &error))
        return fail(&error);
    rehearsal.learners = mem_new((size_t)rehearsal.count * sizeof *rehearsal.learners);
    bool done = open_rehearsal(&rehearsal, &error) && rehearse(&rehearsal, &right, &error);
    fflush(stdout);
    if (done && rehearses_runs(arguments))
        done = rehearse_runs(&rehearsal.desk.room, rehearsal.home, rehearsal.count, &terms, &right, &error);
    close_rehearsal(&rehearsal);
    if (done)
        report_cost((clock_ms() - start) / 1e3);
    return done ? right ? EXIT_RIGHT : EXIT_WRONG : fail(&error);
}
