// Terms: their files, what leads from one to the other.
#include "lessons/lessons.h"
#include "lessons/markdown.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- searching -------------------------------------------------------------------------------------

enum { MISSPELT_LEAST = 3, MISSPELT_MOST = 63 }; // letters: shorter words are near everything

enum rank {
    EXACT,
    EXACT_ALIAS,
    STARTS,
    STARTS_ALIAS,
    WITHIN,
    MISSPELT,
    WITHIN_ALIAS,
    IN_SENTENCE,
    IN_TEXT,
    NONE
};

struct term_match {
    const struct term *term;
    enum rank rank;
    size_t nearness; // among misspellings; then the glossary's own order
};

static char *search_key(const char *name)
{
    char *key = mem_copy(name), *to = key;
    for (const char *c = name; *c; c++) {
        if (c[0] == '(' && c[1] == ')') {
            c++;
            continue;
        }
        if (!strchr(" \t\n-_", *c))
            *to++ = (char)((unsigned char)*c < 0x80 ? tolower((unsigned char)*c) : *c);
    }
    *to = 0;
    if (!*key && *name) // nothing but what does not matter, such as "__": then it does
        strcpy(key, name);
    return key;
}

// Within one word, or from the start of a word on: "tread" is not in "not ready".
static bool is_within(const char *name, const char *key)
{
    bool within = false;
    while (*name && !within) {
        size_t length = strcspn(name, " ");
        char *word = mem_copy_n(name, length), *own = search_key(word), *rest = search_key(name);
        within = strstr(own, key) || string_starts(rest, key);
        free(word);
        free(own);
        free(rest);
        name += length;
        name += strspn(name, " ");
    }
    return within;
}

static enum rank name_rank(const char *name, const char *key, bool alias)
{
    char *own = search_key(name);
    const char *at = *key ? strstr(own, key) : own;
    enum rank rank = NONE;
    if (at && strcmp(own, key) == 0)
        rank = alias ? EXACT_ALIAS : EXACT;
    else if (at == own)
        rank = alias ? STARTS_ALIAS : STARTS;
    else if (at && is_within(name, key))
        rank = alias ? WITHIN_ALIAS : WITHIN;
    free(own);
    return rank;
}

// Whether every word of the search occurs in the text.
static bool words_within(const char *words, const char *text)
{
    bool any = false;
    while (*words) {
        words += strspn(words, " \t\n");
        size_t length = strcspn(words, " \t\n");
        char *word = mem_copy_n(words, length);
        bool within = !length || strcasestr(text, word);
        any = any || length;
        free(word);
        if (!within)
            return false;
        words += length;
    }
    return any;
}

static enum rank text_rank(const struct term *term, const char *words)
{
    if (words_within(words, term->sentence))
        return IN_SENTENCE;
    struct text text = { 0 };
    blocks_text(term->blocks, term->block_count, &text);
    bool within = words_within(words, text_string(&text));
    text_free(&text);
    return within ? IN_TEXT : NONE;
}

// Every name that the key may be misspelt from, the terms' own before all aliases: of two that are as near, the first
// is meant.
struct glossary_names {
    const char **key;
    size_t *owner, count;
};

static struct glossary_names names_near(const struct glossary *glossary, const char *key)
{
    struct glossary_names names = { mem_new((glossary->key_count + 1) * sizeof *names.key),
                                    mem_new((glossary->key_count + 1) * sizeof *names.owner), 0 };
    size_t length = strlen(key);
    bool word = length >= MISSPELT_LEAST && length <= MISSPELT_MOST;
    for (int aliases = 0; word && aliases < 2; aliases++)
        for (size_t i = 0; i < glossary->key_count; i++) {
            const char *name = glossary->keys[i].key;
            if (glossary->keys[i].alias == aliases && string_nearest(key, &name, 1)) {
                names.key[names.count] = name;
                names.owner[names.count++] = glossary->keys[i].term;
            }
        }
    return names;
}

// The place of the nearest name; SIZE_MAX: none is near.
static size_t names_nearest(const struct glossary_names *names, const char *key)
{
    const char *near = string_nearest(key, names->key, names->count);
    size_t i = 0;
    while (near && names->key[i] != near)
        i++;
    return near ? i : SIZE_MAX;
}

