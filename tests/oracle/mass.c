#include "oracle/mass.h"

#include <math.h>
#include <string.h>

enum { RULE = 48 };

static const real_number PI_LONG = 3.14159265358979323846264338327950288L;

/* Gauss' rule on [0, 1], by Newton's method on the Legendre polynomial. */
static void gauss(real_number node[RULE], real_number weight[RULE])
{
    for (int i = 0; i < RULE; i++) {
        real_number x = cosl(PI_LONG * (i + 0.75L) / (RULE + 0.5L)), slope = 1.0L;
        for (int step = 0; step < 8; step++) { /* quadratic convergence from an error below 1e-3 */
            real_number p0 = 1.0L, p1 = x;
            for (int k = 2; k <= RULE; k++) {
                real_number p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
                p0 = p1;
                p1 = p2;
            }
            slope = RULE * (x * p1 - p0) / (x * x - 1.0L);
            x -= p1 / slope;
        }
        node[i] = 0.5L * (1.0L - x);
        weight[i] = 1.0L / ((1.0L - x * x) * slope * slope);
    }
}

oracle_mass oracle_mass_near(tact_vec3 from)
{
    oracle_mass m;
    memset(&m, 0, sizeof m);
    m.from[0] = from.x;
    m.from[1] = from.y;
    m.from[2] = from.z;
    return m;
}

/* The image of a vector. */
static void turn(const tact_transform *at, const real_number p[3], real_number q[3])
{
    q[0] = at->x_axis.x * p[0] + at->y_axis.x * p[1] + at->z_axis.x * p[2];
    q[1] = at->x_axis.y * p[0] + at->y_axis.y * p[1] + at->z_axis.y * p[2];
    q[2] = at->x_axis.z * p[0] + at->y_axis.z * p[1] + at->z_axis.z * p[2];
}

/* The image of a point, as the sum sees it. */
static void place(const oracle_mass *m, const tact_transform *at, const real_number p[3], real_number q[3])
{
    turn(at, p, q);
    q[0] += at->origin.x - m->from[0];
    q[1] += at->origin.y - m->from[1];
    q[2] += at->origin.z - m->from[2];
}

static void place_vec(const oracle_mass *m, const tact_transform *at, tact_vec3 v, real_number q[3])
{
    const real_number p[3] = {v.x, v.y, v.z};
    place(m, at, p, q);
}

static void cross(const real_number a[3], const real_number b[3], real_number c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static real_number dot(const real_number a[3], const real_number b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_point(oracle_mass *m, real_number w, const real_number p[3], real_number f1, real_number f2)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 3; i++)
        m->first[i] += f1 * w * p[i];
    for (int i = 0; i < 6; i++)
        m->second[i] += f2 * w * p[row[i]] * p[column[i]];
}

/* The cone from 0 over a piece of surface at p with the tangents u and v: det/3, and p det/4, p p^t det/5. */
static void add_patch(oracle_mass *m, real_number w, const real_number p[3], const real_number u[3],
                      const real_number v[3])
{
    real_number n[3];
    cross(u, v, n);
    real_number d = w * dot(n, p);
    m->measure += d / 3.0L;
    add_point(m, d, p, 0.25L, 0.2L);
}

/* Mirrored, everything has come out negative. */
static void add_absolute(oracle_mass *to, const oracle_mass *part)
{
    real_number sign = part->measure < 0.0L ? -1.0L : 1.0L;
    to->measure += sign * part->measure;
    for (int i = 0; i < 3; i++)
        to->first[i] += sign * part->first[i];
    for (int i = 0; i < 6; i++)
        to->second[i] += sign * part->second[i];
}

