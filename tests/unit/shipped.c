// The PTX under assets/ptx belongs to the kernels as they are now, and stands in for a compiler where there is
// none. After a change to a kernel, `make ptx` puts this right. And no kernel is wider than where it is shown.
#include "engine/compile/parts.h"
#include "engine/sim/sim.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/ships.h"

#include "kernels/variant.h"
#include "tui/draw/draw.h"

static int set_up(void **state)
{
    glob_t *files = mem_new(sizeof *files);
    static const char *const where[] = { "kernels/*/*.cu", "engine/gpu/*.cu", "assets/gpus/calibrate/*.cu",
                                         "assets/explore/*.cu" };
    bool found = true;
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        char *pattern = path_shipped(where[i]);
        found = found && glob(pattern, i ? GLOB_APPEND : 0, NULL, files) == 0;
        free(pattern);
    }
    *state = files;
    setenv("WARPBOOK_NVRTC", "none", 1);
    setenv("WARPBOOK_CLANG", "", 1);
    return found ? 0 : -1;
}

static int tear_down(void **state)
{
    globfree(*state);
    free(*state);
    return 0;
}

static struct text source_of(const char *path)
{
    struct text source = { 0 };
    struct error error;
    if (!file_read(path, &source, &error))
        fail_msg("%s", error.text);
    return source;
}

static bool compile_as(const char *path, const char *source, struct compiled *out, struct error *error)
{
    struct compile_request request = { .file = path, .source = source, .target = 90, .cubin = true };
    return compile(&request, out, error);
}

static void every_kernel_has_its_own(void **state)
{
    const glob_t *files = *state;
    int wrong = 0;
    for (size_t i = 0; i < files->gl_pathc; i++) {
        struct text source = source_of(files->gl_pathv[i]);
        if (!ships(files->gl_pathv[i], text_string(&source))) {
            print_error("%s: the PTX that ships is missing or of an older version\n", files->gl_pathv[i]);
            wrong++;
        }
        text_free(&source);
    }
    if (wrong)
        fail_msg("assets/ptx does not fit %d of %zu kernels: make ptx", wrong, files->gl_pathc);
}

// lab/name of .../lab/name.cu or .../lab/name.ptx
static void stem(const char *path, char *out, size_t size)
{
    const char *lab = strrchr(path, '/');
    while (lab > path && lab[-1] != '/')
        lab--;
    format_into(out, size, "%.*s", (int)(strrchr(path, '.') - lab), lab);
}

static void no_kernel_no_ptx(void **state)
{
    const glob_t *files = *state;
    char *pattern = path_shipped("assets/ptx/*/*"), wanted[256], there[256];
    glob_t shipped;
    assert_int_equal(glob(pattern, 0, NULL, &shipped), 0);
    for (size_t s = 0; s < shipped.gl_pathc; s++) {
        bool found = false;
        stem(shipped.gl_pathv[s], there, sizeof there);
        for (size_t i = 0; i < files->gl_pathc && !found; i++) {
            stem(files->gl_pathv[i], wanted, sizeof wanted);
            found = strcmp(wanted, there) == 0;
        }
        if (!found)
            fail_msg("%s belongs to no kernel: make ptx", shipped.gl_pathv[s]);
    }
    globfree(&shipped);
    free(pattern);
}

// The folder in which somebody made the PTX is nobody's business, and would change it for everybody.
static void names_no_folder(const char *path, const char *ptx)
{
    int named = 0;
    for (const char *at = ptx; (at = strstr(at, ".file\t1 \"")); named++) {
        at += strlen(".file\t1 \"");
        if (!string_starts(at, "/kernel/"))
            fail_msg("%s: the PTX names the file %.60s", path, at);
    }
    if (named != 1)
        fail_msg("%s: the PTX names %d files", path, named);
}

static void it_stands_in_for_a_compiler(void **state)
{
    const glob_t *files = *state;
    for (size_t i = 0; i < files->gl_pathc; i++) {
        const char *path = files->gl_pathv[i], *at;
        struct text source = source_of(path);
        struct compiled out;
        struct error error;
        struct code_piece name;
        if (!compile_as(path, text_string(&source), &out, &error))
            fail_msg("%s", error.text);
        assert_int_equal(out.by, COMPILER_SHIPPED);
        bool newer = strstr(text_string(&source), "cp.async.") ||   // which are new in sm_80
                     strstr(text_string(&source), "\"mma.sync.") || // in sm_80 with these shapes
                     strstr(text_string(&source), "ldmatrix.");     // in sm_75
        assert_int_equal(out.target, newer ? 80 : 70);
        assert_non_null(strstr(out.ptx, "\n.version 7.0\n")); // what a driver of 2020 can load
        names_no_folder(path, out.ptx);
        at = text_string(&source);
        struct sim_kernels kernels;
        struct sim_fault fault;
        if (!sim_kernels_read(out.ptx, strlen(out.ptx), &kernels, &fault))
            fail_msg("%s: line %d of its PTX: %s", path, fault.line, fault.text);
        while (kernel_next(&at, &name)) {
            size_t k = 0;
            while (k < kernels.count && !piece_is(name, kernels.all[k].name))
                k++;
            if (k == kernels.count && !piece_is(name, "NAME")) // of a macro
                fail_msg("%s: the PTX has no %.*s", path, (int)name.length, name.at);
        }
        sim_kernels_free(&kernels);
        compiled_free(&out);
        text_free(&source);
    }
}

static void a_changed_kernel_has_none(void **state)
{
    const glob_t *files = *state;
    for (size_t i = 0; i < files->gl_pathc; i++) {
        const char *path = files->gl_pathv[i];
        struct text source = source_of(path);
        struct compiled out;
        struct error error;
        text_add(&source, "// changed\n");
        assert_false(compile_as(path, source.data, &out, &error));
        assert_null(out.ptx);
        assert_int_equal(error.code, EXIT_MISSING);
        if (!strstr(error.text, "was changed, so the compiled code that ships does not fit it.") ||
            !strstr(error.text, path) || !strstr(error.text, "Install clang"))
            fail_msg("%s", error.text);
        compiled_free(&out);
        text_free(&source);
    }
}

// On a page of 80 columns, 72 are left beside the numbers of the lines and the marks.
static void no_line_is_too_wide(void **state)
{
    enum { MOST = 72 };
    static const char *const where[] = { "kernels/*/*.cu", "lessons/*/*.cu", "assets/new/*.cu" };
    int wide = 0;
    for (size_t w = 0; w < sizeof where / sizeof *where; w++) {
        char *pattern = path_shipped(where[w]);
        glob_t files;
        assert_int_equal(glob(pattern, 0, NULL, &files), 0);
        for (size_t i = 0; i < files.gl_pathc; i++) {
            struct text source = source_of(files.gl_pathv[i]);
            int line = 1;
            for (const char *at = text_string(&source); *at; line++) {
                size_t length = strcspn(at, "\n");
                if (text_cells_n(at, length) > MOST && ++wide)
                    print_error("%s:%d: %d columns\n", files.gl_pathv[i], line, text_cells_n(at, length));
                at += length + (at[length] == '\n');
            }
            text_free(&source);
        }
        globfree(&files);
        free(pattern);
    }
    if (wide)
        fail_msg("%d lines of kernels have more than %d columns", wide, MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_has_its_own),    cmocka_unit_test(no_kernel_no_ptx),
        cmocka_unit_test(it_stands_in_for_a_compiler), cmocka_unit_test(a_changed_kernel_has_none),
        cmocka_unit_test(no_line_is_too_wide),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
