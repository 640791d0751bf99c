// The CUDA runtime that whole programs get (build/lib/libcudart.so): fat binaries of every kind, memory, variables, launches
// and errors, as code that nvcc has made calls them. No compiler of CUDA is needed: the fat binaries are made here.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/base.h"
#include "engine/exec/cuda.h"
#include "tests/unit/exec_start.h"

enum { TO_DEVICE = 1, TO_HOST = 2 };

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 factor[4];\n"
    ".global .align 4 .u32 calls;\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .pred %q;\n.reg .f32 %f<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nsetp.ge.u32 %q, %r2, %r1;\n"
    "@%q ret;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.const.f32 %f1, [factor];\n"
    "ld.global.f32 %f2, [%rd3];\nmul.f32 %f3, %f1, %f2;\nst.global.f32 [%rd3], %f3;\n"
    "red.global.add.u32 [calls], 1;\nret;\n}\n";

// ---- the library ------------------------------------------------------------------------------------------------------------

static struct runtime {
    void **(*register_binary)(void *);
    void (*register_function)(void **, const void *, char *, const char *, int, void *, void *, void *,
                              void *, int *);
    void (*register_variable)(void **, char *, char *, const char *, int, size_t, int, int);
    cuda_error (*allocate)(void **, size_t), (*allocate_managed)(void **, size_t, unsigned),
        (*allocate_host)(void **, size_t), (*release)(void *), (*release_host)(void *);
    cuda_error (*copy)(void *, const void *, size_t, int), (*fill)(void *, int, size_t);
    cuda_error (*copy_2d)(void *, size_t, const void *, size_t, size_t, size_t, int);
    cuda_error (*to_symbol)(const void *, const void *, size_t, size_t, int),
        (*from_symbol)(void *, const void *, size_t, size_t, int);
    cuda_error (*launch)(const void *, struct cuda_dim3, struct cuda_dim3, void **, size_t, void *);
    cuda_error (*synchronize)(void), (*get_error)(void), (*reset)(void);
    cuda_error (*attributes)(struct cuda_pointer *, const void *);
    cuda_error (*get_plane)(void);
    cuda_error (*make_stream)(void **), (*drop_stream)(void *), (*begin_capture)(void *, int),
        (*end_capture)(void *, void **), (*wait_stream)(void *), (*make_graph)(void **, void *, uint64_t),
        (*do_graph)(void *, void *), (*drop_graph)(void *);
    cuda_error (*copy_async)(void *, const void *, size_t, int, void *),
        (*fill_async)(void *, int, size_t, void *);
    cuda_error (*make_event)(void **), (*make_event_with)(void **, unsigned), (*record)(void *, void *),
        (*elapsed)(float *, void *, void *), (*drop_event)(void *);
    const char *(*error_text)(cuda_error);
} cuda;

static void load(const char *version)
{
    const struct runtime_name names[] = { { &cuda.register_binary, "__cudaRegisterFatBinary" },
                                          { &cuda.register_function, "__cudaRegisterFunction" },
                                          { &cuda.register_variable, "__cudaRegisterVar" },
                                          { &cuda.allocate, "cudaMalloc" },
                                          { &cuda.allocate_managed, "cudaMallocManaged" },
                                          { &cuda.allocate_host, "cudaMallocHost" },
                                          { &cuda.release, "cudaFree" },
                                          { &cuda.release_host, "cudaFreeHost" },
                                          { &cuda.copy, "cudaMemcpy" },
                                          { &cuda.fill, "cudaMemset" },
                                          { &cuda.copy_2d, "cudaMemcpy2D" },
                                          { &cuda.to_symbol, "cudaMemcpyToSymbol" },
                                          { &cuda.from_symbol, "cudaMemcpyFromSymbol" },
                                          { &cuda.launch, "cudaLaunchKernel" },
                                          { &cuda.synchronize, "cudaDeviceSynchronize" },
                                          { &cuda.get_error, "cudaGetLastError" },
                                          { &cuda.reset, "cudaDeviceReset" },
                                          { &cuda.attributes, "cudaPointerGetAttributes" },
                                          { &cuda.get_plane, "cudaArrayGetPlane" },
                                          { &cuda.make_stream, "cudaStreamCreate" },
                                          { &cuda.drop_stream, "cudaStreamDestroy" },
                                          { &cuda.begin_capture, "cudaStreamBeginCapture" },
                                          { &cuda.end_capture, "cudaStreamEndCapture" },
                                          { &cuda.wait_stream, "cudaStreamSynchronize" },
                                          { &cuda.make_graph, "cudaGraphInstantiate" },
                                          { &cuda.do_graph, "cudaGraphLaunch" },
                                          { &cuda.drop_graph, "cudaGraphDestroy" },
                                          { &cuda.copy_async, "cudaMemcpyAsync" },
                                          { &cuda.fill_async, "cudaMemsetAsync" },
                                          { &cuda.make_event, "cudaEventCreate" },
                                          { &cuda.make_event_with, "cudaEventCreateWithFlags" },
                                          { &cuda.record, "cudaEventRecord" },
                                          { &cuda.elapsed, "cudaEventElapsedTime" },
                                          { &cuda.drop_event, "cudaEventDestroy" },
                                          { &cuda.error_text, "cudaGetErrorString" } };
    runtime_load(version, names, sizeof names / sizeof *names);
}

