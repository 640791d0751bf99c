// What an answer may cost. Each `budget`, `guard` and `goal` of a task is a bound on a number of a run; here such a number gets
// its name in words, what the answer and the shipped file had of it, and a sentence. A guard is judged in silence: it
// is named only where it is missed.
#include "lessons/lessons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers of a run in words ----------------------------------------------------------------------------

// "sectors loaded", as a divisor "load". Where the divisor counts the same accesses, the first word says enough:
// "sectors a load". `of`: what a share of it is called; NULL: a share says nothing.
static const struct limit_name {
    const char *path, *first, *rest, *divisor, *of;
} limit_names[] = {
    { "counters.gld_req", "load requests", "", "load request", "load requests" },
    { "counters.gld_sec", "sectors", " loaded", NULL, "traffic" },
    { "counters.gst_req", "store requests", "", "store request", "store requests" },
    { "counters.gst_sec", "sectors", " stored", NULL, "traffic" },
    { "counters.red_req", "red requests", "", "red request", "red requests" },
    { "counters.red_sec", "passes", " of red requests", NULL, "passes" },
    { "counters.atom_req", "atomic requests", "", "atomic request", "atomic requests" },
    { "counters.atom_sec", "passes", " of atomic requests", NULL, "passes" },
    { "counters.sld_inst", "shared loads", "", "shared load", "shared loads" },
    { "counters.sld_wave", "wavefronts", " of shared loads", NULL, "wavefronts" },
    { "counters.sld_conf", "bank conflicts", " of shared loads", NULL, "conflicts" },
    { "counters.sst_inst", "shared stores", "", "shared store", "shared stores" },
    { "counters.sst_wave", "wavefronts", " of shared stores", NULL, "wavefronts" },
    { "counters.sst_conf", "bank conflicts", " of shared stores", NULL, "conflicts" },
    { "counters.satom_inst", "shared atomics", "", "shared atomic", "shared atomics" },
    { "counters.satom_wave", "wavefronts", " of shared atomics", NULL, "wavefronts" },
    { "counters.satom_conf", "bank conflicts", " of shared atomics", NULL, "conflicts" },
    { "counters.dld_req", "remote loads", "", "remote load", "remote loads" },
    { "counters.dld_sec", "sectors", " of remote loads", NULL, "sectors" },
    { "counters.dld_wave", "wavefronts", " of remote loads", NULL, "wavefronts" },
    { "counters.dst_req", "remote stores", "", "remote store", "remote stores" },
    { "counters.dst_sec", "sectors", " of remote stores", NULL, "sectors" },
    { "counters.dst_wave", "wavefronts", " of remote stores", NULL, "wavefronts" },
    { "counters.datom_req", "remote atomics", "", "remote atomic", "remote atomics" },
    { "counters.datom_sec", "passes", " of remote atomics", NULL, "passes" },
    { "counters.datom_wave", "wavefronts", " of remote atomics", NULL, "wavefronts" },
    { "counters.l2_sectors", "sectors moved", "", "sector moved", "traffic" },
    { "counters.l2_sectors_ideal", "sectors needed", "", "sector needed", NULL },
    { "counters.l1_wave_shared", "wavefronts", "", "wavefront", "wavefronts" },
    { "counters.l1_wave_shared_ideal", "wavefronts needed", "", "wavefront needed", NULL },
    { "counters.inst", "instructions", "", "instruction", "instructions" },
    { "counters.thread_inst", "instructions", " of threads", "instruction of a thread", "instructions" },
    { "counters.branches", "branches", "", "branch", "branches" },
    { "counters.divergent", "warp splits", "", "warp split", "splits" },
    { "counters.barriers", "barriers", "", "barrier", "barriers" },
    { "counters.tensor", "tensor instructions", "", "tensor instruction", "tensor instructions" },
    { "counters.lanes_per_inst", "lanes", " an instruction", NULL, NULL },
    { "counters.inst_longest", "instructions", " of the busiest warp", NULL, "busiest warp's work" },
    { "counters.inst_even", "instructions", " of the average warp", "instruction of the average warp", NULL },
    { "counters.busiest", "work", " of the busiest warp over the average", NULL, NULL },
    { "ceiling_pct", "% of the ceiling", " on the GPU", NULL, NULL },
    { "median_ms", "milliseconds", "", "millisecond", "time" },
    { "operations", "operations", "", "operation", NULL },
    { "bytes", "bytes", "", "byte", NULL },
};

