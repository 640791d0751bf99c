# make lint and make format: the layout of the code, bugs that a machine can see, headers that compile alone,
# scripts that every shell reads. Each check leaves a stamp under build/lint, so that only what changed is
# looked at again.

# Kernels have 72 columns, by kernels/.clang-format; the C beside them is as wide as all other C.
written := $(sources) $(runtime) $(headers) $(wildcard assets/host/*.h) $(units) $(fakes) $(benches) $(truths) $(wildcard tests/fuzz/*.c tests/fuzz/*/*.c)
layout  := clang-format --style=file:.clang-format
L := build/lint
lint: $(L)/format.ok $(patsubst %,$(L)/%.ok,$(headers) $(sources) $(runtime) $(units) $(fakes) $(benches) $(truths) $(scripts))

done = mkdir -p $(@D) && touch $@

$(L)/format.ok: $(written) $(kernels) .clang-format kernels/.clang-format | $(first)
	$(call quiet,LINT)$(layout) --dry-run -Werror $(written) && clang-format --dry-run -Werror $(kernels) && $(done)

$(L)/%.h.ok: %.h $(headers) $(B)/settings | $(B)/packages $(B)/test_packages
	$(call quiet,LINT)$(CC) $(all_flags) -Werror $(test_flags) -fsyntax-only -xc $< && $(done)

# clang-tidy, or else cppcheck. Of clang-tidy's findings the first lines are shown, not how it came to them. NODES: of how
# many states of a function it follows the paths; clang's own default, 225000, takes two to three times as long.
NODES    := 75000
analyser = $(call once,analyser,$$(shell command -v clang-tidy || command -v cppcheck))
tidy     = clang-tidy --quiet $< -- $(language) $(package_flags) $(test_flags) $(oracle) \
           -Xclang -analyzer-config -Xclang max-nodes=$(NODES) >$(basename $@).log 2>&1 || { grep -A2 'error:' $(basename $@).log; exit 1; }
cppcheck = cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,portability,performance -I. $<
$(L)/%.c.ok: %.c $(headers) .clang-tidy | $(B)/packages $(B)/test_packages
	@mkdir -p $(@D)
	$(call quiet,LINT)$(if $(findstring clang-tidy,$(analyser)),$(tidy),$(cppcheck)) && $(done)

$(patsubst %,$(L)/%.ok,$(scripts)): $(L)/%.ok: % | $(first)
	$(call quiet,LINT)sh -n $< && { ! command -v shellcheck >/dev/null || shellcheck -x -s sh -S warning $<; } && $(done)

# Names and folders: no tag has two meanings, no folder calls one above it, and few symbols are exported to a single
# file. Each number is a ceiling that falls; a new part of the program may raise that of single users, which is to fall
# to 200.
TAGS_TWICE   := 0
SINGLE_USERS := 793
EDGES_UPWARD := 0
.PHONY: tags graph
tags:
	@sh tests/tags.sh $(TAGS_TWICE)
lint: tags graph
# From the bottom to the top: each folder uses what is left of it alone.
floors := $(sim_floors:%=engine/sim/%) engine/sim engine/base kernels reference engine/compile engine/gpu engine/model engine/run engine/room \
          engine/cli lessons tui/draw tui/text tui/explore tui/app tui/view tui/command tui
graph: $(B)/warpbook
	@sh tests/graph.sh $(SINGLE_USERS) $(EDGES_UPWARD) '$(floors)' $(sources:%.c=$(B)/obj/%.o)

format: | $(first)
	$(call quiet,FORMAT)$(layout) -i $(written) && clang-format -i $(kernels)
