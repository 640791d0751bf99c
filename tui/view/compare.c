// compare: two kernels beside each other: what differs in their source and in their PTX, and their numbers.
#include "tui/view/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum compare_pane { COMPARE_SOURCE, COMPARE_PTX, COMPARE_NUMBERS, COMPARE_PANES };
static const char *const compare_panes[COMPARE_PANES + 1] = { "source", "ptx", "numbers" };

enum { BASE, NOW, BOTH }; // the kernel that is compared with, the one that the page is about
struct side_of_it {
    char *what; // "histogram/3-shared", "FILE.cu"; NULL: there is none
    struct target target;
    struct assembly *ptx; // NULL: nobody asked for it yet
};
struct compare {
    struct reader reader; // first, as a reader page wants it
    struct side_of_it sides[BOTH];
    bool named; // the baseline was given to this page, and stays
    const char *preset, *data;
    enum compare_pane pane;
    bool unfolded;
    struct made { // what the difference in the reader was made of
        int cols, rows;
        bool ptx, unfolded, asked, utf8;
        const char *texts[BOTH];
    } made;
    struct tabs tabs;
};
enum { WIDE = 120 }; // columns from which on the two texts are beside each other

static const struct variant *kernel_of(const struct compare *compare, int side)
{
    return compare->sides[side].target.variant;
}

// ---- the two kernels ----------------------------------------------------------------------------------------

static void forget_ptx(struct compare *compare)
{
    for (int side = 0; side < BOTH; side++) {
        assembly_drop(compare->sides[side].ptx);
        compare->sides[side].ptx = NULL;
    }
}

static void side_free(struct side_of_it *side)
{
    assembly_drop(side->ptx);
    target_free(&side->target);
    free(side->what);
    *side = (struct side_of_it){ 0 };
}

// Takes `what` over; what was there before stays where it cannot be read.
static bool read_side(struct side_of_it *side, char *what, struct error *error)
{
    struct side_of_it fresh = { .what = what };
    bool read = target_read(what, &fresh.target, error);
    if (read && !fresh.target.variant) {
        read =
            error_set(error, EXIT_USAGE, "%s is not a kernel; compare takes steps of a ladder, such as %s/1.",
                      what, fresh.target.lab ? fresh.target.lab->name : lab_list[0]->name);
        target_free(&fresh.target);
    }
    if (!read) {
        free(what);
        return false;
    }
    side_free(side);
    *side = fresh;
    if (!fresh.target.lab) { // a file is its own variant
        side->target.variant = &side->target.file;
        return true;
    }
    free(side->what);
    side->what = text_format("%s/%s", fresh.target.lab->name, fresh.target.variant->name);
    return true;
}

// What the page's kernel is compared with where none was given: the baseline, if it is of the same lab, else the step
// before. NULL: the first step has none.
static char *usual_base(const struct app *app, const struct target *target)
{
    const struct variant *base = choose_base(app, &target->ladder, target->variant);
    if (base)
        return text_format("%s/%s", base->lab, base->name);
    return !target->lab && app->baseline ? mem_copy(app->baseline) : NULL;
}

static bool read_base(struct page *page, struct error *error)
{
    struct compare *compare = page->state;
    compare->made = (struct made){ 0 }; // a text may come to lie where another one lay
    char *what = compare->named ? NULL : usual_base(page->app, &compare->sides[NOW].target);
    if (what)
        return read_side(&compare->sides[BASE], what, error);
    if (!compare->named)
        side_free(&compare->sides[BASE]);
    return true;
}

static bool open_compare(struct page *page, const struct words *words, struct error *error)
{
    struct compare *compare = page->state;
    compare->reader.selected = -1;
    if (words->count < 2)
        return error_set(error, EXIT_USAGE, "compare takes kernels: compare histogram/1 histogram/3");
    compare->named = words->count > 2;
    bool read = read_side(&compare->sides[NOW], mem_copy(words->word[words->count - 1]), error);
    if (read && compare->named)
        read = read_side(&compare->sides[BASE], mem_copy(words->word[1]), error);
    else if (read)
        read = read_base(page, error);
    for (int side = 0; !read && side < BOTH; side++)
        side_free(&compare->sides[side]);
    return read;
}

