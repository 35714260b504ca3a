/*
 * The penetration depth of two convex shapes: positive when they overlap, minus the distance when they are apart.
 *
 * Guarantee: apart, the depth is minus the distance that GJK proves. Overlapping, it is the length of the shortest
 * translation that separates the shapes. For polytopes it is exact to a few ulps of the largest coordinate. For curved
 * shapes it is proved to a relative 1e-7 and mostly exact to 1e-10 (epa.c). The depth of the shapes is that of the
 * cores plus the margins, so it is continuous through zero. Swapping A and B mirrors the answer bit for bit, because
 * the caller puts the pair in one order first (pair_order.h).
 *
 * Cost: a box with a box, a segment or a point (the cores of capsules and spheres) uses the 15 separating axes, about
 * 0.2 us. All other pairs use GJK and, if the cores overlap, EPA (van den Bergen 2001): 2 to 50 us.
 * Departure: where the cores almost touch, GJK's direction is mostly rounding error. There EPA's normal, computed from
 * features, replaces it if it proves the same distance and the points lie along it.
 */
#include "convex/convex_constants.h"
#include "convex/convex_query.h"

#include "convex/closed_form.h"
#include "convex/epa.h"
#include "convex/sat.h"
#include "core/number.h"

/* The penetration of two cores: a and b relative to their own origins. */
typedef struct core_penetration {
    tact_status status;
    double depth;
    tact_vec3 normal, a, b;
    bool points_final; /* distribute_points_error must not move the points */
} core_penetration;

/* ---- a box with a box, a segment or a point --------------------------------------------------------------------- */

/* A box, also a skewed one, a segment or a point: half axes may be zero. */
typedef struct parallelepiped {
    tact_vec3 centre; /* relative to the origin of the transform */
    tact_vec3 half[3];
} parallelepiped;

static bool is_parallelepiped(const convex *c)
{
    return c->kind == CONVEX_BOX || (c->kind == CONVEX_POINTS && c->point_count <= 2);
}

static parallelepiped parallelepiped_of(const convex *c)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    if (c->kind == CONVEX_BOX)
        return (parallelepiped){zero, {c->transform.x_axis, c->transform.y_axis, c->transform.z_axis}};
    if (c->point_count == 1)
        return (parallelepiped){c->points[0], {zero, zero, zero}};
    return (parallelepiped){vec_scale(vec_add(c->points[0], c->points[1]), 0.5),
                            {vec_scale(vec_sub(c->points[1], c->points[0]), 0.5), zero, zero}};
}

/* The support feature along a direction: a vertex, an edge or a face. */
typedef struct parallelepiped_feature {
    tact_vec3 centre;  /* of the feature, relative to the centre of the parallelepiped */
    tact_vec3 axis[2]; /* the half axes that span it */
    int count;         /* of axes */
} parallelepiped_feature;

static parallelepiped_feature feature_along(const tact_vec3 half[3], tact_vec3 n)
{
    parallelepiped_feature f = {.centre = {0.0, 0.0, 0.0}, .count = 0};
    for (int i = 0; i < 3; i++) {
        double along = vec_dot(n, half[i]), length = vec_length(half[i]);
        if (fabs(along) <= PENETRATION_PARALLEL_EDGE * length && f.count < 2) {
            if (length > 0.0)
                f.axis[f.count++] = half[i];
        } else {
            f.centre = vec_mul_add(f.centre, along < 0.0 ? -1.0 : 1.0, half[i]);
        }
    }
    return f;
}

/* A point on each of two features, as multiples of their axes: `own` of the feature that clips, `other` of the clipped
 * one. */
typedef struct feature_parameters {
    double own[2], other[2];
} feature_parameters;

static feature_parameters interpolate_parameters(const feature_parameters *p, const feature_parameters *q, double t)
{
    feature_parameters s;
    for (int k = 0; k < 2; k++) {
        s.own[k] = p->own[k] + t * (q->own[k] - p->own[k]);
        s.other[k] = p->other[k] + t * (q->other[k] - p->other[k]);
    }
    return s;
}

