/*
 * The intersection of two triangles: a point, a segment or a convex polygon, with the features of both triangles that
 * its vertices are on.
 *
 * Guarantee: number and features are exact for all finite doubles; positions are rounded as math/segment_plane.h says.
 * Cost: 0.3 to 2 us. All decisions use signs of orientations of the six given vertices, never a computed point.
 *
 * - Planes that intersect in a line: each triangle covers an interval of the line. Its ends are on two edges of the
 *   triangle, or at a vertex. The orientation of two edges, one of each triangle, orders their ends along the line.
 *   Guigue and Devillers 2003 use two of these for the overlap test. Four give the whole intersection.
 * - Coplanar triangles: the vertices of the intersection are the vertices of each triangle inside the other, and the
 *   intersections of their edges. Eighteen projected orientations find them. All are extreme points, so two that are on
 *   the same edge of a triangle are neighbours, which gives the order.
 * - Triangles without area are treated as a segment or a point.
 */
#include <assert.h>

#include "exact/projection.h"
#include "exact/triangle_internal.h"
#include "math/fp_environment.h"
#include "math/segment_plane.h"
#include "math/vec.h"

/* The edge between vertices i and j. */
static triangle_feature edge_between(int i, int j)
{
    return (triangle_feature)(TRIANGLE_EDGE + ((i + 1) % 3 == j ? i : j));
}

static bool is_vertex(triangle_feature feature) { return feature < TRIANGLE_EDGE; }
static bool is_edge(triangle_feature feature) { return feature >= TRIANGLE_EDGE && feature < TRIANGLE_INTERIOR; }

static triangle_vertex_origin origin_of(triangle_feature feature_a, triangle_feature feature_b,
                                        triangle_vertex_origin otherwise)
{
    return is_vertex(feature_a)   ? TRIANGLE_ORIGIN_VERTEX_OF_A
           : is_vertex(feature_b) ? TRIANGLE_ORIGIN_VERTEX_OF_B
                                  : otherwise;
}

static triangle_vertex_features make_features(triangle_feature feature_a, triangle_feature feature_b,
                                              triangle_vertex_origin otherwise)
{
    return (triangle_vertex_features){feature_a, feature_b, (uint8_t)origin_of(feature_a, feature_b, otherwise)};
}

/* ---- planes that intersect in a line ---- */

/* A triangle split by a plane: p is alone on its side; q and r are on the other side or on the plane. Not all three are
 * on the plane. */
typedef struct plane_split {
    int p, q, r;
    int side;        /* of p: +1 or -1; if p is on the plane, opposite to q and r */
    const int *sign; /* of the vertices */
} plane_split;

static plane_split split_by_plane(const int sign[3])
{
    int above = 0, below = 0, p = 0;
    for (int i = 0; i < 3; ++i) {
        above += sign[i] > 0;
        below += sign[i] < 0;
    }
    int alone = above == 1 ? 1 : below == 1 ? -1 : 0;
    while (sign[p] != alone)
        ++p;
    int q = (p + 1) % 3;
    return (plane_split){p, q, (p + 2) % 3, alone != 0 ? alone : -sign[q], sign};
}

/* The feature at which the triangle's edge from p to x intersects the plane. */
static triangle_feature end_feature(const plane_split *s, int x)
{
    if (s->sign[s->p] == 0)
        return (triangle_feature)s->p;
    return s->sign[x] == 0 ? (triangle_feature)x : edge_between(s->p, x);
}

/* The feature that contains the points between the two ends. */
static triangle_feature inner_feature(const plane_split *s)
{
    return s->sign[s->q] == 0 && s->sign[s->r] == 0 ? edge_between(s->q, s->r) : TRIANGLE_INTERIOR;
}

