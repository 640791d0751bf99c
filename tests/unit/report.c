// Reports: what is counted and what is shown of it.
#include "tests/unit/report_page.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- what stands in it ------------------------------------------------------------------------------------------

#define AT(day) ",\"date\":\"2026-03-0" day "T10:00:00Z\"}\n"
#define RUN(rest) "{\"kind\":\"run\",\"lab\":\"vecadd\",\"preset\":\"full\",\"data\":\"uniform\"," rest

static const char
    events
        [] =
            "{\"kind\":\"lesson\",\"lesson\":\"01-warps\"" AT(
                "2") "{\"kind\":\"answer\"," ABOUT("lanes") ",\"chosen"
                                                            "\":[1],"
                                                            "\"right\":"
                                                            "false" AT(
                                                                "2") "{\"kind\":\"answer\"," ABOUT("lanes") ",\"chosen\":[2],"
                                                                                                            "\"right\":"
                                                                                                            "true" AT("2") "{\"kind\":\"predict\"," ABOUT("sectors") ",\"number\":4" AT(
                                                                                                                "2") "{\"kind\":\"answer\"," ABOUT("sectors") ",\"right\":false,\"came\":[8.0],\"how\":\"simulated\",\"ratio\":2.0" AT("2") "{\"kind\":\"answer\"," ABOUT("lines") ",\"order\":[1,2],\"right\":true" AT("3") "{\"kind\":\"answer\"," ABOUT("add") ",\"right\":false,\"text\":\"3 of 9 wrong.\",\"hints\":0" AT("3") "{\"kind\":\"hint\"," ABOUT("add") ",\"hint\":2,\"asked_solution\":false" AT("3") "{\"kind\":\"hint\"," ABOUT("add") ",\"hint\":2,\"asked_solution\":true" AT("3") "{\"kind\":\"edit\"," ABOUT("add") ",\"variant\":\"01-warps/add.cu\"" AT("3") "{\"kind\":\"answer\"," ABOUT("add") ",\"right\":true,\"asked_solution\":true,\"hints\":2" AT("4") "{\"kind\":\"answer\"," ABOUT("lanes") ",\"chosen\":[1],\"right\":false,\"review\":true" AT("4") "{\"kind\":\"note\",\"page\":\"lesson 1\",\"text\":\"within the lesson\"" AT("4") "{\"kind\":\"note\",\"text\":\"of no lesson\"" AT("4") RUN("\"variant\":\"plain\",\"backend\":\"cpu\",\"status\":\"right\",\"median_ms\":50,\"device\":\"A CPU\"") AT("4") RUN("\"variant\":\"2-one-block\",\"backend\":\"gpu\",\"status\":\"right\",\"median_ms\":20,\"device\":\"A GPU\"") AT("4") RUN("\"variant\":\"2-one-block\",\"backend\":\"gpu\",\"status\":\"right\",\"median_ms\":0.5,\"device\":\"A GPU\","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"ceiling_pct\":61.4,\"ceiling_gbps\":3000,\"driver\":\"CUDA 13.0\"") AT("4") RUN("\"variant\":\"1-one-thread\",\"backend\":\"gpu\",\"status\":\"wrong\",\"median_ms\":7.25,\"device\":\"A GPU\","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "\"compared\":9,\"wrong\":3")
                                                                                                                AT("4") RUN(
                                                                                                                    "\"variant\":\"1-one-thread\",\"backend\":\"sim\",\"status\":\"right\",\"exec_ms\":31.25,\"median_ms\":31.25,"
                                                                                                                    "\"counters\":{\"gld_req\":2,\"gld_sec\":16}")
                                                                                                                    AT("4") "{\"kind\":\"edit\",\"lab\":\"vecadd\",\"variant\":\"2-one-block\"" AT("4") "{\"kind\":\"answer\",\"lesson\":\"09-gone\",\"id\":\"q\",\"typed\":\"elsewhere\",\"right\":false" AT(
                                                                                                                        "4") "{\"kind\":\"something new\"" AT("5") "{\"torn";

