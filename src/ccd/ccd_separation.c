/*
 * Vertex-face and edge-edge continuous collision detection with a minimum separation d > 0: when does the distance
 * first fall to d?
 *
 * Guarantee: with the window [enter, exit], a miss only if the distance stays above d in all of it; a hit only if it
 * falls below d (1 + 1e-6) in [lower, upper], and it is above d before `lower`.
 *
 * This file advances in doubles. At time t it takes a unit vector n between the closest points. Along n every point of
 * B is ahead of every point of A by some n.(b - a), linear in time. So as long as the smallest of these exceeds d at
 * both ends of an interval, the distance does throughout, whatever n is: rounding may make n a poor choice, never a
 * wrong one. The next time is where the first of them falls to d; where n hardly rotates that is already the answer.
 * (Conservative advancement, Mirtich 1996, with the linear bound of a direction instead of a Lipschitz constant;
 * compare the additive CCD of Li et al. 2021.)
 *
 * Where n rotates such steps become short. There the search jumps to where the closest points, if they stayed so, would
 * come near. It proves the jump by the signs of Bernstein coefficients, with the normal of face or edges as it rotates,
 * n(t).w(t) > d |n(t)|, or likewise with a point and a line. What remains is solved in integers
 * (ccd_separation_exact.c), with bounded work: grazing while rotating, and d below 1e-9 of the size. Cost: 60 ns for a
 * clear miss, 1 to 2 us for a hit.
 *
 * Error analysis. u = 2^-53; S is the largest coordinate relative to point 0, or d. A coordinate at time t has an error
 * of at most 6 u S: difference 1, (1 - t) 1, products 2, sum 1, and the rest of first order; with velocities, S = |r| +
 * exit |v|, the same. n.r has an error of sqrt 3 times that and 3 sqrt 3 u S for its own rounding, less than 16 u S; a
 * difference of two less than 36 u S. |n| <= 1 + 4 u, so n.r > d (1 + 4 u) proves it. A distance from weights (not
 * negative, with sum 1 up to 2 u) has an error of sqrt 3 (12 + 10) u S. SEPARATION_ERROR = 64 u S covers each.
 * Rotation: rounded positions change the distance by less than SEPARATION_ERROR; the rest is counted in units of u
 * times the largest coordinates of the factors, E and F of a normal, W of w. A coordinate of a cross product has an
 * error of 8 (factors 4, products 2, difference 2), of the mean of two 10, and its size is 2. n.w: 3 (10 + 2) and sums
 * 10, a mean 12: 58; |n|: 10 sqrt 3 and 11, times d <= sqrt 3 W: 49; the comparison 30: 137 E F W. A line: 3 (10 + 2)
 * and 10 and 14 for the unit vector, 30 for d |e|. Its remaining points: 3 (20 + 20 + 4) and 20.
 * SEPARATION_TURN_ERROR = 256 covers each. Powers of two bring S near 1, and very short vectors are left to the
 * integers, so that nothing over- or underflows.
 */
#include <math.h>

#include "ccd/ccd_separation.h"
#include "math/fp_environment.h"
#include "math/vec.h"

/* The points relative to point 0. */
typedef struct separation_pair {
    const separation_features *features;
    tact_vec3 start[4], end[4]; /* index 0 is not used */
    bool velocities;
    double separation, error;
} separation_pair;

/* The configuration at a time, and the closest points. */
typedef struct closest_points {
    tact_vec3 x[4];       /* x[0] is zero */
    double weights[4];    /* of the closest points */
    tact_vec3 normal;     /* unit vector from A to B, approximately; zero if they coincide */
    double distance;      /* of those points */
    int feature;          /* the pair of features on which they lie */
    double error_of_turn; /* error of the distance along the feature's normal as it rotates */
} closest_points;

/* The smaller one; NaN if either is NaN, so that nothing is proved. */
static double min_or_nan(double a, double b) { return a < b || a != a ? a : b; }

