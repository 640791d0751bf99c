// Terms: what their files say, and how they are found.
#include "engine/run/simulation.h"
#include "lessons/lessons.h"
#include "reference/lab.h"
#include "tui/text/text.h"

#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct glossary shipped(void)
{
    struct glossary glossary;
    struct error error;
    if (!glossary_read("lessons/glossary", &glossary, &error))
        fail_msg("%s", error.text);
    return glossary;
}

static const char *first(const struct glossary *glossary, const char *words)
{
    const struct term *found[1];
    return glossary_search(glossary, words, found, 1) ? found[0]->name : "nothing";
}

// A folder with one term of this text; the caller removes it with drop_folder.
static char *folder_with(const char *text)
{
    char *folder = mem_copy("/tmp/warpbook-glossary-XXXXXX");
    assert_non_null(mkdtemp(folder));
    char *path = path_join(folder, "a-term.md");
    struct error error;
    assert_true(file_replace(path, text, strlen(text), &error));
    free(path);
    return folder;
}

static void drop_folder(char *folder)
{
    char *path = path_join(folder, "a-term.md");
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
}

static void a_file_becomes_a_term(void **state)
{
    char *folder =
        folder_with("---\nname: A term\nalso: one, two words ,\n  three\nsee: x, y\ntry: warpbook list\n---\n"
                    "It *is* this.\n\nMore of it.\n");
    struct glossary glossary;
    struct error error;
    assert_true(glossary_read(folder, &glossary, &error));
    assert_int_equal(glossary.count, 1);
    const struct term *term = glossary.list;
    assert_string_equal(term->name, "A term");
    assert_string_equal(term->file, "a-term");
    assert_int_equal(term->also_count, 3);
    assert_string_equal(term->also[1], "two words");
    assert_string_equal(term->also[2], "three");
    assert_int_equal(term->see_count, 2);
    assert_string_equal(term->try, "warpbook list");
    assert_string_equal(term->sentence, "It is this.");
    assert_int_equal(term->block_count, 2);
    glossary_free(&glossary);
    drop_folder(folder);
}

