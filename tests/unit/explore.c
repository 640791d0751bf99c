// The explorers: their numbers in known cases, hostile settings of knobs, and their sheets at every width.
#include "tui/explore/explore.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void set(struct settings *settings, const char *assignment)
{
    struct error error;
    if (!settings_read(settings, assignment, &error))
        fail_msg("%s", error.text);
}

// Words such as "stride=2 pad=1"; a value holds no blanks.
static struct settings with(const char *name, const char *assignments)
{
    struct error error;
    const struct explorer *explorer;
    if (!explorer_of(name, &explorer, &error))
        fail_msg("%s", error.text);
    struct settings settings = settings_new(explorer);
    while (*assignments) {
        char word[80];
        size_t length = strcspn(assignments, " ");
        format_into(word, sizeof word, "%.*s", (int)length, assignments);
        set(&settings, word);
        assignments += length + strspn(assignments + length, " ");
    }
    return settings;
}

// ---- numbers ------------------------------------------------------------------------------------------------

static void passes_at_the_banks(void **state)
{
    static const struct {
        const char *knobs;
        unsigned passes, ideal, banks;
    } cases[] = {
        { "stride=1", 1, 1, 32 },
        { "stride=1 offset=5", 1, 1, 32 },
        { "stride=2", 2, 1, 16 },
        { "stride=3", 1, 1, 32 },
        { "stride=8", 8, 1, 4 },
        { "stride=32", 32, 1, 1 },
        { "stride=33", 1, 1, 32 },
        { "stride=64", 32, 1, 1 },
        { "stride=0", 1, 1, 1 },
        { "stride=32 pad=1", 1, 1, 32 },
        { "stride=32 pad=2", 2, 1, 16 },
        { "stride=2 pad=1", 1, 1, 32 },
        { "pattern=row offset=3", 1, 1, 32 },
        { "pattern=column", 32, 1, 1 },
        { "pattern=column access=write", 32, 1, 1 },
        { "pattern=column pad=1", 1, 1, 32 },
        { "pattern=xor offset=7", 1, 1, 32 },
        { "pattern=same offset=9", 1, 1, 1 },
        { "stride=1 bytes=8", 2, 2, 32 },
        { "stride=2 bytes=8", 4, 2, 16 },
        { "stride=1 bytes=16", 4, 4, 32 },
        { "stride=2 bytes=16", 8, 4, 16 },
        { "pattern=column bytes=8 pad=1", 2, 2, 32 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings settings = with("banks", cases[i].knobs);
        struct banks_view view = banks_compute(&settings);
        if (view.passes != cases[i].passes || view.ideal != cases[i].ideal || view.banks != cases[i].banks)
            fail_msg("%s: %u passes, %u ideal, %u banks", cases[i].knobs, view.passes, view.ideal,
                     view.banks);
    }
}

// What is drawn as passes is as many as the simulator counts.
static void lanes_share_as_many_passes_as_there_are(void **state)
{
    for (long pattern = 0; pattern < 6; pattern++)
        for (long knobs = 0; knobs < 3 * 2 * 9 * 10; knobs++) {
            struct settings settings = with("banks", "");
            settings.number[0] = pattern;
            settings.number[1] = knobs * 7 % 65;
            settings.number[2] = knobs % 64;
            settings.number[3] = knobs / 6 % 9;
            settings.number[4] = 4 << knobs % 3;
            settings.number[5] = knobs / 3 % 2;
            struct banks_view view = banks_compute(&settings);
            int last = 0;
            for (int lane = 0; lane < WARP_LANES; lane++)
                last = view.pass[lane] > last ? view.pass[lane] : last;
            if (last + 1 != (int)view.passes)
                fail_msg("pattern %ld, %ld: %d passes drawn, %u counted", pattern, knobs, last + 1,
                         view.passes);
        }
}

static void sectors_of_a_load(void **state)
{
    static const struct {
        const char *knobs;
        unsigned sectors, ideal, used, lines;
    } cases[] = {
        { "stride=1", 4, 4, 128, 1 },
        { "stride=2", 8, 4, 128, 2 },
        { "stride=1 offset=1", 5, 4, 128, 2 },
        { "stride=1 offset=8", 4, 4, 128, 2 },
        { "stride=8", 32, 4, 128, 8 },
        { "stride=32", 32, 4, 128, 32 },
        { "stride=0", 1, 1, 4, 1 },
        { "stride=1 bytes=1", 1, 1, 32, 1 },
        { "stride=1 bytes=8", 8, 8, 256, 2 },
        { "stride=1 bytes=16", 16, 16, 512, 4 },
        { "pattern=reversed", 4, 4, 128, 1 },
        { "pattern=same offset=3", 1, 1, 4, 1 },
        { "pattern=arrays", 4, 4, 128, 1 },
        { "pattern=structures fields=4", 16, 4, 128, 4 },
        { "pattern=structures fields=1", 4, 4, 128, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings settings = with("coalescing", cases[i].knobs);
        struct coalescing_view view = coalescing_compute(&settings);
        if (view.sectors != cases[i].sectors || view.ideal != cases[i].ideal || view.used != cases[i].used ||
            view.line_count != cases[i].lines)
            fail_msg("%s: %u sectors, %u ideal, %u bytes, %zu lines", cases[i].knobs, view.sectors,
                     view.ideal, view.used, view.line_count);
        unsigned drawn = 0;
        for (size_t l = 0; l < view.line_count; l++)
            drawn += (unsigned)__builtin_popcount(view.line[l].sectors);
        assert_int_equal(drawn, view.sectors);
    }
}

static void one_thread_of_a_grid(void **state)
{
    struct settings settings = with("grid", "grid.x=4 block.x=64 thread=101 n=200");
    struct grid_view view = grid_compute(&settings);
    assert_int_equal(view.at_block, 1);
    assert_int_equal(view.at_thread, 37);
    assert_int_equal(view.warp, 1);
    assert_int_equal(view.lane, 5);
    assert_int_equal(view.element, 101);
    assert_int_equal(view.idle, 56);

    settings = with("grid", "grid.x=8 grid.y=3 block.x=16 block.y=16 thread=700 n=6144");
    view = grid_compute(&settings);
    assert_int_equal(view.block_index[0], 2);
    assert_int_equal(view.thread_index[0], 12);
    assert_int_equal(view.thread_index[1], 11);
    assert_int_equal(view.element, 11 * 128 + 44);
    assert_int_equal(view.idle, 0);

    settings = with("grid", "grid.x=2 grid.y=2 grid.z=2 block.x=4 block.y=4 block.z=2 thread=255");
    view = grid_compute(&settings);
    assert_int_equal(view.element, 255); // the last thread has the last element
    assert_false(view.clamped);

    settings = with("grid", "thread=1000000");
    view = grid_compute(&settings);
    assert_true(view.clamped);
    assert_int_equal(view.thread, view.total - 1);
    settings = with("grid", "block.x=1024 block.y=2");
    assert_true(grid_compute(&settings).too_many);
}

static void sides_of_a_condition(void **state)
{
    static const struct {
        const char *knobs;
        int split;
        long time, best;
        double share;
    } cases[] = {
        { "if=i%2==0", 2, 40, 20, 0.5 },
        { "if=i/32%2==0", 0, 20, 20, 1 },
        { "if=lane<16", 2, 40, 20, 0.5 },
        { "if=i<13", 1, 30, 20, 2.0 / 3 },
        { "if=1", 0, 20, 20, 1 },
        { "if=0", 0, 20, 20, 1 },
        { "if=i%32==0 else=0", 0, 20, 1, 1.0 / 32 }, // without the other side there is one pass
        { "if=i%2==0 then=30 else=10", 2, 80, 40, 0.5 },
        { "if=1 block=33", 0, 20, 11, 33.0 / 64 },
        { "if=i%2==0 then=0 else=0", 0, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings settings = with("divergence", cases[i].knobs);
        struct divergence_view view;
        struct error error;
        if (!divergence_compute(&settings, &view, &error))
            fail_msg("%s", error.text);
        if (view.split != cases[i].split || view.time != cases[i].time || view.best != cases[i].best ||
            view.share < cases[i].share - 1e-9 || view.share > cases[i].share + 1e-9)
            fail_msg("%s: %d split, %ld, best %ld, share %g", cases[i].knobs, view.split, view.time,
                     view.best, view.share);
    }
}

static void wrong_conditions_are_sentences(void **state)
{
    static const char *const wrong[] = {
        "if=", "if=i+", "if=i%0", "if=j<3", "if=i)", "if=1>>>2", "if=\033[2J"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct settings settings = with("divergence", "");
        struct divergence_view view;
        struct error error = { 0 };
        set(&settings, wrong[i]);
        assert_false(divergence_compute(&settings, &view, &error));
        assert_true(strlen(error.text) > 0);
    }
}

static void blocks_on_an_sm(void **state)
{
    struct settings settings = with("occupancy", "gpu=sm_90 block=256 registers=32");
    struct occupancy_view view = occupancy_compute(&settings);
    assert_int_equal(view.now.blocks, 8);
    assert_int_equal(view.now.limiter, LIMIT_NONE);
    settings = with("occupancy", "gpu=sm_90 block=256 registers=64 shared=49152");
    view = occupancy_compute(&settings);
    assert_int_equal(view.now.blocks, 4);
    assert_int_equal(view.by[LIMIT_THREADS], 8);
    assert_int_equal(view.by[LIMIT_BLOCKS], 32);
    assert_int_equal(view.by[LIMIT_REGISTERS], 4);
    assert_int_equal(view.by[LIMIT_SHARED], 4);
    settings = with("occupancy", "gpu=sm_75 shared=65537");
    assert_int_equal(occupancy_compute(&settings).now.blocks, 0);
}

// A GPU goes by the same names wherever there is a knob for it: its own, and its architecture's.
static void gpus_have_one_name(void **state)
{
    static const char *const both[] = { "t4",    "a100",  "rtx4090", "l4",     "h100",  "b200",  "rtx5090",
                                        "sm_75", "sm_80", "sm_89",   "sm_100", "sm_90", "sm_120" };
    char line[40];
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        format_into(line, sizeof line, "gpu=%s", both[i]);
        with("occupancy", line);
        with("waves", line);
    }
    struct settings named = with("occupancy", "gpu=h100"), other = with("occupancy", "gpu=sm_90");
    assert_int_equal(named.number[0], other.number[0]);
    assert_int_equal(occupancy_compute(&named).arch->target, 90);
    named = with("waves", "gpu=h100");
    other = with("waves", "gpu=sm_90");
    assert_string_equal(waves_compute(&named).gpu, waves_compute(&other).gpu);
}

// The scarcest of what each limit allows alone is what all of them allow together.
static void limits_agree_with_the_whole(void **state)
{
    for (long gpu = 0; gpu < 13; gpu++)
        for (long at = 0; at < 500; at++) {
            struct settings settings = with("occupancy", "");
            settings.number[0] = gpu;
            settings.number[1] = 1 + at * 37 % 1024;
            settings.number[2] = 1 + at * 11 % 255;
            settings.number[3] = at * 997 % 262144;
            struct occupancy_view view = occupancy_compute(&settings);
            int least = view.by[LIMIT_THREADS];
            for (int limit = LIMIT_BLOCKS; limit <= LIMIT_SHARED; limit++)
                least = view.by[limit] < least ? view.by[limit] : least;
            assert_int_equal(least, view.now.blocks);
        }
}

static void waves_of_blocks(void **state)
{
    struct settings settings = with("waves", "gpu=h100 blocks=264 per-sm=2");
    struct waves_view view = waves_compute(&settings);
    assert_int_equal(view.waves, 1);
    assert_int_equal(view.tail, 264);
    assert_true(view.busy == 1.0);
    settings = with("waves", "gpu=h100 blocks=265 per-sm=2");
    view = waves_compute(&settings);
    assert_int_equal(view.waves, 2);
    assert_int_equal(view.tail, 1);
    settings = with("waves", "gpu=a100 blocks=1 per-sm=32");
    view = waves_compute(&settings);
    assert_int_equal(view.waves, 1);
    assert_int_equal(view.slots, 108 * 32);
}

static struct model_view modelled(const char *knobs)
{
    struct settings settings = with("model", knobs);
    struct model_view view;
    struct error error;
    if (!model_compute(&settings, &view, &error))
        fail_msg("%s", error.text);
    return view;
}

static double ms_of(const char *knobs)
{
    struct model_view view = modelled(knobs);
    assert_true(view.time[view.now].known);
    return view.time[view.now].ms;
}

static void models_answer_to_their_launch(void **state)
{
    (void)state;
    double large = ms_of("size=67108864"), larger = ms_of("size=268435456");
    assert_true(larger > 3.7 * large && larger < 4.1 * large); // DRAM's bytes, beside the start
    assert_true(ms_of("block=32") > 2 * ms_of("block=256"));   // so many blocks take longer to start
    assert_true(ms_of("kernel=tree registers=255") > ms_of("kernel=tree registers=32"));
    assert_true(ms_of("kernel=tree shared=96") > ms_of("kernel=tree shared=0"));
    assert_true(ms_of("gpu=l4") > 5 * ms_of("gpu=h100")); // 300 GB/s beside 3 TB/s
    assert_int_equal(modelled("size=1024 block=1024").blocks, 1);
    struct model_view view = modelled("kernel=polynomial");
    assert_true(view.time[view.now].limiter == TERM_ISSUE || view.time[view.now].limiter == TERM_PIPE);
    view = modelled("kernel=atomics");
    assert_int_equal(view.time[view.now].limiter, TERM_ATOMICS);
    view = modelled("gpu=t4 shared=96");
    assert_int_equal(view.fits.blocks, 0);
    assert_false(view.time[view.now].known);
}

// ---- knobs --------------------------------------------------------------------------------------------------

static void refuses(const char *explorer, const char *assignment, const char *sentence)
{
    struct settings settings = with(explorer, ""), before = settings;
    struct error error = { 0 };
    assert_false(settings_read(&settings, assignment, &error));
    assert_int_equal(error.code, EXIT_USAGE);
    if (sentence)
        assert_string_equal(error.text, sentence);
    assert_memory_equal(&settings, &before, sizeof before);
}

static void hostile_settings_are_refused(void **state)
{
    refuses("banks", "stride=65", "stride takes 0 to 64, not '65'.");
    refuses("banks", "bytes=5", "bytes takes 4, 8 or 16, not '5'.");
    refuses("banks", "access=erase", "access takes read or write, not 'erase'.");
    refuses("banks", "strid=2", "'banks' has no knob 'strid'. Did you mean stride (0 to 64)?");
    refuses("banks", "x=2", "'banks' has no knob 'x'. It has pattern, stride, offset, pad, bytes or access.");
    refuses("banks", "stride", "'stride' sets nothing. Write KNOB=VALUE, such as stride=2.");
    static const char *const wrong[] = {
        "stride=", "stride=-1", "stride=2x", "stride= 2 ", "stride=99999999999999999999",
        "=",       "",          "pattern=",  "stride=0x2", "stride=\033[2J"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses("banks", wrong[i], NULL);
    char longest[400] = "if=";
    memset(longest + 3, '1', sizeof longest - 4);
    longest[sizeof longest - 1] = 0;
    refuses("divergence", longest, "if takes at most 79 characters.");
}

static void unknown_explorers_are_named(void **state)
{
    const struct explorer *explorer;
    struct error error;
    assert_false(explorer_of("bank", &explorer, &error));
    assert_string_equal(error.text, "There is no explorer 'bank'. Did you mean banks?");
    assert_false(explorer_of("", &explorer, &error));
}

static void knobs_turn_and_stop_at_their_ends(void **state)
{
    struct settings settings = with("banks", "");
    settings_turn(&settings, 1, 1);
    assert_int_equal(settings.number[1], 3);
    settings_turn(&settings, 4, 1);
    settings_turn(&settings, 4, 1);
    settings_turn(&settings, 4, 1);
    assert_int_equal(settings.number[4], 16);
    settings_turn(&settings, 4, -1);
    assert_int_equal(settings.number[4], 8);
    settings = with("divergence", "block=33"); // in steps of whole warps
    settings_turn(&settings, 1, 1);
    assert_int_equal(settings.number[1], 64);
    settings_turn(&settings, 1, -1);
    assert_int_equal(settings.number[1], 32);
    settings_turn(&settings, 1, -1);
    assert_int_equal(settings.number[1], 1);
    for (int e = 0; explorers[e]; e++) {
        settings = settings_new(explorers[e]);
        for (size_t k = 0; k < knob_count(explorers[e]); k++)
            for (int direction = -1; direction <= 1; direction += 2) {
                for (int i = 0; i < 3000; i++)
                    settings_turn(&settings, k, direction);
                char value[KNOB_TEXT];
                struct error error;
                assert_true(
                    settings_put(&settings, k, knob_value(&settings, k, value, sizeof value), &error));
            }
    }
}

// ---- sheets -------------------------------------------------------------------------------------------------

static void a_sheet_at(const struct settings *settings, int width)
{
    for (int utf8 = 0; utf8 < 2; utf8++) {
        int knobs = (int)knob_count(settings->explorer);
        struct sheet sheet = explore_sheet(settings, width, utf8, width % (knobs + 1) - 1);
        struct text line = { 0 };
        for (size_t i = 0; i < sheet.line_count; i++) {
            sheet_line_text(&sheet, i, &line);
            if (width >= 78 && text_cells(text_string(&line)) > width)
                fail_msg("%s at %d: '%s'", settings->explorer->name, width, line.data);
        }
        for (int k = 0; k < knobs; k++)
            assert_true(sheet_line_of_item(&sheet, k) >= 0);
        if (width >= 78 && sheet.line_count > 22)
            fail_msg("%s has %zu lines at %d", settings->explorer->name, sheet.line_count, width);
        text_free(&line);
        sheet_free(&sheet);
    }
}

// Every explorer with its knobs at the start, at their least and at their most.
static void every_sheet_fits_every_width(void **state)
{
    for (int e = 0; explorers[e]; e++)
        for (int end = -1; end <= 1; end++) {
            struct settings settings = settings_new(explorers[e]);
            for (size_t k = 0; k < knob_count(explorers[e]); k++)
                for (int i = 0; end && i < 200; i++)
                    settings_turn(&settings, k, end);
            for (int width = 1; width <= 250; width++)
                a_sheet_at(&settings, width);
        }
    for (int width = 1; width <= 250; width++) {
        struct sheet list = explore_list(width, width % 2, "warpbook ");
        assert_int_equal(sheet_line_of_item(&list, 0), 0);
        sheet_free(&list);
    }
}

static bool says(const struct settings *settings, const char *words)
{
    struct sheet sheet = explore_sheet(settings, 80, false, -1);
    struct text line = { 0 };
    bool found = false;
    for (size_t i = 0; i < sheet.line_count && !found; i++)
        found = strstr(sheet_line_text(&sheet, i, &line), words);
    text_free(&line);
    sheet_free(&sheet);
    return found;
}

// A page that waits for it draws at once and simulates nothing; what was prepared serves all turns of the other knobs.
static void a_step_is_prepared_apart_from_its_picture(void **state)
{
    struct settings settings = with("step", "step=transpose/1 size=n=64");
    assert_false(explore_step.ready(&settings));
    settings.waits = true;
    assert_true(says(&settings, "the picture follows"));
    assert_false(explore_step.ready(&settings));
    explore_step.prepare(&settings);
    assert_true(explore_step.ready(&settings));
    settings.waits = false;
    set(&settings, "registers=128");
    set(&settings, "gpu=t4");
    assert_true(explore_step.ready(&settings));
    assert_false(says(&settings, "the picture follows"));
    set(&settings, "size=n=128");
    assert_false(explore_step.ready(&settings));
}

static void sheet_is(const char *explorer, const char *knobs, int chosen, const char *want)
{
    struct settings settings = with(explorer, knobs);
    struct sheet sheet = explore_sheet(&settings, 80, false, chosen);
    struct text got = { 0 }, line = { 0 };
    for (size_t i = 0; i < sheet.line_count; i++) {
        const char *text = sheet_line_text(&sheet, i, &line);
        size_t length = strlen(text);
        while (length && text[length - 1] == ' ')
            length--;
        text_addf(&got, "%.*s\n", (int)length, text);
    }
    if (strcmp(text_string(&got), want) != 0)
        fail_msg("%s %s is\n%s", explorer, knobs, text_string(&got));
    text_free(&got);
    text_free(&line);
    sheet_free(&sheet);
}

static void banks_as_they_are_shown(void **state)
{
    sheet_is("banks", "stride=2", 1,
             " A warp at the 32 banks of shared memory: the numbers are lanes\n"
             " pattern  stride           stride  <2>               offset   0\n"
             " pad      0                bytes    4                access   read\n"
             " stride: elements from one lane to the next, for pattern stride (0 to 64)\n"
             "\n"
             " bank       0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"
             " pass 1     0   .   1   .   2   .   3   .   4   .   5   .   6   .   7   .\n"
             " pass 2    16   .  17   .  18   .  19   .  20   .  21   .  22   .  23   .\n"
             " bank      16  17  18  19  20  21  22  23  24  25  26  27  28  29  30  31\n"
             " pass 1     8   .   9   .  10   .  11   .  12   .  13   .  14   .  15   .\n"
             " pass 2    24   .  25   .  26   .  27   .  28   .  29   .  30   .  31   .\n"
             "\n"
             " 2 passes, 1 would be ideal; 16 of 32 banks are asked.\n"
             " Each lane reads element lane * 2 of float tile[64][32] (bank: word % 32).\n"
             " Conflict: bank 0 serves one word in a pass, and is asked for 2 by lanes 0, 16.\n");
}

static void divergence_as_it_is_shown(void **state)
{
    sheet_is("divergence", "if=i<13", -1,
             " if (condition) then ... else ...: which lanes of a warp take which side\n if     i<13         "
             "      block  64                 then   10\n else   10\n\n lane             0       8       16  "
             "    24     31\n warp 0      then #############...................  13 lanes\n             else "
             ".............###################  19 lanes  2 passes\n warp 1      else "
             "################################  32 lanes  1 pass\n\n Warps that split: 1 of 2; 67% of the "
             "lanes' time is work.\n The warps issue 30 instructions; with every lane at work it would be "
             "20.\n A warp with lanes on both sides runs both, one after the other, and the lanes\n on the "
             "other side wait. Nothing promises which side comes first.\n");
}

// The picture of 32 passes takes the rows that a screen has for it, and starts with the banks that are asked most.
static void pictures_use_the_rows_there_are(void **state)
{
    struct settings settings = settings_new(&explore_banks);
    struct error error;
    struct text row = { 0 };
    assert_true(settings_read(&settings, "stride=32", &error) &&
                settings_read(&settings, "offset=20", &error));
    for (int rows = 0; rows <= 60; rows += 5)
        for (int width = 80; width <= 160; width += 40) {
            settings.rows = rows;
            struct sheet sheet = explore_sheet(&settings, width, true, 0);
            bool more = false, first = true;
            for (size_t i = 0; i < sheet.line_count; i++) {
                const char *line = sheet_line_text(&sheet, i, &row);
                more |= strstr(line, "more passes") != NULL;
                if (first && string_starts(line, " bank  ")) {
                    assert_non_null(strstr(line, " 20"));
                    first = false;
                }
            }
            if (rows >= 25 && (int)sheet.line_count > rows)
                fail_msg("%d rows of %d, %d wide", (int)sheet.line_count, rows, width);
            if (rows == 60 && width == 160)
                assert_false(more);
            sheet_free(&sheet);
        }
    text_free(&row);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_at_the_banks),
        cmocka_unit_test(lanes_share_as_many_passes_as_there_are),
        cmocka_unit_test(sectors_of_a_load),
        cmocka_unit_test(one_thread_of_a_grid),
        cmocka_unit_test(sides_of_a_condition),
        cmocka_unit_test(wrong_conditions_are_sentences),
        cmocka_unit_test(blocks_on_an_sm),
        cmocka_unit_test(gpus_have_one_name),
        cmocka_unit_test(limits_agree_with_the_whole),
        cmocka_unit_test(waves_of_blocks),
        cmocka_unit_test(models_answer_to_their_launch),
        cmocka_unit_test(hostile_settings_are_refused),
        cmocka_unit_test(unknown_explorers_are_named),
        cmocka_unit_test(knobs_turn_and_stop_at_their_ends),
        cmocka_unit_test(every_sheet_fits_every_width),
        cmocka_unit_test(a_step_is_prepared_apart_from_its_picture),
        cmocka_unit_test(banks_as_they_are_shown),
        cmocka_unit_test(divergence_as_it_is_shown),
        cmocka_unit_test(pictures_use_the_rows_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