static bool pair_init(separation_pair *c, tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                      const tact_ccd_def *def)
{
    double size = def->separation;
    for (int i = 1; i < 4; ++i) {
        c->start[i] = vec_sub(start[i], start[0]);
        c->end[i] = vec_sub(end[i], end[0]);
        double s = vec_max_abs(c->start[i]), e = vec_max_abs(c->end[i]);
        if (!(s < INFINITY && e < INFINITY))
            return false; /* a difference overflows */
        size = max_double(size, def->velocities ? s + def->exit * e : max_double(s, e));
    }
    c->features = &tact_ccd_separation_features[kind];
    c->velocities = def->velocities;
    c->separation = def->separation;
    if (!(size <= SEPARATION_MAX_SIZE && size >= SEPARATION_MIN_SIZE)) {
        if (!(size < INFINITY))
            return false; /* a displacement overflows */
        int exponent;
        (void)frexp(size, &exponent);
        for (int i = 1; i < 4; ++i) {
            tact_vec3 s = c->start[i], e = c->end[i];
            c->start[i] = vec_make(ldexp(s.x, -exponent), ldexp(s.y, -exponent), ldexp(s.z, -exponent));
            c->end[i] = vec_make(ldexp(e.x, -exponent), ldexp(e.y, -exponent), ldexp(e.z, -exponent));
            if (!(vec_max_abs(c->end[i]) < INFINITY))
                return false; /* a velocity overflows after scaling */
        }
        c->separation = ldexp(c->separation, -exponent);
        size = 1.0;
    }
    c->error = SEPARATION_ERROR * size;
    return true;
}

static void positions_at(const separation_pair *c, double t, tact_vec3 x[4])
{
    x[0] = vec_make(0.0, 0.0, 0.0);
    for (int i = 1; i < 4; ++i)
        x[i] = c->velocities ? vec_mul_add(c->start[i], t, c->end[i])
                             : vec_mul_add(vec_scale(c->start[i], 1.0 - t), t, c->end[i]);
}

/* How far each point of B is ahead of each point of A along n; returns how many. */
static int lead(const separation_pair *c, const tact_vec3 x[4], tact_vec3 n, double by[4])
{
    double one = vec_dot(n, x[1]), two = vec_dot(n, x[2]), three = vec_dot(n, x[3]);
    if (c->features->across == 1) {
        by[0] = one;
        by[1] = two;
        by[2] = by[3] = three;
    } else {
        by[0] = two;
        by[1] = three;
        by[2] = two - one;
        by[3] = three - one;
    }
    return c->features->across == 1 ? 3 : 4;
}

static double smallest_lead(const separation_pair *c, const tact_vec3 x[4], tact_vec3 n)
{
    double by[4];
    (void)lead(c, x, n, by);
    return min_or_nan(min_or_nan(by[0], by[1]), min_or_nan(by[2], by[3]));
}

/* The point of the segment from a to b closest to the origin, as a fraction. Returns -1 or 1 for the ends, otherwise 0.
 */
static int closest_on_edge(tact_vec3 a, tact_vec3 b, double *part)
{
    tact_vec3 e = vec_sub(b, a);
    double foot = -vec_dot(a, e), length = vec_length_squared(e);
    if (!(foot > 0.0)) {
        *part = 0.0;
        return -1;
    }
    if (!(foot < length)) {
        *part = 1.0;
        return 1;
    }
    *part = foot / length;
    return 0;
}

static tact_vec3 mix(tact_vec3 a, double part, tact_vec3 b) { return vec_mul_add(vec_scale(a, 1.0 - part), part, b); }

/* A vector from the origin towards the line through a and b. */
static tact_vec3 vector_to_line(tact_vec3 a, tact_vec3 b)
{
    tact_vec3 e = vec_sub(b, a);
    return vec_cross(vec_cross(e, a), e);
}

/* The closest points of the origin and the triangle 1, 2, 3: inside, or on the nearest edge. Returns the vector between
 * them; `n` gets the direction to use. */
