// Textures and surfaces by handle: fetches (tex, tld4), loads and stores by byte (suld, sust), and questions (txq, suq).
// Nothing of them is counted: how the caches of textures work is not known well enough.
#include "engine/sim/access/access.h"
#include "engine/sim/machine/image.h"
#include "engine/sim/sanitize/sanitize.h"

enum { COORDINATES = 4, GATHERS = 4 };
enum query { QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH, QUERY_LAYERS, QUERY_NORMALISED, QUERY_LEVELS };
enum outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO }; // of a surface
struct image_access {                                       // what op->image points to
    row handle;
    row at[COORDINATES]; // u32 or f32; those in use
    row layer;           // 0: none
    enum image_shape shape;
    bool whole, gather;
    row level, slope[2][3]; // of a mipmap; 0: not given
    unsigned channel;       // of a gather
    enum query query;
    enum outside outside;
};

// ---- handles -----------------------------------------------------------------------------------------------------------

static void report(struct warp *warp, const struct op *op, uint32_t lanes, uint64_t address, const char *what)
{
    struct finding_report report = { .kind = SIM_OUT_OF_BOUNDS,
                                     .severity = SIM_ERROR,
                                     .op = op,
                                     .lane = __builtin_ctz(lanes),
                                     .space = "global",
                                     .address = address,
                                     .count = (uint64_t)__builtin_popcount(lanes) };
    char who[80];
    if (!finding_repeats(warp, &report))
        finding_add(warp, &report, "%s %s", finding_name_lane(warp, report.lane, who), what);
}

// What the lanes' handle means; NULL: nothing that they may use, which is reported.
static const struct sim_image *image_of(struct warp *warp, const struct op *op, uint32_t lanes,
                                        uint64_t handle, bool surface)
{
    const struct image *image = image_find(warp->block->machine->memory, handle);
    const char *what = NULL;
    if (!image)
        what = surface ? "uses a number that is no surface object. Pass what cudaCreateSurfaceObject gave."
                       : "uses a number that is no texture object. Pass what cudaCreateTextureObject gave.";
    else if (image->removed)
        what = surface ? "uses a surface object that was destroyed before this launch. Destroy it after the "
                         "last launch that uses it."
                       : "fetches from a texture object that was destroyed before this launch. Destroy it "
                         "after the last launch that uses it.";
    else if (image->is.surface != surface)
        what = surface ? "uses a texture object as a surface. Make one by cudaCreateSurfaceObject."
                       : "fetches from a surface object. Make a texture by cudaCreateTextureObject.";
    else if (!surface && op->image->shape == IMAGE_CUBE && !image->is.cube)
        what = "fetches by a direction from a texture that is no cube. Make its array with cudaArrayCubemap.";
    if (what)
        report(warp, op, lanes, handle, what);
    return what ? NULL : &image->is;
}

// The first texel on the host; NULL: its memory is gone, which is reported.
static unsigned char *texels_of(struct warp *warp, const struct op *op, uint32_t lanes,
                                const struct sim_image *image)
{
    unsigned char *texels = address_range(warp, SPACE_GLOBAL, image->at, image_bytes(image), false);
    if (!texels)
        report(warp, op, lanes, image->at,
               image->surface ? "uses a surface whose array was freed before this launch. Free it after the "
                                "last launch that uses it."
                              : "fetches from a texture whose memory was freed before this launch, or is "
                                "smaller than the texture. Free it after the last launch that uses it.");
    return texels;
}

static void check(struct warp *warp, const struct op *op, const uint64_t at[LANES], uint32_t mask,
                  unsigned bytes, bool write, bool fetch)
{
    if (!checks_are_on(warp) || !mask)
        return;
    const struct touched touched = { .op = op,
                                     .space = SPACE_GLOBAL,
                                     .address = at,
                                     .mask = mask,
                                     .bytes = bytes,
                                     .read = !write,
                                     .write = write,
                                     .values = write ? op->rows : NULL,
                                     .parts = fetch ? 1 : op->parts,
                                     .fetch = fetch };
    checks_access(warp, &touched);
}

// Lanes that have the handle of the first one.
static uint32_t lanes_alike(const uint64_t *handles, uint32_t left)
{
    const uint64_t first = handles[__builtin_ctz(left)];
    uint32_t alike = 0;
    for (; left; left &= left - 1)
        alike |= handles[__builtin_ctz(left)] == first ? left & -left : 0;
    return alike;
}

