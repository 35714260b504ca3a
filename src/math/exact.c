/*
 * Exact predicates in integers.
 *
 * Guarantee: the right sign for all finite doubles. The coordinates are whole multiples of a power of two, the *grid*;
 * divided by it they are integers, and the determinant of integers is computed without rounding. In a determinant whose
 * columns are the axes every axis has a grid of its own (a column may be scaled by any power of two without changing
 * the sign); where squares of different axes are added one grid serves all.
 * Cost: coordinates whose integers have at most 60 bits (floats, whole numbers, doubles of like size) go through
 * 128-bit integers in some 50 ns, others through wide integers: 0.4 us with ordinary exponents, 4 us (insphere 20 us)
 * with 1e-320 beside 1e308. The desks are sized for that worst case: a coordinate has N = 33 words (2098 bits), a
 * difference as many (2099 bits), a product of two 2 N, of three 3 N, and so on; an operation may take one word more
 * than its result needs, which it gives back at once. Shewchuk's expansions (1997) do this work in floating point;
 * integers need no care for overflow, underflow and rounding mode, which is why we depart from him here.
 */
#include "math/exact.h"

#include "math/wide.h"

#define N WIDE_DOUBLE_WORDS

/* Coordinates of at most this many bits take the short way: differences below 2^61, products of two differences summed
 * over three axes below 2^125, and see sign_of_products. */
#define SHORT_BITS 60

#if defined(__SIZEOF_INT128__) && !defined(TACT_NO_INT128)
#define SHORT_WAY 1
__extension__ typedef __int128 long_word;
#else
#define SHORT_WAY 0
typedef int64_t long_word; /* the short way is compiled and never taken */
#endif

static inline bool is_short(wide_grid grid) { return SHORT_WAY && grid.bits <= SHORT_BITS; }

static inline int sign_of(long_word value) { return (value > 0) - (value < 0); }

/* (a - b) / 2^grid, for short coordinates */
static inline long_word short_difference(double a, double b, wide_grid grid)
{
    return (long_word)wide_to_int64(a, grid.exponent) - (long_word)wide_to_int64(b, grid.exponent);
}

/* (a - b) / 2^grid; leaves nothing else on the desk. Takes 3 N + 1 words, keeps N. */
static wide difference(wide_workspace *desk, double a, double b, wide_grid grid)
{
    int mark = desk->used;
    wide from = tact_wide_from_double(desk, a, grid.exponent);
    wide to = tact_wide_from_double(desk, b, grid.exponent);
    return wide_keep(desk, mark, wide_sub(desk, from, to));
}

/* p q - r s. Takes 6 N + 1 words for factors of N, keeps 2 N. */
static wide minor2(wide_workspace *desk, wide p, wide q, wide r, wide s)
{
    int mark = desk->used;
    wide left = tact_wide_mul(desk, p, q);
    wide right = tact_wide_mul(desk, r, s);
    return wide_keep(desk, mark, wide_sub(desk, left, right));
}

/* p . q. Takes 10 N + 1 words for factors of N, keeps 2 N. */
static wide dot(wide_workspace *desk, const wide p[3], const wide q[3])
{
    int mark = desk->used;
    wide sum = tact_wide_mul(desk, p[0], q[0]);
    sum = tact_wide_add(desk, sum, tact_wide_mul(desk, p[1], q[1]));
    sum = tact_wide_add(desk, sum, tact_wide_mul(desk, p[2], q[2]));
    return wide_keep(desk, mark, sum);
}

/* p f - q g + r h. Takes 15 N + 1 words for p, q, r of N and f, g, h of 2 N, keeps 3 N. */
static wide minor3(wide_workspace *desk, wide p, wide f, wide q, wide g, wide r, wide h)
{
    int mark = desk->used;
    wide sum = tact_wide_mul(desk, p, f);
    sum = wide_sub(desk, sum, tact_wide_mul(desk, q, g));
    sum = tact_wide_add(desk, sum, tact_wide_mul(desk, r, h));
    return wide_keep(desk, mark, sum);
}

