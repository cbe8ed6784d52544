// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil() of AIX: its two forms, the calls that have no effect, and its errors. It is built with
 * the headers of the aix dialect. AIX's profil() returns nothing: only errno reports an error.
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
static int first_form(void *buffer, unsigned int size, unsigned long offset,
		      unsigned int scale)
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
	return first_form(scene->counters, scene->bytes, offset_of(scene),
			  FULL);
}

static int first_off(const struct scene *scene)
{
	return first_form(scene->counters, scene->bytes, offset_of(scene), 0);
}

/* The upper 16 bits of Scale are ignored, also where the lower 16 bits turn profiling off. */
TEST_F(aix, only_low_16_bits_of_scale_matter)
{
	static const unsigned int off[] = { 0, 1, 0x10000, 0x10001,
					    0xffff0000 };
	struct scene *scene = &self->scene;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(off); i++) {
		ASSERT_EQ(0, first_form(scene->counters, scene->bytes,
					offset_of(scene), FULL | 0x30000));
		EXPECT_TRUE(counts_at(scene, NEAR, 1));
		EXPECT_LE(1, *self->near);
		EXPECT_EQ(0, first_form(scene->counters, scene->bytes,
					offset_of(scene), off[i]));
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
		EXPECT_TRUE(is_silent(scene));
	}
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

/*
 * The second buffer begins where the first one ends. The last pc of the first range and the first
 * pc of the second one have different counters, with an explicit scale, which does not fill the
 * buffer, and with the scale computed from the size.
 */
TEST_F(aix, contiguous_buffers_stay_separate)
{
	struct scene *scene = &self->scene;
	size_t last = PAGE - sizeof(instruction);
	uint16_t *border = &scene->counters[PAGE / 2];
	uint16_t *below = &scene->counters[last / 2];
	struct profil_status status;
	int i;

	for (i = 0; i < 2; i++) {
		memset(scene->counters, 0, scene->bytes);
		self->array[0].p_scale = i ? FULL : -1;
		ASSERT_EQ(0, second_form(self->array));
		EXPECT_TRUE(counts_at(scene, last, 2));
		EXPECT_LE(2, *below);
		EXPECT_EQ(0, border[0]);
		EXPECT_TRUE(counts_at(scene, PAGE, 2));
		EXPECT_LE(2, border[0]);
		status = stop(scene->fd);
		EXPECT_EQ(status.counted, (uint64_t)*below + border[0]);
	}
}

/* "The count stays USHRT_MAX" in this form too. */
TEST_F(aix, full_counter_stays_at_65535)
{
	struct scene *scene = &self->scene;

	*self->far = 65534;
	ASSERT_EQ(0, second_form(self->array));
	EXPECT_TRUE(counts_at(scene, FAR, 3));
	EXPECT_EQ(65535, *self->far);
}

/* Any call that turns profiling on has no effect while it is on: the first profile continues. */
static void expect_first_continues(struct __test_metadata *_metadata,
				   struct _test_data_aix *self)
{
	struct scene *scene = &self->scene;
	uint16_t *others = map_memory(scene->bytes);
	uint16_t before = *self->near;
	struct prof array[3];

	memcpy(array, self->array, sizeof(array));
	array[0].p_buff = others;
	array[1].p_buff = others + PAGE / 2;
	EXPECT_EQ(0, first_form(others, scene->bytes, offset_of(scene), FULL));
	EXPECT_EQ(0, first_form(others, scene->bytes, offset_of(scene), 2));
	EXPECT_EQ(0, second_form(array));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_LT(before, *self->near);
	EXPECT_EQ(0, others[0]);
	EXPECT_EQ(0, others[NEAR / 2]);
	munmap(others, scene->bytes);
}

TEST_F(aix, on_while_on_has_no_effect)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, first_on(scene));
	expect_first_continues(_metadata, self);
	ASSERT_EQ(0, first_off(scene));
	ASSERT_EQ(0, second_form(self->array));
	expect_first_continues(_metadata, self);
}

TEST_F(aix, off_while_off_has_no_effect)
{
	struct scene *scene = &self->scene;

	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(0, second_form(&self->end));
	ASSERT_EQ(0, first_on(scene));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_F(aix, off_by_other_form_has_no_effect)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, first_on(scene));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));

	ASSERT_EQ(0, second_form(self->array));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(0, first_form(NULL, 0, 0, 0x10001));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

