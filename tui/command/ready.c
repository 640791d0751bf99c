// ready: the check the day before a class. It does in small what the class will do, says what does not work, and prints a
// line that tells the instructor all of it.
#include "tui/tui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/room/room.h"
#include "tui/view/view.h"

struct readiness {
    struct paper paper;
    struct waiting waiting;
    struct client *client;
    struct text line, troubles; // to send; and the names of what failed
};

enum { WORDS_AT = 11 };

// A row for a person, and for the line to send a few words of it.
static void found(struct readiness *ready, const char *what, const char *words)
{
    paper_put(&ready->paper, ROLE_GOOD, "  right  ");
    paper_cell(&ready->paper, ROLE_TITLE, WORDS_AT, "%s", what);
    paper_put(&ready->paper, ROLE_TEXT, "%s\n", words);
}

static void trouble(struct readiness *ready, const char *what, const char *why)
{
    paper_put(&ready->paper, ROLE_BAD, "  wrong  ");
    paper_cell(&ready->paper, ROLE_TITLE, WORDS_AT, "%s", what);
    paper_put(&ready->paper, ROLE_TEXT, "%s\n", why);
    text_addf(&ready->troubles, "%s%s", ready->troubles.length ? ", " : "", what);
}

static void none(struct readiness *ready, const char *what, const char *words)
{
    paper_put(&ready->paper, ROLE_DIM, "  none   ");
    paper_cell(&ready->paper, ROLE_TITLE, WORDS_AT, "%s", what);
    paper_put(&ready->paper, ROLE_TEXT, "%s\n", words);
}

// ---- here ------------------------------------------------------------------------------------------------------

static void check_keys(struct readiness *ready, const struct vocabulary *known)
{
    struct error error;
    struct keys keys = { 0 };
    if (keys_read(&keys, known, &error))
        found(ready, "keys", "every line of your keys file, if you have one, is understood");
    else
        trouble(ready, "keys", error.text);
    keys_free(&keys);
}

// Something is written and read again: that tells of quotas and of disks that are full, too.
static void check_home(struct readiness *ready)
{
    static const char words[] = "warpbook ready\n";
    struct error error;
    struct text back = { 0 };
    char *path = path_own("ready-check"), *folder = path_own("");
    if (!path || !folder)
        trouble(ready, "folder", "There is no folder for your workbook; set WARPBOOK_HOME.");
    else if (!private_replace(path, words, strlen(words), &error) || !private_read(path, &back, &error))
        trouble(ready, "folder", error.text);
    else if (strcmp(text_string(&back), words) != 0)
        trouble(ready, "folder", "What was written there is not what can be read.");
    else
        found(ready, "folder", folder);
    if (path)
        (void)unlink(path);
    text_free(&back);
    free(path);
    free(folder);
}

// ---- the worker --------------------------------------------------------------------------------------------------

static void check_compilers(struct readiness *ready, const json_t *report)
{
    const json_t *compilers = json_object_get(report, "compilers");
    for (size_t i = 0; i < json_array_size(compilers); i++) {
        const json_t *compiler = json_array_get(compilers, i);
        const char *name = json_string_value(json_object_get(compiler, "name")),
                   *version = json_string_value(json_object_get(compiler, "version"));
        if (!json_is_true(json_object_get(compiler, "found")))
            continue;
        char *words = text_format("%s %s", name ? name : "", version ? version : "");
        found(ready, "compiler", words);
        text_addf(&ready->line, "; %s", name ? name : "a compiler");
        free(words);
        return;
    }
    none(ready, "compiler",
         "shipped steps run; kernels that you change need NVRTC or clang: 'doctor' says how");
    text_add(&ready->line, "; no compiler");
}

// A step of a lab, as a learner would run it.
static bool try_run(struct readiness *ready, const char *what, const char *run, struct text *words)
{
    struct lesson_run trial;
    struct record record;
    struct error error;
    if (!lesson_run_read(&trial, run, false, &error)) {
        trouble(ready, what, error.text);
        return false;
    }
    ready->waiting.what = what;
    bool ran = client_run(ready->client, &trial.request, waiting_show, &ready->waiting, &record, &error);
    waiting_wipe(&ready->waiting);
    lesson_run_free(&trial);
    if (!ran) {
        trouble(ready, what, error.text);
        return false;
    }
    bool right = record.status == STATUS_RIGHT;
    if (right)
        text_addf(words, "%s: right", record.variant ? record.variant : run);
    else if (record.message)
        text_add_clean(words, record.message, strcspn(record.message, "\n"));
    else
        record_check_words(&record, words);
    if (right && record.backend == ON_GPU) {
        char ms[32];
        unit_ms(record.median_ms, ms, sizeof ms);
        text_addf(words, ", %s", ms);
    }
    record_free(&record);
    if (!right)
        trouble(ready, what, text_string(words));
    return right;
}

