// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replaces the library's device_fd.c for tests with millions of calls: it makes no system calls.
 */
#include "lib/device_fd.h"
#include "support/fake_device.h"

int profil_device_fd_get(struct profil_device_fd *device)
{
	device->fd = fake_device.open_error ? -fake_device.open_error : FAKE_DESCRIPTOR;
	return device->fd;
}

void profil_device_fd_put(struct profil_device_fd *device, bool keep)
{
}
