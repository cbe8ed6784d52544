# SPDX-License-Identifier: GPL-2.0-only
#
# profil: the kernel module, libprofil, the profil command, and their tests
#
#   make              build the module for this machine's kernel, the library and the command
#   make demo         profile Debian's perl in a virtual machine
#   make check        run the tests that find most faults: 11 minutes on two cores
#   make check-full   run all tests, on the stock kernels and a debug kernel: an hour; BUDGET=MINUTES
#   make check-all    run them on all other kernels, too: some hours
#   make coverage     report which lines the tests execute: half an hour
#   make doc          make a web site of the documents and manual pages, build/doc/index.html
#   make bench        measure what profiles cost, beside other samplers: a quarter of an hour
#   make install      install the library and the command (not the module)
#   make modules_install   install the module; then run depmod
#   make uninstall    remove what these two have installed
#   make dist         pack the commit's files into build/dist, with their checksum
#   make patch        write patches for a kernel's own tree into build/patch (KDIR: its source)
#   make clean
#
# install, uninstall: DESTDIR=, PREFIX=/usr/local, LIBDIR=PREFIX/lib and others: see lib/Makefile and
# tools/Makefile. module, modules_install, uninstall: KVER=RELEASE names another kernel than the
# running one, and KDIR=DIR its build tree, if that is not /lib/modules/RELEASE/build. demo, check,
# check-all, coverage and bench run virtual machines. These and doc install the missing Debian
# packages (scripts/deps/packages).

PREFIX ?= /usr/local
DESTDIR ?=

# The build tree of the kernel that the user names
NAMED_KDIR := $(or $(KDIR),$(KERNELDIR),$(KERNEL_DIR),$(KVER:%=/lib/modules/%/build))
KDIR ?= $(or $(NAMED_KDIR),/lib/modules/$(shell uname -r)/build)

all: module lib tools

module:
	@if [ -e $(KDIR)/Makefile ]; then \
		scripts/kernel/build-module $(KDIR); \
	else \
		echo "module not built: no kernel build tree $(KDIR);" \
		     "install linux-headers-$(or $(KVER),$$(uname -r)), or set KVER= or KDIR="; \
	fi

lib:
	$(MAKE) -C lib

tools: lib
	$(MAKE) -C tools

tests: lib tools
	$(MAKE) -C selftests
	$(MAKE) -C selftests/unit
	$(MAKE) -C selftests/fuzz/device

demo:
	scripts/deps/install build vm demo
	$(MAKE) -s lib tools
	scripts/demo

check:
	scripts/deps/install build vm check demo
	scripts/check/build
	scripts/check/run

check-full:
	scripts/deps/install build vm check check-full demo
	scripts/check/build
	scripts/check/run --full $(BUDGET:%=--budget %)

check-all:
	scripts/deps/install build vm check check-full demo arm64 riscv64
	scripts/check/build
	scripts/check/run --all

coverage:
	scripts/deps/install build vm check coverage
	scripts/check/coverage

doc:
	scripts/deps/install doc
	scripts/site

bench:
	scripts/deps/install build vm check bench
	$(MAKE) -s lib tools
	bench/run

install: lib tools
	$(MAKE) -C lib install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C tools install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

# install the module of the kernel of KDIR for modprobe
modules_install:
	+scripts/kernel/install-module $(KDIR) $(DESTDIR)

# Without KVER and KDIR, the module of all kernels: one was installed for each kernel
uninstall:
	$(MAKE) -C lib uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C tools uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	scripts/kernel/uninstall-module "$(DESTDIR)" $(NAMED_KDIR)

dist:
	scripts/dist

# for Linux 6.12, or the source that the user names
patch:
	scripts/deps/install check
	scripts/kernel/patch $(NAMED_KDIR)

clean:
	$(MAKE) -C lib clean
	$(MAKE) -C tools clean
	$(MAKE) -C selftests clean
	$(MAKE) -C bench clean
	$(MAKE) -C selftests/unit clean
	$(MAKE) -C selftests/fuzz/device clean
	$(MAKE) -C selftests/fuzz/readers clean
	rm -rf build

.PHONY: all module lib tools tests demo check check-full check-all coverage doc bench install \
	modules_install uninstall dist patch clean
