/*
 * Time of impact against an oracle written differently: the signed distance of rounded polytopes in long double by
 * brute force over features (every corner against every face, every edge against every edge; separating axes where
 * they overlap), sampled densely in time, never farther apart than the fastest point allows to be sure, and bisected.
 * Where it starts in touch the oracle looks at the distance a moment later. A failure prints the seed of its case;
 * TACT_TEST_SEED=n runs that case alone, and TACT_TEST_LONG=1 runs 100,000 of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/long_vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

/* ---- rounded polytopes ------------------------------------------------------------------------------------------ */

#define CORNERS 8
#define EDGES 12
#define FACES 12

typedef struct polytope {
    int corner_count, edge_count, face_count;
    double corner[CORNERS][3];
    int edge[EDGES][2];
    int face[FACES][3]; /* triangles */
} polytope;

static const polytope POINT = {1, 0, 0, {{0, 0, 0}}, {{0}}, {{0}}};
static const polytope SEGMENT = {2, 1, 0, {{0, -1, 0}, {0, 1, 0}}, {{0, 1}}, {{0}}};
static const polytope TETRAHEDRON = {4,
                                     6,
                                     4,
                                     {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}},
                                     {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
                                     {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}};
static const polytope OCTAHEDRON = {
    6,
    12,
    8,
    {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
    {{0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {2, 4}, {2, 5}, {3, 4}, {3, 5}},
    {{0, 2, 4}, {0, 2, 5}, {0, 3, 4}, {0, 3, 5}, {1, 2, 4}, {1, 2, 5}, {1, 3, 4}, {1, 3, 5}}};
static const polytope BOX = {
    8,
    12,
    12,
    {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}},
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
    {{0, 1, 3},
     {0, 3, 2},
     {4, 5, 7},
     {4, 7, 6},
     {0, 1, 5},
     {0, 5, 4},
     {2, 3, 7},
     {2, 7, 6},
     {0, 2, 6},
     {0, 6, 4},
     {1, 3, 7},
     {1, 7, 5}}};

/* A moving body: as given to the library, and as the oracle sees it. */
typedef struct body {
    tact_shape *shape;
    tact_transform at;
    tact_motion motion;
    const polytope *core;
    vec corner[CORNERS]; /* placed, relative to the origin */
    real margin;
    real reach;
} body;

/* The corners at a time. */
static void corners_at(const body *b, real t, vec out[CORNERS])
{
    vec w = wide(b->motion.spin);
    real rate = norm(w);
    vec k = rate > 0 ? mul(w, 1 / rate) : w;
    real s = sinl(rate * t), h = sinl(rate * t / 2), c = 2 * h * h;
    vec centre =
        add(add(wide(b->at.origin), mul(wide(b->motion.velocity), t)), mul(wide(b->motion.acceleration), t * t / 2));
    for (int i = 0; i < b->core->corner_count; i++) {
        vec v = b->corner[i], kv = cross(k, v);
        out[i] = add(centre, add(v, add(mul(kv, s), mul(cross(k, kv), c))));
    }
}

/* ---- signed distance, brute force ------------------------------------------------------------------------------- */

/* b - a for the nearest points of two segments a0 a1, b0 b1. */
static vec segment_gap(vec a0, vec a1, vec b0, vec b1)
{
    vec best = sub(b0, a0), d = sub(a1, a0), e = sub(b1, b0), r = sub(a0, b0);
    real a = dot(d, d), b = dot(d, e), c = dot(e, e), f = dot(d, r), g = dot(e, r), det = a * c - b * b;
    real least = dot(best, best);
    real try_s[5] = {0, 1, 0, 0, 0}, try_t[5] = {0, 0, 0, 1, 0};
    int count = 4;
    if (det > 0) {
        try_s[4] = (b * g - c * f) / det;
        try_t[4] = (a * g - b * f) / det;
        count = 5;
    }
    for (int i = 0; i < count; i++) {
        real s = try_s[i], t = try_t[i];
        if (i < 2) /* an end of a: the best of b */
            t = c > 0 ? (g + b * s) / c : 0;
        else if (i < 4)
            s = a > 0 ? (b * t - f) / a : 0;
        s = s < 0 ? 0 : s > 1 ? 1 : s;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        vec gap = sub(add(b0, mul(e, t)), add(a0, mul(d, s)));
        if (dot(gap, gap) < least) {
            least = dot(gap, gap);
            best = gap;
        }
    }
    return best;
}

/* If p is above the inside of the triangle, the vector from the triangle to it; else false. */
static bool triangle_gap(vec p, const vec *a, const vec *b, const vec *c, vec *gap)
{
    vec n = cross(sub(*b, *a), sub(*c, *a)), r = sub(p, *a);
    if (dot(cross(sub(*b, *a), r), n) < 0 || dot(cross(sub(*c, *b), sub(p, *b)), n) < 0 ||
        dot(cross(sub(*a, *c), sub(p, *c)), n) < 0)
        return false;
    *gap = mul(n, dot(n, r) / dot(n, n));
    return true;
}

/* How far along n (any length) from the highest of p to the lowest of q, in units of length. */
static real axis_gap(vec n, const vec *p, int p_count, const vec *q, int q_count)
{
    real high = dot(n, p[0]), low = dot(n, q[0]);
    for (int i = 1; i < p_count; i++)
        high = fmaxl(high, dot(n, p[i]));
    for (int i = 1; i < q_count; i++)
        low = fminl(low, dot(n, q[i]));
    return (low - high) / norm(n);
}

static void try_axis(vec n, const vec *p, int p_count, const vec *q, int q_count, real *most, vec *normal)
{
    if (!(norm(n) > 1e-12L))
        return;
    for (int side = 0; side < 2; side++, n = mul(n, -1)) {
        real gap = axis_gap(n, p, p_count, q, q_count);
        if (gap > *most) {
            *most = gap;
            *normal = mul(n, 1 / norm(n));
        }
    }
}

/* The signed distance of two cores, and the direction from the first to the second. */
static real core_distance(const polytope *a, const vec *p, const polytope *b, const vec *q, vec *normal)
{
    real most = -INFINITY;
    if (a->face_count + b->face_count > 0) {
        for (int i = 0; i < a->face_count; i++)
            try_axis(cross(sub(p[a->face[i][1]], p[a->face[i][0]]), sub(p[a->face[i][2]], p[a->face[i][0]])), p,
                     a->corner_count, q, b->corner_count, &most, normal);
        for (int i = 0; i < b->face_count; i++)
            try_axis(cross(sub(q[b->face[i][1]], q[b->face[i][0]]), sub(q[b->face[i][2]], q[b->face[i][0]])), p,
                     a->corner_count, q, b->corner_count, &most, normal);
        if (most <= 0)
            for (int i = 0; i < a->edge_count; i++)
                for (int j = 0; j < b->edge_count; j++) {
                    vec e = sub(p[a->edge[i][1]], p[a->edge[i][0]]), f = sub(q[b->edge[j][1]], q[b->edge[j][0]]);
                    vec n = cross(e, f);
                    if (norm(n) > 1e-9L * norm(e) * norm(f))
                        try_axis(n, p, a->corner_count, q, b->corner_count, &most, normal);
                }
        if (most <= 0)
            return most;
    }
    vec best = sub(q[0], p[0]);
    real least = dot(best, best);
    for (int i = 0; i < a->corner_count; i++)
        for (int j = 0; j < b->corner_count; j++) {
            vec gap = sub(q[j], p[i]);
            if (dot(gap, gap) < least) {
                best = gap;
                least = dot(gap, gap);
            }
        }
    for (int i = 0; i < (a->edge_count > 0 ? a->edge_count : 1); i++)
        for (int j = 0; j < (b->edge_count > 0 ? b->edge_count : 1); j++) {
            vec p0 = a->edge_count > 0 ? p[a->edge[i][0]] : p[0], p1 = a->edge_count > 0 ? p[a->edge[i][1]] : p[0];
            vec q0 = b->edge_count > 0 ? q[b->edge[j][0]] : q[0], q1 = b->edge_count > 0 ? q[b->edge[j][1]] : q[0];
            vec gap = segment_gap(p0, p1, q0, q1);
            if (dot(gap, gap) < least) {
                best = gap;
                least = dot(gap, gap);
            }
        }
    for (int side = 0; side < 2; side++) {
        const polytope *flat = side == 0 ? a : b, *other = side == 0 ? b : a;
        const vec *f = side == 0 ? p : q, *o = side == 0 ? q : p;
        for (int i = 0; i < flat->face_count; i++)
            for (int j = 0; j < other->corner_count; j++) {
                vec gap;
                if (triangle_gap(o[j], &f[flat->face[i][0]], &f[flat->face[i][1]], &f[flat->face[i][2]], &gap) &&
                    dot(gap, gap) < least) {
                    least = dot(gap, gap);
                    best = side == 0 ? gap : mul(gap, -1);
                }
            }
    }
    least = norm(best);
    *normal = least > 0 ? mul(best, 1 / least) : best;
    return least;
}

typedef struct scene {
    body a, b;
    double end, tolerance;
} scene;

static real signed_distance(const scene *s, real t, vec *normal)
{
    vec p[CORNERS], q[CORNERS], ignored;
    corners_at(&s->a, t, p);
    corners_at(&s->b, t, q);
    return core_distance(s->a.core, p, s->b.core, q, normal != NULL ? normal : &ignored) - (s->a.margin + s->b.margin);
}

/* No two points change their distance faster than this within [0, end]. */
static real fastest(const scene *s)
{
    vec v = sub(wide(s->b.motion.velocity), wide(s->a.motion.velocity));
    vec a = sub(wide(s->b.motion.acceleration), wide(s->a.motion.acceleration));
    return norm(v) + norm(a) * (real)s->end + norm(wide(s->a.motion.spin)) * s->a.reach +
           norm(wide(s->b.motion.spin)) * s->b.reach;
}

/* ---- the oracle's answer ---------------------------------------------------------------------------------------- */

#define SAMPLES 600

typedef struct truth {
    bool meets; /* at some time from `from` on the distance is 0 or less */
    real first; /* then: it is positive before this time, up to the bisection */
    real least; /* the smallest distance found, until `first` */
    real when_least;
} truth;

/* Looks at [from, end]: steps as long as the distance allows, but not longer than end/SAMPLES near contact; dips
 * between samples are followed down by golden sections. `from` is a time at which they are apart. */
static truth find_truth(const scene *s, real from)
{
    truth out = {false, 0, INFINITY, 0};
    const real end = (real)s->end, speed = fastest(s) + 1e-30L, finest = end / SAMPLES;
    real t[3] = {from, from, from}, d[3];
    d[0] = d[1] = d[2] = signed_distance(s, from, NULL);
    for (;;) {
        if (d[2] < out.least) {
            out.least = d[2];
            out.when_least = t[2];
        }
        /* a dip at t[1] */
        if (d[1] < d[0] && d[1] <= d[2] && d[2] > 0 && d[1] < speed * finest) {
            const real ratio = 0.6180339887498948482L;
            real lo = t[0], hi = t[2], x = hi - ratio * (hi - lo), y = lo + ratio * (hi - lo);
            real dx = signed_distance(s, x, NULL), dy = signed_distance(s, y, NULL);
            for (int i = 0; i < 60 && fminl(dx, dy) > 0; i++) {
                if (dx < dy) {
                    hi = y;
                    y = x;
                    dy = dx;
                    x = hi - ratio * (hi - lo);
                    dx = signed_distance(s, x, NULL);
                } else {
                    lo = x;
                    x = y;
                    dx = dy;
                    y = lo + ratio * (hi - lo);
                    dy = signed_distance(s, y, NULL);
                }
            }
            real low = fminl(dx, dy), at = dx < dy ? x : y;
            if (low < out.least) {
                out.least = low;
                out.when_least = at;
            }
            if (low <= 0) {
                t[1] = t[0];
                t[2] = at;
                d[2] = low;
            }
        }
        if (d[2] <= 0) {
            real lo = t[1], hi = t[2];
            for (int i = 0; i < 100; i++) {
                real mid = (lo + hi) / 2;
                if (signed_distance(s, mid, NULL) > 0)
                    lo = mid;
                else
                    hi = mid;
            }
            out.meets = true;
            out.first = hi;
            return out;
        }
        if (t[2] >= end)
            return out;
        real next = fminl(end, t[2] + fmaxl(d[2] / speed, finest));
        t[0] = t[1];
        d[0] = d[1];
        t[1] = t[2];
        d[1] = d[2];
        t[2] = next;
        d[2] = signed_distance(s, next, NULL);
    }
}

/* ---- random scenes ---------------------------------------------------------------------------------------------- */

static tact_vec3 random_vec(random_source *r, double size)
{
    return vec_scale(random_direction(r), size * random_unit(r));
}

static void make_body(random_source *r, double size, body *b)
{
    static const polytope *const cores[5] = {&POINT, &SEGMENT, &TETRAHEDRON, &OCTAHEDRON, &BOX};
    int kind = random_between(r, 0, 4);
    b->core = cores[kind];
    tact_vec3 scale = {size, size, size};
    if (kind >= 2)
        for (int i = 0; i < 3; i++)
            (&scale.x)[i] *= (random_chance(r, 0.5) ? 1.0 : -1.0) * random_range(r, 0.05, 1.0);
    b->at = tact_transform_make(random_vec(r, 3.0 * size), random_rotation(r), scale);
    double margin = kind < 2 ? 0.0 : random_chance(r, 0.3) ? size * random_range(r, 0.0, 0.5) : 0.0;
    tact_vec3 points[CORNERS];
    for (int i = 0; i < b->core->corner_count; i++)
        points[i] = tact_vec(b->core->corner[i][0], b->core->corner[i][1], b->core->corner[i][2]);
    tact_shape_def def = tact_shape_def_default();
    double radius = random_range(r, 0.1, 1.0);
    def.margin = margin;
    def.radius = radius;
    def.height = 2.0;
    def.size = tact_vec(2.0, 2.0, 2.0);
    def.points = points;
    def.point_count = (size_t)b->core->corner_count;
    def.type = kind == 0   ? TACT_SPHERE
               : kind == 1 ? TACT_CAPSULE
               : kind == 2 ? TACT_TETRAHEDRON
               : kind == 3 ? TACT_HULL
                           : TACT_BOX;
    tact_report report;
    b->shape = tact_shape_create(&def, &report);
    if (b->shape == NULL)
        fail_msg("%s", report.text);
    real m = (real)margin;
    if (kind < 2)
        m += (real)radius * norm(wide(b->at.y_axis));
    b->margin = m;
    b->reach = 0;
    for (int i = 0; i < b->core->corner_count; i++) {
        const double *c = b->core->corner[i];
        b->corner[i] = add(add(mul(wide(b->at.x_axis), (real)c[0]), mul(wide(b->at.y_axis), (real)c[1])),
                           mul(wide(b->at.z_axis), (real)c[2]));
        b->reach = fmaxl(b->reach, norm(b->corner[i]));
    }
}

typedef enum course_kind { DRIFTING, FALLING, SPINNING, ALL_KINDS } course_kind;

static course_kind make_motions(random_source *r, double size, scene *s)
{
    course_kind kind = (course_kind)random_below(r, ALL_KINDS);
    s->end = random_range(r, 0.2, 3.0);
    for (int i = 0; i < 2; i++) {
        tact_motion *m = i == 0 ? &s->a.motion : &s->b.motion;
        *m = tact_motion_still();
        m->velocity = random_vec(r, 4.0 * size);
        if (kind >= FALLING)
            m->acceleration = random_vec(r, 8.0 * size);
        if (kind == SPINNING && random_chance(r, 0.8))
            m->spin = random_vec(r, 6.0);
        if (kind == SPINNING && random_chance(r, 0.2))
            m->velocity = m->acceleration = tact_vec(0.0, 0.0, 0.0);
    }
    return kind;
}

static double half_extent(const body *b)
{
    double most = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < b->core->corner_count; i++) {
            vec c = b->corner[i];
            double x = (double)(axis == 0 ? c.x : axis == 1 ? c.y : c.z);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        most = fmax(most, 0.5 * (high - low));
    }
    return most + (double)b->margin;
}

