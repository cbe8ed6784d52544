# SPDX-License-Identifier: GPL-2.0-only
# Callers of profil(2) on old systems, each with the library of its system: PROGRAM-DIALECT.

CORPUS := $(addprefix svvs-,solaris bsd linux099 osf1 aix svid) v7mon-svid bsdgmon-bsd \
	ldprof-solaris ticker-solaris ticker-svid papi-solaris pcs-solaris
CORPUS_PROGS := $(CORPUS:%=programs/corpus/%)
TEST_GEN_FILES += $(CORPUS_PROGS)

corpus_name = $(firstword $(subst -, ,$*))
corpus_dialect = $(lastword $(subst -, ,$*))
# the page of 4.4BSD does not turn off by a scale of 1
corpus_flags_bsd = -DSCALE_1_COUNTS
corpus_position_ldprof = -fPIE -pie -I../lib/include/profil/$(corpus_dialect)

# Without a build ID: binutils break a 32-bit program at fixed addresses when they remove it for a
# sealed guest. Shared only with libprofil: the tree for 32 bits has no other shared libraries.
$(CORPUS_PROGS): programs/corpus/%: $(wildcard programs/corpus/*.[ch] programs/pages/page.h) \
		../lib/libprofil.so $(PAGES:%=../lib/libprofil-%.a)
	$(CC) -std=gnu89 -O0 -g -Wall -Wextra $(corpus_flags_$(corpus_dialect)) \
		$(or $(corpus_position_$(corpus_name)),-no-pie) -pthread $(LDFLAGS) \
		-Wl,--build-id=none -o $@ \
		programs/corpus/$(corpus_name).c ../lib/libprofil-$(corpus_dialect).a \
		../lib/libprofil.so -Wl,-rpath,'$$ORIGIN/../../../lib'