static void errors_point(void **state)
{
    static const struct {
        const char *text, *want;
    } wrong[] = {
        { "no front", ":1:1: error: the file starts with" },
        { "---\nalso: x\n---\nText.\n", ":1:1: error: a term starts with 'name'" },
        { "---\nname: x\nnmae: y\n---\nText.\n", ":3:1: error: a term starts with name and try" },
        { "---\nname: x\n---\n# Heading\n", ": error: a term's text starts with the sentence" },
        { "---\nname: x\n---\nText.\n\n```lab\nshow: a\n```\n",
          ":6:1: error: live blocks belong in lessons only" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *folder = folder_with(wrong[i].text);
        struct glossary glossary;
        struct error error;
        assert_false(glossary_read(folder, &glossary, &error));
        if (!strstr(error.text, wrong[i].want))
            fail_msg("%s", error.text);
        drop_folder(folder);
    }
}

static void names_are_found_however_they_are_written(void **state)
{
    struct glossary glossary = shipped();
    static const char *const names[] = { "shared memory", "shared-memory", "Shared_Memory", "SHAREDMEMORY",
                                         "smem",          "__shared__",    "shared" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct term *term = glossary_find(&glossary, names[i]);
        assert_non_null(term);
        assert_string_equal(term->name, "shared memory");
    }
    assert_string_equal(glossary_find(&glossary, "__syncthreads()")->name, "barrier");
    assert_string_equal(glossary_find(&glossary, "<<<>>>")->name, "grid");
    assert_null(glossary_find(&glossary, "sharedmemor"));
    assert_null(glossary_find(&glossary, ""));
    glossary_free(&glossary);
}

static void a_search_finds_the_nearest_first(void **state)
{
    struct glossary glossary = shipped();
    static const struct {
        const char *words, *want;
    } searches[] = {
        { "warp", "warp" },
        { "bank", "bank" },
        { "bank c", "bank conflict" }, // names, starts of names
        { "atomicAdd", "atomic" },
        { "gld_sec", "sector" },
        { "smem", "shared memory" }, // aliases
        { "wrap", "warp" },
        { "coalesing", "coalescing" },
        { "ocupancy", "occupancy" }, // misspellings
        { "syncthread", "barrier" },
        { "divergance", "divergence" },
        { "bandwith", "bandwidth" },
        { "reads a word, changes", "atomic" }, // words in the text
        { "quartiles", "spread" },
        { "xyzzyxyzzy", "nothing" },
    };
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        assert_string_equal(first(&glossary, searches[i].words), searches[i].want);
    glossary_free(&glossary);
}

static void an_empty_search_gives_everything_by_name(void **state)
{
    struct glossary glossary = shipped();
    const struct term *found[300];
    assert_int_equal(glossary_search(&glossary, " ", found, 300), glossary.count);
    for (size_t i = 1; i < glossary.count; i++)
        assert_true(strcasecmp(found[i - 1]->name, found[i]->name) < 0);
    assert_int_equal(glossary_search(&glossary, "a", found, 3), 3);
    glossary_free(&glossary);
}

static void a_search_takes_any_text(void **state)
{
    struct glossary glossary = shipped();
    const struct term *found[5];
    struct text text = { 0 };
    for (int i = 0; i < 5000; i++)
        text_add(&text, i % 7 ? "\xff()" : " -");
    glossary_search(&glossary, text.data, found, 5);
    glossary_search(&glossary, "()", found, 5);
    glossary_search(&glossary, "__", found, 5);
    text_free(&text);
    glossary_free(&glossary);
}

// What `warpbook explain` shows first, and whether it is the whole entry.
static const char *meant(const struct glossary *glossary, const char *words, bool *exact)
{
    const struct term *found[1];
    return terms_meant(glossary, words, found, 1, exact) ? found[0]->name : "nothing";
}

static void words_are_understood(void **state)
{
    static const struct {
        const char *words, *want;
        bool exact;
    } asked[] = {
        { "cudaMemcpy();", "copy", true },
        { "threadIdx.x", "thread", true },
        { "'warp'?", "warp", true },
        { "ld.shared.f32", "load", true },
        { "LDG.E.128.CONSTANT", "vector load", true },
        { "%r127", "virtual register", true },
        { "$L__BB3_14", "branch", true },
        { "smsp__inst_executed.sum.per_second", "lanes per instruction", true },
        { "bank conflit", "bank conflict", false }, // all of the words before one of them
        { "shared memroy", "shared memory", false },
        { "warp shufle", "warp shuffle", false },
        { "memory coalesing", "coalescing", false },
        { "lunch bounds", "launch bounds", false },
        { "conflit", "bank conflict", false },
        { "tread", "thread", false },
        { "syncthread", "barrier", false },
        { "atomicad", "atomic", false },
        { "what is a warp", "warp", false },
        { "x[i] = warp * lane;", "warp", false },
        { "my kernnel hanngs", "kernel", false }, // no words together: each by itself
    };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        bool exact;
        assert_string_equal(meant(&glossary, asked[i].words, &exact), asked[i].want);
        assert_true(exact == asked[i].exact);
    }
    glossary_free(&glossary);
}