static const struct limit_name *name_of(const char *path, size_t length)
{
    for (size_t i = 0; i < sizeof limit_names / sizeof *limit_names; i++)
        if (strlen(limit_names[i].path) == length && memcmp(limit_names[i].path, path, length) == 0)
            return &limit_names[i];
    return NULL;
}

// Whether the divisor counts the very accesses of the other number: "counters.gld_req" those of "counters.gld_sec".
static bool same_accesses(const char *path, const char *divisor)
{
    size_t kind = strcspn(path, "_ /<>") + 1;
    return path[kind - 1] == '_' && strncmp(path, divisor, kind) == 0 &&
           (string_starts(divisor + kind, "req ") || string_starts(divisor + kind, "inst "));
}

// "element" of the help "elements of each array"; "n" where the lab says nothing of the kind.
static void add_param(const char *name, size_t length, const char *lab_name, struct text *out)
{
    const struct lab *lab = lab_name ? lab_find(lab_name) : NULL;
    char param[40];
    format_into(param, sizeof param, "%.*s", (int)length, name);
    int index = lab ? lab_param_index(lab, param) : -1;
    const char *help = index >= 0 && lab->params_help[index] ? lab->params_help[index] : "";
    size_t word = strcspn(help, " ,");
    if (word > 1 && help[word - 1] == 's')
        text_add_n(out, help, word - 1);
    else
        text_addf(out, "of %s", param);
}

// A number that has no name here is called as the record calls it.
static void add_unnamed(const char *path, size_t length, struct text *out)
{
    text_add_n(out, path, length);
}

static void add_divisor(const char *path, size_t length, const char *lab, struct text *out)
{
    static const char params[] = "params.";
    const struct limit_name *name = name_of(path, length);
    size_t prefix = sizeof params - 1;
    if (name && name->divisor)
        text_add(out, name->divisor);
    else if (string_starts(path, params))
        add_param(path + prefix, length - prefix, lab, out);
    else
        add_unnamed(path, length, out);
}

// "counters.gld_sec / counters.gld_req <= 4.1" → "sectors a load". Returns what a share of it is called, or NULL.
static const char *add_name(const char *budget, const char *lab, struct text *out)
{
    size_t length = strcspn(budget, " /<>");
    const struct limit_name *name = name_of(budget, length);
    const char *slash = strchr(budget, '/'), *divisor = slash ? slash + 1 + strspn(slash + 1, " ") : NULL;
    bool same = divisor && same_accesses(budget, divisor);
    struct text each = { 0 };
    if (divisor)
        add_divisor(divisor, strcspn(divisor, " <>"), lab, &each);
    if (!name)
        add_unnamed(budget, length, out);
    else
        text_addf(out, "%s%s", name->first, same ? "" : name->rest);
    if (same) { // "sectors a load"
        const char *request = strstr(text_string(&each), " request");
        each.length = request ? (size_t)(request - each.data) : each.length;
        text_addf(out, " %s %.*s", strchr("aeiou", *text_string(&each)) ? "an" : "a", (int)each.length,
                  text_string(&each));
    }
    if (divisor && !same)
        text_addf(out, " for each %s", text_string(&each));
    text_free(&each);
    return name ? name->of : NULL;
}

// ---- reading ----------------------------------------------------------------------------------------------

// The budget's number; `whole` false: what precedes the '/' alone.
static double number_in(const char *budget, const json_t *record, bool whole)
{
    size_t length = strcspn(budget, whole ? "<>" : " /<>");
    while (length && budget[length - 1] == ' ')
        length--;
    char *value = mem_copy_n(budget, length);
    double number;
    bool known = live_value(value, record, &number);
    free(value);
    return known ? number : NAN;
}

static struct limit limit_of(const struct live *live, const char *budget, const json_t *run)
{
    const char *sign = budget + strcspn(budget, "<>");
    struct limit limit = { .budget = budget,
                           .bound = strtod(sign + 2, NULL),
                           .got = number_in(budget, run, true),
                           .amount = number_in(budget, run, false),
                           .had = NAN,
                           .share = NAN,
                           .most = *sign == '<' };
    struct text what = { 0 };
    const char *of = add_name(budget, live_field(live, "lab"), &what);
    limit.met = limit.most ? limit.got <= limit.bound : limit.got >= limit.bound; // not of NAN
    format_into(limit.what, sizeof limit.what, "%s", text_string(&what));
    format_into(limit.of, sizeof limit.of, "%s", of ? of : "");
    text_free(&what);
    return limit;
}