/* Sutherland and Hodgman: the part of a polygon (or segment, or point) where sign * own[k] <= 1. */
static int clip_polygon(feature_parameters *polygon, int count, int k, double sign)
{
    feature_parameters clipped[10];
    int clipped_count = 0;
    for (int i = 0; i < count; i++) {
        const feature_parameters *p = &polygon[i], *q = &polygon[(i + 1) % count];
        double dp = 1.0 - sign * p->own[k], dq = 1.0 - sign * q->own[k];
        if (dp >= 0.0)
            clipped[clipped_count++] = *p;
        if ((dp < 0.0) != (dq < 0.0) && clipped_count < 10)
            clipped[clipped_count++] = interpolate_parameters(p, q, dp / (dp - dq));
    }
    for (int i = 0; i < clipped_count; i++)
        polygon[i] = clipped[i];
    return clipped_count;
}

static double clamp1(double x) { return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x; }

/* The parameters (x y) for which x e + y f is closest to v; zero if e and f are parallel. */
static void project_on_axes(tact_vec3 e, tact_vec3 f, tact_vec3 v, double xy[2])
{
    double ee = vec_length_squared(e), ff = vec_length_squared(f), ef = vec_dot(e, f), ev = vec_dot(e, v),
           fv = vec_dot(f, v);
    double d = ee * ff - ef * ef;
    xy[0] = d > 0.0 ? (ff * ev - ef * fv) / d : 0.0;
    xy[1] = d > 0.0 ? (ee * fv - ef * ev) / d : 0.0;
}

