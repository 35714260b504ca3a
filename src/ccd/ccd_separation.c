/*
 * Continuous vertex-face and edge-edge with a separation d > 0: when does the distance first fall to d?
 *
 * What it guarantees: with the window [enter, exit], `miss` only if the distance stays above d in all of it, `hit` only
 * if it falls below d (1 + 1e-6) in [from, to], and it is above d before `from`.
 *
 * This half walks in doubles. At time t it takes a unit vector n between the nearest points. Along n every point of B
 * lies ahead of every point of A by some n.(b - a), linear in time; so as long as the smallest of them exceeds d at
 * both ends of a stretch, the distance does all along, whatever n is: rounding may make n a poor choice, never a wrong
 * one. The next time to look at is where the first of them falls to d: where n hardly turns this is the answer already.
 * (Conservative advancement, Mirtich 1996, with the linear bound of a direction instead of a Lipschitz constant.) Where
 * n turns such steps creep. There it jumps to where the nearest points, if they stayed that, would be near, and proves
 * the jump with the normal of face or edges as it turns, n(t).w(t) > d |n(t)|, or likewise with point and line, by the
 * signs of Bernstein coefficients. What remains goes on in integers (ccd_separation_exact.c), whose work is bounded:
 * grazing while turning, and d below 1e-9 of the size. Cost: 60 ns for a clear miss, 1 to 2 us for a hit.
 *
 * The errors. u = 2^-53, S the largest coordinate of any place seen from point 0, and d. A coordinate at time t is off
 * by at most 6 u S: difference 1, (1 - t) 1, products 2, sum 1, and the first order's rest; with velocities, S = |r| +
 * exit |v|, the same. n.r is off by sqrt 3 times that and 3 sqrt 3 u S for its own roundings, less than 16 u S; a
 * difference of two by less than 36 u S. |n| <= 1 + 4 u, so n.r > d (1 + 4 u) proves it. A distance from weights (not
 * negative, of sum 1 but for 2 u) is off by sqrt 3 (12 + 10) u S. ERROR = 64 u S covers each. Turning: places as
 * rounded move the distance by less than ERROR; the rest counts in units of u times the largest coordinates of the
 * factors, E and F of a normal, W of w. A coordinate of a product is off by 8 (factors 4, products 2, difference 2), of
 * the mean of two by 10, its size is 2. n.w: 3 (10 + 2) and sums 10, a mean 12: 58; |n|: 10 sqrt 3 and 11, times d <=
 * sqrt 3 W: 49; the comparison 30: 137 E F W. A line: 3 (10 + 2) and 10 and 14 for the unit, 30 for d |e|. Its other
 * points: 3 (20 + 20 + 4) and 20. TURN_ERROR = 256 covers each. Powers of two bring S near 1, and what is very short is
 * left to the integers, so that nothing over- or underflows.
 */
#include <math.h>

#include "ccd/ccd_separation.h"
#include "math/fp_environment.h"
#include "math/vec.h"

#define ERROR 0x1p-47     /* of S: see above */
#define STEPS 24          /* the most that is walked in doubles: what needs more turns too much for it */
#define SIZE_MOST 0x1p100 /* beyond these, S is scaled: a direction is of degree 3, its square must not overflow */
#define SIZE_LEAST 0x1p-100
#define DIRECTION_LEAST 0x1p-400 /* of a direction before it is made a unit: below, its square could underflow */
#define TURN_ERROR 0x1p-45       /* of the product of the largest coordinates of the factors: see above */
#define TURN_LEAST 0x1p-700      /* of that product: below, what underflows could exceed the error */
#define HALVINGS 3               /* how often a jump over a turn is tried shorter before the straight step is taken */
#define TIGHT 1e-9 /* of d: how far apart the bounds of a distance may be for weights to be those of nearest points */

/* The points seen from point 0. */
typedef struct course {
    const separation_features *features;
    tact_vec3 start[4], end[4]; /* of point 0: not used */
    bool velocities;
    double separation, error;
} course;

/* Points at an instant, and the nearest ones. */
typedef struct glance {
    tact_vec3 x[4];    /* that of point 0 is zero */
    double weights[4]; /* of points near to each other */
    tact_vec3 normal;  /* of unit length, about from one to the other; zero if they coincide */
    double distance;   /* of those points */
    int feature;       /* on which they lie */
    double blur;       /* of the distance, when told from the feature as it turns */
} glance;

/* Not a number if either is not: what cannot be told must not be told apart. */
static double lesser(double a, double b) { return a < b || a != a ? a : b; }

