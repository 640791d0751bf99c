// An error for a person on stderr.
#include "tui/tui.h"

#include <string.h>

int fail(const struct error *error)
{
    struct text clean = { 0 }; // it may quote a file, a name or a compiler
    text_add_clean(&clean, error->text, strlen(error->text));
    fprintf(stderr, "warpbook: %s\n", text_string(&clean));
    text_free(&clean);
    return (int)error->code;
}
