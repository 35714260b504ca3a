/*
 * Three methods that find all collisions of the rings in order of time. Each collision is resolved before the next.
 *
 * All pairs: the impact of a pair is predicted once, to the end of the scene, and cached until one of the two bounces
 * (the paper's "cached dynamic collision detection"). Each ring has the impacts with rings of larger index; a queue
 * holds the first impact of each ring.
 *
 * Swept boxes: in every frame each ring has the box around its positions at both ends of the frame. The library's broad
 * phase finds overlapping boxes, and the time of impact of each pair is computed within the frame. Two rings that have
 * bounced get boxes for the rest of the frame. The cached variant computes the impact of a pair once, to the end of the
 * scene, and caches it while the boxes overlap and neither ring bounces: a frame then costs its boxes and new pairs.
 *
 * Kinetic: tact_world_next_event up to the end of the frame, until no event is left.
 *
 * The first two call tact_shapes_time_of_impact_with as the world does, with its tolerance, but skip pairs whose
 * bounding spheres do not touch in that time, which is faster.
 */
#include <math.h>
#include <stdlib.h>
#include <tact/advance.h>
#include <tact/query.h>
#include <tact/world.h>

#include "broad/broad.h"
#include "event/queue.h"
#include "math/vec.h"
#include "rings.h"
#include "stopwatch.h"
#include "support/broad_inspect.h"

#define TOLERANCE 1e-12 /* of the smaller bounding radius, as the world (advance/pair_prediction.c) */

/* ---- two rings ---- */

typedef struct ring_motion {
    tact_vec3 from;
    double since;
    tact_vec3 velocity;
    uint32_t bounces;
} ring_motion;

typedef struct ring_impact {
    double time; /* INFINITY: none */
    tact_vec3 normal;
} ring_impact;

typedef struct rings_state {
    const rings *r;
    ring_motion *motions;
    ring_log *log;
    ring_cost *cost;
    double end;
    bool failed;
} rings_state;

static tact_vec3 position_at(const ring_motion *f, double time)
{
    return vec_mul_add(f->from, time - f->since, f->velocity);
}

/* Do the bounding spheres touch within `time`? */
static bool bounding_spheres_meet(tact_vec3 offset, tact_vec3 speed, double bounding_radii, double time)
{
    const double gap = vec_length_squared(offset) - bounding_radii * bounding_radii, approach = vec_dot(offset, speed),
                 square = vec_length_squared(speed);
    if (gap <= 0.0)
        return true;
    if (approach >= 0.0)
        return false;
    const double nearest = fmin(time, -approach / square); /* time of closest approach */
    return gap + nearest * (2.0 * approach + nearest * square) <= 1e-9 * bounding_radii * bounding_radii;
}

/* The impact of two rings between `now` and `limit`. */
static ring_impact predict(rings_state *p, int a, int b, double now, double limit)
{
    const rings *r = p->r;
    const ring_motion *fa = &p->motions[a], *fb = &p->motions[b];
    const tact_vec3 position_a = position_at(fa, now), position_b = position_at(fb, now);
    ring_impact none = {.time = INFINITY};
    if (!bounding_spheres_meet(vec_sub(position_b, position_a), vec_sub(fb->velocity, fa->velocity),
                               r->bounding_radii[a] + r->bounding_radii[b], limit - now))
        return none;
    tact_transform transform_a = r->transforms[a], transform_b = r->transforms[b];
    transform_a.origin = position_a;
    transform_b.origin = position_b;
    const tact_toi_def def = {.end = limit - now,
                              .tolerance = TOLERANCE * fmin(r->bounding_radii[a], r->bounding_radii[b])};
    const tact_toi toi =
        tact_shapes_time_of_impact_with(r->shape, transform_a, (tact_motion){.velocity = fa->velocity}, r->shape,
                                        transform_b, (tact_motion){.velocity = fb->velocity}, &def);
    p->failed = p->failed || toi.status != TACT_OK;
    return toi.state == TACT_HIT ? (ring_impact){now + toi.time, toi.normal} : none;
}

