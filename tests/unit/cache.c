// engine/compile/cache.c: what is kept comes back whole or not at all.
#include "engine/compile/parts.h"
#include "tests/child.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int folder_new(void **state)
{
    char *folder = mem_copy("/tmp/warpbook-cache-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("WARPBOOK_CACHE", folder, 1);
    unsetenv("WARPBOOK_CACHE_LIMIT");
    *state = folder;
    return 0;
}

static int folder_remove(void **state)
{
    const char *argv[] = { "rm", "-rf", *state, NULL };
    struct child_result result;
    struct error error;
    chmod(*state, 0700);
    assert_true(child_run(argv, NULL, 0, 10000, &result, &error));
    child_result_free(&result);
    free(*state);
    return 0;
}

static struct text key_of(const char *string)
{
    struct text key = { 0 };
    text_add(&key, string);
    return key;
}

static void put(const char *name, const char *ptx)
{
    struct text key = key_of(name);
    struct resources resources = { (char *)"kernel", 10, 1024, 0, 8, 1 };
    struct diagnostic diagnostic = { SEVERITY_WARNING, 3, 4, (char *)"unused" };
    struct compiled compiled = { .ptx = (char *)ptx,
                                 .cubin = (void *)"cu\0bin",
                                 .cubin_bytes = 6,
                                 .resources = &resources,
                                 .resource_count = 1,
                                 .diagnostics = &diagnostic,
                                 .diagnostic_count = 1,
                                 .by = COMPILER_NVRTC,
                                 .compiler = "NVRTC 13.0",
                                 .target = 90 };
    cache_put(&key, &compiled);
    text_free(&key);
}

// The PTX that is kept for a name, or NULL; the caller frees.
static char *get(const char *name)
{
    struct text key = key_of(name);
    struct compiled compiled = { 0 };
    char *ptx = cache_get(&key, &compiled) ? mem_copy(compiled.ptx) : NULL;
    compiled_free(&compiled);
    text_free(&key);
    return ptx;
}

static void expect(const char *name, const char *ptx)
{
    char *got = get(name);
    if (ptx) {
        assert_non_null(got);
        assert_string_equal(got, ptx);
    } else {
        assert_null(got);
    }
    free(got);
}

// The path of the only entry; the caller frees.
static char *only_entry(void)
{
    char *folder = path_cache("compile"), *path = NULL;
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *found; (found = readdir(stream));)
        if (found->d_name[0] != '.') {
            assert_null(path);
            path = path_join(folder, found->d_name);
        }
    closedir(stream);
    free(folder);
    assert_non_null(path);
    return path;
}

static void a_result_comes_back_whole(void **state)
{
    struct text key = key_of("a");
    struct compiled out;
    expect("a", NULL);
    put("a", "ptx of a");
    assert_true(cache_get(&key, &out));
    assert_string_equal(out.ptx, "ptx of a");
    assert_int_equal(out.cubin_bytes, 6);
    assert_memory_equal(out.cubin, "cu\0bin", 6);
    assert_string_equal(out.compiler, "NVRTC 13.0");
    assert_int_equal(out.by, COMPILER_NVRTC);
    assert_int_equal(out.target, 90);
    assert_int_equal(out.resource_count, 1);
    assert_string_equal(out.resources[0].kernel, "kernel");
    assert_int_equal(out.resources[0].shared_bytes, 1024);
    assert_int_equal(out.resources[0].barriers, 1);
    assert_int_equal(out.diagnostic_count, 1);
    assert_string_equal(out.diagnostics[0].message, "unused");
    assert_int_equal(out.diagnostics[0].column, 4);
    compiled_free(&out);
    text_free(&key);
    expect("b", NULL);
}

static void no_cubin_stays_no_cubin(void **state)
{
    struct text key = key_of("a");
    struct compiled in = { .ptx = (char *)"ptx" }, out;
    cache_put(&key, &in);
    assert_true(cache_get(&key, &out));
    assert_null(out.cubin);
    assert_int_equal(out.cubin_bytes, 0);
    compiled_free(&out);
    text_free(&key);
}

