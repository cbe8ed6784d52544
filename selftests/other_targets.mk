# SPDX-License-Identifier: GPL-2.0-only
# The same programs for 32 bits (build/m32) and for arm64 (build/arm64): a copy of the sources
# in which the Makefiles run with another compiler.

M32 := ../build/m32
ARM64 := ../build/arm64

# copy_sources(directory below the checkout)
define copy_sources
mkdir -p ../$1
cd .. && find version.mk lib uapi selftests -type d \( -path selftests/unit -o -path selftests/fuzz \
		-o -path selftests/bugs -o -path selftests/late \) -prune -o -type f \
	\( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.map' -o -name '*.mk' \
		-o -name '*.vectors' -o -name Makefile \) -print0 | \
	xargs -0 cp -up --parents -t $1
endef

# For 32 bits, if the compiler and the C library support it: the tests that use only the
# library. The kernel's headers are those for 64 bits, since the package with the others
# conflicts with all cross compilers.
CC32 = $(CC) -m32 -idirafter /usr/include/$(shell $(CC) -print-multiarch)
M32_PROGS := programs/old $(addprefix libprofil/,lib_test aix_test sprofil_test pcsample_test \
	dialect_select_test vectors_test)

m32:
	@if printf '#include <sys/ioctl.h>\nint main(void) { return 0; }' | \
			$(CC32) -x c -o /dev/null - 2>/dev/null; then \
		$(MAKE) m32_programs; \
	fi

# (with the same random cases)
m32_programs: libprofil/random.vectors
	$(call copy_sources,build/m32)
	$(MAKE) -C $(M32)/lib CC="$(CC32)" libprofil.so libprofil.a $(PAGES:%=libprofil-%.a)
	$(MAKE) -C $(M32)/selftests CC="$(CC32)" $(M32_PROGS)

# For arm64, by a cross compiler. The sealed guest (scripts/vm/run --kernel 6.1-arm64) sees only
# build/arm64, so it has the shell tests' files too; pass them KSELFTEST_DIR=build/arm64, as an
# absolute path.
CROSS := aarch64-linux-gnu-
ARM64_PROGS := $(TEST_GEN_PROGS) libprofil/random.vectors $(addprefix programs/,session storm \
	steps spin-static forks-static)

arm64:
	$(call copy_sources,build/arm64)
	ln -sfnr ../scripts $(ARM64)/scripts
	cp -r $(KSELFTEST_DIR)/kselftest $(ARM64)
	$(MAKE) -C $(ARM64)/lib CC=$(CROSS)gcc AR=$(CROSS)ar
	$(MAKE) -C $(ARM64)/selftests CC=$(CROSS)gcc AR=$(CROSS)ar OBJCOPY=$(CROSS)objcopy $(ARM64_PROGS)

.PHONY: m32 m32_programs arm64
