// Findings in the words of the source: indices of shared arrays, and a kernel's name of what a launch passes.
#include "engine/run/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "//@ param   n = 64\n"
    "//@ buffer  x int[n]\n"
    "//@ buffer  same int[n]\n"
    "//@ launch  k<<<1, 64>>>(x, same, n)\n"
    "#define TILE 32 // a warp's\n"
    "#define SQUARE(x) ((x) * (x))\n"
    "const int PADDED = TILE + 1, ROWS = 4;\n"
    "#define TWICE 8\n"
    "#define TWICE 9\n"
    "__global__ void k(const int *rows, int *same, int n)\n"
    "{\n"
    "    __shared__ int line[66], /* [9][9] */ tile[33] [32], box[2][3][4];\n"
    "    __shared__ int by_name[SIZE][4], by_define[TILE][PADDED];\n"
    "    __shared__ int squared[SQUARE(2)][4], twice[2][TWICE], rows[2][ROWS * 2];\n"
    "    __shared__ float4 vectors[4][8]; struct pair { int a, b; }; __shared__ pair pairs[4][8];\n"
    "}\n";

static void expects(const char *space, const char *buffer, const char *sentence, const char *want)
{
    struct variant variant;
    struct error error;
    struct sim_finding finding = { 0 };
    if (!variant_parse(&variant, NULL, "k.cu", text, &error))
        fail_msg("%s", error.text);
    format_into(finding.space, sizeof finding.space, "%s", space);
    format_into(finding.buffer, sizeof finding.buffer, "%s", buffer);
    format_into(finding.sentence, sizeof finding.sentence, "%s", sentence);
    findings_in_source(&variant, &finding, 1);
    assert_string_equal(finding.sentence, want);
    variant_free(&variant);
}

static void elements_of_shared_arrays_have_their_indices(void **state)
{
    expects("shared", "tile", "reads tile[131], past its end: tile has 9 elements, tile[0] to tile[8].",
            "reads tile[4][3], past its end: tile has 9 elements, tile[0][0] to tile[0][8].");
    expects("shared", "box", "writes box[23] while subbox[23] is read",
            "writes box[1][2][3] while subbox[23] is read");
    expects("shared", "line", "reads line[5]", "reads line[5]");
    expects("shared", "by_name", "reads by_name[5]", "reads by_name[5]"); // its shape is not known
    expects("shared", "by_define", "reads by_define[34]", "reads by_define[1][1]");
    expects("shared", "rows", "reads rows[15]", "reads rows[1][7]");
    expects("shared", "vectors", "reads vectors[44]", "reads vectors[44]"); // of floats
    expects("shared", "pairs", "reads pairs[44]", "reads pairs[44]");
    expects("shared", "squared", "reads squared[5]", "reads squared[5]");
    expects("shared", "twice", "reads twice[9]", "reads twice[9]");
    expects("shared", "tile", "reads tile[-1]", "reads tile[-1]");
}

static void buffers_have_the_name_that_the_kernel_gives_them(void **state)
{
    expects("global", "x", "reads x[64].", "reads x[64]. The kernel gets x as rows.");
    expects("global", "same", "reads same[64].", "reads same[64].");
}

// The longest sentences are those of races between blocks that tell what an update loses.
static void sentences_are_whole(void **state)
{
    char long_one[600] = "", want[660];
    while (strlen(long_one) < 560)
        strcat(long_one, "an update is lost. ");
    format_into(want, sizeof want, "%s The kernel gets x as rows.", long_one);
    expects("global", "x", long_one, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_shared_arrays_have_their_indices),
        cmocka_unit_test(buffers_have_the_name_that_the_kernel_gives_them),
        cmocka_unit_test(sentences_are_whole),
    };
    return cmocka_run_group_tests_name("finding_names", tests, NULL, NULL);
}
