// The ladders on disk: the kernel files of a lab in the order of their steps, with the learner's own copies in
// the place of what ships.
#include "kernels/variant.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A lab's name becomes a part of paths, so it may not lead elsewhere.
static bool is_lab_name(const char *lab)
{
    for (const char *c = lab; *c; c++)
        if (!byte_in_word(*c) && *c != '-')
            return false;
    return *lab && strlen(lab) < 64;
}

static bool bad_name(const char *lab, struct error *error)
{
    struct text clean = { 0 };
    text_add_clean(&clean, lab, strlen(lab));
    error_set(error, EXIT_USAGE, "There is no lab '%.80s': a lab's name has letters, digits, '-' and '_'.",
              text_string(&clean));
    text_free(&clean);
    return false;
}

static bool read_variant(struct ladder *ladder, const char *lab, const char *shipped, const char *own,
                         const char *file, struct error *error)
{
    char *own_path = own ? path_join(own, file) : NULL;
    bool is_own = own_path && file_exists(own_path);
    char *path = is_own ? mem_copy(own_path) : path_join(shipped, file);
    ladder->variants = array_room(ladder->variants, ladder->count, sizeof *ladder->variants);
    struct variant *variant = &ladder->variants[ladder->count];
    bool read = variant_read_lab(variant, lab, path, error);
    if (read) {
        variant->own = is_own;
        ladder->count++;
    }
    free(path);
    free(own_path);
    return read;
}

static int is_kernel_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && string_ends(entry->d_name, ".cu");
}

static bool read_folder(struct ladder *ladder, const char *lab, const char *shipped, const char *own,
                        struct error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(shipped, &entries, is_kernel_file, alphasort);
    if (count < 0 && errno == ENOENT)
        return error_set(error, EXIT_USAGE, "There is no lab %s: the folder %s does not exist.", lab,
                         shipped);
    if (count < 0)
        return error_set(error, EXIT_MISSING, "Cannot read the folder %s: %s.", shipped, strerror(errno));
    bool read = true;
    for (int i = 0; i < count; i++) {
        read = read && read_variant(ladder, lab, shipped, own, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    if (read && !count)
        return error_set(error, EXIT_MISSING, "The lab %s has no kernels: there is no .cu file in %s.", lab,
                         shipped);
    return read;
}

static int by_step(const void *a, const void *b)
{
    return ((const struct variant *)a)->step - ((const struct variant *)b)->step;
}

static bool sort_steps(struct ladder *ladder, struct error *error)
{
    qsort(ladder->variants, ladder->count, sizeof *ladder->variants, by_step);
    for (size_t i = 1; i < ladder->count; i++) {
        const struct variant *one = &ladder->variants[i - 1], *other = &ladder->variants[i];
        if (one->step == other->step)
            return error_set(error, EXIT_USAGE,
                             "%s and %s are both step %d of the lab %s; give one another number.", one->path,
                             other->path, one->step, one->lab);
    }
    return true;
}

static bool read_ladder(const char *lab, bool with_own, struct ladder *out, struct error *error)
{
    *out = (struct ladder){ 0 };
    if (!is_lab_name(lab))
        return bad_name(lab, error);
    char below[80];
    format_into(below, sizeof below, "kernels/%s", lab);
    char *shipped = path_shipped(below), *own = with_own ? path_own(below) : NULL;
    bool read = read_folder(out, lab, shipped, own, error) && sort_steps(out, error);
    free(shipped);
    free(own);
    if (!read)
        ladder_free(out);
    return read;
}

bool ladder_read(const char *lab, struct ladder *out, struct error *error)
{
    return read_ladder(lab, true, out, error);
}

bool ladder_read_shipped(const char *lab, struct ladder *out, struct error *error)
{
    return read_ladder(lab, false, out, error);
}

void ladder_free(struct ladder *ladder)
{
    for (size_t i = 0; i < ladder->count; i++)
        variant_free(&ladder->variants[i]);
    free(ladder->variants);
    *ladder = (struct ladder){ 0 };
}

const struct variant *ladder_find(const struct ladder *ladder, const char *name)
{
    char step[16];
    for (size_t i = 0; i < ladder->count; i++) {
        const struct variant *variant = &ladder->variants[i];
        const char *word = strchr(variant->name, '-');
        format_into(step, sizeof step, "%d", variant->step);
        if (strcmp(variant->name, name) == 0 || strcmp(step, name) == 0 ||
            (word && strcmp(word + 1, name) == 0))
            return variant;
    }
    return NULL;
}
