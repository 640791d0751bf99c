// Bytes and strings, for kernels. memcpy and memset are there without a header.
#ifndef WARPBOOK_STRING_H
#define WARPBOOK_STRING_H

#include <stddef.h>

#define WB_STRING static inline __device__
WB_STRING size_t strlen(const char *s)
{
    size_t length = 0;
    while (s[length])
        length++;
    return length;
}
WB_STRING int memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < bytes; i++)
        if (x[i] != y[i])
            return x[i] - y[i];
    return 0;
}
WB_STRING int strncmp(const char *a, const char *b, size_t most)
{
    size_t i = 0;
    while (i < most && a[i] && a[i] == b[i])
        i++;
    return i == most ? 0 : (unsigned char)a[i] - (unsigned char)b[i];
}
WB_STRING int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, (size_t)-1);
}
WB_STRING char *strcpy(char *to, const char *from)
{
    size_t i = 0;
    do
        to[i] = from[i];
    while (from[i++]);
    return to;
}
WB_STRING void *memmove(void *to, const void *from, size_t bytes)
{
    unsigned char *x = (unsigned char *)to;
    const unsigned char *y = (const unsigned char *)from;
    for (size_t i = 0; i < bytes; i++) {
        size_t at = x < y ? i : bytes - 1 - i;
        x[at] = y[at];
    }
    return to;
}
#undef WB_STRING

#endif
