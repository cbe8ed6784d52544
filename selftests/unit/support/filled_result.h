/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result with a value in each field of profil.proto, so that a test sees a field that is
 * forgotten somewhere, and a comparison of results by all fields.
 */
#ifndef FILLED_RESULT_H
#define FILLED_RESULT_H

#include <result/result.h>

/**
 * fill_result - make a result with a value in each field
 * @result: filled in; to be released with result_release()
 *
 * It passes result_problem(). Lists have two elements. Numbers and texts differ from each other,
 * except the clock, samples and code of objects, and build-ids.
 */
void fill_result(struct result *result);

/**
 * assert_same_result - fail the test if two results differ in any field
 * @a: a result
 * @b: another one
 */
void assert_same_result(const struct result *a, const struct result *b);

#endif /* FILLED_RESULT_H */