// ---- in words ---------------------------------------------------------------------------------------------

static int decimals_of(double number)
{
    char digits[40];
    format_into(digits, sizeof digits, "%.6g", number);
    const char *point = strchr(digits, '.');
    return point && !strchr(digits, 'e') ? (int)strlen(point + 1) : 0;
}

static double rounded(double number, int decimals)
{
    double scale = pow(10, decimals);
    return round(number * scale) / scale;
}

static bool rounds_off_much(double number, int decimals)
{
    return fabs(rounded(number, decimals) - number) > 0.05 * fabs(number);
}

// Enough for all numbers of the limit to be on their side of the bound when they are rounded, and to differ from
// what was counted by a twentieth at most.
static int limit_decimals(const struct limit *limit)
{
    enum { DECIMALS_MOST = 6 };
    const double numbers[] = { limit->got, limit->had };
    bool whole = limit->bound == floor(limit->bound);
    for (size_t i = 0; i < 2; i++)
        whole = whole && (!isfinite(numbers[i]) || numbers[i] == floor(numbers[i]));
    int decimals = decimals_of(limit->bound);
    if (whole)
        return 0;
    decimals = decimals ? decimals : 1;
    for (size_t i = 0; i < 2; i++)
        while (isfinite(numbers[i]) && decimals < DECIMALS_MOST && numbers[i] != limit->bound &&
               (rounds_off_much(numbers[i], decimals) ||
                (numbers[i] > limit->bound) != (rounded(numbers[i], decimals) > limit->bound) ||
                (numbers[i] < limit->bound) != (rounded(numbers[i], decimals) < limit->bound)))
            decimals++;
    return decimals;
}

// "190,049", "4.0".
static void add_number(double number, int decimals, struct text *out)
{
    char digits[64];
    format_into(digits, sizeof digits, "%.*f", decimals, number);
    size_t whole = strcspn(digits, ".");
    for (size_t i = 0; i < whole; i++)
        text_addf(out, "%s%c", i && digits[i - 1] != '-' && (whole - i) % 3 == 0 ? "," : "", digits[i]);
    text_add(out, digits + whole);
}

static void add_bound(const struct limit *limit, struct text *out)
{
    if (limit->most && limit->bound == 0) {
        text_add(out, "none allowed");
        return;
    }
    text_addf(out, "at %s ", limit->most ? "most" : "least");
    if (limit->bound == floor(limit->bound))
        add_number(limit->bound, 0, out);
    else
        text_addf(out, "%.6g", limit->bound);
}

// "a quarter of the traffic", "3 times the traffic"; of as much: nothing.
static void add_share(double share, const char *of, struct text *out)
{
    static const struct {
        double part;
        const char *words;
    } parts[] = { { 3.0 / 4, "three quarters of" },
                  { 2.0 / 3, "two thirds of" },
                  { 1.0 / 2, "half" },
                  { 1.0 / 3, "a third of" },
                  { 1.0 / 4, "a quarter of" },
                  { 1.0 / 5, "a fifth of" },
                  { 1.0 / 6, "a sixth of" },
                  { 1.0 / 7, "a seventh of" },
                  { 1.0 / 8, "an eighth of" },
                  { 1.0 / 9, "a ninth of" },
                  { 1.0 / 10, "a tenth of" },
                  { 1.0 / 16, "a sixteenth of" },
                  { 0, "none of" },
                  { 2, "twice" } };
    const double near = 0.02;
    if (!isfinite(share) || fabs(share - 1) < near / 4)
        return;
    text_add(out, "; ");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (fabs(share - parts[i].part) <= near * parts[i].part) {
            text_addf(out, "%s the %s", parts[i].words, of);
            return;
        }
    bool unit = share < 1 && fabs(round(1 / share) * share - 1) <= near;
    if (unit || share < 0.01)
        text_addf(out, "1/%.0f of the %s", 1 / share, of);
    else if (share < 1)
        text_addf(out, share < 0.1 ? "%.2g %% of the %s" : "%.0f %% of the %s", 100 * share, of);
    else
        text_addf(out, share > 10 ? "%.0f times the %s" : "%.3g times the %s", share, of);
}

