/*
 * A triangle with linear vertex paths against a convex primitive of a rigid body in true motion (toi/arc_toi.h): every
 * kind of primitive, spins from 0 to 100, accelerations, grazing paths, starts in contact and inside, misses by little,
 * scales from 1e-30 to 1e30. The oracle follows the motion in long double and asks the static distance of query.h: it
 * walks by the distance over a crude bound of the speed, and searches around each minimum. Hits are never late, never
 * farther apart than the tolerance, and none is missed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"
#include "toi/arc_toi.h"
#include "toi/deforming_toi.h"

static tact_vec3 random_vec(random_source *r, double size)
{
    const double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return tact_vec(x, y, random_range(r, -size, size));
}

static tact_transform random_place(random_source *r, double size, tact_vec3 scale)
{
    const tact_vec3 at = random_vec(r, size);
    return tact_transform_make(at, random_rotation(r), scale);
}

/* ---- primitives -------------------------------------------------------------------------------------------------- */

typedef enum primitive_kind {
    SPHERE,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    POINT,
    SEGMENT,
    CUSTOM,
    BOX,
    HULL,
    TRIANGLE,
    SUM,
    HULL_OF_TWO,
    TRANSFORMED,
    WITH_MARGIN,
    MESH_ELEMENT,
    MESH_WITH_MARGIN,
    SOUP_PART,
    COMPOUND_PART,
    PRIMITIVE_KINDS
} primitive_kind;

static const char *const kind_names[PRIMITIVE_KINDS] = {
    "sphere",      "capsule",      "cone",          "cylinder",  "ellipsoid",    "point",       "segment",
    "custom",      "box",          "hull",          "triangle",  "sum",          "hull of two", "transformed",
    "with margin", "mesh element", "mesh + margin", "soup part", "compound part"};

/* A lens: the intersection of two balls of radius 1 around (0, +-0.5, 0). */
static tact_vec3 lens(void *context, tact_vec3 d)
{
    (void)context;
    const tact_vec3 n = vec_normalize(d);
    if (fabs(n.y) > 0.5) /* the cap of the ball on the other side */
        return tact_vec(n.x, n.y - (n.y < 0.0 ? -0.5 : 0.5), n.z);
    return vec_scale(vec_normalize(tact_vec(n.x, 0.0, n.z)), sqrt(0.75));
}

static tact_shape *make_convex(random_source *r, primitive_kind kind)
{
    tact_vec3 p[10];
    double x[3];
    for (int i = 0; i < 10; i++)
        p[i] = random_vec(r, 0.7);
    for (int i = 0; i < 3; i++)
        x[i] = random_range(r, 0.05, 1.0);
    tact_shape *a = NULL, *b = NULL, *made = NULL;
    switch (kind) {
    case SPHERE:
        return tact_sphere(x[0]);
    case CAPSULE:
        return tact_capsule(0.5 * x[0], 1.5 * x[1]);
    case CONE:
        return tact_cone(0.8 * x[0], 1.5 * x[1]);
    case CYLINDER:
        return tact_cylinder(0.8 * x[0], 1.5 * x[1]);
    case ELLIPSOID:
        return tact_ellipsoid(x[0], x[1], x[2]);
    case POINT:
        return tact_point(p[0]);
    case SEGMENT:
        return tact_segment(p[0], p[1]);
    case CUSTOM:
        return tact_custom(lens, NULL, 1.0);
    case BOX:
        return tact_box(x[0], x[1], x[2]);
    case HULL:
        return tact_hull(p, 10);
    case TRIANGLE:
        return tact_triangle(p[0], p[1], p[2]);
    case SUM:
    case HULL_OF_TWO:
        a = make_convex(r, (primitive_kind)random_between(r, SPHERE, SEGMENT));
        b = make_convex(r, (primitive_kind)random_between(r, SPHERE, SEGMENT));
        made = kind == SUM ? tact_minkowski_sum(a, b) : tact_convex_hull_of(a, b);
        break;
    case TRANSFORMED:
        a = make_convex(r, (primitive_kind)random_between(r, SPHERE, TRIANGLE));
        made = tact_transformed(a, tact_transform_make(p[0], random_rotation(r), tact_vec(1.0, 0.7, 1.2)));
        break;
    default:
        a = make_convex(r, (primitive_kind)random_between(r, SPHERE, TRANSFORMED));
        made = tact_rounded(a, random_range(r, 0.01, 0.5));
        break;
    }
    tact_shape_release(a);
    tact_shape_release(b);
    return made;
}

typedef struct arc_case {
    tact_shape *shape; /* of the body */
    tact_shape *alone; /* the primitive alone, under alone_at */
    uint32_t element;
    tact_transform at, alone_at; /* alone_at: relative to the body */
    tact_motion motion;
    double t0;
    arc_body body;
    linear_path path[3];
    double enter, exit, tolerance;
} arc_case;

/* A tetrahedron as a mesh, or two as a soup. One element is the primitive. */
static void make_complex(arc_case *d, random_source *r, primitive_kind kind)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const uint32_t parts[8] = {0, 1, 2, 3, 0, 1, 2, 4}, sizes[2] = {4, 4};
    tact_vec3 p[5], q[4];
    for (int i = 0; i < 5; i++)
        p[i] = random_vec(r, 0.7);
    if (kind == SOUP_PART) {
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){.data = p, .count = 5};
        def.indices = parts;
        def.index_count = 8;
        def.loop_sizes = sizes;
        def.loop_count = 2;
        d->shape = tact_soup_create(&def, NULL);
        d->element = (uint32_t)random_between(r, 0, 1);
        for (uint32_t k = 0; k < 4; k++)
            q[k] = p[parts[4 * d->element + k]];
        d->alone = tact_hull(q, 4);
        return;
    }
    tact_shape *plain = tact_mesh(p, 4, faces, 4);
    d->element = (uint32_t)random_between(r, 0, 3);
    const uint32_t *f = &faces[3 * d->element];
    tact_shape *face = tact_triangle(p[f[0]], p[f[1]], p[f[2]]);
    const double margin = kind == MESH_WITH_MARGIN ? random_range(r, 0.01, 0.3) : 0.0;
    d->shape = tact_rounded(plain, margin);
    d->alone = tact_rounded(face, margin);
    tact_shape_release(plain);
    tact_shape_release(face);
}

