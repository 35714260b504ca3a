/*
 * What two triangles have in common: a point, a segment, a convex polygon, told by the parts of the triangles that make
 * it.
 *
 * Guarantee: which parts, exactly, for all finite doubles; positions as math/segment_plane.h rounds them. Cost: 0.3 to
 * 2 us. Everything follows from signs of orientations of the six corners; no constructed point is ever asked about.
 *  - The planes cross in a line: each triangle has an interval of it, whose ends are on two edges of the triangle (or
 *    at a corner); the sign of an orientation of two edges, one of each, orders their ends along the line (Guigue and
 *    Devillers, 2003, who need two of these orders; four give the whole intersection).
 *  - One plane: the corners of the common polygon are the corners of each that are in the other and the crossings of an
 *    edge of each; eighteen turns of shadows say which. All of them are extreme, so two are neighbours when they are on
 *    the same edge of a triangle, and the order is a walk.
 *  - No area: a triangle that is a segment or a point is treated as one.
 */
#include <assert.h>

#include "exact/projection.h"
#include "exact/triangle_internal.h"
#include "math/fp_environment.h"
#include "math/segment_plane.h"
#include "math/vec.h"

/* The edge between two corners, and the corners of an edge. */
static triangle_feature edge_between(int i, int j)
{
    return (triangle_feature)(TRIANGLE_EDGE + ((i + 1) % 3 == j ? i : j));
}

static bool is_corner(triangle_feature part) { return part < TRIANGLE_EDGE; }
static bool is_edge(triangle_feature part) { return part >= TRIANGLE_EDGE && part < TRIANGLE_INTERIOR; }

static triangle_vertex_origin way_of(triangle_feature on_a, triangle_feature on_b, triangle_vertex_origin otherwise)
{
    return is_corner(on_a) ? TRIANGLE_ORIGIN_VERTEX_OF_A : is_corner(on_b) ? TRIANGLE_ORIGIN_VERTEX_OF_B : otherwise;
}

static triangle_vertex_features found_at(triangle_feature on_a, triangle_feature on_b, triangle_vertex_origin otherwise)
{
    return (triangle_vertex_features){on_a, on_b, (uint8_t)way_of(on_a, on_b, otherwise)};
}

/* ---- planes that cross ---- */

/* A triangle cut by a plane: p is alone on its side, q and r are on the other or on the plane, and not all three are
 * on it. */
typedef struct split {
    int p, q, r;
    int side;        /* of p, or against that of q and r when p is on the plane: +1 or -1 */
    const int *sign; /* of the corners */
} split;

static split split_by(const int sign[3])
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
    return (split){p, q, (p + 2) % 3, alone != 0 ? alone : -sign[q], sign};
}

/* The part on which the triangle's edge from p to x crosses the plane. */
static triangle_feature end_part(const split *s, int x)
{
    if (s->sign[s->p] == 0)
        return (triangle_feature)s->p;
    return s->sign[x] == 0 ? (triangle_feature)x : edge_between(s->p, x);
}

/* The part on which the points between the two ends are. */
static triangle_feature middle_part(const split *s)
{
    return s->sign[s->q] == 0 && s->sign[s->r] == 0 ? edge_between(s->q, s->r) : TRIANGLE_INTERIOR;
}

