// The table of actions, and the key bindings that name them.
#include "tui/app/app.h"

#include <stdlib.h>
#include <string.h>

// ---- actions ----------------------------------------------------------------------------------------------

// Bindings, the prompt and its completion, the bar at the bottom and the help page are made from this table.
const struct action actions[] = {
    { ACT_UP, "up", NULL, NULL, NULL, "One row up." },
    { ACT_DOWN, "down", NULL, NULL, NULL, "One row down." },
    { ACT_LEFT, "left", NULL, NULL, NULL, "To the left, or back." },
    { ACT_RIGHT, "right", NULL, NULL, NULL, "To the right, or on." },
    { ACT_PAGE_UP, "page-up", NULL, NULL, NULL, "A screen up." },
    { ACT_PAGE_DOWN, "page-down", NULL, NULL, NULL, "A screen down." },
    { ACT_HALF_UP, "half-up", NULL, NULL, NULL, "Half a screen up." },
    { ACT_HALF_DOWN, "half-down", NULL, NULL, NULL, "Half a screen down." },
    { ACT_TOP, "top", NULL, NULL, NULL, "To the first row." },
    { ACT_BOTTOM, "bottom", NULL, NULL, NULL, "To the last row." },
    { ACT_NEXT, "next", NULL, NULL, NULL, "To the next link, question or part of the page." },
    { ACT_PREVIOUS, "previous", NULL, NULL, NULL, "To the one before." },
    { ACT_ENTER, "enter", NULL, NULL, "open", "Opens or chooses what is selected." },
    { ACT_RUN, "run", "bench source lesson compare exec", NULL, "run",
      "Runs what is chosen: on the GPU, or in the simulator where there is none." },
    { ACT_RUN_ALL, "run-all", "bench lesson", NULL, "run all", "Runs a whole ladder, or a lesson's lab." },
    { ACT_SIM, "sim", "bench source compare", NULL, "simulate",
      "Runs it in the simulator: counters, and what is wrong with it." },
    { ACT_SOURCE, "source", "bench step compare", NULL, "source", "The source on a page of its own." },
    { ACT_STEP_PAGE, "step-page", "bench source compare exec", NULL, "step",
      "Steps through it in the simulator, instruction by instruction." },
    { ACT_LAUNCH, "launch", "exec", "[N]", NULL,
      "Steps through the Nth launch of the chosen row, or the one after that of the last time." },
    { ACT_PANE, "pane", "bench source step workbook compare lesson", "[NAME]", "view",
      "Shows the next view, or the one named; in a lesson its outline." },
    { ACT_SIZE, "size", "bench source step compare", "[NAME]", NULL,
      "The size of the problem: the next, or the one named." },
    { ACT_DATA, "data", "bench source step compare", "[NAME]", NULL,
      "The distribution of the input: the next, or the one named." },
    { ACT_GPU, "gpu", "bench", "[NAME]", NULL,
      "The GPU that times are modelled for: the next, or the one named; at first the one here, else the "
      "H100." },
    { ACT_WHAT_IF, "what-if", "bench", NULL, "what if",
      "What the kernel would take without each of its costs, as modelled." },
    { ACT_WHY, "why", "bench", NULL, NULL,
      "Why the kernel takes so long: what removing each cause would gain, alone and together." },
    { ACT_EDIT, "edit", "bench source lesson exec", NULL, "edit",
      "Opens your own copy in $VISUAL or $EDITOR; it is run, or judged, when you come back." },
    { ACT_WATCH, "watch", "bench source lesson", NULL, NULL,
      "Runs your copy, or judges it, whenever its file is saved; again: stops that." },
    { ACT_RESET, "reset", "bench source", NULL, NULL,
      "Brings the shipped kernel back; your copy is kept beside it under another name." },
    { ACT_EXPORT, "export", "bench source", NULL, NULL,
      "Writes a program around this kernel into a file: main, data, times, a check." },
    { ACT_BENCH, "bench", "source step compare", NULL, "bench", "The ladder that this kernel belongs to." },
    { ACT_VARIANT_NEXT, "variant-next", "bench source step compare", NULL, "next kernel",
      "The next kernel of the ladder, in the same view." },
    { ACT_VARIANT_PREVIOUS, "variant-previous", "bench source step compare", NULL, NULL,
      "The kernel of the ladder before this one." },
    { ACT_BASELINE, "baseline", "bench source step compare", NULL, NULL,
      "Makes this kernel the baseline that others are compared with; again: none." },
    { ACT_PTX, "ptx", "source", NULL, "PTX", "The PTX beside the source; again: away." },
    { ACT_SASS, "sass", "source", NULL, "SASS",
      "The machine code beside the source, where NVIDIA's disassembler is installed." },
    { ACT_STEP, "step", "step", "[N]", "step", "One instruction on, or N." },
    { ACT_STEP_BACK, "step-back", "step", "[N]", "back", "One instruction back, or N." },
    { ACT_LINE, "line", "step", NULL, "line", "On to the next line of the source." },
    { ACT_LINE_BACK, "line-back", "step", NULL, NULL, "Back to the line before." },
    { ACT_BARRIER, "barrier", "step", NULL, "barrier", "On to the next barrier." },
    { ACT_CONFLICT, "conflict", "step", NULL, "conflict",
      "On to the next access that takes more passes than it needs." },
    { ACT_FINDING, "finding", "step", NULL, "finding", "On to the next thing that is wrong." },
    { ACT_MATRIX, "matrix", "step", NULL, "matrix",
      "On to the next instruction with matrices, and their lanes." },
    { ACT_RESTART, "restart", "step", NULL, NULL, "Back to the start." },
    { ACT_TO_END, "to-end", "step", NULL, NULL, "On to the end." },
    { ACT_WARP, "warp", "step", "BLOCK WARP", NULL, "On until this warp of this block runs." },
    { ACT_REGISTER, "register", "step", "[NAME]", NULL,
      "Which register or variable the lanes show: the next, or the one named." },
    { ACT_FORMAT, "format", "step", "[NAME]", NULL,
      "How values are shown: the next way, or used, unsigned, signed, float, hex." },
    { ACT_DEBUG, "debug", "step", NULL, "variables",
      "Steps a build with the source's variables, not optimised; again: the optimised code." },
    { ACT_LANE, "lane", "step", "[N|+|-]", NULL,
      "The lane whose variables are shown: the next, or the one named." },
    { ACT_SET, "set", "explore", "KNOB=VALUE", NULL, "Turns a knob to a value: set stride=4." },
    { ACT_MORE, "more", "explore", "[N]", "more", "Turns the chosen knob up, N times." },
    { ACT_LESS, "less", "explore", "[N]", "less", "Turns the chosen knob down, N times." },
    { ACT_QUESTION, "question", "lesson", "[NAME]", "question",
      "To the next open question, or task that counts, or to the one named." },
    { ACT_SECTION_NEXT, "section-next", "lesson", NULL, NULL, "To the next section." },
    { ACT_SECTION_PREVIOUS, "section-previous", "lesson", NULL, NULL,
      "To the start of the section, then to the one before." },
    { ACT_PART_NEXT, "part-next", "lesson", NULL, "next part",
      "The next part of the lesson; after the last one the next lesson." },
    { ACT_PART_PREVIOUS, "part-previous", "lesson", NULL, NULL,
      "The part before; from the first one the lesson before." },
    { ACT_UNFOLD, "unfold", "lesson bench source compare output", "[NAME | --all]", NULL,
      "Shows what is folded: what waits for an answer, and in kernels what has no room." },
    { ACT_ANSWER, "answer", "lesson", "NAME [ANSWER]", NULL,
      "Answers the question of that name: a choice by its number, or what you would type." },
    { ACT_MOVE_UP, "move-up", "lesson", NULL, NULL, "Moves the selected line of an ordering task up." },
    { ACT_MOVE_DOWN, "move-down", "lesson", NULL, NULL, "Moves the selected line of an ordering task down." },
    { ACT_POLL, "poll", "room", "[LESSON/QUESTION]", "vote",
      "Leads through a vote: opens it on the question where your lesson is, closes it, opens round 2, closes "
      "that." },
    { ACT_SHOW_VOTE, "show-vote", "room", NULL, "show votes",
      "Closes the vote and shows the learners how all voted." },
    { ACT_FOLLOW_ME, "follow-me", "room", NULL, "follow me",
      "Shows the learners the way to where your lesson is." },
    { ACT_NEXT_NEED, "next-need", "room", NULL, "next need", "To the next learner who needs help." },
    { ACT_SAY, "say", "room", "WORDS", NULL, "Tells all learners something, in a line on their screens." },
    { ACT_PROJECTOR, "projector", "room", NULL, "projector",
      "Sums and no names, for everybody's eyes; again: back." },
    { ACT_NOTE, "note", NULL, "WORDS", NULL, "Writes a line into your workbook." },
    { ACT_STOP, "stop", NULL, NULL, NULL, "Stops what runs." },
    { ACT_EXPLAIN, "explain", NULL, "[WORD]", NULL,
      "Explains a word: the one given, or the one that is selected." },
    { ACT_SEARCH, "search", NULL, "[WORDS]", "search", "Searches on this page." },
    { ACT_SEARCH_NEXT, "search-next", NULL, NULL, NULL, "The next place that was searched for." },
    { ACT_SEARCH_PREVIOUS, "search-previous", NULL, NULL, NULL, "The place before." },
    { ACT_FIND, "find", NULL, "[WORDS]", NULL,
      "Searches all lessons, terms, labs and kernels for a question or words." },
    { ACT_PROMPT, "prompt", NULL, NULL, "command", "A line for any command, page or action." },
    { ACT_HELP, "help", NULL, "[PAGE]", "help", "The keys and actions of this page." },
    { ACT_BACK, "back", NULL, NULL, "back", "To the page that this one was opened from." },
    { ACT_HOME, "home", NULL, NULL, NULL, "To the first page." },
    { ACT_MOUSE, "mouse", NULL, "[on|off]", NULL,
      "Clicks and the wheel, instead of the terminal's own selecting." },
    { ACT_SAVE, "save", NULL, "FILE [--force]", NULL,
      "Writes what the screen shows into a file, as text; --force replaces one." },
    { ACT_COPY, "copy", NULL, "[N]", NULL,
      "Copies the block, row or line at hand to the clipboard, or N lines; without one, into a file." },
    { ACT_REDRAW, "redraw", NULL, NULL, NULL, "Redraws the whole screen." },
    { ACT_SUSPEND, "suspend", NULL, NULL, NULL, "Back to the shell; fg returns." },
    { ACT_GO_THERE, "go-there", NULL, NULL, NULL, "In a room: to where the instructor is; back returns." },
    { ACT_FOLLOW, "follow", NULL, NULL, NULL,
      "In a room: from now on wherever the instructor goes; again: no longer." },
    { ACT_VOTE, "vote", NULL, "[N]", NULL, "In a room: votes for choice N, or shows the vote." },
    { ACT_STUCK, "stuck", NULL, "[WORDS]", NULL,
      "In a room: tells the instructor that you are stuck, and at what; again: no longer." },
    { ACT_DONE, "done", NULL, "[WORDS]", NULL,
      "In a room: tells the instructor that you are done; again: no longer." },
    { ACT_HIDE, "hide", NULL, NULL, NULL, "In a room: hides what the instructor told, or shows it again." },
    { ACT_QUIT, "quit", NULL, NULL, NULL, "Ends warpbook." },
};
const size_t action_count = sizeof actions / sizeof *actions;

