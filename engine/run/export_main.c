// The main function of a program that is exported: sizes, buffers, launches, times, the check. What a launch line says
// in C's words is copied as it is: its names are variables of the program.
#include "engine/run/export_parts.h"

#include "reference/lab.h"

#include <stdlib.h>
#include <string.h>

// ---- expressions of //@ lines -------------------------------------------------------------------------

static void add(struct exporter *to, const char *text)
{
    text_add(to->out, text);
}

static bool is_integer(const char *at, size_t length)
{
    if (*at < '0' || *at > '9')
        return false;
    bool hex = length > 1 && (at[1] == 'x' || at[1] == 'X');
    for (size_t i = hex ? 2 : 1; i < length; i++)
        if (!(at[i] >= '0' && at[i] <= '9') && at[i] != '\'' && !(hex && strchr("abcdefABCDEF", at[i])))
            return false;
    return true;
}

// Expressions are of 64 bits. In C++ a literal has 32 of them, which matters where it is shifted or large.
static bool wants_wide(const char *at, size_t length)
{
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        digits = byte_in_word(at[i]) ? digits + 1 : 0;
        if (digits > 9 || (at[i] == '<' && i + 1 < length && at[i + 1] == '<'))
            return true;
    }
    return false;
}

void export_expression(struct exporter *to, const char *at, size_t length)
{
    bool wide = wants_wide(at, length), real = memchr(at, '.', length) != NULL;
    for (const char *end = at + length; at < end;) {
        struct code_piece piece = piece_next(at);
        if (piece.kind == PIECE_END)
            return;
        if (piece.length > (size_t)(end - at))
            piece.length = (size_t)(end - at);
        at += piece.length;
        if (piece_is(piece, "hash"))
            add(to, "host::hash_of");
        else if (piece_is(piece, "min") || piece_is(piece, "max"))
            text_addf(to->out, "std::%.3s<%s>", piece.at, real ? "double" : "int64_t");
        else
            text_add_n(to->out, piece.at, piece.length);
        if (wide && !real && is_integer(piece.at, piece.length))
            add(to, "LL");
    }
}

static void add_text_expression(struct exporter *to, const char *text)
{
    export_expression(to, text, strlen(text));
}

// The text between a bracket at `open` and the one that closes it.
static size_t inside(const char *open)
{
    int depth = 0;
    const char *at = open;
    for (;;) {
        struct code_piece piece = piece_next(at);
        if (piece.kind == PIECE_END)
            return strlen(open + 1);
        depth += strchr("([", *piece.at) ? 1 : strchr(")]", *piece.at) ? -1 : 0;
        if (!depth)
            return (size_t)(piece.at - open - 1);
        at += piece.length;
    }
}

// What is between the brackets of a scratch or a buffer line.
void export_count(struct exporter *to, const struct declared *declared)
{
    char *line = export_words(to, declared->at);
    const char *open = strchr(line, '[');
    if (open)
        export_expression(to, open + 1, inside(open));
    free(line);
}

// ---- buffers -----------------------------------------------------------------------------------------

static bool is_input(const struct exporter *to, size_t b)
{
    const struct problem_buffer *buffer = &to->problem->buffers[b];
    return to->problem->lab ? buffer->direction != BUFFER_OUT : to->variant->buffers[b].initial.given;
}

static bool is_placed(const struct exporter *to, size_t b)
{
    return variant_uses(to->variant, to->problem->buffers[b].name);
}

static const struct declared *scratch_of(const struct exporter *to, const char *name)
{
    for (size_t s = 0; s < to->variant->scratch_count; s++)
        if (strcmp(to->variant->scratch[s].name, name) == 0)
            return &to->variant->scratch[s];
    return NULL;
}

const struct type *export_type_of(const struct exporter *to, const char *name)
{
    const struct declared *scratch = scratch_of(to, name);
    const struct problem_buffer *buffer = scratch ? NULL : problem_buffer_find(to->problem, name);
    return scratch ? &scratch->type : buffer ? &buffer->type : NULL;
}

