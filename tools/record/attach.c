// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching to processes, and the reasons why the kernel refuses it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <device.h>
#include <rate.h>

#include "record/attach.h"
#include "record/procfs.h"
#include "record/procmaps.h"

/* Bounds of the log. It may be smaller only if the limit of locked memory is low. */
#define LEAST_LOG	((uint64_t)1 << 20)
#define MOST_LOG	((uint64_t)8 << 20)

/* A tick is longer, and the resolution of a high-resolution timer is a few nanoseconds. */
#define FINE_TIMER_NS	100000

/* How often a process is opened again that executed another program at the same time */
#define TRIES		10

/*
 * What a CPU writes in a second when it only runs short programs, as a build or a shell script
 * does: 100 of them. For each there are FORK, EXEC, 4 to 8 MAP with a path, ARGS with 1,024 bytes
 * at most, RUN, THREAD and EXIT: 600 to 2,100 bytes. Few have that many arguments.
 */
#define PROGRAMS_BYTES	((uint64_t)100 * 2000)

/* What a sample with its stack takes: cc1 has 1,249 bytes on average, sqlite3 577, python3 2,203 */
#define STACK_BYTES	((uint64_t)1300)

/* Most words of a stack that are kept; of 60 KiB of python3's stack, they are 3,700 at most */
#define STACK_WORDS	2048

uint64_t attach_log_bytes(uint32_t rate, bool stacks, long cpus)
{
	const uint64_t samples = rate * (stacks ? STACK_BYTES :
						  sizeof(struct profil_record_sample));
	const uint64_t each = samples > PROGRAMS_BYTES ? samples : PROGRAMS_BYTES;
	/* half of the log is for samples, half for other records */
	const uint64_t wanted = 2 * each * (cpus > 0 ? (uint64_t)cpus : 1);
	uint64_t bytes = LEAST_LOG;

	while (bytes < wanted && bytes < MOST_LOG)
		bytes *= 2;
	return bytes;
}

/*
 * Only random points suit every program, as none can be in step with them. Without high-resolution
 * timers, the kernel's resolution is that of its tick, 1 ms or more, and a random point would wait
 * for the next tick.
 */
uint32_t attach_default_clock(void)
{
	struct timespec resolution;

	if (!clock_getres(CLOCK_MONOTONIC, &resolution) &&
	    (resolution.tv_sec || resolution.tv_nsec > FINE_TIMER_NS))
		return PROFIL_CLOCK_AUTO;
	return PROFIL_CLOCK_RANDOM;
}

/* Find out how much of a stack may be looked at. Return: 0 or -errno. */
static int find_stack_bytes(struct attach *attach, char why[ATTACH_WHY])
{
	struct profil_info info = { .size = sizeof(info) };
	int error = profil_device_call(attach->device, PROFIL_IOC_INFO, &info);

	if (!error && !(info.features & PROFIL_FEATURE_STACKS)) {
		error = -EOPNOTSUPP;
		snprintf(why, ATTACH_WHY, "-g: the loaded module is older than this command, or this machine is no x86-64: load the module of the same build, or profile without -g");
	} else if (!error && !info.max_stack_bytes) {
		error = -EPERM;
		snprintf(why, ATTACH_WHY, "-g: the administrator has forbidden call stacks (max_stack_bytes, see profil(4)): profile without -g");
	} else if (error) {
		snprintf(why, ATTACH_WHY, PROFIL_DEVICE ": %s (%s)", strerrordesc_np(-error),
			 strerrorname_np(-error));
	}
	attach->stack_bytes = info.max_stack_bytes < PROFIL_STACK_BYTES_MAX ?
			      info.max_stack_bytes / 8 * 8 : PROFIL_STACK_BYTES_MAX;
	return error;
}

