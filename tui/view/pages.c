// The table of pages, and what the first word of a command line names: a command, or else a page or a lab.
#include "engine/cli/cli.h"
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>

const struct page_ops *const page_list[] = { &home_page,    &lesson_page,   &bench_page,   &source_page,
                                             &compare_page, &step_page,     &explore_page, &terms_page,
                                             &find_page,    &workbook_page, &machine_page, &help_page,
                                             &output_page,  &exec_page,     &ballot_page,  &room_page,
                                             NULL };

// The command whose name is nearest, or NULL.
static const char *nearest_command(const struct command *table, const char *name)
{
    const char **names = NULL;
    size_t count = 0;
    for (; table->name; table++) {
        names = array_room(names, count, sizeof *names);
        names[count++] = table->name;
    }
    const char *nearest = string_nearest(name, names, count);
    free(names);
    return nearest;
}

const struct command *command_named(const struct command *table, const char *name, struct error *error)
{
    const struct command *command = command_find(table, name);
    if (command)
        return command;
    const char *nearest = nearest_command(table, name);
    if (page_find(page_list, name))
        error_set(error, EXIT_USAGE, "'%s' is a page of the screen: 'warpbook open %s' shows it.", name,
                  name);
    else if (lab_find(name))
        error_set(error, EXIT_USAGE,
                  "'%s' is a lab: 'warpbook run %s' runs its ladder, 'warpbook open bench %s' shows it.",
                  name, name, name);
    else if (nearest)
        error_set(error, EXIT_USAGE, "There is no command '%s'. Did you mean %s?", name, nearest);
    else
        error_set(error, EXIT_USAGE, "There is no command '%s'. 'warpbook help' lists them.", name);
    return NULL;
}
