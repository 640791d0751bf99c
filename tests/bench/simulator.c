// How fast the simulator is, and what memory it takes: on three kernels of 2^20 elements, and on a set that looks like what
// people write, the files of tests/bench/kernels. The set is compared with kept figures, tests/bench/figures.
#include "engine/run/run.h"
#include "engine/sim/sim.h"
#include "tests/bench/bench.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURNS = 9, TURNS_OF_SET = 3 };
static const char kernels_file[] = "tests/data/truth/anchors.cu";

static const struct bench_anchor {
    const char *name,
        *head; // the latter: its buffers and its launch, which the file of the kernels does not have
    double buffer_mib;
} anchors[] = {
    { "vadd",
      "//@ param n = 1 << 20\n"
      "//@ buffer a float[n] = hash(i) & 1023\n"
      "//@ buffer b float[n] = hash(i + n) & 1023\n"
      "//@ buffer c float[n]\n"
      "//@ launch vadd<<<(n + 255) / 256, 256>>>(a, b, c, n)\n",
      12 },
    { "hist256",
      "//@ param n = 1 << 20\n"
      "//@ buffer in unsigned char[n] = hash(i) >> 24\n"
      "//@ buffer bins int[256] = 0\n"
      "//@ launch hist256<<<64, 256>>>(in, bins, n)\n",
      1 },
    { "reduce256",
      "//@ param n = 1 << 20\n"
      "//@ buffer in int[n] = hash(i) & 1023\n"
      "//@ buffer out int[1] = 0\n"
      "//@ launch reduce256<<<(n + 255) / 256, 256>>>(in, out, n)\n",
      4 },
};

enum how { BARE, COUNTERS, TWO_THREADS, ALL_CHECKS, ALL_TWO_THREADS, HOWS };
static const struct {
    enum request_check check;
    int threads;
} hows[HOWS] = { { REQUEST_CHECK_NONE, 1 },
                 { REQUEST_CHECK_COUNTERS, 1 },
                 { REQUEST_CHECK_COUNTERS, 2 },
                 { REQUEST_CHECK_ALL, 1 },
                 { REQUEST_CHECK_ALL, 2 } };

struct work {
    const char *name, *file, *source;
};
struct figures {
    double best_ms[HOWS], thread_instructions;
    double first_ms; // from the source to the counters, nothing compiled or started before
    double peak_mib; // of the worker
};

static double process_peak_mib(int process)
{
    char path[64], line[200];
    double kib = NAN;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf kB", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib / 1024;
}

// The most memory that a process started by this one, or by one of those, has had; NAN where the system does not tell.
static double children_peak_mib(int process)
{
    char pattern[64];
    double peak = NAN;
    int child;
    glob_t tasks;
    snprintf(pattern, sizeof pattern, "/proc/%d/task/*/children", process);
    if (glob(pattern, 0, NULL, &tasks))
        return NAN;
    for (size_t i = 0; i < tasks.gl_pathc; i++) {
        FILE *children = fopen(tasks.gl_pathv[i], "re");
        while (children && fscanf(children, "%d", &child) == 1)
            peak = fmax(peak, fmax(process_peak_mib(child), children_peak_mib(child)));
        if (children)
            fclose(children);
    }
    globfree(&tasks);
    return peak;
}

static bool simulate(struct client *client, const struct work *work, enum how how, struct figures *out)
{
    struct request request = { .on = ON_SIM,
                               .variant = (char *)work->name,
                               .file = (char *)work->file,
                               .source = (char *)work->source,
                               .limit_ms = 60000,
                               .check = hows[how].check,
                               .threads = hows[how].threads };
    struct record record;
    struct error error;
    if (!client_run(client, &request, NULL, NULL, &record, &error)) {
        printf("  %s: %s\n", work->name, error.text);
        return false;
    }
    if (!(out->best_ms[how] < record.exec_ms))
        out->best_ms[how] = record.exec_ms;
    if (how == COUNTERS)
        out->thread_instructions = record.thread_inst;
    record_free(&record);
    return true;
}

// In turns, so that a slow moment of the machine slows all of them.
static bool measure(const struct work *work, int turns, struct figures *out)
{
    *out = (struct figures){ .best_ms = { NAN, NAN, NAN, NAN, NAN } };
    struct client *client = client_new();
    double start = clock_ms();
    bool good = simulate(client, work, COUNTERS, out);
    out->first_ms = clock_ms() - start;
    for (int turn = 0; good && turn < turns; turn++)
        for (int how = 0; good && how < HOWS; how++)
            good = simulate(client, work, (enum how)how, out);
    out->peak_mib = children_peak_mib((int)getpid());
    client_free(client);
    return good;
}

static double speed_of(const struct figures *f, enum how how) // G thread instructions a second
{
    return f->thread_instructions / f->best_ms[how] / 1e6;
}

// ---- three anchors --------------------------------------------------------------------------------------

static void print(const struct bench_anchor *anchor, const struct figures *f)
{
    printf("  %-10s %8.2f %9.2f %11.2f %8.2f x %12.2f %14.0f ms %9.1f MiB\n", anchor->name, speed_of(f, BARE),
           speed_of(f, COUNTERS), speed_of(f, ALL_CHECKS), f->best_ms[COUNTERS] / f->best_ms[TWO_THREADS],
           speed_of(f, TWO_THREADS), f->first_ms, f->peak_mib - anchor->buffer_mib);
}

