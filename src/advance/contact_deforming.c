/* Persistent contacts with bodies whose vertices move: see the header. */
#include "advance/contact_deforming.h"

#include <float.h>
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "advance/deforming_pair.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/number.h"
#include "shape/support.h"
#include "toi/arc_mesh_toi.h"

/* ---- bodies ---- */

bool tact_contact_deforms(const tact_world *world, uint32_t index)
{
    return world->cold.items[index].vertex_plan != NULL;
}

int tact_contact_deforming_side(const tact_world *world, const persistent_contact *c)
{
    return tact_contact_deforms(world, c->body[0]) ? 0 : tact_contact_deforms(world, c->body[1]) ? 1 : -1;
}

bool tact_contact_surface_moves(const tact_world *world, uint32_t index)
{
    const body_motion_cold *cold = &world->advance->cold.items[index];
    return body_motion_deforms(cold) && cold->rotation_expiry < INFINITY;
}

/* Whether the triangles of a body are those of its window. */
static bool has_surface(const body_motion_cold *cold) { return cold->is_surface && cold->surface != NULL; }

tact_status tact_contact_sync_shapes(tact_world *world, const persistent_contact *c, bool force)
{
    for (int i = 0; i < 2; ++i) {
        body_motion_cold *cold = &world->advance->cold.items[c->body[i]];
        const double now = world->advance->time;
        if (!tact_contact_deforms(world, c->body[i]) ||
            (!force && cold->shape_version == cold->version && cold->shape_time == now))
            continue;
        const tact_status status =
            has_surface(cold) ? tact_surface_window_sync(cold->surface, now, &world->element_boxes, &world->allocator)
                              : tact_vertex_motion_sync(world, c->body[i]);
        if (status != TACT_OK)
            return status;
        cold->shape_version = cold->version;
        cold->shape_time = now;
    }
    return TACT_OK;
}

const tact_shape *tact_contact_shape(const tact_world *world, uint32_t index)
{
    const advance *ad = world->advance;
    const body_motion_cold *cold = index < ad->cold.count ? &ad->cold.items[index] : NULL;
    return cold != NULL && has_surface(cold) && cold->surface->contact_shape != NULL ? cold->surface->contact_shape
                                                                                     : world->bodies.items[index].shape;
}

double tact_contact_tolerance(const tact_world *world, const persistent_contact *c)
{
    double sum = 0.0;
    for (int i = 0; i < 2; ++i)
        if (world->cold.items[c->body[i]].deform != NULL)
            sum += tact_contact_shape(world, c->body[i])->surface_error;
    return 2.0 * sum;
}

/* ---- the motion of the surface at a point ---- */

typedef struct triangle_query {
    const mesh *mesh;
    tact_vec3 point;
    double distance; /* squared */
    uint32_t triangle;
} triangle_query;

static double triangle_distance_squared(const tact_vec3 corners[3], tact_vec3 point)
{
    double w[3] = {1.0, 0.0, 0.0};
    tact_triangle_closest_weights(corners, point, w);
    const tact_vec3 at = vec_mul_add(vec_mul_add(vec_scale(corners[0], w[0]), w[1], corners[1]), w[2], corners[2]);
    return vec_length_squared(vec_sub(point, at));
}

/* Of triangles at the same distance the first one: whatever the order in which the tree has them. */
static bool visit_triangle(void *context, uint32_t item)
{
    triangle_query *q = context;
    const uint32_t *v = q->mesh->indices + 3 * (size_t)item;
    const tact_vec3 corners[3] = {q->mesh->vertices[v[0]], q->mesh->vertices[v[1]], q->mesh->vertices[v[2]]};
    const double distance = triangle_distance_squared(corners, q->point);
    if (distance < q->distance || (distance == q->distance && item < q->triangle)) {
        q->distance = distance;
        q->triangle = item;
    }
    return true;
}

/* The triangle of a mesh that is closest to a point near it, about `near`; UINT32_MAX: none. */
static uint32_t find_triangle(const mesh *m, tact_vec3 point, double near)
{
    triangle_query q = {.mesh = m, .point = point, .distance = INFINITY, .triangle = UINT32_MAX};
    for (double reach = max_double(near, DBL_MIN); reach < INFINITY && !(q.distance <= reach * reach); reach *= 4.0) {
        const tact_vec3 r = {reach, reach, reach};
        const box around = box_from_bounds(vec_sub(point, r), vec_add(point, r));
        q.distance = INFINITY;
        q.triangle = UINT32_MAX;
        (void)tact_aabb_tree_overlap(&m->tree, &around, visit_triangle, &q);
        if (reach > 4.0 * (m->bounding_radius + vec_length_safe(point)))
            break; /* that was all of it */
    }
    return q.triangle;
}

