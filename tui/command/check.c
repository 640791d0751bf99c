// warpbook check: whether lessons keep what they promise. Skeletons fail, solutions pass, wrong answers are rejected for
// the reason meant, predictions come out, links lead somewhere, and all of it fits 80 columns. Here: the text of lessons and
// terms (how wide it is, where its links lead, whether every kernel file belongs to a lesson, whether a term is one sentence
// and alone has its name), the folders, and the command.
#include "tui/command/check.h"
#include "tui/view/live.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(struct checking *check, const struct source *source, int line, const char *word,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
static void say(struct checking *check, const struct source *source, int line, const char *word,
                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    check_error_v(check, source, line, word, format, args);
    va_end(args);
}

// ---- lines of a file --------------------------------------------------------------------------------------

static const char *line_next(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

static int line_of(const char *text, int line, const char *word)
{
    enum { FAR = 60 };
    const char *at = text;
    for (int i = 1; i < line && *at; i++)
        at = line_next(at);
    for (int i = line; i < line + FAR && *at; i++, at = line_next(at))
        if (memmem(at, strcspn(at, "\n"), word, strlen(word)))
            return i;
    return line;
}

static void check_widths(struct checking *check, const struct source *source, int most)
{
    int line = 1;
    for (const char *at = source->text; *at; at = line_next(at), line++) {
        int cells = text_cells_n(at, strcspn(at, "\n"));
        if (cells > most)
            say(check, source, line, NULL, "the line is %d columns wide; %d fit", cells, most);
    }
}

// ---- links ------------------------------------------------------------------------------------------------

static const struct term *check_term(const struct checking *check, const char *name)
{
    const struct term *found = glossary_find(&check->terms[0], name);
    return found ? found : glossary_find(&check->terms[1], name);
}

// ---- targets ----------------------------------------------------------------------------------------------

static bool term_check(const struct checking *check, const char *name, struct error *error)
{
    const struct term *near[1];
    bool unknown = !check->terms[0].count && !check->terms[1].count; // they cannot be read
    if (unknown || check_term(check, name))
        return true;
    if (glossary_search(&check->terms[0], name, near, 1))
        return error_set(error, EXIT_WRONG, "no term is called '%s'; near it is '%s'", name, near[0]->name);
    return error_set(error, EXIT_WRONG, "no term is called '%s'", name);
}

static bool lesson_check(const struct checking *check, const char *word, struct error *error)
{
    char *end;
    long number = strtol(word, &end, 10);
    bool is_number = isdigit((unsigned char)*word) && !*end;
    for (size_t i = 0; i < check->lessons.count; i++) {
        const char *name = check->lessons.list[i], *bare = strchr(name, '-');
        if (is_number ? strtol(name, NULL, 10) == number
                      : strcmp(name, word) == 0 || (bare && strcmp(bare + 1, word) == 0))
            return true;
    }
    return error_set(error, EXIT_WRONG, "there is no lesson '%s'", word);
}

static bool link_check(const struct checking *check, const char *target, struct error *error)
{
    if (string_starts(target, "term:"))
        return term_check(check, target + strlen("term:"), error);
    if (string_starts(target, "lab:"))
        return check_place(target + strlen("lab:"), error);
    if (string_starts(target, "lesson:"))
        return lesson_check(check, target + strlen("lesson:"), error);
    if (string_starts(target, "explore:"))
        return check_explorer(target + strlen("explore:"), error);
    if (string_starts(target, "https://") || string_starts(target, "http://"))
        return true;
    return error_set(error, EXIT_WRONG,
                     "a link leads to term:, lab:, lesson:, explore: or https://, not to '%.60s'", target);
}

// ---- all of a text ----------------------------------------------------------------------------------------

struct check_place {
    struct checking *check;
    struct source source;
    int line;
};

static void pieces_check(const struct check_place *place, const struct inline_piece *pieces, size_t count)
{
    struct error error;
    for (size_t i = 0; i < count; i++) {
        const char *target = pieces[i].target;
        bool again = i && pieces[i - 1].target && target && strcmp(pieces[i - 1].target, target) == 0;
        if (!target || again || link_check(place->check, target, &error))
            continue;
        say(place->check, &place->source, line_of(place->source.text, place->line, target), target, "%.*s",
            (int)strcspn(error.text, "\n"), error.text);
    }
}

static void live_links(const struct check_place *place, const struct live *live)
{
    static const char *const keys[] = { "ask", "say", "because", "choice", "not", "hint" };
    for (size_t i = 0; i < live->field_count; i++) {
        const struct live_field *field = &live->fields[i];
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            if (strcmp(field->key, keys[k]) != 0)
                continue;
            size_t count;
            struct inline_piece *pieces = pieces_read(field->value, &count);
            struct check_place at = *place;
            at.line = field->line;
            pieces_check(&at, pieces, count);
            pieces_free(pieces, count);
        }
    }
}

