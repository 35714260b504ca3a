/* Pairs that a fixed plane separates until the next contact step: see step_separation.h. */
#include "advance/step_separation.h"

#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "convex/convex_query.h"
#include "shape/mesh.h"
#include "shape/support.h"

void tact_step_sweeps_reserve(step_sweep_array *cache, const tact_allocator *allocator, size_t bodies)
{
    size_t count = STEP_SWEEPS_MIN;
    while (count < 2 * bodies && count < STEP_SWEEPS_MAX)
        count *= 2;
    if (count <= cache->count || !step_sweep_array_reserve(cache, allocator, count))
        return;
    for (size_t i = 0; i < count; ++i)
        cache->items[i] = (step_sweep){.body = UINT32_MAX};
    cache->count = count;
}

void tact_step_sweeps_clear(step_sweep_array *cache)
{
    for (size_t i = 0; i < cache->count; ++i)
        cache->items[i] = (step_sweep){.body = UINT32_MAX};
}

/* Sets the entry of a body for [begin, end]. */
static void set_sweep(const tact_world *world, uint32_t index, double begin, double end, step_sweep *s)
{
    const advance *ad = world->advance;
    const body_motion *hot = &ad->motions.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    *s = (step_sweep){.body = index, .version = cold->version, .begin = begin, .end = end};
    if (cold->plan != NULL || body_motion_deforms(cold) || !shape_is_convex(cold->shape))
        return;
    const tact_transform first = body_motion_transform(hot, cold, begin), last = body_motion_transform(hot, cold, end);
    if (tact_convex_make(&s->at[0], cold->shape, &first) != TACT_OK ||
        tact_convex_make(&s->at[1], cold->shape, &last) != TACT_OK)
        return;
    if (cold->moves) {
        const double spin = vec_length_safe(cold->motion.spin);
        s->bulge =
            0.125 * (end - begin) * (end - begin) *
            (spin * spin * (s->at[0].bounding_radius + s->at[0].margin) + vec_length_safe(cold->motion.acceleration));
    }
    s->valid = true;
}

/* The entry of a body until `end`, from the cache or made in `*own`. */
static const step_sweep *find_sweep(tact_world *world, uint32_t index, double end, step_sweep *own)
{
    advance *ad = world->advance;
    step_sweep_array *cache = &ad->contacts.sweeps;
    const body_motion_cold *cold = &ad->cold.items[index];
    step_sweep *s = cache->count > 0 ? &cache->items[index & (cache->count - 1)] : own;
    const double start = ad->motions.items[index].start_time;
    /* a motion that has lasted for long, as that of a free body, would bulge too much */
    const double begin = !cold->moves || end - start <= 2.0 * world->contact_step ? start : ad->time;
    if (s == own) {
        set_sweep(world, index, begin, end, s);
        return s;
    }
    const bool same_end = s->end == end || !cold->moves;
    if (s->body != index || s->version != cold->version || s->begin != begin || !same_end)
        set_sweep(world, index, begin, end, s);
    return s;
}

/* The extent of a body along n: `*now` at the time of the world, `*end` at the end of the entry. */
static void set_extents(const step_sweep *s, tact_vec3 n, double time, double *now, double *end)
{
    double extent[2];
    for (int i = 0; i < 2; ++i) {
        uint64_t ignored;
        extent[i] =
            vec_dot(n, vec_add(s->at[i].transform.origin, convex_support(&s->at[i], n, &ignored))) + s->at[i].margin;
    }
    const double part = s->end > s->begin ? (time - s->begin) / (s->end - s->begin) : 0.0;
    *now = extent[0] + part * (extent[1] - extent[0]);
    *end = extent[1];
}

bool tact_step_is_separated(tact_world *world, uint32_t a, uint32_t b, tact_vec3 normal, double end)
{
    const advance *ad = world->advance;
    const double length = vec_length_squared(normal);
    if (!(fabs(length - 1.0) < UNIT_NORMAL_ERROR) || !(end >= ad->time))
        return false;
    step_sweep own[2];
    const step_sweep *one = find_sweep(world, a, end, &own[0]);
    if (one != &own[0]) { /* the other may have the same place in the cache */
        const step_sweep *other = &ad->contacts.sweeps.items[b & (ad->contacts.sweeps.count - 1)];
        if (other == one) {
            own[0] = *one;
            one = &own[0];
        }
    }
    const step_sweep *other = find_sweep(world, b, end, &own[1]);
    if (!one->valid || !other->valid)
        return false;
    double now_a, end_a, now_b, end_b;
    set_extents(one, normal, ad->time, &now_a, &end_a);
    set_extents(other, vec_negate(normal), ad->time, &now_b, &end_b);
    const double far =
        vec_max_abs(one->at[0].transform.origin) + vec_max_abs(one->at[1].transform.origin) +
        vec_max_abs(other->at[0].transform.origin) + vec_max_abs(other->at[1].transform.origin) +
        2.0 * (one->at[0].bounding_radius + one->at[0].margin + other->at[0].bounding_radius + other->at[0].margin);
    return max_double(now_a + now_b, end_a + end_b) + one->bulge + other->bulge + WINDOW_PAD * far < 0.0;
}