static void give(struct warp *warp, const struct op *op, int lane, const uint32_t values[4])
{
    for (unsigned k = 0; k < op->parts; k++)
        ROW32(warp, op->rows[k])[lane] = values[k];
}

// ---- tex, tld4 ---------------------------------------------------------------------------------------------------------

static void find_place(const struct warp *warp, const struct image_access *how, int lane,
                       struct image_place *out)
{
    *out = (struct image_place){ .shape = how->shape, .whole = how->whole };
    if (how->layer)
        out->layer = (int32_t)ROW32(warp, how->layer)[lane];
    if (how->whole)
        out->index = (int32_t)ROW32(warp, how->at[0])[lane];
    for (int d = 0; d < 3 && how->at[d]; d++)
        out->at[d] = ROWF32(warp, how->at[d])[lane];
    out->how = how->level ? LEVEL_GIVEN : how->slope[0][0] ? LEVEL_BY_SLOPES : LEVEL_FIRST;
    if (how->level)
        out->level = ROWF32(warp, how->level)[lane];
    for (int d = 0; d < 3 && how->slope[0][d]; d++) {
        out->slope[0][d] = ROWF32(warp, how->slope[0][d])[lane];
        out->slope[1][d] = ROWF32(warp, how->slope[1][d])[lane];
    }
}

static void fetch_alike(struct warp *warp, const struct op *op, uint32_t lanes, const struct sim_image *image,
                        const unsigned char *texels)
{
    const struct image_access *how = op->image;
    const unsigned bytes = image_texel_bytes(image);
    uint64_t at[IMAGE_TAPS][LANES] = { 0 };
    uint32_t taken[IMAGE_TAPS] = { 0 };
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        struct image_place place;
        struct image_taps taps;
        uint32_t values[4];
        find_place(warp, how, lane, &place);
        image_find_taps(image, &place, how->gather, &taps);
        if (how->gather)
            image_gather(image, texels, &taps, how->channel, values);
        else
            image_fetch(image, texels, &taps, values);
        give(warp, op, lane, values);
        for (unsigned k = 0; k < taps.count; k++) {
            at[k][lane] = image->at + taps.offset[k];
            taken[k] |= (uint32_t)!taps.border[k] << lane;
        }
    }
    for (unsigned k = 0; k < IMAGE_TAPS; k++)
        check(warp, op, at[k], taken[k], bytes, false, true);
}

static void fetch(struct warp *warp, const struct op *op)
{
    static const uint32_t nothing[4];
    uint64_t handles[LANES]; // a destination may be the same register
    memcpy(handles, ROW64(warp, op->image->handle), sizeof handles);
    for (uint32_t left = warp->active, lanes; left; left &= ~lanes) {
        lanes = lanes_alike(handles, left);
        const struct sim_image *image = image_of(warp, op, lanes, handles[__builtin_ctz(lanes)], false);
        const unsigned char *texels = image ? texels_of(warp, op, lanes, image) : NULL;
        if (texels)
            fetch_alike(warp, op, lanes, image, texels);
        for (uint32_t rest = texels ? 0 : lanes; rest; rest &= rest - 1)
            give(warp, op, __builtin_ctz(rest), nothing);
    }
}

// ---- suld, sust --------------------------------------------------------------------------------------------------------

// Where a lane's bytes are, from the first texel; false: outside.
static bool find_bytes(const struct warp *warp, const struct op *op, const struct sim_image *image, int lane,
                       bool clamps, uint64_t *offset)
{
    const struct image_access *how = op->image;
    const int64_t layers = image->layers ? image->layers : image->depth ? image->depth : 1;
    const int64_t most[3] = { (int64_t)image->width * image_texel_bytes(image) - op->bytes,
                              image->height ? (int64_t)image->height - 1 : 0, layers - 1 };
    int64_t at[3] = { 0 };
    bool inside = true;
    for (int d = 0; d < 3 && how->at[d]; d++)
        at[d] = (int32_t)ROW32(warp, how->at[d])[lane];
    if (how->layer)
        at[2] = ROW32(warp, how->layer)[lane]; // without a sign
    for (int d = 0; d < 3; d++) {
        const int64_t nearest = at[d] < 0 ? 0 : at[d] > most[d] ? most[d] : at[d];
        inside = inside && nearest == at[d];
        at[d] = clamps ? nearest : at[d];
    }
    *offset = (uint64_t)at[0] + (uint64_t)at[1] * image->pitch + (uint64_t)at[2] * image->slice;
    return inside || (clamps && most[0] >= 0);
}

