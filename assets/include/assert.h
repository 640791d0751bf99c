// Empty on purpose: in a kernel, assert is there without a header.
