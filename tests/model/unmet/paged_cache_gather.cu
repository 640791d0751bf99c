// Gathers the keys of many conversations from a language model's paged cache into rows
// without gaps. A page holds 16 tokens of 128 halves, 256 bytes each; a table names the
// pages of a conversation. Sixteen lanes move a token, 16 bytes each; conversations
// differ in length.
//@ param   chats = 200
//@ param   longest = 1024
//@ param   pages = chats * longest / 16
//@ buffer  cache uint4[pages * 256] = hash(i)
//@ buffer  table int[pages] = i * 7919 % pages
//@ buffer  length int[chats] = 1 + hash(i) % longest
//@ buffer  keys uint4[chats * longest * 16] = 0
//@ launch  gather<<<dim3(longest / 16, chats), 256>>>(
//@             cache, table, length, keys, longest)
__global__ void gather(const uint4 *cache, const int *table, const int *length,
                       uint4 *keys, int longest)
{
    int chat = blockIdx.y;
    int token = blockIdx.x * 16 + threadIdx.x / 16;
    int piece = threadIdx.x % 16;
    if (token >= length[chat])
        return;

    int page = table[chat * (longest / 16) + token / 16];
    uint4 part = cache[((size_t)page * 16 + token % 16) * 16 + piece];
    keys[((size_t)chat * longest + token) * 16 + piece] = part;
}
