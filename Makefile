# make            build build/warpbook
# make run        build it and start it
# make test       build and run all tests
# make deps …     first install what is missing
# V=1 shows the commands; MODE=asan builds with sanitizers into a folder of its own.

PREFIX ?= /usr/local
CC     ?= cc
MODE   ?= release
V      ?= 0

build_release := build
build_asan    := build/asan
B := $(build_$(MODE))
ifeq ($(B),)
$(error MODE is release or asan, not '$(MODE)')
endif

# ---- what the program is made of ------------------------------------------------------------------

sources := $(wildcard engine/*/*.c kernels/*.c reference/*.c lessons/*.c tui/*.c tui/*/*.c)
headers := $(wildcard engine/*/*.h kernels/*.h reference/*.h lessons/*.h tui/*.h tui/*/*.h)
library := $(filter-out tui/main.c,$(sources))
units   := $(wildcard tests/unit/*.c)
objects := $(sources:%.c=$(B)/obj/%.o)

# ---- flags ----------------------------------------------------------------------------------------
# The libraries are asked for when the first file is compiled, not when this file is read, so that
# `make deps run` can install them in between.

packages      := ncursesw libedit md4c jansson
test_packages := cmocka vterm
once  = $(eval $(1) := $(2))$($(1))
package_flags = $(call once,package_flags,$$(shell pkg-config --cflags $(packages)))
package_libs  = $(call once,package_libs,$$(shell pkg-config --libs $(packages)))
test_flags    = $(call once,test_flags,$$(shell pkg-config --cflags $(test_packages)))
test_libs     = $(call once,test_libs,$$(shell pkg-config --libs $(test_packages)))
openmp        = $(call once,openmp,$$(shell echo 'int main(void){return 0;}' | \
                $(CC) -fopenmp -xc - -o /dev/null 2>/dev/null && echo -fopenmp))

warnings := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wwrite-strings -Wvla -Wno-unused-parameter
mode_release := -O2 -g
mode_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
all_flags = -std=c11 -D_GNU_SOURCE -I. -fno-strict-aliasing -ffp-contract=off $(warnings) $(mode_$(MODE)) \
            $(package_flags) $(openmp) -DWARPBOOK_SHARE='"$(PREFIX)/share/warpbook"' $(CFLAGS)
all_libs  = $(package_libs) $(openmp) -ldl -lm -lpthread $(LDFLAGS)

quiet = $(if $(filter 0,$(V)),@printf '  %-6s %s\n' '$(1)' '$@';,)

# ---- build ----------------------------------------------------------------------------------------

.PHONY: all run test deps asan lint format bench ptx install uninstall clean
all: $(B)/warpbook

run: $(B)/warpbook
	@$(B)/warpbook

$(B)/warpbook: $(B)/obj/tui/main.o $(B)/libwarpbook.a
	$(call quiet,LINK)$(CC) $(all_flags) -o $@ $^ $(all_libs)

$(B)/libwarpbook.a: $(library:%.c=$(B)/obj/%.o)
	$(call quiet,AR)rm -f $@ && ar rcs $@ $^

$(B)/obj/%.o: %.c | $(B)/packages
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(all_flags) -MMD -MP -c -o $@ $<

-include $(objects:.o=.d) $(units:%.c=$(B)/obj/%.d)

$(B)/test/%: $(B)/obj/tests/unit/%.o $(B)/libwarpbook.a
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(all_flags) -o $@ $^ $(test_libs) $(all_libs)

$(B)/packages:
	@mkdir -p $(@D) && touch $@