static tact_vec3 path_velocity(const linear_path *path)
{
    return path->has_velocity ? path->x1 : vec_scale(vec_sub(path->x1, path->x0), 1.0 / (path->t1 - path->t0));
}

/* The motion at the point of a triangle that is closest to a point. */
static surface_point at_triangle(const linear_path path[3], double now, tact_vec3 point)
{
    surface_point s = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    tact_vec3 x[3], v[3];
    double w[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        x[k] = linear_path_at(&path[k], now);
        v[k] = path_velocity(&path[k]);
    }
    tact_triangle_closest_weights(x, point, w);
    if (vec_equal(v[0], v[1]) && vec_equal(v[0], v[2])) {
        s.velocity = v[0]; /* without rounding: points with equal velocities share a solver body */
        return s;
    }
    s.velocity = vec_mul_add(vec_mul_add(vec_scale(v[0], w[0]), w[1], v[1]), w[2], v[2]);
    const tact_vec3 a = vec_sub(x[1], x[0]), b = vec_sub(x[2], x[0]), n = vec_cross(a, b);
    const tact_vec3 change = vec_add(vec_cross(vec_sub(v[1], v[0]), b), vec_cross(a, vec_sub(v[2], v[0])));
    const double square = vec_length_squared(n);
    if (square > 0.0)
        s.spin = vec_scale(vec_cross(n, change), 1.0 / square);
    return s;
}

surface_point tact_contact_surface_at(const tact_world *world, uint32_t index, const contact_point *p, double size)
{
    const advance *ad = world->advance;
    const body_motion_cold *cold = &ad->cold.items[index];
    const surface_point rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (!tact_contact_deforms(world, index) || !body_motion_deforms(cold) || cold->rotation_expiry == INFINITY)
        return rest;
    const mesh *m = tact_contact_shape(world, index)->mesh;
    const double near = fabs(p->gap) + surface_motion_reach(cold) + SEPARATION_DISTANCE * size;
    const uint32_t triangle = find_triangle(m, p->position, near);
    if (triangle == UINT32_MAX || (cold->is_surface && !has_surface(cold)))
        return rest;
    const vertex_plan_pieces pieces = tact_vertex_plan_pieces_at(world->cold.items[index].vertex_plan, ad->time);
    linear_path path[3];
    for (int k = 0; k < 3; ++k) {
        const uint32_t vertex = m->indices[3 * (size_t)triangle + (size_t)k];
        path[k] = cold->is_surface ? surface_window_path(cold->surface, vertex)
                                   : tact_vertex_plan_path(&pieces, vertex, NULL);
    }
    return at_triangle(path, ad->time, p->position);
}

bool tact_contact_deforming_slots(tact_world *world, const persistent_contact *c, const contact_point *p, size_t first,
                                  uint32_t slots[2])
{
    contact_graph *g = &world->advance->contacts;
    const int side = tact_contact_deforming_side(world, c);
    if (side < 0)
        return true;
    const tact_vec3 v = tact_contact_surface_at(world, c->body[side], p, c->size).velocity;
    if (vec_equal(v, g->start.items[slots[side]].velocity))
        return true;
    size_t slot = first;
    while (slot < g->members.count && !vec_equal(v, g->start.items[slot].velocity))
        ++slot;
    if (slot == g->members.count) {
        const tact_allocator *allocator = &world->allocator;
        const solver_body b = {.velocity = v};
        if (!contact_index_array_reserve(&g->members, allocator, slot + 1) ||
            !contact_vec_array_reserve(&g->centres, allocator, slot + 1) ||
            !solver_body_array_reserve(&g->solver_bodies, allocator, slot + 1) ||
            !solver_body_array_reserve(&g->start, allocator, slot + 1))
            return false;
        (void)contact_index_array_push(&g->members, allocator, c->body[side]);
        (void)contact_vec_array_push(&g->centres, allocator, p->position);
        (void)solver_body_array_push(&g->solver_bodies, allocator, b);
        (void)solver_body_array_push(&g->start, allocator, b);
    }
    slots[side] = (uint32_t)slot;
    return true;
}

