// Rooms on the command line: the learner's commands.
#include "tui/tui.h"

#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/room/queue.h"
#include "engine/room/reach.h"

static const char *full_name(uid_t uid, char *out, size_t size)
{
    const struct passwd *user = getpwuid(uid);
    char raw[200];
    int length = user ? (int)strcspn(user->pw_gecos, ",") : 0;
    format_into(raw, sizeof raw, length ? "%s (%.*s)" : "%s", user ? user->pw_name : "a user without a name",
                length, user ? user->pw_gecos : "");
    format_clean(out, size, raw, strlen(raw));
    return out;
}

// What joining shares, and with whom, before anything is written. `place`: where the room is.
static bool agrees(const char *word, const char *title, const char *owner, const char *place,
                   const json_t *room)
{
    char answer[16];
    struct paper paper = paper_open(stdout);
    struct text helpers = { 0 };
    helper_names(room, &helpers);
    char *words = text_format(
        "The room %s, \"%s\", belongs to %s. The instructor%s%s%s will see: that you are here, where you are "
        "in "
        "the "
        "lessons, whether your answers and tasks are right, your light and your votes, under your account's "
        "name. The class sees a pseudonym and sums. Times, code and notes are not shared. All of it is in "
        "the "
        "folder %s until the room is closed. 'warpbook shares' shows every line that you told, and 'warpbook "
        "leave' ends it.",
        word, title, owner, helpers.length ? " and who helps (" : "", text_string(&helpers),
        helpers.length ? ")" : "", place);
    text_free(&helpers);
    paper_wrap(&paper, ROLE_TEXT, 0, words);
    free(words);
    printf("Join? [y/N] ");
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y');
}

// The room that the word names, as a path: on another machine that of its mirror. NULL: an error, or (EXIT_RIGHT in it)
// the learner does not want to.
static char *find_room(const char *word, bool agreed, struct error *error)
{
    char name[200];
    struct room room;
    struct reach_room there;
    char *path = NULL;
    if (reach_means(word)) {
        // All that follows goes through one connection, which may ask for a password here. Where none can be kept, each
        // process of the learner makes one.
        if (reach_fits(word, error))
            (void)connect_for(strchr(word, '@') + 1);
        if (!reach_look(word, &there, error))
            return NULL;
        char *place = text_format("of the room on %s", strchr(word, '@') + 1);
        error->code = EXIT_RIGHT;
        if (agreed || agrees(there.word, there.title, there.owner, place, there.json))
            path = reach_mirror(word, &there, error);
        free(place);
        reach_room_free(&there);
    } else if (room_open(word, &room, error)) {
        error->code = EXIT_RIGHT;
        if (agreed ||
            agrees(room.word, room.title, full_name(room.owner, name, sizeof name), room.folder, room.json))
            path = mem_copy(room.folder);
        room_free(&room);
    }
    return path;
}

int command_join(const struct arguments *arguments)
{
    struct error error;
    const char *as = arguments_value(arguments, "--as");
    if (as && !room_pseudonym_fits(as)) {
        error_set(&error, EXIT_USAGE,
                  "--as takes a pseudonym: an animal in small letters, a dash and a number, such as "
                  "otter-12. Those who work beside you see it.");
        return fail(&error);
    }
    char *path = find_room(arguments->operands[0], arguments_has(arguments, "--yes"), &error);
    if (!path && error.code == EXIT_RIGHT) {
        puts("Not joined; nothing was written.");
        return EXIT_WRONG;
    }
    struct member *member = NULL;
    bool joined = path && member_join(path, as, WARPBOOK_VERSION, &member, &error);
    free(path);
    if (!joined)
        return fail(&error);
    printf("You are in %s as %s. 'warpbook leave' leaves it.\n", member->word, member->as);
    puts("In warpbook, ! says that you are stuck and + that you are done; 'warpbook light' does so here.");
    json_t *queue = queue_state(&member->room);
    if (json_object_get(json_object_get(queue, "machine"), "gpu"))
        puts("The room has a GPU for you: export WARPBOOK_WORKER='warpbook worker --room'");
    json_decref(queue);
    member_close(member);
    return EXIT_RIGHT;
}

// The room that the learner is in; NULL: none, and that was said.
static struct member *seat(struct error *error)
{
    struct member *member = member_open(error);
    if (!member && error->code == EXIT_RIGHT)
        error_set(error, EXIT_USAGE, "You are not in a room. 'warpbook join WORD' joins one.");
    return member;
}

