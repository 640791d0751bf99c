// engine/compile: NVRTC and clang where they are, scripts that behave badly in their place, the order of the
// compilers, and what the cache does to a second call.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/child.h"
#include "tests/unit/ships.h"

static const char good[] = "extern \"C\" __global__ void fill(int *out, int n)\n"
                           "{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i < n)\n"
                           "        out[i] = i;\n"
                           "}\n";
static const char bad[] = "__global__ void fill(int *out, int n)\n"
                          "{\n"
                          "    int unused;\n"
                          "    out[0] = missing;\n"
                          "}\n";

// ---- a folder for each test, with a cache and scripts in it --------------------------------------

static int folder_new(void **state)
{
    char *folder = mem_copy("/tmp/warpbook-compile-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("WARPBOOK_CACHE", folder, 1);
    unsetenv("WARPBOOK_NVRTC");
    unsetenv("WARPBOOK_CLANG");
    unsetenv("WARPBOOK_DATA");
    unsetenv("WARPBOOK_TEST_CHILD");
    *state = folder;
    return 0;
}

static int folder_remove(void **state)
{
    const char *argv[] = { "rm", "-rf", *state, NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run(argv, NULL, 0, 10000, &result, &error));
    child_result_free(&result);
    free(*state);
    return 0;
}

static char *file_in(void **state, const char *name, const char *text, int mode)
{
    struct error error;
    char *path = path_join(*state, name), *folder = mem_copy(path);
    *strrchr(folder, '/') = 0;
    assert_true(folder_make(folder, &error));
    assert_true(file_replace(path, text, strlen(text), &error));
    assert_int_equal(chmod(path, (mode_t)mode), 0);
    free(folder);
    return path;
}

// Puts a shell script in the place of clang; nothing else compiles then. It answers --version as clang does.
static void fake_clang(void **state, const char *body)
{
    struct text script = { 0 };
    text_addf(&script,
              "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Test clang version 1.2.3'; exit 0; }\n%s\n",
              body);
    char *path = file_in(state, "clang", script.data, 0755);
    setenv("WARPBOOK_NVRTC", "none", 1);
    setenv("WARPBOOK_CLANG", path, 1);
    free(path);
    text_free(&script);
}

static struct compile_request request_for(const char *source)
{
    return (struct compile_request){
        .file = "kernels/lab/1-fill.cu", .source = source, .target = 80, .cubin = true
    };
}

static void expect_words(const struct error *error, const char *const *words)
{
    for (; *words; words++)
        if (!strstr(error->text, *words))
            fail_msg("'%s' is not in: %s", *words, error->text);
}
#define EXPECT(error, ...) expect_words(error, (const char *const[]){ __VA_ARGS__, NULL })

static void expect_failure(const char *source, int limit_ms, enum exit_code code, const char *word)
{
    struct compile_request request = request_for(source);
    struct compiled out;
    struct error error = { 0 };
    request.limit_ms = limit_ms;
    assert_false(compile(&request, &out, &error));
    assert_null(out.ptx);
    assert_int_equal(error.code, code);
    EXPECT(&error, word);
    compiled_free(&out);
}

static bool have(enum compiler kind)
{
    struct tools tools;
    tools_find(&tools);
    bool there = kind == COMPILER_NVRTC ? tools.nvrtc[0] : tools.clang[0];
    if (!there)
        print_message("skipped: no %s here\n", kind == COMPILER_NVRTC ? "NVRTC" : "clang");
    return there;
}
#define NEEDS(kind)                                                                                          \
    do {                                                                                                     \
        if (!have(kind))                                                                                     \
            skip();                                                                                          \
    } while (0)

static void compile_right(const struct compile_request *request, struct compiled *out)
{
    struct error error = { 0 };
    if (!compile(request, out, &error))
        fail_msg("%s", error.text);
    assert_non_null(out->ptx);
}

// ---- NVRTC ---------------------------------------------------------------------------------------

static void nvrtc_makes_ptx_cubin_and_resources(void **state)
{
    NEEDS(COMPILER_NVRTC);
    static const int targets[] = { 75, 80, 90, 100, 120 };
    struct compiler_state states[3];
    compile_probe(states);
    assert_true(states[0].found);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        bool known = false;
        for (int k = 0; k < states[0].target_count; k++)
            known |= states[0].targets[k] == targets[i];
        if (!known)
            continue;
        struct compile_request request = request_for(good);
        struct compiled out;
        request.target = targets[i];
        compile_right(&request, &out);
        assert_int_equal(out.by, COMPILER_NVRTC);
        assert_int_equal(out.target, targets[i]);
        assert_true(out.cubin_bytes > 100);
        assert_memory_equal(out.cubin, "\177ELF", 4);
        const struct resources *r = compiled_resources(&out, "fill");
        assert_non_null(r);
        assert_in_range(r->registers, 1, 255);
        assert_int_equal(r->shared_bytes, 0);
        assert_int_equal(r->spill_bytes, 0);
        assert_non_null(strstr(out.ptx, ".loc"));
        assert_non_null(strstr(out.ptx, "\"/kernel/1-fill.cu\""));
        compiled_free(&out);
    }
}

