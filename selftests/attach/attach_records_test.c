// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of what attached processes do: fork, exec, executable mappings, exit, and their order.
 */
#include <limits.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "executable.h"
#include "files.h"
#include "kernel/version.h"
#include "profile/expect_count.h"

/* What a target and the programs that it executes report, in a memory file */
struct report {
	char dir[32];
	char path[2][64];	/* of files that the test has made there */
	pid_t child[4];
	uintptr_t at[6];
	uint64_t vdso;
	char maps[1 << 14];	/* /proc/self/maps of the new program */
	char exe[256];
	int64_t children;	/* CPU time, in ns */
};

FIXTURE(records) {
	int device;
	struct target target;
	struct records records;
	int file;
	struct report *report;
};

static struct report *report_in(int file)
{
	return mmap(NULL, sizeof(struct report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

FIXTURE_SETUP(records)
{
	int i;

	REQUIRE_ATTACH(self->device);
	self->target.pid = -1;
	self->records = (struct records) { 0 };
	self->file = memfd_create("report", 0);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, sizeof(struct report)));
	self->report = report_in(self->file);
	ASSERT_NE(MAP_FAILED, self->report);
	ASSERT_EQ(0, make_directory(self->report->dir, sizeof(self->report->dir)));
	for (i = 0; i < 2; i++)
		snprintf(self->report->path[i], sizeof(self->report->path[i]), "%s/file-%d",
			 self->report->dir, i);
}

FIXTURE_TEARDOWN(records)
{
	kill_target(&self->target);
	free_records(&self->records);
	remove_tree(self->report->dir);
	close(self->device);
}

/* Returns the target's pid. */
static pid_t prepare(struct __test_metadata *_metadata, struct _test_data_records *self,
		     void (*run)(void *arg))
{
	ASSERT_EQ(0, start_target(&self->target, self->device, run, self));
	return self->target.pid;
}

/*
 * Runs the target to its end and reads its records. What holds for all processes: FORK comes first,
 * EXIT comes last, and nothing is missing.
 */
static struct end finish(struct __test_metadata *_metadata, struct _test_data_records *self)
{
	struct end end;

	release(&self->target);
	EXPECT_EQ(0, read_all(&self->records, self->device));
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_LOST, ANY));
	EACH_RECORD(record, &self->records) {
		const struct profil_record *later = record;

		if (record->type == PROFIL_RECORD_EXIT) {
			while ((later = next_record(&self->records, later)))
				EXPECT_NE(record->pid, later->pid);
		}
	}
	end = await_end(&self->target);
	return end;
}

/* Whether the records of @pid begin with a FORK by @parent, and end with an EXIT */
static bool is_followed(const struct records *records, pid_t pid, pid_t parent)
{
	const struct profil_record_fork *fork = NULL;
	bool exited = false;

	EACH_RECORD(record, records) {
		if (record->pid != pid)
			continue;
		if (!fork && record->type != PROFIL_RECORD_FORK)
			return false;
		if (!fork)
			fork = (const void *)record;
		exited = record->type == PROFIL_RECORD_EXIT;
	}
	return fork && fork->parent == parent && exited &&
	       count_records(records, PROFIL_RECORD_FORK, pid) == 1;
}

static pid_t __attribute__((noinline)) vfork_child(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	return pid;
}

static int exit_at_once(void *unused)
{
	(void)unused;
	_exit(0);
}

static void *do_nothing(void *unused)
{
	return unused;
}

