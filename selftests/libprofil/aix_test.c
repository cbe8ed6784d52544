// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil() of AIX: what depends on the kernel. unit/lib/aix_test.c tests which calls have no
 * effect, and the arguments. This test is built with the headers of the aix dialect. AIX's profil()
 * returns nothing: only errno reports an error.
 */
#include <mon.h>

#include "kselftest_harness.h"
#include "profile/scene.h"

#define SOME_USER	7302	/* a uid that no other test charges */
#define SECOND		0xffffffffU	/* -1 as unsigned int */
#define FULL		0xffff

FIXTURE(aix) {
	struct scene scene;
	struct prof array[3];	/* two ranges of one page each, and the end */
	struct prof end;	/* the end alone: turns profiling off */
	uint16_t *near, *far;
};

FIXTURE_SETUP(aix)
{
	struct scene *scene = &self->scene;
	int i;

	SET_SCENE(scene);
	self->near = scene_counter(scene, NEAR);
	self->far = scene_counter(scene, FAR);
	for (i = 0; i < 2; i++)
		self->array[i] = (struct prof) {
			.p_low = scene->text + i * PAGE,
			.p_high = scene->text + (i + 1) * PAGE,
			.p_buff = scene->counters + i * PAGE / 2,
			.p_bufsize = (int)PAGE,
			.p_scale = -1,
		};
	/* the last element: all fields except p_high are ignored */
	self->array[2] = (struct prof) {
		.p_low = (char *)1, .p_buff = (void *)1, .p_bufsize = -1,
	};
	self->end = self->array[2];
}

FIXTURE_TEARDOWN(aix)
{
	clear_scene(&self->scene);
}

/* Returns the errno that the call leaves, 0 for none. */
static int first_form(void *buffer, unsigned int size, unsigned long offset, unsigned int scale)
{
	errno = 0;
	profil(buffer, size, offset, scale);
	return errno;
}

static int second_form(struct prof *array)
{
	errno = 0;
	profil(array, -1, 0, 0);
	return errno;
}

static int first_on(const struct scene *scene)
{
	return first_form(scene->counters, scene->bytes, offset_of(scene), FULL);
}

static int first_off(const struct scene *scene)
{
	return first_form(scene->counters, scene->bytes, offset_of(scene), 0);
}

TEST_F(aix, second_form_counts_all_ranges)
{
	struct scene *scene = &self->scene;

	/* Offset and Scale are ignored, even a Scale that turns the first form off */
	errno = 0;
	profil(self->array, SECOND, 12345, 1);
	EXPECT_EQ(0, errno);
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_TRUE(counts_at(scene, FAR, 2));
	EXPECT_LE(2, *self->near);
	EXPECT_LE(2, *self->far);
	/* the array is read during the call only */
	memset(self->array, 0xff, sizeof(self->array));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_TRUE(is_silent(scene));
}

/* Runs in a child, whose state (on or off, and by which form) is its own copy. */
static int off_in_child(const struct scene *scene)
{
	struct prof end = { .p_high = NULL };

	if (second_form(&end) || !counts_at(scene, NEAR, 1))
		return 1;
	if (first_on(scene) || !counts_at(scene, NEAR, 1))
		return 2;
	if (first_off(scene) || scene_state(scene) != PROFIL_STATE_OFF)
		return 3;
	return first_on(scene) || !counts_at(scene, NEAR, 1) ? 4 : 0;
}

TEST_F(aix, child_changes_its_own_state)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, first_on(scene));
	EXPECT_EQ(0, in_child(off_in_child, scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

/* A profile that a fault has ended counts as off, so the next call starts one. */
TEST_F(aix, can_turn_on_after_fault)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, FAR, 1));
	take_away_far(scene);
	EXPECT_EQ(PROFIL_STATE_FAULT, stay(scene, FAR, 1).state);
	EXPECT_EQ(0, first_form(scene->counters, PAGE, offset_of(scene), FULL));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_F(aix, unwritable_buffer_is_refused)
{
	struct scene *scene = &self->scene;
	unsigned long offset = offset_of(scene);
	void *read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT_EQ(EFAULT, first_form(NULL, 0x400, offset, FULL));
	EXPECT_EQ(EFAULT, first_form((void *)8, 0x400, offset, 2));
	EXPECT_EQ(EFAULT, first_form(read_only, 0x400, offset, FULL));
	self->array[1].p_buff = read_only;
	EXPECT_EQ(EFAULT, second_form(self->array));
	self->array[1].p_buff = NULL;
	EXPECT_EQ(EFAULT, second_form(self->array));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_TRUE(is_silent(scene));
	self->array[1].p_buff = self->far;
	self->array[1].p_bufsize -= NEAR;
	EXPECT_EQ(0, second_form(self->array));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

/* The array itself cannot be read, or its memory ends before an element with p_high 0. */
TEST_F(aix, unreadable_array_is_refused)
{
	struct scene *scene = &self->scene;
	char *memory = map_memory(2 * PAGE);
	struct prof *array = (void *)(memory + PAGE);

	ASSERT_NE(MAP_FAILED, memory);
	munmap(memory + PAGE, PAGE);
	EXPECT_EQ(EFAULT, second_form(NULL));
	EXPECT_EQ(EFAULT, second_form(array));
	memcpy(array - 2, self->array, 2 * sizeof(*array));
	EXPECT_EQ(EFAULT, second_form(array - 2));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	memcpy(array - 3, self->array, 3 * sizeof(*array));
	EXPECT_EQ(0, second_form(array - 3));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

/* "Not enough resources to lock the buffer in real memory" */
static int over_memlock(const struct scene *scene)
{
	struct prof array[] = {
		{ .p_low = scene->text, .p_high = scene->text + 2 * PAGE,
		  .p_buff = scene->counters, .p_bufsize = (int)scene->bytes,
		  .p_scale = FULL },
		{ .p_high = NULL },
	};

	if (become_user(SOME_USER, 1))
		return 1;
	if (first_on(scene) != EFAULT || scene_state(scene) != PROFIL_STATE_OFF)
		return 2;
	if (second_form(array) != EFAULT || scene_state(scene) != PROFIL_STATE_OFF)
		return 3;
	array[0].p_bufsize /= 2;
	if (second_form(array) || !counts_at(scene, NEAR, 1))
		return 4;
	return 0;
}

TEST_F(aix, buffer_over_memlock_is_refused)
{
	EXPECT_EQ(0, in_child(over_memlock, &self->scene));
}

TEST_HARNESS_MAIN
