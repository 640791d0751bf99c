// One search over all that can be read: terms, sections of lessons, labs and their steps, and what the caller adds. An
// index of words, each with the places that have it, and a score that can be worked out by hand:
//
//   words    The question without words like "what is a"; plural, -ing, -ed and -ise are one word with the rest. A word
//            that nothing has stands for the nearest one. Chinese, Japanese and Korean are searched by pairs of
//            characters. A word counts the more, the fewer places have it.
//   place    The mean over the words of where the place has them: its name, one other name, what it is part of, its first
//            sentence, its text; a related word ("fast" for "slow") counts half. Times the share of the words that it has.
//   name     A place whose whole name is within the question gains by that, the more of the question the name is: a
//            term more than a heading. A question that is a name and nothing else leads there first.
#include "lessons/markdown.h"
#include "reference/lab.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MOST = 64, ASKED_MOST = 24, NONE = -1 };
enum indexed_field { IN_NAME, IN_ALIAS, IN_TITLE, IN_SENTENCE, IN_TEXT, FIELDS };

static const double field_worth[FIELDS] = { 5, 1, 3, 3, 1 };
static const double one_alias_worth =
    4; // of the words that one other name has; those of several do not count together
static const double often_worth = 0.25; // each further time in the text, up to OFTEN times
enum { OFTEN = 4 };
static const double related_worth = 0.5, begun_worth = 0.6, misspelt_worth = 0.6;
static const double term_worth = 8, alias_worth = 7, heading_worth = 5; // of a name that the question holds
// What a name that equals the whole question scores, by what it is the name of.
static const double named_term = 100, named_alias = 90, named_index = 80, named_heading = 50;
static const double other_order = 0.5; // its words in another order

struct posting { // of a word: how often a place has it, up to 255
    size_t place;
    unsigned char times[FIELDS];
};
struct index_word {
    char *word;
    struct posting *postings;
    size_t count;
};
struct place_name {
    int *words; // of the index, without those that say nothing
    size_t count;
    bool alias;
};
struct indexed {
    struct search_place place;
    struct place_name *names;
    size_t name_count;
};
struct search_index {
    struct indexed *places;
    size_t count;
    struct index_word *words;
    size_t word_count;
    int *slots; // a hash table of words, by their numbers; NONE: free
    size_t slot_count;
};

// ---- words of a text ------------------------------------------------------------------------------------

struct word_list {
    char **words;
    bool *empty; // a word that says nothing
    size_t count;
};

static void word_list_free(struct word_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->words[i]);
    free(list->words);
    free(list->empty);
}

static const char *const empty_words[] = {
    "a",    "about",  "an",    "and",   "any",        "are",    "as",      "at",   "be",    "between",
    "by",   "can",    "could", "did",   "difference", "do",     "does",    "each", "else",  "explain",
    "for",  "from",   "get",   "give",  "gives",      "happen", "happens", "has",  "have",  "how",
    "i",    "if",     "in",    "into",  "is",         "it",     "its",     "make", "many",  "me",
    "mean", "means",  "much",  "my",    "not",        "of",     "on",      "one",  "or",    "our",
    "per",  "please", "s",     "shall", "should",     "show",   "so",      "some", "t",     "tell",
    "than", "that",   "the",   "their", "then",       "there",  "these",   "they", "this",  "those",
    "to",   "too",    "use",   "used",  "using",      "vs",     "was",     "we",   "were",  "what",
    "when", "where",  "which", "who",   "why",        "will",   "with",    "work", "works", "would",
    "you",  "your",
};