/* ---- meshes ---- */

/* A convex body that moves until the end of a step, near a mesh that does not. */
typedef struct mesh_passage {
    const mesh *of;
    tact_transform at;       /* of the mesh */
    const step_sweep *sweep; /* of the body */
    double time;
    double clearance;                   /* length: that a plane is to leave between them */
    double flatness;                    /* length: by which triangles of a flat region are off its plane */
    size_t count;                       /* planes: as many, of those added last */
    tact_vec3 normal[STEP_MAX_NORMALS]; /* from the mesh to the body */
    double lowest[STEP_MAX_NORMALS];    /* coordinate of the body along it */
    bool apart;
} mesh_passage;

/* The lowest coordinate of the body along n. */
static double lowest_along(const mesh_passage *p, tact_vec3 n)
{
    double now, end;
    set_extents(p->sweep, vec_negate(n), p->time, &now, &end);
    return -max_double(now, end);
}

/* Whether the plane of a triangle separates it from the body, and what is `above` it. */
static bool own_plane_separates(const mesh_passage *p, const tact_vec3 vertex[3], double above)
{
    tact_vec3 n = vec_normalize(vec_cross(vec_sub(vertex[1], vertex[0]), vec_sub(vertex[2], vertex[0])));
    if (!(fabs(vec_length_squared(n) - 1.0) < UNIT_NORMAL_ERROR))
        return false;
    if (vec_dot(n, vec_sub(p->sweep->at[0].transform.origin, vertex[0])) < 0.0)
        n = vec_negate(n);
    const double highest = max_double(vec_dot(n, vertex[0]), max_double(vec_dot(n, vertex[1]), vec_dot(n, vertex[2])));
    return lowest_along(p, n) > highest + above + p->clearance;
}

static void add_normal(mesh_passage *p, tact_vec3 n)
{
    const size_t i = p->count++ % STEP_MAX_NORMALS;
    p->normal[i] = n;
    p->lowest[i] = lowest_along(p, n);
}

/* Whether the plane between the closest points of a triangle and the body, at the start of its motion, separates them.
 * Then it probably separates neighbours too. */
static bool closest_plane_separates(mesh_passage *p, const tact_vec3 vertex[3])
{
    const convex *body = &p->sweep->at[0];
    convex triangle = convex_point(body->shape, vertex[0]);
    triangle.point_count = 3;
    for (int i = 1; i < 3; ++i) {
        triangle.points[i] = vec_sub(vertex[i], vertex[0]);
        triangle.bounding_radius = max_double(triangle.bounding_radius, vec_length_safe(triangle.points[i]));
    }
    const tact_distance_def def = {STEP_DISTANCE_ACCURACY, INFINITY, NULL};
    const tact_distance d = tact_convex_distance(&triangle, body, &def);
    if (d.status != TACT_OK || !(d.distance > p->clearance) ||
        !(fabs(vec_length_squared(d.normal) - 1.0) < UNIT_NORMAL_ERROR))
        return false;
    add_normal(p, d.normal);
    const size_t i = (p->count - 1) % STEP_MAX_NORMALS;
    const tact_vec3 n = p->normal[i];
    return p->lowest[i] >
           max_double(vec_dot(n, vertex[0]), max_double(vec_dot(n, vertex[1]), vec_dot(n, vertex[2]))) + p->clearance;
}

/* Ends with a negative value at a triangle that no plane separates. */
static double pass_triangle(void *context, uint32_t triangle, double limit)
{
    mesh_passage *p = context;
    tact_vec3 v[3];
    mesh_triangle(p->of, &p->at, triangle, v);
    for (size_t i = 0; i < p->count && i < STEP_MAX_NORMALS; ++i) {
        const tact_vec3 n = p->normal[i];
        if (p->lowest[i] > max_double(vec_dot(n, v[0]), max_double(vec_dot(n, v[1]), vec_dot(n, v[2]))) + p->clearance)
            return limit;
    }
    p->apart = own_plane_separates(p, v, 0.0) || closest_plane_separates(p, v);
    return p->apart ? limit : -1.0;
}

