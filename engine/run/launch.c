// A launch line becomes numbers: the compiled kernel that it means, its grid, its block, and each argument in the bytes
// that the kernel expects. Overloads and instances of templates share a name in CUDA C: the template's arguments in the
// line decide which is meant, or else the arguments of the launch, as far as they do. Nothing is chosen by chance.
#include "engine/run/worker.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6 }; // kernels in a message

// ---- types and numbers in one spelling -------------------------------------------------------------------

// The words of C's builtin numbers, which may stand in any order: unsigned, long long int.
struct type_words {
    bool is_unsigned, is_signed, is_short, is_char, other, is_const;
    int longs;
};

static bool note_word(struct type_words *words, struct code_piece piece)
{
    bool *const flags[] = { &words->is_unsigned, &words->is_signed, &words->is_short,
                            &words->is_char,     &words->other,     &words->is_const };
    static const char *const names[] = { "unsigned", "signed", "short", "char", "int", "const" };
    words->longs += piece_is(piece, "long");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (piece_is(piece, names[i])) {
            *flags[i] = true;
            return true;
        }
    return piece_is(piece, "long");
}

static void add_words(struct text *out, struct type_words *words)
{
    const char *type = words->is_char                                           ? "char"
                       : words->is_short                                        ? "short"
                       : words->longs > 1                                       ? "long long"
                       : words->longs                                           ? "long"
                       : words->is_unsigned || words->is_signed || words->other ? "int"
                                                                                : "";
    const char *sign = words->is_unsigned ? "unsigned " : words->is_signed && words->is_char ? "signed " : "";
    text_addf(out, "%s%s%s", words->is_const ? "const " : "", sign, type);
    *words = (struct type_words){ 0 };
}

static void add_number(struct text *out, struct code_piece piece)
{
    char digits[32];
    format_into(digits, sizeof digits, "%.*s", (int)(piece.length < 31 ? piece.length : 31), piece.at);
    text_addf(out, "%llu", strtoull(digits, NULL, 0));
}

// A const after the name of a type, float const *, means what one before it does.
static void add_const(struct text *out, size_t start)
{
    struct text whole = { 0 };
    text_add_n(&whole, out->data, start);
    text_addf(&whole, "const %s", out->data + start);
    text_free(out);
    *out = whole;
}

// "unsigned", "int const *", "0x10u" become "unsigned int", "const int*", "16".
static void add_canonical(struct text *out, const char *at, size_t length)
{
    const char *end = at + length;
    struct type_words words = { 0 };
    size_t start = 0; // of the type at hand
    while (at < end) {
        struct code_piece piece = piece_next(at);
        at += piece.length;
        if (piece.kind == PIECE_END)
            break;
        if (piece_is(piece, "const") && out->length > start) {
            add_const(out, start);
            start = out->length;
            continue;
        }
        if (piece.kind == PIECE_BLANK || piece.kind == PIECE_COMMENT || note_word(&words, piece))
            continue;
        bool named = piece.kind == PIECE_WORD;
        add_words(out, &words);
        if (piece_is(piece, "true") || piece_is(piece, "false"))
            text_add(out, *piece.at == 't' ? "1" : "0");
        else if (named && *piece.at >= '0' && *piece.at <= '9')
            add_number(out, piece);
        else
            text_add_n(out, piece.at, piece.length);
        if (!named)
            start = out->length;
    }
    add_words(out, &words);
}

static bool same_spelling(const char *a, size_t a_length, const char *b, size_t b_length)
{
    struct text one = { 0 }, other = { 0 };
    add_canonical(&one, a, a_length);
    add_canonical(&other, b, b_length);
    bool same = strcmp(text_string(&one), text_string(&other)) == 0;
    text_free(&one);
    text_free(&other);
    return same;
}

// ---- names -------------------------------------------------------------------------------------------------

// The length of the first of "int, box<int, 4>>", up to the comma or the > after it.
static size_t item_length(const char *at)
{
    int depth = 0;
    size_t length = 0;
    for (; at[length]; length++) {
        char c = at[length];
        if (depth == 0 && (c == ',' || c == '>'))
            break;
        depth += strchr("<([", c) ? 1 : strchr(">)]", c) ? -1 : 0;
    }
    return length;
}

