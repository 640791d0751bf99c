// Every function that a program can be linked with is there (tests/data/cuda_functions.txt) and works, or is named when it is
// called; and what programs say and ask about memory, pools and streams.
#include <ctype.h>

#include "engine/exec/cuda.h"
#include "tests/unit/exec_start.h"

static const char *const versions[] = { "11.0", "12", "13" };
static struct text list;

static char *path_of(const char *name)
{
    const char *root = getenv("ROOT");
    return text_format("%s/%s", root ? root : ".", name);
}

static bool read_into(struct text *out, const char *path)
{
    struct error error;
    return file_read(path, out, &error);
}

static int start(void **state)
{
    char *path = path_of("tests/data/cuda_functions.txt");
    bool good = report_begin() && read_into(&list, path);
    free(path);
    return good ? 0 : -1;
}

// The next line of the list. `why`: "" where the function works.
static const char *next_function(const char *at, char name[96], char why[96])
{
    while (*at == '#' || *at == '\n')
        at = *at == '#' ? at + strcspn(at, "\n") : at + 1;
    if (!*at)
        return NULL;
    const size_t length = strcspn(at, ":\n");
    assert_true(length < 96);
    format_into(name, 96, "%.*s", (int)length, at);
    at += length;
    const char *reason = *at == ':' ? at + 2 : at;
    format_into(why, 96, "%.*s", (int)strcspn(reason, "\n"), reason);
    return at + strcspn(at, "\n");
}

// "" or why it is only named; NULL: the list does not have it.
static const char *listed(const char *wanted)
{
    static char name[96], why[96];
    const char *at = text_string(&list);
    while ((at = next_function(at, name, why)))
        if (strcmp(name, wanted) == 0)
            return why;
    return NULL;
}

static void each_version_has_all_functions(void **state)
{
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        char name[96], why[96];
        size_t count = 0;
        for (const char *at = text_string(&list); (at = next_function(at, name, why)); count++) {
            void *function;
            const struct runtime_name one = { &function, name };
            runtime_load(versions[v], &one, 1);
        }
        assert_true(count > 400);
    }
}

static void what_is_only_named_says_so(void **state)
{
    char name[96], why[96];
    for (const char *at = text_string(&list); (at = next_function(at, name, why));) {
        cuda_error (*function)(void);
        const struct runtime_name one = { &function, name };
        if (!*why)
            continue;
        runtime_load("13", &one, 1);
        assert_int_equal(function(), CUDA_NOT_SUPPORTED);
        char *said = text_format("{\"missing\":\"%s\"", name);
        expect_reported(said);
        free(said);
    }
}

// Words after `before` in a file: each is a function that the list has. `named`: as one that is only named. False: no such file.
static bool expect_listed(const char *path, const char *before, const char *after, bool named)
{
    struct text text = { 0 };
    size_t count = 0;
    if (!read_into(&text, path))
        return false;
    for (const char *at = text_string(&text); (at = strstr(at, before));) {
        at += strlen(before);
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        if (strncmp(at, "cuda", 4) != 0 || at[length] != (*after == ')' ? ')' : '('))
            continue;
        char *name = text_format("%.*s%s", (int)length, at, after + (*after == ')'));
        const char *why = listed(name);
        if (!why || (named && !*why))
            fail_msg("%s of %s is not in tests/data/cuda_functions.txt%s", name, path,
                     named ? " with a reason" : "");
        free(name);
        count++;
    }
    assert_true(count > 20);
    text_free(&text);
    return true;
}

static void the_list_has_what_headers_declare(void **state)
{
    char *absent = path_of("engine/exec/absent.c");
    assert_true(expect_listed(absent, "X(", ")", true));
    free(absent);
    const char *header = "/usr/local/cuda/include/cuda_runtime_api.h";
    if (!expect_listed(header, "CUDARTAPI ", "", false))
        skip();
    assert_true(expect_listed(header, "__CUDART_API_PTSZ(", ")_ptsz", false));
}

// ---- memory ------------------------------------------------------------------------------------------------------------

