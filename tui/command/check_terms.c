// Terms: one sentence first, at most twenty lines, links that lead somewhere, a command that can be typed.
#include "tui/command/check.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 20 };

struct term_file {
    struct checking *check;
    const struct term *term;
    bool own; // not what ships
    char *path;
    struct text text;
};

// The line of the file's start with this key; 1: none.
static int line_of_key(const struct term_file *file, const char *key)
{
    int line = 1;
    for (const char *at = text_string(&file->text); *at; line++) {
        if (string_starts(at, key) && at[strlen(key)] == ':')
            return line;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return 1;
}

static void say(const struct term_file *file, int line, const char *word, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say(const struct term_file *file, int line, const char *word, const char *format, ...)
{
    struct text message = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&message, format, args);
    va_end(args);
    check_error(file->check, file->path, text_string(&file->text), line, word, "%s", text_string(&message));
    text_free(&message);
}

// ---- the text -----------------------------------------------------------------------------------------------------

static void check_sentence(const struct term_file *file)
{
    const struct term *term = file->term;
    const char *sentence = term->sentence;
    int line = term->block_count ? term->blocks[0].line : 1;
    if (!string_ends(sentence, "."))
        say(file, line, NULL, "the first paragraph is one sentence with a '.' at its end");
    for (const char *at = sentence; (at = strstr(at, ". ")); at += 2)
        if (isupper((unsigned char)at[2]))
            say(file, check_line_of(text_string(&file->text), line, at + 2), NULL,
                "the first paragraph is one sentence; the rest stands behind an empty line");
}

// Comments are no text, nor are the empty lines around them.
static void check_length(const struct term_file *file)
{
    int line = 1, fences = 0, body = 0, last = 0, comments = 0;
    bool comment = false;
    for (const char *at = text_string(&file->text); *at; line++) {
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
        at += length;
        at += *at == '\n';
    }
    if (body && last - body + 1 > LINES_MOST)
        say(file, body + LINES_MOST, NULL, "a term's text has at most %d lines, not %d", LINES_MOST,
            last - body + 1);
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

// Of two terms with one name the later one is said.
static void check_names(const struct term_file *file, const struct glossary *glossary)
{
    const struct term *term = file->term;
    for (size_t i = 0; i <= term->also_count; i++) {
        const char *name = i ? term->also[i - 1] : term->name;
        const struct term *first = glossary_find(glossary, name);
        int line = check_line_of(text_string(&file->text), line_of_key(file, i ? "also" : "name"), name);
        if (first && first != term)
            say(file, line, name, "%s.md is called '%s' too", first->file, name);
        else if (file->own && (first = glossary_find(&file->check->terms[0], name)) && is_called(first, name))
            say(file, line, name, "the term '%s' that ships with warpbook is called '%s' too", first->name,
                name);
    }
}

static void check_see(const struct term_file *file)
{
    const struct term *term = file->term;
    for (size_t i = 0; i < term->see_count; i++) {
        const struct term *to = check_term(file->check, term->see[i]);
        int line = check_line_of(text_string(&file->text), line_of_key(file, "see"), term->see[i]);
        if (!to)
            say(file, line, term->see[i], "no term is called '%s'", term->see[i]);
        else if (strcmp(to->name, term->name) == 0)
            say(file, line, term->see[i], "a term does not lead to itself");
    }
}

// ---- the command --------------------------------------------------------------------------------------------------

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
        return place_check(first, error);
    format_into(link, sizeof link, "lesson:%s", first);
    if (strcmp(name, "lesson") == 0)
        return link_check(check, link, error);
    if (strcmp(name, "explore") != 0)
        return true;
    struct text words = { 0 };
    for (size_t i = 0; i < arguments->operand_count; i++)
        text_addf(&words, "%s\"%s\"", i ? " " : "", arguments->operands[i]);
    bool sound = explorer_check(words.data, error);
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
        say(file, line_of_key(file, "try"), NULL, "%.*s", (int)strcspn(error.text, "\n"), error.text);
    if (split)
        words_free(&words);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static void check_one(struct checking *check, const char *folder, bool own, const struct glossary *glossary,
                      const struct term *term)
{
    struct term_file file = { .check = check, .term = term, .own = own };
    struct error error;
    char name[200];
    format_into(name, sizeof name, "%s.md", term->file);
    file.path = path_join(folder, name);
    if (!file_read(file.path, &file.text, &error)) {
        check_said(check, &error);
    } else {
        check_widths(check, file.path, file.text.data);
        check_sentence(&file);
        check_length(&file);
        check_names(&file, glossary);
        check_see(&file);
        check_try(&file);
        check_links(check, file.path, file.text.data, term->blocks, term->block_count);
    }
    text_free(&file.text);
    free(file.path);
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

void check_terms(struct checking *check, const char *folder, const struct glossary *glossary)
{
    bool own = !is_shipped(folder);
    for (size_t i = 0; i < glossary->count; i++)
        check_one(check, folder, own, glossary, &glossary->list[i]);
    check->counts.terms += glossary->count;
}
