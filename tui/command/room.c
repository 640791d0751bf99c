// Rooms on the command line: the instructor's commands. What they print is what the room's page shows.
#include "tui/tui.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/room/reach.h"

struct hosting { // what each of these commands works on
    struct desk desk;
    struct lessons lessons;
    struct workbook *workbook; // NULL: none
    struct error error;
};

// ---- opening and showing ----------------------------------------------------------------------------------------

// "17:30" as a date, today or, where that has passed, tomorrow.
static bool read_end(const char *clock, char *out, size_t size, struct error *error)
{
    struct tm when;
    time_t now = time(NULL);
    int hour, minute, used = 0;
    if (sscanf(clock, "%2d:%2d%n", &hour, &minute, &used) != 2 || clock[used] || hour < 0 || hour > 23 ||
        minute < 0 || minute > 59)
        return error_set(error, EXIT_USAGE, "--ends takes the time of day, such as 17:30, not '%.40s'.",
                         clock);
    localtime_r(&now, &when);
    bool passed = hour * 60 + minute <= when.tm_hour * 60 + when.tm_min;
    when.tm_mday += passed;
    when.tm_hour = hour;
    when.tm_min = minute;
    when.tm_sec = 0;
    when.tm_isdst = -1;
    time_t at = mktime(&when);
    struct tm utc;
    gmtime_r(&at, &utc);
    return strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0;
}

static bool name_helpers(const struct arguments *arguments, json_t *with, struct error *error)
{
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].flag, "--with") == 0 &&
            !helper_named(with, arguments->given[i].value, error))
            return false;
    return true;
}

// The rooms of this account, and those that it helps in. Without a paper, how many of the former are open.
static size_t own_rooms(const struct paper *paper)
{
    size_t all, count = 0;
    char **words = room_words(&all);
    struct desk last;
    struct error unused;
    bool known = desk_open(NULL, &last, &unused);
    for (size_t i = 0; i < all; i++) {
        struct room room;
        bool read = room_open(words[i], &room, &unused);
        free(words[i]);
        if (!read)
            continue;
        bool owns = room.owner == geteuid(), helps = !owns && helper_is(&room, geteuid());
        struct notices notices = { .journal = { .path = room_path(&room, "notices.jsonl"),
                                                .owner = room.owner } };
        notices_look(&notices);
        if (paper && (owns || helps)) {
            bool meant = known && strcmp(last.room.folder, room.folder) == 0;
            paper_put(paper, meant ? ROLE_TITLE : ROLE_TEXT, "%c %-16s", meant ? '*' : ' ', room.word);
            paper_put(paper, ROLE_TEXT, " %s, %s%s\n", notices.ended ? "closed" : "open",
                      helps ? "you help there, " : "", room.title);
        }
        count += paper ? owns || helps : owns && !notices.ended;
        notices_free(&notices);
        room_free(&room);
    }
    free(words);
    if (known)
        desk_close(&last);
    return count;
}

static int do_rooms(void)
{
    struct paper paper = paper_open(stdout);
    if (own_rooms(&paper))
        puts("\n'warpbook room WORD' goes to one of them; the star is the one that 'warpbook room' means.\n"
             "'warpbook room close WORD' closes one.");
    else
        puts("You have no room here. 'warpbook room open \"TITLE\"' opens one.");
    return EXIT_RIGHT;
}

// A room that is only there to measure in leaves nothing.
static int do_probe(struct room *room, const char *host)
{
    struct error error, unused;
    size_t left;
    fflush(stdout);
    bool probed = probe_room(room, host, &error);
    (void)room_end(room, true, &left, &unused);
    room_free(room);
    if (probed)
        puts("The room that this was measured in is gone again.");
    return probed ? EXIT_RIGHT : fail(&error);
}

