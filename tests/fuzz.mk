# make fuzz: hostile input for everything that reads what somebody else wrote, each tests/fuzz/TARGET.c for FUZZ_SECONDS,
# FUZZ_JOBS of them at a time, from the corpus that is kept. F=WORD runs those whose name holds WORD. Needs clang with
# its fuzzer; skipped with a reason where that is not there.
# make fuzz-corpus: what earlier runs found in build/fuzz/corpus, added to the corpus that is kept and made small.

FUZZ_SECONDS ?= 60
FUZZ_JOBS    ?= 2
F            ?=
fuzz_sources := $(wildcard tests/fuzz/*.c)
fuzz_all     := $(fuzz_sources:tests/fuzz/%.c=%)
fuzz_targets := $(if $(F),$(foreach name,$(fuzz_all),$(if $(findstring $(F),$(name)),$(name))),$(fuzz_all))
fuzz_shared  := $(wildcard tests/fuzz/shared/*.c)
fuzz_flags    = -std=c11 -D_GNU_SOURCE -I. -fno-strict-aliasing -ffp-contract=off -Wno-unknown-pragmas -g -O1 \
                -fsanitize=address,undefined -fno-sanitize-recover=undefined -DSIM_ROW_GUARD=256 \
                $(package_flags)
fuzz_libs     = -Wl,--as-needed $(package_libs) -ldl -lm -lpthread
can_fuzz      = $(call once,can_fuzz,$$(shell echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
                clang -fsanitize=fuzzer,address -xc - -o /dev/null 2>/dev/null && echo yes))

fuzz_compile = $(call quiet,CC)clang $(fuzz_flags) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@
build/fuzz/obj/%.o: %.c tests/fuzz.mk | $(first) $(B)/packages
	@mkdir -p $(@D)
	$(fuzz_compile) $<

build/fuzz/obj/%_v3.o: %.c tests/fuzz.mk | $(first) $(B)/packages
	@mkdir -p $(@D)
	$(fuzz_compile) $(call of_level,3)
build/fuzz/obj/%_v4.o: %.c tests/fuzz.mk | $(first) $(B)/packages
	@mkdir -p $(@D)
	$(fuzz_compile) $(call of_level,4)

-include $(patsubst %.o,%.d,$(call objects,$(library) $(fuzz_sources) $(fuzz_shared),build/fuzz))

# Archives, so that a target is linked with what it uses.
build/fuzz/libwarpbook.a: $(call objects,$(library),build/fuzz) $(B)/contents
	$(call quiet,AR)rm -f $@ && ar rcs $@ $(filter %.o,$^)

build/fuzz/libshared.a: $(fuzz_shared:%.c=build/fuzz/obj/%.o)
	$(call quiet,AR)rm -f $@ && ar rcs $@ $^

build/fuzz/%: build/fuzz/obj/tests/fuzz/%.o build/fuzz/libshared.a build/fuzz/libwarpbook.a
	$(call quiet,LINK)clang $(fuzz_flags) -fsanitize=fuzzer -o $@ $(filter %.o,$^) \
	    -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(fuzz_wraps:%=-Wl,--wrap=%) $(fuzz_more) $(fuzz_libs)

# Those whose input is a kernel change it token by token. libFuzzer asks for a mutator weakly, which takes nothing from
# an archive.
$(addprefix build/fuzz/,sim_parse sim_run launch trace): build/fuzz/obj/tests/fuzz/shared/mutate.o

# Functions that a target puts something before, or something else in the place of. SIM_ROW_GUARD keeps rows of
# registers apart, and shared/guard.c looks at what lies between them.
build/fuzz/sim_run build/fuzz/differential: private fuzz_wraps := block_clear
build/fuzz/launch: private fuzz_wraps := block_clear sim_run
build/fuzz/trace: private fuzz_wraps := block_clear sim_trace_open snapshots_step
build/fuzz/screen: private fuzz_wraps := child_start_on child_run_on
build/fuzz/protocol_client: private fuzz_wraps := child_start_on
build/fuzz/protocol_worker: private fuzz_wraps := child_start_on message_receive compile compile_probe
build/fuzz/protocol_executor: private fuzz_wraps := run_on_cpu run_on_gpu run_on_sim worker_describe confine_descriptors
build/fuzz/report: private fuzz_more = $(test_libs)

.PHONY: fuzz fuzz-corpus run-fuzzers
fuzz: | $(first)
	@if [ "$(can_fuzz)" = yes ]; then $(MAKE) --no-print-directory run-fuzzers; \
	else echo "skip fuzz: clang with its fuzzer is not here"; fi

run-fuzzers: $(fuzz_targets:%=build/fuzz/%)
	@sh tests/fuzz.sh run $(FUZZ_SECONDS) $(FUZZ_JOBS) $(fuzz_targets)

fuzz-corpus: $(fuzz_targets:%=build/fuzz/%)
	@sh tests/fuzz.sh keep $(FUZZ_JOBS) $(fuzz_targets)