static int intersect_planes(const tact_vec3 a[3], const tact_vec3 b[3], const int sign_a[3], const int sign_b[3],
                            triangle_vertex_features found[2])
{
    plane_split s = split_by_plane(sign_a), t = split_by_plane(sign_b);
    if (s.side < 0) {
        int swap = t.q;
        t.q = t.r;
        t.r = swap;
    }
    if (t.side < 0) {
        int swap = s.q;
        s.q = s.r;
        s.r = swap;
    }
    /* Along the common line, in the direction n_a x n_b, a covers the interval from its edge p r to its edge p q, and b
     * that from its edge p q to its edge p r. The sign of |a_p, a_x, b_p, b_y| is that of (b's end at y - a's end at
     * x). */
    int bq_aq = tact_orient3d(a[s.p], a[s.q], b[t.p], b[t.q]);
    if (bq_aq > 0)
        return 0;
    int br_ar = tact_orient3d(a[s.p], a[s.r], b[t.p], b[t.r]);
    if (br_ar < 0)
        return 0;
    int bq_ar = tact_orient3d(a[s.p], a[s.r], b[t.p], b[t.q]); /* compares the two starts */
    int br_aq = tact_orient3d(a[s.p], a[s.q], b[t.p], b[t.r]); /* compares the two ends */
    triangle_feature feature_a, feature_b;
    if (bq_ar >= 0)
        feature_b = end_feature(&t, t.q);
    else
        feature_b = br_ar == 0 ? end_feature(&t, t.r) : inner_feature(&t);
    if (bq_ar <= 0)
        feature_a = end_feature(&s, s.r);
    else
        feature_a = bq_aq == 0 ? end_feature(&s, s.q) : inner_feature(&s);
    bool ends_equal = bq_ar == 0 || bq_aq == 0 || br_ar == 0;
    found[0] = make_features(feature_a, feature_b,
                             ends_equal  ? TRIANGLE_ORIGIN_EDGES_CROSSING
                             : bq_ar < 0 ? TRIANGLE_ORIGIN_EDGE_OF_A
                                         : TRIANGLE_ORIGIN_EDGE_OF_B);
    if (bq_aq == 0 || br_ar == 0 || sign_a[s.p] == 0 || sign_b[t.p] == 0)
        return 1;
    /* Now both intervals and their intersection have positive length. */
    feature_a = br_aq >= 0 ? end_feature(&s, s.q) : inner_feature(&s);
    feature_b = br_aq <= 0 ? end_feature(&t, t.r) : inner_feature(&t);
    found[1] = make_features(feature_a, feature_b,
                             br_aq == 0  ? TRIANGLE_ORIGIN_EDGES_CROSSING
                             : br_aq > 0 ? TRIANGLE_ORIGIN_EDGE_OF_A
                                         : TRIANGLE_ORIGIN_EDGE_OF_B);
    if (s.side * t.side < 0) { /* one normal was reversed above */
        triangle_vertex_features swap = found[0];
        found[0] = found[1];
        found[1] = swap;
    }
    return 2;
}

/* ---- coplanar triangles ---- */

/* The feature of a triangle that a point is on, given the sides of the point to the three edges: positive is inside.
 * False if it is outside. */
static bool locate_point(const int sides[3], triangle_feature *feature)
{
    if (sides[0] < 0 || sides[1] < 0 || sides[2] < 0)
        return false;
    *feature = TRIANGLE_INTERIOR;
    for (int i = 0; i < 3; ++i)
        if (sides[i] == 0)
            *feature = (triangle_feature)(TRIANGLE_EDGE + i);
    for (int i = 0; i < 3; ++i)
        if (sides[i] == 0 && sides[(i + 2) % 3] == 0)
            *feature = (triangle_feature)i;
    return true;
}

/* The sides of a point to the edges of the triangle t with the given orientation: positive is inside. */
static void edge_sides(int axis, int orientation, const tact_vec3 t[3], tact_vec3 p, int sides[3])
{
    for (int i = 0; i < 3; ++i)
        sides[i] = orientation * projected_orient2d(axis, t[i], t[(i + 1) % 3], p);
}

static bool feature_on_edge(triangle_feature feature, int i)
{
    return feature == TRIANGLE_EDGE + i || feature == i || feature == (i + 1) % 3;
}

/* Whether vertex f comes before vertex g along edge i of a triangle, where own_f and own_g are their features of this
 * triangle. If both are intersections with edges of the other triangle, the edge enters it at the one whose edge has
 * the start of edge i on its outer side. */