static int do_open(const struct arguments *arguments)
{
    struct error error;
    struct room room;
    char ends[32];
    const char *clock = arguments_value(arguments, "--ends");
    json_t *with = json_object();
    struct room_terms terms = { .title = arguments->operand_count > 1 ? arguments->operands[1] : "A class",
                                .lessons = arguments_value(arguments, "--lessons"),
                                .ends = clock ? ends : NULL,
                                .claimed = arguments_has(arguments, "--shared-account"),
                                .with = with };
    size_t more = own_rooms(NULL);
    bool made = name_helpers(arguments, with, &error) &&
                (!clock || read_end(clock, ends, sizeof ends, &error)) && room_make(&terms, &room, &error);
    json_decref(with);
    if (!made)
        return fail(&error);
    if (arguments_value(arguments, "--probe"))
        return do_probe(&room, arguments_value(arguments, "--probe"));
    bool noted = desk_note(&room, &error);
    struct paper paper = paper_open(stdout);
    paper_put(&paper, ROLE_TITLE, "%s", room.word);
    paper_put(&paper, ROLE_TEXT, "  %s\n\n", room.title);
    char host[65] = "";
    (void)gethostname(host, sizeof host - 1);
    printf("Learners type:   warpbook join %s\n", room.word);
    printf("  over ssh:      %s@%s, or what ssh calls this machine there\n", room.word,
           *host ? host : "HOST");
    printf("Your screen:     warpbook room\nAt the end:      warpbook room close\n\n"
           "The room is the folder %s.\n",
           room.folder);
    if (arguments_has(arguments, "--with"))
        printf("Helpers type:    warpbook room %s\n", room.word);
    if (more)
        printf("You have %zu other open %s: 'warpbook room list' says which, and how to go back.\n", more,
               more == 1 ? "room" : "rooms");
    room_free(&room);
    return noted ? EXIT_RIGHT : fail(&error);
}

static struct room_shown look_at(struct hosting *hosting, struct room_picture **picture)
{
    *picture = room_picture_make(&hosting->desk, (double)time(NULL));
    return (struct room_shown){ .picture = *picture,
                                .lessons = &hosting->lessons,
                                .workbook = hosting->workbook };
}

static void print_sheet(struct sheet sheet)
{
    struct paper paper = paper_open(stdout);
    sheet_print(&paper, &sheet);
    sheet_free(&sheet);
}

static int do_list(struct hosting *hosting, const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct room_picture *picture;
    struct room_shown shown = look_at(hosting, &picture);
    paper_put(&paper, ROLE_TITLE, "%s\n", hosting->desk.room.word);
    print_sheet(arguments_has(arguments, "--projector") ? room_projected(&shown, paper.width, paper.utf8)
                                                        : room_sheet(&shown, paper.width, paper.utf8));
    free(shown.items);
    room_picture_free(picture);
    return EXIT_RIGHT;
}

// The vote as it is now, with what it asks for.
static int print_vote(struct hosting *hosting)
{
    struct paper paper = paper_open(stdout);
    struct room_picture *picture;
    struct room_shown shown = look_at(hosting, &picture);
    shown.vote_alone = true;
    print_sheet(room_sheet(&shown, paper.width, paper.utf8));
    room_picture_free(picture);
    return EXIT_RIGHT;
}

// ---- telling ----------------------------------------------------------------------------------------------------

static int do_say(struct hosting *hosting, const struct arguments *arguments)
{
    struct text words = { 0 };
    for (size_t i = 1; i < arguments->operand_count; i++)
        text_addf(&words, "%s%s", i > 1 ? " " : "", arguments->operands[i]);
    bool blank = !text_string(&words)[strspn(text_string(&words), " \t")];
    json_t *fields = blank ? NULL : json_pack("{s:s}", "text", words.data);
    text_free(&words);
    if (!fields)
        return error_set(&hosting->error, EXIT_USAGE,
                         blank ? "room say takes the words: room say \"Ten minutes for exercise 2\""
                               : "What is said must be UTF-8."),
               fail(&hosting->error);
    return room_tell(&hosting->desk.room, "say", fields, &hosting->error) ? EXIT_RIGHT
                                                                          : fail(&hosting->error);
}

