// Handing in: what a learner's workbook says of questions and tasks, without notes and code, as lines to the instructor; and
// collecting: a folder with a workbook and a page for each learner, made by the instructor's own program, and one table. Who
// could not reach the room sends the same lines in a file.
#include "tui/command/report.h"
#include "tui/tui.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/room/room.h"

enum { FILE_MOST = 1 << 20, HAND_IN_MOST = 200000 }; // bytes: a room's journal is read up to 1 MiB

// Neither text nor code of the learner: what was asked, what was chosen, whether it was right.
static const char *const kinds[] = { "lesson", "left", "predict", "answer", "hint", "unfold", NULL };
static const char *const keys[] = { "kind",  "date",   "lesson", "id",    "title", "right", "review",
                                    "shown", "chosen", "number", "order", "ratio", "hint",  "asked_solution",
                                    "hints", "limits", "counts", "clean", "block" };

static bool is_handed_in(const struct workbook *workbook, size_t index)
{
    for (size_t i = 0; kinds[i]; i++)
        if (workbook_is(workbook, index, kinds[i]))
            return true;
    return false;
}

static json_t *digest_of(const json_t *event)
{
    json_t *digest = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(event, keys[i]))
            json_object_set(digest, keys[i], json_object_get(event, keys[i]));
    return digest;
}

// The digests of the workbook's events, the newest HAND_IN_MOST bytes of them; *older: how many did not fit.
static json_t *collect_events(const struct workbook *workbook, size_t *older)
{
    json_t *all = json_array();
    size_t bytes = 0, i = workbook_count(workbook);
    *older = 0;
    while (i-- > 0) {
        if (!is_handed_in(workbook, i))
            continue;
        json_t *digest = digest_of(workbook_event(workbook, i));
        size_t length = json_dumpb(digest, NULL, 0, JSON_COMPACT);
        bool fits = bytes + length <= HAND_IN_MOST && length < JOURNAL_LINE_MOST - 200;
        bytes += fits ? length : 0;
        *older += !fits;
        if (fits)
            json_array_insert_new(all, 0, digest);
        else
            json_decref(digest);
    }
    return all;
}

// ---- the learner ---------------------------------------------------------------------------------------------

static bool to_file(const struct arguments *arguments, const json_t *events, struct error *error)
{
    struct text page = { 0 };
    size_t i;
    const json_t *event;
    json_array_foreach(events, i, event)
    {
        char *line = json_dumps(event, JSON_COMPACT);
        text_addf(&page, "%s\n", line ? line : "");
        free(line);
    }
    bool put = document_put(arguments, &page, error);
    text_free(&page);
    return put;
}

// "begin", the events one by one, and "end" with their number: a hand-in that is not whole is none.
static bool to_room(struct member *member, const json_t *events, struct error *error)
{
    size_t i;
    json_t *event;
    bool kept = member_keep(member, "work", json_pack("{s:s}", "is", "begin"), error);
    json_array_foreach(events, i, event)
    {
        kept = kept &&
               member_keep(member, "work", json_pack("{s:s, s:O}", "is", "event", "event", event), error);
    }
    return kept &&
           member_keep(member, "work",
                       json_pack("{s:s, s:I}", "is", "end", "count", (json_int_t)json_array_size(events)),
                       error);
}

static bool agrees(const struct member *member, size_t count, size_t older)
{
    char answer[16];
    struct paper paper = paper_open(stdout);
    char *words = text_format(
        "%zu %s to the instructor of %s: lessons opened, answers, tries, hints, with their times. "
        "No notes, no code, no runs.",
        count, count == 1 ? "event goes" : "events go", member->word);
    paper_wrap(&paper, ROLE_TEXT, 0, words);
    free(words);
    if (older)
        printf("%zu older ones do not fit and are left out.\n", older);
    printf("Hand in? [y/N] ");
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y');
}

static int hand_in_to_room(const struct arguments *arguments, const json_t *events, size_t older)
{
    struct error error, later;
    struct notices notices = { .ended = false };
    struct member *member = member_open(&error);
    if (!member) {
        if (error.code == EXIT_RIGHT)
            error_set(&error, EXIT_USAGE,
                      "You are not in a room. 'hand-in --to FILE' writes a file to send.");
        return fail(&error);
    }
    bool agreed = arguments_has(arguments, "--yes") || agrees(member, json_array_size(events), older);
    bool kept = agreed && to_room(member, events, &error);
    bool sent = kept && member_deliver(member, &later);
    // An instructor who closes looks once more after saying so: what was there before is not lost.
    bool late = kept && member_ended(member, &notices);
    member_named(member, notices_name(&notices, member->token));
    if (!agreed)
        puts("Nothing was handed in.");
    else if (late)
        kept = error_set(&error, EXIT_MISSING,
                         "The room %s has ended, perhaps before your work got there. 'warpbook hand-in --to "
                         "FILE' writes it as a file to send.",
                         member->word);
    else if (sent)
        printf("Handed in to %s as %s.\n", member->word, member->as);
    else if (kept)
        printf("Kept, and sent as soon as the room can be reached: %s\n", later.text);
    notices_free(&notices);
    member_close(member);
    return !agreed ? EXIT_WRONG : kept ? EXIT_RIGHT : fail(&error);
}

