/*
 * Bullet's collision world with discrete detection, in single precision as packaged by Debian:
 * performDiscreteCollisionDetection with its dynamic tree or its sweep and prune. A pair is reported if it has a
 * contact point with distance <= 0. Rings are GImpact meshes, Bullet's type for moving meshes. Hulls have no margin:
 * the default of 0.04 would enlarge them.
 *
 * With casts, convexSweepTest also casts each body from its previous transform to the current one, against the previous
 * transforms of the others. Relative motion of two moving bodies is not considered.
 */
#ifdef TACT_HAVE_BULLET

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>
#include <memory>
#include <new>
#include <vector>

#include "frames.h"

namespace
{

constexpr btScalar far_away = 200; /* world bounds of the sweep and prune; no body leaves them */

struct bullet_state {
    const frames_scene *s = nullptr;
    bool casts = false;
    std::vector<std::unique_ptr<btTriangleMesh>> meshes;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btCollisionObject>> bodies;
    std::unique_ptr<btDefaultCollisionConfiguration> configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<btBroadphaseInterface> broad;
    std::unique_ptr<btCollisionWorld> world;
    ~bullet_state()
    {
        for (auto &body : bodies)
            if (world)
                world->removeCollisionObject(body.get());
    }
};

btVector3 convert(const tact_vec3 &v)
{
    return btVector3(static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z));
}

btTransform convert(const tact_transform &p)
{
    const btVector3 x = convert(p.x_axis), y = convert(p.y_axis), z = convert(p.z_axis);
    return btTransform(btMatrix3x3(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), convert(p.origin));
}

std::unique_ptr<btCollisionShape> convert(const frames_shape &shape, bullet_state *state)
{
    switch (shape.kind) {
    case FRAMES_SPHERE:
        return std::make_unique<btSphereShape>(static_cast<btScalar>(shape.radius));
    case FRAMES_BOX:
        return std::make_unique<btBoxShape>(convert(shape.half));
    case FRAMES_HULL: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < shape.vertex_count; i++)
            hull->addPoint(convert(shape.vertices[i]), false);
        hull->recalcLocalAabb();
        hull->setMargin(0);
        return hull;
    }
    default: {
        auto triangles = std::make_unique<btTriangleMesh>();
        for (int i = 0; i < shape.face_count; i++) {
            const int *c = shape.faces[i];
            triangles->addTriangle(convert(shape.vertices[c[0]]), convert(shape.vertices[c[1]]),
                                   convert(shape.vertices[c[2]]));
        }
        auto mesh = std::make_unique<btGImpactMeshShape>(triangles.get());
        mesh->setMargin(0);
        mesh->updateBound();
        state->meshes.push_back(std::move(triangles));
        return mesh;
    }
    }
}

void *create(const frames_scene *s, bool sweep, bool casts)
{
    try {
        auto state = std::make_unique<bullet_state>();
        state->s = s;
        state->casts = casts;
        state->configuration = std::make_unique<btDefaultCollisionConfiguration>();
        state->dispatcher = std::make_unique<btCollisionDispatcher>(state->configuration.get());
        btGImpactCollisionAlgorithm::registerAlgorithm(state->dispatcher.get());
        const btVector3 extent(far_away, far_away, far_away);
        if (sweep)
            state->broad = std::make_unique<bt32BitAxisSweep3>(-extent, extent, static_cast<unsigned>(s->count) + 1,
                                                               nullptr, true);
        else
            state->broad = std::make_unique<btDbvtBroadphase>();
        state->world =
            std::make_unique<btCollisionWorld>(state->dispatcher.get(), state->broad.get(), state->configuration.get());
        for (const frames_shape &shape : s->shapes)
            state->shapes.push_back(convert(shape, state.get()));
        for (int i = 0; i < s->count; i++) {
            auto body = std::make_unique<btCollisionObject>();
            body->setCollisionShape(state->shapes[static_cast<size_t>(s->shape_of[i])].get());
            body->setCollisionFlags(0); /* dynamic: pairs of static or kinematic bodies are not tested */
            body->setActivationState(DISABLE_DEACTIVATION);
            body->setUserIndex(i);
            body->setWorldTransform(convert(s->transforms[i]));
            state->world->addCollisionObject(body.get());
            state->bodies.push_back(std::move(body));
        }
        return state.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void *create_tree(const frames_scene *s, double) { return create(s, false, false); }
void *create_sweep(const frames_scene *s, double) { return create(s, true, false); }
void *create_casts(const frames_scene *s, double) { return create(s, false, true); }

/* Collects all bodies that a cast hits. */
struct cast_callback : btCollisionWorld::ConvexResultCallback {
    const btCollisionObject *self = nullptr;
    frames_pairs *pairs = nullptr;
    bool needsCollision(btBroadphaseProxy *proxy) const override { return proxy->m_clientObject != self; }
    btScalar addSingleResult(btCollisionWorld::LocalConvexResult &result, bool) override
    {
        tact_frames_pairs_add(pairs, self->getUserIndex(), result.m_hitCollisionObject->getUserIndex());
        return 1; /* continue to the end of the cast */
    }
};

void cast_all(const bullet_state *state, const tact_transform *transforms, frames_pairs *pairs)
{
    for (int i = 0; i < state->s->count; i++) {
        const btCollisionObject *body = state->bodies[static_cast<size_t>(i)].get();
        cast_callback callback;
        callback.self = body;
        callback.pairs = pairs;
        state->world->convexSweepTest(static_cast<const btConvexShape *>(body->getCollisionShape()),
                                      body->getWorldTransform(), convert(transforms[i]), callback);
    }
}

void play(void *opaque, long frame, const tact_transform *transforms, frames_pairs *pairs)
{
    auto *state = static_cast<bullet_state *>(opaque);
    if (state->casts && frame > 0)
        cast_all(state, transforms, pairs);
    for (int i = 0; i < state->s->count; i++)
        state->bodies[static_cast<size_t>(i)]->setWorldTransform(convert(transforms[i]));
    state->world->performDiscreteCollisionDetection();
    for (int i = 0; i < state->dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold *m = state->dispatcher->getManifoldByIndexInternal(i);
        bool touch = false;
        for (int k = 0; k < m->getNumContacts() && !touch; k++)
            touch = m->getContactPoint(k).getDistance() <= 0;
        if (touch)
            tact_frames_pairs_add(pairs, m->getBody0()->getUserIndex(), m->getBody1()->getUserIndex());
    }
}

void finish(void *opaque) { delete static_cast<bullet_state *>(opaque); }

} // namespace

extern "C" const frames_runner tact_frames_bullet_tree = {"Bullet, tree", false, create_tree, play, finish};
extern "C" const frames_runner tact_frames_bullet_sweep = {"Bullet, sweep and prune", false, create_sweep, play,
                                                           finish};
extern "C" const frames_runner tact_frames_bullet_casts = {"Bullet, tree and casts", true, create_casts, play, finish};

#endif
