/*
 * The conventions, the same for every pair of shapes: one table of shapes, each with a point that is farthest along +x
 * and one along -x, and every ordered pair of them put side by side along x, apart, touching and overlapping.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

/* All shapes extend from -1 to 1 along x, at the height `y` and at z = 0; pairs stay within coordinates of 8. */
typedef struct entry {
    const char *name;
    tact_shape_type type;
    double y;
    tact_shape *plain;
    tact_shape *rounded; /* with `margin` */
    double margin;
} entry;

enum { ENTRIES = 16 };

static const double largest = 8.0; /* L of all pairs here */
static double slack(double distance) { return 1e-10 * distance + 32.0 * 0x1p-53 * largest; }

static tact_vec3 custom_box(void *context, tact_vec3 n)
{
    (void)context;
    return (tact_vec3){n.x < 0 ? -1.0 : 1.0, n.y < 0 ? -0.5 : 0.5, n.z < 0 ? -0.25 : 0.25};
}

static tact_vec3 custom_nan(void *context, tact_vec3 n)
{
    (void)context;
    return (tact_vec3){n.x, NAN, n.z};
}

static tact_shape *joined(tact_shape_type type, tact_shape *a, tact_shape *b)
{
    tact_shape *both = type == TACT_MINKOWSKI_SUM ? tact_minkowski_sum(a, b) : tact_convex_hull_of(a, b);
    tact_shape_release(a);
    tact_shape_release(b);
    return both;
}

static int make_entries(void **state)
{
    static entry table[ENTRIES];
    static const tact_vec3 points[] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0, -0.5}};
    int n = 0;
#define ENTRY(word, kind, height, shape) table[n++] = (entry){word, kind, height, shape, NULL, 0.0}
    ENTRY("point", TACT_POINT, 0, tact_point(tact_vec(0, 0, 0))); /* reaches 0; see reach() */
    ENTRY("segment", TACT_SEGMENT, 0, tact_segment(points[0], points[1]));
    ENTRY("triangle", TACT_TRIANGLE, 0, tact_triangle(points[0], points[1], points[2]));
    ENTRY("tetrahedron", TACT_TETRAHEDRON, 0, tact_tetrahedron(points[0], points[1], points[2], points[3]));
    ENTRY("sphere", TACT_SPHERE, 0, tact_sphere(1));
    ENTRY("box", TACT_BOX, 0, tact_box(2, 1, 0.5));
    ENTRY("capsule", TACT_CAPSULE, 0, tact_capsule(1, 1));
    ENTRY("cylinder", TACT_CYLINDER, 0, tact_cylinder(1, 1));
    ENTRY("cone", TACT_CONE, -0.5, tact_cone(1, 1));
    ENTRY("ellipsoid", TACT_ELLIPSOID, 0, tact_ellipsoid(1, 0.5, 2));
    static const tact_vec3 corners[] = {{-1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, -1, 0}};
    ENTRY("polygon", TACT_POLYGON, 0, tact_polygon(corners, 4));
    ENTRY("hull", TACT_HULL, 0, tact_hull(points, 6));
    ENTRY("sum", TACT_MINKOWSKI_SUM, 0, joined(TACT_MINKOWSKI_SUM, tact_sphere(0.5), tact_box(1, 1, 1)));
    ENTRY("join", TACT_CONVEX_HULL_OF, 0, joined(TACT_CONVEX_HULL_OF, tact_sphere(0.5), tact_box(2, 0.5, 0.5)));
    tact_shape *half = tact_box(1, 1, 1);
    ENTRY("placed", TACT_TRANSFORMED, 0,
          tact_transformed(half, tact_transform_make(tact_vec(0, 0, 0), (tact_quat){0, 0, 0, 1}, tact_vec(-2, 1, 1))));
    tact_shape_release(half);
    ENTRY("custom", TACT_CUSTOM, 0, tact_custom(custom_box, NULL, 1.2));
#undef ENTRY
    for (int i = 0; i < ENTRIES; i++) {
        table[i].margin = ldexp(1.0, -4 - i % 3);
        table[i].rounded = tact_rounded(table[i].plain, table[i].margin);
        if (!table[i].plain || !table[i].rounded)
            return -1;
    }
    *state = table;
    return 0;
}

static int release_entries(void **state)
{
    entry *table = *state;
    for (int i = 0; i < ENTRIES; i++) {
        tact_shape_release(table[i].plain);
        tact_shape_release(table[i].rounded);
    }
    return 0;
}

static double reach(const entry *e) { return e->type == TACT_POINT ? 0.0 : 1.0; }