const struct action *action_find(const char *name)
{
    for (size_t i = 0; i < action_count; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

bool vocabulary_among(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (size_t next; *list; list += next + strspn(list + next, " ")) {
        next = strcspn(list, " ");
        if (next == length && strncmp(list, word, length) == 0)
            return true;
    }
    return false;
}

bool action_fits(const struct action *action, const char *page)
{
    return !action->pages || vocabulary_among(action->pages, page);
}

// ---- misspelt words ---------------------------------------------------------------------------------------

struct candidates {
    const char **names;
    size_t count;
};

static void add(struct candidates *candidates, const char *name)
{
    candidates->names = array_room(candidates->names, candidates->count, sizeof *candidates->names);
    candidates->names[candidates->count++] = name;
}

static void add_pages(struct candidates *candidates, const struct vocabulary *known)
{
    for (size_t i = 0; known->pages[i]; i++)
        add(candidates, known->pages[i]->name);
}

static const char *nearest_of(struct candidates *candidates, const char *word)
{
    const char *nearest = string_nearest(word, candidates->names, candidates->count);
    free(candidates->names);
    return nearest;
}

const char *vocabulary_nearest(const struct vocabulary *known, const char *word)
{
    struct candidates candidates = { 0 };
    for (size_t i = 0; i < action_count; i++)
        add(&candidates, actions[i].name);
    add_pages(&candidates, known);
    for (const struct command *command = known->commands; command->name; command++)
        add(&candidates, command->name);
    return nearest_of(&candidates, word);
}

static const char *nearest_page(const struct vocabulary *known, const char *word)
{
    struct candidates candidates = { 0 };
    add(&candidates, "all");
    add_pages(&candidates, known);
    return nearest_of(&candidates, word);
}

// ---- key bindings -----------------------------------------------------------------------------------------

// Lines `PAGE KEY WORDS`. What ships comes first, the user's file after it, and the last line about a key wins; a
// line about one page wins over a line about all.

struct reading { // one line of a file
    struct keys *keys;
    const struct vocabulary *known;
    struct source source;
    const char *at;
    struct error *error;
};
struct word {
    const char *at;
    size_t length;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// The next word of the line; length 0 at its end. `#` at a word's start hides what follows.
static struct word next_word(struct reading *reading)
{
    while (is_blank(*reading->at))
        reading->at++;
    struct word word = { reading->at, 0 };
    if (*reading->at != '#')
        word.length = strcspn(reading->at, " \t\r\n");
    reading->at += word.length;
    return word;
}

// ---- bindings: names --------------------------------------------------------------------------------------

static bool complain(struct reading *reading, const char *what, struct word word, const char *near)
{
    return error_at(reading->error, &reading->source, word.at, "there is no %s '%.*s'%s%s%s", what,
                    (int)word.length, word.at, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
}

static bool take_page(struct reading *reading, struct word word, char **page)
{
    *page = mem_copy_n(word.at, word.length);
    if (page_find(reading->known->pages, *page))
        return true;
    bool all =
        strcmp(*page, "all") == 0 || complain(reading, "page", word, nearest_page(reading->known, *page));
    free(*page);
    *page = NULL;
    return all;
}

static bool take_key(struct reading *reading, struct word word, int *key)
{
    *key = key_of_name(word.at, word.length);
    if (*key)
        return true;
    if (!word.length)
        return error_at(reading->error, &reading->source, word.at, "a key is missing: PAGE KEY WORDS");
    return error_at(reading->error, &reading->source, word.at,
                    "there is no key '%.*s'; keys are written as j, ^D, M-x, "
                    "<Up>, <Space> or <F5>",
                    (int)word.length, word.at);
}

// The first word says what the line does: an action that the page has, a page, or a command.
static bool take_words(struct reading *reading, const char *page, struct word word)
{
    if (!word.length)
        return error_at(reading->error, &reading->source, word.at,
                        "what the key does is missing: PAGE KEY WORDS, or - to "
                        "take the key away");
    char *name = mem_copy_n(word.at, word.length);
    const struct action *action = action_find(name);
    bool known = page_find(reading->known->pages, name) || command_find(reading->known->commands, name) ||
                 strcmp(name, "-") == 0;
    bool fits = known || !action || !page || action_fits(action, page);
    if (!fits)
        error_at(reading->error, &reading->source, word.at,
                 "%s is not an action of the page %s; it belongs to: %s", action->name, page, action->pages);
    else if (!known && !action)
        complain(reading, "action", word, vocabulary_nearest(reading->known, name));
    free(name);
    return fits && (known || action);
}

// ---- bindings: reading ------------------------------------------------------------------------------------

// From the first word to the end of the line, without blanks or a comment there; "" for a key that is taken away.
static char *words_from(const char *at)
{
    size_t length = strcspn(at, "\n");
    for (size_t i = 1; i < length; i++)
        if (at[i] == '#' && is_blank(at[i - 1]))
            length = i;
    while (length && is_blank(at[length - 1]))
        length--;
    return length == 1 && *at == '-' ? mem_copy("") : mem_copy_n(at, length);
}

static bool take_line(struct reading *reading)
{
    struct word word = next_word(reading);
    char *page = NULL;
    int key = 0;
    if (!word.length)
        return true;
    if (!take_page(reading, word, &page))
        return false;
    bool fine = take_key(reading, next_word(reading), &key);
    word = fine ? next_word(reading) : word;
    if (!fine || !take_words(reading, page, word)) {
        free(page);
        return false;
    }
    struct keys *keys = reading->keys;
    keys->bindings = array_room(keys->bindings, keys->count, sizeof *keys->bindings);
    keys->bindings[keys->count++] = (struct key_binding){ page, key, words_from(word.at) };
    return true;
}

bool keys_parse(struct keys *keys, const struct vocabulary *known, const char *path, const char *text,
                struct error *error)
{
    struct error later;
    int wrong = 0;
    for (const char *line = text; *line; line += *line == '\n') {
        struct reading reading = { keys, known, { path, text }, line, wrong ? &later : error };
        wrong += !take_line(&reading); // the lines after a wrong one still count
        line += strcspn(line, "\n");
    }
    if (wrong > 1) {
        later = *error;
        error_set(error, later.code, "%d lines of your keys are wrong; the first: %s", wrong, later.text);
    }
    return wrong == 0;
}

static bool read_file(struct keys *keys, const struct vocabulary *known, const char *path,
                      struct error *error)
{
    struct text text = { 0 };
    bool fine = file_read(path, &text, error) && keys_parse(keys, known, path, text_string(&text), error);
    text_free(&text);
    return fine;
}

bool keys_read(struct keys *keys, const struct vocabulary *known, struct error *error)
{
    struct error later;
    char *shipped = path_shipped("assets/keys"), *own = path_own("keys");
    bool fine = read_file(keys, known, shipped, error);
    if (own && file_exists(own))
        fine &= read_file(keys, known, own, fine ? error : &later);
    free(shipped);
    free(own);
    return fine;
}

void keys_free(struct keys *keys)
{
    for (size_t i = 0; i < keys->count; i++) {
        free(keys->bindings[i].page);
        free(keys->bindings[i].words);
    }
    free(keys->bindings);
    *keys = (struct keys){ 0 };
}

// ---- bindings: asking -------------------------------------------------------------------------------------

static const struct key_binding *find(const struct keys *keys, const char *page, int key)
{
    const struct key_binding *everywhere = NULL;
    for (size_t i = keys->count; i-- > 0;) {
        const struct key_binding *binding = &keys->bindings[i];
        if (binding->key != key)
            continue;
        if (binding->page && page && strcmp(binding->page, page) == 0)
            return binding;
        if (!binding->page && !everywhere)
            everywhere = binding;
    }
    return everywhere;
}

const char *keys_words(const struct keys *keys, const char *page, int key)
{
    const struct key_binding *binding = find(keys, page, key);
    return binding && *binding->words ? binding->words : NULL;
}

void keys_name(const struct keys *keys, const char *page, const char *words, char *out, size_t size)
{
    *out = 0;
    for (size_t i = 0; i < keys->count && !*out; i++) {
        const struct key_binding *binding = &keys->bindings[i];
        if (strcmp(binding->words, words) == 0 && find(keys, page, binding->key) == binding)
            key_name(binding->key, out, size);
    }
}
