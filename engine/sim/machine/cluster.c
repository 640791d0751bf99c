// Addresses in the shared memory of a cluster's blocks. A generic one has bits that identify the block; one in
// shared::cluster has a rank above the offset, or is an offset alone, into the block's own.
#include "engine/sim/machine/machine.h"

uint32_t cluster_rank(const struct block *block, uint64_t address, bool generic)
{
    uint32_t size = block->machine->cluster_size, rank = 0;
    if (!generic)
        return address >> CLUSTER_BITS ? (uint32_t)(address >> CLUSTER_BITS) - 1 : block->rank;
    if (size == 1 || (address - SHARED_WINDOW - block->apart) >> OFFSET_BITS == 0)
        return block->rank;
    while (rank < size && (address - SHARED_WINDOW - block_peer(block, rank)->apart) >> OFFSET_BITS)
        rank++;
    return rank < size ? rank : block->rank;
}

uint64_t cluster_apart(const struct block *block, uint32_t rank)
{
    const uint64_t no_block = (1u << (APART_LAUNCHES + APART_BLOCKS)) - 1;
    return rank == block->rank                   ? block->apart
           : rank < block->machine->cluster_size ? block_peer(block, rank)->apart
                                                 : no_block << OFFSET_BITS;
}
