/*
 * Where a segment crosses a plane or a line: rounded, for all finite doubles.
 *
 * With the determinants f of p and g of q, which have opposite signs, the point is (g p - f q) / (g - f) = p + t (q -
 * p), t = f / (f - g). First in pairs of doubles (math/dd.h): differences are exact, a determinant of three of them
 * is off by less than 2^7 2^-104 X Y Z (X, Y, Z: the largest differences along the axes), hence t by less than 2^-56
 * when |f - g| is more than 2^-40 X Y Z; then p + t (q - p) is off by 2^-56 |q - p| and the last rounding, which is
 * below two units in the last place of the larger of p and q. Where |f - g| is smaller, or the sizes leave the range in
 * which pairs are exact, numerator and denominator are computed in integers (math/wide.h), and their highest 64 bits
 * divided: that is off by 2^-62 of itself and the last rounding.
 */
#include "math/segment_plane.h"

#include <math.h>

#include "math/dd.h"
#include "math/vec.h"
#include "math/wide.h"

/* The share of X Y Z (of X Y in the plane) that f - g must have for pairs to be good enough: see above. */
#define CROSSING_SURE 0x1p-40

/* The range of the maxima, in units of length, in which no product of pairs overflows or loses its low half. */
#define CROSSING_LEAST 0x1p-200
#define CROSSING_MOST 0x1p200

#define N WIDE_DOUBLE_WORDS

static double larger_size(double a, double b) { return max_double(fabs(a), fabs(b)); }

static double clamp(double x, double p, double q)
{
    double low = p < q ? p : q, high = p < q ? q : p;
    return x < low ? low : x > high ? high : x;
}

/* p + t (q - p) */
static double along(double p, double q, dd t)
{
    dd x = dd_add(dd_mul(t, dd_two_sum(q, -p)), dd_make(p));
    return clamp(x.high, p, q);
}

static tact_vec3 point_along(tact_vec3 p, tact_vec3 q, dd f, dd g)
{
    dd t = dd_div(f, dd_sub(f, g));
    return vec_make(along(p.x, q.x, t), along(p.y, q.y, t), along(p.z, q.z, t));
}

static bool in_range(double largest) { return largest >= CROSSING_LEAST && largest <= CROSSING_MOST; }

/* p q - r s */
static dd minor_of_pairs(dd p, dd q, dd r, dd s) { return dd_sub(dd_mul(p, q), dd_mul(r, s)); }

/* ---- in integers ---- */

/* The highest 64 bits of |a|, not 0, as a pair, and the power of two that goes with them. */
static dd highest_bits(wide a, int *exponent)
{
    int zeros = wide_leading_zeros(a.words[a.count - 1]);
    uint64_t top = a.words[a.count - 1] << zeros;
    if (zeros > 0 && a.count > 1)
        top |= a.words[a.count - 2] >> (64 - zeros);
    *exponent = 64 * (a.count - 1) - zeros;
    return dd_fast_two_sum((double)(top >> 32) * 0x1p32, (double)(top & 0xffffffffu));
}

/* a / b 2^exponent, rounded */
static double quotient(wide a, wide b, int exponent)
{
    if (a.sign == 0)
        return 0.0;
    int shift_a, shift_b;
    dd high_a = highest_bits(a, &shift_a), high_b = highest_bits(b, &shift_b);
    double q = dd_div(high_a, high_b).high;
    q = ldexp(q, shift_a - shift_b + exponent);
    return a.sign * b.sign < 0 ? -q : q;
}

static wide difference(wide_workspace *workspace, double a, double b, int exponent)
{
    int mark = workspace->used;
    wide from = tact_wide_from_double(workspace, a, exponent);
    wide to = tact_wide_from_double(workspace, b, exponent);
    return wide_keep(workspace, mark, wide_sub(workspace, from, to));
}

static wide minor_of_wides(wide_workspace *workspace, wide p, wide q, wide r, wide s)
{
    int mark = workspace->used;
    wide left = tact_wide_mul(workspace, p, q);
    wide right = tact_wide_mul(workspace, r, s);
    return wide_keep(workspace, mark, wide_sub(workspace, left, right));
}

