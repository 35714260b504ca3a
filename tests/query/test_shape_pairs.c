/*
 * Every ordered pair of shape types against the oracle: overlap, distance, depth, points and normals, swapping and
 * moving both, under random transforms of every kind.
 *
 * `make test` runs a fast subset. Environment:
 *   TACT_TEST_LONG=1         100,000 cases a pair, the pairs spread over all cores (half an hour on two)
 *   TACT_TEST_CASES=n        that many cases a pair
 *   TACT_TEST_SEED=n         other cases
 *   TACT_TEST_PAIR=box,cone  this pair only
 *   TACT_TEST_CASE=n         this case only, printed in full
 *   TACT_TEST_TELL=n         print the first n failures of each fault, instead of 5, and more than one a pair
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>
#include <time.h>
#include <unistd.h>

#include "oracle/scene.h"

/* The guarantee: with L the largest transformed coordinate and u the unit roundoff. */
static const real unit_roundoff = 0x1p-53L;
static const real roundoffs = 32;             /* of L, in distances and depths */
static const real distance_relative = 1e-10L; /* of the distance */
static const real depth_relative = 1e-6L;     /* of the depth */
static const real aside_relative =
    2e-5L;                        /* of the distance, sideways: the square of it is lost in the distance's own 1e-10 */
static const real band = 1e-12L;  /* of L: within it, overlap may be decided either way */
static const real unit_slack = 8; /* roundoffs by which a unit vector may miss length 1 */
static const real contact_roundoffs =
    96;                                 /* of L, besides: contact points are computed from a rounded normal and depth */
static const real curved_depth = 1e-6L; /* of the depth, where the oracle has an upper bound only */
static const real curved_points_size = 1e-11L; /* of L, besides: distance of contact points from curved shapes */
/* of L: between cores this close the direction has ten digits at best, and a point of a large curved shape that is
 * moved along it may be off as much */
static const real close_cores = 1e-6L;
static const real motion_roundoffs = 16; /* of L: rounding of the rotated and translated transforms themselves */

enum {
    FAST_CASES = 6,
    LONG_CASES = 100000,
    THOROUGH_EVERY = 32, /* in the long target */
    PRINTED_FAILURES = 5 /* of each fault */
};

typedef enum fault {
    FAULT_SHAPE,  /* the library did not create the shape */
    FAULT_STATUS, /* a status other than OK (cap exits among them) */
    FAULT_NAN,
    FAULT_DISTANCE,
    FAULT_DISTANCE_POINT,  /* a closest point is not in its shape, or not at the distance */
    FAULT_DISTANCE_NORMAL, /* not unit, or not from A to B, or not zero on overlap */
    FAULT_TOUCH,
    FAULT_TOUCH_CACHE,
    FAULT_WITHIN,
    FAULT_COMMON,
    FAULT_DEPTH,
    FAULT_DEPTH_NORMAL, /* not unit, or moving by depth * normal does not separate */
    FAULT_DEPTH_POINT,
    FAULT_SWAP,
    FAULT_MOTION,
    FAULT_AGREE, /* overlap, common point, distance and depth contradict each other */
    FAULTS
} fault;

static const char *const fault_names[FAULTS] = {"shape",
                                                "status",
                                                "nan",
                                                "distance",
                                                "distance point",
                                                "distance normal",
                                                "touch",
                                                "touch with cache",
                                                "within",
                                                "common",
                                                "depth",
                                                "depth normal",
                                                "depth point",
                                                "swap",
                                                "motion",
                                                "agreement"};

typedef struct tally {
    long cases, faults[FAULTS], kinds[SCENE_KINDS];
    long searched, solved, quad; /* how the oracle found a sharp distance: search, solver, in quadruple precision */
    long dull;                   /* not at all */
    long exact_depths;           /* overlaps of known depth: polytopes, and margins alone */
    real worst_distance;         /* largest error, in units of what is allowed */
    real worst_depth;
} tally;

