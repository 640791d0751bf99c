// What is there, for doctor: every kind of compiler with its version, its place and its targets, or with what to
// do when it is missing.
#include "engine/compile/parts.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static void advise(struct compiler_state *state, const char *variable, const char *otherwise)
{
    const char *given = getenv(variable);
    if (given)
        format_into(state->advice, sizeof state->advice,
                    "%s is set to '%s', which names no file; unset it to search.", variable, given);
    else
        format_into(state->advice, sizeof state->advice, "%s", otherwise);
}

static void probe_nvrtc(const struct tools *tools, struct compiler_state *out)
{
    struct error error;
    out->kind = COMPILER_NVRTC;
    format_into(out->path, sizeof out->path, "%s", tools->nvrtc);
    if (!tools->nvrtc[0])
        advise(out, "WARPBOOK_NVRTC",
               "libnvrtc.so was not found under CUDA_HOME, CUDA_PATH, LD_LIBRARY_PATH, the loader's list, "
               "CONDA_PREFIX, "
               "/usr/local/cuda*, /opt/cuda. It comes with NVIDIA's CUDA Toolkit; if it lies elsewhere, set "
               "WARPBOOK_NVRTC to its path.");
    else if (service_describe(tools->nvrtc, out, &error))
        out->found = true;
    else
        format_into(out->advice, sizeof out->advice, "%.500s", error.text);
}

static void probe_clang(const struct tools *tools, struct compiler_state *out)
{
    struct error error;
    out->kind = COMPILER_CLANG;
    format_into(out->path, sizeof out->path, "%s", tools->clang);
    if (!tools->clang[0])
        advise(out, "WARPBOOK_CLANG",
               "No clang is on PATH. Install it (apt install clang, dnf install clang, pacman -S clang, "
               "zypper install "
               "clang), or set WARPBOOK_CLANG to its path.");
    else if (!tools->prelude[0] || !tools->headers[0])
        format_into(out->advice, sizeof out->advice,
                    "clang is here, but warpbook's own assets/clang/cuda.h and "
                    "assets/include are not; install warpbook again.");
    else if (clang_describe(tools->clang, out->version, sizeof out->version, &error))
        out->found = true;
    else
        format_into(out->advice, sizeof out->advice, "%.500s", error.text);
    out->targets[0] = CLANG_TARGET;
    out->target_count = out->found;
}

static int count_in(const char *folder, const char *ending, int depth)
{
    struct dirent *found;
    int count = 0;
    DIR *stream = opendir(folder);
    while (stream && (found = readdir(stream))) {
        if (found->d_name[0] == '.')
            continue;
        char *path = path_join(folder, found->d_name);
        count += string_ends(path, ending);
        if (depth > 0)
            count += count_in(path, ending, depth - 1);
        free(path);
    }
    if (stream)
        closedir(stream);
    return count;
}

static void probe_shipped(struct compiler_state *out)
{
    char *folder = path_shipped("assets/ptx");
    int count = folder ? count_in(folder, ".ptx", 1) : 0;
    out->kind = COMPILER_SHIPPED;
    format_into(out->path, sizeof out->path, "%s", folder ? folder : "");
    out->found = count > 0;
    if (out->found)
        format_into(out->version, sizeof out->version, "%d kernel files", count);
    else
        format_into(out->advice, sizeof out->advice, "No compiled kernels ship here; make ptx builds them.");
    out->targets[0] = CLANG_TARGET;
    out->target_count = out->found;
    free(folder);
}

int compiler_probe(struct compiler_state out[3])
{
    struct tools tools;
    tools_find(&tools);
    memset(out, 0, 3 * sizeof *out);
    probe_nvrtc(&tools, &out[0]);
    probe_clang(&tools, &out[1]);
    probe_shipped(&out[2]);
    return 3;
}