void oracle_mass_add_turned(oracle_mass *m, const oracle_profile *profile, int count, const tact_transform *at)
{
    real_number node[RULE], weight[RULE];
    oracle_mass all;
    memset(&all, 0, sizeof all);
    gauss(node, weight);
    for (int k = 0; k < count; k++) {
        const oracle_profile *o = &profile[k];
        for (int i = 0; i < RULE; i++) {
            real_number y = o->y0 + node[i] * (o->y1 - o->y0), r = o->r0 + node[i] * (o->r1 - o->r0);
            real_number dy = o->y1 - o->y0, dr = o->r1 - o->r0;
            if (o->radius > 0.0L) {
                real_number a = o->from + node[i] * (o->to - o->from);
                y = o->centre_y + o->radius * sinl(a);
                r = o->centre_r + o->radius * cosl(a);
                dy = o->radius * cosl(a) * (o->to - o->from);
                dr = -o->radius * sinl(a) * (o->to - o->from);
            }
            for (int j = 0; j < 16; j++) { /* exact for trigonometric polynomials of degree 4 */
                real_number a = PI_LONG * j / 8.0L, c = cosl(a), s = sinl(a);
                const real_number p[3] = {r * c, y, r * s}, u[3] = {dr * c, dy, dr * s}, v[3] = {-r * s, 0.0L, r * c};
                real_number q[3], qu[3], qv[3];
                place(m, at, p, q);
                turn(at, u, qu);
                turn(at, v, qv);
                add_patch(&all, weight[i] * PI_LONG / 8.0L, q, qu, qv);
            }
        }
    }
    add_absolute(m, &all);
}

void oracle_mass_add_ellipsoid(oracle_mass *m, const real_number radii[3], const tact_transform *at, real_number margin)
{
    real_number node[RULE], weight[RULE], axis[3][3], cofactor[3][3];
    oracle_mass all;
    memset(&all, 0, sizeof all);
    gauss(node, weight);
    for (int i = 0; i < 3; i++) {
        const real_number e[3] = {i == 0 ? radii[0] : 0.0L, i == 1 ? radii[1] : 0.0L, i == 2 ? radii[2] : 0.0L};
        turn(at, e, axis[i]);
    }
    for (int i = 0; i < 3; i++)
        cross(axis[(i + 1) % 3], axis[(i + 2) % 3], cofactor[i]);
    real_number sign = dot(axis[0], cofactor[0]) < 0.0L ? -1.0L : 1.0L;
    const real_number origin[3] = {at->origin.x - m->from[0], at->origin.y - m->from[1], at->origin.z - m->from[2]};
    /* the margin makes it no polynomial, which would need but few points */
    const int bands = margin > 0.0L ? 12 : 1, meridians = margin > 0.0L ? 400 : 16;
    for (int band = 0; band < bands; band++) {
        for (int i = 0; i < RULE; i++) {
            real_number theta = PI_LONG * (band + node[i]) / bands, st = sinl(theta), ct = cosl(theta);
            for (int j = 0; j < meridians; j++) {
                real_number phi = 2.0L * PI_LONG * j / meridians, sp = sinl(phi), cp = cosl(phi);
                const real_number u[3][3] = {
                    {st * cp, st * sp, ct}, {ct * cp, ct * sp, -st}, {-st * sp, st * cp, 0.0L}};
                real_number q[3][3], g[3][3];
                for (int d = 0; d < 3; d++) {
                    for (int x = 0; x < 3; x++) {
                        q[d][x] = u[d][0] * axis[0][x] + u[d][1] * axis[1][x] + u[d][2] * axis[2][x];
                        g[d][x] =
                            sign * (u[d][0] * cofactor[0][x] + u[d][1] * cofactor[1][x] + u[d][2] * cofactor[2][x]);
                    }
                }
                real_number length = sqrtl(dot(g[0], g[0])),
                            n[3] = {g[0][0] / length, g[0][1] / length, g[0][2] / length};
                for (int d = 0; d < 3; d++) {
                    real_number along = d == 0 ? 0.0L : dot(n, g[d]);
                    for (int x = 0; x < 3; x++)
                        q[d][x] += margin * (d == 0 ? n[x] : (g[d][x] - along * n[x]) / length);
                }
                for (int x = 0; x < 3; x++)
                    q[0][x] += origin[x];
                add_patch(&all, weight[i] * PI_LONG / bands * 2.0L * PI_LONG / meridians, q[0], q[1], q[2]);
            }
        }
    }
    add_absolute(m, &all);
}

