// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets other CPUs run at random points, only in a build for scripts/check/seeds
 * (EXPLORE=1).
 *
 * The CPUs of a sealed guest take turns, and a CPU that executes a pause instruction gives
 * its turn to the next. The compiler calls this function at the start of each basic block
 * of the module, as for kcov. At random blocks it pauses, so that the other CPU runs there
 * for a while. The seed determines which blocks, and how many.
 *
 * It takes no lock and may run in any context. If two CPUs race for the state, that changes
 * the blocks that follow, in the same way in every run with the same seed.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/processor.h>

static unsigned int explore_seed = 1;
module_param(explore_seed, uint, 0444);

static u32 state;

void notrace __sanitizer_cov_trace_pc(void)
{
	u32 x = READ_ONCE(state) ?: explore_seed * 2654435761U | 1, pauses;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	WRITE_ONCE(state, x);
	/* one block in 4 to 128 */
	if ((x >> 8) % (4U << explore_seed % 6))
		return;
	for (pauses = 1 + (x >> 30); pauses; pauses--)
		cpu_relax();
}
EXPORT_SYMBOL_GPL(__sanitizer_cov_trace_pc);
