// A challenge: the running sums of n ints, from an empty file.
//
// Given are the buffers `in` and `out`, n ints each: out[i] is to be
// in[0] + ... + in[i]. Write the kernels and, above them, their
// launches and what memory they need: the lines below without the blank
// before @. `sm_count` is the number of SMs.
// @ scratch NAME int[COUNT]
// @ launch  NAME<<<BLOCKS, THREADS>>>(in, out, NAME, n)
