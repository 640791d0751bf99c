// The lesson page: what its files share.
#ifndef WARPBOOK_LESSON_PAGE_H
#define WARPBOOK_LESSON_PAGE_H

#include "tui/view/live.h"

#include <string.h>

enum { NO_QUESTION = -1 };
struct lesson_page {
    const struct lesson *lesson; // NULL: the list of all
    struct question *questions;  // one for each live block
    size_t question_count;
    unsigned char *folds;    // by block of the lesson
    bool notes;              // those for an instructor are shown
    struct lesson_text text; // its sheet is the reader's
    struct reader reader;
    struct reader outline; // when it stands in the place of the text
    bool outlines;
    char *section; // the heading that it was opened at, until it is shown; NULL: none
    int width;     // that it was made for
    bool still;    // only the place changed since
    int editing;   // the question whose field is typed into
    int follow;    // the one that was answered last: it stays in sight with what comes out; until one moves
    int headed; // the one whose verdict came last: where it has no room whole, it is followed from its head on
    bool answered;  // since the text was made last: what comes next is to be selected
    int text_col;   // where the text was drawn
    int aside_cols; // of the area beside it; 0: there is none
    size_t resume;  // the block that the page was left at, until it is laid out; 0: none
    size_t part;    // to go to when it is laid out, and to open where it is folded, from 1; 0: none
    bool looks;     // at a lesson that one came to by < or >: nothing was done in it yet
    int sought;     // the one that the page was opened at, until it is laid out
    const struct question *stays; // where it was said that no open question follows
    char hinted[160];             // the hints for what is selected
    struct
    { // the section that one went to, and where that was drawn; it is the one that is read until one moves
        size_t section, top;
        int selected;
        bool pending, held; // not drawn yet; drawn
    } went;
    struct { // where one was when a block was copied last; another copy there takes the next block
        size_t block, top;
        int selected;
    } copied;
};

// The live block of an item; NULL: it belongs to the text.
static inline struct question *owner_of(const struct lesson_page *state, int item)
{
    int owner = item >= 0 && (size_t)item < state->text.links.count && state->text.owner
                    ? state->text.owner[item]
                    : -1;
    return owner >= 0 ? &state->questions[owner] : NULL;
}

// The words that an item opens or answers with; "": none.
static inline const char *opens_of(const struct lesson_page *state, int item)
{
    return item >= 0 && (size_t)item < state->text.links.count ? state->text.links.opens[item] : "";
}

// The item of the live block `owner` (-1: of the text) with these words; -1: none.
static inline int item_of(const struct lesson_text *text, const char *words, int owner)
{
    for (size_t i = 0; i < text->links.count; i++)
        if (text->owner[i] == owner && strcmp(text->links.opens[i], words) == 0)
            return (int)i;
    return -1;
}

// The first item on this line or below that is not passed over; -1: none.
static inline int item_below(const struct lesson_page *state, size_t line)
{
    for (size_t i = 0; i < state->text.links.count; i++)
        if (sheet_line_of_item(&state->reader.sheet, (int)i) >= (int)line && !state->text.passed[i])
            return (int)i;
    return -1;
}

// ---- lesson_fold.c: what waits for an answer, and reading on without one ------------------------------------------------

struct lesson_fold {
    bool (*anew)(struct lesson_page
                     *state); // what was answered since folds nothing any more; false: nothing is folded
    void (*read_on)(struct app *app, struct lesson_page *state, size_t block); // the workbook keeps it
    int (*named)(struct page *page, const char *name);                         // fold_name of a block
    int (*unfold)(struct page *page, const struct words *words);               // as the action
    char *(*heading)(const struct lesson_block *block);                        // its words; the caller frees
    void (*open)(struct app *app, struct lesson_page *state, const char *heading); // a section, ahead
};
extern const struct lesson_fold lesson_fold;

// ---- lesson_blocks.c: what is done with live blocks -----------------------------------------------------------------------

struct lesson_blocks {
    int (*act)(struct page *page, enum act act, const struct words *words); // DONE_NOT: nothing about a block
    bool (*type)(struct page *page, const struct event *event);             // as page_ops does
    int (*field)(const struct lesson_page *state, const struct question *question); // its item; -1: none
    struct question *(*named)(const struct lesson_page *state, const char *id);     // NULL: none
    struct question *(*watched)(const struct lesson_page *state); // of which saves are judged; NULL: none
    bool (*answered_here)(
        const struct lesson_page *state); // the question that a digit would go to is answered
    void (*tick)(struct page *page);
};
extern const struct lesson_blocks lesson_blocks;

// ---- lesson_where.c: where one is, and the ways to another place --------------------------------------------------------

struct lesson_where {
    void (*bar)(const struct lesson_page *state, struct area line); // the line below the text
    // Beside the text: the outline, and below it the picture or the lab that was read last and has gone out of sight.
    void (*aside)(const struct page *page, struct area area);
    struct question *(*beside)(const struct lesson_page *state, int cols); // that one; NULL: there is none
    void (*outline)(struct lesson_page *state,
                    struct area area);                          // and in its place, where a section is chosen
    void (*go_to)(struct lesson_page *state, size_t section);   // of the text
    void (*arrive)(struct lesson_page *state);                  // it was drawn
    size_t (*part)(const struct lesson_page *state);            // that is read, from 1; 0: there are none
    void (*notice)(struct lesson_page *state, size_t question); // it is selected, and comes into sight
    int (*question)(struct page *page, const char *id);
    bool (*stopped)(const struct lesson_page *state); // what follows is folded by a question in sight
    bool (*shows)(struct page *page); // the selected question is brought into sight before it is answered
    void (*look)(struct lesson_page *state,
                 bool moved); // at what is in sight; moved: by a key, to what is selected
    // The text is to begin with it when it is made anew; its section is opened ahead when it is folded.
    void (*seek)(struct app *app, struct lesson_page *state, const struct question *question);
    int (*act)(struct page *page, enum act act, const struct words *words); // DONE_NOT: no way to go
    void (*keep)(struct page *page); // writes down the block at the top
    void (*place)(const struct lesson_page *state, struct text *lesson,
                  struct text *item);                             // as page_ops.place
    void (*copy)(struct page *page, int lines, struct text *out); // the block at hand
};
extern const struct lesson_where lesson_where;

#endif