static void messages_are_recognised(void **state)
{
    static const struct {
        const char *message, *want;
    } seen[] = {
        { "a.cu(1): error: identifier \"blokcIdx\" is undefined", "identifier \"x\" is undefined" },
        { "a.cu(1): error: identifier \"g\" is undefined in device code", "calling a __host__ function" },
        { "a.cu(2): error: expected a \";\"", "expected a \";\"" },
        { "At end of source: error: expected a \"}\"", "expected a \";\"" },
        { "a.cu(1): error: too few arguments in function call", "too few arguments in function call" },
        { "error: no instance of overloaded function \"atomicMax\" matches the argument list",
          "no instance of overloaded function" },
        { "error: argument of type \"int *\" is incompatible with parameter of type \"float *\"",
          "wrong type" },
        { "calling a __host__ function(\"h()\") from a __global__ function(\"k\") is not allowed",
          "calling a __host__ function" },
        { "ptxas error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)",
          "uses too much shared data" },
        { "warning #177-D: variable \"u\" was declared but never referenced",
          "declared but never referenced" },
        { "error: expression must have pointer-to-object type but it has type \"float\"",
          "expression must have pointer-to-object type" },
        { "ptxas fatal   : Unresolved extern function '_Z1ff'", "name mangling" },
        { "CUDA error: an illegal memory access was encountered", "illegal memory access" },
        { "cudaErrorIllegalAddress", "illegal memory access" },
        { "cudaErrorLaunchOutOfResources", "too many resources requested for launch" },
        { "cudaErrorNoDevice: no CUDA-capable device is detected", "no CUDA-capable device is detected" },
        { "cudaErrorLaunchTimeout", "launch timed out" },
        { "cudaErrorInvalidConfiguration", "invalid configuration argument" },
        { "error: expression must have integral or unscoped enum type",
          "expression must have integral or unscoped enum type" },
        { "error: expression must have class type but it has type \"float\"",
          "expression must have class type" },
        { "error: operator -> or ->* applied to \"int\" instead of to a pointer type",
          "expression must have class type" },
        { "error: return value type does not match the function type",
          "return value type does not match the function type" },
        { "error: a break statement may only be used within a loop or switch",
          "a break statement may only be used within a loop or switch" },
        { "error: label \"end\" was referenced but not defined",
          "a break statement may only be used within a loop or switch" },
        { "error: invalid octal digit", "invalid octal digit" },
        { "error: linkage specification is incompatible with previous \"k\" (declared at line 4)",
          "linkage specification is incompatible" },
        { "error: this operator is not allowed in a constant expression",
          "expression must have a constant value" },
        { "error: declaration is incompatible with \"float a[]\" (declared at line 7)",
          "has already been declared in the current scope" },
        { "error: device code does not support exception handling", "device code does not support this" },
        { "error: const variable \"m\" requires an initializer", "requires an initializer" },
        { "error: the #endif for this directive is missing", "the #endif for this directive is missing" },
        { "error: operand of \"*\" must be a pointer but has type \"int\"",
          "expression must have pointer-to-object type" },
        { "warpbook: a.cu:3:12: error: k takes 1 argument, and here are 2",
          "too few arguments in function call" },
        { "error: calling a __device__ function(\"f(int)\") from a __host__ function(\"main\") is not "
          "allowed",
          "calling a __host__ function" },
        { "warning #20091-D: a __device__ variable \"d\" cannot be directly read in a host function",
          "device variable" },
        { "nvcc fatal   : Unsupported gpu architecture 'compute_50'", "unsupported GPU architecture" },
        { "nvrtc: error: invalid value for --gpu-architecture (-arch)", "unsupported GPU architecture" },
    };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        bool exact;
        assert_string_equal(meant(&glossary, seen[i].message, &exact), seen[i].want);
        assert_true(exact);
    }
    glossary_free(&glossary);
}

static void must_find(const struct glossary *glossary, const char *name)
{
    if (!glossary_find(glossary, name))
        fail_msg("no term explains '%s'", name);
}

// An error's number leads to the error, a number among other words does not.
static void numbers_of_errors_are_known(void **state)
{
    static const struct {
        const char *words, *want;
    } asked[] = {
        { "700", "illegal memory access" },
        { "error 700", "illegal memory access" },
        { "CUDA error: 716", "misaligned address" },
        { "cuda error 9", "invalid configuration argument" },
        { "error code 719", "unspecified launch failure" },
        { "cudaError(2)", "out of memory" },
    };
    static const char *const others[] = { "9", "700 800",   "error 31337",  "error",
                                          "",  "700 warps", "123456789012", "cuda" };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        bool exact;
        assert_string_equal(meant(&glossary, asked[i].words, &exact), asked[i].want);
        assert_true(exact);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(glossary_number(&glossary, others[i]));
    glossary_free(&glossary);
}