/* ---- the surface as one body ---- */

/* Adds the points of a contact that are nearest, up to its rest gap, to the mean motion of a surface there. */
static void set_mean_motion(const tact_world *world, uint32_t index, const persistent_contact *c, tact_motion *motion,
                            tact_vec3 *origin)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    tact_vec3 velocity = zero, spin = zero, middle = zero;
    double count = 0.0;
    for (uint32_t k = 0; k < c->point_count; ++k) {
        if (c->points[k].gap > c->gap + tact_contact_rest_gap(c))
            continue;
        const surface_point s = tact_contact_surface_at(world, index, &c->points[k], c->size);
        velocity = vec_add(velocity, s.velocity);
        spin = vec_add(spin, s.spin);
        middle = vec_add(middle, c->points[k].position);
        count += 1.0;
    }
    if (!(count > 0.0))
        return;
    motion->velocity = vec_scale(velocity, 1.0 / count);
    motion->spin = vec_scale(spin, 1.0 / count);
    *origin = vec_scale(middle, 1.0 / count);
}

tact_motion tact_contact_carrier_motion(const tact_world *world, uint32_t index, const persistent_contact *c,
                                        tact_vec3 *origin)
{
    const contact_graph *g = &world->advance->contacts;
    tact_motion motion = tact_advance_motion(world, index);
    *origin = tact_advance_transform(world, index).origin;
    if (!tact_contact_deforms(world, index))
        return motion;
    if (c->body[0] != index && c->body[1] != index) {
        c = NULL;
        for (uint32_t i = g->bodies.items[index].first; i != CONTACT_NONE && c == NULL;) {
            const persistent_contact *other = &g->contacts.items[i];
            c = other->point_count > 0 && other->time == world->advance->time ? other : NULL;
            i = other->next[contact_side(other, index)];
        }
    }
    if (c != NULL)
        set_mean_motion(world, index, c, &motion, origin);
    return motion;
}

double tact_contact_surface_curvature(const tact_world *world, const persistent_contact *c, double speed)
{
    const int side = tact_contact_deforming_side(world, c);
    double most = 0.0;
    if (side < 0)
        return 0.0;
    for (uint32_t k = 0; k < c->point_count; ++k) {
        const surface_point s = tact_contact_surface_at(world, c->body[side], &c->points[k], c->size);
        const double relative = speed + vec_length_safe(s.velocity);
        const double turn = vec_length_safe(s.spin);
        most = max_double(most, turn * (2.0 * relative + turn * c->size));
    }
    return most;
}

tact_vec3 tact_contact_lift(const tact_world *world, uint32_t index, const persistent_contact *c)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    const double dt = tact_contact_next_step(world) - world->advance->time;
    if (!tact_contact_surface_moves(world, index) || (c->body[0] != index && c->body[1] != index) ||
        c->point_count == 0 || !(dt > 0.0))
        return zero;
    const contact_point *lowest = &c->points[0];
    for (uint32_t k = 1; k < c->point_count; ++k)
        lowest = c->points[k].gap < lowest->gap ? &c->points[k] : lowest;
    const surface_point s = tact_contact_surface_at(world, index, lowest, c->size);
    const double bend = tact_contact_surface_curvature(world, c, vec_length_safe(s.velocity));
    const double speed = 0.5 * tact_contact_rest_gap(c) / dt + 0.5 * bend * dt;
    return vec_scale(lowest->normal, c->body[0] == index ? speed : -speed);
}

/* ---- separation until the next step ---- */

/* The rigid body and the normals of its contact, for a time interval. */
typedef struct step_planes {
    const body_motion *hot;
    const body_motion_cold *cold;
    tact_vec3 normals[2 * CONTACT_MAX_POINTS]; /* unit, from the surface to the body; different ones */
    int normal_count;
    struct {
        tact_vec3 edge, along; /* an edge of the body at `begin`, and the normal near which it is */
    } edges[MAX_PLANE_EDGES];
    int edge_count;
    double allowed; /* length: how deep the body may be */
    double bulge;   /* bound of the second derivative of a coordinate of a point of the body */
    double speed;   /* bound of the speed of such a point */
    double radius;  /* no point is farther from the origin */
    double reach;   /* length: how far the surface is from its triangles */
    double begin, end;
    convex ends[2]; /* at `begin` and `end` */
    int left;       /* intervals that may still be tested for the triangle at hand */
    double until;   /* the time until which that is separated */
} step_planes;

