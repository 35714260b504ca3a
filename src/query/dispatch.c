/*
 * The dispatch tables. Pairs of convex shapes are handled by convex/. Two boxes, two sphere-swept shapes and two hulls
 * have closed forms or fast searches, which fall back to the general search where they find no proof. Pairs with a
 * mesh, soup, compound or NURBS shape are handled by complex/ and toi/, which divide them into convex elements. A
 * half-space has closed forms with every shape.
 *
 * Cost: two loads and an indirect call, 1 to 2 ns.
 */
#include "query/dispatch.h"

#include "complex/complex_contact.h"
#include "complex/complex_query.h"
#include "complex/halfspace_query.h"
#include "complex/nurbs_query.h"
#include "convex/box_box.h"
#include "convex/convex_constants.h"
#include "convex/convex_pair.h"
#include "convex/convex_query.h"
#include "convex/hull_hull.h"
#include "convex/sphere_swept.h"
#include "core/number.h"
#include "math/fp_environment.h"
#include "query/query.h"
#include "toi/translating_cast.h"

/* ---- two boxes --------------------------------------------------------------------------------------------------- */

static tact_distance box_box_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, const tact_distance_def *def)
{
    return TACT_DISPATCH_AVX2(tact_box_box_distance, a, transform_a, b, transform_b, def);
}

static tact_overlap box_box_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, double distance, tact_cache *cache)
{
    tact_vec3 *axis = cache != NULL ? &cache->axis : NULL;
    tact_state state = TACT_DISPATCH_AVX2(tact_box_box_within, a, transform_a, b, transform_b, distance, axis);
    return state != TACT_UNKNOWN ? (tact_overlap){TACT_OK, state}
                                 : tact_parallelepipeds_within(a, transform_a, b, transform_b, distance, cache);
}

/* The common point from a distance query with the upper bound 0. */
static tact_common_point common_point_of(const tact_distance *d)
{
    tact_common_point answer = {.status = d->status, .state = TACT_UNKNOWN};
    if (d->status == TACT_OK) {
        answer.state = d->distance > 0.0 ? TACT_MISS : TACT_HIT;
        answer.point = d->distance > 0.0 ? answer.point : d->on_a;
    }
    return answer;
}

static tact_common_point box_box_common_point(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b, tact_cache *cache)
{
    const tact_distance_def def = {CONVEX_DISTANCE_ACCURACY, 0.0, cache};
    tact_distance d = box_box_distance(a, transform_a, b, transform_b, &def);
    return common_point_of(&d);
}

/* ---- two sphere-swept shapes ------------------------------------------------------------------------------------- */

static tact_overlap sphere_swept_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                        const tact_transform *transform_b, double distance, tact_cache *cache)
{
    tact_vec3 *axis = cache != NULL ? &cache->axis : NULL;
    tact_state state = tact_sphere_swept_within(a, transform_a, b, transform_b, distance, axis);
    return state != TACT_UNKNOWN ? (tact_overlap){TACT_OK, state}
                                 : tact_convex_pair_within_near(a, transform_a, b, transform_b, distance, cache);
}

static tact_common_point sphere_swept_common_point(const tact_shape *a, const tact_transform *transform_a,
                                                   const tact_shape *b, const tact_transform *transform_b,
                                                   tact_cache *cache)
{
    const tact_distance_def def = {CONVEX_DISTANCE_ACCURACY, 0.0, cache};
    tact_distance d = tact_sphere_swept_distance(a, transform_a, b, transform_b, &def);
    return common_point_of(&d);
}

/* ---- two hulls --------------------------------------------------------------------------------------------------- */

static tact_distance hull_hull_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                        const tact_transform *transform_b, const tact_distance_def *def)
{
    return TACT_DISPATCH_AVX2(tact_hull_hull_distance, a, transform_a, b, transform_b, def);
}

static tact_overlap hull_hull_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                     const tact_transform *transform_b, double distance, tact_cache *cache)
{
    return TACT_DISPATCH_AVX2(tact_hull_hull_within, a, transform_a, b, transform_b, distance, cache);
}

/* ---- any convex shapes ------------------------------------------------------------------------------------------- */