static void every_damaged_byte_is_noticed(void **state)
{
    struct text whole = { 0 };
    struct error error;
    put("a", "ptx of a");
    char *path = only_entry();
    assert_true(file_read(path, &whole, &error));
    for (size_t i = 0; i < whole.length; i++) {
        char *damaged = mem_copy_n(whole.data, whole.length);
        damaged[i] ^= 0x20;
        assert_true(file_replace(path, damaged, whole.length, &error));
        expect("a", NULL);
        free(damaged);
    }
    assert_true(file_replace(path, whole.data, whole.length, &error));
    expect("a", "ptx of a");
    text_free(&whole);
    free(path);
}

static void every_cut_is_noticed(void **state)
{
    struct text whole = { 0 };
    struct error error;
    put("a", "ptx of a");
    char *path = only_entry();
    assert_true(file_read(path, &whole, &error));
    for (size_t length = 0; length < whole.length; length++) {
        assert_true(file_replace(path, whole.data, length, &error));
        expect("a", NULL);
    }
    text_add(&whole, "more");
    assert_true(file_replace(path, whole.data, whole.length, &error));
    expect("a", NULL);
    put("a", "ptx of a");
    expect("a", "ptx of a");
    text_free(&whole);
    free(path);
}

// An entry that is right in itself but belongs to another key, as with two keys of one hash.
static void the_key_is_compared(void **state)
{
    struct text bytes = { 0 };
    struct error error;
    put("a", "ptx of a");
    char *a = only_entry();
    assert_true(file_read(a, &bytes, &error));
    assert_int_equal(unlink(a), 0);
    put("b", "ptx of b");
    char *b = only_entry();
    assert_true(file_replace(b, bytes.data, bytes.length, &error));
    expect("b", NULL);
    text_free(&bytes);
    free(a);
    free(b);
}

// Gives the only entry an age, so that the test need not wait.
static void set_age(const char *path, int seconds)
{
    struct timespec now, times[2];
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= seconds;
    times[0] = times[1] = now;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static char *path_of(const char *name)
{
    struct text key = key_of(name);
    char file[32];
    format_into(file, sizeof file, "compile/%016llx", (unsigned long long)hash_bytes(key.data, key.length));
    char *path = path_cache(file);
    text_free(&key);
    return path;
}

static void the_least_used_go_first(void **state)
{
    static const char *const names[] = { "a", "b", "c" };
    struct cache_state described;
    put("a", "ptx");
    cache_describe(&described);
    char limit[32];
    format_into(limit, sizeof limit, "%zu", 3 * described.bytes);
    cache_state_free(&described);
    setenv("WARPBOOK_CACHE_LIMIT", limit, 1);
    put("b", "ptx");
    put("c", "ptx");
    for (int i = 0; i < 3; i++) {
        char *path = path_of(names[i]);
        set_age(path, 1000 - 100 * i);
        free(path);
    }
    expect("a", "ptx"); // now the youngest by use
    put("d", "ptx");
    expect("b", NULL);
    expect("a", "ptx");
    expect("c", "ptx");
    expect("d", "ptx");
    cache_describe(&described);
    assert_int_equal(described.entries, 3);
    assert_true(described.bytes <= described.limit_bytes);
    cache_state_free(&described);
}

static void what_exceeds_the_limit_is_not_kept(void **state)
{
    setenv("WARPBOOK_CACHE_LIMIT", "100", 1);
    put("a", "ptx");
    expect("a", NULL);
    setenv("WARPBOOK_CACHE_LIMIT", "many", 1); // not a number: the usual limit
    put("a", "ptx");
    expect("a", "ptx");
}

static void a_folder_that_cannot_be_written_is_no_error(void **state)
{
    char *file = path_join(*state, "file");
    struct error error;
    assert_true(file_replace(file, "x", 1, &error));
    setenv("WARPBOOK_CACHE", file, 1); // a file where a folder should be
    put("a", "ptx");
    expect("a", NULL);
    struct cache_state described;
    cache_describe(&described);
    assert_int_equal(described.entries, 0);
    cache_state_free(&described);
    setenv("WARPBOOK_CACHE", *state, 1);
    free(file);
}

static mode_t mode_of(const char *path)
{
    struct stat state;
    assert_int_equal(stat(path, &state), 0);
    return state.st_mode & 0777;
}

static void nobody_else_can_write_what_is_kept(void **state)
{
    mode_t before = umask(0);
    put("a", "ptx of a");
    umask(before);
    char *entry = only_entry(), *folder = path_cache("compile");
    assert_int_equal(mode_of(entry), 0600);
    assert_int_equal(mode_of(folder), 0700);
    free(entry);
    free(folder);
}

static void what_others_could_have_written_is_not_believed(void **state)
{
    put("a", "ptx of a");
    char *entry = only_entry(), *folder = path_cache("compile");
    static const mode_t files[] = { 0620, 0602, 0666 }, folders[] = { 0720, 0702, 01777 };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(chmod(entry, files[i]), 0);
        expect("a", NULL);
        assert_int_equal(chmod(entry, 0600), 0);
        expect("a", "ptx of a");
        assert_int_equal(chmod(folder, folders[i]), 0);
        expect("a", NULL);
        put("a", "ptx of a"); // whoever it belongs to puts it right
        assert_int_equal(mode_of(folder), 0700);
        expect("a", "ptx of a");
    }
    if (geteuid() == 0) { // as nobody but root can see
        assert_int_equal(chown(entry, 65534, 65534), 0);
        expect("a", NULL);
    }
    free(entry);
    free(folder);
}

