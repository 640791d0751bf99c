// 32 lanes at 32 banks: which lane asks which bank, and in which pass it is served. A pass is one wavefront of shared
// memory; how many there are, and which lanes can share one, is the simulator's answer.
#include "tui/explore/explore.h"

#include <string.h>

#include "engine/sim/sim.h"
#include "kernels/variant.h"

enum { LABEL = 9 }; // cells before the first bank
enum { BANKS = 32, BANK_BYTES = 4, TILE = 32, ROWS = 64 };
enum { PATTERN, STRIDE, OFFSET, PAD, BYTES, ACCESS };
enum { BY_STRIDE, BY_ROW, BY_COLUMN, BY_XOR, AT_RANDOM, ALL_SAME };

// The element of the tile before rows are padded.
static long element(const struct settings *settings, int lane)
{
    long offset = settings->number[OFFSET];
    switch (settings->number[PATTERN]) {
    case BY_ROW:
        return offset * TILE + lane;
    case BY_COLUMN:
        return (long)lane * TILE + offset % TILE;
    case BY_XOR:
        return (long)lane * TILE + (offset % TILE ^ lane);
    case AT_RANDOM:
        return expr_hash((uint32_t)(lane + offset * WARP_LANES)) % (TILE * TILE);
    case ALL_SAME:
        return offset;
    default:
        return lane * settings->number[STRIDE] + offset;
    }
}

// Wide elements are served in groups of lanes, one group after the other; with all lanes at work, the ideal says how
// many groups there are. Each lane goes into the first pass that the simulator says it can share with its group's.
static void share_out(struct banks_view *view)
{
    uint32_t pass[WARP_LANES] = { 0 };
    int group = WARP_LANES / (int)view->ideal, first = 0, last = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (lane % group == 0)
            first = lane ? last + 1 : 0;
        int p = first;
        while (sim_wavefronts(view->address, pass[p] | 1u << lane, view->bytes, view->write) > 1)
            p++;
        pass[p] |= 1u << lane;
        view->pass[lane] = p;
        last = p > last ? p : last;
    }
}

static bool asks(uint64_t address, unsigned bytes, unsigned bank)
{
    unsigned first = (unsigned)(address / BANK_BYTES % BANKS), words = bytes / BANK_BYTES;
    return (bank + BANKS - first) % BANKS < (words ? words : 1);
}

// How many different words the lanes of `mask` want of this bank.
static unsigned count_words(const struct banks_view *view, uint32_t mask, unsigned bank)
{
    unsigned words = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        bool fresh = mask >> lane & 1 && asks(view->address[lane], view->bytes, bank);
        for (int before = 0; before < lane && fresh; before++)
            fresh = !(mask >> before & 1) || !asks(view->address[before], view->bytes, bank) ||
                    view->address[before] != view->address[lane];
        words += fresh;
    }
    return words;
}

static void find_fullest(struct banks_view *view)
{
    unsigned group = WARP_LANES / view->ideal;
    for (unsigned first = 0; first < WARP_LANES; first += group)
        for (unsigned bank = 0; bank < BANKS; bank++) {
            uint32_t mask = (uint32_t)(((1ull << group) - 1) << first);
            unsigned words = count_words(view, mask, bank);
            view->banks += first == 0 && count_words(view, ALL_LANES, bank) > 0;
            if (words <= view->words)
                continue;
            view->words = words;
            view->fullest = bank;
            view->fullest_lanes = 0;
            for (int lane = 0; lane < WARP_LANES; lane++)
                view->fullest_lanes |= (uint32_t)asks(view->address[lane], view->bytes, bank) << lane & mask;
        }
}

struct banks_view banks_compute(const struct settings *settings)
{
    struct banks_view view = { .bytes = (unsigned)settings->number[BYTES],
                               .row = (unsigned)(TILE + settings->number[PAD]),
                               .write = settings->number[ACCESS] == 1 };
    for (int lane = 0; lane < WARP_LANES; lane++) {
        long at = element(settings, lane);
        view.address[lane] = (uint64_t)(at / TILE * view.row + at % TILE) * view.bytes;
    }
    view.passes = sim_wavefronts(view.address, ALL_LANES, view.bytes, view.write);
    view.ideal = sim_wavefronts_ideal(view.address, ALL_LANES, view.bytes, view.write);
    share_out(&view);
    find_fullest(&view);
    return view;
}

// ---- the picture ------------------------------------------------------------------------------------------

