// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process of a program: runs its operations, and checks memory and figures at the end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run.h"

struct shared *shared;

void failure(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!*shared->failure)
		vsnprintf(shared->failure, sizeof(shared->failure), format, arguments);
	va_end(arguments);
	_exit(1);
}

/*
 * The fuzzer accesses only memory that exists. So the signal is the one of
 * PROFIL_FAULT_SIGNAL, or the fuzzer's own memory was overwritten.
 */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signal == SIGSEGV && info->si_code == SI_KERNEL && shared->signals)
		return;
	failure("signal %d, code %d, at %p", signal, info->si_code, info->si_addr);
}

void hold_fault_signal(bool held)
{
	sigset_t signal;

	sigemptyset(&signal);
	sigaddset(&signal, SIGSEGV);
	sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &signal, NULL);
}

static void catch_faults(void)
{
	struct sigaction action = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	hold_fault_signal(false);
}

static int do_operation(const struct program *program, unsigned int at)
{
	const struct operation *operation = &program->operations[at];

	if (operation->kind <= OP_TOUCH)
		return arena_do(operation);
	if (operation->kind <= OP_READ)
		return calls_do(operation);
	return processes_do(program, at);
}

void run(const struct program *program, unsigned int from)
{
	char pages[OWN_BYTES + PAGE_BYTES];
	enum operation_kind last = OP_STOP;
	unsigned int i;
	int error;

	/* whole pages, so that other pages of the stack are not pinned */
	stack_pages = (char *)(((uintptr_t)pages + PAGE_BYTES - 1) &
			       ~(PAGE_BYTES - 1));
	catch_faults();
	arena_init();
	calls_init();
	processes_init();
	for (i = from; i < program->nr; i++) {
		error = do_operation(program, i);
		if (error < MAX_ERROR)
			shared->after[last][program->operations[i].kind][error] = 1;
		last = program->operations[i].kind;
	}
	processes_end();
	calls_stop();
	arena_check();
	_exit(0);
}
