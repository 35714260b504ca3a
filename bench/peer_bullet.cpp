/*
 * Bullet's broad phases with their defaults, in single precision as packaged by Debian: btDbvtBroadphase (two dynamic
 * trees of fat AABBs) and bt32BitAxisSweep3 (sweep and prune over quantised endpoints, without its additional tree for
 * ray casts). Both get the same floats as Tact.
 */
#ifdef TACT_HAVE_BULLET

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "broad_scene.h"

namespace
{

struct bullet_state {
    std::unique_ptr<btBroadphaseInterface> broad;
    std::vector<btBroadphaseProxy *> proxies;
    ~bullet_state()
    {
        for (btBroadphaseProxy *p : proxies)
            broad->destroyProxy(p, nullptr);
    }
};

btVector3 low(const float *b) { return btVector3(b[0], b[1], b[2]); }
btVector3 high(const float *b) { return btVector3(b[3], b[4], b[5]); }

void *fill(std::unique_ptr<btBroadphaseInterface> broad, const broad_scene *s)
{
    auto state = std::make_unique<bullet_state>();
    state->broad = std::move(broad);
    for (int i = 0; i < s->count; i++) {
        const float *b = s->bounds + 6 * static_cast<size_t>(i);
        void *body = reinterpret_cast<void *>(static_cast<uintptr_t>(i));
        state->proxies.push_back(state->broad->createProxy(low(b), high(b), 0, body, btBroadphaseProxy::DefaultFilter,
                                                           btBroadphaseProxy::AllFilter, nullptr));
    }
    state->broad->calculateOverlappingPairs(nullptr);
    return state.release();
}

void *create_dbvt(const broad_scene *s)
{
    try {
        return fill(std::make_unique<btDbvtBroadphase>(), s);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void *create_sap(const broad_scene *s)
{
    try {
        btScalar side = static_cast<btScalar>(s->side);
        btVector3 from(-1, -1, -1), to(side + 1, side + 1, side + 1);
        return fill(std::make_unique<bt32BitAxisSweep3>(from, to, static_cast<unsigned>(s->count) + 1, nullptr, true),
                    s);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void update(void *opaque, const broad_scene *s)
{
    auto *state = static_cast<bullet_state *>(opaque);
    for (int i = 0; i < s->moving; i++) {
        const float *b = s->bounds + 6 * static_cast<size_t>(s->moved[i]);
        state->broad->setAabb(state->proxies[s->moved[i]], low(b), high(b), nullptr);
    }
    state->broad->calculateOverlappingPairs(nullptr);
}

uint64_t *pairs(void *opaque, const broad_scene *s, long *count)
{
    auto *state = static_cast<bullet_state *>(opaque);
    btBroadphasePairArray &all = state->broad->getOverlappingPairCache()->getOverlappingPairArray();
    auto *list = static_cast<uint64_t *>(std::malloc((static_cast<size_t>(all.size()) + 1) * sizeof(uint64_t)));
    *count = 0;
    for (int i = 0; list && i < all.size(); i++) {
        uint64_t a = reinterpret_cast<uintptr_t>(all[i].m_pProxy0->m_clientObject);
        uint64_t b = reinterpret_cast<uintptr_t>(all[i].m_pProxy1->m_clientObject);
        if (broad_scene_overlap(s->bounds + 6 * a, s->bounds + 6 * b)) /* Bullet's AABBs are fat */
            list[(*count)++] = a < b ? a << 32 | b : b << 32 | a;
    }
    return list;
}

void finish(void *opaque) { delete static_cast<bullet_state *>(opaque); }

} // namespace

extern "C" const broad_runner tact_broad_bullet_dbvt = {"Bullet Dbvt", 1000000, create_dbvt, update, pairs, finish};
extern "C" const broad_runner tact_broad_bullet_sap = {"Bullet SAP", 10000, create_sap, update, pairs, finish};

#endif
