/*
 * The contact manifold of two convex shapes: up to TACT_MANIFOLD_POINTS contact points with one normal.
 *
 * Guarantee: a contact point has a point on A's surface and one on B's, which differ by its depth along the normal. The
 * deepest contact point comes first and has the depth of the pair. Swapping A and B mirrors the answer bit for bit.
 * Cost: that of the penetration depth, plus O(m n) for two faces of m and n vertices.
 *
 * The normal is that of tact_convex_penetration. The support features of both shapes along it (support_face.c: face,
 * edge or vertex) are projected along the normal onto a plane. There they are intersected by polygon clipping
 * (Sutherland and Hodgman 1974, "Reentrant polygon clipping"). Each vertex of the intersection is lifted back onto both
 * surfaces. If too many are left, the vertices that remove the least area are dropped one by one, never the deepest.
 * Each vertex of the intersection is a vertex of one feature over the other, or a crossing of two edges: clipping keeps
 * track of which, for the feature ids of the points (contact_feature.h).
 * Departure from the usual reference and incident face: neither face is projected onto the other, so each point is on
 * its own surface even if the faces are not parallel.
 */
#include "convex/contact_feature.h"
#include "convex/convex_constants.h"
#include "convex/convex_query.h"
#include "core/number.h"

/* Clipping adds at most one vertex for each clipping edge. */
#define MANIFOLD_MAX_VERTICES (2 * CONVEX_FACE_VERTICES)

typedef struct manifold_vec2 {
    double x, y;
} manifold_vec2;

/* A support feature, projected along the normal. */
typedef struct manifold_feature {
    int count;
    double margin;
    double outwards; /* 1 if the surface is above the core along the normal (A), -1 if below (B) */
    manifold_vec2 vertex[CONVEX_FACE_VERTICES]; /* counter-clockwise about the normal */
    double height[CONVEX_FACE_VERTICES];        /* along the normal */
    manifold_vec2 slope;                        /* gradient of the height */
    double size;                                /* length: the largest distance from vertex 0 */
    uint32_t number[CONVEX_FACE_VERTICES];      /* of each vertex, as in convex_face */
    uint32_t id;                                /* of the feature as a whole (contact_feature.h) */
} manifold_feature;

typedef struct manifold_frame {
    tact_vec3 e, f, n;
} manifold_frame;

static manifold_frame manifold_frame_of(tact_vec3 n)
{
    manifold_frame f = {.n = n};
    vec_tangent_basis(n, &f.e, &f.f);
    return f;
}

static double cross2(manifold_vec2 a, manifold_vec2 b) { return a.x * b.y - a.y * b.x; }
static double dot2(manifold_vec2 a, manifold_vec2 b) { return a.x * b.x + a.y * b.y; }
static manifold_vec2 sub2(manifold_vec2 a, manifold_vec2 b) { return (manifold_vec2){a.x - b.x, a.y - b.y}; }
static manifold_vec2 mul_add2(manifold_vec2 a, double s, manifold_vec2 b)
{
    return (manifold_vec2){a.x + s * b.x, a.y + s * b.y};
}
static double length2(manifold_vec2 a) { return sqrt(dot2(a, a)); }

