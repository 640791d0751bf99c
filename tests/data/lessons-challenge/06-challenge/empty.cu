// Given are `data`, n ints, and `total`, an int that is 0. Write a kernel and
// its launch.
