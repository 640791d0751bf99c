// A challenge: the sum of n ints, from an empty file.
//
// Given are the buffers `data`, n ints, and `total`, one int, which is
// 0 when the launch begins. Write the kernel and, above it, its launch:
// the line below without the blank before @. `sm_count` is the number
// of SMs.
// @ launch  NAME<<<BLOCKS, THREADS>>>(data, total, n)