static void project_feature(const convex *c, const manifold_frame *frame, double outwards, tact_vec3 offset,
                            manifold_feature *out)
{
    convex_face face;
    tact_convex_support_face(c, vec_scale(frame->n, outwards), MANIFOLD_FACE_ANGLE, &face);
    out->count = face.count;
    out->id = face.count > 2                        ? feature_make(FEATURE_FACE, face.number)
              : face.count == 2                     ? feature_of_edge(face.numbers[0], face.numbers[1])
              : face.numbers[0] != CONVEX_NO_NUMBER ? feature_make(FEATURE_VERTEX, face.numbers[0])
                                                    : 0u;
    out->margin = c->margin;
    out->outwards = outwards;
    out->size = 0.0;
    for (int i = 0; i < out->count; i++) {
        /* B's vertices come clockwise about the normal. */
        const int from = outwards > 0.0 ? i : out->count - 1 - i;
        tact_vec3 p = vec_add(face.vertices[from], offset);
        out->number[i] = face.numbers[from];
        out->vertex[i] = (manifold_vec2){vec_dot(frame->e, p), vec_dot(frame->f, p)};
        out->height[i] = vec_dot(frame->n, p);
        out->size = number_max(out->size, length2(sub2(out->vertex[i], out->vertex[0])));
    }
    out->slope = (manifold_vec2){0.0, 0.0};
    if (out->count >= 3) {
        double up = vec_dot(frame->n, face.normal); /* near 1: the face is tilted by less than MANIFOLD_FACE_ANGLE */
        out->slope = (manifold_vec2){-vec_dot(frame->e, face.normal) / up, -vec_dot(frame->f, face.normal) / up};
    } else if (out->count == 2) {
        manifold_vec2 d = sub2(out->vertex[1], out->vertex[0]);
        double square = dot2(d, d);
        if (square > 0.0)
            out->slope = (manifold_vec2){d.x * (out->height[1] - out->height[0]) / square,
                                         d.y * (out->height[1] - out->height[0]) / square};
    }
}

static bool contains_point(const manifold_feature *f, manifold_vec2 q)
{
    for (int i = 0; i < f->count; i++)
        if (cross2(sub2(f->vertex[(i + 1) % f->count], f->vertex[i]), sub2(q, f->vertex[i])) < 0.0)
            return false;
    return true;
}

/* The height above the core at q of the surface swept by spheres of the margin along the edge from vertex i; -INFINITY
 * if no such sphere covers q. */
static double edge_margin_height(const manifold_feature *f, manifold_vec2 q, manifold_vec2 slope, int i)
{
    manifold_vec2 p = f->vertex[i], d = sub2(f->vertex[(i + 1) % f->count], p);
    double length = length2(d);
    if (!(length > 0.0))
        return -INFINITY;
    d = (manifold_vec2){d.x / length, d.y / length};
    double distance = cross2(d, sub2(q, p)), foot = dot2(d, sub2(q, p)), edge_slope = dot2(slope, d);
    /* Squared radius of the section of the swept spheres by the plane through q along the edge and the normal. */
    double section = (f->margin - distance) * (f->margin + distance);
    if (!(section >= 0.0))
        return -INFINITY;
    double best = number_min(number_max(foot + sqrt(section) * edge_slope / sqrt(1.0 + edge_slope * edge_slope), 0.0),
                             length),
           step = best - foot;
    if (!(section - step * step >= 0.0))
        return -INFINITY;
    return dot2(slope, sub2(mul_add2(p, best, d), q)) + sqrt(section - step * step);
}

/* The height of the surface, margin included, at the point q of the feature. The surface is the envelope of spheres of
 * the margin. On a tilted feature the highest sphere over q is not centred at q but uphill by margin * sine. If the
 * feature ends before, its centre is on the boundary. */
static double surface_height(const manifold_feature *f, manifold_vec2 q)
{
    /* Heights are relative to the nearest vertex, so that the height of a vertex is exact. */
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < f->count; i++) {
        manifold_vec2 d = sub2(q, f->vertex[i]);
        if (dot2(d, d) < least) {
            least = dot2(d, d);
            nearest = i;
        }
    }
    double height = f->height[nearest] + dot2(f->slope, sub2(q, f->vertex[nearest]));
    double tangent = length2(f->slope), margin_height = f->margin;
    if (f->margin > 0.0 && tangent > 0.0) {
        manifold_vec2 slope = {f->outwards * f->slope.x, f->outwards * f->slope.y};
        double secant = sqrt(1.0 + tangent * tangent);
        if (f->count > 2 && contains_point(f, mul_add2(q, f->margin / secant, slope)))
            margin_height = f->margin * secant;
        else
            for (int i = 0; i < (f->count == 2 ? 1 : f->count); i++)
                margin_height = number_max(margin_height, edge_margin_height(f, q, slope, i));
    }
    return height + f->outwards * margin_height;
}