static int by_word(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool says_nothing(const char *word)
{
    return bsearch(&word, empty_words, sizeof empty_words / sizeof *empty_words, sizeof *empty_words,
                   by_word);
}

// Cuts `end` off, unless fewer than `least` letters would be left.
static bool cut(char *word, const char *end, size_t least)
{
    size_t length = strlen(word), cut = strlen(end);
    if (length < least + cut || !string_ends(word, end))
        return false;
    word[length - cut] = 0;
    return true;
}

// What one word has in common with its other forms: "coalescing", "coalesced" and "coalesce" are "coalesc".
static void stem(char *word)
{
    if (strpbrk(word, "0123456789_") || (unsigned char)*word >= 0x80)
        return;
    if (cut(word, "ies", 2))
        strcat(word, "y");
    else if (!string_ends(word, "ss") && !string_ends(word, "us") && !string_ends(word, "is"))
        cut(word, "s", 3);
    if (!cut(word, "ally", 4)) // dynamically
        cut(word, "ly", 4);
    for (char *z = strstr(word, "iz"); z; z = strstr(z + 1, "iz"))
        z[1] = 's'; // synchronize
    if (!cut(word, "ation", 4) && (cut(word, "ing", 3) || cut(word, "ed", 3))) {
        size_t length = strlen(word);
        if (length > 3 && word[length - 1] == word[length - 2] && !strchr("ls", word[length - 1]))
            word[length - 1] = 0; // running
    }
    if (strlen(word) > 3)
        cut(word, "e", 3);
}

static void list_add(struct word_list *list, const char *word, size_t length)
{
    char kept[WORD_MOST + 1];
    if (!length || length > WORD_MOST)
        return;
    memcpy(kept, word, length);
    kept[length] = 0;
    list->words = array_room(list->words, list->count, sizeof *list->words);
    list->empty = array_room(list->empty, list->count, sizeof *list->empty);
    list->empty[list->count] = says_nothing(kept);
    stem(kept);
    list->words[list->count++] = mem_copy(kept);
}

enum script_kind { SEPARATOR, LETTERS, CHARACTERS }; // CHARACTERS: no blanks between words

// One character of valid UTF-8: its bytes, its code and its script. Broken bytes separate.
static size_t take_character(const char *text, uint32_t *code, enum script_kind *script)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80   ? 1
                    : s[0] < 0xc2 ? 0
                    : s[0] < 0xe0 ? 2
                    : s[0] < 0xf0 ? 3
                    : s[0] < 0xf5 ? 4
                                  : 0;
    *script = SEPARATOR;
    *code = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return i;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    if (!length)
        return 1;
    if (*code < 0x80 ? isalnum((int)*code) || *code == '_' : *code >= 0xc0 && *code < 0x2000)
        *script = LETTERS;
    if ((*code >= 0x2e80 && *code < 0x3000) || (*code >= 0x3040 && *code < 0xd7b0) ||
        (*code >= 0xf900 && *code < 0xfb00) || *code >= 0x20000)
        *script = CHARACTERS;
    return length;
}

// Latin, Greek and Cyrillic capitals become small letters, whatever the locale is.
static uint32_t small(uint32_t code)
{
    bool capital = (code >= 'A' && code <= 'Z') || (code >= 0xc0 && code <= 0xde && code != 0xd7) ||
                   (code >= 0x391 && code <= 0x3a9) || (code >= 0x410 && code <= 0x42f);
    return capital ? code + 0x20 : code >= 0x400 && code < 0x410 ? code + 0x50 : code;
}

// A word of letters that starts at `text`, whole and small. `parts`: and each part of atomicAdd and bank_conflicts.
// Returns its bytes.
static size_t take_letters(struct word_list *list, const char *text, bool parts)
{
    struct text word = { 0 }, part = { 0 };
    size_t at = 0, parted = 0;
    bool was_small = false;
    for (;;) {
        char bytes[5];
        uint32_t code;
        enum script_kind script;
        size_t length = take_character(text + at, &code, &script);
        bool letter = text[at] && script == LETTERS;
        if (part.length && (!letter || code == '_' || (was_small && small(code) != code))) {
            parted += parts && (letter || parted);
            if (parts && parted)
                list_add(list, part.data, part.length);
            part.length = 0;
        }
        if (!letter)
            break;
        was_small = small(code) == code && code != '_';
        size_t wide = utf8_write(small(code), bytes);
        text_add_n(&word, bytes, wide);
        if (code != '_')
            text_add_n(&part, bytes, wide);
        at += length;
    }
    size_t from = strspn(text_string(&word), "_"), end = word.length;
    while (end > from && word.data[end - 1] == '_')
        end--;
    if (end > from)
        list_add(list, word.data + from, end - from);
    text_free(&word);
    text_free(&part);
    return at;
}

