// Completion at the prompt. The words are those of the tables that everything else is made from: commands,
// actions, labs, flags, views. This file says which of them may follow which word.
#include "engine/model/figures.h"
#include "tui/app/app.h"
#include "tui/explore/explore.h"
#include "tui/text/text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct found {
    const struct vocabulary *known;
    struct app *app;             // NULL: without the screen
    const struct page_ops *page; // the one that is shown; NULL: none
    char **words;
    size_t count;
    const char *typed;
    size_t length; // of what is typed so far
};

static void offer(struct found *found, const char *word)
{
    if (strncmp(word, found->typed, found->length) != 0)
        return;
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->words[i], word) == 0)
            return;
    found->words = array_room(found->words, found->count, sizeof *found->words);
    found->words[found->count++] = mem_copy(word);
}

// ---- candidates -------------------------------------------------------------------------------------------

static void offer_commands(struct found *found)
{
    for (const struct command *command = found->known->commands; command->name; command++)
        offer(found, command->name);
}

static void offer_pages(struct found *found)
{
    for (size_t i = 0; found->known->pages[i]; i++)
        offer(found, found->known->pages[i]->name);
}

static void offer_first(struct found *found)
{
    for (size_t i = 0; i < action_count; i++)
        if (found->page && action_fits(&actions[i], found->page->name))
            offer(found, actions[i].name);
    offer_pages(found);
    if (!found->page)
        offer(found, "quit");
    offer_commands(found);
}

static void offer_steps(struct found *found, const struct lab *lab)
{
    struct ladder ladder;
    struct error error;
    char name[160];
    if (!ladder_read(lab->name, &ladder, &error))
        return;
    for (size_t i = 0; i < ladder.count; i++) {
        format_into(name, sizeof name, "%s/%s", lab->name, ladder.variants[i].name);
        offer(found, name);
    }
    ladder_free(&ladder);
    for (size_t i = 0; i < lab->cpu_count; i++) {
        format_into(name, sizeof name, "%s/%s", lab->name, lab->cpu[i].name);
        offer(found, name);
    }
}

static void offer_labs(struct found *found, bool with_steps)
{
    bool slash = memchr(found->typed, '/', found->length) != NULL;
    for (size_t i = 0; i < lab_count; i++) {
        size_t length = strlen(lab_list[i]->name);
        char steps[80]; // a second word, so that no blank is set before its '/' can be typed
        format_into(steps, sizeof steps, "%s/", lab_list[i]->name);
        if (!slash && with_steps)
            offer(found, steps);
        if (!slash)
            offer(found, lab_list[i]->name);
        else if (strncmp(found->typed, lab_list[i]->name, length) == 0 && found->typed[length] == '/')
            offer_steps(found, lab_list[i]);
    }
}

static void offer_file(struct found *found, const char *folder, const struct dirent *entry, bool programs)
{
    struct text path = { 0 };
    bool below = entry->d_type == DT_DIR;
    bool kernel = string_ends(entry->d_name, ".cu") || string_ends(entry->d_name, ".ptx");
    text_addf(&path, "%s%s%s", folder, entry->d_name, below ? "/" : "");
    if (entry->d_name[0] != '.' && (below || kernel || programs))
        offer(found, path.data);
    text_free(&path);
}

// Kernel files of the folder that is typed so far, or with `programs` all files.
static void offer_files(struct found *found, bool programs)
{
    char *typed = mem_copy_n(found->typed, found->length);
    char *slash = strrchr(typed, '/');
    if (slash)
        slash[1] = 0;
    DIR *folder = opendir(slash ? typed : ".");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        offer_file(found, slash ? typed : "", entry, programs);
    if (folder)
        closedir(folder);
    free(typed);
}

static void offer_kernels(struct found *found)
{
    offer_labs(found, true);
    offer_files(found, false);
}

// After words of a name ("bank"): what goes on from there ("conflict"). Without the screen the glossary is read for
// this once.
static void offer_terms(struct found *found, const struct words *words)
{
    struct glossary own = { 0 };
    struct error unused;
    const struct glossary *glossary = found->app ? app_glossary(found->app) : &own;
    if (!found->app && !glossary_read(NULL, &own, &unused))
        return;
    struct text before = { 0 };
    for (size_t i = 1; i < words->count; i++)
        text_addf(&before, "%s-", words->word[i]);
    for (size_t i = 0; i < glossary->count; i++)
        if (string_starts(glossary->list[i].file, text_string(&before)))
            offer(found, glossary->list[i].file + before.length);
    text_free(&before);
    glossary_free(&own);
}