static bool comes_before(int i, triangle_feature own_f, triangle_feature own_g, triangle_feature other_f,
                         const int start_side[3])
{
    if (is_vertex(own_f))
        return own_f == i;
    if (is_vertex(own_g))
        return own_g != i;
    /* f is inside edge i: an intersection with an edge of the other triangle, or a vertex of it. */
    if (is_edge(other_f))
        return start_side[other_f - TRIANGLE_EDGE] < 0;
    /* At vertex c of the other triangle, between its edges c-1 and c: edge i enters there if its start is outside one
     * of them. (If it left there instead, it would only touch the triangle.) */
    int c = other_f;
    return start_side[c] < 0 || start_side[(c + 2) % 3] < 0;
}

/* Orders the vertices of a convex polygon with the orientation of a. `orientation` is +1 if b has the same. */
static void order_polygon(triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES], int count, int orientation,
                          int sides_a[3][3], int sides_b[3][3])
{
    for (int here = 0; here + 2 < count; ++here) { /* the last vertex is then in place */
        /* The next vertex is on the same edge, in its direction. */
        int next = -1;
        for (int k = 0; k < count && next < 0; ++k) {
            if (k == here)
                continue;
            const triangle_vertex_features *f = &found[here], *g = &found[k];
            for (int i = 0; i < 3 && next < 0; ++i) {
                if (feature_on_edge(f->feature_a, i) && feature_on_edge(g->feature_a, i) &&
                    comes_before(i, f->feature_a, g->feature_a, f->feature_b, sides_a[i]))
                    next = k;
                else if (feature_on_edge(f->feature_b, i) && feature_on_edge(g->feature_b, i) &&
                         comes_before(i, f->feature_b, g->feature_b, f->feature_a, sides_b[i]) == (orientation > 0))
                    next = k;
            }
        }
        assert(next > here);
        if (next < 0)
            return;
        triangle_vertex_features swap = found[here + 1];
        found[here + 1] = found[next];
        found[next] = swap;
    }
}

static int intersect_coplanar(const tact_vec3 a[3], const tact_vec3 b[3], int axis,
                              triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES])
{
    int orientation_a = projected_orient2d(axis, a[0], a[1], a[2]),
        orientation_b = projected_orient2d(axis, b[0], b[1], b[2]);
    int sides_a[3][3], sides_b[3][3]; /* of each vertex to the edges of the other: [vertex][edge] */
    for (int i = 0; i < 3; ++i) {
        edge_sides(axis, orientation_b, b, a[i], sides_a[i]);
        edge_sides(axis, orientation_a, a, b[i], sides_b[i]);
    }
    int count = 0;
    triangle_feature feature;
    for (int i = 0; i < 3; ++i)
        if (locate_point(sides_a[i], &feature))
            found[count++] = make_features((triangle_feature)i, feature, TRIANGLE_ORIGIN_VERTEX_OF_A);
    for (int j = 0; j < 3; ++j)
        if (locate_point(sides_b[j], &feature) && !is_vertex(feature)) /* equal vertices are found already */
            found[count++] = make_features(feature, (triangle_feature)j, TRIANGLE_ORIGIN_VERTEX_OF_B);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (sides_a[i][j] * sides_a[(i + 1) % 3][j] < 0 && sides_b[j][i] * sides_b[(j + 1) % 3][i] < 0)
                found[count++] = make_features((triangle_feature)(TRIANGLE_EDGE + i),
                                               (triangle_feature)(TRIANGLE_EDGE + j), TRIANGLE_ORIGIN_EDGES_COPLANAR);
    if (count > 2)
        order_polygon(found, count, orientation_a * orientation_b, sides_a, sides_b);
    return count;
}

/* ---- triangles without area ---- */

/* A triangle without area: the segment from its vertex `low` to its vertex `high`; a point if these are equal. */
typedef struct degenerate_segment {
    int low, high;
    tact_vec3 from, to;
    triangle_feature feature; /* of the points between the ends */
} degenerate_segment;