int attach_open(struct attach *attach, const struct attach_options *options,
		char why[ATTACH_WHY])
{
	unsigned int rate = options->rate;
	int error;

	attach->options = *options;
	attach->has_log = false;
	attach->stack_bytes = 0;
	attach->device = profil_device_open();
	if (attach->device < 0) {
		error = attach->device;
		attach->device = -1;
		snprintf(why, ATTACH_WHY, PROFIL_DEVICE ": %s (%s): %s", strerrordesc_np(-error),
			 strerrorname_np(-error), profil_device_remedy(-error));
		return error;
	}
	/* profil_rate_choose() has printed the value, too */
	error = profil_rate_choose(attach->device, &rate);
	if (error) {
		snprintf(why, ATTACH_WHY, "PROFIL_RATE is not a valid rate: set it to a number of Hz, 1 or more, or unset it");
		return error;
	}
	if (fcntl(attach->device, F_SETFL, O_RDWR | O_NONBLOCK)) {
		error = -errno;
		snprintf(why, ATTACH_WHY, PROFIL_DEVICE ": %s (%s): see fcntl(2)",
			 strerrordesc_np(-error), strerrorname_np(-error));
		return error;
	}
	error = options->stacks ? find_stack_bytes(attach, why) : 0;
	if (error)
		return error;
	attach->options.rate = rate;
	attach->wanted_log_bytes = attach_log_bytes(rate, options->stacks,
						    sysconf(_SC_NPROCESSORS_ONLN));
	attach->log_bytes = attach->wanted_log_bytes;
	return 0;
}

/* Return: kernel.yama.ptrace_scope; 0: also without Yama. */
static int read_ptrace_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

/* Whether this process has CAP_SYS_PTRACE; true also if that is not known. */
static bool may_trace_others(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &header, data) || data[0].effective & 1u << CAP_SYS_PTRACE;
}

/* Return: why a process may not be traced, as a clause with the remedy. */
static const char *explain_denied(pid_t pid, bool from_exec)
{
	uid_t user;

	if (!from_exec && procfs_read_user(pid, &user) && user != geteuid()) {
		if (geteuid())
			return "the process belongs to another user: run profil as root";
		if (!may_trace_others())
			return "the process belongs to another user, and root has no CAP_SYS_PTRACE here: start the container with --cap-add SYS_PTRACE, or run profil on its host";
	}
	switch (read_ptrace_scope()) {
	case 0:
		break;
	case 1:
		if (from_exec)
			break;
		return "kernel.yama.ptrace_scope is 1: run profil as root, start the program with `profil COMMAND', or set it to 0 with sysctl(8)";
	case 2:
		return "kernel.yama.ptrace_scope is 2: run profil as root, or set it to 1 with sysctl(8)";
	default:
		return "kernel.yama.ptrace_scope is 3, which forbids it to everyone until the next boot: change it in sysctl.conf(5)";
	}
	if (from_exec)
		return "a security module forbids it, or the user may not read the file of profil";
	return "the program is set-user-ID, protects itself (PR_SET_DUMPABLE in prctl(2)), or a security module forbids it: run profil as root";
}

static void explain_unopened(pid_t pid, bool from_exec, int error, char why[ATTACH_WHY])
{
	const char *remedy = "see open(2)";

	if ((error == ENOENT || error == ESRCH) && kill(pid, 0) && errno == ESRCH) {
		snprintf(why, ATTACH_WHY, "there is no process %d (ESRCH)", pid);
		return;
	}
	if (error == ENOENT)
		remedy = "mount /proc, without hidepid";
	else if (error == EACCES || error == EPERM)
		remedy = explain_denied(pid, from_exec);
	else if (error == ESRCH)
		remedy = "the process has ended, or is a kernel thread";
	else if (error == EMFILE || error == ENFILE)
		remedy = profil_device_remedy(error);
	snprintf(why, ATTACH_WHY, "/proc/%d/mem: %s (%s): %s", pid, strerrordesc_np(error),
		 strerrorname_np(error), remedy);
}

/* The kernel lacks what attaching needs, or no profile can start now. */
static const char *find_missing(int device)
{
	struct profil_info info = { .size = sizeof(info) };

	if (!profil_device_call(device, PROFIL_IOC_INFO, &info) &&
	    info.features & PROFIL_FEATURE_ATTACH)
		return profil_device_start_remedy(EOPNOTSUPP);
	return "the kernel has no kprobes (CONFIG_KPROBES) or no procfs, which other processes are profiled with";
}