/* ---- intersection of features ----------------------------------------------------------------------------------- */

/* A vertex of the intersection. */
typedef struct manifold_vertex {
    manifold_vec2 at;
    uint32_t id_a, id_b; /* of the features of A and B at it */
    /* The edge that leads to the next vertex, while the polygon is clipped: edge i of the clipped feature, or -1 - i of
     * the face that clips it. */
    int edge;
} manifold_vertex;

typedef struct manifold_polygon {
    int count;
    manifold_vertex vertex[MANIFOLD_MAX_VERTICES];
} manifold_polygon;

static uint32_t vertex_id(const manifold_feature *f, int i) { return feature_make(FEATURE_VERTEX, f->number[i]); }

/* The edge from vertex i on. */
static uint32_t edge_id(const manifold_feature *f, int i)
{
    return f->count == 2 ? f->id : feature_of_edge(f->number[i], f->number[(i + 1) % f->count]);
}

/* Sets the features at a vertex: `of_clipped` of the clipped feature, `of_face` of the face. */
static void set_ids(manifold_vertex *v, bool face_is_a, uint32_t of_face, uint32_t of_clipped)
{
    v->id_a = face_is_a ? of_face : of_clipped;
    v->id_b = face_is_a ? of_clipped : of_face;
}

/* The features where the polygon's edge `edge` crosses edge i of the face. Two edges of the face have a vertex in
 * common. */
static void set_crossing_ids(manifold_vertex *v, bool face_is_a, const manifold_feature *face, int i,
                             const manifold_feature *clipped, int edge)
{
    if (edge >= 0)
        set_ids(v, face_is_a, edge_id(face, i), edge_id(clipped, edge));
    else
        set_ids(v, face_is_a, vertex_id(face, (i + 1) % face->count == -1 - edge ? -1 - edge : i), clipped->id);
}

/* Clips the polygon, which was `clipped`, to the left of edge i of the face. */
static void clip(manifold_polygon *a, bool face_is_a, const manifold_feature *face, int i,
                 const manifold_feature *clipped)
{
    const manifold_vec2 p = face->vertex[i], line = sub2(face->vertex[(i + 1) % face->count], p);
    manifold_polygon inside;
    inside.count = 0; /* the rest is not initialised: it is large */
    for (int k = 0; k < a->count; k++) {
        const manifold_vertex *here = &a->vertex[k], *next = &a->vertex[(k + 1) % a->count];
        double side = cross2(line, sub2(here->at, p)), next_side = cross2(line, sub2(next->at, p));
        if (side >= 0.0 && inside.count < MANIFOLD_MAX_VERTICES)
            inside.vertex[inside.count++] = *here;
        if ((side < 0.0) != (next_side < 0.0) && inside.count < MANIFOLD_MAX_VERTICES) {
            manifold_vertex *v = &inside.vertex[inside.count++];
            v->at = mul_add2(here->at, side / (side - next_side), sub2(next->at, here->at));
            v->edge = side < 0.0 ? here->edge : -1 - i;
            set_crossing_ids(v, face_is_a, face, i, clipped, here->edge);
        }
    }
    a->count = inside.count;
    for (int k = 0; k < inside.count; k++)
        a->vertex[k] = inside.vertex[k];
}

/* Removes vertices within `same` of an earlier one. */
static void merge_vertices(manifold_polygon *a, double same)
{
    int count = 0;
    for (int i = 0; i < a->count; i++) {
        bool is_new = true;
        for (int k = 0; k < count && is_new; k++)
            is_new = length2(sub2(a->vertex[i].at, a->vertex[k].at)) > same;
        if (is_new)
            a->vertex[count++] = a->vertex[i];
    }
    a->count = count;
}

