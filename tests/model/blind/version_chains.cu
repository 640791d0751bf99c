// Readers of a database look for the version of a row that was valid
// at their time: each follows a list from the newest to older ones.
//@ param   rows = 65536
//@ param   depth = 32
//@ param   readers = 16384
//@ buffer  stamp int[rows * depth] = ((depth - 1 - i / rows) * 64
//@                                   + hash(i) % 64)
//@ buffer  next  int[rows * depth] = (i / rows == depth - 1 ? -1
//@                 : (i / rows + 1) * rows + (i * 40503 + 7919) % rows)
//@ buffer  value int[rows * depth] = i
//@ buffer  when  int[readers * 6] = hash(i) % (depth * 64)
//@ buffer  row   int[readers * 6] = hash(i + 17) % rows
//@ buffer  seen  int[readers * 6]
//@ launch  readVersions<<<readers / 128, 128>>>(stamp, next, value,
//@             when, row, seen, readers * 6)
__global__ void readVersions(const int *stamp, const int *next,
                             const int *value, const int *when,
                             const int *row, int *seen, int requests)
{
    int step = gridDim.x * blockDim.x;
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < requests;
         r += step) {
        int time = when[r];
        int node = row[r];
        while (node >= 0 && stamp[node] > time)
            node = next[node];
        seen[r] = node >= 0 ? value[node] : -1;
    }
}
