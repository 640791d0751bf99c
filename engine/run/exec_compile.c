// Compiling a whole program, by nvcc where there is one. Where there is no CUDA Toolkit, clang makes the PTX of its kernels,
// and then the host's part with that PTX in it, for our own runtime. What programs include of CUDA is in assets/runtime and
// assets/clang.
#include "engine/run/exec_parts.h"

#include "engine/compile/compile.h"
#include "engine/run/host.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 96 };

struct clang_build {
    char clang[512];
    char *runtime, *prelude, *own, *folder; // of the headers
    char *ptx, *program, *source;
    const char *argv[WORDS];
    size_t count;
};

static bool find_clang(struct clang_build *build, struct error *error)
{
    struct compiler_state states[3];
    int count = compile_probe(states);
    for (int i = 0; i < count; i++) {
        const struct compiler_state *state = &states[i];
        if (state->kind == COMPILER_CLANG && state->found)
            format_into(build->clang, sizeof build->clang, "%s", state->path);
        else if (state->kind == COMPILER_CLANG && *state->path) // it is there, but something else is not
            return error_set(error, EXIT_MISSING, "%s", state->advice);
    }
    return *build->clang ||
           error_set(error, EXIT_MISSING,
                     "There is neither nvcc of NVIDIA's CUDA Toolkit, in CUDA_HOME/bin, "
                     "/usr/local/cuda/bin or on PATH, nor clang; one of them compiles whole programs.");
}

static void add_words(struct clang_build *build, const char *const *words)
{
    for (; *words && build->count < WORDS - 1; words++)
        build->argv[build->count++] = *words;
    build->argv[build->count] = NULL;
}

static void add_shared_words(struct clang_build *build)
{
    const char *const words[] = {
        build->clang, "--driver-mode=g++", "-x", "cuda", "-std=c++17", "-fdeclspec",
        // No Toolkit's headers but ours, and launches as CUDA 9.2 and later have them.
        "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=11.0",
        "-isystem", build->runtime, "-isystem", build->folder, "-include", build->prelude, "-include",
        build->own, "-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument",
        "-Wno-register", // nvcc still lets old code use the word
        "-fno-color-diagnostics", NULL
    };
    build->count = 0;
    add_words(build, words);
}

// What compilers say of programs that were written for an older CUDA, or that have parts elsewhere, and what helps.
static const char references[] = "Texture references are gone since CUDA 12: make a texture object by "
                                 "cudaCreateTextureObject() and give it to the kernel.",
                  shuffles[] = "Since Volta they are called __shfl_sync(), __ballot_sync() and so on, "
                               "with the lanes that take part as first argument: 0xffffffff for a whole "
                               "warp.",
                  nested[] = "A kernel that launches kernels (dynamic parallelism) needs a GPU to run.",
                  calls_host[] = "A kernel can only call functions that are __device__ or constexpr.",
                  toolkit[] = "Thrust, CUB and libcu++ come with NVIDIA's CUDA Toolkit, whose nvcc is used "
                              "where it is installed; with clang alone they are not there.",
                  of_gpu[] = "This library of NVIDIA's computes on a GPU by code of its own, which the "
                             "simulator does not have.";
