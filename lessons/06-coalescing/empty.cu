// A challenge: the sums of columns, from an empty file.
//
// Given are the buffers `x`, 32 rows of n / 32 floats, and `out`, one
// float for each column. n is a multiple of 128. Write the kernel and,
// above it, its launch: the line below without the blank before @.
// @ launch  NAME<<<BLOCKS, THREADS>>>(x, out, n / 32)