/* Resolves a collision. */
static void bounce(rings_state *p, int a, int b, const ring_impact *m)
{
    ring_motion *fa = &p->motions[a], *fb = &p->motions[b];
    tact_ring_log_add(p->log, (ring_touch){m->time, a, b});
    fa->from = position_at(fa, m->time);
    fb->from = position_at(fb, m->time);
    fa->since = fb->since = m->time;
    (void)tact_rings_bounce(&fa->velocity, &fb->velocity, m->normal);
    ++fa->bounces;
    ++fb->bounces;
}

/* ---- all pairs ---- */

typedef struct all_pairs {
    rings_state *p;
    ring_impact *impacts; /* [a][b], b > a, rows of n */
    uint32_t *first;      /* earliest impact of each row */
    event_queue queue;
} all_pairs;

static void queue_first(all_pairs *s, size_t a)
{
    const size_t n = (size_t)s->p->r->count;
    const ring_impact *row = &s->impacts[a * n];
    size_t best = n;
    for (size_t b = a + 1; b < n; b++)
        if (row[b].time < (best < n ? row[best].time : INFINITY))
            best = b;
    s->first[a] = (uint32_t)best;
    if (best < n)
        tact_event_queue_set(&s->queue, (uint32_t)a, row[best].time, a);
    else
        tact_event_queue_cancel(&s->queue, (uint32_t)a);
}

/* Predicts all impacts of a ring again. */
static void predict_ring(all_pairs *s, size_t i, double now)
{
    const size_t n = (size_t)s->p->r->count;
    for (size_t k = 0; k < n; k++) {
        if (k == i)
            continue;
        const size_t a = k < i ? k : i, b = k < i ? i : k;
        ring_impact *m = &s->impacts[a * n + b];
        *m = predict(s->p, (int)a, (int)b, now, s->p->end);
        if (a == k &&
            (s->first[k] == i || (m->time < (s->first[k] < n ? s->impacts[k * n + s->first[k]].time : INFINITY))))
            queue_first(s, k);
    }
    queue_first(s, i);
}

static bool run_all_pairs(rings_state *p, double hz)
{
    const size_t n = (size_t)p->r->count;
    const tact_allocator plain = {0};
    all_pairs s = {.p = p, .impacts = malloc(n * n * sizeof *s.impacts), .first = malloc(n * sizeof *s.first)};
    const bool done = s.impacts != NULL && s.first != NULL && tact_event_queue_reserve(&s.queue, &plain, (uint32_t)n);
    double before = tact_stopwatch_now();
    for (size_t a = 0; done && a < n; a++) {
        for (size_t b = a + 1; b < n; b++)
            s.impacts[a * n + b] = predict(p, (int)a, (int)b, 0.0, p->end);
        queue_first(&s, a);
    }
    p->cost->begin = tact_stopwatch_now() - before;
    before = tact_stopwatch_now();
    for (long frame = 1; done && !p->failed && (double)(frame - 1) < p->end * hz; frame++) {
        const double until = fmin((double)frame / hz, p->end);
        while (s.queue.count > 0 && s.queue.entries[0].time <= until && !p->failed) {
            const size_t a = s.queue.entries[0].id, b = s.first[a];
            const ring_impact m = s.impacts[a * n + b];
            bounce(p, (int)a, (int)b, &m);
            predict_ring(&s, a, m.time);
            predict_ring(&s, b, m.time);
        }
    }
    p->cost->run = tact_stopwatch_now() - before;
    tact_event_queue_release(&s.queue, &plain);
    free(s.impacts);
    free(s.first);
    return done;
}

/* ---- swept boxes ---- */

/* The predicted impact of a pair of the broad phase. */
typedef struct cached_impact {
    ring_impact m;
    uint32_t bounces[2]; /* of both rings at the time of prediction */
} cached_impact;

typedef struct swept_hit {
    ring_impact m;
    int a, b;
} swept_hit;

