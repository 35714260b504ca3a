/*
 * Contact weights and normal of a hit, at its bracket.
 *
 * Guarantee: weights in [0, 1], those of A and of B summing to 1. The two contact points that they give agree to within
 * some units of roundoff of the coordinates and what the points can move within the bracket. The normal has unit
 * length. No NaN, no overflow, whatever the coordinates.
 *
 * Doubles come first, at the midpoint of the bracket, and are verified: the weights must make the two contact points
 * agree, and the normal must be far above its error. Otherwise (coordinates huge or tiny, slivers, edges nearly
 * parallel) the differences of the points, the areas and the normal are computed from the integers at that time and
 * rounded once. The best of these candidates is chosen: the weights of the areas, or of the closest point of an edge to
 * a point. At a time within the bracket face and vertex (edges) are no farther apart than they move within it, and the
 * closest points are of one of these kinds.
 *
 * The normal n points the way A moves relative to B. At the contact that is the sign of the derivative of the volume
 * (ccd_polynomials.h), f = -n . (A - B) for vertex and face, n . (A - B) for edges, whatever the weights; it is
 * evaluated if doubles leave it open.
 *
 * Cost: 60 to 100 ns in doubles, a few microseconds in integers.
 */
#include "ccd/ccd_contact.h"

#include "ccd/ccd_constants.h"
#include "ccd/feature_ccd.h"
#include "math/vec.h"

static double clamp01(double x) { return x > 0.0 ? x < 1.0 ? x : 1.0 : 0.0; /* 0 for NaN */ }

/* Makes weights nonnegative with sum 1, given that at least one is positive. */
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

/* The contact point on A minus the one on B. */
static tact_vec3 gap(tact_ccd_kind kind, const point_differences *at, const double weights[4])
{
    tact_vec3 a = vec_scale(at->d[0], weights[1]), b = vec_scale(at->d[1], weights[2]),
              c = vec_scale(at->d[2], weights[3]);
    tact_vec3 others = vec_add(b, c);
    return kind == TACT_VERTEX_FACE ? vec_negate(vec_add(a, others)) : vec_sub(a, others);
}

/* The normal, not normalised: of the face, or the cross product of the two edges. */
static tact_vec3 cross_normal(tact_ccd_kind kind, const point_differences *at, double *edge_sizes)
{
    bool face = kind == TACT_VERTEX_FACE;
    tact_vec3 u = face ? vec_sub(at->d[1], at->d[0]) : at->d[0];
    tact_vec3 v = face ? vec_sub(at->d[2], at->d[0]) : vec_sub(at->d[2], at->d[1]);
    *edge_sizes = vec_max_abs(u) + vec_max_abs(v);
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

/* The weights from the areas of the point-edge pairs in projection. */
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
        double s = clamp01(area[0] / (area[0] - area[1])), u = clamp01(area[2] / (area[2] - area[3]));
        weights[0] = 1.0 - s;
        weights[1] = s;
        weights[2] = 1.0 - u;
        weights[3] = u;
    }
}

/* Orients the normal the way A moves; false if that is no faster than `least`. */
static bool orient_normal(tact_ccd_kind kind, const point_differences *speeds, double least, const double weights[4],
                          tact_vec3 *normal)
{
    double approach = vec_dot(gap(kind, speeds, weights), *normal);
    if (!(fabs(approach) > least))
        return false;
    if (approach < 0.0)
        *normal = vec_negate(*normal);
    return true;
}

static double largest_of(const point_differences *f)
{
    return max_double(max_double(vec_max_abs(f->d[0]), vec_max_abs(f->d[1])), vec_max_abs(f->d[2]));
}

/* (What overflows makes the normal or the gap NaN, and no comparison holds.) */
bool tact_ccd_contact_in_doubles(tact_ccd_kind kind, const contact_motion *motion, tact_ccd *answer)
{
    const point_differences *at = &motion->at;
    double speed = largest_of(&motion->speeds), edge_sizes;
    tact_vec3 normal = cross_normal(kind, at, &edge_sizes);
    if (!(vec_max_abs(normal) > CCD_NORMAL_CERTAIN * 4.0 * motion->error * edge_sizes))
        return false;
    int axis = largest_axis(normal);
    tact_vec3 d[5] = {at->d[0], at->d[1], at->d[2], vec_sub(at->d[1], at->d[0]), vec_sub(at->d[2], at->d[0])};
    double area[4];
    for (int i = 0; i < 4; ++i) {
        const int *pair = tact_ccd_point_edge_steps[kind == TACT_EDGE_EDGE][i];
        area[i] = cross_along(d[pair[0]], d[pair[1]], axis);
    }
    area_weights(kind, area, answer->weights);
    double allowed = CCD_CONTACT_AGREEMENT * motion->error + 2.0 * speed * motion->width;
    if (!(vec_max_abs(gap(kind, at, answer->weights)) <= allowed))
        return false;
    answer->normal = vec_normalize(normal);
    double least = CCD_APPROACH_CERTAIN * speed + motion->speed_error;
    return orient_normal(kind, &motion->speeds, least, answer->weights, &answer->normal);
}