/* The centroid of the common part of two features. Common points satisfy gap + own - other = 0. `own` has two axes. */
static feature_parameters face_parameters(const parallelepiped_feature *own, const parallelepiped_feature *other,
                                          tact_vec3 gap)
{
    static const double signs[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    feature_parameters polygon[10], centroid = {{0.0, 0.0}, {0.0, 0.0}};
    int count = other->count == 0 ? 1 : other->count == 1 ? 2 : 4;
    for (int i = 0; i < count; i++) {
        tact_vec3 v = vec_negate(gap);
        for (int k = 0; k < 2; k++) {
            polygon[i].other[k] = k < other->count ? signs[i][k] : 0.0;
            if (k < other->count)
                v = vec_mul_add(v, polygon[i].other[k], other->axis[k]);
        }
        project_on_axes(own->axis[0], own->axis[1], v, polygon[i].own);
    }
    feature_parameters unclipped[4];
    for (int i = 0; i < count; i++)
        unclipped[i] = polygon[i];
    int remaining = count;
    for (int k = 0; k < 2 && remaining > 0; k++) {
        remaining = clip_polygon(polygon, remaining, k, 1.0);
        if (remaining > 0)
            remaining = clip_polygon(polygon, remaining, k, -1.0);
    }
    if (remaining == 0) { /* disjoint by rounding: the centroid of the other feature, clamped */
        for (int i = 0; i < count; i++)
            polygon[i] = unclipped[i];
        remaining = count;
    }
    for (int i = 0; i < remaining; i++)
        for (int k = 0; k < 2; k++) {
            centroid.own[k] += polygon[i].own[k] / remaining;
            centroid.other[k] += polygon[i].other[k] / remaining;
        }
    for (int k = 0; k < 2; k++) {
        centroid.own[k] = clamp1(centroid.own[k]);
        centroid.other[k] = clamp1(centroid.other[k]);
    }
    return centroid;
}

/* The closest points of two edges, or of an edge and a vertex: each parameter is clamped in turn. */
static feature_parameters edge_parameters(const parallelepiped_feature *own, const parallelepiped_feature *other,
                                          tact_vec3 gap)
{
    feature_parameters s = {{0.0, 0.0}, {0.0, 0.0}};
    if (own->count > 0 && other->count > 0) {
        /* gap + x e - y f = 0 */
        double xy[2];
        project_on_axes(own->axis[0], vec_negate(other->axis[0]), vec_negate(gap), xy);
        s.own[0] = clamp1(xy[0]);
    }
    for (int pass = 0; pass < 2; pass++) {
        if (other->count > 0) {
            tact_vec3 v = own->count > 0 ? vec_mul_add(gap, s.own[0], own->axis[0]) : gap;
            s.other[0] = clamp1(vec_dot(v, other->axis[0]) / vec_length_squared(other->axis[0]));
        }
        if (own->count > 0) {
            tact_vec3 v = other->count > 0 ? vec_mul_add(gap, -s.other[0], other->axis[0]) : gap;
            s.own[0] = clamp1(-vec_dot(v, own->axis[0]) / vec_length_squared(own->axis[0]));
        }
    }
    return s;
}

static tact_vec3 feature_point(const parallelepiped *b, const parallelepiped_feature *f, const double parameter[2])
{
    tact_vec3 p = vec_add(b->centre, f->centre);
    for (int k = 0; k < f->count; k++)
        p = vec_mul_add(p, parameter[k], f->axis[k]);
    return p;
}

/* The contact points of two parallelepipeds that overlap by `depth` along n. */
static void parallelepiped_points(const parallelepiped *a, const parallelepiped *b, tact_vec3 between, double depth,
                                  tact_vec3 n, tact_vec3 *on_a, tact_vec3 *on_b)
{
    parallelepiped_feature fa = feature_along(a->half, n), fb = feature_along(b->half, vec_negate(n));
    /* The error of a - b = depth * n at the centres of the features. */
    tact_vec3 gap = vec_mul_add(vec_sub(vec_sub(fa.centre, fb.centre), between), -depth, n);
    feature_parameters s;
    if (fa.count == 2) {
        s = face_parameters(&fa, &fb, gap);
    } else if (fb.count == 2) {
        feature_parameters t = face_parameters(&fb, &fa, vec_negate(gap));
        s = (feature_parameters){{t.other[0], t.other[1]}, {t.own[0], t.own[1]}};
    } else {
        s = edge_parameters(&fa, &fb, gap);
    }
    *on_a = feature_point(a, &fa, s.own);
    *on_b = feature_point(b, &fb, s.other);
}

/* The penetration of two parallelepipeds by separating axes. False if a core has another kind or tact_sat_depth fails.
 * A negative depth only means that they are apart: it is no distance, and there are no points. */
static bool sat_penetration(const convex *a, const convex *b, core_penetration *out)
{
    if (!is_parallelepiped(a) || !is_parallelepiped(b) || (a->kind != CONVEX_BOX && b->kind != CONVEX_BOX))
        return false;
    bool swapped = a->kind != CONVEX_BOX;
    parallelepiped one = parallelepiped_of(swapped ? b : a), two = parallelepiped_of(swapped ? a : b);
    tact_vec3 offset =
        swapped ? vec_sub(a->transform.origin, b->transform.origin) : vec_sub(b->transform.origin, a->transform.origin);
    tact_vec3 between = vec_add(offset, vec_sub(two.centre, one.centre)), on_one, on_two;
    sat_depth sat;
    if (!tact_sat_depth(between, one.half, two.half, &sat)) {
        if (a->kind != CONVEX_BOX || b->kind != CONVEX_BOX)
            return false;
        /* `one` is flat. Try with the other box first. */
        parallelepiped swap = one;
        one = two;
        two = swap;
        swapped = !swapped;
        between = vec_negate(between);
        if (!tact_sat_depth(between, one.half, two.half, &sat))
            return false;
    }
    out->status = TACT_OK;
    out->depth = sat.depth;
    out->normal = swapped ? vec_negate(sat.normal) : sat.normal;
    out->a = out->b = vec_make(0.0, 0.0, 0.0);
    if (sat.depth < 0.0)
        return true;
    parallelepiped_points(&one, &two, between, sat.depth, sat.normal, &on_one, &on_two);
    out->a = swapped ? on_two : on_one;
    out->b = swapped ? on_one : on_two;
    return true;
}

/* ---- cores ------------------------------------------------------------------------------------------------------ */

/* The distance, in the maximum norm, of (a - b) - offset from depth * normal. */
static double points_error(const epa_pair *pair, const core_penetration *c)
{
    tact_vec3 p = vec_sub(vec_sub(c->a, c->b), pair->offset);
    return vec_max_abs(vec_mul_add(p, -c->depth, c->normal));
}

static void run_gjk(const convex *a, const convex *b, tact_vec3 axis, gjk_result *g)
{
    *g = (gjk_result){.status = GJK_NOT_CONVERGED};
    if (!tact_closed_form_distance(a, b, g))
        tact_gjk(a, b, PENETRATION_GJK_ACCURACY, INFINITY, axis, g);
}

/* GJK's normal, or the direction that proved its lower bound if that has the larger separation. */
static tact_vec3 gjk_direction(const epa_pair *pair, const gjk_result *g)
{
    epa_vertex v;
    if (!(vec_max_abs(g->best_axis) > 0.0) || vec_equal(g->best_axis, g->normal))
        return g->normal;
    double between = tact_epa_support(pair, g->normal, &v), proof = tact_epa_support(pair, g->best_axis, &v);
    return proof < between - pair->noise ? g->best_axis : g->normal;
}

/* The error of the points that is allowed, relative to the depth of the shapes with margins. */
static double allowed_points_error(const epa_pair *pair, const core_penetration *c)
{
    return PENETRATION_POINTS_MISS * fabs(c->depth + pair->a->margin + pair->b->margin) +
           PENETRATION_POINTS_NOISE * pair->noise;
}

static bool points_error_exceeded(const epa_pair *pair, const core_penetration *c)
{
    return points_error(pair, c) > allowed_points_error(pair, c);
}

/* The error of an answer in units of the allowed error: the larger of the error of the points, which may be off the
 * surfaces by `off`, and of the overlap that remains after the separating translation. The latter does not count where
 * even the margins are apart. */
static double relative_error(const epa_pair *pair, const core_penetration *c, double off)
{
    epa_vertex v;
    double slack = allowed_points_error(pair, c), total = c->depth + pair->a->margin + pair->b->margin;
    double points = number_max(points_error(pair, c), off) / slack;
    if (total < -PENETRATION_POINTS_NOISE * pair->noise)
        return points;
    double overlap = tact_epa_support(pair, c->normal, &v) - c->depth;
    if (pair->curved)
        return number_max(points, 1.0 + PENETRATION_OVERLAP_WEIGHT * (overlap / slack - 1.0));
    return number_max(points, overlap / (slack + PENETRATION_OVERLAP_NOISE * pair->noise));
}

/* Newton's method on normal and points together, while the error shrinks. */
static void refine_points(const epa_pair *pair, core_penetration *c)
{
    double off = 0.0, least = relative_error(pair, c, 0.0);
    core_penetration next = *c;
    for (int i = 0; i < PENETRATION_POINT_STEPS && least > 1.0; i++) {
        if (!tact_epa_refine_points(pair, &next.normal, next.depth, &next.a, &next.b, &off))
            return;
        double now = relative_error(pair, &next, off);
        if (!(now < least))
            return;
        least = now;
        *c = next;
    }
}

/* Replaces an answer whose error exceeds PENETRATION_TOLERATED_ERROR by `from`, refined, if its error is smaller. */
static void replace_if_better(const epa_pair *pair, const core_penetration *from, core_penetration *c)
{
    core_penetration other = *from;
    if (relative_error(pair, c, 0.0) <= PENETRATION_TOLERATED_ERROR ||
        (from->status != TACT_OK && c->status == TACT_OK))
        return;
    refine_points(pair, &other);
    if (relative_error(pair, &other, 0.0) < relative_error(pair, c, 0.0))
        *c = other;
}

/* Replaces the points if their error is smaller. */
static void replace_points_if_closer(const epa_pair *pair, tact_vec3 a, tact_vec3 b, core_penetration *c)
{
    core_penetration other = *c;
    other.a = a;
    other.b = b;
    if (points_error(pair, &other) < points_error(pair, c))
        *c = other;
}

/* Finds the points where only depth and normal are known (a flat face against a curved surface): moves B along the
 * normal until there is a small gap, and takes GJK's closest points there. */
static void find_points_at_gap(const epa_pair *pair, double gap, core_penetration *c)
{
    convex moved = *pair->b;
    moved.transform.origin = vec_mul_add(moved.transform.origin, c->depth + gap, c->normal);
    gjk_result g;
    run_gjk(pair->a, &moved, c->normal, &g);
    if (g.count > 0)
        replace_points_if_closer(pair, g.on_a, vec_sub(g.on_b, moved.transform.origin), c);
}

/* The same with three gaps in turn, while the error is too large. The last is for a shape that is tiny beside the
 * other.
 */
static void find_points(const epa_pair *pair, double size, core_penetration *c)
{
    const double gaps[3] = {PENETRATION_WIDE_GAP * size, PENETRATION_NARROW_GAP * size,
                            PENETRATION_CLEAR_NOISE * pair->noise};
    for (int i = 0; i < 3 && points_error_exceeded(pair, c); i++)
        find_points_at_gap(pair, gaps[i], c);
}

/* The penetration of overlapping cores by EPA. */
static void epa_penetration(const epa_pair *pair, const gjk_result *g, double size, const tact_allocator *allocator,
                            core_penetration *out)
{
    epa_depth e;
    tact_epa_expand(pair, g, allocator, &e);
    *out = (core_penetration){e.status, e.depth, e.normal, e.a, e.b, false};
    if (e.status != TACT_OK && e.status != TACT_NOT_CONVERGED)
        return;
    if (fabs(e.depth) <= PENETRATION_POINTS_NOISE * pair->noise) { /* touching: GJK's common point */
        out->a = g->on_a;
        out->b = vec_sub(g->on_b, pair->offset);
        out->points_final = true;
        return;
    }
    find_points(pair, size, out);
    refine_points(pair, out);
}

/* For cores a tiny gap apart: takes EPA's normal, which is computed from features, if it proves the same gap as GJK. */
static void refine_tiny_gap(const epa_pair *pair, const gjk_result *g, double size, const tact_allocator *allocator,
                            core_penetration *out)
{
    core_penetration other = {.points_final = false};
    epa_vertex v;
    epa_penetration(pair, g, size, allocator, &other);
    /* GJK's direction may prove less than the distance. */
    double proved = tact_epa_support(pair, out->normal, &v);
    double enough = number_max(out->depth, isnan(proved) ? out->depth : proved) + pair->noise;
    if (other.status == TACT_OUT_OF_MEMORY || (other.status == TACT_OK && other.depth <= enough)) {
        tact_vec3 a = out->a, b = out->b;
        double depth = out->depth;
        *out = other;
        if (other.status == TACT_OK) {
            out->depth = number_min(depth, other.depth);
            replace_points_if_closer(pair, a, b, out);
        }
    }
}

/* The edge directions of a box, or of a polytope of at most four points; returns how many. */
static int edges_of(const convex *c, tact_vec3 edge[6])
{
    int count = 0;
    if (c->kind == CONVEX_BOX) {
        edge[count++] = c->transform.x_axis;
        edge[count++] = c->transform.y_axis;
        edge[count++] = c->transform.z_axis;
    } else if (c->kind == CONVEX_POINTS) {
        for (int i = 0; i < c->point_count; i++)
            for (int j = i + 1; j < c->point_count; j++)
                edge[count++] = vec_sub(c->points[j], c->points[i]);
    }
    return count;
}

/* Makes the normal perpendicular to edges, one by one, where that increases the separation. The direction between close
 * points on long edges has a large error along these edges. */
static void orthogonalise_normal(const epa_pair *pair, double *proved, core_penetration *out)
{
    tact_vec3 edge[12];
    int count = edges_of(pair->a, edge);
    count += edges_of(pair->b, edge + count);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            tact_vec3 e = vec_normalize(edge[i]),
                      n = vec_normalize(vec_mul_add(out->normal, -vec_dot(out->normal, e), e));
            epa_vertex v;
            double value = tact_epa_support(pair, n, &v);
            if (vec_max_abs(n) > 0.0 && value < *proved) {
                *proved = value;
                out->normal = n;
            }
        }
}