typedef struct swept_state {
    rings_state *p;
    broad *broad;
    bool cached;
    cached_impact *cache; /* by pair slot */
    size_t cache_capacity;
    swept_hit *hits; /* in this frame */
    size_t hit_count, hit_capacity;
    double until; /* the end of the frame */
} swept_state;

static box box_between(const rings_state *p, int i, double from, double to)
{
    const tact_vec3 x = position_at(&p->motions[i], from), y = position_at(&p->motions[i], to);
    return box_from_bounds(vec_add(p->r->low[i], vec_make(fmin(x.x, y.x), fmin(x.y, y.y), fmin(x.z, y.z))),
                           vec_add(p->r->high[i], vec_make(fmax(x.x, y.x), fmax(x.y, y.y), fmax(x.z, y.z))));
}

/* Makes the cache large enough for a slot. New entries are invalid: bounces[0] is UINT32_MAX. */
static bool reserve_slot(swept_state *s, uint32_t slot)
{
    if (slot < s->cache_capacity)
        return true;
    const size_t capacity = 2 * (size_t)slot + 64;
    cached_impact *cache = realloc(s->cache, capacity * sizeof *cache);
    if (cache == NULL)
        return false;
    for (size_t i = s->cache_capacity; i < capacity; i++)
        cache[i].bounces[0] = UINT32_MAX;
    s->cache = cache;
    s->cache_capacity = capacity;
    return true;
}

/* Adds the pair at a slot to the hits if it collides in the rest of this frame. */
static void test_pair(swept_state *s, uint32_t slot, double now)
{
    rings_state *p = s->p;
    const broad_pair *pair = tact_broad_pair(s->broad, slot);
    const int a = (int)pair->a, b = (int)pair->b;
    ring_impact m;
    if (s->cached) {
        if (!reserve_slot(s, slot)) {
            p->failed = true;
            return;
        }
        cached_impact *k = &s->cache[slot];
        if (k->bounces[0] != p->motions[a].bounces || k->bounces[1] != p->motions[b].bounces)
            *k = (cached_impact){predict(p, a, b, now, p->end), {p->motions[a].bounces, p->motions[b].bounces}};
        m = k->m;
    } else {
        m = predict(p, a, b, now, s->until);
    }
    if (!(m.time <= s->until))
        return;
    for (size_t i = 0; i < s->hit_count; i++)
        if (s->hits[i].a == a && s->hits[i].b == b)
            return;
    if (s->hit_count == s->hit_capacity) {
        const size_t capacity = 2 * s->hit_capacity + 64;
        swept_hit *hits = realloc(s->hits, capacity * sizeof *hits);
        p->failed = p->failed || hits == NULL;
        if (hits == NULL)
            return;
        s->hits = hits;
        s->hit_capacity = capacity;
    }
    s->hits[s->hit_count++] = (swept_hit){m, a, b};
}

static void invalidate_ended(swept_state *s, const broad_changes *changes)
{
    for (size_t i = 0; i < changes->ended_count; i++)
        if (changes->ended[i] < s->cache_capacity)
            s->cache[changes->ended[i]].bounces[0] = UINT32_MAX;
}

static bool update(swept_state *s, broad_changes *changes)
{
    if (tact_broad_update(s->broad, changes) != TACT_OK)
        return false;
    invalidate_ended(s, changes); /* and slots reused by new pairs */
    for (size_t i = 0; i < changes->began_count; i++)
        if (changes->began[i] < s->cache_capacity)
            s->cache[changes->began[i]].bounces[0] = UINT32_MAX;
    return true;
}