static int find_crossing(const tact_vec3 a[3], const tact_vec3 b[3], const int sign_a[3], const int sign_b[3],
                         triangle_vertex_features found[2])
{
    split s = split_by(sign_a), t = split_by(sign_b);
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
    /* Along the line of the planes, in the direction of n_a x n_b, a has what is between its edges p r and p q, in
     * this order, and b what is between its edges p q and p r. The sign of |a_p, a_x, b_p, b_y| is that of (b's end
     * at y - a's end at x). */
    int bq_aq = tact_orient3d(a[s.p], a[s.q], b[t.p], b[t.q]);
    if (bq_aq > 0)
        return 0;
    int br_ar = tact_orient3d(a[s.p], a[s.r], b[t.p], b[t.r]);
    if (br_ar < 0)
        return 0;
    int bq_ar = tact_orient3d(a[s.p], a[s.r], b[t.p], b[t.q]); /* the two beginnings */
    int br_aq = tact_orient3d(a[s.p], a[s.q], b[t.p], b[t.r]); /* the two endings */
    triangle_feature on_a, on_b;
    if (bq_ar >= 0)
        on_b = end_part(&t, t.q);
    else
        on_b = br_ar == 0 ? end_part(&t, t.r) : middle_part(&t);
    if (bq_ar <= 0)
        on_a = end_part(&s, s.r);
    else
        on_a = bq_aq == 0 ? end_part(&s, s.q) : middle_part(&s);
    bool ends_meet = bq_ar == 0 || bq_aq == 0 || br_ar == 0;
    found[0] = found_at(on_a, on_b,
                        ends_meet   ? TRIANGLE_ORIGIN_EDGES_CROSSING
                        : bq_ar < 0 ? TRIANGLE_ORIGIN_EDGE_OF_A
                                    : TRIANGLE_ORIGIN_EDGE_OF_B);
    if (bq_aq == 0 || br_ar == 0 || sign_a[s.p] == 0 || sign_b[t.p] == 0)
        return 1;
    /* now a's and b's intervals have a length, and so has what they have in common */
    on_a = br_aq >= 0 ? end_part(&s, s.q) : middle_part(&s);
    on_b = br_aq <= 0 ? end_part(&t, t.r) : middle_part(&t);
    found[1] = found_at(on_a, on_b,
                        br_aq == 0  ? TRIANGLE_ORIGIN_EDGES_CROSSING
                        : br_aq > 0 ? TRIANGLE_ORIGIN_EDGE_OF_A
                                    : TRIANGLE_ORIGIN_EDGE_OF_B);
    if (s.side * t.side < 0) { /* one of the normals was turned around above */
        triangle_vertex_features swap = found[0];
        found[0] = found[1];
        found[1] = swap;
    }
    return 2;
}

/* ---- in one plane ---- */

/* Where a point is in a triangle, from the three sides[i] of it to the edges: positive inside. False if outside. */
static bool locate(const int sides[3], triangle_feature *part)
{
    if (sides[0] < 0 || sides[1] < 0 || sides[2] < 0)
        return false;
    *part = TRIANGLE_INTERIOR;
    for (int i = 0; i < 3; ++i)
        if (sides[i] == 0)
            *part = (triangle_feature)(TRIANGLE_EDGE + i);
    for (int i = 0; i < 3; ++i)
        if (sides[i] == 0 && sides[(i + 2) % 3] == 0)
            *part = (triangle_feature)i;
    return true;
}

/* The sides of a point to the edges of the triangle t, which turns `turn`: positive inside. */
static void sides_to_edges(int axis, int turn, const tact_vec3 t[3], tact_vec3 p, int sides[3])
{
    for (int i = 0; i < 3; ++i)
        sides[i] = turn * projected_orient2d(axis, t[i], t[(i + 1) % 3], p);
}

static bool part_on_edge(triangle_feature part, int edge)
{
    return part == TRIANGLE_EDGE + edge || part == edge || part == (edge + 1) % 3;
}

/* Whether f comes before g along edge i of the triangle on which both are: `own` are their parts there. Two
 * crossings with edges of the other one: the edge has its beginning outside the one where it enters. */
static bool comes_first(int i, triangle_feature own_f, triangle_feature own_g, triangle_feature other_f,
                        const int side_of_beginning[3])
{
    if (is_corner(own_f))
        return own_f == i;
    if (is_corner(own_g))
        return own_g != i;
    /* f is a crossing or a corner of the other one in the middle of the edge */
    if (is_edge(other_f))
        return side_of_beginning[other_f - TRIANGLE_EDGE] < 0;
    /* At corner c of the other one, between its edges c-1 and c: the edge enters there when its beginning is outside
     * one of them (it is not inside one and outside the other and yet leaving: then it would only touch). */
    int c = other_f;
    return side_of_beginning[c] < 0 || side_of_beginning[(c + 2) % 3] < 0;
}

