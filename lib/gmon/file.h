/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROFIL_GMON_FILE_H
#define PROFIL_GMON_FILE_H

#include "gmon/object.h"

/*
 * Write a gmon.out file of an object. rate: samples per second of CPU time. Uses no heap. Return: 0
 * or -errno.
 */
int profil_gmon_file_write(int fd, const struct profil_gmon_object *object, uint32_t rate);

#endif /* PROFIL_GMON_FILE_H */