// The type of the elements of a buffer or scratch.
static void add_type_of(struct exporter *to, const char *name)
{
    const struct declared *declared = scratch_of(to, name);
    const struct problem_buffer *buffer = declared ? NULL : problem_buffer_find(to->problem, name);
    if (buffer && !to->problem->lab)
        declared = &to->variant->buffers[buffer - to->problem->buffers];
    if (declared)
        export_type(to, declared);
    else if (buffer)
        type_write(buffer->type, to->out);
}

// ---- main: sizes -------------------------------------------------------------------------------------

static void add_number(struct exporter *to, int64_t value)
{
    int shift = 0;
    while (value > 0 && shift < 62 && (int64_t)1 << (shift + 1) <= value)
        shift++;
    bool power = value == (int64_t)1 << shift;
    if (power && shift >= 10)
        text_addf(to->out, "%s << %d", shift < 31 ? "1" : "1LL", shift);
    else
        text_addf(to->out, "%lld%s", (long long)value, value > INT32_MAX ? "LL" : "");
}

static void add_params(struct exporter *to)
{
    const struct expr_params *params = &to->problem->params;
    const struct lab *lab = to->problem->lab;
    for (size_t p = 0; p < params->count; p++) {
        struct expr_value value = params->bindings[p].value;
        text_addf(to->out, "    const %s %s = ", value.real ? "double" : "int64_t", params->names[p]);
        if (value.real)
            text_addf(to->out, "%.17g", value.r);
        else
            add_number(to, value.i);
        text_addf(to->out, ";%s%s\n", lab ? " // " : "", lab ? lab->params_help[p] : "");
    }
}

// The text of a condition within a string that printf formats.
static void add_quoted(struct exporter *to, const char *text)
{
    for (; *text; text++)
        text_addf(to->out, "%s%c", *text == '%' ? "%" : *text == '"' || *text == '\\' ? "\\" : "", *text);
}

static void add_needs(struct exporter *to)
{
    for (size_t c = 0; c < to->variant->need_count; c++) {
        const char *text = to->variant->needs[c].text;
        add(to, "    if (!(");
        add_text_expression(to, text);
        add(to, ")) {\n        fprintf(stderr, \"This kernel needs ");
        add_quoted(to, text);
        add(to, ".\\n\");\n        return 1;\n    }\n");
    }
}

static bool line_uses(const struct exporter *to, const char *at, const char *word)
{
    char *line = export_words(to, at);
    bool uses = export_uses(line, word);
    free(line);
    return uses;
}

static bool uses_sm_count(const struct exporter *to)
{
    const struct variant *variant = to->variant;
    bool uses = false;
    for (size_t l = 0; l < variant->launch_count; l++)
        uses |= line_uses(to, variant->launches[l].at, "sm_count");
    for (size_t l = 0; l < variant->loop_count; l++)
        uses |= line_uses(to, variant->loops[l].at, "sm_count");
    for (size_t s = 0; s < variant->scratch_count; s++)
        uses |= line_uses(to, variant->scratch[s].at, "sm_count");
    for (size_t c = 0; c < variant->need_count; c++)
        uses |= export_uses(variant->needs[c].text, "sm_count");
    return uses;
}

static void add_sizes(struct exporter *to)
{
    if (to->problem->params.count) {
        add(to, "    // The size of the problem.\n");
        add_params(to);
    }
    if (uses_sm_count(to))
        add(to, "    int sm_count = 0;\n"
                "    CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));\n");
    add_needs(to);
}

// ---- main: buffers -----------------------------------------------------------------------------------

static void add_buffer_count(struct exporter *to, size_t b)
{
    if (to->problem->lab)
        add_text_expression(to, to->problem->lab->buffers[b].count);
    else
        export_count(to, &to->variant->buffers[b]);
}

static void add_vector(struct exporter *to, const char *prefix, size_t b)
{
    const struct problem_buffer *buffer = &to->problem->buffers[b];
    add(to, "    std::vector<");
    add_type_of(to, buffer->name);
    text_addf(to->out, "> %s_%s(%s_count);\n", prefix, buffer->name, buffer->name);
}

