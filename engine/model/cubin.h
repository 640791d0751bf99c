// Machine code as an assembler wrote it.
#ifndef WARPBOOK_CUBIN_H
#define WARPBOOK_CUBIN_H

#include "engine/model/model.h"

enum {
    CUBIN_IMAD_WIDE = 0x025,
    CUBIN_CALL = 0x144,
    CUBIN_BRA = 0x147,
    CUBIN_EXIT = 0x14d,
    CUBIN_RET = 0x150,
    CUBIN_DIVIDED = 0x200
};

struct cubin_word { // one machine instruction
    unsigned short
        opcode;         // its lowest 9 bits: the operation without the form of its operands; or CUBIN_DIVIDED
    unsigned char pipe; // enum pipe
    unsigned char turns;                 // of it
    unsigned char stall;                 // cycles until the warp may issue the next one
    unsigned char reads[REGISTER_BANKS]; // cycles for which it reads registers of each bank
    unsigned char held;                  // cycles until the scheduler may issue the next one, after the first
    bool guarded;
    bool looks_up; // a constant by an index in a uniform register, in another line than the ones before it
    int target;    // of a branch or call, in words from the code's start; -1: none, or not known
    int line;      // of the PTX; 0: not known
};
// What an instruction has left for the next one, which may read it without a bank: a register by field, + 1; 0: none.
struct register_reuse {
    int left[3];
};
struct cubin_code { // a kernel, with the functions that it calls after it
    int section;
    struct cubin_word *words;
    int count;
};
struct cubin {
    struct cubin_code *codes;
    int count;
    const char *ptx; // its lines, each of which ends in a 0; part of the bytes that were read
    size_t ptx_bytes;
};
// Reads as much as can be read; the bytes must outlive the result. False: no machine code in it, or no memory.
bool cubin_read(struct cubin *out, const void *bytes, size_t size);
void cubin_free(struct cubin *cubin);

// ---- banks.c -----------------------------------------------------------------------------------------------------

// Sets what an instruction reads of each bank. Instructions come in the order of the code.
void cubin_count_reads(uint64_t low, uint64_t high, struct register_reuse *reuse, struct cubin_word *word);

#endif
