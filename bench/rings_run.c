/*
 * Three ways to find all collisions of the rings, in the order in which they happen, each answered before the next one:
 *
 * All pairs: when a pair meets is foreseen once, to the end of the scene, and kept until one of the two bounces (the
 * paper's "cached dynamic collision detection"). A row a ring for those with larger numbers, and the first of each row
 * in a queue.
 *
 * Swept boxes: in every frame each ring has the box around where it is at both ends of the frame; the library's broad
 * phase tells which ones overlap, and the impact of each pair is looked for in the frame. When two have bounced they
 * get boxes for the rest of the frame. In the cached form the impact of a pair is looked for once, to the end of the
 * scene, and kept while their boxes overlap and neither bounces: so a frame costs its boxes, and an impact what is new.
 *
 * Kinetic: tact_world_next_event up to the end of the frame, until nothing is left.
 *
 * The first two ask tact_shapes_time_of_impact_with as the world does, with its tolerance; but not for pairs whose
 * bounding spheres do not meet by then, which is faster.
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

#define TOLERANCE 1e-12 /* of the smaller one's reach: as the world's (advance/pair_prediction.c) */

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

/* Do the bounding spheres meet in a time from now? */
static bool bounding_spheres_meet(tact_vec3 offset, tact_vec3 speed, double bounding_radii, double time)
{
    const double gap = vec_length_squared(offset) - bounding_radii * bounding_radii, approach = vec_dot(offset, speed),
                 square = vec_length_squared(speed);
    if (gap <= 0.0)
        return true;
    if (approach >= 0.0)
        return false;
    const double nearest = fmin(time, -approach / square); /* the time at which they are */
    return gap + nearest * (2.0 * approach + nearest * square) <= 1e-9 * bounding_radii * bounding_radii;
}

/* When they meet, from `now` on and not after `limit`. */
static ring_impact predict(rings_state *p, int a, int b, double now, double limit)
{
    const rings *r = p->r;
    const ring_motion *fa = &p->motions[a], *fb = &p->motions[b];
    const tact_vec3 transform_a = position_at(fa, now), transform_b = position_at(fb, now);
    ring_impact none = {.time = INFINITY};
    if (!bounding_spheres_meet(vec_sub(transform_b, transform_a), vec_sub(fb->velocity, fa->velocity),
                               r->bounding_radii[a] + r->bounding_radii[b], limit - now))
        return none;
    tact_transform place_a = r->transforms[a], place_b = r->transforms[b];
    place_a.origin = transform_a;
    place_b.origin = transform_b;
    const tact_toi_def def = {.end = limit - now,
                              .tolerance = TOLERANCE * fmin(r->bounding_radii[a], r->bounding_radii[b])};
    const tact_toi hit =
        tact_shapes_time_of_impact_with(r->shape, place_a, (tact_motion){.velocity = fa->velocity}, r->shape, place_b,
                                        (tact_motion){.velocity = fb->velocity}, &def);
    ++p->cost->tests;
    p->failed = p->failed || hit.status != TACT_OK;
    return hit.state == TACT_HIT ? (ring_impact){now + hit.time, hit.normal} : none;
}

/* They meet. */
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
    ring_impact *rows; /* [a][b], b > a, n for each row */
    uint32_t *first;   /* of each row */
    event_queue queue;
} all_pairs;