static degenerate_segment degenerate_segment_of(const tact_vec3 t[3])
{
    int low = 0, high = 0;
    for (int i = 1; i < 3; ++i) {
        if (lexicographic_order(t[i], t[low]) < 0)
            low = i;
        if (lexicographic_order(t[i], t[high]) > 0)
            high = i;
    }
    return (degenerate_segment){low, high, t[low], t[high],
                                low != high ? edge_between(low, high) : (triangle_feature)low};
}

static int intersect_coplanar_segment(const degenerate_segment *s, const tact_vec3 b[3], int axis,
                                      triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES])
{
    int orientation = projected_orient2d(axis, b[0], b[1], b[2]);
    int from[3], to[3], of_b[3];
    edge_sides(axis, orientation, b, s->from, from);
    edge_sides(axis, orientation, b, s->to, to);
    int count = 0;
    triangle_feature feature;
    if (locate_point(from, &feature))
        found[count++] = make_features((triangle_feature)s->low, feature, TRIANGLE_ORIGIN_VERTEX_OF_A);
    if (s->low == s->high)
        return count;
    if (locate_point(to, &feature))
        found[count++] = make_features((triangle_feature)s->high, feature, TRIANGLE_ORIGIN_VERTEX_OF_A);
    for (int j = 0; j < 3; ++j) {
        of_b[j] = projected_orient2d(axis, s->from, s->to, b[j]);
        if (of_b[j] == 0 && lexicographic_order(s->from, b[j]) < 0 && lexicographic_order(b[j], s->to) < 0)
            found[count++] = make_features(s->feature, (triangle_feature)j, TRIANGLE_ORIGIN_VERTEX_OF_B);
    }
    for (int j = 0; j < 3; ++j)
        if (from[j] * to[j] < 0 && of_b[j] * of_b[(j + 1) % 3] < 0)
            found[count++] =
                make_features(s->feature, (triangle_feature)(TRIANGLE_EDGE + j), TRIANGLE_ORIGIN_EDGES_COPLANAR);
    return count;
}

/* a has no area, b has area. */
static int intersect_segment(const degenerate_segment *s, const tact_vec3 b[3],
                             triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES])
{
    int from = tact_orient3d(b[0], b[1], b[2], s->from), to = tact_orient3d(b[0], b[1], b[2], s->to);
    if (from * to > 0)
        return 0;
    int axis = projection_axis(b[0], b[1], b[2]);
    if (from == 0 && to == 0)
        return intersect_coplanar_segment(s, b, axis, found);
    int sides[3];
    triangle_feature feature;
    if (from == 0 || to == 0) {
        int end = from == 0 ? s->low : s->high;
        edge_sides(axis, projected_orient2d(axis, b[0], b[1], b[2]), b, from == 0 ? s->from : s->to, sides);
        if (!locate_point(sides, &feature))
            return 0;
        found[0] = make_features((triangle_feature)end, feature, TRIANGLE_ORIGIN_VERTEX_OF_A);
        return 1;
    }
    for (int j = 0; j < 3; ++j) /* positive inside, for the segment directed from above */
        sides[j] = from * tact_orient3d(s->to, s->from, b[j], b[(j + 1) % 3]);
    if (!locate_point(sides, &feature))
        return 0;
    found[0] = make_features(s->feature, feature, TRIANGLE_ORIGIN_EDGE_OF_A);
    return 1;
}

static int intersect_collinear(const degenerate_segment *s, const degenerate_segment *t,
                               triangle_vertex_features found[2])
{
    int start = lexicographic_order(s->from, t->from), end = lexicographic_order(s->to, t->to);
    tact_vec3 first = start >= 0 ? s->from : t->from, last = end <= 0 ? s->to : t->to;
    int order = lexicographic_order(first, last);
    if (order > 0)
        return 0;
    const tact_vec3 at[2] = {first, last};
    for (int i = 0; i < (order < 0 ? 2 : 1); ++i) {
        triangle_feature feature_s = vec_equal(at[i], s->from) ? (triangle_feature)s->low
                                     : vec_equal(at[i], s->to) ? (triangle_feature)s->high
                                                               : s->feature;
        triangle_feature feature_t = vec_equal(at[i], t->from) ? (triangle_feature)t->low
                                     : vec_equal(at[i], t->to) ? (triangle_feature)t->high
                                                               : t->feature;
        found[i] = make_features(feature_s, feature_t, TRIANGLE_ORIGIN_EDGES_COPLANAR);
    }
    return order < 0 ? 2 : 1;
}