typedef enum plane_result { PLANE_SEPARATES, PLANE_MAY_SEPARATE, PLANE_CUTS } plane_result;

/* The least value over [0, h] of a function with values f[0] and f[1] at the ends and a second derivative of at most
 * `bend`: that of f0 + (f1 - f0) t / h - bend t (h - t) / 2, at t = h / 2 - slope / bend. */
static double least_between(const double f[2], double bend, double h)
{
    const double slope = h > 0.0 ? (f[1] - f[0]) / h : 0.0;
    const double t = bend > 0.0 ? 0.5 * h - slope / bend : -INFINITY;
    if (!(t > 0.0) || !(t < h))
        return number_min(f[0], f[1]);
    return f[0] + slope * t - 0.5 * bend * t * (h - t);
}

/* The point of the body that is farthest along -n, without margin. */
static tact_vec3 lowest_point(const convex *at, tact_vec3 n)
{
    uint64_t ignored;
    return vec_add(at->transform.origin, convex_support(at, vec_negate(n), &ignored));
}

/* A direction at time t that has turned with the body since s->begin. */
static tact_vec3 turned_with_body(const step_planes *s, tact_vec3 n, double t)
{
    tact_transform frame = tact_identity();
    frame.x_axis = n;
    return tact_motion_at((tact_motion){.spin = s->cold->motion.spin}, frame, t - s->begin).x_axis;
}

/* A normal n(t) from the surface to the body: at both ends of an interval, and bounds in it of |n|, |n'| and |n''|. */
typedef struct moving_normal {
    tact_vec3 n[2];
    double length, first, second;
} moving_normal;

/* Whether the body is above a plane with a normal that moves, and the triangle below it, with all that is within the
 * reach of the surface. With y from such a point, which moves with a vertex, to a point of the body, n.y has a second
 * derivative of at most |n''||y| + 2 |n'||y'| + |n||y''|. */
static plane_result test_plane(const step_planes *s, const arc_triangle *triangle, const moving_normal *m,
                               const double t[2], const convex *const at[2])
{
    const double h = t[1] - t[0], size = vec_length_safe(m->n[0]);
    const double smallest = size - vec_length_safe(vec_sub(m->n[1], m->n[0])) - 0.125 * h * h * m->second; /* of |n| */
    double gap[2], far = 0.0, away = 0.0, speed = 0.0, least = 0.0;
    if (!(size > 0.0))
        return PLANE_CUTS;
    for (int i = 0; i < 2; ++i) {
        double top = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 x = linear_path_at(&triangle->path[k], t[i]);
            top = max_double(top, vec_dot(m->n[i], x));
            far = max_double(far, vec_max_abs(x));
            away = max_double(away, vec_length_safe(vec_sub(at[i]->transform.origin, x)) + s->radius + s->reach);
        }
        far = max_double(far, vec_max_abs(at[i]->transform.origin) + s->radius);
        gap[i] = vec_dot(m->n[i], lowest_point(at[i], m->n[i])) -
                 (at[i]->margin + s->reach) * vec_length_safe(m->n[i]) - top;
        least = s->allowed * max_double(smallest, 0.0) - WINDOW_PAD * far * m->length;
        if (i == 0 && !(gap[0] + s->allowed * size - WINDOW_PAD * far * m->length >= 0.0))
            return PLANE_CUTS;
    }
    for (int k = 0; k < 3; ++k)
        speed = max_double(speed, vec_length_safe(path_velocity(&triangle->path[k])));
    away += 0.125 * h * h * s->bulge;
    const double bend = m->second * away + 2.0 * m->first * (s->speed + speed) + m->length * s->bulge;
    return smallest > 0.0 && least_between(gap, bend, h) + least >= 0.0 ? PLANE_SEPARATES : PLANE_MAY_SEPARATE;
}

/* The edges of a triangle at both ends of an interval, and bounds of their lengths and of how fast they change. */
typedef struct moving_edges {
    tact_vec3 e[3][2];
    double length[3], rate[3];
} moving_edges;

