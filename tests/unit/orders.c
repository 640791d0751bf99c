// Lines that are put in order: they begin in no order, and what the simulator says of wrong ones lets a learner see why.
#include "lessons/answer.h"

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

// ---- as they are first shown --------------------------------------------------------------------------------------

// At most one line is at its place, and at most one right after the line that it follows.
static void assert_in_no_order(const struct lesson *lesson, const struct live *live)
{
    int order[ORDER_MOST] = { 0 }, count = order_start(live, order), placed = 0, followed = 0;
    bool met[ORDER_MOST] = { false };
    assert_int_equal(count, live_count(live, "line") + live_count(live, "extra"));
    for (int i = 0; i < count; i++) {
        assert_in_range(order[i], 0, count - 1);
        assert_false(met[order[i]]);
        met[order[i]] = true;
        placed += order[i] == i && i < (int)live_count(live, "line");
        followed += i && order[i] == order[i - 1] + 1 && order[i] < (int)live_count(live, "line");
    }
    if (placed > 1 || followed > 1)
        fail_msg("%s, %s: begins with %d lines at their place and %d after the one that they follow",
                 lesson->name, live->id, placed, followed);
}

static const struct live *next_order(const struct lesson *lesson, size_t *block)
{
    while (*block < lesson->block_count) {
        const struct lesson_block *at = &lesson->blocks[(*block)++];
        if (at->kind == BLOCK_LIVE && at->live.kind == LIVE_ORDER)
            return &at->live;
    }
    return NULL;
}

static void orders_that_ship_begin_in_no_order(void **unused)
{
    struct lessons lessons;
    struct error error;
    size_t met = 0;
    assert_true(lessons_read(NULL, &lessons, &error));
    for (size_t i = 0; i < lessons.count; i++) {
        const struct live *live;
        for (size_t block = 0; (live = next_order(&lessons.list[i], &block)); met++)
            assert_in_no_order(&lessons.list[i], live);
    }
    assert_true(met >= 14);
    lessons_free(&lessons);
}

static void so_do_orders_of_any_length_and_name(void **unused)
{
    for (int lines = 2; lines <= 26; lines++)
        for (int name = 0; name < 20; name++) {
            struct text text = { 0 };
            struct lesson lesson;
            struct error error;
            text_addf(&text,
                      "---\ntitle: T\nminutes: 5\nafter: sort\n---\n# T\n\n```order id=o%d\nask: Sort.\n",
                      name);
            for (int i = 0; i < lines; i++)
                text_addf(&text, "line: line %d\n", i);
            for (int i = 0; i < name % 4; i++)
                text_addf(&text, "extra: extra %d\n", i);
            text_add(&text, "```\n");
            if (!lesson_parse(&lesson, "x/01-t/lesson.md", text.data, &error))
                fail_msg("%s", error.text);
            size_t block = 0;
            assert_in_no_order(&lesson, next_order(&lesson, &block));
            lesson_free(&lesson);
            text_free(&text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_that_ship_begin_in_no_order),
        cmocka_unit_test(so_do_orders_of_any_length_and_name),
        cmocka_unit_test(a_kernel_without_its_barrier_has_a_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
