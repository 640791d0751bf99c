// The review in a terminal: typed there, and from the full screen, which lends it the terminal and has it back.
#include "tests/unit/program.h"

static const char book[] =
    "{\"kind\":\"answer\",\"date\":\"2001-01-01T12:00:00Z\",\"lesson\":\"02-questions\",\"id\":\"one\","
    "\"right\":false}\n"
    "{\"kind\":\"answer\",\"date\":\"2001-01-02T12:00:00Z\",\"lesson\":\"02-questions\",\"id\":\"typed\","
    "\"right\":false}\n";

// The lessons of the tests, and two questions that are due.
static void two_are_due(void)
{
    char *here = getcwd(NULL, 0);
    const char *const links[][2] = { { "kernels", "kernels" },
                                     { "assets", "assets" },
                                     { "tests/data/lessons", "lessons" } };
    struct error error;
    assert_non_null(here);
    assert_true(folder_make(in_folder("data"), &error));
    for (size_t i = 0; i < 3; i++) {
        char name[80], *to = path_join(here, links[i][0]);
        format_into(name, sizeof name, "data/%s", links[i][1]);
        assert_int_equal(symlink(to, in_folder(name)), 0);
        free(to);
    }
    free(here);
    setenv("WARPBOOK_DATA", in_folder("data"), 1);
    write_into("own/workbook.jsonl", book);
}

static int events(void)
{
    char *text = read_from("own/workbook.jsonl");
    int lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    free(text);
    return lines;
}

static void it_asks_in_a_terminal(void **state)
{
    struct terminal terminal;
    two_are_due();
    program_start(&terminal, 24, 80, (const char *const[]){ "review", NULL });
    terminal_expect(&terminal, "Your choice, 1 to 3:");
    typed(&terminal, "7\r", "The choices are 1 to 3.");
    typed(&terminal, "2\r", "Your answer:");
    assert_int_equal(events(), 3);
    typed(&terminal, "\004", "1 answered: 1 right");
    ended(&terminal, 0);
}

static void the_screen_lends_it_the_terminal(void **state)
{
    struct terminal terminal;
    two_are_due();
    at_home(&terminal);
    terminal_expect(&terminal, "2 questions to review: :review");
    typed(&terminal, "j\r", "Your choice, 1 to 3:");
    typed(&terminal, "2\r", "Your answer:");
    typed(&terminal, "4\r", "2 answered: 2 right");
    typed(&terminal, "\r", "GPU by program");
    expect_screen(&terminal);
    expect_gone(&terminal, "to review");
    typed(&terminal, ":review --list\r", "0 of 2 due");
    quit(&terminal);
    assert_int_equal(events(), 4);
}

static void it_is_stopped_and_the_screen_goes_on(void **state)
{
    struct terminal terminal;
    two_are_due();
    at_home(&terminal);
    typed(&terminal, ":review --all\r", "Your choice, 1 to 3:");
    typed(&terminal, "2\r", "Your answer:");
    terminal_type(&terminal, "\003");
    expect_screen(&terminal);
    terminal_expect(&terminal, "1 question to review");
    quit(&terminal);
    assert_int_equal(events(), 3);
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "serve") == 0)
        return serve();
    program_environment();
    const struct CMUnitTest tests[] = {
        program_test(it_asks_in_a_terminal),
        program_test(the_screen_lends_it_the_terminal),
        program_test(it_is_stopped_and_the_screen_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
