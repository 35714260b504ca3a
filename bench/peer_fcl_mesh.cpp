/*
 * FCL 0.7's meshes: BVHModel with OBBRSS, its default for rigid models, and with AABB, the only volume that refits
 * cheaply. The overlap query requests one contact without its point. Transforms are converted before the clock starts.
 */
#ifdef TACT_HAVE_FCL

#include <cmath>
#include <fcl/fcl.h>
#include <memory>
#include <new>
#include <vector>

#include "mesh_runner.h"
#include "peer_fcl_convert.h"
#include "stopwatch.h"

namespace
{

using transforms = std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>>;

std::vector<fcl::Vector3d> convert(const tact_vec3 *vertices, size_t count)
{
    std::vector<fcl::Vector3d> list;
    list.reserve(count);
    for (size_t i = 0; i < count; i++)
        list.push_back(to_fcl(vertices[i]));
    return list;
}

std::vector<fcl::Triangle> convert(const uint32_t (*triangles)[3], size_t count)
{
    std::vector<fcl::Triangle> list;
    list.reserve(count);
    for (size_t i = 0; i < count; i++)
        list.emplace_back(triangles[i][0], triangles[i][1], triangles[i][2]);
    return list;
}

template <typename Volume> struct fcl_state {
    fcl::BVHModel<Volume> mesh;
    transforms a, b;
    fcl::CollisionRequestd request{1, false};
};

template <typename Volume> void *create(const model *m, const model_pair *pairs, int count)
{
    try {
        auto state = std::make_unique<fcl_state<Volume>>();
        state->mesh.beginModel();
        state->mesh.addSubModel(convert(m->vertices, m->vertex_count), convert(m->triangles, m->triangle_count));
        state->mesh.endModel();
        for (int i = 0; i < count; i++) {
            state->a.push_back(to_fcl(pairs[i].a));
            state->b.push_back(to_fcl(pairs[i].b));
        }
        return state.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

template <typename Volume> void run(void *opaque, int begin, int end, unsigned char *answers)
{
    auto *state = static_cast<fcl_state<Volume> *>(opaque);
    for (int i = begin; i < end; i++) {
        fcl::CollisionResultd result;
        size_t k = static_cast<size_t>(i);
        answers[i] = fcl::collide(&state->mesh, state->a[k], &state->mesh, state->b[k], state->request, result) > 0;
    }
}

template <typename Volume> void finish(void *opaque) { delete static_cast<fcl_state<Volume> *>(opaque); }

} // namespace

extern "C" const mesh_runner tact_mesh_fcl_obbrss = {"FCL OBBRSS", create<fcl::OBBRSSd>, run<fcl::OBBRSSd>,
                                                     finish<fcl::OBBRSSd>};
extern "C" const mesh_runner tact_mesh_fcl_aabb = {"FCL AABB", create<fcl::AABBd>, run<fcl::AABBd>, finish<fcl::AABBd>};

extern "C" void tact_mesh_cost_fcl(const model *m, const tact_vec3 *moved, mesh_cost *c)
{
    try {
        auto vertices = convert(m->vertices, m->vertex_count), others = convert(moved, m->vertex_count);
        auto triangles = convert(m->triangles, m->triangle_count);
        fcl::BVHModel<fcl::AABBd> mesh;
        double start = tact_stopwatch_now();
        mesh.beginModel(static_cast<int>(m->triangle_count), static_cast<int>(m->vertex_count));
        mesh.addSubModel(vertices, triangles);
        double filled = tact_stopwatch_now();
        mesh.endModel();
        double built = tact_stopwatch_now();
        c->tree = std::fmin(c->tree, built - filled); /* fmin ignores NAN */
        c->whole_mesh = std::fmin(c->whole_mesh, built - start);
        for (int again = 0; again < 3; again++) {
            /* replaced, not updated: an update would keep the old vertices and bound the motion between both */
            mesh.beginReplaceModel();
            mesh.replaceSubModel(others);
            double before = tact_stopwatch_now();
            mesh.endReplaceModel(true, true);
            c->refit = std::fmin(c->refit, tact_stopwatch_now() - before);
        }
    } catch (const std::bad_alloc &) {
        c->completed = false;
    }
}

#endif
