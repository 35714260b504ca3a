/*
 * Where two things touch and across what: weights and normal at the bracket of a contact.
 *
 * Guarantee: weights in [0, 1], those of A and of B summing up to 1; the two places that they give agree to within some
 * roundings of the coordinates and what the points can move within the bracket; a normal of unit length. No NaN, no
 * overflow, whatever the coordinates.
 *
 * Doubles come first, at the middle of the bracket, and check themselves: the weights must make the two places agree,
 * and the normal must be far above its error. Otherwise (coordinates huge or tiny, slivers, edges all but parallel) the
 * differences of the points, the areas and the normal are taken from the integers at that time, without rounding but
 * for the last, and of these the best is chosen: the weights of the areas, or of the point nearest to a corner on its
 * edge. At a time within the bracket face and vertex (edges) are no farther apart than they move within it, and the
 * nearest points are of one of these kinds.
 *
 * The normal n turns the way A moves against B. At the contact that is the sign of the slope of the volume
 * (ccd_flight.h), f = -n . (A - B) for vertex and face, n . (A - B) for edges, whatever the weights; it is asked for
 * when doubles leave it open.
 *
 * Cost: 60 to 100 ns in doubles, a few microseconds in integers.
 */
#include "ccd/ccd_polynomials.h"
#include "ccd/feature_ccd.h"
#include "math/vec.h"

/* The error of a difference of two moving points at a time, in doubles, in parts of the largest coordinate M that is
 * met: with u = 2^-53, differences of points at the beginning 2 u, at the end or of velocities 2 u each, between those
 * 4 u, times t 4 u, sum 6 u: 20 u and terms of higher order. */
#define DIFFERENCE_ERROR 0x1p-48
#define LEAST_COORDINATE 0x1p-300 /* of M, for doubles to be trusted: no product that matters vanishes */
#define PLACES_AGREE 4.0          /* errors of a difference by which the two places may differ */
#define NORMAL_CERTAIN 0x1p26     /* times its error that a normal must have: it is then right to 8 digits */
#define SIGN_CERTAIN                                                                                                   \
    0x1p-20 /* part of the speeds that the approach must have, for its sign to be taken from doubles                   \
             */
/* And if the speeds come from integers: twice the roundings of the approach, of which there are 30 of 2^-53 at most. */
#define SIGN_ROUNDING 0x1p-47

/* Three differences x1 - x0, x2 - x0, x3 - x0, in some unit. */
typedef struct frame {
    tact_vec3 d[3];
} frame;

static double between(double x) { return x > 0.0 ? x < 1.0 ? x : 1.0 : 0.0; /* 0 for NaN */ }

/* Not negative, and their sum 1, given that at least one is positive. */
static void scale_weights(double w[3])
{
    double sum = 0.0;
    int most = 0;
    for (int i = 0; i < 3; ++i) {
        w[i] = w[i] > 0.0 ? w[i] : 0.0;
        sum += w[i];
        most = w[i] > w[most] ? i : most;
    }
    if (!(sum > 0.0))
        w[most = 0] = sum = 1.0;
    double others = 0.0;
    for (int i = 0; i < 3; ++i)
        if (i != most)
            others += w[i] /= sum;
    w[most] = 1.0 - others;
}

/* The place on A less that on B. */
static tact_vec3 gap(tact_ccd_kind kind, const frame *at, const double weights[4])
{
    tact_vec3 a = vec_scale(at->d[0], weights[1]), b = vec_scale(at->d[1], weights[2]),
              c = vec_scale(at->d[2], weights[3]);
    tact_vec3 others = vec_add(b, c);
    return kind == TACT_VERTEX_FACE ? vec_negate(vec_add(a, others)) : vec_sub(a, others);
}

/* The normal, not scaled: across the face, or the two edges. */
static tact_vec3 cross_normal(tact_ccd_kind kind, const frame *at, double *sides)
{
    bool face = kind == TACT_VERTEX_FACE;
    tact_vec3 u = face ? vec_sub(at->d[1], at->d[0]) : at->d[0];
    tact_vec3 v = face ? vec_sub(at->d[2], at->d[0]) : vec_sub(at->d[2], at->d[1]);
    *sides = vec_max_abs(u) + vec_max_abs(v);
    return vec_cross(u, v);
}

