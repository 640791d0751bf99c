// A launch of a program that `warpbook exec --step` kept: its memory is made again at the same addresses, and then it is
// stepped through as one of a kernel file is. The file comes from the user's program, so nothing in it is believed.
#include "engine/exec/kept.h"
#include "engine/run/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    NAME_MOST = 4096,
    PTX_MOST = 1 << 28,
    ARGUMENT_MOST = 1 << 16,
    ARGUMENTS_MOST = 4096,
    NUMBERS_MOST = 1 << 20
};

struct kept_buffer {
    char *name;
    unsigned char *bytes;
    size_t size, element;
    uint64_t address;
    bool filled;
};
struct kept_span { // that has content, as an address
    uint64_t from, bytes;
};
struct kept_value {
    char *name, *bytes;
    size_t size;
};
struct kept_state {
    struct kept_launch launch;
    char *kernel, *file, *ptx;
    struct sim_argument *arguments;
    struct kept_buffer *buffers;
    struct kept_span *spans;
    struct kept_value *values;
    struct kept_image *images;
    size_t argument_count, buffer_count, span_count, value_count, image_count;
};

static bool damaged(const char *path, struct error *error)
{
    return error_set(error, EXIT_WRONG, "%s is not a whole launch that 'warpbook exec --step' kept.", path);
}

void kept_free(struct kept_state *kept)
{
    if (!kept)
        return;
    for (size_t i = 0; i < kept->argument_count; i++)
        free((void *)kept->arguments[i].at);
    for (size_t i = 0; i < kept->buffer_count; i++) {
        free(kept->buffers[i].name);
        free(kept->buffers[i].bytes);
    }
    for (size_t i = 0; i < kept->value_count; i++) {
        free(kept->values[i].name);
        free(kept->values[i].bytes);
    }
    free(kept->arguments);
    free(kept->buffers);
    free(kept->spans);
    free(kept->values);
    free(kept->images);
    free(kept->kernel);
    free(kept->file);
    free(kept->ptx);
    free(kept);
}

// ---- reading --------------------------------------------------------------------------------------------------------

// Whether opening it ends: a FIFO would wait for somebody.
static bool is_plain_file(const char *path)
{
    struct stat state;
    return stat(path, &state) == 0 && S_ISREG(state.st_mode);
}

bool kept_is(const char *path)
{
    char magic[sizeof KEPT_MAGIC] = "";
    FILE *file = is_plain_file(path) ? fopen(path, "re") : NULL;
    bool is = file && fread(magic, 1, strlen(KEPT_MAGIC), file) == strlen(KEPT_MAGIC) &&
              strcmp(magic, KEPT_MAGIC) == 0;
    if (file)
        fclose(file);
    return is;
}

// The bytes of a piece with a 0 after them; NULL: there are more than `most`, or the file ends before.
static char *take_bytes(FILE *file, uint64_t bytes, size_t most)
{
    char *data = bytes <= most ? malloc(bytes + 1) : NULL;
    if (data && fread(data, 1, bytes, file) == bytes) {
        data[bytes] = 0;
        return data;
    }
    free(data);
    return NULL;
}

static bool take_text(FILE *file, const struct kept_piece *piece, size_t most, char **out)
{
    if (*out)
        return false;
    *out = take_bytes(file, piece->bytes, most);
    return *out != NULL;
}

static bool take_argument(struct kept_state *kept, FILE *file, const struct kept_piece *piece)
{
    char *bytes =
        kept->argument_count < ARGUMENTS_MOST ? take_bytes(file, piece->bytes, ARGUMENT_MOST) : NULL;
    if (!bytes)
        return false;
    kept->arguments = array_room(kept->arguments, kept->argument_count, sizeof *kept->arguments);
    kept->arguments[kept->argument_count++] = (struct sim_argument){ bytes, piece->bytes };
    return true;
}