static void close_compare(struct page *page)
{
    struct compare *compare = page->state;
    reader_free(&compare->reader);
    for (int side = 0; side < BOTH; side++)
        side_free(&compare->sides[side]);
}

static void title_compare(struct page *page, struct text *out)
{
    const struct compare *compare = page->state;
    text_add(out, compare->sides[NOW].what);
    const char *base = compare->sides[BASE].what, *slash = base ? strrchr(base, '/') : NULL;
    bool related = slash && strncmp(base, compare->sides[NOW].what, (size_t)(slash + 1 - base)) == 0;
    if (base)
        text_addf(out, " against %s", related ? slash + 1 : base);
    if (compare->preset)
        text_addf(out, ", %s", compare->preset);
    if (compare->data)
        text_addf(out, ", %s", compare->data);
}

// ---- PTX ------------------------------------------------------------------------------------------------------

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

// Adds a name without what another compile, or another kernel, would call otherwise: numbers of registers and labels,
// and the kernel's own name.
static void add_key(const char *name, size_t length, const struct variant *variant, struct text *out)
{
    bool counted = strchr("%$_L", *name) != NULL;
    for (size_t i = 0; i < length;) {
        size_t own = 0;
        for (size_t k = 0; k < variant->launch_count && !own; k++) {
            size_t bytes = strlen(variant->launches[k].kernel);
            own =
                bytes <= length - i && memcmp(name + i, variant->launches[k].kernel, bytes) == 0 ? bytes : 0;
        }
        if (own)
            text_add(out, "KERNEL");
        else if (!counted || !isdigit((unsigned char)name[i]))
            text_add_n(out, name + i, 1);
        i += own ? own : 1;
    }
}

static void add_key_line(const char *line, size_t length, const struct variant *variant, struct text *out)
{
    for (size_t i = 0; i < length;) {
        size_t name = 0;
        bool begins = in_name(line[i]) && !isdigit((unsigned char)line[i]) && (i == 0 || line[i - 1] != '.');
        while (begins && i + name < length && in_name(line[i + name]))
            name++;
        if (name)
            add_key(line + i, name, variant, out);
        else
            text_add_n(out, line + i, 1);
        i += name ? name : 1;
    }
    text_add(out, "\n");
}

// The instructions, line by line, and what is compared in their place.
static void clean_ptx(const struct assembly *ptx, const struct variant *variant, struct text *lines,
                      struct text *keys)
{
    text_add(lines, "");
    text_add(keys, "");
    for (const char *at = text_string(&ptx->text); *at && !assembly_ends(at); at += *at == '\n') {
        size_t length = strcspn(at, "\n"), blanks = strspn(at, " \t");
        bool comment = string_starts(at + blanks, "//");
        if (!comment && !assembly_is_noise(at, length)) {
            text_add_n(lines, at, length);
            text_add(lines, "\n");
            add_key_line(at, length, variant, keys);
        }
        at += length;
    }
}

// The first that has no text, or NULL.
static const struct assembly *unmade(const struct compare *compare)
{
    for (int side = 0; side < BOTH; side++) {
        const struct assembly *ptx = compare->sides[side].ptx;
        if (ptx && (!ptx->made || *ptx->error.text))
            return ptx;
    }
    return NULL;
}

// ---- drawing ----------------------------------------------------------------------------------------------------

// What open predictions ask of the two.
static unsigned asked_of(const struct page *page)
{
    const struct compare *compare = page->state;
    unsigned asked = 0;
    for (int side = 0; side < BOTH; side++)
        asked |= compare->sides[side].what ? asked_about(page, compare->sides[side].what) : 0;
    return asked;
}

