// warpbook worker: the other end of every run. With a flag, one errand of the compiler.
#include "tui/tui.h"

int command_worker(const struct arguments *arguments)
{
    if (arguments_has(arguments, "--compile"))
        return compile_child_main();
    return worker_main();
}
