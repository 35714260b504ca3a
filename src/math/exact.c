/*
 * Exact geometric predicates in integer arithmetic.
 *
 * Guarantee: the correct sign for all finite doubles. The coordinates are integer multiples of a power of two, the
 * *grid*. Divided by it they are integers, and determinants of integers are computed without rounding. Where the
 * columns of a determinant are the axes, each axis has its own grid, because scaling a column by a power of two keeps
 * the sign. Where squares of different axes are added, one grid serves all axes.
 *
 * Cost: if the integers have at most 60 bits (floats, integers, doubles of similar size), 128-bit integers take some
 * 50 ns. Otherwise wide integers take 0.4 us with ordinary exponents, and 4 us (insphere 20 us) with 1e-320 beside
 * 1e308. The workspaces are sized for that worst case: a coordinate has N = 33 words (2098 bits), a difference as many
 * (2099 bits), a product of two 2 N, of three 3 N, and so on. An operation may allocate one word more than its result
 * needs, and frees it at once.
 *
 * Shewchuk's expansions (1997) compute the same signs in floating point. We use integers because they need no care for
 * overflow, underflow and rounding mode.
 */
#include "math/exact.h"

#include "math/math_constants.h"
#include "math/wide.h"

#define N WIDE_DOUBLE_WORDS

#if defined(__SIZEOF_INT128__) && !defined(TACT_NO_INT128)
#define HAVE_INT128 1
__extension__ typedef __int128 int128;
#else
#define HAVE_INT128 0
typedef int64_t int128; /* the code with this type is compiled but never executed */
#endif

static inline bool fits_int128(wide_grid grid) { return HAVE_INT128 && grid.bits <= INT128_MAX_BITS; }

static inline int sign_of(int128 value) { return (value > 0) - (value < 0); }

/* (a - b) / 2^grid for coordinates that pass fits_int128 */
static inline int128 int128_difference(double a, double b, wide_grid grid)
{
    return (int128)wide_to_int64(a, grid.exponent) - (int128)wide_to_int64(b, grid.exponent);
}

/* p f - q g + r h. Uses 15 N + 1 words for p, q, r of N and f, g, h of 2 N, keeps 3 N. */
static wide minor3(wide_workspace *workspace, wide p, wide f, wide q, wide g, wide r, wide h)
{
    int mark = workspace->used;
    wide sum = tact_wide_mul(workspace, p, f);
    sum = wide_sub(workspace, sum, tact_wide_mul(workspace, q, g));
    sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, r, h));
    return wide_keep(workspace, mark, sum);
}

/* (a - b) / 2^grid, per axis. Uses 5 N + 1 words, keeps 3 N. */
static void difference3(wide_workspace *workspace, tact_vec3 a, tact_vec3 b, const wide_grid grid[3], wide d[3])
{
    d[0] = wide_difference(workspace, a.x, b.x, grid[0]);
    d[1] = wide_difference(workspace, a.y, b.y, grid[1]);
    d[2] = wide_difference(workspace, a.z, b.z, grid[2]);
}

/* The sign of |u, v, w|. Uses 21 N + 1 words: 3 minors, a minor of minors. */
static int determinant_sign(wide_workspace *workspace, const wide u[3], const wide v[3], const wide w[3])
{
    wide vw = wide_minor(workspace, v[0], w[1], v[1], w[0]);
    wide uw = wide_minor(workspace, u[0], w[1], u[1], w[0]);
    wide uv = wide_minor(workspace, u[0], v[1], u[1], v[0]);
    return minor3(workspace, u[2], vw, v[2], uw, w[2], uv).sign;
}

/* The sign of p f + q g + r h for |p|, |q|, |r| < 2^61 and |f|, |g|, |h| < 2^124. With f = high 2^64 + low, 0 <= low <
 * 2^64, and so on, the three p low add up to less than 3 2^125, the three p high to less than 3 2^121: nothing
 * overflows. */
static int sign_of_products(const int128 p[3], const int128 f[3])
{
#if HAVE_INT128
    int128 high = 0, low = 0;
    for (int i = 0; i < 3; ++i) {
        high += p[i] * (f[i] >> 64); /* >> is arithmetic: true for every compiler with this type */
        low += p[i] * (int128)(uint64_t)f[i];
    }
    high += low >> 64;
    return high != 0 ? sign_of(high) : (uint64_t)low != 0;
#else
    (void)p, (void)f;
    return 0;
#endif
}

static int int128_orient3d(const tact_vec3 p[4], wide_grid x, wide_grid y, wide_grid z)
{
    int128 u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = int128_difference(p[i + 1].x, p[0].x, x);
        v[i] = int128_difference(p[i + 1].y, p[0].y, y);
        w[i] = int128_difference(p[i + 1].z, p[0].z, z);
    }
    int128 minor[3] = {u[1] * v[2] - v[1] * u[2], u[2] * v[0] - v[2] * u[0], u[0] * v[1] - v[0] * u[1]};
    return sign_of_products(w, minor);
}