static void every_kind_of_event_is_told(void **state)
{
    const char *page = markdown(*state, events);
    assert_holds(page, "From 2026-03-02 to 2026-03-05, on 4 days.");
    assert_holds(page, "on 2026-03-01.");
    assert_holds(page, "1 line of the workbook's file cannot be read");
    assert_holds(page, "- GPU A GPU, CUDA 13.0: 1 run, measured");
    assert_holds(page, "- CPU A CPU: 1 run, measured");
    assert_holds(page, "- Simulator: 1 run, counted and checked, not timed");
    assert_holds(
        page,
        "| How many lanes has `a warp`? | 16 | not right | then 32: right; asked again 1 time, 0 right |");
    assert_holds(page, "| How many sectors? | 4 sectors | 8 sectors | simulated | off by a factor of 2 |");
    assert_holds(page, "| Put it in order. | 1. `one`; 2. `two` | right |");
    assert_holds(page,
                 "| Add. | exercise | 2 | yes, on try 2, 2026-03-04 | 2 of 3 | yes, before it was solved, "
                 "2026-03-03 | 1 |");
    assert_holds(page, "- `add`, try 1, 2026-03-03: 3 of 9 wrong.");
    assert_holds(page, "### Notes\n\n- 2026-03-04: within the lesson\n");
    assert_holds(page, "## Notes\n\n- 2026-03-04: of no lesson\n");
    assert_holds(page, "| `vecadd/2-one-block` | 1 | 2026-03-04 |");
    assert_holds(page, "| 2026-03-04 | answer | 09-gone q | \"elsewhere\" | not right |");
    assert_holds(page, "| 2026-03-05 | something new |");
    assert_lacks(page, "Lesson 2");
}

static void wrong_orders_are_told_line_by_line(void **state)
{
    const char *page =
        markdown(*state, "{\"kind\":\"answer\"," ABOUT("lines") ",\"order\":[2,9,1],\"right\":false" AT("2"));
    assert_holds(page, "| 1. `two`; 2. a line that the lesson no longer has; 3. `one` | not right |");
}

static void each_number_says_where_it_comes_from(void **state)
{
    const char *page = markdown(
        *state,
        "{\"kind\":\"predict\"," ABOUT("sectors") ",\"number\":1" AT("2") "{\"kind\":\"answer\"," ABOUT(
            "sectors") ",\"right\":false,"
                       "\"came\":[0.034,0.181],\"how\":\"measured here, on the CPU A; recorded on B, "
                       "2026-11-01\",\"by_value\":[\"measured here, on the CPU A\",\"recorded on B, "
                       "2026-11-01\"]" AT("2"));
    assert_holds(page, "| 0.034; 0.181 | measured here, on the CPU A; recorded on B, 2026-11-01 |");
    assert_holds(page, "1 prediction was compared with what was measured elsewhere");
}

static void the_summary_counts_as_the_lessons_do(void **state)
{
    const char *page = markdown(*state, events);
    assert_holds(page, "| 1 Warps | 4 of 5 | 0 of 1 | 1 of 2 | 1 of 1 | 0 of 1 | 2 | 1 |");
    assert_holds(page, "| 2 Banks | 0 of 0 |  |  |  |  | 0 | 0 |");
    assert_holds(page, "| **All** | 4 of 5 | 0 of 1 | 1 of 2 | 1 of 1 | 0 of 1 | 2 | 1 |");
}

static void runs_show_the_newest_and_no_time_of_a_wrong_answer(void **state)
{
    const char *page = markdown(*state, events);
    assert_holds(page, "**Measured**: full, uniform. The newest run of each step; there were 4.");
    assert_holds(page, "| `plain` | CPU A CPU | 50.00 ms | 1.00 |");
    assert_holds(page,
                 "| `2-one-block` | GPU A GPU | 0.500 ms | 100 | 61 % of 3000 GB/s | right | 2026-03-04 |");
    assert_holds(page, "wrong: 3 of 9 wrong | 2026-03-04 |");
    assert_holds(page, "Speed-ups are against `plain` on the CPU.");
    assert_lacks(page, "20.00 ms");
    assert_lacks(page, "7.25");
}