static void report_outside(struct warp *warp, const struct op *op, const struct sim_image *image,
                           uint32_t lanes, bool write)
{
    const struct image_access *how = op->image;
    const int lane = __builtin_ctz(lanes);
    char text[240];
    int length = snprintf(text, sizeof text, "%s a surface at byte %d", write ? "writes to" : "reads from",
                          (int)ROW32(warp, how->at[0])[lane]);
    if (how->at[1])
        length += snprintf(text + length, sizeof text - (size_t)length, " of row %d",
                           (int)ROW32(warp, how->at[1])[lane]);
    const row third = how->layer ? how->layer : how->at[2];
    if (third)
        length += snprintf(text + length, sizeof text - (size_t)length, " of %s %d",
                           how->layer ? "layer" : "slice", (int)ROW32(warp, third)[lane]);
    snprintf(text + length, sizeof text - (size_t)length,
             ": it has %llu bytes%s. Check the coordinates; the first counts bytes, not texels.",
             (unsigned long long)image->width * image_texel_bytes(image), how->at[1] ? " in each row" : "");
    report(warp, op, lanes, image->at, text);
}

static void move_lane(struct warp *warp, const struct op *op, int lane, unsigned char *at, bool write)
{
    const unsigned width = op->bytes / op->parts;
    for (unsigned k = 0; k < op->parts; k++) {
        unsigned char *lanes = warp->frame + op->rows[k];
        const size_t value = (size_t)lane * (width == 8 ? 8 : 4);
        if (write) {
            memcpy(at + k * width, lanes + value, width);
            continue;
        }
        if (width < 4)
            memset(lanes + value, 0, 4);
        memcpy(lanes + value, at + k * width, width);
    }
}

static void move_alike(struct warp *warp, const struct op *op, uint32_t lanes, const struct sim_image *image,
                       unsigned char *texels, bool write)
{
    const struct image_access *how = op->image;
    uint64_t at[LANES] = { 0 }, offset[LANES] = { 0 };
    uint32_t inside = 0, crooked = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (!find_bytes(warp, op, image, lane, how->outside == OUTSIDE_CLAMP, &offset[lane]))
            continue;
        at[lane] = image->at + offset[lane];
        *(offset[lane] % op->bytes ? &crooked : &inside) |= 1u << lane;
    }
    if (how->outside == OUTSIDE_TRAP && lanes & ~inside & ~crooked)
        report_outside(warp, op, image, lanes & ~inside & ~crooked, write);
    if (crooked)
        finding_misaligned(warp, op, SPACE_GLOBAL, at, crooked, op->bytes, write);
    check(warp, op, at, inside, op->bytes, write, false);
    static unsigned char zeros[16];
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const bool takes = inside >> lane & 1;
        if (takes || !write)
            move_lane(warp, op, lane, takes ? texels + offset[lane] : zeros, write);
    }
}

static void move_all(struct warp *warp, const struct op *op, bool write)
{
    static unsigned char zeros[16];
    uint64_t handles[LANES];
    memcpy(handles, ROW64(warp, op->image->handle), sizeof handles);
    for (uint32_t left = warp->active, lanes; left; left &= ~lanes) {
        lanes = lanes_alike(handles, left);
        const struct sim_image *image = image_of(warp, op, lanes, handles[__builtin_ctz(lanes)], true);
        unsigned char *texels = image ? texels_of(warp, op, lanes, image) : NULL;
        if (texels)
            move_alike(warp, op, lanes, image, texels, write);
        for (uint32_t rest = texels || write ? 0 : lanes; rest; rest &= rest - 1)
            move_lane(warp, op, __builtin_ctz(rest), zeros, false);
    }
}

static void load(struct warp *warp, const struct op *op)
{
    move_all(warp, op, false);
}

static void store(struct warp *warp, const struct op *op)
{
    move_all(warp, op, true);
}

// ---- txq, suq ----------------------------------------------------------------------------------------------------------

static void ask(struct warp *warp, const struct op *op)
{
    const uint64_t *handles = ROW64(warp, op->image->handle);
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const struct sim_image *image = image_of(warp, op, 1u << lane, handles[lane], op->sub);
        const uint32_t answers[] = {
            image ? image->width : 0,   image ? image->height : 0,
            image ? image->depth : 0,   image ? image->layers : 0,
            image && image->normalised, !image ? 0 : image->levels ? image->levels : 1
        };
        ROW32(warp, op->d)[lane] = answers[op->image->query];
    }
}