static void intersect_edges(const manifold_feature *fa, const manifold_feature *fb, manifold_polygon *out)
{
    out->count = 0;
    manifold_vec2 p = fa->vertex[0], d = sub2(fa->vertex[1], p), g = sub2(fb->vertex[1], fb->vertex[0]);
    double length = length2(d), other = length2(g);
    if (!(fabs(cross2(d, g)) <= MANIFOLD_EDGE_ANGLE * length * other) || !(length > 0.0) || !(other > 0.0))
        return;
    d = (manifold_vec2){d.x / length, d.y / length};
    if (!(fabs(cross2(d, sub2(fb->vertex[0], p))) <= MANIFOLD_EDGE_ANGLE * (length + other)))
        return;
    double t0 = dot2(d, sub2(fb->vertex[0], p)), t1 = dot2(d, sub2(fb->vertex[1], p));
    double low = number_max(number_min(t0, t1), 0.0), high = number_min(number_max(t0, t1), length);
    if (!(low < high))
        return;
    const int first = t0 <= t1 ? 0 : 1; /* the end of B's edge that is lower along A's */
    out->vertex[0] = low > 0.0 ? (manifold_vertex){.id_a = fa->id, .id_b = vertex_id(fb, first)}
                               : (manifold_vertex){.id_a = vertex_id(fa, 0), .id_b = fb->id};
    out->vertex[1] = high < length ? (manifold_vertex){.id_a = fa->id, .id_b = vertex_id(fb, 1 - first)}
                                   : (manifold_vertex){.id_a = vertex_id(fa, 1), .id_b = fb->id};
    out->vertex[0].at = mul_add2(p, low, d);
    out->vertex[1].at = mul_add2(p, high, d);
    out->count = 2;
}

/* The intersection of the projected features; empty if they touch in a point. */
static void intersect_features(const manifold_feature *fa, const manifold_feature *fb, manifold_polygon *out)
{
    out->count = 0;
    if (fa->count < 2 || fb->count < 2)
        return;
    if (fa->count == 2 && fb->count == 2) {
        intersect_edges(fa, fb, out);
        return;
    }
    const bool face_is_a = fa->count > 2;
    const manifold_feature *face = face_is_a ? fa : fb, *other = face_is_a ? fb : fa;
    for (int i = 0; i < other->count; i++) {
        out->vertex[i] = (manifold_vertex){.at = other->vertex[i], .edge = i};
        set_ids(&out->vertex[i], face_is_a, face->id, vertex_id(other, i));
    }
    out->count = other->count;
    for (int i = 0; i < face->count && out->count > 0; i++)
        clip(out, face_is_a, face, i, other);
}

/* ---- points ----------------------------------------------------------------------------------------------------- */

typedef struct manifold_candidate {
    manifold_vec2 at;
    double top, bottom;  /* heights of A's and B's surface */
    uint32_t id_a, id_b; /* of the features at it */
} manifold_candidate;

/* Twice the area that the polygon loses with vertex i. */
static double removed_area(const manifold_candidate *c, int count, int i)
{
    manifold_vec2 before = c[(i + count - 1) % count].at, after = c[(i + 1) % count].at;
    return fabs(cross2(sub2(c[i].at, before), sub2(after, before)));
}

static int deepest_candidate(const manifold_candidate *c, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (c[i].top - c[i].bottom > c[best].top - c[best].bottom)
            best = i;
    return best;
}

/* Drops the vertices that remove the least area, never the deepest, until `most` are left. Returns their number. */
static int reduce_points(manifold_candidate *c, int count, int most)
{
    while (count > most) {
        int deepest = deepest_candidate(c, count), least = -1;
        for (int i = 0; i < count; i++)
            if (i != deepest && (least < 0 || removed_area(c, count, i) < removed_area(c, count, least)))
                least = i;
        for (int i = least; i + 1 < count; i++)
            c[i] = c[i + 1];
        count--;
    }
    return count;
}

