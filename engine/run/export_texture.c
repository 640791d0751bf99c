// The textures and surfaces of a program that is exported. Linear memory is read where it is; others are arrays, to which the
// buffers are copied before a launch, and from which surfaces are copied back.
#include "engine/run/export_parts.h"

static bool is_linear_memory(const struct texture *texture)
{
    return !texture->surface && !texture->sizes[TEXTURE_WIDTH];
}

static struct type texel_of(const struct exporter *to, const struct texture *texture)
{
    for (size_t s = 0; s < to->variant->scratch_count; s++)
        if (strcmp(to->variant->scratch[s].name, texture->buffer) == 0)
            return to->variant->scratch[s].type;
    return problem_buffer_find(to->problem, texture->buffer)->type;
}

// Whether a property of a texture line begins here, and how long it and its sign are.
static size_t property_length(const char *at)
{
    static const char *const words[] = { "filter", "address", "normalized", "read" };
    for (size_t s = 0; s < TEXTURE_SIZES + sizeof words / sizeof *words; s++) {
        const char *word = s < TEXTURE_SIZES ? texture_size_names[s] : words[s - TEXTURE_SIZES];
        const size_t length = strlen(word);
        if (strncmp(at, word, length) == 0 && !byte_in_word(at[length])) {
            const size_t space = strspn(at + length, " ");
            return length + space + (at[length + space] == '=');
        }
    }
    return 0;
}

// The size as its line has it, up to the next property; `otherwise` where it has none.
static void add_size(struct exporter *to, const struct texture *texture, enum texture_size size,
                     const char *otherwise)
{
    if (!texture->sizes[size]) {
        text_add(to->out, otherwise);
        return;
    }
    char *line = export_words(to, texture->at);
    const char *at = strchr(line, '='), *from = NULL;
    for (at += strcspn(at, " "); *at && !from; at++) // past the name of the buffer
        if (at[-1] == ' ' && strncmp(at, texture_size_names[size], strlen(texture_size_names[size])) == 0 &&
            property_length(at))
            from = at + property_length(at);
    const char *end = from;
    while (end && *end && !(end[-1] == ' ' && property_length(end)))
        end++;
    while (end > from && end[-1] == ' ')
        end--;
    if (from) {
        text_add(to->out, "(size_t)(");
        export_expression(to, from, (size_t)(end - from));
        text_add(to->out, ")");
    }
    free(line);
}

static void add_format(struct exporter *to, const struct texture *texture)
{
    const struct type texel = texel_of(to, texture);
    const int bits = 8 * (int)scalar_size(texel.scalar);
    const bool real = texel.scalar == SCALAR_HALF || texel.scalar == SCALAR_FLOAT,
               whole = texel.scalar == SCALAR_UCHAR || texel.scalar == SCALAR_USHORT ||
                       texel.scalar == SCALAR_UINT;
    text_addf(to->out, "cudaCreateChannelDesc(%d, %d, %d, %d, cudaChannelFormatKind%s)", bits,
              texel.lanes > 1 ? bits : 0, texel.lanes > 2 ? bits : 0, texel.lanes > 2 ? bits : 0,
              real    ? "Float"
              : whole ? "Unsigned"
                      : "Signed");
}

// "make_cudaExtent(…)": layers are the third size of an array that has them.
static void add_extent(struct exporter *to, const struct texture *texture)
{
    char *all = text_format("%s_count", texture->buffer);
    text_add(to->out, "make_cudaExtent(");
    add_size(to, texture, TEXTURE_WIDTH, all);
    text_add(to->out, ", ");
    add_size(to, texture, TEXTURE_HEIGHT, "0");
    text_add(to->out, ", ");
    add_size(to, texture, texture->sizes[TEXTURE_LAYERS] ? TEXTURE_LAYERS : TEXTURE_DEPTH, "0");
    text_add(to->out, ")");
    free(all);
}