// ---- decoding ----------------------------------------------------------------------------------------------------------

static const char no_memory[] = "there is no memory left";

// The handle in [handle, {coordinates}], and room for what else the instruction says.
static struct image_access *decode_handle(struct decoding *d, const struct ptx_operand *operand,
                                          struct op *out)
{
    struct image_access *how = arena_take(d->module->arena, sizeof *how);
    out->image = how;
    if (!how)
        return decode_fails(d, no_memory), NULL;
    if (operand->kind != OPERAND_MEMORY || operand->reg < 0)
        return decode_fails(d, "texture and surface references, which CUDA 12 has removed, are not known; "
                               "use texture and surface objects"),
               NULL;
    const struct ptx_operand handle = { .kind = OPERAND_REGISTER, .reg = operand->reg };
    how->handle = decode_value(d, &handle, TYPE_B64);
    return how->handle ? how : NULL;
}

// The coordinates; a layer comes before them.
static bool decode_coordinates(struct decoding *d, const struct ptx_operand *operand,
                               struct image_access *how)
{
    static const struct {
        const char *name;
        enum image_shape shape;
        bool layered;
    } shapes[] = { { "1d", IMAGE_1D, false },    { "2d", IMAGE_2D, false }, { "3d", IMAGE_3D, false },
                   { "a1d", IMAGE_1D, true },    { "a2d", IMAGE_2D, true }, { "cube", IMAGE_CUBE, false },
                   { "acube", IMAGE_CUBE, true } };
    size_t s = 0;
    while (s < sizeof shapes / sizeof *shapes && !ptx_has(d->in, shapes[s].name))
        s++;
    if (s == sizeof shapes / sizeof *shapes)
        return decode_fails(d, "this kind of texture is not known");
    how->shape = shapes[s].shape;
    const int count = how->shape == IMAGE_CUBE ? 3 : (int)how->shape + 1, from = shapes[s].layered;
    const struct ptx_operand *parts = operand->part_count == 1 ? &operand->parts[0] : NULL;
    const bool vector = parts && parts->kind == OPERAND_VECTOR;
    const int given = vector ? parts->part_count : 1;
    if (!parts || given < count + from)
        return decode_fails(d, "it has too few coordinates");
    for (int i = 0; i < count + from; i++) {
        const row at = decode_value(d, vector ? &parts->parts[i] : parts, TYPE_B32);
        if (!at)
            return false;
        *(from && i == 0 ? &how->layer : &how->at[i - from]) = at;
    }
    return true;
}

static bool decode_values(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type,
                          bool loads, struct op *out)
{
    row *rows = arena_take(d->module->arena, out->parts * sizeof *rows);
    const bool vector = operand->kind == OPERAND_VECTOR;
    if (!rows)
        return decode_fails(d, no_memory);
    if ((vector ? operand->part_count : 1) != out->parts)
        return decode_fails(d, "the vector and the instruction differ in their number of parts");
    for (unsigned k = 0; k < out->parts; k++) {
        const struct ptx_operand *one = vector ? &operand->parts[k] : operand;
        rows[k] = loads ? decode_destination(d, one, type) : decode_value(d, one, type);
        if (!rows[k])
            return false;
    }
    out->rows = rows;
    return true;
}

// The level of a mipmap, or the slopes that it follows from.
static bool decode_level(struct decoding *d, struct image_access *how, bool slope)
{
    const struct ptx_operand *given = d->in->operands + 2;
    if (d->in->operand_count < 3 + slope)
        return decode_fails(d, "it has too few operands");
    if (!slope)
        return (how->level = decode_value(d, given, TYPE_F32)) != 0;
    const int count = how->shape == IMAGE_CUBE ? 3 : (int)how->shape + 1;
    for (int side = 0; side < 2; side++) {
        const bool vector = given[side].kind == OPERAND_VECTOR;
        if ((vector ? given[side].part_count : 1) < count)
            return decode_fails(d, "it has too few slopes");
        for (int i = 0; i < count; i++) {
            const row at = decode_value(d, vector ? &given[side].parts[i] : &given[side], TYPE_F32);
            if (!at)
                return false;
            how->slope[side][i] = at;
        }
    }
    return true;
}

