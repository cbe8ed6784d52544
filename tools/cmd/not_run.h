/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_NOT_RUN_H
#define PROFIL_NOT_RUN_H

/* Print why a command cannot be executed: errno of execvp(3). */
void not_run_explain_exec(const char *command, int error);

/* Print why a command could not be started: errno of child_run(). */
void not_run_explain(const char *command, int error);

#endif /* PROFIL_NOT_RUN_H */