/* One process of each kind, and a thread, which is none */
static void fork_in_all_ways(void *data)
{
	struct report *report = ((struct _test_data_records *)data)->report;
	static char stack[1 << 14] __attribute__((aligned(16)));
	pthread_t thread;
	pid_t pid = fork();
	int i;

	if (!pid) {
		/* a child of a child */
		pid = fork();
		if (!pid)
			_exit(0);
		report->child[3] = pid;
		_exit(wait_for(pid));
	}
	report->child[0] = pid;
	report->child[1] = vfork_child();
	report->child[2] = clone(exit_at_once, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	pthread_create(&thread, NULL, do_nothing, NULL);
	pthread_join(thread, NULL);
	for (i = 0; i < 3; i++)
		wait_for(report->child[i]);
}

TEST_F(records, forks)
{
	pid_t pid = prepare(_metadata, self, fork_in_all_ways);
	struct report *report = self->report;
	const struct profil_record_fork *fork;
	int i;

	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(is_followed(&self->records, report->child[i], pid));
	/* with its parent's memory: the ones made by vfork(2) and by clone(2) */
	for (i = 0; i < 4; i++) {
		fork = find_record(&self->records, PROFIL_RECORD_FORK, report->child[i], 0);
		ASSERT_NE(NULL, fork);
		EXPECT_EQ(i == 1 || i == 2 ? PROFIL_FORK_SHARES_MEMORY : 0, fork->flags);
	}
	EXPECT_TRUE(is_followed(&self->records, report->child[3], report->child[0]));
	EXPECT_EQ(4, count_records(&self->records, PROFIL_RECORD_FORK, ANY));
	EXPECT_EQ(5, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
	EXPECT_EQ(4, log_status(self->device).forks_followed);
	EXPECT_EQ(0, log_status(self->device).fork_failures);
}

/* A binary tree of processes, in which 1022 are forked, all alive at the same time */
#define LEVELS	9

static void fork_tree(void *data)
{
	int level = 0, i;
	pid_t children[2];

	(void)data;
	do {
		for (i = 0; i < 2; i++) {
			children[i] = fork();
			if (children[i] <= 0)
				break;
		}
		if (i == 2)
			_exit(wait_for(children[0]) | wait_for(children[1]));
		if (children[i] < 0)
			_exit(1);
	} while (++level < LEVELS);
	_exit(0);
}

TEST_F_TIMEOUT(records, a_thousand_children, 300)
{
	enum { CHILDREN = (2 << LEVELS) - 2 };
	pid_t pid = prepare(_metadata, self, fork_tree);
	struct profil_attach attach = attachment(self->device, &self->target);
	unsigned int followed = 0;

	attach.log_bytes = 16 * LEAST_LOG;
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &attach));
	EXPECT_EQ(0, finish(_metadata, self).status);
	EXPECT_EQ(CHILDREN, count_records(&self->records, PROFIL_RECORD_FORK, ANY));
	EXPECT_EQ(CHILDREN + 1, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
	EXPECT_EQ(CHILDREN, log_status(self->device).forks_followed);
	EACH_RECORD(record, &self->records) {
		const struct profil_record_fork *fork = (const void *)record;

		if (record->type != PROFIL_RECORD_FORK)
			continue;
		followed += is_followed(&self->records, record->pid, fork->parent);
		EXPECT_TRUE(fork->parent == pid ||
			    find_record(&self->records, PROFIL_RECORD_FORK, fork->parent, 0));
	}
	EXPECT_EQ(CHILDREN, followed);
}

/* Executes this program again, which then carries out a task. */
static void execute(const struct _test_data_records *self, const char *path, const char *task)
{
	char file[16];

	snprintf(file, sizeof(file), "%d", self->file);
	execl(path, "program", "task", task, file, NULL);
}

static void execute_report(void *data)
{
	execute(data, "/proc/self/exe", "report");
	_exit(99);
}

/* A line of /proc/PID/maps */
struct line {
	uint64_t start, end, offset, inode;
	unsigned int major, minor;
	char mode[8];
	char path[256];
};

static bool parse_line(const char *text, struct line *line)
{
	*line = (struct line) { 0 };
	return sscanf(text, "%lx-%lx %7s %lx %x:%x %lu %255[^\n]", &line->start, &line->end,
		      line->mode, &line->offset, &line->major, &line->minor, &line->inode,
		      line->path) >= 7;
}

static bool map_equals(const struct profil_record_map *map, const struct line *line)
{
	return map && map->start <= line->start && map->end >= line->end &&
	       map->offset + (line->start - map->start) == line->offset &&
	       map->inode == line->inode && map->major == line->major &&
	       map->minor == line->minor && !strcmp(map->path, logged_path(line->path));
}

/*
 * The records describe all executable mappings of the new program: the program, its interpreter,
 * its libraries and the vdso. A record may reach beyond the mapping, if others replaced its end.
 */
TEST_F(records, mappings_of_the_new_program)
{
	pid_t pid = prepare(_metadata, self, execute_report);
	const struct profil_record_exec *exec;
	const struct profil_record *first;
	const char *text = self->report->maps;
	unsigned int lines = 0, programs = 0;
	struct line line;

	ASSERT_EQ(0, attach_target(self->device, &self->target, PROFIL_FROM_EXEC));
	EXPECT_EQ(0, finish(_metadata, self).status);
	exec = find_record(&self->records, PROFIL_RECORD_EXEC, pid, 0);
	first = next_record(&self->records, NULL);
	ASSERT_NE(NULL, first);
	ASSERT_EQ(&exec->head, first);
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXEC, ANY));
	EXPECT_EQ(0, exec->flags);
	EXPECT_STREQ("exe", exec->comm);
	for (; parse_line(text, &line); text = strchr(text, '\n') + 1) {
		if (line.mode[2] != 'x' || !strcmp(line.path, "[vsyscall]"))
			continue;
		EXPECT_TRUE(map_equals(find_map(&self->records, pid, line.start), &line)) {
			TH_LOG("no record of %s", line.path);
		}
		lines++;
	}
	/* at least the program, its interpreter and the vdso */
	EXPECT_LE(3, lines);
	EACH_RECORD(record, &self->records) {
		const struct profil_record_map *map = (const void *)record;

		if (record->type == PROFIL_RECORD_MAP && map->flags & PROFIL_MAP_PROGRAM) {
			EXPECT_STREQ(logged_path(self->report->exe), map->path);
			EXPECT_NE(NULL, find_map(&self->records, pid, self->report->at[0]));
			programs++;
		}
	}
	EXPECT_EQ(1, programs);
	EXPECT_EQ(find_map(&self->records, pid, self->report->at[0])->flags, PROFIL_MAP_PROGRAM);
}

