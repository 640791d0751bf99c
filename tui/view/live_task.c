// exercise, bughunt: the task, and where one begins.
#include "tui/view/live.h"

#include <stdlib.h>
#include <string.h>

static char *file_of(const struct live_view *view)
{
    const char *path = view->lesson->path, *slash = strrchr(path, '/');
    char *folder = slash ? mem_copy_n(path, (size_t)(slash - path)) : mem_copy(".");
    char *file = path_join(folder, live_field(view->live, "file"));
    free(folder);
    return file;
}

void task_add(const struct live_view *view)
{
    struct sheet *sheet = view->sheet;
    bool hunt = view->live->kind == LIVE_BUGHUNT;
    char *file = file_of(view);
    live_head(view, hunt ? "Bug hunt" : "Exercise", ROLE_GOOD, GLYPH_DONE,
              live_solved(view->question) ? "solved" : "");
    live_ask(view, "ask");
    sheet_to(sheet, 2);
    sheet_hang(sheet, 2);
    sheet_flow(sheet, ROLE_DIM, hunt ? "The kernel to mend:" : "The kernel to begin with:");
    sheet_flow(sheet, ROLE_TEXT, " ");
    sheet_flow(sheet, ROLE_CODE, "%s", file);
    sheet_end(sheet);
    free(file);
}