static void check_links(struct checking *check, const struct source *source,
                        const struct lesson_block *blocks, size_t count)
{
    for (size_t b = 0; b < count; b++) {
        const struct lesson_block *block = &blocks[b];
        struct check_place place = { check, *source, block->line };
        pieces_check(&place, block->pieces, block->piece_count);
        for (size_t c = 0; c < block->rows * block->cols; c++)
            pieces_check(&place, block->cells[c].pieces, block->cells[c].count);
        if (block->kind == BLOCK_LIVE)
            live_links(&place, &block->live);
    }
}

// ---- a lesson ---------------------------------------------------------------------------------------------

enum { CODE_INDENT = 2 };

// ---- the text of a page -----------------------------------------------------------------------------------

static int widest(const struct sheet *sheet, size_t from, size_t to)
{
    int most = 0;
    for (size_t i = from; i < to && i < sheet->line_count; i++) {
        struct text line = { 0 };
        int cells = text_cells(sheet_line_text(sheet, i, &line));
        most = cells > most ? cells : most;
        text_free(&line);
    }
    return most;
}

static void fits(struct checking *check, const struct lesson *lesson, const struct lesson_block *block,
                 int line, int cells)
{
    static const char *const what[] = { [BLOCK_CODE] = "code", [BLOCK_TABLE] = "table" };
    const char *name = block->kind == BLOCK_LIVE                                       ? "block"
                       : block->kind < sizeof what / sizeof *what && what[block->kind] ? what[block->kind]
                                                                                       : "text";
    if (cells > TEXT_CELLS)
        check_lesson_error(check, lesson, line, NULL,
                           "this %s is %d columns wide on a page; %d fit on 80 columns", name, cells,
                           TEXT_CELLS);
}

// Code that is too wide would be broken onto the next line, and would be hard to read.
static int widest_code(const char *text)
{
    int most = 0;
    for (const char *at = text; *at; at = line_next(at)) {
        int cells = CODE_INDENT + text_cells_n(at, strcspn(at, "\n"));
        most = cells > most ? cells : most;
    }
    return most;
}

// Where a table starts: the first line from there on that starts with '|'; 0: none.
static int line_of_table(const char *text, int line)
{
    enum { FAR = 60 };
    int at = 1;
    for (; at < line && *text; at++)
        text = line_next(text);
    for (; at < line + FAR && *text; at++, text = line_next(text))
        if (*text == '|')
            return at;
    return 0;
}

// A table is as wide as its text: cells that have no room are broken.
static int widest_row(const char *text, int line)
{
    int most = 0;
    for (int i = 1; i < line && *text; i++)
        text = line_next(text);
    for (; line && *text == '|'; text = line_next(text)) {
        int cells = text_cells_n(text, strcspn(text, "\r\n"));
        most = cells > most ? cells : most;
    }
    return most;
}

static void check_page(struct checking *check, const struct lesson *lesson)
{
    struct lesson_setting paper = { .width = TEXT_CELLS, .utf8 = true, .notes = true };
    struct lesson_text text = lesson_text_new(lesson, &paper);
    size_t live = 0;
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        if (block->kind == BLOCK_LIVE) {
            fits(check, lesson, block, block->line, widest(&text.sheet, text.starts[live], text.ends[live]));
            live++;
        } else if (block->kind == BLOCK_TABLE) {
            int line = line_of_table(lesson->text, block->line);
            fits(check, lesson, block, line, widest_row(lesson->text, line));
        } else if (block->kind == BLOCK_CODE) {
            fits(check, lesson, block, block->line, widest_code(block->text));
        } else if (block->kind != BLOCK_NOTE) {
            struct sheet sheet = sheet_new(TEXT_CELLS, true);
            typeset_block(&sheet, NULL, block, NULL);
            sheet_end(&sheet);
            fits(check, lesson, block, block->line, widest(&sheet, 0, sheet.line_count));
            sheet_free(&sheet);
        }
    }
    lesson_text_free(&text);
}

