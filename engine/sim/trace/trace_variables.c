// The variables of the source and what they hold in each lane of the running path. Where they are is known.c's: what it
// is not sure of is not shown. A value counts from the moment at which it was stored, by the sanitizer's bits.
#include "engine/sim/access/access.h"
#include "engine/sim/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

enum { LISTED_PARTS = 16, PATH = 64 };

struct view { // of one variable, or a part of it
    const struct sim_trace *trace;
    const struct function *function;
    const struct debug_function *named;
    const struct debug_variable *variable;
    const struct frame *frame;
    size_t pc;
};

// ---- types in words --------------------------------------------------------------------------------------

static void add_word(char out[64], const char *word)
{
    size_t length = strlen(out);
    snprintf(out + length, 64 - length, "%s", word);
}

static void write_type(const struct debug_type *type, char out[64], int depth)
{
    if (!type || depth == DEBUG_DEPTH) {
        add_word(out, type ? "?" : "void");
        return;
    }
    const struct debug_type *plain = debug_plain(type);
    switch (type->kind) {
    case DEBUG_SAME:
        if (*type->name) {
            add_word(out, type->name);
            return;
        }
        if (*type->qualifier && !(plain && plain->kind == DEBUG_POINTER)) {
            add_word(out, type->qualifier);
            add_word(out, " ");
        }
        write_type(type->to, out, depth + 1);
        return;
    case DEBUG_POINTER:
        write_type(type->to, out, depth + 1);
        add_word(out, type->qualifier);
        return;
    case DEBUG_ARRAY:
        write_type(type->to, out, depth + 1);
        add_word(out, " ");
        for (int i = 0; i < type->dimensions; i++) {
            char count[24];
            snprintf(count, sizeof count, "[%llu]", (unsigned long long)type->counts[i]);
            add_word(out, count);
        }
        return;
    default:
        add_word(out, *type->name ? type->name : type->kind == DEBUG_STRUCT ? "struct" : "?");
    }
}

// ---- what a pointer points to ------------------------------------------------------------------------------

// A variable of this thread.
static bool name_local(const struct view *v, uint64_t offset, struct sim_variable *out, int lane)
{
    for (size_t i = 0; i < v->named->count; i++) {
        const struct debug_variable *other = &v->named->variables[i];
        uint64_t start = v->frame->local_base + other->at, bytes = debug_bytes(other->type);
        if (other->place != DEBUG_IN_LOCAL || offset < start || offset - start >= bytes)
            continue;
        const struct debug_type *type = debug_plain(other->type);
        const struct debug_type *element = type->kind == DEBUG_ARRAY ? debug_plain(type->to) : type;
        uint64_t size = debug_bytes(element);
        if (!size || (offset - start) % size)
            return false;
        out->alone = type->kind != DEBUG_ARRAY;
        out->element[lane] = (int64_t)((offset - start) / size);
        snprintf(out->buffer, sizeof out->buffer, "%s", other->name);
        return true;
    }
    return false;
}

static bool name_target(const struct view *v, uint64_t address, struct sim_variable *out, int lane)
{
    const struct warp *warp = v->trace->warp;
    enum ptx_space space = address_space(address);
    uint64_t apart = warp->block->apart;
    if (space == SPACE_LOCAL)
        return address - LOCAL_WINDOW - apart <= OFFSETS &&
               name_local(v, address - LOCAL_WINDOW - apart, out, lane);
    if (space == SPACE_SHARED) {
        address -= SHARED_WINDOW + apart;
        if (address >= warp->block->shared_bytes)
            return false;
    }
    struct address_name named;
    finding_name_address(warp, space, address, &named);
    bool inside = *named.buffer && named.element >= 0 && (uint64_t)named.element <= named.elements;
    if (!inside || (address & OFFSETS) % named.element_bytes)
        return false;
    out->element[lane] = named.element;
    snprintf(out->buffer, sizeof out->buffer, "%s", named.buffer);
    return true;
}

// All lanes that point into the buffer of the first one.
static void name_targets(const struct view *v, struct sim_variable *out)
{
    char buffer[sizeof out->buffer] = "";
    for (int lane = 0; lane < LANES; lane++) {
        if (!(out->lanes >> lane & 1) || !name_target(v, out->value[lane], out, lane))
            continue;
        if (!*buffer)
            memcpy(buffer, out->buffer, sizeof buffer);
        out->inside |= (uint32_t)(strcmp(buffer, out->buffer) == 0) << lane;
    }
    memcpy(out->buffer, buffer, sizeof buffer);
}