/* A point, and its distance from a body. */
typedef struct location {
    const oracle_body *body;
    tact_vec3 point;
    real allowed, off;
} location;

enum { LOCATED = 6, HINTS = 2 };

typedef struct trial {
    const scene *s;
    const char *pair;
    uint64_t seed, index;
    tally *count;
    long print_count;    /* 0: the first of each pair and fault; 1: all; more: so many of each fault */
    bool thorough;       /* search longer for a smaller depth of curved shapes */
    real hint[HINTS][3]; /* separating directions from the library: only tried, never trusted */
    bool failed[FAULTS];
    int located;
    location found[LOCATED];
} trial;

static long printed[FAULTS];

static void blame(trial *t, fault what, const char *why, real is, real allowed)
{
    if (t->failed[what])
        return;
    t->failed[what] = true;
    t->count->faults[what]++;
    long number;
#pragma omp atomic capture
    number = printed[what]++;
    bool first = t->count->faults[what] == 1;
    if (t->print_count > 1 ? number < t->print_count : t->print_count || (first && number < PRINTED_FAILURES))
        print_error("%s: %s: %.6Lg, allowed %.6Lg (L %.3Lg, distance %.6Lg to %.6Lg, depth %.6Lg%s)\n"
                    "  repeat: TACT_TEST_PAIR=%s TACT_TEST_SEED=%llu TACT_TEST_CASE=%llu test_pairs\n",
                    fault_names[what], why, is, allowed, t->s->largest, t->s->gap.low - t->s->margins,
                    t->s->gap.high - t->s->margins, t->s->depth, t->s->overlap_known ? "" : " or more", t->pair,
                    (unsigned long long)t->seed, (unsigned long long)t->index);
}

/* The guarantee for distances. */
static real absolute(const trial *t) { return roundoffs * unit_roundoff * t->s->largest; }

/* The guarantee for depths: with a custom support function, whose rounding the library cannot know, the band. */
static real absolute_depth(const trial *t)
{
    return strstr(t->pair, "custom") != NULL ? band * t->s->largest : absolute(t);
}

/* Whether the library, too, treats both as polytopes: then the depth is the exact minimum over faces, as guaranteed.
 * Other pairs are checked less strictly (see below). */
static bool exact_depth(const trial *t)
{
    static const char *const round[] = {"sphere", "capsule", "cylinder", "cone",  "ellipsoid",
                                        "sum",    "join",    "placed",   "custom"};
    for (size_t i = 0; i < sizeof round / sizeof *round; i++)
        if (strstr(t->pair, round[i]) != NULL)
            return false;
    return true;
}

