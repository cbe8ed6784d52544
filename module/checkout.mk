# SPDX-License-Identifier: GPL-2.0-only
# The module outside the kernel's tree: what Kconfig decides there (module/Kconfig), and where the rest
# of the checkout is.
CONFIG_PROFIL := m

# The KUnit tests, for kernels that have KUnit, built in or as a module. Only builds of
# scripts/kernel/build-module have them: packages for users omit tests/, also where their
# kernel has KUnit.
CONFIG_PROFIL_KUNIT_TEST := $(if $(PROFIL_TESTS),$(if $(CONFIG_KUNIT),m))
export CONFIG_PROFIL_KUNIT_TEST

subdir-ccflags-y += -I$(src)/../uapi

include $(src)/../version.mk
CFLAGS_main.o := -DPROFIL_VERSION='"$(PROFIL_VERSION)"'

# With EXPLORE=1, let other CPUs run at random places of the module (scripts/check/seeds).
ifdef EXPLORE
profil-y += tests/explore.o
ccflags-y += -fsanitize-coverage=trace-pc
CFLAGS_REMOVE_tests/explore.o := -fsanitize-coverage=trace-pc
# the compiler calls it without a prototype
CFLAGS_tests/explore.o := -Wno-missing-prototypes -Wno-missing-declarations
endif