static struct sheet text_difference(const struct page *page, struct area area)
{
    const struct compare *compare = page->state;
    bool asked = compare->pane == COMPARE_SOURCE && asked_of(page);
    char fold[60];
    fold_words(page->app, "compare", fold, sizeof fold);
    struct difference what = { .fold = compare->unfolded && !asked ? NULL : fold,
                               .shut = asked,
                               .rows = area.rows,
                               .beside = area.cols >= WIDE };
    struct text lines[BOTH] = { { 0 } }, keys[BOTH] = { { 0 } };
    bool ptx = compare->pane == COMPARE_PTX;
    for (int side = 0; ptx && side < BOTH; side++)
        clean_ptx(compare->sides[side].ptx, kernel_of(compare, side), &lines[side], &keys[side]);
    what.numbers = !ptx;
    what.before = ptx ? lines[BASE].data : kernel_of(compare, BASE)->text;
    what.after = ptx ? lines[NOW].data : kernel_of(compare, NOW)->text;
    what.before_keys = keys[BASE].data;
    what.after_keys = keys[NOW].data;
    struct sheet sheet = difference_sheet(&what, area.cols, area.canvas->utf8);
    for (int side = 0; side < BOTH; side++) {
        text_free(&lines[side]);
        text_free(&keys[side]);
    }
    return sheet;
}

// Made anew only where it would be another one: both texts are compared line by line.
static void show_difference(struct page *page, struct area area)
{
    struct compare *compare = page->state;
    const struct made *made = &compare->made;
    struct made now = { .cols = area.cols,
                        .rows = area.rows,
                        .ptx = compare->pane == COMPARE_PTX,
                        .unfolded = compare->unfolded,
                        .asked = asked_of(page),
                        .utf8 = area.canvas->utf8 };
    bool same = made->cols == now.cols && made->rows == now.rows && made->ptx == now.ptx &&
                made->unfolded == now.unfolded && made->asked == now.asked && made->utf8 == now.utf8;
    for (int side = 0; side < BOTH; side++) {
        now.texts[side] = now.ptx ? compare->sides[side].ptx->text.data : kernel_of(compare, side)->text;
        same &= made->texts[side] == now.texts[side];
    }
    if (!same)
        reader_show(&compare->reader, text_difference(page, area), 0);
    compare->made = now;
}

static struct request request_of(const struct compare *compare, int side, enum backend on)
{
    const struct target *target = &compare->sides[side].target;
    return request_new(on, target->lab ? target->lab->name : NULL, target->variant, NULL, compare->preset,
                       compare->data);
}

static const struct run_result *result_on(struct app *app, const struct compare *compare, int side,
                                          enum backend on)
{
    struct request request = request_of(compare, side, on);
    const struct run_result *result = runs_find(app, &request, kernel_of(compare, side));
    request_free(&request);
    return result && !result->error ? result : NULL;
}

static struct sheet numbers_sheet(struct page *page, struct area area)
{
    const struct compare *compare = page->state;
    struct app *app = page->app;
    struct compared compared[BOTH];
    if (asked_of(page))
        return asked_sheet(area.cols, area.canvas->utf8);
    for (int side = 0; side < BOTH; side++) {
        const struct run_result *timed = result_on(app, compare, side, ON_GPU),
                                *counted = result_on(app, compare, side, ON_SIM);
        bool right = timed && timed->record.status == STATUS_RIGHT;
        compared[side] = (struct compared){ .name = kernel_of(compare, side)->name,
                                            .timed = right ? &timed->record : NULL,
                                            .recorded = right && timed->recorded,
                                            .counted = counted ? &counted->record : NULL };
    }
    return comparison_sheet(&compared[BASE], &compared[NOW], area.cols, area.canvas->utf8);
}

static struct sheet no_base(struct app *app, struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    char key[24], next[24], words[240];
    keys_name(&app->keys, "compare", "baseline", key, sizeof key);
    keys_name(&app->keys, "compare", "variant-next", next, sizeof next);
    format_into(words, sizeof words,
                "No kernel comes before this one. %s goes on to the next; %s makes this one the baseline, "
                "with which all others are then compared.",
                *next ? next : ":variant-next", *key ? key : ":baseline");
    sheet_paragraph(&sheet, ROLE_NOTE, 1, words);
    return sheet;
}

// Which side is which, above two columns or one.
static void draw_names(const struct compare *compare, struct area line)
{
    int half = (line.cols - 3) / 2, col = line.cols >= WIDE ? half + 3 : 0;
    const char *base = kernel_of(compare, BASE)->name, *now = kernel_of(compare, NOW)->name;
    int after = area_put(line, 0, 0, ROLE_REMOVED, "- %s", base);
    area_put(line, 0, col ? col : after + 3, ROLE_ADDED, "+ %s", now);
}

