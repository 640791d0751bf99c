// The figures of a GPU, read from its file and refused with a sentence where they cannot be right. A user's own file
// wins over the one that ships with the same key.
#include "engine/model/figures.h"

#include <fnmatch.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct figure figure_list[FIGURE_COUNT] = {
#define X(name, unit, words) { #name, unit, words, offsetof(struct gpu_figures, name) },
    FIGURES(X)
#undef X
};

const struct taken_figure *figure_taken(size_t which)
{
    static const struct taken_figure taken[FIGURE_COUNT] = {
        [FIGURE_l2_dirty] = { 0.8, 50, 0 },
        [FIGURE_l2_keeps] = { 0.62, 25, 0 },
        [FIGURE_constant_bytes] = { 2048, 50, 0 },
        [FIGURE_constant_latency] = { 46, 50, 0 },
        [FIGURE_constant_miss] = { 24, 50, 0 },
        [FIGURE_constant_rate] = { 0.48, 50, 0 },
        [FIGURE_atomic_results] = { 0.69, 20, FIGURE_atomic_rate },
    };
    return taken[which].value > 0 ? &taken[which] : NULL;
}

// ---- one file ---------------------------------------------------------------------------------------------

struct figures_reader {
    const char *file;
    struct error *error;
};

static bool refuse(const struct figures_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(const struct figures_reader *reader, const char *format, ...)
{
    char what[400], file[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    format_clean(file, sizeof file, reader->file, strlen(reader->file));
    return error_set(reader->error, EXIT_USAGE, "%s: %s", file, what);
}

// The text of a key, as it may be printed; `size` bounds it.
static bool read_text(const struct figures_reader *reader, const json_t *object, const char *key, char *out,
                      size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        return refuse(reader, "'%s' is missing, or not text.", key);
    if (strlen(text) >= size)
        return refuse(reader, "'%s' has more than %zu bytes.", key, size - 1);
    format_clean(out, size, text, strlen(text));
    return true;
}

static const char *unit_words(const char *unit)
{
    return *unit ? unit : "no unit";
}

static bool read_number(const struct figures_reader *reader, const json_t *value, const char *figure,
                        const char *key, double least, double *out)
{
    if (!json_is_number(value))
        return refuse(reader, "the figure '%s' has no '%s', or one that is no number.", figure, key);
    *out = json_number_value(value);
    if (!isfinite(*out) || *out < least)
        return refuse(reader, "the figure '%s' has '%s' %g, where at least %g makes sense.", figure, key,
                      *out, least);
    return true;
}

// `values`: of the keys that are known, NULL for those that are not there.
static bool only_known(const struct figures_reader *reader, json_t *object, const char *const *known,
                       size_t count, const char *what, json_t **values)
{
    const char *key;
    json_t *value;
    size_t at = 0; // a key mostly follows the one that it follows in `known`
    memset(values, 0, count * sizeof *values);
    json_object_foreach(object, key, value)
    {
        size_t looked = 0;
        for (; looked < count && strcmp(known[at % count], key) != 0; looked++)
            at++;
        values[at++ % count] = value;
        if (looked == count) {
            char clean[80];
            const char *nearest = string_nearest(key, known, count);
            format_clean(clean, sizeof clean, key, strlen(key));
            return refuse(reader, "%s '%s' is not known%s%s%s", what, clean, nearest ? "; is it '" : "",
                          nearest ? nearest : "", nearest ? "'?" : ".");
        }
    }
    return true;
}

static bool read_figure(const struct figures_reader *reader, json_t *object, size_t which,
                        struct gpu_figures *out)
{
    enum { VALUE, UNIT, SOURCE, UNCERTAINTY, KEYS };
    static const char *const known[KEYS] = { "value", "unit", "source", "uncertainty_pct" };
    const struct figure *figure = &figure_list[which];
    json_t *values[KEYS];
    double value = 0;
    if (!object && figure_taken(which)) {
        figure_take(out, which);
        return true;
    }
    if (!json_is_object(object))
        return refuse(
            reader,
            "the figure '%s' (%s) is missing. 'warpbook doctor --measure model' on such a GPU writes a "
            "file that has it.",
            figure->name, figure->words);
    if (!only_known(reader, object, known, KEYS, "in a figure the key", values))
        return false;
    const char *unit = json_string_value(values[UNIT]), *source = json_string_value(values[SOURCE]);
    if (!unit || strcmp(unit, figure->unit) != 0)
        return refuse(reader, "the figure '%s' has the unit '%.20s', and its unit is %s.", figure->name,
                      unit ? unit : "", unit_words(figure->unit));
    if (!source || !*source)
        return refuse(reader, "the figure '%s' does not say its source.", figure->name);
    if (!read_number(reader, values[VALUE], figure->name, known[VALUE], 0, &value) ||
        !read_number(reader, values[UNCERTAINTY], figure->name, known[UNCERTAINTY], 0,
                     &out->uncertainty_pct[which]))
        return false;
    if (!(value > 0))
        return refuse(reader, "the figure '%s' is 0, which no GPU has.", figure->name);
    figure_set(out, which, value);
    return true;
}

static bool read_all_figures(const struct figures_reader *reader, json_t *figures, struct gpu_figures *out)
{
    const char *known[FIGURE_COUNT];
    json_t *all[FIGURE_COUNT];
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        known[i] = figure_list[i].name;
    if (!json_is_object(figures))
        return refuse(reader, "'figures' is missing.");
    if (!only_known(reader, figures, known, FIGURE_COUNT, "the figure", all))
        return false;
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        if (!read_figure(reader, all[i], i, out))
            return false;
    return true;
}

static bool read_names(const struct figures_reader *reader, const json_t *names)
{
    const json_t *name;
    size_t i;
    if (!json_is_array(names))
        return refuse(reader, "'names', what drivers call the GPU, is missing, or not a list.");
    json_array_foreach(names, i, name)
    {
        if (!json_is_string(name))
            return refuse(reader, "'names' holds something that is no text.");
    }
    return true;
}

bool figures_from_json(const json_t *json, const char *file, struct gpu_figures *out, struct error *error)
{
    enum { KEYS = 9 };
    static const char *const known[KEYS] = { "key",      "name",  "names",   "target",      "date",
                                             "measured", "notes", "figures", "measurements" };
    json_t *values[KEYS];
    const struct figures_reader reader = { file, error };
    json_t *object = (json_t *)json; // which is only read
    const json_t *target = json_object_get(object, "target"), *measured = json_object_get(object, "measured");
    *out = (struct gpu_figures){ 0 };
    if (!json_is_object(object))
        return refuse(&reader, "it is no JSON object.");
    if (!only_known(&reader, object, known, KEYS, "the key", values) ||
        !read_text(&reader, object, "key", out->key, sizeof out->key) ||
        !read_text(&reader, object, "name", out->name, sizeof out->name) ||
        !read_text(&reader, object, "date", out->date, sizeof out->date) ||
        !read_names(&reader, json_object_get(object, "names")))
        return false;
    if (!json_is_integer(target) || json_integer_value(target) < 50 || json_integer_value(target) > 999)
        return refuse(&reader, "'target' is not ten times a compute capability, such as 90.");
    if (!json_is_boolean(measured))
        return refuse(&reader, "'measured' is not true or false.");
    out->target = (int)json_integer_value(target);
    out->measured = json_is_true(measured);
    return read_all_figures(&reader, json_object_get(object, "figures"), out);
}

// ---- where they are ---------------------------------------------------------------------------------------

static bool is_key(const char *key)
{
    size_t length = strlen(key);
    return length > 0 && length < sizeof((struct gpu_figures *)0)->key &&
           key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789-")] == 0;
}

// The path of the file that counts, or NULL.
static char *path_of(const char *key)
{
    char below[64];
    if (strchr(key, '/'))
        return mem_copy(key);
    if (!is_key(key))
        return NULL;
    format_into(below, sizeof below, "gpus/%s.json", key);
    char *path = path_own(below);
    if (path && file_exists(path))
        return path;
    free(path);
    format_into(below, sizeof below, "assets/gpus/%s.json", key);
    path = path_shipped(below);
    if (file_exists(path))
        return path;
    free(path);
    return NULL;
}

static json_t *load(const char *path, struct error *error)
{
    struct text text = { 0 };
    json_error_t why;
    json_t *json = NULL;
    if (file_read(path, &text, error)) {
        json = json_loadb(text_string(&text), text.length, JSON_REJECT_DUPLICATES, &why);
        if (!json)
            error_set(error, EXIT_USAGE, "%s: line %d is not JSON: %s.", path, why.line, why.text);
    }
    text_free(&text);
    return json;
}

static bool no_such_key(const char *key, struct error *error)
{
    char clean[80], *keys = figures_list();
    format_clean(clean, sizeof clean, key, strnlen(key, 40));
    error_set(error, EXIT_USAGE, "There are no figures of a GPU '%s'. There are those of %s.", clean, keys);
    free(keys);
    return false;
}

static json_t *find(const char *key, struct gpu_figures *out, struct error *error)
{
    char *path = path_of(key);
    json_t *json = NULL;
    bool right = path || no_such_key(key, error);
    if (right) {
        json = load(path, error);
        right = json && figures_from_json(json, path, out, error);
    }
    if (right && !strchr(key, '/') && strcmp(out->key, key) != 0)
        right = error_set(error, EXIT_USAGE, "%s: its 'key' is '%s', and a file is named as its key.", path,
                          out->key);
    if (!right) {
        json_decref(json);
        json = NULL;
    }
    free(path);
    return json;
}

bool figures_find(const char *key, struct gpu_figures *out, struct error *error)
{
    json_t *json = find(key, out, error);
    json_decref(json);
    return json != NULL;
}

json_t *figures_file(const char *key, struct error *error)
{
    struct gpu_figures unused;
    return find(key, &unused, error);
}

// ---- which there are --------------------------------------------------------------------------------------

struct key_list {
    char (*keys)[32];
    size_t count;
};

static void add_keys(struct key_list *list, char *folder)
{
    glob_t found = { 0 };
    char *pattern = folder ? path_join(folder, "*.json") : NULL;
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char *key = mem_copy(strrchr(found.gl_pathv[i], '/') + 1);
            key[strlen(key) - strlen(".json")] = 0;
            if (is_key(key)) {
                list->keys = array_room(list->keys, list->count, sizeof *list->keys);
                format_into(list->keys[list->count++], sizeof *list->keys, "%s", key);
            }
            free(key);
        }
        globfree(&found);
    }
    free(pattern);
    free(folder);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

// In alphabetical order, each once.
static struct key_list all_keys(void)
{
    struct key_list list = { 0 };
    size_t kept = 0;
    add_keys(&list, path_shipped("assets/gpus"));
    add_keys(&list, path_own("gpus"));
    if (list.count)
        qsort(list.keys, list.count, sizeof *list.keys, by_name);
    for (size_t i = 0; i < list.count; i++)
        if (i == 0 || strcmp(list.keys[i], list.keys[kept - 1]) != 0)
            memmove(list.keys[kept++], list.keys[i], sizeof *list.keys);
    list.count = kept;
    return list;
}

char *figures_list(void)
{
    struct key_list list = all_keys();
    struct text text = { 0 };
    for (size_t i = 0; i < list.count; i++)
        text_addf(&text, "%s%s", i ? " " : "", list.keys[i]);
    free(list.keys);
    if (!text.length)
        text_add(&text, "");
    return text_take(&text);
}

static bool is_called(const char *key, const char *device_name)
{
    struct error unused;
    json_t *json = figures_file(key, &unused);
    const json_t *name;
    size_t i;
    bool called = false;
    json_array_foreach(json_object_get(json, "names"), i, name)
    {
        called = called || fnmatch(json_string_value(name), device_name, 0) == 0;
    }
    json_decref(json);
    return called;
}

char *figures_key_of(const char *device_name)
{
    struct key_list list = all_keys();
    char *found = NULL;
    for (size_t i = 0; i < list.count && !found; i++)
        if (is_called(list.keys[i], device_name))
            found = mem_copy(list.keys[i]);
    free(list.keys);
    return found;
}