static bool finite_vec(tact_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static void widen(tact_vec3 v, real r[3])
{
    r[0] = v.x;
    r[1] = v.y;
    r[2] = v.z;
}

static real length_of(tact_vec3 v)
{
    real r[3];
    widen(v, r);
    return sqrtl(oracle_dot(r, r));
}

/* |p - q - s n| */
static real mismatch(tact_vec3 p, tact_vec3 q, double s, tact_vec3 n)
{
    real x = (real)p.x - q.x - (real)s * n.x, y = (real)p.y - q.y - (real)s * n.y, z = (real)p.z - q.z - (real)s * n.z;
    return sqrtl(x * x + y * y + z * z);
}

/* A proved bound of the distance of the point from the body. The answers often have the same point, and the strictest,
 * for the distance, comes first. */
static real outside(trial *t, const oracle_body *body, tact_vec3 point, real allowed)
{
    for (int k = 0; k < t->located; k++)
        if (t->found[k].body == body && memcmp(&t->found[k].point, &point, sizeof point) == 0 &&
            t->found[k].allowed <= allowed)
            return t->found[k].off;
    real p[3];
    widen(point, p);
    real off = oracle_point_distance(body, p, allowed);
    if (t->located < LOCATED)
        t->found[t->located++] = (location){body, point, allowed, off};
    return off;
}

/* An upper bound of the true depth, margins included, and a tight one where the oracle can. */
static real depth_bound(const trial *t, const real *hint, int samples)
{
    const scene *s = t->s;
    real normal[3];
    if (s->overlap_known)
        return s->depth + s->depth_slack;
    real one = oracle_depth_sampled(&s->body_a, &s->body_b, hint, samples, (unsigned)t->index, normal);
    real other = oracle_depth_sampled(&s->body_a, &s->body_b, s->gap.best, 0, 0, normal);
    return s->margins + fminl(fminl(one, other), s->gap.overlap);
}

/* The same, but with no more work than it takes to see that the depth is at most `enough`. */
static real depth_bound_until(const trial *t, real enough)
{
    const scene *s = t->s;
    if (s->overlap_known)
        return s->depth + s->depth_slack;
    real least = s->gap.overlap, normal[3];
    for (int k = 0; k < HINTS && s->margins + least > enough; k++)
        if (oracle_dot(t->hint[k], t->hint[k]) > 0)
            least = fminl(least, oracle_overlap_along(&s->body_a, &s->body_b, t->hint[k]));
    for (int k = 0; k < HINTS && s->margins + least > enough; k++)
        least = fminl(least, oracle_depth_sampled(&s->body_a, &s->body_b, t->hint[k], 0, 0, normal));
    if (s->margins + least > enough) { /* the solver ends closer to the best direction than the search */
        oracle_gap gap;
        oracle_distance_solve(&s->body_a, &s->body_b, 0, 0, &gap);
        least = fminl(least, gap.overlap);
    }
    if (s->margins + least > enough)
        least = fminl(least, depth_bound(t, NULL, 200) - s->margins);
    return s->margins + least;
}

static void check_distance(trial *t, const tact_distance *r)
{
    const scene *s = t->s;
    real low = fmaxl(s->gap.low - s->margins, 0), high = fmaxl(s->gap.high - s->margins, 0);
    if (r->status != TACT_OK)
        blame(t, FAULT_STATUS, "distance: status", r->status, TACT_OK);
    if (!isfinite(r->distance) || !finite_vec(r->on_a) || !finite_vec(r->on_b) || !finite_vec(r->normal)) {
        blame(t, FAULT_NAN, "distance", NAN, 0);
        return;
    }
    real allowed = distance_relative * low + absolute(t);
    real error = fmaxl(low - (real)r->distance, (real)r->distance - high);
    t->count->worst_distance = fmaxl(t->count->worst_distance, error / allowed);
    if (error > allowed || r->distance < 0)
        blame(t, FAULT_DISTANCE, "error of the distance", error, allowed);
    real off_a = outside(t, &s->body_a, r->on_a, allowed), off_b = outside(t, &s->body_b, r->on_b, allowed);
    if (off_a > allowed)
        blame(t, FAULT_DISTANCE_POINT, "on_a is off A by", off_a, allowed);
    if (off_b > allowed)
        blame(t, FAULT_DISTANCE_POINT, "on_b is off B by", off_b, allowed);
    real length = mismatch(r->on_b, r->on_a, 0, r->normal);
    if (fabsl(length - (real)r->distance) > allowed)
        blame(t, FAULT_DISTANCE_POINT, "|on_b - on_a| is not the distance, by", length - (real)r->distance, allowed);
    real aside = mismatch(r->on_b, r->on_a, r->distance, r->normal);
    if (aside > aside_relative * (real)r->distance + allowed)
        blame(t, FAULT_DISTANCE_POINT, "on_b - on_a is not distance * normal, by", aside,
              aside_relative * (real)r->distance + allowed);
    if (r->distance > 0 && fabsl(length_of(r->normal) - 1) > unit_slack * unit_roundoff)
        blame(t, FAULT_DISTANCE_NORMAL, "length - 1", length_of(r->normal) - 1, unit_slack * unit_roundoff);
    if (r->distance == 0 && length_of(r->normal) != 0)
        blame(t, FAULT_DISTANCE_NORMAL, "overlap, but the normal has length", length_of(r->normal), 0);
    if (r->distance == 0 && memcmp(&r->on_a, &r->on_b, sizeof r->on_a) != 0)
        blame(t, FAULT_DISTANCE_POINT, "overlap, but the points differ by", mismatch(r->on_b, r->on_a, 0, r->normal),
              0);
}

/* `state` for "at most x apart". */
static void check_verdict(trial *t, fault what, const char *why, tact_status status, tact_state state, double x)
{
    const scene *s = t->s;
    real slack = band * s->largest, low = s->gap.low - s->margins, high = s->gap.high - s->margins;
    if (status != TACT_OK || (state != TACT_HIT && state != TACT_MISS)) {
        blame(t, FAULT_STATUS, why, status, TACT_OK);
        return;
    }
    if (state == TACT_HIT && low > (real)x + slack)
        blame(t, what, why, low, (real)x + slack);
    if (state == TACT_MISS && high < (real)x - slack)
        blame(t, what, why, high, (real)x - slack);
    if (state == TACT_MISS && s->gap.low <= 0) { /* the cores overlap: by how much? */
        real deep = depth_bound_until(t, slack);
        if (deep > slack)
            blame(t, what, why, -deep, slack);
    }
}

static void check_common(trial *t, const tact_common_point *r)
{
    real allowed = absolute(t) + fmaxl(t->s->gap.low - t->s->margins, 0); /* within the band they may be apart */
    check_verdict(t, FAULT_COMMON, "common point: state", r->status, r->state, 0);
    if (!finite_vec(r->point)) {
        blame(t, FAULT_NAN, "common point", NAN, 0);
    } else if (r->state == TACT_HIT) {
        real off = fmaxl(outside(t, &t->s->body_a, r->point, allowed), outside(t, &t->s->body_b, r->point, allowed));
        if (off > allowed)
            blame(t, FAULT_COMMON, "the common point is off by", off, allowed);
    } else if (length_of(r->point) != 0) {
        blame(t, FAULT_COMMON, "apart, but the point is not zero", length_of(r->point), 0);
    }
}

static void check_depth(trial *t, const tact_penetration *r)
{
    const scene *s = t->s;
    if (r->status != TACT_OK)
        blame(t, FAULT_STATUS, "depth: status", r->status, TACT_OK);
    if (!isfinite(r->depth) || !finite_vec(r->on_a) || !finite_vec(r->on_b) || !finite_vec(r->normal)) {
        blame(t, FAULT_NAN, "depth", NAN, 0);
        return;
    }
    real n[3], depth = r->depth;
    widen(r->normal, n);
    if (fabsl(length_of(r->normal) - 1) > unit_slack * unit_roundoff) {
        blame(t, FAULT_DEPTH_NORMAL, "length - 1", length_of(r->normal) - 1, unit_slack * unit_roundoff);
        return;
    }
    real allowed = depth_relative * fabsl(depth) + absolute_depth(t);
    if (s->overlap_known) {
        real error = fabsl(depth - s->depth) - s->depth_slack;
        real bound = (s->depth < 0 ? distance_relative : depth_relative) * fabsl(s->depth) + absolute_depth(t);
        t->count->worst_depth = fmaxl(t->count->worst_depth, error / bound);
        if (error > bound)
            blame(t, FAULT_DEPTH, "error of the depth", depth - s->depth, bound);
    } else {
        real bound = t->thorough
                         ? depth_bound(t, n, 60)
                         : s->margins + fminl(oracle_depth_glance(&s->body_a, &s->body_b, 24, (unsigned)t->index),
                                              s->gap.overlap);
        real slack = curved_depth * bound + absolute_depth(t);
        if (depth > bound + slack)
            blame(t, FAULT_DEPTH, "a shorter separating translation exists: depth - length", depth - bound, slack);
        if (depth < s->margins - absolute_depth(t))
            blame(t, FAULT_DEPTH, "cores overlap, but depth - margins", depth - s->margins, -absolute_depth(t));
    }
    if (depth > 0) { /* the translation must separate */
        real left = oracle_overlap_along(&s->body_a, &s->body_b, n) + s->margins - depth;
        real slack = depth_relative * depth + band * s->largest;
        if (left > slack)
            blame(t, FAULT_DEPTH_NORMAL, "overlap left after moving by depth * normal", left, slack);
    }
    if ((depth > -band * s->largest || depth - s->margins > -close_cores * s->largest) && !exact_depth(t))
        allowed += curved_points_size * s->largest;
    allowed += contact_roundoffs * unit_roundoff * s->largest;
    real off_a = outside(t, &s->body_a, r->on_a, allowed), off_b = outside(t, &s->body_b, r->on_b, allowed);
    if (off_a > allowed)
        blame(t, FAULT_DEPTH_POINT, "on_a is off A by", off_a, allowed);
    if (off_b > allowed)
        blame(t, FAULT_DEPTH_POINT, "on_b is off B by", off_b, allowed);
    real apart = mismatch(r->on_a, r->on_b, r->depth, r->normal);
    if (apart > allowed)
        blame(t, FAULT_DEPTH_POINT, "on_a - on_b is not depth * normal, by", apart, allowed);
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (a == 0.0 && b == 0.0); }

static bool same_vec(tact_vec3 a, tact_vec3 b) { return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z); }

