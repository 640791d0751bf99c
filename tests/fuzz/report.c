// The report of a hostile workbook: sound Markdown, and a page of HTML in which every tag is closed and nothing runs.
#include "tests/fuzz/shared/fuzz.h"
#include "tests/unit/report_page.h"

#include <locale.h>

int LLVMFuzzerInitialize(int *count, char ***words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    setenv("TZ", "UTC", 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct place *place;
    if (!place) {
        fuzz_home();
        void *state;
        make_place(&state);
        place = state;
        free(place->path);
        place->path = path_join(fuzz_home(), "workbook.jsonl");
    }
    struct bytes bytes = bytes_of(data, size);
    char *lines = bytes_rest(&bytes);
    assert_tags(html(place, lines));
    must(strlen(markdown(place, lines)) > 0);
    place->wish.lesson = &place->list[0];
    assert_tags(html(place, lines));
    place->wish.lesson = NULL;
    forget(place);
    free(lines);
    return 0;
}
