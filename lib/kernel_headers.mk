# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian's musl-gcc does not find the headers of the kernel. Links to them, in a folder of their own:
# beside them are those of the GNU C library.

KERNEL_HEADERS_FOLDER := $(dir $(realpath $(lastword $(MAKEFILE_LIST))))../build/kernel-headers
KERNEL_HEADERS := $(shell $(CC) -E -include linux/ioctl.h -x c /dev/null >/dev/null 2>&1 || { \
	mkdir -p $(KERNEL_HEADERS_FOLDER) && cd $(KERNEL_HEADERS_FOLDER) && \
	ln -sfn /usr/include/linux /usr/include/asm-generic \
		/usr/include/$$(gcc -print-multiarch)/asm . && pwd; })
override CFLAGS += $(KERNEL_HEADERS:%=-idirafter %)