/* The sign of p . q for 61-bit differences. */
static int int128_dot_sign(const int128 p[3], const int128 q[3])
{
    return sign_of(p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
}

/* ((a - c) + (b - c)) / 2^grid: at most 2100 bits. Uses 4 N + 1 words, keeps N. */
static wide sum_of_differences(wide_workspace *workspace, double a, double b, double c, wide_grid grid)
{
    int mark = workspace->used;
    wide from_a = wide_difference(workspace, a, c, grid);
    wide from_b = wide_difference(workspace, b, c, grid);
    return wide_keep(workspace, mark, tact_wide_add(workspace, from_a, from_b));
}

int tact_exact_orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    wide_grid x, y;
    if (!wide_find_grid((double[]){ax, bx, cx}, 3, &x) || !wide_find_grid((double[]){ay, by, cy}, 3, &y))
        return 0;
    if (fits_int128(x) && fits_int128(y)) {
        int128 ux = int128_difference(bx, ax, x), uy = int128_difference(by, ay, y);
        int128 vx = int128_difference(cx, ax, x), vy = int128_difference(cy, ay, y);
        return sign_of(ux * vy - uy * vx);
    }
    uint64_t words[11 * N]; /* 4 differences, a minor */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide ux = wide_difference(&workspace, bx, ax, x), uy = wide_difference(&workspace, by, ay, y);
    wide vx = wide_difference(&workspace, cx, ax, x), vy = wide_difference(&workspace, cy, ay, y);
    return wide_minor(&workspace, ux, vy, uy, vx).sign;
}

int tact_exact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    wide_grid grid[3];
    if (!wide_find_grid((double[]){a.x, b.x, c.x, d.x}, 4, &grid[0]) ||
        !wide_find_grid((double[]){a.y, b.y, c.y, d.y}, 4, &grid[1]) ||
        !wide_find_grid((double[]){a.z, b.z, c.z, d.z}, 4, &grid[2]))
        return 0;
    if (fits_int128(grid[0]) && fits_int128(grid[1]) && fits_int128(grid[2]))
        return int128_orient3d((tact_vec3[]){a, b, c, d}, grid[0], grid[1], grid[2]);
    uint64_t words[31 * N]; /* 9 differences, a determinant */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide u[3], v[3], w[3];
    difference3(&workspace, b, a, grid, u);
    difference3(&workspace, c, a, grid, v);
    difference3(&workspace, d, a, grid, w);
    return determinant_sign(&workspace, u, v, w);
}

int tact_exact_collinear(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    wide_grid grid[3];
    if (!wide_find_grid((double[]){a.x, b.x, c.x}, 3, &grid[0]) ||
        !wide_find_grid((double[]){a.y, b.y, c.y}, 3, &grid[1]) ||
        !wide_find_grid((double[]){a.z, b.z, c.z}, 3, &grid[2]))
        return 0;
    if (fits_int128(grid[0]) && fits_int128(grid[1]) && fits_int128(grid[2])) {
        int128 ux = int128_difference(b.x, a.x, grid[0]), vx = int128_difference(c.x, a.x, grid[0]);
        int128 uy = int128_difference(b.y, a.y, grid[1]), vy = int128_difference(c.y, a.y, grid[1]);
        int128 uz = int128_difference(b.z, a.z, grid[2]), vz = int128_difference(c.z, a.z, grid[2]);
        return ux * vy == uy * vx && uy * vz == uz * vy && uz * vx == ux * vz;
    }
    uint64_t words[13 * N]; /* 6 differences, one minor at a time: a nonzero minor is the last */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide u[3], v[3];
    difference3(&workspace, b, a, grid, u);
    difference3(&workspace, c, a, grid, v);
    return wide_minor(&workspace, u[0], v[1], u[1], v[0]).sign == 0 &&
           wide_minor(&workspace, u[1], v[2], u[2], v[1]).sign == 0 &&
           wide_minor(&workspace, u[2], v[0], u[0], v[2]).sign == 0;
}

int tact_exact_dot_sign(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    wide_grid grid;
    if (!wide_find_grid((double[]){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}, 9, &grid))
        return 0;
    if (fits_int128(grid)) {
        const int128 u[3] = {int128_difference(a.x, c.x, grid), int128_difference(a.y, c.y, grid),
                             int128_difference(a.z, c.z, grid)};
        const int128 v[3] = {int128_difference(b.x, c.x, grid), int128_difference(b.y, c.y, grid),
                             int128_difference(b.z, c.z, grid)};
        return int128_dot_sign(u, v);
    }
    uint64_t words[17 * N]; /* 6 differences, a dot product */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide u[3], v[3];
    u[0] = wide_difference(&workspace, a.x, c.x, grid), v[0] = wide_difference(&workspace, b.x, c.x, grid);
    u[1] = wide_difference(&workspace, a.y, c.y, grid), v[1] = wide_difference(&workspace, b.y, c.y, grid);
    u[2] = wide_difference(&workspace, a.z, c.z, grid), v[2] = wide_difference(&workspace, b.z, c.z, grid);
    return wide_dot3(&workspace, u, v).sign;
}