// Tells it; what cannot be delivered now is kept, and that is said.
static bool tell(struct member *member, const char *kind, json_t *fields, struct error *error)
{
    struct error later;
    if (!member_keep(member, kind, fields, error))
        return false;
    if (!member_deliver(member, &later)) {
        struct paper paper = paper_open(stderr);
        paper_wrap(&paper, ROLE_NOTE, 0, later.text);
        paper_wrap(&paper, ROLE_NOTE, 0, "It is kept, and sent by the next warpbook that reaches the room.");
    }
    return true;
}

int command_leave(const struct arguments *arguments)
{
    (void)arguments;
    struct error error;
    struct member *member = seat(&error);
    bool left = member && member_leave(member, &error);
    if (left)
        printf("You left %s.\n", member->word);
    member_close(member);
    return left ? EXIT_RIGHT : fail(&error);
}

int command_light(const struct arguments *arguments)
{
    static const char *const lights[] = { "red", "green", "none", NULL };
    struct error error;
    const char *is = arguments->operands[0];
    size_t i = 0;
    while (lights[i] && strcmp(lights[i], is) != 0)
        i++;
    if (!lights[i]) {
        error_set(&error, EXIT_USAGE, "A light is red (stuck), green (done) or none, not '%s'.", is);
        return fail(&error);
    }
    struct text words = { 0 };
    for (i = 1; i < arguments->operand_count; i++)
        text_addf(&words, "%s%s", i > 1 ? " " : "", arguments->operands[i]);
    struct member *member = seat(&error);
    json_t *fields = json_pack("{s:s, s:s}", "is", is, "text", text_string(&words));
    bool told = member && (fields || error_set(&error, EXIT_USAGE, "The words must be UTF-8."));
    if (told)
        told = tell(member, "light", fields, &error);
    else
        json_decref(fields);
    if (told)
        printf("Your light is %s.\n", strcmp(is, "none") == 0 ? "off" : is);
    text_free(&words);
    member_close(member);
    return told ? EXIT_RIGHT : fail(&error);
}

// Entering a leaderboard is the learner's wish, and so is leaving it.
static int tell_entry(const struct arguments *arguments, const char *kind, const char *done)
{
    struct error error;
    const struct lab *lab;
    if (!target_lab(arguments->operands[0], &lab, &error))
        return fail(&error);
    struct member *member = seat(&error);
    bool told = member && member_tell(member, kind, json_pack("{s:s}", "lab", lab->name), &error);
    if (told) {
        struct paper paper = paper_open(stdout);
        char *words = text_format(done, lab->name, member->as);
        paper_wrap(&paper, ROLE_TEXT, 0, words);
        free(words);
    }
    member_close(member);
    return told ? EXIT_RIGHT : fail(&error);
}

int command_enter(const struct arguments *arguments)
{
    return tell_entry(
        arguments, "enter",
        "Runs of %s that the class queue has done enter the leaderboards, as %s: at full size on its "
        "GPU, and --on sim. Both go there by WARPBOOK_WORKER='warpbook worker --room'.");
}

int command_withdraw(const struct arguments *arguments)
{
    return tell_entry(arguments, "withdraw", "%s: you are no longer on its leaderboard, %s.");
}

// ---- leaderboards ----------------------------------------------------------------------------------------------

// Exact numbers, or a median with its share of the ceiling, and its interval where there is room for it.
static void print_result(const struct paper *paper, const json_t *row)
{
    char time[32], low[32], high[32];
    const json_t *share = json_object_get(row, "pct"), *counts = json_object_get(row, "counts");
    for (size_t i = 0; i < LEADERS_COUNTS && counts; i++)
        paper_put(paper, i ? ROLE_DIM : ROLE_TEXT, " %10.0f", json_number_value(json_array_get(counts, i)));
    if (counts)
        return;
    unit_ms(json_number_value(json_object_get(row, "median_ms")), time, sizeof time);
    unit_ms(json_number_value(json_object_get(row, "low_ms")), low, sizeof low);
    unit_ms(json_number_value(json_object_get(row, "high_ms")), high, sizeof high);
    paper_put(paper, ROLE_TEXT, " %10s", time);
    if (json_is_number(share))
        paper_put(paper, ROLE_DIM, " %5.1f %%", json_number_value(share));
    else
        paper_put(paper, ROLE_DIM, "        ");
    if (paper->width >= 64)
        paper_put(paper, ROLE_DIM, "  %s to %s", low, high);
}

