# SPDX-License-Identifier: GPL-2.0-only
# Programs written from the systems' manual pages alone: PAGE-COMPILER-LEVEL.

PAGES := solaris bsd linux099 osf1 aix svid
PAGE_COMPILERS := gnu89 gnu17 cxx $(if $(shell command -v clang),clang)
PAGE_PROGS := $(foreach page,$(PAGES),$(foreach compiler,$(PAGE_COMPILERS),\
	$(addprefix programs/pages/$(page)-$(compiler)-,O0 O2 O3 header))) \
	$(addsuffix -gnu17-pie,$(addprefix programs/pages/,solaris bsd linux099 osf1 svid))
TEST_GEN_FILES += $(PAGE_PROGS)

page_gnu89 = $(CC) -std=gnu89
page_gnu17 = $(CC) -std=gnu17
page_clang = clang -std=gnu17
page_cxx = $(CXX) -x c++
page_O0 = -O0 -no-pie
page_O2 = -O2 -no-pie
page_O3 = -O3 -no-pie
# with the dialect's header before the declaration of the page
page_header = -O2 -no-pie -DPROFIL_PAGE_TYPES -I../lib/include/profil/$1
# a PIE, whose addresses do not fit in an offset of 32 bits
page_pie = -O2 -fPIE -pie

# page_program(page, compiler, level)
page_program = $(page_$2) $(call page_$3,$1) -g -Wall -Wextra -pthread -o $@ programs/pages/$1.c \
	-x none $(LDFLAGS) -Wl,--no-as-needed ../lib/libprofil-$1.so ../lib/libprofil.so \
	-Wl,-rpath,'$$ORIGIN/../../../lib'

$(PAGE_PROGS): programs/pages/%: $(wildcard programs/pages/*.[ch] ../lib/include/profil/*/*.h) \
		../lib/libprofil.so $(PAGES:%=../lib/libprofil-%.so)
	$(call page_program,$(word 1,$(subst -, ,$*)),$(word 2,$(subst -, ,$*)),$(word 3,$(subst -, ,$*)))

# The libraries, each as one object whose profil() is page_DIALECT(), so that one
# program can call all of them
PAGE_LIBRARIES := $(PAGES:%=programs/pages/library-%.o)
$(PAGE_LIBRARIES): programs/pages/library-%.o: ../lib/libprofil-%.a
	$(CC) -r -nostdlib -o $@ -Wl,--whole-archive,--force-group-allocation $<
	$(OBJCOPY) --redefine-sym profil=page_$* --keep-global-symbol=page_$* $@