static bool opposite(tact_vec3 a, tact_vec3 b) { return same(a.x, -b.x) && same(a.y, -b.y) && same(a.z, -b.z); }

static void check_swap(trial *t, const tact_shape *a, const tact_shape *b, const tact_distance *distance,
                       const tact_penetration *depth, tact_overlap touch, const tact_common_point *common,
                       tact_overlap within, double x)
{
    const scene *s = t->s;
    tact_distance r = tact_shapes_distance(b, s->transform_b, a, s->transform_a);
    if (r.status != distance->status || !same(r.distance, distance->distance))
        blame(t, FAULT_SWAP, "distance changes by", (real)r.distance - distance->distance, 0);
    else if (!same_vec(r.on_a, distance->on_b) || !same_vec(r.on_b, distance->on_a))
        blame(t, FAULT_SWAP, "the points of the distance change by", mismatch(r.on_a, distance->on_b, 0, r.on_a), 0);
    else if (!opposite(r.normal, distance->normal))
        blame(t, FAULT_SWAP, "the normal of the distance changes by",
              mismatch(r.normal, distance->normal, -2, distance->normal), 0);
    tact_penetration p = tact_shapes_penetration(b, s->transform_b, a, s->transform_a);
    if (p.status != depth->status || !same(p.depth, depth->depth))
        blame(t, FAULT_SWAP, "depth changes by", (real)p.depth - depth->depth, 0);
    else if (!same_vec(p.on_a, depth->on_b) || !same_vec(p.on_b, depth->on_a))
        blame(t, FAULT_SWAP, "the points of the depth change by", mismatch(p.on_a, depth->on_b, 0, p.on_a), 0);
    else if (!opposite(p.normal, depth->normal) && depth->depth != 0) /* two equal points have no order */
        blame(t, FAULT_SWAP, "the normal of the depth changes by", mismatch(p.normal, depth->normal, -2, depth->normal),
              0);
    if (tact_shapes_overlap(b, s->transform_b, a, s->transform_a, NULL).state != touch.state)
        blame(t, FAULT_SWAP, "touch changes", touch.state, 0);
    if (tact_shapes_within(b, s->transform_b, a, s->transform_a, x, NULL).state != within.state)
        blame(t, FAULT_SWAP, "within changes", within.state, 0);
    tact_common_point c = tact_shapes_common_point(b, s->transform_b, a, s->transform_a, NULL);
    if (c.state != common->state || !same_vec(c.point, common->point))
        blame(t, FAULT_SWAP, "the common point changes by", mismatch(c.point, common->point, 0, c.point), 0);
}

