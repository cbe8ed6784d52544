/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands. Each parses its arguments, with its name in argv[0], and returns the exit
 * status.
 */
#ifndef PROFIL_COMMANDS_H
#define PROFIL_COMMANDS_H

/* Exit statuses of all subcommands except run */
#define EXIT_NO_RESULT	1	/* failed; for info: no profile can be started */
#define EXIT_USAGE	2
#define EXIT_SLOWER	3	/* above --fail-above; of optimize: not faster */
#define EXIT_UNDECIDED	4	/* the interval has the limit of --fail-above in it (--fail-undecided) */

/* Exit status of run if the command was not run; otherwise, it is that of the command */
#define EXIT_OWN_FAILURE	125

int run_main(int argc, char **argv);
int top_main(int argc, char **argv);
int report_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int merge_main(int argc, char **argv);
int export_main(int argc, char **argv);
int optimize_main(int argc, char **argv);
int info_main(int argc, char **argv);

/* The program under its name `prof', with the arguments of prof(1) */
int prof_main(int argc, char **argv);

/* Suggest a subcommand for a mistyped word. Return: as suggest_words(). */
char *commands_suggest(const char *word);

#endif /* PROFIL_COMMANDS_H */
