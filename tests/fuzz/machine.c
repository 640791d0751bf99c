// What is made of PTX and of the machine code that claims to belong to it: both come from outside. The first two
// bytes say how much of the input is machine code, or that a good one is damaged by the input.
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "engine/model/model.h"

static struct text good_ptx, good_cubin;

int LLVMFuzzerInitialize(int *count, char ***words)
{
    struct error error;
    must(file_read("tests/data/machine/one-block.ptx", &good_ptx, &error));
    must(file_read("tests/data/machine/one-block.cubin", &good_cubin, &error));
    return 0;
}

static void look(const char *ptx, size_t length, const void *cubin, size_t cubin_bytes, bool executed)
{
    struct sim_module *module;
    struct sim_fault fault;
    struct sim_instruction *code;
    if (!sim_module_read(ptx, length, &module, &fault))
        return;
    size_t count = sim_module_instructions(module, &code);
    struct machine_code *machine = mem_new((count + 1) * sizeof *machine);
    uint64_t *executions = mem_new((count + 1) * sizeof *executions);
    for (size_t i = 0; i < count; i++)
        executions[i] = i * 2654435761u % 1000;
    machine_code_of(code, count, executed ? executions : NULL, cubin, cubin_bytes, NULL, machine);
    for (size_t i = 0; i < count; i++) {
        must(machine[i].issues >= 0 && machine[i].issues < 1e12f);
        must(machine[i].rank >= 0 && (size_t)machine[i].rank < count);
        must(machine[i].unrolled >= 0 && machine[i].unrolled <= UNROLLED_PLACES);
    }
    free(executions);
    free(machine);
    free(code);
    sim_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size);
    uint32_t what = bytes_below(&bytes, 4);
    size_t left = (size_t)(bytes.end - bytes.at);
    if (what == 0) { // any PTX, any machine code
        size_t half = left / 2;
        look((const char *)bytes.at, half, bytes.at + half, left - half, true);
    } else if (what == 1) {
        look(good_ptx.data, good_ptx.length, bytes.at, left, true);
    } else { // places in the good one, and what is written there
        char *damaged = mem_copy_n(good_cubin.data, good_cubin.length);
        for (int i = 0; bytes_left(&bytes) && i < 64; i++) {
            uint32_t at = bytes_below(&bytes, (uint32_t)good_cubin.length);
            damaged[at] = (char)bytes_one(&bytes);
        }
        look(good_ptx.data, good_ptx.length, damaged, good_cubin.length, what == 2);
        free(damaged);
    }
    return 0;
}
