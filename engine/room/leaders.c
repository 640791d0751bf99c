// Leaderboards of a room: opt-in, of one lab on one model of GPU or in the simulator, of runs that `room serve` had done and of
// no others.
#include "engine/room/queue.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { RESULTS_MOST = 1 << 26, PCT_MOST = 105, SECTOR = 32 };

// ---- what serve measured -----------------------------------------------------------------------------------------

// For data that no kernel has seen before.
static int private_seed(void)
{
    unsigned bytes = 0;
    (void)!getrandom(&bytes, sizeof bytes, 0);
    return 1 + (int)(bytes % (unsigned)(INT32_MAX - 1));
}

bool leaders_ask(struct request *request)
{
    bool simulates = request->on == ON_SIM;
    if (!request->lab || !request->source || request->params.count || request->gpus ||
        request->instructions || strcmp(request_preset(request), simulates ? "small" : "full") != 0)
        return false;
    if (!simulates && request->reps < LEADERS_REPS)
        request->reps = LEADERS_REPS;
    if (!simulates)
        request->seed = private_seed();
    if (simulates)
        request->check = REQUEST_CHECK_ALL;
    return true;
}

bool leaders_may_enter(const struct request *request, const struct record *record)
{
    struct request same = *request;
    if (record->status != STATUS_RIGHT || !leaders_ask(&same))
        return false;
    if (request->on == ON_SIM)
        return record->counters && record->counters->inst > 0;
    return record->device && record->reps >= LEADERS_REPS && record->median_ms > 0 &&
           isfinite(record->low_ms) && isfinite(record->high_ms);
}

// The request of a learner's best run in a table is kept, so that it can be measured again.
static char *entry_path(const struct room *room, const char *as, const char *lab, const char *device,
                        const char *data)
{
    char *key = text_format("%s\n%s\n%s\n%s", as, lab, device, data);
    char *below = text_format("keep/entry-%016llx", (unsigned long long)hash_bytes(key, strlen(key)));
    char *path = room_path(room, below);
    free(below);
    free(key);
    return path;
}

static json_t *read_entry(const char *path)
{
    struct text text = { 0 };
    struct error unused;
    json_t *entry = private_read(path, &text, &unused) ? json_loads(text_string(&text), 0, NULL) : NULL;
    text_free(&text);
    return entry;
}

static bool keep_entry(const struct room *room, const char *as, const struct request *request,
                       const struct record *record, struct error *error)
{
    char *path = entry_path(room, as, request->lab, record->device, record->data ? record->data : "");
    json_t *before = read_entry(path);
    double best = before ? json_number_value(json_object_get(before, "median_ms")) : INFINITY;
    json_decref(before);
    bool kept = true;
    if (record->median_ms < best) {
        json_t *entry =
            json_pack("{s:f, s:o}", "median_ms", record->median_ms, "request", request_to_json(request));
        char *dumped = entry ? json_dumps(entry, JSON_COMPACT) : NULL;
        kept = dumped ? private_replace(path, dumped, strlen(dumped), error)
                      : error_set(error, EXIT_USAGE, "A request is not UTF-8.");
        free(dumped);
        json_decref(entry);
    }
    free(path);
    return kept;
}

static json_t *counts_of(const struct record *record)
{
    const struct record_counters *counters = record->counters;
    double waves = isfinite(counters->l1_wave_shared) ? counters->l1_wave_shared : 0;
    return json_pack("[f, f, f]", record_global_sectors(counters), waves, counters->inst);
}

static bool add_line(const struct room *room, const json_t *line, struct error *error)
{
    char *path = room_path(room, "keep/results.jsonl");
    int lock = room_lock(room, error); // several jobs may have a result at the same time
    bool added = lock >= 0 && journal_add(path, 0600, line, error);
    if (lock >= 0)
        close(lock);
    free(path);
    return added;
}