// Lanes that one bank serves in one pass: the first of them, and how many they are.
static int served(const uint64_t *address, const int *passes, unsigned bytes, unsigned bank, unsigned pass,
                  int *count)
{
    int first = -1;
    *count = 0;
    for (int lane = WARP_LANES - 1; lane >= 0; lane--)
        if (passes[lane] == (int)pass && asks(address[lane], bytes, bank)) {
            first = lane;
            ++*count;
        }
    return first;
}

static unsigned banks_in_row(const struct sheet *sheet)
{
    unsigned banks = BANKS;
    while (banks > 4 && (int)banks * 3 + LABEL > sheet->width)
        banks /= 2;
    return banks;
}

struct bank_rows { // what is drawn, and so many banks in a row
    const uint64_t *address;
    const int *passes;
    unsigned bytes, ideal, shown, banks;
};

// The most passes that one of these banks takes part in.
static unsigned busiest_of(const struct bank_rows *rows, unsigned from)
{
    unsigned busiest = 0;
    for (unsigned bank = from; bank < from + rows->banks; bank++) {
        unsigned turns = 0;
        int count;
        for (unsigned pass = 0; pass < WARP_LANES; pass++)
            turns += served(rows->address, rows->passes, rows->bytes, bank, pass, &count) >= 0;
        busiest = turns > busiest ? turns : busiest;
    }
    return busiest;
}

// Returns whether a bank serves several lanes at once.
static bool add_bank_rows(struct sheet *sheet, const struct bank_rows *rows, unsigned from)
{
    bool several = false;
    int cells = (int)rows->banks * 4 + LABEL > sheet->width ? 3 : 4;
    sheet_add(sheet, ROLE_DIM, " bank    ");
    for (unsigned bank = from; bank < from + rows->banks; bank++)
        sheet_add(sheet, ROLE_DIM, "%*u", cells, bank);
    sheet_end(sheet);
    for (unsigned pass = 0; pass < rows->shown; pass++) {
        enum role role = pass < rows->ideal ? ROLE_GOOD : ROLE_BAD;
        int lane[BANKS], count[BANKS], lanes = 0;
        for (unsigned bank = from; bank < from + rows->banks; bank++) {
            lane[bank] = served(rows->address, rows->passes, rows->bytes, bank, pass, &count[bank]);
            lanes += count[bank];
        }
        if (pass > 0 && !lanes)
            continue;
        sheet_add(sheet, ROLE_TEXT, " pass %-3u", pass + 1);
        for (unsigned bank = from; bank < from + rows->banks; bank++) {
            several |= count[bank] > 1;
            if (lane[bank] < 0)
                sheet_add(sheet, ROLE_DIM, "%*s%s", cells - 1, "",
                          drawn_flat ? "-" : glyph(sheet->utf8, GLYPH_EMPTY)); // 0 is a lane
            else if (count[bank] > 1)
                sheet_add(sheet, role, "%*d+", cells - 1, lane[bank]);
            else
                sheet_add(sheet, role, "%*d", cells, lane[bank]);
        }
        sheet_end(sheet);
    }
    return several;
}

// As many banks side by side as fit. Of several rows of banks, the one with the busiest bank comes first.
bool banks_draw(struct sheet *sheet, const uint64_t *address, const int *passes, unsigned bytes,
                unsigned ideal, unsigned shown)
{
    struct bank_rows rows = { address, passes, bytes, ideal, shown, banks_in_row(sheet) };
    unsigned first = 0;
    for (unsigned from = 0; from < BANKS; from += rows.banks)
        if (busiest_of(&rows, from) > busiest_of(&rows, first))
            first = from;
    bool several = add_bank_rows(sheet, &rows, first);
    for (unsigned from = 0; from < BANKS; from += rows.banks)
        if (from != first)
            several |= add_bank_rows(sheet, &rows, from);
    return several;
}

// More passes than usual where the screen has room for them.
static unsigned passes_shown(const struct settings *settings, const struct sheet *sheet)
{
    enum { BELOW = 7 }; // lines of words
    int usual = sheet->width >= BANKS * 3 + LABEL ? 9 : 4, rows = (int)(BANKS / banks_in_row(sheet));
    int room = (settings->rows - (int)sheet->line_count - BELOW) / rows - 1;
    return (unsigned)(room > usual ? room : usual);
}