static bool lay_course(course *c, tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                       const tact_ccd_def *def)
{
    double size = def->separation;
    for (int i = 1; i < 4; ++i) {
        c->start[i] = vec_sub(start[i], start[0]);
        c->end[i] = vec_sub(end[i], end[0]);
        double s = vec_max_abs(c->start[i]), e = vec_max_abs(c->end[i]);
        if (!(s < INFINITY && e < INFINITY))
            return false; /* a difference is no double: not even the instant 0 could be told, where 0 times it is asked
                           */
        size = max_double(size, def->velocities ? s + def->exit * e : max_double(s, e));
    }
    c->features = &tact_ccd_separation_features[kind];
    c->velocities = def->velocities;
    c->separation = def->separation;
    if (!(size <= SIZE_MOST && size >= SIZE_LEAST)) {
        if (!(size < INFINITY))
            return false; /* a way is no double */
        int exponent;
        (void)frexp(size, &exponent);
        for (int i = 1; i < 4; ++i) {
            tact_vec3 s = c->start[i], e = c->end[i];
            c->start[i] = vec_make(ldexp(s.x, -exponent), ldexp(s.y, -exponent), ldexp(s.z, -exponent));
            c->end[i] = vec_make(ldexp(e.x, -exponent), ldexp(e.y, -exponent), ldexp(e.z, -exponent));
            if (!(vec_max_abs(c->end[i]) < INFINITY))
                return false; /* a velocity for so short a time that, of the size, it is no double */
        }
        c->separation = ldexp(c->separation, -exponent);
        size = 1.0;
    }
    c->error = ERROR * size;
    return true;
}

static void move(const course *c, double t, tact_vec3 x[4])
{
    x[0] = vec_make(0.0, 0.0, 0.0);
    for (int i = 1; i < 4; ++i)
        x[i] = c->velocities ? vec_mul_add(c->start[i], t, c->end[i])
                             : vec_mul_add(vec_scale(c->start[i], 1.0 - t), t, c->end[i]);
}

/* How far B lies ahead of A along n. */
static int ahead(const course *c, const tact_vec3 x[4], tact_vec3 n, double by[4])
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

static double least_ahead(const course *c, const tact_vec3 x[4], tact_vec3 n)
{
    double by[4];
    (void)ahead(c, x, n, by);
    return lesser(lesser(by[0], by[1]), lesser(by[2], by[3]));
}

/* Nearest to the origin on the segment from x[i] to x[j], as weights. Which feature is returned: -1, 1 for the ends,
 * else 0. */
static int nearest_on_edge(tact_vec3 a, tact_vec3 b, double *part)
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

/* The way from the origin to the line through a and b. */
static tact_vec3 way_to_line(tact_vec3 a, tact_vec3 b)
{
    tact_vec3 e = vec_sub(b, a);
    return vec_cross(vec_cross(e, a), e);
}

/* Nearest points of the origin and the triangle 1, 2, 3: inside, or on the nearest edge. The way between them is
 * returned, the direction to look along in `n`. */
static tact_vec3 nearest_on_face(glance *g, tact_vec3 *n)
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
        g->blur = TURN_ERROR * vec_max_abs(e) * vec_max_abs(f) * vec_max_abs(x[1]) / vec_length(normal);
        *n = vec_dot(normal, x[1]) < 0.0 ? vec_negate(normal) : normal;
        return vec_mul_add(vec_mul_add(vec_scale(x[1], g->weights[1]), g->weights[2], x[2]), g->weights[3], x[3]);
    }
    double nearest = INFINITY;
    g->feature = SEPARATION_POINT_POINT; /* which two is not asked */
    g->weights[1] = 1.0;                 /* should none of the areas be a number */
    g->weights[2] = g->weights[3] = 0.0;
    tact_vec3 way = x[1];
    for (int i = 1; i < 4; ++i) { /* an edge that the origin lies beyond has the nearest point: try those */
        int j = i % 3 + 1, k = j % 3 + 1;
        if ((i == 1 ? c : i == 2 ? a : b) > 0.0)
            continue;
        double part;
        int where = nearest_on_edge(x[i], x[j], &part);
        tact_vec3 w = where < 0 ? x[i] : where > 0 ? x[j] : mix(x[i], part, x[j]);
        double square = vec_length_squared(w);
        if (!(square < nearest))
            continue;
        nearest = square;
        way = w;
        *n = where == 0 ? way_to_line(x[i], x[j]) : w;
        g->feature = where == 0 ? SEPARATION_POINT_EDGE + i - 1 : SEPARATION_POINT_POINT;
        g->weights[i] = 1.0 - part;
        g->weights[j] = part;
        g->weights[k] = 0.0;
    }
    return way;
}

