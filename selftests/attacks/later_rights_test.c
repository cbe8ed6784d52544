// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rights are asked for again at fork and at exec, by the rules of ptrace(2): a child of a process
 * that has become undumpable is not sampled, nor is a program that the kernel or a security module
 * runs as a secure one. Who has CAP_SYS_PTRACE in a user namespace goes on.
 */
#include <linux/capability.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "executable.h"
#include "files.h"

#define USER		61112	/* uids that no other test uses: this one and the next */
#define USER_PAGES	64

/* What the watcher, a child of the test, has seen */
struct report {
	pid_t child;
	bool denied;		/* flag of the FORK or EXEC record of the child */
	bool sampled;
	bool mapped;		/* there are MAP records of the child */
	bool exited;		/* there is its EXIT record */
};

FIXTURE(later) {
	int device;
	struct report *report;
	char dir[32];
	char path[64];
};

FIXTURE_SETUP(later)
{
	REQUIRE_ATTACH(self->device);
	close(self->device);
	if (geteuid())
		SKIP(return, "needs root");
	self->report = map_shared(PAGE);
	ASSERT_EQ(0, make_directory(self->dir, sizeof(self->dir)));
	/* a file system with capabilities of files */
	ASSERT_EQ(0, mount("program", self->dir, "tmpfs", 0, "mode=0755"));
	snprintf(self->path, sizeof(self->path), "%s/program", self->dir);
	ASSERT_EQ(0, copy_program(self->path));
}

FIXTURE_TEARDOWN(later)
{
	umount2(self->dir, MNT_DETACH);
	rmdir(self->dir);
}

/* Attaches a target that runs @run, lets it end, and reports what the log has of its child. */
static int watch(struct _test_data_later *self, void (*run)(void *arg))
{
	struct report *report = self->report;
	const struct profil_record_fork *fork;
	const struct profil_record_exec *exec;
	struct records records = { 0 };
	struct target target;
	int error;

	self->device = open_device();
	if (self->device < 0)
		return 90;
	error = start_target(&target, self->device, run, self);
	if (!error)
		error = attach_target(self->device, &target, 0);
	if (error)
		return error;
	release(&target);
	if (read_all(&records, self->device))
		return 91;
	fork = find_record(&records, PROFIL_RECORD_FORK, report->child, 0);
	exec = find_record(&records, PROFIL_RECORD_EXEC, report->child, 0);
	if (!fork)
		return 92;
	report->denied = fork->flags & PROFIL_FORK_DENIED ||
			 (exec && exec->flags & PROFIL_EXEC_DENIED);
	report->sampled = samples_of(&records, report->child);
	report->mapped = count_records(&records, PROFIL_RECORD_MAP, report->child);
	report->exited = count_records(&records, PROFIL_RECORD_EXIT, report->child);
	free_records(&records);
	return await_end(&target).status;
}

/* --- fork --------------------------------------------------------------------- */

/* A child that uses some CPU time, and has another mapping */
static void have_child(void *data)
{
	struct _test_data_later *self = data;
	pid_t child = fork();

	if (!child) {
		map_code(PAGE);
		burn(0.1);
		_exit(0);
	}
	self->report->child = child;
	_exit(wait_for(child));
}

static void become_undumpable(void *data)
{
	prctl(PR_SET_DUMPABLE, 0);
	have_child(data);
}

static int become_watcher(void)
{
	return become_user(USER, USER_PAGES) || prctl(PR_SET_DUMPABLE, 1);
}

static void expect(struct __test_metadata *_metadata, const struct _test_data_later *self,
		   bool denied)
{
	EXPECT_EQ(denied, self->report->denied);
	EXPECT_EQ(!denied, self->report->sampled);
	EXPECT_EQ(!denied, self->report->mapped);
	EXPECT_TRUE(self->report->exited);
}

static void watch_as_user(struct __test_metadata *_metadata, struct _test_data_later *self,
			  void (*run)(void *arg))
{
	pid_t watcher = fork();

	if (!watcher)
		_exit(become_watcher() ? 89 : watch(self, run));
	ASSERT_EQ(0, wait_for(watcher));
}

/* The control */
TEST_F(later, child_is_sampled)
{
	watch_as_user(_metadata, self, have_child);
	expect(_metadata, self, false);
}

TEST_F(later, undumpable_child_is_not_sampled)
{
	watch_as_user(_metadata, self, become_undumpable);
	expect(_metadata, self, true);
}

TEST_F(later, root_samples_undumpable_child)
{
	pid_t watcher = fork();

	if (!watcher)
		_exit(watch(self, become_undumpable));
	ASSERT_EQ(0, wait_for(watcher));
	expect(_metadata, self, false);
}