static void names_free(struct glossary_names *names)
{
    free(names->key);
    free(names->owner);
}

// The names next to the key, best first, are asked for one after the other.
static void rank_misspelt(const struct glossary *glossary, struct term_match *all, const char *key)
{
    struct glossary_names names = names_near(glossary, key);
    size_t at;
    for (size_t order = 1; (at = names_nearest(&names, key)) != SIZE_MAX; order++) {
        struct term_match *found = &all[names.owner[at]];
        if (found->rank > MISSPELT)
            *found = (struct term_match){ found->term, MISSPELT, order };
        names.key[at] = "";
    }
    names_free(&names);
}

static int by_rank(const void *a, const void *b)
{
    const struct term_match *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    if (one->nearness != other->nearness)
        return one->nearness < other->nearness ? -1 : 1;
    return one->term < other->term ? -1 : one->term > other->term;
}

size_t glossary_search(const struct glossary *glossary, const char *words, const struct term **out,
                       size_t room)
{
    words += strspn(words, " \t\n");
    struct term_match *all = mem_new((glossary->count + 1) * sizeof *all);
    char *key = search_key(words);
    for (size_t i = 0; i < glossary->count; i++) {
        const struct term *term = &glossary->list[i];
        enum rank rank = name_rank(term->name, key, false);
        for (size_t n = 0; n < term->also_count; n++) {
            enum rank alias = name_rank(term->also[n], key, true);
            rank = alias < rank ? alias : rank;
        }
        all[i] = (struct term_match){ term, rank == NONE ? text_rank(term, words) : rank, 0 };
    }
    rank_misspelt(glossary, all, key);
    if (glossary->count)
        qsort(all, glossary->count, sizeof *all, by_rank);
    size_t count = 0;
    while (count < room && count < glossary->count && all[count].rank != NONE) {
        out[count] = all[count].term;
        count++;
    }
    free(key);
    free(all);
    return count;
}

const struct term *glossary_near(const struct glossary *glossary, const char *words)
{
    char *key = search_key(words);
    struct glossary_names names = names_near(glossary, key);
    size_t at = names_nearest(&names, key);
    const struct term *near = at == SIZE_MAX ? NULL : &glossary->list[names.owner[at]];
    names_free(&names);
    free(key);
    return near;
}

// ---- messages ------------------------------------------------------------------------------------------------

enum { MESSAGE_WORDS = 3 }; // a name of fewer words is no message

static bool is_message(const char *name)
{
    size_t words = 0;
    for (const char *c = name; *c; c++)
        words += *c != ' ' && (c == name || c[-1] == ' ');
    return words >= MESSAGE_WORDS || strstr(name, "...");
}

// Whether the parts between "..." occur in the words, in their order.
static bool message_within(const char *message, const char *words)
{
    while (words && *message) {
        const char *gap = strstr(message, "...");
        size_t length = gap ? (size_t)(gap - message) : strlen(message), kept = length;
        while (kept && message[kept - 1] == ' ')
            kept--;
        char *part = mem_copy_n(message, kept);
        words = strcasestr(words, part);
        words = words ? words + kept : NULL;
        free(part);
        message += length + (gap ? strlen("...") : 0);
        message += strspn(message, " ");
    }
    return words;
}

const struct term *glossary_message(const struct glossary *glossary, const char *words)
{
    const struct term *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < glossary->count; i++) {
        const struct term *term = &glossary->list[i];
        for (size_t n = 0; n <= term->also_count; n++) {
            const char *name = n ? term->also[n - 1] : term->name;
            if (strlen(name) > longest && is_message(name) && message_within(name, words)) {
                longest = strlen(name);
                found = term;
            }
        }
    }
    return found;
}

// ---- terms on disk ---------------------------------------------------------------------------------

// ---- one term -----------------------------------------------------------------------------------------

// "one, another, …" → its parts.
static void list_parse(const char *value, char ***list, size_t *count)
{
    while (*value) {
        value += strspn(value, ", \n");
        size_t length = strcspn(value, ",\n"), kept = length;
        while (kept && value[kept - 1] == ' ')
            kept--;
        if (kept) {
            *list = array_room(*list, *count, sizeof **list);
            (*list)[(*count)++] = mem_copy_n(value, kept);
        }
        value += length;
    }
}

