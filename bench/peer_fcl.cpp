/*
 * FCL 0.7's distance query, double precision, without closest points, with its default tolerance (1e-6) and solver. Its
 * other solver (GST_INDEP) is up to a fifth faster on boxes, twice as slow on hulls, and wrong on a few pairs per
 * thousand near touching (distances off by up to a fifth of a radius), so it is not used. Geometry and transforms are
 * converted before the clock starts.
 */
#ifdef TACT_HAVE_FCL

#include <fcl/fcl.h>
#include <memory>
#include <new>
#include <vector>

#include "convex_runner.h"
#include "peer_fcl_convert.h"

namespace
{

using transforms = std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>>;

struct fcl_state {
    fcl::DistanceRequestd request;
    std::vector<std::unique_ptr<fcl::CollisionGeometryd>> shapes;
    const convex_pair *pairs = nullptr;
    transforms transform_a, transform_b;
};

std::unique_ptr<fcl::CollisionGeometryd> convert(const solid &s)
{
    switch (s.kind) {
    case SOLID_BOX:
        return std::make_unique<fcl::Boxd>(2.0 * s.half.x, 2.0 * s.half.y, 2.0 * s.half.z);
    case SOLID_SPHERE:
        return std::make_unique<fcl::Sphered>(s.radius);
    case SOLID_CAPSULE:
        return std::make_unique<fcl::Capsuled>(s.radius, s.height);
    default:
        return hull_to_fcl(s);
    }
}

fcl::Transform3d convert(const solid &s, const tact_transform &p)
{
    fcl::Transform3d t = to_fcl(p);
    if (s.kind == SOLID_CAPSULE) /* FCL's capsule axis is z */
        t.linear() << to_fcl(p.z_axis), to_fcl(p.x_axis), to_fcl(p.y_axis);
    return t;
}

void *prepare(const convex_pair_set *set, pair_situation situation)
{
    try {
        auto state = std::make_unique<fcl_state>();
        for (int i = 0; i < set->solid_count; i++)
            state->shapes.push_back(convert(set->solids[i]));
        state->pairs = set->pairs[situation];
        for (int i = 0; i < set->count; i++) {
            const convex_pair &p = state->pairs[i];
            state->transform_a.push_back(convert(set->solids[p.a], p.transform_a));
            state->transform_b.push_back(convert(set->solids[p.b], p.transform_b));
        }
        return state.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void run(void *opaque, int begin, int end, double *answers)
{
    auto *state = static_cast<fcl_state *>(opaque);
    for (int i = begin; i < end; i++) {
        const convex_pair &p = state->pairs[i];
        fcl::DistanceResultd result;
        size_t k = static_cast<size_t>(i);
        try {
            fcl::distance(state->shapes[static_cast<size_t>(p.a)].get(), state->transform_a[k],
                          state->shapes[static_cast<size_t>(p.b)].get(), state->transform_b[k], state->request, result);
            /* Overlap is returned as a negative number. */
            answers[i] = result.min_distance > 0.0 ? result.min_distance : 0.0;
        } catch (const std::exception &) {
            answers[i] = -1.0; /* FCL gave up: counted as a wrong answer */
        }
    }
}

void finish(void *opaque) { delete static_cast<fcl_state *>(opaque); }

} // namespace

extern "C" const convex_runner tact_convex_runner_fcl = {"FCL", prepare, run, finish};

#endif