static void shift(body *b, vec by)
{
    b->at.origin =
        tact_vec(b->at.origin.x + (double)by.x, b->at.origin.y + (double)by.y, b->at.origin.z + (double)by.z);
}

static tact_toi ask(const scene *s, double tolerance)
{
    tact_toi_def def = tact_toi_def_default();
    def.end = s->end;
    def.tolerance = tolerance;
    return tact_shapes_time_of_impact_with(s->a.shape, s->a.at, s->a.motion, s->b.shape, s->b.at, s->b.motion, &def);
}

typedef struct tally {
    int hit, miss, grazing_hit, grazing_miss, overlapping, closing, parting, returning, drifting, falling, spinning,
        lasting;
} tally;

/* What every hit must satisfy besides its time. */
static void check_hit(const scene *s, const tact_toi *hit, uint64_t seed)
{
    vec n;
    real d = signed_distance(s, (real)hit->time, &n);
    CHECK(d <= (real)s->tolerance, "distance %Lg, tolerance %g, time %.17g", d, s->tolerance, hit->time);
    CHECK(hit->time >= 0.0 && hit->time <= s->end, "time %.17g", hit->time);
    CHECK(fabsl(norm(wide(hit->normal)) - 1) < 1e-12L, "normal %g", (double)norm(wide(hit->normal)));
    if (hit->time > 0.0 && d > 0)
        /* the tolerance is the length that the direction is taken from */
        CHECK(dot(n, wide(hit->normal)) > 1 - 1e-6L, "normal off by %Lg", 1 - dot(n, wide(hit->normal)));
}