static TACT_NOINLINE tact_contacts manifold_contacts(const tact_shape *a, const tact_transform *transform_a,
                                                     const tact_shape *b, const tact_transform *transform_b,
                                                     double max_separation, tact_contact_point *points, size_t capacity)
{
    const tact_vec3 unknown = {0.0, 0.0, 0.0};
    const tact_manifold m = tact_convex_pair_manifold(a, transform_a, b, transform_b, max_separation, unknown, unknown);
    if (m.status != TACT_OK && m.status != TACT_NOT_CONVERGED)
        return (tact_contacts){.status = m.status, .state = TACT_UNKNOWN};
    for (size_t i = 0; i < (size_t)m.count && i < capacity; i++) {
        const tact_manifold_point *p = &m.points[i];
        points[i] = (tact_contact_point){p->on_a,   p->on_b,   m.normal,     p->depth,
                                         p->part_a, p->part_b, p->feature_a, p->feature_b};
    }
    return (tact_contacts){m.status, m.state, (size_t)m.count};
}

/* The points of the manifold. Like the contacts of meshes they do not depend on the host's rounding mode. */
static tact_contacts convex_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                     const tact_transform *transform_b, double max_separation,
                                     tact_contact_point *points, size_t capacity)
{
    const fp_environment saved = fp_environment_enter();
    const tact_contacts answer = manifold_contacts(a, transform_a, b, transform_b, max_separation, points, capacity);
    fp_environment_leave(saved);
    return answer;
}

static tact_ray_hit convex_ray(const tact_shape *shape, const tact_transform *transform, tact_vec3 from,
                               tact_vec3 direction, double max)
{
    convex c;
    if (tact_convex_make(&c, shape, transform) != TACT_OK)
        return (tact_ray_hit){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    return tact_convex_ray(&c, from, direction, max);
}

static tact_closest convex_closest(const tact_shape *shape, const tact_transform *transform, tact_vec3 from)
{
    convex c;
    if (tact_convex_make(&c, shape, transform) != TACT_OK)
        return (tact_closest){.status = TACT_BAD_ARGUMENT};
    return tact_convex_closest(&c, from, &shape->allocator);
}

static tact_overlap convex_contains(const tact_shape *shape, const tact_transform *transform, tact_vec3 point)
{
    convex c;
    if (tact_convex_make(&c, shape, transform) != TACT_OK)
        return (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    return tact_convex_contains(&c, point);
}

/* ---- at least one mesh, soup, compound or NURBS shape ------------------------------------------------------------ */

/* A leaf of a compound may have surfaces. */
static tact_distance complex_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, const tact_distance_def *def)
{
    return shape_has_nurbs(a) || shape_has_nurbs(b) ? tact_nurbs_pair_distance(a, transform_a, b, transform_b, def)
                                                    : tact_complex_distance(a, transform_a, b, transform_b, def);
}

/* A cached axis of the whole pair does not help to separate its elements. */
static tact_overlap complex_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, double distance, tact_cache *cache)
{
    (void)cache;
    return tact_complex_within(a, transform_a, b, transform_b, distance);
}

static tact_common_point complex_common_point(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b, tact_cache *cache)
{
    (void)cache;
    return tact_complex_common_point(a, transform_a, b, transform_b);
}

static tact_penetration complex_penetration(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                            const tact_transform *transform_b)
{
    return tact_complex_penetration(a, transform_a, b, transform_b, &tact_complex_casts);
}

static tact_manifold complex_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                      tact_vec3 point)
{
    (void)point;
    return tact_complex_manifold(a, transform_a, b, transform_b, max_separation, normal, &tact_complex_casts);
}

static tact_contacts complex_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, double max_separation,
                                      tact_contact_point *points, size_t capacity)
{
    return tact_complex_contacts(a, transform_a, b, transform_b, max_separation, points, capacity, &tact_complex_casts);
}

/* The triangles of a NURBS shape are within its error of the surfaces. So a search to the last digit is of no use, and
 * it would be slow: many pairs of triangles of two smooth surfaces are equally close. */
double tact_toi_least_tolerance(const tact_shape *const shapes[2], const tact_transform transforms[2])
{
    double errors = 0.0;
    for (int i = 0; i < 2; i++)
        if (shape_has_nurbs(shapes[i]))
            errors += tact_shape_least_error(shapes[i], &transforms[i]);
    return errors < INFINITY ? SHAPE_NURBS_TOI_FRACTION * errors : 0.0;
}