/* Puts the corners of a convex polygon in the order of a's corners. `turn` is +1 when b turns as a does. */
static void put_in_order(triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES], int count, int turn,
                         int b_sees_a[3][3], int a_sees_b[3][3])
{
    for (int here = 0; here + 2 < count; ++here) { /* the last one is where it must be */
        /* the next one: on the same edge, in its direction */
        int next = -1;
        for (int k = 0; k < count && next < 0; ++k) {
            if (k == here)
                continue;
            const triangle_vertex_features *f = &found[here], *g = &found[k];
            for (int i = 0; i < 3 && next < 0; ++i) {
                if (part_on_edge(f->feature_a, i) && part_on_edge(g->feature_a, i) &&
                    comes_first(i, f->feature_a, g->feature_a, f->feature_b, b_sees_a[i]))
                    next = k;
                else if (part_on_edge(f->feature_b, i) && part_on_edge(g->feature_b, i) &&
                         comes_first(i, f->feature_b, g->feature_b, f->feature_a, a_sees_b[i]) == (turn > 0))
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

static int find_in_plane(const tact_vec3 a[3], const tact_vec3 b[3], int axis,
                         triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES])
{
    int turn_a = projected_orient2d(axis, a[0], a[1], a[2]), turn_b = projected_orient2d(axis, b[0], b[1], b[2]);
    int b_sees_a[3][3], a_sees_b[3][3]; /* the sides of each corner to the edges of the other: [corner][edge] */
    for (int i = 0; i < 3; ++i) {
        sides_to_edges(axis, turn_b, b, a[i], b_sees_a[i]);
        sides_to_edges(axis, turn_a, a, b[i], a_sees_b[i]);
    }
    int count = 0;
    triangle_feature part;
    for (int i = 0; i < 3; ++i)
        if (locate(b_sees_a[i], &part))
            found[count++] = found_at((triangle_feature)i, part, TRIANGLE_ORIGIN_VERTEX_OF_A);
    for (int j = 0; j < 3; ++j)
        if (locate(a_sees_b[j], &part) && !is_corner(part)) /* two corners in one place have been found */
            found[count++] = found_at(part, (triangle_feature)j, TRIANGLE_ORIGIN_VERTEX_OF_B);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (b_sees_a[i][j] * b_sees_a[(i + 1) % 3][j] < 0 && a_sees_b[j][i] * a_sees_b[(j + 1) % 3][i] < 0)
                found[count++] = found_at((triangle_feature)(TRIANGLE_EDGE + i), (triangle_feature)(TRIANGLE_EDGE + j),
                                          TRIANGLE_ORIGIN_EDGES_COPLANAR);
    if (count > 2)
        put_in_order(found, count, turn_a * turn_b, b_sees_a, a_sees_b);
    return count;
}

/* ---- without area ---- */

/* A triangle without area: the segment from its corner `low` to its corner `high`; a point when these are equal. */
typedef struct span {
    int low, high;
    tact_vec3 from, to;
    triangle_feature part; /* of the points in between */
} span;

static span span_of(const tact_vec3 t[3])
{
    int low = 0, high = 0;
    for (int i = 1; i < 3; ++i) {
        if (lexicographic_order(t[i], t[low]) < 0)
            low = i;
        if (lexicographic_order(t[i], t[high]) > 0)
            high = i;
    }
    return (span){low, high, t[low], t[high], low != high ? edge_between(low, high) : (triangle_feature)low};
}

static int find_segment_in_plane(const span *s, const tact_vec3 b[3], int axis,
                                 triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES])
{
    int turn = projected_orient2d(axis, b[0], b[1], b[2]);
    int from[3], to[3], of_b[3];
    sides_to_edges(axis, turn, b, s->from, from);
    sides_to_edges(axis, turn, b, s->to, to);
    int count = 0;
    triangle_feature part;
    if (locate(from, &part))
        found[count++] = found_at((triangle_feature)s->low, part, TRIANGLE_ORIGIN_VERTEX_OF_A);
    if (s->low == s->high)
        return count;
    if (locate(to, &part))
        found[count++] = found_at((triangle_feature)s->high, part, TRIANGLE_ORIGIN_VERTEX_OF_A);
    for (int j = 0; j < 3; ++j) {
        of_b[j] = projected_orient2d(axis, s->from, s->to, b[j]);
        if (of_b[j] == 0 && lexicographic_order(s->from, b[j]) < 0 && lexicographic_order(b[j], s->to) < 0)
            found[count++] = found_at(s->part, (triangle_feature)j, TRIANGLE_ORIGIN_VERTEX_OF_B);
    }
    for (int j = 0; j < 3; ++j)
        if (from[j] * to[j] < 0 && of_b[j] * of_b[(j + 1) % 3] < 0)
            found[count++] = found_at(s->part, (triangle_feature)(TRIANGLE_EDGE + j), TRIANGLE_ORIGIN_EDGES_COPLANAR);
    return count;
}

/* a has no area, b has. */
static int find_segment(const span *s, const tact_vec3 b[3],
                        triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES])
{
    int from = tact_orient3d(b[0], b[1], b[2], s->from), to = tact_orient3d(b[0], b[1], b[2], s->to);
    if (from * to > 0)
        return 0;
    int axis = projection_axis(b[0], b[1], b[2]);
    if (from == 0 && to == 0)
        return find_segment_in_plane(s, b, axis, found);
    int sides[3];
    triangle_feature part;
    if (from == 0 || to == 0) {
        int end = from == 0 ? s->low : s->high;
        sides_to_edges(axis, projected_orient2d(axis, b[0], b[1], b[2]), b, from == 0 ? s->from : s->to, sides);
        if (!locate(sides, &part))
            return 0;
        found[0] = found_at((triangle_feature)end, part, TRIANGLE_ORIGIN_VERTEX_OF_A);
        return 1;
    }
    for (int j = 0; j < 3; ++j) /* seen along the segment from above, b turns to the left around what is inside */
        sides[j] = from * tact_orient3d(s->to, s->from, b[j], b[(j + 1) % 3]);
    if (!locate(sides, &part))
        return 0;
    found[0] = found_at(s->part, part, TRIANGLE_ORIGIN_EDGE_OF_A);
    return 1;
}

static int find_on_line(const span *s, const span *t, triangle_vertex_features found[2])
{
    int begin = lexicographic_order(s->from, t->from), end = lexicographic_order(s->to, t->to);
    tact_vec3 first = begin >= 0 ? s->from : t->from, last = end <= 0 ? s->to : t->to;
    int order = lexicographic_order(first, last);
    if (order > 0)
        return 0;
    const tact_vec3 at[2] = {first, last};
    for (int i = 0; i < (order < 0 ? 2 : 1); ++i) {
        triangle_feature on_s = vec_equal(at[i], s->from) ? (triangle_feature)s->low
                                : vec_equal(at[i], s->to) ? (triangle_feature)s->high
                                                          : s->part;
        triangle_feature on_t = vec_equal(at[i], t->from) ? (triangle_feature)t->low
                                : vec_equal(at[i], t->to) ? (triangle_feature)t->high
                                                          : t->part;
        found[i] = found_at(on_s, on_t, TRIANGLE_ORIGIN_EDGES_COPLANAR);
    }
    return order < 0 ? 2 : 1;
}

/* An axis along which two edges in one plane, not on one line, have shadows not on one line. */
static int axis_of_edges(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d)
{
    int axis = projection_axis(p, q, c);
    return axis >= 0 ? axis : projection_axis(p, q, d);
}

/* Neither has area. */
static int find_two_segments(const span *s, const span *t, triangle_vertex_features found[2])
{
    if (tact_collinear(s->from, s->to, t->from) && tact_collinear(s->from, s->to, t->to) &&
        tact_collinear(t->from, t->to, s->from))
        return find_on_line(s, t, found);
    if (s->low == s->high || t->low == t->high || tact_orient3d(s->from, s->to, t->from, t->to) != 0)
        return 0;
    int axis = axis_of_edges(s->from, s->to, t->from, t->to);
    int from_t = projected_orient2d(axis, s->from, s->to, t->from),
        to_t = projected_orient2d(axis, s->from, s->to, t->to);
    int from_s = projected_orient2d(axis, t->from, t->to, s->from),
        to_s = projected_orient2d(axis, t->from, t->to, s->to);
    if (from_t * to_t > 0 || from_s * to_s > 0)
        return 0;
    triangle_feature on_s = from_s == 0 ? (triangle_feature)s->low : to_s == 0 ? (triangle_feature)s->high : s->part;
    triangle_feature on_t = from_t == 0 ? (triangle_feature)t->low : to_t == 0 ? (triangle_feature)t->high : t->part;
    found[0] = found_at(on_s, on_t, TRIANGLE_ORIGIN_EDGES_COPLANAR);
    return 1;
}

/* ---- all of it ---- */

/* What was found with the triangles in each other's place. */
static void change_places(triangle_vertex_features *f)
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
    bool level_a = of_a[0] == 0 && of_a[1] == 0 && of_a[2] == 0, level_b = of_b[0] == 0 && of_b[1] == 0 && of_b[2] == 0;
    if (!level_a && !level_b)
        return find_crossing(a, b, of_a, of_b, found);
    /* In one plane, or one has no area: a triangle with area sees the other level only if it is in its plane. */
    bool thin_a = tact_collinear(a[0], a[1], a[2]), thin_b = tact_collinear(b[0], b[1], b[2]);
    if (thin_a && thin_b) {
        span s = span_of(a), t = span_of(b);
        return find_two_segments(&s, &t, found);
    }
    if (thin_a) {
        span s = span_of(a);
        return find_segment(&s, b, found);
    }
    if (thin_b) {
        span t = span_of(b);
        int count = find_segment(&t, a, found);
        for (int i = 0; i < count; ++i)
            change_places(&found[i]);
        return count;
    }
    return find_in_plane(a, b, projection_axis(a[0], a[1], a[2]), found);
}