static int start(void **state)
{
    if (!report_begin())
        return -1;
    load("13");
    return 0;
}

// ---- fat binaries -----------------------------------------------------------------------------------------------------------

enum packing { PLAIN, LZ4, ZSTD, MACHINE_CODE };

static size_t put(unsigned char *at, uint64_t value, unsigned bytes)
{
    memcpy(at, &value, bytes);
    return bytes;
}

// LZ4: one sequence of literals, but for a run of 12 bytes at the end of the text, which are one literal and a match.
static size_t pack_lz4(unsigned char *out, const char *text, size_t length)
{
    size_t used = 0, literals = length - 12 + 1;
    out[used++] = 15 << 4 | (11 - 5 - 4);
    for (size_t rest = literals - 15;; rest -= 255) {
        out[used++] = rest < 255 ? (unsigned char)rest : 255;
        if (rest < 255)
            break;
    }
    memcpy(out + used, text, literals);
    used += literals;
    used += put(out + used, 1, 2); // back by one byte: the match overlaps what it writes
    out[used++] = 5 << 4;          // the last five bytes are always literals
    memcpy(out + used, text + length - 5, 5);
    return used + 5;
}

// Zstandard: a frame of one segment with one raw block.
static size_t pack_zstd(unsigned char *out, const char *text, size_t length)
{
    size_t used = put(out, 0xfd2fb528, 4);
    out[used++] = 2 << 6 | 1 << 5; // the content's size has four bytes
    used += put(out + used, length, 4);
    used += put(out + used, length << 3 | 1, 3);
    memcpy(out + used, text, length);
    return used + length;
}

// The caller frees it.
static unsigned char *fat_binary(enum packing packing)
{
    enum { CONTAINER = 16, ENTRY = 64 };
    struct text text = { 0 };
    text_addf(&text, "%s//          \n", ptx); // ends in 12 equal bytes, but for the last one
    text.data[text.length - 1] = ' ';
    text_add(&text, "  ");
    size_t length = text.length, room = length + 4096, stored = length;
    unsigned char *out = mem_new(room), *entry = out + CONTAINER, *body = entry + ENTRY;
    if (packing == LZ4)
        stored = pack_lz4(body, text.data, length);
    else if (packing == ZSTD)
        stored = pack_zstd(body, text.data, length);
    else
        memcpy(body, text.data, length);
    size_t padded = (stored + 7) / 8 * 8;
    put(out, 0xba55ed50, 4), put(out + 4, 1, 2), put(out + 6, CONTAINER, 2), put(out + 8, ENTRY + padded, 8);
    put(entry, packing == MACHINE_CODE ? 2 : 1, 2), put(entry + 4, ENTRY, 4), put(entry + 8, padded, 8);
    put(entry + 28, 75, 4);
    if (packing == LZ4 || packing == ZSTD) {
        put(entry + 16, stored, 4);
        put(entry + 40, packing == LZ4 ? 0x2000 : 0x8000, 8);
        put(entry + 56, length, 8);
    }
    text_free(&text);
    return out;
}

struct wrapper {
    int magic, version;
    const void *data;
    void *file;
};

// What a program registers: the addresses of `kernel`, `factor` and `calls` name its kernel and its variables.
struct program {
    unsigned char *image;
    struct wrapper wrapper;
    char kernel, factor[8], calls[8];
};

static void program_start(struct program *p, enum packing packing)
{
    *p = (struct program){ .image = fat_binary(packing) };
    p->wrapper = (struct wrapper){ 0x466243b1, 1, p->image, NULL };
    void **handle = cuda.register_binary(&p->wrapper);
    cuda.register_function(handle, &p->kernel, NULL, "scale", -1, NULL, NULL, NULL, NULL, NULL);
    cuda.register_variable(handle, p->factor, NULL, "factor", 0, 4, 1, 0);
    cuda.register_variable(handle, p->calls, NULL, "calls", 0, 4, 0, 0);
}