/* Simplices by a rule that is exact for squares: the corners and the middle. */
static void add_simplex_rule(oracle_mass *m, real_number measure, real_number p[4][3], int count)
{
    real_number corner = 1.0L / ((real_number)count * (count + 1)), middle = (real_number)count / (count + 1);
    real_number c[3] = {0.0L, 0.0L, 0.0L};
    m->measure += measure;
    for (int i = 0; i < count; i++) {
        add_point(m, measure * corner, p[i], 1.0L, 1.0L);
        for (int k = 0; k < 3; k++)
            c[k] += p[i][k] / count;
    }
    add_point(m, measure * middle, c, 1.0L, 1.0L);
}

static real_number simplex_measure(real_number p[4][3], int count)
{
    real_number e[3][3] = {{0.0L}}, n[3];
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 3; k++)
            e[i - 1][k] = p[i][k] - p[0][k];
    if (count == 2)
        return sqrtl(dot(e[0], e[0]));
    cross(e[0], e[1], n);
    return count == 3 ? 0.5L * sqrtl(dot(n, n)) : dot(n, e[2]) / 6.0L;
}

void oracle_mass_add_simplex(oracle_mass *m, const tact_vec3 *corners, int count, const tact_transform *at)
{
    real_number p[4][3];
    for (int i = 0; i < count; i++)
        place_vec(m, at, corners[i], p[i]);
    add_simplex_rule(m, fabsl(simplex_measure(p, count)), p, count);
}

void oracle_mass_add_cone(oracle_mass *m, tact_vec3 from, const tact_vec3 corners[3], const tact_transform *at)
{
    real_number p[4][3];
    place_vec(m, at, from, p[0]);
    for (int i = 0; i < 3; i++)
        place_vec(m, at, corners[i], p[i + 1]);
    add_simplex_rule(m, simplex_measure(p, 4), p, 4);
}

void oracle_mass_add_hull(oracle_mass *m, const tact_vec3 *points, int count, const tact_transform *at)
{
    real_number p[64][3];
    for (int i = 0; i < count; i++)
        place_vec(m, at, points[i], p[i]);
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            for (int k = j + 1; k < count; k++) {
                bool below = true, above = true;
                real_number t[4][3];
                memcpy(t[0], p[i], sizeof t[0]);
                memcpy(t[1], p[j], sizeof t[1]);
                memcpy(t[2], p[k], sizeof t[2]);
                for (int l = 0; l < count; l++) {
                    if (l == i || l == j || l == k)
                        continue;
                    memcpy(t[3], p[l], sizeof t[3]);
                    real_number v = simplex_measure(t, 4);
                    below = below && v < 0.0L;
                    above = above && v > 0.0L;
                }
                if (below || above) { /* a face: the tetrahedron to the first point */
                    memcpy(t[3], p[0], sizeof t[3]);
                    add_simplex_rule(m, fabsl(simplex_measure(t, 4)), t, 4);
                }
            }
        }
    }
}

