// The last access to memory: what it cost, the sectors or banks that it asked, and what each lane touched.
#include "tui/view/step.h"

#include <string.h>

#include "tui/explore/explore.h" // draw_lanes

enum { BANKS = 32, BANK_LABEL = 9 };

// ---- shared memory: who is served in which pass -------------------------------------------------------------------

struct service {
    uint64_t address[WALK_LANES];
    int pass[WALK_LANES]; // -1: the lane asks nothing
    int passes;
};

static bool asks(const struct sim_touched *t, int lane, unsigned bank)
{
    unsigned words = t->bytes > 4 ? t->bytes / 4 : 1;
    return (bank + BANKS - t->lane[lane].bank) % BANKS < words;
}

// Lanes of an atomic that name one word wait for each other.
static bool fits(const struct sim_touched *t, const struct service *service, uint32_t lanes, int lane)
{
    bool store = t->access == SIM_SHARED_STORE;
    for (int other = 0; other < lane && t->access == SIM_SHARED_ATOM; other++)
        if (lanes >> other & 1 && service->address[other] == service->address[lane])
            return false;
    return sim_wavefronts(service->address, lanes | 1u << lane, t->bytes, store) <= 1;
}

// Each lane goes into the first pass that the simulator says it can share with those before it.
static struct service serve(const struct sim_touched *t)
{
    struct service service = { .passes = 0 };
    uint32_t lanes[WALK_LANES] = { 0 };
    for (int lane = 0; lane < WALK_LANES; lane++) {
        int pass = 0;
        service.address[lane] = t->lane[lane].address;
        service.pass[lane] = -1;
        if (!(t->lanes >> lane & 1))
            continue;
        while (lanes[pass] && !fits(t, &service, lanes[pass], lane))
            pass++;
        lanes[pass] |= 1u << lane;
        service.pass[lane] = pass;
        if (pass >= service.passes)
            service.passes = pass + 1;
    }
    return service;
}

// The first of the lanes that this bank serves in this pass; `count`: how many they are.
static int served(const struct sim_touched *t, const struct service *service, unsigned bank, int pass,
                  int *count)
{
    int first = -1;
    *count = 0;
    for (int lane = WALK_LANES - 1; lane >= 0; lane--)
        if (service->pass[lane] == pass && asks(t, lane, bank)) {
            first = lane;
            ++*count;
        }
    return first;
}

static void add_pass(struct sheet *sheet, const struct sim_touched *t, const struct service *service,
                     int pass, unsigned from, unsigned banks, int cells)
{
    sheet_add(sheet, ROLE_TEXT, " pass %-3d", pass + 1);
    for (unsigned bank = from; bank < from + banks; bank++) {
        int count, lane = served(t, service, bank, pass, &count);
        enum role role = (uint64_t)pass < t->ideal ? ROLE_GOOD : ROLE_BAD;
        if (lane < 0)
            sheet_add(sheet, ROLE_DIM, "%*s%s", cells - 1, "", glyph(sheet->utf8, GLYPH_EMPTY));
        else if (count > 1)
            sheet_add(sheet, role, "%*d+", cells - 1, lane);
        else
            sheet_add(sheet, role, "%*d", cells, lane);
    }
    sheet_end(sheet);
}

static bool several(const struct sim_touched *t, const struct service *service)
{
    int count = 0;
    for (unsigned bank = 0; bank < BANKS; bank++)
        for (int pass = 0; pass < service->passes; pass++)
            if (served(t, service, bank, pass, &count) >= 0 && count > 1)
                return true;
    return false;
}

// As many banks beside each other as fit, and below them those that follow.
static void add_banks(struct sheet *sheet, const struct sim_touched *t)
{
    struct service service = serve(t);
    unsigned banks = BANKS;
    while (banks > 4 && (int)banks * 3 + BANK_LABEL > sheet->width)
        banks /= 2;
    int cells = (int)banks * 4 + BANK_LABEL > sheet->width ? 3 : 4;
    for (unsigned from = 0; from < BANKS; from += banks) {
        sheet_add(sheet, ROLE_DIM, " bank    ");
        for (unsigned bank = from; bank < from + banks; bank++)
            sheet_add(sheet, ROLE_DIM, "%*u", cells, bank);
        sheet_end(sheet);
        for (int pass = 0; pass < service.passes; pass++)
            add_pass(sheet, t, &service, pass, from, banks, cells);
    }
    if (several(t, &service))
        sheet_paragraph(sheet, ROLE_DIM, 1,
                        "0+: lane 0, and others that are served by the same bank with it");
}