/* (g p - f q) / (g - f) along one axis. Takes 10 N + 3 words beyond f and g of 3 N. */
static double coordinate(wide_workspace *workspace, double p, double q, wide f, wide g, wide f_less_g)
{
    wide_grid grid;
    (void)wide_find_grid((double[]){p, q}, 2, &grid);
    int mark = workspace->used;
    wide from = tact_wide_mul(workspace, tact_wide_from_double(workspace, p, grid.exponent), g);
    from = wide_keep(workspace, mark, from);
    wide to = tact_wide_mul(workspace, tact_wide_from_double(workspace, q, grid.exponent), f);
    double x = quotient(wide_sub(workspace, to, from), f_less_g, grid.exponent);
    workspace->used = mark;
    return clamp(x, p, q);
}

static tact_vec3 point_of_wides(wide_workspace *workspace, tact_vec3 p, tact_vec3 q, wide f, wide g)
{
    wide f_less_g = wide_sub(workspace, f, g); /* 3 N + 1 */
    return vec_make(coordinate(workspace, p.x, q.x, f, g, f_less_g), coordinate(workspace, p.y, q.y, f, g, f_less_g),
                    coordinate(workspace, p.z, q.z, f, g, f_less_g));
}

/* (d - a) . n for the normal n given by its three minors. Takes 3 N for the differences, 10 N + 2 for products and
 * sums, keeps 3 N. */
static wide height(wide_workspace *workspace, tact_vec3 d, tact_vec3 a, const int exponent[3], const wide n[3])
{
    int mark = workspace->used;
    wide w[3] = {difference(workspace, d.x, a.x, exponent[0]), difference(workspace, d.y, a.y, exponent[1]),
                 difference(workspace, d.z, a.z, exponent[2])};
    wide sum = tact_wide_mul(workspace, w[0], n[0]);
    sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, w[1], n[1]));
    sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, w[2], n[2]));
    return wide_keep(workspace, mark, sum);
}

static tact_vec3 plane_in_integers(tact_vec3 p, tact_vec3 q, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    wide_grid x, y, z;
    (void)wide_find_grid((double[]){p.x, q.x, a.x, b.x, c.x}, 5, &x);
    (void)wide_find_grid((double[]){p.y, q.y, a.y, b.y, c.y}, 5, &y);
    (void)wide_find_grid((double[]){p.z, q.z, a.z, b.z, c.z}, 5, &z);
    const int e[3] = {x.exponent, y.exponent, z.exponent};
    /* 6 differences (6 N), 3 minors (6 N), 2 heights (6 N) and one of them in the making (18 N + 4 in all); f - g (3
     * N + 1) and a coordinate (13 N + 3) */
    uint64_t words[12 * N + 6 * N + 19 * N];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide u[3] = {difference(&workspace, b.x, a.x, e[0]), difference(&workspace, b.y, a.y, e[1]),
                 difference(&workspace, b.z, a.z, e[2])};
    wide v[3] = {difference(&workspace, c.x, a.x, e[0]), difference(&workspace, c.y, a.y, e[1]),
                 difference(&workspace, c.z, a.z, e[2])};
    wide n[3];
    n[0] = minor_of_wides(&workspace, u[1], v[2], u[2], v[1]);
    n[1] = minor_of_wides(&workspace, u[2], v[0], u[0], v[2]);
    n[2] = minor_of_wides(&workspace, u[0], v[1], u[1], v[0]);
    wide f = height(&workspace, p, a, e, n);
    wide g = height(&workspace, q, a, e, n);
    return point_of_wides(&workspace, p, q, f, g);
}

static double shadow_x(tact_vec3 p, int axis) { return axis == 0 ? p.y : axis == 1 ? p.z : p.x; }
static double shadow_y(tact_vec3 p, int axis) { return axis == 0 ? p.z : axis == 1 ? p.x : p.y; }