/* Started with the distance beyond the tolerance. */
static void check_from_apart(const scene *s, const tact_toi *got, uint64_t seed, tally *seen)
{
    truth t = find_truth(s, 0);
    double size = fmax(half_extent(&s->a), half_extent(&s->b));
    bool grazing = fabsl(t.least) < 1e-3L * (real)size;
    CHECK(got->status == TACT_OK, "status %d at %.17g of %g", (int)got->status, got->time, s->end);
    if (got->state == TACT_HIT) {
        check_hit(s, got, seed);
        if (t.meets) {
            CHECK((real)got->time <= t.first, "late: %.17g after %.17Lg", got->time, t.first);
            seen->hit++;
            /* a graze: it hardly goes in */
            scene longer = *s;
            real deepest = 0;
            for (int i = 1; i <= 20; i++)
                deepest = fminl(deepest, signed_distance(&longer, t.first + (real)i * 1e-3L * (real)s->end, NULL));
            seen->grazing_hit += deepest > -1e-3L * (real)size;
        }
    } else {
        CHECK(got->state == TACT_MISS, "state %d", (int)got->state);
        CHECK(!t.meets, "missed: they meet at %.17Lg of %g", t.first, s->end);
        seen->miss++;
        seen->grazing_miss += grazing;
    }
}

