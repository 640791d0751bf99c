// What one chooses on the step page: the register, the format, the view, another problem, another page.
#include "tui/view/step.h"

#include <ctype.h>
#include <string.h>

// ---- registers and views ---------------------------------------------------------------------------------------------------

// While a task has the trace, the choice shows with its arrival.
static void look_again(struct step *step)
{
    if (step->walker->open && !step->walker->task)
        seen_take(&step->seen, &step->walker->walk, step->chosen);
}

// The first line from which on `name` is given a value: it stands there alone, before one '='; 0: none.
static int line_that_sets(const char *text, const char *name)
{
    size_t length = strlen(name);
    int line = 1;
    for (const char *at = text; length && *at; line += *at++ == '\n') {
        const char *behind = at + length;
        bool starts = at == text || !(isalnum((unsigned char)at[-1]) || strchr("_%.", at[-1]));
        if (!starts || strncmp(at, name, length) != 0)
            continue;
        behind += strspn(behind, " ");
        if (*behind == '=' && behind[1] != '=')
            return line;
    }
    return 0;
}

// PTX keeps no names of variables, and which register has one's value may change from line to line.
static bool say_variable(struct app *app, const struct step *step, const char *name)
{
    int line = step->is_ptx ? 0 : line_that_sets(step->target.variant->text, name);
    if (!line)
        return false;
    app_say(app, ROLE_NOTE,
            "PTX keeps no names of variables. Line %d gives '%.40s' its value: step there, and 'register' "
            "shows one by one the registers that its instructions use; Tab behind ':register ' lists all.",
            line, name);
    return true;
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
    if (say_variable(page->app, step, name))
        return DONE_FAILED;
    const char *nearest = string_nearest(name, names, count);
    app_say(page->app, ROLE_BAD, "There is no register '%.40s' here.%s%s%s", name,
            nearest ? " Did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return DONE_FAILED;
}

// The next one that the next instruction uses; behind the last, whichever it uses.
int step_turn_register(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    const struct step_seen *seen = &step->seen;
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
    if (words->count > 1) {
        const char *names[WALK_FORMATS];
        memcpy(names, walk_formats, sizeof names);
        names[WALK_AS_USED] = "used";
        int asked = choose_name(page->app, "format", names, WALK_FORMATS, words->word[1]);
        if (asked >= 0)
            step->format = (enum walk_format)asked;
        return asked < 0 ? DONE_FAILED : DONE;
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
    int pane = (int)step->pane;
    if (words->count > 1) {
        int asked = choose_name(page->app, "view", step_pane_names, STEP_PANES, words->word[1]);
        if (asked >= 0)
            step_show_pane(step, asked);
        return asked < 0 ? DONE_FAILED : DONE;
    }
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

int step_set_size(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    const char *size = choose_size(page->app, step->target.lab, step->preset ? step->preset : "small", words);
    if (!size)
        return DONE_FAILED;
    step->preset = size;
    return again(page);
}

int step_set_data(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    const char *data = choose_data(page->app, step->target.lab, step->data, words);
    if (!data)
        return DONE_FAILED;
    step->data = data;
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
