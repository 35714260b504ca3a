/*
 * How deep two placed shapes are in each other, as one signed number through zero.
 *
 * Guarantees: apart, minus the distance that GJK proves. Overlapping, the length of the shortest separating move: exact
 * to a few ulps of the largest coordinate for polytopes, proved to 1e-7 of itself (and mostly exact to 1e-10) for
 * curved shapes; see epa.c. Margins are added to what is found for the cores, which keeps both cases exact and
 * continuous: the sum of the margins minus the cores' distance, or plus the cores' depth. Swapping A and B mirrors the
 * answer bit for bit, because the pair is put in one order first (order.h).
 *
 * Ways: a parallelepiped with a parallelepiped, a segment or a point (boxes, and spheres and capsules whose core is in
 * a box) by the 15 separating axes, about 0.2 us; all else by GJK and, if the cores overlap, the expanding polytope, 2
 * to 50 us. Where the cores only just touch, GJK's direction is made of rounding errors; there the features' normal is
 * asked as well and taken if it proves as much and the points fit it.
 */
#include "convex/convex_constants.h"
#include "convex/convex_query.h"

#include "convex/closed_form.h"
#include "convex/epa.h"
#include "convex/sat.h"

/* The answer for two cores: a and b relative to their own origins. */
typedef struct core_answer {
    tact_status status;
    double depth;
    tact_vec3 normal, a, b;
    bool settled; /* the points are not to be moved any more */
} core_answer;

/* ---- boxes, and segments and points in them --------------------------------------------------------------------- */

/* A parallelepiped, perhaps without width. */
typedef struct brick {
    tact_vec3 centre; /* relative to the origin of the placement */
    tact_vec3 half[3];
} brick;

static bool is_brick(const convex *c)
{
    return c->kind == CONVEX_BOX || (c->kind == CONVEX_POINTS && c->point_count <= 2);
}

static brick brick_of(const convex *c)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    if (c->kind == CONVEX_BOX)
        return (brick){zero, {c->transform.x_axis, c->transform.y_axis, c->transform.z_axis}};
    if (c->point_count == 1)
        return (brick){c->points[0], {zero, zero, zero}};
    return (brick){vec_scale(vec_add(c->points[0], c->points[1]), 0.5),
                   {vec_scale(vec_sub(c->points[1], c->points[0]), 0.5), zero, zero}};
}

/* The feature of a brick that is farthest along n: a corner of it, and the half axes that lie in it. */
typedef struct brick_feature {
    tact_vec3 corner; /* its middle, relative to the brick's centre */
    tact_vec3 axis[2];
    int count;
} brick_feature;

static brick_feature feature_along(const tact_vec3 half[3], tact_vec3 n)
{
    brick_feature f = {.corner = {0.0, 0.0, 0.0}, .count = 0};
    for (int i = 0; i < 3; i++) {
        double along = vec_dot(n, half[i]), length = vec_length(half[i]);
        if (fabs(along) <= PENETRATION_PARALLEL_EDGE * length && f.count < 2) {
            if (length > 0.0)
                f.axis[f.count++] = half[i];
        } else {
            f.corner = vec_mul_add(f.corner, along < 0.0 ? -1.0 : 1.0, half[i]);
        }
    }
    return f;
}

/* A place on two features: parameters of the axes of the one that is clipped against and of the other. */
typedef struct spot {
    double own[2], other[2];
} spot;

static spot spot_between(const spot *p, const spot *q, double t)
{
    spot s;
    for (int k = 0; k < 2; k++) {
        s.own[k] = p->own[k] + t * (q->own[k] - p->own[k]);
        s.other[k] = p->other[k] + t * (q->other[k] - p->other[k]);
    }
    return s;
}

/* Sutherland and Hodgman: the part of a polygon (or segment, or point) where sign * own[k] <= 1. */
static int clip_spots(spot *polygon, int count, int k, double sign)
{
    spot kept[10];
    int made = 0;
    for (int i = 0; i < count; i++) {
        const spot *p = &polygon[i], *q = &polygon[(i + 1) % count];
        double dp = 1.0 - sign * p->own[k], dq = 1.0 - sign * q->own[k];
        if (dp >= 0.0)
            kept[made++] = *p;
        if ((dp < 0.0) != (dq < 0.0) && made < 10)
            kept[made++] = spot_between(p, q, dp / (dp - dq));
    }
    for (int i = 0; i < made; i++)
        polygon[i] = kept[i];
    return made;
}