static cuda_error scale(struct program *p, void *pointer, uint32_t count, unsigned threads)
{
    void *arguments[] = { &pointer, &count };
    return cuda.launch(&p->kernel, (struct cuda_dim3){ 1, 1, 1 }, (struct cuda_dim3){ threads, 1, 1 },
                       arguments, 0, NULL);
}

static void expect_scaled(enum packing packing)
{
    static struct program kept[4]; // a program's registration lasts as long as the process
    struct program *p = &kept[packing];
    float numbers[40], factor = 3;
    uint32_t calls = 0;
    void *pointer;
    program_start(p, packing);
    for (int i = 0; i < 40; i++)
        numbers[i] = (float)i;
    assert_int_equal(cuda.allocate(&pointer, sizeof numbers), 0);
    assert_int_equal(cuda.copy(pointer, numbers, sizeof numbers, TO_DEVICE), 0);
    assert_int_equal(cuda.to_symbol(p->factor, &factor, 4, 0, TO_DEVICE), 0);
    assert_int_equal(scale(p, pointer, 40, 64), 0);
    assert_int_equal(cuda.copy(numbers, pointer, sizeof numbers, TO_HOST), 0);
    for (int i = 0; i < 40; i++)
        assert_true(numbers[i] == 3 * (float)i);
    assert_int_equal(cuda.from_symbol(&calls, p->calls, 4, 0, TO_HOST), 0);
    assert_int_equal(calls, 40);
    assert_int_equal(cuda.release(pointer), 0);
}

static void plain_ptx_runs(void **state)
{
    expect_scaled(PLAIN);
}

static void ptx_that_lz4_has_packed_runs(void **state)
{
    expect_scaled(LZ4);
}

static void ptx_that_zstandard_has_packed_runs(void **state)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW);
    if (!library)
        skip(); // libzstd.so.1 is not installed
    expect_scaled(ZSTD);
}

static void machine_code_alone_is_refused(void **state)
{
    static struct program p;
    program_start(&p, MACHINE_CODE);
    assert_int_equal(scale(&p, NULL, 1, 32), CUDA_NO_IMAGE);
    expect_reported("it holds machine code only; build it with PTX, as nvcc -arch=compute_80");
    assert_int_equal(cuda.get_error(), CUDA_NO_IMAGE);
}

// ---- memory -----------------------------------------------------------------------------------------------------------------

static struct program program; // of the tests below
static float factor = 2;

static int program_once(void **state)
{
    if (!program.image)
        program_start(&program, PLAIN);
    return (int)cuda.to_symbol(program.factor, &factor, 4, 0, TO_DEVICE);
}

static void managed_and_page_locked_memory_have_one_address(void **state)
{
    for (int managed = 0; managed < 2; managed++) {
        void *pointer;
        struct cuda_pointer about;
        assert_int_equal(
            managed ? cuda.allocate_managed(&pointer, 400, 1) : cuda.allocate_host(&pointer, 400), 0);
        float *numbers = pointer;
        for (int i = 0; i < 100; i++)
            numbers[i] = 1;
        assert_int_equal(scale(&program, pointer, 100, 128), 0);
        assert_int_equal(cuda.synchronize(), 0);
        assert_true(numbers[0] == 2 && numbers[99] == 2);
        assert_int_equal(cuda.attributes(&about, numbers + 5), 0);
        assert_int_equal(about.type, managed ? 3 : 1);
        assert_ptr_equal(about.host_pointer, numbers + 5);
        assert_int_equal(managed ? cuda.release(pointer) : cuda.release_host(pointer), 0);
    }
}