/* An axis along which the projections of two coplanar edges, not collinear, are not collinear. */
static int edges_projection_axis(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d)
{
    int axis = projection_axis(p, q, c);
    return axis >= 0 ? axis : projection_axis(p, q, d);
}

/* Neither has area. */
static int intersect_segments(const degenerate_segment *s, const degenerate_segment *t,
                              triangle_vertex_features found[2])
{
    if (tact_collinear(s->from, s->to, t->from) && tact_collinear(s->from, s->to, t->to) &&
        tact_collinear(t->from, t->to, s->from))
        return intersect_collinear(s, t, found);
    if (s->low == s->high || t->low == t->high || tact_orient3d(s->from, s->to, t->from, t->to) != 0)
        return 0;
    int axis = edges_projection_axis(s->from, s->to, t->from, t->to);
    int from_t = projected_orient2d(axis, s->from, s->to, t->from),
        to_t = projected_orient2d(axis, s->from, s->to, t->to);
    int from_s = projected_orient2d(axis, t->from, t->to, s->from),
        to_s = projected_orient2d(axis, t->from, t->to, s->to);
    if (from_t * to_t > 0 || from_s * to_s > 0)
        return 0;
    triangle_feature feature_s = from_s == 0 ? (triangle_feature)s->low
                                 : to_s == 0 ? (triangle_feature)s->high
                                             : s->feature;
    triangle_feature feature_t = from_t == 0 ? (triangle_feature)t->low
                                 : to_t == 0 ? (triangle_feature)t->high
                                             : t->feature;
    found[0] = make_features(feature_s, feature_t, TRIANGLE_ORIGIN_EDGES_COPLANAR);
    return 1;
}

/* ---- entry points ---- */

/* Swaps the index_roles of a and b. */
static void swap_triangles(triangle_vertex_features *f)
{
    static const uint8_t other[] = {TRIANGLE_ORIGIN_VERTEX_OF_B,    TRIANGLE_ORIGIN_VERTEX_OF_A,
                                    TRIANGLE_ORIGIN_EDGE_OF_B,      TRIANGLE_ORIGIN_EDGE_OF_A,
                                    TRIANGLE_ORIGIN_EDGES_CROSSING, TRIANGLE_ORIGIN_EDGES_COPLANAR};
    *f = (triangle_vertex_features){f->feature_b, f->feature_a, other[f->origin]};
}