static bool take_buffer(struct kept_state *kept, FILE *file, const struct kept_piece *piece)
{
    char *name = piece->size < SIM_BUFFER_LIMIT ? take_bytes(file, piece->bytes, NAME_MOST) : NULL;
    unsigned char *bytes = name ? calloc(1, piece->size + 1) : NULL;
    if (!bytes) {
        free(name);
        return false;
    }
    kept->buffers = array_room(kept->buffers, kept->buffer_count, sizeof *kept->buffers);
    kept->buffers[kept->buffer_count++] =
        (struct kept_buffer){ name, bytes, piece->size, piece->element, piece->address, piece->filled };
    return true;
}

static bool take_content(struct kept_state *kept, FILE *file, const struct kept_piece *piece)
{
    const struct kept_buffer *b = kept->buffer_count ? &kept->buffers[kept->buffer_count - 1] : NULL;
    uint64_t at = b ? piece->address - b->address : 0;
    if (!b || at > b->size || piece->bytes > b->size - at ||
        fread(b->bytes + at, 1, piece->bytes, file) != piece->bytes)
        return false;
    kept->spans = array_room(kept->spans, kept->span_count, sizeof *kept->spans);
    kept->spans[kept->span_count++] = (struct kept_span){ piece->address, piece->bytes };
    return true;
}

static bool take_variable(struct kept_state *kept, FILE *file, const struct kept_piece *piece)
{
    char *name = take_bytes(file, piece->bytes, NAME_MOST);
    if (!name)
        return false;
    kept->values = array_room(kept->values, kept->value_count, sizeof *kept->values);
    kept->values[kept->value_count++] = (struct kept_value){ .name = name };
    return true;
}

static bool take_value(struct kept_state *kept, FILE *file, const struct kept_piece *piece)
{
    struct kept_value *value = kept->value_count ? &kept->values[kept->value_count - 1] : NULL;
    if (!value || value->bytes)
        return false;
    value->size = piece->bytes;
    value->bytes = take_bytes(file, piece->bytes, PTX_MOST);
    return value->bytes != NULL;
}

// Whether the runtime makes such images; the simulator computes with what it has of them.
static bool is_image(const struct kept_image *image)
{
    enum { MOST_TEXELS = 1 << 30, MOST_ROWS = 1 << 17, MOST_LEVELS = 31 };
    const bool whole = image->kind != SIM_TEXEL_FLOAT;
    for (int d = 0; d < 3; d++)
        if (image->edge[d] > SIM_EDGE_BORDER)
            return false;
    return image->kind <= SIM_TEXEL_FLOAT &&
           (image->bits == 32 || image->bits == 16 || (image->bits == 8 && whole)) &&
           (image->channels == 1 || image->channels == 2 || image->channels == 4) &&
           !(image->unit && (!whole || image->bits == 32)) && !(image->linear && whole && !image->unit) &&
           image->width && image->width <= MOST_TEXELS && image->height <= MOST_ROWS &&
           image->depth <= MOST_ROWS && image->layers <= MOST_ROWS && !(image->depth && image->layers) &&
           (!image->cube || (image->layers && image->layers % 6 == 0)) && image->pitch <= SIM_BUFFER_LIMIT &&
           image->slice <= SIM_BUFFER_LIMIT && image->levels <= MOST_LEVELS;
}

static bool take_image(struct kept_state *kept, FILE *file, const struct kept_piece *piece)
{
    struct kept_image image;
    if (piece->bytes != sizeof image || kept->image_count == NUMBERS_MOST ||
        fread(&image, sizeof image, 1, file) != 1 || !is_image(&image))
        return false;
    kept->images = array_room(kept->images, kept->image_count, sizeof *kept->images);
    kept->images[kept->image_count++] = image;
    return true;
}