// ---- values --------------------------------------------------------------------------------------------

static const unsigned char *memory_of(const struct view *v, uint64_t part, uint64_t bytes, int lane,
                                      uint64_t *at)
{
    const struct warp *warp = v->trace->warp;
    bool shared = v->variable->place == DEBUG_IN_SHARED;
    *at = (shared ? 0 : v->frame->local_base) + v->variable->at + part;
    size_t room = shared ? warp->block->shared_bytes : warp->local_room;
    const unsigned char *memory = shared        ? warp->block->shared
                                  : warp->local ? warp->local + (size_t)lane * warp->local_room
                                                : NULL;
    return memory && bytes <= room && *at <= room - bytes ? memory + *at : NULL;
}

// With the checks the sanitizer knows whether what is there was ever stored; without them, known.c has to be sure.
static void read_memory(const struct view *v, uint64_t part, enum debug_known known, struct sim_variable *out)
{
    const struct warp *warp = v->trace->warp;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t at;
        const unsigned char *memory = memory_of(v, part, out->bytes, lane, &at);
        bool stored = warp->checks ? checks_know_value(warp, out->shared, lane, at, out->bytes)
                                   : known == KNOWN_IN_MEMORY;
        if (!memory || !stored)
            continue;
        memcpy(&out->value[lane], memory, out->bytes);
        out->lanes |= 1u << lane;
    }
    out->lanes &= warp->mask;
    out->known = out->lanes ? SIM_HAS_VALUE : warp->checks ? SIM_NO_VALUE : SIM_NOT_KNOWN;
}

static void read_register(const struct view *v, int reg, struct sim_variable *out)
{
    const struct warp *warp = v->trace->warp;
    enum ptx_type type = v->function->from->registers[reg].type;
    unsigned bytes = type == TYPE_PRED ? 1 : type_bytes(type);
    row at = v->function->register_rows[reg];
    if (bytes < out->bytes || bytes > 8 || (type == TYPE_PRED && out->is != SIM_BOOL))
        return;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t bits = type == TYPE_PRED ? ROWP(warp, at) >> lane & 1
                        : bytes == 8      ? ROW64(warp, at)[lane]
                                          : ROW32(warp, at)[lane];
        out->value[lane] = bits & bits_below(8 * out->bytes);
    }
    out->lanes = warp->mask;
    out->known = SIM_HAS_VALUE;
}

static void read_value(const struct view *v, uint64_t part, struct sim_variable *out)
{
    int reg = -1;
    uint64_t whole = debug_bytes(v->variable->type);
    bool in_memory = v->variable->place == DEBUG_IN_LOCAL || v->variable->place == DEBUG_IN_SHARED;
    out->known = SIM_NOT_KNOWN;
    if (v->variable->place == DEBUG_CONSTANT && part == 0 && whole == out->bytes) {
        for (int lane = 0; lane < LANES; lane++)
            out->value[lane] = v->variable->at & bits_below(8 * out->bytes);
        out->lanes = v->trace->warp->mask;
        out->known = SIM_HAS_VALUE;
        return;
    }
    if (!in_memory && (part || whole != out->bytes)) // a part of a register
        return;
    switch (debug_known_at(v->function, v->variable, part, out->bytes, v->pc, &reg)) {
    case KNOWN_NO_VALUE:
        out->known = SIM_NO_VALUE;
        break;
    case KNOWN_IN_REGISTER:
        read_register(v, reg, out);
        break;
    case KNOWN_IN_MEMORY:
        read_memory(v, part, KNOWN_IN_MEMORY, out);
        break;
    case KNOWN_IF_WRITTEN:
        read_memory(v, part, KNOWN_IF_WRITTEN, out);
        break;
    default:
        break;
    }
}

// ---- parts -----------------------------------------------------------------------------------------------

struct part_list {
    struct sim_variable *out; // NULL: only counted
    size_t room, count;
};