static void what_was_said_about_memory_is_told(void **state)
{
    enum {
        READ_MOSTLY = 1,
        PREFERRED = 3,
        MANAGED_GLOBAL = 1,
        ASKS_READ = 1,
        ASKS_PREFERRED,
        ASKS_ACCESSED,
        ASKS_FETCHED
    };
    cuda_error (*managed)(void **, size_t, unsigned), (*plain)(void **, size_t),
        (*advise)(const void *, size_t, int, struct cuda_location),
        (*fetch)(const void *, size_t, struct cuda_location, unsigned, void *),
        (*ask)(void *, size_t, int, const void *, size_t), (*advise_11)(const void *, size_t, int, int),
        (*managed_11)(void **, size_t, unsigned), (*ask_11)(void *, size_t, int, const void *, size_t);
    const struct runtime_name names[] = { { &managed, "cudaMallocManaged" },
                                          { &plain, "cudaMalloc" },
                                          { &advise, "cudaMemAdvise" },
                                          { &fetch, "cudaMemPrefetchAsync" },
                                          { &ask, "cudaMemRangeGetAttribute" } },
                              names_11[] = { { &advise_11, "cudaMemAdvise" },
                                             { &managed_11, "cudaMallocManaged" },
                                             { &ask_11, "cudaMemRangeGetAttribute" } };
    const struct cuda_location device = { 1, 0 }, host = { 2, 0 }, other = { 1, 1 };
    void *memory, *device_memory, *memory_11;
    int got, list_of[2];
    runtime_load("13", names, sizeof names / sizeof *names);
    runtime_load("11.0", names_11, sizeof names_11 / sizeof *names_11);
    assert_int_equal(managed(&memory, 1000, MANAGED_GLOBAL), 0);
    assert_int_equal(plain(&device_memory, 1000), 0);
    assert_int_equal(ask(&got, sizeof got, ASKS_FETCHED, memory, 1000), 0);
    assert_int_equal(got, -2);
    assert_int_equal(fetch(memory, 1000, device, 0, NULL), 0);
    assert_int_equal(fetch(memory, 1000, other, 0, NULL), CUDA_INVALID_DEVICE);
    assert_int_equal(ask(&got, sizeof got, ASKS_FETCHED, memory, 1000), 0);
    assert_int_equal(got, 0);
    assert_int_equal(fetch(memory, 500, host, 0, NULL), 0);
    assert_int_equal(ask(&got, sizeof got, ASKS_FETCHED, memory, 500), 0);
    assert_int_equal(got, -1);
    assert_int_equal(ask(&got, sizeof got, ASKS_FETCHED, memory, 1000), 0);
    assert_int_equal(got, -2);
    assert_int_equal(advise(memory, 1000, READ_MOSTLY, device), 0);
    assert_int_equal(ask(&got, sizeof got, ASKS_READ, memory, 100), 0);
    assert_int_equal(got, 1);
    assert_int_equal(advise(memory, 1000, READ_MOSTLY + 1, device), 0);
    assert_int_equal(ask(&got, sizeof got, ASKS_READ, memory, 100), 0);
    assert_int_equal(got, 0);
    assert_int_equal(ask(list_of, sizeof list_of, ASKS_ACCESSED, memory, 1000), 0);
    assert_true(list_of[0] == -2 && list_of[1] == -2);
    assert_int_equal(fetch(device_memory, 1000, device, 0, NULL), CUDA_INVALID_VALUE);
    expect_reported("which is not managed memory");
    assert_int_equal(fetch(memory, 1001, device, 0, NULL), CUDA_INVALID_VALUE);
    expect_reported("cudaMemPrefetchAsync gets 1001 bytes");
    // Before CUDA 13 a place is a number.
    assert_int_equal(managed_11(&memory_11, 64, MANAGED_GLOBAL), 0);
    assert_int_equal(advise_11(memory_11, 64, PREFERRED, -1), 0);
    assert_int_equal(ask_11(&got, sizeof got, ASKS_PREFERRED, memory_11, 64), 0);
    assert_int_equal(got, -1);
}