static void check_simulator(struct readiness *ready)
{
    struct text words = { 0 };
    if (try_run(ready, "simulator", "vecadd/3-thread-per-element --on sim --size small", &words))
        found(ready, "simulator", text_string(&words));
    text_free(&words);
}

static void check_gpu(struct readiness *ready, const json_t *report)
{
    const json_t *gpu = json_object_get(report, "gpu");
    const char *name = json_string_value(json_object_get(gpu, "name"));
    struct text words = { 0 };
    if (!gpu) {
        none(ready, "gpu", "the simulator runs everything; times come recorded from other machines");
        text_add(&ready->line, "; no GPU");
        return;
    }
    if (try_run(ready, "gpu", "vecadd/3-thread-per-element --on gpu --size small", &words)) {
        text_addf(&words, " on %s", name ? name : "a GPU");
        found(ready, "gpu", text_string(&words));
        text_addf(&ready->line, "; %s", name ? name : "a GPU");
    }
    text_free(&words);
}

static void check_worker(struct readiness *ready)
{
    struct error error;
    json_t *report = NULL;
    ready->client = client_new();
    ready->waiting.what = "the worker";
    bool there = client_describe(ready->client, false, waiting_show, &ready->waiting, &report, &error);
    waiting_wipe(&ready->waiting);
    if (there) {
        check_compilers(ready, report);
        check_simulator(ready);
        check_gpu(ready, report);
    } else {
        trouble(ready, "worker", error.text);
    }
    json_decref(report);
    client_free(ready->client);
}

// ---- the room ----------------------------------------------------------------------------------------------------

static void check_word(struct readiness *ready, const char *word)
{
    struct error error;
    struct room room;
    if (!room_open(word, &room, &error)) {
        trouble(ready, "room", error.text);
        return;
    }
    char *words = text_format("%s, \"%s\"", room.word, room.title);
    found(ready, "room", words);
    free(words);
    room_free(&room);
}

// The room that was joined is told what came out, as a line that joins once more: by the name that it gave, where the one
// that was asked for was another's already.
static void check_joined(struct readiness *ready, struct member *member)
{
    struct error error;
    struct notices notices = { 0 };
    char asked[ROOM_NAME];
    bool fine = !ready->troubles.length;
    bool reached =
        member_look(member, &notices, true, &error) &&
        (!notices.ended || error_set(&error, EXIT_MISSING, "The room %s has ended.", member->word));
    memcpy(asked, member->as, sizeof asked);
    member_named(member, notices_name(&notices, member->token));
    reached = reached &&
              member_keep(
                  member, "join",
                  json_pack("{s:s, s:s, s:b}", "as", member->as, "warpbook", WARPBOOK_VERSION, "ready", fine),
                  &error) &&
              member_deliver(member, &error);
    bool renamed = strcmp(asked, member->as) != 0;
    char *words =
        text_format("%s knows that you are %s%s%s%s%s%s", member->word, fine ? "ready" : "not ready",
                    renamed ? "; you are " : "", renamed ? member->as : "", renamed ? " there, since " : "",
                    renamed ? asked : "", renamed ? " was taken" : "");
    if (reached)
        found(ready, "room", words);
    else
        trouble(ready, "room", error.text);
    free(words);
    notices_free(&notices);
}

static void check_room(struct readiness *ready, const char *word)
{
    struct error error;
    struct member *member = member_open(&error);
    if (member && (!word || strcmp(word, member->word) == 0))
        check_joined(ready, member);
    else if (word)
        check_word(ready, word);
    member_close(member);
}

int command_ready(const struct arguments *arguments)
{
    const struct vocabulary known = { page_list, arguments->commands, NULL };
    struct readiness ready = { .paper = paper_open(stdout) };
    waiting_begin(&ready.waiting);
    found(&ready, "warpbook", WARPBOOK_VERSION);
    check_keys(&ready, &known);
    check_home(&ready);
    check_worker(&ready);
    if (!waiting_stopped())
        check_room(&ready, arguments->operand_count ? arguments->operands[0] : NULL);
    int stopped = waiting_end(&ready.waiting);
    bool fine = !ready.troubles.length;
    paper_put(&ready.paper, ROLE_TEXT, "\n%s\n", "The line to send to the instructor:");
    paper_put(&ready.paper, ROLE_TITLE, "warpbook %s: %s%s%s%s\n", WARPBOOK_VERSION,
              fine ? "ready" : "not ready (", text_string(&ready.troubles), fine ? "" : ")",
              text_string(&ready.line));
    text_free(&ready.line);
    text_free(&ready.troubles);
    return stopped ? stopped : fine ? EXIT_RIGHT : EXIT_WRONG;
}