// Shows a scalar, or an aggregate as a whole.
static void show(const struct view *v, const struct debug_type *type, uint64_t at, const char *path,
                 struct sim_variable *out)
{
    const struct debug_type *plain = debug_plain(type);
    *out = (struct sim_variable){ .known = SIM_NOT_KNOWN,
                                  .parameter = v->variable->parameter,
                                  .shared = v->variable->place == DEBUG_IN_SHARED };
    snprintf(out->name, sizeof out->name, "%s", path);
    write_type(type, out->type, 0);
    if (!plain)
        return;
    if (plain->kind == DEBUG_ARRAY || plain->kind == DEBUG_STRUCT) {
        out->known = SIM_HAS_PARTS;
        return;
    }
    if (plain->kind != DEBUG_NUMBER && plain->kind != DEBUG_POINTER)
        return;
    out->is = plain->is;
    out->bytes = (unsigned)plain->bytes;
    read_value(v, at, out);
    if (out->known == SIM_HAS_VALUE && out->is == SIM_POINTER)
        name_targets(v, out);
}

static void list_add(struct part_list *list, const struct view *v, const struct debug_type *type, uint64_t at,
                     const char *path)
{
    if (list->count < list->room)
        show(v, type, at, path, &list->out[list->count]);
    list->count++;
}

// The number of values in it, up to one more than are listed.
static size_t count_parts(const struct debug_type *type, int depth)
{
    const struct debug_type *plain = debug_plain(type);
    if (!plain || depth == DEBUG_DIMENSIONS)
        return 1;
    size_t count = 1;
    if (plain->kind == DEBUG_ARRAY) {
        count = count_parts(plain->to, depth + 1);
        for (int i = 0; i < plain->dimensions && count <= LISTED_PARTS; i++)
            count = plain->counts[i] > LISTED_PARTS ? LISTED_PARTS + 1 : count * (size_t)plain->counts[i];
    } else if (plain->kind == DEBUG_STRUCT) {
        count = 0;
        for (const struct debug_member *m = plain->members; m && count <= LISTED_PARTS; m = m->next)
            count += count_parts(m->type, depth + 1);
    }
    return count <= LISTED_PARTS ? count : LISTED_PARTS + 1;
}

static void list_parts(struct part_list *list, const struct view *v, const struct debug_type *type,
                       uint64_t at, const char *path, int depth);

static void list_elements(struct part_list *list, const struct view *v, const struct debug_type *array,
                          uint64_t at, const char *path, int depth)
{
    uint64_t size = debug_bytes(array->to), count = 1;
    for (int i = 0; i < array->dimensions; i++)
        count *= array->counts[i];
    for (uint64_t n = 0; n < count; n++) {
        char inner[PATH + DEBUG_DIMENSIONS * 24], index[DEBUG_DIMENSIONS * 24] = "";
        uint64_t rest = n, below = count;
        for (int i = 0; i < array->dimensions; i++) {
            size_t length = strlen(index);
            below /= array->counts[i];
            snprintf(index + length, sizeof index - length, "[%llu]", (unsigned long long)(rest / below));
            rest %= below;
        }
        snprintf(inner, sizeof inner, "%.*s%s", PATH - 1, path, index);
        list_parts(list, v, array->to, at + n * size, inner, depth + 1);
    }
}

static void list_parts(struct part_list *list, const struct view *v, const struct debug_type *type,
                       uint64_t at, const char *path, int depth)
{
    const struct debug_type *plain = debug_plain(type);
    bool whole = !plain || depth == DEBUG_DIMENSIONS || count_parts(type, depth) > LISTED_PARTS;
    if (!whole && plain->kind == DEBUG_ARRAY) {
        list_elements(list, v, plain, at, path, depth);
    } else if (!whole && plain->kind == DEBUG_STRUCT) {
        for (const struct debug_member *m = plain->members; m; m = m->next) {
            char inner[2 * PATH];
            snprintf(inner, sizeof inner, "%s.%s", path, m->name);
            inner[PATH - 1] = '\0';
            list_parts(list, v, m->type, at + m->at, inner, depth + 1);
        }
    } else {
        list_add(list, v, type, at, path);
    }
}

// ---- what is in scope ------------------------------------------------------------------------------------

static bool view_open(const struct sim_trace *t, struct view *out)
{
    const struct warp *warp = t->warp;
    if (!warp || !t->debug || warp->depth < 1 || warp->pc < 0 || (size_t)warp->pc > warp->function->op_count)
        return false;
    *out = (struct view){ .trace = t,
                          .function = warp->function,
                          .named = &t->debug->functions[warp->function->index],
                          .frame = warp->paths[warp->depth - 1].frame,
                          .pc = (size_t)warp->pc };
    return out->named->count > 0;
}

