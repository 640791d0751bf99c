// Names as a search sees them. Shared by glossary.c and search.c only.
#ifndef WARPBOOK_SEARCH_H
#define WARPBOOK_SEARCH_H

// Small letters without blanks, '-', '_' and "()": "Shared memory" and "shared-memory" are one. The caller frees.
char *search_key(const char *name);

#endif
