#include "zoo.h"

#include <assert.h>
#include <float.h>

#include "exact/triangle.h"

const char *const zoo_names[ZOO_KINDS] = {"torus",   "cube",  "ball",    "soup",  "slivers",
                                          "doubles", "stack", "snapped", "teapot"};

void zoo_clear(zoo_mesh *m) { m->vertex_count = m->triangle_count = 0; }

uint32_t zoo_vertex(zoo_mesh *m, double x, double y, double z)
{
    assert(m->vertex_count < ZOO_MOST);
    m->vertices[m->vertex_count] = (tact_vec3){x, y, z};
    return m->vertex_count++;
}

void zoo_triangle(zoo_mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    assert(m->triangle_count < ZOO_MOST);
    uint32_t *corner = m->corners + 3 * m->triangle_count++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

void zoo_torus(zoo_mesh *m, int around, int along, double large, double small)
{
    const double turn = 6.283185307179586;
    zoo_clear(m);
    for (int i = 0; i < along; i++) {
        double u = turn * i / along;
        for (int j = 0; j < around; j++) {
            double v = turn * j / around, out = large + small * cos(v);
            (void)zoo_vertex(m, out * cos(u), out * sin(u), small * sin(v));
        }
    }
    for (int i = 0; i < along; i++) {
        for (int j = 0; j < around; j++) {
            uint32_t next = (uint32_t)((i + 1) % along * around), here = (uint32_t)(i * around);
            uint32_t k = (uint32_t)j, l = (uint32_t)((j + 1) % around);
            zoo_triangle(m, here + k, next + k, next + l);
            zoo_triangle(m, here + k, next + l, here + l);
        }
    }
}

void zoo_cube(zoo_mesh *m, double half)
{
    static const uint32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    zoo_clear(m);
    for (int i = 0; i < 8; i++)
        (void)zoo_vertex(m, i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    for (int i = 0; i < 12; i++)
        zoo_triangle(m, faces[i][0], faces[i][1], faces[i][2]);
}

static uint32_t middle(zoo_mesh *m, uint32_t a, uint32_t b, double radius)
{
    tact_vec3 p = m->vertices[a], q = m->vertices[b];
    double x = p.x + q.x, y = p.y + q.y, z = p.z + q.z, s = radius / sqrt(x * x + y * y + z * z);
    for (uint32_t i = 0; i < m->vertex_count; i++)
        if (m->vertices[i].x == x * s && m->vertices[i].y == y * s && m->vertices[i].z == z * s)
            return i;
    return zoo_vertex(m, x * s, y * s, z * s);
}

void zoo_ball(zoo_mesh *m, int rounds, double radius)
{
    zoo_clear(m);
    for (int i = 0; i < 6; i++) {
        double s = i & 1 ? -radius : radius;
        (void)zoo_vertex(m, i / 2 == 0 ? s : 0.0, i / 2 == 1 ? s : 0.0, i / 2 == 2 ? s : 0.0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t x = i & 1, y = 2 + (i >> 1 & 1), z = 4 + (i >> 2 & 1);
        if ((x + (y - 2) + (z - 4)) % 2 == 0)
            zoo_triangle(m, x, y, z);
        else
            zoo_triangle(m, x, z, y);
    }
    for (int round = 0; round < rounds; round++) {
        uint32_t count = m->triangle_count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t a = m->corners[3 * i], b = m->corners[3 * i + 1], c = m->corners[3 * i + 2];
            uint32_t ab = middle(m, a, b, radius), bc = middle(m, b, c, radius), ca = middle(m, c, a, radius);
            m->corners[3 * i + 1] = ab, m->corners[3 * i + 2] = ca;
            zoo_triangle(m, ab, b, bc);
            zoo_triangle(m, ca, bc, c);
            zoo_triangle(m, ab, bc, ca);
        }
    }
}

/* Adds rings of `around` corners, ring i of `radius[i]` about (x[i], z[i]) in the plane y = 0, that stand across the
 * way from one to the next. */
static void add_tube(zoo_mesh *m, int around, int rings, const double *x, const double *z, const double *radius)
{
    const uint32_t first = m->vertex_count, n = (uint32_t)around;
    for (int i = 0; i < rings; i++) {
        int before = i > 0 ? i - 1 : 0, after = i + 1 < rings ? i + 1 : i;
        double along_x = x[after] - x[before], along_z = z[after] - z[before], length = hypot(along_x, along_z);
        for (int k = 0; k < around; k++) {
            double turn = 6.283185307179586 * k / around, out = radius[i] * cos(turn);
            (void)zoo_vertex(m, x[i] - out * along_z / length, radius[i] * sin(turn), z[i] + out * along_x / length);
        }
    }
    for (uint32_t i = 0; i + 1 < (uint32_t)rings; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint32_t a = first + i * n + k, b = first + i * n + (k + 1) % n;
            zoo_triangle(m, a, b, b + n);
            zoo_triangle(m, a, b + n, a + n);
        }
}

void zoo_teapot(zoo_mesh *m, int around)
{
    /* the pot with its lid and knob, from the middle of its bottom to the top */
    static const double pot_x[] = {0, 0, 0, 0, 0, 0, 0}, pot_z[] = {-0.5, -0.45, -0.1, 0.25, 0.35, 0.4, 0.5},
                        pot[] = {0.0, 0.4, 0.6, 0.4, 0.25, 0.05, 0.0};
    static const double spout_x[] = {0.4, 0.7, 0.8, 1.0}, spout_z[] = {-0.2, -0.1, 0.15, 0.3},
                        spout[] = {0.2, 0.15, 0.08, 0.06};
    static const double handle_x[] = {-0.4, -0.75, -0.9, -0.75, -0.4}, handle_z[] = {0.2, 0.25, 0.05, -0.2, -0.25},
                        handle[] = {0.06, 0.06, 0.06, 0.06, 0.06};
    zoo_clear(m);
    add_tube(m, around, 7, pot_x, pot_z, pot);
    add_tube(m, around, 4, spout_x, spout_z, spout);
    add_tube(m, around, 5, handle_x, handle_z, handle);
}

static double coordinate(dice *d) { return dice_between(d, -1.0, 1.0); }

static double snap(double x, double grid) { return round(x / grid) * grid; }

void zoo_make(zoo_mesh *m, zoo_kind kind, int count, dice *d)
{
    int side = (int)sqrt(count / 2.0);
    side = side > 3 ? side : 3;
    zoo_clear(m);
    switch (kind) {
    case ZOO_TORUS:
        zoo_torus(m, side, side, 0.8, dice_between(d, 0.1, 0.5));
        return;
    case ZOO_CUBE:
        zoo_cube(m, 0.5);
        return;
    case ZOO_TEAPOT: /* 26 triangles for each corner of a ring */
        zoo_teapot(m, count > 78 ? count / 26 : 3);
        return;
    case ZOO_BALL:
        zoo_ball(m, count >= 128 ? 2 : 1, 0.75);
        return;
    default:
        break;
    }
    while (m->triangle_count < (uint32_t)count) {
        double size = dice_power(d, -2.0, 0.0), x = coordinate(d), y = coordinate(d), z = coordinate(d), p[3][3];
        for (int i = 0; i < 3; i++) {
            const double at[3] = {x, y, z};
            for (int k = 0; k < 3; k++)
                p[i][k] = at[k] + size * coordinate(d);
        }
        if (kind == ZOO_SLIVERS) {
            double thin = dice_pick(d, 3) == 0 ? 0.0 : dice_power(d, -17.0, -3.0),
                   s = dice_pick(d, 4) == 0 ? 0.0 : dice_unit(d);
            for (int k = 0; k < 3; k++)
                p[2][k] = p[0][k] + s * (p[1][k] - p[0][k]) + thin * coordinate(d);
        }
        if (kind == ZOO_STACK)
            for (int i = 0; i < 3; i++)
                p[i][2] = snap(z, 0.5);
        if (kind == ZOO_SNAPPED || (kind == ZOO_STACK && dice_pick(d, 2) == 0))
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    p[i][k] = snap(p[i][k], 0.25);
        for (int copy = kind == ZOO_DOUBLES ? dice_pick(d, 3) : 0; copy >= 0; copy--) {
            uint32_t first = m->vertex_count;
            for (int i = 0; i < 3; i++)
                (void)zoo_vertex(m, p[i][0], p[i][1], p[i][2]);
            zoo_triangle(m, first, first + 1, first + 2);
        }
    }
}

void zoo_split(const zoo_mesh *m, zoo_mesh *split)
{
    zoo_clear(split);
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        uint32_t first = split->vertex_count;
        for (uint32_t k = 0; k < 3; k++) {
            tact_vec3 p = m->vertices[m->corners[3 * i + k]];
            (void)zoo_vertex(split, p.x, p.y, p.z);
        }
        zoo_triangle(split, first, first + 1, first + 2);
    }
}

tact_shape *zoo_shape(const zoo_mesh *m, bool solid, double margin)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){m->vertices, m->vertex_count, 0, TACT_SCALAR_DOUBLE};
    def.indices = m->corners;
    def.index_count = 3 * (size_t)m->triangle_count;
    def.solid = solid;
    def.margin = margin;
    return tact_mesh_create(&def, NULL);
}