static bool in_scope(const struct view *v, const struct debug_variable *variable)
{
    return v->pc >= variable->from && v->pc < variable->to;
}

// A variable of the same name in an inner scope hides it.
static bool is_hidden(const struct view *v, const struct debug_variable *variable)
{
    for (size_t i = 0; i < v->named->count; i++) {
        const struct debug_variable *other = &v->named->variables[i];
        if (in_scope(v, other) && other->to - other->from < variable->to - variable->from &&
            strcmp(other->name, variable->name) == 0)
            return true;
    }
    return false;
}

bool sim_trace_has_variables(const struct sim_trace *t)
{
    bool any = false;
    for (size_t i = 0; t->debug && i < t->module->function_count; i++)
        any |= t->debug->functions[i].count > 0;
    return any;
}

// The size of the smallest scope that is larger than `size` and has a variable to show; 0: none has.
static size_t next_scope(const struct view *v, size_t size)
{
    size_t next = 0;
    for (size_t i = 0; i < v->named->count; i++) {
        const struct debug_variable *one = &v->named->variables[i];
        size_t own = one->to - one->from;
        if (!one->parameter && in_scope(v, one) && own > size && (!next || own < next))
            next = own;
    }
    return next;
}

// `scope`: the variables of a scope of this size; 0: the parameters.
static void list_scope(struct part_list *list, struct view *v, size_t scope)
{
    for (size_t i = 0; i < v->named->count; i++) {
        v->variable = &v->named->variables[i];
        bool wanted = scope ? !v->variable->parameter && v->variable->to - v->variable->from == scope
                            : v->variable->parameter;
        if (wanted && in_scope(v, v->variable) && !is_hidden(v, v->variable))
            list_parts(list, v, v->variable->type, 0, v->variable->name, 0);
    }
}

size_t sim_trace_variables(const struct sim_trace *t, struct sim_variable *out, size_t room)
{
    struct view v;
    struct part_list list = { .out = out, .room = room };
    if (!view_open(t, &v))
        return 0;
    for (size_t scope = 0; (scope = next_scope(&v, scope));)
        list_scope(&list, &v, scope);
    list_scope(&list, &v, 0);
    return list.count;
}

// "[3][4]" of an array, ".x" of a structure. NULL: it has no such part.
static const struct debug_type *part_of(const struct debug_type *type, const char *path, uint64_t *at)
{
    while (*path) {
        const struct debug_type *plain = debug_plain(type);
        if (plain && plain->kind == DEBUG_ARRAY) {
            uint64_t size = debug_bytes(plain->to), index = 0;
            for (int i = 0; i < plain->dimensions; i++) {
                char *end;
                uint64_t one = *path == '[' ? strtoull(path + 1, &end, 10) : UINT64_MAX;
                if (one >= plain->counts[i] || *end != ']' || end == path + 1)
                    return NULL;
                index = index * plain->counts[i] + one;
                path = end + 1;
            }
            *at += index * size;
            type = plain->to;
        } else if (plain && plain->kind == DEBUG_STRUCT && *path == '.') {
            size_t length = strcspn(++path, ".[");
            const struct debug_member *m = plain->members;
            while (m && (strlen(m->name) != length || strncmp(m->name, path, length) != 0))
                m = m->next;
            if (!m)
                return NULL;
            *at += m->at;
            type = m->type;
            path += length;
        } else {
            return NULL;
        }
    }
    return type;
}

bool sim_trace_variable(const struct sim_trace *t, const char *name, struct sim_variable *out)
{
    struct view v;
    size_t length = strcspn(name, ".[");
    for (size_t i = 0; view_open(t, &v) && i < v.named->count; i++) {
        v.variable = &v.named->variables[i];
        uint64_t at = 0;
        if (strlen(v.variable->name) != length || strncmp(v.variable->name, name, length) != 0 ||
            !in_scope(&v, v.variable) || is_hidden(&v, v.variable))
            continue;
        const struct debug_type *type = part_of(v.variable->type, name + length, &at);
        if (!type && name[length])
            return false;
        show(&v, type, at, name, out);
        return true;
    }
    return false;
}
