/*
 * Animations, vertex motions and vertex plans as blocks: docs/record.md has the layout.
 *
 * An animation is written once; its id is the number of animations before it. Its key frames are stored in their scalar
 * type, without gaps. One that is read owns its key frames.
 */
#include "record/animation_blocks.h"

#include <math.h>
#include <string.h>

#include "core/little_endian.h"
#include "record/fields.h"

_Static_assert(sizeof(tact_scalar) == 4, "enums are u32");

static const record_field position_fields[] = {FIELD_F64S(3), {0}};
static const record_column position_column[] = {{0, sizeof(tact_vec3), position_fields}, {0}};

/* ---- animations ---- */

typedef struct animation_block {
    uint32_t scalar; /* tact_scalar */
    uint64_t frame_count, vertex_count;
    const double *times;
    const void *numbers; /* of all key frames */
} animation_block;

static const record_field animation_fields[] = {FIELD_BITS(animation_block, scalar, 1u),
                                                FIELD_U64(animation_block, frame_count),
                                                FIELD_U64(animation_block, vertex_count),
                                                {0}};
static const record_field f64_field[] = {FIELD_F64S(1), {0}};
static const record_field f32_field[] = {FIELD_U32S(1), {0}};
static const record_column time_column[] = {{offsetof(animation_block, times), sizeof(double), f64_field}, {0}};
static const record_column f64_column[] = {{offsetof(animation_block, numbers), sizeof(double), f64_field}, {0}};
static const record_column f32_column[] = {{offsetof(animation_block, numbers), sizeof(float), f32_field}, {0}};

static void put_frames(record_writer *w, const tact_animation *a)
{
    const size_t numbers = 3 * a->frame_count * a->vertices.count;
    const bool is_float = a->vertices.scalar == TACT_SCALAR_FLOAT;
    unsigned char *to = tact_writer_reserve(w, numbers, is_float ? sizeof(float) : sizeof(double));
    for (size_t i = 0; to != NULL && i < numbers / 3; ++i) {
        const tact_vec3 p = tact_animation_vertex(a, i / a->vertices.count, i % a->vertices.count);
        if (!is_float) {
            to = tact_fields_store(to, &p, position_fields);
            continue;
        }
        const float coordinates[3] = {(float)p.x, (float)p.y, (float)p.z}; /* exact: they were floats */
        for (int k = 0; k < 3; ++k) {
            uint32_t bits;
            memcpy(&bits, &coordinates[k], sizeof bits);
            to = store_le32(to, bits);
        }
    }
}

bool tact_writer_put_animation(record_writer *w, const tact_animation *animation)
{
    const uint64_t pointer = (uint64_t)(uintptr_t)animation;
    const animation_block block = {.scalar = (uint32_t)animation->vertices.scalar,
                                   .frame_count = animation->frame_count,
                                   .vertex_count = animation->vertices.count,
                                   .times = animation->times};
    uint32_t id;
    if (tact_pointer_ids_find(&w->ids, POINTER_KIND_ANIMATION, pointer, &id))
        return true;
    tact_writer_open(w, BLOCK_ANIMATION);
    tact_writer_put(w, &block, animation_fields);
    tact_writer_put_items(w, &block, time_column, animation->frame_count);
    put_frames(w, animation);
    tact_writer_close(w);
    if (!writer_ok(w))
        return false;
    if (w->animations.count >= UINT32_MAX ||
        !animation_array_reserve(&w->animations, &w->allocator, w->animations.count + 1) ||
        !tact_pointer_ids_add(&w->ids, &w->allocator, POINTER_KIND_ANIMATION, pointer, (uint32_t)w->animations.count))
        return tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory for the id of an animation");
    return animation_array_push(&w->animations, &w->allocator, tact_animation_retain(animation));
}

uint32_t tact_writer_animation_id(const record_writer *w, const tact_animation *animation)
{
    uint32_t id = 0;
    (void)tact_pointer_ids_find(&w->ids, POINTER_KIND_ANIMATION, (uint64_t)(uintptr_t)animation, &id);
    return id;
}