/* Refines GJK's normal if it does not prove the distance, or if the points do not lie along it. On polytopes it is made
 * perpendicular to edges. On curved shapes Newton's method starts from it: apart, the support value has only one local
 * minimum. */
static void refine_gjk_normal(const epa_pair *pair, core_penetration *out)
{
    core_penetration other = *out;
    epa_vertex v;
    other.depth = tact_epa_support(pair, out->normal, &v);
    if (isnan(other.depth))
        return;
    bool proved = fabs(other.depth - out->depth) <= PENETRATION_NORMAL_PROOF * fabs(out->depth) + pair->noise;
    if (proved && points_error(pair, out) <= PENETRATION_POINTS_NOISE * pair->noise)
        return;
    if (!pair->curved) {
        orthogonalise_normal(pair, &other.depth, out);
        return;
    }
    double before = other.depth;
    bool stationary = !tact_epa_refine_caps(pair, &other.normal, &other.depth) &&
                      tact_epa_refine_curved(pair, &v, 1, &other.normal, &other.depth, &other.a, &other.b);
    if (other.depth < before)
        out->normal = other.normal;
    if (stationary) {
        out->status = TACT_OK;
        out->depth = other.depth;
        replace_points_if_closer(pair, other.a, other.b, out);
    }
}

/* If the points do not lie along the normal although they are clearly apart, replaces the normal by the direction
 * between them, provided that it proves nearly the same depth. Where even the margins are apart, correct points matter
 * more than the last digits of the normal, and no proof is needed. */