static void print_leader(const struct paper *paper, const json_t *row, bool shared, const char *own,
                         const char *as)
{
    char name[ROOM_NAME], hash[17], place[8];
    line_text(row, "as", name, sizeof name);
    line_text(row, "hash", hash, sizeof hash);
    bool mine = strcmp(hash, own) == 0;
    format_into(place, sizeof place, "%d%s", (int)json_integer_value(json_object_get(row, "place")),
                shared ? "=" : " ");
    char *who = mine ? text_format("you, %s", as) : mem_copy(name);
    paper_put(paper, mine ? ROLE_TITLE : ROLE_TEXT, "%4s %-15.15s", place, who);
    print_result(paper, row);
    paper_put(paper, ROLE_TEXT, "\n");
    free(who);
}

static void print_board(const struct paper *paper, const json_t *board, const struct member *member)
{
    char device[80], data[32], own[17];
    const json_t *rows = json_object_get(board, "rows");
    bool there = false;
    room_hash(member->token, own);
    line_text(board, "device", device, sizeof device);
    line_text(board, "data", data, sizeof data);
    bool simulated = !*device;
    paper_put(paper, ROLE_TITLE, "%s%s%s\n", simulated ? "Simulator, small" : device, *data ? ", " : "",
              data);
    paper_put(paper, ROLE_DIM, "%d entered; %s\n", (int)json_integer_value(json_object_get(board, "entered")),
              simulated            ? "sectors, wavefronts, instructions"
              : paper->width >= 64 ? "median, of the GPU's ceiling, 95 % interval"
                                   : "median, of the ceiling");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        json_int_t place = json_integer_value(json_object_get(row, "place"));
        bool shared = false;
        for (size_t j = i ? i - 1 : 0; j <= i + 1 && j < json_array_size(rows); j++)
            shared =
                shared ||
                (j != i && json_integer_value(json_object_get(json_array_get(rows, j), "place")) == place);
        char hash[17];
        line_text(row, "hash", hash, sizeof hash);
        bool mine = strcmp(hash, own) == 0;
        there = there || mine;
        if (i < BOARD_NAMED || mine)
            print_leader(paper, row, shared, own, member->as);
    }
    if (!there)
        paper_put(paper, ROLE_DIM, "You are not among them.\n");
}

int command_leaders(const struct arguments *arguments)
{
    struct error error;
    const struct lab *lab;
    if (!target_lab(arguments->operands[0], &lab, &error))
        return fail(&error);
    struct member *member = seat(&error);
    struct notices notices = { 0 };
    bool fine = member && member_look(member, &notices, true, &error); // the queue's state comes with them
    json_t *state = fine ? queue_state(&member->room) : NULL;
    if (fine && !json_object_size(state)) // over ssh an empty one comes where there is none
        fine = error_set(
            &error, EXIT_MISSING,
            "Nobody serves the queue of the room %s, or the room cannot be reached now; its leaderboards "
            "come from there.",
            member->word);
    size_t shown = 0, i;
    const json_t *board;
    struct paper paper = paper_open(stdout);
    json_array_foreach(json_object_get(state, "boards"), i, board)
    {
        char name[64];
        line_text(board, "lab", name, sizeof name);
        if (strcmp(name, lab->name) != 0)
            continue;
        if (shown++)
            paper_put(&paper, ROLE_TEXT, "\n");
        print_board(&paper, board, member);
    }
    if (fine && !shown) {
        char *words = text_format(
            "A leaderboard of %s is shown once %d have entered it and the room's queue had a run of "
            "theirs, at full size on its GPU or in its simulator: 'warpbook enter %s', then "
            "'warpbook run %s'.",
            lab->name, BOARD_LEAST, lab->name, lab->name);
        paper_wrap(&paper, ROLE_TEXT, 0, words);
        free(words);
    }
    json_decref(state);
    notices_free(&notices);
    member_close(member);
    return fine ? EXIT_RIGHT : fail(&error);
}

// ---- votes -----------------------------------------------------------------------------------------------------

static void print_shares(const struct paper *paper, const struct poll *poll, size_t choice)
{
    for (size_t round = 0; round < 2; round++) {
        const json_t *counts = json_array_get(poll->shown, round);
        json_int_t votes = json_integer_value(json_array_get(counts, choice)), voted = 0;
        for (size_t i = 0; i < json_array_size(counts); i++)
            voted += json_integer_value(json_array_get(counts, i));
        if (voted > 0 && votes >= 0 && votes <= voted)
            paper_put(paper, ROLE_DIM, "     round %zu: %lld of %lld\n", round + 1, (long long)votes,
                      (long long)voted);
    }
}