static void set_edges(const arc_triangle *triangle, const double t[2], moving_edges *edges)
{
    for (int k = 0; k < 3; ++k) {
        const linear_path *from = &triangle->path[k], *to = &triangle->path[(k + 1) % 3];
        for (int i = 0; i < 2; ++i)
            edges->e[k][i] = vec_sub(linear_path_at(to, t[i]), linear_path_at(from, t[i]));
        edges->length[k] = max_double(vec_length_safe(edges->e[k][0]), vec_length_safe(edges->e[k][1]));
        edges->rate[k] = vec_length_safe(vec_sub(path_velocity(to), path_velocity(from)));
    }
}

/* The normal of the triangle, towards the body: the product of two edges. */
static moving_normal own_normal(const arc_triangle *triangle, const moving_edges *edges, const double t[2],
                                const convex *const at[2])
{
    moving_normal m = {.length = edges->length[0] * edges->length[1],
                       .first = edges->rate[0] * edges->length[1] + edges->length[0] * edges->rate[1],
                       .second = 2.0 * edges->rate[0] * edges->rate[1]};
    for (int i = 0; i < 2; ++i)
        m.n[i] = vec_cross(edges->e[0][i], edges->e[1][i]);
    if (vec_dot(m.n[0], vec_sub(at[0]->transform.origin, linear_path_at(&triangle->path[0], t[0]))) < 0.0)
        for (int i = 0; i < 2; ++i)
            m.n[i] = vec_negate(m.n[i]);
    return m;
}

/* A normal of the contact: at rest, or turning with the body. */
static moving_normal contact_normal(const step_planes *s, tact_vec3 n, bool turns, const double t[2])
{
    const double w = turns ? vec_length_safe(s->cold->motion.spin) : 0.0;
    moving_normal m = {.length = 1.0, .first = w, .second = w * w};
    for (int i = 0; i < 2; ++i)
        m.n[i] = turns ? turned_with_body(s, n, t[i]) : n;
    return m;
}

/* The product of an edge of the body, which turns with it, and one of the triangle. False: it is not near `along`. */
static bool edge_normal(const step_planes *s, tact_vec3 edge, const moving_edges *edges, int k, tact_vec3 along,
                        const double t[2], moving_normal *m)
{
    const double w = vec_length_safe(s->cold->motion.spin), l = edges->length[k], rate = edges->rate[k];
    *m = (moving_normal){.length = l, .first = w * l + rate, .second = w * (w * l + 2.0 * rate)};
    m->n[0] = vec_cross(turned_with_body(s, edge, t[0]), edges->e[k][0]);
    const double part = vec_dot(m->n[0], along);
    if (!(fabs(part) > (1.0 - FACE_TILT) * vec_length_safe(m->n[0])))
        return false;
    m->n[1] = vec_cross(turned_with_body(s, edge, t[1]), edges->e[k][1]);
    for (int i = 0; i < 2 && part < 0.0; ++i)
        m->n[i] = vec_negate(m->n[i]);
    return true;
}

/* A normal of the contact that moves with the triangle: it keeps its coordinates by two edges and their product. Where
 * the surface is around an edge or a vertex of triangles, these turn about it, and a normal at rest or that of one
 * triangle does not stay between them. False: the triangle is flat. */
static bool carried_normal(const step_planes *s, tact_vec3 n, const arc_triangle *triangle, const moving_edges *edges,
                           moving_normal *m)
{
    tact_vec3 x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = linear_path_at(&triangle->path[k], s->begin);
    const tact_vec3 e0 = vec_sub(x[1], x[0]), e1 = vec_sub(x[2], x[1]), own = vec_cross(e0, e1);
    const double square = vec_length_squared(own);
    if (!(square > 0.0))
        return false;
    const double a = vec_dot(n, own) / square, p0 = vec_dot(n, e0), p1 = vec_dot(n, e1), mixed = vec_dot(e0, e1);
    const double b = (p0 * vec_dot(e1, e1) - p1 * mixed) / square, c = (p1 * vec_dot(e0, e0) - p0 * mixed) / square;
    const double l0 = edges->length[0], l1 = edges->length[1], r0 = edges->rate[0], r1 = edges->rate[1];
    *m = (moving_normal){.length = fabs(a) * l0 * l1 + fabs(b) * l0 + fabs(c) * l1,
                         .first = fabs(a) * (r0 * l1 + l0 * r1) + fabs(b) * r0 + fabs(c) * r1,
                         .second = 2.0 * fabs(a) * r0 * r1};
    for (int i = 0; i < 2; ++i)
        m->n[i] = vec_mul_add(vec_mul_add(vec_scale(vec_cross(edges->e[0][i], edges->e[1][i]), a), b, edges->e[0][i]),
                              c, edges->e[1][i]);
    return true;
}

