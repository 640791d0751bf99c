// Code that a learner shows the instructor, each time by choice: the whole text is on the learner's screen before the room
// is told a line of it. It travels in pieces that are lines of the learner's own file, and counts when it is whole.
#include "tui/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/room/room.h"

// A byte of a piece may take six in JSON, and a line has JOURNAL_LINE_MOST.
enum { CODE_MOST = 32768, PIECE_BYTES = 600 };

// ---- the learner ---------------------------------------------------------------------------------------------

static bool agrees(const struct member *member, const char *code)
{
    char answer[16];
    struct paper paper = paper_open(stdout);
    char *words = text_format("%zu bytes of code, all of the above, go to the instructor of %s, under your "
                              "account's name. The class does "
                              "not see them. They stay in the room until it is closed.",
                              strlen(code), member->word);
    paper_put(&paper, ROLE_TEXT, "%s\n", code);
    paper_wrap(&paper, ROLE_TEXT, 0, words);
    free(words);
    printf("Show it? [y/N] ");
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y');
}

static bool tell_part(struct member *member, const char *is, const char *key, json_t *value,
                      struct error *error)
{
    json_t *fields = value ? json_pack("{s:s, s:o}", "is", is, key, value) : NULL;
    return fields ? member_keep(member, "source", fields, error)
                  : error_set(error, EXIT_USAGE, "The code must be UTF-8.");
}

// "begin" with the file's name, the pieces, and "end" with their number: a text that is not whole is none.
static bool tell_code(struct member *member, const char *name, const char *code, struct error *error)
{
    json_int_t pieces = 0;
    json_t *whole = json_string(code); // NULL: not UTF-8, which is said before anything is told
    bool fine = whole && tell_part(member, "begin", "file", json_string(name), error);
    if (!whole)
        error_set(error, EXIT_USAGE, "The code must be UTF-8.");
    for (size_t left = strlen(code), length; fine && left; code += length, left -= length, pieces++) {
        length = left < PIECE_BYTES ? left : PIECE_BYTES;
        while (length < left && ((unsigned char)code[length] & 0xc0) == 0x80)
            length--; // whole characters
        fine = tell_part(member, "text", "text", json_stringn(code, length), error);
    }
    json_decref(whole);
    return fine && tell_part(member, "end", "count", json_integer(pieces), error);
}

static int show_code(struct member *member, const char *path, const char *code, bool agreed)
{
    struct error error, later;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strlen(code) > CODE_MOST) {
        error_set(&error, EXIT_USAGE, "%s has %zu bytes; code that is shown has at most %d.", name,
                  strlen(code), CODE_MOST);
        return fail(&error);
    }
    if (!agreed && !agrees(member, code)) {
        puts("Nothing was shown.");
        return EXIT_WRONG;
    }
    if (!tell_code(member, name, code, &error))
        return fail(&error);
    if (member_deliver(member, &later))
        printf("The instructor of %s can read %s.\n", member->word, name);
    else
        printf("Kept, and sent as soon as the room can be reached: %s\n", later.text);
    return EXIT_RIGHT;
}

// The text of a file, whatever is wrong with it: that is what a learner who is stuck wants to show. Or of a step.
static bool read_code(const char *operand, struct text *code, char **path, struct error *error)
{
    struct target target;
    if (file_exists(operand)) {
        *path = mem_copy(operand);
        return file_read(operand, code, error);
    }
    if (!target_read(operand, &target, error))
        return false;
    bool fine = target.variant;
    if (fine) {
        text_add(code, target.variant->text);
        *path = mem_copy(target.variant->path);
    } else {
        error_set(error, EXIT_USAGE, "show-my-code takes one kernel: a file, or LAB/STEP.");
    }
    target_free(&target);
    return fine;
}

int command_show_my_code(const struct arguments *arguments)
{
    struct error error;
    struct text code = { 0 };
    char *path = NULL;
    struct member *member = member_open(&error);
    int status;
    if (!member && error.code == EXIT_RIGHT)
        error_set(&error, EXIT_USAGE, "You are not in a room. 'warpbook join WORD' joins one.");
    if (member && read_code(arguments->operands[0], &code, &path, &error))
        status = show_code(member, path, text_string(&code), arguments_has(arguments, "--yes"));
    else
        status = fail(&error);
    member_close(member);
    text_free(&code);
    free(path);
    return status;
}

// ---- the instructor ------------------------------------------------------------------------------------------

struct shown_code { // while a learner's lines are read
    struct text coming, whole;
    char coming_file[64], file[64];
    json_int_t pieces;
    bool begun, is_whole;
};

static void take_code(void *context, const json_t *line)
{
    struct shown_code *code = context;
    const char *kind = json_string_value(json_object_get(line, "kind")),
               *is = json_string_value(json_object_get(line, "is")),
               *text = json_string_value(json_object_get(line, "text"));
    if (!kind || !is || strcmp(kind, "source") != 0)
        return;
    if (strcmp(is, "begin") == 0) {
        text_free(&code->coming);
        line_text(line, "file", code->coming_file, sizeof code->coming_file);
        code->pieces = 0;
        code->begun = true;
    } else if (strcmp(is, "text") == 0 && code->begun && text && code->coming.length <= CODE_MOST) {
        text_add(&code->coming, text);
        code->pieces++;
    } else if (strcmp(is, "end") == 0 && code->begun &&
               json_integer_value(json_object_get(line, "count")) == code->pieces) {
        text_free(&code->whole);
        code->whole = code->coming;
        code->coming = (struct text){ 0 };
        memcpy(code->file, code->coming_file, sizeof code->file);
        code->is_whole = true;
        code->begun = false;
    }
}

bool code_print(const struct room_person *person, struct error *error)
{
    struct shown_code code = { .pieces = 0 };
    struct journal journal = { .path = mem_copy(person->journal.path), .owner = person->uid };
    journal_look(&journal, SIZE_MAX, take_code, &code);
    journal_free(&journal);
    struct paper paper = paper_open(stdout);
    if (code.is_whole) {
        paper_put(&paper, ROLE_TITLE, "%s, of %s\n\n", code.file, person->as);
        paper_put(&paper, ROLE_TEXT, "%s\n", text_string(&code.whole));
    } else {
        error_set(error, EXIT_USAGE, "%s has shown no code. Learners do so by 'warpbook show-my-code FILE'.",
                  person->as);
    }
    text_free(&code.coming);
    text_free(&code.whole);
    return code.is_whole;
}