/* B beside A along +x with `gap` between their extreme points. */
static tact_transform beside(const entry *a, const entry *b, double gap)
{
    return tact_at(reach(a) + reach(b) + gap, a->y - b->y, 0);
}

static double off(tact_vec3 p, tact_vec3 q) { return fmax(fabs(p.x - q.x), fmax(fabs(p.y - q.y), fabs(p.z - q.z))); }

static tact_vec3 along(tact_vec3 p, double s, tact_vec3 n)
{
    return tact_vec(p.x + s * n.x, p.y + s * n.y, p.z + s * n.z);
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (a == 0.0 && b == 0.0); }

static bool same_vec(tact_vec3 a, tact_vec3 b) { return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z); }

static bool opposite(tact_vec3 a, tact_vec3 b) { return same_vec(a, tact_vec(-b.x, -b.y, -b.z)); }

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail_msg("%s and %s, gap %g: %s", a->name, b->name, gap, #condition);                                      \
    } while (0)

static const tact_vec3 plus_x = {1, 0, 0};
static const tact_vec3 zero = {0, 0, 0};

/* The normal is found to about the square root of the distance's accuracy at worst. */
static const double normal_slack = 2e-5;

static void apart(const entry *a, const tact_shape *shape_a, const entry *b, const tact_shape *shape_b,
                  tact_transform transform_b, double gap)
{
    tact_transform transform_a = tact_identity();
    tact_distance d = tact_shapes_distance(shape_a, transform_a, shape_b, transform_b);
    CHECK(d.status == TACT_OK);
    CHECK(fabs(d.distance - gap) <= slack(gap));
    CHECK(off(d.normal, plus_x) <= normal_slack);
    CHECK(d.on_a.x < d.on_b.x);
    CHECK(fabs(d.on_b.x - d.on_a.x - gap) <= slack(gap));
    CHECK(off(d.on_b, along(d.on_a, d.distance, d.normal)) <= normal_slack * gap + slack(gap));
    tact_penetration p = tact_shapes_penetration(shape_a, transform_a, shape_b, transform_b);
    CHECK(p.status == TACT_OK);
    CHECK(p.depth < 0);
    CHECK(fabs(p.depth + gap) <= slack(gap));
    CHECK(off(p.normal, plus_x) <= normal_slack);
    CHECK(off(p.on_a, along(p.on_b, p.depth, p.normal)) <= slack(gap));
    tact_overlap touch = tact_shapes_overlap(shape_a, transform_a, shape_b, transform_b, NULL);
    CHECK(touch.status == TACT_OK && touch.state == TACT_MISS);
    CHECK(tact_shapes_within(shape_a, transform_a, shape_b, transform_b, gap + 1e-11 * largest, NULL).state ==
          TACT_HIT);
    CHECK(tact_shapes_within(shape_a, transform_a, shape_b, transform_b, gap - 1e-11 * largest, NULL).state ==
          TACT_MISS);
    tact_common_point c = tact_shapes_common_point(shape_a, transform_a, shape_b, transform_b, NULL);
    CHECK(c.status == TACT_OK && c.state == TACT_MISS && same_vec(c.point, zero));
}

static void normals_point_from_a_to_b_and_depth_is_minus_the_distance(void **state)
{
    entry *table = *state;
    static const double gaps[] = {0x1p-12, 0.25, 3.0};
    for (int i = 0; i < ENTRIES; i++)
        for (int j = 0; j < ENTRIES; j++)
            for (int k = 0; k < 3; k++) {
                const entry *a = &table[i], *b = &table[j];
                apart(a, a->plain, b, b->plain, beside(a, b, gaps[k]), gaps[k]);
            }
}

static void margins_are_subtracted_from_the_distance(void **state)
{
    entry *table = *state;
    for (int i = 0; i < ENTRIES; i++)
        for (int j = 0; j < ENTRIES; j++) {
            const entry *a = &table[i], *b = &table[j];
            double gap = 0.25;
            apart(a, a->rounded, b, b->plain, beside(a, b, gap), gap - a->margin);
            apart(a, a->plain, b, b->rounded, beside(a, b, gap), gap - b->margin);
            apart(a, a->rounded, b, b->rounded, beside(a, b, gap), gap - a->margin - b->margin);
            /* overlap of the margins alone: depth and direction are known */
            gap = 0x1p-8;
            double deep = a->margin + b->margin - gap;
            tact_penetration p = tact_shapes_penetration(a->rounded, tact_identity(), b->rounded, beside(a, b, gap));
            CHECK(p.status == TACT_OK);
            CHECK(fabs(p.depth - deep) <= slack(0.25));
            CHECK(off(p.normal, plus_x) <= normal_slack);
            CHECK(p.on_a.x > p.on_b.x);
            CHECK(off(p.on_a, along(p.on_b, p.depth, p.normal)) <= slack(0.25));
            CHECK(tact_shapes_overlap(a->rounded, tact_identity(), b->rounded, beside(a, b, gap), NULL).state ==
                  TACT_HIT);
            tact_distance d = tact_shapes_distance(a->rounded, tact_identity(), b->rounded, beside(a, b, gap));
            CHECK(d.status == TACT_OK && d.distance == 0.0 && same_vec(d.normal, zero) && same_vec(d.on_a, d.on_b));
        }
}