static const char *find_remedy(const struct attach *attach, int error, bool from_exec)
{
	switch (error) {
	case ESRCH:
		return "the process has ended, or is a kernel thread";
	case EBUSY:
		/* children inherit the profiles of this process */
		if (from_exec)
			return "this user profiles this profil, with all its children, as often as the module permits: end another one first";
		return "this user profiles the process as often as the module permits: end another profile first";
	case ENOMEM:
		return "the limit of locked memory leaves none for the log: raise it by ulimit -l (in KiB; see RLIMIT_MEMLOCK in setrlimit(2))";
	case ENOSPC:
		return "the user's limit is reached: stop other profiles, or raise max_user_sessions, see profil(4)";
	case EOPNOTSUPP:
		return find_missing(attach->device);
	case ENOTTY:
		return "the loaded module is older than this command: load the module of the same build (sudo modprobe -r profil; sudo modprobe profil)";
	default:
		return "see profil(4) and dmesg";
	}
}

static void explain_refused(const struct attach *attach, pid_t pid, bool from_exec, int error,
			    char why[ATTACH_WHY])
{
	const pid_t process = error == ESRCH ? procfs_read_process(pid) : 0;

	if (process && process != pid) {
		snprintf(why, ATTACH_WHY, "%d is a thread of process %d (ESRCH): -p %d profiles all its threads, and `profil report --thread %d' shows this one",
			 pid, process, process, pid);
		return;
	}
	if (!profil_rate_explain(attach->device, error, attach->options.rate,
				 attach->options.clock, why, ATTACH_WHY))
		snprintf(why, ATTACH_WHY, PROFIL_DEVICE ": attach to process %d: %s (%s): %s", pid,
			 strerrordesc_np(error), strerrorname_np(error),
			 find_remedy(attach, error, from_exec));
}

/* Widen the range of code that a mapping is in (PROFIL_IOC_ATTACH): libraries are in the upper. */
static int add_text(void *data, const struct procmaps_entry *entry)
{
	const uint64_t end = (uint64_t)1 << 47, upper = end / 16 * 15;
	__u64 *text = (__u64 *)data + (entry->start >= upper ? 2 : 0);

	/* [vsyscall] */
	if (entry->start >= end)
		return 0;
	if (!text[1] || entry->start < text[0])
		text[0] = entry->start;
	if (entry->end > text[1])
		text[1] = entry->end;
	return 0;
}

/* A log of the least size has room for fewer words. */
static uint32_t stack_words(const struct attach *attach)
{
	const uint64_t room = attach->log_bytes / 32 - sizeof(struct profil_record_stack);

	return room / 8 < STACK_WORDS ? (uint32_t)(room / 8) : STACK_WORDS;
}

/* Return: 0 or -errno. */
static int call(struct attach *attach, pid_t pid, int mem, bool from_exec)
{
	struct profil_attach argument = {
		.size = sizeof(argument),
		.flags = (attach->options.follow ? PROFIL_FOLLOW_EXEC : 0) |
			 (from_exec ? PROFIL_FROM_EXEC : 0),
		.rate = attach->options.rate,
		.clock = attach->options.clock,
		.pid = pid,
		.mem = mem,
		.log_bytes = attach->log_bytes,
	};

	if (attach->stack_bytes) {
		argument.stack_bytes = attach->stack_bytes;
		argument.stack_words = stack_words(attach);
		/* exec, and the log, tell the rest */
		procmaps_read(pid, add_text, argument.text);
	}
	return profil_device_call(attach->device, PROFIL_IOC_ATTACH, &argument);
}

int attach_process(struct attach *attach, pid_t pid, bool from_exec, char why[ATTACH_WHY])
{
	char path[PROCFS_PATH];
	int error, mem, tries = 0;

	do {
		procfs_path(pid, "mem", path);
		mem = open(path, O_RDONLY | O_CLOEXEC);
		if (mem < 0) {
			error = -errno;
			explain_unopened(pid, from_exec, -error, why);
			return error;
		}
		error = call(attach, pid, mem, from_exec);
		while (error == -ENOMEM && !attach->has_log && attach->log_bytes > PROFIL_LOG_MIN) {
			attach->log_bytes /= 2;
			error = call(attach, pid, mem, from_exec);
		}
		close(mem);
		/* it has executed another program since it was opened */
	} while (error == -ESRCH && !kill(pid, 0) && ++tries < TRIES);
	if (error)
		explain_refused(attach, pid, from_exec, -error, why);
	else
		attach->has_log = true;
	return error;
}

int attach_status(const struct attach *attach, struct profil_status *status)
{
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	return profil_device_call(attach->device, PROFIL_IOC_LOG_STATUS, status);
}

void attach_close(struct attach *attach)
{
	if (attach->device >= 0)
		profil_device_close(attach->device);
	attach->device = -1;
}
