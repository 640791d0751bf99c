// The line of a kernel that says how the fuzzer runs it.
#include "tests/fuzz/shared/fuzz.h"

struct setup setup_read(const char *text)
{
    int digits[3] = { 2, 1, 0 };
    if (string_starts(text, "//:")) {
        const char *at = text + 3;
        for (int i = 0; i < 3; i++) {
            at += *at == ' ';
            if (*at < '0' || *at > '9')
                break;
            digits[i] = *at++ - '0';
        }
    }
    return (struct setup){ .check = digits[0] % 3, .threads = 1 + digits[1] % 2, .seed = digits[2] };
}
