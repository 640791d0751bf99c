// Empty on purpose: in a kernel, everything of CUDA C is there without a header.