/* Nearest points of the edges 0, 1 and 2, 3. */
static tact_vec3 nearest_on_edges(glance *g, tact_vec3 *n)
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
        g->blur = TURN_ERROR * vec_max_abs(u) * vec_max_abs(v) * vec_max_abs(w) / sqrt(area);
        *n = vec_dot(normal, w) < 0.0 ? vec_negate(normal) : normal;
        return vec_sub(mix(x[2], t, x[3]), vec_scale(u, s));
    }
    double nearest = INFINITY;
    g->feature = SEPARATION_POINT_POINT; /* which two is not needed */
    tact_vec3 way = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4; ++i) { /* point i and the other edge */
        int from = i < 2 ? 2 : 0;
        tact_vec3 a = vec_sub(x[from], x[i]), b = vec_sub(x[from + 1], x[i]);
        double part;
        int where = nearest_on_edge(a, b, &part);
        tact_vec3 to = where < 0 ? a : where > 0 ? b : mix(a, part, b);
        double square = vec_length_squared(to);
        if (!(square < nearest))
            continue;
        nearest = square;
        tact_vec3 along = where == 0 ? way_to_line(a, b) : to;
        way = i < 2 ? to : vec_negate(to);
        *n = i < 2 ? along : vec_negate(along);
        g->feature = where == 0 ? SEPARATION_POINT_EDGE + i : SEPARATION_POINT_POINT;
        g->weights[i] = 1.0;
        g->weights[i ^ 1] = 0.0;
        g->weights[from] = 1.0 - part;
        g->weights[from + 1] = part;
    }
    return way;
}

/* The nearest of the points g->x. */
static void look(const course *c, glance *g)
{
    g->blur = 4.0 * c->error; /* of a line: TURN_ERROR of the length of w */
    tact_vec3 n = {0.0, 0.0, 0.0}, way = c->features->across == 1 ? nearest_on_face(g, &n) : nearest_on_edges(g, &n);
    g->distance = vec_length(way);
    double length = vec_length(n);
    g->normal = length > DIRECTION_LEAST ? vec_scale(n, 1.0 / length) : vec_make(0.0, 0.0, 0.0);
}

/* Is there a gap along an axis at both ends, and so throughout? */
static bool apart_along_axis(const course *c, const tact_vec3 a[4], const tact_vec3 b[4])
{
    double more = c->separation + c->error;
    for (int i = 0; i < 3; ++i) {
        tact_vec3 n = {i == 0, i == 1, i == 2};
        if (lesser(least_ahead(c, a, n), least_ahead(c, b, n)) > more)
            return true;
        n = vec_negate(n);
        if (lesser(least_ahead(c, a, n), least_ahead(c, b, n)) > more)
            return true;
    }
    return false;
}

/* Are the points of a glance the nearest ones for certain, and not at the same place? */
static bool is_sharp(const course *c, const glance *g)
{
    double bounds = g->distance - least_ahead(c, g->x, g->normal);
    return bounds <= TIGHT * c->separation + 2.0 * c->error && g->distance > 1024.0 * c->error;
}

static tact_ccd hit_between(const glance *g, double from, double to)
{
    tact_ccd answer = {.status = TACT_OK, .state = TACT_HIT, .lower = from, .upper = to, .normal = g->normal};
    for (int i = 0; i < 4; ++i)
        answer.weights[i] = g->weights[i];
    return answer;
}

/* The last double that is not further than `width` from t, but at least its neighbour. */
static double end_of_bracket(double t, double width)
{
    double to = t + width;
    if (to - t > width)
        to = nextafter(to, t);
    return to > t ? to : nextafter(t, INFINITY);
}

/* Largest coordinate of two vectors. */
static double largest2(tact_vec3 a, tact_vec3 b) { return max_double(vec_max_abs(a), vec_max_abs(b)); }

static tact_vec3 half_sum(tact_vec3 a, tact_vec3 b) { return vec_scale(vec_add(a, b), 0.5); }

/* A product of two vectors that move linearly from a to b: its three Bernstein coefficients. */
static void turn_cross(const tact_vec3 u[2], const tact_vec3 v[2], tact_vec3 r[3])
{
    r[0] = vec_cross(u[0], v[0]);
    r[1] = half_sum(vec_cross(u[0], v[1]), vec_cross(u[1], v[0]));
    r[2] = vec_cross(u[1], v[1]);
}

/* The normal of the feature tables from a to b, and its scale: the largest coordinate of the one factor times that of
 * the other. */