static void queue_row(all_pairs *s, size_t a)
{
    const size_t n = (size_t)s->p->r->count;
    const ring_impact *row = &s->rows[a * n];
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

/* Everything with this ring anew. */
static void foresee_ring(all_pairs *s, size_t i, double now)
{
    const size_t n = (size_t)s->p->r->count;
    for (size_t k = 0; k < n; k++) {
        if (k == i)
            continue;
        const size_t a = k < i ? k : i, b = k < i ? i : k;
        ring_impact *m = &s->rows[a * n + b];
        *m = predict(s->p, (int)a, (int)b, now, s->p->end);
        if (a == k &&
            (s->first[k] == i || (m->time < (s->first[k] < n ? s->rows[k * n + s->first[k]].time : INFINITY))))
            queue_row(s, k);
    }
    queue_row(s, i);
}

static bool play_all_pairs(rings_state *p, double hz)
{
    const size_t n = (size_t)p->r->count;
    const tact_allocator plain = {0};
    all_pairs s = {.p = p, .rows = malloc(n * n * sizeof *s.rows), .first = malloc(n * sizeof *s.first)};
    const bool done = s.rows != NULL && s.first != NULL && tact_event_queue_reserve(&s.queue, &plain, (uint32_t)n);
    double before = tact_stopwatch_now();
    for (size_t a = 0; done && a < n; a++) {
        for (size_t b = a + 1; b < n; b++)
            s.rows[a * n + b] = predict(p, (int)a, (int)b, 0.0, p->end);
        queue_row(&s, a);
    }
    p->cost->begin = tact_stopwatch_now() - before;
    before = tact_stopwatch_now();
    for (long frame = 1; done && !p->failed && (double)(frame - 1) < p->end * hz; frame++) {
        const double until = fmin((double)frame / hz, p->end);
        while (s.queue.count > 0 && s.queue.entries[0].time <= until && !p->failed) {
            const size_t a = s.queue.entries[0].id, b = s.first[a];
            const ring_impact m = s.rows[a * n + b];
            bounce(p, (int)a, (int)b, &m);
            foresee_ring(&s, a, m.time);
            foresee_ring(&s, b, m.time);
        }
    }
    p->cost->run = tact_stopwatch_now() - before;
    tact_event_queue_release(&s.queue, &plain);
    free(s.rows);
    free(s.first);
    return done;
}

/* ---- swept boxes ---- */

/* What is foreseen of a pair of boxes. */
typedef struct cached_impact {
    ring_impact m;
    uint32_t bounces[2]; /* how many it counts with */
} cached_impact;

typedef struct hit {
    ring_impact m;
    int a, b;
} hit;

typedef struct swept {
    rings_state *p;
    broad *broad;
    bool cached;
    cached_impact *known; /* by slot */
    size_t known_room;
    hit *hits; /* in this frame */
    size_t hit_count, hit_room;
    double until; /* the end of the frame */
} swept;

static box box_between(const rings_state *p, int i, double from, double to)
{
    const tact_vec3 x = position_at(&p->motions[i], from), y = position_at(&p->motions[i], to);
    return box_from_bounds(vec_add(p->r->low[i], vec_make(fmin(x.x, y.x), fmin(x.y, y.y), fmin(x.z, y.z))),
                           vec_add(p->r->high[i], vec_make(fmax(x.x, y.x), fmax(x.y, y.y), fmax(x.z, y.z))));
}

/* Room for a slot: new ones hold what is no pair's number of bounces. */
static bool know(swept *s, uint32_t slot)
{
    if (slot < s->known_room)
        return true;
    const size_t capacity = 2 * (size_t)slot + 64;
    cached_impact *known = realloc(s->known, capacity * sizeof *known);
    if (known == NULL)
        return false;
    for (size_t i = s->known_room; i < capacity; i++)
        known[i].bounces[0] = UINT32_MAX;
    s->known = known;
    s->known_room = capacity;
    return true;
}

/* Notes the pair at a slot if it meets in what is left of this frame. */
static void look(swept *s, uint32_t slot, double now)
{
    rings_state *p = s->p;
    const broad_pair *pair = tact_broad_pair(s->broad, slot);
    const int a = (int)pair->a, b = (int)pair->b;
    ring_impact m;
    if (s->cached) {
        if (!know(s, slot)) {
            p->failed = true;
            return;
        }
        cached_impact *k = &s->known[slot];
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
    if (s->hit_count == s->hit_room) {
        const size_t capacity = 2 * s->hit_room + 64;
        hit *hits = realloc(s->hits, capacity * sizeof *hits);
        p->failed = p->failed || hits == NULL;
        if (hits == NULL)
            return;
        s->hits = hits;
        s->hit_room = capacity;
    }
    s->hits[s->hit_count++] = (hit){m, a, b};
}

static void forget_ended(swept *s, const broad_changes *changes)
{
    for (size_t i = 0; i < changes->ended_count; i++)
        if (changes->ended[i] < s->known_room)
            s->known[changes->ended[i]].bounces[0] = UINT32_MAX;
}

static bool update(swept *s, broad_changes *changes)
{
    if (tact_broad_update(s->broad, changes) != TACT_OK)
        return false;
    forget_ended(s, changes); /* and those that began in the place of another */
    for (size_t i = 0; i < changes->began_count; i++)
        if (changes->began[i] < s->known_room)
            s->known[changes->began[i]].bounces[0] = UINT32_MAX;
    return true;
}

/* The first of the hits in this frame, then the next, and so on. */
static void answer(swept *s)
{
    rings_state *p = s->p;
    while (s->hit_count > 0 && !p->failed) {
        size_t first = 0;
        for (size_t i = 1; i < s->hit_count; i++)
            if (s->hits[i].m.time < s->hits[first].m.time)
                first = i;
        const hit h = s->hits[first];
        bounce(p, h.a, h.b, &h.m);
        size_t kept = 0;
        for (size_t i = 0; i < s->hit_count; i++) {
            const hit *o = &s->hits[i];
            if (o->a != h.a && o->b != h.a && o->a != h.b && o->b != h.b)
                s->hits[kept++] = *o;
        }
        s->hit_count = kept;
        broad_changes changes;
        for (int k = 0; k < 2; k++) {
            const int i = k == 0 ? h.a : h.b;
            const box b = box_between(p, i, h.m.time, s->until);
            p->failed = p->failed || tact_broad_move(s->broad, (uint32_t)i, &b) != TACT_OK;
        }
        p->failed = p->failed || !update(s, &changes);
        for (int k = 0; k < 2 && !p->failed; k++) {
            const uint32_t i = (uint32_t)(k == 0 ? h.a : h.b);
            for (uint32_t slot = tact_broad_next_pair_of(s->broad, i, BROAD_NONE); slot != BROAD_NONE && !p->failed;
                 slot = tact_broad_next_pair_of(s->broad, i, slot))
                look(s, slot, h.m.time);
        }
    }
}

static void play_frame(swept *s, double from, double until, bool parts)
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
        look(s, slot, from);
    p->cost->pairs += (double)tact_broad_pair_count(s->broad);
    answer(s);
    times[3] = parts ? tact_stopwatch_now() : 0.0;
    p->cost->boxes += times[1] - times[0];
    p->cost->sorting += times[2] - times[1];
    p->cost->impact += times[3] - times[2];
}

static bool play_swept(rings_state *p, broad_engine engine, bool cached, double hz, bool parts)
{
    const tact_allocator plain = {0};
    swept s = {.p = p, .cached = cached};
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
        play_frame(&s, (double)frames / hz, fmin((double)(frames + 1) / hz, p->end), parts);
    p->cost->run = tact_stopwatch_now() - before;
    p->cost->pairs /= (double)frames;
    tact_broad_release(s.broad);
    free(s.known);
    free(s.hits);
    return done;
}

/* ---- kinetic ---- */

static tact_world *make_world(const rings *r, tact_kinetic kinetic, tact_body *bodies)
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

static tact_kinetic kinetic_of(ring_method offset)
{
    return offset == RINGS_KINETIC_SWEEP        ? TACT_KINETIC_SWEEP_AND_PRUNE
           : offset == RINGS_KINETIC_FAT_BOUNDS ? TACT_KINETIC_FAT_BOUNDS
                                                : TACT_KINETIC_AUTO;
}

static bool respond(tact_world *world, const tact_event *e)
{
    tact_motion a = tact_body_get_motion(world, e->a), b = tact_body_get_motion(world, e->b);
    return !tact_rings_bounce(&a.velocity, &b.velocity, e->normal) ||
           (tact_body_set_motion(world, e->a, a) == TACT_OK && tact_body_set_motion(world, e->b, b) == TACT_OK);
}

static bool play_kinetic(rings_state *p, tact_kinetic kinetic, double hz)
{
    tact_body *bodies = malloc((size_t)p->r->count * sizeof *bodies);
    double before = tact_stopwatch_now();
    tact_world *world = bodies != NULL ? make_world(p->r, kinetic, bodies) : NULL;
    const bool done = world != NULL;
    tact_event e;
    bool told = done && tact_world_next_event(world, 0.0, &e) == TACT_EVENT_TOUCH; /* none touch at 0 */
    p->failed = p->failed || told || (done && e.status != TACT_OK);
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

long tact_rings_count_events(const rings *r, ring_method offset, double end)
{
    tact_body *bodies = malloc((size_t)r->count * sizeof *bodies);
    tact_world *world = bodies != NULL ? make_world(r, kinetic_of(offset), bodies) : NULL;
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

bool tact_rings_run(const rings *r, ring_method offset, double hz, double end, bool parts, ring_log *log,
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
    if (offset == RINGS_ALL_PAIRS)
        done = play_all_pairs(&p, hz);
    else if (offset >= RINGS_KINETIC_SWEEP)
        done = play_kinetic(&p, kinetic_of(offset), hz);
    else
        done = play_swept(&p, offset == RINGS_SWEEP || offset == RINGS_SWEEP_CACHED ? BROAD_SWEEP : BROAD_TREE,
                          offset == RINGS_SWEEP_CACHED || offset == RINGS_TREE_CACHED, hz, parts);
    free(p.motions);
    return done && !p.failed && !log->failed;
}
