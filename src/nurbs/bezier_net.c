#include "nurbs/bezier_net.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "math/vec.h"

/* ---- division ---- */

static inline nurbs_vec4 middle(nurbs_vec4 a, nurbs_vec4 b)
{
    return (nurbs_vec4){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z), 0.5 * (a.w + b.w)};
}

/* Divides a curve of `count` control points at `net`, `stride` apart, into `low` and `high` (de Casteljau). */
static void split_curve(const nurbs_vec4 *net, int count, int stride, nurbs_vec4 *low, nurbs_vec4 *high)
{
    nurbs_vec4 row[NURBS_MAX_ORDER];
    for (int i = 0; i < count; i++)
        row[i] = net[i * stride];
    for (int n = count - 1; n >= 0; n--) {
        low[(count - 1 - n) * stride] = row[0];
        high[n * stride] = row[n];
        for (int i = 0; i < n; i++)
            row[i] = middle(row[i], row[i + 1]);
    }
}

void tact_bezier_split(const nurbs_vec4 *net, const int degree[2], nurbs_vec4 *children)
{
    const int n = degree[0] + 1, k = degree[1] + 1, size = n * k;
    nurbs_vec4 halves[2][BEZIER_MAX_NET];
    for (int b = 0; b < k; b++)
        split_curve(net + b, n, k, halves[0] + b, halves[1] + b);
    for (int half = 0; half < 2; half++)
        for (int a = 0; a < n; a++)
            split_curve(halves[half] + a * k, k, 1, children + half * size + a * k,
                        children + (half + 2) * size + a * k);
}

void tact_bezier_halve(const nurbs_vec4 *net, const int degree[2], int d, nurbs_vec4 *children)
{
    const int n = degree[0] + 1, k = degree[1] + 1, size = n * k;
    if (d == 0)
        for (int b = 0; b < k; b++)
            split_curve(net + b, n, k, children + b, children + size + b);
    else
        for (int a = 0; a < n; a++)
            split_curve(net + a * k, k, 1, children + a * k, children + size + a * k);
}

/* ---- bounds ---- */

/* Bounds of derivatives over a patch. */
typedef struct net_derivatives {
    double s, t, ss, st, tt;
} net_derivatives;

/* First and mixed derivatives at the corner (0, 0), which second derivatives are compared with. */
typedef struct net_corner {
    nurbs_vec4 ss, st, tt;
} net_corner;

