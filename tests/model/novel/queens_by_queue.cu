// Counts the ways to set 11 queens on a board of 11 x 11 (2680). The first
// three rows are 1331 jobs; each thread takes the next from a counter.
//@ buffer  next  unsigned[1] = 0
//@ buffer  found unsigned[1] = 0
//@ launch  queens<<<20, 64>>>(next, found)
#define N 11

__global__ void queens(unsigned *next, unsigned *found)
{
    const unsigned full = (1u << N) - 1;
    unsigned count = 0;

    while (true) {
        unsigned job = atomicAdd(next, 1u);
        if (job >= N * N * N)
            break;
        unsigned cols[N + 1], left[N + 1], right[N + 1], free[N + 1];
        unsigned c = 0, l = 0, r = 0;
        bool good = true;
        for (int k = 0; k < 3; k++) {
            unsigned bit = 1u << job % N;
            job /= N;
            if ((c | l | r) & bit)
                good = false;
            c |= bit;
            l = (l | bit) << 1 & full;
            r = (r | bit) >> 1;
        }
        if (!good)
            continue;

        int depth = 3;
        cols[3] = c, left[3] = l, right[3] = r;
        free[3] = full & ~(c | l | r);
        while (depth >= 3) {
            unsigned open = free[depth];
            if (open == 0) {
                depth--;
                continue;
            }
            unsigned bit = open & -open;
            free[depth] = open ^ bit;
            if (depth == N - 1) {
                count++;
                continue;
            }
            c = cols[depth] | bit;
            l = (left[depth] | bit) << 1 & full;
            r = (right[depth] | bit) >> 1;
            depth++;
            cols[depth] = c, left[depth] = l, right[depth] = r;
            free[depth] = full & ~(c | l | r);
        }
    }
    if (count > 0)
        atomicAdd(found, count);
}
