/*
 * The contact manifold: where two shapes press on each other, as up to eight points.
 *
 * Guarantees: every point is a pair, on A's surface and on B's, that differ by its depth along the pair's normal; the
 * deepest comes first and has the depth of the pair; swapping A and B mirrors the answer bit for bit. Cost: that of the
 * depth, and for two faces of m and n corners O(m n) more.
 *
 * The pair's normal is that of tact_convex_penetration. The features that face each other along it (face.c: face, edge
 * or corner) are looked at along the normal, where they are polygons in a plane: these are intersected by Sutherland
 * and Hodgman's clipping ("Reentrant polygon clipping", 1974), and each corner of the common area is lifted back onto
 * either surface. Where more than TACT_MANIFOLD_POINTS are left, those go one by one that give up the least area, never
 * the deepest. We depart from the usual reference and incident face: nobody is projected onto anybody, so the points of
 * both are on their own surfaces although the faces lean from each other.
 */
#include "convex/convex_constants.h"
#include "convex/convex_query.h"

/* Clipping a polygon adds at most one corner for every edge it is clipped by. */
#define MAX_VERTICES (2 * CONVEX_FACE_VERTICES)

typedef struct flat2 {
    double x, y;
} flat2;

/* A feature seen along the normal. */
typedef struct feature {
    int count;
    double margin;
    double outwards;                     /* 1 if the surface is above the core along the normal (A), -1 if below (B) */
    flat2 corner[CONVEX_FACE_VERTICES];  /* counter-clockwise seen from the tip of the normal */
    double height[CONVEX_FACE_VERTICES]; /* along the normal */
    flat2 slope;                         /* of the heights */
    double size;
} feature;

typedef struct frame {
    tact_vec3 e, f, n;
} frame;

static frame frame_of(tact_vec3 n)
{
    frame f = {.n = n};
    vec_tangent_basis(n, &f.e, &f.f);
    return f;
}

static double cross2(flat2 a, flat2 b) { return a.x * b.y - a.y * b.x; }
static double dot2(flat2 a, flat2 b) { return a.x * b.x + a.y * b.y; }
static flat2 sub2(flat2 a, flat2 b) { return (flat2){a.x - b.x, a.y - b.y}; }
static flat2 along2(flat2 a, double s, flat2 b) { return (flat2){a.x + s * b.x, a.y + s * b.y}; }
static double length2(flat2 a) { return sqrt(dot2(a, a)); }

static void see(const convex *c, const frame *view, double outwards, tact_vec3 shift, feature *out)
{
    tact_vec3 corners[CONVEX_FACE_VERTICES], normal = {0.0, 0.0, 0.0};
    out->count = tact_convex_support_face(c, vec_scale(view->n, outwards), MANIFOLD_FACE_ANGLE, corners, &normal);
    out->margin = c->margin;
    out->outwards = outwards;
    out->size = 0.0;
    for (int i = 0; i < out->count; i++) {
        /* B's corners come clockwise seen from the tip of the normal */
        tact_vec3 p = vec_add(corners[outwards > 0.0 ? i : out->count - 1 - i], shift);
        out->corner[i] = (flat2){vec_dot(view->e, p), vec_dot(view->f, p)};
        out->height[i] = vec_dot(view->n, p);
        out->size = fmax(out->size, length2(sub2(out->corner[i], out->corner[0])));
    }
    out->slope = (flat2){0.0, 0.0};
    if (out->count >= 3) {
        double up = vec_dot(view->n, normal); /* not small: the face leans less than MANIFOLD_FACE_ANGLE */
        out->slope = (flat2){-vec_dot(view->e, normal) / up, -vec_dot(view->f, normal) / up};
    } else if (out->count == 2) {
        flat2 d = sub2(out->corner[1], out->corner[0]);
        double square = dot2(d, d);
        if (square > 0.0)
            out->slope = (flat2){d.x * (out->height[1] - out->height[0]) / square,
                                 d.y * (out->height[1] - out->height[0]) / square};
    }
}

static bool holds(const feature *f, flat2 q)
{
    for (int i = 0; i < f->count; i++)
        if (cross2(sub2(f->corner[(i + 1) % f->count], f->corner[i]), sub2(q, f->corner[i])) < 0.0)
            return false;
    return true;
}

/* How much higher than the core at q the balls around the edge from corner i on reach over q, at most; -INFINITY if
 * none does. */