static bool front_field(struct term *term, const struct source *source, const struct live_field *field,
                        struct error *error)
{
    if (!*field->value)
        return line_error(source, field->line, NULL, error, "'%.40s' has no value", field->key);
    if (strcmp(field->key, "name") == 0 && !term->name)
        term->name = mem_copy(field->value);
    else if (strcmp(field->key, "try") == 0 && !term->try)
        term->try = mem_copy(field->value);
    else if (strcmp(field->key, "also") == 0)
        list_parse(field->value, &term->also, &term->also_count);
    else if (strcmp(field->key, "see") == 0)
        list_parse(field->value, &term->see, &term->see_count);
    else
        return line_error(source, field->line, field->key, error,
                          "a term starts with name and try, once each, also and see, not with '%.40s'",
                          field->key);
    return true;
}

static bool front_read(struct term *term, const struct source *source, const char **body, struct error *error)
{
    struct fields fields = { 0 };
    bool read = front_parse(source, &fields, body, error);
    for (size_t i = 0; read && i < fields.count; i++)
        read = front_field(term, source, &fields.list[i], error);
    fields_free(fields.list, fields.count);
    return read && (term->name || line_error(source, 1, NULL, error, "a term starts with 'name'"));
}

static void term_free(struct term *term)
{
    free(term->name);
    free(term->file);
    free(term->try);
    free(term->sentence);
    for (size_t i = 0; i < term->also_count; i++)
        free(term->also[i]);
    for (size_t i = 0; i < term->see_count; i++)
        free(term->see[i]);
    free(term->also);
    free(term->see);
    blocks_free(term->blocks, term->block_count);
    *term = (struct term){ 0 };
}

static bool sentence_read(struct term *term, const struct source *source, struct error *error)
{
    if (!term->block_count || term->blocks[0].kind != BLOCK_PARAGRAPH)
        return line_error(source, 1, NULL, error, "a term's text starts with the sentence that defines it");
    struct text sentence = { 0 };
    pieces_text(term->blocks[0].pieces, term->blocks[0].piece_count, &sentence);
    term->sentence = sentence.data ? text_take(&sentence) : mem_copy("");
    for (size_t i = 0; i < term->block_count; i++)
        if (term->blocks[i].kind == BLOCK_LIVE)
            return line_error(source, term->blocks[i].line, NULL, error,
                              "live blocks belong in lessons only");
    return true;
}

static bool term_parse(struct term *term, const char *path, const char *file, const char *text,
                       struct error *error)
{
    *term = (struct term){ .file = mem_copy_n(file, strlen(file) - strlen(".md")) };
    const struct source source = { path, text };
    const char *body;
    struct blocks blocks = { 0 };
    bool parsed =
        front_read(term, &source, &body, error) && markdown_parse(&source, body, NULL, NULL, &blocks, error);
    term->blocks = blocks.list;
    term->block_count = blocks.count;
    parsed = parsed && sentence_read(term, &source, error);
    if (!parsed)
        term_free(term);
    return parsed;
}

// ---- names --------------------------------------------------------------------------------------------------

static int by_key(const void *a, const void *b)
{
    const struct term_key *one = a, *other = b;
    int order = strcmp(one->key, other->key);
    return order ? order : (one->term > other->term) - (one->term < other->term);
}

// Every name and alias as a search key, sorted, for glossary_find.
static void index_names(struct glossary *glossary)
{
    for (size_t i = 0; i < glossary->count; i++) {
        const struct term *term = &glossary->list[i];
        for (size_t n = 0; n <= term->also_count; n++) {
            glossary->keys = array_room(glossary->keys, glossary->key_count, sizeof *glossary->keys);
            glossary->keys[glossary->key_count++] =
                (struct term_key){ search_key(n ? term->also[n - 1] : term->name), i, n > 0 };
        }
    }
    if (glossary->key_count)
        qsort(glossary->keys, glossary->key_count, sizeof *glossary->keys, by_key);
}

