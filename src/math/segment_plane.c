/*
 * Intersection of a segment with a plane or a line, rounded, for all finite doubles.
 *
 * Let f and g be the orientation determinants of p and q, which have opposite signs. The point is
 * (g p - f q) / (g - f) = p + t (q - p), t = f / (f - g).
 *
 * Double-doubles first (math/dd.h). Differences are exact. The error of a determinant of three of them is below
 * 2^7 2^-104 X Y Z (X, Y, Z: the largest differences along the axes), hence that of t is below 2^-56 if |f - g| is more
 * than 2^-40 X Y Z. The error of p + t (q - p) is then 2^-56 |q - p| plus the final rounding: below two ulps of the
 * larger of p and q. If |f - g| is smaller, or the magnitudes leave the range in which double-double products are
 * exact, numerator and denominator are computed in integers (math/wide.h) and their highest 64 bits divided. The
 * relative error of that is 2^-62 plus the final rounding.
 */
#include "math/segment_plane.h"

#include <math.h>

#include "math/dd_vec.h"
#include "math/math_constants.h"
#include "math/vec.h"
#include "math/wide.h"

#define N WIDE_DOUBLE_WORDS

static double max_abs(double a, double b) { return max_double(fabs(a), fabs(b)); }

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

static tact_vec3 dd_point_along(tact_vec3 p, tact_vec3 q, dd f, dd g)
{
    dd t = dd_div(f, dd_sub(f, g));
    return vec_make(along(p.x, q.x, t), along(p.y, q.y, t), along(p.z, q.z, t));
}

static bool in_dd_range(double largest) { return largest >= SEGMENT_MIN_LENGTH && largest <= SEGMENT_MAX_LENGTH; }

/* ---- in integers ---- */

/* The highest 64 bits of |a|, a != 0, as a double-double, and their exponent: |a| is about result 2^exponent. */
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

/* (g p - f q) / (g - f) along one axis. Uses 10 N + 3 words beside f and g of 3 N. */
static double coordinate(wide_workspace *workspace, double p, double q, wide f, wide g, wide f_minus_g)
{
    wide_grid grid;
    (void)wide_find_grid((double[]){p, q}, 2, &grid);
    int mark = workspace->used;
    wide from = tact_wide_mul(workspace, tact_wide_from_double(workspace, p, grid.exponent), g);
    from = wide_keep(workspace, mark, from);
    wide to = tact_wide_mul(workspace, tact_wide_from_double(workspace, q, grid.exponent), f);
    double x = quotient(wide_sub(workspace, to, from), f_minus_g, grid.exponent);
    workspace->used = mark;
    return clamp(x, p, q);
}

static tact_vec3 wide_point_along(wide_workspace *workspace, tact_vec3 p, tact_vec3 q, wide f, wide g)
{
    wide f_minus_g = wide_sub(workspace, f, g); /* 3 N + 1 */
    return vec_make(coordinate(workspace, p.x, q.x, f, g, f_minus_g), coordinate(workspace, p.y, q.y, f, g, f_minus_g),
                    coordinate(workspace, p.z, q.z, f, g, f_minus_g));
}

/* (d - a) . n for the normal n given by its three minors. Uses 3 N words for the differences, 10 N + 2 for products and
 * sums, keeps 3 N. */
static wide plane_distance(wide_workspace *workspace, tact_vec3 d, tact_vec3 a, const wide_grid grid[3],
                           const wide n[3])
{
    int mark = workspace->used;
    wide w[3] = {wide_difference(workspace, d.x, a.x, grid[0]), wide_difference(workspace, d.y, a.y, grid[1]),
                 wide_difference(workspace, d.z, a.z, grid[2])};
    return wide_keep(workspace, mark, wide_dot3(workspace, w, n));
}

static tact_vec3 plane_in_integers(tact_vec3 p, tact_vec3 q, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    wide_grid grid[3];
    (void)wide_find_grid((double[]){p.x, q.x, a.x, b.x, c.x}, 5, &grid[0]);
    (void)wide_find_grid((double[]){p.y, q.y, a.y, b.y, c.y}, 5, &grid[1]);
    (void)wide_find_grid((double[]){p.z, q.z, a.z, b.z, c.z}, 5, &grid[2]);
    /* 6 differences (6 N), 3 minors (6 N), 2 plane distances (6 N), one of them during its computation (18 N + 4 in
     * all); f - g (3 N + 1) and a coordinate (13 N + 3) */
    uint64_t words[12 * N + 6 * N + 19 * N];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide u[3] = {wide_difference(&workspace, b.x, a.x, grid[0]), wide_difference(&workspace, b.y, a.y, grid[1]),
                 wide_difference(&workspace, b.z, a.z, grid[2])};
    wide v[3] = {wide_difference(&workspace, c.x, a.x, grid[0]), wide_difference(&workspace, c.y, a.y, grid[1]),
                 wide_difference(&workspace, c.z, a.z, grid[2])};
    wide n[3];
    n[0] = wide_minor(&workspace, u[1], v[2], u[2], v[1]);
    n[1] = wide_minor(&workspace, u[2], v[0], u[0], v[2]);
    n[2] = wide_minor(&workspace, u[0], v[1], u[1], v[0]);
    wide f = plane_distance(&workspace, p, a, grid, n);
    wide g = plane_distance(&workspace, q, a, grid, n);
    return wide_point_along(&workspace, p, q, f, g);
}