// A run of characters: its pairs; `parts`: and each character, which is also what a run of one is. Returns its bytes.
static size_t take_characters(struct word_list *list, const char *text, bool parts)
{
    size_t at = 0, before = 0, length;
    uint32_t code;
    enum script_kind script;
    while (text[at] && (length = take_character(text + at, &code, &script)) && script == CHARACTERS) {
        if (at)
            list_add(list, text + before, at + length - before);
        if (parts)
            list_add(list, text + at, length);
        before = at;
        at += length;
    }
    if (!parts && before == 0)
        list_add(list, text, at);
    return at;
}

static struct word_list words_of(const char *text, bool parts)
{
    struct word_list list = { 0 };
    while (*text) {
        uint32_t code;
        enum script_kind script;
        size_t length = take_character(text, &code, &script);
        if (script == LETTERS)
            length = take_letters(&list, text, parts);
        else if (script == CHARACTERS)
            length = take_characters(&list, text, parts);
        text += length;
    }
    return list;
}

// ---- the index --------------------------------------------------------------------------------------------

static size_t slot_of(const struct search_index *search, const char *word)
{
    size_t slot = hash_bytes(word, strlen(word)) & (search->slot_count - 1);
    while (search->slots[slot] != NONE && strcmp(search->words[search->slots[slot]].word, word) != 0)
        slot = (slot + 1) & (search->slot_count - 1);
    return slot;
}

static int word_find(const struct search_index *search, const char *word)
{
    return search->slots[slot_of(search, word)];
}

static void slots_grow(struct search_index *search)
{
    if (2 * search->word_count < search->slot_count)
        return;
    free(search->slots);
    search->slot_count = search->slot_count ? 2 * search->slot_count : 1024;
    search->slots = mem_new(search->slot_count * sizeof *search->slots);
    for (size_t i = 0; i < search->slot_count; i++)
        search->slots[i] = NONE;
    for (size_t i = 0; i < search->word_count; i++)
        search->slots[slot_of(search, search->words[i].word)] = (int)i;
}

static int word_add(struct search_index *search, const char *word)
{
    slots_grow(search);
    size_t slot = slot_of(search, word);
    if (search->slots[slot] == NONE) {
        search->words = array_room(search->words, search->word_count, sizeof *search->words);
        search->words[search->word_count] = (struct index_word){ .word = mem_copy(word) };
        search->slots[slot] = (int)search->word_count++;
    }
    return search->slots[slot];
}

// The words of the newest place.
static void index_text(struct search_index *search, enum indexed_field field, const char *text)
{
    struct word_list list = words_of(text, true);
    for (size_t i = 0; i < list.count; i++) {
        int number = word_add(search, list.words[i]);
        struct index_word *word = &search->words[number];
        if (!word->count || word->postings[word->count - 1].place != search->count - 1) {
            word->postings = array_room(word->postings, word->count, sizeof *word->postings);
            word->postings[word->count++] = (struct posting){ .place = search->count - 1 };
        }
        unsigned char *times = &word->postings[word->count - 1].times[field];
        *times += *times < UINT8_MAX;
    }
    word_list_free(&list);
}

static void index_name(struct search_index *search, const char *name, bool alias)
{
    struct indexed *at = &search->places[search->count - 1];
    struct place_name made = { .alias = alias };
    struct word_list list = words_of(name, false);
    index_text(search, alias ? IN_ALIAS : IN_NAME, name);
    for (size_t i = 0; i < list.count; i++)
        if (!list.empty[i]) {
            made.words = array_room(made.words, made.count, sizeof *made.words);
            made.words[made.count++] = word_add(search, list.words[i]);
        }
    word_list_free(&list);
    at->names = array_room(at->names, at->name_count, sizeof *at->names);
    at->names[at->name_count++] = made;
}

// The newest place from now on; its strings are taken over.
static struct search_place *place_new(struct search_index *search, const struct search_place *place)
{
    search->places = array_room(search->places, search->count, sizeof *search->places);
    search->places[search->count++] = (struct indexed){ .place = *place };
    index_name(search, place->name, false);
    return &search->places[search->count - 1].place;
}

void search_add(struct search_index *search, enum place_kind kind, const char *name, const char *within,
                const char *opens, const char *text)
{
    place_new(search, &(struct search_place){ .kind = kind,
                                              .name = mem_copy(name),
                                              .within = mem_copy(within),
                                              .opens = mem_copy(opens),
                                              .says = mem_copy(text) });
    index_text(search, IN_TITLE, within);
    index_text(search, IN_SENTENCE, text);
}