static double turn_normal(const course *c, const tact_vec3 a[4], const tact_vec3 b[4], tact_vec3 n[3])
{
    const int *of = c->features->normal;
    tact_vec3 u[2] = {vec_sub(a[of[1]], a[of[0]]), vec_sub(b[of[1]], b[of[0]])};
    tact_vec3 v[2] = {vec_sub(a[of[3]], a[of[2]]), vec_sub(b[of[3]], b[of[2]])};
    turn_cross(u, v, n);
    return largest2(u[0], u[1]) * largest2(v[0], v[1]);
}

/* n.w > d |n| from a to b, for the normal n as it turns? Of degree 3 against 2: |n| is at most what the lengths of its
 * coefficients give. */
static bool insides_apart(const course *c, const tact_vec3 a[4], const tact_vec3 b[4])
{
    tact_vec3 n[3], wa = a[c->features->across], wb = b[c->features->across];
    double more = c->separation + c->error, error = TURN_ERROR * turn_normal(c, a, b, n) * largest2(wa, wb);
    double f[4] = {vec_dot(n[0], wa), (vec_dot(n[0], wb) + 2.0 * vec_dot(n[1], wa)) / 3.0,
                   (2.0 * vec_dot(n[1], wb) + vec_dot(n[2], wa)) / 3.0, vec_dot(n[2], wb)};
    double size[3] = {more * vec_length(n[0]), more * vec_length(n[1]), more * vec_length(n[2])};
    double sign = f[3] < 0.0 ? -1.0 : 1.0;
    return error >= TURN_LEAST && sign * f[0] >= size[0] + error &&
           sign * f[1] >= (size[0] + 2.0 * size[1]) / 3.0 + error &&
           sign * f[2] >= (2.0 * size[1] + size[2]) / 3.0 + error && sign * f[3] >= size[2] + error;
}

/* The same for a point and the line of an edge: |e x w| > d |e|, and the other points lie behind. The length of e x w
 * is bounded along its direction at b, where it will matter. */
static bool line_apart(const course *c, const point_edge_feature *line, const tact_vec3 a[4], const tact_vec3 b[4])
{
    tact_vec3 e[2] = {vec_sub(a[line->to], a[line->from]), vec_sub(b[line->to], b[line->from])};
    tact_vec3 w[2] = {vec_sub(a[line->from], a[line->point]), vec_sub(b[line->from], b[line->point])};
    tact_vec3 m[3], n[3];
    turn_cross(e, w, m);
    double scale = largest2(e[0], e[1]) * largest2(w[0], w[1]), length = vec_length(m[2]);
    if (!(length > DIRECTION_LEAST))
        return false;
    tact_vec3 along = vec_scale(m[2], 1.0 / length);
    double more = c->separation + c->error, error = TURN_ERROR * scale;
    double first = more * vec_length(e[0]), last = more * vec_length(e[1]);
    if (!(vec_dot(m[0], along) >= first + error && vec_dot(m[1], along) >= 0.5 * (first + last) + error &&
          vec_dot(m[2], along) >= last + error))
        return false;
    double least = TURN_ERROR * scale * turn_normal(c, a, b, n), sign = line->sign;
    return least >= TURN_LEAST && sign * vec_dot(m[0], n[0]) >= least && sign * vec_dot(m[2], n[2]) >= least &&
           sign * (vec_dot(m[0], n[1]) + vec_dot(m[1], n[0])) >= 2.0 * least &&
           sign * (vec_dot(m[1], n[2]) + vec_dot(m[2], n[1])) >= 2.0 * least &&
           sign * (vec_dot(m[0], n[2]) + 4.0 * vec_dot(m[1], n[1]) + vec_dot(m[2], n[0])) >= 6.0 * least;
}

/* Does the distance exceed d all the way between two glances? Asks for the direction of the second, and for the
 * features of both as they turn. */
static bool clear_between(const course *c, const glance *a, const glance *b)
{
    double near = c->separation + c->error;
    if (!(b->distance >= near))
        return false;
    if (lesser(least_ahead(c, a->x, b->normal), least_ahead(c, b->x, b->normal)) >= near)
        return true;
    for (int i = 0; i < 2; ++i) {
        int feature = i == 0 ? b->feature : a->feature;
        if (feature >= SEPARATION_POINT_POINT || (i == 1 && feature == b->feature))
            continue;
        if (feature == 0 ? insides_apart(c, a->x, b->x)
                         : line_apart(c, &c->features->point_edge[feature - SEPARATION_POINT_EDGE], a->x, b->x))
            return true;
    }
    return false;
}

