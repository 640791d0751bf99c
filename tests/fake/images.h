// The names of the kernels in a PTX text or a CUBIN, for the stand-in driver. Included by cuda.c alone.
#ifndef WARPBOOK_TESTS_IMAGES_H
#define WARPBOOK_TESTS_IMAGES_H

#include "tests/fake/state.h"

static void function_add(struct CUmod_st *module, const char *name, size_t length)
{
    struct CUfunc_st *function = calloc(1, sizeof *function);
    char *copied = strndup(name, length);
    if (function == NULL || copied == NULL)
        abort();
    function->name = copied;
    function->next = module->functions;
    module->functions = function;
}

static void ptx_read(struct CUmod_st *module, const char *text)
{
    while ((text = strstr(text, ".entry")) != NULL) {
        text += strlen(".entry");
        text += strspn(text, " \t\n");
        function_add(module, text, strcspn(text, "( \t\n"));
    }
}

static uint64_t number_at(const unsigned char *bytes, size_t offset, size_t size)
{
    uint64_t number = 0;
    memcpy(&number, bytes + offset, size);
    return number;
}

// A CUBIN is a 64-bit ELF file with a section .text.NAME for every kernel. Its size is not told, so its own
// numbers are believed, as the driver does.
static void elf_read(struct CUmod_st *module, const unsigned char *image)
{
    const unsigned char *sections = image + number_at(image, 0x28, 8);
    uint64_t each = number_at(image, 0x3a, 2), count = number_at(image, 0x3c, 2),
             names = number_at(image, 0x3e, 2);
    const char *strings = (const char *)image + number_at(sections, names * each + 0x18, 8);
    for (uint64_t i = 0; i < count; i++) {
        const char *name = strings + number_at(sections, i * each, 4);
        if (strncmp(name, ".text.", 6) == 0)
            function_add(module, name + 6, strlen(name + 6));
    }
}

#endif