// ---- what there is to find ----------------------------------------------------------------------------------

static void add_term(struct search_index *search, const struct term *term)
{
    struct text text = { 0 };
    place_new(search, &(struct search_place){ .kind = PLACE_TERM,
                                              .name = mem_copy(term->name),
                                              .within = mem_copy(""),
                                              .opens = text_format("terms \"%s\"", term->name),
                                              .says = mem_copy(term->sentence),
                                              .term = term });
    for (size_t i = 0; i < term->also_count; i++)
        index_name(search, term->also[i], true);
    index_text(search, IN_SENTENCE, term->sentence);
    blocks_text(term->blocks, term->block_count, &text);
    index_text(search, IN_TEXT, text_string(&text));
    text_free(&text);
}

// What a block says before anything is answered.
static void add_words(const struct lesson_block *block, struct text *out)
{
    if (block->kind == BLOCK_LIVE)
        text_addf(out, "%s\n%s\n", live_field(&block->live, "ask") ? live_field(&block->live, "ask") : "",
                  live_field(&block->live, "say") ? live_field(&block->live, "say") : "");
    else if (block->kind != BLOCK_NOTE)
        blocks_text(block, 1, out);
}

// The first paragraph of a section, unless a question comes before it: what follows one may answer it.
static char *first_words(const struct lesson_block *blocks, size_t count)
{
    struct text says = { 0 };
    for (size_t i = 0; i < count && !says.length && blocks[i].kind != BLOCK_LIVE; i++)
        if (blocks[i].kind == BLOCK_PARAGRAPH)
            pieces_text(blocks[i].pieces, blocks[i].piece_count, &says);
    return says.length ? text_take(&says) : mem_copy("");
}

// "slow kernel, L1 cache size": what its author wants it to be found by.
static void index_list(struct search_index *search, const char *names)
{
    while (*(names += strspn(names, ", \n"))) {
        size_t length = strcspn(names, ",\n");
        char *name = mem_copy_n(names, length);
        index_name(search, name, true);
        free(name);
        names += length;
    }
}

static void add_quoted(struct text *out, const char *words)
{
    text_add(out, " \"");
    for (; *words; words++)
        text_addf(out, "%s%c", strchr("\"\\", *words) ? "\\" : "", *words);
    text_add(out, "\"");
}

// From a heading, or a lesson's start, to the next.
static void add_section(struct search_index *search, const struct lessons *lessons,
                        const struct lesson *lesson, const struct lesson_block *blocks, size_t count)
{
    struct text opens = { 0 }, text = { 0 }, words = { 0 };
    size_t at = (size_t)(blocks - lesson->blocks), part = count ? lesson_part_of(lesson, at) : 0;
    bool opens_part = part && lesson->parts[part - 1].heading == at;
    // A heading # that opens no part is the lesson's title.
    bool headed = count && lesson_starts_section(blocks) && (blocks->level > 1 || opens_part);
    if (headed)
        pieces_text(blocks->pieces, blocks->piece_count, &words);
    const char *heading = headed ? text_string(&words) : NULL;
    lesson_opens_by(lessons, lesson, opens_part ? part : 0, &opens);
    if (heading && !opens_part)
        add_quoted(&opens, heading);
    place_new(search, &(struct search_place){
                          .kind = PLACE_SECTION,
                          .name = mem_copy(heading ? heading : lesson->title),
                          .within = heading ? text_format("lesson %d, %s", lesson->number, lesson->title)
                                            : text_format("lesson %d", lesson->number),
                          .opens = text_take(&opens),
                          .says = first_words(blocks, count) });
    index_text(search, IN_TITLE, heading ? lesson->title : lesson_folder(lesson));
    for (size_t i = 0; i < lesson->after_count && !heading; i++)
        index_text(search, IN_SENTENCE, lesson->after[i]);
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].index)
            index_list(search, blocks[i].index);
        if (i || !headed)
            add_words(&blocks[i], &text);
    }
    index_text(search, IN_TEXT, text_string(&text));
    text_free(&text);
    text_free(&words);
}