int tact_exact_compare_distance(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    /* |a-c|^2 - |b-c|^2 = (a-b) . ((a-c) + (b-c)) */
    wide_grid grid;
    if (!wide_find_grid((double[]){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}, 9, &grid))
        return 0;
    if (fits_int128(grid)) {
        const int128 d[3] = {int128_difference(a.x, b.x, grid), int128_difference(a.y, b.y, grid),
                             int128_difference(a.z, b.z, grid)};
        const int128 s[3] = {int128_difference(a.x, c.x, grid) + int128_difference(b.x, c.x, grid),
                             int128_difference(a.y, c.y, grid) + int128_difference(b.y, c.y, grid),
                             int128_difference(a.z, c.z, grid) + int128_difference(b.z, c.z, grid)};
        return int128_dot_sign(d, s);
    }
    uint64_t words[17 * N]; /* 6 differences, a dot product */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide d[3], s[3];
    d[0] = wide_difference(&workspace, a.x, b.x, grid), s[0] = sum_of_differences(&workspace, a.x, b.x, c.x, grid);
    d[1] = wide_difference(&workspace, a.y, b.y, grid), s[1] = sum_of_differences(&workspace, a.y, b.y, c.y, grid);
    d[2] = wide_difference(&workspace, a.z, b.z, grid), s[2] = sum_of_differences(&workspace, a.z, b.z, c.z, grid);
    return wide_dot3(&workspace, d, s).sign;
}

int tact_exact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e)
{
    wide_grid grid;
    if (!wide_find_grid((double[]){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z, e.x, e.y, e.z}, 15,
                        &grid))
        return 0;
    /* 12 differences (12 N), 4 squares (8 N), 6 minors (12 N), the partial sum (5 N), and a 3x3 minor during its
     * computation (15 N + 1); its result (3 N), the product with a square (5 N) and the new sum (5 N + 1) fit in the
     * same words. */
    uint64_t words[53 * N];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    const tact_vec3 vertices[4] = {a, b, c, d};
    wide p[4][3], square[4];
    for (int i = 0; i < 4; ++i) {
        p[i][0] = wide_difference(&workspace, vertices[i].x, e.x, grid);
        p[i][1] = wide_difference(&workspace, vertices[i].y, e.y, grid);
        p[i][2] = wide_difference(&workspace, vertices[i].z, e.z, grid);
    }
    for (int i = 0; i < 4; ++i)
        square[i] = wide_dot3(&workspace, p[i], p[i]);
    wide minor[4][4]; /* of x and y, rows i < j */
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            minor[i][j] = wide_minor(&workspace, p[i][0], p[j][1], p[i][1], p[j][0]);
    int mark = workspace.used;
    wide sum = {NULL, 0, 0};
    for (int i = 0; i < 4; ++i) {
        /* the other three rows, in order */
        int j = i == 0 ? 1 : 0, k = i <= 1 ? 2 : 1, l = i <= 2 ? 3 : 2;
        wide m = minor3(&workspace, p[j][2], minor[k][l], p[k][2], minor[j][l], p[l][2], minor[j][k]);
        wide term = tact_wide_mul(&workspace, square[i], m);
        sum = wide_keep(&workspace, mark, tact_wide_add(&workspace, sum, i % 2 == 0 ? term : wide_negate(term)));
    }
    return sum.sign;
}

int tact_exact_line_side(tact_vec3 d, tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    /* the row of d may have another power of two than the rows of the points */
    wide_grid points, direction;
    if (!wide_find_grid((double[]){p.x, p.y, p.z, a.x, a.y, a.z, b.x, b.y, b.z}, 9, &points) ||
        !wide_find_grid((double[]){d.x, d.y, d.z}, 3, &direction))
        return 0;
    uint64_t words[31 * N]; /* 9 differences, a determinant */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide u[3], v[3], w[3];
    difference3(&workspace, d, (tact_vec3){0.0, 0.0, 0.0}, (wide_grid[]){direction, direction, direction}, u);
    difference3(&workspace, a, p, (wide_grid[]){points, points, points}, v);
    difference3(&workspace, b, p, (wide_grid[]){points, points, points}, w);
    return determinant_sign(&workspace, u, v, w);
}

int tact_exact_line_side2d(double dx, double dy, double px, double py, double ax, double ay)
{
    wide_grid points, direction;
    if (!wide_find_grid((double[]){px, py, ax, ay}, 4, &points) || !wide_find_grid((double[]){dx, dy}, 2, &direction))
        return 0;
    uint64_t words[11 * N]; /* 4 differences, a minor */
    wide_workspace workspace = WIDE_WORKSPACE(words);
    wide ux = wide_difference(&workspace, dx, 0.0, direction), uy = wide_difference(&workspace, dy, 0.0, direction);
    wide vx = wide_difference(&workspace, ax, px, points), vy = wide_difference(&workspace, ay, py, points);
    return wide_minor(&workspace, ux, vy, uy, vx).sign;
}