static void draw_banks(const struct settings *settings, const struct banks_view *view, struct sheet *sheet)
{
    unsigned shown = passes_shown(settings, sheet);
    if (shown > view->passes || view->passes == shown + 1)
        shown = view->passes;
    bool several = banks_draw(sheet, view->address, view->pass, view->bytes, view->ideal, shown);
    draw_more(sheet, (long)view->passes - shown, "pass", "passes");
    if (several)
        draw_words(sheet, ROLE_DIM, "0+: lane 0, and others that want the same word in the same pass");
}

// ---- the sentences below the picture ----------------------------------------------------------------------

static const char *type_name_of(unsigned bytes)
{
    return bytes == 4 ? "float" : bytes == 8 ? "float2" : "float4";
}

static void add_index(const struct settings *settings, struct text *out)
{
    long offset = settings->number[OFFSET];
    switch (settings->number[PATTERN]) {
    case BY_ROW:
        text_addf(out, "tile[%ld][lane]", offset);
        break;
    case BY_COLUMN:
        text_addf(out, "tile[lane][%ld]", offset % TILE);
        break;
    case BY_XOR:
        text_addf(out, "tile[lane][%ld ^ lane]", offset % TILE);
        break;
    case AT_RANDOM:
        text_add(out, "an element at random");
        break;
    default:
        text_add(out, "element ");
        draw_affine(out, settings->number[PATTERN] == ALL_SAME ? 0 : settings->number[STRIDE], offset);
    }
}

static void add_head(const struct settings *settings, const struct banks_view *view, struct sheet *sheet)
{
    struct text index = { 0 };
    long pad = settings->number[PAD];
    add_index(settings, &index);
    draw_words(sheet, ROLE_TITLE, "%u %s, %u would be ideal; %u of 32 banks %s asked.", view->passes,
               view->passes == 1 ? "pass" : "passes", view->ideal, view->banks,
               view->banks == 1 ? "is" : "are");
    draw_words(sheet, ROLE_TEXT, "Each lane %s %s of %s tile[%d][%d%s] (bank: word %% 32).",
               view->write ? "writes" : "reads", text_string(&index), type_name_of(view->bytes), ROWS, TILE,
               pad ? " + pad" : "");
    text_free(&index);
}

static void add_why(const struct banks_view *view, struct sheet *sheet)
{
    char groups[80] = "";
    if (view->ideal > 1)
        format_into(groups, sizeof groups, " Lanes with %u bytes each are served in %u groups.", view->bytes,
                    view->ideal);
    if (view->passes == view->ideal) {
        draw_words(sheet, ROLE_GOOD, "No conflict: no bank is asked for two different words%s.%s",
                   view->ideal > 1 ? " by one group" : "", groups);
        return;
    }
    struct text lanes = { 0 };
    draw_lanes(&lanes, view->fullest_lanes);
    draw_words(sheet, ROLE_BAD, "Conflict: bank %u serves one word in a pass, and is asked for %u by %s.%s",
               view->fullest, view->words, text_string(&lanes), groups);
    text_free(&lanes);
}

static void draw(const struct settings *settings, struct sheet *sheet)
{
    struct banks_view view = banks_compute(settings);
    draw_banks(settings, &view, sheet);
    sheet_gap(sheet);
    add_head(settings, &view, sheet);
    add_why(&view, sheet);
}

static const long sizes[] = { 4, 8, 16, 0 };
static const char *const patterns[] = { "stride", "row", "column", "xor", "random", "same", NULL };
static const char *const accesses[] = { "read", "write", NULL };
static json_t *values(const struct settings *settings)
{
    struct banks_view view = banks_compute(settings);
    return json_pack("{s:i,s:i,s:i,s:i}", "wavefronts", (int)view.passes, "ideal", (int)view.ideal, "words",
                     (int)view.words, "banks", (int)view.banks);
}

const struct explorer explore_banks = {
    .name = "banks",
    .title = "A warp at the 32 banks of shared memory: the numbers are lanes",
    .help = "Which lane asks which bank of shared memory, and how many passes that takes.",
    .knobs = { { .name = "pattern", .help = "how lanes go over the tile", .words = patterns },
               { .name = "stride",
                 .help = "elements from one lane to the next, for pattern stride",
                 .only = 1u << BY_STRIDE,
                 .most = 64,
                 .start = 2 },
               { .name = "offset", .help = "the element, row or column to start at", .most = 63 },
               { .name = "pad", .help = "unused elements after each row of 32", .most = 32 },
               { .name = "bytes", .help = "size of an element", .start = 4, .list = sizes },
               { .name = "access", .help = "what the warp does", .words = accesses } },
    .draw = draw,
    .values = values,
};