// `host::make_input(h_data.data(), h_total.data(), n);`: the names of the function's parameters say what it is given.
static void add_call(struct exporter *to, const char *function, bool answers)
{
    const char *at = strstr(text_string(&to->lab), function), *separator = "";
    if (!at)
        return;
    at += strlen(function);
    text_addf(to->out, "    host::%s(", function);
    for (const char *end = at + inside(at) + 1; at < end;) {
        size_t length = 1 + strcspn(at + 1, ",)");
        const char *name = at + length;
        while (byte_in_word(name[-1]))
            name--;
        char *word = mem_copy_n(name, (size_t)(at + length - name));
        const struct problem_buffer *buffer = problem_buffer_find(to->problem, word);
        bool want = buffer && answers && export_is_answer(to, (size_t)(buffer - to->problem->buffers));
        if (strcmp(word, "distribution") == 0)
            text_addf(to->out, "%s\"%s\"", separator, to->problem->data);
        else
            text_addf(to->out, buffer ? "%s%s%s.data()" : "%s%s%s", separator,
                      !buffer ? ""
                      : want  ? "want_"
                              : "h_",
                      word);
        separator = ", ";
        free(word);
        at += length;
    }
    add(to, ");\n");
}

static void add_inputs(struct exporter *to)
{
    const struct problem *problem = to->problem;
    add(to, problem->lab ? "\n    // The input, and the right answer.\n" : "\n    // The input.\n");
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const char *name = problem->buffers[b].name;
        text_addf(to->out, "    const size_t %s_count = ", name);
        add_buffer_count(to, b);
        if (is_placed(to, b)) {
            text_addf(to->out, ", %s_bytes = %s_count * sizeof(", name, name);
            add_type_of(to, name);
            add(to, ")");
        }
        add(to, ";\n");
    }
    for (size_t b = 0; b < problem->buffer_count; b++) {
        if (is_input(to, b))
            add_vector(to, "h", b);
        if (export_is_answer(to, b))
            add_vector(to, "want", b);
        if (is_input(to, b) && !problem->lab)
            export_elements(to, &to->variant->buffers[b]);
    }
    if (problem->lab) {
        add_call(to, "make_input", false);
        add_call(to, "cpu_answer", true);
    }
}

static void add_device_pointer(struct exporter *to, const char *name)
{
    add(to, "    ");
    add_type_of(to, name);
    text_addf(to->out, " *d_%s = nullptr;\n    CHECK(cudaMalloc(&d_%s, ", name, name);
}

static void add_device(struct exporter *to)
{
    const struct problem *problem = to->problem;
    add(to, "\n    // The same on the GPU.\n");
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const char *name = problem->buffers[b].name;
        if (!is_placed(to, b))
            continue;
        add_device_pointer(to, name);
        text_addf(to->out, "%s_bytes));\n", name);
        if (is_input(to, b))
            text_addf(to->out,
                      "    CHECK(cudaMemcpy(d_%s, h_%s.data(), %s_bytes, cudaMemcpyHostToDevice));\n", name,
                      name, name);
    }
    for (size_t s = 0; s < to->variant->scratch_count; s++) {
        const struct declared *scratch = &to->variant->scratch[s];
        text_addf(to->out, "    const size_t %s_count = ", scratch->name);
        export_count(to, scratch);
        add(to, "; // between the kernels\n");
        add_device_pointer(to, scratch->name);
        text_addf(to->out, "%s_count * sizeof(*d_%s)));\n", scratch->name, scratch->name);
    }
}

// ---- main: launches ----------------------------------------------------------------------------------