static void simulated_numbers_stand_apart_and_are_no_times(void **state)
{
    const char *page = markdown(*state, events), *simulated = strstr(page, "**Simulated**");
    assert_non_null(simulated);
    assert_holds(simulated, "Counted in the simulator, not timed.");
    assert_holds(simulated, "| step | sectors per request | findings | check | day |");
    assert_holds(simulated, "| `1-one-thread` | 8.00 | none | right | 2026-03-04 |");
    assert_lacks(page, "31.25");
    assert_true(strstr(page, "**Measured**") < simulated);
}

static void charts_are_drawn_in_characters_and_as_pictures(void **state)
{
    const char *page = markdown(*state, events);
    assert_holds(page, "```text\nCPU plain");
    assert_holds(page, "ms, log scale");
    assert_int_equal(times(page, "GPU 1-one-thread"), 0);
    page = html(*state, events);
    assert_int_equal(times(page, "<svg "), 1);
    assert_int_equal(times(page, "<rect "), 2);
    assert_holds(page, "<desc id=\"desc-");
    assert_holds(page, "CPU plain: 50.00 ms; GPU 2-one-block: 0.500 ms.");
    assert_holds(page, "median time in ms, log scale");
    // Each bar ends within the picture, where the log scale has its time.
    const char *rect = strstr(page, "<rect ");
    double slow = strtod(strstr(rect, "width=\"") + strlen("width=\""), NULL);
    double fast = strtod(strstr(strstr(rect + 1, "<rect "), "width=\"") + strlen("width=\""), NULL);
    assert_true(fast > 1 && fast < slow && slow < 760);
    assert_int_equal(times(page, "inf"), 0);
    assert_int_equal(times(page, "nan"), 0);
}

static void a_page_is_well_formed(void **state)
{
    const char *page = html(*state, events);
    assert_true(assert_page(page) > 200);
    assert_holds(page, "<title>Workbook</title>");
    assert_holds(page, "<span class=\"good\">right</span>");
    assert_true(string_ends(page, "</html>\n"));
}

static void one_lesson_alone_brings_its_labs(void **state)
{
    struct place *place = *state;
    place->wish.lesson = &place->list[0];
    const char *page = markdown(place, events);
    assert_holds(page, "This is lesson 1 alone");
    assert_holds(page, "### vecadd"); // its exercise is about that lab
    assert_lacks(page, "of no lesson");
    assert_lacks(page, "**All**");
    place->wish.lesson = &place->list[1];
    page = markdown(place, events);
    assert_holds(page, "## Lesson 2: Banks");
    assert_lacks(page, "vecadd");
    assert_lacks(page, "within the lesson");
}

static void an_empty_workbook_says_how_to_begin(void **state)
{
    const char *page = markdown(*state, "");
    assert_holds(page, "Nothing is written here yet.");
    assert_holds(page, "`warpbook open lesson 1`");
    assert_lacks(page, "Summary");
    assert_page(html(*state, ""));
}

static void a_torn_workbook_is_told(void **state)
{
    const char *page = markdown(
        *state, "{\"kind\":\"note\",\"te\n\xff\xfe\n{\"kind\":\"note\",\"text\":\"whole\"}\n[]\n{\"ki");
    assert_holds(page, "4 lines of the workbook's file cannot be read and are left out here.");
    assert_holds(page, "- whole\n");
    page = markdown(*state, "torn");
    assert_holds(page, "1 line of the workbook's file cannot be read");
    assert_holds(page, "Nothing is written here yet.");
}