static double reach_of_edge(const feature *f, flat2 q, flat2 slope, int i)
{
    flat2 p = f->corner[i], d = sub2(f->corner[(i + 1) % f->count], p);
    double length = length2(d);
    if (!(length > 0.0))
        return -INFINITY;
    d = (flat2){d.x / length, d.y / length};
    double off = cross2(d, sub2(q, p)), from = dot2(d, sub2(q, p)), rise = dot2(slope, d);
    double ball =
        (f->margin - off) * (f->margin + off); /* squared radius of the balls' section through q along the edge */
    if (!(ball >= 0.0))
        return -INFINITY;
    double best = fmin(fmax(from + sqrt(ball) * rise / sqrt(1.0 + rise * rise), 0.0), length), step = best - from;
    if (!(ball - step * step >= 0.0))
        return -INFINITY;
    return dot2(slope, sub2(along2(p, best, d), q)) + sqrt(ball - step * step);
}

/* The height of the surface, margin included, over the place q of the feature. Of all balls around the core the one
 * that reaches highest over q is not that at q but one uphill by margin * sine; where the feature ends before, it is
 * one on its rim. */
static double surface_height(const feature *f, flat2 q)
{
    /* heights are taken from the nearest corner, so that a corner keeps its own to the last bit */
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < f->count; i++) {
        flat2 d = sub2(q, f->corner[i]);
        if (dot2(d, d) < least) {
            least = dot2(d, d);
            nearest = i;
        }
    }
    double height = f->height[nearest] + dot2(f->slope, sub2(q, f->corner[nearest]));
    double tangent = length2(f->slope), grow = f->margin;
    if (f->margin > 0.0 && tangent > 0.0) {
        flat2 slope = {f->outwards * f->slope.x, f->outwards * f->slope.y};
        double whole = sqrt(1.0 + tangent * tangent);
        if (f->count > 2 && holds(f, along2(q, f->margin / whole, slope)))
            grow = f->margin * whole;
        else
            for (int i = 0; i < (f->count == 2 ? 1 : f->count); i++)
                grow = fmax(grow, reach_of_edge(f, q, slope, i));
    }
    return height + f->outwards * grow;
}

/* ---- the common area -------------------------------------------------------------------------------------------- */

typedef struct area {
    int count;
    flat2 corner[MAX_VERTICES];
} area;

/* Keeps what is to the left of the line from p to q. */
static void clip(area *a, flat2 p, flat2 q)
{
    flat2 edge = sub2(q, p), kept[MAX_VERTICES];
    int made = 0;
    for (int i = 0; i < a->count; i++) {
        flat2 here = a->corner[i], next = a->corner[(i + 1) % a->count];
        double left = cross2(edge, sub2(here, p)), then = cross2(edge, sub2(next, p));
        if (left >= 0.0 && made < MAX_VERTICES)
            kept[made++] = here;
        if ((left < 0.0) != (then < 0.0) && made < MAX_VERTICES)
            kept[made++] = along2(here, left / (left - then), sub2(next, here));
    }
    a->count = made;
    for (int i = 0; i < made; i++)
        a->corner[i] = kept[i];
}

/* One corner where there are several in the same place. */
static void merge_corners(area *a, double same)
{
    int kept = 0;
    for (int i = 0; i < a->count; i++) {
        bool is_new = true;
        for (int k = 0; k < kept && is_new; k++)
            is_new = length2(sub2(a->corner[i], a->corner[k])) > same;
        if (is_new)
            a->corner[kept++] = a->corner[i];
    }
    a->count = kept;
}

static void common_of_edges(const feature *fa, const feature *fb, area *out)
{
    out->count = 0;
    flat2 p = fa->corner[0], d = sub2(fa->corner[1], p), g = sub2(fb->corner[1], fb->corner[0]);
    double length = length2(d), other = length2(g);
    if (!(fabs(cross2(d, g)) <= MANIFOLD_EDGE_ANGLE * length * other) || !(length > 0.0) || !(other > 0.0))
        return;
    d = (flat2){d.x / length, d.y / length};
    if (!(fabs(cross2(d, sub2(fb->corner[0], p))) <= MANIFOLD_EDGE_ANGLE * (length + other)))
        return;
    double t0 = dot2(d, sub2(fb->corner[0], p)), t1 = dot2(d, sub2(fb->corner[1], p));
    double low = fmax(fmin(t0, t1), 0.0), high = fmin(fmax(t0, t1), length);
    if (!(low < high))
        return;
    out->corner[0] = along2(p, low, d);
    out->corner[1] = along2(p, high, d);
    out->count = 2;
}

/* What the two features have in common, seen along the normal; nothing when they meet in a point. */
static void common_area(const feature *fa, const feature *fb, area *out)
{
    out->count = 0;
    if (fa->count < 2 || fb->count < 2)
        return;
    if (fa->count == 2 && fb->count == 2) {
        common_of_edges(fa, fb, out);
        return;
    }
    const feature *face = fa->count > 2 ? fa : fb, *other = fa->count > 2 ? fb : fa;
    for (int i = 0; i < other->count; i++)
        out->corner[i] = other->corner[i];
    out->count = other->count;
    for (int i = 0; i < face->count && out->count > 0; i++)
        clip(out, face->corner[i], face->corner[(i + 1) % face->count]);
}

