/*
 * The filter of continuous collision: what doubles can prove of one pair.
 *
 * Guarantee: what it answers is true; where rounding, beyond the bounds proved in ccd_bounds.h, might change an answer
 * it says CCD_UNSURE. It never proves that something is zero: contact on an edge of the face, at an end of the window,
 * tangential, or of what slides in a plane is left to the integers. The bracket is the cell of the grid (ccd_bracket.h)
 * that surely holds the first contact, so the integers would give the same.
 *
 * Over a piece of time, at first the whole window:
 *  1. All coefficients of the volume have one sign: no contact.
 *  2. Seen along the axis on which the normal is clearest (or else along all three), areas have opposite signs
 *     throughout: no contact.
 *  3. The coefficients change sign just once, whatever the unsure ones are: one root. Newton's method finds about
 *     where, and signs of the volume on both sides prove it. If the areas agree there, the root's cell is found by
 *     signs at the ends of cells, in pairs of doubles: contact. If they differ: none in this piece.
 *  4. Otherwise the piece is cut in two halves, the earlier one first. All is computed anew from the given points, so
 *     that nothing adds up.
 *
 * Cost: 40 to 80 ns for a miss, 300 for a hit. Of all pairs of swept boxes in the three scenes that we measure, 0 of
 * 6.85 million, 4 of 7.1 million and 91 of 41,089 are left to the integers, of degenerate ones 1 in 3. A piece's two
 * ends are computed side by side in one vector.
 *
 * After Hutter and Fuhrmann, "Efficient continuous collision detection" (2007) for the grouped coefficients, in
 * Bernstein form as in Tang et al., "Fast and exact continuous collision detection with Bernstein sign classification"
 * (2014); departing from both in that the bounds on the error hold, that the inside tests are quadratics in projection
 * instead of quartics, and that the time is found, too.
 */
#include "ccd/ccd_filter.h"

#include <math.h>

#include "ccd/ccd_bounds.h"
#include "ccd/ccd_bracket.h"
#include "core/inline.h"
#include "math/double2.h"

/* How often time is split before the integers are asked. Most pairs need none; a split costs some 20 ns, the
 * integers 4 us. */
#define SPLIT_CAP 24

/* A piece of this part of the window is not split again: its root is double, or they touch at an end. */
#define NARROWEST 0x1p-10

/* Where a root seems to be, it is looked for to either side, in parts of the piece: far beyond the rounding of a
 * steep one. */
#define NEAR 0x1p-20

/* And farther where the volume is flat: where it should be so many times its error. */
#define FLAT 4.0

/* How often the cell of the root is guessed: once as a rule, and again if that of neighbouring doubles is wanted. */
#define GUESS_CAP 6

/* Newton's steps to a root; from the middle of a piece without turning points in 4 on average. */
#define NEWTON_CAP 16

/* A step as short as this, in pieces, was the last but one: each squares the distance to the root. */
#define CLOSE 0x1p-28

/* Three vectors at two times, one in each lane. Vertex-face: two edges of the face from its first corner, and the
 * vertex from there; edge-edge: the edges, and the start of the second from that of the first. */
typedef struct ends {
    double2 u[3], v[3], w[3];
} ends;

typedef struct course {
    ends given;      /* at 0, and at 1 or the velocities */
    double size[3];  /* X, Y, Z */
    double reach[3]; /* the same, or infinite where out of range */
    double area[3];  /* Y Z, Z X, X Y, or infinite where one is out of range */
    double volume;   /* X Y Z, likewise */
    bool velocities;
    const tact_vec3 *start, *end;
    tact_ccd_kind kind;
} course;

/* A piece of time, and what can be told of it. */
typedef struct piece {
    double from, to;
    ends at;
    double2 n[3]; /* the normal at both ends */
    double m[3];  /* twice its coefficient between */
    double2 f;    /* the volume at both ends */
    double2 g;    /* three times its coefficients between */
    int sign[4];  /* of the coefficients in order, 0 for unsure */
} piece;

typedef enum inside { INSIDE_UNSURE, INSIDE, OUTSIDE } inside;

/* ---- motion ---- */

TACT_FORCE_INLINE void subtract(double2 to[3], const tact_vec3 *start, const tact_vec3 *end, int a, int b)
{
    to[0] = double2_sub(double2_make(start[a].x, end[a].x), double2_make(start[b].x, end[b].x));
    to[1] = double2_sub(double2_make(start[a].y, end[a].y), double2_make(start[b].y, end[b].y));
    to[2] = double2_sub(double2_make(start[a].z, end[a].z), double2_make(start[b].z, end[b].z));
}

TACT_FORCE_INLINE double2 max_double(double2 a, double2 b) { return simde_mm_max_pd(a, b); }
TACT_FORCE_INLINE double2 smaller(double2 a, double2 b) { return simde_mm_min_pd(a, b); }

/* X, Y, Z and their products. */
TACT_FORCE_INLINE void measure(course *c, double exit)
{
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++) {
        double2 most =
            max_double(max_double(double2_abs(c->given.u[k]), double2_abs(c->given.v[k])), double2_abs(c->given.w[k]));
        c->size[k] = c->velocities ? double2_low(most) + exit * double2_high(most)
                                   : filter_max(double2_low(most), double2_high(most));
    }
    bool fits[3];
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++) {
        fits[k] = c->size[k] >= FILTER_MIN_DIFFERENCE && c->size[k] <= FILTER_MAX_DIFFERENCE;
        c->reach[k] = fits[k] ? c->size[k] : INFINITY;
    }
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++) {
        int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
        c->area[k] = fits[i] && fits[j] ? c->size[i] * c->size[j] : INFINITY;
    }
    c->volume = fits[0] && fits[1] && fits[2] ? c->size[0] * c->size[1] * c->size[2] : INFINITY;
}

TACT_FORCE_INLINE void begin(course *c, tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                             const tact_ccd_def *def)
{
    c->kind = kind;
    c->start = start;
    c->end = end;
    c->velocities = def->velocities;
    bool face = kind == TACT_VERTEX_FACE;
    subtract(c->given.u, start, end, face ? 2 : 1, face ? 1 : 0);
    subtract(c->given.v, start, end, 3, face ? 1 : 2);
    subtract(c->given.w, start, end, face ? 0 : 2, face ? 1 : 0);
    measure(c, def->exit);
}

/* At two times each: x0 (1 - t) + x1 t, or x0 + v t. */
TACT_FORCE_INLINE double2 at_times(double2 given, double2 before, double2 after)
{
    double2 first = double2_unpack_low(given, given), second = double2_unpack_high(given, given);
    return double2_add(double2_mul(before, first), double2_mul(after, second));
}

TACT_FORCE_INLINE void move(const course *c, double from, double to, ends *at)
{
    double2 after = double2_make(from, to);
    double2 before = c->velocities ? double2_broadcast(1.0) : double2_sub(double2_broadcast(1.0), after);
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++) {
        at->u[k] = at_times(c->given.u[k], before, after);
        at->v[k] = at_times(c->given.v[k], before, after);
        at->w[k] = at_times(c->given.w[k], before, after);
    }
}

/* Are they surely apart along an axis, at both ends and so in between? */
TACT_FORCE_INLINE bool apart_on_axis(const course *c, const ends *at)
{
    double2 zero = double2_broadcast(0.0);
    bool apart = false;
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++) {
        double2 u = at->u[k], v = at->v[k], w = at->w[k], above, below;
        if (c->kind == TACT_EDGE_EDGE) { /* B from w to w + v, A from 0 to u */
            above = double2_sub(double2_add(w, smaller(v, zero)), max_double(u, zero));
            below = double2_sub(smaller(u, zero), double2_add(w, max_double(v, zero)));
        } else { /* B from 0 to u and v, A at w */
            above = double2_sub(smaller(smaller(u, v), zero), w);
            below = double2_sub(w, max_double(max_double(u, v), zero));
        }
        double2 least = max_double(smaller(above, double2_reverse(above)), smaller(below, double2_reverse(below)));
        apart = apart || double2_low(least) > CCD_GAP * c->reach[k];
    }
    return apart;
}