// ---- global and local memory: sectors ---------------------------------------------------------------------------

struct sector {
    const char *buffer;
    uint64_t number;
    uint32_t lanes;
    int64_t first, last; // elements
};

static void note_sector(struct sector *sectors, size_t *count, const struct sim_touched_lane *lane, int index,
                        uint64_t number)
{
    size_t at = 0;
    while (at < *count && (sectors[at].number != number || strcmp(sectors[at].buffer, lane->buffer) != 0))
        at++;
    if (at == *count)
        sectors[(*count)++] = (struct sector){ lane->buffer, number, 0, lane->element, lane->element };
    struct sector *sector = &sectors[at];
    sector->lanes |= 1u << index;
    sector->first = lane->element < sector->first ? lane->element : sector->first;
    sector->last = lane->element > sector->last ? lane->element : sector->last;
}

static size_t sectors_of(const struct sim_touched *t, struct sector out[2 * WALK_LANES])
{
    size_t count = 0;
    for (int i = 0; i < WALK_LANES; i++) {
        const struct sim_touched_lane *lane = &t->lane[i];
        if (!(t->lanes >> i & 1))
            continue;
        note_sector(out, &count, lane, i, lane->sector);
        if ((lane->address & 31) + t->bytes > 32)
            note_sector(out, &count, lane, i, lane->sector + 1);
    }
    return count;
}

static void add_sectors(struct sheet *sheet, const struct sim_touched *t)
{
    struct sector sectors[2 * WALK_LANES];
    size_t count = sectors_of(t, sectors);
    for (size_t i = 0; i < count; i++) {
        const struct sector *sector = &sectors[i];
        struct text lanes = { 0 };
        char what[120];
        draw_lanes(&lanes, sector->lanes);
        if (!*sector->buffer)
            format_into(what, sizeof what, "outside of everything");
        else if (sector->first == sector->last)
            format_into(what, sizeof what, "%s[%lld]", sector->buffer, (long long)sector->first);
        else
            format_into(what, sizeof what, "%s[%lld..%lld]", sector->buffer, (long long)sector->first,
                        (long long)sector->last);
        sheet_add(sheet, i < t->ideal ? ROLE_GOOD : ROLE_BAD, " sector %-6llu ",
                  (unsigned long long)sector->number);
        sheet_add(sheet, ROLE_TEXT, "%-18s ", what);
        sheet_hang(sheet, 16);
        sheet_flow(sheet, ROLE_TEXT, "%s", text_string(&lanes));
        sheet_end(sheet);
        text_free(&lanes);
    }
}

// ---- the sheet ----------------------------------------------------------------------------------------------------

static void add_head(struct sheet *sheet, const struct sim_touched *t)
{
    struct text words = { 0 };
    walk_add_touched(&words, t);
    sheet_add(sheet, ROLE_TITLE, " %s  ", words.data);
    sheet_hang(sheet, 1);
    sheet_flow(sheet, ROLE_DIM, "step %llu, block (%u,%u,%u), warp %u", (unsigned long long)t->step,
               t->block[0], t->block[1], t->block[2], t->warp);
    sheet_end(sheet);
    words.length = 0;
    walk_add_cost(&words, t);
    sheet_add(sheet, t->passes > t->ideal ? ROLE_BAD : ROLE_GOOD, " %s", words.data);
    sheet_end(sheet);
    text_free(&words);
}

struct sheet step_memory_sheet(const struct step *step, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    const struct sim_touched *t = &step->seen.touched;
    if (!step->seen.has_touched) {
        sheet_paragraph(&sheet, ROLE_DIM, 1, "No memory instruction has run yet.");
        return sheet;
    }
    add_head(&sheet, t);
    if (walk_is_shared(t))
        add_banks(&sheet, t);
    else
        add_sectors(&sheet, t);
    sheet_gap(&sheet);
    for (int lane = 0; lane < WALK_LANES; lane++) {
        struct text line = { 0 };
        if (!(t->lanes >> lane & 1))
            continue;
        walk_add_touched_lane(&line, t, lane);
        sheet_add(&sheet, ROLE_TEXT, " %s", line.data);
        sheet_end(&sheet);
        text_free(&line);
    }
    return sheet;
}