static tact_vec3 closest_on_face(closest_points *g, tact_vec3 *n)
{
    const tact_vec3 *x = g->x;
    tact_vec3 e = vec_sub(x[2], x[1]), f = vec_sub(x[3], x[1]), normal = vec_cross(e, f);
    double a = vec_dot(vec_cross(x[2], x[3]), normal), b = vec_dot(vec_cross(x[3], x[1]), normal);
    double c = vec_dot(vec_cross(x[1], x[2]), normal);
    g->weights[0] = 1.0;
    if (a > 0.0 && b > 0.0 && c > 0.0) {
        double sum = a + b + c;
        g->weights[1] = a / sum;
        g->weights[2] = b / sum;
        double rest = 1.0 - g->weights[1] - g->weights[2];
        g->weights[3] = rest > 0.0 ? rest : 0.0;
        g->feature = 0;
        g->error_of_turn =
            SEPARATION_TURN_ERROR * vec_max_abs(e) * vec_max_abs(f) * vec_max_abs(x[1]) / vec_length(normal);
        *n = vec_dot(normal, x[1]) < 0.0 ? vec_negate(normal) : normal;
        return vec_mul_add(vec_mul_add(vec_scale(x[1], g->weights[1]), g->weights[2], x[2]), g->weights[3], x[3]);
    }
    double best = INFINITY;
    g->feature = SEPARATION_POINT_POINT; /* which two does not matter */
    g->weights[1] = 1.0;                 /* in case all areas are NaN */
    g->weights[2] = g->weights[3] = 0.0;
    tact_vec3 vector = x[1];
    for (int i = 1; i < 4; ++i) { /* an edge that the origin is beyond has the closest point: test those */
        int j = i % 3 + 1, k = j % 3 + 1;
        if ((i == 1 ? c : i == 2 ? a : b) > 0.0)
            continue;
        double part;
        int where = closest_on_edge(x[i], x[j], &part);
        tact_vec3 w = where < 0 ? x[i] : where > 0 ? x[j] : mix(x[i], part, x[j]);
        double square = vec_length_squared(w);
        if (!(square < best))
            continue;
        best = square;
        vector = w;
        *n = where == 0 ? vector_to_line(x[i], x[j]) : w;
        g->feature = where == 0 ? SEPARATION_POINT_EDGE + i - 1 : SEPARATION_POINT_POINT;
        g->weights[i] = 1.0 - part;
        g->weights[j] = part;
        g->weights[k] = 0.0;
    }
    return vector;
}

/* The closest points of the edges 0, 1 and 2, 3. */
static tact_vec3 closest_on_edges(closest_points *g, tact_vec3 *n)
{
    const tact_vec3 *x = g->x;
    tact_vec3 u = x[1], v = vec_sub(x[3], x[2]), w = x[2], normal = vec_cross(u, v);
    double area = vec_length_squared(normal), s = vec_dot(vec_cross(w, v), normal),
           t = vec_dot(vec_cross(w, u), normal);
    if (s > 0.0 && s < area && t > 0.0 && t < area) {
        s /= area;
        t /= area;
        g->weights[0] = 1.0 - s;
        g->weights[1] = s;
        g->weights[2] = 1.0 - t;
        g->weights[3] = t;
        g->feature = 0;
        g->error_of_turn = SEPARATION_TURN_ERROR * vec_max_abs(u) * vec_max_abs(v) * vec_max_abs(w) / sqrt(area);
        *n = vec_dot(normal, w) < 0.0 ? vec_negate(normal) : normal;
        return vec_sub(mix(x[2], t, x[3]), vec_scale(u, s));
    }
    double best = INFINITY;
    g->feature = SEPARATION_POINT_POINT; /* which two does not matter */
    tact_vec3 vector = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4; ++i) { /* point i and the other edge */
        int from = i < 2 ? 2 : 0;
        tact_vec3 a = vec_sub(x[from], x[i]), b = vec_sub(x[from + 1], x[i]);
        double part;
        int where = closest_on_edge(a, b, &part);
        tact_vec3 to = where < 0 ? a : where > 0 ? b : mix(a, part, b);
        double square = vec_length_squared(to);
        if (!(square < best))
            continue;
        best = square;
        tact_vec3 along = where == 0 ? vector_to_line(a, b) : to;
        vector = i < 2 ? to : vec_negate(to);
        *n = i < 2 ? along : vec_negate(along);
        g->feature = where == 0 ? SEPARATION_POINT_EDGE + i : SEPARATION_POINT_POINT;
        g->weights[i] = 1.0;
        g->weights[i ^ 1] = 0.0;
        g->weights[from] = 1.0 - part;
        g->weights[from + 1] = part;
    }
    return vector;
}