/* ---- points ----------------------------------------------------------------------------------------------------- */

typedef struct candidate {
    flat2 at;
    double top, bottom; /* heights of A's and B's surface */
} candidate;

/* The area that goes with a corner of the polygon. */
static double area_lost(const candidate *c, int count, int i)
{
    flat2 before = c[(i + count - 1) % count].at, after = c[(i + 1) % count].at;
    return fabs(cross2(sub2(c[i].at, before), sub2(after, before)));
}

static int deepest_of(const candidate *c, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (c[i].top - c[i].bottom > c[best].top - c[best].bottom)
            best = i;
    return best;
}

/* Leaves out the corners that matter least, never the deepest. */
static int thin(candidate *c, int count, int most)
{
    while (count > most) {
        int deepest = deepest_of(c, count), least = -1;
        for (int i = 0; i < count; i++)
            if (i != deepest && (least < 0 || area_lost(c, count, i) < area_lost(c, count, least)))
                least = i;
        for (int i = least; i + 1 < count; i++)
            c[i] = c[i + 1];
        count--;
    }
    return count;
}

static void add_point(tact_manifold *out, tact_vec3 on_a, tact_vec3 on_b, double depth)
{
    out->points[out->count++] = (tact_manifold_point){.on_a = on_a, .on_b = on_b, .depth = depth};
}

void tact_convex_manifold_along(const convex *a, const convex *b, const tact_penetration *d, double max_separation,
                                tact_manifold *out)
{
    out->normal = d->normal;
    out->depth = d->depth;
    out->state = d->depth >= -max_separation ? TACT_HIT : TACT_MISS;
    if (out->state == TACT_MISS)
        return;

    /* All from the origin of A. */
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    frame view = frame_of(d->normal);
    feature fa, fb;
    area common;
    see(a, &view, 1.0, zero, &fa);
    see(b, &view, -1.0, vec_sub(b->transform.origin, a->transform.origin), &fb);
    common_area(&fa, &fb, &common);
    double size = fmin(fa.size, fb.size);
    merge_corners(&common, MANIFOLD_SAME_VERTEX * size);

    candidate found[MAX_VERTICES];
    int count = 0;
    for (int i = 0; i < common.count; i++) {
        flat2 at = common.corner[i];
        candidate c = {at, surface_height(&fa, at), surface_height(&fb, at)};
        if (c.top - c.bottom >= -max_separation)
            found[count++] = c;
    }
    /* The deepest corner is where the pair's depth is, unless the features are not those that the depth is of; then the
     * depth's own points come first. */
    double slack = MANIFOLD_SAME_DEPTH * (size + fabs(d->depth));
    int deepest = count > 0 ? deepest_of(found, count) : 0;
    bool own = count == 0 || !(fabs(found[deepest].top - found[deepest].bottom - d->depth) <= slack);
    if (own)
        add_point(out, d->on_a, d->on_b, d->depth);
    count = thin(found, count, own ? TACT_MANIFOLD_POINTS - 1 : TACT_MANIFOLD_POINTS);
    deepest = count > 0 ? deepest_of(found, count) : 0;
    for (int i = 0; i < count; i++) {
        const candidate *c = &found[(deepest + i) % count];
        tact_vec3 foot = vec_mul_add(vec_mul_add(a->transform.origin, c->at.x, view.e), c->at.y, view.f);
        double depth = c->top - c->bottom;
        if (own && !(depth <= d->depth)) /* not deeper than the deepest */
            continue;
        add_point(out, vec_mul_add(foot, c->top, view.n), vec_mul_add(foot, c->bottom, view.n), depth);
    }
}

tact_manifold tact_convex_manifold(const convex *a, const convex *b, double max_separation, tact_vec3 normal,
                                   tact_vec3 point, const tact_allocator *allocator)
{
    tact_manifold out = {.status = TACT_OK};
    tact_penetration d = {.on_a = point, .on_b = point, .normal = normal};
    if (vec_max_abs(normal) > 0.0) {
        const tact_vec3 back = vec_negate(normal), from = vec_sub(a->transform.origin, b->transform.origin);
        d.depth =
            vec_dot(normal,
                    vec_add(from, vec_sub(tact_convex_support(a, normal, NULL), tact_convex_support(b, back, NULL)))) +
            a->margin + b->margin;
    }
    if (!(vec_max_abs(normal) > 0.0) || fabs(d.depth) > MANIFOLD_TOUCH * (a->bounding_radius + b->bounding_radius))
        out.status = tact_convex_penetration(a, b, allocator, &d);
    if (out.status == TACT_OK || out.status == TACT_NOT_CONVERGED)
        tact_convex_manifold_along(a, b, &d, max_separation, &out);
    return out;
}