// The type of a kernel's parameter as it is declared, without its name and qualifiers: "unsigned*". False: it is no pointer,
// or not that of a declaration as they usually are.
static bool parameter_type(const char *source, const char *kernel, size_t index, struct text *out)
{
    struct code_piece piece;
    const char *at = source;
    while (kernel_next(&at, &piece) && !piece_is(piece, kernel))
        ;
    if (piece.kind != PIECE_WORD || !piece_is(piece, kernel))
        return false;
    bool pointer = false;
    for (size_t parameter = 0; parameter <= index;) {
        piece = piece_next(at);
        at += piece.length;
        if (piece.kind == PIECE_END || piece_is(piece, ")") || piece_is(piece, "[") || piece_is(piece, "<"))
            break;
        if (piece_is(piece, ",")) {
            parameter++;
            continue;
        }
        bool word = piece.kind == PIECE_WORD && !pointer && !piece_is(piece, "const") &&
                    !piece_is(piece, "volatile") && !piece_is(piece, "struct");
        if (parameter == index && word)
            text_addf(out, "%s%.*s", out->length ? " " : "", (int)piece.length, piece.at);
        if (parameter == index && piece_is(piece, "*")) {
            text_add(out, "*");
            pointer = true;
        }
    }
    return pointer;
}

// A variable of main hides a kernel of its name.
static const char *scope_of(const struct exporter *to, const struct launch *launch)
{
    static const char *const locals[] = { "sm_count", "start", "stop",  "times",      "total_ms", "warm",
                                          "ms",       "wrong", "bytes", "operations", "l2_bytes" };
    bool hidden = false;
    for (size_t i = 0; i < sizeof locals / sizeof *locals; i++)
        hidden |= strcmp(locals[i], launch->spelled) == 0;
    for (size_t p = 0; p < to->problem->params.count; p++)
        hidden |= strcmp(to->problem->params.names[p], launch->spelled) == 0;
    return hidden ? "::" : "";
}

// A buffer as the kernel wants it: with a cast where it is a pointer to something else.
static void add_buffer_argument(struct exporter *to, const struct launch *launch, size_t argument)
{
    const char *name = launch->arguments[argument].name;
    struct text wanted = { 0 };
    struct type read = { 0 };
    const struct type *type = export_type_of(to, name);
    if (parameter_type(to->variant->text, launch->kernel, argument, &wanted)) {
        size_t used = type_parse(text_string(&wanted), &read);
        bool same = used && strcmp(wanted.data + used, "*") == 0 && read.scalar == type->scalar &&
                    read.lanes == type->lanes && !type_is_another(text_string(&wanted));
        bool may_be_any = !used && (strstr(to->variant->text, "template") || // T *
                                    type->scalar == SCALAR_STRUCTURE);
        if (!same && !may_be_any)
            text_addf(to->out, "(%.*s *)", (int)wanted.length - 1, wanted.data);
    }
    text_addf(to->out, "d_%s", name);
    text_free(&wanted);
}

// Up to the comma after an argument, or the bracket after the last.
static size_t argument_length(const char *at)
{
    int depth = 0;
    const char *end = at;
    for (; *end && (depth || !strchr(",)", *end)); end++)
        depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
    return (size_t)(end - at);
}

// Up to the comma after a part of a launch line, or its end.
static size_t part_length(const char *at, const char *end)
{
    size_t length = argument_length(at);
    return length < (size_t)(end - at) ? length : (size_t)(end - at);
}

// What cudaLaunchKernelEx takes in place of <<<…>>>, up to the arguments; `words` follow those on the line.
static void add_config(struct exporter *to, const struct launch *launch, const char *at, const char *end,
                       const char *words)
{
    static const char *const parts[] = { "gridDim", "blockDim", "dynamicSmemBytes" };
    add(to, "        {\n        cudaLaunchAttribute with[2] = {};\n        cudaLaunchConfig_t how = {};\n");
    for (size_t i = 0; i < 3 && at < end; i++) {
        size_t length = part_length(at, end);
        text_addf(to->out, "        how.%s = ", parts[i]);
        export_expression(to, at, length);
        add(to, ";\n");
        at += length;
        at += strspn(at, ", ");
    }
    add(to, "        how.attrs = with;\n");
    const char *cluster = launch->cluster.part[0] ? strstr(words, "cluster") + strlen("cluster") : NULL;
    const char *after = launch->cooperative ? strstr(words, "cooperative") : words + strlen(words);
    if (cluster) {
        add(to, "        dim3 cluster = ");
        cluster += strspn(cluster, " ");
        while (after > cluster && after[-1] == ' ')
            after--;
        export_expression(to, cluster, (size_t)(after - cluster));
        add(to, ";\n        with[how.numAttrs].id = cudaLaunchAttributeClusterDimension;\n"
                "        with[how.numAttrs].val.clusterDim.x = cluster.x;\n"
                "        with[how.numAttrs].val.clusterDim.y = cluster.y;\n"
                "        with[how.numAttrs++].val.clusterDim.z = cluster.z;\n");
    }
    if (launch->cooperative)
        add(to, "        with[how.numAttrs].id = cudaLaunchAttributeCooperative;\n"
                "        with[how.numAttrs++].val.cooperative = 1;\n");
    text_addf(to->out, "        cudaLaunchKernelEx(&how, %s%s", scope_of(to, launch), launch->spelled);
}