static inline nurbs_vec4 difference(nurbs_vec4 a, nurbs_vec4 b)
{
    return (nurbs_vec4){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

static inline double square_of(nurbs_vec4 a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

static inline void raise(double *largest, double value) { *largest = value > *largest ? value : *largest; }

/* The largest lengths of the derivatives of (x, y, z), minus `shift` in the second ones, and the largest derivatives of
 * w. */
static void find_derivatives(const nurbs_vec4 *net, const int degree[2], const net_corner *shift, net_derivatives *a,
                             net_derivatives *w)
{
    const int n = degree[0] + 1, k = degree[1] + 1;
    const double p = degree[0], q = degree[1];
    /* what the differences are compared with, divided by the factors of the derivatives of a Bernstein form */
    const double fs = p * (p - 1.0), ft = q * (q - 1.0), fm = p * q;
    *a = *w = (net_derivatives){0}; /* of a: squares */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const nurbs_vec4 *c = net + i * k + j;
            const nurbs_vec4 ds = i + 1 < n ? difference(c[k], c[0]) : (nurbs_vec4){0};
            const nurbs_vec4 dt = j + 1 < k ? difference(c[1], c[0]) : (nurbs_vec4){0};
            raise(&a->s, square_of(ds)), raise(&w->s, fabs(ds.w));
            raise(&a->t, square_of(dt)), raise(&w->t, fabs(dt.w));
            if (i + 2 < n) {
                nurbs_vec4 d = difference(difference(c[2 * k], c[k]), ds);
                raise(&w->ss, fabs(d.w));
                d.x -= shift->ss.x / fs, d.y -= shift->ss.y / fs, d.z -= shift->ss.z / fs;
                raise(&a->ss, square_of(d));
            }
            if (j + 2 < k) {
                nurbs_vec4 d = difference(difference(c[2], c[1]), dt);
                raise(&w->tt, fabs(d.w));
                d.x -= shift->tt.x / ft, d.y -= shift->tt.y / ft, d.z -= shift->tt.z / ft;
                raise(&a->tt, square_of(d));
            }
            if (i + 1 < n && j + 1 < k) {
                nurbs_vec4 d = difference(difference(c[k + 1], c[1]), ds);
                raise(&w->st, fabs(d.w));
                d.x -= shift->st.x / fm, d.y -= shift->st.y / fm, d.z -= shift->st.z / fm;
                raise(&a->st, square_of(d));
            }
        }
    a->s = p * sqrt(a->s), a->t = q * sqrt(a->t);
    a->ss = fs * sqrt(a->ss), a->tt = ft * sqrt(a->tt), a->st = fm * sqrt(a->st);
    w->s *= p, w->t *= q, w->ss *= fs, w->tt *= ft, w->st *= fm;
    if (degree[0] == 1) /* no second difference, but `shift` remains */
        a->ss = sqrt(square_of(shift->ss));
    if (degree[1] == 1)
        a->tt = sqrt(square_of(shift->tt));
}

static nurbs_vec4 scaled(nurbs_vec4 a, double f) { return (nurbs_vec4){f * a.x, f * a.y, f * a.z, f * a.w}; }

static nurbs_vec4 sum(nurbs_vec4 a, nurbs_vec4 b) { return (nurbs_vec4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

/* The bounds of a rational patch whose coordinates are relative to the corner (0, 0). First the terms of the quotient
 * rule are bounded one by one. Then the largest of them, which nearly cancel, are compared with their values at the
 * corner: 2 w_s S_s differs from its value 2 v S' there by at most 2 |w_s| |S_s - S'| + 2 |w_s - v| |S'|, which is of
 * third order. */
static bezier_chord_bounds rational_bounds(const nurbs_vec4 *net, const int degree[2], double scale)
{
    const int k = degree[1] + 1, size = (degree[0] + 1) * k;
    const net_corner none = {0};
    net_derivatives a, w;
    find_derivatives(net, degree, &none, &a, &w);
    double reach = 0.0, least = net[0].w;
    for (int i = 0; i < size; i++) {
        raise(&reach, square_of(net[i]) / (net[i].w * net[i].w));
        least = number_min(least, net[i].w);
    }
    reach = sqrt(reach);
    const double s = (a.s + w.s * reach) / least, t = (a.t + w.t * reach) / least;
    const double ss = (a.ss + 2.0 * w.s * s + w.ss * reach) / least, tt = (a.tt + 2.0 * w.t * t + w.tt * reach) / least,
                 st = (a.st + w.s * t + w.t * s + w.st * reach) / least;
    /* derivatives at the corner, where S is the origin: S_s = A_s / w */
    const nurbs_vec4 ds = scaled(difference(net[k], net[0]), degree[0]),
                     dt = scaled(difference(net[1], net[0]), degree[1]);
    const nurbs_vec4 s0 = scaled(ds, 1.0 / net[0].w), t0 = scaled(dt, 1.0 / net[0].w);
    const net_corner corner = {scaled(s0, 2.0 * ds.w), sum(scaled(t0, ds.w), scaled(s0, dt.w)), scaled(t0, 2.0 * dt.w)};
    const double s_length = sqrt(square_of(s0)), t_length = sqrt(square_of(t0));
    net_derivatives b, unused;
    find_derivatives(net, degree, &corner, &b, &unused);
    const double s_change = ss + st, t_change = st + tt, ws_change = w.ss + w.st, wt_change = w.st + w.tt;
    const double ss2 = (b.ss + 2.0 * (w.s * s_change + ws_change * s_length) + w.ss * reach) / least,
                 tt2 = (b.tt + 2.0 * (w.t * t_change + wt_change * t_length) + w.tt * reach) / least,
                 st2 = (b.st + w.s * t_change + ws_change * t_length + w.t * s_change + wt_change * s_length +
                        w.st * reach) /
                       least;
    return (bezier_chord_bounds){{ss, ss2}, {st, st2}, {tt, tt2}, scale};
}

/* The bounds of a patch. */
static bezier_chord_bounds find_chord_bounds(const nurbs_vec4 *net, const int degree[2], bool rational)
{
    /* relative to the first control point, and scaled so that squares neither overflow nor underflow */
    const int size = (degree[0] + 1) * (degree[1] + 1);
    const tact_vec3 c = vec_make(net[0].x / net[0].w, net[0].y / net[0].w, net[0].z / net[0].w);
    nurbs_vec4 local[BEZIER_MAX_NET];
    double largest = 0.0, scale = 1.0;
    for (int i = 0; i < size; i++) {
        const nurbs_vec4 p = net[i];
        local[i] = (nurbs_vec4){p.x - p.w * c.x, p.y - p.w * c.y, p.z - p.w * c.z, p.w};
        raise(&largest, vec_max_abs(vec_make(local[i].x, local[i].y, local[i].z)));
    }
    if (!(largest > 0.0))
        return (bezier_chord_bounds){.scale = scale};
    if (largest > NURBS_MAX_SQUARABLE || largest < 1.0 / NURBS_MAX_SQUARABLE) {
        int exponent;
        (void)frexp(largest, &exponent);
        scale = ldexp(1.0, exponent);
        for (int i = 0; i < size; i++)
            local[i] = (nurbs_vec4){local[i].x / scale, local[i].y / scale, local[i].z / scale, local[i].w};
    }
    if (rational)
        return rational_bounds(local, degree, scale);
    const net_corner none = {0};
    net_derivatives a, w;
    find_derivatives(local, degree, &none, &a, &w);
    return (bezier_chord_bounds){{a.ss, a.ss}, {a.st, a.st}, {a.tt, a.tt}, scale};
}

static double chord_error(const bezier_chord_bounds *b)
{
    const double least =
        number_min(b->ss[0], b->ss[1]) + 2.0 * number_min(b->st[0], b->st[1]) + number_min(b->tt[0], b->tt[1]);
    return 0.125 * b->scale * least * (1.0 + NURBS_BOUND_ROUNDOFF);
}

double tact_bezier_chord_error(const nurbs_vec4 *net, const int degree[2], bool rational)
{
    const bezier_chord_bounds b = find_chord_bounds(net, degree, rational);
    return chord_error(&b);
}

double tact_bezier_raise_chord_error(bezier_chord_bounds *b, const nurbs_vec4 *net, const int degree[2], bool rational)
{
    const bezier_chord_bounds e = find_chord_bounds(net, degree, rational);
    const double larger = number_max(b->scale, e.scale), f = b->scale / larger, g = e.scale / larger;
    for (int i = 0; i < 2; i++) { /* a convex function of time is largest at one of the ends */
        b->ss[i] = number_max(f * b->ss[i], g * e.ss[i]);
        b->st[i] = number_max(f * b->st[i], g * e.st[i]);
        b->tt[i] = number_max(f * b->tt[i], g * e.tt[i]);
    }
    b->scale = larger;
    return chord_error(b);
}

void tact_bezier_speeds(const nurbs_vec4 *net, const int degree[2], double speeds[2])
{
    /* |A_s - w_s (S - c)| / w relative to c, the first control point; sums of absolute coordinates cannot overflow */
    const int n = degree[0] + 1, k = degree[1] + 1;
    const nurbs_vec4 c = scaled(net[0], 1.0 / net[0].w);
    double reach = 0.0, least = net[0].w, step[2] = {0.0, 0.0}, weight[2] = {0.0, 0.0};
    for (int i = 0; i < n * k; i++) {
        const nurbs_vec4 p = difference(net[i], scaled(c, net[i].w));
        raise(&reach, (fabs(p.x) + fabs(p.y) + fabs(p.z)) / net[i].w);
        least = number_min(least, net[i].w);
        for (int d = 0; d < 2; d++) {
            if (d == 0 ? i / k + 1 == n : i % k + 1 == k)
                continue;
            const nurbs_vec4 *q = net + i + (d == 0 ? k : 1);
            const nurbs_vec4 e = difference(difference(*q, scaled(c, q->w)), p);
            raise(&step[d], fabs(e.x) + fabs(e.y) + fabs(e.z));
            raise(&weight[d], fabs(q->w - net[i].w));
        }
    }
    for (int d = 0; d < 2; d++)
        speeds[d] = degree[d] * (step[d] + weight[d] * reach) / least * (1.0 + NURBS_BOUND_ROUNDOFF);
}