// LESSON or LESSON/ITEM, of a lesson that is known here.
static int do_follow(struct hosting *hosting, const struct arguments *arguments)
{
    const char *place = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    if (!place)
        return error_set(&hosting->error, EXIT_USAGE,
                         "room follow takes where you are: room follow 06-coalescing/half"),
               fail(&hosting->error);
    const struct lesson *lesson;
    size_t part;
    const char *slash = strrchr(place, '/');
    char *name = text_format("%.*s", slash ? (int)(slash - place) : (int)strlen(place), place);
    bool known = lessons_open(&hosting->lessons, name, &lesson, &part, &hosting->error);
    free(name);
    json_t *fields =
        known ? json_pack("{s:s, s:s}", "lesson", lesson->name, "item", slash ? slash + 1 : "") : NULL;
    if (known && !fields)
        error_set(&hosting->error, EXIT_USAGE, "The name of the place must be UTF-8.");
    bool told = fields && room_tell(&hosting->desk.room, "follow", fields, &hosting->error);
    return told ? EXIT_RIGHT : fail(&hosting->error);
}

// ---- votes ------------------------------------------------------------------------------------------------------

static bool poll_typed(const struct arguments *arguments, struct poll *out, struct error *error)
{
    *out = (struct poll){ .number = 0 };
    const char *ask = arguments->operands[1];
    if (strlen(ask) >= sizeof out->ask)
        return error_set(error, EXIT_USAGE, "The question of a vote may have %d bytes.", ROOM_TEXT - 1);
    format_clean(out->ask, sizeof out->ask, ask, strlen(ask));
    for (size_t i = 0; i < arguments->given_count; i++) {
        const char *choice = arguments->given[i].value;
        if (strcmp(arguments->given[i].flag, "--choice") != 0)
            continue;
        if (out->choice_count == POLL_CHOICES)
            return error_set(error, EXIT_USAGE, "A vote may have %d choices.", POLL_CHOICES);
        if (strlen(choice) >= ROOM_TEXT)
            return error_set(error, EXIT_USAGE, "A choice may have %d bytes.", ROOM_TEXT - 1);
        format_clean(out->choices[out->choice_count++], ROOM_TEXT, choice, strlen(choice));
    }
    return out->choice_count >= 2 || error_set(error, EXIT_USAGE, "A vote needs two choices or more.");
}

static int do_poll(struct hosting *hosting, const struct arguments *arguments)
{
    struct poll poll;
    struct desk *desk = &hosting->desk;
    if (arguments->operand_count != 2)
        return error_set(&hosting->error, EXIT_USAGE,
                         "room poll takes LESSON/QUESTION, or \"TEXT\" --choice ... --choice ..."),
               fail(&hosting->error);
    bool fine = arguments_has(arguments, "--choice")
                    ? poll_typed(arguments, &poll, &hosting->error)
                    : poll_from_lesson(&hosting->lessons, arguments->operands[1], &poll, &hosting->error);
    fine = fine && poll_begin(&desk->room, &desk->class, &desk->notices, &poll, &hosting->error);
    if (!fine)
        return fail(&hosting->error);
    print_vote(hosting);
    puts("'room go-on' closes the round.");
    return EXIT_RIGHT;
}

static int do_go_on(struct hosting *hosting, bool show)
{
    struct desk *desk = &hosting->desk;
    bool fine = show ? poll_show(&desk->room, &desk->class, &desk->notices, &hosting->error)
                     : poll_go_on(&desk->room, &desk->class, &desk->notices, &hosting->error);
    return fine ? print_vote(hosting) : fail(&hosting->error);
}

// ---- one learner ------------------------------------------------------------------------------------------------

static int print_person(struct hosting *hosting, size_t index)
{
    struct paper paper = paper_open(stdout);
    struct room_picture *picture;
    struct room_shown shown = look_at(hosting, &picture);
    print_sheet(room_person_sheet(&shown, &picture->people[index], paper.width, paper.utf8));
    room_picture_free(picture);
    return EXIT_RIGHT;
}