/* Started within the tolerance. */
static void check_from_touch(const scene *s, const tact_toi *got, real start, uint64_t seed, tally *seen)
{
    /* A moment: nothing moves farther than a thousandth of the tolerance. */
    real speed = fastest(s), moment = 1e-3L * (real)s->tolerance / speed;
    real change = signed_distance(s, moment, NULL) - start;
    if (fabsl(change) < 1e-2L * moment * speed || 100 * moment > (real)s->end)
        return; /* too near to level to be decided from here */
    for (int i = -1; i <= 2; i++)
        if ((signed_distance(s, moment * powl(10, i), NULL) - start) * change < 0)
            return; /* turns round within a tenth of the tolerance: in a corner both answers are right */
    CHECK(got->status == TACT_OK, "status %d at %.17g of %g", (int)got->status, got->time, s->end);
    if (change < 0) {
        CHECK(got->state == TACT_HIT && got->time == 0.0, "closing from %Lg: state %d time %g", start, (int)got->state,
              got->time);
        seen->closing++;
        return;
    }
    /* Follow it until it has parted. */
    real tolerance = (real)s->tolerance, t = 0, d = start;
    while (t < (real)s->end && d <= tolerance && d >= -tolerance) {
        t = fminl((real)s->end, t + 0.05L * tolerance / speed);
        d = signed_distance(s, t, NULL);
        if (t > 20000 * moment && t < (real)s->end)
            return; /* lingers: too long to follow here */
    }
    if (d < -tolerance) {
        CHECK(got->state == TACT_HIT && (real)got->time <= t, "pressed in: state %d", (int)got->state);
        seen->lasting++;
    } else if (d > tolerance) {
        truth later = find_truth(s, t);
        CHECK(got->state != TACT_HIT || got->time > 0.0, "parting, but a hit at 0");
        if (got->state == TACT_HIT) {
            check_hit(s, got, seed);
            CHECK(!later.meets || (real)got->time <= later.first, "late: %.17g after %.17Lg", got->time, later.first);
            seen->returning += later.meets;
        } else {
            CHECK(!later.meets, "missed: they meet again at %.17Lg of %g", later.first, s->end);
        }
        seen->parting++;
    }
}

