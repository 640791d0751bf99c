// The page of the explorers: knobs above, the picture below. Up and down choose a knob, left and right turn it, digits
// set it; with no explorer named it is the list of them.
#include "tui/explore/explore.h"

#include <stdlib.h>
#include <string.h>

#include "tui/view/view.h"

struct explore_state {
    struct reader reader;            // first, as a reader page wants it
    const struct explorer *explorer; // NULL: the list
    struct settings settings;
    char typed[KNOB_TEXT]; // digits so far, or the text that is being edited
    bool editing;
    char before[KNOB_TEXT];      // what Escape brings back
    int chosen;                  // the knob; it stays when it scrolls out of sight
    struct preparing *preparing; // NULL: nothing is
    bool stopped;                // by the user: nothing is prepared until another key is pressed
};
struct preparing { // what a picture needs, as a task
    struct task *task;
    struct settings settings;
    struct explore_state *state; // NULL: the page is gone
};

enum { MARGIN = 1 }; // of the list; a picture has its own

static size_t explorer_count(void)
{
    size_t count = 0;
    while (explorers[count])
        count++;
    return count;
}

static bool is_text_or_number(const struct explorer *explorer, int knob)
{
    return knob >= 0 && !explorer->knobs[knob].words;
}

// Arrows and digits begin at the knob that is named alone, or else at the first that was set, or else at the first that
// does something; a choice between names, which changes what the others mean, is turned when it is wanted.
static bool open_page(struct page *page, const struct words *words, struct error *error)
{
    struct explore_state *state = page->state;
    int named = -1, set = -1;
    if (words->count < 2)
        return true;
    if (!settings_open(words->word[1], &state->settings, error))
        return false;
    state->explorer = state->settings.explorer;
    for (size_t i = 2; i < words->count; i++) {
        int knob = knob_find(state->explorer, words->word[i], strcspn(words->word[i], "="));
        if (knob >= 0 && !strchr(words->word[i], '='))
            named = knob;
        else if (!settings_read(&state->settings, words->word[i], error))
            return false;
        else if (set < 0 && is_text_or_number(state->explorer, knob))
            set = knob;
    }
    for (size_t k = 0; set < 0 && k < knob_count(state->explorer); k++)
        if (is_text_or_number(state->explorer, (int)k) && knob_matters(&state->settings, k))
            set = (int)k;
    state->chosen = named >= 0 ? named : set >= 0 ? set : 0;
    state->reader.selected = state->chosen;
    return true;
}

static void title(struct page *page, struct text *out)
{
    const struct explore_state *state = page->state;
    if (state->explorer)
        text_add(out, state->explorer->name);
}

// ---- what takes long --------------------------------------------------------------------------------------------

static void prepare(struct task *task)
{
    struct preparing *preparing = task->context;
    const struct settings *settings = &preparing->settings;
    task_says(task, "%s: the simulator runs it", settings->explorer->title);
    if (!task->stop)
        settings->explorer->prepare(settings);
}

static void prepared(struct app *app, struct task *task)
{
    struct preparing *preparing = task->context;
    if (preparing->state) {
        preparing->state->preparing = NULL;
        preparing->state->stopped = task->stop;
    }
    free(preparing);
    app->dirty = true;
}

// False: what the picture needs is not there yet. A task makes it, and what completes the picture. One at a time: when the knobs were turned
// meanwhile, the next one begins when it has ended.
static bool is_prepared(struct app *app, struct explore_state *state)
{
    const struct explorer *explorer = state->explorer;
    if (!explorer || !explorer->ready)
        return true;
    bool ready = explorer->ready(&state->settings);
    if (ready && (!explorer->whole || explorer->whole(&state->settings)))
        return true;
    if (!state->preparing && !state->stopped) {
        struct task *task = mem_new(sizeof *task);
        state->preparing = mem_new(sizeof *state->preparing);
        *state->preparing = (struct preparing){ task, state->settings, state };
        *task = (struct task){ .work = prepare, .done = prepared, .context = state->preparing };
        tasks_add(app->tasks, LANE_HELP, task);
    }
    return ready;
}

static void close_page(struct page *page)
{
    struct explore_state *state = page->state;
    if (state->preparing) {
        state->preparing->state = NULL;
        state->preparing->task->stop = true;
    }
    reader_page_close(page);
}

static void draw(struct page *page, struct area area)
{
    struct explore_state *state = page->state;
    bool utf8 = area.canvas->utf8;
    state->settings.rows = area.rows;
    state->settings.waits = !is_prepared(page->app, state);
    if (state->explorer)
        reader_show(&state->reader, explore_sheet(&state->settings, area.cols, utf8, state->chosen),
                    (int)knob_count(state->explorer));
    else
        reader_show(&state->reader, explore_list(area.cols - MARGIN, utf8, ":"), (int)explorer_count());
    reader_draw(&state->reader, state->explorer ? area : area_part(area, 0, MARGIN, area.rows, area.cols));
}