static bool fill_in_doubles(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                            const tact_ccd_def *def, double time, tact_ccd *answer)
{
    contact_motion motion = {.width = answer->upper - answer->lower};
    double most = 0.0, fastest = 0.0;
    for (int i = 0; i < 4; ++i) {
        most = max_double(most, vec_max_abs(start[i]));
        fastest = max_double(fastest, vec_max_abs(end[i]));
    }
    most = def->velocities ? most + time * fastest : max_double(most, fastest);
    if (!(most >= CCD_CONTACT_MIN_COORDINATE))
        return false;
    for (int i = 0; i < 3; ++i) {
        tact_vec3 from = vec_sub(start[i + 1], start[0]);
        motion.speeds.d[i] = def->velocities ? vec_sub(end[i + 1], end[0])
                                             : vec_sub(vec_sub(end[i + 1], start[i + 1]), vec_sub(end[0], start[0]));
        motion.at.d[i] = vec_mul_add(from, time, motion.speeds.d[i]);
    }
    motion.error = CCD_DIFFERENCE_ERROR * most;
    /* each of three speeds has the error of a difference along each axis */
    motion.speed_error = 8.0 * CCD_DIFFERENCE_ERROR * max_double(most, fastest);
    return tact_ccd_contact_in_doubles(kind, &motion, answer);
}

/* Wide integers, each with a power of two, as doubles in a unit that makes the largest about 1. */
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

/* The state at a time, from the integers. */
typedef struct exact_contact {
    ccd_polynomials *polynomials;
    point_differences at, speeds;
    double area[4];   /* along the axis where the normal is largest */
    tact_vec3 normal; /* in any unit; zero if there is none */
} exact_contact;

/* The differences from nine numbers, each with a power of two beside that of its axis. */
static point_differences differences_of(const exact_contact *s, const wide numbers[9], int exponents[9])
{
    double scaled[9];
    point_differences f;
    for (int i = 0; i < 9; ++i)
        exponents[i] += s->polynomials->exponent[i % 3];
    scale_down(numbers, exponents, 9, scaled);
    for (int i = 0; i < 3; ++i)
        f.d[i] = vec_make(scaled[3 * i], scaled[3 * i + 1], scaled[3 * i + 2]);
    return f;
}

static void set_differences(exact_contact *s, double time)
{
    wide_workspace *workspace = s->polynomials->workspace;
    wide at[9], speeds[9];
    int exponents[9], none[9] = {0}, mark = workspace->used;
    const wide zero = {NULL, 0, 0};
    for (int i = 0; i < 9; ++i) {
        const wide *step = s->polynomials->step[i / 3][i % 3];
        poly line = poly_make((wide[]){step[0], step[1], zero, zero});
        at[i] = tact_poly_value(workspace, &line, time, &exponents[i]);
        speeds[i] = step[1];
    }
    s->at = differences_of(s, at, exponents);
    s->speeds = differences_of(s, speeds, none);
    workspace->used = mark;
}

/* The normal component from the areas: their sum, or the difference of the first two. */
static wide sum_areas(exact_contact *s, wide a, wide b, wide c)
{
    wide_workspace *workspace = s->polynomials->workspace;
    if (s->polynomials->kind == TACT_EDGE_EDGE)
        return wide_sub(workspace, a, b);
    return tact_wide_add(workspace, tact_wide_add(workspace, a, b), c);
}

/* The binary exponent of the unit of an area in projection along an axis. */
static int area_exponent(const exact_contact *s, int axis)
{
    return s->polynomials->exponent[(axis + 1) % 3] + s->polynomials->exponent[(axis + 2) % 3];
}

/* The value of an area at a time. All have the same power of two, as they are evaluated as quadratics whatever their
 * degree. */
static wide area_value(exact_contact *s, int point_edge, int axis, double time, int *exponent)
{
    poly area = *tact_ccd_area(s->polynomials, point_edge, axis);
    area.degree = 2;
    wide_workspace *workspace = s->polynomials->workspace;
    int mark = workspace->used;
    return wide_keep(workspace, mark, tact_poly_value(workspace, &area, time, exponent));
}

/* The normal at a time, and the areas along its largest axis; false if it is zero. */
static bool set_normal(exact_contact *s, double time)
{
    wide_workspace *workspace = s->polynomials->workspace;
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
    for (int i = 0; i < s->polynomials->point_edge_count; ++i)
        areas[i] = area_value(s, i, axis, time, &exponents[i]);
    scale_down(areas, exponents, s->polynomials->point_edge_count, s->area);
    workspace->used = mark;
    return true;
}