static bool second_leaf(void *context, const instance *leaf)
{
    *(instance *)context = *leaf;
    return leaf->leaf == 0;
}

static void make_shape(arc_case *d, random_source *r, primitive_kind kind, instance *leaf)
{
    d->element = 0;
    d->alone_at = tact_identity();
    if (kind >= MESH_ELEMENT && kind <= SOUP_PART) {
        make_complex(d, r, kind);
    } else {
        d->alone = make_convex(r, kind == COMPOUND_PART ? (primitive_kind)random_between(r, SPHERE, HULL) : kind);
        d->shape = tact_shape_retain(d->alone);
    }
    if (kind == COMPOUND_PART) {
        const tact_shape *parts[2] = {d->alone, d->alone};
        tact_transform places[2] = {tact_identity(), random_place(r, 1.0, tact_vec(1, 1, 1))};
        tact_shape_release(d->shape);
        d->shape = tact_compound(parts, places, 2);
        d->alone_at = places[1];
    }
    instance whole;
    assert_true(d->shape != NULL && d->alone != NULL);
    assert_int_equal(tact_instance_make(&whole, d->shape, &d->at), TACT_OK);
    (void)tact_traverse_leaves(&whole, second_leaf, leaf);
}

static void release_case(arc_case *d)
{
    tact_shape_release(d->shape);
    tact_shape_release(d->alone);
}

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

typedef struct long_vector {
    long double x, y, z;
} long_vector;

/* Rotation about the axis by the quaternion (s axis, c), rounded to doubles at the end. */
static tact_vec3 turned(tact_vec3 v, long_vector q, long double w)
{
    const long double tx = 2 * (q.y * v.z - q.z * v.y), ty = 2 * (q.z * v.x - q.x * v.z),
                      tz = 2 * (q.x * v.y - q.y * v.x);
    return tact_vec((double)(v.x + w * tx + (q.y * tz - q.z * ty)), (double)(v.y + w * ty + (q.z * tx - q.x * tz)),
                    (double)(v.z + w * tz + (q.x * ty - q.y * tx)));
}

static tact_transform transform_at(const arc_case *d, double time)
{
    const long double t = (long double)time - d->t0;
    const tact_vec3 w = d->motion.spin, v = d->motion.velocity, a = d->motion.acceleration, o = d->at.origin;
    const long double rate = sqrtl((long double)w.x * w.x + (long double)w.y * w.y + (long double)w.z * w.z);
    const long double half = 0.5L * rate * t, s = rate > 0 ? sinl(half) / rate : 0, c = cosl(half);
    const long_vector q = {s * w.x, s * w.y, s * w.z};
    return (tact_transform){turned(d->at.x_axis, q, c),
                            turned(d->at.y_axis, q, c),
                            turned(d->at.z_axis, q, c),
                            {(double)(o.x + t * (v.x + t * a.x / 2)), (double)(o.y + t * (v.y + t * a.y / 2)),
                             (double)(o.z + t * (v.z + t * a.z / 2))}};
}

static double on_path(const linear_path *p, double x0, double x1, double time)
{
    const long double t = (long double)time - p->t0;
    return p->has_velocity ? (double)(x0 + t * x1)
                           : (double)(x0 + t * ((long double)x1 - x0) / ((long double)p->t1 - p->t0));
}

static tact_vec3 vertex_at(const arc_case *d, int i, double time)
{
    const linear_path *p = &d->path[i];
    return tact_vec(on_path(p, p->x0.x, p->x1.x, time), on_path(p, p->x0.y, p->x1.y, time),
                    on_path(p, p->x0.z, p->x1.z, time));
}

static double distance_at(const arc_case *d, double time)
{
    tact_shape *triangle = tact_triangle(vertex_at(d, 0, time), vertex_at(d, 1, time), vertex_at(d, 2, time));
    const tact_transform at = tact_transform_compose(transform_at(d, time), d->alone_at);
    const tact_distance got = tact_shapes_distance(d->alone, at, triangle, tact_identity());
    tact_shape_release(triangle);
    assert_true(got.status == TACT_OK || got.status == TACT_NOT_CONVERGED);
    return got.distance;
}

/* A crude bound on the speed of any point of the body past any of the triangle. */
static double closing_speed(const arc_case *d)
{
    double fast = 0.0;
    for (int i = 0; i < 3; i++) {
        const linear_path *p = &d->path[i];
        const tact_vec3 v = p->has_velocity ? p->x1 : vec_scale(vec_sub(p->x1, p->x0), 1.0 / (p->t1 - p->t0));
        fast = fmax(fast, vec_length(v));
    }
    const double longest = fmax(fabs(d->enter - d->t0), fabs(d->exit - d->t0));
    return fast + vec_length(d->motion.velocity) + longest * vec_length(d->motion.acceleration) +
           vec_length(d->motion.spin) * d->body.radius;
}

#define SAMPLES 64

/* A walk along the motion. */
typedef struct oracle_walk {
    const arc_case *d;
    double speed;  /* a bound */
    double enough; /* length: minima above it need not be exact */
    double least, when;
} oracle_walk;

