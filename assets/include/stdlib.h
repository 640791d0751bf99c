// Empty on purpose: in a kernel, size_t is there without a header.
