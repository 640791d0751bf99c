// The room that the learner is in, as the screen knows it: what seat.c, banner.c and the ballot share.
#ifndef WARPBOOK_SEAT_H
#define WARPBOOK_SEAT_H

#include "engine/room/room.h"
#include "tui/view/view.h"

// What a thread that looks into the room found there last. The screen itself never touches the room's folder, which may
// lie on a file system that hangs.
struct seat_news {
    size_t serial;        // goes up when there is something new to show
    char trouble[400];    // why the room cannot be read or written to now; "": it can
    json_int_t delivered; // the number of the newest line that is in the room
    bool ended;
    char as[ROOM_NAME];                                // as notices_name says
    char said[ROOM_TEXT], follow[2][ROOM_TEXT];        // as in struct notices
    size_t version, said_when, follow_when, poll_when; // likewise
    struct poll poll;                          // the newest, without `shown`; number 0: there was none
    unsigned votes[2][POLL_CHOICES], voted[2]; // of the class by round, once they are shown
};
struct seat_place {
    char page[ROOM_NAME], lesson[64], item[64];
};
struct seat {
    struct member *member; // its own end
    struct seat_line *line;
    uint64_t stamp; // member_stamp when it was opened
    struct seat_news news;
    uint64_t voted; // the hash of what the screen said of a vote last, until there is other news of it
    struct seat_place now, told; // where the learner is, and what the room was told of that
    double placed_ms, kept_ms;   // when the room was told a place, and anything
    double behind_ms;            // since when something is undelivered; 0: all is
    // What the banner does not show any more: notices up to these, and this trouble.
    size_t said_hidden, follow_hidden, poll_hidden;
    uint64_t trouble_hidden;
    bool follows;    // the screen goes where the instructor goes
    size_t followed; // up to this notice
};
enum { SEAT_PLACE_MS = 2000, SEAT_HERE_MS = 60000, SEAT_BEHIND_MS = 5000 };

int seat_chosen(const struct seat *seat); // in the round that is open: from 1; 0: not yet, or none is open
bool seat_is_away(const struct app *app); // what was told does not get there
bool seat_keep(struct app *app, const char *kind, json_t *fields); // `fields` is taken over; false: said why
int seat_tend(struct app *app);                                    // as seat_ops has both
void seat_close(struct app *app);
// Something was written into the workbook about a question; `first`: it had no answer before.
void seat_answered(struct app *app, const char *kind, const char *lesson, const struct live *live,
                   const json_t *event, bool first);

#endif
