// Measures warpbook itself: `make bench` prints these figures; nothing asserts them.
//
//   build/bench              everything that this machine can measure
//   build/bench --worker     only what a warm worker adds to a run on the GPU
//   build/bench --screen     only the full-screen program
//   build/bench --anchors    only the simulator on three kernels of 2^20 elements
//   build/bench --set        only the simulator on kernels as people write them
//   build/bench --model WORD only what the model of time adds, of steps whose names contain the word; of all without it
#include "tests/bench/bench.h"
#include "engine/compile/compile.h"
#include "engine/run/run.h"
#include "tests/child.h"

#include <ftw.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *program; // the warpbook beside this program

static double median_of(double *times, size_t count)
{
    return outcome_statistics(times, count).median;
}

// ---- start --------------------------------------------------------------------------------------------

static void measure_start(void)
{
    double times[21];
    for (int i = 0; i < 21; i++) {
        const char *argv[] = { program, NULL };
        struct child_result result;
        struct error error;
        double start = clock_ms();
        if (!child_run(argv, NULL, 0, 10000, &result, &error)) {
            printf("start: %s\n", error.text);
            return;
        }
        times[i] = clock_ms() - start;
        child_result_free(&result);
    }
    printf("start to overview            %8.2f ms\n", median_of(times, 21));
}

// ---- compiling ----------------------------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    return remove(path);
}

static void measure_compile(void)
{
    struct ladder ladder;
    struct error error;
    char cache[] = "/tmp/warpbook-bench-XXXXXX"; // empty, so that "anew" is what it says
    if (!mkdtemp(cache) || !ladder_read("histogram", &ladder, &error)) {
        printf("compile: cannot read the ladder or make a folder\n");
        return;
    }
    setenv("WARPBOOK_CACHE", cache, 1);
    for (int warm = 0; warm < 2; warm++) {
        double times[16];
        size_t count = 0;
        for (size_t i = 0; i < ladder.count && count < 16; i++) {
            struct compiled compiled = { 0 };
            struct compile_request request = { .file = ladder.variants[i].path,
                                               .source = ladder.variants[i].text,
                                               .target = 90,
                                               .cubin = true };
            double start = clock_ms();
            if (compile(&request, &compiled, &error))
                times[count++] = clock_ms() - start;
            compiled_free(&compiled);
        }
        if (count)
            printf("compile one kernel, %-8s %8.2f ms\n", warm ? "cached" : "anew", median_of(times, count));
    }
    unsetenv("WARPBOOK_CACHE");
    ladder_free(&ladder);
    (void)nftw(cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

// ---- what a warm worker adds --------------------------------------------------------------------------

// Wall time of the second of two equal runs, less its timed repeats.
static double overhead_of(struct client *client, const struct request *request, struct error *error)
{
    double wall = NAN, timed = NAN;
    for (int turn = 0; turn < 2; turn++) {
        struct record record;
        double start = clock_ms();
        if (!client_run(client, request, NULL, NULL, &record, error))
            return NAN;
        wall = clock_ms() - start;
        timed = record.median_ms * record.reps;
        record_free(&record);
    }
    return wall - timed;
}

// False when there is no GPU to measure on.
static bool measure_worker(const struct lab *lab, struct client *client)
{
    struct ladder ladder;
    struct error error;
    double worst = 0;
    const char *worst_name = "";
    bool fine = ladder_read(lab->name, &ladder, &error);
    for (size_t i = 0; fine && i < ladder.count; i++) {
        const struct variant *variant = &ladder.variants[i];
        struct request request = { .on = ON_GPU,
                                   .lab = (char *)lab->name,
                                   .variant = variant->name,
                                   .file = variant->path,
                                   .source = variant->text,
                                   .reps = 3,
                                   .limit_ms = 20000 };
        double overhead = overhead_of(client, &request, &error);
        if (isnan(overhead)) {
            printf("  %s/%s: %s\n", lab->name, variant->name, error.text);
            fine = false;
        }
        if (overhead > worst) {
            worst = overhead;
            worst_name = variant->name;
        }
    }
    if (fine)
        printf("  %-12s at most %7.2f ms (%s)\n", lab->name, worst, worst_name);
    ladder_free(&ladder);
    return fine;
}

static void measure_workers(void)
{
    struct client *client = client_new();
    printf("a warm worker adds to the timed repeats of a full-size run:\n");
    for (size_t i = 0; i < lab_count && measure_worker(lab_list[i], client); i++)
        ;
    client_free(client);
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    if (count > 1 && strcmp(words[1], "worker") == 0)
        _exit(compile_child_main()); // compiles run in a child, which is this program again
    char *self = path_self(), *slash = self ? strrchr(self, '/') : NULL;
    if (!slash)
        return 1;
    *slash = 0;
    program = path_join(self, "warpbook");
    struct text worker = { 0 };
    text_addf(&worker, "exec '%s' worker", program);
    if (!getenv("WARPBOOK_WORKER"))
        setenv("WARPBOOK_WORKER", text_string(&worker), 1);
    const char *only = count > 1 ? words[1] : "";
    if (!*only || strcmp(only, "--screen") == 0)
        measure_screen(program);
    if (!*only) {
        measure_start();
        measure_compile();
    }
    if (!*only || strcmp(only, "--anchors") == 0)
        measure_simulator();
    if (!*only || strcmp(only, "--set") == 0)
        measure_set();
    if (!*only || strcmp(only, "--model") == 0)
        measure_modelling(count > 2 ? words[2] : "");
    if (!*only || strcmp(only, "--worker") == 0)
        measure_workers();
    text_free(&worker);
    free(program);
    free(self);
    return 0;
}