static int do_next(struct hosting *hosting)
{
    size_t *order = mem_new((hosting->desk.class.count + 1) * sizeof *order);
    size_t count = room_class_needs(&hosting->desk.class, (double)time(NULL), order);
    if (count)
        print_person(hosting, order[0]);
    else
        puts("Nobody asks for help.");
    free(order);
    return EXIT_RIGHT;
}

// The learner's own lines as they stand in the room.
static int print_file(const struct room_person *person, struct error *error)
{
    struct paper paper = paper_open(stdout);
    struct text text = { 0 };
    if (!journal_read(&person->journal, &text, error)) {
        text_free(&text);
        return fail(error);
    }
    paper_put(&paper, ROLE_TEXT, "%s", text_string(&text));
    text_free(&text);
    return EXIT_RIGHT;
}

// `code`: the code that the learner has shown, in the place of all lines.
static int do_shares(struct hosting *hosting, const struct arguments *arguments, bool code)
{
    const struct room_class *class = &hosting->desk.class;
    const char *as = arguments->operand_count > 1 ? arguments->operands[1] : "";
    const char **names = mem_new((class->count + 1) * sizeof *names);
    for (size_t i = 0; i < class->count; i++) {
        names[i] = class->people[i].as;
        if (strcmp(as, names[i]) == 0 || (*as && strcmp(as, class->people[i].account) == 0)) {
            free(names);
            if (!code)
                return print_file(&class->people[i], &hosting->error);
            return code_print(&class->people[i], &hosting->error) ? EXIT_RIGHT : fail(&hosting->error);
        }
    }
    const char *near = string_nearest(as, names, class->count);
    error_set(&hosting->error, EXIT_USAGE,
              "room %s takes a learner's pseudonym or account, and there is no '%.40s'%s%s.",
              code ? "code" : "shares", as, near ? "; did you mean " : "", near ? near : "");
    free(names);
    return fail(&hosting->error);
}

// ---- the queue --------------------------------------------------------------------------------------------------

static volatile sig_atomic_t serving_stops;

static void stop_serving(int number)
{
    (void)number;
    serving_stops = 1;
}

// Workers are started by --worker's line, and end with this process.
static void use_worker(const struct arguments *arguments)
{
    const char *command = arguments_value(arguments, "--worker");
    if (command)
        setenv("WARPBOOK_WORKER", command, 1);
}

static void stop_by_signals(void)
{
    struct sigaction stop = { .sa_handler = stop_serving };
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, &stop, NULL);
}

struct told_serving {
    const char *word;
    char trouble[ROOM_TEXT]; // the last that was said
    char flooder[100];       // likewise
};

static void clear_status(void)
{
    if (isatty(STDOUT_FILENO))
        printf("\r\033[K");
    fflush(stdout);
}

// Once, until somebody else floods the queue or it is over.
static void tell_flood(struct told_serving *told, const struct serving_now *now)
{
    const char *flooder = now->flooder ? now->flooder : "";
    if (strcmp(flooder, told->flooder) == 0)
        return;
    format_into(told->flooder, sizeof told->flooder, "%s", flooder);
    if (!*flooder)
        return;
    clear_status();
    fprintf(stderr, "%s: %s floods the queue: %zu files at once. Those above %d are removed unanswered.\n",
            told->word, flooder, now->flood_files, QUEUE_FILES);
}

// Each trouble is said once, until it is another one.
static void tell_trouble(struct told_serving *told, const char *trouble)
{
    if (!trouble || !*trouble || strcmp(trouble, told->trouble) == 0)
        return;
    format_into(told->trouble, sizeof told->trouble, "%s", trouble);
    clear_status();
    fprintf(
        stderr,
        "%s: no job has begun for what waits. %s\nNothing is lost: it is tried again, at longer and longer "
        "intervals.\n",
        told->word, trouble);
}

