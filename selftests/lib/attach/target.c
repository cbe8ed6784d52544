// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts targets, attaches to them, and waits for their ends.
 */

#include "attach/target.h"
#include "eventually.h"
#include "kernel/tasks.h"

int open_of(pid_t pid, const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, flags | O_CLOEXEC);
}

int start_target(struct target *target, int device, void (*run)(void *arg), void *arg)
{
	int ends[2];

	*target = (struct target) { .pid = -1, .mem = -1, .go = -1 };
	if (pipe2(ends, O_CLOEXEC))
		return errno;
	target->pid = fork();
	if (!target->pid) {
		char byte;

		close(ends[1]);
		if (device >= 0)
			close(device);
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		close(ends[0]);
		run(arg);
		_exit(0);
	}
	close(ends[0]);
	target->go = ends[1];
	if (target->pid < 0 || !EVENTUALLY(task_state(target->pid) == 'S'))
		return EAGAIN;
	target->base = seconds_of(target->pid);
	target->mem = open_of(target->pid, "mem", O_RDONLY);
	return target->mem < 0 ? errno : 0;
}

struct profil_attach attachment(int device, const struct target *target)
{
	return (struct profil_attach) {
		.size = sizeof(struct profil_attach),
		.flags = PROFIL_FOLLOW_EXEC,
		.rate = get_info(device).tick_hz,
		.pid = target->pid,
		.mem = target->mem,
		.log_bytes = LEAST_LOG,
	};
}

int ask_for_stacks(struct profil_attach *attach, unsigned int words)
{
	uint64_t most = sizeof(struct profil_record_stack) + words * 8UL;
	unsigned long long start, end;
	char path[64], line[512], mode[5];
	FILE *maps;

	attach->stack_bytes = PROFIL_STACK_BYTES_MAX;
	attach->stack_words = words;
	while (attach->log_bytes < 32 * most)
		attach->log_bytes *= 2;
	snprintf(path, sizeof(path), "/proc/%d/maps", attach->pid);
	maps = fopen(path, "r");
	if (!maps)
		return errno;
	while (fgets(line, sizeof(line), maps)) {
		__u64 *range;

		if (sscanf(line, "%llx-%llx %4s", &start, &end, mode) != 3 ||
		    mode[2] != 'x' || start >> 63)
			continue;
		range = &attach->text[start >> 43 < 0xf ? 0 : 2];
		if (!range[1])
			range[0] = start;
		range[1] = end;
	}
	fclose(maps);
	return 0;
}

int attach_target(int device, const struct target *target, __u32 flags)
{
	struct profil_attach attach = attachment(device, target);

	attach.flags |= flags;
	return call(device, PROFIL_IOC_ATTACH, &attach);
}

void wait_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
}

void release(struct target *target)
{
	send_byte(target->go);
	close(target->go);
	target->go = -1;
}

struct end await_end(struct target *target)
{
	struct end end = { .status = -1 };
	struct rusage usage;

	if (await_zombie(target->pid))
		return end;
	end.total = seconds_of(target->pid);
	end.used = end.total - target->base;
	if (wait4(target->pid, &end.status, 0, &usage) == target->pid)
		end.status = WIFEXITED(end.status) ? WEXITSTATUS(end.status) :
						     128 + WTERMSIG(end.status);
	end.preempted = usage.ru_nivcsw;
	close(target->mem);
	*target = (struct target) { .pid = -1, .mem = -1, .go = -1 };
	return end;
}

void kill_target(struct target *target)
{
	if (target->pid <= 0)
		return;
	kill(target->pid, SIGKILL);
	if (target->go >= 0)
		close(target->go);
	await_end(target);
}

double seconds_of(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? -1 : clock_seconds(clock);
}

struct profil_status log_status(int device)
{
	struct profil_status status = { .size = sizeof(status) };

	if (ioctl(device, PROFIL_IOC_LOG_STATUS, &status))
		status.state = ~0U;
	return status;
}
