#include "nurbs/bezier_net.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
            split_curve(halves[half] + a * k, k, 1, children + half * size + a * k, children + (half + 2) * size + a * k);
}

/* ---- bounds ---- */

/* Largest differences of the control points of a patch: of A = w (S - c), and of w. */
typedef struct net_differences {
    double s, t, ss, st, tt;
} net_differences;

static inline nurbs_vec4 difference(nurbs_vec4 a, nurbs_vec4 b)
{
    return (nurbs_vec4){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}

static inline double length_of(nurbs_vec4 a) { return vec_length_safe(vec_make(a.x, a.y, a.z)); }

static inline void raise(double *largest, double value) { *largest = value > *largest ? value : *largest; }

/* Differences of `net` with all coordinates scaled so that lengths can be squared. */
static void find_differences(const nurbs_vec4 *net, const int degree[2], net_differences *a, net_differences *w)
{
    const int n = degree[0] + 1, k = degree[1] + 1;
    *a = *w = (net_differences){0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const nurbs_vec4 *p = net + i * k + j;
            const nurbs_vec4 ds = i + 1 < n ? difference(p[k], p[0]) : (nurbs_vec4){0};
            const nurbs_vec4 dt = j + 1 < k ? difference(p[1], p[0]) : (nurbs_vec4){0};
            raise(&a->s, length_of(ds)), raise(&w->s, fabs(ds.w));
            raise(&a->t, length_of(dt)), raise(&w->t, fabs(dt.w));
            if (i + 2 < n) {
                const nurbs_vec4 d = difference(difference(p[2 * k], p[k]), ds);
                raise(&a->ss, length_of(d)), raise(&w->ss, fabs(d.w));
            }
            if (j + 2 < k) {
                const nurbs_vec4 d = difference(difference(p[2], p[1]), dt);
                raise(&a->tt, length_of(d)), raise(&w->tt, fabs(d.w));
            }
            if (i + 1 < n && j + 1 < k) {
                const nurbs_vec4 d = difference(difference(p[k + 1], p[1]), ds);
                raise(&a->st, length_of(d)), raise(&w->st, fabs(d.w));
            }
        }
    const double p = degree[0], q = degree[1];
    for (int i = 0; i < 2; i++) { /* derivatives of the Bernstein form */
        net_differences *d = i == 0 ? a : w;
        d->s *= p, d->t *= q, d->ss *= p * (p - 1.0), d->tt *= q * (q - 1.0), d->st *= p * q;
    }
}

double tact_bezier_chord_error(const nurbs_vec4 *net, const int degree[2], bool rational)
{
    const int size = (degree[0] + 1) * (degree[1] + 1);
    net_differences a, w;
    double error;
    if (!rational) {
        find_differences(net, degree, &a, &w);
        error = a.ss + 2.0 * a.st + a.tt;
    } else {
        nurbs_vec4 shifted[BEZIER_MAX_NET];
        const nurbs_vec4 c = {net[0].x / net[0].w, net[0].y / net[0].w, net[0].z / net[0].w, 1.0};
        double reach = 0.0, least = net[0].w;
        for (int i = 0; i < size; i++) {
            const nurbs_vec4 *p = net + i;
            shifted[i] = (nurbs_vec4){p->x - p->w * c.x, p->y - p->w * c.y, p->z - p->w * c.z, p->w};
            raise(&reach, length_of(shifted[i]) / p->w);
            least = fmin(least, p->w);
        }
        find_differences(shifted, degree, &a, &w);
        const double s = (a.s + w.s * reach) / least, t = (a.t + w.t * reach) / least; /* |S_s|, |S_t| */
        const double ss = a.ss + 2.0 * w.s * s + w.ss * reach, tt = a.tt + 2.0 * w.t * t + w.tt * reach,
                     st = a.st + w.s * t + w.t * s + w.st * reach;
        error = (ss + 2.0 * st + tt) / least;
    }
    return 0.125 * error * (1.0 + NURBS_BOUND_ROUNDOFF);
}
