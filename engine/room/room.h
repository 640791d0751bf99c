// Rooms: a class that meets in a folder that its members share. No daemon, no port, no lock that a member could hold:
// every file has one writer, who appends whole lines to it, and who owns a file says whose it is.
//
//   WORD/             0755  instructor
//     room.json       0644  instructor  title, lessons, what is shared; written once
//     notices.jsonl   0644  instructor  what the instructor tells all
//     in/             3733  instructor  TOKEN.jsonl 0644 of each learner: what this learner tells
//     q/              3733  instructor  requests to the class queue
//     out/            0711  instructor  answers, readable by who knows the token
//     keep/           0700  instructor  roster.jsonl, closes.jsonl, results.jsonl, what was collected
//
// A token is 32 hexadecimal digits of the system's random numbers. It is no secret from the instructor; to others `in`
// and `out` cannot be listed, so what is there can be read by nobody but those who were told the token. No group and no ACL
// is needed.
//
// All that others wrote is untrusted: a file counts when it is regular, has one name and the owner that it should have;
// text is cleaned before it is shown; nothing of it is run.
#ifndef WARPBOOK_ROOM_H
#define WARPBOOK_ROOM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

#include "engine/base/base.h"

// ---- journal.c: a file of JSON lines with one writer ----------------------------------------------------

enum {
    JOURNAL_LINE_MOST = 4096, // bytes, with the newline: one write, which a reader sees whole or not at all
    JOURNAL_MOST = 1 << 22, // bytes of a file that are read: 30 days of 8 hours on a screen are 1.2 to 1.9 MB
    JOURNAL_DEPTH = 4       // of objects and arrays in each other
};

// Appends the line, which is on disk when this returns true; the file is made with `mode` where there is none. A torn line
// of an earlier crash is closed first. The caller keeps `line`.
bool journal_add(const char *path, mode_t mode, const json_t *line, struct error *error);

struct journal { // a reader; zero-initialise, set path and owner
    char *path;
    uid_t owner; // a file of anybody else is not read
    off_t most;  // bytes of it that are read; 0: JOURNAL_MOST
    ino_t inode; // 0: nothing was read yet
    off_t read_to;
    size_t bad;          // lines that are none: torn, too long, too deep, no object
    bool skipping;       // within a line that is too long
    const char *trouble; // why it is not read any further; NULL: it is
};
// Hands on the whole lines that are new, at most `most` of them (SIZE_MAX: all); returns how many. That there is no file
// is no trouble.
size_t journal_look(struct journal *journal, size_t most, void (*take)(void *context, const json_t *line),
                    void *context);
