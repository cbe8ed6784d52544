# SPDX-License-Identifier: GPL-2.0-only
# What the Makefiles of the folders share. Each lists its tests as all selftests of the kernel do
# (Documentation/dev-tools/kselftest.rst), and includes this file, which includes the kernel's lib.mk.
#
# The tests are in a checkout, or copied to tools/testing/selftests/profil of a kernel's tree. There,
# linux/profil.h is the one of `make headers`, and what needs libprofil or the command is left out.

profil := $(realpath $(dir $(lastword $(MAKEFILE_LIST))))
folder := $(CURDIR:$(profil)/%=%)
OUTPUT ?= $(CURDIR)
override OUTPUT := $(abspath $(OUTPUT))
# What all folders share: lib and programs beside this one's products
BUILT := $(OUTPUT:%/$(folder)=%)

in_kernel_tree := $(wildcard $(profil)/../lib.mk)
ifneq ($(in_kernel_tree),)
KSELFTEST_DIR := $(realpath $(profil)/..)
else
ifndef KSELFTEST_DIR
KSELFTEST_DIR := $(shell $(profil)/../scripts/kernel/fetch-kselftest)/tools/testing/selftests
endif
LIBPROFIL := $(realpath $(profil)/../lib)
KHDR_INCLUDES := -I$(profil)/../uapi
endif
export KSELFTEST_DIR

# With it, lib.mk copies scripts to the products and runs them there.
ifneq ($(OUTPUT),$(CURDIR))
building_out_of_srctree := 1
endif

AR := $(CROSS_COMPILE)ar
OBJCOPY := $(CROSS_COMPILE)objcopy
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -D_GNU_SOURCE= -Wall -Wextra -Wshadow -iquote $(profil)/lib \
	-fmacro-prefix-map=$(profil)/= $(if $(LIBPROFIL),-I$(LIBPROFIL) -I$(LIBPROFIL)/include) -isystem $(KSELFTEST_DIR) -pthread

# Each program depends on all headers, for simplicity.
LOCAL_HDRS += $(wildcard $(profil)/lib/*.h $(profil)/lib/*/*.h $(profil)/programs/*.h)
ifdef LIBPROFIL
# what another C library lacks
include $(LIBPROFIL)/kernel_headers.mk
override CFLAGS += -idirafter $(LIBPROFIL)/include/missing
LOCAL_HDRS += $(wildcard $(LIBPROFIL)/*.h $(LIBPROFIL)/*/*.h $(LIBPROFIL)/include/profil/aix/*.h) \
	$(profil)/../uapi/linux/profil.h
include $(profil)/pages.mk
endif

include $(KSELFTEST_DIR)/lib.mk

# make -s is silent, as elsewhere in a checkout
ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
msg =
endif

override CFLAGS += $(KHDR_INCLUDES)

# The code that tests share, and what of it calls libprofil
SHARED_CODE := $(wildcard $(profil)/lib/*.c $(profil)/lib/*/*.c)
LIBRARY_CODE := $(profil)/lib/profile/scene.c $(profil)/lib/profile/counter_watch.c
ifndef LIBPROFIL
SHARED_CODE := $(filter-out $(LIBRARY_CODE),$(SHARED_CODE))
endif

TEST_LIBRARY := $(BUILT)/lib/libtest.a
$(TEST_LIBRARY): $(SHARED_CODE:$(profil)/%.c=$(BUILT)/%.o)
	@rm -f $@
	$(call msg,AR,,$@)
	$(Q)$(AR) rcs $@ $^

$(BUILT)/lib/%.o: $(profil)/lib/%.c $(LOCAL_HDRS)
	@mkdir -p $(@D)
	$(call msg,CC,,$@)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

$(TEST_GEN_PROGS) $(TEST_GEN_PROGS_EXTENDED): $(TEST_LIBRARY)

ifdef LIBPROFIL
$(addprefix $(LIBPROFIL)/,libprofil.so libprofil.a $(PAGES:%=libprofil-%.so) $(PAGES:%=libprofil-%.a)) &:
	$(MAKE) -C $(LIBPROFIL)
endif

ifeq ($(TEST_GEN_PROGS)$(TEST_PROGS),)
override RUN_TESTS = true
else ifeq ($(in_kernel_tree),)
# runner.sh finds the settings of a folder below the folder of the kernel's selftests.
TREE := $(abspath $(profil)/../build/kselftest_tree)
override define RUN_TESTS
	mkdir -p $(TREE) && ln -sfn $(KSELFTEST_DIR)/kselftest $(TREE) && \
	ln -sfn $(profil) $(TREE)/profil && BASE_DIR=$(TREE) && cd $(TREE)/profil/$(folder) && \
	. $(TREE)/kselftest/runner.sh && run_many $(1)
endef
endif

.DELETE_ON_ERROR:
