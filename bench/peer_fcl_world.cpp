/*
 * FCL 0.7's DynamicAABBTreeCollisionManager over its convex shapes. Transforms are converted before the clock starts.
 * Timed: setting the transforms, updating AABBs and tree, and requesting one contact without its point for each pair of
 * overlapping AABBs.
 */
#ifdef TACT_HAVE_FCL

#include <fcl/fcl.h>
#include <memory>
#include <new>
#include <vector>

#include "world_runner.h"

namespace
{

struct fcl_world {
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> bodies;
    fcl::DynamicAABBTreeCollisionManagerd manager;
    std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>> at; /* frame by frame */
    fcl::CollisionRequestd request{1, false};
    unsigned char *touched = nullptr;
};

std::shared_ptr<fcl::CollisionGeometryd> convert(const solid &s)
{
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (int i = 0; i < s.vertex_count; i++)
        vertices->emplace_back(s.vertices[i].x, s.vertices[i].y, s.vertices[i].z);
    auto faces = std::make_shared<std::vector<int>>();
    for (int f = 0; f < s.face_count; f++)
        faces->insert(faces->end(), {3, s.faces[f][0], s.faces[f][1], s.faces[f][2]});
    return std::make_shared<fcl::Convexd>(vertices, s.face_count, faces);
}

fcl::Transform3d convert(const tact_transform &p)
{
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << fcl::Vector3d(p.x_axis.x, p.x_axis.y, p.x_axis.z), fcl::Vector3d(p.y_axis.x, p.y_axis.y, p.y_axis.z),
        fcl::Vector3d(p.z_axis.x, p.z_axis.y, p.z_axis.z);
    t.translation() = fcl::Vector3d(p.origin.x, p.origin.y, p.origin.z);
    return t;
}

void *create(const icollide_run *run)
{
    try {
        auto world = std::make_unique<fcl_world>();
        for (int i = 0; i < ICOLLIDE_BODIES; i++) {
            world->bodies.push_back(std::make_unique<fcl::CollisionObjectd>(convert(run->bodies[i])));
            world->bodies.back()->setUserData(reinterpret_cast<void *>(static_cast<intptr_t>(i)));
            world->manager.registerObject(world->bodies.back().get());
        }
        world->manager.setup();
        for (int frame = 0; frame < run->frames; frame++) {
            for (int i = 0; i < ICOLLIDE_BODIES; i++)
                world->at.push_back(convert(run->at[frame][i]));
        }
        return world.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

bool collide_pair(fcl::CollisionObjectd *one, fcl::CollisionObjectd *other, void *opaque)
{
    auto *world = static_cast<fcl_world *>(opaque);
    fcl::CollisionResultd result;
    if (fcl::collide(one, other, world->request, result) > 0) {
        int a = static_cast<int>(reinterpret_cast<intptr_t>(one->getUserData()));
        int b = static_cast<int>(reinterpret_cast<intptr_t>(other->getUserData()));
        world->touched[a < b ? icollide_pair(a, b) : icollide_pair(b, a)] = 1;
    }
    return false; /* continue */
}

void play(void *opaque, int frame, unsigned char *touched)
{
    auto *world = static_cast<fcl_world *>(opaque);
    world->touched = touched;
    for (int i = 0; i < ICOLLIDE_BODIES; i++) {
        fcl::CollisionObjectd &body = *world->bodies[static_cast<size_t>(i)];
        body.setTransform(world->at[static_cast<size_t>(frame) * ICOLLIDE_BODIES + static_cast<size_t>(i)]);
        body.computeAABB();
    }
    world->manager.update();
    world->manager.collide(world, collide_pair);
}

void finish(void *opaque) { delete static_cast<fcl_world *>(opaque); }

} // namespace

extern "C" const world_runner tact_world_fcl = {"FCL, overlap", create, play, nullptr, finish};

#endif
