/* See advance.h. */
#include "advance.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <tact/query.h>

#include "scene.h"
#include "zoo.h"

const char *const figure_names[FIGURE_KINDS] = {"sphere",      "box",     "capsule",    "cone",       "cylinder",
                                                "ellipsoid",   "hull",    "point",      "segment",    "triangle",
                                                "tetrahedron", "polygon", "cube shell", "ring shell", "cube solid",
                                                "ball solid",  "angle",   "soup",       "compound"};

/* Of the size: what comes nearer to a change of sign than this is near. */
#define BAND 1e-7L

/* Steps of the length of the band before a pair is called near. */
#define BAND_STEPS 4000

/* Factors: distances and depths are computed this well, at least. */
#define DISTANCE_SURE 0.999
#define DEPTH_SURE 0.98

/* ---- figures ---- */

static tact_vec3 roll_point(dice *d)
{
    return (tact_vec3){dice_between(d, -0.5, 0.5), dice_between(d, -0.5, 0.5), dice_between(d, -0.5, 0.5)};
}

static double roll_length(dice *d) { return dice_between(d, 0.2, 0.7); }

static void add_part(figure *t, tact_shape *part, tact_transform place)
{
    t->places[t->count] = place;
    t->parts[t->count++] = part;
}

static void fit_margin(tact_shape **shape, double margin)
{
    if (!(margin > 0.0))
        return;
    tact_shape *rounded = tact_rounded(*shape, margin);
    tact_shape_release(*shape);
    *shape = rounded;
}

static tact_transform roll_place(dice *d)
{
    double r[3][3];
    scene_roll_rotation(d, r);
    tact_transform p = {
        {r[0][0], r[0][1], r[0][2]}, {r[1][0], r[1][1], r[1][2]}, {r[2][0], r[2][1], r[2][2]}, {0, 0, 0}};
    p.origin = roll_point(d);
    return p;
}

static void make_shell(figure *t, const zoo_mesh *m)
{
    t->shape = zoo_shape(m, false, 0.0);
    for (uint32_t i = 0; i < m->triangle_count; ++i)
        add_part(t,
                 tact_triangle(m->vertices[m->corners[3 * i]], m->vertices[m->corners[3 * i + 1]],
                               m->vertices[m->corners[3 * i + 2]]),
                 tact_identity());
}

static void make_solid(figure *t, const zoo_mesh *m)
{
    t->shape = zoo_shape(m, true, 0.0);
    add_part(t, tact_hull(m->vertices, m->vertex_count), tact_identity());
}

/* From the corner at -0.5 to x, y. */
static void add_block(figure *t, double x, double y, double h)
{
    tact_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = (tact_vec3){i & 1 ? x : -0.5, i & 2 ? y : -0.5, i & 4 ? h : -h};
    add_part(t, tact_hull(corners, 8), tact_identity());
}

/* A solid mesh with a re-entrant edge: two boxes make it up. */
static void make_angle(figure *t, zoo_mesh *m, dice *d)
{
    const double w = dice_between(d, 0.2, 0.4), h = dice_between(d, 0.1, 0.5);
    const double outline[6][2] = {{-0.5, -0.5},         {0.5, -0.5},     {0.5, -0.5 + w},
                                  {-0.5 + w, -0.5 + w}, {-0.5 + w, 0.5}, {-0.5, 0.5}};
    static const uint32_t caps[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    zoo_clear(m);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 6; ++i)
            (void)zoo_vertex(m, outline[i][0], outline[i][1], k == 0 ? -h : h);
    for (int i = 0; i < 4; ++i) {
        zoo_triangle(m, caps[i][0], caps[i][2], caps[i][1]);
        zoo_triangle(m, 6 + caps[i][0], 6 + caps[i][1], 6 + caps[i][2]);
    }
    for (uint32_t i = 0; i < 6; ++i) {
        const uint32_t j = (i + 1) % 6;
        zoo_triangle(m, i, j, 6 + j);
        zoo_triangle(m, i, 6 + j, 6 + i);
    }
    t->shape = zoo_shape(m, true, 0.0);
    add_block(t, 0.5, -0.5 + w, h);
    add_block(t, -0.5 + w, 0.5, h);
}