/* The best of all planes for an interval. */
static plane_result test_planes(const step_planes *s, const arc_triangle *triangle, const double t[2],
                                const convex *const at[2])
{
    moving_edges edges;
    set_edges(triangle, t, &edges);
    moving_normal m = own_normal(triangle, &edges, t, at);
    plane_result best = test_plane(s, triangle, &m, t, at);
    const int tests = s->normal_count * (s->cold->spins ? 2 : 1);
    for (int i = 0; i < tests && best != PLANE_SEPARATES; ++i) {
        m = contact_normal(s, s->normals[i % s->normal_count], i >= s->normal_count, t);
        const plane_result found = test_plane(s, triangle, &m, t, at);
        best = found < best ? found : best;
    }
    for (int i = 0; i < s->edge_count; ++i)
        for (int k = 0; k < 3 && best != PLANE_SEPARATES; ++k) {
            if (!edge_normal(s, s->edges[i].edge, &edges, k, s->edges[i].along, t, &m))
                continue;
            const plane_result found = test_plane(s, triangle, &m, t, at);
            best = found < best ? found : best;
        }
    for (int i = 0; i < s->normal_count && best != PLANE_SEPARATES; ++i)
        if (carried_normal(s, s->normals[i], triangle, &edges, &m)) {
            const plane_result found = test_plane(s, triangle, &m, t, at);
            best = found < best ? found : best;
        }
    return best;
}

/* Whether planes separate a triangle and the body in an interval, which is halved where a bound is too wide. Sets the
 * time until which they do. */
static bool is_separated_between(step_planes *s, const arc_triangle *triangle, const double t[2],
                                 const convex *const at[2])
{
    if (s->left-- <= 0)
        return false;
    const plane_result best = test_planes(s, triangle, t, at);
    if (best == PLANE_SEPARATES)
        s->until = t[1];
    if (best != PLANE_MAY_SEPARATE)
        return best == PLANE_SEPARATES;
    const double middle = 0.5 * (t[0] + t[1]);
    convex half;
    const tact_transform transform = body_motion_transform(s->hot, s->cold, middle);
    if (!(t[1] - t[0] > MIN_PLANE_INTERVAL * (s->end - s->begin)) || !(middle > t[0]) || !(middle < t[1]) ||
        tact_convex_make(&half, s->cold->shape, &transform) != TACT_OK)
        return false;
    return is_separated_between(s, triangle, (const double[2]){t[0], middle}, (const convex *const[2]){at[0], &half}) &&
           is_separated_between(s, triangle, (const double[2]){middle, t[1]}, (const convex *const[2]){&half, at[1]});
}

/* Whether a triangle is separated until the end; if not, until when is added to `begin`. */
static bool is_separated(void *context, const arc_triangle *triangle, double *begin)
{
    step_planes *s = context;
    s->left = MAX_PLANE_INTERVALS;
    s->until = s->begin;
    const bool separated = is_separated_between(s, triangle, (const double[2]){s->begin, s->end},
                                                (const convex *const[2]){&s->ends[0], &s->ends[1]});
    *begin = separated ? *begin : number_min(*begin, s->until);
    return separated;
}

/* The points of a body that are farthest along four directions about -n: corners of its face near n, or the ends of its
 * edge. */
static void face_corners(const convex *at, tact_vec3 n, tact_vec3 corners[4])
{
    const tact_vec3 other = fabs(n.x) < 0.5 ? (tact_vec3){1.0, 0.0, 0.0} : (tact_vec3){0.0, 1.0, 0.0};
    const tact_vec3 u = vec_normalize(vec_cross(n, other)), v = vec_cross(n, u);
    for (int i = 0; i < 4; ++i)
        corners[i] = lowest_point(at, vec_mul_add(n, i % 2 == 0 ? FACE_TILT : -FACE_TILT, i < 2 ? u : v));
}

