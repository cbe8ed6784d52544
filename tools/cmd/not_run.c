// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why a command was not run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/not_run.h"
#include "util/failure.h"

void not_run_explain_exec(const char *command, int error)
{
	const char *remedy = "see execve(2)";
	char *suggestion = NULL;

	if (error == ENOENT && !strchr(command, '/'))
		remedy = "no such command in PATH; `profil help' lists the subcommands";
	else if (error == ENOENT)
		remedy = access(command, F_OK) ? "check the path of the command" :
			 "its interpreter or dynamic linker is missing";
	else if (error == EACCES)
		remedy = "not a program, or no permission to execute it (chmod +x)";
	else if (error == E2BIG)
		remedy = "too many arguments";
	if (error == ENOENT)
		suggestion = commands_suggest(command);
	failure_warnx("%s: %s (%s): %s%s", command, strerror(error), strerrorname_np(error), remedy,
		      suggestion ? suggestion : "");
	free(suggestion);
}

void not_run_explain(const char *command, int error)
{
	/* of fork() */
	if (error == EAGAIN)
		failure_warnx("%s: %s (%s): process limit reached: end some processes, or raise the limit (ulimit -u, or pids.max of the control group)",
			      command, strerror(error), strerrorname_np(error));
	else
		failure_warn(command, error);
}