bool leaders_note(const struct room *room, const char *as, const struct request *request,
                  const struct record *record, struct error *error)
{
    bool simulated = request->on == ON_SIM;
    json_t *line = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s*, s:s*}", "v", 1, "as", as, "lab", request->lab,
                             "variant", request->variant ? request->variant : "", "device",
                             simulated ? "" : record->device, "data", record->data, "at", record->date);
    json_t *more = simulated ? json_pack("{s:o, s:f}", "counts", counts_of(record), "bytes", record->bytes)
                             : json_pack("{s:f, s:f, s:f, s:f}", "median_ms", record->median_ms, "low_ms",
                                         record->low_ms, "high_ms", record->high_ms, "reps", record->reps);
    if (line)
        json_object_update(line, more);
    json_decref(more);
    if (line && !simulated && isfinite(record->ceiling_pct))
        json_object_set_new(line, "ceiling_pct", json_real(record->ceiling_pct));
    bool noted =
        line ? add_line(room, line, error) && (simulated || keep_entry(room, as, request, record, error))
             : error_set(error, EXIT_USAGE, "A result is not UTF-8.");
    json_decref(line);
    return noted;
}

// ---- the table -----------------------------------------------------------------------------------------------------

struct ranking { // the context of reading results
    const struct room_class *class;
    const char *lab;
    struct leader *leaders;
    size_t count;
};

static bool has_entered(const struct room_class *class, const char *as, const char *lab)
{
    for (size_t i = 0; i < class->count; i++)
        if (strcmp(class->people[i].as, as) == 0)
            return json_is_true(json_object_get(class->people[i].entered, lab));
    return false;
}

static double number_in(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void take_counts(struct leader *leader, const json_t *line)
{
    const json_t *counts = json_object_get(line, "counts");
    for (size_t i = 0; i < LEADERS_COUNTS; i++)
        leader->counts[i] = json_number_value(json_array_get(counts, i));
}

static int by_result(const struct leader *a, const struct leader *b)
{
    for (size_t i = 0; i < LEADERS_COUNTS; i++)
        if (a->counts[i] < b->counts[i] || a->counts[i] > b->counts[i])
            return a->counts[i] < b->counts[i] ? -1 : 1;
    return *a->device ? (a->median_ms > b->median_ms) - (a->median_ms < b->median_ms) : 0;
}

// Who was wrong when measured again is set aside.
static void take_wrong(struct ranking *ranking, const struct leader *wrong)
{
    for (size_t i = 0; i < ranking->count; i++) {
        struct leader *leader = &ranking->leaders[i];
        leader->aside = leader->aside ||
                        (strcmp(leader->as, wrong->as) == 0 && strcmp(leader->device, wrong->device) == 0 &&
                         strcmp(leader->data, wrong->data) == 0);
    }
}

// The best of each learner on each model of GPU with each distribution of the data; what was measured again takes its place.
static void take_result(void *context, const json_t *line)
{
    struct ranking *ranking = context;
    const char *lab = json_string_value(json_object_get(line, "lab"));
    struct leader leader = { .median_ms = number_in(line, "median_ms"),
                             .low_ms = number_in(line, "low_ms"),
                             .high_ms = number_in(line, "high_ms"),
                             .ceiling_pct = number_in(line, "ceiling_pct"),
                             .again = json_is_true(json_object_get(line, "again")) };
    line_text(line, "as", leader.as, sizeof leader.as);
    line_text(line, "device", leader.device, sizeof leader.device);
    line_text(line, "data", leader.data, sizeof leader.data);
    take_counts(&leader, line);
    bool simulated = !*leader.device;
    leader.aside =
        simulated ? leader.counts[0] * SECTOR < number_in(line, "bytes") : leader.ceiling_pct > PCT_MOST;
    if (lab && strcmp(lab, ranking->lab) == 0 && leader.again && !(leader.median_ms > 0))
        take_wrong(ranking, &leader);
    if (!lab || strcmp(lab, ranking->lab) != 0 ||
        !(simulated ? leader.counts[2] > 0 : leader.median_ms > 0) ||
        !has_entered(ranking->class, leader.as, lab))
        return;
    for (size_t i = 0; i < ranking->count; i++) {
        struct leader *other = &ranking->leaders[i];
        if (strcmp(other->as, leader.as) == 0 && strcmp(other->device, leader.device) == 0 &&
            strcmp(other->data, leader.data) == 0 && other->aside == leader.aside) {
            if (leader.again || by_result(&leader, other) < 0)
                *other = leader;
            return;
        }
    }
    ranking->leaders = array_room(ranking->leaders, ranking->count, sizeof *ranking->leaders);
    ranking->leaders[ranking->count++] = leader;
}

static int by_place(const void *a, const void *b)
{
    const struct leader *left = a, *right = b;
    int order = strcmp(left->device, right->device);
    order = order ? order : strcmp(left->data, right->data);
    order = order ? order : left->aside - right->aside;
    return order ? order : by_result(left, right);
}

static bool same_table(const struct leader *a, const struct leader *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->data, b->data) == 0 && a->aside == b->aside;
}

