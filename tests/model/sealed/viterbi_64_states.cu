// The likeliest states of a hidden Markov model by Viterbi: 64 threads,
// one to a state, take 256 steps of a sequence; 20 sequences.
//@ param   steps = 256
//@ buffer  change float[64 * 64] = 0 - hash(i) % 100 * 0.05
//@ buffer  shown  float[64 * 16] = 0 - hash(i + 5) % 100 * 0.05
//@ buffer  seen   unsigned char[20 * steps] = hash(i) % 16
//@ buffer  from   unsigned char[20 * steps * 64] = 0
//@ buffer  path   unsigned char[20 * steps]
//@ launch  viterbi<<<20, 64>>>(change, shown, seen, from, path, steps)
#define S 64

__global__ void viterbi(const float *change, const float *shown,
                        const unsigned char *seen, unsigned char *from,
                        unsigned char *path, int steps)
{
    __shared__ float table[S * S];
    __shared__ float score[2][S];

    int state = threadIdx.x;
    seen += blockIdx.x * steps;
    from += blockIdx.x * steps * S;
    path += blockIdx.x * steps;
    for (int e = threadIdx.x; e < S * S; e += S)
        table[e] = change[e];
    score[0][state] = shown[state * 16 + seen[0]];
    __syncthreads();

    for (int t = 1; t < steps; t++) {
        const float *old = score[(t - 1) & 1];
        float best = -1e30f;
        int origin = 0;
        for (int k = 0; k < S; k++) {
            float v = old[k] + table[k * S + state];
            if (v > best) {
                best = v;
                origin = k;
            }
        }
        from[t * S + state] = origin;
        score[t & 1][state] = best + shown[state * 16 + seen[t]];
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        const float *last = score[(steps - 1) & 1];
        int at = 0;
        for (int k = 1; k < S; k++)
            if (last[k] > last[at])
                at = k;
        for (int t = steps - 1; t >= 0; t--) {
            path[t] = at;
            at = from[t * S + at];
        }
    }
}