static void add_lesson(struct search_index *search, const struct lessons *lessons,
                       const struct lesson *lesson)
{
    size_t from = 0;
    for (size_t i = 1; i <= lesson->block_count; i++)
        if (i == lesson->block_count || lesson_starts_section(&lesson->blocks[i])) {
            add_section(search, lessons, lesson, lesson->blocks + from, i - from);
            from = i;
        }
}

static void add_step(struct search_index *search, const struct lab *lab, const struct variant *variant)
{
    place_new(search, &(struct search_place){ .kind = PLACE_STEP,
                                              .name = mem_copy(variant->title),
                                              .within = text_format("step %s/%s", lab->name, variant->name),
                                              .opens = text_format("bench %s/%s", lab->name, variant->name),
                                              .says = mem_copy(variant->why ? variant->why : "") });
    char *name = text_format("%s/%s", lab->name, variant->name);
    index_name(search, name, true);
    free(name);
    index_text(search, IN_TITLE, lab->title);
    index_text(search, IN_SENTENCE, variant->why ? variant->why : "");
}

// Steps of a ladder that cannot be read are not found; `warpbook list` says why.
static void add_lab(struct search_index *search, const struct lab *lab)
{
    struct ladder ladder;
    struct error error;
    place_new(search, &(struct search_place){ .kind = PLACE_LAB,
                                              .name = mem_copy(lab->title),
                                              .within = text_format("lab %s", lab->name),
                                              .opens = text_format("bench %s", lab->name),
                                              .says = mem_copy(lab->about) });
    index_name(search, lab->name, true);
    index_text(search, IN_SENTENCE, lab->about);
    if (!ladder_read(lab->name, &ladder, &error))
        return;
    for (size_t i = 0; i < ladder.count; i++)
        add_step(search, lab, &ladder.variants[i]);
    ladder_free(&ladder);
}

struct search_index *search_new(const struct glossary *glossary, const struct lessons *lessons)
{
    struct search_index *search = mem_new(sizeof *search);
    slots_grow(search);
    for (size_t i = 0; i < glossary->count; i++)
        add_term(search, &glossary->list[i]);
    for (size_t i = 0; i < lessons->count; i++)
        add_lesson(search, lessons, &lessons->list[i]);
    for (size_t i = 0; i < lab_count; i++)
        add_lab(search, lab_list[i]);
    return search;
}

void search_free(struct search_index *search)
{
    if (!search)
        return;
    for (size_t i = 0; i < search->count; i++) {
        struct indexed *at = &search->places[i];
        free(at->place.name);
        free(at->place.within);
        free(at->place.opens);
        free(at->place.says);
        for (size_t n = 0; n < at->name_count; n++)
            free(at->names[n].words);
        free(at->names);
    }
    for (size_t i = 0; i < search->word_count; i++) {
        free(search->words[i].word);
        free(search->words[i].postings);
    }
    free(search->places);
    free(search->words);
    free(search->slots);
    free(search);
}

// ---- what is asked ------------------------------------------------------------------------------------------

// Words that stand for each other where the asked one is not there.
static const char *const related[] = {
    "slow slower fast faster speed performance bottleneck limit time",
    "size big large bytes kb capacity most maximum max",
    "example sample code demo exercise your",
    "avoid fix cure prevent remove solve padding",
    "time measure benchmark clock duration",
    "wrong incorrect error bug defect fails crash",
    "hang hangs deadlock endless forever freeze ends",
    "copy memcpy transfer",
    "global all grid",
    "2d two dimension matrix",
    "choose pick right enough best",
    "sync synchronise synchronize wait barrier",
    "vector float4 wide 16",
    "sum add reduce reduction",
    "debug debugger wrong finding step",
};

struct asked {
    double weight;     // the rarer the word, the more
    struct word_form { // what is looked for in its place
        int word;
        double worth;
    } * forms;
    size_t count;
};
struct asked_words {
    struct asked asked[ASKED_MOST];
    size_t count;
    double weight; // of all
};

static void form_add(struct asked *asked, int word, double worth)
{
    if (word == NONE)
        return;
    for (size_t i = 0; i < asked->count; i++)
        if (asked->forms[i].word == word)
            return;
    asked->forms = array_room(asked->forms, asked->count, sizeof *asked->forms);
    asked->forms[asked->count++] = (struct word_form){ word, worth };
}

