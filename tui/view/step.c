// step: a launch in the simulator under the eyes, one instruction after the other, forward and back.
#include "tui/view/step.h"

#include <stdlib.h>
#include <string.h>

// ---- a trace as it was when nothing moved it -----------------------------------------------------------------

static bool same_warp(const struct step_seen *a, const struct step_seen *b)
{
    return a->known && b->known && a->launch == b->launch && a->spot.block_number == b->spot.block_number &&
           a->spot.warp == b->spot.warp && a->spot.function && b->spot.function &&
           strcmp(a->spot.function, b->spot.function) == 0;
}

static const struct sim_register *register_in(const struct step_seen *seen, const char *name)
{
    if (seen->has_chosen && strcmp(seen->chosen.name, name) == 0)
        return &seen->chosen;
    for (size_t i = 0; i < seen->next_count; i++)
        if (strcmp(seen->next[i].name, name) == 0)
            return &seen->next[i];
    return NULL;
}

static uint32_t changed_lanes(const struct step_seen *seen, const struct step_seen *before)
{
    const struct sim_register *was =
        seen->has_chosen && same_warp(seen, before) ? register_in(before, seen->chosen.name) : NULL;
    uint32_t changed = 0;
    for (int i = 0; was && i < WALK_LANES; i++)
        changed |= (uint32_t)(was->value[i] != seen->chosen.value[i]) << i;
    return changed;
}

// A name without % is a variable's, if there is one.
static bool choose_named(struct step_seen *seen, const struct sim_trace *trace, const char *name)
{
    struct sim_variable *variable = mem_new(sizeof *variable);
    if (*name != '%' && sim_trace_variable(trace, name, variable)) {
        seen->variable = variable;
        seen->chosen =
            (struct sim_register){ .name = variable->name, .bytes = variable->bytes, .is = variable->is };
        memcpy(seen->chosen.value, variable->value, sizeof seen->chosen.value);
        return true;
    }
    free(variable);
    return sim_trace_register(trace, name, &seen->chosen);
}

static bool is_changed(const struct sim_variable *now, const struct step_seen *before)
{
    const struct sim_variable *was = NULL;
    for (size_t i = 0; !was && i < before->variable_count; i++)
        if (strcmp(before->variables[i].name, now->name) == 0)
            was = &before->variables[i];
    bool changed =
        was && (now->lanes & before->spot.mask & ~was->lanes); // of lanes on other paths nothing is known
    for (int lane = 0; was && lane < WALK_LANES; lane++)
        changed |= (now->lanes & was->lanes) >> lane & 1 && now->value[lane] != was->value[lane];
    return changed;
}

static void take_variables(struct step_seen *seen, const struct step_seen *before,
                           const struct sim_trace *trace)
{
    seen->has_variables = sim_trace_has_variables(trace);
    if (!seen->has_variables)
        return;
    for (int lane = 0; lane < WALK_LANES; lane++)
        sim_trace_thread(trace, lane, seen->threads[lane]);
    seen->variables = mem_new(SEEN_VARIABLES * sizeof *seen->variables);
    seen->variable_changed = mem_new(SEEN_VARIABLES * sizeof *seen->variable_changed);
    size_t count = sim_trace_variables(trace, seen->variables, SEEN_VARIABLES);
    seen->variable_count = count < SEEN_VARIABLES ? count : SEEN_VARIABLES;
    for (size_t i = 0; i < seen->variable_count && same_warp(seen, before); i++)
        seen->variable_changed[i] = is_changed(&seen->variables[i], before);
}

// The one that was asked for; else the first that the next instruction reads, or uses; else the one before.
static void choose_register(struct step_seen *seen, const struct step_seen *before,
                            const struct sim_trace *trace, const char *name)
{
    size_t at = 0;
    if (*name) {
        seen->has_chosen = choose_named(seen, trace, name);
        return;
    }
    while (at < seen->next_count && !seen->next[at].read)
        at++;
    if (at == seen->next_count)
        at = 0;
    seen->has_chosen = seen->next_count > 0;
    if (seen->has_chosen)
        seen->chosen = seen->next[at];
    else if (before->has_chosen && same_warp(seen, before))
        seen->has_chosen = sim_trace_register(trace, before->chosen.name, &seen->chosen);
}