// Times whose intervals overlap that of the first of their group share its place, and so do counts that are the same: 1,
// 2, 2, 4.
static void place(struct leader *leaders, size_t count)
{
    size_t table = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (!same_table(&leaders[table], &leaders[i]))
            table = first = i;
        else if (*leaders[i].device ? leaders[i].low_ms > leaders[first].high_ms
                                    : by_result(&leaders[i], &leaders[first]) != 0)
            first = i;
        leaders[i].place = (int)(first - table) + 1;
    }
}

size_t leaders_of(const struct room *room, const struct room_class *class, const char *lab,
                  struct leader **out)
{
    struct ranking ranking = { .class = class, .lab = lab };
    struct journal journal = { .path = room_path(room, "keep/results.jsonl"),
                               .owner = room->owner,
                               .most = RESULTS_MOST };
    journal_look(&journal, SIZE_MAX, take_result, &ranking);
    journal_free(&journal);
    if (ranking.count) {
        qsort(ranking.leaders, ranking.count, sizeof *ranking.leaders, by_place);
        place(ranking.leaders, ranking.count);
    }
    *out = ranking.leaders;
    return ranking.count;
}

// ---- measuring again -----------------------------------------------------------------------------------------------

// The first of a leaderboard are measured once more before they are announced, in turns: what clocks and neighbours do to one
// of them meanwhile they do to all.
enum {
    CONTENDERS_MOST = 9,
    ROUNDS = 6, // between the least and the most of 6 is the median, in 97 of 100 cases
    ROUND_REPS = 5
};

struct contender {
    const struct leader *leader;
    struct request request;
    double times[ROUNDS], bytes_pct; // of the ceiling, times the milliseconds that it was measured in
    size_t count;
    bool wrong, elsewhere; // elsewhere: this is not the GPU of its table
};
struct contest {
    const struct room *room;
    const char *lab;
    struct contender list[CONTENDERS_MOST];
    size_t count;
};

static void find_contenders(struct contest *contest, const struct leader *leaders, size_t count)
{
    struct error unused;
    for (size_t i = 0; i < count && contest->count < CONTENDERS_MOST; i++) {
        const struct leader *leader = &leaders[i];
        if (!*leader->device || leader->aside || leader->place > AGAIN_PLACES)
            continue;
        char *path = entry_path(contest->room, leader->as, contest->lab, leader->device, leader->data);
        json_t *entry = read_entry(path);
        struct contender *contender = &contest->list[contest->count];
        *contender = (struct contender){ .leader = leader };
        if (request_from_json(&contender->request, json_object_get(entry, "request"), &unused))
            contest->count++;
        else
            request_free(&contender->request);
        json_decref(entry);
        free(path);
    }
}

struct measured_turn {
    const struct contender *contender;
    int round, seed; // all have the same data in a round
    client_progress progress;
    void *context;
};

// "round 2 of 6, otter-1: timing"
static bool tell_turn(void *context, const char *stage, double seconds)
{
    const struct measured_turn *turn = context;
    char words[160];
    format_into(words, sizeof words, "round %d of %d, %s: %s", turn->round + 1, ROUNDS,
                turn->contender->leader->as, stage);
    return !turn->progress || turn->progress(turn->context, words, seconds);
}

static bool run_one(struct contender *contender, struct client *client, struct measured_turn *turn,
                    struct error *error)
{
    struct record record;
    struct request *request = &contender->request;
    request->fresh = true;
    request->seed = turn->seed;
    request->reps = ROUND_REPS;
    turn->contender = contender;
    if (!client_run(client, request, tell_turn, turn, &record, error))
        return false;
    contender->elsewhere =
        !record.device || strcmp(record.device, contender->leader->device) != 0; // whatever came out
    contender->wrong = record.status != STATUS_RIGHT || !(record.median_ms > 0);
    if (!contender->wrong)
        contender->times[contender->count++] = record.median_ms;
    contender->bytes_pct = record.ceiling_pct * record.median_ms;
    record_free(&record);
    return true;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// A line that takes the place of what the learner had in this table; without times of one who is set aside.
static json_t *line_of(const struct contest *contest, struct contender *contender)
{
    char now[32];
    double *times = contender->times;
    clock_date(now, sizeof now);
    json_t *line = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:b}", "v", 1, "as", contender->leader->as,
                             "lab", contest->lab, "device", contender->leader->device, "data",
                             contender->leader->data, "at", now, "again", 1);
    if (contender->wrong)
        return line;
    qsort(times, ROUNDS, sizeof *times, by_size);
    double median = (times[ROUNDS / 2 - 1] + times[ROUNDS / 2]) / 2;
    json_object_set_new(line, "median_ms", json_real(median));
    json_object_set_new(line, "low_ms", json_real(times[0]));
    json_object_set_new(line, "high_ms", json_real(times[ROUNDS - 1]));
    if (isfinite(contender->bytes_pct))
        json_object_set_new(line, "ceiling_pct", json_real(contender->bytes_pct / median));
    return line;
}

