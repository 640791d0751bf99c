// <memory> of GCC writes __attribute__((__noinline__)), where CUDA's __noinline__ would be put in.
#pragma clang system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