static bool decode_fetch(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    const bool gather = in->base[1] == 'l', level = ptx_has(in, "level"), slope = ptx_has(in, "grad");
    struct image_access *how = in->operand_count > 1 ? decode_handle(d, &in->operands[1], out) : NULL;
    if (!how)
        return d->trouble ? false : decode_fails(d, "it has too few operands");
    if (in->type_count < 2 || type_bytes(in->types[0]) != 4 || in->types[0] == TYPE_F16X2)
        return decode_fails(d, "textures give values of 32 bits; this form of it is not known");
    if (in->operand_count > 2 + level + 2 * slope)
        return decode_fails(d, "offsets and comparisons of depth are not known");
    static const char *const channels[GATHERS] = { "r", "g", "b", "a" };
    for (unsigned c = 0; gather && c < GATHERS; c++)
        how->channel = ptx_has(in, channels[c]) ? c : how->channel;
    how->gather = gather;
    how->whole = in->types[1] == TYPE_S32;
    out->parts = (uint8_t)ptx_parts_of(in);
    out->run = fetch;
    if (out->parts > 4)
        return decode_fails(d, "a texture gives at most four values");
    if (!decode_coordinates(d, &in->operands[1], how))
        return false;
    if ((level || slope) && !decode_level(d, how, slope))
        return false;
    if (gather && (how->whole || (how->shape != IMAGE_2D && how->shape != IMAGE_CUBE)))
        return decode_fails(d, "four texels are gathered in two dimensions only");
    if (how->whole && (how->shape != IMAGE_1D || how->layer))
        return decode_fails(d, "whole coordinates are known in one dimension only");
    return decode_values(d, &in->operands[0], TYPE_B32, true, out);
}

static bool decode_bytes(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    const bool loads = strcmp(in->base, "suld") == 0;
    struct image_access *how = in->operand_count > 1 ? decode_handle(d, &in->operands[loads], out) : NULL;
    if (!how)
        return d->trouble ? false : decode_fails(d, "it has too few operands");
    if (!ptx_has(in, "b") || !in->type_count)
        return decode_fails(d, "surfaces are known by byte, without a format");
    how->outside = ptx_has(in, "clamp") ? OUTSIDE_CLAMP : ptx_has(in, "zero") ? OUTSIDE_ZERO : OUTSIDE_TRAP;
    out->parts = (uint8_t)ptx_parts_of(in);
    out->bytes = (uint8_t)(out->parts * type_bytes(in->types[0]));
    out->run = loads ? load : store;
    if (out->bytes > 16 || type_bytes(in->types[0]) > 8)
        return decode_fails(d, "a texel has at most 16 bytes, in parts of at most 8");
    return decode_coordinates(d, &in->operands[loads], how) &&
           decode_values(d, &in->operands[!loads], type_bytes(in->types[0]) == 8 ? TYPE_B64 : TYPE_B32, loads,
                         out);
}

static bool decode_question(struct decoding *d, struct op *out)
{
    static const struct {
        const char *name;
        enum query query;
    } queries[] = { { "width", QUERY_WIDTH },
                    { "height", QUERY_HEIGHT },
                    { "depth", QUERY_DEPTH },
                    { "array_size", QUERY_LAYERS },
                    { "normalized_coords", QUERY_NORMALISED },
                    { "num_mipmap_levels", QUERY_LEVELS } };
    const struct ptx_instruction *in = d->in;
    struct image_access *how = in->operand_count > 1 ? decode_handle(d, &in->operands[1], out) : NULL;
    if (!how)
        return d->trouble ? false : decode_fails(d, "it has too few operands");
    size_t i = 0;
    while (i < sizeof queries / sizeof *queries && !ptx_has(in, queries[i].name))
        i++;
    if (i == sizeof queries / sizeof *queries)
        return decode_fails(d, "this question to a texture is not known");
    how->query = queries[i].query;
    out->sub = in->base[0] == 's';
    out->run = ask;
    out->d = decode_destination(d, &in->operands[0], TYPE_B32);
    return out->d != 0;
}

const struct decoder texture_decoders[] = { { "tex", decode_fetch },
                                            { "tld4", decode_fetch },
                                            { "suld", decode_bytes },
                                            { "sust", decode_bytes },
                                            { "txq", decode_question },
                                            { "suq", decode_question },
                                            { NULL, NULL } };
