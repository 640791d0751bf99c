// Empty on purpose: in a kernel, threadIdx and its like are there without a header.
