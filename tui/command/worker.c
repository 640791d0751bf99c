// warpbook worker: the other end of every run. With a flag, one of the processes that it starts.
#include "tui/tui.h"

#include "engine/compile/compile.h"

int command_worker(const struct arguments *arguments)
{
    if (arguments_has(arguments, "--compile"))
        return compile_child_main();
    if (arguments_has(arguments, "--executor"))
        return executor_main(arguments_value(arguments, "--executor"));
    if (arguments_has(arguments, "--ptx"))
        return compile_ptx_main(arguments_value(arguments, "--ptx"));
    return worker_main();
}