// ---- turning knobs ----------------------------------------------------------------------------------------------

// A knob that is chosen in the reader is the one that is turned from now on.
static void follow(struct explore_state *state)
{
    if (state->explorer && state->reader.selected >= 0)
        state->chosen = state->reader.selected;
}

static int turn(struct explore_state *state, int direction, const struct words *words)
{
    int times = words->count > 1 ? atoi(words->word[1]) : 1;
    for (int i = 0; i < times && i < 10000; i++)
        settings_turn(&state->settings, (size_t)state->chosen, direction);
    return DONE;
}

// `set stride 4`, `set stride=4`, `set if i % 3 == 0`
static int set(struct page *page, const struct words *words)
{
    struct explore_state *state = page->state;
    struct error error;
    struct text value = { 0 };
    if (words->count < 2)
        return app_refuse(page->app, "set takes a knob and its value: set %s=%ld",
                          state->explorer->knobs[1].name, state->explorer->knobs[1].start);
    bool assigns = strchr(words->word[1], '=') != NULL || words->count == 2;
    words_add(words, assigns ? 1 : 2, &value);
    bool right = assigns ? settings_read(&state->settings, text_string(&value), &error)
                         : settings_set(&state->settings, words->word[1], text_string(&value), &error);
    text_free(&value);
    return right ? DONE : app_refuse(page->app, "%s", error.text);
}

// Enter on a text edits it in place.
static int enter(struct page *page)
{
    struct explore_state *state = page->state;
    if (!state->explorer) {
        char line[64];
        int chosen = state->reader.selected;
        if (chosen < 0 || (size_t)chosen >= explorer_count())
            return DONE_NOT;
        format_into(line, sizeof line, "explore %s", explorers[chosen]->name);
        return app_open(page->app, line) ? DONE : DONE_FAILED;
    }
    const struct knob *knob = &state->explorer->knobs[state->chosen];
    if (knob->texts) {
        state->editing = true;
        format_into(state->typed, sizeof state->typed, "%s", state->settings.text[state->chosen]);
        format_into(state->before, sizeof state->before, "%s", state->typed);
        app_say(page->app, ROLE_NOTE, "Type %s. Enter keeps it, Escape does not.", knob->help);
    } else {
        char range[400];
        knob_range(knob, range, sizeof range);
        app_say(page->app, ROLE_NOTE, "%s: %s (%s). Left and right turn it%s.", knob->name, knob->help, range,
                knob->words ? "" : "; digits set it");
    }
    return DONE;
}

static int act(struct page *page, enum act what, const struct words *words)
{
    struct explore_state *state = page->state;
    state->typed[0] = 0;
    state->editing = state->stopped = false;
    if (what == ACT_ENTER)
        return enter(page);
    if (state->explorer && (what == ACT_LEFT || what == ACT_LESS))
        return turn(state, -1, words);
    if (state->explorer && (what == ACT_RIGHT || what == ACT_MORE))
        return turn(state, 1, words);
    if (state->explorer && what == ACT_SET)
        return set(page, words);
    int done = reader_act(&state->reader, page->app, what, words);
    follow(state);
    return done;
}

// ---- typing -------------------------------------------------------------------------------------------------------

// Digits go on from those before as long as the knob can take them; else they start anew.
static bool type_digit(struct page *page, char digit)
{
    struct explore_state *state = page->state;
    struct error error;
    size_t knob = (size_t)state->chosen, length = strlen(state->typed);
    if (length + 1 < sizeof state->typed) {
        state->typed[length] = digit;
        state->typed[length + 1] = 0;
    }
    if (settings_put(&state->settings, knob, state->typed, &error))
        return true;
    char alone[2] = { digit, 0 };
    if (settings_put(&state->settings, knob, alone, &error))
        format_into(state->typed, sizeof state->typed, "%s", alone);
    else
        app_say(page->app, ROLE_BAD, "%s", error.text);
    return true;
}

// The digit that was typed last is taken back; the next one after the first starts anew.
static bool take_back(struct explore_state *state)
{
    struct error error;
    size_t length = strlen(state->typed);
    if (!length)
        return false;
    state->typed[length - 1] = 0;
    if (length > 1)
        settings_put(&state->settings, (size_t)state->chosen, state->typed, &error);
    return true;
}

// A digit means nothing to a knob of words.
static bool say_words(struct page *page, const struct knob *knob)
{
    char right[24];
    keys_name(&page->app->keys, "explore", "right", right, sizeof right);
    app_say(page->app, ROLE_NOTE, "%s has words, not a number: %s turns it.", knob->name, right);
    return true;
}

