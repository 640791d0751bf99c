// A stand-in for the worker, for golden screens: it answers with records that
// are on file, so that every machine shows the same. A GPU's come from
// assets/recorded, the simulator's from tests/data/screen, the CPU's are made
// up by the place of the implementation on its ladder. What it needs comes by
// the environment:
//
//   SCREEN_ROOT      the repository
//   SCREEN_MACHINE   gpu or none
//   SCREEN_HOLD      a file; no run is answered while somebody else holds its
//   lock
#ifndef STAND_IN_H
#define STAND_IN_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/run/run.h"
#include "tests/child.h"

struct wanted {
    const char *variant, *preset, *data, *backend;
    char answer[32]; // "" or WORD of "answer WORD", a string in the kernel
};

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static const char *word_of(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));
    return word ? word : "";
}

static bool fits(const json_t *record, const struct wanted *wanted)
{
    if (strcmp(word_of(record, "variant"), wanted->variant) != 0 ||
        strcmp(word_of(record, "backend"), wanted->backend) != 0 ||
        strcmp(word_of(record, "answer"), wanted->answer) != 0)
        return false;
    return *wanted->answer || (strcmp(word_of(record, "preset"), wanted->preset) == 0 &&
                               (!wanted->data || strcmp(word_of(record, "data"), wanted->data) == 0));
}

static json_t *record_on_file(const char *folder, const char *lab, const struct wanted *wanted)
{
    struct text text = { 0 };
    struct error error;
    json_t *found = NULL;
    char path[400];
    format_into(path, sizeof path, "%s/%s/%s.jsonl", getenv("SCREEN_ROOT"), folder, lab);
    if (!file_read(path, &text, &error))
        return NULL;
    for (char *line = strtok(text.data, "\n"); line && !found; line = strtok(NULL, "\n")) {
        json_t *record = json_loads(line, 0, NULL);
        if (fits(record, wanted))
            found = json_incref(record);
        json_decref(record);
    }
    text_free(&text);
    return found;
}

static json_t *cpu_record(const char *lab, const char *variant)
{
    const struct lab *one = lab_find(lab);
    for (size_t i = 0; one && i < one->cpu_count; i++)
        if (strcmp(one->cpu[i].name, variant) == 0)
            return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:i, s:i, s:f, s:i, "
                             "s:i}",
                             "lab", lab, "variant", variant, "title", one->cpu[i].title, "backend", "cpu",
                             "status", "right", "device", "Test CPU", "median_ms", 400.0 / (double)(i + 1),
                             "min_ms", 390.0 / (double)(i + 1), "spread_pct", 1.5, "reps", 5, "threads", 8,
                             "bandwidth_gbps", 1.3 * (double)(i + 1), "compared", 256, "wrong", 0);
    return NULL;
}

static json_t *answer_run(const json_t *request)
{
    const char *lab = word_of(request, "lab"), *on = word_of(request, "on");
    bool gpu = strcmp(on, "gpu") == 0;
    struct wanted wanted = { .variant = word_of(request, "variant"),
                             .preset = json_string_value(json_object_get(request, "preset")),
                             .data = json_string_value(json_object_get(request, "data")),
                             .backend = on };
    const char *mark = strstr(word_of(request, "source"), "\"answer ");
    if (mark)
        sscanf(mark, "\"answer %31[a-z]", wanted.answer);
    if (!wanted.preset)
        wanted.preset = gpu ? "full" : "small";
    if (strcmp(on, "cpu") == 0)
        return cpu_record(lab, wanted.variant);
    if (gpu && strcmp(setting("SCREEN_MACHINE"), "gpu") != 0)
        return NULL;
    return record_on_file(gpu && !*wanted.answer ? "assets/recorded" : "tests/data/screen",
                          *lab ? lab : "alone", &wanted);
}

static json_t *answer_describe(void)
{
    json_t *machine = json_pack("{s:[{s:s, s:b, s:s, s:s}], s:s}", "compilers", "name", "NVRTC", "found", 1,
                                "version", "13.0", "path", "/usr/lib/libnvrtc.so", "host", "testhost");
    if (strcmp(setting("SCREEN_MACHINE"), "gpu") != 0) {
        json_object_set_new(
            machine, "gpu_missing",
            json_string("There is no NVIDIA driver here. The simulator and the recorded results stand in."));
        return machine;
    }
    json_object_set_new(machine, "gpu",
                        json_pack("{s:s, s:i, s:i, s:f, s:f, s:i}", "name", "NVIDIA H100 80GB HBM3", "target",
                                  90, "sm_count", 132, "memory_bytes", 85e9, "l2_bytes", 52428800.0,
                                  "driver_version", 13000));
    json_object_set_new(machine, "ceilings",
                        json_pack("{s:f, s:f, s:f, s:s}", "read_gbps", 3157.0, "copy_gbps", 2803.0,
                                  "launch_us", 2.3, "date", "2026-11-21"));
    return machine;
}

// Waits until nobody holds the answers back.
static void hold(void)
{
    int lock = open(setting("SCREEN_HOLD"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0)
        flock(lock, LOCK_EX);
    if (lock >= 0)
        close(lock);
}

static int serve(void)
{
    char *line = NULL;
    size_t size = 0;
    puts(GREETING);
    fflush(stdout);
    while (getline(&line, &size, stdin) > 0) {
        json_t *request = json_loads(line, 0, NULL);
        if (strcmp(word_of(request, "do"), "hello") == 0) {
            json_decref(request);
            continue;
        }
        bool run = strcmp(word_of(request, "do"), "run") == 0;
        if (run)
            hold();
        json_t *result = run ? answer_run(request) : answer_describe();
        json_t *answer = json_pack("{s:O}", "id", json_object_get(request, "id"));
        if (result)
            json_object_set_new(answer, "result", result);
        else
            json_object_set_new(answer, "error",
                                json_pack("{s:i, s:s}", "code", 3, "text", "There is no GPU here."));
        char *text = json_dumps(answer, JSON_COMPACT);
        printf("%s\n", text);
        fflush(stdout);
        free(text);
        json_decref(answer);
        json_decref(request);
    }
    free(line);
    return 0;
}

#endif