static void values_of_wrong_types_do_no_harm(void **state)
{
    static const char odd[] =
        "{\"kind\":\"run\",\"lab\":[],\"variant\":7,\"median_ms\":\"x\",\"findings\":{},\"date\":{}}\n"
        "{\"kind\":\"run\",\"backend\":\"odd\",\"status\":\"right\",\"params\":[1],\"findings\":[1,\"x\"],"
        "\"counters\":[]}\n"
        "{\"kind\":\"run\",\"backend\":\"sim\",\"status\":\"right\",\"findings\":[1,\"x\",{}],\"counters\":["
        "2]}\n"
        "{\"kind\":\"run\",\"backend\":\"gpu\",\"status\":\"right\",\"median_ms\":1e308,\"h2d_ms\":-1}\n"
        "{\"kind\":\"run\",\"backend\":\"gpu\",\"status\":\"right\",\"variant\":\"9\",\"median_ms\":1e-308}\n"
        "{\"kind\":\"answer\"," ABOUT(
            "lanes") ",\"chosen\":{\"a\":1},\"right\":\"yes\",\"date\":7}\n"
                     "{\"kind\":\"answer\"," ABOUT(
                         "lanes") ",\"chosen\":[99,-1,\"x\",null],\"right\":1}\n"
                                  "{\"kind\":\"predict\"," ABOUT(
                                      "sectors") ",\"number\":\"x\"}\n"
                                                 "{\"kind\":\"answer\"," ABOUT(
                                                     "sectors") ",\"came\":{\"a\":[]},\"how\":[],\"ratio\":"
                                                                "\"x\"}\n"
                                                                "{\"kind\":\"hint\"," ABOUT(
                                                                    "add") ",\"hint\":-9223372036854775808,"
                                                                           "\"asked_solution\":3}\n"
                                                                           "{\"kind\":\"edit\"," ABOUT(
                                                                               "add") "}\n{\"kind\":\"edit\"}"
                                                                                      "\n{\"kind\":"
                                                                                      "\"lesson\"}\n"
                                                                                      "{\"kind\":\"note\","
                                                                                      "\"page\":\"lesson "
                                                                                      "\\\"\",\"text\":[]}\n{"
                                                                                      "\"kind\":\"\"}\n";
    assert_holds(markdown(*state, odd), "3 runs of the workbook cannot be read");
    assert_page(html(*state, odd));
}

// ---- a log scale -------------------------------------------------------------------------------------------------

static void decades_hold_all_bars(void **state)
{
    struct report_page report = { 0 };
    report_chart(&report, "x");
    struct report_decades none = report_decades(&report.marks[0]);
    assert_true(none.high > none.low);
    report_bar(&report, ROLE_CPU, 1, "one");
    struct report_decades one = report_decades(&report.marks[0]);
    assert_true(report_share(one, 1) > 0 && report_share(one, 1) <= 1); // never an empty bar
    report_bar(&report, ROLE_CPU, 0.02, "low");
    report_bar(&report, ROLE_CPU, 1000, "high");
    struct report_decades all = report_decades(&report.marks[0]);
    assert_int_equal(all.low, -2);
    assert_int_equal(all.high, 3);
    assert_true(report_share(all, 1000) == 1);
    report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_event_is_told),
        TEST(wrong_orders_are_told_line_by_line),
        TEST(each_number_says_where_it_comes_from),
        TEST(the_summary_counts_as_the_lessons_do),
        TEST(runs_show_the_newest_and_no_time_of_a_wrong_answer),
        TEST(simulated_numbers_stand_apart_and_are_no_times),
        TEST(charts_are_drawn_in_characters_and_as_pictures),
        TEST(a_page_is_well_formed),
        TEST(one_lesson_alone_brings_its_labs),
        TEST(an_empty_workbook_says_how_to_begin),
        TEST(a_torn_workbook_is_told),
        TEST(values_of_wrong_types_do_no_harm),
        cmocka_unit_test(decades_hold_all_bars),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