static bool is_backspace(int key)
{
    return key == PRESS_BACKSPACE || key == 8 || key == 127;
}

static bool edit(struct page *page, int key)
{
    struct explore_state *state = page->state;
    struct error error;
    size_t length = strlen(state->typed);
    bool ends = key == PRESS_ENTER || key == '\r' || key == '\n', cancels = key == PRESS_ESCAPE || key == 27;
    if (ends || cancels) {
        state->editing = false;
        if (cancels)
            settings_put(&state->settings, (size_t)state->chosen, state->before, &error);
        state->typed[0] = 0;
        return true;
    }
    if (is_backspace(key) && length)
        state->typed[length - 1] = 0;
    else if (key == 'U' - '@')
        state->typed[0] = 0;
    else if (key >= ' ' && key < 127 && length + 1 < sizeof state->typed)
        format_into(state->typed + length, sizeof state->typed - length, "%c", key);
    else
        return key >= ' ' && key < PRESS_UP; // other keys go on to the actions
    settings_put(&state->settings, (size_t)state->chosen, state->typed, &error);
    return true;
}

static bool type(struct page *page, const struct event *event)
{
    struct explore_state *state = page->state;
    if (!state->explorer)
        return false;
    if (event->kind == EVENT_PASTE) {
        for (const char *c = state->editing ? event->text : ""; *c; c++)
            if (*c >= ' ' && *c < 127)
                edit(page, *c);
        return state->editing;
    }
    if (event->kind != EVENT_KEY)
        return false;
    state->stopped = false;
    if (state->editing)
        return edit(page, event->key);
    bool digit = event->key >= '0' && event->key <= '9';
    const struct knob *knob = &state->explorer->knobs[state->chosen];
    if (is_backspace(event->key))
        return take_back(state);
    if (digit && knob->words)
        return say_words(page, knob);
    return digit && !knob->texts && type_digit(page, (char)event->key);
}

static bool click(struct page *page, int row, int col)
{
    struct explore_state *state = page->state;
    state->typed[0] = 0;
    state->editing = false;
    bool hit = reader_click(&state->reader, row, state->explorer ? col : col - MARGIN);
    follow(state);
    return hit;
}

static void word(struct page *page, struct text *out)
{
    const struct explore_state *state = page->state;
    if (state->explorer)
        text_add(out, state->explorer->name);
    else
        reader_word(&((struct explore_state *)page->state)->reader, out);
}

// The command that shows it again.
static void copy(struct page *page, int lines, struct text *out)
{
    const struct explore_state *state = page->state;
    char value[KNOB_TEXT];
    if (!state->explorer || lines) {
        reader_copy(&state->reader, lines, out);
        return;
    }
    text_addf(out, "warpbook explore %s", state->explorer->name);
    for (size_t i = 0; i < knob_count(state->explorer); i++) {
        const char *is = knob_value(&state->settings, i, value, sizeof value);
        const char *quote = strpbrk(is, " <>&|;*()\"") ? "'" : "";
        text_addf(out, " %s%s=%s%s", quote, state->explorer->knobs[i].name, is, quote);
    }
}

// Knobs are turned in a picture, not in the list of them.
static bool offers(const struct page *page, enum act what)
{
    bool turns = what == ACT_MORE || what == ACT_LESS || what == ACT_SET;
    return !turns || ((const struct explore_state *)page->state)->explorer;
}

static const char *typing(const struct page *page)
{
    return ((const struct explore_state *)page->state)->editing
               ? "<Enter> keeps it  <Esc> leaves it as it was"
               : NULL;
}

static const char *hints(const struct page *page)
{
    const struct explore_state *state = page->state;
    if (!state->explorer)
        return "down choose, enter open, find find";
    const struct knob *knob = &state->explorer->knobs[state->chosen];
    return knob->texts     ? "next knob, right turn, enter type"
           : knob->words   ? "next knob, right turn, enter explain"
           : *state->typed ? "next knob, right turn, =<Backspace> digit back, enter explain"
                           : "next knob, right turn, =0-9 set, enter explain";
}

const struct page_ops explore_page = {
    .name = "explore",
    .operands = "[EXPLORER | LAB/STEP | FILE.cu [KNOB=VALUE ...] [KNOB]]",
    .help =
        "Small pictures that answer while you turn a knob: banks, coalescing, warps, modelled times; a KNOB "
        "alone is the one to begin with.",
    .most = 31,
    .size = sizeof(struct explore_state),
    .open = open_page,
    .title = title,
    .draw = draw,
    .act = act,
    .type = type,
    .click = click,
    .word = word,
    .hints = hints,
    .copy = copy,
    .offers = offers,
    .typing = typing,
    .close = close_page,
};
