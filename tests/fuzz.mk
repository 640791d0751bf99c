# make fuzz: hostile PTX for the simulator's parser and for its execution, FUZZ_SECONDS each, from the corpus that
# is kept. Needs clang with its fuzzer; skipped with a reason where that is not there.

FUZZ_SECONDS ?= 60
fuzzers      := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/*.c))
fuzz_flags   := -std=c11 -D_GNU_SOURCE -I. -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined
fuzz_objects := $(patsubst %.c,build/fuzz/obj/%.o,$(wildcard engine/sim/*.c))
can_fuzz      = $(call once,can_fuzz,$$(shell echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
                clang -fsanitize=fuzzer,address -xc - -o /dev/null 2>/dev/null && echo yes))

build/fuzz/obj/%.o: %.c | $(first)
	@mkdir -p $(@D)
	$(call quiet,CC)clang $(fuzz_flags) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

-include $(fuzz_objects:.o=.d)

build/fuzz/%: tests/fuzz/%.c $(fuzz_objects)
	$(call quiet,LINK)clang $(fuzz_flags) -fsanitize=fuzzer -o $@ $^ -lm -lpthread

.PHONY: fuzz
fuzz: | $(first)
	@if [ "$(can_fuzz)" = yes ]; then $(MAKE) --no-print-directory run-fuzzers; \
	else echo "skip fuzz: clang with its fuzzer is not here"; fi

.PHONY: run-fuzzers
run-fuzzers: $(fuzzers)
	@for name in $(notdir $(fuzzers)); do \
	    mkdir -p build/fuzz/corpus/$$name; \
	    build/fuzz/$$name -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
	        -artifact_prefix=build/fuzz/$$name- build/fuzz/corpus/$$name tests/fuzz/corpus/$$name \
	        >build/fuzz/$$name.log 2>&1 && echo "ok fuzz $$name, $(FUZZ_SECONDS) s" || \
	    { tail -40 build/fuzz/$$name.log; echo "not ok fuzz $$name: its input is build/fuzz/$$name-*"; exit 1; }; \
	done