static void take_shared(struct step_seen *seen, const struct sim_trace *trace)
{
    size_t words = sim_trace_shared_bytes(trace) / 4;
    seen->shared = mem_new((words + 1) * sizeof *seen->shared);
    seen->shared_words = sim_trace_shared(trace, 0, words, seen->shared);
}

static void seen_free(struct step_seen *seen)
{
    free(seen->shared);
    free(seen->variable);
    free(seen->variables);
    free(seen->variable_changed);
    free(seen->findings);
    free(seen->printed);
    *seen = (struct step_seen){ 0 };
}

// `name`: the register that was chosen; "": one that the next instruction uses. What it was before the move is taken
// from `seen` itself, which is replaced.
static void seen_take(struct step_seen *seen, const struct stepper *walk, const char *name)
{
    struct step_seen before = *seen;
    const struct sim_trace *trace = walk->trace;
    *seen = (struct step_seen){ .known = true, .launch = walk->launch };
    seen->launches = walk->setup.variant.launch_count;
    sim_trace_where(trace, &seen->spot);
    size_t count = sim_trace_registers(trace, seen->next, SEEN_REGISTERS);
    seen->next_count = count < SEEN_REGISTERS ? count : SEEN_REGISTERS;
    seen->matrix_count = sim_trace_matrices(trace, seen->matrices);
    seen->sparse = sim_trace_sparsity(trace, &seen->sparsity);
    choose_register(seen, &before, trace, name);
    seen->changed = changed_lanes(seen, &before);
    seen->has_touched = sim_trace_touched(trace, &seen->touched);
    take_shared(seen, trace);
    take_variables(seen, &before, trace);
    seen->warp_count = sim_trace_warps(trace, seen->warps);
    count = sim_trace_stack(trace, seen->paths, SEEN_PATHS);
    seen->path_count = count < SEEN_PATHS ? count : SEEN_PATHS;
    seen->finding_count = stepper_findings(walk, &seen->findings);
    seen->printed = sim_trace_printed(trace);
    seen_free(&before);
}

static bool has_finding(const struct step_seen *seen, const struct sim_finding *finding)
{
    for (size_t i = 0; i < seen->finding_count; i++)
        if (strcmp(seen->findings[i].sentence, finding->sentence) == 0)
            return true;
    return false;
}

// What is new in the findings since `before`; NULL: nothing.
static const struct sim_finding *seen_news(const struct step_seen *seen, const struct step_seen *before)
{
    for (size_t i = 0; i < seen->finding_count; i++)
        if (!has_finding(before, &seen->findings[i]))
            return &seen->findings[i];
    return NULL;
}

// ---- opening --------------------------------------------------------------------------------------------------------

static void arrived(struct walker *walker, const struct move *move, enum sim_arrival arrival);

static void forget_shown(struct walker *walker)
{
    seen_free(&((struct step *)walker->page->state)->seen);
}

// Forgets what belongs to the walk before.
static void forget(struct step *step)
{
    seen_free(&step->seen);
    step->ptx.sheet.width = 0; // made anew
    step->source_line = step->ptx_line = 0;
    step->shared_step = 0;
}

static struct walker *walker_of(struct page *page, bool debug)
{
    const struct step *step = page->state;
    struct walker *walker = mem_new(sizeof *walker);
    walker->page = page;
    walker->debug = debug;
    walker->arrived = arrived;
    walker->forget = forget_shown;
    walker->request = request_new(ON_SIM, step->target.lab ? step->target.lab->name : NULL,
                                  step->target.variant, NULL, step->preset, step->data);
    if (step->kept) {
        free(walker->request.file);
        walker->request.file = mem_copy(step->kept);
    }
    return walker;
}

static void stop_coming(struct step *step)
{
    if (step->coming)
        walker_leave(step->coming);
    step->coming = NULL;
}