// A launch as its line has it, with the program's names for the buffers.
static void add_launch(struct exporter *to, const struct launch *launch)
{
    char *line = export_words(to, launch->at);
    const char *grid = strstr(line, "<<<") + strlen("<<<"), *end = strstr(grid, ">>>");
    const char *at = end + strcspn(end, "(") + 1, *words = at;
    bool config = launch->cooperative || launch->cluster.part[0];
    for (size_t a = 0; a < launch->argument_count; a++) {
        words += argument_length(words);
        words += strspn(words, ", ");
    }
    if (config) {
        add_config(to, launch, grid, end, words);
    } else {
        text_addf(to->out, "        %s%s<<<", scope_of(to, launch), launch->spelled);
        export_expression(to, grid, (size_t)(end - grid));
        add(to, ">>>(");
    }
    for (size_t a = 0; a < launch->argument_count; a++) {
        size_t length = argument_length(at);
        add(to, a || config ? ", " : "");
        const char *name = launch->arguments[a].name;
        if (name && export_type_of(to, name))
            add_buffer_argument(to, launch, a);
        else if (name && variant_texture(to->variant, name))
            text_addf(to->out, "t_%s", name);
        else if (name && variant_value(to->variant, name))
            text_addf(to->out, "v_%s", name);
        else
            export_expression(to, at, length);
        at += length;
        at += strspn(at, ", ");
    }
    text_addf(to->out, ");\n%s        CHECK(cudaGetLastError()); // what is wrong with the launch itself\n",
              config ? "        }\n" : "");
    free(line);
}

// `for (long long s = n / 2; s > 0; s = s / 2) {`
static void add_loop(struct exporter *to, const struct launch_loop *loop)
{
    char *line = export_words(to, loop->at);
    const char *first = strchr(line, '=') + 1, *holds = strchr(first, ';') + 1,
               *again = strchr(holds, ';') + 1, *next = strchr(again, '=') + 1, *end = strrchr(next, ')');
    text_addf(to->out, "        for (long long %s =", loop->name);
    export_expression(to, first, (size_t)(holds - first));
    export_expression(to, holds, (size_t)(again - holds));
    text_addf(to->out, " %s =", loop->name);
    export_expression(to, next, (size_t)(end - next));
    add(to, ") {\n");
    free(line);
}

// A launch or the head of a loop, so many levels further to the right.
static void add_indented(struct exporter *to, int depth, const struct launch *launch,
                         const struct launch_loop *loop)
{
    struct text own = { 0 }, *out = to->out;
    to->out = &own;
    if (loop)
        add_loop(to, loop);
    else
        add_launch(to, launch);
    to->out = out;
    for (const char *at = text_string(&own), *end; *at; at = end) {
        end = strchr(at, '\n') + 1;
        text_addf(to->out, "%*s%.*s", 4 * depth, "", (int)(end - at), at);
    }
    text_free(&own);
}