static double visit(oracle_walk *w, double t)
{
    const double here = distance_at(w->d, t);
    if (here < w->least) {
        w->least = here;
        w->when = t;
    }
    return here;
}

/* Searches by thirds between two times with a minimum in between, until it is certain to be above `enough`. */
static void refine(oracle_walk *w, double low, double high)
{
    for (int k = 0; k < 60 && w->least > 0.0; k++) {
        const double one = low + (high - low) / 3.0, two = high - (high - low) / 3.0;
        const double f = visit(w, one), g = visit(w, two);
        if (!(one > low && high > two) || fmin(f, g) > w->enough + w->speed * (high - low))
            return;
        if (f < g)
            high = two;
        else
            low = one;
    }
}

/* The least distance found in [from, to], exact where it is at most `enough`. 0: they touch at `when`. */
static double least_distance(const arc_case *d, double from, double to, double enough, double *when)
{
    oracle_walk w = {d, closing_speed(d), enough, INFINITY, from};
    const double shortest = (to - from) / SAMPLES;
    double times[3] = {from, from, from}, there[3] = {INFINITY, INFINITY, visit(&w, from)};
    while (times[2] < to && w.least > 0.0) {
        const double next = fmax(times[2] + fmax(there[2] / w.speed, shortest), nextafter(times[2], INFINITY));
        for (int k = 0; k < 2; k++) {
            times[k] = times[k + 1];
            there[k] = there[k + 1];
        }
        times[2] = next < to ? next : to;
        there[2] = visit(&w, times[2]);
        if (there[1] <= there[0] && there[1] <= there[2])
            refine(&w, times[0], times[2]);
    }
    if (there[2] < there[1])
        refine(&w, times[1], times[2]);
    *when = w.when;
    return w.least;
}

/* ---- random cases ------------------------------------------------------------------------------------------------ */

typedef enum arc_way { FLYING, GRAZING, BESIDE, INSIDE, AT_REST, NEAR_MISS, FAST_SPIN, WAYS } arc_way;

static const char *const way_names[WAYS] = {"flying",  "grazing",   "beside",   "inside",
                                            "at rest", "near miss", "fast spin"};

/* A path through `at` at the time `when`. */
static linear_path path_through(random_source *r, const arc_case *d, tact_vec3 at, tact_vec3 velocity, double when)
{
    linear_path p = {.has_velocity = random_chance(r, 0.5)};
    if (p.has_velocity) {
        p.t0 = random_chance(r, 0.5) ? when : d->enter;
        p.x0 = vec_mul_add(at, p.t0 - when, velocity);
        p.x1 = velocity;
        return p;
    }
    p.t0 = d->enter - random_unit(r) * (d->exit - d->enter);
    p.t1 = d->exit + random_unit(r) * (d->exit - d->enter);
    if (random_chance(r, 0.3))
        p.t0 = when < d->exit ? when : d->enter;
    p.x0 = vec_mul_add(at, p.t0 - when, velocity);
    p.x1 = vec_mul_add(at, p.t1 - when, velocity);
    return p;
}

static void make_motion(arc_case *d, random_source *r, arc_way w)
{
    static const double starts[4] = {0.0, 0.0, 3.5, 1e4}, lengths[3] = {1.0, 0.05, 4.0}, far[3] = {0.0, 1.0, 1e4};
    const bool even = random_chance(r, 0.7);
    const double out = far[random_between(r, 0, 2)];
    const tact_vec3 uneven = {random_range(r, 0.3, 2.0), -0.8, 1.1};
    d->at = random_place(r, out, even ? tact_vec(1, 1, 1) : uneven);
    d->t0 = starts[random_between(r, 0, 3)];
    d->enter = d->t0 + (random_chance(r, 0.5) ? 0.0 : random_unit(r));
    const double length = lengths[random_between(r, 0, 2)];
    d->exit = d->enter + length;
    d->motion = tact_motion_still();
    if (w != AT_REST && w != NEAR_MISS && random_chance(r, 0.7))
        d->motion.velocity = random_vec(r, 1.0 / length);
    const double pulls[3] = {1.0, 4.0 / (length * length), 40.0 / (length * length)};
    if (w != AT_REST && w != NEAR_MISS && random_chance(r, 0.5))
        d->motion.acceleration = random_vec(r, pulls[random_between(r, 0, 2)]);
    const double turns[4] = {0.0, 0.3 / length, 2.0 / length, 8.0 / length};
    double spin = turns[random_between(r, 0, 3)];
    if (w == FAST_SPIN)
        spin = random_range(r, 20.0, 100.0);
    if (w == NEAR_MISS)
        spin = random_range(r, 1.0, 10.0);
    d->motion.spin = vec_scale(random_direction(r), spin);
}

/* Some triangles have no area, or are a point. */
static bool squash(random_source *r, tact_vec3 corners[3])
{
    const int what = random_between(r, 0, 7);
    if (what == 0)
        corners[2] = corners[1];
    if (what == 1)
        corners[1] = corners[2] = corners[0];
    if (what == 2)
        corners[2] = vec_mul_add(corners[0], 0.3, vec_sub(corners[1], corners[0]));
    return what <= 2;
}

static tact_vec3 support_at(const arc_case *d, double time, tact_vec3 n)
{
    tact_vec3 p;
    const tact_transform at = tact_transform_compose(transform_at(d, time), d->alone_at);
    assert_int_equal(tact_shape_support(d->alone, at, n, &p), TACT_OK);
    return p;
}

static tact_vec3 material_velocity(const arc_case *d, tact_vec3 point, double time)
{
    const tact_vec3 arm = vec_sub(point, transform_at(d, time).origin);
    return vec_add(vec_mul_add(d->motion.velocity, time - d->t0, d->motion.acceleration),
                   vec_cross(d->motion.spin, arm));
}