/* ---- coefficients ---- */

/* a_i b_j - a_j b_i */
TACT_FORCE_INLINE double2 minor(const double2 a[3], const double2 b[3], int i, int j)
{
    return double2_sub(double2_mul(a[i], b[j]), double2_mul(a[j], b[i]));
}

/* Twice the coefficient between of the same. */
TACT_FORCE_INLINE double minor_between(const double2 a[3], const double2 b[3], int i, int j)
{
    return double2_horizontal_add(
        double2_sub(double2_mul(a[i], double2_reverse(b[j])), double2_mul(a[j], double2_reverse(b[i]))));
}

/* The normal and the volume over a piece whose ends have been set. */
TACT_FORCE_INLINE void expand(const course *c, piece *p)
{
    const ends *at = &p->at;
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++) {
        int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
        p->n[k] = minor(at->u, at->v, i, j);
        p->m[k] = minor_between(at->u, at->v, i, j);
    }
    const double2 *n = p->n, *w = at->w;
    p->f = double2_add(double2_add(double2_mul(n[0], w[0]), double2_mul(n[1], w[1])), double2_mul(n[2], w[2]));
    double2 mw = double2_add(
        double2_add(double2_mul(double2_broadcast(p->m[0]), w[0]), double2_mul(double2_broadcast(p->m[1]), w[1])),
        double2_mul(double2_broadcast(p->m[2]), w[2]));
    double2 nw =
        double2_add(double2_add(double2_mul(n[0], double2_reverse(w[0])), double2_mul(n[1], double2_reverse(w[1]))),
                    double2_mul(n[2], double2_reverse(w[2])));
    p->g = double2_add(mw, nw);
    p->sign[0] = filter_sign(double2_low(p->f), CCD_VOLUME * c->volume);
    p->sign[1] = filter_sign(double2_low(p->g), CCD_VOLUME_BETWEEN * c->volume);
    p->sign[2] = filter_sign(double2_high(p->g), CCD_VOLUME_BETWEEN * c->volume);
    p->sign[3] = filter_sign(double2_high(p->f), CCD_VOLUME * c->volume);
}

/* A quadratic: at the ends, and twice the coefficient between. */
typedef struct quadratic {
    double2 ends;
    double between;
} quadratic;

TACT_FORCE_INLINE quadratic minor_all(const double2 a[3], const double2 b[3], int i, int j)
{
    return (quadratic){minor(a, b, i, j), minor_between(a, b, i, j)};
}

TACT_FORCE_INLINE quadratic minus(quadratic a, quadratic b)
{
    return (quadratic){double2_sub(a.ends, b.ends), a.between - b.between};
}

/* Two bits: 1 if it is positive all along, 2 if it is negative. */
TACT_FORCE_INLINE int signs(quadratic q, double end, double between)
{
    double a = double2_low(q.ends), b = double2_high(q.ends), m = q.between;
    bool positive = a > end && b > end && m > between, negative = a < -end && b < -end && m < -between;
    return (int)positive | (int)negative << 1;
}

/* Seen along axis k: three bits, 4 if they are apart while the volume is zero, otherwise those of the normal if they
 * surely touch. */
TACT_FORCE_INLINE inside look_along(const course *c, const piece *p, int k, int normal)
{
    int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
    const ends *at = &p->at;
    quadratic n = {p->n[k], p->m[k]}, first = minor_all(at->w, at->v, i, j);
    double e = CCD_TEST * c->area[k], b = CCD_TEST_BETWEEN * c->area[k];
    if (c->kind == TACT_VERTEX_FACE) {
        quadratic second = minor_all(at->u, at->w, i, j), third = minus(minus(n, first), second);
        int s1 = signs(first, e, b), s2 = signs(second, e, b), s3 = signs(third, e, b);
        if ((normal | s1 | s2 | s3) == 3)
            return OUTSIDE;
        return (s1 & s2 & s3) != 0 ? INSIDE : INSIDE_UNSURE;
    }
    quadratic second = minor_all(at->w, at->u, i, j);
    int s1 = signs(first, e, b), s2 = signs(minus(n, first), e, b);
    int s3 = signs(second, e, b), s4 = signs(minus(n, second), e, b);
    if ((normal | s1 | s2) == 3 || (normal | s3 | s4) == 3)
        return OUTSIDE;
    return (s1 & s2 & s3 & s4) != 0 ? INSIDE : INSIDE_UNSURE;
}