// The launches of a file with loops, each between the copies that its textures need.
static void add_loops(struct exporter *to)
{
    const struct variant *variant = to->variant;
    int depth = 0;
    for (size_t l = 0; l <= variant->launch_count; l++) {
        for (size_t i = variant->loop_count; i-- > 0;)
            if (variant->loops[i].to == l)
                text_addf(to->out, "        %*s}\n", 4 * --depth, "");
        for (size_t i = 0; i < variant->loop_count; i++)
            if (variant->loops[i].from == l)
                add_indented(to, depth++, NULL, &variant->loops[i]);
        if (l == variant->launch_count)
            break;
        export_texture_copies(to, &variant->launches[l], false);
        add_indented(to, depth, &variant->launches[l], NULL);
        export_texture_copies(to, &variant->launches[l], true);
    }
    add(to, "        CHECK(cudaEventRecord(stop));\n");
}

// More than 48 KB of dynamic shared memory must be asked for.
static void add_shared(struct exporter *to)
{
    for (size_t l = 0; l < to->variant->launch_count; l++) {
        const struct launch *launch = &to->variant->launches[l];
        struct expr_value bytes;
        struct error unused;
        struct expr_binding bindings[EXPR_PARAMS + 1];
        size_t count = to->problem->params.count;
        memcpy(bindings, to->problem->params.bindings, count * sizeof *bindings);
        bindings[count++] = (struct expr_binding){ "sm_count", value_int(1) };
        struct expr_scope scope = { bindings, count };
        if (launch->shared && expr_eval(launch->shared, &scope, &bytes, &unused) &&
            value_as_int(bytes) > 48 << 10)
            text_addf(
                to->out,
                "    CHECK(cudaFuncSetAttribute(%s%s, cudaFuncAttributeMaxDynamicSharedMemorySize, %lld));\n",
                scope_of(to, launch), launch->spelled, (long long)value_as_int(bytes));
    }
}

static void add_reset(struct exporter *to)
{
    for (size_t b = 0; b < to->problem->buffer_count; b++) {
        const char *name = to->problem->buffers[b].name;
        if (!is_placed(to, b) || !variant_may_change(to->variant, name))
            continue;
        if (is_input(to, b))
            text_addf(to->out,
                      "        CHECK(cudaMemcpy(d_%s, h_%s.data(), %s_bytes, cudaMemcpyHostToDevice));\n",
                      name, name, name);
        else
            text_addf(to->out, "        CHECK(cudaMemset(d_%s, 0xff, %s_bytes));\n", name, name);
    }
    export_symbol_copies(to);
}

static void add_timing(struct exporter *to)
{
    add(to, "\n    // Twice the size of the L2 cache: writing it leaves nothing else there.\n"
            "    int l2_bytes = 0;\n"
            "    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));\n"
            "    void *d_flush = nullptr;\n"
            "    CHECK(cudaMalloc(&d_flush, 2 * (size_t)l2_bytes + 1));\n"
            "    cudaEvent_t start, stop;\n"
            "    CHECK(cudaEventCreate(&start));\n"
            "    CHECK(cudaEventCreate(&stop));\n");
    add_shared(to);
    add(to,
        "\n    // The median of 15 repeats, or of fewer that take a second. The first run is not counted: in "
        "it the\n"
        "    // code is loaded and the clock rises. Each starts from the same data and with a cold cache.\n"
        "    std::vector<float> times;\n"
        "    float total_ms = 0;\n"
        "    for (bool warm = false; times.size() < 3 || (times.size() < 15 && total_ms < 1000); warm = "
        "true) {\n");
    add_reset(to);
    const struct launch *launches = to->variant->launches;
    const size_t count = to->variant->launch_count;
    if (!to->variant->loop_count)
        export_texture_copies(to, &launches[0], false);
    add(to, "        CHECK(cudaMemset(d_flush, 0, 2 * (size_t)l2_bytes + 1));\n\n"
            "        CHECK(cudaEventRecord(start));\n");
    if (to->variant->loop_count)
        add_loops(to);
    for (size_t l = 0; l < count && !to->variant->loop_count; l++) {
        add_launch(to, &launches[l]);
        if (l + 1 == count)
            add(to, "        CHECK(cudaEventRecord(stop));\n");
        export_texture_copies(to, &launches[l], true);
        if (l + 1 < count)
            export_texture_copies(to, &launches[l + 1], false);
    }
    add(to, "        CHECK(cudaEventSynchronize(stop)); // what went wrong while it ran\n\n"
            "        float ms = 0;\n"
            "        CHECK(cudaEventElapsedTime(&ms, start, stop));\n"
            "        if (!warm)\n"
            "            continue;\n"
            "        times.push_back(ms);\n"
            "        total_ms += ms;\n"
            "    }\n"
            "    std::sort(times.begin(), times.end());\n"
            "    double ms = times[times.size() / 2];\n"
            "    printf(\"%.4f ms, the median of %zu\\n\", ms, times.size());\n");
}

