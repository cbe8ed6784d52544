# SPDX-License-Identifier: GPL-2.0-only
# monitor() of each dialect, in the style of the old systems, compiled with the headers of the
# dialect: called by the program, or before main() if it is linked with -p
MONITOR_CALLS := $(foreach dialect,solaris osf1 aix,\
	$(addprefix programs/dialects/$(dialect)-,monitor monitor-pie))
MONITOR_P := $(foreach dialect,solaris osf1 aix,\
	$(addprefix programs/dialects/$(dialect)-,p p-pie)) \
	programs/dialects/solaris-p-fentry
MARKED := $(addprefix programs/dialects/solaris-marks-,O0 O2)
COUNTED := programs/dialects/libcounted.so
TEST_GEN_FILES += $(MONITOR_CALLS) $(MONITOR_P) $(MARKED) $(COUNTED)

dialect = $(firstword $(subst -, ,$(@F)))
dialect_headers = -I../lib/include/profil/$(dialect)
DIALECT_HEADERS := $(wildcard ../lib/include/profil/*/*.h)

# monitor_program(flags of the compiler, flags of the linker): compiling with -p counts calls;
# linking with -p calls monitor() before main().
monitor_program = $(CC) -std=gnu89 -O0 -g -Wall $(dialect_headers) -p $1 -c -o $@.o $< && \
	$(CC) $2 $(LDFLAGS) -o $@ $@.o $(counted) ../lib/libprofil-$(dialect).so ../lib/libprofil.so \
		-pthread -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../../../lib' -Wl,-rpath,'$$ORIGIN'

$(MONITOR_CALLS) $(MONITOR_P) $(MARKED): $(DIALECT_HEADERS) programs/dialects/work.h \
	$(addprefix ../lib/libprofil-,solaris.so osf1.so aix.so)
# A function in another object, which programs linked with -p call
$(MONITOR_P): counted := $(COUNTED)
$(MONITOR_P): $(COUNTED)
$(COUNTED): programs/dialects/libcounted.c
	$(CC) -std=gnu89 -O0 -Wall -fPIC -p -shared $(LDFLAGS) -Wl,-soname,$(@F) -o $@ $<

programs/dialects/%-monitor: programs/dialects/%-monitor.c
	$(call monitor_program,-fno-pie,-no-pie)

programs/dialects/%-monitor-pie: programs/dialects/%-monitor.c
	$(call monitor_program,-fPIE,-pie)

programs/dialects/%-p: programs/dialects/plain-p.c
	$(call monitor_program,-fno-pie,-p -no-pie)

programs/dialects/%-p-pie: programs/dialects/plain-p.c
	$(call monitor_program,-fPIE,-p -pie)

programs/dialects/%-p-fentry: programs/dialects/plain-p.c
	$(call monitor_program,-fno-pie -mfentry,-p -no-pie)

programs/dialects/solaris-marks-%: programs/dialects/solaris-marks.c
	$(call monitor_program,-fno-pie -DMARK -$*,-p -no-pie)
