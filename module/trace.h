/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own tracepoints: /sys/kernel/tracing/events/profil/. Each event has the
 * process among its fields, because the current process may be another one: a worker, or
 * the parent in a fork.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM profil

#if !defined(_PROFIL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _PROFIL_TRACE_H

#include <linux/tracepoint.h>

/* A process has started or replaced its profile. */
TRACE_EVENT(profil_start,
	TP_PROTO(pid_t tgid, u32 rate, u32 flags, u32 nr_regions,
		 unsigned long nr_pages),
	TP_ARGS(tgid, rate, flags, nr_regions, nr_pages),
	TP_STRUCT__entry(
		__field(pid_t, tgid)
		__field(u32, rate)
		__field(u32, flags)
		__field(u32, nr_regions)
		__field(unsigned long, nr_pages)
	), TP_fast_assign(__entry->tgid = tgid;
		__entry->rate = rate;
		__entry->flags = flags;
		__entry->nr_regions = nr_regions;
		__entry->nr_pages = nr_pages;
	),
	TP_printk("tgid=%d rate=%u flags=%#x regions=%u pages=%lu",
		  __entry->tgid, __entry->rate, __entry->flags,
		  __entry->nr_regions, __entry->nr_pages)
);

/*
 * A profile has ended: it was stopped or replaced, or its process has exited. Also sent for
 * a start that failed late, without a profil_start.
 */
TRACE_EVENT(profil_stop,
	TP_PROTO(pid_t tgid, u32 state, u64 samples, u64 lost),
	TP_ARGS(tgid, state, samples, lost),
	TP_STRUCT__entry(
		__field(pid_t, tgid)
		__field(u32, state)
		__field(u64, samples)
		__field(u64, lost)
	), TP_fast_assign(__entry->tgid = tgid;
		__entry->state = state;
		__entry->samples = samples;
		__entry->lost = lost;
	),
	TP_printk("tgid=%d state=%u samples=%llu lost=%llu", __entry->tgid,
		  __entry->state, __entry->samples, __entry->lost)
);

/* A process has been attached: it is sampled into a log. */
TRACE_EVENT(profil_attach,
	TP_PROTO(pid_t tgid, u32 rate, u32 flags),
	TP_ARGS(tgid, rate, flags),
	TP_STRUCT__entry(
		__field(pid_t, tgid)
		__field(u32, rate)
		__field(u32, flags)
	), TP_fast_assign(__entry->tgid = tgid;
		__entry->rate = rate;
		__entry->flags = flags;
	),
	TP_printk("tgid=%d rate=%u flags=%#x", __entry->tgid, __entry->rate, __entry->flags)
);

/* A profiled process has forked; error is 0 if the child is profiled. */
TRACE_EVENT(profil_fork,
	TP_PROTO(pid_t child, int error),
	TP_ARGS(child, error),
	TP_STRUCT__entry(
		__field(pid_t, child)
		__field(int, error)
	), TP_fast_assign(__entry->child = child;
		__entry->error = error;
	),
	TP_printk("child=%d error=%d", __entry->child, __entry->error)
);

/* The memory of a profile's counters is gone. */
TRACE_EVENT(profil_fault,
	TP_PROTO(pid_t tgid, int error),
	TP_ARGS(tgid, error),
	TP_STRUCT__entry(
		__field(pid_t, tgid)
		__field(int, error)
	), TP_fast_assign(__entry->tgid = tgid;
		__entry->error = error;
	),
	TP_printk("tgid=%d error=%d", __entry->tgid, __entry->error)
);

/* Samples could not be counted. */
TRACE_EVENT(profil_lost,
	TP_PROTO(pid_t tgid, u64 samples, int error),
	TP_ARGS(tgid, samples, error),
	TP_STRUCT__entry(
		__field(pid_t, tgid)
		__field(u64, samples)
		__field(int, error)
	), TP_fast_assign(__entry->tgid = tgid;
		__entry->samples = samples;
		__entry->error = error;
	),
	TP_printk("tgid=%d samples=%llu error=%d", __entry->tgid,
		  __entry->samples, __entry->error)
);

#endif /* _PROFIL_TRACE_H */

/* define_trace.h includes this header again, found through -I in Kbuild. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