static void show(struct page *page, struct area area)
{
    struct compare *compare = page->state;
    bool texts = compare->pane != COMPARE_NUMBERS, has_base = kernel_of(compare, BASE) != NULL;
    for (int side = 0; has_base && compare->pane == COMPARE_PTX && side < BOTH; side++)
        if (!compare->sides[side].ptx)
            compare->sides[side].ptx = assembly_make(page->app, kernel_of(compare, side), false);
    const struct assembly *waits = compare->pane == COMPARE_PTX ? unmade(compare) : NULL;
    if (has_base && texts) {
        draw_names(compare, area_part(area, 0, 0, 1, area.cols));
        area = area_part(area, 1, 0, area.rows - 1, area.cols);
    }
    if (waits) {
        assembly_why_not(waits, page->app->known.commands, area);
        return;
    }
    if (has_base && texts) {
        show_difference(page, area);
    } else {
        reader_show(&compare->reader, has_base ? numbers_sheet(page, area) : no_base(page->app, area), 0);
        compare->made = (struct made){ 0 };
    }
    reader_draw(&compare->reader, area);
}

static void draw_compare(struct page *page, struct area area)
{
    struct compare *compare = page->state;
    if (asked_of(page))
        area = asked_line(page, area, "");
    struct rect rest = { 0, 0, area.rows, area.cols };
    struct area line = area_rect(area, rect_top(&rest, 1, 0));
    show(page, area_rect(area, rest));
    area_line(line, 0, ROLE_FRAME);
    compare->tabs = tabs_draw(line, compare_panes, 0, COMPARE_PANES - 1, (int)compare->pane);
    tabs_more(line, compare->tabs.cells, reader_more(&compare->reader));
}

// ---- acting -----------------------------------------------------------------------------------------------------

static int set_pane(struct page *page, const struct words *words)
{
    struct compare *compare = page->state;
    int pane = ((int)compare->pane + 1) % COMPARE_PANES;
    if (words->count > 1)
        pane = choose_name(page->app, "view", compare_panes, COMPARE_PANES, words->word[1]);
    if (pane < 0)
        return DONE_FAILED;
    compare->pane = (enum compare_pane)pane;
    compare->reader.top = 0;
    return DONE;
}

static int to_kernel(struct page *page, int by)
{
    struct compare *compare = page->state;
    struct side_of_it *now = &compare->sides[NOW];
    const struct variant *variant = choose_beside(page->app, &now->target, by);
    struct error error;
    if (!variant)
        return DONE_FAILED;
    choose_variant(page, &now->target, variant, &now->what);
    forget_ptx(compare);
    compare->reader.top = 0;
    return read_base(page, &error) ? DONE : app_refuse(page->app, "%s", error.text);
}

static int make_baseline(struct page *page)
{
    struct compare *compare = page->state;
    struct error error;
    choose_baseline(page->app, compare->sides[NOW].what);
    compare->named = false;
    return read_base(page, &error) ? DONE : app_refuse(page->app, "%s", error.text);
}

// Runs both sides, unless their results are known.
static int run(struct page *page, enum backend on)
{
    const struct compare *compare = page->state;
    if (on == ON_GPU && runs_machine(page->app) && !runs_gpu(page->app))
        on = ON_SIM;
    for (int side = 0; side < BOTH; side++) {
        if (!kernel_of(compare, side))
            continue;
        struct request request = request_of(compare, side, on);
        const struct run_result *known = runs_find(page->app, &request, kernel_of(compare, side));
        bool again = !known || known->recorded || on == ON_GPU;
        if (again && runs_state(page->app, &request) == RUN_NONE)
            runs_start(page->app, &request);
        else
            request_free(&request);
    }
    ((struct compare *)page->state)->pane = COMPARE_NUMBERS;
    return DONE;
}

