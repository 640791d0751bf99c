// Looks for many words at once in packets of 100 to 1400 bytes, as Aho and
// Corasick do: each thread walks the automaton over one packet, a look-up
// a byte, and counts the states in which a word ends.
//@ param   states = 1500
//@ param   packets = 4500
//@ buffer  start  int[packets + 1] = i * 750 + hash(i) % 650
//@ buffer  text   unsigned[(packets * 750 + 2000) / 4] = hash(i)
//@ buffer  next   unsigned short[states * 256] = (hash(i) % 8 > 2
//@                          ? hash(i + 1) % 30 : hash(i + 2) % states)
//@ buffer  ends   unsigned[(states + 31) / 32] = (hash(i) & hash(i + 1) &
//@                                                hash(i + 2))
//@ buffer  count  int[packets]
//@ launch  walk<<<(packets + 63) / 64, 64>>>(start, text, next, ends, count,
//@                                           packets)
__global__ void walk(const int *__restrict__ start,
                     const unsigned char *__restrict__ text,
                     const unsigned short *__restrict__ next,
                     const unsigned *__restrict__ ends, int *count,
                     int packets)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packets)
        return;

    int end = start[p + 1];
    int state = 0, found = 0;
    for (int at = start[p]; at < end; at++) {
        state = next[state * 256 + text[at]];
        if (ends[state >> 5] >> (state & 31) & 1)
            found++;
    }
    count[p] = found;
}