TEST_F(records, vdso)
{
	pid_t pid = prepare(_metadata, self, execute_report);
	const struct profil_record_map *map;

	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	if (!self->report->vdso)
		SKIP(return, "no vdso");
	map = find_map(&self->records, pid, self->report->vdso);
	ASSERT_NE(NULL, map);
	EXPECT_EQ(self->report->vdso, map->start);
	EXPECT_STREQ("[vdso]", map->path);
	EXPECT_EQ(0, map->inode);
	EXPECT_EQ(0, map->flags);
}

#define CODE	(PROT_READ | PROT_EXEC)
#define DELETED	100	/* descriptor of a deleted file */
#define AS_TEXT(number) #number
#define STRING(number) AS_TEXT(number)

static void *map_file(const char *path, int protection, size_t page)
{
	int fd = open(path, O_RDONLY);
	void *at = mmap(NULL, 2 * PAGE, protection, MAP_PRIVATE, fd, (off_t)(page * PAGE));

	close(fd);
	return at;
}

static void map_in_all_ways(void *data)
{
	struct report *report = ((struct _test_data_records *)data)->report;
	void *readable;

	report->at[0] = (uintptr_t)map_file(report->path[0], CODE, 1);
	report->at[1] = (uintptr_t)map_code(PAGE);
	unlink(report->path[1]);
	report->at[2] = (uintptr_t)map_file("/proc/self/fd/" STRING(DELETED), CODE, 0);
	/* replaces a part of the first */
	report->at[3] = (uintptr_t)mmap((char *)report->at[0] + PAGE, PAGE, CODE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	readable = map_file(report->path[0], PROT_READ, 0);
	report->at[4] = (uintptr_t)readable + PAGE;
	mprotect((char *)readable + PAGE, PAGE, CODE);
	/* not logged */
	mprotect((char *)readable + PAGE, PAGE, PROT_READ);
	mremap((void *)report->at[1], PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	munmap((void *)report->at[0], PAGE);
}

static int64_t to_ns(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void expect_map(struct __test_metadata *_metadata, const struct profil_record_map *map,
		       uintptr_t at, size_t pages, size_t offset, const struct stat *file,
		       const char *path)
{
	ASSERT_NE(NULL, map);
	EXPECT_EQ(at, map->start);
	EXPECT_EQ(at + pages * PAGE, map->end);
	EXPECT_EQ(offset, map->offset);
	EXPECT_EQ(file ? file->st_ino : 0, map->inode);
	EXPECT_EQ(file ? major(file->st_dev) : 0, map->major);
	EXPECT_EQ(file ? minor(file->st_dev) : 0, map->minor);
	EXPECT_EQ(file ? file->st_size : 0, map->file_bytes);
	EXPECT_EQ(file ? to_ns(file->st_mtim) : 0, map->mtime_ns);
	/* removing a file changes its inode */
	if (file && strstr(path, "deleted")) {
		EXPECT_LE(to_ns(file->st_ctim), map->ctime_ns);
	} else {
		EXPECT_EQ(file ? to_ns(file->st_ctim) : 0, map->ctime_ns);
	}
	EXPECT_EQ(0, map->flags);
	EXPECT_STREQ(logged_path(path), map->path);
}

TEST_F(records, mappings)
{
	struct report *report = self->report;
	struct records *records = &self->records;
	char deleted[128];
	struct stat files[2];
	pid_t pid;
	int i, fd;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, make_file(report->path[i], "", 0, 0755));
		ASSERT_EQ(0, stat(report->path[i], &files[i]));
	}
	fd = open(report->path[1], O_RDONLY);
	ASSERT_EQ(DELETED, dup2(fd, DELETED));
	close(fd);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", report->path[1]);
	pid = prepare(_metadata, self, map_in_all_ways);
	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	expect_map(_metadata, find_record(records, PROFIL_RECORD_MAP, pid, 0), report->at[0], 2,
		   PAGE, &files[0], report->path[0]);
	expect_map(_metadata, find_record(records, PROFIL_RECORD_MAP, pid, 1), report->at[1], 1,
		   0, NULL, "");
	expect_map(_metadata, find_record(records, PROFIL_RECORD_MAP, pid, 2), report->at[2], 2,
		   0, &files[1], deleted);
	expect_map(_metadata, find_record(records, PROFIL_RECORD_MAP, pid, 3), report->at[3], 1,
		   0, NULL, "");
	EXPECT_EQ(report->at[0] + PAGE, report->at[3]);
	/* becomes executable later */
	expect_map(_metadata, find_record(records, PROFIL_RECORD_MAP, pid, 4), report->at[4], 1,
		   PAGE, &files[0], report->path[0]);
	EXPECT_EQ(5, count_records(records, PROFIL_RECORD_MAP, ANY));
}

/*
 * A segment of shared memory, and a heap that is executable. Then the kernel fills the stack of the
 * next program, which grows, and is executable meanwhile.
 */
static void map_in_rare_ways(void *data)
{
	const struct _test_data_records *self = data;
	int segment = shmget(IPC_PRIVATE, PAGE, 0700);
	char file[16], argument[3 * 4096];

	self->report->at[1] = (uintptr_t)shmat(segment, NULL, SHM_EXEC);
	shmctl(segment, IPC_RMID, NULL);
	personality(READ_IMPLIES_EXEC);
	self->report->at[2] = (uintptr_t)sbrk((intptr_t)PAGE);
	memset(argument, 'x', sizeof(argument) - 1);
	argument[sizeof(argument) - 1] = '\0';
	snprintf(file, sizeof(file), "%d", self->file);
	execl("/proc/self/exe", argument, "task", "report", file, NULL);
	_exit(99);
}

/* The program that executes another one has no mappings of that one. */
TEST_F(records, mappings_in_rare_ways)
{
	const struct report *report = self->report;
	const struct profil_record_map *map;
	const struct profil_record *record = NULL;
	unsigned int i;

	prepare(_metadata, self, map_in_rare_ways);
	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	for (i = 0; i < 2; i++) {
		record = next_record(&self->records, record);
		while (record && is_sample(record))
			record = next_record(&self->records, record);
		ASSERT_NE(NULL, record);
		ASSERT_EQ(PROFIL_RECORD_MAP, record->type);
		map = (const void *)record;
		EXPECT_LE(map->start, report->at[1 + i]);
		EXPECT_GE(map->end, report->at[1 + i] + PAGE);
	}
	while ((record = next_record(&self->records, record)) && is_sample(record))
		;
	ASSERT_NE(NULL, record);
	EXPECT_EQ(PROFIL_RECORD_EXEC, record->type);
}

#define DIRECTORIES	22	/* with 200 bytes each: the last path has more than PATH_MAX */

static void map_in_each_directory(void *data)
{
	struct report *report = ((struct _test_data_records *)data)->report;
	char name[201];
	int i, fd;

	memset(name, 'd', 200);
	name[200] = 0;
	if (chdir(report->dir))
		_exit(1);
	for (i = 0; i < DIRECTORIES; i++) {
		if (mkdir(name, 0755) || chdir(name))
			_exit(2);
		fd = open("file", O_RDWR | O_CREAT, 0755);
		if (fd < 0 || mmap(NULL, PAGE, CODE, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(3);
		close(fd);
	}
	while (i--)
		if (unlink("file") || chdir("..") || rmdir(name))
			_exit(4);
}

/* Each record has the whole path, or, if it has PATH_MAX bytes or more, none. */
TEST_F(records, long_paths)
{
	pid_t pid = prepare(_metadata, self, map_in_each_directory);
	const char *path = self->report->dir;
	unsigned int i;

	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	EXPECT_EQ(DIRECTORIES, count_records(&self->records, PROFIL_RECORD_MAP, pid));
	for (i = 0; i < DIRECTORIES; i++) {
		const struct profil_record_map *map =
			find_record(&self->records, PROFIL_RECORD_MAP, pid, i);
		size_t length = strlen(path) + (i + 1) * 201 + strlen("/file");

		ASSERT_NE(NULL, map);
		EXPECT_NE(0, map->inode);
		if (length >= PATH_MAX || !*logged_path(path))
			length = 0;
		EXPECT_EQ(length, strlen(map->path));
		if (map->path[0]) {
			EXPECT_EQ(0, strncmp(path, map->path, strlen(path)));
			EXPECT_STREQ("/file", map->path + length - 5);
		}
	}
}

static void fork_and_spin(void *data)
{
	pid_t pid = fork();

	(void)data;
	if (!pid) {
		burn(0.1);
		_exit(0);
	}
	burn(0.05);
	wait_for(pid);
}

/* The end tells the CPU time of all threads, to within one tick. */
TEST_F(records, exit)
{
	pid_t pid = prepare(_metadata, self, fork_and_spin);
	double tick = 1.0 / get_info(self->device).tick_hz;
	const struct profil_record_exit *record;
	struct end end;

	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	end = finish(_metadata, self);
	record = find_record(&self->records, PROFIL_RECORD_EXIT, pid, 0);
	ASSERT_NE(NULL, record);
	EXPECT_GE(end.total, (double)record->cpu_ns / 1e9);
	/* in a debug kernel, the rest of exit takes longer */
	if (counts_are_checked())
		EXPECT_LE(end.total - tick, (double)record->cpu_ns / 1e9);
	EXPECT_EQ(PROFIL_RECORD_EXIT, record->head.type);
	/* the last one */
	EXPECT_EQ(NULL, next_record(&self->records, &record->head));
	EXPECT_EQ(2, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
}

#define SHORT_LIVES	100

/*
 * For about 1 ms. It never reads its clock: with that, the kernel adds up the time. An iteration
 * has some 4 instructions.
 */
static void live_shortly(double instructions)
{
	volatile double i;

	for (i = 0; i < instructions; i += 4)
		;
	_exit(0);
}

static void fork_short_lives(void *data)
{
	struct report *report = ((struct _test_data_records *)data)->report;
	double instructions = 0.001 / instruction_seconds();
	struct rusage usage;
	pid_t pid;
	int i;

	for (i = 0; i < SHORT_LIVES; i++) {
		pid = fork();
		if (!pid)
			live_shortly(instructions);
		if (await_zombie(pid))
			_exit(1);
		wait_for(pid);
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	report->children = to_ns((struct timespec) { usage.ru_utime.tv_sec + usage.ru_stime.tv_sec,
				 (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000 });
}

/*
 * The time since the last tick is included: for a process of L ms, with a tick each T = 4 ms, that
 * is L - L^2 / 2T on average. Without it, 100 of 1.2 ms (a real machine) to 3.7 ms (8 ns per
 * instruction) have 100 to 200 ms less. A process spends some 0.1 ms in exit after its EXIT record;
 * from Linux 6.16 on the record comes before its memory is freed, which takes 1.2 ms more, at 8 ns
 * per instruction.
 */
TEST_F(records, exit_times_of_short_processes)
{
	pid_t pid = prepare(_metadata, self, fork_short_lives);
	int64_t sum = 0;

	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	EACH_RECORD(record, &self->records)
		if (record->type == PROFIL_RECORD_EXIT && record->pid != pid)
			sum += (int64_t)((const struct profil_record_exit *)record)->cpu_ns;
	TH_LOG("%d processes: %.1f ms of %.1f ms", SHORT_LIVES, (double)sum / 1e6,
	       (double)self->report->children / 1e6);
	EXPECT_GE(self->report->children, sum);
	if (counts_are_checked())
		EXPECT_LE(self->report->children - sum,
			  SHORT_LIVES * (kernel_is_before(6, 16) ? 500000LL : 2000000LL));
}

static void burn_and_execute(void *data)
{
	burn(0.05);
	execute_report(data);
}

/* A process that is not followed to the next program is left, and so are its future children. */
TEST_F(records, without_follow_exec)
{
	pid_t pid = prepare(_metadata, self, burn_and_execute);
	struct profil_attach attach = attachment(self->device, &self->target);
	const struct profil_record_exec *exec;
	const struct profil_record *next;
	struct end end;

	attach.flags = 0;
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &attach));
	end = finish(_metadata, self);
	EXPECT_EQ(0, end.status);
	EXPECT_LT(0, samples_of(&self->records, pid));
	exec = find_record(&self->records, PROFIL_RECORD_EXEC, pid, 0);
	ASSERT_NE(NULL, exec);
	EXPECT_EQ(PROFIL_EXEC_LEFT, exec->flags);
	EXPECT_LE(50000000ULL, exec->cpu_ns);
	next = next_record(&self->records, &exec->head);
	ASSERT_NE(NULL, next);
	EXPECT_EQ(PROFIL_RECORD_EXIT, next->type);
	EXPECT_EQ(pid, next->pid);
	EXPECT_EQ(NULL, next_record(&self->records, next));
}

/* With both flags, the first program is followed, and the next one is not. */
static void execute_twice(void *data)
{
	execute(data, "/proc/self/exe", "execute");
	_exit(99);
}

TEST_F(records, first_program_only)
{
	pid_t pid = prepare(_metadata, self, execute_twice);
	struct profil_attach attach = attachment(self->device, &self->target);
	const struct profil_record_exec *execs[2];
	int i;

	attach.flags = PROFIL_FROM_EXEC;
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &attach));
	EXPECT_EQ(0, finish(_metadata, self).status);
	for (i = 0; i < 2; i++) {
		execs[i] = find_record(&self->records, PROFIL_RECORD_EXEC, pid, (unsigned int)i);
		ASSERT_NE(NULL, execs[i]);
	}
	EXPECT_EQ(0, execs[0]->flags);
	EXPECT_EQ(PROFIL_EXEC_LEFT, execs[1]->flags);
	EXPECT_LE(execs[0]->cpu_ns, execs[1]->cpu_ns);
	EXPECT_EQ(2, count_records(&self->records, PROFIL_RECORD_EXEC, ANY));
}

static void *execute_here(void *data)
{
	execute_report(data);
	return NULL;
}

/* Another thread executes, and takes the process's ID, while the first one is running. */
static void execute_in_a_thread(void *data)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute_here, data);
	for (;;)
		burn(1);
}

