/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_NOT_RUN_H
#define PROFIL_NOT_RUN_H

/**
 * not_run_explain_exec - print why a command cannot be executed
 * @error:   errno of execvp(3)
 */
void not_run_explain_exec(const char *command, int error);

/**
 * not_run_explain - print why a command could not be started
 * @error:   errno of child_run()
 */
void not_run_explain(const char *command, int error);

#endif /* PROFIL_NOT_RUN_H */