static void an_entry_that_is_a_link_is_not_followed(void **state)
{
    put("a", "ptx of a");
    char *entry = only_entry(), *elsewhere = path_cache("elsewhere");
    assert_int_equal(rename(entry, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, entry), 0);
    expect("a", NULL);
    put("a", "ptx of b");
    expect("a", "ptx of b");
    free(entry);
    free(elsewhere);
}

static void an_entry_that_is_a_folder_is_no_danger(void **state)
{
    struct error error;
    char *path = path_of("a");
    assert_true(folder_make(path, &error));
    put("a", "ptx");
    expect("a", NULL);
    free(path);
}

// Two processes write and read the same few keys in a cache that is always too small; nobody ever sees a result
// that is not right.
static int busy(unsigned seed)
{
    int wrong = 0;
    for (unsigned i = 0; i < 150; i++) {
        char name[16], ptx[64];
        unsigned which = (i * 7 + seed * 3) % 5;
        format_into(name, sizeof name, "key %u", which);
        format_into(ptx, sizeof ptx, "ptx of key %u", which);
        put(name, ptx);
        char *got = get(name);
        wrong += got && strcmp(got, ptx);
        free(got);
    }
    return wrong;
}

static void two_processes_share_it(void **state)
{
    pid_t children[2];
    setenv("WARPBOOK_CACHE_LIMIT", "1000", 1);
    for (unsigned i = 0; i < 2; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(busy(i) ? 1 : 0);
    }
    for (int i = 0; i < 2; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_new, folder_remove)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(a_result_comes_back_whole),
        WITH_FOLDER(no_cubin_stays_no_cubin),
        WITH_FOLDER(every_damaged_byte_is_noticed),
        WITH_FOLDER(every_cut_is_noticed),
        WITH_FOLDER(the_key_is_compared),
        WITH_FOLDER(the_least_used_go_first),
        WITH_FOLDER(what_exceeds_the_limit_is_not_kept),
        WITH_FOLDER(a_folder_that_cannot_be_written_is_no_error),
        WITH_FOLDER(nobody_else_can_write_what_is_kept),
        WITH_FOLDER(what_others_could_have_written_is_not_believed),
        WITH_FOLDER(an_entry_that_is_a_link_is_not_followed),
        WITH_FOLDER(an_entry_that_is_a_folder_is_no_danger),
        WITH_FOLDER(two_processes_share_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