/* The normal of the face with these corners, near n. Of an edge, the direction near n that is perpendicular to it.
 * Otherwise any vector: what is separated along it is proved. */
static tact_vec3 face_normal(const tact_vec3 corners[4], tact_vec3 n)
{
    const tact_vec3 a = vec_sub(corners[1], corners[0]), b = vec_sub(corners[3], corners[2]);
    tact_vec3 normal = vec_cross(a, b);
    const double least = FACE_TILT * vec_length_safe(a) * vec_length_safe(b);
    if (!(vec_length_safe(normal) > least)) {
        const tact_vec3 edge = vec_length_squared(a) > vec_length_squared(b) ? a : b;
        const double square = vec_length_squared(edge);
        normal = square > 0.0 ? vec_mul_add(n, -vec_dot(n, edge) / square, edge) : n;
    }
    normal = vec_normalize(normal);
    return vec_dot(normal, n) >= 0.0 ? normal : vec_negate(normal);
}

/* Adds the edges between corners. */
static void add_edges(step_planes *s, const tact_vec3 corners[4], tact_vec3 n)
{
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < i && s->edge_count < MAX_PLANE_EDGES; ++k) {
            const tact_vec3 edge = vec_normalize(vec_sub(corners[i], corners[k]));
            bool known = !(vec_length_squared(edge) > 0.5);
            for (int e = 0; e < s->edge_count && !known; ++e)
                known = fabs(vec_dot(edge, s->edges[e].edge)) > 1.0 - DBL_EPSILON;
            if (!known) {
                s->edges[s->edge_count].edge = edge;
                s->edges[s->edge_count++].along = n;
            }
        }
}

/* Adds a unit vector that is new. */
static bool add_normal(step_planes *s, tact_vec3 n)
{
    if (!(fabs(vec_length_squared(n) - 1.0) < UNIT_NORMAL_ERROR))
        return false;
    for (int i = 0; i < s->normal_count; ++i)
        if (vec_equal(n, s->normals[i]))
            return false;
    s->normals[s->normal_count++] = n;
    return true;
}

/* Prepares the planes for [now, end]. False: the body is not convex. */
static bool make_planes(const tact_world *world, const persistent_contact *c, int side, double end, step_planes *s)
{
    const advance *ad = world->advance;
    const uint32_t rigid = c->body[1 - side];
    *s = (step_planes){.hot = &ad->motions.items[rigid], .cold = &ad->cold.items[rigid], .begin = ad->time, .end = end};
    if (!shape_is_convex(s->cold->shape))
        return false;
    for (int i = 0; i < 2; ++i) {
        const tact_transform at = body_motion_transform(s->hot, s->cold, i == 0 ? s->begin : s->end);
        if (tact_convex_make(&s->ends[i], s->cold->shape, &at) != TACT_OK)
            return false;
    }
    const tact_motion motion = body_motion_motion(s->hot, s->cold, s->begin);
    const double spin = vec_length_safe(motion.spin), acceleration = vec_length_safe(motion.acceleration);
    s->radius = s->ends[0].bounding_radius + s->ends[0].margin;
    s->bulge = spin * spin * s->radius + acceleration;
    s->speed = vec_length_safe(motion.velocity) + (end - s->begin) * acceleration + spin * s->radius;
    s->allowed = c->allowed_depth + CONTACT_BAND * c->size;
    s->reach = surface_motion_reach(&ad->cold.items[c->body[side]]);
    for (uint32_t k = 0; k < c->point_count; ++k) {
        const tact_vec3 n = side == 0 ? c->points[k].normal : vec_negate(c->points[k].normal);
        if (add_normal(s, n)) {
            tact_vec3 corners[4];
            face_corners(&s->ends[0], n, corners);
            (void)add_normal(s, face_normal(corners, n));
            add_edges(s, corners, n);
        }
    }
    return true;
}

/* ---- the prediction ---- */

