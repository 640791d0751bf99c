#include "engine/model/model.h"
#include <string.h>
static bool has(const struct sim_instruction *in, const char *m)
{
    for (int i = 0; i < in->modifier_count; i++)
        if (!strcmp(in->modifiers[i], m))
            return true;
    return false;
}
void machine_code_of(const struct sim_instruction *code, size_t count, const void *cubin, size_t cubin_bytes,
                     const struct gpu_figures *gpu, struct machine_code *out)
{
    for (size_t i = 0; i < count; i++) {
        const char *b = code[i].base ? code[i].base : "";
        out[i] = (struct machine_code){
            .known = true, .issues = 1, .latency = (float)gpu->alu_latency, .rank = (int)i
        };
        bool param = !strcmp(b, "ld") && has(&code[i], "param");
        if (!strcmp(b, "mov") || !strcmp(b, "cvta") || param) {
            out[i].issues = 0;
        } else if (code[i].access != SIM_ACCESSES) {
            out[i].on[PIPE_MEMORY] = 1;
        } else if (has(&code[i], "f32"))
            out[i].on[PIPE_FMA] = 1;
        else if (has(&code[i], "f64"))
            out[i].on[PIPE_DOUBLE] = 1;
        else if (!strcmp(b, "mul") || !strcmp(b, "mad"))
            out[i].on[PIPE_MUL] = 1;
        else if (!strcmp(b, "shfl")) {
            out[i].on[PIPE_SHUFFLE] = 1;
            out[i].latency = gpu->shuffle_latency;
        } else
            out[i].on[PIPE_INT] = 1;
    }
}
