// How much memory there is, in the machine and in a container, and the size that a person gives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/run.h"
#include "tests/child.h"

static char root[64];

static int root_make(void **state)
{
    strcpy(root, "/tmp/warpbook-test-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int root_drop(void **state)
{
    const char *const remove[] = { "rm", "-rf", root, NULL };
    struct child_result result;
    struct error error;
    bool ran = child_run(remove, "", 0, 10000, &result, &error);
    child_result_free(&result);
    return ran ? 0 : -1;
}

static void put(const char *path, const char *content)
{
    struct error error;
    char *whole = path_join(root, path), *slash = strrchr(whole, '/');
    *slash = 0;
    assert_true(folder_make(whole, &error));
    *slash = '/';
    assert_true(file_replace(whole, content, strlen(content), &error));
    free(whole);
}

static double free_in_root(void)
{
    struct memory_gauge *gauge = memory_gauge_open(root);
    double bytes = memory_gauge_free(gauge);
    memory_gauge_close(gauge);
    return bytes;
}

static void nobody_says(void **state)
{
    assert_true(isnan(free_in_root()));
}

static void the_machine_says(void **state)
{
    put("proc/meminfo", "MemTotal:  4096 kB\nMemFree:  1 kB\nMemAvailable:    1024 kB\n");
    assert_true(free_in_root() == 1 << 20);
}

static void the_smallest_of_all_groups_counts(void **state)
{
    put("proc/meminfo", "MemAvailable: 1048576 kB\n");
    put("proc/self/cgroup", "0::/user/shell\n");
    put("sys/fs/cgroup/user/shell/memory.max", "max\n");
    put("sys/fs/cgroup/user/shell/memory.current", "5000\n");
    put("sys/fs/cgroup/user/memory.max", "100000\n");
    put("sys/fs/cgroup/user/memory.current", "60000\n");
    put("sys/fs/cgroup/user/memory.stat", "anon 7\ninactive_file 20000\nfile 1\n");
    assert_true(free_in_root() == 60000);
}

static void a_container_shows_its_own_group_at_the_top(void **state)
{
    put("proc/meminfo", "MemAvailable: 1048576 kB\n");
    put("proc/self/cgroup", "12:cpu:/docker/12\n4:memory:/docker/12\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "90000\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n"); // over it
    assert_true(free_in_root() == 0);
}

static void it_says_what_is_true_now(void **state)
{
    put("proc/meminfo", "MemAvailable: 1024 kB\n");
    struct memory_gauge *gauge = memory_gauge_open(root);
    char *path = path_join(root, "proc/meminfo");
    FILE *same = fopen(path, "r+"); // not replaced: the gauge has it open
    assert_non_null(same);
    fputs("MemAvailable: 2048 kB\n", same);
    fclose(same);
    free(path);
    assert_true(memory_gauge_free(gauge) == 2 << 20);
    memory_gauge_close(gauge);
    gauge = memory_gauge_open("");
    double here = memory_gauge_free(gauge);
    assert_true(isnan(here) || here >= 0);
    memory_gauge_close(gauge);
    memory_gauge_close(NULL);
}

static void sizes_that_a_person_gives(void **state)
{
    static const struct {
        const char *size;
        int64_t bytes; // 0: refused
    } sizes[] = { { "512M", 512 << 20 },
                  { "8G", (int64_t)8 << 30 },
                  { "8g", (int64_t)8 << 30 },
                  { "1.5GiB", (int64_t)3 << 29 },
                  { "2048K", 2 << 20 },
                  { "1048576", 1 << 20 },
                  { "3MB", 3 << 20 },
                  { "", 0 },
                  { "G", 0 },
                  { "100", 0 },
                  { "-1G", 0 },
                  { "nan", 0 },
                  { "inf", 0 },
                  { "8Gx", 0 },
                  { "8X", 0 },
                  { "100T", 0 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct request request = { .on = ON_SIM, .file = (char *)"k.cu", .source = (char *)"" }, back;
        struct error error = { 0 };
        bool taken = request_set_memory(&request, sizes[i].size, &error);
        if (taken != (sizes[i].bytes != 0))
            fail_msg("%s: %s", sizes[i].size, error.text);
        if (!taken)
            continue;
        json_t *json = request_to_json(&request);
        assert_true(request_from_json(&back, json, &error));
        assert_true(back.memory_bytes == sizes[i].bytes);
        json_object_set_new(json, "memory_bytes", json_integer(77));
        request_free(&back);
        assert_false(request_from_json(&back, json, &error));
        json_decref(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nobody_says, root_make, root_drop),
        cmocka_unit_test_setup_teardown(the_machine_says, root_make, root_drop),
        cmocka_unit_test_setup_teardown(the_smallest_of_all_groups_counts, root_make, root_drop),
        cmocka_unit_test_setup_teardown(a_container_shows_its_own_group_at_the_top, root_make, root_drop),
        cmocka_unit_test_setup_teardown(it_says_what_is_true_now, root_make, root_drop),
        cmocka_unit_test(sizes_that_a_person_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