static void print_vote(const struct lessons *lessons, const struct member *member, const struct poll *poll)
{
    static const char *const states[] = { "round 1 is open", "round 1 is closed", "round 2 is open",
                                          "round 2 is closed", "it is shown" };
    struct paper paper = paper_open(stdout);
    struct text ask = { 0 };
    vote_add_ask(lessons, poll, &ask);
    paper_put(&paper, ROLE_TITLE, "Vote %lld", (long long)poll->number);
    paper_put(&paper, ROLE_TEXT, ", %s\n\n", states[poll->state]);
    paper_wrap(&paper, ROLE_TEXT, 0, text_string(&ask));
    text_free(&ask);
    for (size_t i = 0, count = vote_choices(lessons, poll); i < count; i++) {
        struct text choice = { 0 };
        vote_add_choice(lessons, poll, i, &choice);
        bool own = member->vote.poll == poll->number && member->vote.round == poll_round(poll) &&
                   member->vote.choice == (int)i;
        paper_put(&paper, ROLE_TEXT, "  %zu) %s%s\n", i + 1, text_string(&choice), own ? "   your vote" : "");
        print_shares(&paper, poll, i);
        text_free(&choice);
    }
}

static bool vote(struct member *member, const struct lessons *lessons, const struct poll *poll,
                 const char *word, struct error *error)
{
    size_t known = vote_choices(lessons, poll), most = known ? known : POLL_CHOICES;
    char *end;
    unsigned long choice = strtoul(word, &end, 10);
    if (!poll_round(poll))
        return error_set(error, EXIT_USAGE, "Vote %lld is closed.", (long long)poll->number);
    if (!*word || *end || choice < 1 || choice > most)
        return error_set(error, EXIT_USAGE, "The choices of vote %lld are 1 to %zu, not '%s'.",
                         (long long)poll->number, most, word);
    json_t *fields = json_pack("{s:I, s:i, s:i}", "poll", poll->number, "round", poll_round(poll), "choice",
                               (int)choice - 1);
    bool told = tell(member, "vote", fields, error);
    if (told)
        printf("Your vote is %lu.\n", choice);
    return told;
}

int command_vote(const struct arguments *arguments)
{
    struct error error;
    struct lessons lessons = { 0 };
    struct notices notices = { 0 };
    struct member *member = seat(&error);
    bool fine = member && member_look(member, &notices, true, &error) && lessons_read(NULL, &lessons, &error);
    const struct poll *poll = notices.poll_count ? &notices.polls[notices.poll_count - 1] : NULL;
    if (fine && !poll)
        fine = error_set(&error, EXIT_USAGE, "The instructor has not asked for a vote yet.");
    else if (fine && arguments->operand_count)
        fine = vote(member, &lessons, poll, arguments->operands[0], &error);
    else if (fine)
        print_vote(&lessons, member, poll);
    notices_free(&notices);
    lessons_free(&lessons);
    member_close(member);
    return fine ? EXIT_RIGHT : fail(&error);
}

// ---- what is shared --------------------------------------------------------------------------------------------

// The learner's own lines, as they are or will be in the room.
static void print_line(void *context, const json_t *line)
{
    char *dumped = json_dumps(line, JSON_COMPACT);
    if (dumped)
        paper_put(context, ROLE_TEXT, "%s\n", dumped);
    free(dumped);
}

int command_shares(const struct arguments *arguments)
{
    (void)arguments;
    struct error error;
    struct notices notices = { 0 };
    struct member *member = seat(&error);
    struct paper paper = paper_open(stdout);
    char name[200];
    if (!member)
        return fail(&error);
    paper_put(&paper, ROLE_TITLE, "%s", member->word);
    bool reached = member_look(member, &notices, true, &error) && member_deliver(member, &error);
    member_named(member, notices_name(&notices, member->token));
    printf(", as %s", member->as);
    if (reached && !room_is_mirror(&member->room, NULL))
        printf("; the room belongs to %s", full_name(member->owner, name, sizeof name));
    puts(".");
    if (notices.ended)
        puts("The room has ended.");
    else if (!reached)
        paper_wrap(&paper, ROLE_NOTE, 0, error.text);
    if (*notices.said)
        printf("Instructor: %s\n", notices.said);
    if (*notices.follow[0])
        printf("The instructor is in %s, at \"%s\".\n", notices.follow[0], notices.follow[1]);
    printf("You told %lld %s", (long long)member->told, member->told == 1 ? "line" : "lines");
    if (reached)
        printf(", of which the room has %lld", (long long)member->delivered);
    puts(" (in them, \"choice\":0 is the first one):\n");
    struct journal all = { .path = mem_copy(member->kept.path), .owner = geteuid() };
    journal_look(&all, SIZE_MAX, print_line, &paper);
    journal_free(&all);
    notices_free(&notices);
    member_close(member);
    return EXIT_RIGHT;
}
