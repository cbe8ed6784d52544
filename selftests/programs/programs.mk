# SPDX-License-Identifier: GPL-2.0-only
# Programs that the tests run and profile, with their static, non-PIE and musl variants.

# musl, another C library, if it is installed
MUSL := $(shell command -v musl-gcc)
# The compiler of Go, if it is installed
GO := $(shell command -v go)
PG_PROGS := programs/pg $(addprefix programs/pg,-no-pie -linked -static -static-pie)
FOLLOW_LIBRARIES := $(addprefix programs/follow-libraries/,libfollow.so libother.so)
TEST_GEN_FILES += $(addprefix programs/,cpu_time session steps storm callers monread pool spin spin-no-pie \
	spin-static forks forks-static follow jit fallback fallback-linux099 fallback-static old \
	unaligned madecode rates version-1 version-2 version-1-noid version-2-noid \
	$(if $(MUSL),spin-musl follow-musl) $(if $(GO),spin-go)) $(FOLLOW_LIBRARIES) $(PG_PROGS) \
	$(addprefix programs/,kept plug.so plug-other.so)

# as in ../Makefile, all headers
PROGRAM_HEADERS := $(wildcard programs/*.h)
programs/%-no-pie: programs/%.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -no-pie -o $@ $<

programs/%-static: programs/%.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $<

programs/%-musl: programs/%.c $(PROGRAM_HEADERS)
	$(MUSL) -O2 -std=gnu11 -D_GNU_SOURCE $(LDFLAGS) -o $@ $< $(LDLIBS)

programs/%-go: programs/%.go
	CGO_ENABLED=0 GO111MODULE=off $(GO) build -trimpath -ldflags=-buildid= -o $@ $<

# The libraries that follow loads are found by its RUNPATH alone.
FOLLOW_PATH := -Wl,--enable-new-dtags,-rpath,'$$ORIGIN/follow-libraries'
programs/follow: LDLIBS := -ldl $(FOLLOW_PATH)
programs/follow-musl: LDLIBS := $(FOLLOW_PATH)

# Independent of the C library
programs/follow-libraries/lib%.so: programs/libfollow.c
	mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -fPIC -nostdlib -Dspin_follow=spin_$* -o $@ $<

# Two programs with other functions at the same addresses, with and without a build-id
programs/version-1 programs/version-1-noid: version := 1
programs/version-2 programs/version-2-noid: version := 2
programs/version-%-noid: programs/version.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -DVERSION=$(version) -Wl,--build-id=none -o $@ $<

programs/version-%: programs/version.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -DVERSION=$(version) -o $@ $<

# A program that is built without libprofil, like programs from before it existed
programs/old: programs/old.c
	$(CC) -O2 -g -Wall -Wextra $(LDFLAGS) -o $@ $<

programs/fallback: programs/fallback.c ../lib/libprofil.so
	$(CC) $(CFLAGS) $(LDFLAGS) -no-pie -o $@ $< ../lib/libprofil.so \
		-Wl,-rpath,'$$ORIGIN/../../lib'

# Its linker drops libprofil.so, which is then loaded after the C library
programs/fallback-linux099: programs/fallback.c ../lib/libprofil-linux099.so
	$(CC) $(CFLAGS) $(LDFLAGS) -no-pie -o $@ $< -Wl,--as-needed \
		../lib/libprofil-linux099.so -Wl,-rpath-link,../lib \
		-Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../../lib'

programs/fallback-static: programs/fallback.c ../lib/libprofil.a
	$(CC) $(CFLAGS) $(LDFLAGS) -static -Wl,-u,__profil -o $@ $< ../lib/libprofil.a

# Programs compiled with -pg
PG_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -pg
programs/pg: pg_flags := -fPIE -pie
programs/pg-no-pie: pg_flags := -no-pie
programs/pg-linked: pg_flags := ../lib/libprofil.so -Wl,-rpath,'$$ORIGIN/../../lib'
programs/pg-static: pg_flags := -static ../lib/libprofil.a
programs/pg-static-pie: pg_flags := -fPIE -static-pie ../lib/libprofil.a
$(PG_PROGS): programs/pg.c ../lib/libprofil.so ../lib/libprofil.a
	$(CC) $(PG_CFLAGS) $(LDFLAGS) -o $@ $< $(pg_flags)

# A program and shared objects, each compiled with -pg
programs/kept: programs/kept.c programs/plug.h
	$(CC) $(PG_CFLAGS) $(LDFLAGS) -o $@ $< -ldl

programs/plug.so programs/plug-other.so: programs/plug.c programs/plug.h
	$(CC) $(PG_CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<
