/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TARGET_H
#define PROFIL_TARGET_H

#include <argp.h>
#include <stdint.h>

#include "cmd/profiling.h"

/*
 * The options --rate, --clock, --pid, --cgroup and --no-follow, and the arguments, for .children of
 * a struct argp. Its input is a struct profiling_options, whose @attach.follow is set. Exits if
 * they exclude each other.
 */
extern const struct argp target_argp;

/* For .args_doc of a struct argp with target_argp */
#define TARGET_ARGS_DOC	"COMMAND [ARG...]\n-p PID[,PID...]\n--cgroup=PATH"

/*
 * Prepare for signals, and parse the options of @argp, which has target_argp among its children.
 * Exits with EXIT_OWN_FAILURE if they are wrong.
 */
void target_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Choose what the user has not chosen. */
void target_finish(struct profiling_options *profiling);

/* Parse a time. Exits if the argument is invalid. Return: the time in ns. */
uint64_t target_parse_seconds(const char *text, struct argp_state *state);

#endif /* PROFIL_TARGET_H */
