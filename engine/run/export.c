// A kernel file → a host program: its opening comment, the kernels, what the CPU computes, main. What the CPU computes
// for a lab is the text of assets/host, which warpbook itself is compiled with, so both have the same input and the
// same right answer.
#include "engine/run/export.h"

#include "engine/run/export_parts.h"
#include "engine/run/worker.h"

#include <stdlib.h>
#include <string.h>

static void add(struct exporter *to, const char *text)
{
    text_add(to->out, text);
}

// ---- the opening comment ---------------------------------------------------------------------------

// Words as lines of a comment.
static void add_comment(struct exporter *to, const char *words)
{
    enum { COLUMNS = 100 };
    size_t column = 0;
    for (const char *at = words + strspn(words, " \t\r\n"); *at; at += strspn(at, " \t\r\n")) {
        size_t length = strcspn(at, " \t\r\n");
        if (column && column + 1 + length > COLUMNS) {
            add(to, "\n");
            column = 0;
        }
        text_addf(to->out, "%s %.*s", column ? "" : "//", (int)length, at);
        column += length + (column ? 1 : strlen("// "));
        at += length;
    }
    add(to, "\n");
}

static bool lines_have(const struct declared *declared, size_t count, enum scalar scalar)
{
    bool has = false;
    for (size_t i = 0; i < count; i++)
        has |= declared[i].type.scalar == scalar;
    return has;
}

static bool has_scalar(const struct exporter *to, enum scalar scalar)
{
    const struct variant *variant = to->variant;
    bool has = lines_have(variant->scratch, variant->scratch_count, scalar) ||
               lines_have(variant->symbols, variant->symbol_count, scalar) ||
               lines_have(variant->values, variant->value_count, scalar);
    for (size_t b = 0; b < to->problem->buffer_count; b++)
        has |= to->problem->buffers[b].type.scalar == scalar;
    return has;
}

// Of types that a //@ line may name without an include.
static void add_type_headers(struct exporter *to)
{
    add(to, has_scalar(to, SCALAR_HALF) ? "#include <cuda_fp16.h>\n" : "");
    add(to, has_scalar(to, SCALAR_BFLOAT16) ? "#include <cuda_bf16.h>\n" : "");
    add(to, has_scalar(to, SCALAR_E4M3) || has_scalar(to, SCALAR_E5M2) ? "#include <cuda_fp8.h>\n" : "");
}