static void status_words(const char *word, const struct serving_now *now, struct text *out)
{
    char stage[60];
    text_addf(out, "%s: ", word);
    if (now->starting) {
        clean_line(now->starting, stage, sizeof stage);
        text_add(out, stage);
    } else if (now->ends) {
        text_add(out, "ending");
        if (now->running)
            text_addf(out, "; %zu running, which %s stopped", now->running, now->running == 1 ? "is" : "are");
    } else if (now->trouble && *now->trouble) {
        text_addf(out, "%zu waiting for Slurm, tried again in %.0f s", now->waiting, now->again_s);
    } else {
        text_addf(out, "%zu waiting, %zu running, %zu done", now->waiting, now->running, now->done);
        if (now->each_ms > 0)
            text_addf(out, ", %.1f s each", now->each_ms / 1e3);
    }
    if (!now->ends)
        text_add(out, "; ^C ends it");
}

// A line that is drawn anew, and so has no more than one row; where there is no terminal nothing is said but troubles, and
// the sum at the end.
static void tell_serving(void *context, const struct serving_now *now)
{
    struct told_serving *told = context;
    struct text words = { 0 };
    tell_trouble(told, now->trouble);
    tell_flood(told, now);
    if (!isatty(STDOUT_FILENO))
        return;
    struct paper paper = paper_open(stdout);
    status_words(told->word, now, &words);
    printf("\r\033[K%.*s", (int)text_fit(text_string(&words), paper.width - 1), text_string(&words));
    fflush(stdout);
    text_free(&words);
}

static int do_serve(struct hosting *hosting, const struct arguments *arguments)
{
    long workers = 1;
    if (!arguments_number(arguments, "--workers", 1, 64, &workers, &hosting->error))
        return fail(&hosting->error);
    use_worker(arguments);
    stop_by_signals();
    struct told_serving told = { .word = hosting->desk.room.word };
    struct serve_terms terms = { .workers = (int)workers,
                                 .batch = arguments_has(arguments, "--batch"),
                                 .own = arguments_has(arguments, "--own"),
                                 .tell = tell_serving,
                                 .context = &told };
    bool served = serve(&hosting->desk.room, &terms, &serving_stops, &hosting->error);
    if (isatty(STDOUT_FILENO))
        puts("");
    if (served && !serving_stops)
        printf("The room %s has ended, and its queue with it.\n", hosting->desk.room.word);
    else if (served && isatty(STDOUT_FILENO))
        puts("The queue is not served any more; what waits in it waits for the next 'room serve'.");
    return served ? EXIT_RIGHT : fail(&hosting->error);
}

// ---- what learners hand in, and boards ----------------------------------------------------------------------------

static void print_handed_in(const struct room_class *class, size_t count)
{
    struct paper paper = paper_open(stdout);
    struct text missing = { 0 };
    for (size_t i = 0; i < class->count; i++)
        if (!class->people[i].handed_in)
            text_addf(&missing, "%s %s", missing.length ? "," : " Not yet:", class->people[i].as);
    char *words = text_format("%zu of %zu learners have handed in.%s%s", count, class->count,
                              text_string(&missing), missing.length ? "." : "");
    paper_wrap(&paper, ROLE_TEXT, 0, words);
    free(words);
    text_free(&missing);
}

static int do_collect(struct hosting *hosting, const struct arguments *arguments)
{
    size_t count, sent = arguments->operand_count > 2 ? arguments->operand_count - 2 : 0;
    const char *folder = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    if (!folder) {
        error_set(
            &hosting->error, EXIT_USAGE,
            "'room collect FOLDER' needs the folder that it writes into; what was sent as files follows.");
        return fail(&hosting->error);
    }
    if (!hand_in_collect(&hosting->desk.room, &hosting->desk.class, folder, arguments->operands + 2, sent,
                         &count, &hosting->error))
        return fail(&hosting->error);
    if (!hosting->desk.notices.ended)
        print_handed_in(&hosting->desk.class, count);
    if (sent)
        printf("%zu %s read.\n", sent, sent == 1 ? "file was" : "files were");
    printf("See %s/class.csv, and a page for each beside it.\n", folder);
    return EXIT_RIGHT;
}