/* The way between the points of a glance, with the points elsewhere. */
static tact_vec3 way_between(const course *c, const glance *g, const tact_vec3 x[4])
{
    double one = c->features->across == 1 ? g->weights[1] : -g->weights[1];
    return vec_mul_add(vec_mul_add(vec_scale(x[1], one), g->weights[2], x[2]), g->weights[3], x[3]);
}

/* Where the nearest points, were they to stay the nearest, come near: a little short of it, by what turning may take
 * off. */
static double guess(const course *c, const glance *here, double t, const tact_vec3 end[4], double exit, double target)
{
    double over = here->distance - target, then = vec_dot(here->normal, way_between(c, here, end));
    double goal = target + max_double(over * lesser(0.25, over / c->separation), 2.0 * here->blur);
    if (!(goal < here->distance))
        return t;
    if (!(then < goal))
        return exit;
    return lesser(t + (here->distance - goal) / (here->distance - then) * (exit - t), exit);
}

/* How a walk ended. */
typedef enum walked {
    ARRIVED, /* with an answer */
    CLOSE,   /* the distance exceeds d up to `after`, where it is as near to d as doubles tell */
    TIRED    /* the distance exceeds d up to `after`; nothing is known if that is def->enter */
} walked;

/* Walks in doubles. */
static walked walk(const course *c, const tact_ccd_def *def, double width, double *after, tact_ccd *answer)
{
    double t = def->enter, exit = def->exit, near = c->separation + c->error, target = near + c->error;
    double far = c->separation * (1.0 + 0.999 * CCD_SEPARATION_TOLERANCE) - c->error;
    glance here, there;
    tact_vec3 end[4];
    move(c, t, here.x);
    move(c, exit, end);
    *answer = (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
    if (apart_along_axis(c, here.x, end))
        return ARRIVED;
    look(c, &here);
    if (here.distance <= far) {
        *answer = hit_between(&here, t, t);
        return is_sharp(c, &here) ? ARRIVED : TIRED;
    }
    for (int step = 0;; ++step) {
        double now[4], then[4], part = 1.0;
        int count = ahead(c, here.x, here.normal, now);
        (void)ahead(c, end, here.normal, then);
        for (int i = 0; i < count; ++i) {
            if (!(now[i] >= near))
                part = 0.0;
            else if (!(then[i] >= near))
                part = lesser(part, (now[i] - target) / (now[i] - then[i]));
        }
        if (!(part < 1.0))
            return ARRIVED; /* apart along this direction until the end */
        double next = part > 0.0 ? t + part * (exit - t) : t, jump = guess(c, &here, t, end, exit, target);
        bool moved = false, tired = step == STEPS;
        for (int i = 0; i < HALVINGS && !moved && !tired; ++i) {
            if (!(jump - t > 1.5 * (next - t) && jump - t > 0.5 * width))
                break; /* things hardly turn: the straight step is as good */
            move(c, jump, there.x);
            look(c, &there);
            moved = clear_between(c, &here, &there);
            if (moved)
                next = jump;
            else
                jump = t + 0.25 * (jump - t);
        }
        if (moved && !(next < exit))
            return ARRIVED;
        if (tired || (!moved && !(next - t > 0.5 * width))) {
            double to = lesser(end_of_bracket(t, width), exit);
            move(c, to, there.x);
            look(c, &there);
            if (there.distance <= far && is_sharp(c, &here)) {
                *answer = hit_between(&here, t, to);
                return ARRIVED;
            }
            if (tired || !(next > t))
                return here.distance <= target + 8.0 * here.blur ? CLOSE : TIRED;
        }
        if (!moved) {
            move(c, next, there.x);
            if (!(least_ahead(c, there.x, here.normal) >= near))
                return TIRED;
            look(c, &there);
        }
        t = *after = next;
        here = there;
    }
}

static TACT_NOINLINE tact_ccd find(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                   const tact_ccd_def *def)
{
    course c;
    tact_ccd answer;
    double after = def->enter, width = def->velocities ? def->bracket_width * def->exit : def->bracket_width,
           reach = def->exit;
    if (lay_course(&c, kind, start, end, def)) {
        walked how = walk(&c, def, width, &after, &answer);
        if (how == ARRIVED)
            return answer;
        if (how == CLOSE)
            reach = lesser(end_of_bracket(after, width), reach);
    }
    return tact_ccd_separation_exact(kind, start, end, def, after, reach, NULL);
}

tact_ccd tact_ccd_separation(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                             const tact_ccd_def *def)
{
    fp_environment before = fp_environment_enter();
    tact_ccd answer = find(kind, start, end, def);
    fp_environment_leave(before);
    return answer;
}
