# SPDX-License-Identifier: GPL-2.0-only
# What a kernel's Makefile does for tools/testing/selftests/profil (install, gen_tar), and the library's
# tests need. The parts of the kernel that these use are from scripts/kernel/fetch-kselftest.

ifndef KSELFTEST_DIR
KSELFTEST_DIR := $(shell ../scripts/kernel/fetch-kselftest)/tools/testing/selftests
endif
export KSELFTEST_DIR

include other_targets.mk
all: m32 musl

# One file, as in core/bins_test
$(addsuffix /%,$(FOLDERS) programs lib): FORCE
	$(call in_folders,$(OUTPUT)/$@,$(patsubst %/,%,$(dir $@)))
FORCE:

# The archive has the same folders as a kernel's, and those of the checkout that the tests look for:
# the library and the command.
KSFT_INSTALL_PATH ?= $(or $(INSTALL_PATH),../build/kselftest_install)
PACKAGE := $(abspath $(KSFT_INSTALL_PATH))
override INSTALL_PATH := $(PACKAGE)/profil
FORMAT ?= .gz
ARCHIVE := $(PACKAGE)/kselftest-packages/kselftest.tar$(FORMAT)

install: harness
harness: all
	mkdir -p $(PACKAGE)/lib $(PACKAGE)/tools
	rsync -a $(KSELFTEST_DIR)/kselftest $(KSELFTEST_DIR)/run_kselftest.sh $(PACKAGE)/
	rsync -a ../lib/*.so ../lib/*.so.* $(PACKAGE)/lib/
	rsync -a ../tools/profil $(PACKAGE)/tools/
	$(MAKE) -s --no-print-directory emit_tests COLLECTION=profil >$(PACKAGE)/kselftest-list.txt

gen_tar: install
	@mkdir -p $(dir $(ARCHIVE))
	@tar caf $(ARCHIVE) --exclude=kselftest-packages -C $(PACKAGE) .
	@echo "Created $(ARCHIVE)"

.PHONY: harness gen_tar FORCE