static void begin_walk(struct page *page)
{
    struct step *step = page->state;
    stop_coming(step);
    step->walker = walker_of(page, step->debug);
    forget(step);
    walker_go(step->walker, (struct move){ .go = GO_OPEN });
}

static bool read_kept(struct step *step, const char *path, struct error *error)
{
    struct target *target = &step->target;
    if (!kept_variant(path, &target->file, error))
        return false;
    target->variant = &target->file;
    step->kept = mem_copy(path);
    step->what = mem_copy(target->file.path);
    step->is_ptx = string_ends(target->file.path, ".ptx");
    return true;
}

static bool read_variant(struct step *step, const char *what, struct error *error)
{
    struct target *target = &step->target;
    if (kept_is(what))
        return read_kept(step, what, error);
    if (!target_read(what, target, error))
        return false;
    if (!target->variant && !target->cpu && target->ladder.count)
        target->variant = &target->ladder.variants[0];
    if (!target->variant)
        return error_set(error, EXIT_USAGE, "%s is a CPU implementation; the simulator runs kernels.",
                         target->cpu ? target->cpu->name : what);
    struct text name = { 0 };
    if (target->lab)
        text_addf(&name, "%s/%s", target->lab->name, target->variant->name);
    else
        text_add(&name, what);
    step->what = text_take(&name);
    step->is_ptx = string_ends(target->variant->path, ".ptx");
    return true;
}

static bool open_step(struct page *page, const struct words *words, struct error *error)
{
    struct step *step = page->state;
    if (!read_variant(step, words->count > 1 ? words->word[1] : lab_list[0]->name, error)) {
        target_free(&step->target);
        return false;
    }
    step->source.selected = step->ptx.selected = step->panel.selected = -1;
    step->words_per_row = 8;
    step->lane = -1;
    begin_walk(page);
    return true;
}

static void close_step(struct page *page)
{
    struct step *step = page->state;
    stop_coming(step);
    walker_leave(step->walker);
    seen_free(&step->seen);
    reader_free(&step->source);
    reader_free(&step->ptx);
    reader_free(&step->panel);
    target_free(&step->target);
    free(step->what);
    free(step->kept);
}

static void title_step(struct page *page, struct text *out)
{
    const struct step *step = page->state;
    const char *slash = step->target.lab ? NULL : strrchr(step->what, '/');
    text_add(out, slash ? slash + 1 : step->what);
    if (step->kept)
        text_addf(out, ", %s", step->target.variant->name);
    if (step->preset)
        text_addf(out, ", %s", step->preset);
    if (step->data)
        text_addf(out, ", %s", step->data);
    if (step->debug)
        text_add(out, ", debug build");
    if (!step->seen.known)
        return;
    if (step->seen.launches > 1)
        text_addf(out, ", launch %zu of %zu", step->seen.launch + 1, step->seen.launches);
    text_addf(out, ", step %llu", (unsigned long long)step->seen.spot.step);
    if (step->seen.spot.ended)
        text_add(out, ", at the end");
    else if (step_marked(step).line && !step->is_ptx)
        text_addf(out, ", line %d", step_marked(step).line);
}

// The table of the view.
static void copy_step(struct page *page, int lines, struct text *out)
{
    reader_copy(&((struct step *)page->state)->panel, lines, out);
}

// ---- arriving -----------------------------------------------------------------------------------------------

// From the first line on that was not there before; one that others joined since is new too.
static const char *new_lines(const char *printed, const char *before)
{
    const char *from = printed ? printed : "";
    while (printed && before && *printed && *printed == *before) {
        before++;
        if (*printed++ == '\n')
            from = printed;
    }
    return from;
}

static void say_conflict(struct app *app, const struct step_seen *seen)
{
    struct text words = { 0 };
    walk_add_cost(&words, &seen->touched);
    app_say(app, ROLE_TEXT, "What is marked has just run: %s.", words.data);
    text_free(&words);
}