void limit_words(const struct limit *limit, struct text *out)
{
    int decimals = limit_decimals(limit);
    text_addf(out, "%s: ", limit->what);
    if (isfinite(limit->had)) {
        add_number(limit->had, decimals, out);
        text_add(out, isfinite(limit->got) ? ", " : " before, ");
    }
    if (isfinite(limit->got)) {
        text_add(out, "yours ");
        add_number(limit->got, decimals, out);
        text_add(out, ", ");
    }
    add_bound(limit, out);
    if (isfinite(limit->got))
        add_share(limit->share, limit->of, out);
}

void limit_missed_words(const struct limit *limit, struct text *out)
{
    add_number(limit->got, limit_decimals(limit), out);
    text_addf(out, " %s; ", limit->what);
    add_bound(limit, out);
    text_add(out, ".");
}

// A warp that does most of the work is described by its share.
static void add_busiest(const struct record_counters *counters, double got, struct text *out)
{
    double share = counters->inst > 0 ? counters->inst_longest / counters->inst : 0;
    if (share >= 0.5)
        text_addf(out, "one warp does %.0f %% of the work: the others wait. It runs ", floor(100 * share));
    else
        text_add(out, "the work is not shared evenly: the busiest warp runs ");
    text_addf(out, "%.1f times the instructions of the average one", got);
}

static void add_missed(const struct limit *limit, const struct record *record, struct text *out)
{
    if (!isfinite(limit->got)) {
        text_addf(out, "%s: this is not known of this run.", limit->what);
        return;
    }
    if (string_starts(limit->budget, "counters.busiest "))
        add_busiest(record->counters, limit->got, out);
    else if (string_starts(limit->budget, "counters.lanes_per_inst "))
        text_addf(out, "on average %.*f of the 32 lanes of a warp work", limit_decimals(limit), limit->got);
    else if (string_starts(limit->budget, "counters.inst_longest ")) {
        text_add(out, "one warp runs ");
        add_number(limit->got, 0, out);
        text_add(out, " instructions, one after the other");
    } else {
        limit_missed_words(limit, out);
        return;
    }
    text_add(out, "; ");
    add_bound(limit, out);
    text_add(out, ".");
}

// ---- a modelled time ----------------------------------------------------------------------------------------

bool pace_read(const char *text, struct pace *out)
{
    static const char sign[] = " <= ";
    size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
    char *end;
    if (!name || name >= sizeof out->gpu || !string_starts(text + name, sign))
        return false;
    format_into(out->gpu, sizeof out->gpu, "%.*s", (int)name, text);
    out->bound = strtod(text + name + sizeof sign - 1, &end);
    out->flags = end + strspn(end, " ");
    return end != text + name + sizeof sign - 1 && out->bound > 0 && isfinite(out->bound) &&
           (!*out->flags || (*end == ' ' && string_starts(out->flags, "--")));
}

// "an H100", "a T4": by the sound of the first letter.
static void add_gpu(const char *key, struct text *out)
{
    text_addf(out, "%s ", strchr("aefhilmnorsx", *key) ? "an" : "a");
    for (; *key; key++) {
        char letter = *key >= 'a' && *key <= 'z' ? (char)(*key - 'a' + 'A') : *key;
        text_add_n(out, &letter, 1);
    }
}

struct limit limit_pace(const char *text, const char *with, double ms)
{
    struct pace pace = { .gpu = "" };
    struct text what = { 0 };
    bool read = pace_read(text, &pace);
    struct limit limit = { .budget = text,
                           .bound = read ? pace.bound : NAN,
                           .got = ms,
                           .amount = ms,
                           .had = NAN,
                           .share = NAN,
                           .most = true,
                           .met = read && ms <= pace.bound };
    text_add(&what, "milliseconds on ");
    add_gpu(pace.gpu, &what);
    text_addf(&what, ", modelled%s%s", *with ? " with " : "", with);
    format_into(limit.what, sizeof limit.what, "%s", text_string(&what));
    format_into(limit.of, sizeof limit.of, "time");
    text_free(&what);
    return limit;
}

// ---- all of a run -----------------------------------------------------------------------------------------

