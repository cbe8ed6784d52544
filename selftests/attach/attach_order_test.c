// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of a log's records when all CPUs write: a sample is after what must be known to place
 * it, and before the end of its process. The log is read all the time, also while a CPU is sampled.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "attach/target.h"
#include "files.h"
#include "load/loops.h"

#define RATE		4000
#define MOST_CPUS	16
#define ROUNDS		150
/* A few points of RATE, so that most rounds have samples of most CPUs */
#define ROUND_SECONDS	0.0006
#define CHILDREN	400

/* Mapped for the test and its targets: pages of code, with a page between any two */
struct pages {
	char *first;
	unsigned int nr;	/* how many there are so far */
	unsigned int arrived;	/* threads that have run the last one */
	unsigned int cpus;
};

FIXTURE(order) {
	int device;
	struct target target;
	struct records records;
	struct pages *pages;
};

FIXTURE_SETUP(order)
{
	REQUIRE_ATTACH(self->device);
	self->target.pid = -1;
	self->records = (struct records) { 0 };
	self->pages = map_shared(sizeof(*self->pages));
	ASSERT_NE(MAP_FAILED, self->pages);
	self->pages->cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	if (self->pages->cpus > MOST_CPUS)
		self->pages->cpus = MOST_CPUS;
	set_throttle(false);
}

FIXTURE_TEARDOWN(order)
{
	set_throttle(true);
	kill_target(&self->target);
	free_records(&self->records);
	close(self->device);
}

/* Samples a target from its release to its end, and reads without a pause. Nothing is lost. */
static void follow(struct __test_metadata *_metadata, struct _test_data_order *self,
		   void (*run)(void *arg))
{
	struct profil_attach attach;
	int err;

	ASSERT_EQ(0, start_target(&self->target, self->device, run, self->pages));
	attach = attachment(self->device, &self->target);
	attach.rate = RATE;
	attach.log_bytes = 4 << 20;
	ASSERT_EQ(0, call(self->device, PROFIL_IOC_ATTACH, &attach));
	fcntl(self->device, F_SETFL, O_NONBLOCK);
	release(&self->target);
	do {
		err = read_all(&self->records, self->device);
	} while (err == EAGAIN);
	ASSERT_EQ(0, err);
	EXPECT_EQ(0, await_end(&self->target).status);
	EXPECT_EQ(0, count_records(&self->records, PROFIL_RECORD_LOST, ANY));
}

#if defined(__x86_64__) || defined(__aarch64__)

static char *page(const struct pages *pages, unsigned int number)
{
	return pages->first + (size_t)number * 2 * PAGE;
}

static void *run_each_page(void *pages_)
{
	struct pages *pages = pages_;
	unsigned int nr;

	for (nr = 1; nr <= ROUNDS; nr++) {
		while (__atomic_load_n(&pages->nr, __ATOMIC_ACQUIRE) < nr)
			continue;
		stay_in_loop(page(pages, nr - 1), 0, ROUND_SECONDS);
		__atomic_add_fetch(&pages->arrived, 1, __ATOMIC_ACQ_REL);
	}
	return NULL;
}

/* Map one page after the other. A thread on each CPU runs it at once. */
static void map_pages(void *pages_)
{
	struct pages *pages = pages_;
	pthread_t threads[MOST_CPUS];
	char *code = map_loops(1);
	unsigned int i, nr;

	for (i = 0; i < pages->cpus; i++)
		if (pthread_create(&threads[i], NULL, run_each_page, pages))
			_exit(1);
	for (nr = 1; nr <= ROUNDS; nr++) {
		/* moves the code, and is the mapping that the log must have */
		if (mremap(code, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			   page(pages, nr - 1)) == MAP_FAILED ||
		    mprotect(page(pages, nr - 1), PAGE, PROT_READ) ||
		    mprotect(page(pages, nr - 1), PAGE, PROT_READ | PROT_EXEC))
			_exit(1);
		__atomic_store_n(&pages->nr, nr, __ATOMIC_RELEASE);
		code = map_loops(1);
		while (__atomic_load_n(&pages->arrived, __ATOMIC_ACQUIRE) < nr * pages->cpus)
			sched_yield();
	}
	for (i = 0; i < pages->cpus; i++)
		pthread_join(threads[i], NULL);
}

/* Another thread runs code as soon as it is mapped: each sample in it is after its MAP record. */
TEST_F_TIMEOUT(order, code_is_mapped_before_it_is_sampled, 120)
{
	struct pages *pages = self->pages;
	bool mapped[ROUNDS] = { false };
	unsigned int in_pages = 0;
	size_t number;

	pages->first = mmap(NULL, (size_t)ROUNDS * 2 * PAGE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, pages->first);
	follow(_metadata, self, map_pages);
	EACH_RECORD(record, &self->records) {
		const struct profil_record_sample *sample = (const void *)record;
		const struct profil_record_map *map = (const void *)record;

		number = ((record->type == PROFIL_RECORD_MAP ? map->start : sample->pc) -
			  (uintptr_t)pages->first) / (2 * PAGE);
		if (number >= ROUNDS)
			continue;
		if (record->type == PROFIL_RECORD_MAP)
			mapped[number] = true;
		if (record->type == PROFIL_RECORD_SAMPLE) {
			in_pages++;
			EXPECT_TRUE(mapped[number]);
		}
	}
	/* a point in 0.25 ms, so 2 in each round and CPU; less, if CPUs wait for each other */
	EXPECT_LE(ROUNDS, in_pages);
}

#endif

static void burn_in_children(void *pages_)
{
	const struct pages *pages = pages_;
	unsigned int running = 0, i;

	for (i = 0; i < CHILDREN; i++) {
		if (running == 2 * pages->cpus) {
			wait(NULL);
			running--;
		}
		if (!fork()) {
			burn(0.001);
			_exit(0);
		}
		running++;
	}
	while (wait(NULL) > 0)
		;
}

/* The records of a child begin with its FORK, and end with its EXIT. */
TEST_F_TIMEOUT(order, samples_are_between_fork_and_exit, 120)
{
	const struct profil_record *other;
	unsigned int forks = 0;

	follow(_metadata, self, burn_in_children);
	EACH_RECORD(record, &self->records) {
		if (record->type != PROFIL_RECORD_FORK)
			continue;
		forks++;
		/* the first, and the only one: process IDs are not used again so soon */
		for (other = next_record(&self->records, NULL); other != record;
		     other = next_record(&self->records, other))
			EXPECT_NE(record->pid, other->pid);
		for (; other && !(other->type == PROFIL_RECORD_EXIT && other->pid == record->pid);
		     other = next_record(&self->records, other))
			continue;
		ASSERT_NE(NULL, other);
		while ((other = next_record(&self->records, other)))
			EXPECT_NE(record->pid, other->pid);
	}
	EXPECT_EQ(CHILDREN, forks);
	/* half of the points of 1 ms */
	EXPECT_LE(CHILDREN * RATE / 1000 / 2,
		  count_records(&self->records, PROFIL_RECORD_SAMPLE, ANY));
}

TEST_HARNESS_MAIN
