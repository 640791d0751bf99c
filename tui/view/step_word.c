// The word that is explained on the step page: one of the view that is shown, of the line or of the instruction.
#include "tui/view/step.h"

#include <string.h>

// "bar.sync", or else "bar": what the glossary knows of an instruction.
static const struct term *term_of_instruction(const struct glossary *glossary, const char *ptx)
{
    char word[64];
    const char *at = walk_trimmed(ptx);
    if (*at == '@') // its guard
        at += strcspn(at, " \t"), at += strspn(at, " \t");
    format_into(word, sizeof word, "%.*s", (int)strcspn(at, " \t;"), at);
    for (;;) {
        const struct term *term = glossary_find(glossary, word);
        char *dot = strrchr(word, '.');
        if (term || !dot)
            return term;
        *dot = 0;
    }
}

// The word of the line that runs, else its instruction.
static const char *word_of_place(struct page *page)
{
    const struct step *step = page->state;
    const struct glossary *glossary = app_glossary(page->app);
    const struct sim_spot *spot = &step->seen.spot;
    const struct term *term = NULL;
    if (step->seen.known && !spot->ended && !step->is_ptx && spot->line > 0)
        term = listing_term(glossary, step->target.variant->text, (size_t)spot->line - 1);
    if (!term && step->seen.known && !spot->ended)
        term = term_of_instruction(glossary, spot->text);
    return term ? term->name : "warp";
}

// What the shown view is about.
void step_word(struct page *page, struct text *out)
{
    const struct step *step = page->state;
    const struct step_seen *seen = &step->seen;
    bool shared = seen->has_touched && walk_is_shared(&seen->touched);
    switch (step->pane) {
    case STEP_MEMORY:
        text_add(out, !seen->has_touched                           ? word_of_place(page)
                      : !shared                                    ? "sector"
                      : seen->touched.passes > seen->touched.ideal ? "bank conflict"
                                                                   : "bank");
        break;
    case STEP_SHARED:
        text_add(out, "shared memory");
        break;
    case STEP_WARPS:
        text_add(out, "warp");
        break;
    case STEP_STACK:
        text_add(out, "divergence");
        break;
    case STEP_FINDINGS:
        text_add(out, "finding");
        break;
    default:
        text_add(out, word_of_place(page));
    }
}