void oracle_mass_add_rounded_box(oracle_mass *m, const real_number half[3], real_number margin)
{
    real_number node[RULE], weight[RULE];
    gauss(node, weight);
    for (int axis = 0; axis < 3; axis++) {
        /* slices across the axis are rounded rectangles, to radius r: of full radius along the box, less beyond its end
         * */
        real_number a = half[(axis + 1) % 3], b = half[(axis + 2) % 3], h = half[axis];
        for (int i = 0; i < RULE; i++) {
            real_number t = 0.5L * PI_LONG * node[i], beyond = h + margin * sinl(t), r = margin * cosl(t);
            real_number inside = h * node[i];
            real_number full = 4.0L * a * b + 4.0L * margin * (a + b) + PI_LONG * margin * margin;
            real_number less = 4.0L * a * b + 4.0L * r * (a + b) + PI_LONG * r * r;
            real_number w_inside = 2.0L * h * weight[i] * full, w_beyond = PI_LONG * weight[i] * r * less;
            m->measure += axis == 0 ? w_inside + w_beyond : 0.0L;
            m->second[axis] += w_inside * inside * inside + w_beyond * beyond * beyond;
        }
    }
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

static double off(real_number a, real_number b, real_number scale)
{
    real_number d = fabsl(a - b) / scale;
    return d <= 1e300L ? (double)d : INFINITY;
}

double oracle_mass_off(const oracle_mass *m, const tact_mass *answer)
{
    real_number c[3], s[6], size, worst = off(answer->measure, m->measure, m->measure);
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 3; i++)
        c[i] = m->first[i] / m->measure;
    for (int i = 0; i < 6; i++)
        s[i] = m->second[i] / m->measure - c[row[i]] * c[column[i]];
    size = s[0] + s[1] + s[2];
    const real_number centre[3] = {answer->centre.x, answer->centre.y, answer->centre.z};
    const tact_inertia *t = &answer->inertia;
    const real_number inertia[6] = {t->xx, t->yy, t->zz, t->xy, t->xz, t->yz};
    for (int i = 0; i < 3; i++)
        worst = fmaxl(worst, off(centre[i], c[i] + m->from[i], sqrtl(size)));
    for (int i = 0; i < 6; i++)
        worst = fmaxl(worst, off(inertia[i] / answer->mass, i < 3 ? size - s[i] : -s[i], size));
    return (double)worst;
}

double oracle_mass_rounding(const tact_mass *answer, double own, double reach)
{
    double sum = answer->principal_moments.x + answer->principal_moments.y + answer->principal_moments.z;
    return own + 4e-16 * reach / sqrt(0.5 * sum / answer->mass);
}

double oracle_mass_axes_off(const tact_mass *answer)
{
    const tact_quat q = answer->principal_axes;
    const tact_inertia *t = &answer->inertia;
    double worst = fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0);
    const double r[3][3] = {
        {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
        {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
        {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)},
    };
    const double d[3] = {answer->principal_moments.x, answer->principal_moments.y, answer->principal_moments.z};
    const double want[3][3] = {{t->xx, t->xy, t->xz}, {t->xy, t->yy, t->yz}, {t->xz, t->yz, t->zz}};
    double size = d[0] + d[1] + d[2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += r[i][k] * d[k] * r[j][k];
            double gap = size > 0.0 ? fabs(sum - want[i][j]) / size : fabs(want[i][j]);
            worst = gap <= worst ? worst : gap;
        }
        if (!(d[i] >= 0.0) || !(d[i] <= (size - d[i]) * (1.0 + 1e-12)))
            worst = INFINITY;
    }
    return worst;
}

bool oracle_mass_same(const tact_mass *a, const tact_mass *b) /* member by member: between them there may be anything */
{
    return a->status == b->status && a->dimension == b->dimension && memcmp(&a->mass, &b->mass, sizeof a->mass) == 0 &&
           memcmp(&a->measure, &b->measure, sizeof a->measure) == 0 &&
           memcmp(&a->centre, &b->centre, sizeof a->centre) == 0 &&
           memcmp(&a->inertia, &b->inertia, sizeof a->inertia) == 0 &&
           memcmp(&a->principal_moments, &b->principal_moments, sizeof a->principal_moments) == 0 &&
           memcmp(&a->principal_axes, &b->principal_axes, sizeof a->principal_axes) == 0 &&
           memcmp(&a->error, &b->error, sizeof a->error) == 0;
}