static void normal_from_points(const epa_pair *pair, core_penetration *out)
{
    if (!points_error_exceeded(pair, out))
        return;
    epa_vertex v;
    tact_vec3 between = vec_add(vec_sub(out->b, out->a), pair->offset), n = vec_normalize(between);
    bool clear = vec_length(between) > PENETRATION_CLEAR_NOISE * pair->noise;
    bool apart = out->depth + pair->a->margin + pair->b->margin < -PENETRATION_POINTS_NOISE * pair->noise;
    if (clear && (apart || tact_epa_support(pair, n, &v) - out->depth <= allowed_points_error(pair, out)))
        out->normal = n;
}

/* The penetration of the cores. The origin of A must be zero. */
static void compute_core_penetration(const convex *a, const convex *b, const tact_allocator *allocator,
                                     core_penetration *out)
{
    epa_pair pair = tact_epa_pair(a, b);
    double size = a->bounding_radius + b->bounding_radius + vec_max_abs(pair.offset);
    core_penetration by_sat = {.points_final = false};
    bool has_sat = sat_penetration(a, b, &by_sat);
    /* Boxes that only touch continue with GJK, whose points are better. */
    if (has_sat && by_sat.depth > PENETRATION_POINTS_NOISE * pair.noise) {
        *out = by_sat;
        find_points(&pair, size, out); /* for nearly parallel edges the closest points are not the centroid */
        return;
    }
    gjk_result g;
    run_gjk(a, b, has_sat ? by_sat.normal : pair.offset, &g);
    if (g.count == 0) { /* a custom support function returned NaN */
        *out = (core_penetration){.status = TACT_BAD_ARGUMENT};
        return;
    }
    bool apart = g.status != GJK_OVERLAP && g.lower > 0.0;
    if (!apart) {
        epa_penetration(&pair, &g, size, allocator, out);
        return;
    }
    const core_penetration gjk_answer = {TACT_OK, -g.upper, g.normal, g.on_a, vec_sub(g.on_b, pair.offset), true};
    bool close = g.upper <= (pair.curved ? PENETRATION_CLOSE_CURVED : PENETRATION_CLOSE) * size;
    /* Then GJK's distance and points are the answer. */
    bool no_margins = g.status == GJK_SEPARATED && a->margin + b->margin == 0.0;
    if (no_margins && g.upper > PENETRATION_TINY_GAP * pair.noise) {
        *out = gjk_answer;
        return;
    }
    bool converged =
        g.status != GJK_NOT_CONVERGED || g.upper - g.lower <= CONVEX_DISTANCE_ACCURACY * g.upper + pair.noise;
    out->status = converged ? TACT_OK : TACT_NOT_CONVERGED;
    out->depth =
        -number_max(g.lower, g.upper); /* on slivers the distance of the points may be below the proved bound */
    out->a = g.on_a;
    out->b = vec_sub(g.on_b, pair.offset);
    out->normal = gjk_direction(&pair, &g);
    core_penetration first = *out;
    refine_gjk_normal(&pair, out);
    core_penetration finished = *out;
    if (close)
        refine_tiny_gap(&pair, &g, size, allocator, out);
    if (no_margins) { /* GJK's points, with the better normal if they lie along it */
        core_penetration other = gjk_answer;
        other.normal = out->normal;
        if (out->status != TACT_OUT_OF_MEMORY)
            *out = points_error(&pair, &other) <= PENETRATION_POINTS_NOISE * pair.noise ? other : gjk_answer;
    } else if (out->status == TACT_OK || out->status == TACT_NOT_CONVERGED) {
        normal_from_points(&pair, out);
        /* Newton's method alone may have ended away from the minimum. */
        bool curved_contact =
            pair.curved && out->depth + a->margin + b->margin > -PENETRATION_POINTS_NOISE * pair.noise;
        if (curved_contact)
            find_points(&pair, size, out);
        refine_points(&pair, out);
        replace_if_better(&pair, &finished, out);
        replace_if_better(&pair, &first, out);
        if (converged)
            replace_if_better(&pair, &gjk_answer, out);
        if (curved_contact && !close && relative_error(&pair, out, 0.0) > PENETRATION_TOLERATED_ERROR) {
            core_penetration before = *out;
            refine_tiny_gap(&pair, &g, size, allocator, out);
            if (out->status == TACT_OK)
                replace_if_better(&pair, &before, out);
        }
    }
}

