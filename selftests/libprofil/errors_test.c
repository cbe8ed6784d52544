// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of profil() that fail, in each dialect: the return value, the message on standard error,
 * and whether the earlier profile continues. Those of AIX are in aix_test.c.
 */
#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "kselftest_harness.h"
#include "profile/dialect_calls.h"
#include "profile/scene.h"

#define SOME_USER	7301	/* a uid that no other test charges */

FIXTURE(errors) {
	struct scene scene;
};

FIXTURE_SETUP(errors)
{
	SET_SCENE(&self->scene);
}

FIXTURE_TEARDOWN(errors)
{
	clear_scene(&self->scene);
}

/* Addresses that the manual page of 4.4BSD calls illegal; the last one is legal. */
static void *illegal_address(int nr)
{
	static const char text[] = "constant";
	char *pages;

	switch (nr) {
	case 0:
		return NULL;
	case 1:
		return (void *)8;
	case 2:	/* the kernel's half of the address space */
		return (void *)(UINTPTR_MAX / PAGE * PAGE - 16 * PAGE);
	case 3:
		return (void *)((uintptr_t)text & ~(uintptr_t)1);
	case 4:
		return mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	case 5:
		return mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	case 6:	/* the last counter is unmapped */
		pages = map_memory(2 * PAGE);
		munmap(pages + PAGE, PAGE);
		return pages + PAGE - 0x400 + 2;
	case 7:	/* legal: the last byte, at an odd size, is in no counter */
		pages = map_memory(2 * PAGE);
		munmap(pages + PAGE, PAGE);
		return pages + PAGE - 0x400;
	}
	return MAP_FAILED;
}

static int bsd(const struct scene *scene, unsigned int scale)
{
	return profil_bsd((char *)scene->counters, scene->bytes, offset_of(scene), scale);
}

TEST_F(errors, bsd_illegal_address_ends_profile)
{
	struct scene *scene = &self->scene;
	int i;

	for (i = 0; i < 7; i++) {
		/* "profiling is terminated" */
		ASSERT_EQ(0, bsd(scene, WHOLE));
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		errno = 0;
		EXPECT_EQ(-1, profil_bsd(illegal_address(i), 0x400, offset_of(scene), WHOLE)) {
			TH_LOG("address %d", i);
		}
		EXPECT_EQ(EFAULT, errno);
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		EXPECT_TRUE(is_silent(scene));
		/* "if the scale value is nonzero" */
		EXPECT_EQ(0, profil_bsd(illegal_address(i), 0x400, offset_of(scene), 0));
	}
	EXPECT_EQ(0, profil_bsd(illegal_address(7), 0x401, offset_of(scene), WHOLE));
	EXPECT_EQ(PROFIL_STATE_RUNNING, scene_state(scene));
}

