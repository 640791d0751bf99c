// What the workbook's own files share: its events, of which most are not read as JSON before somebody asks for them.
#ifndef WARPBOOK_WORKBOOK_H
#define WARPBOOK_WORKBOOK_H

#include <stdint.h>
#include <sys/types.h>

#include "lessons/lessons.h"

struct span { // at NULL: it is not there, or no text
    const char *at;
    size_t length;
};
struct entry {  // one event
    char *line; // as it stands in the file; NULL: `event` was read at once
    size_t length;
    json_t *event;                // NULL: not read yet
    struct span kind, lesson, id; // within the line or the event
    unsigned marks;               // EVENT_RIGHT, …
};

// ---- workbook_events.c ------------------------------------------------------------------------------------------

bool entry_read(struct entry *out, const char *line, size_t length); // false: it is no event

// What is written and what is read: a longer line is refused before it is written, and counts as torn where it stands in
// the file, whoever put it there.
enum { LINE_MOST = 16 << 20 }; // bytes, without the newline
static inline bool line_fits(size_t length)
{
    return length <= LINE_MOST;
}

// ---- workbook_line.c ------------------------------------------------------------------------------------------

// Whether these bytes are surely an object that jansson takes, with JSON_REJECT_DUPLICATES; then `out` has its spans.
// False says nothing: there are letters, numbers or depths that are left to jansson.
unsigned mark_of(const char *key, size_t length); // where its value is `true`
bool line_plain(const char *line, size_t length, struct entry *out);

// ---- workbook_index.c -----------------------------------------------------------------------------------------

// The newest event for each kind, lesson and id, and for each kind and lesson. Answers of a review are left out.
struct book_index { // zero-initialise
    struct index_place {
        uint64_t hash;
        size_t event; // counted from 1; 0: the place is free
        bool any;     // whatever its id is
    } * places;
    size_t room, used;
};
void index_add(struct book_index *index, const struct entry *entries, size_t event);
// `id` NULL: any. False: there is none.
bool index_find(const struct book_index *index, const struct entry *entries, const char *kind,
                const char *lesson, const char *id, size_t *event);
void index_free(struct book_index *index);

// ---- workbook.c -------------------------------------------------------------------------------------------------

struct workbook {
    char *path;
    int fd;
    char *unwritable; // why `fd` can only be read; NULL: it can be written as well
    struct entry *entries;
    size_t count;
    struct book_index index;
    size_t torn;      // whole lines that are no event
    size_t version;   // goes up whenever any of this changes
    off_t read_to;    // the start of the first line that is not read yet
    bool too_long;    // or else a place in a line that is too long, of which the rest is skipped
    bool torn_at_end; // what is behind read_to has no newline
};

#endif
