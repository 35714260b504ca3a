/*
 * Bullet's rigid-body dynamics in the contact race, in single precision as packaged by Debian: btDiscreteDynamicsWorld
 * with its sequential impulse solver, one or four steps per frame, and all other parameters at their defaults. Bodies
 * get the mass and the moments of inertia of Tact. Deactivation is off. Boxes and hulls have polyhedral features, so
 * that Bullet clips their faces. Hulls and meshes have no margin: the default of 0.04 would enlarge them. Bullet
 * multiplies the friction of two bodies, so each gets the square root.
 */
#ifdef TACT_HAVE_BULLET

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "contact_scene.h"

namespace
{

struct bullet_engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
    std::vector<std::unique_ptr<btTriangleMesh>> meshes;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    ~bullet_engine()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }
};

btVector3 convert(const tact_vec3 &v)
{
    return btVector3(static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z));
}

tact_vec3 convert(const btVector3 &v) { return tact_vec3{v.x(), v.y(), v.z()}; }

btTransform convert(const tact_transform &p)
{
    const btVector3 x = convert(p.x_axis), y = convert(p.y_axis), z = convert(p.z_axis);
    return btTransform(btMatrix3x3(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]), convert(p.origin));
}

tact_transform convert(const btTransform &t)
{
    const btMatrix3x3 &m = t.getBasis();
    return tact_transform{convert(m.getColumn(0)), convert(m.getColumn(1)), convert(m.getColumn(2)),
                          convert(t.getOrigin())};
}

std::unique_ptr<btCollisionShape> convert(const contact_shape &shape, bullet_engine *engine)
{
    switch (shape.kind) {
    case CONTACT_SPHERE:
        return std::make_unique<btSphereShape>(static_cast<btScalar>(shape.radius));
    case CONTACT_BOX: {
        auto box = std::make_unique<btBoxShape>(convert(shape.size) * btScalar(0.5));
        box->initializePolyhedralFeatures();
        return box;
    }
    case CONTACT_CAPSULE:
        return std::make_unique<btCapsuleShape>(static_cast<btScalar>(shape.radius),
                                                static_cast<btScalar>(shape.height));
    case CONTACT_HULL: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < shape.vertex_count; i++)
            hull->addPoint(convert(shape.vertices[i]), false);
        hull->setMargin(0);
        hull->recalcLocalAabb();
        hull->initializePolyhedralFeatures();
        return hull;
    }
    default: {
        auto triangles = std::make_unique<btTriangleMesh>();
        for (int i = 0; i < shape.face_count; i++) {
            const int *c = shape.faces[i];
            triangles->addTriangle(convert(shape.vertices[c[0]]), convert(shape.vertices[c[1]]),
                                   convert(shape.vertices[c[2]]));
        }
        auto mesh = std::make_unique<btBvhTriangleMeshShape>(triangles.get(), true);
        mesh->setMargin(0);
        engine->meshes.push_back(std::move(triangles));
        return mesh;
    }
    }
}

void *create(const contact_scene *s)
{
    try {
        auto engine = std::make_unique<bullet_engine>();
        engine->world.setGravity(btVector3(0, static_cast<btScalar>(-CONTACT_GRAVITY), 0));
        for (int i = 0; i < s->body_count; i++) {
            const contact_body &b = s->bodies[i];
            engine->shapes.push_back(convert(b.shape, engine.get()));
            btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(b.mass), nullptr,
                                                          engine->shapes.back().get(), convert(b.moments));
            info.m_startWorldTransform = convert(b.transform);
            info.m_friction = static_cast<btScalar>(std::sqrt(s->friction));
            auto body = std::make_unique<btRigidBody>(info);
            if (b.mass > 0.0) {
                body->setActivationState(DISABLE_DEACTIVATION);
                body->setLinearVelocity(convert(b.velocity));
                body->setAngularVelocity(convert(b.spin));
            }
            engine->world.addRigidBody(body.get());
            engine->bodies.push_back(std::move(body));
        }
        return engine.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

template <int steps> bool step(void *opaque)
{
    auto *engine = static_cast<bullet_engine *>(opaque);
    for (int k = 0; k < steps; k++)
        engine->world.stepSimulation(btScalar(1) / (steps * CONTACT_HERTZ), 0);
    return true;
}

void read(void *opaque, contact_state *states)
{
    const auto *engine = static_cast<bullet_engine *>(opaque);
    for (size_t i = 0; i < engine->bodies.size(); i++) {
        const btRigidBody &body = *engine->bodies[i];
        states[i] = contact_state{convert(body.getCenterOfMassTransform()), convert(body.getLinearVelocity()),
                                  convert(body.getAngularVelocity())};
    }
}

void finish(void *opaque) { delete static_cast<bullet_engine *>(opaque); }

} // namespace

extern "C" const contact_runner tact_contact_bullet = {"Bullet", create, step<1>, read, finish};
extern "C" const contact_runner tact_contact_bullet_4 = {"Bullet, 4 steps", create, step<4>, read, finish};

#endif