static void leader_line(const struct paper *paper, const struct leader *leader)
{
    char time[32], low[32], high[32], share[16] = "";
    enum role role = leader->aside ? ROLE_DIM : ROLE_TEXT;
    const char *aside = leader->aside ? "  set aside" : leader->again ? "  again" : "";
    if (!*leader->device) {
        paper_put(paper, role, "%3d  %-14s %12.0f %12.0f %12.0f%s\n", leader->place, leader->as,
                  leader->counts[0], leader->counts[1], leader->counts[2], aside);
        return;
    }
    unit_ms(leader->median_ms, time, sizeof time);
    unit_ms(leader->low_ms, low, sizeof low);
    unit_ms(leader->high_ms, high, sizeof high);
    if (isfinite(leader->ceiling_pct))
        format_into(share, sizeof share, "%.1f %%", leader->ceiling_pct);
    paper_put(paper, role, "%3d  %-14s %10s  %10s to %-10s %8s%s\n", leader->place, leader->as, time, low,
              high, share, aside);
}

// By a worker of this process, since the queue's may be another GPU for each run.
static bool measure_again(struct hosting *hosting, const struct arguments *arguments, const struct lab *lab)
{
    size_t count;
    struct waiting waiting = { .what = lab->name };
    use_worker(arguments);
    waiting_begin(&waiting);
    struct client *client = client_new();
    bool measured = leaders_again(&hosting->desk.room, &hosting->desk.class, lab->name, client, waiting_show,
                                  &waiting, &count, &hosting->error);
    client_free(client);
    waiting_wipe(&waiting);
    (void)waiting_end(&waiting); // what stopped it is in the error
    if (measured)
        printf("%zu %s measured again, in turns.\n", count, count == 1 ? "learner was" : "learners were");
    return measured;
}

static int do_leaders(struct hosting *hosting, const struct arguments *arguments)
{
    const struct lab *lab;
    if (arguments->operand_count < 2) {
        error_set(&hosting->error, EXIT_USAGE, "'room leaders LAB' needs a lab.");
        return fail(&hosting->error);
    }
    if (!target_lab(arguments->operands[1], &lab, &hosting->error))
        return fail(&hosting->error);
    if (arguments_has(arguments, "--again") && !measure_again(hosting, arguments, lab))
        return fail(&hosting->error);
    struct leader *leaders;
    size_t count = leaders_of(&hosting->desk.room, &hosting->desk.class, lab->name, &leaders);
    struct paper paper = paper_open(stdout);
    if (!count)
        printf("Nobody who entered %s was measured by 'room serve' yet.\n", lab->name);
    for (size_t i = 0; i < count; i++) {
        if (!i || strcmp(leaders[i].device, leaders[i - 1].device) != 0 ||
            strcmp(leaders[i].data, leaders[i - 1].data) != 0) {
            bool simulated = !*leaders[i].device;
            paper_put(&paper, ROLE_TITLE, "%s, %s%s%s, %s", lab->name, simulated ? "small" : "full",
                      *leaders[i].data ? ", " : "", leaders[i].data,
                      simulated ? "simulator" : leaders[i].device);
            paper_put(&paper, ROLE_DIM, "   %s\n",
                      simulated ? "sectors, wavefronts, instructions"
                                : "median, its 95 % interval, of the ceiling");
        }
        leader_line(&paper, &leaders[i]);
    }
    free(leaders);
    return EXIT_RIGHT;
}

// ---- the end ----------------------------------------------------------------------------------------------------

static void print_left(const struct room *room, size_t left)
{
    if (left)
        printf("%zu things in %s could not be removed; others made them there.\n", left, room->folder);
}