/* ---- shapes with margins ---------------------------------------------------------------------------------------- */

/* r.H r, where H is the derivative of the support point of the core at n: the radius of curvature along r times r^2. */
static double curvature_along(const convex *c, tact_vec3 n, tact_vec3 r)
{
    double h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_convex_curvature(c, n, h);
    tact_vec3 hr = {h[0] * r.x + h[3] * r.y + h[4] * r.z, h[3] * r.x + h[1] * r.y + h[5] * r.z,
                    h[4] * r.x + h[5] * r.y + h[2] * r.z};
    return number_max(vec_dot(r, hr), 0.0);
}

/* The size of the core: 0 for a point, which must not move. */
static double core_extent(const convex *c)
{
    double square = 0.0;
    if (c->kind != CONVEX_POINTS)
        return c->bounding_radius;
    for (int i = 1; i < c->point_count; i++)
        square = number_max(square, vec_length_squared(vec_sub(c->points[i], c->points[0])));
    return sqrt(square);
}

/* Moves the points so that they are exactly depth * normal apart. A small tangential step leaves a curved surface only
 * to second order, the less the larger its radius of curvature. So each point moves in proportion to that radius;
 * vertices and edges stay. Two polytopes share the error in proportion to their size. */
static void distribute_points_error(const epa_pair *pair, core_penetration *c)
{
    tact_vec3 error = vec_mul_add(vec_sub(vec_sub(c->a, c->b), pair->offset), -c->depth, c->normal);
    double a = core_extent(pair->a), b = core_extent(pair->b);
    double share_of_a = a + b > 0.0 ? a / (a + b) : 0.5;
    if (pair->curved) {
        a = curvature_along(pair->a, c->normal, error);
        b = curvature_along(pair->b, vec_negate(c->normal), error);
        if (a + b > 0.0 && a + b < INFINITY)
            share_of_a = a / (a + b);
    }
    c->a = vec_mul_add(c->a, -share_of_a, error);
    c->b = vec_mul_add(c->b, 1.0 - share_of_a, error);
}

