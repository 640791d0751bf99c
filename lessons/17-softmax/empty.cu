// A challenge: the softmax of rows, from an empty file.
//
// Given are the buffers `in` and `out`, rows * cols floats each: every
// number is to become exp(x) / the sum of exp over its row. Rows have
// at most 8192 numbers, a multiple of 4. Write the kernel and, above
// it, its launch: the line below without the blank before @.
// @ launch  NAME<<<BLOCKS, THREADS>>>(in, out, rows, cols)