// "06-coalescing.2", once there is a '.'.
static void offer_parts(struct found *found, const struct lesson *lesson)
{
    for (size_t i = 1; i <= lesson->part_count; i++) {
        char *name = text_format("%s.%zu", lesson->name, i),
             *number = text_format("%d.%zu", lesson->number, i);
        offer(found, name);
        offer(found, number);
        free(name);
        free(number);
    }
}

static void offer_lessons(struct found *found, bool parts)
{
    struct lessons own = { 0 };
    struct error unused;
    const struct lessons *lessons = found->app ? app_lessons(found->app) : &own;
    if (!found->app && !lessons_read(NULL, &own, &unused))
        return;
    for (size_t i = 0; i < lessons->count; i++)
        offer(found, lessons->list[i].name);
    for (size_t i = 0; parts && memchr(found->typed, '.', found->length) && i < lessons->count; i++)
        offer_parts(found, &lessons->list[i]);
    lessons_free(&own);
}

// An explorer, then its knobs: "stride=".
static void offer_explorers(struct found *found, const struct words *words)
{
    const struct explorer *explorer;
    struct error unused;
    char knob[60];
    for (size_t i = 0; words->count == 1 && explorers[i]; i++)
        offer(found, explorers[i]->name);
    if (words->count < 2 || !explorer_of(words->word[1], &explorer, &unused))
        return;
    for (size_t i = 0; i < knob_count(explorer); i++) {
        format_into(knob, sizeof knob, "%s=", explorer->knobs[i].name);
        offer(found, knob);
    }
}

static void offer_kinds(struct found *found)
{
    for (size_t i = 0; book_kinds[i].name; i++)
        offer(found, book_kinds[i].name);
}

static void offer_workbook(struct found *found, const struct words *words)
{
    if (words->count == 1)
        offer_kinds(found);
    if (words->count == 2 && strcmp(words->word[1], "runs") == 0)
        offer_labs(found, true);
}

static void offer_programs_of(struct found *found, const char *lab)
{
    struct host_programs programs;
    struct error ignored;
    offer(found, lab);
    if (!host_programs_read(lab, &programs, &ignored))
        return;
    for (size_t i = 0; i < programs.count; i++) {
        char *name = text_format("%s/%s", lab, programs.list[i].name);
        offer(found, name);
        free(name);
    }
    host_programs_free(&programs);
}

static void offer_programs(struct found *found)
{
    for (size_t i = 0; i < lab_entry_count(); i++)
        if (lab_entry(i).kind == LAB_PROGRAMS)
            offer_programs_of(found, lab_entry(i).name);
}

// ---- flags ------------------------------------------------------------------------------------------------

static void offer_presets(struct found *found)
{
    for (size_t i = 0; i < lab_count; i++)
        for (int p = 0; p < LAB_PRESETS && lab_list[i]->presets[p].name; p++)
            offer(found, lab_list[i]->presets[p].name);
}

static void offer_data(struct found *found)
{
    for (size_t i = 0; i < lab_count; i++)
        for (int d = 0; d < LAB_DATA && lab_list[i]->data[d]; d++)
            offer(found, lab_list[i]->data[d]);
}

static void offer_gpus(struct found *found)
{
    char *all = figures_list(), *rest = all;
    for (char *key; (key = strsep(&rest, " "));)
        if (*key)
            offer(found, key);
    free(all);
}

// "gpu|cpu|all": each of the words.
static void offer_choices(struct found *found, const char *choices)
{
    while (*choices) {
        size_t length = strcspn(choices, "|");
        char *word = mem_copy_n(choices, length);
        offer(found, word);
        free(word);
        choices += length + (choices[length] == '|');
    }
}

static void offer_flags(struct found *found, const struct command *command)
{
    for (size_t i = 0; i < FLAGS && command->flags[i].name; i++)
        offer(found, command->flags[i].name);
}

static void add_name(void *context, const char *name)
{
    offer(context, name);
}

// The words that only the page knows to follow an action. Without the screen no page is open, which only a register
// needs.
static void offer_names(struct found *found, enum act act)
{
    const struct page_ops *page = found->page;
    bool open = found->app && found->app->page->ops == page;
    for (size_t i = 0; act == ACT_PANE && page && page->panes && page->panes[i]; i++)
        offer(found, page->panes[i]);
    if (page && page->names && (open || act == ACT_PANE))
        page->names(open ? found->app->page : NULL, act, add_name, found);
}