/* The velocity at which a point of a contact opens, now. */
static double opening_speed(const tact_world *world, const persistent_contact *c, const contact_point *p)
{
    const advance *ad = world->advance;
    tact_vec3 v[2];
    for (int i = 0; i < 2; ++i) {
        const uint32_t index = c->body[i];
        const body_motion *hot = &ad->motions.items[index];
        const body_motion_cold *cold = &ad->cold.items[index];
        const tact_motion m = body_motion_motion(hot, cold, ad->time);
        v[i] =
            tact_contact_deforms(world, index)
                ? tact_contact_surface_at(world, index, p, c->size).velocity
                : vec_add(m.velocity, vec_cross(m.spin, vec_sub(p->position, body_motion_origin(hot, cold, ad->time))));
    }
    return vec_dot(p->normal, vec_sub(v[1], v[0]));
}

/* Whether a pair that is deeper than it may be separates at all its points. A search would find it at once. */
static bool comes_out(const tact_world *world, const persistent_contact *c)
{
    if (!(c->gap < -MAX_CONTACT_DEPTH * c->size) || c->time != world->advance->time)
        return false;
    for (uint32_t k = 0; k < c->point_count; ++k)
        if (!(opening_speed(world, c, &c->points[k]) >= 0.0))
            return false;
    return c->point_count > 0;
}

/* Whether a pair is not to be tested before the next step. */
static bool is_safe(const tact_world *world, const persistent_contact *c)
{
    const contact_graph *g = &world->advance->contacts;
    const contact_body *a = &g->bodies.items[c->body[0]], *b = &g->bodies.items[c->body[1]];
    return c->pending || (a->lock != 0 && a->lock == b->lock) || comes_out(world, c);
}

tact_status tact_contact_predict_bounced(tact_world *world, const uint32_t bodies[2], double end, pair_prediction *r,
                                         bool *found)
{
    const advance *ad = world->advance;
    const int side = body_motion_deforms(&ad->cold.items[bodies[0]]) ? 0 : 1;
    const uint32_t rigid = bodies[1 - side], deforming = bodies[side];
    persistent_contact c = {.body = {bodies[0], bodies[1]},
                            .size = body_motions_smaller_size(&ad->cold.items[bodies[0]], &ad->cold.items[bodies[1]])};
    *found = false;
    if (!(c.size > 0.0) || body_motion_deforms(&ad->cold.items[rigid]) || !shape_is_convex(ad->cold.items[rigid].shape))
        return TACT_OK;
    tact_status status = tact_contact_update_points(world, &c, MAX_CONTACT_REACH * c.size);
    step_planes planes;
    if (status != TACT_OK || c.gap < -MAX_CONTACT_DEPTH * c.size || !make_planes(world, &c, side, end, &planes))
        return status;
    triangle_filter filter = {is_separated, &planes, end};
    pair_prediction next = *r;
    status = tact_deforming_shape_search(world, r->deforming, rigid, deforming, end, 0.0, &filter, &next);
    if (status != TACT_OK)
        return status;
    bool closes = next.time > ad->time;
    for (uint32_t k = 0; k < c.point_count && !closes; ++k)
        closes = c.points[k].gap <= SEPARATION_DISTANCE * c.size &&
                 opening_speed(world, &c, &c.points[k]) < -MIN_CLOSING_SPEED * planes.speed;
    if (closes) {
        *r = next;
        *found = true;
    }
    return TACT_OK;
}

tact_status tact_contact_predict_deforming(tact_world *world, const persistent_contact *c, pair_prediction *r)
{
    const contact_graph *g = &world->advance->contacts;
    const int side = tact_contact_deforming_side(world, c);
    const uint32_t rigid = c->body[1 - side], deforming = c->body[side];
    const double now = world->advance->time;
    r->time = INFINITY;
    r->valid_until = r->superseded_at;
    if (g->bodies.items[rigid].state != CONTACT_AWAKE) {
        if (tact_contact_surface_moves(world, deforming))
            r->time = now; /* the cut wakes it */
        return TACT_OK;
    }
    tact_status status = tact_contact_sync_shapes(world, c, false);
    if (status != TACT_OK || is_safe(world, c))
        return status;
    const double end = r->superseded_at;
    step_planes planes;
    triangle_filter filter = {is_separated, &planes, end};
    const bool has_planes = make_planes(world, c, side, end, &planes);
    status =
        tact_deforming_shape_search(world, r->deforming, rigid, deforming, end, 0.0, has_planes ? &filter : NULL, r);
    r->valid_until = number_min(r->valid_until, r->superseded_at);
    return status;
}
