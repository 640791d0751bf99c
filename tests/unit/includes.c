// A kernel cannot learn anything of a foreign file: no spelling of an include brings its bytes, and what comes back is the
// same whether it exists or not. By every compiler that is here, with Landlock and as on a Linux without it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/confine.h"
#include "engine/compile/parts.h"

enum { LANDLOCK_CREATE_RULESET = 444, NO_SUCH_CALL = 38 };
static const char secret[] = "KEEP_THIS_TO_YOURSELF hidden;\n";
static char folder[64], cache[80];

// In each the file's path stands for @, its folder for %, its name for ~.
static const char *const spellings[] = {
    "#include \"@\"",
    "#include <@>",
    "#import \"@\"",
    "#include_next \"@\"",
    "#embed \"@\"",
    "const char bytes[] = {\n#embed \"@\"\n};",
    "%:include \"@\"",
    "?\?=include \"@\"",
    "#inc\\\nlude \"@\"",
    "#inc?\?/\nlude \"@\"",
    "/**/ # /* */ include /* */ \"@\"",
    "#include \"..//../../../../../../../..@\"",
    "#include <../../../../../../../../..@>",
    "#define FILE_ \"@\"\n#include FILE_",
    "#define TEXT(x) #x\n#define PATH(x) TEXT(%/x)\n#include PATH(~)",
    "#line 1 \"%/x.cu\"\n#include \"~\"",
    "# 1 \"%/x.cu\"\n#include \"~\"",
    "#if __has_include(\"@\")\n#error there\n#endif",
    "#define FILE_ \"@\"\n#if __has_include(FILE_)\n#error there\n#endif",
    "#define FILE_ <@>\n#if __has_include(FILE_)\n#error there\n#endif",
    "#define ASKS __has_include\n#if ASKS(\"@\")\n#error there\n#endif",
    "#define ASKS(x) __has_include(x)\n#if ASKS(\"@\")\n#error there\n#endif",
    "#define BOTH(a, b) a##b\n#if BOTH(__has_, include)(\"@\")\n#error there\n#endif",
    "#define BOTH(a, b) a%:%:b\n#define ASKS BOTH(__has_, include)(\"@\")\n#if ASKS\n#error there\n#endif",
    "#define FILE_ \"@\"\n#if __has_include_next(FILE_)\n#error there\n#endif",
    "#define FILE_ \"@\"\n#if __has_embed(FILE_)\n#error there\n#endif",
    "#define FILE_ \"%/\"\n#if __has_include(FILE_)\n#error there\n#endif",
    "#pragma GCC dependency \"@\"",
    "_Pragma(\"GCC dependency \\\"@\\\"\")",
    "#define SAYS(x) _Pragma(#x)\n#define SAY(x) SAYS(x)\n#define WORD dependency\nSAY(GCC WORD \"@\")",
    "#pragma include_alias(\"stdint.h\", \"@\")\n#include \"stdint.h\"",
    "#pragma clang module import \"@\"",
    "__asm__(\".incbin \\\"@\\\"\");",
    "__device__ void f() { asm(\".include \\\"@\\\"\"); }\n__global__ void g() { f(); }",
    "__device__ void f() { asm(\".file 7 \\\"@\\\"\\n.loc 7 1 1;\"); }\n__global__ void g() { f(); }",
    "__device__ void f() { asm(\".incbin \\\"@\\\";\"); }\n__global__ void g() { f(); }",
};
static const char kernel[] = "\nextern \"C\" __global__ void fill(int *out) { out[threadIdx.x] = 1; }\n";

static int folder_open(void **state)
{
    char path[128];
    strcpy(folder, "/tmp/warpbook-includes-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    snprintf(path, sizeof path, "%s/there", folder);
    setenv("WARPBOOK_CACHE", cache, 1);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(secret, file) < 0 || fclose(file) != 0)
        return -1;
    return chmod(path, 0600);
}

static int folder_close(void **state)
{
    struct text command = { 0 };
    text_addf(&command, "rm -rf '%s'", folder);
    int removed = system(text_string(&command)); // NOLINT(cert-env33-c): a folder of ours
    text_free(&command);
    return removed;
}