static const struct flag *flag_of(const struct command *command, const char *word)
{
    for (size_t i = 0; command && i < FLAGS && command->flags[i].name; i++)
        if (strcmp(command->flags[i].name, word) == 0)
            return &command->flags[i];
    return NULL;
}

static bool offer_value(struct found *found, const struct command *command, const char *before)
{
    const struct flag *flag = flag_of(command, before);
    if (!flag || !flag->value)
        return false;
    if (strcmp(flag->name, "--size") == 0)
        offer_presets(found);
    else if (strcmp(flag->name, "--data") == 0)
        offer_data(found);
    else if (strcmp(flag->name, "--gpu") == 0)
        offer_gpus(found);
    else if (strcmp(flag->name, "--lesson") == 0)
        offer_lessons(found, false);
    else if (strchr(flag->value, '|'))
        offer_choices(found, flag->value);
    return true;
}

// ---- which words may follow the line ----------------------------------------------------------------------

static void offer_operands(struct found *found, const struct words *words)
{
    const char *first = words->word[0];
    if (vocabulary_among("run list export", first))
        offer_programs(found);
    if (vocabulary_among("run sim show export source step compare", first))
        offer_kernels(found);
    else if (vocabulary_among("exec", first))
        offer_files(found, true);
    else if (vocabulary_among("bench list", first))
        offer_labs(found, strcmp(first, "bench") == 0);
    else if (vocabulary_among("terms explain find", first))
        offer_terms(found, words);
    else if (vocabulary_among("lesson", first))
        offer_lessons(found, true);
    else if (vocabulary_among("explore", first))
        offer_explorers(found, words);
    else if (vocabulary_among("workbook", first))
        offer_workbook(found, words);
    else if (vocabulary_among(found->page ? "help open" : "open", first) && words->count == 1)
        offer_pages(found);
    else if (vocabulary_among("help", first) && words->count == 1)
        offer_commands(found);
    else if (vocabulary_among("size", first))
        offer_presets(found);
    else if (vocabulary_among("data", first))
        offer_data(found);
    else if (vocabulary_among("gpu", first))
        offer_gpus(found);
    else if (vocabulary_among("register", first))
        offer_names(found, ACT_REGISTER);
    else if (vocabulary_among("pane", first))
        offer_names(found, ACT_PANE);
    else if (found->page && vocabulary_among("save", first) && found->length && found->typed[0] == '-')
        offer(found, "--force");
}

// Words that only go before others: "open bench", "output list", "warpbook run".
static struct words without_front(const struct words *words)
{
    struct words rest = *words;
    bool front = true;
    while (front && rest.count > 1) {
        front = vocabulary_among("open output warpbook", rest.word[0]);
        if (front)
            memmove(rest.word, rest.word + 1, --rest.count * sizeof *rest.word);
    }
    return rest;
}

static void offer_rest(struct found *found, const struct words *words)
{
    struct words rest = without_front(words);
    const struct command *command = command_find(found->known->commands, rest.word[0]);
    if (rest.count == 1 && vocabulary_among("output warpbook", rest.word[0]))
        offer_commands(found);
    else if (offer_value(found, command, rest.word[rest.count - 1]))
        return;
    else if (command && found->length && found->typed[0] == '-')
        offer_flags(found, command);
    else
        offer_operands(found, &rest);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **complete_words(const struct vocabulary *known, struct app *app, const char *page, const char *line,
                      size_t at, size_t *from, size_t *count)
{
    struct words words;
    struct error error;
    size_t start = at;
    while (start && line[start - 1] != ' ')
        start--;
    char *front = mem_copy_n(line, start);
    struct found found = { .known = known,
                           .app = app,
                           .page = page ? page_find(known->pages, page) : NULL,
                           .typed = line + start,
                           .length = at - start };
    if (words_split(front, &words, &error)) {
        if (words.count)
            offer_rest(&found, &words);
        else
            offer_first(&found);
        words_free(&words);
    }
    free(front);
    if (found.count)
        qsort(found.words, found.count, sizeof *found.words, by_bytes);
    *from = start;
    *count = found.count;
    return found.words;
}

size_t complete_common(char *const *words, size_t count)
{
    size_t length = count ? strlen(words[0]) : 0;
    for (size_t i = 1; i < count; i++)
        while (strncmp(words[0], words[i], length) != 0)
            length--;
    while (length && (words[0][length] & 0xc0) == 0x80) // no part of a character
        length--;
    return length;
}