static tact_animation *read_animation(record_reader *r, tact_report *report)
{
    animation_block b = {0};
    if (!tact_reader_get(r, &b, animation_fields) || !tact_reader_get_items(r, &b, time_column, b.frame_count))
        return NULL;
    const bool is_float = b.scalar == TACT_SCALAR_FLOAT;
    const size_t vertex_size = 3 * (is_float ? sizeof(float) : sizeof(double));
    if (b.frame_count == 0) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "an animation without key frames");
        return NULL;
    }
    /* the product cannot overflow: there are as many times in the block */
    if (!tact_reader_has(r, b.vertex_count, (size_t)b.frame_count * vertex_size) ||
        !tact_reader_get_items(r, &b, is_float ? f32_column : f64_column, 3 * b.frame_count * b.vertex_count))
        return NULL;
    return tact_animation_create(
        &(tact_animation_def){.vertices = {b.numbers, (size_t)b.vertex_count, 0, (tact_scalar)b.scalar},
                              .frame_count = (size_t)b.frame_count,
                              .times = b.times,
                              .allocator = r->allocator},
        report);
}

bool tact_reader_get_animation(record_reader *r)
{
    tact_report report = {TACT_OK, ""};
    if (!animation_array_reserve(&r->animations, &r->allocator, r->animations.count + 1))
        return tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for an animation");
    tact_animation *animation = read_animation(r, &report);
    tact_reader_free_arrays(r);
    if (animation == NULL && report.status != TACT_OK)
        (void)tact_reader_fail(r, report.status, "animation %zu: %s", r->animations.count, report.text);
    if (!tact_reader_close(r) || animation == NULL) {
        tact_animation_release(animation);
        return false;
    }
    return animation_array_push(&r->animations, &r->allocator, animation); /* capacity is reserved */
}

/* ---- vertex motions ---- */

enum { MOTION_POSITIONS = 1, MOTION_VELOCITIES = 2, MOTION_TARGETS = 4 };

typedef struct vertex_motion_block {
    uint32_t flags; /* MOTION_... */
    tact_vertex_motion motion;
} vertex_motion_block;

static const record_field vertex_motion_fields[] = {
    FIELD_U32(vertex_motion_block, motion.first),
    FIELD_U32(vertex_motion_block, motion.count),
    FIELD_F64(vertex_motion_block, motion.end_time),
    FIELD_BITS(vertex_motion_block, flags, MOTION_POSITIONS | MOTION_VELOCITIES | MOTION_TARGETS),
    {0},
};

void tact_writer_put_vertex_motion(record_writer *w, const tact_vertex_motion *motion, uint32_t count)
{
    vertex_motion_block block = {.flags = (motion->positions != NULL ? (uint32_t)MOTION_POSITIONS : 0u) |
                                          (motion->velocities != NULL ? (uint32_t)MOTION_VELOCITIES : 0u) |
                                          (motion->targets != NULL ? (uint32_t)MOTION_TARGETS : 0u),
                                 .motion = *motion};
    block.motion.count = count;
    if (motion->targets == NULL)
        block.motion.end_time = 0.0; /* not used */
    tact_writer_put(w, &block, vertex_motion_fields);
    if (motion->positions != NULL)
        tact_writer_put_items(w, &motion->positions, position_column, count);
    if (motion->velocities != NULL)
        tact_writer_put_items(w, &motion->velocities, position_column, count);
    if (motion->targets != NULL)
        tact_writer_put_items(w, &motion->targets, position_column, count);
}

bool tact_reader_get_vertex_motion(record_reader *r, tact_vertex_motion *motion)
{
    vertex_motion_block block = {0};
    tact_vertex_motion *m = &block.motion;
    if (!tact_reader_get(r, &block, vertex_motion_fields) ||
        ((block.flags & MOTION_POSITIONS) && !tact_reader_get_items(r, &m->positions, position_column, m->count)) ||
        ((block.flags & MOTION_VELOCITIES) && !tact_reader_get_items(r, &m->velocities, position_column, m->count)) ||
        ((block.flags & MOTION_TARGETS) && !tact_reader_get_items(r, &m->targets, position_column, m->count)))
        return false;
    if (m->count == 0) /* no vertices; in tact_vertex_motion it means all of them */
        m->positions = m->velocities = m->targets = NULL;
    *motion = *m;
    return true;
}

/* ---- vertex plans ---- */

enum { PLAN_PLAYBACK = 1, PLAN_PATHS = 2, PLAN_BEFORE = 4, PLAN_SETTLED = 8 };

typedef struct plan_block {
    uint32_t flags; /* PLAN_... */
    vertex_plan plan;
} plan_block;