/*
 * A BufferSize of 0 turns off a profile of the first form. It has no effect while profiling is off
 * or on by the second form.
 */
TEST_F(aix, buffer_size_0_ends_first_form_only)
{
	struct scene *scene = &self->scene;

	EXPECT_EQ(0, first_form(NULL, 0, 0, FULL));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, first_form(NULL, 0, 0, FULL));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_TRUE(is_silent(scene));
	EXPECT_EQ(0, second_form(self->array));
	EXPECT_EQ(0, first_form(NULL, 0, 0, FULL));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

/* An array without any counter also turns profiling on. */
TEST_F(aix, array_without_counters_turns_on)
{
	struct scene *scene = &self->scene;
	struct prof array[2] = { self->array[0], self->array[2] };

	array[0].p_scale = 0;
	EXPECT_EQ(0, second_form(array));
	EXPECT_EQ(0, first_on(scene));
	EXPECT_EQ(0, second_form(self->array));
	EXPECT_TRUE(is_silent(scene));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	ASSERT_EQ(0, first_off(scene));
	/* profil_stop() ends it, like any other profile */
	EXPECT_EQ(0, second_form(array));
	EXPECT_EQ(0, profil_stop(NULL));
	EXPECT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

/* With p_scale -1, the last pcs of a range have a counter in a buffer of any size. */
TEST_F(aix, computed_scale_covers_whole_range)
{
	static const int sizes[] = { 2, 4, 8, 0x100 };
	struct scene *scene = &self->scene;
	size_t last = PAGE - sizeof(instruction), i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint16_t *counter = &scene->counters[sizes[i] / 2 - 1];

		memset(scene->counters, 0, scene->bytes);
		self->array[0].p_bufsize = sizes[i];
		ASSERT_EQ(0, second_form(self->array));
		EXPECT_TRUE(counts_at(scene, last, 2));
		EXPECT_LE(2, *counter);
		EXPECT_EQ(0, second_form(&self->end));
	}
}

/*
 * A profile that another function has started counts as off: the calls of AIX cannot turn it off,
 * but they can replace it.
 */
static int other_on(const struct scene *scene)
{
	return profil_osf1((short *)scene->counters, scene->bytes,
			   offset_of(scene), WHOLE);
}

TEST_F(aix, profile_of_other_function_counts_as_off)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, other_on(scene));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	/* counters of OSF/1 wrap, those of AIX do not */
	*self->near = 65535;
	EXPECT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(65535, *self->near);
	/* a profile that replaces one of AIX cannot be turned off by AIX's calls either */
	ASSERT_EQ(0, other_on(scene));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
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
	EXPECT_EQ(0, first_form(scene->counters, PAGE, offset_of(scene),
				FULL));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_F(aix, p_high_must_ascend)
{
	struct scene *scene = &self->scene;
	char *text = scene->text;
	int i;

	for (i = 0; i < 6; i++) {
		struct prof array[3];

		memcpy(array, self->array, sizeof(array));
		switch (i) {
		case 0:
			array[0].p_high = text + 2 * PAGE + 2;
			break;
		case 1:
			array[0].p_high = array[1].p_high;
			break;
		case 2:
			array[0].p_low = text + PAGE + 2;
			break;
		case 3:
			array[1].p_low = text + 2 * PAGE + 2;
			break;
		case 4:	/* below the first element */
			array[1].p_low = text - 4;
			array[1].p_high = text - 2;
			break;
		case 5:	/* the same for an element without counters */
			array[1].p_low = text;
			array[1].p_high = text + PAGE / 2;
			array[1].p_bufsize = 0;
			break;
		}
		EXPECT_EQ(EINVAL, second_form(array)) {
			TH_LOG("array %d", i);
		}
		EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	}
	/* none of these calls has turned profiling on */
	EXPECT_EQ(0, second_form(self->array));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_F(aix, unwritable_buffer_is_refused)
{
	struct scene *scene = &self->scene;
	unsigned long offset = offset_of(scene);
	void *read_only = mmap(NULL, PAGE, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

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
