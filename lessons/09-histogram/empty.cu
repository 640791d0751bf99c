// A challenge: a histogram of bytes, from an empty file.
//
// Given are the buffers `data`, n bytes, and `bins`, 256 unsigned,
// which are 0 when the launch begins. Write the kernel and, above it,
// its launch: the line below without the blank before @. `sm_count` is
// the number of SMs.
// @ launch  NAME<<<BLOCKS, THREADS>>>(data, bins, n)