/* The transform after a rotation about the world's origin and a translation, computed in long double and rounded. */
static tact_transform moved(tact_transform p, double turn[3][3], const double step[3])
{
    tact_vec3 *v[4] = {&p.x_axis, &p.y_axis, &p.z_axis, &p.origin};
    for (int k = 0; k < 4; k++) {
        real r[3];
        for (int i = 0; i < 3; i++)
            r[i] = (real)turn[0][i] * v[k]->x + (real)turn[1][i] * v[k]->y + (real)turn[2][i] * v[k]->z +
                   (k == 3 ? (real)step[i] : 0);
        *v[k] = (tact_vec3){(double)r[0], (double)r[1], (double)r[2]};
    }
    return p;
}

static void check_motion(trial *t, const tact_shape *a, const tact_shape *b, const tact_distance *distance,
                         const tact_penetration *depth)
{
    const scene *s = t->s;
    dice d = dice_for(t->seed, 9, t->index);
    double turn[3][3], step[3];
    scene_roll_rotation(&d, turn);
    for (int i = 0; i < 3; i++)
        step[i] = dice_pick(&d, 2) ? (double)s->largest * dice_between(&d, -1, 1) : 0.0;
    tact_transform transform_a = moved(s->transform_a, turn, step), transform_b = moved(s->transform_b, turn, step);
    real largest = s->largest * 2.8L; /* sqrt(3) for the rotation, 1 for the translation */
    real rounding = (roundoffs + motion_roundoffs) * unit_roundoff * largest;
    tact_distance r = tact_shapes_distance(a, transform_a, b, transform_b);
    real allowed = 2 * distance_relative * (real)distance->distance + absolute(t) + rounding;
    if (r.status != TACT_OK || !(fabsl((real)r.distance - distance->distance) <= allowed))
        blame(t, FAULT_MOTION, "distance changes by", (real)r.distance - distance->distance, allowed);
    tact_penetration p = tact_shapes_penetration(a, transform_a, b, transform_b);
    allowed = 2 * depth_relative * fabsl((real)depth->depth) + absolute_depth(t) + rounding;
    if (p.status != TACT_OK || !(fabsl((real)p.depth - depth->depth) <= allowed))
        blame(t, FAULT_MOTION, "depth changes by", (real)p.depth - depth->depth, allowed);
}

