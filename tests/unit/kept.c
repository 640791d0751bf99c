// A launch that a program kept is stepped through as it would have gone: memory, variables and arguments are what they were,
// and what had no content has none. A file that was cut off or changed is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/exec/kept.h"
#include "engine/run/simulation.h"

static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 by = 2;\n"
    ".visible .entry _Z3addPiS_(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<5>;\n.reg .b32 %t<5>;\n.reg "
    ".b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.global.u32 %r1, [%rd1+4];\n"
    "ld.global.u32 %r2, [by];\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [%rd2], %r3;\n"
    "ld.global.u32 %r4, [%rd1];\nst.global.u32 [%rd2+4], %r4;\nmov.u64 %rd1, 2;\nmov.u32 %r4, 1;\n"
    "tex.1d.v4.u32.s32 {%t1, %t2, %t3, %t4}, [%rd1, {%r4}];\nst.global.u32 [%rd2], %t1;\nret;\n}\n";
static char path[] = "/tmp/kept-XXXXXX";
static const uint64_t placed = 600 * SIM_BUFFER_LIMIT;
static uint64_t numbered; // the address of the third buffer that a memory numbers

static void put(FILE *file, struct kept_piece piece, const void *bytes, size_t count)
{
    piece.bytes = count;
    assert_int_equal(fwrite(&piece, sizeof piece, 1, file), 1);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
}

static void put_text(FILE *file, enum kept_kind kind, const char *text)
{
    put(file, (struct kept_piece){ .kind = kind }, text, strlen(text));
}

// Of eight bytes at `numbered`, the last four have content. The first texture was destroyed; the second one is these bytes.
static void write_launch(void)
{
    const struct kept_launch launch = { .number = 7, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    const uint32_t forty = 40, three = 3, nothing[2] = { 0 };
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(KEPT_MAGIC, file);
    put(file, (struct kept_piece){ .kind = KEPT_LAUNCH }, &launch, sizeof launch);
    put_text(file, KEPT_KERNEL, "_Z3addPiS_");
    put_text(file, KEPT_FILE, "/nowhere/add.cu");
    put_text(file, KEPT_PTX, ptx);
    put(file, (struct kept_piece){ .kind = KEPT_ARGUMENT }, &numbered, sizeof numbered);
    put(file, (struct kept_piece){ .kind = KEPT_ARGUMENT }, &placed, sizeof placed);
    put(file,
        (struct kept_piece){
            .kind = KEPT_BUFFER, .element = 4, .address = placed, .size = 8, .filled = true },
        "out", 3);
    put(file, (struct kept_piece){ .kind = KEPT_CONTENT, .address = placed }, nothing, sizeof nothing);
    put(file, (struct kept_piece){ .kind = KEPT_BUFFER, .element = 4, .address = numbered, .size = 8 }, "in",
        2);
    put(file, (struct kept_piece){ .kind = KEPT_CONTENT, .address = numbered + 4 }, &forty, sizeof forty);
    put_text(file, KEPT_VARIABLE, "by");
    put(file, (struct kept_piece){ .kind = KEPT_VALUE }, &three, sizeof three);
    struct kept_image image = {
        .at = numbered, .pitch = 8, .width = 2, .channels = 1, .bits = 32, .destroyed = true
    };
    put(file, (struct kept_piece){ .kind = KEPT_IMAGE }, &image, sizeof image);
    image.destroyed = false;
    put(file, (struct kept_piece){ .kind = KEPT_IMAGE }, &image, sizeof image);
    put_text(file, KEPT_END, "");
    assert_int_equal(fclose(file), 0);
}

static int start(void **state)
{
    struct sim_memory *memory = sim_memory_new();
    static char bytes[8];
    for (int i = 0; i < 3; i++)
        numbered = sim_memory_add(memory, "in", bytes, sizeof bytes, 4, SIM_INOUT);
    sim_memory_free(memory);
    int file = mkstemp(path);
    return file < 0 || close(file) ? -1 : 0;
}

static int end(void **state)
{
    return unlink(path);
}

static bool open_kept(struct stepper *stepper, struct request *request, struct error *error)
{
    struct variant variant;
    bool good = kept_variant(path, &variant, error);
    *stepper = (struct stepper){ 0 };
    *request = request_new(ON_SIM, NULL, good ? &variant : NULL, NULL, NULL, NULL);
    free(request->file);
    request->file = mem_copy(path);
    variant_free(&variant);
    return good && stepper_open(stepper, request, error);
}

static void close_kept(struct stepper *stepper, struct request *request)
{
    stepper_close(stepper);
    request_free(request);
}

static void a_launch_goes_as_it_would_have_gone(void **state)
{
    struct stepper stepper;
    struct request request;
    struct sim_register three, texel;
    struct sim_finding *findings;
    struct error error;
    write_launch();
    if (!open_kept(&stepper, &request, &error))
        fail_msg("%s", error.text);
    assert_string_equal(request.variant, "launch 7, add");
    assert_int_equal(sim_trace_forward(stepper.trace, 5), SIM_THERE);
    assert_true(sim_trace_register(stepper.trace, "r3", &three));
    assert_int_equal(three.value[0], 43);
    assert_int_equal(sim_trace_forward(stepper.trace, 6), SIM_THERE);
    assert_true(sim_trace_register(stepper.trace, "t1", &texel));
    assert_int_equal(texel.value[0], 40);
    (void)sim_trace_end(stepper.trace);
    assert_true(stepper_ended(&stepper));
    assert_false(stepper_goes_on(&stepper));
    assert_int_equal(stepper_findings(&stepper, &findings), 1);
    assert_int_equal(findings[0].kind, SIM_UNINITIALISED);
    assert_string_equal(findings[0].buffer, "in");
    free(findings);
    close_kept(&stepper, &request);
}

static void a_file_that_is_not_whole_is_refused(void **state)
{
    struct text whole = { 0 };
    struct stepper stepper;
    struct request request;
    struct error error;
    write_launch();
    assert_true(file_read(path, &whole, &error));
    size_t length = whole.length;
    for (size_t cut = 0; cut < length; cut += cut < 200 ? 7 : 41) {
        assert_true(file_replace(path, whole.data, cut, &error));
        assert_false(open_kept(&stepper, &request, &error));
        close_kept(&stepper, &request);
    }
    for (size_t at = strlen(KEPT_MAGIC); at < length; at++) {
        whole.data[at] ^= 0x81;
        assert_true(file_replace(path, whole.data, length, &error));
        (void)open_kept(&stepper, &request, &error);
        close_kept(&stepper, &request);
        whole.data[at] ^= 0x81;
    }
    assert_true(file_replace(path, whole.data, length / 2, &error));
    assert_false(open_kept(&stepper, &request, &error));
    close_kept(&stepper, &request);
    text_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_goes_as_it_would_have_gone),
        cmocka_unit_test(a_file_that_is_not_whole_is_refused),
    };
    return cmocka_run_group_tests(tests, start, end);
}