void measure_simulator(void)
{
    struct text kernels = { 0 };
    struct error error;
    if (!file_read(kernels_file, &kernels, &error)) {
        printf("the simulator: %s\n", error.text);
        return;
    }
    setenv("WARPBOOK_CACHE", "/dev/null", 1); // no folder: everything is compiled anew
    printf("the simulator, 2^20 elements, best of %d, G thread instructions a second:\n", TURNS);
    printf("  %-10s %8s %9s %11s %10s %12s %17s %13s\n", "", "bare", "counters", "all checks", "2 threads",
           "in them", "source to counts", "but buffers");
    for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++) {
        struct text source = { 0 };
        struct figures figures;
        text_addf(&source, "%s%s", anchors[i].head, text_string(&kernels));
        struct work work = { anchors[i].name, kernels_file, text_string(&source) };
        if (measure(&work, TURNS, &figures))
            print(&anchors[i], &figures);
        text_free(&source);
    }
    unsetenv("WARPBOOK_CACHE");
    text_free(&kernels);
}

// ---- the set ----------------------------------------------------------------------------------------------

enum { SET_MOST = 64, NAME_ROOM = 40 };
// The columns of the set: speeds, how often one thread's time fits two threads' (counters, every check), and memory.
enum set_column { BY_COUNTERS, BY_CHECKS, TWICE_COUNTERS, TWICE_CHECKS, PEAK_MIB, COLUMNS };
struct kept_figures {
    char name[NAME_ROOM];
    double value[COLUMNS];
};

// Lines that do not begin with '#': a name, then the first two columns. The first line says where they were measured.
static size_t read_kept(struct kept_figures out[SET_MOST], char *where, size_t room)
{
    char line[256];
    size_t count = 0;
    FILE *file = fopen("tests/bench/figures", "re");
    while (file && count < SET_MOST && fgets(line, sizeof line, file)) {
        struct kept_figures *k = &out[count];
        double *v = k->value;
        if (line[0] == '#' && !where[0])
            snprintf(where, room, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
        else if (sscanf(line, "%39s %lf %lf", k->name, &v[BY_COUNTERS], &v[BY_CHECKS]) == 3)
            count++;
    }
    if (file)
        fclose(file);
    return count;
}

static void print_row(const char *name, const double value[COLUMNS], const struct kept_figures *kept,
                      size_t count)
{
    const struct kept_figures *old = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(kept[i].name, name) == 0)
            old = &kept[i];
    printf("  %-18s %8.2f %8.2f %8.2f x %6.2f x %8.0f", name, value[BY_COUNTERS], value[BY_CHECKS],
           value[TWICE_COUNTERS], value[TWICE_CHECKS], value[PEAK_MIB]);
    if (old)
        printf(" %9.2f %8.2f", value[BY_COUNTERS] / old->value[BY_COUNTERS],
               value[BY_CHECKS] / old->value[BY_CHECKS]);
    printf("\n");
}

static bool measure_file(const char *path, struct kept_figures *out)
{
    struct text source = { 0 };
    struct error error;
    struct figures f;
    const char *slash = strrchr(path, '/');
    snprintf(out->name, sizeof out->name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    if (!file_read(path, &source, &error)) {
        printf("  %s: %s\n", path, error.text);
        return false;
    }
    struct work work = { out->name, path, text_string(&source) };
    bool good = measure(&work, TURNS_OF_SET, &f);
    out->value[BY_COUNTERS] = speed_of(&f, COUNTERS);
    out->value[BY_CHECKS] = speed_of(&f, ALL_CHECKS);
    out->value[TWICE_COUNTERS] = f.best_ms[COUNTERS] / f.best_ms[TWO_THREADS];
    out->value[TWICE_CHECKS] = f.best_ms[ALL_CHECKS] / f.best_ms[ALL_TWO_THREADS];
    out->value[PEAK_MIB] = f.peak_mib;
    text_free(&source);
    return good;
}

void measure_set(void)
{
    static struct kept_figures kept[SET_MOST], now[SET_MOST];
    char where[200] = "";
    size_t known = read_kept(kept, where, sizeof where), count = 0;
    glob_t files;
    if (glob("tests/bench/kernels/*.cu", 0, NULL, &files))
        return;
    printf("the simulator on kernels as people write them, best of %d, G thread instructions a second:\n",
           TURNS_OF_SET);
    printf("  %-18s %8s %8s %10s %8s %8s %18s\n", "", "counters", "checks", "2 threads", "", "MiB",
           known ? "ratios to the kept" : "");
    for (size_t i = 0; i < files.gl_pathc && count < SET_MOST; i++)
        if (measure_file(files.gl_pathv[i], &now[count])) {
            print_row(now[count].name, now[count].value, kept, known);
            count++;
        }
    struct kept_figures median = { .name = "median" };
    for (int column = 0; column < COLUMNS; column++) {
        double values[SET_MOST];
        for (size_t i = 0; i < count; i++)
            values[i] = now[i].value[column];
        median.value[column] = count ? outcome_statistics(values, count).median : NAN;
    }
    print_row(median.name, median.value, kept, known);
    if (known)
        printf("  kept: %s\n", where);
    globfree(&files);
}