static void copies_stay_within_their_memory(void **state)
{
    char host[64] = { 0 };
    void *pointer;
    assert_int_equal(cuda.allocate(&pointer, 48), 0);
    assert_int_equal(cuda.copy(pointer, host, 49, TO_DEVICE), CUDA_INVALID_VALUE);
    expect_reported("cudaMemcpy writes to 49 bytes at byte 0 of");
    assert_int_equal(cuda.copy(host, pointer, 48, TO_DEVICE), CUDA_INVALID_VALUE);
    expect_reported("has the direction cudaMemcpyHostToDevice, but its destination is memory of the host");
    assert_int_equal(cuda.fill(pointer, 7, 48), 0);
    assert_int_equal(cuda.copy_2d(host, 16, pointer, 12, 8, 4, TO_HOST), 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(host[i], i % 16 < 8 ? 7 : 0);
    assert_int_equal(cuda.release((char *)pointer + 8), CUDA_INVALID_VALUE);
    expect_reported("only its start can be freed");
    assert_int_equal(cuda.release(pointer), 0);
    assert_int_equal(cuda.release(pointer), CUDA_INVALID_VALUE);
    expect_reported("double free");
    assert_int_equal(cuda.copy(host, pointer, 8, TO_HOST), CUDA_INVALID_VALUE);
    expect_reported("use after free");
    assert_int_equal(cuda.release_host(host), CUDA_INVALID_VALUE);
    expect_reported("which no CUDA function returned");
    assert_int_equal(cuda.get_error(), CUDA_INVALID_VALUE);
    assert_int_equal(cuda.get_error(), 0);
}

static void what_nothing_was_written_to_is_found(void **state)
{
    void *pointer;
    float one = 1;
    assert_int_equal(cuda.allocate(&pointer, 8), 0);
    assert_int_equal(cuda.copy(pointer, &one, 4, TO_DEVICE), 0);
    assert_int_equal(scale(&program, pointer, 1, 32), 0);
    assert_int_equal(scale(&program, pointer, 2, 32), 0);
    expect_reported("\"findings\":[]");
    expect_reported("\"kind\":\"uninitialised\"");
    assert_int_equal(cuda.release(pointer), 0);
}

// ---- errors -----------------------------------------------------------------------------------------------------------------

static void launches_that_cannot_start_say_so(void **state)
{
    assert_int_equal(scale(&program, NULL, 0, 1025), CUDA_INVALID_VALUE); // as by a runtime of CUDA 13
    expect_reported("a block has at most 1024 threads");
    assert_int_equal(cuda.get_error(), CUDA_INVALID_VALUE);
    assert_int_equal(scale(&program, NULL, 0, 32), 0); // nothing of it stays
    assert_int_equal(cuda.synchronize(), 0);
}

// A time between events says what was asked for between them.
static void elapsed_times_know_what_they_span(void **state)
{
    void *events[3], *pointer;
    float ms, numbers[40] = { 0 };
    for (int i = 0; i < 3; i++)
        assert_int_equal(cuda.make_event(&events[i]), 0);
    assert_int_equal(cuda.allocate(&pointer, sizeof numbers), 0);
    assert_int_equal(cuda.record(events[0], NULL), 0);
    assert_int_equal(cuda.copy(pointer, numbers, sizeof numbers, TO_DEVICE), 0);
    assert_int_equal(cuda.record(events[1], NULL), 0);
    assert_int_equal(scale(&program, pointer, 40, 64), 0);
    assert_int_equal(cuda.record(events[2], NULL), 0);
    assert_int_equal(cuda.elapsed(&ms, events[0], events[2]), 0);
    expect_reported("{\"elapsed\":1,\"copies\":1}");
    assert_int_equal(cuda.elapsed(&ms, events[1], events[2]), 0);
    expect_reported("{\"elapsed\":1,\"copies\":0}");
    assert_true(ms > 0);
    enum { UNTIMED = 2 }; // cudaEventDisableTiming
    void *untimed;
    assert_int_equal(cuda.make_event_with(&untimed, UNTIMED), 0);
    assert_int_equal(cuda.record(untimed, NULL), 0);
    assert_int_equal(cuda.elapsed(&ms, events[0], untimed), CUDA_INVALID_HANDLE);
    assert_int_equal(cuda.get_error(), CUDA_INVALID_HANDLE);
    assert_int_equal(cuda.drop_event(untimed), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cuda.drop_event(events[i]), 0);
    assert_int_equal(cuda.release(pointer), 0);
}

static void a_captured_stream_works_when_its_graph_is_launched(void **state)
{
    void *stream, *graph, *ready, *pointer;
    float numbers[40] = { 0 }, one = 1;
    uint32_t count = 40;
    assert_int_equal(cuda.allocate(&pointer, sizeof numbers), 0);
    assert_int_equal(cuda.make_stream(&stream), 0);
    assert_int_equal(cuda.begin_capture(stream, 0), 0);
    void *arguments[] = { &pointer, &count };
    assert_int_equal(cuda.copy_async(pointer, &one, 4, TO_DEVICE, stream), 0);
    assert_int_equal(cuda.fill_async((char *)pointer + 4, 0, 156, stream), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cuda.launch(&program.kernel, (struct cuda_dim3){ 1, 1, 1 },
                                     (struct cuda_dim3){ 64, 1, 1 }, arguments, 0, stream),
                         0);
    assert_int_equal(cuda.copy_async(numbers, pointer, sizeof numbers, TO_HOST, stream), 0);
    assert_int_equal(cuda.end_capture(stream, &graph), 0);
    count = 0; // the launches have arguments of their own
    assert_int_equal(cuda.make_graph(&ready, graph, 0), 0);
    assert_int_equal(cuda.drop_graph(graph), 0);
    assert_true(numbers[0] == 0);
    assert_int_equal(cuda.do_graph(ready, stream), 0);
    assert_true(numbers[0] == 8);
    one = 2;
    assert_int_equal(cuda.do_graph(ready, stream), 0);
    assert_true(numbers[0] == 16);
    assert_int_equal(cuda.drop_graph(ready), 0);
    assert_int_equal(cuda.drop_stream(stream), 0);
    assert_int_equal(cuda.release(pointer), 0);
}

static void a_capture_forbids_to_wait(void **state)
{
    void *stream, *graph, *pointer;
    assert_int_equal(cuda.make_stream(&stream), 0);
    assert_int_equal(cuda.allocate(&pointer, 4), 0);
    assert_int_equal(cuda.begin_capture(NULL, 0), CUDA_CAPTURE_UNSUPPORTED);
    assert_int_equal(cuda.begin_capture(stream, 0), 0);
    assert_int_equal(cuda.fill(pointer, 0, 4), CUDA_CAPTURE_IMPLICIT);
    expect_reported("cudaMemset uses the default stream while a stream is captured");
    assert_int_equal(cuda.fill_async(pointer, 0, 4, stream), CUDA_CAPTURE_INVALIDATED);
    assert_int_equal(cuda.end_capture(stream, &graph), CUDA_CAPTURE_INVALIDATED);
    assert_null(graph);
    assert_int_equal(cuda.wait_stream(stream), 0);
    assert_int_equal(cuda.end_capture(stream, &graph), CUDA_ILLEGAL_STATE);
    assert_int_equal(cuda.get_error(), CUDA_ILLEGAL_STATE);
    assert_int_equal(cuda.release(pointer), 0);
    assert_int_equal(cuda.drop_stream(stream), 0);
}

static void what_is_not_there_is_named(void **state)
{
    assert_int_equal(cuda.get_plane(), CUDA_NOT_SUPPORTED);
    expect_reported("{\"missing\":\"cudaArrayGetPlane\"");
    assert_int_equal(cuda.get_error(), CUDA_NOT_SUPPORTED);
}

static void an_illegal_address_ends_all_work(void **state)
{
    void *pointer;
    assert_int_equal(scale(&program, NULL, 1, 32), 0); // a launch does not wait
    assert_int_equal(cuda.get_error(), 0);
    assert_int_equal(cuda.synchronize(), CUDA_ILLEGAL_ADDRESS);
    assert_string_equal(cuda.error_text(CUDA_ILLEGAL_ADDRESS), "an illegal memory access was encountered");
    assert_int_equal(cuda.allocate(&pointer, 4), CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(cuda.get_error(), CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(cuda.get_error(), 0); // it is forgotten, and the next call answers it again
    assert_int_equal(cuda.allocate(&pointer, 4), CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(cuda.reset(), 0);
    assert_int_equal(cuda.allocate(&pointer, 4), 0);
    assert_int_equal(cuda.release(pointer), 0);
    float host[8] = { 0 };
    assert_int_equal(scale(&program, host, 1, 32), 0);
    assert_int_equal(cuda.synchronize(), CUDA_ILLEGAL_ADDRESS);
    expect_reported("which is memory of the host. Kernels cannot reach it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_ptx_runs),
        cmocka_unit_test(ptx_that_lz4_has_packed_runs),
        cmocka_unit_test(ptx_that_zstandard_has_packed_runs),
        cmocka_unit_test(machine_code_alone_is_refused),
        cmocka_unit_test_setup(managed_and_page_locked_memory_have_one_address, program_once),
        cmocka_unit_test_setup(copies_stay_within_their_memory, program_once),
        cmocka_unit_test_setup(what_nothing_was_written_to_is_found, program_once),
        cmocka_unit_test_setup(launches_that_cannot_start_say_so, program_once),
        cmocka_unit_test_setup(elapsed_times_know_what_they_span, program_once),
        cmocka_unit_test_setup(a_captured_stream_works_when_its_graph_is_launched, program_once),
        cmocka_unit_test_setup(a_capture_forbids_to_wait, program_once),
        cmocka_unit_test_setup(what_is_not_there_is_named, program_once),
        cmocka_unit_test_setup(an_illegal_address_ends_all_work, program_once),
    };
    return cmocka_run_group_tests(tests, start, report_end);
}
