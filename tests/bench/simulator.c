// How fast the simulator is, and what memory it takes, on three kernels of 2^20 elements.
#include "engine/run/run.h"
#include "engine/sim/sim.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURNS = 9, MIB = 1 << 20 };
static const char kernels_file[] = "tests/data/truth/anchors.cu";

static const struct bench_anchor {
    const char *name, *head; // its buffers and its launch, which the file of the kernels does not have
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

enum how { BARE, COUNTERS, TWO_THREADS, ALL_CHECKS, HOWS };
static const struct {
    enum request_check check;
    int threads;
} hows[HOWS] = { { REQUEST_CHECK_NONE, 1 },
                 { REQUEST_CHECK_COUNTERS, 1 },
                 { REQUEST_CHECK_COUNTERS, 2 },
                 { REQUEST_CHECK_ALL, 1 } };

struct figures {
    double best_ms[HOWS], thread_instructions;
    double first_ms; // from the source to the counters, nothing compiled or started before
    double peak_mib; // of the worker
};

// The most memory that the one child of this process has had; NAN where the system does not tell.
static double child_peak_mib(void)
{
    char path[64], line[200];
    int child = 0;
    double kib = NAN;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    if (!children)
        return NAN;
    bool known = fscanf(children, "%d", &child) == 1;
    fclose(children);
    snprintf(path, sizeof path, "/proc/%d/status", child);
    FILE *status = known ? fopen(path, "re") : NULL;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf kB", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib / 1024;
}

static bool simulate(struct client *client, const struct bench_anchor *anchor, const char *source,
                     enum how how, struct figures *out)
{
    struct request request = { .on = ON_SIM,
                               .variant = (char *)anchor->name,
                               .file = (char *)kernels_file,
                               .source = (char *)source,
                               .limit_ms = 60000,
                               .check = hows[how].check,
                               .threads = hows[how].threads };
    struct record record;
    struct error error;
    if (!client_run(client, &request, NULL, NULL, &record, &error)) {
        printf("  %s: %s\n", anchor->name, error.text);
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
static bool measure(const struct bench_anchor *anchor, const char *source, struct figures *out)
{
    *out = (struct figures){ .best_ms = { NAN, NAN, NAN, NAN } };
    struct client *client = client_new();
    double start = clock_ms();
    bool good = simulate(client, anchor, source, COUNTERS, out);
    out->first_ms = clock_ms() - start;
    for (int turn = 0; good && turn < TURNS; turn++)
        for (int how = 0; good && how < HOWS; how++)
            good = simulate(client, anchor, source, (enum how)how, out);
    out->peak_mib = child_peak_mib();
    client_free(client);
    return good;
}

static void print(const struct bench_anchor *anchor, const struct figures *f)
{
    double speed[HOWS];
    for (int how = 0; how < HOWS; how++)
        speed[how] = f->thread_instructions / f->best_ms[how] / 1e6;
    printf("  %-10s %8.2f %9.2f %11.2f %8.2f x %12.2f %14.0f ms %9.1f MiB\n", anchor->name, speed[BARE],
           speed[COUNTERS], speed[ALL_CHECKS], f->best_ms[COUNTERS] / f->best_ms[TWO_THREADS],
           speed[TWO_THREADS], f->first_ms, f->peak_mib - anchor->buffer_mib);
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
        if (measure(&anchors[i], text_string(&source), &figures))
            print(&anchors[i], &figures);
        text_free(&source);
    }
    unsetenv("WARPBOOK_CACHE");
    text_free(&kernels);
}
