/* CCD in plain floating point. See plain_cubic.h. */
#include "plain_cubic.h"

#include <math.h>

#include "math/vec.h"

/* Tolerance of barycentric coordinates and edge parameters, as usual in such code. */
#define PLAIN_TOLERANCE 1e-8
#define PLAIN_STEPS 60 /* Newton or bisection steps; doubles need fewer */

typedef struct cubic {
    double a, b, c, d; /* a t^3 + b t^2 + c t + d */
} cubic;

static double at(const cubic *f, double t) { return ((f->a * t + f->b) * t + f->c) * t + f->d; }

/* The root between two times with values of different signs, by Newton's method safeguarded by bisection. */
static double root_between(const cubic *f, double low, double high, double at_low)
{
    double t = 0.5 * (low + high);
    for (int i = 0; i < PLAIN_STEPS; i++) {
        const double value = at(f, t), slope = (3.0 * f->a * t + 2.0 * f->b) * t + f->c;
        if (value == 0.0)
            return t;
        if ((value < 0.0) == (at_low < 0.0))
            low = t;
        else
            high = t;
        double next = t - value / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - t) <= 1e-14)
            return next;
        t = next;
    }
    return t;
}

/* The roots in [0, 1], ascending: at most one in each monotone interval. */
static int roots_of(const cubic *f, double roots[3])
{
    double ends[4] = {0.0};
    int pieces = 0, count = 0;
    const double p = f->b / 3.0, q = p * p - f->a * f->c / 3.0; /* derivative: 3 (a t^2 + 2 p t + c / 3) */
    if (q > 0.0) {
        const double s = -(p + copysign(sqrt(q), p));
        double one = s / f->a, two = f->c / 3.0 / s;
        if (!(one < two)) {
            const double swap = one;
            one = two;
            two = swap;
        }
        if (one > 0.0 && one < 1.0)
            ends[++pieces] = one;
        if (two > 0.0 && two < 1.0)
            ends[++pieces] = two;
    }
    ends[++pieces] = 1.0;
    double before = f->d;
    for (int i = 0; i < pieces; i++) {
        const double after = at(f, ends[i + 1]);
        if (before == 0.0)
            roots[count++] = ends[i];
        else if (after != 0.0 && (before < 0.0) != (after < 0.0))
            roots[count++] = root_between(f, ends[i], ends[i + 1], before);
        before = after;
    }
    if (before == 0.0 && count < 3)
        roots[count++] = 1.0;
    return count;
}

static bool overlap_at(tact_ccd_kind kind, const tact_vec3 x[4])
{
    if (kind == TACT_VERTEX_FACE) {
        const tact_vec3 u = vec_sub(x[2], x[1]), v = vec_sub(x[3], x[1]), w = vec_sub(x[0], x[1]);
        const double uu = vec_dot(u, u), uv = vec_dot(u, v), vv = vec_dot(v, v), wu = vec_dot(w, u), wv = vec_dot(w, v);
        const double d = uu * vv - uv * uv, s = vv * wu - uv * wv, t = uu * wv - uv * wu, e = PLAIN_TOLERANCE * d;
        return d > 0.0 && s >= -e && t >= -e && s + t <= d + e;
    }
    const tact_vec3 u = vec_sub(x[1], x[0]), v = vec_sub(x[3], x[2]), w = vec_sub(x[2], x[0]);
    const double uu = vec_dot(u, u), uv = vec_dot(u, v), vv = vec_dot(v, v), wu = vec_dot(w, u), wv = vec_dot(w, v);
    const double d = uu * vv - uv * uv, s = vv * wu - uv * wv, t = uv * wu - uu * wv, e = PLAIN_TOLERANCE * d;
    return d > 0.0 && s >= -e && s <= d + e && t >= -e && t <= d + e;
}

bool tact_plain_cubic(const ccd_pairs *pairs, int i, double *time)
{
    tact_vec3 x[4], displacement[4];
    for (int k = 0; k < 4; k++) {
        x[k] = (tact_vec3){pairs->start[k][0][i], pairs->start[k][1][i], pairs->start[k][2][i]};
        displacement[k] = vec_sub((tact_vec3){pairs->end[k][0][i], pairs->end[k][1][i], pairs->end[k][2][i]}, x[k]);
    }
    const tact_vec3 p = vec_sub(x[1], x[0]), q = vec_sub(x[2], x[0]), r = vec_sub(x[3], x[0]);
    const tact_vec3 u = vec_sub(displacement[1], displacement[0]), v = vec_sub(displacement[2], displacement[0]),
                    w = vec_sub(displacement[3], displacement[0]);
    /* grouped into four cross products (Hutter and Fuhrmann 2007) */
    const tact_vec3 qr = vec_cross(q, r), vw = vec_cross(v, w);
    const tact_vec3 mixed = vec_add(vec_cross(q, w), vec_cross(v, r));
    const cubic f = {vec_dot(u, vw), vec_dot(p, vw) + vec_dot(u, mixed), vec_dot(u, qr) + vec_dot(p, mixed),
                     vec_dot(p, qr)};
    double roots[3];
    const int count = roots_of(&f, roots);
    for (int k = 0; k < count; k++) {
        tact_vec3 y[4];
        for (int j = 0; j < 4; j++)
            y[j] = vec_add(x[j], vec_scale(displacement[j], roots[k]));
        if (overlap_at(pairs->kind, y)) {
            *time = roots[k];
            return true;
        }
    }
    return false;
}