/* Resolves the hits of this frame in order of time. */
static void resolve_hits(swept_state *s)
{
    rings_state *p = s->p;
    while (s->hit_count > 0 && !p->failed) {
        size_t first = 0;
        for (size_t i = 1; i < s->hit_count; i++)
            if (s->hits[i].m.time < s->hits[first].m.time)
                first = i;
        const swept_hit h = s->hits[first];
        bounce(p, h.a, h.b, &h.m);
        size_t remaining = 0;
        for (size_t i = 0; i < s->hit_count; i++) {
            const swept_hit *o = &s->hits[i];
            if (o->a != h.a && o->b != h.a && o->a != h.b && o->b != h.b)
                s->hits[remaining++] = *o;
        }
        s->hit_count = remaining;
        broad_changes changes;
        for (int k = 0; k < 2; k++) {
            const int i = k == 0 ? h.a : h.b;
            const box b = box_between(p, i, h.m.time, s->until);
            p->failed = p->failed || tact_broad_move(s->broad, (uint32_t)i, &b) != TACT_OK;
        }
        p->failed = p->failed || !update(s, &changes);
        for (int k = 0; k < 2 && !p->failed; k++) {
            const uint32_t i = (uint32_t)(k == 0 ? h.a : h.b);
            for (uint32_t slot = broad_next_pair_of(s->broad, i, BROAD_NONE); slot != BROAD_NONE && !p->failed;
                 slot = broad_next_pair_of(s->broad, i, slot))
                test_pair(s, slot, h.m.time);
        }
    }
}

static void run_frame(swept_state *s, double from, double until, bool parts)
{
    rings_state *p = s->p;
    broad_changes changes;
    double times[4] = {0.0};
    s->until = until;
    s->hit_count = 0;
    times[0] = parts ? tact_stopwatch_now() : 0.0;
    for (int i = 0; i < p->r->count && !p->failed; i++) {
        const box b = box_between(p, i, from, until);
        p->failed = tact_broad_move(s->broad, (uint32_t)i, &b) != TACT_OK;
    }
    times[1] = parts ? tact_stopwatch_now() : 0.0;
    p->failed = p->failed || !update(s, &changes);
    times[2] = parts ? tact_stopwatch_now() : 0.0;
    for (uint32_t slot = tact_broad_next_pair(s->broad, BROAD_NONE); slot != BROAD_NONE && !p->failed;
         slot = tact_broad_next_pair(s->broad, slot))
        test_pair(s, slot, from);
    resolve_hits(s);
    times[3] = parts ? tact_stopwatch_now() : 0.0;
    p->cost->boxes += times[1] - times[0];
    p->cost->sorting += times[2] - times[1];
    p->cost->impact += times[3] - times[2];
}

static bool run_swept(rings_state *p, broad_engine engine, bool cached, double hz, bool parts)
{
    const tact_allocator plain = {0};
    swept_state s = {.p = p, .cached = cached};
    if (tact_broad_create(&plain, engine, &s.broad) != TACT_OK)
        return false;
    bool done = true;
    long frames = 0;
    double before = tact_stopwatch_now();
    for (int i = 0; done && i < p->r->count; i++) {
        const box b = box_between(p, i, 0.0, 0.0);
        uint32_t proxy = BROAD_NONE;
        done = tact_broad_insert(s.broad, &b, BROAD_FILTER_ALL, &proxy) == TACT_OK && proxy == (uint32_t)i;
    }
    broad_changes changes;
    done = done && update(&s, &changes);
    p->cost->begin = tact_stopwatch_now() - before;
    before = tact_stopwatch_now();
    for (; done && !p->failed && (double)frames < p->end * hz; frames++)
        run_frame(&s, (double)frames / hz, fmin((double)(frames + 1) / hz, p->end), parts);
    p->cost->run = tact_stopwatch_now() - before;
    tact_broad_release(s.broad);
    free(s.cache);
    free(s.hits);
    return done;
}

/* ---- kinetic ---- */

static tact_world *create_world(const rings *r, tact_kinetic kinetic, tact_body *bodies)
{
    const tact_world_def def = {.kinetic = kinetic, .parallel = {.threads = 1}};
    tact_world *world = tact_world_create(&def);
    bool done = world != NULL;
    for (int i = 0; done && i < r->count; i++) {
        const tact_body_def body = {.shape = r->shape,
                                    .transform = r->transforms[i],
                                    .motion = {.velocity = r->velocities[i]},
                                    .user = (void *)&r->transforms[i]};
        bodies[i] = tact_body_create(world, &body);
        done = bodies[i].generation != 0;
    }
    if (done)
        return world;
    tact_world_release(world);
    return NULL;
}