// "<int>" names "<int>" and also "<int, 4>", whose last argument may have been a default.
static bool instance_is(const char *wanted, const char *arguments)
{
    if (!*wanted)
        return true;
    while (*wanted == '<' || *wanted == ',') {
        if (*arguments != '<' && *arguments != ',')
            return false;
        size_t length = item_length(++wanted), own = item_length(++arguments);
        if (!same_spelling(wanted, length, arguments, own))
            return false;
        wanted += length;
        arguments += own;
    }
    return true;
}

enum near { NAME_OTHER, NAME_ENDS, NAME_SAME }; // NAME_ENDS: k of ns::k

static enum near name_near(const char *name, const char *wanted, size_t length)
{
    size_t own = name ? strlen(name) : 0;
    if (!name || own < length || memcmp(name + own - length, wanted, length) != 0)
        return NAME_OTHER;
    return own == length                                                       ? NAME_SAME
           : own > length + 1 && memcmp(name + own - length - 2, "::", 2) == 0 ? NAME_ENDS
                                                                               : NAME_OTHER;
}

// ---- arguments ---------------------------------------------------------------------------------------------

enum fit { FIT_NOT, FIT_UNKNOWN, FIT_CONVERTED, FIT_EXACTLY };

struct candidate {
    const struct sim_kernel *kernel;
    struct mangled mangled;
    enum near near;
    enum fit fit;
};
struct choice {
    const struct variant *variant;
    const struct launch *launch;
    struct candidate *all;
    size_t count;
};
struct given_argument { // an argument of the launch
    enum { GIVEN_NUMBER, GIVEN_BUFFER, GIVEN_HANDLE, GIVEN_STRUCTURE } kind;
    bool real;
    struct type type;
    const struct layout *layout; // of a structure
};

static bool is_number(const char *type)
{
    static const char *const names[] = { "bool",  "char",           "signed char", "unsigned char",
                                         "short", "unsigned short", "int",         "unsigned int",
                                         "long",  "unsigned long",  "long long",   "unsigned long long" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type, names[i]) == 0)
            return true;
    return false;
}

static bool is_real(const char *type)
{
    return strcmp(type, "float") == 0 || strcmp(type, "double") == 0;
}

// The element's type as C spells it.
static void write_element(const struct given_argument *given, struct text *out)
{
    if (given->layout && given->layout->name)
        text_add(out, given->layout->name);
    else
        type_write(given->type, out);
}

static enum fit pointer_fit(const char *type, const struct given_argument *given)
{
    struct text own = { 0 };
    size_t length = strlen(type);
    const char *start = string_starts(type, "const ") ? type + strlen("const ") : type;
    if (!length || type[length - 1] != '*')
        return is_number(type) || is_real(type) ? FIT_NOT : FIT_UNKNOWN;
    write_element(given, &own);
    length -= (size_t)(start - type) + 1;
    bool same = same_spelling(start, length, own.data, own.length);
    text_free(&own);
    if (same)
        return FIT_EXACTLY;
    if (length == 4 && memcmp(start, "void", 4) == 0)
        return FIT_CONVERTED;
    return memchr(start, '<', length) || memchr(start, '(', length) ? FIT_UNKNOWN : FIT_NOT;
}

static enum fit number_fit(const char *type, bool real)
{
    if (is_real(type))
        return real ? FIT_EXACTLY : FIT_CONVERTED;
    if (is_number(type))
        return real ? FIT_CONVERTED : FIT_EXACTLY;
    return strchr(type, '*') ? FIT_NOT : FIT_UNKNOWN;
}

static bool fits_bytes(const struct sim_parameter *parameter, const struct given_argument *given)
{
    if (given->kind == GIVEN_STRUCTURE)
        return parameter->bytes == type_size(given->type);
    if (given->kind != GIVEN_NUMBER)
        return parameter->bytes == 8 && !parameter->real;
    return parameter->bytes && parameter->bytes <= 8;
}

static enum fit structure_fit(const char *type, const struct given_argument *given)
{
    struct text own = { 0 };
    write_element(given, &own);
    bool same = strcmp(text_string(&own), type) == 0;
    text_free(&own);
    return same ? FIT_EXACTLY : is_number(type) || is_real(type) || strchr(type, '*') ? FIT_NOT : FIT_UNKNOWN;
}