/* An edge from its lower end to its higher. */
typedef struct edge {
    tact_vec3 from, to;
} edge;

static edge edge_of(const tact_vec3 t[3], triangle_feature part)
{
    tact_vec3 from = t[part % 3], to = t[(part + 1) % 3];
    return lexicographic_order(from, to) <= 0 ? (edge){from, to} : (edge){to, from};
}

static int edge_order(edge e, edge f)
{
    int order = lexicographic_order(e.from, f.from);
    return order != 0 ? order : lexicographic_order(e.to, f.to);
}

/* The corners of the plane are taken in order too: a point depends on edge and plane alone, not on whose edge it is or
 * how it runs, so that faces that share the edge agree. */
static tact_vec3 through_plane(edge e, const tact_vec3 t[3])
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

static tact_vec3 position(const tact_vec3 a[3], const tact_vec3 b[3], const triangle_vertex_features *f)
{
    if (f->origin == TRIANGLE_ORIGIN_VERTEX_OF_A)
        return a[f->feature_a];
    if (f->origin == TRIANGLE_ORIGIN_VERTEX_OF_B)
        return b[f->feature_b];
    if (f->origin == TRIANGLE_ORIGIN_EDGE_OF_A)
        return through_plane(edge_of(a, f->feature_a), b);
    if (f->origin == TRIANGLE_ORIGIN_EDGE_OF_B)
        return through_plane(edge_of(b, f->feature_b), a);
    edge of_a = edge_of(a, f->feature_a), of_b = edge_of(b, f->feature_b);
    bool a_first = edge_order(of_a, of_b) <= 0;
    if (f->origin == TRIANGLE_ORIGIN_EDGES_CROSSING)
        return a_first ? through_plane(of_a, b) : through_plane(of_b, a);
    edge first = a_first ? of_a : of_b, second = a_first ? of_b : of_a;
    return tact_segment_line_intersection(first.from, first.to, second.from, second.to,
                                          axis_of_edges(first.from, first.to, second.from, second.to));
}

static TACT_NOINLINE int cut_exactly(const tact_vec3 a[3], const tact_vec3 b[3], triangle_intersection *cut)
{
    triangle_vertex_features found[TRIANGLE_INTERSECTION_VERTICES];
    for (int i = 0; i < 3; ++i)
        if (!vec_finite(a[i]) || !vec_finite(b[i]))
            return 0;
    int count = tact_triangles_intersection_features(a, b, found);
    for (int i = 0; i < count; ++i)
        cut->vertices[i] =
            (triangle_intersection_vertex){position(a, b, &found[i]), found[i].feature_a, found[i].feature_b};
    return count;
}

int tact_triangles_intersection(const tact_vec3 a[3], const tact_vec3 b[3], triangle_intersection *cut)
{
    fp_environment before = fp_environment_enter();
    cut->count = cut_exactly(a, b, cut);
    fp_environment_leave(before);
    return cut->count;
}
