// A class as a sheet, for its instructor's screen and for paper: what is wrong, the vote, who needs help, where the class
// is, and everybody in the order in which they joined. Nobody is ranked by speed, and guesses are shown here alone.
#include "tui/text/text.h"

#include <math.h>
#include <pwd.h>
#include <stdlib.h>

#include "engine/room/queue.h"

enum { AHEAD_S = 60 }; // of clocks, which is said
enum { NAME_AT = 3, PLACE_AT = 15, WIDE = 64 };

// ---- words -------------------------------------------------------------------------------------------------

static void lasting(double seconds, char *out, size_t size)
{
    double minutes = floor(seconds / 60);
    if (seconds < 60)
        format_into(out, size, "%.0f s", fmax(0, floor(seconds)));
    else if (minutes < 120)
        format_into(out, size, "%.0f min", minutes);
    else
        format_into(out, size, "%.0f h", floor(minutes / 60));
}

static const struct lesson *lesson_named(const struct lessons *lessons, const char *name)
{
    for (size_t i = 0; lessons && *name && i < lessons->count; i++)
        if (strcmp(lessons->list[i].name, name) == 0)
            return &lessons->list[i];
    return NULL;
}

// "6 sectors-of-stride-2"; outside of lessons the page.
static void place_words(const struct lessons *lessons, const struct room_person *person, struct text *out)
{
    const struct lesson *lesson = lesson_named(lessons, person->lesson);
    text_add(out, "");
    if (*person->shell) {
        bool typed = strcmp(person->shell, "-") != 0; // since the screen was left
        text_addf(out, "in the shell%s%s", typed ? ": " : "", typed ? person->shell : "");
        return;
    }
    if (*person->lesson && lesson && lesson->number)
        text_addf(out, "%d", lesson->number);
    else
        text_add(out, person->lesson);
    if (*person->item)
        text_addf(out, "%s%s", *person->lesson ? " " : "", person->item);
    if (strcmp(person->page, "output") == 0)
        text_addf(out, "%s(what a command prints)", *out->data ? " " : "");
    else if (*person->page && strcmp(person->page, "lesson") != 0)
        text_addf(out, "%s(%s)", *out->data ? " " : "", person->page);
    if (!*out->data)
        text_add(out, "-");
}