int command_hand_in(const struct arguments *arguments)
{
    struct error error;
    size_t older;
    if (!document_asked(arguments, &error))
        return fail(&error);
    struct workbook *workbook = workbook_open(NULL, &error);
    if (!workbook)
        return fail(&error);
    json_t *events = collect_events(workbook, &older);
    workbook_close(workbook);
    if (!json_array_size(events)) {
        json_decref(events);
        error_set(&error, EXIT_USAGE, "Your workbook has nothing to hand in yet: no lesson was opened.");
        return fail(&error);
    }
    int status;
    if (arguments_value(arguments, "--to"))
        status = to_file(arguments, events, &error) ? EXIT_RIGHT : fail(&error);
    else
        status = hand_in_to_room(arguments, events, older);
    json_decref(events);
    return status;
}

// ---- the instructor ------------------------------------------------------------------------------------------

struct handed_in { // the newest whole hand-in of a learner, while their lines are read
    json_t *coming, *whole;
};

static void take_work(void *context, const json_t *line)
{
    struct handed_in *work = context;
    const char *kind = json_string_value(json_object_get(line, "kind")),
               *is = json_string_value(json_object_get(line, "is"));
    if (!kind || !is || strcmp(kind, "work") != 0)
        return;
    if (strcmp(is, "begin") == 0) {
        json_decref(work->coming);
        work->coming = json_array();
    } else if (strcmp(is, "event") == 0 && work->coming) {
        json_array_append(work->coming, json_object_get(line, "event"));
    } else if (strcmp(is, "end") == 0 && work->coming &&
               json_array_size(work->coming) == (size_t)json_integer_value(json_object_get(line, "count"))) {
        json_decref(work->whole);
        work->whole = work->coming;
        work->coming = NULL;
    }
}

// NULL: nothing whole was handed in.
static json_t *work_of(const struct room_person *person)
{
    struct handed_in work = { NULL, NULL };
    struct journal journal = { .path = mem_copy(person->journal.path), .owner = person->uid };
    journal_look(&journal, SIZE_MAX, take_work, &work);
    journal_free(&journal);
    json_decref(work.coming);
    return work.whole;
}

// Keeps only events of the kinds that are handed in, and of these only the known keys: others wrote the file.
static void add_work(const json_t *work, struct text *out)
{
    size_t i;
    const json_t *event;
    json_array_foreach(work, i, event)
    {
        const char *kind = json_string_value(json_object_get(event, "kind"));
        bool known = false;
        for (size_t k = 0; kind && kinds[k]; k++)
            known = known || strcmp(kind, kinds[k]) == 0;
        json_t *digest = known ? digest_of(event) : NULL;
        char *line = digest ? json_dumps(digest, JSON_COMPACT) : NULL;
        if (line)
            text_addf(out, "%s\n", line);
        free(line);
        json_decref(digest);
    }
}

static bool write_page(const char *folder, const char *name, const char *suffix, const struct text *text,
                       struct error *error)
{
    char *file = text_format("%s%s", name, suffix), *path = path_join(folder, file);
    bool written = private_replace(path, text_string(text), text->length, error);
    free(path);
    free(file);
    return written;
}

static void add_tallies(const char *as, const char *account, const struct workbook *workbook,
                        struct text *table)
{
    size_t lessons, answers = 0, right = 0;
    char **names = workbook_lessons(workbook, &lessons);
    for (size_t i = 0; i < lessons; i++)
        free(names[i]);
    free(names);
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        bool answer = workbook_is(workbook, i, "answer") || workbook_is(workbook, i, "predict");
        answers += answer;
        right += answer && workbook_marks(workbook, i) & EVENT_RIGHT;
    }
    text_addf(table, "%s,%s,%zu,%zu,%zu\n", as, account, lessons, answers, right);
}

static bool collect_one(const char *folder, const char *as, const char *account, const json_t *work,
                        struct text *table, struct error *error)
{
    struct text lines = { 0 }, page = { 0 };
    struct lessons lessons;
    add_work(work, &lines);
    char *file = text_format("%s.jsonl", as), *path = path_join(folder, file);
    bool fine = write_page(folder, as, ".jsonl", &lines, error);
    struct workbook *workbook = fine ? workbook_open(path, error) : NULL;
    fine = workbook && lessons_read(NULL, &lessons, error);
    if (fine) {
        report_page_of(workbook, &lessons, as, &page);
        add_tallies(as, account, workbook, table);
        lessons_free(&lessons);
        fine = write_page(folder, as, ".html", &page, error);
    }
    workbook_close(workbook);
    text_free(&lines);
    text_free(&page);
    free(path);
    free(file);
    return fine;
}