/* Where the volume is zero within the piece: do they touch there? Seen along the axis on which the normal is
 * clearest. */
TACT_FORCE_INLINE inside look_inside(const course *c, const piece *p)
{
    int best = -1, normal = 0;
    double most = 0.0;
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++) {
        int s = signs((quadratic){p->n[k], p->m[k]}, CCD_NORMAL * c->area[k], CCD_NORMAL_BETWEEN * c->area[k]);
        double a = fabs(double2_low(p->n[k])), b = fabs(double2_high(p->n[k])), m = 0.5 * fabs(p->m[k]);
        double clear = filter_min(filter_min(a, b), m) * c->size[k];
        if (s != 0 && clear > most) {
            most = clear;
            normal = s;
            best = k;
        }
    }
    if (best >= 0)
        return look_along(c, p, best, normal);
    TACT_UNROLL_3
    for (int k = 0; k < 3; k++)
        if (look_along(c, p, k, 0) == OUTSIDE)
            return OUTSIDE;
    return INSIDE_UNSURE;
}

/* ---- pairs of doubles ---- */

typedef struct dd2 {
    double2 high, low;
} dd2;

TACT_FORCE_INLINE dd2 quick_sum(double2 a, double2 b)
{
    double2 s = double2_add(a, b);
    return (dd2){s, double2_sub(b, double2_sub(s, a))};
}

TACT_FORCE_INLINE dd2 sum(double2 a, double2 b)
{
    double2 s = double2_add(a, b), t = double2_sub(s, a);
    return (dd2){s, double2_add(double2_sub(a, double2_sub(s, t)), double2_sub(b, t))};
}

TACT_FORCE_INLINE dd2 product(double2 a, double2 b)
{
    const double2 splitter = double2_broadcast(134217729.0); /* 2^27 + 1 */
    double2 p = double2_mul(a, b), ca = double2_mul(splitter, a), cb = double2_mul(splitter, b);
    double2 ah = double2_sub(ca, double2_sub(ca, a)), al = double2_sub(a, ah), bh = double2_sub(cb, double2_sub(cb, b)),
            bl = double2_sub(b, bh);
    double2 rest =
        double2_add(double2_add(double2_sub(double2_mul(ah, bh), p), double2_mul(ah, bl)), double2_mul(al, bh));
    return (dd2){p, double2_add(rest, double2_mul(al, bl))};
}

TACT_FORCE_INLINE dd2 pairs_add(dd2 a, dd2 b)
{
    dd2 s = sum(a.high, b.high);
    return quick_sum(s.high, double2_add(s.low, double2_add(a.low, b.low)));
}

TACT_FORCE_INLINE dd2 pairs_negate(dd2 a)
{
    return (dd2){double2_sub(double2_broadcast(0.0), a.high), double2_sub(double2_broadcast(0.0), a.low)};
}

TACT_FORCE_INLINE dd2 pairs_mul(dd2 a, dd2 b)
{
    dd2 p = product(a.high, b.high);
    return quick_sum(p.high, double2_add(p.low, double2_add(double2_mul(a.high, b.low), double2_mul(a.low, b.high))));
}

TACT_FORCE_INLINE dd2 pairs_minor(dd2 a, dd2 b, dd2 c, dd2 d)
{
    return pairs_add(pairs_mul(a, b), pairs_negate(pairs_mul(c, d)));
}

