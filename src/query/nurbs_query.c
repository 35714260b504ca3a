/* Queries on the true surfaces of NURBS shapes: see tact/nurbs.h. */
#include "complex/nurbs_query.h"

#include "core/work.h"
#include "math/fp_environment.h"
#include "math/vec.h"

tact_nurbs_separation tact_nurbs_distance(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                          tact_transform transform_b, const tact_nurbs_distance_def *def)
{
    const tact_nurbs_distance_def defaults = {0};
    if (def == NULL)
        def = &defaults;
    if (a == NULL || b == NULL || !(def->accuracy >= 0.0) || !(def->accuracy < INFINITY))
        return (tact_nurbs_separation){.status = TACT_BAD_ARGUMENT};
    return tact_nurbs_pair_separation(a, &transform_a, b, &transform_b, def);
}

tact_nurbs_contact tact_nurbs_refine_contact(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                             tact_transform transform_b, const tact_contact_point *contact)
{
    if (a == NULL || b == NULL || contact == NULL || !vec_finite(contact->on_a) || !vec_finite(contact->on_b) ||
        !vec_finite(contact->normal))
        return (tact_nurbs_contact){.status = TACT_BAD_ARGUMENT};
    const fp_environment found = fp_environment_enter();
    const tact_nurbs_contact answer = tact_nurbs_move_contact(a, &transform_a, b, &transform_b, contact);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_nurbs_contact){.status = TACT_CANCELLED} : answer;
}

tact_nurbs_intersect_result tact_nurbs_intersect(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                                 tact_transform transform_b, const tact_nurbs_intersect_def *def,
                                                 tact_nurbs_intersection *curves, size_t curve_capacity,
                                                 tact_nurbs_node *nodes, size_t node_capacity)
{
    const tact_nurbs_intersect_def defaults = {0};
    if (def == NULL)
        def = &defaults;
    if (a == NULL || b == NULL || !(def->accuracy >= 0.0) || !(def->accuracy < INFINITY) || !(def->resolution >= 0.0) ||
        !(def->resolution < INFINITY) || (curves == NULL && curve_capacity > 0) || (nodes == NULL && node_capacity > 0))
        return (tact_nurbs_intersect_result){.status = TACT_BAD_ARGUMENT};
    return tact_nurbs_pair_intersect(a, &transform_a, b, &transform_b, def, curves, curve_capacity, nodes,
                                     node_capacity);
}