int tact_exact_orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    wide_grid x, y;
    if (!wide_find_grid((double[]){ax, bx, cx}, 3, &x) || !wide_find_grid((double[]){ay, by, cy}, 3, &y))
        return 0;
    if (is_short(x) && is_short(y)) {
        long_word ux = short_difference(bx, ax, x), uy = short_difference(by, ay, y);
        long_word vx = short_difference(cx, ax, x), vy = short_difference(cy, ay, y);
        return sign_of(ux * vy - uy * vx);
    }
    uint64_t words[11 * N]; /* 4 differences, a minor */
    wide_workspace desk = WIDE_WORKSPACE(words);
    wide ux = difference(&desk, bx, ax, x), uy = difference(&desk, by, ay, y);
    wide vx = difference(&desk, cx, ax, x), vy = difference(&desk, cy, ay, y);
    return minor2(&desk, ux, vy, uy, vx).sign;
}

/* The sign of p f + q g + r h for |p|, |q|, |r| < 2^61 and |f|, |g|, |h| < 2^124. With f = high 2^64 + low, 0 <= low <
 * 2^64, and so on, the three p low add up to less than 3 2^125, the three p high to less than 3 2^121: nothing
 * overflows. */
static int sign_of_products(const long_word p[3], const long_word f[3])
{
#if SHORT_WAY
    long_word high = 0, low = 0;
    for (int i = 0; i < 3; ++i) {
        high += p[i] * (f[i] >> 64); /* rounds down, here and below: what every compiler with this type does */
        low += p[i] * (long_word)(uint64_t)f[i];
    }
    high += low >> 64;
    return high != 0 ? sign_of(high) : (uint64_t)low != 0;
#else
    (void)p, (void)f;
    return 0;
#endif
}

static int short_orient3d(const tact_vec3 p[4], wide_grid x, wide_grid y, wide_grid z)
{
    long_word u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = short_difference(p[i + 1].x, p[0].x, x);
        v[i] = short_difference(p[i + 1].y, p[0].y, y);
        w[i] = short_difference(p[i + 1].z, p[0].z, z);
    }
    long_word minor[3] = {u[1] * v[2] - v[1] * u[2], u[2] * v[0] - v[2] * u[0], u[0] * v[1] - v[0] * u[1]};
    return sign_of_products(w, minor);
}

int tact_exact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    wide_grid x, y, z;
    if (!wide_find_grid((double[]){a.x, b.x, c.x, d.x}, 4, &x) ||
        !wide_find_grid((double[]){a.y, b.y, c.y, d.y}, 4, &y) ||
        !wide_find_grid((double[]){a.z, b.z, c.z, d.z}, 4, &z))
        return 0;
    if (is_short(x) && is_short(y) && is_short(z))
        return short_orient3d((tact_vec3[]){a, b, c, d}, x, y, z);
    uint64_t words[31 * N]; /* 9 differences, 3 minors, a minor of minors */
    wide_workspace desk = WIDE_WORKSPACE(words);
    wide ux = difference(&desk, b.x, a.x, x), uy = difference(&desk, b.y, a.y, y), uz = difference(&desk, b.z, a.z, z);
    wide vx = difference(&desk, c.x, a.x, x), vy = difference(&desk, c.y, a.y, y), vz = difference(&desk, c.z, a.z, z);
    wide wx = difference(&desk, d.x, a.x, x), wy = difference(&desk, d.y, a.y, y), wz = difference(&desk, d.z, a.z, z);
    wide vw = minor2(&desk, vx, wy, vy, wx);
    wide uw = minor2(&desk, ux, wy, uy, wx);
    wide uv = minor2(&desk, ux, vy, uy, vx);
    return minor3(&desk, uz, vw, vz, uw, wz, uv).sign;
}