static void add_array(struct exporter *to, const struct texture *texture)
{
    const bool layers = texture->sizes[TEXTURE_LAYERS];
    text_addf(to->out, "    const cudaMemcpy3DParms fill_%s = make_array(d_%s, ", texture->name,
              texture->buffer);
    if (!texture->sizes[TEXTURE_PITCH]) {
        char *all = text_format("%s_count", texture->buffer);
        add_size(to, texture, TEXTURE_WIDTH, all);
        text_addf(to->out, " * sizeof(*d_%s)", texture->buffer);
        free(all);
    }
    add_size(to, texture, TEXTURE_PITCH, "");
    text_add(to->out, ",\n        ");
    add_extent(to, texture);
    text_add(to->out, ",\n        ");
    add_format(to, texture);
    text_addf(to->out, ", %s%s%s);\n", layers ? "cudaArrayLayered" : "",
              layers && texture->surface ? " | " : "",
              texture->surface ? "cudaArraySurfaceLoadStore"
              : layers         ? ""
                               : "cudaArrayDefault");
    if (texture->surface)
        text_addf(to->out, "    const cudaMemcpy3DParms back_%s = turned(fill_%s);\n", texture->name,
                  texture->name);
}

static void add_texture(struct exporter *to, const struct texture *texture)
{
    static const char *const edges[] = { [TEXTURE_CLAMP] = "Clamp",
                                         [TEXTURE_WRAP] = "Wrap",
                                         [TEXTURE_MIRROR] = "Mirror",
                                         [TEXTURE_BORDER] = "Border" };
    const char *name = texture->name, *buffer = texture->buffer;
    const bool linear = is_linear_memory(texture);
    if (!linear)
        add_array(to, texture);
    text_addf(to->out, "    const cuda%sObject_t t_%s = make_%s(%s", texture->surface ? "Surface" : "Texture",
              name, texture->surface ? "surface" : "texture", linear ? "linear_memory" : "array");
    text_addf(to->out, linear ? "(d_%s, %s_count * sizeof(*d_%s),\n        " : "_resource(fill_%s.dstArray)",
              linear ? buffer : name, buffer, buffer);
    if (linear) {
        add_format(to, texture);
        text_add(to->out, ")");
    }
    if (!texture->surface)
        text_addf(to->out, ",\n        cudaAddressMode%s, cudaFilterMode%s, %s, %s", edges[texture->address],
                  texture->linear ? "Linear" : "Point",
                  texture->unit ? "cudaReadModeNormalizedFloat" : "cudaReadModeElementType",
                  texture->normalized ? "true" : "false");
    text_add(to->out, ");\n");
}

void export_textures(struct exporter *to)
{
    if (to->variant->texture_count)
        text_add(
            to->out,
            "\n    // Textures and surfaces. An array has texels of its own: those of a buffer are copied "
            "to it.\n");
    for (size_t t = 0; t < to->variant->texture_count; t++)
        add_texture(to, &to->variant->textures[t]);
}

static const char array_helpers[] =
    "\n// An array, and the copy that fills it with the texels of a buffer.\n"
    "static cudaMemcpy3DParms make_array(void *texels, size_t pitch, cudaExtent size, cudaChannelFormatDesc "
    "texel,\n"
    "                                    unsigned flags)\n"
    "{\n"
    "    cudaMemcpy3DParms fill = {};\n"
    "    CHECK(cudaMalloc3DArray(&fill.dstArray, &texel, size, flags));\n"
    "    size.height = std::max<size_t>(size.height, 1);\n"
    "    size.depth = std::max<size_t>(size.depth, 1);\n"
    "    fill.srcPtr = make_cudaPitchedPtr(texels, pitch, size.width, size.height);\n"
    "    fill.extent = size;\n"
    "    fill.kind = cudaMemcpyDeviceToDevice;\n"
    "    return fill;\n"
    "}\n\n"
    "static cudaResourceDesc array_resource(cudaArray_t array)\n"
    "{\n"
    "    cudaResourceDesc out = {};\n"
    "    out.resType = cudaResourceTypeArray;\n"
    "    out.res.array.array = array;\n"
    "    return out;\n"
    "}\n";
