/* Checks of pair queries on complex shapes. Include it after cmocka.h. */
#ifndef TACT_TEST_PAIR_CHECKS_H
#define TACT_TEST_PAIR_CHECKS_H

#include <tact/query.h>

/* Do the shapes overlap? The query must succeed and give the same answer with the shapes swapped. */
static inline bool touch(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                         tact_transform transform_b)
{
    tact_overlap v = tact_shapes_overlap(a, transform_a, b, transform_b, NULL);
    assert_int_equal(v.status, TACT_OK);
    tact_overlap w = tact_shapes_overlap(b, transform_b, a, transform_a, NULL);
    assert_true(w.status == v.status && w.state == v.state);
    return v.state == TACT_HIT;
}

static inline bool same_point(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static inline bool same_part(tact_part a, tact_part b) { return a.leaf == b.leaf && a.face == b.face; }

#endif