static void make_soup(figure *t, dice *d)
{
    tact_vec3 vertices[24];
    uint32_t corners[24], sizes[4];
    size_t count = 0, pieces = 0;
    for (int i = 0; i < 4; ++i) {
        static const uint32_t some[4] = {3, 4, 2, 6};
        const tact_vec3 at = roll_point(d);
        const size_t first = count;
        for (uint32_t k = 0; k < some[i]; ++k, ++count) {
            const tact_vec3 p = roll_point(d);
            vertices[count] = (tact_vec3){at.x + 0.5 * p.x, at.y + 0.5 * p.y, at.z + 0.5 * p.z};
            corners[count] = (uint32_t)count;
        }
        sizes[pieces++] = some[i];
        add_part(t, tact_hull(vertices + first, count - first), tact_identity());
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, count, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = count;
    def.loop_sizes = sizes;
    def.loop_count = pieces;
    t->shape = tact_soup_create(&def, NULL);
}

static tact_shape *make_convex(int kind, dice *d)
{
    tact_vec3 p[12];
    for (int i = 0; i < 12; ++i)
        p[i] = roll_point(d);
    const double r = roll_length(d), h = roll_length(d), l = roll_length(d);
    switch (kind) {
    case 0:
        return tact_sphere(r);
    case 1:
        return tact_box(2.0 * r, 2.0 * h, 2.0 * l);
    case 2:
        return tact_capsule(0.5 * r, 2.0 * h);
    case 3:
        return tact_cone(r, 2.0 * h);
    case 4:
        return tact_cylinder(r, 2.0 * h);
    case 5:
        return tact_ellipsoid(r, h, l);
    case 6:
        return tact_hull(p, 12);
    case 7:
        return tact_point(p[0]);
    case 8:
        return tact_segment(p[0], p[1]);
    case 9:
        return tact_triangle(p[0], p[1], p[2]);
    case 10:
        return tact_tetrahedron(p[0], p[1], p[2], p[3]);
    default:
        for (int i = 0; i < 6; ++i)
            p[i].z = 0.0;
        return tact_polygon(p, 6);
    }
}

void figure_make(figure *t, int kind, double margin, dice *d)
{
    static zoo_mesh mesh;
    *t = (figure){.kind = kind};
    if (kind < 12) {
        t->shape = make_convex(kind, d);
        add_part(t, tact_shape_retain(t->shape), tact_identity());
    } else if (kind == 12) {
        zoo_cube(&mesh, roll_length(d));
        make_shell(t, &mesh);
    } else if (kind == 13) {
        zoo_torus(&mesh, 5, 4, 0.7, 0.2);
        make_shell(t, &mesh);
    } else if (kind == 14) {
        zoo_cube(&mesh, roll_length(d));
        make_solid(t, &mesh);
    } else if (kind == 15) {
        zoo_ball(&mesh, 1 + dice_pick(d, 2), roll_length(d));
        make_solid(t, &mesh);
    } else if (kind == 16) {
        make_angle(t, &mesh, d);
    } else if (kind == 17) {
        make_soup(t, d);
    } else {
        const int count = 2 + dice_pick(d, 3);
        tact_transform places[4];
        tact_shape *parts[4];
        const tact_shape *lent[4];
        for (int i = 0; i < count; ++i) {
            lent[i] = parts[i] = make_convex(dice_pick(d, 12), d);
            places[i] = roll_place(d);
            add_part(t, parts[i], places[i]);
        }
        t->shape = tact_compound(lent, places, (size_t)count);
        return; /* margins of compounds are those of their parts */
    }
    fit_margin(&t->shape, margin);
    for (int i = 0; i < t->count; ++i)
        fit_margin(&t->parts[i], margin);
}

void figure_free(figure *t)
{
    tact_shape_release(t->shape);
    for (int i = 0; i < t->count; ++i)
        tact_shape_release(t->parts[i]);
    *t = (figure){0};
}

/* ---- where and how fast ---- */

static double length(tact_vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

static double larger_of(double a, double b) { return a > b ? a : b; }

static double half_of(const moving_figure *m)
{
    tact_bounds b;
    if (tact_shape_bounds(m->figure->shape, m->place, &b) != TACT_OK)
        return 0.0;
    return 0.5 * larger_of(b.max.x - b.min.x, larger_of(b.max.y - b.min.y, b.max.z - b.min.z));
}

double moving_figures_size(const moving_figure *a, const moving_figure *b)
{
    const double p = half_of(a), q = half_of(b);
    return p > 1e-12 && q > 1e-12 ? fmin(p, q) : larger_of(p, q);
}

/* No point is farther from the origin. */
static double reach_of(const moving_figure *m)
{
    tact_transform centred = m->place;
    tact_bounds b;
    centred.origin = (tact_vec3){0.0, 0.0, 0.0};
    if (tact_shape_bounds(m->figure->shape, centred, &b) != TACT_OK)
        return INFINITY;
    return length(
        (tact_vec3){larger_of(-b.min.x, b.max.x), larger_of(-b.min.y, b.max.y), larger_of(-b.min.z, b.max.z)});
}

/* A bound of the speed of its points in [from, to]. */
static double speed_of(const moving_figure *m, double reach, double from, double to)
{
    const tact_vec3 v = m->motion.velocity, a = m->motion.acceleration;
    const tact_vec3 now = {v.x + from * a.x, v.y + from * a.y, v.z + from * a.z};
    return length(now) + (to - from) * length(a) + length(m->motion.spin) * reach;
}

/* ---- how they are to each other ---- */

typedef struct laid {
    int count;
    tact_transform places[FIGURE_PARTS];
    tact_bounds bounds[FIGURE_PARTS];
} laid;

static void lay(const moving_figure *m, double time, laid *out)
{
    const tact_transform at = tact_motion_at(m->motion, m->place, time);
    out->count = m->figure->count;
    for (int i = 0; i < out->count; ++i) {
        out->places[i] = tact_transform_compose(at, m->figure->places[i]);
        (void)tact_shape_bounds(m->figure->parts[i], out->places[i], &out->bounds[i]);
    }
}

static double gap_of(const tact_bounds *a, const tact_bounds *b)
{
    const double x = larger_of(0.0, larger_of(b->min.x - a->max.x, a->min.x - b->max.x));
    const double y = larger_of(0.0, larger_of(b->min.y - a->max.y, a->min.y - b->max.y));
    const double z = larger_of(0.0, larger_of(b->min.z - a->max.z, a->min.z - b->max.z));
    return sqrt(x * x + y * y + z * z);
}

/* Of two balls, in long double. */
static double balls_apart(const moving_figure *a, const moving_figure *b, double time)
{
    const moving_figure *both[2] = {a, b};
    long double at[2][3], r = 0.0L, square = 0.0L;
    for (int i = 0; i < 2; ++i) {
        const tact_vec3 p = both[i]->place.origin, v = both[i]->motion.velocity, g = both[i]->motion.acceleration;
        const long double t = time;
        const double from[3] = {p.x, p.y, p.z}, way[3] = {v.x, v.y, v.z}, bend[3] = {g.x, g.y, g.z};
        tact_vec3 top;
        (void)tact_shape_support(both[i]->figure->shape, tact_identity(), (tact_vec3){1.0, 0.0, 0.0}, &top);
        r += top.x;
        for (int k = 0; k < 3; ++k)
            at[i][k] = from[k] + t * way[k] + t * t * bend[k] / 2.0L;
    }
    for (int k = 0; k < 3; ++k)
        square += (at[1][k] - at[0][k]) * (at[1][k] - at[0][k]);
    return (double)(sqrtl(square) - r);
}

static bool is_upright(const tact_transform *p)
{
    return p->x_axis.x == 1.0 && p->y_axis.y == 1.0 && p->z_axis.z == 1.0 && p->x_axis.y == 0.0 && p->x_axis.z == 0.0 &&
           p->y_axis.x == 0.0 && p->y_axis.z == 0.0 && p->z_axis.x == 0.0 && p->z_axis.y == 0.0;
}

double moving_figures_distance(const moving_figure *a, const moving_figure *b, double time)
{
    if (a->figure->kind == 0 && b->figure->kind == 0 && is_upright(&a->place) && is_upright(&b->place))
        return balls_apart(a, b, time);
    laid p, q;
    lay(a, time, &p);
    lay(b, time, &q);
    double least = INFINITY, deepest = 0.0;
    for (int i = 0; i < p.count && least > 0.0; ++i)
        for (int j = 0; j < q.count && least > 0.0; ++j)
            if (gap_of(&p.bounds[i], &q.bounds[j]) < least)
                least = fmin(
                    least,
                    tact_shapes_distance(a->figure->parts[i], p.places[i], b->figure->parts[j], q.places[j]).distance);
    if (least > 0.0)
        return least;
    for (int i = 0; i < p.count; ++i)
        for (int j = 0; j < q.count; ++j)
            if (!(gap_of(&p.bounds[i], &q.bounds[j]) > 0.0))
                deepest = larger_of(
                    deepest,
                    tact_shapes_penetration(a->figure->parts[i], p.places[i], b->figure->parts[j], q.places[j]).depth);
    return -deepest;
}

/* ---- through time ---- */

static double bisect(const moving_figure *a, const moving_figure *b, double free, double met)
{
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (free + met);
        if (!(middle > free) || !(middle < met))
            break;
        if (moving_figures_distance(a, b, middle) > 0.0)
            free = middle;
        else
            met = middle;
    }
    return met;
}

void moving_figures_touch(const moving_figure *a, const moving_figure *b, double end, bool in, touches *out)
{
    const double size = moving_figures_size(a, b), band = (double)BAND * size;
    const double reach_a = reach_of(a), reach_b = reach_of(b);
    *out = (touches){.in = false};
    double t = 0.0, s = moving_figures_distance(a, b, 0.0);
    double deepest = s < 0.0 ? -s : 0.0;
    bool above = true, dipped = false; /* since they parted: beyond the band, and then in it */
    long floors = 0;
    if (fabs(s) <= band) {
        out->near = true;
        return;
    }
    if (s < 0.0 && !in)
        out->times[out->count++] = 0.0;
    while (t < end) {
        const double speed = speed_of(a, reach_a, t, end) + speed_of(b, reach_b, t, end);
        const double sure = s > 0.0 ? DISTANCE_SURE * s : DEPTH_SURE * -s;
        if (!(speed > 0.0))
            break;
        floors += sure < 0.25 * band;
        double next = t + larger_of(sure, 0.25 * band) / speed;
        if (!(next > t))
            next = nextafter(t, INFINITY);
        next = fmin(next, end);
        const double then = moving_figures_distance(a, b, next);
        if (floors > BAND_STEPS || out->count == FIGURE_TOUCHES) {
            out->near = true;
            return;
        }
        if (s > 0.0 && !(then > 0.0)) {
            if (!above) { /* the gap was too narrow */
                out->near = true;
                return;
            }
            const double root = bisect(a, b, t, next);
            const double back = fmin(root, band / speed), before = moving_figures_distance(a, b, root - back);
            const double far = reach_a + reach_b + length(a->place.origin) + length(b->place.origin) + speed * end;
            out->slack[out->count] = (4e-12 * size + 64.0 * DBL_EPSILON * far) * back / larger_of(before, 1e-300);
            out->times[out->count++] = root;
            deepest = 0.0;
        }
        if (!(s > 0.0) && then > 0.0) {
            if (deepest < band) {
                out->near = true;
                return;
            }
            above = dipped = false;
        }
        if (then > band) {
            if (dipped) {
                out->near = true;
                return;
            }
            above = true;
        } else if (then > 0.0) {
            dipped = above;
        } else {
            deepest = larger_of(deepest, -then);
        }
        t = next;
        s = then;
    }
    out->in = !(s > 0.0);
    out->near = out->near || fabs(s) <= band;
}