static const struct {
    const char *says, *helps;
} hints[] = {
    { "\"cudaThreadSynchronize\"", "CUDA 13 no longer has it; cudaDeviceSynchronize does the same: "
                                   "--flags \"-DcudaThreadSynchronize=cudaDeviceSynchronize\"." },
    { "\"cudaThreadExit\"", "CUDA 13 no longer has it; cudaDeviceReset does the same: "
                            "--flags \"-DcudaThreadExit=cudaDeviceReset\"." },
    { "class \"cudaDeviceProp\" has no member",
      "CUDA 13 has dropped clocks and some other members. cudaDeviceGetAttribute() still has them, "
      "cudaDevAttrClockRate for clockRate; most programs only print them." },
    { "incompatible with parameter of type \"cudaMemLocation\"",
      "CUDA 13 wants the place as a struct: cudaMemLocation to = { cudaMemLocationTypeDevice, 0 }; the "
      "host is cudaMemLocationTypeHost." },
    { "texture is not a template", references },
    { "no template named 'texture'", references },
    { "requires separate compilation mode", "A kernel that launches kernels (dynamic parallelism) needs "
                                            "--flags \"-rdc=true\" to compile, and a "
                                            "GPU to run." },
    { "reference to __global__ function", nested },
    { "reference to __host__ function", calls_host },
    { "not supported on .target", "It is compiled for compute_90, and the simulator has no instructions of "
                                  "newer GPUs." },
    { "helper_cuda.h", "It is one of NVIDIA's cuda-samples: --flags \"-I cuda-samples/Common\"." },
    { "\"__shfl", shuffles },
    { "identifier '__shfl", shuffles },
    { "identifier '__ballot'", shuffles },
    { "identifier '__any'", shuffles },
    { "identifier '__all'", shuffles },
    { "'thrust/", toolkit },
    { "'cub/", toolkit },
    { "'cuda/std/", toolkit },
    { "'curand_kernel.h'", "cuRAND's generators for kernels come with NVIDIA's CUDA Toolkit, whose nvcc is "
                           "used where it is installed." },
    { "'cublas", of_gpu },
    { "'cufft", of_gpu },
    { "'curand", of_gpu },
    { "'cusparse", of_gpu },
    { "'cusolver", of_gpu },
    { "'cudnn", of_gpu },
    { "'nccl", of_gpu },
    { "'npp", of_gpu },
    { "'nvrtc", of_gpu },
    { "'mpi.h'", "Build it by your MPI's compiler for the host (nvcc -ccbin mpicxx -cudart shared), and run "
                 "what comes out." },
    { "undefined reference to `cublas",
      "It needs cuBLAS: --flags \"-lcublas\" links it, but it computes on a GPU only." },
    { "undefined reference to `curand", "It needs cuRAND's host functions: --flags \"-lcurand\" links "
                                        "them, but they compute on a GPU only." },
    { "undefined reference to", "This takes one file. With nvcc, --flags \"b.cu c.cpp\" names the "
                                "others, or build them all and run what "
                                "comes out:\n"
                                "nvcc -rdc=true -cudart shared -arch=compute_80 -o app a.cu b.cu" },
};

static const char *hint_of(const char *said)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(said, hints[i].says))
            return hints[i].helps;
    return NULL;
}

// From the line of the first error on: warnings before it, which may be many, are left out.
static const char *from_error(const char *said)
{
    static const char *const marks[] = { "error", "fatal", "undefined reference" };
    const char *first = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *at = strstr(said, marks[i]);
        if (at && (!first || at < first))
            first = at;
    }
    while (first && first > said && first[-1] != '\n')
        first--;
    return first ? first : said;
}

// What a compiler said, as far as an error has room for it, in whole lines, and what helps.
static bool say_refused(const char *compiler, const struct exec_wish *wish, const char *said,
                        struct error *error)
{
    enum { ROOM = sizeof error->text - 1000 }; // beside the path and the hint
    const char *hint = hint_of(said);
    if (strlen(said) > ROOM)
        said = from_error(said);
    size_t shown = strlen(said);
    const bool cut = shown > ROOM;
    for (shown = cut ? ROOM : shown; cut && shown && said[shown - 1] != '\n';)
        shown--;
    if (cut && !shown) // one long line
        shown = ROOM;
    return error_set(error, EXIT_WRONG, "%s does not compile %s:\n%.*s%s%s%s", compiler, wish->program,
                     (int)shown, said, cut ? "and more" : "", hint ? "\n" : "", hint ? hint : "");
}

static bool run_compiler(const char *compiler, const char *const *argv, const struct exec_wish *wish,
                         struct error *error)
{
    enum { COMPILE_MS = 600000 };
    struct child_result result = { 0 };
    bool good = child_run_on(argv, &(struct child_terms){ .bound = true }, NULL, 0, COMPILE_MS, wish->stop,
                             &result, error);
    if (good && wish->stop && *wish->stop)
        good = error_set(error, EXIT_MISSING, "It was stopped.");
    else if (good && (result.timed_out || !WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0)) {
        char *said = text_clean(text_string(result.err.length ? &result.err : &result.out));
        good = say_refused(compiler, wish, said, error);
        free(said);
    }
    child_result_free(&result);
    return good;
}