// The first of two terms with one name wins.
static const struct term *find_key(const struct glossary *glossary, const char *key)
{
    size_t low = 0, high = glossary->key_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(glossary->keys[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < glossary->key_count && strcmp(glossary->keys[low].key, key) == 0;
    return found ? &glossary->list[glossary->keys[low].term] : NULL;
}

// "%r12" and "$L__BB0_2" are called as the compiler counts.
static void cut_number(char *key)
{
    size_t length = strlen(key);
    while (strchr("%$", *key) && length > 2 && isdigit((unsigned char)key[length - 1]))
        key[--length] = 0;
}

const struct term *glossary_find(const struct glossary *glossary, const char *name)
{
    char *key = search_key(name), *dot;
    const struct term *found = find_key(glossary, key);
    bool one_word = !strpbrk(name, " \t\n");
    if (!found && one_word && *key) {
        cut_number(key);
        found = find_key(glossary, key);
    }
    while (!found && one_word && (dot = strrchr(key, '.')) && dot > key) {
        *dot = 0;
        found = find_key(glossary, key);
    }
    free(key);
    return found;
}

// ---- all of a folder ------------------------------------------------------------------------------------

static int is_term_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && string_ends(entry->d_name, ".md");
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp(((const struct term *)a)->name, ((const struct term *)b)->name);
}

static bool term_read(struct glossary *glossary, const char *folder, const char *file, struct error *error)
{
    char *path = path_join(folder, file);
    struct text text = { 0 };
    glossary->list = array_room(glossary->list, glossary->count, sizeof *glossary->list);
    bool read = page_read(path, &text, error) &&
                term_parse(&glossary->list[glossary->count], path, file, text_string(&text), error);
    glossary->count += read;
    text_free(&text);
    free(path);
    return read;
}

static bool folder_read(const char *folder, error_said said, void *context, struct glossary *out,
                        struct error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_term_file, alphasort);
    if (count < 0)
        return error_set(error, EXIT_MISSING, "Cannot read the folder %s: %s.", folder, strerror(errno));
    bool read = true;
    for (int i = 0; i < count; i++) {
        bool known = read && term_read(out, folder, entries[i]->d_name, error);
        if (read && !known && said)
            said(context, error);
        read = read && (known || said);
        free(entries[i]);
    }
    free(entries);
    return read;
}

bool glossary_read(const char *folder, struct glossary *out, struct error *error)
{
    return glossary_read_around(folder, NULL, NULL, out, error);
}

bool glossary_read_around(const char *folder, error_said said, void *context, struct glossary *out,
                          struct error *error)
{
    *out = (struct glossary){ 0 };
    char *shipped = folder ? NULL : path_shipped("lessons/glossary");
    bool read = folder_read(folder ? folder : shipped, said, context, out, error);
    free(shipped);
    if (!read) {
        glossary_free(out);
        return false;
    }
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, by_name);
    index_names(out);
    return true;
}

void glossary_free(struct glossary *glossary)
{
    for (size_t i = 0; i < glossary->count; i++)
        term_free(&glossary->list[i]);
    for (size_t i = 0; i < glossary->key_count; i++)
        free(glossary->keys[i].key);
    free(glossary->list);
    free(glossary->keys);
    *glossary = (struct glossary){ 0 };
}

// ---- links --------------------------------------------------------------------------------------------------

static bool pieces_lead(const struct glossary *glossary, const struct inline_piece *pieces, size_t count,
                        const struct term *to)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].target && string_starts(pieces[i].target, "term:") &&
            glossary_find(glossary, pieces[i].target + strlen("term:")) == to)
            return true;
    return false;
}

static bool leads(const struct glossary *glossary, const struct term *from, const struct term *to)
{
    for (size_t i = 0; i < from->see_count; i++)
        if (glossary_find(glossary, from->see[i]) == to)
            return true;
    for (size_t b = 0; b < from->block_count; b++) {
        const struct lesson_block *block = &from->blocks[b];
        if (pieces_lead(glossary, block->pieces, block->piece_count, to))
            return true;
        for (size_t c = 0; c < block->rows * block->cols; c++)
            if (pieces_lead(glossary, block->cells[c].pieces, block->cells[c].count, to))
                return true;
    }
    return false;
}

size_t glossary_links(const struct glossary *glossary, const struct term *to, const struct term **out,
                      size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < glossary->count && count < room; i++)
        if (&glossary->list[i] != to && leads(glossary, &glossary->list[i], to))
            out[count++] = &glossary->list[i];
    return count;
}

// ---- words of other programs -----------------------------------------------------------------------

