// Leaderboards of a room: opt-in, of one lab on one model of GPU or in the simulator, of runs that `room serve` had done and of
// no others.
#include "engine/room/queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESULTS_MOST = 1 << 26, PCT_MOST = 105, SECTOR = 32 };

// ---- what serve measured -----------------------------------------------------------------------------------------

bool leaders_ask(struct request *request)
{
    bool simulates = request->on == ON_SIM;
    if (!request->lab || request->params.count || request->gpus || request->instructions ||
        strcmp(request_preset(request), simulates ? "small" : "full") != 0)
        return false;
    if (!simulates && request->reps < LEADERS_REPS)
        request->reps = LEADERS_REPS;
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

static json_t *counts_of(const struct record *record)
{
    const struct record_counters *counters = record->counters;
    double waves = isfinite(counters->l1_wave_shared) ? counters->l1_wave_shared : 0;
    return json_pack("[f, f, f]", record_global_sectors(counters), waves, counters->inst);
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
    char *path = room_path(room, "keep/results.jsonl");
    int lock = line ? room_lock(room, error) : -1; // several jobs may have a result at the same time
    bool noted = line ? lock >= 0 && journal_add(path, 0600, line, error)
                      : error_set(error, EXIT_USAGE, "A result is not UTF-8.");
    if (lock >= 0)
        close(lock);
    free(path);
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

// The best of each learner on each model of GPU with each distribution of the data.
static void take_result(void *context, const json_t *line)
{
    struct ranking *ranking = context;
    const char *lab = json_string_value(json_object_get(line, "lab"));
    struct leader leader = { .median_ms = number_in(line, "median_ms"),
                             .low_ms = number_in(line, "low_ms"),
                             .high_ms = number_in(line, "high_ms"),
                             .ceiling_pct = number_in(line, "ceiling_pct") };
    line_text(line, "as", leader.as, sizeof leader.as);
    line_text(line, "device", leader.device, sizeof leader.device);
    line_text(line, "data", leader.data, sizeof leader.data);
    take_counts(&leader, line);
    bool simulated = !*leader.device;
    leader.aside =
        simulated ? leader.counts[0] * SECTOR < number_in(line, "bytes") : leader.ceiling_pct > PCT_MOST;
    if (!lab || strcmp(lab, ranking->lab) != 0 ||
        !(simulated ? leader.counts[2] > 0 : leader.median_ms > 0) ||
        !has_entered(ranking->class, leader.as, lab))
        return;
    for (size_t i = 0; i < ranking->count; i++) {
        struct leader *other = &ranking->leaders[i];
        if (strcmp(other->as, leader.as) == 0 && strcmp(other->device, leader.device) == 0 &&
            strcmp(other->data, leader.data) == 0 && other->aside == leader.aside) {
            if (by_result(&leader, other) < 0)
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

// ---- what learners see ---------------------------------------------------------------------------------------------

static json_t *row_of(const struct room_class *class, const struct leader *leader, bool named)
{
    char hash[17] = "";
    for (size_t i = 0; i < class->count; i++)
        if (strcmp(class->people[i].as, leader->as) == 0)
            queue_hash(class->people[i].token, hash);
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