/* a - b for one coordinate, at both times. */
TACT_FORCE_INLINE dd2 pairs_at(double a0, double a1, double b0, double b1, dd2 before, double2 after)
{
    dd2 d = sum(double2_make(a0, a1), double2_make(-b0, -b1));
    dd2 first = {double2_unpack_low(d.high, d.high), double2_unpack_low(d.low, d.low)};
    dd2 second = {double2_unpack_high(d.high, d.high), double2_unpack_high(d.low, d.low)};
    return pairs_add(pairs_mul(before, first), pairs_mul((dd2){after, double2_broadcast(0.0)}, second));
}

typedef struct dd2_vec {
    dd2 x, y, z;
} dd2_vec;

static dd2_vec pairs_between(const course *c, int a, int b, dd2 before, double2 after)
{
    const tact_vec3 *s = c->start, *e = c->end;
    return (dd2_vec){pairs_at(s[a].x, e[a].x, s[b].x, e[b].x, before, after),
                     pairs_at(s[a].y, e[a].y, s[b].y, e[b].y, before, after),
                     pairs_at(s[a].z, e[a].z, s[b].z, e[b].z, before, after)};
}

/* The volume at two times. */
static double2 volumes(const course *c, double from, double to)
{
    double2 after = double2_make(from, to);
    dd2 before = {double2_broadcast(1.0), double2_broadcast(0.0)};
    if (!c->velocities)
        before = sum(double2_broadcast(1.0), double2_sub(double2_broadcast(0.0), after));
    bool face = c->kind == TACT_VERTEX_FACE;
    dd2_vec u = face ? pairs_between(c, 2, 1, before, after) : pairs_between(c, 1, 0, before, after);
    dd2_vec v = face ? pairs_between(c, 3, 1, before, after) : pairs_between(c, 3, 2, before, after);
    dd2_vec w = face ? pairs_between(c, 0, 1, before, after) : pairs_between(c, 2, 0, before, after);
    dd2 x = pairs_mul(pairs_minor(u.y, v.z, u.z, v.y), w.x);
    dd2 y = pairs_mul(pairs_minor(u.z, v.x, u.x, v.z), w.y);
    dd2 z = pairs_mul(pairs_minor(u.x, v.y, u.y, v.x), w.z);
    return pairs_add(pairs_add(x, y), z).high;
}

/* ---- roots ---- */

/* About where in (0, 1) the volume vanishes, which has one root there, and how steep it is. */
static double guess_root(const piece *p, double *steep)
{
    double f0 = double2_low(p->f), g1 = double2_low(p->g), g2 = double2_high(p->g), f3 = double2_high(p->f);
    double c1 = g1 - 3.0 * f0, c2 = g2 - 2.0 * g1 + 3.0 * f0, c3 = f3 - f0 + g1 - g2;
    double low = 0.0, high = 1.0, x = f0 / (f0 - f3);
    for (int i = 0; i < NEWTON_CAP; i++) {
        double y = f0 + x * (c1 + x * (c2 + x * c3)), slope = c1 + x * (2.0 * c2 + 3.0 * x * c3);
        if ((y > 0.0) == (f0 > 0.0))
            low = x;
        else
            high = x;
        double step = y / slope, next = x - step;
        *steep = fabs(slope);
        if (fabs(step) <= CLOSE)
            return filter_min(filter_max(next, 0.0), 1.0);
        x = next > low && next < high ? next : 0.5 * (low + high);
    }
    return x;
}

/* The cell of the grid that holds the root between low and high, where the volume surely has the signs `before` and
 * -before. */
static bool find_cell(const course *c, double low, double high, double root, int before, const tact_ccd_def *def,
                      double bracket[2])
{
    int grid = ccd_grid(def);
    for (int i = 0; i < GUESS_CAP; i++) {
        double from = ccd_cell_begin(root, grid), to = ccd_cell_end(from, grid);
        if (from <= low && to >= high) {
            bracket[0] = filter_max(from, def->enter + 0.0);
            bracket[1] = filter_min(to, def->exit);
            return true;
        }
        double a = filter_max(from, low), b = filter_min(to, high);
        double2 f = volumes(c, a, b);
        double fa = before * double2_low(f), fb = before * double2_high(f), bound = CCD_VOLUME_PAIRS * c->volume;
        if (a > low) {
            if (fa > bound)
                low = a;
            else if (fa < -bound)
                high = a;
            else
                return false;
        }
        if (b < high) {
            if (fb > bound)
                low = b;
            else if (fb < -bound)
                high = b;
            else
                return false;
        }
        root = a + (b - a) * (fa / (fa - fb));
        if (!(root > low))
            root = low;
        if (!(root < high))
            root =
                ccd_double_of_bits(wide_bits_of_double(high) - 1); /* the double before: in the cell that ends there */
    }
    return false;
}