int tact_exact_collinear(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    wide_grid x, y, z;
    if (!wide_find_grid((double[]){a.x, b.x, c.x}, 3, &x) || !wide_find_grid((double[]){a.y, b.y, c.y}, 3, &y) ||
        !wide_find_grid((double[]){a.z, b.z, c.z}, 3, &z))
        return 0;
    if (is_short(x) && is_short(y) && is_short(z)) {
        long_word ux = short_difference(b.x, a.x, x), vx = short_difference(c.x, a.x, x);
        long_word uy = short_difference(b.y, a.y, y), vy = short_difference(c.y, a.y, y);
        long_word uz = short_difference(b.z, a.z, z), vz = short_difference(c.z, a.z, z);
        return ux * vy == uy * vx && uy * vz == uz * vy && uz * vx == ux * vz;
    }
    uint64_t words[13 * N]; /* 6 differences, a minor at a time: one that is not zero is the last */
    wide_workspace desk = WIDE_WORKSPACE(words);
    wide ux = difference(&desk, b.x, a.x, x), vx = difference(&desk, c.x, a.x, x);
    wide uy = difference(&desk, b.y, a.y, y), vy = difference(&desk, c.y, a.y, y);
    wide uz = difference(&desk, b.z, a.z, z), vz = difference(&desk, c.z, a.z, z);
    return minor2(&desk, ux, vy, uy, vx).sign == 0 && minor2(&desk, uy, vz, uz, vy).sign == 0 &&
           minor2(&desk, uz, vx, ux, vz).sign == 0;
}

/* The sign of p . q for short differences. */
static int short_dot_sign(const long_word p[3], const long_word q[3])
{
    return sign_of(p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
}

int tact_exact_dot_sign(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    wide_grid grid;
    if (!wide_find_grid((double[]){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}, 9, &grid))
        return 0;
    if (is_short(grid)) {
        const long_word u[3] = {short_difference(a.x, c.x, grid), short_difference(a.y, c.y, grid),
                                short_difference(a.z, c.z, grid)};
        const long_word v[3] = {short_difference(b.x, c.x, grid), short_difference(b.y, c.y, grid),
                                short_difference(b.z, c.z, grid)};
        return short_dot_sign(u, v);
    }
    uint64_t words[17 * N]; /* 6 differences, a dot product */
    wide_workspace desk = WIDE_WORKSPACE(words);
    wide u[3], v[3];
    u[0] = difference(&desk, a.x, c.x, grid), v[0] = difference(&desk, b.x, c.x, grid);
    u[1] = difference(&desk, a.y, c.y, grid), v[1] = difference(&desk, b.y, c.y, grid);
    u[2] = difference(&desk, a.z, c.z, grid), v[2] = difference(&desk, b.z, c.z, grid);
    return dot(&desk, u, v).sign;
}

/* ((a - c) + (b - c)) / 2^grid: at most 2100 bits. Takes 4 N + 1 words, keeps N. */
static wide double_difference(wide_workspace *desk, double a, double b, double c, wide_grid grid)
{
    int mark = desk->used;
    wide from_a = difference(desk, a, c, grid);
    wide from_b = difference(desk, b, c, grid);
    return wide_keep(desk, mark, tact_wide_add(desk, from_a, from_b));
}

int tact_exact_compare_distance(tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    /* |a-c|^2 - |b-c|^2 = (a-b) . ((a-c) + (b-c)) */
    wide_grid grid;
    if (!wide_find_grid((double[]){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}, 9, &grid))
        return 0;
    if (is_short(grid)) {
        const long_word d[3] = {short_difference(a.x, b.x, grid), short_difference(a.y, b.y, grid),
                                short_difference(a.z, b.z, grid)};
        const long_word s[3] = {short_difference(a.x, c.x, grid) + short_difference(b.x, c.x, grid),
                                short_difference(a.y, c.y, grid) + short_difference(b.y, c.y, grid),
                                short_difference(a.z, c.z, grid) + short_difference(b.z, c.z, grid)};
        return short_dot_sign(d, s);
    }
    uint64_t words[17 * N]; /* 6 differences, a dot product */
    wide_workspace desk = WIDE_WORKSPACE(words);
    wide d[3], s[3];
    d[0] = difference(&desk, a.x, b.x, grid), s[0] = double_difference(&desk, a.x, b.x, c.x, grid);
    d[1] = difference(&desk, a.y, b.y, grid), s[1] = double_difference(&desk, a.y, b.y, c.y, grid);
    d[2] = difference(&desk, a.z, b.z, grid), s[2] = double_difference(&desk, a.z, b.z, c.z, grid);
    return dot(&desk, d, s).sign;
}

int tact_exact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e)
{
    wide_grid grid;
    if (!wide_find_grid((double[]){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z, e.x, e.y, e.z}, 15,
                        &grid))
        return 0;
    /* 12 differences (12 N), 4 squares (8 N), 6 minors (12 N), the sum so far (5 N), and a 3x3 minor in the making (15
     * N + 1), which, once made (3 N), leaves room for its product with a square (5 N) and the new sum (5 N + 1). */
    uint64_t words[53 * N];
    wide_workspace desk = WIDE_WORKSPACE(words);
    const tact_vec3 corners[4] = {a, b, c, d};
    wide p[4][3], square[4];
    for (int i = 0; i < 4; ++i) {
        p[i][0] = difference(&desk, corners[i].x, e.x, grid);
        p[i][1] = difference(&desk, corners[i].y, e.y, grid);
        p[i][2] = difference(&desk, corners[i].z, e.z, grid);
    }
    for (int i = 0; i < 4; ++i)
        square[i] = dot(&desk, p[i], p[i]);
    wide minor[4][4]; /* of x and y, rows i < j */
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            minor[i][j] = minor2(&desk, p[i][0], p[j][1], p[i][1], p[j][0]);
    int mark = desk.used;
    wide sum = {NULL, 0, 0};
    for (int i = 0; i < 4; ++i) {
        /* the other three rows, in order */
        int j = i == 0 ? 1 : 0, k = i <= 1 ? 2 : 1, l = i <= 2 ? 3 : 2;
        wide m = minor3(&desk, p[j][2], minor[k][l], p[k][2], minor[j][l], p[l][2], minor[j][k]);
        wide term = tact_wide_mul(&desk, square[i], m);
        sum = wide_keep(&desk, mark, tact_wide_add(&desk, sum, i % 2 == 0 ? term : wide_negate(term)));
    }
    return sum.sign;
}

