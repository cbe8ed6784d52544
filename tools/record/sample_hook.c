// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording while it is made, for a live view.
 */
#define _GNU_SOURCE
#include <search.h>

#include "record/recording_state.h"
#include "record/sample_hook.h"

void sample_hook_set(struct recording *recording, sample_hook_fn *watch, void *data)
{
	recording->watch = watch;
	recording->watch_data = data;
}

/* What list_function() needs to know */
struct listing {
	sample_hook_made_fn *made;
	void *data;
	const struct jit_program *program;
	int error;
};

static void list_function(const void *node, VISIT visit, void *data)
{
	const struct jit_function *function = *(struct jit_function *const *)node;
	struct listing *listing = data;

	if ((visit == postorder || visit == leaf) && !listing->error)
		listing->error = listing->made(listing->data, listing->program->name,
					       function->name, function->counts.samples,
					       function->counts.system);
}

int sample_hook_list_made(const struct recording *recording, sample_hook_made_fn *made, void *data)
{
	struct listing listing = { .made = made, .data = data };
	const struct jit_process *process;

	for (listing.program = recording->jit.programs; !listing.error && listing.program;
	     listing.program = listing.program->next) {
		uint64_t samples = listing.program->nameless.samples;
		uint64_t system = listing.program->nameless.system;

		for (process = recording->jit.processes; process; process = process->next) {
			if (process->program != listing.program)
				continue;
			samples += process->counts.samples;
			system += process->counts.system;
		}
		twalk_r(listing.program->functions, list_function, &listing);
		if (!listing.error)
			listing.error = made(data, listing.program->name, NULL, samples, system);
	}
	return listing.error;
}

const char *sample_hook_find_vdso(const struct recording *recording, const struct file *file,
				  uint64_t address)
{
	const struct vdso *vdso = files_vdso(&recording->files, file);
	const struct vdso_function *function = vdso ? vdso_find_function(vdso, address) : NULL;

	return function ? function->name : NULL;
}

int sample_hook_copy_thread(const struct recording *recording, uint32_t index,
			  struct result_thread *thread, const struct result_process **process)
{
	const struct result_thread *from = &recording->threads.list[index];

	*process = NULL;
	*thread = (struct result_thread){ 0 };
	if (from->process == RESULT_NO_PROCESS)
		return 0;
	*process = &recording->processes.rows[from->process];
	return threads_copy(thread, from, (*process)->pid);
}