static enum fit fit_of(const struct candidate *c, size_t index, const struct given_argument *given)
{
    if (!fits_bytes(&c->kernel->parameters[index], given))
        return FIT_NOT;
    if (!c->mangled.known || index >= c->mangled.parameter_count)
        return FIT_UNKNOWN;
    const char *type = c->mangled.parameters[index];
    return given->kind == GIVEN_BUFFER      ? pointer_fit(type, given)
           : given->kind == GIVEN_STRUCTURE ? structure_fit(type, given)
                                            : number_fit(type, given->real);
}

static bool judge(struct choice *choice, const struct expr_scope *scope, placed_of placed, void *context,
                  struct error *error)
{
    const struct launch *launch = choice->launch;
    for (size_t c = 0; c < choice->count; c++)
        choice->all[c].fit =
            choice->all[c].kernel->parameter_count == launch->argument_count ? FIT_EXACTLY : FIT_NOT;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];
        struct placed buffer;
        struct expr_value value = { 0 };
        struct given_argument given = { 0 };
        const bool found = argument->name && placed(context, argument->name, &buffer);
        if (found) {
            given.kind = buffer.value ? GIVEN_STRUCTURE : buffer.handle ? GIVEN_HANDLE : GIVEN_BUFFER;
            given.type = buffer.type;
            given.layout = buffer.layout;
        } else if (!expr_eval(argument->expr, scope, &value, error)) {
            return false;
        }
        given.real = value.real;
        for (size_t c = 0; c < choice->count; c++) {
            struct candidate *candidate = &choice->all[c];
            enum fit fit = candidate->fit ? fit_of(candidate, i, &given) : FIT_NOT;
            candidate->fit = fit < candidate->fit ? fit : candidate->fit;
        }
    }
    return true;
}

// The only kernel that fits best; NULL: several do, or too little is known of one.
static const struct sim_kernel *best(const struct choice *choice)
{
    size_t count[FIT_EXACTLY + 1] = { 0 };
    const struct sim_kernel *found[FIT_EXACTLY + 1] = { NULL };
    for (size_t c = 0; c < choice->count; c++) {
        count[choice->all[c].fit]++;
        found[choice->all[c].fit] = choice->all[c].kernel;
    }
    enum fit fit = count[FIT_EXACTLY] ? FIT_EXACTLY : count[FIT_CONVERTED] ? FIT_CONVERTED : FIT_UNKNOWN;
    bool doubtful = fit != FIT_UNKNOWN && count[FIT_UNKNOWN];
    return count[fit] == 1 && !doubtful ? found[fit] : NULL;
}

// ---- messages ------------------------------------------------------------------------------------------------

static void add_kernels(struct text *out, const struct choice *choice)
{
    for (size_t c = 0; c < choice->count && c < SHOWN; c++) {
        text_add(out, c ? ", " : "");
        mangled_write(choice->all[c].kernel->name, out);
        if (!choice->all[c].mangled.parameter_count && !choice->all[c].mangled.known)
            text_addf(out, " with %zu parameter%s", choice->all[c].kernel->parameter_count,
                      choice->all[c].kernel->parameter_count == 1 ? "" : "s");
    }
    if (choice->count > SHOWN)
        text_addf(out, " and %zu more", choice->count - SHOWN);
}

static bool several(const struct choice *choice, struct error *error)
{
    struct text all = { 0 };
    bool fits = false;
    for (size_t c = 0; c < choice->count; c++)
        fits = fits || choice->all[c].fit != FIT_NOT;
    add_kernels(&all, choice);
    error_at(error, &choice->variant->source, choice->launch->at,
             "%zu kernels are called %s: %s. These arguments %s; a template's instance can be named, as in "
             "%s<int><<<grid, block>>>(…)",
             choice->count, choice->launch->spelled, text_string(&all),
             fits ? "do not decide which of them is meant" : "fit none of them", choice->launch->kernel);
    text_free(&all);
    return false;
}

static bool no_instance(const struct choice *choice, struct error *error)
{
    struct text all = { 0 };
    add_kernels(&all, choice);
    error_at(error, &choice->variant->source, choice->launch->at, "no kernel %s was compiled; there %s %s",
             choice->launch->spelled, choice->count == 1 ? "is" : "are", text_string(&all));
    text_free(&all);
    return false;
}

