// warpbook doctor: what was found here, and for everything missing what to do.
#include "tui/command/waiting.h"
#include "tui/view/view.h"

#include <stdlib.h>

// The whole report, with the worker's part of it; the worker may be on another machine.
static json_t *describe(const struct arguments *arguments, const struct paper *paper, struct waiting *waiting,
                        struct error *error)
{
    struct client *client = client_new();
    json_t *report = NULL;
    const struct vocabulary known = { page_list, arguments->commands };
    if (client_describe(client, arguments_has(arguments, "--measure"), waiting_show, waiting, &report, error))
        machine_add_here(report, &known, paper->width, paper->terminal);
    waiting_wipe(waiting);
    client_free(client);
    return report;
}

int command_doctor(const struct arguments *arguments)
{
    struct error error = { 0 };
    struct paper paper = paper_open(stdout);
    struct waiting waiting = { .what = "the worker" };
    waiting_begin(&waiting);
    json_t *report = describe(arguments, &paper, &waiting, &error);
    int stopped = waiting_end(&waiting);
    if (!report) {
        int status = fail(&error);
        return stopped ? stopped : status;
    }
    if (arguments_has(arguments, "--json")) {
        char *text = json_dumps(report, JSON_INDENT(2) | JSON_ENSURE_ASCII);
        printf("%s\n", text);
        free(text);
    } else {
        struct sheet sheet =
            machine_sheet(report, paper.terminal ? paper.width : SHEET_UNLIMITED, paper.utf8);
        sheet_print(&paper, &sheet);
        sheet_free(&sheet);
    }
    json_decref(report);
    return EXIT_RIGHT;
}
