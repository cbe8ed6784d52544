/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of functions. Until the name of a function is known, its samples are in a row of their
 * file, "...".
 */
#ifndef PROFIL_TOP_LIVE_FUNCTIONS_H
#define PROFIL_TOP_LIVE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/files.h"
#include "record/recording.h"
#include "result/result.h"
#include "top/address_table.h"
#include "top/name_reader.h"
#include "top/rows.h"

/**
 * struct live_functions - all functions with samples
 * @recording:   what they are of
 * @by_name:     tree of the rows with names
 * @waiting:     the rows "..." by number of the file; NULL: none
 * @nr_waiting:  size of @waiting
 * @nr_asked:    how many of @addresses have been asked for, from the first one on
 * @nr_answered: how many of these have been answered
 */
struct live_functions {
	const struct recording *recording;
	struct rows rows;
	struct address_table addresses;
	struct name_reader *reader;
	void *by_name;
	struct row **waiting;
	size_t nr_waiting;
	size_t nr_asked;
	size_t nr_answered;
};

/*
 * Add samples, not of code that a program has made; without a file: of no file. Return: 0 or
 * -ENOMEM.
 */
int live_functions_add(struct live_functions *functions, const struct file *file,
		       const struct result_part *part);

/* Set the sums of code that programs have made. Return: 0 or -ENOMEM. */
int live_functions_count_made(struct live_functions *functions);

/* Take names that have been read, and ask for others. Return: 0 or -ENOMEM. */
int live_functions_name(struct live_functions *functions);

/* Return: how many addresses wait for the name of their function. */
size_t live_functions_waiting(const struct live_functions *functions);

/* End the reading of names, and free the memory. */
void live_functions_release(struct live_functions *functions);

#endif /* PROFIL_TOP_LIVE_FUNCTIONS_H */