static bool kernel_missing(const struct variant *variant, const struct launch *launch, struct error *error)
{
    if (signature_find(variant->text, launch->kernel, NULL, 0) >= 0 && !strchr(launch->spelled, '<'))
        return error_at(error, &variant->source, launch->at,
                        "the compiler made no kernel of %s; of a template name the instance, as in "
                        "%s<int><<<grid, block>>>(…)",
                        launch->spelled, launch->spelled);
    return error_at(error, &variant->source, launch->at, "the file has no __global__ function %s",
                    launch->spelled);
}

// ---- the choice ----------------------------------------------------------------------------------------------

// The kernels of this name; of those that are called ns::k, k names any where none is called k alone.
static void gather(struct choice *choice, const struct sim_kernels *kernels)
{
    const char *wanted = choice->launch->spelled;
    size_t length = strcspn(wanted, "<");
    enum near nearest = NAME_ENDS;
    choice->all = mem_new((kernels->count + 1) * sizeof *choice->all);
    for (size_t k = 0; k < kernels->count; k++) {
        struct candidate c = { .kernel = &kernels->all[k] };
        mangled_read(c.kernel->name, &c.mangled);
        bool exact = strcmp(c.kernel->name, wanted) == 0;
        c.near = exact ? NAME_SAME : name_near(c.mangled.name, wanted, length);
        if (c.near > nearest) {
            nearest = c.near;
            while (choice->count)
                mangled_free(&choice->all[--choice->count].mangled);
        }
        if (c.near >= nearest)
            choice->all[choice->count++] = c;
        else
            mangled_free(&c.mangled);
    }
}

// Leaves those whose template has the arguments that the line names; where that is no one, leaves all.
static bool keep_instances(struct choice *choice)
{
    const char *wanted = choice->launch->spelled + strcspn(choice->launch->spelled, "<");
    size_t kept = 0;
    for (size_t c = 0; c < choice->count; c++) {
        const struct mangled *m = &choice->all[c].mangled;
        if (!*wanted || (m->known && instance_is(wanted, m->arguments))) {
            struct candidate other = choice->all[kept];
            choice->all[kept++] = choice->all[c];
            choice->all[c] = other;
        }
    }
    for (size_t c = kept; kept && c < choice->count; c++)
        mangled_free(&choice->all[c].mangled);
    choice->count = kept ? kept : choice->count;
    return kept != 0;
}

static void drop_choice(struct choice *choice)
{
    for (size_t c = 0; c < choice->count; c++)
        mangled_free(&choice->all[c].mangled);
    free(choice->all);
}

static bool choose(struct choice *choice, const struct sim_kernels *kernels, const struct expr_scope *scope,
                   placed_of placed, void *context, const struct sim_kernel **out, struct error *error)
{
    gather(choice, kernels);
    for (size_t c = 0; c < choice->count;
         c++) // a name that says something else than the kernel is not believed
        if (choice->all[c].mangled.parameter_count != choice->all[c].kernel->parameter_count)
            choice->all[c].mangled.known = false;
    if (!choice->count)
        return kernel_missing(choice->variant, choice->launch, error);
    if (!keep_instances(choice))
        return no_instance(choice, error);
    *out = choice->all[0].kernel;
    if (choice->count == 1)
        return true;
    if (!judge(choice, scope, placed, context, error))
        return false;
    *out = best(choice);
    return *out || several(choice, error);
}

bool launch_may_mean(const struct launch *launch, const char *entry)
{
    struct sim_kernel kernel = { .name = entry };
    struct choice choice = { .launch = launch };
    gather(&choice, &(struct sim_kernels){ .all = &kernel, .count = 1 });
    bool may = choice.count && keep_instances(&choice);
    drop_choice(&choice);
    return may;
}

bool launch_kernel(const struct variant *variant, const struct launch *launch,
                   const struct sim_kernels *kernels, const struct expr_scope *scope, placed_of placed,
                   void *context, const struct sim_kernel **out, struct error *error)
{
    struct choice choice = { .variant = variant, .launch = launch };
    bool chosen = choose(&choice, kernels, scope, placed, context, out, error);
    drop_choice(&choice);
    return chosen;
}

// ---- grid, block and arguments ----------------------------------------------------------------------

