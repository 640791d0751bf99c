// A vote of a room in words: what is asked and the choices, from the instructor's line or from the lesson that it names.
#include "tui/text/text.h"

#include <string.h>

// NULL: it is no question of a lesson, or that is not installed here.
static const struct live *vote_question(const struct lessons *lessons, const struct poll *poll)
{
    for (size_t i = 0; *poll->lesson && i < lessons->count; i++) {
        const struct lesson *lesson = &lessons->list[i];
        for (size_t k = 0; strcmp(lesson->name, poll->lesson) == 0 && k < lesson->block_count; k++) {
            const struct live *live = &lesson->blocks[k].live;
            if (lesson->blocks[k].kind == BLOCK_LIVE && live->id && strcmp(live->id, poll->id) == 0)
                return live;
        }
    }
    return NULL;
}

size_t vote_choices(const struct lessons *lessons, const struct poll *poll)
{
    const struct live *live = poll->choice_count ? NULL : vote_question(lessons, poll);
    size_t count = live ? live_count(live, "choice") : poll->choice_count;
    return count < POLL_CHOICES ? count : POLL_CHOICES;
}

// The words of a live block's value in a line, without the marks of its markup.
static void add_plain(const char *value, struct text *out)
{
    size_t count = 0, from = out->length;
    struct inline_piece *pieces = pieces_read(value, &count);
    struct text words = { 0 };
    for (size_t i = 0; i < count; i++)
        text_add(&words, pieces[i].kind == INLINE_BREAK ? " " : pieces[i].text);
    pieces_free(pieces, count);
    text_add_clean(out, text_string(&words), words.length);
    text_free(&words);
    for (size_t i = from; i < out->length; i++)
        out->data[i] = out->data[i] == '\n' || out->data[i] == '\t' ? ' ' : out->data[i];
}

void vote_add_ask(const struct lessons *lessons, const struct poll *poll, struct text *out)
{
    const struct live *live = vote_question(lessons, poll);
    const char *ask = live ? live_field(live, "ask") : NULL;
    if (ask)
        add_plain(ask, out);
    else if (*poll->ask || !*poll->lesson)
        text_add(out, *poll->ask ? poll->ask : "the notice of what is asked cannot be read");
    else
        text_addf(out, "the question %s of the lesson %s, which is not installed here", poll->id,
                  poll->lesson);
}

void vote_add_choice(const struct lessons *lessons, const struct poll *poll, size_t choice, struct text *out)
{
    const struct live *live = poll->choice_count ? NULL : vote_question(lessons, poll);
    const char *words = live ? live_nth(live, "choice", choice) : NULL;
    if (words)
        add_plain(words, out);
    else if (choice < poll->choice_count)
        text_add(out, poll->choices[choice]);
}
