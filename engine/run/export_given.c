// The parts of main for what elements are at first: of buffers, of variables of the code, and structures as arguments.
#include "engine/run/export_parts.h"

static void add(struct exporter *to, const char *text)
{
    text_add(to->out, text);
}

void export_type(struct exporter *to, const struct declared *declared)
{
    if (declared->layout.name)
        add(to, declared->layout.name);
    else
        type_write(declared->type, to->out);
}

// A buffer's name gives a pointer its address.
static void add_number(struct exporter *to, const char *text, const struct leaf *leaf, const char *element)
{
    add(to, "(");
    if (leaf->pointer)
        text_addf(to->out, "decltype(%s%s)", element, leaf->path);
    else
        type_write((struct type){ leaf->scalar, 1 }, to->out);
    add(to, ")(");
    if (leaf->pointer && export_type_of(to, text))
        text_addf(to->out, "d_%s", text);
    else
        export_expression(to, text, strlen(text));
    add(to, ")");
}

// A number or a vector, all of whose components have one value: "{ (float)(i), (float)(i) }".
static void add_whole(struct exporter *to, const struct declared *declared, const char *text,
                      const char *element)
{
    const struct layout *layout = &declared->layout;
    text_addf(to->out, "        %s = %s", element, layout->leaf_count > 1 ? "{ " : "");
    for (size_t l = 0; l < layout->leaf_count; l++) {
        add(to, l ? ", " : "");
        add_number(to, text, &layout->leaves[l], element);
    }
    add(to, layout->leaf_count > 1 ? " };\n" : ";\n");
}

static void add_part(struct exporter *to, const struct declared *declared, const struct initial_part *part,
                     const char *element)
{
    const struct layout *layout = &declared->layout;
    char *text = directive_text(part->at, part->end);
    const bool whole = part->count == layout->leaf_count && !layout->name;
    if (whole)
        add_whole(to, declared, text, element);
    for (size_t l = part->first; l < part->first + part->count && !whole; l++) {
        const struct leaf *leaf = &layout->leaves[l];
        if (leaf->pointer && part->count > 1)
            continue;
        text_addf(to->out, "        %s%s = ", element, leaf->path);
        add_number(to, text, leaf, element);
        add(to, ";\n");
    }
    free(text);
}

// The parts that every element has.
static void add_loop(struct exporter *to, const struct declared *declared, const char *name)
{
    const struct initial *initial = &declared->initial;
    const bool braces = initial->part_count > 1 || declared->layout.name;
    char *each = text_format("h_%s[i]", name);
    text_addf(to->out, "    for (int64_t i = 0; i < (int64_t)%s_count; i++)%s\n", name, braces ? " {" : "");
    for (size_t p = 0; p < initial->part_count; p++)
        add_part(to, declared, &initial->parts[p], each);
    add(to, braces ? "    }\n" : "");
    free(each);
}

// The parts of one element, `i` being its number.
static void add_one(struct exporter *to, const struct declared *declared, const struct initial_part *part,
                    const char *element)
{
    text_addf(to->out, "    {\n        const int64_t i = %lld;\n        (void)i;\n",
              (long long)(part->element < 0 ? 0 : part->element));
    add_part(to, declared, part, element);
    add(to, "    }\n");
}

// A list of numbers: { 1, 2, 3 }. Where one needs more than that, false.
static bool add_list(struct exporter *to, const struct declared *declared, const char *name)
{
    const struct initial *initial = &declared->initial;
    bool plain = !declared->layout.name && declared->layout.leaf_count == 1;
    for (size_t p = 0; p < initial->part_count && plain; p++) {
        char *text = directive_text(initial->parts[p].at, initial->parts[p].end);
        plain = initial->parts[p].element == (int64_t)p && !export_uses(text, "i");
        free(text);
    }
    if (!plain)
        return false;
    text_addf(to->out, "    h_%s = { ", name);
    for (size_t p = 0; p < initial->part_count; p++) {
        char *text = directive_text(initial->parts[p].at, initial->parts[p].end);
        add(to, p ? ", " : "");
        add_number(to, text, &declared->layout.leaves[0], name);
        free(text);
    }
    text_addf(to->out, " };\n    h_%s.resize(%s_count);\n", name, name);
    return true;
}

// The elements of h_NAME.
static void add_elements(struct exporter *to, const struct declared *declared, const char *name)
{
    const struct initial *initial = &declared->initial;
    if (!initial->part_count)
        return;
    if (initial->parts[0].element < 0) {
        add_loop(to, declared, name);
        return;
    }
    const bool listed = add_list(to, declared, name);
    for (size_t p = 0; !listed && p < initial->part_count; p++) {
        char *each = text_format("h_%s[i]", name);
        add_one(to, declared, &initial->parts[p], each);
        free(each);
    }
}

void export_elements(struct exporter *to, const struct declared *declared)
{
    add_elements(to, declared, declared->name);
}

// A variable of main for a symbol: its namespaces are no part of a name.
static char *variable_of(const struct declared *symbol)
{
    char *name = mem_copy(symbol->name);
    for (char *at = name; *at; at++)
        *at = *at == ':' ? '_' : *at;
    return name;
}

static void add_symbol(struct exporter *to, const struct declared *symbol)
{
    char *name = variable_of(symbol);
    text_addf(to->out, "    const size_t %s_count = ", name);
    if (symbol->count)
        export_count(to, symbol);
    else
        add(to, "1");
    add(to, ";\n    std::vector<");
    export_type(to, symbol);
    text_addf(to->out, "> h_%s(%s_count);\n", name, name);
    add_elements(to, symbol, name);
    free(name);
}

void export_given(struct exporter *to)
{
    const struct variant *variant = to->variant;
    if (variant->symbol_count)
        add(to, "\n    // What variables of the code hold before the first launch.\n");
    for (size_t s = 0; s < variant->symbol_count; s++)
        add_symbol(to, &variant->symbols[s]);
    if (variant->value_count)
        add(to, "\n    // Structures that kernels take.\n");
    for (size_t v = 0; v < variant->value_count; v++) {
        const struct declared *value = &variant->values[v];
        char *element = text_format("v_%s", value->name);
        add(to, "    ");
        export_type(to, value);
        text_addf(to->out, " %s = {};\n", element);
        for (size_t p = 0; p < value->initial.part_count; p++)
            add_one(to, value, &value->initial.parts[p], element);
        free(element);
    }
}

void export_symbol_copies(struct exporter *to)
{
    for (size_t s = 0; s < to->variant->symbol_count; s++) {
        const struct declared *symbol = &to->variant->symbols[s];
        char *name = variable_of(symbol);
        text_addf(to->out,
                  "        CHECK(cudaMemcpyToSymbol(::%s, h_%s.data(), %s_count * sizeof(h_%s[0])));\n",
                  symbol->name, name, name, name);
        free(name);
    }
}
