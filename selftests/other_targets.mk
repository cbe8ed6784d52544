# SPDX-License-Identifier: GPL-2.0-only
# Builds the same programs for 32 bits (build/m32), for arm64 (build/arm64) and for musl (build/musl):
# copies the sources there and runs make in the copy with another compiler.

M32 := ../build/m32
ARM64 := ../build/arm64

# copy_sources(directory, relative to the checkout)
define copy_sources
mkdir -p ../$1
cd .. && find version.mk lib uapi selftests -type d \( -path selftests/unit \
		-o -path selftests/fuzz -o -path selftests/bugs -o -path selftests/late \) -prune \
		-o -type f \
	\( -name '*.[ch]' -o -name '*.sh' -o -name '*.map' -o -name '*.mk' \
		-o -name '*.vectors' -o -name Makefile \) -print0 | \
	xargs -0 cp -up --parents -t $1
endef

# For 32 bits, only the tests of the library, and only if the compiler and the C library
# support it. The kernel headers are the 64-bit ones, because the package with the 32-bit
# headers conflicts with all cross compilers.
CC32 = $(CC) -m32 -idirafter /usr/include/$(shell $(CC) -print-multiarch)
include pages.mk programs/corpus/callers.mk
M32_PROGS := programs/old programs/spin $(addprefix libprofil/,lib_test aix_test sprofil_test pcsample_test \
	profil_start_test vectors_test) $(CORPUS:%=programs/corpus/%)

m32:
	@if printf '#include <sys/ioctl.h>\nint main(void) { return 0; }' | \
			$(CC32) -x c -o /dev/null - 2>/dev/null; then \
		$(MAKE) m32_programs; \
	fi

m32_programs:
	$(call copy_sources,build/m32)
	$(MAKE) -C $(M32)/lib CC="$(CC32)" libprofil.so libprofil.a $(PAGES:%=libprofil-%.a)
	$(MAKE) -C $(M32)/selftests OUTPUT=$(abspath $(M32))/selftests CC="$(CC32)" $(M32_PROGS)

# For arm64, with a cross compiler. The sealed guest (scripts/vm/run --kernel 6.1-arm64) can read
# only build/arm64, so the shell tests' files are copied too. Set KSELFTEST_DIR to the absolute
# path of build/arm64 for them.
CROSS := aarch64-linux-gnu-
ARM64_TESTS := $(basename $(wildcard $(addsuffix /*_test.c,core memory process attach libprofil attacks)))
ARM64_PROGS := $(ARM64_TESTS) $(addprefix programs/,session storm steps spin-static \
	forks-static)

arm64:
	$(call copy_sources,build/arm64)
	ln -sfnr ../scripts $(ARM64)/scripts
	cp -r $(KSELFTEST_DIR)/kselftest $(ARM64)
	$(MAKE) -C $(ARM64)/lib CC=$(CROSS)gcc AR=$(CROSS)ar
	$(MAKE) -C $(ARM64)/selftests OUTPUT=$(abspath $(ARM64))/selftests CC=$(CROSS)gcc AR=$(CROSS)ar \
		OBJCOPY=$(CROSS)objcopy $(ARM64_PROGS)

# For musl, another C library, if its compiler is installed: the library, and static programs for a
# guest; and the unit tests of the library.
MUSL_TREE := ../build/musl
MUSL_PROGS := $(addprefix libprofil/,regions_test vectors_test)

musl:
	@if command -v musl-gcc >/dev/null; then $(MAKE) musl_programs; fi

musl_programs:
	$(call copy_sources,build/musl)
	$(MAKE) -C $(MUSL_TREE)/lib CC=musl-gcc
	$(MAKE) -C $(MUSL_TREE)/selftests OUTPUT=$(abspath $(MUSL_TREE))/selftests CC=musl-gcc $(MUSL_PROGS)

check_musl: musl_programs
	cd .. && find module selftests/unit/Makefile selftests/unit/lib selftests/unit/support \
		selftests/unit/module -type f \( -name '*.[ch]' -o -name Makefile \) -print0 | \
		xargs -0 cp -up --parents -t build/musl
	cmocka=$$(../scripts/deps/fetch-cmocka) && $(MAKE) -C $(MUSL_TREE)/selftests/unit \
		CC=musl-gcc PKG_CONFIG=true CMOCKA_SOURCE="$$cmocka" check_lib

.PHONY: m32 m32_programs arm64 musl musl_programs check_musl