/* Corners in the plane through p across n; p itself is one in half of the cases. */
static void corners_in_plane(random_source *r, tact_vec3 p, tact_vec3 n, double size, tact_vec3 corners[3])
{
    tact_vec3 e, f;
    vec_tangent_basis(n, &e, &f);
    for (int k = 0; k < 3; k++) {
        const double x = random_range(r, -size, size), y = random_range(r, -size, size);
        corners[k] = k == 0 && random_chance(r, 0.5) ? p : vec_mul_add(vec_mul_add(p, x, e), y, f);
    }
}

static bool make_paths(arc_case *d, random_source *r, arc_way w)
{
    const double length = d->exit - d->enter;
    double when =
        random_chance(r, 0.3) ? (random_chance(r, 0.5) ? d->enter : d->exit) : random_range(r, d->enter, d->exit);
    tact_vec3 corners[3], speeds[3], n = random_direction(r), e, f;
    bool flat = false;
    if (w == FLYING || w == FAST_SPIN) {
        const tact_vec3 to = vec_add(transform_at(d, when).origin, random_vec(r, 0.7));
        const tact_vec3 speed = vec_add(d->motion.velocity, vec_scale(random_direction(r), 4.0 / length));
        for (int k = 0; k < 3; k++) {
            corners[k] = vec_add(to, random_vec(r, 0.5));
            speeds[k] = vec_add(speed, random_vec(r, 0.5 / length));
        }
        flat = squash(r, corners);
        if (flat && random_chance(r, 0.5))
            speeds[1] = speeds[2] = speeds[0];
    } else if (w == GRAZING || w == BESIDE) {
        if (w == BESIDE)
            when = d->enter;
        tact_vec3 p = support_at(d, when, n);
        const double off = random_chance(r, 0.3) ? 0.0 : random_size(r, w == GRAZING ? -40 : -30, -10);
        const tact_vec3 v = material_velocity(d, p, when);
        p = vec_mul_add(p, w == BESIDE ? fabs(off) : off, n);
        corners_in_plane(r, p, n, 0.5, corners);
        vec_tangent_basis(n, &e, &f);
        tact_vec3 slide = vec_mul_add(v, random_range(r, -2.0, 2.0), e);
        slide = vec_mul_add(slide, random_range(r, -2.0, 2.0), f);
        for (int k = 0; k < 3; k++)
            speeds[k] = w == GRAZING ? slide : vec_add(v, random_vec(r, random_chance(r, 0.3) ? 1e-9 : 1.0 / length));
    } else if (w == INSIDE) {
        const tact_vec3 p = support_at(d, d->enter, n), q = support_at(d, d->enter, vec_negate(n));
        when = d->enter;
        for (int k = 0; k < 3; k++) {
            corners[k] = vec_add(vec_scale(vec_add(p, q), 0.5), random_vec(r, k == 0 ? 0.0 : 0.05));
            speeds[k] = random_vec(r, 3.0 / length);
        }
    } else if (w == AT_REST) { /* on the plane that the body touches at some time */
        const tact_vec3 p = support_at(d, when, n);
        corners_in_plane(r, vec_mul_add(p, random_chance(r, 0.3) ? 0.0 : random_size(r, -40, -4), n), n, 0.5, corners);
        for (int k = 0; k < 3; k++)
            speeds[k] = tact_vec(0, 0, 0);
    } else { /* just beyond the cylinder that the body sweeps, or into it by little */
        const tact_vec3 axis = vec_normalize(d->motion.spin);
        const double off = random_chance(r, 0.5) ? 1e-6 : -1e-6;
        vec_tangent_basis(axis, &e, &f);
        const bool top = random_chance(r, 0.3);
        n = top ? axis : e;
        const double edge = top ? d->body.top + d->body.core.margin : d->body.arm + d->body.core.margin;
        const tact_vec3 p = vec_mul_add(d->at.origin, edge * (1.0 + off) + 1e-2 * off, n);
        corners_in_plane(r, p, n, 2.0, corners);
        for (int k = 0; k < 3; k++)
            speeds[k] = tact_vec(0, 0, 0);
    }
    for (int k = 0; k < 3; k++)
        d->path[k] = path_through(r, d, corners[k], speeds[k], when);
    return flat;
}