static void add_flag(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_flag(struct text *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_add(out, out->length ? ", " : "");
    text_addv(out, format, args);
    va_end(args);
}

// What is wrong with what a learner writes, or with the version; nothing where all is well.
static void flags_of(const struct room_picture *picture, const struct room_person *person, struct text *out)
{
    char ahead[24];
    if (person->journal.trouble && strcmp(person->journal.trouble, "it is too long") == 0)
        add_flag(out, "too much, the rest is unread");
    else if (person->journal.trouble)
        add_flag(out, "no longer read: %s", person->journal.trouble);
    if (picture->queue.flooder == person)
        add_flag(out, "floods the queue: %zu files at once, those above %d are removed",
                 picture->queue.flood_files, QUEUE_FILES);
    if (person->moved)
        add_flag(out, "came again from elsewhere, and is read there alone");
    if (person->extra == 1)
        add_flag(out, "a second file, which is not read");
    else if (person->extra)
        add_flag(out, "%u more files, which are not read", person->extra);
    if (person->journal.bad)
        add_flag(out, "%zu %s not to be read", person->journal.bad,
                 person->journal.bad == 1 ? "line is" : "lines are");
    if (person->clock_ahead > AHEAD_S) {
        lasting(person->clock_ahead, ahead, sizeof ahead);
        add_flag(out, "clock %s ahead", ahead);
    }
    if (*person->version && strcmp(person->version, WARPBOOK_VERSION) != 0)
        add_flag(out, "version %s, yours is %s", person->version, WARPBOOK_VERSION);
}

static bool is_red(const struct room_person *person)
{
    return person->light == LIGHT_RED;
}

static bool is_gone(const struct room_picture *picture, const struct room_person *person)
{
    return !room_class_here(person, picture->now);
}

// Words that flow after a margin of one cell.
static void begin(struct sheet *sheet, int hang)
{
    sheet_add(sheet, ROLE_TEXT, " ");
    sheet_hang(sheet, hang);
    sheet->glue = true;
}

// The front of the words that has room, with a sign where something is missing.
static void add_cell(struct sheet *sheet, enum role role, const char *words, int room)
{
    size_t fits = text_fit(words, room);
    if (words[fits])
        fits = text_fit(words, room - 1);
    sheet_add_n(sheet, role, words, fits);
    if (words[fits])
        sheet_add(sheet, ROLE_DIM, "%s", glyph(sheet->utf8, GLYPH_ELLIPSIS));
}

// ---- the head ----------------------------------------------------------------------------------------------

static void add_queue(struct sheet *sheet, const struct room_picture *picture)
{
    enum { SILENT_S = 40 }; // so long serving may wait for an answer of Slurm
    char silent[24];
    if (!picture->queue.known)
        return;
    if (picture->queue.silent_s > SILENT_S) {
        lasting(picture->queue.silent_s, silent, sizeof silent);
        begin(sheet, 1);
        sheet_flow(sheet, ROLE_NOTE, "The queue has not moved for %s: 'warpbook room serve' is not running.",
                   silent);
        sheet_end(sheet);
        return;
    }
    begin(sheet, 1);
    sheet_flow(sheet, ROLE_GPU, "%s: %zu waiting, %zu running",
               *picture->queue.gpu ? picture->queue.gpu : "GPU", picture->queue.waiting,
               picture->queue.running);
    if (*picture->queue.trouble)
        sheet_flow(sheet, ROLE_NOTE, ". %s", picture->queue.trouble);
    else if (picture->queue.each_ms > 0)
        sheet_flow(sheet, ROLE_DIM, ", %.1f s each", picture->queue.each_ms / 1e3);
    sheet_end(sheet);
}

static void add_head(struct sheet *sheet, const struct room_picture *picture)
{
    begin(sheet, 1);
    sheet_flow(sheet, ROLE_TITLE, "%s:", picture->title);
    sheet_flow(sheet, ROLE_TEXT, " %zu joined, %zu here", picture->count, picture->here);
    if (*picture->ends)
        sheet_flow(sheet, ROLE_DIM, ", ends %s", picture->ends);
    sheet_end(sheet);
    if (picture->ended)
        sheet_paragraph(sheet, ROLE_NOTE, 1, "This room is closed.");
    if (picture->claimed)
        sheet_paragraph(sheet, ROLE_NOTE, 1, "Learners share an account: names are claimed.");
    add_queue(sheet, picture);
    if (picture->untold && !picture->ended) {
        begin(sheet, 1);
        sheet_flow(sheet, ROLE_TEXT, "Names appear once the instructor's screen or 'room serve' has looked.");
        sheet_end(sheet);
    } else if (!picture->count && !picture->ended) {
        begin(sheet, 1);
        sheet_flow(sheet, ROLE_TEXT, "Nobody is here yet. Learners type 'warpbook join %s'.", picture->word);
        sheet_end(sheet);
    }
}

static void add_item(struct room_shown *shown, struct sheet *sheet, size_t person)
{
    shown->items = array_room(shown->items, shown->item_count, sizeof *shown->items);
    shown->items[shown->item_count] = person;
    sheet->item = (int)shown->item_count++;
}

// What is wrong in the folder, and with whose file.
static void add_flags(struct room_shown *shown, struct sheet *sheet)
{
    const struct room_picture *picture = shown->picture;
    size_t usual = picture->count + picture->strange;
    if (picture->files >= ROOM_FILES || picture->files > 2 * usual + 64 || picture->strange) {
        begin(sheet, 3);
        sheet_flow(sheet, ROLE_NOTE, "%s in holds %s%zu files for %zu learners",
                   glyph(sheet->utf8, GLYPH_WRONG), picture->files >= ROOM_FILES ? "more than " : "",
                   picture->files, picture->count);
        if (picture->strange)
            sheet_flow(sheet, ROLE_NOTE, ", %zu of them no learner's", picture->strange);
        sheet_end(sheet);
    }
    for (size_t i = 0; i < picture->count; i++) {
        struct text flags = { 0 };
        flags_of(picture, &picture->people[i], &flags);
        if (flags.length) {
            add_item(shown, sheet, i);
            begin(sheet, 3);
            sheet_flow(sheet, ROLE_NOTE, "%s %s: %s", glyph(sheet->utf8, GLYPH_WRONG), picture->people[i].as,
                       flags.data);
            sheet_end(sheet);
            sheet->item = -1;
        }
        text_free(&flags);
    }
}

// ---- the vote ----------------------------------------------------------------------------------------------

static bool after_round(const struct poll *poll, int round)
{
    return round == 1 ? poll->state >= POLL_CLOSED1 : poll->state >= POLL_CLOSED2;
}

static void add_state(struct sheet *sheet, const struct room_picture *picture)
{
    static const char *const states[POLL_STATES] = { "round 1 is open", "round 1 is closed",
                                                     "round 2 is open", "round 2 is closed", "shown" };
    const struct poll *poll = &picture->poll;
    unsigned voted = picture->votes.voted[poll->state >= POLL_OPEN2 && picture->votes.voted[1]];
    begin(sheet, 1);
    sheet_flow(sheet, ROLE_TITLE, "Vote %lld:", (long long)poll->number);
    if (*poll->id)
        sheet_flow(sheet, ROLE_TITLE, " %s,", poll->id);
    sheet_flow(sheet, ROLE_TEXT, " %s, %u of %zu voted", states[poll->state],
               poll->state == POLL_OPEN2 ? picture->votes.voted[1] : voted, picture->here);
    sheet_end(sheet);
}

// A choice: its votes in each round that had some, and a bar for the last of these.
static void add_choice(struct sheet *sheet, const struct room_shown *shown, size_t choice, bool right,
                       unsigned most, int last)
{
    enum { ROUND_CELLS = 5 };
    const struct poll_count *votes = &shown->picture->votes;
    bool wide = sheet->width >= WIDE;
    int after = wide ? 38 : sheet->width - 1 - ROUND_CELLS * (last + 1), room = after - 4;
    struct text words = { 0 }, bar = { 0 };
    text_add(&words, right ? drawn_flat ? "right: " : glyph(sheet->utf8, GLYPH_DONE) : "");
    text_add(&words, right && !drawn_flat ? " " : "");
    vote_add_choice(shown->lessons, &shown->picture->poll, choice, &words);
    sheet_add(sheet, ROLE_TEXT, " %zu) ", choice + 1);
    add_cell(sheet, right ? ROLE_GOOD : ROLE_TEXT, text_string(&words), room);
    for (int round = 0; round <= last; round++) {
        char number[16];
        format_into(number, sizeof number, "%u", votes->votes[round][choice]);
        sheet_to(sheet, after + ROUND_CELLS * (round + 1) - (int)strlen(number));
        sheet_add(sheet, ROLE_TEXT, "%s", number);
    }
    unsigned count = votes->votes[last][choice];
    if (wide && count)
        bar_text(&bar, sheet->utf8, (double)count / most,
                 sheet->width - after - ROUND_CELLS * (last + 1) - 2);
    if (bar.length)
        sheet_add(sheet, right ? ROLE_GOOD : ROLE_LINK, " %s", bar.data);
    sheet_end(sheet);
    text_free(&words);
    text_free(&bar);
}

// Which round the numbers and bars are of, once there are two.
static void add_rounds(struct sheet *sheet, const struct poll *poll, const struct poll_count *votes)
{
    if (poll->state < POLL_OPEN2 || !votes->voted[0])
        return;
    begin(sheet, 1);
    sheet_flow(sheet, ROLE_DIM,
               votes->voted[1] ? "Numbers: round 1, then round 2; bars: round 2."
                               : "These are the votes of round 1; in round 2 nobody has voted yet.");
    sheet_end(sheet);
}

static unsigned most_votes(const struct poll_count *votes, int round)
{
    unsigned most = 0;
    for (size_t i = 0; i < POLL_CHOICES; i++)
        most = votes->votes[round][i] > most ? votes->votes[round][i] : most;
    return most;
}

static size_t choices_of(const struct room_shown *shown)
{
    size_t choices = vote_choices(shown->lessons, &shown->picture->poll);
    for (size_t i = choices; i < POLL_CHOICES; i++) // not installed here, but voted for
        if (shown->picture->votes.votes[0][i] || shown->picture->votes.votes[1][i])
            choices = i + 1;
    return choices;
}

static void add_choices(struct sheet *sheet, const struct room_shown *shown, int right)
{
    const struct poll_count *votes = &shown->picture->votes;
    int last = shown->picture->poll.state >= POLL_OPEN2 && votes->voted[1];
    for (size_t i = 0; i < choices_of(shown); i++)
        add_choice(sheet, shown, i, (int)i == right, most_votes(votes, last), last);
    add_rounds(sheet, &shown->picture->poll, votes);
}

// What to do now, by the share of right votes, as in peer instruction.
static void add_advice(struct sheet *sheet, const struct room_picture *picture, int right)
{
    static const char *const advice[] = { "explain it, then ask another question",
                                          "let them discuss for 2 minutes, then vote again",
                                          "say in a sentence why, and go on" };
    const struct poll_count *votes = &picture->votes;
    int round = after_round(&picture->poll, 2) && votes->voted[1];
    if (!after_round(&picture->poll, 1) || picture->poll.state == POLL_OPEN2 || !votes->voted[round])
        return;
    begin(sheet, 1);
    if (right < 0) {
        if (*picture->poll.id)
            sheet_flow(sheet, ROLE_DIM,
                       "Which one is right comes out of a run: answer it in the lesson yourself, and it "
                       "stands here.");
        else
            sheet_flow(
                sheet, ROLE_DIM,
                "A question of your own has no right answer: 's' ('room show') ends it and shows the sums, "
                "'p' ('room go-on') votes again.");
        sheet_end(sheet);
        return;
    }
    unsigned share = 100 * votes->votes[round][right] / votes->voted[round];
    const char *words = advice[poll_advice(votes->votes[round][right], votes->voted[round])];
    if (round)
        sheet_flow(sheet, ROLE_TITLE, "%u %% right after talking: %s.", share,
                   share > 70 ? advice[POLL_GO_ON] : "explain it, and show the votes");
    else
        sheet_flow(sheet, ROLE_TITLE, "%u %% right: %s.", share, words);
    sheet_end(sheet);
}

static void add_moves(struct sheet *sheet, const struct room_picture *picture, int right)
{
    unsigned moved[2][2] = { { 0 } };
    const char *to = glyph(sheet->utf8, GLYPH_RIGHT);
    if (right < 0 || !after_round(&picture->poll, 2) || !picture->votes.voted[1])
        return;
    for (int from = 0; from < POLL_CHOICES; from++)
        for (int i = 0; i < POLL_CHOICES; i++)
            moved[from == right][i == right] += picture->votes.moved[from][i];
    to = drawn_flat ? "to" : to;
    begin(sheet, 1);
    sheet_flow(sheet, ROLE_TEXT, "right %s right %u, wrong %s right %u, right %s wrong %u, wrong %s wrong %u",
               to, moved[1][1], to, moved[0][1], to, moved[1][0], to, moved[0][0]);
    sheet_end(sheet);
}

static void add_ask(struct sheet *sheet, const struct room_shown *shown)
{
    struct text ask = { 0 };
    vote_add_ask(shown->lessons, &shown->picture->poll, &ask);
    sheet_paragraph(sheet, ROLE_TEXT, 1, text_string(&ask));
    text_free(&ask);
}

static void add_vote(struct sheet *sheet, const struct room_shown *shown)
{
    const struct room_picture *picture = shown->picture;
    int right = poll_right(shown->lessons, shown->workbook, &picture->poll);
    sheet_gap(sheet);
    add_state(sheet, picture);
    add_ask(sheet, shown);
    add_choices(sheet, shown, right);
    add_advice(sheet, picture, right);
    if (after_round(&picture->poll, 1) && picture->votes.voted[0] &&
        picture->votes.voted[0] < POLL_SHOWN_LEAST)
        sheet_paragraph(sheet, ROLE_DIM, 1,
                        "Fewer than 5 voted, so learners are not shown how the votes fell.");
    add_moves(sheet, picture, right);
}

// ---- who needs help ----------------------------------------------------------------------------------------

static void why_words(const struct room_picture *picture, const struct room_person *person, bool needs,
                      struct text *out)
{
    char since[24];
    text_add(out, "");
    if (is_gone(picture, person)) {
        lasting(picture->now - person->heard, since, sizeof since);
        add_flag(out, person->left ? "has left" : "gone %s", since);
    }
    if (is_red(person))
        add_flag(out, "%s%s", *person->light_text ? "asks: " : "is stuck", person->light_text);
    else if (is_gone(picture, person))
        return;
    else if (needs)
        add_flag(out, "a guess: twice as long here as most");
    else if (person->light == LIGHT_GREEN)
        add_flag(out, "is done%s%s", *person->light_text ? ": " : "", person->light_text);
}

// One learner; `needs`: as one of those who need help.
static void add_person(struct room_shown *shown, struct sheet *sheet, size_t index, bool needs)
{
    const struct room_picture *picture = shown->picture;
    const struct room_person *person = &picture->people[index];
    struct text place = { 0 }, why = { 0 };
    bool red = is_red(person), gone = is_gone(picture, person), wide = sheet->width >= WIDE;
    enum glyph sign = gone ? GLYPH_AWAY : red ? GLYPH_POINT : needs ? GLYPH_OPEN : GLYPH_DONE;
    bool signed_ = gone || red || needs || person->light == LIGHT_GREEN;
    char since[24];
    int place_room = wide ? 24 : sheet->width - PLACE_AT - 9, why_at = PLACE_AT + place_room + 16;
    place_words(shown->lessons, person, &place);
    text_add(&why, person->account); // whom to walk to
    why_words(picture, person, needs, &why);
    add_item(shown, sheet, index);
    sheet_add(sheet,
              red && !gone                            ? ROLE_BAD
              : person->light == LIGHT_GREEN && !gone ? ROLE_GOOD
                                                      : ROLE_DIM,
              " %s ", signed_ ? drawn_flat ? " " : glyph(sheet->utf8, sign) : " ");
    sheet_add(sheet, red && !gone ? ROLE_BAD : ROLE_TEXT, "%s", person->as);
    sheet_to(sheet, PLACE_AT);
    add_cell(sheet, gone ? ROLE_DIM : ROLE_TEXT, place.data, place_room);
    lasting(picture->now - (needs && red ? person->light_since : person->since), since, sizeof since);
    sheet_to(sheet, PLACE_AT + place_room + 8 - text_cells(since));
    if (person->since > 0 || red)
        sheet_add(sheet, ROLE_DIM, "%s", since);
    if (wide) {
        char tries[16];
        format_into(tries, sizeof tries, "%u", person->tries);
        sheet_to(sheet, PLACE_AT + place_room + 14 - (int)strlen(tries));
        sheet_add(sheet, ROLE_DIM, "%s", tries);
        sheet_to(sheet, why_at);
    }
    if (why.length && (!wide || why_at + text_cells(text_string(&why)) > sheet->width)) { // a line of its own
        sheet_end(sheet);
        sheet_add(sheet, ROLE_TEXT, "    ");
    }
    sheet_add_cut(sheet, red ? ROLE_TEXT : ROLE_DIM, why.data);
    sheet_end(sheet);
    sheet->item = -1;
    text_free(&place);
    text_free(&why);
}

static void add_columns(struct sheet *sheet, const char *title)
{
    sheet_gap(sheet);
    sheet_add(sheet, ROLE_TITLE, " %s", title);
    sheet_to(sheet, PLACE_AT);
    if (sheet->width >= WIDE)
        sheet_add(sheet, ROLE_DIM, "%-24s   since tries  why", "at");
    sheet_end(sheet);
}

static void add_needs(struct room_shown *shown, struct sheet *sheet)
{
    const struct room_picture *picture = shown->picture;
    if (!picture->count)
        return;
    if (!picture->need_count) {
        sheet_gap(sheet);
        sheet_paragraph(sheet, ROLE_DIM, 1, "Nobody asks for help.");
        return;
    }
    add_columns(sheet, "Needs help");
    for (size_t i = 0; i < picture->need_count; i++)
        add_person(shown, sheet, picture->needs[i], true);
}

static void add_others(struct room_shown *shown, struct sheet *sheet)
{
    const struct room_picture *picture = shown->picture;
    bool *named = mem_new(picture->count + 1), any = false;
    for (size_t i = 0; i < picture->need_count; i++)
        named[picture->needs[i]] = true;
    for (size_t i = 0; i < picture->count; i++) {
        if (named[i])
            continue;
        if (!any)
            add_columns(sheet, picture->need_count ? "The others" : "The class");
        any = true;
        add_person(shown, sheet, i, false);
    }
    free(named);
}

// ---- where the class is ------------------------------------------------------------------------------------

static bool heads(const struct lesson_block *block, const char *item)
{
    struct text words = { 0 };
    for (size_t i = 0; block->kind == BLOCK_HEADING && i < block->piece_count; i++)
        text_add(&words, block->pieces[i].text);
    bool same = words.length && strcmp(words.data, item) == 0;
    text_free(&words);
    return same;
}

// The part that holds the item, from 1; 0: the lesson has no parts, or not this item.
static size_t part_of_item(const struct lesson *lesson, const char *item)
{
    for (size_t i = 0; *item && i < lesson->block_count; i++) {
        const struct lesson_block *block = &lesson->blocks[i];
        bool asks = block->kind == BLOCK_LIVE && block->live.id && strcmp(block->live.id, item) == 0;
        if (asks || heads(block, item))
            return lesson_part_of(lesson, i);
    }
    return 0;
}

struct spread {    // how many of the class are where in one lesson
    size_t *parts; // by person: the part, from 0 on; SIZE_MAX: not in this lesson
    size_t count;  // of people
};

// "half 4, sectors-of-stride-2 11"
static void add_items(struct sheet *sheet, const struct room_picture *picture, const struct spread *places,
                      size_t part)
{
    bool any = false;
    sheet_add(sheet, ROLE_DIM, "    ");
    sheet_hang(sheet, 4);
    sheet->glue = true;
    for (size_t i = 0; i < places->count; i++) {
        const char *item = picture->people[i].item;
        unsigned same = 0;
        bool before = false;
        for (size_t k = 0; k < places->count; k++) {
            bool equal = places->parts[k] == part && strcmp(picture->people[k].item, item) == 0;
            before |= equal && k < i;
            same += equal;
        }
        if (places->parts[i] != part || before)
            continue;
        sheet_flow(sheet, ROLE_DIM, "%s%s %u", any ? ", " : "", *item ? item : "at its start", same);
        any = true;
    }
    sheet_end(sheet);
}

static void add_part(struct sheet *sheet, const char *words, unsigned here, unsigned all)
{
    char number[16];
    struct text bar = { 0 };
    int name_room = sheet->width >= WIDE ? 34 : sheet->width / 2;
    sheet_add(sheet, ROLE_TEXT, "  ");
    add_cell(sheet, here ? ROLE_TEXT : ROLE_DIM, words, name_room);
    format_into(number, sizeof number, "%u", here);
    sheet_to(sheet, name_room + 7 - (int)strlen(number));
    sheet_add(sheet, here ? ROLE_TEXT : ROLE_DIM, "%s", number);
    bar_text(&bar, sheet->utf8, all ? (double)here / all : 0, sheet->width - name_room - 10);
    if (bar.length)
        sheet_add(sheet, ROLE_LINK, " %s", bar.data);
    sheet_end(sheet);
    text_free(&bar);
}

static unsigned count_of(const struct spread *places, size_t part)
{
    unsigned count = 0;
    for (size_t i = 0; i < places->count; i++)
        count += places->parts[i] == part;
    return count;
}

// `items`: what they are at as well.
static unsigned add_lesson(struct sheet *sheet, const struct room_picture *picture,
                           const struct lesson *lesson, bool items)
{
    struct spread places = { mem_new((picture->count + 1) * sizeof(size_t)), picture->count };
    unsigned here = 0;
    char words[200];
    for (size_t i = 0; i < picture->count; i++) {
        const struct room_person *person = &picture->people[i];
        bool in = !is_gone(picture, person) && !*person->shell && strcmp(person->lesson, lesson->name) == 0;
        places.parts[i] = in ? part_of_item(lesson, person->item) : SIZE_MAX;
        here += in;
    }
    if (here) {
        format_into(words, sizeof words, " %d %s", lesson->number,
                    lesson->title ? lesson->title : lesson->name);
        sheet_gap(sheet);
        sheet_add_cut(sheet, ROLE_TITLE, words);
        sheet_end(sheet);
    }
    for (size_t part = 0; here && part <= lesson->part_count; part++) {
        unsigned count = count_of(&places, part);
        if (part)
            format_into(words, sizeof words, "%zu %s", part, lesson->parts[part - 1].title);
        else
            format_into(words, sizeof words, "%s", lesson->part_count ? "at its start" : "in it");
        if (part || count)
            add_part(sheet, words, count, (unsigned)picture->here);
        if (count && items)
            add_items(sheet, picture, &places, part);
    }
    free(places.parts);
    return here;
}

static void add_places(struct sheet *sheet, const struct room_shown *shown, bool items)
{
    const struct room_picture *picture = shown->picture;
    unsigned placed = 0;
    for (size_t i = 0; shown->lessons && i < shown->lessons->count; i++)
        placed += add_lesson(sheet, picture, &shown->lessons->list[i], items);
    if (placed && placed < picture->here)
        add_part(sheet, "elsewhere", (unsigned)picture->here - placed, (unsigned)picture->here);
}

// ---- the sheets ----------------------------------------------------------------------------------------------

struct sheet room_sheet(struct room_shown *shown, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct poll *poll = &shown->picture->poll;
    bool voting = poll->number && poll->state != POLL_SHOWN && !shown->picture->ended;
    shown->items = NULL;
    shown->item_count = 0;
    if (shown->vote_alone) {
        if (poll->number)
            add_vote(&sheet, shown);
        return sheet;
    }
    add_head(&sheet, shown->picture);
    add_flags(shown, &sheet);
    if (voting)
        add_vote(&sheet, shown);
    add_needs(shown, &sheet);
    add_places(&sheet, shown, true);
    if (poll->number && !voting && !shown->picture->ended) // the votes of a closed room are gone
        add_vote(&sheet, shown);
    add_others(shown, &sheet);
    return sheet;
}

static void add_lights(struct sheet *sheet, const struct room_picture *picture)
{
    unsigned done = 0, stuck = 0;
    for (size_t i = 0; i < picture->count; i++) {
        bool here = !is_gone(picture, &picture->people[i]);
        done += here && picture->people[i].light == LIGHT_GREEN;
        stuck += here && is_red(&picture->people[i]);
    }
    sheet_gap(sheet);
    begin(sheet, 1);
    sheet_flow(sheet, ROLE_GOOD, "%u done", done);
    sheet_flow(sheet, ROLE_TEXT, ", %u asking for help", stuck);
    sheet_end(sheet);
}

struct sheet room_projected(const struct room_shown *shown, int width, bool utf8)
{
    const struct room_picture *picture = shown->picture;
    struct sheet sheet = sheet_new(width, utf8);
    begin(&sheet, 1);
    sheet_flow(&sheet, ROLE_TITLE, "%s", picture->title);
    sheet_end(&sheet);
    sheet_gap(&sheet);
    begin(&sheet, 1);
    sheet_flow(&sheet, ROLE_TEXT, "To join, type:");
    sheet_end(&sheet);
    sheet_add(&sheet, ROLE_TITLE, "    warpbook join %s", picture->word);
    sheet_end(&sheet);
    sheet_gap(&sheet);
    begin(&sheet, 1);
    sheet_flow(&sheet, ROLE_TEXT, "%zu here", picture->here);
    sheet_end(&sheet);
    add_lights(&sheet, picture);
    if (picture->poll.number) {
        bool all = picture->poll.state == POLL_SHOWN;
        int right = all ? poll_right(shown->lessons, shown->workbook, &picture->poll) : -1;
        bool tells = all && picture->votes.voted[0] >= POLL_SHOWN_LEAST;
        sheet_gap(&sheet);
        add_state(&sheet, picture);
        add_ask(&sheet, shown);
        if (tells)
            add_choices(&sheet, shown, right);
        for (size_t i = 0; !tells && i < choices_of(shown); i++) {
            struct text words = { 0 };
            vote_add_choice(shown->lessons, &picture->poll, i, &words);
            begin(&sheet, 4);
            sheet_flow(&sheet, ROLE_TEXT, "%zu) %s", i + 1, text_string(&words));
            sheet_end(&sheet);
            text_free(&words);
        }
    }
    add_places(&sheet, shown, false);
    return sheet;
}

static void person_row(struct sheet *sheet, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void person_row(struct sheet *sheet, const char *name, const char *format, ...)
{
    struct text words = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&words, format, args);
    va_end(args);
    sheet_add(sheet, ROLE_DIM, " %s", name);
    sheet_to(sheet, PLACE_AT);
    sheet_hang(sheet, PLACE_AT);
    sheet_flow(sheet, ROLE_TEXT, "%s", words.data);
    sheet_end(sheet);
    text_free(&words);
}

struct sheet room_person_sheet(const struct room_shown *shown, const struct room_person *person, int width,
                               bool utf8)
{
    const struct room_picture *picture = shown->picture;
    struct sheet sheet = sheet_new(width, utf8);
    struct text words = { 0 };
    char since[24], name[200] = "";
    struct passwd *user = getpwuid(person->uid);
    if (user)
        format_clean(name, sizeof name, user->pw_gecos, strcspn(user->pw_gecos, ","));
    sheet_add(&sheet, ROLE_TITLE, " %s", person->as);
    sheet_end(&sheet);
    sheet_gap(&sheet);
    if (picture->claimed)
        person_row(&sheet, "account", "shared; the name is claimed");
    else if (user)
        person_row(&sheet, "account", "%s%s%s%s", user->pw_name, *name ? " (" : "", name, *name ? ")" : "");
    else
        person_row(&sheet, "account", "user %lu, who has no name here", (unsigned long)person->uid);
    place_words(shown->lessons, person, &words);
    lasting(picture->now - person->since, since, sizeof since);
    person_row(&sheet, "at", "%s%s%s", words.data, person->since > 0 ? ", since " : "",
               person->since > 0 ? since : "");
    text_free(&words);
    bool needs = false;
    for (size_t i = 0; i < picture->need_count; i++)
        needs |= &picture->people[picture->needs[i]] == person;
    why_words(picture, person, needs, &words);
    if (words.length)
        person_row(&sheet, "light", "%s", words.data);
    text_free(&words);
    person_row(&sheet, "answers", "%u right, %u wrong; %u wrong at this item", person->right, person->wrong,
               person->tries);
    if (*person->code)
        person_row(&sheet, "code", "%s: 'room code %s' shows it", person->code, person->as);
    lasting(picture->now - person->heard, since, sizeof since);
    person_row(&sheet, "heard", "%s ago", since);
    if (*person->version)
        person_row(&sheet, "warpbook", "%s%s", person->version, person->ready ? ", and was ready" : "");
    person_row(&sheet, "file", "in/%s.jsonl", person->token);
    flags_of(picture, person, &words);
    if (words.length)
        person_row(&sheet, "mind", "%s", words.data);
    text_free(&words);
    return sheet;
}
