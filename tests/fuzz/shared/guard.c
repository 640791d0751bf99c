// Each row of a warp's registers ends where it should: operand.c leaves SIM_ROW_GUARD bytes after it in this build, and
// nothing but 0 may be there when the block is done. AddressSanitizer sees only what leaves a whole frame.
#include "tests/fuzz/shared/fuzz.h"

#include "engine/sim/schedule/schedule.h"

void __real_block_clear(struct block *block);
void __wrap_block_clear(struct block *block);

static void expect_untouched(const struct frame *frame, row at, size_t bytes)
{
    for (size_t i = 0; at && i < SIM_ROW_GUARD; i++)
        must(!frame->rows[at + bytes + i]);
}

static void check(const struct frame *frame)
{
    const struct function *function = frame->function;
    for (size_t i = 0; i < function->from->register_count; i++) {
        unsigned bytes = type_bytes(function->from->registers[i].type);
        if (function->from->registers[i].type != TYPE_PRED)
            expect_untouched(frame, function->register_rows[i], (size_t)LANES * (bytes < 4 ? 4 : bytes));
    }
    for (size_t i = 0; i < function->constant_count; i++)
        expect_untouched(frame, function->constants[i].at, function->constants[i].wide ? 256 : 128);
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        expect_untouched(frame, function->special[i], 256);
    expect_untouched(frame, function->sink, 256);
}

// The frames that a warp keeps for later calls, and those of the functions that were running when it was stopped.
static void check_warp(const struct warp *warp)
{
    size_t count = warp->frames ? warp->block->machine->module->function_count : 0;
    for (size_t i = 0; i < count; i++)
        for (const struct frame *frame = warp->frames[i]; frame; frame = frame->next)
            check(frame);
    for (int i = 0; warp->frames && i < warp->depth; i++)
        check(warp->paths[i].frame);
}

void __wrap_block_clear(struct block *block)
{
    for (uint32_t i = 0; i < block->warp_count; i++)
        check_warp(&block->warps[i]);
    __real_block_clear(block);
}