static void check_case(trial *t, scene *s)
{
    tact_shape *a = recipe_shape(&s->a), *b = recipe_shape(&s->b);
    if (!a || !b) {
        blame(t, FAULT_SHAPE, "could not be made", 0, 0);
        tact_shape_release(a);
        tact_shape_release(b);
        return;
    }
    dice d = dice_for(t->seed, 1, t->index);
    tact_distance distance = tact_shapes_distance(a, s->transform_a, b, s->transform_b);
    tact_penetration depth = tact_shapes_penetration(a, s->transform_a, b, s->transform_b);
    tact_overlap touch = tact_shapes_overlap(a, s->transform_a, b, s->transform_b, NULL);
    tact_common_point common = tact_shapes_common_point(a, s->transform_a, b, s->transform_b, NULL);
    const tact_vec3 parting[HINTS] = {distance.normal, depth.normal};
    for (int k = 0; k < HINTS; k++) {
        widen(parting[k], t->hint[k]);
        if (!finite_vec(parting[k]) || !(oracle_normalize(t->hint[k]) > 0))
            memset(t->hint[k], 0, sizeof t->hint[k]);
    }
    check_distance(t, &distance);
    check_depth(t, &depth);
    check_verdict(t, FAULT_TOUCH, "touch", touch.status, touch.state, 0);
    check_common(t, &common);
    tact_cache cache = {{dice_normal(&d), dice_normal(&d), dice_normal(&d)}};
    for (int round = 0; round < 2; round++) { /* first any axis, then the cached one */
        tact_overlap again = tact_shapes_overlap(a, s->transform_a, b, s->transform_b, &cache);
        check_verdict(t, FAULT_TOUCH_CACHE, "touch with a cache", again.status, again.state, 0);
        if (!finite_vec(cache.axis))
            blame(t, FAULT_NAN, "cache", NAN, 0);
    }
    real apart = 0.5L * fmaxl(s->gap.low + s->gap.high - 2 * s->margins, 0);
    static const double factors[4] = {0.5, 1.0 - 1e-6, 1.0 + 1e-6, 2.0};
    double x = (double)apart * factors[dice_pick(&d, 4)];
    tact_overlap within = tact_shapes_within(a, s->transform_a, b, s->transform_b, x, NULL);
    check_verdict(t, FAULT_WITHIN, "within", within.status, within.state, x);
    /* The answers agree with each other, up to rounding. */
    if (fabsl((real)depth.depth + distance.distance) > absolute_depth(t) + distance_relative * distance.distance &&
        depth.depth <= 0)
        blame(t, FAULT_AGREE, "apart: depth + distance", (real)depth.depth + distance.distance, absolute_depth(t));
    if (depth.depth > 0 && distance.distance > absolute_depth(t))
        blame(t, FAULT_AGREE, "depth is positive, and the distance", distance.distance, absolute_depth(t));
    check_swap(t, a, b, &distance, &depth, touch, &common, within, x);
    check_motion(t, a, b, &distance, &depth);
    if (t->print_count == 1) {
        char text[6000];
        print_message("seen: distance %.17g, depth %.17g, normal %.17g %.17g %.17g, touch %d\n", distance.distance,
                      depth.depth, depth.normal.x, depth.normal.y, depth.normal.z, (int)touch.state);
        (void)recipe_write(&s->a, s->transform_a, text, sizeof text); /* too long for cmocka's own printing */
        (void)printf("{\"op\":\"depth\",\"a\":%s,", text);
        (void)recipe_write(&s->b, s->transform_b, text, sizeof text);
        (void)printf("\"b\":%s}\n", text);
    }
    tact_shape_release(a);
    tact_shape_release(b);
}

