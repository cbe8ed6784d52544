/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands. Each parses its own arguments, in argv[0] its own name; and returns
 * the exit status.
 */
#ifndef PROFIL_COMMANDS_H
#define PROFIL_COMMANDS_H

/* Exit statuses of all but run, whose are its command's */
#define EXIT_NO_RESULT	1	/* or, of info, no profile could be started */
#define EXIT_USAGE	2

/* Of run, if there is no command's */
#define EXIT_OWN_FAILURE	125

int run_main(int argc, char **argv);
int report_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int export_main(int argc, char **argv);
int info_main(int argc, char **argv);

/**
 * commands_suggest - whether a subcommand is meant by a word that is none
 * @word: in question
 *
 * Return: as suggest_words().
 */
char *commands_suggest(const char *word);

#endif /* PROFIL_COMMANDS_H */