static double projected_x(tact_vec3 p, int axis) { return axis == 0 ? p.y : axis == 1 ? p.z : p.x; }
static double projected_y(tact_vec3 p, int axis) { return axis == 0 ? p.z : axis == 1 ? p.x : p.y; }

static tact_vec3 line_in_integers(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d, int axis)
{
    double px = projected_x(p, axis), py = projected_y(p, axis), qx = projected_x(q, axis), qy = projected_y(q, axis);
    double cx = projected_x(c, axis), cy = projected_y(c, axis), dx = projected_x(d, axis), dy = projected_y(d, axis);
    wide_grid x, y;
    (void)wide_find_grid((double[]){px, qx, cx, dx}, 4, &x);
    (void)wide_find_grid((double[]){py, qy, cy, dy}, 4, &y);
    /* 6 differences, 2 minors and one during its computation, the rest as above or less */
    uint64_t words[6 * N + 6 * N + 16 * N];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide ux = wide_difference(&workspace, dx, cx, x), uy = wide_difference(&workspace, dy, cy, y);
    wide fx = wide_difference(&workspace, px, cx, x), fy = wide_difference(&workspace, py, cy, y);
    wide gx = wide_difference(&workspace, qx, cx, x), gy = wide_difference(&workspace, qy, cy, y);
    wide f = wide_minor(&workspace, ux, fy, uy, fx);
    wide g = wide_minor(&workspace, ux, gy, uy, gx);
    return wide_point_along(&workspace, p, q, f, g);
}

/* ---- entry points ---- */

tact_vec3 tact_segment_plane_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    dd ux = dd_two_sum(b.x, -a.x), uy = dd_two_sum(b.y, -a.y), uz = dd_two_sum(b.z, -a.z);
    dd vx = dd_two_sum(c.x, -a.x), vy = dd_two_sum(c.y, -a.y), vz = dd_two_sum(c.z, -a.z);
    dd fx = dd_two_sum(p.x, -a.x), fy = dd_two_sum(p.y, -a.y), fz = dd_two_sum(p.z, -a.z);
    dd gx = dd_two_sum(q.x, -a.x), gy = dd_two_sum(q.y, -a.y), gz = dd_two_sum(q.z, -a.z);
    double x = max_double(max_abs(ux.high, vx.high), max_abs(fx.high, gx.high));
    double y = max_double(max_abs(uy.high, vy.high), max_abs(fy.high, gy.high));
    double z = max_double(max_abs(uz.high, vz.high), max_abs(fz.high, gz.high));
    if (!in_dd_range(x) || !in_dd_range(y) || !in_dd_range(z))
        return plane_in_integers(p, q, a, b, c);
    dd nx = dd_minor(uy, vz, uz, vy), ny = dd_minor(uz, vx, ux, vz), nz = dd_minor(ux, vy, uy, vx);
    dd f = dd_add(dd_add(dd_mul(fx, nx), dd_mul(fy, ny)), dd_mul(fz, nz));
    dd g = dd_add(dd_add(dd_mul(gx, nx), dd_mul(gy, ny)), dd_mul(gz, nz));
    if (!(fabs(f.high - g.high) > SEGMENT_MIN_RELATIVE_DIFFERENCE * x * y * z))
        return plane_in_integers(p, q, a, b, c);
    return dd_point_along(p, q, f, g);
}

tact_vec3 tact_segment_line_intersection(tact_vec3 p, tact_vec3 q, tact_vec3 c, tact_vec3 d, int axis)
{
    double px = projected_x(p, axis), py = projected_y(p, axis), qx = projected_x(q, axis), qy = projected_y(q, axis);
    double cx = projected_x(c, axis), cy = projected_y(c, axis), dx = projected_x(d, axis), dy = projected_y(d, axis);
    dd ux = dd_two_sum(dx, -cx), uy = dd_two_sum(dy, -cy);
    dd fx = dd_two_sum(px, -cx), fy = dd_two_sum(py, -cy), gx = dd_two_sum(qx, -cx), gy = dd_two_sum(qy, -cy);
    double x = max_double(max_abs(fx.high, gx.high), fabs(ux.high));
    double y = max_double(max_abs(fy.high, gy.high), fabs(uy.high));
    if (!in_dd_range(x) || !in_dd_range(y))
        return line_in_integers(p, q, c, d, axis);
    dd f = dd_minor(ux, fy, uy, fx), g = dd_minor(ux, gy, uy, gx);
    if (!(fabs(f.high - g.high) > SEGMENT_MIN_RELATIVE_DIFFERENCE * x * y))
        return line_in_integers(p, q, c, d, axis);
    return dd_point_along(p, q, f, g);
}