// Functions to pass to journal_look: one keeps the line in a json_t * that the caller frees, one the largest of the lines'
// numbers in a json_int_t.
void journal_keep(void *line_out, const json_t *line);
void journal_count_on(void *number_out, const json_t *line);
// Reads as much of the file as may be read, whatever it holds.
bool journal_read(const struct journal *journal, struct text *out, struct error *error);
void journal_free(struct journal *journal);
// Text of others, cleaned, as one line.
static inline void clean_line(const char *untrusted, char *out, size_t size)
{
    format_clean(out, size, untrusted, strlen(untrusted));
    for (char *c = out; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
}
// That of a line's field; "" where it has none.
void line_text(const json_t *line, const char *key, char *out, size_t size);

// ---- folder.c: the folder of a room ---------------------------------------------------------------------

enum { ROOM_VERSION = 1 };                                                 // of all lines and files
enum { ROOM_WORD = 48, ROOM_TOKEN = 33, ROOM_NAME = 24, ROOM_TEXT = 200 }; // bytes, with the terminating 0
struct room {
    char *folder;
    char word[ROOM_WORD];
    uid_t owner;
    char *title;  // cleaned
    json_t *json; // room.json
};
struct room_terms { // what an instructor decides
    const char *title;
    const char *lessons; // "5,6,7", or NULL: all
    const char *ends;    // when it is planned to end, as clock_date has it; NULL: not known
    bool claimed; // learners share an account: names are claimed, and files of one owner are many learners
    json_t *with; // accounts that see the class as well, as helper_named makes it; NULL: nobody
};
// Makes the folder of a new room, under a word that no other room here has.
bool room_make(const struct room_terms *terms, struct room *out, struct error *error);
// Opens a room by its word or the path of its folder. Refuses a folder whose files another than its owner could have put
// there.
bool room_open(const char *word, struct room *out, struct error *error);
// The words of all rooms here, of which some may be no rooms any more; the caller frees each and the array.
char **room_words(size_t *count);
void room_free(struct room *room);
bool room_claimed(const struct room *room);
char *room_path(const struct room *room, const char *below); // the caller frees
// Takes the lock under which the instructor's processes write: a descriptor to close afterwards; -1 with an error.
int room_lock(const struct room *room, struct error *error);
// Appends to the notices, as the instructor; of several processes of the instructor one after the other.
bool room_tell(const struct room *room, const char *kind, json_t *fields, struct error *error);
bool room_tell_locked(const struct room *room, const char *kind, json_t *fields,
                      struct error *error); // by who has the lock
// Removes what learners wrote, who were told that it is over; with `forget` what the instructor kept as well. `left` says
// how many things could not be removed.
bool room_end(const struct room *room, bool forget, size_t *left, struct error *error);
bool room_token_new(char out[ROOM_TOKEN], struct error *error);
bool room_token_fits(const char *token);
bool room_word_fits(const char *word);       // "maple-otter"
void room_pseudonym(char *out, size_t size); // "otter-12", at random
bool room_pseudonym_fits(const char *as);
// A token or a ticket's name as it is shown to those who do not know it.
void room_hash(const char *secret, char out[17]);

// ---- class.c: what the learners told, as one state ------------------------------------------------------

enum room_light { LIGHT_NONE, LIGHT_RED, LIGHT_GREEN };
struct room_person {
    uid_t uid;
    char account[ROOM_NAME]; // of this uid, cleaned; "" it has no name, or names are claimed
    char token[ROOM_TOKEN], as[ROOM_NAME];
    struct journal journal;
    json_int_t n;       // of the newest line; what is not newer is a repetition
    double heard;       // when the newest line was written, in seconds since 1970; never later than now
    double clock_ahead; // by how many seconds the learner's clock was, at the newest line; not known below 0
    bool joined, left, ready;
    char version[ROOM_NAME];
    char page[ROOM_NAME], lesson[64], item[64]; // where the learner is; "" unknown
    double since;                               // there
    char shell[ROOM_NAME]; // beside that, the command of the newest sign of life; "" a screen
    json_int_t handed_in;  // the line that ended the newest work that was handed in; 0: none
    enum room_light light;
    char light_text[ROOM_TEXT]; // cleaned
    double light_since;
    unsigned tries, right, wrong; // tries: at this item
    json_t *votes;                // "POLL.ROUND": [[n, choice], …] in the order of n
    json_t *entered;              // labs of leaderboards: true
    unsigned extra;               // further files of the same owner, which are not read
    char code[64];                // the name of the file that was shown last, cleaned; "" none
    unsigned renewed;             // how often the owner came again with another file
    double came;                  // when the file was begun
    bool moved;                   // and had not left: the file before is not read any more
};
struct room_stay { // of one learner, at an item that was left again
    char item[128];
    double seconds;
};
struct room_class {
    const struct room *room;
    struct room_person *people; // in the order of the roster
    size_t count;
    struct room_stay *stays;
    size_t stay_count;
    struct journal roster;
    json_t *before;        // tokens of files whose owner came again with another one: true
    json_t *helpers;       // tokens of those who ask for what the instructor sees: true
    char desk[ROOM_TOKEN]; // who looks is a helper, under this token; "" the instructor
    json_t *told;          // a helper's: what the instructor's processes have answered
    size_t taken;          // lines of the roster in it that were taken
    size_t files;          // names in `in`, of which no more than ROOM_FILES are looked at
    size_t strange;        // of these, what is no learner's file
    size_t version;        // goes up whenever a line was taken
};
enum { ROOM_PEOPLE = 1000, ROOM_FILES = 20000 };
// A screen tells each minute that it is there; a shell tells of commands alone.
enum { ROOM_GONE_S = 150, ROOM_SHELL_S = 1200 };
// The instructor's look: reads what is new and gives newcomers their place on the roster. `now`: in seconds since 1970.
// A helper's sees those whom a look of the instructor has put there.
bool room_class_look(struct room_class *class, double now, struct error *error);
// The same until nothing is new: one look reads no more than a part of what each has told.
bool room_class_read(struct room_class *class, double now, struct error *error);
void room_class_free(struct room_class *class);
struct room_person *room_class_person(const struct room_class *class, const char *token); // NULL: nobody
bool room_class_here(const struct room_person *person, double now);
// Who needs help: first the reds, the oldest first, then those that are guessed. Returns how many; `order`, which has
// room for all, gets their indices.
size_t room_class_needs(const struct room_class *class, double now, size_t *order);

// ---- helper.c: accounts that see the class as its instructor does ------------------------------------------------

bool helper_named(json_t *with, const char *name, struct error *error); // adds it to room_terms.with
bool helper_is(const struct room *room, uid_t uid);
void helper_names(const json_t *json, struct text *out); // those of a room.json, cleaned; none: nothing
// The helper asks for what the instructor sees, under a token that is the same the next time.
bool helper_ask(const struct room *room, char token[ROOM_TOKEN], struct error *error);
json_t *helper_told(const struct room *room, const char *token); // {roster, closes}; NULL: nothing yet
void helper_tell(const struct room *room, const json_t *helpers);

// ---- notices.c: what the instructor tells all, as one state ----------------------------------------------

enum { POLL_CHOICES = 9 };
enum poll_state { POLL_OPEN1, POLL_CLOSED1, POLL_OPEN2, POLL_CLOSED2, POLL_SHOWN, POLL_STATES };
struct poll {
    json_int_t number; // from 1
    enum poll_state state;
    char lesson[64], id[64]; // a question of a lesson; "" for one that was asked here
    char ask[ROOM_TEXT];     // cleaned; "" for a question of a lesson
    char choices[POLL_CHOICES][ROOM_TEXT];
    size_t choice_count; // 0: those of the lesson's question
    json_t *shown;       // how many chose what, by round: [[1, 2], [0, 3]]; NULL before it is shown
};
struct notices { // zero-initialise, set the journal's path and owner
    struct journal journal;
    struct poll *polls;
    size_t poll_count;
    char said[ROOM_TEXT];      // the last that was said; cleaned
    char follow[2][ROOM_TEXT]; // where the instructor is: lesson and item; "" nowhere
    json_t *
        names; // by the hash of a learner's token the name that the room gave instead of the one asked for; NULL: none
    bool ended;
    size_t version;                           // goes up whenever a line was taken
    size_t said_when, follow_when, poll_when; // `version` when each was told last; 0: never
};
void notices_look(struct notices *notices);
void notices_free(struct notices *notices);
// The name of the learner with this token where the room gave another than was asked for; else "".
const char *notices_name(const struct notices *notices, const char *token);
// The poll that can be voted in, or whose votes are discussed; NULL: none.
const struct poll *notices_poll(const struct notices *notices);
int poll_round(const struct poll *poll);                           // 1 or 2 while it is open, else 0
json_t *poll_line(const struct poll *poll, enum poll_state state); // as a notice

// ---- desk.c: the instructor's end ---------------------------------------------------------------------------

struct desk { // stays where it is while it is open
    struct room room;
    struct room_class class;
    struct notices notices;
};
// NULL: the room that this user opened last. Refuses a room of another user whose helper this one is not.
bool desk_open(const char *word, struct desk *out, struct error *error);
bool desk_note(const struct room *room, struct error *error); // as the one opened last
// Reads what is new from learners and from other screens of the instructor; in a closed room, the notices alone.
bool desk_look(struct desk *desk, double now, struct error *error);
bool desk_read(struct desk *desk, double now, struct error *error);
void desk_close(struct desk *desk);

// ---- poll.c: votes in two rounds, for the instructor ------------------------------------------------------

// Opens a further poll: `poll` has its text, and gets its number. One that is open is closed first.
bool poll_begin(const struct room *room, struct room_class *class, struct notices *notices,
                const struct poll *poll, struct error *error);
// Closes an open round, or opens the second one.
bool poll_go_on(const struct room *room, struct room_class *class, struct notices *notices,
                struct error *error);
// Tells the learners how many chose what, unless fewer than POLL_SHOWN_LEAST voted.
bool poll_show(const struct room *room, struct room_class *class, struct notices *notices,
               struct error *error);
enum { POLL_SHOWN_LEAST = 5 };

struct poll_count {
    unsigned votes[2][POLL_CHOICES], voted[2];  // by round
    unsigned moved[POLL_CHOICES][POLL_CHOICES]; // of those who voted in both: from which choice to which
};
// The votes of a closed round are those that were told when it was closed, whatever comes later.
void poll_counts(const struct room *room, const struct room_class *class, const struct poll *poll,
                 struct poll_count *out);
// What the share of right votes in round one asks for, as in peer instruction: below 35 per cent explain, up to 70 discuss
// and vote again, above go on.
enum poll_advice { POLL_EXPLAIN, POLL_DISCUSS, POLL_GO_ON };
enum poll_advice poll_advice(unsigned right, unsigned voted);

// ---- member.c: the learner's end ------------------------------------------------------------------------

// What a learner tells goes into a journal of the learner's own first, numbered, and from there into the room as soon as
// that can be reached. So nothing that a screen confirmed is lost when the room cannot be written to, and nothing gets
// there twice. A member has two ends: keeping needs the learner's own folder alone; whatever needs the room may wait for
// its file system, and is for a thread of its own. The two may be used at the same time.
struct member;
struct errand;       // reach.h
struct member_link { // how the room is reached; through its folder, where nothing else is said
    // Whether it can be, and how far it has what was told: member->delivered.
    bool (*reach)(struct member *member, struct error *error);
    bool (*put)(struct member *member, const json_t *line, struct error *error); // true: it is in the room
    bool (*look)(struct member *member, struct notices *notices, struct error *error); // at what is new
};
struct member {
    char *folder; // the learner's own, below rooms/
    char *place;  // the room's folder
    char word[ROOM_WORD], token[ROOM_TOKEN], as[ROOM_NAME];
    uid_t owner; // of the room, when it was joined
    // ---- the own end
    struct journal kept;
    json_int_t told; // the number of the newest line
    struct {
        json_int_t poll; // 0: none yet
        int round, choice;
    } vote; // the newest
    enum room_light light;
    size_t seen; // up to which notice the learner hid them, as notices.version counts
    // ---- the room's end
    const struct member_link *link;
    struct room room; // without a folder until it was reached
    struct journal own, there;
    json_int_t delivered;
    struct errand *errand; // where the room is the mirror of one on another machine; else NULL
};
// Joins under this pseudonym, or under one at random where `as` is NULL, and tells the room. The learner was asked before.
bool member_join(const char *word, const char *as, const char *version, struct member **out,
                 struct error *error);
// The room that was joined last and not left, which need not be reached. NULL with EXIT_RIGHT in `error`: there is none.
struct member *member_open(struct error *error);
void member_close(struct member *member);
// A number that is another one after the learner has joined or left a room; 0: none was ever joined.
uint64_t member_stamp(void);
// True: it is kept. `fields` (NULL: none) is taken over. "at" and "here", which are worth little later, are let go when
// the journal is half full.
bool member_keep(struct member *member, const char *kind, json_t *fields, struct error *error);
void member_refresh(struct member *member); // what other processes of the learner have kept
// Delivers what is not in the room yet; false: some of it still is not.
bool member_deliver(struct member *member, struct error *error);
bool member_reach(struct member *member, struct error *error); // member->room is open then
// Reads the notices. `fresh`, for a command, which looks once: where the room is on another machine this waits for what is
// new there; if that cannot be reached, what came before is read.
bool member_look(struct member *member, struct notices *notices, bool fresh, struct error *error);
void member_named(struct member *member, const char *as); // by the room, as notices_name says
// Whether a room that was reached has ended: it says so, or what it was is gone.
bool member_ended(struct member *member, struct notices *notices);
// Keeps it and tries to deliver it; true: it is kept, if not yet delivered.
bool member_tell(struct member *member, const char *kind, json_t *fields, struct error *error);
bool member_leave(struct member *member,
                  struct error *error); // what cannot be delivered now stays undelivered
bool member_forget(const struct member *member, struct error *error); // for a room that is no more
// Tells that the learner is here and works in the shell, by this command; of several within seconds the first alone. Does
// nothing where no room was joined. Waits for no other machine, which is told where a connection is open.
void member_works(const char *command);
bool member_saw(struct member *member, size_t version, struct error *error); // notices: member->seen

#endif
