// Each row of a warp's registers ends where it should: decode.c leaves SIM_ROW_GUARD bytes after it in this build, and
// nothing but 0 may be there when the warp is done. AddressSanitizer sees only what leaves a whole frame.
#include "tests/fuzz/shared/fuzz.h"

#include "engine/sim/schedule/schedule.h"

void __real_frame_clear(struct warp *warp);
void __wrap_frame_clear(struct warp *warp);

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

void __wrap_frame_clear(struct warp *warp)
{
    frame_release_stopped(warp);
    size_t count = warp->frames ? warp->block->machine->module->function_count : 0;
    for (size_t i = 0; i < count; i++)
        for (const struct frame *frame = warp->frames[i]; frame; frame = frame->next)
            check(frame);
    __real_frame_clear(warp);
}
