// Allocations that fail (no_memory.h): compiles, by a script in the place of clang, by a child that answers for NVRTC, from
// the PTX that ships, and refused ones; the child itself, where NVRTC is; machine code as text; what doctor asks.
#include <fcntl.h>
#include <sys/stat.h>

#include "engine/compile/parts.h"
#include "tests/child.h"
#include "tests/unit/no_memory.h"

static const char source[] = "__global__ void fill(int *out)\n"
                             "{\n"
                             "    out[threadIdx.x] = 1;\n"
                             "}\n";
static const char ptx[] = ".version 7.0\n.target sm_70\n.visible .entry fill()\n{\n}\n";

// ---- a folder with scripts in it ----------------------------------------------------------------------

static char *folder;

static void put(const char *name, const char *text, mode_t mode)
{
    struct error error;
    char *path = path_join(folder, name), *slash = strrchr(path, '/');
    *slash = 0;
    assert_true(folder_make(path, &error));
    *slash = '/';
    assert_true(file_replace(path, text, strlen(text), &error));
    assert_int_equal(chmod(path, mode), 0);
    free(path);
}

static void set_path(const char *variable, const char *name)
{
    char *path = path_join(folder, name);
    setenv(variable, path, 1);
    free(path);
}

// A result that is kept would be no compile at the next try.
static int folder_new(void **state)
{
    folder = mem_copy("/tmp/warpbook-no-memory-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("WARPBOOK_CACHE", folder, 1);
    setenv("WARPBOOK_CACHE_LIMIT", "0", 1);
    setenv("WARPBOOK_NVRTC", "none", 1);
    setenv("WARPBOOK_CLANG", "none", 1);
    unsetenv("CUDA_HOME");
    unsetenv("WARPBOOK_DATA");
    unsetenv("WARPBOOK_TEST_CHILD");
    return 0;
}

static int folder_remove(void **state)
{
    const char *argv[] = { "rm", "-rf", folder, NULL };
    struct child_result result;
    struct error error;
    assert_true(child_run(argv, NULL, 0, 10000, &result, &error));
    child_result_free(&result);
    free(folder);
    return 0;
}

static void put_clang(const char *body)
{
    struct text script = { 0 };
    text_addf(&script,
              "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'Test clang version 1.2.3'; exit; }\n%s\n", body);
    put("clang", script.data, 0755);
    set_path("WARPBOOK_CLANG", "clang");
    text_free(&script);
}

// ---- compiles -----------------------------------------------------------------------------------------

static bool made_from(const char *text, enum compiler by, struct error *error)
{
    struct compile_request request = { .file = "kernels/lab/1-fill.cu", .source = text, .target = 80 };
    struct compiled out;
    bool made = compile(&request, &out, error);
    if (made && (out.by != by || !strstr(out.ptx, "fill")))
        made = error_set(error, EXIT_RIGHT, "Another result came.");
    compiled_free(&out);
    return made;
}

static bool made_by_clang(struct error *error)
{
    return made_from(source, COMPILER_CLANG, error);
}

static bool made_by_nvrtc(struct error *error)
{
    return made_from(source, COMPILER_NVRTC, error);
}

static bool taken_from_what_ships(struct error *error)
{
    return made_from(source, COMPILER_SHIPPED, error);
}

// True: refused for a reason.
static bool refused(const char *text, const char *reason, struct error *error)
{
    bool made = made_from(text, COMPILER_CLANG, error);
    return !made && strstr(error->text, reason) ? error->text[0] = 0, true : false;
}

static bool explained(struct error *error)
{
    return refused(source, "no such thing", error);
}

static bool kept_out(struct error *error)
{
    return refused("#define F \"/etc/passwd\"\n#include F\n#include \"../x.h\"\n", "cannot be included",
                   error);
}

static bool disassembled(struct error *error)
{
    struct compiled compiled = { .cubin = (void *)"machine code", .cubin_bytes = 12 };
    struct text out = { 0 };
    bool done = disassemble(&compiled, &out, error);
    if (done && !strstr(text_string(&out), "MOV"))
        done = error_set(error, EXIT_RIGHT, "Another text came.");
    text_free(&out);
    return done;
}

static bool probed(struct error *error)
{
    struct compiler_state states[3];
    return compile_probe(states) == 3;
}

// ---- NVRTC's child ------------------------------------------------------------------------------------

// This program as its own child: it answers as NVRTC would.
static int answer_for_nvrtc(void)
{
    struct text answer = { 0 };
    struct error none = { 0 };
    pack_answer(&answer, OUTCOME_MADE, &(struct compiled){ .ptx = (char *)ptx, .by = COMPILER_NVRTC }, &none);
    pack_seal(&answer);
    bool written = fwrite(answer.data, answer.length, 1, stdout) == 1 && fflush(stdout) == 0;
    text_free(&answer);
    return written ? EXIT_RIGHT : EXIT_MISSING;
}

static struct tools tools; // with the path of the real NVRTC
static struct text asked;

// The child itself. Its answer comes after the request in one file, since it closes all descriptors but the first three.
static bool child_served(struct error *error)
{
    char answer[65536];
    struct unpack in;
    struct compiled out = { 0 };
    enum compile_outcome outcome = OUTCOME_FAILED;
    int file = memfd_create("pipes", MFD_CLOEXEC);
    off_t asks = (off_t)asked.length;
    bool fine = write(file, asked.data, asked.length) == asks && lseek(file, 0, SEEK_SET) == 0 &&
                dup2(file, STDIN_FILENO) >= 0 && dup2(file, STDOUT_FILENO) >= 0 &&
                compile_child_main() == EXIT_RIGHT && lseek(STDIN_FILENO, asks, SEEK_SET) == asks;
    ssize_t length = fine ? read(STDIN_FILENO, answer, sizeof answer) : -1;
    if (length <= 0)
        return error_set(error, EXIT_MISSING, "The child ended with an error.");
    (void)unpack_open(&in, answer, (size_t)length);
    if (!unpack_answer(&in, &out, &outcome, error) && !error->text[0])
        error_set(error, EXIT_RIGHT, "The answer cannot be read.");
    fine = outcome == OUTCOME_MADE && strstr(out.ptx, "fill");
    compiled_free(&out);
    return fine;
}

// ---- the tests ----------------------------------------------------------------------------------------

static void a_compile_by_clang_survives(void **state)
{
    struct text body = { 0 };
    text_addf(&body, "cat >/dev/null; printf '%s'", ptx);
    put_clang(body.data);
    text_free(&body);
    survives(made_by_clang, NULL);
}

static void an_error_of_clang_survives(void **state)
{
    put_clang("cat >/dev/null; echo \"/kernel/1-fill.cu:3:5: error: no such thing\" >&2; exit 1");
    survives(explained, NULL);
}

static void a_compile_by_nvrtc_survives(void **state)
{
    put("libnvrtc.so.13", "not a library", 0644);
    set_path("WARPBOOK_NVRTC", "libnvrtc.so.13");
    setenv("WARPBOOK_TEST_CHILD", "1", 1);
    survives(made_by_nvrtc, NULL);
}

static void what_ships_survives(void **state)
{
    struct text shipped = { 0 };
    shipped_header(source, "clang 14.0.6 (sm_70)", &shipped);
    text_add(&shipped, ptx);
    put("data/assets/ptx/lab/1-fill.ptx", shipped.data, 0644);
    set_path("WARPBOOK_DATA", "data");
    text_free(&shipped);
    survives(taken_from_what_ships, NULL);
}

static void includes_that_lead_out_survive(void **state)
{
    survives(kept_out, NULL);
}

static void machine_code_survives(void **state)
{
    put("bin/nvdisasm", "#!/bin/sh\necho 'MOV R1'\n", 0755);
    setenv("CUDA_HOME", folder, 1);
    survives(disassembled, NULL);
}

static void what_doctor_asks_survives(void **state)
{
    put_clang("exit 1");
    survives(probed, NULL);
}

static void the_child_of_nvrtc_survives(void **state)
{
    unsetenv("WARPBOOK_NVRTC");
    tools_find(&tools);
    if (!tools.nvrtc[0])
        skip();
    pack_int(&asked, 0); // a compile, as nvrtc.c packs it
    pack_string(&asked, tools.nvrtc);
    pack_request(&asked, &(struct compile_request){ .file = "k.cu", .source = source, .target = 80 });
    pack_seal(&asked);
    survives(child_served, NULL);
    text_free(&asked);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "worker") && !strcmp(argv[2], "--compile"))
        _exit(getenv("WARPBOOK_TEST_CHILD") ? answer_for_nvrtc() : compile_child_main());
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_new, folder_remove)
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(a_compile_by_clang_survives),    WITH_FOLDER(an_error_of_clang_survives),
        WITH_FOLDER(a_compile_by_nvrtc_survives),    WITH_FOLDER(what_ships_survives),
        WITH_FOLDER(includes_that_lead_out_survive), WITH_FOLDER(machine_code_survives),
        WITH_FOLDER(what_doctor_asks_survives),      WITH_FOLDER(the_child_of_nvrtc_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