static void touching_is_a_hit_and_overlap_is_positive(void **state)
{
    entry *table = *state;
    static const double gaps[] = {0.0, -0x1p-3, -0.5};
    for (int i = 0; i < ENTRIES; i++)
        for (int j = 0; j < ENTRIES; j++)
            for (int k = 0; k < 3; k++) {
                const entry *a = &table[i], *b = &table[j];
                double gap = gaps[k];
                tact_transform transform_a = tact_identity(), transform_b = beside(a, b, gap);
                if (reach(a) + reach(b) + gap < 0.0)
                    continue; /* two points cannot overlap */
                tact_overlap touch = tact_shapes_overlap(a->plain, transform_a, b->plain, transform_b, NULL);
                CHECK(touch.status == TACT_OK && touch.state == TACT_HIT);
                CHECK(tact_shapes_within(a->plain, transform_a, b->plain, transform_b, 0.0, NULL).state == TACT_HIT);
                tact_distance d = tact_shapes_distance(a->plain, transform_a, b->plain, transform_b);
                CHECK(d.status == TACT_OK && d.distance <= slack(0));
                CHECK(d.distance > 0 || (same_vec(d.on_a, d.on_b) && same_vec(d.normal, zero)));
                tact_penetration p = tact_shapes_penetration(a->plain, transform_a, b->plain, transform_b);
                CHECK(p.status == TACT_OK);
                CHECK(p.depth >= -slack(0) && p.depth <= -gap * (1.0 + 1e-6) + slack(0));
                CHECK(fabs(p.normal.x * p.normal.x + p.normal.y * p.normal.y + p.normal.z * p.normal.z - 1.0) <= 1e-14);
                CHECK(off(p.on_a, along(p.on_b, p.depth, p.normal)) <= slack(0));
                /* a translation by slightly more than depth * normal separates them; slightly less does not */
                tact_transform out =
                    tact_transform_translate(transform_b, along(zero, p.depth * (1.0 + 2e-6) + 1e-9, p.normal));
                CHECK(tact_shapes_overlap(a->plain, transform_a, b->plain, out, NULL).state == TACT_MISS);
                tact_transform in =
                    tact_transform_translate(transform_b, along(zero, p.depth * (1.0 - 2e-6) - 1e-9, p.normal));
                CHECK(p.depth < 1e-3 ||
                      tact_shapes_overlap(a->plain, transform_a, b->plain, in, NULL).state == TACT_HIT);
                tact_common_point c = tact_shapes_common_point(a->plain, transform_a, b->plain, transform_b, NULL);
                CHECK(c.status == TACT_OK && c.state == TACT_HIT);
                CHECK(c.point.x >= 1.0 * reach(a) + gap - slack(1) && c.point.x <= reach(a) + slack(1));
            }
}

