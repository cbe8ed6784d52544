# SPDX-License-Identifier: GPL-2.0-only
# Programs for the tests of libprofil and the command, with their static, non-PIE and musl variants

PLAIN += cpu_time named stacks monread pool spin forks follow jit unaligned madecode
FOLLOW_LIBRARIES := $(addprefix follow-libraries/,libfollow.so libother.so)
# musl, another C library, if it is installed
MUSL := $(shell command -v musl-gcc)
# The compiler of Go, if it is installed
GO := $(shell command -v go)
TEST_GEN_FILES += spin-no-pie spin-static forks-static old version-1 version-2 version-1-noid \
	version-2-noid $(if $(MUSL),spin-musl follow-musl) $(if $(GO),spin-go) $(FOLLOW_LIBRARIES)

# with libprofil
PG_PROGS := pg $(addprefix pg-,no-pie linked static static-pie)
TEST_GEN_FILES += fallback fallback-linux099 fallback-static $(PG_PROGS) kept plug.so plug-other.so

include ../kselftest.mk

# Its line table is that of the source
$(OUTPUT)/named: named.c
	$(CC) $(CFLAGS) -g0 -DLINES=1000000 $(LDFLAGS) -o $@ $<

PROGRAM_HEADERS := $(wildcard *.h)
$(OUTPUT)/%-no-pie: %.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -no-pie -o $@ $<

$(OUTPUT)/%-static: %.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $<

$(OUTPUT)/%-musl: %.c $(PROGRAM_HEADERS)
	$(MUSL) -O2 -std=gnu11 -D_GNU_SOURCE $(LDFLAGS) -o $@ $< $(LDLIBS)

$(OUTPUT)/%-go: %.go
	CGO_ENABLED=0 GO111MODULE=off $(GO) build -trimpath -ldflags=-buildid= -o $@ $<

# The libraries that follow loads are found by its RUNPATH alone.
FOLLOW_PATH := -Wl,--enable-new-dtags,-rpath,'$$ORIGIN/follow-libraries'
$(OUTPUT)/follow: LDLIBS := -ldl $(FOLLOW_PATH)
$(OUTPUT)/follow-musl: LDLIBS := $(FOLLOW_PATH)

# Independent of the C library
$(OUTPUT)/follow-libraries/lib%.so: libfollow.c
	mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -fPIC -nostdlib -Dspin_follow=spin_$* -o $@ $<

# Two programs with other functions at the same addresses, with and without a build-id
$(OUTPUT)/version-1 $(OUTPUT)/version-1-noid: version := 1
$(OUTPUT)/version-2 $(OUTPUT)/version-2-noid: version := 2
$(OUTPUT)/version-%-noid: version.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -DVERSION=$(version) -Wl,--build-id=none -o $@ $<

$(OUTPUT)/version-%: version.c $(PROGRAM_HEADERS)
	$(CC) $(CFLAGS) $(LDFLAGS) -DVERSION=$(version) -o $@ $<

# A program that is built without libprofil, like programs from before it existed
$(OUTPUT)/old: old.c
	$(CC) -O2 -g -Wall -Wextra $(LDFLAGS) -o $@ $<

$(OUTPUT)/fallback: fallback.c $(LIBPROFIL)/libprofil.so
	$(CC) $(CFLAGS) $(LDFLAGS) -no-pie -o $@ $< $(LIBPROFIL)/libprofil.so \
		-Wl,-rpath,'$$ORIGIN/../../lib'

# Its linker drops libprofil.so, which is then loaded after the C library
$(OUTPUT)/fallback-linux099: fallback.c $(LIBPROFIL)/libprofil-linux099.so
	$(CC) $(CFLAGS) $(LDFLAGS) -no-pie -o $@ $< -Wl,--as-needed \
		$(LIBPROFIL)/libprofil-linux099.so -Wl,-rpath-link,$(LIBPROFIL) \
		-Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../../lib'

$(OUTPUT)/fallback-static: fallback.c $(LIBPROFIL)/libprofil.a
	$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $< $(LIBPROFIL)/libprofil.a

# Programs compiled with -pg
PG_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wshadow -pg
$(OUTPUT)/pg: pg_flags := -fPIE -pie
$(OUTPUT)/pg-no-pie: pg_flags := -no-pie
$(OUTPUT)/pg-linked: pg_flags := $(LIBPROFIL)/libprofil.so -Wl,-rpath,'$$ORIGIN/../../lib'
$(OUTPUT)/pg-static: pg_flags := -static $(LIBPROFIL)/libprofil.a
$(OUTPUT)/pg-static-pie: pg_flags := -fPIE -static-pie $(LIBPROFIL)/libprofil.a
$(PG_PROGS:%=$(OUTPUT)/%): pg.c $(LIBPROFIL)/libprofil.so $(LIBPROFIL)/libprofil.a
	$(CC) $(PG_CFLAGS) $(LDFLAGS) -o $@ $< $(pg_flags)

# A program and shared objects, each compiled with -pg
$(OUTPUT)/kept: kept.c plug.h
	$(CC) $(PG_CFLAGS) $(LDFLAGS) -o $@ $< -ldl

$(OUTPUT)/plug.so $(OUTPUT)/plug-other.so: plug.c plug.h
	$(CC) $(PG_CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<

# with the folder of its libraries
override define INSTALL_RULE
	mkdir -p $(INSTALL_PATH)
	cd $(OUTPUT) && rsync -aR $(TEST_GEN_FILES:$(OUTPUT)/%=%) $(INSTALL_PATH)/
endef