static tact_vec3 line_in_integers(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d, int axis)
{
    double px = shadow_x(p, axis), py = shadow_y(p, axis), qx = shadow_x(q, axis), qy = shadow_y(q, axis);
    double cx = shadow_x(c, axis), cy = shadow_y(c, axis), dx = shadow_x(d, axis), dy = shadow_y(d, axis);
    wide_grid x, y;
    (void)wide_find_grid((double[]){px, qx, cx, dx}, 4, &x);
    (void)wide_find_grid((double[]){py, qy, cy, dy}, 4, &y);
    uint64_t
        words[6 * N + 6 * N + 16 * N]; /* 6 differences, 2 minors and one in the making, the rest as above or less */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide ux = difference(&workspace, dx, cx, x.exponent), uy = difference(&workspace, dy, cy, y.exponent);
    wide fx = difference(&workspace, px, cx, x.exponent), fy = difference(&workspace, py, cy, y.exponent);
    wide gx = difference(&workspace, qx, cx, x.exponent), gy = difference(&workspace, qy, cy, y.exponent);
    wide f = minor_of_wides(&workspace, ux, fy, uy, fx);
    wide g = minor_of_wides(&workspace, ux, gy, uy, gx);
    return point_of_wides(&workspace, p, q, f, g);
}

/* ---- entry points ---- */

tact_vec3 tact_segment_plane_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    dd ux = dd_two_sum(b.x, -a.x), uy = dd_two_sum(b.y, -a.y), uz = dd_two_sum(b.z, -a.z);
    dd vx = dd_two_sum(c.x, -a.x), vy = dd_two_sum(c.y, -a.y), vz = dd_two_sum(c.z, -a.z);
    dd fx = dd_two_sum(p.x, -a.x), fy = dd_two_sum(p.y, -a.y), fz = dd_two_sum(p.z, -a.z);
    dd gx = dd_two_sum(q.x, -a.x), gy = dd_two_sum(q.y, -a.y), gz = dd_two_sum(q.z, -a.z);
    double x = max_double(larger_size(ux.high, vx.high), larger_size(fx.high, gx.high));
    double y = max_double(larger_size(uy.high, vy.high), larger_size(fy.high, gy.high));
    double z = max_double(larger_size(uz.high, vz.high), larger_size(fz.high, gz.high));
    if (!in_range(x) || !in_range(y) || !in_range(z))
        return plane_in_integers(p, q, a, b, c);
    dd nx = minor_of_pairs(uy, vz, uz, vy), ny = minor_of_pairs(uz, vx, ux, vz), nz = minor_of_pairs(ux, vy, uy, vx);
    dd f = dd_add(dd_add(dd_mul(fx, nx), dd_mul(fy, ny)), dd_mul(fz, nz));
    dd g = dd_add(dd_add(dd_mul(gx, nx), dd_mul(gy, ny)), dd_mul(gz, nz));
    if (!(fabs(f.high - g.high) > CROSSING_SURE * x * y * z))
        return plane_in_integers(p, q, a, b, c);
    return point_along(p, q, f, g);
}

tact_vec3 tact_segment_line_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d, int axis)
{
    double px = shadow_x(p, axis), py = shadow_y(p, axis), qx = shadow_x(q, axis), qy = shadow_y(q, axis);
    double cx = shadow_x(c, axis), cy = shadow_y(c, axis), dx = shadow_x(d, axis), dy = shadow_y(d, axis);
    dd ux = dd_two_sum(dx, -cx), uy = dd_two_sum(dy, -cy);
    dd fx = dd_two_sum(px, -cx), fy = dd_two_sum(py, -cy), gx = dd_two_sum(qx, -cx), gy = dd_two_sum(qy, -cy);
    double x = max_double(larger_size(fx.high, gx.high), fabs(ux.high));
    double y = max_double(larger_size(fy.high, gy.high), fabs(uy.high));
    if (!in_range(x) || !in_range(y))
        return line_in_integers(p, q, c, d, axis);
    dd f = minor_of_pairs(ux, fy, uy, fx), g = minor_of_pairs(ux, gy, uy, gx);
    if (!(fabs(f.high - g.high) > CROSSING_SURE * x * y))
        return line_in_integers(p, q, c, d, axis);
    return point_along(p, q, f, g);
}