// The change after (by 1) or before the rows in sight comes to the second of them.
static int to_change(struct page *page, int by)
{
    struct reader *reader = &((struct compare *)page->state)->reader;
    long top = (long)reader->top, best = -1;
    int line;
    for (int change = 0; (line = sheet_line_of_item(&reader->sheet, change)) >= 0; change++) {
        long at = line > 0 ? line - 1 : 0;
        if (by > 0 ? at > top && best < 0 : at < top)
            best = at;
    }
    if (best < 0 || (by > 0 && !reader_more(reader))) {
        app_say(page->app, ROLE_DIM, "There is no change %s these.", by > 0 ? "after" : "before");
        return DONE_FAILED;
    }
    reader->top = (size_t)best;
    return DONE;
}

static int unfold(struct page *page)
{
    struct compare *compare = page->state;
    int done = DONE_NOT;
    for (int side = 0; side < BOTH; side++)
        if (compare->sides[side].what && asked_show(page, compare->sides[side].what) == DONE)
            done = DONE;
    if (done == DONE_NOT)
        compare->unfolded = !compare->unfolded;
    compare->reader.top = 0;
    return DONE;
}

static int open_other(struct page *page, const char *what)
{
    const struct side_of_it *now = &((const struct compare *)page->state)->sides[NOW];
    if (strcmp(what, "bench") == 0 && !now->target.lab)
        return app_refuse(page->app, "This file belongs to no lab, so there is no ladder.");
    return app_open_on(page->app, what, now->what);
}

static int act_compare(struct page *page, enum act act, const struct words *words)
{
    struct compare *compare = page->state;
    switch (act) {
    case ACT_PANE:
        return set_pane(page, words);
    case ACT_VARIANT_NEXT:
        return to_kernel(page, 1);
    case ACT_VARIANT_PREVIOUS:
        return to_kernel(page, -1);
    case ACT_BASELINE:
        return make_baseline(page);
    case ACT_UNFOLD:
        return unfold(page);
    case ACT_RUN:
        return run(page, ON_GPU);
    case ACT_SIM:
        return run(page, ON_SIM);
    case ACT_SIZE:
        return choose_preset(page->app, compare->sides[NOW].target.lab, &compare->preset, words);
    case ACT_DATA:
        return choose_data(page->app, compare->sides[NOW].target.lab, &compare->data, words);
    case ACT_NEXT:
        return to_change(page, 1);
    case ACT_PREVIOUS:
        return to_change(page, -1);
    case ACT_SOURCE:
        return open_other(page, "source");
    case ACT_STEP_PAGE:
        return open_other(page, "step");
    case ACT_BENCH:
        return open_other(page, "bench");
    default:
        return reader_act(&compare->reader, page->app, act, words);
    }
}

static bool click_compare(struct page *page, int row, int col)
{
    struct compare *compare = page->state;
    int pane = tabs_at(&compare->tabs, row + page->area.row, col + page->area.col);
    if (pane >= 0)
        compare->pane = (enum compare_pane)pane;
    return pane >= 0;
}

static void word_compare(struct page *page, struct text *out)
{
    const struct variant *variant = kernel_of(page->state, NOW);
    const struct term *term = NULL;
    int lines = text_line_of(variant->text, variant->text + strlen(variant->text));
    for (int line = 0; line < lines && !term; line++)
        term = listing_term(app_glossary(page->app), variant->text, (size_t)line);
    text_add(out, term ? term->name : "");
}

static void about_compare(struct page *page, struct text *out)
{
    text_add(out, ((const struct compare *)page->state)->sides[NOW].what);
}

static const char *hints(const struct page *page)
{
    return "pane view, next next change, variant-next next kernel, run";
}

const struct page_ops compare_page = {
    .name = "compare",
    .operands = "[LAB/STEP | FILE] LAB/STEP | FILE",
    .help = "What differs between two kernels: source, PTX, times and counters.",
    .most = 2,
    .size = sizeof(struct compare),
    .open = open_compare,
    .title = title_compare,
    .draw = draw_compare,
    .act = act_compare,
    .click = click_compare,
    .word = word_compare,
    .hints = hints,
    .copy = reader_page_copy,
    .about = about_compare,
    .panes = compare_panes,
    .offers = reader_page_offers,
    .close = close_compare
};
