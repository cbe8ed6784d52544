/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmocka.h, with the headers that must be included before it.
 */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif /* TEST_H */