// ---- files ------------------------------------------------------------------------------------------------

static bool names_file(const struct lesson *lesson, const char *file)
{
    size_t length = strlen(file);
    for (size_t b = 0; b < lesson->block_count; b++) {
        const struct live *live = &lesson->blocks[b].live;
        for (size_t i = 0; lesson->blocks[b].kind == BLOCK_LIVE && i < live->field_count; i++) {
            const char *value = live->fields[i].value;
            if (string_starts(value, file) && (!value[length] || value[length] == ' '))
                return true;
        }
    }
    return false;
}

static int is_kernel(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && string_ends(entry->d_name, ".cu");
}

static void check_files(struct checking *check, const struct lesson *lesson)
{
    struct dirent **entries = NULL;
    struct error error;
    const char *slash = strrchr(lesson->path, '/');
    char *folder = mem_copy_n(lesson->path, slash ? (size_t)(slash - lesson->path) : 0);
    int count = scandir(folder, &entries, is_kernel, alphasort);
    for (int i = 0; i < count; i++) {
        struct text text = { 0 };
        char *path = path_join(folder, entries[i]->d_name);
        if (!file_read(path, &text, &error))
            check_said(check, &error);
        const struct source source = { path, text_string(&text) };
        check_widths(check, &source, KERNEL_CELLS);
        bool named = check->partial ? strstr(lesson->text, entries[i]->d_name) != NULL
                                    : names_file(lesson, entries[i]->d_name);
        if (!named)
            say(check, &source, 1, NULL, "no block of lesson.md names this file");
        text_free(&text);
        free(path);
        free(entries[i]);
    }
    free(entries);
    free(folder);
}

// ---- the lesson -------------------------------------------------------------------------------------------

// Questions, exercises, bug hunts, orders and minutes.
static void print_counts(const struct paper *paper, enum role role, const char *name, const int *counts)
{
    static const int cells[CHECK_COUNTS] = { 9, 9, 9, 6, 7 };
    paper_cell(paper, ROLE_TITLE, 24, "%s", name);
    for (int i = 0; i < CHECK_COUNTS; i++)
        paper_cell(paper, role, -cells[i], "%d", counts[i]);
}

static void print_row(struct checking *check, const struct lesson *lesson, const int *counts, size_t errors,
                      size_t not_run)
{
    const struct paper *paper = &check->paper;
    waiting_wipe(&check->waiting);
    print_counts(paper, ROLE_TEXT, lesson->name, counts);
    if (errors)
        paper_put(paper, ROLE_BAD, " %zu wrong\n", errors);
    else if (not_run)
        paper_put(paper, ROLE_NOTE, " %zu not run\n", not_run);
    else
        paper_put(paper, ROLE_GOOD, " sound\n");
    fflush(paper->file);
}

// Wrong choices of a quiz that nobody explains, or wrong orders that nothing runs.
static bool lacks_reasons(const struct live *live)
{
    if (live->kind == LIVE_ORDER)
        return !live_field(live, "file") && !live_field(live, "not");
    for (size_t i = 0; live->kind == LIVE_QUIZ && i < live_count(live, "choice"); i++)
        if (!quiz_choice_right(live, i) && !live_why_not(live, i))
            return true;
    return false;
}

// A hint for authors: it makes nothing wrong.
static void print_reasons(const struct paper *paper, const struct lesson *lesson)
{
    struct text names = { 0 };
    for (size_t i = 0; i < lesson->block_count; i++)
        if (lesson->blocks[i].kind == BLOCK_LIVE && lacks_reasons(&lesson->blocks[i].live))
            text_addf(&names, "%s%s", names.length ? ", " : "", lesson->blocks[i].live.id);
    if (names.length) {
        struct text words = { 0 };
        text_addf(&words, "A wrong choice has no 'not' in %s.", names.data);
        paper_wrap(paper, ROLE_DIM, 2, words.data);
        text_free(&words);
    }
    text_free(&names);
}