tact_transform zoo_placement(dice *d, double reach)
{
    tact_quat turn = {dice_normal(d), dice_normal(d), dice_normal(d), dice_normal(d)};
    tact_vec3 to = {reach * coordinate(d), reach * coordinate(d), reach * coordinate(d)}, size = {1.0, 1.0, 1.0};
    int kind = dice_pick(d, 6);
    if (kind == 1)
        size.y = -1.0;
    if (kind == 2)
        size = (tact_vec3){dice_power(d, -1.5, 0.3), dice_power(d, -1.5, 0.3), -dice_power(d, -1.5, 0.3)};
    if (kind == 3 || kind == 4) { /* right angles, coarse steps: much that touches just so */
        static const tact_quat turns[6] = {{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0},
                                           {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}};
        turn = turns[dice_pick(d, 6)];
        to = (tact_vec3){snap(to.x, 0.25), snap(to.y, 0.25), snap(to.z, 0.25)};
    }
    tact_transform at = tact_transform_make(to, turn, size);
    if (kind == 5) {
        at.x_axis.y += coordinate(d);
        at.y_axis.z += 0.5 * coordinate(d);
    }
    return at;
}

void zoo_placed(const zoo_mesh *m, const tact_transform *at, uint32_t triangle, tact_vec3 corner[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        const tact_vec3 p = m->vertices[m->corners[3 * triangle + k]];
        corner[k].x = ((at->x_axis.x * p.x + at->y_axis.x * p.y) + at->z_axis.x * p.z) + at->origin.x;
        corner[k].y = ((at->x_axis.y * p.x + at->y_axis.y * p.y) + at->z_axis.y * p.z) + at->origin.y;
        corner[k].z = ((at->x_axis.z * p.x + at->y_axis.z * p.y) + at->z_axis.z * p.z) + at->origin.z;
    }
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

/* Slivers of 1e-17 have normals that long double does not know. */
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

typedef struct far_vec {
    quad x, y, z;
} far_vec;

static far_vec between(tact_vec3 from, tact_vec3 to)
{
    return (far_vec){(quad)to.x - from.x, (quad)to.y - from.y, (quad)to.z - from.z};
}

static quad dot(far_vec a, far_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static far_vec along(far_vec a, quad s, far_vec b) { return (far_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }

static far_vec cross(far_vec a, far_vec b)
{
    return (far_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double length(far_vec a) { return sqrtl((long double)dot(a, a)); }

static long double point_segment(tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    far_vec e = between(a, b), v = between(a, p);
    quad ee = dot(e, e), s = ee > 0.0L ? dot(v, e) / ee : 0.0L;
    s = s < 0.0L ? 0.0L : s > 1.0L ? 1.0L : s;
    return length(along(v, -s, e));
}

/* The points between the ends of both, where these do not run side by side. */
static long double segment_segment(tact_vec3 p, tact_vec3 q, tact_vec3 a, tact_vec3 b)
{
    long double best = fminl(fminl(point_segment(p, a, b), point_segment(q, a, b)),
                             fminl(point_segment(a, p, q), point_segment(b, p, q)));
    far_vec d = between(p, q), e = between(a, b), n = cross(d, e), v = between(p, a);
    quad nn = dot(n, n);
    if (!(nn > 0.0L))
        return best;
    quad s = dot(cross(v, e), n) / nn, t = dot(cross(v, d), n) / nn;
    if (s >= 0.0L && s <= 1.0L && t >= 0.0L && t <= 1.0L)
        best = fminl(best, length(along(along(v, t, e), -s, d)));
    return best;
}

long double zoo_point_gap(const tact_vec3 t[3], tact_vec3 p)
{
    long double best =
        fminl(point_segment(p, t[0], t[1]), fminl(point_segment(p, t[1], t[2]), point_segment(p, t[2], t[0])));
    far_vec n = cross(between(t[0], t[1]), between(t[0], t[2]));
    quad nn = dot(n, n);
    if (!(nn > 0.0L))
        return best;
    for (int i = 0; i < 3; i++)
        if (dot(cross(between(t[i], t[(i + 1) % 3]), between(t[i], p)), n) < 0.0L)
            return best;
    quad off = dot(between(t[0], p), n);
    return fminl(best, sqrtl((long double)(off * off / nn)));
}

long double zoo_segment_gap(const tact_vec3 t[3], tact_vec3 p, tact_vec3 q)
{
    const tact_vec3 segment[3] = {p, q, q};
    if (tact_triangles_intersect(t, segment))
        return 0.0L;
    long double best = fminl(zoo_point_gap(t, p), zoo_point_gap(t, q));
    for (int i = 0; i < 3; i++)
        best = fminl(best, segment_segment(p, q, t[i], t[(i + 1) % 3]));
    return best;
}

long double zoo_gap(const tact_vec3 a[3], const tact_vec3 b[3])
{
    if (tact_triangles_intersect(a, b))
        return 0.0L;
    long double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fminl(best, fminl(zoo_point_gap(a, b[i]), zoo_point_gap(b, a[i])));
        for (int k = 0; k < 3; k++)
            best = fminl(best, segment_segment(a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3]));
    }
    return best > 0.0L ? best : LDBL_TRUE_MIN;
}
