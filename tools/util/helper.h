/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A helper: a child process with a copy of this process's memory. It does what may take long, wait,
 * or crash: a file that is damaged, or changes while it is mapped, may crash its reader.
 */
#ifndef PROFIL_HELPER_H
#define PROFIL_HELPER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HELPER_WHY	128	/* bytes for helper_explain() */

/**
 * struct helper_work - what a helper does
 * @run:       returns 0 or an errno, at most 255. stdio's buffers are flushed after it returns
 * @data:      argument of @run
 * @closes:    descriptor that the helper must not keep open, as that of a log; 0: none
 * @seconds:   it is killed after this time; 0: it has as much as it needs
 * @ends:      helper_run() ends it if one of these signals, which are blocked, is pending; NULL: none
 * @is_beside: this process goes on beside it. Then signals of the terminal are for this process
 * @outlives:  it finishes its work also without this process; else it ends with it
 * @is_bounded: it reads files of programs, within bounds (bound.h)
 */
struct helper_work {
	int (*run)(void *data);
	void *data;
	int closes;
	unsigned int seconds;
	const sigset_t *ends;
	bool is_beside;
	bool outlives;
	bool is_bounded;
};

/* A helper; all zero: none */
struct helper {
	pid_t pid;		/* its process; 0: it has ended */
	int error;		/* what it returned, as -errno */
	int killer;		/* signal that has killed it; 0: none */
	uint64_t cpu_ns;	/* CPU time that it took */
	bool is_bounded;
	bool is_to_repeat;	/* it has not ended its work: one file less would be read now */
};

/* Return: 0; or -errno: there is none. */
int helper_start(struct helper *helper, const struct helper_work *work);

/* Look whether a helper has ended; if it just has, @error and the rest are set. */
bool helper_has_ended(struct helper *helper, bool wait);

/* End a helper, as it may take long to read a file. */
void helper_kill(struct helper *helper);

/*
 * Let a helper do something, and wait for it; without @seconds, this process does it itself if
 * there can be no helper. A bounded one is started again until it ends its work. Return: 0; -errno;
 * -ETIMEDOUT: it took too long; -EINTR: a signal of @ends came; or -EPROTO: it was killed.
 */
int helper_run(struct helper *helper, const struct helper_work *work);

/* Print why there is nothing from a helper: it was killed, or returned an error. */
void helper_explain(const struct helper *helper, char why[HELPER_WHY]);

/* Return: a file in memory, for what a helper hands over; or -errno. */
int helper_file(void);

/* Return: what a helper has written, and a 0, to free(), and its length; NULL with errno. */
unsigned char *helper_read(int file, size_t *bytes);

/* Return: the time after which something that takes @cost_ns has taken 5 %. */
static inline uint64_t helper_pause(uint64_t cost_ns)
{
	return 20 * cost_ns;
}

#endif /* PROFIL_HELPER_H */