static void nvrtc_without_cubin(void **state)
{
    NEEDS(COMPILER_NVRTC);
    struct compile_request request = request_for(good);
    struct compiled out;
    request.cubin = false;
    compile_right(&request, &out);
    assert_null(out.cubin);
    assert_int_equal(out.target, 80);
    compiled_free(&out);
}

static void nvrtc_takes_the_nearest_older_target(void **state)
{
    NEEDS(COMPILER_NVRTC);
    struct compile_request request = request_for(good);
    struct compiled out;
    request.target = 9990;
    compile_right(&request, &out);
    assert_int_equal(out.by, COMPILER_NVRTC);
    assert_in_range(out.target, 75, 9989);
    assert_null(out.cubin); // it would not run on the wanted target
    compiled_free(&out);
}

static void nvrtc_messages_point_into_the_source(void **state)
{
    NEEDS(COMPILER_NVRTC);
    struct compile_request request = request_for(bad);
    struct compiled out;
    struct error error = { 0 };
    assert_false(compile(&request, &out, &error));
    assert_int_equal(error.code, EXIT_WRONG);
    EXPECT(&error, "kernels/lab/1-fill.cu:4:14: error: ", "\n      out[0] = missing;\n               ^");
    assert_null(strstr(error.text, "/kernel/"));
    assert_null(strstr(error.text, "warning")); // but:
    assert_int_equal(out.diagnostic_count, 2);
    assert_int_equal(out.diagnostics[0].severity, SEVERITY_WARNING);
    assert_int_equal(out.diagnostics[0].line, 3);
    assert_int_equal(out.diagnostics[1].severity, SEVERITY_ERROR);
    compiled_free(&out);
}