int tact_exact_line_side(tact_vec3 d, tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    /* the row of d may be scaled by another power of two than those of the points */
    wide_grid grid, along;
    if (!wide_find_grid((double[]){p.x, p.y, p.z, a.x, a.y, a.z, b.x, b.y, b.z}, 9, &grid) ||
        !wide_find_grid((double[]){d.x, d.y, d.z}, 3, &along))
        return 0;
    uint64_t words[31 * N]; /* 9 differences, 3 minors, a minor of minors */
    wide_workspace desk = WIDE_WORKSPACE(words);
    wide ux = difference(&desk, d.x, 0.0, along), uy = difference(&desk, d.y, 0.0, along),
         uz = difference(&desk, d.z, 0.0, along);
    wide vx = difference(&desk, a.x, p.x, grid), vy = difference(&desk, a.y, p.y, grid),
         vz = difference(&desk, a.z, p.z, grid);
    wide wx = difference(&desk, b.x, p.x, grid), wy = difference(&desk, b.y, p.y, grid),
         wz = difference(&desk, b.z, p.z, grid);
    wide vw = minor2(&desk, vx, wy, vy, wx);
    wide uw = minor2(&desk, ux, wy, uy, wx);
    wide uv = minor2(&desk, ux, vy, uy, vx);
    return minor3(&desk, uz, vw, vz, uw, wz, uv).sign;
}

int tact_exact_line_side2d(double dx, double dy, double px, double py, double ax, double ay)
{
    wide_grid grid, along;
    if (!wide_find_grid((double[]){px, py, ax, ay}, 4, &grid) || !wide_find_grid((double[]){dx, dy}, 2, &along))
        return 0;
    uint64_t words[11 * N]; /* 4 differences, a minor */
    wide_workspace desk = WIDE_WORKSPACE(words);
    wide ux = difference(&desk, dx, 0.0, along), uy = difference(&desk, dy, 0.0, along);
    wide vx = difference(&desk, ax, px, grid), vy = difference(&desk, ay, py, grid);
    return minor2(&desk, ux, vy, uy, vx).sign;
}
