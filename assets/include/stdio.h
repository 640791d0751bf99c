// Empty on purpose: in a kernel, printf is there without a header.
