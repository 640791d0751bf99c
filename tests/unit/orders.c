// The orders that ship: what the simulator says of wrong ones, so that a learner sees why.
#include "lessons/lessons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool can_compile(void)
{
    return system("\"$WARPBOOK\" show tests/data/good/print.cu --ptx >/dev/null 2>&1") == 0;
}

struct tries {
    struct client *client;
    const struct lesson *lesson;
    const struct live *live;
    struct text file;
};

// The right order without one line.
static struct judge_verdict judged_without(struct tries *tries, size_t line)
{
    int order[64], count = 0;
    struct text whole = { 0 };
    struct judge_verdict verdict;
    struct error error;
    for (size_t i = 0; i < live_count(tries->live, "line"); i++)
        if (i != line)
            order[count++] = (int)i;
    assert_true(judge_order_text(tries->live, tries->file.data, order, count, &whole));
    if (!judge(tries->client, tries->live, live_field(tries->live, "file"), whole.data, NULL, NULL, NULL,
               &verdict, &error))
        fail_msg("%s, %s: %s", tries->lesson->name, tries->live->id, error.text);
    text_free(&whole);
    return verdict;
}

static void try_order(struct tries *tries)
{
    struct error error;
    char path[300];
    format_into(path, sizeof path, "lessons/%s/%s", tries->lesson->name, live_field(tries->live, "file"));
    assert_true(file_read(path, &tries->file, &error));
    for (size_t i = 0; i < live_count(tries->live, "line"); i++) {
        bool barrier = strstr(live_nth(tries->live, "line", i), "__syncthreads();") != NULL;
        if (i && !barrier)
            continue;
        struct judge_verdict verdict = judged_without(tries, i);
        if (verdict.kind == VERDICT_ACCEPTED)
            fail_msg("%s, %s: without line %zu it is accepted", tries->lesson->name, tries->live->id, i + 1);
        if (barrier && !(verdict.findings && strstr(verdict.findings, "race")))
            fail_msg("%s, %s: without the barrier of line %zu no race is found", tries->lesson->name,
                     tries->live->id, i + 1);
        verdict_free(&verdict);
    }
    text_free(&tries->file);
}

static void a_kernel_without_its_barrier_has_a_race(void **state)
{
    struct lessons lessons;
    struct error error;
    struct text worker = { 0 };
    size_t tried = 0;
    if (!can_compile()) {
        printf("skipped: no compiler\n");
        skip();
    }
    text_addf(&worker, "%s worker", getenv("WARPBOOK"));
    setenv("WARPBOOK_WORKER", worker.data, 1);
    text_free(&worker);
    assert_true(lessons_read(NULL, &lessons, &error));
    struct client *client = client_new();
    for (size_t i = 0; i < lessons.count; i++)
        for (size_t b = 0; b < lessons.list[i].block_count; b++) {
            const struct lesson_block *block = &lessons.list[i].blocks[b];
            if (block->kind != BLOCK_LIVE || block->live.kind != LIVE_ORDER ||
                !live_field(&block->live, "file"))
                continue;
            struct tries tries = { client, &lessons.list[i], &block->live, { 0 } };
            try_order(&tries);
            tried++;
        }
    assert_true(tried >= 6);
    client_free(client);
    lessons_free(&lessons);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_its_barrier_has_a_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