/* "char *samples" may have any address. The kernel needs an even one: profil-dialects(7). */
TEST_F(errors, bsd_odd_address_is_refused)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, bsd(scene, WHOLE));
	errno = 0;
	EXPECT_EQ(-1, profil_bsd((char *)scene->counters + 1, 0x400, offset_of(scene), WHOLE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

static const unsigned int too_high[] = { 65537, 0x20000, 0x80000000,
					 0xffffffff };

TEST_F(errors, bsd_scale_above_65536_is_refused)
{
	struct scene *scene = &self->scene;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(too_high); i++) {
		stop(scene->fd);
		errno = 0;
		EXPECT_EQ(-1, bsd(scene, too_high[i]));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		/* it does not end the profile, and is checked before the address */
		ASSERT_EQ(0, bsd(scene, WHOLE));
		EXPECT_EQ(-1, profil_bsd(NULL, scene->bytes, 0, too_high[i]));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
	}
}

/* Over RLIMIT_MEMLOCK, the call fails and ends the earlier profile. */
static int bsd_over_memlock(const struct scene *scene)
{
	if (become_user(SOME_USER, 2))
		return 1;
	if (profil_bsd((char *)scene->counters, PAGE, offset_of(scene), WHOLE))
		return 2;
	if (!counts_at(scene, NEAR, 1))
		return 3;
	/* two pages more than the one that is locked */
	if (bsd(scene, WHOLE) != -1)
		return 4;
	if (errno != ENOMEM)
		return 5;
	return scene_state(scene) == PROFIL_STATE_OFF && is_silent(scene) ? 0 : 6;
}

TEST_F(errors, bsd_buffer_over_memlock_ends_profile)
{
	EXPECT_EQ(0, in_child(bsd_over_memlock, &self->scene));
}

/*
 * Where the manual page has no errors, the library prints a line on standard error, once for each
 * error, and turns profiling off.
 */
static const struct {
	const char *name;
	dialect_call *call;
} without_errors[] = {
	{ "profil_solaris", call_solaris },
	{ "profil_osf1", call_osf1 },
	{ "profil_svid", call_svid },
	{ "profil_linux099", call_linux099 },
};

TEST_F(errors, others_print_one_line)
{
	struct scene *scene = &self->scene;
	char *odd = (char *)scene->counters + 1;
	struct stderr_capture captured;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(without_errors); i++) {
		dialect_call *refused = without_errors[i].call;
		/* the message has been printed for the first function */
		bool printed = i;
		bool returns_error = refused != call_linux099;

		ASSERT_EQ(0, profil_osf1((short *)scene->counters, scene->bytes,
					 offset_of(scene), WHOLE));
		errno = 0;
		capture_stderr(&captured);
		EXPECT_EQ(returns_error ? -1 : 0, refused(odd, 0x400, offset_of(scene), WHOLE));
		EXPECT_EQ(returns_error ? EINVAL : 0, errno);
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		refused(odd, 0x400, offset_of(scene), WHOLE);
		end_capture(&captured);
		EXPECT_EQ(!printed, count_lines(captured.text));
		if (!printed) {
			EXPECT_NE(NULL, strstr(captured.text, without_errors[i].name));
			EXPECT_NE(NULL, strstr(captured.text, "EINVAL"));
		}
		EXPECT_TRUE(is_silent(scene));
	}
}

/*
 * NULL is like any other address that cannot be written: the profile ends when a counter is needed.
 */
TEST_F(errors, null_faults_when_needed)
{
	struct scene *scene = &self->scene;
	int i;

	/* in the last one, NULL turns profiling off */
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, without_errors[i].call(NULL, scene->bytes, offset_of(scene), WHOLE));
		EXPECT_EQ(PROFIL_STATE_RUNNING, scene_state(scene));
		EXPECT_EQ(PROFIL_STATE_FAULT, stay(scene, NEAR, 1).state);
	}
}

