// Helpers of a room: accounts of the instructor's choice that see the class as the instructor does, and tell nothing. What
// learners told can be read by who knows its names, and those are on the roster. So a helper asks for it in a file like a
// learner's, and the instructor's processes answer under the same secret name.
//
//   in/TOKEN.jsonl   a helper     {"kind":"desk"}
//   out/TOKEN.json   instructor   {"roster":[...],"closes":[...]}, written anew when there is more
#include "engine/room/queue.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_AT = ROOM_TOKEN - 1 };

bool helper_named(json_t *with, const char *name, struct error *error)
{
    const struct passwd *user = getpwnam(name);
    if (!user)
        return error_set(error, EXIT_USAGE, "There is no account '%.40s' here that could help.", name);
    json_object_set_new(with, name, json_integer((json_int_t)user->pw_uid));
    return true;
}

bool helper_is(const struct room *room, uid_t uid)
{
    const char *name;
    json_t *number;
    json_object_foreach(json_object_get(room->json, "with"), name,
                        number) if (json_is_integer(number) &&
                                    json_integer_value(number) == (json_int_t)uid) return true;
    return false;
}

void helper_names(const json_t *json, struct text *out)
{
    const char *name;
    json_t *number;
    char clean[ROOM_NAME];
    json_object_foreach(json_object_get(json, "with"), name, number)
    {
        clean_line(name, clean, sizeof clean);
        text_addf(out, "%s%s", out->length ? ", " : "", clean);
    }
}

// ---- the helper's end -----------------------------------------------------------------------------------------------

// The token under which this account asked in this very room; it is kept, so that each is asked for one.
static bool own_token(const struct room *room, char token[ROOM_TOKEN], struct error *error)
{
    struct text kept = { 0 };
    struct error unused;
    const char *at = json_string_value(json_object_get(room->json, "at"));
    char *path = path_own("rooms/desk"), *of = text_format("%s %s", room->folder, at ? at : "");
    bool known = path && private_read(path, &kept, &unused) && kept.length > TOKEN_AT &&
                 strcmp(kept.data + TOKEN_AT, of) == 0;
    format_into(token, ROOM_TOKEN, "%.*s", TOKEN_AT, known ? kept.data : "");
    bool fine = known && room_token_fits(token);
    if (!fine && (fine = room_token_new(token, error))) {
        char *words = text_format("%s%s", token, of);
        fine = path ? private_replace(path, words, strlen(words), error)
                    : error_set(error, EXIT_MISSING, "There is no folder of your own; set WARPBOOK_HOME.");
        free(words);
    }
    text_free(&kept);
    free(path);
    free(of);
    return fine;
}

bool helper_ask(const struct room *room, char token[ROOM_TOKEN], struct error *error)
{
    if (!own_token(room, token, error))
        return false;
    char *below = text_format("in/%s.jsonl", token), *path = room_path(room, below);
    json_t *line = json_pack("{s:i, s:i, s:s}", "v", 1, "n", 1, "kind", "desk");
    bool asked = access(path, F_OK) == 0 || journal_add(path, 0644, line, error);
    json_decref(line);
    free(path);
    free(below);
    return asked;
}

json_t *helper_told(const struct room *room, const char *token)
{
    char name[QUEUE_NAME];
    format_into(name, sizeof name, "%s.json", token);
    return queue_answer(room, name);
}

// ---- the instructor's end -----------------------------------------------------------------------------------------------

static void take_line(void *lines, const json_t *line)
{
    json_array_append_new(lines, json_deep_copy(line));
}

static json_t *lines_of(const struct room *room, const char *below)
{
    json_t *lines = json_array();
    struct journal journal = { .path = room_path(room, below), .owner = room->owner };
    journal_look(&journal, SIZE_MAX, take_line, lines);
    journal_free(&journal);
    return lines;
}

static void tell(const struct room *room, const char *token, const json_t *what)
{
    struct error later; // it is told at the next look
    char name[QUEUE_NAME];
    format_into(name, sizeof name, "%s.json", token);
    json_t *before = queue_answer(room, name);
    if (!json_equal(before, what))
        (void)queue_say(room, name, what, &later);
    json_decref(before);
}

void helper_tell(const struct room *room, const json_t *helpers)
{
    struct error unused;
    int lock = json_object_size(helpers) ? room_lock(room, &unused) : -1;
    if (lock < 0)
        return;
    const char *token;
    json_t *unseen, *what = json_pack("{s:o, s:o}", "roster", lines_of(room, "keep/roster.jsonl"), "closes",
                                      lines_of(room, "keep/closes.jsonl"));
    json_object_foreach((json_t *)helpers, token, unseen) tell(room, token, what);
    json_decref(what);
    close(lock);
}
