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

#include "peer_fcl_convert.h"
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

void *create(const icollide_run *run)
{
    try {
        auto world = std::make_unique<fcl_world>();
        for (int i = 0; i < ICOLLIDE_BODIES; i++) {
            world->bodies.push_back(std::make_unique<fcl::CollisionObjectd>(
                std::shared_ptr<fcl::CollisionGeometryd>(hull_to_fcl(run->bodies[i]))));
            world->bodies.back()->setUserData(reinterpret_cast<void *>(static_cast<intptr_t>(i)));
            world->manager.registerObject(world->bodies.back().get());
        }
        world->manager.setup();
        for (int frame = 0; frame < run->frames; frame++) {
            for (int i = 0; i < ICOLLIDE_BODIES; i++)
                world->at.push_back(to_fcl(run->at[frame][i]));
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
