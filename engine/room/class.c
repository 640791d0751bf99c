// The class as the instructor sees it: a fold over what each learner told, in the order of that learner's numbers. It is
// computed from the files alone, so a second screen, or the first one started again, comes to the same state.
#include "engine/room/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TURN_LINES = 200,    // of one learner, before it is the next one's turn
    LOOK_LINES = 200000, // of all in one look, a third of a second; the rest waits for the next
    STAYS_MOST = 20000,
    STAYS_ENOUGH = 8, // for a median
    TRIES_STUCK = 3,
    LABS_MOST = 100,
    VOTES_MOST = 50,  // of one learner in one round
    RENEWED_MOST = 20 // of one owner
};

// ---- one learner's lines -----------------------------------------------------------------------------------

struct telling { // the context of one line
    struct room_class *class;
    struct room_person *person;
    double now;
};

// When the line says that it was written, in seconds since 1970; NAN: it does not.
static double written_at(const json_t *line)
{
    const char *at = json_string_value(json_object_get(line, "at"));
    struct tm tm = { 0 };
    const char *end = at ? strptime(at, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    return end && !*end ? (double)timegm(&tm) : NAN;
}

// But never later than now.
static double when(const struct telling *telling, const json_t *line)
{
    double written = written_at(line);
    if (isnan(written))
        written = telling->now;
    telling->person->clock_ahead = written - telling->now;
    return written < telling->now ? written : telling->now;
}

static void item_key(const struct room_person *person, char *out, size_t size)
{
    format_into(out, size, "%s/%s", person->lesson, person->item);
}

static void leave_item(struct telling *telling, double at)
{
    struct room_class *class = telling->class;
    const struct room_person *person = telling->person;
    if (!*person->item || at <= person->since || class->stay_count >= STAYS_MOST)
        return;
    class->stays = array_room(class->stays, class->stay_count, sizeof *class->stays);
    struct room_stay *stay = &class->stays[class->stay_count++];
    item_key(person, stay->item, sizeof stay->item);
    stay->seconds = at - person->since;
}

static void take_place(struct telling *telling, const json_t *line, double at)
{
    struct room_person *person = telling->person;
    char lesson[sizeof person->lesson], item[sizeof person->item];
    line_text(line, "page", person->page, sizeof person->page);
    line_text(line, "lesson", lesson, sizeof lesson);
    line_text(line, "item", item, sizeof item);
    if (strcmp(lesson, person->lesson) == 0 && strcmp(item, person->item) == 0)
        return;
    leave_item(telling, at);
    memcpy(person->lesson, lesson, sizeof lesson);
    memcpy(person->item, item, sizeof item);
    person->since = at;
    person->tries = 0;
}

// A screen says where it is, or only that it is there; a command says that it was typed, and where a run waits for the
// class queue it says no more than that.
static void take_sign(struct room_person *person, const json_t *line, bool place)
{
    const char *in = json_string_value(json_object_get(line, "in"));
    if (place || !in)
        *person->shell = 0;
    else if (strcmp(in, "shell") == 0)
        line_text(line, "by", person->shell, sizeof person->shell);
}

static void take_light(struct telling *telling, const json_t *line, double at)
{
    struct room_person *person = telling->person;
    const char *is = json_string_value(json_object_get(line, "is"));
    enum room_light light = is && strcmp(is, "red") == 0     ? LIGHT_RED
                            : is && strcmp(is, "green") == 0 ? LIGHT_GREEN
                                                             : LIGHT_NONE;
    if (light != person->light)
        person->light_since = at;
    person->light = light;
    line_text(line, "text", person->light_text, sizeof person->light_text);
}

static void take_vote(struct room_person *person, const json_t *line)
{
    json_int_t poll = json_integer_value(json_object_get(line, "poll")),
               round = json_integer_value(json_object_get(line, "round"));
    const json_t *choice = json_object_get(line, "choice");
    if (poll < 1 || round < 1 || round > 2 || !json_is_integer(choice))
        return;
    char key[64];
    format_into(key, sizeof key, "%lld.%d", (long long)poll, (int)round);
    json_t *votes = json_object_get(person->votes, key);
    if (!votes && json_object_size(person->votes) < 2 * STAYS_MOST) {
        votes = json_array();
        json_object_set_new(person->votes, key, votes);
    }
    if (json_array_size(votes) >= VOTES_MOST)
        json_array_remove(votes, 0);
    json_array_append_new(votes, json_pack("[I, I]", person->n, json_integer_value(choice)));
}

// Answers and tries count at the item where they were made.
static void take_answer(struct room_person *person, const json_t *line)
{
    bool right = json_is_true(json_object_get(line, "right"));
    person->right += right;
    person->wrong += !right;
    person->tries += !right;
}

static void take_entry(struct room_person *person, const json_t *line, bool enters)
{
    char lab[ROOM_NAME];
    line_text(line, "lab", lab, sizeof lab);
    if (enters && *lab && json_object_size(person->entered) < LABS_MOST)
        json_object_set_new(person->entered, lab, json_true());
    else if (!enters)
        json_object_del(person->entered, lab);
}

static void take_told(void *context, const json_t *line)
{
    struct telling *telling = context;
    struct room_person *person = telling->person;
    const char *kind = json_string_value(json_object_get(line, "kind"));
    json_int_t n = json_integer_value(json_object_get(line, "n"));
    if (!kind || n <= person->n) // told before, or no line of ours
        return;
    person->n = n;
    person->heard = when(telling, line);
    telling->class->version++;
    if (strcmp(kind, "join") == 0) {
        person->came = person->joined && !person->left ? person->came : person->heard;
        person->joined = true;
        person->left = false;
        person->ready = json_is_true(json_object_get(line, "ready"));
        line_text(line, "warpbook", person->version, sizeof person->version);
    } else if (strcmp(kind, "leave") == 0) {
        person->left = true;
    } else if (strcmp(kind, "here") == 0) {
        take_sign(person, line, false);
    } else if (strcmp(kind, "at") == 0) {
        take_sign(person, line, true);
        take_place(telling, line, person->heard);
    } else if (strcmp(kind, "light") == 0) {
        take_light(telling, line, person->heard);
    } else if (strcmp(kind, "enter") == 0 || strcmp(kind, "withdraw") == 0) {
        take_entry(person, line, *kind == 'e');
    } else if (strcmp(kind, "vote") == 0) {
        take_vote(person, line);
    } else if (strcmp(kind, "source") == 0 && json_object_get(line, "file")) {
        line_text(line, "file", person->code, sizeof person->code);
    } else if (strcmp(kind, "work") == 0 && json_object_get(line, "count")) {
        person->handed_in = n;
    } else if (strcmp(kind, "answer") == 0 || strcmp(kind, "try") == 0) {
        take_answer(person, line);
    }
}

// ---- the roster ---------------------------------------------------------------------------------------------

struct room_person *room_class_person(const struct room_class *class, const char *token)
{
    for (size_t i = 0; i < class->count; i++)
        if (strcmp(class->people[i].token, token) == 0)
            return &class->people[i];
    return NULL;
}

static struct room_person *person_of_uid(const struct room_class *class, uid_t uid)
{
    for (size_t i = 0; i < class->count; i++)
        if (class->people[i].uid == uid)
            return &class->people[i];
    return NULL;
}

static bool name_taken(const struct room_class *class, const char *as)
{
    for (size_t i = 0; i < class->count; i++)
        if (strcmp(class->people[i].as, as) == 0)
            return true;
    return false;
}

static void person_free(struct room_person *person)
{
    journal_free(&person->journal);
    json_decref(person->votes);
    json_decref(person->entered);
}

// A line of the roster. One who came again with another file has a further line.
static void take_roster(void *context, const json_t *line)
{
    struct room_class *class = context;
    const char *token = json_string_value(json_object_get(line, "token")),
               *as = json_string_value(json_object_get(line, "as"));
    uid_t uid = (uid_t)json_integer_value(json_object_get(line, "uid"));
    if (!token || !as || !room_token_fits(token) || room_class_person(class, token))
        return;
    struct room_person *person = room_claimed(class->room) ? NULL : person_of_uid(class, uid);
    unsigned renewed = person ? person->renewed + 1 : 0;
    bool moved = person && !person->left;
    if (person) {
        if (!class->before)
            class->before = json_object();
        json_object_set_new(class->before, person->token, json_true());
        person_free(person);
    } else {
        class->people = array_room(class->people, class->count, sizeof *class->people);
        person = &class->people[class->count++];
    }
    *person = (struct room_person){
        .uid = uid, .votes = json_object(), .entered = json_object(), .renewed = renewed, .moved = moved
    };
    const struct passwd *user = room_claimed(class->room) ? NULL : getpwuid(uid);
    clean_line(user ? user->pw_name : "", person->account, sizeof person->account);
    format_into(person->token, sizeof person->token, "%s", token);
    format_into(person->as, sizeof person->as, "%s", as);
    char below[64];
    format_into(below, sizeof below, "in/%s.jsonl", token);
    person->journal = (struct journal){ .path = room_path(class->room, below), .owner = uid };
    class->version++;
}

struct first {          // what the first line of a file says
    char as[ROOM_NAME]; // the name that it asks for; "" none
    double at;
    bool desk; // it is a helper's
};

static void take_first(void *context, const json_t *line)
{
    struct first *first = context;
    const char *as = json_string_value(json_object_get(line, "as")),
               *kind = json_string_value(json_object_get(line, "kind"));
    if (as && room_pseudonym_fits(as))
        format_into(first->as, sizeof first->as, "%s", as);
    first->at = written_at(line);
    first->desk = kind && strcmp(kind, "desk") == 0;
}

static struct first first_of(const char *path, uid_t uid)
{
    struct first first = { .at = NAN };
    struct journal journal = { .path = mem_copy(path), .owner = uid };
    journal_look(&journal, 1, take_first, &first);
    journal_free(&journal);
    return first;
}

// The name that the newcomer's first line asks for, or another where that is taken.
static void choose_name(const struct room_class *class, const struct first *first, char as[ROOM_NAME])
{
    memcpy(as, first->as, ROOM_NAME);
    for (int i = 0; i < 10 * ROOM_PEOPLE && (!*as || name_taken(class, as)); i++)
        room_pseudonym(as, ROOM_NAME);
}

static void look_at_roster(struct room_class *class)
{
    if (!*class->desk) {
        journal_look(&class->roster, ROOM_PEOPLE, take_roster, class);
        return;
    }
    json_t *told = helper_told(class->room, class->desk);
    if (told) {
        json_decref(class->told);
        class->told = told;
    }
    const json_t *roster = json_object_get(class->told, "roster");
    for (; class->taken < json_array_size(roster); class->taken++)
        take_roster(class, json_array_get(roster, class->taken));
}

// A newcomer whose name is another than the one asked for is told so before it stands on the roster: of two notices the
// later one counts.
static bool tell_name(const struct room_class *class, const char *token, const struct first *first,
                      const char *as, struct error *error)
{
    char hash[17];
    room_hash(token, hash);
    return strcmp(as, first->as) == 0 ||
           room_tell_locked(class->room, "name", json_pack("{s:s, s:s}", "hash", hash, "as", as), error);
}

static bool enrol(struct room_class *class, const char *token, const struct first *first, uid_t uid,
                  struct error *error)
{
    int lock = room_lock(class->room, error);
    if (lock < 0)
        return false;
    look_at_roster(class); // another screen of the instructor may have been faster
    bool fine = true;
    if (!room_class_person(class, token)) {
        const struct room_person *before = room_claimed(class->room) ? NULL : person_of_uid(class, uid);
        char as[ROOM_NAME];
        if (before)
            memcpy(as, before->as, sizeof as);
        else
            choose_name(class, first, as);
        json_t *line = json_pack("{s:I, s:s, s:s}", "uid", (json_int_t)uid, "token", token, "as", as);
        fine =
            tell_name(class, token, first, as, error) && journal_add(class->roster.path, 0600, line, error);
        json_decref(line);
    }
    close(lock);
    look_at_roster(class);
    return fine;
}

// ---- newcomers ----------------------------------------------------------------------------------------------

// The token that a name in `in` is made of; false: it is none.
static bool token_of(const char *name, char token[ROOM_TOKEN])
{
    if (strlen(name) != ROOM_TOKEN - 1 + strlen(".jsonl") || !string_ends(name, ".jsonl"))
        return false;
    format_into(token, ROOM_TOKEN, "%.*s", ROOM_TOKEN - 1, name);
    return room_token_fits(token);
}

// A file that is not a learner's journal is counted against its owner, if that is one of the class.
static void count_strange(struct room_class *class, const struct stat *status)
{
    struct room_person *owner = room_claimed(class->room) ? NULL : person_of_uid(class, status->st_uid);
    class->strange++;
    if (owner)
        owner->extra++;
}

// Of the files of one owner the one that was begun last counts: that is where the learner is now.
static bool is_newer(const struct room_person *before, const struct first *first)
{
    return before->renewed < RENEWED_MOST && (before->left || first->at > before->came);
}

struct newcomer {
    char token[ROOM_TOKEN];
    uid_t uid;
    struct first first;
    double written; // the file, at last: of those who came within one second
};
struct newcomers { // of one look
    struct newcomer *list;
    size_t count;
};

static int by_coming(const void *a, const void *b)
{
    const struct newcomer *left = a, *right = b;
    double first = isnan(left->first.at) ? INFINITY : left->first.at,
           second = isnan(right->first.at) ? INFINITY : right->first.at;
    if (first != second)
        return first < second ? -1 : 1;
    if (left->written != right->written)
        return left->written < right->written ? -1 : 1;
    return strcmp(left->token, right->token);
}

static bool take_newcomer(struct room_class *class, const struct newcomer *newcomer, struct error *error)
{
    uid_t uid = newcomer->uid;
    if (newcomer->first.desk && helper_is(class->room, uid)) {
        if (!class->helpers)
            class->helpers = json_object();
        json_object_set_new(class->helpers, newcomer->token, json_true());
        return true;
    }
    struct room_person *before = room_claimed(class->room) ? NULL : person_of_uid(class, uid);
    if (before && !is_newer(before, &newcomer->first)) {
        before->extra++;
        return true;
    }
    return class->count >= ROOM_PEOPLE || enrol(class, newcomer->token, &newcomer->first, uid, error);
}

static void look_at_file(const struct room_class *class, const char *token, const char *name,
                         const struct stat *status, struct newcomers *newcomers)
{
    char below[64];
    format_into(below, sizeof below, "in/%s", name);
    char *path = room_path(class->room, below);
    newcomers->list = array_room(newcomers->list, newcomers->count, sizeof *newcomers->list);
    struct newcomer *newcomer = &newcomers->list[newcomers->count++];
    *newcomer = (struct newcomer){ .uid = status->st_uid, .first = first_of(path, status->st_uid) };
    newcomer->written = (double)status->st_mtim.tv_sec + (double)status->st_mtim.tv_nsec / 1e9;
    memcpy(newcomer->token, token, ROOM_TOKEN);
    free(path);
}

static void look_at_name(struct room_class *class, int folder, const char *name, struct newcomers *newcomers)
{
    char token[ROOM_TOKEN];
    struct stat status;
    bool fits = token_of(name, token);
    if ((fits && (room_class_person(class, token) || json_object_get(class->before, token) ||
                  json_object_get(class->helpers, token))) ||
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (!fits || !S_ISREG(status.st_mode) || status.st_nlink != 1) {
        count_strange(class, &status);
    } else if (status.st_size) {
        look_at_file(class, token, name, &status, newcomers);
    }
}

// Who is new since the last look, in the order in which they came by their own clocks: the first gets the name.
static bool look_for_newcomers(struct room_class *class, struct error *error)
{
    char *path = room_path(class->room, "in");
    DIR *folder = opendir(path);
    if (!folder)
        error_set(error, EXIT_MISSING, "%s cannot be listed: %s.", path, strerror(errno));
    free(path);
    bool fine = folder;
    struct newcomers newcomers = { 0 };
    for (size_t i = 0; i < class->count; i++)
        class->people[i].extra = 0;
    class->files = class->strange = 0;
    const struct dirent *entry;
    while (fine && class->files < ROOM_FILES && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        class->files++;
        look_at_name(class, dirfd(folder), entry->d_name, &newcomers);
    }
    if (folder)
        closedir(folder);
    if (newcomers.count)
        qsort(newcomers.list, newcomers.count, sizeof *newcomers.list, by_coming);
    for (size_t i = 0; fine && i < newcomers.count; i++)
        fine = take_newcomer(class, &newcomers.list[i], error);
    free(newcomers.list);
    return fine;
}

// ---- the class ----------------------------------------------------------------------------------------------

static size_t look_at_person(struct room_class *class, struct room_person *person, double now)
{
    struct telling telling = { class, person, now };
    return journal_look(&person->journal, TURN_LINES, take_told, &telling);
}

static void look_at_people(struct room_class *class, double now)
{
    size_t before, lines = 0;
    do {
        before = lines;
        for (size_t i = 0; i < class->count; i++)
            lines += look_at_person(class, &class->people[i], now);
    } while (lines > before && lines < LOOK_LINES);
}

bool room_class_look(struct room_class *class, double now, struct error *error)
{
    if (!class->roster.path)
        class->roster =
            (struct journal){ .path = room_path(class->room, "keep/roster.jsonl"), .owner = geteuid() };
    look_at_roster(class);
    look_at_people(class, now); // first who has left: they may have come again
    bool fine = *class->desk || look_for_newcomers(class, error);
    helper_tell(class->room, class->helpers);
    look_at_people(class, now);
    return fine;
}

bool room_class_read(struct room_class *class, double now, struct error *error)
{
    size_t before;
    bool fine;
    do {
        before = class->version;
        fine = room_class_look(class, now, error);
    } while (fine && class->version != before);
    return fine;
}

void room_class_free(struct room_class *class)
{
    for (size_t i = 0; i < class->count; i++)
        person_free(&class->people[i]);
    free(class->people);
    free(class->stays);
    journal_free(&class->roster);
    json_decref(class->before);
    json_decref(class->helpers);
    json_decref(class->told);
    *class = (struct room_class){ .room = class->room };
}

bool room_class_here(const struct room_person *person, double now)
{
    return person->joined && !person->left &&
           now - person->heard < (*person->shell ? ROOM_SHELL_S : ROOM_GONE_S);
}

// ---- who needs help -----------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// The median stay at the item, of those who left it again; 0: too few did.
static double usual_stay(const struct room_class *class, const char *item)
{
    double *seconds = mem_new((class->stay_count + 1) * sizeof *seconds);
    size_t count = 0;
    for (size_t i = 0; i < class->stay_count; i++)
        if (strcmp(class->stays[i].item, item) == 0)
            seconds[count++] = class->stays[i].seconds;
    qsort(seconds, count, sizeof *seconds, by_size);
    double median = count < STAYS_ENOUGH ? 0 : seconds[count / 2];
    free(seconds);
    return median;
}

// A learner who may be stuck without saying so: on an item for twice the median of those who left it, after three tries.
static bool may_be_stuck(const struct room_class *class, const struct room_person *person, double now)
{
    if (!room_class_here(person, now) || !*person->item || person->tries < TRIES_STUCK ||
        person->light != LIGHT_NONE)
        return false;
    char item[sizeof class->stays->item];
    item_key(person, item, sizeof item);
    double usual = usual_stay(class, item);
    return usual > 0 && now - person->since > 2 * usual;
}

struct need {
    size_t index;
    bool red;
    double since;
};

static int by_need(const void *a, const void *b)
{
    const struct need *left = a, *right = b;
    if (left->red != right->red)
        return left->red ? -1 : 1;
    return (left->since > right->since) - (left->since < right->since);
}

size_t room_class_needs(const struct room_class *class, double now, size_t *order)
{
    struct need *needs = mem_new((class->count + 1) * sizeof *needs);
    size_t count = 0;
    for (size_t i = 0; i < class->count; i++) {
        const struct room_person *person = &class->people[i];
        bool red = person->joined && !person->left && person->light == LIGHT_RED;
        if (red || may_be_stuck(class, person, now))
            needs[count++] = (struct need){ i, red, red ? person->light_since : person->since };
    }
    qsort(needs, count, sizeof *needs, by_need);
    for (size_t i = 0; i < count; i++)
        order[i] = needs[i].index;
    free(needs);
    return count;
}