static void account_name(const struct room *room, uid_t uid, char *out, size_t size)
{
    const struct passwd *user = room_claimed(room) ? NULL : getpwuid(uid);
    format_into(out, size, "%s", room_claimed(room) ? "claimed" : user ? user->pw_name : "unknown");
}

// The events of a file that was sent; NULL with an error.
static json_t *work_in(const char *path, struct error *error)
{
    struct text text = { 0 };
    json_t *work = NULL;
    bool fine = file_read(path, &text, error);
    if (fine && text.length > FILE_MOST)
        fine = error_set(error, EXIT_USAGE, "%s has %zu bytes; no hand-in has more than %d.", path,
                         text.length, FILE_MOST);
    if (fine)
        work = json_array();
    char *rest = work ? text.data : NULL; // NULL: the file is empty
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        json_t *event = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        if (json_is_object(event))
            json_array_append(work, event);
        json_decref(event);
    }
    text_free(&text);
    return work;
}

// "sent-anna" for /mail/anna.jsonl: no name that a learner of the room has.
static void sent_name(const char *path, char *out, size_t size)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t length = strlen(base) - (string_ends(base, ".jsonl") ? strlen(".jsonl") : 0);
    format_into(out, size, "sent-%.*s", (int)(length < 60 ? length : 60), base);
    for (char *c = out; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *c))
            *c = '-';
}

static bool collect_sent(const char *folder, const char *path, struct text *table, struct error *error)
{
    char as[80];
    sent_name(path, as, sizeof as);
    json_t *work = work_in(path, error);
    bool fine = work && collect_one(folder, as, "sent", work, table, error);
    json_decref(work);
    return fine;
}

// What the table said before of those who are not in it now: of files that were mailed, and of a class whose room is
// closed.
static void add_before(const char *folder, struct text *table)
{
    struct text before = { 0 };
    struct error unused;
    char *path = path_join(folder, "class.csv");
    char *rest = access(path, F_OK) == 0 && private_read(path, &before, &unused) ? before.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        size_t name = strcspn(line, ",");
        if (!line[name])
            continue;
        char *row = text_format("\n%.*s,", (int)name, line);
        bool again = strncmp(table->data, row + 1, name + 1) == 0 || strstr(table->data, row);
        free(row);
        if (!again)
            text_addf(table, "%s\n", line);
    }
    text_free(&before);
    free(path);
}

// Notes that the work which ended with these lines is in the instructor's folder.
static bool note_collected(const struct room *room, const struct room_class *class, struct error *error)
{
    json_t *line = json_object();
    for (size_t i = 0; i < class->count; i++)
        if (class->people[i].handed_in)
            json_object_set_new(line, class->people[i].as, json_integer(class->people[i].handed_in));
    char *path = room_path(room, "keep/collected");
    char *dumped = json_dumps(line, JSON_COMPACT);
    bool noted = private_replace(path, dumped, strlen(dumped), error);
    free(dumped);
    free(path);
    json_decref(line);
    return noted;
}

size_t hand_in_uncollected(const struct room *room, const struct room_class *class)
{
    struct text text = { 0 };
    struct error unused;
    size_t count = 0;
    char *path = room_path(room, "keep/collected");
    json_t *line = private_read(path, &text, &unused) ? json_loads(text_string(&text), 0, NULL) : NULL;
    for (size_t i = 0; i < class->count; i++) {
        const struct room_person *person = &class->people[i];
        count += person->handed_in > json_integer_value(json_object_get(line, person->as));
    }
    json_decref(line);
    text_free(&text);
    free(path);
    return count;
}

bool hand_in_collect(const struct room *room, const struct room_class *class, const char *folder,
                     const char *const *sent, size_t sent_count, size_t *count, struct error *error)
{
    struct text table = { 0 };
    text_add(&table, "pseudonym,account,lessons,answers,right\n");
    bool fine = folder_make(folder, error);
    *count = 0;
    for (size_t i = 0; fine && i < class->count; i++) {
        char account[64];
        json_t *work = work_of(&class->people[i]);
        account_name(room, class->people[i].uid, account, sizeof account);
        if (work) {
            fine = collect_one(folder, class->people[i].as, account, work, &table, error);
            (*count)++;
        }
        json_decref(work);
    }
    // A file that cannot be read keeps nobody else out of the table.
    bool all = true;
    struct error last;
    for (size_t i = 0; fine && i < sent_count; i++)
        all = collect_sent(folder, sent[i], &table, all ? error : &last) && all;
    if (fine)
        add_before(folder, &table);
    fine = fine && write_page(folder, "class", ".csv", &table, all ? error : &last) &&
           (!class->count || note_collected(room, class, error));
    text_free(&table);
    return fine && all;
}