/* ---- all pairs ---- */

typedef struct plan {
    uint64_t seed, first, cases;
    long print_count;
    bool parallel;
    tact_shape_type only_a, only_b; /* 0: all */
} plan;

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static plan read_plan(void)
{
    plan p = {number_from("TACT_TEST_SEED", 1),
              0,
              FAST_CASES,
              (long)number_from("TACT_TEST_TELL", 0),
              false,
              (tact_shape_type)0,
              (tact_shape_type)0};
    if (number_from("TACT_TEST_LONG", 0)) {
        p.cases = LONG_CASES;
        p.parallel = true;
    }
    p.cases = number_from("TACT_TEST_CASES", p.cases);
    if (getenv("TACT_TEST_CASE")) {
        p.first = number_from("TACT_TEST_CASE", 0);
        p.cases = 1;
        p.print_count = 1;
    }
    const char *pair = getenv("TACT_TEST_PAIR");
    const char *comma = pair ? strchr(pair, ',') : NULL;
    if (comma) {
        p.only_a = recipe_type_of(pair, (size_t)(comma - pair));
        p.only_b = recipe_type_of(comma + 1, strlen(comma + 1));
    }
    if (pair && (!comma || !p.only_a || !p.only_b))
        fail_msg("TACT_TEST_PAIR=%s: two names with a comma are wanted, such as box,cone", pair);
    return p;
}

static void walk_pair(const plan *p, tact_shape_type a, tact_shape_type b, tally *count)
{
    char name[40];
    (void)snprintf(name, sizeof name, "%s,%s", recipe_type_name(a), recipe_type_name(b));
    for (uint64_t i = p->first; i < p->first + p->cases; i++) {
        scene s;
        scene_make(&s, a, b, p->seed, i);
        count->cases++;
        for (int k = 0; k < SCENE_KINDS; k++)
            count->kinds[k] += (long)((s.kinds >> k) & 1u);
        if (!s.gap.sharp) {
            count->dull++;
            continue;
        }
        (*(s.gap.quad ? &count->quad : s.gap.solved ? &count->solved : &count->searched))++;
        count->exact_depths += s.gap.low <= 0 && s.overlap_known;
        trial t = {&s,    name,    p->seed, i,    count, p->print_count, !p->parallel || i % THOROUGH_EVERY == 0,
                   {{0}}, {false}, 0,       {{0}}};
        check_case(&t, &s);
    }
}