static bool take_dims(uint32_t out[3], const struct dims *dims, const struct expr_scope *scope,
                      struct error *error)
{
    struct dims_value d;
    if (!dims_eval(dims, scope, &d, error))
        return false;
    out[0] = (uint32_t)d.x;
    out[1] = (uint32_t)d.y;
    out[2] = (uint32_t)d.z;
    return true;
}

static bool take_shared(uint32_t *out, const struct variant *variant, const struct launch *launch,
                        const struct expr_scope *scope, struct error *error)
{
    struct expr_value value = { 0 };
    if (launch->shared && !expr_eval(launch->shared, scope, &value, error))
        return false;
    int64_t bytes = value_as_int(value);
    if (bytes < 0 || bytes > INT_MAX)
        return error_at(error, &variant->source, launch->at,
                        "%lld bytes of dynamic shared memory cannot be asked for", (long long)bytes);
    *out = (uint32_t)bytes;
    return true;
}

// One argument with the parameter that it is packed for; `number` counts from 1.
struct launch_slot {
    const struct variant *variant;
    const struct launch *launch;
    const struct argument *argument;
    struct sim_parameter parameter;
    int number;
};

// PTX does not tell signed from unsigned: what either can hold fits, so that -1 and 0xffffffff both are 32 bits.
static bool fits_whole(struct expr_value value, size_t size)
{
    if (value.real && !(value.r >= -0x1p63 && value.r < 0x1p63))
        return false;
    if (size >= sizeof value.i)
        return true;
    int64_t i = value_as_int(value), half = (int64_t)1 << (8 * size - 1);
    return i >= -half && i < 2 * half;
}

static bool is_float(const struct sim_parameter *parameter)
{
    return parameter->real && parameter->bytes == sizeof(float);
}

static bool is_double(const struct sim_parameter *parameter)
{
    return parameter->real && parameter->bytes == sizeof(double);
}

static bool fits(struct expr_value value, const struct sim_parameter *parameter)
{
    double d = value_as_real(value);
    if (is_float(parameter))
        return !isfinite(d) || isfinite((float)d);
    return is_double(parameter) || fits_whole(value, parameter->bytes);
}

static bool misfit(const struct launch_slot *slot, struct expr_value value, struct error *error)
{
    char number[48];
    if (value.real)
        format_into(number, sizeof number, "%g", value.r);
    else
        format_into(number, sizeof number, "%lld", (long long)value.i);
    return error_at(error, &slot->variant->source, slot->argument->at,
                    "%s does not fit into parameter %d of %s, which has %zu bits", number, slot->number,
                    slot->launch->spelled, 8 * slot->parameter.bytes);
}

static bool pack_number(uint64_t *out, const struct launch_slot *slot, struct expr_value value,
                        struct error *error)
{
    const struct sim_parameter *parameter = &slot->parameter;
    *out = 0;
    if (!parameter->bytes || parameter->bytes > sizeof *out || parameter->structure)
        return error_at(
            error, &slot->variant->source, slot->argument->at,
            "parameter %d of %s is a structure of %zu bytes; declare it with //@ value NAME TYPE = "
            "{…}, and give its name here",
            slot->number, slot->launch->spelled, parameter->bytes);
    if (!fits(value, parameter))
        return misfit(slot, value, error);
    if (is_float(parameter)) {
        float f = (float)value_as_real(value);
        memcpy(out, &f, sizeof f);
    } else if (is_double(parameter)) {
        double d = value_as_real(value);
        memcpy(out, &d, sizeof d);
    } else {
        int64_t i = value_as_int(value); // little-endian: the low bytes come first
        memcpy(out, &i, parameter->bytes);
    }
    return true;
}

// *at becomes the structure itself, or *out, which then holds the number or the address.
static bool pack_argument(uint64_t *out, const void **at, const struct launch_slot *slot,
                          const struct expr_scope *scope, placed_of placed, void *context,
                          struct error *error)
{
    struct placed buffer;
    *at = out;
    if (slot->argument->name && placed(context, slot->argument->name, &buffer)) {
        if (buffer.value) {
            *at = buffer.value;
            return slot->parameter.bytes == type_size(buffer.type) ||
                   error_at(error, &slot->variant->source, slot->argument->at,
                            "%s has %zu bytes, but parameter %d of %s takes %zu", slot->argument->name,
                            type_size(buffer.type), slot->number, slot->launch->spelled,
                            slot->parameter.bytes);
        }
        if (slot->parameter.bytes != sizeof buffer.address || slot->parameter.real)
            return error_at(error, &slot->variant->source, slot->argument->at,
                            "%s is a %s, but parameter %d of %s is a number", slot->argument->name,
                            buffer.handle ? "texture or surface" : "buffer", slot->number,
                            slot->launch->spelled);
        *out = buffer.address;
        return true;
    }
    struct expr_value value;
    return expr_eval(slot->argument->expr, scope, &value, error) && pack_number(out, slot, value, error);
}

