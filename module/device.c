// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctl entry points of /dev/profil. They copy arguments; lifecycle.c carries out the
 * commands of a process for itself, and attachment.c those for other processes.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include <linux/profil.h>

#include "attach/attachment.h"
#include "compat.h"
#include "counters/config.h"
#include "counters/lifecycle.h"
#include "device.h"
#include "policy.h"
#include "stats.h"

/* The argument of any command. @size is the first field of each. */
union argument {
	u32 size;
	struct profil_info info;
	struct profil_start start;
	struct profil_status status;
	struct profil_attach attach;
};

static int device_info(struct profil_file *opened, union argument *arg)
{
	arg->info = (struct profil_info) {
		.size = arg->size,
		.abi_version = PROFIL_ABI_VERSION,
		.tick_hz = HZ,
		.max_rate = profil_policy_max_rate(),
		.max_regions = PROFIL_MAX_REGIONS,
		.max_bytes = PROFIL_MAX_BYTES,
		.features = PROFIL_FEATURE_PC_LOG | PROFIL_FEATURE_PIN_ON_HIT |
			    PROFIL_FEATURE_THREAD_ONLY |
			    PROFIL_FEATURE_FAULT_SIGNAL |
			    PROFIL_FEATURE_CHECK_ON_HIT | PROFIL_FEATURE_CLOCKS |
			    (profil_attachment_is_possible() ?
			     PROFIL_FEATURE_ATTACH : 0) |
			    (profil_attachment_has_stacks() ?
			     PROFIL_FEATURE_STACKS : 0) |
			    (IS_ENABLED(CONFIG_64BIT) ?
			     PROFIL_FEATURE_COUNTER64 : 0),
		.max_stack_bytes = profil_attachment_has_stacks() ?
				   profil_policy_max_stack_bytes() : 0,
	};
	return 0;
}

static int device_start(struct profil_file *opened, union argument *arg)
{
	struct profil_config *config;

	config = profil_config_create(&arg->start);
	if (IS_ERR(config))
		return PTR_ERR(config);
	return profil_lifecycle_start(config);
}

static int device_stop(struct profil_file *opened, union argument *arg)
{
	arg->status = (struct profil_status) { .size = arg->size };
	return profil_lifecycle_stop(&arg->status);
}

static int device_status(struct profil_file *opened, union argument *arg)
{
	arg->status = (struct profil_status) { .size = arg->size };
	return profil_lifecycle_status(&arg->status);
}

static int device_attach_process(struct profil_file *opened, union argument *arg)
{
	return profil_file_attach(opened, &arg->attach);
}

static int device_log_status(struct profil_file *opened, union argument *arg)
{
	arg->status = (struct profil_status) { .size = arg->size };
	profil_file_status(opened, &arg->status);
	return 0;
}

/**
 * struct command - an ioctl
 * @run:       carries it out; the argument is a copy in kernel memory
 * @size:      size of the argument as this module knows it
 * @min_size:  size of the argument in its first version
 * @copy_back: the argument is copied back to the caller
 * @is_own:    it is about the process to which the caller's memory belongs
 */
struct command {
	int (*run)(struct profil_file *opened, union argument *arg);
	u32 size;
	u32 min_size;
	bool copy_back;
	bool is_own;
};

#define COMMAND(_nr, _run, _type, _last, _copy_back, _is_own)		\
	[_IOC_NR(_nr)] = {						\
		.run = _run,						\
		.size = sizeof(_type) +					\
			BUILD_BUG_ON_ZERO(sizeof(_type) % 8),		\
		.min_size = offsetofend(_type, _last),			\
		.copy_back = _copy_back,					\
		.is_own = _is_own,						\
	}

static const struct command commands[] = {
	COMMAND(PROFIL_IOC_INFO, device_info, struct profil_info, features, true, false),
	COMMAND(PROFIL_IOC_START, device_start, struct profil_start, log_bytes, false, true),
	COMMAND(PROFIL_IOC_STOP, device_stop, struct profil_status, pinned_bytes, true, true),
	COMMAND(PROFIL_IOC_STATUS, device_status, struct profil_status, pinned_bytes, true, true),
	COMMAND(PROFIL_IOC_ATTACH, device_attach_process, struct profil_attach, log_bytes, false,
		false),
	COMMAND(PROFIL_IOC_LOG_STATUS, device_log_status, struct profil_status, skipped, true,
		false),
};

/* A newer caller's fields beyond command->size were zero on input and stay zero. */
static int device_copy_back(void __user *user, const union argument *arg,
			    const struct command *command)
{
	if (copy_to_user(user, arg, min(arg->size, command->size)))
		return -EFAULT;
	return 0;
}

static long device_ioctl(struct file *file, unsigned int nr, unsigned long addr)
{
	void __user *user = (void __user *)addr;
	const struct command *command;
	union argument arg = {};
	u32 size;
	int err;

	if (_IOC_NR(nr) >= ARRAY_SIZE(commands) || nr != _IO(PROFIL_IOC_MAGIC, _IOC_NR(nr)))
		return -ENOTTY;
	command = &commands[_IOC_NR(nr)];

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < command->min_size)
		return -EINVAL;
	/* limits how many bytes copy_struct_from_user() compares with 0 */
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&arg, command->size, user, size);
	if (err)
		return err;
	/* another thread may have changed the size between the two reads */
	arg.size = size;
	/* fail before anything is changed if the result could not be copied back */
	if (command->copy_back && device_copy_back(user, &arg, command))
		return -EFAULT;

	if (command->is_own && compat_current_borrows_memory())
		return -EBUSY;
	err = command->run(file->private_data, &arg);
	/*
	 * Inserting the notifier fails while a signal is pending. Nothing has been changed
	 * yet, so let the handler run and restart the call. If the process is being killed,
	 * the return value does not matter.
	 */
	if (err == -EINTR)
		return -ERESTARTNOINTR;
	if (err || !command->copy_back)
		return err;
	return device_copy_back(user, &arg, command);
}

static int device_open(struct inode *inode, struct file *file)
{
	file->private_data = profil_file_open();
	return file->private_data ? nonseekable_open(inode, file) : -ENOMEM;
}

static int device_release(struct inode *inode, struct file *file)
{
	profil_file_close(file->private_data);
	return 0;
}

static ssize_t device_read(struct kiocb *request, struct iov_iter *to)
{
	bool nonblock = request->ki_filp->f_flags & O_NONBLOCK || request->ki_flags & IOCB_NOWAIT;

	return profil_file_read(request->ki_filp->private_data, to, nonblock);
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
	return profil_file_poll(file->private_data, file, table);
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.read_iter = device_read,
	.poll = device_poll,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "profil",
	.fops = &device_fops,
	.mode = PROFIL_POLICY_DEVICE_MODE,
	.groups = profil_attribute_groups,
};

int profil_device_init(void)
{
	return misc_register(&device_misc);
}

void profil_device_exit(void)
{
	misc_deregister(&device_misc);
}