static arc_way make_case(arc_case *d, random_source *r, primitive_kind kind, bool *flat)
{
    static const double tolerances[4] = {0.0, 1e-12, 1e-9, 1e-4};
    const arc_way w = (arc_way)random_between(r, 0, WAYS - 1);
    instance leaf;
    make_motion(d, r, w);
    make_shape(d, r, kind, &leaf);
    assert_int_equal(tact_arc_body_make(&d->body, &leaf, d->element, &d->at, &d->motion, d->t0, NULL), TACT_OK);
    d->tolerance = tolerances[random_between(r, 0, 3)];
    *flat = make_paths(d, r, w);
    return w;
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

typedef struct arc_tally {
    size_t hits[WAYS], misses[WAYS], steps[WAYS], kinds[PRIMITIVE_KINDS], flat, at_enter, stalled, most, raised;
    size_t within; /* hits at the start, more than half the tolerance apart */
} arc_tally;

/* Relative to the coordinates: the errors of the oracle. */
#define ORACLE 2e-15

static double case_size(const arc_case *d)
{
    double size = d->body.radius + vec_length(transform_at(d, d->exit).origin);
    for (int k = 0; k < 3; k++) {
        const linear_path *p = &d->path[k];
        const double beyond = p->has_velocity ? 0.0 : fabs(d->enter - p->t0) / (p->t1 - p->t0); /* extrapolated */
        size = fmax(size, fmax(vec_length(vertex_at(d, k, d->enter)), vec_length(vertex_at(d, k, d->exit))));
        size = fmax(size, beyond * (vec_length(p->x0) + vec_length(p->x1)));
    }
    return size;
}

static void check_point(uint64_t seed, const arc_case *d, const arc_contact *c, const char *what)
{
    tact_vec3 p = {0.0, 0.0, 0.0};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        CHECK(c->weights[k] >= 0.0, "%s: weight %g", what, c->weights[k]);
        sum += c->weights[k];
        p = vec_mul_add(p, c->weights[k], vertex_at(d, k, c->time));
    }
    CHECK(fabs(sum - 1.0) < 1e-12, "%s: weights sum to %.17g", what, sum);
    if (c->time > d->enter && c->status == TACT_OK) {
        CHECK(fabs(vec_length(c->normal) - 1.0) < 1e-9, "%s: no normal", what);
        /* the point is between both; across the normal, points of round shapes are known to the root of the tolerance
         */
        CHECK(vec_length(vec_sub(p, c->point)) < 2.0 * c->tolerance + 1e-9 * case_size(d) + 1e-6,
              "%s: the point is %g off", what, vec_length(vec_sub(p, c->point)));
        /* moving the triangle back along the normal does not bring it closer */
        const double before = distance_at(d, c->time);
        arc_case e = *d;
        const double back = fmax(1e-3, 1e3 * c->tolerance);
        for (int k = 0; k < 3; k++) {
            e.path[k] =
                (linear_path){.has_velocity = true, .x0 = vec_mul_add(vertex_at(d, k, c->time), back, c->normal)};
        }
        const double apart = distance_at(&e, c->time);
        CHECK(apart > before + 0.99 * back, "%s: the normal separates by %g, not %g", what, apart - before, back);
    }
}

static void check_case(uint64_t seed, const arc_case *d, arc_way w, primitive_kind kind, arc_tally *t)
{
    arc_contact c;
    char what[64];
    snprintf(what, sizeof what, "%s, %s", way_names[w], kind_names[kind]);
    tact_arc_toi(&d->body, d->path, d->enter, d->exit, d->tolerance, &c);
    const double noise = ORACLE * case_size(d);
    double when = 0.0;
    t->steps[w] += (size_t)c.steps;
    t->most = (size_t)c.steps > t->most ? (size_t)c.steps : t->most;
    t->stalled += c.status == TACT_NOT_CONVERGED;
    t->raised += c.tolerance > d->tolerance;
    CHECK(c.status == TACT_OK || (c.status == TACT_NOT_CONVERGED && c.state == TACT_HIT), "%s: status %d", what,
          (int)c.status);
    /* rounding raises it by the size of the coordinates, and by the path in an ulp of time */
    CHECK(c.tolerance < d->tolerance + 1e-12 * (1.0 + case_size(d)) + 1e-14 * fabs(d->exit) * closing_speed(d),
          "%s: the tolerance is raised to %g", what, c.tolerance);
    arc_contact start;
    tact_arc_toi(&d->body, d->path, d->enter, d->enter, d->tolerance, &start);
    const double apart = distance_at(d, d->enter);
    const bool at_enter = c.state == TACT_HIT && c.time == d->enter;
    CHECK(apart > 0.7 * start.tolerance - noise || at_enter, "%s: %g apart at the start, tolerance %g", what, apart,
          start.tolerance);
    t->within += at_enter && apart > 0.5 * start.tolerance;
    if (c.state == TACT_MISS) {
        const double least = least_distance(d, d->enter, d->exit, c.tolerance, &when);
        arc_contact there; /* the tolerance of that time */
        tact_arc_toi(&d->body, d->path, when, when, d->tolerance, &there);
        CHECK(least > 0.3 * there.tolerance - noise, "%s: %g apart at %.17g (tolerance %g), but a miss", what, least,
              when, there.tolerance);
        CHECK(c.time == d->exit, "%s: a miss up to %.17g", what, c.time);
        t->misses[w]++;
        return;
    }
    CHECK(c.state == TACT_HIT && c.time >= d->enter && c.time <= d->exit, "%s: state %d", what, (int)c.state);
    t->hits[w]++;
    t->kinds[kind]++;
    t->at_enter += c.time == d->enter;
    const double there = distance_at(d, c.time);
    CHECK(c.status != TACT_OK || there <= c.tolerance + noise, "%s: at %.17g they are %g apart, tolerance %g", what,
          c.time, there, c.tolerance);
    check_point(seed, d, &c, what);
    if (c.time == d->enter)
        return;
    const double least = least_distance(d, d->enter, c.time, 0.0, &when);
    CHECK(least > 0.0, "%s: a hit at %.17g, but contact at %.17g", what, c.time, when);
}

static void never_late_and_never_far(void **state)
{
    (void)state;
    arc_tally t = {.flat = 0};
    size_t cases = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(2000, 300000); seed++) {
        random_source r = random_seed(seed);
        arc_case d;
        bool flat;
        const primitive_kind kind = (primitive_kind)(seed % PRIMITIVE_KINDS);
        const arc_way w = make_case(&d, &r, kind, &flat);
        t.flat += flat;
        check_case(seed, &d, w, kind, &t);
        release_case(&d);
        cases++;
    }
    for (int w = 0; w < WAYS; w++)
        print_message("%s: %zu hits, %zu misses, %.2f steps\n", way_names[w], t.hits[w], t.misses[w],
                      (double)t.steps[w] / (double)(t.hits[w] + t.misses[w] + 1));
    print_message("%zu cases, %zu hits at the start, %zu triangles without area, %zu raised tolerances\n", cases,
                  t.at_enter, t.flat, t.raised);
    print_message("at most %zu steps, %zu not converged; %zu near at the start\n", t.most, t.stalled, t.within);
    if (few_cases())
        return;
    assert_true(cases >= 2000);
    assert_true(t.stalled * 2000 < cases); /* close to a curved body that turns by radians */
    for (int w = 0; w < WAYS; w++)
        assert_true(t.hits[w] > 15 && (w == INSIDE || t.misses[w] > 50));
    for (int k = 0; k < PRIMITIVE_KINDS; k++)
        assert_true(t.kinds[k] > 12);
    assert_true(t.at_enter > 250 && t.flat > 100 && t.raised > 450 && t.within > 0);
}