/* No program can ever have memory there, so it is an error of the call. */
TEST_F(errors, kernel_address_is_refused)
{
	struct scene *scene = &self->scene;
	struct stderr_capture captured;
	int i;

	capture_stderr(&captured);
	/* the last one sends a signal */
	for (i = 0; i < 3; i++) {
		errno = 0;
		EXPECT_EQ(-1, without_errors[i].call(illegal_address(2), 0x400, offset_of(scene),
						     WHOLE));
		EXPECT_EQ(EFAULT, errno);
	}
	end_capture(&captured);
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

static int linux099(const struct scene *scene, void *buf, int bytes)
{
	return profil_linux099(buf, bytes, offset_of(scene), WHOLE);
}

/* With an RLIMIT_MEMLOCK of 0, samples are lost, without a signal. */
static int linux099_over_memlock(const struct scene *scene)
{
	struct profil_status status;

	if (become_user(SOME_USER, 0) || linux099(scene, scene->counters, (int)scene->bytes))
		return 1;
	stay(scene, NEAR, 2);
	status = stop(scene->fd);
	return status.state == PROFIL_STATE_RUNNING && status.lost >= 2 &&
	       !status.counted ? 0 : 2;
}

TEST_F(errors, linux099_samples_over_memlock_are_lost)
{
	EXPECT_EQ(0, in_child(linux099_over_memlock, &self->scene));
}

/*
 * "Null wird immer zurueckgegeben" (zero is always returned), and the arguments that turn profiling
 * off in this dialect only.
 */
TEST_F(errors, linux099_always_returns_0)
{
	struct scene *scene = &self->scene;
	struct stderr_capture captured;
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, linux099(scene, scene->counters, (int)scene->bytes));
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		errno = 0;
		switch (i) {
		case 0:
			EXPECT_EQ(0, linux099(scene, NULL, 0x400));
			break;
		case 1:
			EXPECT_EQ(0, linux099(scene, scene->counters, 0));
			break;
		case 2:
			EXPECT_EQ(0, profil_linux099((char *)scene->counters, 0x400, 0, -1));
			break;
		case 3:
			EXPECT_EQ(0, profil_linux099((char *)scene->counters, 0x400, 0, INT_MIN));
			break;
		case 4:	/* almost 4 GiB as unsigned: too large */
			capture_stderr(&captured);
			EXPECT_EQ(0, linux099(scene, scene->counters, -2));
			EXPECT_NE(NULL, strstr(end_capture(&captured), "E2BIG"));
			break;
		}
		EXPECT_EQ(0, errno);
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		EXPECT_TRUE(is_silent(scene));
	}
}

/* No program can ever have memory there, so the call sends the signal. */
static int linux099_in_the_kernel(const struct scene *scene)
{
	struct stderr_capture captured;

	capture_stderr(&captured);
	linux099(scene, illegal_address(2), 0x400);
	return 0;
}

TEST_F(errors, linux099_kernel_address_kills)
{
	EXPECT_EQ(128 + SIGSEGV, in_child(linux099_in_the_kernel, &self->scene));
}

/*
 * A buffer in a shared mapping of a file that is not in memory only, as the dynamic linkers of
 * Solaris and of the C library have it. Every function refuses it at the call, because the kernel
 * could not count the first sample. Dialects without errors print a line, and no signal is sent.
 */
DIALECT_CALL(call_pcsample, ((void)offset, (void)scale, (int)pcsample(buf, bytes / sizeof(buf))))

/* It has no effect while profiling is on. */
DIALECT_CALL(call_aix_after_stop, (profil_stop(NULL), call_aix(buf, bytes, offset, scale - 1)))

static const struct refusing {
	dialect_call *call;
	bool returns_0, prints, continues;
} refusing[] = {
	{ .call = call_solaris, .prints = true },
	{ .call = call_osf1, .prints = true },
	{ .call = call_linux099, .prints = true, .returns_0 = true },
	{ .call = call_svid, .prints = true },
	{ .call = call_pcsample },
	{ .call = call_bsd },
	{ .call = call_aix_after_stop },
	{ .call = call_glibc, .continues = true },
};

static const struct refusing *refuses;	/* of refuses_file() */