/* The closest points of the configuration g->x. */
static void find_closest(const separation_pair *c, closest_points *g)
{
    g->error_of_turn = 4.0 * c->error; /* of a line: SEPARATION_TURN_ERROR of the length of w */
    tact_vec3 n = {0.0, 0.0, 0.0}, vector = c->features->across == 1 ? closest_on_face(g, &n) : closest_on_edges(g, &n);
    g->distance = vec_length(vector);
    double length = vec_length(n);
    g->normal = length > SEPARATION_MIN_DIRECTION ? vec_scale(n, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
}

/* Is there a gap along an axis at both ends, and so throughout? */
static bool separated_on_axis(const separation_pair *c, const tact_vec3 a[4], const tact_vec3 b[4])
{
    double more = c->separation + c->error;
    for (int i = 0; i < 3; ++i) {
        tact_vec3 n = {i == 0, i == 1, i == 2};
        if (min_or_nan(smallest_lead(c, a, n), smallest_lead(c, b, n)) > more)
            return true;
        n = vec_negate(n);
        if (min_or_nan(smallest_lead(c, a, n), smallest_lead(c, b, n)) > more)
            return true;
    }
    return false;
}

/* Are the points certainly the closest ones, and not coincident? */
static bool is_certain(const separation_pair *c, const closest_points *g)
{
    double bounds = g->distance - smallest_lead(c, g->x, g->normal);
    return bounds <= SEPARATION_TIGHT * c->separation + 2.0 * c->error &&
           g->distance > SEPARATION_COINCIDENT_ERRORS * c->error;
}

static tact_ccd hit_between(const closest_points *g, double from, double to)
{
    tact_ccd answer = {.status = TACT_OK, .state = TACT_HIT, .lower = from, .upper = to, .normal = g->normal};
    for (int i = 0; i < 4; ++i)
        answer.weights[i] = g->weights[i];
    return answer;
}

/* The last double not farther than `width` from t, but at least its neighbour. */
static double end_of_bracket(double t, double width)
{
    double to = t + width;
    if (to - t > width)
        to = nextafter(to, t);
    return to > t ? to : nextafter(t, INFINITY);
}

/* The largest coordinate of two vectors. */
static double largest2(tact_vec3 a, tact_vec3 b) { return max_double(vec_max_abs(a), vec_max_abs(b)); }

static tact_vec3 half_sum(tact_vec3 a, tact_vec3 b) { return vec_scale(vec_add(a, b), 0.5); }

/* The three Bernstein coefficients of the cross product of two vectors that move linearly from index 0 to 1. */
static void cross_coefficients(const tact_vec3 u[2], const tact_vec3 v[2], tact_vec3 r[3])
{
    r[0] = vec_cross(u[0], v[0]);
    r[1] = half_sum(vec_cross(u[0], v[1]), vec_cross(u[1], v[0]));
    r[2] = vec_cross(u[1], v[1]);
}

/* The Bernstein coefficients of the normal of the feature table from a to b. Returns its scale: the product of the
 * largest coordinates of its factors. */
static double normal_coefficients(const separation_pair *c, const tact_vec3 a[4], const tact_vec3 b[4], tact_vec3 n[3])
{
    const int *of = c->features->normal;
    tact_vec3 u[2] = {vec_sub(a[of[1]], a[of[0]]), vec_sub(b[of[1]], b[of[0]])};
    tact_vec3 v[2] = {vec_sub(a[of[3]], a[of[2]]), vec_sub(b[of[3]], b[of[2]])};
    cross_coefficients(u, v, n);
    return largest2(u[0], u[1]) * largest2(v[0], v[1]);
}

/* Is n.w > d |n| from a to b, for the normal n as it rotates? Degree 3 against 2: |n| is at most what the lengths of
 * its coefficients give. */
static bool interiors_separated(const separation_pair *c, const tact_vec3 a[4], const tact_vec3 b[4])
{
    tact_vec3 n[3], wa = a[c->features->across], wb = b[c->features->across];
    double more = c->separation + c->error,
           error = SEPARATION_TURN_ERROR * normal_coefficients(c, a, b, n) * largest2(wa, wb);
    double f[4] = {vec_dot(n[0], wa), (vec_dot(n[0], wb) + 2.0 * vec_dot(n[1], wa)) / 3.0,
                   (2.0 * vec_dot(n[1], wb) + vec_dot(n[2], wa)) / 3.0, vec_dot(n[2], wb)};
    double size[3] = {more * vec_length(n[0]), more * vec_length(n[1]), more * vec_length(n[2])};
    double sign = f[3] < 0.0 ? -1.0 : 1.0;
    return error >= SEPARATION_TURN_MIN && sign * f[0] >= size[0] + error &&
           sign * f[1] >= (size[0] + 2.0 * size[1]) / 3.0 + error &&
           sign * f[2] >= (2.0 * size[1] + size[2]) / 3.0 + error && sign * f[3] >= size[2] + error;
}

/* The same for a point and the line of an edge: |e x w| > d |e|, and the remaining points are behind. The length of e x
 * w is bounded along its direction at b, where it matters. */
static bool line_separated(const separation_pair *c, const point_edge_feature *line, const tact_vec3 a[4],
                           const tact_vec3 b[4])
{
    tact_vec3 e[2] = {vec_sub(a[line->to], a[line->from]), vec_sub(b[line->to], b[line->from])};
    tact_vec3 w[2] = {vec_sub(a[line->from], a[line->point]), vec_sub(b[line->from], b[line->point])};
    tact_vec3 m[3], n[3];
    cross_coefficients(e, w, m);
    double scale = largest2(e[0], e[1]) * largest2(w[0], w[1]), length = vec_length(m[2]);
    if (!(length > SEPARATION_MIN_DIRECTION))
        return false;
    tact_vec3 along = vec_scale(m[2], 1.0 / length);
    double more = c->separation + c->error, error = SEPARATION_TURN_ERROR * scale;
    double first = more * vec_length(e[0]), last = more * vec_length(e[1]);
    if (!(vec_dot(m[0], along) >= first + error && vec_dot(m[1], along) >= 0.5 * (first + last) + error &&
          vec_dot(m[2], along) >= last + error))
        return false;
    double least = SEPARATION_TURN_ERROR * scale * normal_coefficients(c, a, b, n), sign = line->sign;
    return least >= SEPARATION_TURN_MIN && sign * vec_dot(m[0], n[0]) >= least && sign * vec_dot(m[2], n[2]) >= least &&
           sign * (vec_dot(m[0], n[1]) + vec_dot(m[1], n[0])) >= 2.0 * least &&
           sign * (vec_dot(m[1], n[2]) + vec_dot(m[2], n[1])) >= 2.0 * least &&
           sign * (vec_dot(m[0], n[2]) + 4.0 * vec_dot(m[1], n[1]) + vec_dot(m[2], n[0])) >= 6.0 * least;
}

/* Does the distance exceed d between two configurations? Tests the direction of the second, and the features of both as
 * they rotate. */
static bool clear_between(const separation_pair *c, const closest_points *a, const closest_points *b)
{
    double near = c->separation + c->error;
    if (!(b->distance >= near))
        return false;
    if (min_or_nan(smallest_lead(c, a->x, b->normal), smallest_lead(c, b->x, b->normal)) >= near)
        return true;
    for (int i = 0; i < 2; ++i) {
        int feature = i == 0 ? b->feature : a->feature;
        if (feature >= SEPARATION_POINT_POINT || (i == 1 && feature == b->feature))
            continue;
        if (feature == 0 ? interiors_separated(c, a->x, b->x)
                         : line_separated(c, &c->features->point_edge[feature - SEPARATION_POINT_EDGE], a->x, b->x))
            return true;
    }
    return false;
}

/* The vector between the closest points of `g`, with the points at x. */
static tact_vec3 vector_between(const separation_pair *c, const closest_points *g, const tact_vec3 x[4])
{
    double one = c->features->across == 1 ? g->weights[1] : -g->weights[1];
    return vec_mul_add(vec_mul_add(vec_scale(x[1], one), g->weights[2], x[2]), g->weights[3], x[3]);
}

/* When the closest points, if they stay so, come near: a little earlier, by what rotation may take off. */
static double approach_time(const separation_pair *c, const closest_points *here, double t, const tact_vec3 end[4],
                            double exit, double target)
{
    double over = here->distance - target, then = vec_dot(here->normal, vector_between(c, here, end));
    double goal = target + max_double(over * min_or_nan(SEPARATION_JUMP_REMAINDER, over / c->separation),
                                      SEPARATION_JUMP_ERRORS * here->error_of_turn);
    if (!(goal < here->distance))
        return t;
    if (!(then < goal))
        return exit;
    return min_or_nan(t + (here->distance - goal) / (here->distance - then) * (exit - t), exit);
}

/* How the advancement ended. */
typedef enum advance_result {
    ADVANCE_ANSWERED, /* with an answer */
    ADVANCE_CLOSE,    /* the distance exceeds d up to `after`, where it is as near to d as doubles resolve */
    ADVANCE_STOPPED   /* the distance exceeds d up to `after`; nothing is known if that is def->enter */
} advance_result;

/* Advances in doubles. */
static advance_result advance(const separation_pair *c, const tact_ccd_def *def, double width, double *after,
                              tact_ccd *answer)
{
    double t = def->enter, exit = def->exit, near = c->separation + c->error, target = near + c->error;
    double far = c->separation * (1.0 + SEPARATION_HIT_FRACTION * CCD_SEPARATION_TOLERANCE) - c->error;
    closest_points here, there;
    tact_vec3 end[4];
    positions_at(c, t, here.x);
    positions_at(c, exit, end);
    *answer = (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
    if (separated_on_axis(c, here.x, end))
        return ADVANCE_ANSWERED;
    find_closest(c, &here);
    if (here.distance <= far) {
        *answer = hit_between(&here, t, t);
        return is_certain(c, &here) ? ADVANCE_ANSWERED : ADVANCE_STOPPED;
    }
    for (int step = 0;; ++step) {
        double now[4], then[4], part = 1.0;
        int count = lead(c, here.x, here.normal, now);
        (void)lead(c, end, here.normal, then);
        for (int i = 0; i < count; ++i) {
            if (!(now[i] >= near))
                part = 0.0;
            else if (!(then[i] >= near))
                part = min_or_nan(part, (now[i] - target) / (now[i] - then[i]));
        }
        if (!(part < 1.0))
            return ADVANCE_ANSWERED; /* separated along this direction until the end */
        double next = part > 0.0 ? t + part * (exit - t) : t, jump = approach_time(c, &here, t, end, exit, target);
        bool moved = false, stopped = step == SEPARATION_MAX_STEPS;
        for (int i = 0; i < SEPARATION_MAX_SHORTENINGS && !moved && !stopped; ++i) {
            if (!(jump - t > SEPARATION_JUMP_RATIO * (next - t) && jump - t > 0.5 * width))
                break; /* hardly any rotation: the straight step is as good */
            positions_at(c, jump, there.x);
            find_closest(c, &there);
            moved = clear_between(c, &here, &there);
            if (moved)
                next = jump;
            else
                jump = t + SEPARATION_JUMP_SHORTENING * (jump - t);
        }
        if (moved && !(next < exit))
            return ADVANCE_ANSWERED;
        if (stopped || (!moved && !(next - t > 0.5 * width))) {
            double to = min_or_nan(end_of_bracket(t, width), exit);
            positions_at(c, to, there.x);
            find_closest(c, &there);
            if (there.distance <= far && is_certain(c, &here)) {
                *answer = hit_between(&here, t, to);
                return ADVANCE_ANSWERED;
            }
            if (stopped || !(next > t))
                return here.distance <= target + SEPARATION_CLOSE_ERRORS * here.error_of_turn ? ADVANCE_CLOSE
                                                                                              : ADVANCE_STOPPED;
        }
        if (!moved) {
            positions_at(c, next, there.x);
            if (!(smallest_lead(c, there.x, here.normal) >= near))
                return ADVANCE_STOPPED;
            find_closest(c, &there);
        }
        t = *after = next;
        here = there;
    }
}

static TACT_NOINLINE tact_ccd solve(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                    const tact_ccd_def *def)
{
    separation_pair c;
    tact_ccd answer;
    double after = def->enter, width = def->velocities ? def->bracket_width * def->exit : def->bracket_width,
           first_end = def->exit;
    if (pair_init(&c, kind, start, end, def)) {
        advance_result how = advance(&c, def, width, &after, &answer);
        if (how == ADVANCE_ANSWERED)
            return answer;
        if (how == ADVANCE_CLOSE)
            first_end = min_or_nan(end_of_bracket(after, width), first_end);
    }
    return tact_ccd_separation_exact(kind, start, end, def, after, first_end, NULL);
}

tact_ccd tact_ccd_separation(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                             const tact_ccd_def *def)
{
    fp_environment before = fp_environment_enter();
    tact_ccd answer = solve(kind, start, end, def);
    fp_environment_leave(before);
    return answer;
}