/* ---- overlaps ---------------------------------------------------------------------------------------------------- */

/* From some time after the first contact on, as long as is certain; at times in between they are within the distance.
 */
static void overlaps_last(void **state)
{
    (void)state;
    size_t certain = 0, whole = 0, certificates = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(2000, 300000); seed++) {
        random_source r = random_seed(seed ^ 0x0e71a);
        arc_case d;
        arc_contact c;
        bool flat;
        make_case(&d, &r, (primitive_kind)(seed % PRIMITIVE_KINDS), &flat);
        tact_arc_toi(&d.body, d.path, d.enter, d.exit, d.tolerance, &c);
        const double distance = random_chance(&r, 0.5) ? d.tolerance : 1e-9;
        const double noise = ORACLE * case_size(&d);
        double time = c.time + (d.exit - c.time) * (random_chance(&r, 0.3) ? 0.0 : random_size(&r, -20, 0));
        for (int k = 0; c.state == TACT_HIT && k < 20 && time < d.exit; k++) {
            const double until = tact_arc_overlap_until(&d.body, d.path, time, d.exit, distance);
            CHECK(until >= time && until <= d.exit, "from %.17g until %.17g", time, until);
            if (until == time)
                break;
            for (int i = 0; i <= 8; i++) {
                const double t = fmin(time + (until - time) * i / 8.0, until), there = distance_at(&d, t);
                CHECK(there <= distance + noise, "%g apart at %.17g, certain from %.17g until %.17g", there, t, time,
                      until);
            }
            certificates++;
            certain += k == 0;
            whole += until == d.exit;
            time = until;
        }
        release_case(&d);
    }
    print_message("%zu overlaps, %zu to the end, %zu certificates\n", certain, whole, certificates);
    assert_true(few_cases() || (certain > 300 && whole > 45));
}

/* ---- the same as for chords where nothing turns ------------------------------------------------------------------ */

static void agrees_with_chords(void **state)
{
    (void)state;
    size_t hits = 0, misses = 0, doubtful = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        arc_case d;
        instance leaf;
        const arc_way w = (arc_way)random_between(&r, FLYING, AT_REST);
        make_motion(&d, &r, w);
        d.motion.spin = d.motion.acceleration = tact_vec(0, 0, 0);
        d.t0 = d.enter = 0.0;
        d.exit = 1.0;
        make_shape(&d, &r, (primitive_kind)(seed % PRIMITIVE_KINDS), &leaf);
        assert_int_equal(tact_arc_body_make(&d.body, &leaf, d.element, &d.at, &d.motion, d.t0, NULL), TACT_OK);
        (void)make_paths(&d, &r, w);
        moving_obstacle o = {.ends = {leaf, leaf}, .rotation = axis_rotation_make(tact_vec(0, 0, 0), 0.0)};
        o.ends[1].at.origin = vec_add(leaf.at.origin, d.motion.velocity);
        moving_triangle t;
        for (int k = 0; k < 6; k++)
            t.ends[k / 3][k % 3] = linear_path_at(&d.path[k % 3], k / 3);
        deforming_contact chord;
        arc_contact arc;
        tact_deforming_toi(&o, d.element, &t, &chord);
        tact_arc_toi(&d.body, d.path, 0.0, 1.0, chord.tolerance, &arc);
        if (chord.hit != (arc.state == TACT_HIT)) { /* between half the tolerance and the tolerance, or resting there */
            const double apart = chord.hit ? distance_at(&d, chord.time) : distance_at(&d, arc.time);
            CHECK(apart > 0.25 * chord.tolerance || chord.touching || arc.time == 0.0,
                  "only one of both hits: %g apart", apart);
            doubtful++;
        } else if (chord.stalled || arc.status != TACT_OK) { /* both early */
            doubtful++;
        } else if (chord.hit) {
            double when;
            const double first = fmin(chord.time, arc.time), last = fmax(chord.time, arc.time);
            CHECK(last - first < 1e-6 || least_distance(&d, first, last, arc.tolerance, &when) <
                                             1.1 * fmax(chord.tolerance, arc.tolerance),
                  "at %.17g along chords, at %.17g along arcs", chord.time, arc.time);
            if (!chord.touching && chord.time > 0.0 && arc.time == chord.time)
                CHECK(vec_dot(chord.normal, arc.normal) > 0.0, "opposite normals");
            hits++;
        } else {
            misses++;
        }
        release_case(&d);
    }
    print_message("%zu hits, %zu misses, %zu doubtful\n", hits, misses, doubtful);
    if (!few_cases())
        assert_true(hits > 500 && misses > 400 && 20 * doubtful < hits + misses);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void boxes_contain_the_body(void **state)
{
    (void)state;
    double loose = 0.0;
    size_t turning = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(1500); seed++) {
        random_source r = random_seed(seed);
        arc_case d;
        bool flat;
        box ends[2];
        (void)make_case(&d, &r, (primitive_kind)(seed % PRIMITIVE_KINDS), &flat);
        tact_arc_body_boxes(&d.body, d.enter, d.exit, ends);
        for (int i = 0; i <= 16; i++) {
            const double u = i / 16.0, t = d.enter + u * (d.exit - d.enter);
            for (int k = 0; k < 6; k++) {
                const double sign = k < 3 ? 1.0 : -1.0;
                const tact_vec3 n = {k % 3 == 0 ? sign : 0.0, k % 3 == 1 ? sign : 0.0, k % 3 == 2 ? sign : 0.0};
                const double at = vec_dot(n, support_at(&d, t, n));
                const double low = (1.0 - u) * (double)ends[0].min[k % 3] + u * (double)ends[1].min[k % 3],
                             high = (1.0 - u) * (double)ends[0].max[k % 3] + u * (double)ends[1].max[k % 3];
                const double spare = (k < 3 ? high : -low) - at;
                CHECK(spare >= -1e-9, "outside by %g at %.17g", -spare, t);
                loose = fmax(loose, spare - 1e-3 * fabs(at)); /* boxes are floats */
            }
        }
        turning += d.body.rate > 0.0;
        release_case(&d);
    }
    print_message("boxes are at most %g too large\n", loose);
    if (!few_cases())
        assert_true(turning > 500 && loose < 1e3);
}

