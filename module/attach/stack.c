// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack of a sampled thread, as much of it as an unwinder needs: the words that are addresses
 * of code or of the stack itself, that is return addresses and saved frame pointers. No other data
 * of the program is written to the log, except for numbers that look like these.
 *
 * The words are read in the interrupt that samples, from the memory of the current process and no
 * other. A thread may leave the CPU and never return, or execute another program: later, its stack
 * could be another one.
 *
 * This may run with the lock of the runqueue: nothing here sleeps, takes a lock, or wakes a thread.
 * Page faults are disabled, so memory that is not present is not waited for, whoever would provide
 * it. Addresses are below TASK_SIZE_MAX: others raise another exception, about which the kernel
 * warns.
 *
 * The longest time with interrupts off is that of PROFIL_STACK_BYTES_MAX / 8 = 7,680 words: 5 to
 * 14 us (doc/stacks.md). The module parameter max_stack_bytes lowers it.
 */
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "attach/attachment.h"
#include "attach/sieve.h"
#include "attach/stack.h"
#include "attach/target.h"
#include "attach/tracer.h"
#include "policy.h"

#define WORD	sizeof(unsigned long)
#define BLOCK	64	/* words that are copied at once */

/* --- where code is ------------------------------------------------------------ */

/*
 * The process has a new executable mapping. Interrupts read the ranges at any time, and other
 * threads of the process may be here: then one of the mappings may be missing, and with it the
 * frames in it. The start first: an empty range stays empty until it has an end, too.
 */
void profil_stack_add_text(struct profil_target *target, unsigned long start, unsigned long end)
{
	u64 *range = &target->text[start < TASK_SIZE_MAX / 16 * 15 ? 0 : 2];
	u64 high = READ_ONCE(range[1]);

	if (!high || start < READ_ONCE(range[0]))
		WRITE_ONCE(range[0], start);
	if (end > high)
		WRITE_ONCE(range[1], end);
}

/* --- what is read ------------------------------------------------------------- */

/*
 * Why the thread has no stack in the log: PROFIL_STACK_* flags, or 0. ptrace(2) decides at each
 * access, and so does this: at any time the process may become undumpable, get other credentials,
 * or execute another program. What cannot be decided is refused.
 */
static u32 stack_refusal(const struct profil_target *target, const struct task_struct *task,
			 struct pt_regs *regs)
{
	bool may;

	/*
	 * In exec, it has the memory of a program about which is not decided yet, and then the
	 * registers of the one before; in exit, it has none.
	 */
	if (!current->mm || current->mm != READ_ONCE(target->mm) || READ_ONCE(target->in_exec))
		return PROFIL_STACK_NO_MEMORY;
	if (task != current)
		return PROFIL_STACK_DENIED; /* GCOV_EXCL_LINE: clocks sample no other thread */
	/* keeps what Linux 7.2 knows of the program beside its memory (compat.h) */
	rcu_read_lock();
	may = profil_tracer_may_trace_current(target->tracer, false);
	rcu_read_unlock();
	if (!may)
		return PROFIL_STACK_DENIED;
	/*
	 * Before Linux 6.9, a fault while the kernel emulates a vsyscall sends a signal, which
	 * takes the lock of the runqueue. The pc is in that page meanwhile: in the kernel's half.
	 */
	if (!user_64bit_mode(regs) || (long)instruction_pointer(regs) < 0)
		return PROFIL_STACK_LEGACY;
	return 0;
}

/* Read a word of user memory, with page faults disabled. Return: whether it is present. */
static bool stack_read(unsigned long address, unsigned long *value)
{
	const unsigned long __user *from = (void __user *)address;

	return access_ok(from, WORD) && !__copy_from_user_inatomic(value, from, WORD);
}

/*
 * Return: how many of @most bytes from the stack pointer on belong to the stack; @most: its end is
 * not known, or farther away. With page faults disabled.
 */
static u32 stack_bytes(const struct task_struct *task, unsigned long sp, u32 most)
{
	unsigned long end = READ_ONCE(task->mm->start_stack), own;

	/* the program's first stack: prctl(2) may say anything, as far as it is in these bytes */
	if (end - sp < most)
		return round_down(end - sp, WORD);
	/* a thread's own data is above its stack (glibc, musl): in Go it is elsewhere */
	end = task->thread.fsbase;
	if (end - sp < most && IS_ALIGNED(end, WORD) && stack_read(end, &own) && own == end)
		return round_down(end - sp, WORD);
	return most;
}

/*
 * Write the words of the stack that are kept. With page faults disabled: memory that is not present
 * ends it.
 *
 * They are copied in blocks: GCC before 12.4 checks for a fault after each word that is read. Most
 * words are small numbers, and take one comparison. The block is on the stack, so that no data of
 * the program stays in memory of the kernel. raw_copy_from_user() does not look up what kind of
 * memory the block is, for which some kernels take a lock (CONFIG_HARDENED_USERCOPY).
 *
 * Not inlined, so that what the loop needs is in registers.
 */