static void add_head(struct exporter *to)
{
    const struct variant *variant = to->variant;
    struct text about = { 0 };
    int stem = (int)strcspn(to->name, ".");
    if (variant->lab && variant->step)
        text_addf(&about, "%s/%s: ", variant->lab, variant->name);
    text_addf(&about, "%s. %s", variant->title, variant->why ? variant->why : "");
    add_comment(to, text_string(&about));
    text_free(&about);
    text_addf(
        to->out,
        "//\n"
        "//     nvcc -O3 -arch=native -Xcompiler -fopenmp -o %.*s %s && ./%.*s\n"
        "//     clang++ -O3 -x cuda --cuda-gpu-arch=sm_90 -o %.*s %s -L/usr/local/cuda/lib64 -lcudart\n"
        "//\n"
        "// It ends with 0 when the result is right, with 1 when it is wrong or CUDA reports an error.\n\n",
        stem, to->name, to->name, stem, to->name, stem, to->name, to->name);
    add(to, "#include <algorithm>\n#include <assert.h>\n#include <cuda_runtime.h>\n#include <math.h>\n"
            "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "#include <vector>\n");
    add_type_headers(to);
}

static void add_heading(struct exporter *to, const char *words)
{
    text_addf(to->out, "\n// ---- %s ", words);
    for (size_t i = strlen(words); i < 82; i++)
        add(to, "-");
    add(to, "\n\n");
}

// The file without its //@ lines.
static void add_kernels(struct exporter *to)
{
    add_heading(to, to->variant->launch_count > 1 ? "The kernels" : "The kernel");
    bool begun = false;
    for (const char *at = to->variant->text; *at;) {
        size_t length = strcspn(at, "\r\n");
        bool directive = directive_marked(at + strspn(at, " \t"));
        begun |= length && !directive;
        if (begun && !directive)
            text_addf(to->out, "%.*s\n", (int)length, at);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    while (string_ends(text_string(to->out), "\n\n"))
        to->out->data[--to->out->length] = 0;
}

// ---- what the host computes --------------------------------------------------------------------------

static bool read_shipped(struct text *out, const char *name, struct error *error)
{
    char *below = text_format("assets/host/%s.h", name), *path = path_shipped(below);
    bool read = path ? file_read(path, out, error)
                     : error_set(error, EXIT_MISSING, "%s is not found. Set WARPBOOK_DATA.", below);
    free(below);
    free(path);
    return read;
}

static bool lines_use_hash(const struct declared *declared, size_t count)
{
    bool uses = false;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < declared[i].initial.part_count && !uses; p++) {
            const struct initial_part *part = &declared[i].initial.parts[p];
            char *text = directive_text(part->at, part->end);
            uses = export_uses(text, "hash");
            free(text);
        }
    return uses;
}

static bool uses_hash(const struct exporter *to)
{
    const struct variant *variant = to->variant;
    return lines_use_hash(variant->buffers, variant->buffer_count) ||
           lines_use_hash(variant->symbols, variant->symbol_count) ||
           lines_use_hash(variant->values, variant->value_count);
}

static bool add_data(struct exporter *to)
{
    struct text hash = { 0 };
    bool alone = !to->problem->lab;
    if (alone && !uses_hash(to))
        return true;
    if (!read_shipped(&hash, "hash", to->error))
        return false;
    add(to, text_string(&hash));
    text_free(&hash);
    if (uses_hash(to))
        add(to, "\nstatic int64_t hash_of(int64_t x)\n{\n    return hash((uint32_t)x);\n}\n");
    // Past the #include of what was just written.
    const char *rest = text_string(&to->lab);
    if (string_starts(rest, "#include"))
        rest += strcspn(rest, "\n") + 1;
    add(to, rest);
    return true;
}

// "fabs(…) <= 5e-13 * fabs(…)", or "got[i] == want[i]".
static void add_condition(struct text *out, const struct tolerance *t)
{
    if (t->absolute == 0 && t->relative == 0) {
        text_add(out, "got[i] == want[i]");
        return;
    }
    text_add(out, "fabs((double)got[i] - (double)want[i]) <= ");
    if (t->absolute != 0)
        text_addf(out, "%.3g%s", t->absolute, t->relative != 0 ? " + " : "");
    if (t->relative != 0)
        text_addf(out, "%.3g * fabs((double)want[i])", t->relative);
}

static void add_compare(struct exporter *to, const struct tolerance *t)
{
    struct text condition = { 0 };
    add_condition(&condition, t);
    text_addf(
        to->out,
        "\n// How many elements are wrong; the first three are printed.%s%s%s\n"
        "template <typename T>\n"
        "static size_t count_wrong(const char *name, const std::vector<T> &got, const std::vector<T> &want)\n"
        "{\n"
        "    size_t wrong = 0;\n"
        "    for (size_t i = 0; i < want.size(); i++) {\n"
        "        if (%s)\n"
        "            continue;\n"
        "        if (++wrong <= 3)\n"
        "            printf(\"%%s[%%zu] is %%.17g, and should be %%.17g\\n\", name, i, (double)got[i],\n"
        "                   (double)want[i]);\n"
        "    }\n"
        "    return wrong;\n"
        "}\n",
        t->reason ? " The bound:\n// " : "", t->reason ? t->reason : "", t->reason ? "." : "",
        text_string(&condition));
    text_free(&condition);
}

static bool add_host(struct exporter *to)
{
    const struct problem *problem = to->problem;
    const struct tolerance *tolerance = NULL;
    add_heading(to, problem->lab ? "On the CPU: the input, and what is right" : "On the CPU");
    add(to, "namespace host {\n\n");
    if (!add_data(to))
        return false;
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (export_is_answer(to, b))
            tolerance = &problem->buffers[b].tolerance;
    if (tolerance)
        add_compare(to, tolerance);
    if (!problem->lab)
        add(to, "\ntemplate <typename T> static void print_first(const char *name, const std::vector<T> "
                "&values)\n"
                "{\n"
                "    printf(\"%s:\", name);\n"
                "    for (size_t i = 0; i < values.size() && i < 8; i++)\n"
                "        printf(\" %.9g\", (double)values[i]);\n"
                "    printf(\"%s\\n\", values.size() > 8 ? \" ...\" : \"\");\n"
                "}\n");
    add(to, "\n} // namespace host\n");
    return true;
}

// ---- names -------------------------------------------------------------------------------------------

static bool is_taken(const char *name)
{
    static const char *const taken[] = {
        "start",      "stop",      "times",    "total_ms", "warm",     "ms",       "wrong",    "bytes",
        "operations", "l2_bytes",  "host",     "main",     "std",      "CHECK",    "class",    "new",
        "delete",     "this",      "template", "private",  "public",   "operator", "int",      "float",
        "double",     "char",      "long",     "short",    "for",      "while",    "if",       "do",
        "auto",       "const",     "return",   "switch",   "case",     "try",      "catch",    "throw",
        "using",      "namespace", "typename", "static",   "struct",   "union",    "enum",     "true",
        "false",      "default",   "register", "signed",   "unsigned", "void",     "volatile", "inline",
        "extern",     "goto",      "else",     "break",    "continue"
    };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(taken[i], name) == 0)
            return true;
    return false;
}

// Buffers have a prefix; parameters are the program's own variables.
static bool names_fit(const struct exporter *to)
{
    for (size_t p = 0; p < to->variant->param_count; p++)
        if (is_taken(to->variant->params[p].name))
            return error_at(to->error, &to->variant->source, to->variant->params[p].at,
                            "'%s' means something else in a C++ program; another name can be exported",
                            to->variant->params[p].name);
    return true;
}

static bool compose(struct exporter *to)
{
    const struct lab *lab = to->problem->lab;
    struct text check = { 0 };
    bool done = names_fit(to) && (!lab || read_shipped(&to->lab, lab->name, to->error)) &&
                read_shipped(&check, "check", to->error);
    if (done) {
        add_head(to);
        add_kernels(to);
        done = add_host(to);
    }
    if (done) {
        add_heading(to, "main");
        text_addf(to->out, "%s", text_string(&check));
        export_texture_helpers(to);
        text_add(to->out, "\n");
        export_main(to);
    }
    text_free(&check);
    text_free(&to->lab);
    return done;
}

char *export_name(const struct variant *variant)
{
    const char *dash = variant->step ? strchr(variant->name, '-') : NULL;
    return text_format("%s.cu", dash ? dash + 1 : variant->name);
}

// Goes into a comment and a command line.
static bool is_plain(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!byte_in_word(*c) && !strchr(".-", *c))
            return false;
    return *name && *name != '-' && *name != '.';
}

bool export_program(const struct variant *variant, const struct request *request, const char *name,
                    struct text *out, struct error *error)
{
    struct problem problem;
    if (!request_plan(request, variant, &problem, error))
        return false;
    char *usual = export_name(variant);
    struct exporter to = { variant, &problem, is_plain(name) ? name : usual, { 0 }, out, error };
    bool done = compose(&to);
    free(usual);
    problem_free(&problem);
    return done;
}