static void a_pool_counts_what_is_taken(void **state)
{
    enum { THRESHOLD = 4, USED = 7, USED_HIGH = 8 };
    struct {
        int type, handles, where[2];
        void *security;
        size_t most;
        char rest[56];
    } how = { .type = 1, .where = { 1, 0 }, .most = 1000 };
    cuda_error (*make)(void **, const void *), (*drop)(void *), (*get)(void *, int, void *),
        (*set)(void *, int, void *), (*take)(void **, size_t, void *, void *), (*give)(void *, void *),
        (*first)(void **, int);
    const struct runtime_name names[] = {
        { &make, "cudaMemPoolCreate" },           { &drop, "cudaMemPoolDestroy" },
        { &get, "cudaMemPoolGetAttribute" },      { &set, "cudaMemPoolSetAttribute" },
        { &take, "cudaMallocFromPoolAsync" },     { &give, "cudaFreeAsync" },
        { &first, "cudaDeviceGetDefaultMemPool" }
    };
    runtime_load("13", names, sizeof names / sizeof *names);
    void *pool, *memory, *more;
    uint64_t bytes = 4096;
    assert_int_equal(make(&pool, &how), 0);
    assert_int_equal(set(pool, THRESHOLD, &bytes), 0);
    assert_int_equal(get(pool, THRESHOLD, &bytes), 0);
    assert_int_equal(bytes, 4096);
    assert_int_equal(take(&memory, 800, pool, NULL), 0);
    assert_int_equal(take(&more, 800, pool, NULL), CUDA_NO_MEMORY);
    assert_int_equal(get(pool, USED, &bytes), 0);
    assert_int_equal(bytes, 800);
    assert_int_equal(give(memory, NULL), 0);
    assert_int_equal(get(pool, USED, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(get(pool, USED_HIGH, &bytes), 0);
    assert_int_equal(bytes, 800);
    assert_int_equal(get(pool, 99, &bytes), CUDA_INVALID_VALUE);
    assert_int_equal(drop(pool), 0);
    assert_int_equal(first(&pool, 0), 0);
    assert_int_equal(drop(pool), CUDA_INVALID_VALUE);
}

static void attributes_of_streams_are_kept(void **state)
{
    void *const of_thread = (void *)2;
    enum { POLICY = 3, PRIORITY = 8 };
    cuda_error (*make)(void **, unsigned, int), (*set)(void *, int, const void *),
        (*get)(void *, int, void *), (*copy)(void *, void *);
    const struct runtime_name names[] = { { &make, "cudaStreamCreateWithPriority" },
                                          { &set, "cudaStreamSetAttribute" },
                                          { &get, "cudaStreamGetAttribute" },
                                          { &copy, "cudaStreamCopyAttributes" } };
    int value[16] = { 2 };
    void *one, *two;
    runtime_load("13", names, sizeof names / sizeof *names);
    assert_int_equal(make(&one, 0, -3), 0);
    assert_int_equal(make(&two, 0, 0), 0);
    assert_int_equal(set(one, POLICY, value), 0);
    assert_int_equal(copy(two, one), 0);
    assert_int_equal(get(two, POLICY, value), 0);
    assert_int_equal(value[0], 2);
    assert_int_equal(get(one, PRIORITY, value), 0);
    assert_int_equal(value[0], -3);
    value[0] = POLICY;
    assert_int_equal(set(of_thread, POLICY, value), 0);
    value[0] = 0;
    assert_int_equal(get(of_thread, POLICY, value), 0);
    assert_int_equal(value[0], POLICY);
}

// ---- the device and streams ------------------------------------------------------------------------------------------------------

// Where the headers of CUDA 11.8, of 12.1 and 12.5, and of 13.0 have a property that is also an attribute: bytes from the
// start of cudaDeviceProp.
static void properties_are_where_each_version_has_them(void **state)
{
    static const struct {
        int attribute;
        size_t at[3]; // 0: that version has none
    } properties[] = { { 1, { 320, 320, 320 } },   { 9, { 352, 352, 352 } },  { 13, { 348, 348, 0 } },
                       { 75, { 360, 360, 360 } },  { 14, { 368, 368, 368 } }, { 16, { 388, 388, 384 } },
                       { 19, { 400, 400, 392 } },  { 21, { 408, 408, 396 } }, { 22, { 420, 420, 404 } },
                       { 24, { 456, 456, 440 } },  { 55, { 512, 512, 496 } }, { 31, { 576, 576, 560 } },
                       { 41, { 604, 604, 588 } },  { 37, { 612, 612, 592 } }, { 38, { 616, 616, 596 } },
                       { 39, { 624, 624, 604 } },  { 78, { 628, 628, 608 } }, { 81, { 640, 640, 624 } },
                       { 82, { 648, 648, 632 } },  { 83, { 652, 652, 636 } }, { 89, { 676, 676, 656 } },
                       { 95, { 688, 688, 668 } },  { 97, { 696, 696, 672 } }, { 106, { 712, 712, 688 } },
                       { 111, { 720, 720, 696 } }, { 99, { 0, 728, 704 } },   { 115, { 0, 744, 720 } },
                       { 120, { 0, 772, 748 } } };
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        char has[2048] = "";
        cuda_error (*ask)(void *, int), (*attribute)(int *, int, int);
        const struct runtime_name names[] = { { &ask, "cudaGetDeviceProperties" },
                                              { &attribute, "cudaDeviceGetAttribute" } };
        runtime_load(versions[v], names, sizeof names / sizeof *names);
        assert_int_equal(ask(has, 0), 0);
        for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
            int wanted, there;
            if (!properties[i].at[v])
                continue;
            memcpy(&there, has + properties[i].at[v], sizeof there);
            assert_int_equal(attribute(&wanted, properties[i].attribute, 0), 0);
            assert_int_not_equal(wanted, 0);
            if (there != wanted)
                fail_msg("version %s, attribute %d: %d for %d", versions[v], properties[i].attribute, there,
                         wanted);
        }
    }
}