// A metric that is no name of its own leads to the longest name within it, a stall to its reason.
static void metrics_are_known_by_their_parts(void **state)
{
    static const struct {
        const char *metric, *want;
    } asked[] = {
        { "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", "long scoreboard" },
        { "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued", "long scoreboard" },
        { "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "barrier stall" },
        { "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", "throttle" },
        { "smsp__average_warps_issue_stalled_something_new.ratio", "stall" },
        { "stall_long_sb", "long scoreboard" },
        { "Stall Barrier", "barrier stall" },
        { "stall_branch_resolve", "stall" },
        { "lts__t_sector_hit_rate.pct", "hit rate" },
        { "l1tex__t_sector_hit_rate.pct", "hit rate" },
        { "smsp__cycles_active.avg", "clock" },
        { "sm__sass_thread_inst_executed_op_dfma_pred_on.sum", "FMA" },
        { "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM" },
        { "pcie__xyzzy_bytes.sum", "PCIe" }, // nothing but the unit is known
    };
    static const char *const others[] = { "",       "__",        "a__",    "_Z1k__warp",     "unknown__",
                                          "warp",   "x__warp y", "q__r_s", "installed_warp", "stallion",
                                          "stalls", "stall" };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        bool exact;
        assert_string_equal(meant(&glossary, asked[i].metric, &exact), asked[i].want);
        assert_true(exact);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(glossary_metric(&glossary, others[i]));
    glossary_free(&glossary);
}

// What lessons recommend, what labs are called, and what one would look for in place of a kernel of one's own.
static void labs_and_libraries_are_terms(void **state)
{
    static const struct {
        const char *words, *want;
    } asked[] = {
        { "CUDA_LAUNCH_BLOCKING", "CUDA_LAUNCH_BLOCKING" },
        { "sticky", "sticky error" },
        { "histogram", "histogram" },
        { "transpose", "transpose" },
        { "prefix sum", "scan" },
        { "thrust", "Thrust" },
        { "cub", "CUB" },
        { "cublas", "cuBLAS" },
        { "gemm", "GEMM" },
        { "gld_efficiency", "nvprof's metrics" },
        { "Executed Ipc Active", "IPC" },
        { "One or More Eligible", "warp scheduler" },
        { "Uncoalesced Shared Accesses", "bank conflict" },
        { "NVRTC_ERROR_COMPILATION", "NVRTC" },
    };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        bool exact;
        assert_string_equal(meant(&glossary, asked[i].words, &exact), asked[i].want);
        assert_true(exact);
    }
    for (size_t i = 0; i < lab_count; i++)
        must_find(&glossary, lab_list[i]->name);
    glossary_free(&glossary);
}

static void names_of_cuda_are_terms(void **state)
{
    static const char *const names[] = {
        "__syncthreads",
        "__syncwarp",
        "__shfl_down_sync",
        "__ballot_sync",
        "__activemask",
        "__reduce_add_sync",
        "__match_any_sync",
        "__popc",
        "__ffs",
        "__ldg",
        "__ldcs",
        "__threadfence",
        "atomicAdd",
        "atomicMax",
        "atomicCAS",
        "atomicExch",
        "<<<>>>",
        "__global__",
        "__device__",
        "__host__",
        "__shared__",
        "__constant__",
        "__restrict__",
        "__launch_bounds__",
        "__noinline__",
        "dim3",
        "threadIdx",
        "blockIdx",
        "blockDim",
        "gridDim",
        "warpSize",
        "float4",
        "cudaMalloc",
        "cudaFree",
        "cudaMemcpy",
        "cudaMemcpyAsync",
        "cudaMemset",
        "cudaMallocHost",
        "cudaMallocManaged",
        "cudaDeviceSynchronize",
        "cudaStreamSynchronize",
        "cudaEventRecord",
        "cudaGetLastError",
        "cudaGetErrorString",
        "cudaFuncSetAttribute",
        "cudaMemcpyToSymbol",
        "cudaGetDeviceProperties",
        "cp.async",
        "clock64",
        "printf",
        "assert",
        "extern \"C\"",
    };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        must_find(&glossary, names[i]);
    glossary_free(&glossary);
}

