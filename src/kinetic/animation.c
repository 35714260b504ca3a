/*
 * Animations: key frames in the caller's format, copied or borrowed, and the times of the world at which they play.
 *
 * Key frame i of repetition n is at start + ((n D + (times[i] - times[0])) - offset) / speed, each operation rounded,
 * where D is the duration. Rounding is monotone, so the times never descend. The last key frame of a repetition is at
 * the time of the first one of the next: it is computed as that.
 */
#include "kinetic/animation.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "kinetic/kinetic_constants.h"
#include "shape/mesh.h"

/* ---- creation ---- */

static size_t scalar_bytes(tact_scalar scalar) { return scalar == TACT_SCALAR_FLOAT ? sizeof(float) : sizeof(double); }

static tact_vertices frame_at(const tact_vertices *first, size_t frame_stride, size_t frame)
{
    tact_vertices vertices = *first;
    vertices.data = (const unsigned char *)first->data + frame * frame_stride;
    return vertices;
}

static bool times_ascend(const double *times, size_t count, tact_report *report)
{
    for (size_t i = 0; times != NULL && i < count; ++i)
        if (!(fabs(times[i]) <= ANIMATION_MAX_VALUE) || (i > 0 && !(times[i] > times[i - 1]))) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "time %g of key frame %zu is not valid: times must ascend", times[i], i);
            return false;
        }
    return true;
}

/* Checks the def, and finds the strides that it leaves out. */
static bool def_check(const tact_animation_def *def, size_t *stride, size_t *frame_stride, tact_report *report)
{
    if (def == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the def is NULL");
        return false;
    }
    const tact_vertices *v = &def->vertices;
    if (def->frame_count == 0 || v->count == 0) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "an animation needs key frames and vertices");
        return false;
    }
    if (!tact_vertices_check(v, 0, v->count, ANIMATION_MAX_VALUE, report))
        return false;
    *stride = v->stride != 0 ? v->stride : 3 * scalar_bytes(v->scalar);
    *frame_stride = def->frame_stride != 0 ? def->frame_stride : v->count * *stride;
    const size_t least = (v->count - 1) * *stride + 3 * scalar_bytes(v->scalar);
    if (*frame_stride < least || def->frame_count > SIZE_MAX / 4 / *frame_stride) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "a frame stride of %zu bytes does not fit %zu key frames",
                               *frame_stride, def->frame_count);
        return false;
    }
    for (size_t i = 1; i < def->frame_count; ++i) {
        const tact_vertices frame = frame_at(v, *frame_stride, i);
        if (!tact_vertices_check(&frame, 0, v->count, ANIMATION_MAX_VALUE, report)) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                                   "key frame %zu has a vertex that is not finite or too far out", i);
            return false;
        }
    }
    return times_ascend(def->times, def->frame_count, report);
}

/* Copies the key frames, tightly packed. False: out of memory. */
static bool copy_frames(tact_animation *a, const tact_animation_def *def, size_t stride, size_t frame_stride)
{
    const size_t vertex_size = 3 * scalar_bytes(def->vertices.scalar), count = def->vertices.count;
    a->copy_size = def->frame_count * count * vertex_size;
    a->copy = tact_memory_allocate(&a->allocator, a->copy_size, 1);
    if (a->copy == NULL)
        return false;
    unsigned char *to = a->copy;
    for (size_t i = 0; i < def->frame_count; ++i)
        for (size_t v = 0; v < count; ++v, to += vertex_size)
            memcpy(to, (const unsigned char *)def->vertices.data + i * frame_stride + v * stride, vertex_size);
    a->vertices.data = a->copy;
    a->vertices.stride = vertex_size;
    a->frame_stride = count * vertex_size;
    return true;
}

static void animation_free(tact_animation *a)
{
    const tact_allocator allocator = a->allocator;
    tact_memory_free(&allocator, a->copy, a->copy_size, 1);
    tact_memory_free(&allocator, a->times, a->frame_count, sizeof *a->times);
    tact_memory_free(&allocator, a, 1, sizeof *a);
}

tact_animation *tact_animation_create(const tact_animation_def *def, tact_report *report)
{
    size_t stride, frame_stride;
    if (!def_check(def, &stride, &frame_stride, report))
        return NULL;
    tact_animation *a = tact_memory_allocate(&def->allocator, 1, sizeof *a);
    if (a != NULL) {
        memset(a, 0, sizeof *a);
        a->allocator = def->allocator;
        a->vertices = def->vertices;
        a->vertices.stride = stride;
        a->frame_count = def->frame_count;
        a->frame_stride = frame_stride;
        atomic_init(&a->references, 1);
        a->times = tact_memory_allocate(&a->allocator, a->frame_count, sizeof *a->times);
        if (a->times == NULL || (!def->borrow && !copy_frames(a, def, stride, frame_stride))) {
            animation_free(a);
            a = NULL;
        }
    }
    if (a == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < a->frame_count; ++i)
        a->times[i] = def->times != NULL ? def->times[i] : (double)i;
    (void)tact_report_clear(report);
    return a;
}