// As an H200 answers, with driver 580 and CUDA 13.0.
static void questions_about_devices_are_answered_as_by_a_gpu(void **state)
{
    cuda_error (*by_bus)(int *, const char *), (*peer)(int, unsigned), (*no_peer)(int), (*prefer)(int),
        (*preferred)(int *), (*exchange)(int *), (*make)(void **, unsigned, int), (*priority)(void *, int *),
        (*begin)(void *, int), (*callback)(void *, void (*)(void *, int, void *), void *, unsigned),
        (*end)(void *, void **);
    const struct runtime_name names[] = { { &by_bus, "cudaDeviceGetByPCIBusId" },
                                          { &peer, "cudaDeviceEnablePeerAccess" },
                                          { &no_peer, "cudaDeviceDisablePeerAccess" },
                                          { &prefer, "cudaDeviceSetCacheConfig" },
                                          { &preferred, "cudaDeviceGetCacheConfig" },
                                          { &exchange, "cudaThreadExchangeStreamCaptureMode" },
                                          { &make, "cudaStreamCreateWithPriority" },
                                          { &priority, "cudaStreamGetPriority" },
                                          { &begin, "cudaStreamBeginCapture" },
                                          { &callback, "cudaStreamAddCallback" },
                                          { &end, "cudaStreamEndCapture" } };
    enum { RELAXED = 2 };
    int device = 7, config = 0, mode = RELAXED, got = 7;
    void *low, *high, *graph;
    runtime_load("13", names, sizeof names / sizeof *names);
    assert_int_equal(by_bus(&device, "ffff:ff:1f.0"), CUDA_INVALID_DEVICE);
    assert_int_equal(by_bus(&device, "nonsense"), CUDA_INVALID_VALUE);
    assert_int_equal(by_bus(&device, "0000:00:00.0"), 0);
    assert_int_equal(device, 0);
    assert_int_equal(peer(0, 0), CUDA_PEER_UNSUPPORTED);
    assert_int_equal(no_peer(0), CUDA_PEER_NOT_ENABLED);
    assert_int_equal(prefer(2), 0);
    assert_int_equal(preferred(&config), 0);
    assert_int_equal(config, 2);
    assert_int_equal(exchange(&mode), 0);
    assert_int_equal(mode, 0);
    assert_int_equal(exchange(&mode), 0);
    assert_int_equal(mode, RELAXED);
    assert_int_equal(make(&low, 0, 5), 0);
    assert_int_equal(priority(low, &got), 0);
    assert_int_equal(got, 0);
    assert_int_equal(make(&high, 1, -20), 0);
    assert_int_equal(priority(high, &got), 0);
    assert_int_equal(got, -5);
    assert_int_equal(begin(low, RELAXED), 0);
    assert_int_equal(begin(low, RELAXED), CUDA_ILLEGAL_STATE);
    assert_int_equal(callback(low, NULL, NULL, 0), CUDA_CAPTURE_UNSUPPORTED);
    expect_reported("invalid capture");
    assert_int_equal(end(low, &graph), CUDA_CAPTURE_INVALIDATED);
}