// ---- main: results ---------------------------------------------------------------------------------

static void add_rates(struct exporter *to)
{
    const struct lab *lab = to->problem->lab;
    if (!lab)
        return;
    add(to, "\n    // What must be moved and computed at least, whatever the kernel does.\n    const double "
            "bytes = ");
    add_text_expression(to, lab->bytes);
    add(to, ", operations = ");
    add_text_expression(to, lab->operations);
    text_addf(to->out,
              ";\n"
              "    printf(\"%%.1f GB/s%s, %%.1f billion %s a second\\n\", bytes / ms / 1e6, operations / ms "
              "/ 1e6);\n",
              lab->ceiling == CEILING_SHARED ? " of shared memory" : "", lab->operation_name);
}

static void add_got(struct exporter *to, size_t b)
{
    const char *name = to->problem->buffers[b].name;
    add_vector(to, "got", b);
    text_addf(to->out, "    CHECK(cudaMemcpy(got_%s.data(), d_%s, %s_bytes, cudaMemcpyDeviceToHost));\n",
              name, name, name);
}

static void add_check(struct exporter *to)
{
    const struct problem *problem = to->problem;
    add(to, problem->lab
                ? "\n    // Every element is compared.\n    size_t wrong = 0;\n"
                : "\n    // What came out. Compute what is right, compare, and return 1 where it differs.\n");
    for (size_t b = 0; b < problem->buffer_count; b++) {
        const char *name = problem->buffers[b].name;
        if (!is_placed(to, b) ||
            !(problem->lab ? export_is_answer(to, b) : variant_may_change(to->variant, name)))
            continue;
        if (!problem->lab && problem->buffers[b].type.lanes > 1) // nor is a structure printed
            continue;
        add_got(to, b);
        if (problem->buffers[b].any_order && !variant_orders(to->variant, name))
            text_addf(to->out,
                      "    // Right in any order.\n    std::sort(got_%s.begin(), got_%s.end());\n"
                      "    std::sort(want_%s.begin(), want_%s.end());\n",
                      name, name, name, name);
        text_addf(to->out,
                  problem->lab ? "    wrong += host::count_wrong(\"%s\", got_%s, want_%s);\n"
                               : "    host::print_first(\"%s\", got_%s);\n",
                  name, name, name);
    }
    if (problem->lab)
        add(to, "    if (wrong)\n        printf(\"wrong: %zu elements\\n\", wrong);\n"
                "    else\n        printf(\"right\\n\");\n");
    else
        add(to, "    printf(\"not checked\\n\");\n");
}

static void add_end(struct exporter *to)
{
    export_texture_end(to);
    add(to, "\n    CHECK(cudaEventDestroy(start));\n    CHECK(cudaEventDestroy(stop));\n"
            "    CHECK(cudaFree(d_flush));\n");
    for (size_t b = 0; b < to->problem->buffer_count; b++)
        if (is_placed(to, b))
            text_addf(to->out, "    CHECK(cudaFree(d_%s));\n", to->problem->buffers[b].name);
    for (size_t s = 0; s < to->variant->scratch_count; s++)
        text_addf(to->out, "    CHECK(cudaFree(d_%s));\n", to->variant->scratch[s].name);
    add(to, to->problem->lab ? "    return wrong ? 1 : 0;\n}\n" : "    return 0;\n}\n");
}

void export_main(struct exporter *to)
{
    add(to, "int main()\n{\n");
    add_sizes(to);
    add_inputs(to);
    add_device(to);
    export_textures(to);
    export_given(to);
    add_timing(to);
    add_rates(to);
    add_check(to);
    add_end(to);
}