static tact_kinetic kinetic_of(ring_method method)
{
    return method == RINGS_KINETIC_SWEEP        ? TACT_KINETIC_SWEEP_AND_PRUNE
           : method == RINGS_KINETIC_FAT_BOUNDS ? TACT_KINETIC_FAT_BOUNDS
                                                : TACT_KINETIC_AUTO;
}

static bool respond(tact_world *world, const tact_event *e)
{
    tact_motion a = tact_body_get_motion(world, e->a), b = tact_body_get_motion(world, e->b);
    return !tact_rings_bounce(&a.velocity, &b.velocity, e->normal) ||
           (tact_body_set_motion(world, e->a, a) == TACT_OK && tact_body_set_motion(world, e->b, b) == TACT_OK);
}

static bool run_kinetic(rings_state *p, tact_kinetic kinetic, double hz)
{
    tact_body *bodies = malloc((size_t)p->r->count * sizeof *bodies);
    double before = tact_stopwatch_now();
    tact_world *world = bodies != NULL ? create_world(p->r, kinetic, bodies) : NULL;
    const bool done = world != NULL;
    tact_event e;
    bool touching = done && tact_world_next_event(world, 0.0, &e) == TACT_EVENT_TOUCH; /* none overlap at time 0 */
    p->failed = p->failed || touching || (done && e.status != TACT_OK);
    p->cost->begin = tact_stopwatch_now() - before;
    before = tact_stopwatch_now();
    for (long frame = 1; done && !p->failed && (double)(frame - 1) < p->end * hz; frame++) {
        const double until = fmin((double)frame / hz, p->end);
        while (!p->failed && tact_world_next_event(world, until, &e) == TACT_EVENT_TOUCH) {
            const int a = (int)((const tact_transform *)e.user_a - p->r->transforms);
            const int b = (int)((const tact_transform *)e.user_b - p->r->transforms);
            tact_ring_log_add(p->log, (ring_touch){e.time, a, b});
            p->failed = !respond(world, &e);
        }
        p->failed = p->failed || e.status != TACT_OK;
    }
    p->cost->run = tact_stopwatch_now() - before;
    tact_world_release(world);
    free(bodies);
    return done;
}

long tact_rings_count_events(const rings *r, ring_method method, double end)
{
    tact_body *bodies = malloc((size_t)r->count * sizeof *bodies);
    tact_world *world = bodies != NULL ? create_world(r, kinetic_of(method), bodies) : NULL;
    long events = 0;
    bool more = world != NULL;
    while (more) {
        tact_event e;
        const double next = tact_world_get_next_time(world);
        more = next <= end;
        if (!more)
            break;
        ++events;
        if (tact_world_next_event(world, next, &e) == TACT_EVENT_TOUCH)
            more = respond(world, &e);
        else
            more = e.status == TACT_OK;
    }
    tact_world_release(world);
    free(bodies);
    return events;
}

bool tact_rings_run(const rings *r, ring_method method, double hz, double end, bool parts, ring_log *log,
                    ring_cost *cost)
{
    rings_state p = {.r = r, .log = log, .cost = cost, .end = end};
    p.motions = malloc((size_t)r->count * sizeof *p.motions);
    *cost = (ring_cost){0};
    if (p.motions == NULL)
        return false;
    for (int i = 0; i < r->count; i++)
        p.motions[i] = (ring_motion){r->transforms[i].origin, 0.0, r->velocities[i], 0};
    bool done = false;
    if (method == RINGS_ALL_PAIRS)
        done = run_all_pairs(&p, hz);
    else if (method >= RINGS_KINETIC_SWEEP)
        done = run_kinetic(&p, kinetic_of(method), hz);
    else
        done = run_swept(&p, method == RINGS_SWEEP || method == RINGS_SWEEP_CACHED ? BROAD_SWEEP : BROAD_TREE,
                         method == RINGS_SWEEP_CACHED || method == RINGS_TREE_CACHED, hz, parts);
    free(p.motions);
    return done && !p.failed && !log->failed;
}