// What CUDA 12 and earlier have: places as structures under a second name, and a size of banks, which no GPU of today has.
static void settings_of_older_versions_are_taken(void **state)
{
    enum { READ_MOSTLY = 1, ASKS_READ = 1, ASKS_FETCHED = 4, FOUR_BYTES = 1 };
    cuda_error (*managed)(void **, size_t, unsigned),
        (*advise)(const void *, size_t, int, struct cuda_location),
        (*fetch)(const void *, size_t, struct cuda_location, unsigned, void *),
        (*ask)(void *, size_t, int, const void *, size_t), (*set_banks)(int), (*banks)(int *);
    const struct runtime_name names[] = { { &managed, "cudaMallocManaged" },
                                          { &advise, "cudaMemAdvise_v2" },
                                          { &fetch, "cudaMemPrefetchAsync_v2" },
                                          { &ask, "cudaMemRangeGetAttribute" },
                                          { &set_banks, "cudaDeviceSetSharedMemConfig" },
                                          { &banks, "cudaDeviceGetSharedMemConfig" } };
    const struct cuda_location device = { 1, 0 };
    void *memory;
    int got;
    runtime_load("12", names, sizeof names / sizeof *names);
    assert_int_equal(managed(&memory, 64, 1), 0);
    assert_int_equal(advise(memory, 64, READ_MOSTLY, device), 0);
    assert_int_equal(ask(&got, sizeof got, ASKS_READ, memory, 64), 0);
    assert_int_equal(got, 1);
    assert_int_equal(fetch(memory, 64, device, 0, NULL), 0);
    assert_int_equal(ask(&got, sizeof got, ASKS_FETCHED, memory, 64), 0);
    assert_int_equal(got, 0);
    assert_int_equal(set_banks(2), 0);
    assert_int_equal(banks(&got), 0);
    assert_int_equal(got, FOUR_BYTES);
}

static void other_names_are_of_the_same_functions(void **state)
{
    static const char *const pairs[][2] = {
        { "cudaThreadExit", "cudaDeviceReset" },
        { "cudaThreadSynchronize", "cudaDeviceSynchronize" },
        { "cudaThreadSetLimit", "cudaDeviceSetLimit" },
        { "cudaThreadGetLimit", "cudaDeviceGetLimit" },
        { "cudaThreadSetCacheConfig", "cudaDeviceSetCacheConfig" },
        { "cudaThreadGetCacheConfig", "cudaDeviceGetCacheConfig" },
        { "cudaGetDeviceProperties_v2", "cudaGetDeviceProperties" },
        { "cudaEventElapsedTime_v2", "cudaEventElapsedTime" },
        { "cudaGraphKernelNodeGetAttribute_v2", "cudaGraphKernelNodeGetAttribute" },
        { "cudaCreateTextureObject_v2", "cudaCreateTextureObject" },
        { "cudaGetTextureObjectTextureDesc_v2", "cudaGetTextureObjectTextureDesc" },
        { "cudaFuncSetSharedMemConfig", "cudaFuncSetCacheConfig" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        void *one, *other;
        const struct runtime_name names[] = { { &one, pairs[i][0] }, { &other, pairs[i][1] } };
        runtime_load("12", names, 2);
        assert_ptr_equal(one, other);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(each_version_has_all_functions),
        cmocka_unit_test(what_is_only_named_says_so),
        cmocka_unit_test(the_list_has_what_headers_declare),
        cmocka_unit_test(what_was_said_about_memory_is_told),
        cmocka_unit_test(a_pool_counts_what_is_taken),
        cmocka_unit_test(attributes_of_streams_are_kept),
        cmocka_unit_test(settings_of_older_versions_are_taken),
        cmocka_unit_test(other_names_are_of_the_same_functions),
        cmocka_unit_test(properties_are_where_each_version_has_them),
        cmocka_unit_test(questions_about_devices_are_answered_as_by_a_gpu),
    };
    int status = cmocka_run_group_tests(all, start, report_end);
    text_free(&list);
    return status;
}