TEST_F(records, exec_by_another_thread)
{
	pid_t pid = prepare(_metadata, self, execute_in_a_thread);

	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXEC, pid));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXEC, ANY));
	/* of the process, and of the child that its new program forks */
	EXPECT_EQ(2, count_records(&self->records, PROFIL_RECORD_EXIT, ANY));
	EXPECT_EQ(count_records(&self->records, PROFIL_RECORD_MAP, ANY),
		  count_records(&self->records, PROFIL_RECORD_MAP, pid));
	EXPECT_NE(NULL, find_map(&self->records, pid, self->report->vdso));
}

static void fail_to_execute(void *data)
{
	struct report *report = ((struct _test_data_records *)data)->report;

	execl("/nonexistent", "program", NULL);
	execl("/", "program", NULL);
	/* zeroes are no program */
	execl(report->path[0], "program", NULL);
	burn(0.1);
}

/* A failed exec is no exec: the process is sampled as before. */
TEST_F(records, failed_exec)
{
	double hz = get_info(self->device).tick_hz;
	pid_t pid;

	ASSERT_EQ(0, make_file(self->report->path[0], "\0\0\0\0", 4, 0755));
	pid = prepare(_metadata, self, fail_to_execute);
	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_EXEC, ANY));
	EXPECT_EQ(1, count_records(&self->records, PROFIL_RECORD_EXIT, pid));
	/* a stretch has at most one tick less than its length */
	EXPECT_LE(0.1 * hz - 1, samples_of(&self->records, pid));
}