// The user's flags come last, so that they prevail, and libraries among them have what the source needs. They are clang's:
// nvcc's are not translated.
static bool compile_with(struct clang_build *build, const char *const *words, const struct exec_wish *wish,
                         struct error *error)
{
    static const char *const none[] = { NULL };
    add_shared_words(build);
    add_words(build, words);
    add_words(build, wish->flags ? (const char *const *)wish->flags : none);
    return run_compiler("clang", build->argv, wish, error);
}

// clang embeds the PTX as it is; the runtime finds its end by a 0.
static bool end_ptx(const struct clang_build *build, struct error *error)
{
    FILE *file = fopen(build->ptx, "ae");
    bool good = file && fputc(0, file) == 0;
    if (file && fclose(file))
        good = false;
    return good || error_set(error, EXIT_MISSING, "%s cannot be written: %s.", build->ptx, strerror(errno));
}

// With nvcc, --flags can name the program's other files; here each would need a PTX of its own.
static bool is_alone(const struct exec_wish *wish, struct error *error)
{
    static const char *const endings[] = { ".cu", ".cpp", ".cc", ".cxx", ".c" };
    for (size_t i = 0; wish->flags && wish->flags[i]; i++)
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
            if (*wish->flags[i] != '-' && string_ends(wish->flags[i], endings[k]))
                return error_set(error, EXIT_MISSING,
                                 "With clang alone a program is one file, and %s is a second one: include it "
                                 "in %s, or install nvcc of NVIDIA's CUDA Toolkit, which compiles several.",
                                 wish->flags[i], wish->program);
    return true;
}

static bool compile_both(struct clang_build *build, const struct exec_wish *wish, const char *libraries,
                         struct error *error)
{
    char *library = text_format("%s/libcudart.so.12", libraries);
    const char *const kernels[] = { "--cuda-device-only",
                                    "--cuda-gpu-arch=sm_80",
                                    "-Xclang",
                                    "-target-feature",
                                    "-Xclang",
                                    "+ptx70",
                                    "-O2",
                                    "-gline-tables-only",
                                    "-fno-builtin-malloc",
                                    "-fno-builtin-free",
                                    "-S",
                                    "-o",
                                    build->ptx,
                                    build->source,
                                    NULL },
                      *const host[] = { "--cuda-host-only",
                                        "-g",
                                        "-Xclang",
                                        "-fcuda-include-gpubinary",
                                        "-Xclang",
                                        build->ptx,
                                        "-o",
                                        build->program,
                                        build->source,
                                        "-x",
                                        "none",
                                        library,
                                        "-lm",
                                        NULL };
    bool good = compile_with(build, kernels, wish, error) && end_ptx(build, error) &&
                compile_with(build, host, wish, error);
    free(library);
    return good;
}

static bool compile_by_clang(const struct exec_wish *wish, const char *folder, const char *libraries,
                             char **program, struct error *error)
{
    struct clang_build build = { .runtime = path_shipped("assets/runtime"),
                                 .folder = path_shipped("assets/clang"),
                                 .prelude = path_shipped("assets/clang/cuda.h"),
                                 .own = path_shipped("assets/runtime/cuda_runtime.h"),
                                 .ptx = path_join(folder, "kernels.ptx"),
                                 .source = path_argument(wish->program) };
    build.program = *program = path_join(folder, "program");
    bool good =
        find_clang(&build, error) && is_alone(wish, error) && compile_both(&build, wish, libraries, error);
    unlink(build.ptx);
    char *paths[] = { build.runtime, build.folder, build.prelude, build.own, build.ptx, build.source };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        free(paths[i]);
    return good;
}

bool exec_compile(const struct exec_wish *wish, const char *folder, const char *libraries, char **program,
                  struct error *error)
{
    char nvcc[PATH_MAX];
    if (!host_nvcc(nvcc, sizeof nvcc))
        return compile_by_clang(wish, folder, libraries, program, error);
    *program = path_join(folder, "program");
    char *source = path_argument(wish->program);
    const char *argv[WORDS] = { nvcc, "-cudart", "shared", "-lineinfo", "-g", "-arch=compute_90",
                                "-o", *program,  source };
    size_t count = 9;
    for (size_t i = 0; wish->flags && wish->flags[i] && count < WORDS - 1; i++)
        argv[count++] = wish->flags[i];
    bool good = run_compiler("nvcc", argv, wish, error);
    free(source);
    return good;
}