static void add_related(const struct search_index *search, struct asked *asked, const char *word)
{
    for (size_t r = 0; r < sizeof related / sizeof *related; r++) {
        struct word_list list = words_of(related[r], false);
        bool among = false;
        for (size_t i = 0; i < list.count; i++)
            among = among || strcmp(list.words[i], word) == 0;
        for (size_t i = 0; among && i < list.count; i++)
            form_add(asked, word_find(search, list.words[i]), related_worth);
        word_list_free(&list);
    }
}

static void add_begun(const struct search_index *search, struct asked *asked, const char *word)
{
    enum { LETTERS_LEAST = 3 };
    for (size_t i = 0; strlen(word) >= LETTERS_LEAST && i < search->word_count; i++)
        if (string_starts(search->words[i].word, word))
            form_add(asked, (int)i, begun_worth);
}

static void add_nearest(const struct search_index *search, struct asked *asked, const char *word)
{
    enum { LETTERS_LEAST = 4 };
    const char **names = mem_new((search->word_count + 1) * sizeof *names);
    for (size_t i = 0; i < search->word_count; i++)
        names[i] = search->words[i].word;
    const char *near = strlen(word) >= LETTERS_LEAST ? string_nearest(word, names, search->word_count) : NULL;
    if (near)
        form_add(asked, word_find(search, near), misspelt_worth);
    free(names);
}

// The last word may not be written to its end.
static void ask(const struct search_index *search, struct asked_words *question, const char *word, bool last)
{
    struct asked *asked = &question->asked[question->count];
    *asked = (struct asked){ 0 };
    form_add(asked, word_find(search, word), 1);
    bool known = asked->count;
    if (last)
        add_begun(search, asked, word);
    if (!asked->count)
        add_related(search, asked, word);
    if (!asked->count)
        add_nearest(search, asked, word);
    if (!asked->count)
        return; // nothing has it, and nothing is near
    double places = 0;
    for (size_t i = 0; i < (known ? 1 : asked->count); i++)
        places += (double)search->words[asked->forms[i].word].count;
    asked->weight = log(1 + (double)search->count / places);
    add_related(search, asked, word);
    question->weight += asked->weight;
    question->count++;
}

static struct asked_words ask_all(const struct search_index *search, const char *words)
{
    struct asked_words question = { 0 };
    struct word_list list = words_of(words, false);
    bool any = false;
    for (size_t i = 0; i < list.count; i++)
        any = any || !list.empty[i];
    for (size_t i = 0; i < list.count && question.count < ASKED_MOST; i++)
        if (!any || !list.empty[i])
            ask(search, &question, list.words[i], i + 1 == list.count);
    word_list_free(&list);
    return question;
}

static void question_free(struct asked_words *question)
{
    for (size_t i = 0; i < question->count; i++)
        free(question->asked[i].forms);
}

// ---- scores -------------------------------------------------------------------------------------------------

static double worth_of(const struct posting *posting)
{
    double best = 0;
    for (int field = 0; field < FIELDS; field++) {
        int times = posting->times[field] < OFTEN ? posting->times[field] : OFTEN;
        double worth = times ? field_worth[field] + (field == IN_TEXT ? often_worth * (times - 1) : 0) : 0;
        best = worth > best ? worth : best;
    }
    return best;
}

// best[p]: where place p has this word, by the form that counts most.
static void score_word(const struct search_index *search, const struct asked *asked, double *best)
{
    for (size_t f = 0; f < asked->count; f++) {
        const struct index_word *word = &search->words[asked->forms[f].word];
        for (size_t i = 0; i < word->count; i++) {
            double worth = asked->forms[f].worth * worth_of(&word->postings[i]);
            double *to = &best[word->postings[i].place];
            *to = worth > *to ? worth : *to;
        }
    }
}

// What this other name of a place has of the word.
static double worth_in_alias(const struct asked *asked, const struct place_name *name)
{
    double best = 0;
    for (size_t f = 0; f < asked->count; f++)
        for (size_t i = 0; i < name->count; i++)
            if (name->words[i] == asked->forms[f].word && asked->forms[f].worth > best)
                best = asked->forms[f].worth;
    return best * one_alias_worth;
}