/* --- exec --------------------------------------------------------------------- */

/* Executes the program, which returns whether it is a secure one. */
static void execute(void *data)
{
	struct _test_data_later *self = data;
	pid_t child = fork();

	if (!child) {
		execl(self->path, "program", "secure", NULL);
		_exit(99);
	}
	self->report->child = child;
	_exit(wait_for(child));
}

static int set_capabilities(__u32 capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = capabilities, .permitted = capabilities },
	};

	return (int)syscall(SYS_capset, &header, data);
}

/* An unprivileged user who has CAP_NET_RAW, as its targets have */
static int become_watcher_with_capability(void)
{
	return prctl(PR_SET_KEEPCAPS, 1) || become_user(USER, USER_PAGES) ||
	       set_capabilities(1U << CAP_NET_RAW) || prctl(PR_SET_DUMPABLE, 1);
}

/* The file gives its program CAP_NET_RAW, which makes it a secure one for any user but root. */
static int give_capability(const char *path)
{
	const struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data = { { .permitted = 1U << CAP_NET_RAW } },
	};

	return setxattr(path, "security.capability", &data, sizeof(data), 0);
}

/*
 * The program has the same users, groups and capabilities as its watcher, and is dumpable. Only the
 * flag for a secure program shows that it has more rights. Security modules set the same flag for a
 * program in another domain.
 */
TEST_F(later, secure_program_is_not_sampled)
{
	pid_t watcher;

	ASSERT_EQ(0, give_capability(self->path));
	watcher = fork();
	if (!watcher)
		_exit(become_watcher_with_capability() ? 89 : watch(self, execute));
	ASSERT_EQ(true, wait_for(watcher));
	EXPECT_TRUE(self->report->denied);
	EXPECT_FALSE(self->report->mapped);
	EXPECT_TRUE(self->report->exited);
}

/* The control: the same user and program, without the capability of the file */
TEST_F(later, ordinary_program_is_sampled)
{
	pid_t watcher = fork();

	if (!watcher)
		_exit(become_watcher_with_capability() ? 89 : watch(self, execute));
	ASSERT_EQ(0, wait_for(watcher));
	expect(_metadata, self, false);
}

/* --- user namespaces ---------------------------------------------------------- */

/* As another user of the namespace, which its root may trace */
static void execute_as_other_user(void *data)
{
	if (setresgid(1, 1, 1) || setresuid(1, 1, 1))
		_exit(97);
	execute(data);
}

/* Root of a new user namespace, in a program that has started there. */
static int watch_in_namespace(const char *path, struct report *report)
{
	struct _test_data_later data = { .report = report };

	snprintf(data.path, sizeof(data.path), "%s", path);
	return watch(&data, execute_as_other_user);
}

static int map_ids(pid_t pid, const char *name)
{
	char path[64], map[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	snprintf(map, sizeof(map), "0 %d 2\n", USER);
	return write_text(path, map);
}

/* Waits for its IDs, and executes this program again as the root of a new user namespace. */
static void enter_namespace(const struct _test_data_later *self, int unshared, int mapped, int file)
{
	char report[16];

	snprintf(report, sizeof(report), "%d", file);
	if (become_user(USER, USER_PAGES) || unshare(CLONE_NEWUSER) || send_byte(unshared) ||
	    receive_byte(mapped) || setresgid(0, 0, 0) || setresuid(0, 0, 0))
		_exit(89);
	execl(self->path, "program", "namespace", report, self->path, NULL);
	_exit(99);
}

TEST_F(later, root_of_a_namespace_samples_its_users)
{
	int unshared[2], mapped[2], file = memfd_create("report", 0);
	pid_t watcher;

	ASSERT_EQ(0, ftruncate(file, (off_t)PAGE));
	self->report = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_EQ(0, pipe2(unshared, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(mapped, O_CLOEXEC));
	watcher = fork();
	if (!watcher)
		enter_namespace(self, unshared[1], mapped[0], file);
	ASSERT_EQ(0, receive_byte(unshared[0]));
	ASSERT_EQ(0, map_ids(watcher, "uid_map"));
	ASSERT_EQ(0, map_ids(watcher, "gid_map"));
	ASSERT_EQ(0, send_byte(mapped[1]));
	ASSERT_EQ(0, wait_for(watcher));
	expect(_metadata, self, false);
	close(file);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "secure")) {
		burn(0.1);
		return (int)getauxval(AT_SECURE);
	}
	if (argc == 4 && !strcmp(argv[1], "namespace"))
		return watch_in_namespace(argv[3], mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
							MAP_SHARED, atoi(argv[2]), 0));
	return test_harness_run(argc, argv);
}