int tact_triangles_intersection_features(const tact_vec3 a[3], const tact_vec3 b[3],
                                         triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES])
{
    int of_a[3] = {0}, of_b[3] = {0};
    const tact_vec3 all[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    if (!share_coordinate(all, 6)) {
        for (int i = 0; i < 3; ++i)
            of_a[i] = tact_orient3d(b[0], b[1], b[2], a[i]);
        if (of_a[0] * of_a[1] > 0 && of_a[1] * of_a[2] > 0)
            return 0;
        for (int i = 0; i < 3; ++i)
            of_b[i] = tact_orient3d(a[0], a[1], a[2], b[i]);
        if (of_b[0] * of_b[1] > 0 && of_b[1] * of_b[2] > 0)
            return 0;
    }
    bool in_plane_b = of_a[0] == 0 && of_a[1] == 0 && of_a[2] == 0,
         in_plane_a = of_b[0] == 0 && of_b[1] == 0 && of_b[2] == 0;
    if (!in_plane_b && !in_plane_a)
        return intersect_planes(a, b, of_a, of_b, found);
    /* They are coplanar, or one has no area. */
    bool degenerate_a = tact_collinear(a[0], a[1], a[2]), degenerate_b = tact_collinear(b[0], b[1], b[2]);
    if (degenerate_a && degenerate_b) {
        degenerate_segment s = degenerate_segment_of(a), t = degenerate_segment_of(b);
        return intersect_segments(&s, &t, found);
    }
    if (degenerate_a) {
        degenerate_segment s = degenerate_segment_of(a);
        return intersect_segment(&s, b, found);
    }
    if (degenerate_b) {
        degenerate_segment t = degenerate_segment_of(b);
        int count = intersect_segment(&t, a, found);
        for (int i = 0; i < count; ++i)
            swap_triangles(&found[i]);
        return count;
    }
    return intersect_coplanar(a, b, projection_axis(a[0], a[1], a[2]), found);
}

/* An edge, directed from the lexicographically lower vertex to the higher. */
typedef struct directed_edge {
    tact_vec3 from, to;
} directed_edge;

static directed_edge directed_edge_of(const tact_vec3 t[3], triangle_feature feature)
{
    tact_vec3 from = t[feature % 3], to = t[(feature + 1) % 3];
    return lexicographic_order(from, to) <= 0 ? (directed_edge){from, to} : (directed_edge){to, from};
}

static int compare_edges(directed_edge e, directed_edge f)
{
    int order = lexicographic_order(e.from, f.from);
    return order != 0 ? order : lexicographic_order(e.to, f.to);
}

/* The intersection of an edge with the plane of t. The vertices of the plane are sorted too. So the point depends on
 * edge and plane alone, and faces that share the edge agree. */
static tact_vec3 edge_plane_point(directed_edge e, const tact_vec3 t[3])
{
    tact_vec3 p[3] = {t[0], t[1], t[2]};
    for (int i = 0; i < 3; ++i) {
        int k = i == 1; /* 0 1, 1 2, 0 1 */
        if (lexicographic_order(p[k], p[k + 1]) > 0) {
            tact_vec3 swap = p[k];
            p[k] = p[k + 1];
            p[k + 1] = swap;
        }
    }
    return tact_segment_plane_intersection(e.from, e.to, p[0], p[1], p[2]);
}

static tact_vec3 vertex_position(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_vertex_features *f)
{
    if (f->origin == TRIANGLE_ORIGIN_VERTEX_OF_A)
        return a[f->feature_a];
    if (f->origin == TRIANGLE_ORIGIN_VERTEX_OF_B)
        return b[f->feature_b];
    if (f->origin == TRIANGLE_ORIGIN_EDGE_OF_A)
        return edge_plane_point(directed_edge_of(a, f->feature_a), b);
    if (f->origin == TRIANGLE_ORIGIN_EDGE_OF_B)
        return edge_plane_point(directed_edge_of(b, f->feature_b), a);
    directed_edge of_a = directed_edge_of(a, f->feature_a), of_b = directed_edge_of(b, f->feature_b);
    bool a_first = compare_edges(of_a, of_b) <= 0;
    if (f->origin == TRIANGLE_ORIGIN_EDGES_CROSSING)
        return a_first ? edge_plane_point(of_a, b) : edge_plane_point(of_b, a);
    directed_edge first = a_first ? of_a : of_b, second = a_first ? of_b : of_a;
    return tact_segment_line_intersection(first.from, first.to, second.from, second.to,
                                          edges_projection_axis(first.from, first.to, second.from, second.to));
}

static TACT_NOINLINE int intersection_exact(const tact_vec3 a[3], const tact_vec3 b[3], triangle_intersection *result)
{
    triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES];
    for (int i = 0; i < 3; ++i)
        if (!vec_finite(a[i]) || !vec_finite(b[i]))
            return 0;
    int count = tact_triangles_intersection_features(a, b, found);
    for (int i = 0; i < count; ++i)
        result->vertices[i] =
            (triangle_intersection_vertex){vertex_position(a, b, &found[i]), found[i].feature_a, found[i].feature_b};
    return count;
}

int tact_triangles_intersection(const tact_vec3 a[3], const tact_vec3 b[3], triangle_intersection *result)
{
    fp_environment saved = fp_environment_enter();
    result->count = intersection_exact(a, b, result);
    fp_environment_leave(saved);
    return result->count;
}
