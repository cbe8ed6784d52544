/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A result with something in each of its fields.
 */
#ifndef FAKE_RESULT_H
#define FAKE_RESULT_H

#include <result/result.h>

/**
 * fake_result - make one: two objects, two processes
 * @result: to be released by result_release()
 */
void fake_result(struct result *result);

/**
 * assert_same_result - fail the test if two differ in anything
 * @a: one
 * @b: the other
 */
void assert_same_result(const struct result *a, const struct result *b);

#endif /* FAKE_RESULT_H */