static bool take_piece(struct kept_state *kept, FILE *file, const struct kept_piece *piece)
{
    switch ((enum kept_kind)piece->kind) {
    case KEPT_LAUNCH:
        return piece->bytes == sizeof kept->launch && fread(&kept->launch, sizeof kept->launch, 1, file) == 1;
    case KEPT_KERNEL:
        return take_text(file, piece, NAME_MOST, &kept->kernel);
    case KEPT_FILE:
        return take_text(file, piece, NAME_MOST, &kept->file);
    case KEPT_PTX:
        return take_text(file, piece, PTX_MOST, &kept->ptx);
    case KEPT_ARGUMENT:
        return take_argument(kept, file, piece);
    case KEPT_BUFFER:
        return take_buffer(kept, file, piece);
    case KEPT_CONTENT:
        return take_content(kept, file, piece);
    case KEPT_VARIABLE:
        return take_variable(kept, file, piece);
    case KEPT_VALUE:
        return take_value(kept, file, piece);
    case KEPT_IMAGE:
        return take_image(kept, file, piece);
    default:
        return false;
    }
}

// `whole`: with the memory; without, only what it is a launch of.
static struct kept_state *read_kept(const char *path, bool whole, struct error *error)
{
    struct kept_state *kept = mem_new(sizeof *kept);
    struct kept_piece piece;
    FILE *file = kept_is(path) ? fopen(path, "re") : NULL;
    bool good = file && fseek(file, (long)strlen(KEPT_MAGIC), SEEK_SET) == 0;
    bool ended = false;
    while (good && !ended && (whole || !kept->ptx)) {
        good = fread(&piece, sizeof piece, 1, file) == 1;
        ended = good && piece.kind == KEPT_END;
        good = good && (ended || take_piece(kept, file, &piece));
    }
    good = good && kept->kernel && kept->file && kept->ptx && kept->launch.number;
    if (file)
        fclose(file);
    if (good)
        return kept;
    kept_free(kept);
    damaged(path, error);
    return NULL;
}

// ---- the source -----------------------------------------------------------------------------------------------------

// The source is read where it was compiled; where it is not there any more, the PTX takes its place.
static void make_variant(const struct kept_state *kept, struct variant *out)
{
    struct mangled mangled;
    struct text text = { 0 };
    struct error unread;
    *out = (struct variant){ 0 };
    mangled_read(kept->kernel, &mangled);
    const char *kernel = mangled.name ? mangled.name : kept->kernel;
    out->name = text_format("launch %llu, %s", (unsigned long long)kept->launch.number, kernel);
    out->title = mem_copy(out->name);
    if (is_plain_file(kept->file) && file_read(kept->file, &text, &unread)) {
        out->path = mem_copy(kept->file);
        out->text = text_take(&text);
    } else {
        out->path = text_format("%s.ptx", kernel);
        out->text = mem_copy(kept->ptx);
    }
    out->source = (struct source){ out->path, out->text };
    mangled_free(&mangled);
}

