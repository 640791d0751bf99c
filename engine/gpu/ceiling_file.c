// The ceilings that were measured, kept from one start to the next: a file for each GPU in the cache folder,
// which counts only for the driver that it was measured with, and only if its numbers make sense.
#include "engine/gpu/driver.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHOD = 1, MOST_BYTES = 16 << 10 }; // METHOD grows when the kernels or the way of measuring change

// The UUID becomes part of a path: nothing but what UUIDs consist of.
static char *path_of(const struct gpu_facts *facts)
{
    const char *allowed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    if (!facts->uuid[0] || facts->uuid[strspn(facts->uuid, allowed)])
        return NULL;
    char below[80];
    format_into(below, sizeof below, "devices/%s.json", facts->uuid);
    return path_cache(below);
}

static bool number_read(const json_t *object, const char *key, double least, double most, double *out)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        return false;
    *out = json_number_value(value);
    return *out >= least && *out <= most;
}

static bool read_all(const json_t *object, const struct gpu_facts *facts, struct ceilings *out)
{
    double method = 0, driver = 0;
    if (!number_read(object, "method", METHOD, METHOD, &method) ||
        !number_read(object, "driver_version", facts->driver_version, facts->driver_version, &driver) ||
        !number_read(object, "read_gbps", 1, 1e6, &out->read_gbps) ||
        !number_read(object, "copy_gbps", 1, 1e6, &out->copy_gbps) ||
        !number_read(object, "launch_us", 0.01, 1e5, &out->launch_us))
        return false;
    if (!number_read(object, "shared_gbps", 1, 1e8, &out->shared_gbps))
        out->shared_gbps = NAN; // follows from the clock, which not every driver tells
    const char *date = json_string_value(json_object_get(object, "date"));
    struct text clean = { 0 };
    text_add_clean(&clean, date ? date : "", date ? strlen(date) : 0);
    format_into(out->date, sizeof out->date, "%s", text_string(&clean));
    text_free(&clean);
    return true;
}

bool gpu_ceilings_kept(const struct gpu_facts *facts, struct ceilings *out)
{
    *out = (struct ceilings){ NAN, NAN, NAN, NAN, "" };
    struct error ignored; // a file that is not there, or damaged, means: measure again
    struct text content = { 0 };
    char *path = path_of(facts);
    bool right = false;
    if (path && file_exists(path) && private_read(path, &content, &ignored) && content.length <= MOST_BYTES) {
        json_t *object = json_loadb(text_string(&content), content.length, JSON_REJECT_DUPLICATES, NULL);
        right = read_all(object, facts, out);
        json_decref(object);
    }
    if (!right)
        *out = (struct ceilings){ NAN, NAN, NAN, NAN, "" };
    text_free(&content);
    free(path);
    return right;
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static bool write_all(const char *path, const struct gpu_facts *facts, const struct ceilings *ceilings,
                      struct error *error)
{
    json_t *object =
        json_pack("{s:i, s:s, s:s, s:i, s:s, s:o, s:o, s:o, s:o}", "method", METHOD, "uuid", facts->uuid,
                  "name", facts->name, "driver_version", facts->driver_version, "date", ceilings->date,
                  "read_gbps", number(ceilings->read_gbps), "copy_gbps", number(ceilings->copy_gbps),
                  "shared_gbps", number(ceilings->shared_gbps), "launch_us", number(ceilings->launch_us));
    char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
    json_decref(object);
    if (!text)
        return error_set(error, EXIT_MISSING, "The GPU's ceilings cannot be written as JSON.");
    bool right = private_replace(path, text, strlen(text), error);
    free(text);
    return right;
}

bool gpu_ceilings_keep(const struct gpu_facts *facts, const struct ceilings *ceilings, struct error *error)
{
    char *path = path_of(facts);
    if (!path)
        error_set(error, EXIT_MISSING,
                  "There is no cache folder to keep the GPU's ceilings in; set $WARPBOOK_CACHE.");
    bool right = path && write_all(path, facts, ceilings, error);
    free(path);
    return right;
}
