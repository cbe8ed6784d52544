// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress line of a run, from counters that are at hand: nothing is read for it.
 */
#include <inttypes.h>
#include <unistd.h>

#include "cmd/progress.h"
#include "util/stream.h"
#include "util/time_ns.h"

void progress_begin(struct progress *progress, FILE *out)
{
	*progress = (struct progress){ .out = out, .is_terminal = isatty(stream_fd(out)) };
}

void progress_show(struct progress *progress, uint64_t elapsed_ns, uint64_t samples, uint32_t rate)
{
	const double seconds = (double)(elapsed_ns - progress->elapsed_ns) / NS_PER_S;

	/* in one write, if it is a line */
	fprintf(progress->out, "%sprofil: %.1f s, %" PRIu64 " sample%s, %.0f%% CPU%s",
		progress->is_terminal ? "\r" : "", (double)elapsed_ns / NS_PER_S, samples,
		samples == 1 ? "" : "s",
		seconds > 0 && rate ? 100 * (double)(samples - progress->samples) / rate / seconds : 0,
		progress->is_terminal ? "\033[K" : "\n");
	fflush(progress->out);
	progress->elapsed_ns = elapsed_ns;
	progress->samples = samples;
}

void progress_end(const struct progress *progress)
{
	if (!progress->is_terminal)
		return;
	fputs("\r\033[K", progress->out);
	fflush(progress->out);
}