bool kept_variant(const char *path, struct variant *out, struct error *error)
{
    struct kept_state *kept = read_kept(path, false, error);
    *out = (struct variant){ 0 };
    if (!kept)
        return false;
    make_variant(kept, out);
    kept_free(kept);
    return true;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static int by_address(const void *left, const void *right)
{
    const struct kept_buffer *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

// Memory that the simulator numbered is made in the order of its numbers; those between were freed before the launch.
static bool place(struct sim_memory *memory, const struct kept_buffer *b)
{
    sim_address address;
    enum sim_role role = b->filled ? SIM_INOUT : SIM_SCRATCH;
    if (b->address % SIM_BUFFER_LIMIT || b->address / SIM_BUFFER_LIMIT > NUMBERS_MOST)
        return false;
    if (b->address >> 47 == 0)
        return sim_memory_add_at(memory, b->address, b->name, b->bytes, b->size, b->element, role);
    do {
        address = sim_memory_add(memory, b->name, b->bytes, b->size, b->element, role);
        if (address && address < b->address)
            sim_memory_remove(memory, address);
    } while (address && address < b->address);
    return address == b->address;
}

// Handles are counted: made in their order, images get the ones that the program knows.
static bool place_image(struct sim_memory *memory, const struct kept_image *from)
{
    struct sim_image image = { .surface = from->surface,
                               .cube = from->cube,
                               .linear = from->linear,
                               .normalised = from->normalised,
                               .unit = from->unit,
                               .at = from->at,
                               .pitch = from->pitch,
                               .slice = from->slice,
                               .width = from->width,
                               .height = from->height,
                               .depth = from->depth,
                               .layers = from->layers,
                               .kind = (enum sim_texel)from->kind,
                               .channels = from->channels,
                               .bits = from->bits,
                               .srgb = from->srgb,
                               .seamless = from->seamless,
                               .levels = from->levels,
                               .level_linear = from->level_linear,
                               .level_bias = from->level_bias,
                               .level_least = from->level_least,
                               .level_most = from->level_most };
    for (int d = 0; d < 3; d++)
        image.edge[d] = (enum sim_edge)from->edge[d];
    memcpy(image.border, from->border, sizeof image.border);
    const uint64_t handle = sim_image_add(memory, &image);
    if (handle && from->destroyed)
        sim_image_remove(memory, handle);
    return handle != 0;
}

static bool place_all(const struct kept_state *kept, struct sim_setup *setup)
{
    qsort(kept->buffers, kept->buffer_count, sizeof *kept->buffers, by_address);
    for (size_t i = 0; i < kept->buffer_count; i++)
        if (!place(setup->memory, &kept->buffers[i]))
            return false;
    for (size_t i = 0; i < kept->span_count; i++)
        sim_memory_written(setup->memory, kept->spans[i].from, kept->spans[i].bytes);
    for (size_t i = 0; i < kept->value_count; i++) {
        const struct kept_value *value = &kept->values[i];
        struct sim_module_variable variable;
        if (!sim_memory_variable(setup->memory, setup->module, value->name, &variable) ||
            variable.bytes != value->size || !value->bytes)
            return false;
        memcpy(variable.at, value->bytes, value->size);
    }
    for (size_t i = 0; i < kept->image_count; i++)
        if (!place_image(setup->memory, &kept->images[i]))
            return false;
    return true;
}

// ---- the launch -----------------------------------------------------------------------------------------------------

static bool begin(struct stepper *stepper, const struct kept_state *kept, struct error *error)
{
    const struct kept_launch *l = &kept->launch;
    const struct request *request = stepper->setup.request;
    struct sim_fault fault;
    struct sim_launch what = { .kernel = sim_kernel_find(stepper->setup.module, kept->kernel),
                               .shared_bytes = l->shared_bytes,
                               .cooperative = l->cooperative != 0,
                               .arguments = kept->arguments,
                               .argument_count = kept->argument_count };
    memcpy(what.grid, l->grid, sizeof what.grid);
    memcpy(what.block, l->block, sizeof what.block);
    memcpy(what.cluster, l->cluster, sizeof what.cluster);
    struct memory_gauge *gauge = memory_gauge_open("");
    double free_bytes = memory_gauge_free(gauge);
    memory_gauge_close(gauge);
    const struct sim_options options = { .check = (enum sim_check)request->check,
                                         .seed = (uint64_t)request->seed,
                                         .limit_ms = request->limit_ms,
                                         .memory_limit = free_bytes > 2 ? (size_t)(free_bytes / 2) : 1 };
    if (what.kernel < 0)
        return damaged(request->file, error);
    return sim_trace_open(stepper->setup.module, stepper->setup.memory, &what, &options, &stepper->trace,
                          &fault) ||
           error_set(error, EXIT_WRONG, "Launch %llu cannot be stepped through: %s",
                     (unsigned long long)l->number, fault.text);
}

bool kept_open(struct stepper *stepper, const struct request *request, struct error *error)
{
    struct sim_setup *setup = &stepper->setup;
    struct sim_fault fault;
    struct kept_state *kept = stepper->kept = read_kept(request->file, true, error);
    setup->request = request;
    if (!kept)
        return false;
    make_variant(kept, &setup->variant);
    setup->compiled.ptx = mem_copy(kept->ptx);
    if (!sim_module_read(kept->ptx, strlen(kept->ptx), &setup->module, &fault))
        return error_set(error, EXIT_WRONG, "The PTX of the launch cannot be read: line %d: %s", fault.line,
                         fault.text);
    setup->memory = sim_memory_new();
    if (!setup->memory || !place_all(kept, setup))
        return damaged(request->file, error);
    return begin(stepper, kept, error);
}
