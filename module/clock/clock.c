// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the clocks share: a limit for the samples that are due at once.
 */
#include <linux/compiler.h>

#include "clock/clock.h"
#include "clock/tick_math.h"

/**
 * profil_clock_limit - limit the samples that are due at once
 * @pace:    of the profile
 * @log:     each sample is an entry of a pc log
 * @samples: number of samples
 * @skipped: the others are added to it
 *
 * For both clocks, this bounds the time spent in an interrupt, or in a switch with the runqueue's
 * lock held. It also keeps the 32 bits in struct profil_sample from overflowing. Not traced by
 * ftrace, like the hot paths that call it.
 *
 * Return: number of samples to take.
 */
noinline notrace u64 profil_clock_limit(const struct profil_pace *pace, bool log, u64 samples,
					u64 *skipped)
{
	u64 most = profil_max_samples(profil_clock_rate(pace), log);

	if (samples <= most)
		return samples;
	*skipped += samples - most;
	return most;
}