static bool same_bits(double a, double b) { return a == b || (a != a && b != b); }

static void check_swap(const scene *s, const tact_toi *got, double tolerance, uint64_t seed)
{
    scene mirror = {s->b, s->a, s->end, s->tolerance};
    tact_toi other = ask(&mirror, tolerance);
    CHECK(other.status == got->status && other.state == got->state && same_bits(other.time, got->time),
          "swapped time %.17g, not %.17g", other.time, got->time);
    CHECK(vec_equal(other.point, got->point) && vec_equal(other.normal, vec_negate(got->normal)),
          "swapped point or normal differ");
}

static void run_case(uint64_t seed, tally *seen)
{
    random_source source = random_seed(seed), *r = &source;
    scene s;
    double size = ldexp(random_range(r, 1.0, 2.0), random_between(r, -10, 10));
    make_body(r, size * random_range(r, 0.05, 1.0), &s.a);
    make_body(r, size * random_range(r, 0.05, 1.0), &s.b);
    course_kind kind = make_motions(r, size, &s);
    double widest = fmax(half_extent(&s.a), half_extent(&s.b));
    double tolerance = random_chance(r, 0.7) ? 0.0 : widest * ldexp(random_unit(r), -random_between(r, 6, 34));
    s.tolerance = tolerance > 0.0 ? tolerance : 1e-9 * fmin(half_extent(&s.a), half_extent(&s.b));
    int what = random_between(r, 0, 9);
    vec n;
    if (what < 4) {
        /* Bring the nearest approach to almost nothing: a graze. */
        for (int i = 0; i < 2; i++) {
            if (signed_distance(&s, 0, &n) <= 0)
                shift(&s.b, mul(n, fabsl(signed_distance(&s, 0, &n)) + (real)size));
            truth t = find_truth(&s, 0);
            real want = (real)(widest * ldexp(random_range(r, -1.0, 1.0), -random_between(r, 3, 28)));
            if (signed_distance(&s, t.when_least, &n) > 0 && !t.meets)
                shift(&s.b, mul(n, want - t.least));
        }
    } else if (what < 6) {
        /* Start in touch. */
        for (int i = 0; i < 4; i++) {
            real d = signed_distance(&s, 0, &n);
            shift(&s.b, mul(n, (real)(s.tolerance * random_range(r, -0.9, 0.9)) - d));
        }
        if (kind != DRIFTING && random_chance(r, 0.3)) {
            /* Thrown up, to come back: v t - a t^2/2 is 0 again within the time. */
            double speed = size * random_range(r, 0.1, 3.0), pull = 2.0 * speed / (s.end * random_range(r, 0.1, 0.9));
            tact_vec3 up = {(double)n.x, (double)n.y, (double)n.z};
            s.b.motion.velocity = vec_mul_add(s.a.motion.velocity, speed, up);
            s.b.motion.acceleration = vec_mul_add(s.a.motion.acceleration, -pull, up);
        }
    }
    real start = signed_distance(&s, 0, NULL), slack = 1e-6L * (real)s.tolerance;
    tact_toi got = ask(&s, tolerance);
    if (start < -(real)s.tolerance - slack) {
        CHECK(got.status == TACT_OK && got.state == TACT_HIT && got.time == 0.0,
              "overlapping: status %d state %d time %g", (int)got.status, (int)got.state, got.time);
        seen->overlapping++;
    } else if (start > (real)s.tolerance + slack) {
        check_from_apart(&s, &got, seed, seen);
        seen->drifting += kind == DRIFTING;
        seen->falling += kind == FALLING;
        seen->spinning += kind == SPINNING;
    } else if (fabsl(start) < (real)s.tolerance - slack) {
        check_from_touch(&s, &got, start, seed, seen);
    }
    check_swap(&s, &got, tolerance, seed);
    tact_shape_release(s.a.shape);
    tact_shape_release(s.b.shape);
}