bool leaders_again(const struct room *room, const struct room_class *class, const char *lab,
                   struct client *client, client_progress progress, void *context, size_t *count,
                   struct error *error)
{
    struct leader *leaders;
    struct contest contest = { .room = room, .lab = lab };
    size_t all = leaders_of(room, class, lab, &leaders);
    find_contenders(&contest, leaders, all);
    bool fine = true;
    struct measured_turn turn = { .progress = progress, .context = context };
    for (; fine && turn.round < ROUNDS; turn.round++) {
        turn.seed = private_seed();
        for (size_t i = 0; fine && i < contest.count; i++)
            if (!contest.list[i].wrong && !contest.list[i].elsewhere)
                fine = run_one(&contest.list[i], client, &turn, error);
    }
    *count = 0;
    for (size_t i = 0; i < contest.count; i++) {
        if (fine && !contest.list[i].elsewhere) {
            json_t *line = line_of(&contest, &contest.list[i]);
            fine = add_line(room, line, error);
            json_decref(line);
            (*count)++;
        }
        request_free(&contest.list[i].request);
    }
    free(leaders);
    return fine;
}

// ---- what learners see ---------------------------------------------------------------------------------------------

static json_t *row_of(const struct room_class *class, const struct leader *leader, bool named)
{
    char hash[17] = "";
    for (size_t i = 0; i < class->count; i++)
        if (strcmp(class->people[i].as, leader->as) == 0)
            room_hash(class->people[i].token, hash);
    json_t *row =
        json_pack("{s:i, s:s, s:s*}", "place", leader->place, "hash", hash, "as", named ? leader->as : NULL);
    json_t *result = *leader->device ? json_pack("{s:f, s:f, s:f}", "median_ms", leader->median_ms, "low_ms",
                                                 leader->low_ms, "high_ms", leader->high_ms)
                                     : json_pack("{s:[f, f, f]}", "counts", leader->counts[0],
                                                 leader->counts[1], leader->counts[2]);
    json_object_update(row, result);
    json_decref(result);
    if (row && *leader->device && isfinite(leader->ceiling_pct))
        json_object_set_new(row, "pct", json_real(leader->ceiling_pct));
    return row;
}

// The tables of one lab, which come one after the other; what is set aside is in none.
static void add_boards(const struct room_class *class, const char *lab, const struct leader *leaders,
                       size_t count, json_t *boards)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && same_table(&leaders[begin], &leaders[end]);)
            end++;
        if (leaders[begin].aside || end - begin < BOARD_LEAST)
            continue;
        json_t *rows = json_array();
        for (size_t i = begin; i < end && i - begin < BOARD_MOST; i++)
            json_array_append_new(rows, row_of(class, &leaders[i], i - begin < BOARD_NAMED));
        json_array_append_new(boards, json_pack("{s:s, s:s, s:s, s:I, s:o}", "lab", lab, "device",
                                                leaders[begin].device, "data", leaders[begin].data, "entered",
                                                (json_int_t)(end - begin), "rows", rows));
    }
}

json_t *leaders_boards(const struct room *room, const struct room_class *class)
{
    json_t *labs = json_object(), *boards = json_array();
    const char *lab;
    json_t *entered;
    for (size_t i = 0; i < class->count; i++)
        if (class->people[i].entered)
            json_object_update(labs, class->people[i].entered);
    json_object_foreach(labs, lab, entered)
    {
        struct leader *leaders;
        size_t count = leaders_of(room, class, lab, &leaders);
        add_boards(class, lab, leaders, count, boards);
        free(leaders);
    }
    json_decref(labs);
    return boards;
}
