/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result with a value in each field.
 */
#ifndef FAKE_RESULT_H
#define FAKE_RESULT_H

#include <result/result.h>

/**
 * fake_result - make a result with two objects and two processes
 * @result: must be released with result_release()
 */
void fake_result(struct result *result);

/**
 * assert_same_result - fail the test if two results differ in any field
 * @a: a result
 * @b: another one
 */
void assert_same_result(const struct result *a, const struct result *b);

#endif /* FAKE_RESULT_H */