static const record_field plan_fields[] = {
    FIELD_BITS(plan_block, flags, PLAN_PLAYBACK | PLAN_PATHS | PLAN_BEFORE | PLAN_SETTLED),
    FIELD_U32(plan_block, plan.vertex_count),
    {0},
};
static const record_field playback_fields[] = {
    FIELD_ANIMATION(playback, animation), FIELD_F64(playback, start), FIELD_F64(playback, offset),
    FIELD_F64(playback, speed),           FIELD_BOOL(playback, loop), {0},
};
const record_field tact_linear_path_fields[] = {
    FIELD_F64(linear_path, t0),
    FIELD_F64(linear_path, t1),
    FIELD_F64(linear_path, x0),
    FIELD_F64(linear_path, x1),
    FIELD_BOOL(linear_path, has_velocity),
    {0},
};
static const record_field own_path_fields[] = {
    FIELD_BOOL(vertex_path, follows),
    FIELD_STRUCT(vertex_path, path, tact_linear_path_fields),
    FIELD_F64(vertex_path, end),
    {0},
};
static const record_field previous_path_fields[] = {
    FIELD_STRUCT(vertex_path, path, tact_linear_path_fields),
    {0},
};
static const record_field change_time_fields[] = {FIELD_F64S(1), {0}};
static const record_column own_path_columns[] = {
    {offsetof(plan_block, plan.paths), sizeof(vertex_path), own_path_fields},
    {offsetof(plan_block, plan.previous), sizeof(vertex_path), previous_path_fields},
    {offsetof(plan_block, plan.changed_at), sizeof(double), change_time_fields},
    {0},
};

static const record_field index_field[] = {FIELD_U32S(1), {0}};

static void put_plan(record_writer *w, const vertex_plan *plan, bool before, double time)
{
    const plan_block block = {.flags = (plan->playback.animation != NULL ? (uint32_t)PLAN_PLAYBACK : 0u) |
                                       (plan->paths != NULL ? (uint32_t)PLAN_PATHS : 0u) |
                                       (before ? (uint32_t)PLAN_BEFORE : 0u) |
                                       (plan->settled && plan->settled_at == time ? (uint32_t)PLAN_SETTLED : 0u),
                              .plan = *plan};
    tact_writer_put(w, &block, plan_fields);
    if (block.flags & PLAN_PLAYBACK)
        tact_writer_put(w, &plan->playback, playback_fields);
    if (block.flags & PLAN_PATHS)
        tact_writer_put_items(w, &block, own_path_columns, plan->vertex_count);
}

void tact_writer_put_vertex_plan(record_writer *w, uint32_t index, const vertex_plan *plan, double time)
{
    const bool before = plan->before != NULL && plan->playback.start == time;
    const tact_animation *animations[2] = {plan->playback.animation, before ? plan->before->playback.animation : NULL};
    for (int i = 0; i < 2; ++i)
        if (animations[i] != NULL && !tact_writer_put_animation(w, animations[i]))
            return;
    tact_writer_open(w, BLOCK_VERTEX_PLAN);
    tact_writer_put(w, &index, index_field);
    put_plan(w, plan, before, time);
    if (before)
        put_plan(w, plan->before, false, time);
    tact_writer_close(w);
}

/* Reads a plan into temporary arrays. */
static bool get_plan(record_reader *r, plan_block *block)
{
    *block = (plan_block){0};
    if (!tact_reader_get(r, block, plan_fields) ||
        ((block->flags & PLAN_PLAYBACK) && !tact_reader_get(r, &block->plan.playback, playback_fields)))
        return false;
    block->plan.settled = block->flags & PLAN_SETTLED;
    block->plan.settled_at = NAN; /* the time of the world, when that is known */
    if (!(block->flags & PLAN_PATHS))
        return true;
    return block->plan.vertex_count > 0 ? tact_reader_get_items(r, block, own_path_columns, block->plan.vertex_count)
                                        : tact_reader_fail(r, TACT_BAD_ARGUMENT, "a vertex plan without vertices");
}

bool tact_reader_get_vertex_plan(record_reader *r, uint32_t *index, vertex_plan **plan)
{
    plan_block block, before;
    *plan = NULL;
    bool ok = tact_reader_get(r, index, index_field) && get_plan(r, &block);
    if (ok && (block.flags & PLAN_BEFORE)) {
        ok = get_plan(r, &before);
        if (ok && (before.flags & PLAN_BEFORE))
            ok = tact_reader_fail(r, TACT_BAD_ARGUMENT, "a vertex plan with two plans before it");
        block.plan.before = &before.plan;
    }
    if (ok && !r->overrun) {
        *plan = tact_vertex_plan_copy(&block.plan, &r->allocator);
        if (*plan == NULL)
            ok = tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for a vertex plan");
    }
    tact_reader_free_arrays(r);
    return ok;
}

void tact_reader_free_vertex_plan(record_reader *r, vertex_plan *plan)
{
    if (plan == NULL)
        return;
    tact_vertex_plan_release(plan, &r->allocator);
    tact_memory_free(&r->allocator, plan, 1, sizeof *plan);
}
