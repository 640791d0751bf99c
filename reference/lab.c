// All labs.
#include "reference/lab.h"

#include <string.h>

extern const struct lab lab_vecadd, lab_divergence, lab_coalescing, lab_banks;
extern const struct lab lab_transpose, lab_reduction, lab_histogram, lab_matvec;
extern const struct lab lab_scan, lab_compact, lab_matmul, lab_tensor, lab_softmax, lab_stencil,
    lab_attention;

// The labs in the order in which they are taught.
const struct lab *const lab_list[] = {
    &lab_vecadd,    &lab_divergence, &lab_coalescing, &lab_banks,   &lab_transpose,
    &lab_reduction, &lab_histogram,  &lab_matvec,     &lab_scan,    &lab_compact,
    &lab_matmul,    &lab_tensor,     &lab_softmax,    &lab_stencil, &lab_attention,
};
const size_t lab_count = sizeof lab_list / sizeof *lab_list;

// Labs of host programs, which lie in assets/programs.
static const struct lab_entry programs[] = {
    { "streams", "Copies and kernels at the same time", LAB_PROGRAMS, NULL },
};

size_t lab_entry_count(void)
{
    return lab_count + sizeof programs / sizeof *programs;
}

struct lab_entry lab_entry(size_t index)
{
    if (index >= lab_count)
        return programs[index - lab_count];
    const struct lab *lab = lab_list[index];
    return (struct lab_entry){ lab->name, lab->title, LAB_LADDER, lab };
}

bool lab_entry_find(const char *name, struct lab_entry *out)
{
    for (size_t i = 0; i < lab_entry_count(); i++) {
        *out = lab_entry(i);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}

const struct lab *lab_find(const char *name)
{
    for (size_t l = 0; l < lab_count; l++)
        if (strcmp(lab_list[l]->name, name) == 0)
            return lab_list[l];
    return NULL;
}

bool lab_is_arithmetic(const struct lab *lab)
{
    return lab->ceiling == CEILING_FP32 || lab->ceiling == CEILING_TENSOR;
}

const struct lab_preset *lab_preset_find(const struct lab *lab, const char *name)
{
    for (size_t p = 0; p < LAB_PRESETS && lab->presets[p].name; p++)
        if (strcmp(lab->presets[p].name, name) == 0)
            return &lab->presets[p];
    return NULL;
}

int lab_param_index(const struct lab *lab, const char *name)
{
    for (int p = 0; p < LAB_PARAMS && lab->params[p]; p++)
        if (strcmp(lab->params[p], name) == 0)
            return p;
    return -1;
}
