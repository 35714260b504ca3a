/*
 * Kinetic sorted lists (Coming and Staadt, "Kinetic sweep and prune for multi-body continuous motion", 2006): boxes
 * whose sides move as polynomials of time, and which of them overlap, from event to event.
 *
 * Along each axis the ends of all boxes are kept in order. For each two that follow each other it is known when they
 * will change places; only then something happens: a lower end that comes before an upper one begins an overlap along
 * this axis, the other way round it ends. Boxes that overlap along all three axes are a pair.
 *
 *     sorted s = {.began = ..., .ended = ..., .context = ...};          told of pairs, during the calls below
 *     tact_kinetic_sweep_reserve(&s, allocator, n)                              room for numbers below n: nothing else
 * can fail tact_kinetic_sweep_insert(&s, numbers, count)                             many at once: O(n + k log k) for k
 * of them tact_kinetic_sweep_report(&s, numbers, count)                               tells of the pairs that they are
 * in tact_kinetic_sweep_set_box(&s, number, &box)                               from s.time on it moves so
 *     tact_kinetic_sweep_next(&s)                                               when two ends next change places;
 * INFINITY: never tact_kinetic_sweep_step(&s)                                               they do
 * tact_kinetic_sweep_advance(&s, time) all that happens up to then
 *
 * Rounding. The order of the lists is what counts: it is sound at every moment, and right but for ends that are within
 * rounding of each other. Two ends change places when the time computed for it has come, in the direction that their
 * speeds (or else accelerations) say, so that rounding cannot make them change back; a pair so begins or ends within
 * rounding of its time. Who must not miss anything gives boxes that are larger by more than that. What happens at the
 * same time happens in the order of (axis, number, side).
 */
#ifndef TACT_BROAD_KINETIC_SWEEP_H
#define TACT_BROAD_KINETIC_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/allocator.h>

#include "broad/broad.h"
#include "core/array.h"
#include "event/queue.h"

/* x + v (t - since) + a (t - since)^2 / 2 */
typedef struct kinetic_endpoint {
    double x, v, a;
} kinetic_endpoint;

typedef struct kinetic_box {
    double since; /* a time, not in the future */
    kinetic_endpoint
        endpoints[3][2]; /* along each axis the lower one, which is never above the other, and the upper one */
} kinetic_box;

ARRAY_OF(kinetic_box_array, kinetic_box);
ARRAY_OF(kinetic_filter_array, broad_filter);
ARRAY_OF(kinetic_number_array, uint32_t);

typedef struct kinetic_sweep {
    kinetic_box_array boxes;       /* by number */
    kinetic_filter_array filters;  /* likewise */
    kinetic_number_array order[3]; /* ends, number << 1 | side */
    kinetic_number_array ranks[3]; /* by end: where it is in the order; BROAD_NONE: not there */
    kinetic_number_array scratch;  /* for sorting and sweeping */
    event_queue queue;             /* 3 * end + axis: when this end changes places with its successor */
    double time;
    uint64_t swaps; /* so far, of ends in the course of time */
    void (*began)(void *context, uint32_t one, uint32_t other);
    void (*ended)(void *context, uint32_t one, uint32_t other);
    void *context; /* handed to both */
} kinetic_sweep;

void tact_kinetic_sweep_release(kinetic_sweep *s, const tact_allocator *allocator);

/* Room for numbers below `numbers`, at most 2^28. On failure nothing has changed. */
bool tact_kinetic_sweep_reserve(kinetic_sweep *s, const tact_allocator *allocator, uint32_t numbers);

static inline bool kinetic_sweep_has(const kinetic_sweep *s, uint32_t number)
{
    return number < s->boxes.count && s->ranks[0].items[2 * number] != BROAD_NONE;
}

/* Numbers that are not there, each once, whose boxes and filters the caller has put into s->boxes and s->filters. They
 * come from now on; their pairs have begun when they have been told. */
void tact_kinetic_sweep_insert(kinetic_sweep *s, const uint32_t *numbers, size_t count);

/* Tells as begun all pairs with at least one of these, which are there: to be asked once they have been inserted.
 * Changes nothing, so it may be asked twice: to count, and then to do what has to be done. O(n) and what overlaps along
 * x. */
void tact_kinetic_sweep_report(kinetic_sweep *s, const uint32_t *numbers, size_t count);

/* One that is there moves otherwise from now on, or is elsewhere. The cost is that of the ends that it passes. */
void tact_kinetic_sweep_set_box(kinetic_sweep *s, uint32_t number, const kinetic_box *b);

/* One that is there may meet others. O(n). */
void tact_kinetic_sweep_set_filter(kinetic_sweep *s, uint32_t number, broad_filter filter);

/* One that is there goes; its pairs end. O(n). */
void tact_kinetic_sweep_remove(kinetic_sweep *s, uint32_t number);

/* All go; nothing is told. */
void tact_kinetic_sweep_clear(kinetic_sweep *s);

double tact_kinetic_sweep_next(const kinetic_sweep *s);

/* Whether a pair begins with what happens next, and which. */
bool tact_kinetic_sweep_next_begins(const kinetic_sweep *s, uint32_t *one, uint32_t *other);

/* What happens next: there is something. The time is that of it, unless that has been. */
void tact_kinetic_sweep_step(kinetic_sweep *s);

/* `time` is not in the past. */
void tact_kinetic_sweep_advance(kinetic_sweep *s, double time);

/* Do two that are there overlap, by the order of the lists? */
bool tact_kinetic_sweep_overlap(const kinetic_sweep *s, uint32_t one, uint32_t other);

/* May they meet, by their filters? */
bool tact_kinetic_sweep_allows(const kinetic_sweep *s, uint32_t one, uint32_t other);

/* For how long from `time` on do two go on to overlap along all axes, up to rounding, if they do? INFINITY: for ever.
 */
double tact_kinetic_sweep_overlap_duration(const kinetic_sweep *s, uint32_t one, uint32_t other, double time);

#endif
