// The registers that machine instructions read, and the banks that give them.
//
// A scheduler's registers are in two banks, those with even and those with odd numbers, and each gives one in a cycle: on an H200
// FFMA takes 1.0 cycles of two of different banks, 2.0 of three of which two are in one bank, and 3.0 of three in one; FFMA R0, R2,
// R4 and R1, R3, R5 in turn take 1.5 each. Registers that the instruction before has left (".reuse") need no bank (2026-11-28,
// machine code that was written for it).
#include "engine/model/cubin.h"

// From which of their fields, a, b and c, instructions read registers; pairs for numbers of 64 bits; and in two cycles each, as
// conversions, special functions and shuffles do.
enum {
    REGISTER_A = 1,
    REGISTER_B = 2,
    REGISTER_C = 4,
    REGISTER_PAIRS = 8,
    REGISTER_SLOWLY = 16,
    NO_REGISTER = 255
};

static unsigned registers_of(unsigned opcode)
{
    static const struct {
        unsigned short from, to;
        unsigned char read;
    } known[] = {
        { 0x002, 0x002, REGISTER_B },                                            // MOV
        { 0x007, 0x009, REGISTER_A | REGISTER_B },                               // SEL, FSEL, FMNMX
        { 0x00b, 0x00c, REGISTER_A | REGISTER_B },                               // FSETP, ISETP
        { 0x010, 0x012, REGISTER_A | REGISTER_B | REGISTER_C },                  // IADD3, LEA, LOP3
        { 0x016, 0x016, REGISTER_A | REGISTER_B | REGISTER_C },                  // PRMT
        { 0x017, 0x018, REGISTER_A | REGISTER_B },                               // IMNMX
        { 0x019, 0x019, REGISTER_A | REGISTER_B | REGISTER_C },                  // SHF
        { 0x020, 0x021, REGISTER_A | REGISTER_B },                               // FMUL, FADD
        { 0x023, 0x027, REGISTER_A | REGISTER_B | REGISTER_C },                  // FFMA, IMAD
        { 0x028, 0x028, REGISTER_A | REGISTER_B | REGISTER_PAIRS },              // DMUL
        { 0x029, 0x029, REGISTER_A | REGISTER_C | REGISTER_PAIRS },              // DADD
        { 0x02b, 0x02b, REGISTER_A | REGISTER_B | REGISTER_C | REGISTER_PAIRS }, // DFMA
        { 0x030, 0x030, REGISTER_A | REGISTER_B },                               // HADD2
        { 0x031, 0x031, REGISTER_A | REGISTER_B | REGISTER_C },                  // HFMA2
        { 0x032, 0x034, REGISTER_A | REGISTER_B },                               // HMUL2, comparisons
        { 0x035, 0x035, REGISTER_A | REGISTER_B | REGISTER_C },                  // HFMA2.MMA
        { 0x036, 0x036, REGISTER_A | REGISTER_B },                               // VIADD
        { 0x045, 0x045, REGISTER_B },                                            // I2FP
        { 0x048, 0x048, REGISTER_A | REGISTER_B },                               // VIMNMX
        { 0x100, 0x101, REGISTER_B | REGISTER_SLOWLY },                          // FLO, BREV
        { 0x102, 0x102, REGISTER_A | REGISTER_B | REGISTER_SLOWLY },             // FCHK
        { 0x104, 0x109, REGISTER_B | REGISTER_SLOWLY },                          // conversions, MUFU, POPC
        { 0x189, 0x189, REGISTER_A | REGISTER_SLOWLY },                          // SHFL
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (opcode >= known[i].from && opcode <= known[i].to)
            return known[i].read;
    return 0;
}

// How often it reads each bank, once a register.
static void read_banks(const int fields[3], const struct register_reuse *reuse,
                       unsigned char reads[REGISTER_BANKS])
{
    reads[0] = reads[1] = 0;
    for (int i = 0; i < 3; i++) {
        bool again = fields[i] == NO_REGISTER || fields[i] + 1 == reuse->left[i];
        for (int k = 0; k < i; k++)
            again |= fields[k] == fields[i];
        if (!again)
            reads[fields[i] & 1]++;
    }
}

void cubin_count_reads(uint64_t low, uint64_t high, struct register_reuse *reuse, struct cubin_word *word)
{
    enum { FORM = 9, A = 24, B = 32, KEPT = 58 }; // bits
    enum {
        ALL_REGISTERS = 1,
        B_AT_C = 2,
        B_AT_C_CONSTANT = 3,
        B_AT_C_UNIFORM = 7
    }; // forms: where b and c stand
    unsigned read = registers_of(word->opcode), form = low >> FORM & 7;
    int fields[3] = { NO_REGISTER, NO_REGISTER, NO_REGISTER };
    bool moved = form == B_AT_C || form == B_AT_C_CONSTANT || form == B_AT_C_UNIFORM;
    if (read & REGISTER_A)
        fields[0] = low >> A & 0xff;
    if (read & REGISTER_B)
        fields[1] = form == ALL_REGISTERS ? (int)(low >> B & 0xff) : moved ? (int)(high & 0xff) : NO_REGISTER;
    if (read & REGISTER_C && !moved)
        fields[2] = high & 0xff;
    unsigned char *reads = word->reads;
    read_banks(fields, reuse, reads);
    if (word->opcode == CUBIN_IMAD_WIDE) { // in two parts, each of which adds a register of a pair
        unsigned char second[REGISTER_BANKS];
        const struct register_reuse none = { 0 };
        int upper[3] = { fields[0], fields[1], fields[2] == NO_REGISTER ? NO_REGISTER : fields[2] + 1 };
        read_banks(upper, &none, second);
        unsigned char most = reads[0] > reads[1] ? reads[0] : reads[1];
        word->held = most ? most : 1;
        reads[0] += second[0];
        reads[1] += second[1];
    } else if (read & REGISTER_PAIRS) {
        reads[0] = reads[1] = reads[0] + reads[1];
    } else if (read & REGISTER_SLOWLY) {
        reads[0] *= 2;
        reads[1] *= 2;
    }
    for (int i = 0; i < 3; i++)
        reuse->left[i] = high >> (KEPT + i) & 1 ? fields[i] + 1 : 0;
}