// Work that came after the last look and before the room said that it ends: its learner was told that it is handed in.
// False: there is none.
static bool keep_late(struct hosting *hosting, size_t known, struct error *error)
{
    struct desk *desk = &hosting->desk;
    size_t count;
    if (!room_class_read(&desk->class, (double)time(NULL), error))
        return false;
    size_t late = hand_in_uncollected(&desk->room, &desk->class);
    if (late <= known)
        return false;
    char *folder = room_path(&desk->room, "keep");
    if (hand_in_collect(&desk->room, &desk->class, folder, NULL, 0, &count, error))
        printf("%zu %s handed in while it closed. See %s/class.csv, and a page for each beside it.\n",
               late - known, late - known == 1 ? "learner" : "learners", folder);
    free(folder);
    return true;
}

static int do_close(struct hosting *hosting, const struct arguments *arguments)
{
    size_t left, here = 0;
    const struct desk *desk = &hosting->desk;
    const struct room_class *class = &desk->class;
    bool forget = arguments_has(arguments, "--forget"), ended = desk->notices.ended;
    for (size_t i = 0; i < class->count; i++)
        here += room_class_here(&class->people[i], (double)time(NULL));
    if (ended && !forget) {
        printf(
            "The room %s is closed already. What you kept is in %s/keep; 'room close --forget' removes it.\n",
            desk->room.word, desk->room.folder);
        return EXIT_RIGHT;
    }
    size_t uncollected = ended ? 0 : hand_in_uncollected(&desk->room, class);
    if (uncollected && !arguments_has(arguments, "--yes")) {
        error_set(&hosting->error, EXIT_USAGE,
                  "%zu %s handed in since the last 'room collect FOLDER', and closing removes it. Collect "
                  "first, or close by 'room close --yes'.",
                  uncollected, uncollected == 1 ? "learner has" : "learners have");
        return fail(&hosting->error);
    }
    struct error late = { 0 };
    if (!ended && !room_tell(&desk->room, "end", NULL, &hosting->error))
        return fail(&hosting->error);
    if (!ended && keep_late(hosting, uncollected, &late))
        forget = false;
    if (*late.text) // what learners wrote stays
        return fail(&late);
    if (!room_end(&desk->room, forget, &left, &hosting->error))
        return fail(&hosting->error);
    printf("The room %s is %s.\n", desk->room.word, ended ? "forgotten" : "closed");
    if (here)
        printf("%zu %s still there, and told so.\n", here, here == 1 ? "learner was" : "learners were");
    if (!forget)
        printf(
            "Who was there, the votes and what else you kept are in %s/keep; 'room close --forget' removes "
            "that as well.\n",
            desk->room.folder);
    print_left(&desk->room, left);
    return EXIT_RIGHT;
}

// ---- which of them ----------------------------------------------------------------------------------------------

static int do_verb(struct hosting *hosting, const char *verb, const struct arguments *arguments)
{
    if (!*verb)
        return do_list(hosting, arguments);
    if (strcmp(verb, "close") == 0)
        return do_close(hosting, arguments);
    bool code = strcmp(verb, "code") == 0;
    if ((code || strcmp(verb, "shares") == 0) && !hosting->desk.notices.ended)
        return do_shares(hosting, arguments, code);
    if (strcmp(verb, "collect") == 0 && arguments->operand_count > 2) // what was sent may come after the end
        return do_collect(hosting, arguments);
    if (hosting->desk.notices.ended) {
        error_set(&hosting->error, EXIT_USAGE, "The room %s is closed. 'room open \"TITLE\"' opens another.",
                  hosting->desk.room.word);
        return fail(&hosting->error);
    }
    return strcmp(verb, "say") == 0       ? do_say(hosting, arguments)
           : strcmp(verb, "poll") == 0    ? do_poll(hosting, arguments)
           : strcmp(verb, "go-on") == 0   ? do_go_on(hosting, false)
           : strcmp(verb, "show") == 0    ? do_go_on(hosting, true)
           : strcmp(verb, "follow") == 0  ? do_follow(hosting, arguments)
           : strcmp(verb, "next") == 0    ? do_next(hosting)
           : strcmp(verb, "collect") == 0 ? do_collect(hosting, arguments)
           : strcmp(verb, "leaders") == 0 ? do_leaders(hosting, arguments)
                                          : do_serve(hosting, arguments);
}