/* ---- odd input --------------------------------------------------------------------------------------------------- */

static arc_body body_of(const tact_shape *shape, tact_transform at, tact_motion motion)
{
    arc_body b;
    instance whole;
    assert_int_equal(tact_instance_make(&whole, shape, &at), TACT_OK);
    assert_int_equal(tact_arc_body_make(&b, &whole, 0, &at, &motion, 0.0, NULL), TACT_OK);
    return b;
}

/* A triangle above the origin that moves down by 4 in the time 1. */
static void falling_triangle(double scale, linear_path path[3])
{
    static const double x[3] = {-1.0, 1.0, 0.0}, z[3] = {-1.0, -1.0, 2.0};
    for (int k = 0; k < 3; k++)
        path[k] = (linear_path){.has_velocity = true,
                                .x0 = tact_vec(scale * x[k], scale * 2.0, scale * z[k]),
                                .x1 = tact_vec(0.0, -4.0 * scale, 0.0)};
}

static void scales_of_all_sizes(void **state)
{
    (void)state;
    for (int e = -900; e <= 450; e += 50) {
        const double s = ldexp(1.0, e);
        linear_path path[3];
        arc_contact c;
        falling_triangle(s, path);
        tact_motion m = tact_motion_still();
        tact_shape *ball = tact_sphere(s), *bar = tact_segment(tact_vec(0, -s, 0), tact_vec(0, s, 0));
        arc_body b = body_of(ball, tact_identity(), m);
        tact_arc_toi(&b, path, 0.0, 1.0, 0.0, &c);
        assert_true(c.status == TACT_OK && c.state == TACT_HIT);
        assert_true(c.time <= 0.25 && c.time > 0.25 - 1e-12 && fabs(c.normal.y - 1.0) < 1e-9);
        assert_true(fabs(c.point.y - s) < 1e-12 * s);
        /* a bar that turns up to the vertical at the time 0.25, where the triangle is at the height 1 */
        m.spin = tact_vec(0.0, 0.0, 1.0);
        b = body_of(bar,
                    tact_transform_make(tact_vec(0, 0, 0), tact_quat_from_axis_angle(tact_vec(0, 0, 1), -0.25),
                                        tact_vec(1, 1, 1)),
                    m);
        tact_arc_toi(&b, path, 0.0, 1.0, 0.0, &c);
        assert_true(c.status == TACT_OK && c.state == TACT_HIT && c.time <= 0.25 && c.time > 0.25 - 1e-11);
        tact_shape_release(ball);
        tact_shape_release(bar);
    }
}

static tact_vec3 nowhere(void *context, tact_vec3 d)
{
    (void)context;
    return tact_vec(NAN, d.x, INFINITY);
}

static void odd_input_is_answered(void **state)
{
    (void)state;
    linear_path path[3], bad[3];
    arc_contact c;
    tact_shape *ball = tact_sphere(1.0), *none = tact_custom(nowhere, NULL, 1.0);
    tact_motion m = tact_motion_still();
    falling_triangle(1.0, path);
    arc_body b = body_of(ball, tact_identity(), m), strange = body_of(none, tact_identity(), m);
    tact_arc_toi(&strange, path, 0.0, 1.0, 1e-9, &c);
    assert_true(c.status == TACT_NOT_CONVERGED && c.state == TACT_HIT && c.time == 0.0);
    box ends[2];
    tact_arc_body_boxes(&strange, 0.0, 1.0, ends);
    assert_true(ends[0].min[0] == -INFINITY && ends[1].max[2] == INFINITY);
    /* an interval without length: apart, in contact, inside */
    tact_arc_toi(&b, path, 0.2, 0.2, 1e-9, &c);
    assert_true(c.status == TACT_OK && c.state == TACT_MISS && c.time == 0.2);
    tact_arc_toi(&b, path, 0.25, 0.25, 1e-9, &c);
    assert_true(c.status == TACT_OK && c.state == TACT_HIT && c.time == 0.25);
    tact_arc_toi(&b, path, 0.5, 0.5, 0.0, &c);
    assert_true(c.status == TACT_OK && c.state == TACT_HIT && c.time == 0.5 && fabs(fabs(c.normal.y) - 1.0) < 1e-9);
    /* leaving the body: inside at the start, and not later */
    tact_arc_toi(&b, path, 0.7, 1.0, 0.0, &c);
    assert_true(c.state == TACT_HIT && c.time == 0.7);
    tact_arc_toi(&b, path, 0.76, 1.0, 0.0, &c);
    assert_true(c.state == TACT_MISS && c.time == 1.0);
    const double wrong[4][3] = {{1.0, 0.0, 0.0}, {0.0, INFINITY, 0.0}, {NAN, 1.0, 0.0}, {0.0, 1.0, -1.0}};
    for (int i = 0; i < 4; i++) {
        tact_arc_toi(&b, path, wrong[i][0], wrong[i][1], wrong[i][2], &c);
        assert_true(c.status == TACT_BAD_ARGUMENT && c.state == TACT_UNKNOWN);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            bad[k] = path[k];
        bad[1] = i == 0   ? (linear_path){.t0 = 1.0, .t1 = 1.0}
                 : i == 1 ? (linear_path){.has_velocity = true, .x1 = {NAN, 0.0, 0.0}}
                          : (linear_path){.has_velocity = true, .x0 = {1e151, 0.0, 0.0}};
        tact_arc_toi(&b, bad, 0.0, 1.0, 1e-9, &c);
        assert_true(c.status == TACT_BAD_ARGUMENT && c.state == TACT_UNKNOWN);
    }
    m.spin.x = INFINITY;
    instance whole;
    const tact_transform here = tact_identity();
    assert_int_equal(tact_instance_make(&whole, ball, &here), TACT_OK);
    assert_int_equal(tact_arc_body_make(&b, &whole, 0, &here, &m, 0.0, NULL), TACT_BAD_ARGUMENT);
    tact_shape_release(ball);
    tact_shape_release(none);
}

