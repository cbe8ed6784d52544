// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints' code, which trace.h makes.
 */
#include <linux/types.h>

#define CREATE_TRACE_POINTS
#include "trace.h"
