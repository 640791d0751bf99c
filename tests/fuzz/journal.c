// A learner's journal of any bytes: the instructor's end takes it line by line, in one look or in many, and comes to the
// same state; no text of it keeps a control character.
#include "tests/fuzz/shared/fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/room/room.h"

static const double NOW = 4e9;

static void must_be_clean(const char *text)
{
    for (; *text; text++)
        must((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void look(struct room_class *class)
{
    struct error error;
    must(room_class_look(class, NOW, &error));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct room room;
    static char *path;
    struct error error;
    if (!path) {
        struct room_terms terms = { .title = "fuzz", .claimed = true };
        setenv("WARPBOOK_ROOMS", fuzz_home(), 1);
        must(chmod(fuzz_home(), 0755) == 0);
        must(room_make(&terms, &room, &error));
        path = room_path(&room, "in/00000000000000000000000000000001.jsonl");
    }
    struct room_class once = { .room = &room }, pieces = { .room = &room };
    unlink(path);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
    must(fd >= 0);
    for (size_t at = 0; at < size; at += size / 3 + 1) {
        size_t length = size - at < size / 3 + 1 ? size - at : size / 3 + 1;
        must(write(fd, data + at, length) == (ssize_t)length);
        look(&pieces);
    }
    close(fd);
    for (size_t i = 0; i < 2 + size / 100; i++) {
        look(&once);
        look(&pieces);
    }
    must(once.count == pieces.count);
    for (size_t i = 0; i < once.count; i++) {
        const struct room_person *one = &once.people[i], *other = &pieces.people[i];
        must(one->n == other->n && one->journal.bad == other->journal.bad);
        must(one->light == other->light && one->tries == other->tries &&
             json_equal(one->votes, other->votes));
        must_be_clean(one->as);
        must_be_clean(one->item);
        must_be_clean(one->light_text);
        must_be_clean(one->version);
    }
    room_class_free(&once);
    room_class_free(&pieces);
    return 0;
}