static char *spell(const char *spelling, const char *name)
{
    struct text text = { 0 };
    for (const char *c = spelling; *c; c++)
        if (*c == '@')
            text_addf(&text, "%s/%s", folder, name);
        else if (*c == '%' && c[1] != ':')
            text_add(&text, folder);
        else if (*c == '~')
            text_add(&text, name);
        else
            text_addf(&text, "%c", *c);
    text_add(&text, kernel);
    return text_take(&text);
}

static void without_landlock(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LANDLOCK_CREATE_RULESET, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | NO_SUCH_CALL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { sizeof code / sizeof *code, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0 || confine_state().landlock != 0)
        _exit(1);
}

// All that comes back, with the file's name replaced. By a child, since a filter stays.
static char *answer(const char *spelling, const char *name, bool cubin, bool walled)
{
    int ends[2];
    struct text said = { 0 };
    char piece[4096];
    ssize_t got;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct compiled out;
        struct error error = { 0 };
        if (!walled)
            without_landlock();
        char *source = spell(spelling, name);
        struct compile_request request = {
            .file = "/kernel/k.cu", .source = source, .target = 90, .cubin = cubin
        };
        bool made = compile(&request, &out, &error);
        text_addf(&said, "%d %s\n%s\n", made, made ? "" : error.text, out.ptx ? out.ptx : "");
        for (size_t i = 0; i < out.diagnostic_count; i++)
            text_addf(&said, "%d: %s\n", out.diagnostics[i].line, out.diagnostics[i].message);
        bool sent = write(ends[1], said.data, said.length) == (ssize_t)said.length;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    while ((got = read(ends[0], piece, sizeof piece)) > 0)
        text_add_n(&said, piece, (size_t)got);
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char *text = text_take(&said);
    for (char *at = text; (at = strstr(at, name)) != NULL; at++)
        for (size_t i = 0; i < strlen(name); i++)
            at[i] = '~';
    return text;
}

static void nothing_is_learned(bool cubin, bool walled)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        char *there = answer(spellings[i], "there", cubin, walled);
        char *not_there = answer(spellings[i], "nones", cubin, walled);
        if (strstr(there, "KEEP_THIS") != NULL || strstr(there, "hidden") != NULL)
            fail_msg("the file's text came back by\n%s\nin: %s", spellings[i], there);
        if (strcmp(there, not_there) != 0)
            fail_msg("of one that exists:\n%s\nof one that does not:\n%s\nby\n%s", there, not_there,
                     spellings[i]);
        free(there);
        free(not_there);
    }
}

// The files of the test itself can be read by who may: else the tests above would hold for any compiler.
static void the_secret_is_there(void **state)
{
    char path[128];
    struct text text = { 0 };
    struct error error;
    snprintf(path, sizeof path, "%s/there", folder);
    assert_true(file_read(path, &text, &error));
    assert_string_equal(text_string(&text), secret);
    text_free(&text);
}

static void choose(const char *nvrtc, const char *clang)
{
    nvrtc != NULL ? setenv("WARPBOOK_NVRTC", nvrtc, 1) : unsetenv("WARPBOOK_NVRTC");
    clang != NULL ? setenv("WARPBOOK_CLANG", clang, 1) : unsetenv("WARPBOOK_CLANG");
}

static void by(bool nvrtc, bool walled)
{
    struct tools tools;
    choose(nvrtc ? NULL : "none", nvrtc ? "none" : NULL);
    tools_find(&tools);
    if (nvrtc ? tools.nvrtc[0] == 0 : tools.clang[0] == 0)
        skip();
    if (confine_state().sanitizer || (walled && confine_state().landlock == 0))
        skip();
    nothing_is_learned(nvrtc, walled);
}

static void by_nvrtc(void **state)
{
    by(true, true);
}

static void by_nvrtc_without_landlock(void **state)
{
    by(true, false);
}

static void by_clang(void **state)
{
    by(false, true);
}

static void by_clang_without_landlock(void **state)
{
    by(false, false);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "worker") == 0 && strcmp(argv[2], "--compile") == 0)
        _exit(compile_child_main());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_secret_is_there),       cmocka_unit_test(by_nvrtc),
        cmocka_unit_test(by_nvrtc_without_landlock), cmocka_unit_test(by_clang),
        cmocka_unit_test(by_clang_without_landlock),
    };
    return cmocka_run_group_tests(tests, folder_open, folder_close);
}