/* A flat region has the number of one of its triangles. */
static double pass_region(void *context, uint32_t region, double limit)
{
    mesh_passage *p = context;
    tact_vec3 v[3];
    mesh_triangle(p->of, &p->at, region, v);
    p->apart = own_plane_separates(p, v, p->flatness);
    return p->apart ? limit : -1.0;
}

/* A box around the body during the step, about the origin of its transform; `out`: enlarged by this. */
static box sweep_box(const step_sweep *s, tact_vec3 origin, double out)
{
    double low[3], high[3];
    const tact_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const double from[3] = {origin.x, origin.y, origin.z};
    for (int i = 0; i < 3; ++i) {
        double first, last;
        set_extents(s, axes[i], s->begin, &first, &last);
        high[i] = max_double(first, last) - from[i] + out;
        set_extents(s, vec_negate(axes[i]), s->begin, &first, &last);
        low[i] = -max_double(first, last) - from[i] - out;
    }
    return box_from_bounds(vec_make(low[0], low[1], low[2]), vec_make(high[0], high[1], high[2]));
}

/* A body with a mesh that does not move. */
static bool is_fixed_mesh(const tact_world *world, uint32_t index)
{
    const body_motion_cold *cold = &world->advance->cold.items[index];
    return tact_shape_get_type(cold->shape) == TACT_MESH && !cold->moves && cold->plan == NULL &&
           !body_motion_deforms(cold);
}

bool tact_step_is_mesh_pair(const tact_world *world, uint32_t a, uint32_t b)
{
    const body_motion_cold_array *cold = &world->advance->cold;
    return (is_fixed_mesh(world, a) && shape_is_convex(cold->items[b].shape)) ||
           (is_fixed_mesh(world, b) && shape_is_convex(cold->items[a].shape));
}

bool tact_step_is_separated_from_mesh(tact_world *world, uint32_t a, uint32_t b, const tact_vec3 *normals, size_t count,
                                      double end)
{
    const advance *ad = world->advance;
    const bool mesh_is_a = is_fixed_mesh(world, a);
    const uint32_t fixed = mesh_is_a ? a : b;
    const tact_shape *shape = ad->cold.items[fixed].shape;
    step_sweep own;
    if (!(end >= ad->time))
        return false;
    const step_sweep *s = find_sweep(world, mesh_is_a ? b : a, end, &own);
    if (!s->valid)
        return false;
    mesh_passage p = {.of = shape->mesh, .sweep = s, .time = ad->time, .apart = true};
    p.at = body_motion_transform(&ad->motions.items[fixed], &ad->cold.items[fixed], ad->time);
    const tact_vec3 origin = s->at[0].transform.origin;
    const double far = vec_max_abs(origin) + vec_max_abs(s->at[1].transform.origin) + vec_max_abs(p.at.origin) +
                       2.0 * (s->at[0].bounding_radius + s->at[0].margin) +
                       shape->bounding_radius * transform_stretch_bound(&p.at);
    p.flatness = FLAT_TOLERANCE * shape->bounding_radius * transform_stretch_bound(&p.at);
    p.clearance = s->bulge + complex_margin(shape, &p.at) + WINDOW_PAD * far;
    for (size_t i = 0; i < count && p.count < STEP_MAX_NORMALS; ++i) {
        const tact_vec3 n = mesh_is_a ? normals[i] : vec_negate(normals[i]);
        bool again = !(fabs(vec_length_squared(n) - 1.0) < UNIT_NORMAL_ERROR);
        for (size_t k = 0; k < p.count && !again; ++k)
            again = vec_equal(p.normal[k], n);
        if (!again)
            add_normal(&p, n);
    }
    const box near = sweep_box(s, origin, p.clearance);
    const tact_transform frame = tact_at(origin.x, origin.y, origin.z);
    const flat_regions *flat = mesh_flat_regions(p.of);
    if (flat != NULL) {
        (void)tact_aabb_tree_nearest_groups(&p.of->tree, &p.at, &near, &frame, 0.0, pass_triangle, flat->of_node,
                                            pass_region, &p);
        if (p.apart)
            return true;
        p.apart = true; /* its plane may pass the body where the region does not reach */
    }
    (void)tact_aabb_tree_nearest(&p.of->tree, &p.at, &near, &frame, 0.0, pass_triangle, &p);
    return p.apart;
}
