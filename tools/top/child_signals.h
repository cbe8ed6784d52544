/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TOP_CHILD_SIGNALS_H
#define PROFIL_TOP_CHILD_SIGNALS_H

#include <signal.h>

/*
 * In a child that reads files for the view: signals of the terminal are for the parent, which has
 * handlers for the others.
 */
static inline void child_signals_set(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

#endif /* PROFIL_TOP_CHILD_SIGNALS_H */