static void every_pair_agrees_with_the_oracle(void **state)
{
    (void)state;
    plan p = read_plan();
    static tally counts[RECIPE_TYPES * RECIPE_TYPES];
    memset(counts, 0, sizeof counts);
    int done = 0;
    bool progress = p.parallel && isatty(STDERR_FILENO);
    time_t begun = time(NULL);
#pragma omp parallel for schedule(dynamic) if (p.parallel)
    for (int pair = 0; pair < RECIPE_TYPES * RECIPE_TYPES; pair++) {
        tact_shape_type a = (tact_shape_type)(pair / RECIPE_TYPES + 1), b = (tact_shape_type)(pair % RECIPE_TYPES + 1);
        if (p.only_a && (a != p.only_a || b != p.only_b))
            continue;
        walk_pair(&p, a, b, &counts[pair]);
        if (progress) {
            int number;
#pragma omp atomic capture
            number = ++done;
            (void)fprintf(stderr, "\r%3d of 256 pairs, %ld cases each, %.0f s   ", number, counts[pair].cases,
                          difftime(time(NULL), begun));
            if (number == RECIPE_TYPES * RECIPE_TYPES)
                (void)fputc('\n', stderr);
        }
    }
    tally all = {0};
    long failures = 0;
    for (int pair = 0; pair < RECIPE_TYPES * RECIPE_TYPES; pair++) {
        const tally *c = &counts[pair];
        all.cases += c->cases;
        all.dull += c->dull;
        all.searched += c->searched;
        all.solved += c->solved;
        all.quad += c->quad;
        all.exact_depths += c->exact_depths;
        for (int k = 0; k < SCENE_KINDS; k++)
            all.kinds[k] += c->kinds[k];
        for (int k = 0; k < FAULTS; k++) {
            all.faults[k] += c->faults[k];
            failures += c->faults[k];
        }
        all.worst_distance = fmaxl(all.worst_distance, c->worst_distance);
        all.worst_depth = fmaxl(all.worst_depth, c->worst_depth);
        if (c->cases >= 1000) { /* enough for floors on every single pair */
            static const double floors[SCENE_KINDS] = {0.18, 0.15, 0.04, 0.14, 0.14, 0.06,
                                                       0.30, 0.12, 0.08, 0.12, 0.30};
            for (int k = 0; k < SCENE_KINDS; k++)
                if ((double)c->kinds[k] < floors[k] * (double)c->cases)
                    fail_msg("pair %d: only %ld of %ld cases are %s", pair, c->kinds[k], c->cases, scene_kind_names[k]);
        }
    }
    print_message(
        "%ld cases: %ld certified by search, %ld by the solver, %ld by it in quadruple precision, %ld beyond the "
        "oracle\n"
        "errors up to %.3Lf (distance) and %.3Lf (depth, %ld of them exactly known overlaps) of what is allowed\n",
        all.cases, all.searched, all.solved, all.quad, all.dull, all.worst_distance, all.worst_depth, all.exact_depths);
    for (int k = 0; k < SCENE_KINDS; k++)
        print_message("  %s %ld\n", scene_kind_names[k], all.kinds[k]);
    for (int k = 0; k < FAULTS; k++)
        if (all.faults[k])
            print_error("  %s: wrong in %ld cases\n", fault_names[k], all.faults[k]);
    assert_int_equal(failures, 0);
    assert_true(all.dull * 1000 <= all.cases); /* the oracle itself must nearly always have a sharp answer */
    if (all.cases >= 2560)
        for (int k = 0; k < SCENE_KINDS; k++)
            if (all.kinds[k] * 12 < all.cases)
                fail_msg("only %ld of %ld cases are %s", all.kinds[k], all.cases, scene_kind_names[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair_agrees_with_the_oracle)};
    return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
