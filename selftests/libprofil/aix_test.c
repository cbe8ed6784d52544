// SPDX-License-Identifier: GPL-2.0-only
/*
 * profil() of AIX: its two forms, the calls that have no effect, and its
 * errors. Built with the headers of that system, whose profil() returns
 * nothing: whether it worked, errno alone tells.
 */
#include <mon.h>

#include "kselftest_harness.h"
#include "scene.h"

#define SOME_USER	7302	/* whom no other test charges */
#define SECOND		0xffffffffU	/* -1 as unsigned int */
#define FULL		0xffff

FIXTURE(aix) {
	struct scene scene;
	struct prof array[3];	/* a page each, and the end */
	struct prof end;	/* an array that turns profiling off */
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
	/* all but p_high is ignored */
	self->array[2] = (struct prof) {
		.p_low = (char *)1, .p_buff = (void *)1, .p_bufsize = -1,
	};
	self->end = self->array[2];
}

FIXTURE_TEARDOWN(aix)
{
	clear_scene(&self->scene);
}

/* The errno that a call leaves; 0: none */
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

/* The upper 16 bits of Scale are ignored, also where the rest says off. */
TEST_F(aix, scale)
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

TEST_F(aix, second_form)
{
	struct scene *scene = &self->scene;

	/* Offset and Scale are ignored, were they to mean off */
	errno = 0;
	profil(self->array, SECOND, 12345, 1);
	EXPECT_EQ(0, errno);
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_TRUE(counts_at(scene, FAR, 2));
	EXPECT_LE(2, *self->near);
	EXPECT_LE(2, *self->far);
	/* the array is read at the call only */
	memset(self->array, 0xff, sizeof(self->array));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
	EXPECT_TRUE(is_silent(scene));
}

/*
 * Buffers touch: the last counter of one and the first of the next are two.
 * With a scale of its own, which does not fill the buffer, as with that of its
 * size.
 */
TEST_F(aix, contiguous_buffers)
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
TEST_F(aix, full_counter)
{
	struct scene *scene = &self->scene;

	*self->far = 65534;
	ASSERT_EQ(0, second_form(self->array));
	EXPECT_TRUE(counts_at(scene, FAR, 3));
	EXPECT_EQ(65535, *self->far);
}

/* Turning on what is on: whatever is asked for, the first one goes on. */
static void see_first_go_on(struct __test_metadata *_metadata,
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

TEST_F(aix, on_while_on)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, first_on(scene));
	see_first_go_on(_metadata, self);
	ASSERT_EQ(0, first_off(scene));
	ASSERT_EQ(0, second_form(self->array));
	see_first_go_on(_metadata, self);
}

TEST_F(aix, off_while_off)
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

TEST_F(aix, off_by_the_other_form)
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
 * BufferSize 0 makes the first form ineffective, in each of the three states: off, on by
 * that form, on by the other.
 */
TEST_F(aix, no_buffer)
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

/* An array in which nothing can be counted is on all the same. */
TEST_F(aix, nothing_is_on)
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
	/* what ends all others ends it too */
	EXPECT_EQ(0, second_form(array));
	EXPECT_EQ(0, profil_stop(NULL));
	EXPECT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

/* p_scale -1: the last pcs of a range are counted, however small its buffer is. */
TEST_F(aix, whole_range)
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
 * What another function has begun is none of AIX's: it is off, but can be
 * replaced.
 */
static int other_on(const struct scene *scene)
{
	return profil_osf1((short *)scene->counters, scene->bytes,
			   offset_of(scene), WHOLE);
}

TEST_F(aix, other_functions)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, other_on(scene));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(0, second_form(&self->end));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	/* that one's counters wrap */
	*self->near = 65535;
	EXPECT_EQ(0, first_on(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 2));
	EXPECT_EQ(65535, *self->near);
	/* and what takes the place of AIX's is not AIX's to turn off */
	ASSERT_EQ(0, other_on(scene));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

/* Whether it is on, and by which form, is the child's to change for itself. */
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

TEST_F(aix, fork)
{
	struct scene *scene = &self->scene;

	ASSERT_EQ(0, first_on(scene));
	EXPECT_EQ(0, in_child(off_in_child, scene));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
	EXPECT_EQ(0, first_off(scene));
	EXPECT_EQ(PROFIL_STATE_OFF, scene_state(scene));
}

/* A profile whose memory has gone is off: the next one is no second one. */
TEST_F(aix, on_after_a_fault)
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

TEST_F(aix, order_of_p_high)
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
		case 4:	/* the first of them in the wrong place */
			array[1].p_low = text - 4;
			array[1].p_high = text - 2;
			break;
		case 5:	/* that it has no counters does not help */
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
	/* nor is it on */
	EXPECT_EQ(0, second_form(self->array));
	EXPECT_TRUE(counts_at(scene, NEAR, 1));
}

TEST_F(aix, bad_buffer)
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

/* The array itself, which no end may be found in before the memory ends. */
TEST_F(aix, unreadable_array)
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
static int without_rights(const struct scene *scene)
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

TEST_F(aix, memory_that_cannot_be_locked)
{
	EXPECT_EQ(0, in_child(without_rights, &self->scene));
}

TEST_HARNESS_MAIN