static void random_pairs_meet_when_the_oracle_says(void **state)
{
    (void)state;
    tally seen = {0};
    const char *one = getenv("TACT_TEST_SEED");
    if (one != NULL) {
        run_case(strtoull(one, NULL, 10), &seen);
        return;
    }
    int count = (int)random_case_count(250, 100000);
    for (int i = 0; i < count; i++)
        run_case((uint64_t)i, &seen);
    print_message("hit %d miss %d, grazing %d and %d, overlapping %d, closing %d, parting %d (returning %d), lasting "
                  "%d; drifting %d falling "
                  "%d spinning %d\n",
                  seen.hit, seen.miss, seen.grazing_hit, seen.grazing_miss, seen.overlapping, seen.closing,
                  seen.parting, seen.returning, seen.lasting, seen.drifting, seen.falling, seen.spinning);
    assert_true(seen.hit > count / 10);
    assert_true(seen.miss > count / 10);
    if (few_cases())
        return;
    assert_true(seen.grazing_hit > count / 50);
    assert_true(seen.grazing_miss > count / 50);
    assert_true(seen.overlapping > count / 50);
    assert_true(seen.closing > count / 50);
    assert_true(seen.parting > count / 50);
    assert_true(seen.returning > count / 300);
    assert_true(seen.drifting > count / 10);
    assert_true(seen.falling > count / 10);
    assert_true(seen.spinning > count / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_meet_when_the_oracle_says),
    };
    return cmocka_run_group_tests_name("impact", tests, NULL, NULL);
}
