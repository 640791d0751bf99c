// A launch that is kept, to be stepped through when the program has ended: all that it needs is written into a file, and the
// program ends there.
#include "engine/exec/exec.h"
#include "engine/exec/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(FILE *file, struct kept_piece piece, const void *data, size_t bytes)
{
    piece.bytes = bytes;
    fwrite(&piece, sizeof piece, 1, file);
    fwrite(data, 1, bytes, file);
}

static void put_text(FILE *file, enum kept_kind kind, const char *text)
{
    put(file, (struct kept_piece){ .kind = kind }, text, strlen(text));
}

// Only what has content: the rest may be large, and is nothing.
static void put_block(const struct exec_block *b, void *context)
{
    FILE *file = context;
    size_t bytes = 0;
    bool device = b->kind == MEMORY_DEVICE;
    put(file,
        (struct kept_piece){ .kind = KEPT_BUFFER,
                             .element = (uint32_t)b->element,
                             .address = b->address,
                             .size = b->bytes,
                             .filled = !device },
        b->name, strlen(b->name));
    for (size_t at = 0; at < b->bytes; at += bytes) {
        bool content = sim_memory_has_content(exec.memory, b->address + at, &bytes);
        if (content)
            put(file, (struct kept_piece){ .kind = KEPT_CONTENT, .address = b->address + at }, b->host + at,
                bytes);
        if (!bytes)
            break;
    }
}

static void put_variable(const char *name, const struct sim_module_variable *variable, void *context)
{
    put_text(context, KEPT_VARIABLE, name);
    put(context, (struct kept_piece){ .kind = KEPT_VALUE }, variable->at, variable->bytes);
}

static void put_image(const struct sim_image *image, bool destroyed, void *context)
{
    struct kept_image kept = { .at = image->at,
                               .pitch = image->pitch,
                               .slice = image->slice,
                               .width = image->width,
                               .height = image->height,
                               .depth = image->depth,
                               .layers = image->layers,
                               .surface = image->surface,
                               .cube = image->cube,
                               .linear = image->linear,
                               .normalised = image->normalised,
                               .unit = image->unit,
                               .destroyed = destroyed,
                               .kind = image->kind,
                               .channels = image->channels,
                               .bits = image->bits,
                               .srgb = image->srgb,
                               .seamless = image->seamless,
                               .levels = image->levels,
                               .level_linear = image->level_linear,
                               .level_bias = image->level_bias,
                               .level_least = image->level_least,
                               .level_most = image->level_most };
    for (int d = 0; d < 3; d++)
        kept.edge[d] = image->edge[d];
    memcpy(kept.border, image->border, sizeof kept.border);
    put(context, (struct kept_piece){ .kind = KEPT_IMAGE }, &kept, sizeof kept);
}

// False, with the reason: there is no PTX of it.
static bool put_all(FILE *file, const struct exec_function *function, const struct sim_launch *launch,
                    char why[FATBIN_WHY])
{
    struct kept_launch head = { .number = exec.launches,
                                .shared_bytes = launch->shared_bytes,
                                .cooperative = launch->cooperative };
    char *ptx = module_ptx(function->module, function->name, why), *source = ptx ? ptx_source(ptx) : NULL;
    if (!ptx)
        return false;
    memcpy(head.grid, launch->grid, sizeof head.grid);
    memcpy(head.block, launch->block, sizeof head.block);
    memcpy(head.cluster, launch->cluster, sizeof head.cluster);
    fputs(KEPT_MAGIC, file);
    put(file, (struct kept_piece){ .kind = KEPT_LAUNCH }, &head, sizeof head);
    put_text(file, KEPT_KERNEL, function->name);
    put_text(file, KEPT_FILE, source ? source : "");
    put_text(file, KEPT_PTX, ptx);
    free(ptx);
    free(source);
    for (size_t i = 0; i < launch->argument_count; i++)
        put(file, (struct kept_piece){ .kind = KEPT_ARGUMENT }, launch->arguments[i].at,
            launch->arguments[i].bytes);
    memory_each(put_block, file);
    module_each_variable(function->module, put_variable, file);
    texture_each(put_image, file);
    put_text(file, KEPT_END, "");
    return true;
}

void keep_launch(const struct exec_function *function, const struct sim_launch *launch)
{
    const char *path = getenv("WARPBOOK_EXEC_KEEP");
    const char *why = NULL;
    char no_ptx[FATBIN_WHY];
    FILE *file = path ? fopen(path, "we") : NULL;
    bool written = false;
    if (file && !put_all(file, function, launch, no_ptx))
        why = no_ptx;
    else
        written = file && fflush(file) == 0 && !ferror(file);
    if (!why && !written)
        why = strerror(errno);
    if (file)
        fclose(file);
    if (why) {
        fprintf(stderr, "warpbook: the launch cannot be kept: %s.\n", why);
        if (path)
            unlink(path);
    }
    (void)exec_wait(); // what kernels printed so far
    fflush(NULL);
    _exit(why ? KEPT_FAILED : 0);
}