static void nvrtc_points_at_where_a_semicolon_is_missing(void **state)
{
    NEEDS(COMPILER_NVRTC);
    static const struct {
        const char *body;
        int line, column;
    } cases[] = { { "    x[0] = 1 // one;\n\n    x[1] = 2;\n", 3, 13 },
                  { "    x[0] = 1\n", 3, 13 },
                  { "    x[0] = 1 x[1] = 2;\n", 3, 14 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text source = { 0 };
        struct compiled out;
        struct error error = { 0 };
        text_addf(&source, "__global__ void k(int *x)\n{\n%s}\n", cases[i].body);
        struct compile_request request = request_for(source.data);
        assert_false(compile(&request, &out, &error));
        assert_string_equal(out.diagnostics[0].message, "expected a \";\"");
        assert_int_equal(out.diagnostics[0].line, cases[i].line);
        assert_int_equal(out.diagnostics[0].column, cases[i].column);
        compiled_free(&out);
        text_free(&source);
    }
}

static void nvrtc_warnings_come_with_a_success(void **state)
{
    NEEDS(COMPILER_NVRTC);
    struct compile_request request = request_for("__global__ void k() { int unused; }\n");
    for (int call = 0; call < 2; call++) { // from the compiler, then from the cache
        struct compiled out;
        compile_right(&request, &out);
        assert_int_equal(out.cached, call == 1);
        assert_int_equal(out.diagnostic_count, 1);
        assert_int_equal(out.diagnostics[0].severity, SEVERITY_WARNING);
        compiled_free(&out);
    }
}

static void too_much_shared_memory_is_explained(void **state)
{
    NEEDS(COMPILER_NVRTC);
    expect_failure("__global__ void big(float *x)\n{\n    __shared__ float s[20000];\n"
                   "    s[threadIdx.x] = x[0];\n    __syncthreads();\n    x[1] = s[threadIdx.x ^ 1];\n}\n",
                   0, EXIT_WRONG, "80000 bytes");
}

static void nvrtc_has_the_small_headers(void **state)
{
    NEEDS(COMPILER_NVRTC);
    struct compile_request request = request_for(
        "#include <cuda_runtime.h>\n#include <stdio.h>\n#include <stdint.h>\n#include <limits.h>\n"
        "#include <float.h>\n#include <math.h>\n#include <stddef.h>\n#include <assert.h>\n"
        "__global__ void k(uint32_t *a, int64_t *b, float *c)\n"
        "{ *a = INT_MAX; *b = INT64_MAX; *c = FLT_MAX; c[1] = INFINITY; assert(*a); printf(\"%d\", 1); }\n");
    struct compiled out;
    compile_right(&request, &out);
    assert_int_equal(out.diagnostic_count, 0);
    compiled_free(&out);
}

// A kernel that NVRTC needs minutes for, as a hostile or an unlucky learner would write it.
static void a_compile_that_does_not_end_is_stopped(void **state)
{
    NEEDS(COMPILER_NVRTC);
    struct text source = { 0 };
    text_add(&source, "__global__ void k(float *x) { float a = x[0], b = x[1], c = x[2], d = x[3];\n");
    for (int i = 0; i < 20000; i++)
        text_addf(&source, "a = b * c + %d.0f * sinf(d); if (a > %d) { b = c; c = d; d = a; }\n", i, i);
    text_add(&source, "x[0] = a + b + c + d; }\n");
    expect_failure(source.data, 300, EXIT_WRONG, "did not finish within 0.3 s");
    text_free(&source);
}

// ---- what a kernel may include ------------------------------------------------------------------------

// Past the look at the source that comes first: what a compiler itself can still read.
static void no_compiler_reads_other_files(void **state)
{
    char *secret = file_in(state, "secret.h", "#error the secret was read\n", 0644);
    struct text source = { 0 };
    struct tools tools;
    tools_find(&tools);
    text_addf(&source, "#define FILE \"%s\"\n#include FILE\n__global__ void k() {}\n", secret);
    struct compile_request request = request_for(source.data);
    for (int kind = COMPILER_NVRTC; kind <= COMPILER_CLANG; kind++) {
        struct compiled out = { 0 };
        struct error error = { 0 };
        if (!have((enum compiler)kind) || confine_state().sanitizer || !confine_state().landlock)
            continue;
        enum compile_outcome outcome = kind == COMPILER_NVRTC ? nvrtc_compile(&tools, &request, &out, &error)
                                                              : clang_compile(&tools, &request, &out, &error);
        assert_int_equal(outcome, OUTCOME_WRONG);
        compiled_explain(&out, &request, &error);
        EXPECT(&error, "secret.h");
        assert_null(strstr(error.text, "was read"));
        compiled_free(&out);
    }
    text_free(&source);
    free(secret);
}

static void includes_that_lead_out_are_refused(void **state)
{
    static const struct {
        const char *source;
        int line;
        const char *name;
    } cases[] = {
        { "#include \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "int a;\n  #  include </etc/passwd>\n", 2, "</etc/passwd>" },
        { "#include \"../kernel.h\"\n", 1, "\"../kernel.h\"" },
        { "#include \"a/../../b.h\"\n", 1, "\"a/../../b.h\"" },
        { "#include \"a/..\"\n", 1, "\"a/..\"" },
        { "/* one\ntwo */ #include \"/etc/passwd\"\n", 2, "\"/etc/passwd\"" },
        { "# /* and\n */ include /* more */ \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "#inc\\\nlude \"/etc\\\n/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "#include\\ \t\n\"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "%:include \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "#define X \"/etc/passwd\"\n#include X\n", 2, "X cannot" },
        { "#include_next \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "#import \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "const char s[] = {\n#embed \"/etc/passwd\"\n};\n", 2, "\"/etc/passwd\"" },
        { "#include \"/etc/passwd", 1, "\"/etc/passwd" },
        { "int x;\r#include \"/etc/passwd\"\r", 1, "\"/etc/passwd\"" },
        { "#inc\\\rlude \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "#inc\\\f\nlude \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "#inc\\\v\r\nlude \"/etc/passwd\"\r\n", 1, "\"/etc/passwd\"" },
        { "\xc2\xa0#\xe2\x80\x83include \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "#if __has_include(\"/etc/passwd\")\n#endif\n", 1, "\"/etc/passwd\"" },
        { "#if __has_include ( <../passwd> )\n#endif\n", 1, "<../passwd>" },
        { "#pragma GCC dependency \"/etc/passwd\"\n", 1, "\"/etc/passwd\"" },
        { "_Pragma(\"GCC dependency \\\"/etc/passwd\\\"\")\n", 1, "/etc/passwd" },
        { "const char *s = \"/*\";\n#include \"/etc/passwd\"\n//*/\n", 2, "\"/etc/passwd\"" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compiled out = { 0 };
        if (include_allowed(cases[i].source, &out) || out.diagnostic_count != 1)
            fail_msg("allowed: %s", cases[i].source);
        assert_int_equal(out.diagnostics[0].line, cases[i].line);
        if (!strstr(out.diagnostics[0].message, cases[i].name))
            fail_msg("'%s' is not in: %s", cases[i].name, out.diagnostics[0].message);
        compiled_free(&out);
        expect_failure(cases[i].source, 0, EXIT_WRONG, "a kernel file stands alone");
    }
}

// In a comment there is none, where nothing but the usual rules of C is needed to see that it is one.
static void includes_in_comments_are_none(void **state)
{
    struct compiled out = { 0 };
    if (!confine_state().landlock)
        skip();
    assert_true(include_allowed("/*\n#include \"../common/helper.h\"\n*/\n", &out));
    assert_int_equal(out.diagnostic_count, 0);
}

// A compiler looks for what is named where it runs.
static void names_are_not_looked_for_from_the_root(void **state)
{
    for (int kind = COMPILER_NVRTC; kind <= COMPILER_CLANG; kind++) {
        if (kind == COMPILER_CLANG)
            setenv("WARPBOOK_NVRTC", "none", 1);
        if (have((enum compiler)kind))
            expect_failure("#include \"usr/lib/os-release\"\n__global__ void k() { }\n", 0, EXIT_WRONG,
                           "usr/lib/os-release");
        if (have((enum compiler)kind))
            expect_failure(
                "#if __has_include(\"etc/passwd\")\n#error it is there\n#endif\nint here = no_such_name;\n",
                0, EXIT_WRONG, "no_such_name");
    }
}

static void other_includes_are_left_to_the_compiler(void **state)
{
    static const char *const sources[] = {
        "#include <cuda_fp16.h>\n",
        "#include \"cooperative_groups/reduce.h\"\n",
        "#ifndef __CUDACC_RTC__\n#include <cstdio>\n#endif\n",
        "// step #include the halo\n",
        "/* as in #include the \"/edges\" */ int x;\n",
        " * #import is not here\n",
        "#include \"two..dots.h\"\n",
        "#define include_it 1\n#undef include_it\n#included\n",
        "int include = 1; // \"/etc/passwd\"\n",
        "",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct compiled out = { 0 };
        if (!include_allowed(sources[i], &out) || out.diagnostic_count)
            fail_msg("refused: %s", sources[i]);
    }
}

// ---- the compiling child ---------------------------------------------------------------------------

static void a_child_that_misbehaves_is_survived(void **state)
{
    static const struct {
        const char *how, *word;
    } cases[] = { { "crash", "signal 11" },         { "exit", "ended with status 7; it said: no more" },
                  { "nonsense", "cannot be read" }, { "silent", "cannot be read" },
                  { "cut", "cannot be read" },      { "hang", "did not finish within 0.2 s" },
                  { "wrong", "cannot be read" },    { "again", "cannot start itself" } };
    char *library = file_in(state, "libnvrtc.so.13", "not a library", 0644);
    setenv("WARPBOOK_NVRTC", library, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("WARPBOOK_TEST_CHILD", cases[i].how, 1);
        expect_failure(good, strcmp(cases[i].how, "hang") ? 0 : 200, EXIT_WRONG, cases[i].word);
    }
    free(library);
}

static void a_broken_library_leaves_the_work_to_clang(void **state)
{
    char *library = file_in(state, "libnvrtc.so.13", "not a library", 0644);
    fake_clang(state, "cat >/dev/null; echo '.version 7.0'; echo '.target sm_70'");
    setenv("WARPBOOK_NVRTC", library, 1);
    for (int call = 0; call < 2; call++) {
        struct compile_request request = request_for(good);
        struct compiled out;
        compile_right(&request, &out);
        assert_int_equal(out.by, COMPILER_CLANG);
        assert_false(out.cached); // so that repairing the library is noticed
        compiled_free(&out);
    }
    struct compiler_state states[3];
    compile_probe(states);
    assert_false(states[0].found);
    assert_non_null(strstr(states[0].advice, "Cannot open NVRTC"));
    free(library);
}

static void the_child_refuses_what_is_no_request(void **state)
{
    char *self = path_self();
    const char *argv[] = { self, "worker", "--compile", NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run(argv, "hello", 5, 10000, &result, &error));
    assert_int_equal(result.status, EXIT_USAGE << 8);
    assert_int_equal(result.out.length, 0);
    child_result_free(&result);
    free(self);
}

// ---- clang -----------------------------------------------------------------------------------------

static void clang_makes_ptx(void **state)
{
    setenv("WARPBOOK_NVRTC", "none", 1);
    NEEDS(COMPILER_CLANG);
    struct compile_request request = request_for(good);
    struct compiled out;
    compile_right(&request, &out);
    assert_int_equal(out.by, COMPILER_CLANG);
    assert_int_equal(out.target, 70);
    assert_null(out.cubin);
    assert_int_equal(out.resource_count, 0);
    assert_int_equal(out.diagnostic_count, 0);
    assert_non_null(strstr(out.ptx, ".target sm_70"));
    assert_non_null(strstr(out.ptx, "\"/kernel/1-fill.cu\""));
    assert_null(strstr(out.ptx, "assets")); // nothing of where the program lies
    assert_true(string_starts(out.compiler, "clang "));
    compiled_free(&out);
}

static void clang_messages_point_into_the_source(void **state)
{
    setenv("WARPBOOK_NVRTC", "none", 1);
    NEEDS(COMPILER_CLANG);
    struct compile_request request = request_for(bad);
    struct compiled out;
    struct error error = { 0 };
    assert_false(compile(&request, &out, &error));
    assert_int_equal(error.code, EXIT_WRONG);
    EXPECT(&error, "kernels/lab/1-fill.cu:4:14: error: ", "\n      out[0] = missing;\n               ^");
    assert_int_equal(out.diagnostics[0].line, 4);
    compiled_free(&out);
}

// What assets/clang declares: every group once, and the instruction that it must become.
static const struct {
    const char *statement, *instruction;
} taught[] = {
    { "i[0] = threadIdx.y + blockIdx.z + blockDim.x + gridDim.y;", "%ctaid.z" },
    { "uint3 t = threadIdx; dim3 b = blockDim; i[0] = t.x + b.z;", "%ntid.z" },
    { "*(float4 *)f = make_float4(1, 2, 3, f[5]);", "st.global.v4.f32" },
    { "*(float4 *)f = ((const float4 *)f)[1];", "ld.global.v4" },
    { "int4 v = ((const int4 *)l)[1]; v.x++; *(int4 *)i = v;", "ld.global.v4.u32" },
    { "__shared__ int s[32]; atomicAdd(&s[*i], 1); __syncthreads(); *i = s[1];", "atom.shared.add.u32" },
    { "extern __shared__ int s[]; s[*i] = 1; __syncthreads(); *i = s[1];", ".extern .shared" },
    { "__syncthreads();", "bar.sync" },
    { "__syncwarp();", "bar.warp.sync" },
    { "*i = __syncthreads_count(*i) + __syncthreads_and(*i) + __syncthreads_or(*i);", "bar.red.popc" },
    { "atomicAdd(f, 1.0f);", "atom.global.add.f32" },
    { "atomicAdd(d, 1.0);", "atom.global.add.f64" },
    { "atomicAdd(l, 1ull); atomicMax(l, 1ull);", "atom.global.max.u64" },
    { "atomicAdd((unsigned *)i, 1u); atomicSub(i, 1);", "atom.global.add.u32" },
    { "atomicMin(i, 1); atomicMax((unsigned *)i, 1u);", "atom.global.min.s32" },
    { "atomicAnd(i, 1); atomicOr(i, 1); atomicXor(i, 1); atomicExch(f, 1.0f);", "atom.global.xor" },
    { "atomicInc((unsigned *)i, 1u); atomicDec((unsigned *)i, 1u);", "atom.inc.u32" },
    { "*i = atomicCAS(i, 1, 2); *l = atomicCAS(l, 1ull, 2ull);", "atom.global.cas.b64" },
    { "*f = __shfl_down_sync(~0u, *f, 4) + __shfl_xor_sync(~0u, *f, 1, 8);", "shfl.sync.bfly.b32" },
    { "*d = __shfl_up_sync(~0u, *d, 1); *l = __shfl_sync(~0u, *l, 0);", "shfl.sync.up.b32" },
    { "*i = __ballot_sync(~0u, *i) + __all_sync(~0u, *i) + __any_sync(~0u, *i);", "vote.sync.ballot.b32" },
    { "*i = __activemask() + __match_any_sync(~0u, *i);", "match.any.sync.b32" },
    { "*i = __reduce_add_sync(~0u, *i) + __reduce_max_sync(0xffu, *i);", "shfl.sync.idx" },
    { "*f = __ldg(f + 1); *i = __ldg(i + 1);", "ld.global.nc" },
    { "__stcs((int4 *)i, __ldcs((const int4 *)l));", "ld.global.cs.v4" },
    { "*i = __popc(*i) + __ffs(*i) + __clz(*i) + __brev(*i);", "popc.b32" },
    { "*i = min(*i, 3) + max(*i, 4) + __umulhi(*i, 5);", "min.s32" },
    { "*f = sqrtf(*f) + rsqrtf(*f) + fabsf(*f) + fminf(*f, 1.0f);", "sqrt.rn.f32" },
    { "*f = fmaf(*f, f[1], f[2]);", "fma.rn.f32" },
    { "*d = sqrt(*d) + fma(*d, *d, *d) + fmax(*d, 1.0);", "sqrt.rn.f64" },
    { "*f = __expf(*f) + __logf(*f) + __sinf(*f) + __cosf(*f);", "sin.approx" },
    { "*f = expf(*f) + logf(*f) + sinf(*f) + powf(*f, 2.5f) + tanhf(*f);", "ex2.approx" },
    { "*f = atan2f(*f, f[1]) + asinf(*f) + acosf(*f) + atanf(*f) + hypot(*f, f[1]);", "sqrt.rn.f32" },
    { "*l = clock64(); __threadfence(); __threadfence_block();", "%clock64" },
    { "*i = warpSize; *f = __int_as_float(*i); if (threadIdx.x > 5) __trap();", "trap" },
    { "printf(\"%d\\n\", *i);", "vprintf" },
    { "assert(*i > 0);", "__assertfail" },
    { "*i = __funnelshift_lc(*i, i[1], i[2]) + __funnelshift_rc(*i, i[1], i[2]);", "shr.u64" },
    { "*i = __sad(*i, i[1], 5u) + __usad(*i, i[1], 5u);", "max.u32" },
    { "__shared__ int s[32]; s[*i] = 1; *l = __cvta_generic_to_shared(&s[*i]);", "st.global.u64" },
    { "half2 h = __floats2half2_rn(*f, f[1]); *f = __half22float2(h * h).y;", "mul.rn.f16" },
    { "half2 h = __floats2half2_rn(*f, f[1]); *f = __low2float(h) * __high2float(h);", "cvt.f32.f16" },
    { "wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b; "
      "wmma::load_matrix_sync(b, (half *)d, 16); *f = b.x[0];",
      "wmma.load.b.sync.aligned.row.m16n16k16.f16" },
};

static void clang_knows_what_teaching_kernels_use(void **state)
{
    setenv("WARPBOOK_NVRTC", "none", 1);
    NEEDS(COMPILER_CLANG);
    struct text source = { 0 };
    text_add(&source,
             "#include <stdint.h>\n#include <cstdio>\n#include <cuda_runtime.h>\n#include <assert.h>\n"
             "#include <cassert>\n#include <cmath>\n#include <climits>\n#include <cstdint>\n"
             "#include <mma.h>\nusing namespace nvcuda;\n");
    for (size_t k = 0; k < sizeof taught / sizeof *taught; k++)
        text_addf(&source,
                  "__global__ void k%zu(int *i, float *f, double *d, unsigned long long *l) { %s }\n", k,
                  taught[k].statement);
    struct compile_request request = request_for(source.data);
    struct compiled out;
    compile_right(&request, &out);
    assert_int_equal(out.diagnostic_count, 0);
    for (size_t k = 0; k < sizeof taught / sizeof *taught; k++)
        if (!strstr(out.ptx, taught[k].instruction))
            fail_msg("no %s from: %s", taught[k].instruction, taught[k].statement);
    compiled_free(&out);
    text_free(&source);
}

// clang takes a barrier for something that touches no static variable; it must not read one before it.
static void clang_keeps_loads_behind_barriers(void **state)
{
    static const char *const barriers[] = { "__syncthreads();", "__syncwarp();", "__threadfence();",
                                            "__threadfence_block();",
                                            "if (__syncthreads_or(out[1])) return;" };
    setenv("WARPBOOK_NVRTC", "none", 1);
    NEEDS(COMPILER_CLANG);
    for (size_t i = 0; i < sizeof barriers / sizeof *barriers; i++) {
        struct text source = { 0 };
        text_addf(&source,
                  "__global__ void k(int *out) {\n    __shared__ int found;\n    int t = threadIdx.x;\n"
                  "    if (t %% 7 == 3)\n        found = 1;\n    %s\n    out[t] = found;\n}\n",
                  barriers[i]);
        struct compile_request request = request_for(source.data);
        struct compiled out;
        compile_right(&request, &out);
        const char *barrier = strstr(out.ptx, i == 1 ? "bar.warp" : i == 2 || i == 3 ? "membar" : "bar.");
        const char *load = strstr(out.ptx, "ld.shared");
        assert_non_null(barrier);
        assert_non_null(load);
        if (load < barrier)
            fail_msg("read before: %s", barriers[i]);
        compiled_free(&out);
        text_free(&source);
    }
}

static void an_old_target_is_clangs(void **state)
{
    NEEDS(COMPILER_CLANG);
    struct compile_request request = request_for(good);
    struct compiled out;
    request.target = 70; // newer NVRTCs refuse it
    compile_right(&request, &out);
    assert_int_equal(out.target, 70);
    compiled_free(&out);
}

static void a_clang_that_misbehaves_is_survived(void **state)
{
    static const struct {
        const char *body, *word;
        int limit_ms;
    } cases[] = {
        { "kill -SEGV $$", "signal 11", 0 },
        { "echo 'bad: thing' >&2; exit 70", "ended with status 70; it said: bad: thing", 0 },
        { "exit 1", "ended with status 1; it said: nothing", 0 },
        { "echo hello", "printed no PTX (6 bytes", 0 },
        { "true", "printed no PTX (0 bytes", 0 },
        { "printf '.version 7.0\\n.target sm_70\\n\\0more'", "printed no PTX", 0 },
        { "exec sleep 100", "did not finish within 0.2 s", 200 },
        { "sleep 100 & wait", "did not finish within 0.2 s", 200 },
        { "yes flood", "did not finish within 0.2 s", 200 },
        { "yes flood >&2", "did not finish within 0.2 s", 200 },
        { "printf '\\033[31mred' >&2; exit 70", "it said: <U+001B>[31mred", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_clang(state, cases[i].body);
        expect_failure(good, cases[i].limit_ms, EXIT_WRONG, cases[i].word);
    }
}

static void a_compile_that_nobody_wants_any_more_ends(void **state)
{
    const atomic_bool stop = true;
    struct compile_request request = request_for(good);
    struct compiled out;
    struct error error = { 0 };
    fake_clang(state, "exec sleep 100");
    request.limit_ms = 600000;
    request.stop = &stop;
    assert_false(compile(&request, &out, &error));
    assert_null(out.ptx);
    EXPECT(&error, "was stopped");
    compiled_free(&out);
}

static void many_errors_are_counted(void **state)
{
    fake_clang(state, "i=1; while [ $i -le 30 ]; do echo \"/kernel/1-fill.cu:$i:1: error: again\" >&2; "
                      "i=$((i + 1)); done; exit 1");
    struct compile_request request = request_for(good);
    struct compiled out;
    struct error error = { 0 };
    assert_false(compile(&request, &out, &error));
    assert_int_equal(out.diagnostic_count, 30);
    EXPECT(&error, "1-fill.cu:8:1: error: again", "\nand 22 more.");
    assert_null(strstr(error.text, "1-fill.cu:9:1:"));
    compiled_free(&out);
}

static void long_errors_do_not_overflow(void **state)
{
    fake_clang(state, "m=$(printf '%01500d' 7); for i in 1 2 3 4 5; do "
                      "echo \"/kernel/1-fill.cu:$i:1: error: $m\" >&2; done; exit 1");
    struct compile_request request = request_for(good);
    struct compiled out;
    struct error error = { 0 };
    assert_false(compile(&request, &out, &error));
    assert_int_equal(out.diagnostic_count, 5);
    EXPECT(&error, "1-fill.cu:2:1: error: 0", "\nand 3 more.");
    compiled_free(&out);
}

// ---- the order of the compilers, and none ----------------------------------------------------------

static void nothing_to_compile_with(void **state)
{
    setenv("WARPBOOK_NVRTC", "none", 1);
    setenv("WARPBOOK_CLANG", "", 1);
    expect_failure(good, 0, EXIT_MISSING, "Install clang");
    struct compiler_state states[3];
    assert_int_equal(compile_probe(states), 3);
    assert_int_equal(states[0].kind, COMPILER_NVRTC);
    assert_false(states[0].found);
    assert_non_null(strstr(states[0].advice, "WARPBOOK_NVRTC is set to 'none'"));
    assert_false(states[1].found);
    assert_int_equal(states[2].kind, COMPILER_SHIPPED);
}

static void a_target_that_nobody_makes(void **state)
{
    struct compile_request request = request_for(good);
    struct compiled out;
    struct error error = { 0 };
    request.target = 30;
    assert_false(compile(&request, &out, &error));
    assert_int_equal(error.code, EXIT_MISSING);
    EXPECT(&error, "Nothing here can compile kernels/lab/1-fill.cu for sm_30.");
    compiled_free(&out);
}

static void shipped_ptx_fits_its_source_only(void **state)
{
    struct text ptx = { 0 };
    struct compile_request request = request_for(good);
    struct compiled out;
    shipped_header(good, "clang 14.0.6 (sm_70)", &ptx);
    text_add(&ptx, ".version 7.0\n.target sm_70\n.visible .entry fill()\n{\n}\n");
    free(file_in(state, "data/assets/ptx/lab/1-fill.ptx", ptx.data, 0644));
    char *data = path_join(*state, "data");
    setenv("WARPBOOK_DATA", data, 1);
    setenv("WARPBOOK_NVRTC", "none", 1);
    setenv("WARPBOOK_CLANG", "none", 1);
    assert_true(ships(request.file, good));
    assert_false(ships(request.file, bad));
    assert_false(ships("kernels/lab/2-other.cu", good));

    compile_right(&request, &out);
    assert_int_equal(out.by, COMPILER_SHIPPED);
    assert_int_equal(out.target, 70);
    assert_string_equal(out.ptx, ptx.data);
    compiled_free(&out);
    request.file = "/home/somebody/own/lab/1-fill.cu"; // the learner's copy, unchanged
    compile_right(&request, &out);
    compiled_free(&out);

    expect_failure(bad, 0, EXIT_MISSING, "was changed");
    request.file = "1-fill.cu";
    struct error error;
    assert_false(compile(&request, &out, &error));
    EXPECT(&error, "No compiled code ships for 1-fill.cu.");
    free(data);
    text_free(&ptx);
}

// ---- the cache, seen from outside ------------------------------------------------------------------

static void count_calls(void **state, const char *body)
{
    // A compiler may open no file to write to, but what is open stays so.
    enum { TALLY = 8 };
    char *path = path_join(*state, "calls");
    struct text script = { 0 };
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_int_equal(dup2(fd, TALLY), TALLY);
    close(fd);
    text_addf(&script, "echo call >&%d\n%s", TALLY, body);
    fake_clang(state, script.data);
    text_free(&script);
    free(path);
}

static size_t calls(void **state)
{
    char *path = path_join(*state, "calls");
    struct text text = { 0 };
    struct error ignored;
    file_read(path, &text, &ignored);
    size_t count = text.length / strlen("call\n");
    text_free(&text);
    free(path);
    return count;
}

static void a_second_call_compiles_nothing(void **state)
{
    count_calls(state, "cat; echo '.version 7.0'; echo '.target sm_70'");
    struct compile_request request = request_for(good);
    for (int call = 0; call < 3; call++) {
        struct compiled out;
        compile_right(&request, &out);
        assert_int_equal(out.cached, call > 0);
        assert_non_null(strstr(out.ptx, "out[i] = i;"));
        assert_string_equal(out.compiler, "clang 1.2.3 (sm_70)");
        compiled_free(&out);
        assert_int_equal(calls(state), 1);
    }
}

static void whatever_matters_compiles_again(void **state)
{
    static const char body[] = "cat; echo '.version 7.0'; echo '.target sm_70'";
    count_calls(state, body);
    struct compile_request request = request_for(good);
    struct compiled out;
    size_t expected = 0;
    for (int change = 0; change < 6; change++) {
        switch (change) {
        case 1:
            request.source = bad;
            break;
        case 2:
            request.target = 90;
            break;
        case 3:
            request.cubin = false;
            break;
        case 4:
            request.file = "other.cu"; // its name stands in the PTX
            break;
        case 5:
            count_calls(state, "true; cat; echo '.version 7.0'; echo '.target sm_70'"); // another compiler
            break;
        }
        compile_right(&request, &out);
        assert_false(out.cached);
        compiled_free(&out);
        assert_int_equal(calls(state), ++expected);
    }
    request.file = "/elsewhere/other.cu";
    compile_right(&request, &out);
    assert_true(out.cached);
    compiled_free(&out);
}

static void errors_are_not_kept(void **state)
{
    count_calls(state, "echo '/kernel/1-fill.cu:1:1: error: no' >&2; exit 1");
    expect_failure(good, 0, EXIT_WRONG, "error: no");
    expect_failure(good, 0, EXIT_WRONG, "error: no");
    assert_int_equal(calls(state), 2);
}

// ---- SASS -------------------------------------------------------------------------------------------

static void sass_from_a_disassembler(void **state)
{
    struct compiled compiled = { .cubin = (void *)"machine code", .cubin_bytes = 12 };
    struct text out = { 0 };
    struct error error;
    free(file_in(state, "bin/nvdisasm",
                 "#!/bin/sh\n[ \"$(cat \"$2\")\" = 'machine code' ] && printf 'MOV\\033 R1\\n'\n", 0755));
    setenv("CUDA_HOME", *state, 1);
    assert_true(disassemble(&compiled, &out, &error));
    assert_string_equal(out.data, "MOV<U+001B> R1\n");
    text_free(&out);
    free(file_in(state, "bin/nvdisasm", "#!/bin/sh\necho 'not a cubin' >&2; exit 9\n", 0755));
    assert_false(disassemble(&compiled, &out, &error));
    EXPECT(&error, "nvdisasm ended with status 9; it said: not a cubin");
    compiled = (struct compiled){ .compiler = "clang 14" };
    assert_false(disassemble(&compiled, &out, &error));
    assert_int_equal(error.code, EXIT_MISSING);
    EXPECT(&error, "clang 14 makes only PTX");
    unsetenv("CUDA_HOME");
}

// ---- the test as its own compiling child ------------------------------------------------------------

static int child_main(void)
{
    const char *how = getenv("WARPBOOK_TEST_CHILD");
    if (!how)
        _exit(compile_child_main());
    struct text answer = { 0 };
    if (!strcmp(how, "crash")) {
        signal(SIGSEGV, SIG_DFL);
        volatile int *volatile nowhere = (volatile int *)16;
        *nowhere = 0; // raise() is refused to a compiler
    } else if (!strcmp(how, "exit")) {
        fputs("no more\n", stderr);
        return 7;
    } else if (!strcmp(how, "again")) { // as from a main() that does not know `worker --compile`
        struct compile_request request = request_for(good);
        struct compiled out;
        struct error error;
        nvrtc_compile(&(struct tools){ .nvrtc = "libnvrtc.so" }, &request, &out, &error);
        fputs(error.text, stderr);
        return 7;
    } else if (!strcmp(how, "nonsense")) {
        puts("warpbook pack 1");
    } else if (!strcmp(how, "hang")) {
        pause();
    } else if (!strcmp(how, "wrong") || !strcmp(how, "cut")) {
        pack_int(&answer, strcmp(how, "cut") ? 99 : OUTCOME_MADE);
        pack_int(&answer, 0);
        pack_string(&answer, "");
        pack_compiled(&answer, &(struct compiled){ .ptx = (char *)"ptx" });
        pack_seal(&answer);
        fwrite(answer.data, 1, strcmp(how, "cut") ? answer.length : answer.length - 1, stdout);
        text_free(&answer);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "worker") && !strcmp(argv[2], "--compile"))
        return child_main();
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_new, folder_remove)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(nvrtc_makes_ptx_cubin_and_resources),
        WITH_FOLDER(nvrtc_points_at_where_a_semicolon_is_missing),
        WITH_FOLDER(nvrtc_without_cubin),
        WITH_FOLDER(nvrtc_takes_the_nearest_older_target),
        WITH_FOLDER(nvrtc_messages_point_into_the_source),
        WITH_FOLDER(nvrtc_warnings_come_with_a_success),
        WITH_FOLDER(too_much_shared_memory_is_explained),
        WITH_FOLDER(nvrtc_has_the_small_headers),
        WITH_FOLDER(a_compile_that_does_not_end_is_stopped),
        WITH_FOLDER(no_compiler_reads_other_files),
        WITH_FOLDER(includes_that_lead_out_are_refused),
        WITH_FOLDER(includes_in_comments_are_none),
        WITH_FOLDER(names_are_not_looked_for_from_the_root),
        WITH_FOLDER(other_includes_are_left_to_the_compiler),
        WITH_FOLDER(a_child_that_misbehaves_is_survived),
        WITH_FOLDER(a_broken_library_leaves_the_work_to_clang),
        WITH_FOLDER(the_child_refuses_what_is_no_request),
        WITH_FOLDER(clang_makes_ptx),
        WITH_FOLDER(clang_messages_point_into_the_source),
        WITH_FOLDER(clang_keeps_loads_behind_barriers),
        WITH_FOLDER(clang_knows_what_teaching_kernels_use),
        WITH_FOLDER(an_old_target_is_clangs),
        WITH_FOLDER(a_clang_that_misbehaves_is_survived),
        WITH_FOLDER(a_compile_that_nobody_wants_any_more_ends),
        WITH_FOLDER(many_errors_are_counted),
        WITH_FOLDER(long_errors_do_not_overflow),
        WITH_FOLDER(nothing_to_compile_with),
        WITH_FOLDER(a_target_that_nobody_makes),
        WITH_FOLDER(shipped_ptx_fits_its_source_only),
        WITH_FOLDER(a_second_call_compiles_nothing),
        WITH_FOLDER(whatever_matters_compiles_again),
        WITH_FOLDER(errors_are_not_kept),
        WITH_FOLDER(sass_from_a_disassembler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