/* Adds the margins. */
static void add_margins(const convex *a, const convex *b, const core_penetration *core, tact_penetration *out)
{
    out->depth = core->depth + (a->margin + b->margin);
    out->normal = core->normal;
    out->on_a = vec_add(a->transform.origin, vec_mul_add(core->a, a->margin, core->normal));
    out->on_b = vec_add(b->transform.origin, vec_mul_add(core->b, -b->margin, core->normal));
}

tact_status tact_convex_penetration(const convex *a, const convex *b, const tact_allocator *allocator,
                                    tact_penetration *out)
{
    *out = (tact_penetration){.status = TACT_OK};
    /* Relative to the origin of A, so that a large distance from the world's origin costs no digits. Scaled by a power
     * of two, which is exact, where products would overflow or underflow. */
    convex near_a = *a, near_b = *b;
    near_b.transform.origin = vec_sub(b->transform.origin, a->transform.origin);
    near_a.transform.origin = vec_make(0.0, 0.0, 0.0);
    double size = a->bounding_radius + b->bounding_radius + vec_max_abs(near_b.transform.origin);
    int exponent = 0;
    (void)frexp(size, &exponent);
    exponent = exponent < -GJK_MAX_EXPONENT ? -GJK_MAX_EXPONENT : exponent; /* 2^-exponent must be finite */
    if (!(size > 0.0) || (exponent <= PENETRATION_EXPONENT && exponent >= -PENETRATION_EXPONENT))
        exponent = 0;
    if (exponent != 0) {
        tact_convex_scale(&near_a, -exponent);
        tact_convex_scale(&near_b, -exponent);
    }
    core_penetration core = {.points_final = false};
    compute_core_penetration(&near_a, &near_b, allocator, &core);
    if (core.status == TACT_OK || core.status == TACT_NOT_CONVERGED) {
        epa_pair pair = tact_epa_pair(&near_a, &near_b);
        if (!core.points_final)
            distribute_points_error(&pair, &core);
    }
    if (exponent != 0) {
        double back = ldexp(1.0, exponent);
        core.depth *= back;
        core.a = vec_scale(core.a, back);
        core.b = vec_scale(core.b, back);
    }
    out->status = core.status;
    if (core.status == TACT_OK || core.status == TACT_NOT_CONVERGED)
        add_margins(a, b, &core, out);
    return out->status;
}
