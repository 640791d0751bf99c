# make              build build/warpbook
# make run          build it and start it
# make test         build and run all tests; T=NAME runs those whose name holds NAME, or one of several NAMEs
# make deps …       first install what is missing: make deps run, make deps test; deps-small: without clang
# make screens      write the golden screens anew; SCREEN=NAME those of scripts whose name holds NAME
# make manual       write the parts of the manual page anew that are made from the program's tables
# make workshop     tests with a real sshd and a real Slurm on loopback, as root; make deps workshop installs these
# make room-test    the same with a class of 60
# make asan         the tests under AddressSanitizer and UBSan
# make tags graph   what must stay true of names and of folders; part of lint
# make lint         format, static analysis and scripts, warnings are errors; make format puts the format right
# make fuzz         hostile input for all that reads what others wrote, FUZZ_SECONDS (60) for each target
# make bench        measure warpbook itself
# make model        compare modelled times with those that a GPU took
# make ptx          rebuild the PTX that ships in assets/ptx
# make bundle       build/warpbook-….tar.gz, which runs where only glibc is; as root, in an old Debian of its own
# make install      into PREFIX (/usr/local), below DESTDIR; make uninstall takes it away again
# make clean        remove build/
# V=1 shows the commands; DEV=1 makes warnings errors; MODE=asan builds with sanitizers into a folder of its own;
# CC=clang works too.

PREFIX     ?= /usr/local
CC         ?= cc
PKG_CONFIG ?= pkg-config
MODE       ?= release
DEV        ?=
V          ?= 0
T          ?=
SCREEN     ?=

build_release := build
build_asan    := build/asan
B := $(build_$(MODE))
ifeq ($(B),)
$(error MODE is release or asan, not '$(MODE)')
endif
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null),2)
endif

# ---- what the program is made of ------------------------------------------------------------------

# The simulator's floors, the lowest first.
sim_floors := ptx machine sanitize decode lanes access module schedule trace
folders := engine/base engine/compile engine/gpu engine/sim $(sim_floors:%=engine/sim/%) engine/model \
           engine/run engine/room engine/cli kernels reference lessons tui tui/app tui/command tui/draw tui/explore \
           tui/text tui/view