static void every_counter_is_a_term(void **state)
{
    const struct sim_counters counters = { .warp_inst = 1,
                                           .even = 1 }; // ratios are left out of a run of nothing
    struct glossary glossary = shipped();
    struct record_counters counted;
    record_count(&counted, &counters);
    for (int ncu = 0; ncu < 2; ncu++) {
        json_t *names = record_counters_to_json(&counted, ncu), *value;
        const char *name;
        assert_true(json_object_size(names) > 20);
        json_object_foreach(names, name, value) must_find(&glossary, name);
        json_decref(names);
    }
    glossary_free(&glossary);
}

// "\t@%p1 bra \t$L__BB0_2;": bra. Labels, comments and braces have none.
static char *mnemonic_of(const char *line)
{
    line += strspn(line, " \t{");
    if (*line == '@') {
        line += strcspn(line, " \t");
        line += strspn(line, " \t");
    }
    size_t length = strcspn(line, " \t;\n");
    bool word = islower((unsigned char)*line) || (*line == '.' && isalpha((unsigned char)line[1]));
    return word && line[length] != '\n' ? mem_copy_n(line, length) : NULL;
}

static size_t find_instructions(const struct glossary *glossary, const char *path)
{
    struct text text = { 0 };
    struct error error;
    size_t count = 0;
    if (!file_read(path, &text, &error))
        fail_msg("%s", error.text);
    for (const char *line = text.data; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *mnemonic = mnemonic_of(line);
        if (mnemonic) {
            must_find(glossary, mnemonic);
            count++;
        }
        free(mnemonic);
    }
    text_free(&text);
    return count;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// Below a folder, at any depth.
static size_t find_all(const struct glossary *glossary, const char *folder)
{
    struct dirent **entries = NULL;
    size_t found = 0;
    int count = scandir(folder, &entries, is_visible, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char *path = path_join(folder, entries[i]->d_name);
        found += string_ends(path, ".ptx") ? find_instructions(glossary, path) : find_all(glossary, path);
        free(entries[i]);
        free(path);
    }
    free(entries);
    return found;
}

static void every_ptx_instruction_that_ships_is_a_term(void **state)
{
    struct glossary glossary = shipped();
    assert_true(find_all(&glossary, "assets/ptx") > 5000);
    glossary_free(&glossary);
}

// Which opcodes the labs and the exercises have on sm_80 and sm_90, as nvdisasm of CUDA 13.0 names them.
static void every_opcode_of_the_labs_is_a_term(void **state)
{
    static const char opcodes[] =
        "ATOMS ATOMS.POPC.INC.32 BAR BAR.SYNC.DEFER_BLOCKING BRA BRA.CONV BRA.DIV BREAK BSSY BSYNC CALL "
        "CALL.REL.NOINC CCTL CGAERRBAR CS2R DADD DFMA DMUL DMUL.RP DSETP DSETP.NAN.AND ENDCOLLECTIVE ERRBAR "
        "EXIT F2I F2I.FTZ.U32.TRUNC.NTZ FADD FFMA FMUL FSEL FSETP FSETP.GEU.AND HFMA2 HFMA2.MMA I2F I2F.F64 "
        "I2F.RP I2FP IABS IADD3 IADD3.X IMAD IMAD.HI.U32 IMAD.IADD IMAD.MOV.U32 IMAD.SHL.U32 IMAD.WIDE.U32 "
        "IMNMX ISETP ISETP.GE.U32.AND LDC LDC.64 LDG LDG.E.128.CONSTANT LDG.E.U8.CONSTANT LDS LDS.128 LEA "
        "LEA.HI.X.SX32 LEPC LOP3 LOP3.LUT MEMBAR MOV MUFU.RCP MUFU.RCP64H NOP P2R PLOP3.LUT POPC PRMT R2UR "
        "RED.E.ADD.STRONG.GPU REDG.E.ADD.STRONG.GPU REDUX REDUX.SUM RET.REL.NODEC S2R S2UR SEL SHF.L.U32 "
        "SHF.R.S32.HI SHFL.DOWN STG STG.E.128 STL STS STS.64 UFLO.U32 UIADD3.X UIMAD.WIDE UISETP.GT.AND ULDC "
        "ULDC.64 ULEA.HI ULOP3.LUT UMOV UPOPC USEL USHF.R.U32.HI VIADD VIADDMNMX.U32 VIMNMX VIMNMX3 VOTE "
        "VOTEU.ANY WARPSYNC WARPSYNC.ALL WARPSYNC.COLLECTIVE YIELD";
    struct glossary glossary = shipped();
    for (const char *at = opcodes; *at; at += strcspn(at, " "), at += *at == ' ') {
        char *opcode = mem_copy_n(at, strcspn(at, " "));
        must_find(&glossary, opcode);
        free(opcode);
    }
    glossary_free(&glossary);
}

static void links_lead_back(void **state)
{
    struct glossary glossary = shipped();
    const struct term *from[50];
    size_t count = glossary_links(&glossary, glossary_find(&glossary, "bank"), from, 50);
    bool conflict = false;
    for (size_t i = 0; i < count; i++) {
        conflict = conflict || strcmp(from[i]->name, "bank conflict") == 0;
        assert_string_not_equal(from[i]->name, "bank");
    }
    assert_true(conflict);
    glossary_free(&glossary);
}

static size_t lines_of(const char *path)
{
    struct text text = { 0 };
    struct error error;
    size_t count = 0;
    assert_true(file_read(path, &text, &error));
    const char *body = strstr(text.data + 3, "\n---\n");
    assert_non_null(body);
    const char *comment = strstr(body, "\n\n<!--"); // where its numbers come from: nobody is shown that
    for (body += 5; *body && body != comment; body++)
        count += *body == '\n';
    text_free(&text);
    return count;
}

static void what_ships_is_short(void **state)
{
    static const char *const needed[] = {
        "warp",          "lane",      "sector",        "request",       "coalescing", "bank",
        "bank conflict", "wavefront", "shared memory", "global memory", "L1",         "L2",
        "occupancy",     "register",  "block",         "grid",          "thread",     "kernel",
        "barrier",       "atomic",    "divergence",    "bandwidth",     "roofline",   "spread",
    };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_non_null(glossary_find(&glossary, needed[i]));
    for (size_t i = 0; i < glossary.count; i++) {
        const struct term *term = &glossary.list[i];
        char path[200];
        format_into(path, sizeof path, "lessons/glossary/%s.md", term->file);
        if (lines_of(path) > 20)
            fail_msg("%s has more than 20 lines", path);
        assert_true(strlen(term->sentence) <= 200);
        assert_true(term->try && string_starts(term->try, "warpbook "));
        if (string_starts(term->try, "warpbook explain")) // another text shows nothing live
            fail_msg("%s shows nothing live", path);
    }
    glossary_free(&glossary);
}

// Names in Chinese lead to their terms as a whole, in part and within a sentence, and to nothing by a few equal bytes.
static void names_in_chinese_are_found(void **state)
{
    static const char *const cases[][2] = {
        { "合并", "coalescing" },         { "合并访存", "coalescing" },      { "线程束", "warp" },
        { "共享内存", "shared memory" },  { "存储体冲突", "bank conflict" }, { "原子", "atomic" },
        { "线程束发散", "divergence" },   { "归约", "tree reduction" },      { "占用率", "occupancy" },
        { "锁页内存", "pinned memory" },  { "CUDA核心", "CUDA core" },       { "核函数", "kernel" },
        { "延迟隐藏", "latency hiding" },
    };
    struct glossary glossary = shipped();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(first(&glossary, cases[i][0]), cases[i][1]) != 0)
            fail_msg("%s leads to %s", cases[i][0], first(&glossary, cases[i][0]));
    assert_string_equal(first(&glossary, "线性"), "nothing"); // 线程 begins with the same three bytes
    assert_null(glossary_near(&glossary, "合成"));
    glossary_free(&glossary);
}