// A hint, too, where the author has stated others: nobody knows the reader. Five minutes and a fifth are left to the author.
static void print_minutes(const struct paper *paper, const struct lesson *lesson)
{
    int takes = (int)(lesson_minutes(lesson, 0, lesson->block_count) + 0.5);
    int apart = abs(takes - lesson->minutes);
    if (apart > 5 && 5 * apart > takes)
        paper_put(paper, ROLE_DIM, "  It takes about %d minutes, by its words, questions and tasks.\n",
                  takes);
}

static void check_lesson(struct checking *check, const struct lesson *lesson, size_t errors)
{
    const struct source source = { lesson->path, lesson->text };
    static const enum check_count counted[LIVES] = {
        [LIVE_PREDICT] = CHECK_QUESTIONS,   [LIVE_QUIZ] = CHECK_QUESTIONS, [LIVE_EXERCISE] = CHECK_EXERCISES,
        [LIVE_CHALLENGE] = CHECK_EXERCISES, [LIVE_BUGHUNT] = CHECK_HUNTS,  [LIVE_ORDER] = CHECK_ORDERS
    };
    int counts[CHECK_COUNTS] = { [CHECK_MINUTES] = lesson->minutes };
    size_t not_run = check->not_run.count;
    if (!check->lesson_count)
        paper_put(&check->paper, ROLE_DIM, "%-24s %9s %9s %9s %6s %7s\n", "lesson", "questions", "exercises",
                  "bug hunts", "orders", "minutes");
    check_progress(check, "%s", lesson->name);
    check_widths(check, &source, SOURCE_CELLS);
    check_page(check, lesson);
    check_links(check, &source, lesson->blocks, lesson->block_count);
    check_files(check, lesson);
    check_parts(check, lesson);
    for (size_t i = 0; i < lesson->block_count && !waiting_stopped(); i++) {
        const struct live *live = &lesson->blocks[i].live;
        if (lesson->blocks[i].kind != BLOCK_LIVE)
            continue;
        if (live->kind != LIVE_LAB && live->kind != LIVE_WIDGET)
            counts[counted[live->kind]]++;
        check_live(check, lesson, live);
    }
    if (waiting_stopped()) // what else is wrong with it is not known
        return;
    check->lesson_count++;
    for (int i = 0; i < CHECK_COUNTS; i++)
        check->counts[i] += counts[i];
    print_row(check, lesson, counts, check->errors - errors, check->not_run.count - not_run);
    print_reasons(&check->paper, lesson);
    print_minutes(&check->paper, lesson);
}

// ---- terms ------------------------------------------------------------------------------------------------

enum { LINES_MOST = 20 };

struct term_file {
    struct checking *check;
    const struct term *term;
    bool own; // not what ships
    struct source source;
};

// The line of the file's start with this key; 1: none.
static int line_of_key(const struct term_file *file, const char *key)
{
    int line = 1;
    for (const char *at = file->source.text; *at; at = line_next(at), line++)
        if (string_starts(at, key) && at[strlen(key)] == ':')
            return line;
    return 1;
}

// ---- the text ---------------------------------------------------------------------------------------------

static void check_sentence(const struct term_file *file)
{
    const struct term *term = file->term;
    const char *sentence = term->sentence;
    int line = term->block_count ? term->blocks[0].line : 1;
    if (!string_ends(sentence, "."))
        say(file->check, &file->source, line, NULL,
            "the first paragraph is one sentence with a '.' at its end");
    for (const char *at = sentence; (at = strstr(at, ". ")); at += 2)
        if (isupper((unsigned char)at[2]))
            say(file->check, &file->source, line_of(file->source.text, line, at + 2), NULL,
                "the first paragraph is one sentence; the rest follows an empty line");
}

// Comments are no text, nor are the empty lines around them.
static void check_length(const struct term_file *file)
{
    int line = 1, fences = 0, body = 0, last = 0, comments = 0;
    bool comment = false;
    for (const char *at = file->source.text; *at; line++) {
        size_t length = strcspn(at, "\n");
        bool fence = fences < 2 && string_starts(at, "---");
        comment |= string_starts(at, "<!--");
        if (comment) {
            comments++;
            comment = !memmem(at, length, "-->", 3);
        } else if (fences == 2 && strspn(at, " \r") < length) {
            body = body ? body : line - comments;
            last = line - comments;
        }
        fences += fence;
        at = line_next(at);
    }
    if (body && last - body + 1 > LINES_MOST)
        say(file->check, &file->source, body + LINES_MOST, NULL, "a term's text has at most %d lines, not %d",
            LINES_MOST, last - body + 1);
}