static double clamp1(double x) { return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x; }

/* The parameters (x y) for which x e + y f is nearest to v. */
static void resolve(tact_vec3 e, tact_vec3 f, tact_vec3 v, double xy[2])
{
    double ee = vec_length_squared(e), ff = vec_length_squared(f), ef = vec_dot(e, f), ev = vec_dot(e, v),
           fv = vec_dot(f, v);
    double d = ee * ff - ef * ef;
    xy[0] = d > 0.0 ? (ff * ev - ef * fv) / d : 0.0;
    xy[1] = d > 0.0 ? (ee * fv - ef * ev) / d : 0.0;
}

/* Chooses the spot in the middle of what two features have in common, given gap + own(..) - other(..) = 0 there. `own`
 * has two axes. */
static spot common_spot(const brick_feature *own, const brick_feature *other, tact_vec3 gap)
{
    static const double corners[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    spot polygon[10], middle = {{0.0, 0.0}, {0.0, 0.0}};
    int count = other->count == 0 ? 1 : other->count == 1 ? 2 : 4;
    for (int i = 0; i < count; i++) {
        tact_vec3 v = vec_negate(gap);
        for (int k = 0; k < 2; k++) {
            polygon[i].other[k] = k < other->count ? corners[i][k] : 0.0;
            if (k < other->count)
                v = vec_mul_add(v, polygon[i].other[k], other->axis[k]);
        }
        resolve(own->axis[0], own->axis[1], v, polygon[i].own);
    }
    spot whole[4];
    for (int i = 0; i < count; i++)
        whole[i] = polygon[i];
    int left = count;
    for (int k = 0; k < 2 && left > 0; k++) {
        left = clip_spots(polygon, left, k, 1.0);
        if (left > 0)
            left = clip_spots(polygon, left, k, -1.0);
    }
    if (left == 0) { /* they miss by rounding: the middle of the other, brought back */
        for (int i = 0; i < count; i++)
            polygon[i] = whole[i];
        left = count;
    }
    for (int i = 0; i < left; i++)
        for (int k = 0; k < 2; k++) {
            middle.own[k] += polygon[i].own[k] / left;
            middle.other[k] += polygon[i].other[k] / left;
        }
    for (int k = 0; k < 2; k++) {
        middle.own[k] = clamp1(middle.own[k]);
        middle.other[k] = clamp1(middle.other[k]);
    }
    return middle;
}

/* Edge against edge (or corner): each clamped in turn. */
static spot edge_spot(const brick_feature *own, const brick_feature *other, tact_vec3 gap)
{
    spot s = {{0.0, 0.0}, {0.0, 0.0}};
    if (own->count > 0 && other->count > 0) {
        /* gap + x e - y f = 0 */
        double xy[2];
        resolve(own->axis[0], vec_negate(other->axis[0]), vec_negate(gap), xy);
        s.own[0] = clamp1(xy[0]);
    }
    for (int round = 0; round < 2; round++) {
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

static tact_vec3 feature_point(const brick *b, const brick_feature *f, const double parameter[2])
{
    tact_vec3 p = vec_add(b->centre, f->corner);
    for (int k = 0; k < f->count; k++)
        p = vec_mul_add(p, parameter[k], f->axis[k]);
    return p;
}

/* Where two bricks that overlap by `depth` along n press on each other. */
static void brick_points(const brick *a, const brick *b, tact_vec3 between, double depth, tact_vec3 n, tact_vec3 *on_a,
                         tact_vec3 *on_b)
{
    brick_feature fa = feature_along(a->half, n), fb = feature_along(b->half, vec_negate(n));
    /* What is missing for a - b = depth * n, all in world axes from the centre of A. */
    tact_vec3 gap = vec_mul_add(vec_sub(vec_sub(fa.corner, fb.corner), between), -depth, n);
    spot s;
    if (fa.count == 2) {
        s = common_spot(&fa, &fb, gap);
    } else if (fb.count == 2) {
        spot t = common_spot(&fb, &fa, vec_negate(gap));
        s = (spot){{t.other[0], t.other[1]}, {t.own[0], t.own[1]}};
    } else {
        s = edge_spot(&fa, &fb, gap);
    }
    *on_a = feature_point(a, &fa, s.own);
    *on_b = feature_point(b, &fb, s.other);
}

/* The depth of two bricks by separating axes; false when that way is not open. A negative depth says that they are
 * apart, no more. */
static bool brick_depth(const convex *a, const convex *b, core_answer *out)
{
    if (!is_brick(a) || !is_brick(b) || (a->kind != CONVEX_BOX && b->kind != CONVEX_BOX))
        return false;
    bool swapped = a->kind != CONVEX_BOX;
    brick one = brick_of(swapped ? b : a), two = brick_of(swapped ? a : b);
    tact_vec3 offset =
        swapped ? vec_sub(a->transform.origin, b->transform.origin) : vec_sub(b->transform.origin, a->transform.origin);
    tact_vec3 between = vec_add(offset, vec_sub(two.centre, one.centre)), on_one, on_two;
    sat_depth sat;
    if (!tact_sat_depth(between, one.half, two.half, &sat)) {
        if (a->kind != CONVEX_BOX || b->kind != CONVEX_BOX)
            return false;
        /* One is flat; perhaps not the other. */
        brick swap = one;
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
    brick_points(&one, &two, between, sat.depth, sat.normal, &on_one, &on_two);
    out->a = swapped ? on_two : on_one;
    out->b = swapped ? on_one : on_two;
    return true;
}

/* ---- cores ------------------------------------------------------------------------------------------------------ */

/* What misses between the points and depth * normal. */
static double looseness(const epa_pair *pair, const core_answer *c)
{
    tact_vec3 p = vec_sub(vec_sub(c->a, c->b), pair->offset);
    return vec_max_abs(vec_mul_add(p, -c->depth, c->normal));
}

static void ask_gjk(const convex *a, const convex *b, tact_vec3 axis, gjk_result *g)
{
    *g = (gjk_result){.status = GJK_NOT_CONVERGED};
    if (!tact_closed_form_distance(a, b, g))
        tact_gjk(a, b, PENETRATION_GJK_ACCURACY, INFINITY, axis, g);
}

/* GJK's normal may be that between its points; if the direction of its proof separates farther, that one is taken. */
static tact_vec3 direction_of(const epa_pair *pair, const gjk_result *g)
{
    epa_vertex v;
    if (!(vec_max_abs(g->best_axis) > 0.0) || vec_equal(g->best_axis, g->normal))
        return g->normal;
    double between = tact_epa_support(pair, g->normal, &v), proof = tact_epa_support(pair, g->best_axis, &v);
    return proof < between - pair->noise ? g->best_axis : g->normal;
}

/* How much may be missing, in view of the depth of the whole shapes. */
static double slack_of(const epa_pair *pair, const core_answer *c)
{
    return PENETRATION_POINTS_MISS * fabs(c->depth + pair->a->margin + pair->b->margin) +
           PENETRATION_POINTS_NOISE * pair->noise;
}

static bool is_loose(const epa_pair *pair, const core_answer *c) { return looseness(pair, c) > slack_of(pair, c); }

/* What is wrong with an answer, in units of what is allowed: points that miss depth * normal or are off the surfaces by
 * `off`, and overlap that is left after the move. Where even the margins do not touch, no move is asked for. */
static double flaw(const epa_pair *pair, const core_answer *c, double off)
{
    epa_vertex v;
    double slack = slack_of(pair, c), total = c->depth + pair->a->margin + pair->b->margin;
    double points = fmax(looseness(pair, c), off) / slack;
    if (total < -PENETRATION_POINTS_NOISE * pair->noise)
        return points;
    double left = tact_epa_support(pair, c->normal, &v) - c->depth;
    if (pair->curved)
        return fmax(points, 1.0 + PENETRATION_OVERLAP_WEIGHT * (left / slack - 1.0));
    return fmax(points, left / (slack + PENETRATION_OVERLAP_NOISE * pair->noise));
}

/* Newton's method on normal and points together, as long as that makes the answer better. */
static void balance(const epa_pair *pair, core_answer *c)
{
    double off = 0.0, least = flaw(pair, c, 0.0);
    core_answer next = *c;
    for (int i = 0; i < PENETRATION_BALANCE_STEPS && least > 1.0; i++) {
        if (!tact_epa_refine_points(pair, &next.normal, next.depth, &next.a, &next.b, &off))
            return;
        double now = flaw(pair, &next, off);
        if (!(now < least))
            return;
        least = now;
        *c = next;
    }
}

/* Takes the other answer if it is better, given that this one is no good; balanced if need be. */
static void take_if_better(const epa_pair *pair, const core_answer *from, core_answer *c)
{
    core_answer other = *from;
    if (flaw(pair, c, 0.0) <= PENETRATION_TOLERATED_ERROR || (from->status != TACT_OK && c->status == TACT_OK))
        return;
    balance(pair, &other);
    if (flaw(pair, &other, 0.0) < flaw(pair, c, 0.0))
        *c = other;
}

/* Takes the points if they come closer to making depth * normal. */
static void take_if_tighter(const epa_pair *pair, tact_vec3 a, tact_vec3 b, core_answer *c)
{
    core_answer other = *c;
    other.a = a;
    other.b = b;
    if (looseness(pair, &other) < looseness(pair, c))
        *c = other;
}

/* Where depth and normal are known but not the points (a flat part of one surface against a curved one): moves B away
 * along the normal until there is a small gap, asks GJK for the nearest points, and moves back. */
static void find_points_apart(const epa_pair *pair, double gap, core_answer *c)
{
    convex moved = *pair->b;
    moved.transform.origin = vec_mul_add(moved.transform.origin, c->depth + gap, c->normal);
    gjk_result g;
    ask_gjk(pair->a, &moved, c->normal, &g);
    if (g.count > 0)
        take_if_tighter(pair, g.on_a, vec_sub(g.on_b, moved.transform.origin), c);
}

/* The same with gaps of three widths, as long as the points miss; the last is for shapes that are tiny beside the
 * other.
 */
static void tighten(const epa_pair *pair, double size, core_answer *c)
{
    const double gaps[3] = {PENETRATION_WIDE_GAP * size, PENETRATION_NARROW_GAP * size,
                            PENETRATION_CLEAR_NOISE * pair->noise};
    for (int i = 0; i < 3 && is_loose(pair, c); i++)
        find_points_apart(pair, gaps[i], c);
}

static void deepen(const epa_pair *pair, const gjk_result *g, double size, const tact_allocator *allocator,
                   core_answer *out)
{
    epa_depth e;
    tact_epa_expand(pair, g, allocator, &e);
    *out = (core_answer){e.status, e.depth, e.normal, e.a, e.b, false};
    if (e.status != TACT_OK && e.status != TACT_NOT_CONVERGED)
        return;
    if (fabs(e.depth) <= PENETRATION_POINTS_NOISE * pair->noise) { /* just touching: the common point will do */
        out->a = g->on_a;
        out->b = vec_sub(g->on_b, pair->offset);
        out->settled = true;
        return;
    }
    tighten(pair, size, out);
    balance(pair, out);
}

/* The cores are a tiny gap apart: a direction made of features, if it proves the same gap, is better than that of GJK.
 */
static void sharpen(const epa_pair *pair, const gjk_result *g, double size, const tact_allocator *allocator,
                    core_answer *out)
{
    core_answer other = {.settled = false};
    epa_vertex v;
    deepen(pair, g, size, allocator, &other);
    /* What GJK's direction proves may be less than the distance. */
    double proved = tact_epa_support(pair, out->normal, &v);
    double enough = fmax(out->depth, isnan(proved) ? out->depth : proved) + pair->noise;
    if (other.status == TACT_OUT_OF_MEMORY || (other.status == TACT_OK && other.depth <= enough)) {
        tact_vec3 a = out->a, b = out->b;
        double depth = out->depth;
        *out = other;
        if (other.status == TACT_OK) {
            out->depth = fmin(depth, other.depth);
            take_if_tighter(pair, a, b, out);
        }
    }
}

/* The edges that meet at any corner of a small polytope; returns how many. */
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

/* Points that are close together beside the length of the edges they are on make a direction that leans along those
 * edges by more than it should: takes that out, edge by edge, where the separation grows by it. */
static void square_up(const epa_pair *pair, double *proved, core_answer *out)
{
    tact_vec3 edge[12];
    int count = edges_of(pair->a, edge);
    count += edges_of(pair->b, edge + count);
    for (int round = 0; round < 2; round++)
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

/* If GJK's direction does not prove its distance (because it ended elsewhere, or did not converge), or its points do
 * not lie along it: on polytopes it is squared up with the edges, on curved shapes Newton's method goes on from it.
 * Apart, the depth has one minimum only. */
static void finish_gjk(const epa_pair *pair, core_answer *out)
{
    core_answer other = *out;
    epa_vertex v;
    other.depth = tact_epa_support(pair, out->normal, &v);
    if (isnan(other.depth))
        return;
    bool proved = fabs(other.depth - out->depth) <= PENETRATION_NORMAL_PROOF * fabs(out->depth) + pair->noise;
    if (proved && looseness(pair, out) <= PENETRATION_POINTS_NOISE * pair->noise)
        return;
    if (!pair->curved) {
        square_up(pair, &other.depth, out);
        return;
    }
    double before = other.depth;
    bool rest = !tact_epa_refine_caps(pair, &other.normal, &other.depth) &&
                tact_epa_refine_curved(pair, &v, 1, &other.normal, &other.depth, &other.a, &other.b);
    if (other.depth < before)
        out->normal = other.normal;
    if (rest) {
        out->status = TACT_OK;
        out->depth = other.depth;
        take_if_tighter(pair, other.a, other.b, out);
    }
}

/* Points that do not lie along the normal although they are a clear distance apart: the direction between them, if it
 * proves nearly as much. Where even the margins do not touch, right points count for more than the last digits of the
 * normal. */
static void follow_points(const epa_pair *pair, core_answer *out)
{
    if (!is_loose(pair, out))
        return;
    epa_vertex v;
    tact_vec3 between = vec_add(vec_sub(out->b, out->a), pair->offset), n = vec_normalize(between);
    bool clear = vec_length(between) > PENETRATION_CLEAR_NOISE * pair->noise;
    bool apart = out->depth + pair->a->margin + pair->b->margin < -PENETRATION_POINTS_NOISE * pair->noise;
    if (clear && (apart || tact_epa_support(pair, n, &v) - out->depth <= slack_of(pair, out)))
        out->normal = n;
}

/* The origin of A is zero. */
static void depth_of_cores(const convex *a, const convex *b, const tact_allocator *allocator, core_answer *out)
{
    epa_pair pair = tact_epa_pair(a, b);
    double size = a->bounding_radius + b->bounding_radius + vec_max_abs(pair.offset);
    core_answer bricks = {.settled = false};
    bool known = brick_depth(a, b, &bricks);
    if (known &&
        bricks.depth > PENETRATION_POINTS_NOISE * pair.noise) { /* just touching, GJK knows the points better */
        *out = bricks;
        tighten(&pair, size, out); /* nearly parallel edges: what they have in common is not their middle */
        return;
    }
    gjk_result g;
    ask_gjk(a, b, known ? bricks.normal : pair.offset, &g);
    if (g.count == 0) { /* a custom support function gave no number */
        *out = (core_answer){.status = TACT_BAD_ARGUMENT};
        return;
    }
    bool apart = g.status != GJK_OVERLAP && g.lower > 0.0;
    if (!apart) {
        deepen(&pair, &g, size, allocator, out);
        return;
    }
    const core_answer plain = {TACT_OK, -g.upper, g.normal, g.on_a, vec_sub(g.on_b, pair.offset), true};
    bool close = g.upper <= (pair.curved ? PENETRATION_CLOSE_CURVED : PENETRATION_CLOSE) * size;
    bool sharp =
        g.status == GJK_SEPARATED && a->margin + b->margin == 0.0; /* what GJK says is the answer, point by point */
    if (sharp && g.upper > PENETRATION_TINY_GAP * pair.noise) {
        *out = plain;
        return;
    }
    bool met = g.status != GJK_NOT_CONVERGED || g.upper - g.lower <= PENETRATION_ENOUGH_ACCURACY * g.upper + pair.noise;
    out->status = met ? TACT_OK : TACT_NOT_CONVERGED;
    out->depth = -fmax(g.lower, g.upper); /* the lower bound is proved; on slivers the points may fall short of it */
    out->a = g.on_a;
    out->b = vec_sub(g.on_b, pair.offset);
    out->normal = direction_of(&pair, &g);
    core_answer first = *out;
    finish_gjk(&pair, out);
    core_answer finished = *out;
    if (close)
        sharpen(&pair, &g, size, allocator, out);
    if (sharp) { /* a better normal, if the points lie along it; no other points */
        core_answer other = plain;
        other.normal = out->normal;
        if (out->status != TACT_OUT_OF_MEMORY)
            *out = looseness(&pair, &other) <= PENETRATION_POINTS_NOISE * pair.noise ? other : plain;
    } else if (out->status == TACT_OK || out->status == TACT_NOT_CONVERGED) {
        follow_points(&pair, out);
        /* A lonely Newton's method may have lost its way. */
        bool lonely = pair.curved && out->depth + a->margin + b->margin > -PENETRATION_POINTS_NOISE * pair.noise;
        if (lonely)
            tighten(&pair, size, out);
        balance(&pair, out);
        take_if_better(&pair, &finished, out);
        take_if_better(&pair, &first, out);
        if (met)
            take_if_better(&pair, &plain, out);
        if (lonely && !close && flaw(&pair, out, 0.0) > PENETRATION_TOLERATED_ERROR) {
            core_answer before = *out;
            sharpen(&pair, &g, size, allocator, out);
            if (out->status == TACT_OK)
                take_if_better(&pair, &before, out);
        }
    }
}

/* ---- whole shapes ----------------------------------------------------------------------------------------------- */

/* r.H r, where H is the derivative of the support point of the core along n: how curved the surface is along r. */
static double bend(const convex *c, tact_vec3 n, tact_vec3 r)
{
    double h[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tact_convex_curvature(c, n, h);
    tact_vec3 hr = {h[0] * r.x + h[3] * r.y + h[4] * r.z, h[3] * r.x + h[1] * r.y + h[5] * r.z,
                    h[4] * r.x + h[5] * r.y + h[2] * r.z};
    return fmax(vec_dot(r, hr), 0.0);
}

/* How large the core is; 0 for a point, which cannot give way. */
static double extent_of(const convex *c)
{
    double square = 0.0;
    if (c->kind != CONVEX_POINTS)
        return c->bounding_radius;
    for (int i = 1; i < c->point_count; i++)
        square = fmax(square, vec_length_squared(vec_sub(c->points[i], c->points[0])));
    return sqrt(square);
}

/* Moves the points to be exactly depth * normal apart. On a curved surface a small step aside leads off it only to
 * second order, so the more curved surface gives way; corners and edges stay where they are. */
static void share_out(const epa_pair *pair, core_answer *c)
{
    tact_vec3 rest = vec_mul_add(vec_sub(vec_sub(c->a, c->b), pair->offset), -c->depth, c->normal);
    double a = extent_of(pair->a), b = extent_of(pair->b);
    double of_a = a + b > 0.0 ? a / (a + b) : 0.5;
    if (pair->curved) {
        a = bend(pair->a, c->normal, rest);
        b = bend(pair->b, vec_negate(c->normal), rest);
        if (a + b > 0.0 && a + b < INFINITY)
            of_a = a / (a + b);
    }
    c->a = vec_mul_add(c->a, -of_a, rest);
    c->b = vec_mul_add(c->b, 1.0 - of_a, rest);
}

/* Adds the margins. */
static void round_off(const convex *a, const convex *b, const core_answer *core, tact_penetration *out)
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
    /* Seen from the origin of A, so that being far from the world's origin costs no digits; and scaled, exactly, where
     * products would over- or underflow. */
    convex near_a = *a, near_b = *b;
    near_b.transform.origin = vec_sub(b->transform.origin, a->transform.origin);
    near_a.transform.origin = vec_make(0.0, 0.0, 0.0);
    double size = a->bounding_radius + b->bounding_radius + vec_max_abs(near_b.transform.origin);
    int exponent = 0;
    (void)frexp(size, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent; /* 2^-exponent is to be finite */
    if (!(size > 0.0) || (exponent <= PENETRATION_EXPONENT && exponent >= -PENETRATION_EXPONENT))
        exponent = 0;
    if (exponent != 0) {
        tact_convex_scale(&near_a, -exponent);
        tact_convex_scale(&near_b, -exponent);
    }
    core_answer core = {.settled = false};
    depth_of_cores(&near_a, &near_b, allocator, &core);
    if (core.status == TACT_OK || core.status == TACT_NOT_CONVERGED) {
        epa_pair pair = tact_epa_pair(&near_a, &near_b);
        if (!core.settled)
            share_out(&pair, &core);
    }
    if (exponent != 0) {
        double back = ldexp(1.0, exponent);
        core.depth *= back;
        core.a = vec_scale(core.a, back);
        core.b = vec_scale(core.b, back);
    }
    out->status = core.status;
    if (core.status == TACT_OK || core.status == TACT_NOT_CONVERGED)
        round_off(a, b, &core, out);
    return out->status;
}