// ---- numbers of errors ----------------------------------------------------------------------------------------

enum { BARE_LEAST = 3 }; // digits: a smaller number alone is any number

static bool is_error_word(const char *word, size_t length)
{
    static const char *const words[] = { "cuda",    "error",     "code",   "err",      "status",
                                         "runtime", "cudaerror", "number", "curesult", "driver" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(words[i], word, length) == 0)
            return true;
    return false;
}

const struct term *glossary_number(const struct glossary *glossary, const char *words)
{
    char number[8] = "", name[24];
    bool bare = true;
    while (*words) {
        size_t digits = strspn(words, "0123456789"), length = digits;
        if (digits && (*number || digits >= sizeof number))
            return NULL;
        while (!digits && isalpha((unsigned char)words[length]))
            length++;
        if (digits)
            memcpy(number, words, digits);
        else if (length && !is_error_word(words, length))
            return NULL;
        bare = bare && (digits || !length);
        words += length ? length : 1;
    }
    if (!*number || (bare && strlen(number) < BARE_LEAST))
        return NULL;
    format_into(name, sizeof name, "error %s", number);
    return glossary_find(glossary, name);
}

// ---- metrics --------------------------------------------------------------------------------------------------

// A metric is UNIT__WORDS.ROLLUP, its words with '_' between.
enum { RUN_MOST = 4, WORD_LEAST = 2, LETTERS_MOST = 200 };

// The end of `count` words from `at` on; NULL: there are not as many.
static const char *words_end(const char *at, size_t count)
{
    const char *end = at;
    for (size_t i = 0; i < count; i++) {
        if (i && *end != '_')
            return NULL;
        end += i > 0;
        end += strcspn(end, "_");
    }
    return end;
}

static const struct term *find_part(const struct glossary *glossary, const char *from, const char *to)
{
    char *part = mem_copy_n(from, (size_t)(to - from));
    bool counts = to - from >= WORD_LEAST && strcasecmp(part, "sass") != 0;
    const struct term *found = counts ? glossary_find(glossary, part) : NULL;
    free(part);
    return found;
}

// "long_scoreboard_per_warp_active" → "stall long_scoreboard", as much of it as is a name.
static const struct term *find_stall(const struct glossary *glossary, const char *reason)
{
    struct text name = { 0 };
    text_addf(&name, "stall %s", reason);
    const struct term *found = glossary_find(glossary, name.data);
    for (char *cut = strrchr(name.data, '_'); !found && cut; cut = strrchr(name.data, '_')) {
        *cut = 0;
        found = glossary_find(glossary, name.data);
    }
    text_free(&name);
    return found ? found : glossary_find(glossary, "stall");
}

// The longest name within the words; of two as long the first.
static const struct term *find_longest(const struct glossary *glossary, const char *words)
{
    const struct term *found = NULL;
    for (size_t run = RUN_MOST; !found && run > 0; run--)
        for (const char *at = words; !found && at; at = strchr(at, '_') ? strchr(at, '_') + 1 : NULL) {
            const char *end = words_end(at, run);
            found = end ? find_part(glossary, at, end) : NULL;
        }
    return found;
}

// What the profiler's pages call "Stall Wait" or "stall_wait" is a stall, also one that no term names.
static const char *stall_of(const char *name)
{
    size_t word = strlen("stall");
    if (strncasecmp(name, "stall", word) == 0 && name[word] && strchr("_ ", name[word]))
        return name + word + 1;
    const char *within = strcasestr(name, "_stalled_");
    return within ? within + strlen("_stalled_") : NULL;
}

const struct term *glossary_metric(const struct glossary *glossary, const char *name)
{
    if (strlen(name) > LETTERS_MOST)
        return NULL;
    char *metric = mem_copy_n(name, strcspn(name, "."));
    const char *unit_end = strstr(metric, "__"), *stall = stall_of(metric);
    const struct term *found = NULL;
    if (stall)
        found = find_stall(glossary, stall);
    else if (unit_end && isalpha((unsigned char)*metric) && !strpbrk(name, " \t\n")) {
        found = find_longest(glossary, unit_end + strlen("__"));
        if (!found)
            found = find_part(glossary, metric, unit_end);
    }
    free(metric);
    return found;
}