static noinline void stack_sieve(struct profil_log_stack *stack, const struct profil_sieve *all,
				 unsigned long sp, u32 bytes, u32 most)
{
	/* kept in registers: for all that the compiler knows, a copy may change *@all */
	const struct profil_sieve sieve = *all;
	u64 block[BLOCK + 1] __uninitialized, *to = stack->words, *full = to + most, *from, *end;
	/* after the last word that is kept, as if its block were in front of this one */
	unsigned long next = (unsigned long)block;
	u32 seen = 0, size, copied;

	stack->flags |= PROFIL_STACK_ABSENT;
	if (!access_ok((void __user *)sp, bytes))
		goto out;
	while (seen < bytes) {
		size = min_t(u32, bytes - seen, BLOCK * WORD);
		copied = size - raw_copy_from_user(block, (void __user *)(sp + seen), size);
		end = block + copied / WORD;
		*end = ~0UL; /* is not kept, but ends the search */
		for (from = block;; from++) {
			while (*from < sieve.low)
				from++;
			/* read it again: the search compares in memory, 3 instructions a word */
			OPTIMIZER_HIDE_VAR(from);
			if (!profil_sieve_keeps(&sieve, *from)) {
				if (from == end)
					break;
				continue;
			}
			if (to == full) {
				stack->flags ^= PROFIL_STACK_ABSENT ^ PROFIL_STACK_CUT;
				seen += (from - block) * WORD;
				goto out;
			}
			/* how many words were left out: the bytes / 8, from bit 48 on */
			*to++ = *from | ((unsigned long)from - next) << 45;
			next = (unsigned long)(from + 1);
		}
		next -= BLOCK * WORD;
		seen += (end - block) * WORD;
		if (end != block + size / WORD)
			goto out;
	}
	stack->flags ^= PROFIL_STACK_ABSENT;
out:
	stack->nr_words = to - stack->words;
	stack->seen_bytes = seen;
}

/* A register may hold any data of the program: only what points into the stack is kept. */
static void stack_registers(struct profil_log_stack *stack, const struct pt_regs *regs, u32 bytes)
{
	int i;

	stack->regs[PROFIL_STACK_RBX] = regs->bx;
	stack->regs[PROFIL_STACK_RBP] = regs->bp;
	stack->regs[PROFIL_STACK_R12] = regs->r12;
	stack->regs[PROFIL_STACK_R13] = regs->r13;
	stack->regs[PROFIL_STACK_R14] = regs->r14;
	stack->regs[PROFIL_STACK_R15] = regs->r15;
	for (i = 0; i < PROFIL_STACK_REGS; i++)
		if (stack->regs[i] - regs->sp >= bytes)
			stack->regs[i] = 0;
	stack->regs[PROFIL_STACK_RSP] = regs->sp;
}

/* Take the stack. @limit: how many bytes of it are looked at, at most. */
static void stack_take(struct profil_log_stack *stack, const struct profil_target *target,
		       const struct task_struct *task, const struct pt_regs *regs, u32 limit)
{
	const unsigned long sp = regs->sp;
	unsigned long room = sp < TASK_SIZE_MAX ? round_down(TASK_SIZE_MAX - sp, WORD) : 0;
	u32 most = min_t(unsigned long, limit, room), bytes;
	struct profil_sieve sieve = { .low = PROFIL_SIEVE_END };

	pagefault_disable();
	bytes = stack_bytes(task, sp, most);
	profil_sieve_add(&sieve, 0, READ_ONCE(target->text[0]), READ_ONCE(target->text[1]));
	profil_sieve_add(&sieve, 1, READ_ONCE(target->text[2]), READ_ONCE(target->text[3]));
	profil_sieve_add(&sieve, 2, sp, sp + bytes);
	stack_sieve(stack, &sieve, sp, bytes, target->attachment->stack_words);
	pagefault_enable();
	if (stack->seen_bytes == most)
		stack->flags |= most == limit ? PROFIL_STACK_CUT : PROFIL_STACK_ABSENT;
	stack_registers(stack, regs, bytes);
}

/**
 * profil_stack_write - write a sample with its stack to the log
 * @target: target of its process; the log is one of stacks
 * @task:   the thread, which is current, and may be about to leave the CPU
 * @slot:   this CPU's
 * @sample: sample
 *
 * Return: false if there is no room, so that it is lost.
 */
bool profil_stack_write(struct profil_target *target, const struct task_struct *task,
			struct profil_log_slot *slot, const struct profil_log_sample *sample)
{
	struct profil_attachment *attachment = target->attachment;
	struct profil_log_stack *stack = profil_log_stack_room(&attachment->log, slot);
	u32 limit = min(attachment->stack_bytes, profil_policy_max_stack_bytes()), refusal;
	struct pt_regs *regs = task_pt_regs(task);

	if (!stack) {
		slot->lost += sample->samples;
		return false;
	}
	refusal = limit ? stack_refusal(target, task, regs) : PROFIL_STACK_DENIED;
	*stack = (struct profil_log_stack) {
		.sample = *sample,
		.flags = (sample->place & PROFIL_LOG_IN_KERNEL ? PROFIL_STACK_IN_KERNEL : 0) |
			 refusal,
	};
	if (!refusal)
		stack_take(stack, target, task, regs, limit);
	profil_log_add_stack(slot, stack);
	return true;
}