/* One root is in the piece, and no other: do they touch there? */
static inside at_root(const course *c, const piece *p, bool known, const tact_ccd_def *def, double bracket[2])
{
    double length = p->to - p->from, steep, root = p->from + guess_root(p, &steep) * length;
    double reach = filter_max(NEAR, FLAT * (CCD_VOLUME * c->volume) / steep) * length;
    piece near;
    near.from = filter_max(root - reach, p->from);
    near.to = filter_min(root + reach, p->to);
    if (!known) {
        move(c, near.from, near.to, &near.at);
        expand(c, &near);
        if ((near.from > p->from && near.sign[0] != p->sign[0]) || (near.to < p->to && near.sign[3] != p->sign[3]))
            return INSIDE_UNSURE;
        inside there = look_inside(c, &near);
        if (there != INSIDE)
            return there;
    } else {
        near.from = p->from;
        near.to = p->to;
    }
    return find_cell(c, near.from, near.to, root, p->sign[0], def, bracket) ? INSIDE : INSIDE_UNSURE;
}

/* ---- the search ---- */

typedef enum found { NOTHING, CONTACT, UNSURE, HALVE } found;

/* What a piece holds. */
TACT_FORCE_INLINE found search(const course *c, piece *p, const tact_ccd_def *def, double bracket[2])
{
    move(c, p->from, p->to, &p->at);
    if (apart_on_axis(c, &p->at))
        return NOTHING;
    expand(c, p);
    const int *s = p->sign;
    if (s[0] != 0 && s[0] == s[1] && s[0] == s[2] && s[0] == s[3])
        return NOTHING; /* no root */
    inside there = look_inside(c, p);
    if (there == OUTSIDE)
        return NOTHING;
    /* One change of sign whatever the unsure coefficients are: one root, and simple. */
    if (s[0] * s[3] < 0 && (s[1] == s[0] || s[2] == s[3])) {
        there = at_root(c, p, there == INSIDE, def, bracket);
        return there == INSIDE ? CONTACT : there == OUTSIDE ? NOTHING : UNSURE;
    }
    if (there == INSIDE && (s[0] == 0 || s[3] == 0))
        return UNSURE; /* they touch at an end, or nearly: halves know no more */
    return HALVE;
}

ccd_verdict tact_ccd_filter(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                            const tact_ccd_def *def, double bracket[2])
{
    if (!(def->exit <= CCD_LATEST))
        return CCD_UNSURE;
    course c;
    begin(&c, kind, start, end, def);
    double later[SPLIT_CAP]; /* where the pieces end that follow this one, the next last */
    int count = 0, splits = 0;
    double narrowest = NARROWEST * (def->exit - def->enter);
    piece p;
    p.from = def->enter + 0.0; /* -0 becomes 0 */
    p.to = def->exit + 0.0;
    for (;;) {
        found what = search(&c, &p, def, bracket);
        if (what == CONTACT)
            return CCD_MEET;
        if (what == UNSURE)
            return CCD_UNSURE;
        if (what == NOTHING) {
            if (count == 0)
                return CCD_APART;
            p.from = p.to;
            p.to = later[--count];
            continue;
        }
        double middle = p.from + 0.5 * (p.to - p.from);
        if (splits == SPLIT_CAP || p.to - p.from <= narrowest || !(middle > p.from && middle < p.to))
            return CCD_UNSURE;
        splits++;
        later[count++] = p.to;
        p.to = middle;
    }
}