/* The normal between two times at both of which it is zero: its components have the same two roots. */
static void set_normal_between(exact_contact *s)
{
    wide_workspace *workspace = s->polynomials->workspace;
    int mark = workspace->used, exponents[3];
    wide normal[3];
    double n[3];
    for (int axis = 0; axis < 3; ++axis) {
        const poly *a = tact_ccd_area(s->polynomials, 0, axis), *b = tact_ccd_area(s->polynomials, 1, axis);
        const poly *c = tact_ccd_area(s->polynomials, 2, axis);
        exponents[axis] = area_exponent(s, axis);
        normal[axis] = sum_areas(s, a->c[2], b->c[2], c->c[2]);
    }
    scale_down(normal, exponents, 3, n);
    s->normal = vec_make(n[0], n[1], n[2]);
    workspace->used = mark;
}

static void consider(const exact_contact *s, const double weights[4], double *least, double best[4])
{
    double size = vec_length_safe(gap(s->polynomials->kind, &s->at, weights));
    if (size < *least) {
        *least = size;
        memcpy(best, weights, 4 * sizeof *best);
    }
}

/* The weights with the smallest gap, among those of the areas and of the closest points of the point-edge pairs. */
static void choose_weights(exact_contact *s, bool areas, double best[4])
{
    /* point, ends of its edge */
    static const int point_edges[2][4][3] = {{{0, 2, 3}, {0, 3, 1}, {0, 1, 2}, {0, 0, 0}},
                                             {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};
    double least = INFINITY, weights[4];
    if (areas) {
        area_weights(s->polynomials->kind, s->area, weights);
        consider(s, weights, &least, best);
    }
    const tact_vec3 x[4] = {{0.0, 0.0, 0.0}, s->at.d[0], s->at.d[1], s->at.d[2]};
    for (int i = 0; i < s->polynomials->point_edge_count; ++i) {
        const int *point_edge_ends = point_edges[s->polynomials->kind == TACT_EDGE_EDGE][i];
        tact_vec3 along = vec_sub(x[point_edge_ends[2]], x[point_edge_ends[1]]);
        double length = vec_length_safe(along);
        double fraction =
            length > 0.0
                ? clamp01(vec_dot(vec_sub(x[point_edge_ends[0]], x[point_edge_ends[1]]), vec_normalize(along)) / length)
                : 0.0;
        for (int j = 0; j < 4; ++j)
            weights[j] = j == point_edge_ends[0]   ? 1.0
                         : j == point_edge_ends[1] ? 1.0 - fraction
                         : j == point_edge_ends[2] ? fraction
                                                   : 0.0;
        consider(s, weights, &least, best);
    }
}

void tact_ccd_contact_in_integers(ccd_polynomials *polynomials, double lower, double upper, tact_ccd *answer)
{
    exact_contact s = {.polynomials = polynomials};
    double time = lower + 0.5 * (upper - lower);
    answer->normal = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < polynomials->point_edge_count;
         ++i) /* before anything is released from the workspace: they stay */
        for (int axis = 0; axis < 3; ++axis)
            (void)tact_ccd_area(polynomials, i, axis);
    set_differences(&s, time);
    bool areas = !answer->degenerate && set_normal(&s, time);
    choose_weights(&s, areas, answer->weights);
    if (answer->degenerate)
        return;
    if (!areas && !set_normal(&s, lower) && !set_normal(&s, upper))
        set_normal_between(&s);
    answer->normal = vec_normalize(s.normal);
    if (orient_normal(polynomials->kind, &s.speeds, CCD_APPROACH_CERTAIN_EXACT * largest_of(&s.speeds), answer->weights,
                      &answer->normal))
        return;
    int sign = tact_ccd_volume_slope_sign(polynomials, time);
    if ((polynomials->kind == TACT_VERTEX_FACE ? -sign : sign) < 0)
        answer->normal = vec_negate(answer->normal);
}

static void fill_in_integers(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                             const tact_ccd_def *def, tact_ccd *answer)
{
    uint64_t words[CCD_WORKSPACE_WORDS];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    ccd_polynomials polynomials;
    tact_ccd_polynomials_init(&polynomials, &workspace, kind, start, end, def->velocities);
    tact_ccd_contact_in_integers(&polynomials, answer->lower, answer->upper, answer);
}

void tact_ccd_fill_contact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                           const tact_ccd_def *def, tact_ccd *answer)
{
    double time = answer->lower + 0.5 * (answer->upper - answer->lower);
    if (answer->degenerate || !fill_in_doubles(kind, start, end, def, time, answer))
        fill_in_integers(kind, start, end, def, answer);
    answer->normal = vec_add(answer->normal, vec_make(0.0, 0.0, 0.0)); /* no -0 */
}