static bool is_chinese(const char *text)
{
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at >= 0xe4 &&
            (unsigned char)*at <= 0xe9) // the first byte of U+4E00 to U+9FFF in UTF-8
            return true;
    return false;
}

// Names that are the same in Chinese, words of warpbook's own, and words of NVIDIA's tools and compilers that Chinese
// texts leave in English. Whoever adds a term gives it a Chinese name, or a place here.
static const char *const without_chinese[] = {
    "cvta",
    "dim3",
    "NVTX",
    "OpenMP",
    "RED instruction",
    "CUDA_LAUNCH_BLOCKING", // names
    "finding",
    "ideal",
    "ladder",
    "lanes per instruction",
    "recorded result",
    "variant",
    "workbook", // warpbook's own
    "swizzle",
    "throttle",                                                   // left in English
    "a break statement may only be used within a loop or switch", // what a compiler says
};

// Each of the others has one, and leads there by it; those without one are found by their English name.
static void terms_have_chinese_names(void **state)
{
    struct glossary glossary = shipped();
    size_t without = 0, listed = sizeof without_chinese / sizeof *without_chinese;
    for (size_t i = 0; i < glossary.count; i++) {
        const struct term *term = &glossary.list[i];
        bool is_listed = false, named = false;
        for (size_t j = 0; j < listed; j++)
            is_listed |= strcmp(term->name, without_chinese[j]) == 0;
        for (size_t j = 0; j < term->also_count; j++) {
            named |= is_chinese(term->also[j]);
            if (is_chinese(term->also[j]) && glossary_find(&glossary, term->also[j]) != term)
                fail_msg("%s does not lead to %s", term->also[j], term->name);
        }
        if (named == is_listed)
            fail_msg("%s %s", term->name, named ? "has a Chinese name now" : "has no Chinese name");
        if (glossary_find(&glossary, term->name) != term)
            fail_msg("%s does not lead to itself", term->name);
        without += !named;
    }
    assert_int_equal(without, listed);
    glossary_free(&glossary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_a_term),
        cmocka_unit_test(errors_point),
        cmocka_unit_test(names_are_found_however_they_are_written),
        cmocka_unit_test(a_search_finds_the_nearest_first),
        cmocka_unit_test(an_empty_search_gives_everything_by_name),
        cmocka_unit_test(a_search_takes_any_text),
        cmocka_unit_test(words_are_understood),
        cmocka_unit_test(messages_are_recognised),
        cmocka_unit_test(numbers_of_errors_are_known),
        cmocka_unit_test(metrics_are_known_by_their_parts),
        cmocka_unit_test(labs_and_libraries_are_terms),
        cmocka_unit_test(names_of_cuda_are_terms),
        cmocka_unit_test(every_counter_is_a_term),
        cmocka_unit_test(every_ptx_instruction_that_ships_is_a_term),
        cmocka_unit_test(every_opcode_of_the_labs_is_a_term),
        cmocka_unit_test(links_lead_back),
        cmocka_unit_test(what_ships_is_short),
        cmocka_unit_test(names_in_chinese_are_found),
        cmocka_unit_test(terms_have_chinese_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
