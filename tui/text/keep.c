// Runs of the command line go into the workbook as those of the screen do. One that cannot be kept is no reason to fail:
// it is said once, on stderr.
#include "tui/text/text.h"

void keep_run(struct keeping *keeping, const struct record *record)
{
    struct error error;
    if (keeping->failed)
        return;
    if (!keeping->workbook)
        keeping->workbook = workbook_open(NULL, &error);
    if (keeping->workbook && workbook_add_run(keeping->workbook, record, &error))
        return;
    keeping->failed = true;
    fflush(stdout);
    fail(&error);
}

void keep_end(struct keeping *keeping)
{
    if (keeping->workbook)
        workbook_close(keeping->workbook);
    *keeping = (struct keeping){ 0 };
}

void keep_warn(const struct workbook *workbook)
{
    struct error why;
    if (workbook_unwritable(workbook, &why))
        fail(&why);
}
