// Finds the newest event about something without looking at the others: a table of places, of which each event has two,
// one for its id and one for any.
#include "lessons/workbook.h"

#include <stdlib.h>
#include <string.h>

struct key {
    struct span kind, lesson, id; // id.at NULL: any
};

static bool same(const struct span *one, const struct span *other)
{
    return one->at && other->at && one->length == other->length &&
           memcmp(one->at, other->at, one->length) == 0;
}

static uint64_t hash_of(const struct key *key)
{
    uint64_t hash = hash_bytes(key->kind.at, key->kind.length);
    hash = hash_more(hash, "", 1); // "ab" "c" is not "a" "bc"
    hash = hash_more(hash, key->lesson.at, key->lesson.length);
    hash = hash_more(hash, "", 1);
    return key->id.at ? hash_more(hash, key->id.at, key->id.length) : ~hash;
}

// The place of this key, or the free one that it would take. There is always a free one.
static struct index_place *place_of(const struct book_index *index, const struct entry *entries,
                                    const struct key *key, uint64_t hash)
{
    for (size_t i = (size_t)hash & (index->room - 1);; i = (i + 1) & (index->room - 1)) {
        struct index_place *place = &index->places[i];
        if (!place->event)
            return place;
        const struct entry *entry = &entries[place->event - 1];
        if (place->hash == hash && place->any == !key->id.at && same(&entry->kind, &key->kind) &&
            same(&entry->lesson, &key->lesson) && (place->any || same(&entry->id, &key->id)))
            return place;
    }
}

// At most half of the places are taken.
static void make_room(struct book_index *index)
{
    struct book_index grown = { .room = index->room ? 2 * index->room : 64, .used = index->used };
    if (2 * (index->used + 1) <= index->room)
        return;
    grown.places = mem_new(grown.room * sizeof *grown.places);
    for (size_t i = 0; i < index->room; i++) {
        size_t at = (size_t)index->places[i].hash & (grown.room - 1);
        if (!index->places[i].event)
            continue;
        while (grown.places[at].event)
            at = (at + 1) & (grown.room - 1);
        grown.places[at] = index->places[i];
    }
    free(index->places);
    *index = grown;
}

static void put(struct book_index *index, const struct entry *entries, const struct key *key, size_t event)
{
    uint64_t hash = hash_of(key);
    make_room(index);
    struct index_place *place = place_of(index, entries, key, hash);
    index->used += !place->event;
    *place = (struct index_place){ hash, event + 1, !key->id.at };
}

void index_add(struct book_index *index, const struct entry *entries, size_t event)
{
    const struct entry *entry = &entries[event];
    struct key key = { entry->kind, entry->lesson, { NULL, 0 } };
    if (entry->marks & EVENT_REVIEW || !entry->lesson.at)
        return;
    put(index, entries, &key, event);
    key.id = entry->id;
    if (key.id.at)
        put(index, entries, &key, event);
}

static struct span span_of(const char *word)
{
    return (struct span){ word, word ? strlen(word) : 0 };
}

bool index_find(const struct book_index *index, const struct entry *entries, const char *kind,
                const char *lesson, const char *id, size_t *event)
{
    const struct key key = { span_of(kind), span_of(lesson), span_of(id) };
    if (!index->room)
        return false;
    const struct index_place *place = place_of(index, entries, &key, hash_of(&key));
    *event = place->event - 1;
    return place->event;
}

void index_free(struct book_index *index)
{
    free(index->places);
    *index = (struct book_index){ 0 };
}
