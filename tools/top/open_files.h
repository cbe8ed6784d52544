/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PROFIL_TOP_OPEN_FILES_H
#define PROFIL_TOP_OPEN_FILES_H

#include "record/collect.h"
#include "symbol/symbols.h"

/**
 * open_files_use - read the files that the recording keeps open
 * @symbols:   of @result, not used yet
 * @result:    has objects of @recording
 * @recording: keeps the files open
 *
 * Programs may have been removed or built again since they ran.
 */
static inline void open_files_use(struct symbols *symbols, const struct result *result,
				  const struct recording *recording)
{
	size_t i;
	int fd;

	for (i = 0; i < result->nr_objects; i++) {
		fd = collect_open_file(recording, &result->objects[i]);
		if (fd >= 0)
			symbols_use_open(symbols, i, fd);
	}
}

#endif /* PROFIL_TOP_OPEN_FILES_H */
