/* Oracle for the overlap of two triangles. See triangle_oracle.h. */
#include "triangle_oracle.h"

#include <float.h>
#include <math.h>

/* Error bound relative to the sum of the absolute values of the six products: a difference of two doubles has error 1/2
 * epsilon, a product of three 2.5 more, the sum of six 5 more; doubled because that sum is rounded as well. */
#define ROUNDING (16.0L * LDBL_EPSILON)

typedef struct long_vec {
    long double x, y, z;
} long_vec;

static long_vec minus(tact_vec3 p, tact_vec3 q)
{
    return (long_vec){(long double)p.x - q.x, (long double)p.y - q.y, (long double)p.z - q.z};
}

/* Side of the plane through a, b and c on which d lies: 1 or -1, 0 if within the rounding error. */
static int side(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    long_vec u = minus(b, a), v = minus(c, a), w = minus(d, a);
    long double p[6] = {u.x * v.y * w.z, u.y * v.z * w.x, u.z * v.x * w.y,
                        u.z * v.y * w.x, u.x * v.z * w.y, u.y * v.x * w.z};
    long double sum = p[0] + p[1] + p[2] - p[3] - p[4] - p[5], size = 0.0L;
    for (int k = 0; k < 6; k++)
        size += fabsl(p[k]);
    return sum > ROUNDING * size ? 1 : sum < -ROUNDING * size ? -1 : 0;
}

/* Does the segment p q intersect t? `at_p`, `at_q`: sides of its plane on which the ends lie. */
static triangle_overlap segment_triangle(tact_vec3 p, int at_p, tact_vec3 q, int at_q, const tact_vec3 t[3])
{
    if (at_p * at_q > 0)
        return TRIANGLES_APART;
    int turn[3], left = 0, right = 0;
    for (int k = 0; k < 3; k++) {
        turn[k] = side(p, q, t[k], t[(k + 1) % 3]);
        left += turn[k] > 0;
        right += turn[k] < 0;
    }
    if (left > 0 && right > 0)
        return TRIANGLES_APART;
    return at_p * at_q < 0 && (left == 3 || right == 3) ? TRIANGLES_OVERLAP : TRIANGLES_UNDECIDED;
}

triangle_overlap tact_triangle_oracle(const tact_vec3 a[3], const tact_vec3 b[3])
{
    const tact_vec3 *both[2] = {a, b};
    int at[2][3];
    for (int i = 0; i < 2; i++) {
        const tact_vec3 *t = both[1 - i];
        for (int k = 0; k < 3; k++)
            at[i][k] = side(t[0], t[1], t[2], both[i][k]);
        if (at[i][0] != 0 && at[i][0] == at[i][1] && at[i][0] == at[i][2])
            return TRIANGLES_APART;
    }
    triangle_overlap overlap = TRIANGLES_APART;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            int next = (k + 1) % 3;
            triangle_overlap v = segment_triangle(both[i][k], at[i][k], both[i][next], at[i][next], both[1 - i]);
            if (v == TRIANGLES_OVERLAP)
                return v;
            overlap = v == TRIANGLES_UNDECIDED ? v : overlap;
        }
    }
    return overlap;
}
