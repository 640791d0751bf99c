// What one chooses on the step page: the register, the format, the view, another problem, another page.
#include "tui/view/step.h"

#include <string.h>

// ---- registers and views ---------------------------------------------------------------------------------------------------

// While a task has the trace, the choice shows with its arrival.
static void look_again(struct step *step)
{
    if (step->walker->open && !step->walker->task)
        seen_take(&step->seen, &step->walker->walk, step->chosen);
}

static int set_register(struct page *page, const char *name)
{
    struct step *step = page->state;
    struct sim_register found;
    const struct sim_trace *trace =
        step->walker->open && !step->walker->task ? step->walker->walk.trace : NULL;
    const char *names[512];
    size_t count = 0;
    if (!trace || sim_trace_register(trace, name, &found)) {
        format_into(step->chosen, sizeof step->chosen, "%s", name);
        look_again(step);
        if (step->pane != STEP_LANES && page->area.cols < STEP_WIDE)
            step->pane = STEP_LANES;
        return DONE;
    }
    while (count < 512 && (names[count] = sim_trace_register_name(trace, count)))
        count++;
    const char *nearest = string_nearest(name, names, count);
    app_say(page->app, ROLE_BAD, "There is no register '%.40s' here.%s%s%s", name,
            nearest ? " Did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return DONE_FAILED;
}

// The next one that the next instruction uses; behind the last, whichever it uses.
int step_turn_register(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    const struct seen *seen = &step->seen;
    if (words->count > 1)
        return set_register(page, words->word[1]);
    size_t at = 0;
    while (*step->chosen && at < seen->next_count && strcmp(seen->next[at].name, step->chosen) != 0)
        at++;
    if (*step->chosen)
        at = at < seen->next_count ? at + 1 : 0;
    else if (seen->has_chosen) // begins behind the one that is shown
        for (size_t i = 0; i < seen->next_count; i++)
            if (strcmp(seen->next[i].name, seen->chosen.name) == 0)
                at = i + 1;
    if (at >= seen->next_count) {
        *step->chosen = 0;
        look_again(step);
        app_say(page->app, ROLE_TEXT, "The register follows the next instruction.");
        return DONE;
    }
    return set_register(page, seen->next[at].name);
}

// One of all registers of the function, up or down in their order.
int step_walk_registers(struct page *page, int by)
{
    struct step *step = page->state;
    if (!step->walker->open || step->walker->task || !step->seen.has_chosen)
        return DONE;
    const struct sim_trace *trace = step->walker->walk.trace;
    long at = 0;
    const char *name;
    while ((name = sim_trace_register_name(trace, (size_t)at)) && strcmp(name, step->seen.chosen.name) != 0)
        at++;
    name = at + by >= 0 ? sim_trace_register_name(trace, (size_t)(at + by)) : NULL;
    return name ? set_register(page, name) : DONE;
}

int step_turn_format(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    for (int i = 0; words->count > 1 && i < WALK_FORMATS; i++)
        if (strcmp(i == WALK_AS_USED ? "used" : walk_formats[i], words->word[1]) == 0) {
            step->format = (enum walk_format)i;
            return DONE;
        }
    if (words->count > 1) {
        app_say(page->app, ROLE_BAD, "There is no format '%s': used, unsigned, signed, float, hex.",
                words->word[1]);
        return DONE_FAILED;
    }
    step->format = (enum walk_format)((step->format + 1) % WALK_FORMATS);
    app_say(page->app, ROLE_TEXT, "Values are shown %s%s.", step->format == WALK_AS_USED ? "" : "as ",
            step->format == WALK_AS_USED ? "as they are used" : walk_formats[step->format]);
    return DONE;
}

void step_show_pane(struct step *step, int pane)
{
    step->pane = (enum step_pane)pane;
    step->panel.top = 0;
    step->panel.selected = pane == STEP_WARPS ? (int)step->seen.spot.warp : -1;
}

int step_turn_pane(struct page *page, int by, const struct words *words)
{
    struct step *step = page->state;
    bool wide = page->area.cols >= STEP_WIDE;
    for (int i = 0; words->count > 1 && i < STEP_PANES; i++)
        if (strcmp(step_pane_names[i], words->word[1]) == 0) {
            step_show_pane(step, i);
            return DONE;
        }
    if (words->count > 1) {
        app_say(page->app, ROLE_BAD,
                "There is no view '%s': lanes, memory, shared, warps, stack, findings, printed.",
                words->word[1]);
        return DONE_FAILED;
    }
    int pane = (int)step->pane;
    if (wide && pane == STEP_LANES)
        pane = STEP_MEMORY; // the lanes are always there, and this is what is shown below them
    pane = (pane + by + STEP_PANES) % STEP_PANES;
    if (wide && pane == STEP_LANES)
        pane = by > 0 ? STEP_MEMORY : STEP_PRINTED;
    step_show_pane(step, pane);
    return DONE;
}

// ---- other problems, other pages -----------------------------------------------------------------------------------------------

static int again(struct page *page)
{
    struct step *step = page->state;
    walker_leave(step->walker);
    step_begin(page);
    return DONE;
}

// The name behind the current one, or the one asked for; NULL: there is no such.
static const char *turn(const char *const *names, size_t count, const char *now, const char *asked)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], asked ? asked : now) == 0)
            return asked ? names[i] : names[(i + 1) % count];
    return NULL;
}

int step_set_size(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    const struct lab *lab = step->target.lab;
    const char *names[LAB_PRESETS], *asked = words->count > 1 ? words->word[1] : NULL;
    size_t count = 0;
    for (; lab && count < LAB_PRESETS && lab->presets[count].name; count++)
        names[count] = lab->presets[count].name;
    const char *next = turn(names, count, step->preset ? step->preset : "small", asked);
    if (!next) {
        app_say(page->app, ROLE_BAD,
                lab ? "The lab has no size '%s'." : "The file itself says how large its problem is.",
                asked ? asked : "");
        return DONE_FAILED;
    }
    step->preset = next;
    return again(page);
}

int step_set_data(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    const struct lab *lab = step->target.lab;
    const char *asked = words->count > 1 ? words->word[1] : NULL;
    size_t count = 0;
    while (lab && count < LAB_DATA && lab->data[count])
        count++;
    const char *next =
        count > 1 ? turn(lab->data, count, step->data ? step->data : lab->data[0], asked) : NULL;
    if (!next) {
        app_say(page->app, ROLE_BAD,
                count > 1 ? "The lab has no such data." : "There is one kind of data only.");
        return DONE_FAILED;
    }
    step->data = next;
    return again(page);
}

int step_open_other(struct page *page, const char *name)
{
    const struct step *step = page->state;
    struct text words = { 0 };
    if (strcmp(name, "bench") == 0 && !step->target.lab) {
        app_say(page->app, ROLE_BAD, "This file belongs to no lab, so there is no ladder.");
        return DONE_FAILED;
    }
    text_addf(&words, "%s \"", name);
    for (const char *c = step->what; *c; c++)
        text_addf(&words, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    text_add(&words, "\"");
    bool opened = app_open(page->app, words.data);
    text_free(&words);
    return opened ? DONE : DONE_FAILED;
}