// Says what was found on the way, why the move ended, or what it came to: the first of these that there is.
static void say_arrival(struct page *page, const struct move *move, enum sim_arrival arrival,
                        const struct step_seen *before)
{
    struct step *step = page->state;
    struct app *app = page->app;
    const struct sim_finding *news = seen_news(&step->seen, before);
    const char *why = walk_arrival(arrival, &step->seen.spot);
    bool onward = step->seen.launch > before->launch ||
                  (step->seen.launch == before->launch && step->seen.spot.step > before->spot.step);
    const char *printed = onward ? new_lines(step->seen.printed, before->printed) : "";
    if (news)
        app_say(app, news->severity == SIM_ERROR ? ROLE_BAD : ROLE_NOTE, "%s%s%s", why ? why : "",
                why ? " " : "", news->sentence);
    else if (why)
        app_say(app, arrival == SIM_TOO_FAR || arrival == SIM_NO_MEMORY ? ROLE_BAD : ROLE_NOTE, "%s", why);
    else if (*printed)
        app_say(app, ROLE_TEXT, "The kernel printed: %s", printed);
    else if (move->go == GO_CONFLICT)
        say_conflict(app, &step->seen);
}

static void arrived(struct walker *walker, const struct move *move, enum sim_arrival arrival)
{
    struct page *page = walker->page;
    struct step *step = page->state;
    page->app->dirty = true;
    if (!walker->open) {
        forget(step);
        return;
    }
    struct step_seen before = step->seen;
    // The copy keeps what messages are compared with.
    step->seen.findings = NULL;
    step->seen.finding_count = 0;
    step->seen.printed = NULL;
    seen_take(&step->seen, &walker->walk, step->chosen);
    if (page->app->page == page)
        say_arrival(page, move, arrival, &before);
    bool conflicts = move->go == GO_CONFLICT && arrival == SIM_THERE && step->seen.has_touched;
    bool stayed = step->seen.launch == before.launch && step->seen.spot.step == before.spot.step;
    step->blames = conflicts || (step->blames && stayed);
    if (conflicts)
        step->pane = STEP_MEMORY;
    if (arrival == SIM_THERE && (move->go == GO_FINDING || move->go == GO_MATRIX))
        step->pane = move->go == GO_FINDING ? STEP_FINDINGS : STEP_MATRIX;
    if (move->go != GO_OPEN &&
        (step->pane == STEP_LANES || step->pane == STEP_MEMORY || step->pane == STEP_MATRIX))
        step->panel.top = 0;
    if (step->pane == STEP_WARPS && !step->seen.spot.ended)
        step->panel.selected = (int)step->seen.spot.warp;
    free(before.findings);
    free(before.printed);
}

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
    struct step_seen found = { 0 };
    const struct sim_trace *trace =
        step->walker->open && !step->walker->task ? step->walker->walk.trace : NULL;
    const char *names[512];
    size_t count = 0;
    bool there = !trace || choose_named(&found, trace, name);
    seen_free(&found);
    if (there) {
        format_into(step->chosen, sizeof step->chosen, "%s", name);
        look_again(step);
        if (step->pane != STEP_LANES && page->area.cols < STEP_WIDE)
            step->pane = STEP_LANES;
        return DONE;
    }
    while (count < 512 && (names[count] = sim_trace_register_name(trace, count)))
        count++;
    for (size_t i = 0; i < step->seen.variable_count && count < 512; i++)
        names[count++] = step->seen.variables[i].name;
    const char *nearest = string_nearest(name, names, count);
    if (!nearest && !step->seen.has_variables && !step->is_ptx)
        return app_refuse(
            page->app, "There is no register '%.40s' here. 'debug' steps a build with the variables.", name);
    return app_refuse(page->app, "There is no %s '%.40s' here.%s%s%s",
                      step->seen.has_variables ? "register or variable" : "register", name,
                      nearest ? " Did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

// Turns to the next register that the next instruction uses; after the last one, to whichever it uses.
static int turn_register(struct page *page, const struct words *words)
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
    else if (seen->has_chosen) // begins after the one that is shown
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

// Turns to the register before or after, among all of the function in their order.
static int walk_registers(struct page *page, int by)
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

// ---- lanes, and the two builds ------------------------------------------------------------------------------------------------------

static int turn_lane(struct page *page, const struct words *words)
{
    struct step *step = page->state;
    const char *word = words->count > 1 ? words->word[1] : "+";
    uint64_t lane = (uint64_t)step_lane(step);
    if (strcmp(word, "+") == 0)
        lane = (lane + 1) % WALK_LANES;
    else if (strcmp(word, "-") == 0)
        lane = (lane + WALK_LANES - 1) % WALK_LANES;
    else if (!walk_number(word, 0, &lane) || lane >= WALK_LANES)
        return app_refuse(page->app, "There is no lane '%.20s': a warp has lanes 0 to 31.", word);
    step->lane = (int)lane;
    if (step->pane != STEP_MATRIX && step_pane_shown(step, page->area.cols >= STEP_WIDE) != STEP_VARIABLES)
        step->pane = STEP_VARIABLES;
    return DONE;
}

// The other build is open, or cannot be. Until then the one before was there to be stepped.
static void came(struct walker *walker, const struct move *move, enum sim_arrival arrival)
{
    struct page *page = walker->page;
    struct step *step = page->state;
    page->app->dirty = true;
    step->coming = NULL;
    if (!walker->open) {
        if (walker->stopped)
            app_say(page->app, ROLE_NOTE, "It was stopped.");
        else
            app_say(page->app, ROLE_BAD, "There is no %s: %s",
                    walker->debug ? "debug build" : "optimised code", walker->error.text);
        walker->task = NULL;
        walker_leave(walker);
        return;
    }
    walker_leave(step->walker);
    step->walker = walker;
    step->debug = walker->debug;
    walker->arrived = arrived;
    walker->forget = forget_shown;
    forget(step);
    step->blames = false;
    step->panel.top = 0;
    if (step->debug)
        step->pane = STEP_VARIABLES;
    else if (*step->chosen != '%') // a variable
        *step->chosen = 0;
    arrived(walker, move, arrival);
    if (page->app->page == page)
        app_say(page->app, ROLE_NOTE, "%s",
                step->debug ? "The debug build: every statement, every variable; its costs mean nothing."
                            : "The optimised code, which is what a GPU runs.");
}

static void keep_shown(struct walker *walker)
{
}

static int turn_build(struct page *page)
{
    struct step *step = page->state;
    const struct step_seen *seen = &step->seen;
    if (step->is_ptx)
        return app_refuse(page->app, "This file is PTX: there is nothing to build, and its code names %s.",
                          seen->has_variables ? "its variables" : "no variables");
    if (step->kept)
        return app_refuse(page->app,
                          "This is the code that the program was built with. Build it with nvcc -G, and %s.",
                          seen->has_variables ? "every statement is there, too" : "it names its variables");
    if (step->coming) {
        stop_coming(step);
        return DONE;
    }
    if (!seen->known) { // there is nothing to keep
        walker_leave(step->walker);
        step->debug = !step->debug;
        begin_walk(page);
        return DONE;
    }
    struct walker *walker = step->coming = walker_of(page, !step->debug);
    walker->arrived = came;
    walker->forget = keep_shown;
    walker->place = (struct step_place){ .known = !seen->spot.ended,
                                         .launch = seen->launch,
                                         .block = seen->spot.block_number,
                                         .warp = seen->spot.warp,
                                         .line = step_marked(step).line };
    walker_go(walker, (struct move){ .go = GO_OPEN });
    return DONE;
}

static int turn_format(struct page *page, const struct words *words)
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

static void show_pane(struct step *step, int pane)
{
    step->pane = (enum step_pane)pane;
    step->panel.top = 0;
    step->panel.selected = pane == STEP_WARPS ? (int)step->seen.spot.warp : -1;
}

static int turn_pane(struct page *page, int by, const struct words *words)
{
    struct step *step = page->state;
    bool wide = page->area.cols >= STEP_WIDE;
    int pane = (int)step_pane_shown(step, wide);
    if (words->count > 1) {
        int asked = choose_name(page->app, "view", step_pane_names, STEP_PANES, words->word[1]);
        if (asked >= 0)
            show_pane(step, asked);
        return asked < 0 ? DONE_FAILED : DONE;
    }
    pane = (pane + by + STEP_PANES) % STEP_PANES;
    if (wide && pane == STEP_LANES)
        pane = by > 0 ? STEP_VARIABLES : STEP_MATRIX;
    show_pane(step, pane);
    return DONE;
}

// ---- other problems, other pages -----------------------------------------------------------------------------------------------

static int set_problem(struct page *page, enum act act, const struct words *words)
{
    struct step *step = page->state;
    const struct lab *lab = step->target.lab;
    const char *size = step->preset ? step->preset : "small";
    if (act == ACT_DATA ? choose_data(page->app, lab, &step->data, words) != DONE
                        : choose_size(page->app, lab, &size, words) != DONE)
        return DONE_FAILED;
    step->preset = act == ACT_SIZE ? size : step->preset;
    walker_leave(step->walker);
    begin_walk(page);
    return DONE;
}

static int to_kernel(struct page *page, int by)
{
    struct step *step = page->state;
    const struct variant *variant = choose_beside(page->app, &step->target, by);
    if (!variant)
        return DONE_FAILED;
    walker_leave(step->walker);
    choose_variant(page, &step->target, variant, &step->what);
    *step->chosen = 0;
    step->blames = false;
    step->source.sheet.width = 0; // made anew, as the PTX
    step->source.top = step->panel.top = 0;
    begin_walk(page);
    return DONE;
}

static int open_other(struct page *page, const char *name)
{
    const struct step *step = page->state;
    if (step->kept && step->is_ptx)
        return app_refuse(page->app, "The program's source is not there: this is its PTX.");
    if (strcmp(name, "bench") != 0 || step->target.lab)
        return app_open_on(page->app, name, step->what);
    return app_refuse(page->app, "This file belongs to no lab, so there is no ladder.");
}

// ---- the word to explain ------------------------------------------------------------------------------------

// "bar.sync", or else "bar": what the glossary knows of an instruction.
static const struct term *term_of_instruction(const struct glossary *glossary, const char *ptx)
{
    char word[64];
    const char *at = walk_trimmed(ptx);
    if (*at == '@') // its guard
        at += strcspn(at, " \t"), at += strspn(at, " \t");
    format_into(word, sizeof word, "%.*s", (int)strcspn(at, " \t;"), at);
    for (;;) {
        const struct term *term = glossary_find(glossary, word);
        char *dot = strrchr(word, '.');
        if (term || !dot)
            return term;
        *dot = 0;
    }
}

// The word of the line that runs, else its instruction.
static const char *word_of_place(struct page *page)
{
    const struct step *step = page->state;
    const struct glossary *glossary = app_glossary(page->app);
    const struct sim_spot *spot = &step->seen.spot;
    const struct term *term = NULL;
    if (step->seen.known && !spot->ended && !step->is_ptx && spot->line > 0)
        term = listing_term(glossary, step->target.variant->text, (size_t)spot->line - 1);
    if (!term && step->seen.known && !spot->ended)
        term = term_of_instruction(glossary, spot->text);
    return term ? term->name : "warp";
}

// The term that the shown view is about.
static void word_step(struct page *page, struct text *out)
{
    const struct step *step = page->state;
    const struct step_seen *seen = &step->seen;
    bool shared = seen->has_touched && walk_is_shared(&seen->touched);
    switch (step->pane) {
    case STEP_MEMORY:
        text_add(out, !seen->has_touched                           ? word_of_place(page)
                      : !shared                                    ? "sector"
                      : seen->touched.passes > seen->touched.ideal ? "bank conflict"
                                                                   : "bank");
        break;
    case STEP_MATRIX:
    case STEP_SHARED:
        text_add(out, step->pane == STEP_MATRIX ? "fragment" : "shared memory");
        break;
    case STEP_WARPS:
        text_add(out, "warp");
        break;
    case STEP_STACK:
        text_add(out, "divergence");
        break;
    case STEP_FINDINGS:
        text_add(out, "finding");
        break;
    default:
        text_add(out, word_of_place(page));
    }
}

// ---- moves that are asked for --------------------------------------------------------------------------------

static int go(struct page *page, struct move move)
{
    struct step *step = page->state;
    if (!step->walker->open && !step->walker->task && move.go == GO_START) {
        move.go = GO_OPEN;
    } else if (!step->walker->open && !step->walker->task) {
        return app_refuse(page->app, "There is nothing to step through: %s",
                          step->walker->stopped ? "it was stopped." : "it could not be opened.");
    }
    walker_go(step->walker, move);
    return DONE;
}

// The word at `index` as a number; without one, `otherwise`.
static bool number(struct page *page, const struct words *words, size_t index, uint64_t otherwise,
                   uint64_t *out)
{
    const char *word = index < words->count ? words->word[index] : NULL;
    if (walk_number(word, otherwise, out))
        return true;
    app_say(page->app, ROLE_BAD, "'%s' is not a number.", word);
    return false;
}

static int go_steps(struct page *page, enum go where, const struct words *words)
{
    uint64_t steps;
    if (!number(page, words, 1, 1, &steps))
        return DONE_FAILED;
    return go(page, (struct move){ .go = where, .steps = steps });
}

static int go_warp(struct page *page, const struct words *words)
{
    uint64_t block, warp;
    if (words->count < 3)
        return app_refuse(page->app, "warp takes a block and a warp: warp 2 0");
    if (!number(page, words, 1, 0, &block) || !number(page, words, 2, 0, &warp))
        return DONE_FAILED;
    return go(page, (struct move){ GO_WARP, 0, block, warp < UINT32_MAX ? (uint32_t)warp : UINT32_MAX });
}

// The warp runs, the variable is shown in all lanes.
static int go_selected(struct page *page)
{
    const struct step *step = page->state;
    size_t at = (size_t)step->panel.selected;
    if (step_pane_shown(step, page->area.cols >= STEP_WIDE) == STEP_VARIABLES && step->panel.selected >= 0 &&
        at < step->seen.variable_count)
        return set_register(page, step->seen.variables[at].name);
    if (step->pane != STEP_WARPS || step->panel.selected < 0 || step->seen.spot.ended)
        return DONE_NOT;
    return go(page,
              (struct move){ GO_WARP, 0, step->seen.spot.block_number, (uint32_t)step->panel.selected });
}

// ---- scrolling -----------------------------------------------------------------------------------------------------

static int scroll(struct page *page, enum act act, const struct words *words)
{
    struct step *step = page->state;
    enum step_pane pane = step_pane_shown(step, page->area.cols >= STEP_WIDE);
    if (act == ACT_SEARCH || act == ACT_SEARCH_NEXT || act == ACT_SEARCH_PREVIOUS ||
        act == ACT_SEARCH_BEGIN || act == ACT_SEARCH_UNDO)
        return reader_act(&step->source, page->app, act, words);
    if (pane == STEP_LANES) {
        if (act == ACT_UP || act == ACT_DOWN)
            return walk_registers(page, act == ACT_UP ? -1 : 1);
        return reader_act(&step->source, page->app, act, words);
    }
    if (pane != STEP_SHARED)
        return reader_act(&step->panel, page->app, act, words);
    // The list has no selection: keys move its first row.
    struct list *shared = &step->shared;
    shared->selected = act == ACT_UP || act == ACT_HALF_UP || act == ACT_PAGE_UP
                           ? shared->top
                           : shared->top + shared->rows - 1;
    return list_act(shared, act);
}

// ---- acting ----------------------------------------------------------------------------------------------------------

// "step" is a page as well: what is no number names a kernel.
static int step_or_open(struct page *page, const struct words *words)
{
    bool steps = words->count < 2 || (*words->word[1] >= '0' && *words->word[1] <= '9');
    return steps ? go_steps(page, GO_FORWARD, words) : app_open_on(page->app, "step", words->word[1]);
}

static int move_page(struct page *page, enum act act, const struct words *words)
{
    switch (act) {
    case ACT_STEP:
        return step_or_open(page, words);
    case ACT_RIGHT:
        return go_steps(page, GO_FORWARD, words);
    case ACT_STEP_BACK:
    case ACT_LEFT:
        return go_steps(page, GO_BACK, words);
    case ACT_LINE:
        return go(page, (struct move){ .go = GO_LINE });
    case ACT_LINE_BACK:
        return go(page, (struct move){ .go = GO_LINE_BACK });
    case ACT_MATRIX:
        return go(page, (struct move){ .go = GO_MATRIX });
    case ACT_BARRIER:
        return go(page, (struct move){ .go = GO_BARRIER });
    case ACT_CONFLICT:
        return go(page, (struct move){ .go = GO_CONFLICT });
    case ACT_FINDING:
        return go(page, (struct move){ .go = GO_FINDING });
    case ACT_RESTART:
        return go(page, (struct move){ .go = GO_START });
    case ACT_TO_END:
        return go(page, (struct move){ .go = GO_END });
    case ACT_WARP:
        return go_warp(page, words);
    case ACT_ENTER:
        return go_selected(page);
    default:
        return DONE_NOT;
    }
}

static int act_step(struct page *page, enum act act, const struct words *words)
{
    struct step *step = page->state;
    int moved = move_page(page, act, words);
    if (moved != DONE_NOT)
        return moved;
    switch (act) {
    case ACT_REGISTER:
        return turn_register(page, words);
    case ACT_FORMAT:
        return turn_format(page, words);
    case ACT_DEBUG:
        return turn_build(page);
    case ACT_LANE:
        return turn_lane(page, words);
    case ACT_PANE:
    case ACT_NEXT:
        return turn_pane(page, 1, words);
    case ACT_PREVIOUS:
        return turn_pane(page, -1, words);
    case ACT_SIZE:
    case ACT_DATA:
        return set_problem(page, act, words);
    case ACT_BASELINE:
        return choose_baseline(page->app, step->what);
    case ACT_VARIANT_NEXT:
        return to_kernel(page, 1);
    case ACT_VARIANT_PREVIOUS:
        return to_kernel(page, -1);
    case ACT_SOURCE:
        return open_other(page, "source");
    case ACT_BENCH:
        return open_other(page, "bench");
    case ACT_STOP:
        walker_stop(step->walker); // and whatever else runs
        if (step->coming)
            walker_stop(step->coming);
        return DONE_NOT;
    default:
        return scroll(page, act, words);
    }
}

static bool click_step(struct page *page, int row, int col)
{
    struct step *step = page->state;
    row += page->area.row;
    col += page->area.col;
    int pane = tabs_at(&step->tabs, row, col);
    if (pane >= 0) {
        show_pane(step, pane);
        return true;
    }
    struct area *lower = &step->lower;
    bool inside = row >= lower->row && row < lower->row + lower->rows && col >= lower->col;
    return inside && (step->pane == STEP_WARPS || step->pane == STEP_VARIABLES) &&
           reader_click(&step->panel, row - lower->row, col - lower->col);
}

static void about_step(struct page *page, struct text *out)
{
    text_add(out, ((const struct step *)page->state)->what);
}

static void names_step(struct page *page, enum act act, void (*add)(void *context, const char *name),
                       void *context)
{
    if (act != ACT_REGISTER)
        return;
    const struct step *step = page->state;
    const struct walker *walker = step->walker;
    const char *name;
    for (size_t i = 0; i < step->seen.variable_count; i++)
        add(context, step->seen.variables[i].name);
    for (size_t i = 0; walker->open && !walker->task; i++) {
        name = sim_trace_register_name(walker->walk.trace, i);
        if (!name)
            return;
        add(context, name);
    }
}

const struct page_ops step_page = {
    .name = "step",
    .operands = "[LAB/STEP | FILE]",
    .help =
        "A launch in the simulator, one instruction after the other: lanes, memory, warps, what is wrong.",
    .most = 1,
    .size = sizeof(struct step),
    .open = open_step,
    .title = title_step,
    .copy = copy_step,
    .draw = step_draw,
    .act = act_step,
    .click = click_step,
    .word = word_step,
    .about = about_step,
    .panes = step_pane_names,
    .names = names_step,
    .close = close_step
};
