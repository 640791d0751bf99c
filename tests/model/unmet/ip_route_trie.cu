// Looks up routes for addresses of IPv6 by their upper 64 bits, the longest known prefix:
// 16 bits in a first table and eight more in each further one. An entry is a route, or,
// with its highest bit set, the number of the next table; about half of them lead on.
// Also counts the bytes per route.
//@ param   packets = 1000003
//@ param   tables = 8192
//@ buffer  address uint2[packets] = {hash(i), hash(i + packets)}
//@ buffer  bytes unsigned short[packets] = 40 + hash(i) % 1460
//@ buffer  first unsigned[65536] = (hash(i) % 3 ?
//@             (1 << 31) + hash(i + 1) % tables : hash(i) % 5000)
//@ buffer  further unsigned[tables * 256] = (hash(i + 9) % 2 ?
//@             (1 << 31) + hash(i + 2) % tables : hash(i + 4) % 5000)
//@ buffer  route unsigned short[packets]
//@ buffer  traffic unsigned long long[5000] = 0
//@ launch  look_up<<<(packets + 255) / 256, 256>>>(
//@             address, bytes, first, further, route, traffic, packets)
__global__ void look_up(const uint2 *address, const unsigned short *bytes,
                        const unsigned *first, const unsigned *further,
                        unsigned short *route, unsigned long long *traffic, int packets)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= packets)
        return;

    const unsigned leads_on = 0x80000000u;
    const unsigned default_route = 0;
    uint2 halves = address[i];
    unsigned long long to = (unsigned long long)halves.x << 32 | halves.y;

    unsigned entry = first[to >> 48];
    for (int shift = 40; shift >= 0 && (entry & leads_on); shift -= 8) {
        unsigned table = entry & ~leads_on;
        entry = further[table * 256 + (to >> shift & 255)];
    }
    if (entry & leads_on)
        entry = default_route;
    route[i] = entry;
    atomicAdd(&traffic[entry], (unsigned long long)bytes[i]);
}