static bool same_name(const char *a, const char *b)
{
    static const char unseen[] = " -_()";
    for (;;) {
        a += strspn(a, unseen);
        b += strspn(b, unseen);
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

// A search also finds "ld" for "ld.mine"; that is no other term's name.
static bool is_called(const struct term *term, const char *name)
{
    bool called = same_name(term->name, name);
    for (size_t i = 0; i < term->also_count && !called; i++)
        called = same_name(term->also[i], name);
    return called;
}

// Two terms with one name: the error is about the later one.
static void check_names(const struct term_file *file, const struct glossary *glossary)
{
    const struct term *term = file->term;
    for (size_t i = 0; i <= term->also_count; i++) {
        const char *name = i ? term->also[i - 1] : term->name;
        const struct term *first = glossary_find(glossary, name);
        int line = line_of(file->source.text, line_of_key(file, i ? "also" : "name"), name);
        if (first && first != term)
            say(file->check, &file->source, line, name, "%s.md is called '%s' too", first->file, name);
        else if (file->own && (first = glossary_find(&file->check->terms[0], name)) && is_called(first, name))
            say(file->check, &file->source, line, name,
                "the term '%s' that ships with warpbook is called '%s' too", first->name, name);
    }
}

static void check_see(const struct term_file *file)
{
    const struct term *term = file->term;
    for (size_t i = 0; i < term->see_count; i++) {
        const struct term *to = check_term(file->check, term->see[i]);
        int line = line_of(file->source.text, line_of_key(file, "see"), term->see[i]);
        if (!to)
            say(file->check, &file->source, line, term->see[i], "no term is called '%s'", term->see[i]);
        else if (strcmp(to->name, term->name) == 0)
            say(file->check, &file->source, line, term->see[i], "a term does not lead to itself");
    }
}

// ---- the command ------------------------------------------------------------------------------------------

static bool target_sound(const struct arguments *arguments, struct error *error)
{
    struct target target;
    struct request wish = { 0 };
    if (!target_read(arguments->operands[0], &target, error))
        return false;
    bool sound = target_request(&target, arguments, 0, &wish, error);
    if (sound && arguments->command->run == command_sim && !target.variant)
        sound = error_set(error, EXIT_WRONG, "sim takes a step of a lab");
    request_free(&wish);
    target_free(&target);
    return sound;
}

static bool operands_sound(const struct checking *check, const struct arguments *arguments,
                           struct error *error)
{
    const char *first = arguments->operand_count ? arguments->operands[0] : NULL,
               *name = arguments->command->name;
    char link[100];
    if (!first)
        return true;
    if (strcmp(name, "run") == 0 || strcmp(name, "sim") == 0)
        return target_sound(arguments, error);
    if (strcmp(name, "show") == 0 || strcmp(name, "list") == 0)
        return check_place(first, error);
    format_into(link, sizeof link, "lesson:%s", first);
    if (strcmp(name, "lesson") == 0)
        return link_check(check, link, error);
    if (strcmp(name, "explore") != 0)
        return true;
    struct text words = { 0 };
    for (size_t i = 0; i < arguments->operand_count; i++)
        text_addf(&words, "%s\"%s\"", i ? " " : "", arguments->operands[i]);
    bool sound = check_explorer(words.data, error);
    text_free(&words);
    return sound;
}

static bool try_sound(const struct checking *check, const struct words *words, struct error *error)
{
    struct arguments arguments;
    if (words->count < 2 || strcmp(words->word[0], "warpbook") != 0)
        return error_set(error, EXIT_WRONG, "'try' is a command, as in 'warpbook sim banks/8'");
    const struct command *command = command_named(check->commands, words->word[1], error);
    return command &&
           arguments_read(command, (int)words->count - 2, (char *const *)words->word + 2, &arguments,
                          error) &&
           operands_sound(check, &arguments, error);
}

static void check_try(const struct term_file *file)
{
    struct words words;
    struct error error;
    if (!file->term->try)
        return;
    bool split = words_split(file->term->try, &words, &error);
    if (!split || !try_sound(file->check, &words, &error))
        say(file->check, &file->source, line_of_key(file, "try"), NULL, "%.*s",
            (int)strcspn(error.text, "\n"), error.text);
    if (split)
        words_free(&words);
}

// ---- all of them ------------------------------------------------------------------------------------------

static void check_one(struct checking *check, const char *folder, bool own, const struct glossary *glossary,
                      const struct term *term)
{
    struct error error;
    struct text text = { 0 };
    char name[200];
    format_into(name, sizeof name, "%s.md", term->file);
    char *path = path_join(folder, name);
    bool read = file_read(path, &text, &error);
    const struct term_file file = { check, term, own, { path, text_string(&text) } };
    if (!read) {
        check_said(check, &error);
    } else {
        check_widths(check, &file.source, SOURCE_CELLS);
        check_sentence(&file);
        check_length(&file);
        check_names(&file, glossary);
        check_see(&file);
        check_try(&file);
        check_links(check, &file.source, term->blocks, term->block_count);
    }
    text_free(&text);
    free(path);
}

static bool is_shipped(const char *folder)
{
    char *shipped = path_shipped("lessons/glossary"), *here = realpath(folder, NULL),
         *there = shipped ? realpath(shipped, NULL) : NULL;
    bool same = here && there && strcmp(here, there) == 0;
    free(there);
    free(here);
    free(shipped);
    return same;
}

static void check_terms(struct checking *check, const char *folder, const struct glossary *glossary)
{
    bool own = !is_shipped(folder);
    for (size_t i = 0; i < glossary->count; i++)
        check_one(check, folder, own, glossary, &glossary->list[i]);
    check->term_count += glossary->count;
}

// ---- targets of links -------------------------------------------------------------------------------------

static bool has_lesson(const char *folder, const char *name)
{
    char *below = path_join(folder, name), *file = path_join(below, "lesson.md");
    bool has = file_exists(file);
    free(file);
    free(below);
    return has;
}

static void find_lessons(const char *folder, struct check_names *out)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, lesson_is_folder, alphasort);
    for (int i = 0; i < count; i++) {
        if (has_lesson(folder, entries[i]->d_name))
            check_names_add(out, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

// ---- folders ----------------------------------------------------------------------------------------------

static void say_error(void *context, const struct error *error)
{
    check_said(context, error);
}

static void check_path(struct checking *check, const char *folder)
{
    struct lesson lesson;
    char *path = path_join(folder, "lesson.md");
    size_t errors = check->errors;
    if (lesson_read_around(&lesson, path, say_error, check)) {
        check->partial = check->errors > errors;
        check_lesson(check, &lesson, errors);
        lesson_free(&lesson);
    }
    free(path);
}

static void check_all_lessons(struct checking *check, const char *folder, const struct check_names *names)
{
    for (size_t i = 0; i < names->count && !waiting_stopped(); i++) {
        char *below = path_join(folder, names->list[i]);
        struct error error;
        int number = lesson_number(names->list[i]);
        if (i && number && number == lesson_number(names->list[i - 1])) {
            error_set(&error, EXIT_WRONG, "%s: error: %s has the same number; give one another", below,
                      names->list[i - 1]);
            check_said(check, &error);
        }
        check_path(check, below);
        free(below);
    }
}

static void read_terms(struct checking *check, const char *folder)
{
    struct error error;
    glossary_free(&check->terms[1]);
    if (!glossary_read_around(folder, say_error, check, &check->terms[1], &error))
        check_said(check, &error);
}

static char *parent_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash == folder ? mem_copy("/")
           : slash         ? mem_copy_n(folder, (size_t)(slash - folder))
                           : mem_copy(".");
}

// A folder of lessons, with its glossary.
static bool check_room(struct checking *check, const char *folder, struct error *error)
{
    struct check_names names = { 0 };
    char *glossary = path_join(folder, "glossary");
    bool terms = file_exists(glossary);
    find_lessons(folder, &names);
    bool found = names.count || terms;
    if (!found)
        error_set(error, EXIT_USAGE,
                  "%s holds no lessons. A lesson is a folder NN-name with a lesson.md, and terms lie in a "
                  "folder glossary.",
                  folder);
    for (size_t i = 0; i < names.count; i++)
        check_names_add(&check->lessons, names.list[i]);
    if (terms)
        read_terms(check, glossary);
    check_all_lessons(check, folder, &names);
    if (terms && !waiting_stopped())
        check_terms(check, glossary, &check->terms[1]);
    check_names_free(&names);
    free(glossary);
    return found;
}

// One lesson, a glossary, or a folder of lessons.
static bool check_folder(struct checking *check, const char *given, struct error *error)
{
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/')
        length--;
    char *plain = mem_copy_n(given, length), *real = realpath(plain, NULL);
    if (!real || plain[length - 1] != '.') {
        free(real);
        real = mem_copy(plain);
    }
    char *file = path_join(real, "lesson.md"), *parent = parent_of(real),
         *beside = path_join(parent, "glossary");
    bool done = true;
    if (!file_exists(real)) {
        done = error_set(error, EXIT_USAGE, "There is no folder %s.", real);
    } else if (file_exists(file)) {
        find_lessons(parent, &check->lessons);
        if (file_exists(beside))
            read_terms(check, beside);
        check_path(check, real);
    } else if (string_ends(real, "glossary")) {
        find_lessons(parent, &check->lessons);
        read_terms(check, real);
        check_terms(check, real, &check->terms[1]);
    } else {
        done = check_room(check, real, error);
    }
    free(beside);
    free(parent);
    free(file);
    free(real);
    free(plain);
    return done;
}

static bool check_folders(struct checking *check, const struct arguments *arguments, struct error *error)
{
    char *shipped = path_shipped("lessons"), here[4096];
    bool done = glossary_read(NULL, &check->terms[0], error);
    if (!done && file_exists(shipped)) { // the folder's own errors are said where it is checked
        error->text[0] = 0;
        done = true;
    }
    if (done)
        find_lessons(shipped, &check->lessons);
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = length && strncmp(shipped, here, length) == 0 && shipped[length] == '/';
    if (done && !arguments->operand_count)
        done = check_folder(check, below ? shipped + length + 1 : shipped, error);
    for (size_t i = 0; done && !waiting_stopped() && i < arguments->operand_count; i++)
        done = check_folder(check, arguments->operands[i], error);
    free(shipped);
    return done;
}

// ---- the outcome ------------------------------------------------------------------------------------------

static void print_missing(const struct checking *check)
{
    struct text names = { 0 };
    if (!check->not_run.count)
        return;
    text_addf(&names, "Not run, because something is missing here: ");
    for (size_t i = 0; i < check->not_run.count; i++)
        text_addf(&names, "%s%s", i ? ", " : "", check->not_run.list[i]);
    paper_wrap(&check->paper, ROLE_NOTE, 0, names.data);
    paper_lines(&check->paper, ROLE_TEXT, 2, check->missing);
    text_free(&names);
}

static int print_end(const struct checking *check)
{
    const struct paper *paper = &check->paper;
    char sum[40];
    format_into(sum, sizeof sum, "%zu lesson%s", check->lesson_count, check->lesson_count == 1 ? "" : "s");
    print_counts(paper, ROLE_TITLE, sum, check->counts);
    paper_put(paper, ROLE_TITLE, "\n");
    if (check->term_count)
        paper_put(paper, ROLE_TITLE, "%zu term%s\n", check->term_count, check->term_count == 1 ? "" : "s");
    print_missing(check);
    if (check->errors)
        paper_put(paper, ROLE_BAD, "%zu error%s\n", check->errors, check->errors == 1 ? "" : "s");
    else if (!check->not_run.count)
        paper_put(paper, ROLE_GOOD, check->fast ? "No errors; no kernel was run.\n" : "No errors.\n");
    return check->errors ? EXIT_WRONG : check->not_run.count ? EXIT_MISSING : EXIT_RIGHT;
}

int command_check(const struct arguments *arguments)
{
    struct checking check = { .commands = arguments->commands, .paper = paper_open(stdout) };
    struct error error;
    check.fast = arguments_has(arguments, "--fast");
    check.client = waiting_client(arguments, &error);
    if (!check.client)
        return fail(&error);
    waiting_begin(&check.waiting);
    bool done = check_folders(&check, arguments, &error);
    waiting_wipe(&check.waiting);
    fflush(stdout);
    client_free(check.client);
    int stopped = waiting_end(&check.waiting);
    int status = stopped ? stopped : done ? print_end(&check) : fail(&error);
    glossary_free(&check.terms[0]);
    glossary_free(&check.terms[1]);
    check_names_free(&check.lessons);
    check_names_free(&check.not_run);
    check_runs_free(&check);
    free(check.missing);
    return status;
}
