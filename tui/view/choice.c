// What one chooses by its name on several pages: the size and the data of a lab's runs, and what a page shows.
#include "tui/view/view.h"

#include <string.h>
#include <strings.h>

int choose_name(struct app *app, const char *what, const char *const *names, int count, const char *name)
{
    struct text all = { 0 };
    int found = -1;
    for (int i = 0; i < count; i++) {
        if (strcasecmp(names[i], name) == 0)
            found = i;
        text_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    if (found < 0)
        app_say(app, ROLE_BAD, "There is no %s '%s': %s.", what, name, text_string(&all));
    text_free(&all);
    return found;
}

// The one behind `now`, or the first.
static size_t behind(const char *const *names, size_t count, const char *now)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], now) == 0)
            return (i + 1) % count;
    return 0;
}

static const char *refused(struct app *app, const char *why)
{
    app_say(app, ROLE_BAD, "%s", why);
    return NULL;
}

const char *choose_size(struct app *app, const struct lab *lab, const char *now, const struct words *words)
{
    const char *names[LAB_PRESETS] = { NULL };
    struct request wish = { 0 };
    struct error error;
    size_t count = 0;
    if (!lab)
        return refused(app, "The file itself says how large its problem is.");
    for (; count < LAB_PRESETS && lab->presets[count].name; count++)
        names[count] = lab->presets[count].name;
    if (words->count < 2)
        return names[behind(names, count, now)];
    if (!request_set_size(&wish, lab, words->word[1], &error))
        return refused(app, error.text);
    request_free(&wish);
    return lab_preset_find(lab, words->word[1])->name;
}

bool choose_preset(struct app *app, const struct lab *lab, const char **preset, const struct words *words)
{
    const char *own = lab ? lab->presets[1].name : NULL; // a GPU's
    const char *size = choose_size(app, lab, *preset ? *preset : own ? own : "", words);
    if (!size)
        return false;
    bool turned = words->count < 2;
    if (!turned && own && strcmp(size, own) == 0)
        app_say(app, ROLE_TEXT, "Now the simulator takes this size as well, which may need minutes.");
    *preset = turned && own && strcmp(size, own) == 0 ? NULL : size;
    return true;
}

const char *choose_data(struct app *app, const struct lab *lab, const char *now, const struct words *words)
{
    struct request wish = { 0 };
    struct error error;
    size_t count = 0, at = 0;
    while (lab && count < LAB_DATA && lab->data[count])
        count++;
    if (count < 2)
        return refused(app, "There is one kind of data only.");
    if (words->count < 2)
        return lab->data[behind(lab->data, count, now ? now : lab->data[0])];
    if (!request_set_data(&wish, lab, words->word[1], &error))
        return refused(app, error.text);
    request_free(&wish);
    while (strcmp(lab->data[at], words->word[1]) != 0)
        at++;
    return lab->data[at];
}
