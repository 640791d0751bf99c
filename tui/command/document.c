// A document that a command makes, printed or written into the file of --to.
#include "tui/tui.h"

#include <stdio.h>

bool document_asked(const struct arguments *arguments, struct error *error)
{
    if (arguments_has(arguments, "--force") && !arguments_has(arguments, "--to"))
        return error_set(error, EXIT_USAGE, "--force needs --to FILE.");
    return true;
}

static bool write_file(const char *path, bool force, const struct text *page, struct error *error)
{
    struct error why;
    if (!*path)
        return error_set(error, EXIT_USAGE, "--to needs the name of a file.");
    if (!file_may_replace(path, force, error))
        return false;
    if (file_replace(path, text_string(page), page->length, &why))
        return true;
    return error_set(error, why.code,
                     "%s Give --to a file in a folder that exists and that you may write to.", why.text);
}

bool document_put(const struct arguments *arguments, const struct text *page, struct error *error)
{
    const char *path = arguments_value(arguments, "--to");
    if (!path) {
        fwrite(text_string(page), 1, page->length, stdout); // main checks that it was written
        return true;
    }
    if (!write_file(path, arguments_has(arguments, "--force"), page, error))
        return false;
    struct paper paper = paper_open(stdout);
    paper_put(&paper, ROLE_GOOD, "Written to %s.\n", path);
    return true;
}