size_t limits_of(const struct live *live, const struct record *run, struct limit out[LIMITS_MOST],
                 struct text *missed)
{
    static const char *const counted[] = { "budget", "guard" }, *const timed[] = { "goal" };
    bool gpu = run && run->backend == ON_GPU;
    const char *const *keys = gpu ? timed : counted;
    json_t *record = run ? record_to_json(run) : NULL;
    const char *budget;
    size_t count = 0;
    for (size_t k = 0; k < (gpu ? 1 : 2); k++)
        for (size_t i = 0; count < LIMITS_MOST && (budget = live_nth(live, keys[k], i)); i++) {
            out[count] = limit_of(live, budget, record);
            out[count++].quiet = k > 0;
        }
    json_decref(record);
    for (size_t i = 0; missed && i < count && !missed->length; i++)
        if (!out[i].met)
            add_missed(&out[i], run, missed);
    return count;
}

static void add_ms(double ms, struct text *out)
{
    text_addf(out, ms < 10 ? "%.3f ms" : ms < 100 ? "%.1f ms" : "%.0f ms", ms);
}

void limit_time_words(const char *with, double had, double got, struct text *out)
{
    const double near = 0.05;
    double faster = had / got;
    if (!(got > 0))
        return;
    text_addf(out, "time on the GPU%s%s: ", *with ? " with " : "", with);
    if (had > 0) {
        add_ms(had, out);
        text_add(out, ", ");
    }
    text_add(out, "yours ");
    add_ms(got, out);
    if (!(had > 0))
        return;
    if (faster >= 1 + near)
        text_addf(out, faster < 10 ? "; %.1f times as fast" : "; %.0f times as fast", faster);
    else if (faster <= 1 - near)
        text_addf(out, "; it takes %.1f times as long", 1 / faster);
    else
        text_add(out, "; as fast as before");
}

// ---- in the workbook --------------------------------------------------------------------------------------

static void set_number(json_t *object, const char *key, double number)
{
    if (isfinite(number))
        json_object_set_new(object, key, json_real(number));
}

json_t *limits_event(const struct limit *limits, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct limit *limit = &limits[i];
        if (limit->quiet && limit->met)
            continue;
        json_t *one =
            json_pack("{s:s, s:f}", "what", limit->what, limit->most ? "most" : "least", limit->bound);
        set_number(one, "had", limit->had);
        set_number(one, "got", limit->got);
        set_number(one, "share", limit->share);
        if (*limit->of)
            json_object_set_new(one, "of", json_string(limit->of));
        json_array_append_new(list, one);
    }
    return list;
}

static double number_or_nan(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

static void read_words(const json_t *object, const char *key, char *out, size_t size)
{
    const char *words = json_string_value(json_object_get(object, key));
    format_clean(out, size, words ? words : "", words ? strlen(words) : 0);
}

size_t limits_read(const json_t *event, struct limit out[LIMITS_MOST])
{
    const json_t *one;
    size_t i, count = 0;
    bool counts = !json_is_false(json_object_get(event, "counts"));
    json_array_foreach(json_object_get(event, "limits"), i, one)
    {
        bool most = json_is_number(json_object_get(one, "most"));
        struct limit limit = { .bound = number_or_nan(one, most ? "most" : "least"),
                               .got = number_or_nan(one, "got"),
                               .had = number_or_nan(one, "had"),
                               .share = counts ? number_or_nan(one, "share") : NAN,
                               .amount = NAN,
                               .most = most };
        limit.met = counts && (most ? limit.got <= limit.bound : limit.got >= limit.bound);
        read_words(one, "what", limit.what, sizeof limit.what);
        read_words(one, "of", limit.of, sizeof limit.of);
        if (count < LIMITS_MOST && *limit.what && isfinite(limit.bound))
            out[count++] = limit;
    }
    return count;
}

size_t beside_read(const json_t *event, struct beside_row *out, size_t most)
{
    const json_t *one;
    size_t i, count = 0;
    json_array_foreach(json_object_get(event, "beside"), i, one)
    {
        struct beside_row row = { .ms = number_or_nan(one, "ms"),
                                  .in_a_row = number_or_nan(one, "in_a_row") };
        read_words(one, "what", row.what, sizeof row.what);
        read_words(one, "how", row.how, sizeof row.how);
        read_words(one, "with", row.with, sizeof row.with);
        if (count < most && *row.what && (isfinite(row.ms) || isfinite(row.in_a_row)))
            out[count++] = row;
    }
    return count;
}