static const char linear_helper[] =
    "\nstatic cudaResourceDesc linear_memory(void *texels, size_t bytes, cudaChannelFormatDesc texel)\n"
    "{\n"
    "    cudaResourceDesc out = {};\n"
    "    out.resType = cudaResourceTypeLinear;\n"
    "    out.res.linear.devPtr = texels;\n"
    "    out.res.linear.sizeInBytes = bytes;\n"
    "    out.res.linear.desc = texel;\n"
    "    return out;\n"
    "}\n";
static const char texture_helper[] =
    "\nstatic cudaTextureObject_t make_texture(const cudaResourceDesc &texels, cudaTextureAddressMode "
    "outside,\n"
    "                                        cudaTextureFilterMode filter, cudaTextureReadMode read,\n"
    "                                        bool normalized)\n"
    "{\n"
    "    cudaTextureDesc how = {};\n"
    "    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = outside;\n"
    "    how.filterMode = filter;\n"
    "    how.readMode = read;\n"
    "    how.normalizedCoords = normalized;\n"
    "    cudaTextureObject_t out = 0;\n"
    "    CHECK(cudaCreateTextureObject(&out, &texels, &how, nullptr));\n"
    "    return out;\n"
    "}\n";
static const char surface_helpers[] =
    "\nstatic cudaSurfaceObject_t make_surface(const cudaResourceDesc &texels)\n"
    "{\n"
    "    cudaSurfaceObject_t out = 0;\n"
    "    CHECK(cudaCreateSurfaceObject(&out, &texels));\n"
    "    return out;\n"
    "}\n\n"
    "// The copy from the array back to the buffer.\n"
    "static cudaMemcpy3DParms turned(const cudaMemcpy3DParms &fill)\n"
    "{\n"
    "    cudaMemcpy3DParms back = {};\n"
    "    back.srcArray = fill.dstArray;\n"
    "    back.dstPtr = fill.srcPtr;\n"
    "    back.extent = fill.extent;\n"
    "    back.kind = cudaMemcpyDeviceToDevice;\n"
    "    return back;\n"
    "}\n";

void export_texture_helpers(struct exporter *to)
{
    bool arrays = false, linear = false, textures = false, surfaces = false;
    for (size_t t = 0; t < to->variant->texture_count; t++) {
        const struct texture *texture = &to->variant->textures[t];
        linear |= is_linear_memory(texture);
        arrays |= !is_linear_memory(texture);
        textures |= !texture->surface;
        surfaces |= texture->surface;
    }
    text_add(to->out, arrays ? array_helpers : "");
    text_add(to->out, linear ? linear_helper : "");
    text_add(to->out, textures ? texture_helper : "");
    text_add(to->out, surfaces ? surface_helpers : "");
}

void export_texture_copies(struct exporter *to, const struct launch *launch, bool back)
{
    for (size_t t = 0; t < to->variant->texture_count; t++) {
        const struct texture *texture = &to->variant->textures[t];
        if (launch_takes(launch, texture->name) && !is_linear_memory(texture) && (!back || texture->surface))
            text_addf(to->out, "        CHECK(cudaMemcpy3D(&%s_%s));\n", back ? "back" : "fill",
                      texture->name);
    }
}

void export_texture_end(struct exporter *to)
{
    for (size_t t = 0; t < to->variant->texture_count; t++) {
        const struct texture *texture = &to->variant->textures[t];
        text_addf(to->out, "    CHECK(cudaDestroy%sObject(t_%s));\n",
                  texture->surface ? "Surface" : "Texture", texture->name);
        if (!is_linear_memory(texture))
            text_addf(to->out, "    CHECK(cudaFreeArray(fill_%s.dstArray));\n", texture->name);
    }
}