static bool check_count(const struct variant *variant, const struct launch *launch, size_t takes,
                        struct error *error)
{
    if (takes > ARGUMENTS)
        return error_at(error, &variant->source, launch->at,
                        "%s has %zu parameters; a launch line gives at most %d", launch->spelled, takes,
                        ARGUMENTS);
    return takes == launch->argument_count ||
           error_at(error, &variant->source, launch->at, "%s takes %zu argument%s, and here %s %zu",
                    launch->spelled, takes, takes == 1 ? "" : "s", launch->argument_count == 1 ? "is" : "are",
                    launch->argument_count);
}

bool launch_pack(struct packed_launch *out, const struct variant *variant, const struct launch *launch,
                 const struct sim_kernels *kernels, const struct expr_scope *outer, placed_of placed,
                 void *context, struct error *error)
{
    struct expr_binding bindings[EXPR_SCOPE];
    const struct expr_scope inner = launch_inner_scope(launch, outer, bindings), *scope = &inner;
    const struct sim_kernel *kernel = NULL;
    if (!launch_kernel(variant, launch, kernels, scope, placed, context, &kernel, error) || !kernel ||
        !check_count(variant, launch, kernel->parameter_count, error))
        return false;
    out->launch.cooperative = launch->cooperative;
    memset(out->launch.cluster, 0, sizeof out->launch.cluster);
    if (!take_dims(out->launch.grid, &launch->grid, scope, error) ||
        !take_dims(out->launch.block, &launch->block, scope, error) ||
        !take_shared(&out->launch.shared_bytes, variant, launch, scope, error) ||
        (launch->cluster.part[0] && !take_dims(out->launch.cluster, &launch->cluster, scope, error)))
        return false;
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        struct launch_slot slot = { variant, launch, &launch->arguments[i], kernel->parameters[i],
                                    (int)i + 1 };
        const void *at;
        if (!pack_argument(&out->slots[i], &at, &slot, scope, placed, context, error))
            return false;
        out->pointers[i] = (void *)at;
        out->arguments[i] = (struct sim_argument){ at, kernel->parameters[i].bytes };
    }
    out->kernel = kernel;
    out->launch.arguments = out->pointers;
    out->launch.name = launch->spelled;
    return true;
}

bool launch_ptx_error(const struct variant *variant, const struct sim_fault *fault, struct error *error)
{
    const char *file = variant->path;
    if (fault->no_kernel && variant->launch_count)
        return kernel_missing(variant, &variant->launches[0], error);
    if (!fault->line)
        return error_set(error, EXIT_WRONG, "%s: %s", file, fault->text);
    return error_set(error, EXIT_WRONG, "%s: line %d of its PTX: %s", file, fault->line, fault->text);
}

struct expr_scope launch_scope(const struct problem *problem, int sm_count,
                               struct expr_binding bindings[SCOPE_BINDINGS])
{
    size_t count = 0;
    for (; count < problem->params.count && count + 1 < SCOPE_BINDINGS; count++)
        bindings[count] = problem->params.bindings[count];
    bindings[count++] = (struct expr_binding){ "sm_count", value_int(sm_count) };
    return (struct expr_scope){ bindings, count };
}

bool launch_declared_bytes(const struct variant *variant, const struct declared *declared,
                           const struct expr_scope *scope, size_t *bytes, struct error *error)
{
    struct expr_value count = value_int(1);
    if (declared->count && !expr_eval(declared->count, scope, &count, error))
        return false;
    int64_t elements = value_as_int(count);
    size_t size = type_size(declared->type);
    if (elements < 1 || elements > INT64_MAX / (int64_t)size)
        return error_at(error, &variant->source, declared->at, "%s would have %lld elements", declared->name,
                        (long long)elements);
    *bytes = (size_t)elements * size;
    return true;
}