/* Far from time 0, and fast: an ulp of time is a path longer than the tolerance of the caller. */
static void times_far_from_zero(void **state)
{
    (void)state;
    tact_shape *cube = tact_box(1.0, 1.0, 1.0);
    instance whole;
    const tact_transform here = tact_identity();
    const tact_motion m = {.velocity = {1e6, 0.0, 0.0}, .spin = {0.0, 0.0, 3.0}};
    const double t0 = 1e9;
    arc_body b;
    arc_contact c;
    linear_path path[3];
    assert_int_equal(tact_instance_make(&whole, cube, &here), TACT_OK);
    assert_int_equal(tact_arc_body_make(&b, &whole, 0, &here, &m, t0, NULL), TACT_OK);
    for (int k = 0; k < 3; k++)
        path[k] = (linear_path){.has_velocity = true, .x0 = {1e5, k == 0 ? 2.0 : -2.0, k == 2 ? 2.0 : -2.0}};
    tact_arc_toi(&b, path, t0, t0 + 1.0, 1e-9, &c);
    assert_true(c.status == TACT_OK && c.state == TACT_HIT && c.tolerance > 1e-9);
    assert_true(c.time < t0 + 0.1 && c.time > t0 + 0.1 - 2e-5 && c.steps < 100);
    tact_shape_release(cube);
}

/* GJK's first bound of the distance is rough: the hit at the start is decided by the distance itself. */
static void hits_at_the_start_are_exact(void **state)
{
    (void)state;
    tact_shape *egg = tact_ellipsoid(1.0, 0.7, 0.4);
    size_t hits = 0, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++) {
        random_source r = random_seed(seed);
        arc_case d = {.shape = egg, .alone = egg, .alone_at = tact_identity(), .exit = 1.0, .tolerance = 0.1};
        d.at = random_place(&r, 1.0, tact_vec(1, 1, 1));
        d.body = body_of(egg, d.at, tact_motion_still());
        const tact_vec3 n = random_direction(&r), far = vec_add(d.at.origin, random_vec(&r, 0.5));
        for (int k = 0; k < 3; k++) {
            const tact_vec3 side = random_vec(&r, 0.3),
                            x = vec_mul_add(vec_add(far, side), random_range(&r, 0.5, 1.0), n);
            d.path[k] = (linear_path){.has_velocity = true, .x0 = x, .x1 = n}; /* leaving */
        }
        const double apart = distance_at(&d, 0.0);
        d.tolerance = apart * random_range(&r, 0.97, 1.03) + 1e-6;
        arc_contact c;
        tact_arc_toi(&d.body, d.path, 0.0, 1.0, d.tolerance, &c);
        const bool hit = c.state == TACT_HIT && c.time == 0.0;
        CHECK(hit == (apart < d.tolerance) || fabs(apart - d.tolerance) < 1e-12, "%.17g apart, tolerance %.17g", apart,
              d.tolerance);
        hits += hit;
        misses += c.state == TACT_MISS;
    }
    if (!few_cases())
        assert_true(hits > 100 && misses > 50);
    tact_shape_release(egg);
}

/* Intervals of a few ulps around the time at which the distance is half the tolerance, where steps end. */
static void intervals_of_a_few_ulps(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    const arc_body b = body_of(ball, tact_identity(), tact_motion_still());
    linear_path path[3];
    falling_triangle(1.0, path);
    double enter = 0.25 - 0.25 * 0.5e-5; /* half the tolerance above the ball */
    for (int i = 0; i < 40; i++)
        enter = nextafter(enter, 0.0);
    for (int k = 0; k < 400; k++) {
        double exit = enter;
        for (int i = 0; i < k % 5; i++)
            exit = nextafter(exit, INFINITY);
        arc_contact c;
        tact_arc_toi(&b, path, enter, exit, 1e-5, &c);
        assert_true(c.status == TACT_OK && c.state == TACT_HIT && c.time == enter);
        enter = k % 5 == 4 ? nextafter(enter, 1.0) : enter;
    }
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_late_and_never_far),    cmocka_unit_test(overlaps_last),
        cmocka_unit_test(agrees_with_chords),          cmocka_unit_test(boxes_contain_the_body),
        cmocka_unit_test(scales_of_all_sizes),         cmocka_unit_test(odd_input_is_answered),
        cmocka_unit_test(times_far_from_zero),         cmocka_unit_test(intervals_of_a_few_ulps),
        cmocka_unit_test(hits_at_the_start_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