// A helper sees what the instructor sees, and tells nothing.
static bool may_do(const struct desk *desk, const char *verb, struct error *error)
{
    static const char *const seen[] = { "", "next", "shares", "code" };
    bool sees = !*desk->class.desk;
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        sees = sees || strcmp(verb, seen[i]) == 0;
    return sees || error_set(error, EXIT_USAGE,
                             "You help in the room %s, and see it; its instructor alone can '%s' there.",
                             desk->room.word, verb);
}

static int in_room(const char *verb, const struct arguments *arguments)
{
    struct hosting hosting = { .error = { 0 } };
    struct error unread;
    const char *word =
        strcmp(verb, "close") == 0 && arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    if (!desk_open(word, &hosting.desk, &hosting.error))
        return fail(&hosting.error);
    if (!may_do(&hosting.desk, verb, &hosting.error) ||
        !desk_read(&hosting.desk, (double)time(NULL), &hosting.error)) {
        desk_close(&hosting.desk);
        return fail(&hosting.error);
    }
    if (!lessons_read(NULL, &hosting.lessons, &unread))
        hosting.lessons = (struct lessons){ 0 };
    hosting.workbook = workbook_open(NULL, &unread);
    int status = do_verb(&hosting, verb, arguments);
    if (hosting.workbook)
        workbook_close(hosting.workbook);
    lessons_free(&hosting.lessons);
    desk_close(&hosting.desk);
    return status;
}

// Another room of this instructor becomes the one that is meant.
static bool turn_to(const char *word, struct error *error)
{
    struct desk desk;
    if (!desk_open(word, &desk, error))
        return false;
    bool noted = desk_note(&desk.room, error);
    desk_close(&desk);
    return noted;
}

int command_room(const struct arguments *arguments)
{
    static const char *const verbs[] = { "say",   "poll",   "go-on",   "show",    "follow", "next", "serve",
                                         "close", "shares", "collect", "leaders", "code",   "list" };
    const char *verb = arguments->operand_count ? arguments->operands[0] : "";
    struct error error;
    if (strcmp(verb, "open") == 0)
        return do_open(arguments);
    if (strcmp(verb, "list") == 0)
        return do_rooms();
    if (strcmp(verb, "pipe") == 0 && arguments->operand_count > 1)
        return pipe_main(arguments->operands[1]);
    if (strcmp(verb, "courier") == 0 && arguments->operand_count > 1)
        return courier_main(arguments->operands[1]);
    if (strcmp(verb, "task") == 0 && arguments->operand_count > 1)
        return task_main(arguments->operands[1]);
    if (strcmp(verb, "rehearse") == 0)
        return command_rehearse(arguments);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verb, verbs[i]) == 0)
            return in_room(verb, arguments);
    if (*verb && !strchr(verb, '-') && !strchr(verb, '/')) {
        const char *near = string_nearest(verb, verbs, sizeof verbs / sizeof *verbs);
        error_set(&error, EXIT_USAGE, "room has no '%.40s'. %s%s%s", verb, near ? "Did you mean " : "",
                  near ? near : "'warpbook help room' lists what it has", near ? "?" : ".");
        return fail(&error);
    }
    if (*verb && !turn_to(verb, &error))
        return fail(&error);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return in_room("", arguments);
    struct desk desk; // a room that is not there is said here rather than on a screen
    if (!desk_open(NULL, &desk, &error))
        return fail(&error);
    desk_close(&desk);
    return screen_on(arguments->commands,
                     arguments_has(arguments, "--projector") ? "room --projector" : "room");
}