sources := $(wildcard $(folders:=/*.c))
headers := $(wildcard $(folders:=/*.h) engine/exec/*.h tests/*.h tests/*/*.h tests/fuzz/shared/*.h)
library := $(filter-out tui/main.c,$(sources))
units   := $(wildcard tests/unit/*.c)
fakes   := $(wildcard tests/fake/*.c)
benches := $(wildcard tests/bench/*.c)
truths  := $(wildcard tests/truth/*.c)
scripts := .ci/run $(wildcard assets/*.sh) $(wildcard tests/*.sh tests/*/*.sh)
kernels := $(wildcard kernels/*/*.cu engine/gpu/*.cu assets/gpus/calibrate/*.cu assets/explore/*.cu)
simulator := $(filter engine/sim/%,$(sources))
# The runtime that whole programs get in the place of NVIDIA's (warpbook exec), for each major version of it.
runtime  := $(wildcard engine/exec/*.c)
versions := 11.0 12 13
# The model, which reads no figures there.
timing   := $(filter-out %/figures.c %/calibrate.c,$(filter engine/model/%,$(sources))) engine/compile/occupancy.c
runtimes  = $(versions:%=$(B)/lib/libcudart.so.%)
# The handlers of instructions are compiled for each build of engine/sim/machine/build.h: X.o, X_v3.o, X_v4.o.
leveled := $(filter-out %/lanes.c %/lanes_exchange.c,$(filter engine/sim/lanes/% engine/sim/access/% %/race_warp.c %/owners.c,$(sources)))
objects  = $(addprefix $(2)/obj/,$(1:%.c=%.o) $(foreach level,3 4,$(patsubst %.c,%_v$(level).o,$(filter $(leveled),$(1)))))
tests   := $(units:tests/unit/%.c=$(B)/test/%) $(fakes:tests/fake/%.c=$(B)/test/libfake%.so)

# ---- flags ----------------------------------------------------------------------------------------
# The libraries are asked for when the first file is compiled, not when this file is read, so that
# `make deps run` can install them in between.

packages      := ncursesw libedit md4c md4c-html jansson
test_packages := cmocka vterm
once  = $(eval $(1) := $(2))$($(1))
package_flags = $(call once,package_flags,$$(shell $(PKG_CONFIG) --cflags $(packages)))
package_libs  = $(call once,package_libs,$$(shell $(PKG_CONFIG) --libs $(packages)))
test_flags    = $(call once,test_flags,$$(shell $(PKG_CONFIG) --cflags $(test_packages)))
test_libs     = $(call once,test_libs,$$(shell $(PKG_CONFIG) --libs $(test_packages)))
openmp        = $(call once,openmp,$$(shell echo 'int main(void) { return omp_get_max_threads() < 0; }' | \
                $(CC) -fopenmp -include omp.h -xc - -o /dev/null 2>/dev/null && echo -fopenmp || \
                echo -Wno-unknown-pragmas))

# Only those who change the code are stopped by a warning (DEV=1: lint, asan and CI set it): other compilers have others.
warnings := -Wall -Wextra $(if $(DEV),-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wwrite-strings -Wvla -Wno-unused-parameter
mode_release := -O2 -g
mode_asan    := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
language     := -std=c11 -D_GNU_SOURCE -I. -fno-strict-aliasing -ffp-contract=off $(warnings)
# The simulator is in the program and, unseen by it, in the tests' stand-in for the driver.
shareable    := -fPIC -fvisibility=hidden
# NVIDIA's headers, where they are installed, are what some tests compare our own declarations with.
oracle := $(addprefix -isystem ,$(dir $(firstword $(wildcard $(CUDA_HOME)/include/cuda.h \
          /usr/local/cuda/include/cuda.h))))
# Of x86-64-v3 and v4; other processors have none, and there such a file is compiled from nothing.
has_levels = $(call once,has_levels,$$(filter x86_64%,$$(shell $(CC) -dumpmachine)))
flags_v3   = -DLANES_BUILD=3 -mavx2 -mfma -mbmi -mbmi2 -mpopcnt
flags_v4   = -DLANES_BUILD=4 -mavx2 -mfma -mbmi -mbmi2 -mpopcnt -mavx512f -mavx512vl -mavx512bw -mavx512dq \
             -mprefer-vector-width=512
of_level   = $(if $(has_levels),$(flags_v$(1)) $<,-xc /dev/null)
all_flags = $(language) $(mode_$(MODE)) $(package_flags) $(openmp) $(extra) $(CFLAGS)
all_libs  = -Wl,--as-needed $(package_libs) $(openmp) -ldl -lm -lpthread $(LDFLAGS)

quiet = $(if $(filter 0,$(V)),@printf '  %-6s %s\n' '$(1)' '$@';,)

# ---- stamps ---------------------------------------------------------------------------------------
# A stamp is a file that holds the value of a variable and is rewritten only when that has changed.

settings := $(CC) $(language) $(shareable) $(mode_$(MODE)) $(CFLAGS) $(LDFLAGS)
contents := $(library)
quoted    = '$(subst ','\'',$(1))'
define stamp
ifneq ($$(strip $$($(1))),$$(strip $$(file <$(B)/$(1))))
$(B)/$(1): FORCE
endif
$(B)/$(1):
	@mkdir -p $$(@D) && printf '%s\n' $$(call quoted,$$($(1))) > $$@
endef
$(foreach name,settings contents,$(eval $(call stamp,$(name))))

# Whatever is asked for together with clean comes before or after it, as it was asked for.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# Whatever is asked for together with deps waits for it, also under -j.
first := $(filter deps deps-small,$(MAKECMDGOALS))
$(B)/settings asan: | $(first)

$(B)/packages: $(B)/settings
	@CC=$(call quoted,$(CC)) sh assets/deps.sh --missing && touch $@
$(B)/test_packages: $(B)/settings
	@CC=$(call quoted,$(CC)) sh assets/deps.sh --missing test && touch $@

# ---- build ----------------------------------------------------------------------------------------

.PHONY: all run test test-programs workshop room-test screens manual deps deps-small bundle asan lint format bench model ptx install uninstall clean help FORCE
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
all: $(B)/warpbook $(runtimes)

run: $(B)/warpbook
	@$(B)/warpbook

deps deps-small:
	@CC=$(call quoted,$(CC)) sh assets/deps.sh $(if $(filter deps-small,$@),--small) $(filter test asan lint format bench fuzz workshop,$(MAKECMDGOALS:room-test=workshop))

$(B)/warpbook: $(B)/obj/tui/main.o $(B)/libwarpbook.a
	$(call quiet,LINK)$(CC) $(all_flags) -o $@ $^ $(all_libs)

$(B)/libwarpbook.a: $(call objects,$(library),$(B)) $(B)/contents
	$(call quiet,AR)rm -f $@ && ar rcs $@ $(filter %.o,$^)

# CUB's row below a ladder needs nvcc, once: engine/gpu/library.c.
cub: $(B)/lib/libwarpbook-cub.so
$(B)/lib/libwarpbook-cub.so: assets/libraries/cub.cu
	@mkdir -p $(@D)
	$(call quiet,NVCC)nvcc -O3 -std=c++17 -arch=$(or $(CUB_ARCH),native) -shared -Xcompiler -fPIC -o $@ $<

# The simulator alone, for programs of others: engine/sim/README.md.
$(B)/libwarpsim.a: $(call objects,$(simulator),$(B)) $(B)/contents
	$(call quiet,AR)rm -f $@ && ar rcs $@ $(filter %.o,$^)

# The file that depends on the version is compiled for each. The names of the versions are those that programs ask for.
$(versions:%=$(B)/obj/engine/exec/device_%.o): $(B)/obj/engine/exec/device_%.o: engine/exec/device.c $(B)/settings | $(B)/packages
	@mkdir -p $(@D)
	$(compile) $< -DCUDART_MAJOR=$(basename $*)
$(B)/lib/libcudart.so.%: $(B)/obj/engine/exec/device_%.o $(call objects,$(filter-out %/device.c,$(runtime)) $(simulator) $(timing),$(B)) $(B)/contents
	@mkdir -p $(@D)
	@echo 'libcudart.so.$* { global: cuda*; __cuda*; local: *; };' >$@.map
	$(call quiet,LINK)$(CC) $(all_flags) -shared -Wl,-soname,libcudart.so.$* -Wl,--version-script=$@.map -o $@ $(filter %.o,$^) -ldl -lm -lpthread
	@rm $@.map

compile = $(call quiet,CC)$(CC) $(all_flags) -MMD -MP -c -o $@
$(B)/obj/%.o: %.c $(B)/settings | $(B)/packages
	@mkdir -p $(@D)
	$(compile) $<
$(B)/obj/%_v3.o: %.c $(B)/settings | $(B)/packages
	$(compile) $(call of_level,3)
$(B)/obj/%_v4.o: %.c $(B)/settings | $(B)/packages
	$(compile) $(call of_level,4)

$(B)/obj/engine/sim/%.o $(B)/obj/engine/exec/%.o $(call objects,$(timing),$(B)): private extra = $(shareable)
$(B)/obj/tests/%.o: private extra = $(test_flags) $(oracle)
$(tests) $(patsubst %.c,$(B)/obj/%.o,$(benches) $(truths)) $(units:%.c=$(B)/obj/%.o): | $(B)/test_packages

-include $(patsubst %.o,%.d,$(versions:%=$(B)/obj/engine/exec/device_%.o) $(call objects,$(sources) $(runtime) $(units) $(fakes) $(benches) $(truths),$(B)))

# ---- tests and measurements -----------------------------------------------------------------------

test-programs: $(B)/warpbook $(B)/truth $(runtimes) $(B)/libwarpsim.a $(tests) $(B)/test/lib

# Where programs of tests look for the runtime of whole programs.
$(B)/test/lib: | $(B)/settings
	@mkdir -p $(@D) && ln -sfn ../lib $@

test: test-programs
	@sh tests/run.sh $(B) $(T)

workshop: test-programs
	@TEST_REMARKS=1 TEST_JOBS=1 KILLS=200 sh tests/run.sh $(B) $(or $(T),workshop/ unit/room_kills)

# The same with a class of 60, which takes minutes and prints the figures that a room is held to.
room-test: test-programs
	@LEARNERS=60 TEST_REMARKS=1 TEST_JOBS=1 KILLS=200 sh tests/run.sh $(B) workshop/ unit/room_kills

screens: $(B)/warpbook $(B)/test/screens
	@UPDATE_SCREENS=1 SCREEN='$(SCREEN)' sh tests/run.sh $(B) unit/screens
	@git status --short tests/screen

manual: $(B)/warpbook $(B)/test/manual
	@UPDATE_MANUAL=1 sh tests/run.sh $(B) unit/manual
	@git status --short assets/manual

# Without what is there twice for the instruction sets of the host or the compilers of kernels, and without the 300
# compiles of all kernels, of which other tests make some.
asan:
	@TEST_LEAVE='unit/kernels unit/sim_check_clang :baseline' $(MAKE) --no-print-directory MODE=asan DEV=1 test

$(B)/test/%: $(B)/obj/tests/unit/%.o $(B)/libwarpbook.a | $(filter %.so,$(tests))
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(all_flags) -o $@ $^ $(test_wraps:%=-Wl,--wrap=%) $(test_libs) $(all_libs)

# Functions that a test puts its own in the place of.
$(B)/test/sim_no_memory: private test_wraps := malloc calloc realloc
$(B)/test/sim_guess: private test_wraps := calloc clock_gettime
$(B)/test/no_memory_gpu: private test_wraps := worker_compile
$(B)/test/shared_gpu: private test_wraps := worker_compile worker_stage
$(B)/test/screen $(B)/test/foreign: private test_wraps := clock_ms

# These tests put themselves in the place of the allocator.
$(B)/test/no_memory $(B)/test/no_memory_gpu $(B)/test/no_memory_compile: private extra = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free,--wrap=exit

$(B)/obj/tests/fake/%.o: private extra = $(shareable)
$(B)/test/libfake%.so: $(B)/obj/tests/fake/%.o $(call objects,$(simulator),$(B))
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(all_flags) -shared -o $@ $(filter %.o,$^) -lm -lpthread

$(B)/bench: $(benches:%.c=$(B)/obj/%.o) $(B)/libwarpbook.a
$(B)/truth: $(truths:%.c=$(B)/obj/%.o) $(B)/libwarpbook.a
$(B)/bench $(B)/truth:
	$(call quiet,LINK)$(CC) $(all_flags) -o $@ $^ $(all_libs)

# How near modelled times are to measured ones, by class: engine/model/README.md.
model: $(B)/warpbook
	@sh tests/model.sh $(B)

bench: $(if $(benches),$(B)/bench)
	$(if $(benches),@$(B)/bench,@echo 'bench: nothing to measure yet (tests/bench/ is empty)')

# ---- style and static analysis: lint, format -------------------------------------------------------

include tests/lint.mk tests/fuzz.mk

# ---- installing -----------------------------------------------------------------------------------

# What the program reads at run time; it finds them in share/warpbook under the same names.
data = $(kernels) $(wildcard lessons/*/*.md lessons/*/*.cu) \
       $(sort $(shell find assets -type f ! -name '*.sh' ! -path 'assets/manual/*'))
# What people read, under the same names in share/doc/warpbook.
documents = README.md HACKING.md SECURITY.md LICENSE kernels/FORMAT.md lessons/FORMAT.md lessons/INSTRUCTORS.md \
            lessons/MACHINES.md engine/exec/PROGRAMS.md engine/run/PROTOCOL.md engine/sim/README.md engine/sim/COUNTS.md
man_page  = $(installed)/share/man/man1/warpbook.1
completion_bash = $(installed)/share/bash-completion/completions/warpbook
completion_zsh  = $(installed)/share/zsh/site-functions/_warpbook
completion_fish = $(installed)/share/fish/vendor_completions.d/warpbook.fish
installed = $(DESTDIR)$(PREFIX)
install: $(B)/warpbook $(runtimes)
	install -Dm755 $(B)/warpbook '$(installed)/bin/warpbook'
	@for file in $(runtimes) $(wildcard $(B)/lib/libwarpbook-cub.so); do \
	    install -Dm755 "$$file" '$(installed)/lib/warpbook'/"$${file##*/}" || exit 1; \
	done
	@install -d '$(installed)/share/man/man1'
	sed 's|/usr/local/share|$(PREFIX)/share|' assets/manual/warpbook.1 >'$(man_page)' && chmod 644 '$(man_page)'
	install -Dm644 assets/manual/warpbook.bash '$(completion_bash)'
	install -Dm644 assets/manual/_warpbook '$(completion_zsh)'
	install -Dm644 assets/manual/warpbook.fish '$(completion_fish)'
	@for file in $(documents); do \
	    install -Dm644 "$$file" '$(installed)/share/doc/warpbook'/"$$file" || exit 1; \
	done
	@for file in $(data); do install -Dm644 "$$file" '$(installed)/share/warpbook'/"$$file" || exit 1; done
	@echo "$(words $(data)) data files into $(installed)/share/warpbook"

bundle:
	@sh assets/bundle.sh

uninstall:
	rm -rf '$(installed)/lib/warpbook'
	rm -f '$(installed)/bin/warpbook' '$(man_page)' \
	    '$(completion_bash)' '$(completion_zsh)' '$(completion_fish)'
	@for file in $(documents); do rm -f '$(installed)/share/doc/warpbook'/"$$file"; done
	@for file in $(data); do rm -f '$(installed)/share/warpbook'/"$$file"; done
	@find '$(installed)/share/warpbook' '$(installed)/share/doc/warpbook' -depth -type d -empty -delete 2>/dev/null || :

# Made whole beside the old ones, which are only replaced when every kernel compiled.
ptx: $(B)/warpbook
	@rm -rf $(B)/ptx
	@for file in $(kernels); do \
	    to=$(B)/ptx/$$(basename "$$(dirname "$$file")")/$$(basename "$$file" .cu).ptx; \
	    mkdir -p "$$(dirname "$$to")" && $(B)/warpbook worker --ptx "$$file" >"$$to" || exit 1; \
	done
	@rm -rf assets/ptx && mv $(B)/ptx assets/ptx && echo '$(words $(kernels)) files in assets/ptx'

clean:
	rm -rf build

help:
	@sed -n '/^#/!q; s/^# //p' Makefile
