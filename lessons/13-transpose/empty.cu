// A challenge: a transpose, from an empty file.
//
// Given are the buffers `in`, `rows` rows of `cols` floats, and `out`,
// `cols` rows of `rows` floats. Write the kernel and, above it, its
// launch: the line below without the blank before @.
// @ launch  NAME<<<dim3(X, Y), dim3(X, Y)>>>(in, out, rows, cols)