static void swapping_mirrors_every_answer_exactly(void **state)
{
    entry *table = *state;
    static const double gaps[] = {1.0 / 3.0, 0.0, -0.1, -0.7};
    for (int i = 0; i < ENTRIES; i++)
        for (int j = 0; j < ENTRIES; j++)
            for (int k = 0; k < 8; k++) {
                const entry *a = &table[i], *b = &table[j];
                double gap = gaps[k % 4];
                const tact_shape *p = k < 4 ? a->plain : a->rounded, *q = k < 4 ? b->plain : b->rounded;
                tact_quat turn = tact_quat_from_axis_angle(tact_vec(1, 2, 3), 0.3 * k);
                tact_transform transform_a = tact_transform_make(tact_vec(0.1, -0.2, 0.3), turn, tact_vec(1, -1.5, 1));
                tact_transform transform_b = beside(a, b, gap);
                tact_distance d = tact_shapes_distance(p, transform_a, q, transform_b),
                              e = tact_shapes_distance(q, transform_b, p, transform_a);
                CHECK(d.status == e.status && same(d.distance, e.distance));
                CHECK(same_vec(d.on_a, e.on_b) && same_vec(d.on_b, e.on_a) && opposite(d.normal, e.normal));
                tact_penetration f = tact_shapes_penetration(p, transform_a, q, transform_b),
                                 g = tact_shapes_penetration(q, transform_b, p, transform_a);
                CHECK(f.status == g.status && same(f.depth, g.depth));
                CHECK(same_vec(f.on_a, g.on_b) && same_vec(f.on_b, g.on_a) && opposite(f.normal, g.normal));
                tact_common_point c = tact_shapes_common_point(p, transform_a, q, transform_b, NULL),
                                  h = tact_shapes_common_point(q, transform_b, p, transform_a, NULL);
                CHECK(c.state == h.state && same_vec(c.point, h.point));
                CHECK(tact_shapes_overlap(p, transform_a, q, transform_b, NULL).state ==
                      tact_shapes_overlap(q, transform_b, p, transform_a, NULL).state);
                tact_manifold m = tact_shapes_manifold(p, transform_a, q, transform_b, 0.05),
                              n = tact_shapes_manifold(q, transform_b, p, transform_a, 0.05);
                CHECK(m.status == n.status && m.state == n.state && m.count == n.count && same(m.depth, n.depth));
                CHECK(opposite(m.normal, n.normal));
                for (int l = 0; l < m.count; l++)
                    CHECK(same_vec(m.points[l].on_a, n.points[l].on_b) && same_vec(m.points[l].on_b, n.points[l].on_a));
            }
}

static void points_are_in_world_coordinates(void **state)
{
    entry *table = *state;
    const tact_vec3 step = {2, -3, 1};
    for (int i = 0; i < ENTRIES; i++)
        for (int j = 0; j < ENTRIES; j++)
            for (int k = 0; k < 2; k++) {
                const entry *a = &table[i], *b = &table[j];
                double gap = k ? 0.25 : -0.25;
                tact_transform transform_a = tact_identity(), transform_b = beside(a, b, gap);
                tact_transform to_a = tact_transform_translate(transform_a, step),
                               to_b = tact_transform_translate(transform_b, step);
                tact_penetration p = tact_shapes_penetration(a->plain, transform_a, b->plain, transform_b),
                                 q = tact_shapes_penetration(a->plain, to_a, b->plain, to_b);
                CHECK(fabs(p.depth - q.depth) <= 2e-6 * fabs(p.depth) + 2.0 * slack(0));
                if (k) { /* the closest points need not be unique, but are on the facing sides */
                    CHECK(fabs(p.on_a.x + step.x - q.on_a.x) <= 1e-5);
                    CHECK(fabs(p.on_b.x + step.x - q.on_b.x) <= 1e-5);
                }
                /* a quarter turn about z: x becomes y */
                tact_transform turn = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, 0}};
                tact_penetration r = tact_shapes_penetration(a->plain, tact_transform_compose(turn, transform_a),
                                                             b->plain, tact_transform_compose(turn, transform_b));
                CHECK(fabs(p.depth - r.depth) <= 2e-6 * fabs(p.depth) + 2.0 * slack(0));
                if (k)
                    CHECK(off(r.normal, tact_vec(0, 1, 0)) <= normal_slack);
            }
}

/* ---- bad input ---- */

static bool no_distance(const tact_distance *r)
{
    return r->distance == 0 && same_vec(r->on_a, zero) && same_vec(r->on_b, zero) && same_vec(r->normal, zero);
}

static bool no_overlap(const tact_overlap *r) { return r->state == TACT_UNKNOWN; }

static bool no_common_point(const tact_common_point *r) { return r->state == TACT_UNKNOWN && same_vec(r->point, zero); }

static bool no_penetration(const tact_penetration *r)
{
    return r->depth == 0 && same_vec(r->on_a, zero) && same_vec(r->on_b, zero) && same_vec(r->normal, zero);
}

static bool no_manifold(const tact_manifold *r)
{
    bool empty = r->state == TACT_UNKNOWN && r->depth == 0 && r->count == 0 && same_vec(r->normal, zero);
    for (int i = 0; i < TACT_MANIFOLD_POINTS; i++)
        empty =
            empty && same_vec(r->points[i].on_a, zero) && same_vec(r->points[i].on_b, zero) && r->points[i].depth == 0;
    return empty;
}

static bool no_ray_hit(const tact_ray_hit *r)
{
    return r->state == TACT_UNKNOWN && r->t == 0 && same_vec(r->point, zero) && same_vec(r->normal, zero);
}

static bool no_closest(const tact_closest *r)
{
    return r->distance == 0 && same_vec(r->point, zero) && same_vec(r->normal, zero);
}