static void add_point(tact_manifold *out, tact_vec3 on_a, tact_vec3 on_b, double depth, uint32_t id_a, uint32_t id_b)
{
    out->points[out->count++] =
        (tact_manifold_point){.on_a = on_a, .on_b = on_b, .depth = depth, .feature_a = id_a, .feature_b = id_b};
}

void tact_convex_manifold_along(const convex *a, const convex *b, const tact_penetration *d, double max_separation,
                                tact_manifold *out)
{
    out->normal = d->normal;
    out->depth = d->depth;
    out->state = d->depth >= -max_separation ? TACT_HIT : TACT_MISS;
    if (out->state == TACT_MISS)
        return;

    /* All coordinates are relative to the origin of A. */
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    manifold_frame frame = manifold_frame_of(d->normal);
    manifold_feature fa, fb;
    manifold_polygon overlap;
    project_feature(a, &frame, 1.0, zero, &fa);
    project_feature(b, &frame, -1.0, vec_sub(b->transform.origin, a->transform.origin), &fb);
    intersect_features(&fa, &fb, &overlap);
    double size = number_min(fa.size, fb.size);
    merge_vertices(&overlap, MANIFOLD_SAME_VERTEX * size);

    manifold_candidate found[MANIFOLD_MAX_VERTICES];
    int count = 0;
    for (int i = 0; i < overlap.count; i++) {
        const manifold_vertex *v = &overlap.vertex[i];
        manifold_candidate c = {v->at, surface_height(&fa, v->at), surface_height(&fb, v->at), v->id_a, v->id_b};
        if (c.top - c.bottom >= -max_separation)
            found[count++] = c;
    }
    /* The deepest vertex has the pair's depth, unless the depth belongs to other features. Then the points of the
     * penetration query come first. */
    double slack = MANIFOLD_SAME_DEPTH * (size + fabs(d->depth));
    int deepest = count > 0 ? deepest_candidate(found, count) : 0;
    bool use_penetration = count == 0 || !(fabs(found[deepest].top - found[deepest].bottom - d->depth) <= slack);
    if (use_penetration)
        add_point(out, d->on_a, d->on_b, d->depth, fa.id, fb.id);
    count = reduce_points(found, count, use_penetration ? TACT_MANIFOLD_POINTS - 1 : TACT_MANIFOLD_POINTS);
    deepest = count > 0 ? deepest_candidate(found, count) : 0;
    for (int i = 0; i < count; i++) {
        const manifold_candidate *c = &found[(deepest + i) % count];
        tact_vec3 foot = vec_mul_add(vec_mul_add(a->transform.origin, c->at.x, frame.e), c->at.y, frame.f);
        double depth = c->top - c->bottom;
        if (use_penetration && !(depth <= d->depth)) /* the first point must stay the deepest */
            continue;
        add_point(out, vec_mul_add(foot, c->top, frame.n), vec_mul_add(foot, c->bottom, frame.n), depth, c->id_a,
                  c->id_b);
    }
}

tact_manifold tact_convex_manifold(const convex *a, const convex *b, double max_separation, tact_vec3 normal,
                                   tact_vec3 point, const tact_allocator *allocator)
{
    tact_manifold out = {.status = TACT_OK};
    tact_penetration d = {.on_a = point, .on_b = point, .normal = normal};
    if (vec_max_abs(normal) > 0.0) {
        const tact_vec3 reverse = vec_negate(normal), offset = vec_sub(a->transform.origin, b->transform.origin);
        d.depth = vec_dot(normal, vec_add(offset, vec_sub(tact_convex_support(a, normal, NULL),
                                                          tact_convex_support(b, reverse, NULL)))) +
                  a->margin + b->margin;
    }
    if (!(vec_max_abs(normal) > 0.0) || fabs(d.depth) > MANIFOLD_TOUCH * (a->bounding_radius + b->bounding_radius))
        out.status = tact_convex_penetration(a, b, allocator, &d);
    if (out.status == TACT_OK || out.status == TACT_NOT_CONVERGED)
        tact_convex_manifold_along(a, b, &d, max_separation, &out);
    return out;
}