/* A component of u x v. */
static double cross_along(tact_vec3 u, tact_vec3 v, int axis)
{
    return axis == 0 ? u.y * v.z - u.z * v.y : axis == 1 ? u.z * v.x - u.x * v.z : u.x * v.y - u.y * v.x;
}

static int largest_axis(tact_vec3 v)
{
    double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* The weights from the areas of the corners in projection. */
static void area_weights(tact_ccd_kind kind, const double area[4], double weights[4])
{
    if (kind == TACT_VERTEX_FACE) {
        double sum = area[0] + area[1] + area[2];
        double w[3] = {area[0] / sum, area[1] / sum, area[2] / sum};
        scale_weights(w);
        weights[0] = 1.0;
        for (int i = 0; i < 3; ++i)
            weights[1 + i] = w[i];
    } else {
        double s = between(area[0] / (area[0] - area[1])), u = between(area[2] / (area[2] - area[3]));
        weights[0] = 1.0 - s;
        weights[1] = s;
        weights[2] = 1.0 - u;
        weights[3] = u;
    }
}

/* Turns the normal the way A moves; false if that is no faster than `least`. */
static bool turn_normal(tact_ccd_kind kind, const frame *speeds, double least, const double weights[4],
                        tact_vec3 *normal)
{
    double approach = vec_dot(gap(kind, speeds, weights), *normal);
    if (!(fabs(approach) > least))
        return false;
    if (approach < 0.0)
        *normal = vec_negate(*normal);
    return true;
}

static double largest_of(const frame *f)
{
    return max_double(max_double(vec_max_abs(f->d[0]), vec_max_abs(f->d[1])), vec_max_abs(f->d[2]));
}

/* In doubles; false if they do not do. (What overflows makes a NaN of the normal or of the gap, and no comparison
 * holds.) */
static bool describe_in_doubles(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                const tact_ccd_def *def, double time, tact_ccd *answer)
{
    frame at, speeds;
    double most = 0.0, fastest = 0.0, speed = 0.0;
    for (int i = 0; i < 4; ++i) {
        most = max_double(most, vec_max_abs(start[i]));
        fastest = max_double(fastest, vec_max_abs(end[i]));
    }
    most = def->velocities ? most + time * fastest : max_double(most, fastest);
    if (!(most >= LEAST_COORDINATE))
        return false;
    for (int i = 0; i < 3; ++i) {
        tact_vec3 from = vec_sub(start[i + 1], start[0]);
        speeds.d[i] = def->velocities ? vec_sub(end[i + 1], end[0])
                                      : vec_sub(vec_sub(end[i + 1], start[i + 1]), vec_sub(end[0], start[0]));
        at.d[i] = vec_mul_add(from, time, speeds.d[i]);
    }
    speed = largest_of(&speeds);
    double error = DIFFERENCE_ERROR * most, sides;
    tact_vec3 normal = cross_normal(kind, &at, &sides);
    if (!(vec_max_abs(normal) > NORMAL_CERTAIN * 4.0 * error * sides))
        return false;
    int axis = largest_axis(normal);
    tact_vec3 d[5] = {at.d[0], at.d[1], at.d[2], vec_sub(at.d[1], at.d[0]), vec_sub(at.d[2], at.d[0])};
    double area[4];
    for (int i = 0; i < 4; ++i) {
        const int *pair = tact_ccd_spanned[kind == TACT_EDGE_EDGE][i];
        area[i] = cross_along(d[pair[0]], d[pair[1]], axis);
    }
    area_weights(kind, area, answer->weights);
    double allowed = PLACES_AGREE * error + 2.0 * speed * (answer->upper - answer->lower);
    if (!(vec_max_abs(gap(kind, &at, answer->weights)) <= allowed))
        return false;
    answer->normal = vec_normalize(normal);
    /* each of three speeds is off by the error of a difference along each axis */
    double least = SIGN_CERTAIN * speed + 8.0 * DIFFERENCE_ERROR * max_double(most, fastest);
    return turn_normal(kind, &speeds, least, answer->weights, &answer->normal);
}

/* Three wide numbers, each with a power of two, as doubles in a unit that makes the largest about 1. */
static void scale_down(const wide numbers[], const int exponents[], int count, double scaled[])
{
    int largest = INT32_MIN;
    for (int i = 0; i < count; ++i) {
        int size = tact_wide_bit_length(numbers[i]) + exponents[i];
        if (numbers[i].sign != 0 && size > largest)
            largest = size;
    }
    for (int i = 0; i < count; ++i)
        scaled[i] = numbers[i].sign == 0 ? 0.0 : tact_wide_to_double(numbers[i], largest - exponents[i]);
}

/* What is on the workspace at a time: differences of points; areas, normal. */
typedef struct scene {
    ccd_flight flight;
    frame at, speeds;
    double area[4];   /* along the axis where the normal is largest */
    tact_vec3 normal; /* in any unit; zero if there is none */
} scene;

/* A frame of nine numbers, each with a power of two beside that of its axis. */
static frame frame_of(const scene *s, const wide numbers[9], int exponents[9])
{
    double scaled[9];
    frame f;
    for (int i = 0; i < 9; ++i)
        exponents[i] += s->flight.exponent[i % 3];
    scale_down(numbers, exponents, 9, scaled);
    for (int i = 0; i < 3; ++i)
        f.d[i] = vec_make(scaled[3 * i], scaled[3 * i + 1], scaled[3 * i + 2]);
    return f;
}

static void place_frames(scene *s, double time)
{
    wide_workspace *workspace = s->flight.workspace;
    wide at[9], speeds[9];
    int exponents[9], none[9] = {0}, mark = workspace->used;
    const wide nothing = {NULL, 0, 0};
    for (int i = 0; i < 9; ++i) {
        const wide *step = s->flight.step[i / 3][i % 3];
        poly line = poly_make((wide[]){step[0], step[1], nothing, nothing});
        at[i] = tact_poly_value(workspace, &line, time, &exponents[i]);
        speeds[i] = step[1];
    }
    s->at = frame_of(s, at, exponents);
    s->speeds = frame_of(s, speeds, none);
    workspace->used = mark;
}

/* The normal of the areas at hand: their sum, or the difference of those of the first two. */
static wide sum_areas(scene *s, wide a, wide b, wide c)
{
    wide_workspace *workspace = s->flight.workspace;
    if (s->flight.kind == TACT_EDGE_EDGE)
        return wide_sub(workspace, a, b);
    return tact_wide_add(workspace, tact_wide_add(workspace, a, b), c);
}

/* The exponent of the unit of an area in projection along an axis. */
static int area_exponent(const scene *s, int axis)
{
    return s->flight.exponent[(axis + 1) % 3] + s->flight.exponent[(axis + 2) % 3];
}

/* The values of the areas at a time; all with the same power of two, as quadratics whatever their degree. */
static wide area_value(scene *s, int corner, int axis, double time, int *exponent)
{
    poly area = *tact_ccd_flight_area(&s->flight, corner, axis);
    area.degree = 2;
    return tact_poly_value(s->flight.workspace, &area, time, exponent);
}

/* The normal at a time; false if it is zero. Also the areas along its largest axis. */
static bool place_normal(scene *s, double time)
{
    wide_workspace *workspace = s->flight.workspace;
    int mark = workspace->used, exponents[4];
    wide normal[3];
    double n[3];
    for (int axis = 0; axis < 3; ++axis) {
        wide a = area_value(s, 0, axis, time, &exponents[axis]), b = area_value(s, 1, axis, time, &exponents[axis]);
        wide c = area_value(s, 2, axis, time, &exponents[axis]);
        exponents[axis] += area_exponent(s, axis);
        normal[axis] = sum_areas(s, a, b, c);
    }
    scale_down(normal, exponents, 3, n);
    s->normal = vec_make(n[0], n[1], n[2]);
    if (n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0) {
        workspace->used = mark;
        return false;
    }
    int axis = largest_axis(s->normal);
    wide areas[4];
    for (int i = 0; i < s->flight.corners; ++i)
        areas[i] = area_value(s, i, axis, time, &exponents[i]);
    scale_down(areas, exponents, s->flight.corners, s->area);
    workspace->used = mark;
    return true;
}

/* The normal between two times at both of which it is zero: its components have the same two roots. */
static void place_normal_between(scene *s)
{
    wide_workspace *workspace = s->flight.workspace;
    int mark = workspace->used, exponents[3];
    wide normal[3];
    double n[3];
    for (int axis = 0; axis < 3; ++axis) {
        const poly *a = tact_ccd_flight_area(&s->flight, 0, axis), *b = tact_ccd_flight_area(&s->flight, 1, axis);
        const poly *c = tact_ccd_flight_area(&s->flight, 2, axis);
        exponents[axis] = area_exponent(s, axis);
        normal[axis] = sum_areas(s, a->c[2], b->c[2], c->c[2]);
    }
    scale_down(normal, exponents, 3, n);
    s->normal = vec_make(n[0], n[1], n[2]);
    workspace->used = mark;
}

static void consider(const scene *s, const double weights[4], double *least, double best[4])
{
    double size = vec_length_safe(gap(s->flight.kind, &s->at, weights));
    if (size < *least) {
        *least = size;
        memcpy(best, weights, 4 * sizeof *best);
    }
}

/* The weights with the least gap, among those of the areas and of the points nearest to a corner on its edge. */
static void choose_weights(scene *s, bool areas, double best[4])
{
    /* corner, ends of its edge */
    static const int parts[2][4][3] = {{{0, 2, 3}, {0, 3, 1}, {0, 1, 2}, {0, 0, 0}},
                                       {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};
    double least = INFINITY, weights[4];
    if (areas) {
        area_weights(s->flight.kind, s->area, weights);
        consider(s, weights, &least, best);
    }
    const tact_vec3 x[4] = {{0.0, 0.0, 0.0}, s->at.d[0], s->at.d[1], s->at.d[2]};
    for (int i = 0; i < s->flight.corners; ++i) {
        const int *part = parts[s->flight.kind == TACT_EDGE_EDGE][i];
        tact_vec3 along = vec_sub(x[part[2]], x[part[1]]);
        double far = vec_length_safe(along);
        double part_of =
            far > 0.0 ? between(vec_dot(vec_sub(x[part[0]], x[part[1]]), vec_normalize(along)) / far) : 0.0;
        for (int j = 0; j < 4; ++j)
            weights[j] = j == part[0] ? 1.0 : j == part[1] ? 1.0 - part_of : j == part[2] ? part_of : 0.0;
        consider(s, weights, &least, best);
    }
}

static void describe_in_integers(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                 const tact_ccd_def *def, double time, tact_ccd *answer)
{
    uint64_t words[CCD_DESK_WORDS];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    scene s;
    tact_ccd_flight_begin(&s.flight, &workspace, kind, start, end, def->velocities);
    for (int i = 0; i < s.flight.corners; ++i) /* before any mark is set on the workspace: they are kept */
        for (int axis = 0; axis < 3; ++axis)
            (void)tact_ccd_flight_area(&s.flight, i, axis);
    place_frames(&s, time);
    bool areas = !answer->degenerate && place_normal(&s, time);
    choose_weights(&s, areas, answer->weights);
    if (answer->degenerate)
        return;
    if (!areas && !place_normal(&s, answer->lower) && !place_normal(&s, answer->upper))
        place_normal_between(&s);
    answer->normal = vec_normalize(s.normal);
    if (turn_normal(kind, &s.speeds, SIGN_ROUNDING * largest_of(&s.speeds), answer->weights, &answer->normal))
        return;
    int sign = tact_ccd_flight_slope(&s.flight, time);
    if ((kind == TACT_VERTEX_FACE ? -sign : sign) < 0)
        answer->normal = vec_negate(answer->normal);
}

void tact_ccd_describe(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def,
                       tact_ccd *answer)
{
    double time = answer->lower + 0.5 * (answer->upper - answer->lower);
    if (answer->degenerate || !describe_in_doubles(kind, start, end, def, time, answer)) {
        answer->normal = vec_make(0.0, 0.0, 0.0);
        describe_in_integers(kind, start, end, def, time, answer);
    }
    answer->normal = vec_add(answer->normal, vec_make(0.0, 0.0, 0.0)); /* no -0 */
}