static void execute_script(void *data)
{
	struct report *report = ((struct _test_data_records *)data)->report;

	execl(report->path[1], "script", NULL);
	_exit(99);
}

/* The name is the script's, and the program is its interpreter. */
TEST_F(records, script)
{
	static const char text[] = "#!/bin/sh\nexit 0\n";
	char *path = self->report->path[1];
	const struct profil_record_exec *exec;
	struct stat shell;
	pid_t pid;

	ASSERT_EQ(0, make_file(path, text, strlen(text), 0755));
	ASSERT_EQ(0, stat("/bin/sh", &shell));
	pid = prepare(_metadata, self, execute_script);
	ASSERT_EQ(0, attach_target(self->device, &self->target, 0));
	EXPECT_EQ(0, finish(_metadata, self).status);
	exec = find_record(&self->records, PROFIL_RECORD_EXEC, pid, 0);
	ASSERT_NE(NULL, exec);
	EXPECT_EQ(0, strncmp(strrchr(path, '/') + 1, exec->comm, sizeof(exec->comm) - 1));
	EACH_RECORD(record, &self->records) {
		const struct profil_record_map *map = (const void *)record;

		if (record->type == PROFIL_RECORD_MAP && map->flags & PROFIL_MAP_PROGRAM)
			EXPECT_EQ(shell.st_ino, map->inode);
	}
}

/* This program, executed by a target: `program task NAME FILE` */
static int do_task(const char *task, int file)
{
	struct report *report = report_in(file);
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t nr;
	size_t done = 0;

	if (!strcmp(task, "execute")) {
		char text[16];

		snprintf(text, sizeof(text), "%d", file);
		execl("/proc/self/exe", "program", "task", "report", text, NULL);
		return 98;
	}
	while ((nr = read(fd, report->maps + done, sizeof(report->maps) - 1 - done)) > 0)
		done += (size_t)nr;
	report->vdso = getauxval(AT_SYSINFO_EHDR);
	report->at[0] = (uintptr_t)do_task;
	/* children that are followed, or not */
	if (!fork())
		_exit(0);
	wait_for(-1);
	burn(0.02);
	return readlink("/proc/self/exe", report->exe, sizeof(report->exe) - 1) > 0 ? 0 : 97;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "task"))
		return do_task(argv[2], atoi(argv[3]));
	return test_harness_run(argc, argv);
}
