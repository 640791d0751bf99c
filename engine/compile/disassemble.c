// SASS, where NVIDIA's disassembler is installed. It reads files only, so the CUBIN goes through a temporary one.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DISASSEMBLE_LIMIT_MS = 20000 };

static bool temporary_write(const struct compiled *compiled, char *path, size_t size, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    format_into(path, size, "%s/warpbook-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        return error_set(error, EXIT_MISSING, "Cannot make a temporary file %s: %s.", path, strerror(errno));
    ssize_t put = write(fd, compiled->cubin, compiled->cubin_bytes);
    if (close(fd) == 0 && put == (ssize_t)compiled->cubin_bytes)
        return true;
    unlink(path);
    return error_set(error, EXIT_MISSING, "Cannot write the temporary file %s.", path);
}

static bool judge(const struct child_result *child, const char *program, struct text *out,
                  struct error *error)
{
    char how[128], said[256];
    if (child->timed_out)
        return error_set(error, EXIT_MISSING, "%s did not finish within %d s.", program,
                         DISASSEMBLE_LIMIT_MS / 1000);
    if (child->status == 0 && child->out.length) {
        text_add_clean(out, child->out.data, child->out.length);
        return true;
    }
    child_describe(child->status, how, sizeof how);
    compiled_log_excerpt(text_string(&child->err), said, sizeof said);
    return error_set(error, EXIT_MISSING, "%s %s; it said: %s", program, how, said);
}

bool disassemble(const struct compiled *compiled, struct text *out, struct error *error)
{
    char program[PATH_ROOM], path[PATH_ROOM];
    const char *option = "-c"; // of nvdisasm: code only
    struct child_result child;
    struct tools tools;
    if (!compiled->cubin)
        return error_set(
            error, EXIT_MISSING,
            "SASS needs machine code, and %s makes only PTX. NVRTC of NVIDIA's CUDA Toolkit makes both.",
            compiled->compiler[0] ? compiled->compiler : "the compiler that is here");
    if (!tools_find_program("nvdisasm", program, sizeof program)) {
        option = "-sass";
        if (!tools_find_program("cuobjdump", program, sizeof program))
            return error_set(
                error, EXIT_MISSING,
                "SASS needs nvdisasm or cuobjdump of NVIDIA's CUDA Toolkit; neither is in CUDA_HOME/bin, "
                "/usr/local/cuda/bin or on PATH.");
    }
    tools_find(&tools);
    if (!temporary_write(compiled, path, sizeof path, error))
        return false;
    char *file = realpath(path, NULL); // the tool runs in another folder, and $TMPDIR may be any word
    const char *argv[] = { program, option, file ? file : path, NULL };
    struct confinement *confinement =
        tools_confinement(program, false, (const char *const[]){ argv[2], NULL });
    bool right =
        tools_run(&tools, argv, confinement, &(struct text){ 0 }, DISASSEMBLE_LIMIT_MS, NULL, &child, error);
    confinement_free(confinement);
    free(file);
    if (right) {
        right = judge(&child, program, out, error);
        child_result_free(&child);
    }
    unlink(path);
    return right;
}