static bool no_toi(const tact_toi *r)
{
    return r->state == TACT_UNKNOWN && r->time == 0 && same_vec(r->point, zero) && same_vec(r->normal, zero);
}

/* BAD_ARGUMENT, and all else zero. `type` is that of the answer without its tact_. */
#define REFUSED(type, call)                                                                                            \
    do {                                                                                                               \
        tact_##type answer_ = (call);                                                                                  \
        if (answer_.status != TACT_BAD_ARGUMENT)                                                                       \
            fail_msg("%s: %s: status %d", what, #call, (int)answer_.status);                                           \
        if (!no_##type(&answer_))                                                                                      \
            fail_msg("%s: %s: the answer is not zero", what, #call);                                                   \
    } while (0)

static void refused(const char *what, const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                    tact_transform transform_b)
{
    tact_cache cache = {{1, 0, 0}};
    tact_distance_def def = tact_distance_def_default();
    tact_toi_def impact = tact_toi_def_default();
    REFUSED(distance, tact_shapes_distance(a, transform_a, b, transform_b));
    REFUSED(distance, tact_shapes_distance_with(a, transform_a, b, transform_b, &def));
    REFUSED(overlap, tact_shapes_overlap(a, transform_a, b, transform_b, &cache));
    REFUSED(overlap, tact_shapes_within(a, transform_a, b, transform_b, 1.0, NULL));
    REFUSED(common_point, tact_shapes_common_point(a, transform_a, b, transform_b, NULL));
    REFUSED(penetration, tact_shapes_penetration(a, transform_a, b, transform_b));
    REFUSED(manifold, tact_shapes_manifold(a, transform_a, b, transform_b, 0.1));
    REFUSED(toi,
            tact_shapes_time_of_impact(a, transform_a, tact_motion_still(), b, transform_b, tact_motion_still(), 1.0));
    REFUSED(toi, tact_shapes_time_of_impact_with(a, transform_a, tact_motion_still(), b, transform_b,
                                                 tact_motion_still(), &impact));
    REFUSED(toi, tact_shapes_cast(a, transform_a, tact_vec(1, 0, 0), b, transform_b));
    if (!same_vec(cache.axis, plus_x))
        fail_msg("%s: a refused call changed the cache", what);
}

static void refused_alone(const char *what, const tact_shape *a, tact_transform at)
{
    tact_bounds bounds = {{7, 7, 7}, {7, 7, 7}};
    tact_vec3 point = {7, 7, 7};
    REFUSED(closest, tact_shape_closest(a, at, tact_vec(3, 0, 0)));
    REFUSED(overlap, tact_shape_contains(a, at, tact_vec(3, 0, 0)));
    REFUSED(ray_hit, tact_shape_ray(a, at, tact_vec(3, 0, 0), tact_vec(1, 0, 0), 1.0));
    assert_int_equal(tact_shape_bounds(a, at, &bounds), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_support(a, at, plus_x, &point), TACT_BAD_ARGUMENT);
    assert_true(bounds.min.x == 7 && point.x == 7); /* a failed call changes nothing */
}

/* A half-space ends at x = 1 as A and begins at x = -1 as B; it extends without end otherwise. */
static void halfspaces_follow_the_conventions(void **state)
{
    entry *table = *state;
    static const double gaps[] = {0x1p-12, 0.25, 3.0, 0.0, -0x1p-3, -0.5};
    entry planes[2] = {{"half-space", TACT_HALFSPACE, 0, tact_halfspace(tact_vec(2, 0, 0), 2), NULL, 0.0625},
                       {"half-space", TACT_HALFSPACE, 0, tact_halfspace(tact_vec(-1, 0, 0), 1), NULL, 0.03125}};
    for (int i = 0; i < 2; i++)
        planes[i].rounded = tact_rounded(planes[i].plain, planes[i].margin);
    for (int i = 0; i < 2 * ENTRIES; i++)
        for (int k = 0; k < 6; k++) {
            const entry *other = &table[i / 2], *a = i % 2 == 0 ? &planes[0] : other,
                        *b = i % 2 == 0 ? other : &planes[1];
            const double gap = gaps[k];
            const tact_transform at_a = tact_identity(), at_b = beside(a, b, gap);
            if (gap > 0.0) {
                apart(a, a->plain, b, b->plain, at_b, gap);
                if (gap > 0.2)
                    apart(a, a->rounded, b, b->rounded, at_b, gap - a->margin - b->margin);
            }
            const tact_penetration p = tact_shapes_penetration(a->plain, at_a, b->plain, at_b),
                                   q = tact_shapes_penetration(b->plain, at_b, a->plain, at_a);
            CHECK(p.status == TACT_OK && fabs(p.depth + gap) <= slack(fabs(gap)) &&
                  off(p.normal, plus_x) <= normal_slack);
            CHECK(off(p.on_a, along(p.on_b, p.depth, p.normal)) <= slack(fabs(gap)));
            CHECK(same(p.depth, q.depth) && opposite(p.normal, q.normal) && same_vec(p.on_a, q.on_b));
            CHECK((tact_shapes_overlap(a->plain, at_a, b->plain, at_b, NULL).state == TACT_HIT) == (gap <= 0.0));
            const tact_manifold m = tact_shapes_manifold(a->plain, at_a, b->plain, at_b, 0.0);
            CHECK((m.count > 0) == (gap <= 0.0) && m.status == TACT_OK);
        }
    for (int i = 0; i < 2; i++) {
        tact_transform flat = tact_identity(), nan = tact_identity();
        flat.y_axis = flat.x_axis;
        nan.origin.y = (double)NAN;
        refused("half-space", planes[i].plain, flat, table[3].plain, tact_identity());
        refused("half-space", table[3].plain, nan, planes[i].plain, tact_identity());
        refused("half-space", planes[i].plain, nan, planes[1 - i].plain, tact_identity());
        refused_alone("half-space", planes[i].plain, flat);
        refused_alone("half-space", planes[i].plain, nan);
    }
    for (int i = 0; i < 2; i++) {
        tact_shape_release(planes[i].plain);
        tact_shape_release(planes[i].rounded);
    }
}

static void bad_input_is_refused_for_every_shape(void **state)
{
    entry *table = *state;
    tact_transform good = tact_identity();
    static const double poisons[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < ENTRIES; i++) {
        const tact_shape *shape = table[i].plain, *other = table[(i + 5) % ENTRIES].plain;
        char what[80];
        refused(table[i].name, NULL, good, shape, good);
        refused(table[i].name, shape, good, NULL, good);
        for (int k = 0; k < 36; k++) {
            tact_transform bad = good;
            double *numbers[4] = {&bad.x_axis.x, &bad.y_axis.x, &bad.z_axis.x, &bad.origin.x};
            numbers[k % 12 / 3][k % 3] = poisons[k / 12];
            (void)snprintf(what, sizeof what, "%s, number %d of the placement is %g", table[i].name, k % 12,
                           poisons[k / 12]);
            refused(what, shape, bad, other, good);
            refused(what, other, good, shape, bad);
            refused_alone(what, shape, bad);
        }
        for (int k = 0; k < 4; k++) {
            tact_transform flat = good;
            if (k == 0)
                flat.x_axis = zero;
            else if (k == 1)
                flat.y_axis = flat.x_axis;
            else if (k == 2)
                flat.z_axis = tact_vec(1, 1, 0);
            else
                flat.x_axis = flat.y_axis = flat.z_axis = zero;
            (void)snprintf(what, sizeof what, "%s under singular placement %d", table[i].name, k);
            refused(what, shape, flat, other, good);
            refused(what, other, good, shape, flat);
            refused_alone(what, shape, flat);
        }
    }
    refused_alone("no shape", NULL, good);
}

/* Both so far from the origin that squares of their coordinates overflow, but close together. */
static void transforms_beyond_all_lengths_are_refused(void **state)
{
    entry *table = *state;
    static const double far[] = {1.1e150, 1e151, 1e200, 1e308};
    for (int i = 0; i < ENTRIES * ENTRIES; i++) {
        const tact_shape *a = table[i % ENTRIES].plain, *b = table[i / ENTRIES].plain;
        for (int k = 0; k < 8; k++) {
            char what[80];
            tact_transform at = tact_at(0, far[k / 2], 0), beside = tact_at(k % 2 ? 10 : 0, far[k / 2], 0);
            (void)snprintf(what, sizeof what, "%s and %s at %g", table[i % ENTRIES].name, table[i / ENTRIES].name,
                           far[k / 2]);
            refused(what, a, at, b, beside);
            refused(what, a, tact_identity(), b, at);
        }
    }
}

/* Coordinates and axes are in range, their products overflow: to infinity, or to the difference of two. */
static void products_that_overflow_are_refused(void **state)
{
    (void)state;
    const tact_vec3 points[6] = {{1e40, 1e40, 0},    {2e40, 1e40, 0},    {1e40, 2e40, 0},
                                 {1e40, 1e40, 1e40}, {3e40, 1e40, 2e40}, {1e40, 3e40, 2e40}};
    tact_shape *shapes[] = {tact_point(points[0]),
                            tact_segment(points[0], points[1]),
                            tact_triangle(points[0], points[1], points[2]),
                            tact_tetrahedron(points[0], points[1], points[2], points[3]),
                            tact_hull(points, 4),
                            tact_hull(points, 6),
                            tact_point(tact_vec(1, 0, 0))};
    tact_transform large = tact_identity(), opposite = large;
    large.x_axis.x = 1e280;
    opposite.x_axis.z = 1e280;
    opposite.y_axis.z = -1e280;
    for (size_t i = 0; i + 1 < sizeof shapes / sizeof shapes[0]; i++) {
        tact_shape *other = shapes[sizeof shapes / sizeof shapes[0] - 1];
        tact_shape_def def = tact_shape_def_default();
        def.type = TACT_TRANSFORMED;
        def.transform = tact_at(1, 0, 0);
        def.parts[0] = shapes[i];
        tact_shape *nested = tact_shape_create(&def, NULL);
        assert_true(shapes[i] != NULL && nested != NULL);
        for (int k = 0; k < 4; k++) {
            const tact_shape *shape = k % 2 ? nested : shapes[i];
            char what[80];
            (void)snprintf(what, sizeof what, "points %zu, case %d", i, k);
            refused(what, shape, k / 2 ? opposite : large, other, tact_identity());
            refused(what, other, tact_identity(), shape, k / 2 ? opposite : large);
        }
        tact_shape_release(nested);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        tact_shape_release(shapes[i]);
}

static void bad_numbers_beside_the_shapes_are_refused(void **state)
{
    entry *table = *state;
    static const double poisons[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const tact_shape *a = table[5].plain, *b = table[4].plain;
    tact_transform here = tact_identity(), there = tact_at(5, 0, 0);
    const char *what = "bad number";
    for (int k = 0; k < 3; k++) {
        double bad = poisons[k];
        if (k != 1)
            REFUSED(overlap, tact_shapes_within(a, here, b, there, bad, NULL));
        if (k != 1)
            REFUSED(manifold, tact_shapes_manifold(a, here, b, there, bad));
        REFUSED(closest, tact_shape_closest(a, here, tact_vec(0, bad, 0)));
        REFUSED(overlap, tact_shape_contains(a, here, tact_vec(0, bad, 0)));
        REFUSED(ray_hit, tact_shape_ray(a, here, tact_vec(0, bad, 0), tact_vec(1, 0, 0), 1.0));
        REFUSED(ray_hit, tact_shape_ray(a, here, tact_vec(5, 0, 0), tact_vec(1, 0, bad), 1.0));
        if (k != 1)
            REFUSED(ray_hit, tact_shape_ray(a, here, tact_vec(5, 0, 0), tact_vec(1, 0, 0), bad));
        tact_motion motion = tact_motion_linear(1, bad, 0);
        REFUSED(toi, tact_shapes_time_of_impact(a, here, motion, b, there, tact_motion_still(), 1.0));
        REFUSED(toi, tact_shapes_time_of_impact(a, here, tact_motion_still(), b, there, motion, 1.0));
        REFUSED(toi, tact_shapes_time_of_impact(a, here, tact_motion_still(), b, there, tact_motion_still(), bad));
        REFUSED(toi, tact_shapes_cast(a, here, tact_vec(bad, 0, 0), b, there));
        tact_distance_def def = tact_distance_def_default();
        def.accuracy = bad;
        if (k != 1)
            REFUSED(distance, tact_shapes_distance_with(a, here, b, there, &def));
    }
    REFUSED(overlap, tact_shapes_within(a, here, b, there, -1.0, NULL));
    REFUSED(manifold, tact_shapes_manifold(a, here, b, there, -1.0));
    REFUSED(ray_hit, tact_shape_ray(a, here, tact_vec(5, 0, 0), tact_vec(0, 0, 0), 1.0));
    REFUSED(ray_hit, tact_shape_ray(a, here, tact_vec(5, 0, 0), tact_vec(1, 0, 0), -1.0));
    REFUSED(toi, tact_shapes_time_of_impact(a, here, tact_motion_still(), b, there, tact_motion_still(), -1.0));
    /* a cache may contain any finite axis; one that is not finite is ignored */
    tact_cache cache = {{(double)NAN, 0, 0}};
    tact_overlap verdict = tact_shapes_overlap(a, here, b, there, &cache);
    assert_true(verdict.status == TACT_BAD_ARGUMENT || (verdict.status == TACT_OK && verdict.state == TACT_MISS));
}

/* A support function that returns NaN makes the query fail, not the program. */
static void a_custom_shape_that_answers_nan_fails_the_query(void **state)
{
    entry *table = *state;
    tact_shape *bad = tact_custom(custom_nan, NULL, 1.0);
    if (!bad)
        return; /* refused at once: as good */
    for (int i = 0; i < ENTRIES; i++)
        for (int k = 0; k < 2; k++) {
            tact_transform there = tact_at(k ? 4.0 : 0.25, 0, 0);
            tact_distance d = tact_shapes_distance(bad, tact_identity(), table[i].plain, there);
            tact_penetration p = tact_shapes_penetration(table[i].plain, there, bad, tact_identity());
            tact_overlap t = tact_shapes_overlap(bad, tact_identity(), table[i].plain, there, NULL);
            tact_common_point c = tact_shapes_common_point(bad, tact_identity(), table[i].plain, there, NULL);
            /* Far enough apart, the bounding radius given at creation decides. */
            bool far = k == 1 && t.status == TACT_OK && t.state == TACT_MISS;
            if (d.status == TACT_OK || p.status == TACT_OK || (t.status == TACT_OK && !far) || c.status == TACT_OK)
                fail_msg("custom that answers NaN, with %s: status of distance %d, depth %d, touch %d, common point %d",
                         table[i].name, (int)d.status, (int)p.status, (int)t.status, (int)c.status);
            assert_true(isfinite(d.distance) && isfinite(d.on_a.y) && isfinite(d.on_b.y) && isfinite(d.normal.y));
            assert_true(isfinite(p.depth) && isfinite(p.on_a.y) && isfinite(p.on_b.y) && isfinite(p.normal.y));
            assert_true(isfinite(c.point.y));
        }
    tact_shape_release(bad);
}

/* No answer has a NaN, and tiny shapes that are apart do not touch. */
static void tiny_shapes_have_finite_answers(void **state)
{
    (void)state;
    for (double size = 1e-100; size > 0.0; size *= 1e-7) {
        tact_shape *box = tact_box(size, size, size), *ball = tact_sphere(size);
        const tact_shape *shapes[2] = {box, ball};
        for (int k = 0; k < 4; k++) {
            tact_transform there = tact_at(3.0 * size, 0, 0);
            tact_distance d = tact_shapes_distance(shapes[k & 1], tact_identity(), shapes[k >> 1], there);
            tact_penetration p = tact_shapes_penetration(shapes[k & 1], tact_identity(), shapes[k >> 1], there);
            tact_common_point c = tact_shapes_common_point(shapes[k & 1], tact_identity(), shapes[k >> 1],
                                                           tact_at(0.5 * size, 0, 0), NULL);
            tact_toi i =
                tact_shapes_time_of_impact(shapes[k & 1], tact_identity(), tact_motion_linear(3.0 * size, 0, 0),
                                           shapes[k >> 1], there, tact_motion_still(), 1.0);
            assert_true(isfinite(d.distance) && isfinite(d.on_a.x) && isfinite(d.on_b.x) && isfinite(d.normal.x));
            assert_true(isfinite(p.depth) && isfinite(p.on_a.x) && isfinite(p.on_b.x) && isfinite(p.normal.x));
            assert_true(isfinite(c.point.x) && isfinite(i.time) && isfinite(i.point.x));
            if (size > 1e-140) {
                assert_true(d.status == TACT_OK && fabs(d.distance - (k == 0   ? 2.0
                                                                      : k == 3 ? 1.0
                                                                               : 1.5) *
                                                                         size) < 1e-9 * size);
                assert_int_equal(i.state, TACT_HIT);
            }
        }
        tact_shape_release(box);
        tact_shape_release(ball);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_point_from_a_to_b_and_depth_is_minus_the_distance),
        cmocka_unit_test(margins_are_subtracted_from_the_distance),
        cmocka_unit_test(touching_is_a_hit_and_overlap_is_positive),
        cmocka_unit_test(swapping_mirrors_every_answer_exactly),
        cmocka_unit_test(points_are_in_world_coordinates),
        cmocka_unit_test(halfspaces_follow_the_conventions),
        cmocka_unit_test(bad_input_is_refused_for_every_shape),
        cmocka_unit_test(transforms_beyond_all_lengths_are_refused),
        cmocka_unit_test(products_that_overflow_are_refused),
        cmocka_unit_test(bad_numbers_beside_the_shapes_are_refused),
        cmocka_unit_test(tiny_shapes_have_finite_answers),
        cmocka_unit_test(a_custom_shape_that_answers_nan_fails_the_query),
    };
    return cmocka_run_group_tests_name("conventions", tests, make_entries, release_entries);
}