/* ramfs: its pages are in memory, but it does not let them be pinned, as file systems on disks. */
static void *map_ramfs_file(void)
{
	int file;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/tmp", "ramfs", 0, NULL))
		return MAP_FAILED;
	file = open("/tmp/counters", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || ftruncate(file, 2 * (off_t)PAGE))
		return MAP_FAILED;
	return mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

static int refuses_file(const struct scene *scene)
{
	const bool returns_0 = refuses->returns_0, prints = refuses->prints;
	const unsigned long offset = offset_of(scene);
	struct stderr_capture captured;
	char *file = map_ramfs_file();
	int result;

	if (file == MAP_FAILED)
		return 100;
	if (profil_osf1((short *)scene->counters, scene->bytes, offset_of(scene), WHOLE))
		return 1;
	capture_stderr(&captured);
	errno = 0;
	result = refuses->call(file, scene->bytes, offset, WHOLE);
	end_capture(&captured);
	if (result != (returns_0 ? 0 : -1) || errno != (returns_0 ? 0 : EOPNOTSUPP))
		return 2;
	if (count_lines(captured.text) != prints ||
	    (prints && !strstr(captured.text, "shared mappings of files on disk")))
		return 3;
	if ((scene_state(scene) == PROFIL_STATE_RUNNING) != refuses->continues)
		return 4;
	if (!prints)
		return 0;
	/* also after a missing page; not if the mapping does not permit to write the file */
	munmap(file, PAGE);
	refuses->call(file, scene->bytes, offset, WHOLE);
	if (scene_state(scene) != PROFIL_STATE_OFF)
		return 5;
	mprotect(file + PAGE, PAGE, PROT_READ);
	refuses->call(file, scene->bytes, offset, WHOLE);
	return scene_state(scene) == PROFIL_STATE_RUNNING ? 0 : 6;
}

TEST_F(errors, shared_file_is_refused)
{
	for (refuses = refusing; refuses < refusing + ARRAY_SIZE(refusing); refuses++) {
		int status = in_child(refuses_file, &self->scene);

		if (status == 100)
			SKIP(return, "no permission to mount");
		EXPECT_EQ(0, status) {
			TH_LOG("function %d", (int)(refuses - refusing));
		}
	}
}

/* Read-only pages are like missing pages: the first sample that needs one sends SIGSEGV. */
static bool *counted_before;	/* in shared memory */

static int linux099_read_only(const struct scene *scene)
{
	mprotect((char *)scene->counters + PAGE, PAGE, PROT_READ);
	linux099(scene, scene->counters, (int)scene->bytes);
	*counted_before = counts_at(scene, NEAR, 2);
	stay_until_killed(scene);
	return 0;
}

TEST_F(errors, linux099_read_only_counter_kills)
{
	counted_before = map_shared(PAGE);
	EXPECT_EQ(128 + SIGSEGV, in_child(linux099_read_only, &self->scene));
	EXPECT_TRUE(*counted_before);
}

/* A program that handles SIGSEGV continues without a profile. */
static volatile sig_atomic_t signals;

static void on_fault(int number)
{
	(void)number;
	signals++;
}

TEST_F(errors, linux099_handled_signal_ends_profile)
{
	struct scene *scene = &self->scene;
	struct sigaction action = { .sa_handler = on_fault };

	ASSERT_EQ(0, sigaction(SIGSEGV, &action, NULL));
	take_away_far(scene);
	EXPECT_EQ(0, linux099(scene, scene->counters, (int)scene->bytes));
	EXPECT_EQ(PROFIL_STATE_FAULT, stay(scene, FAR, 1).state);
	EXPECT_EQ(1, signals);
	EXPECT_TRUE(is_silent(scene));
	EXPECT_EQ(1, signals);
}

/* In the dialect of glibc, an earlier profile continues. */
TEST_F(errors, glibc_illegal_address_keeps_profile)
{
	struct scene *scene = &self->scene;
	int i;

	ASSERT_EQ(0, profil(scene->counters, scene->bytes, offset_of(scene), WHOLE));
	/* from 1: NULL turns profiling off in this dialect */
	for (i = 1; i < 7; i++) {
		errno = 0;
		EXPECT_EQ(-1, profil(illegal_address(i), 0x400, offset_of(scene), WHOLE)) {
			TH_LOG("address %d", i);
		}
		EXPECT_EQ(EFAULT, errno);
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
	}
}

/*
 * Without the device, turning profiling off succeeds, and all other calls together print one line.
 * These dialects do not fall back to the C library's profil(), which has a different rule.
 */
static dialect_call *const dialects[] = {
	call_solaris, call_bsd, call_osf1, call_aix, call_svid, call_linux099,
};

static int call_dialect(const struct scene *scene, int which, unsigned int scale)
{
	errno = 0;
	return dialects[which](scene->counters, 0x400, 0, scale);
}

/* Gives this process an empty /dev of its own. */
static int mount_empty_dev(void)
{
	return unshare(CLONE_NEWNS) ||
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", "/dev", "tmpfs", 0, NULL);
}

static int without_device(const struct scene *scene)
{
	struct stderr_capture captured;
	int i, wrong = 0;

	if (mount_empty_dev())
		return 100;
	capture_stderr(&captured);
	for (i = 0; i < 6; i++)
		wrong += call_dialect(scene, i, 0) || errno;
	if (wrong || count_lines(end_capture(&captured)))
		return 1;
	capture_stderr(&captured);
	for (i = 0; i < 5; i++)
		wrong += call_dialect(scene, i, 0x8000) != -1 || errno != ENOENT;
	/* linux099 always returns 0 */
	wrong += call_dialect(scene, i, 0x8000) || errno;
	if (wrong)
		return 2;
	return count_lines(end_capture(&captured)) == 1 && strstr(captured.text, "this /dev") ?
		0 : 3;
}

TEST_F(errors, without_device_only_off_succeeds)
{
	int status = in_child(without_device, &self->scene);

	if (status == 100)
		SKIP(return, "no permission to mount");
	EXPECT_EQ(0, status);
}

/*
 * The reasons why the device cannot be opened, and the remedy in the message. Each runs in its own
 * process, since a process prints only one such message.
 */
static const struct open_failure {
	int error;
	const char *remedy;
} open_failures[] = {
	{ ENOENT, "the module is loaded, but this /dev" },
	{ ENXIO, "the module is loaded, but this node" },
	{ ENODEV, "the module is loaded, but this node" },
	{ EACCES, "grant read and write permission" },
	{ EMFILE, "ulimit -n" },
	{ EISDIR, "see open(2)" },
};

static const struct open_failure *failure;

/* Makes opening the device fail with this error. */
static int break_device(int error)
{
	static const char device[] = "/dev/profil";
	struct rlimit none = { 0, 0 };
	struct stat stat_buf;

	if (stat(device, &stat_buf))
		return 1;
	if (mount_empty_dev())
		return 100;
	switch (error) {
	case ENXIO:	/* a device number without a driver */
		return mknod(device, S_IFCHR | 0666, makedev(0xeef, 0));
	case ENODEV:	/* the driver's major with an unused minor (below 256: Linux 6.1) */
		return mknod(device, S_IFCHR | 0666, makedev(major(stat_buf.st_rdev), 254));
	case EISDIR:
		return mkdir(device, 0777);
	case EACCES:
		return mknod(device, S_IFCHR | 0600, stat_buf.st_rdev) ||
		       become_user(SOME_USER, 0);
	case EMFILE:
		return setrlimit(RLIMIT_NOFILE, &none);
	}
	return 0;
}

static int open_fails(const struct scene *scene)
{
	struct stderr_capture captured;
	int status, i;

	capture_stderr(&captured);
	status = break_device(failure->error);
	if (status)
		return status;
	for (i = 0; i < 2; i++)
		if (profil_osf1((short *)scene->counters, 0x400, 0, WHOLE) !=
		    -1 || errno != failure->error)
			return 2;
	return count_lines(end_capture(&captured)) == 1 && strstr(captured.text, failure->remedy) ?
		0 : 3;
}

TEST_F(errors, open_error_names_remedy)
{
	int status;

	for (failure = open_failures; failure < open_failures + ARRAY_SIZE(open_failures);
	     failure++) {
		status = in_child(open_fails, &self->scene);
		if (status == 100)
			SKIP(return, "no permission to mount");
		EXPECT_EQ(0, status) {
			TH_LOG("%s", strerrorname_np(failure->error));
		}
	}
}

TEST_HARNESS_MAIN