tact_animation *tact_animation_retain(const tact_animation *animation)
{
    tact_animation *counted = (tact_animation *)animation; /* the count is not part of the value */
    if (counted != NULL)
        (void)atomic_fetch_add_explicit(&counted->references, 1, memory_order_relaxed);
    return counted;
}

void tact_animation_release(tact_animation *animation)
{
    if (animation != NULL && atomic_fetch_sub_explicit(&animation->references, 1, memory_order_acq_rel) == 1)
        animation_free(animation);
}

size_t tact_animation_get_frame_count(const tact_animation *animation)
{
    return animation != NULL ? animation->frame_count : 0;
}

size_t tact_animation_get_vertex_count(const tact_animation *animation)
{
    return animation != NULL ? animation->vertices.count : 0;
}

double tact_animation_get_time(const tact_animation *animation, size_t frame)
{
    return animation != NULL && frame < animation->frame_count ? animation->times[frame] : 0.0;
}

tact_vec3 tact_animation_vertex(const tact_animation *animation, size_t frame, size_t vertex)
{
    const tact_vertices vertices = frame_at(&animation->vertices, animation->frame_stride, frame);
    return tact_vertices_get(&vertices, vertex);
}

/* ---- times ---- */

static double duration_of(const tact_animation *a) { return a->times[a->frame_count - 1] - a->times[0]; }

/* The time of the world at key frame `frame` of repetition n. The last key frame in a loop is the first of the next. */
static double key_time(const playback *p, double n, size_t frame)
{
    const tact_animation *a = p->animation;
    if (p->loop && frame + 1 == a->frame_count) {
        n += 1.0;
        frame = 0;
    }
    return p->start + ((n * duration_of(a) + (a->times[frame] - a->times[0])) - p->offset) / p->speed;
}

bool tact_playback_valid(const playback *p)
{
    const tact_animation *a = p->animation;
    if (!(p->speed > 0.0) || !(p->speed <= ANIMATION_MAX_VALUE) || !(p->offset >= 0.0) ||
        !(p->offset <= duration_of(a)))
        return false;
    for (size_t i = 0; i < a->frame_count; ++i)
        if (!(fabs(key_time(p, 0.0, i)) <= ANIMATION_MAX_VALUE) ||
            (i > 0 && !(key_time(p, 0.0, i) > key_time(p, 0.0, i - 1))))
            return false;
    return true;
}

bool tact_playback_valid_at(const playback *p, double time)
{
    const double duration = duration_of(p->animation);
    return tact_playback_valid(p) && p->start <= time &&
           (!p->loop || duration == 0.0 ||
            ((time - p->start) * p->speed + p->offset) / duration <= ANIMATION_MAX_REPETITION);
}

/* The repetition at a time: the largest n whose first key frame is not after it. */
static double repetition_at(const playback *p, double time)
{
    const double duration = duration_of(p->animation);
    if (!p->loop || duration == 0.0)
        return 0.0;
    double n = floor(((time - p->start) * p->speed + p->offset) / duration);
    n = n > 0.0 ? n : 0.0;
    n = n < ANIMATION_MAX_REPETITION ? n : ANIMATION_MAX_REPETITION;
    while (n > 0.0 && key_time(p, n, 0) > time) /* off by rounding */
        n -= 1.0;
    while (n < ANIMATION_MAX_REPETITION && key_time(p, n + 1.0, 0) <= time)
        n += 1.0;
    return n;
}

playback_piece tact_playback_piece_at(const playback *p, double time)
{
    const size_t last = p->animation->frame_count - 1;
    const double n = repetition_at(p, time);
    size_t low = 0, high = last; /* the largest frame not after the time is in [low, high] */
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (key_time(p, n, middle) <= time)
            low = middle;
        else
            high = middle - 1;
    }
    if (low < last)
        return (playback_piece){low, low + 1, key_time(p, n, low), key_time(p, n, low + 1)};
    return (playback_piece){last, last, key_time(p, n, last), INFINITY};
}

playback_piece tact_playback_piece_before(const playback *p, const playback_piece *piece, double time)
{
    const size_t last = p->animation->frame_count - 1;
    if (!p->loop || piece->from != 0 || last == 0 || piece->begin != time || !(time > p->start))
        return *piece; /* positions are continuous */
    const double begin = key_time(p, repetition_at(p, time) - 1.0, last - 1);
    if (!(begin < time)) /* two key frames at one time, by rounding: the position is that of the last */
        return (playback_piece){last, last, time, INFINITY};
    return (playback_piece){last - 1, last, begin, time};
}

linear_path tact_playback_path(const playback *p, const playback_piece *piece, uint32_t vertex)
{
    const tact_vec3 from = tact_animation_vertex(p->animation, piece->from, vertex);
    if (piece->from == piece->to)
        return linear_path_at_rest(from, piece->begin);
    return (linear_path){piece->begin, piece->end, from, tact_animation_vertex(p->animation, piece->to, vertex), false};
}
