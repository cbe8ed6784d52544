# SPDX-License-Identifier: GPL-2.0-only
#
# profil: the kernel module, libprofil, the profil command, and their tests.
#
#   make demo    profile Debian's perl in a virtual machine, from nothing
#   make check   run every test, from nothing
#   make check-all   the same, and on every other kernel: some hours
#   make coverage   which lines the tests reach: half an hour
#   make         build the module for this machine's kernel, and the user space
#   make bench-rate   what rates and clocks cost, and how true they are
#   make install DESTDIR= PREFIX=/usr/local
#   make clean
#
# KDIR=DIR names the build tree of another kernel. What runs in virtual machines, demo to
# coverage and bench-rate, installs the Debian packages that are missing
# (scripts/deps/packages); the others install none.

PREFIX ?= /usr/local
DESTDIR ?=
KDIR ?= $(or $(KERNELDIR),$(KERNEL_DIR),/lib/modules/$(shell uname -r)/build)

all: module lib tools

module:
	@if [ -e $(KDIR)/Makefile ]; then \
		scripts/kernel/build-module $(KDIR); \
	else \
		echo "no module: there is no kernel build tree $(KDIR);" \
		     "install linux-headers-$$(uname -r), or name another" \
		     "kernel's by KDIR="; \
	fi

lib:
	$(MAKE) -C lib

tools: lib
	$(MAKE) -C tools

# Needs the kernel's test harness: scripts/kernel/fetch-kselftest gets it.
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
	$(MAKE) -s lib tools tests
	scripts/check/run

check-all:
	scripts/deps/install build vm check demo arm64 riscv64
	$(MAKE) -s lib tools tests
	scripts/check/run --all

coverage:
	scripts/deps/install build vm check
	scripts/check/coverage

bench-rate:
	scripts/deps/install build vm check bench
	scripts/bench/rate

install: lib tools
	$(MAKE) -C lib install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(MAKE) -C tools install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

# The module goes where depmod and modprobe look, for the kernel of KDIR.
modules_install:
	+scripts/kernel/install-module $(KDIR) $(DESTDIR)

clean:
	$(MAKE) -C lib clean
	$(MAKE) -C tools clean
	$(MAKE) -C selftests clean
	$(MAKE) -C selftests/unit clean
	$(MAKE) -C selftests/fuzz/device clean
	$(MAKE) -C selftests/fuzz/readers clean
	rm -rf build

.PHONY: all module lib tools tests demo check check-all coverage bench-rate install modules_install clean