static void complex_toi(const toi_input *input, toi_output *output)
{
    toi_input wider = *input;
    if (input->tolerance >= 0.0)
        wider.tolerance = number_max(input->tolerance, tact_toi_least_tolerance(input->shape, input->transform));
    tact_mesh_toi(&wider, output);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

#define CONVEX_REST                                                                                                    \
    .penetration = tact_convex_pair_penetration, .manifold = tact_convex_pair_manifold, .contacts = convex_contacts,   \
    .intersections = tact_complex_intersections, .time_of_impact = tact_convex_toi

static const pair_functions box_box = {
    .distance = box_box_distance, .within = box_box_within, .common_point = box_box_common_point, CONVEX_REST};

static const pair_functions swept_swept = {.distance = tact_sphere_swept_distance,
                                           .within = sphere_swept_within,
                                           .common_point = sphere_swept_common_point,
                                           CONVEX_REST};

static const pair_functions hull_hull = {.distance = hull_hull_distance,
                                         .within = hull_hull_within,
                                         .common_point = tact_convex_pair_common_point,
                                         CONVEX_REST};

static const pair_functions two_convex = {.distance = tact_convex_pair_distance,
                                          .within = tact_convex_pair_within,
                                          .common_point = tact_convex_pair_common_point,
                                          CONVEX_REST};

static const pair_functions any_complex = {.distance = complex_distance,
                                           .within = complex_within,
                                           .common_point = complex_common_point,
                                           .penetration = complex_penetration,
                                           .manifold = complex_manifold,
                                           .contacts = complex_contacts,
                                           .intersections = tact_complex_intersections,
                                           .time_of_impact = complex_toi};

static const pair_functions halfspace = {.distance = tact_halfspace_distance,
                                         .within = tact_halfspace_within,
                                         .common_point = tact_halfspace_common_point,
                                         .penetration = tact_halfspace_penetration,
                                         .manifold = tact_halfspace_manifold,
                                         .contacts = tact_halfspace_contacts,
                                         .intersections = tact_halfspace_intersections,
                                         .time_of_impact = tact_halfspace_toi};

/* clang-format off */
const pair_functions *const tact_pair_table[SHAPE_CLASS_COUNT][SHAPE_CLASS_COUNT] = {
    /* a:                          b: sphere-swept   box           hull          other convex  complex       half-space */
    [SHAPE_CLASS_SPHERE_SWEPT] = {&swept_swept,  &two_convex,  &two_convex,  &two_convex,  &any_complex, &halfspace},
    [SHAPE_CLASS_BOX]          = {&two_convex,   &box_box,     &two_convex,  &two_convex,  &any_complex, &halfspace},
    [SHAPE_CLASS_HULL]         = {&two_convex,   &two_convex,  &hull_hull,   &two_convex,  &any_complex, &halfspace},
    [SHAPE_CLASS_CONVEX]       = {&two_convex,   &two_convex,  &two_convex,  &two_convex,  &any_complex, &halfspace},
    [SHAPE_CLASS_COMPLEX]      = {&any_complex,  &any_complex, &any_complex, &any_complex, &any_complex, &halfspace},
    [SHAPE_CLASS_HALFSPACE]    = {&halfspace,    &halfspace,   &halfspace,   &halfspace,   &halfspace,   &halfspace},
};
/* clang-format on */

static const shape_functions one_convex = {convex_ray, convex_closest, convex_contains};
static const shape_functions one_halfspace = {tact_halfspace_ray, tact_halfspace_closest, tact_halfspace_contains};
static const shape_functions one_complex = {tact_complex_ray, tact_complex_closest, tact_complex_contains_point};

const shape_functions *const tact_shape_table[SHAPE_CLASS_COUNT] = {
    [SHAPE_CLASS_SPHERE_SWEPT] = &one_convex, [SHAPE_CLASS_BOX] = &one_convex,
    [SHAPE_CLASS_HULL] = &one_convex,         [SHAPE_CLASS_CONVEX] = &one_convex,
    [SHAPE_CLASS_COMPLEX] = &one_complex,     [SHAPE_CLASS_HALFSPACE] = &one_halfspace,
};