// The mean of what a place has of each word, times the share of the words that it has: with the other name for which that is
// the most. best[w * count]: what it has of word w besides.
static double score_words(const struct search_index *search, const struct asked_words *question,
                          const struct indexed *at, const double *best)
{
    double most = 0;
    for (size_t n = 0; n <= at->name_count; n++) {
        double sum = 0, had = 0;
        if (n < at->name_count && !at->names[n].alias)
            continue;
        for (size_t w = 0; w < question->count; w++) {
            const struct asked *asked = &question->asked[w];
            double worth = best[w * search->count];
            worth = fmax(worth, n < at->name_count ? worth_in_alias(asked, &at->names[n]) : 0);
            sum += asked->weight * worth;
            had += worth > 0 ? asked->weight : 0;
        }
        most = fmax(most, sum * had);
    }
    return most / (question->weight * question->weight);
}

// Whether the word was asked as it is, or all but written to its end; its weight is added.
static bool was_asked(const struct asked_words *question, int word, double *weight)
{
    for (size_t i = 0; i < question->count; i++)
        if (question->asked[i].forms[0].word == word && question->asked[i].forms[0].worth > related_worth) {
            *weight += question->asked[i].weight;
            return question->asked[i].forms[0].worth == 1;
        }
    return false;
}

// "blocks to launch" is not "launch blocking".
static bool in_order(const struct asked_words *question, const struct place_name *name)
{
    bool same = question->count == name->count;
    for (size_t i = 0; same && i < name->count; i++)
        same = question->asked[i].forms[0].word == name->words[i];
    return same;
}

struct name_score {
    double worth;
    bool whole, all; // every word of a name was asked; and nothing else was
};

static struct name_score score_names(const struct asked_words *question, const struct indexed *at)
{
    struct name_score best = { 0 };
    bool term = at->place.kind == PLACE_TERM;
    for (size_t n = 0; n < at->name_count; n++) {
        const struct place_name *name = &at->names[n];
        size_t asked = 0;
        double weight = 0;
        for (size_t i = 0; i < name->count; i++)
            asked += was_asked(question, name->words[i], &weight);
        if (!asked)
            continue;
        double share = weight / question->weight, part = (double)asked / (double)name->count;
        bool whole = asked == name->count, all = whole && share > 0.999;
        double holds = name->alias ? alias_worth : term ? term_worth : heading_worth;
        double named = term          ? name->alias ? named_alias : named_term
                       : name->alias ? named_index
                                     : named_heading;
        double worth = holds * share * part * part + (!all                       ? 0
                                                      : in_order(question, name) ? named
                                                                                 : named * other_order);
        best.worth = worth > best.worth ? worth : best.worth;
        best.whole = best.whole || whole;
        best.all = best.all || all;
    }
    return best;
}

static int by_score(const void *a, const void *b)
{
    const struct hit *one = a, *other = b;
    if (one->score != other->score)
        return one->score > other->score ? -1 : 1;
    return one->place < other->place ? -1 : one->place > other->place;
}

size_t search_find(const struct search_index *search, const char *words, struct hit *out, size_t room)
{
    struct asked_words question = ask_all(search, words);
    double *best = mem_new((question.count * search->count + 1) * sizeof *best);
    struct hit *all = mem_new((search->count + 1) * sizeof *all);
    size_t count = 0;
    for (size_t w = 0; w < question.count; w++)
        score_word(search, &question.asked[w], best + w * search->count);
    for (size_t i = 0; i < search->count && question.count; i++) {
        const struct indexed *at = &search->places[i];
        struct name_score name = score_names(&question, at);
        double score = score_words(search, &question, at, best + i);
        if (score > 0)
            all[count++] = (struct hit){ .place = &at->place,
                                         .score = score + name.worth,
                                         .how = name.all     ? HIT_NAMED
                                                : name.whole ? HIT_HOLDS
                                                             : HIT_WORDS };
    }
    if (count)
        qsort(all, count, sizeof *all, by_score);
    count = count < room ? count : room;
    memcpy(out, all, count * sizeof *all);
    free(all);
    free(best);
    question_free(&question);
    return count;
}
